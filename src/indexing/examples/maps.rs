//! The commands of this crate without the rest of the system:
//! `cargo run --example maps -- simplify|compose|eval|compare [--json] [--explain] [--verify-each-rewrite] [--bench] < INPUT`.

use mapwright_indexing::commands::{self, Options, Outcome};
use std::io::{BufReader, BufWriter, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|a| a == name);
    let options = Options {
        json: has("--json"),
        explain: has("--explain"),
        verify: has("--verify-each-rewrite"),
    };
    let mut input = BufReader::new(std::io::stdin());
    let mut output = BufWriter::new(std::io::stdout());
    let result = match arguments.first().map(String::as_str) {
        Some("simplify") if has("--bench") => commands::simplify_bench(&mut input, &mut output),
        Some("simplify") => commands::simplify_command(&mut input, &mut output, options),
        Some("compose") => commands::compose_command(&mut input, &mut output, options),
        Some("eval") => commands::eval_command(&mut input, &mut output),
        Some("compare") => commands::compare_command(&mut input, &mut output, options),
        _ => {
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
