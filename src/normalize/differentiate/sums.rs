//! Sums of sizes that are known at run time only.

use std::collections::BTreeMap;

/// A sum of products of sizes with numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Sum {
    pub(super) constant: i64,
    /// By size.
    pub(super) factors: BTreeMap<i64, i64>,
}

impl Sum {
    pub(super) fn number(constant: i64) -> Self {
        Self {
            constant,
            ..Self::default()
        }
    }

    /// The origin that it is, with nothing beside.
    pub(super) fn origin(&self) -> Option<i64> {
        let mut factors = self.factors.iter();
        match (factors.next(), factors.next(), self.constant) {
            (Some((origin, 1)), None, 0) => Some(*origin),
            _ => None,
        }
    }

    /// With another sum times a number.
    pub(super) fn plus(&self, other: &Self, by: i64) -> Option<Self> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(by)?)?;
        for (origin, factor) in &other.factors {
            let total = sum.factors.entry(*origin).or_default();
            *total = total.checked_add(factor.checked_mul(by)?)?;
        }
        sum.factors.retain(|_, factor| *factor != 0);
        Some(sum)
    }
}
