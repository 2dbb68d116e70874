//! What is asked of events.

use crate::{
    border::{
        Error, Handle,
        abi::plugin::{
            EventAwaitArgs, EventCreateArgs, EventDestroyArgs, EventErrorArgs, EventIsReadyArgs,
            EventOnReadyArgs, EventSetArgs,
        },
        callbacks, enter, text,
    },
    event::{Event, Ready},
    status::{Code, Status},
};
use std::sync::Arc;

pub(crate) extern "C" fn event_destroy(args: *mut EventDestroyArgs) -> Handle<Error> {
    enter("PJRT_Event_Destroy", args, |args| {
        drop(args.event.take());
        Ok(())
    })
}

pub(crate) extern "C" fn event_is_ready(args: *mut EventIsReadyArgs) -> Handle<Error> {
    enter("PJRT_Event_IsReady", args, |args| {
        args.is_ready = args.event.get()?.0.outcome().is_some().into();
        Ok(())
    })
}

pub(crate) extern "C" fn event_error(args: *mut EventErrorArgs) -> Handle<Error> {
    enter("PJRT_Event_Error", args, |args| {
        let outcome = args.event.get()?.0.outcome().cloned();
        outcome.unwrap_or_else(|| {
            let message = "PJRT_Event_Error: the event has not happened yet".to_owned();
            Err(Status::new(Code::FailedPrecondition, message))
        })
    })
}

pub(crate) extern "C" fn event_await(args: *mut EventAwaitArgs) -> Handle<Error> {
    enter("PJRT_Event_Await", args, |args| args.event.get()?.0.wait())
}

pub(crate) extern "C" fn event_on_ready(args: *mut EventOnReadyArgs) -> Handle<Error> {
    enter("PJRT_Event_OnReady", args, |args| {
        // The callback may destroy the event.
        let ready = Arc::clone(&args.event.get()?.0);
        ready.then(callbacks::when_ready(args.callback, args.user_arg)?);
        Ok(())
    })
}

pub(crate) extern "C" fn event_create(args: *mut EventCreateArgs) -> Handle<Error> {
    enter("PJRT_Event_Create", args, |args| {
        args.event = Event::give(Ready::pending());
        Ok(())
    })
}

pub(crate) extern "C" fn event_set(args: *mut EventSetArgs) -> Handle<Error> {
    enter("PJRT_Event_Set", args, |args| {
        let ready = Arc::clone(&args.event.get()?.0);
        ready.set(match args.error_code {
            0 => Ok(()),
            code => Err(Status::foreign(
                code,
                text(args.error_message, args.error_message_size),
            )),
        });
        Ok(())
    })
}
