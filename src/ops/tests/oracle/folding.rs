//! Indices that are known: the maps have no runtime variables and are exact, also where the clamp
//! decides.

use super::harness::*;

/// A gather of single elements of a vector of `n`, at the `count` indices that `prefix` computes as
/// `%idx`.
fn take(n: i64, values: Vec<i64>, prefix: String) -> Case {
    let count = values.len() as i64;
    let attributes = "dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>";
    let own = values.clone();
    let relation: Relation = Box::new(move |_, i| {
        vec![
            (0, vec![own[i[0] as usize].clamp(0, n - 1)]),
            (1, vec![i[0]]),
        ]
    });
    let mut case = Case::new(
        "gather",
        &[(vec![n], "f32"), (vec![count], "i32")],
        "",
        attributes,
        &[(vec![count], "f32")],
        relation,
    );
    case.op = case.op.replace("%arg1", "%idx");
    case.prefix = prefix;
    // Maps have no runtime variables that would be read from here.
    case.values = vec![(1, values)];
    case
}

#[test]
pub fn gather_of_an_affine_index() {
    run("folding", 300, |rng| {
        let n = rng.int(1, 40);
        let count = rng.int(1, 50);
        let (scale, offset) = (rng.int(-3, 3), rng.int(-20, 45));
        let ty = format!("tensor<{count}xi32>");
        let iota = format!("%i = \"stablehlo.iota\"() {{iota_dimension = 0 : i64}} : () -> {ty}\n");
        let splat = |name: &str, v: i64| {
            format!(
                "%{name} = \"stablehlo.constant\"() {{value = dense<{v}> : {ty}}} : () -> {ty}\n"
            )
        };
        let binary = |out: &str, op: &str, a: &str, b: &str| {
            format!("%{out} = \"stablehlo.{op}\"(%{a}, %{b}) : ({ty}, {ty}) -> {ty}\n")
        };
        let affine: Vec<i64> = (0..count).map(|i| i * scale + offset).collect();
        match rng.int(0, 5) {
            // iota * scale + offset
            0 => take(
                n,
                affine,
                iota + &splat("s", scale)
                    + &splat("o", offset)
                    + &binary("m", "multiply", "i", "s")
                    + &binary("idx", "add", "m", "o"),
            ),
            // The same written out as a constant.
            1 => {
                let text = format!(
                    "%idx = \"stablehlo.constant\"() {{value = dense<{}> : {ty}}} : () -> {ty}\n",
                    list(&affine)
                );
                take(n, affine, text)
            }
            // Reversed, with a scalar constant that is broadcast.
            2 => {
                let values = affine.iter().rev().copied().collect();
                let text = iota
                    + &splat("s", scale)
                    + &format!(
                        "%c = \"stablehlo.constant\"() {{value = dense<{offset}> : tensor<i32>}} : () -> tensor<i32>\n"
                    )
                    + &format!(
                        "%o = \"stablehlo.broadcast_in_dim\"(%c) {{broadcast_dimensions = array<i64>}} : (tensor<i32>) -> {ty}\n"
                    )
                    + &binary("m", "multiply", "s", "i")
                    + &binary("a", "add", "o", "m")
                    + &format!(
                        "%idx = \"stablehlo.reverse\"(%a) {{dimensions = array<i64: 0>}} : ({ty}) -> {ty}\n"
                    );
                take(n, values, text)
            }
            // One place for all.
            3 => take(n, vec![offset; count as usize], splat("idx", offset)),
            // A wrap-around as NumPy does it, decided because the index is never negative.
            4 => {
                let values: Vec<i64> = (0..count).collect();
                let compare = format!(
                    "%p = \"stablehlo.compare\"(%i, %z) {{comparison_direction = #stablehlo<comparison_direction LT>}} : ({ty}, {ty}) -> tensor<{count}xi1>\n"
                );
                let text = iota
                    + &splat("z", 0)
                    + &splat("n", n)
                    + &compare
                    + &binary("w", "add", "i", "n")
                    + &format!(
                        "%idx = \"stablehlo.select\"(%p, %w, %i) : (tensor<{count}xi1>, {ty}, {ty}) -> {ty}\n"
                    );
                take(n, values, text)
            }
            // Bounded by minimum and maximum.
            _ => {
                let (low, high) = (rng.int(-5, 10), rng.int(5, 50));
                let values = (0..count).map(|i| i.max(low).min(high)).collect();
                let text = iota
                    + &splat("l", low)
                    + &splat("h", high)
                    + &binary("a", "maximum", "i", "l")
                    + &binary("idx", "minimum", "a", "h");
                take(n, values, text)
            }
        }
    });
}

#[test]
pub fn no_runtime_variable_is_left() {
    let context = context();
    let prefix = "%idx = \"stablehlo.iota\"() {iota_dimension = 0 : i64} : () -> tensor<50xi32>\n"
        .to_owned();
    let case = take(33, (0..50).collect(), prefix);
    check(&context, &case, &mut Tally::default());
    let text = format!(
        "func.func @f(%arg0: tensor<33xf32>) {{\n{}%r = {}\nreturn\n}}",
        case.prefix, case.op
    );
    let module = mapwright_mlir::melior::ir::Module::parse(&context, &text).expect("it parses");
    let maps = mapwright_ops::output_to_input(last_operation(&module), 0);
    let shown: Vec<String> = maps[0].maps.iter().map(ToString::to_string).collect();
    // min(d0, 32) in two pieces.
    assert_eq!(
        shown,
        [
            "(d0) -> (d0), domain: d0 in [0, 32]",
            "(d0) -> (32), domain: d0 in [33, 49]"
        ]
    );
}

#[test]
pub fn constants_of_slices() {
    run("slices", 200, |rng| {
        let n = rng.int(1, 9);
        let size = rng.int(0, n);
        let start = rng.int(-4, 12);
        let at = start.clamp(0, n - size);
        let relation: Relation = Box::new(move |_, i| vec![(0, vec![i[0] + at]), (1, vec![])]);
        let mut case = Case::new(
            "dynamic_slice",
            &[(vec![n], "f32"), (vec![], "i32")],
            "",
            &format!("slice_sizes = {}", array(&[size])),
            &[(vec![size], "f32")],
            relation,
        );
        case.op = case.op.replace("%arg1", "%s");
        case.prefix = format!(
            "%s = \"stablehlo.constant\"() {{value = dense<{start}> : tensor<i32>}} : () -> tensor<i32>"
        );
        case
    });
}
