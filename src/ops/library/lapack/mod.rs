//! The functions of LAPACK that JAX calls by name when it lowers for CPUs:
//! `lapack_{s,d,c,z}NAME_ffi`, and its own function for tridiagonal systems that may be singular,
//! `tridiagonal_solve_perturbed_ffi`.
//!
//! All of them read matrices by columns; what a call says of the layouts of its operands and
//! results must agree, for then its indices are those of the tensors.

mod verify;

pub use verify::verify;

use super::letter;
use crate::layout::{Layout, Side};
use mapwright_mlir::{ElementType, FloatKind, Op, op};

/// The numbers that a function is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbers {
    Real,
    Complex,
    Both,
}

/// An element type, given the one of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Elements {
    /// The function's own.
    Own,
    /// Type of the parts of its complex numbers, or its own.
    Parts,
    /// Complex numbers with parts of its own type, or its own.
    Whole,
    /// `i32`.
    Count,
}

/// A size, in terms of the rows and columns of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size {
    Rows,
    Columns,
    /// The smaller one of rows and columns.
    Least,
    /// One less than the columns, but not below zero.
    Beside,
    /// Sizes that have bounds only; see [`verify`](verify()).
    Free(usize),
}

use Elements::{Count, Own, Parts, Whole};
use Size::{Beside, Columns, Free, Least, Rows};

/// A tensor without the dimensions of the batch.
type Tensor = (Elements, &'static [Size]);

/// A function, without the letter of its type.
#[derive(Debug)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    numbers: Numbers,
    operands: &'static [Tensor],
    results: &'static [Tensor],
    /// Options that are one of some letters each.
    letters: &'static [(&'static str, &'static str)],
    /// Results that are zeros where an option is `N`.
    optional: &'static [(&'static str, &'static [usize])],
}

const MATRIX: Tensor = (Own, &[Rows, Columns]);
const SQUARE: Tensor = (Own, &[Columns, Columns]);
const PER_COLUMN: &[Size] = &[Columns];
const INFO: Tensor = (Count, &[]);

const fn function(
    name: &'static str,
    numbers: Numbers,
    operands: &'static [Tensor],
    results: &'static [Tensor],
    letters: &'static [(&'static str, &'static str)],
) -> Function {
    Function {
        name,
        numbers,
        operands,
        results,
        letters,
        optional: &[],
    }
}

impl Function {
    const fn without(self, optional: &'static [(&'static str, &'static [usize])]) -> Self {
        Self { optional, ..self }
    }
}

/// Eigenvalues, and vectors if they are asked for, of a symmetric or Hermitian matrix.
const fn eigen(name: &'static str, numbers: Numbers) -> Function {
    let results = &[SQUARE, (Parts, PER_COLUMN), INFO];
    function(name, numbers, &[SQUARE], results, &[UPLO, ("mode", "VN")]).without(&[("mode", &[0])])
}

/// Singular values, and vectors if they are asked for.
const fn singular(name: &'static str) -> Function {
    function(name, Numbers::Both, &[MATRIX], SINGULAR, &[("mode", "ASN")])
        .without(&[("mode", &[2, 3])])
}

const UPLO: (&str, &str) = ("uplo", "LU");
const TRIDIAGONAL: &[Tensor] = &[
    SQUARE,
    (Parts, PER_COLUMN),
    (Parts, &[Beside]),
    (Own, &[Beside]),
    INFO,
];
const SINGULAR: &[Tensor] = &[
    MATRIX,
    (Parts, &[Least]),
    (Own, &[Rows, Free(0)]),
    (Own, &[Free(1), Columns]),
    INFO,
];
/// Vectors of reflections as columns, their factors, and what is multiplied by the product of the
/// reflections.
const REFLECTED: &[Tensor] = &[(Own, &[Free(0), Free(1)]), (Own, &[Free(2)]), MATRIX];
const DIAGONAL: Tensor = (Own, &[Rows]);
const SPECTRUM: &[(&str, &str)] = &[("compute_left", "VN"), ("compute_right", "VN")];
const SCHUR: &[(&str, &str)] = &[("mode", "VN"), ("sort", "N")];

/// Options of a call, of a function that [`find`] knows, by which results are computed that nobody
/// reads.
pub fn unread(op: Op<'_>) -> Vec<&'static str> {
    let target = op.string("call_target_name").unwrap_or_default();
    let optional = find(&target).map_or(&[][..], |(function, _)| function.optional);
    let is_unread = |results: &[usize]| {
        let mut results = results.iter();
        results.all(|i| *i < op.num_results() && op::uses(op.result(*i)).is_empty())
    };
    let unread = optional.iter().filter(|(option, results)| {
        let is_computed = letter(op, option, "N").is_err();
        is_computed && is_unread(results)
    });
    unread.map(|(option, _)| *option).collect()
}

/// All functions that are known.
pub const FUNCTIONS: &[Function] = &[
    function("potrf", Numbers::Both, &[SQUARE], &[SQUARE, INFO], &[UPLO]),
    function(
        "trsm",
        Numbers::Both,
        &[(Own, &[Free(0), Free(0)]), MATRIX],
        &[MATRIX],
        &[("side", "LR"), UPLO, ("diag", "NU"), ("trans_x", "NTC")],
    ),
    function(
        "getrf",
        Numbers::Both,
        &[MATRIX],
        &[MATRIX, (Count, &[Least]), INFO],
        &[],
    ),
    function(
        "geqrf",
        Numbers::Both,
        &[MATRIX],
        &[MATRIX, (Own, &[Least])],
        &[],
    ),
    function(
        "geqp3",
        Numbers::Both,
        &[MATRIX, (Count, PER_COLUMN)],
        &[MATRIX, (Count, PER_COLUMN), (Own, &[Least])],
        &[],
    ),
    function(
        "orgqr",
        Numbers::Real,
        &[MATRIX, (Own, &[Free(0)])],
        &[MATRIX],
        &[],
    ),
    function(
        "ungqr",
        Numbers::Complex,
        &[MATRIX, (Own, &[Free(0)])],
        &[MATRIX],
        &[],
    ),
    function("ormqr", Numbers::Real, REFLECTED, &[MATRIX], &[]),
    function("unmqr", Numbers::Complex, REFLECTED, &[MATRIX], &[]),
    eigen("syevd", Numbers::Real),
    eigen("heevd", Numbers::Complex),
    singular("gesdd"),
    singular("gesvd"),
    function(
        "geev",
        Numbers::Real,
        &[SQUARE],
        &[
            (Own, PER_COLUMN),
            (Own, PER_COLUMN),
            (Whole, &[Columns, Columns]),
            (Whole, &[Columns, Columns]),
            INFO,
        ],
        SPECTRUM,
    )
    .without(&[("compute_left", &[2]), ("compute_right", &[3])]),
    function(
        "geev",
        Numbers::Complex,
        &[SQUARE],
        &[(Own, PER_COLUMN), SQUARE, SQUARE, INFO],
        SPECTRUM,
    )
    .without(&[("compute_left", &[1]), ("compute_right", &[2])]),
    function(
        "gees",
        Numbers::Real,
        &[SQUARE],
        &[
            SQUARE,
            SQUARE,
            (Own, PER_COLUMN),
            (Own, PER_COLUMN),
            INFO,
            INFO,
        ],
        SCHUR,
    )
    .without(&[("mode", &[1])]),
    function(
        "gees",
        Numbers::Complex,
        &[SQUARE],
        &[SQUARE, SQUARE, (Own, PER_COLUMN), INFO, INFO],
        SCHUR,
    )
    .without(&[("mode", &[1])]),
    function(
        "gehrd",
        Numbers::Both,
        &[SQUARE],
        &[SQUARE, (Own, &[Beside]), INFO],
        &[],
    ),
    function("sytrd", Numbers::Real, &[SQUARE], TRIDIAGONAL, &[UPLO]),
    function("hetrd", Numbers::Complex, &[SQUARE], TRIDIAGONAL, &[UPLO]),
    function(
        "gtsv",
        Numbers::Both,
        &[DIAGONAL, DIAGONAL, DIAGONAL, MATRIX],
        &[DIAGONAL, DIAGONAL, DIAGONAL, MATRIX, INFO],
        &[],
    ),
];

/// `gtsv` where pivots that are next to nothing are made larger, so that there is a solution.
const PERTURBED: Function = function(
    "tridiagonal_solve_perturbed",
    Numbers::Both,
    &[DIAGONAL, DIAGONAL, DIAGONAL, MATRIX],
    &[MATRIX],
    &[],
);

/// Dimensions of operand or result `i` of the call `op` without those of the batch: 2 of a matrix.
/// `None` for functions that are not LAPACK's.
pub fn own_rank(op: Op<'_>, side: Side, i: usize) -> Option<usize> {
    let (function, _) = find(&op.string("call_target_name")?)?;
    let tensors = match side {
        Side::Operands => function.operands,
        Side::Results => function.results,
    };
    tensors.get(i).map(|(_, sizes)| sizes.len())
}

/// The layout in which the function that `op` calls has operand or result `i`, a tensor of this
/// rank: LAPACK's have matrices by columns, and everything else, like all other functions, by rows.
pub fn own_layout(op: Op<'_>, side: Side, i: usize, rank: usize) -> Layout {
    match own_rank(op, side, i) {
        Some(2) => Layout::column_major(rank),
        _ => Layout::row_major(rank),
    }
}

/// The function that a target names, and its element type where that is part of the name.
pub fn find(target: &str) -> Option<(&'static Function, Option<ElementType>)> {
    let name = target.strip_suffix("_ffi")?;
    if name == PERTURBED.name {
        return Some((&PERTURBED, None));
    }
    let name = name.strip_prefix("lapack_")?;
    let (kind, numbers) = match name.get(..1)? {
        "s" => (FloatKind::F32, Numbers::Real),
        "d" => (FloatKind::F64, Numbers::Real),
        "c" => (FloatKind::F32, Numbers::Complex),
        "z" => (FloatKind::F64, Numbers::Complex),
        _ => return None,
    };
    let element = match numbers {
        Numbers::Complex => ElementType::Complex(kind),
        _ => ElementType::Float(kind),
    };
    let found = FUNCTIONS.iter().find(|f| {
        name.get(1..) == Some(f.name) && (f.numbers == Numbers::Both || f.numbers == numbers)
    })?;
    Some((found, Some(element)))
}

/// The targets that are known.
pub fn targets() -> Vec<String> {
    let mut names = Vec::new();
    for letter in ["s", "d", "c", "z"] {
        let all = FUNCTIONS
            .iter()
            .map(|f| format!("lapack_{letter}{}_ffi", f.name));
        names.extend(all.filter(|name| find(name).is_some()));
    }
    names.dedup();
    names.push(format!("{}_ffi", PERTURBED.name));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_one_letter_and_a_function_for_it() {
        assert!(find("lapack_sgetrf_ffi").is_some());
        assert!(find("lapack_sheevd_ffi").is_none());
        assert!(find("lapack_zsyevd_ffi").is_none());
        assert!(find("lapack_getrf_ffi").is_none());
        assert!(find("sgetrf").is_none());
        let names = targets();
        assert_eq!(names.len(), 4 * 11 + 2 * 10 - 2 * 2 + 1, "{names:?}");
    }
}
