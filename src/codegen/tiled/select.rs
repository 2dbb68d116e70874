//! Is the region of a two-operand reduction "take the better of two (value, index) pairs", as
//! `argmax` is?
//!
//! The region is evaluated over every way two pairs can compare: the values (less, equal, greater,
//! one or both NaN) times the indices (less, equal, greater). The outcome of each case says which
//! side is taken; the table then has to be that of a total order with ties broken by the index, or
//! by which side came first where the index grows along the reduced dimension.

use mapwright_fusion::composed::LoopFacts;
use mapwright_fusion::node::{Node, node};
use mapwright_indexing::linear::Sum;
use mapwright_mlir::{Op, op};
use std::collections::HashMap;

/// A region that selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Selection {
    /// Among equal values the smaller index wins.
    pub smaller_index: bool,
}

/// Relation of a pair of numbers: the last three for values only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Less,
    Equal,
    Greater,
    FirstNan,
    SecondNan,
    BothNan,
}

use Relation::{BothNan, Equal, FirstNan, Greater, Less, SecondNan};

/// Value of the region in one case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fact {
    /// Argument number.
    Argument(usize),
    Bool(bool),
}

impl Selection {
    pub fn from_reduce(reduce: Op<'_>, ranges: &LoopFacts) -> Option<Self> {
        let values = mapwright_fusion::node::tensor(reduce.operand(0))
            .ok()?
            .0
            .element;
        let indices = mapwright_fusion::node::tensor(reduce.operand(1))
            .ok()?
            .0
            .element;
        if !indices.is_int() || !(values.is_int() || values.is_float()) {
            return None;
        }
        let relations: &[Relation] = if values.is_float() {
            &[Less, Equal, Greater, FirstNan, SecondNan, BothNan]
        } else {
            &[Less, Equal, Greater]
        };
        // Which side wins in each case; `None` where the sides cannot be told apart.
        let mut table: Vec<(Relation, Relation, Option<bool>)> = Vec::new();
        for value in relations {
            for index in [Less, Equal, Greater] {
                let (v, i) = evaluate(reduce, *value, index)?;
                // Results 0 and 1 must come from the same side wherever the sides differ.
                let by_value = match value {
                    Equal => None,
                    _ => Some(v == 0),
                };
                let by_index = match index {
                    Equal => None,
                    _ => Some(i == 1),
                };
                let first = match (by_value, by_index) {
                    // With both NaN or equal values either value will do.
                    (_, Some(index)) if matches!(value, Equal | BothNan) => Some(index),
                    (Some(a), Some(b)) if a != b => return None,
                    (Some(a), _) => Some(a),
                    (None, b) => b,
                };
                table.push((*value, index, first));
            }
        }
        let winner = |value: Relation, index: Relation| {
            table
                .iter()
                .find(|(v, i, _)| (*v, *i) == (value, index))
                .and_then(|(_, _, first)| *first)
        };
        // Different values: one direction, whatever the indices.
        let greater_wins = winner(Greater, Less)?;
        let nan_wins = winner(FirstNan, Less);
        for index in [Less, Equal, Greater] {
            if winner(Greater, index)? != greater_wins || winner(Less, index)? == greater_wins {
                return None;
            }
            if values.is_float()
                && (winner(FirstNan, index) != nan_wins
                    || winner(SecondNan, index) != nan_wins.map(|first| !first))
            {
                return None;
            }
        }
        // Ties: the smaller index, the larger one, or the side that came first (last), for equal
        // values and for two NaNs alike.
        let ordered = is_ascending(reduce, ranges);
        let rule = |value: Relation| -> Option<bool> {
            match (winner(value, Less)?, winner(value, Greater)?) {
                (true, false) => Some(true),
                (false, true) => Some(false),
                (first, _) => ordered.then_some(first),
            }
        };
        let smaller_index = rule(Equal)?;
        if values.is_float() && rule(BothNan)? != smaller_index {
            return None;
        }
        Some(Self { smaller_index })
    }
}

/// Tells whether the second operand grows along the only reduced dimension.
fn is_ascending(reduce: Op<'_>, ranges: &LoopFacts) -> bool {
    let Some(dims) = reduce.ints("dimensions") else {
        return false;
    };
    let Ok((_, shape)) = mapwright_fusion::node::tensor(reduce.operand(1)) else {
        return false;
    };
    let [dim] = dims.as_slice() else {
        return false;
    };
    let Ok(dim) = usize::try_from(*dim) else {
        return false;
    };
    // Variables of its own: one a dimension.
    let values = ranges.values.clone();
    let mut ranges = ranges.composing.over_sizes(&shape);
    ranges.values = values;
    let mut index: Vec<Sum> = (0..shape.len()).map(Sum::var).collect();
    let mut value = reduce.operand(1);
    loop {
        match node(value, &index, &ranges) {
            Ok(Node::Copy((source, at))) => (value, index) = (source, at),
            Ok(Node::Iota(lin)) => return lin.coefficient(dim).is_some_and(|k| k > 0),
            _ => return false,
        }
    }
}

/// The arguments that results 0 and 1 are in this case, if the region only compares and selects.
/// Arguments 0 and 1 are the first pair, 2 and 3 the second.
fn evaluate(reduce: Op<'_>, value: Relation, index: Relation) -> Option<(usize, usize)> {
    let body = reduce.body(0)?;
    let arguments = op::arguments(body);
    if arguments.len() != 4 {
        return None;
    }
    let mut facts: HashMap<usize, Fact> = arguments
        .iter()
        .enumerate()
        .map(|(i, argument)| (op::key(*argument), Fact::Argument(i)))
        .collect();
    for op in op::ops(body) {
        let operands: Vec<Fact> = op
            .operands()
            .iter()
            .map(|v| facts.get(&op::key(*v)).copied())
            .collect::<Option<_>>()?;
        let fact = match (op.short_name(), operands.as_slice()) {
            ("return", [Fact::Argument(v), Fact::Argument(i)]) if v % 2 == 0 && i % 2 == 1 => {
                return Some((*v, *i));
            }
            ("compare", [Fact::Argument(a), Fact::Argument(b)]) => {
                Fact::Bool(compare(op, *a, *b, value, index)?)
            }
            ("and", [Fact::Bool(a), Fact::Bool(b)]) => Fact::Bool(*a && *b),
            ("or", [Fact::Bool(a), Fact::Bool(b)]) => Fact::Bool(*a || *b),
            ("xor", [Fact::Bool(a), Fact::Bool(b)]) => Fact::Bool(a != b),
            ("not", [Fact::Bool(a)]) => Fact::Bool(!a),
            ("select", [Fact::Bool(c), a, b]) => {
                if *c {
                    *a
                } else {
                    *b
                }
            }
            // Of two indices; of values the sign of zero and NaN would have to be looked at.
            ("minimum" | "maximum", [Fact::Argument(a), Fact::Argument(b)])
                if a % 2 == 1 && b % 2 == 1 && a != b =>
            {
                let first_less = match (index, a < b) {
                    (Equal, _) => true,
                    (relation, straight) => (relation == Less) == straight,
                };
                let take_first = first_less == (op.short_name() == "minimum");
                Fact::Argument(if take_first { *a } else { *b })
            }
            _ => return None,
        };
        facts.insert(op::key(op.result(0)), fact);
    }
    None
}

/// The outcome of comparing arguments `a` and `b`.
fn compare(op: Op<'_>, a: usize, b: usize, value: Relation, index: Relation) -> Option<bool> {
    if a % 2 != b % 2 {
        return None;
    }
    let text = op.text("compare_type").unwrap_or_default();
    if text.contains("TOTALORDER") {
        return None;
    }
    let relation = if a.is_multiple_of(2) { value } else { index };
    let nan = |argument: usize| {
        a.is_multiple_of(2)
            && matches!(
                (relation, argument),
                (BothNan, _) | (FirstNan, 0) | (SecondNan, 2)
            )
    };
    let direction = op.text("comparison_direction")?;
    let direction = ["EQ", "NE", "LT", "LE", "GT", "GE"]
        .into_iter()
        .find(|d| direction.contains(d))?;
    if nan(a) || nan(b) {
        return Some(direction == "NE");
    }
    let order = match (a == b, relation, a < b) {
        (true, ..) | (_, Equal, _) => std::cmp::Ordering::Equal,
        (_, Less, true) | (_, Greater, false) => std::cmp::Ordering::Less,
        (_, Less, false) | (_, Greater, true) => std::cmp::Ordering::Greater,
        _ => return None,
    };
    Some(match direction {
        "EQ" => order.is_eq(),
        "NE" => order.is_ne(),
        "LT" => order.is_lt(),
        "LE" => order.is_le(),
        "GT" => order.is_gt(),
        _ => order.is_ge(),
    })
}
