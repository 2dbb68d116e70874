//! Results of which each rank has its slice: in files of the whole, or as a whole at rank 0.

use super::{STAGE, Team, box_of};
use crate::{
    command::{
        failure::reported,
        npy,
        output::{self, Files},
    },
    native::{Tensor, joined},
};
use anyhow::Context as _;
use mapwright_normalize::partition::Placement;
use mapwright_runtime::collective::{Incoming, Outgoing, Transport as _};
use mapwright_sharding::ShardedTensor;
use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

/// The shape of a whole tensor of which `slice` is one.
pub(super) fn whole_shape<'a>(place: Option<&'a ShardedTensor>, slice: &'a Tensor) -> &'a [i64] {
    place.map_or(slice.shape(), ShardedTensor::shape)
}

/// The first rank of those that have the same slice as this one.
fn first_with(place: Option<&ShardedTensor>, rank: usize) -> anyhow::Result<usize> {
    let Some(place) = place else { return Ok(0) };
    let own = place.range_of(rank as i64)?;
    for other in 0..rank {
        if place.range_of(other as i64)? == own {
            return Ok(other);
        }
    }
    Ok(rank)
}

/// Writes results into files of the whole, of which each rank writes its slice. They have their
/// names when all have done so.
pub(super) fn write_parts(
    team: &Team,
    folder: &Path,
    placement: &Placement,
    outputs: &[Tensor],
) -> anyhow::Result<()> {
    let rank = team.rank();
    let mut files = Files::default();
    let mut make = || -> anyhow::Result<Vec<(PathBuf, u64)>> {
        if rank > 0 {
            return Ok(Vec::new());
        }
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let results = outputs.iter().zip(&placement.outputs).enumerate();
        let made = results.map(|(i, (slice, place))| -> anyhow::Result<(PathBuf, u64)> {
            let path = folder.join(format!("out{i}.npy"));
            let temporary = files.temporary(&path)?;
            let start = File::create(&temporary)
                .map_err(Into::into)
                .and_then(|file| {
                    npy::write_head(&file, slice.element(), whole_shape(place.as_ref(), slice))
                });
            let start = start.with_context(|| format!("cannot write {}", path.display()))?;
            Ok((temporary, start))
        });
        made.collect()
    };
    let made = make();
    // Others find the files by the number of this process.
    let tell = |made: &Vec<(PathBuf, u64)>| {
        let starts: Vec<String> = made.iter().map(|(_, start)| start.to_string()).collect();
        format!("{} {}", std::process::id(), starts.join(" "))
    };
    let (_, told) = team.after("making files", made, tell)?;
    let mut numbers = told[0].split(' ').map(str::parse::<u64>);
    let mut number = || {
        numbers
            .next()
            .context("rank 0 says nothing of a file")?
            .context("no number")
    };
    let mut write = || -> anyhow::Result<()> {
        let process = number()?;
        for (i, (slice, place)) in outputs.iter().zip(&placement.outputs).enumerate() {
            let (place, start) = (place.as_ref(), number()?);
            if first_with(place, rank)? != rank {
                continue;
            }
            let path = output::temporary_name(&folder.join(format!("out{i}.npy")), process as u32)?;
            let shape = whole_shape(place, slice);
            let part = box_of(place, shape, rank)?;
            let file = File::options().write(true).open(&path);
            file.and_then(|file| npy::write_part(&file, start, slice, (shape, &part)))
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    };
    team.all("writing", write())?;
    team.all("naming files", files.commit())
}

/// Results as a whole at rank 0, for reading; nothing elsewhere.
pub(super) fn at_first(
    team: &Team,
    placement: &Placement,
    outputs: Vec<Tensor>,
) -> anyhow::Result<Vec<Tensor>> {
    let (rank, size) = (team.rank(), team.ranks.size());
    let mut wholes = Vec::new();
    for (slice, place) in outputs.into_iter().zip(&placement.outputs) {
        let place = place.as_ref();
        let mut senders = Vec::new();
        for other in 1..size {
            if first_with(place, other)? == other {
                senders.push(other);
            }
        }
        let outgoing = Outgoing {
            to: 0,
            bytes: slice.bytes(),
        };
        let outgoing: Vec<Outgoing<'_>> = senders
            .contains(&rank)
            .then_some(outgoing)
            .into_iter()
            .collect();
        let mut received = Vec::new();
        if rank == 0 {
            for _ in &senders {
                received.push(Tensor::zeros(slice.element(), slice.shape()).map_err(reported)?);
            }
        }
        let mut incoming: Vec<Incoming<'_>> = (senders.iter().zip(&mut received))
            .map(|(from, tensor)| Incoming {
                from: *from,
                bytes: tensor.bytes_mut(),
            })
            .collect();
        let exchanged =
            (team.ranks).exchange(team.rank(), "printing", &outgoing, &mut incoming, STAGE);
        exchanged.unwrap_or_else(|error| team.ranks.abort(&error.message));
        if rank == 0 {
            let others = senders.into_iter().map(|other| other as i64).zip(received);
            let all = std::iter::once((0, slice)).chain(others).collect();
            wholes.push(joined(all, place).map_err(reported)?);
        }
    }
    Ok(wholes)
}
