//! Functions that only CHLO has, of one operand and of two, alone and with operands that are
//! broadcast.

use super::text::{program, tensor};
use fastrand::Rng;

/// Where a function is tried: between two numbers, whole ones or any.
enum Domain {
    Reals(f64, f64),
    Whole(i64, i64),
}

use Domain::{Reals, Whole};

const UNARY: &[(&str, Domain)] = &[
    ("acos", Reals(-1.0, 1.0)),
    ("acosh", Reals(1.0, 40.0)),
    ("asin", Reals(-1.0, 1.0)),
    ("asinh", Reals(-40.0, 40.0)),
    ("atan", Reals(-40.0, 40.0)),
    ("atanh", Reals(-0.95, 0.95)),
    ("bessel_i1e", Reals(-60.0, 60.0)),
    ("cosh", Reals(-8.0, 8.0)),
    ("digamma", Reals(-4.9, 20.0)),
    ("erf", Reals(-4.0, 4.0)),
    ("erf_inv", Reals(-0.99, 0.99)),
    ("erfc", Reals(-4.0, 8.0)),
    ("lgamma", Reals(-4.9, 20.0)),
    ("sinh", Reals(-8.0, 8.0)),
    ("square", Reals(-8.0, 8.0)),
    ("tan", Reals(-1.4, 1.4)),
];

const BINARY: &[(&str, Domain, Domain)] = &[
    ("next_after", Reals(-3.0, 3.0), Whole(-1, 1)),
    ("polygamma", Whole(0, 5), Reals(0.1, 20.0)),
    ("zeta", Reals(1.1, 12.0), Reals(0.1, 20.0)),
];

fn elements(rng: &mut Rng, domain: &Domain, count: i64) -> String {
    let one = |rng: &mut Rng| match domain {
        Reals(low, high) => format!("{:?}", low + (high - low) * rng.f64()),
        Whole(low, high) => format!("{}.0", rng.i64(*low..=*high)),
    };
    let all: Vec<String> = (0..count).map(|_| one(rng)).collect();
    format!("dense<[{}]>", all.join(", "))
}

/// A program with one of these functions.
pub fn functions(rng: &mut Rng) -> String {
    let element = ["f32", "f64", "f16", "bf16"][rng.usize(..4)];
    let count = rng.i64(1..=9);
    let ty = tensor(&[count], element);
    let constant = |name: &str, text: String, ty: &str| {
        format!("  %{name} = stablehlo.constant {text} : {ty}\n")
    };
    if rng.u8(..3) > 0 {
        let (name, domain) = &UNARY[rng.usize(..UNARY.len())];
        let body = constant("x", elements(rng, domain, count), &ty)
            + &format!("  %r = chlo.{name} %x : {ty} -> {ty}\n");
        return program(&body, &[("%r", ty)]);
    }
    let (name, left, right) = &BINARY[rng.usize(..BINARY.len())];
    let broadcast = rng.bool();
    // A row beside a matrix of one column.
    let columns = if broadcast { rng.i64(1..=3) } else { 1 };
    let other = if broadcast {
        tensor(&[columns, 1], element)
    } else {
        ty.clone()
    };
    let values = if broadcast {
        let flat = elements(rng, right, columns);
        let inside = flat.trim_start_matches("dense<[").trim_end_matches("]>");
        let rows: Vec<String> = inside.split(", ").map(|x| format!("[{x}]")).collect();
        format!("dense<[{}]>", rows.join(", "))
    } else {
        elements(rng, right, count)
    };
    let (result, prefix) = if broadcast {
        (tensor(&[columns, count], element), "broadcast_")
    } else {
        (ty.clone(), "")
    };
    let mut body = constant("x", elements(rng, left, count), &ty) + &constant("y", values, &other);
    let types = if broadcast {
        format!("({ty}, {other})")
    } else {
        format!("{ty}, {other}")
    };
    body += &format!("  %r = chlo.{prefix}{name} %x, %y : {types} -> {result}\n");
    program(&body, &[("%r", result)])
}
