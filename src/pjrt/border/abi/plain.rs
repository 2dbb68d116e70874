//! Records without objects of ours in them.

use super::records;
use std::ffi::{c_char, c_void};

records! {
    NamedValue {
        name: *const c_char = 16, name_size: usize = 24, kind: u32 = 32, value: i64 = 40,
        value_size: usize = 48,
    }
    BufferMemoryLayout {
        inner_size: usize = 16, inner_extension: *const c_void = 24, first: *const i64 = 32,
        first_size: usize = 40, tile_dims: *const i64 = 48, tile_dim_sizes: *const usize = 56, num_tiles: usize = 64, kind: u32 = 72,
    }
    Program {
        code: *const c_char = 16, code_size: usize = 24, format: *const c_char = 32,
        format_size: usize = 40,
    }
    bare LogicalDeviceIds { replica: i32 = 0, partition: i32 = 4 }
}
