//! Random chains of operations that move elements.

use super::check::enumerate;
use super::programs::SUM;

/// A pseudo-random sequence, the same in every run.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: i64) -> i64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 33) % n as u64) as i64
    }
}

/// A chain of operations that move elements, from `%arg0` on; `%p` is a number, `%s` a start that
/// is read at run time.
struct Chain {
    text: String,
    shape: Vec<i64>,
    value: String,
    count: usize,
}

fn ty(shape: &[i64]) -> String {
    let sizes: String = shape.iter().map(|n| format!("{n}x")).collect();
    format!("tensor<{sizes}f32>")
}

fn array(values: impl IntoIterator<Item = i64>) -> String {
    let items: Vec<String> = values.into_iter().map(|v| v.to_string()).collect();
    if items.is_empty() {
        "array<i64>".into()
    } else {
        format!("array<i64: {}>", items.join(", "))
    }
}

impl Chain {
    fn push(&mut self, op: &str, others: &[(&str, &str)], rest: &str, shape: Vec<i64>) {
        let next = format!("%v{}", self.count);
        self.count += 1;
        let mut names = vec![self.value.clone()];
        let mut types = vec![ty(&self.shape)];
        for (name, ty) in others {
            names.push((*name).into());
            types.push((*ty).into());
        }
        self.text += &format!(
            "{next} = \"stablehlo.{op}\"({}) {rest} : ({}) -> {}\n",
            names.join(", "),
            types.join(", "),
            ty(&shape)
        );
        (self.value, self.shape) = (next, shape);
    }

    fn step(&mut self, rng: &mut Rng) {
        let shape = self.shape.clone();
        let rank = shape.len();
        let axis = rng.below(rank as i64) as usize;
        let elements: i64 = shape.iter().product();
        let unit =
            |k: usize, v: i64, other: i64| (0..rank).map(move |j| if j == k { v } else { other });
        match rng.below(10) {
            0 => {
                let order: Vec<usize> = (0..rank).map(|k| (k + 1) % rank).collect();
                let rest = format!(
                    "{{permutation = {}}}",
                    array(order.iter().map(|k| *k as i64))
                );
                self.push(
                    "transpose",
                    &[],
                    &rest,
                    order.iter().map(|k| shape[*k]).collect(),
                );
            }
            1 => self.push(
                "reverse",
                &[],
                &format!("{{dimensions = {}}}", array([axis as i64])),
                shape,
            ),
            2 => {
                let (start, stride) = (rng.below(shape[axis]), 1 + rng.below(2));
                let mut out = shape.clone();
                out[axis] = (shape[axis] - start + stride - 1) / stride;
                let rest = format!(
                    "{{start_indices = {}, limit_indices = {}, strides = {}}}",
                    array(unit(axis, start, 0)),
                    array(shape.iter().copied()),
                    array(unit(axis, stride, 1))
                );
                self.push("slice", &[], &rest, out);
            }
            3 if elements <= 12 => {
                let (low, high, gap) = (rng.below(3) - 1, rng.below(2), rng.below(2));
                let size = shape[axis] + (shape[axis] - 1) * gap + low + high;
                if size < 1 {
                    return;
                }
                let mut out = shape.clone();
                out[axis] = size;
                let rest = format!(
                    "{{edge_padding_low = {}, edge_padding_high = {}, interior_padding = {}}}",
                    array(unit(axis, low, 0)),
                    array(unit(axis, high, 0)),
                    array(unit(axis, gap, 0))
                );
                self.push("pad", &[("%p", "tensor<f32>")], &rest, out);
            }
            4 if elements <= 12 => {
                let mut out = shape.clone();
                out[axis] *= 2;
                let (own, kind) = (self.value.clone(), ty(&shape));
                self.push(
                    "concatenate",
                    &[(&own, &kind)],
                    &format!("{{dimension = {axis} : i64}}"),
                    out,
                );
            }
            5 => self.push("reshape", &[], "", vec![elements]),
            6 => {
                let Some(part) = [2, 3]
                    .into_iter()
                    .find(|n| shape[axis] % n == 0 && shape[axis] > *n)
                else {
                    return;
                };
                if rank == 3 {
                    return;
                }
                let mut out = shape.clone();
                out.splice(axis..=axis, [shape[axis] / part, part]);
                self.push("reshape", &[], "", out);
            }
            7 if rank > 1 => {
                let mut out = shape.clone();
                out.remove(axis);
                let rest = format!("{SUM} {{dimensions = {}}}", array([axis as i64]));
                self.push("reduce", &[("%p", "tensor<f32>")], &rest, out);
            }
            8 => {
                let mut out = shape.clone();
                out[axis] = 1 + rng.below(shape[axis]);
                let starts = vec![("%s", "tensor<i32>"); rank];
                let rest = format!("{{slice_sizes = {}}}", array(out.iter().copied()));
                self.push("dynamic_slice", &starts, &rest, out);
            }
            9 => {
                // Read twice, once backward.
                let (before, kind) = (self.value.clone(), ty(&shape));
                let rest = format!("{{dimensions = {}}}", array([axis as i64]));
                self.push("reverse", &[], &rest, shape.clone());
                self.push("add", &[(&before, &kind)], "", shape);
            }
            _ => {}
        }
    }
}

#[test]
fn random_chains() {
    let mut rng = Rng(5);
    let (mut questions, mut known) = (0, 0);
    for case in 0..300 {
        let rank = 1 + rng.below(2) as usize;
        let shape: Vec<i64> = (0..rank).map(|_| 2 + rng.below(3)).collect();
        let mut chain = Chain {
            text: String::new(),
            shape: shape.clone(),
            value: "%arg0".into(),
            count: 0,
        };
        for _ in 0..4 {
            chain.step(&mut rng);
        }
        if chain.count == 0 {
            continue;
        }
        let text = format!(
            "func.func @f(%arg0: {}, %p: tensor<f32>, %s: tensor<i32>) -> {} {{\n{}return {} : {}\n}}",
            ty(&shape),
            ty(&chain.shape),
            chain.text,
            chain.value,
            ty(&chain.shape)
        );
        let found = enumerate(&format!("chain {case}\n{text}"), &text, 3, &[]);
        questions += found.0;
        known += found.1;
    }
    assert!(questions > 20_000 && known > 200, "{questions} {known}");
}
