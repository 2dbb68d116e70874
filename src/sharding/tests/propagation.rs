//! Propagation: what follows for each kind of operation, and what makes communication necessary.

use crate::common::program::Build;
use mapwright_indexing::IndexingMap;
use mapwright_sharding::propagate::{PartialRule, Sharding, Source};
use mapwright_sharding::{DeviceMatrix, Digit, Reduction};

#[test]
fn element_wise_forward_and_backward() {
    let mut b = Build::new();
    let x = b.value("%x", &[8, 8], Some(&[&["x"], &["y"]]));
    let y = b.value("%y", &[8, 8], None);
    let id = "(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 7]";
    let z = b.op("add", &[x, y], &[8, 8], &[&[id], &[id]], None);
    let found = b.run();
    assert_eq!(b.text(&found, z), "[{x}, {y}]");
    assert_eq!(b.text(&found, y), "[{x}, {y}]");
    assert_eq!(found.values[z].as_ref().unwrap().source, Source::Forward(0));
    assert_eq!(
        found.values[y].as_ref().unwrap().source,
        Source::Backward(0)
    );
    assert!(found.communications.is_empty() && found.conflicts.is_empty());
}

#[test]
fn open_dimensions_of_given_layouts_are_split_further() {
    let id = "(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 7]";
    // The open dimensions of what is given in between, and the layout that it has in the end.
    let cases: [(&[usize], &[&str], &str); 4] = [
        (&[], &["x", "None"], "[{x}, {}]"),
        (&[1], &["x", "None"], "[{x}, {y}]"),
        // The other dimension is open, and this one is not.
        (&[0], &["x", "None"], "[{x}, {}]"),
        // What is given is split by another axis: it is extended, never changed.
        (&[0, 1], &["y", "None"], "[{y}, {}]"),
    ];
    for (open, given, wanted) in cases {
        let mut b = Build::new();
        let x = b.value("%x", &[8, 8], Some(&[&["x"], &["y"]]));
        let z = b.op("constraint", &[x], &[8, 8], &[&[id]], None);
        let given: Vec<&[&str]> = given
            .iter()
            .map(|axis| {
                if *axis == "None" {
                    &[][..]
                } else {
                    std::slice::from_ref(axis)
                }
            })
            .collect();
        b.program.values[z].given = Some(b.sharding(&given));
        b.program.values[z].open = open.to_vec();
        let found = b.run();
        assert_eq!(b.text(&found, z), wanted, "{open:?}");
        assert_eq!(found.values[z].as_ref().unwrap().source, Source::Given);
    }
}

#[test]
fn transpose_broadcast_slice_and_concatenate() {
    let mut b = Build::new();
    let x = b.value("%x", &[8, 12], Some(&[&["x"], &["y"]]));
    let t = b.op(
        "transpose",
        &[x],
        &[12, 8],
        &[&["(d0, d1) -> (d1, d0), domain: d0 in [0, 11], d1 in [0, 7]"]],
        None,
    );
    let w = b.op(
        "broadcast",
        &[t],
        &[3, 12, 8],
        &[&["(d0, d1, d2) -> (d1, d2), domain: d0 in [0, 2], d1 in [0, 11], d2 in [0, 7]"]],
        None,
    );
    // Rows 1 to 4 of dimension 1 of size 8, which x splits: off dimension 1 is fine, on it is not.
    // (Rows 2 to 5 would be: two of them are on either side.)
    let s = b.op(
        "slice",
        &[t],
        &[12, 4],
        &[&["(d0, d1) -> (d0, d1 + 1), domain: d0 in [0, 11], d1 in [0, 3]"]],
        None,
    );
    let c = b.op(
        "concatenate",
        &[x, x],
        &[8, 24],
        &[
            &["(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 11]"],
            &["(d0, d1) -> (d0, d1 - 12), domain: d0 in [0, 7], d1 in [12, 23]"],
        ],
        None,
    );
    let found = b.run();
    assert_eq!(b.text(&found, t), "[{y}, {x}]");
    assert_eq!(b.text(&found, w), "[{}, {y}, {x}]");
    assert_eq!(b.text(&found, s), "[{y}, {}]");
    assert_eq!(b.text(&found, c), "[{x*y}, {}]");
    let reasons: Vec<&str> = found
        .communications
        .iter()
        .map(|c| c.reason.as_str())
        .collect();
    assert_eq!(
        reasons,
        [
            "slice reads dimension 1 of %1 at `d1 + 1`, which crosses the parts of 4 elements that x splits it into",
            "concatenate reads dimension 1 of %x at `d1`, which crosses the parts of 3 elements that y splits it into",
            "concatenate reads dimension 1 of %x at `d1 - 12`, which crosses the parts of 3 elements that y splits it into",
        ]
    );
    assert_eq!(
        found.communications[0].needs.text(&b.program.devices),
        "[{y}, {}]"
    );
}

#[test]
fn reshapes_keep_the_split_dimension_whole_or_take_an_axis_apart() {
    let mut b = Build::new();
    let x = b.value("%x", &[8, 3], Some(&[&["y"], &[]]));
    let merged = b.op(
        "reshape",
        &[x],
        &[24],
        &[&["(d0) -> (d0 floordiv 3, d0 mod 3), domain: d0 in [0, 23]"]],
        None,
    );
    let split = b.op("reshape", &[merged], &[2, 4, 3], &[&["(d0, d1, d2) -> (d0 * 12 + d1 * 3 + d2), domain: d0 in [0, 1], d1 in [0, 3], d2 in [0, 2]"]], None);
    let minor = b.value("%minor", &[2, 8], Some(&[&[], &["y"]]));
    let lost = b.op(
        "reshape",
        &[minor],
        &[16],
        &[&["(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 15]"]],
        None,
    );
    let found = b.run();
    assert_eq!(b.text(&found, merged), "[{y}]");
    assert_eq!(b.text(&found, split), "[{y:1:2}, {y:2:2}, {}]");
    assert_eq!(b.text(&found, lost), "[{y}]");
    assert_eq!(found.communications.len(), 1);
    assert!(
        found.communications[0]
            .reason
            .starts_with("reshape reads dimension 1 of %minor at `d0 mod 8`"),
        "{:?}",
        found.communications
    );
}

#[test]
fn reductions_and_contractions_leave_partial_results() {
    let mut b = Build::new();
    let x = b.value("%x", &[8, 8], Some(&[&["x"], &["y"]]));
    let sum = b.op(
        "reduce",
        &[x],
        &[8],
        &[&["(d0)[s0] -> (d0, s0), domain: d0 in [0, 7], s0 in [0, 7]"]],
        Some(Reduction::Sum),
    );
    let sort = b.op(
        "sort",
        &[x],
        &[8, 8],
        &[&["(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 7], d1 in [0, 7], s0 in [0, 7]"]],
        None,
    );
    let neg = b.op(
        "exponential",
        &[sum],
        &[8],
        &[&["(d0) -> (d0), domain: d0 in [0, 7]"]],
        None,
    );
    let found = b.run();
    assert_eq!(b.text(&found, sum), "[{x}] partial sum {y}");
    assert_eq!(b.text(&found, sort), "[{x*y}, {}]");
    assert_eq!(b.text(&found, neg), "[{x}]");
    let reasons: Vec<&str> = found
        .communications
        .iter()
        .map(|c| c.reason.as_str())
        .collect();
    assert_eq!(
        reasons[0],
        "sort reads dimension 1 of %x whole, and partial results of it do not combine"
    );
    assert_eq!(
        reasons[1],
        "%1 holds partial results (sum) along y, exponential needs the full values"
    );
    assert_eq!(found.communications.len(), 2);

    // dot [b, m, k] . [b, k, n]: batch, free and contracting dimensions.
    let lhs_map = "(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 1], d1 in [0, 7], d2 in [0, 7], s0 in [0, 7]";
    let rhs_map = "(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 1], d1 in [0, 7], d2 in [0, 7], s0 in [0, 7]";
    let dot = |lhs: &[&[&str]], rhs: Option<&[&[&str]]>| {
        let mut b = Build::new();
        let l = b.value("%l", &[2, 8, 8], Some(lhs));
        let r = b.value("%r", &[2, 8, 8], rhs);
        let out = b.op(
            "dot_general",
            &[l, r],
            &[2, 8, 8],
            &[&[lhs_map], &[rhs_map]],
            Some(Reduction::Sum),
        );
        let found = b.run();
        let reasons: Vec<String> = found
            .communications
            .iter()
            .map(|c| c.reason.clone())
            .collect();
        (
            b.text(&found, out),
            b.text(&found, r),
            reasons,
            found.conflicts.len(),
        )
    };
    let n: &[&str] = &[];
    let fine = |lhs: &[&[&str]], rhs: Option<&[&[&str]]>, out: &str, r: &str| {
        assert_eq!(dot(lhs, rhs), (out.to_owned(), r.to_owned(), vec![], 0));
    };
    fine(&[&["x"], n, n], None, "[{x}, {}, {}]", "[{x}, {}, {}]");
    fine(
        &[n, &["y"], n],
        Some(&[n, n, &["x"]]),
        "[{}, {y}, {x}]",
        "[{}, {}, {x}]",
    );
    fine(
        &[n, n, &["y"]],
        None,
        "[{}, {}, {}] partial sum {y}",
        "[{}, {y}, {}]",
    );
    fine(
        &[n, &["x"], &["y"]],
        Some(&[n, &["y"], n]),
        "[{}, {x}, {}] partial sum {y}",
        "[{}, {y}, {}]",
    );
    // One operand whole along the contraction is read in part.
    fine(
        &[n, n, &["y"]],
        Some(&[n, n, n]),
        "[{}, {}, {}] partial sum {y}",
        "[{}, {}, {}]",
    );
    // The left operand is less than what partial sums of the result would be.
    let (out, _, reasons, conflicts) = dot(&[n, n, &["x"]], Some(&[n, n, &["x"]]));
    assert_eq!((out.as_str(), conflicts), ("[{}, {}, {x}]", 1));
    assert_eq!(
        reasons,
        [
            "x splits dimension 2 of dot_general (from %r) and another dimension than dimension 2 of %l (from %l)"
        ]
    );
}

#[test]
fn gather_and_unknown_maps() {
    let mut b = Build::new();
    let x = b.value("%x", &[16, 8], Some(&[&["y"], &["x"]]));
    let i = b.value("%i", &[4], None);
    let rows = b.op(
        "gather",
        &[x, i],
        &[4, 8],
        &[
            &["(d0, d1){rt0} -> (rt0, d1), domain: d0 in [0, 3], d1 in [0, 7], rt0 in [0, 15]"],
            &["(d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 7]"],
        ],
        None,
    );
    let call = b.op("custom_call", &[x], &[16, 8], &[&["UNKNOWN"]], None);
    let found = b.run();
    assert_eq!(b.text(&found, rows), "[{}, {x*y}]");
    assert_eq!(b.text(&found, i), "[{}]");
    assert_eq!(b.text(&found, call), "[{}, {}]");
    assert!(
        found.communications[0]
            .reason
            .starts_with("gather reads dimension 0 of %x at `rt0`"),
        "{:?}",
        found.communications
    );
    assert!(
        found.communications[1]
            .reason
            .starts_with("which elements of %x custom_call reads is unknown"),
        "{:?}",
        found.communications
    );
}

#[test]
fn conflicts_name_both_sources() {
    let mut b = Build::new();
    let id = "(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 7]";
    let x = b.value("%arg0", &[8, 8], Some(&[&["x"], &[]]));
    let y = b.value("%arg1", &[8, 8], Some(&[&[], &["x"]]));
    let z = b.value("%arg2", &[8, 8], Some(&[&["y"], &[]]));
    let u = b.op("exponential", &[x], &[8, 8], &[&[id]], None);
    let a = b.op("add", &[u, y], &[8, 8], &[&[id], &[id]], None);
    let m = b.op("multiply", &[a, z], &[8, 8], &[&[id], &[id]], None);
    let found = b.run();
    assert_eq!(
        (b.text(&found, a), b.text(&found, m)),
        ("[{x}, {}]".into(), "[{y}, {}]".into())
    );
    assert_eq!(found.conflicts[0].sources, [x, y]);
    assert_eq!(
        found.conflicts[0].reason,
        "x splits dimension 0 of add (from %arg0) and another dimension than dimension 1 of %arg1 (from %arg1)"
    );
    // Four devices share the work along y, two along x.
    assert_eq!(found.conflicts[1].sources, [z, x]);
    assert_eq!(
        found.conflicts[1].reason,
        "dimension 0 of multiply is split along y (from %arg2) and along x (from %arg0)"
    );
    assert_eq!(found.communications.len(), 2);
    // A result that is given decides which operand is the one to move.
    let mut b = Build::new();
    let x = b.value("%arg0", &[8, 8], Some(&[&["x"], &[]]));
    let y = b.value("%arg1", &[8, 8], Some(&[&[], &["x"]]));
    let a = b.op("add", &[x, y], &[8, 8], &[&[id], &[id]], None);
    b.program.values[a].given = Some(b.sharding(&[&[], &["x"]]));
    let found = b.run();
    assert_eq!(
        found
            .communications
            .iter()
            .map(|c| (c.value, c.after))
            .collect::<Vec<_>>(),
        [(x, false)]
    );
}

#[test]
fn a_given_result_is_made_and_then_moved() {
    let mut b = Build::new();
    let x = b.value("%x", &[8], Some(&[&["y"]]));
    let e = b.op(
        "exponential",
        &[x],
        &[8],
        &[&["(d0) -> (d0), domain: d0 in [0, 7]"]],
        None,
    );
    b.program.values[e].given = Some(b.sharding(&[&[]]));
    let found = b.run();
    assert_eq!(found.communications.len(), 1);
    assert_eq!(
        found.communications[0].reason,
        "exponential makes %1 split as [{y}], it is to be [{}]"
    );
    assert!(found.communications[0].after);
    // Split further is no movement.
    b.program.values[e].given = Some(b.sharding(&[&["y", "x"]]));
    assert!(b.run().communications.is_empty());
}

#[test]
fn partial_results_pass_where_the_operation_allows_it() {
    let mut b = Build::new();
    let reduce = "(d0)[s0] -> (d0, s0), domain: d0 in [0, 7], s0 in [0, 7]";
    let id: IndexingMap = "(d0) -> (d0), domain: d0 in [0, 7]".parse().unwrap();
    let x = b.value("%x", &[8, 8], Some(&[&[], &["y"]]));
    let p = b.op("reduce", &[x], &[8], &[&[reduce]], Some(Reduction::Sum));
    let q = b.op("reduce", &[x], &[8], &[&[reduce]], Some(Reduction::Sum));
    let moved = b.op_maps(
        "transpose",
        &[p],
        &[8],
        vec![vec![id.clone()]],
        None,
        PartialRule::Moves,
    );
    let added = b.op_maps(
        "add",
        &[moved, q],
        &[8],
        vec![vec![id.clone()], vec![id.clone()]],
        None,
        PartialRule::Adds,
    );
    let again = b.op(
        "reduce",
        &[added],
        &[],
        &[&["()[s0] -> (s0), domain: s0 in [0, 7]"]],
        Some(Reduction::Sum),
    );
    let most = b.op(
        "reduce",
        &[added],
        &[],
        &[&["()[s0] -> (s0), domain: s0 in [0, 7]"]],
        Some(Reduction::Max),
    );
    let found = b.run();
    assert_eq!(
        [moved, added, again].map(|v| b.text(&found, v)),
        [
            "[{}] partial sum {y}",
            "[{}] partial sum {y}",
            "[] partial sum {y}"
        ]
    );
    assert_eq!(b.text(&found, most), "[]");
    assert_eq!(found.communications.len(), 1);
    let layout = found.values[added]
        .as_ref()
        .unwrap()
        .sharding
        .to_layout(&b.program.devices)
        .unwrap();
    assert_eq!(layout.to_string(), "(x=2, y=4)(None) partial sum over y");
}

#[test]
fn wrong_shardings_are_errors() {
    let mut b = Build::new();
    b.value("%x", &[6], Some(&[&["y"]]));
    assert_eq!(
        b.try_run().unwrap_err().to_string(),
        "dimension 0 of size 6 cannot be split evenly into 4 parts (axes y of %x)"
    );
    b.program.values[0].given = Some(Sharding {
        dims: vec![],
        partial: vec![],
    });
    assert_eq!(
        b.try_run().unwrap_err().to_string(),
        "the tensor map is of length 0, but the tensor has 1 dimension (shape [6])"
    );
    b.program.devices = DeviceMatrix::new(&[6], &["all"]).unwrap();
    let half = |size, stride| {
        Some(Sharding {
            dims: vec![vec![Digit { stride, size }]],
            partial: vec![],
        })
    };
    b.program.values[0].given = half(2, 3);
    b.value("%y", &[6], None);
    b.program.values[1].given = half(3, 2);
    assert!(
        b.try_run()
            .unwrap_err()
            .to_string()
            .contains("cut across each other")
    );
}
