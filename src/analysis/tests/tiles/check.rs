//! What a tile holds, and programs checked value by value.

use mapwright_analysis::tiles::{self, Place, Tile};
use mapwright_indexing::RuntimeVariable;
use mapwright_mlir::{
    Op, TensorType, Val,
    melior::{
        self,
        ir::{Module, ValueLike},
    },
    op,
};
use mapwright_ops::Composer;
use std::collections::{BTreeMap, BTreeSet};

pub type Index = Vec<i64>;

/// All tiles of a result with the given strides that stay inside: offsets and sizes.
pub fn all_tiles(sizes: &[i64], strides: &[i64]) -> Vec<(Index, Index)> {
    let mut all = vec![(vec![], vec![])];
    for (n, stride) in sizes.iter().zip(strides) {
        let mut next = Vec::new();
        for (offsets, counts) in all {
            for o in 0..*n {
                for t in (1..=*n).filter(|t| o + (t - 1) * stride < *n) {
                    next.push((
                        [offsets.clone(), vec![o]].concat(),
                        [counts.clone(), vec![t]].concat(),
                    ));
                }
            }
        }
        all = next;
    }
    all
}

pub fn elements(offsets: &[i64], sizes: &[i64], strides: &[i64]) -> BTreeSet<Index> {
    let mut all: Vec<Index> = vec![vec![]];
    for ((o, t), stride) in offsets.iter().zip(sizes).zip(strides) {
        all = all
            .into_iter()
            .flat_map(|p| (0..*t).map(move |i| [p.clone(), vec![o + i * stride]].concat()))
            .collect();
    }
    all.into_iter().collect()
}

/// The index at which a runtime variable is read; nothing where nothing is read.
pub fn place(variable: &RuntimeVariable, dims: &[i64], ranges: &[i64]) -> Index {
    let Some(index) = &variable.origin.index else {
        return vec![];
    };
    let ranges = &ranges[..index.ranges().len()];
    index.eval(dims, ranges, &[]).unwrap().unwrap_or_default()
}

/// What some tiles hold together; `None` if one of them is refused.
pub fn held(
    tiles: &[Tile],
    offsets: &[i64],
    sizes: &[i64],
    read: &dyn Fn(&RuntimeVariable, &[i64]) -> i64,
) -> Option<BTreeSet<Index>> {
    let mut all = BTreeSet::new();
    for tile in tiles {
        // The places that are read are given for the offsets of the root.
        let runtime: Vec<i64> = (tile.runtime.iter())
            .map(|variable| read(variable, &place(variable, offsets, &[])))
            .collect();
        match tile.at(offsets, sizes, &runtime) {
            Place::Refused => return None,
            Place::Empty => {}
            Place::Elements { offsets, sizes } => {
                all.extend(elements(&offsets, &sizes, &tile.strides))
            }
        }
    }
    Some(all)
}

pub fn context() -> melior::Context {
    let registry = melior::dialect::DialectRegistry::new();
    melior::utility::register_all_dialects(&registry);
    let context = melior::Context::new();
    context.append_dialect_registry(&registry);
    context.set_allow_unregistered_dialects(true);
    context
}

pub fn shape(value: Val<'_>) -> Index {
    TensorType::from_mlir(value.r#type())
        .unwrap()
        .bounding_shape()
        .unwrap()
}

/// What a program must come to: for some values, whether they are exact, or why they are refused.
pub type Expected<'a> = &'a [(&'a str, Result<bool, &'a str>)];

/// Checks every tile of the last result against the composed maps, for all values of the scalars in
/// `-1..=bound`. Tells how many questions were answered, and of how many values.
pub fn enumerate(name: &str, text: &str, bound: i64, expected: Expected<'_>) -> (usize, usize) {
    let context = context();
    let module = Module::parse(&context, text).unwrap_or_else(|| panic!("does not parse: {text}"));
    let function: Op<'_> = op::ops(mapwright_mlir::block(&module.body()))[0];
    let block = function.body(0).unwrap();
    let root = op::ops(block).last().unwrap().operand(0);
    let sizes = shape(root);
    let ones = vec![1; sizes.len()];
    let found = tiles::upstream(root, Tile::root(&sizes, &ones));
    let composer = Composer::new();
    let reached = composer.backward(root);
    let mut seen = BTreeMap::new();
    let (mut questions, mut known) = (0, 0);
    for upstream in &found {
        let label = op::label(upstream.value);
        let tiles = match &upstream.tiles {
            Ok(tiles) => tiles,
            Err(reason) => {
                seen.insert(label, Err(reason.clone()));
                continue;
            }
        };
        let exact = tiles.iter().all(|tile| tile.exact);
        seen.insert(label.clone(), Ok(exact));
        // Without a path nothing is read, and the tiles must all be empty.
        let maps = reached.maps(upstream.value).unwrap_or_default();
        let labels: BTreeSet<String> = maps
            .iter()
            .flat_map(|map| map.runtime())
            .chain(tiles.iter().flat_map(|tile| &tile.runtime))
            .map(|v| v.origin.value.clone())
            .collect();
        // Every assignment of values to what is read at run time.
        let mut assignments: Vec<BTreeMap<&str, i64>> = vec![BTreeMap::new()];
        for label in &labels {
            assignments = assignments
                .into_iter()
                .flat_map(|old| {
                    (-1..=bound).map(move |value| {
                        let mut new = old.clone();
                        new.insert(label.as_str(), value);
                        new
                    })
                })
                .collect();
        }
        for values in &assignments {
            // The elements of a tensor differ from each other.
            let value = |variable: &RuntimeVariable, index: &[i64]| {
                let clamp = variable.clamp();
                let element: i64 = index
                    .iter()
                    .enumerate()
                    .map(|(k, i)| (k as i64 + 2) * i)
                    .sum();
                let value = values[variable.origin.value.as_str()] + element;
                value.clamp(clamp.lower, clamp.upper)
            };
            // Root index -> elements.
            let mut relation: BTreeMap<Index, BTreeSet<Index>> = BTreeMap::new();
            for map in maps {
                let upper: Vec<i64> = map.ranges().iter().map(|v| v.interval.upper + 1).collect();
                let lower: Vec<i64> = map.ranges().iter().map(|v| v.interval.lower).collect();
                for index in elements(&vec![0; sizes.len()], &sizes, &ones) {
                    let counts: Vec<i64> = upper.iter().zip(&lower).map(|(u, l)| u - l).collect();
                    for ranges in elements(&lower, &counts, &vec![1; counts.len()]) {
                        let runtime: Vec<i64> = (map.runtime().iter())
                            .map(|variable| value(variable, &place(variable, &index, &ranges)))
                            .collect();
                        if let Some(at) = map.eval(&index, &ranges, &runtime).unwrap() {
                            relation.entry(index.clone()).or_default().insert(at);
                        }
                    }
                }
            }
            let mut answered = 0;
            for (offsets, counts) in all_tiles(&sizes, &ones) {
                let Some(has) = held(tiles, &offsets, &counts, &value) else {
                    continue;
                };
                answered += 1;
                let read: BTreeSet<Index> = elements(&offsets, &counts, &ones)
                    .iter()
                    .flat_map(|index| relation.get(index).into_iter().flatten().cloned())
                    .collect();
                let about = format!("{name} {label} {offsets:?} {counts:?} {values:?} {tiles:?}");
                if exact {
                    assert_eq!(has, read, "{about}");
                } else {
                    assert!(read.is_subset(&has), "{about}");
                }
            }
            questions += answered;
            known += usize::from(answered > 0);
        }
    }
    for (label, answer) in expected {
        match (seen.get(*label), answer) {
            (Some(Ok(exact)), Ok(wanted)) => assert_eq!(exact, wanted, "{name} {label}"),
            (Some(Err(reason)), Err(wanted)) => {
                assert!(reason.contains(wanted), "{name} {label}: {reason}")
            }
            (found, _) => panic!("{name} {label}: {found:?}, expected {answer:?}"),
        }
    }
    (questions, known)
}

/// The same, where every value that is not refused has tiles that are answered.
pub fn check(name: &str, text: &str, bound: i64, expected: Expected<'_>) {
    let (questions, known) = enumerate(name, text, bound, expected);
    assert!(
        questions > 0 && known >= expected.len(),
        "{name}: {questions} for {known} values"
    );
}
