//! Programs of several devices, each a process of MPI: `mpirun -n N mapwright run`.
//!
//! Every rank makes the program of one device and has only its slices of arguments and results. All
//! go from stage to stage together, so that what fails on one of them ends all, with its reason,
//! and nothing is left half-written.

mod results;

use super::{
    arrays::Border,
    devices::divisible,
    elements::random_part,
    failure::reported,
    infeed::feed,
    input::{Source, entry},
    measure::{add_times, milliseconds, peak_memory},
    npy, output,
    progress::Progress,
    run::Run,
    told,
};
use crate::{
    mlir::{Op, TensorType, diagnostic::Failure},
    native::{Bound, CompileOptions, Executable, ExecuteOptions, Tensor},
};
use anyhow::{Context as _, anyhow, ensure};
use mapwright_indexing::Interval;
use mapwright_mpi::{Launch, Ranks};
use mapwright_normalize::partition::{Placement, partition};
use mapwright_runtime::collective::{Transport, World};
use mapwright_sharding::{IndexBox, ShardedTensor};
use results::{at_first, whole_shape, write_parts};
use serde_json::{Value, json};
use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

/// Time that ranks wait for one that is still at an earlier stage, such as compiling. Those that
/// died do not let the others wait: their launcher ends all.
const STAGE: Duration = Duration::from_secs(24 * 3600);

/// All ranks, with what each of them is told by the others.
struct Team {
    ranks: Arc<Ranks>,
    world: Arc<World>,
}

impl Team {
    fn rank(&self) -> usize {
        self.ranks.rank()
    }

    /// Ends a stage: with what this rank tells the others, or why it cannot go on. Where one
    /// cannot, none does, and rank 0 says why.
    ///
    /// # Errors
    /// This rank or another one cannot go on.
    fn after<T>(
        &self,
        stage: &str,
        own: anyhow::Result<T>,
        tell: impl Fn(&T) -> String,
    ) -> anyhow::Result<(T, Vec<String>)> {
        let said = match &own {
            Ok(value) => format!("+{}", tell(value)),
            Err(error) => format!("-{error:#}"),
        };
        let told = self.world.tell_all(self.rank(), stage, &said, STAGE);
        let told = told.unwrap_or_else(|error| self.ranks.abort(&error.message));
        let reasons: Vec<(usize, &str)> = told
            .iter()
            .enumerate()
            .filter_map(|(rank, said)| Some((rank, said.strip_prefix('-')?)))
            .collect();
        match own {
            Ok(value) if reasons.is_empty() => {
                let told = told.iter().map(|said| said.get(1..).unwrap_or_default());
                Ok((value, told.map(str::to_owned).collect()))
            }
            _ if self.rank() > 0 => Err(Failure::reported().into()),
            _ => {
                let said = together(&reasons, told.len());
                // Diagnostics end with a line, and have their places.
                if !said.ends_with('\n') {
                    return Err(anyhow!(said));
                }
                eprint!("{said}");
                Err(Failure::reported().into())
            }
        }
    }

    /// As [`Team::after`], where nothing is to be told.
    fn all<T>(&self, stage: &str, own: anyhow::Result<T>) -> anyhow::Result<T> {
        Ok(self.after(stage, own, |_| String::new())?.0)
    }
}

/// The reasons of ranks, each once.
fn together(reasons: &[(usize, &str)], ranks: usize) -> String {
    let mut parts: Vec<(&str, Vec<usize>)> = Vec::new();
    for (rank, reason) in reasons {
        match parts.iter_mut().find(|(known, _)| known == reason) {
            Some((_, of)) => of.push(*rank),
            None => parts.push((reason, vec![*rank])),
        }
    }
    let said = parts.iter().map(|(reason, of)| match of.as_slice() {
        [one] => format!("rank {one}: {reason}"),
        all if all.len() == ranks => (*reason).to_owned(),
        some => {
            let some: Vec<String> = some.iter().map(ToString::to_string).collect();
            format!("ranks {}: {reason}", some.join(", "))
        }
    });
    said.collect::<Vec<_>>().join("; ")
}

/// The ranks whose number differs from that of rank 0 in what they told.
fn others_than_first(told: &[String]) -> Option<String> {
    let first = told.first()?;
    let others = told.iter().enumerate().filter(|(_, said)| *said != first);
    let others: Vec<String> = others.map(|(rank, _)| rank.to_string()).collect();
    match others.as_slice() {
        [] => None,
        [one] => Some(format!("rank {one}")),
        some => Some(format!("ranks {}", some.join(", "))),
    }
}

/// The box of a tensor that a rank has; all of it where it is not divided.
fn box_of(place: Option<&ShardedTensor>, shape: &[i64], rank: usize) -> anyhow::Result<IndexBox> {
    match place {
        Some(place) => Ok(place.range_of(rank as i64)?),
        None => Ok(shape.iter().map(|n| Interval::of_size(*n)).collect()),
    }
}

/// The program of one device, compiled.
struct Prepared {
    name: String,
    border: Border,
    whole: Vec<TensorType>,
    placement: Placement,
    remarks: Vec<String>,
    executable: Executable,
    compile_time: Duration,
}

impl Run {
    /// Runs the program as one device of several, each in a process of its own.
    pub(crate) fn on_ranks(self, launch: Option<Launch>) -> anyhow::Result<ExitCode> {
        let who = || match launch {
            Some(launch) => format!("rank {} of {}", launch.rank, launch.size),
            None => "MPI".into(),
        };
        let ranks = Arc::new(Ranks::start(launch, output::remove_unfinished).with_context(who)?);
        let transport: Arc<dyn Transport> = Arc::<Ranks>::clone(&ranks);
        let limit = Duration::from_secs_f64(self.processes.time_limit);
        let here = launch.map_or(ranks.size(), |launch| launch.here);
        let threads = match self.threads {
            Some(threads) => threads as usize,
            None => (self.threads() / here).max(1),
        };
        let overlaps = self.processes.overlaps(here, threads);
        let world = World::spread(1, ranks.size(), limit, transport)?;
        let world = Arc::new(world.overlapping(overlaps));
        let team = Team { ranks, world };
        // All of them come here: what failed on one of them has ended the stage of all. Nobody
        // leaves before the reason is said, as launchers end all others when one leaves with an
        // error.
        let code = told(self.as_rank(&team, threads));
        let left = team.world.tell_all(team.rank(), "leaving", "", STAGE);
        left.unwrap_or_else(|error| team.ranks.abort(&error.message));
        team.ranks.finish();
        Ok(code)
    }

    /// Returns a text of what all ranks have to be given alike.
    fn agreed(&self, source: &Source) -> String {
        let mut hasher = DefaultHasher::new();
        let options = (
            &self.entry,
            self.seed,
            &self.disable,
            self.most_operations,
            format!("{:?}", self.scatter_windows),
            &self.output_dir,
            self.json,
        );
        options.hash(&mut hasher);
        format!(
            "{} {:016x} {:016x}",
            concat!(env!("CARGO_PKG_VERSION"), env!("MAPWRIGHT_COMMIT")),
            source.digest(),
            hasher.finish()
        )
    }

    fn read_as_rank(&self, team: &Team) -> anyhow::Result<Source> {
        let size = team.ranks.size();
        let refused = [
            (self.profile, "--profile"),
            (self.interpret, "--interpret"),
            (self.file == "-", "a program on standard input"),
            (self.inputs.len() > 1, "more than one --inputs"),
        ];
        for (is_asked, what) in refused {
            ensure!(
                !is_asked,
                "{what} goes with one process only; --mpi=off runs each by itself"
            );
        }
        ensure!(
            self.devices.is_none_or(|devices| devices as usize == size),
            "--devices is another number than that of the ranks, {size}: a rank is a device"
        );
        Source::read(&self.file)
    }

    fn as_rank(&self, team: &Team, threads: usize) -> anyhow::Result<ExitCode> {
        let (rank, size) = (team.rank(), team.ranks.size());
        let progress = Progress::new("reading");
        let read = self.read_as_rank(team);
        let (source, told) = team.after("reading", read, |source| self.agreed(source))?;
        let same = others_than_first(&told).map_or(Ok(()), |others| {
            Err(anyhow!(
                "{others} of {size}: another program or other options than rank 0"
            ))
        });
        // Everybody has been told the same.
        if same.is_err() && rank > 0 {
            return Err(Failure::reported().into());
        }
        same?;

        progress.stage("compiling");
        let made = source.read_with(|_, module| {
            self.prepare(
                &source,
                Op::new(module.as_operation()),
                (rank, size),
                threads,
            )
        });
        let prepared = team.all("compiling", made.map_err(anyhow::Error::msg))?;
        let Prepared {
            name,
            border,
            whole,
            placement,
            executable,
            ..
        } = &prepared;

        progress.stage("reading arguments");
        let arguments = self.arguments_by(name, whole, border, 0, &|i, ty, file| {
            let shape = ty
                .static_shape()
                .context("a size is known at run time only")?;
            let place = placement.inputs.get(i).and_then(Option::as_ref);
            let part = box_of(place, &shape, rank)?;
            match file {
                Some(file) => npy::read_part(&file, ty, &part),
                None => random_part(ty, self.seed, i, &part),
            }
        });
        let tell = |(_, random): &(Vec<Tensor>, Vec<usize>)| format!("{random:?}");
        let ((inputs, random), told) = team.after("reading arguments", arguments, tell)?;
        if let Some(others) = others_than_first(&told) {
            return match rank {
                0 => Err(anyhow!(
                    "{others}: files of other arguments than rank 0 has"
                )),
                _ => Err(Failure::reported().into()),
            };
        }

        progress.stage("running");
        let inputs: Vec<&Tensor> = inputs.iter().collect();
        let run = ExecuteOptions { threads };
        let bind = || {
            let bound = executable.bind_partition(Some(name), &inputs, (&team.world, rank), &run);
            // Others may wait in a collective for this rank, which does not come.
            bound.unwrap_or_else(|error| team.ranks.abort(&error.to_string()))
        };
        let timed = |bound: &mut Bound<'_>| {
            let start = Instant::now();
            let outcome = bound.run();
            outcome.unwrap_or_else(|error| team.ranks.abort(&error.to_string()));
            start.elapsed()
        };
        let mut bound = bind();
        let mut times = vec![timed(&mut bound)];
        if let Some(seconds) = self.bench {
            // As often as rank 0 says, after calls to warm up.
            let warm = (0..3).map(|_| timed(&mut bound)).min().unwrap_or_default();
            let runs = (seconds / warm.as_secs_f64().max(1e-9)).clamp(3.0, 1e9) as u64;
            let (_, told) = team.after("measuring", Ok(runs), u64::to_string)?;
            let runs = told[0].parse().unwrap_or(runs);
            times = (0..runs).map(|_| timed(&mut bound)).collect();
            // Of one call: after many, a donated argument is not what was given.
            bound = bind();
            timed(&mut bound);
        }
        let outputs = bound.into_outputs();
        let (outputs, peaks) = team.after("running", Ok(outputs), |_| peak_memory().to_string())?;
        drop(progress);

        if let Some(folder) = &self.output_dir {
            write_parts(team, folder, placement, &outputs)?;
        }
        let mut report = json!({
            "entry": name,
            "devices": size,
            "threads": threads,
            "pseudo_random_arguments": random,
            "compile_ms": milliseconds(prepared.compile_time),
            "regions": executable.statistics().regions.len(),
            "communication": prepared.remarks,
            "peak_rss_bytes": peak_memory(),
            "rank_peak_rss_bytes": peaks.iter().filter_map(|peak| peak.parse::<u64>().ok()).collect::<Vec<_>>(),
            "outputs": placement.outputs.iter().zip(&outputs).map(|(place, slice)| json!({
                "shape": whole_shape(place.as_ref(), slice),
                "type": slice.element().to_string(),
            })).collect::<Vec<Value>>(),
        });
        add_times(&mut report, times);
        if self.json {
            if rank == 0 {
                output::print_json(&report)?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        let mut named = Vec::new();
        if self.output_dir.is_none() && self.bench.is_none() {
            let outputs = at_first(team, placement, outputs)?.into_iter().enumerate();
            named.extend(outputs.map(|(i, tensor)| (i.to_string(), tensor)));
        }
        if rank == 0 {
            self.print(&report, &named)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn prepare(
        &self,
        source: &Source,
        module: Op<'_>,
        (rank, size): (usize, usize),
        threads: usize,
    ) -> anyhow::Result<Prepared> {
        let name = entry(source, module, self.entry.as_deref())?;
        let border = Border::from_function(module, &name);
        let (function, whole) = divisible(module, &name, &border)?;
        let start = Instant::now();
        let fed = self.infeed.read(module, size, 1)?;
        let made = partition(module, function, size as i64, self.most_operations)?;
        let options = CompileOptions {
            threads,
            ..self.compilation(&name)
        };
        let executable = Executable::compile(module, &options).map_err(reported)?;
        executable
            .check_placement(Some(&name), &made.placement)
            .map_err(reported)?;
        executable.set_seed(self.seed);
        let own: Vec<(usize, Tensor)> = fed.into_iter().filter(|(to, _)| *to == rank).collect();
        feed(&executable, &own);
        Ok(Prepared {
            compile_time: start.elapsed(),
            remarks: made.remarks.into_iter().map(|remark| remark.text).collect(),
            placement: made.placement,
            name,
            border,
            whole,
            executable,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_said_once() {
        let all = [(0, "a"), (1, "a"), (2, "b")];
        assert_eq!(together(&all, 3), "ranks 0, 1: a; rank 2: b");
        assert_eq!(together(&[(0, "a"), (1, "a")], 2), "a");
        assert_eq!(together(&[(1, "no such file")], 2), "rank 1: no such file");
    }

    #[test]
    fn ranks_that_differ_are_named() {
        let told = |all: &[&str]| {
            all.iter()
                .map(|said| (*said).to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(others_than_first(&told(&["a", "a"])), None);
        assert_eq!(
            others_than_first(&told(&["a", "b", "a"])).unwrap(),
            "rank 1"
        );
        assert_eq!(
            others_than_first(&told(&["a", "b", "c"])).unwrap(),
            "ranks 1, 2"
        );
    }
}
