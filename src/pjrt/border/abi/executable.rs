//! Programs, executables and their execution.

use super::{
    plain::{LogicalDeviceIds, NamedValue, Program},
    records,
};
use crate::{
    border::Handle,
    buffer::Buffer,
    client::{Client, Device},
    event::Event,
    executable::{Executable, LoadedExecutable},
    foreign::ExecuteContext,
    topology::TopologyDescription,
};
use std::ffi::{c_char, c_void};

records! {
    ClientCompileArgs {
        client: Handle<Client> = 16, program: *const Program = 24,
        compile_options: *const c_char = 32, compile_options_size: usize = 40,
        executable: Handle<LoadedExecutable> = 48,
    }
    CompileArgs {
        topology: Handle<TopologyDescription> = 16, program: *const Program = 24,
        compile_options: *const c_char = 32, compile_options_size: usize = 40,
        client: Handle<Client> = 48, executable: Handle<Executable> = 56,
    }
    ClientLoadArgs {
        client: Handle<Client> = 16, executable: Handle<Executable> = 24,
        compile_options: *const c_char = 32, compile_options_size: usize = 40,
        loaded_executable: Handle<LoadedExecutable> = 48,
    }
    ExecuteContextCreateArgs { context: Handle<ExecuteContext> = 16 }
    ExecuteContextDestroyArgs { context: Handle<ExecuteContext> = 16 }
    ExecutableDestroyArgs { executable: Handle<Executable> = 16 }
    LoadedExecutableDestroyArgs { executable: Handle<LoadedExecutable> = 16 }
    LoadedExecutableGetExecutableArgs {
        loaded_executable: Handle<LoadedExecutable> = 16, executable: Handle<Executable> = 24,
    }
    LoadedExecutableGetDeviceAssignmentArgs {
        executable: Handle<LoadedExecutable> = 16, serialized_bytes: *const c_char = 24,
        serialized_bytes_size: usize = 32, serialized_device_assignment: *const c_void = 40,
        serialized_device_assignment_deleter: *const c_void = 48,
    }
    ExecutableNameArgs {
        executable: Handle<Executable> = 16, executable_name: *const c_char = 24,
        executable_name_size: usize = 32,
    }
    ExecutableNumReplicasArgs { executable: Handle<Executable> = 16, num_replicas: usize = 24 }
    ExecutableNumPartitionsArgs { executable: Handle<Executable> = 16, num_partitions: usize = 24 }
    LoadedExecutableAddressableDevicesArgs {
        executable: Handle<LoadedExecutable> = 16, addressable_devices: *const Handle<Device> = 24,
        num_addressable_devices: usize = 32,
    }
    LoadedExecutableAddressableDeviceLogicalIdsArgs {
        executable: Handle<LoadedExecutable> = 16,
        addressable_device_logical_ids: *const LogicalDeviceIds = 24,
        num_addressable_device_logical_ids: usize = 32,
    }
    ExecutableOptimizedProgramArgs {
        executable: Handle<Executable> = 16, program: *const Program = 24,
    }
    LoadedExecutableDeleteArgs { executable: Handle<LoadedExecutable> = 16 }
    LoadedExecutableIsDeletedArgs { executable: Handle<LoadedExecutable> = 16, is_deleted: u8 = 24 }
    ExecuteOptions {
        send_callbacks: *const c_void = 16, recv_callbacks: *const c_void = 24,
        num_send_ops: usize = 32, num_recv_ops: usize = 40, launch_id: i32 = 48,
        non_donatable_input_indices: *const i64 = 56, num_non_donatable_input_indices: usize = 64,
        context: Handle<ExecuteContext> = 72, call_location: *const c_char = 80,
        num_tasks: usize = 88, task_ids: *const i32 = 96, incarnation_ids: *const i64 = 104,
        multi_slice_config: *const c_void = 112,
        use_major_to_minor_data_layout_for_callbacks: u8 = 120,
        hlo_output_callbacks: *const c_void = 128, num_hlo_output_callbacks: usize = 136,
    }
    LoadedExecutableExecuteArgs {
        executable: Handle<LoadedExecutable> = 16, options: *const ExecuteOptions = 24,
        argument_lists: *const *const Handle<Buffer> = 32, num_devices: usize = 40,
        num_args: usize = 48, output_lists: *const *const Handle<Buffer> = 56,
        device_complete_events: *const Handle<Event> = 64, execute_device: Handle<Device> = 72,
    }
    ExecutableNumOutputsArgs { executable: Handle<Executable> = 16, num_outputs: usize = 24 }
    ExecutableSizeOfGeneratedCodeInBytesArgs {
        executable: Handle<Executable> = 16, size_in_bytes: i64 = 24,
    }
    ExecutableFingerprintArgs {
        executable: Handle<Executable> = 16, executable_fingerprint: *const c_char = 24,
        executable_fingerprint_size: usize = 32,
    }
    ExecutableGetCostAnalysisArgs {
        executable: Handle<Executable> = 16, num_properties: usize = 24,
        properties: *const NamedValue = 32,
    }
    ExecutableGetCompiledMemoryStatsArgs {
        executable: Handle<Executable> = 16, generated_code_size_in_bytes: i64 = 24,
        argument_size_in_bytes: i64 = 32, output_size_in_bytes: i64 = 40,
        alias_size_in_bytes: i64 = 48, temp_size_in_bytes: i64 = 56,
        host_generated_code_size_in_bytes: i64 = 64, host_argument_size_in_bytes: i64 = 72,
        host_output_size_in_bytes: i64 = 80, host_alias_size_in_bytes: i64 = 88,
        host_temp_size_in_bytes: i64 = 96, peak_memory_in_bytes: i64 = 104,
        total_size_in_bytes: i64 = 112, total_allocation_bytes: i64 = 120,
        indefinite_allocations: i64 = 128, peak_unpadded_heap_bytes: i64 = 136,
    }
    ExecutableOutputElementTypesArgs {
        executable: Handle<Executable> = 16, output_types: *const u32 = 24,
        num_output_types: usize = 32,
    }
    ExecutableOutputDimensionsArgs {
        executable: Handle<Executable> = 16, num_outputs: usize = 24, dims: *const i64 = 32,
        dim_sizes: *const usize = 40,
    }
    ExecutableParameterMemoryKindsArgs {
        executable: Handle<Executable> = 16, num_parameters: usize = 24,
        memory_kinds: *const *const c_char = 32, memory_kind_sizes: *const usize = 40,
    }
    ExecutableOutputMemoryKindsArgs {
        executable: Handle<Executable> = 16, num_outputs: usize = 24,
        memory_kinds: *const *const c_char = 32, memory_kind_sizes: *const usize = 40,
    }
    ExecutableSerializeArgs {
        executable: Handle<Executable> = 16, serialized_bytes: *const c_char = 24,
        serialized_bytes_size: usize = 32, serialized_executable: *const c_void = 40,
        serialized_executable_deleter: *const c_void = 48,
    }
    ExecutableGetCompileOptionsArgs {
        executable: Handle<Executable> = 16, serialized_bytes: *const c_char = 24,
        serialized_bytes_size: usize = 32, serialized_compile_options: *const c_void = 40,
        serialized_compile_options_deleter: *const c_void = 48,
    }
    ExecutableDeserializeAndLoadArgs {
        client: Handle<Client> = 16, serialized_executable: *const c_char = 24,
        serialized_executable_size: usize = 32, loaded_executable: Handle<LoadedExecutable> = 40,
        overridden_serialized_compile_options: *const c_char = 48,
        overridden_serialized_compile_options_size: usize = 56,
        load_options: *const c_void = 64,
    }
    LoadedExecutableFingerprintArgs {
        executable: Handle<LoadedExecutable> = 16, executable_fingerprint: *const c_char = 24,
        executable_fingerprint_size: usize = 32,
    }
}
