//! `cargo bench -p mapwright-indexing`: simplify, compose, parse, print, with allocations.
//! `curve` shows how time grows with the number of operations, for each of [`FAMILIES`].

use divan::{AllocProfiler, Bencher, black_box};
use mapwright_indexing::{
    Arena, ArenaMap, Expr, IndexingMap, Interval, Op, Simplifier, c, compose, d,
};

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
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

/// The families of the curve: what grows with the number of operations.
const FAMILIES: [&str; 9] = [
    "mixed",
    "sum",
    "digits",
    "distinct",
    "deep",
    "remainders",
    "extrema",
    "constraints",
    "congruences",
];

/// About `operations` operations over 64 variables.
fn large(family: &str, operations: usize) -> IndexingMap {
    let v = |i: usize| d(i % 64);
    let add = |x, y| Expr::raw(Op::Add, x, y);
    let map = |e| IndexingMap::from_dims(&[16; 64], [e]);
    let mut e = c(0);
    match family {
        // One nest of sums, quotients and remainders, as deep as they are many.
        "mixed" => {
            for i in 0..operations / 3 {
                e = add(e, v(i) * ((i as i64 % 7) + 1));
                if i % 5 == 4 {
                    let op = if i % 2 == 0 { Op::FloorDiv } else { Op::Mod };
                    e = Expr::raw(op, e, c(3 + (i as i64 % 11)));
                }
            }
        }
        "sum" => {
            for i in 0..operations / 2 {
                e = add(e, v(i) * ((i as i64 % 7) + 1));
            }
        }
        // A sum of quotients and remainders, many of them alike.
        "digits" => {
            for i in 0..operations / 6 {
                let op = if i % 2 == 0 { Op::FloorDiv } else { Op::Mod };
                let x = add(v(i) * 5, v(i * 7 + 3) * 3);
                let x = Expr::raw(op, x, c(2 + (i as i64 % 97)));
                e = add(e, x * (1 + (i as i64 % 13)));
            }
        }
        // A sum of quotients that are all different. Of factor and divisor only the size changes, not what they are to each
        // other, so that the same rules are tried on the first as on the last.
        "distinct" => {
            for i in 0..operations / 4 {
                let k = 1009 + i as i64;
                e = add(e, Expr::raw(Op::FloorDiv, v(i) * k, c(3 * k + 1)));
            }
        }
        "deep" => {
            for i in 0..operations / 4 {
                let x = add(e, v(i) * 1000);
                e = Expr::raw(Op::FloorDiv, x, c(2 + (i as i64 % 3)));
            }
        }
        // Remainders of remainders, with divisors that do not divide each other.
        "remainders" => {
            for i in 0..operations / 3 {
                let x = add(e * 3, v(i));
                e = Expr::raw(Op::Mod, x, c([7, 9, 11, 13, 8][i % 5]));
            }
        }
        "extrema" => {
            for i in 0..operations / 2 {
                let op = if i % 2 == 0 { Op::Max } else { Op::Min };
                e = Expr::raw(op, e, v(i) * ((i as i64 % 7) + 2));
            }
        }
        _ => {
            let mut map = map(v(0));
            for i in 0..operations / 4 {
                let (p, q) = (3 + (i as i64 % 11), 2 + (i as i64 / 64 % 13));
                let x = add(v(i) * p, v(i * 5 + 1) * q);
                map = if family == "constraints" {
                    map.with_constraint(x, Interval::new(1 + (i as i64 % 3), 150))
                } else {
                    let x = Expr::raw(Op::Mod, x, c(7 + (i as i64 % 5)));
                    map.with_constraint(x, Interval::new(0, 4))
                };
            }
            return map;
        }
    }
    map(e)
}

/// How time grows with the number of operations, in 64 variables.
#[divan::bench(args = [1_000, 10_000, 100_000], consts = [0, 1, 2, 3, 4, 5, 6, 7, 8], sample_count = 3)]
fn curve<const FAMILY: usize>(bencher: Bencher, operations: usize) {
    let map = large(FAMILIES[FAMILY], operations);
    let mut simplifier = Simplifier::new();
    bencher
        .with_inputs(|| {
            let mut arena = Arena::new();
            let input = ArenaMap::import(&map, &mut arena);
            (arena, input)
        })
        .bench_local_refs(|(arena, input)| simplifier.run(arena, input, false));
}
