//! Drawings of maps: an element of a result, and the elements that it is made of.

use super::svg::{COLOURS, LINE, Svg};
use mapwright_indexing::{IndexingMap, Interval};
use mapwright_mlir::{Op, TensorType, Val, labels::label, melior::ir::ValueLike, op};
use mapwright_ops::{Composer, compose::leaves, operations, query};

/// The most cells that a grid has in a row, and rows; more elements share cells.
const CELLS: (i64, i64) = (24, 16);
/// The most room of a grid.
const ROOM: (f64, f64) = (200.0, 140.0);
/// Grids of operands beside each other.
const COLUMNS: usize = 3;
/// The most points of a map that are looked at.
const POINTS: i64 = 1 << 16;
/// The most results that are drawn.
const PANELS: usize = 40;

/// A result with the values that it is made of, and the maps to these.
pub(super) type Panel<'c> = (String, Val<'c>, Vec<(Val<'c>, Vec<IndexingMap>)>);

/// Draws the maps of the operations of functions; `composed`: those of their results with respect
/// to their arguments.
pub fn svg<'c>(functions: &[Op<'c>], composed: bool) -> String {
    let composer = Composer::new();
    let of = |function: &Op<'c>| {
        if composed {
            of_results(*function, &composer)
        } else {
            of_operations(*function, &composer)
        }
    };
    let panels: Vec<Panel<'_>> = functions.iter().flat_map(of).collect();
    let mut drawing = Svg::default();
    let mut y = LINE;
    for panel in panels.iter().take(PANELS) {
        y = draw(&mut drawing, panel, y) + LINE;
    }
    if panels.len() > PANELS {
        let more = format!("and {} more", panels.len() - PANELS);
        drawing.text((16.0, y), &more, "");
    }
    drawing.finish()
}

fn of_operations<'c>(function: Op<'c>, composer: &Composer<'c>) -> Vec<Panel<'c>> {
    let mut panels = Vec::new();
    for operation in operations(function) {
        for (i, result) in operation.results().into_iter().enumerate() {
            let found = composer.output_to_input(operation, i);
            let reads = found
                .iter()
                .map(|f| (operation.operand(f.operand), f.maps.to_vec()));
            let reads: Vec<_> = reads.filter(|(_, maps)| !maps.is_empty()).collect();
            if !reads.is_empty() {
                panels.push((operation.name().to_owned(), result, reads));
            }
        }
    }
    panels
}

/// The results of a function, each with the arguments that it is made of.
pub(super) fn of_results<'c>(function: Op<'c>, composer: &Composer<'c>) -> Vec<Panel<'c>> {
    let Some(body) = function.body(0) else {
        return Vec::new();
    };
    let arguments = op::arguments(body);
    let returned = op::ops(body).last().copied().into_iter();
    let results = returned.flat_map(Op::operands).flat_map(leaves);
    let panel = |(i, result)| {
        let reached = composer.backward(result);
        let reads = arguments.iter().filter_map(|argument| {
            let (_, maps) = reached.iter().find(|(value, _)| value == argument)?;
            (!maps.is_empty()).then(|| (*argument, maps.to_vec()))
        });
        (format!("result {i}"), result, reads.collect())
    };
    results.enumerate().map(panel).collect()
}

/// A tensor as a grid: the last dimension from left to right, all others from top to bottom.
struct Grid {
    shape: Vec<i64>,
    rows: i64,
    columns: i64,
    /// Elements that share a cell, from top to bottom and from left to right.
    share: (i64, i64),
    cell: f64,
    place: (f64, f64),
}

impl Grid {
    fn new(value: Val<'_>, place: (f64, f64)) -> Option<Self> {
        let ty = TensorType::from_mlir(value.r#type())?;
        let shape = query::sizes(&ty);
        let (width, rest) = shape
            .split_last()
            .map_or((1, &[][..]), |(last, rest)| (*last, rest));
        let height = rest.iter().try_fold(1i64, |n, size| n.checked_mul(*size))?;
        let count = width.checked_mul(height);
        if shape.contains(&query::UNBOUNDED) || count.is_none_or(|count| count == 0) {
            return None;
        }
        let share = |size: i64, cells: i64| (size + cells - 1) / cells;
        let share = (share(height, CELLS.1), share(width, CELLS.0));
        let (rows, columns) = ((height - 1) / share.0 + 1, (width - 1) / share.1 + 1);
        let cell = (ROOM.0 / columns as f64)
            .min(ROOM.1 / rows as f64)
            .min(16.0);
        Some(Self {
            shape,
            rows,
            columns,
            share,
            cell: cell.floor(),
            place,
        })
    }

    /// The row and the column of the cell of an element.
    fn cell(&self, element: &[i64]) -> (i64, i64) {
        let mut row = 0;
        let (last, rest) = element
            .split_last()
            .map_or((0, &[][..]), |(last, rest)| (*last, rest));
        for (place, size) in rest.iter().zip(&self.shape) {
            row = row * size + place;
        }
        (row / self.share.0, last / self.share.1)
    }

    fn corner(&self, (row, column): (i64, i64)) -> (f64, f64) {
        let x = self.place.0 + self.cell * column as f64;
        (x, self.place.1 + self.cell * row as f64)
    }

    fn mark(&self, drawing: &mut Svg, cell: (i64, i64), colour: &str) {
        let side = self.cell - 1.0;
        drawing.rect(self.corner(cell), (side, side), colour);
    }

    fn draw(&self, drawing: &mut Svg) {
        drawing.cells(self.place, (self.rows, self.columns), self.cell);
    }

    fn bottom(&self) -> f64 {
        self.place.1 + self.cell * self.rows as f64
    }
}

/// The cells of an operand that an element of the result is made of.
fn reads(map: &IndexingMap, element: &[i64], grid: &Grid) -> Vec<(i64, i64)> {
    let runtime: Vec<i64> = map
        .runtime()
        .iter()
        .map(|v| v.interval.lower.max(0))
        .collect();
    let mut points = vec![Vec::new()];
    for range in map.ranges() {
        let Interval { lower, upper } = range.interval;
        let room = POINTS / i64::try_from(points.len()).unwrap_or(POINTS).max(1);
        let step = upper.saturating_sub(lower) / room.max(1) + 1;
        let some = || (lower..=upper).step_by(usize::try_from(step).unwrap_or(1));
        let with = |point: Vec<i64>| some().map(move |value| [&point[..], &[value]].concat());
        points = points.into_iter().flat_map(with).collect();
    }
    let of = |ranges: Vec<i64>| map.eval(element, &ranges, &runtime).ok().flatten();
    let mut cells: Vec<_> = (points.into_iter().filter_map(of))
        .filter(|read| read.len() == grid.shape.len())
        .map(|read| grid.cell(&read))
        .collect();
    cells.sort_unstable();
    cells.dedup();
    cells
}

/// Draws one result and what it is made of below `top`, a grid for each map; gives where the
/// drawing ends.
fn draw(drawing: &mut Svg, (title, result, operands): &Panel<'_>, top: f64) -> f64 {
    let heading = |value: Val<'_>| format!("{} : {}", label(value), value.r#type());
    drawing.text((16.0, top), title, "font-weight=\"bold\"");
    let mut y = top + 2.0 * LINE;
    drawing.text((16.0, y - 6.0), &heading(*result), "");
    let maps = operands
        .iter()
        .flat_map(|(value, maps)| maps.iter().map(|map| (*value, map)));
    let maps: Vec<(Val<'_>, &IndexingMap)> = maps.collect();
    let own = Grid::new(*result, (16.0, y)).map(|grid| {
        let element = element(&grid, &maps);
        (grid, element)
    });
    let mut end = y;
    if let Some((grid, element)) = &own {
        grid.draw(drawing);
        grid.mark(drawing, grid.cell(element), "#212529");
        end = grid.bottom();
    }
    for (number, (value, map)) in maps.iter().enumerate() {
        let column = number % COLUMNS;
        if number > 0 && column == 0 {
            y = end + 2.0 * LINE;
        }
        let place = (16.0 + (ROOM.0 + 60.0) * (column + 1) as f64, y);
        let colour = COLOURS[number % COLOURS.len()];
        drawing.text((place.0, y - 6.0), &heading(*value), "");
        let Some(grid) = Grid::new(*value, place) else {
            continue;
        };
        grid.draw(drawing);
        end = end.max(grid.bottom());
        let Some((own, element)) = &own else {
            continue;
        };
        let cells = reads(map, element, &grid);
        for cell in &cells {
            grid.mark(drawing, *cell, colour);
        }
        if let Some(cell) = cells.first() {
            let (half, to) = (own.cell / 2.0, grid.corner(*cell));
            let from = own.corner(own.cell(element));
            let (from, to) = (
                (from.0 + half, from.1 + half),
                (to.0, to.1 + grid.cell / 2.0),
            );
            let bends = [(from.0 + 60.0, from.1), (to.0 - 60.0, to.1 - 40.0)];
            drawing.arrow([from, bends[0], bends[1], to], colour);
        }
    }
    y = end + LINE;
    for (number, (value, map)) in maps.iter().enumerate() {
        let fill = format!("fill=\"{}\"", COLOURS[number % COLOURS.len()]);
        drawing.text((16.0, y), &format!("{}: {map}", label(*value)), &fill);
        y += LINE;
    }
    y
}

/// An element that is made of something by every map, away from the borders if there is one.
fn element(grid: &Grid, maps: &[(Val<'_>, &IndexingMap)]) -> Vec<i64> {
    let candidates = [(1, 3), (1, 2), (0, 1)].map(|(a, b)| {
        let place = |size: &i64| size * a / b;
        grid.shape.iter().map(place).collect::<Vec<i64>>()
    });
    let is_read = |element: &&Vec<i64>| {
        maps.iter().all(|(value, map)| {
            let grid = Grid::new(*value, (0.0, 0.0));
            grid.is_none_or(|grid| !reads(map, element, &grid).is_empty())
        })
    };
    let found = candidates.iter().find(is_read);
    found.unwrap_or(&candidates[0]).clone()
}
