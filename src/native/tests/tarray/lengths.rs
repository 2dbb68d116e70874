//! Random operations on what is as long as a list, and products.

use super::{
    generate::{Generator, MOST, Value},
    types::{Ty, array, count},
};

impl Generator {
    /// A loop in a loop down to the leaves of a nest, with a product there.
    pub fn nested(&mut self) {
        if self.depth > 0 {
            return;
        }
        let found = self.pick(|ty| ty.levels().0.len() > 1);
        let x = match found {
            Some(x) => x,
            None => {
                let ty = [3, 2, 3]
                    .into_iter()
                    .fold(Ty::Tensor("i32", vec![2]), array);
                self.constant(&ty)
            }
        };
        self.each_leaf(x, 1);
    }

    fn each_leaf(&mut self, x: Value, rounds: i64) -> Value {
        let Ty::Array(inner, max) = x.ty.clone() else {
            return x;
        };
        let rounds = rounds * max.max(1);
        let e = self.argument((*inner).clone());
        let line = self.begin(format!(
            "tarray.parallel_foreach ({} in {} : {})",
            e.name, x.name, x.ty
        ));
        let types = self.body(std::slice::from_ref(&e), 1, |this| {
            if matches!(*inner, Ty::Array(..)) {
                return vec![this.each_leaf(e.clone(), rounds)];
            }
            this.product();
            vec![this.element(rounds)]
        });
        self.end(line, types.into_iter().map(|ty| array(ty, max)).collect());
        self.scope[self.scope.len() - 1].clone()
    }

    /// A vector or matrix of integers times a matrix.
    pub fn product(&mut self) {
        let found = self.pick(|ty| {
            ty.tensor().is_some_and(|(element, shape)| {
                !matches!(element, "i1" | "f32") && matches!(shape.len(), 1 | 2)
            })
        });
        let Some(x) = found else { return };
        let Ty::Tensor(element, shape) = x.ty.clone() else {
            return;
        };
        let Some((inner, outer)) = shape.split_last() else {
            return;
        };
        let columns = self.rng.i64(1..4);
        let factor = self.value_of_type(&Ty::Tensor(element, vec![*inner, columns]));
        let ty = Ty::Tensor(element, [outer, &[columns]].concat());
        if count(&[outer, &[columns]].concat()) > MOST {
            return;
        }
        let text = format!(
            "stablehlo.dot_general {}, {}, contracting_dims = [{}] x [0] : ({}, {}) -> {ty}",
            x.name,
            factor.name,
            outer.len(),
            x.ty,
            factor.ty
        );
        self.op(&text, ty);
    }

    /// A Tensor with as many slices as an array has elements, and an array of what comes of them.
    pub fn by_length(&mut self) {
        let (x, of_x, max) = self.some_array(true);
        let Ty::Tensor(element, shape) = of_x.clone() else {
            return;
        };
        let sizes: String = shape.iter().map(|size| format!("x{size}")).collect();
        let sizes = format!("?{sizes}x{element}");
        let ty = format!("tensor<{sizes}>");
        let mut name = self.fresh();
        self.line(format!(
            "{name} = tarray.stack {} dim = 0 : {}",
            x.name, x.ty
        ));
        for _ in 0..self.rng.usize(0..3) {
            let next = self.fresh();
            match self.rng.usize(0..4) {
                0 => {
                    self.line(format!("{next} = stablehlo.maximum {name}, {name} : {ty}"));
                }
                1 => {
                    let other = self.value_of_type(&Ty::Tensor(element, vec![]));
                    self.line(format!(
                        "{next} = tarray.parallel_foreach (%e in {name} : {ty}) {{"
                    ));
                    let scalar = format!("tensor<{element}>");
                    self.line(format!(
                        "  %0 = stablehlo.minimum %e, {} : {scalar}",
                        other.name
                    ));
                    self.line(format!("  tarray.yield %0 : {scalar}"));
                    self.line("}".into());
                }
                2 if shape.len() == 1 && !matches!(element, "i1" | "f32") => {
                    // Each element with each other one, and with all of them again.
                    let pairs = self.fresh();
                    let square = format!("tensor<?x?x{element}>");
                    self.line(format!(
                        "{pairs} = stablehlo.dot_general {name}, {name}, contracting_dims = [1] x [1] : ({ty}, {ty}) -> {square}"
                    ));
                    self.line(format!(
                        "{next} = stablehlo.dot_general {pairs}, {name}, contracting_dims = [1] x [0] : ({square}, {ty}) -> {ty}"
                    ));
                }
                _ if element != "i1" => {
                    let d = self.rng.usize(0..=shape.len());
                    let size = match d {
                        0 => String::from("?"),
                        d => shape[d - 1].to_string(),
                    };
                    let (line, scalar) = (
                        format!("tensor<{size}x{element}>"),
                        format!("tensor<{element}>"),
                    );
                    let first = self.value_of_type(&Ty::Tensor(element, vec![]));
                    for text in [
                        format!(
                            "{next} = tarray.apply_along_axis dim = {d} (%l in {name} : {ty}) {{"
                        ),
                        format!(
                            "  %m = tarray.reduce (%e in %l : {line}, %a = {} : {scalar}) {{",
                            first.name
                        ),
                        format!("    %0 = stablehlo.maximum %a, %e : {scalar}"),
                        format!("    tarray.yield %0 : {scalar}"),
                        "  }".into(),
                        format!(
                            "  %n = tarray.broadcast (%e in %l : {line}, %a = %m : {scalar}) {{"
                        ),
                        format!("    %0 = stablehlo.minimum %a, %e : {scalar}"),
                        format!("    tarray.yield %0 : {scalar}"),
                        "  }".into(),
                        format!("  tarray.yield %n : {line}"),
                        "}".into(),
                    ] {
                        self.line(text);
                    }
                }
                _ => continue,
            }
            name = next;
        }
        let most = match self.rng.usize(0..4) {
            0 => (max - 1).max(0),
            _ => max,
        };
        let text = format!("tarray.slices {name} dim = 0 max = {most} : {ty}");
        self.op(&text, array(of_x, most));
    }
}
