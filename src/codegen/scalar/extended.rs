//! Functions of `complex<f64>` whose parts cancel, or add up rounding errors, in 64 bits.
//!
//! They are computed in the widest format of the target. What an operation needs is a function of
//! its own, defined once a module of kernels ([`define`]) and called ([`call`]). Beside the curves
//! along which a part vanishes the runtime goes on ([`super::complex_cancellation`]).

use super::{complex, complex::Pair, complex_cancellation};
use crate::error::Result;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, Op, Val};

/// Operations that are computed so, and how many operands they have.
const FUNCTIONS: &[(&str, usize)] = &[
    ("acos", 1),
    ("acosh", 1),
    ("asin", 1),
    ("asinh", 1),
    ("atan", 1),
    ("atan2", 2),
    ("atanh", 1),
    ("cbrt", 1),
    ("exponential_minus_one", 1),
    ("logistic", 1),
    ("power", 2),
    ("rsqrt", 1),
    ("tan", 1),
    ("tanh", 1),
];

const PREFIX: &str = "complex_f64_";

/// Returns the number of operands of the operation `name`, if it is computed so.
pub(super) fn operands(name: &str) -> Option<usize> {
    let function = FUNCTIONS.iter().find(|(of, _)| *of == name);
    function.map(|(_, operands)| *operands)
}

/// `name(z)` or `name(z, w)`, if it is computed so and the parts are scalars.
pub(super) fn call<'c>(b: &Builder<'c>, name: &str, z: Pair<'c>, w: Pair<'c>) -> Option<Pair<'c>> {
    let operands = operands(name).filter(|_| z.0.r#type() == b.f64())?;
    let arguments = [z.0, z.1, w.0, w.1];
    let arguments = &arguments[..2 * operands];
    let results = b.call(&format!("{PREFIX}{name}"), arguments, &[b.f64(), b.f64()]);
    Some((results[0], results[1]))
}

/// Appends the function `symbol` to `module` if it is one that [`call`] calls. `extended`: the type
/// of more than 64 bits that the target's C library has functions for.
///
/// # Errors
/// None that a program can cause.
pub(crate) fn define<'c>(
    module: &Builder<'c>,
    symbol: &str,
    extended: Option<&str>,
) -> Result<Option<Op<'c>>> {
    let Some(name) = symbol.strip_prefix(PREFIX) else {
        return Ok(None);
    };
    let Some(operands) = operands(name) else {
        return Ok(None);
    };
    let part = module.f64();
    let inputs = vec![part; 2 * operands];
    let body = |b: &Builder<'c>, arguments: &[Val<'c>]| -> Result<()> {
        let ty = extended.map_or(part, |name| b.parse_type(name));
        let convert = |name: &str, x: Val<'c>, ty| match extended {
            Some(_) => b.cast(name, x, ty),
            None => x,
        };
        let parts: Vec<Val<'c>> = arguments
            .iter()
            .map(|x| convert("arith.extf", *x, ty))
            .collect();
        let z = (parts[0], parts[1]);
        let w = (parts[parts.len() - 2], parts[parts.len() - 1]);
        let narrow = |(re, im)| {
            (
                convert("arith.truncf", re, part),
                convert("arith.truncf", im, part),
            )
        };
        let (re, im) = match complex_cancellation::function(name) {
            Some(function) if extended.is_none() => {
                complex_cancellation::call(b, function, arguments)
            }
            Some(function) => {
                let (value, certain) = complex_cancellation::guarded(b, function, z, w)?;
                complex_cancellation::unless(b, function, arguments, narrow(value), certain)
            }
            None => narrow(complex::function(b, name, z, w)?),
        };
        b.ret(&[re, im]);
        Ok(())
    };
    let function = module.try_func(symbol, &inputs, &[part, part], true, body)?;
    // Every module of kernels has its own.
    let internal = module.parse_attr("#llvm.linkage<internal>");
    function.set_attribute("llvm.linkage", internal);
    Ok(Some(function))
}
