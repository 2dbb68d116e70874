//! Layouts of an operation's operands and results that go together without communication, by
//! indexing maps.
//!
//! An operation is a set of loops: the dimensions of its result, and the range variables of its
//! maps (reduced, contracted, read whole). A digit of the rank may split a loop; then each rank
//! runs its part of it. The map of an operand says whether a digit that splits a dimension of the
//! operand splits a loop: it does if, on the whole domain of the map, the digit of the operand's
//! index *is* the digit of the loop variable, which the simplifier proves or not. No operation is
//! known by name.
//!
//! - A digit that splits a result dimension splits the result.
//! - A digit that splits a range variable leaves partial results, if the operation says how they
//!   combine.
//! - A digit of an operand that is no digit of a loop makes communication necessary: a rank would
//!   read what it does not hold.
//! - An operand that is split less than the loops need is read in part, without communication.
//!
//! Where the layouts of operands exclude each other, that of one of them, or that of the results,
//! is kept: the one for which the least is sent.
//!
//! Known layouts flow forward through all operations, then backward into operands that have none,
//! until nothing changes. Layouts that were given are never changed, but that dimensions which they
//! leave open may be split further.

mod choice;
mod divide;
mod flow;
mod matching;
mod plans;
mod state;
mod words;

pub use divide::{Divided, divide};
pub use matching::Loop;
pub use plans::Plans;

use crate::digits::{self, Digit};
use crate::error::LayoutError;
use crate::layout::{DeviceMatrix, Layout, Reduction};
use mapwright_indexing::IndexingMap;

/// The digits of the rank that split each dimension of a value, major first, and along which it
/// holds partial results.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Sharding {
    /// The digits that split each dimension, major first.
    pub dims: Vec<Vec<Digit>>,
    /// The digits along which there are partial results.
    pub partial: Vec<(Digit, Reduction)>,
}

/// A value of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// Name in reasons, such as `%arg0`.
    pub name: String,
    /// Its shape.
    pub shape: Vec<i64>,
    /// Bytes of an element; zero for what every device can make itself.
    pub element_bytes: i64,
    /// Its layout, if the user gave one.
    pub given: Option<Sharding>,
    /// Other layouts in which it is there as well.
    pub also: Vec<Sharding>,
    /// The dimensions that may be split further than that says.
    pub open: Vec<usize>,
}

/// Treatment of operands that hold partial results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PartialRule {
    /// It needs the full values.
    #[default]
    Full,
    /// It passes them on, whatever combines them: every element of the result is one element of the
    /// operand.
    Moves,
    /// It passes sums on if all operands that it adds are summands along the same digits.
    Adds,
}

/// Dependence of a result on an operand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Position among the results of the operation.
    pub result: usize,
    /// Position among the operands of the operation.
    pub operand: usize,
    /// The output-to-input maps; all of them are read.
    pub maps: Vec<IndexingMap>,
}

/// An operation. The range variables of one position are the same loop in all its maps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    /// Name in reasons, such as `stablehlo.add`.
    pub name: String,
    /// The values it reads.
    pub operands: Vec<usize>,
    /// The values it makes. All have the same loops.
    pub results: Vec<usize>,
    /// The maps. A pair of result and operand that is not listed has no connection.
    pub edges: Vec<Edge>,
    /// Reduction that combines partial results over range variables; `None` if they do not.
    pub reduction: Option<Reduction>,
    /// Treatment of partial results.
    pub partial: PartialRule,
    /// The number of first operands whose elements go into the results; the others say where.
    pub data: usize,
}

/// A straight-line program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The device matrix whose names are used in reasons.
    pub devices: DeviceMatrix,
    /// The values.
    pub values: Vec<Value>,
    /// The operations, each after those whose results it reads.
    pub operations: Vec<Operation>,
}

/// Why a value has its layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The user gave it.
    Given,
    /// It follows from the operands of this operation.
    Forward(usize),
    /// An operation that reads it wants it so.
    Backward(usize),
}

/// A layout that was found, with its source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// The layout.
    pub sharding: Sharding,
    /// Why.
    pub source: Source,
}

/// A place where data has to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Communication {
    /// The operation.
    pub operation: usize,
    /// The value that has to change its layout: an operand before, or a result after the operation.
    pub value: usize,
    /// Whether it is a result.
    pub after: bool,
    /// The layout that it has.
    pub has: Sharding,
    /// The layout that is needed.
    pub needs: Sharding,
    /// Why.
    pub reason: String,
}

/// Two layouts that exclude each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The operation at which they meet.
    pub operation: usize,
    /// The values given by the user from which they come.
    pub sources: [usize; 2],
    /// Reason, with the layouts that exclude each other.
    pub reason: String,
}

/// Result of [`propagate`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Propagation {
    /// The layout of each value; `None` if nothing follows.
    pub values: Vec<Option<Placed>>,
    /// Communication that becomes necessary.
    pub communications: Vec<Communication>,
    /// Layouts that contradict each other.
    pub conflicts: Vec<Conflict>,
}

impl Sharding {
    /// The digits of a layout.
    ///
    /// # Errors
    /// [`LayoutError::NoLayout`] if the layout lists its devices in an order that is no permutation
    /// of digits.
    pub fn of_layout(layout: &Layout) -> Result<Sharding, LayoutError> {
        if layout.device_ids().is_some() {
            return Err(LayoutError::NoLayout(
                "listed devices have no digits to follow".to_owned(),
            ));
        }
        let partial = layout
            .partial()
            .iter()
            .map(|(a, k)| (layout.axis_digit(*a), *k))
            .filter(|p| p.0.size > 1)
            .collect();
        Ok(Sharding {
            dims: layout.dimension_digits(),
            partial,
        })
    }

    /// The layout with these digits. Axes are named as in `devices` where they are axes, or parts
    /// of axes, of it.
    ///
    /// # Errors
    /// Digits that overlap.
    pub fn to_layout(&self, devices: &DeviceMatrix) -> Result<Layout, LayoutError> {
        let axes = digits::of_sizes(devices.sizes());
        let mut cuts_of = axes.clone();
        cuts_of.extend(
            self.dims
                .iter()
                .flatten()
                .chain(self.partial.iter().map(|p| &p.0)),
        );
        let split = |digits: &[Digit]| -> Vec<Digit> {
            match digits::common_cuts(&cuts_of, devices.count()) {
                Some(cuts) => {
                    // Whole axes stay whole.
                    let mut cuts = cuts;
                    cuts.retain(|c| {
                        let used = |d: &Digit| d.stride == *c || d.stride * d.size == *c;
                        cuts_of.iter().any(used) || *c == 1 || *c == devices.count()
                    });
                    digits
                        .iter()
                        .flat_map(|d| digits::split_at_cuts(*d, &cuts))
                        .collect()
                }
                None => digits.to_vec(),
            }
        };
        let dims: Vec<Vec<Digit>> = self.dims.iter().map(|d| split(d)).collect();
        let partial: Vec<(Digit, Reduction)> = self
            .partial
            .iter()
            .flat_map(|(d, k)| split(&[*d]).into_iter().map(|p| (p, *k)))
            .collect();
        let mut seen: Vec<String> = Vec::new();
        Layout::from_digits(devices.count(), &dims, &partial, |i, digit| {
            let name = digit_name(devices, digit);
            let name = if name.contains(' ') || seen.contains(&name) {
                format!("a{i}")
            } else {
                name
            };
            seen.push(name.clone());
            name
        })
    }

    /// The sharding in which nothing is split, of a value with `rank` dimensions.
    pub fn replicated(rank: usize) -> Sharding {
        Sharding {
            dims: vec![Vec::new(); rank],
            partial: Vec::new(),
        }
    }

    /// The dimensions as text: `[{x}, {y:1:2}]`, with ` partial sum {z}`.
    pub fn text(&self, devices: &DeviceMatrix) -> String {
        let list = |digits: &[Digit]| {
            digits::merge(digits)
                .iter()
                .map(|d| digit_name(devices, *d))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let dims: Vec<String> = self
            .dims
            .iter()
            .map(|d| format!("{{{}}}", list(d)))
            .collect();
        let mut out = format!("[{}]", dims.join(", "));
        for (digit, kind) in &self.partial {
            out.push_str(&format!(" partial {kind} {{{}}}", list(&[*digit])));
        }
        out
    }

    /// The number of parts of each dimension.
    pub fn parts(&self) -> Vec<i64> {
        let parts = |digits: &Vec<Digit>| digits.iter().map(|d| d.size).product();
        self.dims.iter().map(parts).collect()
    }

    /// Copy without partial results.
    pub fn full(&self) -> Sharding {
        Sharding {
            dims: self.dims.clone(),
            partial: Vec::new(),
        }
    }

    /// Layout with as few digits as possible: equal ones place alike.
    pub fn merged(&self) -> Sharding {
        let mut partial: Vec<(Digit, Reduction)> = Vec::new();
        let mut sorted = self.partial.clone();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        for (digit, kind) in sorted {
            match partial.last_mut() {
                Some((last, k)) if *k == kind && last.stride == digit.stride * digit.size => {
                    *last = Digit {
                        stride: digit.stride,
                        size: last.size * digit.size,
                    };
                }
                _ => partial.push((digit, kind)),
            }
        }
        Sharding {
            dims: self.dims.iter().map(|d| digits::merge(d)).collect(),
            partial,
        }
    }
}

/// Names a digit: an axis, `axis:before:size` for a part of one, several joined by `*`, or numbers.
pub fn digit_name(devices: &DeviceMatrix, digit: Digit) -> String {
    let axes = digits::of_sizes(devices.sizes());
    let Some(cuts) = digits::common_cuts(axes.iter().chain([&digit]), devices.count()) else {
        return digit.to_string();
    };
    let pieces = digits::split_at_cuts(digit, &cuts);
    let mut out: Vec<(usize, i64, i64)> = Vec::new();
    for piece in pieces {
        let Some(axis) = axes.iter().position(|a| {
            piece.stride >= a.stride && piece.stride * piece.size <= a.stride * a.size
        }) else {
            return digit.to_string();
        };
        let before = axes[axis].stride * axes[axis].size / (piece.stride * piece.size);
        match out.last_mut() {
            Some((last, b, size)) if *last == axis && *b * *size == before => *size *= piece.size,
            _ => out.push((axis, before, piece.size)),
        }
    }
    let name = |(axis, before, size): &(usize, i64, i64)| {
        let axis_name = &devices.names()[*axis];
        if *size == devices.sizes()[*axis] {
            axis_name.clone()
        } else {
            crate::layout::sub_axis_name(axis_name, *before, *size)
        }
    };
    out.iter().map(name).collect::<Vec<_>>().join("*")
}

/// Finds the layouts that follow, and where communication becomes necessary. What that costs,
/// `plans` says.
///
/// # Errors
/// A given layout of another rank than its value, that does not divide it, or whose digits cut
/// across those of another.
pub fn propagate(program: &Program, plans: &mut Plans) -> Result<Propagation, LayoutError> {
    flow::Flow::new(program, plans, &[])?.run()
}
