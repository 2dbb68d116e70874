//! Sizes of what a launch gives: of the results of a region, or of an operation that the runtime
//! library computes.
//!
//! Whoever launches knows the sizes of tensors and can look at their elements. What follows from
//! these, and what is demanded of them, is the same whether tensors are buffers of a host function
//! or values in a function of somebody else's.

use super::{SizeQuery, of_result, require};
use crate::{
    emitter::InnerSize,
    error::Located,
    error::{Result as SizeResult, Unsupported, unsupported},
    host::stages::{is_stage, is_staged},
    index::Ix,
};
use mapwright_indexing::{Extent, Factor};
use mapwright_mlir::{
    Builder, Dim, Op, TensorType, Val,
    attr::{self, Dense},
    melior::ir::ValueLike,
    op, sizes,
};
use mapwright_normalize::size_annotations;
use mapwright_ops::{attrs, registry};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Relation that two sizes must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    /// They are equal.
    Equal,
    /// The first does not exceed the second.
    AtMost,
}

/// Facts that are known in front of a launch, and the place of the code that asks for them.
pub(crate) trait Before<'c> {
    /// Builder of that code.
    fn builder(&self) -> &Builder<'c>;

    /// The sizes of a tensor.
    fn sizes_of(&self, tensor: Val<'c>) -> SizeResult<Vec<Ix<'c>>>;

    /// An element of an integer tensor as an index.
    fn load(&self, tensor: Val<'c>, ty: &TensorType, index: &[Ix<'c>]) -> SizeResult<Ix<'c>>;

    /// Lets the program fail with `message` where two sizes are not as demanded.
    fn demand(&self, demand: Demand, x: Ix<'c>, y: Ix<'c>, message: &str);
}

/// The sizes of the results of `op`, a region or an operation. What they and those of its operands
/// must satisfy is demanded.
///
/// # Errors
/// Sizes that cannot be found, such as those that follow from a shape that is computed inside: it
/// is not known before the launch, and code would read where the sizes say without anybody having
/// looked at them. The plan keeps shapes outside
/// ([`mapwright_ops::registry::OpDef::is_size_operand`]).
pub(crate) fn of_results<'c>(
    before: &dyn Before<'c>,
    op: Op<'c>,
) -> Result<Vec<Vec<Ix<'c>>>, Located<'c>> {
    let mut launched = Launched::new(before, op);
    let members = if launched.is_region {
        inside(op)
    } else {
        vec![op]
    };
    let b = before.builder();
    for member in &members {
        require(b, *member, &mut |_, question| {
            launched.answer(*member, question)
        })
        .and_then(|()| launched.demand_countable(*member))
        .map_err(|why| Located::new(*member, why.0))?;
    }
    let values = if launched.is_region {
        end(op).map(Op::operands).unwrap_or_default()
    } else {
        op.results()
    };
    let all = values.into_iter().map(|value| launched.sizes(value));
    all.collect::<SizeResult<_>>()
        .map_err(|why| Located::new(op, why.0))
}

/// The numbers that a kernel of `fusion` is given besides the sizes of its tensors.
///
/// # Errors
/// As [`of_results`].
pub(crate) fn inner_sizes<'c>(
    before: &dyn Before<'c>,
    fusion: Op<'c>,
    inner: &[InnerSize],
) -> Result<Vec<Ix<'c>>, Located<'c>> {
    let mut launched = Launched::new(before, fusion);
    let members = inside(fusion);
    let mut value = |inner: &InnerSize| match *inner {
        InnerSize::Size {
            member,
            result,
            dim,
        } => {
            let sizes = launched.sizes(members[member].result(result))?;
            Ok(sizes[dim])
        }
        InnerSize::Start { member, dim } => {
            let op = members[member];
            let Some((_, more)) = size_annotations::slice_starts(op).get(dim).copied() else {
                return unsupported("a slice whose place is not noted");
            };
            let at = SizeQuery::Element(op.operand(1), vec![Ix::Known(dim as i64)]);
            let start = launched.answer(op, at)?;
            Ok(start[0].sub(before.builder(), Ix::Known(more)))
        }
    };
    let all = inner.iter().map(&mut value);
    all.collect::<SizeResult<_>>()
        .map_err(|why| Located::new(fusion, why.0))
}

/// Returns the names, as they are written, of the numbers that a kernel of `fusion` is given
/// besides the sizes of its tensors.
fn inner_names(fusion: Op<'_>, inner: &[InnerSize]) -> Vec<Extent> {
    let members = inside(fusion);
    let name = |inner: &InnerSize| match *inner {
        InnerSize::Size {
            member,
            result,
            dim,
        } => sizes::annotated(members[member].result(result))?
            .get(dim)
            .copied(),
        InnerSize::Start { member, dim } => {
            let starts = size_annotations::slice_starts(members[member]);
            starts.get(dim).map(|(size, _)| *size)
        }
    };
    inner
        .iter()
        .map(|inner| name(inner).unwrap_or(Extent::ZERO))
        .collect()
}

/// The operations of a region, and of the stages that it consists of.
fn inside<'c>(region: Op<'c>) -> Vec<Op<'c>> {
    let members = region.body(0).map(op::ops).unwrap_or_default();
    if is_staged(region) {
        members.into_iter().flat_map(inside).collect()
    } else {
        members
    }
}

/// Returns the last operation of a region.
fn end<'c>(region: Op<'c>) -> Option<Op<'c>> {
    region.body(0).and_then(|body| op::ops(body).pop())
}

/// Demands that run-time sizes of operands and results of `fusion`, and those that are `inner`,
/// which have one name are equal: its code knows one size alone. `sizes` are those, in the order of
/// the values.
pub(crate) fn require_names<'c>(
    before: &dyn Before<'c>,
    fusion: Op<'c>,
    sizes: &[Ix<'c>],
    inner: &[InnerSize],
) {
    let dims = |values: Vec<Val<'c>>| -> Vec<Dim> {
        let types = values.into_iter().map(|value| value.r#type());
        let types = types.filter_map(TensorType::from_mlir);
        types.flat_map(|ty| ty.dims).collect()
    };
    let lists = [
        (sizes::ARGUMENTS, dims(fusion.operands())),
        (sizes::SIZES, dims(fusion.results())),
    ];
    // A list that is not there is that of static shapes.
    let named = lists.into_iter().flat_map(|(list, dims)| {
        let names = sizes::list(fusion, list);
        let names = names.unwrap_or_else(|| vec![Extent::ZERO; dims.len()]);
        dims.into_iter().zip(names)
    });
    let unknown = named.filter(|(dim, _)| dim.fixed().is_none());
    let names = unknown.map(|(_, name)| name);
    let names = names.chain(inner_names(fusion, inner));
    let named: Vec<(Extent, Ix<'c>)> = names.zip(sizes.iter().copied()).collect();
    let b = before.builder();
    let names = values_of_names(b, &named);
    let mut demands = Demands::default();
    for (name, size) in named {
        let expected = match name.multiple() {
            None => name.as_constant().map_or(size, Ix::Known),
            Some((factors, times)) => {
                let values = factors.iter().map(|factor| match factor {
                    Factor::Name(k) => names.get(k).copied().unwrap_or(size),
                    _ => size,
                });
                values.fold(Ix::Known(times), |product, value| value.mul(b, product))
            }
        };
        if demands.is_new(Demand::Equal, expected, size) {
            before.demand(Demand::Equal, expected, size, &message(fusion, UNEQUAL));
        }
    }
}

/// The sizes that names are of: where none of the `sizes` is one of them alone, the one that is the
/// least multiple of it, divided by the number.
fn values_of_names<'c>(b: &Builder<'c>, sizes: &[(Extent, Ix<'c>)]) -> BTreeMap<usize, Ix<'c>> {
    let mut found: BTreeMap<usize, (i64, Ix<'c>)> = BTreeMap::new();
    for (name, size) in sizes {
        if let Some((k, times)) = name.multiple_of_name()
            && found.get(&k).is_none_or(|(known, _)| times < *known)
        {
            found.insert(k, (times, *size));
        }
    }
    let value = |(k, (times, size)): (usize, (i64, Ix<'c>))| (k, size.div(b, Ix::Known(times)));
    found.into_iter().map(value).collect()
}

/// An element of an integer tensor that is there before the launch; constants are looked into.
///
/// # Errors
/// An element that cannot be looked at.
pub(crate) fn element<'c>(
    before: &dyn Before<'c>,
    tensor: Val<'c>,
    index: &[Ix<'c>],
) -> SizeResult<Ix<'c>> {
    let Some(ty) = TensorType::from_mlir(tensor.r#type()) else {
        return unsupported("a shape that is no tensor");
    };
    let seen = op::defining_op(tensor).and_then(|(op, _)| written(op, &ty, index));
    seen.unwrap_or_else(|| before.load(tensor, &ty, index))
}

/// An element of the result of `op`, of type `ty`, that can be read off it.
fn written<'c>(op: Op<'c>, ty: &TensorType, index: &[Ix<'c>]) -> Option<SizeResult<Ix<'c>>> {
    if op.is_hlo("iota") {
        // It is made again in every region that uses it, so that there is no tensor of it.
        let axis = attrs::int(op, "iota_dimension").map_err(|e| Unsupported(e.to_string()));
        return Some(axis.map(|axis| index[axis as usize]));
    }
    if !op.is_hlo("constant") && op.name() != "arith.constant" {
        return None;
    }
    let mut places = index.iter().zip(&ty.dims);
    let at = places.try_fold(0i64, |at, (i, dim)| Some(at * dim.fixed()? + i.known()?))?;
    let value = op.attribute("value")?;
    let values = attr::ints(value)?;
    let splat = Dense::from_mlir(value).is_some_and(|dense| dense.splat);
    let found = values.get(if splat { 0 } else { at as usize });
    Some(Ok(Ix::Known(
        found.or(values.first()).copied().unwrap_or(0),
    )))
}

/// Message where two sizes are not equal.
const UNEQUAL: &str = "has operands or a result whose sizes do not match";

fn message(op: Op<'_>, what: &str) -> String {
    format!("{} {what}", place(op))
}

/// Returns the words for an operation in messages of a running program.
pub(crate) fn place(op: Op<'_>) -> String {
    format!("'{}' at {}", op.name(), op.location())
}

/// Numbers as [`Ix::key`] has them.
type Key = (bool, i64);

/// Demands that were written down for one launch, in straight code: none is asked for twice.
#[derive(Default)]
struct Demands {
    /// Of numbers that are equal, another one, which may be equal to a third.
    equal: HashMap<Key, Key>,
    at_most: HashSet<(Key, Key)>,
}

impl Demands {
    /// The number that stands for all that are equal to it.
    fn representative(&self, mut key: Key) -> Key {
        while let Some(next) = self.equal.get(&key) {
            key = *next;
        }
        key
    }

    /// Tells whether the relation is not known yet, and notes it.
    fn is_new(&mut self, demand: Demand, x: Ix<'_>, y: Ix<'_>) -> bool {
        let (x, y) = (self.representative(x.key()), self.representative(y.key()));
        if x == y {
            return false;
        }
        match demand {
            Demand::Equal => self.equal.insert(x, y).is_none(),
            Demand::AtMost => self.at_most.insert((x, y)),
        }
    }
}

/// A region or an operation, and the sizes that were found.
struct Launched<'a, 'c> {
    before: &'a dyn Before<'c>,
    op: Op<'c>,
    is_region: bool,
    known: HashMap<usize, Vec<Ix<'c>>>,
    demands: Demands,
}

impl<'a, 'c> Launched<'a, 'c> {
    fn new(before: &'a dyn Before<'c>, op: Op<'c>) -> Self {
        Self {
            before,
            op,
            is_region: op.name() == "indexing.fusion",
            known: HashMap::new(),
            demands: Demands::default(),
        }
    }

    /// Demands a relation, if it does not follow from those before.
    fn demand(&mut self, demand: Demand, x: Ix<'c>, y: Ix<'c>, op: Op<'c>, what: &str) {
        if self.demands.is_new(demand, x, y) {
            self.before.demand(demand, x, y, &message(op, what));
        }
    }

    /// A value inside of a region as it is known there: an argument of a stage is what the stage is
    /// given, and a result what it makes.
    fn within(&self, mut value: Val<'c>) -> Val<'c> {
        let is_stage_of = |op: &Op<'c>| op.parent() == Some(self.op) && is_stage(*op);
        loop {
            let made = op::defining_op(value)
                .filter(|(op, _)| is_stage_of(op) && op.name() == "indexing.fusion");
            let given = op::block_argument(value).and_then(|(block, number)| {
                let stage = op::parent_of_block(block).filter(is_stage_of)?;
                Some(stage.operand(number))
            });
            let made = made.and_then(|(stage, number)| Some(end(stage)?.operand(number)));
            match made.or(given) {
                Some(other) => value = other,
                None => return value,
            }
        }
    }

    /// The operation inside that makes `value`, and which result it is; none for what was there
    /// before.
    fn made_by(&self, value: Val<'c>) -> Option<(Op<'c>, usize)> {
        let made = op::defining_op(value);
        made.filter(|(op, _)| self.is_region || *op == self.op)
    }

    /// The tensor that `value`, which was there before, is outside of the region.
    fn outside(&self, value: Val<'c>) -> Val<'c> {
        match op::block_argument(value) {
            Some((_, number)) if self.is_region => self.op.operand(number),
            _ => value,
        }
    }

    fn sizes(&mut self, value: Val<'c>) -> SizeResult<Vec<Ix<'c>>> {
        let Some(ty) = TensorType::from_mlir(value.r#type()) else {
            return Ok(Vec::new());
        };
        if let Some(shape) = ty.static_shape() {
            return Ok(shape.into_iter().map(Ix::Known).collect());
        }
        let value = self.within(value);
        if let Some(known) = self.known.get(&op::key(value)) {
            return Ok(known.clone());
        }
        let mut found = match self.made_by(value) {
            None => self.before.sizes_of(self.outside(value))?,
            Some((op, number)) => {
                let b = self.before.builder();
                of_result(b, op, number, &mut |_, question| self.answer(op, question))?
            }
        };
        for (size, dim) in found.iter_mut().zip(&ty.dims) {
            if let Some(n) = dim.fixed() {
                *size = Ix::Known(n);
            }
        }
        self.known.insert(op::key(value), found.clone());
        Ok(found)
    }

    /// Demands that the sizes which `op`, inside of the region, reads from a list are none that is
    /// negative, where no tensor that there is outside has them, and that elements can be counted:
    /// nothing else looks at them.
    fn demand_countable(&mut self, op: Op<'c>) -> SizeResult<()> {
        let says_sizes = registry::lookup(op).is_some_and(|def| def.size_operands.is_some());
        if !self.is_region || !says_sizes || op.num_results() != 1 {
            return Ok(());
        }
        let lists = [sizes::ARGUMENTS, sizes::SIZES].map(|list| sizes::list(self.op, list));
        let outside = lists.into_iter().flatten().flatten();
        let outside: Vec<usize> =
            (outside.filter_map(|size| Some(size.multiple_of_name()?.0))).collect();
        let sizes = self.sizes(op.result(0))?;
        let noted = sizes::annotated(op.result(0));
        for (d, size) in sizes.iter().copied().enumerate() {
            let mut is_outside = noted.is_some();
            if let Some(noted) = &noted {
                let Some(written) = noted.get(d) else {
                    continue;
                };
                written.for_each_name(&mut |k| is_outside &= outside.contains(&k));
            }
            if !is_outside {
                self.answer(op, SizeQuery::AtMost(Ix::Known(0), size))?;
            }
        }
        if noted.is_none_or(|own| !self.has_outside(&own)) {
            self.demand_few(op, &sizes);
        }
        Ok(())
    }

    /// Tells whether a tensor that is there outside has these sizes, as they are written.
    fn has_outside(&self, own: &[Extent]) -> bool {
        let values = [
            (self.op.operands(), sizes::ARGUMENTS),
            (self.op.results(), sizes::SIZES),
        ];
        values.into_iter().any(|(values, list)| {
            let all = sizes::list(self.op, list).unwrap_or_default();
            let ranks = values
                .into_iter()
                .map(|value| TensorType::from_mlir(value.r#type()).map_or(0, |ty| ty.rank()));
            let mut from = 0;
            ranks.into_iter().any(|rank| {
                from += rank;
                all.get(from - rank..from) == Some(own)
            })
        })
    }

    /// Demands that 64 bits count the elements of a tensor of these sizes.
    fn demand_few(&mut self, op: Op<'c>, sizes: &[Ix<'c>]) {
        let before = self.before;
        let b = before.builder();
        let known = sizes.iter().filter_map(|size| size.known());
        let mut elements = Ix::Known(known.fold(1, i64::saturating_mul).max(1));
        for size in sizes.iter().filter(|size| size.known().is_none()) {
            let most = Ix::Known(i64::MAX).div(b, elements);
            if most.known() != Some(i64::MAX) {
                let what = "has a result of more elements than 64 bits count";
                self.demand(Demand::AtMost, *size, most, op, what);
            }
            elements = elements.mul(b, size.max(b, Ix::Known(1)));
        }
    }

    /// Answers a question about `op`.
    fn answer(&mut self, op: Op<'c>, question: SizeQuery<'c>) -> SizeResult<Vec<Ix<'c>>> {
        match question {
            SizeQuery::Sizes(value) => return self.sizes(value),
            SizeQuery::Equal(x, y) => {
                for (x, y) in x.into_iter().zip(y) {
                    self.demand(Demand::Equal, x, y, op, UNEQUAL);
                }
            }
            SizeQuery::AtMost(x, y) => {
                let holds = x.known().zip(y.known()).is_some_and(|(x, y)| x <= y);
                if !holds {
                    let what = "reaches outside of its operand, or has a negative size";
                    self.demand(Demand::AtMost, x, y, op, what);
                }
            }
            SizeQuery::Element(value, index) => {
                let value = self.within(value);
                if let Some((op, _)) = self.made_by(value) {
                    let ty = TensorType::from_mlir(value.r#type());
                    let seen = ty.and_then(|ty| written(op, &ty, &index));
                    let inside = || unsupported("a shape that is computed inside of a region");
                    return Ok(vec![seen.unwrap_or_else(inside)?]);
                }
                let outside = self.outside(value);
                return Ok(vec![element(self.before, outside, &index)?]);
            }
        }
        Ok(Vec::new())
    }
}
