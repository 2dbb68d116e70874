//! The extension for layouts: elements lie row by row, always.

use crate::{
    border::{
        Error, Handle,
        abi::extension::{
            LayoutsBufferMemoryLayoutArgs, LayoutsClientGetDefaultLayoutArgs,
            LayoutsExecutableGetOutputLayoutsArgs, LayoutsExecutableGetParameterLayoutsArgs,
            LayoutsMemoryLayoutDestroyArgs, LayoutsMemoryLayoutSerializeArgs,
            LayoutsTopologyGetDefaultLayoutArgs,
        },
        enter, give_bytes,
    },
    layout::Layout,
};

pub(crate) extern "C" fn layout_destroy(
    args: *mut LayoutsMemoryLayoutDestroyArgs,
) -> Handle<Error> {
    enter("PJRT_Layouts_MemoryLayout_Destroy", args, |args| {
        // Those of an executable are the executable's.
        if args.layout.get()?.is_given {
            drop(args.layout.take());
        }
        Ok(())
    })
}

pub(crate) extern "C" fn layout_serialize(
    args: *mut LayoutsMemoryLayoutSerializeArgs,
) -> Handle<Error> {
    enter("PJRT_Layouts_MemoryLayout_Serialize", args, |args| {
        (
            args.serialized_bytes,
            args.serialized_bytes_size,
            args.serialized_layout,
            args.serialized_layout_deleter,
        ) = give_bytes(args.layout.get()?.text.clone().into_bytes());
        Ok(())
    })
}

pub(crate) extern "C" fn client_default_layout(
    args: *mut LayoutsClientGetDefaultLayoutArgs,
) -> Handle<Error> {
    enter("PJRT_Layouts_Client_GetDefaultLayout", args, |args| {
        args.layout = Handle::give(Layout::rows(args.num_dims, true));
        Ok(())
    })
}

pub(crate) extern "C" fn topology_default_layout(
    args: *mut LayoutsTopologyGetDefaultLayoutArgs,
) -> Handle<Error> {
    enter("PJRT_Layouts_Topology_GetDefaultLayout", args, |args| {
        args.layout = Handle::give(Layout::rows(args.num_dims, true));
        Ok(())
    })
}

pub(crate) extern "C" fn buffer_layout(args: *mut LayoutsBufferMemoryLayoutArgs) -> Handle<Error> {
    enter("PJRT_Layouts_Buffer_MemoryLayout", args, |args| {
        let rank = args.buffer.get()?.shape.dims.len();
        args.layout = Handle::give(Layout::rows(rank, true));
        Ok(())
    })
}

pub(crate) extern "C" fn output_layouts(
    args: *mut LayoutsExecutableGetOutputLayoutsArgs,
) -> Handle<Error> {
    enter("PJRT_Layouts_Executable_GetOutputLayouts", args, |args| {
        let layouts = &args.executable.get()?.lists().output_layouts;
        (args.layouts, args.num_outputs) = (layouts.handles.as_ptr(), layouts.handles.len());
        Ok(())
    })
}

pub(crate) extern "C" fn parameter_layouts(
    args: *mut LayoutsExecutableGetParameterLayoutsArgs,
) -> Handle<Error> {
    enter(
        "PJRT_Layouts_Executable_GetParameterLayouts",
        args,
        |args| {
            let layouts = &args.executable.get()?.lists().input_layouts;
            (args.layouts, args.num_parameters) = (layouts.handles.as_ptr(), layouts.handles.len());
            Ok(())
        },
    )
}
