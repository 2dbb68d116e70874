//! The two questions about one operation.

use crate::compose::Composer;
use mapwright_indexing::IndexingMap;
use mapwright_mlir::Op;

/// Reads of one operand by a result: the union of the maps, from an index of the result to indices
/// of the operand.
#[derive(Clone, Debug, PartialEq)]
pub struct OperandMaps {
    /// Number of the operand.
    pub operand: usize,
    /// Pieces, without duplicates. One known-empty map if nothing is read; one unknown map if
    /// nobody knows.
    pub maps: Vec<IndexingMap>,
}

/// Uses of an operand in a result: the union of the maps, from an index of the operand to indices
/// of the result.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultMaps {
    /// Number of the result.
    pub result: usize,
    /// Pieces, as in [`OperandMaps`].
    pub maps: Vec<IndexingMap>,
}

/// Maps from an element of result `result` to the elements of every operand that it is made of,
/// simplified.
///
/// Maps of collectives are over `(replica, index…)`. For many questions about one program, use a
/// [`Composer`], which remembers.
pub fn output_to_input(op: Op<'_>, result: usize) -> Vec<OperandMaps> {
    Composer::new().output_to_input(op, result).to_vec()
}

/// Maps from an element of operand `operand` to the elements of every result that it goes into,
/// simplified.
pub fn input_to_output(op: Op<'_>, operand: usize) -> Vec<ResultMaps> {
    Composer::new().input_to_output(op, operand).to_vec()
}

/// Whether elements of operand `operand` go into a result of `op`, as far as its maps tell: none do
/// where only the sizes of the operand are asked for.
pub fn reads_elements(op: Op<'_>, operand: usize) -> bool {
    let results = input_to_output(op, operand);
    let mut maps = results.iter().flat_map(|result| &result.maps);
    results.is_empty() || maps.any(|map| !map.is_known_empty())
}

/// The operations at and below `root` that maps are asked of, in the order of the program: those
/// with results, bodies of functions and of control flow included. Not the operations of scalar
/// computations, such as the body of a reduction: their tensors are one element.
pub fn operations<'c>(root: Op<'c>) -> Vec<Op<'c>> {
    fn visit<'c>(op: Op<'c>, found: &mut Vec<Op<'c>>) {
        if op.num_results() > 0 {
            found.push(op);
        }
        if crate::registry::mapped(op).is_some_and(|def| def.family != "control") {
            return;
        }
        for i in 0..op.num_regions() {
            for block in mapwright_mlir::op::blocks(op.region(i)) {
                for inner in mapwright_mlir::op::ops(block) {
                    visit(inner, found);
                }
            }
        }
    }
    let mut found = Vec::new();
    visit(root, &mut found);
    found
}
