//! The rules of the simplifier, one table: the drivers run its functions in this order, `--explain`
//! names its entries, and `docs/rules.md` is generated from it. `tests/rules.rs` holds that each
//! entry has a proof in `tests/proofs` and a file in `lit-tests/indexing`.
//!
//! A digit `(x, a, b)` is `(x floordiv a) mod (b / a)`, without an end `x floordiv a`.

pub(super) mod constraint;
pub(super) mod divide;
pub(super) mod join;

use crate::simplify::known::Outcome;
use crate::simplify::linear::{Forms, Sum};
use crate::simplify::rules::constraint::{Applied, Constraints, Pending};
use crate::simplify::rules::divide::{Digit, Step};
use crate::simplify::rules::join::fuse::Part;
use Apply::{Constraint, Construction, Digits, Quotient, Remainder, Sums};

/// A rule of the simplifier.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Name that `--explain` prints.
    pub name: &'static str,
    /// The rule as a line of mathematics.
    pub law: &'static str,
    pub(super) apply: Apply,
}

/// The function behind a rule.
#[derive(Clone, Copy, Debug)]
pub(super) enum Apply {
    /// Rewrites a digit without an end, which is a quotient.
    Quotient(fn(&mut Forms, &mut Digit) -> Option<Step>),
    /// Rewrites a digit with an end, which is a remainder, perhaps of a quotient.
    Remainder(fn(&mut Forms, &mut Digit) -> Option<Step>),
    /// Rewrites both.
    Digits(fn(&mut Forms, &mut Digit) -> Option<Step>),
    /// Rewrites digits in a sum; true if it did.
    Sums(fn(&mut Forms, &mut Sum, &[Part]) -> Option<bool>),
    /// Rewrites a constraint on a sum.
    Constraint(fn(&mut Constraints, &mut Forms, &mut Pending) -> Outcome<Applied>),
    /// Holds by construction: applied where forms, remainders in intervals, or maps are put
    /// together.
    Construction,
}

/// A family of rules, with the heading that the documentation gives it.
type Family = (&'static str, &'static [Rule]);

/// All rules, by what they rewrite.
pub static RULES: [Family; 6] = [
    ("Quotients and remainders", DIVIDE),
    ("Digits side by side in a sum", JOIN),
    ("Constraints on sums", CONSTRAIN),
    ("Remainders in intervals", WINDOWS),
    ("Extrema and variables", MAPS),
    ("Limits", LIMITS),
];

/// Rows `name: law => function;`.
macro_rules! table {
    ($($name:literal: $law:literal => $apply:expr;)*) => {
        &[$(Rule { name: $name, law: $law, apply: $apply }),*]
    };
}

/// Rules of one quotient or remainder.
pub(super) static DIVIDE: &[Rule] = table! {
    "mod-in-one-period": "x mod m -> x - q * m if q * m <= x < (q + 1) * m"
        => Remainder(Forms::mod_in_one_period);
    "div-in-one-period": "x floordiv m -> q if q * m <= x < (q + 1) * m"
        => Quotient(Forms::div_in_one_period);
    "multiples-out-of-div": "(m * x + y) floordiv m -> x + y floordiv m"
        => Quotient(Forms::multiples_out_of_div);
    "multiples-out-of-mod": "(m * x + y) mod m -> y mod m"
        => Remainder(Forms::multiples_out_of_mod);
    "inner-mod-absorbed": "(c * (x mod q) + y) mod m -> (c * x + y) mod m if m divides c * q"
        => Remainder(Forms::inner_mod_absorbed);
    "common-factor": "(g * x + k) floordiv (g * m) -> (x + k floordiv g) floordiv m; (g * x + k) mod (g * m) -> g * ((x + k floordiv g) mod m) + k mod g"
        => Digits(Forms::common_factor);
    "constant-below-stride": "(x + k) floordiv m -> (x + k - r) floordiv m if x + k = r modulo g and g divides m, 0 <= r < g"
        => Digits(Forms::constant_below_stride);
    "low-digits-split-off": "(g * x + t) floordiv (g * m) -> x floordiv m, (g * x + t) mod (g * m) -> g * (x mod m) + t if 0 <= t < g"
        => Digits(Forms::low_digits);
    "low-remainders-split-off": "(g * q * x + r * x) floordiv (g * m) -> (q * x) floordiv m if 0 <= r * x < g"
        => Digits(Forms::low_remainders);
    "few-values-on-a-line": "(c * x, a, b) -> v + w * x if that holds for the two to four values of x"
        => Digits(Forms::few_values);
    "sign-out-of-div": "-x floordiv m -> -((x - 1) floordiv m) - 1, -x mod m -> (m - 1) - (x - 1) mod m"
        => Digits(Forms::sign);
    "base-two-complement": "(x + a, a, 2 * a) -> 1 - (x, a, 2 * a)"
        => Remainder(Forms::parity);
    "nested-digits": "(x floordiv p) floordiv a -> x floordiv (p * a), (x mod q) mod b -> x mod b if b divides q"
        => Digits(Forms::nested_digits);
    "multiples-out-of-digit": "(a * x + y, a, b) -> (x + y floordiv a) mod (b / a)"
        => Remainder(Forms::multiples_out_of_digit);
    "div-out-of-sum-in-div": "(y + x floordiv p) floordiv a -> (p * y + x) floordiv (p * a)"
        => Digits(Forms::div_out_of_sum);
    "near-multiples-out-of-div": "((m * q + r) * x) floordiv m -> q * x + v if v * m <= r * x < (v + 1) * m"
        => Quotient(Forms::near_multiples);
    "mod-outward": "(c * (x mod q) + y) floordiv a -> ((c * x + y) floordiv a) mod (c * q / a) if 0 <= c * (x mod q) + y < c * q"
        => Quotient(Forms::mod_outward);
    "least-divisor": "x floordiv a -> x floordiv m if -m <= x < m <= a"
        => Quotient(Forms::least_divisor);
};

/// Rules of several digits in one sum.
pub(super) static JOIN: &[Rule] = table! {
    "adjacent-digits-fused": "c * (x, a, m) + c * (m / a) * (x, m, b) -> c * (x, a, b)"
        => Sums(Forms::adjacent);
    "overlapping-digits-cut": "c * (x, a, b) -> c * (x, a, m) + c * (m / a) * (x, m, b) beside (x, a, m) or (x, m, b)"
        => Sums(Forms::cut);
    "exact-quotient": "m * (x floordiv m) -> x - r if x = r modulo m"
        => Sums(Forms::exact_quotient);
    "remainder-from-quotient": "c * x - c * m * (x floordiv m) -> c * (x mod m)"
        => Sums(Forms::remainder_from_quotient);
    "quotient-from-remainder": "c * x - c * (x mod m) -> c * m * (x floordiv m)"
        => Sums(Forms::quotient_from_remainder);
    "digit-back-into-quotient": "((x mod m) * g + y) floordiv a + f * (x floordiv m) -> (x * g + y) floordiv a if f * a = g * m"
        => Sums(Forms::rejoin_quotient);
    "jump-is-rotation": "x - k * (x floordiv a) -> (x - a) mod k + a - k if x is a remainder modulo k and a <= k"
        => Sums(Forms::rotation);
};

/// Rules of one constraint.
pub(super) static CONSTRAIN: &[Rule] = table! {
    "constant-constraint": "k in [l, u] -> true or false"
        => Constraint(Constraints::constant);
    "constraint-excluded-by-ranges": "x in [l, u] -> false if max(x) < l or min(x) > u"
        => Constraint(Constraints::excluded);
    "constraint-implied-by-ranges": "x in [l, u] -> true if l <= min(x) and max(x) <= u"
        => Constraint(Constraints::implied);
    "factor-out-of-constraint": "g * x + k in [l, u] -> x in [ceil((l - k) / g), floor((u - k) / g)]"
        => Constraint(Constraints::factor);
    "constraint-becomes-range": "v in [l, u] bounds the variable v"
        => Constraint(Constraints::of_variable);
    "floordiv-out-of-constraint": "y + x floordiv a in [l, u] -> a * y + x in [a * l, a * u + a - 1]"
        => Constraint(Constraints::quotient);
    "digit-out-of-constraint": "(x floordiv a) mod n in [l, u] -> x mod (a * n) in [a * l, a * u + a - 1]"
        => Constraint(Constraints::remainder);
    "min-max-out-of-constraint": "min(x, y) >= l -> x >= l and y >= l; max(x, y) <= u -> x <= u and y <= u"
        => Constraint(Constraints::extremum);
    "sum-constraint-pins-high-part": "g * x + t in [l, u] -> x = v and t in [l - g * v, u - g * v] if x can be v only"
        => Constraint(Constraints::pinned);
    "sum-constraint-decomposed": "g * x + t in [l, u] -> x in [v, w] if ceil((l - t) / g) = v and floor((u - t) / g) = w for every t"
        => Constraint(Constraints::decomposed);
    "constraints-on-one-form-merged": "x in [l, u] and x in [v, w] -> x in [max(l, v), min(u, w)]"
        => Constraint(Constraints::merged);
};

/// Rules of remainders in intervals, and of several constraints.
static WINDOWS: &[Rule] = table! {
    "factor-out-of-congruence": "g * x mod (g * n) in [l, u] -> x mod n in [ceil(l / g), floor(u / g)]"
        => Construction;
    "congruence-solved": "c * x = r modulo m -> x = r / c modulo m if c and m are coprime"
        => Construction;
    "congruence-in-one-period": "x mod m in [l, u] -> x in [q * m + l, q * m + u] if no other value of x is allowed"
        => Construction;
    "congruence-of-variable": "v = r modulo m and v = s modulo n -> one congruence modulo lcm(m, n)"
        => Construction;
    "congruence-tightens-bounds": "v mod m in [l, u] moves the ends of v to values that are allowed"
        => Construction;
    "congruences-merged": "x mod m in [l, u] and x mod n in [v, w] -> one of them if n divides m or both are congruences"
        => Construction;
    "congruences-exclude-each-other": "x mod m in [l, u] and x mod n in [v, w] -> false if n divides m and no value of the one is one of the other"
        => Construction;
    "constraint-implied-by-another": "a constraint on x mod m -> true if x mod m in [l, u] implies it"
        => Construction;
};

/// Rules of extrema, and of the variables of a map.
static MAPS: &[Rule] = table! {
    "min-max-decided-by-range": "min(x, y) -> x, max(x, y) -> y if x - y <= 0"
        => Construction;
    "empty-interval": "v in [l, u] -> no points if l > u"
        => Construction;
    "range-variable-rescaled": "s = r modulo m -> s = m * t + r with a range variable t"
        => Construction;
};

/// Rules by which expressions stay as they are.
static LIMITS: &[Rule] = table! {
    "overflow-kept-apart": "an expression stays as it is if a number in its normal form does not fit into 64 bits"
        => Construction;
    "work-budget-used-up": "sums of more than 64 terms stay apart if there is no room for them"
        => Construction;
};

impl crate::simplify::steps::Step {
    /// The rule as a line of mathematics.
    pub fn law(&self) -> &'static str {
        let mut rules = RULES.iter().flat_map(|family| family.1);
        let own = rules.find(|rule| rule.name == self.rule);
        own.map_or("", |rule| rule.law)
    }
}
