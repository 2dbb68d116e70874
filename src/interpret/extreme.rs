//! Orders of evaluation that are as far from each other as any: what overflows in one and not in
//! another is not determined by the program.

use crate::{Scalar, formats};
use mapwright_mlir::ElementType;

/// The order in which elements are folded that may be folded in any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// From the least to the greatest: sums are below every other order's on the way.
    Rising,
    /// From the greatest to the least.
    Falling,
    /// By magnitude, the smallest first: products are nearest to zero on the way.
    Growing,
    /// By magnitude, the largest first.
    Shrinking,
}

impl Extreme {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Rising, Self::Falling, Self::Growing, Self::Shrinking];

    /// Returns the key that elements are sorted by.
    pub(crate) fn key(self, x: Scalar) -> f64 {
        let (value, magnitude) = match x {
            Scalar::Bool(x) => (f64::from(u8::from(x)), f64::from(u8::from(x))),
            Scalar::Int(x) => (x as f64, (x as f64).abs()),
            Scalar::Real(x) => (x, x.abs()),
            Scalar::Complex(re, im) => (re + im, re.hypot(im)),
        };
        match self {
            Self::Rising => value,
            Self::Falling => -value,
            Self::Growing => magnitude,
            Self::Shrinking => -magnitude,
        }
    }
}

/// Rounds a number on the way to the type `element`, where an extreme is asked for.
pub(crate) fn on_the_way(extreme: Option<Extreme>, element: &ElementType, x: f64) -> f64 {
    match (extreme, element) {
        (Some(_), ElementType::Float(kind) | ElementType::Complex(kind)) => {
            formats::round(*kind, x)
        }
        _ => x,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Tensor, Value, run};
    use mapwright_mlir::{FloatKind, Op, context::context, diagnostic::Diagnostics};

    /// The only result of `main` for `x`, in the order as written and in every extreme one.
    fn results(text: &str, element: FloatKind, x: &[f64]) -> Vec<f64> {
        let context = context();
        let diagnostics = Diagnostics::to_text(&context);
        let Ok(module) = diagnostics.parse("test", text.as_bytes()) else {
            panic!("{}", diagnostics.take());
        };
        let input = Tensor {
            element: ElementType::Float(element),
            shape: vec![x.len() as i64],
            data: x.iter().map(|x| Scalar::Real(*x)).collect(),
        };
        let extremes = Extreme::ALL.map(Some);
        [None]
            .into_iter()
            .chain(extremes)
            .map(|extreme| {
                let options = Options {
                    extreme,
                    ..Options::default()
                };
                let module = Op::new(module.as_operation());
                let found = run(module, "main", &[Value::Tensor(input.clone())], &options);
                let found = found.expect("is evaluated");
                let tensor = found[0].tensor().expect("a tensor");
                tensor.data[0].real().expect("a real number")
            })
            .collect()
    }

    #[test]
    fn sums_overflow_above_or_below() {
        let text = r#"func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
          %z = stablehlo.constant dense<0.0> : tensor<f32>
          %1 = "stablehlo.reduce"(%x, %z) ({
          ^bb0(%a: tensor<f32>, %b: tensor<f32>):
            %s = stablehlo.add %a, %b : tensor<f32>
            stablehlo.return %s : tensor<f32>
          }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
          return %1 : tensor<f32>
        }"#;
        let (a, b) = (2f64.powi(127), 1.5 * 2f64.powi(127));
        let found = results(text, FloatKind::F32, &[a, -a, b, -b]);
        assert_eq!(found[0], 0.0);
        assert_eq!(found[1..3], [f64::NEG_INFINITY, f64::INFINITY]);
        // Without large numbers the order changes nothing.
        assert_eq!(
            results(text, FloatKind::F32, &[1.0, -2.0, 3.0, 4.0]),
            [6.0; 5]
        );
    }

    #[test]
    fn products_overflow_before_a_zero() {
        let text = r#"func.func @main(%x: tensor<4xbf16>) -> tensor<bf16> {
          %z = stablehlo.constant dense<1.0> : tensor<bf16>
          %1 = "stablehlo.reduce"(%x, %z) ({
          ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
            %s = stablehlo.multiply %a, %b : tensor<bf16>
            stablehlo.return %s : tensor<bf16>
          }) {dimensions = array<i64: 0>} : (tensor<4xbf16>, tensor<bf16>) -> tensor<bf16>
          return %1 : tensor<bf16>
        }"#;
        let large = 2f64.powi(70);
        let found = results(text, FloatKind::BF16, &[large, 0.0, large, 2.0]);
        assert_eq!(found[0], 0.0);
        assert!(found[4].is_nan());
        assert_eq!(
            results(text, FloatKind::BF16, &[2.0, 0.5, 4.0, 2.0]),
            [8.0; 5]
        );
    }
}
