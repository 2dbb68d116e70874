//! Functions of a module in the LLVM dialect, run by upstream's execution engine.

use mapwright_interpret::Tensor;
use mapwright_mlir::{
    ElementType, TensorType,
    melior::{ExecutionEngine, ir::Module},
};
use std::path::PathBuf;

/// Upstream's passes from tensors to the LLVM dialect.
pub const TO_LLVM: &str = "builtin.module(\
    one-shot-bufferize{bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map \
    allow-return-allocs-from-loops=true},\
    convert-linalg-to-loops,memref-expand,expand-strided-metadata,lower-affine,convert-vector-to-scf,convert-scf-to-cf,\
    convert-vector-to-llvm,convert-to-llvm,reconcile-unrealized-casts)";

/// Upstream's passes that make stored integers of the quantized types of functions, whose tensors
/// have no buffers.
pub const WITHOUT_QUANTIZED: &str = "builtin.module(strip-func-quant-types,canonicalize)";

/// Machine code of a module.
pub struct Engine(ExecutionEngine);

impl Engine {
    /// Compiles `module`, which is in the LLVM dialect.
    pub fn new(module: &Module<'_>) -> Self {
        let prefix = std::env::var("MLIR_SYS_220_PREFIX").unwrap_or("/usr/lib/llvm-22".into());
        let utils = PathBuf::from(prefix).join("lib/libmlir_c_runner_utils.so");
        // It is read up to a zero byte.
        let utils = format!("{}\0", utils.display());
        let engine = ExecutionEngine::new(module, 0, &[&utils], false, false);
        for (name, address) in mapwright_runtime::ffi::symbols() {
            // SAFETY: functions of this process.
            unsafe { engine.register_symbol(name, address as *mut ()) };
        }
        Self(engine)
    }

    /// The results, of these types, of function `name`, which takes nothing and has a C interface.
    pub fn run(&self, name: &str, types: &[TensorType]) -> Vec<Tensor> {
        // Of each result two addresses, an offset, and a size and a stride a dimension.
        let words: usize = types.iter().map(|ty| 3 + 2 * ty.rank()).sum();
        let mut descriptors = vec![0_i64; words];
        let mut address = descriptors.as_mut_ptr();
        let mut arguments = vec![(&raw mut address).cast::<()>()];
        if types.is_empty() {
            arguments.clear();
        }
        // SAFETY: the interface of functions that give memrefs back: one pointer to their
        // descriptors.
        unsafe {
            self.0.invoke_packed(name, &mut arguments).expect(name);
        }
        let mut at = 0;
        types
            .iter()
            .map(|ty| {
                let descriptor = &descriptors[at..at + 3 + 2 * ty.rank()];
                at += descriptor.len();
                // SAFETY: the function made the descriptor, and nothing has freed the memory.
                unsafe { read(ty, descriptor) }
            })
            .collect()
    }
}

/// Bytes of an element in memory, each part of a complex number by itself.
fn width(element: &ElementType) -> usize {
    match element {
        ElementType::Complex(kind) => 2 * (kind.width() as usize / 8),
        other => (other.bit_width().unwrap() as usize)
            .div_ceil(8)
            .next_power_of_two(),
    }
}

/// # Safety
/// `descriptor` describes memory with the elements of a tensor of type `ty`.
unsafe fn read(ty: &TensorType, descriptor: &[i64]) -> Tensor {
    let rank = ty.rank();
    let (sizes, strides) = descriptor[3..].split_at(rank);
    for (size, dim) in sizes.iter().zip(&ty.dims) {
        assert!(dim.fixed().is_none_or(|n| n == *size), "{sizes:?} of {ty}");
    }
    let width = width(&ty.element);
    let count: i64 = sizes.iter().product();
    let mut bytes = Vec::new();
    for linear in 0..count {
        let (mut rest, mut at) = (linear, descriptor[2]);
        for k in (0..rank).rev() {
            at += rest % sizes[k] * strides[k];
            rest /= sizes[k];
        }
        let first = descriptor[1] as *const u8;
        // SAFETY: within the memory that the descriptor describes.
        bytes.extend(unsafe {
            std::slice::from_raw_parts(first.offset(at as isize * width as isize), width)
        });
    }
    Tensor::from_bytes(&ty.element, sizes, &bytes).unwrap()
}
