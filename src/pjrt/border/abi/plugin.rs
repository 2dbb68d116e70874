//! Errors, attributes, the plugin itself, and events.

use super::{plain::NamedValue, records};
use crate::{
    border::{Error, Handle},
    event::Event,
};
use std::ffi::{c_char, c_void};

records! {
    ErrorDestroyArgs { error: Handle<Error> = 16 }
    ErrorMessageArgs {
        error: Handle<Error> = 16, message: *const c_char = 24, message_size: usize = 32,
    }
    ErrorGetCodeArgs { error: Handle<Error> = 16, code: i32 = 24 }
    ErrorForEachPayloadArgs {
        error: Handle<Error> = 16, visitor: *const c_void = 24, user_arg: *const c_void = 32,
    }
    PluginInitializeArgs {  }
    PluginAttributesArgs { attributes: *const NamedValue = 16, num_attributes: usize = 24 }
    EventDestroyArgs { event: Handle<Event> = 16 }
    EventIsReadyArgs { event: Handle<Event> = 16, is_ready: u8 = 24 }
    EventErrorArgs { event: Handle<Event> = 16 }
    EventAwaitArgs { event: Handle<Event> = 16 }
    EventOnReadyArgs {
        event: Handle<Event> = 16, callback: *const c_void = 24, user_arg: *const c_void = 32,
    }
    EventCreateArgs { event: Handle<Event> = 16 }
    EventSetArgs {
        event: Handle<Event> = 16, error_code: i32 = 24, error_message: *const c_char = 32,
        error_message_size: usize = 40,
    }
}
