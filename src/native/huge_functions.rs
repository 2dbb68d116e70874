//! Huge functions that launch kernels are translated to machine code as they are.
//!
//! A program of tens of thousands of operations is one function that launches as many kernels. LLVM
//! sinks addresses into the blocks that use them, and looks at all uses of an address for each of
//! them (`CodeGenPrepare`), which takes time with the square of the number of launches; what it
//! would win is nothing beside a launch.

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

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds `count` times, the return not counted.
    fn define<'c>(context: &'c Context, module: &Module<'c>, name: &str, count: usize) {
        let number = context.i64_type();
        let function = module.add_function(name, number.fn_type(&[number.into()], false), None);
        let builder = context.create_builder();
        builder.position_at_end(context.append_basic_block(function, "entry"));
        let argument = function
            .get_nth_param(0)
            .map(|value| value.into_int_value());
        let mut sum = argument.unwrap_or_else(|| number.const_zero());
        for _ in 0..count {
            sum = builder
                .build_int_add(sum, sum, "")
                .unwrap_or_else(|why| panic!("{why}"));
        }
        builder
            .build_return(Some(&sum))
            .unwrap_or_else(|why| panic!("{why}"));
    }

    #[test]
    fn only_huge_functions_are_left() {
        let context = Context::create();
        let module = context.create_module("test");
        define(&context, &module, "short", MOST - 2);
        define(&context, &module, "huge", MOST - 1);
        leave(&module, &context);
        let kind = Attribute::get_named_enum_kind_id("optnone");
        for (name, left) in [("short", false), ("huge", true)] {
            let function = module
                .get_function(name)
                .unwrap_or_else(|| panic!("{name}"));
            let found = function.get_enum_attribute(AttributeLoc::Function, kind);
            assert_eq!(found.is_some(), left, "{name}");
        }
        assert!(module.verify().is_ok());
    }
}
