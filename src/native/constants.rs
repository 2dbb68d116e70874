//! The constants of compiled programs: once in memory, however many codes of a program refer to
//! them.

use crate::{Error, Result, tensor::pool};
use mapwright_runtime::Buffer;
use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, PoisonError, Weak},
};

/// Smaller ones are not looked up.
const LEAST: usize = 64 << 10;

type Table = HashMap<(usize, u64), Vec<Weak<Buffer>>>;

/// Memory that holds `data` as long as somebody has it; nobody writes to it.
pub(crate) fn shared(data: &[u8]) -> Result<Arc<Buffer>> {
    static TABLE: Mutex<Option<Table>> = Mutex::new(None);
    let copy = || {
        let mut buffer = pool().allocate(data.len().max(1)).map_err(Error::Run)?;
        buffer.as_mut_slice()[..data.len()].copy_from_slice(data);
        Ok(Arc::new(buffer))
    };
    if data.len() < LEAST {
        return copy();
    }
    let mut hasher = DefaultHasher::new();
    data.hash(&mut hasher);
    let key = (data.len(), hasher.finish());
    let mut table = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
    let table = table.get_or_insert_default();
    // What nobody has any more leaves the table.
    table.retain(|_, found| {
        found.retain(|buffer| buffer.strong_count() > 0);
        !found.is_empty()
    });
    let known = table.entry(key).or_default();
    let same = known
        .iter()
        .filter_map(Weak::upgrade)
        .find(|buffer| buffer.as_slice() == data);
    if let Some(buffer) = same {
        return Ok(buffer);
    }
    let buffer = copy()?;
    known.push(Arc::downgrade(&buffer));
    Ok(buffer)
}
