//! The plan of a product as a [`Schedule`], and what a schedule states of one: the register tile,
//! the tiles of the launch, what is packed.
//!
//! Loops are called `m` (rows), `mo` (outer rows), `n` (columns).

use super::blocks::Blocks;
use super::choices;
use super::plan::{Buffer, Form, Plan};
use super::problem::{M, MO, N, Problem};
use mapwright_indexing::Extent;
use mapwright_schedule::{Illegal, Schedule, Step};

/// Rows of a register tile, at most.
const MOST_ROWS: i64 = 16;
/// Vectors of columns of a register tile, at most.
const MOST_VECTORS: i64 = 8;

/// Steps that a schedule states for a product.
pub(crate) struct Stated<'s> {
    pub schedule: &'s Schedule,
    /// A convolution of each feature by itself.
    pub depthwise: Option<&'s Step>,
    pub gemv_row: Option<&'s Step>,
    pub gemv_column: Option<&'s Step>,
    pub pack_rows: Option<&'s Step>,
    pub pack_columns: Option<&'s Step>,
    /// Columns are packed for more than so many rows.
    pub pack_above: Option<&'s Step>,
    /// Each tile of the launch packs its own panels of columns.
    pub pack_in_tile: Option<&'s Step>,
    /// Rows are packed in so many rounds.
    pub pack_rounds: Option<&'s Step>,
}

impl<'s> Stated<'s> {
    /// Reads `schedule`.
    ///
    /// # Errors
    /// Steps that are none of products.
    pub fn from_schedule(schedule: &'s Schedule) -> Result<Self, Illegal> {
        let mut stated = Self {
            schedule,
            depthwise: schedule.one("depthwise")?,
            gemv_row: schedule.one("gemv_row")?,
            gemv_column: schedule.one("gemv_column")?,
            pack_rows: None,
            pack_columns: None,
            pack_above: None,
            pack_in_tile: None,
            pack_rounds: None,
        };
        for step in &schedule.steps {
            let name = step.primitive.name;
            let place = match (name, step.operand.as_deref()) {
                ("pack" | "pack_once", Some("m")) => &mut stated.pack_rows,
                ("pack" | "pack_once", Some("n")) => &mut stated.pack_columns,
                ("pack_above", Some("n")) => &mut stated.pack_above,
                ("pack_in_tile", Some("n")) => &mut stated.pack_in_tile,
                ("pack_rounds", Some("m")) => &mut stated.pack_rounds,
                ("pack" | "pack_once" | "pack_above" | "pack_in_tile" | "pack_rounds", _) => {
                    let why =
                        "is for the factor with the rows (m, not in tiles) or the columns (n)";
                    return Err(Illegal::at_step(step, why));
                }
                _ => continue,
            };
            if place.replace(step).is_some() {
                return Err(Illegal::at_step(step, "is the second of its kind"));
            }
        }
        for (step, most) in [
            (stated.depthwise, MOST_ROWS),
            (stated.gemv_row, MOST_VECTORS),
        ] {
            if let Some(step) = step.filter(|step| !(1..=most).contains(&step.numbers[0])) {
                return Err(Illegal::at_step(step, format!("wants 1 to {most}")));
            }
        }
        if let (Some(step), Some(_)) = (stated.pack_in_tile, stated.pack_columns) {
            return Err(Illegal::at_step(step, "and 'pack(n)' exclude each other"));
        }
        Ok(stated)
    }

    /// Rows and vectors of the register tile; `registers`: of vectors, that the machine has.
    ///
    /// # Errors
    /// One that is not there, or does not fit in the registers.
    pub fn register_tile(&self, registers: i64) -> Result<(i64, i64), Illegal> {
        let Some(step) = self.schedule.one("register_tile")? else {
            let why = "a schedule of the emitter 'contraction' has a step 'register_tile'";
            return Err(Illegal(why.into()));
        };
        let (rows, vectors) = (step.numbers[0], step.numbers[1]);
        let fits = (1..=MOST_ROWS).contains(&rows)
            && (1..=MOST_VECTORS).contains(&vectors)
            && rows * vectors + vectors < registers;
        if fits {
            Ok((rows, vectors))
        } else {
            Err(Illegal::at_step(
                step,
                format!(
                    "does not fit: up to {MOST_ROWS} rows and {MOST_VECTORS} vectors, and with a row of columns and one of rows {registers} registers"
                ),
            ))
        }
    }

    /// Whether a factor that is packed by this step is packed once for all calls.
    ///
    /// # Errors
    /// A factor that is no constant.
    pub fn packs_once(step: Option<&Step>, is_constant: bool) -> Result<bool, Illegal> {
        let once = step.filter(|step| step.primitive.name == "pack_once");
        match once {
            Some(step) if !is_constant => Err(Illegal::at_step(step, "is for constants")),
            once => Ok(once.is_some()),
        }
    }

    /// The tiles of the launch; `chosen`: those of run-time sizes, which no step is about.
    ///
    /// # Errors
    /// Tiles that are no whole register tiles, or of other loops.
    pub fn blocks(
        &self,
        p: &Problem<'_>,
        (rows, width): (i64, i64),
        chosen: Blocks,
    ) -> Result<Blocks, Illegal> {
        let of_tiles = |var, by: i64| p.size(var).ceil_div(by.into());
        let extents = [of_tiles(M, rows), of_tiles(N, width), p.size(MO)];
        let mut blocks = if p.sizes.is_empty() {
            Blocks {
                rows: extents[0],
                cols: extents[1],
                lines: extents[2],
            }
        } else {
            chosen
        };
        let mut seen = Vec::new();
        for step in self.schedule.all("tile") {
            let size = step.numbers[0];
            let (place, unit) = match step.operand.as_deref() {
                Some("m") => (&mut blocks.rows, rows),
                Some("mo") => (&mut blocks.lines, 1),
                Some("n") => (&mut blocks.cols, width),
                _ => return Err(Illegal::at_step(step, "is for the loops m, mo and n")),
            };
            if seen.contains(&&step.operand) {
                return Err(Illegal::at_step(step, "is the second of its loop"));
            }
            seen.push(&step.operand);
            if !p.sizes.is_empty() {
                return Err(Illegal::at_step(step, "is for products of static sizes"));
            }
            if size < unit || size % unit != 0 || size > 1 << 40 {
                let why = format!("wants a multiple of {unit} indices, which a register tile has");
                return Err(Illegal::at_step(step, why));
            }
            *place = (size / unit).into();
        }
        if p.sizes.is_empty() {
            let most = extents.map(|extent| extent.greatest(Extent::ONE));
            blocks.rows = blocks.rows.least(most[0]);
            blocks.cols = blocks.cols.least(most[1]);
            blocks.lines = blocks.lines.least(most[2]);
        }
        let of_lines = |step: &&Step| step.operand.as_deref() == Some("mo");
        let whole = blocks.lines == 1 || blocks.rows >= extents[0];
        match self.schedule.all("tile").find(of_lines) {
            Some(step) if !whole => Err(Illegal::at_step(
                step,
                "of several indices is for tiles that have all rows of each",
            )),
            None if !whole && p.sizes.is_empty() => {
                blocks.lines = Extent::ONE;
                Ok(blocks)
            }
            _ => Ok(blocks),
        }
    }
}

/// The schedule of a plan.
pub(crate) fn print_schedule(p: &Problem<'_>, plan: &Plan, depthwise: bool) -> Schedule {
    let mut schedule = Schedule::bare("contraction");
    let steps = &mut schedule.steps;
    if depthwise {
        steps.push(Step::plain("depthwise", &[plan.rows]));
        steps.extend(choices::print_steps(p, plan));
        return schedule;
    }
    if p.sizes.is_empty() {
        let [rows, cols] = [plan.row_block * plan.rows, plan.col_block * plan.width()];
        for (name, extent) in [("mo", plan.line_block), ("m", rows), ("n", cols)] {
            steps.extend(
                extent
                    .as_constant()
                    .map(|n| Step::with_operand("tile", name, &[n])),
            );
        }
    }
    steps.push(Step::plain("register_tile", &[plan.rows, plan.vectors]));
    for pack in &plan.packs {
        let factor = match pack.form {
            Form::Rows { .. } | Form::Image => "m",
            Form::Panels { .. } => "n",
        };
        let kept = matches!(pack.to, Buffer::Prepacked { .. });
        let step = if kept { "pack_once" } else { "pack" };
        steps.push(Step::with_operand(step, factor, &[]));
    }
    if plan.few.is_some() {
        steps.push(Step::with_operand("pack_above", "n", &[plan.few_rows]));
    }
    if plan.own_panels {
        steps.push(Step::with_operand("pack_in_tile", "n", &[]));
    }
    if plan.rounds > 1 {
        steps.push(Step::with_operand("pack_rounds", "m", &[plan.rounds]));
    }
    if let Some(sums) = plan.along {
        steps.push(Step::plain("gemv_row", &[sums]));
    }
    if let Some(across) = plan.across {
        let numbers = [across.columns, across.rows];
        steps.push(Step::plain("gemv_column", &numbers));
    }
    steps.extend(choices::print_steps(p, plan));
    schedule
}
