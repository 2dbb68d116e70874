//! `erf` and `erfc` that are written out as arithmetic: a program that was exported without CHLO
//! has its approximations in their place.
//!
//! An approximation is told by its values. It is put together from pieces, each of which is
//! arithmetic and exponentials of one variable; what decides between pieces compares a constant
//! with a multiple of the variable, of its magnitude or of its square, so that the places where one
//! piece follows another are known. Each piece is compared with the function on a grid that reaches
//! to both of its ends. A piece is smooth and has few terms, so what agrees with it on the grid
//! agrees between: within that error it *is* the function, and has its derivative, which costs one
//! exponential, where those of the pieces cost as much as the pieces themselves and are less exact.

use crate::canonical::known::splat;
use mapwright_mlir::{ElementType, FloatKind, Val, op};
use mapwright_ops::{
    attrs::{ComparisonDirection, comparison_direction},
    registry,
};
use std::collections::HashMap;

/// Most operations of an approximation.
const MOST: usize = 256;
/// Points of each piece.
const POINTS: u32 = 96;
/// Largest argument at which a piece without an end is compared: nothing changes beyond.
const FAR: f64 = 64.0;

/// Computes a value from those before it, by their places.
#[derive(Clone, Copy, Debug)]
enum Step {
    Variable,
    Number(f64),
    Negate(usize),
    Abs(usize),
    Exponential(usize),
    Add(usize, usize),
    Subtract(usize, usize),
    Multiply(usize, usize),
    Divide(usize, usize),
    /// 1 where the first is less than the second, or (`true`) not greater, 0 elsewhere.
    Less(usize, usize, bool),
    Select(usize, usize, usize),
    /// The greater of two.
    Greater(usize, usize),
    /// The lesser of two.
    Lesser(usize, usize),
}

/// `scale * x^power`, or that of the magnitude of `x`.
#[derive(Clone, Copy, Debug)]
struct Monomial {
    scale: f64,
    power: i32,
}

/// A function of one variable.
#[derive(Default)]
struct Approximation {
    steps: Vec<Step>,
    places: HashMap<usize, usize>,
}

/// A function, and the factor of `exp(-x^2)` in its derivative.
type Known = (fn(f64) -> f64, f64);

/// The factor of `exp(-x^2)` in the derivative of `value` by `x`, if `value` is an approximation of
/// `erf(x)` or `erfc(x)`.
pub(super) fn bell_of<'c>(value: Val<'c>, x: Val<'c>, element: &ElementType) -> Option<f64> {
    let close = match element {
        ElementType::Float(FloatKind::F64) => 16.0 * f64::EPSILON,
        ElementType::Float(FloatKind::F32) => 16.0 * f64::from(f32::EPSILON),
        _ => return None,
    };
    let mut function = Approximation::default();
    function.places.insert(op::key(x), 0);
    function.steps.push(Step::Variable);
    let end = function.read(value, MOST)?;
    let ends = function.ends()?;
    let factor = std::f64::consts::FRAC_2_SQRT_PI;
    let known: [Known; 2] = [(libm::erf, factor), (libm::erfc, -factor)];
    let found = known
        .into_iter()
        .find(|(exact, _)| grid(&ends).all(|x| (function.at(x, end) - exact(x)).abs() <= close));
    found.map(|(_, factor)| factor)
}

/// Points of each of the intervals between `ends`, which ascend: closer and closer to the ends.
fn grid(ends: &[f64]) -> impl Iterator<Item = f64> + '_ {
    ends.windows(2).flat_map(|pair| {
        let (low, high) = (pair[0], pair[1]);
        (0..=POINTS).map(move |k| {
            let turn = std::f64::consts::PI * (f64::from(k) + 0.5) / f64::from(POINTS + 1);
            low + (high - low) * (0.5 - 0.5 * turn.cos())
        })
    })
}

impl Approximation {
    fn push(&mut self, value: Val<'_>, step: Step) -> Option<usize> {
        if self.steps.len() >= MOST {
            return None;
        }
        self.steps.push(step);
        self.places.insert(op::key(value), self.steps.len() - 1);
        Some(self.steps.len() - 1)
    }

    /// Reads what `value` is computed by; its place. `None` where that is something else than
    /// arithmetic on the variable. At most `depth` operations follow one another.
    fn read(&mut self, value: Val<'_>, depth: usize) -> Option<usize> {
        let depth = depth.checked_sub(1)?;
        if let Some(place) = self.places.get(&op::key(value)) {
            return Some(*place);
        }
        if let Some(number) = splat(value) {
            return self.push(value, Step::Number(number.float()?));
        }
        let (made, _) = op::defining_op(value)?;
        if !registry::is_elementwise(made)
            || made.dialect() != "stablehlo"
            || made.num_operands() > 3
        {
            return None;
        }
        let mut at = [0; 3];
        for (k, operand) in made.operands().into_iter().enumerate() {
            at[k] = self.read(operand, depth)?;
        }
        let [a, b, c] = at;
        let step = match made.short_name() {
            "negate" => Step::Negate(a),
            "abs" => Step::Abs(a),
            "exponential" => Step::Exponential(a),
            "add" => Step::Add(a, b),
            "subtract" => Step::Subtract(a, b),
            "multiply" => Step::Multiply(a, b),
            "divide" => Step::Divide(a, b),
            "select" => Step::Select(a, b, c),
            "maximum" => Step::Greater(a, b),
            "minimum" => Step::Lesser(a, b),
            "compare" => match comparison_direction(made).ok()? {
                ComparisonDirection::Lt => Step::Less(a, b, false),
                ComparisonDirection::Le => Step::Less(a, b, true),
                ComparisonDirection::Gt => Step::Less(b, a, false),
                ComparisonDirection::Ge => Step::Less(b, a, true),
                ComparisonDirection::Eq | ComparisonDirection::Ne => return None,
            },
            _ => return None,
        };
        self.push(value, step)
    }

    /// The value at a place.
    fn at(&self, x: f64, end: usize) -> f64 {
        let mut values: Vec<f64> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let v = |place: &usize| values[*place];
            values.push(match step {
                Step::Variable => x,
                Step::Number(number) => *number,
                Step::Negate(a) => -v(a),
                Step::Abs(a) => v(a).abs(),
                Step::Exponential(a) => v(a).exp(),
                Step::Add(a, b) => v(a) + v(b),
                Step::Subtract(a, b) => v(a) - v(b),
                Step::Multiply(a, b) => v(a) * v(b),
                Step::Divide(a, b) => v(a) / v(b),
                Step::Less(a, b, equal) => {
                    f64::from(u8::from(v(a) < v(b) || (*equal && v(a) == v(b))))
                }
                Step::Greater(a, b) => v(a).max(v(b)),
                Step::Lesser(a, b) => v(a).min(v(b)),
                Step::Select(a, b, c) => {
                    if v(a) != 0.0 {
                        v(b)
                    } else {
                        v(c)
                    }
                }
            });
        }
        values[end]
    }

    /// The ends of the pieces, ascending, with those of the whole grid; `None` where one is not
    /// known.
    fn ends(&self) -> Option<Vec<f64>> {
        let mut monomials: Vec<Option<Monomial>> = Vec::new();
        // Zero is where a magnitude has its corner.
        let mut ends = vec![-FAR, 0.0, FAR];
        for step in &self.steps {
            let of = |place: &usize| monomials[*place];
            let found = match step {
                Step::Variable => Some(Monomial {
                    scale: 1.0,
                    power: 1,
                }),
                Step::Number(scale) => Some(Monomial {
                    scale: *scale,
                    power: 0,
                }),
                Step::Abs(a) => of(a).map(|m| Monomial {
                    scale: m.scale.abs(),
                    ..m
                }),
                Step::Negate(a) => of(a).map(|m| Monomial {
                    scale: -m.scale,
                    ..m
                }),
                Step::Multiply(a, b) => of(a).zip(of(b)).map(|(a, b)| Monomial {
                    scale: a.scale * b.scale,
                    power: a.power + b.power,
                }),
                Step::Less(a, b, _) | Step::Greater(a, b) | Step::Lesser(a, b) => {
                    let (a, b) = (of(a)?, of(b)?);
                    let (of_x, constant) = if a.power == 0 { (b, a) } else { (a, b) };
                    if constant.power != 0 || of_x.power == 0 || of_x.scale == 0.0 {
                        return None;
                    }
                    let end = (constant.scale / of_x.scale).abs();
                    let end = end.powf(1.0 / f64::from(of_x.power));
                    if end < FAR {
                        ends.extend([-end, end]);
                    }
                    None
                }
                _ => None,
            };
            monomials.push(found);
        }
        ends.sort_by(f64::total_cmp);
        ends.dedup();
        Some(ends)
    }
}
