//! Versions of StableHLO: the vocabulary of an artifact, and the encoding of its container.

use crate::error::Error;
use std::{fmt, str::FromStr};

/// A version such as `1.9.0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

impl Version {
    /// The oldest version that is read and written.
    pub const OLDEST: Self = Self(0, 9, 0);
    /// The newest one, that of the tables of this crate.
    pub const NEWEST: Self = Self(1, 20, 0);

    /// The version of MLIR's bytecode that readers of this version know.
    #[must_use]
    pub fn bytecode(self) -> u64 {
        match self {
            Self(0, ..10, _) => 0,
            Self(0, ..12, _) => 1,
            Self(0, ..14, _) => 3,
            Self(0, 14, _) => 4,
            _ => 6,
        }
    }

    /// Checks that the version is one that is written.
    ///
    /// # Errors
    ///
    /// It is not: the sentence names the versions that are.
    pub fn check(self) -> Result<(), Error> {
        if (Self::OLDEST..=Self::NEWEST).contains(&self) {
            Ok(())
        } else {
            Err(Error::new(format!(
                "artifacts of version {self} are not written, those of {} to {} are",
                Self::OLDEST,
                Self::NEWEST
            )))
        }
    }

    /// The version in what made an artifact, `StableHLO_v1.9.0`; patches of a development version
    /// follow a dash.
    #[must_use]
    pub fn of_producer(producer: &str) -> Option<Self> {
        producer.strip_prefix(PRODUCER)?.parse().ok()
    }

    /// Name of the producer in artifacts of this version.
    #[must_use]
    pub fn producer(self) -> String {
        format!("{PRODUCER}{self}")
    }
}

/// Beginning of the name of the producer of an artifact.
pub(crate) const PRODUCER: &str = "StableHLO_v";

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}.{}", self.0, self.1, self.2)
    }
}

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Option<Vec<u32>> = text.split('.').map(|part| part.parse().ok()).collect();
        match numbers.as_deref() {
            Some([major, minor, patch]) => Ok(Self(*major, *minor, *patch)),
            _ => Err(format!(
                "'{text}' is not a version such as {}",
                Self::NEWEST
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_ordered() {
        assert_eq!("1.9.0".parse(), Ok(Version(1, 9, 0)));
        assert!(Version(1, 9, 0) < Version(1, 10, 0));
        assert!("1.9".parse::<Version>().is_err());
        assert!("current".parse::<Version>().is_err());
        let version = Version(1, 17, 0);
        assert_eq!(Version::of_producer(&version.producer()), Some(version));
        assert_eq!(Version::of_producer("MLIR22.1.8"), None);
    }

    #[test]
    fn the_encoding_follows_the_version() {
        let encodings = [(9, 0), (10, 1), (12, 3), (14, 4), (15, 6)];
        for (minor, bytecode) in encodings {
            assert_eq!(Version(0, minor, 0).bytecode(), bytecode);
        }
        assert_eq!(Version(1, 0, 0).bytecode(), 6);
    }
}
