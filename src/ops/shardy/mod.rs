//! The constraints of Shardy's operations and attributes: what `mapwright_sharding` says of their texts, with the types and meshes of a program.

mod regions;
mod values;

use crate::symbols;
use mapwright_mlir::{Attr, Op, ValueType, attr, hooks::Place, op};
use mapwright_sharding::Reduction;
use mapwright_sharding::notation::{
    Collective, Mesh, PropagationEdges, ShardingRule, ShardySharding, axes_moves, axis_lists,
    per_value,
};
use std::str::FromStr;

type Check<T = ()> = Result<T, String>;

/// What keeps the sharding of results that are no Shardy's, and of arguments and results of functions.
const SHARDING: &str = "sdy.sharding";

/// Checks an operation of Shardy; what is wrong is reported at it.
pub(crate) fn verify(op: Op<'_>) -> bool {
    report(op, check(op))
}

/// Checks an attribute that Shardy adds to an operation, or to an argument or a result of a function.
pub(crate) fn verify_attribute(op: Op<'_>, name: &str, value: Attr<'_>, place: Place) -> bool {
    let checked = match (name, place) {
        (SHARDING, Place::Operation) => of_results(op, value),
        (SHARDING, Place::Argument(i) | Place::Result(i)) => {
            let types = symbols::signature(op).map(|(arguments, results)| match place {
                Place::Result(_) => results,
                _ => arguments,
            });
            let of = types.as_ref().and_then(|types| types.get(i));
            let checked = one(op, value, of.unwrap_or(&ValueType::Token));
            checked.map_err(|reason| match place {
                Place::Result(_) => format!("result {i}: {reason}"),
                _ => format!("argument {i}: {reason}"),
            })
        }
        ("sdy.sharding_rule", Place::Operation) => rule(op, value),
        ("sdy.propagation_edges", Place::Operation) => edges(op, value),
        ("sdy.result_propagation_edges" | "sdy.block_arg_propagation_edges", Place::Operation) => {
            let list = attr::array(value).ok_or_else(|| format!("expected a list, is {value}"));
            list.and_then(|list| list.into_iter().try_for_each(|one| edges(op, one)))
        }
        _ => Ok(()),
    };
    report(op, checked.map_err(|reason| format!("'{name}': {reason}")))
}

fn report(op: Op<'_>, checked: Check) -> bool {
    match checked {
        Ok(()) => true,
        Err(reason) => {
            op.emit_error(&reason);
            false
        }
    }
}

fn check(op: Op<'_>) -> Check {
    match op.short_name() {
        "mesh" => read::<Mesh>(op, "mesh")?.check(),
        "sharding_constraint" | "reshard" => {
            of_type(op, &read(op, "sharding")?, &op.result_type(0))
        }
        "propagation_barrier" if direction(op).as_deref() == Some("BOTH") => {
            Err("a barrier that blocks neither direction ('BOTH') is none".into())
        }
        "data_flow_edge" => {
            let input = op.operand(0);
            let maker = op::defining_op(input).map(|(maker, _)| maker);
            let is_shardys = maker.is_some_and(|maker| {
                maker.dialect() == "sdy" && maker.short_name() != "named_computation"
            });
            if is_shardys {
                return Err(
                    "the owner of an edge is a value of an operation that is not Shardy's".into(),
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
                return Err(
                    "its operand is neither an argument of a function nor a result of a call"
                        .into(),
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

fn direction(op: Op<'_>) -> Option<String> {
    let text = op.text("allowed_direction")?;
    let word = text.rsplit([' ', '.', '<']).next()?;
    let number = op.int("allowed_direction");
    Some(match number {
        Some(3) => "BOTH".to_owned(),
        _ => word.trim_end_matches('>').to_owned(),
    })
}

fn only_use(op: Op<'_>) -> Check {
    match op::uses(op.operand(0)).len() {
        1 => Ok(()),
        n => Err(format!("its operand has {n} uses instead of this one")),
    }
}

/// The attribute `name` by its text.
fn read<T: FromStr<Err: ToString>>(op: Op<'_>, name: &str) -> Check<T> {
    let text = op.text(name).ok_or_else(|| format!("needs '{name}'"))?;
    text.parse()
        .map_err(|error: T::Err| format!("'{name}': {}", error.to_string()))
}

/// A list of shardings; none where there is no such attribute.
fn read_list(op: Op<'_>, name: &str) -> Check<Option<Vec<ShardySharding>>> {
    let list = op.text(name).map(|text| per_value(&text)).transpose();
    list.map_err(|error| format!("'{name}': {error}"))
}

/// The mesh of a sharding in the modules around `op`; `None` where there is no module, so that it may be any.
fn mesh_of(op: Op<'_>, sharding: &ShardySharding) -> Check<Option<Mesh>> {
    if symbols::is_in_no_module(op) {
        return Ok(None);
    }
    let find = |name: &str| {
        let mesh = symbols::declared(op, name).filter(|mesh| mesh.name() == "sdy.mesh")?;
        mesh.text("mesh")?.parse().ok()
    };
    sharding.mesh(find).map(Some)
}

/// Checks the sharding of a value of this type, which `op` or an operand of it has.
fn of_type(op: Op<'_>, sharding: &ShardySharding, ty: &ValueType) -> Check {
    let rank = match ty {
        ValueType::Tensor(ty) => Some(ty.rank()),
        ValueType::UnrankedTensor(_) => return Err("a tensor with a sharding has a rank".into()),
        _ => None,
    };
    let Some(mesh) = mesh_of(op, sharding)? else {
        return Ok(());
    };
    sharding.check(&mesh, rank)?;
    let axes = sharding.axes().map(|axis| axis.name.as_str());
    regions::are_free(op, &mesh, axes)
}

fn one(op: Op<'_>, value: Attr<'_>, ty: &ValueType) -> Check {
    let text = value.to_string();
    if !text.starts_with("#sdy.sharding<") {
        return Err(format!("expected '#sdy.sharding', is {text}"));
    }
    let sharding: ShardySharding = text.parse().map_err(|error| format!("{error}"))?;
    of_type(op, &sharding, ty)
}

/// The shardings of the results of an operation; one without results has one sharding, which says the device.
fn of_results(op: Op<'_>, value: Attr<'_>) -> Check {
    let text = value.to_string();
    if !text.starts_with("#sdy.sharding_per_value") {
        return Err(format!("expected '#sdy.sharding_per_value', is {text}"));
    }
    let list = per_value(&text).map_err(|error| error.to_string())?;
    let mut types: Vec<ValueType> = (0..op.num_results()).map(|i| op.result_type(i)).collect();
    if types.is_empty() {
        types.push(ValueType::Token);
    }
    of_types(op, "result", &list, &types)
}

fn of_types(op: Op<'_>, what: &str, list: &[ShardySharding], types: &[ValueType]) -> Check {
    if list.len() != types.len() {
        let (given, count) = (list.len(), types.len());
        return Err(format!("{given} shardings are given for {count} {what}s"));
    }
    for (i, (sharding, ty)) in list.iter().zip(types).enumerate() {
        of_type(op, sharding, ty).map_err(|reason| format!("{what} {i}: {reason}"))?;
    }
    Ok(())
}

fn rule(op: Op<'_>, value: Attr<'_>) -> Check {
    let text = value.to_string();
    if !text.starts_with("#sdy.op_sharding_rule") {
        return Err(format!("expected '#sdy.op_sharding_rule', is {text}"));
    }
    let rule: ShardingRule = text.parse().map_err(|error| format!("{error}"))?;
    let operands: Check<Vec<usize>> = (0..op.num_operands())
        .map(|i| static_rank(&op.operand_type(i)))
        .collect();
    let results: Check<Vec<usize>> = (0..op.num_results())
        .map(|i| static_rank(&op.result_type(i)))
        .collect();
    rule.check(&operands?, &results?)
}

/// The number of dimensions of a tensor, all of whose sizes are known; 0 for values that are no tensors.
fn static_rank(ty: &ValueType) -> Check<usize> {
    match ty {
        ValueType::Tensor(tensor) if tensor.dims.iter().all(|dim| dim.fixed().is_some()) => {
            Ok(tensor.rank())
        }
        ValueType::Tensor(_) | ValueType::UnrankedTensor(_) => {
            Err(format!("a tensor of static shape is expected, not {ty}"))
        }
        _ => Ok(0),
    }
}

/// The ways that shardings took: along axes of a mesh of the program, to values that have a sharding.
fn edges(op: Op<'_>, value: Attr<'_>) -> Check {
    let text = value.to_string();
    if !text.starts_with("#sdy.propagation_edges") {
        return Err(format!("expected '#sdy.propagation_edges', is {text}"));
    }
    let edges: PropagationEdges = text.parse().map_err(|error| format!("{error}"))?;
    edges.check(op.num_operands(), op.num_results())?;
    match op.attribute(SHARDING).or_else(|| op.attribute("sharding")) {
        Some(_) => Ok(()),
        None => Err("the operation has no sharding that the edges could be of".into()),
    }
}

/// A collective gives what follows from the sharding of its operand.
fn collective(op: Op<'_>) -> Check {
    let result: ShardySharding = read(op, "out_sharding")?;
    of_type(op, &result, &op.result_type(0))?;
    let lists = |name: &str| {
        let text = op.text(name).unwrap_or_default();
        axis_lists(&text).map_err(|error| format!("'{name}': {error}"))
    };
    let first = |name: &str| Ok::<_, String>(lists(name)?.into_iter().next().unwrap_or_default());
    let collective = match op.short_name() {
        "all_gather" => Collective::Gather(lists("gathering_axes")?),
        "all_slice" => Collective::Slice(lists("slicing_axes")?),
        "reduce_scatter" => Collective::Slice(lists("reduce_scatter_axes")?),
        "all_to_all" => {
            let moves = axes_moves(&op.text("params").unwrap_or_default());
            Collective::Move(moves.map_err(|error| format!("'params': {error}"))?)
        }
        "all_reduce" => Collective::Reduce(first("reduction_axes")?),
        "collective_permute" => Collective::Permute,
        "replicated_to_unreduced" => Collective::ReplicatedToUnreduced(first("axes")?),
        "sharded_to_unreduced" => Collective::ShardedToUnreduced(lists("axes")?),
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
        values::Known::None => return Err("its operand has no sharding".into()),
    };
    let (Some(from), Some(to)) = (mesh_of(op, &operand)?, mesh_of(op, &result)?) else {
        return Ok(());
    };
    collective.check((&operand, &from), (&result, &to))
}

/// The sharding in the entry for an argument of a function.
fn entry(list: Option<Attr<'_>>, i: usize) -> Option<ShardySharding> {
    let entries = list.and_then(attr::array)?;
    let own = attr::entry(*entries.get(i)?, SHARDING)?;
    own.to_string().parse().ok()
}
