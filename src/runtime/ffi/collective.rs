//! Worlds and collectives.

use std::ffi::{c_char, c_void};
use std::sync::Arc;
use std::time::Duration;

use super::sort::slice;
use super::{guard, size, text};
use crate::collective::{self, Groups, Mode, Place, Reducer, Reduction, World};
use crate::error;
use crate::floating_point::as_specified;
use crate::{Context, ElementKind, Error, Result, Status};

/// `count` rows of `size` numbers; -1 fills up short rows; no rows: one group of all.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ProcessGroups {
    pub mode: i32,
    pub ids: *const i64,
    pub count: i64,
    pub size: i64,
}

/// A tensor that takes part in a collective; `shape` is that of the input.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CollectiveOperand {
    pub kind: i32,
    pub rank: i32,
    pub shape: *const i64,
    pub input: *const c_void,
    pub output: *mut c_void,
}

/// A world of `replicas * partitions` processes, numbered `replica * partitions + partition`, whose
/// operations wait at most this long for each other. Null for senseless numbers. To be freed with
/// `mw_world_destroy`; contexts in it keep it alive.
#[unsafe(no_mangle)]
pub extern "C" fn mw_world_create(
    replicas: i64,
    partitions: i64,
    timeout_milliseconds: i64,
) -> *const World {
    let make = || {
        let timeout = Duration::from_millis(u64::try_from(timeout_milliseconds).unwrap_or(0));
        let world = World::new(
            size(replicas, "the replicas")?,
            size(partitions, "the partitions")?,
            timeout,
        )?;
        Ok::<_, Error>(Arc::into_raw(Arc::new(world)))
    };
    std::panic::catch_unwind(make)
        .map_or(std::ptr::null(), |world| world.unwrap_or(std::ptr::null()))
}

/// Frees a world; null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_world_destroy(world: *const World) {
    if !world.is_null() {
        // SAFETY: it came from `mw_world_create`, which handed over one count.
        let world = unsafe { Arc::from_raw(world) };
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(world)));
    }
}

/// Lets every operation of the world fail, now and later.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_world_abort(world: *const World, status: i32, message: *const c_char) {
    // SAFETY: the caller gives a live world or null, and a string.
    let (world, message) = unsafe { (world.as_ref(), text(message)) };
    if let Some(world) = world {
        let error = Error::new(Status::from_code(status), message);
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| world.abort(error)));
    }
}

/// A context like `context`, for a process of a world. Null (and an error in `context`) when the
/// place is outside of the world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_context_fork_as(
    context: *const Context,
    world: *const World,
    replica: i64,
    partition: i64,
) -> *mut Context {
    let mut result = std::ptr::null_mut();
    // SAFETY: the caller gives a live context, and a world of `mw_world_create`, of which another
    // count is taken.
    unsafe {
        guard(context, |context| {
            if world.is_null() {
                return Err(Error::invalid("no world"));
            }
            Arc::increment_strong_count(world);
            let world = Arc::from_raw(world);
            let place = Place {
                replica: size(replica, "the replica")?,
                partition: size(partition, "the partition")?,
            };
            result = Box::into_raw(Box::new(context.fork_as(&world, place)?));
            Ok(())
        });
    }
    result
}

/// The world of a context; valid as long as the context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_context_world(context: *const Context) -> *const World {
    // SAFETY: the caller gives a live context or null.
    unsafe { context.as_ref() }.map_or(std::ptr::null(), |c| Arc::as_ptr(c.world()))
}

/// The replica that a context runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_replica_id(context: *const Context) -> i64 {
    // SAFETY: the caller gives a live context or null.
    unsafe { context.as_ref() }.map_or(0, |c| c.place().replica as i64)
}

/// The partition that a context runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_partition_id(context: *const Context) -> i64 {
    // SAFETY: the caller gives a live context or null.
    unsafe { context.as_ref() }.map_or(0, |c| c.place().partition as i64)
}

/// Lets the next collective of a context, which is at `place` in the program, run beside what
/// follows it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_collective_start(context: *const Context, place: *const c_char) {
    // SAFETY: the caller gives a live context or null.
    if let Some(context) = unsafe { context.as_ref() } {
        context.start_next(place);
    }
}

/// Waits until at most `count` of the collectives that were started are under way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_collective_wait(context: *const Context, count: i64) -> i32 {
    // SAFETY: the caller gives a live context or null.
    unsafe {
        guard(context, |context| {
            let process = context.world().process(context.place())?;
            (context.world()).wait(process, size(count, "the number of collectives")?)
        })
    }
}

/// Work that is handed to another thread, with addresses in it.
struct Handed<T>(T);

// SAFETY: what the addresses lead to stays as it is until the caller has waited for the collective;
// the thread that started it does not use them meanwhile.
unsafe impl<T> Send for Handed<T> {}

impl<T> Handed<T> {
    fn take(self) -> T {
        self.0
    }
}

/// Reads what C gives a collective and runs `body` with it, or starts it.
///
/// # Safety
/// The pointers are valid: one struct each, with arrays of the lengths they state. What they lead
/// to, and what `body` reads, is so until a collective that is started was waited for.
unsafe fn collective(
    context: *const Context,
    groups: *const ProcessGroups,
    operand: *const CollectiveOperand,
    body: impl FnOnce(&Context, Groups<'_>, collective::Operand<'_>) -> Result<()> + 'static,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        guard(context, |context| {
            let start = context.take_start();
            let operand = *operand
                .as_ref()
                .ok_or_else(|| Error::invalid("a collective without operand"))?;
            let groups = groups.as_ref().copied();
            let run = move |context: &Context| {
                let shape: Vec<usize> = slice(operand.shape, operand.rank.into(), "the rank")?
                    .iter()
                    .map(|s| size(*s, "a size"))
                    .collect::<Result<_>>()?;
                let operand = collective::Operand {
                    kind: ElementKind::from_code(operand.kind)?,
                    shape: &shape,
                    input: operand.input.cast(),
                    output: operand.output.cast(),
                };
                let groups = match groups {
                    None => Groups {
                        mode: Mode::CrossReplica,
                        ids: &[],
                        size: 0,
                    },
                    Some(groups) => {
                        let row = size(groups.size, "the size of a process group")?;
                        let count = size(groups.count, "the number of process groups")?;
                        let total = row.checked_mul(count).and_then(|n| i64::try_from(n).ok());
                        let total =
                            total.ok_or_else(|| Error::invalid("too many process groups"))?;
                        Groups {
                            mode: Mode::from_code(groups.mode)?,
                            ids: slice(groups.ids, total, "process groups")?,
                            size: row,
                        }
                    }
                };
                body(context, groups, operand)
            };
            let world = context.world();
            let process = world.process(context.place())?;
            if start.is_null() {
                world.wait(process, 0)?;
                return run(context);
            }
            let (handed, context, place) = (Handed(run), context.fork(), text(start));
            world.start(process, move || {
                let _within = as_specified();
                let outcome = handed.take()(&context);
                // Nobody else looks at what reducers left on this thread.
                let left = error::left().map_or(Ok(()), Err);
                outcome.and(left).map_err(|error| {
                    Error::new(error.status, format!("{}, in {place}", error.message))
                })
            })
        })
    }
}

/// Combines the inputs of all members, in the order of the group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_all_reduce(
    context: *const Context,
    key: i64,
    groups: *const ProcessGroups,
    operand: *const CollectiveOperand,
    reducer: Reducer,
    environment: *const c_void,
) -> i32 {
    let reduction = Reduction {
        function: reducer,
        environment,
    };
    // SAFETY: the caller gives valid structs, buffers of the shapes they state, and a reducer for
    // them.
    unsafe {
        collective(context, groups, operand, move |context, groups, operand| {
            collective::all_reduce(context, key, groups, operand, reduction)
        })
    }
}

/// Concatenates the inputs of all members along a dimension.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_all_gather(
    context: *const Context,
    key: i64,
    groups: *const ProcessGroups,
    operand: *const CollectiveOperand,
    dimension: i64,
) -> i32 {
    // SAFETY: the caller gives valid structs and buffers of the shapes they state.
    unsafe {
        collective(context, groups, operand, move |context, groups, operand| {
            collective::all_gather(
                context,
                key,
                groups,
                operand,
                size(dimension, "the dimension")?,
            )
        })
    }
}

/// Splits along one dimension, exchanges the pieces, concatenates along another.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_all_to_all(
    context: *const Context,
    key: i64,
    groups: *const ProcessGroups,
    operand: *const CollectiveOperand,
    split_dimension: i64,
    concat_dimension: i64,
) -> i32 {
    // SAFETY: the caller gives valid structs and buffers of the shapes they state.
    unsafe {
        collective(context, groups, operand, move |context, groups, operand| {
            let dimensions = (
                size(split_dimension, "the dimension")?,
                size(concat_dimension, "the dimension")?,
            );
            collective::all_to_all(context, key, groups, operand, dimensions)
        })
    }
}

/// The member's piece, along a dimension, of the combined inputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_reduce_scatter(
    context: *const Context,
    key: i64,
    groups: *const ProcessGroups,
    operand: *const CollectiveOperand,
    dimension: i64,
    reducer: Reducer,
    environment: *const c_void,
) -> i32 {
    let reduction = Reduction {
        function: reducer,
        environment,
    };
    // SAFETY: the caller gives valid structs, buffers of the shapes they state, and a reducer for
    // them.
    unsafe {
        collective(context, groups, operand, move |context, groups, operand| {
            collective::reduce_scatter(
                context,
                key,
                groups,
                operand,
                size(dimension, "the dimension")?,
                reduction,
            )
        })
    }
}

/// Sends the inputs of sources to targets (`pair_count` pairs of replicas or partitions); zeros for
/// who is no target.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_collective_permute(
    context: *const Context,
    key: i64,
    mode: i32,
    pairs: *const i64,
    pair_count: i64,
    operand: *const CollectiveOperand,
) -> i32 {
    // SAFETY: the caller gives valid structs and buffers of the shapes they state.
    unsafe {
        collective(
            context,
            std::ptr::null(),
            operand,
            move |context, _, operand| {
                let pairs = slice(pairs, pair_count.saturating_mul(2), "the number of pairs")?;
                collective::permute(context, key, Mode::from_code(mode)?, pairs, operand)
            },
        )
    }
}

/// Gives the input of each group's first member to all of it; zeros for who is in no group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_collective_broadcast(
    context: *const Context,
    key: i64,
    groups: *const ProcessGroups,
    operand: *const CollectiveOperand,
    root: i64,
) -> i32 {
    // SAFETY: the caller gives valid structs and buffers of the shapes they state.
    unsafe {
        collective(context, groups, operand, move |context, groups, operand| {
            collective::broadcast(context, key, groups, operand, root)
        })
    }
}

/// Combines the inputs of all members for the one at place `root`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_collective_reduce(
    context: *const Context,
    key: i64,
    groups: *const ProcessGroups,
    operand: *const CollectiveOperand,
    root: i64,
    reducer: Reducer,
    environment: *const c_void,
) -> i32 {
    let reduction = Reduction {
        function: reducer,
        environment,
    };
    // SAFETY: the caller gives valid structs, buffers of the shapes they state, and a reducer for
    // them.
    unsafe {
        collective(context, groups, operand, move |context, groups, operand| {
            collective::reduce(context, key, groups, operand, root, reduction)
        })
    }
}
