//! The plugin itself: whether it can work here, and what it says of itself.

use crate::{
    border::{
        Constants, Error, Handle,
        abi::plugin::{PluginAttributesArgs, PluginInitializeArgs},
        enter, slice_mut,
    },
    named,
    status::{Code, Status},
};
use std::sync::OnceLock;

/// The newest version of portable artifacts that is read; JAX writes this one, or the newest that
/// it knows.
const NEWEST: &[i64] = &[1, 20, 0];

/// The oldest version of portable artifacts that is read.
const OLDEST: &[i64] = &[0, 9, 0];

pub(crate) extern "C" fn plugin_initialize(args: *mut PluginInitializeArgs) -> Handle<Error> {
    enter("PJRT_Plugin_Initialize", args, |_| {
        mapwright_mlir::host::check()
            .map_err(|other| Status::new(Code::FailedPrecondition, other))?;
        mapwright_ops::hooks::install();
        Ok(())
    })
}

/// Attributes of the plugin.
static ATTRIBUTES: OnceLock<Constants> = OnceLock::new();

pub(crate) extern "C" fn plugin_attributes(args: *mut PluginAttributesArgs) -> Handle<Error> {
    enter("PJRT_Plugin_Attributes", args, |own| {
        let attributes = ATTRIBUTES.get_or_init(|| {
            Constants(vec![
                named::int("xla_version", 2),
                named::ints("stablehlo_current_version", NEWEST),
                named::ints("stablehlo_minimum_version", OLDEST),
            ])
        });
        let list = &attributes.0;
        (own.attributes, own.num_attributes) = (list.as_ptr(), list.len());
        // jaxlib 0.6 states a size without the last field, and reads it all the same.
        if let [whole] = slice_mut(args.cast_const(), 1) {
            *whole = PluginAttributesArgs {
                struct_size: whole.struct_size,
                ..*own
            };
        }
        Ok(())
    })
}
