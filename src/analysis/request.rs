//! What can be asked of the analyses, and whether it makes sense for a program.

use crate::tiles::Tile;
use mapwright_mlir::{Op, TensorType, Val, op};
use mapwright_ops::{compose, operations, query};

/// An analysis, by its question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// [`crate::views`]
    Views,
    /// [`crate::utilization`]
    Utilization,
    /// [`crate::coalescing`]
    Coalescing,
    /// [`crate::tiles`]
    Tiles,
}

impl What {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Views,
        Self::Utilization,
        Self::Coalescing,
        Self::Tiles,
    ];

    /// Its name on the command line and in a pass's options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Views => "views",
            Self::Utilization => "utilization",
            Self::Coalescing => "coalescing",
            Self::Tiles => "tiles",
        }
    }

    /// By the name on the command line.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|what| what.name() == name)
    }

    /// The member of an answer that holds what was found.
    pub fn key(self) -> &'static str {
        match self {
            Self::Views => "results",
            Self::Utilization => "operands",
            Self::Coalescing => "accesses",
            Self::Tiles => "tile",
        }
    }
}

/// Options of an analysis. Lists apply to values of their length; an empty one is the default.
#[derive(Clone, Debug)]
pub struct Request {
    /// Vector width in elements, for coalescing.
    pub width: i64,
    /// Loops over the dimensions of a result, outermost first, for coalescing.
    pub order: Vec<usize>,
    /// Number of the result of every function that a tile is of.
    pub result: usize,
    /// Offsets of the tile; symbols by default (zeros, for utilization).
    pub tile_offsets: Vec<i64>,
    /// Sizes of the tile; symbols by default (no tile, for utilization).
    pub tile_sizes: Vec<i64>,
    /// Strides of the tile, for tiles; 1 by default.
    pub tile_strides: Vec<i64>,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            width: 16,
            order: Vec::new(),
            result: 0,
            tile_offsets: Vec::new(),
            tile_sizes: Vec::new(),
            tile_strides: Vec::new(),
        }
    }
}

/// The type of a value that is a tensor.
pub(crate) fn tensor(value: Val<'_>) -> Option<TensorType> {
    use mapwright_mlir::melior::ir::ValueLike;
    TensorType::from_mlir(value.r#type())
}

/// The functions under `root`, itself included.
pub(crate) fn functions<'c>(root: Op<'c>) -> impl Iterator<Item = Op<'c>> {
    std::iter::once(root)
        .chain(root.descendants())
        .filter(|operation| operation.name() == "func.func")
}

/// Returns the values that a function returns, tuples flattened.
pub(crate) fn returned<'c>(function: Op<'c>) -> Vec<Val<'c>> {
    let end = function
        .body(0)
        .and_then(|body| op::ops(body).last().copied());
    let values = end.map(Op::operands).unwrap_or_default();
    values.into_iter().flat_map(compose::leaves).collect()
}

/// Checks that the request makes sense for something under `root`; the error is the sentence that
/// says why not.
///
/// # Errors
/// The sentence: what is said to another question only, an order of dimensions or a tile that fits
/// no value, tiles of a result that no function has.
pub fn check(root: Op<'_>, what: What, request: &Request) -> Result<(), String> {
    use What::{Coalescing, Tiles, Utilization};
    let sizes = &request.tile_sizes;
    let is_wide = request.width != Request::default().width;
    let said: [(&str, bool, &[What]); 6] = [
        ("a width of vectors", is_wide, &[Coalescing]),
        (
            "an order of loops",
            !request.order.is_empty(),
            &[Coalescing],
        ),
        ("sizes of a tile", !sizes.is_empty(), &[Tiles, Utilization]),
        (
            "offsets of a tile",
            !request.tile_offsets.is_empty(),
            &[Tiles, Utilization],
        ),
        (
            "strides of a tile",
            !request.tile_strides.is_empty(),
            &[Tiles],
        ),
        ("a result of functions", request.result != 0, &[Tiles]),
    ];
    if let Some((said, ..)) = (said.iter()).find(|(_, given, by)| *given && !by.contains(&what)) {
        return Err(format!("{said} says nothing about {}", what.name()));
    }
    let shapes = || {
        let results = operations(root).into_iter().flat_map(Op::results);
        results.filter_map(tensor)
    };
    match what {
        Coalescing if !request.order.is_empty() => {
            let order = &request.order;
            let mut sorted = order.clone();
            sorted.sort_unstable();
            if !sorted.iter().copied().eq(0..order.len()) {
                return Err(format!(
                    "{order:?} is no order of {} dimensions",
                    order.len()
                ));
            }
            if !shapes().any(|ty| ty.rank() == order.len()) {
                return Err(format!("no result has {} dimensions", order.len()));
            }
        }
        Utilization if !sizes.is_empty() && !shapes().any(|ty| ty.rank() == sizes.len()) => {
            return Err(format!("no result has {} dimensions", sizes.len()));
        }
        Tiles => return check_tiles(root, request),
        _ => {}
    }
    Ok(())
}

/// Checks that there is a function with the result that tiles are asked of, which has such a tile.
fn check_tiles(root: Op<'_>, request: &Request) -> Result<(), String> {
    let most = functions(root)
        .map(|function| returned(function).len())
        .max();
    if let Some(most) = most
        && request.result >= most
    {
        return Err(format!(
            "there is no result {} (counted from 0): no function has more than {most}",
            request.result
        ));
    }
    let asked = functions(root).filter_map(|function| {
        let value = returned(function).into_iter().nth(request.result)?;
        tensor(value)
    });
    let mut refused = None;
    for ty in asked {
        match root_tile(&query::sizes(&ty), request) {
            Ok(_) => return Ok(()),
            Err(why) => refused.get_or_insert(why),
        };
    }
    refused.map_or(Ok(()), Err)
}

/// The tile that is asked for, of a value of that shape.
pub(crate) fn root_tile(shape: &[i64], request: &Request) -> Result<Tile, String> {
    let (offsets, sizes, strides) = (
        &request.tile_offsets,
        &request.tile_sizes,
        &request.tile_strides,
    );
    for (list, what) in [(offsets, "offsets"), (sizes, "sizes"), (strides, "strides")] {
        if !list.is_empty() && list.len() != shape.len() {
            return Err(format!(
                "{} {what} for a value of {} dimensions",
                list.len(),
                shape.len()
            ));
        }
    }
    for k in 0..shape.len() {
        let offset = offsets.get(k).copied().unwrap_or(0);
        let size = sizes.get(k).copied().unwrap_or(1);
        let stride = strides.get(k).copied().unwrap_or(1);
        let last = size
            .checked_sub(1)
            .and_then(|n| n.checked_mul(stride))
            .and_then(|n| n.checked_add(offset));
        if offset < 0 || size < 1 || stride < 1 || last.is_none_or(|last| last >= shape[k]) {
            return Err(format!(
                "a tile of {size} elements from {offset} on in steps of {stride} is not within dimension {k} of size {}",
                shape[k]
            ));
        }
    }
    let ones = vec![1; shape.len()];
    let tile = Tile::root(shape, if strides.is_empty() { &ones } else { strides });
    Ok(tile.with_sizes(sizes).with_offsets(offsets))
}
