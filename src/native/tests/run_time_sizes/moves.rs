//! Slices, pads, concatenations, reshapes and broadcasts of run-time size, as text.

use super::generate::{Dim, ty_of};

/// The arguments of all programs: `%y` has another size than `%x`, and `%e` that of `%x` or 1.
pub const ARGUMENTS: &str =
    "%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?x6xf32>, %e: tensor<?xf32>";

/// Sizes that follow from the first one of `%x`, or of `%z` where `moved` is made of it, as
/// `tensor<1xi32>`: JAX computes with numbers, and makes lists of them then.
pub fn sizes(moved: &str) -> String {
    let of = if moved.contains("%z") {
        "%z, dim = 0 : (tensor<?x6xf32>)"
    } else {
        "%x, dim = 0 : (tensor<?xf32>)"
    };
    let mut text = format!(
        "
  %size = stablehlo.get_dimension_size {of} -> tensor<i32>
  %n = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
  %nine = stablehlo.constant dense<9.0> : tensor<1xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
    );
    for (name, value) in [
        ("c0", 0),
        ("c1", 1),
        ("c2", 2),
        ("c3", 3),
        ("c6", 6),
        ("minus", -1),
    ] {
        text += &format!(
            "  %{name} = stablehlo.constant dense<{value}> : tensor<1xi32>
  %{name}_number = stablehlo.constant dense<{value}> : tensor<i32>\n"
        );
    }
    for (name, op, a, b) in [
        ("less", "subtract", "size", "c1_number"),
        ("half", "divide", "size", "c2_number"),
        ("rest", "subtract", "size", "half_number"),
        ("twice", "multiply", "size", "c2_number"),
        ("thrice", "multiply", "size", "c3_number"),
        ("all", "multiply", "size", "c6_number"),
    ] {
        text += &format!(
            "  %{name}_number = stablehlo.{op} %{a}, %{b} : tensor<i32>
  %{name} = stablehlo.reshape %{name}_number : (tensor<i32>) -> tensor<1xi32>\n"
        );
    }
    text
}

/// A value `%v` that is moved to where it is, and its sizes.
pub struct Move {
    pub name: String,
    pub text: String,
    pub dims: Vec<Dim>,
}

fn dims(of: &[&str]) -> Vec<Dim> {
    of.iter().map(ToString::to_string).collect()
}

const V: &str = "tensor<?xf32>";
const L: &str = "tensor<1xi32>";

pub fn moves() -> Vec<Move> {
    let mut all = Vec::new();
    let mut add = |name: String, of: &[&str], text: String| {
        let dims = dims(of);
        all.push(Move { name, text, dims });
    };
    let part = |v: &str, start: &str, size: &str| {
        format!(
            "%{v} = \"stablehlo.dynamic_gather\"(%x, %{start}, %{size}) <{{dimension_numbers = #stablehlo.gather<offset_dims = [0], \
             start_index_map = [0]>, indices_are_sorted = true}}> : ({V}, {L}, {L}) -> {V}\n"
        )
    };
    let slice = |v: &str, [from, to, by]: [&str; 3]| {
        format!(
            "%{v} = stablehlo.real_dynamic_slice %x, %{from}, %{to}, %{by} : ({V}, {L}, {L}, {L}) -> {V}\n"
        )
    };
    let parts = [
        ("c1", "less"),
        ("c0", "less"),
        ("c0", "half"),
        ("half", "rest"),
        ("c0", "n"),
    ];
    for (start, size) in parts {
        add(
            format!("gather_{start}_{size}"),
            &["?"],
            part("v", start, size),
        );
    }
    let slices = [
        ["c1", "n", "c1"],
        ["c0", "less", "c1"],
        ["c0", "half", "c1"],
        ["half", "n", "c1"],
        ["c0", "n", "c2"],
        ["c1", "n", "c3"],
    ];
    for own in slices {
        add(format!("slice_{}", own.join("_")), &["?"], slice("v", own));
    }
    for (low, high, between) in [(1, 2, 0), (0, 0, 1), (-1, 0, 0), (2, -1, 0), (0, 1, 2)] {
        let text = format!(
            "%v = stablehlo.pad %x, %zero, low = [{low}], high = [{high}], interior = [{between}] : ({V}, tensor<f32>) -> {V}\n"
        );
        add(format!("pad_{}_{high}_{between}", low + 1), &["?"], text);
    }
    let pads = [
        ["c1", "c2", "c0"],
        ["c0", "c0", "c1"],
        ["minus", "c0", "c0"],
        ["c0", "n", "c0"],
        ["half", "c1", "c0"],
        ["c0", "half", "c0"],
    ];
    for own in pads {
        let [low, high, between] = own;
        let text = format!(
            "%v = stablehlo.dynamic_pad %x, %zero, %{low}, %{high}, %{between} : ({V}, tensor<f32>, {L}, {L}, {L}) -> {V}\n"
        );
        add(format!("dynamic_pad_{}", own.join("_")), &["?"], text);
    }
    let both = |a: &str, b: &str, ty: &str| {
        format!("%v = stablehlo.concatenate %{a}, %{b}, dim = 0 : ({V}, {ty}) -> {V}\n")
    };
    let one = "tensor<1xf32>";
    let tail = part("a", "c1", "less");
    let halves = part("a", "half", "rest") + &part("b", "c0", "half");
    let concatenations = [
        ("itself", both("x", "x", V)),
        ("another", both("x", "y", V)),
        ("one_more", both("x", "nine", one)),
        ("tail_and_one", tail.clone() + &both("a", "nine", one)),
        ("tail_and_another", tail + &both("a", "y", V)),
        (
            "init_and_one",
            part("a", "c0", "less") + &both("a", "nine", one),
        ),
        ("halves", halves + &both("a", "b", V)),
        (
            "slices",
            slice("a", ["half", "n", "c1"])
                + &slice("b", ["c0", "half", "c1"])
                + &both("a", "b", V),
        ),
        (
            "padded",
            part("a", "c0", "half")
                + &format!(
                    "%v = stablehlo.pad %a, %zero, low = [1], high = [2], interior = [0] : ({V}, tensor<f32>) -> {V}\n"
                ),
        ),
        (
            "three",
            format!("%v = stablehlo.concatenate %x, %y, %x, dim = 0 : ({V}, {V}, {V}) -> {V}\n"),
        ),
    ];
    for (name, text) in concatenations {
        add(format!("concatenation_{name}"), &["?"], text);
    }
    add(
        "reverse".into(),
        &["?"],
        format!("%v = stablehlo.reverse %x, dims = [0] : {V}\n"),
    );
    let turned =
        "%t = stablehlo.transpose %z, dims = [1, 0] : (tensor<?x6xf32>) -> tensor<6x?xf32>\n";
    let reshapes: [(&str, &[&str], &[&str]); 10] = [
        ("z", &["?"], &["all"]),
        ("z", &["2", "?"], &["c2", "thrice"]),
        ("z", &["3", "?"], &["c3", "twice"]),
        ("z", &["6", "?"], &["c6", "n"]),
        ("z", &["?", "2"], &["thrice", "c2"]),
        ("z", &["?", "2", "3"], &["n", "c2", "c3"]),
        ("z", &["2", "?", "3"], &["c2", "n", "c3"]),
        ("t", &["?", "6"], &["n", "c6"]),
        ("t", &["2", "?"], &["c2", "thrice"]),
        ("x", &["?", "1"], &["n", "c1"]),
    ];
    for (from, to, sizes) in reshapes {
        let rank = to.len();
        let list = format!("tensor<{rank}xi32>");
        let ty = ["tensor<?x6xf32>", "tensor<6x?xf32>", V]
            [["z", "t", "x"].iter().position(|x| *x == from).unwrap()];
        let text = format!(
            "{}%s = stablehlo.concatenate %{}, dim = 0 : ({}) -> {list}
  %v = stablehlo.dynamic_reshape %{from}, %s : ({ty}, {list}) -> {}\n",
            if from == "t" { turned } else { "" },
            sizes.join(", %"),
            vec![L; rank].join(", "),
            ty_of(&dims(to), "f32"),
        );
        add(
            format!("reshape_{from}_{}", to.join("_").replace('?', "n")),
            to,
            text,
        );
    }
    type Broadcast<'a> = (&'a str, &'a str, &'a [&'a str], &'a [&'a str], usize);
    let broadcasts: [Broadcast<'_>; 7] = [
        ("x", V, &["?", "3"], &["n", "c3"], 0),
        ("x", V, &["3", "?"], &["c3", "n"], 1),
        ("e", V, &["?"], &["n"], 0),
        ("e", V, &["3", "?"], &["c3", "n"], 1),
        ("e", V, &["?", "3"], &["n", "c3"], 0),
        ("p", V, &["?"], &["twice"], 0),
        ("p", V, &["?", "2"], &["n", "c2"], 0),
    ];
    let first = slice("p", ["c0", "c1", "c1"]);
    for (from, ty, to, sizes, dim) in broadcasts {
        let rank = to.len();
        let list = format!("tensor<{rank}xi32>");
        let text = format!(
            "{}%s = stablehlo.concatenate %{}, dim = 0 : ({}) -> {list}
  %v = stablehlo.dynamic_broadcast_in_dim %{from}, %s, dims = [{dim}] : ({ty}, {list}) -> {}\n",
            if from == "p" { &first } else { "" },
            sizes.join(", %"),
            vec![L; rank].join(", "),
            ty_of(&dims(to), "f32"),
        );
        add(
            format!("broadcast_{from}_{}", to.join("_").replace('?', "n")),
            to,
            text,
        );
    }
    for (name, attribute) in [
        ("expanding", "known_expanding_dimensions = array<i64: 0>"),
        ("same", "known_nonexpanding_dimensions = array<i64: 0>"),
    ] {
        let (from, first) = if name == "same" {
            ("x", "")
        } else {
            ("p", &first[..])
        };
        let text = format!(
            "{first}%v = \"stablehlo.dynamic_broadcast_in_dim\"(%{from}, %n) {{broadcast_dimensions = array<i64: 0>, {attribute}}} : ({V}, {L}) -> {V}\n"
        );
        add(format!("broadcast_known_{name}"), &["?"], text);
    }
    add(
        "implicit_broadcast".into(),
        &["?"],
        format!("%v = chlo.broadcast_add %e, %x : ({V}, {V}) -> {V}\n"),
    );
    add(
        "implicit_broadcast_of_rows".into(),
        &["?", "6"],
        format!(
            "%q = stablehlo.get_dimension_size %e, dim = 0 : ({V}) -> tensor<i32>
  %o = stablehlo.reshape %q : (tensor<i32>) -> {L}
  %s = stablehlo.concatenate %o, %c1, dim = 0 : ({L}, {L}) -> tensor<2xi32>
  %a = stablehlo.dynamic_reshape %e, %s : ({V}, tensor<2xi32>) -> tensor<?x1xf32>
  %v = chlo.broadcast_multiply %a, %z : (tensor<?x1xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>\n"
        ),
    );
    // Of rows.
    let (z, list) = ("tensor<?x6xf32>", "tensor<2xi32>");
    let pair = |name: &str, a: &str, b: &str| {
        format!("%{name} = stablehlo.concatenate %{a}, %{b}, dim = 0 : ({L}, {L}) -> {list}\n  ")
    };
    let cut = |v: &str, from: &str, to: &str| {
        pair(&format!("{v}_from"), from, "c0")
            + &pair(&format!("{v}_to"), to, "c6")
            + &pair(&format!("{v}_by"), "c1", "c1")
            + &format!(
                "%{v} = stablehlo.real_dynamic_slice %z, %{v}_from, %{v}_to, %{v}_by : ({z}, {list}, {list}, {list}) -> {z}\n  "
            )
    };
    let row =
        "%row = stablehlo.constant dense<[[1.0, -2.0, 3.0, 4.0, 5.0, -6.0]]> : tensor<1x6xf32>\n  "
            .to_owned();
    let rows = [
        ("slice", "?", cut("v", "half", "n")),
        (
            "gather",
            "?",
            pair("at", "c1", "c0")
                + &pair("many", "less", "c6")
                + &format!(
                    "%v = \"stablehlo.dynamic_gather\"(%z, %at, %many) <{{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [0, 1]>, indices_are_sorted = true}}> : ({z}, {list}, {list}) -> {z}\n"
                ),
        ),
        (
            "few",
            "2",
            format!(
                "%v = stablehlo.dynamic_slice %z, %half_number, %c0_number, sizes = [2, 6] : ({z}, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>\n"
            ),
        ),
        (
            "halves",
            "?",
            cut("a", "half", "n")
                + &cut("b", "c0", "half")
                + &row
                + &format!(
                    "%v = stablehlo.concatenate %a, %row, %b, dim = 0 : ({z}, tensor<1x6xf32>, {z}) -> {z}\n"
                ),
        ),
        (
            "pad",
            "?",
            pair("low", "half", "c0")
                + &pair("high", "c1", "c0")
                + &pair("between", "c1", "c0")
                + &format!(
                    "%v = stablehlo.dynamic_pad %z, %zero, %low, %high, %between : ({z}, tensor<f32>, {list}, {list}, {list}) -> {z}\n"
                ),
        ),
    ];
    for (name, count, text) in rows {
        add(format!("rows_{name}"), &[count, "6"], text);
    }
    add(
        "columns".into(),
        &["6", "?"],
        format!(
            "{turned}  %v = stablehlo.concatenate %t, %t, dim = 1 : (tensor<6x?xf32>, tensor<6x?xf32>) -> tensor<6x?xf32>\n"
        ),
    );
    all
}
