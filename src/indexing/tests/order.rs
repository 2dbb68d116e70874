//! Random maps whose variables stand in another order: the same is left, up to renaming.
//! Constraints in another order, where bounds creep.
//!
//! `MAPWRIGHT_ORDER_MAPS` (default 60,000) maps from the seed `MAPWRIGHT_PROPERTY_SEED` (default
//! 20260102); with `SHOW=1` what differs is printed: the map, what is left of it, and what is left
//! in the other order, read in the first one.

use crate::common::chains::from_env;
use crate::common::{Random, generate};
use mapwright_indexing::{Expr, ExprKind, IndexingMap, Simplifier, d, s};

/// Dimension `i` is the old dimension `dims[i]`, and so are range variables. Nothing but the
/// variables changes: what is built stays as it was.
fn reordered(map: &IndexingMap, dims: &[usize], ranges: &[usize]) -> IndexingMap {
    fn renamed(e: &Expr, dims: &[usize], ranges: &[usize]) -> Expr {
        let place = |order: &[usize], i: usize| order.iter().position(|o| *o == i).unwrap_or(i);
        match e.kind() {
            ExprKind::Dim(i) => d(place(dims, *i)),
            ExprKind::Range(i) => s(place(ranges, *i)),
            ExprKind::Binary(op, x, y) => {
                Expr::raw(*op, renamed(x, dims, ranges), renamed(y, dims, ranges))
            }
            _ => e.clone(),
        }
    }
    let mut new = map.clone();
    new.edit(|m| {
        m.dims = dims.iter().map(|i| map.dims()[*i].clone()).collect();
        m.ranges = ranges.iter().map(|i| map.ranges()[*i].clone()).collect();
        for e in &mut m.results {
            *e = renamed(e, dims, ranges);
        }
        for k in &mut m.constraints {
            k.expr = renamed(&k.expr, dims, ranges);
        }
    });
    new
}

/// The numbers below n in the opposite order or in a random one.
fn order(n: usize, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).rev().collect();
    if random.chance(50) {
        for i in (1..n).rev() {
            order.swap(i, random.below(i + 1));
        }
    }
    order
}

/// The places of the variables in the order of their names, which say where they stood at first.
fn back<'a>(names: impl Iterator<Item = &'a str>) -> Vec<usize> {
    let names: Vec<&str> = names.collect();
    let mut places: Vec<usize> = (0..names.len()).collect();
    places.sort_by_key(|i| names[*i]);
    places
}

/// Operations of the results and of the constraints.
fn length(map: &IndexingMap) -> (usize, usize) {
    let constraints = map.constraints().iter().map(|k| k.expr.operation_count());
    (map.operation_count(), constraints.sum())
}

#[test]
fn the_order_of_variables_does_not_matter() {
    let maps = from_env("MAPWRIGHT_ORDER_MAPS", 60_000);
    let seed = from_env("MAPWRIGHT_PROPERTY_SEED", 20_260_102);
    let show = std::env::var_os("SHOW").is_some();
    let mut simplifier = Simplifier::new();
    let (mut asked, mut apart, mut other, mut longer) = (0u64, 0u64, 0u64, 0u64);
    for i in 0..maps {
        let mut random = Random(seed.wrapping_add(i.wrapping_mul(0x1234_5678_9abc_def1)));
        let mut map = generate::map(&mut random, 1 << 40);
        if map.dims().len() < 2 && map.ranges().len() < 2 {
            continue;
        }
        asked += 1;
        for (i, v) in map.dims_mut().iter_mut().enumerate() {
            v.name = format!("x{i}");
        }
        for (i, v) in map.ranges_mut().iter_mut().enumerate() {
            v.name = format!("y{i}");
        }
        let dims = order(map.dims().len(), &mut random);
        let ranges = order(map.ranges().len(), &mut random);
        let straight = map.simplify_with(&mut simplifier, true);
        if straight.rules().any(|rule| rule == "overflow-kept-apart") {
            // What does not fit into 64 bits stays as it is written.
            apart += 1;
            continue;
        }
        let straight = straight.map;
        let turned = reordered(&map, &dims, &ranges);
        let turned = turned.simplify_with(&mut simplifier, false).map;
        assert_eq!(straight.is_known_empty(), turned.is_known_empty(), "{map}");
        if !straight.is_known() {
            continue;
        }
        // Up to renaming: both read in the one order.
        let dims = back(turned.dims().iter().map(|v| v.name.as_str()));
        let ranges = back(turned.ranges().iter().map(|v| v.name.as_str()));
        let again = reordered(&turned, &dims, &ranges);
        let again = again.simplify_with(&mut simplifier, false).map;
        let differs = again != straight;
        let lengths = length(&straight) != length(&turned);
        other += u64::from(differs);
        longer += u64::from(lengths);
        if show && (differs || lengths) {
            let mut map = map;
            for v in map.dims_mut() {
                v.name = String::new();
            }
            for v in map.ranges_mut() {
                v.name = String::new();
            }
            eprintln!("{map}\n  {straight}\n  {again}\n  {turned}");
        }
    }
    eprintln!(
        "{asked} maps: {apart} do not fit into 64 bits, {other} read differently, {longer} differ in length"
    );
    assert!(asked * 3 > maps && apart * 50 < asked);
    assert_eq!((other, longer), (0, 0));
}

/// Only what is tied to bounds that creep is given up, also by way of others and of quotients, in
/// whichever order constraints stand.
#[test]
fn bounds_that_creep() {
    let large = "[0, 1099511627776]";
    let circles = [
        [
            "d0 - d1 in [1, 2000000000000]",
            "d1 - d2 in [1, 2000000000000]",
            "d2 - d0 in [1, 2000000000000]",
        ],
        [
            "d0 floordiv 2 - d1 in [1, 2000000000000]",
            "d1 - d2 in [1, 2000000000000]",
            "d2 - d0 floordiv 2 in [1, 2000000000000]",
        ],
    ];
    for circle in circles {
        let others = ["d3 + d4 in [0, 5]", "d3 + d2 in [-9, 2000000000000]"];
        let mut left = Vec::new();
        for [x, y, z] in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            for apart in [true, false] {
                let own = [circle[x], circle[y], circle[z]].join(", ");
                let [first, tie] = others;
                let constraints = if apart {
                    format!("{own}, {first}")
                } else {
                    format!("{first}, {tie}, {own}")
                };
                let text = format!(
                    "(d0, d1, d2, d3, d4) -> (d0), domain: d0 in {large}, d1 in {large}, d2 in {large}, d3 in {large}, \
                     d4 in {large}, {constraints}"
                );
                let map: IndexingMap = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
                let once = map.simplify();
                let bounds: Vec<i64> = once.dims().iter().map(|d| d.interval.upper).collect();
                let rest = if apart { 5 } else { 1 << 40 };
                assert_eq!(bounds, [1 << 40, 1 << 40, 1 << 40, rest, rest], "{once}");
                assert_eq!(once.simplify(), once);
                left.push((apart, once.to_string()));
            }
        }
        left.sort();
        left.dedup();
        assert_eq!(left.len(), 2, "{left:?}");
    }
}
