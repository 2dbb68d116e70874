//! Programs of several devices: `mapwright run --devices`.

use super::{
    arrays::{Border, levels},
    failure::reported,
    infeed::feed,
    input::{Source, entry},
    measure::{add_times, milliseconds, peak_memory},
    output,
    progress::Progress,
    run::{Run, shapes, write_outputs},
};
use crate::{
    mlir::{Op, TensorType, ValueType},
    native::{CompileOptions, Executable, ExecuteOptions, Tensor},
};
use anyhow::{Context as _, ensure};
use mapwright_normalize::partition::partition;
use mapwright_ops::symbols::find_function_in;
use serde_json::json;
use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

/// A function that can be divided among devices, with the types of its arguments.
///
/// # Errors
/// Arguments or results that are no tensors.
pub(crate) fn divisible<'c>(
    module: Op<'c>,
    name: &str,
    border: &Border,
) -> anyhow::Result<(Op<'c>, Vec<TensorType>)> {
    let is_array = |ty: &ValueType| levels(ty).is_some();
    ensure!(
        border.arguments().is_none() && !border.outputs().iter().any(is_array),
        "@{name} takes or gives tensor arrays, which are not divided among devices"
    );
    let tensors = border.inputs().iter().map(|ty| ty.tensor().cloned());
    let tensors: Option<Vec<TensorType>> = tensors.collect();
    let tensors = tensors.with_context(|| format!("@{name} takes what is no tensor"))?;
    let function = find_function_in(module, name);
    let function = function.with_context(|| format!("there is no function @{name}"))?;
    Ok((function, tensors))
}

impl Run {
    /// Runs the program on several devices of this process. Arguments and results are those of the
    /// whole program.
    pub(crate) fn on_devices(&self, devices: i64) -> anyhow::Result<ExitCode> {
        let progress = Progress::new("reading");
        let source = Source::read(&self.file)?;
        source.parse(|_, module| {
            let module = Op::new(module.as_operation());
            let name = entry(&source, module, self.entry.as_deref())?;
            self.divided(module, &name, devices, &progress)
        })
    }

    fn divided(
        &self,
        module: Op<'_>,
        name: &str,
        devices: i64,
        progress: &Progress,
    ) -> anyhow::Result<ExitCode> {
        let border = &Border::from_function(module, name);
        ensure!(
            self.inputs.len() < 2,
            "with --devices, --inputs may be given once"
        );
        progress.stage("compiling");
        let start = Instant::now();
        let (function, whole) = divisible(module, name, border)?;
        let fed = self.infeed.read(module, devices as usize, 1)?;
        let made = partition(module, function, devices, self.most_operations)?;
        let threads = (self.threads() / devices as usize).max(1);
        let options = CompileOptions {
            threads,
            ..self.compilation(name)
        };
        let executable = Executable::compile(module, &options).map_err(reported)?;
        let compile_time = start.elapsed();
        executable.set_seed(self.seed);
        feed(&executable, &fed);
        progress.stage("reading arguments");
        let (inputs, random) = self.arguments(name, &whole, border, 0)?;
        progress.stage("running");
        let start = Instant::now();
        let inputs: Vec<&Tensor> = inputs.iter().collect();
        let run = ExecuteOptions { threads };
        let limit = Duration::from_secs_f64(self.processes.time_limit);
        let outputs = executable
            .execute_sharded(Some(name), &inputs, &made.placement, limit, &run)
            .map_err(reported)?;
        let time = start.elapsed();
        let outputs = border.results(outputs)?;
        if let Some(folder) = &self.output_dir {
            write_outputs(folder, &outputs)?;
        }
        let remarks: Vec<&str> = made
            .remarks
            .iter()
            .map(|remark| remark.text.as_str())
            .collect();
        let mut report = json!({
            "entry": name,
            "devices": devices,
            "threads": threads,
            "pseudo_random_arguments": random,
            "compile_ms": milliseconds(compile_time),
            "regions": executable.statistics().regions.len(),
            "communication": remarks,
            "peak_rss_bytes": peak_memory(),
            "outputs": shapes(&outputs),
        });
        add_times(&mut report, vec![time]);
        if self.json {
            output::print_json(&report)?
        } else {
            self.print(&report, &outputs)?
        }
        Ok(ExitCode::SUCCESS)
    }
}
