//! Programs of several devices: a program on whole tensors, some of which say how they lie on
//! devices, becomes the program of one device.
//!
//! Layouts are propagated by indexing maps. Then each operation is done in turn. Which digits of
//! the device's number split its loops follows from its maps and the layouts that its operands
//! have; that says which slice of each operand it needs ([`moves`] brings it there) and which slice
//! of the results it makes. The operation itself on these slices is right if its map on slices,
//! seen from the whole tensors, is its map on whole tensors ([`local`], which proves that); where
//! it is not, for some loop, that loop is not split. Where nothing is left to be split, each device
//! computes the operation on whole operands. No operation is known by name, but for control flow,
//! what belongs to devices, and `iota`, whose elements no operand has.
//!
//! - [`sites`], [`read`]: shardings in a module, in every notation;
//! - [`program`]: a block as the program over plain data that layouts are propagated through;
//! - [`engine`]: the walk over a block, [`divided`]: operations on slices, [`elements`]: what needs
//!   none;
//! - [`uneven`]: dimensions whose size devices do not divide are padded first;
//! - [`rewrites`]: operations that are written otherwise first: [`parts`], reads and updates at
//!   computed indices, and [`halos`], windows;
//! - [`combine`]: all-reduces that are sent together;
//! - [`control`]: loops and branches; [`by_hand`]: computations that are written for one device by
//!   hand.

mod by_hand;
mod combine;
mod control;
mod divided;
mod elements;
mod engine;
mod halos;
mod local;
mod moves;
mod names;
mod parts;
pub mod program;
pub mod read;
mod rewrites;
mod signature;
pub mod sites;
mod slices;
mod split;
mod uneven;

use crate::{inline::inline_calls, layouts};
use engine::Engine;
use mapwright_mlir::{Loc, Op, diagnostic::Failure};
use mapwright_sharding::{DeviceMatrix, ShardedTensor, notation::Mesh};
pub use signature::forget_unused;
use sites::{Devices, Place, Site, fail};

/// Remark about an operation: a decision and its reason.
pub struct Remark<'c> {
    /// The place in the program.
    pub location: Loc<'c>,
    /// A sentence.
    pub text: String,
}

/// Placement of arguments and results on devices.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    /// The number of devices.
    pub devices: i64,
    /// Each argument; `None` for what every device has as a whole.
    pub inputs: Vec<Option<ShardedTensor>>,
    /// Likewise the results.
    pub outputs: Vec<Option<ShardedTensor>>,
}

/// The program of one device.
pub struct Partitioned<'c> {
    /// Placement of its arguments and results: slices of those of the program on whole tensors.
    pub placement: Placement,
    /// A remark for each collective, and for each operation that every device computes as a whole
    /// although its operands are split.
    pub remarks: Vec<Remark<'c>>,
}

/// The number of devices that a module is written for: what it says itself, or the largest of its
/// meshes.
///
/// # Errors
/// A mesh that cannot be read.
pub fn devices_of(module: Op<'_>) -> Result<i64, Failure> {
    let devices = Devices::from_module(module, 0)?;
    let meshes = devices.meshes.iter().filter_map(|mesh| mesh.device_count());
    Ok(devices.count.into_iter().chain(meshes).max().unwrap_or(1))
}

/// The order of the devices that layouts list, if it is no permutation of axes. Layouts with
/// another one are refused later.
fn order_of(devices: &Devices, given: &[Site<'_>], count: i64) -> Option<Vec<i64>> {
    let of_mesh = |mesh: &Mesh| {
        let ids = mesh.device_ids.as_ref()?;
        let all = DeviceMatrix::new(&[count], &["devices"]).ok()?;
        let whole = all.layout(&[] as &[&str]).ok()?.with_device_ids(ids).ok()?;
        whole.device_ids().map(<[i64]>::to_vec)
    };
    let listed = given.iter().map(|site| site.layout.device_ids());
    let listed = listed.map(|ids| ids.map(<[i64]>::to_vec));
    let mut all = listed.chain(devices.meshes.iter().map(of_mesh)).flatten();
    all.find(|ids| ids.iter().all(|id| (0..count).contains(id)))
}

/// Makes the function the program of one of `count` devices, with collectives between them; calls
/// in it are inlined, at most `most` operations of them. Zero: as many devices as the module says.
///
/// # Errors
/// Shardings that cannot be read or are of other numbers of devices, operations that are written
/// for one device already, and what cannot be inlined.
pub fn partition<'c>(
    module: Op<'c>,
    function: Op<'c>,
    count: i64,
    most: usize,
) -> Result<Partitioned<'c>, Failure> {
    inline_calls(module, function, most)
        .and_then(|_| layouts::legalize(function))
        .map_err(|error| Failure::at(error.op.location(), &error.message))?;
    let devices = Devices::from_module(module, count)?;
    let count = match count {
        0 => devices_of(module)?,
        given => given,
    };
    let mut remarks = Vec::new();
    let mut is_whole = |place: Place<'c>, why: &dyn std::fmt::Display| {
        remarks.push(Remark {
            location: place.op().location(),
            text: format!("{} is whole on every device: {why}", place.what()),
        });
    };
    let applies = |op: Op<'c>| !sites::is_within_one_by_hand(op);
    let mut uneven = Vec::new();
    read::function_with(function, &devices, &applies, &mut |place, layout, _| {
        uneven.push((place, layout));
        Ok(())
    })?;
    let padded = uneven::pad(function, &uneven);
    let mut unfit = |place, _, why| {
        is_whole(place, &why);
        Ok(())
    };
    let mut given = read::function_with(function, &devices, &applies, &mut unfit)?;
    given.extend(padded);
    given.retain(|site| {
        let alone = count > 1 && site.layout.device_count() == 1;
        if alone {
            is_whole(site.place, &"the program wants it on one device only");
        }
        !alone
    });
    let first = given
        .iter()
        .find(|site| site.layout.device_count() != count);
    if let Some(site) = first {
        let has = site.layout.device_count();
        return Err(fail(
            site.place,
            format!("it is for {has} devices, and the program runs on {count}"),
        ));
    }
    let matrix = given.iter().map(|site| site.layout.device_matrix().clone());
    let matrix = matrix.max_by_key(|matrix| matrix.sizes().len());
    let of_mesh = || {
        let mesh = devices.meshes.iter();
        let mut mesh = mesh.filter(|mesh| mesh.device_count() == Some(count));
        let (names, sizes): (Vec<&String>, Vec<i64>) = mesh
            .next()?
            .axes
            .iter()
            .map(|(name, size)| (name, *size))
            .unzip();
        DeviceMatrix::new(&sizes, &names).ok()
    };
    let matrix = matrix.or_else(of_mesh);
    let matrix = matrix.or_else(|| DeviceMatrix::new(&[count], &["devices"]).ok());
    let Some(matrix) = matrix else {
        return Err(Failure::at(
            function.location(),
            &format!("{count} devices do not exist"),
        ));
    };
    let order = order_of(&devices, &given, count);
    let made = Engine::new((module, function), devices, matrix, order, remarks)
        .function(function, &given)?;
    signature::forget_uncalled(module);
    Ok(made)
}
