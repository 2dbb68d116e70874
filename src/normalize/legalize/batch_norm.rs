//! `batch_norm_inference`, `batch_norm_training` and `batch_norm_grad`, by the formulas of the
//! specification.

use crate::make::{HloBuilder, own, tensor};
use crate::rewrite::{Error, fail};
use mapwright_mlir::{ElementType, Op, Val};
use mapwright_ops::attrs;

struct Norm<'m, 'c> {
    m: &'m HloBuilder<'c>,
    op: Op<'c>,
    feature: usize,
    epsilon: f64,
    rank: usize,
}

pub(super) fn rewrite<'c>(m: &HloBuilder<'c>, op: Op<'c>) -> Result<Vec<Val<'c>>, Error<'c>> {
    let bad = |error: attrs::AttrError| Error::new(op, error.to_string());
    let x = op.operand(0);
    let operands = op.operands();
    if !operands.iter().all(|value| tensor(*value).is_some()) {
        return fail(op, "needs operands that are ranked tensors");
    }
    let rank = own(x).rank();
    let feature = attrs::int(op, "feature_index").map_err(bad)?;
    let norm = Norm {
        m,
        op,
        feature: attrs::axis("feature_index", feature, rank).map_err(bad)?,
        epsilon: op
            .attribute("epsilon")
            .and_then(mapwright_mlir::attr::float)
            .unwrap_or(0.0),
        rank,
    };
    match op.short_name() {
        "batch_norm_inference" => {
            let [_, scale, offset, mean, variance] = norm.operands()?;
            Ok(vec![norm.normalise(x, scale, offset, mean, variance)])
        }
        "batch_norm_training" => {
            let (scale, offset) = (op.operand(1), op.operand(2));
            let mean = norm.mean(x);
            let centered = m.binary("subtract", x, norm.spread(mean, x));
            let variance = norm.mean(m.binary("multiply", centered, centered));
            let y = norm.normalise(x, scale, offset, mean, variance);
            Ok(vec![y, mean, variance])
        }
        _ => norm.gradient(),
    }
}

impl<'c> Norm<'_, 'c> {
    fn operands(&self) -> Result<[Val<'c>; 5], Error<'c>> {
        let operands = self.op.operands();
        <[Val<'c>; 5]>::try_from(operands).map_err(|_| Error::new(self.op, "needs five operands"))
    }

    /// A vector along the feature dimension, spread over the shape of `like`.
    fn spread(&self, vector: Val<'c>, like: Val<'c>) -> Val<'c> {
        self.m.broadcast_like(vector, like, &[self.feature as i64])
    }

    /// Sum over all dimensions but the feature dimension.
    fn sum(&self, x: Val<'c>) -> Val<'c> {
        let dims: Vec<i64> = (0..self.rank)
            .filter(|d| *d != self.feature)
            .map(|d| d as i64)
            .collect();
        self.m.sum(x, &dims)
    }

    /// Computes the number of elements of `x` that belong to one feature, in the shape of `like`.
    fn count(&self, x: Val<'c>, like: Val<'c>) -> Val<'c> {
        let m = self.m;
        let own = own(x);
        let others = (0..self.rank).filter(|d| *d != self.feature);
        if let (Some(sizes), Some(_)) = (own.static_shape(), self::own(like).static_shape()) {
            let count = others.map(|d| sizes[d] as f64).product();
            return m.splat(count, like);
        }
        let wide = ElementType::int(64);
        let mut count = None;
        for d in others {
            let size = m.convert(m.size(x, d), &wide);
            count = Some(match count {
                None => size,
                Some(before) => m.binary("multiply", before, size),
            });
        }
        let Some(count) = count else {
            return m.splat(1.0, like);
        };
        m.broadcast_like(m.convert(count, &own.element), like, &[])
    }

    fn mean(&self, x: Val<'c>) -> Val<'c> {
        let sum = self.sum(x);
        self.m.binary("divide", sum, self.count(x, sum))
    }

    /// `sqrt(variance + epsilon)`, a vector.
    fn deviation(&self, variance: Val<'c>) -> Val<'c> {
        let epsilon = self.m.splat(self.epsilon, variance);
        let sum = self.m.binary("add", variance, epsilon);
        self.m.unary("sqrt", sum)
    }

    fn normalise(
        &self,
        x: Val<'c>,
        scale: Val<'c>,
        offset: Val<'c>,
        mean: Val<'c>,
        variance: Val<'c>,
    ) -> Val<'c> {
        let m = self.m;
        let centered = m.binary("subtract", x, self.spread(mean, x));
        let deviation = self.spread(self.deviation(variance), x);
        let normal = m.binary("divide", centered, deviation);
        let scaled = m.binary("multiply", self.spread(scale, x), normal);
        m.binary("add", scaled, self.spread(offset, x))
    }

    fn gradient(&self) -> Result<Vec<Val<'c>>, Error<'c>> {
        let m = self.m;
        let [x, scale, mean, variance, grad] = self.operands()?;
        let centered = m.binary("subtract", x, self.spread(mean, x));
        let deviation = self.deviation(variance);
        let normal = m.binary("divide", centered, self.spread(deviation, x));
        let count = self.count(x, x);
        let i1 = m.binary("multiply", grad, count);
        let grad_offset = self.sum(grad);
        let i2 = self.spread(grad_offset, x);
        let i3 = self.spread(self.sum(m.binary("multiply", grad, centered)), x);
        let i4 = m.binary("multiply", i3, centered);
        let epsilon = m.splat(self.epsilon, variance);
        let i5 = m.binary(
            "divide",
            i4,
            self.spread(m.binary("add", variance, epsilon), x),
        );
        let i6 = m.binary("subtract", m.binary("subtract", i1, i2), i5);
        let factor = self.spread(m.binary("divide", scale, deviation), x);
        let grad_operand = m.binary("multiply", m.binary("divide", factor, count), i6);
        let grad_scale = self.sum(m.binary("multiply", grad, normal));
        Ok(vec![grad_operand, grad_scale, grad_offset])
    }
}
