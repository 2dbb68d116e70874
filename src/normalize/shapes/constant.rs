//! Arithmetic on shapes, evaluated: small tensors of integers.

use mapwright_mlir::{
    Attr, Builder, Dim, ElementType, Op, TensorType, Val, attr, melior::ir::ValueLike, op,
};

/// Larger tensors are data, not shapes.
const MAX_ELEMENTS: usize = 64;

/// A known integer tensor.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Constant {
    pub element: ElementType,
    pub shape: Vec<i64>,
    pub values: Vec<i64>,
}

impl Constant {
    /// The constant that `value` is; `None` if it is not one, or not a small one of integers.
    pub fn of(value: Val<'_>) -> Option<Self> {
        let (source, _) = op::defining_op(value)?;
        if source.short_name() != "constant" && source.name() != "shape.const_shape" {
            return None;
        }
        let ty = TensorType::from_mlir(value.r#type())?;
        if !matches!(
            ty.element,
            ElementType::Int { .. } | ElementType::Bool | ElementType::Index
        ) {
            return None;
        }
        let shape = ty.static_shape()?;
        let count = usize::try_from(ty.num_elements()?).ok()?;
        if count > MAX_ELEMENTS {
            return None;
        }
        let attribute = source.attribute_of(&["value", "shape"])?;
        let mut values = attr::ints(attribute)?;
        if values.len() == 1 && count != 1 {
            values = vec![values[0]; count];
        }
        (values.len() == count).then_some(Self {
            element: ty.element,
            shape,
            values,
        })
    }

    /// Appends it as an operation.
    pub fn build<'c>(&self, b: &Builder<'c>) -> Val<'c> {
        let ty = b.parse_type(&TensorType::new(self.element.clone(), &self.shape).to_string());
        let literal = nested(&self.shape, &self.values, &self.element);
        let value: Attr<'c> = b.parse_attr(&format!("dense<{literal}> : {ty}"));
        b.op1("stablehlo.constant", &[], ty, &[("value", value)])
    }
}

/// `[[1, 2], [3, 4]]`.
fn nested(shape: &[i64], values: &[i64], element: &ElementType) -> String {
    let one = |value: i64| match element {
        ElementType::Bool => (value != 0).to_string(),
        _ => value.to_string(),
    };
    let Some((&first, rest)) = shape.split_first() else {
        return values
            .first()
            .map_or_else(|| "0".into(), |value| one(*value));
    };
    if values.is_empty() {
        return String::new();
    }
    let each = values.len() / first.max(1) as usize;
    let parts: Vec<String> = values
        .chunks(each.max(1))
        .map(|part| nested(rest, part, element))
        .collect();
    format!("[{}]", parts.join(", "))
}

/// Wraps to the width of the element type.
fn wrap(value: i128, element: &ElementType) -> i64 {
    match element {
        ElementType::Bool => i64::from(value != 0),
        ElementType::Int { width, unsigned } if *width < 64 => {
            let low = (value as u128) & ((1u128 << width) - 1);
            match *unsigned || low < 1u128 << (width - 1) {
                true => low as i64,
                false => (low as i128 - (1i128 << width)) as i64,
            }
        }
        _ => value as i64,
    }
}

/// The value of `op`'s one result, if it is an integer operation on known operands (or asks for a known size).
pub(super) fn evaluate(op: Op<'_>) -> Option<Constant> {
    if op.num_results() != 1 || op.num_regions() != 0 || op.short_name() == "constant" {
        return None;
    }
    if !matches!(
        op.dialect(),
        "stablehlo" | "mhlo" | "chlo" | "shape" | "tensor" | "arith"
    ) {
        return None;
    }
    let result = TensorType::from_mlir(op.result(0).r#type())?;
    if op.short_name() == "get_dimension_size" {
        let operand = TensorType::from_mlir(op.operand(0).r#type())?;
        let dimension = usize::try_from(op.int("dimension")?).ok()?;
        let Dim::Static(size) = *operand.dims.get(dimension)? else {
            return None;
        };
        return Some(Constant {
            element: result.element,
            shape: Vec::new(),
            values: vec![size],
        });
    }
    if op.name() == "shape.shape_of" {
        let values = TensorType::from_mlir(op.operand(0).r#type())?.static_shape()?;
        return Some(Constant {
            element: result.element,
            shape: vec![values.len() as i64],
            values,
        });
    }
    if !matches!(
        result.element,
        ElementType::Int { .. } | ElementType::Bool | ElementType::Index
    ) {
        return None;
    }
    let operands: Vec<Constant> = op
        .operands()
        .into_iter()
        .map(Constant::of)
        .collect::<Option<_>>()?;
    if operands.is_empty() {
        return None;
    }
    let shape = match result.static_shape() {
        Some(shape) => shape,
        None => operands[0].shape.clone(),
    };
    let values = match op.short_name() {
        "concatenate" => {
            // Along the first dimension the elements of the operands follow each other, whatever the rank.
            if op.int("dimension") != Some(0)
                || operands.iter().any(|operand| operand.shape.is_empty())
            {
                return None;
            }
            operands
                .iter()
                .flat_map(|operand| operand.values.clone())
                .collect()
        }
        "reshape" => operands[0].values.clone(),
        "slice" => {
            let (starts, limits, strides) = (
                op.ints("start_indices")?,
                op.ints("limit_indices")?,
                op.ints("strides")?,
            );
            let ([start], [limit], [stride]) = (&starts[..], &limits[..], &strides[..]) else {
                return None;
            };
            if *stride <= 0
                || *start < 0
                || *limit > operands[0].values.len() as i64
                || start > limit
            {
                return None;
            }
            (*start..*limit)
                .step_by(*stride as usize)
                .map(|i| operands[0].values[i as usize])
                .collect()
        }
        "broadcast_in_dim" if operands[0].values.len() == 1 => {
            let count = shape.iter().try_fold(1usize, |n, size| {
                n.checked_mul(usize::try_from(*size).ok()?)
            })?;
            if count > MAX_ELEMENTS {
                return None;
            }
            vec![operands[0].values[0]; count]
        }
        _ => elementwise(op, &operands, &result.element)?,
    };
    let count: i64 = shape.iter().product();
    let shape = match values.len() as i64 == count {
        true => shape,
        // The declared size was unknown and follows from the values.
        false if shape.len() == 1 => vec![values.len() as i64],
        false => return None,
    };
    Some(Constant {
        element: result.element,
        shape,
        values,
    })
}

fn elementwise(op: Op<'_>, operands: &[Constant], element: &ElementType) -> Option<Vec<i64>> {
    let n = operands.iter().map(|operand| operand.values.len()).max()?;
    let at = |operand: usize, i: usize| -> Option<i64> {
        let values = &operands.get(operand)?.values;
        match values.len() {
            1 => Some(values[0]),
            len if len == n => Some(values[i]),
            _ => None,
        }
    };
    let name = op.short_name();
    let direction = op.text("comparison_direction").unwrap_or_default();
    let unsigned = operands[0].element.is_unsigned() || operands[0].element == ElementType::Bool;
    (0..n)
        .map(|i| {
            let a = at(0, i)?;
            let b = at(1, i);
            let value: i128 = match name {
                "convert" | "index_cast" => i128::from(a),
                "not" if *element == ElementType::Bool => i128::from(a == 0),
                "not" => i128::from(!a),
                "negate" => -i128::from(a),
                "abs" => i128::from(a).abs(),
                "sign" => i128::from(a.signum()),
                "add" => i128::from(a) + i128::from(b?),
                "subtract" => i128::from(a) - i128::from(b?),
                "multiply" => i128::from(a) * i128::from(b?),
                "maximum" => i128::from(
                    if unsigned {
                        a as u64 >= b? as u64
                    } else {
                        a >= b?
                    }
                    .then_some(a)
                    .or(b)?,
                ),
                "minimum" => i128::from(
                    if unsigned {
                        a as u64 <= b? as u64
                    } else {
                        a <= b?
                    }
                    .then_some(a)
                    .or(b)?,
                ),
                // Division by zero and the one quotient that overflows are left to run time.
                "divide" | "remainder" if b? == 0 || (b? == -1 && !unsigned) => return None,
                "divide" if unsigned => i128::from(a as u64 / b? as u64),
                "divide" => i128::from(a / b?),
                "remainder" if unsigned => i128::from(a as u64 % b? as u64),
                "remainder" => i128::from(a % b?),
                "and" => i128::from(a & b?),
                "or" => i128::from(a | b?),
                "xor" => i128::from(a ^ b?),
                "clamp" => {
                    let (low, value, high) = (a, b?, at(2, i)?);
                    i128::from(value.max(low).min(high))
                }
                "select" => i128::from(if a != 0 { b? } else { at(2, i)? }),
                "compare" => {
                    let (a, b) = match unsigned {
                        true => (i128::from(a as u64), i128::from(b? as u64)),
                        false => (i128::from(a), i128::from(b?)),
                    };
                    let word = |name: &str| {
                        direction
                            .split(|c: char| !c.is_ascii_alphanumeric())
                            .any(|word| word == name)
                    };
                    let holds = match () {
                        () if word("EQ") => a == b,
                        () if word("NE") => a != b,
                        () if word("LT") => a < b,
                        () if word("LE") => a <= b,
                        () if word("GT") => a > b,
                        () if word("GE") => a >= b,
                        () => return None,
                    };
                    i128::from(holds)
                }
                _ => return None,
            };
            Some(wrap(value, element))
        })
        .collect()
}
