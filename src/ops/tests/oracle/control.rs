//! Calls, branches and loops: what one run of them reads. Where that depends on values, the maps
//! hold what any run reads and must not claim to be exact.

use super::harness::*;

/// Which elements of the operand element `i` of a result is made of.
type ReadAt = Box<dyn Fn(i64) -> Vec<i64>>;

/// One of a few operations on a vector of `n`, and what its element `i` is made of.
fn step(rng: &mut Rng, n: i64) -> (&'static str, ReadAt) {
    match rng.int(0, 2) {
        0 => ("negate", Box::new(|i| vec![i])),
        1 => ("reverse", Box::new(move |i| vec![n - 1 - i])),
        _ => ("both", Box::new(move |i| vec![i, n - 1 - i])),
    }
}

/// The text of such an operation.
pub fn write(name: &str, out: &str, input: &str, ty: &str) -> String {
    let reverse = |out: &str| {
        format!(
            "%{out} = \"stablehlo.reverse\"(%{input}) {{dimensions = array<i64: 0>}} : ({ty}) -> {ty}\n"
        )
    };
    match name {
        "reverse" => reverse(out),
        "both" => {
            reverse(&format!("{out}r"))
                + &format!("%{out} = \"stablehlo.add\"(%{input}, %{out}r) : ({ty}, {ty}) -> {ty}\n")
        }
        _ => format!("%{out} = \"stablehlo.{name}\"(%{input}) : ({ty}) -> {ty}\n"),
    }
}

/// The second operand, and what `reads` says of the first.
fn exchanged(reads: ReadAt) -> Relation {
    Box::new(move |r, i| match r {
        0 => vec![(1, i.to_vec())],
        _ => reads(i[0]).into_iter().map(|at| (0, vec![at])).collect(),
    })
}

#[test]
pub fn calls_and_barriers() {
    run("calls", 250, |rng| {
        let n = rng.int(1, 4);
        let ty = shape_type(&[n], "f32");
        let operands = [(vec![n], "f32"), (vec![n], "f32")];
        let results = [(vec![n], "f32"), (vec![n], "f32")];
        let (name, reads) = step(rng, n);
        let kind = rng.pick(&[
            "call",
            "composite",
            "fusion",
            "optimization_barrier",
            "custom_call",
        ]);
        match kind {
            "optimization_barrier" => Case::new(
                kind,
                &operands,
                "",
                "",
                &results,
                Box::new(|r, i| vec![(r, i.to_vec())]),
            ),
            "custom_call" => Case::new(
                kind,
                &operands[..1],
                "",
                "call_target_name = \"Sharding\"",
                &results[..1],
                Box::new(|_, i| vec![(0, i.to_vec())]),
            ),
            "fusion" => {
                // Bodies of older programs take none of the operands, or some, and use the others
                // as they are.
                let taken = rng.int(0, 2) as usize;
                let dialect = rng.pick(&["mhlo", "indexing"]);
                let value = |k: usize| {
                    if k < taken {
                        ["x", "y"][k]
                    } else {
                        ["arg0", "arg1"][k]
                    }
                };
                let arguments: Vec<String> =
                    (0..taken).map(|k| format!("%{}: {ty}", value(k))).collect();
                let head = match taken {
                    0 => String::new(),
                    _ => format!("^bb0({}): ", arguments.join(", ")),
                };
                let region = format!(
                    "({{ {head}{}\"{dialect}.{}\"(%{}, %z) : ({ty}, {ty}) -> () }})",
                    write(name, "z", value(0), &ty),
                    if dialect == "mhlo" { "return" } else { "yield" },
                    value(1)
                );
                Case::new(kind, &operands, &region, "", &results, exchanged(reads)).dialect(dialect)
            }
            _ => {
                // Exchanges its arguments, and does something with one of them.
                let functions = format!(
                    "func.func private @g(%x: {ty}, %y: {ty}) -> ({ty}, {ty}) {{\n{}return %y, %z : {ty}, {ty}\n}}",
                    write(name, "z", "x", &ty)
                );
                let attributes = match kind {
                    "call" => "callee = @g",
                    _ => "name = \"a.b\", decomposition = @g",
                };
                let relation = exchanged(reads);
                let mut case = Case::new(kind, &operands, "", attributes, &results, relation);
                if kind == "call" {
                    case = case.dialect("func");
                }
                case.functions = functions;
                case
            }
        }
    });
}

/// The branches use values from outside; a call around them makes these operands.
#[test]
pub fn branches() {
    run("branches", 250, |rng| {
        let n = rng.int(1, 4);
        let ty = shape_type(&[n], "f32");
        let two = rng.flag();
        let count = if two { 2 } else { rng.int(1, 3) as usize };
        let taken = rng.int(0, count as i64 - 1) as usize;
        let steps: Vec<_> = (0..count).map(|_| step(rng, n)).collect();
        let sources: Vec<usize> = (0..count).map(|_| rng.int(1, 2) as usize).collect();
        let regions: Vec<String> = (0..count)
            .map(|k| {
                let input = ["x", "y"][sources[k] - 1];
                format!(
                    "{{\n{}\"stablehlo.return\"(%z) : ({ty}) -> ()\n}}",
                    write(steps[k].0, "z", input, &ty)
                )
            })
            .collect();
        let (name, decider) = if two { ("if", "i1") } else { ("case", "i32") };
        let functions = format!(
            "func.func private @g(%p: tensor<{decider}>, %x: {ty}, %y: {ty}) -> {ty} {{\n%r = \"stablehlo.{name}\"(%p) ({}) : (tensor<{decider}>) -> {ty}\nreturn %r : {ty}\n}}",
            regions.join(", ")
        );
        let relation: Relation = Box::new(move |_, i| {
            let mut found = vec![(0, vec![])];
            found.extend(
                steps[taken].1(i[0])
                    .into_iter()
                    .map(|at| (sources[taken], vec![at])),
            );
            found
        });
        let operands = [(vec![], decider), (vec![n], "f32"), (vec![n], "f32")];
        let mut case = Case::new(
            "call",
            &operands,
            "",
            "callee = @g",
            &[(vec![n], "f32")],
            relation,
        )
        .dialect("func");
        case.functions = functions;
        case.exact = vec![0];
        case
    });
    // The operations themselves: their operand decides.
    run("deciders", 200, |rng| {
        let two = rng.flag();
        let ty = "tensor<2xf32>";
        let region = format!(
            "{{\n%z = \"stablehlo.constant\"() {{value = dense<0.0> : {ty}}} : () -> {ty}\n\"stablehlo.return\"(%z) : ({ty}) -> ()\n}}"
        );
        let (name, decider) = if two { ("if", "i1") } else { ("case", "i32") };
        Case::new(
            name,
            &[(vec![], decider)],
            &format!("({region}, {region})"),
            "",
            &[(vec![2], "f32")],
            Box::new(|_, _| vec![(0, vec![])]),
        )
    });
}

/// A loop that runs a number of times which the maps do not know: from 0 to 3 times. The counter
/// decides how often, so every carried value that changes is made of it.
#[test]
pub fn loops() {
    run("loops", 300, |rng| {
        let n = rng.int(1, 4);
        let (ty, int) = (shape_type(&[n], "f32"), "tensor<i32>");
        let times = rng.int(0, 3);
        let kind = rng.pick(&["negate", "reverse", "both", "add", "replace", "keep"]);
        // What an iteration makes element `i` of: elements of x (1) and y (2).
        let made = move |i: i64| -> Vec<(usize, i64)> {
            match kind {
                "reverse" => vec![(1, n - 1 - i)],
                "both" => vec![(1, i), (1, n - 1 - i)],
                "add" => vec![(1, i), (2, i)],
                "replace" => vec![(2, i)],
                _ => vec![(1, i)],
            }
        };
        let body = match kind {
            "add" => format!("%z = \"stablehlo.add\"(%x, %y) : ({ty}, {ty}) -> {ty}\n"),
            "replace" => format!("%z = \"stablehlo.negate\"(%y) : ({ty}) -> {ty}\n"),
            "keep" => String::new(),
            other => write(other, "z", "x", &ty),
        };
        let next = if kind == "keep" { "%x" } else { "%z" };
        let arguments = format!("%i: {int}, %x: {ty}, %y: {ty}");
        let regions = format!(
            "({{ ^bb0({arguments}):\n%l = \"stablehlo.constant\"() {{value = dense<9> : {int}}} : () -> {int}\n%c = \"stablehlo.compare\"(%i, %l) {{comparison_direction = #stablehlo<comparison_direction LT>}} : ({int}, {int}) -> tensor<i1>\n\"stablehlo.return\"(%c) : (tensor<i1>) -> ()\n}}, {{ ^bb0({arguments}):\n%k = \"stablehlo.constant\"() {{value = dense<1> : {int}}} : () -> {int}\n%j = \"stablehlo.add\"(%i, %k) : ({int}, {int}) -> {int}\n{body}\"stablehlo.return\"(%j, {next}, %y) : ({int}, {ty}, {ty}) -> ()\n}})"
        );
        let relation: Relation = Box::new(move |r, i| match r {
            0 => vec![(0, vec![])],
            1 if kind != "keep" => {
                let mut read = vec![(1, i[0])];
                for _ in 0..times {
                    read = read
                        .into_iter()
                        .flat_map(|(value, at)| match value {
                            1 => made(at),
                            _ => vec![(value, at)],
                        })
                        .collect();
                }
                let mut found: Vec<(usize, Index)> = read
                    .into_iter()
                    .map(|(value, at)| (value, vec![at]))
                    .collect();
                found.push((0, vec![]));
                found
            }
            _ => vec![(r, i.to_vec())],
        });
        let shapes = [(vec![], "i32"), (vec![n], "f32"), (vec![n], "f32")];
        let mut case = Case::new("while", &shapes, &regions, "", &shapes, relation);
        // The counter is always read; an element that every iteration makes of itself is, too.
        case.exact = match kind {
            "negate" | "add" => vec![0, 1],
            "keep" => vec![0, 1, 2],
            // With one element, the reverse of x is x.
            _ => vec![0],
        };
        case
    });
}

/// What the elements of two vectors are made of, while a loop runs.
type Made = Vec<std::collections::BTreeSet<(usize, i64)>>;

/// A loop of a length that follows from constants, with a body that reads at places which follow
/// from the counter: the loop is run, with sets of elements for values.
#[test]
pub fn counted_loops() {
    run("counted loops", 400, |rng| {
        let n = rng.int(1, 4);
        let (ty, int, one) = (shape_type(&[n], "f32"), "tensor<i32>", "tensor<1xf32>");
        let kind = rng.pick(&[
            "negate", "reverse", "both", "swap", "read", "write", "shift", "computed", "outside",
        ]);
        let doubles = rng.int(0, 4) == 0;
        let (start, step) = if doubles {
            (rng.int(1, 2), 2)
        } else {
            (rng.int(-2, 2), rng.int(1, 2))
        };
        // Long ones are not composed iteration by iteration.
        let long = rng.int(0, 5) == 0;
        let limit = match long {
            true if kind == "write" => rng.int(100, 200),
            true => rng.int(200, 700),
            false => rng.int(-2, 9),
        };
        let slice = |out: &str, from: &str, at: &str| {
            format!(
                "%{out} = \"stablehlo.dynamic_slice\"(%{from}, %{at}) {{slice_sizes = array<i64: 1>}} : ({ty}, {int}) -> {one}\n"
            )
        };
        let binary = |op: &str, out: &str, a: &str, b: &str, ty: &str| {
            format!("%{out} = \"stablehlo.{op}\"(%{a}, %{b}) : ({ty}, {ty}) -> {ty}\n")
        };
        let spread = format!(
            "%w = \"stablehlo.broadcast_in_dim\"(%e) {{broadcast_dimensions = array<i64: 0>}} : ({one}) -> {ty}\n"
        );
        let constant = |out: &str, value: i64| {
            format!(
                "%{out} = \"stablehlo.constant\"() {{value = dense<{value}> : {int}}} : () -> {int}\n"
            )
        };
        let (body, next) = match kind {
            "swap" => (String::new(), ("y", "x")),
            // An element of x, added to all of y.
            "read" => (
                slice("e", "x", "i") + &spread + &binary("add", "z", "y", "w", &ty),
                ("x", "z"),
            ),
            "computed" => (
                binary("add", "j", "i", "i", int)
                    + &constant("d", 3)
                    + &binary("subtract", "l", "j", "d", int)
                    + &slice("e", "x", "l")
                    + &spread
                    + &binary("add", "z", "y", "w", &ty),
                ("x", "z"),
            ),
            // An element of x, put into y.
            "write" => (
                slice("e", "x", "i")
                    + &format!(
                        "%z = \"stablehlo.dynamic_update_slice\"(%y, %e, %i) : ({ty}, {one}, {int}) -> {ty}\n"
                    ),
                ("x", "z"),
            ),
            "shift" => (
                format!(
                    "%e = \"stablehlo.slice\"(%y) {{start_indices = array<i64: 0>, limit_indices = array<i64: 1>, strides = array<i64: 1>}} : ({ty}) -> {one}\n%c = \"stablehlo.concatenate\"(%x, %e) {{dimension = 0 : i64}} : ({ty}, {one}) -> tensor<{}xf32>\n%z = \"stablehlo.slice\"(%c) {{start_indices = array<i64: 1>, limit_indices = array<i64: {}>, strides = array<i64: 1>}} : (tensor<{}xf32>) -> {ty}\n",
                    n + 1,
                    n + 1,
                    n + 1
                ),
                ("z", "y"),
            ),
            // A value that the loop does not carry.
            "outside" => (
                slice("e", "arg3", "i") + &spread + &binary("add", "z", "y", "w", &ty),
                ("x", "z"),
            ),
            other => (write(other, "z", "x", &ty), ("z", "y")),
        };
        let count = if doubles {
            binary("add", "t", "i", "i", int)
        } else {
            constant("k", step) + &binary("add", "t", "i", "k", int)
        };
        let arguments = format!("%i: {int}, %x: {ty}, %y: {ty}");
        let regions = format!(
            "({{ ^bb0({arguments}):\n{}%c = \"stablehlo.compare\"(%i, %m) {{comparison_direction = #stablehlo<comparison_direction LT>}} : ({int}, {int}) -> tensor<i1>\n\"stablehlo.return\"(%c) : (tensor<i1>) -> ()\n}}, {{ ^bb0({arguments}):\n{count}{body}\"stablehlo.return\"(%t, %{}, %{}) : ({int}, {ty}, {ty}) -> ()\n}})",
            constant("m", limit),
            next.0,
            next.1
        );
        // The run.
        let single = |operand: usize| -> Made {
            (0..n)
                .map(|i| [(operand, i)].into_iter().collect())
                .collect()
        };
        let (mut i, mut x, mut y) = (start, single(1), single(2));
        let outside = single(3);
        let clamped = |at: i64| at.clamp(0, n - 1) as usize;
        let united =
            |to: &mut Made, with: &dyn Fn(usize) -> std::collections::BTreeSet<(usize, i64)>| {
                for (k, set) in to.iter_mut().enumerate() {
                    set.extend(with(k));
                }
            };
        while i < limit {
            let before = x.clone();
            match kind {
                "reverse" => x.reverse(),
                "both" => united(&mut x, &|k| before[n as usize - 1 - k].clone()),
                "swap" => std::mem::swap(&mut x, &mut y),
                "read" => united(&mut y, &|_| before[clamped(i)].clone()),
                "computed" => united(&mut y, &|_| before[clamped(2 * i - 3)].clone()),
                "outside" => united(&mut y, &|_| outside[clamped(i)].clone()),
                "write" => y[clamped(i)] = before[clamped(i)].clone(),
                "shift" => {
                    x.remove(0);
                    x.push(y[0].clone());
                }
                _ => {}
            }
            i = if doubles { 2 * i } else { i + step };
        }
        let changed = [kind_changes(kind, 1), kind_changes(kind, 2)];
        let relation: Relation = Box::new(move |r, at| {
            if r == 0 {
                return vec![(0, vec![])];
            }
            let made = [&x, &y][r - 1];
            let mut found: Vec<(usize, Index)> = made[at[0] as usize]
                .iter()
                .map(|(o, k)| (*o, vec![*k]))
                .collect();
            // The counter decides how often, for what changes.
            if changed[r - 1] {
                found.push((0, vec![]));
            }
            found
        });
        let values = [(vec![], "i32"), (vec![n], "f32"), (vec![n], "f32")];
        if kind != "outside" {
            let mut case = Case::new("while", &values, &regions, "", &values, relation);
            // What is written over at another place in every iteration comes from too many places.
            if long && kind == "write" {
                case.exact = vec![];
            }
            return case.constant(0, "i32", &[start]);
        }
        // What is used from outside is an operand of a call around it.
        let functions = format!(
            "func.func private @g(%arg0: {int}, %arg1: {ty}, %arg2: {ty}, %arg3: {ty}) -> ({int}, {ty}, {ty}) {{\n{}%r:3 = {}\nreturn %r#0, %r#1, %r#2 : {int}, {ty}, {ty}\n}}",
            constant("s", start),
            generic(
                "while",
                &["%s".into(), "%arg1".into(), "%arg2".into()],
                &[int.into(), ty.clone(), ty.clone()],
                &regions,
                "",
                &[int.into(), ty.clone(), ty.clone()]
            )
        );
        let operands = [values.to_vec(), vec![(vec![n], "f32")]].concat();
        let relation: Relation = Box::new(move |r, at| {
            // The counter begins with a constant of the function.
            relation(r, at)
                .into_iter()
                .filter(|(operand, _)| *operand != 0)
                .collect()
        });
        let mut case =
            Case::new("call", &operands, "", "callee = @g", &values, relation).dialect("func");
        case.functions = functions;
        case
    });
}

/// Does an iteration change the value?
fn kind_changes(kind: &str, value: usize) -> bool {
    match kind {
        "negate" | "reverse" | "both" | "shift" => value == 1,
        "swap" => true,
        _ => value == 2,
    }
}

/// Computations that use a value from outside: all elements read it, where it is certain that the
/// computation runs.
#[test]
pub fn captures() {
    run("captures", 250, |rng| {
        let (n, m) = (rng.size(), rng.int(1, 3));
        let kind = rng.pick(&["map", "reduce", "case", "sort"]);
        let (ty, scalar, wide) = (
            shape_type(&[n], "f32"),
            "tensor<f32>",
            shape_type(&[n, m], "f32"),
        );
        let sum = format!("%s = \"stablehlo.add\"(%a, %p) : ({scalar}, {scalar}) -> {scalar}\n");
        let give = format!("\"stablehlo.return\"(%s) : ({scalar}) -> ()");
        let inner = match kind {
            "map" => format!(
                "\"stablehlo.map\"(%x) ({{ ^bb0(%a: {scalar}): {sum}{give} }}) {{dimensions = array<i64: 0>}} : ({ty}) -> {ty}"
            ),
            "reduce" => format!(
                "\"stablehlo.reduce\"(%y, %z) ({{ ^bb0(%a: {scalar}, %b: {scalar}): {sum}{give} }}) {{dimensions = array<i64: 1>}} : ({wide}, {scalar}) -> {ty}"
            ),
            "sort" => format!(
                "\"stablehlo.sort\"(%x) ({{ ^bb0(%a: {scalar}, %b: {scalar}): {sum}%c = \"stablehlo.compare\"(%s, %b) {{comparison_direction = #stablehlo<comparison_direction LT>}} : ({scalar}, {scalar}) -> tensor<i1>\n\"stablehlo.return\"(%c) : (tensor<i1>) -> () }}) {{dimension = 0 : i64}} : ({ty}) -> {ty}"
            ),
            _ => format!(
                "\"stablehlo.case\"(%i) ({{ %s = \"stablehlo.reverse\"(%x) {{dimensions = array<i64: 0>}} : ({ty}) -> {ty}\n\"stablehlo.return\"(%s) : ({ty}) -> () }}) : (tensor<i32>) -> {ty}"
            ),
        };
        let functions = format!(
            "func.func private @g(%p: {scalar}, %x: {ty}, %y: {wide}, %z: {scalar}, %i: tensor<i32>) -> {ty} {{\n%r = {inner}\nreturn %r : {ty}\n}}"
        );
        let relation: Relation = Box::new(move |_, i| match kind {
            "map" => vec![(0, vec![]), (1, i.to_vec())],
            "reduce" => {
                let row = (0..m).map(|k| (2, vec![i[0], k]));
                row.chain([(0, vec![]), (3, vec![])]).collect()
            }
            // With one element there is nothing to compare.
            "sort" => {
                let mut found: Vec<(usize, Index)> = (0..n).map(|k| (1, vec![k])).collect();
                if n > 1 {
                    found.push((0, vec![]));
                }
                found
            }
            _ => vec![(1, vec![n - 1 - i[0]]), (4, vec![])],
        });
        let operands = [
            (vec![], "f32"),
            (vec![n], "f32"),
            (vec![n, m], "f32"),
            (vec![], "f32"),
            (vec![], "i32"),
        ];
        let results = [(vec![n], "f32")];
        let mut case =
            Case::new("call", &operands, "", "callee = @g", &results, relation).dialect("func");
        case.functions = functions;
        if kind == "sort" {
            case.exact = vec![1, 2, 3, 4];
        }
        case
    });
}

/// Starts that are read in a function are told by the values of the caller; those that it computes,
/// by where they are.
#[test]
pub fn places_in_calls() {
    run("places in calls", 200, |rng| {
        let (n, m) = (rng.int(2, 5), rng.int(1, 2));
        let (ty, out, int) = (
            shape_type(&[n], "f32"),
            shape_type(&[m], "f32"),
            "tensor<i32>",
        );
        let (read, constant) = (rng.flag(), rng.flag());
        // The operands stand in another order than the arguments of the function.
        let slice = format!(
            "%r = \"stablehlo.dynamic_slice\"(%x, %i) {{slice_sizes = array<i64: {m}>}} : ({ty}, {int}) -> {out}\n"
        );
        let (head, called) = (
            format!("(%j: {int}, %i: {int}, %x: {ty})"),
            format!("(%i, %j, %{})", if read { "x" } else { "y" }),
        );
        let types = format!("({int}, {int}, {ty}) -> {out}");
        let (other, inner) = if rng.flag() {
            (
                format!("func.func private @h{head} -> {out} {{\n{slice}return %r : {out}\n}}\n"),
                format!("func.call @h{called} : {types}"),
            )
        } else {
            let body = slice
                .replace("%i)", "%k)")
                .replace("%x", "%z")
                .replace("%r ", "%s ");
            (
                String::new(),
                format!(
                    "\"mhlo.fusion\"{called} ({{ ^bb0(%l: {int}, %k: {int}, %z: {ty}): {body}\"mhlo.return\"(%s) : ({out}) -> () }}) : {types}"
                ),
            )
        };
        let functions = format!(
            "{other}func.func private @g(%x: {ty}, %y: {ty}, %i: {int}, %j: {int}) -> {out} {{\n%r = {inner}\nreturn %r : {out}\n}}"
        );
        let (first, second) = (rng.int(-2, 6), rng.int(-2, 6));
        let from = usize::from(!read);
        let relation: Relation = Box::new(move |_, i| {
            let start = second.clamp(0, n - m);
            vec![(from, vec![start + i[0]]), (3, vec![])]
        });
        let operands = [
            (vec![n], "f32"),
            (vec![n], "f32"),
            (vec![], "i32"),
            (vec![], "i32"),
        ];
        let mut case = Case::new(
            "call",
            &operands,
            "",
            "callee = @g",
            &[(vec![m], "f32")],
            relation,
        )
        .dialect("func");
        case.functions = functions;
        case.values = vec![(2, vec![first]), (3, vec![second])];
        if constant {
            case = case.constant(3, "i32", &[second]);
        }
        case
    });
}
