//! Vectors of complex numbers against the general emitter, one number at a time: the same bits, but
//! for those of NaNs (which of two NaNs a product gives is up to the order of its factors).

use crate::ways::{Numbers, SPECIAL, compile, program, run, ty};
use mapwright_mlir::{ElementType, FloatKind};
use mapwright_native::Tensor;

/// The bits of the parts, one word each; all NaNs have the same.
fn bits(tensor: &Tensor) -> Vec<u64> {
    let bytes = tensor.bytes();
    let nan = |is_nan: bool, bits: u64| if is_nan { u64::MAX } else { bits };
    match tensor.element() {
        ElementType::Float(FloatKind::F32) | ElementType::Complex(FloatKind::F32) => bytes
            .chunks_exact(4)
            .map(|c| f32::from_le_bytes(c.try_into().unwrap()))
            .map(|x| nan(x.is_nan(), x.to_bits().into()))
            .collect(),
        ElementType::Float(FloatKind::F64) | ElementType::Complex(FloatKind::F64) => bytes
            .chunks_exact(8)
            .map(|c| f64::from_le_bytes(c.try_into().unwrap()))
            .map(|x| nan(x.is_nan(), x.to_bits()))
            .collect(),
        _ => bytes.iter().map(|byte| u64::from(*byte)).collect(),
    }
}

fn check(source: &str, vectors: bool) {
    let [fast, plain] = compile(source, [&[], &["complex-lanes"]]);
    assert_eq!(
        fast.statistics()
            .regions
            .iter()
            .all(|region| region.emitter == "tiled"),
        vectors,
        "{source}"
    );
    for every in [0, 5] {
        let inputs = Numbers {
            every,
            odd: SPECIAL,
            below: 0,
        }
        .inputs(&fast, 3);
        let expected = run(&plain, &inputs, 1);
        for threads in [1, 2] {
            for (one, other) in run(&fast, &inputs, threads).iter().zip(&expected) {
                assert_eq!(
                    bits(one),
                    bits(other),
                    "every {every} odd, {threads} threads\n{source}"
                );
            }
        }
    }
}

/// Full vectors, ends of rows, rows shorter than a vector, single elements.
const SHAPES: &[[i64; 2]] = &[[67, 83], [16, 32], [1, 17], [5, 1], [3, 5], [129, 31]];

#[test]
fn operations_on_parts() {
    for part in ["f32", "f64"] {
        for shape in SHAPES {
            let (z, x) = (ty(shape, &format!("complex<{part}>")), ty(shape, part));
            let i1 = ty(shape, "i1");
            let body = format!(
                "%p = stablehlo.multiply %arg0, %arg1 : {z}
                 %s = stablehlo.add %p, %arg0 : {z}
                 %d = stablehlo.subtract %s, %arg1 : {z}
                 %a = stablehlo.abs %d : ({z}) -> {x}
                 %i = stablehlo.imag %arg1 : ({z}) -> {x}
                 %m = stablehlo.compare LT, %i, %a : ({x}, {x}) -> {i1}
                 %k = stablehlo.select %m, %d, %arg1 : {i1}, {z}
                 %q = stablehlo.divide %k, %arg0 : {z}
                 %n = stablehlo.negate %q : {z}
                 %r = stablehlo.real %n : ({z}) -> {x}
                 %c = stablehlo.complex %r, %i : {z}
                 %e = stablehlo.compare EQ, %c, %arg1 : ({z}, {z}) -> {i1}
                 return %c, %n, %e, %a : {z}, {z}, {i1}, {x}"
            );
            check(
                &program(
                    &[z.clone(), z.clone()],
                    &[z.clone(), z.clone(), i1, x],
                    &body,
                ),
                true,
            );
        }
    }
}

#[test]
fn moved_elements() {
    for part in ["f32", "f64"] {
        for [n, m] in SHAPES {
            let z = |shape: &[i64]| ty(shape, &format!("complex<{part}>"));
            let (from, turned, wide) = (z(&[*n, *m]), z(&[*m, *n]), z(&[2 * n, 2 * m + 2]));
            let body = format!(
                "%v = stablehlo.constant dense<(1.5, -2.0)> : tensor<complex<{part}>>
                 %t = stablehlo.transpose %arg0, dims = [1, 0] : ({from}) -> {turned}
                 %u = stablehlo.reverse %t, dims = [0] : {turned}
                 %s = stablehlo.add %u, %t : {turned}
                 %b = stablehlo.transpose %s, dims = [1, 0] : ({turned}) -> {from}
                 %p = stablehlo.pad %b, %v, low = [1, 2], high = [0, 1], interior = [1, 1] : ({from}, tensor<complex<{part}>>) -> {wide}
                 %r = stablehlo.negate %p : {wide}
                 return %s, %r : {turned}, {wide}"
            );
            check(
                &program(std::slice::from_ref(&from), &[turned, wide.clone()], &body),
                true,
            );
            let (twice, half) = (z(&[*n, 2 * m]), z(&[*n, (2 * m + 2) / 3]));
            let last = 2 * m;
            let body = format!(
                "%c = stablehlo.concatenate %arg0, %arg1, dim = 1 : ({from}, {from}) -> {twice}
                 %m = stablehlo.multiply %c, %c : {twice}
                 %s = stablehlo.slice %m [0:{n}, 0:{last}:3] : ({twice}) -> {half}
                 return %m, %s : {twice}, {half}"
            );
            check(
                &program(&[from.clone(), from.clone()], &[twice, half], &body),
                true,
            );
            let (row, start) = (z(&[*m]), "tensor<i32>");
            let body = format!(
                "%d = stablehlo.dynamic_slice %arg0, %arg2, %arg2, sizes = [1, {m}] : ({from}, {start}, {start}) -> {one}
                 %f = stablehlo.reshape %d : ({one}) -> {row}
                 %a = stablehlo.add %f, %arg1 : {row}
                 %s = stablehlo.broadcast_in_dim %a, dims = [1] : ({row}) -> {from}
                 %r = stablehlo.multiply %s, %arg0 : {from}
                 return %r : {from}",
                one = z(&[1, *m]),
            );
            check(
                &program(
                    &[from.clone(), row.clone(), start.into()],
                    std::slice::from_ref(&from),
                    &body,
                ),
                true,
            );
        }
    }
}

/// The magnitudes are reduced, and the numbers are read again.
#[test]
fn rows_of_magnitudes() {
    for [n, m] in SHAPES {
        let (z, x) = (ty(&[*n, *m], "complex<f32>"), ty(&[*n, *m], "f32"));
        let row = ty(&[*n], "f32");
        let body = format!(
            "%v = stablehlo.constant dense<0xFF800000> : tensor<f32>
             %p = stablehlo.multiply %arg0, %arg0 : {z}
             %a = stablehlo.abs %p : ({z}) -> {x}
             %t = stablehlo.reduce(%a init: %v) applies stablehlo.maximum across dimensions = [1] : ({x}, tensor<f32>) -> {row}
             %b = stablehlo.broadcast_in_dim %t, dims = [0] : ({row}) -> {x}
             %s = stablehlo.complex %b, %a : {z}
             %r = stablehlo.subtract %p, %s : {z}
             return %r, %t : {z}, {row}"
        );
        check(
            &program(std::slice::from_ref(&z), &[z.clone(), row], &body),
            true,
        );
    }
}

/// What is more accurate for scalars stays with the general emitter.
#[test]
fn functions_of_scalars_only() {
    let z = ty(&[7, 33], "complex<f64>");
    let body = format!("%r = stablehlo.tanh %arg0 : {z}\nreturn %r : {z}");
    check(
        &program(std::slice::from_ref(&z), std::slice::from_ref(&z), &body),
        false,
    );
    let z = ty(&[7, 33], "complex<f32>");
    let body = format!("%r = stablehlo.exponential %arg0 : {z}\nreturn %r : {z}");
    check(
        &program(std::slice::from_ref(&z), std::slice::from_ref(&z), &body),
        true,
    );
}
