//! Any text: what parses is printed and read again, simplified, and compared with brute force.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mapwright_indexing::{IndexingMap, Point, Simplifier};

fuzz_target!(|text: &str| {
    let Ok(map) = text.parse::<IndexingMap>() else { return };
    let printed = map.to_string();
    let again: IndexingMap = printed.parse().expect("what is printed can be read");
    assert_eq!(again.to_string(), printed);
    let simplified = map.simplify_with(&mut Simplifier::new(), false);
    assert_eq!(simplified.map.simplify(), simplified.map, "not idempotent: {map}");
    if map.box_size() > 4096 {
        return;
    }
    let mut left = 4096;
    map.for_each_point(|dims, ranges, runtime, results| {
        let p = Point { dims: dims.to_vec(), ranges: ranges.to_vec(), runtime: runtime.to_vec() };
        let q = simplified.point(&p).unwrap_or_else(|| panic!("{p:?} of {map} is lost in {}", simplified.map));
        let new = simplified.map.eval(&q.dims, &q.ranges, &q.runtime);
        assert_eq!(new, Ok(Some(results.to_vec())), "{map}\n{}\n{p:?}", simplified.map);
        left -= 1;
        left > 0
    });
});
