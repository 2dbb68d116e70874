//! Launchers of MPI.
//!
//! Where none is installed, `MAPWRIGHT_TEST_MPI=none` says so; otherwise its lack is a failure.

use super::Run;
use std::{
    env,
    process::{Child, Command, Stdio},
};

/// The launchers, as Debian calls them.
const LAUNCHERS: [&str; 2] = ["mpirun.openmpi", "mpirun.mpich"];

/// What lets Open MPI start more ranks than there are processors, also as root.
pub const ENVIRONMENT: [(&str, &str); 3] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
];

pub fn launchers() -> Vec<&'static str> {
    if env::var("MAPWRIGHT_TEST_MPI").is_ok_and(|what| what == "none") {
        eprintln!("not tested, as MAPWRIGHT_TEST_MPI=none");
        return Vec::new();
    }
    LAUNCHERS.to_vec()
}

/// A launcher, to which the numbers of ranks and their programs are to be added.
pub fn launcher(name: &str) -> Command {
    let mut command = Command::new(name);
    command
        .env_remove("LD_LIBRARY_PATH")
        .envs(ENVIRONMENT)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

pub fn started(mut command: Command) -> Child {
    command.spawn().unwrap_or_else(|error| {
        panic!(
            "{}: {error}; MAPWRIGHT_TEST_MPI=none says that there is no MPI",
            command.get_program().display()
        )
    })
}

pub fn finished(child: Child) -> Run {
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
