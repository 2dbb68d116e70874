//! The extension for shardings: how arguments and results of a program lie on its devices.

use crate::border::{
    Error, Handle,
    abi::extension::{
        ShardingsExecutableOutputShardingsArgs, ShardingsExecutableParameterShardingsArgs,
    },
    enter,
};

pub(crate) extern "C" fn parameter_shardings(
    args: *mut ShardingsExecutableParameterShardingsArgs,
) -> Handle<Error> {
    enter(
        "PJRT_Shardings_Executable_ParameterShardings",
        args,
        |args| {
            let shardings = &args.executable.get()?.lists().input_shardings;
            args.num_parameters = shardings.sizes.len();
            (args.shardings, args.sharding_sizes) =
                (shardings.starts.as_ptr(), shardings.sizes.as_ptr());
            Ok(())
        },
    )
}

pub(crate) extern "C" fn output_shardings(
    args: *mut ShardingsExecutableOutputShardingsArgs,
) -> Handle<Error> {
    enter("PJRT_Shardings_Executable_OutputShardings", args, |args| {
        let shardings = &args.executable.get()?.lists().output_shardings;
        args.num_outputs = shardings.sizes.len();
        (args.shardings, args.sharding_sizes) =
            (shardings.starts.as_ptr(), shardings.sizes.as_ptr());
        Ok(())
    })
}
