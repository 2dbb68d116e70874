//! Steps of several operations, as models have them: attention, loops, slices, other element types,
//! sorting, gathering.

use super::generate::{Dim, Generator, Val, ty_of};

impl Generator {
    /// Step `kind` on a value, where it fits.
    pub fn larger(&mut self, kind: usize, a: &Val) {
        let rank = a.dims.len();
        match kind {
            15 | 16 if rank == 2 => self.attention(a, kind == 15),
            17 if rank > 0 => {
                self.softmax(a);
            }
            18 => self.chosen(a),
            19 if rank > 0 => self.loop_of(a),
            20 if rank > 0 => self.second_half(a),
            21 => self.in_another_type(a),
            22 if rank > 0 => self.sorted(a),
            23 if rank > 0 => self.gathered(a),
            24 if rank > 1 => self.flattened(a),
            _ => {}
        }
    }

    /// `value` in the shape of a value of these dimensions; `dims`: which of them it has.
    fn spread(&mut self, value: &Val, dims: &[usize], of: &Val) -> Val {
        let shape = self.shape_of(of);
        let rank = of.dims.len();
        self.push(of.dims.clone(), value.exact, |r, ty| {
            format!(
                "{r} = stablehlo.dynamic_broadcast_in_dim {}, {shape}, dims = {dims:?} : ({}, tensor<{rank}xi32>) -> {ty}",
                value.name,
                value.ty()
            )
        })
    }

    fn reduced(&mut self, a: &Val, op: &str, init: &str) -> Val {
        let axis = a.dims.len() - 1;
        let mut dims = a.dims.clone();
        dims.pop();
        self.push(dims, a.exact && op == "maximum", |r, ty| {
            format!(
                "{r} = stablehlo.reduce({} init: {init}) applies stablehlo.{op} across dimensions = [{axis}] : ({}, tensor<f32>) -> {ty}",
                a.name,
                a.ty()
            )
        })
    }

    fn binary(&mut self, op: &str, a: &Val, b: &Val) -> Val {
        self.push(
            a.dims.clone(),
            a.exact && b.exact && op != "divide",
            |r, ty| format!("{r} = stablehlo.{op} {}, {} : {ty}", a.name, b.name),
        )
    }

    fn unary(&mut self, op: &str, a: &Val) -> Val {
        self.push(a.dims.clone(), a.exact && op == "negate", |r, ty| {
            format!("{r} = stablehlo.{op} {} : {ty}", a.name)
        })
    }

    /// Along the last dimension.
    fn softmax(&mut self, a: &Val) -> Val {
        let kept: Vec<usize> = (0..a.dims.len() - 1).collect();
        let greatest = self.reduced(a, "maximum", "%lowest");
        let greatest = self.spread(&greatest, &kept, a);
        let below = self.binary("subtract", a, &greatest);
        let exponential = self.unary("exponential", &below);
        let sum = self.reduced(&exponential, "add", "%zero");
        let sum = self.spread(&sum, &kept, a);
        self.binary("divide", &exponential, &sum)
    }

    /// Queries, keys of another value of as many features (or the same), and values of as many rows
    /// as there are keys.
    fn attention(&mut self, queries: &Val, masked: bool) {
        let keys = self
            .matching(1, &queries.dims[1])
            .unwrap_or(queries.clone());
        let Some(values) = self.matching(0, &keys.dims[0]) else {
            return;
        };
        // The interpreter takes long for all pairs of so many rows.
        let many = |v: &Val| v.dims.iter().any(|size| size.contains(")("));
        if many(queries) || many(&keys) {
            return;
        }
        let dims = vec![queries.dims[0].clone(), keys.dims[0].clone()];
        let tanh = self.unary("tanh", &keys);
        let mut scores = self.push(dims, false, |r, ty| {
            format!(
                "{r} = stablehlo.dot_general {}, {}, contracting_dims = [1] x [1] : ({}, {}) -> {ty}",
                queries.name,
                tanh.name,
                queries.ty(),
                tanh.ty()
            )
        });
        if masked {
            let shape = self.shape_of(&scores);
            let (i, j, c) = (self.name(), self.name(), self.name());
            let (ints, bits) = (ty_of(&scores.dims, "i32"), ty_of(&scores.dims, "i1"));
            self.text += &format!(
                "  {i} = stablehlo.dynamic_iota {shape}, dim = 0 : (tensor<2xi32>) -> {ints}
  {j} = stablehlo.dynamic_iota {shape}, dim = 1 : (tensor<2xi32>) -> {ints}
  {c} = stablehlo.compare GE, {i}, {j} : ({ints}, {ints}) -> {bits}\n"
            );
            let half = Val {
                name: "%half".into(),
                dims: Vec::new(),
                exact: true,
            };
            let other = self.spread(&half, &[], &scores);
            scores = self.push(scores.dims.clone(), false, |r, ty| {
                format!(
                    "{r} = stablehlo.select {c}, {}, {} : {bits}, {ty}",
                    scores.name, other.name
                )
            });
        }
        let weights = self.softmax(&scores);
        let dims = vec![queries.dims[0].clone(), values.dims[1].clone()];
        self.push(dims, false, |r, ty| {
            format!(
                "{r} = stablehlo.dot_general {}, {}, contracting_dims = [1] x [0] : ({}, {}) -> {ty}",
                weights.name,
                values.name,
                weights.ty(),
                values.ty()
            )
        });
    }

    /// A matrix with this size in dimension `d`.
    fn matching(&mut self, d: usize, size: &Dim) -> Option<Val> {
        let all: Vec<Val> = (self.values.iter())
            .filter(|v| v.dims.len() == 2 && v.dims[d] == *size)
            .cloned()
            .collect();
        if all.is_empty() {
            None
        } else {
            Some(self.dice.one(&all).clone())
        }
    }

    /// One of two values, by a comparison of numbers that every implementation has alike.
    fn chosen(&mut self, a: &Val) {
        if !a.exact {
            return;
        }
        let (b, c) = (self.same(&a.dims), self.same(&a.dims));
        if !b.exact {
            return;
        }
        let bits = ty_of(&a.dims, "i1");
        let condition = self.name();
        self.text += &format!(
            "  {condition} = stablehlo.compare LT, {}, {}, FLOAT : ({}, {}) -> {bits}\n",
            a.name,
            b.name,
            a.ty(),
            b.ty()
        );
        self.push(a.dims.clone(), c.exact, |r, ty| {
            format!(
                "{r} = stablehlo.select {condition}, {}, {} : {bits}, {ty}",
                a.name, c.name
            )
        });
    }

    /// A loop that carries a value of run-time size.
    fn loop_of(&mut self, a: &Val) {
        let b = self.same(&a.dims);
        let rounds = 1 + self.dice.below(4);
        let (count, none, end, one) = (self.name(), self.name(), self.name(), self.name());
        let both = self.name();
        let ty = a.ty();
        self.text += &format!(
            "  {none} = stablehlo.constant dense<0> : tensor<i32>
  {end} = stablehlo.constant dense<{rounds}> : tensor<i32>
  {one} = stablehlo.constant dense<1> : tensor<i32>
  {both}:2 = stablehlo.while({count} = {none}, {count}x = {}) : tensor<i32>, {ty}
   cond {{
    %c = stablehlo.compare LT, {count}, {end}, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }} do {{
    %n = stablehlo.add {count}, {one} : tensor<i32>
    %t = stablehlo.tanh {count}x : {ty}
    %s = stablehlo.subtract %t, {} : {ty}
    stablehlo.return %n, %s : tensor<i32>, {ty}
  }}\n",
            a.name, b.name
        );
        self.push(a.dims.clone(), false, |r, ty| {
            format!("{r} = stablehlo.negate {both}#1 : {ty}")
        });
    }

    /// What follows the first half along a dimension.
    fn second_half(&mut self, a: &Val) {
        let rank = a.dims.len();
        let axis = self.dice.below(rank);
        if a.dims[axis].parse::<i64>().is_ok() {
            return;
        }
        let shape = self.shape_of(a);
        let (two, half, zeros, ones) = (self.name(), self.name(), self.name(), self.name());
        let (mask, start) = (self.name(), self.name());
        let along: Vec<String> = (0..rank)
            .map(|d| i32::from(d == axis).to_string())
            .collect();
        let of = format!("tensor<{rank}xi32>");
        self.text += &format!(
            "  {two} = stablehlo.constant dense<2> : {of}
  {half} = stablehlo.divide {shape}, {two} : {of}
  {mask} = stablehlo.constant dense<[{}]> : {of}
  {start} = stablehlo.multiply {half}, {mask} : {of}
  {ones} = stablehlo.constant dense<1> : {of}
  {zeros} = stablehlo.constant dense<0> : {of}\n",
            along.join(", ")
        );
        let mut dims = a.dims.clone();
        dims[axis] = format!("half({})", dims[axis]);
        self.push(dims, a.exact, |r, ty| {
            format!(
                "{r} = stablehlo.real_dynamic_slice {}, {start}, {shape}, {ones} : ({}, {of}, {of}, {of}) -> {ty}",
                a.name,
                a.ty()
            )
        });
    }

    /// Computed in another type, whose numbers are those of `f32` or fewer.
    fn in_another_type(&mut self, a: &Val) {
        let (there, other) = (self.name(), self.name());
        let (element, op, exact) = match self.dice.below(4) {
            // Whole numbers of a range that every integer has.
            0 | 1 if a.exact => {
                let whole = self.push(a.dims.clone(), true, |r, ty| {
                    format!(
                        "{r} = stablehlo.clamp %lower, {}, %upper : (tensor<f32>, {ty}, tensor<f32>) -> {ty}",
                        a.name
                    )
                });
                return self.whole(&whole);
            }
            2 => ("f64", "multiply", false),
            _ => ("f64", "add", false),
        };
        let ty = ty_of(&a.dims, element);
        self.text += &format!(
            "  {there} = stablehlo.convert {} : ({}) -> {ty}
  {other} = stablehlo.{op} {there}, {there} : {ty}\n",
            a.name,
            a.ty()
        );
        self.push(a.dims.clone(), exact, |r, back| {
            format!("{r} = stablehlo.convert {other} : ({ty}) -> {back}")
        });
    }

    fn whole(&mut self, a: &Val) {
        let (there, other) = (self.name(), self.name());
        let element = *self.dice.one(&["i32", "i8", "ui16", "i64"]);
        let op = *self.dice.one(&["add", "xor", "multiply", "maximum"]);
        let (ty, ints) = (ty_of(&a.dims, element), ty_of(&a.dims, "i32"));
        let (abs, first) = (self.name(), self.name());
        self.text += &format!(
            "  {abs} = stablehlo.abs {} : {}
  {first} = stablehlo.convert {abs} : ({}) -> {ints}
  {there} = stablehlo.convert {first} : ({ints}) -> {ty}
  {other} = stablehlo.{op} {there}, {there} : {ty}\n",
            a.name,
            a.ty(),
            a.ty()
        );
        self.push(a.dims.clone(), true, |r, back| {
            format!("{r} = stablehlo.convert {other} : ({ty}) -> {back}")
        });
    }

    /// Sorted along a dimension.
    fn sorted(&mut self, a: &Val) {
        let axis = self.dice.below(a.dims.len());
        let found = self.name();
        self.text += &format!(
            "  {found} = \"stablehlo.sort\"({}) <{{dimension = {axis} : i64, is_stable = true}}> ({{
   ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }}) : ({ty}) -> {ty}\n",
            a.name,
            ty = a.ty()
        );
        self.push(a.dims.clone(), a.exact, |r, ty| {
            format!("{r} = stablehlo.negate {found} : {ty}")
        });
    }

    /// Rows by numbers that are computed: from the end, two of each, or beyond the last one.
    fn gathered(&mut self, a: &Val) {
        let rank = a.dims.len();
        // There is a row to be gathered, whatever the sizes are.
        if !a.dims[0].ends_with("+3)") {
            return;
        }
        let sizes = self.shape_of(a);
        let (first, numbers, two, index) = (self.name(), self.name(), self.name(), self.name());
        let (one, slice, rest) = (self.name(), self.name(), self.name());
        let ints = ty_of(&a.dims[..1], "i32");
        let op = *self.dice.one(&["divide", "multiply", "subtract"]);
        self.text += &format!(
            "  {first} = stablehlo.slice {sizes} [0:1] : (tensor<{rank}xi32>) -> tensor<1xi32>
  {numbers} = stablehlo.dynamic_iota {first}, dim = 0 : (tensor<1xi32>) -> {ints}
  {two} = stablehlo.constant dense<2> : tensor<i32>
  {two}s = stablehlo.dynamic_broadcast_in_dim {two}, {first}, dims = [] : (tensor<i32>, tensor<1xi32>) -> {ints}
  {index} = stablehlo.{op} {numbers}, {two}s : {ints}
  {one} = stablehlo.constant dense<1> : tensor<1xi32>\n"
        );
        if rank > 1 {
            self.text += &format!(
                "  {rest} = stablehlo.slice {sizes} [1:{rank}] : (tensor<{rank}xi32>) -> tensor<{}xi32>
  {slice} = stablehlo.concatenate {one}, {rest}, dim = 0 : (tensor<1xi32>, tensor<{}xi32>) -> tensor<{rank}xi32>\n",
                rank - 1,
                rank - 1
            );
        } else {
            self.text += &format!("  {slice} = stablehlo.multiply {one}, {one} : tensor<1xi32>\n");
        }
        let offsets: Vec<usize> = (1..rank).collect();
        self.push(a.dims.clone(), a.exact, |r, ty| {
            format!(
                "{r} = \"stablehlo.dynamic_gather\"({}, {index}, {slice}) <{{dimension_numbers = #stablehlo.gather<offset_dims = {offsets:?}, collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}}> : ({}, {ints}, tensor<{rank}xi32>) -> {ty}",
                a.name,
                a.ty()
            )
        });
    }

    /// The first two dimensions as one.
    fn flattened(&mut self, a: &Val) {
        let rank = a.dims.len();
        let shape = self.shape_of(a);
        let (one, two, both, all) = (self.name(), self.name(), self.name(), self.name());
        self.text += &format!(
            "  {one} = stablehlo.slice {shape} [0:1] : (tensor<{rank}xi32>) -> tensor<1xi32>
  {two} = stablehlo.slice {shape} [1:2] : (tensor<{rank}xi32>) -> tensor<1xi32>
  {both} = stablehlo.multiply {one}, {two} : tensor<1xi32>\n"
        );
        if rank > 2 {
            let rest = self.name();
            let more = rank - 2;
            self.text += &format!(
                "  {rest} = stablehlo.slice {shape} [2:{rank}] : (tensor<{rank}xi32>) -> tensor<{more}xi32>
  {all} = stablehlo.concatenate {both}, {rest}, dim = 0 : (tensor<1xi32>, tensor<{more}xi32>) -> tensor<{}xi32>\n",
                rank - 1
            );
        } else {
            self.text +=
                &format!("  {all} = stablehlo.reshape {both} : (tensor<1xi32>) -> tensor<1xi32>\n");
        }
        let size = match (a.dims[0].parse::<i64>(), a.dims[1].parse::<i64>()) {
            (Ok(x), Ok(y)) => (x * y).to_string(),
            _ => format!("({})({})", a.dims[0], a.dims[1]),
        };
        let mut dims = vec![size];
        dims.extend(a.dims[2..].iter().cloned());
        self.push(dims, a.exact, |r, ty| {
            format!(
                "{r} = stablehlo.dynamic_reshape {}, {all} : ({}, tensor<{}xi32>) -> {ty}",
                a.name,
                a.ty(),
                rank - 1
            )
        });
    }
}
