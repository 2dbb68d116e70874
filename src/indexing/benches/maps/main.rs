//! `cargo bench -p mapwright-indexing --features commands`: simplify, compose, parse, print, with
//! allocations. With `--bench maps -- curve [--instructions | --cold | --hard] [FAMILY]…` it shows
//! how time grows with the number of operations, for each of [`families::FAMILIES`]; or how the
//! number of instructions does, which valgrind counts and which no cache and no other program
//! changes; or the time that each of [`adversaries::ADVERSARIES`] takes. `-- small [FILE]…` shows
//! the time of maps of five operations.

mod adversaries;
mod curve;
mod families;
mod small;

use divan::{AllocProfiler, Bencher, black_box};
use mapwright_indexing::{Arena, ArenaMap, IndexingMap, Simplifier, compose, d};

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    match arguments.split_first() {
        Some((first, rest)) if first == "curve" => curve::print(rest),
        Some((first, rest)) if first == curve::ONCE => curve::once(rest),
        Some((first, rest)) if first == "small" => small::print(rest),
        _ => divan::main(),
    }
}

const SMALL: &str =
    "(d0, d1) -> ((d0 * 8 + d1) floordiv 8, d1 + 2 - d0), domain: d0 in [0, 3], d1 in [0, 7]";
const CHAIN: &str = "(d0, d1) -> ((((d0 * 125 + d1) floordiv 65) * 65 + (d0 * 125 + d1) mod 65) floordiv 125, \
    (((d0 * 125 + d1) floordiv 65) * 65 + (d0 * 125 + d1) mod 65) mod 125), domain: d0 in [0, 12], d1 in [0, 124]";
const WINDOW: &str = "(d0, d1)[s0, s1] -> (d0 * 2 + s0 - 1, (d1 + s1 - 1) floordiv 3), domain: d0 in [0, 98], d1 in [0, 669], \
    s0 in [0, 1], s1 in [0, 2], d0 * 2 + s0 - 1 in [0, 196], (d1 + s1 - 1) mod 3 in [0, 0]";

fn parsed(text: &str) -> IndexingMap {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[divan::bench(args = [SMALL, CHAIN, WINDOW])]
fn simplify(bencher: Bencher, text: &str) {
    let map = parsed(text);
    let mut simplifier = Simplifier::new();
    bencher
        .with_inputs(|| {
            let mut arena = Arena::new();
            let input = ArenaMap::import(&map, &mut arena);
            (arena, input)
        })
        .bench_local_refs(|(arena, input)| simplifier.run(arena, input, false));
}

#[divan::bench(args = [SMALL, CHAIN, WINDOW])]
fn parse(text: &str) -> IndexingMap {
    parsed(black_box(text))
}

#[divan::bench(args = [SMALL, CHAIN, WINDOW])]
fn print(bencher: Bencher, text: &str) {
    let map = parsed(text);
    bencher.bench(|| map.to_string());
}

#[divan::bench]
fn compose_reshapes(bencher: Bencher) {
    let out = IndexingMap::from_dims(&[4, 8], [d(0) * 8 + d(1)]);
    let back = IndexingMap::from_dims(&[32], [d(0).floor_div(8), d(0).modulo(8)]);
    bencher.bench(|| compose(black_box(&out), black_box(&back)));
}
