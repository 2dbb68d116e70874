//! Sizes of the results of operations that are copied as they are.

use super::make::Make;
use super::sizes::extents;
use mapwright_indexing::Extent;
use mapwright_mlir::{ElementType, Op, Steps, TensorType, Val, attr, melior::ir::ValueLike, op};

impl<'c> Make<'c> {
    /// Notes the sizes of results of an operation that is copied as it is, as far as they follow
    /// from its operands; others are asked for.
    pub(super) fn follow(&self, copy: Op<'c>) {
        for result in copy.results() {
            let Some(ty) = TensorType::from_mlir(result.r#type()) else {
                continue;
            };
            self.sizes.of.borrow_mut().remove(&op::key(result));
            if ty.static_shape().is_some() {
                continue;
            }
            if let Some(sizes) = self.followed(copy, ty.rank())
                && sizes.len() == ty.rank()
            {
                let agree = ty.dims.iter().zip(&sizes).all(|(dim, size)| {
                    dim.fixed()
                        .is_none_or(|fixed| *size == fixed || size.is_run_time())
                });
                if agree {
                    let sizes: Vec<Extent> = (ty.dims.iter().zip(&sizes))
                        .map(|(dim, size)| dim.fixed().map_or(*size, Extent::from))
                        .collect();
                    self.sized(result, &sizes);
                }
            }
            // The others are asked for here, before a region that the value is used in.
            self.type_of(result);
        }
    }

    fn followed(&self, copy: Op<'c>, rank: usize) -> Option<Vec<Extent>> {
        use mapwright_ops::{
            attrs::{self, DotDimensions},
            registry::{self, Class},
        };
        let own = |i: usize| self.type_of(copy.operand(i)).1;
        // A size that the type does not know stays one of the run, also where it is a constant.
        let said = |i: usize| -> Option<Vec<Extent>> {
            let sizes = self.sizes_in(copy.operand(i), &Steps::default())?;
            let ty = TensorType::from_mlir(copy.result(0).r#type())?;
            let mut both = ty.dims.iter().zip(&sizes);
            let open = both.all(|(dim, size)| dim.fixed().is_some() || size.is_run_time());
            open.then_some(sizes)
        };
        let class = registry::lookup(copy).map(|def| def.class);
        Some(match copy.short_name() {
            "transpose" => {
                let own = own(0);
                let order = attrs::permutation(copy, own.len()).ok()?;
                order.into_iter().map(|d| own[d]).collect()
            }
            "reduce" => {
                let own = own(0);
                let reduced = attrs::dimensions(copy, own.len()).ok()?;
                let kept = own.iter().enumerate();
                kept.filter(|(d, _)| !reduced.contains(d))
                    .map(|(_, size)| *size)
                    .collect()
            }
            "broadcast_in_dim" => {
                let own = own(0);
                let dims = attrs::broadcast_dimensions(copy, own.len(), rank).ok()?;
                let ty = TensorType::from_mlir(copy.result(0).r#type())?;
                let mut sizes: Vec<Extent> = (ty.dims.iter())
                    .map(|dim| dim.fixed().map_or(Extent::ONE, Extent::from))
                    .collect();
                for (d, size) in dims.into_iter().zip(own) {
                    sizes[d] = size;
                }
                sizes
            }
            "dot_general" => {
                let d = DotDimensions::decode(copy).ok()?;
                let (l, r) = (own(0), own(1));
                let free = |all: &[Extent], x: &[i64], y: &[i64]| -> Vec<Extent> {
                    let kept = all.iter().enumerate();
                    kept.filter(|(d, _)| !x.contains(&(*d as i64)) && !y.contains(&(*d as i64)))
                        .map(|(_, size)| *size)
                        .collect()
                };
                let batch: Vec<Extent> = d.lhs_batching.iter().map(|k| l[*k as usize]).collect();
                [
                    batch,
                    free(&l, &d.lhs_batching, &d.lhs_contracting),
                    free(&r, &d.rhs_batching, &d.rhs_contracting),
                ]
                .concat()
            }
            "dynamic_iota" => said(0)?,
            "dynamic_reshape" | "dynamic_broadcast_in_dim" => said(1)?,
            "rng" => said(2)?,
            _ if class == Some(Class::Elementwise) => {
                let all = (0..copy.num_operands()).map(own);
                let mut all = all.filter(|sizes| sizes.len() == rank);
                let first = all.next()?;
                let mut equal = self.sizes.equal.borrow_mut();
                for other in all {
                    let pairs = first.iter().copied().zip(other);
                    equal.extend(pairs.filter(|(a, b)| a != b));
                }
                first
            }
            _ => return None,
        })
    }

    /// The sizes that a number or a vector of the program is, as far as that is seen from what it
    /// is made of.
    fn sizes_in(&self, value: Val<'c>, steps: &Steps) -> Option<Vec<Extent>> {
        steps.take()?;
        let ty = TensorType::from_mlir(value.r#type())?;
        if ty.rank() == 0
            && let Some(size) = self.size_that_is(value)
        {
            return Some(vec![size]);
        }
        let (made, _) = op::defining_op(value)?;
        if op::is_constant(value) {
            return made
                .attribute("value")
                .and_then(attr::ints)
                .as_deref()
                .map(extents);
        }
        let of = |i: usize| self.sizes_in(made.operand(i), steps);
        // Sums and products of narrower numbers wrap where those of sizes do not.
        let is_wide = ty.element == ElementType::int(64);
        let both = |of_two: &dyn Fn(Extent, Extent) -> Extent| match (&of(0)?[..], &of(1)?[..]) {
            ([a], [b]) if is_wide => Some(vec![of_two(*a, *b)]),
            _ => None,
        };
        match made.short_name() {
            "concatenate" => {
                let parts = (0..made.num_operands()).map(of);
                Some(parts.collect::<Option<Vec<_>>>()?.concat())
            }
            "reshape" | "cast" => of(0),
            "convert" | "index_cast" if is_wide || ty.element == ElementType::int(32) => of(0),
            "get_dimension_size" => {
                let d = usize::try_from(made.int("dimension")?).ok()?;
                let (_, sizes) = self.type_of(made.operand(0));
                Some(vec![*sizes.get(d)?])
            }
            "add" => both(&|a, b| a + b),
            "multiply" => both(&|a, b| a * b),
            _ => None,
        }
    }
}
