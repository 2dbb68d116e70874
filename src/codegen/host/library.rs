//! Operations that the runtime library computes: sorting, random numbers, transforms,
//! factorisations, checks, custom calls.

use super::{
    assertion, collective,
    emit::Host,
    marshal::{Outcome, bad, list, product, shape, typed},
    sort,
    values::{bytes, tensor},
};
use crate::error::Located;
use mapwright_mlir::{ElementType, FloatKind, Op, Val};
use mapwright_ops::{
    NOT_PARTITIONED, attrs,
    library::{self, Meaning},
    registry,
    typing::Violation,
};

/// Emits an operation that is not in a fusion.
pub(crate) fn operation<'c>(host: &Host<'_, 'c>, op: Op<'c>) -> Outcome<'c> {
    let hlo = matches!(op.dialect(), "stablehlo" | "mhlo" | "chlo");
    match attrs::name(op) {
        "after_all" | "create_token" if hlo => Ok(()),
        "sort" if hlo => sort::sort(host, op),
        "top_k" | "topk" | "dynamic_top_k" if hlo => sort::top_k(host, op),
        "fft" if hlo => fft(host, op),
        "cholesky" if hlo => cholesky(host, op),
        "triangular_solve" if hlo => triangular_solve(host, op),
        "rng_bit_generator" | "dynamic_rng_bit_generator" if hlo => rng_bits(host, op),
        "rng" if hlo => rng(host, op),
        "shape_assertion" if hlo => assertion::shape_assertion(host, op),
        "custom_call" if hlo => custom_call(host, op),
        // Compiled code shows nothing.
        "print" if op.dialect() == "interpreter" => Ok(()),
        // What a probe shows is written by the interpreter alone; the value passes through.
        "probe" if op.dialect() == "interpreter" => {
            host.transfer(op.operand(0), op.result(0));
            Ok(())
        }
        _ if collective::is_known(op) => collective::operation(host, op),
        _ if op.dialect() == "check" => check_op(host, op),
        "manual_computation" if op.dialect() == "sdy" => Err(Located::new(op, NOT_PARTITIONED)),
        _ => {
            // What regions are made of is here where the passes that make them did not run.
            let why = match registry::lookup(op) {
                Some(_) => {
                    "has no code outside of a region: `indexing-normalize` and `func.func(indexing-fuse)` come before, or `indexing-to-loops`, which is all three"
                }
                None => "is not supported by the native backend",
            };
            Err(Located::new(op, why))
        }
    }
}

fn fft<'c>(host: &Host<'_, 'c>, op: Op<'c>) -> Outcome<'c> {
    let f = host.f;
    host.infer(op)?;
    let (operand, result) = (op.operand(0), op.result(0));
    let (tensor, _) = typed(op, operand)?;
    let lengths = attrs::fft_length(op, tensor.rank()).map_err(bad(op))?;
    let kind = match attrs::fft_type(op).map_err(bad(op))?.name() {
        "FFT" => 0,
        "IFFT" => 1,
        "RFFT" => 2,
        _ => 3,
    };
    let real = match tensor.element {
        ElementType::Float(FloatKind::F64) | ElementType::Complex(FloatKind::F64) => 27,
        _ => 26,
    };
    let sizes = host.sizes_i64(operand);
    let batch = product(host, &sizes[..sizes.len() - lengths.len()]);
    let values: Vec<Val<'c>> = lengths.iter().map(|n| f.i64(*n)).collect();
    let rank = f.i64(lengths.len() as i64);
    let lengths = list(host, &values);
    let args = [
        host.context,
        f.i32(kind),
        f.i32(real),
        batch,
        lengths,
        rank,
        host.address(op, operand)?,
        host.address(op, result)?,
    ];
    host.attempt(op, "mw_fft", &args);
    Ok(())
}

fn cholesky<'c>(host: &Host<'_, 'c>, op: Op<'c>) -> Outcome<'c> {
    let f = host.f;
    host.infer(op)?;
    let operand = op.operand(0);
    let (_, kind) = typed(op, operand)?;
    let lower = attrs::flag(op, "lower", false).map_err(bad(op))?;
    let sizes = host.sizes_i64(operand);
    let Some((n, batch)) = sizes.split_last() else {
        return Err(Located::new(op, "has an operand of rank 0"));
    };
    let batch = product(host, &batch[..batch.len().saturating_sub(1)]);
    let args = [
        host.context,
        f.i32(kind),
        batch,
        *n,
        f.i32(i64::from(lower)),
        host.address(op, operand)?,
        host.address(op, op.result(0))?,
    ];
    host.attempt(op, "mw_cholesky", &args);
    Ok(())
}

fn triangular_solve<'c>(host: &Host<'_, 'c>, op: Op<'c>) -> Outcome<'c> {
    let f = host.f;
    host.infer(op)?;
    let (a, x) = (op.operand(0), op.operand(1));
    let (_, kind) = typed(op, x)?;
    let flag = |name: &str| attrs::flag(op, name, false).map_err(bad(op));
    let (left, lower, unit) = (flag("left_side")?, flag("lower")?, flag("unit_diagonal")?);
    let transpose = match attrs::transpose_a(op).map_err(bad(op))?.name() {
        "TRANSPOSE" => 1,
        "ADJOINT" => 2,
        _ => 0,
    };
    let sizes = host.sizes_i64(x);
    let rank = sizes.len();
    if rank < 2 {
        return Err(Located::new(op, "has an operand of rank below 2"));
    }
    let batch = product(host, &sizes[..rank - 2]);
    let number = |value: bool| f.i32(i64::from(value));
    let args = [
        host.context,
        f.i32(kind),
        number(left),
        number(lower),
        number(unit),
        f.i32(transpose),
        batch,
        sizes[rank - 2],
        sizes[rank - 1],
        host.address(op, a)?,
        host.address(op, x)?,
        host.address(op, op.result(0))?,
    ];
    host.attempt(op, "mw_triangular_solve", &args);
    Ok(())
}

fn rng_bits<'c>(host: &Host<'_, 'c>, op: Op<'c>) -> Outcome<'c> {
    let f = host.f;
    host.infer(op)?;
    let state = op.operand(0);
    let algorithm = match attrs::enumeration(op, "rng_algorithm").as_deref() {
        Some("THREE_FRY") => 1,
        Some("PHILOX") => 2,
        _ => 0,
    };
    let (ty, _) = typed(op, state)?;
    let words = bytes(&ty).unwrap_or(16) / 8;
    let (output, kind) = typed(op, op.result(1))?;
    let args = [
        host.context,
        f.i32(algorithm),
        host.address(op, state)?,
        f.i64(words),
        f.i32(kind),
        shape(host, op.result(1)),
        f.i64(output.rank() as i64),
        host.address(op, op.result(1))?,
        host.address(op, op.result(0))?,
    ];
    host.attempt(op, "mw_rng_bits", &args);
    Ok(())
}

fn rng<'c>(host: &Host<'_, 'c>, op: Op<'c>) -> Outcome<'c> {
    let f = host.f;
    host.infer(op)?;
    let distribution = match attrs::enumeration(op, "rng_distribution").as_deref() {
        Some("NORMAL") => 1,
        _ => 0,
    };
    let result = op.result(0);
    let (_, kind) = typed(op, result)?;
    let args = [
        host.context,
        f.i32(distribution),
        f.i32(kind),
        host.address(op, op.operand(0))?,
        host.address(op, op.operand(1))?,
        product(host, &host.sizes_i64(result)),
        host.address(op, result)?,
    ];
    host.attempt(op, "mw_rng", &args);
    Ok(())
}

/// The location of an operation and what it is, for messages at run time.
fn described(op: Op<'_>, what: &str) -> String {
    format!("{what} at {}", op.location())
}

fn custom_call<'c>(host: &Host<'_, 'c>, op: Op<'c>) -> Outcome<'c> {
    let target = op.string("call_target_name").unwrap_or_default();
    let refused = |violation: Violation| Located::new(op, violation.message);
    let meaning = library::verify(op).map_err(refused)?;
    if let Some(Meaning::Annotation | Meaning::PartitionCast) = meaning {
        let arguments = library::arguments(op).map_err(refused)?;
        host.transfer(arguments[0], op.result(0));
        return Ok(());
    }
    match target.as_str() {
        "check.expect_eq" => return check_pair(host, op, "mw_check_equal", &target, &[]),
        "check.eq" => {
            let tolerance = host.b().cfloat(1e-4, host.b().f64());
            return check_pair(host, op, "mw_check_almost_equal", &target, &[tolerance]);
        }
        "check.expect_close" => {
            let (min, max) = (host.f.i64(0), host.f.i64(3));
            return check_pair(host, op, "mw_check_close", &target, &[min, max]);
        }
        "check.expect_almost_eq" => {
            let tolerance = host.b().cfloat(1e-3, host.b().f64());
            return check_pair(host, op, "mw_check_almost_equal", &target, &[tolerance]);
        }
        _ => {}
    }
    if meaning.is_none() {
        host.kernels.calls(op, &target);
    }
    let f = host.f;
    let views = |values: &[Val<'c>]| -> Result<Val<'c>, Located<'c>> {
        let place = f.alloca(values.len() as i64 * 24);
        for (i, value) in values.iter().enumerate() {
            let (tensor, kind) = typed(op, *value)?;
            let at = i as i64 * 24;
            f.store(host.address(op, *value)?, f.offset(place, at));
            f.store(f.i32(kind), f.offset(place, at + 8));
            f.store(f.i32(tensor.rank() as i64), f.offset(place, at + 12));
            f.store(shape(host, *value), f.offset(place, at + 16));
        }
        Ok(place)
    };
    let tensors = |values: Vec<Val<'c>>| -> Vec<Val<'c>> {
        values
            .into_iter()
            .filter(|v| tensor(*v).is_some())
            .collect()
    };
    host.infer(op)?;
    // The function finds the sizes of results with the results.
    let arguments = library::arguments(op).map_err(refused)?;
    let (operands, results) = (tensors(arguments), tensors(op.results()));
    // Where there is an empty string, the configuration may be a dictionary under the name that it
    // has in MHLO.
    let config = op.text("backend_config").filter(|text| text != "\"\"");
    let config = config.or_else(|| op.text("mhlo.backend_config"));
    let config = config.unwrap_or_default();
    let args = [
        host.context,
        f.text(&target),
        views(&operands)?,
        f.i64(operands.len() as i64),
        views(&results)?,
        f.i64(results.len() as i64),
        f.text(&config),
    ];
    host.attempt(op, "mw_custom_call", &args);
    Ok(())
}

/// A check of operand 0 against operand 1.
fn check_pair<'c>(
    host: &Host<'_, 'c>,
    op: Op<'c>,
    function: &str,
    what: &str,
    rest: &[Val<'c>],
) -> Outcome<'c> {
    let (actual, expected) = (op.operand(0), op.operand(1));
    host.infer(op)?;
    let address = host.address(op, expected)?;
    check(host, op, function, what, actual, address, rest)?;
    // As a function it gives `true`.
    for result in op.results() {
        if let Some(place) = host.pointer(result) {
            host.f.store(host.b().cint(1, host.b().int(8)), place);
        }
    }
    Ok(())
}

fn check<'c>(
    host: &Host<'_, 'c>,
    op: Op<'c>,
    function: &str,
    what: &str,
    actual: Val<'c>,
    expected: Val<'c>,
    rest: &[Val<'c>],
) -> Outcome<'c> {
    let f = host.f;
    let (tensor, kind) = typed(op, actual)?;
    let mut args = vec![
        host.context,
        f.text(&described(op, what)),
        f.i32(kind),
        shape(host, actual),
        f.i64(tensor.rank() as i64),
        host.address(op, actual)?,
        expected,
    ];
    args.extend(rest);
    f.try_call(function, &args, host.exit);
    Ok(())
}

/// The `check` dialect: `expect_eq_const`, `expect_almost_eq_const`, `expect_close_const`, and the
/// forms with two operands.
fn check_op<'c>(host: &Host<'_, 'c>, op: Op<'c>) -> Outcome<'c> {
    let b = host.b();
    let name = op.short_name();
    let float = |name: &str, default: f64| {
        op.attribute(name)
            .and_then(mapwright_mlir::attr::float)
            .unwrap_or(default)
    };
    let (function, rest) = match name {
        "expect_eq" | "expect_eq_const" => ("mw_check_equal", Vec::new()),
        "expect_almost_eq" | "expect_almost_eq_const" => {
            let tolerance = b.cfloat(float("tolerance", 1e-4), b.f64());
            ("mw_check_almost_equal", vec![tolerance])
        }
        "expect_close" | "expect_close_const" => {
            let low = op.int("min_ulp_difference").unwrap_or(0);
            let high = op.int("max_ulp_difference").unwrap_or(3);
            ("mw_check_close", vec![host.f.i64(low), host.f.i64(high)])
        }
        _ => return Err(Located::new(op, "is not supported by the native backend")),
    };
    library::verify(op).map_err(|violation| Located::new(op, violation.message))?;
    host.infer(op)?;
    let actual = op.operand(0);
    let expected = match op.num_operands() {
        1 => {
            let Some(data) = op
                .attribute("value")
                .and_then(mapwright_mlir::attr::Dense::from_mlir)
                .and_then(|dense| dense.expanded())
            else {
                return Err(Located::new(
                    op,
                    "has an expected value that cannot be read",
                ));
            };
            host.constant(data)
        }
        _ => host.address(op, op.operand(1))?,
    };
    check(host, op, function, op.name(), actual, expected, &rest)
}
