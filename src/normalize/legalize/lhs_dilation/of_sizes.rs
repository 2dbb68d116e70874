//! Convolutions of dilated operands whose sizes are known at run time only.
//!
//! With a stride of one there are as many phases as the dilation `d` says, and `d n + c` places over `n` elements, for a number `c` that does not depend on
//! `n`: each phase has `n + ceil(c / d)` of them, so that the padding of a phase is known, as its window is. They are what they are for any other `n`. Where
//! there are no elements there are other places: somebody has to have asserted that there are some.

use super::{HloBuilder, Known, Line, Parts, Phase};
use crate::legalize::make::tensor;
use crate::rewrite::Error;
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
    pub(super) fn of_sizes<'c>(op: Op<'c>) -> Result<Option<(Self, Vec<bool>)>, Error<'c>> {
        let (own, result) = (tensor(op, op.operand(0))?, tensor(op, op.result(0))?);
        let Some((mut known, dims)) = Self::of_kernel(op)? else {
            return Ok(None);
        };
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
        let mut all = put(dims.output_feature, None, features);
        let batch = at(&known.operand, dims.input_batch);
        all = all.and(put(dims.output_batch, Some(dims.input_batch), batch));
        let least = least_sizes(op, 0);
        for (i, (from, to)) in dims
            .input_spatial
            .iter()
            .zip(&dims.output_spatial)
            .enumerate()
        {
            let n = at(&known.operand, *from);
            let places = n.map(|n| window.output_size(i, n));
            all = all.and(put(*to, Some(*from), places));
            let d = usize::try_from(*from).unwrap_or(0);
            if own.dims.get(d).is_none_or(|dim| dim.fixed().is_some()) {
                continue;
            }
            let dilation = window.base_dilation[i];
            // As many places as there are for one element.
            let one = window.output_size(i, 1);
            let steady = places.is_some_and(|n| n == (ANY - 1) * dilation + one);
            let some = least.get(d).is_some_and(|n| *n >= 1);
            if window.stride[i] != 1 || one < 1 || !steady || !some {
                return Ok(None);
            }
        }
        Ok(all.map(|()| (known, unknown)))
    }
}

impl<'c> Parts<'c> {
    /// The new result and the convolutions that it is made of, with the phases among the features first.
    pub(super) fn rewrite_of_sizes(
        &self,
        make: &HloBuilder<'c>,
    ) -> Result<(Vec<Val<'c>>, Vec<Op<'c>>), Error<'c>> {
        let mut convolutions: Vec<Op<'c>> = Vec::new();
        let mut phases: Vec<Option<Op<'c>>> = Vec::new();
        for groups in self.combinations() {
            let of: Option<Vec<Phase>> = groups.iter().map(|group| group.phase).collect();
            let made = of.map(|of| self.convolution(make, &of, self.part_of_kernel(make, &of), 1));
            convolutions.extend(made);
            phases.push(made);
        }
        let dims = &self.known.conv.dims;
        let feature = dims.output_feature as usize;
        let mut values = Vec::new();
        for phase in phases {
            values.push(match (phase, convolutions.first()) {
                (Some(phase), _) => phase.result(0),
                (None, Some(like)) => {
                    let zero = make.zero(&self.known.result.element);
                    make.broadcast_like(self.op, zero, like.result(0), &[])?
                }
                (None, None) => return Ok((self.op.results(), Vec::new())),
            });
        }
        let features = self.phase_shape[feature];
        let mut shape = self.phase_shape.clone();
        shape[feature] = features * values.len() as i64;
        let axis = [("dimension", make.builder().i64_attr(feature as i64))];
        let to = self.of_shape(&shape);
        let mut value = make.operation("stablehlo.concatenate", &values, &to, &axis);
        // The phases of the dimensions that have some, in front of the features.
        let turns: Vec<usize> = (0..self.lines.len())
            .filter(|i| self.lines[*i].phases() > 1)
            .collect();
        let own = |d: usize| match self.unknown[d] {
            true => Size::Times { of: d, times: 1 },
            false => Size::Known(self.phase_shape[d]),
        };
        let mut apart: Vec<Size> = (0..shape.len()).map(own).collect();
        let counts = turns.iter().map(|i| Size::Known(self.lines[*i].phases()));
        apart.splice(feature..feature, counts);
        value = self.reshaped(make, value, &apart)?;
        if let Some(left_out) = self.left_out(make, &self.numbers())? {
            let to: Vec<i64> = (feature..=feature + turns.len())
                .map(|d| d as i64)
                .collect();
            let spread = make.broadcast_like(self.op, left_out, value, &to)?;
            value = make.binary("add", value, spread);
        }
        let place = |d: usize| if d >= feature { d + turns.len() } else { d };
        let turn = |d: usize| {
            let line = dims.output_spatial.iter().position(|s| *s == d as i64);
            line.and_then(|i| turns.iter().position(|t| *t == i))
        };
        let (mut order, mut whole) = (Vec::new(), Vec::new());
        for d in 0..shape.len() {
            let line = turn(d);
            let times = line.map_or(1, |k| self.lines[turns[k]].phases());
            whole.push(match self.unknown[d] {
                true => Size::Times {
                    of: order.len(),
                    times,
                },
                false => Size::Known(self.phase_shape[d] * times),
            });
            order.push(place(d));
            order.extend(line.map(|k| feature + k));
        }
        value = make.transpose(self.op, value, &order)?;
        value = self.reshaped(make, value, &whole)?;
        Ok((vec![self.places(make, value)?], convolutions))
    }

    /// `x` in the shape of these sizes.
    fn reshaped(
        &self,
        make: &HloBuilder<'c>,
        x: Val<'c>,
        sizes: &[Size],
    ) -> Result<Val<'c>, Error<'c>> {
        let dims = sizes.iter().map(|size| match size {
            Size::Known(n) => Dim::Static(*n),
            Size::Times { .. } => Dim::Dynamic,
        });
        let to = TensorType {
            element: tensor(self.op, x)?.element,
            dims: dims.collect(),
        };
        let shape = self.list(make, x, sizes.iter().map(|size| (*size, 0)));
        Ok(make.operation("stablehlo.dynamic_reshape", &[x, shape], &to, &[]))
    }

    /// The places that the result has: a phase may have one more.
    fn places(&self, make: &HloBuilder<'c>, x: Val<'c>) -> Result<Val<'c>, Error<'c>> {
        let more = |d: usize| {
            let line = (self.known.conv.dims.output_spatial.iter()).position(|s| *s == d as i64);
            line.map_or(0, |i: usize| {
                let line: &Line = &self.lines[i];
                line.places() * line.phases() - line.result
            })
        };
        let rank = self.known.shape.len();
        if (0..rank).all(|d| more(d) == 0) {
            return Ok(x);
        }
        let ends = (0..rank).map(|d| match self.unknown[d] {
            true => (Size::Times { of: d, times: 1 }, -more(d)),
            false => (Size::Known(self.known.shape[d]), 0),
        });
        let known = |n: i64| (0..rank).map(move |_| (Size::Known(n), 0));
        let operands = [
            x,
            self.list(make, x, known(0)),
            self.list(make, x, ends),
            self.list(make, x, known(1)),
        ];
        let to = &self.known.result;
        Ok(make.operation("stablehlo.real_dynamic_slice", &operands, to, &[]))
    }

    /// A vector of sizes of `x`, to each of which a number is added.
    fn list(
        &self,
        make: &HloBuilder<'c>,
        x: Val<'c>,
        sizes: impl Iterator<Item = (Size, i64)>,
    ) -> Val<'c> {
        let element = ElementType::int(32);
        let one = TensorType::new(element.clone(), &[1]);
        let number = |n: i64| make.constant(&n.to_string(), &one);
        let parts: Vec<Val<'c>> = sizes
            .map(|(size, more)| match size {
                Size::Known(n) => number(n + more),
                Size::Times { of, times } => {
                    let mut size = make.reshape(make.size(x, of), &one);
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
        let all = TensorType::new(element, &[parts.len() as i64]);
        let axis = [("dimension", make.builder().i64_attr(0))];
        make.operation("stablehlo.concatenate", &parts, &all, &axis)
    }
}
