//! One step, through maps in text.

use super::check::{Index, all_tiles, elements, held};
use mapwright_analysis::tiles::Tile;
use mapwright_indexing::IndexingMap;
use std::collections::BTreeSet;

/// A map in text, sizes of result and operand, and how many of the tiles with strides 1 must be
/// answered, in percent.
type Single = (&'static str, &'static [i64], &'static [i64], usize);

const SINGLE: [Single; 21] = [
    (
        "(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 4]",
        &[4, 5],
        &[5, 4],
        100,
    ),
    (
        "(d0, d1) -> (d0 * 2 + 1, -d1 + 4), domain: d0 in [0, 3], d1 in [0, 4]",
        &[4, 5],
        &[8, 5],
        100,
    ),
    (
        "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 3], d1 in [0, 4], s0 in [0, 5]",
        &[4, 5],
        &[4, 6],
        100,
    ),
    (
        "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 4], s0 in [0, 2]",
        &[5],
        &[7],
        100,
    ),
    (
        "(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 4], s0 in [0, 1]",
        &[5],
        &[10],
        100,
    ),
    (
        "(d0)[s0] -> (d0 * 3 + s0), domain: d0 in [0, 4], s0 in [0, 1]",
        &[5],
        &[15],
        100,
    ),
    (
        "(d0)[s0] -> (d0 + s0 - 1), domain: d0 in [0, 4], s0 in [0, 2], d0 + s0 in [1, 5]",
        &[5],
        &[5],
        100,
    ),
    (
        "(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 11]",
        &[12],
        &[3, 4],
        7,
    ),
    (
        "(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 2], d1 in [0, 3]",
        &[3, 4],
        &[12],
        10,
    ),
    (
        "(d0, d1) -> (d1), domain: d0 in [0, 2], d1 in [0, 3]",
        &[3, 4],
        &[4],
        100,
    ),
    (
        "(d0, d1) -> (2, d0), domain: d0 in [0, 2], d1 in [0, 3]",
        &[3, 4],
        &[3, 3],
        100,
    ),
    // A piece of a concatenation, and of a padded operand.
    ("(d0) -> (d0 - 5), domain: d0 in [5, 9]", &[12], &[5], 100),
    (
        "(d0) -> ((d0 - 2) floordiv 3), domain: d0 in [2, 11], (d0 - 2) mod 3 in [0, 0]",
        &[13],
        &[4],
        100,
    ),
    // A quotient alone, a remainder alone.
    (
        "(d0) -> (d0 floordiv 4), domain: d0 in [0, 11]",
        &[12],
        &[3],
        100,
    ),
    ("(d0) -> (d0 mod 4), domain: d0 in [0, 11]", &[12], &[4], 30),
    // Three digits.
    (
        "(d0) -> (d0 floordiv 20, (d0 floordiv 5) mod 4, d0 mod 5), domain: d0 in [0, 59]",
        &[60],
        &[3, 4, 5],
        0,
    ),
    // Windows with a stride, padding and dilation; of the window and of the base.
    (
        "(d0)[s0] -> (d0 * 2 + s0 * 2 - 1), domain: d0 in [0, 4], s0 in [0, 2], d0 * 2 + s0 * 2 in [1, 9]",
        &[5],
        &[9],
        100,
    ),
    (
        "(d0)[s0] -> ((d0 + s0 - 2) floordiv 2), domain: d0 in [0, 8], s0 in [0, 2], d0 + s0 in [2, 10], (d0 + s0) mod 2 in [0, 0]",
        &[9],
        &[5],
        100,
    ),
    // A diagonal: one element is a box, a third of all tiles.
    ("(d0) -> (d0, d0), domain: d0 in [0, 4]", &[5], &[5, 5], 33),
    // A constraint that couples: a superset.
    (
        "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 3], d0 + d1 in [0, 3]",
        &[4, 4],
        &[4, 4],
        100,
    ),
    (
        "(d0, d1) -> (d0, d1), domain: d0 in [0, 5], d1 in [0, 3], d0 * -2 in [-7, -3]",
        &[6, 4],
        &[6, 4],
        100,
    ),
];

#[test]
fn single_maps() {
    for (text, result, operand, answered) in SINGLE {
        let map: IndexingMap = text.parse().unwrap();
        for stride in 1..=2 {
            let strides = vec![stride; result.len()];
            let tile = match Tile::root(result, &strides).through(&map, result, operand) {
                Ok(tile) => tile,
                Err(reason) => {
                    assert!(stride > 1, "{text}: {reason}");
                    continue;
                }
            };
            let (mut good, mut all) = (0, 0);
            for (offsets, sizes) in all_tiles(result, &strides) {
                all += 1;
                let Some(has) = held(std::slice::from_ref(&tile), &offsets, &sizes, &|_, _| 0)
                else {
                    continue;
                };
                good += 1;
                let wanted = elements(&offsets, &sizes, &strides);
                let mut read = BTreeSet::new();
                map.for_each_point(|dims, _, _, index| {
                    if wanted.contains(dims) {
                        read.insert(index.to_vec());
                    }
                    true
                });
                if tile.exact {
                    assert_eq!(has, read, "{text} {offsets:?} {sizes:?} {tile:?}");
                } else {
                    assert!(
                        read.is_subset(&has),
                        "{text} {offsets:?} {sizes:?} {tile:?}"
                    );
                }
            }
            assert!(
                stride > 1 || 100 * good >= answered * all && good > 0,
                "{text}: {good} of {all} {tile:?}"
            );
        }
    }
}

/// Numbers for the sizes: more tiles of a reshape are answered, among them those within a row.
#[test]
fn sizes_that_are_known() {
    let map: IndexingMap =
        "(d0) -> (d0 floordiv 20, (d0 floordiv 5) mod 4, d0 mod 5), domain: d0 in [0, 59]"
            .parse()
            .unwrap();
    let (mut exact, mut refused) = (0, 0);
    for size in 1..=60 {
        let root = Tile::root(&[60], &[1]).with_sizes(&[size]);
        let Ok(tile) = root.through(&map, &[60], &[3, 4, 5]) else {
            refused += 1;
            continue;
        };
        assert!(tile.exact);
        for offset in 0..=60 - size {
            let Some(has) = held(std::slice::from_ref(&tile), &[offset], &[size], &|_, _| 0) else {
                continue;
            };
            exact += 1;
            let read: BTreeSet<Index> = (offset..offset + size)
                .map(|i| vec![i / 20, i / 5 % 4, i % 5])
                .collect();
            assert_eq!(has, read, "{offset} {size} {tile:?}");
        }
    }
    // 60 of size 1, 3 * 4 * 4 of size 2 …
    assert!(exact > 200 && refused > 20, "{exact} {refused}");
}

#[test]
fn refusals_have_a_reason() {
    for (text, reason) in [
        ("(d0) -> (d0, d0), domain: d0 in [0, 4]", "diagonal"),
        (
            "(d0) -> (d0 floordiv 2, d0 mod 3), domain: d0 in [0, 4]",
            "overlap",
        ),
        (
            "(d0)[s0] -> (d0 + s0, s0), domain: d0 in [0, 4], s0 in [0, 1]",
            "in two ways",
        ),
        (
            "(d0, d1) -> (d0 * 3 + d1 * 2, 0), domain: d0 in [0, 1], d1 in [0, 1]",
            "no box",
        ),
    ] {
        let map: IndexingMap = text.parse().unwrap();
        let sizes: Vec<i64> = map.dims().iter().map(|v| v.interval.upper + 1).collect();
        // Of several elements; one element is a box always.
        let error = Tile::root(&sizes, &vec![1; sizes.len()])
            .with_sizes(&vec![2; sizes.len()])
            .through(&map, &sizes, &[5, 5])
            .unwrap_err();
        assert!(error.contains(reason), "{text}: {error}");
    }
}
