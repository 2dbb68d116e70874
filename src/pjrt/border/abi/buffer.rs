//! Buffers and their layouts.

use super::{
    plain::{BufferMemoryLayout, NamedValue},
    records,
};
use crate::{
    border::Handle,
    buffer::Buffer,
    client::{Client, Device, Memory},
    event::Event,
};
use std::ffi::{c_char, c_void};

records! {
    ClientBufferFromHostBufferArgs {
        client: Handle<Client> = 16, data: *const c_void = 24, kind: u32 = 32,
        dims: *const i64 = 40, num_dims: usize = 48, byte_strides: *const i64 = 56,
        num_byte_strides: usize = 64, host_buffer_semantics: u32 = 72, device: Handle<Device> = 80,
        memory: Handle<Memory> = 88, device_layout: *const BufferMemoryLayout = 96,
        done_with_host_buffer: Handle<Event> = 104, buffer: Handle<Buffer> = 112,
    }
    ClientCreateViewOfDeviceBufferArgs {
        client: Handle<Client> = 16, device_buffer_ptr: *const c_void = 24, dims: *const i64 = 32,
        num_dims: usize = 40, element_type: u32 = 48, layout: *const BufferMemoryLayout = 56,
        device: Handle<Device> = 64, on_delete_callback: *const c_void = 72,
        on_delete_callback_arg: *const c_void = 80, stream: isize = 88, buffer: Handle<Buffer> = 96,
        memory: Handle<Memory> = 104,
    }
    ClientCreateUninitializedBufferArgs {
        client: Handle<Client> = 16, shape_dims: *const i64 = 24, shape_num_dims: usize = 32,
        shape_element_type: u32 = 40, shape_layout: *const BufferMemoryLayout = 48,
        device: Handle<Device> = 56, memory: Handle<Memory> = 64, buffer: Handle<Buffer> = 72,
    }
    ClientCreateErrorBufferArgs {
        client: Handle<Client> = 16, error_code: i32 = 24, error_message: *const c_char = 32,
        error_message_size: usize = 40, shape_dims: *const i64 = 48, shape_num_dims: usize = 56,
        shape_element_type: u32 = 64, shape_layout: *const BufferMemoryLayout = 72,
        memory: Handle<Memory> = 80, buffer: Handle<Buffer> = 88, payload: *const NamedValue = 96,
        num_payload: usize = 104,
    }
    BufferDestroyArgs { buffer: Handle<Buffer> = 16 }
    BufferElementTypeArgs { buffer: Handle<Buffer> = 16, kind: u32 = 24 }
    BufferDimensionsArgs {
        buffer: Handle<Buffer> = 16, dims: *const i64 = 24, num_dims: usize = 32,
    }
    BufferUnpaddedDimensionsArgs {
        buffer: Handle<Buffer> = 16, unpadded_dims: *const i64 = 24, num_dims: usize = 32,
    }
    BufferDynamicDimensionIndicesArgs {
        buffer: Handle<Buffer> = 16, dynamic_dim_indices: *const usize = 24,
        num_dynamic_dims: usize = 32,
    }
    BufferGetMemoryLayoutArgs { buffer: Handle<Buffer> = 16, layout: BufferMemoryLayout = 24 }
    BufferToHostBufferArgs {
        src: Handle<Buffer> = 16, host_layout: *const BufferMemoryLayout = 24,
        dst: *const c_void = 32, dst_size: usize = 40, event: Handle<Event> = 48,
    }
    BufferOnDeviceSizeInBytesArgs {
        buffer: Handle<Buffer> = 16, on_device_size_in_bytes: usize = 24,
    }
    BufferDeleteArgs { buffer: Handle<Buffer> = 16 }
    BufferIsDeletedArgs { buffer: Handle<Buffer> = 16, is_deleted: u8 = 24 }
    BufferCopyRawToHostArgs {
        buffer: Handle<Buffer> = 16, dst: *const c_void = 24, offset: i64 = 32,
        transfer_size: i64 = 40, event: Handle<Event> = 48,
    }
    BufferCopyToDeviceArgs {
        buffer: Handle<Buffer> = 16, dst_device: Handle<Device> = 24,
        dst_buffer: Handle<Buffer> = 32,
    }
    BufferCopyToMemoryArgs {
        buffer: Handle<Buffer> = 16, dst_memory: Handle<Memory> = 24,
        dst_buffer: Handle<Buffer> = 32,
    }
    BufferIsOnCpuArgs { buffer: Handle<Buffer> = 16, is_on_cpu: u8 = 24 }
    BufferDeviceArgs { buffer: Handle<Buffer> = 16, device: Handle<Device> = 24 }
    BufferMemoryArgs { buffer: Handle<Buffer> = 16, memory: Handle<Memory> = 24 }
    BufferReadyEventArgs { buffer: Handle<Buffer> = 16, event: Handle<Event> = 24 }
    BufferUnsafePointerArgs { buffer: Handle<Buffer> = 16, buffer_pointer: usize = 24 }
    BufferIncreaseExternalReferenceCountArgs { buffer: Handle<Buffer> = 16 }
    BufferDecreaseExternalReferenceCountArgs { buffer: Handle<Buffer> = 16 }
    BufferOpaqueDeviceMemoryDataPointerArgs {
        buffer: Handle<Buffer> = 16, device_memory_ptr: *const c_void = 24,
    }
}
