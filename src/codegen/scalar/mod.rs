//! What each element-wise operation computes, for one element or for a vector of them.
//!
//! Definitions are those of the StableHLO specification, section "Ops"; where it leaves a choice
//! (an integer division by zero, a float that does not fit an integer), the choice is written at
//! the place. Functions take and give [`Elem`]s whose SSA types are the value type of the element
//! ([`crate::storage::value_type`]) or a vector of it; all operands have the same lanes.

pub(crate) mod accumulation;
pub mod compare;
pub mod complex;
mod complex_cancellation;
mod complex_inverse;
pub mod convert;
mod extended;
pub mod float;
pub mod integer;
pub mod narrow;
pub mod quantize;
pub mod region;

use crate::{
    error::{Result, unsupported},
    storage::Elem,
};
use mapwright_mlir::melior::ir::ValueLike as _;
use mapwright_mlir::{Builder, ElementType, FloatKind, Op, ValueType};
use mapwright_ops::registry::DIALECTS;

pub(crate) use extended::define as define_extended;
pub use region::{apply_region, region_supported};

/// Operations that [`apply`] knows: element by element, all operands at the index of the result.
pub fn is_elementwise(op: Op<'_>) -> bool {
    mapwright_ops::registry::is_elementwise(op)
        || (DIALECTS.contains(&op.dialect()) && ALSO.contains(&op.short_name()))
}

/// Operations that regions have under another role, or not at all.
const ALSO: &[&str] = &[
    "_asin_acos_kernel",
    "asin_acos_kernel",
    "copy",
    "optimization_barrier",
    "stochastic_convert",
];

/// Tells whether there is a function for scalars only, which is more accurate than what [`apply`]
/// computes for vectors.
pub(crate) fn is_scalar_only(op: Op<'_>) -> bool {
    extended::operands(op.short_name()).is_some()
        && Types::from_op(op).is_ok_and(|types| {
            types
                .operands
                .first()
                .is_some_and(|element| *element == ElementType::Complex(FloatKind::F64))
        })
}

/// The element types of an operation's operands and results.
pub struct Types {
    /// One an operand.
    pub operands: Vec<ElementType>,
    /// One a result.
    pub results: Vec<ElementType>,
}

impl Types {
    /// Of `op`; tokens and the like have no element type and are refused.
    pub fn from_op(op: Op<'_>) -> Result<Self> {
        let element = |ty: ValueType| match ty {
            ValueType::Tensor(tensor) => Ok(tensor.element),
            ValueType::UnrankedTensor(element) => Ok(element),
            other => unsupported(format!(
                "a value of type {other} in an element-wise operation"
            )),
        };
        Ok(Self {
            operands: (0..op.num_operands())
                .map(|i| element(op.operand_type(i)))
                .collect::<Result<_>>()?,
            results: (0..op.num_results())
                .map(|i| element(op.result_type(i)))
                .collect::<Result<_>>()?,
        })
    }
}

/// The result of an element-wise operation on `args`, its operands at the index of the result (the
/// operands of rank 0 that `select` and `clamp` allow included: the caller has broadcast them).
pub fn apply<'c>(b: &Builder<'c>, op: Op<'c>, args: &[Elem<'c>]) -> Result<Elem<'c>> {
    let types = Types::from_op(op)?;
    let (Some(result), Some(first)) = (types.results.first(), types.operands.first()) else {
        return unsupported(format!("'{}' without operands or results", op.name()));
    };
    if args.len() != types.operands.len() {
        return unsupported(format!("'{}' with {} operands", op.name(), args.len()));
    }
    let name = op.short_name();
    match name {
        "convert" => return convert::convert(b, first, result, args[0]),
        "bitcast_convert" => return convert::bitcast(b, first, result, args[0]),
        "compare" => {
            let direction = compare::direction(op)?;
            let total = compare::is_total_order(op);
            return compare::compare(b, direction, total, first, args[0], args[1]);
        }
        "reduce_precision" => {
            let (Some(exponent), Some(mantissa)) =
                (op.int("exponent_bits"), op.int("mantissa_bits"))
            else {
                return unsupported("reduce_precision without exponent_bits and mantissa_bits");
            };
            return float::reduce_precision(b, first, args[0], exponent as u32, mantissa as u32);
        }
        "select" => return Ok(select(b, args[0], args[1], args[2])),
        "optimization_barrier" | "copy" => return Ok(args[0]),
        "clamp" => {
            let low = named(
                b,
                "maximum",
                &types.operands[1],
                result,
                &[args[1], args[0]],
            )?;
            return named(b, "minimum", result, result, &[low, args[2]]);
        }
        "uniform_quantize" | "uniform_dequantize" => {
            return quantize::apply(b, name, first, result, args[0]);
        }
        _ => {}
    }
    if types.operands.iter().any(ElementType::is_quantized) || result.is_quantized() {
        return quantize::through_reals(b, name, &types, args);
    }
    named(b, name, first, result, args)
}

/// The result of the operation of this name that has no attributes: `first` is the element type of
/// the first operand.
pub fn named<'c>(
    b: &Builder<'c>,
    name: &str,
    first: &ElementType,
    result: &ElementType,
    args: &[Elem<'c>],
) -> Result<Elem<'c>> {
    match name {
        "complex" => return Ok(Elem::Pair(args[0].one(), args[1].one())),
        "real" | "imag" if !first.is_complex() => {
            let zero = || b.cfloat(0.0, args[0].one().r#type());
            return match (name, first) {
                ("real", _) => Ok(args[0]),
                // Not every format has a zero.
                (_, ElementType::Float(kind)) => Ok(Elem::One(narrow::round(b, *kind, zero()))),
                _ => Ok(Elem::One(zero())),
            };
        }
        _ => {}
    }
    match first {
        ElementType::Bool => integer::boolean(b, name, args),
        ElementType::Int { width, unsigned } => integer::apply(b, name, *width, *unsigned, args),
        ElementType::Index => integer::apply(b, name, 64, false, args),
        ElementType::Float(kind) => float::apply(b, name, *kind, result, args),
        ElementType::Complex(kind) => complex::apply(b, name, *kind, args),
        ElementType::Quantized(_) => {
            let types = Types {
                operands: vec![first.clone(); args.len()],
                results: vec![result.clone()],
            };
            quantize::through_reals(b, name, &types, args)
        }
        ElementType::Other(other) => unsupported(format!("'{name}' on elements of type {other}")),
    }
}

/// `condition ? yes : no`, part by part.
pub fn select<'c>(b: &Builder<'c>, condition: Elem<'c>, yes: Elem<'c>, no: Elem<'c>) -> Elem<'c> {
    let c = condition.one();
    match (yes, no) {
        (Elem::Pair(yr, yi), Elem::Pair(nr, ni)) => {
            Elem::Pair(b.select(c, yr, nr), b.select(c, yi, ni))
        }
        _ => Elem::One(b.select(c, yes.one(), no.one())),
    }
}
