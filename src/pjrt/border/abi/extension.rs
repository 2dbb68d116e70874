//! Extensions: layouts, shardings, foreign functions.

use super::records;
use crate::{
    border::Handle, buffer::Buffer, client::Client, executable::Executable,
    foreign::ExecuteContext, layout::Layout, topology::TopologyDescription,
};
use std::ffi::{c_char, c_void};

records! {
    LayoutsMemoryLayoutDestroyArgs { layout: Handle<Layout> = 16 }
    LayoutsMemoryLayoutSerializeArgs {
        layout: Handle<Layout> = 16, serialized_bytes: *const c_char = 24,
        serialized_bytes_size: usize = 32, serialized_layout: *const c_void = 40,
        serialized_layout_deleter: *const c_void = 48,
    }
    LayoutsBufferMemoryLayoutArgs { buffer: Handle<Buffer> = 16, layout: Handle<Layout> = 24 }
    LayoutsClientGetDefaultLayoutArgs {
        client: Handle<Client> = 16, kind: u32 = 24, dims: *const i64 = 32, num_dims: usize = 40,
        layout: Handle<Layout> = 48,
    }
    LayoutsTopologyGetDefaultLayoutArgs {
        topology_description: Handle<TopologyDescription> = 16, kind: u32 = 24,
        dims: *const i64 = 32, num_dims: usize = 40, layout: Handle<Layout> = 48,
    }
    LayoutsExecutableGetOutputLayoutsArgs {
        executable: Handle<Executable> = 16, num_outputs: usize = 24, layouts: *const Handle<Layout> = 32,
    }
    LayoutsExecutableGetParameterLayoutsArgs {
        executable: Handle<Executable> = 16, num_parameters: usize = 24,
        layouts: *const Handle<Layout> = 32,
    }
    ShardingsExecutableOutputShardingsArgs {
        executable: Handle<Executable> = 16, num_outputs: usize = 24, shardings: *const *const c_char = 32,
        sharding_sizes: *const usize = 40,
    }
    ShardingsExecutableParameterShardingsArgs {
        executable: Handle<Executable> = 16, num_parameters: usize = 24,
        shardings: *const *const c_char = 32, sharding_sizes: *const usize = 40,
    }
    short ForeignRegisterHandlerArgs {
        target_name: *const c_char = 8, target_name_size: usize = 16, handler: *const c_void = 24,
        platform_name: *const c_char = 32, platform_name_size: usize = 40, traits: u32 = 48,
    }
    ForeignTypeRegisterArgs {
        type_name: *const c_char = 16, type_name_size: usize = 24, type_id: i64 = 32,
        type_info: *const c_void = 40,
    }
    ForeignUserDataAddArgs {
        context: Handle<ExecuteContext> = 16, type_id: i64 = 24, data: *const c_void = 32,
    }
}
