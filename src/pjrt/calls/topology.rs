//! What is asked of topologies.

use crate::{
    border::{
        Error, Handle,
        abi::client::{
            TopologyDescriptionAttributesArgs, TopologyDescriptionCreateArgs,
            TopologyDescriptionDeserializeArgs, TopologyDescriptionDestroyArgs,
            TopologyDescriptionFingerprintArgs, TopologyDescriptionGetDeviceDescriptionsArgs,
            TopologyDescriptionPlatformNameArgs, TopologyDescriptionPlatformVersionArgs,
            TopologyDescriptionSerializeArgs,
        },
        bytes, enter, give_bytes, parts, text,
    },
    client::Settings,
    named,
    status::{Result, Status},
    topology::{PLATFORM, TopologyDescription, fingerprint, platform_version},
};

/// First bytes of a serialized topology; the number of devices of a process follows, and that of
/// the processes.
const MAGIC: &[u8] = b"mapwright-topology-2:";

pub(crate) extern "C" fn topology_create(
    args: *mut TopologyDescriptionCreateArgs,
) -> Handle<Error> {
    enter("PJRT_TopologyDescription_Create", args, |args| {
        let name = text(args.topology_name, args.topology_name_size);
        if !name.is_empty() && name != PLATFORM {
            let message =
                format!("topology not implemented: {name:?}; there is {PLATFORM:?} alone");
            return Err(Status::unimplemented(message));
        }
        let options = named::options(args.create_options, args.num_options);
        args.topology = Handle::give(Settings::new(&options)?.topology());
        Ok(())
    })
}

pub(crate) extern "C" fn topology_destroy(
    args: *mut TopologyDescriptionDestroyArgs,
) -> Handle<Error> {
    enter("PJRT_TopologyDescription_Destroy", args, |args| {
        drop(args.topology.take());
        Ok(())
    })
}

pub(crate) extern "C" fn topology_platform_name(
    args: *mut TopologyDescriptionPlatformNameArgs,
) -> Handle<Error> {
    enter("PJRT_TopologyDescription_PlatformName", args, |args| {
        (args.platform_name, args.platform_name_size) = parts(PLATFORM);
        Ok(())
    })
}

pub(crate) extern "C" fn topology_platform_version(
    args: *mut TopologyDescriptionPlatformVersionArgs,
) -> Handle<Error> {
    enter("PJRT_TopologyDescription_PlatformVersion", args, |args| {
        (args.platform_version, args.platform_version_size) = parts(platform_version());
        Ok(())
    })
}

pub(crate) extern "C" fn topology_device_descriptions(
    args: *mut TopologyDescriptionGetDeviceDescriptionsArgs,
) -> Handle<Error> {
    enter(
        "PJRT_TopologyDescription_GetDeviceDescriptions",
        args,
        |args| {
            let handles = args.topology.get()?.handles();
            (args.descriptions, args.num_descriptions) = (handles.as_ptr(), handles.len());
            Ok(())
        },
    )
}

pub(crate) extern "C" fn topology_attributes(
    args: *mut TopologyDescriptionAttributesArgs,
) -> Handle<Error> {
    enter("PJRT_TopologyDescription_Attributes", args, |args| {
        (args.attributes, args.num_attributes) = (std::ptr::null(), 0);
        Ok(())
    })
}

pub(crate) extern "C" fn topology_fingerprint(
    args: *mut TopologyDescriptionFingerprintArgs,
) -> Handle<Error> {
    enter("PJRT_TopologyDescription_Fingerprint", args, |args| {
        let text = serialized(args.topology.get()?);
        args.fingerprint = fingerprint([platform_version().as_bytes(), &text]);
        Ok(())
    })
}

pub(crate) extern "C" fn topology_serialize(
    args: *mut TopologyDescriptionSerializeArgs,
) -> Handle<Error> {
    enter("PJRT_TopologyDescription_Serialize", args, |args| {
        (
            args.serialized_bytes,
            args.serialized_bytes_size,
            args.serialized_topology,
            args.serialized_topology_deleter,
        ) = give_bytes(serialized(args.topology.get()?));
        Ok(())
    })
}

pub(crate) extern "C" fn topology_deserialize(
    args: *mut TopologyDescriptionDeserializeArgs,
) -> Handle<Error> {
    enter("PJRT_TopologyDescription_Deserialize", args, |args| {
        args.topology = Handle::give(deserialized(bytes(
            args.serialized_topology,
            args.serialized_topology_size,
        ))?);
        Ok(())
    })
}

fn serialized(topology: &TopologyDescription) -> Vec<u8> {
    let processes = topology.processes();
    let mut text = MAGIC.to_vec();
    text.extend(format!("{} x {processes}", topology.devices() / processes).bytes());
    text
}

fn deserialized(bytes: &[u8]) -> Result<TopologyDescription> {
    let text = bytes.strip_prefix(MAGIC).map(String::from_utf8_lossy);
    let numbers = text.and_then(|text| {
        let (each, processes) = text.split_once(" x ")?;
        Some((
            each.parse::<usize>().ok()?,
            processes.parse::<usize>().ok()?,
        ))
    });
    numbers
        .filter(|(each, processes)| {
            let devices = each.checked_mul(*processes);
            devices.is_some_and(|n| (1..=Settings::MOST_DEVICES).contains(&n))
        })
        .map(|(each, processes)| TopologyDescription::new(each, processes))
        .ok_or_else(|| Status::invalid("this is not a topology that Mapwright wrote"))
}
