//! The choice of how a product is blocked, or what a schedule states of it: the register tile, what
//! is packed and how, the tiles of the launch.
//!
//! - *Rows* are read one element at a time and spread over a vector: they are read in place where
//!   they lie in constant strides, else copied to rows with the contracted elements side by side.
//! - *Columns* are read as vectors: in place where they lie side by side and are read only a few
//!   times, else from panels as wide as the register tile, so that a panel is one stream.
//! - An image with padding is copied once with its padding, so that windows are plain strides.

use super::ahead::panels_of_group;
use super::blocks::{Blocks, row_bytes};
use super::choices;
use super::competing::{ALIAS, compete, steady_rows};
use super::memory::Memory;
use super::plan::{
    Across, Buffer, Choices, Form, Pack, Plan, Source, bytes, packed_line, panel_size,
};
use super::problem::{B, EmitResult, J, K, M, MO, N, NO, Problem, Side};
use super::register_tile::{machine, register_tile};
use super::rounds;
use super::schedule::Stated;
use super::step::Step;
use crate::index::ceil;
use crate::{Declined, Options};
use mapwright_indexing::Extent;
use mapwright_indexing::linear::{Sum, linearize};
use mapwright_schedule::Illegal;

/// Elements of room behind an image of run-time size: those of the longest vector.
const SPARE: i64 = 64;

/// Vectors of sums of a single row, so that one does not wait for the other.
const SUMS: i64 = 4;

/// Contracted elements that the sums of a single row take at a time, at most.
const MOST_AT_A_TIME: i64 = 16;

/// Returns the operand as a source where it lies, if vectors or spread elements can be read from
/// there.
fn in_place(side: &Side<'_>, strides: &[usize]) -> Option<Source> {
    let (input, offset) = side.plain.as_ref()?;
    if !side.inside.is_empty() {
        return None;
    }
    let steady = strides.iter().all(|v| offset.coefficient(*v).is_some());
    steady.then(|| Source {
        buffer: Buffer::Input(*input),
        element: side.element.clone(),
        offset: offset.clone(),
    })
}

/// Tells whether rows can be spread from where they are, whole steps at a time.
fn whole_steps(p: &Problem<'_>, source: &Source, inner: usize) -> bool {
    match p.step {
        Step::One => {
            // Rows of any number and floats are widened where they are read; integers are packed.
            let few = p.acc.is_float() && (p.size(M) <= 2 || p.is_run_time(M));
            source.element == p.acc || few || p.depth().is_run_time()
        }
        step => {
            source.element == p.packed
                && !step.starts()
                && p.size(inner).is_multiple_of(step.elements())
                && source.offset.coefficient(inner) == Some(Extent::ONE)
        }
    }
}

/// A cut that is given: each tile of the launch has all columns of a few neighbouring rows. The
/// number of register tiles may be known at run time only.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    /// Rows of the register tile.
    pub rows: i64,
    /// Register tiles of rows in a tile.
    pub block: Extent,
}

/// The plan of the fewest estimated cycles, or the one that is stated. Many rows that are packed
/// are packed in rounds: that takes the memory of one of them.
///
/// # Errors
/// Products that cannot be computed in this way, and steps of `stated` that the product does not
/// allow.
pub(crate) fn plan(
    p: &mut Problem<'_>,
    options: &Options,
    cut: Option<Cut>,
    stated: Option<&Stated<'_>>,
) -> EmitResult<Plan> {
    if let Some(stated) = stated {
        let Some(step) = stated.pack_rounds else {
            return in_rounds(p, options, (cut, 1), Some(stated));
        };
        let rounds = step.numbers[0];
        if !rounds::allows(p, rounds) {
            let why = "is for the rows of one product of static sizes, whose number it divides";
            return Err(Illegal::at_step(step, why).into());
        }
        p.cut_rows(rounds);
        let plan = in_rounds(p, options, (cut, rounds), Some(stated))?;
        return if rounds::packed(p, &plan).is_some() && plan.packs_by_round() {
            Ok(plan)
        } else {
            let why = "wants rows that are packed, and tiles that have all of a round and pack their columns";
            Err(Illegal::at_step(step, why).into())
        };
    }
    let whole = in_rounds(p, options, (cut, 1), None)?;
    let rounds = match cut {
        None => rounds::count(p, &whole),
        Some(_) => 1,
    };
    if rounds == 1 {
        return Ok(whole);
    }
    p.cut_rows(rounds);
    in_rounds(p, options, (cut, rounds), None)
}

/// The plan for so many rounds, each of one outer row.
fn in_rounds(
    p: &mut Problem<'_>,
    options: &Options,
    (cut, rounds): (Option<Cut>, i64),
    stated: Option<&Stated<'_>>,
) -> EmitResult<Plan> {
    let (m, n) = (p.length(M), p.length(N));
    let fixed = p.sizes.is_empty();
    if m * p.length(MO) >= 4 && (fixed || !p.acc.is_float() && !p.depth().is_run_time()) {
        p.choose_step(options);
    }
    let (lanes, registers) = machine(p, options);
    let width = bytes(&p.packed);
    let depth = p.packed_depth();
    let outer = [B, MO, NO].map(|v| p.size(v));
    let outside: i64 = outer.iter().map(|n| n.expected()).product();
    let (rows, vectors) = match stated {
        Some(stated) => stated.register_tile(registers)?,
        None => register_tile(p, lanes, registers, cut.map(|cut| cut.rows)).1,
    };
    let panels = p.size(N).ceil_div((lanes * vectors).into());
    let row_tiles = p.size(M).ceil_div(rows.into());
    let mut strides = p.k.clone();
    let k_linear = p.k_linear();
    let mut packs = Vec::new();
    let mut memory = Memory::default();
    let keeps = cut.is_none() && !options.is_off("packed-constants");
    let [constant_rows, constant_cols] =
        [&p.rows, &p.cols].map(|side| side.is_constant(&p.constants));
    let [keeps_rows, keeps_cols] = match stated {
        None => [keeps && constant_rows, keeps && constant_cols],
        Some(stated) => [
            Stated::packs_once(stated.pack_rows, constant_rows)?,
            Stated::packs_once(stated.pack_columns, constant_cols)?,
        ],
    };

    // Rows.
    strides.push(M);
    let plain = in_place(&p.rows, &strides);
    let inner = p.k.last().copied().unwrap_or(K);
    let row_source = match (plain, &p.image) {
        (Some(source), _)
            if rounds == 1
                && whole_steps(p, &source, inner)
                && match stated {
                    Some(stated) => stated.pack_rows.is_none(),
                    None => p.is_run_time(M) || steady_rows(p, &source.offset, inner, rows, width),
                } =>
        {
            source
        }
        _ if stated.is_some_and(|stated| stated.pack_rows.is_none()) => {
            return Err(Declined::new(
                "rows that are not read where they are want a step 'pack(m)'",
            ));
        }
        (_, Some(image)) => {
            let offset = linearize(&image.index, &image.sizes);
            if strides.iter().any(|v| offset.coefficient(*v).is_none()) {
                return Err(Declined::new(
                    "windows that are not strides of the padded operand",
                ));
            }
            // A vector is read from the last element on.
            let more = if fixed { lanes } else { SPARE };
            let elements = image.sizes.iter().product::<Extent>() + more;
            let expected = elements.expected() as f64;
            let to = memory.take(elements, width, false)?;
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
            let Some(depth) = depth.as_constant() else {
                return Err(Declined::new(
                    "contracted elements of run-time sizes that are not read where they are",
                ));
            };
            let mut stride = ceil(depth, lanes) * lanes + lanes;
            if stride * width % ALIAS == 0 {
                stride += lanes;
            }
            let count = p.size(M).ceil_div(lanes.into()) * lanes;
            let lines = outer[1].floor_div(rounds.into());
            let elements = count * outer[0] * lines * stride;
            let expected = elements.expected() as f64;
            let to = memory.take(elements, width, keeps_rows)?;
            packs.push(Pack {
                form: Form::Rows { stride, count },
                to: to.clone(),
                elements: expected * rounds as f64,
                tiles: outer[0] * outer[1] * count.floor_div(lanes.into()),
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
    let plain = in_place(&p.cols, &strides);
    let lanes_of = |s: &Source| s.offset.coefficient(N);
    let sums = match stated {
        Some(stated) => stated.gemv_row.map(|step| step.numbers[0]),
        None => (!options.is_off("gemv-row")).then_some(SUMS),
    };
    let is_row = m == 1
        && p.k.len() == 1
        && plain.as_ref().is_some_and(|s| {
            lanes_of(s) != Some(Extent::ONE) && s.offset.coefficient(inner) == Some(Extent::ONE)
        })
        && row_source.offset.coefficient(inner) == Some(Extent::ONE)
        && p.step == Step::One
        && p.acc.is_float();
    let along = sums.filter(|_| is_row);
    if let Some(step) = stated
        .and_then(|stated| stated.gemv_row)
        .filter(|_| !is_row)
    {
        let why = "is for a single row of floats and columns that are contiguous along the contracted loop";
        return Err(Illegal::at_step(step, why).into());
    }
    // How often a column is read, at the most.
    let reads = p.length(MO) * ceil(m, rows);
    let (em, en) = (p.expected(M), p.expected(N));
    let ed = depth.expected();
    let eo = outer.map(Extent::expected);

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
            rows: if cut.block.is_run_time() {
                cut.block
            } else {
                cut.block.least(row_tiles)
            },
            lines: Extent::ONE,
            cols: panels,
        },
        None if rounds > 1 => Blocks {
            rows: row_tiles,
            lines: Extent::ONE,
            cols: panels.ceil_div(panels.least(wanted.into())),
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
    let blocks = match stated {
        Some(stated) => stated.blocks(p, (rows, lanes * vectors), blocks)?,
        None => blocks,
    };
    let all_rows = match rounds {
        1 => blocks.all_rows(p, rows),
        _ => blocks.lines == 1 && blocks.rows.is_at_least(row_tiles),
    };
    let alone = all_rows && !p.is_run_time(N);
    p.ranges.vars[J] = (Extent::ZERO, panels - 1);
    let of_panels = p.ranges.clone();
    let mut own_panels = false;
    let are_vectors = |source: &Source| {
        p.step == Step::One
            && lanes_of(source) == Some(Extent::ONE)
            && (source.element == p.acc || p.acc.is_float())
    };
    let few_rows = p.is_run_time(M) && outer[1] == 1 && cut.is_none() && !keeps_cols;
    let of_few = plain.clone().filter(|s| few_rows && are_vectors(s));
    // So often columns are read where they are, however many there are: once where their rows
    // compete for cache lines, more often where no vector of them is a part of one.
    let most_reads = match p.size(N).is_multiple_of(lanes) {
        _ if plain.as_ref().is_some_and(|source| compete(p, source)) => 1,
        true => 4,
        false => 2,
    };
    let reads_columns_in_place = |source: &Source| {
        let small = source.element == p.acc && depth * n * width <= 48 << 10;
        let pays = reads <= most_reads || most_reads > 2 && small;
        let wanted = match stated {
            Some(stated) => stated.pack_columns.or(stated.pack_in_tile).is_none(),
            None => pays,
        };
        are_vectors(source) && wanted
    };
    let packs_in_tile =
        alone && !keeps_cols && stated.is_none_or(|stated| stated.pack_in_tile.is_some());
    if let Some(step) = stated
        .and_then(|stated| stated.pack_in_tile)
        .filter(|_| !packs_in_tile)
    {
        let why = "is for tiles that have all rows, and columns that are no constants";
        return Err(Illegal::at_step(step, why).into());
    }
    let col_source = match plain {
        Some(source) if along.is_some() => source,
        Some(source) if reads_columns_in_place(&source) => source,
        _ if stated.is_some_and(|s| s.pack_columns.or(s.pack_in_tile).is_none()) => {
            return Err(Declined::new(
                "columns that are not read where they are want a step 'pack(n)' or 'pack_in_tile(n)'",
            ));
        }
        // A place for one panel in each tile.
        _ if packs_in_tile => {
            let size = panel_size(p, lanes * vectors);
            let parts = panels.ceil_div(blocks.cols);
            let to = memory.take(outer[0] * outer[2] * parts * size, width, false)?;
            own_panels = true;
            let place = Sum::var(B)
                .scaled(outer[2])
                .plus(&Sum::var(NO))
                .scaled(parts)
                .plus(&Sum::var(J).floor_div(blocks.cols, &of_panels));
            Source {
                buffer: to,
                element: p.packed.clone(),
                offset: place.scaled(size).plus(&k_linear.scaled(lanes * vectors)),
            }
        }
        _ => {
            let size = panel_size(p, lanes * vectors);
            let elements = outer[0] * outer[2] * panels * size;
            let expected = elements.expected() as f64;
            let to = memory.take(elements, width, keeps_cols)?;
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
    let limits = if p.step.ranks() {
        let cut = [
            (outer[1], blocks.lines),
            (row_tiles, blocks.rows),
            (panels, blocks.cols),
        ];
        let tiles = cut
            .iter()
            .fold(outer[0] * outer[2], |n, (size, by)| n * size.ceil_div(*by));
        let each = blocks.lines * blocks.rows;
        Some((memory.take(tiles * each, width, false)?, each))
    } else {
        None
    };
    let here =
        matches!(col_source.buffer, Buffer::Input(_)) && lanes_of(&col_source) == Some(Extent::ONE);
    let across_columns = here && fixed && cut.is_none();
    let across = match stated.map(|stated| stated.gemv_column) {
        Some(None) => None,
        Some(Some(step)) => {
            let (columns, rows) = (step.numbers[0], step.numbers[1]);
            let legal = across_columns && p.size(M) * p.size(MO) == 1 && p.k.len() == 1;
            let room = options.l1_bytes as i64 / bytes(&p.acc);
            let counts = columns > 0 && columns % lanes == 0 && columns <= room;
            if !legal || !counts || !(1..=MOST_AT_A_TIME).contains(&rows) {
                let why = format!(
                    "is for a single row and whole vectors of columns side by side in memory, whose sums the first-level cache holds, and up to {MOST_AT_A_TIME} rows at a time"
                );
                return Err(Illegal::at_step(step, why).into());
            }
            Some(Across { columns, rows })
        }
        None if across_columns && !options.is_off("memory-order") => {
            let pitch = col_source.offset.coefficient(inner).map(Extent::when_large);
            super::gemv_column::plan(p, options, (lanes, vectors), pitch, wanted)
        }
        None => None,
    };
    if memory.workspace > 1 << 32 || memory.prepacked > 1 << 32 {
        return Err(Declined::new("packing needs too much memory"));
    }

    let mut plan = Plan {
        lanes,
        rows,
        vectors,
        row_source,
        col_source,
        packs,
        workspace: memory.workspace,
        last: memory.last,
        prepacked: memory.prepacked,
        row_block: blocks.rows,
        line_block: blocks.lines,
        col_block: blocks.cols,
        masked: options.vector_bits >= 512 && p.is_run_time(N) && !own_panels,
        own_panels,
        along,
        limits,
        across,
        rounds,
        few: None,
        few_rows: most_reads * rows,
        choices: Choices::default(),
        cost,
    };
    plan.choices = match stated {
        None => choices::choose(p, &plan, options),
        Some(stated) => choices::read(stated.schedule, p, &plan)?,
    };
    let of_few = of_few.filter(|_| plan.packs_panels());
    let of_few = match stated.map(|stated| stated.pack_above) {
        None => of_few,
        Some(None) => None,
        Some(Some(step)) if of_few.is_none() => {
            let why = "is for rows whose number is known at run time only, and columns that could be read where they are";
            return Err(Illegal::at_step(step, why).into());
        }
        Some(Some(step)) => {
            plan.few_rows = step.numbers[0];
            of_few
        }
    };
    let mut plan = plan.with_few(p, of_few);
    if let Some(few) = &mut plan.few {
        few.choices.columns_ahead = panels_of_group(p, few, options);
    }
    Ok(plan)
}
