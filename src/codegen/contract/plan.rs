//! How a product is blocked: the register tile, what is packed and how, the tiles of the launch.

use super::problem::{B, M, MO, N, NO, Problem};
use crate::index::{Ix, ceil};
use crate::run_time::index;
use mapwright_indexing::Extent;
use mapwright_indexing::linear::Sum;
use mapwright_mlir::{Builder, CmpI, ElementType, Val};

/// Memory from which a factor is read while products are summed.
#[derive(Clone)]
pub(crate) enum Buffer {
    Input(usize),
    /// Elements of the packed type, from this byte of the workspace on.
    Workspace {
        at: i64,
        elements: i64,
    },
    /// Elements whose number is known at run time only (this one of [`Plan::last`]), behind all
    /// else in the workspace.
    Last(usize),
    /// Elements of the packed type, from this byte on of the memory that is kept from call to call.
    Prepacked {
        at: i64,
        elements: i64,
    },
}

impl Buffer {
    /// Tells whether it was packed for this product.
    pub fn is_packed(&self) -> bool {
        !matches!(self, Self::Input(_))
    }
}

/// A factor in memory.
#[derive(Clone)]
pub(crate) struct Source {
    pub buffer: Buffer,
    /// Type of its elements.
    pub element: ElementType,
    /// Of rows: with strides in `M` and the contracted variables. Of columns: at the first lane.
    pub offset: Sum,
}

/// Form into which a packing phase brings a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Rows of `stride` elements, `count` of them (a multiple of the lanes), for each `B` and `MO`.
    Rows { stride: i64, count: Extent },
    /// Panels of `width` columns.
    Panels { width: i64 },
    /// The padded image.
    Image,
}

/// A packing phase.
#[derive(Clone)]
pub(crate) struct Pack {
    pub form: Form,
    pub to: Buffer,
    /// Number of elements that may be expected.
    pub elements: f64,
    pub tiles: Extent,
    /// It is packed in so many rounds, each in the place of the one before.
    pub rounds: i64,
}

/// Choices beside the blocks and the factors that are packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Choices {
    /// Each register tile of rows asks for a part of the next panel of columns.
    pub prefetches_panel: bool,
    /// Columns that are read where they lie are asked for so many panels ahead; zero: they are not.
    pub columns_ahead: i64,
    /// The memory of the results is asked for before products are summed.
    pub prefetches_results: bool,
    /// Vectors of a register tile up to which what follows the product is unrolled over it.
    pub unrolled_epilogue: i64,
    /// Rows, columns are packed in blocks that are transposed.
    pub transposes: [bool; 2],
    /// Divisions by constants are multiplications.
    pub constant_reciprocals: bool,
}

/// The cut.
#[derive(Clone)]
pub(crate) struct Plan {
    pub lanes: i64,
    /// Rows of the register tile.
    pub rows: i64,
    /// Vectors of columns of the register tile.
    pub vectors: i64,
    pub row_source: Source,
    pub col_source: Source,
    pub packs: Vec<Pack>,
    pub workspace: i64,
    /// Elements behind these, of numbers that are known at run time only.
    pub last: Vec<Extent>,
    /// Bytes for factors that are constants, which are packed in the first call only.
    pub prepacked: i64,
    /// Register tiles of rows in a tile of the launch.
    pub row_block: Extent,
    /// Outer rows in a tile of the launch; more than one only where the tile has all rows of each.
    pub line_block: Extent,
    /// Each tile packs the panels of columns that it needs by itself: it is the only one that does.
    pub own_panels: bool,
    /// Panels of columns in a tile of the launch.
    pub col_block: Extent,
    /// Every panel is computed under a mask, where the number of columns is known at run time only:
    /// the machine has registers for masks, and the last panel needs no code of its own.
    pub masked: bool,
    /// A single row and columns that are contiguous along the contracted variable: sums along
    /// vectors, at least so many that take turns.
    pub along: Option<i64>,
    /// Buffer of the limits of rows ([`super::bf16_subnormals`]): so many for each tile of the
    /// launch.
    pub limits: Option<(Buffer, Extent)>,
    /// A single row, and columns that are read in the order of memory.
    pub across: Option<Across>,
    /// Rounds in which the packed rows change: outer rows, each of which is a round.
    pub rounds: i64,
    /// For few rows of a number that is known at run time only: the same with columns that are read
    /// where they are, rather than packed.
    pub few: Option<Box<Plan>>,
    /// The most rows that are so few.
    pub few_rows: i64,
    pub choices: Choices,
    pub cost: f64,
}

/// Columns in the order of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Across {
    /// Columns of a tile.
    pub columns: i64,
    /// Contracted elements that are added at a time.
    pub rows: i64,
}

impl Plan {
    /// Columns of a panel.
    pub fn width(&self) -> i64 {
        self.lanes * self.vectors
    }

    /// Whether there are so few rows.
    pub fn has_few_rows<'c>(&self, b: &Builder<'c>, p: &Problem<'_>) -> Val<'c> {
        b.cmpi(CmpI::Sle, b.cidx(p.size(M)), b.cidx(self.few_rows))
    }

    /// Whether columns are packed before the product.
    pub fn packs_panels(&self) -> bool {
        let panels = |pack: &Pack| matches!(pack.form, Form::Panels { .. });
        self.packs.iter().any(panels)
    }

    /// The plan with another one for few rows, whose columns are read where they are. Register
    /// tiles of half as many rows are half the code; columns are read twice as often, which takes
    /// no longer where they stay in a cache.
    #[must_use]
    pub fn with_few(mut self, p: &Problem<'_>, columns: Option<Source>) -> Self {
        let Some(col_source) = columns else {
            return self;
        };
        let mut few = Self {
            col_source,
            ..self.clone()
        };
        let stay = self.few_rows > self.rows;
        if stay && self.rows % 2 == 0 && self.limits.is_none() {
            few.rows = self.rows / 2;
            let all = |plan: &Self| p.size(M).ceil_div(plan.rows.into());
            // Tiles of the launch are those of the whole plan.
            few.row_block = if self.row_block == all(&self) {
                all(&few)
            } else {
                self.row_block * 2
            };
        }
        self.few = Some(Box::new(few));
        self
    }

    /// Tells whether register tiles of the rows that are left over are those of few rows as well:
    /// they begin with half a register tile, and read the same type.
    pub fn rest_is_few(&self, few: &Self) -> bool {
        let same = few.col_source.element == self.col_source.element;
        same && self.rows % 2 == 0 && self.limits.is_none()
    }

    /// Blocks of outer rows, of rows and of columns; of run-time sizes as many as may be expected.
    pub fn blocks(&self, p: &Problem<'_>) -> (i64, i64, i64) {
        let rows = ceil(p.expected(M), self.rows);
        let cols = ceil(p.expected(N), self.width());
        (
            ceil(p.expected(MO), self.line_block.expected()),
            ceil(rows, self.row_block.expected()),
            ceil(cols, self.col_block.expected()),
        )
    }

    /// Blocks of outer rows, of rows and of columns.
    pub fn block_counts<'c>(&self, b: &Builder<'c>, p: &Problem<'_>) -> [Ix<'c>; 3] {
        let rows = p.size(M).ceil_div(self.rows.into());
        let cols = p.size(N).ceil_div(self.width().into());
        let all_cols = self.col_block == cols;
        [
            p.size(MO).ceil_div(self.line_block),
            rows.ceil_div(self.row_block),
            if all_cols {
                Extent::ONE
            } else {
                cols.ceil_div(self.col_block)
            },
        ]
        .map(|count| index(b, count))
    }

    /// Bytes of the workspace, whole cache lines.
    pub fn memory<'c>(&self, b: &Builder<'c>, p: &Problem<'_>) -> Ix<'c> {
        self.memory_before(b, p, self.last.len())
    }

    /// Bytes of the workspace in front of the factor number `k` of those whose sizes are known at
    /// run time only.
    pub fn memory_before<'c>(&self, b: &Builder<'c>, p: &Problem<'_>, k: usize) -> Ix<'c> {
        let before = self.last.iter().take(k);
        before.fold(Ix::Known(self.workspace), |all, last| {
            let bytes = index(b, *last * bytes(&p.packed));
            all.add(b, whole_lines(b, bytes))
        })
    }

    /// Tiles of the launch.
    pub fn tiles(&self, p: &Problem<'_>) -> i64 {
        let (lines, rows, cols) = self.blocks(p);
        lines * rows * cols * p.expected(B) * p.expected(NO)
    }
}

/// Bytes of whole cache lines.
pub(super) fn whole_lines<'c>(b: &Builder<'c>, bytes: Ix<'c>) -> Ix<'c> {
    let lines = bytes.add(b, Ix::Known(63)).div(b, Ix::Known(64));
    lines.mul(b, Ix::Known(64))
}

/// Bytes of an element of a type.
pub(super) fn bytes(element: &ElementType) -> i64 {
    element.byte_width().unwrap_or(4) as i64
}

/// Elements of a panel, with what stands behind its columns: for each of these as much as a sum.
pub(crate) fn panel_size(p: &Problem<'_>, columns: i64) -> Extent {
    let starts = if p.step.starts() || p.step.ranks() {
        columns * bytes(&p.acc) / bytes(&p.packed)
    } else {
        0
    };
    p.packed_depth() * columns + starts
}

/// The number of a packed line: of a round where there are several.
pub(super) fn packed_line(p: &Problem<'_>, rounds: i64, count: Extent) -> Sum {
    let outer = match rounds {
        1 => Sum::var(B).scaled(p.size(MO)).plus(&Sum::var(MO)),
        _ => Sum::var(B),
    };
    outer.scaled(count).plus(&Sum::var(M))
}
