//! Point-to-point messages: `send`, `recv`, `infeed`, `outfeed`.

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use super::{Place, World};
use crate::error::{Error, Result, Status};
use crate::pool::lock;

/// The other end of a message that is the host program, not a process.
pub const HOST: i64 = -1;

/// For a receiver: from whomever; for a sender: to whoever asks first.
pub const ANY: i64 = -2;

/// Nobody: what is sent there is not sent, and what comes from there is zeros.
pub const NOBODY: i64 = -3;

/// The channel of the infeed; programs number theirs from 0.
pub const INFEED: i64 = -1;

/// Messages on their way, by channel, sender and receiver; in order.
#[derive(Default)]
pub(super) struct Mail {
    queues: BTreeMap<(i64, i64, i64), VecDeque<Vec<u8>>>,
}

impl World {
    /// Returns the other end of the messages of a process, by pairs of a source and a target:
    /// partitions of its replica where there are several, replicas otherwise. [`NOBODY`] where no
    /// pair has it on its side.
    ///
    /// # Errors
    /// `InvalidArgument` for a process that does not exist.
    pub fn peer(&self, place: Place, pairs: &[[i64; 2]], sends: bool) -> Result<i64> {
        let of_partitions = self.partitions() > 1;
        let own = if of_partitions {
            place.partition
        } else {
            place.replica
        };
        let (side, other) = if sends { (0, 1) } else { (1, 0) };
        let Some(pair) = pairs.iter().find(|pair| pair[side] == own as i64) else {
            return Ok(NOBODY);
        };
        let peer = usize::try_from(pair[other])
            .map_err(|_| Error::invalid(format!("a message names process {}", pair[other])))?;
        let place = if of_partitions {
            Place {
                partition: peer,
                ..place
            }
        } else {
            Place {
                replica: peer,
                ..place
            }
        };
        Ok(self.process(place)? as i64)
    }

    /// Sends a message; never waits. `from` is a process number or [`HOST`], `to` likewise,
    /// [`ANY`] or [`NOBODY`].
    ///
    /// # Errors
    /// `Aborted`; `OutOfMemory`; `InvalidArgument` for a process that does not exist.
    pub fn send(&self, channel: i64, from: i64, to: i64, message: &[u8]) -> Result<()> {
        self.check()?;
        if to == NOBODY {
            return Ok(());
        }
        self.end(from)?;
        self.end(to)?;
        self.within(channel)?;
        let mut copy = Vec::new();
        copy.try_reserve_exact(message.len())
            .map_err(|_| Error::out_of_memory(message.len()))?;
        copy.extend_from_slice(message);
        lock(&self.mail)
            .queues
            .entry((channel, from, to))
            .or_default()
            .push_back(copy);
        self.delivered.notify_all();
        Ok(())
    }

    /// Receives the next message as [`World::take`], which has to have the size of the place.
    ///
    /// # Errors
    /// Those of [`World::take`]; `ShapeMismatch` when the message has another size (it is taken
    /// nevertheless).
    pub fn receive(&self, channel: i64, from: i64, to: i64, message: &mut [u8]) -> Result<()> {
        if from == NOBODY {
            message.fill(0);
            return Ok(());
        }
        let found = self.take(channel, from, to)?;
        if found.len() == message.len() {
            message.copy_from_slice(&found);
            return Ok(());
        }
        Err(Error::new(
            Status::ShapeMismatch,
            match channel {
                INFEED => format!(
                    "the next tensor of the infeed has {} bytes, and one of {} is taken",
                    found.len(),
                    message.len()
                ),
                _ => format!(
                    "channel {channel}: a message of {} bytes where {} were expected",
                    found.len(),
                    message.len()
                ),
            },
        ))
    }

    /// Takes the next message (of the sender with the lowest number, when `from` is [`ANY`]),
    /// waiting for it as long as the world allows.
    ///
    /// # Errors
    /// `Timeout`; `Aborted`; `InvalidArgument` for a process that does not exist.
    pub fn take(&self, channel: i64, from: i64, to: i64) -> Result<Vec<u8>> {
        self.end(from)?;
        self.end(to)?;
        self.within(channel)?;
        let deadline = Instant::now() + self.timeout;
        let mut mail = lock(&self.mail);
        loop {
            let queue = mail.queues.iter_mut().find(|((c, f, t), queue)| {
                *c == channel
                    && (*f == from || from == ANY)
                    && (*t == to || *t == ANY)
                    && !queue.is_empty()
            });
            if let Some(found) = queue.and_then(|(_, queue)| queue.pop_front()) {
                return Ok(found);
            }
            self.check()?;
            if self.timeout.is_zero() {
                return Err(Error::new(
                    Status::Timeout,
                    "nobody serves this infeed or recv: there is no message for it, and none can come",
                ));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Error::new(
                    Status::Timeout,
                    format!(
                        "channel {channel}: waited {:?} for a message from {from} to {to}",
                        self.timeout
                    ),
                ));
            }
            mail = self
                .delivered
                .wait_timeout(mail, left)
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .0;
        }
    }

    /// Channels of the program lead to other devices, which are not in this process where each is
    /// in one of its own.
    fn within(&self, channel: i64) -> Result<()> {
        if channel < 0 || !self.is_spread() || self.processes() == 1 {
            return Ok(());
        }
        Err(Error::unsupported(format!(
            "channel {channel}: send and recv go between devices of one process only"
        )))
    }

    fn end(&self, process: i64) -> Result<()> {
        if process == HOST
            || process == ANY
            || usize::try_from(process).is_ok_and(|p| p < self.processes())
        {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "a message from or to process {process} of {}",
            self.processes()
        )))
    }
}
