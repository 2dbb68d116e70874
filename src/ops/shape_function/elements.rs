//! Elements of integer tensors that sizes are computed with: constants, sizes of tensors,
//! arithmetic, and what is moved from elsewhere.

use super::{Arithmetic, Found, ShapeQuery, Shapes, Size, quotient, tensor};
use crate::{attrs, definition::DIALECTS, fold};
use mapwright_mlir::{ElementType, Op, Val, attr, op};

/// Element `index` of `value`, from elements of what it is computed from; `None` where it is none
/// of those.
///
/// Numbers that wrap around in the element type are not looked for.
///
/// # Errors
/// Those of the domain.
pub fn find<'c>(shapes: &mut dyn Shapes<'c>, value: Val<'c>, index: &[i64]) -> Found<Option<Size>> {
    let Some((def, _)) = op::defining_op(value) else {
        return Ok(None);
    };
    if !DIALECTS.contains(&def.dialect()) || def.num_results() != 1 || !is_number(value) {
        return Ok(None);
    }
    if let Some(what) = arithmetic(def) {
        let a = shapes.element(def.operand(0), index)?;
        let b = shapes.element(def.operand(1), index)?;
        return shapes.arithmetic(what, a, b).map(Some);
    }
    if let Some(chosen) = quotient::selected(shapes, def, index)? {
        return shapes.element(chosen, index).map(Some);
    }
    if let Some(found) = quotient::element(shapes, def, index)? {
        return Ok(Some(found));
    }
    match attrs::name(def) {
        "constant" => Ok(constant(def, value, index).map(Size::Known)),
        "get_dimension_size" => {
            let sizes = ShapeQuery::new(shapes, def, 0).operand(0)?;
            let d = super::axis(def, "dimension", &sizes)?;
            Ok(Some(sizes[d]))
        }
        // It is there so that nobody looks through it.
        "optimization_barrier" => Ok(None),
        "convert" if is_number(def.operand(0)) => shapes.element(def.operand(0), index).map(Some),
        _ => match fold::moved_from(def, index) {
            Some((operand, index)) => shapes.element(def.operand(operand), &index).map(Some),
            None => Ok(None),
        },
    }
}

fn is_number(value: Val<'_>) -> bool {
    tensor(value).is_some_and(|ty| ty.element.is_int() || ty.element == ElementType::Index)
}

/// The arithmetic that is the same on integers of a tensor and on sizes.
fn arithmetic(def: Op<'_>) -> Option<Arithmetic> {
    Some(match def.short_name() {
        "add" => Arithmetic::Add,
        "subtract" => Arithmetic::Sub,
        "multiply" => Arithmetic::Mul,
        "minimum" => Arithmetic::Min,
        "maximum" => Arithmetic::Max,
        _ => return None,
    })
}

fn constant(def: Op<'_>, value: Val<'_>, index: &[i64]) -> Option<i64> {
    let values = attr::ints(def.attribute("value")?)?;
    if let [only] = values[..] {
        return Some(only);
    }
    let shape = tensor(value)?.static_shape()?;
    let at = index.iter().zip(&shape).fold(0, |at, (i, n)| at * n + i);
    values.get(usize::try_from(at).ok()?).copied()
}
