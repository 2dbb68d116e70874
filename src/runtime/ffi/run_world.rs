//! Running the processes of a world, each on a thread of its own.

use std::ffi::c_void;
use std::sync::Arc;
use std::time::Duration;

use super::{guard, messages::mw_host_infeed, size};
use crate::collective::{Place, World};
use crate::{Context, Error, Status};

/// An entry point of a compiled program.
pub type EntryPoint = unsafe extern "C" fn(
    context: *const Context,
    arguments: *const *const c_void,
    argument_sizes: *const i64,
    results: *mut *mut c_void,
    result_sizes: *mut i64,
) -> i32;

/// One process: what it runs, on what.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ProcessCall {
    pub entry: EntryPoint,
    pub arguments: *const *const c_void,
    pub argument_sizes: *const i64,
    pub results: *mut *mut c_void,
    pub result_sizes: *mut i64,
}

// SAFETY: the caller of `mw_run_world` gives every process memory of its own.
unsafe impl Send for ProcessCall {}

/// A message for the infeed of process 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct InfeedMessage {
    pub data: *const c_void,
    pub bytes: i64,
}

/// Runs `replicas * partitions` processes at once and waits for them; the first failure (by process
/// number) becomes the context's. The infeed messages are there from the start. Processes wait at
/// most `timeout_milliseconds` for each other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_run_world(
    context: *const Context,
    replicas: i64,
    partitions: i64,
    timeout_milliseconds: i64,
    processes: *const ProcessCall,
    infeed: *const InfeedMessage,
    infeed_count: i64,
) -> i32 {
    // SAFETY: the caller gives a live context, as many calls as there are processes, and the
    // messages.
    unsafe {
        guard(context, |context| {
            let (replicas, partitions) = (
                size(replicas, "the replicas")?,
                size(partitions, "the partitions")?,
            );
            let timeout = Duration::from_millis(u64::try_from(timeout_milliseconds).unwrap_or(0));
            let world = Arc::new(World::new(replicas, partitions, timeout)?);
            let mut contexts = Vec::new();
            for replica in 0..replicas {
                for partition in 0..partitions {
                    contexts.push(context.fork_as(&world, Place { replica, partition })?);
                }
            }
            for i in 0..size(infeed_count, "the infeed messages")? {
                let message = *infeed.add(i);
                if let Some(first) = contexts.first() {
                    mw_host_infeed(first, 0, message.data, message.bytes);
                }
            }
            std::thread::scope(|scope| {
                let handles: Vec<_> = contexts
                    .iter()
                    .enumerate()
                    .map(|(i, own)| {
                        let call = *processes.add(i);
                        let world = &world;
                        scope.spawn(move || {
                            let call = call;
                            let status = (call.entry)(
                                own,
                                call.arguments,
                                call.argument_sizes,
                                call.results,
                                call.result_sizes,
                            );
                            if status != 0 {
                                let error = own.error().unwrap_or_else(|| {
                                    Error::new(Status::from_code(status), "a process failed")
                                });
                                world.abort(error);
                            }
                        })
                    })
                    .collect();
                for handle in handles {
                    // A panic of generated code's runtime is already an error of its context.
                    let _ = handle.join();
                }
            });
            match contexts.iter().find_map(Context::error) {
                Some(error) => Err(error),
                None => Ok(()),
            }
        })
    }
}
