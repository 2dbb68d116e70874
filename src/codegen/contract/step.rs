//! What is added to a sum at once: one product, or the few that an instruction of the machine
//! multiplies and adds.
//!
//! Neighbouring contracted elements of a column then lie side by side in a panel, and the elements
//! of a row are spread several at a time.

use crate::Options;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, ElementType, FloatKind, Val};

/// Instruction by which sums grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// One product, multiplied and added in the sum's type.
    One,
    /// Two products of `bf16`, added in `f32`. The instruction takes subnormal factors and sums as
    /// zero: it is for where there are none ([`super::bf16_subnormals`]).
    Bf16,
    /// Four products of bytes, one factor signed and the other not, added exactly.
    Bytes {
        /// Rows are signed like the columns: they are stored with 128 added, for which the sums
        /// start lower.
        flip: bool,
        /// The columns are the unsigned factor.
        columns: bool,
    },
    /// Two products of numbers of 16 bits or fewer, which are packed as 16 signed bits, added
    /// modulo `2^32`.
    Words,
}

/// Tells whether 16 signed bits hold all numbers of the type.
fn is_word(element: &ElementType) -> bool {
    match element {
        ElementType::Int { width, unsigned } => *width <= 8 || (*width == 16 && !unsigned),
        _ => false,
    }
}

fn is_byte(element: &ElementType) -> Option<bool> {
    match element {
        ElementType::Int { width: 8, unsigned } => Some(*unsigned),
        _ => None,
    }
}

impl Step {
    /// The best one that the types and the machine allow.
    pub fn of_types(
        rows: &ElementType,
        cols: &ElementType,
        sum: &ElementType,
        options: &Options,
    ) -> Self {
        if options.is_off("dot-instructions") {
            return Self::One;
        }
        let full = options.vector_bits == 512;
        let half = ElementType::Float(FloatKind::BF16);
        if full && options.dot_bf16 && *sum == ElementType::F32 && *rows == half && *cols == half {
            return Self::Bf16;
        }
        let wide = matches!(sum, ElementType::Int { width: 32, .. });
        match (is_byte(rows), is_byte(cols)) {
            (Some(row), Some(col)) if full && options.dot_i8 && wide && !(row && col) => {
                Self::Bytes {
                    flip: !row && !col,
                    columns: col,
                }
            }
            _ if options.dot_i16 && wide && is_word(rows) && is_word(cols) => Self::Words,
            _ => Self::One,
        }
    }

    /// Contracted elements of one step.
    pub fn elements(self) -> i64 {
        match self {
            Self::One => 1,
            Self::Bf16 | Self::Words => 2,
            Self::Bytes { .. } => 4,
        }
    }

    /// Tells whether panels end in the numbers that the sums start with.
    pub fn starts(self) -> bool {
        matches!(self, Self::Bytes { flip: true, .. })
    }

    /// Tells whether panels end in the ranks of the least factors ([`super::bf16_subnormals`]).
    pub fn ranks(self) -> bool {
        self == Self::Bf16
    }

    /// The type that factors are packed in.
    pub fn packed(self, cols: &ElementType, sum: &ElementType) -> ElementType {
        match self {
            Self::One => sum.clone(),
            Self::Words => ElementType::Int {
                width: 16,
                unsigned: false,
            },
            _ => cols.clone(),
        }
    }
}

/// `sum` and the products of a step; the factors as vectors of as many bits as the sum.
pub(crate) fn add<'c>(
    b: &Builder<'c>,
    step: Step,
    ty: &ElementType,
    row: Val<'c>,
    col: Val<'c>,
    sum: Val<'c>,
) -> Val<'c> {
    match (step, ty) {
        (Step::One, ElementType::Float(_)) => b.fma(row, col, sum),
        (Step::One, _) => b.addi(sum, b.muli(row, col)),
        (Step::Bf16, _) => {
            // They are stored as their bits.
            let half = |x: Val<'c>| {
                let ty = b.like(x.r#type(), b.float(FloatKind::BF16));
                b.cast("arith.bitcast", x, ty)
            };
            let name = "llvm.x86.avx512bf16.dpbf16ps.512";
            b.intrinsic(name, &[sum, half(row), half(col)], sum.r#type())
        }
        (Step::Bytes { columns, .. }, _) => {
            let (unsigned, signed) = if columns { (col, row) } else { (row, col) };
            b.intrinsic(
                "llvm.x86.avx512.vpdpbusd.512",
                &[sum, unsigned, signed],
                sum.r#type(),
            )
        }
        (Step::Words, _) => {
            let name = match b.shape_of(sum.r#type())[..] {
                [16] => "llvm.x86.avx512.pmaddw.d.512",
                _ => "llvm.x86.avx2.pmadd.wd",
            };
            b.addi(sum, b.intrinsic(name, &[row, col], sum.r#type()))
        }
    }
}

/// The lanes of several vectors in turn: of each the first, then of each the second, and so on. Two
/// or four vectors.
pub(crate) fn interleave<'c>(b: &Builder<'c>, parts: &[Val<'c>]) -> Val<'c> {
    let zip = |x: Val<'c>, y: Val<'c>, run: i64| {
        let n = b.shape_of(x.r#type())[0];
        let lanes: Vec<i64> = (0..n / run)
            .flat_map(|i| {
                let x = (0..run).map(move |r| i * run + r);
                let y = (0..run).map(move |r| n + i * run + r);
                x.chain(y)
            })
            .collect();
        b.shuffle(x, y, &lanes)
    };
    match parts {
        [x, y] => zip(*x, *y, 1),
        [x, y, z, w] => zip(zip(*x, *y, 1), zip(*z, *w, 1), 2),
        _ => parts[0],
    }
}

/// Vectors one behind the other. One, two or four.
pub(crate) fn join<'c>(b: &Builder<'c>, parts: &[Val<'c>]) -> Val<'c> {
    match parts {
        [one] => *one,
        _ => {
            let (low, high) = parts.split_at(parts.len() / 2);
            let (low, high) = (join(b, low), join(b, high));
            let n = b.shape_of(low.r#type())[0];
            b.shuffle(low, high, &(0..2 * n).collect::<Vec<_>>())
        }
    }
}
