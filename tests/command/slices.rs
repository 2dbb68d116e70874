//! `mapwright shards --data`: what each rank holds, and after a change of layout.

use super::mapwright;
use crate::support::{Run, folder, last_floats, npy};
use std::{fs, path::Path};

/// The numbers 0, 1, 2, … in a file of this shape.
fn counting(folder: &Path, shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
    let count: usize = shape.iter().product();
    let values: Vec<f32> = (0..count).map(|i| i as f32).collect();
    let path = folder.join("x.npy");
    fs::write(&path, npy(&format!("({},)", sizes.join(", ")), &values)).unwrap();
    path.display().to_string()
}

fn shards(layout: &[&str], shape: &[usize], data: &str, options: &[&str]) -> Run {
    let shape: Vec<String> = shape.iter().map(ToString::to_string).collect();
    let shape = shape.join(",");
    let given = ["shards", "--shape", shape.as_str(), "--data", data];
    mapwright(&[&given[..], layout, options].concat())
}

/// The layouts of the source document, where each rank holds one number.
#[test]
fn ranks_hold_what_the_document_says() {
    let five = [
        "--device-matrix",
        "2,1,2,2,1",
        "--alias",
        "a,b,c,d,e",
        "--tensor-map",
    ];
    let other = [
        "--device-matrix",
        "4,1,1,2,1",
        "--alias",
        "a,b,c,d,e",
        "--tensor-map",
    ];
    let repeated = ["--strategy", "2,1,1,2,1", "--devices", "8"];
    let cases: [(&[&str], &[usize], [f32; 8]); 5] = [
        (
            &[&five[..], &["b,d,e,c,a"]].concat(),
            &[1, 2, 1, 2, 2],
            [0.0, 4.0, 2.0, 6.0, 1.0, 5.0, 3.0, 7.0],
        ),
        (
            &[&other[..], &["b,d,e,a"]].concat(),
            &[1, 2, 1, 4],
            [0.0, 4.0, 1.0, 5.0, 2.0, 6.0, 3.0, 7.0],
        ),
        (
            &[&five[..], &["b,e,c,a"]].concat(),
            &[1, 1, 2, 2],
            [0.0, 0.0, 2.0, 2.0, 1.0, 1.0, 3.0, 3.0],
        ),
        (
            &["--strategy", "2,1,2,2,1"],
            &[2, 1, 2, 2, 1],
            [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
        ),
        (
            &repeated,
            &[2, 1, 1, 2, 1],
            [0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0],
        ),
    ];
    for (i, (layout, shape, held)) in cases.iter().enumerate() {
        let folder = folder(&format!("slices-{i}"));
        let data = counting(&folder, shape);
        let out = folder.join("out");
        let text = shards(
            layout,
            shape,
            &data,
            &["--output-dir", &out.display().to_string()],
        )
        .ok();
        for (rank, value) in held.iter().enumerate() {
            let file = out.join(format!("rank{rank}.npy"));
            assert_eq!(last_floats(file, 1), [*value], "{layout:?}, rank {rank}");
            let line = format!("  rank {rank}: dense<");
            let line = text.lines().find(|own| own.starts_with(&line)).unwrap();
            assert!(line.contains(&format!("[{value:.1}]")), "{line}");
        }
    }
}

/// After the change every rank has what it would have had in the new layout to begin with.
#[test]
fn a_change_of_layout_moves_the_elements() {
    let matrix = ["--device-matrix", "2,3,2", "--alias", "a,b,c"];
    let maps = [
        "a,b",
        "b,a",
        "c,b",
        "(a,c),b",
        "b,(c,a)",
        "None,a",
        "None,None",
        "(b,a),c",
    ];
    let shape = [12, 12];
    let folder = folder("reshard");
    let data = counting(&folder, &shape);
    let held = |name: &str, options: &[&str]| -> Vec<Vec<u8>> {
        let out = folder.join(name);
        let own = ["--output-dir", &out.display().to_string()];
        shards(
            &matrix,
            &shape,
            &data,
            &[&own[..], options, &["--json"]].concat(),
        )
        .ok();
        let read = |rank: usize| fs::read(out.join(format!("rank{rank}.npy"))).unwrap();
        (0..12).map(read).collect()
    };
    for (i, from) in maps.iter().enumerate() {
        let to = maps[(i + 3) % maps.len()];
        let wanted = held(&format!("direct-{i}"), &["--tensor-map", to]);
        let moved = held(
            &format!("moved-{i}"),
            &["--from", from, "--to", to, "--reshard"],
        );
        assert_eq!(moved, wanted, "{from} to {to}");
    }
}

#[test]
fn what_cannot_be_cut_is_an_error() {
    let folder = folder("slices-errors");
    let data = counting(&folder, &[4, 4]);
    let matrix = ["--device-matrix", "2,2", "--alias", "a,b"];
    let refused = |layout: &[&str], shape: &[usize], data: &str, reason: &str| {
        let run = shards(layout, shape, data, &[]);
        assert_ne!(run.code, Some(0), "{layout:?}");
        assert!(run.err.contains(reason), "{}", run.err);
    };
    let plain = [&matrix[..], &["--tensor-map", "a,b"]].concat();
    refused(&plain, &[4, 2], &data, "shape is [4, 4]");
    refused(&plain, &[4, 4], "/nowhere.npy", "/nowhere.npy");
    let partial = [&matrix[..], &["--tensor-map", "a,None", "--partial", "b"]].concat();
    refused(&partial, &[4, 4], &data, "shares of partial sums");
    let named = [
        "--device-matrix",
        "2,2",
        "--alias",
        "a,interleaved_parallel",
        "--tensor-map",
        "a,None",
    ];
    refused(
        &named,
        &[4, 4],
        &data,
        "`interleaved_parallel` is MindSpore's name",
    );
}
