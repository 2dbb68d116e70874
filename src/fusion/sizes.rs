//! Which sizes of a block are equal, and how others follow from them.
//!
//! Sizes that are known at run time only are sums in the linear form ([`mapwright_indexing::linear`]) of a few of them, the *symbols*: those of
//! arguments, and those that nothing else follows from. Types, `get_dimension_size`, arithmetic on shapes and assertions say how. Sums that
//! are equal get one name, which is written beside the operations ([`stand_ins`]): with it, regions are formed as for static sizes.
//!
//! Nothing here has to be checked again for a region to be right: whoever launches code that relies on names compares the sizes that have the
//! same one.

use mapwright_indexing::linear::{Base, FAR, Facts, Sum};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Blk, Builder, Dim, Op, TensorType, Val, attr, op, stand_ins};
use mapwright_ops::attrs::{self, ConvDimensions, DotDimensions, Pad, Window};
use mapwright_ops::registry::{self, Class};
use std::collections::HashMap;

/// The name of sizes with names among the fast paths.
pub const NAME: &str = "named-sizes";

/// Values that the elements of a shape are looked for in, one behind the other, at most.
const DEEPEST: usize = 64;

/// What is known of the sizes of a block.
#[derive(Default)]
struct Sizes {
    facts: Facts,
    of: HashMap<usize, Vec<Sum>>,
    /// Elements of integer tensors that nothing is known of, by value and position.
    elements: HashMap<(usize, i64), Sum>,
    /// What a symbol is equal to.
    equal: Vec<Option<Sum>>,
    /// Sums that have a name.
    names: Vec<Sum>,
}

/// Writes the sizes of results, and of the arguments of the block, beside the operations, where some of them are known at run time only.
pub(crate) fn note<'c>(b: &Builder<'c>, block: Blk<'c>, ops: &[Op<'c>]) {
    let unknown = |value: Val<'_>| {
        TensorType::from_mlir(value.r#type()).is_some_and(|ty| ty.static_shape().is_none())
    };
    let arguments = op::arguments(block);
    let results = |op: &Op<'c>| op.results().into_iter().any(unknown);
    if !ops.iter().any(results) && !arguments.iter().any(|value| unknown(*value)) {
        return;
    }
    let mut sizes = Sizes::default();
    for op in ops {
        sizes.visit(*op);
    }
    let mut list = |values: &[Val<'c>]| {
        let mut all = Vec::new();
        for value in values {
            all.extend(sizes.named(*value)?);
        }
        Some(b.i64_array(&all))
    };
    for op in ops.iter().filter(|op| results(op)) {
        if let Some(all) = list(&op.results()) {
            op.set_attribute(stand_ins::SIZES, all);
        }
    }
    if let Some(parent) = op::parent_of_block(block)
        && parent.body(0) == Some(block)
        && arguments.iter().any(|value| unknown(*value))
        && let Some(all) = list(&arguments)
    {
        parent.set_attribute(stand_ins::ARGUMENTS, all);
    }
}

/// Gives the names in a region that was formed the numbers from zero on, so that regions that do the same are the same.
pub(crate) fn renumber<'c>(b: &Builder<'c>, fusion: Op<'c>) {
    let mut numbers: HashMap<i64, i64> = HashMap::new();
    rewrite(b, fusion, &mut |size| {
        let next = -1 - numbers.len() as i64;
        *numbers.entry(size).or_insert(next)
    });
}

/// Changes the names in a region: `f` of `-1 - k` for name `k`.
pub fn rewrite<'c>(b: &Builder<'c>, fusion: Op<'c>, f: &mut dyn FnMut(i64) -> i64) {
    let mut ops = vec![fusion];
    ops.extend(fusion.descendants());
    let mut done = std::collections::HashSet::new();
    for op in ops {
        if !done.insert(op) {
            continue;
        }
        for attribute in [stand_ins::ARGUMENTS, stand_ins::SIZES] {
            if let Some(sizes) = op.ints(attribute) {
                let sizes: Vec<i64> = (sizes.into_iter())
                    .map(|size| if size < 0 { f(size) } else { size })
                    .collect();
                op.set_attribute(attribute, b.i64_array(&sizes));
            }
        }
    }
}

fn constant(value: i64) -> Sum {
    Sum::constant(value)
}

fn tensor(value: Val<'_>) -> Option<TensorType> {
    TensorType::from_mlir(value.r#type())
}

impl Sizes {
    fn fresh(&mut self) -> Sum {
        self.facts.values.push((0, FAR));
        self.equal.push(None);
        Sum::atom(mapwright_indexing::linear::Atom::value(
            self.equal.len() - 1,
        ))
    }

    /// The sum in terms of symbols that are equal to nothing else.
    fn resolve(&self, sum: &Sum) -> Sum {
        let mut found = sum.clone();
        for _ in 0..DEEPEST {
            let next = found.substitute(&self.facts, &|base| match base {
                Base::Value(k) => self.equal.get(*k).cloned().flatten(),
                _ => None,
            });
            if next == found {
                break;
            }
            found = next;
        }
        found
    }

    /// Notes that two sizes are equal.
    fn equate(&mut self, a: &Sum, b: &Sum) {
        let difference = self.resolve(a).minus(&self.resolve(b));
        if difference.is_beyond() {
            return;
        }
        // The youngest symbol that stands alone follows from the others.
        let alone = difference.terms.iter().rev().find_map(|(atom, k)| {
            let symbol = atom.as_value()?;
            let elsewhere = (difference.terms.iter())
                .any(|(other, _)| other != atom && occurs(&other.base, symbol));
            (k.abs() == 1 && !elsewhere).then_some((symbol, atom.clone(), *k))
        });
        if let Some((symbol, atom, k)) = alone {
            let rest = difference.plus_scaled(&Sum::atom(atom), -k);
            self.equal[symbol] = Some(rest.scaled(-k));
        }
    }

    /// The sizes of a value.
    fn sizes(&mut self, value: Val<'_>) -> Vec<Sum> {
        if let Some(known) = self.of.get(&op::key(value)) {
            return known.clone();
        }
        let dims = tensor(value).map_or(Vec::new(), |ty| ty.dims);
        let sizes: Vec<Sum> = dims
            .into_iter()
            .map(|dim| match dim {
                Dim::Static(n) => constant(n),
                _ => self.fresh(),
            })
            .collect();
        self.of.insert(op::key(value), sizes.clone());
        sizes
    }

    /// The sizes of a value as they are written beside operations.
    fn named(&mut self, value: Val<'_>) -> Option<Vec<i64>> {
        let sizes = self.sizes(value);
        let mut found = Vec::new();
        for size in sizes {
            let size = self.resolve(&size);
            found.push(match size.as_constant() {
                Some(n) if n >= 0 => n,
                Some(_) => return None,
                None => {
                    let known = self.names.iter().position(|name| *name == size);
                    let name = known.unwrap_or_else(|| {
                        self.names.push(size);
                        self.names.len() - 1
                    });
                    -1 - (name as i64)
                }
            });
        }
        Some(found)
    }

    /// Notes the sizes of the results of an operation, and what it says of others.
    fn visit(&mut self, op: Op<'_>) {
        self.asserted(op);
        for (number, result) in op.results().into_iter().enumerate() {
            let Some(ty) = tensor(result) else { continue };
            if ty.static_shape().is_some() {
                continue;
            }
            let found = self.of_result(op, number, ty.rank());
            let sizes: Vec<Sum> = (ty.dims.iter().enumerate())
                .map(|(d, dim)| match (dim.fixed(), &found) {
                    (Some(n), _) => constant(n),
                    (None, Some(found)) => match found.get(d) {
                        Some(size) if !size.is_beyond() => size.clone(),
                        _ => self.fresh(),
                    },
                    (None, None) => self.fresh(),
                })
                .collect();
            self.of.insert(op::key(result), sizes);
        }
    }

    /// `custom_call @shape_assertion` of a comparison: the call ends where it does not hold.
    fn asserted(&mut self, call: Op<'_>) {
        if attrs::name(call) != "shape_assertion" || call.num_operands() == 0 {
            return;
        }
        let Some((compare, _)) = op::defining_op(call.operand(0)) else {
            return;
        };
        let equal = compare.short_name() == "compare"
            && compare
                .text("comparison_direction")
                .is_some_and(|d| d.contains("EQ"));
        if equal {
            let (a, b) = (
                self.element(compare.operand(0), 0),
                self.element(compare.operand(1), 0),
            );
            self.equate(&a, &b);
        }
    }

    /// The element at a position of an integer tensor of at most one dimension.
    fn element(&mut self, value: Val<'_>, at: i64) -> Sum {
        let found = self.known_element(value, at, DEEPEST);
        found.unwrap_or_else(|| self.unknown_element(value, at))
    }

    fn unknown_element(&mut self, value: Val<'_>, at: i64) -> Sum {
        let key = (op::key(value), at);
        if let Some(known) = self.elements.get(&key) {
            return known.clone();
        }
        let symbol = self.fresh();
        self.elements.insert(key, symbol.clone());
        symbol
    }

    fn known_element(&mut self, value: Val<'_>, at: i64, depth: usize) -> Option<Sum> {
        let depth = depth.checked_sub(1)?;
        let (op, _) = op::defining_op(value)?;
        let ty = tensor(value)?;
        if ty.rank() > 1 {
            return None;
        }
        let mut next = |value: Val<'_>, at: i64| {
            let found = self.known_element(value, at, depth);
            found.unwrap_or_else(|| self.unknown_element(value, at))
        };
        Some(match op.short_name() {
            "constant" => {
                let value = op.attribute("value")?;
                let values = attr::ints(value)?;
                let only = (values.len() == 1).then_some(0);
                constant(*values.get(only.unwrap_or(at as usize))?)
            }
            "get_dimension_size" => {
                let axis = attrs::int(op, "dimension").ok()?;
                self.sizes(op.operand(0)).get(axis as usize)?.clone()
            }
            "convert" if tensor(op.operand(0))?.element.is_int() => next(op.operand(0), at),
            "reshape" if tensor(op.operand(0))?.rank() <= 1 => next(op.operand(0), at),
            "broadcast_in_dim" if tensor(op.operand(0))?.rank() == 0 => next(op.operand(0), 0),
            "concatenate" => {
                let mut at = at;
                for piece in op.operands() {
                    let length = tensor(piece)?.dims.first()?.fixed()?;
                    if at < length {
                        return Some(next(piece, at));
                    }
                    at -= length;
                }
                return None;
            }
            "slice" => {
                let slice = attrs::Slice::decode(op, 1).ok()?;
                next(op.operand(0), slice.start[0] + at * slice.stride[0])
            }
            "add" => {
                let other = next(op.operand(1), at);
                next(op.operand(0), at).plus(&other)
            }
            "subtract" => {
                let other = next(op.operand(1), at);
                next(op.operand(0), at).minus(&other)
            }
            "multiply" => {
                let (a, b) = (next(op.operand(0), at), next(op.operand(1), at));
                match (a.as_constant(), b.as_constant()) {
                    (Some(k), _) => b.scaled(k),
                    (_, Some(k)) => a.scaled(k),
                    _ => return None,
                }
            }
            _ => return None,
        })
    }

    /// Sizes of a result that follow from those of operands, or from their elements.
    fn of_result(&mut self, op: Op<'_>, number: usize, rank: usize) -> Option<Vec<Sum>> {
        let elements = |me: &mut Self, operand: usize| -> Vec<Sum> {
            (0..rank as i64)
                .map(|d| me.element(op.operand(operand), d))
                .collect()
        };
        let class = registry::lookup(op).map(|def| def.class);
        Some(match attrs::name(op) {
            "dynamic_broadcast_in_dim" | "dynamic_reshape" => elements(self, 1),
            "dynamic_iota" => elements(self, 0),
            "real_dynamic_slice" => {
                let [start, limit, stride] = [1, 2, 3].map(|i| elements(self, i));
                let mut sizes = Vec::new();
                for (d, stride) in stride.iter().enumerate() {
                    sizes.push(match stride.as_constant() {
                        Some(1) => limit[d].minus(&start[d]),
                        _ => self.fresh(),
                    });
                }
                sizes
            }
            "transpose" => {
                let own = self.sizes(op.operand(0));
                let order = attrs::permutation(op, own.len()).ok()?;
                order.into_iter().map(|d| own[d].clone()).collect()
            }
            "reduce" => {
                let own = self.sizes(op.operand(number));
                let reduced = attrs::dimensions(op, own.len()).ok()?;
                let kept = own
                    .into_iter()
                    .enumerate()
                    .filter(|(d, _)| !reduced.contains(d));
                kept.map(|(_, size)| size).collect()
            }
            "broadcast_in_dim" => {
                let own = self.sizes(op.operand(0));
                let dims = attrs::broadcast_dimensions(op, own.len(), rank).ok()?;
                let mut sizes = vec![constant(1); rank];
                for (d, size) in dims.into_iter().zip(own) {
                    sizes[d] = size;
                }
                sizes
            }
            "dot_general" => self.of_product(op)?,
            "convolution" => self.of_convolution(op, rank)?,
            "concatenate" => {
                let axis = attrs::int(op, "dimension").ok()? as usize;
                let mut sizes = self.sizes(op.operand(0));
                for operand in op.operands().into_iter().skip(1) {
                    for (d, size) in self.sizes(operand).into_iter().enumerate() {
                        match d == axis {
                            true => sizes[d] = sizes[d].plus(&size),
                            false => self.equate(&sizes[d].clone(), &size),
                        }
                    }
                }
                sizes
            }
            "pad" => {
                let own = self.sizes(op.operand(0));
                let pad = Pad::decode(op, own.len()).ok()?;
                if pad.interior.iter().any(|n| *n != 0) {
                    return None;
                }
                let padded = own.iter().enumerate();
                padded
                    .map(|(d, size)| size.offset(pad.low[d]).offset(pad.high[d]))
                    .collect()
            }
            "set_dimension_size" => {
                let mut sizes = self.sizes(op.operand(0));
                let axis = attrs::int(op, "dimension").ok()? as usize;
                *sizes.get_mut(axis)? = self.element(op.operand(1), 0);
                sizes
            }
            "sort" | "reverse" | "optimization_barrier" => self.sizes(op.operand(number)),
            "select" | "clamp" => {
                let sizes = self.sizes(op.operand(1));
                for i in [0, 2] {
                    self.equate_all(&sizes, op.operand(i));
                }
                sizes
            }
            _ if class == Some(Class::Elementwise) => {
                let full = |value: &Val<'_>| tensor(*value).is_some_and(|ty| ty.rank() == rank);
                let mut operands = op.operands().into_iter().filter(full);
                let sizes = self.sizes(operands.next()?);
                for other in operands {
                    self.equate_all(&sizes, other);
                }
                sizes
            }
            _ => return None,
        })
    }

    fn equate_all(&mut self, sizes: &[Sum], value: Val<'_>) {
        let others = self.sizes(value);
        if others.len() == sizes.len() {
            for (a, b) in sizes.iter().zip(&others) {
                self.equate(a, b);
            }
        }
    }

    fn of_product(&mut self, op: Op<'_>) -> Option<Vec<Sum>> {
        let (l, r) = (self.sizes(op.operand(0)), self.sizes(op.operand(1)));
        let dims = DotDimensions::decode(op).ok()?;
        let pairs = (dims.lhs_batching.iter().zip(&dims.rhs_batching))
            .chain(dims.lhs_contracting.iter().zip(&dims.rhs_contracting));
        for (a, b) in pairs {
            self.equate(l.get(*a as usize)?, r.get(*b as usize)?);
        }
        let free = |all: &[Sum], x: &[i64], y: &[i64]| -> Vec<Sum> {
            let kept = all.iter().enumerate();
            kept.filter(|(d, _)| !x.contains(&(*d as i64)) && !y.contains(&(*d as i64)))
                .map(|(_, size)| size.clone())
                .collect()
        };
        let mut sizes: Vec<Sum> = Vec::new();
        for d in &dims.lhs_batching {
            sizes.push(l.get(*d as usize)?.clone());
        }
        sizes.extend(free(&l, &dims.lhs_batching, &dims.lhs_contracting));
        sizes.extend(free(&r, &dims.rhs_batching, &dims.rhs_contracting));
        Some(sizes)
    }

    fn of_convolution(&mut self, op: Op<'_>, rank: usize) -> Option<Vec<Sum>> {
        let dims = ConvDimensions::decode(op).ok()?;
        let (input, kernel) = (self.sizes(op.operand(0)), self.sizes(op.operand(1)));
        let spatial: Vec<i64> = (dims.kernel_spatial.iter())
            .map(|d| kernel.get(*d as usize)?.as_constant())
            .collect::<Option<_>>()?;
        let window = Window::convolution(op, &spatial).ok()?;
        let groups = attrs::int_or(op, "batch_group_count", 1).ok()?;
        let mut sizes = vec![constant(1); rank];
        let batch = input.get(dims.input_batch as usize)?;
        *sizes.get_mut(dims.output_batch as usize)? = match groups {
            1 => batch.clone(),
            groups => batch.floor_div(groups.max(1), &self.facts),
        };
        *sizes.get_mut(dims.output_feature as usize)? =
            kernel.get(dims.kernel_output_feature as usize)?.clone();
        for (k, at) in dims.output_spatial.iter().enumerate() {
            let size = input.get(dims.input_spatial[k] as usize)?;
            if window.base_dilation[k] != 1 {
                return None;
            }
            let span = (spatial[k] - 1) * window.window_dilation[k];
            let (low, high) = window.padding[k];
            let room = size.offset(low).offset(high).offset(-span - 1);
            let stride = window.stride[k];
            *sizes.get_mut(*at as usize)? = match (stride, low + high - span) {
                // Otherwise there may be no window at all.
                (1, 0..) => room.offset(1),
                (2.., 0..) => room.floor_div(stride, &self.facts).offset(1),
                _ => return None,
            };
        }
        Some(sizes)
    }
}

/// Does the symbol occur in the base of an atom?
fn occurs(base: &Base, symbol: usize) -> bool {
    match base {
        Base::Value(k) => *k == symbol,
        Base::Sum(inner) => {
            let mut values = Vec::new();
            inner.values(&mut values);
            values.contains(&symbol)
        }
        _ => false,
    }
}
