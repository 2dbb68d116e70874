//! Which order of numbers a comparator is.
//!
//! A comparator is a lexicographic chain of comparisons `key(a) < key(b)`. The key of an element is
//! found out case by case: is it negative or positive zero, a NaN of either sign, or anything else?
//! In each case every value of the region is the element itself or a constant, so selections such
//! as "NaN if it is one, 0 if it equals 0" are decided. What the cases become says which of the
//! runtime's orders it is; a comparator that is none of them is compiled and called.

use crate::scalar::compare::{self, Direction};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{ElementType, Op, Steps, TensorType, Val, ValueType, attr::Dense, op};
use std::collections::HashSet;

/// An order of the runtime (`enum mw_order`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Zeros are equal; NaNs are equal and greater than everything.
    Plain { descending: bool },
    /// IEEE 754 `totalOrder`.
    Total { descending: bool },
}

impl Order {
    pub fn code(self) -> i64 {
        match self {
            Self::Plain { descending } => i64::from(descending),
            Self::Total { descending } => 2 + i64::from(descending),
        }
    }
}

/// The operands that `sort` compares, most significant first, each with its order; `None` if the
/// comparator is not known to be that.
pub(crate) fn keys(sort: Op<'_>) -> Option<Vec<(usize, Order)>> {
    let block = sort.body(0)?;
    let end = op::ops(block).last().copied()?;
    let keys = chain(end.operand(0), &op::arguments(block))?;
    // A key that occurs twice never decides anything the second time; nobody writes that.
    let distinct = keys
        .iter()
        .enumerate()
        .all(|(i, (key, _))| keys[..i].iter().all(|(k, _)| k != key));
    distinct.then_some(keys)
}

/// `less`, or `less or (equal and chain)`.
fn chain(value: Val<'_>, arguments: &[Val<'_>]) -> Option<Vec<(usize, Order)>> {
    let (op, _) = op::defining_op(value)?;
    if op.is_hlo("select")
        && let Some(condition) = known(op.operand(0))
    {
        return chain(op.operand(if condition { 1 } else { 2 }), arguments);
    }
    if op.is_hlo("compare") {
        return less(op, arguments).map(|key| vec![key]);
    }
    if !op.is_hlo("or") {
        return None;
    }
    let sides = [
        (op.operand(0), op.operand(1)),
        (op.operand(1), op.operand(0)),
    ];
    sides.into_iter().find_map(|(first, rest)| {
        let (first, _) = op::defining_op(first)?;
        let (both, _) = op::defining_op(rest)?;
        if !first.is_hlo("compare") || !both.is_hlo("and") {
            return None;
        }
        let key = less(first, arguments)?;
        let sides = [
            (both.operand(0), both.operand(1)),
            (both.operand(1), both.operand(0)),
        ];
        let rest = sides.into_iter().find_map(|(equal, rest)| {
            let (equal, _) = op::defining_op(equal)?;
            (equal.is_hlo("compare") && equals(equal, first, arguments))
                .then(|| chain(rest, arguments))?
        })?;
        let mut keys = vec![key];
        keys.extend(rest);
        Some(keys)
    })
}

/// A truth value that is a constant.
fn known(value: Val<'_>) -> Option<bool> {
    let (op, _) = op::defining_op(value)?;
    let dense = op.attribute("value").and_then(Dense::from_mlir)?;
    let is_constant = op.is_hlo("constant") && dense.ty.element == ElementType::Bool;
    let first = dense.data.first().filter(|_| is_constant)?;
    Some(*first != 0)
}

/// The key and order of one comparison.
fn less(compare: Op<'_>, arguments: &[Val<'_>]) -> Option<(usize, Order)> {
    let (l, r) = (compare.operand(0), compare.operand(1));
    let (key, swapped) = compared(l, r, arguments)?;
    let descending = match compare::direction(compare).ok()? {
        Direction::Lt => swapped,
        Direction::Gt => !swapped,
        _ => return None,
    };
    let form = form(l, arguments)?;
    if form != self::form(r, arguments)? {
        return None;
    }
    let order = match (element(arguments[2 * key])?, form) {
        (ElementType::Bool | ElementType::Int { .. }, Form::Itself) => Order::Plain { descending },
        // Without a total order there is none for NaN.
        (ElementType::Float(kind), form)
            if compare::is_total_order(compare) && kind.width() >= 16 =>
        {
            match form {
                Form::Itself => Order::Total { descending },
                Form::Merged => Order::Plain { descending },
            }
        }
        _ => return None,
    };
    Some((key, order))
}

/// Tells whether `equal` is the equality that goes with the comparison `less`.
fn equals(equal: Op<'_>, less: Op<'_>, arguments: &[Val<'_>]) -> bool {
    let is_equal = compare::direction(equal).is_ok_and(|d| d == Direction::Eq);
    let same_key = |op: Op<'_>| {
        let (key, _) = compared(op.operand(0), op.operand(1), arguments)?;
        let form = form(op.operand(0), arguments)?;
        (form == self::form(op.operand(1), arguments)?).then_some((key, form))
    };
    let (a, b) = (same_key(equal), same_key(less));
    let integer = a
        .and_then(|(key, _)| element(arguments[2 * key]))
        .is_some_and(|e| !e.is_float());
    is_equal && a.is_some() && a == b && (integer || compare::is_total_order(equal))
}

/// The operand that `l` and `r` are computed from, one from each of its two elements, and whether
/// the first element is on the right.
fn compared(l: Val<'_>, r: Val<'_>, arguments: &[Val<'_>]) -> Option<(usize, bool)> {
    let (l, r) = (source(l, arguments)?, source(r, arguments)?);
    (l / 2 == r / 2 && l != r).then_some((l / 2, l > r))
}

/// The one argument that a value is computed from.
fn source(value: Val<'_>, arguments: &[Val<'_>]) -> Option<usize> {
    let mut found = None;
    let (mut stack, mut seen) = (vec![value], HashSet::new());
    while let Some(value) = stack.pop() {
        if !seen.insert(op::key(value)) {
            continue;
        }
        match op::defining_op(value) {
            Some((op, _)) => stack.extend(op.operands()),
            None => {
                let number = arguments
                    .iter()
                    .position(|a| op::key(*a) == op::key(value))?;
                if found.is_some_and(|other| other != number) {
                    return None;
                }
                found = Some(number);
            }
        }
    }
    found
}

/// Key by which an element is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// The element.
    Itself,
    /// The element, but one zero for both and one positive NaN for all.
    Merged,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    NegativeNan,
    PositiveNan,
    NegativeZero,
    PositiveZero,
    /// Neither zero nor NaN.
    Other,
}

use Case::{NegativeNan, NegativeZero, Other, PositiveNan, PositiveZero};

/// Value of the region in a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fact {
    Itself,
    /// The bits of a number.
    Bits(u64),
    Bool(bool),
}

fn form(value: Val<'_>, arguments: &[Val<'_>]) -> Option<Form> {
    if arguments.iter().any(|a| op::key(*a) == op::key(value)) {
        return Some(Form::Itself);
    }
    // As integers, truth values have the order that they have.
    if let Some((op, _)) = op::defining_op(value)
        && op.is_hlo("convert")
        && element(value)?.is_int()
        && element(op.operand(0))? == ElementType::Bool
    {
        return form(op.operand(0), arguments);
    }
    let ElementType::Float(kind) = element(value)? else {
        return None;
    };
    let width = kind.width();
    let fact = |case| evaluate(value, case, width, &Steps::default());
    if fact(Other)? != Fact::Itself {
        return None;
    }
    let cases = [NegativeNan, PositiveNan, NegativeZero, PositiveZero];
    let facts = [
        fact(cases[0])?,
        fact(cases[1])?,
        fact(cases[2])?,
        fact(cases[3])?,
    ];
    if facts.iter().all(|f| *f == Fact::Itself) {
        return Some(Form::Itself);
    }
    let sign = 1u64 << (width - 1);
    let zero = |fact: Fact, case: Case| match (fact, case) {
        (Fact::Itself, NegativeZero) => Some(sign),
        (Fact::Itself, _) => Some(0),
        (Fact::Bits(bits), _) if bits & !sign == 0 => Some(bits),
        _ => None,
    };
    // All NaNs the same, with a clear sign bit: above infinity in the total order.
    let nan = match (facts[0], facts[1]) {
        (Fact::Bits(a), Fact::Bits(b)) => {
            a == b && a & sign == 0 && is_nan(a, &ElementType::Float(kind))
        }
        _ => false,
    };
    let zeros = (zero(facts[2], NegativeZero)?, zero(facts[3], PositiveZero)?);
    (nan && zeros.0 == zeros.1).then_some(Form::Merged)
}

/// Tells whether these are the bits of a NaN. Only for the IEEE kinds, whose largest exponent is
/// infinity and the NaNs.
fn is_nan(bits: u64, element: &ElementType) -> bool {
    use mapwright_mlir::FloatKind::{BF16, F16, F32, F64};
    let infinity = match element {
        ElementType::Float(F16) => 0x7c00,
        ElementType::Float(BF16) => 0x7f80,
        ElementType::Float(F32) => 0x7f80_0000,
        ElementType::Float(F64) => 0x7ff0_0000_0000_0000,
        _ => return false,
    };
    bits > infinity
}

fn evaluate(value: Val<'_>, case: Case, width: u32, steps: &Steps) -> Option<Fact> {
    steps.take()?;
    let Some((op, _)) = op::defining_op(value) else {
        return Some(Fact::Itself);
    };
    let fact = |i: usize| evaluate(op.operand(i), case, width, steps);
    if op.is_hlo("constant") {
        let dense = op.attribute("value").and_then(Dense::from_mlir)?;
        if !matches!(dense.ty.element, ElementType::Float(kind) if kind.width() == width) {
            return None;
        }
        let mut bits = [0u8; 8];
        let bytes = dense.data.get(..width as usize / 8)?;
        bits[..bytes.len()].copy_from_slice(bytes);
        return Some(Fact::Bits(u64::from_le_bytes(bits)));
    }
    if op.is_hlo("select") {
        return match fact(0)? {
            Fact::Bool(true) => fact(1),
            Fact::Bool(false) => fact(2),
            _ => None,
        };
    }
    if !op.is_hlo("compare") || compare::is_total_order(op) {
        return None;
    }
    let zero = |bits: u64| bits & !(1u64 << (width - 1)) == 0;
    let nan = matches!(case, NegativeNan | PositiveNan);
    // Only "is it a NaN" and "is it zero" are asked.
    let equal = match (fact(0)?, fact(1)?) {
        (Fact::Itself, Fact::Itself) => !nan,
        (Fact::Itself, Fact::Bits(bits)) | (Fact::Bits(bits), Fact::Itself) if zero(bits) => {
            matches!(case, NegativeZero | PositiveZero)
        }
        _ => return None,
    };
    match compare::direction(op).ok()? {
        Direction::Eq => Some(Fact::Bool(equal)),
        Direction::Ne => Some(Fact::Bool(!equal)),
        _ => None,
    }
}

fn element(value: Val<'_>) -> Option<ElementType> {
    match ValueType::from_mlir(value.r#type()) {
        ValueType::Tensor(TensorType { element, .. }) => Some(element),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapwright_mlir::{context::context, diagnostic::Diagnostics};

    /// The comparator that JAX writes for one key: `a` and `b` are its two arguments.
    fn canonical(a: &str, b: &str, direction: &str, name: &str) -> String {
        format!(
            "%z{name} = stablehlo.constant dense<0.0> : tensor<f32>
             %n{name} = stablehlo.constant dense<0x7FC00000> : tensor<f32>
             %a0{name} = stablehlo.compare EQ, {a}, %z{name}, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
             %a1{name} = stablehlo.select %a0{name}, %z{name}, {a} : tensor<i1>, tensor<f32>
             %a2{name} = stablehlo.compare NE, {a}, {a}, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
             %a3{name} = stablehlo.select %a2{name}, %n{name}, %a1{name} : tensor<i1>, tensor<f32>
             %b0{name} = stablehlo.compare EQ, {b}, %z{name}, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
             %b1{name} = stablehlo.select %b0{name}, %z{name}, {b} : tensor<i1>, tensor<f32>
             %b2{name} = stablehlo.compare NE, {b}, {b}, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
             %b3{name} = stablehlo.select %b2{name}, %n{name}, %b1{name} : tensor<i1>, tensor<f32>
             %r{name} = stablehlo.compare {direction}, %a3{name}, %b3{name}, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
        )
    }

    /// Returns what [`keys`] says about a sort of a float and an integer tensor by `comparator` of
    /// `%a, %b` and `%i, %j`.
    fn keys_of(comparator: &str) -> Option<Vec<(usize, Order)>> {
        let text = format!(
            "func.func @main(%x: tensor<8xf32>, %y: tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>) {{
               %0:2 = \"stablehlo.sort\"(%x, %y) <{{dimension = 0 : i64, is_stable = true}}> ({{
               ^bb0(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>):
                 {comparator}
                 stablehlo.return %r : tensor<i1>
               }}) : (tensor<8xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>)
               return %0#0, %0#1 : tensor<8xf32>, tensor<8xi32>
             }}"
        );
        let context = context();
        let diagnostics = Diagnostics::to_text(&context);
        let Ok(module) = diagnostics.parse("test", text.as_bytes()) else {
            panic!("{}\n{text}", diagnostics.take());
        };
        let module = Op::new(module.as_operation());
        let sort = module
            .descendants()
            .into_iter()
            .find(|op| op.is_hlo("sort"));
        keys(sort.expect("a sort"))
    }

    const FLOATS: &str = "(tensor<f32>, tensor<f32>) -> tensor<i1>";
    const INTEGERS: &str = "(tensor<i32>, tensor<i32>) -> tensor<i1>";

    #[test]
    fn one_key() {
        let plain = |descending| Some(vec![(0, Order::Plain { descending })]);
        let total = |descending| Some(vec![(0, Order::Total { descending })]);
        assert_eq!(keys_of(&canonical("%a", "%b", "LT", "")), plain(false));
        assert_eq!(keys_of(&canonical("%a", "%b", "GT", "")), plain(true));
        assert_eq!(keys_of(&canonical("%b", "%a", "LT", "")), plain(true));
        assert_eq!(
            keys_of(&format!(
                "%r = stablehlo.compare LT, %a, %b, TOTALORDER : {FLOATS}"
            )),
            total(false)
        );
        assert_eq!(
            keys_of(&format!(
                "%r = stablehlo.compare LT, %b, %a, TOTALORDER : {FLOATS}"
            )),
            total(true)
        );
        let integer = keys_of(&format!(
            "%r = stablehlo.compare GT, %i, %j, SIGNED : {INTEGERS}"
        ));
        assert_eq!(integer, Some(vec![(1, Order::Plain { descending: true })]));
        // As torch-xla writes it.
        let selected = keys_of(&format!(
            "%t = stablehlo.constant dense<true> : tensor<i1>
             %c = stablehlo.compare GT, %i, %j, SIGNED : {INTEGERS}
             %r = stablehlo.select %t, %c, %t : tensor<i1>, tensor<i1>"
        ));
        assert_eq!(selected, Some(vec![(1, Order::Plain { descending: true })]));
    }

    #[test]
    fn several_keys() {
        let first = canonical("%a", "%b", "LT", "1");
        let text = |equal: &str| {
            format!(
                "{first}
                 {equal}
                 %l = stablehlo.compare GT, %i, %j, SIGNED : {INTEGERS}
                 %both = stablehlo.and %e, %l : tensor<i1>
                 %r = stablehlo.or %r1, %both : tensor<i1>"
            )
        };
        let equal = format!("%e = stablehlo.compare EQ, %a31, %b31, TOTALORDER : {FLOATS}");
        let expected = vec![
            (0, Order::Plain { descending: false }),
            (1, Order::Plain { descending: true }),
        ];
        assert_eq!(keys_of(&text(&equal)), Some(expected));
        // Zeros of different sign are equal to the comparison but not to this equality.
        assert_eq!(
            keys_of(&text(&format!(
                "%e = stablehlo.compare EQ, %a, %b, TOTALORDER : {FLOATS}"
            ))),
            None
        );
        assert_eq!(
            keys_of(&text(&format!(
                "%e = stablehlo.compare NE, %a31, %b31, TOTALORDER : {FLOATS}"
            ))),
            None
        );
    }

    #[test]
    fn what_is_no_order_of_the_runtime() {
        for comparator in [
            // No order for NaN.
            format!("%r = stablehlo.compare LT, %a, %b, FLOAT : {FLOATS}"),
            format!("%r = stablehlo.compare LE, %i, %j, SIGNED : {INTEGERS}"),
            format!("%r = stablehlo.compare LT, %i, %i, SIGNED : {INTEGERS}"),
            // NaNs first.
            canonical("%a", "%b", "LT", "").replace("0x7FC00000", "0xFFC00000"),
            // Infinity instead of a NaN: equal to the infinities.
            canonical("%a", "%b", "LT", "").replace("0x7FC00000", "0x7F800000"),
            // Another number than zero is put together.
            canonical("%a", "%b", "LT", "").replace("dense<0.0>", "dense<1.0>"),
            // One side only.
            canonical("%a", "%b", "LT", "").replace("%a3, %b3, TOTAL", "%a3, %b, TOTAL"),
            format!(
                "%s = stablehlo.negate %a : tensor<f32>\n%r = stablehlo.compare LT, %s, %b, TOTALORDER : {FLOATS}"
            ),
        ] {
            assert_eq!(keys_of(&comparator), None, "{comparator}");
        }
    }
}
