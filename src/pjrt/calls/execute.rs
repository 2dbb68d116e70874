//! Execution: what a call needs is gathered, and made when its arguments are there.
//!
//! A program that took little time the last time is run by the caller, and its results are ready
//! when the call returns: a thread's switch costs more than it computes. Others run on the queue of
//! their device. One that calls functions of its user's may wait for other programs, and one of
//! several processes waits for these; they have threads of their own.

use crate::{
    border::{
        Error, Handle,
        abi::executable::LoadedExecutableExecuteArgs,
        block::{Block, Reading},
        call::{Argument, Call},
        enter, record, slice, slice_mut, text_of,
    },
    buffer::{Buffer, Donated},
    client::KINDS,
    compile::Donation,
    event::{Event, Ready},
    executable::LoadedExecutable,
    foreign::Callbacks,
    layout::Shape,
    queue,
    spread::{TIMEOUT, is_overlap_asked},
    status::{Code, Result, Status},
};
use mapwright_runtime::{
    Context,
    collective::{Place, World},
    floating_point::as_specified,
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// Duration below which a call is run by the caller.
const SHORT: Duration = Duration::from_micros(100);

/// A program that has not run yet is taken for short if it has no more bytes of arguments and
/// results.
const SMALL: usize = 1 << 18;

/// A process of a program: a call on a device, and the event of its end.
struct Process {
    call: Call,
    context: Context,
    /// Place at which it meets the others.
    world: Option<Arc<World>>,
    device: usize,
    done: Arc<Ready>,
}

impl Process {
    fn run(self) {
        let start = Instant::now();
        // The thread may be one of its user's, who flushes subnormal numbers, as XLA's threads do.
        let _environment = as_specified();
        let outcome = catch_unwind(AssertUnwindSafe(|| self.call.run(&self.context)));
        let outcome = outcome.unwrap_or_else(|panic| {
            let said = text_of(panic.as_ref());
            Err(Status::internal(format!(
                "internal error while running: {said}"
            )))
        });
        if let (Err(status), Some(world)) = (&outcome, &self.world) {
            let reason = mapwright_runtime::Error::new(
                mapwright_runtime::Status::Internal,
                status.message(),
            );
            world.abort(reason);
        }
        let nanoseconds = start.elapsed().as_nanos().try_into().unwrap_or(u64::MAX);
        let last = &self.call.compiled.last;
        last.store(nanoseconds.max(1), Ordering::Relaxed);
        let done = Arc::clone(&self.done);
        // Arguments are free before somebody hears of the results.
        drop(self);
        done.set(outcome);
    }
}

/// A call on all devices of an executable.
struct Launch<'a> {
    loaded: &'a LoadedExecutable,
    devices: Vec<usize>,
    /// Events of arguments that are not there yet.
    pending: Vec<Arc<Ready>>,
    /// Failure of an argument.
    failed: Option<Status>,
    processes: Vec<Process>,
}

pub(crate) extern "C" fn execute(args: *mut LoadedExecutableExecuteArgs) -> Handle<Error> {
    enter("PJRT_LoadedExecutable_Execute", args, |args| {
        let loaded = args.executable.get()?;
        if loaded.is_deleted() {
            let message = "the executable has been deleted".to_owned();
            return Err(Status::new(Code::FailedPrecondition, message));
        }
        let devices = devices(loaded, args)?;
        let options = record(args.options);
        let kept = options.as_ref().map_or(&[][..], |options| {
            slice(
                options.non_donatable_input_indices,
                options.num_non_donatable_input_indices,
            )
        });
        let callbacks = match &options {
            Some(options) if !options.context.is_null() => options.context.get()?.callbacks(),
            _ => Callbacks::default(),
        };
        let mut launch = Launch {
            loaded,
            pending: Vec::new(),
            failed: None,
            processes: Vec::with_capacity(devices.len()),
            devices,
        };
        let lists = slice(args.argument_lists, args.num_devices);
        let mut outputs = Vec::with_capacity(args.num_devices);
        let world = launch.world()?;
        for i in 0..args.num_devices {
            let given = lists
                .get(i)
                .map_or(&[][..], |list| slice(*list, args.num_args));
            outputs.push(launch.prepare(i, given, kept, callbacks.clone(), world.as_ref())?);
        }
        let done: Vec<Arc<Ready>> = launch
            .processes
            .iter()
            .map(|process| Arc::clone(&process.done))
            .collect();
        launch.start();
        let rooms = slice(args.output_lists, args.num_devices);
        let events = slice_mut(args.device_complete_events, args.num_devices);
        for (i, (blocks, done)) in outputs.into_iter().zip(done).enumerate() {
            if let Some(room) = rooms.get(i) {
                for (place, buffer) in slice_mut(*room, blocks.len()).iter_mut().zip(blocks) {
                    *place = Handle::give(buffer);
                }
            }
            if let Some(event) = events.get_mut(i) {
                *event = Event::give(done);
            }
        }
        Ok(())
    })
}

/// The numbers of the devices that a call runs on.
fn devices(loaded: &LoadedExecutable, args: &LoadedExecutableExecuteArgs) -> Result<Vec<usize>> {
    if !args.execute_device.is_null() {
        return match args.num_devices {
            1 => Ok(vec![args.execute_device.get()?.index]),
            n => Err(Status::invalid(format!(
                "a call on one device has the arguments of {n}"
            ))),
        };
    }
    let own: Vec<usize> = loaded
        .devices
        .iter()
        .map(|device| device.get().map(|device| device.index))
        .collect::<Result<_>>()?;
    if own.len() == args.num_devices {
        Ok(own)
    } else {
        Err(Status::invalid(format!(
            "the executable runs on {} devices, but there are arguments for {}",
            own.len(),
            args.num_devices
        )))
    }
}

impl Launch<'_> {
    /// Returns the place at which the processes meet, if there are several.
    fn world(&self) -> Result<Option<Arc<World>>> {
        let options = &self.loaded.options;
        let (replicas, partitions) = (options.replicas, options.partitions);
        if replicas * partitions == 1 {
            return Ok(None);
        }
        let devices = options.devices.as_deref().unwrap_or_default();
        let world = match &self.loaded.shared.spread {
            Some(spread) => {
                let world = World::spread(replicas, partitions, TIMEOUT, spread.among(devices))?;
                world.overlapping(is_overlap_asked())
            }
            None => World::new(replicas, partitions, TIMEOUT)?,
        };
        Ok(Some(Arc::new(world)))
    }

    /// Gathers what process `i` needs; its results.
    fn prepare(
        &mut self,
        i: usize,
        given: &[Handle<Buffer>],
        kept: &[i64],
        callbacks: Callbacks,
        world: Option<&Arc<World>>,
    ) -> Result<Vec<Buffer>> {
        let compiled = &self.loaded.compiled;
        let device = self.devices[i];
        if given.len() != compiled.inputs.len() {
            return Err(Status::invalid(format!(
                "the program takes {} arguments, not {}",
                compiled.inputs.len(),
                given.len()
            )));
        }
        let buffers: Vec<&Buffer> = given.iter().map(|one| one.get()).collect::<Result<_>>()?;
        for (k, (buffer, shape)) in buffers.iter().zip(&compiled.inputs).enumerate() {
            if !shape.takes(&buffer.shape) {
                return Err(Status::invalid(format!(
                    "argument {k} of the program has the sizes {:?} and elements of type {}; the buffer has {:?} and {}",
                    shape.dims,
                    shape.element.kind.name(),
                    buffer.shape.dims,
                    buffer.shape.element.kind.name()
                )));
            }
        }
        let is_donated =
            |k: usize| compiled.donated[k] != Donation::Kept && !kept.contains(&(k as i64));
        if (0..given.len()).any(is_donated) {
            once(given, is_donated)?;
        }
        let pool = &self.loaded.shared.pool;
        let mut results: Vec<Option<Arc<Block>>> = vec![None; compiled.outputs.len()];
        let mut arguments = Vec::with_capacity(given.len());
        let mut taken: Vec<(&Buffer, Arc<Block>)> = Vec::new();
        let gathered = (|| {
            for (k, buffer) in buffers.iter().enumerate() {
                if !is_donated(k) {
                    arguments.push(Argument::Read(buffer.read()?));
                    continue;
                }
                arguments.push(match (buffer.donate()?, compiled.donated[k]) {
                    (Donated::Taken(block), Donation::To(result)) => {
                        taken.push((*buffer, Arc::clone(&block)));
                        results[result] = Some(block);
                        Argument::Result(result)
                    }
                    (Donated::Taken(block), _) => {
                        taken.push((*buffer, Arc::clone(&block)));
                        Argument::Read(Reading::new(block))
                    }
                    (Donated::Read(reading), _) => {
                        taken.push((*buffer, Arc::clone(reading.block())));
                        Argument::Read(reading)
                    }
                    (Donated::Kept(reading), _) => Argument::Read(reading),
                });
            }
            results
                .into_iter()
                .zip(&compiled.outputs)
                .map(|(block, shape)| match block {
                    Some(block) => Ok(block),
                    None => Block::allocate(pool, shape.bytes),
                })
                .collect::<Result<Vec<_>>>()
        })();
        let results = gathered.inspect_err(|_| {
            for (buffer, block) in taken.drain(..) {
                buffer.restore(block);
            }
        })?;
        for buffer in &buffers {
            match buffer.ready.outcome() {
                Some(Ok(())) => {}
                Some(Err(status)) => self.failed = Some(status.clone()),
                None => self.pending.push(Arc::clone(&buffer.ready)),
            }
        }
        let context = compiled.native.context();
        let context = match world {
            None => context,
            Some(world) => {
                let own = &self.loaded.logical[i];
                let place = Place {
                    replica: own.replica as usize,
                    partition: own.partition as usize,
                };
                context.fork_as(world, place)?
            }
        };
        let done = Ready::pending();
        let make = |((block, shape), kind): ((&Arc<Block>, _), &usize)| {
            Buffer::new(
                Arc::clone(&self.loaded.shared),
                device * KINDS.len() + kind,
                Arc::clone(shape),
                Arc::clone(block),
                Arc::clone(&done),
            )
        };
        let outputs = results.iter().zip(&compiled.outputs);
        let outputs: Vec<Buffer> = outputs.zip(&compiled.output_kinds).map(make).collect();
        let actual = |buffer: &Buffer| buffer.actual.clone();
        let is_bounded =
            |shapes: &[Arc<Shape>]| shapes.iter().any(|shape| !shape.bounded.is_empty());
        self.processes.push(Process {
            call: Call {
                compiled: Arc::clone(compiled),
                argument_shapes: if is_bounded(&compiled.inputs) {
                    buffers.iter().map(|buffer| actual(buffer)).collect()
                } else {
                    Vec::new()
                },
                result_shapes: if is_bounded(&compiled.outputs) {
                    outputs.iter().map(actual).collect()
                } else {
                    Vec::new()
                },
                arguments,
                results,
                callbacks,
            },
            context,
            world: world.cloned(),
            device,
            done,
        });
        Ok(outputs)
    }

    /// Runs the processes once the arguments are there.
    fn start(self) {
        let compiled = &self.loaded.compiled;
        let processes = self.processes;
        if let Some(status) = self.failed {
            return refuse(processes, &status);
        }
        if let Some(spread) = &self.loaded.shared.spread
            && processes.iter().any(|one| one.world.is_some())
        {
            // What the arguments wait for was called before, and does not wait for this.
            let pending = self.pending;
            spread.queue.push(move || {
                let failed = pending.iter().find_map(|one| one.wait().err());
                match failed {
                    Some(status) => refuse(processes, &status),
                    None => run_together(processes),
                }
            });
            return;
        }
        if self.pending.is_empty() {
            let is_short = match compiled.last.load(Ordering::Relaxed) {
                0 => compiled.input_bytes() + compiled.output_bytes() <= SMALL,
                last => Duration::from_nanos(last) < SHORT,
            };
            if is_short && !compiled.calls_back && processes.len() == 1 {
                processes.into_iter().for_each(Process::run);
                return;
            }
            dispatch_on(&self.loaded.shared, processes);
            return;
        }
        let shared = Arc::clone(&self.loaded.shared);
        let waiting = Arc::new(Waiting {
            left: AtomicUsize::new(self.pending.len()),
            state: Mutex::new((Some(processes), None)),
        });
        for ready in self.pending {
            let (waiting, shared) = (Arc::clone(&waiting), Arc::clone(&shared));
            ready.then(move |outcome| waiting.one_less(outcome, &shared));
        }
    }
}

/// Runs processes that may wait for each other, and returns when all are done.
fn run_together(processes: Vec<Process>) {
    let mut processes = processes.into_iter();
    let Some(own) = processes.next() else { return };
    let run = |process: Process| {
        let done = Arc::clone(&process.done);
        queue::apart(move || process.run());
        done
    };
    let others: Vec<Arc<Ready>> = processes.map(run).collect();
    own.run();
    for done in others {
        // Whoever waits for its results hears of a failure.
        let _ = done.wait();
    }
}

/// Processes whose arguments are still computed.
struct Waiting {
    left: AtomicUsize,
    state: Mutex<(Option<Vec<Process>>, Option<Status>)>,
}

impl Waiting {
    fn one_less(&self, outcome: &Result<()>, shared: &crate::client::Shared) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(status) = outcome {
            state.1.get_or_insert_with(|| status.clone());
        }
        if self.left.fetch_sub(1, Ordering::AcqRel) > 1 {
            return;
        }
        let (processes, failed) = std::mem::take(&mut *state);
        drop(state);
        let processes = processes.unwrap_or_default();
        match failed {
            Some(status) => refuse(processes, &status),
            None => dispatch_on(shared, processes),
        }
    }
}

/// Processes of which an argument failed.
fn refuse(processes: Vec<Process>, status: &Status) {
    for Process { call, done, .. } in processes {
        drop(call);
        done.set(Err(status.clone()));
    }
}

/// Hands processes to threads.
fn dispatch_on(shared: &crate::client::Shared, processes: Vec<Process>) {
    let together = processes.len() > 1;
    for process in processes {
        if together || process.call.compiled.calls_back {
            queue::apart(move || process.run())
        } else {
            shared.queues[process.device].push(move || process.run())
        }
    }
}

/// Checks that no buffer that is donated is an argument once more.
fn once(given: &[Handle<Buffer>], is_donated: impl Fn(usize) -> bool) -> Result<()> {
    let mut places: Vec<(usize, usize)> = given
        .iter()
        .enumerate()
        .map(|(k, handle)| (handle.address().addr(), k))
        .collect();
    places.sort_unstable();
    for pair in places.windows(2) {
        let (one, other) = (pair[0].1, pair[1].1);
        if pair[0].0 != pair[1].0 || !(is_donated(one) || is_donated(other)) {
            continue;
        }
        let message = if is_donated(one) && is_donated(other) {
            format!(
                "Attempt to donate the same buffer twice in Execute() (flattened argument {other}, first use {one})."
            )
        } else {
            format!(
                "Attempt to donate a buffer which is also used by the same call to Execute() (flattened arguments {one} and {other})."
            )
        };
        return Err(Status::invalid(message));
    }
    Ok(())
}
