//! Convolutions of a dilated operand (transposed ones, the gradients of those with strides): no
//! products with the zeros between its elements.
//!
//! In one dimension, with stride `s`, the operand dilated by `d`, the window by `r`, and `p` of
//! padding before, element `k` of the window at place `o` is element `(o s + k r - p) / d` of the
//! operand, and a zero where `d` does not divide that. With `o = P j + c` and `P = d / gcd(s, d)`,
//! `d` divides `P s`, so that for a phase `c` the same elements of the window count at every `j`:
//! every `d / gcd(r, d)`-th, from some `k0` on, or none. That is a convolution of stride `P s / d`
//! and padding `-(c s + k0 r - p) / d`, whose window is dilated by `r / gcd(r, d)`, over the
//! operand as it is; and the result is the phases by turns.
//!
//! The specification multiplies the zeros, too, and zero times infinity is NaN: of the elements of
//! the window that a phase leaves out, zero times each is added to it.

mod merged_phases;
mod nan_correction;
mod phased_dim;
mod sizes;

use super::convolution::Known;
use crate::{
    make::HloBuilder,
    tarray::{
        make::Make,
        sizes::{extents, vary},
    },
};
use mapwright_indexing::Extent;
use mapwright_mlir::{Dim, Op, TensorType, Val};
use phased_dim::{Group, Phase, PhasedDim};

/// Convolutions at most: each is a region of its own.
const MOST: i64 = 16;
/// Phases at most, where several are one convolution, and with the elements of the window.
const MOST_PHASES: i64 = 1 << 12;
const MOST_ELEMENTS: i64 = 1 << 20;
/// Strides, dilations and padding below it do not leave 64 bits when they are multiplied.
const LARGEST: i64 = 1 << 24;

/// Attributes that phases have from the convolution.
const KEPT: &[&str] = &[
    "dimension_numbers",
    "window_reversal",
    "feature_group_count",
    "precision_config",
];

/// A convolution that can be taken apart.
pub(super) struct Parts<'c> {
    op: Op<'c>,
    known: Known,
    phased_dims: Vec<PhasedDim>,
    /// The groups of the phases of each dimension.
    groups: Vec<Vec<Group>>,
    /// Of a phase: the result with fewer places.
    phase_shape: Vec<Extent>,
}

impl<'c> Parts<'c> {
    /// Takes a convolution apart; `None` where the operand is not dilated, or dilated in more
    /// phases than pay, and for types that no product of vectors takes.
    pub(super) fn new(op: Op<'c>) -> Option<Self> {
        let known = Known::from_op(op)?;
        let (dims, window) = (&known.conv.dims, &known.conv.window);
        let small = (window.stride.iter())
            .chain(&window.base_dilation)
            .chain(&window.window_dilation)
            .all(|n| (1..LARGEST).contains(n))
            && (window.padding.iter()).all(|(low, _)| (1 - LARGEST..LARGEST).contains(low))
            && known.kernel.iter().all(|n| (1..LARGEST).contains(n));
        let is_dilated = window.base_dilation.iter().any(|n| *n != 1);
        if !small || known.conv.batch_groups != 1 || !is_dilated {
            return None;
        }
        let [operand, shape] = sizes::of_convolution(op, &known)?;
        let is_small = |n: &Extent| n.as_constant().is_none_or(|n| (1..LARGEST).contains(&n));
        if !operand.iter().chain(&shape).all(is_small) {
            return None;
        }
        let of = |shape: &[Extent], d: i64| shape.get(usize::try_from(d).ok()?).copied();
        let mut lines = Vec::new();
        let mut phase_shape = shape.clone();
        for i in 0..window.size.len() {
            let (from, to) = (dims.input_spatial[i], dims.output_spatial[i]);
            let line = PhasedDim::new(window, i, of(&operand, from)?, of(&shape, to)?)?;
            // The verifier saw that it is a dimension.
            phase_shape[to as usize] = line.places;
            lines.push(line);
        }
        let phases = (lines.iter()).try_fold(1i64, |all, line| all.checked_mul(line.phases()));
        let elements: i64 = window.size.iter().product();
        let phases = phases.filter(|n| {
            *n <= MOST || *n <= MOST_PHASES && n.saturating_mul(elements) <= MOST_ELEMENTS
        })?;
        let joins = phases > MOST;
        if joins && vary(&phase_shape) {
            return None;
        }
        let groups: Vec<Vec<Group>> = lines.iter().map(|line| line.groups(joins)).collect();
        if groups
            .iter()
            .map(|groups| groups.len() as i64)
            .product::<i64>()
            > MOST
        {
            return None;
        }
        Some(Self {
            op,
            phased_dims: lines,
            groups,
            phase_shape,
            known,
        })
    }

    /// The new result and the convolutions that it is made of.
    pub(super) fn rewrite(&self, m: &Make<'c>) -> (Vec<Val<'c>>, Vec<Op<'c>>) {
        let make = &m.b;
        let made: Vec<(Option<Op<'c>>, Vec<i64>)> = (self.combinations().into_iter())
            .map(|groups| {
                let phases: Option<Vec<Phase>> = groups.iter().map(|group| group.phase).collect();
                let counts: Vec<i64> = groups.iter().map(|g| g.firsts.len() as i64).collect();
                let several = counts.iter().any(|n| *n > 1);
                let made = phases.map(|phases| {
                    if several {
                        self.merged_phases(make, &groups, &phases)
                    } else {
                        let kernel = self.part_of_kernel(make, &phases);
                        self.convolution(make, &phases, kernel, 1)
                    }
                });
                (made, counts)
            })
            .collect();
        let convolutions: Vec<Op<'c>> = made.iter().filter_map(|(made, _)| *made).collect();
        // Run-time sizes are asked of one of them, which is in memory; one of several phases has
        // all sizes known.
        let like = convolutions.first().map(|made| made.result(0));
        let shape = match (like, vary(&self.phase_shape)) {
            (Some(like), true) => m.type_of(like).1,
            (None, true) => return (self.op.results(), Vec::new()),
            (_, false) => self.phase_shape.clone(),
        };
        let values = (made.into_iter())
            .map(|(made, counts)| match made {
                Some(made) => self.turned(m, made.result(0), &shape, &counts),
                None => {
                    let element = &self.known.result.element;
                    m.zeros(element, &self.shape_of_turns(&shape, &counts))
                }
            })
            .collect();
        (vec![self.by_turns(m, values, &shape)], convolutions)
    }

    /// The groups of all dimensions in every combination, those of the last dimension fastest.
    fn combinations(&self) -> Vec<Vec<&Group>> {
        let mut all: Vec<Vec<&Group>> = vec![Vec::new()];
        for groups in &self.groups {
            all = all
                .into_iter()
                .flat_map(|at| groups.iter().map(move |group| [&at[..], &[group]].concat()))
                .collect();
        }
        all
    }

    /// The shape of what `counts` phases of each dimension make, of which one has the shape
    /// `phase`: behind each dimension with phases there is one for their number.
    fn shape_of_turns(&self, phase: &[Extent], counts: &[i64]) -> Vec<Extent> {
        let mut shape = Vec::new();
        for (d, n) in phase.iter().enumerate() {
            shape.push(*n);
            shape.extend(self.line_of(d).map(|i| Extent::from(counts[i])));
        }
        shape
    }

    /// The number of the line along dimension `d` of the result, if it has several phases.
    fn line_of(&self, d: usize) -> Option<usize> {
        let spatial = &self.known.conv.dims.output_spatial;
        let line = spatial.iter().position(|s| *s == d as i64);
        line.filter(|i| self.phased_dims[*i].phases() > 1)
    }

    /// The result of a convolution of `counts` phases in that shape.
    fn turned(&self, m: &Make<'c>, value: Val<'c>, phase: &[Extent], counts: &[i64]) -> Val<'c> {
        let shape = self.shape_of_turns(phase, counts);
        if counts.iter().all(|n| *n == 1) {
            return m.reshape(value, &shape);
        }
        let feature = self.known.conv.dims.output_feature as usize;
        let groups = self.known.conv.feature_groups;
        // Features are groups, phases, features of a group.
        let mut apart = phase.to_vec();
        let few = apart[feature].floor_div(groups.into());
        let inner = [&[groups.into()], &extents(counts)[..], &[few]].concat();
        apart.splice(feature..=feature, inner);
        let value = m.reshape(value, &apart);
        let at = |d: usize| if d > feature { d + counts.len() + 1 } else { d };
        let mut order = Vec::new();
        for d in 0..phase.len() {
            if d == feature {
                order.extend([feature, feature + counts.len() + 1]);
                continue;
            }
            order.push(at(d));
            order.extend(self.line_of(d).map(|i| feature + 1 + i));
        }
        // Dimensions without phases have one of size 1 each among the features.
        let rest = (0..apart.len()).filter(|d| !order.contains(d));
        let order: Vec<i64> = rest
            .chain(order.iter().copied())
            .map(|d| d as i64)
            .collect();
        m.reshape(m.transpose(value, &order), &shape)
    }

    /// The result's type with another shape, as far as that is known.
    fn of_shape(&self, shape: &[Extent]) -> TensorType {
        let mut ty = TensorType::new(self.known.result.element.clone(), &[]);
        let dim = |n: &Extent| n.as_constant().map_or(Dim::Dynamic, Dim::Static);
        ty.dims = shape.iter().map(dim).collect();
        ty
    }

    /// The numbers of all phases, those of the last dimension fastest.
    fn numbers(&self) -> Vec<Vec<i64>> {
        let mut all = vec![Vec::new()];
        for line in &self.phased_dims {
            all = all
                .into_iter()
                .flat_map(|at: Vec<i64>| (0..line.phases()).map(move |c| [&at[..], &[c]].concat()))
                .collect();
        }
        all
    }

    /// The elements of the window that count.
    fn part_of_kernel(&self, make: &HloBuilder<'c>, phases: &[Phase]) -> Val<'c> {
        let window = &self.known.conv.window;
        let mut starts = vec![0; self.known.kernel.len()];
        let mut ends = self.known.kernel.clone();
        let mut steps = vec![1; starts.len()];
        for (i, phase) in phases.iter().enumerate() {
            let d = self.known.conv.dims.kernel_spatial[i] as usize;
            let span = (phase.count - 1) * phase.step + 1;
            starts[d] = if window.reversal[i] {
                window.size[i] - phase.first - span
            } else {
                phase.first
            };
            ends[d] = starts[d] + span;
            steps[d] = phase.step;
        }
        let lists = [&starts[..], &ends, &steps];
        let is_whole = starts.iter().all(|n| *n == 0) && ends == self.known.kernel;
        if is_whole && steps.iter().all(|n| *n == 1) {
            self.op.operand(1)
        } else {
            make.slice(self.op.operand(1), lists)
        }
    }

    /// The convolution with a kernel of so many times the features.
    fn convolution(
        &self,
        make: &HloBuilder<'c>,
        phases: &[Phase],
        kernel: Val<'c>,
        times: i64,
    ) -> Op<'c> {
        let mut shape = self.phase_shape.clone();
        // The verifier saw that it is a dimension.
        shape[self.known.conv.dims.output_feature as usize] *= times;
        let list = |of: &dyn Fn(usize) -> i64| {
            let numbers: Vec<i64> = (0..phases.len()).map(of).collect();
            make.i64_array(&numbers)
        };
        let padding = make.pairs(phases.iter().map(|phase| phase.padding));
        let mut attributes = vec![
            (
                "window_strides",
                list(&|i| self.phased_dims[i].phase_stride()),
            ),
            ("padding", padding),
            ("rhs_dilation", list(&|i| phases[i].window_dilation)),
            ("batch_group_count", make.parse_attr("1 : i64")),
        ];
        for name in KEPT {
            attributes.extend(self.op.attribute(name).map(|value| (*name, value)));
        }
        make.several(
            self.op.name(),
            &[self.op.operand(0), kernel],
            &[self.of_shape(&shape)],
            &attributes,
        )
    }

    /// The result of its phases, one of which has the shape `phase`.
    fn by_turns(&self, m: &Make<'c>, mut values: Vec<Val<'c>>, phase: &[Extent]) -> Val<'c> {
        // Each dimension with phases has one for their number behind it.
        let mut turns = vec![None; self.phased_dims.len()];
        let (mut feature, mut place) = (0, 0);
        for d in 0..phase.len() {
            if d as i64 == self.known.conv.dims.output_feature {
                feature = place as i64;
            }
            place += 1;
            if let Some(i) = self.line_of(d) {
                turns[i] = Some(place);
                place += 1;
            }
        }
        for (groups, turn) in self.groups.iter().zip(&turns).rev() {
            let Some(turn) = turn else { continue };
            let parts = values.chunks(groups.len());
            values = parts.map(|few| m.concatenate(few, *turn)).collect();
        }
        let mut value = values.swap_remove(0);
        if let Some(nan_correction) = self.nan_correction(&m.b, &self.numbers()) {
            let mut to: Vec<i64> = turns.iter().flatten().map(|turn| *turn as i64).collect();
            // Operands of broadcasts have their dimensions in any order.
            to.push(feature);
            let spread = m.broadcast(nan_correction, &to, &m.type_of(value).1);
            value = m.add(value, spread);
        }
        // A phase may have one place more than the result.
        let (mut whole, mut wanted) = (phase.to_vec(), phase.to_vec());
        for (d, n) in phase.iter().enumerate() {
            let Some(i) = self.line_of(d) else { continue };
            let line = &self.phased_dims[i];
            whole[d] = *n * line.phases();
            wanted[d] = whole[d] - line.behind;
        }
        m.beginning(m.reshape(value, &whole), &wanted)
    }
}
