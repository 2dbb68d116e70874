//! `arith`, `math` and `index`: what they do to elements, of scalars and of tensors alike.
//!
//! Integers have no sign there, the operation says how they are read; here the type says it. `i1`
//! is a number of one bit there and a truth value here, so that sums are exclusive disjunctions.

use super::{Rewriter, dense_of};
use crate::make::order_of;
use mapwright_mlir::{ElementType, Op, TensorType, Ty, Val};

/// Operations that have a counterpart of the same meaning, whatever the elements are.
const DIRECT: &[(&str, &str)] = &[
    ("arith.addf", "stablehlo.add"),
    ("arith.andi", "stablehlo.and"),
    ("arith.divf", "stablehlo.divide"),
    ("arith.maximumf", "stablehlo.maximum"),
    ("arith.minimumf", "stablehlo.minimum"),
    ("arith.mulf", "stablehlo.multiply"),
    ("arith.negf", "stablehlo.negate"),
    ("arith.ori", "stablehlo.or"),
    ("arith.remf", "stablehlo.remainder"),
    ("arith.select", "stablehlo.select"),
    ("arith.subf", "stablehlo.subtract"),
    ("arith.xori", "stablehlo.xor"),
    ("math.absf", "stablehlo.abs"),
    ("math.absi", "stablehlo.abs"),
    ("math.acos", "chlo.acos"),
    ("math.acosh", "chlo.acosh"),
    ("math.asin", "chlo.asin"),
    ("math.asinh", "chlo.asinh"),
    ("math.atan", "chlo.atan"),
    ("math.atan2", "stablehlo.atan2"),
    ("math.atanh", "chlo.atanh"),
    ("math.cbrt", "stablehlo.cbrt"),
    ("math.ceil", "stablehlo.ceil"),
    ("math.cos", "stablehlo.cosine"),
    ("math.cosh", "chlo.cosh"),
    ("math.ctlz", "stablehlo.count_leading_zeros"),
    ("math.ctpop", "stablehlo.popcnt"),
    ("math.erf", "chlo.erf"),
    ("math.erfc", "chlo.erfc"),
    ("math.exp", "stablehlo.exponential"),
    ("math.expm1", "stablehlo.exponential_minus_one"),
    ("math.floor", "stablehlo.floor"),
    ("math.log", "stablehlo.log"),
    ("math.log1p", "stablehlo.log_plus_one"),
    ("math.powf", "stablehlo.power"),
    ("math.round", "stablehlo.round_nearest_afz"),
    ("math.roundeven", "stablehlo.round_nearest_even"),
    ("math.rsqrt", "stablehlo.rsqrt"),
    ("math.sin", "stablehlo.sine"),
    ("math.sinh", "chlo.sinh"),
    ("math.sqrt", "stablehlo.sqrt"),
    ("math.tan", "stablehlo.tan"),
    ("math.tanh", "stablehlo.tanh"),
];

/// Operations on integers: the counterpart of numbers of several bits, how they are read, and the
/// counterpart of single bits.
const INTEGER: &[(&str, &str, Sign, Option<&str>)] = &[
    ("addi", "add", Sign::None, Some("xor")),
    ("divsi", "divide", Sign::Signed, None),
    ("divui", "divide", Sign::Unsigned, None),
    ("maxsi", "maximum", Sign::Signed, Some("and")),
    ("maxui", "maximum", Sign::Unsigned, Some("or")),
    ("minsi", "minimum", Sign::Signed, Some("or")),
    ("minui", "minimum", Sign::Unsigned, Some("and")),
    ("muli", "multiply", Sign::None, Some("and")),
    ("remsi", "remainder", Sign::Signed, None),
    ("remui", "remainder", Sign::Unsigned, None),
    ("shli", "shift_left", Sign::None, None),
    ("shrsi", "shift_right_arithmetic", Sign::None, None),
    ("shrui", "shift_right_logical", Sign::None, None),
    ("subi", "subtract", Sign::None, Some("xor")),
];

/// `index` has the operations of `arith` under names of its own.
const OF_INDEX: &[(&str, &str)] = &[
    ("add", "addi"),
    ("and", "andi"),
    ("castu", "index_castui"),
    ("casts", "index_cast"),
    ("ceildivs", "ceildivsi"),
    ("divs", "divsi"),
    ("divu", "divui"),
    ("floordivs", "floordivsi"),
    ("maxs", "maxsi"),
    ("maxu", "maxui"),
    ("mins", "minsi"),
    ("minu", "minui"),
    ("mul", "muli"),
    ("or", "ori"),
    ("rems", "remsi"),
    ("remu", "remui"),
    ("shl", "shli"),
    ("shrs", "shrsi"),
    ("shru", "shrui"),
    ("sub", "subi"),
    ("xor", "xori"),
];

/// Reading of the bits of an integer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// It makes no difference.
    None,
    Signed,
    Unsigned,
}

pub(super) fn rewrite<'c>(to: &Rewriter<'c>) -> Option<Val<'c>> {
    let name = match to.op.dialect() {
        "index" => match to.op.short_name() {
            "constant" => "arith.constant".into(),
            "bool.constant" => "arith.constant".into(),
            "cmp" => "arith.cmpi".into(),
            short => {
                let (_, name) = OF_INDEX.iter().find(|(known, _)| *known == short)?;
                format!("arith.{name}")
            }
        },
        _ => to.op.name().to_owned(),
    };
    if name == "arith.constant" {
        return constant(to);
    }
    let x = to.operands()?;
    if let Some((_, name)) = DIRECT.iter().find(|(known, _)| *known == name) {
        return Some(to.b.op1(name, &x, to.ty(), &[]));
    }
    let short = name.split_once('.').map_or("", |(_, short)| short);
    match (name.starts_with("math."), x.as_slice()) {
        (true, x) => function(to, short, x),
        (false, [a]) => conversion(to, short, *a),
        (false, [a, b]) => binary(to, short, *a, *b),
        _ => None,
    }
}

fn constant<'c>(to: &Rewriter<'c>) -> Option<Val<'c>> {
    let value = to.op.attribute("value")?;
    let value = dense_of(value).unwrap_or(value);
    let ty = to.ty();
    TensorType::from_mlir(ty)?;
    Some(to.b.op1("stablehlo.constant", &[], ty, &[("value", value)]))
}

fn unsigned(element: &ElementType) -> ElementType {
    match element {
        ElementType::Int { width, .. } => ElementType::uint(*width),
        other => other.clone(),
    }
}

fn binary<'c>(to: &Rewriter<'c>, short: &str, a: Val<'c>, b: Val<'c>) -> Option<Val<'c>> {
    let element = to.element(a);
    let bits = element == ElementType::Bool;
    if let Some((_, name, sign, of_bits)) = INTEGER.iter().find(|(known, ..)| *known == short) {
        let name = if bits { (*of_bits)? } else { name };
        let name = format!("stablehlo.{name}");
        if *sign == Sign::Unsigned && !bits {
            let of = unsigned(&element);
            let found = to.same(&name, &[to.bitcast(a, &of), to.bitcast(b, &of)]);
            return Some(to.bitcast(found, &element));
        }
        return Some(to.same(&name, &[a, b]));
    }
    match short {
        "cmpi" => compare_integers(to, a, b),
        "cmpf" => compare_floats(to, a, b),
        "maxnumf" | "minnumf" => {
            // A number goes before NaN.
            let name = match short {
                "maxnumf" => "stablehlo.maximum",
                _ => "stablehlo.minimum",
            };
            let found = to.same(name, &[a, b]);
            let no_b = compare(to, "NE", "FLOAT", b, b);
            let no_a = compare(to, "NE", "FLOAT", a, a);
            let found = to.b.choose(no_b, a, found);
            Some(to.b.choose(no_a, b, found))
        }
        "floordivsi" | "ceildivsi" | "ceildivui" if !bits => rounded_quotient(to, short, a, b),
        _ => None,
    }
}

/// The quotient rounded down or up: that towards zero, and one step where the remainder is not zero
/// and has (down) or has not (up) the other sign than the divisor.
fn rounded_quotient<'c>(to: &Rewriter<'c>, short: &str, a: Val<'c>, b: Val<'c>) -> Option<Val<'c>> {
    let element = to.element(a);
    let of = match short {
        "ceildivui" => unsigned(&element),
        _ => element.clone(),
    };
    let (a, b) = (to.bitcast(a, &of), to.bitcast(b, &of));
    let (zero, one) = (to.splat("0", &of, a)?, to.splat("1", &of, a)?);
    let kind = order_of(&of);
    let quotient = to.same("stablehlo.divide", &[a, b]);
    let rest = to.same("stablehlo.remainder", &[a, b]);
    let is_rest = compare(to, "NE", kind, rest, zero);
    let negative = |x| compare(to, "LT", kind, x, zero);
    let differs = compare(to, "NE", "UNSIGNED", negative(rest), negative(b));
    let (side, step) = match short {
        "floordivsi" => (differs, "stablehlo.subtract"),
        _ => (to.same("stablehlo.not", &[differs]), "stablehlo.add"),
    };
    let moves = to.same("stablehlo.and", &[is_rest, side]);
    let moved = to.same(step, &[quotient, one]);
    let found = to.b.choose(moves, moved, quotient);
    Some(to.bitcast(found, &element))
}

pub(super) fn compare<'c>(
    to: &Rewriter<'c>,
    direction: &str,
    kind: &str,
    a: Val<'c>,
    b: Val<'c>,
) -> Val<'c> {
    let attributes = to.b.comparison(direction, kind);
    let ty = to.with_element(a, &ElementType::Bool);
    to.b.op1("stablehlo.compare", &[a, b], ty, &attributes)
}

/// The number of a predicate, by `arith`'s table; `index` writes its word.
fn predicate(op: Op<'_>) -> Option<i64> {
    if let Some(number) = op.int("predicate") {
        return Some(number);
    }
    let text = op.text("pred")?;
    let names = [
        "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge",
    ];
    let place = names.iter().position(|name| {
        text.ends_with(&format!(" {name}>")) || text.ends_with(&format!("({name})>"))
    })?;
    Some(place as i64)
}

fn compare_integers<'c>(to: &Rewriter<'c>, a: Val<'c>, b: Val<'c>) -> Option<Val<'c>> {
    let element = to.element(a);
    let number = predicate(to.op)?;
    let directions = ["EQ", "NE", "LT", "LE", "GT", "GE", "LT", "LE", "GT", "GE"];
    let direction = directions.get(usize::try_from(number).ok()?)?;
    if element == ElementType::Bool {
        // With a sign, the one bit that is set is -1.
        let (a, b) = if (2..6).contains(&number) {
            (b, a)
        } else {
            (a, b)
        };
        return Some(compare(to, direction, "UNSIGNED", a, b));
    }
    if number < 6 {
        return Some(compare(to, direction, order_of(&element), a, b));
    }
    let of = unsigned(&element);
    let (a, b) = (to.bitcast(a, &of), to.bitcast(b, &of));
    Some(compare(to, direction, "UNSIGNED", a, b))
}

fn compare_floats<'c>(to: &Rewriter<'c>, a: Val<'c>, b: Val<'c>) -> Option<Val<'c>> {
    let plain = |direction: &str| compare(to, direction, "FLOAT", a, b);
    let not = |value: Val<'c>| to.same("stablehlo.not", &[value]);
    let ordered = || {
        let is_number = |x: Val<'c>| compare(to, "EQ", "FLOAT", x, x);
        to.same("stablehlo.and", &[is_number(a), is_number(b)])
    };
    let unequal = || to.same("stablehlo.and", &[plain("NE"), ordered()]);
    Some(match to.op.int("predicate")? {
        0 => to.splat("false", &ElementType::Bool, a)?,
        1 => plain("EQ"),
        2 => plain("GT"),
        3 => plain("GE"),
        4 => plain("LT"),
        5 => plain("LE"),
        6 => unequal(),
        7 => ordered(),
        8 => not(unequal()),
        9 => not(plain("LE")),
        10 => not(plain("LT")),
        11 => not(plain("GE")),
        12 => not(plain("GT")),
        13 => plain("NE"),
        14 => not(ordered()),
        15 => to.splat("true", &ElementType::Bool, a)?,
        _ => return None,
    })
}

fn conversion<'c>(to: &Rewriter<'c>, short: &str, x: Val<'c>) -> Option<Val<'c>> {
    let from = to.element(x);
    let result: Ty<'c> = to.ty();
    let element = TensorType::from_mlir(result)?.element;
    let bit = from == ElementType::Bool;
    Some(match short {
        "extf" | "truncf" | "fptosi" => to.convert(x, &element),
        "fptoui" => to.bitcast(to.convert(x, &unsigned(&element)), &element),
        "extsi" | "sitofp" if bit => {
            // The one bit that is set is -1.
            let found = to.convert(x, &element);
            to.same("stablehlo.negate", &[found])
        }
        "extsi" | "sitofp" => to.convert(x, &element),
        "index_cast" if from.bit_width() >= element.bit_width() => truncated(to, x, &element)?,
        "index_cast" if bit => {
            let found = to.convert(x, &element);
            to.same("stablehlo.negate", &[found])
        }
        "index_cast" => to.convert(x, &element),
        "trunci" => truncated(to, x, &element)?,
        "index_castui" if from.bit_width() >= element.bit_width() => truncated(to, x, &element)?,
        "extui" | "index_castui" => {
            let wide = to.convert(to.bitcast(x, &unsigned(&from)), &unsigned(&element));
            to.bitcast(wide, &element)
        }
        "uitofp" => to.convert(to.bitcast(x, &unsigned(&from)), &element),
        "bitcast" => to.bitcast(x, &element),
        _ => return None,
    })
}

/// The low bits of an integer.
fn truncated<'c>(to: &Rewriter<'c>, x: Val<'c>, element: &ElementType) -> Option<Val<'c>> {
    if *element != ElementType::Bool || to.element(x) == ElementType::Bool {
        return Some(to.convert(x, element));
    }
    let one = to.splat("1", &to.element(x), x)?;
    Some(to.convert(to.same("stablehlo.and", &[x, one]), element))
}

fn function<'c>(to: &Rewriter<'c>, short: &str, x: &[Val<'c>]) -> Option<Val<'c>> {
    let element = to.element(*x.first()?);
    let x = *x.first()?;
    let ratio = |base: &str| {
        let base = to.splat(base, &element, x)?;
        let (x, base) = (
            to.same("stablehlo.log", &[x]),
            to.same("stablehlo.log", &[base]),
        );
        Some(to.same("stablehlo.divide", &[x, base]))
    };
    match short {
        "exp2" => {
            let base = to.splat("2.0", &element, x)?;
            Some(to.same("stablehlo.power", &[base, x]))
        }
        "log2" => ratio("2.0"),
        "log10" => ratio("10.0"),
        "trunc" => {
            let zero = to.splat("0.0", &element, x)?;
            let negative = compare(to, "LT", "FLOAT", x, zero);
            let (up, down) = (
                to.same("stablehlo.ceil", &[x]),
                to.same("stablehlo.floor", &[x]),
            );
            Some(to.b.choose(negative, up, down))
        }
        "isnan" => Some(compare(to, "NE", "FLOAT", x, x)),
        "isfinite" => Some(to.b.op1("stablehlo.is_finite", &[x], to.ty(), &[])),
        "isinf" => Some(to.b.op1("chlo.is_inf", &[x], to.ty(), &[])),
        _ => None,
    }
}
