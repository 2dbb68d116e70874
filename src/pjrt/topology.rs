//! What devices there are, without a client.

use crate::{
    border::Handle,
    status::{Code, Status},
};

/// Name that `jax.devices()[0].platform` gives, and by which JAX chooses its lowering rules:
/// programs are those of a CPU.
pub(crate) const PLATFORM: &str = "cpu";

/// Description of a device, for people.
pub(crate) struct DeviceDescription {
    pub(crate) id: usize,
    /// The number of its process.
    pub(crate) process: usize,
    pub(crate) debug: String,
    pub(crate) text: String,
}

impl DeviceDescription {
    /// Name that `jax.devices()[0].device_kind` gives.
    pub(crate) const KIND: &str = "Mapwright CPU";

    pub(crate) fn new(id: usize, process: usize) -> Self {
        Self {
            id,
            process,
            debug: format!("cpu:{id}"),
            text: format!("CpuDevice(id={id})"),
        }
    }
}

/// The devices of a client.
pub(crate) struct TopologyDescription {
    // Never grown or moved: the addresses are handles.
    descriptions: Box<[DeviceDescription]>,
    handles: Vec<Handle<DeviceDescription>>,
}

impl TopologyDescription {
    /// Describes the devices of so many processes, `each` of which has as many.
    pub(crate) fn new(each: usize, processes: usize) -> Self {
        let all = (0..each * processes).map(|id| DeviceDescription::new(id, id / each.max(1)));
        let descriptions: Box<[_]> = all.collect();
        let handles = descriptions.iter().map(Handle::from_ref).collect();
        Self {
            descriptions,
            handles,
        }
    }

    pub(crate) fn devices(&self) -> usize {
        self.descriptions.len()
    }

    /// The number of the process that has a device.
    pub(crate) fn process(&self, device: usize) -> usize {
        self.descriptions[device].process
    }

    /// The number of processes.
    pub(crate) fn processes(&self) -> usize {
        self.descriptions.last().map_or(1, |last| last.process + 1)
    }

    pub(crate) fn handles(&self) -> &[Handle<DeviceDescription>] {
        &self.handles
    }
}

/// This library, LLVM, and what the processor can do: a serialized executable is for a machine of
/// which this is the same.
pub(crate) fn platform_version() -> &'static str {
    use std::sync::OnceLock;
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        let target = mapwright_native::TargetOptions::new("", "native", "");
        let attributes = target.map(|target| target.attributes).unwrap_or_default();
        let values: Vec<String> = attributes.into_iter().map(|(_, value)| value).collect();
        format!(
            "mapwright {}, LLVM {}, {}",
            env!("CARGO_PKG_VERSION"),
            mapwright_mlir::context::LLVM_VERSION,
            values.join(" ")
        )
    })
}

/// A number that is the same for the same bytes, in every process (FNV-1a).
pub(crate) fn fingerprint<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for piece in pieces {
        for byte in piece {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        hash = (hash ^ piece.len() as u64).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}

/// A client has no device of this number.
pub(crate) fn no_device(id: i32, devices: usize) -> Status {
    Status::new(
        Code::NotFound,
        format!("there is no device {id}; there are {devices}"),
    )
}
