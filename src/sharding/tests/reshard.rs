//! Changes of layout: transfers and plans are carried out on plain arrays and compared with the
//! definition.

use crate::common::{self, Plain, Random};
use mapwright_sharding::{
    Collective, DeviceMatrix, Digit, Plan, Reduction, Reshard, Step, Transfer,
};

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

/// An element: its number in the tensor, and its value.
type Element = (i64, i64);
/// The shards of all ranks, row-major, with the shape.
type Shards = Vec<(Vec<Element>, Vec<i64>)>;

/// The ranks of a group, major digit first, that differ from `at` in some digits only.
fn group(at: i64, digits: &[Digit]) -> Vec<i64> {
    let base = at
        - digits
            .iter()
            .map(|d| d.value_of(at) * d.stride)
            .sum::<i64>();
    digits.iter().fold(vec![base], |all, d| {
        all.iter()
            .flat_map(|p| (0..d.size).map(move |k| p + k * d.stride))
            .collect()
    })
}

fn slice(
    shard: &(Vec<Element>, Vec<i64>),
    dim: usize,
    part: i64,
    parts: i64,
) -> (Vec<Element>, Vec<i64>) {
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

fn join(parts: &[(Vec<Element>, Vec<i64>)], dim: usize) -> (Vec<Element>, Vec<i64>) {
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

/// What a rank gets by direct sends or a permute: the sum of what comes for each element.
fn fetch(
    shape: &[i64],
    list: &[Transfer],
    rank: i64,
    shards: &Shards,
    bytes: i64,
    moved: &mut [(i64, i64)],
) -> (Vec<Element>, Vec<i64>) {
    let mut sum = std::collections::BTreeMap::new();
    for t in list {
        let mut elements = vec![0];
        for (i, n) in t.global.iter().zip(shape) {
            elements = elements
                .iter()
                .flat_map(|e| i.values().map(move |v| e * n + v))
                .collect();
        }
        if t.from != rank {
            moved[t.from as usize].0 += elements.len() as i64 * bytes;
            moved[rank as usize].1 += elements.len() as i64 * bytes;
        }
        for e in elements {
            let source = &shards[t.from as usize].0;
            let found = source.binary_search_by_key(&e, |x| x.0);
            *sum.entry(e).or_insert(0) += source[found.expect("the source holds it")].1;
        }
    }
    let side = |dim: usize| {
        let inner: i64 = shape[dim + 1..].iter().product();
        let mut at: Vec<i64> = sum.keys().map(|e| e / inner % shape[dim]).collect();
        at.sort_unstable();
        at.dedup();
        at.len() as i64
    };
    (
        sum.iter().map(|(e, v)| (*e, *v)).collect(),
        (0..shape.len()).map(side).collect(),
    )
}

/// Carries out one step, as the collective of that name does, and adds the bytes that each rank
/// sends and receives.
fn carry_out(
    step: &Step,
    shape: &[i64],
    shards: &Shards,
    bytes: i64,
    moved: &mut [(i64, i64)],
) -> Shards {
    let count = |moved: &mut [(i64, i64)], at: i64, size: i64| {
        moved[at as usize].0 += size;
        moved[at as usize].1 += size;
    };
    let mut out = Vec::new();
    for at in 0..shards.len() as i64 {
        let members = group(at, &step.axes);
        let own = members.iter().position(|m| *m == at).unwrap() as i64;
        let k = members.len() as i64;
        let of = |m: i64| &shards[m as usize];
        let local = of(at).0.len() as i64 * bytes;
        out.push(match step.collective {
            Collective::Slice => slice(of(at), step.to_dim.unwrap(), own, k),
            Collective::AllGather => {
                count(moved, at, (k - 1) * local);
                let parts: Vec<_> = members.iter().map(|m| of(*m).clone()).collect();
                join(&parts, step.from_dim.unwrap())
            }
            Collective::AllToAll => {
                let parts: Vec<_> = members
                    .iter()
                    .map(|m| slice(of(*m), step.to_dim.unwrap(), own, k))
                    .collect();
                count(moved, at, (k - 1) * parts[0].0.len() as i64 * bytes);
                join(&parts, step.from_dim.unwrap())
            }
            Collective::AllReduce | Collective::ReduceScatter => {
                let mut sum = of(members[0]).clone();
                for m in &members[1..] {
                    let more = sum.0.iter_mut().zip(&of(*m).0);
                    more.for_each(|(a, b)| a.1 += b.1);
                }
                if step.collective == Collective::AllReduce {
                    count(moved, at, (2 * (k - 1) * local + k - 1) / k);
                    sum
                } else {
                    count(moved, at, (k - 1) * local / k);
                    slice(&sum, step.to_dim.unwrap(), own, k)
                }
            }
            _ => fetch(
                shape,
                &step.transfers[at as usize],
                at,
                shards,
                bytes,
                moved,
            ),
        });
    }
    out
}

fn shards(p: &Plain) -> Shards {
    (0..p.count())
        .map(|r| {
            (
                p.elements(r).into_iter().map(|e| (e, e)).collect(),
                p.ranges(r).iter().map(|(a, b)| b - a).collect(),
            )
        })
        .collect()
}

/// Carries out a plan, and checks that it makes the new slices and moves as many bytes as it says.
fn check(plan: &Plan, mut at: Shards, b: &Plain, bytes: i64) {
    let mut moved = vec![(0, 0); at.len()];
    for step in plan.steps() {
        at = carry_out(step, &b.shape, &at, bytes, &mut moved);
    }
    if plan.steps().is_empty() {
        let kept: Shards = at
            .iter()
            .zip(shards(b))
            .map(|(have, want)| {
                (
                    have.0
                        .iter()
                        .filter(|e| want.0.contains(e))
                        .copied()
                        .collect(),
                    want.1,
                )
            })
            .collect();
        at = kept;
    }
    assert_eq!(at, shards(b), "{plan:?}");
    for (rank, (sent, received)) in moved.iter().enumerate() {
        let says = (plan.sent(rank as i64), plan.received(rank as i64));
        assert_eq!((*sent, *received), says, "rank {rank} of {plan:?}");
    }
    let most = moved.iter().map(|m| m.0.max(m.1)).max().unwrap_or(0);
    assert_eq!(most, plan.cost());
    assert!(plan.bound() <= most && plan.proved() == (most == plan.bound()));
}

/// The cost of sending the boxes that [`Reshard::transfers`] lists.
fn plain_sends(change: &Reshard, count: i64, bytes: i64) -> i64 {
    let mut moved = vec![(0, 0); count as usize];
    for rank in 0..count {
        for t in change
            .transfers(rank)
            .unwrap()
            .iter()
            .filter(|t| t.from != rank)
        {
            let size: i64 = t.global.iter().map(|i| i.len() as i64).product();
            moved[t.from as usize].0 += size * bytes;
            moved[rank as usize].1 += size * bytes;
        }
    }
    moved.iter().map(|m| m.0.max(m.1)).max().unwrap_or(0)
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
        check(&plan, shards(&a), &b, 4);
        let missing = |rank: i64| change.missing_elements(rank).unwrap() * 4;
        let most = (0..a.count()).map(missing).max().unwrap_or(0);
        assert_eq!(
            (plan.bound(), plan.cost()),
            (most, most),
            "case {case}: {a:?} {b:?}"
        );
        let identity = (0..a.count()).all(|k| a.ranges(k) == b.ranges(k));
        assert_eq!(
            plan.collective() == Collective::Nothing,
            identity,
            "case {case}: {a:?} {b:?}"
        );
        assert_eq!(
            matches!(plan.collective(), Collective::Nothing | Collective::Slice),
            most == 0,
            "case {case}: {a:?} {b:?} {plan:?}"
        );
    }
    for kind in [
        Collective::Slice,
        Collective::AllGather,
        Collective::AllToAll,
        Collective::CollectivePermute,
        Collective::PointToPoint,
        Collective::Sequence,
    ] {
        assert!(kinds.get(&kind).is_some_and(|n| *n > 10), "{kinds:?}");
    }
}

/// Lists of devices: what a rank holds is what stands at its position.
#[test]
fn listed_devices_fetch_what_they_lack() {
    let mut r = Random::new(14);
    let mut kinds = std::collections::BTreeMap::new();
    for case in 0..400 {
        let (a, b) = pair(&mut r);
        let mut order = || {
            let mut ids: Vec<i64> = (0..a.count()).collect();
            r.shuffle(&mut ids);
            ids
        };
        let before = order();
        let after = [before.clone(), order()][case % 2].clone();
        let placed = |p: &Plain, ids: &[i64]| {
            let layout = p.layout().with_device_ids(ids).unwrap();
            layout.of_shape(&p.shape).unwrap()
        };
        let change = Reshard::new(placed(&a, &before), placed(&b, &after)).unwrap();
        let plan = change.plan(4).unwrap();
        let missing = |rank: i64| change.missing_elements(rank).unwrap() * 4;
        let most = (0..a.count()).map(missing).max().unwrap_or(0);
        assert_eq!((plan.cost(), plan.bound()), (most, most), "case {case}");
        let by_rank = |p: &Plain, ids: &[i64]| -> Shards {
            let mut list: Vec<_> = ids.iter().zip(shards(p)).collect();
            list.sort_by_key(|x| *x.0);
            list.into_iter().map(|x| x.1).collect()
        };
        let (has, wants) = (by_rank(&a, &before), by_rank(&b, &after));
        let mut moved = vec![(0, 0); has.len()];
        let Some(_) = plan.transfers(0).filter(|list| !list.is_empty()) else {
            continue;
        };
        *kinds.entry(plan.collective()).or_insert(0) += 1;
        for (rank, want) in (0..a.count()).zip(&wants) {
            let list = plan.transfers(rank).unwrap();
            let got = fetch(&a.shape, list, rank, &has, 4, &mut moved);
            assert_eq!(got, *want, "case {case}, rank {rank}: {plan:?}");
        }
        for (rank, bytes) in (0..a.count()).zip(&moved) {
            assert_eq!(*bytes, (plan.sent(rank), plan.received(rank)));
        }
    }
    for kind in [Collective::CollectivePermute, Collective::PointToPoint] {
        assert!(kinds.get(&kind).is_some_and(|n| *n > 5), "{kinds:?}");
    }
}

/// All device matrices of a number of devices, with axes of more than one.
fn matrices(count: i64) -> Vec<Vec<i64>> {
    if count == 1 {
        return vec![Vec::new()];
    }
    let first = (2..=count).filter(|n| count % n == 0);
    first
        .flat_map(|n| {
            let rest = matrices(count / n);
            rest.into_iter().map(move |m| [vec![n], m].concat())
        })
        .collect()
}

/// All layouts of two dimensions on a device matrix.
fn layouts(sizes: &[i64], shape: &[i64]) -> Vec<Plain> {
    let mut all = vec![vec![Vec::new(), Vec::new()]];
    for axis in 0..sizes.len() {
        // Every place of one more axis among those that are there.
        let mut more: Vec<Vec<Vec<usize>>> = Vec::new();
        for dims in &all {
            more.push(dims.clone());
            for dim in 0..2 {
                for at in 0..=dims[dim].len() {
                    let mut next = dims.clone();
                    next[dim].insert(at, axis);
                    more.push(next);
                }
            }
        }
        all = more;
    }
    let plain = |dims| Plain {
        sizes: sizes.to_vec(),
        dims,
        shape: shape.to_vec(),
    };
    all.into_iter().map(plain).collect()
}

/// All changes between different placements of a matrix, on all device matrices of up to twelve
/// devices: each plan costs the bound, which is what some rank needs and does not hold.
#[test]
fn every_change_of_up_to_twelve_devices() {
    let mut plans = 0;
    for count in 1..=12 {
        let shape = [count, count];
        let mut all: Vec<Plain> = Vec::new();
        for plain in matrices(count).iter().flat_map(|m| layouts(m, &shape)) {
            let ranges = |p: &Plain| (0..count).map(|r| p.ranges(r)).collect::<Vec<_>>();
            if !all.iter().any(|p| ranges(p) == ranges(&plain)) {
                all.push(plain);
            }
        }
        for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
            let change = reshard(a, b);
            let plan = change.plan(1).unwrap();
            check(&plan, shards(a), b, 1);
            let lacks = |rank: i64| {
                let has = a.elements(rank);
                b.elements(rank).iter().filter(|e| !has.contains(e)).count() as i64
            };
            let most = (0..count).map(lacks).max().unwrap();
            assert_eq!(
                (plan.bound(), plan.cost()),
                (most, most),
                "{a:?} {b:?} {plan:?}"
            );
            assert!(plan.cost() <= plain_sends(&change, count, 1));
            plans += 1;
        }
    }
    assert!(plans > 10_000, "{plans}");
}

#[test]
fn a_rotation_and_a_gather_move_what_is_lacking() {
    let m = DeviceMatrix::new(&[4, 3, 4], &["a", "b", "c"]).unwrap();
    let of = |map: &[&[&str]]| m.layout(map).unwrap().of_shape(&[48]).unwrap();
    let plan = Reshard::new(of(&[&["b", "a", "c"]]), of(&[&["c", "a"]])).unwrap();
    let plan = plan.plan(4).unwrap();
    // A rank needs three elements of four bytes, and some rank holds none of its three.
    assert_eq!((plan.cost(), plan.bound()), (12, 12), "{plan:?}");
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
    let mut r = Random::new(13);
    for _ in 0..200 {
        let (a, b) = pair(&mut r);
        combine(&a, &b);
    }
    // Every change of up to eight devices whose first free axis holds shares.
    for count in 1..=8 {
        let shape = [count, count];
        for sizes in matrices(count) {
            let all = layouts(&sizes, &shape);
            for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
                combine(a, b);
            }
        }
    }
}

/// Lets the first axis that does not split `a` hold shares, and checks the plan: every rank of a
/// group holds a share, the sum is the tensor.
fn combine(a: &Plain, b: &Plain) {
    let named = |x: &usize| a.dims.iter().flatten().any(|y| y == x);
    let Some(axis) = (0..a.sizes.len()).find(|x| !named(x) && a.sizes[*x] > 1) else {
        return;
    };
    let layout = a.layout();
    let layout = layout
        .with_partial(&common::axis_name(axis), Reduction::Sum)
        .unwrap();
    let digit = layout.axis_digit(axis);
    let from = layout.of_shape(&a.shape).unwrap();
    let change = Reshard::new(from, b.layout().of_shape(&b.shape).unwrap()).unwrap();
    let plan = change.plan(4).unwrap();
    // The share of replica k is 1000 k, and that of replica zero what is left: they sum to the
    // value.
    let share = |rank: i64, v: i64| match (digit.value_of(rank), digit.size) {
        (0, n) => v - (1..n).map(|j| 1000 * j).sum::<i64>(),
        (k, _) => 1000 * k,
    };
    let mut at = shards(a);
    for (rank, s) in at.iter_mut().enumerate() {
        s.0.iter_mut().for_each(|v| v.1 = share(rank as i64, v.1));
    }
    check(&plan, at, b, 4);
    assert!(
        plan.cost() <= plain_sends(&change, a.count(), 4),
        "{a:?} {b:?}"
    );
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
