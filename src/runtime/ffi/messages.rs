//! Messages between processes, and with the host program.

use std::ffi::c_void;

use super::sort::slice;
use super::{guard, output, size};
use crate::collective::{ANY, HOST, INFEED, NOBODY, World};
use crate::{Context, Result};

/// The channel of the outfeed; programs number theirs from 0.
const OUTFEED: i64 = -2;

/// Sends a message; never waits.
///
/// # Safety
/// `data` is valid for `bytes` bytes.
unsafe fn send(
    world: &World,
    channel: i64,
    from: i64,
    to: i64,
    data: *const c_void,
    bytes: i64,
) -> Result<()> {
    // SAFETY: the caller's promise.
    world.send(channel, from, to, unsafe {
        slice(data.cast::<u8>(), bytes, "the size of a message")?
    })
}

/// Receives a message.
///
/// # Safety
/// `data` is valid for `bytes` bytes, which nobody else accesses.
unsafe fn receive(
    world: &World,
    channel: i64,
    from: i64,
    to: i64,
    data: *mut c_void,
    bytes: i64,
) -> Result<()> {
    let bytes = size(bytes, "the size of a message")?;
    // SAFETY: the caller's promise.
    let message = unsafe { output(data.cast::<u8>(), bytes) };
    world.receive(channel, from, to, message)
}

fn own(context: &Context) -> Result<i64> {
    Ok(context.world().process(context.place())? as i64)
}

/// Returns the other end of the messages of this process by `pair_count` pairs (source, target);
/// -3 where it is in none on its side, and after a failure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_message_peer(
    context: *const Context,
    pairs: *const i64,
    pair_count: i64,
    sends: i32,
) -> i64 {
    let mut peer = NOBODY;
    // SAFETY: the caller gives so many pairs.
    unsafe {
        guard(context, |context| {
            let pairs = slice(pairs, pair_count.saturating_mul(2), "the number of pairs")?;
            let (pairs, _) = pairs.as_chunks::<2>();
            peer = context.world().peer(context.place(), pairs, sends != 0)?;
            Ok(())
        });
    }
    peer
}

/// Sends to a process (-1: the host program; -2: whoever asks first; -3: nobody).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_send(
    context: *const Context,
    channel: i64,
    to: i64,
    data: *const c_void,
    bytes: i64,
) -> i32 {
    // SAFETY: the caller gives a buffer of this size.
    unsafe {
        guard(context, |context| {
            send(context.world(), channel, own(context)?, to, data, bytes)
        })
    }
}

/// Receives from a process (-1: the host program; -2: anybody; -3: nobody, zeros), waiting for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_recv(
    context: *const Context,
    channel: i64,
    from: i64,
    data: *mut c_void,
    bytes: i64,
) -> i32 {
    // SAFETY: the caller gives a buffer of this size.
    unsafe {
        guard(context, |context| {
            receive(context.world(), channel, from, own(context)?, data, bytes)
        })
    }
}

/// Takes the next value that the host program fed to this process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_infeed(context: *const Context, data: *mut c_void, bytes: i64) -> i32 {
    // SAFETY: the caller gives a buffer of this size.
    unsafe {
        guard(context, |context| {
            receive(context.world(), INFEED, HOST, own(context)?, data, bytes)
        })
    }
}

/// Hands a value to the host program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_outfeed(
    context: *const Context,
    data: *const c_void,
    bytes: i64,
) -> i32 {
    // SAFETY: the caller gives a buffer of this size.
    unsafe {
        guard(context, |context| {
            send(context.world(), OUTFEED, own(context)?, HOST, data, bytes)
        })
    }
}

/// The host's side of `mw_infeed`: feeds a value to a process of the context's world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_host_infeed(
    context: *const Context,
    process: i64,
    data: *const c_void,
    bytes: i64,
) -> i32 {
    // SAFETY: the caller gives a buffer of this size.
    unsafe {
        guard(context, |context| {
            send(context.world(), INFEED, HOST, process, data, bytes)
        })
    }
}

/// The host's side of `mw_outfeed`: takes the next value from a process of the context's world (-2:
/// from any), waiting for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_host_outfeed(
    context: *const Context,
    process: i64,
    data: *mut c_void,
    bytes: i64,
) -> i32 {
    debug_assert_eq!(ANY, -2);
    // SAFETY: the caller gives a buffer of this size.
    unsafe {
        guard(context, |context| {
            receive(context.world(), OUTFEED, process, HOST, data, bytes)
        })
    }
}

/// The host's side of `mw_send`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_host_recv(
    context: *const Context,
    channel: i64,
    process: i64,
    data: *mut c_void,
    bytes: i64,
) -> i32 {
    // SAFETY: the caller gives a buffer of this size.
    unsafe {
        guard(context, |context| {
            receive(context.world(), channel, process, HOST, data, bytes)
        })
    }
}

/// The host's side of `mw_recv`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_host_send(
    context: *const Context,
    channel: i64,
    process: i64,
    data: *const c_void,
    bytes: i64,
) -> i32 {
    // SAFETY: the caller gives a buffer of this size.
    unsafe {
        guard(context, |context| {
            send(context.world(), channel, HOST, process, data, bytes)
        })
    }
}
