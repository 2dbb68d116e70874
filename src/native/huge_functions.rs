//! Huge functions that launch kernels are translated to machine code as they are.
//!
//! A program of tens of thousands of operations is one function that launches as many kernels. LLVM sinks addresses into the blocks that use
//! them, and looks at all uses of an address for each of them (`CodeGenPrepare`), which takes time with the square of the number of
//! launches; what it would win is nothing beside a launch.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::{context::Context, module::Module};

/// The most instructions of a function that is optimised while it becomes machine code.
const MOST: usize = 50_000;

/// Asks LLVM to leave the functions of `module` that are longer.
pub(crate) fn leave(module: &Module<'_>, context: &Context) {
    for function in module.get_functions() {
        let blocks = function.get_basic_block_iter();
        let counted = blocks.flat_map(|block| block.get_instructions()).take(MOST);
        if counted.count() < MOST {
            continue;
        }
        // The second attribute may only stand beside the first one.
        for name in ["noinline", "optnone"] {
            let kind = Attribute::get_named_enum_kind_id(name);
            function.add_attribute(
                AttributeLoc::Function,
                context.create_enum_attribute(kind, 0),
            );
        }
    }
}
