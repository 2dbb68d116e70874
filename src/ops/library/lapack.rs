//! The functions of LAPACK that JAX calls by name when it lowers for CPUs: `lapack_{s,d,c,z}NAME_ffi`.
//!
//! All of them read matrices by columns; what a call says of the layouts of its operands and results must agree, for then its indices are
//! those of the tensors.

use super::{letter, option};
use crate::typing::check::*;
use mapwright_mlir::{Dim, ElementType, FloatKind, Op, TensorType, ValueType, attr, op};

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
    /// That of the parts of its complex numbers, or its own.
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
    /// Sizes that have bounds only; see [`bounds`].
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
const SPECTRUM: &[(&str, &str)] = &[("compute_left", "VN"), ("compute_right", "VN")];
const SCHUR: &[(&str, &str)] = &[("mode", "VN"), ("sort", "N")];

/// Options of a call, of a function that [`find`] knows, by which results are computed that nobody reads.
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
    function(
        "syevd",
        Numbers::Real,
        &[SQUARE],
        &[SQUARE, (Parts, PER_COLUMN), INFO],
        &[UPLO, ("mode", "VN")],
    )
    .without(&[("mode", &[0])]),
    function(
        "heevd",
        Numbers::Complex,
        &[SQUARE],
        &[SQUARE, (Parts, PER_COLUMN), INFO],
        &[UPLO, ("mode", "VN")],
    )
    .without(&[("mode", &[0])]),
    function(
        "gesdd",
        Numbers::Both,
        &[MATRIX],
        SINGULAR,
        &[("mode", "ASN")],
    )
    .without(&[("mode", &[2, 3])]),
    function(
        "gesvd",
        Numbers::Both,
        &[MATRIX],
        SINGULAR,
        &[("mode", "ASN")],
    )
    .without(&[("mode", &[2, 3])]),
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
        &[(Own, &[Rows]), (Own, &[Rows]), (Own, &[Rows]), MATRIX],
        &[(Own, &[Rows]), (Own, &[Rows]), (Own, &[Rows]), MATRIX, INFO],
        &[],
    ),
];

/// The function that a target names, and its element type.
pub fn find(target: &str) -> Option<(&'static Function, ElementType)> {
    let name = target.strip_prefix("lapack_")?.strip_suffix("_ffi")?;
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
    Some((found, element))
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
    names
}

/// What the sizes of a call stand for, as far as they are known.
#[derive(Default)]
struct Sizes(Vec<(Size, Dim)>);

impl Sizes {
    fn find(&self, size: Size) -> Dim {
        let known = |size| self.0.iter().find(|(s, _)| *s == size).map(|(_, dim)| *dim);
        let own = known(size).unwrap_or(Dim::Dynamic);
        let fixed = |size| known(size).and_then(Dim::fixed);
        let follows = match size {
            Least => fixed(Rows).zip(fixed(Columns)).map(|(m, n)| m.min(n)),
            Beside => fixed(Columns).map(|n| (n - 1).max(0)),
            _ => None,
        };
        follows.map_or(own, Dim::Static)
    }

    /// Is `dim` what is known of `size`? What it says is known from then on.
    fn fits(&mut self, size: Size, dim: Dim) -> bool {
        let known = self.find(size);
        if !sizes_agree(known, dim) {
            return false;
        }
        self.0.retain(|(s, _)| *s != size);
        self.0.push((size, merge_sizes(known, dim)));
        true
    }
}

/// Checks a call of a function that [`find`] knows.
///
/// # Errors
/// Operands and results of other numbers, types, shapes or layouts than the function has, and options that it does not have.
pub fn verify(op: Op<'_>) -> Check {
    let target = op.string("call_target_name").unwrap_or_default();
    let Some((function, element)) = find(&target) else {
        return Ok(());
    };
    let arguments = super::types(&super::arguments(op)?);
    let results: Vec<ValueType> = (0..op.num_results()).map(|i| op.result_type(i)).collect();
    let mut sizes = Sizes::default();
    let mut batch: Option<Vec<Dim>> = None;
    for (what, given, expected) in [
        ("operand", arguments, function.operands),
        ("result", results, function.results),
    ] {
        ensure!(
            given.len() == expected.len(),
            "",
            "has {} {what}s, expected {}",
            given.len(),
            expected.len()
        );
        for (i, (ty, (elements, shape))) in given.iter().zip(expected).enumerate() {
            let Some(tensor) = ty.tensor().filter(|t| t.rank() >= shape.len()) else {
                return violation(
                    "",
                    format!(
                        "has no tensor of rank {} or more as {what} {i}",
                        shape.len()
                    ),
                );
            };
            let wanted = element_of(*elements, &element);
            ensure!(
                tensor.element == wanted,
                "",
                "has elements of type {} in {what} {i}, expected {wanted}",
                tensor.element
            );
            let (leading, own) = tensor.dims.split_at(tensor.rank() - shape.len());
            let first = batch.get_or_insert_with(|| leading.to_vec());
            ensure!(
                shapes_agree(first, leading),
                "",
                "has the batch {} in {what} {i}, expected {}",
                shape_text(leading),
                shape_text(first)
            );
            for (dim, size) in own.iter().zip(*shape) {
                ensure!(
                    sizes.fits(*size, *dim),
                    "",
                    "has {what} {i} of the type {tensor}, where the size {} does not go with the other operands and results",
                    shape_text(&[*dim])
                );
            }
            layout(op, (what, i), tensor, shape.len())?;
        }
    }
    for (name, known) in function.letters {
        letter(op, name, known)?;
    }
    bounds(op, function.name, &sizes)
}

fn element_of(elements: Elements, own: &ElementType) -> ElementType {
    match (elements, own) {
        (Count, _) => ElementType::int(32),
        (Parts, ElementType::Complex(kind)) => ElementType::Float(*kind),
        (Whole, ElementType::Float(kind)) => ElementType::Complex(*kind),
        _ => own.clone(),
    }
}

/// Matrices lie by columns, everything else by rows.
fn layout(op: Op<'_>, (what, i): (&str, usize), tensor: &TensorType, rank: usize) -> Check {
    let layouts = op.attribute(&format!("{what}_layouts"));
    let layouts: Vec<Option<Vec<i64>>> = layouts
        .and_then(attr::array)
        .map_or_else(Vec::new, |l| l.into_iter().map(attr::ints).collect());
    // From the dimension whose neighbours are neighbours in memory to the outermost one.
    let mut columns: Vec<i64> = (0..tensor.rank() as i64).rev().collect();
    let rows = columns.clone();
    if rank == 2 {
        columns.swap(0, 1);
    }
    let layout = layouts.get(i).cloned().flatten().unwrap_or(rows);
    ensure!(
        layout == columns,
        "",
        "has {what} {i} in the layout {layout:?}, expected {columns:?}"
    );
    Ok(())
}

/// What must hold of the sizes beyond that they are the same, and options that are numbers.
fn bounds(op: Op<'_>, name: &str, sizes: &Sizes) -> Check {
    let fixed = |size| sizes.find(size).fixed();
    let (rows, columns) = (fixed(Rows), fixed(Columns));
    match name {
        "trsm" => {
            let side = if letter(op, "side", "LR")? == 'L' {
                Rows
            } else {
                Columns
            };
            ensure!(
                sizes_agree(sizes.find(Free(0)), sizes.find(side)),
                "",
                "has a triangle of size {} beside matrices of {} by {}",
                number(fixed(Free(0))),
                number(rows),
                number(columns)
            );
        }
        "orgqr" | "ungqr" => {
            let below = |x: Option<i64>, y: Option<i64>| x.zip(y).is_none_or(|(x, y)| x <= y);
            ensure!(
                below(columns, rows) && below(fixed(Free(0)), columns),
                "",
                "has {} columns of the product of {} reflections of {} rows",
                number(columns),
                number(fixed(Free(0))),
                number(rows)
            );
        }
        "gesdd" | "gesvd" => {
            let least = fixed(Least);
            for (vectors, all) in [(fixed(Free(0)), rows), (fixed(Free(1)), columns)] {
                let unknown = vectors.is_none() || all.is_none() || least.is_none();
                ensure!(
                    unknown || vectors == least || vectors == all,
                    "",
                    "has {} singular vectors, expected {} or {}",
                    number(vectors),
                    number(least),
                    number(all)
                );
            }
        }
        "gehrd" => {
            let bound = |name: &str| option(op, name).map(attr::int);
            for (name, value) in [("low", bound("low")), ("high", bound("high"))] {
                let fits = match value {
                    None => true,
                    Some(Some(value)) => value >= 0 && columns.is_none_or(|n| value <= n.max(1)),
                    Some(None) => false,
                };
                ensure!(
                    fits,
                    "",
                    "has an option '{name}' that is no row of its matrices"
                );
            }
        }
        _ => {}
    }
    Ok(())
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
        assert_eq!(names.len(), 4 * 11 + 2 * 8 - 2 * 2, "{names:?}");
    }
}
