//! What is asked of executables, and how they are made.

use crate::{
    border::{
        Error, Handle,
        abi::executable::{
            ClientCompileArgs, ClientLoadArgs, CompileArgs, ExecutableDeserializeAndLoadArgs,
            ExecutableDestroyArgs, ExecutableFingerprintArgs, ExecutableGetCompileOptionsArgs,
            ExecutableGetCompiledMemoryStatsArgs, ExecutableGetCostAnalysisArgs,
            ExecutableNameArgs, ExecutableNumOutputsArgs, ExecutableNumPartitionsArgs,
            ExecutableNumReplicasArgs, ExecutableOptimizedProgramArgs,
            ExecutableOutputDimensionsArgs, ExecutableOutputElementTypesArgs,
            ExecutableOutputMemoryKindsArgs, ExecutableParameterMemoryKindsArgs,
            ExecutableSerializeArgs, ExecutableSizeOfGeneratedCodeInBytesArgs,
            LoadedExecutableAddressableDeviceLogicalIdsArgs,
            LoadedExecutableAddressableDevicesArgs, LoadedExecutableDeleteArgs,
            LoadedExecutableDestroyArgs, LoadedExecutableFingerprintArgs,
            LoadedExecutableGetDeviceAssignmentArgs, LoadedExecutableGetExecutableArgs,
            LoadedExecutableIsDeletedArgs,
        },
        abi::plain::Program,
        bytes, enter, give_bytes, parts, record, slice_mut, text, update,
    },
    compile::{Compiled, compile},
    executable::{Executable, LoadedExecutable, deserialized},
    options::Options,
    status::{Result, Status},
};
use std::{ffi::c_char, sync::Arc};

pub(crate) extern "C" fn executable_destroy(args: *mut ExecutableDestroyArgs) -> Handle<Error> {
    enter("PJRT_Executable_Destroy", args, |args| {
        drop(args.executable.take());
        Ok(())
    })
}

pub(crate) extern "C" fn executable_name(args: *mut ExecutableNameArgs) -> Handle<Error> {
    enter("PJRT_Executable_Name", args, |args| {
        (args.executable_name, args.executable_name_size) =
            parts(&args.executable.get()?.compiled.name);
        Ok(())
    })
}

pub(crate) extern "C" fn executable_num_replicas(
    args: *mut ExecutableNumReplicasArgs,
) -> Handle<Error> {
    enter("PJRT_Executable_NumReplicas", args, |args| {
        args.num_replicas = args.executable.get()?.compiled.options.replicas;
        Ok(())
    })
}

pub(crate) extern "C" fn executable_num_partitions(
    args: *mut ExecutableNumPartitionsArgs,
) -> Handle<Error> {
    enter("PJRT_Executable_NumPartitions", args, |args| {
        args.num_partitions = args.executable.get()?.compiled.options.partitions;
        Ok(())
    })
}

pub(crate) extern "C" fn executable_num_outputs(
    args: *mut ExecutableNumOutputsArgs,
) -> Handle<Error> {
    enter("PJRT_Executable_NumOutputs", args, |args| {
        args.num_outputs = args.executable.get()?.compiled.outputs.len();
        Ok(())
    })
}

pub(crate) extern "C" fn executable_size_of_generated_code_in_bytes(
    args: *mut ExecutableSizeOfGeneratedCodeInBytesArgs,
) -> Handle<Error> {
    enter("PJRT_Executable_SizeOfGeneratedCodeInBytes", args, |args| {
        args.size_in_bytes = args
            .executable
            .get()?
            .compiled
            .native
            .statistics()
            .object_bytes as i64;
        Ok(())
    })
}

pub(crate) extern "C" fn executable_get_cost_analysis(
    args: *mut ExecutableGetCostAnalysisArgs,
) -> Handle<Error> {
    enter("PJRT_Executable_GetCostAnalysis", args, |args| {
        let costs = &args.executable.get()?.costs().0;
        (args.properties, args.num_properties) = (costs.as_ptr(), costs.len());
        Ok(())
    })
}

pub(crate) extern "C" fn executable_output_element_types(
    args: *mut ExecutableOutputElementTypesArgs,
) -> Handle<Error> {
    enter("PJRT_Executable_OutputElementTypes", args, |args| {
        let types = &args.executable.get()?.lists().types;
        (args.output_types, args.num_output_types) = (types.as_ptr(), types.len());
        Ok(())
    })
}

pub(crate) extern "C" fn executable_output_dimensions(
    args: *mut ExecutableOutputDimensionsArgs,
) -> Handle<Error> {
    enter("PJRT_Executable_OutputDimensions", args, |args| {
        let lists = args.executable.get()?.lists();
        args.num_outputs = lists.ranks.len();
        (args.dims, args.dim_sizes) = (lists.dims.as_ptr(), lists.ranks.as_ptr());
        Ok(())
    })
}

pub(crate) extern "C" fn executable_output_memory_kinds(
    args: *mut ExecutableOutputMemoryKindsArgs,
) -> Handle<Error> {
    enter("PJRT_Executable_OutputMemoryKinds", args, |args| {
        let kinds = &args.executable.get()?.lists().output_kinds;
        args.num_outputs = kinds.sizes.len();
        args.memory_kinds = kinds.starts.as_ptr();
        args.memory_kind_sizes = kinds.sizes.as_ptr();
        Ok(())
    })
}

pub(crate) extern "C" fn executable_parameter_memory_kinds(
    args: *mut ExecutableParameterMemoryKindsArgs,
) -> Handle<Error> {
    enter("PJRT_Executable_ParameterMemoryKinds", args, |args| {
        let kinds = &args.executable.get()?.lists().input_kinds;
        args.num_parameters = kinds.sizes.len();
        args.memory_kinds = kinds.starts.as_ptr();
        args.memory_kind_sizes = kinds.sizes.as_ptr();
        Ok(())
    })
}

pub(crate) extern "C" fn executable_fingerprint(
    args: *mut ExecutableFingerprintArgs,
) -> Handle<Error> {
    enter("PJRT_Executable_Fingerprint", args, |args| {
        (
            args.executable_fingerprint,
            args.executable_fingerprint_size,
        ) = parts(&args.executable.get()?.compiled.fingerprint);
        Ok(())
    })
}

pub(crate) extern "C" fn loaded_executable_destroy(
    args: *mut LoadedExecutableDestroyArgs,
) -> Handle<Error> {
    enter("PJRT_LoadedExecutable_Destroy", args, |args| {
        drop(args.executable.take());
        Ok(())
    })
}

pub(crate) extern "C" fn loaded_executable_get_executable(
    args: *mut LoadedExecutableGetExecutableArgs,
) -> Handle<Error> {
    enter("PJRT_LoadedExecutable_GetExecutable", args, |args| {
        let loaded = args.loaded_executable.get()?;
        args.executable = Executable::give(Arc::clone(&loaded.compiled));
        Ok(())
    })
}

pub(crate) extern "C" fn loaded_executable_addressable_devices(
    args: *mut LoadedExecutableAddressableDevicesArgs,
) -> Handle<Error> {
    enter("PJRT_LoadedExecutable_AddressableDevices", args, |args| {
        let devices = &args.executable.get()?.devices;
        (args.addressable_devices, args.num_addressable_devices) =
            (devices.as_ptr(), devices.len());
        Ok(())
    })
}

pub(crate) extern "C" fn loaded_executable_addressable_device_logical_ids(
    args: *mut LoadedExecutableAddressableDeviceLogicalIdsArgs,
) -> Handle<Error> {
    enter(
        "PJRT_LoadedExecutable_AddressableDeviceLogicalIds",
        args,
        |args| {
            let ids = &args.executable.get()?.logical;
            args.addressable_device_logical_ids = ids.as_ptr();
            args.num_addressable_device_logical_ids = ids.len();
            Ok(())
        },
    )
}

pub(crate) extern "C" fn loaded_executable_delete(
    args: *mut LoadedExecutableDeleteArgs,
) -> Handle<Error> {
    enter("PJRT_LoadedExecutable_Delete", args, |args| {
        args.executable.get()?.delete();
        Ok(())
    })
}

pub(crate) extern "C" fn loaded_executable_is_deleted(
    args: *mut LoadedExecutableIsDeletedArgs,
) -> Handle<Error> {
    enter("PJRT_LoadedExecutable_IsDeleted", args, |args| {
        args.is_deleted = args.executable.get()?.is_deleted().into();
        Ok(())
    })
}

pub(crate) extern "C" fn loaded_executable_fingerprint(
    args: *mut LoadedExecutableFingerprintArgs,
) -> Handle<Error> {
    enter("PJRT_LoadedExecutable_Fingerprint", args, |args| {
        (
            args.executable_fingerprint,
            args.executable_fingerprint_size,
        ) = parts(&args.executable.get()?.fingerprint);
        Ok(())
    })
}

pub(crate) extern "C" fn loaded_executable_get_device_assignment(
    args: *mut LoadedExecutableGetDeviceAssignmentArgs,
) -> Handle<Error> {
    enter("PJRT_LoadedExecutable_GetDeviceAssignment", args, |args| {
        (
            args.serialized_bytes,
            args.serialized_bytes_size,
            args.serialized_device_assignment,
            args.serialized_device_assignment_deleter,
        ) = give_bytes(args.executable.get()?.options.assignment());
        Ok(())
    })
}

pub(crate) extern "C" fn executable_serialize(args: *mut ExecutableSerializeArgs) -> Handle<Error> {
    enter("PJRT_Executable_Serialize", args, |args| {
        (
            args.serialized_bytes,
            args.serialized_bytes_size,
            args.serialized_executable,
            args.serialized_executable_deleter,
        ) = give_bytes(args.executable.get()?.serialized()?);
        Ok(())
    })
}

pub(crate) extern "C" fn executable_get_compile_options(
    args: *mut ExecutableGetCompileOptionsArgs,
) -> Handle<Error> {
    enter("PJRT_Executable_GetCompileOptions", args, |args| {
        (
            args.serialized_bytes,
            args.serialized_bytes_size,
            args.serialized_compile_options,
            args.serialized_compile_options_deleter,
        ) = give_bytes(args.executable.get()?.compiled.option_bytes.clone());
        Ok(())
    })
}

pub(crate) extern "C" fn executable_get_compiled_memory_stats(
    args: *mut ExecutableGetCompiledMemoryStatsArgs,
) -> Handle<Error> {
    enter("PJRT_Executable_GetCompiledMemoryStats", args, |args| {
        let compiled = &args.executable.get()?.compiled;
        let statistics = compiled.native.statistics();
        let (inputs, outputs) = (
            compiled.input_bytes() as i64,
            compiled.output_bytes() as i64,
        );
        let donations = compiled.native.donations().iter();
        let aliased: usize = donations
            .map(|(input, _)| compiled.inputs[*input].bytes)
            .sum();
        args.generated_code_size_in_bytes = statistics.object_bytes as i64;
        args.argument_size_in_bytes = inputs;
        args.output_size_in_bytes = outputs;
        args.alias_size_in_bytes = aliased as i64;
        args.temp_size_in_bytes = statistics.arena_bytes;
        args.peak_memory_in_bytes = inputs + outputs - aliased as i64 + statistics.arena_bytes;
        args.total_size_in_bytes = args.peak_memory_in_bytes + args.generated_code_size_in_bytes;
        args.total_allocation_bytes = args.peak_memory_in_bytes;
        Ok(())
    })
}

/// The client's program, compiled.
fn compiled(
    program: *const Program,
    options: (*const c_char, usize),
    threads: usize,
) -> Result<Arc<Compiled>> {
    let program = record(program).ok_or_else(|| Status::invalid("the program is null"))?;
    let format = text(program.format, program.format_size);
    let code = bytes(program.code, program.code_size);
    compile(code, &format, bytes(options.0, options.1), threads).map(Arc::new)
}

pub(crate) extern "C" fn client_compile(args: *mut ClientCompileArgs) -> Handle<Error> {
    enter("PJRT_Client_Compile", args, |args| {
        let shared = &args.client.get()?.shared;
        let options = (args.compile_options, args.compile_options_size);
        let compiled = compiled(args.program, options, shared.threads)?;
        let options = compiled.options.clone();
        args.executable = LoadedExecutable::give(compiled, shared, options)?;
        Ok(())
    })
}

pub(crate) extern "C" fn compile_for_topology(args: *mut CompileArgs) -> Handle<Error> {
    enter("PJRT_Compile", args, |args| {
        args.topology.get()?;
        let options = (args.compile_options, args.compile_options_size);
        args.executable = Executable::give(compiled(args.program, options, 0)?);
        Ok(())
    })
}

pub(crate) extern "C" fn client_load(args: *mut ClientLoadArgs) -> Handle<Error> {
    enter("PJRT_Client_Load", args, |args| {
        let shared = &args.client.get()?.shared;
        let compiled = Arc::clone(&args.executable.get()?.compiled);
        let options = match args.compile_options_size {
            0 => compiled.options.clone(),
            size => Options::read(bytes(args.compile_options, size))?,
        };
        args.loaded_executable = LoadedExecutable::give(compiled, shared, options)?;
        Ok(())
    })
}

pub(crate) extern "C" fn executable_deserialize_and_load(
    args: *mut ExecutableDeserializeAndLoadArgs,
) -> Handle<Error> {
    enter("PJRT_Executable_DeserializeAndLoad", args, |args| {
        let shared = &args.client.get()?.shared;
        let serialized = bytes(args.serialized_executable, args.serialized_executable_size);
        let options = bytes(
            args.overridden_serialized_compile_options,
            args.overridden_serialized_compile_options_size,
        );
        let compiled = Arc::new(deserialized(serialized, options, shared.threads)?);
        let options = compiled.options.clone();
        args.loaded_executable = LoadedExecutable::give(compiled, shared, options)?;
        Ok(())
    })
}

/// Of the program the form in which it came, or that of one device: what is made of it is machine
/// code.
pub(crate) extern "C" fn executable_optimized_program(
    args: *mut ExecutableOptimizedProgramArgs,
) -> Handle<Error> {
    enter("PJRT_Executable_OptimizedProgram", args, |args| {
        let compiled = &args.executable.get()?.compiled;
        let code = compiled.of_device.as_ref().unwrap_or(&compiled.program);
        let mut program =
            record(args.program).ok_or_else(|| Status::invalid("the program is null"))?;
        let room = (program.code, program.code_size);
        (program.format, program.format_size) = parts("mlir");
        program.code_size = code.len();
        if !room.0.is_null() {
            if room.1 < code.len() {
                let message = format!(
                    "the program has {} bytes; there is room for {}",
                    code.len(),
                    room.1
                );
                return Err(Status::invalid(message));
            }
            slice_mut(room.0.cast::<u8>(), code.len()).copy_from_slice(code);
        }
        update(args.program, &program);
        Ok(())
    })
}
