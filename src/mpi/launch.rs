//! What launchers say in the environment.

/// This process among those of its launcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Its number among all.
    pub rank: usize,
    /// The number of all.
    pub size: usize,
    /// The number of those on this machine.
    pub here: usize,
}

/// The variables of Open MPI's launcher, and of MPICH's and what speaks its protocol: rank, size,
/// size on this machine.
const VARIABLES: [[&str; 3]; 2] = [
    [
        "OMPI_COMM_WORLD_RANK",
        "OMPI_COMM_WORLD_SIZE",
        "OMPI_COMM_WORLD_LOCAL_SIZE",
    ],
    ["PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"],
];

impl Launch {
    /// Reads variables, of which `of` knows the values; `None` if no launcher has set them.
    pub fn read(of: impl Fn(&str) -> Option<String>) -> Option<Launch> {
        let number = |name: &str| of(name)?.parse::<usize>().ok();
        VARIABLES.iter().find_map(|[rank, size, here]| {
            let (rank, size) = (number(rank)?, number(size)?);
            (rank < size).then(|| Launch {
                rank,
                size,
                here: number(here).unwrap_or(size).clamp(1, size),
            })
        })
    }

    /// Reads the environment of this process.
    pub fn of_this_process() -> Option<Launch> {
        Self::read(|name| std::env::var(name).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Option<Launch> {
        Launch::read(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn launchers_are_known_by_their_variables() {
        let four = |rank, here| {
            Some(Launch {
                rank,
                size: 4,
                here,
            })
        };
        let open = [("OMPI_COMM_WORLD_RANK", "3"), ("OMPI_COMM_WORLD_SIZE", "4")];
        assert_eq!(read(&open), four(3, 4));
        let local = [open[0], open[1], ("OMPI_COMM_WORLD_LOCAL_SIZE", "2")];
        assert_eq!(read(&local), four(3, 2));
        assert_eq!(read(&[("PMI_RANK", "0"), ("PMI_SIZE", "4")]), four(0, 4));
        assert_eq!(read(&[]), None);
        assert_eq!(read(&[("PMI_RANK", "0")]), None);
        assert_eq!(read(&[("PMI_RANK", "4"), ("PMI_SIZE", "4")]), None);
        assert_eq!(read(&[("PMI_RANK", "x"), ("PMI_SIZE", "4")]), None);
    }
}
