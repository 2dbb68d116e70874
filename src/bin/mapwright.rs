//! The command `mapwright`, which is [`mapwright::command`].

use std::process::ExitCode;

fn main() -> ExitCode {
    mapwright::command::main(std::env::args_os())
}
