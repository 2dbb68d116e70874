//! Checking every simplification: what `--verify-each-rewrite` turns on.
//!
//! Inside of [`each_rewrite`] every map that is simplified on the same thread, whoever asks for it,
//! is compared with what it was; [`each_rewrite_everywhere`] is for a whole program and all its
//! threads. Nothing else changes, and outside nothing is checked.

use crate::compare::{CompareBudget, compare_variables};
use crate::map::IndexingMap;
use crate::simplify::Simplified;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Outcome of the checks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Maps that were simplified to another map, and compared.
    pub checked: u64,
    /// Number of simplifications that were not proved equal within the budget; no point at which
    /// they differ was found either.
    pub undecided: u64,
    /// A sentence for each map that became another function, or the first of them if there are
    /// many.
    pub differences: Vec<String>,
}

/// Differences that are told; the others are most likely the same.
const MOST_DIFFERENCES: usize = 16;

/// A whole program has thousands of maps: less work for each than [`crate::compare`] does.
const BUDGET: CompareBudget = CompareBudget {
    points: 100_000,
    steps: 20_000,
};

thread_local! {
    static WATCH: RefCell<Option<Report>> = const { RefCell::new(None) };
}

static EVERYWHERE_ON: AtomicBool = AtomicBool::new(false);
static EVERYWHERE: Mutex<Option<Report>> = Mutex::new(None);

fn everywhere() -> MutexGuard<'static, Option<Report>> {
    EVERYWHERE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Report {
    /// One sentence about what was checked.
    pub fn summary(&self) -> String {
        format!(
            "{} simplifications were checked, {} of them not decided, {} wrong",
            self.checked,
            self.undecided,
            self.differences.len()
        )
    }

    fn add(&mut self, other: &Report) {
        self.checked += other.checked;
        self.undecided += other.undecided;
    }
}

/// Puts back what was watched before, also when `work` panics.
struct Restore(Option<Option<Report>>);

impl Drop for Restore {
    fn drop(&mut self) {
        if let Some(before) = self.0.take() {
            WATCH.set(before);
        }
    }
}

/// Runs `work` and checks every simplification in it. One inside of another has a report of its
/// own; the outer one counts what was checked inside, too, but the differences are the inner one's
/// to tell.
pub fn each_rewrite<T>(work: impl FnOnce() -> T) -> (T, Report) {
    let mut restore = Restore(Some(WATCH.replace(Some(Report::default()))));
    let value = work();
    let report = WATCH.take().unwrap_or_default();
    match &mut restore.0 {
        Some(Some(outer)) => outer.add(&report),
        _ => {
            if let Some(outer) = &mut *everywhere() {
                outer.add(&report);
            }
        }
    }
    (value, report)
}

/// As [`each_rewrite`] if `check` is set, else only the work; then the report is empty.
pub fn each_rewrite_if<T>(check: bool, work: impl FnOnce() -> T) -> (T, Report) {
    if check {
        each_rewrite(work)
    } else {
        (work(), Report::default())
    }
}

/// As [`each_rewrite`] for all threads of the process. There is one of these at a time, for the one
/// who owns the process: an inner one is a part of the outer one, and its report is empty.
pub fn each_rewrite_everywhere<T>(work: impl FnOnce() -> T) -> (T, Report) {
    /// Turns it off, also when `work` panics.
    struct Off;
    impl Drop for Off {
        fn drop(&mut self) {
            EVERYWHERE_ON.store(false, Ordering::SeqCst);
            everywhere().take();
        }
    }
    if EVERYWHERE_ON.swap(true, Ordering::SeqCst) {
        return (work(), Report::default());
    }
    let off = Off;
    *everywhere() = Some(Report::default());
    let value = work();
    let report = everywhere().clone().unwrap_or_default();
    drop(off);
    (value, report)
}

/// Whether simplifications are checked on this thread.
pub fn is_on() -> bool {
    EVERYWHERE_ON.load(Ordering::Relaxed) || WATCH.with_borrow(Option::is_some)
}

thread_local! {
    /// Set while a check compares: simplifications of the comparison are not checked.
    static CHECKING: Cell<bool> = const { Cell::new(false) };
}

/// Every simplification comes by here.
pub(crate) fn watch(before: &IndexingMap, after: &Simplified) {
    if !after.changed || !is_on() || CHECKING.get() {
        return;
    }
    /// Goes on checking, also when the comparison panics.
    struct Checked;
    impl Drop for Checked {
        fn drop(&mut self) {
            CHECKING.set(false);
        }
    }
    CHECKING.set(true);
    let checked = Checked;
    let comparison = compare_variables(before, &after.in_variables_of(before), BUDGET);
    drop(checked);
    let difference = (comparison.equal == Some(false)).then(|| {
        let at = comparison.counterexample.map_or_else(String::new, |p| {
            format!(
                " at dims {:?}, ranges {:?}, runtime {:?}",
                p.dims, p.ranges, p.runtime
            )
        });
        format!(
            "the simplified map differs{at}: {before} became {}",
            after.map
        )
    });
    let tell = |report: &mut Report| {
        report.checked += 1;
        report.undecided += u64::from(comparison.equal.is_none());
        if report.differences.len() < MOST_DIFFERENCES {
            report.differences.extend(difference);
        }
    };
    WATCH.with_borrow_mut(|here| match here {
        Some(report) => tell(report),
        None => {
            if let Some(report) = &mut *everywhere() {
                tell(report);
            }
        }
    });
}

/// A rule that is wrong on purpose, for the tests of this file.
#[cfg(test)]
pub(crate) mod broken {
    use super::Simplified;
    use crate::expr::{ExprKind, Op};
    use std::cell::Cell;

    thread_local! {
        static ON: Cell<bool> = const { Cell::new(false) };
    }

    pub(super) fn while_doing<T>(work: impl FnOnce() -> T) -> T {
        ON.set(true);
        let value = work();
        ON.set(false);
        value
    }

    /// `x mod m -> x`, whatever the range of `x`.
    pub(crate) fn apply(after: &mut Simplified) {
        if !ON.get() {
            return;
        }
        for e in &mut after.map.results {
            if let ExprKind::Binary(Op::Mod, x, _) = e.kind() {
                *e = x.clone();
                after.changed = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(feature = "commands")]
    use crate::commands::{Options, Outcome, compose_command, simplify_command};

    fn map(text: &str) -> IndexingMap {
        text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    fn here() -> bool {
        WATCH.with_borrow(Option::is_some)
    }

    const SOUND: &str = "(d0) -> (d0 floordiv 8, (d0 * 2 + 1) mod 2), domain: d0 in [0, 31]";
    const MOD: &str =
        "(d0) -> (d0 mod 8), domain: d0 in [0, 31], d0 mod 2 in [0, 0], d0 in [0, 31]";

    #[test]
    fn sound_rules_are_silent() {
        let (_, report) = each_rewrite(|| map(SOUND).simplify());
        assert_eq!((report.checked, report.undecided), (1, 0));
        assert_eq!(report.differences, [""; 0]);
        assert!(!is_on());
        assert_eq!(
            each_rewrite_if(false, || map(SOUND).simplify()).1,
            Report::default()
        );
    }

    #[test]
    fn a_broken_rule_is_found_with_a_point() {
        let (_, report) = broken::while_doing(|| {
            each_rewrite(|| {
                let _ = map(SOUND).simplify();
                let _ = map(MOD).simplify();
            })
        });
        assert_eq!(report.checked, 2);
        let [difference] = &report.differences[..] else {
            panic!("{report:?}");
        };
        assert!(
            difference.starts_with("the simplified map differs at dims ["),
            "{difference}"
        );
        // Not asked for, nothing is checked, and nothing is left behind.
        broken::while_doing(|| map(MOD).simplify());
        assert_eq!(each_rewrite(|| ()).1, Report::default());
    }

    #[test]
    fn the_outer_counts_and_the_inner_tells() {
        let ((_, inner), outer) =
            broken::while_doing(|| each_rewrite(|| each_rewrite(|| map(MOD).simplify())));
        assert_eq!((inner.checked, inner.differences.len()), (1, 1));
        assert_eq!((outer.checked, outer.differences.len()), (1, 0));
    }

    #[test]
    fn all_threads_of_a_program() {
        // (Other tests of this process may be counted too.)
        let other = |map: &str| broken::while_doing(|| self::map(map).simplify());
        let (_, report) = each_rewrite_everywhere(|| {
            std::thread::scope(|scope| {
                scope.spawn(|| other(MOD));
            });
        });
        let found = |report: &Report| report.differences.iter().any(|d| d.contains(MOD));
        assert!(report.checked >= 1 && found(&report), "{report:?}");
    }

    #[test]
    fn a_panic_turns_it_off() {
        let caught = std::panic::catch_unwind(|| each_rewrite(|| panic!("on purpose")));
        assert!(caught.is_err() && !here());
    }

    /// The commands answer at the line whose map went wrong, and go on.
    #[cfg(feature = "commands")]
    #[test]
    fn commands_tell_where() {
        let lines = format!("{{\"map\": \"{MOD}\"}}\n{{\"map\": \"{SOUND}\"}}\n");
        let pair = format!(
            "{{\"consumer\": \"(d0) -> (d0 + 0), domain: d0 in [0, 31]\", \"producer\": \"{MOD}\"}}\n"
        );
        let options = Options {
            json: true,
            ..Options::default()
        };
        let run = |checked: bool| {
            let mut out = Vec::new();
            let (outcomes, _) = each_rewrite_if(checked, || {
                [
                    simplify_command(&mut lines.as_bytes(), &mut out, options).expect("written"),
                    compose_command(&mut pair.as_bytes(), &mut out, options).expect("written"),
                ]
            });
            let text = String::from_utf8(out).expect("text");
            let errors: Vec<bool> = text.lines().map(|l| l.contains("\"error\"")).collect();
            (outcomes, errors)
        };
        broken::while_doing(|| {
            let (outcomes, errors) = run(true);
            assert_eq!(outcomes, [Outcome::Failed; 2]);
            assert_eq!(errors, [true, false, true]);
        });
        assert_eq!(run(false), ([Outcome::Done; 2], vec![false; 3]));
    }

    /// Checks that a check that the solver gives up on is reported at its map, in text and in JSON,
    /// and is no failure.
    #[cfg(feature = "commands")]
    #[test]
    fn commands_tell_what_is_undecided() {
        // A product of variables is not affine, and there are too many points.
        let open =
            "(d0, d1) -> (d0 * d1 + (d0 * 8) mod 8), domain: d0 in [0, 100000], d1 in [0, 100000]";
        let text = format!("{open}\n\n{SOUND}\n");
        let lines = format!("{{\"map\": \"{open}\"}}\n{{\"map\": \"{SOUND}\"}}\n");
        let run = |check: bool, input: &str, json: bool| {
            let mut out = Vec::new();
            let options = Options {
                json,
                ..Options::default()
            };
            let outcome = each_rewrite_if(check, || {
                simplify_command(&mut input.as_bytes(), &mut out, options).expect("written")
            });
            assert_eq!(outcome.0, Outcome::Done);
            String::from_utf8(out).expect("text")
        };
        let answer = run(true, &text, false);
        let marked: Vec<bool> = answer
            .split("\n\n")
            .map(|a| a.contains("undecided"))
            .collect();
        assert_eq!(marked, [true, false], "{answer}");
        assert!(!run(false, &text, false).contains("undecided"));
        let verdicts = |check| {
            let answers = run(check, &lines, true);
            let read = |l: &str| serde_json::from_str::<serde_json::Value>(l).expect("JSON");
            let verified = |l: &str| read(l).get("verified").cloned();
            answers.lines().map(verified).collect::<Vec<_>>()
        };
        let null = serde_json::Value::Null;
        assert_eq!(verdicts(true), [Some(null), Some(true.into())]);
        assert_eq!(verdicts(false), [None, None]);
    }
}
