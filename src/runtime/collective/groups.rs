//! Which processes work together: the four ways in which StableHLO reads `replica_groups`.

use smallvec::SmallVec;

use super::{Place, World};
use crate::error::{Error, Result};

/// Numbers of processes, without memory of their own where they are few.
pub type Members = SmallVec<[usize; 8]>;

/// Meaning of the numbers in the groups; the codes are those of `enum mw_group_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(i32)]
pub enum Mode {
    /// Replicas; a group for each partition.
    CrossReplica = 0,
    /// Partitions; a group for each replica.
    CrossPartition = 1,
    /// Replicas, with all their partitions.
    CrossReplicaAndPartition = 2,
    /// Numbers of processes.
    FlattenedIds = 3,
}

impl Mode {
    pub fn from_code(code: i32) -> Result<Mode> {
        match code {
            0 => Ok(Mode::CrossReplica),
            1 => Ok(Mode::CrossPartition),
            2 => Ok(Mode::CrossReplicaAndPartition),
            3 => Ok(Mode::FlattenedIds),
            _ => Err(Error::invalid(format!(
                "{code} is not the code of a way to form process groups"
            ))),
        }
    }
}

/// The groups of an operation: rows of `size` numbers, where -1 fills up short rows. No rows means
/// one group of all.
#[derive(Clone, Copy, Debug)]
pub struct Groups<'a> {
    pub mode: Mode,
    pub ids: &'a [i64],
    pub size: usize,
}

impl Groups<'_> {
    /// The process group of a process, in order, or `None` when it is in no group.
    ///
    /// # Errors
    /// `InvalidArgument` for a number outside of the world or one that occurs twice.
    pub fn group_of(&self, world: &World, place: Place) -> Result<Option<Members>> {
        let limit = match self.mode {
            Mode::CrossReplica | Mode::CrossReplicaAndPartition => world.replicas(),
            Mode::CrossPartition => world.partitions(),
            Mode::FlattenedIds => world.processes(),
        };
        let own = match self.mode {
            Mode::CrossReplica | Mode::CrossReplicaAndPartition => place.replica,
            Mode::CrossPartition => place.partition,
            Mode::FlattenedIds => world.process(place)?,
        };
        let member = match self.mode {
            Mode::CrossReplica | Mode::CrossReplicaAndPartition => "replica",
            Mode::CrossPartition => "partition",
            Mode::FlattenedIds => "process",
        };
        let members = if self.ids.is_empty() || self.size == 0 {
            Some((0..limit).collect())
        } else {
            let mut seen = SmallVec::<[bool; 32]>::from_elem(false, limit);
            let mut found = None;
            for row in self.ids.chunks(self.size) {
                let mut members = Members::new();
                for id in row.iter().filter(|id| **id != -1) {
                    let id = usize::try_from(*id)
                        .ok()
                        .filter(|id| *id < limit)
                        .ok_or_else(|| {
                            Error::invalid(format!(
                                "a process group names {member} {id}, and the program runs as {limit} of them, counted from 0"
                            ))
                        })?;
                    if std::mem::replace(&mut seen[id], true) {
                        return Err(Error::invalid(format!(
                            "process groups name {member} {id} twice"
                        )));
                    }
                    members.push(id);
                }
                if members.contains(&own) {
                    found = Some(members);
                }
            }
            found
        };
        let Some(members) = members else {
            return Ok(None);
        };
        let number = |replica: usize, partition: usize| replica * world.partitions() + partition;
        Ok(Some(match self.mode {
            Mode::CrossReplica => members
                .iter()
                .map(|r| number(*r, place.partition))
                .collect(),
            Mode::CrossPartition => members.iter().map(|p| number(place.replica, *p)).collect(),
            Mode::CrossReplicaAndPartition => (0..world.partitions())
                .flat_map(|p| members.iter().map(move |r| number(*r, p)))
                .collect(),
            Mode::FlattenedIds => members,
        }))
    }
}
