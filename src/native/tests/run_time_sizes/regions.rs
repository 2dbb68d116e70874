//! Every kind of slice, pad, concatenation, reshape and broadcast of run-time size, in every kind
//! of region: code for any size, the same compiled ahead of time, and code for the sizes that are
//! there, beside the interpreter. Numbers are small and whole, so that sums are exact in every
//! order.

use super::generate::{Dim, ty_of};
use super::library::Library;
use super::moves::{ARGUMENTS, Move, moves, sizes};
use super::{floats, interpreted};
use mapwright_interpret::{Options, Value};
use mapwright_mlir::{ElementType, Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable, ExecuteOptions, Model, ModelOptions, Tensor};

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
fn check(place: usize, own: &Move, library: &mut Library, compared: &mut usize) -> Vec<String> {
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
    let first = library.add(
        module,
        regions.iter().map(|(name, _, ty)| (*name, ty.as_str())),
    );
    for (number, (region, _, _)) in regions.iter().enumerate() {
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
                let expected = expected[0].tensor().unwrap();
                let (shape, expected) = (&expected.shape, expected.to_bytes());
                let what = format!("{}, {region}, n = {n}, {of_one} of %e", own.name);
                let sizes = [n, 5, of_one];
                library.call(first + number, sizes, (shape, &expected), what.clone());
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
                            "{what}, {code}: {found:?}, not {:?}",
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
    let (moves, mut library) = (moves(), Library::new());
    for (place, own) in moves
        .iter()
        .enumerate()
        .filter(|(_, own)| own.name.contains(&only))
    {
        wrong.extend(check(place, own, &mut library, &mut compared));
    }
    wrong.extend(library.differences());
    eprintln!("{} moves, {compared} results", moves.len());
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(!only.is_empty() || compared > 4000, "{compared} results");
}
