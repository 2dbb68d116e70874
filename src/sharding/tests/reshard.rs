//! Changes of layout: transfers and plans are carried out on plain arrays and compared with the definition.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic is how a test fails.

mod common;

use common::{Plain, Random};
use mapwright_sharding::{Collective, DeviceMatrix, Digit, Plan, Reduction, Reshard, Step};

/// Two random layouts of one tensor on the same devices; the second often on another device matrix.
fn pair(r: &mut Random) -> (Plain, Plain) {
    loop {
        let mut a = Plain::random(r, 24);
        let sizes = match r.below(3) {
            0 => a.sizes.clone(),
            1 => {
                let mut s = a.sizes.clone();
                r.shuffle(&mut s);
                s
            }
            _ => vec![a.count()],
        };
        let mut b = Plain::random_on(r, sizes);
        b.dims.resize(a.dims.len(), Vec::new());
        let lcm = |x: i64, y: i64| (1..=y).map(|k| x * k).find(|m| m % y == 0).unwrap();
        let parts = |p: &Plain, i: usize| p.dims[i].iter().map(|x| p.sizes[*x]).product::<i64>();
        let shape: Vec<i64> = (0..a.dims.len())
            .map(|i| lcm(parts(&a, i), parts(&b, i)) * [1, 2][r.below(2)])
            .collect();
        if shape.iter().product::<i64>() <= 3000 {
            a.shape.clone_from(&shape);
            b.shape = shape;
            return (a, b);
        }
    }
}

fn reshard(a: &Plain, b: &Plain) -> Reshard {
    Reshard::new(
        a.layout().of_shape(&a.shape).unwrap(),
        b.layout().of_shape(&b.shape).unwrap(),
    )
    .unwrap()
}

#[test]
fn transfers_make_the_new_slices() {
    let mut r = Random::new(11);
    for case in 0..400 {
        let (a, b) = pair(&mut r);
        let change = reshard(&a, &b);
        let map = change.map();
        let to = change.to();
        for rank in 0..a.count() {
            let need = b.elements(rank);
            let mut got = Vec::new();
            let mut missing = 0;
            for t in change.transfers(rank).unwrap() {
                let has = a.elements(t.from);
                let mut elements = vec![0];
                for (i, n) in t.global.iter().zip(&a.shape) {
                    elements = elements
                        .iter()
                        .flat_map(|e| i.values().map(move |v| e * n + v))
                        .collect();
                }
                assert!(
                    elements.iter().all(|e| has.contains(e)),
                    "case {case}: {a:?} {b:?} rank {rank} from {}",
                    t.from
                );
                if t.from != rank {
                    let own = a.elements(rank);
                    assert!(
                        elements.iter().all(|e| !own.contains(e)),
                        "what a rank holds itself is not fetched"
                    );
                    missing += elements.len();
                }
                got.extend(elements);
            }
            got.sort_unstable();
            let mut sorted = need.clone();
            sorted.sort_unstable();
            assert_eq!(got, sorted, "case {case}: every element once");
            assert_eq!(change.missing_elements(rank).unwrap(), missing as i64);
        }
        // The map says the same, element by element.
        if a.count() * to.shard_elements() <= 2000 {
            let mut own: Vec<usize> = vec![0; a.count() as usize];
            map.for_each_point(|at, _, _, source| {
                let rank = at[0] as usize;
                let element = b.elements(at[0])[own[rank]];
                own[rank] += 1;
                let local: i64 = source[1..]
                    .iter()
                    .zip(change.from().shard_shape())
                    .fold(0, |e, (l, n)| e * n + l);
                assert_eq!(
                    a.elements(source[0])[local as usize],
                    element,
                    "case {case}: {a:?} {b:?} {map}"
                );
                true
            });
        }
        assert_eq!(
            change.identity().holds,
            Some((0..a.count()).all(|k| a.ranges(k) == b.ranges(k))),
            "case {case}"
        );
    }
}

/// The shards of all positions: element numbers, row-major, with the shape.
type Shards = Vec<(Vec<i64>, Vec<i64>)>;

fn digit_sum(at: i64, digits: &[Digit]) -> i64 {
    at - digits.iter().map(|d| d.of(at) * d.stride).sum::<i64>()
}

/// The ranks of a group, major digit first, that differ from `at` in some digits only.
fn group(at: i64, digits: &[Digit]) -> Vec<i64> {
    let base = digit_sum(at, digits);
    digits.iter().fold(vec![base], |all, d| {
        all.iter()
            .flat_map(|p| (0..d.size).map(move |k| p + k * d.stride))
            .collect()
    })
}

fn slice(shard: &(Vec<i64>, Vec<i64>), dim: usize, part: i64, parts: i64) -> (Vec<i64>, Vec<i64>) {
    let (data, shape) = shard;
    let inner: i64 = shape[dim + 1..].iter().product();
    let size = shape[dim] / parts;
    let kept = data
        .iter()
        .enumerate()
        .filter(|(i, _)| (*i as i64 / inner) % shape[dim] / size.max(1) == part)
        .map(|x| *x.1)
        .collect();
    let mut shape = shape.clone();
    shape[dim] = size;
    (kept, shape)
}

fn join(parts: &[(Vec<i64>, Vec<i64>)], dim: usize) -> (Vec<i64>, Vec<i64>) {
    let mut shape = parts[0].1.clone();
    let outer: i64 = shape[..dim].iter().product();
    let inner: i64 = shape[dim..].iter().product();
    shape[dim] *= parts.len() as i64;
    let mut data = Vec::new();
    for o in 0..outer {
        for p in parts {
            data.extend(&p.0[(o * inner) as usize..((o + 1) * inner) as usize]);
        }
    }
    (data, shape)
}

/// Carries out one step, as the collective of that name does.
fn carry_out(step: &Step, all: &[Digit], shards: &Shards) -> Shards {
    (0..shards.len() as i64)
        .map(|at| {
            let members = group(at, &step.axes);
            let own = members.iter().position(|m| *m == at).unwrap() as i64;
            let k = members.len() as i64;
            let of = |m: i64| &shards[m as usize];
            match step.collective {
                Collective::Slice => slice(of(at), step.to_dim.unwrap(), own, k),
                Collective::AllGather => join(
                    &members.iter().map(|m| of(*m).clone()).collect::<Vec<_>>(),
                    step.from_dim.unwrap(),
                ),
                Collective::AllToAll => {
                    let parts: Vec<_> = members
                        .iter()
                        .map(|m| slice(of(*m), step.to_dim.unwrap(), own, k))
                        .collect();
                    join(&parts, step.from_dim.unwrap())
                }
                Collective::CollectivePermute => of(step.source(all, at)).clone(),
                Collective::AllReduce | Collective::ReduceScatter => {
                    let mut sum = of(members[0]).clone();
                    for m in &members[1..] {
                        sum.0.iter_mut().zip(&of(*m).0).for_each(|(a, b)| *a += b);
                    }
                    if step.collective == Collective::AllReduce {
                        sum
                    } else {
                        slice(&sum, step.to_dim.unwrap(), own, k)
                    }
                }
                _ => panic!("{step:?}"),
            }
        })
        .collect()
}

fn shards(p: &Plain) -> Shards {
    (0..p.count())
        .map(|r| {
            (
                p.elements(r),
                p.ranges(r).iter().map(|(a, b)| b - a).collect(),
            )
        })
        .collect()
}

#[test]
fn plans_carried_out_make_the_new_slices() {
    let mut r = Random::new(12);
    let mut kinds = std::collections::BTreeMap::new();
    for case in 0..1500 {
        let (a, b) = pair(&mut r);
        let change = reshard(&a, &b);
        let plan = change.plan(4).unwrap();
        *kinds.entry(plan.collective()).or_insert(0) += 1;
        let missing = |rank: i64| change.missing_elements(rank).unwrap() * 4;
        for rank in 0..a.count() {
            assert!(
                plan.received(rank) >= missing(rank),
                "case {case}: no plan moves less than what is missing"
            );
        }
        let total = |f: &dyn Fn(i64) -> i64| (0..a.count()).map(f).sum::<i64>();
        assert_eq!(total(&|k| plan.received(k)), total(&|k| plan.sent(k)));
        if plan.reason().is_some() {
            assert_eq!(
                total(&|k| plan.received(k)),
                total(&missing),
                "case {case}: {:?}",
                plan.collective()
            );
            continue;
        }
        let mut at = shards(&a);
        for step in plan.steps() {
            at = carry_out(step, plan.digits(), &at);
        }
        assert_eq!(at, shards(&b), "case {case}: {a:?} {b:?} {plan:?}");
        let identity = (0..a.count()).all(|k| a.ranges(k) == b.ranges(k));
        assert_eq!(
            plan.collective() == Collective::Nothing,
            identity,
            "case {case}: {a:?} {b:?}"
        );
        let local = (0..a.count()).all(|k| missing(k) == 0);
        assert_eq!(
            matches!(plan.collective(), Collective::Nothing | Collective::Slice),
            local,
            "case {case}: {a:?} {b:?} {plan:?}"
        );
    }
    for kind in [
        Collective::Slice,
        Collective::AllGather,
        Collective::AllToAll,
        Collective::CollectivePermute,
        Collective::Sequence,
    ] {
        assert!(kinds.get(&kind).is_some_and(|n| *n > 10), "{kinds:?}");
    }
}

#[test]
fn the_standard_collectives() {
    let m = DeviceMatrix::new(&[2, 4], &["x", "y"]).unwrap();
    let plan = |from: &[&[&str]], to: &[&[&str]], shape: &[i64]| -> (Collective, i64) {
        let of = |map: &[&[&str]]| m.layout(map).unwrap().of_shape(shape).unwrap();
        let plan = Reshard::new(of(from), of(to)).unwrap().plan(4).unwrap();
        (plan.collective(), plan.received(1))
    };
    let n: &[&str] = &[];
    assert_eq!(
        plan(&[&["x"], n], &[&["x"], n], &[8, 8]),
        (Collective::Nothing, 0)
    );
    assert_eq!(
        plan(&[&["x"], n], &[&["x", "y"], n], &[8, 8]),
        (Collective::Slice, 0)
    );
    assert_eq!(
        plan(&[&["x", "y"], n], &[&["x"], n], &[8, 8]),
        (Collective::AllGather, 3 * 8 * 4)
    );
    assert_eq!(
        plan(&[&["x"], &["y"]], &[n, n], &[8, 8]),
        (Collective::AllGather, 7 * 8 * 4)
    );
    assert_eq!(
        plan(&[&["y"], n], &[n, &["y"]], &[8, 8]),
        (Collective::AllToAll, 16 * 4 * 3 / 4)
    );
    // Ranks 0 and 7 keep their slice, rank 1 gets that of rank 4.
    assert_eq!(
        plan(&[&["x", "y"], n], &[&["y", "x"], n], &[8, 8]),
        (Collective::CollectivePermute, 8 * 4)
    );
}

#[test]
fn partial_results() {
    let m = DeviceMatrix::new(&[2, 4], &["x", "y"]).unwrap();
    let from = m
        .layout(&["x", "None"])
        .unwrap()
        .with_partial("y", Reduction::Sum)
        .unwrap()
        .of_shape(&[8, 8])
        .unwrap();
    let to = |map: &[&[&str]]| m.layout(map).unwrap().of_shape(&[8, 8]).unwrap();
    let plan = |map: &[&[&str]]| -> Plan {
        Reshard::new(from.clone(), to(map))
            .unwrap()
            .plan(4)
            .unwrap()
    };
    let scatter = plan(&[&["x"], &["y"]]);
    assert_eq!(
        (scatter.collective(), scatter.received(3)),
        (Collective::ReduceScatter, 32 * 4 * 3 / 4)
    );
    let all = plan(&[&["x"], &[]]);
    assert_eq!(
        (all.collective(), all.received(3)),
        (Collective::AllReduce, 2 * 32 * 4 * 3 / 4)
    );
    let change = Reshard::new(from.clone(), to(&[&["x"], &["y"]])).unwrap();
    assert_eq!(change.reduction(), Some(Reduction::Sum));
    assert_eq!(
        change
            .transfers(6)
            .unwrap()
            .iter()
            .map(|t| t.from)
            .collect::<Vec<_>>(),
        [4, 5, 6, 7]
    );
    assert_eq!(change.identity().holds, Some(false));
    assert_eq!(
        Reshard::new(to(&[&["x"], &[]]), from)
            .unwrap_err()
            .to_string(),
        "no layout has this map: the target has partial results along `y`, which the source does not have: full values do not become partial by moving them"
    );
    // Summands carried out: every rank of a group holds a share, the sum is the tensor.
    let mut r = Random::new(13);
    for case in 0..200 {
        let (a, b) = pair(&mut r);
        let free: Vec<usize> = (0..a.sizes.len())
            .filter(|x| !a.dims.iter().flatten().any(|y| y == x) && a.sizes[*x] > 1)
            .collect();
        let Some(axis) = free.first() else { continue };
        let layout = a
            .layout()
            .with_partial(&common::axis_name(*axis), Reduction::Sum)
            .unwrap();
        let digit = layout.axis_digit(*axis);
        let change = Reshard::new(
            layout.of_shape(&a.shape).unwrap(),
            b.layout().of_shape(&b.shape).unwrap(),
        )
        .unwrap();
        let plan = change.plan(1).unwrap();
        if plan.reason().is_some() {
            continue;
        }
        // The share of replica k of value v is v when k is zero and 1000 k - 1000 (n - 1) k / (n - 1) otherwise: sums to v.
        let share = |rank: i64, v: i64| -> i64 {
            let (k, n) = (digit.of(rank), digit.size);
            if k == 0 {
                v - (1..n).map(|j| 1000 * j).sum::<i64>()
            } else {
                1000 * k
            }
        };
        let mut at = shards(&a);
        for (rank, s) in at.iter_mut().enumerate() {
            s.0.iter_mut().for_each(|v| *v = share(rank as i64, *v));
        }
        for step in plan.steps() {
            at = carry_out(step, plan.digits(), &at);
        }
        assert_eq!(at, shards(&b), "case {case}: {a:?} {b:?} {plan:?}");
    }
}

#[test]
fn errors() {
    let m = DeviceMatrix::new(&[2, 4], &["x", "y"]).unwrap();
    let other = DeviceMatrix::new(&[4], &["x"]).unwrap();
    let a = m.layout(&["x"]).unwrap().of_shape(&[8]).unwrap();
    assert_eq!(
        Reshard::new(
            a.clone(),
            other.layout(&["x"]).unwrap().of_shape(&[8]).unwrap()
        )
        .unwrap_err()
        .to_string(),
        "layout (x=2, y=4)(x) has 8 devices, layout (x=4)(x) has 4"
    );
    assert_eq!(
        Reshard::new(a, m.layout(&["x"]).unwrap().of_shape(&[16]).unwrap())
            .unwrap_err()
            .to_string(),
        "the shapes differ: [8] and [16]"
    );
}
