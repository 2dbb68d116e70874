//! Reading, printing and converting HLO strings, Shardy and upstream's `shard` dialect.

use crate::common::{Plain, Random};
use mapwright_sharding::notation::{
    Grid, GridSharding, HloSharding, Mesh, ShardySharding, per_value,
};
use mapwright_sharding::{Layout, LayoutError, Reduction, Split};

fn hlo(text: &str, rank: usize, devices: Option<i64>) -> Result<Layout, LayoutError> {
    text.parse::<HloSharding>()?.to_layout(rank, devices)
}

fn sdy(mesh: &str, text: &str) -> Result<Layout, LayoutError> {
    let mesh: Mesh = mesh.parse()?;
    text.parse::<ShardySharding>()?.to_layout(Some(&mesh))
}

fn shard(grid: &str, text: &str, shape: &[i64]) -> Result<Layout, LayoutError> {
    let grid: Grid = grid.parse()?;
    text.parse::<GridSharding>()?.to_layout(&grid, shape)
}

#[test]
fn hlo_forms() {
    let slices = |text: &str, rank| hlo(text, rank, Some(8)).unwrap().slices();
    assert_eq!(
        slices("{devices=[2,1,4]<=[8]}", 3),
        [0, 1, 2, 3, 4, 5, 6, 7]
    );
    assert_eq!(
        slices("{devices=[2,4]<=[8] last_tile_dim_replicate}", 1),
        [0, 0, 0, 0, 1, 1, 1, 1]
    );
    assert_eq!(
        slices(
            "{devices=[4,2]<=[2,4]T(1,0) last_tile_dims={replicated}}",
            1
        ),
        [0, 1, 2, 3, 0, 1, 2, 3]
    );
    assert_eq!(
        slices("{devices=[4,2]0,4,1,5,2,6,3,7}", 2),
        [0, 2, 4, 6, 1, 3, 5, 7]
    );
    assert_eq!(
        slices("{devices=[8]7,6,5,4,3,2,1,0 metadata={op_name=\"a{b\"}}", 1),
        [7, 6, 5, 4, 3, 2, 1, 0]
    );
    assert_eq!(slices("{replicated}", 3), [0; 8]);
    let sum = hlo(
        "{devices=[2,2,2]<=[8] last_tile_dims={unreduced, replicated}}",
        1,
        None,
    )
    .unwrap();
    assert_eq!(
        (sum.partial().len(), sum.replica_axes().len(), sum.slices()),
        (1, 1, vec![0, 0, 0, 0, 1, 1, 1, 1])
    );
    assert_eq!(
        hlo("{unreduced}", 1, Some(4)).unwrap().partial()[0].1,
        Reduction::Sum
    );
    let one = hlo("{maximal device=3}", 2, Some(8)).unwrap();
    assert_eq!((one.ranks(), one.slice_count()), (vec![3], 1));
    assert_eq!(
        one.of_shape(&[4, 4]).unwrap().map().to_string(),
        "(rank, l0, l1) -> (l0, l1), domain: rank in [3, 3], l0 in [0, 3], l1 in [0, 3]"
    );
    for text in [
        "{replicated}",
        "{manual}",
        "{unknown}",
        "{unreduced}",
        "{maximal device=5}",
        "{devices=[2,1,4]<=[8]}",
        "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}",
        "{devices=[2,2]3,1,2,0}",
        "{devices=[2,2,2]<=[8] last_tile_dims={manual, replicated}}",
        "{{replicated}, {devices=[2]<=[2]}, {maximal device=0}}",
    ] {
        assert_eq!(text.parse::<HloSharding>().unwrap().to_string(), text);
    }
    let spaced: HloSharding = " { devices = [ 2 , 2 ] 0 , 1 , 2 , 3 } ".parse().unwrap();
    assert_eq!(spaced.to_string(), "{devices=[2,2]0,1,2,3}");
}

#[test]
fn hlo_errors() {
    let e = |text: &str| hlo(text, 1, None).unwrap_err().to_string();
    assert_eq!(
        e("{devices=[2,x]<=[2]}"),
        "column 13: expected an integer, found `x`"
    );
    assert_eq!(
        e("{devices=[2]<=[2]"),
        "column 18: expected `}`, found the end"
    );
    assert_eq!(e("replicated"), "column 1: expected `{`, found `r`");
    assert_eq!(
        e("{replicate}"),
        "column 2: expected `replicated`, `maximal`, `manual`, `unknown`, `unreduced` or `devices=`, found `r`"
    );
    assert_eq!(
        e("{devices=[2]<=[4]}"),
        "column 13: the tile [2] has 2 devices, `<=[4]` is another number"
    );
    assert_eq!(
        e("{devices=[4]<=[2,2]T(0,0)}"),
        "column 13: T[0, 0] is no permutation of the 2 dimensions"
    );
    assert_eq!(
        e("{devices=[4]0,1,2}"),
        "column 13: the tile [4] has 4 devices, 3 are listed"
    );
    assert_eq!(
        e("{devices=[0]<=[0]}"),
        "column 10: a tile dimension has size 0, it must be at least 1"
    );
    assert_eq!(
        e("{devices=[99999999999999999999]<=[1]}"),
        "column 11: expected an integer of 64 bits, found `99999999999999999999`"
    );
    assert_eq!(
        e("{devices=[4000000000,4000000000]<=[1]}"),
        "column 10: the tile [4000000000, 4000000000] has more devices than fit into 64 bits"
    );
    assert_eq!(
        e("{devices=[4]0,1,2,2}"),
        "device id 2 stands at positions 2 and 3"
    );
    assert_eq!(
        e("{devices=[2,2]<=[4]}"),
        "`{devices=[2,2]<=[4]}` is refused: its tile has 2 data dimensions, the tensor has 1"
    );
    assert_eq!(
        e("{replicated}"),
        "`{replicated}` is refused: it does not say how many devices there are, and nothing else does"
    );
    assert_eq!(
        e("{manual}"),
        "`{manual}` is refused: manual: each device runs its own program on its own shape, so no tensor is laid out"
    );
    assert_eq!(
        e("{unknown}"),
        "`{unknown}` is refused: unknown: it says nothing about where the tensor is"
    );
    assert_eq!(
        e("{{replicated}}"),
        "`{{replicated}}` is refused: it is a tuple of 1 shardings; a layout is of one tensor"
    );
    assert_eq!(
        e("{devices=[2,2]<=[4] last_tile_dims={manual}}"),
        "`{devices=[2,2]<=[4] last_tile_dims={manual}}` is refused: the 2 devices of tile dimension 1 are manual: each runs its own program on its own shape"
    );
    assert_eq!(
        hlo("{devices=[4]<=[4]}", 1, Some(8))
            .unwrap_err()
            .to_string(),
        "`{devices=[4]<=[4]}` has 4 devices, the program has 8"
    );
    // A million million devices are no reason to write them all down.
    let huge = hlo(
        "{devices=[1000000,1000000]<=[1000000,1000000]T(1,0)}",
        2,
        None,
    )
    .unwrap();
    assert_eq!(huge.slice_of(1).unwrap(), 1_000_000);
    assert!(e("{devices=[3000000,7]<=[7,3000000]T(0,1)}").contains("refused"));
}

#[test]
fn shardy_forms() {
    let mesh = "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>";
    let of = |text: &str| sdy(mesh, text).unwrap();
    assert_eq!(
        of("#sdy.sharding<@mesh, [{\"x\", \"y\"}, {}]>").slices(),
        [0, 1, 2, 3, 4, 5, 6, 7]
    );
    assert_eq!(
        of("<@mesh, [{\"y\"}, {?}p2], replicated={\"x\"}>").slices(),
        [0, 1, 2, 3, 0, 1, 2, 3]
    );
    assert_eq!(
        of("<@mesh, [{\"y\":(2)2}, {\"y\":(1)2}]>").to_string(),
        "(x=2, y:1:2=2, y:2:2=2)(y:2:2, y:1:2)"
    );
    for (word, kind) in [
        ("", Reduction::Sum),
        ("max", Reduction::Max),
        ("min", Reduction::Min),
    ] {
        let layout = of(&format!("<@mesh, [{{}}], unreduced={word}{{\"y\"}}>"));
        assert_eq!(
            layout.partial().iter().map(|p| p.1).collect::<Vec<_>>(),
            [kind]
        );
    }
    let ids = sdy("<[\"x\"=4], device_ids=[3, 1, 0, 2]>", "<@m, [{\"x\"}]>").unwrap();
    assert_eq!(ids.slices(), [2, 1, 3, 0]);
    // JAX names the axis of a `pmap` after an object.
    let object = "sdy.mesh @mesh = <[\"<axis 0x7f86f91f6480>\"=2]>";
    let layout = sdy(object, "<@mesh, [{\"<axis 0x7f86f91f6480>\"}]>").unwrap();
    assert_eq!(layout.slices(), [0, 1]);
    let only = sdy("sdy.mesh @one = <[], device_ids=[5]>", "<@one, [{}, {}]>").unwrap();
    assert_eq!(only.ranks(), [5]);
    for text in [
        "#sdy.sharding<@mesh, [{\"x\", \"y\"}, {}]>",
        "#sdy.sharding<@mesh, [{\"x\", ?}p1, {\"y\":(2)2}, {?}], replicated={\"y\":(1)2}>",
        "#sdy.sharding<@\"a mesh\", [{\"a \\\"q\\\"\"}], unreduced={\"b\"}>",
        "#sdy.sharding<@mesh, [{}], unreduced=max{\"x\"}>",
        "#sdy.sharding<mesh<[\"x\"=2], device_ids=[1, 0]>, [{\"x\"}]>",
        "#sdy.sharding<@mesh, []>",
    ] {
        assert_eq!(text.parse::<ShardySharding>().unwrap().to_string(), text);
    }
    for text in [
        "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>",
        "sdy.mesh @m = <[], device_ids=[3]>",
        "mesh<[\"x\"=2]>",
    ] {
        assert_eq!(text.parse::<Mesh>().unwrap().to_string(), text);
    }
    let two =
        per_value("#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>, <@mesh, [{}, {}]>]>").unwrap();
    assert_eq!(
        two.iter().map(ShardySharding::body).collect::<Vec<_>>(),
        ["<@mesh, [{\"x\"}]>", "<@mesh, [{}, {}]>"]
    );
}

#[test]
fn shardy_errors() {
    let mesh = "sdy.mesh @mesh = <[\"x\"=2, \"y\"=12]>";
    let e = |text: &str| sdy(mesh, text).unwrap_err().to_string();
    assert_eq!(
        e("<@mesh, [{\"x\" \"y\"}]>"),
        "column 15: expected `,` or `}`, found `\"`"
    );
    assert_eq!(
        e("<@mesh, [{\"x\", ?, \"y\"}]>"),
        "column 17: expected `}`, found `,`"
    );
    assert_eq!(
        e("<@other, [{\"x\"}]>"),
        "`#sdy.sharding<@other, [{\"x\"}]>` is refused: its mesh is @other, the mesh given is @mesh"
    );
    assert_eq!(
        e("<@mesh, [{\"z\"}]>"),
        "`#sdy.sharding<@mesh, [{\"z\"}]>` is refused: the mesh has no axis \"z\" (there is x, y)"
    );
    assert_eq!(
        e("<@mesh, [{\"x\"}, {\"x\"}]>"),
        "axis `x` is used twice, by dimension 0 and dimension 1"
    );
    assert!(
        e("<@mesh, [{\"y\":(5)2}]>")
            .ends_with("is refused: \"y\":(5)2 is no part of axis \"y\" of size 12")
    );
    assert!(
        e("<@mesh, [{\"y\":(2)2}, {\"y\":(3)2}]>").ends_with(
            "is refused: parts of axis \"y\" of size 12 cut across each other at 2 and 3"
        )
    );
    assert!(e("<@mesh, [{\"y\":(1)4}, {\"y\":(2)2}]>").starts_with("axis `y:2:2` is used twice"));
    assert!(
        e("<@mesh, [{\"x\"}], replicated={\"x\"}>")
            .ends_with("axis \"x\" is to be replicated and splits dimension 0")
    );
    assert!(
        sdy("<[]>", "<@m, []>")
            .unwrap_err()
            .to_string()
            .ends_with("it does not say how many devices there are")
    );
    assert!(
        "<@m, [{\"x\"}]>"
            .parse::<ShardySharding>()
            .unwrap()
            .to_layout(None)
            .unwrap_err()
            .to_string()
            .ends_with("the mesh @m is not known")
    );
    assert!(
        sdy("<[\"x\"=2], device_ids=[0, 1, 2]>", "<@m, [{}]>")
            .unwrap_err()
            .to_string()
            .ends_with("the mesh has 2 devices, 3 ids are listed")
    );
}

#[test]
fn upstream_forms() {
    let grid = "shard.grid @grid0(shape = 2x2x4)";
    let l = shard(
        grid,
        "%0 = shard.sharding @grid0 split_axes = [[0], [], [2, 1]] : !shard.sharding",
        &[4, 3, 16],
    )
    .unwrap();
    assert_eq!(l.to_string(), "(0=2, 1=2, 2=4)(0, None, (2, 1))");
    assert_eq!(
        shard(grid, "shard.sharding @grid0 split_axes = [[]]", &[4, 4])
            .unwrap()
            .slice_count(),
        1
    );
    let even = "shard.sharding @grid0 split_axes = [[2]] sharded_dims_offsets = [0, 2, 4, 6, 8]";
    assert_eq!(shard(grid, even, &[8]).unwrap().slice_count(), 4);
    assert_eq!(
        shard(
            grid,
            "shard.sharding @grid0 split_axes = [[2]] halo_sizes = [0, 0]",
            &[8]
        )
        .unwrap()
        .slice_count(),
        4
    );
    for text in [
        "shard.sharding @grid0 split_axes = [[0], [1, 2]] : !shard.sharding",
        "shard.sharding @grid0 split_axes = [[2]] halo_sizes = [1, 2] : !shard.sharding",
        "shard.sharding @grid0 split_axes = [[], [2]] sharded_dims_offsets = [0, 2, 5, 9, 14] : !shard.sharding",
    ] {
        assert_eq!(text.parse::<GridSharding>().unwrap().to_string(), text);
    }
    for text in ["shard.grid @g(shape = 2x?x4)", "shard.grid @g(shape = 4)"] {
        assert_eq!(text.parse::<Grid>().unwrap().to_string(), text);
    }
}

#[test]
fn upstream_halos_and_offsets_are_maps() {
    let grid: Grid = "shard.grid @g(shape = 4)".parse().unwrap();
    let of = |text: &str| text.parse::<GridSharding>().unwrap();
    let halo = of("shard.sharding @g split_axes = [[0]] halo_sizes = [1, 2]");
    assert!(
        halo.to_layout(&grid, &[8])
            .unwrap_err()
            .to_string()
            .contains("dimension 0 has a halo")
    );
    let maps = halo.maps(&grid, &[8]).unwrap();
    let held = |rank: i64| -> Vec<i64> {
        maps.iter()
            .flat_map(|m| m.points())
            .filter(|p| p.0.dims[0] == rank)
            .map(|p| p.1[0])
            .collect()
    };
    assert_eq!(
        [held(0), held(1), held(3)],
        [vec![0, 1, 2, 3], vec![1, 2, 3, 4, 5], vec![5, 6, 7]]
    );

    let uneven =
        of("shard.sharding @g split_axes = [[], [0]] sharded_dims_offsets = [0, 2, 5, 9, 14]");
    let reason = uneven.to_layout(&grid, &[4, 14]).unwrap_err().to_string();
    assert!(
        reason.contains("the shards of dimension 1 begin at [0, 2, 5, 9, 14]"),
        "{reason}"
    );
    let maps = uneven.maps(&grid, &[4, 14]).unwrap();
    for (rank, (low, high)) in [(0, 2), (2, 5), (5, 9), (9, 14)].into_iter().enumerate() {
        let mut columns: Vec<i64> = maps
            .iter()
            .flat_map(|m| m.points())
            .filter(|p| p.0.dims[0] == rank as i64)
            .map(|p| p.1[1])
            .collect();
        columns.sort_unstable();
        columns.dedup();
        assert_eq!(columns, (low..high).collect::<Vec<_>>(), "rank {rank}");
    }
    let e = |text: &str, shape: &[i64]| of(text).to_layout(&grid, shape).unwrap_err().to_string();
    assert!(
        e(
            "shard.sharding @g split_axes = [[0]] halo_sizes = [1]",
            &[8]
        )
        .ends_with("1 split dimensions need 2 halo sizes, there are 1")
    );
    assert!(
        e(
            "shard.sharding @g split_axes = [[0]] sharded_dims_offsets = [0, 2, 8]",
            &[8]
        )
        .ends_with("dimension 0 has 4 parts and needs 5 offsets, 3 are left")
    );
    assert!(
        e(
            "shard.sharding @g split_axes = [[0]] sharded_dims_offsets = [0, 2, 4, 6, 9]",
            &[8]
        )
        .ends_with("do not ascend from 0 to its size 8")
    );
    assert!(
        e("shard.sharding @h split_axes = [[0]]", &[8])
            .ends_with("its grid is @h, the grid given is @g")
    );
    assert!(
        e("shard.sharding @g split_axes = [[1]]", &[8])
            .contains("`1`, which is no axis of the device matrix")
    );
    let open: Grid = "shard.grid @g(shape = ?)".parse().unwrap();
    assert!(
        of("shard.sharding @g split_axes = [[0]]")
            .to_layout(&open, &[8])
            .unwrap_err()
            .to_string()
            .contains("is not known")
    );
    assert!(
        "shard.sharding @g split_axes = [[0]] halo_sizes = [?, 1]"
            .parse::<GridSharding>()
            .is_err()
    );
}

/// Every layout goes through every notation and comes back placing the tensor alike, or is refused
/// for a reason that holds.
#[test]
fn there_and_back() {
    let mut r = Random::new(21);
    let (mut partial, mut listed) = (0, 0);
    for case in 0..1500 {
        let p = Plain::random(&mut r, 48);
        let mut layout = p.layout();
        if case % 3 == 1 {
            let mut ids: Vec<i64> = (0..p.count()).collect();
            r.shuffle(&mut ids);
            layout = layout.with_device_ids(&ids).unwrap();
        }
        if case % 4 == 3
            && let Some(axis) = layout.replica_axes().first().copied()
        {
            let name = layout.device_matrix().names()[axis].clone();
            layout = layout.with_partial(&name, Reduction::Sum).unwrap();
        }
        let sums = |l: &Layout| -> i64 {
            l.partial()
                .iter()
                .map(|a| l.device_matrix().sizes()[a.0])
                .product()
        };
        partial += usize::from(sums(&layout) > 1);
        listed += usize::from(layout.device_ids().is_some());
        let alike = |other: &Layout, what: &str| {
            assert_eq!(
                other.slices(),
                layout.slices(),
                "case {case}: {what}: {layout} became {other}"
            );
            assert_eq!(other.parts(), layout.parts(), "case {case}: {what}");
            assert_eq!(
                sums(other),
                sums(&layout),
                "case {case}: {what}: {layout} became {other}"
            );
        };
        let string = HloSharding::from_layout(&layout).unwrap().to_string();
        alike(
            &hlo(&string, p.shape.len(), Some(p.count())).unwrap(),
            &string,
        );

        let (mesh, sharding) = ShardySharding::from_layout(&layout, None, case % 2 == 0).unwrap();
        alike(
            &sdy(&mesh.to_string(), &sharding.to_string()).unwrap(),
            &format!("{mesh} {sharding}"),
        );
        // On a mesh of another shape over the same devices.
        if layout.device_ids().is_none() {
            let one = Mesh {
                name: "flat".to_owned(),
                axes: vec![("all".to_owned(), p.count())],
                device_ids: None,
            };
            let (_, sharding) = ShardySharding::from_layout(&layout, Some(&one), true).unwrap();
            alike(
                &sdy(&one.to_string(), &sharding.to_string()).unwrap(),
                &sharding.to_string(),
            );
        }
        match GridSharding::from_layout(&layout, None) {
            Ok((grid, sharding)) => {
                assert!(layout.device_ids().is_none() && layout.partial().is_empty());
                alike(
                    &shard(
                        &grid.to_string().replace("()", "(1)"),
                        &sharding.to_string(),
                        &p.shape,
                    )
                    .unwrap(),
                    &sharding.to_string(),
                );
            }
            Err(reason) => {
                assert!(
                    layout.device_ids().is_some() || !layout.partial().is_empty(),
                    "case {case}: {layout}: {reason}"
                );
            }
        }
    }
    assert!(partial > 50 && listed > 100, "{partial} {listed}");
    let m = mapwright_sharding::DeviceMatrix::new(&[8], &["x"]).unwrap();
    let max = m
        .layout(&[] as &[Split])
        .unwrap()
        .with_partial("x", Reduction::Max)
        .unwrap();
    assert!(
        HloSharding::from_layout(&max)
            .unwrap_err()
            .to_string()
            .ends_with("HLO's partial results are sums, those along `x` are combined by max")
    );
    let half = mapwright_sharding::DeviceMatrix::new(&[2, 4], &["x", "y"])
        .unwrap()
        .layout(&["x"])
        .unwrap();
    let grid: Grid = "shard.grid @g(shape = 8)".parse().unwrap();
    assert!(
        GridSharding::from_layout(&half, Some(&grid))
            .unwrap_err()
            .to_string()
            .contains("a part of size 2 of axis 0")
    );
}

/// No text makes a reader fall over: the valid texts with a character lost, doubled or exchanged.
#[test]
fn damaged_texts_are_errors_or_read() {
    let texts = [
        "{devices=[2,1,4]<=[2,4]T(1,0) last_tile_dims={manual, replicated} metadata={a=\"}\"}}",
        "{{replicated}, {maximal device=0}}",
        "#sdy.sharding<@mesh, [{\"x\", ?}p1, {\"y\":(2)2}], replicated={\"y\":(1)2}, unreduced={\"é\"}>",
        "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>",
        "shard.sharding @g split_axes = [[0], [1, 2]] halo_sizes = [1, 2, 0, 0] : !shard.sharding",
        "shard.grid @g(shape = 2x?x4)",
    ];
    let mut r = Random::new(3);
    for text in texts {
        let chars: Vec<char> = text.chars().collect();
        for _ in 0..2000 {
            let mut damaged = chars.clone();
            for _ in 0..=r.below(2) {
                let at = r.below(damaged.len());
                match r.below(3) {
                    0 => drop(damaged.remove(at)),
                    1 => damaged.insert(at, damaged[at]),
                    _ => damaged[at] = chars[r.below(chars.len())],
                }
            }
            let damaged: String = damaged.into_iter().collect();
            let _ = hlo(&damaged, 2, Some(8));
            let _ = sdy("<[\"x\"=2, \"y\"=4]>", &damaged);
            let _ = sdy(&damaged, "<@mesh, [{\"x\"}]>");
            let _ = shard("shard.grid @g(shape = 2x2x4)", &damaged, &[8, 8]);
            let _ = shard(&damaged, "shard.sharding @g split_axes = [[0]]", &[8]);
        }
    }
}
