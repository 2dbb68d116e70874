//! Upstream's `TilingInterface` of StableHLO's operations: what the C++ of `cmake/shim/Tiling.cpp` asks Rust.

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

/// A box of a result: an offset and a size in each dimension.
#[derive(Clone, Debug)]
pub struct Tile<'c> {
    /// Where it begins.
    pub offsets: Vec<Number<'c>>,
    /// How many elements it has.
    pub sizes: Vec<Number<'c>>,
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

/// Answers about tiles.
#[derive(Clone, Copy)]
pub struct Hooks {
    /// Is there a tiled form of the operation of that full name?
    pub tiles: fn(&str) -> bool,
    /// The operation for a tile; `None` where it cannot be.
    pub tiled: for<'b, 'c> fn(&'b Builder<'c>, Op<'c>, &Tile<'c>) -> Option<Tiled<'c>>,
}

static HOOKS: OnceLock<Hooks> = OnceLock::new();

/// Gives the answers; the first call counts. Contexts that load StableHLO before it know nothing of tiles.
pub fn install(hooks: Hooks) {
    HOOKS.get_or_init(|| hooks);
    // SAFETY: both functions stay valid and do not unwind.
    unsafe { mapwrightSetTilingHooks(tiles, tiled) }
}

#[repr(C)]
struct RawTile {
    rank: isize,
    offsets: *const i64,
    offset_values: *const MlirValue,
    sizes: *const i64,
    size_values: *const MlirValue,
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

unsafe extern "C" {
    fn mapwrightSetTilingHooks(
        tiles: unsafe extern "C" fn(MlirStringRef) -> bool,
        tiled: TiledHook,
    );
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
    let (op, block, tile) = unsafe {
        let tile = &*tile;
        let parts = Tile {
            offsets: numbers(tile.rank, tile.offsets, tile.offset_values),
            sizes: numbers(tile.rank, tile.sizes, tile.size_values),
        };
        (Op::from_raw(op), Blk::from_raw(block), parts)
    };
    let b = Builder::new(op.context(), block, op.location());
    // SAFETY: a null operation is sorted out.
    b.insert_before((!before.ptr.is_null()).then(|| unsafe { Op::from_raw(before) }));
    let outcome = HOOKS
        .get()
        .map(|hooks| guard(|| (hooks.tiled)(&b, op, &tile)));
    let found = match outcome {
        Some(Ok(Some(found))) if found.results.len() == op.num_results() => found,
        Some(Err(message)) => {
            op.emit_error(&format!("internal error in its tiles: {message}"));
            return false;
        }
        _ => return false,
    };
    // SAFETY: there is room for the results, and the callback is called with its own data.
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
