//! Where the members of a group meet: everybody brings something, looks at what the others brought,
//! and leaves together.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

use super::World;
use crate::error::{Error, Result, Status};
use crate::pool::lock;

/// Operation, and the processes that take part in it.
pub(super) type Key = (i64, Vec<usize>);

/// Meetings that still wait for members.
#[derive(Default)]
pub(super) struct Meetings {
    open: Mutex<BTreeMap<Key, Arc<Meeting>>>,
}

struct Meeting {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// Operand of each member, as an address that stays valid until the member leaves.
    brought: Vec<Option<usize>>,
    arrived: usize,
    finished: usize,
    /// Why the meeting does not take place; set before it is complete, and final.
    called_off: Option<Error>,
    /// Why the operation failed, after all had come.
    failure: Option<Error>,
}

impl Meetings {
    /// Wakes everybody who waits, to look at the world's state.
    pub(super) fn wake(&self) {
        for meeting in lock(&self.open).values() {
            drop(lock(&meeting.state));
            meeting.changed.notify_all();
        }
    }
}

/// Meets the other members of `group` (among which is `process`) at the operation `key`, and runs
/// `body` with what all of them brought, in the order of the group. Nobody returns before every
/// body has ended; when one fails, all fail.
///
/// `describe` names the operation in messages. All members bring the same type `T`.
///
/// # Errors
/// `Timeout` when somebody does not come in time; `Aborted` when another member failed; what the
/// body returns.
pub(super) fn meet<T: Sync>(
    world: &World,
    key: i64,
    describe: &str,
    group: &[usize],
    process: usize,
    bring: &T,
    body: impl FnOnce(&[&T], usize) -> Result<()>,
) -> Result<()> {
    world.check()?;
    let Some(own) = group.iter().position(|p| *p == process) else {
        return Err(Error::invalid(format!(
            "{describe}: process {process} is not in its group {group:?}"
        )));
    };
    if let [_] = group {
        return body(&[bring], 0);
    }
    let key: Key = (key, group.to_vec());
    let meeting = {
        let mut open = lock(&world.meetings.open);
        let meeting = Arc::clone(open.entry(key.clone()).or_insert_with(|| {
            Arc::new(Meeting {
                state: Mutex::new(State {
                    brought: vec![None; group.len()],
                    arrived: 0,
                    finished: 0,
                    called_off: None,
                    failure: None,
                }),
                changed: Condvar::new(),
            })
        }));
        let mut state = lock(&meeting.state);
        if let Some(error) = &state.called_off {
            return Err(error.clone());
        }
        if state.brought[own].is_some() {
            return Err(Error::invalid(format!(
                "{describe}: process {process} came twice"
            )));
        }
        state.brought[own] = Some(std::ptr::from_ref(bring).expose_provenance());
        state.arrived += 1;
        if state.arrived == group.len() {
            // Complete: the next time around is another meeting.
            open.remove(&key);
            meeting.changed.notify_all();
        }
        drop(state);
        meeting
    };

    let deadline = Instant::now() + world.timeout;
    let mut state = lock(&meeting.state);
    while state.arrived < group.len() && state.called_off.is_none() {
        let left = deadline.saturating_duration_since(Instant::now());
        let stop = match world.check() {
            Err(error) => Some(error),
            Ok(()) if left.is_zero() => {
                let missing = group
                    .iter()
                    .zip(&state.brought)
                    .filter(|(_, b)| b.is_none());
                let missing: Vec<usize> = missing.map(|(p, _)| *p).collect();
                Some(Error::new(
                    Status::Timeout,
                    format!(
                        "{describe}: waited {:?} for the processes {missing:?} of the group {group:?}",
                        world.timeout
                    ),
                ))
            }
            Ok(()) => None,
        };
        if stop.is_some() {
            state.called_off = stop;
            break;
        }
        let waited = meeting.changed.wait_timeout(state, left);
        state = waited.unwrap_or_else(std::sync::PoisonError::into_inner).0;
    }
    if let Some(error) = state.called_off.clone() {
        // Nobody has looked at what was brought, and nobody will: who comes later sees that it is
        // called off.
        drop(state);
        let mut open = lock(&world.meetings.open);
        if open.get(&key).is_some_and(|m| Arc::ptr_eq(m, &meeting)) {
            open.remove(&key);
        }
        meeting.changed.notify_all();
        return Err(error);
    }
    let brought: Vec<usize> = state.brought.iter().flatten().copied().collect();
    drop(state);

    // SAFETY: every member came, so every address is that of a live `&T`; members stay below until
    // all have finished.
    let all: Vec<&T> = brought
        .iter()
        .map(|b| unsafe { &*std::ptr::with_exposed_provenance::<T>(*b) })
        .collect();
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| body(&all, own)));

    let mut state = lock(&meeting.state);
    state.finished += 1;
    if let Ok(Err(error)) = &outcome {
        state.failure.get_or_insert_with(|| {
            Error::new(
                Status::Aborted,
                format!("{describe}: another process failed: {}", error.message),
            )
        });
    } else if outcome.is_err() {
        state.failure.get_or_insert_with(|| {
            Error::new(
                Status::Aborted,
                format!("{describe}: another process failed"),
            )
        });
    }
    meeting.changed.notify_all();
    // Without a limit: the others read what this member brought until they are done.
    while state.finished < group.len() {
        state = meeting
            .changed
            .wait(state)
            .unwrap_or_else(std::sync::PoisonError::into_inner);
    }
    match outcome {
        Err(panic) => {
            drop(state);
            std::panic::resume_unwind(panic)
        }
        Ok(Err(error)) => Err(error),
        Ok(Ok(())) => state.failure.clone().map_or(Ok(()), Err),
    }
}
