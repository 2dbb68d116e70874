//! The printer of the text form; `parse.rs` reads the same.

use crate::expr::{Expr, ExprKind, Op};
use crate::map::{IndexingMap, State};
use std::fmt::{self, Display, Formatter, Write};

/// The names under which the variables of a map are printed: the own name, or `d0…`, `s0…`, `rt0…`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    pub(crate) dims: Vec<String>,
    pub(crate) ranges: Vec<String>,
    pub(crate) runtime: Vec<String>,
}

impl Names {
    /// The names of a map's variables. A name that is taken already gets underscores, own names
    /// first.
    pub(crate) fn for_map(map: &IndexingMap) -> Names {
        let own: Vec<&str> = map
            .dims
            .iter()
            .map(|v| v.name.as_str())
            .chain(map.ranges.iter().map(|v| v.name.as_str()))
            .chain(map.runtime.iter().map(|v| v.name.as_str()))
            .collect();
        let all_unnamed = own.iter().all(|n| n.is_empty());
        let mut names: Vec<String> = Vec::with_capacity(own.len());
        let mut taken = rustc_hash::FxHashSet::default();
        let (nd, nr) = (map.dims.len(), map.ranges.len());
        let default = |i: usize| {
            if i < nd {
                format!("d{i}")
            } else if i < nd + nr {
                format!("s{}", i - nd)
            } else {
                format!("rt{}", i - nd - nr)
            }
        };
        if all_unnamed {
            names = (0..own.len()).map(default).collect();
        } else {
            names.resize(own.len(), String::new());
            for named in [true, false] {
                for (i, o) in own.iter().enumerate() {
                    if o.is_empty() == named {
                        continue;
                    }
                    let mut n = if named { (*o).to_string() } else { default(i) };
                    while !taken.insert(n.clone()) {
                        n.push('_');
                    }
                    names[i] = n;
                }
            }
        }
        let runtime = names.split_off(nd + nr);
        let ranges = names.split_off(nd);
        Names {
            dims: names,
            ranges,
            runtime,
        }
    }

    fn write(&self, kind: &ExprKind, out: &mut dyn Write) -> fmt::Result {
        let (list, letter, i) = match kind {
            ExprKind::Dim(i) => (&self.dims, "d", *i),
            ExprKind::Range(i) => (&self.ranges, "s", *i),
            ExprKind::Runtime(i) => (&self.runtime, "rt", *i),
            ExprKind::Constant(v) => return write!(out, "{v}"),
            ExprKind::Binary(..) => return Ok(()),
        };
        match list.get(i) {
            Some(name) => out.write_str(name),
            None => write!(out, "{letter}{i}"),
        }
    }
}

/// Binding of the place in which an expression is printed.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Anything may stand here.
    Sum,
    /// An operand of a product or a quotient: leaves only, everything else in parentheses.
    Factor,
}

enum Todo<'a> {
    Expr(&'a Expr, Place),
    Text(&'static str),
    Number(i128),
}

/// True for a negative constant whose magnitude can be read back.
fn subtractable(k: &i64) -> bool {
    *k < 0 && *k != i64::MIN
}

/// `(x, k)` if `e` is `x * -k` with `k > 0`, and a minus before `x` or `x * k` is read back as
/// that.
fn negative_product(e: &Expr) -> Option<(&Expr, i128)> {
    match e.kind() {
        ExprKind::Binary(Op::Mul, x, k) if x.as_constant().is_none() => k
            .as_constant()
            .filter(subtractable)
            .map(|k| (x, -(k as i128)))
            .filter(|(x, k)| *k != 1 || !takes_the_sign(x)),
        _ => None,
    }
}

/// True for a product with a constant: a minus before it goes into the constant when it is read.
fn takes_the_sign(e: &Expr) -> bool {
    match e.kind() {
        ExprKind::Binary(Op::Mul, _, k) => k.as_constant().is_some_and(|k| k != i64::MIN),
        _ => false,
    }
}

pub(crate) fn write_expr(expr: &Expr, names: &Names, out: &mut dyn Write) -> fmt::Result {
    use Todo::{Number, Text};
    // What is still to be written, last part first.
    let mut stack = vec![Todo::Expr(expr, Place::Sum)];
    while let Some(todo) = stack.pop() {
        let (e, place) = match todo {
            Text(t) => {
                out.write_str(t)?;
                continue;
            }
            Number(v) => {
                write!(out, "{v}")?;
                continue;
            }
            Todo::Expr(e, place) => (e, place),
        };
        let ExprKind::Binary(op, a, b) = e.kind() else {
            names.write(e.kind(), out)?;
            continue;
        };
        let (open, close) = match op {
            Op::Min => ("min(", ")"),
            Op::Max => ("max(", ")"),
            _ if place == Place::Factor => ("(", ")"),
            _ => ("", ""),
        };
        out.write_str(open)?;
        stack.push(Text(close));
        match op {
            Op::Min | Op::Max => {
                stack.push(Todo::Expr(b, Place::Sum));
                stack.push(Text(", "));
                stack.push(Todo::Expr(a, Place::Sum));
            }
            Op::Add => {
                if let Some(k) = b.as_constant().filter(subtractable) {
                    stack.push(Number(-(k as i128)));
                    stack.push(Text(" - "));
                } else if let Some((x, k)) = negative_product(b) {
                    if k != 1 {
                        stack.push(Number(k));
                        stack.push(Text(" * "));
                    }
                    stack.push(Todo::Expr(x, Place::Factor));
                    stack.push(Text(" - "));
                } else {
                    // A sum on the right keeps its parentheses, so that reading gives the same
                    // tree.
                    let place = if matches!(b.kind(), ExprKind::Binary(Op::Add, ..)) {
                        Place::Factor
                    } else {
                        Place::Sum
                    };
                    stack.push(Todo::Expr(b, place));
                    stack.push(Text(" + "));
                }
                stack.push(Todo::Expr(a, Place::Sum));
            }
            Op::Mul
                if b.as_constant() == Some(-1)
                    && a.as_constant().is_none()
                    && !takes_the_sign(a) =>
            {
                stack.push(Todo::Expr(a, Place::Factor));
                stack.push(Text("-"));
            }
            _ => {
                stack.push(Todo::Expr(b, Place::Factor));
                stack.push(Text(match op {
                    Op::Mul => " * ",
                    Op::FloorDiv => " floordiv ",
                    Op::CeilDiv => " ceildiv ",
                    _ => " mod ",
                }));
                stack.push(Todo::Expr(a, Place::Factor));
            }
        }
    }
    Ok(())
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_expr(self, &Names::default(), f)
    }
}

fn write_list(f: &mut Formatter<'_>, open: &str, names: &[String], close: &str) -> fmt::Result {
    f.write_str(open)?;
    for (i, n) in names.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        f.write_str(n)?;
    }
    f.write_str(close)
}

impl IndexingMap {
    /// The text of an expression over the variables of this map, by their names in its own text.
    pub fn text_of(&self, expr: &Expr) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = write_expr(expr, &Names::for_map(self), &mut text);
        text
    }

    /// The names of the dimension, range and runtime variables in the text of this map.
    pub fn names(&self) -> [Vec<String>; 3] {
        let Names {
            dims,
            ranges,
            runtime,
        } = Names::for_map(self);
        [dims, ranges, runtime]
    }
}

impl Display for IndexingMap {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.state() {
            State::Empty => return f.write_str("KNOWN EMPTY"),
            State::Unknown(_) | State::Incomplete(_) => return f.write_str("UNKNOWN"),
            State::Known => {}
        }
        let names = Names::for_map(self);
        write_list(f, "(", &names.dims, ")")?;
        if !names.ranges.is_empty() {
            write_list(f, "[", &names.ranges, "]")?;
        }
        if !names.runtime.is_empty() {
            write_list(f, "{", &names.runtime, "}")?;
        }
        f.write_str(" -> (")?;
        for (i, r) in self.results.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            write_expr(r, &names, f)?;
        }
        f.write_str(")")?;
        if !self.has_domain() {
            return Ok(());
        }
        f.write_str(", domain: ")?;
        let mut separator = "";
        for (name, interval) in names
            .dims
            .iter()
            .zip(self.dims.iter().map(|v| v.interval))
            .chain(
                names
                    .ranges
                    .iter()
                    .zip(self.ranges.iter().map(|v| v.interval)),
            )
            .chain(
                names
                    .runtime
                    .iter()
                    .zip(self.runtime.iter().map(|v| v.interval)),
            )
        {
            write!(f, "{separator}{name} in {interval}")?;
            separator = ", ";
        }
        for k in &self.constraints {
            f.write_str(separator)?;
            separator = ", ";
            write_expr(&k.expr, &names, f)?;
            write!(f, " in {}", k.interval)?;
        }
        Ok(())
    }
}
