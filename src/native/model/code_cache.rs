//! What is kept of the codes for single shapes: those that were used last.

use crate::Executable;
use std::{collections::HashMap, sync::Arc};

/// The sizes of all arguments, one argument after another.
pub(super) type Shapes = Vec<Vec<i64>>;

/// State of the code for a shape.
pub(super) enum Code {
    Ready(Arc<Executable>),
    /// Somebody compiles it: a caller that waits for it, or the thread beside.
    InWork {
        beside: bool,
    },
    /// It could not be compiled while code for any size was in use.
    Refused,
}

struct Entry {
    code: Code,
    /// When it was used last.
    used: u64,
}

/// The codes by shape. Those in work do not count and are never dropped.
pub(super) struct CodeCache {
    most: usize,
    most_bytes: u64,
    entries: HashMap<Shapes, Entry>,
    clock: u64,
}

fn bytes(code: &Code) -> u64 {
    let Code::Ready(executable) = code else {
        return 0;
    };
    let made = executable.statistics();
    made.object_bytes as u64 + u64::try_from(made.prepacked_bytes).unwrap_or(0)
}

impl CodeCache {
    pub(super) fn new(most: usize, most_bytes: u64) -> Self {
        Self {
            most,
            most_bytes,
            entries: HashMap::new(),
            clock: 0,
        }
    }

    /// The code for `shapes`, which is used now.
    pub(super) fn find(&mut self, shapes: &Shapes) -> Option<&Code> {
        self.clock += 1;
        let entry = self.entries.get_mut(shapes)?;
        entry.used = self.clock;
        Some(&entry.code)
    }

    /// Sets the code for `shapes`, and drops what is too many.
    pub(super) fn set(&mut self, shapes: Shapes, code: Code) {
        self.clock += 1;
        let used = self.clock;
        self.entries.insert(shapes, Entry { code, used });
        while self.is_full() {
            let old = self
                .entries
                .iter()
                .filter(|(_, entry)| !matches!(entry.code, Code::InWork { .. }))
                .min_by_key(|(_, entry)| entry.used)
                .map(|(shapes, _)| shapes.clone());
            let Some(old) = old else { break };
            self.entries.remove(&old);
        }
    }

    pub(super) fn remove(&mut self, shapes: &Shapes) {
        self.entries.remove(shapes);
    }

    fn is_full(&self) -> bool {
        let done = |entry: &&Entry| !matches!(entry.code, Code::InWork { .. });
        let count = self.entries.values().filter(done).count();
        let bytes: u64 = self.entries.values().map(|entry| bytes(&entry.code)).sum();
        count > self.most || (bytes > self.most_bytes && count > 1)
    }

    /// Number of codes that are ready.
    pub(super) fn ready(&self) -> usize {
        let ready = |entry: &&Entry| matches!(entry.code, Code::Ready(_));
        self.entries.values().filter(ready).count()
    }
}
