//! The texts that an editor has open.

use serde_json::Value;
use std::collections::HashMap;

/// The texts by their names.
#[derive(Default)]
pub(super) struct Documents(HashMap<String, String>);

/// The line and the character of a position, from zero.
pub(super) fn place(position: &Value) -> (usize, usize) {
    let number = |name: &str| {
        let number = position[name]
            .as_u64()
            .and_then(|n| usize::try_from(n).ok());
        number.unwrap_or(0)
    };
    (number("line"), number("character"))
}

impl Documents {
    /// Keeps the text of a document that was opened or changed: upstream asks editors for whole
    /// texts.
    pub(super) fn keep(&mut self, uri: &str, text: &Value) {
        if let Some(text) = text.as_str() {
            self.0.insert(uri.to_owned(), text.to_owned());
        }
    }

    pub(super) fn close(&mut self, uri: &str) {
        self.0.remove(uri);
    }

    pub(super) fn text(&self, uri: &str) -> Option<&str> {
        self.0.get(uri).map(String::as_str)
    }
}
