//! Random programs of tensor arrays: values, and operations without a body.

use crate::types::{Ty, array, count, dense, number, scalar};

/// Most elements of a value.
pub const MOST: i64 = 200;

const ELEMENTS: &[&str] = &["i32", "i32", "f32", "i64", "ui8"];

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
        match self.rng.bool() {
            true => self.one_of(&known[late..]),
            false => self.one_of(&known),
        }
    }

    fn sizes(&mut self, rank: usize) -> Vec<i64> {
        (0..rank)
            .map(|_| {
                if self.rng.usize(0..12) == 0 {
                    0
                } else {
                    self.rng.i64(1..5)
                }
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
        match ty.size() > MOST {
            true => array(Ty::Tensor("i32", vec![2]), 3),
            false => ty,
        }
    }

    /// A value of this type: one in scope, or a constant.
    pub fn of(&mut self, ty: &Ty) -> Value {
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
                        let length = match list < lists {
                            true => self.rng.i64(0..=*greatest),
                            false => 0,
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
        let value = self.of(&number());
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
            let text = format!(
                "tarray.insert {}, {i}, {} : !tarray.shape<{i}>, tensor<i64>",
                at.name, n.name
            );
            at = self.op(&text, Ty::Shape(i + 1));
        }
        at
    }

    /// Indices as a vector or an array.
    fn indices(&mut self, in_array: bool) -> (Value, i64) {
        let n = self.rng.i64(0..5);
        let element = *self.rng.choice(&["i64", "i32", "ui8"]).unwrap_or(&"i64");
        if in_array && self.rng.bool() {
            return (self.of(&array(Ty::Tensor(element, vec![]), n)), n);
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

    /// Adds one operation, or what it needs and then none.
    pub fn step(&mut self) {
        if self.depth < 3 && self.rng.usize(0..3) == 0 {
            self.loop_step();
            return;
        }
        match self.rng.usize(0..14) {
            0 => self.shape_step(),
            1 | 2 => self.tensor_to_array(),
            3 | 4 => self.array_to_tensor(),
            5 => self.zip(),
            6 | 7 => self.index_step(),
            8 | 9 => self.gather_step(),
            10 => self.scatter_step(),
            11 => self.layout_step(),
            _ => self.elementwise(),
        }
    }

    fn shape_step(&mut self) {
        let rank = self.rng.usize(0..4);
        let s = self.of(&Ty::Shape(rank));
        match self.rng.usize(0..9) {
            0 => drop(self.op(&format!("tarray.numel {} : {}", s.name, s.ty), number())),
            1 => drop(self.op(&format!("tarray.ndims {} : {}", s.name, s.ty), number())),
            2 => {
                let other = self.rng.usize(0..3);
                let t = self.of(&Ty::Shape(other));
                let text = format!("tarray.add {}, {} : {}, {}", s.name, t.name, s.ty, t.ty);
                self.op(&text, Ty::Shape(rank + other));
            }
            3 => {
                let (n, pos) = (self.small(), self.rng.usize(0..=rank));
                let text = format!(
                    "tarray.insert {}, {pos}, {} : {}, {}",
                    s.name, n.name, s.ty, n.ty
                );
                self.op(&text, Ty::Shape(rank + 1));
            }
            4 if rank > 0 => {
                let pos = self.rng.usize(0..rank);
                let text = format!("tarray.del {}, {pos} : {}", s.name, s.ty);
                self.op(&text, Ty::Shape(rank - 1));
            }
            5 if rank > 0 => {
                let (n, pos) = (self.small(), self.rng.usize(0..rank));
                let text = format!(
                    "tarray.replace {}, {pos}, {} : {}, {}",
                    s.name, n.name, s.ty, n.ty
                );
                self.op(&text, Ty::Shape(rank));
            }
            6 => {
                let other = self.rng.usize(0..3);
                let t = self.of(&Ty::Shape(other));
                let text = format!(
                    "tarray.cartesian_product {}, {} : {}, {}",
                    s.name, t.name, s.ty, t.ty
                );
                self.op(&text, Ty::Tensor("i64", vec![(rank * other) as i64, 2]));
            }
            7 => {
                let other = self.rng.usize(0..3);
                let t = self.of(&Ty::Shape(other));
                let (order, grid) = match self.rng.bool() {
                    true => ("xy", vec![other as i64, rank as i64]),
                    false => ("ij", vec![rank as i64, other as i64]),
                };
                let text = format!(
                    "tarray.meshgrid {order} {}, {} : {}, {}",
                    s.name, t.name, s.ty, t.ty
                );
                self.ops(&text, vec![Ty::Tensor("i64", grid); 2]);
            }
            _ => {
                let (a, b, c) = (self.small(), self.small(), self.small());
                let max = self.rng.i64(0..6);
                let text = format!(
                    "tarray.arange {}, {}, {} max = {max} : tensor<i64>, tensor<i64>, tensor<i64>",
                    a.name, b.name, c.name
                );
                self.op(&text, array(number(), max));
            }
        }
    }

    /// A tensor with a dimension at least.
    pub fn some_tensor(&mut self) -> (Value, &'static str, Vec<i64>) {
        let found = self.pick(|ty| ty.tensor().is_some_and(|(_, shape)| !shape.is_empty()));
        let value = match found {
            Some(value) if self.rng.usize(0..4) > 0 => value,
            _ => {
                let rank = self.rng.usize(1..4);
                let element = self.one_of(ELEMENTS).unwrap_or("i32");
                let ty = Ty::Tensor(element, self.sizes(rank));
                self.constant(&ty)
            }
        };
        let (element, shape) = match &value.ty {
            Ty::Tensor(element, shape) => (*element, shape.clone()),
            _ => ("i32", vec![]),
        };
        (value, element, shape)
    }

    /// An array, of tensors alone if `primary`.
    pub fn some_array(&mut self, primary: bool) -> (Value, Ty, i64) {
        let fits = |ty: &Ty| match ty {
            Ty::Array(element, _) => !primary || element.tensor().is_some(),
            _ => false,
        };
        let value = match self.pick(fits) {
            Some(value) => value,
            None => {
                let ty = array(Ty::Tensor("i32", vec![2]), 3);
                self.constant(&ty)
            }
        };
        match value.ty.clone() {
            Ty::Array(element, max) => (value, *element, max),
            _ => (value, number(), 0),
        }
    }

    fn tensor_to_array(&mut self) {
        let (x, element, shape) = self.some_tensor();
        let d = self.rng.usize(0..shape.len());
        if self.rng.bool() {
            let mut inner = shape.clone();
            let n = inner.remove(d);
            let text = format!("tarray.slices {} dim = {d} : {}", x.name, x.ty);
            self.op(&text, array(Ty::Tensor(element, inner), n));
            return;
        }
        let divisors: Vec<i64> = (1..=4).filter(|n| shape[d] % n == 0).collect();
        let n = self.one_of(&divisors).unwrap_or(1);
        let mut inner = shape;
        inner[d] /= n;
        let text = format!("tarray.chunks {} n = {n} dim = {d} : {}", x.name, x.ty);
        self.op(&text, array(Ty::Tensor(element, inner), n));
    }

    fn array_to_tensor(&mut self) {
        let (x, inner, max) = self.some_array(true);
        let Ty::Tensor(element, mut shape) = inner else {
            return;
        };
        let padding = self.of(&Ty::Tensor(element, vec![]));
        let stacks = shape.is_empty() || self.rng.bool();
        let d = self.rng.usize(0..shape.len() + usize::from(stacks));
        let name = if stacks {
            shape.insert(d, max);
            "stack"
        } else {
            shape[d] *= max;
            "concatenate"
        };
        if count(&shape) > MOST {
            return;
        }
        let text = format!(
            "tarray.{name} {} dim = {d} padding {} : {}, {}",
            x.name, padding.name, x.ty, padding.ty
        );
        self.op(&text, Ty::Tensor(element, shape));
    }

    fn zip(&mut self) {
        let (a, of_a, max_a) = self.some_array(false);
        let (b, of_b, max_b) = self.some_array(false);
        let max = max_a.min(max_b);
        let text = format!("tarray.zip {}, {} : {}, {}", a.name, b.name, a.ty, b.ty);
        self.ops(&text, vec![array(of_a, max), array(of_b, max)]);
    }

    fn index_step(&mut self) {
        let (x, leaf, numbers) = if self.rng.bool() {
            let (x, element, shape) = self.some_tensor();
            (x, Ty::Tensor(element, vec![]), shape.len())
        } else {
            let (x, _, _) = self.some_array(false);
            let levels = x.ty.levels().0.len();
            let leaf = x.ty.levels().1.clone();
            (x, leaf, levels)
        };
        if self.rng.bool() && leaf.element() != "f32" {
            let at = self.index(numbers);
            let value = self.of(&leaf);
            let way = *self
                .rng
                .choice(&["add", "mul", "max", "min", "set"])
                .unwrap_or(&"add");
            let text = format!(
                "tarray.index_update {way} {}, {} at {} : {}, {}, {}",
                x.name, value.name, at.name, x.ty, value.ty, at.ty
            );
            self.op(&text, x.ty);
            return;
        }
        let mut found = x.ty.clone();
        let mut steps = numbers;
        if matches!(found, Ty::Array(..)) {
            steps = self.rng.usize(1..=numbers);
            for _ in 0..steps {
                if let Ty::Array(element, _) = found {
                    found = *element;
                }
            }
        } else {
            found = leaf;
        }
        let at = self.index(steps);
        let text = format!(
            "tarray.index {} at {} : {}, {}",
            x.name, at.name, x.ty, at.ty
        );
        self.op(&text, found);
    }

    /// `max ` and its like, for elements of which any order gives the same; or nothing.
    fn pool(&mut self, element: &str) -> &'static str {
        let ways: &[&str] = match element {
            "f32" => &["", "", "max ", "min "],
            _ => &["", "", "max ", "min ", "sum "],
        };
        self.rng.choice(ways).copied().unwrap_or("")
    }

    fn gather_step(&mut self) {
        if self.rng.bool() {
            let (x, element, shape) = self.some_tensor();
            let (at, n) = self.indices(false);
            let d = self.rng.usize(0..shape.len());
            if self.rng.usize(0..3) == 0 && shape[d] > 0 {
                let mut inner = shape;
                inner.remove(d);
                inner.insert(0, n);
                let text = format!(
                    "tarray.embedding {} in {} dim = {d} : {}, {}",
                    at.name, x.name, at.ty, x.ty
                );
                self.op(&text, Ty::Tensor(element, inner));
                return;
            }
            let pool = self.pool(element);
            let mut inner = shape;
            match pool.is_empty() {
                true => inner[d] = n,
                false => drop(inner.remove(d)),
            }
            let text = format!(
                "tarray.gather {pool}{} at {} dim = {d} : {}, {}",
                x.name, at.name, x.ty, at.ty
            );
            self.op(&text, Ty::Tensor(element, inner));
            return;
        }
        let (x, inner, _) = self.some_array(false);
        let (at, n) = self.indices(true);
        let pool = match inner.tensor() {
            Some((element, _)) => self.pool(element),
            None => "",
        };
        let ty = match pool.is_empty() {
            true => array(inner, n),
            false => inner,
        };
        if ty.size() > MOST {
            return;
        }
        let text = format!(
            "tarray.gather {pool}{} at {} : {}, {}",
            x.name, at.name, x.ty, at.ty
        );
        self.op(&text, ty);
    }

    fn scatter_step(&mut self) {
        if self.rng.bool() {
            let (x, element, mut shape) = self.some_tensor();
            let d = self.rng.usize(0..shape.len());
            let (at, n) = self.indices(false);
            shape[d] = n;
            let updates = self.of(&Ty::Tensor(element, shape));
            // Which of several updates stays is left open: only those that are put together.
            let pool = self.pool(element);
            if pool.is_empty() {
                return;
            }
            let text = format!(
                "tarray.scatter {pool}{}, {} at {} dim = {d} : {}, {}, {}",
                x.name, updates.name, at.name, x.ty, updates.ty, at.ty
            );
            self.op(&text, x.ty);
            return;
        }
        let (x, inner, _) = self.some_array(true);
        let (at, _) = self.indices(true);
        let max = self.rng.i64(0..5);
        let pool = self.pool(inner.element());
        if pool.is_empty() {
            return;
        }
        let updates = self.of(&array(inner, max));
        let text = format!(
            "tarray.scatter {pool}{}, {} at {} : {}, {}, {}",
            x.name, updates.name, at.name, x.ty, updates.ty, at.ty
        );
        self.op(&text, x.ty);
    }

    fn layout_step(&mut self) {
        let (x, element, mut shape) = self.some_tensor();
        let d = self.rng.usize(0..shape.len());
        let text = match self.rng.usize(0..5) {
            0 => {
                let start = self.rng.i64(0..=shape[d]);
                let end = self.rng.i64(start..=shape[d]);
                let stride = self.rng.i64(1..4);
                shape[d] = (end - start + stride - 1) / stride;
                format!(
                    "slice {} [{start} : {stride} : {end}] dim = {d} : {}",
                    x.name, x.ty
                )
            }
            1 if shape[d] > 0 => {
                // Behind a barrier: an index that is known would have to be inside.
                let known = self.small();
                let text = format!(
                    "stablehlo.optimization_barrier {} : tensor<i64>",
                    known.name
                );
                let at = self.op(&text, number());
                let keeps = self.rng.bool();
                match keeps {
                    true => shape[d] = 1,
                    false => drop(shape.remove(d)),
                }
                format!(
                    "slice {} at {} dim = {d} keep_dim = {keeps} : {}, tensor<i64>",
                    x.name, at.name, x.ty
                )
            }
            2 => {
                let mut dims: Vec<usize> = (0..shape.len()).collect();
                self.rng.shuffle(&mut dims);
                shape = dims.iter().map(|d| shape[*d]).collect();
                format!("transpose {} dims = {dims:?} : {}", x.name, x.ty)
            }
            3 => {
                shape = vec![count(&shape)];
                format!("reshape {} to ({}) : {}", x.name, join(&shape), x.ty)
            }
            _ => {
                shape.insert(d, 1);
                format!("unsqueeze {} dim = {d} : {}", x.name, x.ty)
            }
        };
        self.op(&format!("tarray.{text}"), Ty::Tensor(element, shape));
    }

    /// Arithmetic on two tensors of one type, any order of which gives the same.
    pub fn elementwise(&mut self) {
        let x = match self.pick(|ty| ty.tensor().is_some()) {
            Some(value) => value,
            None => self.constant(&number()),
        };
        let y = self.of(&x.ty);
        let names: &[&str] = match x.ty.element() {
            "f32" => &["maximum", "minimum"],
            "i1" => &["and", "or"],
            _ => &["add", "multiply", "maximum", "minimum", "subtract"],
        };
        let name = self.rng.choice(names).copied().unwrap_or("maximum");
        let text = format!("stablehlo.{name} {}, {} : {}", x.name, y.name, x.ty);
        self.op(&text, x.ty);
    }
}

/// Numbers with commas between them.
pub fn join(values: &[i64]) -> String {
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    values.join(", ")
}
