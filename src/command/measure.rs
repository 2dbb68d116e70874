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
fn quantile(times: &mut [Duration], q: f64) -> Duration {
    times.sort_unstable();
    let index = ((times.len() as f64 * q) as usize).min(times.len().saturating_sub(1));
    times.get(index).copied().unwrap_or_default()
}

/// Adds to a report how many calls there were, and how long they took. There is at least one.
pub(crate) fn add_times(report: &mut Value, mut times: Vec<Duration>) {
    report["runs"] = times.len().into();
    for (name, q) in [("min_ms", 0.0), ("median_ms", 0.5), ("p90_ms", 0.9)] {
        report[name] = milliseconds(quantile(&mut times, q)).into();
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_a_few_times() {
        let mut times: Vec<Duration> = [5, 1, 4, 2, 3].map(Duration::from_millis).into();
        assert_eq!(quantile(&mut times, 0.0), Duration::from_millis(1));
        assert_eq!(quantile(&mut times, 0.5), Duration::from_millis(3));
        assert_eq!(quantile(&mut times, 0.9), Duration::from_millis(5));
    }
}
