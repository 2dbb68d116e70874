//! Programs that take a fast path.

/// A program that takes a path.
pub struct Case {
    pub path: &'static str,
    pub source: String,
    /// Largest difference that another order of additions may make.
    pub tolerance: f64,
}

/// The case of `path`: a program of these arguments, result type and body, whose result is `%r`.
pub fn case(path: &'static str, tolerance: f64, arguments: &str, result: &str, body: &str) -> Case {
    let source =
        format!("func.func @main({arguments}) -> {result} {{\n{body}\nreturn %r : {result}\n}}");
    Case {
        path,
        source,
        tolerance,
    }
}

/// `scatter` of `%x` at `%i` that adds `%u`.
pub fn scatter(dims: &str, [x, places, updates]: [&str; 3], element: &str) -> String {
    format!(
        "%r = \"stablehlo.scatter\"(%x, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<{dims}>}}> ({{
         ^bb0(%a: tensor<{element}>, %b: tensor<{element}>):
           %c = stablehlo.add %a, %b : tensor<{element}>
           stablehlo.return %c : tensor<{element}>
         }}) : ({x}, {places}, {updates}) -> {x}"
    )
}

/// A sort of 1013 integers.
pub fn sorted(value: &str) -> String {
    format!(
        "\"stablehlo.sort\"({value}) <{{dimension = 0 : i64, is_stable = true}}> ({{
         ^bb0(%a: tensor<i32>, %b: tensor<i32>):
           %c = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %c : tensor<i1>
         }}) : (tensor<1013xi32>) -> tensor<1013xi32>"
    )
}

/// Of `%x`, along dimension `axis`.
pub fn softmax(sizes: &[i64], axis: usize) -> String {
    let tensor = |kept: &[usize]| {
        let sizes: Vec<String> = kept.iter().map(|k| format!("{}x", sizes[*k])).collect();
        format!("tensor<{}f32>", sizes.concat())
    };
    let all: Vec<usize> = (0..sizes.len()).collect();
    let kept: Vec<usize> = all.iter().copied().filter(|k| *k != axis).collect();
    let (t, row) = (tensor(&all), tensor(&kept));
    format!(
        "%low = stablehlo.constant dense<0xFF800000> : tensor<f32>
         %z = stablehlo.constant dense<0.0> : tensor<f32>
         %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [{axis}] : ({t}, tensor<f32>) -> {row}
         %mb = stablehlo.broadcast_in_dim %m, dims = {kept:?} : ({row}) -> {t}
         %d = stablehlo.subtract %x, %mb : {t}
         %e = stablehlo.exponential %d : {t}
         %s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [{axis}] : ({t}, tensor<f32>) -> {row}
         %sb = stablehlo.broadcast_in_dim %s, dims = {kept:?} : ({row}) -> {t}
         %r = stablehlo.divide %e, %sb : {t}"
    )
}
