//! The table of functions: the one thing that the library exports.

use super::Handle;
use crate::{
    border::Error,
    calls::{
        buffers, errors, events, executables, execute, foreign, layouts, places, plugin, shardings,
        topology, transfer,
    },
    status::Status,
};
use std::ffi::c_void;

/// The version of the C API that the records are of.
const MINOR: i32 = 114;

/// A pointer to a function or to a table.
#[repr(transparent)]
struct Pointer(*const c_void);

// SAFETY: the tables are never written.
unsafe impl Sync for Pointer {}

#[repr(C)]
struct Version {
    struct_size: usize,
    extensions: Pointer,
    major: i32,
    minor: i32,
}

/// `PJRT_Api`.
#[repr(C)]
pub struct Api {
    struct_size: usize,
    extensions: Pointer,
    version: Version,
    slots: [Pointer; 138],
}

const _: () = assert!(size_of::<Api>() == 40 + 8 * 138);

/// A member of the chain of extensions.
#[repr(C)]
struct Extension<const N: usize> {
    struct_size: usize,
    kind: i32,
    next: Pointer,
    slots: [Pointer; N],
}

impl<const N: usize> Extension<N> {
    const fn new(kind: i32, next: Pointer, slots: [Pointer; N]) -> Self {
        Self {
            struct_size: size_of::<Self>(),
            kind,
            next,
            slots,
        }
    }
}

/// Functions in the order of their table. What has no function answers that it is not implemented,
/// with its own name.
macro_rules! slots {
    ($($name:ident $(= $function:path)?;)*) => {
        [$(slots!(@ $name $($function)?)),*]
    };
    (@ $name:ident $function:path) => {
        Pointer($function as *const c_void)
    };
    (@ $name:ident) => {{
        extern "C" fn stub(_: *mut c_void) -> Handle<Error> {
            let name = concat!("PJRT_", stringify!($name));
            Error::give(Status::unimplemented(format!("{name} is not implemented")))
        }
        Pointer(stub as *const c_void)
    }};
}

static LAYOUTS: Extension<7> = Extension::new(
    4,
    Pointer((&raw const FOREIGN).cast()),
    slots! {
        Layouts_MemoryLayout_Destroy = layouts::layout_destroy;
        Layouts_MemoryLayout_Serialize = layouts::layout_serialize;
        Layouts_Client_GetDefaultLayout = layouts::client_default_layout;
        Layouts_Buffer_MemoryLayout = layouts::buffer_layout;
        Layouts_Topology_GetDefaultLayout = layouts::topology_default_layout;
        Layouts_Executable_GetOutputLayouts = layouts::output_layouts;
        Layouts_Executable_GetParameterLayouts = layouts::parameter_layouts;
    },
);

static FOREIGN: Extension<3> = Extension::new(
    5,
    Pointer((&raw const SHARDINGS).cast()),
    slots! {
        FFI_Type_Register = foreign::type_register;
        FFI_UserData_Add = foreign::user_data_add;
        FFI_Register_Handler = foreign::register_handler;
    },
);

static SHARDINGS: Extension<2> = Extension::new(
    19,
    Pointer(std::ptr::null()),
    slots! {
        Shardings_Executable_ParameterShardings = shardings::parameter_shardings;
        Shardings_Executable_OutputShardings = shardings::output_shardings;
    },
);

static API: Api = Api {
    struct_size: size_of::<Api>(),
    extensions: Pointer((&raw const LAYOUTS).cast()),
    version: Version {
        struct_size: size_of::<Version>(),
        extensions: Pointer(std::ptr::null()),
        major: 0,
        minor: MINOR,
    },
    slots: slots! {
        Error_Destroy = errors::error_destroy;
        Error_Message = errors::error_message;
        Error_GetCode = errors::error_get_code;
        Plugin_Initialize = plugin::plugin_initialize;
        Plugin_Attributes = plugin::plugin_attributes;
        Event_Destroy = events::event_destroy;
        Event_IsReady = events::event_is_ready;
        Event_Error = events::event_error;
        Event_Await = events::event_await;
        Event_OnReady = events::event_on_ready;
        Client_Create = places::client_create;
        Client_Destroy = places::client_destroy;
        Client_PlatformName = places::client_platform_name;
        Client_ProcessIndex = places::client_process_index;
        Client_PlatformVersion = places::client_platform_version;
        Client_Devices = places::client_devices;
        Client_AddressableDevices = places::client_addressable_devices;
        Client_LookupDevice = places::client_lookup_device;
        Client_LookupAddressableDevice = places::client_lookup_addressable_device;
        Client_AddressableMemories = places::client_addressable_memories;
        Client_Compile = executables::client_compile;
        Client_DefaultDeviceAssignment = places::client_default_device_assignment;
        Client_BufferFromHostBuffer = transfer::client_buffer_from_host_buffer;
        DeviceDescription_Id = places::device_description_id;
        DeviceDescription_ProcessIndex = places::device_description_process_index;
        DeviceDescription_Attributes = places::device_description_attributes;
        DeviceDescription_Kind = places::device_description_kind;
        DeviceDescription_DebugString = places::device_description_debug_string;
        DeviceDescription_ToString = places::device_description_to_string;
        Device_GetDescription = places::device_get_description;
        Device_IsAddressable = places::device_is_addressable;
        Device_LocalHardwareId = places::device_local_hardware_id;
        Device_AddressableMemories = places::device_addressable_memories;
        Device_DefaultMemory = places::device_default_memory;
        Device_MemoryStats = places::device_memory_stats;
        Memory_Id = places::memory_id;
        Memory_Kind = places::memory_kind;
        Memory_DebugString = places::memory_debug_string;
        Memory_ToString = places::memory_to_string;
        Memory_AddressableByDevices = places::memory_addressable_by_devices;
        Executable_Destroy = executables::executable_destroy;
        Executable_Name = executables::executable_name;
        Executable_NumReplicas = executables::executable_num_replicas;
        Executable_NumPartitions = executables::executable_num_partitions;
        Executable_NumOutputs = executables::executable_num_outputs;
        Executable_SizeOfGeneratedCodeInBytes = executables::executable_size_of_generated_code_in_bytes;
        Executable_GetCostAnalysis = executables::executable_get_cost_analysis;
        Executable_OutputMemoryKinds = executables::executable_output_memory_kinds;
        Executable_OptimizedProgram = executables::executable_optimized_program;
        Executable_Serialize = executables::executable_serialize;
        LoadedExecutable_Destroy = executables::loaded_executable_destroy;
        LoadedExecutable_GetExecutable = executables::loaded_executable_get_executable;
        LoadedExecutable_AddressableDevices = executables::loaded_executable_addressable_devices;
        LoadedExecutable_Delete = executables::loaded_executable_delete;
        LoadedExecutable_IsDeleted = executables::loaded_executable_is_deleted;
        LoadedExecutable_Execute = execute::execute;
        Executable_DeserializeAndLoad = executables::executable_deserialize_and_load;
        LoadedExecutable_Fingerprint = executables::loaded_executable_fingerprint;
        Buffer_Destroy = buffers::buffer_destroy;
        Buffer_ElementType = buffers::buffer_element_type;
        Buffer_Dimensions = buffers::buffer_dimensions;
        Buffer_UnpaddedDimensions = buffers::buffer_unpadded_dimensions;
        Buffer_DynamicDimensionIndices = buffers::buffer_dynamic_dimension_indices;
        Buffer_GetMemoryLayout = buffers::buffer_get_memory_layout;
        Buffer_OnDeviceSizeInBytes = buffers::buffer_on_device_size_in_bytes;
        Buffer_Device = buffers::buffer_device;
        Buffer_Memory = buffers::buffer_memory;
        Buffer_Delete = buffers::buffer_delete;
        Buffer_IsDeleted = buffers::buffer_is_deleted;
        Buffer_CopyToDevice = transfer::buffer_copy_to_device;
        Buffer_ToHostBuffer = transfer::buffer_to_host_buffer;
        Buffer_IsOnCpu = buffers::buffer_is_on_cpu;
        Buffer_ReadyEvent = buffers::buffer_ready_event;
        Buffer_UnsafePointer = buffers::buffer_pointer;
        Buffer_IncreaseExternalReferenceCount = buffers::buffer_increase_external_reference_count;
        Buffer_DecreaseExternalReferenceCount = buffers::buffer_decrease_external_reference_count;
        Buffer_OpaqueDeviceMemoryDataPointer = buffers::buffer_opaque_device_memory_data_pointer;
        CopyToDeviceStream_Destroy;
        CopyToDeviceStream_AddChunk;
        CopyToDeviceStream_TotalBytes;
        CopyToDeviceStream_GranuleSize;
        CopyToDeviceStream_CurrentBytes;
        TopologyDescription_Create = topology::topology_create;
        TopologyDescription_Destroy = topology::topology_destroy;
        TopologyDescription_PlatformName = topology::topology_platform_name;
        TopologyDescription_PlatformVersion = topology::topology_platform_version;
        TopologyDescription_GetDeviceDescriptions = topology::topology_device_descriptions;
        TopologyDescription_Serialize = topology::topology_serialize;
        TopologyDescription_Attributes = topology::topology_attributes;
        Compile = executables::compile_for_topology;
        Executable_OutputElementTypes = executables::executable_output_element_types;
        Executable_OutputDimensions = executables::executable_output_dimensions;
        Buffer_CopyToMemory = transfer::buffer_copy_to_memory;
        Client_CreateViewOfDeviceBuffer = transfer::client_create_view_of_device_buffer;
        Executable_Fingerprint = executables::executable_fingerprint;
        Client_TopologyDescription = places::client_topology_description;
        Executable_GetCompiledMemoryStats = executables::executable_get_compiled_memory_stats;
        Memory_Kind_Id = places::memory_kind_id;
        ExecuteContext_Create = foreign::execute_context_create;
        ExecuteContext_Destroy = foreign::execute_context_destroy;
        Buffer_CopyRawToHost = transfer::buffer_copy_raw_to_host;
        AsyncHostToDeviceTransferManager_Destroy;
        AsyncHostToDeviceTransferManager_TransferData;
        Client_CreateBuffersForAsyncHostToDevice;
        AsyncHostToDeviceTransferManager_RetrieveBuffer;
        AsyncHostToDeviceTransferManager_Device;
        AsyncHostToDeviceTransferManager_BufferCount;
        AsyncHostToDeviceTransferManager_BufferSize;
        AsyncHostToDeviceTransferManager_SetBufferError;
        AsyncHostToDeviceTransferManager_AddMetadata;
        Client_DmaMap;
        Client_DmaUnmap;
        Client_CreateUninitializedBuffer = transfer::client_create_uninitialized_buffer;
        Client_UpdateGlobalProcessInfo = places::client_update_global_process_info;
        TopologyDescription_Deserialize = topology::topology_deserialize;
        Client_CreateAliasBuffer;
        Client_FulfillAliasBuffer;
        LoadedExecutable_GetDeviceAssignment = executables::loaded_executable_get_device_assignment;
        Client_CreateErrorBuffer = transfer::client_create_error_buffer;
        AsyncHostToDeviceTransferManager_TransferLiteral;
        Buffer_CopyRawToHostFuture;
        Device_PoisonExecution;
        Device_CreateAsyncTrackingEvent;
        AsyncTrackingEvent_Destroy;
        Executable_GetCompileOptions = executables::executable_get_compile_options;
        Buffer_DonateWithControlDependency;
        Event_Create = events::event_create;
        Event_Set = events::event_set;
        Device_GetAttributes = places::device_get_attributes;
        Client_Load = executables::client_load;
        LoadedExecutable_AddressableDeviceLogicalIds = executables::loaded_executable_addressable_device_logical_ids;
        Buffer_Bitcast;
        Error_ForEachPayload = errors::error_for_each_payload;
        TopologyDescription_Fingerprint = topology::topology_fingerprint;
        Executable_ParameterMemoryKinds = executables::executable_parameter_memory_kinds;
        Device_ClearMemoryStats = places::device_clear_memory_stats;
        TopologyDescription_MakeCanonicalShapeForMemorySpace;
        TopologyDescription_GetMemorySpaceKindIds;
    },
};

/// The table of functions of this plugin.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the name is the C API's")]
pub extern "C" fn GetPjrtApi() -> &'static Api {
    &API
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_function_is_missing_and_what_is_not_there_says_so() {
        let api = GetPjrtApi();
        assert!(api.slots.iter().all(|slot| !slot.0.is_null()));
        // Number 8 k + 40 of the table is `PJRT_Client_DmaMap` for k = 110.
        // SAFETY: the function has this type.
        let stub: extern "C" fn(*mut c_void) -> Handle<Error> =
            unsafe { std::mem::transmute(api.slots[110].0) };
        let error = stub(std::ptr::null_mut()).take().unwrap();
        assert_eq!(error.status().code(), 12);
        assert_eq!(
            error.status().message(),
            "PJRT_Client_DmaMap is not implemented"
        );
    }
}
