//! Functions on wide vectors get a stack that is aligned for them.
//!
//! LLVM decides before it allocates registers whether a function aligns its stack, so vectors that
//! are spilled lie where the caller's 16-byte alignment happens to put them (X86
//! `canRealignStack`). A slot that crosses two cache lines costs a cycle or two, one that crosses
//! two pages some thirty, in every round of the loop: on an AVX2 machine a GELU of 4096x1024 ran
//! three times slower on the one thread whose stack lay so. Asked for beforehand, the alignment
//! costs three instructions a call.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::targets::TargetData;
use inkwell::types::AnyTypeEnum;
use inkwell::values::{AnyValue, FunctionValue};

/// A cache line and the widest vector, in bytes.
const ALIGNMENT: u64 = 64;

/// Alignment of the stack by the calling convention of x86-64, in bits.
const BITS_OF_CALLS: u64 = 128;

/// Aligns the stack of every function of an x86-64 module that has vectors wider than the stack is
/// aligned for anyway.
pub(crate) fn align(module: &Module<'_>, context: &Context, data: &TargetData) {
    if !module
        .get_triple()
        .as_str()
        .to_bytes()
        .starts_with(b"x86_64")
    {
        return;
    }
    let kind = Attribute::get_named_enum_kind_id("alignstack");
    let attribute = context.create_enum_attribute(kind, ALIGNMENT);
    for function in module.get_functions().filter(|f| has_wide_vectors(f, data)) {
        function.add_attribute(AttributeLoc::Function, attribute);
    }
}

fn has_wide_vectors(function: &FunctionValue<'_>, data: &TargetData) -> bool {
    let is_wide = |ty: AnyTypeEnum<'_>| {
        matches!(ty, AnyTypeEnum::VectorType(_)) && data.get_bit_size(&ty) > BITS_OF_CALLS
    };
    function.get_basic_block_iter().any(|block| {
        block
            .get_instructions()
            .any(|i| is_wide(i.as_any_value_enum().get_type()))
    })
}
