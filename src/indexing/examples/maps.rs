//! The commands of this crate without the rest of the system:
//! `cargo run --features commands --example maps --
//! simplify|compose|eval|compare [--json] [--explain] [--verify-each-rewrite] [--bench] < INPUT`.

use mapwright_indexing::{
    commands::{self, Options, Outcome},
    verify,
};
use std::io::{BufReader, BufWriter, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|a| a == name);
    let options = Options {
        json: has("--json"),
        explain: has("--explain"),
    };
    let mut input = BufReader::new(std::io::stdin());
    let mut output = BufWriter::new(std::io::stdout());
    let work = || match arguments.first().map(String::as_str) {
        Some("simplify") if has("--bench") => {
            Some(commands::simplify_bench(&mut input, &mut output))
        }
        Some("simplify") => Some(commands::simplify_command(&mut input, &mut output, options)),
        Some("compose") => Some(commands::compose_command(&mut input, &mut output, options)),
        Some("eval") => Some(commands::eval_command(&mut input, &mut output)),
        Some("compare") => Some(commands::compare_command(&mut input, &mut output, options)),
        _ => None,
    };
    let result = match verify::each_rewrite_if(has("--verify-each-rewrite"), work).0 {
        Some(result) => result,
        None => {
            eprintln!(
                "usage: maps simplify|compose|eval|compare [--json] [--explain] [--verify-each-rewrite] [--bench]"
            );
            return ExitCode::from(2);
        }
    };
    match result.and_then(|o| output.flush().map(|()| o)) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Failed) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}
