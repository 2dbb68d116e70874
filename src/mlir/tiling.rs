//! Upstream's `TilingInterface` and `PartialReductionOpInterface` of StableHLO's operations and of
//! regions: what the C++ of `cmake/shim/Tiling.cpp` asks Rust.

use crate::{Blk, Builder, Op, Val, builder::DYNAMIC, pass::guard, raw};
use mlir_sys::{MlirBlock, MlirOperation, MlirStringRef, MlirValue};
use std::{ffi::c_void, sync::OnceLock};

/// A number that is known at compile time, or a value of type `index`.
#[derive(Clone, Copy, Debug)]
pub enum Number<'c> {
    /// Known at compile time.
    Known(i64),
    /// Known at run time.
    Value(Val<'c>),
}

/// A box of a result: an offset and a size in each dimension, and in each loop that is reduced
/// where these are named.
#[derive(Clone, Debug)]
pub struct Tile<'c> {
    /// Offsets of its beginning.
    pub offsets: Vec<Number<'c>>,
    /// Numbers of its elements.
    pub sizes: Vec<Number<'c>>,
    /// Whether it is a part of a reduction, with which others are merged.
    pub is_part: bool,
}

/// An operation that was made for a tile.
#[derive(Clone, Debug, Default)]
pub struct Tiled<'c> {
    /// A value for each result.
    pub results: Vec<Val<'c>>,
    /// The operations that compute them.
    pub ops: Vec<Op<'c>>,
    /// The slices of operands.
    pub slices: Vec<Op<'c>>,
}

/// Builds the operation for a tile; `None` where it cannot be.
pub type TileOf = for<'b, 'c> fn(&'b Builder<'c>, Op<'c>, &Tile<'c>) -> Option<Tiled<'c>>;
/// Builds the sizes of a result, or of the loops where no number is given.
pub type SizesOf =
    for<'b, 'c> fn(&'b Builder<'c>, Op<'c>, Option<usize>) -> Option<Vec<Number<'c>>>;
/// Builds the results from those of parts, which have so many dimensions more.
pub type MergeOf = for<'b, 'c> fn(&'b Builder<'c>, Op<'c>, &[Val<'c>], usize) -> Option<Tiled<'c>>;

/// Builds tensors of these sizes in which nothing is summed up.
pub type BegunOf = for<'b, 'c> fn(&'b Builder<'c>, Op<'c>, &[Number<'c>]) -> Option<Tiled<'c>>;
/// Builds the sums with what is in a tile, which have a dimension more at the end for each of the
/// loops of these numbers.
pub type SummedOf =
    for<'b, 'c> fn(&'b Builder<'c>, Op<'c>, &Tile<'c>, &[Val<'c>], &[usize]) -> Option<Tiled<'c>>;

/// Answers about tiles.
#[derive(Clone, Copy)]
pub struct Hooks {
    /// Whether there is a tiled form of the operation of that full name.
    pub tiles: fn(&str) -> bool,
    /// Whether the operation of that full name has loops that reduce.
    pub reduces: fn(&str) -> bool,
    /// Number of loops that an operation reduces.
    pub loops: for<'c> fn(Op<'c>) -> usize,
    /// Sizes of results and of loops.
    pub sizes: SizesOf,
    /// The operation for a tile.
    pub tiled: TileOf,
    /// The results from those of parts.
    pub merged: MergeOf,
    /// Sums of nothing.
    pub begun: BegunOf,
    /// Sums with those of a tile.
    pub summed: SummedOf,
}

static HOOKS: OnceLock<Hooks> = OnceLock::new();

/// Gives the answers; the first call counts. Contexts that load StableHLO before it know nothing of
/// tiles.
pub fn install(hooks: Hooks) {
    HOOKS.get_or_init(|| hooks);
    let hooks = RawHooks {
        tiles,
        reduces,
        loops,
        sizes,
        tiled,
        merged,
        begun,
        summed,
    };
    // SAFETY: the functions stay valid and do not unwind; the list of them is copied.
    unsafe { mapwrightSetTilingHooks(&raw const hooks) }
}

#[repr(C)]
struct RawTile {
    rank: isize,
    offsets: *const i64,
    offset_values: *const MlirValue,
    sizes: *const i64,
    size_values: *const MlirValue,
    is_part: bool,
}

type Made = unsafe extern "C" fn(MlirOperation, bool, *mut c_void);
type TiledHook = unsafe extern "C" fn(
    MlirOperation,
    MlirBlock,
    MlirOperation,
    *const RawTile,
    Made,
    *mut MlirValue,
    *mut c_void,
) -> bool;

type SizesHook = unsafe extern "C" fn(
    MlirOperation,
    MlirBlock,
    MlirOperation,
    isize,
    *mut i64,
    *mut MlirValue,
) -> bool;
type MergedHook = unsafe extern "C" fn(
    MlirOperation,
    MlirBlock,
    MlirOperation,
    isize,
    *const MlirValue,
    isize,
    Made,
    *mut MlirValue,
    *mut c_void,
) -> bool;

type SummedHook = unsafe extern "C" fn(
    MlirOperation,
    MlirBlock,
    MlirOperation,
    *const RawTile,
    *const MlirValue,
    isize,
    *const isize,
    Made,
    *mut MlirValue,
    *mut c_void,
) -> bool;

#[repr(C)]
struct RawHooks {
    tiles: unsafe extern "C" fn(MlirStringRef) -> bool,
    reduces: unsafe extern "C" fn(MlirStringRef) -> bool,
    loops: unsafe extern "C" fn(MlirOperation) -> isize,
    sizes: SizesHook,
    tiled: TiledHook,
    merged: MergedHook,
    begun: TiledHook,
    summed: SummedHook,
}

unsafe extern "C" {
    fn mapwrightSetTilingHooks(hooks: *const RawHooks);
}

/// # Safety
///
/// `name` refers to readable bytes.
unsafe extern "C" fn tiles(name: MlirStringRef) -> bool {
    // SAFETY: promised by the caller.
    let name = unsafe { raw::string(name) };
    let answer = |hooks: &Hooks| guard(|| (hooks.tiles)(&name)).unwrap_or(false);
    HOOKS.get().is_some_and(answer)
}

/// # Safety
///
/// `name` refers to readable bytes.
unsafe extern "C" fn reduces(name: MlirStringRef) -> bool {
    // SAFETY: promised by the caller.
    let name = unsafe { raw::string(name) };
    let answer = |hooks: &Hooks| guard(|| (hooks.reduces)(&name)).unwrap_or(false);
    HOOKS.get().is_some_and(answer)
}

/// # Safety
///
/// The operation is valid.
unsafe extern "C" fn loops(op: MlirOperation) -> isize {
    // SAFETY: promised by the caller.
    let op = unsafe { Op::from_raw(op) };
    let answer = |hooks: &Hooks| guard(|| (hooks.loops)(op)).unwrap_or(0);
    HOOKS.get().map_or(0, answer) as isize
}

/// # Safety
///
/// The lists have `rank` numbers and values.
unsafe fn numbers<'c>(rank: isize, known: *const i64, values: *const MlirValue) -> Vec<Number<'c>> {
    let number = |i: usize| {
        // SAFETY: promised by the caller; a value is there where no number is.
        unsafe {
            match *known.add(i) {
                DYNAMIC => Number::Value(Val::from_raw(*values.add(i))),
                known => Number::Known(known),
            }
        }
    };
    (0..rank as usize).map(number).collect()
}

/// A builder in `block`, in front of `before` if there is one.
///
/// # Safety
///
/// All of them are valid.
unsafe fn builder<'c>(op: Op<'c>, block: MlirBlock, before: MlirOperation) -> Builder<'c> {
    // SAFETY: promised by the caller; a null operation is sorted out.
    unsafe {
        let b = Builder::new(op.context(), Blk::from_raw(block), op.location());
        b.insert_before((!before.ptr.is_null()).then(|| Op::from_raw(before)));
        b
    }
}

/// The answer of a hook; an error at the operation where it fails inside.
fn asked<T>(op: Op<'_>, hook: impl FnOnce(&Hooks) -> Option<T>) -> Option<T> {
    let hooks = HOOKS.get()?;
    guard(|| hook(hooks)).unwrap_or_else(|message| {
        op.emit_error(&format!("internal error in its tiles: {message}"));
        None
    })
}

/// Tells what was made, and gives the values of the results.
///
/// # Safety
///
/// `results` has room for a value of each result of `op`; `made` is called with its own data.
unsafe fn hand_over(
    op: Op<'_>,
    found: Option<Tiled<'_>>,
    made: Made,
    results: *mut MlirValue,
    data: *mut c_void,
) -> bool {
    let Some(found) = found.filter(|found| found.results.len() == op.num_results()) else {
        return false;
    };
    // SAFETY: promised by the caller.
    unsafe {
        for slice in &found.slices {
            made(slice.to_raw(), true, data);
        }
        for op in &found.ops {
            made(op.to_raw(), false, data);
        }
        for (i, value) in found.results.iter().enumerate() {
            use melior::ir::ValueLike;
            *results.add(i) = value.to_raw();
        }
    }
    true
}

/// # Safety
///
/// As in `Shim.h`; both lists have room for a number of each dimension or loop.
unsafe extern "C" fn sizes(
    op: MlirOperation,
    block: MlirBlock,
    before: MlirOperation,
    number: isize,
    known: *mut i64,
    values: *mut MlirValue,
) -> bool {
    // SAFETY: promised by the caller.
    let (op, b) = unsafe {
        let op = Op::from_raw(op);
        (op, builder(op, block, before))
    };
    let number = usize::try_from(number).ok();
    let Some(found) = asked(op, |hooks| (hooks.sizes)(&b, op, number)) else {
        return false;
    };
    for (i, size) in found.iter().enumerate() {
        use melior::ir::ValueLike;
        // SAFETY: promised by the caller.
        unsafe {
            match size {
                Number::Known(size) => *known.add(i) = *size,
                Number::Value(value) => {
                    *known.add(i) = DYNAMIC;
                    *values.add(i) = value.to_raw();
                }
            }
        }
    }
    true
}

/// # Safety
///
/// As in `Shim.h`; `results` has room for a value of each result.
#[allow(clippy::too_many_arguments)] // as in `Shim.h`
unsafe extern "C" fn merged(
    op: MlirOperation,
    block: MlirBlock,
    before: MlirOperation,
    count: isize,
    parts: *const MlirValue,
    loops: isize,
    made: Made,
    results: *mut MlirValue,
    data: *mut c_void,
) -> bool {
    // SAFETY: promised by the caller.
    unsafe {
        let op = Op::from_raw(op);
        let b = builder(op, block, before);
        let parts: Vec<Val<'_>> = (0..count as usize)
            .map(|i| Val::from_raw(*parts.add(i)))
            .collect();
        let found = asked(op, |hooks| (hooks.merged)(&b, op, &parts, loops as usize));
        hand_over(op, found, made, results, data)
    }
}

/// # Safety
///
/// As in `Shim.h`; `results` has room for a value of each result.
unsafe extern "C" fn tiled(
    op: MlirOperation,
    block: MlirBlock,
    before: MlirOperation,
    tile: *const RawTile,
    made: Made,
    results: *mut MlirValue,
    data: *mut c_void,
) -> bool {
    // SAFETY: promised by the caller.
    unsafe {
        let (op, tile) = (Op::from_raw(op), &*tile);
        let tile = Tile {
            offsets: numbers(tile.rank, tile.offsets, tile.offset_values),
            sizes: numbers(tile.rank, tile.sizes, tile.size_values),
            is_part: tile.is_part,
        };
        let b = builder(op, block, before);
        let found = asked(op, |hooks| (hooks.tiled)(&b, op, &tile));
        hand_over(op, found, made, results, data)
    }
}

/// # Safety
///
/// As in `Shim.h`; `results` has room for a value of each result.
unsafe extern "C" fn begun(
    op: MlirOperation,
    block: MlirBlock,
    before: MlirOperation,
    tile: *const RawTile,
    made: Made,
    results: *mut MlirValue,
    data: *mut c_void,
) -> bool {
    // SAFETY: promised by the caller.
    unsafe {
        let (op, tile) = (Op::from_raw(op), &*tile);
        let sizes = numbers(tile.rank, tile.sizes, tile.size_values);
        let b = builder(op, block, before);
        let found = asked(op, |hooks| (hooks.begun)(&b, op, &sizes));
        hand_over(op, found, made, results, data)
    }
}

/// # Safety
///
/// As in `Shim.h`; `sums` and `results` have a value of each result.
#[allow(clippy::too_many_arguments)] // as in `Shim.h`
unsafe extern "C" fn summed(
    op: MlirOperation,
    block: MlirBlock,
    before: MlirOperation,
    tile: *const RawTile,
    sums: *const MlirValue,
    cut_count: isize,
    cut: *const isize,
    made: Made,
    results: *mut MlirValue,
    data: *mut c_void,
) -> bool {
    // SAFETY: promised by the caller.
    unsafe {
        let (op, tile) = (Op::from_raw(op), &*tile);
        let tile = Tile {
            offsets: numbers(tile.rank, tile.offsets, tile.offset_values),
            sizes: numbers(tile.rank, tile.sizes, tile.size_values),
            is_part: tile.is_part,
        };
        let sums = (0..op.num_results()).map(|i| Val::from_raw(*sums.add(i)));
        let sums: Vec<Val<'_>> = sums.collect();
        let cut: Vec<usize> = (0..cut_count as usize)
            .map(|i| *cut.add(i) as usize)
            .collect();
        let b = builder(op, block, before);
        let found = asked(op, |hooks| (hooks.summed)(&b, op, &tile, &sums, &cut));
        hand_over(op, found, made, results, data)
    }
}
