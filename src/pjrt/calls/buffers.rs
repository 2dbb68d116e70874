//! What is asked of buffers.

use crate::{
    border::{
        Error, Handle,
        abi::buffer::{
            BufferDecreaseExternalReferenceCountArgs, BufferDeleteArgs, BufferDestroyArgs,
            BufferDeviceArgs, BufferDimensionsArgs, BufferDynamicDimensionIndicesArgs,
            BufferElementTypeArgs, BufferGetMemoryLayoutArgs,
            BufferIncreaseExternalReferenceCountArgs, BufferIsDeletedArgs, BufferIsOnCpuArgs,
            BufferMemoryArgs, BufferOnDeviceSizeInBytesArgs,
            BufferOpaqueDeviceMemoryDataPointerArgs, BufferReadyEventArgs,
            BufferUnpaddedDimensionsArgs, BufferUnsafePointerArgs,
        },
        enter,
    },
    event::Event,
};
use std::sync::Arc;

pub(crate) extern "C" fn buffer_destroy(args: *mut BufferDestroyArgs) -> Handle<Error> {
    enter("PJRT_Buffer_Destroy", args, |args| {
        drop(args.buffer.take());
        Ok(())
    })
}

pub(crate) extern "C" fn buffer_element_type(args: *mut BufferElementTypeArgs) -> Handle<Error> {
    enter("PJRT_Buffer_ElementType", args, |args| {
        args.kind = args.buffer.get()?.shape.element.code;
        Ok(())
    })
}

pub(crate) extern "C" fn buffer_dimensions(args: *mut BufferDimensionsArgs) -> Handle<Error> {
    enter("PJRT_Buffer_Dimensions", args, |args| {
        let dims = &args.buffer.get()?.shape.dims;
        (args.dims, args.num_dims) = (dims.as_ptr(), dims.len());
        Ok(())
    })
}

pub(crate) extern "C" fn buffer_unpadded_dimensions(
    args: *mut BufferUnpaddedDimensionsArgs,
) -> Handle<Error> {
    enter("PJRT_Buffer_UnpaddedDimensions", args, |args| {
        let dims = &args.buffer.get()?.actual_shape()?.dims;
        (args.unpadded_dims, args.num_dims) = (dims.as_ptr(), dims.len());
        Ok(())
    })
}

pub(crate) extern "C" fn buffer_dynamic_dimension_indices(
    args: *mut BufferDynamicDimensionIndicesArgs,
) -> Handle<Error> {
    enter("PJRT_Buffer_DynamicDimensionIndices", args, |args| {
        let bounded = &args.buffer.get()?.shape.bounded;
        (args.dynamic_dim_indices, args.num_dynamic_dims) = (bounded.as_ptr(), bounded.len());
        Ok(())
    })
}

pub(crate) extern "C" fn buffer_get_memory_layout(
    args: *mut BufferGetMemoryLayoutArgs,
) -> Handle<Error> {
    enter("PJRT_Buffer_GetMemoryLayout", args, |args| {
        args.layout = args.buffer.get()?.shape.layout();
        Ok(())
    })
}

pub(crate) extern "C" fn buffer_on_device_size_in_bytes(
    args: *mut BufferOnDeviceSizeInBytesArgs,
) -> Handle<Error> {
    enter("PJRT_Buffer_OnDeviceSizeInBytes", args, |args| {
        args.on_device_size_in_bytes = args.buffer.get()?.shape.bytes;
        Ok(())
    })
}

pub(crate) extern "C" fn buffer_delete(args: *mut BufferDeleteArgs) -> Handle<Error> {
    enter("PJRT_Buffer_Delete", args, |args| {
        args.buffer.get()?.delete();
        Ok(())
    })
}

pub(crate) extern "C" fn buffer_is_deleted(args: *mut BufferIsDeletedArgs) -> Handle<Error> {
    enter("PJRT_Buffer_IsDeleted", args, |args| {
        args.is_deleted = args.buffer.get()?.is_deleted().into();
        Ok(())
    })
}

pub(crate) extern "C" fn buffer_is_on_cpu(args: *mut BufferIsOnCpuArgs) -> Handle<Error> {
    enter("PJRT_Buffer_IsOnCpu", args, |args| {
        args.is_on_cpu = 1;
        Ok(())
    })
}

pub(crate) extern "C" fn buffer_device(args: *mut BufferDeviceArgs) -> Handle<Error> {
    enter("PJRT_Buffer_Device", args, |args| {
        let buffer = args.buffer.get()?;
        args.device = buffer.shared.devices()[buffer.device()];
        Ok(())
    })
}

pub(crate) extern "C" fn buffer_memory(args: *mut BufferMemoryArgs) -> Handle<Error> {
    enter("PJRT_Buffer_Memory", args, |args| {
        let buffer = args.buffer.get()?;
        args.memory = buffer.shared.memory(buffer.place);
        Ok(())
    })
}

pub(crate) extern "C" fn buffer_ready_event(args: *mut BufferReadyEventArgs) -> Handle<Error> {
    enter("PJRT_Buffer_ReadyEvent", args, |args| {
        args.event = Event::give(Arc::clone(&args.buffer.get()?.ready));
        Ok(())
    })
}

pub(crate) extern "C" fn buffer_pointer(args: *mut BufferUnsafePointerArgs) -> Handle<Error> {
    enter("PJRT_Buffer_UnsafePointer", args, |args| {
        args.buffer_pointer = args.buffer.get()?.address()?.expose_provenance();
        Ok(())
    })
}

pub(crate) extern "C" fn buffer_increase_external_reference_count(
    args: *mut BufferIncreaseExternalReferenceCountArgs,
) -> Handle<Error> {
    enter("PJRT_Buffer_IncreaseExternalReferenceCount", args, |args| {
        args.buffer.get()?.hold()?;
        Ok(())
    })
}

pub(crate) extern "C" fn buffer_decrease_external_reference_count(
    args: *mut BufferDecreaseExternalReferenceCountArgs,
) -> Handle<Error> {
    enter("PJRT_Buffer_DecreaseExternalReferenceCount", args, |args| {
        args.buffer.get()?.release()?;
        Ok(())
    })
}

pub(crate) extern "C" fn buffer_opaque_device_memory_data_pointer(
    args: *mut BufferOpaqueDeviceMemoryDataPointerArgs,
) -> Handle<Error> {
    enter("PJRT_Buffer_OpaqueDeviceMemoryDataPointer", args, |args| {
        args.device_memory_ptr = args.buffer.get()?.address()?;
        Ok(())
    })
}
