//! Random maps whose results and constraints are made of the same digits: what one of them makes
//! known must not decide how another one is written.

use super::Random;
use mapwright_indexing::{Expr, IndexingMap, Interval, Op, Variable, c, d, s};

const FACTORS: [i64; 12] = [2, 2, 3, 4, 5, 6, 7, 8, 3, 12, 16, 10];

fn product(r: &mut Random, most: usize) -> i64 {
    (0..r.below(most + 1)).map(|_| r.pick(&FACTORS)).product()
}

fn offset(r: &mut Random, e: Expr) -> Expr {
    Expr::raw(Op::Add, e, c(r.pick(&[1, -1, 2, 5, -6, 11])))
}

/// What expressions of one map are made of.
struct Scope {
    variables: Vec<Expr>,
    forms: Vec<Expr>,
}

impl Scope {
    fn variable(&self, r: &mut Random) -> Expr {
        self.variables[r.below(self.variables.len())].clone()
    }

    fn form(&self, r: &mut Random) -> Expr {
        self.forms[r.below(self.forms.len())].clone()
    }

    /// A variable, or a digit of one of the forms.
    fn leaf(&self, r: &mut Random) -> Expr {
        if r.chance(30) {
            return self.variable(r);
        }
        let mut e = self.form(r);
        if r.chance(15) {
            e = offset(r, e);
        }
        if r.chance(60) {
            e = Expr::raw(Op::FloorDiv, e, c(product(r, 2).max(2)));
        }
        if r.chance(60) {
            e = Expr::raw(Op::Mod, e, c(product(r, 1).max(2)));
        }
        e
    }

    fn sum(&self, r: &mut Random) -> Expr {
        let mut e: Option<Expr> = None;
        for _ in 0..1 + r.below(4) {
            let mut x = self.leaf(r);
            if r.chance(70) {
                x = Expr::raw(Op::Mul, x, c(product(r, 2) * r.pick(&[1, 1, 1, -1])));
            }
            e = Some(match e {
                None => x,
                Some(e) => Expr::raw(Op::Add, e, x),
            });
        }
        let e = e.unwrap_or_else(|| c(0));
        if r.chance(20) { offset(r, e) } else { e }
    }

    /// A sum of variables.
    fn linear(&self, r: &mut Random) -> Expr {
        let mut e = Expr::raw(Op::Mul, self.variable(r), c(product(r, 2)));
        for _ in 0..r.below(3) {
            let factor = product(r, 2) * r.pick(&[1, 1, 1, -1]);
            e = Expr::raw(Op::Add, e, Expr::raw(Op::Mul, self.variable(r), c(factor)));
        }
        if r.chance(20) { offset(r, e) } else { e }
    }

    fn result(&self, r: &mut Random) -> Expr {
        let e = self.sum(r);
        if r.chance(60) {
            return e;
        }
        let op = r.pick(&[Op::FloorDiv, Op::Mod]);
        let e = Expr::raw(op, e, c(product(r, 2).max(2)));
        if r.chance(70) {
            return e;
        }
        let scaled = Expr::raw(Op::Mul, e, c(product(r, 1)));
        Expr::raw(Op::Add, scaled, self.leaf(r))
    }
}

/// A map of one to four variables, one to three results and up to three constraints.
pub fn map(r: &mut Random) -> IndexingMap {
    let count = 1 + r.below(4);
    let dims = if r.chance(60) {
        count
    } else {
        r.below(count + 1)
    };
    let mut scope = Scope {
        variables: (0..count)
            .map(|i| if i < dims { d(i) } else { s(i - dims) })
            .collect(),
        forms: Vec::new(),
    };
    for _ in 0..1 + r.below(3) {
        let form = if scope.forms.is_empty() || r.chance(60) {
            scope.linear(r)
        } else {
            scope.sum(r)
        };
        scope.forms.push(form);
    }
    let results: Vec<Expr> = (0..1 + r.below(3)).map(|_| scope.result(r)).collect();
    let mut map = IndexingMap::from_dims(&vec![1; dims], results);
    for i in 0..count {
        let size = if r.chance(50) {
            product(r, 2).max(2)
        } else {
            2 + r.below(14) as i64
        };
        let lower = if r.chance(15) {
            -(r.below(9) as i64)
        } else {
            0
        };
        let interval = Interval::new(lower, lower + size - 1);
        match map.dims_mut().get_mut(i) {
            Some(v) => v.interval = interval,
            None => drop(map.push_range(Variable::new(interval))),
        }
    }
    for _ in 0..r.pick(&[0, 0, 1, 1, 2, 3]) {
        let e = match r.below(10) {
            0..4 => scope.sum(r),
            4..6 => Expr::raw(Op::Mod, scope.form(r), c(product(r, 2).max(2))),
            6..8 => scope.form(r),
            _ => scope.result(r),
        };
        let lower = r.pick(&[0, 0, 0, 1, -3, 2, 5]);
        let upper = lower + r.pick(&[0, 1, 3, 7, 11, 30, 100, 400]);
        map = map.with_constraint(e, Interval::new(lower, upper));
    }
    map
}
