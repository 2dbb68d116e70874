//! Operations between the processes of a program (replicas and partitions), messages, and
//! `interpreter.run_parallel`, which runs such processes.

use super::{
    emit::Host,
    marshal::{Outcome, bad, list, load, shape, typed, why},
    values::tensor,
};
use crate::{
    error::{Located, Unsupported},
    scalar,
    sizes::launched,
    storage,
};
use mapwright_mlir::{Op, Val, attr};
use mapwright_ops::{attrs, collective::is_exchange};

/// Time that processes wait for each other.
const TIMEOUT_MILLISECONDS: i64 = 30_000;

/// Tells whether it is one of the operations of this file.
pub(crate) fn is_known(op: Op<'_>) -> bool {
    op.name() == "interpreter.run_parallel"
        || is_exchange(op)
        || matches!(op.dialect(), "stablehlo" | "mhlo")
            && matches!(
                op.short_name(),
                "send" | "recv" | "infeed" | "outfeed" | "replica_id" | "partition_id"
            )
}

/// A number for an operation: its position among those of its function that exchange data.
fn number_of(op: Op<'_>) -> usize {
    let mut function = op;
    while let Some(parent) = function.parent() {
        if function.name() == "func.func" {
            break;
        }
        function = parent;
    }
    let all = function.descendants();
    all.iter()
        .filter(|o| is_known(**o))
        .position(|o| *o == op)
        .unwrap_or(0)
}

/// Functions that `op` runs, if it is `interpreter.run_parallel`: the programs, row by row, and
/// those that fill the infeed.
pub fn programs(op: Op<'_>) -> (Vec<Vec<String>>, Vec<String>) {
    let names = |list| -> Vec<String> {
        attr::array(list)
            .unwrap_or_default()
            .into_iter()
            .filter_map(attr::symbol)
            .collect()
    };
    let rows = op
        .attribute("programs")
        .and_then(attr::array)
        .unwrap_or_default()
        .into_iter()
        .map(names)
        .collect();
    (rows, op.attribute("infeed").map(names).unwrap_or_default())
}

pub(crate) fn operation<'c>(host: &Host<'_, 'c>, op: Op<'c>) -> Outcome<'c> {
    let f = host.f;
    match op.short_name() {
        "run_parallel" => run_parallel(host, op),
        "replica_id" | "partition_id" => {
            let function = format!("mw_{}", op.short_name());
            if let Some(id) = f.call(&function, &[host.context], "i64") {
                let small = host.b().cast("arith.trunci", id, host.b().int(32));
                f.store(small, host.address(op, op.result(0))?);
            }
            Ok(())
        }
        "infeed" | "recv" => {
            for result in op.results() {
                if tensor(result).is_none() {
                    continue;
                }
                let (target, bytes) = (host.address(op, result)?, host.bytes(result));
                match op.short_name() {
                    "infeed" => host.attempt(op, "mw_infeed", &[host.context, target, bytes]),
                    _ => {
                        let channel = f.i64(attrs::channel(op).map_err(bad(op))?.handle);
                        let args = [host.context, channel, peer(host, op)?, target, bytes];
                        host.attempt(op, "mw_recv", &args);
                    }
                }
            }
            Ok(())
        }
        "outfeed" | "send" => {
            for operand in op.operands() {
                if tensor(operand).is_none() {
                    continue;
                }
                let (source, bytes) = (host.address(op, operand)?, host.bytes(operand));
                match op.short_name() {
                    "outfeed" => host.attempt(op, "mw_outfeed", &[host.context, source, bytes]),
                    _ => {
                        let channel = f.i64(attrs::channel(op).map_err(bad(op))?.handle);
                        let args = [host.context, channel, peer(host, op)?, source, bytes];
                        host.attempt(op, "mw_send", &args);
                    }
                }
            }
            Ok(())
        }
        _ => exchange(host, op),
    }
}

/// A list of pairs, and their number.
fn pairs<'c>(host: &Host<'_, 'c>, op: Op<'c>) -> Result<(Val<'c>, Val<'c>), Located<'c>> {
    let f = host.f;
    let pairs = attrs::source_target_pairs(op).map_err(bad(op))?;
    let ids = pairs.iter().flat_map(|(source, target)| [source, target]);
    let ids: Vec<Val<'c>> = ids.map(|id| f.i64(*id)).collect();
    Ok((list(host, &ids), f.i64(pairs.len() as i64)))
}

/// The other end of a message: what its pairs say, or anybody.
fn peer<'c>(host: &Host<'_, 'c>, op: Op<'c>) -> Result<Val<'c>, Located<'c>> {
    let f = host.f;
    if !attrs::is_paired(op) {
        return Ok(f.i64(-2));
    }
    let (list, count) = pairs(host, op)?;
    let sends = f.i32(i64::from(op.short_name() == "send"));
    let args = [host.context, list, count, sends];
    let peer = f.call("mw_message_peer", &args, "i64");
    Ok(peer.unwrap_or_else(|| f.i64(-2)))
}

/// `enum mw_group_mode` as the specification derives it from the channel and
/// `use_global_device_ids`.
fn mode<'c>(op: Op<'c>, channel: i64, global: bool) -> i64 {
    let reducing = matches!(
        op.short_name(),
        "all_reduce" | "all_gather" | "collective_reduce" | "reduce_scatter" | "cross-replica-sum"
    );
    match (reducing, channel > 0, global) {
        (_, false, _) => 0,
        (true, true, false) => 2,
        (true, true, true) => 3,
        (false, true, _) => 1,
    }
}

fn exchange<'c>(host: &Host<'_, 'c>, op: Op<'c>) -> Outcome<'c> {
    let f = host.f;
    host.infer(op)?;
    let channel = attrs::channel(op).map_err(bad(op))?.handle;
    let int = |name: &str| attrs::int(op, name).map_err(bad(op));
    // The same number on all members: the channel, or the place in the program.
    let number = number_of(op);
    let dynamic_root = attrs::has_dynamic_root(op).map_err(bad(op))?;
    for (k, (operand, result)) in op.operands().into_iter().zip(op.results()).enumerate() {
        if host.overlaps.is_started(op) {
            let start = [host.context, f.text(&launched::place(op))];
            f.call("mw_collective_start", &start, "void");
        }
        let (ty, kind) = typed(op, operand)?;
        let record = f.alloca(32);
        f.store(f.i32(kind), record);
        f.store(f.i32(ty.rank() as i64), f.offset(record, 4));
        f.store(shape(host, operand), f.offset(record, 8));
        f.store(host.address(op, operand)?, f.offset(record, 16));
        f.store(host.address(op, result)?, f.offset(record, 24));
        let key = if channel > 0 {
            (channel << 8) + k as i64
        } else {
            (1 << 60) + ((number as i64) << 8) + k as i64
        };
        let key = f.i64(key);
        if op.short_name() == "collective_permute" {
            let (pairs, count) = pairs(host, op)?;
            let mode = f.i32(mode(op, channel, false));
            let args = [host.context, key, mode, pairs, count, record];
            host.attempt(op, "mw_collective_permute", &args);
            continue;
        }
        let groups = attrs::replica_groups(op).map_err(bad(op))?;
        let size = groups.groups.iter().map(Vec::len).max().unwrap_or(0);
        let mut ids = Vec::new();
        for row in &groups.groups {
            ids.extend((0..size).map(|i| f.i64(row.get(i).copied().unwrap_or(-1))));
        }
        let place = f.alloca(32);
        f.store(f.i32(mode(op, channel, groups.global_device_ids)), place);
        f.store(list(host, &ids), f.offset(place, 8));
        f.store(f.i64(groups.groups.len() as i64), f.offset(place, 16));
        f.store(f.i64(size as i64), f.offset(place, 24));
        let mut args = vec![host.context, key, place, record];
        let function = match op.short_name() {
            "all_reduce" | "cross-replica-sum" => {
                args.extend([reducer(host, op, operand)?, f.null()]);
                "mw_all_reduce"
            }
            "reduce_scatter" => {
                args.extend([
                    f.i64(int("scatter_dimension")?),
                    reducer(host, op, operand)?,
                    f.null(),
                ]);
                "mw_reduce_scatter"
            }
            "all_gather" => {
                args.push(f.i64(int("all_gather_dim")?));
                "mw_all_gather"
            }
            "all_to_all" => {
                args.extend([
                    f.i64(int("split_dimension")?),
                    f.i64(int("concat_dimension")?),
                ]);
                "mw_all_to_all"
            }
            _ => {
                args.push(match (dynamic_root, op.operands().last()) {
                    (true, Some(roots)) => {
                        let place = f.offset(host.address(op, *roots)?, 4 * k as i64);
                        let b = host.b();
                        b.cast("arith.extsi", f.load(place, b.int(32)), b.int(64))
                    }
                    _ => f.i64(0),
                });
                match op.short_name() {
                    "collective_reduce" => {
                        args.extend([reducer(host, op, operand)?, f.null()]);
                        "mw_collective_reduce"
                    }
                    _ => "mw_collective_broadcast",
                }
            }
        };
        host.attempt(op, function, &args);
    }
    Ok(())
}

/// The region of a reduction as a function over arrays of elements.
fn reducer<'c>(host: &Host<'_, 'c>, op: Op<'c>, operand: Val<'c>) -> Result<Val<'c>, Located<'c>> {
    let f = host.f;
    let (module, name) = host.kernels.helper("reducer");
    let Some(block) = op.body(0) else {
        return Err(Located::new(op, "has no reducer"));
    };
    let element = typed(op, operand)?.0.element;
    let code = super::code::Code::new(mapwright_mlir::Builder::new(
        module.context(),
        module.block(),
        op.location(),
    ));
    let types = ["ptr", "ptr", "ptr", "ptr", "i64"];
    let mut outcome = Ok(());
    code.function(&name, &types, "void", |f, args| {
        let b = &f.b;
        let zero = f.i64(0);
        b.for_loop(zero, args[4], f.i64(1), &[], |b, i, _| {
            let step = || -> crate::error::Result<()> {
                let x = load(f, operand, args[1], i)?;
                let y = load(f, operand, args[2], i)?;
                let results = scalar::apply_region(b, block, &[x, y], &[], &|_| None)?;
                let result = results
                    .first()
                    .ok_or_else(|| Unsupported("a reducer without a result".into()))?;
                let width = element.byte_width().unwrap_or(1) as i64;
                let place = f.offset_by(args[3], b.muli(i, f.i64(width)));
                if element.is_complex() {
                    let (re, im) = result.pair();
                    f.store(re, place);
                    f.store(im, f.offset(place, width / 2));
                } else {
                    f.store(storage::to_storage(b, &element, *result)?, place);
                }
                Ok(())
            };
            if let Err(error) = step() {
                outcome = Err(error);
            }
            Vec::new()
        });
        f.ret(None);
    });
    outcome.map_err(why(op))?;
    f.declare(&name, &types, "void");
    Ok(f.address(&name))
}

/// Every program is an entry point of its own; the runtime runs them as the processes of a world.
fn run_parallel<'c>(host: &Host<'_, 'c>, op: Op<'c>) -> Outcome<'c> {
    let f = host.f;
    let (rows, infeed) = programs(op);
    let partitions = rows.first().map_or(0, Vec::len);
    if partitions == 0 || rows.iter().any(|row| row.len() != partitions) {
        return Err(Located::new(
            op,
            "needs the same number of programs in every row",
        ));
    }
    let tensors = |values: &[Val<'c>]| -> Vec<Val<'c>> {
        values
            .iter()
            .copied()
            .filter(|v| tensor(*v).is_some())
            .collect()
    };
    let (mut operands, mut results) = (op.operands().into_iter(), op.results().into_iter());
    let names: Vec<String> = rows.concat();
    let calls = f.alloca(names.len() as i64 * 40);
    let entry_types = ["ptr", "ptr", "ptr", "ptr", "ptr"];
    for (i, name) in names.iter().enumerate() {
        let Some((inputs, outputs)) = host.arity(name) else {
            return Err(Located::new(
                op,
                format!("runs @{name}, which does not exist"),
            ));
        };
        let own: Vec<Val<'c>> = operands.by_ref().take(inputs).collect();
        let made: Vec<Val<'c>> = results.by_ref().take(outputs).collect();
        if own.len() != inputs || made.len() != outputs {
            return Err(Located::new(
                op,
                "has too few operands or results for its programs",
            ));
        }
        let (own, made) = (tensors(&own), tensors(&made));
        if made
            .iter()
            .any(|v| tensor(*v).is_some_and(|t| t.static_shape().is_none()))
        {
            return Err(Located::new(op, "has results of run-time size"));
        }
        let pointers = |values: &[Val<'c>]| -> Result<Val<'c>, Located<'c>> {
            let found = values
                .iter()
                .map(|v| host.address(op, *v))
                .collect::<Result<Vec<_>, _>>()?;
            Ok(list(host, &found))
        };
        let sizes = |values: &[Val<'c>]| {
            let all: Vec<Val<'c>> = values.iter().flat_map(|v| host.sizes_i64(*v)).collect();
            list(host, &all)
        };
        let symbol = format!("mw_entry_{name}");
        f.declare(&symbol, &entry_types, "i32");
        let at = i as i64 * 40;
        f.store(f.address(&symbol), f.offset(calls, at));
        f.store(pointers(&own)?, f.offset(calls, at + 8));
        f.store(sizes(&own), f.offset(calls, at + 16));
        f.store(pointers(&made)?, f.offset(calls, at + 24));
        f.store(sizes(&made), f.offset(calls, at + 32));
    }
    // What the infeed holds is computed first.
    let messages = f.alloca(infeed.len() as i64 * 16);
    for (i, name) in infeed.iter().enumerate() {
        let Some(bytes) = host.result_bytes(name) else {
            return Err(Located::new(
                op,
                format!(
                    "takes its infeed from @{name}, which gives no single tensor of static shape"
                ),
            ));
        };
        let symbol = format!("mw_entry_{name}");
        let buffer = f.alloca(bytes);
        let results = f.alloca(8);
        f.store(buffer, results);
        let sizes = f.alloca(64 * 8);
        f.try_call(
            &symbol,
            &[host.context, f.null(), f.null(), results, sizes],
            host.exit,
        );
        f.store(buffer, f.offset(messages, i as i64 * 16));
        f.store(f.i64(bytes), f.offset(messages, i as i64 * 16 + 8));
    }
    let args = [
        host.context,
        f.i64(rows.len() as i64),
        f.i64(partitions as i64),
        f.i64(TIMEOUT_MILLISECONDS),
        calls,
        messages,
        f.i64(infeed.len() as i64),
    ];
    f.try_call("mw_run_world", &args, host.exit);
    Ok(())
}
