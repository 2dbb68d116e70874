//! Extents as text: `2 * n0 * n1 - n0 + 3`.

use super::polynomial::Term;
use super::{Extent, Factor};
use std::fmt;

impl fmt::Debug for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(number) = self.as_constant() {
            return write!(f, "{number}");
        }
        let form = self.polynomial();
        for (i, Term { factors, times }) in form.terms.iter().enumerate() {
            match (i, *times < 0) {
                (0, true) => write!(f, "-")?,
                (0, false) => {}
                (_, true) => write!(f, " - ")?,
                (_, false) => write!(f, " + ")?,
            }
            if times.unsigned_abs() != 1 {
                write!(f, "{} * ", times.unsigned_abs())?;
            }
            for (k, factor) in factors.iter().enumerate() {
                let times = if k == 0 { "" } else { " * " };
                write!(f, "{times}{factor}")?;
            }
        }
        match form.constant {
            0 => Ok(()),
            n if n < 0 => write!(f, " - {}", n.unsigned_abs()),
            n => write!(f, " + {n}"),
        }
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "n{name}"),
            Self::Integer(name) => write!(f, "i{name}"),
            Self::Quotient(a, b) => write!(f, "(({a}) floordiv ({b}))"),
            Self::Least(a, b) => write!(f, "min({a}, {b})"),
            Self::Greatest(a, b) => write!(f, "max({a}, {b})"),
        }
    }
}
