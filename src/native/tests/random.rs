//! Random well-typed programs: native code against the interpreter.
//!
//! A few dozen of them run here. Many:
//! `SEED=1 COUNT=1000 cargo test --release -p mapwright-native --test all
//! random -- --ignored --nocapture`. Every fourth one checks each load and store
//! (`BOUNDS_CHECKS=1`: all of them), and another fourth runs on two threads. A difference is made
//! small and printed with its arguments; `PRINT=1` prints every program before it runs.

mod calculus;
mod families;
mod generate;
mod layouts;
mod program;
mod rare;
mod regions;
mod states;

/// Where the time goes.
mod times {
    use std::{collections::BTreeMap, sync::Mutex, time::Duration};

    static TOTALS: Mutex<BTreeMap<&'static str, Duration>> = Mutex::new(BTreeMap::new());

    pub fn add(what: &'static str, time: Duration) {
        if let Ok(mut totals) = TOTALS.lock() {
            *totals.entry(what).or_default() += time;
        }
    }

    static COUNTS: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());

    /// One more of these.
    pub fn count(what: &str) {
        if let Ok(mut counts) = COUNTS.lock() {
            *counts.entry(what.to_owned()).or_default() += 1;
        }
    }

    /// How many there were of something.
    pub fn counted(what: &str) -> usize {
        COUNTS
            .lock()
            .map_or(0, |counts| counts.get(what).copied().unwrap_or(0))
    }

    /// Seconds of each stage, all programs together.
    pub fn text() -> String {
        let Ok(totals) = TOTALS.lock() else {
            return String::new();
        };
        let parts: Vec<String> = totals
            .iter()
            .map(|(what, time)| format!("{what} {:.1} s", time.as_secs_f64()))
            .collect();
        parts.join(", ")
    }

    /// How many there were of everything.
    pub fn counts() -> String {
        COUNTS
            .lock()
            .map_or_else(|_| String::new(), |counts| format!("{counts:?}"))
    }
}

use generate::Generator;
use program::{Outcome, Program};

/// Programs in which native code and the interpreter differ, made small; and what happened how
/// often.
fn search(first: u64, count: u64, generate: fn(Generator) -> Program) -> (Vec<String>, String) {
    let mut found = Vec::new();
    let (mut same, mut refused, mut operations) = (0, 0, 0);
    let (mut undecided, mut elements) = (0, 0);
    for seed in first..first + count {
        let mut program = generate(Generator::new(seed));
        // Some as every access of memory is checked, some on several threads.
        program.bounds_checks = seed % 4 == 0 || std::env::var_os("BOUNDS_CHECKS").is_some();
        program.threads = if seed % 4 == 1 { 2 } else { 1 };
        if std::env::var_os("PRINT").is_some() {
            eprintln!("seed {seed}:\n{program}");
        }
        match program.outcome() {
            Outcome::Same => {
                same += 1;
                operations += program.steps.len();
            }
            Outcome::Undecided(count) => {
                undecided += 1;
                elements += count;
                eprintln!(
                    "seed {seed}: rounding or order decides whether {count} elements are finite"
                );
            }
            Outcome::Refused(why) => {
                refused += 1;
                eprintln!("seed {seed} is refused: {why}");
            }
            Outcome::Differs(why) => {
                let small = program.minimised();
                let why_small = match small.outcome() {
                    Outcome::Differs(why) => why,
                    _ => why.clone(),
                };
                let report = format!("seed {seed}: {why}\nmade small: {why_small}\n{small}");
                eprintln!("{report}");
                found.push(report);
            }
        }
        if (seed + 1 - first).is_multiple_of(100) {
            eprintln!(
                "{} programs, {} differ, {refused} refused",
                seed + 1 - first,
                found.len()
            );
        }
    }
    let counts = format!(
        "seeds {first} to {}: {same} agree ({operations} operations), {undecided} agree but for {elements} elements of which \
         rounding or order decides whether they are finite, {} differ, {refused} refused",
        first + count - 1,
        found.len()
    );
    // What is excused so is rare, or the programs have the wrong numbers in them.
    assert!(undecided * 100 <= count.max(100), "{counts}");
    (found, counts)
}

fn check(first: u64, count: u64, generate: fn(Generator) -> Program) {
    let (found, counts) = search(first, count, generate);
    eprintln!("{counts}\n{}", times::text());
    assert!(found.is_empty(), "{counts}\n{}", found.join("\n\n"));
    assert!(counts.contains(" 0 refused"), "{counts}");
}

#[test]
fn some_programs() {
    check(1, 60, Generator::program);
}

/// The same programs on several devices, between which data moves in every way.
#[test]
fn programs_on_devices() {
    check(1, 80, Generator::sharded);
    let ways = [
        "all-gather",
        "all-reduce",
        "all-to-all",
        "collective-permute",
    ];
    for way in ways {
        assert!(times::counted(way) > 0, "{way}: {}", times::counts());
    }
}

/// As many of them as `COUNT` says, from the seed `SEED`.
#[test]
#[ignore = "takes as long as one wants"]
fn many_programs_on_devices() {
    check(number("SEED", 1), number("COUNT", 1000), Generator::sharded);
    eprintln!("{}", times::counts());
}

/// Loops that read and update what they carry.
#[test]
fn states_of_loops() {
    check(1, 700, Generator::states);
}

/// A number from the environment.
fn number(name: &str, otherwise: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// As many as `COUNT` says, from the seed `SEED`.
#[test]
#[ignore = "takes as long as one wants"]
fn many_programs() {
    check(number("SEED", 1), number("COUNT", 1000), Generator::program);
}

/// The same for loops.
#[test]
#[ignore = "takes as long as one wants"]
fn many_states_of_loops() {
    check(number("SEED", 1), number("COUNT", 1000), Generator::states);
}

/// The interpreter alone can tell that a program is well-formed: a wrong operation would be found
/// by nobody otherwise.
#[test]
fn a_wrong_result_is_found() {
    let mut program: Program = Generator::new(7).program();
    let reference = program
        .reference(None)
        .expect("the interpreter evaluates it");
    let mut other = reference.clone();
    let tensor = other
        .iter_mut()
        .find(|t| !t.data.is_empty())
        .expect("some result has elements");
    tensor.data[0] = match tensor.data[0] {
        mapwright_interpret::Scalar::Bool(x) => mapwright_interpret::Scalar::Bool(!x),
        mapwright_interpret::Scalar::Int(x) => mapwright_interpret::Scalar::Int(x ^ 1),
        mapwright_interpret::Scalar::Real(x) => {
            mapwright_interpret::Scalar::Real(if x.is_nan() { 1.0 } else { f64::NAN })
        }
        mapwright_interpret::Scalar::Complex(..) => {
            mapwright_interpret::Scalar::Complex(f64::NAN, 77.0)
        }
    };
    program.steps.clear();
    assert!(program::differ(&reference, &reference, &[], &program.outputs).is_none());
    assert!(program::differ(&reference, &other, &[], &program.outputs).is_some());
}
