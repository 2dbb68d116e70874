//! Random numbers and `dynamic_iota`: what has no operands but parameters.

use super::harness::*;

#[test]
pub fn random_numbers() {
    run("rng", 200, |rng| {
        let rank = rng.int(0, 3) as usize;
        let out = rng.shape(rank);
        let whole = vec![rank as i64];
        let results = [(out.clone(), "f32")];
        let name = rng.pick(&[
            "rng",
            "rng_uniform",
            "rng_normal",
            "rng_bit_generator",
            "dynamic_iota",
        ]);
        let shape = indices(&whole);
        match name {
            // The whole shape says which elements there are; the parameters are the same for all.
            "rng" | "rng_uniform" | "rng_normal" => {
                let relation: Relation = Box::new(move |_, _| {
                    let mut found = vec![(0, vec![]), (1, vec![])];
                    found.extend(shape.iter().map(|at| (2, at.clone())));
                    found
                });
                let operands = [(vec![], "f32"), (vec![], "f32"), (whole, "i64")];
                Case::new(name, &operands, "", "", &results, relation)
            }
            "dynamic_iota" => {
                let relation: Relation =
                    Box::new(move |_, _| shape.iter().map(|at| (0, at.clone())).collect());
                let attributes = "iota_dimension = 0 : i64";
                Case::new(name, &[(whole, "i64")], "", attributes, &results, relation)
            }
            // The specification gives numbers and next state as a function of the initial state, as
            // a whole.
            _ => {
                let state = rng.int(1, 3);
                let relation: Relation =
                    Box::new(move |_, _| (0..state).map(|k| (0, vec![k])).collect());
                Case::new(
                    name,
                    &[(vec![state], "ui64")],
                    "",
                    "",
                    &[(vec![state], "ui64"), (out, "ui32")],
                    relation,
                )
            }
        }
    });
}
