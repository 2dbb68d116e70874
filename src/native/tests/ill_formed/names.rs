//! Functions that are called by name, all that are known: operands, results, types, shapes and
//! options that they do not have.

use super::{refused, said};
use mapwright_ops::library::{Meaning, TARGETS, lapack};

/// A call in parts, so that each can be changed.
#[derive(Clone, Debug)]
struct Call {
    target: String,
    operands: Vec<String>,
    results: Vec<String>,
    /// `name = value`, of the configuration.
    options: Vec<String>,
    /// Attributes of the call beside it.
    attributes: Vec<String>,
    /// By columns, where a matrix is wanted.
    layouts: bool,
}

fn rank(ty: &str) -> usize {
    ty.matches('x').count() - usize::from(ty.contains("complex"))
}

impl Call {
    fn text(&self) -> String {
        let arguments: Vec<String> = (0..self.operands.len()).map(|i| format!("%a{i}")).collect();
        let mut lines: Vec<String> = self
            .operands
            .iter()
            .zip(&arguments)
            .map(|(ty, name)| {
                let zero = match () {
                    () if ty.contains("complex") => "(0.0, 0.0)",
                    () if ty.contains('f') => "0.0",
                    () if ty.contains("xi1>") || ty.contains("<i1>") => "false",
                    () => "0",
                };
                format!("  {name} = stablehlo.constant dense<{zero}> : {ty}")
            })
            .collect();
        let mut attributes = self.attributes.clone();
        if !self.options.is_empty() {
            attributes.push(format!(
                "mhlo.backend_config = {{{}}}",
                self.options.join(", ")
            ));
        }
        if self.layouts {
            let all = |types: &[String]| -> String {
                let one = |ty: &String| {
                    let n = rank(ty);
                    let mut order: Vec<usize> = (0..n).rev().collect();
                    // Matrices have a batch here.
                    if n >= 3 {
                        order.swap(0, 1);
                    }
                    let of = if n == 0 {
                        String::new()
                    } else {
                        format!("{order:?}")
                    };
                    format!("dense<{of}> : tensor<{n}xindex>")
                };
                types.iter().map(one).collect::<Vec<_>>().join(", ")
            };
            attributes.push(format!("operand_layouts = [{}]", all(&self.operands)));
            attributes.push(format!("result_layouts = [{}]", all(&self.results)));
        }
        attributes.insert(0, format!("call_target_name = \"{}\"", self.target));
        let named = match self.results.len() {
            0 => String::new(),
            n => format!("%r:{n} = "),
        };
        lines.push(format!(
            "  {named}\"stablehlo.custom_call\"({}) {{{}}} : ({}) -> ({})",
            arguments.join(", "),
            attributes.join(", "),
            self.operands.join(", "),
            self.results.join(", ")
        ));
        format!(
            "func.func @gt(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {{
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}}
func.func @wrong(%a: tensor<f32>) -> tensor<f32> {{
  return %a : tensor<f32>
}}
func.func @main() {{
{}
  return
}}\n",
            lines.join("\n")
        )
    }
}

/// A call of each known function that is right.
fn calls() -> Vec<Call> {
    let strings = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    let mut all = Vec::new();
    for (target, meaning) in TARGETS {
        if target.contains("dynamic") {
            continue;
        }
        let x = "tensor<2x3xf32>";
        let (operands, results, options, attributes) = match meaning {
            Meaning::Annotation | Meaning::PartitionCast => (vec![x], vec![x], vec![], vec![]),
            Meaning::Comparison => (vec![x, x], vec![], vec![], vec!["has_side_effect = true"]),
            Meaning::ApproxTopK => (
                vec![x, "tensor<f32>"],
                vec!["tensor<2x1xf32>"],
                vec![
                    "reduction_dim = 1 : i64",
                    "top_k = 1 : i64",
                    "aggregate_to_topk = true",
                ],
                vec!["called_computations = [@gt]"],
            ),
            // Their operands have several types: lit-tests/normalize/refine-calls.mlir has what is
            // refused.
            Meaning::Lapack | Meaning::RunTimeSizes => continue,
        };
        all.push(Call {
            target: (*target).to_string(),
            operands: strings(&operands),
            results: strings(&results),
            options: strings(&options),
            attributes: strings(&attributes),
            layouts: false,
        });
    }
    for target in lapack::targets() {
        let letter = target
            .strip_prefix("lapack_")
            .map_or("s", |name| &name[..1]);
        let (own, part) = match letter {
            "s" => ("f32", "f32"),
            "d" => ("f64", "f64"),
            "c" => ("complex<f32>", "f32"),
            _ => ("complex<f64>", "f64"),
        };
        let whole = format!("complex<{part}>");
        let name = target.trim_end_matches("_ffi");
        let name = name.strip_prefix("lapack_").map_or(name, |name| &name[1..]);
        let complex = own != part;
        // Two matrices of three by three.
        let (m, v, count, info) = ("2x3x3x", "2x3x", "2x3xi32", "2xi32");
        let own_m = format!("{m}{own}");
        let own_v = format!("{v}{own}");
        let part_v = format!("{v}{part}");
        let beside = format!("2x2x{own}");
        let part_beside = format!("2x2x{part}");
        let whole_m = format!("{m}{whole}");
        let (operands, results): (Vec<&str>, Vec<&str>) = match name {
            "potrf" => (vec![&own_m], vec![&own_m, info]),
            "trsm" => (vec![&own_m, &own_m], vec![&own_m]),
            "getrf" => (vec![&own_m], vec![&own_m, count, info]),
            "geqrf" => (vec![&own_m], vec![&own_m, &own_v]),
            "geqp3" => (vec![&own_m, count], vec![&own_m, count, &own_v]),
            "orgqr" | "ungqr" => (vec![&own_m, &own_v], vec![&own_m]),
            "ormqr" | "unmqr" => (vec![&own_m, &own_v, &own_m], vec![&own_m]),
            "syevd" | "heevd" => (vec![&own_m], vec![&own_m, &part_v, info]),
            "gesdd" | "gesvd" => (vec![&own_m], vec![&own_m, &part_v, &own_m, &own_m, info]),
            "geev" if complex => (vec![&own_m], vec![&own_v, &own_m, &own_m, info]),
            "geev" => (vec![&own_m], vec![&own_v, &own_v, &whole_m, &whole_m, info]),
            "gees" if complex => (vec![&own_m], vec![&own_m, &own_m, &own_v, info, info]),
            "gees" => (
                vec![&own_m],
                vec![&own_m, &own_m, &own_v, &own_v, info, info],
            ),
            "gehrd" => (vec![&own_m], vec![&own_m, &beside, info]),
            "sytrd" | "hetrd" => (
                vec![&own_m],
                vec![&own_m, &part_v, &part_beside, &beside, info],
            ),
            "gtsv" => (
                vec![&own_v, &own_v, &own_v, &own_m],
                vec![&own_v, &own_v, &own_v, &own_m, info],
            ),
            "tridiagonal_solve_perturbed" => (vec![&own_v, &own_v, &own_v, &own_m], vec![&own_m]),
            other => panic!("a call of {other} is missing here"),
        };
        let letters: &[(&str, char)] = match name {
            "potrf" | "sytrd" | "hetrd" => &[("uplo", 'L')],
            "trsm" => &[
                ("side", 'L'),
                ("uplo", 'L'),
                ("diag", 'N'),
                ("trans_x", 'N'),
            ],
            "syevd" | "heevd" => &[("uplo", 'L'), ("mode", 'V')],
            "gesdd" | "gesvd" => &[("mode", 'S')],
            "geev" => &[("compute_left", 'V'), ("compute_right", 'V')],
            "gees" => &[("mode", 'V'), ("sort", 'N')],
            _ => &[],
        };
        let flags: &[&str] = match name {
            "ormqr" | "unmqr" => &["left = true", "transpose = false"],
            _ => &[],
        };
        let letters = letters
            .iter()
            .map(|(name, code)| format!("{name} = {} : ui8", *code as u32));
        let tensors = |list: &[&str]| list.iter().map(|ty| format!("tensor<{ty}>")).collect();
        all.push(Call {
            operands: tensors(&operands),
            results: tensors(&results),
            options: letters.chain(strings(flags)).collect(),
            attributes: vec!["backend_config = \"\"".into()],
            layouts: true,
            target,
        });
    }
    all
}

/// What a type may be changed to.
fn others(ty: &str) -> Vec<String> {
    let inside = ty.trim_start_matches("tensor<").trim_end_matches('>');
    let (sizes, element) = match inside.find("complex") {
        Some(at) => (&inside[..at], format!("{}>", &inside[at..])),
        None => {
            let at = inside.rfind('x').map_or(0, |at| at + 1);
            (&inside[..at], inside[at..].to_string())
        }
    };
    let other = match element.as_str() {
        "f32" => "f64",
        "i32" => "i64",
        "complex<f32>" => "complex<f64>",
        _ => "f32",
    };
    let mut all = vec![
        format!("tensor<{sizes}{other}>"),
        format!("tensor<7x{sizes}{element}>"),
    ];
    if let Some((_, rest)) = sizes.split_once('x') {
        all.push(format!("tensor<{rest}{element}>"));
        all.push(format!("tensor<9x{rest}{element}>"));
        all.push(format!("tensor<1x{rest}{element}>"));
        let last = sizes.trim_end_matches('x');
        let outer = last.rfind('x').map_or("", |at| &last[..=at]);
        all.push(format!("tensor<{outer}17x{element}>"));
    }
    all
}

/// Changes after which the call is not one of its function.
fn changed(call: &Call) -> Vec<Call> {
    let mut all = Vec::new();
    let mut push = |change: &dyn Fn(&mut Call)| {
        let mut other = call.clone();
        change(&mut other);
        all.push(other);
    };
    for i in 0..call.operands.len() {
        for ty in others(&call.operands[i]) {
            // Of more elements there may be as many kept.
            if call.target == "ApproxTopK" && ty == "tensor<2x17xf32>" {
                continue;
            }
            // There may be more columns than reflections.
            if call.target.ends_with("mqr_ffi") && i == 0 && ty.contains("x17x") {
                continue;
            }
            push(&|call| call.operands[i].clone_from(&ty));
        }
        push(&|call| {
            call.operands.remove(i);
        });
    }
    for i in 0..call.results.len() {
        for ty in others(&call.results[i]) {
            push(&|call| call.results[i].clone_from(&ty));
        }
        push(&|call| {
            call.results.remove(i);
        });
    }
    push(&|call| call.operands.push("tensor<2x3xf32>".into()));
    push(&|call| call.results.push("tensor<2x3xf32>".into()));
    push(&|call| call.operands.clear());
    for i in 0..call.options.len() {
        // ApproxTopK is exact, whatever is said of putting its parts together; so are more elements
        // than its `top_k`.
        if call.options[i].contains("top") {
            continue;
        }
        push(&|call| {
            call.options.remove(i);
        });
        let name = call.options[i].split(' ').next().unwrap_or_default();
        for value in ["63 : ui8", "-1 : i32", "\"L\"", "[76]", "1.0 : f32"] {
            push(&|call| call.options[i] = format!("{name} = {value}"));
        }
    }
    for indices in [
        "dense<0> : tensor<1xi64>",
        "dense<99> : tensor<1xi64>",
        "dense<-1> : tensor<1xi64>",
        "\"x\"",
        "array<i64: 0, 0, 0, 0, 0, 0, 0>",
    ] {
        push(&|call| {
            call.attributes
                .push(format!("indices_of_shape_operands = {indices}"))
        });
    }
    if call.target == "ApproxTopK" {
        for functions in [
            "[]",
            "[@gt, @gt]",
            "[@wrong]",
            "[@main]",
            "[@nothing]",
            "[\"gt\"]",
        ] {
            push(&|call| call.attributes = vec![format!("called_computations = {functions}")]);
        }
        push(&|call| call.attributes.clear());
        push(&|call| call.options[1] = "top_k = 2 : i64".into());
    }
    all
}

#[test]
fn calls_that_are_right_compile() {
    for call in calls() {
        if let Some(told) = said(&call.text()) {
            panic!("{told}\n{}", call.text());
        }
    }
}

#[test]
fn calls_that_are_not_those_of_their_functions_are_refused() {
    let mut count = 0;
    // Functions of the two other element types have the same rows.
    let all = calls().into_iter();
    for call in
        all.filter(|c| !c.target.starts_with("lapack_d") && !c.target.starts_with("lapack_c"))
    {
        for other in changed(&call) {
            let marked = if other.results.is_empty() {
                "\"stablehlo.custom_call\""
            } else {
                "%r:"
            };
            // A comparison gives nothing, or the truth; a dimension that is there already is no
            // change.
            refused(&other.text(), marked);
            count += 1;
        }
    }
    assert!(count > 600, "{count}");
}

/// The operand that holds the sizes of the result is none of the function's.
#[test]
fn operands_that_are_sizes() {
    let text = |sizes: &str| {
        format!(
            "func.func @main() {{
  %a = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %s = stablehlo.constant dense<{sizes}> : tensor<2xi64>
  %r = stablehlo.custom_call @Sharding(%a, %s) {{indices_of_shape_operands = dense<1> : tensor<1xi64>}} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  check.expect_eq %r, %a : tensor<2x3xf32>
  return
}}"
        )
    };
    assert_eq!(said(&text("[2, 3]")), None);
    refused(&text("[3, 2]"), "%r = ");
}
