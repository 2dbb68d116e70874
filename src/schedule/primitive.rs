//! The primitives of schedules, by name.

use crate::Step;

/// What a primitive is applied to.
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
    /// So many are always there.
    pub least: usize,
}

/// A kind of step.
#[derive(Debug, PartialEq, Eq)]
pub struct Primitive {
    /// Name in the text.
    pub name: &'static str,
    /// The emitters that have it.
    pub emitters: &'static [&'static str],
    /// What it is applied to.
    pub operand: Operand,
    /// Its numbers, none of them negative.
    pub numbers: Numbers,
    /// What it says, in a sentence.
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
        "The loop is cut into tiles of so many indices. Threads share the tiles; the tiles of the first loop follow each other slowest.",
    ),
    entry(
        "lanes",
        &["tiled"],
        Operand::OptionalLoop,
        &["count", "registers"],
        1,
        "So many lanes of a vector register run along the loop (along the last loop of each reduction, if none is named); vectors are so many registers long, one if that is left out.",
    ),
    entry(
        "unroll",
        &["tiled"],
        Operand::OptionalLoop,
        &["vectors"],
        1,
        "So many vectors along the loop of the lanes are computed beside each other.",
    ),
    entry(
        "unroll_fully",
        &["tiled"],
        Operand::Loop,
        &[],
        0,
        "The indices of a short loop are computed one after the other, without a loop.",
    ),
    entry(
        "interleave",
        &["tiled"],
        Operand::Loop,
        &[],
        0,
        "A short innermost loop lies within the lanes: its vectors are interleaved on the way to memory.",
    ),
    entry(
        "peel",
        &["tiled"],
        Operand::Loop,
        &["indices"],
        1,
        "Pieces of the loop of the lanes that begin between two vectors and have so many indices, at least, go to the first whole one by themselves, so that what follows is stored past the caches.",
    ),
    entry(
        "transpose_blocks",
        &["tiled", "contraction"],
        Operand::Loop,
        &[],
        0,
        "Operands that are contiguous along this loop are read in square blocks, which are transposed in registers; of a product, the factor with this loop, on the way to where it is packed.",
    ),
    entry(
        "store_blocks",
        &["tiled"],
        Operand::None,
        &["rows"],
        1,
        "Transposed blocks lie in memory, and so many of their rows are computed with at a time.",
    ),
    entry(
        "row_block",
        &["tiled"],
        Operand::Loop,
        &["rows"],
        1,
        "So many short rows are swept at a time: each sweep goes over all of them before the next one begins.",
    ),
    entry(
        "column_block",
        &["tiled"],
        Operand::Loop,
        &[],
        0,
        "Columns of a tile are reduced in the order of memory, row after row; their sums are in a buffer.",
    ),
    entry(
        "combine_rows",
        &["tiled"],
        Operand::Value,
        &["rows", "index"],
        1,
        "In a column block, the reduction of that name, with those that share its loops, takes so many rows at a time; of several indices, that of this number.",
    ),
    entry(
        "accumulators",
        &["tiled"],
        Operand::Value,
        &["vectors", "index"],
        1,
        "The reduction of that name along the lanes, with those that share its loops, has so many vectors of partial results, which take turns; of several indices, that of this number.",
    ),
    entry(
        "keep",
        &["tiled"],
        Operand::Value,
        &["index"],
        0,
        "The value is computed once in a row and kept in scratch memory for the sweeps that follow; of several indices at which it is read, that of this number.",
    ),
    entry(
        "keep_in_result",
        &["tiled"],
        Operand::Value,
        &["result", "index"],
        1,
        "As `keep`, in the memory of a result, which is stored last.",
    ),
    entry(
        "reciprocal",
        &["tiled"],
        Operand::None,
        &["period"],
        1,
        "Of so many divisions by a value that a row has in common, one is a multiplication by its reciprocal, corrected to the same bits.",
    ),
    entry(
        "reciprocal_of_constants",
        &["tiled", "contraction"],
        Operand::None,
        &[],
        0,
        "Divisions by constants whose quotients are in range are multiplications by a reciprocal, corrected to the same bits.",
    ),
    entry(
        "prefetch",
        &["tiled"],
        Operand::Value,
        &["ahead"],
        1,
        "Rows of an argument or a result that lie far apart are asked for so many rows ahead; of transposed blocks, the next block.",
    ),
    entry(
        "stream",
        &["tiled"],
        Operand::None,
        &["result", "bytes"],
        1,
        "The result of this number is stored past the caches; one of run-time size from so many bytes on.",
    ),
    entry(
        "register_tile",
        &["contraction"],
        Operand::None,
        &["rows", "vectors"],
        2,
        "The sums of so many rows and so many vectors of columns of a product are in registers.",
    ),
    entry(
        "pack",
        &["contraction"],
        Operand::Loop,
        &[],
        0,
        "The factor of a product with this loop is copied, before the product, to the order in which it is read.",
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
        "What `pack` copies is copied for more than so many rows, whose number is known at run time only, and read where it is for fewer.",
    ),
    entry(
        "pack_in_tile",
        &["contraction"],
        Operand::Loop,
        &[],
        0,
        "As `pack`, a panel at a time by the tile that reads it.",
    ),
    entry(
        "pack_rounds",
        &["contraction"],
        Operand::Loop,
        &["rounds"],
        1,
        "What `pack` copies is cut into so many parts, each multiplied before the next one takes its place.",
    ),
    entry(
        "prefetch_panel",
        &["contraction"],
        Operand::None,
        &[],
        0,
        "While a packed panel of columns is used by one register tile after another, each of these asks for a part of the next panel.",
    ),
    entry(
        "prefetch_results",
        &["contraction"],
        Operand::None,
        &[],
        0,
        "The memory of the results is asked for before the products of a register tile are summed.",
    ),
    entry(
        "unroll_epilogue",
        &["contraction"],
        Operand::None,
        &["vectors"],
        1,
        "What follows a product is unrolled over register tiles of up to so many vectors; over larger ones there is a loop.",
    ),
    entry(
        "gemv_row",
        &["contraction"],
        Operand::None,
        &["sums"],
        1,
        "A single row is multiplied with columns that are contiguous along the contracted loop: lanes run along that, and so many vectors of sums, at least, take turns.",
    ),
    entry(
        "gemv_column",
        &["contraction"],
        Operand::None,
        &["columns", "rows"],
        2,
        "A single row is multiplied with columns in the order of memory, so many rows of these at a time: the sums of so many columns are in a buffer.",
    ),
    entry(
        "depthwise",
        &["contraction"],
        Operand::None,
        &["results"],
        1,
        "A convolution of each feature by itself: lanes run along the features, and a register tile of so many neighbouring results slides along the windows.",
    ),
];

/// The primitive of that name.
#[must_use]
pub fn primitive(name: &str) -> Option<&'static Primitive> {
    PRIMITIVES.iter().find(|primitive| primitive.name == name)
}

impl Step {
    /// Has the step the arguments that its primitive takes?
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
            let wanted = match least == most {
                true => format!("{most}"),
                false => format!("{least} to {most}"),
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
