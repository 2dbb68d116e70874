//! Calls, branches and loops: what one run of them reads. Where that depends on values, the maps hold what any run reads and must not
//! claim to be exact.

use crate::harness::*;

/// One of a few operations on a vector of `n`, and what its element `i` is made of.
fn step(rng: &mut Rng, n: i64) -> (&'static str, Box<dyn Fn(i64) -> Vec<i64>>) {
    match rng.int(0, 2) {
        0 => ("negate", Box::new(|i| vec![i])),
        1 => ("reverse", Box::new(move |i| vec![n - 1 - i])),
        _ => ("both", Box::new(move |i| vec![i, n - 1 - i])),
    }
}

/// The text of such an operation.
fn write(name: &str, out: &str, input: &str, ty: &str) -> String {
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

#[test]
pub fn calls_and_barriers() {
    run("calls", 250, |rng| {
        let n = rng.int(1, 4);
        let ty = shape_type(&[n], "f32");
        let operands = [(vec![n], "f32"), (vec![n], "f32")];
        let results = [(vec![n], "f32"), (vec![n], "f32")];
        let (name, reads) = step(rng, n);
        let kind = rng.pick(&["call", "composite", "optimization_barrier", "custom_call"]);
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
            _ => {
                // Exchanges its arguments, and does something with one of them.
                let functions = format!(
                    "func.func private @g(%x: {ty}, %y: {ty}) -> ({ty}, {ty}) {{\n{}return %y, %z : {ty}, {ty}\n}}",
                    write(name, "z", "x", &ty)
                );
                let relation: Relation = Box::new(move |r, i| match r {
                    0 => vec![(1, i.to_vec())],
                    _ => reads(i[0]).into_iter().map(|at| (0, vec![at])).collect(),
                });
                let attributes = match kind {
                    "call" => "callee = @g",
                    _ => "name = \"a.b\", decomposition = @g",
                };
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
    run("deciders", 60, |rng| {
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

/// A loop that runs a number of times which the maps do not know: from 0 to 3 times. The counter decides how often, so every carried
/// value that changes is made of it.
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
