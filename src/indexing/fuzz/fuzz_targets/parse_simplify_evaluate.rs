//! Any text: what parses is printed and read again, simplified, simplified once more, and compared
//! with brute force, in the domain and out of it.
#![no_main]

#[path = "../../tests/common/mod.rs"]
mod common;

use common::{Random, check_simplify};
use libfuzzer_sys::fuzz_target;
use mapwright_indexing::{IndexingMap, Simplifier};

fuzz_target!(|text: &str| {
    let Ok(map) = text.parse::<IndexingMap>() else { return };
    let printed = map.to_string();
    let again: IndexingMap = printed.parse().expect("what is printed can be read");
    assert_eq!(again, map, "{printed}");
    if map.verify().is_err() {
        return;
    }
    if let Err(error) = check_simplify(&map, &mut Simplifier::new(), 2_000, &mut Random(1)) {
        panic!("{error}");
    }
});
