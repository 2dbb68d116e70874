//! Clients, devices, memories and topologies.

use super::{plain::NamedValue, records};
use crate::{
    border::Handle,
    client::{Client, Device, Memory},
    topology::{DeviceDescription, TopologyDescription},
};
use std::ffi::{c_char, c_void};

records! {
    ClientCreateArgs {
        create_options: *const NamedValue = 16, num_options: usize = 24,
        kv_get_callback: *const c_void = 32, kv_get_user_arg: *const c_void = 40,
        kv_put_callback: *const c_void = 48, kv_put_user_arg: *const c_void = 56,
        client: Handle<Client> = 64, kv_try_get_callback: *const c_void = 72,
        kv_try_get_user_arg: *const c_void = 80,
    }
    ClientDestroyArgs { client: Handle<Client> = 16 }
    ClientPlatformNameArgs {
        client: Handle<Client> = 16, platform_name: *const c_char = 24,
        platform_name_size: usize = 32,
    }
    ClientProcessIndexArgs { client: Handle<Client> = 16, process_index: i32 = 24 }
    ClientPlatformVersionArgs {
        client: Handle<Client> = 16, platform_version: *const c_char = 24,
        platform_version_size: usize = 32,
    }
    ClientTopologyDescriptionArgs {
        client: Handle<Client> = 16, topology: Handle<TopologyDescription> = 24,
    }
    ClientDevicesArgs {
        client: Handle<Client> = 16, devices: *const Handle<Device> = 24, num_devices: usize = 32,
    }
    ClientAddressableDevicesArgs {
        client: Handle<Client> = 16, addressable_devices: *const Handle<Device> = 24,
        num_addressable_devices: usize = 32,
    }
    ClientLookupDeviceArgs {
        client: Handle<Client> = 16, id: i32 = 24, device: Handle<Device> = 32,
    }
    ClientLookupAddressableDeviceArgs {
        client: Handle<Client> = 16, local_hardware_id: i32 = 24,
        addressable_device: Handle<Device> = 32,
    }
    ClientAddressableMemoriesArgs {
        client: Handle<Client> = 16, addressable_memories: *const Handle<Memory> = 24,
        num_addressable_memories: usize = 32,
    }
    ClientDefaultDeviceAssignmentArgs {
        client: Handle<Client> = 16, num_replicas: i32 = 24, num_partitions: i32 = 28,
        default_assignment_size: usize = 32, default_assignment: *const i32 = 40,
    }
    ClientUpdateGlobalProcessInfoArgs {
        client: Handle<Client> = 16, process_infos: *const c_void = 24,
        num_process_infos: usize = 32,
    }
    DeviceDescriptionIdArgs { device_description: Handle<DeviceDescription> = 16, id: i32 = 24 }
    DeviceDescriptionProcessIndexArgs {
        device_description: Handle<DeviceDescription> = 16, process_index: i32 = 24,
    }
    DeviceDescriptionAttributesArgs {
        device_description: Handle<DeviceDescription> = 16, num_attributes: usize = 24,
        attributes: *const NamedValue = 32,
    }
    DeviceDescriptionKindArgs {
        device_description: Handle<DeviceDescription> = 16, device_kind: *const c_char = 24,
        device_kind_size: usize = 32,
    }
    DeviceDescriptionDebugStringArgs {
        device_description: Handle<DeviceDescription> = 16, debug_string: *const c_char = 24,
        debug_string_size: usize = 32,
    }
    DeviceDescriptionToStringArgs {
        device_description: Handle<DeviceDescription> = 16, to_string: *const c_char = 24,
        to_string_size: usize = 32,
    }
    DeviceGetDescriptionArgs {
        device: Handle<Device> = 16, device_description: Handle<DeviceDescription> = 24,
    }
    DeviceIsAddressableArgs { device: Handle<Device> = 16, is_addressable: u8 = 24 }
    DeviceLocalHardwareIdArgs { device: Handle<Device> = 16, local_hardware_id: i32 = 24 }
    DeviceAddressableMemoriesArgs {
        device: Handle<Device> = 16, memories: *const Handle<Memory> = 24, num_memories: usize = 32,
    }
    DeviceDefaultMemoryArgs { device: Handle<Device> = 16, memory: Handle<Memory> = 24 }
    DeviceMemoryStatsArgs {
        device: Handle<Device> = 16, bytes_in_use: i64 = 24, peak_bytes_in_use: i64 = 32,
        peak_bytes_in_use_is_set: u8 = 40, num_allocs: i64 = 48, num_allocs_is_set: u8 = 56,
        largest_alloc_size: i64 = 64, largest_alloc_size_is_set: u8 = 72, bytes_limit: i64 = 80,
        bytes_limit_is_set: u8 = 88, bytes_reserved: i64 = 96, bytes_reserved_is_set: u8 = 104,
        peak_bytes_reserved: i64 = 112, peak_bytes_reserved_is_set: u8 = 120,
        bytes_reservable_limit: i64 = 128, bytes_reservable_limit_is_set: u8 = 136,
        largest_free_block_bytes: i64 = 144, largest_free_block_bytes_is_set: u8 = 152,
        pool_bytes: i64 = 160, pool_bytes_is_set: u8 = 168, peak_pool_bytes: i64 = 176,
        peak_pool_bytes_is_set: u8 = 184, peak_allocated_bytes: i64 = 192,
        peak_allocated_bytes_is_set: u8 = 200,
    }
    DeviceClearMemoryStatsArgs { device: Handle<Device> = 16 }
    DeviceGetAttributesArgs {
        device: Handle<Device> = 16, attributes: *const NamedValue = 24, num_attributes: usize = 32,
        device_attributes: *const c_void = 40, attributes_deleter: *const c_void = 48,
    }
    MemoryIdArgs { memory: Handle<Memory> = 16, id: i32 = 24 }
    MemoryKindArgs { memory: Handle<Memory> = 16, kind: *const c_char = 24, kind_size: usize = 32 }
    MemoryKindIdArgs { memory: Handle<Memory> = 16, kind_id: i32 = 24 }
    MemoryDebugStringArgs {
        memory: Handle<Memory> = 16, debug_string: *const c_char = 24,
        debug_string_size: usize = 32,
    }
    MemoryToStringArgs {
        memory: Handle<Memory> = 16, to_string: *const c_char = 24, to_string_size: usize = 32,
    }
    MemoryAddressableByDevicesArgs {
        memory: Handle<Memory> = 16, devices: *const Handle<Device> = 24, num_devices: usize = 32,
    }
    TopologyDescriptionCreateArgs {
        topology_name: *const c_char = 16, topology_name_size: usize = 24,
        create_options: *const NamedValue = 32, num_options: usize = 40,
        topology: Handle<TopologyDescription> = 48,
    }
    TopologyDescriptionDestroyArgs { topology: Handle<TopologyDescription> = 16 }
    TopologyDescriptionPlatformVersionArgs {
        topology: Handle<TopologyDescription> = 16, platform_version: *const c_char = 24,
        platform_version_size: usize = 32,
    }
    TopologyDescriptionPlatformNameArgs {
        topology: Handle<TopologyDescription> = 16, platform_name: *const c_char = 24,
        platform_name_size: usize = 32,
    }
    TopologyDescriptionGetDeviceDescriptionsArgs {
        topology: Handle<TopologyDescription> = 16,
        descriptions: *const Handle<DeviceDescription> = 24, num_descriptions: usize = 32,
    }
    TopologyDescriptionAttributesArgs {
        topology: Handle<TopologyDescription> = 16, attributes: *const NamedValue = 24,
        num_attributes: usize = 32,
    }
    TopologyDescriptionFingerprintArgs {
        topology: Handle<TopologyDescription> = 16, fingerprint: u64 = 24,
    }
    TopologyDescriptionSerializeArgs {
        topology: Handle<TopologyDescription> = 16, serialized_bytes: *const c_char = 24,
        serialized_bytes_size: usize = 32, serialized_topology: *const c_void = 40,
        serialized_topology_deleter: *const c_void = 48,
    }
    TopologyDescriptionDeserializeArgs {
        serialized_topology: *const c_char = 16, serialized_topology_size: usize = 24,
        topology: Handle<TopologyDescription> = 32,
    }
}
