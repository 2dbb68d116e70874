//! Random operations with a body.

use super::{
    generate::{Generator, MOST, Value},
    types::{Ty, array, count, number},
};

impl Generator {
    /// Writes a body with these arguments: `ends` makes the values that it gives.
    pub fn body(
        &mut self,
        arguments: &[Value],
        steps: usize,
        ends: impl FnOnce(&mut Self) -> Vec<Value>,
    ) -> Vec<Ty> {
        let outer = self.scope.len();
        self.scope.extend(arguments.iter().cloned());
        self.depth += 1;
        for _ in 0..self.rng.usize(0..=steps) {
            self.step();
        }
        let values = ends(self);
        let names: Vec<&str> = values.iter().map(|value| value.name.as_str()).collect();
        let types: Vec<String> = values.iter().map(|value| value.ty.to_string()).collect();
        self.line(format!(
            "tarray.yield {} : {}",
            names.join(", "),
            types.join(", ")
        ));
        self.depth -= 1;
        self.scope.truncate(outer);
        self.line("}".into());
        values.into_iter().map(|value| value.ty).collect()
    }

    /// Begins a loop whose results are not known yet: their names are filled in by
    /// [`Generator::end`].
    pub fn begin(&mut self, text: String) -> usize {
        self.line(format!("RESULTS = {text} {{"));
        self.lines.len() - 1
    }

    pub fn end(&mut self, line: usize, types: Vec<Ty>) {
        let values: Vec<Value> = types
            .into_iter()
            .map(|ty| Value {
                name: self.fresh(),
                ty,
            })
            .collect();
        let names: Vec<&str> = values.iter().map(|value| value.name.as_str()).collect();
        let text = self.lines[line].replacen("RESULTS", &names.join(", "), 1);
        self.lines[line] = text;
        self.scope.extend(values);
    }

    pub fn argument(&mut self, ty: Ty) -> Value {
        let name = self.fresh().replace("%v", "%b");
        Value { name, ty }
    }

    /// A value that an array may have as an element: a tensor or an array of the scope.
    pub fn element(&mut self, rounds: i64) -> Value {
        let found = self.pick(|ty| {
            !matches!(ty, Ty::Shape(_))
                && ty.size() * rounds.max(1) <= MOST
                && ty.levels().0.len() < 3
        });
        match found {
            Some(value) => value,
            None => self.constant(&number()),
        }
    }

    /// What an order goes through: an array, or a tensor by its slices; the type of an element and
    /// the most rounds.
    fn source(&mut self) -> (Value, Ty, i64) {
        if self.rng.usize(0..3) == 0 {
            let (x, element, shape) = self.some_tensor();
            return (x, Ty::Tensor(element, shape[1..].to_vec()), shape[0]);
        }
        self.some_array(false)
    }

    pub fn loop_step(&mut self) {
        match self.rng.usize(0..12) {
            0 | 1 => self.parallel_foreach(),
            2 => self.foreach(),
            3 => self.scan(),
            4 => self.reduce(),
            5 => self.fold(),
            6 => self.filter_or_sort(),
            7 => self.broadcast(),
            8 => self.apply_along_axis(),
            9 => self.build(),
            10 => self.select(),
            _ => self.vectorize(),
        }
    }

    fn parallel_foreach(&mut self) {
        if self.rng.usize(0..4) == 0 {
            let (x, element, shape) = self.some_tensor();
            let e = self.argument(Ty::Tensor(element, vec![]));
            let line = self.begin(format!(
                "tarray.parallel_foreach ({} in {} : {})",
                e.name, x.name, x.ty
            ));
            let types = self.body(&[e], 2, |this| {
                let scalar = this.pick(|ty| ty.tensor().is_some_and(|(_, shape)| shape.is_empty()));
                vec![scalar.unwrap_or_else(|| this.constant(&number()))]
            });
            let types = types
                .iter()
                .map(|ty| Ty::Tensor(ty.element(), shape.clone()))
                .collect();
            self.end(line, types);
            return;
        }
        let (x, of_x, max_x) = self.some_array(false);
        let (y, of_y, max_y) = self.some_array(false);
        let (a, b) = (self.argument(of_x), self.argument(of_y));
        let rounds = max_x.min(max_y);
        let line = self.begin(format!(
            "tarray.parallel_foreach ({} in {} : {}, {} in {} : {})",
            a.name, x.name, x.ty, b.name, y.name, y.ty
        ));
        let results = self.rng.usize(1..3);
        let types = self.body(&[a, b], 3, |this| {
            (0..results).map(|_| this.element(rounds)).collect()
        });
        let types = types.into_iter().map(|ty| array(ty, rounds)).collect();
        self.end(line, types);
    }

    fn foreach(&mut self) {
        let (x, of_x, max) = if self.rng.usize(0..3) == 0 {
            let rank = self.rng.usize(0..4);
            (self.value_of_type(&Ty::Shape(rank)), number(), rank as i64)
        } else {
            self.some_array(false)
        };
        let init = self.element(1);
        let (a, b) = (self.argument(of_x), self.argument(init.ty.clone()));
        let line = self.begin(format!(
            "tarray.foreach ({} in {} : {}, {} = {} : {})",
            a.name, x.name, x.ty, b.name, init.name, init.ty
        ));
        let carried = init.ty.clone();
        let types = self.body(&[a, b], 2, |this| {
            vec![this.element(max), this.value_of_type(&carried)]
        });
        let outputs = vec![array(types[0].clone(), max), carried];
        self.end(line, outputs);
    }

    fn scan(&mut self) {
        let (x, of_x, max) = self.source();
        let of_tensor = x.ty.tensor().is_some();
        let init = if of_tensor {
            let found = self.pick(|ty| {
                ty.tensor()
                    .is_some_and(|(_, shape)| count(shape) * max.max(1) <= MOST)
            });
            found.unwrap_or_else(|| self.constant(&number()))
        } else {
            self.element(max)
        };
        let (a, b) = (self.argument(of_x), self.argument(init.ty.clone()));
        let order = if self.rng.bool() {
            "forward"
        } else {
            "backward"
        };
        let line = self.begin(format!(
            "tarray.scan {order} ({} in {} : {}, {} = {} : {})",
            a.name, x.name, x.ty, b.name, init.name, init.ty
        ));
        let carried = init.ty.clone();
        let ty = match (&carried, of_tensor) {
            (Ty::Tensor(element, shape), true) => {
                Ty::Tensor(element, [&[max], shape.as_slice()].concat())
            }
            (other, _) => array(other.clone(), max),
        };
        self.body(&[a, b], 2, |this| vec![this.value_of_type(&carried)]);
        self.end(line, vec![ty]);
    }

    fn reduce(&mut self) {
        let (x, of_x, _) = self.source();
        let Some((element, _)) = of_x.tensor() else {
            return;
        };
        let names: &[&str] = match element {
            "f32" => &["maximum", "minimum"],
            "i1" => return,
            _ => &["add", "multiply", "maximum", "minimum"],
        };
        let name = self.rng.choice(names).copied().unwrap_or("maximum");
        let init = self.value_of_type(&of_x);
        let (a, b) = (self.argument(of_x.clone()), self.argument(of_x.clone()));
        let line = self.begin(format!(
            "tarray.reduce ({} in {} : {}, {} = {} : {})",
            a.name, x.name, x.ty, b.name, init.name, init.ty
        ));
        let text = format!("stablehlo.{name} {}, {} : {of_x}", a.name, b.name);
        let ty = of_x.clone();
        self.body(&[a, b], 0, |this| vec![this.op(&text, ty)]);
        self.end(line, vec![of_x]);
    }

    fn fold(&mut self) {
        let (x, of_x, _) = self.source();
        let init = self.element(1);
        let (a, b) = (self.argument(of_x), self.argument(init.ty.clone()));
        let line = self.begin(format!(
            "tarray.fold ({} in {} : {}, {} = {} : {})",
            a.name, x.name, x.ty, b.name, init.name, init.ty
        ));
        let carried = init.ty.clone();
        let types = self.body(&[a, b], 3, |this| vec![this.value_of_type(&carried)]);
        self.end(line, types);
    }

    fn filter_or_sort(&mut self) {
        let (x, of_x, max) = self.source();
        let a = self.argument(of_x.clone());
        let filters = self.rng.bool();
        let name = if filters { "filter" } else { "sortby" };
        let line = self.begin(format!(
            "tarray.{name} ({} in {} : {})",
            a.name, x.name, x.ty
        ));
        self.body(&[a], 3, |this| {
            let scalar = this.pick(|ty| {
                ty.tensor()
                    .is_some_and(|(element, shape)| shape.is_empty() && element != "i1")
            });
            let key = scalar.unwrap_or_else(|| this.constant(&number()));
            if !filters {
                return vec![key];
            }
            let limit = this.constant(&key.ty);
            let text = format!(
                "stablehlo.compare GE, {}, {} : ({}, {}) -> tensor<i1>",
                key.name, limit.name, key.ty, key.ty
            );
            vec![this.op(&text, Ty::Tensor("i1", vec![]))]
        });
        let ty = if filters { array(of_x, max) } else { x.ty };
        self.end(line, vec![ty]);
    }

    fn broadcast(&mut self) {
        if self.rng.bool() {
            let (x, of_x, max) = self.some_array(false);
            let found = self.pick(|ty| ty.tensor().is_some());
            let y = found.unwrap_or_else(|| self.constant(&number()));
            let (a, b) = (self.argument(of_x), self.argument(y.ty.clone()));
            let line = self.begin(format!(
                "tarray.broadcast ({} in {} : {}, {} = {} : {})",
                a.name, x.name, x.ty, b.name, y.name, y.ty
            ));
            let types = self.body(&[a, b], 2, |this| vec![this.element(max)]);
            self.end(line, vec![array(types[0].clone(), max)]);
            return;
        }
        let (x, element, shape) = self.some_tensor();
        let mut dims: Vec<usize> = (0..shape.len()).collect();
        dims.retain(|_| self.rng.bool());
        let smaller: Vec<i64> = dims
            .iter()
            .map(|d| {
                if self.rng.usize(0..4) == 0 {
                    1
                } else {
                    shape[*d]
                }
            })
            .collect();
        let other = *self.rng.choice(&["i32", "i64"]).unwrap_or(&"i32");
        let y = self.value_of_type(&Ty::Tensor(other, smaller));
        let (a, b) = (
            self.argument(Ty::Tensor(element, vec![])),
            self.argument(Ty::Tensor(other, vec![])),
        );
        let line = self.begin(format!(
            "tarray.broadcast dims = {dims:?} ({} in {} : {}, {} = {} : {})",
            a.name, x.name, x.ty, b.name, y.name, y.ty
        ));
        let types = self.body(&[a, b], 2, |this| {
            let scalar = this.pick(|ty| ty.tensor().is_some_and(|(_, shape)| shape.is_empty()));
            vec![scalar.unwrap_or_else(|| this.constant(&number()))]
        });
        self.end(line, vec![Ty::Tensor(types[0].element(), shape)]);
    }

    fn apply_along_axis(&mut self) {
        let (x, element, mut shape) = self.some_tensor();
        let d = self.rng.usize(0..shape.len());
        let a = self.argument(Ty::Tensor(element, vec![shape[d]]));
        let line = self.begin(format!(
            "tarray.apply_along_axis dim = {d} ({} in {} : {})",
            a.name, x.name, x.ty
        ));
        let first = a.clone();
        let types = self.body(&[a], 3, |this| {
            let vector = this.pick(|ty| {
                ty.tensor()
                    .is_some_and(|(_, shape)| shape.len() == 1 && shape[0] < 9)
            });
            vec![vector.unwrap_or(first)]
        });
        if let Some((element, line_shape)) = types[0].tensor() {
            shape[d] = line_shape[0];
            let ty = Ty::Tensor(element, shape);
            self.end(line, vec![ty]);
        }
    }

    fn build(&mut self) {
        let n = self.small();
        let max = self.rng.i64(0..5);
        let init = self.element(1);
        let (a, b) = (self.argument(number()), self.argument(init.ty.clone()));
        let line = self.begin(format!(
            "tarray.build max = {max} ({} in {} : tensor<i64>, {} = {} : {})",
            a.name, n.name, b.name, init.name, init.ty
        ));
        let carried = init.ty.clone();
        let i = a.name.clone();
        let types = self.body(&[a, b], 2, |this| {
            let limit = this.small();
            let text = format!(
                "stablehlo.compare NE, {i}, {} : (tensor<i64>, tensor<i64>) -> tensor<i1>",
                limit.name
            );
            let keeps = this.op(&text, Ty::Tensor("i1", vec![]));
            vec![keeps, this.element(max), this.value_of_type(&carried)]
        });
        let results = vec![array(types[1].clone(), max), carried];
        self.end(line, results);
    }

    /// A function of one element and of what all share, and its use for all of them. A list may be
    /// taken as a Tensor, and given as one.
    fn vectorize(&mut self) {
        if self.depth > 1 {
            return;
        }
        let (x, element, rest) = if self.rng.bool() {
            let (x, element, shape) = self.some_tensor();
            let front = self.rng.usize(0..=shape.len());
            let inner = Ty::Tensor(element, shape[front..].to_vec());
            (x, inner, shape[..front].to_vec())
        } else {
            let (x, element, max) = self.some_array(false);
            (x, element, vec![max])
        };
        let of_tensor = x.ty.tensor().is_some();
        let shared: Vec<Value> = (0..self.rng.usize(0..3))
            .filter_map(|_| self.pick(|_| true))
            .collect();
        let lines = std::mem::take(&mut self.lines);
        let scope = std::mem::take(&mut self.scope);
        let depth = std::mem::replace(&mut self.depth, 0);
        let mut takes = Vec::new();
        match rows(&element).filter(|_| self.rng.bool()) {
            Some((tensor, max)) => {
                let name = self.fresh();
                let text = format!("tarray.slices {name} dim = 0 max = {max} : {tensor}");
                takes.push(format!("{name}: {tensor}"));
                self.op(&text, element);
            }
            None => {
                let argument = self.argument(element);
                takes.push(format!("{}: {}", argument.name, argument.ty));
                self.scope.push(argument);
            }
        }
        for value in &shared {
            let argument = self.argument(value.ty.clone());
            takes.push(format!("{}: {}", argument.name, argument.ty));
            self.scope.push(argument);
        }
        for _ in 0..self.rng.usize(0..3) {
            self.step();
        }
        let rounds = count(&rest);
        let given = if of_tensor {
            let found = self.pick(|ty| {
                ty.tensor()
                    .is_some_and(|(_, shape)| count(shape) * rounds.max(1) <= MOST)
            });
            found.unwrap_or_else(|| self.constant(&number()))
        } else {
            self.element(rounds)
        };
        let mut gives = (given.name.clone(), given.ty.to_string());
        if let Some((tensor, _)) = rows(&given.ty).filter(|_| !of_tensor && self.rng.bool()) {
            gives.0 = self.fresh();
            let text = format!(
                "{} = tarray.stack {} dim = 0 : {}",
                gives.0, given.name, given.ty
            );
            self.line(text);
            gives.1 = tensor;
        }
        let body = std::mem::replace(&mut self.lines, lines);
        self.scope = scope;
        self.depth = depth;
        let name = self.fresh().replace("%v", "@f");
        self.functions.push(format!(
            "func.func private {name}({}) -> {} {{\n{}\n  return {} : {}\n}}",
            takes.join(", "),
            gives.1,
            body.join("\n"),
            gives.0,
            gives.1
        ));
        let ty = match &given.ty {
            Ty::Tensor(element, shape) if of_tensor => {
                Ty::Tensor(element, [rest.as_slice(), shape.as_slice()].concat())
            }
            other => array(other.clone(), rounds),
        };
        let operands: Vec<&Value> = [&x].into_iter().chain(&shared).collect();
        let names: Vec<&str> = operands.iter().map(|value| value.name.as_str()).collect();
        let types: Vec<String> = operands.iter().map(|value| value.ty.to_string()).collect();
        let (names, types) = (names.join(", "), types.join(", "));
        self.op(
            &format!("tarray.vectorize {name}({names}) : {types} -> {ty}"),
            ty,
        );
    }

    /// One of two values of a kind.
    pub fn select(&mut self) {
        let Some(x) = self.pick(|_| true) else { return };
        let y = self.value_of_type(&x.ty);
        let (n, m) = (self.small(), self.small());
        let (a, b) = (n.name, m.name);
        let holds = self.op(
            &format!("stablehlo.compare LT, {a}, {b} : (tensor<i64>, tensor<i64>) -> tensor<i1>"),
            Ty::Tensor("i1", vec![]),
        );
        let text = format!(
            "stablehlo.select {}, {}, {} : tensor<i1>, {}",
            holds.name, x.name, y.name, x.ty
        );
        self.op(&text, x.ty.clone());
    }
}

/// The Tensor that a list of Tensors is as a whole, and how many there are at most.
fn rows(ty: &Ty) -> Option<(String, i64)> {
    let Ty::Array(leaf, max) = ty else {
        return None;
    };
    let (element, shape) = leaf.tensor()?;
    let sizes: String = shape.iter().map(|n| format!("{n}x")).collect();
    Some((format!("tensor<?x{sizes}{element}>"), *max))
}
