//! Executables, and executables that are loaded on devices.

use crate::{
    border::{Constants, Handle, Pointers, abi::plain::LogicalDeviceIds},
    client::{Device, KINDS, Shared},
    compile::{Compiled, load},
    layout::{Layout, Shape},
    named,
    options::Options,
    status::{Result, Status},
};
use std::{
    ffi::c_char,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

/// First bytes of a serialized executable.
const MAGIC: &[u8] = b"mapwright-executable-2\n";

/// An executable as C keeps it: what was compiled, with the lists that are asked for.
pub(crate) struct Executable {
    pub(crate) compiled: Arc<Compiled>,
    lists: OnceLock<Lists>,
    costs: OnceLock<Constants>,
}

/// Lists that C reads.
pub(crate) struct Lists {
    pub(crate) types: Vec<u32>,
    pub(crate) dims: Vec<i64>,
    pub(crate) ranks: Vec<usize>,
    pub(crate) output_kinds: Texts,
    pub(crate) input_kinds: Texts,
    pub(crate) output_shardings: Texts,
    pub(crate) input_shardings: Texts,
    pub(crate) output_layouts: Layouts,
    pub(crate) input_layouts: Layouts,
}

/// Starts and lengths of texts or bytes that live as long as the executable.
pub(crate) struct Texts {
    pub(crate) starts: Pointers<c_char>,
    pub(crate) sizes: Vec<usize>,
}

impl Texts {
    fn new<'a>(all: impl Iterator<Item = &'a [u8]> + Clone) -> Self {
        Self {
            starts: Pointers::new(all.clone().map(|one| one.as_ptr().cast())),
            sizes: all.map(<[u8]>::len).collect(),
        }
    }

    /// Makes the shardings of so many tensors; empty where nothing is said of one.
    fn shardings(count: usize, said: &[Vec<u8>]) -> Self {
        Self::new((0..count).map(|i| said.get(i).map_or(&[][..], Vec::as_slice)))
    }

    fn kinds(kinds: &[usize]) -> Self {
        Self::new(kinds.iter().map(|kind| KINDS[*kind].as_bytes()))
    }
}

/// Layouts that are the executable's.
pub(crate) struct Layouts {
    _all: Box<[Layout]>,
    pub(crate) handles: Vec<Handle<Layout>>,
}

impl Layouts {
    fn new(shapes: &[Arc<Shape>]) -> Self {
        let rows = |shape: &Arc<Shape>| Layout::rows(shape.dims.len(), false);
        let all: Box<[Layout]> = shapes.iter().map(rows).collect();
        Self {
            handles: all.iter().map(Handle::from_ref).collect(),
            _all: all,
        }
    }
}

impl Executable {
    pub(crate) fn give(compiled: Arc<Compiled>) -> Handle<Self> {
        Handle::give(Self {
            compiled,
            lists: OnceLock::new(),
            costs: OnceLock::new(),
        })
    }

    pub(crate) fn lists(&self) -> &Lists {
        self.lists.get_or_init(|| {
            let outputs = &self.compiled.outputs;
            Lists {
                types: outputs.iter().map(|shape| shape.element.code).collect(),
                dims: outputs
                    .iter()
                    .flat_map(|shape| shape.dims.to_vec())
                    .collect(),
                ranks: outputs.iter().map(|shape| shape.dims.len()).collect(),
                output_kinds: Texts::kinds(&self.compiled.output_kinds),
                input_kinds: Texts::kinds(&self.compiled.input_kinds),
                // The framework wants one where there are no results: that of an empty tuple.
                output_shardings: Texts::shardings(
                    outputs.len().max(1),
                    &self.compiled.shardings.outputs,
                ),
                input_shardings: Texts::shardings(
                    self.compiled.inputs.len(),
                    &self.compiled.shardings.inputs,
                ),
                output_layouts: Layouts::new(outputs),
                input_layouts: Layouts::new(&self.compiled.inputs),
            }
        })
    }

    /// Returns the costs of a call, as far as they are known.
    pub(crate) fn costs(&self) -> &Constants {
        self.costs.get_or_init(|| {
            let bytes = self.compiled.input_bytes() + self.compiled.output_bytes();
            Constants(vec![named::float("bytes accessed", bytes as f32)])
        })
    }

    /// The machine code, with the program and the options that say what it takes and gives, for
    /// another process on such a machine.
    ///
    /// # Errors
    /// No memory.
    pub(crate) fn serialized(&self) -> Result<Vec<u8>> {
        let code = self.compiled.native.serialize()?;
        let mut bytes = MAGIC.to_vec();
        for piece in [&self.compiled.option_bytes, &self.compiled.program, &code] {
            bytes.extend((piece.len() as u64).to_le_bytes());
            bytes.extend(piece);
        }
        Ok(bytes)
    }
}

impl Compiled {
    pub(crate) fn input_bytes(&self) -> usize {
        self.inputs.iter().map(|shape| shape.bytes).sum()
    }

    pub(crate) fn output_bytes(&self) -> usize {
        self.outputs.iter().map(|shape| shape.bytes).sum()
    }
}

/// Reads what [`Executable::serialized`] wrote; with other options than those in it, if there are
/// such.
///
/// # Errors
/// Bytes of somebody else's, or of another machine or version; options for which the program is
/// another one.
pub(crate) fn deserialized(bytes: &[u8], options: &[u8], threads: usize) -> Result<Compiled> {
    let wrong = || Status::invalid("this is not an executable that Mapwright serialized");
    let mut rest = bytes.strip_prefix(MAGIC).ok_or_else(wrong)?;
    let mut piece = || -> Result<&[u8]> {
        let (length, after) = rest.split_first_chunk().ok_or_else(wrong)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| wrong())?;
        let (piece, after) = after.split_at_checked(length).ok_or_else(wrong)?;
        rest = after;
        Ok(piece)
    };
    let (own_options, program, code) = (piece()?, piece()?, piece()?);
    let compiled = load(program, code, own_options, threads)?;
    if options.is_empty() {
        return Ok(compiled);
    }
    let (made, asked) = (compiled.options, Options::read(options)?);
    if (made.replicas, made.partitions) != (asked.replicas, asked.partitions) {
        return Err(Status::invalid(format!(
            "the executable is for {} replicas of {} partitions, not for {} of {}",
            made.replicas, made.partitions, asked.replicas, asked.partitions
        )));
    }
    Ok(Compiled {
        options: asked,
        option_bytes: options.to_vec(),
        ..compiled
    })
}

/// An executable on the devices of a client.
pub(crate) struct LoadedExecutable {
    pub(crate) compiled: Arc<Compiled>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) options: Options,
    /// Devices of this process, by replica and partition; none where each call names its device.
    pub(crate) devices: Vec<Handle<Device>>,
    /// Replica and partition of each of them.
    pub(crate) logical: Vec<LogicalDeviceIds>,
    pub(crate) fingerprint: String,
    deleted: AtomicBool,
}

impl LoadedExecutable {
    /// Loads what was compiled, on the devices of these options.
    ///
    /// # Errors
    /// Devices that the client does not have.
    pub(crate) fn give(
        compiled: Arc<Compiled>,
        shared: &Arc<Shared>,
        options: Options,
    ) -> Result<Handle<Self>> {
        let (mut devices, mut logical) = (Vec::new(), Vec::new());
        for (i, id) in options.devices.iter().flatten().enumerate() {
            let device = shared.device(i32::try_from(*id).unwrap_or(i32::MAX))?;
            if device.get()?.local.is_some() {
                devices.push(device);
                logical.push(LogicalDeviceIds {
                    replica: (i / options.partitions) as i32,
                    partition: (i % options.partitions) as i32,
                });
            }
        }
        Ok(Handle::give(Self {
            logical,
            fingerprint: compiled.fingerprint.clone(),
            compiled,
            shared: Arc::clone(shared),
            options,
            devices,
            deleted: AtomicBool::new(false),
        }))
    }

    pub(crate) fn delete(&self) {
        self.deleted.store(true, Ordering::Release);
    }

    pub(crate) fn is_deleted(&self) -> bool {
        self.deleted.load(Ordering::Acquire)
    }
}
