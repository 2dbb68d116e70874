//! The constraints of Shardy's operations and attributes: what `mapwright_sharding` says of their
//! texts, with the types and meshes of a program.

mod regions;
mod values;

use crate::{
    symbols,
    typing::{
        self,
        check::{Check, Violation, at, violation},
    },
};
use mapwright_indexing::counted;
use mapwright_mlir::{Attr, Op, ValueType, attr, hooks::Place, op};
use mapwright_sharding::Reduction;
use mapwright_sharding::notation::{
    self, Mesh, PropagationEdges, ShardingRule, ShardyCollective, ShardySharding, axes_moves,
    axis_lists, per_value,
};
use std::{fmt::Display, str::FromStr};

/// Name of the attribute that keeps the sharding of results of operations that are not Shardy's,
/// and of arguments and results of functions.
const SHARDING: &str = "sdy.sharding";

/// Why a computation by hand (`sdy.manual_computation`) is not run or compiled, said of it.
pub const NOT_PARTITIONED: &str = "is the program of one of several devices: run the whole program by `mapwright run --devices N` or `mpirun -n N mapwright run`, or make that of one device by the pass `indexing-partition`";

/// `BOTH` among the directions of propagation (`dialect/sdy/Enums.td`).
const BOTH: i64 = 3;

impl From<notation::Violation> for Violation {
    fn from(error: notation::Violation) -> Self {
        Self {
            label: "",
            message: error.0,
        }
    }
}

/// The violation of a constraint, none of which has a label.
fn violated<T>(message: impl Into<String>) -> Check<T> {
    violation("", message)
}

/// Checks an operation of Shardy; what is wrong is reported at it.
pub(crate) fn verify(op: Op<'_>) -> bool {
    typing::reported(op, check(op))
}

/// Checks an attribute that Shardy adds to an operation, or to an argument or a result of a
/// function.
pub(crate) fn verify_attribute(op: Op<'_>, name: &str, value: Attr<'_>, place: Place) -> bool {
    let checked = match (name, place) {
        (SHARDING, Place::Operation) => of_results(op, value),
        (SHARDING, Place::Argument(_) | Place::Result(_)) => of_place(op, value, place),
        ("sdy.sharding_rule", Place::Operation) => rule(op, value),
        ("sdy.propagation_edges", Place::Operation) => edges(op, value),
        ("sdy.result_propagation_edges" | "sdy.block_arg_propagation_edges", Place::Operation) => {
            match attr::array(value) {
                Some(list) => list.into_iter().try_for_each(|one| edges(op, one)),
                None => violated(format!("expected a list, is {value}")),
            }
        }
        _ => Ok(()),
    };
    typing::reported(op, at(format_args!("'{name}'"), checked))
}

fn check(op: Op<'_>) -> Check {
    match op.short_name() {
        "mesh" => Ok(read::<Mesh>(op, "mesh")?.check()?),
        "sharding_constraint" | "reshard" => {
            let sharding = read(op, "sharding")?;
            of_type(op, &sharding, &op.result_type(0))?;
            let values::Known::Sharding(before) = values::sharding(op.operand(0))? else {
                return Ok(());
            };
            let (from, to) = (mesh_of(op, &before)?, mesh_of(op, &sharding)?);
            match from.zip(to).filter(|(from, to)| from.is_same(to)) {
                Some((_, mesh)) => Ok(before.check_unreduced(&sharding, &mesh)?),
                None => Ok(()),
            }
        }
        "propagation_barrier" if op.int("allowed_direction") == Some(BOTH) => {
            violated("a barrier that blocks neither direction ('BOTH') is none")
        }
        "data_flow_edge" => {
            let input = op.operand(0);
            let maker = op::defining_op(input).map(|(maker, _)| maker);
            let is_shardys = maker.is_some_and(|maker| {
                maker.dialect() == "sdy" && maker.short_name() != "named_computation"
            });
            if is_shardys {
                return violated(
                    "the owner of an edge is a value of an operation that is not Shardy's",
                );
            }
            only_use(op)?;
            match op.text("sharding") {
                Some(_) => of_type(op, &read(op, "sharding")?, &op.operand_type(0)),
                None => Ok(()),
            }
        }
        "func_data_flow_edge" => {
            let is_between = match op::defining_op(op.operand(0)) {
                Some((maker, _)) => maker.name().ends_with(".call"),
                None => op::block_argument(op.operand(0))
                    .and_then(|(block, _)| op::parent_of_block(block))
                    .is_none_or(|owner| owner.name().ends_with(".func")),
            };
            if !is_between {
                return violated(
                    "its operand is neither an argument of a function nor a result of a call",
                );
            }
            static_rank(&op.result_type(0))?;
            only_use(op)
        }
        "manual_computation" => regions::manual_computation(op),
        "named_computation" => regions::named_computation(op),
        _ if op.attribute("out_sharding").is_some() => collective(op),
        _ => Ok(()),
    }
}

fn only_use(op: Op<'_>) -> Check {
    match op::uses(op.operand(0)).len() {
        1 => Ok(()),
        n => violated(format!("its operand has {n} uses instead of this one")),
    }
}

/// Parses the text of the attribute `name`.
fn read<T: FromStr<Err: Display>>(op: Op<'_>, name: &str) -> Check<T> {
    match op.text(name) {
        Some(text) => parsed(format_args!("'{name}'"), text.parse()),
        None => violated(format!("needs '{name}'")),
    }
}

fn parsed<T>(what: impl Display, parsed: Result<T, impl Display>) -> Check<T> {
    parsed.or_else(|error| violated(format!("{what}: {error}")))
}

/// A list of shardings; none where there is no such attribute.
fn read_list(op: Op<'_>, name: &str) -> Check<Option<Vec<ShardySharding>>> {
    let list = op.text(name).map(|text| per_value(&text)).transpose();
    parsed(format_args!("'{name}'"), list)
}

/// The mesh of a sharding in the modules around `op`; `None` where there is no module, so that it
/// may be any.
fn mesh_of(op: Op<'_>, sharding: &ShardySharding) -> Check<Option<Mesh>> {
    if symbols::is_in_no_module(op) {
        return Ok(None);
    }
    let find = |name: &str| {
        let mesh = symbols::declared(op, name).filter(|mesh| mesh.name() == "sdy.mesh")?;
        mesh.text("mesh")?.parse().ok()
    };
    Ok(Some(sharding.mesh(find)?))
}

/// Checks the sharding of a value of this type, which `op` or an operand of it has.
fn of_type(op: Op<'_>, sharding: &ShardySharding, ty: &ValueType) -> Check {
    let rank = match ty {
        ValueType::Tensor(ty) => Some(ty.rank()),
        ValueType::UnrankedTensor(_) => return violated("a tensor with a sharding has a rank"),
        _ => None,
    };
    let Some(mesh) = mesh_of(op, sharding)? else {
        return Ok(());
    };
    sharding.check(&mesh, rank)?;
    let axes = sharding.axes().map(|axis| axis.name.as_str());
    regions::are_free(op, &mesh, axes)
}

/// The text of an attribute of this kind.
fn text_of(kind: &str, value: Attr<'_>) -> Check<String> {
    let text = value.to_string();
    let is_one = text
        .strip_prefix(kind)
        .is_some_and(|rest| rest.starts_with('<'));
    if is_one {
        Ok(text)
    } else {
        violated(format!("expected '{kind}', is {text}"))
    }
}

/// The sharding of an argument or a result of a function.
fn of_place(function: Op<'_>, value: Attr<'_>, place: Place) -> Check {
    let (arguments, results) = symbols::signature(function).unwrap_or_default();
    let (what, i, types) = match place {
        Place::Argument(i) => ("argument", i, arguments),
        Place::Result(i) => ("result", i, results),
        Place::Operation => return Ok(()),
    };
    let of_value = || {
        let sharding = parsed("in it", text_of("#sdy.sharding", value)?.parse())?;
        let of = types.get(i).map(|ty| of_type(function, &sharding, ty));
        of.unwrap_or(Ok(()))
    };
    at(format_args!("{what} {i}"), of_value())
}

/// The shardings of the results of an operation; one without results has one sharding, which says
/// the device.
fn of_results(op: Op<'_>, value: Attr<'_>) -> Check {
    let list = per_value(&text_of("#sdy.sharding_per_value", value)?);
    let mut types: Vec<ValueType> = (0..op.num_results()).map(|i| op.result_type(i)).collect();
    if types.is_empty() {
        // What has no dimensions.
        types.push(ValueType::Token);
    }
    of_types(op, "result", &parsed("in it", list)?, &types)
}

fn of_types(op: Op<'_>, what: &str, list: &[ShardySharding], types: &[ValueType]) -> Check {
    if list.len() != types.len() {
        let verb = if list.len() == 1 { "is" } else { "are" };
        let given = counted(list.len(), "sharding");
        let count = counted(types.len(), what);
        return violated(format!("{given} {verb} given for {count}"));
    }
    for (i, (sharding, ty)) in list.iter().zip(types).enumerate() {
        at(format_args!("{what} {i}"), of_type(op, sharding, ty))?;
    }
    Ok(())
}

fn rule(op: Op<'_>, value: Attr<'_>) -> Check {
    let text = text_of("#sdy.op_sharding_rule", value)?;
    let rule: ShardingRule = parsed("in it", text.parse())?;
    let operands: Check<Vec<usize>> = (0..op.num_operands())
        .map(|i| static_rank(&op.operand_type(i)))
        .collect();
    let results: Check<Vec<usize>> = (0..op.num_results())
        .map(|i| static_rank(&op.result_type(i)))
        .collect();
    Ok(rule.check(&operands?, &results?)?)
}

/// The number of dimensions of a tensor, all of whose sizes are known; 0 for values that are no
/// tensors.
fn static_rank(ty: &ValueType) -> Check<usize> {
    match ty {
        ValueType::Tensor(tensor) if tensor.dims.iter().all(|dim| dim.fixed().is_some()) => {
            Ok(tensor.rank())
        }
        ValueType::Tensor(_) | ValueType::UnrankedTensor(_) => {
            violated(format!("a tensor of static shape is expected, not {ty}"))
        }
        _ => Ok(0),
    }
}

/// The ways that shardings took: to values that have a sharding, along axes of its mesh.
fn edges(op: Op<'_>, value: Attr<'_>) -> Check {
    let text = text_of("#sdy.propagation_edges", value)?;
    let edges: PropagationEdges = parsed("in it", text.parse())?;
    edges.check(op.num_operands(), op.num_results())?;
    let shardings = match op.text("sharding") {
        Some(_) => vec![read(op, "sharding")?],
        None => read_list(op, SHARDING)?.unwrap_or_default(),
    };
    if shardings.is_empty() {
        return violated("the operation has no sharding that the edges could be of");
    }
    for sharding in &shardings {
        let Some(mesh) = mesh_of(op, sharding)? else {
            return Ok(());
        };
        let is_known = |name: &str| mesh.axes.iter().any(|axis| axis.0 == name);
        if let Some(axis) = edges.axes().find(|axis| !is_known(&axis.name)) {
            return violated(format!("the mesh of the sharding has no axis {axis}"));
        }
    }
    Ok(())
}

/// A collective gives what follows from the sharding of its operand.
fn collective(op: Op<'_>) -> Check {
    let result: ShardySharding = read(op, "out_sharding")?;
    of_type(op, &result, &op.result_type(0))?;
    let lists = |name: &str| {
        let text = op.text(name).unwrap_or_default();
        parsed(format_args!("'{name}'"), axis_lists(&text))
    };
    let first = |name: &str| lists(name).map(|lists| lists.into_iter().next().unwrap_or_default());
    // As in `dialect/sdy/Enums.td`.
    let by = match op.int("reduction_op") {
        Some(1) => Reduction::Max,
        Some(2) => Reduction::Min,
        _ => Reduction::Sum,
    };
    let collective = match op.short_name() {
        "all_gather" => ShardyCollective::Gather(lists("gathering_axes")?),
        "all_slice" => ShardyCollective::Slice(lists("slicing_axes")?),
        "reduce_scatter" => ShardyCollective::ReduceScatter(by, lists("reduce_scatter_axes")?),
        "all_to_all" => {
            let moves = axes_moves(&op.text("params").unwrap_or_default());
            ShardyCollective::Move(parsed("'params'", moves)?)
        }
        "all_reduce" => ShardyCollective::Reduce(by, first("reduction_axes")?),
        "collective_permute" => ShardyCollective::Permute,
        "replicated_to_unreduced" => ShardyCollective::ReplicatedToUnreduced(first("axes")?),
        "sharded_to_unreduced" => ShardyCollective::ShardedToUnreduced(lists("axes")?),
        _ => return Ok(()),
    };
    let operand = match values::sharding(op.operand(0))? {
        values::Known::Sharding(sharding) => sharding,
        values::Known::Elsewhere => return Ok(()),
        values::Known::None if collective.takes_replicated() => ShardySharding {
            mesh: result.mesh.clone(),
            dims: vec![Default::default(); result.dims.len()],
            replicated: Vec::new(),
            unreduced: Vec::new(),
            reduction: Reduction::Sum,
        },
        values::Known::None => return violated("its operand has no sharding"),
    };
    let (Some(from), Some(to)) = (mesh_of(op, &operand)?, mesh_of(op, &result)?) else {
        return Ok(());
    };
    Ok(collective.check((&operand, &from), (&result, &to))?)
}
