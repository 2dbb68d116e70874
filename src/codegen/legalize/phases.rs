//! Convolutions of a dilated operand (transposed ones, the gradients of those with strides): no products with the zeros between its elements.
//!
//! In one dimension, with stride `s`, the operand dilated by `d`, the window by `r`, and `p` of padding before, element `k` of the window at place
//! `o` is element `(o s + k r - p) / d` of the operand, and a zero where `d` does not divide that. With `o = P j + c` and `P = d / gcd(s, d)`, `d`
//! divides `P s`, so that for a phase `c` the same elements of the window count at every `j`: every `d / gcd(r, d)`-th, from some `k0` on, or none.
//! That is a convolution of stride `P s / d` and padding `-(c s + k0 r - p) / d`, whose window is dilated by `r / gcd(r, d)`, over the operand as it
//! is; and the result is the phases by turns.
//!
//! The specification multiplies the zeros, too, and zero times infinity is NaN: of the elements of the window that a phase leaves out, zero times
//! each is added to it.

use super::convolution::Known;
use super::make::Make;
use crate::inline::Located;
use mapwright_indexing::linear::gcd;
use mapwright_mlir::{ElementType, Op, TensorType, Val};
use mapwright_ops::attrs::Window;

/// Phases at most: each is a region of its own.
const MOST: i64 = 16;
/// Strides, dilations and padding below it do not leave 64 bits when they are multiplied.
const LARGEST: i64 = 1 << 24;

/// Attributes that phases have from the convolution.
const KEPT: &[&str] = &[
    "dimension_numbers",
    "window_reversal",
    "feature_group_count",
    "precision_config",
];

/// One dimension of a convolution.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// Of the operand, the window and the result; none is 0.
    operand: i64,
    window: i64,
    result: i64,
    stride: i64,
    /// Of the operand, and of the window.
    dilation: i64,
    window_dilation: i64,
    /// Padding before the operand.
    low: i64,
}

/// What is left of it for the places of one phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Phase {
    /// The first element of the window that counts, how many do, and their distance.
    first: i64,
    count: i64,
    step: i64,
    /// Distance of what they read.
    window_dilation: i64,
    padding: (i64, i64),
}

impl Line {
    fn new(window: &Window, i: usize, operand: i64, result: i64) -> Self {
        Self {
            operand,
            window: window.size[i],
            result,
            stride: window.stride[i],
            dilation: window.base_dilation[i],
            window_dilation: window.window_dilation[i],
            low: window.padding[i].0,
        }
    }

    /// Number of phases.
    fn phases(&self) -> i64 {
        self.dilation / gcd(self.stride, self.dilation)
    }

    /// Places of each phase; those of the last ones may be behind the result.
    fn places(&self) -> i64 {
        (self.result + self.phases() - 1) / self.phases()
    }

    /// Step of the window of a phase, in elements of the operand.
    fn phase_stride(&self) -> i64 {
        self.stride / gcd(self.stride, self.dilation)
    }

    /// Phase number `c`; nothing where no element of the window ever meets one of the operand.
    fn phase(&self, c: i64) -> Option<Phase> {
        let common = gcd(self.window_dilation, self.dilation);
        let step = self.dilation / common;
        // The position, in the dilated operand, that an element of the window is at.
        let at = |k: i64| c * self.stride + k * self.window_dilation - self.low;
        let first = (0..step.min(self.window)).find(|k| at(*k) % self.dilation == 0)?;
        let count = (self.window - 1 - first) / step + 1;
        let window_dilation = self.window_dilation / common;
        let before = -(at(first) / self.dilation);
        let covered = (self.places() - 1) * self.phase_stride() + (count - 1) * window_dilation + 1;
        Some(Phase {
            first,
            count,
            step,
            window_dilation,
            padding: (before, covered - self.operand - before),
        })
    }
}

/// A convolution that can be taken apart.
pub(super) struct Parts<'c> {
    op: Op<'c>,
    known: Known,
    lines: Vec<Line>,
    /// Of a phase: the result with fewer places.
    phase_shape: Vec<i64>,
}

impl<'c> Parts<'c> {
    /// Nothing where the operand is not dilated, or dilated in more phases than pay, and for types that no product of vectors takes.
    pub(super) fn new(op: Op<'c>) -> Result<Option<Self>, Located<'c>> {
        let Some(known) = Known::of(op)? else {
            return Ok(None);
        };
        let (conv, shape) = (&known.conv, &known.shape);
        let (dims, window) = (&conv.dims, &conv.window);
        let small = (window.stride.iter())
            .chain(&window.base_dilation)
            .chain(&window.window_dilation)
            .all(|n| (1..LARGEST).contains(n))
            && window.padding.iter().all(|(low, _)| low.abs() < LARGEST)
            && (known.operand.iter())
                .chain(&known.kernel)
                .chain(shape)
                .all(|n| (1..LARGEST).contains(n));
        if !small || conv.batch_groups != 1 || window.base_dilation.iter().all(|n| *n == 1) {
            return Ok(None);
        }
        let of = |shape: &[i64], d: i64| shape.get(usize::try_from(d).ok()?).copied();
        let mut lines = Vec::new();
        let mut phase_shape = shape.clone();
        for i in 0..window.size.len() {
            let (from, to) = (dims.input_spatial[i], dims.output_spatial[i]);
            let (Some(operand), Some(places)) = (of(&known.operand, from), of(shape, to)) else {
                return Ok(None);
            };
            let line = Line::new(window, i, operand, places);
            // The verifier saw that it is a dimension.
            phase_shape[to as usize] = line.places();
            lines.push(line);
        }
        let phases = (lines.iter()).try_fold(1i64, |all, line| all.checked_mul(line.phases()));
        if phases.is_none_or(|n| n > MOST) {
            return Ok(None);
        }
        Ok(Some(Self {
            op,
            lines,
            phase_shape,
            known,
        }))
    }

    /// The new result and the convolutions that it is made of.
    pub(super) fn rewrite(
        &self,
        make: &Make<'c>,
    ) -> Result<(Vec<Val<'c>>, Vec<Op<'c>>), Located<'c>> {
        let numbers = self.numbers();
        let mut convolutions = Vec::new();
        let mut values = Vec::new();
        for at in &numbers {
            let phases = self.lines.iter().zip(at);
            let phases: Option<Vec<Phase>> = phases.map(|(line, c)| line.phase(*c)).collect();
            values.push(match phases {
                Some(phases) => {
                    let made = self.convolution(make, &phases);
                    convolutions.push(made);
                    made.result(0)
                }
                None => {
                    let zero = make.zero(&self.known.result.element);
                    make.broadcast(zero, &self.of_shape(&self.phase_shape), &[])
                }
            });
        }
        let value = self.by_turns(make, values, &numbers)?;
        Ok((vec![value], convolutions))
    }

    /// The result's type with another shape.
    fn of_shape(&self, shape: &[i64]) -> TensorType {
        TensorType::new(self.known.result.element.clone(), shape)
    }

    /// The numbers of all phases, those of the last dimension fastest.
    fn numbers(&self) -> Vec<Vec<i64>> {
        let mut all = vec![Vec::new()];
        for line in &self.lines {
            all = all
                .into_iter()
                .flat_map(|at: Vec<i64>| (0..line.phases()).map(move |c| [&at[..], &[c]].concat()))
                .collect();
        }
        all
    }

    /// The convolution with the elements of the window that count.
    fn convolution(&self, make: &Make<'c>, phases: &[Phase]) -> Op<'c> {
        let window = &self.known.conv.window;
        let mut starts = vec![0; self.known.kernel.len()];
        let mut ends = self.known.kernel.clone();
        let mut steps = vec![1; starts.len()];
        for (i, phase) in phases.iter().enumerate() {
            let d = self.known.conv.dims.kernel_spatial[i] as usize;
            let span = (phase.count - 1) * phase.step + 1;
            starts[d] = match window.reversal[i] {
                true => window.size[i] - phase.first - span,
                false => phase.first,
            };
            ends[d] = starts[d] + span;
            steps[d] = phase.step;
        }
        let lists = [&starts[..], &ends, &steps];
        let kernel = match starts.iter().all(|n| *n == 0) && ends == self.known.kernel {
            true if steps.iter().all(|n| *n == 1) => self.op.operand(1),
            _ => make.slice(self.op.operand(1), lists, &self.known.kernel_type.element),
        };
        let list = |of: &dyn Fn(usize) -> i64| {
            let numbers: Vec<String> = (0..phases.len()).map(|i| of(i).to_string()).collect();
            make.attribute(&format!("array<i64: {}>", numbers.join(", ")))
        };
        let padding: Vec<String> = phases
            .iter()
            .map(|phase| format!("[{}, {}]", phase.padding.0, phase.padding.1))
            .collect();
        let padding = format!(
            "dense<[{}]> : tensor<{}x2xi64>",
            padding.join(", "),
            phases.len()
        );
        let mut attributes = vec![
            ("window_strides", list(&|i| self.lines[i].phase_stride())),
            ("padding", make.attribute(&padding)),
            ("rhs_dilation", list(&|i| phases[i].window_dilation)),
            ("batch_group_count", make.attribute("1 : i64")),
        ];
        for name in KEPT {
            attributes.extend(self.op.attribute(name).map(|value| (*name, value)));
        }
        make.several(
            self.op.name(),
            &[self.op.operand(0), kernel],
            &[self.of_shape(&self.phase_shape)],
            &attributes,
        )
    }

    /// The result of its phases.
    fn by_turns(
        &self,
        make: &Make<'c>,
        mut values: Vec<Val<'c>>,
        numbers: &[Vec<i64>],
    ) -> Result<Val<'c>, Located<'c>> {
        let spatial = &self.known.conv.dims.output_spatial;
        // Each dimension with phases has one for their number behind it.
        let mut shape = Vec::new();
        let mut turns = vec![None; self.lines.len()];
        let mut feature = 0;
        for (d, n) in self.phase_shape.iter().enumerate() {
            if d as i64 == self.known.conv.dims.output_feature {
                feature = shape.len() as i64;
            }
            shape.push(*n);
            let line = spatial.iter().position(|s| *s == d as i64);
            if let Some(i) = line.filter(|i| self.lines[*i].phases() > 1) {
                turns[i] = Some(shape.len());
                shape.push(1);
            }
        }
        let single = self.of_shape(&shape);
        for value in &mut values {
            *value = make.reshape(*value, &single);
        }
        for (line, turn) in self.lines.iter().zip(&turns).rev() {
            let Some(turn) = turn else { continue };
            shape[*turn] = line.phases();
            let axis = make.attribute(&format!("{turn} : i64"));
            let to = self.of_shape(&shape);
            values = values
                .chunks(line.phases() as usize)
                .map(|few| {
                    make.operation("stablehlo.concatenate", few, &to, &[("dimension", axis)])
                })
                .collect();
        }
        let mut value = values[0];
        if let Some(left_out) = self.left_out(make, numbers)? {
            let mut to: Vec<i64> = turns.iter().flatten().map(|turn| *turn as i64).collect();
            // Operands of broadcasts have their dimensions in any order.
            to.push(feature);
            let spread = make.broadcast(left_out, &self.of_shape(&shape), &to);
            value = make.binary("add", value, spread);
        }
        let mut whole = self.phase_shape.clone();
        for (line, d) in self.lines.iter().zip(spatial) {
            whole[*d as usize] *= line.phases();
        }
        let value = make.reshape(value, &self.of_shape(&whole));
        let wanted = &self.known.shape;
        if *wanted == whole {
            return Ok(value);
        }
        let (starts, steps) = (vec![0; whole.len()], vec![1; whole.len()]);
        Ok(make.slice(value, [&starts, wanted, &steps], &self.known.result.element))
    }

    /// Zero times the elements of the window that each phase leaves out, added up: `[phases of each dimension that has several…, feature]`.
    /// Nothing for integers, and where nothing is left out.
    fn left_out(
        &self,
        make: &Make<'c>,
        numbers: &[Vec<i64>],
    ) -> Result<Option<Val<'c>>, Located<'c>> {
        if !matches!(self.known.sum, ElementType::Float(_)) {
            return Ok(None);
        }
        let window = &self.known.conv.window;
        let elements: i64 = window.size.iter().product();
        let mut mask = Vec::new();
        for at in numbers {
            for element in 0..elements {
                mask.push(!self.counts(at, element));
            }
        }
        if !mask.contains(&true) {
            return Ok(None);
        }
        let dims = &self.known.conv.dims;
        let op = self.op;
        // Zero times the kernel, `[window…, feature]`: added up as it is in memory.
        let kernel = make.convert(op, self.op.operand(1), &self.known.sum)?;
        let nothing = make.binary("multiply", kernel, make.splat(op, 0.0, kernel)?);
        let nothing = make.sum(op, nothing, &[dims.kernel_input_feature])?;
        let order = dims
            .kernel_spatial
            .iter()
            .chain([&dims.kernel_output_feature]);
        let order: Vec<usize> = order
            .map(|d| if *d > dims.kernel_input_feature { d - 1 } else { *d } as usize)
            .collect();
        let nothing = make.transpose(op, nothing, &order)?;
        let n = window.size.len();
        // Of those that are left out, for each phase.
        let mut shape: Vec<i64> = (self.lines.iter().map(Line::phases))
            .filter(|phases| *phases > 1)
            .collect();
        let turns = shape.len();
        shape.extend(&window.size);
        let bits: Vec<&str> = mask
            .iter()
            .map(|out| if *out { "1" } else { "0" })
            .collect();
        let flat = TensorType::new(ElementType::Bool, &[bits.len() as i64]);
        let text = format!("dense<[{}]> : {flat}", bits.join(", "));
        let mask = make.attribute(&text);
        let mask = make.operation("stablehlo.constant", &[], &flat, &[("value", mask)]);
        let mask = make.reshape(mask, &TensorType::new(ElementType::Bool, &shape));
        let features = self.known.kernel[dims.kernel_output_feature as usize];
        shape.push(features);
        let all: Vec<i64> = (0..shape.len() as i64).collect();
        let whole = TensorType::new(self.known.sum.clone(), &shape);
        let chosen = TensorType::new(ElementType::Bool, &shape);
        let chosen = make.broadcast(mask, &chosen, &all[..all.len() - 1]);
        let nothing = make.broadcast(nothing, &whole, &all[turns..]);
        let zero = make.broadcast(make.zero(&self.known.sum), &whole, &[]);
        let terms = make.operation("stablehlo.select", &[chosen, nothing, zero], &whole, &[]);
        let sum = make.sum(op, terms, &all[turns..turns + n])?;
        Ok(Some(make.convert(op, sum, &self.known.result.element)?))
    }

    /// Does an element of the kernel, by its number in the window, meet elements of the operand in the phase `at`?
    fn counts(&self, at: &[i64], element: i64) -> bool {
        let mut rest = element;
        let digits = self.lines.iter().enumerate().rev().map(|(i, line)| {
            let digit = rest % line.window;
            rest /= line.window;
            let k = match self.known.conv.window.reversal[i] {
                true => line.window - 1 - digit,
                false => digit,
            };
            (line.phase(at[i]), k)
        });
        digits.into_iter().all(|(phase, k)| {
            phase.is_some_and(|phase| k >= phase.first && (k - phase.first) % phase.step == 0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Line;

    /// What each phase reads, against the definition: for every place of the result the pairs of an element of the window and one of the operand.
    #[test]
    fn phases_read_what_the_specification_reads() {
        let mut seen = 0;
        for number in 0..20_000u64 {
            let mut rest = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 8;
            let mut below = |n: u64| {
                let value = rest % n;
                rest /= n;
                value as i64
            };
            let mut line = Line {
                operand: 1 + below(6),
                window: 1 + below(5),
                result: 0,
                stride: 1 + below(6),
                dilation: 1 + below(6),
                window_dilation: 1 + below(6),
                low: below(12) - 4,
            };
            let high = below(12) - 4;
            let padded = (line.operand - 1) * line.dilation + 1 + line.low + high;
            let covered = (line.window - 1) * line.window_dilation + 1;
            if padded < covered {
                continue;
            }
            line.result = (padded - covered) / line.stride + 1;
            seen += 1;
            for o in 0..line.result {
                let mut wanted = Vec::new();
                for k in 0..line.window {
                    let at = o * line.stride + k * line.window_dilation - line.low;
                    let element = at.div_euclid(line.dilation);
                    if at.rem_euclid(line.dilation) == 0 && (0..line.operand).contains(&element) {
                        wanted.push((k, element));
                    }
                }
                let (j, c) = (o / line.phases(), o % line.phases());
                let mut found = Vec::new();
                if let Some(phase) = line.phase(c) {
                    let padded = line.operand + phase.padding.0 + phase.padding.1;
                    let covered = (phase.count - 1) * phase.window_dilation + 1;
                    let places = (padded - covered) / line.phase_stride() + 1;
                    assert_eq!(places, line.places(), "{line:?}");
                    for t in 0..phase.count {
                        let at = j * line.phase_stride() + t * phase.window_dilation;
                        let element = at - phase.padding.0;
                        if (0..line.operand).contains(&element) {
                            found.push((phase.first + t * phase.step, element));
                        }
                    }
                }
                assert_eq!(found, wanted, "{line:?} at {o}");
            }
        }
        assert!(seen > 5_000, "{seen}");
    }
}
