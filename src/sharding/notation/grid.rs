//! Upstream's `shard` dialect: `shard.grid @g(shape = 2x4)` and
//! `shard.sharding @g split_axes = [[0], [1]] halo_sizes = [1, 2] : !shard.sharding`.
//!
//! `split_axes` lists for each dimension the axes of the grid, major first; dimensions that are not
//! listed are not split. Halos (two numbers for each split dimension: before, after) and offsets of
//! uneven shards are more than a layout has: they convert to indexing maps
//! ([`GridSharding::maps`]), and to a layout only where they change nothing.

use super::cursor::{Cursor, symbol};
use super::{NotationError, onto};
use crate::digits::number_of_digits;
use crate::error::LayoutError;
use crate::layout::{DeviceMatrix, Layout, Split};
use mapwright_indexing::counted;
use mapwright_indexing::{IndexingMap, Interval, Variable, c, d};
use std::fmt;

/// `shard.grid`: the sizes of the axes, the last axis fastest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid {
    /// The symbol, without `@`.
    pub name: String,
    /// The sizes; `None` is `?`.
    pub shape: Vec<Option<i64>>,
}

/// `shard.sharding`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GridSharding {
    /// The symbol of the grid, without `@`.
    pub grid: String,
    /// For each dimension the axes of the grid, major first.
    pub split_axes: Vec<Vec<i64>>,
    /// For each split dimension the halo before and after the shard.
    pub halo_sizes: Vec<i64>,
    /// For each split dimension where its shards begin, and where the last ends.
    pub sharded_dims_offsets: Vec<i64>,
}

/// The most maps that [`GridSharding::maps`] makes.
const MOST_MAPS: i64 = 1 << 16;

impl std::str::FromStr for Grid {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Grid, NotationError> {
        let mut c = Cursor::new(text);
        c.require("shard.grid")?;
        let name = c.symbol()?;
        for token in ["(", "shape", "="] {
            c.require(token)?;
        }
        // `2x?x4` is one word, but for the question marks.
        let mut shape = Vec::new();
        if !c.sees(")") {
            loop {
                shape.push(if c.accept("?") {
                    None
                } else {
                    Some(c.integer()?)
                });
                if !c.sees("x") {
                    break;
                }
                c.require_prefix("x")?;
            }
        }
        c.require(")")?;
        c.end()?;
        Ok(Grid { name, shape })
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes: Vec<String> = self
            .shape
            .iter()
            .map(|s| s.map_or("?".to_owned(), |n| n.to_string()))
            .collect();
        write!(
            f,
            "shard.grid {}(shape = {})",
            symbol(&self.name),
            sizes.join("x")
        )
    }
}

impl std::str::FromStr for GridSharding {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<GridSharding, NotationError> {
        let mut c = Cursor::new(text);
        if c.accept("%") {
            c.word("the name of a value")?;
            c.require("=")?;
        }
        c.require("shard.sharding")?;
        let grid = c.symbol()?;
        c.require("split_axes")?;
        c.require("=")?;
        let split_axes = c.list("[", "]", Cursor::integers)?;
        let mut sharding = GridSharding {
            grid,
            split_axes,
            halo_sizes: Vec::new(),
            sharded_dims_offsets: Vec::new(),
        };
        if c.accept("halo_sizes") {
            c.require("=")?;
            sharding.halo_sizes = static_list(&mut c)?;
        }
        if c.accept("sharded_dims_offsets") {
            c.require("=")?;
            sharding.sharded_dims_offsets = static_list(&mut c)?;
        }
        if c.accept(":") {
            c.require("!shard.sharding")?;
        }
        c.end()?;
        Ok(sharding)
    }
}

fn static_list(c: &mut Cursor) -> Result<Vec<i64>, NotationError> {
    c.list("[", "]", |c| {
        if c.sees("%") || c.sees("?") {
            return Err(
                c.expected("a number that is known (values that are computed have no layout)")
            );
        }
        c.integer()
    })
}

impl fmt::Display for GridSharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes: Vec<String> = self.split_axes.iter().map(|a| format!("{a:?}")).collect();
        write!(
            f,
            "shard.sharding {} split_axes = [{}]",
            symbol(&self.grid),
            axes.join(", ")
        )?;
        for (word, list) in [
            ("halo_sizes", &self.halo_sizes),
            ("sharded_dims_offsets", &self.sharded_dims_offsets),
        ] {
            if !list.is_empty() {
                write!(f, " {word} = {list:?}")?;
            }
        }
        f.write_str(" : !shard.sharding")
    }
}

impl GridSharding {
    /// The split alone, without halos and offsets, as a layout of a tensor with `rank` dimensions.
    /// The axes are named `0`, `1`, ….
    fn split(&self, grid: &Grid, rank: usize) -> Result<Layout, LayoutError> {
        let refused = |reason: String| LayoutError::Notation(NotationError::refused(self, &reason));
        if grid.name != self.grid {
            return Err(refused(format!(
                "its grid is @{}, the grid given is @{}",
                self.grid, grid.name
            )));
        }
        if self.split_axes.len() > rank && self.split_axes[rank..].iter().any(|a| !a.is_empty()) {
            return Err(refused(format!(
                "it splits {}, the tensor has {rank}",
                counted(self.split_axes.len(), "dimension")
            )));
        }
        let sizes: Option<Vec<i64>> = grid.shape.iter().copied().collect();
        let Some(sizes) = sizes else {
            return Err(refused(format!(
                "the size of an axis of `{grid}` is not known"
            )));
        };
        let names: Vec<String> = (0..sizes.len()).map(|i| i.to_string()).collect();
        let mut map = vec![Split::new(); rank];
        for (dim, axes) in self.split_axes.iter().enumerate().take(rank) {
            map[dim] = axes.iter().map(ToString::to_string).collect();
        }
        DeviceMatrix::new(&sizes, &names)?.layout(&map)
    }

    /// The dimensions that are split, in order.
    fn split_dims(&self) -> Vec<usize> {
        (0..self.split_axes.len())
            .filter(|i| !self.split_axes[*i].is_empty())
            .collect()
    }

    /// For each dimension where its parts begin and where the last ends.
    fn offsets(
        &self,
        layout: &Layout,
        shape: &[i64],
    ) -> Result<Vec<Option<Vec<i64>>>, LayoutError> {
        let refused = |reason: String| LayoutError::Notation(NotationError::refused(self, &reason));
        let mut out = vec![None; shape.len()];
        if self.sharded_dims_offsets.is_empty() {
            return Ok(out);
        }
        let parts = layout.parts();
        let mut rest = self.sharded_dims_offsets.as_slice();
        for dim in self.split_dims().into_iter().filter(|d| *d < shape.len()) {
            let want = parts[dim] as usize + 1;
            if rest.len() < want {
                return Err(refused(format!(
                    "dimension {dim} has {} parts and needs {want} offsets, {} are left",
                    parts[dim],
                    rest.len()
                )));
            }
            let (own, after) = rest.split_at(want);
            rest = after;
            if own[0] != 0 || own[want - 1] != shape[dim] || own.windows(2).any(|w| w[0] > w[1]) {
                return Err(refused(format!(
                    "the offsets {own:?} of dimension {dim} do not ascend from 0 to its size {}",
                    shape[dim]
                )));
            }
            out[dim] = Some(own.to_vec());
        }
        if !rest.is_empty() {
            return Err(refused(format!("{} offsets are left over", rest.len())));
        }
        Ok(out)
    }

    /// The halo before and after each dimension.
    fn halos(&self, rank: usize) -> Result<Vec<(i64, i64)>, LayoutError> {
        let refused = |reason: String| LayoutError::Notation(NotationError::refused(self, &reason));
        let dims = self.split_dims();
        let mut out = vec![(0, 0); rank];
        if self.halo_sizes.is_empty() {
            return Ok(out);
        }
        if !self.sharded_dims_offsets.is_empty() {
            return Err(refused(
                "halo_sizes and sharded_dims_offsets exclude each other".to_owned(),
            ));
        }
        if self.halo_sizes.len() != 2 * dims.len() {
            return Err(refused(format!(
                "{} split dimensions need {} halo sizes, there are {}",
                dims.len(),
                2 * dims.len(),
                self.halo_sizes.len()
            )));
        }
        if let Some(size) = self.halo_sizes.iter().find(|h| **h < 0) {
            return Err(refused(format!("a halo has size {size}")));
        }
        for (dim, halo) in dims
            .iter()
            .zip(self.halo_sizes.chunks(2))
            .filter(|x| *x.0 < rank)
        {
            out[*dim] = (halo[0], halo[1]);
        }
        Ok(out)
    }

    /// The layout of a tensor of this shape.
    ///
    /// # Errors
    /// [`NotationError::Refused`] for a halo, for offsets other than those of even parts, for a
    /// grid of unknown size; whatever is wrong with the axes.
    pub fn to_layout(&self, grid: &Grid, shape: &[i64]) -> Result<Layout, LayoutError> {
        let refused = |reason: String| LayoutError::Notation(NotationError::refused(self, &reason));
        let layout = self.split(grid, shape.len())?;
        if let Some(dim) = self.halos(shape.len())?.iter().position(|h| *h != (0, 0)) {
            return Err(refused(format!(
                "dimension {dim} has a halo: elements are held by several ranks at different places, which a layout cannot say (its maps can)"
            )));
        }
        for (dim, offsets) in self.offsets(&layout, shape)?.iter().enumerate() {
            if let Some(list) = offsets
                && list.windows(2).any(|w| w[1] - w[0] != list[1] - list[0])
            {
                return Err(refused(format!(
                    "the shards of dimension {dim} begin at {list:?}: a layout splits evenly (its maps can say it)"
                )));
            }
        }
        Ok(layout)
    }

    /// The maps `(rank, l0, l1, …) -> (global index, …)` with halos and uneven shards: one map, or
    /// one for each combination of parts of the dimensions whose shards differ. A halo that reaches
    /// beyond the tensor holds nothing there.
    ///
    /// # Errors
    /// As for [`GridSharding::to_layout`], but for halos and offsets.
    pub fn maps(&self, grid: &Grid, shape: &[i64]) -> Result<Vec<IndexingMap>, LayoutError> {
        let layout = self.split(grid, shape.len())?;
        let halos = self.halos(shape.len())?;
        let offsets = self.offsets(&layout, shape)?;
        let (parts, count) = (layout.parts(), layout.device_count());
        let uneven = |dim: usize| offsets[dim].is_some();
        let number: i64 = (0..shape.len())
            .filter(|i| uneven(*i))
            .map(|i| parts[i])
            .fold(1, i64::saturating_mul);
        if number > MOST_MAPS {
            let reason = format!("its uneven shards need {number} maps, more than {MOST_MAPS}");
            return Err(NotationError::refused(self, &reason).into());
        }
        let mut maps = Vec::new();
        for piece in 0..number {
            let mut rest = piece;
            let mut dims = vec![Variable::named("rank", Interval::of_size(count))];
            let (mut results, mut constraints) = (Vec::new(), Vec::new());
            for (dim, digits) in layout.dimension_digits().iter().enumerate() {
                let part = number_of_digits(&d(0), digits, count);
                let (begin, size) = match &offsets[dim] {
                    Some(list) => {
                        let p = (rest % parts[dim]) as usize;
                        rest /= parts[dim];
                        constraints.push((part, Interval::point(p as i64)));
                        (c(list[p]), list[p + 1] - list[p])
                    }
                    None if shape[dim] % parts[dim] != 0 => {
                        let axes = layout.names_of(&layout.tensor_map()[dim]);
                        return Err(LayoutError::NotDivisible {
                            dim,
                            size: shape[dim],
                            parts: parts[dim],
                            axes,
                        });
                    }
                    None => (part * (shape[dim] / parts[dim]), shape[dim] / parts[dim]),
                };
                let (low, high) = halos[dim];
                let index = begin + d(dim + 1) - low;
                if low + high > 0 {
                    constraints.push((index.clone(), Interval::of_size(shape[dim])));
                }
                dims.push(Variable::named(
                    format!("l{dim}"),
                    Interval::of_size(size + low + high),
                ));
                results.push(index);
            }
            let mut map = IndexingMap::new(dims, results);
            for (expr, interval) in constraints {
                map = map.with_constraint(expr, interval);
            }
            maps.push(map.simplify());
        }
        Ok(maps)
    }

    /// The sharding of a layout on a given grid, or on a new grid whose axes are those of the
    /// layout.
    ///
    /// # Errors
    /// [`NotationError::Refused`] with the reason: listed devices, partial results, parts of axes.
    pub fn from_layout(
        layout: &Layout,
        grid: Option<&Grid>,
    ) -> Result<(Grid, GridSharding), LayoutError> {
        let refused =
            |reason: String| LayoutError::Notation(NotationError::refused(layout, &reason));
        if layout.device_ids().is_some() {
            return Err(refused(
                "a grid has no device ids, the layout lists its devices".to_owned(),
            ));
        }
        if !layout.partial().is_empty() {
            let names = layout.names_of(&layout.partial().iter().map(|p| p.0).collect::<Vec<_>>());
            return Err(refused(format!(
                "`shard.sharding` has no partial results, the layout has some along {names}"
            )));
        }
        let own;
        let grid = match grid {
            Some(grid) => grid,
            None => {
                own = Grid {
                    name: "grid".to_owned(),
                    shape: layout
                        .device_matrix()
                        .sizes()
                        .iter()
                        .map(|s| Some(*s))
                        .collect(),
                };
                &own
            }
        };
        let sizes: Option<Vec<i64>> = grid.shape.iter().copied().collect();
        let sizes = sizes
            .ok_or_else(|| refused(format!("the size of an axis of `{grid}` is not known")))?;
        let parts = onto(layout, &sizes, None).map_err(refused)?;
        if let Some(p) = parts
            .dims
            .iter()
            .flatten()
            .find(|p| p.size != sizes[p.axis])
        {
            return Err(refused(format!(
                "it splits along a part of size {} of axis {} of `{grid}`, which must be used whole",
                p.size, p.axis
            )));
        }
        let mut split_axes: Vec<Vec<i64>> = parts
            .dims
            .iter()
            .map(|d| d.iter().map(|p| p.axis as i64).collect())
            .collect();
        if split_axes.is_empty() {
            // The dialect wants one entry at least.
            split_axes.push(Vec::new());
        }
        let sharding = GridSharding {
            grid: grid.name.clone(),
            split_axes,
            halo_sizes: Vec::new(),
            sharded_dims_offsets: Vec::new(),
        };
        Ok((grid.clone(), sharding))
    }
}
