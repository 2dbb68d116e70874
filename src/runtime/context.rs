//! The state that generated code carries through a call: threads, memory, and the first failure.

use std::ffi::{CString, c_char};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU64, Ordering};

use crate::collective::{Place, World};
use crate::error::{Error, Result, Status};
use crate::memory::MemoryPool;
use crate::pool::{Pool, Team, lock};
use crate::profile::{PartTime, Profile};
use crate::random::Generator;

/// Threads, memory and error state of a call.
///
/// Contexts are cheap: the worker threads are shared by the whole process, and [`Context::fork`]
/// makes one that shares its memory as well. Calls that run at the same time each take a context of
/// their own, so that a failure is attributed to the right call.
pub struct Context {
    team: Team,
    memory: Arc<MemoryPool>,
    generator: Arc<Generator>,
    world: Arc<World>,
    place: Place,
    /// `Status` of the first failure; read without a lock by generated code.
    status: AtomicI32,
    message: Mutex<Failure>,
    profile: Profile,
    copied: AtomicU64,
    /// Place of the next collective in the program, as C has it, if that is to be started only.
    starts: AtomicPtr<c_char>,
}

#[derive(Default)]
struct Failure {
    text: String,
    /// The text for C; kept here because C holds a pointer to it.
    c_text: Option<CString>,
    /// The text says where in the program it happened.
    is_placed: bool,
}

impl Context {
    /// A context whose regions use up to `threads` threads (the caller included; 0 means one a
    /// hardware thread) and that has a memory pool of its own.
    pub fn new(threads: usize) -> Context {
        Context::with_world(threads, World::default())
    }

    /// As [`Context::new`], for calls whose context no host program sees: nobody can bring a
    /// message while one waits for it.
    pub fn unreachable(threads: usize) -> Context {
        Context::with_world(threads, World::unreachable())
    }

    fn with_world(threads: usize, world: World) -> Context {
        let threads = if threads == 0 {
            std::thread::available_parallelism().map_or(1, usize::from)
        } else {
            threads
        };
        let place = Place {
            replica: 0,
            partition: 0,
        };
        Context::with(
            Pool::shared().team(threads),
            (MemoryPool::new(), Arc::default()),
            Arc::new(world),
            place,
        )
    }

    fn with(
        team: Team,
        (memory, generator): (Arc<MemoryPool>, Arc<Generator>),
        world: Arc<World>,
        place: Place,
    ) -> Context {
        Context {
            team,
            memory,
            generator,
            world,
            place,
            status: AtomicI32::new(Status::Ok as i32),
            message: Mutex::default(),
            profile: Profile::default(),
            copied: AtomicU64::new(0),
            starts: AtomicPtr::default(),
        }
    }

    /// A context with the same threads, memory, generator and place and an error state of its own,
    /// for a call that runs at the same time.
    pub fn fork(&self) -> Context {
        let world = Arc::clone(&self.world);
        Context::with(self.team.clone(), self.shared(), world, self.place)
    }

    /// A context of so many threads with a memory pool of its own, which draws from the same
    /// generator and has the same place.
    pub fn with_threads(&self, threads: usize) -> Context {
        let mut context = Context::new(threads);
        context.generator = Arc::clone(&self.generator);
        context.world = Arc::clone(&self.world);
        context.place = self.place;
        context
    }

    /// Returns what forks share: the memory and the generator.
    fn shared(&self) -> (Arc<MemoryPool>, Arc<Generator>) {
        (Arc::clone(&self.memory), Arc::clone(&self.generator))
    }

    /// Like [`Context::fork`], for a process of a world.
    ///
    /// # Errors
    /// `InvalidArgument` when the place is outside of the world.
    pub fn fork_as(&self, world: &Arc<World>, place: Place) -> Result<Context> {
        world.process(place)?;
        let world = Arc::clone(world);
        Ok(Context::with(
            self.team.clone(),
            self.shared(),
            world,
            place,
        ))
    }

    /// The replicas and partitions that run together; just this one unless made by
    /// [`Context::fork_as`].
    pub fn world(&self) -> &Arc<World> {
        &self.world
    }

    /// The process that this context runs.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Threads that take part in a region, the caller included.
    pub fn threads(&self) -> usize {
        self.team.threads()
    }

    /// Generator that `rng` draws from.
    pub fn generator(&self) -> &Generator {
        &self.generator
    }

    pub fn memory(&self) -> &Arc<MemoryPool> {
        &self.memory
    }

    /// Runs `task(begin, end)` over disjoint pieces that cover `[0, n)`, on this context's threads,
    /// with at least `grain` tiles to a thread. Nested calls run inline. Tiles must be independent
    /// of each other.
    pub fn parallel_for(&self, n: usize, grain: usize, task: &(dyn Fn(usize, usize) + Sync)) {
        self.team.run(n, grain, task);
    }

    /// Like [`Context::parallel_for`] for tasks that can fail: the failure of the earliest piece
    /// that failed is returned.
    pub fn try_parallel_for(
        &self,
        n: usize,
        grain: usize,
        task: &(dyn Fn(usize, usize) -> Result<()> + Sync),
    ) -> Result<()> {
        let first: Mutex<Option<(usize, Error)>> = Mutex::new(None);
        self.team.run(n, grain, &|begin, end| {
            if let Err(error) = task(begin, end) {
                let mut first = lock(&first);
                if first.as_ref().is_none_or(|(position, _)| begin < *position) {
                    *first = Some((begin, error));
                }
            }
        });
        let failure = lock(&first).take();
        failure.map_or(Ok(()), |(_, error)| Err(error))
    }

    /// Lets the next collective, which is at `place`, run beside what follows it, where the world
    /// does that.
    pub(crate) fn start_next(&self, place: *const c_char) {
        if self.world.overlaps() {
            self.starts.store(place.cast_mut(), Ordering::Relaxed);
        }
    }

    /// Place of the collective that asks, if that is to be started only; null otherwise.
    pub(crate) fn take_start(&self) -> *const c_char {
        self.starts.swap(std::ptr::null_mut(), Ordering::Relaxed)
    }

    /// Counts a call of a part of the program that took `time`, with operands and results of
    /// `bytes` bytes.
    pub(crate) fn add_time(&self, part: usize, time: std::time::Duration, bytes: u64) {
        self.profile.add(part, time, bytes);
    }

    /// The times of the parts since the last time they were taken; empty for programs that were not
    /// compiled for it.
    pub fn take_times(&self) -> Vec<PartTime> {
        self.profile.take()
    }

    /// Adds to [`Context::take_copied`].
    pub(crate) fn count_copied(&self, bytes: usize) {
        self.copied.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Bytes that programs copied in this context, since the last time this was asked, because a
    /// value is read after its memory would have been written to: state of loops, mostly. Copies of
    /// up to 64 bytes are not among them.
    pub fn take_copied(&self) -> u64 {
        self.copied.swap(0, Ordering::Relaxed)
    }

    /// Records a failure; the first one of a call is kept.
    pub fn set_error(&self, error: &Error) {
        let mut failure = lock(&self.message);
        if self.status.load(Ordering::Relaxed) == Status::Ok as i32 {
            failure.text.clone_from(&error.message);
            failure.c_text = None;
            self.status.store(error.status as i32, Ordering::Release);
        }
    }

    /// Adds to the message of the failure where it happened, if that is not known yet.
    pub(crate) fn failed_at(&self, place: &str) {
        let mut failure = lock(&self.message);
        if self.status() != Status::Ok && !std::mem::replace(&mut failure.is_placed, true) {
            failure.text = format!("{}, in {place}", failure.text);
            failure.c_text = None;
        }
    }

    /// Records what failed on this thread in a function that has no context
    /// ([`crate::error::leave`]).
    pub(crate) fn take_left(&self) {
        if let Some(error) = crate::error::left() {
            self.set_error(&error);
        }
    }

    /// Status of the first failure since the last [`Context::clear_error`].
    pub fn status(&self) -> Status {
        Status::from_code(self.status.load(Ordering::Acquire))
    }

    /// The first failure, if there was one.
    pub fn error(&self) -> Option<Error> {
        let failure = lock(&self.message);
        match self.status() {
            Status::Ok => None,
            status => Some(Error::new(status, failure.text.clone())),
        }
    }

    /// The message as a C string that stays valid until the error is cleared or the context is
    /// dropped.
    pub(crate) fn error_c_text(&self) -> *const std::ffi::c_char {
        let mut failure = lock(&self.message);
        if self.status() == Status::Ok {
            return c"".as_ptr();
        }
        let Failure { text, c_text, .. } = &mut *failure;
        c_text
            .get_or_insert_with(|| CString::new(text.replace('\0', "\\0")).unwrap_or_default())
            .as_ptr()
    }

    pub fn clear_error(&self) {
        let mut failure = lock(&self.message);
        *failure = Failure::default();
        self.status.store(Status::Ok as i32, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_is_kept() {
        let context = Context::new(1);
        assert_eq!(context.error(), None);
        context.set_error(&Error::invalid("one"));
        context.set_error(&Error::unsupported("two"));
        assert_eq!(context.error(), Some(Error::invalid("one")));
        assert_eq!(context.fork().error(), None);
        context.clear_error();
        assert_eq!(context.error(), None);
    }

    #[test]
    fn the_earliest_failing_piece_is_reported() {
        for threads in [1, 2, 4] {
            let context = Context::new(threads);
            let outcome = context.try_parallel_for(1000, 1, &|begin, end| match (begin..end)
                .find(|i| i % 300 == 299)
            {
                Some(i) => Err(Error::invalid(format!("tile {i}"))),
                None => Ok(()),
            });
            assert_eq!(outcome, Err(Error::invalid("tile 299")));
        }
    }
}
