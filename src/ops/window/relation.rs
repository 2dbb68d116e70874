//! The relation between windows and elements in one dimension.
//!
//! Element `w` of window `o` lies over element `i` where
//! `o * stride + w * window_dilation = i * base_dilation + padding`. It is solved for `i` and for
//! `o`. Where at most one solution exists for a given index, it is a quotient with a constraint on
//! the remainder; otherwise `w` becomes a range variable.

use crate::attrs::Window;
use crate::query::{UNBOUNDED, variable};
use mapwright_indexing::{Expr, IndexingMap, Interval, s};

/// `multiplier * index + offset` of one side must equal `divisor * solution` up to
/// `sign * w * dilation`.
struct Equation {
    /// `index * multiplier + offset`, with `w = 0`.
    base: Expr,
    /// Change of `base` by a step of `w`: `dilation` or `-dilation`.
    step: i64,
    /// Number of window elements.
    window: i64,
    /// The factor of the solution.
    divisor: i64,
    /// Number of values of the solution.
    size: i64,
}

/// Adds ranges and constraints to `map` and gives the solution.
fn solve(equation: Equation, map: &mut IndexingMap) -> Expr {
    let Equation {
        base,
        step,
        window,
        divisor,
        size,
    } = equation;
    let constrain = |map: &mut IndexingMap, expr: Expr, interval: Interval| {
        *map = map.clone().with_constraint(expr, interval);
    };
    let last = match size {
        0 => -1,
        UNBOUNDED => i64::MAX,
        n => (n - 1).saturating_mul(divisor),
    };
    let extent = (window - 1).max(0).saturating_mul(step.abs());
    if window == 0 || size == 0 {
        constrain(map, base.clone(), Interval::EMPTY);
        return base;
    }
    if extent < divisor {
        // divisor * solution is within [base, base + extent] (or below, for a negative step): there
        // is room for one multiple.
        let top = if step > 0 { base + extent } else { base };
        let remainder = top.clone().modulo(divisor);
        if divisor > 1 {
            if extent < divisor - 1 {
                constrain(map, remainder.clone(), Interval::new(0, extent));
            }
            if step.abs() > 1 && extent > 0 {
                constrain(map, remainder.modulo(step.abs()), Interval::point(0));
            }
        }
        let solution = top.floor_div(divisor);
        constrain(map, solution.clone(), variable(size).interval);
        return solution;
    }
    let position = base + s(map.ranges().len()) * step;
    map.push_range(variable(window));
    if divisor > 1 {
        constrain(map, position.clone().modulo(divisor), Interval::point(0));
    }
    constrain(map, position.clone(), Interval::new(0, last));
    position.floor_div(divisor)
}

/// The elements (of `size` in dimension `k`) under the window at `output`.
pub fn elements(window: &Window, k: usize, output: Expr, size: i64, map: &mut IndexingMap) -> Expr {
    let equation = Equation {
        base: output * window.stride[k] - window.padding[k].0,
        step: window.window_dilation[k],
        window: window.size[k],
        divisor: window.base_dilation[k],
        size,
    };
    solve(equation, map)
}

/// The windows (of `size` in dimension `k`) over the element at `input`.
pub fn windows(window: &Window, k: usize, input: Expr, size: i64, map: &mut IndexingMap) -> Expr {
    let equation = Equation {
        base: input * window.base_dilation[k] + window.padding[k].0,
        step: -window.window_dilation[k],
        window: window.size[k],
        divisor: window.stride[k],
        size,
    };
    solve(equation, map)
}
