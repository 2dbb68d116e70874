//! Pieces whose sizes no other tensor has.

use super::generate::{Generator, Val};

impl Generator {
    /// Turned round along a dimension of run-time size, as JAX's `roll` does it: two slices, which
    /// are put together; or one of them.
    pub fn rolled(&mut self, a: &Val, axis: usize) {
        if a.dims[axis].parse::<i64>().is_ok() {
            return;
        }
        let rank = a.dims.len();
        let shape = self.shape_of(a);
        let [size, number, safe, rest, less, more, s, at] = [(); 8].map(|()| self.name());
        let [start, middle, steps, nothing, one, by] = [(); 6].map(|()| self.name());
        let by_value = *self.dice.one(&[-5, -1, 2, 70]);
        let lists = |own: &str, of: &dyn Fn(usize) -> String| -> String {
            let all: Vec<String> = (0..rank)
                .map(|d| if d == axis { own.to_string() } else { of(d) })
                .collect();
            let types = vec!["tensor<1xi32>"; rank].join(", ");
            format!(
                "stablehlo.concatenate {}, dim = 0 : ({types}) -> tensor<{rank}xi32>",
                all.join(", ")
            )
        };
        let parts: Vec<String> = (0..rank).map(|_| self.name()).collect();
        for (d, part) in parts.iter().enumerate() {
            self.text += &format!(
                "  {part} = stablehlo.slice {shape} [{d}:{}] : (tensor<{rank}xi32>) -> tensor<1xi32>\n",
                d + 1
            );
        }
        let begin = lists(&at, &|_| nothing.clone());
        let end = lists(&at, &|d| parts[d].clone());
        self.text += &format!(
            "  {nothing} = stablehlo.constant dense<0> : tensor<1xi32>
  {one} = stablehlo.constant dense<1> : tensor<i32>
  {by} = stablehlo.constant dense<{by_value}> : tensor<i32>
  {size} = stablehlo.reshape {} : (tensor<1xi32>) -> tensor<i32>
  {safe} = stablehlo.maximum {size}, {one} : tensor<i32>
  {rest} = stablehlo.remainder {by}, {safe} : tensor<i32>
  {number} = stablehlo.constant dense<0> : tensor<i32>
  {less} = stablehlo.compare LT, {rest}, {number} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  {more} = stablehlo.add {rest}, {safe} : tensor<i32>
  {s} = stablehlo.select {less}, {more}, {rest} : tensor<i1>, tensor<i32>
  {at} = stablehlo.reshape {s} : (tensor<i32>) -> tensor<1xi32>
  {start} = {begin}
  {middle} = {end}
  {steps} = stablehlo.constant dense<1> : tensor<{rank}xi32>\n",
            parts[axis]
        );
        let origin = self.name();
        self.text += &format!("  {origin} = stablehlo.constant dense<0> : tensor<{rank}xi32>\n");
        let mut piece = |from: &str, to: &str| {
            let mut dims = a.dims.clone();
            dims[axis] = format!("piece{from}");
            let list = format!("tensor<{rank}xi32>");
            self.push(dims, a.exact, |r, ty| {
                format!(
                    "{r} = stablehlo.real_dynamic_slice {}, {from}, {to}, {steps} : ({}, {list}, {list}, {list}) -> {ty}",
                    a.name,
                    a.ty()
                )
            })
        };
        let last = piece(&start, &shape);
        let first = piece(&origin, &middle);
        if self.dice.below(4) == 0 {
            return;
        }
        self.push(a.dims.clone(), a.exact, |r, ty| {
            format!(
                "{r} = stablehlo.concatenate {}, {}, dim = {axis} : ({}, {}) -> {ty}",
                last.name,
                first.name,
                last.ty(),
                first.ty()
            )
        });
    }
}
