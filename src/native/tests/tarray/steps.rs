//! Random operations without a body.

use super::{
    generate::{ELEMENTS, Generator, MOST, Value, join},
    types::{Ty, array, count, number},
};

impl Generator {
    /// Adds one operation, or what it needs and then none.
    pub fn step(&mut self) {
        if self.depth < 3 && self.rng.usize(0..3) == 0 {
            self.loop_step();
            return;
        }
        match self.rng.usize(0..17) {
            14 => self.product(),
            15 => self.by_length(),
            16 => self.nested(),
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
        let s = self.value_of_type(&Ty::Shape(rank));
        match self.rng.usize(0..9) {
            0 => drop(self.op(&format!("tarray.numel {} : {}", s.name, s.ty), number())),
            1 => drop(self.op(&format!("tarray.ndims {} : {}", s.name, s.ty), number())),
            2 => {
                let other = self.rng.usize(0..3);
                let t = self.value_of_type(&Ty::Shape(other));
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
                let t = self.value_of_type(&Ty::Shape(other));
                let text = format!(
                    "tarray.cartesian_product {}, {} : {}, {}",
                    s.name, t.name, s.ty, t.ty
                );
                self.op(&text, Ty::Tensor("i64", vec![(rank * other) as i64, 2]));
            }
            7 => {
                let other = self.rng.usize(0..3);
                let t = self.value_of_type(&Ty::Shape(other));
                let (order, grid) = if self.rng.bool() {
                    ("xy", vec![other as i64, rank as i64])
                } else {
                    ("ij", vec![rank as i64, other as i64])
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
        let padding = self.value_of_type(&Ty::Tensor(element, vec![]));
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
            let value = self.value_of_type(&leaf);
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
            if pool.is_empty() {
                inner[d] = n
            } else {
                inner.remove(d);
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
        let ty = if pool.is_empty() {
            array(inner, n)
        } else {
            inner
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
            let updates = self.value_of_type(&Ty::Tensor(element, shape));
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
        let updates = self.value_of_type(&array(inner, max));
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
                if keeps {
                    shape[d] = 1
                } else {
                    shape.remove(d);
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
        let y = self.value_of_type(&x.ty);
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
