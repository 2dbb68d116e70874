//! The worked cases of the document, errors, and random layouts against the definition.

use crate::common::{Plain, Random};
use mapwright_sharding::{
    DeviceMatrix, IntoSplit, Layout, LayoutError, Reduction, Repeat, Split, layout_of_map,
};

fn layout(sizes: &[i64], names: &str, map: &[impl IntoSplit]) -> Layout {
    let names: Vec<&str> = names.split_whitespace().collect();
    DeviceMatrix::new(sizes, &names)
        .unwrap()
        .layout(map)
        .unwrap()
}

#[test]
fn worked_cases() {
    let check = |layout: Layout, strides: &[(&str, i64)], slices: &[i64]| {
        assert_eq!(layout.strides(), strides);
        assert_eq!(layout.slices(), slices);
        for (rank, slice) in slices.iter().enumerate() {
            assert_eq!(layout.slice_of(rank as i64), Ok(*slice));
            assert!(layout.holders(*slice).unwrap().contains(&(rank as i64)));
        }
    };
    let five = "a b c d e";
    check(
        layout(&[2, 1, 2, 2, 1], five, &["b", "d", "e", "c", "a"]),
        &[("b", 8), ("d", 4), ("e", 4), ("c", 2), ("a", 1)],
        &[0, 4, 2, 6, 1, 5, 3, 7],
    );
    check(
        layout(&[4, 1, 1, 2, 1], five, &["b", "d", "e", "a"]),
        &[("b", 8), ("d", 4), ("e", 4), ("a", 1)],
        &[0, 4, 1, 5, 2, 6, 3, 7],
    );
    check(
        layout(&[2, 1, 2, 2, 1], five, &["b", "e", "c", "a"]),
        &[("b", 4), ("e", 4), ("c", 2), ("a", 1)],
        &[0, 0, 2, 2, 1, 1, 3, 3],
    );
    let numbered = |s: &[i64]| -> Vec<(&'static str, i64)> {
        ["4", "3", "2", "1", "0"]
            .into_iter()
            .zip(s.iter().copied())
            .collect()
    };
    let full = Layout::shard(&[2, 1, 2, 2, 1], 8, Repeat::Right).unwrap();
    check(full, &numbered(&[4, 4, 2, 1, 1]), &[0, 1, 2, 3, 4, 5, 6, 7]);
    let right = Layout::shard(&[2, 1, 1, 2, 1], 8, Repeat::Right).unwrap();
    check(
        right.clone(),
        &numbered(&[2, 2, 2, 1, 1]),
        &[0, 0, 1, 1, 2, 2, 3, 3],
    );
    assert_eq!(right.replicas(), [[0, 1], [2, 3], [4, 5], [6, 7]]);
    let left = Layout::shard(&[2, 1, 1, 2, 1], 8, Repeat::Left).unwrap();
    check(
        left.clone(),
        &numbered(&[2, 2, 2, 1, 1]),
        &[0, 1, 2, 3, 0, 1, 2, 3],
    );
    assert_eq!(left.replicas(), [[0, 4], [1, 5], [2, 6], [3, 7]]);
}

#[test]
fn printed_slices_of_the_example_tensor() {
    let tensor = layout(&[2, 1, 2, 2, 1], "a b c d e", &["b", "d", "e", "c", "a"])
        .of_shape(&[1, 2, 1, 2, 2])
        .unwrap();
    let values: Vec<i64> = (0..8)
        .map(|rank| {
            tensor
                .range_of(rank)
                .unwrap()
                .iter()
                .zip(tensor.shape())
                .fold(0, |e, (i, n)| e * n + i.lower)
        })
        .collect();
    assert_eq!(values, [0, 4, 2, 6, 1, 5, 3, 7]);
    assert_eq!(tensor.shard_shape(), [1, 1, 1, 1, 1]);
}

#[test]
fn tuples_split_by_the_first_axis_first() {
    let matrix = DeviceMatrix::new(&[2, 3], &["x", "y"]).unwrap();
    let of = |map: &[&[&str]]| matrix.layout(map).unwrap().slices();
    assert_eq!(of(&[&["x", "y"]]), [0, 1, 2, 3, 4, 5]);
    assert_eq!(of(&[&["y", "x"]]), [0, 2, 4, 1, 3, 5]);
    assert_eq!(of(&[&["None"], &["y"]]), [0, 1, 2, 0, 1, 2]);
}

#[test]
fn errors_name_the_culprit_and_the_numbers() {
    let new = |sizes: &[i64], names: &[&str]| {
        DeviceMatrix::new(sizes, names)
            .map(|_| ())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        new(&[2, 2], &["a"]),
        "the device matrix has 2 axes, but there are 1 names"
    );
    assert_eq!(
        new(&[2, 2, 2], &["a", "b", "a"]),
        "axis name `a` is given twice, to axes 0 and 2 of the device matrix"
    );
    assert_eq!(
        new(&[2, 0], &["a", "b"]),
        "axis `b` of the device matrix has size 0, it must be at least 1"
    );
    assert_eq!(
        new(&[i64::MAX, 2], &["a", "b"]),
        "the device matrix [9223372036854775807, 2] has more devices than fit into 64 bits"
    );
    assert_eq!(
        new(&[2], &["None"]),
        "axis 0 of the device matrix has the name `None`, which a tensor map cannot refer to"
    );
    let m = DeviceMatrix::new(&[2, 4], &["x", "y"]).unwrap();
    let map = |map: &[&[&str]]| m.layout(map).unwrap_err().to_string();
    assert_eq!(
        map(&[&["x"], &["z"]]),
        "dimension 1 is split along `z`, which is no axis of the device matrix (there is x, y)"
    );
    assert_eq!(
        map(&[&["x"], &["y", "x"]]),
        "axis `x` is used twice, by dimension 0 and dimension 1"
    );
    let l = m.layout(&["x", "y"]).unwrap();
    let shape = |shape: &[i64]| l.of_shape(shape).unwrap_err().to_string();
    assert_eq!(
        shape(&[2]),
        "the tensor map is of length 2, but the tensor has 1 dimension (shape [2])"
    );
    assert_eq!(
        shape(&[2, 6]),
        "dimension 1 of size 6 cannot be split evenly into 4 parts (axes y=4)"
    );
    assert_eq!(shape(&[-2, 4]), "dimension 0 has size -2");
    assert_eq!(
        shape(&[1 << 62, 4]),
        "a tensor of shape [4611686018427387904, 4] has more elements than fit into 64 bits"
    );
    assert_eq!(
        l.slice_of(8).unwrap_err().to_string(),
        "rank 8 does not exist, there are 8 devices"
    );
    assert_eq!(
        l.slice_of(-1).unwrap_err().to_string(),
        "rank -1 does not exist, there are 8 devices"
    );
    assert_eq!(
        Layout::shard(&[3], 8, Repeat::Right)
            .unwrap_err()
            .to_string(),
        "the strategy [3] uses 3 devices, which does not divide the 8 devices that there are"
    );
    assert_eq!(
        l.clone().with_device_ids(&[0, 1]).unwrap_err().to_string(),
        "the device matrix [2, 4] has 8 devices, the list of device ids has 2"
    );
    let ids = |ids: &[i64]| l.clone().with_device_ids(ids).unwrap_err().to_string();
    assert_eq!(
        ids(&[0, 1, 2, 3, 4, 5, 6, 3]),
        "device id 3 stands at positions 3 and 7"
    );
    assert_eq!(
        ids(&[0, 1, 2, 3, 4, 5, 6, -7]),
        "device id -7 at position 7 is negative"
    );
    assert_eq!(
        l.with_partial("y", Reduction::Sum).unwrap_err().to_string(),
        "axis `y` holds partial results and also splits dimension 1"
    );
}

#[test]
fn an_order_that_is_a_permutation_of_digits_becomes_part_of_the_matrix() {
    let m = DeviceMatrix::new(&[4, 2], &["x", "y"]).unwrap();
    let plain = m
        .layout(&["x", "y"])
        .unwrap()
        .with_device_ids(&[0, 4, 1, 5, 2, 6, 3, 7])
        .unwrap();
    assert_eq!(plain.device_ids(), None);
    assert_eq!(plain.to_string(), "(y=2, x=4)(x, y)");
    let split = m
        .layout(&["x", "y"])
        .unwrap()
        .with_device_ids(&[0, 1, 4, 5, 2, 3, 6, 7])
        .unwrap();
    assert_eq!(
        split.to_string(),
        "(x:2:2=2, x:1:2=2, y=2)((x:1:2, x:2:2), y)"
    );
    let listed = m
        .layout(&["x", "y"])
        .unwrap()
        .with_device_ids(&[7, 6, 5, 4, 3, 2, 1, 0])
        .unwrap();
    assert_eq!(listed.device_ids(), Some(&[7, 6, 5, 4, 3, 2, 1, 0][..]));
    assert_eq!(listed.slices(), [7, 6, 5, 4, 3, 2, 1, 0]);
    // Whatever the order: the device at a position holds the slice of the position.
    let mut r = Random::new(5);
    for case in 0..300 {
        let p = Plain::random(&mut r, 24);
        let mut ids: Vec<i64> = (0..p.count()).collect();
        if case % 2 == 0 {
            r.shuffle(&mut ids);
        } else {
            // Each axis is a digit of the rank, in another order than in the matrix.
            let mut axes: Vec<usize> = (0..p.sizes.len()).collect();
            r.shuffle(&mut axes);
            let mut strides = vec![0; axes.len()];
            let mut stride = 1;
            for a in axes {
                strides[a] = stride;
                stride *= p.sizes[a];
            }
            ids = vec![0];
            for (size, stride) in p.sizes.iter().zip(strides) {
                ids = ids
                    .iter()
                    .flat_map(|i| (0..*size).map(move |k| i + k * stride))
                    .collect();
            }
        }
        let ordered = p.layout().with_device_ids(&ids).unwrap();
        let slices = p.slices();
        for (position, id) in ids.iter().enumerate() {
            assert_eq!(
                ordered.slice_of(*id),
                Ok(slices[position]),
                "case {case}: {p:?} {ids:?} {ordered}"
            );
        }
        assert!(
            case % 2 == 0 || ordered.device_ids().is_none(),
            "case {case}: {p:?} {ids:?}"
        );
    }
}

/// Slices, ranges, replicas, holders and the map of random layouts, against the definition.
#[test]
fn random_layouts_against_the_definition() {
    let mut r = Random::new(1);
    let (mut cases, mut tuples, mut replicated, mut six) = (0, 0, 0, 0);
    while cases < 6000 {
        let p = Plain::random(&mut r, 96);
        if p.shape.iter().product::<i64>() > 4096 {
            continue;
        }
        cases += 1;
        tuples += usize::from(p.dims.iter().any(|d| d.len() > 1));
        six += usize::from(p.dims.len() == 6);
        let layout = p.layout();
        let tensor = layout.of_shape(&p.shape).unwrap();
        let slices = p.slices();
        assert_eq!(layout.slices(), slices, "{p:?}");
        let map = tensor.map();
        let count = p.count();
        let groups = layout.replicas();
        replicated += usize::from(groups.len() as i64 != count);
        for rank in 0..count {
            let ranges: Vec<(i64, i64)> = tensor
                .range_of(rank)
                .unwrap()
                .iter()
                .map(|i| (i.lower, i.upper + 1))
                .collect();
            assert_eq!(ranges, p.ranges(rank), "{p:?} rank {rank}");
            assert_eq!(layout.digits_of(rank).unwrap(), p.digits(rank));
            let same: Vec<i64> = (0..count)
                .filter(|o| slices[*o as usize] == slices[rank as usize])
                .collect();
            assert_eq!(groups[slices[rank as usize] as usize], same);
        }
        for (slice, group) in groups.iter().enumerate() {
            assert_eq!(layout.holders(slice as i64).unwrap(), *group);
        }
        // The map gives, local index by local index, the elements of the slice.
        if count * tensor.shard_elements() <= 4096 {
            let mut held: Vec<Vec<i64>> = vec![Vec::new(); count as usize];
            map.for_each_point(|dims, _, _, global| {
                held[dims[0] as usize]
                    .push(global.iter().zip(&p.shape).fold(0, |e, (i, n)| e * n + i));
                true
            });
            for (rank, elements) in held.iter().enumerate() {
                assert_eq!(
                    *elements,
                    p.elements(rank as i64),
                    "{p:?} rank {rank}: {map}"
                );
            }
        }
    }
    assert!(
        tuples > 1000 && replicated > 1000 && six > 500,
        "{tuples} {replicated} {six}"
    );
}

#[test]
fn a_map_gives_its_layout_back() {
    let mut r = Random::new(2);
    for case in 0..500 {
        let p = Plain::random(&mut r, 60);
        let tensor = p.layout().of_shape(&p.shape).unwrap();
        let back =
            layout_of_map(&tensor.map()).unwrap_or_else(|e| panic!("case {case}: {p:?}: {e}"));
        assert_eq!(back.shape(), tensor.shape());
        assert_eq!(
            back.layout().slices(),
            tensor.layout().slices(),
            "case {case}: {p:?}"
        );
        assert_eq!(
            back.layout().dimension_digits(),
            tensor.layout().dimension_digits()
        );
    }
    let none = |text: &str| {
        layout_of_map(&text.parse().unwrap())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        none("(rank, l0) -> (rank * 3 + l0), domain: rank in [0, 3], l0 in [0, 1]"),
        "no layout has this map: the slice of rank 1 begins at 3 in dimension 0, which is no multiple of the shard size 2"
    );
    assert_eq!(
        none("(rank, l0) -> (rank * -2 + 6 + l0), domain: rank in [0, 3], l0 in [0, 1]"),
        "no layout has this map: rank 0 does not hold the first part of dimension 0"
    );
    assert_eq!(
        none(
            "(rank, l0, l1) -> (rank * 2 + l0, rank + l1), domain: rank in [0, 3], l0 in [0, 1], l1 in [0, 0]"
        ),
        "no layout has this map: a digit of stride 1 moves two dimensions at once"
    );
    assert!(
        none("(rank, l0) -> (rank * 2 - l0 + 1), domain: rank in [0, 3], l0 in [0, 1]")
            .starts_with("no layout has this map")
    );
    assert!(none("UNKNOWN").starts_with("no layout has this map"));
}

#[test]
fn no_dimension_and_no_axis() {
    let l = DeviceMatrix::new(&[], &[] as &[&str])
        .unwrap()
        .layout(&[] as &[Split])
        .unwrap();
    assert_eq!(
        (l.slices(), l.device_count(), l.slice_count()),
        (vec![0], 1, 1)
    );
    let empty = layout(&[2], "x", &["x", "None"]).of_shape(&[0, 3]).unwrap();
    assert_eq!(empty.shard_shape(), [0, 3]);
    assert!(empty.range_of(1).unwrap()[0].is_empty());
    assert!(matches!(
        layout(&[2], "x", &["x"]).of_shape(&[3]),
        Err(LayoutError::NotDivisible {
            dim: 0,
            size: 3,
            parts: 2,
            ..
        })
    ));
}
