//! The calls of LAPACK that JAX makes when it lowers for CPUs: `custom_call @lapack_{s,d,c,z}NAME_ffi`.
//!
//! `trsm` becomes `stablehlo.triangular_solve`. The others stay calls, of functions that the runtime has: `potrf` too, which says where a
//! factorisation ends, as `stablehlo.cholesky` does not. All of them read matrices by columns; what a call says of the layouts of its operands and results must agree, for then
//! its indices are those of the tensors.

use crate::rewrite::{Result, fail, replace};
use mapwright_mlir::{Builder, Op, ValueType, attr, melior::ir::ValueLike};

/// Dimensions of operands and results besides those of the batch.
type Ranks = (&'static [usize], &'static [usize]);

/// The functions that are known, by their names without the letter of the type, and whether they are of real or complex numbers alone.
const KNOWN: &[(&str, Option<Numbers>, Ranks)] = &[
    ("potrf", None, (&[2], &[2, 0])),
    ("trsm", None, (&[2, 2], &[2])),
    ("getrf", None, (&[2], &[2, 1, 0])),
    ("geqrf", None, (&[2], &[2, 1])),
    ("geqp3", None, (&[2, 1], &[2, 1, 1])),
    ("orgqr", Some(Numbers::Real), (&[2, 1], &[2])),
    ("ungqr", Some(Numbers::Complex), (&[2, 1], &[2])),
    ("syevd", Some(Numbers::Real), (&[2], &[2, 1, 0])),
    ("heevd", Some(Numbers::Complex), (&[2], &[2, 1, 0])),
    ("gesdd", None, (&[2], &[2, 1, 2, 2, 0])),
    ("gesvd", None, (&[2], &[2, 1, 2, 2, 0])),
    ("geev", Some(Numbers::Real), (&[2], &[1, 1, 2, 2, 0])),
    ("geev", Some(Numbers::Complex), (&[2], &[1, 2, 2, 0])),
    ("gees", Some(Numbers::Real), (&[2], &[2, 2, 1, 1, 0, 0])),
    ("gees", Some(Numbers::Complex), (&[2], &[2, 2, 1, 0, 0])),
    ("gehrd", None, (&[2], &[2, 1, 0])),
    ("sytrd", Some(Numbers::Real), (&[2], &[2, 1, 1, 1, 0])),
    ("hetrd", Some(Numbers::Complex), (&[2], &[2, 1, 1, 1, 0])),
    ("gtsv", None, (&[1, 1, 1, 2], &[1, 1, 1, 2, 0])),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    Real,
    Complex,
}

/// The name of a function without the letter of the type, if it is known.
pub fn routine(target: &str) -> Option<&'static str> {
    known(target).map(|(name, _)| name)
}

fn known(target: &str) -> Option<(&'static str, Ranks)> {
    let name = target.strip_prefix("lapack_")?.strip_suffix("_ffi")?;
    let numbers = match name.get(..1)? {
        "s" | "d" => Numbers::Real,
        "c" | "z" => Numbers::Complex,
        _ => return None,
    };
    let (name, _, ranks) = KNOWN
        .iter()
        .find(|(known, of, _)| name.get(1..) == Some(known) && of.is_none_or(|of| of == numbers))?;
    Some((name, *ranks))
}

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
        let Some((name, ranks)) = known(&target) else {
            continue;
        };
        check(op, ranks)?;
        match name {
            "potrf" => {
                letter(op, "uplo", "LU")?;
            }
            "trsm" => {
                triangular_solve(op)?;
                count += 1;
            }
            _ => {}
        }
    }
    Ok(count)
}

/// Are there as many operands and results as the function has, with matrices by columns and everything else by rows?
fn check<'c>(op: Op<'c>, (operands, results): Ranks) -> Result<'c> {
    let types =
        |n: usize, of: &dyn Fn(usize) -> ValueType| -> Vec<ValueType> { (0..n).map(of).collect() };
    let given = [
        (
            "operand",
            types(op.num_operands(), &|i| op.operand_type(i)),
            operands,
        ),
        (
            "result",
            types(op.num_results(), &|i| op.result_type(i)),
            results,
        ),
    ];
    for (what, types, ranks) in given {
        if types.len() != ranks.len() {
            return fail(
                op,
                format!("has {} {what}s, expected {}", types.len(), ranks.len()),
            );
        }
        let layouts = op.attribute(&format!("{what}_layouts"));
        let layouts: Vec<Option<Vec<i64>>> = layouts
            .and_then(attr::array)
            .map_or_else(Vec::new, |l| l.into_iter().map(attr::ints).collect());
        for (i, (ty, rank)) in types.iter().zip(ranks).enumerate() {
            let Some(tensor) = ty.tensor().filter(|t| t.rank() >= *rank) else {
                return fail(
                    op,
                    format!("has no tensor of rank {rank} or more as {what} {i}"),
                );
            };
            // From the dimension whose neighbours are neighbours in memory to the outermost one.
            let mut columns: Vec<i64> = (0..tensor.rank() as i64).rev().collect();
            let rows = columns.clone();
            if *rank == 2 {
                columns.swap(0, 1);
            }
            let layout = layouts.get(i).cloned().flatten().unwrap_or(rows);
            if layout != columns {
                return fail(
                    op,
                    format!("has {what} {i} in the layout {layout:?}, expected {columns:?}"),
                );
            }
        }
    }
    Ok(())
}

/// The letter that is an option of the call; `known` are the ones that it may be.
fn letter<'c>(op: Op<'c>, name: &str, known: &str) -> Result<'c, char> {
    let config = ["mhlo.backend_config", "backend_config"]
        .iter()
        .find_map(|key| attr::dictionary(op.attribute(key)?));
    let value = config.and_then(|entries| {
        let (_, value) = entries.into_iter().find(|(key, _)| key == name)?;
        char::from_u32(u32::try_from(attr::int(value)?).ok()?)
    });
    match value {
        Some(letter) if known.contains(letter) => Ok(letter),
        Some(letter) => fail(
            op,
            format!("has the option '{name}' as '{letter}', expected one of {known}"),
        ),
        None => fail(
            op,
            format!("needs the option '{name}' in 'mhlo.backend_config'"),
        ),
    }
}

fn triangular_solve<'c>(op: Op<'c>) -> Result<'c> {
    let left = letter(op, "side", "LR")? == 'L';
    let lower = letter(op, "uplo", "LU")? == 'L';
    let unit = letter(op, "diag", "NU")? == 'U';
    let transpose = match letter(op, "trans_x", "NTC")? {
        'N' => "NO_TRANSPOSE",
        'T' => "TRANSPOSE",
        _ => "ADJOINT",
    };
    let Some(b) = Builder::before(op.context(), op) else {
        return fail(op, "is not inside a block");
    };
    let transpose = b.parse_attr(&format!("#stablehlo<transpose {transpose}>"));
    let solution = b.op1(
        "stablehlo.triangular_solve",
        &op.operands(),
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
