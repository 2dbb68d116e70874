//! The layout: device matrix, axis names, tensor map, and which slice of a tensor each rank holds.

mod slices;
mod text;

use crate::digits::{self, Digit};
use crate::error::LayoutError;
use rustc_hash::FxHashMap;
use std::sync::Arc;

pub(crate) use text::sub_axis_name;

/// Arrangement of the devices: sizes and names of the axes, the last axis fastest.
/// `Layout(device_matrix, alias_name)` of the source document; [`DeviceMatrix::layout`] is the call
/// that follows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceMatrix {
    sizes: Vec<i64>,
    names: Vec<String>,
    count: i64,
}

/// One entry of a tensor map: the axes that split a dimension, from the first split to the last. No
/// axis: not split.
pub type Split = Vec<String>;

/// Reduction that combines partial results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Reduction {
    Sum,
    Product,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// Place of the repetition axis when a strategy uses fewer devices than there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Repeat {
    /// The repetition is the fastest axis: neighbouring ranks hold the same slice.
    #[default]
    Right,
    /// The repetition is the slowest axis.
    Left,
}

/// The order of the devices, when it is not that of their ids.
#[derive(Debug, PartialEq, Eq)]
struct DeviceOrder {
    /// The id at each position of the device matrix.
    ids: Vec<i64>,
    /// The position of each id.
    positions: FxHashMap<i64, i64>,
}

/// A layout: a device matrix and, for every tensor dimension, the axes that split it. Axes that no
/// dimension names hold replicas, or partial results if [`Layout::with_partial`] says so.
///
/// ```
/// use mapwright_sharding::DeviceMatrix;
/// let matrix = DeviceMatrix::new(&[2, 1, 2, 2, 1], &["a", "b", "c", "d", "e"])?;
/// let layout = matrix.layout(&["b", "d", "e", "c", "a"])?;
/// assert_eq!(layout.slices(), [0, 4, 2, 6, 1, 5, 3, 7]);
/// assert_eq!(layout.strides(), [("b", 8), ("d", 4), ("e", 4), ("c", 2), ("a", 1)]);
/// # Ok::<(), mapwright_sharding::LayoutError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    matrix: DeviceMatrix,
    /// Digits of the positions, one for each axis.
    digits: Vec<Digit>,
    /// The axes that split each dimension, major first.
    dims: Vec<Vec<usize>>,
    partial: Vec<(usize, Reduction)>,
    order: Option<Arc<DeviceOrder>>,
}

/// Turns what people write into a [`Split`]: `"None"` and an empty list are not split, a list is a
/// tuple of names.
pub trait IntoSplit {
    /// The axes, first split first.
    fn split(&self) -> Split;
}

impl IntoSplit for &str {
    fn split(&self) -> Split {
        if *self == "None" {
            Vec::new()
        } else {
            vec![(*self).to_owned()]
        }
    }
}

impl IntoSplit for Split {
    fn split(&self) -> Split {
        self.iter()
            .filter(|n| n.as_str() != "None")
            .cloned()
            .collect()
    }
}

impl IntoSplit for &[&str] {
    fn split(&self) -> Split {
        self.iter()
            .filter(|n| **n != "None")
            .map(|n| (*n).to_owned())
            .collect()
    }
}

/// The name of an axis as tensor maps can refer to it: frameworks name axes after objects,
/// `<axis 0x7fcf6e71a8e0>`.
pub(crate) fn referable(name: &str) -> String {
    match name {
        "" | "None" => format!("{name}_"),
        _ => name.replace(|c: char| c.is_whitespace() || "(),\"".contains(c), "_"),
    }
}

impl DeviceMatrix {
    /// A device matrix with one name for each axis.
    ///
    /// # Errors
    /// Different lengths, a name that occurs twice or cannot be referred to, an axis without
    /// devices, more devices than `i64`.
    pub fn new(sizes: &[i64], names: &[impl AsRef<str>]) -> Result<DeviceMatrix, LayoutError> {
        if sizes.len() != names.len() {
            return Err(LayoutError::AliasCount {
                axes: sizes.len(),
                names: names.len(),
            });
        }
        let names: Vec<String> = names.iter().map(|n| n.as_ref().to_owned()).collect();
        let mut seen: FxHashMap<&str, usize> = FxHashMap::default();
        for (i, name) in names.iter().enumerate() {
            if *name != referable(name) {
                return Err(LayoutError::AliasReserved {
                    name: name.clone(),
                    axis: i,
                });
            }
            if let Some(first) = seen.insert(name, i) {
                return Err(LayoutError::DuplicateAlias {
                    name: name.clone(),
                    first,
                    second: i,
                });
            }
        }
        let mut count = 1i64;
        for (size, name) in sizes.iter().zip(&names) {
            if *size < 1 {
                return Err(LayoutError::AxisSize {
                    name: name.clone(),
                    size: *size,
                });
            }
            count = count
                .checked_mul(*size)
                .ok_or_else(|| LayoutError::DeviceOverflow {
                    sizes: sizes.to_vec(),
                })?;
        }
        Ok(DeviceMatrix {
            sizes: sizes.to_vec(),
            names,
            count,
        })
    }

    /// The sizes of the axes.
    pub fn sizes(&self) -> &[i64] {
        &self.sizes
    }

    /// The names of the axes.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of devices.
    pub fn count(&self) -> i64 {
        self.count
    }

    /// The layout with this tensor map: for each tensor dimension an axis name, `"None"`, or a
    /// tuple of names.
    ///
    /// # Errors
    /// A name that does not exist or is used twice.
    pub fn layout(&self, tensor_map: &[impl IntoSplit]) -> Result<Layout, LayoutError> {
        let mut used: Vec<Option<usize>> = vec![None; self.names.len()];
        let positions: FxHashMap<&str, usize> = self
            .names
            .iter()
            .enumerate()
            .map(|(i, n)| (n.as_str(), i))
            .collect();
        let mut dims = Vec::with_capacity(tensor_map.len());
        for (dim, entry) in tensor_map.iter().enumerate() {
            let mut axes = Vec::new();
            for name in entry.split() {
                let Some(&axis) = positions.get(name.as_str()) else {
                    return Err(LayoutError::UnknownAxis {
                        dim,
                        name,
                        known: self.names.join(", "),
                    });
                };
                if let Some(first) = used[axis] {
                    return Err(LayoutError::AxisUsedTwice {
                        name,
                        first,
                        second: dim,
                    });
                }
                used[axis] = Some(dim);
                axes.push(axis);
            }
            dims.push(axes);
        }
        Ok(Layout {
            matrix: self.clone(),
            digits: digits::of_sizes(&self.sizes),
            dims,
            partial: Vec::new(),
            order: None,
        })
    }
}

impl Layout {
    /// `.shard(strategy)` of the source document: dimension `i` is split into `strategy[i]` parts,
    /// the device matrix is the strategy itself and the tensor map counts down from the left. If
    /// the strategy uses fewer devices than there are, the others repeat the work: the repetition
    /// is one more axis.
    ///
    /// # Errors
    /// A part number below one, or a product that does not divide `devices`.
    pub fn shard(strategy: &[i64], devices: i64, repeat: Repeat) -> Result<Layout, LayoutError> {
        let names: Vec<String> = (0..strategy.len()).rev().map(|i| i.to_string()).collect();
        let plain = DeviceMatrix::new(strategy, &names)?;
        if devices < 1 || devices % plain.count != 0 {
            return Err(LayoutError::StrategyDevices {
                strategy: strategy.to_vec(),
                needed: plain.count,
                devices,
            });
        }
        let map: Vec<Split> = names.iter().map(|n| vec![n.clone()]).collect();
        if devices == plain.count {
            return plain.layout(&map);
        }
        let (mut sizes, mut all) = (strategy.to_vec(), names);
        let at = if repeat == Repeat::Right {
            sizes.len()
        } else {
            0
        };
        sizes.insert(at, devices / plain.count);
        all.insert(at, "repeat".to_owned());
        DeviceMatrix::new(&sizes, &all)?.layout(&map)
    }

    /// A layout from digits of the rank: for each dimension the digits that split it, major first.
    /// Axes are made of the digits, named `a0`, `a1`, … from the slowest on, unless `name` knows
    /// better. What no digit covers holds replicas.
    pub(crate) fn from_digits(
        count: i64,
        dims: &[Vec<Digit>],
        partial: &[(Digit, Reduction)],
        mut name: impl FnMut(usize, Digit) -> String,
    ) -> Result<Layout, LayoutError> {
        let all: Vec<Digit> = dims
            .iter()
            .flatten()
            .copied()
            .chain(partial.iter().map(|p| p.0))
            .filter(|d| d.size > 1)
            .collect();
        let mut axes = all.clone();
        axes.sort_unstable_by(|a, b| b.cmp(a));
        let mut filled: Vec<Digit> = Vec::new();
        let mut above = count;
        for digit in axes {
            let end = digit
                .stride
                .checked_mul(digit.size)
                .filter(|e| *e > 0 && above % e == 0);
            let Some(end) = end else {
                return Err(LayoutError::NoLayout(format!(
                    "the digits {all:?} overlap or do not nest"
                )));
            };
            if above / end > 1 {
                filled.push(Digit {
                    stride: end,
                    size: above / end,
                });
            }
            filled.push(digit);
            above = digit.stride;
        }
        if above > 1 {
            filled.push(Digit {
                stride: 1,
                size: above,
            });
        }
        let names: Vec<String> = filled
            .iter()
            .enumerate()
            .map(|(i, d)| name(i, *d))
            .collect();
        let sizes: Vec<i64> = filled.iter().map(|d| d.size).collect();
        let position = |d: &Digit| filled.iter().position(|f| f == d).map(|i| names[i].clone());
        let map: Vec<Split> = dims
            .iter()
            .map(|digits| digits.iter().filter_map(position).collect())
            .collect();
        let mut layout = DeviceMatrix::new(&sizes, &names)?.layout(&map)?;
        for (digit, kind) in partial {
            if let Some(name) = position(digit) {
                layout = layout.with_partial(&name, *kind)?;
            }
        }
        Ok(layout)
    }

    /// The layout whose ranks hold partial results along an axis: the tensor is the reduction over
    /// that axis.
    ///
    /// # Errors
    /// An axis that does not exist or splits a dimension.
    pub fn with_partial(mut self, name: &str, reduction: Reduction) -> Result<Layout, LayoutError> {
        let Some(axis) = self.matrix.names.iter().position(|n| n == name) else {
            let known = self.matrix.names.join(", ");
            return Err(LayoutError::UnknownAxis {
                dim: self.dims.len(),
                name: name.to_owned(),
                known,
            });
        };
        if let Some(dim) = self.dims.iter().position(|axes| axes.contains(&axis)) {
            return Err(LayoutError::PartialAxisSplits {
                name: name.to_owned(),
                dim,
            });
        }
        self.partial.retain(|(a, _)| *a != axis);
        self.partial.push((axis, reduction));
        self.partial.sort_unstable();
        Ok(self)
    }

    /// Sets the device ids: `ids[p]` is the rank at position `p` of the device matrix (row-major).
    /// An order that is a permutation of digits becomes part of the device matrix; any other is
    /// kept as a list.
    ///
    /// # Errors
    /// A list of another length, a negative id, an id that occurs twice.
    pub fn with_device_ids(self, ids: &[i64]) -> Result<Layout, LayoutError> {
        if ids.len() as i64 != self.matrix.count {
            return Err(LayoutError::DeviceCount {
                what: format!("the device matrix {:?}", self.matrix.sizes),
                left: self.matrix.count,
                other: "the list of device ids".to_owned(),
                right: ids.len() as i64,
            });
        }
        let mut positions = FxHashMap::default();
        for (p, id) in ids.iter().enumerate() {
            if *id < 0 {
                return Err(LayoutError::DeviceIds(format!(
                    "device id {id} at position {p} is negative"
                )));
            }
            if let Some(first) = positions.insert(*id, p as i64) {
                return Err(LayoutError::DeviceIds(format!(
                    "device id {id} stands at positions {first} and {p}"
                )));
            }
        }
        if ids.iter().enumerate().all(|(p, id)| p as i64 == *id) {
            return Ok(Layout {
                order: None,
                ..self
            });
        }
        if let Some(order) = digits::of_order(ids)
            && let Some(layout) = self.with_digit_order(&order)?
        {
            return Ok(layout);
        }
        Ok(Layout {
            order: Some(Arc::new(DeviceOrder {
                ids: ids.to_vec(),
                positions,
            })),
            ..self
        })
    }

    /// The layout in which the position has, major first, these digits of the rank; `None` if they
    /// cut across the axes.
    pub(crate) fn with_digit_order(&self, order: &[Digit]) -> Result<Option<Layout>, LayoutError> {
        let Some(axes) = digits::axes_of_order(&self.matrix.sizes, order) else {
            return Ok(None);
        };
        // Each axis becomes the digits of the rank that it is made of, under its own name if that
        // is one digit.
        let mut names_of_axis: Vec<Vec<String>> = Vec::new();
        let mut all: Vec<(Digit, String)> = Vec::new();
        for (pieces, name) in axes.iter().zip(&self.matrix.names) {
            let mut before = 1;
            let mut names = Vec::new();
            for piece in pieces {
                let own = if pieces.len() == 1 {
                    name.clone()
                } else {
                    sub_axis_name(name, before, piece.size)
                };
                before *= piece.size;
                all.push((*piece, own.clone()));
                names.push(own);
            }
            if pieces.is_empty() {
                all.push((Digit { stride: 0, size: 1 }, name.clone()));
                names.push(name.clone());
            }
            names_of_axis.push(names);
        }
        all.sort_by_key(|digit| std::cmp::Reverse(digit.0));
        let sizes: Vec<i64> = all.iter().map(|d| d.0.size).collect();
        let names: Vec<&str> = all.iter().map(|d| d.1.as_str()).collect();
        let map: Vec<Split> = self
            .dims
            .iter()
            .map(|axes| {
                axes.iter()
                    .flat_map(|a| names_of_axis[*a].clone())
                    .collect()
            })
            .collect();
        let mut layout = DeviceMatrix::new(&sizes, &names)?.layout(&map)?;
        for (axis, kind) in &self.partial {
            for name in &names_of_axis[*axis] {
                layout = layout.with_partial(name, *kind)?;
            }
        }
        Ok(Some(layout))
    }

    /// The device matrix.
    pub fn device_matrix(&self) -> &DeviceMatrix {
        &self.matrix
    }

    /// For each tensor dimension the positions, in the device matrix, of the axes that split it,
    /// first split first.
    pub fn tensor_map(&self) -> &[Vec<usize>] {
        &self.dims
    }

    /// The number of tensor dimensions.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// The number of devices.
    pub fn device_count(&self) -> i64 {
        self.matrix.count
    }

    /// The axes along which the ranks hold partial results, with what combines them.
    pub fn partial(&self) -> &[(usize, Reduction)] {
        &self.partial
    }

    /// The axes that no dimension names and that hold no partial results, in the order of the
    /// device matrix.
    pub fn replica_axes(&self) -> Vec<usize> {
        let mut free = vec![true; self.matrix.sizes.len()];
        self.dims.iter().flatten().for_each(|a| free[*a] = false);
        self.partial.iter().for_each(|(a, _)| free[*a] = false);
        (0..free.len()).filter(|a| free[*a]).collect()
    }

    /// The axes that no dimension names: those of replicas and of partial results.
    pub fn unnamed_axes(&self) -> Vec<usize> {
        let mut free = vec![true; self.matrix.sizes.len()];
        self.dims.iter().flatten().for_each(|a| free[*a] = false);
        (0..free.len()).filter(|a| free[*a]).collect()
    }

    /// The digit of the position that an axis is.
    pub fn axis_digit(&self, axis: usize) -> Digit {
        self.digits[axis]
    }

    /// The ids of the devices by position, if they do not simply count.
    pub fn device_ids(&self) -> Option<&[i64]> {
        self.order.as_ref().map(|o| o.ids.as_slice())
    }

    /// The ranks in ascending order.
    pub fn ranks(&self) -> Vec<i64> {
        match &self.order {
            None => (0..self.matrix.count).collect(),
            Some(order) => {
                let mut ids = order.ids.clone();
                ids.sort_unstable();
                ids
            }
        }
    }

    /// The rank at a position of the device matrix.
    pub fn rank_at(&self, position: i64) -> i64 {
        match &self.order {
            None => position,
            Some(order) => order.ids[position as usize],
        }
    }

    /// The position of a rank in the device matrix (row-major).
    ///
    /// # Errors
    /// A rank that does not exist.
    pub fn position(&self, rank: i64) -> Result<i64, LayoutError> {
        let devices = self.matrix.count;
        match &self.order {
            None if (0..devices).contains(&rank) => Ok(rank),
            None => Err(LayoutError::NoSuchRank {
                rank,
                devices,
                hint: "",
            }),
            Some(order) => order
                .positions
                .get(&rank)
                .copied()
                .ok_or(LayoutError::NoSuchRank {
                    rank,
                    devices,
                    hint: " and their ids are listed",
                }),
        }
    }
}
