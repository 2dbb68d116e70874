//! Random programs of run-time sizes, as text.

/// Numbers in an order of their own.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    pub fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// A dimension: equal names are equal sizes, and a number is a size that is known at compile time.
pub type Dim = String;

#[derive(Clone)]
pub struct Val {
    pub name: String,
    pub dims: Vec<Dim>,
    /// Every implementation gives these numbers: no function and no sum in an order of its own is
    /// in them.
    pub exact: bool,
}

pub fn ty_of(dims: &[Dim], element: &str) -> String {
    let sizes = dims.iter().map(|dim| match dim.parse::<i64>() {
        Ok(n) => format!("{n}x"),
        Err(_) => "?x".to_string(),
    });
    format!("tensor<{}{element}>", sizes.collect::<String>())
}

impl Val {
    pub fn ty(&self) -> String {
        ty_of(&self.dims, "f32")
    }
}

pub struct Generator {
    pub dice: Dice,
    pub values: Vec<Val>,
    pub text: String,
    next: usize,
}

impl Generator {
    pub fn new(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        dice.below(2);
        let val = |name: &str, dims: &[&str]| Val {
            name: name.to_string(),
            dims: dims.iter().map(ToString::to_string).collect(),
            exact: true,
        };
        Self {
            dice,
            values: vec![
                val("%x", &["n", "m"]),
                val("%y", &["n", "m"]),
                val("%w", &["m", "21"]),
                val("%v", &["m"]),
                val("%z", &["k", "n", "4"]),
            ],
            text: "  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %lower = stablehlo.constant dense<-9.0> : tensor<f32>
  %upper = stablehlo.constant dense<9.0> : tensor<f32>\n"
                .to_string(),
            next: 0,
        }
    }

    pub fn name(&mut self) -> String {
        self.next += 1;
        format!("%r{}", self.next)
    }

    /// Adds what `text` says of its name and type; `exact`: as [`Val`] has it.
    pub fn push(
        &mut self,
        dims: Vec<Dim>,
        exact: bool,
        text: impl FnOnce(&str, &str) -> String,
    ) -> Val {
        let name = self.name();
        let val = Val { name, dims, exact };
        let text = text(&val.name, &val.ty());
        self.text += &format!("  {text}\n");
        self.values.push(val.clone());
        val
    }

    /// One of the values, the late ones rather than the first.
    pub fn some(&mut self) -> Val {
        let n = self.values.len();
        let back = self.dice.below(n).min(self.dice.below(n));
        self.values[n - 1 - back].clone()
    }

    pub fn same(&mut self, dims: &[Dim]) -> Val {
        let all: Vec<Val> = self
            .values
            .iter()
            .filter(|v| v.dims == dims)
            .cloned()
            .collect();
        self.dice.one(&all).clone()
    }

    /// A `tensor<?xi32>` with the sizes of a value.
    pub fn shape_of(&mut self, val: &Val) -> String {
        let mut parts = Vec::new();
        for d in 0..val.dims.len() {
            let (size, one) = (self.name(), self.name());
            self.text += &format!(
                "  {size} = stablehlo.get_dimension_size {}, dim = {d} : ({}) -> tensor<i32>
  {one} = stablehlo.reshape {size} : (tensor<i32>) -> tensor<1xi32>\n",
                val.name,
                val.ty()
            );
            parts.push(one);
        }
        let shape = self.name();
        let n = parts.len();
        self.text += &format!(
            "  {shape} = stablehlo.concatenate {}, dim = 0 : ({}) -> tensor<{n}xi32>\n",
            parts.join(", "),
            vec!["tensor<1xi32>"; n].join(", ")
        );
        shape
    }

    fn step(&mut self) {
        let a = self.some();
        let rank = a.dims.len();
        match self.dice.below(28) {
            0 | 1 => {
                let op = match self.dice.below(5) {
                    // Whether a number that is nearly whole is below or above is decided by
                    // rounding.
                    0 if a.exact => "floor",
                    0 | 1 => "tanh",
                    2 => "negate",
                    3 => "abs",
                    _ => "logistic",
                };
                let exact = a.exact && !matches!(op, "tanh" | "logistic");
                self.push(a.dims.clone(), exact, |r, ty| {
                    format!("{r} = stablehlo.{op} {} : {ty}", a.name)
                });
            }
            2 | 3 => {
                let b = self.same(&a.dims);
                let op = *self.dice.one(&["add", "multiply", "maximum", "subtract"]);
                self.push(a.dims.clone(), a.exact && b.exact, |r, ty| {
                    format!("{r} = stablehlo.{op} {}, {} : {ty}", a.name, b.name)
                });
            }
            4 | 5 if rank > 0 => {
                let (op, init) = *self.dice.one(&[("add", "%zero"), ("maximum", "%lowest")]);
                let all = self.dice.below(4) == 0;
                let axis = self.dice.below(rank);
                let reduced = |d: usize| all || d == axis;
                let kept = (0..rank)
                    .filter(|d| !reduced(*d))
                    .map(|d| a.dims[d].clone())
                    .collect();
                let axes: Vec<usize> = (0..rank).filter(|d| reduced(*d)).collect();
                let exact = a.exact && op == "maximum";
                let sum = self.push(kept, exact, |r, ty| {
                    format!(
                        "{r} = stablehlo.reduce({} init: {init}) applies stablehlo.{op} across dimensions = {axes:?} : ({}, tensor<f32>) -> {ty}",
                        a.name,
                        a.ty()
                    )
                });
                // Often back to where it came from, as in a softmax.
                if self.dice.below(3) > 0 {
                    let dims: Vec<usize> = (0..rank).filter(|d| !axes.contains(d)).collect();
                    let shape = self.shape_of(&a);
                    let back = self.push(a.dims.clone(), sum.exact, |r, ty| {
                        format!(
                            "{r} = stablehlo.dynamic_broadcast_in_dim {}, {shape}, dims = {dims:?} : ({}, tensor<{rank}xi32>) -> {ty}",
                            sum.name,
                            sum.ty()
                        )
                    });
                    self.push(a.dims.clone(), a.exact && back.exact, |r, ty| {
                        format!("{r} = stablehlo.subtract {}, {} : {ty}", a.name, back.name)
                    });
                }
            }
            6 if rank > 0 => {
                let shape = self.shape_of(&a);
                self.push(a.dims.clone(), true, |r, ty| {
                    format!(
                        "{r} = stablehlo.dynamic_broadcast_in_dim %half, {shape}, dims = [] : (tensor<f32>, tensor<{rank}xi32>) -> {ty}"
                    )
                });
            }
            7 if rank == 2 => {
                let dims = vec![a.dims[1].clone(), a.dims[0].clone()];
                self.push(dims, a.exact, |r, ty| {
                    format!(
                        "{r} = stablehlo.transpose {}, dims = [1, 0] : ({}) -> {ty}",
                        a.name,
                        a.ty()
                    )
                });
            }
            8 | 9 if rank == 2 => {
                let (side, other) = (self.dice.below(2), self.dice.below(2));
                let fits: Vec<Val> = (self.values.iter())
                    .filter(|b| b.dims.len() == 2 && b.dims[other] == a.dims[side])
                    .cloned()
                    .collect();
                if fits.is_empty() || a.dims.iter().any(|size| size.contains(")(")) {
                    return;
                }
                let b = self.dice.one(&fits).clone();
                let dims = vec![a.dims[1 - side].clone(), b.dims[1 - other].clone()];
                self.push(dims, false, |r, ty| {
                    format!(
                        "{r} = stablehlo.dot_general {}, {}, contracting_dims = [{side}] x [{other}] : ({}, {}) -> {ty}",
                        a.name,
                        b.name,
                        a.ty(),
                        b.ty()
                    )
                });
            }
            10 if rank > 0 => {
                let axis = self.dice.below(rank);
                match self.dice.below(3) {
                    0 => {
                        self.push(a.dims.clone(), a.exact, |r, ty| {
                            format!("{r} = stablehlo.reverse {}, dims = [{axis}] : {ty}", a.name)
                        });
                    }
                    1 => self.padded(&a, axis),
                    _ => self.joined(&a, axis),
                }
            }
            11 if rank > 0 => {
                let axis = self.dice.below(rank);
                let shape = self.shape_of(&a);
                self.push(a.dims.clone(), true, |r, ty| {
                    format!(
                        "{r} = \"stablehlo.dynamic_iota\"({shape}) {{iota_dimension = {axis} : i64}} : (tensor<{rank}xi32>) -> {ty}"
                    )
                });
            }
            12 if rank > 0 => self.cumulative(&a),
            13 if rank == 2 && a.dims[1] == "21" => self.depthwise(&a),
            14 if rank > 0 && a.exact => self.place_of_greatest(&a),
            n @ 15..25 => self.larger(n, &a),
            n @ 25..27 => self.windows(n, &a),
            27 if rank > 0 => {
                let axis = self.dice.below(rank);
                self.rolled(&a, axis);
            }
            _ => {}
        }
    }

    /// With some elements more in front and behind.
    fn padded(&mut self, a: &Val, axis: usize) {
        let (low, high) = *self
            .dice
            .one(&[(1, 2), (1, 2), (0, 3), (3, 0), (0, 1), (2, 5)]);
        let mut dims = a.dims.clone();
        dims[axis] = match dims[axis].parse::<i64>() {
            Ok(n) => (n + low + high).to_string(),
            Err(_) => format!("({}+{})", dims[axis], low + high),
        };
        let at = |n: i64| {
            let list: Vec<String> = (0..a.dims.len())
                .map(|d| if d == axis { n } else { 0 }.to_string())
                .collect();
            list.join(", ")
        };
        let (low, high, none) = (at(low), at(high), at(0));
        self.push(dims, a.exact, |r, ty| {
            format!(
                "{r} = stablehlo.pad {}, %half, low = [{low}], high = [{high}], interior = [{none}] : ({}, tensor<f32>) -> {ty}",
                a.name,
                a.ty()
            )
        });
    }

    /// Together with values that have the same sizes along all other dimensions.
    fn joined(&mut self, a: &Val, axis: usize) {
        let fits = |v: &&Val| {
            let mut dims = v.dims.clone();
            dims.len() == a.dims.len() && {
                dims[axis].clone_from(&a.dims[axis]);
                dims == a.dims
            }
        };
        // The interpreter takes long where sizes are multiplied again and again.
        if a.dims[axis].len() > 16 {
            return;
        }
        let all: Vec<Val> = self.values.iter().filter(fits).cloned().collect();
        let mut parts = vec![a.clone()];
        for _ in 0..1 + self.dice.below(2) {
            parts.push(self.dice.one(&all).clone());
        }
        let sizes: Vec<&String> = parts.iter().map(|part| &part.dims[axis]).collect();
        let known: Option<i64> = sizes.iter().map(|size| size.parse::<i64>().ok()).sum();
        let mut dims = a.dims.clone();
        dims[axis] = match known {
            Some(n) => n.to_string(),
            None => {
                let mut sorted = sizes.clone();
                sorted.sort();
                let words: Vec<&str> = sorted.into_iter().map(String::as_str).collect();
                format!("({})", words.join("+"))
            }
        };
        let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
        let types: Vec<String> = parts.iter().map(Val::ty).collect();
        let exact = parts.iter().all(|part| part.exact);
        self.push(dims, exact, |r, ty| {
            format!(
                "{r} = stablehlo.concatenate {}, dim = {axis} : ({}) -> {ty}",
                names.join(", "),
                types.join(", ")
            )
        });
    }

    /// Sums, or the greatest so far, along a dimension, as JAX writes them where its size is known
    /// at run time only.
    fn cumulative(&mut self, a: &Val) {
        // The interpreter goes over all elements up to each.
        if a.dims.iter().any(|size| size.contains(")(")) {
            return;
        }
        let rank = a.dims.len();
        let axis = self.dice.below(rank);
        let reverse = self.dice.below(4) == 0;
        let (function, init) = *self
            .dice
            .one(&[("@sum", "%zero"), ("@greatest", "%lowest")]);
        let exact = a.exact && function == "@greatest";
        let (size, n, one, less) = (self.name(), self.name(), self.name(), self.name());
        let (ones, window) = (self.name(), self.name());
        let (zero, list, padding) = (self.name(), self.name(), self.name());
        let along = |n: &str, other: &str| -> String {
            let each = (0..rank).map(|d| if d == axis { n } else { other }.to_string());
            each.collect::<Vec<_>>().join(", ")
        };
        let mut pairs = vec![zero.clone(); 2 * rank];
        pairs[2 * axis + usize::from(reverse)] = less.clone();
        let list_of = |n: usize| vec!["tensor<1xi32>"; n].join(", ");
        self.text += &format!(
            "  {size} = stablehlo.get_dimension_size {x}, dim = {axis} : ({ty}) -> tensor<i32>
  {n} = stablehlo.reshape {size} : (tensor<i32>) -> tensor<1xi32>
  {one} = stablehlo.constant dense<1> : tensor<1xi32>
  {zero} = stablehlo.constant dense<0> : tensor<1xi32>
  {less} = stablehlo.subtract {n}, {one} : tensor<1xi32>
  {ones} = stablehlo.constant dense<1> : tensor<{rank}xi32>
  {window} = stablehlo.concatenate {list_n}, dim = 0 : ({of_rank}) -> tensor<{rank}xi32>
  {list} = stablehlo.concatenate {pairs}, dim = 0 : ({of_pairs}) -> tensor<{twice}xi32>
  {padding} = stablehlo.reshape {list} : (tensor<{twice}xi32>) -> tensor<{rank}x2xi32>\n",
            x = a.name,
            ty = a.ty(),
            list_n = along(&n, &one),
            of_rank = list_of(rank),
            pairs = pairs.join(", "),
            of_pairs = list_of(2 * rank),
            twice = 2 * rank,
        );
        self.push(a.dims.clone(), exact, |r, ty| {
            format!(
                "{r} = stablehlo.custom_call @stablehlo.dynamic_reduce_window({}, {init}, {window}, {ones}, {ones}, {ones}, {padding}) {{api_version = 2 : i32, called_computations = [{function}]}} : ({ty}, tensor<f32>, tensor<{rank}xi32>, tensor<{rank}xi32>, tensor<{rank}xi32>, tensor<{rank}xi32>, tensor<{rank}x2xi32>) -> {ty}",
                a.name
            )
        });
    }

    /// A convolution of each of 21 features by itself, along the rows.
    fn depthwise(&mut self, a: &Val) {
        let (low, dilation) = (self.dice.below(3), 1 + self.dice.below(2));
        let high = 2 * dilation - low.min(2 * dilation);
        let low = 2 * dilation - high;
        let (one, size, n, features, shape) = (
            self.name(),
            self.name(),
            self.name(),
            self.name(),
            self.name(),
        );
        let (image, numbers, kernel, found) = (self.name(), self.name(), self.name(), self.name());
        let three = ty_of(&["1".into(), a.dims[0].clone(), "21".into()], "f32");
        self.text += &format!(
            "  {one} = stablehlo.constant dense<1> : tensor<1xi32>
  {features} = stablehlo.constant dense<21> : tensor<1xi32>
  {size} = stablehlo.get_dimension_size {x}, dim = 0 : ({ty}) -> tensor<i32>
  {n} = stablehlo.reshape {size} : (tensor<i32>) -> tensor<1xi32>
  {shape} = stablehlo.concatenate {one}, {n}, {features}, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  {image} = stablehlo.dynamic_broadcast_in_dim {x}, {shape}, dims = [1, 2] : ({ty}, tensor<3xi32>) -> {three}
  {numbers} = stablehlo.iota dim = 0 : tensor<3x1x21xf32>
  {kernel} = stablehlo.cosine {numbers} : tensor<3x1x21xf32>
  {found} = stablehlo.convolution({image}, {kernel}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {{pad = [[{low}, {high}]], rhs_dilate = [{dilation}]}} {{batch_group_count = 1 : i64, feature_group_count = 21 : i64}} : ({three}, tensor<3x1x21xf32>) -> {three}\n",
            x = a.name,
            ty = a.ty(),
        );
        self.push(a.dims.clone(), false, |r, ty| {
            format!("{r} = stablehlo.reduce({found} init: %zero) applies stablehlo.add across dimensions = [0] : ({three}, tensor<f32>) -> {ty}")
        });
    }

    /// Where the greatest element is along a dimension, as JAX writes it.
    fn place_of_greatest(&mut self, a: &Val) {
        let rank = a.dims.len();
        let axis = self.dice.below(rank);
        let shape = self.shape_of(a);
        let (numbers, first, both) = (self.name(), self.name(), self.name());
        let of_ints = ty_of(&a.dims, "i32");
        let mut kept = a.dims.clone();
        kept.remove(axis);
        let (floats, ints) = (ty_of(&kept, "f32"), ty_of(&kept, "i32"));
        self.text += &format!(
            "  {numbers} = stablehlo.dynamic_iota {shape}, dim = {axis} : (tensor<{rank}xi32>) -> {of_ints}
  {first} = stablehlo.constant dense<0> : tensor<i32>
  {both}:2 = stablehlo.reduce({x} init: %lowest), ({numbers} init: {first}) across dimensions = [{axis}] : ({ty}, {of_ints}, tensor<f32>, tensor<i32>) -> ({floats}, {ints})
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {{
    %0 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %1 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.or %0, %1 : tensor<i1>
    %3 = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.and %3, %4 : tensor<i1>
    %6 = stablehlo.or %2, %5 : tensor<i1>
    %7 = stablehlo.select %2, %a, %b : tensor<i1>, tensor<f32>
    %8 = stablehlo.select %6, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %7, %8 : tensor<f32>, tensor<i32>
  }}\n",
            x = a.name,
            ty = a.ty(),
        );
        self.push(kept, true, |r, ty| {
            format!("{r} = stablehlo.convert {both}#1 : ({ints}) -> {ty}")
        });
    }

    pub fn program(mut self, steps: usize) -> String {
        for _ in 0..steps {
            self.step();
        }
        let count = 1 + self.dice.below(3);
        let outputs: Vec<Val> = self.values.iter().rev().take(count).cloned().collect();
        let names: Vec<&str> = outputs.iter().map(|v| v.name.as_str()).collect();
        let types: Vec<String> = outputs.iter().map(Val::ty).collect();
        format!(
            "func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {{
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}}
func.func private @greatest(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {{
  %0 = stablehlo.maximum %a, %b : tensor<f32>
  return %0 : tensor<f32>
}}
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %w: tensor<?x21xf32>, %v: tensor<?xf32>, %z: tensor<?x?x4xf32>) -> ({}) {{\n{}  return {} : {}\n}}\n",
            types.join(", "),
            self.text,
            names.join(", "),
            types.join(", ")
        )
    }
}
