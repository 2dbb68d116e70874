//! Windows of many elements as windows of few elements over windows: those of `w` elements cost
//! about `2 sqrt(w)` each in every dimension.
//!
//! With `w = a b + r` the elements of a window are `b` groups of `a` neighbours, and `r` more:
//!
//! ```text
//! first[i] = x[i] ∘ … ∘ x[i + a - 1]
//! y[i]     = first[i] ∘ first[i + a] ∘ … ∘ first[i + (b - 1) a]   ∘   x[i + a b] ∘ … ∘ x[i + w - 1]
//! ```
//!
//! The initial value is put into each of them, which changes nothing where it gives itself when it
//! is combined with itself.

use crate::canonical::known;
use crate::make::{HloBuilder, own, tensor};
use mapwright_mlir::{Op, Val, computation, op};
use mapwright_ops::attrs::Window;
use mapwright_ops::reduction::combination::Combination;
use mapwright_ops::{
    registry,
    window::{WRITTEN_OUT, prefix},
};

/// The fast path.
pub(super) const NAME: &str = "long-windows";

/// Windows of so few elements along a dimension are as fast as the two that could replace them,
/// which go through memory.
const FEW: i64 = 16;

/// The window along one dimension.
#[derive(Clone, Copy)]
struct Along {
    size: i64,
    dilation: i64,
    stride: i64,
    padding: (i64, i64),
}

impl Along {
    /// The windows over a line of so many elements.
    fn count(&self, line: i64) -> i64 {
        let padded = line + self.padding.0 + self.padding.1;
        (padded - (self.size - 1) * self.dilation - 1) / self.stride + 1
    }

    /// Elements that are looked at on a line where `a` neighbours are put together first: that is
    /// done for every element, the rest for every window.
    fn looked_at(&self, a: i64, line: i64) -> i64 {
        let windows = self.count(line);
        if a == self.size {
            windows.saturating_mul(a)
        } else {
            (line.saturating_mul(a))
                .saturating_add(windows.saturating_mul(self.size / a + self.size % a))
        }
    }

    /// Returns the number of neighbours that are combined first: the whole window where that is
    /// cheapest.
    fn neighbours(&self, line: i64) -> i64 {
        if self.size <= FEW {
            return self.size;
        }
        let all = (1..=self.size.min(WRITTEN_OUT)).chain([self.size]);
        let cheapest = all.min_by_key(|a| self.looked_at(*a, line));
        cheapest.unwrap_or(self.size)
    }
}

/// Builder of windows of an operand along single dimensions.
struct Windows<'m, 'c> {
    m: &'m HloBuilder<'c>,
    name: &'c str,
    init: Val<'c>,
    rank: usize,
}

impl<'c> Windows<'_, 'c> {
    fn along(&self, x: Val<'c>, axis: usize, along: Along) -> Val<'c> {
        let Along {
            size,
            dilation,
            stride,
            padding: (low, high),
        } = along;
        let line = own(x).dims[axis].fixed();
        let a = line.map_or(size, |line| along.neighbours(line));
        if a == size {
            return self.one(x, axis, along);
        }
        let (b, rest) = (size / a, size % a);
        // The last elements are those of the rest.
        let first = Along {
            size: a,
            stride: 1,
            padding: (low, high - rest * dilation),
            ..along
        };
        let groups = Along {
            size: b,
            dilation: a * dilation,
            padding: (0, 0),
            ..along
        };
        let grouped = self.along(self.along(x, axis, first), axis, groups);
        if rest == 0 {
            return grouped;
        }
        let last = Along {
            size: rest,
            stride,
            dilation,
            padding: (low - a * b * dilation, high),
        };
        let rest = self.along(x, axis, last);
        self.m.binary(self.name, grouped, rest)
    }

    fn one(&self, x: Val<'c>, axis: usize, along: Along) -> Val<'c> {
        let ones = vec![1; self.rank];
        let mut window = Window {
            size: ones.clone(),
            stride: ones.clone(),
            base_dilation: ones.clone(),
            window_dilation: ones,
            padding: vec![(0, 0); self.rank],
            reversal: vec![false; self.rank],
        };
        window.size[axis] = along.size;
        window.stride[axis] = along.stride;
        window.window_dilation[axis] = along.dilation;
        window.padding[axis] = along.padding;
        let attributes = self.m.window_attributes(&window);
        self.m.windows(self.name, x, self.init, &attributes)
    }
}

/// The results, if the windows have many elements.
pub(super) fn rewrite<'c>(m: &HloBuilder<'c>, window: Op<'c>) -> Option<Vec<Val<'c>>> {
    if window.num_operands() != 2 || prefix::of_op(window).is_some() {
        return None;
    }
    let (x, init) = (window.operand(0), window.operand(1));
    let shape: Vec<i64> = op::static_shape(x)?.into_iter().collect::<Option<_>>()?;
    let results: Vec<i64> = op::static_shape(window.result(0))?
        .into_iter()
        .collect::<Option<_>>()?;
    let of = Window::reduce_window(window, shape.len()).ok()?;
    let elements = of
        .size
        .iter()
        .try_fold(1i64, |n, size| n.checked_mul(*size))?;
    if elements <= WRITTEN_OUT || results.contains(&0) || of.base_dilation.iter().any(|n| *n != 1) {
        return None;
    }
    let body = window.body(0)?;
    let element = tensor(x)?.element;
    let same = tensor(init)?.dims.is_empty()
        && tensor(init)?.element == element
        && tensor(window.result(0))?.element == element;
    if !same || !gives_itself(registry::combination(body)?, init) {
        return None;
    }
    let mut dims: Vec<(usize, Along)> = (0..shape.len())
        .map(|axis| {
            let along = Along {
                size: of.size[axis],
                dilation: of.window_dilation[axis],
                stride: of.stride[axis],
                padding: of.padding[axis],
            };
            (axis, along)
        })
        .filter(|(_, along)| along.size > 1 || along.stride > 1 || along.padding != (0, 0))
        .collect();
    // What leaves fewer elements comes first.
    dims.sort_by_key(|(axis, along)| (std::cmp::Reverse(along.stride), std::cmp::Reverse(*axis)));
    // Elements that all steps together look at.
    let mut sizes = shape;
    let mut looked_at = 0i64;
    for (axis, along) in &dims {
        let line = sizes[*axis];
        sizes[*axis] = 1;
        let lines = sizes.iter().copied().fold(1, i64::saturating_mul);
        sizes[*axis] = along.count(line);
        let own = along.looked_at(along.neighbours(line), line);
        looked_at = looked_at.saturating_add(lines.saturating_mul(own));
    }
    let directly = results
        .iter()
        .try_fold(elements, |n, size| n.checked_mul(*size))?;
    if looked_at > directly / 2 {
        return None;
    }
    let windows = Windows {
        m,
        name: computation::single_op(body)?.short_name(),
        init,
        rank: results.len(),
    };
    let value = dims
        .into_iter()
        .fold(x, |x, (axis, along)| windows.along(x, axis, along));
    Some(vec![value])
}

/// Tells whether this value combined with itself is the value.
fn gives_itself(combination: Combination, value: Val<'_>) -> bool {
    let is = |number: i64| {
        known::splat(value).is_some_and(|splat| {
            let real = number as f64;
            splat.int() == Some(number)
                || splat.is_float(real)
                || number == 0 && splat.is_float(-real)
        })
    };
    match combination {
        Combination::Maximum | Combination::Minimum | Combination::And | Combination::Or => true,
        Combination::Sum | Combination::Xor => is(0),
        Combination::Product => is(1),
    }
}
