//! The primitives of schedules, by name.

use crate::Step;

/// Kind of operand that a primitive is applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Nothing.
    None,
    /// A loop.
    Loop,
    /// A loop, or nothing for that of each reduction.
    OptionalLoop,
    /// A value of the region.
    Value,
}

/// Numbers that a primitive takes: their names, of which the last ones may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// In order.
    pub names: &'static [&'static str],
    /// Number of them that are always there.
    pub least: usize,
}

/// A kind of step.
#[derive(Debug, PartialEq, Eq)]
pub struct Primitive {
    /// Name in the text.
    pub name: &'static str,
    /// The emitters that have it.
    pub emitters: &'static [&'static str],
    /// Kind of its operand.
    pub operand: Operand,
    /// Its numbers, none of them negative.
    pub numbers: Numbers,
    /// Meaning, in a sentence.
    pub meaning: &'static str,
}

const fn entry(
    name: &'static str,
    emitters: &'static [&'static str],
    operand: Operand,
    names: &'static [&'static str],
    least: usize,
    meaning: &'static str,
) -> Primitive {
    Primitive {
        name,
        emitters,
        operand,
        numbers: Numbers { names, least },
        meaning,
    }
}

/// All primitives.
pub static PRIMITIVES: &[Primitive] = &[
    entry(
        "tile",
        &["tiled", "contraction", "chain"],
        Operand::Loop,
        &["size"],
        1,
        "Cuts the loop into tiles of `size` indices. Threads share the tiles; the loop that is tiled first is the outermost.",
    ),
    entry(
        "lanes",
        &["tiled"],
        Operand::OptionalLoop,
        &["count", "registers"],
        1,
        "Runs `count` lanes of a vector register along the loop (of each reduction along its last loop, if none is named). A vector is `registers` registers long, or one if that is left out.",
    ),
    entry(
        "unroll",
        &["tiled"],
        Operand::OptionalLoop,
        &["vectors"],
        1,
        "Computes `vectors` vectors along the loop of the lanes side by side.",
    ),
    entry(
        "unroll_fully",
        &["tiled"],
        Operand::Loop,
        &[],
        0,
        "Unrolls a short loop completely.",
    ),
    entry(
        "interleave",
        &["tiled"],
        Operand::Loop,
        &[],
        0,
        "Puts a short innermost loop within the lanes: its vectors are interleaved on the way to memory.",
    ),
    entry(
        "peel",
        &["tiled"],
        Operand::Loop,
        &["indices"],
        1,
        "Computes the indices before the first whole vector by themselves where a piece of the loop of the lanes begins between two vectors and has at least `indices` indices, so that the rest can be stored past the caches.",
    ),
    entry(
        "transpose_blocks",
        &["tiled", "contraction"],
        Operand::Loop,
        &[],
        0,
        "Reads operands that are contiguous along this loop in square blocks, and transposes these in registers; of a product, the factor with this loop, while it is packed.",
    ),
    entry(
        "store_blocks",
        &["tiled"],
        Operand::None,
        &["rows"],
        1,
        "Keeps transposed blocks in memory, and computes with `rows` of their rows at a time.",
    ),
    entry(
        "row_block",
        &["tiled"],
        Operand::Loop,
        &["rows"],
        1,
        "Sweeps over `rows` short rows together: each sweep goes over all of them before the next one begins.",
    ),
    entry(
        "column_block",
        &["tiled"],
        Operand::Loop,
        &[],
        0,
        "Reduces the columns of a tile in the order of memory, row after row, with their sums in a buffer.",
    ),
    entry(
        "combine_rows",
        &["tiled"],
        Operand::Value,
        &["rows", "index"],
        1,
        "In a column block, the reduction `value`, with those that share its loops, takes `rows` rows at a time. If it has several indices, `index` says which is meant.",
    ),
    entry(
        "accumulators",
        &["tiled"],
        Operand::Value,
        &["vectors", "index"],
        1,
        "The reduction `value` along the lanes, with those that share its loops, has `vectors` vectors of partial results, which take turns. If it has several indices, `index` says which is meant.",
    ),
    entry(
        "keep",
        &["tiled"],
        Operand::Value,
        &["index"],
        0,
        "Computes the value once in a row, and keeps it in scratch memory for the sweeps that follow. If it is read at several indices, `index` says which is meant.",
    ),
    entry(
        "keep_in_result",
        &["tiled"],
        Operand::Value,
        &["result", "index"],
        1,
        "As `keep`, in the memory of the result of number `result`, which is stored last.",
    ),
    entry(
        "reciprocal",
        &["tiled"],
        Operand::None,
        &["period"],
        1,
        "Of each `period` divisions by a value that a row has in common, does one as a multiplication by the reciprocal, corrected to the same bits.",
    ),
    entry(
        "reciprocal_of_constants",
        &["tiled", "contraction"],
        Operand::None,
        &[],
        0,
        "Does divisions by constants whose quotients are in range as multiplications by the reciprocal, corrected to the same bits.",
    ),
    entry(
        "prefetch",
        &["tiled"],
        Operand::Value,
        &["ahead"],
        1,
        "Prefetches rows of an argument or a result that lie far apart, `ahead` rows ahead; of transposed blocks, the next block.",
    ),
    entry(
        "stream",
        &["tiled"],
        Operand::None,
        &["result", "bytes"],
        1,
        "Stores the result of number `result` past the caches; one of run-time size only from `bytes` bytes on.",
    ),
    entry(
        "register_tile",
        &["contraction"],
        Operand::None,
        &["rows", "vectors"],
        2,
        "Keeps the sums of `rows` rows and `vectors` vectors of columns of a product in registers.",
    ),
    entry(
        "pack",
        &["contraction"],
        Operand::Loop,
        &[],
        0,
        "Copies the factor of a product that has this loop, before the product, into the order in which it is read.",
    ),
    entry(
        "pack_once",
        &["contraction"],
        Operand::Loop,
        &[],
        0,
        "As `pack`, of a constant: in the first call, for all calls.",
    ),
    entry(
        "pack_above",
        &["contraction"],
        Operand::Loop,
        &["rows"],
        1,
        "Packs only for more than `rows` rows, a number that is known at run time only; for fewer, the factor is read where it is.",
    ),
    entry(
        "pack_in_tile",
        &["contraction"],
        Operand::Loop,
        &[],
        0,
        "As `pack`, but the tile that reads a panel copies it, one panel at a time.",
    ),
    entry(
        "pack_rounds",
        &["contraction"],
        Operand::Loop,
        &["rounds"],
        1,
        "Cuts what `pack` copies into `rounds` parts, each of which is multiplied before the next one takes its place.",
    ),
    entry(
        "prefetch_panel",
        &["contraction"],
        Operand::None,
        &[],
        0,
        "Prefetches the next packed panel of columns, a part of it with each register tile that uses the current one.",
    ),
    entry(
        "prefetch_columns",
        &["contraction"],
        Operand::None,
        &["panels"],
        1,
        "Prefetches columns that are read where they lie: while `panels` panels are used, the rows of the next ones, each from its beginning to its end.",
    ),
    entry(
        "prefetch_results",
        &["contraction"],
        Operand::None,
        &[],
        0,
        "Prefetches the memory of the results before the products of a register tile are summed.",
    ),
    entry(
        "unroll_epilogue",
        &["contraction"],
        Operand::None,
        &["vectors"],
        1,
        "Unrolls the operations after a product over register tiles of up to `vectors` vectors; for larger ones they are a loop.",
    ),
    entry(
        "gemv_row",
        &["contraction"],
        Operand::None,
        &["sums"],
        1,
        "Multiplies a single row with columns that are contiguous along the contracted loop: lanes run along that loop, and at least `sums` vectors of sums take turns.",
    ),
    entry(
        "gemv_column",
        &["contraction"],
        Operand::None,
        &["columns", "rows"],
        2,
        "Multiplies a single row with columns in the order of memory, `rows` rows of these at a time, with the sums of `columns` columns in a buffer.",
    ),
    entry(
        "depthwise",
        &["contraction"],
        Operand::None,
        &["results"],
        1,
        "Computes a convolution of each feature by itself: lanes run along the features, and a register tile of `results` neighbouring results slides along the windows.",
    ),
];

/// The primitive of that name.
#[must_use]
pub fn primitive(name: &str) -> Option<&'static Primitive> {
    PRIMITIVES.iter().find(|primitive| primitive.name == name)
}

impl Step {
    /// Checks that the step has the arguments that its primitive takes.
    pub(crate) fn check(&self) -> Result<(), String> {
        let Primitive {
            name,
            operand,
            numbers,
            ..
        } = self.primitive;
        match (operand, &self.operand) {
            (Operand::None, Some(_)) => {
                return Err(format!("'{name}' is about no loop and no value"));
            }
            (Operand::Loop, None) => {
                return Err(format!("'{name}' wants the name of a loop first"));
            }
            (Operand::Value, None) => {
                return Err(format!("'{name}' wants the name of a value first"));
            }
            _ => {}
        }
        let (least, most, found) = (numbers.least, numbers.names.len(), self.numbers.len());
        if found < least || found > most {
            let wanted = if least == most {
                format!("{most}")
            } else {
                format!("{least} to {most}")
            };
            return Err(format!(
                "'{name}' takes {wanted} number{}, not {found}",
                if most == 1 { "" } else { "s" }
            ));
        }
        match self.numbers.iter().find(|number| **number < 0) {
            Some(number) => Err(format!("'{name}' takes no negative number ({number})")),
            None => Ok(()),
        }
    }
}
