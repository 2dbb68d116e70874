//! A block of StableHLO for one element becomes operations on all elements at once.
//!
//! Values that depend on the element get dimensions in front; the others stay as they are. An
//! operation without a rule runs in a loop over the elements.
//!
//! Products and operations at computed places are in [`places`].

mod each;
mod places;

use super::{
    make::Make,
    sizes::{ASSERTION, constants, extents, vary},
};
use crate::rewrite::{Result, fail};
use mapwright_indexing::Extent;
use mapwright_mlir::{
    Attr, Blk, ElementType, Op, TensorType, Ty, Val, edit, melior::ir::ValueLike, op,
};
use mapwright_ops::registry::{self, Class};
use std::collections::{HashMap, HashSet};

/// Runs `block` for all elements at once and returns what its end gives; `arguments` have `dims` in
/// front. If there is a `count`, only the first `count` elements need to be right; `at` is the
/// operation that this is done for.
///
/// # Errors
/// Values without a static shape.
pub(super) fn run<'c>(
    m: &Make<'c>,
    at: Op<'c>,
    block: Blk<'c>,
    arguments: &[Val<'c>],
    dims: &[Extent],
    count: Option<Val<'c>>,
) -> Result<'c, Vec<Val<'c>>> {
    let mut batch = Batch {
        m,
        at,
        dims,
        count,
        batched: HashMap::new(),
        plain: HashMap::new(),
    };
    for (argument, value) in op::arguments(block).into_iter().zip(arguments) {
        batch.batched.insert(op::key(argument), *value);
    }
    let all = op::ops(block);
    let Some((end, ops)) = all.split_last() else {
        return fail(at, "has an empty body");
    };
    // Of no elements at all nothing is done, and what there is of them has no parts to look at.
    if dims.contains(&Extent::ZERO) {
        let none = |value| {
            let (element, own) = batch.shape_of(value)?;
            Ok(m.zeros(&element, &[dims, &own].concat()))
        };
        return end.operands().into_iter().map(none).collect();
    }
    let live = live(*end, ops);
    for op in ops {
        if live.contains(&(op.to_raw().ptr as usize)) {
            m.b.set_location(op.location());
            batch.op(*op)?;
        }
    }
    end.operands()
        .into_iter()
        .map(|value| batch.lifted(value))
        .collect()
}

/// The operations whose results are needed, or that do something besides.
fn live<'c>(end: Op<'c>, ops: &[Op<'c>]) -> HashSet<usize> {
    let mut needed: HashSet<usize> = end.operands().into_iter().map(op::key).collect();
    let mut live = HashSet::new();
    for op in ops.iter().rev() {
        let used = op
            .results()
            .iter()
            .any(|result| needed.contains(&op::key(*result)));
        if used || !registry::is_function(*op) {
            live.insert(op.to_raw().ptr as usize);
            for inner in op.descendants().iter().chain([op]) {
                needed.extend(inner.operands().into_iter().map(op::key));
            }
        }
    }
    live
}

struct Batch<'m, 'c> {
    m: &'m Make<'c>,
    at: Op<'c>,
    dims: &'m [Extent],
    count: Option<Val<'c>>,
    /// Values that depend on the element, with the dimensions in front.
    batched: HashMap<usize, Val<'c>>,
    /// Values that do not.
    plain: HashMap<usize, Val<'c>>,
}

impl<'c> Batch<'_, 'c> {
    fn n(&self) -> i64 {
        self.dims.len() as i64
    }

    /// Element type and sizes of a value of the block.
    fn shape_of(&self, value: Val<'c>) -> Result<'c, (ElementType, Vec<Extent>)> {
        match TensorType::from_mlir(value.r#type()) {
            Some(_) => Ok(self.m.type_of(value)),
            None => fail(
                self.at,
                format!(
                    "has a value in its body that is no Tensor, {}",
                    value.r#type()
                ),
            ),
        }
    }

    fn is_batched(&self, value: Val<'c>) -> bool {
        self.batched.contains_key(&op::key(value))
    }

    /// A value that does not depend on the element.
    fn plain(&self, value: Val<'c>) -> Val<'c> {
        self.plain.get(&op::key(value)).copied().unwrap_or(value)
    }

    /// The operands of a reduction for all elements: inputs, then initial values. `None` if an
    /// initial value depends on the element.
    fn of_reduction(&self, op: Op<'c>) -> Result<'c, Option<Vec<Val<'c>>>> {
        let mut inputs = op.operands();
        let inits = inputs.split_off(op.num_operands() / 2);
        if inits.iter().any(|value| self.is_batched(*value)) {
            return Ok(None);
        }
        let inputs = inputs.into_iter().map(|value| self.lifted(value));
        let mut operands = inputs.collect::<Result<'c, Vec<_>>>()?;
        operands.extend(inits.into_iter().map(|value| self.plain(value)));
        Ok(Some(operands))
    }

    /// The value for all elements, repeated where it does not depend on them.
    fn lifted(&self, value: Val<'c>) -> Result<'c, Val<'c>> {
        if let Some(found) = self.batched.get(&op::key(value)) {
            return Ok(*found);
        }
        let (_, shape) = self.shape_of(value)?;
        let dims: Vec<i64> = (0..shape.len() as i64).map(|d| d + self.n()).collect();
        let all = [self.dims, &shape].concat();
        Ok(self.m.broadcast(self.plain(value), &dims, &all))
    }

    /// The value as it is: with the dimensions in front if it depends on the element.
    fn own(&self, value: Val<'c>) -> Val<'c> {
        let found = self.batched.get(&op::key(value)).copied();
        found.unwrap_or_else(|| self.plain(value))
    }

    fn op(&mut self, op: Op<'c>) -> Result<'c> {
        let inner = op.descendants();
        let mut used = inner.iter().chain([&op]).flat_map(|op| op.operands());
        // What is no function of its operands is done for each element, whatever it reads.
        if !used.any(|value| self.is_batched(value)) && registry::is_function(op) {
            let mut map = HashMap::new();
            for op in inner.iter().chain([&op]) {
                for value in op.operands() {
                    map.insert(op::key(value), self.plain(value));
                }
            }
            // Values that the operation itself defines are not in the map.
            map.retain(|key, value| *key != op::key(*value));
            let copy = edit::clone(op, &map);
            edit::append(self.m.b.block(), copy);
            for (old, new) in op.results().into_iter().zip(copy.results()) {
                self.m.sized(new, &self.m.type_of(old).1);
                self.plain.insert(op::key(old), new);
            }
            return Ok(());
        }
        if op.string("call_target_name").as_deref() == Some(ASSERTION)
            && !op.operands().iter().any(|value| self.is_batched(*value))
        {
            self.asserted(op);
            return Ok(());
        }
        let captures = inner
            .iter()
            .flat_map(|op| op.operands())
            .any(|value| self.is_batched(value));
        let by_rule = if captures { None } else { self.by_rule(op)? };
        let results = match by_rule {
            Some(results) => results,
            None => self.one_by_one(op)?,
        };
        for (old, new) in op.results().into_iter().zip(results) {
            self.batched.insert(op::key(old), new);
        }
        Ok(())
    }

    /// A condition that is the same for all elements holds if there are any.
    fn asserted(&self, op: Op<'c>) {
        let m = self.m;
        let count = match (self.count, self.dims.len()) {
            (Some(count), 1) => count,
            _ => m.scalar(self.dims.iter().product()),
        };
        let none = m.compare("EQ", count, m.int(0));
        let holds = m.same("or", &[self.plain(op.operand(0)), none]);
        let mut map: HashMap<usize, Val<'c>> = (op.operands().into_iter())
            .map(|value| (op::key(value), self.plain(value)))
            .collect();
        map.insert(op::key(op.operand(0)), holds);
        edit::append(m.b.block(), edit::clone(op, &map));
    }

    /// The type of result `i` for all elements, and its sizes.
    fn result_type(&self, op: Op<'c>, i: usize) -> Result<'c, (Ty<'c>, Vec<Extent>)> {
        let (element, own) = self.shape_of(op.result(i))?;
        let sizes = [self.dims, &own].concat();
        Ok((self.m.ty(&element, &sizes), sizes))
    }

    /// The operation with other operands, other values for some attributes, and the dimensions in
    /// front of its results.
    fn again(
        &self,
        op: Op<'c>,
        operands: &[Val<'c>],
        others: &[(&str, Attr<'c>)],
    ) -> Result<'c, Vec<Val<'c>>> {
        let (types, sizes): (Vec<Ty<'c>>, Vec<Vec<Extent>>) = (0..op.num_results())
            .map(|i| self.result_type(op, i))
            .collect::<Result<'c, Vec<_>>>()?
            .into_iter()
            .unzip();
        let copy = edit::clone(op, &self.plain_uses(op));
        let mut attributes: Vec<(&str, Attr<'c>)> = copy.attributes();
        attributes.retain(|(name, _)| others.iter().all(|(other, _)| other != name));
        attributes.extend(others);
        let regions = edit::take_regions(copy);
        let new = self
            .m
            .b
            .op_with_regions(op.name(), operands, &types, &attributes, regions);
        edit::erase_unused(copy);
        let results = new.results();
        for (result, sizes) in results.iter().zip(&sizes) {
            self.m.sized(*result, sizes);
        }
        Ok(results)
    }

    /// Values that the regions of an operation use, none of which depends on the element.
    fn plain_uses(&self, op: Op<'c>) -> HashMap<usize, Val<'c>> {
        op.descendants()
            .iter()
            .flat_map(|op| op.operands())
            .filter_map(|value| Some((op::key(value), *self.plain.get(&op::key(value))?)))
            .collect()
    }

    /// Tells whether one of the dimensions in front has a size that is known at run time only.
    fn varies(&self) -> bool {
        vary(self.dims)
    }

    fn i64s(&self, values: &[i64]) -> Attr<'c> {
        self.m.b.i64_array(values)
    }

    /// `values` behind as many of `front` as there are dimensions.
    fn padded(&self, front: i64, values: &[i64]) -> Vec<i64> {
        let mut all = vec![front; self.dims.len()];
        all.extend(values);
        all
    }

    /// The dimensions themselves, then `values` moved behind them.
    fn moved(&self, values: &[i64]) -> Vec<i64> {
        (0..self.n())
            .chain(values.iter().map(|d| d + self.n()))
            .collect()
    }

    /// Dimensions moved behind those in front.
    fn shifted(&self, values: &[i64]) -> Vec<i64> {
        values.iter().map(|d| d + self.n()).collect()
    }

    fn by_rule(&mut self, op: Op<'c>) -> Result<'c, Option<Vec<Val<'c>>>> {
        let name = op.short_name();
        if op.name() == "tensor.cast" {
            return Ok(Some(vec![self.lifted(op.operand(0))?]));
        }
        if !matches!(op.dialect(), "stablehlo" | "chlo" | "mhlo") || op.num_results() == 0 {
            return Ok(None);
        }
        let ints = |name: &str| op.ints(name).unwrap_or_default();
        let lifted = |this: &Self| -> Result<'c, Vec<Val<'c>>> {
            op.operands()
                .into_iter()
                .map(|value| this.lifted(value))
                .collect()
        };
        if registry::lookup(op).is_some_and(|def| def.class == Class::Elementwise)
            && op.num_regions() == 0
            && op.num_results() == 1
            && !name.starts_with("broadcast_")
        {
            return self.elementwise(op);
        }
        let first = op.operands().first().copied();
        let Some(first) = first else { return Ok(None) };
        Ok(Some(match name {
            "reshape" | "broadcast_in_dim" if self.varies() => {
                let (_, sizes) = self.result_type(op, 0)?;
                let own = self.own(first);
                vec![match name {
                    "reshape" => self.m.reshape(own, &sizes),
                    _ => {
                        let dims = self.moved(&ints("broadcast_dimensions"));
                        self.m.broadcast(own, &dims, &sizes)
                    }
                }]
            }
            "reshape" => self.again(op, &[self.own(first)], &[])?,
            "broadcast_in_dim" => {
                let dims = self.moved(&ints("broadcast_dimensions"));
                let dims = [("broadcast_dimensions", self.i64s(&dims))];
                self.again(op, &[self.own(first)], &dims)?
            }
            "transpose" => {
                let permutation = self.moved(&ints("permutation"));
                let permutation = [("permutation", self.i64s(&permutation))];
                self.again(op, &[self.own(first)], &permutation)?
            }
            "reverse" => {
                let dims = self.shifted(&ints("dimensions"));
                let dims = [("dimensions", self.i64s(&dims))];
                self.again(op, &[self.own(first)], &dims)?
            }
            "dynamic_broadcast_in_dim" => {
                let dims = self.moved(&ints("broadcast_dimensions"));
                let (_, sizes) = self.result_type(op, 0)?;
                vec![self.m.broadcast(self.own(first), &dims, &sizes)]
            }
            "dynamic_reshape" => {
                let (_, sizes) = self.result_type(op, 0)?;
                vec![self.m.reshape(self.own(first), &sizes)]
            }
            "slice" => {
                let (_, own) = self.shape_of(first)?;
                let start = self.padded(0, &ints("start_indices"));
                let limit = [self.dims, &extents(&ints("limit_indices"))].concat();
                let stride = self.padded(1, &ints("strides"));
                let Some(numbers) = constants(&limit) else {
                    if vary(&own) {
                        return Ok(None);
                    }
                    let (_, sizes) = self.result_type(op, 0)?;
                    let m = self.m;
                    let bounds = (m.ints(&start), m.vector(&limit), m.ints(&stride));
                    return Ok(Some(vec![m.part_of(self.own(first), bounds, &sizes)]));
                };
                let others = [
                    ("start_indices", self.i64s(&start)),
                    ("limit_indices", self.i64s(&numbers)),
                    ("strides", self.i64s(&stride)),
                ];
                self.again(op, &[self.own(first)], &others)?
            }
            "pad" if !self.is_batched(op.operand(1)) => {
                let names = ["edge_padding_low", "edge_padding_high", "interior_padding"];
                let others = names.map(|name| (name, self.i64s(&self.padded(0, &ints(name)))));
                let padding = self.plain(op.operand(1));
                self.again(op, &[self.own(first), padding], &others)?
            }
            "concatenate" => {
                let d = op.int("dimension").unwrap_or(0) + self.n();
                let others = [("dimension", self.m.b.i64_attr(d))];
                self.again(op, &lifted(self)?, &others)?
            }
            "reduce" => {
                let Some(operands) = self.of_reduction(op)? else {
                    return Ok(None);
                };
                let dims = self.shifted(&ints("dimensions"));
                self.again(op, &operands, &[("dimensions", self.i64s(&dims))])?
            }
            "reduce_window" => {
                let Some(operands) = self.of_reduction(op)? else {
                    return Ok(None);
                };
                let ones = [
                    "window_dimensions",
                    "window_strides",
                    "base_dilations",
                    "window_dilations",
                ];
                let mut others: Vec<(&str, Attr<'c>)> = ones
                    .into_iter()
                    .filter(|name| op.attribute(name).is_some())
                    .map(|name| (name, self.i64s(&self.padded(1, &ints(name)))))
                    .collect();
                if op.attribute("padding").is_some() {
                    let mut padding = vec![0; 2 * self.dims.len()];
                    padding.extend(ints("padding"));
                    let pairs: Vec<String> =
                        padding.chunks(2).map(|pair| format!("{pair:?}")).collect();
                    let text = format!(
                        "dense<[{}]> : tensor<{}x2xi64>",
                        pairs.join(", "),
                        pairs.len()
                    );
                    others.push(("padding", self.m.b.parse_attr(&text)));
                }
                self.again(op, &operands, &others)?
            }
            "sort" => {
                let (_, shape) = self.shape_of(first)?;
                let d = op.int("dimension").unwrap_or(-1);
                let d = if d < 0 { d + shape.len() as i64 } else { d } + self.n();
                let others = [("dimension", self.m.b.i64_attr(d))];
                self.again(op, &lifted(self)?, &others)?
            }
            "rng" if op.operands().iter().all(|value| !self.is_batched(*value)) => {
                let (_, sizes) = self.result_type(op, 0)?;
                let ends = [self.plain(first), self.plain(op.operand(1))];
                let operands = [&ends[..], &[self.m.vector(&sizes)]].concat();
                self.again(op, &operands, &[])?
            }
            "dot_general" => return self.dot_general(op),
            "gather" | "dynamic_gather" => return self.gather(op),
            "real_dynamic_slice" => return self.real_dynamic_slice(op),
            "scatter" => return self.scatter(op),
            "dynamic_slice" => return self.dynamic_slice(op),
            "dynamic_update_slice" => return self.dynamic_update_slice(op),
            _ => return Ok(None),
        }))
    }

    /// Operands of the shape of the result; scalars (of `select` and `clamp`) are repeated.
    fn elementwise(&self, op: Op<'c>) -> Result<'c, Option<Vec<Val<'c>>>> {
        let (_, shape) = self.shape_of(op.result(0))?;
        let all = [self.dims, &shape].concat();
        let mut operands = Vec::new();
        for value in op.operands() {
            let (_, own) = self.shape_of(value)?;
            if own == shape || (vary(&own) && own.len() == shape.len()) {
                operands.push(self.lifted(value)?);
            } else if own.is_empty() {
                let front: Vec<i64> = (0..self.n()).collect();
                operands.push(if self.is_batched(value) {
                    self.m.broadcast(self.own(value), &front, &all)
                } else {
                    self.m.spread(self.plain(value), &all)
                });
            } else {
                return Ok(None);
            }
        }
        self.again(op, &operands, &[]).map(Some)
    }
}
