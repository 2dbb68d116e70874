//! `mapwright shards` as a library: tables, JSON, errors.

use mapwright_sharding::Repeat;
use mapwright_sharding::command::Request;
use serde_json::json;

fn example() -> Request {
    Request {
        device_matrix: Some("2,1,2,2,1".into()),
        alias: Some("a,b,c,d,e".into()),
        tensor_map: Some("b,d,e,c,a".into()),
        shape: "1,2,1,2,2".into(),
        element_bytes: 4,
        ..Request::default()
    }
}

fn matrix(tensor_map: &str, shape: &str) -> Request {
    Request {
        device_matrix: Some("2,4".into()),
        alias: Some("x,y".into()),
        tensor_map: (!tensor_map.is_empty()).then(|| tensor_map.into()),
        shape: shape.into(),
        element_bytes: 4,
        ..Request::default()
    }
}

/// The layouts of the source document, as its programs write them, and what it says that they are.
#[test]
fn tuples_and_numbers_of_python_are_read() {
    let slices = |sizes: &str, alias: Option<&str>, map: &str, shape: &str| {
        let request = Request {
            device_matrix: Some(sizes.into()),
            alias: alias.map(Into::into),
            tensor_map: Some(map.into()),
            shape: shape.into(),
            element_bytes: 4,
            ..Request::default()
        };
        request
            .run()
            .map(|report| report.json()["slices"].clone())
            .map_err(|e| e.to_string())
    };
    let (sizes, alias) = ("(2, 1, 2, 2, 1)", Some("('a', 'b', 'c', 'd', 'e')"));
    let quoted = "(\"b\", \"d\", \"e\", \"c\", \"a\")";
    assert_eq!(
        slices(sizes, alias, quoted, "(1, 2, 1, 2, 2)").unwrap(),
        json!([0, 4, 2, 6, 1, 5, 3, 7])
    );
    let counted = json!([0, 1, 2, 3, 4, 5, 6, 7]);
    for map in ["(4, 3, 2, 1, 0)", "tensor_map=(4,3,2,1,0)", "4,3,2,1,0"] {
        assert_eq!(
            slices(sizes, None, map, "2,1,2,2,1").unwrap(),
            counted,
            "{map}"
        );
    }
    // Along the first axis, and not at all.
    let halves = json!([0, 0, 0, 0, 1, 1, 1, 1]);
    assert_eq!(slices("2,4", None, "(1, -1)", "(8, 3)").unwrap(), halves);
    // Of one dimension the pair is its axes; of two dimensions, a dimension each.
    assert_eq!(
        slices("(2, 2)", Some("x,y"), "(y,x)", "(8,)").unwrap(),
        json!([0, 2, 1, 3])
    );
    assert_eq!(
        slices("(2, 2)", Some("x,y"), "(y,x)", "8,8").unwrap(),
        json!([0, 2, 1, 3])
    );
    assert_eq!(
        slices("(2, 2)", Some("x,y"), "((\"y\", \"x\"), None)", "8,8").unwrap(),
        json!([0, 2, 1, 3])
    );
    let why = slices("2,4", None, "(2, None)", "8,8").unwrap_err();
    assert_eq!(
        why,
        "the tensor map names axis 2 of 2, counted from 0 at the fastest"
    );
}

#[test]
fn json_of_the_example() {
    let out = example().run().unwrap().json();
    assert_eq!(
        out["strides"],
        json!({"b": 8, "d": 4, "e": 4, "c": 2, "a": 1})
    );
    assert_eq!(out["slices"], json!([0, 4, 2, 6, 1, 5, 3, 7]));
    assert_eq!(
        out["ranges"][1],
        json!([[0, 0], [1, 1], [0, 0], [0, 0], [0, 0]])
    );
    assert_eq!(
        out["replicas"],
        json!([[0], [4], [2], [6], [1], [5], [3], [7]])
    );
    assert_eq!(out["map"]["exact"], json!(true));
    assert_eq!(out["map"]["runtime"], json!([]));
    let keys: Vec<&String> = out.as_object().unwrap().keys().take(5).collect();
    assert_eq!(keys, ["strides", "slices", "ranges", "replicas", "map"]);
    assert!(out.get("reshard").is_none());
    assert!(
        out["proofs"]
            .as_array()
            .unwrap()
            .iter()
            .all(|p| p["holds"] == json!(true)),
        "{}",
        out["proofs"]
    );
    assert_eq!(
        out["notations"]["hlo"]["sharding"],
        json!("{devices=[1,2,1,2,2]<=[2,2,2]T(2,1,0)}")
    );
}

#[test]
fn tables_of_the_example() {
    let text = example().run().unwrap().text();
    let expected = "\
Layout (a=2, b=1, c=2, d=2, e=1)(b, d, e, c, a)
Tensor 1x2x1x2x2, shards 1x1x1x1x1, 8 slices on 8 devices

1. Numbering: the digits of each rank, the last axis fastest
  rank  a=2  b=1  c=2  d=2  e=1
     0    0    0    0    0    0
     1    0    0    0    1    0
     2    0    0    1    0    0
     3    0    0    1    1    0
     4    1    0    0    0    0
     5    1    0    0    1    0
     6    1    0    1    0    0
     7    1    0    1    1    0

2. Adjustment: the digits of the named axes, in the order of the tensor map
  rank  b  d  e  c  a
     0  0  0  0  0  0
     1  0  1  0  0  0
     2  0  0  0  1  0
     3  0  1  0  1  0
     4  0  0  0  0  1
     5  0  1  0  0  1
     6  0  0  0  1  1
     7  0  1  0  1  1

3. Slices: the sum of digit * stride; strides b=8 d=4 e=4 c=2 a=1
  rank  slice      d0      d1      d2      d3      d4
     0      0  [0, 0]  [0, 0]  [0, 0]  [0, 0]  [0, 0]
     1      4  [0, 0]  [1, 1]  [0, 0]  [0, 0]  [0, 0]
     2      2  [0, 0]  [0, 0]  [0, 0]  [1, 1]  [0, 0]
     3      6  [0, 0]  [1, 1]  [0, 0]  [1, 1]  [0, 0]
     4      1  [0, 0]  [0, 0]  [0, 0]  [0, 0]  [1, 1]
     5      5  [0, 0]  [1, 1]  [0, 0]  [0, 0]  [1, 1]
     6      3  [0, 0]  [0, 0]  [0, 0]  [1, 1]  [1, 1]
     7      7  [0, 0]  [1, 1]  [0, 0]  [1, 1]  [1, 1]
";
    assert!(text.starts_with(expected), "{text}");
    assert!(
        text.contains("every element is held by 1 rank: proved"),
        "{text}"
    );
}

#[test]
fn a_change_of_layout() {
    let request = Request {
        from: Some("(x,y),None".into()),
        to: Some("x,None".into()),
        ..matrix("", "8,2")
    };
    let report = request.run().unwrap();
    let out = report.json();
    assert_eq!(out["reshard"]["collective"], json!("all-gather"));
    assert_eq!(
        out["reshard"]["receives"],
        json!([24, 24, 24, 24, 24, 24, 24, 24])
    );
    assert_eq!(out["reshard"]["identity"], json!(false));
    assert_eq!(
        (&out["reshard"]["bound"], &out["reshard"]["proved"]),
        (&json!(24), &json!(true))
    );
    assert_eq!(
        out["reshard"]["transfers"][5][0],
        json!({"from": 4, "box": [[4, 4], [0, 1]]})
    );
    assert!(
        report
            .text()
            .contains("all-gather over y, dimension 0 joined: 24 bytes each way"),
        "{}",
        report.text()
    );
    // The layout shown is the one before, unless another is given.
    assert_eq!(out["slices"], json!([0, 1, 2, 3, 4, 5, 6, 7]));

    let same = Request {
        to: Some("{devices=[2,1,4]<=[8] last_tile_dim_replicate}".into()),
        ..matrix("x,None", "8,2")
    };
    let out = same.run().unwrap().json();
    assert_eq!(
        (&out["reshard"]["collective"], &out["reshard"]["identity"]),
        (&json!("nothing"), &json!(true))
    );
}

#[test]
fn every_notation_is_read() {
    let of = |sharding: &str, mesh: Option<&str>, devices: Option<i64>| -> serde_json::Value {
        let request = Request {
            sharding: Some(sharding.into()),
            mesh: mesh.map(str::to_owned),
            devices,
            shape: "8,4".into(),
            element_bytes: 4,
            ..Request::default()
        };
        request.run().unwrap().json()["slices"].clone()
    };
    let expected = json!([0, 0, 1, 1]);
    assert_eq!(
        of("{devices=[2,1,2]<=[4] last_tile_dim_replicate}", None, None),
        expected
    );
    assert_eq!(
        of(
            "#sdy.sharding<@m, [{\"x\"}, {}]>",
            Some("sdy.mesh @m = <[\"x\"=2, \"y\"=2]>"),
            None
        ),
        expected
    );
    assert_eq!(
        of(
            "shard.sharding @g split_axes = [[0]]",
            Some("shard.grid @g(shape = 2x2)"),
            None
        ),
        expected
    );
    assert_eq!(of("{replicated}", None, Some(4)), json!([0, 0, 0, 0]));
    let strategy = Request {
        strategy: Some("2,1".into()),
        devices: Some(4),
        shape: "8,4".into(),
        element_bytes: 4,
        ..Request::default()
    };
    assert_eq!(strategy.run().unwrap().json()["slices"], expected);
    let left = Request {
        repeat: Repeat::Left,
        ..strategy
    };
    assert_eq!(left.run().unwrap().json()["slices"], json!([0, 1, 0, 1]));
}

#[test]
fn wrong_requests() {
    let e = |request: Request| request.run().unwrap_err().to_string();
    assert_eq!(
        e(Request {
            shape: "8".into(),
            element_bytes: 4,
            ..Request::default()
        }),
        "no layout is given: --tensor-map, --strategy, --sharding or --from and --to are needed"
    );
    assert_eq!(
        e(matrix("x", "8,a")),
        "--shape: `a` is no integer of 64 bits"
    );
    assert_eq!(
        e(matrix("x,(y", "8,8")),
        "column 5: expected `,` or `)`, found the end"
    );
    assert_eq!(
        e(matrix("x,", "8,8")),
        "column 3: expected an axis name, `None` or `(`, found the end"
    );
    assert_eq!(
        e(matrix("x,y", "8,6")),
        "dimension 1 of size 6 cannot be split evenly into 4 parts (axes y=4)"
    );
    assert_eq!(
        e(Request {
            to: Some("z,None".into()),
            ..matrix("x,None", "8,8")
        }),
        "--to: dimension 0 is split along `z`, which is no axis of the device matrix (there is x, y)"
    );
    assert_eq!(
        e(Request {
            device_matrix: Some("4000000,4".into()),
            ..matrix("x,y", "4000000,4")
        }),
        "16000000 devices are more than the 4194304 that are listed"
    );
    assert_eq!(
        e(Request {
            strategy: Some("2".into()),
            ..matrix("x", "8")
        }),
        "--tensor-map, --strategy and --sharding exclude each other"
    );
    assert_eq!(
        e(Request {
            element_bytes: 0,
            ..matrix("x", "8")
        }),
        "--element-bytes is 0, it must be at least 1"
    );
    assert_eq!(
        e(Request {
            from: Some("x".into()),
            ..matrix("", "8")
        }),
        "one of --from and --to is missing, and so is another layout"
    );
    assert_eq!(
        e(Request {
            device_matrix: None,
            ..matrix("x", "8")
        }),
        "--device-matrix is needed for a tensor map"
    );
}

#[test]
fn a_page_has_its_data_and_no_way_out_of_the_script() {
    let page = example().run().unwrap().html().unwrap();
    assert!(page.contains("\"slices\":[0,4,2,6,1,5,3,7]") && !page.contains("@DATA@"));
    let request = Request {
        alias: Some("</script>,y".into()),
        ..matrix("</script>,y", "8,8")
    };
    // The end of the data, and that of the script.
    let page = request.run().unwrap().html().unwrap();
    assert_eq!(page.matches("</script>").count(), 2);
    let many = Request {
        device_matrix: Some("400,400".into()),
        ..matrix("x,y", "400,400")
    };
    assert_eq!(
        many.run().unwrap().html().unwrap_err().to_string(),
        "160000 slices on 160000 devices are more than a page can show (16384 and 65536)"
    );
}
