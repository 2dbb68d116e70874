//! Sums whose coefficients, and facts whose ends, may be sizes that are known at run time only.

pub use super::{Coefficient, FAR, VarId, gcd, is_near, linearize};
use crate::Extent;

/// [`super::Atom`] whose digits may begin and end at sizes.
pub type Atom = super::Atom<Extent>;
/// [`super::Base`] of such digits.
pub type Base = super::Base<Extent>;
/// [`super::Facts`] with ranges that may end at sizes.
pub type Facts = super::Facts<Extent>;
/// [`super::Sum`] with coefficients that may be sizes.
pub type Sum = super::Sum<Extent>;
