//! Element-wise operations that give one of their operands, or a constant.

use super::known::{defined_by, same_type, splat, tensor};
use mapwright_mlir::{Builder, ElementType, Op, TensorType, Val, attr::Dense};

/// The value that `op` gives, if that is known without computing.
pub fn simplify<'c>(op: Op<'c>) -> Option<Val<'c>> {
    let result = tensor(op.result(0))?;
    match &result.element {
        ElementType::Int { .. } | ElementType::Bool => integers(op, &result),
        ElementType::Float(_) => floats(op),
        _ => None,
    }
    .or_else(|| any(op))
    .filter(|value| same_type(*value, op.result(0)))
}

/// Both operands of a binary operation.
fn pair<'c>(op: Op<'c>) -> Option<(Val<'c>, Val<'c>)> {
    match op.operands()[..] {
        [a, b] => Some((a, b)),
        _ => None,
    }
}

/// A constant of the type of the result, every byte of which is `byte`.
fn filled<'c>(op: Op<'c>, ty: &TensorType, byte: u8) -> Option<Val<'c>> {
    ty.static_shape()?;
    let width = ty.element.byte_width()?;
    let byte = match ty.element {
        ElementType::Bool => byte & 1,
        _ => byte,
    };
    let dense = Dense {
        ty: ty.clone(),
        data: vec![byte; width],
        splat: true,
    };
    let b = Builder::before(op.context(), op)?;
    let value = dense.to_mlir(op.context())?;
    let ty = b.parse_type(&ty.to_string());
    Some(b.op1("stablehlo.constant", &[], ty, &[("value", value)]))
}

/// Integers and booleans: rings and lattices.
fn integers<'c>(op: Op<'c>, ty: &TensorType) -> Option<Val<'c>> {
    let boolean = ty.element == ElementType::Bool;
    let is = |value: Val<'c>, n: i64| splat(value).and_then(|splat| splat.int()) == Some(n);
    let ones = |value: Val<'c>| splat(value).is_some_and(|splat| splat.is_all_ones());
    let zero = || filled(op, ty, 0);
    // For booleans `add` is `or`, `multiply` is `and`, `maximum` is `or`, `minimum` is `and`.
    let name = match (op.short_name(), boolean) {
        ("add" | "maximum", true) => "or",
        ("multiply" | "minimum", true) => "and",
        (name, _) => name,
    };
    if name == "not" {
        return defined_by(op.operand(0), "not").map(|inner| inner.operand(0));
    }
    if name == "negate" {
        return defined_by(op.operand(0), "negate").map(|inner| inner.operand(0));
    }
    if name == "compare" {
        return compare_with_itself(op, ty);
    }
    let (a, b) = pair(op)?;
    match name {
        "add" if is(b, 0) => Some(a),
        "add" if is(a, 0) => Some(b),
        "subtract" if is(b, 0) => Some(a),
        "subtract" if a == b => zero(),
        "multiply" if is(b, 1) => Some(a),
        "multiply" if is(a, 1) => Some(b),
        "multiply" if is(a, 0) || is(b, 0) => zero(),
        "divide" if is(b, 1) => Some(a),
        "remainder" if is(b, 1) => zero(),
        "and" if ones(b) || a == b => Some(a),
        "and" if ones(a) => Some(b),
        "and" if is(a, 0) || is(b, 0) => zero(),
        "or" if is(b, 0) || a == b => Some(a),
        "or" if is(a, 0) => Some(b),
        "or" if ones(a) || ones(b) => filled(op, ty, 0xff),
        "xor" if is(b, 0) => Some(a),
        "xor" if is(a, 0) => Some(b),
        "xor" if a == b => zero(),
        "maximum" | "minimum" if a == b => Some(a),
        "shift_left" | "shift_right_arithmetic" | "shift_right_logical" if is(b, 0) => Some(a),
        _ => None,
    }
}

/// `x == x` of integers is true, `x < x` is false. (Of floating-point numbers it is not: NaN.)
fn compare_with_itself<'c>(op: Op<'c>, ty: &TensorType) -> Option<Val<'c>> {
    let (a, b) = pair(op)?;
    let integers = matches!(
        tensor(a)?.element,
        ElementType::Int { .. } | ElementType::Bool
    );
    if a != b || !integers {
        return None;
    }
    let direction = op.text("comparison_direction")?;
    let word = |name: &str| {
        direction
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(|word| word == name)
    };
    if word("EQ") || word("LE") || word("GE") {
        filled(op, ty, 1)
    } else if word("NE") || word("LT") || word("GT") {
        filled(op, ty, 0)
    } else {
        None
    }
}

/// Floating-point numbers: only what is true for -0.0, infinities and NaN as well.
fn floats<'c>(op: Op<'c>) -> Option<Val<'c>> {
    let is = |value: Val<'c>, x: f64| splat(value).is_some_and(|splat| splat.is_float(x));
    match op.short_name() {
        "negate" => return defined_by(op.operand(0), "negate").map(|inner| inner.operand(0)),
        // |-x| = |x|, ||x|| = |x|.
        "abs" => {
            if defined_by(op.operand(0), "abs").is_some() {
                return Some(op.operand(0));
            }
            return None;
        }
        // Rounding what is rounded already.
        "floor" | "ceil" | "round_nearest_afz" | "round_nearest_even" => {
            return ["floor", "ceil", "round_nearest_afz", "round_nearest_even"]
                .iter()
                .any(|name| defined_by(op.operand(0), name).is_some())
                .then(|| op.operand(0));
        }
        "real" | "imag" => {
            let parts = defined_by(op.operand(0), "complex")?;
            return Some(parts.operand(usize::from(op.short_name() == "imag")));
        }
        _ => {}
    }
    let (a, b) = pair(op)?;
    match op.short_name() {
        "add" if is(b, -0.0) => Some(a),
        "add" if is(a, -0.0) => Some(b),
        "subtract" if is(b, 0.0) => Some(a),
        "multiply" if is(b, 1.0) => Some(a),
        "multiply" if is(a, 1.0) => Some(b),
        "divide" if is(b, 1.0) => Some(a),
        "maximum" | "minimum" if a == b => Some(a),
        _ => None,
    }
}

/// Simplifies operations for which the type of the elements makes no difference.
fn any<'c>(op: Op<'c>) -> Option<Val<'c>> {
    match op.short_name() {
        "convert" => Some(op.operand(0)),
        "bitcast_convert" => {
            let operand = op.operand(0);
            if same_type(operand, op.result(0)) {
                return Some(operand);
            }
            defined_by(operand, "bitcast_convert").map(|inner| inner.operand(0))
        }
        "select" => {
            let [pred, yes, no] = op.operands()[..] else {
                return None;
            };
            if yes == no {
                return Some(yes);
            }
            match splat(pred)?.int()? {
                0 => Some(no),
                _ => Some(yes),
            }
        }
        "complex" => {
            let (re, im) = pair(op)?;
            let (re, im) = (defined_by(re, "real")?, defined_by(im, "imag")?);
            (re.operand(0) == im.operand(0)).then(|| re.operand(0))
        }
        "get_tuple_element" => {
            let tuple = defined_by(op.operand(0), "tuple")?;
            let index = usize::try_from(op.int("index")?).ok()?;
            tuple.operands().get(index).copied()
        }
        _ => None,
    }
}
