//! `mapwright run --profile`: what each part of the program takes, against what the machine could
//! do.

use super::regions;
use crate::native::{Executable, Part};
use anyhow::Context as _;
use mapwright_runtime::{
    Context,
    profile::{PartTime, Peaks, peaks},
};
use serde_json::{Value, json};

/// The parts as JSON: microseconds of one run, bytes of a call's operands and results, bytes and
/// operations a second where they are known, and the share of the measured peaks.
pub(crate) fn report(
    executable: &Executable,
    times: &[PartTime],
    runs: u64,
    threads: usize,
) -> anyhow::Result<Value> {
    let peaks = peaks(&Context::new(threads)).context("measuring the peaks of the machine")?;
    let parts: Vec<Value> = executable
        .statistics()
        .parts
        .iter()
        .zip(times)
        .map(|(part, time)| one(part, time, runs.max(1), &peaks))
        .collect();
    Ok(json!({
        "peak_copy_gb_per_s": peaks.copied / 1e9,
        "peak_gflop_per_s": peaks.flops / 1e9,
        "parts": parts,
    }))
}

fn one(part: &Part, time: &PartTime, runs: u64, peaks: &Peaks) -> Value {
    let calls = time.calls as f64 / runs as f64;
    let seconds = time.time.as_secs_f64() / runs as f64;
    let rate = |amount: f64| {
        if seconds > 0.0 && amount > 0.0 {
            Some(amount * calls / seconds)
        } else {
            None
        }
    };
    let each = time.bytes as f64 / time.calls.max(1) as f64;
    let (bytes, flops) = (rate(each), rate(part.flops));
    json!({
        "name": part.name,
        "operations": part.operations.iter().map(|op| json!({"op": op.name, "location": op.location})).collect::<Vec<_>>(),
        "calls": calls,
        "us": seconds * 1e6,
        "bytes": each.round() as u64,
        "gb_per_s": bytes.map(|rate| rate / 1e9),
        "of_peak_copy": bytes.map(|rate| rate / peaks.copied),
        "gflop_per_s": flops.map(|rate| rate / 1e9),
        "of_peak_flops": flops.map(|rate| rate / peaks.flops),
    })
}

/// The report of a run as a page, on which a part is chosen to see what it computes.
pub(crate) fn page(report: &Value) -> String {
    regions::with_data(include_str!("profile.html"), report)
}

/// The most operations that a line of the table names.
const NAMED: usize = 3;

/// A part by its name, and by the operations that it computes: kernels are shared by equal regions.
fn described(part: &Value) -> String {
    let name = part["name"].as_str().unwrap_or_default();
    let operations = part["operations"].as_array().map_or(&[][..], Vec::as_slice);
    // What does the work is last: constants and what is broadcast come first.
    let named = operations.iter().rev().take(NAMED).map(|op| {
        let word = |key: &str| op[key].as_str().unwrap_or_default();
        if word("op") == name {
            format!("at {}", word("location"))
        } else {
            format!("{} at {}", word("op"), word("location"))
        }
    });
    let mut text = named.collect::<Vec<_>>().join(", ");
    if let Some(more) = operations.len().checked_sub(NAMED).filter(|more| *more > 0) {
        text += &format!(", {more} more");
    }
    format!("{name}: {text}").trim_end_matches(": ").to_owned()
}

/// The report as a table.
pub(crate) fn table(report: &Value) -> String {
    let number = |value: &Value, digits: usize| match value.as_f64() {
        Some(x) => format!("{x:.digits$}"),
        None => String::new(),
    };
    let percent = |value: &Value| match value.as_f64() {
        Some(x) => format!("{:.0} %", x * 100.0),
        None => String::new(),
    };
    let mut text = format!(
        "peaks: copy {} GB/s, products {} GFLOP/s\n{:>10} {:>7} {:>12} {:>8} {:>7} {:>9} {:>7}  part\n",
        number(&report["peak_copy_gb_per_s"], 1),
        number(&report["peak_gflop_per_s"], 0),
        "us",
        "calls",
        "bytes",
        "GB/s",
        "peak",
        "GFLOP/s",
        "peak",
    );
    for part in report["parts"].as_array().into_iter().flatten() {
        text.push_str(&format!(
            "{:>10} {:>7} {:>12} {:>8} {:>7} {:>9} {:>7}  {}\n",
            number(&part["us"], 1),
            number(&part["calls"], 0),
            part["bytes"],
            number(&part["gb_per_s"], 1),
            percent(&part["of_peak_copy"]),
            number(&part["gflop_per_s"], 1),
            percent(&part["of_peak_flops"]),
            described(part),
        ));
    }
    text
}
