//! Maps into linear buffers: from an index to a place, and whether that is `offset + sum(stride_k * d_k)`.

use mapwright_indexing::{Expr, ExprKind, IndexingMap, Op, c};

/// A sum of terms: coefficients of atoms (variables, quotients, remainders), and a constant.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    /// Coefficient and atom; every atom once.
    pub terms: Vec<(i64, Expr)>,
    /// The constant.
    pub constant: i64,
}

impl Sum {
    /// The constant that makes the other of this one: `other = self + constant`, if there is one.
    pub fn shift_to(&self, other: &Self) -> Option<i64> {
        let same = self.terms.len() == other.terms.len()
            && self.terms.iter().all(|term| other.terms.contains(term));
        if same {
            other.constant.checked_sub(self.constant)
        } else {
            None
        }
    }
}

/// Takes an expression apart into a sum; `None` if a coefficient is beyond 64 bits.
pub fn sum(expr: &Expr) -> Option<Sum> {
    let mut found = Sum::default();
    let mut stack = vec![(1i64, expr.clone())];
    while let Some((factor, expr)) = stack.pop() {
        match expr.kind() {
            ExprKind::Constant(v) => {
                found.constant = found.constant.checked_add(factor.checked_mul(*v)?)?
            }
            ExprKind::Binary(Op::Add, a, b) => {
                stack.push((factor, b.clone()));
                stack.push((factor, a.clone()));
            }
            ExprKind::Binary(Op::Mul, a, b) if b.as_constant().is_some() => {
                stack.push((factor.checked_mul(b.as_constant()?)?, a.clone()));
            }
            _ => match found.terms.iter_mut().find(|(_, atom)| *atom == expr) {
                Some((coefficient, _)) => *coefficient = coefficient.checked_add(factor)?,
                None => found.terms.push((factor, expr)),
            },
        }
    }
    found.terms.retain(|(coefficient, _)| *coefficient != 0);
    Some(found)
}

/// The place of the element that a map leads to, in a row-major buffer of `sizes` (or with `strides` of its own).
pub fn place(map: &IndexingMap, strides: &[i64], offset: i64) -> IndexingMap {
    linear(map, strides, offset).simplify()
}

/// As [`place`], with all variables of the map.
pub fn linear(map: &IndexingMap, strides: &[i64], offset: i64) -> IndexingMap {
    let mut linear = c(offset);
    for (expr, stride) in map.results.iter().zip(strides) {
        linear = linear + expr.clone() * *stride;
    }
    let mut map = map.clone();
    map.results = vec![linear];
    map
}

/// A map with one result that is `offset + sum(stride_k * d_k) + sum(stride_j * rt_j)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Affine {
    /// The constant.
    pub offset: i64,
    /// Strides of the dimension variables.
    pub strides: Vec<i64>,
    /// Strides of the runtime variables.
    pub runtime: Vec<i64>,
}

/// The coefficients, if a map with one result is affine in its dimensions and runtime variables and nothing else.
pub fn affine(map: &IndexingMap) -> Option<Affine> {
    let [expr] = map.results.as_slice() else {
        return None;
    };
    let sum = sum(expr)?;
    let mut found = Affine {
        offset: sum.constant,
        strides: vec![0; map.dims.len()],
        runtime: vec![0; map.runtime.len()],
    };
    for (coefficient, atom) in &sum.terms {
        match atom.kind() {
            ExprKind::Dim(k) => *found.strides.get_mut(*k)? = *coefficient,
            ExprKind::Runtime(k) => *found.runtime.get_mut(*k)? = *coefficient,
            _ => return None,
        }
    }
    Some(found)
}
