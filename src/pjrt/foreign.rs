//! What a call hands to functions of its user's: the context of an execution, with the functions of
//! Python that it calls back.

use crate::border::frame::{Entered, UserData};
use std::sync::{Arc, Mutex, PoisonError};

/// Data that the framework adds to an execution, by numbers of types.
#[derive(Default)]
pub(crate) struct ExecuteContext(Mutex<Callbacks>);

/// Data that functions of the program's user find when the program calls them.
#[derive(Clone, Default)]
pub(crate) struct Callbacks(Arc<Vec<UserData>>);

impl Callbacks {
    /// Functions that are called on this thread find them, until the answer is dropped.
    pub(crate) fn enter(&self) -> Option<Entered> {
        if self.0.is_empty() {
            None
        } else {
            Some(Entered::new(Arc::clone(&self.0)))
        }
    }
}

impl ExecuteContext {
    pub(crate) fn callbacks(&self) -> Callbacks {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Adds data of a type.
    pub(crate) fn add(&self, data: UserData) {
        let mut callbacks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut callbacks.0).push(data);
    }
}
