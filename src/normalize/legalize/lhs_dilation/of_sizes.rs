//! Convolutions of dilated operands whose sizes are known at run time only.
//!
//! With a stride of one there are as many phases as the dilation `d` says, and `d n + c` places over `n` elements, for a number `c` that does not depend on
//! `n`: each phase has `n + ceil(c / d)` of them, so that the padding of a phase is known, as its window is. They are what they are for any other `n`. Where
//! there are no elements there are other places: somebody has to have asserted that there are some.

use super::{HloBuilder, Known, Line, Parts, Phase};
use crate::make::tensor;
use crate::sizes::least_sizes;
use mapwright_mlir::{Dim, ElementType, Op, TensorType, Val};

/// What stands for a spatial size that is known at run time only: more elements than windows have that phases are made of.
const ANY: i64 = 1 << 12;

/// A size of the result of a reshape: one that is known, or `times` that of dimension `of` of what has the elements.
#[derive(Clone, Copy)]
enum Size {
    Known(i64),
    Times { of: usize, times: i64 },
}

impl Known {
    /// With numbers in the place of sizes that are known at run time only, and which dimensions of the result these are. Nothing where the phases
    /// would depend on them.
    pub(super) fn of_sizes<'c>(op: Op<'c>) -> Option<(Self, Vec<bool>)> {
        let (own, result) = (tensor(op.operand(0))?, tensor(op.result(0))?);
        let (mut known, dims) = Self::of_kernel(op)?;
        let spatial = |d: usize| dims.input_spatial.contains(&(d as i64));
        let size = |(d, dim): (usize, &Dim)| match dim.fixed() {
            Some(n) => n,
            None if spatial(d) => ANY,
            None => 1,
        };
        known.operand = own.dims.iter().enumerate().map(size).collect();
        let mut unknown = vec![false; result.rank()];
        known.shape = vec![1; result.rank()];
        let at = |list: &[i64], d: i64| list.get(usize::try_from(d).ok()?).copied();
        let mut put = |d: i64, from: Option<i64>, n: Option<i64>| -> Option<()> {
            let place = usize::try_from(d).ok()?;
            *known.shape.get_mut(place)? = n?;
            let is_unknown = |ty: &TensorType, d: usize| Some(ty.dims.get(d)?.fixed().is_none());
            let unknown_there = match from {
                Some(from) => is_unknown(&own, usize::try_from(from).ok()?)?,
                None => false,
            };
            unknown[place] = is_unknown(&result, place)?;
            let fits = unknown[place] || result.dims[place].fixed() == n;
            (unknown[place] == unknown_there && fits).then_some(())
        };
        let window = &known.conv.window;
        let features = at(&known.kernel, dims.kernel_output_feature);
        put(dims.output_feature, None, features)?;
        let batch = at(&known.operand, dims.input_batch);
        put(dims.output_batch, Some(dims.input_batch), batch)?;
        let least = least_sizes(op, 0);
        for (i, (from, to)) in dims
            .input_spatial
            .iter()
            .zip(&dims.output_spatial)
            .enumerate()
        {
            let places = window.output_size(i, at(&known.operand, *from)?);
            put(*to, Some(*from), Some(places))?;
            let d = usize::try_from(*from).unwrap_or(0);
            if own.dims.get(d).is_none_or(|dim| dim.fixed().is_some()) {
                continue;
            }
            let dilation = window.base_dilation[i];
            // As many places as there are for one element.
            let one = window.output_size(i, 1);
            let steady = places == (ANY - 1) * dilation + one;
            let some = least.get(d).is_some_and(|n| *n >= 1);
            if window.stride[i] != 1 || one < 1 || !steady || !some {
                return None;
            }
        }
        Some((known, unknown))
    }
}

impl<'c> Parts<'c> {
    /// The new result and the convolutions that it is made of.
    pub(super) fn rewrite_of_sizes(&self, make: &HloBuilder<'c>) -> (Vec<Val<'c>>, Vec<Op<'c>>) {
        let mut phases: Vec<Option<Op<'c>>> = Vec::new();
        for groups in self.combinations() {
            let of: Option<Vec<Phase>> = groups.iter().map(|group| group.phase).collect();
            let made = of.map(|of| self.convolution(make, &of, self.part_of_kernel(make, &of), 1));
            phases.push(made);
        }
        let convolutions: Vec<Op<'c>> = phases.iter().flatten().copied().collect();
        // Sizes are asked of one of them, which is in memory.
        let Some(like) = convolutions.first().map(|made| made.result(0)) else {
            return (self.op.results(), Vec::new());
        };
        // Each dimension with phases has one for their number behind it.
        let mut shape = Vec::new();
        let mut turns = Vec::new();
        let (mut feature, spatial) = (0, &self.known.conv.dims.output_spatial);
        for (d, n) in self.phase_shape.iter().enumerate() {
            if d as i64 == self.known.conv.dims.output_feature {
                feature = shape.len() as i64;
            }
            shape.push(match self.unknown[d] {
                true => Size::Times { of: d, times: 1 },
                false => Size::Known(*n),
            });
            let line = spatial.iter().position(|s| *s == d as i64);
            if let Some(i) = line.filter(|i| self.lines[*i].phases() > 1) {
                turns.push((i, shape.len()));
                shape.push(Size::Known(1));
            }
        }
        let element = &self.known.result.element;
        let mut values = Vec::new();
        for phase in &phases {
            let sizes = self.list(make, like, shape.iter().map(|size| (*size, 0)));
            let (name, x, attributes) = match phase {
                Some(phase) => ("stablehlo.dynamic_reshape", phase.result(0), Vec::new()),
                None => {
                    let none = ("broadcast_dimensions", make.i64_array(&[]));
                    let name = "stablehlo.dynamic_broadcast_in_dim";
                    (name, make.zero(element), vec![none])
                }
            };
            values.push(make.operation(name, &[x, sizes], &of(element, &shape), &attributes));
        }
        turns.sort_unstable();
        for (i, at) in turns.iter().rev() {
            let count = self.lines[*i].phases();
            shape[*at] = Size::Known(count);
            values = values
                .chunks(count as usize)
                .map(|few| make.concatenate(few, *at))
                .collect();
        }
        let mut value = values.swap_remove(0);
        if let Some(left_out) = self.left_out(make, &self.numbers()) {
            let mut to: Vec<i64> = turns.iter().map(|(_, at)| *at as i64).collect();
            // Operands of broadcasts have their dimensions in any order.
            to.push(feature);
            let sizes = self.list(make, like, shape.iter().map(|size| (*size, 0)));
            let dims = [("broadcast_dimensions", make.i64_array(&to))];
            let name = "stablehlo.dynamic_broadcast_in_dim";
            let spread = make.operation(name, &[left_out, sizes], &of(element, &shape), &dims);
            value = make.binary("add", value, spread);
        }
        let whole: Vec<Size> = (0..self.phase_shape.len())
            .map(|d| {
                let line = spatial.iter().position(|s| *s == d as i64);
                let times = line.map_or(1, |i| self.lines[i].phases());
                match self.unknown[d] {
                    true => Size::Times { of: d, times },
                    false => Size::Known(self.phase_shape[d] * times),
                }
            })
            .collect();
        let sizes = self.list(make, like, whole.iter().map(|size| (*size, 0)));
        let name = "stablehlo.dynamic_reshape";
        value = make.operation(name, &[value, sizes], &of(element, &whole), &[]);
        (vec![self.places(make, value, &whole, like)], convolutions)
    }

    /// The places that the result has: a phase may have one more.
    fn places(&self, make: &HloBuilder<'c>, x: Val<'c>, whole: &[Size], like: Val<'c>) -> Val<'c> {
        let spatial = &self.known.conv.dims.output_spatial;
        let more = |d: usize| {
            let line = spatial.iter().position(|s| *s == d as i64);
            line.map_or(0, |i| {
                let line: &Line = &self.lines[i];
                line.places() * line.phases() - line.result
            })
        };
        let rank = whole.len();
        if (0..rank).all(|d| more(d) == 0) {
            return x;
        }
        let ends = whole.iter().enumerate().map(|(d, size)| (*size, -more(d)));
        let known = |n: i64| (0..rank).map(move |_| (Size::Known(n), 0));
        let operands = [
            x,
            self.list(make, like, known(0)),
            self.list(make, like, ends),
            self.list(make, like, known(1)),
        ];
        let to = &self.known.result;
        make.operation("stablehlo.real_dynamic_slice", &operands, to, &[])
    }

    /// A vector of sizes, of `like` where they are known at run time only, to each of which a number is added.
    fn list(
        &self,
        make: &HloBuilder<'c>,
        like: Val<'c>,
        sizes: impl Iterator<Item = (Size, i64)>,
    ) -> Val<'c> {
        let one = TensorType::new(ElementType::int(32), &[1]);
        let number = |n: i64| make.constant(&n.to_string(), &one);
        let parts: Vec<Val<'c>> = sizes
            .map(|(size, more)| match size {
                Size::Known(n) => number(n + more),
                Size::Times { of, times } => {
                    let mut size = make.reshape(make.size(like, of), &one);
                    if times != 1 {
                        size = make.binary("multiply", size, number(times));
                    }
                    match more {
                        0 => size,
                        more => make.binary("add", size, number(more)),
                    }
                }
            })
            .collect();
        make.concatenate(&parts, 0)
    }
}

/// The type of a tensor of such sizes.
fn of(element: &ElementType, sizes: &[Size]) -> TensorType {
    let dims = sizes.iter().map(|size| match size {
        Size::Known(n) => Dim::Static(*n),
        Size::Times { .. } => Dim::Dynamic,
    });
    TensorType {
        element: element.clone(),
        dims: dims.collect(),
    }
}
