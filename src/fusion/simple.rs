//! A plain plan: one region around every expensive operation, with the cheap producers that only it uses.
//!
//! Nothing is computed twice except what costs nothing (constants, index patterns, data movement).

use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Blk, Builder, Op, Ty, Val, ValueType, attr::Dense, edit, op};
use std::collections::{HashMap, HashSet};

/// Members of one region at most.
const LARGEST: usize = 256;

/// How an operation may take part in a region.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Costs nothing: cloned into every region that uses it.
    Free,
    /// Moves elements.
    Movement,
    /// A few instructions an element.
    Cheap,
    /// Tens of instructions an element.
    Costly,
    /// Always the root of its region.
    Root,
    /// Not in any region.
    Outside,
}

fn role(op: Op<'_>) -> Role {
    if !matches!(op.dialect(), "stablehlo" | "mhlo" | "chlo") {
        return Role::Outside;
    }
    if (0..op.num_results()).any(|i| !matches!(op.result_type(i), ValueType::Tensor(_)))
        || (0..op.num_operands()).any(|i| !matches!(op.operand_type(i), ValueType::Tensor(_)))
    {
        return Role::Outside;
    }
    match op.short_name() {
        "constant" => match op.attribute("value").and_then(Dense::from_mlir) {
            Some(dense) if dense.splat || dense.ty.num_elements() == Some(1) => Role::Free,
            _ => Role::Outside,
        },
        "iota" => Role::Free,
        "broadcast_in_dim"
        | "dynamic_broadcast_in_dim"
        | "broadcast"
        | "reshape"
        | "dynamic_reshape"
        | "transpose"
        | "reverse"
        | "slice"
        | "real_dynamic_slice"
        | "pad"
        | "dynamic_pad"
        | "get_dimension_size"
        | "set_dimension_size"
        | "dynamic_slice"
        | "dynamic_iota"
        | "copy"
        | "real"
        | "imag"
        | "complex"
        | "convert"
        | "bitcast_convert" => Role::Movement,
        "abs"
        | "add"
        | "and"
        | "ceil"
        | "clamp"
        | "compare"
        | "count_leading_zeros"
        | "floor"
        | "is_finite"
        | "maximum"
        | "minimum"
        | "multiply"
        | "negate"
        | "not"
        | "or"
        | "popcnt"
        | "reduce_precision"
        | "round_nearest_afz"
        | "round_nearest_even"
        | "select"
        | "shift_left"
        | "shift_right_arithmetic"
        | "shift_right_logical"
        | "sign"
        | "subtract"
        | "xor"
        | "square"
        | "conj"
        | "is_inf"
        | "is_pos_inf"
        | "is_neg_inf"
        | "next_after"
        | "concatenate"
        | "map"
        | "uniform_quantize"
        | "uniform_dequantize" => Role::Cheap,
        "atan2"
        | "cbrt"
        | "cosine"
        | "divide"
        | "exponential"
        | "exponential_minus_one"
        | "log"
        | "log_plus_one"
        | "logistic"
        | "power"
        | "remainder"
        | "rsqrt"
        | "sine"
        | "sqrt"
        | "tan"
        | "tanh"
        | "erf"
        | "acos"
        | "acosh"
        | "asin"
        | "asinh"
        | "atan"
        | "atanh"
        | "bessel_i1e"
        | "cosh"
        | "digamma"
        | "erf_inv"
        | "erfc"
        | "lgamma"
        | "polygamma"
        | "sinh"
        | "zeta"
        | "gather"
        | "dynamic_gather"
        | "dynamic_update_slice"
        | "torch_index_select" => Role::Costly,
        "reduce" | "reduce_window" | "dot_general" | "dot" | "convolution" | "dynamic_conv"
        | "scatter" | "select_and_scatter" => Role::Root,
        _ => Role::Outside,
    }
}

fn elements(value: Val<'_>) -> f64 {
    match ValueType::from_mlir(value.r#type()) {
        ValueType::Tensor(tensor) => tensor.num_elements().unwrap_or(1 << 20) as f64,
        _ => 1.0,
    }
}

/// How often an element of operand `i` of `user` is computed for each time the user is.
fn reads(user: Op<'_>, i: usize) -> f64 {
    match user.short_name() {
        "reduce_window" | "select_and_scatter" => user
            .ints("window_dimensions")
            .unwrap_or_default()
            .iter()
            .product::<i64>() as f64,
        "dot_general" | "dot" | "convolution" | "dynamic_conv" => 1e9,
        // A bound on how often an element is gathered is not known.
        "gather" | "dynamic_gather" | "torch_index_select" => 1e9,
        // Indices are read for every element of the window.
        "scatter" => match i < user.num_results() {
            true => 1.0,
            false => (elements(user.operand(user.num_operands() - 1))
                / elements(user.operand(i)).max(1.0))
            .max(1.0),
        },
        "broadcast_in_dim" | "dynamic_broadcast_in_dim" | "broadcast" => {
            (elements(user.result(0)) / elements(user.operand(i)).max(1.0)).max(1.0)
        }
        "select" | "clamp" => {
            (elements(user.result(0)) / elements(user.operand(i)).max(1.0)).max(1.0)
        }
        "pad" | "dynamic_pad" if i == 1 => 1.0,
        _ => 1.0,
    }
}

/// Is operand `i` of `op` a shape or an amount that the sizes of its result follow from? Such operands have to be tensors in memory (or constants) when a
/// region is launched, so what computes them is in a region of its own.
pub fn is_shape_operand(op: Op<'_>, i: usize) -> bool {
    match op.short_name() {
        "dynamic_iota" => i == 0,
        "dynamic_broadcast_in_dim" | "dynamic_reshape" | "set_dimension_size" => i == 1,
        "real_dynamic_slice" => i >= 1,
        "dynamic_pad" => i >= 2,
        "dynamic_gather" | "dynamic_conv" => i == 2,
        _ => false,
    }
}

/// What a block is split into, and why not into less.
#[derive(Clone, Debug)]
pub struct Plan<'c> {
    /// The regions in the order of their roots.
    pub regions: Vec<Region<'c>>,
    /// Every use of a fusible value that does not lie inside of a region, in the order of the block.
    pub refused: Vec<Refusal<'c>>,
}

/// Operations that run as one loop nest.
#[derive(Clone, Debug)]
pub struct Region<'c> {
    /// The operation whose results the region computes.
    pub root: Op<'c>,
    /// All operations, the root included, in the order of the block. One that costs nothing may be in several regions.
    pub members: Vec<Op<'c>>,
}

impl<'c> Region<'c> {
    /// The values from outside that the members use, each once, in the order of their first use.
    pub fn inputs(&self) -> Vec<Val<'c>> {
        let own: HashSet<usize> = self
            .members
            .iter()
            .flat_map(|member| member.results())
            .map(op::key)
            .collect();
        let mut seen = HashSet::new();
        self.members
            .iter()
            .flat_map(|member| used(*member))
            .filter(|value| !own.contains(&op::key(*value)) && seen.insert(op::key(*value)))
            .collect()
    }
}

/// A producer that is not in the region of a consumer.
#[derive(Clone, Debug)]
pub struct Refusal<'c> {
    /// The operation that makes the value.
    pub producer: Op<'c>,
    /// The operation that uses it.
    pub consumer: Op<'c>,
    /// Why they are apart.
    pub reason: String,
}

/// The plan for `block` alone; blocks inside of its operations have their own.
pub fn plan<'c>(block: Blk<'c>) -> Plan<'c> {
    let ops = op::ops(block);
    let (groups, refused) = group(&ops);
    Plan {
        regions: groups
            .iter()
            .map(|group| Region {
                root: ops[group.root],
                members: group.members.iter().map(|member| ops[*member]).collect(),
            })
            .collect(),
        refused,
    }
}

/// A region to be made: its root and members in the order of the block.
struct Group {
    root: usize,
    members: Vec<usize>,
}

/// Puts every tensor operation of `block`, and of the blocks inside of control flow, into a region.
pub fn fuse_block<'c>(b: &Builder<'c>, block: Blk<'c>) {
    let ops = op::ops(block);
    for op in &ops {
        // Only control flow has regions over tensors that run as a program does.
        let control = ["while", "if", "case"].iter().any(|name| op.is_hlo(name));
        for r in 0..if control { op.num_regions() } else { 0 } {
            for inner in op::blocks(op.region(r)) {
                fuse_block(b, inner);
            }
        }
    }
    let (groups, _) = group(&ops);
    let mut replaced: HashMap<usize, Val<'c>> = HashMap::new();
    for group in &groups {
        build(b, &ops, group, &mut replaced);
    }
    for op in ops.iter().rev() {
        if role(*op) != Role::Outside {
            // SAFETY: all uses were replaced or were in operations erased before.
            unsafe { op.erase() };
        }
    }
}

/// The groups of the operations of a block, in the order of their roots, and what was not joined.
fn group<'c>(ops: &[Op<'c>]) -> (Vec<Group>, Vec<Refusal<'c>>) {
    let place: HashMap<Op<'c>, usize> = ops.iter().enumerate().map(|(i, op)| (*op, i)).collect();
    let roles: Vec<Role> = ops.iter().map(|op| role(*op)).collect();
    let mut group_of: Vec<Option<usize>> = vec![None; ops.len()];
    let mut factor = vec![1.0f64; ops.len()];
    let mut groups: Vec<Group> = Vec::new();
    let mut refused: Vec<Refusal<'c>> = Vec::new();
    for i in (0..ops.len()).rev() {
        let op = ops[i];
        match roles[i] {
            Role::Outside => continue,
            Role::Free => {
                // Needed as a tensor by something that is in no region?
                let outside = op.results().into_iter().any(|value| {
                    op::uses(value).into_iter().any(|(user, _)| {
                        place.get(&user).is_none_or(|u| roles[*u] == Role::Outside)
                    })
                });
                if outside {
                    group_of[i] = Some(groups.len());
                    groups.push(Group {
                        root: i,
                        members: vec![i],
                    });
                }
                continue;
            }
            _ => {}
        }
        let joined = join(op, roles[i], &place, &roles, &group_of, &groups, &factor);
        match joined {
            Ok((group, times)) => {
                group_of[i] = Some(group);
                groups[group].members.push(i);
                factor[i] = times;
            }
            Err(reason) => {
                refused.extend(refusals(op, &reason).into_iter().rev());
                group_of[i] = Some(groups.len());
                groups.push(Group {
                    root: i,
                    members: vec![i],
                });
            }
        }
    }
    // Free values join every region that uses them, and the free values that they use.
    for group in &mut groups {
        let mut pending = group.members.clone();
        let mut inside: HashSet<usize> = pending.iter().copied().collect();
        while let Some(i) = pending.pop() {
            for value in ops[i].operands() {
                let Some((producer, _)) = op::defining_op(value) else {
                    continue;
                };
                if let Some(p) = place.get(&producer)
                    && roles[*p] == Role::Free
                    && inside.insert(*p)
                {
                    group.members.push(*p);
                    pending.push(*p);
                }
            }
        }
        group.members.sort_unstable();
    }
    // Roots in the order of the block, so that a region's inputs are replaced before it is built.
    groups.sort_by_key(|group| group.root);
    refused.reverse();
    (groups, refused)
}

/// The reason for every use of the results of `op`, each consumer once.
fn refusals<'c>(op: Op<'c>, reason: &str) -> Vec<Refusal<'c>> {
    let mut consumers: Vec<Op<'c>> = Vec::new();
    for value in op.results() {
        // MLIR lists the last use first.
        for (user, _) in op::uses(value).into_iter().rev() {
            if !consumers.contains(&user) {
                consumers.push(user);
            }
        }
    }
    consumers
        .into_iter()
        .map(|consumer| Refusal {
            producer: op,
            consumer,
            reason: reason.to_owned(),
        })
        .collect()
}

/// The group that `op` can join, and how often its elements are computed there; or why it joins none.
fn join<'c>(
    op: Op<'c>,
    role: Role,
    place: &HashMap<Op<'c>, usize>,
    roles: &[Role],
    group_of: &[Option<usize>],
    groups: &[Group],
    factor: &[f64],
) -> Result<(usize, f64), String> {
    if role == Role::Root {
        return Err("each of its results is a loop over many elements, and is computed once".into());
    }
    if op.num_results() != 1 {
        return Err(format!("it has {} results", op.num_results()));
    }
    let mut group = None;
    let mut times = 0.0;
    for (user, operand) in op::uses(op.result(0)) {
        let Some(at) = place.get(&user).copied() else {
            return Err("it is used in a block of another operation".into());
        };
        if roles[at] == Role::Outside {
            return Err(format!("`{}` needs it as a whole tensor", user.name()));
        }
        if is_shape_operand(user, operand) {
            return Err(format!("the shape of the result of `{}` follows from it", user.name()));
        }
        let Some(own) = group_of[at] else {
            return Err(format!("`{}` is in several regions", user.name()));
        };
        if *group.get_or_insert(own) != own {
            return Err("it is used by several regions".into());
        }
        times += factor[at] * reads(user, operand);
    }
    let Some(group) = group else {
        return Err("nothing uses it".into());
    };
    if groups[group].members.len() >= LARGEST {
        return Err(format!("the region has {LARGEST} operations already"));
    }
    let allowed = match role {
        Role::Movement => f64::INFINITY,
        Role::Cheap => 2.0,
        _ => 1.0,
    };
    if times > allowed {
        return Err(format!(
            "each element would be computed {times} times, more than the {allowed} that its cost allows"
        ));
    }
    Ok((group, times))
}

/// Values that `op` and everything inside it use from outside.
fn used<'c>(op: Op<'c>) -> Vec<Val<'c>> {
    let mut values = op.operands();
    let inside = op.descendants();
    let mut own: HashSet<usize> = HashSet::new();
    for inner in std::iter::once(op).chain(inside.iter().copied()) {
        if inner != op {
            own.extend(inner.results().into_iter().map(op::key));
        }
        for r in 0..inner.num_regions() {
            for block in op::blocks(inner.region(r)) {
                own.extend(op::arguments(block).into_iter().map(op::key));
            }
        }
    }
    for inner in inside {
        values.extend(
            inner
                .operands()
                .into_iter()
                .filter(|v| !own.contains(&op::key(*v))),
        );
    }
    values
}

fn build<'c>(
    b: &Builder<'c>,
    ops: &[Op<'c>],
    group: &Group,
    replaced: &mut HashMap<usize, Val<'c>>,
) {
    let members: Vec<Op<'c>> = group.members.iter().map(|i| ops[*i]).collect();
    let defined: HashSet<usize> = members
        .iter()
        .flat_map(|op| op.results())
        .map(op::key)
        .collect();
    let mut inputs: Vec<Val<'c>> = Vec::new();
    let mut seen = HashSet::new();
    for member in &members {
        for value in used(*member) {
            if !defined.contains(&op::key(value)) && seen.insert(op::key(value)) {
                inputs.push(value);
            }
        }
    }
    let root = ops[group.root];
    let types: Vec<Ty<'c>> = inputs.iter().map(|v| v.r#type()).collect();
    let results: Vec<Ty<'c>> = root.results().iter().map(|v| v.r#type()).collect();
    b.set_location(root.location());
    let region = b.region(&types, |b, arguments| {
        let mut map: HashMap<usize, Val<'c>> = inputs
            .iter()
            .map(|v| op::key(*v))
            .zip(arguments.iter().copied())
            .collect();
        for member in &members {
            let copy = edit::clone(*member, &map);
            edit::append(b.block(), copy);
            for (old, new) in member.results().into_iter().zip(copy.results()) {
                map.insert(op::key(old), new);
            }
        }
        let yielded: Vec<Val<'c>> = root
            .results()
            .iter()
            .filter_map(|v| map.get(&op::key(*v)).copied())
            .collect();
        b.op("indexing.yield", &yielded, &[], &[]);
    });
    let operands: Vec<Val<'c>> = inputs
        .iter()
        .map(|v| replaced.get(&op::key(*v)).copied().unwrap_or(*v))
        .collect();
    b.insert_before(Some(root));
    let kind = b.str_attr("general");
    let fusion = b.op_with_regions(
        "indexing.fusion",
        &operands,
        &results,
        &[("kind", kind)],
        vec![region],
    );
    b.insert_before(None);
    for (old, new) in root.results().into_iter().zip(fusion.results()) {
        replaced.insert(op::key(old), new);
        op::replace_all_uses(old, new);
    }
}
