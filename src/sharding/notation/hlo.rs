//! HLO sharding strings: `{devices=[2,1,4]<=[8] last_tile_dim_replicate}` and the other forms of
//! `mhlo.sharding`.
//!
//! A tile assignment is an array of device ids whose shape is the number of parts of each tensor
//! dimension; further dimensions at the end are subgroups (replicas, partial results, manually
//! partitioned). The array is written as a list, or as `<=[dims]T(permutation)`: the numbers from
//! zero reshaped to `dims` and transposed.

use super::NotationError;
use super::cursor::Cursor;
use crate::digits::{self, Digit};
use crate::error::LayoutError;
use crate::layout::{DeviceMatrix, Layout, Reduction, Split};
use mapwright_indexing::counted;
use std::fmt;

/// Role of the ranks of a trailing dimension of a tile assignment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Subgroup {
    Replicated,
    Manual,
    Unreduced,
    Maximal,
    Unknown,
}

/// The most devices whose order is kept as a list.
const MOST_LISTED: i64 = 1 << 24;

const SUBGROUPS: [(Subgroup, &str); 5] = [
    (Subgroup::Replicated, "replicated"),
    (Subgroup::Manual, "manual"),
    (Subgroup::Unreduced, "unreduced"),
    (Subgroup::Maximal, "maximal"),
    (Subgroup::Unknown, "unknown"),
];

/// The devices of a tile assignment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Devices {
    /// `<=[dims]T(permutation)`.
    Iota {
        /// The shape that the numbers from zero are given first.
        dims: Vec<i64>,
        /// The transposition that follows.
        permutation: Vec<usize>,
    },
    /// The ids, one by one.
    List(Vec<i64>),
}

/// A sharding of one tensor or, as [`HloSharding::Tuple`], of several.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HloSharding {
    /// Every device holds everything.
    Replicated,
    /// The program inside deals with the devices itself.
    Manual,
    /// Sharding that says nothing.
    Unknown,
    /// Every device holds a summand.
    Unreduced,
    /// One device holds everything, the others nothing.
    Maximal(i64),
    /// A tile assignment.
    Tiled {
        /// Parts of each tensor dimension, then the sizes of the subgroups.
        tile: Vec<i64>,
        /// The devices of the tiles, row-major.
        devices: Devices,
        /// Kinds of the trailing dimensions of `tile`.
        subgroups: Vec<Subgroup>,
    },
    /// One sharding for each element of a tuple.
    Tuple(Vec<HloSharding>),
}

impl std::str::FromStr for HloSharding {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<HloSharding, NotationError> {
        Cursor::read(text, |c| parse(c, 0))
    }
}

fn parse(c: &mut Cursor, depth: usize) -> Result<HloSharding, NotationError> {
    c.require("{")?;
    if depth == 0 && c.sees("{") {
        let mut parts = vec![parse(c, 1)?];
        while c.accept(",") {
            parts.push(parse(c, 1)?);
        }
        c.require("}")?;
        return Ok(HloSharding::Tuple(parts));
    }
    if depth == 0 && c.accept("}") {
        return Ok(HloSharding::Tuple(Vec::new()));
    }
    let sharding = if c.accept("replicated") {
        HloSharding::Replicated
    } else if c.accept("manual") {
        HloSharding::Manual
    } else if c.accept("unknown") {
        HloSharding::Unknown
    } else if c.accept("unreduced") {
        HloSharding::Unreduced
    } else if c.accept("maximal") {
        c.require("device")?;
        c.require("=")?;
        HloSharding::Maximal(c.integer()?)
    } else if c.accept("devices") {
        c.require("=")?;
        tiled(c)?
    } else {
        return Err(
            c.expected("`replicated`, `maximal`, `manual`, `unknown`, `unreduced` or `devices=`")
        );
    };
    // Groups and metadata say where a sharding comes from, not what it is.
    loop {
        if c.accept("metadata") {
            c.require("=")?;
            c.braced()?;
        } else if c.accept("shard_as") || c.accept("shard_like") {
            c.integer()?;
        } else {
            break;
        }
    }
    c.require("}")?;
    Ok(sharding)
}

fn tiled(c: &mut Cursor) -> Result<HloSharding, NotationError> {
    let column = c.column();
    let wrong = |column: usize, reason: String| NotationError::Wrong { column, reason };
    let tile = c.integers()?;
    if let Some(size) = tile.iter().find(|s| **s < 1) {
        return Err(wrong(
            column,
            format!("a tile dimension has size {size}, it must be at least 1"),
        ));
    }
    let product = |sizes: &[i64]| sizes.iter().try_fold(1i64, |a, b| a.checked_mul(*b));
    let Some(count) = product(&tile) else {
        return Err(wrong(
            column,
            format!("the tile {tile:?} has more devices than fit into 64 bits"),
        ));
    };
    let list = c.column();
    let devices = if c.accept("<=") {
        let dims = c.integers()?;
        if dims.iter().any(|d| *d < 1) || product(&dims) != Some(count) {
            return Err(wrong(
                list,
                format!("the tile {tile:?} has {count} devices, `<={dims:?}` is another number"),
            ));
        }
        let permutation: Vec<i64> = if c.accept("T") {
            c.list("(", ")", Cursor::integer)?
        } else {
            (0..dims.len() as i64).collect()
        };
        let mut sorted = permutation.clone();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..dims.len() as i64) {
            return Err(wrong(
                list,
                format!(
                    "T{permutation:?} is no permutation of the {} dimensions",
                    dims.len()
                ),
            ));
        }
        Devices::Iota {
            dims,
            permutation: permutation.into_iter().map(|p| p as usize).collect(),
        }
    } else {
        let mut ids = vec![c.integer()?];
        while c.accept(",") {
            ids.push(c.integer()?);
        }
        if ids.len() as i64 != count {
            return Err(wrong(
                list,
                format!(
                    "the tile {tile:?} has {count} devices, {} are listed",
                    ids.len()
                ),
            ));
        }
        Devices::List(ids)
    };
    let mut subgroups = Vec::new();
    if c.accept("last_tile_dim_replicate") {
        subgroups.push(Subgroup::Replicated);
    } else if c.accept("last_tile_dims") {
        c.require("=")?;
        subgroups = c.list("{", "}", |c| {
            SUBGROUPS
                .iter()
                .find(|(_, word)| c.accept(word))
                .map(|g| g.0)
                .ok_or_else(|| {
                    c.expected("`replicated`, `manual`, `unreduced`, `maximal` or `unknown`")
                })
        })?;
    }
    if subgroups.len() > tile.len() {
        return Err(wrong(
            column,
            format!(
                "the tile {tile:?} has fewer dimensions than the {} subgroups",
                subgroups.len()
            ),
        ));
    }
    Ok(HloSharding::Tiled {
        tile,
        devices,
        subgroups,
    })
}

impl fmt::Display for HloSharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HloSharding::Replicated => f.write_str("{replicated}"),
            HloSharding::Manual => f.write_str("{manual}"),
            HloSharding::Unknown => f.write_str("{unknown}"),
            HloSharding::Unreduced => f.write_str("{unreduced}"),
            HloSharding::Maximal(device) => write!(f, "{{maximal device={device}}}"),
            HloSharding::Tuple(parts) => {
                write!(
                    f,
                    "{{{}}}",
                    parts
                        .iter()
                        .map(ToString::to_string)
                        .collect::<Vec<_>>()
                        .join(", ")
                )
            }
            HloSharding::Tiled {
                tile,
                devices,
                subgroups,
            } => {
                write!(f, "{{devices=[{}]", join(tile))?;
                match devices {
                    Devices::List(ids) => f.write_str(&join(ids))?,
                    Devices::Iota { dims, permutation } => {
                        write!(f, "<=[{}]", join(dims))?;
                        if dims.len() > 1 {
                            write!(f, "T({})", join(permutation))?;
                        }
                    }
                }
                match subgroups.as_slice() {
                    [] => {}
                    [Subgroup::Replicated] => f.write_str(" last_tile_dim_replicate")?,
                    groups => {
                        let word = |g: &Subgroup| {
                            SUBGROUPS.iter().find(|(s, _)| s == g).map_or("", |s| s.1)
                        };
                        write!(
                            f,
                            " last_tile_dims={{{}}}",
                            groups.iter().map(word).collect::<Vec<_>>().join(", ")
                        )?;
                    }
                }
                f.write_str("}")
            }
        }
    }
}

fn join(list: &[impl ToString]) -> String {
    list.iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(",")
}

impl Devices {
    /// The ids, row-major over the tile.
    pub fn ids(&self) -> Vec<i64> {
        match self {
            Devices::List(ids) => ids.clone(),
            Devices::Iota { dims, permutation } => {
                let digits = digits::of_sizes(dims);
                permutation.iter().fold(vec![0], |ids, p| {
                    let digit = digits[*p];
                    ids.iter()
                        .flat_map(|id| (0..digit.size).map(move |k| id + k * digit.stride))
                        .collect()
                })
            }
        }
    }
}

impl HloSharding {
    /// The layout of a tensor with `rank` dimensions. `devices` is needed where the string does not
    /// say how many there are.
    ///
    /// # Errors
    /// [`NotationError::Refused`] with the reason for what is no placement of one tensor; a tile of
    /// another rank.
    pub fn to_layout(&self, rank: usize, devices: Option<i64>) -> Result<Layout, LayoutError> {
        let refused = |reason: &str| LayoutError::Notation(NotationError::refused(self, reason));
        let whole = |name: &str| -> Result<Layout, LayoutError> {
            let count = devices.ok_or_else(|| {
                refused("it does not say how many devices there are, and nothing else does")
            })?;
            DeviceMatrix::new(&[count], &[name])?.layout(&vec![Split::new(); rank])
        };
        match self {
            HloSharding::Replicated => whole("replicas"),
            HloSharding::Unreduced => whole("summands")?.with_partial("summands", Reduction::Sum),
            HloSharding::Manual => Err(refused(
                "manual: each device runs its own program on its own shape, so no tensor is laid out",
            )),
            HloSharding::Unknown => Err(refused(
                "unknown: it says nothing about where the tensor is",
            )),
            HloSharding::Tuple(parts) => Err(refused(&format!(
                "it is a tuple of {} shardings; a layout is of one tensor",
                parts.len()
            ))),
            HloSharding::Maximal(device) => {
                let matrix = DeviceMatrix::new(&[], &[] as &[&str])?;
                matrix
                    .layout(&vec![Split::new(); rank])?
                    .with_device_ids(&[*device])
            }
            HloSharding::Tiled {
                tile,
                devices: order,
                subgroups,
            } => {
                let data = tile.len() - subgroups.len();
                if data != rank {
                    return Err(refused(&format!(
                        "its tile has {}, the tensor has {rank}",
                        counted(data, "data dimension")
                    )));
                }
                if let Some(given) = devices {
                    let count: i64 = tile.iter().product();
                    if given != count {
                        let what = format!("`{self}`");
                        let other = "the program".to_owned();
                        return Err(LayoutError::DeviceCount {
                            what,
                            left: count,
                            other,
                            right: given,
                        });
                    }
                }
                let mut names = Vec::new();
                let mut map = vec![Split::new(); rank];
                let mut partial = Vec::new();
                for (i, size) in tile.iter().enumerate() {
                    let name = match i.checked_sub(data).and_then(|g| subgroups.get(g)) {
                        None => {
                            let name = format!("d{i}");
                            if *size > 1 {
                                map[i].push(name.clone());
                            }
                            name
                        }
                        Some(Subgroup::Replicated) => {
                            format!("replicas{}", suffix(i - data, subgroups.len()))
                        }
                        Some(Subgroup::Unreduced) => {
                            let name = format!("summands{}", suffix(i - data, subgroups.len()));
                            partial.push(name.clone());
                            name
                        }
                        Some(_) if *size == 1 => format!("unused{i}"),
                        Some(Subgroup::Manual) => {
                            return Err(refused(&format!(
                                "the {size} devices of tile dimension {i} are manual: each runs its own program on its own shape"
                            )));
                        }
                        Some(_) => {
                            return Err(refused(
                                "its last tile dimensions are neither replicated nor unreduced",
                            ));
                        }
                    };
                    names.push(name);
                }
                // Axes of one device say nothing.
                let kept: Vec<usize> = (0..tile.len()).filter(|i| tile[*i] > 1).collect();
                let sizes: Vec<i64> = kept.iter().map(|i| tile[*i]).collect();
                let kept_names: Vec<&str> = kept.iter().map(|i| names[*i].as_str()).collect();
                let mut layout = DeviceMatrix::new(&sizes, &kept_names)?.layout(&map)?;
                for name in partial.iter().filter(|n| kept_names.contains(&n.as_str())) {
                    layout = layout.with_partial(name, Reduction::Sum)?;
                }
                if let Devices::Iota { dims, permutation } = order {
                    let digits = digits::of_sizes(dims);
                    let order: Vec<Digit> = permutation.iter().map(|p| digits[*p]).collect();
                    if let Some(layout) = layout.with_digit_order(&digits::merge(&order))? {
                        return Ok(layout);
                    }
                    let count = layout.device_count();
                    if count > MOST_LISTED {
                        return Err(refused(&format!(
                            "its {count} devices would have to be listed, more than {MOST_LISTED}"
                        )));
                    }
                }
                layout.with_device_ids(&order.ids())
            }
        }
    }

    /// The string for a layout: in the iota form where the order of the devices allows it, trailing
    /// subgroups for partial results and replicas, in the canonical form that XLA prints.
    ///
    /// # Errors
    /// [`NotationError::Refused`] with the reason.
    pub fn from_layout(layout: &Layout) -> Result<HloSharding, LayoutError> {
        let refused =
            |reason: String| LayoutError::Notation(NotationError::refused(layout, &reason));
        if let Some((axis, kind)) = layout.partial().iter().find(|p| p.1 != Reduction::Sum) {
            let name = &layout.device_matrix().names()[*axis];
            return Err(refused(format!(
                "HLO's partial results are sums, those along `{name}` are combined by {kind}"
            )));
        }
        if let (1, Some([device])) = (layout.device_count(), layout.device_ids()) {
            return Ok(HloSharding::Maximal(*device));
        }
        let mut tile = layout.parts();
        let mut order: Vec<Digit> = layout
            .tensor_map()
            .iter()
            .flatten()
            .map(|a| layout.axis_digit(*a))
            .filter(|d| d.size > 1)
            .collect();
        let split = order.len();
        let mut subgroups = Vec::new();
        let partial: Vec<usize> = layout.partial().iter().map(|p| p.0).collect();
        for (axes, group) in [
            (partial, Subgroup::Unreduced),
            (layout.replica_axes(), Subgroup::Replicated),
        ] {
            let digits: Vec<Digit> = axes
                .iter()
                .map(|a| layout.axis_digit(*a))
                .filter(|d| d.size > 1)
                .collect();
            if !digits.is_empty() {
                tile.push(digits.iter().map(|d| d.size).product());
                subgroups.push(group);
                order.extend(digits);
            }
        }
        match (split, subgroups.as_slice()) {
            (0, [] | [Subgroup::Replicated]) if layout.device_ids().is_none() => {
                return Ok(HloSharding::Replicated);
            }
            (0, [Subgroup::Unreduced]) if layout.device_ids().is_none() => {
                return Ok(HloSharding::Unreduced);
            }
            _ => {}
        }
        let devices = match layout.device_ids() {
            None => {
                let order = digits::merge(&order);
                let mut dims = order.clone();
                dims.sort_unstable_by(|a, b| b.cmp(a));
                let permutation = order
                    .iter()
                    .filter_map(|d| dims.iter().position(|x| x == d))
                    .collect();
                Devices::Iota {
                    dims: dims.iter().map(|d| d.size).collect(),
                    permutation,
                }
            }
            Some(ids) => {
                let count = ids.len() as i64;
                if let Some(id) = ids.iter().find(|id| **id >= count) {
                    return Err(refused(format!(
                        "an HLO tile assignment numbers its {count} devices from zero, one is {id}"
                    )));
                }
                let positions = order.iter().fold(vec![0], |all, d| {
                    all.iter()
                        .flat_map(|p| (0..d.size).map(move |k| p + k * d.stride))
                        .collect()
                });
                let mut list: Vec<i64> = positions.into_iter().map(|p| layout.rank_at(p)).collect();
                if subgroups.last() == Some(&Subgroup::Replicated) {
                    // Replicas have no order; XLA sorts them.
                    let group = tile.last().copied().unwrap_or(1).max(1) as usize;
                    list.chunks_mut(group).for_each(<[i64]>::sort_unstable);
                }
                Devices::List(list)
            }
        };
        Ok(HloSharding::Tiled {
            tile,
            devices,
            subgroups,
        })
    }
}

fn suffix(i: usize, of: usize) -> String {
    if of == 1 {
        String::new()
    } else {
        i.to_string()
    }
}
