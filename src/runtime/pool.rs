//! The thread pool behind parallel regions.
//!
//! Regions are short (microseconds), so the pool is built for latency rather than for generality: a
//! worker has a mailbox that holds at most one region; the caller drops the region into the
//! mailboxes of idle workers, works itself, takes back what no worker picked up, and waits only for
//! workers that are inside. A worker that finished spins briefly for the next region before it
//! parks. Busy workers (another executable is running) are simply not used, so concurrent callers
//! never wait for each other.
//!
//! Work is dealt out by position: participant `p` of `t` owns the tiles `[p n / t, (p + 1) n / t)`
//! and takes them in chunks; whoever runs dry takes chunks of the others. The same thread thus sees
//! the same part of the data from region to region (its cache stays warm), and a late worker costs
//! nothing. Tiles are independent, so results do not depend on who runs them.

use crate::floating_point::{Environment, within};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

/// Largest number of threads that take part in one region.
pub const MAX_THREADS: usize = 128;

/// Time that an idle worker polls before it parks. Longer than the gap between two regions of one
/// call, shorter than anything a person would notice as load.
const SPIN: Duration = Duration::from_micros(40);

/// Each participant's share is taken in about this many chunks, so that an uneven region can be
/// balanced.
const CHUNKS_PER_SHARE: usize = 4;

/// Marks a mailbox whose worker is inside a region. Never dereferenced.
const BUSY: *mut Region = std::ptr::without_provenance_mut(1);

/// A cursor on its own cache line.
#[repr(align(128))]
struct Share {
    next: AtomicUsize,
    end: usize,
}

/// One parallel region; lives on the caller's stack until nobody is inside.
struct Region {
    task: *const (dyn Fn(usize, usize) + Sync),
    shares: [Share; MAX_SHARES],
    share_count: usize,
    chunk: usize,
    /// Participant number of the next worker that enters; the caller is participant 0.
    entrants: AtomicUsize,
    /// Workers that are inside or may still enter.
    pending: AtomicUsize,
    /// The caller's, which workers have as long as they are inside.
    environment: Environment,
    panic: Mutex<Option<Box<dyn std::any::Any + Send>>>,
}

/// Shares are kept in a fixed array (no allocation per region); more threads than this split the
/// shares between them.
const MAX_SHARES: usize = 16;

struct Worker {
    mailbox: AtomicPtr<Region>,
    parked: AtomicBool,
    stop: AtomicBool,
}

/// A set of worker threads. Dropping the last handle stops and joins them.
pub struct Pool {
    workers: Mutex<Vec<(Arc<Worker>, JoinHandle<()>)>>,
}

/// The part of a pool that one context uses.
#[derive(Clone)]
pub(crate) struct Team {
    workers: Arc<[WorkerHandle]>,
    _pool: Arc<Pool>,
}

#[derive(Clone)]
struct WorkerHandle {
    worker: Arc<Worker>,
    thread: Thread,
}

thread_local! {
    /// Whether this thread is inside a region: nested regions run inline.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// The worker that this thread is; null for every other thread. Never dereferenced.
    static OWN: Cell<*const Worker> = const { Cell::new(std::ptr::null()) };
}

static SHARED: Mutex<Weak<Pool>> = Mutex::new(Weak::new());

impl Pool {
    /// The pool that all contexts of the process share; created with the first context, stopped
    /// with the last.
    pub fn shared() -> Arc<Pool> {
        let mut shared = lock(&SHARED);
        shared.upgrade().unwrap_or_else(|| {
            let pool = Arc::new(Pool {
                workers: Mutex::new(Vec::new()),
            });
            *shared = Arc::downgrade(&pool);
            pool
        })
    }

    /// The team of `threads` threads (the caller included). Starts missing workers; when the system
    /// refuses threads, the team is smaller.
    pub(crate) fn team(self: &Arc<Pool>, threads: usize) -> Team {
        let wanted = threads.clamp(1, MAX_THREADS) - 1;
        let mut workers = lock(&self.workers);
        while workers.len() < wanted {
            let worker = Arc::new(Worker {
                mailbox: AtomicPtr::new(std::ptr::null_mut()),
                parked: AtomicBool::new(false),
                stop: AtomicBool::new(false),
            });
            let body = Arc::clone(&worker);
            // Generated code keeps tile-sized scratch on the stack; the pages are touched only when
            // used.
            let builder = thread::Builder::new()
                .name(format!("mapwright-{}", workers.len() + 1))
                .stack_size(16 << 20);
            match builder.spawn(move || body.run()) {
                Ok(handle) => workers.push((worker, handle)),
                Err(_) => break,
            }
        }
        let team = workers
            .iter()
            .take(wanted)
            .map(|(worker, handle)| WorkerHandle {
                worker: Arc::clone(worker),
                thread: handle.thread().clone(),
            })
            .collect();
        Team {
            workers: team,
            _pool: Arc::clone(self),
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let workers = std::mem::take(&mut *lock(&self.workers));
        for (worker, handle) in &workers {
            worker.stop.store(true, Ordering::SeqCst);
            handle.thread().unpark();
        }
        // Not by `thread::current()`: of a thread that is not Rust's own, the main one of a C
        // program, that makes a value which stays.
        let own = OWN.get();
        for (worker, handle) in workers {
            if !std::ptr::eq(Arc::as_ptr(&worker), own) {
                // A worker's panics are caught inside regions, so joining cannot fail in a way
                // worth reporting.
                let _ = handle.join();
            }
        }
    }
}

impl Team {
    /// Threads that may take part, the caller included.
    pub(crate) fn threads(&self) -> usize {
        self.workers.len() + 1
    }

    /// Runs `task(begin, end)` over disjoint pieces that cover `[0, n)`; returns when all are done.
    /// At least `grain` tiles go to each participant. A panic of the task is raised again here,
    /// after every participant has left.
    pub(crate) fn run(&self, n: usize, grain: usize, task: &(dyn Fn(usize, usize) + Sync)) {
        if n == 0 {
            return;
        }
        let participants = self.threads().min(n / grain.max(1));
        if participants <= 1 || INSIDE.get() {
            task(0, n);
            return;
        }
        let share_count = participants.min(MAX_SHARES);
        // SAFETY: the lifetime of the reference is erased; `run` returns only after every
        // participant has left the region, and no pointer to it survives in a mailbox.
        let task = unsafe {
            std::mem::transmute::<
                *const (dyn Fn(usize, usize) + Sync + '_),
                *const (dyn Fn(usize, usize) + Sync + 'static),
            >(task)
        };
        let region = Region {
            task,
            shares: std::array::from_fn(|p| Share {
                next: AtomicUsize::new(if p < share_count {
                    split(n, share_count, p)
                } else {
                    0
                }),
                end: if p < share_count {
                    split(n, share_count, p + 1)
                } else {
                    0
                },
            }),
            share_count,
            chunk: (n / (participants * CHUNKS_PER_SHARE)).max(1),
            entrants: AtomicUsize::new(1),
            pending: AtomicUsize::new(0),
            environment: Environment::current(),
            panic: Mutex::new(None),
        };
        let address = std::ptr::from_ref(&region).cast_mut();

        let mut invited = 0u128;
        let mut invitations = 0;
        for (i, handle) in self.workers.iter().enumerate() {
            if invitations + 1 == participants {
                break;
            }
            // Counted before the worker can see the region, so that `pending` never falls to zero
            // too early.
            region.pending.fetch_add(1, Ordering::Relaxed);
            let empty = std::ptr::null_mut();
            if handle
                .worker
                .mailbox
                .compare_exchange(empty, address, Ordering::SeqCst, Ordering::Relaxed)
                .is_ok()
            {
                invited |= 1 << i;
                invitations += 1;
                if handle.worker.parked.load(Ordering::SeqCst) {
                    handle.thread.unpark();
                }
            } else {
                region.pending.fetch_sub(1, Ordering::Relaxed);
            }
        }

        region.work(0);

        for (i, handle) in self.workers.iter().enumerate() {
            if invited & (1 << i) != 0
                && handle
                    .worker
                    .mailbox
                    .compare_exchange(
                        address,
                        std::ptr::null_mut(),
                        Ordering::AcqRel,
                        Ordering::Relaxed,
                    )
                    .is_ok()
            {
                region.pending.fetch_sub(1, Ordering::Relaxed);
            }
        }
        let mut rounds = 0u32;
        while region.pending.load(Ordering::Acquire) != 0 {
            rounds += 1;
            if rounds.is_multiple_of(4096) {
                // The machine has fewer free cores than threads: let the worker run.
                thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
        if let Some(panic) = lock(&region.panic).take() {
            resume_unwind(panic);
        }
    }
}

/// Whether this thread is inside of a region, where further regions run inline.
pub(crate) fn inside() -> bool {
    INSIDE.get()
}

impl Region {
    /// Takes chunks until none are left: first of the own share, then of the following ones.
    fn work(&self, participant: usize) {
        INSIDE.set(true);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: the caller of `Team::run` keeps the task alive until `pending` is zero; a
            // participant is inside.
            let task = unsafe { &*self.task };
            for k in 0..self.share_count {
                let share = &self.shares[(participant + k) % self.share_count];
                loop {
                    let begin = share.next.load(Ordering::Relaxed);
                    if begin >= share.end {
                        break;
                    }
                    let begin = share.next.fetch_add(self.chunk, Ordering::Relaxed);
                    if begin >= share.end {
                        break;
                    }
                    task(begin, share.end.min(begin + self.chunk));
                }
            }
        }));
        INSIDE.set(false);
        if let Err(panic) = outcome {
            // The rest of the region is dropped: nobody finds work any more.
            for share in &self.shares {
                share.next.store(usize::MAX / 2, Ordering::Relaxed);
            }
            lock(&self.panic).get_or_insert(panic);
        }
    }
}

impl Worker {
    fn run(&self) {
        OWN.set(self);
        let mut idle_since = Instant::now();
        let mut polls = 0u32;
        loop {
            let region = self.mailbox.load(Ordering::Acquire);
            if !region.is_null() {
                if self
                    .mailbox
                    .compare_exchange(region, BUSY, Ordering::AcqRel, Ordering::Relaxed)
                    .is_ok()
                {
                    // SAFETY: the caller counted this worker in `pending` and waits until it is
                    // counted down below; the exchange just made says that the caller did not take
                    // the region back.
                    let region = unsafe { &*region };
                    let environment = within(region.environment);
                    region.work(region.entrants.fetch_add(1, Ordering::Relaxed));
                    drop(environment);
                    region.pending.fetch_sub(1, Ordering::Release);
                    self.mailbox.store(std::ptr::null_mut(), Ordering::Release);
                }
                idle_since = Instant::now();
                polls = 0;
                continue;
            }
            polls += 1;
            if !polls.is_multiple_of(64) || idle_since.elapsed() < SPIN {
                std::hint::spin_loop();
                continue;
            }
            if self.stop.load(Ordering::SeqCst) {
                return;
            }
            self.parked.store(true, Ordering::SeqCst);
            // A caller either sees `parked`, and unparks, or its region is seen here.
            if self.mailbox.load(Ordering::SeqCst).is_null() && !self.stop.load(Ordering::SeqCst) {
                thread::park();
            }
            self.parked.store(false, Ordering::SeqCst);
            idle_since = Instant::now();
            polls = 0;
        }
    }
}

/// Returns the start of part `p` of `parts` equal parts of `[0, n)`.
fn split(n: usize, parts: usize, p: usize) -> usize {
    (n as u128 * p as u128 / parts as u128) as usize
}

/// Locks, also when a panic elsewhere poisoned the lock: the data guarded in this crate are valid
/// at every step.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    fn covers_once(team: &Team, n: usize, grain: usize) {
        let seen: Vec<AtomicU32> = (0..n).map(|_| AtomicU32::new(0)).collect();
        team.run(n, grain, &|begin, end| {
            assert!(begin < end && end <= n);
            for tile in &seen[begin..end] {
                tile.fetch_add(1, Ordering::Relaxed);
            }
        });
        assert!(
            seen.iter().all(|c| c.load(Ordering::Relaxed) == 1),
            "n {n} grain {grain}"
        );
    }

    #[test]
    fn every_tile_runs_exactly_once() {
        for threads in [1, 2, 3, 4, 20] {
            let team = Pool::shared().team(threads);
            assert_eq!(team.threads(), threads);
            for n in [0, 1, 2, 3, 7, 16, 17, 100, 1009] {
                for grain in [0, 1, 5, 2000] {
                    covers_once(&team, n, grain);
                }
            }
        }
    }

    #[test]
    fn many_short_regions_from_several_threads() {
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let team = Pool::shared().team(3);
                    for i in 0..3000 {
                        covers_once(&team, i % 11, 1);
                    }
                });
            }
        });
    }

    #[test]
    fn parked_workers_wake() {
        let team = Pool::shared().team(2);
        for _ in 0..20 {
            thread::sleep(Duration::from_millis(1));
            covers_once(&team, 64, 1);
        }
    }

    #[test]
    fn nested_regions_run_inline() {
        let team = Pool::shared().team(4);
        let count = AtomicU32::new(0);
        team.run(8, 1, &|begin, end| {
            for _ in begin..end {
                let thread = thread::current().id();
                team.run(5, 1, &|begin, end| {
                    assert_eq!(thread::current().id(), thread);
                    count.fetch_add((end - begin) as u32, Ordering::Relaxed);
                });
            }
        });
        assert_eq!(count.load(Ordering::Relaxed), 40);
    }

    #[test]
    fn workers_compute_in_the_environment_of_their_caller() {
        use crate::floating_point::{Within, as_specified, tests};
        // The workers are nobody else's: each is free.
        let pool = Arc::new(Pool {
            workers: Mutex::new(Vec::new()),
        });
        let team = pool.team(3);
        let seen = |environment: fn() -> Within| {
            let _within = environment();
            // Each thread waits for the others, so that each has a part.
            let inside = AtomicU32::new(0);
            let zeros = AtomicU32::new(0);
            team.run(3, 1, &|_, _| {
                inside.fetch_add(1, Ordering::SeqCst);
                while inside.load(Ordering::SeqCst) < 3 {
                    thread::yield_now();
                }
                zeros.fetch_add(
                    u32::from(tests::half_of_smallest() == 0.0),
                    Ordering::Relaxed,
                );
            });
            zeros.into_inner()
        };
        for _ in 0..3 {
            assert_eq!(seen(|| within(tests::FLUSHING)), 3);
            assert_eq!(seen(as_specified), 0);
        }
    }

    #[test]
    fn a_panic_reaches_the_caller_and_the_pool_survives() {
        let team = Pool::shared().team(4);
        for bad in [0, 50, 99] {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                team.run(100, 1, &|begin, end| {
                    assert!(!(begin..end).contains(&bad), "tile {bad}")
                });
            }));
            assert!(outcome.is_err());
            assert!(!INSIDE.get());
            covers_once(&team, 100, 1);
        }
    }
}
