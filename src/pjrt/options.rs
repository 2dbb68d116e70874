//! Compile options, as the framework hands them over: a serialized `xla.CompileOptionsProto`.

use crate::{
    protobuf::{Field, fields, numbers, packed, write_bytes, write_number},
    status::{Result, Status},
};

/// Compile options that matter here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) replicas: usize,
    pub(crate) partitions: usize,
    /// The numbers of devices, those of the partitions of a replica beside each other; nothing for
    /// an executable that runs on the device that each call names.
    pub(crate) devices: Option<Vec<usize>>,
}

/// Fields of `CompileOptionsProto`.
const BUILD_OPTIONS: u64 = 3;
const PORTABLE: u64 = 4;
const OVERRIDES: u64 = 7;

/// Fields of `ExecutableBuildOptionsProto`.
const DEVICE_ORDINAL: u64 = 1;
const REPLICAS: u64 = 4;
const PARTITIONS: u64 = 5;
const ASSIGNMENT: u64 = 9;

/// The most processes of one program.
const MOST: usize = 1 << 16;

impl Options {
    /// Reads them; nothing at all stands for one process on the first device.
    ///
    /// # Errors
    /// They are no message of that type, an option that does not exist, or an assignment that does
    /// not fit.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self> {
        let mut options = Self {
            replicas: 1,
            partitions: 1,
            devices: None,
        };
        let (mut ordinal, mut assignment, mut is_portable) = (0, None, false);
        for (number, field) in fields(bytes)? {
            match (number, field) {
                (PORTABLE, Field::Number(value)) => is_portable = value != 0,
                (OVERRIDES, Field::Bytes(entry)) => known(entry)?,
                (BUILD_OPTIONS, Field::Bytes(build)) => {
                    for (number, field) in fields(build)? {
                        match (number, field) {
                            // A number of 64 bits in two's complement: below zero it is not set.
                            (DEVICE_ORDINAL, Field::Number(value)) => {
                                ordinal = usize::try_from(value as i64).unwrap_or(0);
                            }
                            (REPLICAS, Field::Number(value)) => options.replicas = count(value)?,
                            (PARTITIONS, Field::Number(value)) => {
                                options.partitions = count(value)?;
                            }
                            (ASSIGNMENT, Field::Bytes(bytes)) => assignment = Some(bytes),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        if is_portable {
            return Ok(options);
        }
        let processes = options.replicas * options.partitions;
        options.devices = Some(match assignment {
            Some(bytes) => assigned(bytes, options.replicas, options.partitions)?,
            None => (ordinal..ordinal + processes).collect(),
        });
        Ok(options)
    }

    /// The assignment of devices as `xla.DeviceAssignmentProto`; empty where each call names its
    /// device.
    pub(crate) fn assignment(&self) -> Vec<u8> {
        let Some(devices) = &self.devices else {
            return Vec::new();
        };
        let mut bytes = Vec::new();
        write_number(1, self.replicas as u64, &mut bytes);
        write_number(2, self.partitions as u64, &mut bytes);
        for partition in 0..self.partitions {
            let of_replicas = devices.iter().skip(partition).step_by(self.partitions);
            let mut computation = Vec::new();
            let ids = packed(of_replicas.map(|id| *id as u64));
            write_bytes(1, &ids, &mut computation);
            write_bytes(3, &computation, &mut bytes);
        }
        bytes
    }
}

fn count(value: u64) -> Result<usize> {
    let count = usize::try_from(value).ok();
    count
        .filter(|count| (1..=MOST).contains(count))
        .ok_or_else(|| Status::invalid(format!("a program cannot have {value} processes")))
}

/// An option of the user's, by its name. Those of XLA are accepted, and say nothing here.
fn known(entry: &[u8]) -> Result<()> {
    let key = fields(entry)?.into_iter().find(|(number, _)| *number == 1);
    let key = key.and_then(|(_, field)| field.bytes()).unwrap_or_default();
    let name = String::from_utf8_lossy(key);
    if name.starts_with("xla_") {
        Ok(())
    } else {
        Err(Status::invalid(format!("No such compile option: '{name}'")))
    }
}

fn assigned(bytes: &[u8], replicas: usize, partitions: usize) -> Result<Vec<usize>> {
    let (mut computations, mut shape) = (Vec::new(), (0, 0));
    for (number, field) in fields(bytes)? {
        match (number, field) {
            (1, Field::Number(value)) => shape.0 = value as usize,
            (2, Field::Number(value)) => shape.1 = value as usize,
            (3, Field::Bytes(computation)) => {
                let mut ids = Vec::new();
                for (number, field) in fields(computation)? {
                    if number == 1 {
                        numbers(field, &mut ids)?;
                    }
                }
                computations.push(ids);
            }
            _ => {}
        }
    }
    let fits = shape == (replicas, partitions)
        && computations.len() == partitions
        && computations.iter().all(|ids| ids.len() == replicas);
    if !fits {
        return Err(Status::invalid(format!(
            "the assignment of devices is for {} replicas of {} partitions; the program has {replicas} of {partitions}",
            shape.0, shape.1
        )));
    }
    let ids = (0..replicas).flat_map(|replica| computations.iter().map(move |ids| ids[replica]));
    Ok(ids.map(|id| id as usize).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(write: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
        let (mut inner, mut outer) = (Vec::new(), Vec::new());
        write(&mut inner);
        write_bytes(BUILD_OPTIONS, &inner, &mut outer);
        outer
    }

    #[test]
    fn an_assignment_is_read_by_replica_and_written_by_partition() {
        // Two replicas of two partitions: partition 0 on devices 0 and 2, partition 1 on 1 and 3.
        let assignment = [8, 2, 16, 2, 26, 4, 10, 2, 0, 2, 26, 4, 10, 2, 1, 3];
        let options = Options::read(&build(|inner| {
            write_number(DEVICE_ORDINAL, u64::MAX, inner);
            write_number(REPLICAS, 2, inner);
            write_number(PARTITIONS, 2, inner);
            write_bytes(ASSIGNMENT, &assignment, inner);
        }))
        .unwrap();
        assert_eq!(options.devices, Some(vec![0, 1, 2, 3]));
        assert_eq!(options.assignment(), assignment);
    }

    #[test]
    fn one_process_is_the_default() {
        let options = Options::read(&[]).unwrap();
        assert_eq!((options.replicas, options.partitions), (1, 1));
        // As recorded from XLA for one device.
        assert_eq!(options.assignment(), [8, 1, 16, 1, 26, 3, 10, 1, 0]);
        let mut portable = Vec::new();
        write_number(PORTABLE, 1, &mut portable);
        let portable = Options::read(&portable).unwrap();
        assert_eq!(
            (portable.devices.clone(), portable.assignment()),
            (None, vec![])
        );
    }

    #[test]
    fn options_that_do_not_exist_are_refused() {
        let option = |name: &str| {
            let (mut entry, mut all) = (Vec::new(), Vec::new());
            write_bytes(1, name.as_bytes(), &mut entry);
            write_bytes(OVERRIDES, &entry, &mut all);
            Options::read(&all)
        };
        assert!(option("xla_cpu_enable_fast_math").is_ok());
        let status = option("invalid_key").unwrap_err();
        assert_eq!(status.message(), "No such compile option: 'invalid_key'");
        let wrong = build(|inner| {
            write_number(REPLICAS, 2, inner);
            write_bytes(ASSIGNMENT, &[8, 1, 16, 1, 26, 3, 10, 1, 0], inner);
        });
        assert!(Options::read(&wrong).is_err());
        assert!(Options::read(&build(|inner| write_number(REPLICAS, 0, inner))).is_err());
    }
}
