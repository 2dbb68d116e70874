//! Random programs of tensor arrays, and values in them.

use super::types::{Ty, array, count, dense, number, scalar};

/// Most elements of a value.
pub const MOST: i64 = 200;

pub const ELEMENTS: &[&str] = &["i32", "i32", "f32", "i64", "ui8"];

/// A value in scope.
#[derive(Clone, Debug)]
pub struct Value {
    pub name: String,
    pub ty: Ty,
}

/// Makes one program.
pub struct Generator {
    pub rng: fastrand::Rng,
    /// Lines of the function that is written.
    pub lines: Vec<String>,
    /// Functions beside `main`.
    pub functions: Vec<String>,
    /// What can be used, the innermost bodies last.
    pub scope: Vec<Value>,
    /// How deep the body is that is written.
    pub depth: usize,
    next: usize,
}

impl Generator {
    pub fn new(seed: u64) -> Self {
        Self {
            rng: fastrand::Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            lines: Vec::new(),
            functions: Vec::new(),
            scope: Vec::new(),
            depth: 0,
            next: 0,
        }
    }

    /// The text of a program, and the types of its arguments and results.
    pub fn program(mut self) -> (String, Vec<Ty>, Vec<Ty>) {
        let inputs: Vec<Ty> = (0..self.rng.usize(1..4)).map(|_| self.any_type()).collect();
        let arguments: Vec<String> = inputs
            .iter()
            .enumerate()
            .map(|(i, ty)| {
                self.scope.push(Value {
                    name: format!("%arg{i}"),
                    ty: ty.clone(),
                });
                format!("%arg{i}: {ty}")
            })
            .collect();
        for _ in 0..self.rng.usize(2..7) {
            self.step();
        }
        // The last few values, so that what is computed counts.
        let first = self.scope.len().saturating_sub(5);
        let results: Vec<Value> = self.scope[first..].to_vec();
        let names: Vec<&str> = results.iter().map(|value| value.name.as_str()).collect();
        let types: Vec<String> = results.iter().map(|value| value.ty.to_string()).collect();
        let text = format!(
            "func.func @main({}) -> ({}) {{\n{}\n  return {} : {}\n}}\n{}",
            arguments.join(", "),
            types.join(", "),
            self.lines.join("\n"),
            names.join(", "),
            types.join(", "),
            self.functions.join("\n"),
        );
        let outputs = results.into_iter().map(|value| value.ty).collect();
        (text, inputs, outputs)
    }

    pub fn line(&mut self, text: String) {
        let indent = "  ".repeat(self.depth + 1);
        self.lines.push(format!("{indent}{text}"));
    }

    pub fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    /// A new value of this operation.
    pub fn op(&mut self, text: &str, ty: Ty) -> Value {
        let name = self.fresh();
        self.line(format!("{name} = {text}"));
        let value = Value { name, ty };
        self.scope.push(value.clone());
        value
    }

    /// New values of an operation with several results.
    pub fn ops(&mut self, text: &str, types: Vec<Ty>) -> Vec<Value> {
        let values: Vec<Value> = types
            .into_iter()
            .map(|ty| Value {
                name: self.fresh(),
                ty,
            })
            .collect();
        let names: Vec<&str> = values.iter().map(|value| value.name.as_str()).collect();
        self.line(format!("{} = {text}", names.join(", ")));
        self.scope.extend(values.iter().cloned());
        values
    }

    pub fn one_of<T: Clone>(&mut self, list: &[T]) -> Option<T> {
        self.rng.choice(list).cloned()
    }

    /// A value of the scope that fits, the last ones more often.
    pub fn pick(&mut self, fits: impl Fn(&Ty) -> bool) -> Option<Value> {
        let known: Vec<Value> = self
            .scope
            .iter()
            .filter(|value| fits(&value.ty))
            .cloned()
            .collect();
        let late = known.len().saturating_sub(4);
        if self.rng.bool() {
            self.one_of(&known[late..])
        } else {
            self.one_of(&known)
        }
    }

    pub fn sizes(&mut self, rank: usize) -> Vec<i64> {
        (0..rank)
            .map(|_| {
                let known = [0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 7];
                self.one_of(&known).unwrap_or(2)
            })
            .collect()
    }

    pub fn tensor_type(&mut self) -> Ty {
        let element = self.one_of(ELEMENTS).unwrap_or("i32");
        let rank = self.rng.usize(0..4);
        Ty::Tensor(element, self.sizes(rank))
    }

    /// A tensor, an array or a nest.
    pub fn any_type(&mut self) -> Ty {
        let depth = *self.rng.choice(&[0, 0, 1, 1, 1, 2, 2, 3]).unwrap_or(&0);
        let mut ty = self.tensor_type();
        for _ in 0..depth {
            let max = match self.rng.usize(0..15) {
                0 => 0,
                _ => self.rng.i64(1..5),
            };
            ty = array(ty, max);
        }
        if ty.size() > MOST {
            array(Ty::Tensor("i32", vec![2]), 3)
        } else {
            ty
        }
    }

    /// A value of this type: one in scope, or a constant.
    pub fn value_of_type(&mut self, ty: &Ty) -> Value {
        if self.rng.usize(0..3) > 0
            && let Some(value) = self.pick(|own| own == ty)
        {
            return value;
        }
        self.constant(ty)
    }

    /// A constant of this type.
    pub fn constant(&mut self, ty: &Ty) -> Value {
        match ty {
            Ty::Tensor(element, shape) => {
                let elements: Vec<String> = (0..count(shape))
                    .map(|_| scalar(&mut self.rng, element))
                    .collect();
                let text = format!("stablehlo.constant {} : {ty}", dense(shape, &elements));
                self.op(&text, ty.clone())
            }
            Ty::Shape(rank) => {
                let sizes = self.sizes(*rank);
                let text = format!("tarray.shape ({})", join(&sizes));
                self.op(&text, ty.clone())
            }
            Ty::Array(..) => {
                let (max, leaf) = ty.levels();
                let Some((element, shape)) = leaf.tensor() else {
                    return self.constant(&number());
                };
                let room = [&[count(&max)], shape].concat();
                let values = self.constant(&Ty::Tensor(element, room));
                let mut names = vec![values.name];
                let mut types = vec![values.ty.to_string()];
                let mut lists = 1;
                let mut rooms = 1;
                for greatest in &max {
                    let mut offsets = vec![0i64];
                    for list in 0..rooms {
                        let length = if list < lists {
                            self.rng.i64(0..=*greatest)
                        } else {
                            0
                        };
                        offsets.push(offsets[offsets.len() - 1] + length);
                    }
                    lists = offsets[offsets.len() - 1];
                    rooms *= greatest;
                    let own = Ty::Tensor("i64", vec![offsets.len() as i64]);
                    let name = self.fresh();
                    self.line(format!(
                        "{name} = stablehlo.constant dense<{offsets:?}> : {own}"
                    ));
                    names.push(name);
                    types.push(own.to_string());
                }
                let text = format!(
                    "tarray.from_offsets {} max = {max:?} : {}",
                    names.join(", "),
                    types.join(", ")
                );
                self.op(&text, ty.clone())
            }
        }
    }

    /// A number that is small.
    pub fn small(&mut self) -> Value {
        if self.rng.bool() {
            return self.constant(&number());
        }
        let value = self.value_of_type(&number());
        let by = self.op("stablehlo.constant dense<7> : tensor<i64>", number());
        let text = format!(
            "stablehlo.remainder {}, {} : tensor<i64>",
            value.name, by.name
        );
        self.op(&text, number())
    }

    /// An index of so many numbers.
    pub fn index(&mut self, numbers: usize) -> Value {
        let mut at = self.op("tarray.shape ()", Ty::Shape(0));
        for i in 0..numbers {
            let n = self.small();
            // Numbers of an index that are known would have to be inside.
            let text = format!("stablehlo.optimization_barrier {} : tensor<i64>", n.name);
            let n = self.op(&text, number());
            let text = format!(
                "tarray.insert {}, {i}, {} : !tarray.shape<{i}>, tensor<i64>",
                at.name, n.name
            );
            at = self.op(&text, Ty::Shape(i + 1));
        }
        at
    }

    /// Indices as a vector or an array.
    pub fn indices(&mut self, in_array: bool) -> (Value, i64) {
        let n = self.rng.i64(0..5);
        let element = *self.rng.choice(&["i64", "i32", "ui8"]).unwrap_or(&"i64");
        if in_array && self.rng.bool() {
            return (
                self.value_of_type(&array(Ty::Tensor(element, vec![]), n)),
                n,
            );
        }
        let elements: Vec<String> = (0..n)
            .map(|_| match element {
                "ui8" => self.rng.i64(0..7).to_string(),
                _ => self.rng.i64(-2..7).to_string(),
            })
            .collect();
        let ty = Ty::Tensor(element, vec![n]);
        // Behind a barrier: indices that are known would have to be inside.
        let text = format!("stablehlo.constant {} : {ty}", dense(&[n], &elements));
        let known = self.op(&text, ty.clone());
        let text = format!("stablehlo.optimization_barrier {} : {ty}", known.name);
        (self.op(&text, ty), n)
    }
}

/// Numbers with commas between them.
pub fn join(values: &[i64]) -> String {
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    values.join(", ")
}
