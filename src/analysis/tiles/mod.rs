//! Tiles: given a tile of an output, the tiles of everything upstream.
//!
//! A tile has, in every dimension, an offset and a size (symbolic: `o0`, `t0`, … are offset and
//! size of the root's tile, `rt0`, … values that are read while the program runs) and a stride (a
//! number): it holds the elements `offset + i * stride` for `i` in `[0, size - 1]`. It is right
//! under *conditions* on the root's tile: divisibility (`o0 mod 4 in [0, 0]`), or a dimension taken
//! whole, or of one element (a diagonal, a place that is read from element to element). *Presence*
//! says when there is anything in it: a piece of a concatenation is read by the tiles that reach
//! into it. `exact = false` means that the tile holds more than is read. What is no box with
//! strides is refused, with the reason.
//!
//! A value that is read in several ways, or in pieces, has several tiles: together they hold what
//! is read.

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

/// A tile. Offsets and sizes are expressions: variable `d(k)` is the root's offset `o<k>`, `s(k)`
/// its size `t<k>`, `rt(k)` the tile's runtime variable `k`.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// First element.
    pub offsets: Vec<Expr>,
    /// Number of elements.
    pub sizes: Vec<Expr>,
    /// Distance of elements, positive.
    pub strides: Vec<i64>,
    /// Checks of the root's tile, in this order.
    pub checks: Vec<Check>,
    /// Runtime variables: values that are read while the program runs.
    pub runtime: Vec<RuntimeVariable>,
    /// It holds exactly what is read.
    pub exact: bool,
    /// The values of the root's offsets, and of its sizes.
    root: Vec<(Interval, Interval)>,
}

/// A question to the root's tile. What comes later is right only if nothing before it failed.
#[derive(Clone, Debug, PartialEq)]
pub enum Check {
    /// If it does not hold, this tile says nothing.
    Right(Condition),
    /// If it does not hold, the tile is empty, whatever its offsets and sizes.
    Present(Condition),
}

impl Check {
    fn condition(&self) -> &Condition {
        match self {
            Self::Right(condition) | Self::Present(condition) => condition,
        }
    }

    fn expr_mut(&mut self) -> &mut Expr {
        match self {
            Self::Right(condition) | Self::Present(condition) => &mut condition.expr,
        }
    }
}

/// A tile for given offsets and sizes of the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A condition fails: this tile says nothing.
    Refused,
    /// Empty: nothing is read.
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
    /// The root's own tile, of a value of `shape`: offsets and sizes are symbols, strides as given
    /// (positive).
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
            checks: Vec::new(),
            runtime: Vec::new(),
            exact: true,
            root,
        }
    }

    /// This root with numbers for its sizes.
    #[must_use]
    pub fn with_sizes(mut self, sizes: &[i64]) -> Self {
        for (k, size) in sizes.iter().enumerate().take(self.sizes.len()) {
            self.sizes[k] = Expr::constant(*size);
            self.root[k].1 = Interval::point(*size);
        }
        self
    }

    /// This root with numbers for its offsets.
    #[must_use]
    pub fn with_offsets(mut self, offsets: &[i64]) -> Self {
        for (k, offset) in offsets.iter().enumerate().take(self.offsets.len()) {
            self.offsets[k] = Expr::constant(*offset);
            self.root[k].0 = Interval::point(*offset);
        }
        self
    }

    /// The tile for given offsets and sizes of the root, and values of the runtime variables
    /// (clamped already).
    pub fn at(&self, offsets: &[i64], sizes: &[i64], runtime: &[i64]) -> Place {
        let value = |expr: &Expr| expr.eval(offsets, sizes, runtime).ok();
        for check in &self.checks {
            let condition = check.condition();
            match value(&condition.expr).map(|v| condition.interval.contains(v)) {
                Some(true) => {}
                Some(false) if matches!(check, Check::Present(_)) => return Place::Empty,
                _ => return Place::Refused,
            }
        }
        let all = |exprs: &[Expr]| exprs.iter().map(value).collect::<Option<Vec<i64>>>();
        match (all(&self.offsets), all(&self.sizes)) {
            (Some(offsets), Some(sizes)) => Place::Elements { offsets, sizes },
            _ => Place::Refused,
        }
    }

    /// The conditions under which it is right.
    pub fn conditions(&self) -> impl Iterator<Item = &Condition> {
        self.checks.iter().filter_map(|check| match check {
            Check::Right(condition) => Some(condition),
            Check::Present(_) => None,
        })
    }

    /// The conditions under which anything is read, right where [`Tile::conditions`] hold.
    pub fn presence(&self) -> impl Iterator<Item = &Condition> {
        self.checks.iter().filter_map(|check| match check {
            Check::Present(condition) => Some(condition),
            Check::Right(_) => None,
        })
    }

    /// Tells whether it is the same box as the other one whenever there is anything in that one.
    fn covers(&self, other: &Self) -> bool {
        let more = other.checks.strip_prefix(self.checks.as_slice());
        self.offsets == other.offsets
            && self.sizes == other.sizes
            && self.strides == other.strides
            && self.runtime == other.runtime
            && more.is_some_and(|more| more.iter().all(|k| matches!(k, Check::Present(_))))
    }

    /// With a box that it covers.
    fn join(&mut self, other: &Self) {
        // What one way reads for certain is read, if it is there as often.
        self.exact |= other.exact && other.checks.len() == self.checks.len();
    }

    /// There is nothing in it for any tile of the root.
    fn is_never(&self) -> bool {
        let fails = |condition: &Condition| {
            let value = condition.expr.as_constant();
            value.is_some_and(|value| !condition.interval.contains(value))
        };
        self.presence().any(fails)
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
            .chain(self.checks.iter().map(|check| &check.condition().expr))
            .map(forth)
            .collect();
        let map = IndexingMap::new(dims, exprs).simplify();
        let mut exprs = map.results().iter().map(back);
        let lists = (self.offsets.iter_mut())
            .chain(&mut self.sizes)
            .chain(self.checks.iter_mut().map(Check::expr_mut));
        for (old, new) in lists.zip(&mut exprs) {
            *old = new;
        }
        let mut kept: Vec<Check> = Vec::new();
        for check in self.checks.drain(..) {
            let condition = check.condition();
            let value = condition.expr.as_constant();
            let holds = value.is_some_and(|value| condition.interval.contains(value));
            if !holds && !kept.contains(&check) {
                kept.push(check);
            }
        }
        self.checks = kept;
        self
    }
}
