//! Computations that run along a dimension and carry values along.

use super::control::write;
use super::harness::*;

/// A scan, run with sets of elements for values.
#[test]
pub fn scans() {
    run("scans", 300, |rng| {
        let (rounds, n) = (rng.size(), rng.int(1, 3));
        let (axis, reverse) = (rng.int(0, 1) as usize, rng.flag());
        let kind = rng.pick(&["sum", "last", "turned", "shifted", "alone", "outside"]);
        let shape = if axis == 0 {
            vec![rounds, n]
        } else {
            vec![n, rounds]
        };
        let (ty, wide) = (shape_type(&[n], "f32"), shape_type(&shape, "f32"));
        let binary = |out: &str, a: &str, b: &str| {
            format!("%{out} = \"stablehlo.add\"(%{a}, %{b}) : ({ty}, {ty}) -> {ty}\n")
        };
        // What a round gives out, and hands on.
        let (body, output, carry) = match kind {
            "sum" => (binary("z", "x", "c"), "z", "z"),
            "last" => (String::new(), "c", "x"),
            "turned" => (
                write("reverse", "r", "c", &ty) + &binary("z", "r", "x"),
                "z",
                "r",
            ),
            "shifted" => (
                write("reverse", "r", "c", &ty) + &binary("z", "r", "x"),
                "c",
                "z",
            ),
            "outside" => (binary("z", "x", "w"), "z", "c"),
            _ => (write("negate", "z", "x", &ty), "z", "c"),
        };
        let scan = format!(
            "\"chlo.scan\"(%a, %b) ({{ ^bb0(%x: {ty}, %c: {ty}):\n{body}\"stablehlo.return\"(%{output}, %{carry}) : ({ty}, {ty}) -> ()\n}}) {{dimension = {axis} : i64, is_reverse = {reverse}, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}} : ({wide}, {ty}) -> ({wide}, {ty})"
        );
        let place = |t: i64, k: i64| if axis == 0 { vec![t, k] } else { vec![k, t] };
        type Set = std::collections::BTreeSet<(usize, Index)>;
        let mut carried: Vec<Set> = (0..n)
            .map(|k| [(1, vec![k])].into_iter().collect())
            .collect();
        let mut outputs: Vec<(Index, Set)> = Vec::new();
        for round in 0..rounds {
            let t = if reverse { rounds - 1 - round } else { round };
            let slice: Vec<Set> = (0..n)
                .map(|k| [(0, place(t, k))].into_iter().collect())
                .collect();
            let turned: Vec<Set> = carried.iter().rev().cloned().collect();
            let sum = |a: &[Set], b: &[Set]| -> Vec<Set> {
                a.iter()
                    .zip(b)
                    .map(|(a, b)| a.union(b).cloned().collect())
                    .collect()
            };
            let outside: Vec<Set> = (0..n)
                .map(|k| [(2, vec![k])].into_iter().collect())
                .collect();
            let (given, next) = match kind {
                "sum" => (sum(&slice, &carried), sum(&slice, &carried)),
                "last" => (carried.clone(), slice),
                "turned" => (sum(&turned, &slice), turned),
                "shifted" => (carried.clone(), sum(&turned, &slice)),
                "outside" => (sum(&slice, &outside), carried.clone()),
                _ => (slice, carried.clone()),
            };
            outputs.extend(
                given
                    .into_iter()
                    .enumerate()
                    .map(|(k, set)| (place(t, k as i64), set)),
            );
            carried = next;
        }
        let relation: Relation = Box::new(move |r, i| {
            let set = match r {
                0 => &outputs.iter().find(|(at, _)| at == i).unwrap().1,
                _ => &carried[i[0] as usize],
            };
            set.iter().cloned().collect()
        });
        let results = [(shape.clone(), "f32"), (vec![n], "f32")];
        let operands = [(shape, "f32"), (vec![n], "f32"), (vec![n], "f32")];
        let exact = match kind {
            // Forth and back for ever.
            "turned" | "shifted" if n > 1 => vec![],
            _ => vec![0, 1, 2],
        };
        if kind == "outside" {
            let functions = format!(
                "func.func private @g(%a: {wide}, %b: {ty}, %w: {ty}) -> ({wide}, {ty}) {{\n%r:2 = {scan}\nreturn %r#0, %r#1 : {wide}, {ty}\n}}"
            );
            let mut case =
                Case::new("call", &operands, "", "callee = @g", &results, relation).dialect("func");
            case.functions = functions;
            return case;
        }
        let mut case = Case::new("scan", &operands[..2], "", "", &results, relation);
        case.op = scan.replace("%a, %b", "%arg0, %arg1");
        case.exact = exact;
        case
    });
}
