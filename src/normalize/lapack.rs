//! The calls of LAPACK that JAX makes when it lowers for CPUs:
//! `custom_call @lapack_{s,d,c,z}NAME_ffi`.
//!
//! `trsm` becomes `stablehlo.triangular_solve`. The others stay calls, of functions that the
//! runtime has: `potrf` too, which says where a factorisation ends, as `stablehlo.cholesky` does
//! not. What a call must be like stands in `mapwright_ops::library`.

use crate::rewrite::{Error, Result, fail, replace};
use mapwright_mlir::{Builder, Op, melior::ir::ValueLike};
use mapwright_ops::library::{self, lapack};

/// Rewrites the calls inside `root`. Returns how many.
///
/// # Errors
/// Calls of known functions that are not well-formed.
pub fn legalize<'c>(root: Op<'c>) -> Result<'c, usize> {
    let mut count = 0;
    for op in root.descendants() {
        if op.name() != "stablehlo.custom_call" {
            continue;
        }
        let target = op.string("call_target_name").unwrap_or_default();
        let Some((function, _)) = lapack::find(&target) else {
            continue;
        };
        lapack::verify(op).map_err(violated(op))?;
        if function.name == "trsm" {
            triangular_solve(op)?;
            count += 1;
        }
    }
    Ok(count)
}

/// Leaves out of the calls inside `root` the vectors that nobody reads, as of `eigvalsh`, which JAX
/// writes as a call that computes them. Returns how many calls are changed.
pub fn drop_unread(root: Op<'_>) -> usize {
    let mut count = 0;
    for op in root.descendants() {
        if op.name() != "stablehlo.custom_call" {
            continue;
        }
        let unread = lapack::unread(op);
        for option in &unread {
            let attribute = library::with_letter(op, option, 'N');
            if let Some((b, (key, text))) = Builder::before(op.context(), op).zip(attribute) {
                op.set_attribute(key, b.parse_attr(&text));
            }
        }
        count += usize::from(!unread.is_empty());
    }
    count
}

fn violated<'c>(op: Op<'c>) -> impl Fn(mapwright_ops::typing::Violation) -> Error<'c> {
    move |violation| Error {
        op,
        message: violation.message,
    }
}

fn triangular_solve<'c>(op: Op<'c>) -> Result<'c> {
    let letter = |name, known| library::letter(op, name, known).map_err(violated(op));
    let left = letter("side", "LR")? == 'L';
    let lower = letter("uplo", "LU")? == 'L';
    let unit = letter("diag", "NU")? == 'U';
    let transpose = match letter("trans_x", "NTC")? {
        'N' => "NO_TRANSPOSE",
        'T' => "TRANSPOSE",
        _ => "ADJOINT",
    };
    let operands = library::arguments(op).map_err(violated(op))?;
    let Some(b) = Builder::before(op.context(), op) else {
        return fail(op, "is not inside a block");
    };
    let transpose = b.parse_attr(&format!("#stablehlo<transpose {transpose}>"));
    let solution = b.op1(
        "stablehlo.triangular_solve",
        &operands,
        op.result(0).r#type(),
        &[
            ("left_side", b.bool_attr(left)),
            ("lower", b.bool_attr(lower)),
            ("unit_diagonal", b.bool_attr(unit)),
            ("transpose_a", transpose),
        ],
    );
    replace(op, &[solution]);
    Ok(())
}
