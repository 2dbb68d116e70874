//! `mapwright run`: compiles a program to native code in memory and runs it.

use super::{
    arrays::{self, Border},
    calls::Keeping,
    elements::{kind, random},
    failure::reported,
    given::{self, Key, numbered},
    infeed::{Infeed, feed},
    input::{Source, entry},
    interpret::Interpreted,
    literal,
    measure::{add_times, milliseconds, peak_memory, repeat, seconds, short},
    npy,
    output::{self, Files},
    processes::{Processes, asked_for},
    profile,
    progress::Progress,
    switches,
};
use crate::{
    indexing::counted,
    mlir::{Op, TensorType, ValueType},
    native::{
        Bound, CodeKind, CompileOptions, DiskCache, Executable, ExecuteOptions, Reuse,
        ScatterWindows, Tensor, run_time_inputs, specialize,
    },
};
use anyhow::{Context as _, ensure};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

/// Compiles a program to native code in memory and runs it.
#[derive(Args)]
pub(crate) struct Run {
    /// The program, or `-` for standard input
    pub(crate) file: String,
    /// The function to call; `main` without it, or the only public function
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// Argument K from an .npy file; may be repeated. A tensor array is K.values (its leaves) and
    /// K.offsets0, K.offsets1, … (of each level)
    #[arg(long = "input", value_name = "K=FILE.npy", value_parser = numbered)]
    input: Vec<(Key, PathBuf)>,
    /// Arguments from arg0.npy, arg1.npy, … in a folder; arrays from argK.values.npy,
    /// argK.offsets0.npy, …; given again, a further call each
    #[arg(long, value_name = "DIR")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) infeed: Infeed,
    /// Write the results to out0.npy, out1.npy, … in a folder; arrays to outK.values.npy,
    /// outK.offsets0.npy, …; of several calls in folders 0, 1, …
    #[arg(long, value_name = "DIR")]
    pub(crate) output_dir: Option<PathBuf>,
    /// Arguments that are not given, and what the program draws at random, are pseudo-random from
    /// this
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Number of threads; all of the machine without it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
    /// Run the program, whose tensors are divided among devices by their shardings, on so many
    /// devices of this process, which share the threads
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096), conflicts_with_all = ["bench", "profile", "interpret"])]
    pub(crate) devices: Option<u32>,
    #[command(flatten)]
    pub(crate) processes: Processes,
    /// Warm up, then repeat for about this long
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true, default_missing_value = "1", value_parser = seconds)]
    pub(crate) bench: Option<f64>,
    /// Show time, bytes and rate of each part of the program against the measured peaks of the
    /// machine; repeats as with `--bench`
    #[arg(long)]
    pub(crate) profile: bool,
    /// Write the profile as a page: the parts against the roofline, and on a click the operations
    /// of one
    #[arg(long, value_name = "OUT.html", requires = "profile")]
    html: Option<PathBuf>,
    /// Evaluate the program operation by operation instead of compiling it: slow, and independent
    /// of the compiler
    #[arg(long, conflicts_with_all = ["bench", "profile", "threads"])]
    pub(crate) interpret: bool,
    /// Compile for the sizes of the arguments, or once for all sizes that are known at run time
    /// only
    #[arg(long, value_enum, value_name = "WHEN", default_value = "on")]
    pub(crate) specialize: Switch,
    #[command(flatten)]
    pub(crate) keeping: Keeping,
    /// Check every load and store of the compiled code against its buffer
    #[arg(long, conflicts_with = "interpret")]
    bounds_checks: bool,
    /// Names of what must not be used, with commas between them: rewritings, parts of the plan and
    /// emitters, as in the option `disable` of the passes
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = switches::known, conflicts_with = "interpret")]
    pub(crate) disable: Vec<String>,
    /// Most operations of a program whose calls are inlined
    #[arg(long, value_name = "N", default_value_t = CompileOptions::MOST_OPERATIONS)]
    pub(crate) most_operations: usize,
    /// Folder where compiled programs are kept for later runs, or `off`; without it
    /// `MAPWRIGHT_CACHE`, or `mapwright` in the user's folder of caches. With --bounds-checks
    /// or --profile every program is compiled
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Part that is left out of a scatter's window of updates that is partly outside of the
    /// operand: its `elements` outside, or, as by XLA, the `whole` window
    #[arg(long, value_name = "WHAT", default_value = "elements")]
    pub(crate) scatter_windows: ScatterWindows,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

/// Makes an argument of a number and a type, of what is in a file if there is one.
type ReadOne<'a> = dyn Fn(usize, &TensorType, Option<PathBuf>) -> anyhow::Result<Tensor> + 'a;

impl Run {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let progress = Progress::new("reading");
        let source = Source::read(&self.file)?;
        source.parse(|_, module| {
            let module = Op::new(module.as_operation());
            let name = entry(&source, module, self.entry.as_deref())?;
            let border = Border::from_function(module, &name);
            let asked = asked_for(module)?;
            let fed = self.infeed.read(module, 1, self.inputs.len())?;
            if self.inputs.len() > 1 {
                return self.calls(module, &name, &border, &progress);
            }
            if self.interpret {
                return self.interpret(module, &name, &border, &fed, &progress);
            }
            let threads = self.threads();
            // For the sizes of the arguments there is static code.
            let specialized = match self.specialize {
                Switch::On => run_time_inputs(module, &name),
                Switch::Off => None,
            };
            let is_specialized = specialized.is_some();
            let given = specialized
                .map(|types| {
                    progress.stage("reading arguments");
                    self.arguments(&name, &types, &border, 0)
                })
                .transpose()?;
            progress.stage("compiling");
            let start = Instant::now();
            let special = given
                .as_ref()
                .map(|(inputs, _)| {
                    let shapes: Vec<&[i64]> = inputs.iter().map(Tensor::shape).collect();
                    specialize(module, &name, &shapes)
                })
                .transpose()
                .map_err(reported)?;
            let module = special
                .as_ref()
                .map_or(module, |special| Op::new(special.as_operation()));
            let executable =
                Executable::compile(module, &self.compilation(&name)).map_err(reported)?;
            let compile_time = start.elapsed();
            executable.set_seed(self.seed);
            feed(&executable, &fed);

            let types = executable.signature(Some(&name)).map_err(reported)?.inputs;
            let kind = match types.iter().all(|ty| ty.static_shape().is_some()) {
                true if is_specialized => CodeKind::Special,
                true => CodeKind::Static,
                false => CodeKind::AnySize,
            };
            let (inputs, random) = match given {
                Some(inputs) => inputs,
                None => {
                    progress.stage("reading arguments");
                    self.arguments(&name, &types, &border, 0)?
                }
            };
            let inputs: Vec<&Tensor> = inputs.iter().collect();

            progress.stage("running");
            let mut bound = executable
                .bind(Some(&name), &inputs, &ExecuteOptions { threads })
                .map_err(reported)?;
            let mut times = Vec::new();
            let timed = |bound: &mut Bound<'_>| -> anyhow::Result<Duration> {
                let start = Instant::now();
                bound.run().map_err(reported)?;
                Ok(start.elapsed())
            };
            let bench = self.bench.or(self.profile.then_some(0.5));
            match bench {
                None => times.push(timed(&mut bound)?),
                Some(seconds) => {
                    // A fifth of the time, and at least one call, to warm up.
                    repeat(seconds / 5.0, 1, || timed(&mut bound).map(drop))?;
                    bound.take_times();
                    repeat(seconds, 3, || {
                        times.push(timed(&mut bound)?);
                        Ok(())
                    })?;
                }
            }
            let parts = bound.take_times();
            let memory = bound.memory();
            // Of one call: after many, a donated argument is not what was given.
            let outputs = match bench {
                None => bound.into_outputs(),
                Some(_) => {
                    drop(bound);
                    executable
                        .execute_entry(Some(&name), &inputs, &ExecuteOptions { threads })
                        .map_err(reported)?
                }
            };
            drop(progress);
            let outputs = border.results(outputs)?;
            if let Some(folder) = &self.output_dir {
                write_outputs(folder, &outputs)?;
            }
            let maps = executable.statistics().maps;
            let mut report = json!({
                "entry": name,
                "threads": threads,
                "pseudo_random_arguments": random,
                "specialized": is_specialized,
                "code": kind.name(),
                "compile_ms": milliseconds(compile_time),
                "stages_ms": executable.statistics().stages.iter()
                    .map(|(name, time)| ((*name).to_string(), json!(milliseconds(*time))))
                    .collect::<serde_json::Map<_, _>>(),
                "regions": executable.statistics().regions.len(),
                "kernels": output::kernels(&executable.statistics().regions),
                "maps": {
                    "composed": maps.composed,
                    "simplified": maps.simplified,
                    "operations_before": maps.operations_before,
                    "operations_after": maps.operations_after,
                },
                "peak_rss_bytes": peak_memory(),
                "memory_bytes": {
                    "inputs": memory.inputs,
                    "outputs": memory.outputs,
                    "plan": memory.plan,
                    "peak": memory.peak,
                    "copied": memory.copied,
                },
                "outputs": shapes(&outputs),
            });
            let runs = times.len() as u64;
            add_times(&mut report, times);
            if let Some(asked) = asked {
                report["asked_for_devices"] = json!(asked);
            }
            if self.profile {
                report["profile"] = profile::report(&executable, &parts, runs, threads)?;
            }
            if let Some(path) = &self.html {
                let mut files = Files::default();
                files.write(path, profile::page(&report).as_bytes())?;
                files.commit()?;
            }
            if self.json {
                output::print_json(&report)?;
            } else {
                self.print(&report, &outputs)?;
            }
            Ok(ExitCode::SUCCESS)
        })
    }

    /// Runs the program with the interpreter.
    fn interpret(
        &self,
        module: Op<'_>,
        name: &str,
        border: &Border,
        fed: &[(usize, Tensor)],
        progress: &Progress,
    ) -> anyhow::Result<ExitCode> {
        let mut program = Interpreted::new(module, name, self.seed, self.scatter_windows)?;
        program.feed(fed.iter().map(|(_, tensor)| tensor))?;
        progress.stage("reading arguments");
        let (inputs, random) = self.arguments(name, &program.inputs(), border, 0)?;
        progress.stage("interpreting");
        let start = Instant::now();
        let outputs = border.results(program.run(&inputs)?)?;
        let time = milliseconds(start.elapsed());
        if let Some(folder) = &self.output_dir {
            write_outputs(folder, &outputs)?;
        }
        let report = json!({
            "entry": name,
            "interpreted": true,
            "pseudo_random_arguments": random,
            "threads": 1,
            "compile_ms": 0.0,
            "runs": 1,
            "min_ms": time,
            "median_ms": time,
            "p90_ms": time,
            "regions": 0,
            "peak_rss_bytes": peak_memory(),
            "outputs": shapes(&outputs),
        });
        if self.json {
            output::print_json(&report)?;
        } else {
            self.print(&report, &outputs)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    pub(crate) fn threads(&self) -> usize {
        self.threads.map_or_else(
            || std::thread::available_parallelism().map_or(1, usize::from),
            |threads| threads as usize,
        )
    }

    fn reuse(&self) -> Reuse {
        match &self.cache {
            // What they report is of this program's text, not of an equal one's.
            _ if self.bounds_checks || self.profile => Reuse::Never,
            Some(off) if off.as_os_str() == "off" => Reuse::Never,
            Some(folder) => Reuse::Disk(DiskCache::new(folder)),
            None => Reuse::from_environment(),
        }
    }

    pub(crate) fn compilation(&self, name: &str) -> CompileOptions {
        CompileOptions {
            entries: vec![name.to_owned()],
            threads: self.threads(),
            profile: self.profile,
            bounds_checks: self.bounds_checks,
            most_operations: self.most_operations,
            disabled: self.disable.clone(),
            reuse: self.reuse(),
            scatter_windows: self.scatter_windows,
            ..CompileOptions::default()
        }
    }

    /// The arguments of call number `call`, and which of them are pseudo-random.
    pub(crate) fn arguments(
        &self,
        name: &str,
        types: &[TensorType],
        border: &Border,
        call: usize,
    ) -> anyhow::Result<(Vec<Tensor>, Vec<usize>)> {
        self.arguments_by(name, types, border, call, &|i, ty, file| match file {
            Some(file) => npy::read(&file, ty),
            None => random(ty, self.seed, i),
        })
    }

    /// The arguments, of which `one` makes a tensor by its number, its type and its file, if it has
    /// one.
    pub(crate) fn arguments_by(
        &self,
        name: &str,
        types: &[TensorType],
        border: &Border,
        call: usize,
        one: &ReadOne<'_>,
    ) -> anyhow::Result<(Vec<Tensor>, Vec<usize>)> {
        let folder = self.inputs.get(call);
        if let Some(folder) = folder {
            ensure!(
                folder.is_dir(),
                "--inputs {}: there is no such folder",
                folder.display()
            );
        }
        let arrays = border.arguments();
        let count = arrays.as_ref().map_or(types.len(), Vec::len);
        for ((number, part), file) in &self.input {
            ensure!(
                *number < count,
                "--input {number}={}: @{name} has {}",
                file.display(),
                counted(count, "argument"),
            );
            let takes = arrays.as_ref().is_some_and(|all| all[*number].1 > 1);
            ensure!(
                takes != part.is_empty(),
                "--input {number}={}: argument {number} of @{name} is {}",
                file.display(),
                if takes { "an array" } else { "a tensor" }
            );
        }
        let file = |i: usize, part: &str| {
            let wanted = |key: &Key| key.0 == i && key.1 == part;
            let named = self.input.iter().rev().find(|(key, _)| wanted(key));
            let dot = if part.is_empty() { "" } else { "." };
            named.map(|(_, file)| file.clone()).or_else(|| {
                let file = folder?.join(format!("arg{i}{dot}{part}.npy"));
                file.exists().then_some(file)
            })
        };
        let missing = given::missing(&self.input, folder, name, count)?;
        let single = |i: usize, ty: &TensorType| one(i, ty, file(i, ""));
        let mut rest = types;
        let mut all = Vec::new();
        for i in 0..count {
            let (ty, parts) = match &arrays {
                Some(arrays) => (Some(arrays[i].0), arrays[i].1),
                None => (None, 1),
            };
            let (own, others) = rest.split_at(parts.min(rest.len()));
            rest = others;
            let read = match (ty, own) {
                (Some(ty), [_, _, ..]) => arrays::read(
                    ty,
                    own,
                    self.seed ^ i as u64,
                    |part| file(i, part),
                    |leaves| random(leaves, self.seed, i),
                ),
                (Some(ValueType::Shape(_)), [ty]) => {
                    single(i, ty).and_then(|found| Ok(vec![arrays::sizes(found, file(i, ""))?]))
                }
                (_, own) => own.iter().map(|ty| single(i, ty)).collect(),
            };
            all.extend(read.with_context(|| format!("argument {i} of @{name}"))?);
        }
        Ok((all, missing))
    }

    pub(crate) fn print(&self, report: &Value, outputs: &[(String, Tensor)]) -> anyhow::Result<()> {
        if self.output_dir.is_none() && self.bench.is_none() && !self.profile {
            print_literals(outputs)?;
        }
        if self.bench.is_some() || self.profile {
            let number =
                |key: &str, thing| counted(report[key].as_u64().unwrap_or_default(), thing);
            output::print(&format!(
                "{} with {}: min {} ms, median {} ms, p90 {} ms; {}, compiled in {:.1} ms\n",
                number("runs", "run"),
                number("threads", "thread"),
                short(&report["min_ms"]),
                short(&report["median_ms"]),
                short(&report["p90_ms"]),
                number("regions", "region"),
                report["compile_ms"].as_f64().unwrap_or_default(),
            ))?;
            let bytes = &report["memory_bytes"];
            if bytes.is_object() {
                output::print(&format!(
                    "memory: {} bytes of arguments, {} of results, {} of the plan; at most {} at once; {} copied to be safe\n",
                    bytes["inputs"],
                    bytes["outputs"],
                    bytes["plan"],
                    bytes["peak"],
                    bytes["copied"],
                ))?;
            }
        }
        if self.profile {
            output::print(&profile::table(&report["profile"]))?;
        }
        Ok(())
    }
}

/// Results as MLIR's literals, one a line.
pub(crate) fn print_literals(outputs: &[(String, Tensor)]) -> anyhow::Result<()> {
    for (_, output) in outputs {
        output::print(&format!("{}\n", literal(output)?))?;
    }
    Ok(())
}

/// A tensor as a dense literal, abbreviated where it is long.
pub(crate) fn literal(tensor: &Tensor) -> anyhow::Result<String> {
    let ty = TensorType::new(tensor.element().clone(), tensor.shape());
    let shape: Vec<usize> = tensor.shape().iter().map(|size| *size as usize).collect();
    let kind = kind(tensor.element())?;
    Ok(literal::dense(
        kind,
        &shape,
        tensor.bytes(),
        &ty.to_string(),
    ))
}

/// The shapes and element types of results.
pub(crate) fn shapes(outputs: &[(String, Tensor)]) -> Vec<Value> {
    let described = |(_, output): &(String, Tensor)| {
        json!({
            "shape": output.shape(),
            "type": output.element().to_string(),
        })
    };
    outputs.iter().map(described).collect()
}

pub(crate) fn write_outputs(folder: &Path, outputs: &[(String, Tensor)]) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut files = Files::default();
    for (name, tensor) in outputs {
        let path = folder.join(format!("out{name}.npy"));
        let (_, file) = files.create(&path)?;
        npy::write(file, tensor.element(), tensor.shape(), tensor.bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    files.commit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mlir::ElementType;

    #[test]
    fn random_tensors_depend_on_seed_and_argument_alone() {
        let ty = TensorType::new(ElementType::F32, &[16]);
        let bytes = |seed, number| random(&ty, seed, number).unwrap().bytes().to_vec();
        assert_eq!(bytes(1, 0), bytes(1, 0));
        assert_ne!(bytes(1, 0), bytes(2, 0));
        assert_ne!(bytes(1, 0), bytes(1, 1));
    }

    #[test]
    fn inputs_on_the_command_line() {
        let key = |number: usize, part: &str| (number, part.to_string());
        assert_eq!(numbered("3=a=b.npy"), Ok((key(3, ""), "a=b.npy".into())));
        assert_eq!(
            numbered("3.values=a.b.npy"),
            Ok((key(3, "values"), "a.b.npy".into()))
        );
        assert!(numbered("a.npy").is_err());
        assert!(numbered("-1=a.npy").is_err());
        assert_eq!(seconds("0.5"), Ok(0.5));
        assert!(seconds("-1").is_err() && seconds("nan").is_err());
    }
}
