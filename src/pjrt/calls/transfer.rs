//! Between the host and devices.

use crate::{
    border::{
        Error, Handle,
        abi::buffer::{
            BufferCopyRawToHostArgs, BufferCopyToDeviceArgs, BufferCopyToMemoryArgs,
            BufferToHostBufferArgs, ClientBufferFromHostBufferArgs, ClientCreateErrorBufferArgs,
            ClientCreateUninitializedBufferArgs, ClientCreateViewOfDeviceBufferArgs,
        },
        block::Block,
        callbacks::{Token, when_deleted},
        enter, slice, text,
    },
    buffer::Buffer,
    client::{KINDS, Shared},
    element::Element,
    event::{Event, Ready},
    layout::Shape,
    status::{Result, Status},
};
use std::sync::Arc;

/// `PJRT_HostBufferSemantics` of arrays that stay as they are while the buffer lives.
const IMMUTABLE_ZERO_COPY: u32 = 2;

/// As above, where programs may write to the array.
const MUTABLE_ZERO_COPY: u32 = 3;

/// A buffer that is ready.
fn ready_buffer(
    shared: &Arc<Shared>,
    place: usize,
    shape: Arc<Shape>,
    block: Arc<Block>,
) -> Handle<Buffer> {
    Handle::give(Buffer::new(
        Arc::clone(shared),
        place,
        shape,
        block,
        Ready::done(),
    ))
}

pub(crate) extern "C" fn client_buffer_from_host_buffer(
    args: *mut ClientBufferFromHostBufferArgs,
) -> Handle<Error> {
    enter("PJRT_Client_BufferFromHostBuffer", args, |args| {
        let shared = &args.client.get()?.shared;
        let place = shared.place(args.memory, args.device)?;
        let dims = slice(args.dims, args.num_dims);
        let shape = Shape::new(Element::from_code(args.kind)?, dims)?;
        if args.data.is_null() && shape.bytes > 0 {
            return Err(Status::invalid("the data of the host buffer are null"));
        }
        let strides = match args.num_byte_strides {
            0 => shape.strides(),
            n if n == args.num_dims => slice(args.byte_strides, n).to_vec(),
            n => {
                let message = format!("{n} strides for a buffer of {} axes", args.num_dims);
                return Err(Status::invalid(message));
            }
        };
        let may_alias = matches!(
            args.host_buffer_semantics,
            IMMUTABLE_ZERO_COPY | MUTABLE_ZERO_COPY
        );
        let as_is = shape.is_dense(&strides) && shape.element.few_bits().is_none();
        let (block, done) = if may_alias && as_is && shape.bytes > 0 {
            let released = Ready::pending();
            let own = Arc::clone(&released);
            match Block::foreign(args.data, shape.bytes, move || own.set(Ok(()))) {
                Ok(block) => (block, released),
                Err(_) => (copied(shared, args.data, &shape, &strides)?, Ready::done()),
            }
        } else {
            (copied(shared, args.data, &shape, &strides)?, Ready::done())
        };
        args.done_with_host_buffer = Event::give(done);
        args.buffer = ready_buffer(shared, place, shape, block);
        Ok(())
    })
}

/// A copy of an array of the host's.
fn copied(
    shared: &Shared,
    data: *const std::ffi::c_void,
    shape: &Shape,
    strides: &[i64],
) -> Result<Arc<Block>> {
    let block = Block::allocate(&shared.pool, shape.bytes)?;
    block.fill(data, shape, strides);
    Ok(block)
}

pub(crate) extern "C" fn client_create_view_of_device_buffer(
    args: *mut ClientCreateViewOfDeviceBufferArgs,
) -> Handle<Error> {
    enter("PJRT_Client_CreateViewOfDeviceBuffer", args, |args| {
        let shared = &args.client.get()?.shared;
        let place = shared.place(args.memory, args.device)?;
        let dims = slice(args.dims, args.num_dims);
        let shape = Shape::new(Element::from_code(args.element_type)?, dims)?;
        let strides = shape.host_strides(args.layout)?;
        let data = args.device_buffer_ptr;
        let done = when_deleted(args.on_delete_callback, data, args.on_delete_callback_arg);
        let as_is = shape.is_dense(&strides) && shape.element.few_bits().is_none();
        let refused = if as_is && shape.bytes > 0 {
            Block::foreign(data, shape.bytes, done)
                .map_err(|done| -> Box<dyn FnOnce()> { Box::new(done) })
        } else {
            Err(Box::new(done) as Box<dyn FnOnce()>)
        };
        let block = match refused {
            Ok(block) => block,
            Err(done) => {
                let block = copied(shared, data, &shape, &strides)?;
                done();
                block
            }
        };
        args.buffer = ready_buffer(shared, place, shape, block);
        Ok(())
    })
}

pub(crate) extern "C" fn client_create_uninitialized_buffer(
    args: *mut ClientCreateUninitializedBufferArgs,
) -> Handle<Error> {
    enter("PJRT_Client_CreateUninitializedBuffer", args, |args| {
        let shared = &args.client.get()?.shared;
        let place = shared.place(args.memory, args.device)?;
        let dims = slice(args.shape_dims, args.shape_num_dims);
        let shape = Shape::new(Element::from_code(args.shape_element_type)?, dims)?;
        let block = Block::allocate(&shared.pool, shape.bytes)?;
        block.clear();
        args.buffer = ready_buffer(shared, place, shape, block);
        Ok(())
    })
}

pub(crate) extern "C" fn client_create_error_buffer(
    args: *mut ClientCreateErrorBufferArgs,
) -> Handle<Error> {
    enter("PJRT_Client_CreateErrorBuffer", args, |args| {
        let shared = &args.client.get()?.shared;
        let place = args.memory.get()?.id;
        let dims = slice(args.shape_dims, args.shape_num_dims);
        let shape = Shape::new(Element::from_code(args.shape_element_type)?, dims)?;
        let block = Block::allocate(&shared.pool, shape.bytes)?;
        let failed = Status::foreign(
            args.error_code,
            text(args.error_message, args.error_message_size),
        );
        args.buffer = Handle::give(Buffer::new(
            Arc::clone(shared),
            place,
            shape,
            block,
            Ready::with(Err(failed)),
        ));
        Ok(())
    })
}

pub(crate) extern "C" fn buffer_to_host_buffer(args: *mut BufferToHostBufferArgs) -> Handle<Error> {
    enter("PJRT_Buffer_ToHostBuffer", args, |args| {
        let buffer = args.src.get()?;
        let shape = Arc::clone(buffer.actual_shape()?);
        if args.dst.is_null() {
            args.dst_size = shape.bytes;
            return Ok(());
        }
        if args.dst_size < shape.bytes {
            return Err(Status::invalid(format!(
                "the buffer has {} bytes; there is room for {}",
                shape.bytes, args.dst_size
            )));
        }
        let strides = shape.host_strides(args.host_layout)?;
        let (source, target) = (buffer.read()?, Token(args.dst));
        let done = buffer.then(move || {
            let whole = target;
            source.block().unload(whole.0.cast_mut(), &shape, &strides);
        });
        args.event = Event::give(done);
        Ok(())
    })
}

pub(crate) extern "C" fn buffer_copy_raw_to_host(
    args: *mut BufferCopyRawToHostArgs,
) -> Handle<Error> {
    enter("PJRT_Buffer_CopyRawToHost", args, |args| {
        let buffer = args.buffer.get()?;
        let range = usize::try_from(args.offset)
            .ok()
            .zip(usize::try_from(args.transfer_size).ok());
        let fits = |(offset, count): &(usize, usize)| {
            offset
                .checked_add(*count)
                .is_some_and(|end| end <= buffer.shape.bytes)
        };
        let (offset, count) = range.filter(fits).ok_or_else(|| {
            Status::invalid(format!(
                "{} bytes from byte {} on do not lie in a buffer of {} bytes",
                args.transfer_size, args.offset, buffer.shape.bytes
            ))
        })?;
        let (source, target) = (buffer.read()?, Token(args.dst));
        args.event = Event::give(buffer.then(move || {
            let whole = target;
            source.block().unload_raw(whole.0.cast_mut(), offset, count);
        }));
        Ok(())
    })
}

pub(crate) extern "C" fn buffer_copy_to_memory(args: *mut BufferCopyToMemoryArgs) -> Handle<Error> {
    enter("PJRT_Buffer_CopyToMemory", args, |args| {
        let place = args.dst_memory.get()?.id;
        args.dst_buffer = args.buffer.get()?.copy_to(place)?;
        Ok(())
    })
}

pub(crate) extern "C" fn buffer_copy_to_device(args: *mut BufferCopyToDeviceArgs) -> Handle<Error> {
    enter("PJRT_Buffer_CopyToDevice", args, |args| {
        let place = args.dst_device.get()?.index * KINDS.len();
        args.dst_buffer = args.buffer.get()?.copy_to(place)?;
        Ok(())
    })
}
