//! `sort` and `top_k`: calls of the runtime library.

use super::{
    emit::Host,
    marshal::{Outcome, bad, load, product, shape, typed, why},
};
use crate::{
    error::{Located, Unsupported},
    scalar,
};
use mapwright_mlir::{Op, Val, edit, op};
use mapwright_ops::attrs;

/// `sort`: by keys where the comparator is an order of numbers, else by the comparator, compiled.
pub(crate) fn sort<'c>(host: &Host<'_, 'c>, op: Op<'c>) -> Outcome<'c> {
    let f = host.f;
    host.infer(op)?;
    let operands = op.operands();
    let Some(first) = operands.first().copied() else {
        return Ok(());
    };
    let rank = typed(op, first)?.0.rank();
    let dimension = attrs::int_or(op, "dimension", -1).map_err(bad(op))?;
    let dimension = if dimension < 0 {
        dimension + rank as i64
    } else {
        dimension
    };
    if rank == 0 {
        for (from, to) in operands.iter().zip(op.results()) {
            host.transfer(*from, to);
        }
        return Ok(());
    }
    // Keys first: the runtime sorts by the operands in front.
    let keys = if host.kernels.is_disabled("sort-keys") {
        Vec::new()
    } else {
        super::order::keys(op).unwrap_or_default()
    };
    let rest = (0..operands.len()).filter(|i| keys.iter().all(|(key, _)| key != i));
    let listed: Vec<usize> = keys.iter().map(|(key, _)| *key).chain(rest).collect();
    let records = f.alloca(operands.len() as i64 * 24);
    for (place, i) in listed.into_iter().enumerate() {
        let (from, to) = (operands[i], op.result(i));
        let (_, kind) = typed(op, from)?;
        let at = place as i64 * 24;
        // A result that nobody reads is not written.
        let written = if keys.is_empty() || operands.len() == 1 || edit::is_used(to) {
            host.address(op, to)?
        } else {
            f.null()
        };
        f.store(host.address(op, from)?, f.offset(records, at));
        f.store(written, f.offset(records, at + 8));
        f.store(f.i32(kind), f.offset(records, at + 16));
    }
    let sizes = shape(host, first);
    let count = f.i64(operands.len() as i64);
    let (rank, dimension) = (f.i64(rank as i64), f.i64(dimension));
    if !keys.is_empty() {
        let orders = f.alloca(keys.len() as i64 * 4);
        for (i, (_, order)) in keys.iter().enumerate() {
            f.store(f.i32(order.code()), f.offset(orders, i as i64 * 4));
        }
        let args = [
            host.context,
            records,
            count,
            sizes,
            rank,
            dimension,
            orders,
            f.i64(keys.len() as i64),
        ];
        host.attempt(op, "mw_sort", &args);
        return Ok(());
    }
    let captured = captured(op);
    let environment = f.alloca(captured.len() as i64 * 8);
    for (i, value) in captured.iter().enumerate() {
        f.store(
            host.address(op, *value)?,
            f.offset(environment, i as i64 * 8),
        );
    }
    let comparator = comparator(host, op, &captured)?;
    f.declare(&comparator, &["ptr", "ptr", "i64", "i64"], "i8");
    let comparator = f.address(&comparator);
    let args = [
        host.context,
        records,
        count,
        sizes,
        rank,
        dimension,
        comparator,
        environment,
    ];
    host.attempt(op, "mw_sort_by", &args);
    Ok(())
}

/// Values that the comparator uses from outside, each once.
fn captured<'c>(op: Op<'c>) -> Vec<Val<'c>> {
    let mut values: Vec<Val<'c>> = Vec::new();
    for value in mapwright_mlir::computation::captured(op) {
        if values.iter().all(|v| op::key(*v) != op::key(value)) {
            values.push(value);
        }
    }
    values
}

/// The comparator region as a function `i8 name(environment, lines, i, j)`; the environment holds
/// the addresses of `captured`.
fn comparator<'c>(
    host: &Host<'_, 'c>,
    op: Op<'c>,
    captured: &[Val<'c>],
) -> Result<String, Located<'c>> {
    let (module, name) = host.kernels.helper("comparator");
    let Some(block) = op.body(0) else {
        return Err(Located::new(op, "has no comparator"));
    };
    let code = super::code::Code::new(mapwright_mlir::Builder::new(
        module.context(),
        module.block(),
        op.location(),
    ));
    let mut outcome = Ok(());
    code.function(&name, &["ptr", "ptr", "i64", "i64"], "i8", |f, args| {
        let b = &f.b;
        let mut elements = Vec::new();
        for (k, operand) in op.operands().into_iter().enumerate() {
            let line = f.load_ptr(f.offset(args[1], k as i64 * 8));
            for index in [args[2], args[3]] {
                match load(f, operand, line, index) {
                    Ok(element) => elements.push(element),
                    Err(error) => outcome = Err(error),
                }
            }
        }
        let mut outer = Vec::new();
        for (k, value) in captured.iter().enumerate() {
            let data = f.load_ptr(f.offset(args[0], k as i64 * 8));
            match load(f, *value, data, f.i64(0)) {
                Ok(element) => outer.push((op::key(*value), element)),
                Err(error) => outcome = Err(error),
            }
        }
        let find = |value: Val<'c>| {
            let mut known = outer.iter();
            known.find_map(|(key, element)| (*key == op::key(value)).then_some(*element))
        };
        if outcome.is_ok() {
            match scalar::apply_region(b, block, &elements, &[], &find) {
                Ok(results) if !results.is_empty() => {
                    let byte = b.cast("arith.extui", results[0].one(), b.int(8));
                    f.ret(Some(byte));
                    return;
                }
                Ok(_) => outcome = Err(Unsupported("a comparator without a result".into())),
                Err(error) => outcome = Err(error),
            }
        }
        f.ret(Some(b.cint(0, b.int(8))));
    });
    outcome.map_err(why(op))?;
    Ok(name)
}

/// `top_k`: values and positions of the first elements in an order.
pub(crate) fn top_k<'c>(host: &Host<'_, 'c>, op: Op<'c>) -> Outcome<'c> {
    let f = host.f;
    host.infer(op)?;
    let operand = op.operand(0);
    let (tensor, kind) = typed(op, operand)?;
    let k = match attrs::name(op) {
        "dynamic_top_k" => {
            let k = host.element(op.operand(1), &[]).map_err(why(op))?;
            f.b.index_cast(k.value(&f.b), f.b.i64())
        }
        _ => f.i64(attrs::int(op, "k").map_err(bad(op))?),
    };
    let largest = attrs::flag(op, "largest", true).map_err(bad(op))?;
    let sizes = host.sizes_i64(operand);
    let Some((n, rows)) = sizes.split_last() else {
        return Err(Located::new(op, "has an operand of rank 0"));
    };
    let rows = product(host, rows);
    let order = match (tensor.element.is_float(), largest) {
        (true, true) => 3,
        (true, false) => 2,
        (false, true) => 1,
        (false, false) => 0,
    };
    let args = [
        host.context,
        f.i32(kind),
        f.i32(order),
        host.address(op, operand)?,
        rows,
        *n,
        k,
        host.address(op, op.result(0))?,
        host.address(op, op.result(1))?,
    ];
    host.attempt(op, "mw_top_k", &args);
    Ok(())
}
