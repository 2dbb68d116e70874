//! What must hold of a call of a function of LAPACK: types, shapes and layouts of its operands and
//! results, and its options.

use super::super::{arguments, flag, letter, option, types};
use super::{
    Elements::{self, Count, Parts, Whole},
    Size::{self, Beside, Columns, Free, Least, Rows},
    find, own_layout,
};
use crate::layout::{Side, of_call};
use crate::typing::check::*;
use mapwright_mlir::{Dim, ElementType, FloatKind, Op, ValueType, attr};

/// Sizes of a call, as far as they are known.
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

    /// Tells whether `dim` agrees with what is known of `size`, and notes it.
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
/// Operands and results of other numbers, types, shapes or layouts than the function has, and
/// options that it does not have.
pub fn verify(op: Op<'_>) -> Check {
    let target = op.string("call_target_name").unwrap_or_default();
    let Some((function, element)) = find(&target) else {
        return Ok(());
    };
    let arguments = types(&arguments(op)?);
    let element = match element {
        Some(element) => element,
        None => of_arguments(&arguments)?,
    };
    let results: Vec<ValueType> = (0..op.num_results()).map(|i| op.result_type(i)).collect();
    let mut sizes = Sizes::default();
    let mut batch: Option<Vec<Dim>> = None;
    for (side, what, given, expected) in [
        (Side::Operands, "operand", arguments, function.operands),
        (Side::Results, "result", results, function.results),
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
            layout(op, (side, what, i), tensor.rank())?;
        }
    }
    for (name, known) in function.letters {
        letter(op, name, known)?;
    }
    bounds(op, function.name, &sizes)
}

/// The element type of the first argument, if there are functions for it.
fn of_arguments(arguments: &[ValueType]) -> Check<ElementType> {
    let first = arguments.first().and_then(ValueType::tensor);
    match first.map(|tensor| &tensor.element) {
        Some(
            own @ (ElementType::Float(FloatKind::F32 | FloatKind::F64) | ElementType::Complex(_)),
        ) => Ok(own.clone()),
        _ => violation(
            "",
            "has no tensor of f32, f64 or complex numbers as operand 0",
        ),
    }
}

fn element_of(elements: Elements, own: &ElementType) -> ElementType {
    match (elements, own) {
        (Count, _) => ElementType::int(32),
        (Parts, ElementType::Complex(kind)) => ElementType::Float(*kind),
        (Whole, ElementType::Float(kind)) => ElementType::Complex(*kind),
        _ => own.clone(),
    }
}

/// The layout that the function has for an operand or a result.
fn layout(op: Op<'_>, (side, what, i): (Side, &str, usize), rank: usize) -> Check {
    let expected = own_layout(op, side, i, rank);
    let stated = match of_call(op, side, i, rank) {
        Ok(stated) => stated,
        Err(why) => return violation("", format!("has {what} {i} in {why}")),
    };
    ensure!(
        stated == expected,
        "",
        "has {what} {i} in the layout {:?}, expected {:?}",
        stated.minor_to_major(),
        expected.minor_to_major()
    );
    Ok(())
}

/// Checks that sizes are in their bounds, beyond being equal, and that options that are numbers
/// are.
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
        "ormqr" | "unmqr" => {
            flag(op, "transpose")?;
            let side = if flag(op, "left")? { Rows } else { Columns };
            let (height, width) = (fixed(Free(0)), fixed(Free(1)));
            let count = fixed(Free(2));
            let beyond = |most: Option<i64>| count.zip(most).is_some_and(|(k, most)| k > most);
            ensure!(
                sizes_agree(sizes.find(Free(0)), sizes.find(side))
                    && !beyond(height)
                    && !beyond(width),
                "",
                "has {} reflections in {} columns of {} rows beside matrices of {} by {}",
                number(count),
                number(width),
                number(height),
                number(rows),
                number(columns)
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
