//! A masked store of a single lane becomes a store of that element.
//!
//! LLVM 22 folds a truncation of the lanes into a masked store, and makes a scalar store of one
//! with a single lane afterwards, of the element as it was before the truncation: what lies behind
//! it in memory is overwritten (X86 `reduceMaskedStoreToScalarStore`). Which masks are constants
//! with one lane shows after optimisation only.

use crate::{Error, Result};
use inkwell::builder::Builder;
use inkwell::module::Module;
use inkwell::values::{
    AnyValue, BasicValueEnum, CallSiteValue, InstructionOpcode, InstructionValue,
};

/// The only lane that a constant mask (its text) turns on.
fn single_lane(mask: &str) -> Option<u64> {
    let lanes = mask.split_once('<')?.1.split_once('<')?.1;
    let mut on = (0u64..)
        .zip(lanes.trim_end_matches('>').split(','))
        .filter(|(_, lane)| lane.trim() == "i1 true")
        .map(|(lane, _)| lane);
    match (on.next(), on.next()) {
        (Some(lane), None) => Some(lane),
        _ => None,
    }
}

/// Replaces them in all functions.
///
/// # Errors
/// None that a program can cause.
pub(crate) fn replace(module: &Module<'_>) -> Result<()> {
    let mut found = Vec::new();
    for function in module.get_functions() {
        for block in function.get_basic_blocks() {
            found.extend(block.get_instructions().filter(is_masked_store));
        }
    }
    for store in found {
        replace_one(module, store).map_err(|e| Error::Native(e.to_string()))?;
    }
    Ok(())
}

fn is_masked_store(instruction: &InstructionValue<'_>) -> bool {
    instruction.get_opcode() == InstructionOpcode::Call
        && CallSiteValue::try_from(*instruction)
            .ok()
            .and_then(CallSiteValue::get_called_fn_value)
            .is_some_and(|f| f.get_name().to_bytes().starts_with(b"llvm.masked.store."))
}

fn replace_one<'m>(
    module: &Module<'m>,
    store: InstructionValue<'m>,
) -> std::result::Result<(), inkwell::builder::BuilderError> {
    let operand = |i: u32| store.get_operand(i).and_then(|operand| operand.value());
    // Value, address, mask; the function is last.
    let mask = store.get_num_operands().checked_sub(2).and_then(operand);
    let (Some(BasicValueEnum::VectorValue(value)), Some(BasicValueEnum::PointerValue(address))) =
        (operand(0), operand(1))
    else {
        return Ok(());
    };
    let Some(lane) = mask.and_then(|mask| single_lane(&mask.print_to_string().to_string())) else {
        return Ok(());
    };
    let context = module.get_context();
    let builder: Builder<'_> = context.create_builder();
    builder.position_before(&store);
    let index = context.i64_type().const_int(lane, false);
    let element = builder.build_extract_element(value, index, "")?;
    let address = match lane {
        0 => address,
        // SAFETY: the masked store writes this element.
        _ => unsafe {
            builder.build_gep(value.get_type().get_element_type(), address, &[index], "")?
        },
    };
    builder.build_store(address, element)?;
    store.erase_from_basic_block();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::single_lane;

    #[test]
    fn masks() {
        assert_eq!(
            single_lane("<4 x i1> <i1 true, i1 false, i1 false, i1 false>"),
            Some(0)
        );
        assert_eq!(
            single_lane("<4 x i1> <i1 false, i1 false, i1 true, i1 false>"),
            Some(2)
        );
        assert_eq!(
            single_lane("<4 x i1> <i1 true, i1 false, i1 true, i1 false>"),
            None
        );
        assert_eq!(single_lane("<4 x i1> splat (i1 true)"), None);
        assert_eq!(single_lane("<4 x i1> zeroinitializer"), None);
        assert_eq!(single_lane("<4 x i1> %12"), None);
    }
}
