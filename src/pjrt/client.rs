//! Clients, their devices and memories.
//!
//! All devices are the processor of this machine, and all memories are its memory: a device is a
//! queue of its own, and a memory a kind of place that programs may ask for. Programs that run on
//! several devices at once run on as many threads; or each device is a process of its own
//! ([`Spread`]), of which this one has one.

use crate::{
    border::{
        Handle,
        memory::{MEMORY_TABLE, MemoryTable, UserData},
    },
    named::Value,
    queue::Queue,
    spread::Spread,
    status::{Result, Status},
    topology::{DeviceDescription, TopologyDescription, no_device},
};
use mapwright_mpi::Launch;
use mapwright_runtime::MemoryPool;
use std::{ops::Range, sync::Arc};

/// Kinds of memory that each device has, the default one first.
pub(crate) const KINDS: [&str; 3] = ["device", "pinned_host", "unpinned_host"];

/// A device of a client.
pub(crate) struct Device {
    pub(crate) index: usize,
    /// Its number among those of this process, if it is one of them.
    pub(crate) local: Option<usize>,
    pub(crate) description: Handle<DeviceDescription>,
    pub(crate) memories: Vec<Handle<Memory>>,
    pub(crate) pool: Arc<MemoryPool>,
}

/// A memory of a device; what C looks into comes first.
#[repr(C)]
pub(crate) struct Memory {
    table: &'static MemoryTable,
    user: UserData,
    pub(crate) id: usize,
    pub(crate) kind: usize,
    pub(crate) debug: String,
    pub(crate) text: String,
    /// The device, once there is one.
    pub(crate) devices: std::sync::OnceLock<[Handle<Device>; 1]>,
}

impl Memory {
    fn new(id: usize, process: usize) -> Self {
        Self {
            table: &MEMORY_TABLE,
            user: UserData::default(),
            id,
            kind: id % KINDS.len(),
            debug: format!("CpuDeviceMemory(id={id}, process_index={process}, client=cpu)"),
            text: format!("CPU_DEVICE_{id}"),
            devices: std::sync::OnceLock::new(),
        }
    }

    pub(crate) fn user_data(&self) -> &UserData {
        &self.user
    }

    /// The number of its device.
    pub(crate) fn device(&self) -> usize {
        self.id / KINDS.len()
    }
}

/// Settings that a client is made with.
pub(crate) struct Settings {
    /// The devices of each process.
    pub(crate) devices: usize,
    pub(crate) threads: usize,
    /// The number of this process.
    node: usize,
    /// The number of processes.
    nodes: usize,
}

impl Settings {
    /// More devices than anybody simulates.
    pub(crate) const MOST_DEVICES: usize = 4096;

    /// From options; what is not among them says the environment, or the machine.
    ///
    /// # Errors
    /// An option that does not exist, or a value that it cannot have.
    pub(crate) fn new(options: &[(String, Value)]) -> Result<Self> {
        let environment = std::env::var("MAPWRIGHT_THREADS");
        let environment = environment.ok().and_then(|text| text.parse().ok());
        let mut settings = Self {
            devices: 1,
            threads: environment.unwrap_or(0),
            node: 0,
            nodes: 1,
        };
        for (name, value) in options {
            let (place, least, most) = match name.as_str() {
                "num_devices" => (&mut settings.devices, 1, Self::MOST_DEVICES),
                "threads" => (&mut settings.threads, 0, 1024),
                // As JAX names them where it is distributed.
                "node_id" => (&mut settings.node, 0, Self::MOST_DEVICES),
                "num_nodes" => (&mut settings.nodes, 1, Self::MOST_DEVICES),
                _ => {
                    let message = format!("there is no option {name:?} of the client");
                    return Err(Status::invalid(message));
                }
            };
            let number = value.number().and_then(|n| usize::try_from(n).ok());
            *place = number
                .filter(|n| (least..=most).contains(n))
                .ok_or_else(|| {
                    Status::invalid(format!(
                        "the option {name:?} of the client is a number between {least} and {most}, not {value:?}"
                    ))
                })?;
        }
        if settings.nodes * settings.devices > Self::MOST_DEVICES {
            return Err(Status::invalid(format!(
                "{} devices in each of {} processes are more than {}",
                settings.devices,
                settings.nodes,
                Self::MOST_DEVICES
            )));
        }
        if settings.node >= settings.nodes {
            return Err(Status::invalid(format!(
                "process {} of {}",
                settings.node, settings.nodes
            )));
        }
        if settings.threads == 0 {
            // Processes of one machine share its processors.
            let here = match settings.nodes {
                1 => 1,
                several => Launch::of_this_process().map_or(several, |launch| launch.here),
            };
            let all = std::thread::available_parallelism().map_or(1, usize::from);
            settings.threads = (all / here).max(1);
        }
        Ok(settings)
    }

    /// All devices that the client knows.
    pub(crate) fn topology(&self) -> TopologyDescription {
        TopologyDescription::new(self.devices, self.nodes)
    }
}

/// State that the objects of a client share; lives as long as any of them.
pub(crate) struct Shared {
    pub(crate) topology: TopologyDescription,
    pub(crate) threads: usize,
    pub(crate) pool: Arc<MemoryPool>,
    pub(crate) queues: Vec<Queue>,
    /// The other processes, if there are any.
    pub(crate) spread: Option<Spread>,
    /// The devices of this process.
    own: Range<usize>,
    // Never grown or moved: the addresses are handles.
    devices: Box<[Device]>,
    _memories: Box<[Memory]>,
    device_handles: Vec<Handle<Device>>,
    memory_handles: Vec<Handle<Memory>>,
}

/// A client as C keeps it.
pub(crate) struct Client {
    pub(crate) shared: Arc<Shared>,
}

impl Shared {
    /// # Errors
    /// Other processes that cannot be joined.
    pub(crate) fn new(settings: &Settings) -> Result<Arc<Self>> {
        let topology = settings.topology();
        let pool = MemoryPool::new();
        let memory = |id| Memory::new(id, topology.process(id / KINDS.len()));
        let memories: Box<[Memory]> = (0..topology.devices() * KINDS.len()).map(memory).collect();
        let memory_handles: Vec<_> = memories.iter().map(Handle::from_ref).collect();
        let (spread, own) = match settings.nodes {
            1 => (None, 0..topology.devices()),
            nodes => (
                Some(Spread::new(settings.node, nodes, settings.devices)?),
                settings.node * settings.devices..(settings.node + 1) * settings.devices,
            ),
        };
        let device = |(index, memories): (usize, &[Handle<Memory>])| Device {
            index,
            local: own.clone().position(|id| id == index),
            description: topology.handles()[index],
            memories: memories.to_vec(),
            pool: Arc::clone(&pool),
        };
        let chunks = memory_handles.chunks(KINDS.len());
        let devices: Box<[Device]> = chunks.enumerate().map(device).collect();
        let device_handles: Vec<_> = devices.iter().map(Handle::from_ref).collect();
        for memory in memories.iter() {
            let _ = memory.devices.set([device_handles[memory.device()]]);
        }
        let queues = devices.iter().map(|device| Queue::new(device.index));
        Ok(Arc::new(Self {
            queues: queues.collect(),
            spread,
            own,
            topology,
            threads: settings.threads,
            pool,
            devices,
            _memories: memories,
            device_handles,
            memory_handles,
        }))
    }

    pub(crate) fn devices(&self) -> &[Handle<Device>] {
        &self.device_handles
    }

    /// The devices of this process.
    pub(crate) fn own_devices(&self) -> &[Handle<Device>] {
        &self.device_handles[self.own.clone()]
    }

    /// The memories of this process.
    pub(crate) fn own_memories(&self) -> &[Handle<Memory>] {
        &self.memory_handles[self.own.start * KINDS.len()..self.own.end * KINDS.len()]
    }

    /// The number of this process.
    pub(crate) fn process(&self) -> usize {
        self.topology.process(self.own.start)
    }

    /// Tells whether it is a device of this process.
    pub(crate) fn is_own(&self, device: usize) -> bool {
        self.own.contains(&device)
    }

    /// The handle of a device by its number.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn device(&self, id: i32) -> Result<Handle<Device>> {
        let found = usize::try_from(id).ok();
        let found = found.and_then(|id| self.device_handles.get(id));
        found
            .copied()
            .ok_or_else(|| no_device(id, self.devices.len()))
    }

    /// The handle of a device of this process by its number among them.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn own_device(&self, id: i32) -> Result<Handle<Device>> {
        let found = usize::try_from(id).ok();
        let found = found.and_then(|id| self.own_devices().get(id));
        found.copied().ok_or_else(|| no_device(id, self.own.len()))
    }

    /// The memory that a buffer goes to: the one that is named, or the default one of the device
    /// that is named, or of the first.
    ///
    /// # Errors
    /// A memory of another process.
    pub(crate) fn place(&self, memory: Handle<Memory>, device: Handle<Device>) -> Result<usize> {
        let place = match (memory.is_null(), device.is_null()) {
            (false, _) => memory.get()?.id,
            (true, false) => device.get()?.index * KINDS.len(),
            (true, true) => self.own.start * KINDS.len(),
        };
        match place / KINDS.len() {
            device if self.is_own(device) => Ok(place),
            device => Err(Status::invalid(format!(
                "device {device} is one of another process, which alone can put something there"
            ))),
        }
    }

    pub(crate) fn memory(&self, id: usize) -> Handle<Memory> {
        self.memory_handles[id]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(options: &[(&str, Value)]) -> Result<Settings> {
        let owned: Vec<_> = options
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        Settings::new(&owned)
    }

    #[test]
    fn options_are_read_and_others_refused() {
        let two = settings(&[
            ("num_devices", Value::Int(2)),
            ("threads", Value::Text("3".into())),
        ]);
        let two = two.unwrap_or_else(|status| panic!("{}", status.message()));
        assert_eq!((two.devices, two.threads), (2, 3));
        for wrong in [
            ("node_id", Value::Int(1)),
            ("num_devices", Value::Int(0)),
            ("num_devices", Value::Bool(true)),
            ("colour", Value::Int(1)),
        ] {
            let Err(status) = settings(std::slice::from_ref(&wrong)) else {
                panic!("{wrong:?} is accepted");
            };
            let said = match wrong.0 {
                "node_id" => "process 1 of 1",
                name => name,
            };
            assert!(status.message().contains(said), "{}", status.message());
        }
    }

    #[test]
    fn each_device_has_three_memories_that_know_it() {
        let two = settings(&[("num_devices", Value::Int(2))]);
        let shared = Shared::new(&two.ok().unwrap()).ok().unwrap();
        assert_eq!(shared.own_memories().len(), 6);
        let memory = shared.memory(4).get().unwrap();
        assert_eq!((KINDS[memory.kind], memory.device()), ("pinned_host", 1));
        assert!(shared.device(2).is_err() && shared.device(-1).is_err());
    }
}
