//! Several calls of a program, each with arguments of its own: `mapwright run` with more than one
//! `--inputs`.

use super::{
    arrays::Border,
    failure::reported,
    interpret::Interpreted,
    measure::{add_times, milliseconds, peak_memory},
    output,
    progress::Progress,
    run::{Run, Switch, print_literals, shapes, write_outputs},
};
use crate::{
    mlir::Op,
    native::{ExecuteOptions, Model, ModelOptions, Tensor},
};
use clap::{Args, CommandFactory, error::ErrorKind};
use serde_json::{Value, json};
use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

/// Code that is kept between calls with arguments of different shapes.
#[derive(Args)]
pub(crate) struct Keeping {
    /// Of several calls: how many codes for the shapes of arguments are kept; those that were used
    /// last
    #[arg(long, value_name = "N", default_value_t = ModelOptions::default().cached_codes)]
    specialize_cache: usize,
    /// Of several calls: from which new shape on calls use code for any size, while that for the
    /// shape is compiled beside
    #[arg(long, value_name = "N", default_value_t = ModelOptions::default().any_size_from)]
    any_size_from: usize,
    /// Of several calls: every one waits for the code for its shapes
    #[arg(long)]
    specialize_wait: bool,
}

/// A call that was made.
struct Call {
    outputs: Vec<(String, Tensor)>,
    code: Option<&'static str>,
    waited: Duration,
    time: Duration,
}

enum Program<'c> {
    Compiled(Box<Model>),
    Interpreted(Interpreted<'c>),
}

impl Run {
    /// Makes all calls, one after another.
    pub(crate) fn calls(
        &self,
        module: Op<'_>,
        name: &str,
        border: &Border,
        progress: &Progress,
    ) -> anyhow::Result<ExitCode> {
        if self.bench.is_some() || self.profile {
            super::Arguments::command()
                .error(
                    ErrorKind::ArgumentConflict,
                    "with --bench or --profile, --inputs may be given once",
                )
                .exit();
        }
        let threads = self.threads();
        progress.stage("compiling");
        let program = if self.interpret {
            Program::Interpreted(Interpreted::new(
                module,
                name,
                self.seed,
                self.scatter_windows,
            )?)
        } else {
            let options = ModelOptions {
                compile: self.compilation(name),
                specializes: self.specialize == Switch::On,
                cached_codes: self.keeping.specialize_cache,
                any_size_from: self.keeping.any_size_from,
                waits: self.keeping.specialize_wait,
                ..ModelOptions::default()
            };
            let model = Model::new(module, name, options).map_err(reported)?;
            model.set_seed(self.seed);
            Program::Compiled(Box::new(model))
        };
        let types = match &program {
            Program::Compiled(model) => model.signature().inputs.clone(),
            Program::Interpreted(program) => program.inputs(),
        };
        progress.stage("calling");
        let mut calls = Vec::new();
        for number in 0..self.inputs.len() {
            let (inputs, _) = self.arguments(name, &types, border, number)?;
            let call = match &program {
                Program::Compiled(model) => call(model, &inputs, threads).map_err(reported)?,
                Program::Interpreted(program) => {
                    let start = Instant::now();
                    let outputs = program.run(&inputs)?;
                    (outputs, None, Duration::ZERO, start.elapsed())
                }
            };
            let (outputs, code, waited, time) = call;
            calls.push(Call {
                outputs: border.results(outputs)?,
                code,
                waited,
                time,
            });
        }
        if let Some(folder) = &self.output_dir {
            for (number, call) in calls.iter().enumerate() {
                write_outputs(&folder.join(number.to_string()), &call.outputs)?;
            }
        }
        if self.json {
            return self.report(name, &calls, &program);
        }
        if self.output_dir.is_none() {
            for call in &calls {
                print_literals(&call.outputs)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    fn report(
        &self,
        name: &str,
        calls: &[Call],
        program: &Program<'_>,
    ) -> anyhow::Result<ExitCode> {
        let times: Vec<Duration> = calls.iter().map(|call| call.time).collect();
        let waited: Duration = calls.iter().map(|call| call.waited).sum();
        let each = calls.iter().zip(&self.inputs).map(|(call, inputs)| {
            json!({
                "inputs": inputs.display().to_string(),
                "code": call.code,
                "compiled": !call.waited.is_zero(),
                "compile_ms": milliseconds(call.waited),
                "run_ms": milliseconds(call.time),
                "outputs": shapes(&call.outputs),
            })
        });
        let mut report = json!({
            "entry": name,
            "threads": self.threads(),
            "compile_ms": milliseconds(waited),
        });
        add_times(&mut report, times);
        report["peak_rss_bytes"] = peak_memory().into();
        report["calls"] = each.collect::<Vec<Value>>().into();
        report["outputs"] = calls
            .last()
            .map(|call| shapes(&call.outputs))
            .unwrap_or_default()
            .into();
        match program {
            Program::Compiled(model) => report["kept"] = model.cached_codes().into(),
            Program::Interpreted(_) => report["interpreted"] = true.into(),
        }
        output::print_json(&report)?;
        Ok(ExitCode::SUCCESS)
    }
}

type Made = (Vec<Tensor>, Option<&'static str>, Duration, Duration);

fn call(model: &Model, inputs: &[Tensor], threads: usize) -> crate::native::Result<Made> {
    let shapes: Vec<&[i64]> = inputs.iter().map(Tensor::shape).collect();
    let prepared = model.prepare(&shapes)?;
    let inputs: Vec<&Tensor> = inputs.iter().collect();
    let start = Instant::now();
    let outputs = prepared
        .executable
        .execute(&inputs, &ExecuteOptions { threads })?;
    let code = Some(prepared.kind.name());
    Ok((outputs, code, prepared.waited, start.elapsed()))
}
