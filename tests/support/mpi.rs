//! Launchers of MPI.
//!
//! Where none is installed, `MAPWRIGHT_TEST_MPI=none` says so; otherwise its lack is a failure.

use super::Run;
use std::{
    env, fs,
    path::PathBuf,
    process::{self, Child, Command, Stdio},
    thread,
};

/// The launchers, as Debian calls them.
const LAUNCHERS: [&str; 2] = ["mpirun.openmpi", "mpirun.mpich"];

/// What lets Open MPI start more ranks than there are processors, also as root, beside launchers of
/// other threads.
pub fn environment() -> [(&'static str, PathBuf); 4] {
    [
        ("OMPI_ALLOW_RUN_AS_ROOT", "1".into()),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1".into()),
        ("OMPI_MCA_rmaps_base_oversubscribe", "1".into()),
        ("OMPI_MCA_orte_tmpdir_base", session_folder()),
    ]
}

pub fn launchers() -> Vec<&'static str> {
    if env::var("MAPWRIGHT_TEST_MPI").is_ok_and(|what| what == "none") {
        eprintln!("not tested, as MAPWRIGHT_TEST_MPI=none");
        return Vec::new();
    }
    LAUNCHERS.to_vec()
}

/// The folder in which Open MPI's launcher makes its own: of this thread alone, as one launcher
/// fails while another one makes or removes what both would share.
fn session_folder() -> PathBuf {
    let thread = format!("{:?}", thread::current().id());
    let number: String = thread.chars().filter(char::is_ascii_digit).collect();
    // Sockets are in it, whose names are short.
    let folder = env::temp_dir().join(format!("mpi-{}-{number}", process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A launcher, to which the numbers of ranks and their programs are to be added.
pub fn launcher(name: &str) -> Command {
    let mut command = Command::new(name);
    command
        .env_remove("LD_LIBRARY_PATH")
        .envs(environment())
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
    // The launcher has removed its own; what is not empty belongs to another one.
    let _ = fs::remove_dir(session_folder());
    Run {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
