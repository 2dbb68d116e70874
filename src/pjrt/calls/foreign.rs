//! Contexts of executions, and the extension for foreign functions.

use crate::{
    border::{
        Error, Handle,
        abi::{
            executable::{ExecuteContextCreateArgs, ExecuteContextDestroyArgs},
            extension::{
                ForeignRegisterHandlerArgs, ForeignTypeRegisterArgs, ForeignUserDataAddArgs,
            },
        },
        callbacks::Token,
        enter,
        frame::{self, UserData},
        text,
    },
    foreign::ExecuteContext,
    status::Status,
};

pub(crate) extern "C" fn execute_context_create(
    args: *mut ExecuteContextCreateArgs,
) -> Handle<Error> {
    enter("PJRT_ExecuteContext_Create", args, |args| {
        args.context = Handle::give(ExecuteContext::default());
        Ok(())
    })
}

pub(crate) extern "C" fn execute_context_destroy(
    args: *mut ExecuteContextDestroyArgs,
) -> Handle<Error> {
    enter("PJRT_ExecuteContext_Destroy", args, |args| {
        drop(args.context.take());
        Ok(())
    })
}

pub(crate) extern "C" fn user_data_add(args: *mut ForeignUserDataAddArgs) -> Handle<Error> {
    enter("PJRT_FFI_UserData_Add", args, |args| {
        args.context.get()?.add(UserData {
            type_id: args.type_id,
            data: Token(args.data),
        });
        Ok(())
    })
}

pub(crate) extern "C" fn type_register(args: *mut ForeignTypeRegisterArgs) -> Handle<Error> {
    enter("PJRT_FFI_Type_Register", args, |args| {
        let name = text(args.type_name, args.type_name_size);
        args.type_id = frame::type_id(&name, args.type_id);
        Ok(())
    })
}

pub(crate) extern "C" fn register_handler(args: *mut ForeignRegisterHandlerArgs) -> Handle<Error> {
    enter("PJRT_FFI_Register_Handler", args, |args| {
        if args.handler.is_null() {
            return Err(Status::invalid("the handler is null"));
        }
        let name = text(args.target_name, args.target_name_size);
        frame::register(&name, args.handler);
        Ok(())
    })
}
