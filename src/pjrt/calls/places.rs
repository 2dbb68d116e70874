//! What is asked of clients, devices and memories.

use crate::{
    border::{
        Error, Handle,
        abi::client::{
            ClientAddressableDevicesArgs, ClientAddressableMemoriesArgs, ClientCreateArgs,
            ClientDefaultDeviceAssignmentArgs, ClientDestroyArgs, ClientDevicesArgs,
            ClientLookupAddressableDeviceArgs, ClientLookupDeviceArgs, ClientPlatformNameArgs,
            ClientPlatformVersionArgs, ClientProcessIndexArgs, ClientTopologyDescriptionArgs,
            ClientUpdateGlobalProcessInfoArgs, DeviceAddressableMemoriesArgs,
            DeviceClearMemoryStatsArgs, DeviceDefaultMemoryArgs, DeviceDescriptionAttributesArgs,
            DeviceDescriptionDebugStringArgs, DeviceDescriptionIdArgs, DeviceDescriptionKindArgs,
            DeviceDescriptionProcessIndexArgs, DeviceDescriptionToStringArgs,
            DeviceGetAttributesArgs, DeviceGetDescriptionArgs, DeviceIsAddressableArgs,
            DeviceLocalHardwareIdArgs, DeviceMemoryStatsArgs, MemoryAddressableByDevicesArgs,
            MemoryDebugStringArgs, MemoryIdArgs, MemoryKindArgs, MemoryKindIdArgs,
            MemoryToStringArgs,
        },
        enter, parts, slice_mut,
    },
    client::{Client, KINDS, Settings, Shared},
    named,
    status::Status,
    topology::{DeviceDescription, PLATFORM, platform_version},
};
use std::ffi::c_void;

pub(crate) extern "C" fn client_platform_name(args: *mut ClientPlatformNameArgs) -> Handle<Error> {
    enter("PJRT_Client_PlatformName", args, |args| {
        (args.platform_name, args.platform_name_size) = parts(PLATFORM);
        Ok(())
    })
}

pub(crate) extern "C" fn client_process_index(args: *mut ClientProcessIndexArgs) -> Handle<Error> {
    enter("PJRT_Client_ProcessIndex", args, |args| {
        args.process_index = args.client.get()?.shared.process() as i32;
        Ok(())
    })
}

pub(crate) extern "C" fn client_platform_version(
    args: *mut ClientPlatformVersionArgs,
) -> Handle<Error> {
    enter("PJRT_Client_PlatformVersion", args, |args| {
        (args.platform_version, args.platform_version_size) = parts(platform_version());
        Ok(())
    })
}

pub(crate) extern "C" fn client_topology_description(
    args: *mut ClientTopologyDescriptionArgs,
) -> Handle<Error> {
    enter("PJRT_Client_TopologyDescription", args, |args| {
        args.topology = Handle::from_ref(&args.client.get()?.shared.topology);
        Ok(())
    })
}

pub(crate) extern "C" fn client_devices(args: *mut ClientDevicesArgs) -> Handle<Error> {
    enter("PJRT_Client_Devices", args, |args| {
        let all = args.client.get()?.shared.devices();
        (args.devices, args.num_devices) = (all.as_ptr(), all.len());
        Ok(())
    })
}

pub(crate) extern "C" fn client_addressable_devices(
    args: *mut ClientAddressableDevicesArgs,
) -> Handle<Error> {
    enter("PJRT_Client_AddressableDevices", args, |args| {
        let all = args.client.get()?.shared.own_devices();
        (args.addressable_devices, args.num_addressable_devices) = (all.as_ptr(), all.len());
        Ok(())
    })
}

pub(crate) extern "C" fn client_addressable_memories(
    args: *mut ClientAddressableMemoriesArgs,
) -> Handle<Error> {
    enter("PJRT_Client_AddressableMemories", args, |args| {
        let all = args.client.get()?.shared.own_memories();
        (args.addressable_memories, args.num_addressable_memories) = (all.as_ptr(), all.len());
        Ok(())
    })
}

pub(crate) extern "C" fn client_lookup_device(args: *mut ClientLookupDeviceArgs) -> Handle<Error> {
    enter("PJRT_Client_LookupDevice", args, |args| {
        args.device = args.client.get()?.shared.device(args.id)?;
        Ok(())
    })
}

pub(crate) extern "C" fn client_lookup_addressable_device(
    args: *mut ClientLookupAddressableDeviceArgs,
) -> Handle<Error> {
    enter("PJRT_Client_LookupAddressableDevice", args, |args| {
        args.addressable_device = args
            .client
            .get()?
            .shared
            .own_device(args.local_hardware_id)?;
        Ok(())
    })
}

pub(crate) extern "C" fn device_description_id(
    args: *mut DeviceDescriptionIdArgs,
) -> Handle<Error> {
    enter("PJRT_DeviceDescription_Id", args, |args| {
        args.id = args.device_description.get()?.id as i32;
        Ok(())
    })
}

pub(crate) extern "C" fn device_description_process_index(
    args: *mut DeviceDescriptionProcessIndexArgs,
) -> Handle<Error> {
    enter("PJRT_DeviceDescription_ProcessIndex", args, |args| {
        args.process_index = args.device_description.get()?.process as i32;
        Ok(())
    })
}

pub(crate) extern "C" fn device_description_attributes(
    args: *mut DeviceDescriptionAttributesArgs,
) -> Handle<Error> {
    enter("PJRT_DeviceDescription_Attributes", args, |args| {
        (args.attributes, args.num_attributes) = (std::ptr::null(), 0);
        Ok(())
    })
}

pub(crate) extern "C" fn device_description_kind(
    args: *mut DeviceDescriptionKindArgs,
) -> Handle<Error> {
    enter("PJRT_DeviceDescription_Kind", args, |args| {
        (args.device_kind, args.device_kind_size) = parts(DeviceDescription::KIND);
        Ok(())
    })
}

pub(crate) extern "C" fn device_description_debug_string(
    args: *mut DeviceDescriptionDebugStringArgs,
) -> Handle<Error> {
    enter("PJRT_DeviceDescription_DebugString", args, |args| {
        (args.debug_string, args.debug_string_size) = parts(&args.device_description.get()?.debug);
        Ok(())
    })
}

pub(crate) extern "C" fn device_description_to_string(
    args: *mut DeviceDescriptionToStringArgs,
) -> Handle<Error> {
    enter("PJRT_DeviceDescription_ToString", args, |args| {
        (args.to_string, args.to_string_size) = parts(&args.device_description.get()?.text);
        Ok(())
    })
}

pub(crate) extern "C" fn device_get_description(
    args: *mut DeviceGetDescriptionArgs,
) -> Handle<Error> {
    enter("PJRT_Device_GetDescription", args, |args| {
        args.device_description = args.device.get()?.description;
        Ok(())
    })
}

pub(crate) extern "C" fn device_is_addressable(
    args: *mut DeviceIsAddressableArgs,
) -> Handle<Error> {
    enter("PJRT_Device_IsAddressable", args, |args| {
        args.is_addressable = u8::from(args.device.get()?.local.is_some());
        Ok(())
    })
}

pub(crate) extern "C" fn device_local_hardware_id(
    args: *mut DeviceLocalHardwareIdArgs,
) -> Handle<Error> {
    enter("PJRT_Device_LocalHardwareId", args, |args| {
        args.local_hardware_id = args.device.get()?.local.map_or(-1, |id| id as i32);
        Ok(())
    })
}

pub(crate) extern "C" fn device_addressable_memories(
    args: *mut DeviceAddressableMemoriesArgs,
) -> Handle<Error> {
    enter("PJRT_Device_AddressableMemories", args, |args| {
        let all = &args.device.get()?.memories;
        (args.memories, args.num_memories) = (all.as_ptr(), all.len());
        Ok(())
    })
}

pub(crate) extern "C" fn device_default_memory(
    args: *mut DeviceDefaultMemoryArgs,
) -> Handle<Error> {
    enter("PJRT_Device_DefaultMemory", args, |args| {
        args.memory = args.device.get()?.memories[0];
        Ok(())
    })
}

pub(crate) extern "C" fn device_clear_memory_stats(
    args: *mut DeviceClearMemoryStatsArgs,
) -> Handle<Error> {
    enter("PJRT_Device_ClearMemoryStats", args, |args| {
        args.device.get()?.pool.reset_peak();
        Ok(())
    })
}

pub(crate) extern "C" fn device_get_attributes(
    args: *mut DeviceGetAttributesArgs,
) -> Handle<Error> {
    enter("PJRT_Device_GetAttributes", args, |args| {
        (args.attributes, args.num_attributes) = (std::ptr::null(), 0);
        (args.device_attributes, args.attributes_deleter) = (std::ptr::null(), no_attributes());
        Ok(())
    })
}

pub(crate) extern "C" fn memory_id(args: *mut MemoryIdArgs) -> Handle<Error> {
    enter("PJRT_Memory_Id", args, |args| {
        args.id = args.memory.get()?.id as i32;
        Ok(())
    })
}

pub(crate) extern "C" fn memory_kind(args: *mut MemoryKindArgs) -> Handle<Error> {
    enter("PJRT_Memory_Kind", args, |args| {
        (args.kind, args.kind_size) = parts(KINDS[args.memory.get()?.kind]);
        Ok(())
    })
}

pub(crate) extern "C" fn memory_kind_id(args: *mut MemoryKindIdArgs) -> Handle<Error> {
    enter("PJRT_Memory_Kind_Id", args, |args| {
        args.kind_id = args.memory.get()?.kind as i32;
        Ok(())
    })
}

pub(crate) extern "C" fn memory_debug_string(args: *mut MemoryDebugStringArgs) -> Handle<Error> {
    enter("PJRT_Memory_DebugString", args, |args| {
        (args.debug_string, args.debug_string_size) = parts(&args.memory.get()?.debug);
        Ok(())
    })
}

pub(crate) extern "C" fn memory_to_string(args: *mut MemoryToStringArgs) -> Handle<Error> {
    enter("PJRT_Memory_ToString", args, |args| {
        (args.to_string, args.to_string_size) = parts(&args.memory.get()?.text);
        Ok(())
    })
}

pub(crate) extern "C" fn memory_addressable_by_devices(
    args: *mut MemoryAddressableByDevicesArgs,
) -> Handle<Error> {
    enter("PJRT_Memory_AddressableByDevices", args, |args| {
        let all = args.memory.get()?.devices.get();
        let all = all.map_or(&[][..], |one| one);
        (args.devices, args.num_devices) = (all.as_ptr(), all.len());
        Ok(())
    })
}

/// Takes note of how the other processes fare, which does not matter here: where one is gone, the
/// launcher of MPI ends all.
pub(crate) extern "C" fn client_update_global_process_info(
    args: *mut ClientUpdateGlobalProcessInfoArgs,
) -> Handle<Error> {
    enter("PJRT_Client_UpdateGlobalProcessInfo", args, |_| Ok(()))
}

pub(crate) extern "C" fn client_destroy(args: *mut ClientDestroyArgs) -> Handle<Error> {
    enter("PJRT_Client_Destroy", args, |args| {
        drop(args.client.take());
        Ok(())
    })
}

pub(crate) extern "C" fn client_default_device_assignment(
    args: *mut ClientDefaultDeviceAssignmentArgs,
) -> Handle<Error> {
    enter("PJRT_Client_DefaultDeviceAssignment", args, |args| {
        let devices = args.client.get()?.shared.devices().len();
        let wanted = i64::from(args.num_replicas) * i64::from(args.num_partitions);
        let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
        if wanted > devices || args.default_assignment_size < wanted {
            return Err(Status::invalid(format!(
                "{} replicas of {} partitions need {wanted} devices and places for their numbers; there are {devices} devices and {} places",
                args.num_replicas, args.num_partitions, args.default_assignment_size
            )));
        }
        for (id, place) in slice_mut(args.default_assignment, wanted)
            .iter_mut()
            .enumerate()
        {
            *place = id as i32;
        }
        Ok(())
    })
}

/// A function that frees no attributes, for whoever calls it.
fn no_attributes() -> *const c_void {
    extern "C" fn free(_: *const c_void) {}
    free as *const c_void
}

pub(crate) extern "C" fn device_memory_stats(args: *mut DeviceMemoryStatsArgs) -> Handle<Error> {
    enter("PJRT_Device_MemoryStats", args, |args| {
        let statistics = args.device.get()?.pool.statistics();
        args.bytes_in_use = statistics.live as i64;
        args.peak_bytes_in_use = statistics.peak as i64;
        args.peak_bytes_in_use_is_set = 1;
        args.num_allocs = statistics.system_allocations as i64;
        args.num_allocs_is_set = 1;
        args.pool_bytes = (statistics.live + statistics.cached) as i64;
        args.pool_bytes_is_set = 1;
        for unknown in [
            &mut args.largest_alloc_size_is_set,
            &mut args.bytes_limit_is_set,
            &mut args.bytes_reserved_is_set,
            &mut args.peak_bytes_reserved_is_set,
            &mut args.bytes_reservable_limit_is_set,
            &mut args.largest_free_block_bytes_is_set,
            &mut args.peak_pool_bytes_is_set,
            &mut args.peak_allocated_bytes_is_set,
        ] {
            *unknown = 0;
        }
        Ok(())
    })
}

pub(crate) extern "C" fn client_create(args: *mut ClientCreateArgs) -> Handle<Error> {
    enter("PJRT_Client_Create", args, |args| {
        let options = named::options(args.create_options, args.num_options);
        let shared = Shared::new(&Settings::new(&options)?)?;
        args.client = Handle::give(Client { shared });
        Ok(())
    })
}
