//! Steps with windows over run-time sizes, and rows taken in blocks.

use super::generate::{Dim, Generator, Val, ty_of};

impl Generator {
    /// Step `kind` on a value, where it fits.
    pub fn windows(&mut self, kind: usize, a: &Val) {
        match kind {
            25 if !a.dims.is_empty() => self.windowed(a),
            26 if !a.dims.is_empty() => self.in_blocks(a),
            _ => {}
        }
    }

    /// Sums, or the greatest, of windows along one dimension or two, with padding.
    fn windowed(&mut self, a: &Val) {
        let rank = a.dims.len();
        let axis = self.dice.below(rank);
        let second = self.dice.below(2 * rank);
        let (op, init) =
            *self
                .dice
                .one(&[("add", "%zero"), ("maximum", "%lowest"), ("add", "%half")]);
        let (mut size, mut stride) = (vec![1i64; rank], vec![1i64; rank]);
        let (mut low, mut high) = (vec![0i64; rank], vec![0i64; rank]);
        let mut dims = a.dims.clone();
        for d in (0..rank).filter(|d| *d == axis || *d == second) {
            let n = 2 + self.dice.below(4) as i64;
            size[d] = n;
            low[d] = self.dice.below(n as usize) as i64;
            let same = self.dice.below(3) > 0;
            high[d] = if same {
                n - 1 - low[d]
            } else {
                // More than the window has, so that there is one for no elements, too.
                n - 1 - low[d] + 2
            };
            if !same && self.dice.below(2) == 0 {
                stride[d] = 2;
            }
            if !same {
                let (more, step) = (low[d] + high[d] - n, stride[d]);
                dims[d] = match a.dims[d].parse::<i64>() {
                    Ok(known) => ((known + more) / step + 1).to_string(),
                    Err(_) => format!("[({}+{more})/{step}+1]", a.dims[d]),
                };
            }
        }
        let (x, y, z) = (self.name(), self.name(), self.name());
        let list = |of: &[i64]| -> String {
            let all: Vec<String> = of.iter().map(ToString::to_string).collect();
            all.join(", ")
        };
        let pairs: Vec<String> = (0..rank)
            .map(|d| format!("[{}, {}]", low[d], high[d]))
            .collect();
        self.push(dims, a.exact && op == "maximum", |r, ty| {
            format!(
                "{r} = \"stablehlo.reduce_window\"({v}, {init}) <{{padding = dense<[{pairs}]> : tensor<{rank}x2xi64>, window_dimensions = array<i64: {size}>, window_strides = array<i64: {stride}>}}> ({{
  ^bb0({x}: tensor<f32>, {y}: tensor<f32>):
    {z} = stablehlo.{op} {x}, {y} : tensor<f32>
    stablehlo.return {z} : tensor<f32>
  }}) : ({of}, tensor<f32>) -> {ty}",
                v = a.name,
                of = a.ty(),
                pairs = pairs.join(", "),
                size = list(&size),
                stride = list(&stride),
            )
        });
    }

    /// What is padded to a multiple of a number, in blocks of so many, as JAX computes the sizes;
    /// and the blocks' sums.
    fn in_blocks(&mut self, a: &Val) {
        let by = *self.dice.one(&[2i64, 4, 5, 32]);
        let [size, more, block, one, zero, quotient, rest] = [0; 7].map(|_| self.name());
        let [signs, other, differ, left, both, less, count] = [0; 7].map(|_| self.name());
        let [whole, high, scale] = [0; 3].map(|_| self.name());
        let (x, ty) = (&a.name, a.ty());
        self.text += &format!(
            "  {size} = stablehlo.get_dimension_size {x}, dim = 0 : ({ty}) -> tensor<i32>
  {more} = stablehlo.constant dense<{less_one}> : tensor<i32>
  {block} = stablehlo.constant dense<{by}> : tensor<i32>
  {one} = stablehlo.constant dense<1> : tensor<i32>
  {zero} = stablehlo.constant dense<0> : tensor<i32>
  {scale} = stablehlo.add {size}, {more} : tensor<i32>
  {quotient} = stablehlo.divide {scale}, {block} : tensor<i32>
  {signs} = stablehlo.sign {scale} : tensor<i32>
  {other} = stablehlo.sign {block} : tensor<i32>
  {differ} = stablehlo.compare NE, {signs}, {other}, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  {rest} = stablehlo.remainder {scale}, {block} : tensor<i32>
  {left} = stablehlo.compare NE, {rest}, {zero}, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  {both} = stablehlo.and {differ}, {left} : tensor<i1>
  {less} = stablehlo.subtract {quotient}, {one} : tensor<i32>
  {count} = stablehlo.select {both}, {less}, {quotient} : tensor<i1>, tensor<i32>
  {whole} = stablehlo.multiply {count}, {block} : tensor<i32>
  {high} = stablehlo.subtract {whole}, {size} : tensor<i32>\n",
            less_one = by - 1,
        );
        let rank = a.dims.len();
        let (rounded, blocks): (Dim, Dim) = match a.dims[0].parse::<i64>() {
            Ok(n) => (
                ((n + by - 1) / by * by).to_string(),
                ((n + by - 1) / by).to_string(),
            ),
            Err(_) => (
                format!("[({}+{})/{by}*{by}]", a.dims[0], by - 1),
                format!("[({}+{})/{by}]", a.dims[0], by - 1),
            ),
        };
        let none = self.name();
        self.text += &format!("  {none} = stablehlo.constant dense<0> : tensor<{rank}xi32>\n");
        let (first, behind) = (self.name(), self.name());
        self.text +=
            &format!("  {first} = stablehlo.reshape {high} : (tensor<i32>) -> tensor<1xi32>\n");
        match rank {
            1 => {
                self.text += &format!(
                    "  {behind} = stablehlo.reshape {first} : (tensor<1xi32>) -> tensor<1xi32>\n"
                );
            }
            _ => {
                let others = self.name();
                self.text += &format!(
                    "  {others} = stablehlo.constant dense<0> : tensor<{k}xi32>
  {behind} = stablehlo.concatenate {first}, {others}, dim = 0 : (tensor<1xi32>, tensor<{k}xi32>) -> tensor<{rank}xi32>\n",
                    k = rank - 1
                );
            }
        }
        let mut dims = a.dims.clone();
        dims[0] = rounded;
        let padded = self.push(dims, a.exact, |r, own| {
            format!(
                "{r} = stablehlo.dynamic_pad {x}, %half, {none}, {behind}, {none} : ({ty}, tensor<f32>, tensor<{rank}xi32>, tensor<{rank}xi32>, tensor<{rank}xi32>) -> {own}"
            )
        });
        let sizes = self.shape_of(&padded);
        let (number, of_block, rows, shape) = (self.name(), self.name(), self.name(), self.name());
        self.text += &format!(
            "  {number} = stablehlo.reshape {count} : (tensor<i32>) -> tensor<1xi32>
  {of_block} = stablehlo.reshape {block} : (tensor<i32>) -> tensor<1xi32>
  {rows} = stablehlo.slice {sizes} [1:{rank}] : (tensor<{rank}xi32>) -> tensor<{k}xi32>
  {shape} = stablehlo.concatenate {number}, {of_block}, {rows}, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<{k}xi32>) -> tensor<{more}xi32>\n",
            k = rank - 1,
            more = rank + 1,
        );
        let mut split = vec![blocks.clone(), by.to_string()];
        split.extend(a.dims[1..].iter().cloned());
        let split = self.push(split, a.exact, |r, own| {
            format!(
                "{r} = stablehlo.dynamic_reshape {}, {shape} : ({}, tensor<{more}xi32>) -> {own}",
                padded.name,
                padded.ty(),
                more = rank + 1
            )
        });
        let kept: Vec<Dim> = [&[blocks], &a.dims[1..]].concat();
        let of = ty_of(&split.dims, "f32");
        self.push(kept, false, |r, own| {
            format!("{r} = stablehlo.reduce({} init: %zero) applies stablehlo.add across dimensions = [1] : ({of}, tensor<f32>) -> {own}", split.name)
        });
    }
}
