//! Every element-wise operation by its name, and those that broadcast as NumPy does.

use super::harness::*;
use mapwright_ops::registry;

/// Those with operands of another shape, which have their own cases.
const OTHERS: [&str; 2] = ["select", "clamp"];

#[test]
pub fn elementwise() {
    let names: Vec<&'static str> = registry::all()
        .filter(|def| def.family == "elementwise")
        .map(|def| def.name)
        .filter(|name| !name.starts_with("broadcast_") && !OTHERS.contains(name))
        .collect();
    assert!(names.len() > 60);
    let context = context();
    let mut rng = Rng(11);
    let mut tally = Tally::default();
    for name in names {
        // What only moves elements has one operand.
        let moves = registry::by_name(name).is_some_and(|def| def.index_rule.is_some());
        for arity in 1..=if moves { 1 } else { 3 } {
            let rank = rng.int(0, 3) as usize;
            let shape = rng.shape(rank);
            let relation: Relation = match name {
                // It has the shape of its operand, not its values.
                "constant_like" => Box::new(|_, _| vec![]),
                _ => Box::new(move |_, i| (0..arity).map(|o| (o, i.to_vec())).collect()),
            };
            let operands = vec![(shape.clone(), "f32"); arity];
            let case = Case::new(name, &operands, "", "", &[(shape, "f32")], relation);
            check(&context, &case, &mut tally);
        }
    }
    assert!(tally.cases > 200 && tally.inexact == 0);
}

/// Shapes are aligned at the right, or the operand of lower rank as `broadcast_dimensions` says; a
/// size of 1 is stretched.
#[test]
pub fn broadcasting() {
    let names: Vec<&'static str> = registry::all()
        .filter(|def| def.family == "elementwise" && def.name.starts_with("broadcast_"))
        .map(|def| def.name)
        .collect();
    let mut turn = 0;
    run("broadcasting", 300, |rng| {
        let name = names[turn % names.len()];
        turn += 1;
        let arity = if name == "broadcast_select" { 3 } else { 2 };
        let rank = rng.int(0, 3) as usize;
        let out = rng.shape(rank);
        let full = rng.int(0, arity as i64 - 1) as usize;
        // Where the dimensions of every operand are in the result.
        let mut explicit = None;
        let places: Vec<Vec<usize>> = (0..arity)
            .map(|operand| {
                if operand == full {
                    return (0..rank).collect();
                }
                let own = rng.int(0, rank as i64) as usize;
                if arity == 2 && own < rank && rng.flag() {
                    let mut chosen = rng.permutation(rank)[..own].to_vec();
                    chosen.sort_unstable();
                    explicit = Some(chosen.clone());
                    return chosen;
                }
                (rank - own..rank).collect()
            })
            .collect();
        let shapes: Vec<Vec<i64>> = places
            .iter()
            .enumerate()
            .map(|(operand, dims)| {
                dims.iter()
                    .map(|k| {
                        if operand != full && rng.int(0, 2) == 0 {
                            1
                        } else {
                            out[*k]
                        }
                    })
                    .collect()
            })
            .collect();
        let attributes = match &explicit {
            Some(dims) => format!(
                "broadcast_dimensions = {}",
                array(&dims.iter().map(|k| *k as i64).collect::<Vec<_>>())
            ),
            None => String::new(),
        };
        let operands: Vec<(Vec<i64>, &str)> =
            shapes.iter().map(|shape| (shape.clone(), "f32")).collect();
        let relation: Relation = Box::new(move |_, i| {
            places
                .iter()
                .zip(&shapes)
                .map(|(dims, shape)| {
                    dims.iter()
                        .zip(shape)
                        .map(|(k, n)| if *n == 1 { 0 } else { i[*k] })
                        .collect()
                })
                .enumerate()
                .collect()
        });
        Case::new(name, &operands, "", &attributes, &[(out, "f32")], relation).dialect("chlo")
    });
}
