//! Tensors as MLIR dense literals.

use mapwright_runtime::{
    ElementKind,
    convert::{Number, read},
};
use std::fmt::Write as _;

/// Elements of a dimension that are shown at either end when a tensor is abbreviated.
const EDGE: usize = 3;
/// A tensor with more elements than this is abbreviated.
const WHOLE: usize = 64;

/// `dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>`; in a large tensor the middle of each
/// dimension is left out (`…`), so that it does not read back. `ty` is the tensor's type as MLIR
/// prints it. `bytes` are as the runtime has them.
pub(crate) fn dense(kind: ElementKind, shape: &[usize], bytes: &[u8], ty: &str) -> String {
    let count: usize = shape.iter().product();
    let mut text = String::from("dense<");
    if count > 0 {
        nested(kind, shape, bytes, 0, count > WHOLE, &mut text);
    }
    // Writing to a string does not fail.
    let _ = write!(text, "> : {ty}");
    text
}

fn nested(
    kind: ElementKind,
    shape: &[usize],
    bytes: &[u8],
    first: usize,
    abbreviate: bool,
    text: &mut String,
) {
    let Some((size, inner)) = shape.split_first() else {
        text.push_str(&element(kind, bytes, first));
        return;
    };
    let stride: usize = inner.iter().product();
    text.push('[');
    for i in 0..*size {
        let hidden = abbreviate && *size > 2 * EDGE && (EDGE..size - EDGE).contains(&i);
        if hidden && i > EDGE {
            continue;
        }
        if i > 0 {
            text.push_str(", ");
        }
        if hidden {
            text.push('…');
        } else {
            nested(kind, inner, bytes, first + i * stride, abbreviate, text);
        }
    }
    text.push(']');
}

fn element(kind: ElementKind, bytes: &[u8], index: usize) -> String {
    let size = kind.size();
    let at = &bytes[index * size..(index + 1) * size];
    match read(kind, bytes, index) {
        Number::Pred(value) => value.to_string(),
        Number::Integer(value) => value.to_string(),
        Number::Real(value) => real(value, kind == ElementKind::F64, at),
        Number::Complex(re, im) => {
            let (first, second) = at.split_at(size / 2);
            let wide = kind == ElementKind::C128;
            format!("({},{})", real(re, wide, first), real(im, wide, second))
        }
    }
}

/// The shortest decimal number that reads back as the same bits, in MLIR's syntax; what has no
/// decimal form is written as its bits.
fn real(value: f64, wide: bool, bits: &[u8]) -> String {
    if !value.is_finite() {
        let digits: String = bits
            .iter()
            .rev()
            .map(|byte| format!("{byte:02X}"))
            .collect();
        return format!("0x{digits}");
    }
    let text = if wide {
        format!("{value:?}")
    } else {
        format!("{:?}", value as f32)
    };
    // MLIR wants a point before the exponent.
    match text.split_once('e') {
        Some((mantissa, exponent)) if !mantissa.contains('.') => format!("{mantissa}.0e{exponent}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f32s(values: &[f32]) -> Vec<u8> {
        values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect()
    }

    #[test]
    fn a_small_tensor_is_complete() {
        let bytes = f32s(&[1.0, -0.5, 0.1, 1e-7, f32::INFINITY, f32::NAN]);
        assert_eq!(
            dense(ElementKind::F32, &[2, 3], &bytes, "tensor<2x3xf32>"),
            "dense<[[1.0, -0.5, 0.1], [1.0e-7, 0x7F800000, 0x7FC00000]]> : tensor<2x3xf32>"
        );
    }

    #[test]
    fn scalars_and_empty_tensors() {
        assert_eq!(
            dense(ElementKind::I8, &[], &[0xff], "tensor<i8>"),
            "dense<-1> : tensor<i8>"
        );
        assert_eq!(
            dense(ElementKind::Pred, &[1], &[1], "tensor<1xi1>"),
            "dense<[true]> : tensor<1xi1>"
        );
        assert_eq!(
            dense(ElementKind::F32, &[0, 2], &[], "tensor<0x2xf32>"),
            "dense<> : tensor<0x2xf32>"
        );
        assert_eq!(
            dense(
                ElementKind::C64,
                &[],
                &f32s(&[1.0, 2.5]),
                "tensor<complex<f32>>"
            ),
            "dense<(1.0,2.5)> : tensor<complex<f32>>"
        );
    }

    #[test]
    fn a_large_tensor_shows_its_edges() {
        let bytes: Vec<u8> = (0..100).collect();
        assert_eq!(
            dense(ElementKind::U8, &[100], &bytes, "tensor<100xui8>"),
            "dense<[0, 1, 2, …, 97, 98, 99]> : tensor<100xui8>"
        );
        let text = dense(ElementKind::U8, &[4, 25], &bytes, "tensor<4x25xui8>");
        assert!(
            text.starts_with("dense<[[0, 1, 2, …, 22, 23, 24], [25, "),
            "{text}"
        );
    }
}
