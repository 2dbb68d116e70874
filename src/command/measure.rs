//! Times and memory.

use serde_json::Value;
use std::{
    fs,
    time::{Duration, Instant},
};

/// Calls `work` at least `least` times and until `seconds` have passed.
pub(crate) fn repeat(
    seconds: f64,
    least: usize,
    mut work: impl FnMut() -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let start = Instant::now();
    let mut count = 0;
    while count < least || start.elapsed().as_secs_f64() < seconds {
        work()?;
        count += 1;
    }
    Ok(())
}

/// The value below which the share `q` of the times lies; sorts them. There is at least one.
pub(crate) fn quantile(times: &mut [Duration], q: f64) -> Duration {
    times.sort_unstable();
    let index = ((times.len() as f64 * q) as usize).min(times.len().saturating_sub(1));
    times.get(index).copied().unwrap_or_default()
}

/// Reads a number of seconds, at most a day.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.0..=86_400.0).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number of seconds, at most a day".into()),
    }
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Milliseconds with as many digits as short times need.
pub(crate) fn short(milliseconds: &Value) -> String {
    let time = milliseconds.as_f64().unwrap_or_default();
    let digits = if time < 1.0 { 6 } else { 3 };
    format!("{time:.digits$}")
}

/// The most memory that the process has had, in bytes; 0 where the system does not say.
pub(crate) fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix("kB"))
        .and_then(|number| number.trim().parse::<u64>().ok())
        .map_or(0, |kilobytes| kilobytes * 1024)
}
