//! Every kind of slice, pad, concatenation, reshape and broadcast of run-time size, in every kind of
//! region: code for any size, and code for the sizes that are there, beside the interpreter. Numbers
//! are small and whole, so that sums are exact in every order.

use super::generate::{Dim, ty_of};
use super::{floats, interpreted};
use mapwright_interpret::{Options, Value};
use mapwright_mlir::{ElementType, Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable, ExecuteOptions, Model, ModelOptions, Tensor};

/// The arguments of all programs: `%y` has another size than `%x`, and `%e` that of `%x` or 1.
const ARGUMENTS: &str =
    "%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?x6xf32>, %e: tensor<?xf32>";

/// Sizes that follow from the first one of `%x`, or of `%z` where `moved` is made of it, as
/// `tensor<1xi32>`: JAX computes with numbers, and makes lists of them then.
fn sizes(moved: &str) -> String {
    let of = match moved.contains("%z") {
        true => "%z, dim = 0 : (tensor<?x6xf32>)",
        false => "%x, dim = 0 : (tensor<?xf32>)",
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
struct Move {
    name: String,
    text: String,
    dims: Vec<Dim>,
}

fn dims(of: &[&str]) -> Vec<Dim> {
    of.iter().map(ToString::to_string).collect()
}

const V: &str = "tensor<?xf32>";
const L: &str = "tensor<1xi32>";

fn moves() -> Vec<Move> {
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
    all
}

/// What is computed of `%v`, and the type of the result `%r`.
fn regions(dims: &[Dim]) -> Vec<(&'static str, String, String)> {
    let ty = ty_of(dims, "f32");
    let rank = dims.len();
    let last = rank - 1;
    let kept = ty_of(&dims[..last], "f32");
    let all: Vec<usize> = (0..rank).collect();
    let contracted = format!("{:?}", if rank == 2 { vec![1] } else { all.clone() });
    let product = match rank {
        2 => ty_of(&[dims[0].clone(), dims[0].clone()], "f32"),
        _ => "tensor<f32>".to_string(),
    };
    let at = |own: i64, other: i64| {
        let list: Vec<String> = (0..rank)
            .map(|k| if k == last { own } else { other }.to_string())
            .collect();
        list.join(", ")
    };
    let taken: Vec<Dim> = dims[..last]
        .iter()
        .cloned()
        .chain(["3".to_string()])
        .collect();
    let to = ty_of(&taken, "f32");
    let of_rows: Vec<String> = (0..last).map(|k| k.to_string()).collect();
    let mut found = vec![
        (
            "elementwise",
            format!("%h = stablehlo.add %v, %v : {ty}\n  %r = stablehlo.negate %h : {ty}\n"),
            ty.clone(),
        ),
        (
            "sum",
            format!(
                "%r = stablehlo.reduce(%v init: %zero) applies stablehlo.add across dimensions = {all:?} : ({ty}, tensor<f32>) -> tensor<f32>\n"
            ),
            "tensor<f32>".into(),
        ),
        (
            "maximum",
            format!(
                "%r = stablehlo.reduce(%v init: %lowest) applies stablehlo.maximum across dimensions = [{last}] : ({ty}, tensor<f32>) -> {kept}\n"
            ),
            kept,
        ),
        (
            "product",
            format!(
                "%r = stablehlo.dot_general %v, %v, contracting_dims = {contracted} x {contracted} : ({ty}, {ty}) -> {product}\n"
            ),
            product,
        ),
        (
            "window",
            format!(
                "%r = \"stablehlo.reduce_window\"(%v, %zero) ({{\n  ^bb0(%a0: tensor<f32>, %b0: tensor<f32>):\n    %m0 = stablehlo.add %a0, %b0 : tensor<f32>\n    \
                 stablehlo.return %m0 : tensor<f32>\n  }}) {{window_dimensions = array<i64: {}>, padding = dense<[{}]> : tensor<{rank}x2xi64>}} : ({ty}, tensor<f32>) -> {ty}\n",
                at(3, 1),
                (0..rank)
                    .map(|k| if k == last { "[1, 1]" } else { "[0, 0]" })
                    .collect::<Vec<_>>()
                    .join(", "),
            ),
            ty.clone(),
        ),
        (
            "sort",
            format!(
                "%r = \"stablehlo.sort\"(%v) <{{dimension = {last} : i64}}> ({{\n  ^bb0(%a0: tensor<f32>, %b0: tensor<f32>):\n    %m0 = stablehlo.compare LT, %a0, %b0 : \
                 (tensor<f32>, tensor<f32>) -> tensor<i1>\n    stablehlo.return %m0 : tensor<i1>\n  }}) : ({ty}) -> {ty}\n"
            ),
            ty.clone(),
        ),
    ];
    if dims[..last].iter().all(|dim| dim.parse::<i64>().is_ok()) {
        let slice: Vec<String> = dims[..last]
            .iter()
            .cloned()
            .chain(["1".to_string()])
            .collect();
        found.push((
            "gather",
            format!(
                "%i = stablehlo.constant dense<[[2], [0], [1]]> : tensor<3x1xi32>
  %r = \"stablehlo.gather\"(%v, %i) <{{dimension_numbers = #stablehlo.gather<offset_dims = [{}], collapsed_slice_dims = [{last}], start_index_map = [{last}], \
                 index_vector_dim = 1>, slice_sizes = array<i64: {}>}}> : ({ty}, tensor<3x1xi32>) -> {to}\n",
                of_rows.join(", "),
                slice.join(", "),
            ),
            to,
        ));
    }
    found
}

/// Whole numbers that repeat themselves nowhere near.
fn input(shape: &[i64], from: i64) -> Tensor {
    let mut tensor = Tensor::zeros(&ElementType::F32, shape).unwrap();
    for (k, bytes) in tensor.bytes_mut().chunks_exact_mut(4).enumerate() {
        let value = ((k as i64 * 7 + from) % 23 - 11) as f32;
        bytes.copy_from_slice(&value.to_le_bytes());
    }
    tensor
}

/// What is wrong with one move, in all regions; and how many results were compared.
fn check(place: usize, own: &Move, compared: &mut usize) -> Vec<String> {
    let regions = regions(&own.dims);
    let sizes = sizes(&own.text);
    let functions = regions.iter().map(|(name, text, ty)| {
        let (moved, arguments) = (&own.text, ARGUMENTS);
        format!("func.func @{name}({arguments}) -> {ty} {{{sizes}  {moved}  {text}  return %r : {ty}\n}}\n")
    });
    let source: String = functions.collect();
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let parsed = diagnostics.parse("program", source.as_bytes());
    let Ok(module) = parsed else {
        return vec![format!("{}: {}\n{source}", own.name, diagnostics.take())];
    };
    let module = Op::new(module.as_operation());
    let options = CompileOptions {
        threads: 1 + place % 2,
        bounds_checks: place.is_multiple_of(2),
        ..CompileOptions::default()
    };
    let executable = match Executable::compile(module, &options) {
        Ok(executable) => executable,
        Err(why) => {
            return vec![format!(
                "{}: {why} {}\n{source}",
                own.name,
                diagnostics.take()
            )];
        }
    };
    let mut wrong = Vec::new();
    let mut special_of = place;
    for (region, _, _) in &regions {
        let region: &str = region;
        let model = ModelOptions {
            compile: options.clone(),
            waits: true,
            ..ModelOptions::default()
        };
        special_of += 1;
        let special = special_of
            .is_multiple_of(3)
            .then(|| Model::new(module, region, model).unwrap());
        for n in [0, 1, 2, 3, 6, 7, 12] {
            for of_one in [n, 1] {
                if of_one == n && n == 1 {
                    continue;
                }
                let inputs = [
                    input(&[n], 3),
                    input(&[5], 1),
                    input(&[n, 6], 2),
                    input(&[of_one], 8),
                ];
                let values: Vec<Value> = (inputs.iter())
                    .map(|t| Value::Tensor(interpreted::tensor(t)))
                    .collect();
                let expected =
                    mapwright_interpret::run(module, region, &values, &Options::default());
                // No such program of this size.
                let Ok(expected) = expected else {
                    diagnostics.take();
                    continue;
                };
                let expected = expected[0].tensor().unwrap().to_bytes();
                let taken: Vec<&Tensor> = inputs.iter().collect();
                let threads = ExecuteOptions {
                    threads: options.threads,
                };
                let mut found = vec![(
                    "code for any size",
                    executable.execute_entry(Some(region), &taken, &threads),
                )];
                if let Some(model) = special.as_ref().filter(|_| [1, 6].contains(&n)) {
                    found.push((
                        "special code",
                        model.call(&taken, &threads).map(|(found, _)| found),
                    ));
                }
                for (code, found) in found {
                    *compared += 1;
                    let same = found
                        .as_ref()
                        .is_ok_and(|all| all[0].bytes() == &expected[..]);
                    if !same {
                        let found = found
                            .map(|all| floats(all[0].bytes()))
                            .map_err(|why| why.to_string());
                        wrong.push(format!(
                            "{}, {region}, n = {n}, {of_one} of %e, {code}: {found:?}, not {:?}",
                            own.name,
                            floats(&expected)
                        ));
                    }
                }
            }
        }
    }
    wrong
}

#[test]
fn every_move_in_every_region() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let (mut wrong, mut compared) = (Vec::new(), 0);
    let moves = moves();
    for (place, own) in moves
        .iter()
        .enumerate()
        .filter(|(_, own)| own.name.contains(&only))
    {
        wrong.extend(check(place, own, &mut compared));
    }
    eprintln!("{} moves, {compared} results", moves.len());
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(!only.is_empty() || compared > 2500, "{compared} results");
}
