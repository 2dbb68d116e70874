//! What one element of a value is made of: the step of the recursion that fusion and code
//! generation share.
//!
//! Given a value inside the region and an index (expressions of the loop variables), [`node`] says
//! which elements of which other values it is computed from. Where these are is what the maps of
//! the operation say ([`read`]): no operation has an index function here. Pieces (`concatenate`,
//! `pad`) come with the conditions under which they apply.

use crate::composed::LoopFacts;
use crate::condition::Condition;
use crate::read;
use mapwright_indexing::Extent;
use mapwright_indexing::linear::{Atom, Sum};
use mapwright_mlir::{Op, TensorType, Val, attr::Dense, op, sizes};
use mapwright_ops::attrs;
use mapwright_ops::registry::{self, Class};

/// Why an operation has no element-by-element reading here, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Reason(pub String);

impl Reason {
    /// From words.
    pub fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }
}

/// An element of a value.
pub type Element<'c> = (Val<'c>, Vec<Sum>);

/// An index read at run time: element of an integer tensor, clamped.
pub struct RuntimeIndex<'c> {
    /// Element that is read.
    pub element: Element<'c>,
    /// Least value after clamping.
    pub lo: Extent,
    /// Greatest value after clamping.
    pub hi: Extent,
}

/// An element of an operand where there is one, and else what is padded with.
pub struct Padded<'c> {
    /// Operand that is padded.
    pub operand: Val<'c>,
    /// Where, without what is in front of it and known at run time only.
    pub index: Vec<Sum>,
    /// Padding in front of each dimension that has some.
    pub low: Vec<(usize, RuntimeIndex<'c>)>,
    /// Along which dimensions there may be no element, and the sizes of the operand there.
    pub ends: Vec<(usize, Extent)>,
    /// Value of the padding.
    pub value: Val<'c>,
}

impl<'c> Padded<'c> {
    /// Index at which the operand is read, and the conditions; `atom` names an index that is read
    /// at run time.
    pub fn place(
        self,
        mut atom: impl FnMut(RuntimeIndex<'c>) -> Atom,
    ) -> (Element<'c>, Vec<Condition>, Val<'c>) {
        let mut at = self.index;
        for (dim, low) in self.low {
            at[dim] = at[dim].minus(&Sum::atom(atom(low)));
        }
        let inside = |(dim, size): &(usize, Extent)| Condition::between(&at[*dim], 0, *size - 1);
        let conditions = self.ends.iter().map(inside).map(Condition::of_window);
        let conditions = conditions.collect();
        ((self.operand, at), conditions, self.value)
    }
}

/// Expression of an element.
pub enum Node<'c> {
    /// Not computed in the region: one of its inputs.
    Input,
    /// A splat constant.
    Splat(Dense),
    /// The number itself.
    Iota(Sum),
    /// An element of another value.
    Copy(Element<'c>),
    /// The first piece whose conditions hold; the last one has none.
    Pieces(Vec<(Vec<Condition>, Element<'c>)>),
    /// An element of what is padded by as much as is known at run time only.
    Padded(Padded<'c>),
    /// An element-wise operation of these operands.
    Elementwise(Op<'c>, Vec<Element<'c>>),
    /// Result number of a reduction.
    Reduce {
        /// The reduction.
        op: Op<'c>,
        /// Number of the result.
        number: usize,
        /// Index of what it reads, `None` along the dimensions that it reduces.
        at: Vec<Option<Sum>>,
    },
    /// Result number of a `reduce_window`, over explicit window elements: each with the conditions
    /// under which it exists.
    Window(Op<'c>, usize, Vec<(Vec<Condition>, Vec<Sum>)>),
    /// Inclusive prefix reduction along a dimension (a cumulative `reduce_window`); backwards if
    /// set.
    Scan(Op<'c>, usize, bool),
    /// Element of operand 0 at `index` plus, in some dimensions, indices read at run time.
    Dynamic {
        /// Tensor that is read.
        operand: Val<'c>,
        /// Where, without the indices read at run time.
        index: Vec<Sum>,
        /// Indices read at run time, each with the dimension that it is added to.
        runtime: Vec<(usize, RuntimeIndex<'c>)>,
    },
}

/// [`sizes::sized`], with the reason as one of this crate.
pub fn tensor(value: Val<'_>) -> Result<(TensorType, Vec<Extent>), Reason> {
    sizes::sized(value).map_err(Reason)
}

/// Axes of a decoded attribute, as a decline where they are malformed (the verifier's business).
fn decoded<T>(result: attrs::Decoded<T>) -> Result<T, Reason> {
    result.map_err(|e| Reason::new(e.to_string()))
}

/// Expression of element `index` of `value`.
pub fn node<'c>(value: Val<'c>, index: &[Sum], ranges: &LoopFacts) -> Result<Node<'c>, Reason> {
    let Some((op, number)) = op::defining_op(value) else {
        return Ok(Node::Input);
    };
    match registry::lookup(op).map(|def| def.class) {
        Some(Class::Elementwise) => read::elementwise(op, index),
        Some(Class::Source) => source(op, index),
        // Of a shape that is known at run time only.
        Some(Class::Movement) if op.attribute("iota_dimension").is_some() => source(op, index),
        Some(Class::Movement | Class::Assembly) if op.num_regions() == 0 => {
            read::copied(op, number, index, ranges)
        }
        Some(Class::Reduction) => read::reduced(op, number, index, ranges),
        Some(Class::Window) => read::window(op, number, index, ranges),
        _ => Err(Reason::new(format!("'{}'", op.name()))),
    }
}

/// Returns the node of an operation that depends on the index alone.
fn source<'c>(op: Op<'c>, index: &[Sum]) -> Result<Node<'c>, Reason> {
    if let Some(value) = op.attribute("value") {
        return match Dense::from_mlir(value) {
            Some(dense) if dense.splat || dense.ty.num_elements() == Some(1) => {
                Ok(Node::Splat(dense))
            }
            _ => Err(Reason::new("a constant that is not a splat")),
        };
    }
    let axis = decoded(attrs::int(op, "iota_dimension"))?;
    let axis = decoded(attrs::axis("iota_dimension", axis, index.len()))?;
    Ok(Node::Iota(index[axis].clone()))
}
