//! How a product is blocked: the register tile, what is packed and how, the tiles of the launch.
//!
//! - *Rows* are read one element at a time and spread over a vector: they are read in place where they lie in constant strides, else copied to
//!   rows with the contracted elements side by side.
//! - *Columns* are read as vectors: in place where they lie side by side and are read only a few times, else from panels as wide as the register
//!   tile, so that a panel is one stream.
//! - An image with padding is copied once with its padding, so that windows are plain strides.

use super::blocks::{Blocks, row_bytes};
use super::problem::{B, J, K, M, MO, N, NO, Problem, R, Side};
use super::rounds;
use super::step::Step;
use crate::index::Ix;
use crate::run_time::{Amount, Derived, RunTime};
use crate::{Declined, Options};
use mapwright_indexing::linear::{Sum, linearize};
use mapwright_mlir::{Builder, ElementType};

/// Where a factor is read while products are summed.
#[derive(Clone)]
pub(crate) enum Buffer {
    Input(usize),
    /// Elements of the packed type, from this byte of the workspace on.
    Workspace {
        at: i64,
        elements: i64,
    },
    /// As many as are known at run time only ([`Plan::last`]), behind all else in the workspace.
    Last,
    /// The same of the memory that is kept from call to call.
    Kept {
        at: i64,
        elements: i64,
    },
}

impl Buffer {
    /// Was it packed for this product?
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

/// What a packing phase makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Rows of `stride` elements, `count` of them (a multiple of the lanes), for each `B` and `MO`.
    Rows { stride: i64, count: i64 },
    /// Panels of `width` columns.
    Panels { width: i64 },
    /// The padded image.
    Image,
}

/// A packing phase.
pub(crate) struct Pack {
    pub form: Form,
    pub to: Buffer,
    /// As many as may be expected.
    pub elements: f64,
    pub tiles: i64,
    /// It is packed in so many rounds, each in the place of the one before.
    pub rounds: i64,
}

/// Bytes that are packed into: in each call, and once for all calls.
#[derive(Clone, Default)]
struct Memory {
    workspace: i64,
    kept: i64,
    /// Elements whose number is known at run time only, behind all others.
    last: Option<Amount>,
}

impl Memory {
    /// Room for so many elements; `keep`: of constants.
    fn take(&mut self, sizes: &RunTime, elements: Amount, width: i64, keep: bool) -> R<Buffer> {
        let Some(elements) = elements.known(sizes) else {
            if self.last.replace(elements).is_some() || keep {
                return Err(Declined::new(
                    "several factors of run-time sizes are packed",
                ));
            }
            return Ok(Buffer::Last);
        };
        let end = match keep {
            true => &mut self.kept,
            false => &mut self.workspace,
        };
        let at = *end;
        *end += ceil(elements * width, 64) * 64;
        Ok(match keep {
            true => Buffer::Kept { at, elements },
            false => Buffer::Workspace { at, elements },
        })
    }
}

/// The cut.
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
    /// Elements behind these, of a number that is known at run time only.
    pub last: Option<Amount>,
    /// Bytes for factors that are constants, which are packed in the first call only.
    pub kept: i64,
    /// Register tiles of rows in a tile of the launch.
    pub row_block: i64,
    /// Outer rows in a tile of the launch; more than one only where the tile has all rows of each.
    pub line_block: i64,
    /// Each tile packs the panels of columns that it needs by itself: it is the only one that does.
    pub own_panels: bool,
    /// Panels of columns in a tile of the launch.
    pub col_block: i64,
    /// A single row and columns that are contiguous along the contracted variable: sums along vectors.
    pub along: bool,
    /// Where the limits of rows are ([`super::tiny`]): so many for each tile of the launch.
    pub limits: Option<(Buffer, i64)>,
    /// A single row, and columns that are read in the order of memory: columns of a tile.
    pub across: Option<i64>,
    /// Rounds in which the packed rows change: outer rows, each of which is a round.
    pub rounds: i64,
    pub cost: f64,
}

/// Elements of room behind an image of run-time size: those of the longest vector.
const SPARE: i64 = 64;

/// Level-one cache associativity times its line: rows at multiples of this many bytes compete for the same few lines.
const ALIAS: i64 = 4096;

pub(crate) fn ceil(a: i64, b: i64) -> i64 {
    (a + b - 1) / b
}

impl Plan {
    /// Columns of a panel.
    pub fn width(&self) -> i64 {
        self.lanes * self.vectors
    }

    /// Blocks of outer rows, of rows and of columns; of run-time sizes as many as may be expected.
    pub fn blocks(&self, p: &Problem<'_>) -> (i64, i64, i64) {
        let rows = ceil(p.expected(M), self.rows);
        let cols = ceil(p.expected(N), self.width());
        (
            ceil(p.expected(MO), self.line_block),
            ceil(rows, p.sizes.expected(self.row_block)),
            ceil(cols, p.sizes.expected(self.col_block)),
        )
    }

    /// Bytes of the workspace, whole cache lines.
    pub fn memory<'c>(&self, b: &Builder<'c>, p: &Problem<'_>) -> Ix<'c> {
        let last = self.last.as_ref().map_or(Ix::Known(0), |last| {
            let bytes = last.value(b, &p.sizes).mul(b, Ix::Known(bytes(&p.packed)));
            whole_lines(b, bytes)
        });
        last.add(b, Ix::Known(self.workspace))
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

/// Lanes of the vectors that sums are in, and vector registers.
fn machine(p: &Problem<'_>, options: &Options) -> (i64, i64) {
    let lanes = (i64::from(options.vector_bits) / 8 / bytes(&p.acc)).max(2);
    let registers = if options.vector_bits >= 512 { 32 } else { 16 };
    (lanes, registers)
}

/// Estimated cycles of the best register tile of so many rows.
pub(crate) fn cycles_of_rows(p: &Problem<'_>, options: &Options, rows: i64) -> f64 {
    let (lanes, registers) = machine(p, options);
    register_tile(p, lanes, registers, Some(rows)).0
}

/// The register tile (rows, vectors) of the fewest estimated cycles, and how many these are. `only`: of so many rows.
fn register_tile(
    p: &Problem<'_>,
    lanes: i64,
    registers: i64,
    only: Option<i64>,
) -> (f64, (i64, i64)) {
    let (m, n) = (p.expected(M), ceil(p.expected(N), lanes));
    let depth = p.sizes.expected(p.depth()) as f64;
    let mut best = (f64::MAX, (only.unwrap_or(1), 1));
    // Rows that lie apart by a run-time size take a register for addresses each.
    let stride = p.rows.plain.as_ref();
    let stride = stride.and_then(|(_, offset)| offset.coefficient(M));
    let most: i64 = match stride.is_some_and(|stride| p.sizes.contain(stride)) {
        true => 8,
        false => 16,
    };
    for vectors in 1..=8i64.min(n) {
        for rows in 1..=most.min(m) {
            if only.is_some_and(|only| only != rows) {
                continue;
            }
            // The accumulators, the columns, one spread row.
            if rows * vectors + vectors + 1 > registers {
                break;
            }
            // Two products and two loads a cycle; four cycles until a sum can be added to again. What comes from the second-level cache costs a
            // little.
            let cycles = |r: i64, v: i64| {
                let products = (r * v) as f64 / 2.0;
                let loads = (r + v) as f64 / 2.0;
                products.max(loads).max(4.0) + 0.12 * v as f64 + 0.02 * r as f64
            };
            let parts = |total: i64, size: i64, var: usize| {
                if p.is_run_time(var) {
                    // There are many, and what is left over may be any number.
                    return vec![(total as f64 / size as f64, size)];
                }
                let mut list = Vec::new();
                if total / size > 0 {
                    list.push(((total / size) as f64, size));
                }
                if total % size > 0 {
                    list.push((1.0, total % size));
                }
                list
            };
            let mut total = 0.0;
            for (a, r) in parts(m, rows, M) {
                for (c, v) in parts(n, vectors, N) {
                    total += a * c * (cycles(r, v) + 20.0 / depth);
                }
            }
            if total < best.0 - 1e-9 {
                best = (total, (rows, vectors));
            }
        }
    }
    best
}

/// Can vectors or spread elements be read from the operand where it is?
fn in_place(p: &Problem<'_>, side: &Side<'_>, strides: &[usize]) -> Option<Source> {
    let (input, offset) = side.plain.as_ref()?;
    if !side.inside.is_empty() {
        return None;
    }
    let steady = strides.iter().all(|v| offset.coefficient(*v).is_some());
    let _ = p;
    steady.then(|| Source {
        buffer: Buffer::Input(*input),
        element: side.element.clone(),
        offset: offset.clone(),
    })
}

/// Can rows be spread from where they are, whole steps at a time?
fn whole_steps(p: &Problem<'_>, source: &Source, inner: usize) -> bool {
    match p.step {
        Step::One => {
            let few = p.size(M) <= 2 || p.is_run_time(M) || p.sizes.contain(p.depth());
            source.element == p.acc || (few && p.acc.is_float())
        }
        step => {
            source.element == p.packed
                && !step.starts()
                && p.size(inner) % step.elements() == 0
                && source.offset.coefficient(inner) == Some(1)
        }
    }
}

/// A cut that is given: each tile of the launch has all columns of a few neighbouring rows. The number of register tiles may be known at run
/// time only.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    /// Rows of the register tile.
    pub rows: i64,
    /// Register tiles of rows in a tile.
    pub block: i64,
}

/// Makes the plan. Many rows that are packed are packed in rounds: that takes the memory of one of them.
pub(crate) fn plan(p: &mut Problem<'_>, options: &Options, cut: Option<Cut>) -> R<Plan> {
    let whole = in_rounds(p, options, cut, 1)?;
    let rounds = match cut {
        None => rounds::of(p, &whole),
        Some(_) => 1,
    };
    if rounds == 1 {
        return Ok(whole);
    }
    p.cut_rows(rounds);
    in_rounds(p, options, cut, rounds)
}

/// The plan for so many rounds, each of one outer row.
fn in_rounds(p: &mut Problem<'_>, options: &Options, cut: Option<Cut>, rounds: i64) -> R<Plan> {
    let (lanes, registers) = machine(p, options);
    let (m, n) = (p.size(M), p.size(N));
    let fixed = p.sizes.is_empty();
    if fixed && m * p.size(MO) >= 4 {
        p.step = Step::choose(p, options);
        p.packed = p.step.packed(p);
    }
    let width = bytes(&p.packed);
    let depth = p.packed_depth();
    let outer = [B, MO, NO].map(|v| p.size(v));
    let outside: i64 = outer.iter().map(|n| p.sizes.expected(*n)).product();
    let (_, (rows, vectors)) = register_tile(p, lanes, registers, cut.map(|cut| cut.rows));
    let panels = p.sizes.derive(Derived::Parts(n, lanes * vectors));
    let sizes = p.sizes.clone();
    let mut strides = p.k.clone();
    let k_linear = p.k_linear();
    let mut packs = Vec::new();
    let mut memory = Memory::default();
    let keeps = cut.is_none() && !options.is_off("packed-constants");
    let [keeps_rows, keeps_cols] =
        [&p.rows, &p.cols].map(|side| keeps && side.is_constant(&p.constants));

    // Rows.
    strides.push(M);
    let plain = in_place(p, &p.rows, &strides);
    let inner = p.k.last().copied().unwrap_or(K);
    let row_source = match (plain, &p.image) {
        (Some(source), _)
            if rounds == 1
                && whole_steps(p, &source, inner)
                && (p.is_run_time(M) || steady_rows(p, &source.offset, inner, rows, width)) =>
        {
            source
        }
        (_, Some(image)) => {
            let offset = linearize(&image.index, &image.sizes);
            if strides.iter().any(|v| offset.coefficient(*v).is_none()) {
                return Err(Declined::new(
                    "windows that are not strides of the padded operand",
                ));
            }
            // A vector is read from the last element on.
            let elements = Amount {
                factors: image.sizes.clone(),
                more: if fixed { lanes } else { SPARE },
            };
            let expected = elements.expected(&sizes);
            let to = memory.take(&sizes, elements, width, false)?;
            packs.push(Pack {
                form: Form::Image,
                to: to.clone(),
                elements: expected,
                tiles: image.sizes[0] * image.sizes[1],
                rounds: 1,
            });
            Source {
                buffer: to,
                element: p.packed.clone(),
                offset,
            }
        }
        _ => {
            if p.is_run_time(M) || sizes.contain(depth) {
                return Err(Declined::new(
                    "rows of run-time sizes that are not read where they are",
                ));
            }
            let mut stride = ceil(depth, lanes) * lanes + lanes;
            if stride * width % ALIAS == 0 {
                stride += lanes;
            }
            let count = ceil(m, lanes) * lanes;
            let elements = amount(&[outer[0], outer[1] / rounds, count, stride]);
            let expected = elements.expected(&sizes);
            let to = memory.take(&sizes, elements, width, keeps_rows)?;
            packs.push(Pack {
                form: Form::Rows { stride, count },
                to: to.clone(),
                elements: expected * rounds as f64,
                tiles: outer[0] * outer[1] * (count / lanes),
                rounds,
            });
            Source {
                buffer: to,
                element: p.packed.clone(),
                offset: packed_line(p, rounds, count).scaled(stride).plus(&k_linear),
            }
        }
    };

    // Columns.
    strides.pop();
    strides.push(N);
    let plain = in_place(p, &p.cols, &strides);
    let lanes_of = |s: &Source| s.offset.coefficient(N);
    let along = !options.is_off("along")
        && fixed
        && m == 1
        && p.k.len() == 1
        && plain
            .as_ref()
            .is_some_and(|s| lanes_of(s) != Some(1) && s.offset.coefficient(inner) == Some(1))
        && row_source.offset.coefficient(inner) == Some(1)
        && p.step == Step::One
        && p.acc.is_float();
    // How often a column is read, at the most.
    let reads = outer[1] * ceil(m, rows);
    let (em, en) = (p.expected(M), p.expected(N));
    let ed = sizes.expected(depth);
    let eo = outer.map(|n| sizes.expected(n));

    // As many rows as stay in the second-level cache, and a few tiles for each thread.
    let products = (outside * em * en) as f64 * ed as f64;
    let traffic =
        (eo[0] * (eo[1] * em + eo[2] * en)) as f64 * ed as f64 + (outside * em * en) as f64;
    let cost = products / 8.0 + traffic;
    let wanted = match options.threads {
        1 => 1,
        threads => ((cost / 250_000.0) as i64).clamp(1, 4 * threads as i64),
    };
    let blocks = match cut {
        Some(cut) => Blocks {
            rows: match sizes.contain(cut.block) {
                true => cut.block,
                false => cut.block.min(ceil(m, rows)),
            },
            lines: 1,
            cols: panels,
        },
        None if rounds > 1 => Blocks {
            rows: ceil(m, rows),
            lines: 1,
            cols: ceil(panels, wanted.min(panels)),
        },
        None => Blocks::new(
            p,
            options,
            rows,
            panels,
            wanted,
            row_bytes(p, &row_source, width),
        ),
    };
    let alone = (blocks.all_rows(p, rows) || rounds > 1) && !p.is_run_time(N);
    p.ranges.vars[J] = (0, panels - 1);
    let of_panels = p.ranges.clone();
    let mut own_panels = false;
    let col_source = match plain {
        Some(source) if along => source,
        Some(source)
            if p.step == Step::One
                && !p.is_run_time(N)
                && lanes_of(&source) == Some(1)
                && n % lanes == 0
                && (source.element == p.acc || (reads <= 4 && p.acc.is_float()))
                && (reads <= 4 || depth * n * width <= 48 << 10) =>
        {
            source
        }
        Some(source)
            if p.step == Step::One
                && !p.is_run_time(N)
                && (source.element == p.acc || p.acc.is_float())
                && lanes_of(&source) == Some(1)
                && reads <= 2 =>
        {
            source
        }
        // A place for one panel in each tile.
        _ if alone && !keeps_cols => {
            let size = panel_size(p, lanes * vectors);
            let elements = amount(&[outer[0], outer[2], ceil(panels, blocks.cols), size]);
            let to = memory.take(&sizes, elements, width, false)?;
            own_panels = true;
            let place = Sum::var(B)
                .scaled(outer[2])
                .plus(&Sum::var(NO))
                .scaled(ceil(panels, blocks.cols))
                .plus(&Sum::var(J).floor_div(blocks.cols, &of_panels));
            Source {
                buffer: to,
                element: p.packed.clone(),
                offset: place.scaled(size).plus(&k_linear.scaled(lanes * vectors)),
            }
        }
        _ => {
            let size = panel_size(p, lanes * vectors);
            let elements = amount(&[outer[0], outer[2], panels, size]);
            let expected = elements.expected(&sizes);
            let to = memory.take(&sizes, elements, width, keeps_cols)?;
            packs.push(Pack {
                form: Form::Panels {
                    width: lanes * vectors,
                },
                to: to.clone(),
                elements: expected,
                tiles: outer[0] * outer[2] * panels,
                rounds: 1,
            });
            let panel = Sum::var(B)
                .scaled(outer[2])
                .plus(&Sum::var(NO))
                .scaled(panels)
                .plus(&Sum::var(J));
            Source {
                buffer: to,
                element: p.packed.clone(),
                offset: panel.scaled(size).plus(&k_linear.scaled(lanes * vectors)),
            }
        }
    };
    let limits = match p.step.ranks() {
        false => None,
        true => {
            let cut = [
                (outer[1], blocks.lines),
                (ceil(m, rows), blocks.rows),
                (panels, blocks.cols),
            ];
            let tiles = cut
                .iter()
                .fold(outer[0] * outer[2], |n, (size, by)| n * ceil(*size, *by));
            let each = blocks.lines * blocks.rows;
            Some((
                memory.take(&sizes, amount(&[tiles, each]), width, false)?,
                each,
            ))
        }
    };
    let here = matches!(col_source.buffer, Buffer::Input(_)) && lanes_of(&col_source) == Some(1);
    let across = match here && fixed && cut.is_none() && !options.is_off("memory-order") {
        true => {
            let pitch = col_source.offset.coefficient(inner);
            super::across::plan(p, options, (lanes, vectors), pitch, wanted)
        }
        false => None,
    };
    if memory.workspace > 1 << 32 || memory.kept > 1 << 32 {
        return Err(Declined::new("packing needs too much memory"));
    }

    Ok(Plan {
        lanes,
        rows,
        vectors,
        row_source,
        col_source,
        packs,
        workspace: memory.workspace,
        last: memory.last,
        kept: memory.kept,
        row_block: blocks.rows,
        line_block: blocks.lines,
        col_block: blocks.cols,
        own_panels,
        along,
        limits,
        across,
        rounds,
        cost,
    })
}

/// The number of a packed line: of a round where there are several.
pub(super) fn packed_line(p: &Problem<'_>, rounds: i64, count: i64) -> Sum {
    let outer = match rounds {
        1 => Sum::var(B).scaled(p.size(MO)).plus(&Sum::var(MO)),
        _ => Sum::var(B),
    };
    outer.scaled(count).plus(&Sum::var(M))
}

/// So many elements.
fn amount(factors: &[i64]) -> Amount {
    Amount {
        factors: factors.to_vec(),
        more: 0,
    }
}

/// Elements of a panel, with what stands behind its columns: for each of these as much as a sum.
pub(crate) fn panel_size(p: &Problem<'_>, columns: i64) -> i64 {
    let starts = match p.step.starts() || p.step.ranks() {
        true => columns * bytes(&p.acc) / bytes(&p.packed),
        false => 0,
    };
    p.packed_depth() * columns + starts
}

/// Is it good enough to read rows where they are? Not if neighbouring rows compete for the same cache lines again and again.
fn steady_rows(p: &Problem<'_>, offset: &Sum, inner: usize, rows: i64, width: i64) -> bool {
    let stride = offset.coefficient(M).unwrap_or(0);
    let along = offset.coefficient(inner).unwrap_or(0);
    let small = p.size(M) * p.depth() * width <= 64 << 10;
    let again = ceil(p.size(N), 64) * p.size(NO);
    if small || rows <= 2 || again <= 2 {
        return true;
    }
    match (along, stride) {
        (1, s) => rows <= 6 || s * width % (ALIAS / 2) != 0,
        (a, 1) => a * width < 1024,
        _ => false,
    }
}
