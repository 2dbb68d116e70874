//! `mapwright reduce`: the smallest program for which a command of the user still succeeds.

use super::{
    input::Source,
    output::{self, Files, different},
    progress::Progress,
};
use crate::mlir::Op;
use anyhow::{Context as _, ensure};
use clap::Args;
use mapwright_reduce::{Reduced, Test, reduce};
use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

/// Shrinks a program as long as a command says that it is still interesting.
///
/// The command is run by `sh` with the path of a smaller program behind it, or in the place of
/// `{}`. Exit code 0 means that the program still shows what is looked for; everything else, also a
/// signal, that it does not. Smaller are fewer functions, operations, arguments, results and
/// attributes, bodies in the place of operations with regions, and smaller sizes. Every candidate
/// verifies, and the same program and command give the same result.
///
/// The best program so far is always in the output file, whole, also if the search is interrupted.
///
/// Example: `mapwright reduce f.mlir --if 'sh -c "! mapwright run $0 2>/dev/null"'`
#[derive(Args)]
pub(crate) struct Reduce {
    /// The program, or `-` for standard input
    file: String,
    /// The command, which succeeds as long as a program is interesting
    #[arg(long, value_name = "COMMAND")]
    r#if: String,
    /// Output for the smallest program; `-`: standard output, at the end
    #[arg(short, long, value_name = "FILE", default_value = "reduced.mlir")]
    output: PathBuf,
    /// A command that takes longer is stopped, and the program is not interesting
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
    /// Say on standard error which step made each smaller program
    #[arg(long)]
    verbose: bool,
}

impl Reduce {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        different(&[Path::new(&self.file), &self.output])?;
        let source = Source::read(&self.file)?;
        let name = format!("mapwright-reduce-{}.mlir", std::process::id());
        let mut scratch = Files::default();
        let candidate = scratch.scratch(&std::env::temp_dir().join(name));
        let outcome = source.parse(|_, module| {
            let mut script = Script {
                options: &self,
                candidate: &candidate,
                progress: Progress::new("the program itself"),
            };
            reduce(Op::new(module.as_operation()), &mut script)
        });
        let Some(reduced) = outcome? else {
            anyhow::bail!(
                "the command fails for the program itself, so no smaller one is looked for: {}",
                self.r#if
            );
        };
        self.report(&reduced)
    }

    fn prints(&self) -> bool {
        self.output == Path::new("-")
    }

    fn report(&self, reduced: &Reduced) -> anyhow::Result<ExitCode> {
        let mut place = self.output.display().to_string();
        if self.prints() {
            output::print(&reduced.text)?;
            place = "<stdout>".into();
        }
        eprintln!(
            "{place}: {} operations of {}, {} programs tried",
            reduced.after, reduced.before, reduced.candidates
        );
        Ok(ExitCode::SUCCESS)
    }
}

/// The command as a test of programs.
struct Script<'r> {
    options: &'r Reduce,
    candidate: &'r Path,
    progress: Progress,
}

impl Script<'_> {
    /// The command line, with the path quoted.
    fn line(&self) -> anyhow::Result<String> {
        let path = self.candidate.to_str();
        let path = path.context("the folder of temporary files has a name that is not UTF-8")?;
        let path = format!("'{}'", path.replace('\'', r"'\''"));
        let command = &self.options.r#if;
        Ok(if command.contains("{}") {
            command.replace("{}", &path)
        } else {
            format!("{command} {path}")
        })
    }
}

impl Test for Script<'_> {
    type Error = anyhow::Error;

    fn holds(&mut self, program: &str) -> anyhow::Result<bool> {
        Files::overwrite(self.candidate, program.as_bytes())?;
        let mut child = Command::new("sh")
            .args(["-c", &self.line()?])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // What it starts is stopped with it.
            .process_group(0)
            .spawn()
            .context("cannot run sh")?;
        let start = Instant::now();
        let mut pause = Duration::from_micros(100);
        loop {
            if let Some(status) = child.try_wait()? {
                // What sh says of a command that is not there, or is no program.
                let missing = matches!(status.code(), Some(126 | 127));
                ensure!(!missing, "the command cannot be run: {}", self.options.r#if);
                return Ok(status.success());
            }
            if start.elapsed() > Duration::from_secs(self.options.timeout) {
                let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
                child.wait()?;
                return Ok(false);
            }
            sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    fn keep(&mut self, program: &str, step: &str) -> anyhow::Result<()> {
        let lines = program.lines().count();
        self.progress.stage(&format!("{step}: {lines} lines"));
        if self.options.verbose {
            eprintln!("{step}: {lines} lines");
        }
        if self.options.prints() {
            return Ok(());
        }
        let mut files = Files::default();
        files.write(&self.options.output, program.as_bytes())?;
        files.commit()
    }
}
