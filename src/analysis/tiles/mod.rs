//! Tiles: given a tile of an output, the tiles of everything upstream.
//!
//! A tile has, in every dimension, an offset and a size (symbolic: `o0`, `t0`, … are offset and size of the root's tile, `rt0`, … values
//! that are read while the program runs) and a stride (a number): it holds the elements `offset + i * stride` for `i` in
//! `[0, size - 1]`. It is right under *conditions* on the root's tile: divisibility (`o0 mod 4 in [0, 0]`), or a dimension taken
//! whole. *Presence* says when there is anything in it: a piece of a concatenation is read by the tiles that reach into it. `exact =
//! false` means that the tile holds more than is read. What is no box with strides is refused, with the reason.
//!
//! A value that is read in several ways, or in pieces, has several tiles: together they hold what is read.

mod digits;
mod step;
mod upstream;

pub use upstream::{Upstream, upstream};

use mapwright_indexing::{
    Expr, ExprKind, IndexingMap, Interval, RuntimeVariable, Variable, d, rt, s,
};

/// A condition on offsets and sizes of the root's tile.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// An expression over offsets (`d`) and sizes (`s`) of the root, and runtime variables.
    pub expr: Expr,
    /// The values it may have.
    pub interval: Interval,
}

/// A tile. Offsets and sizes are expressions: variable `d(k)` is the root's offset `o<k>`, `s(k)` its size `t<k>`, `rt(k)` the
/// tile's runtime variable `k`.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// First element.
    pub offsets: Vec<Expr>,
    /// Number of elements.
    pub sizes: Vec<Expr>,
    /// Distance of elements, positive.
    pub strides: Vec<i64>,
    /// Under which it is right.
    pub conditions: Vec<Condition>,
    /// Under which anything is read: where one of them does not hold, the tile is empty, whatever its offsets and sizes.
    pub presence: Vec<Condition>,
    /// What is read while the program runs.
    pub runtime: Vec<RuntimeVariable>,
    /// It holds exactly what is read.
    pub exact: bool,
    /// The values of the root's offsets, and of its sizes.
    root: Vec<(Interval, Interval)>,
}

/// A tile for given offsets and sizes of the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A condition fails: this tile says nothing.
    Refused,
    /// Nothing is read.
    Empty,
    /// The elements from `offsets` on, `sizes` of them.
    Elements {
        /// First element.
        offsets: Vec<i64>,
        /// Number of elements.
        sizes: Vec<i64>,
    },
}

/// The text of an expression over offsets and sizes.
pub fn text(expr: &Expr) -> String {
    expr.to_string()
        .split_inclusive(|c: char| !c.is_ascii_alphanumeric())
        .map(|word| match word.as_bytes() {
            [b'd', digit, ..] if digit.is_ascii_digit() => format!("o{}", &word[1..]),
            [b's', digit, ..] if digit.is_ascii_digit() => format!("t{}", &word[1..]),
            _ => word.to_owned(),
        })
        .collect()
}

impl Condition {
    /// `o0 mod 4 in [0, 0]`, `t0 >= 1`.
    pub fn text(&self) -> String {
        let expr = text(&self.expr);
        match self.interval {
            Interval {
                lower,
                upper: i64::MAX,
            } => format!("{expr} >= {lower}"),
            Interval {
                lower: i64::MIN,
                upper,
            } => format!("{expr} <= {upper}"),
            interval => format!("{expr} in {interval}"),
        }
    }
}

impl Tile {
    /// The root's own tile, of a value of `shape`: offsets and sizes are symbols, strides as given (positive).
    pub fn root(shape: &[i64], strides: &[i64]) -> Self {
        let root = shape
            .iter()
            .map(|n| {
                let last = (*n).max(1);
                (Interval::new(0, last - 1), Interval::new(1, last))
            })
            .collect();
        Self {
            offsets: (0..shape.len()).map(d).collect(),
            sizes: (0..shape.len()).map(s).collect(),
            strides: strides.iter().map(|stride| (*stride).max(1)).collect(),
            conditions: Vec::new(),
            presence: Vec::new(),
            runtime: Vec::new(),
            exact: true,
            root,
        }
    }

    /// The same root with numbers for its sizes.
    #[must_use]
    pub fn with_sizes(mut self, sizes: &[i64]) -> Self {
        for (k, size) in sizes.iter().enumerate().take(self.sizes.len()) {
            self.sizes[k] = Expr::constant(*size);
            self.root[k].1 = Interval::point(*size);
        }
        self
    }

    /// The same root with numbers for its offsets.
    #[must_use]
    pub fn with_offsets(mut self, offsets: &[i64]) -> Self {
        for (k, offset) in offsets.iter().enumerate().take(self.offsets.len()) {
            self.offsets[k] = Expr::constant(*offset);
            self.root[k].0 = Interval::point(*offset);
        }
        self
    }

    /// The tile for given offsets and sizes of the root, and values of the runtime variables (clamped already).
    pub fn at(&self, offsets: &[i64], sizes: &[i64], runtime: &[i64]) -> Place {
        let value = |expr: &Expr| expr.eval(offsets, sizes, runtime).ok();
        let holds =
            |condition: &Condition| value(&condition.expr).map(|v| condition.interval.contains(v));
        for condition in &self.presence {
            match holds(condition) {
                Some(true) => {}
                Some(false) => return Place::Empty,
                None => return Place::Refused,
            }
        }
        if !self.conditions.iter().all(|k| holds(k) == Some(true)) {
            return Place::Refused;
        }
        let all = |exprs: &[Expr]| exprs.iter().map(value).collect::<Option<Vec<i64>>>();
        match (all(&self.offsets), all(&self.sizes)) {
            (Some(offsets), Some(sizes)) => Place::Elements { offsets, sizes },
            _ => Place::Refused,
        }
    }

    /// Is it the same box, whatever the conditions?
    fn same_box(&self, other: &Self) -> bool {
        self.offsets == other.offsets
            && self.sizes == other.sizes
            && self.strides == other.strides
            && self.presence == other.presence
            && self.runtime == other.runtime
    }

    /// With the conditions of the same box reached on another way.
    fn join(&mut self, other: &Self) {
        for condition in &other.conditions {
            if !self.conditions.contains(condition) {
                self.conditions.push(condition.clone());
            }
        }
        // What one way reads for certain is read.
        self.exact |= other.exact;
    }

    /// Shorter expressions for the same values, for all roots there are.
    fn simplified(mut self) -> Self {
        let n = self.root.len();
        // Dimension variables alone: they keep their numbers.
        let (sizes, runtime) = (n, 2 * n);
        let forth = |expr: &Expr| {
            expr.replace(|kind| match kind {
                ExprKind::Range(k) => d(sizes + k),
                ExprKind::Runtime(k) => d(runtime + k),
                ExprKind::Dim(k) => d(*k),
                _ => Expr::constant(0),
            })
        };
        let back = |expr: &Expr| {
            expr.replace(|kind| match kind {
                ExprKind::Dim(k) if *k >= runtime => rt(k - runtime),
                ExprKind::Dim(k) if *k >= sizes => s(k - sizes),
                ExprKind::Dim(k) => d(*k),
                _ => Expr::constant(0),
            })
        };
        let dims = (self.root.iter().map(|r| r.0))
            .chain(self.root.iter().map(|r| r.1))
            .chain(self.runtime.iter().map(RuntimeVariable::clamp))
            .map(Variable::new)
            .collect();
        let exprs = (self.offsets.iter())
            .chain(&self.sizes)
            .chain(self.conditions.iter().map(|k| &k.expr))
            .chain(self.presence.iter().map(|k| &k.expr))
            .map(forth)
            .collect();
        let map = IndexingMap::new(dims, exprs).simplify();
        let mut exprs = map.results.iter().map(back);
        let lists = (self.offsets.iter_mut())
            .chain(&mut self.sizes)
            .chain(self.conditions.iter_mut().map(|k| &mut k.expr))
            .chain(self.presence.iter_mut().map(|k| &mut k.expr));
        for (old, new) in lists.zip(&mut exprs) {
            *old = new;
        }
        let always = |condition: &Condition| {
            condition
                .expr
                .as_constant()
                .is_some_and(|value| condition.interval.contains(value))
        };
        for list in [&mut self.conditions, &mut self.presence] {
            let mut kept: Vec<Condition> = Vec::new();
            for condition in list.drain(..) {
                if !always(&condition) && !kept.contains(&condition) {
                    kept.push(condition);
                }
            }
            *list = kept;
        }
        self
    }
}
