//! Index rules run with plain numbers. They have to give the relation of the case, as its maps do.

use super::harness::{Case, Index, indices, linear};
use mapwright_indexing::Interval;
use mapwright_mlir::{Op, attr, op};
use mapwright_ops::index_rule::{
    Arithmetic, Found, IndexDomain, NumberDomain, Read, Tensor, evaluate,
};
use mapwright_ops::registry;
use std::collections::BTreeSet;

/// The domain of checked 64-bit numbers. Sizes and elements are those of the case.
struct Numbers<'a, 'c> {
    case: &'a Case,
    op: Op<'c>,
    /// Rules see which numbers are which. Otherwise everything is a number that is known at run
    /// time only.
    known: bool,
    /// Elements are brought into the intervals that the rule says they are in.
    clamped: bool,
    /// Elements of integer operands that were read.
    read: BTreeSet<(usize, Index)>,
}

impl Numbers<'_, '_> {
    fn read(&mut self, operand: usize, at: Index) -> Found<i64> {
        let place = linear(&self.case.operands[operand], &at);
        self.read.insert((operand, at));
        let own = self.case.values.iter().find(|(i, _)| *i == operand);
        let constant = || {
            let (def, _) = op::defining_op(self.op.operand(operand))?;
            attr::ints(def.attribute("value")?)
        };
        let values = own.map(|(_, values)| values.clone()).or_else(constant);
        let values = values.ok_or_else(|| format!("operand {operand} has no values"))?;
        match values[..] {
            [only] => Ok(only),
            _ => Ok(values[place]),
        }
    }
}

impl NumberDomain for Numbers<'_, '_> {
    type Value = i64;
    type Error = String;

    fn constant(&mut self, n: i64) -> i64 {
        n
    }

    fn known(&self, n: &i64) -> Option<i64> {
        self.known.then_some(*n)
    }

    fn arithmetic(&mut self, what: Arithmetic, a: i64, b: i64) -> Found<i64> {
        let divides = matches!(what, Arithmetic::Div | Arithmetic::Rem);
        let found = what.apply(a, b).filter(|_| !divides || a >= 0);
        found.ok_or_else(|| format!("{what:?} of {a} and {b}"))
    }
}

impl IndexDomain for Numbers<'_, '_> {
    fn size(&mut self, of: Tensor, k: usize) -> Found<i64> {
        Ok(match of {
            Tensor::Operand(i) => self.case.operands[i][k],
            Tensor::Result => self.case.results[0][k],
        })
    }

    fn element(&mut self, operand: usize, at: Index, within: Interval) -> Found<i64> {
        let value = self.read(operand, at)?;
        Ok(if self.clamped {
            value.clamp(within.lower, within.upper)
        } else {
            value
        })
    }

    fn clamped(&mut self, operand: usize, at: Index, last: i64) -> Found<i64> {
        Ok(self.read(operand, at)?.clamp(0, last))
    }

    fn stretched(
        &mut self,
        operand: usize,
        (k, _): (usize, usize),
        index: i64,
        stated: Option<bool>,
    ) -> Found<i64> {
        let size = self.case.operands[operand][k];
        assert!(stated != Some(true) || size == 1, "{size}");
        match size {
            1 => Ok(0),
            _ => self.within(operand, k, index),
        }
    }

    fn within(&mut self, operand: usize, k: usize, index: i64) -> Found<i64> {
        let size = self.case.operands[operand][k];
        if (0..size).contains(&index) {
            Ok(index)
        } else {
            Err(format!("{index} of {size}"))
        }
    }
}

/// The index of an element, if all its places are whole numbers within the operand.
fn inside(case: &Case, read: &Read<i64>) -> Option<Index> {
    let own = &case.operands[read.operand];
    assert_eq!(
        own.len(),
        read.at.len(),
        "the rank of operand {}",
        read.operand
    );
    let places = read.at.iter().zip(own);
    places
        .map(|(place, size)| {
            assert!(place.step > 0, "a step of {}", place.step);
            let at = place.number.div_euclid(place.step);
            let whole = place.number.rem_euclid(place.step) == 0;
            (whole && (0..*size).contains(&at)).then_some(at)
        })
        .collect()
}

/// Checks the index rule of the operation, if it has one: every element of the result is the one
/// that the relation says.
pub fn check(case: &Case, op: Op<'_>, text: &str) -> bool {
    let Some(def) = registry::mapped(op).filter(|_| case.replicas.is_none()) else {
        return false;
    };
    let Some(rule) = def.index_rule else {
        return false;
    };
    let data = def.data_operands.unwrap_or(case.operands.len());
    for (known, clamped) in [(true, false), (false, false), (true, true), (false, true)] {
        for index in indices(&case.results[0]) {
            let mut domain = Numbers {
                case,
                op,
                known,
                clamped,
                read: BTreeSet::new(),
            };
            let about = format!(
                "at {index:?}, known: {known}, clamped: {clamped}\n{text}\nvalues {:?}",
                case.values
            );
            let reads = evaluate(&mut domain, op, rule, index.clone())
                .unwrap_or_else(|error| panic!("{error}: {about}"));
            let mut found: Vec<(usize, Index)> = Vec::new();
            for piece in &reads.pieces {
                found.extend(inside(case, piece).map(|at| (piece.operand, at)));
            }
            assert!(found.len() < 2, "{found:?} all apply: {about}");
            if let (None, Some(rest)) = (found.first(), &reads.elsewhere) {
                found.extend(inside(case, rest).map(|at| (rest.operand, at)));
            }
            let relation = (case.relation)(0, &index);
            let (expected, says_where): (Vec<_>, Vec<_>) =
                relation.into_iter().partition(|(operand, _)| {
                    *operand < data && !domain.read.iter().any(|(read, _)| read == operand)
                });
            assert_eq!(found, expected, "{about}");
            let more: Vec<_> = (domain.read.iter())
                .filter(|element| !says_where.contains(element))
                .collect();
            assert!(more.is_empty(), "reads {more:?}: {about}");
        }
    }
    true
}
