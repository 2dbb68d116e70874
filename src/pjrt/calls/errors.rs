//! What is asked of errors.

use crate::border::{
    Error, Handle,
    abi::plugin::{ErrorDestroyArgs, ErrorForEachPayloadArgs, ErrorGetCodeArgs, ErrorMessageArgs},
    callbacks, enter, parts,
};

pub(crate) extern "C" fn error_destroy(args: *mut ErrorDestroyArgs) {
    enter("PJRT_Error_Destroy", args, |args| {
        drop(args.error.take());
        Ok(())
    });
}

pub(crate) extern "C" fn error_message(args: *mut ErrorMessageArgs) {
    enter("PJRT_Error_Message", args, |args| {
        let message = args
            .error
            .get()
            .map_or("", |error| error.status().message());
        (args.message, args.message_size) = parts(message);
        Ok(())
    });
}

pub(crate) extern "C" fn error_get_code(args: *mut ErrorGetCodeArgs) -> Handle<Error> {
    enter("PJRT_Error_GetCode", args, |args| {
        args.code = args.error.get()?.status().code();
        Ok(())
    })
}

pub(crate) extern "C" fn error_for_each_payload(
    args: *mut ErrorForEachPayloadArgs,
) -> Handle<Error> {
    enter("PJRT_Error_ForEachPayload", args, |args| {
        callbacks::visit_payloads(args.visitor, args.user_arg);
        Ok(())
    })
}
