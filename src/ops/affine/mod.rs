//! Upstream's `AffineMap`s as indexing maps, and back.
//!
//! There and back is the same map. The other way around, an indexing map becomes one affine map, or
//! several with disjoint domains if it holds minima or maxima, which an affine map cannot.
//! [`MapAttribute`] is the attribute `#indexing.map` in these terms.

mod attribute;

pub use attribute::MapAttribute;

use mapwright_indexing::{Expr, ExprKind, IndexingMap, Interval, Op, RuntimeVariable, c, d, rt};
use mapwright_mlir::affine::{AffineMap, AffineNode, AffineOp};

/// Pieces of a map beyond which it is not split.
const MOST_PIECES: usize = 64;

/// A part of an indexing map: the affine map, and the map with the part's domain that it is the
/// function of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The results. Its symbols are the range variables, then the runtime variables.
    pub affine: AffineMap,
    /// Map with the domain of this piece.
    pub map: IndexingMap,
}

/// Map of an affine map, on all integers. Symbols become runtime variables.
pub fn from_affine(map: &AffineMap) -> IndexingMap {
    let results = map.results.iter().map(|e| to_expr(e, &rt)).collect();
    let mut indexing = IndexingMap::new(vec![Interval::FULL.into(); map.dims], results);
    for _ in 0..map.symbols {
        indexing = indexing.with_runtime(RuntimeVariable::new(Interval::FULL, "", None));
    }
    indexing
}

/// The map in pieces that upstream can hold, together the whole of it; none if it is empty. `None`
/// for an unknown map, for one that has products or quotients of variables, and for one of very
/// many pieces.
pub fn to_affine(map: &IndexingMap) -> Option<Vec<Piece>> {
    if map.is_known_empty() {
        return Some(Vec::new());
    }
    if !map.is_known() {
        return None;
    }
    let expressions = map
        .results()
        .iter()
        .chain(map.constraints().iter().map(|k| &k.expr));
    let pieces = if expressions.into_iter().any(Expr::has_min_max) {
        map.split_min_max(MOST_PIECES)?
    } else {
        vec![map.clone()]
    };
    let ranges = map.ranges().len();
    let leaf = |kind: &ExprKind| match *kind {
        ExprKind::Dim(i) => Some(AffineNode::Dim(i)),
        ExprKind::Range(i) => Some(AffineNode::Symbol(i)),
        ExprKind::Runtime(i) => Some(AffineNode::Symbol(ranges + i)),
        _ => None,
    };
    pieces
        .into_iter()
        .map(|map| {
            let results = map
                .results()
                .iter()
                .map(|e| from_expr(e, &leaf))
                .collect::<Option<_>>()?;
            let affine = AffineMap {
                dims: map.dims().len(),
                symbols: ranges + map.runtime().len(),
                results,
            };
            Some(Piece { affine, map })
        })
        .collect()
}

/// An affine expression; `symbol` says what stands for a symbol.
pub fn to_expr(node: &AffineNode, symbol: &dyn Fn(usize) -> Expr) -> Expr {
    match node {
        AffineNode::Dim(i) => d(*i),
        AffineNode::Symbol(i) => symbol(*i),
        AffineNode::Constant(v) => c(*v),
        AffineNode::Binary(op, x, y) => {
            let op = match op {
                AffineOp::Add => Op::Add,
                AffineOp::Mul => Op::Mul,
                AffineOp::FloorDiv => Op::FloorDiv,
                AffineOp::CeilDiv => Op::CeilDiv,
                AffineOp::Mod => Op::Mod,
            };
            Expr::raw(op, to_expr(x, symbol), to_expr(y, symbol))
        }
    }
}

/// The other way; `leaf` says what stands for a variable. `None` for what upstream cannot hold:
/// minima, maxima, products of variables, divisors that are not constants. Its divisors are
/// positive: signs go outside.
pub fn from_expr(
    expr: &Expr,
    leaf: &dyn Fn(&ExprKind) -> Option<AffineNode>,
) -> Option<AffineNode> {
    let (op, x, y) = match expr.kind() {
        ExprKind::Constant(v) => return Some(AffineNode::Constant(*v)),
        ExprKind::Binary(op, x, y) => (*op, x, y),
        variable => return leaf(variable),
    };
    let node = |op, x, y| AffineNode::Binary(op, Box::new(x), Box::new(y));
    if op == Op::Add {
        return Some(node(
            AffineOp::Add,
            from_expr(x, leaf)?,
            from_expr(y, leaf)?,
        ));
    }
    // Upstream's constants stand on the right.
    let (x, k) = match (x.as_constant(), y.as_constant()) {
        (_, Some(k)) => (from_expr(x, leaf)?, k),
        (Some(k), None) if op == Op::Mul => (from_expr(y, leaf)?, k),
        _ => return None,
    };
    if op == Op::Mul {
        return Some(node(AffineOp::Mul, x, AffineNode::Constant(k)));
    }
    let divisor = AffineNode::Constant(k.checked_abs().filter(|k| *k > 0)?);
    // x floordiv -k = -(x ceildiv k), x ceildiv -k = -(x floordiv k), x mod -k = x mod k.
    let (op, negate) = match (op, k < 0) {
        (Op::Mod, _) => (AffineOp::Mod, false),
        (Op::FloorDiv, false) => (AffineOp::FloorDiv, false),
        (Op::FloorDiv, true) => (AffineOp::CeilDiv, true),
        (Op::CeilDiv, false) => (AffineOp::CeilDiv, false),
        (Op::CeilDiv, true) => (AffineOp::FloorDiv, true),
        _ => return None,
    };
    let quotient = node(op, x, divisor);
    Some(if negate {
        node(AffineOp::Mul, quotient, AffineNode::Constant(-1))
    } else {
        quotient
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapwright_mlir::melior::{Context, ir::Attribute};

    /// SplitMix64.
    struct Random(u64);

    impl Random {
        fn below(&mut self, n: u64) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (z ^ (z >> 31)) % n
        }

        fn constant(&mut self) -> i64 {
            match self.below(12) {
                0 => i64::MAX - self.below(2) as i64,
                1 => i64::MIN + 1 + self.below(2) as i64,
                _ => self.below(40) as i64 - 12,
            }
        }

        /// The text of an affine expression.
        fn expression(&mut self, dims: u64, symbols: u64, depth: u64) -> String {
            if depth == 0 || self.below(6) == 0 {
                return match self.below(dims + symbols + 1) {
                    i if i < dims => format!("d{i}"),
                    i if i < dims + symbols => format!("s{}", i - dims),
                    _ => self.constant().to_string(),
                };
            }
            let x = self.expression(dims, symbols, depth - 1);
            match self.below(6) {
                0 => format!("({x}) floordiv {}", 1 + self.below(9)),
                1 => format!("({x}) ceildiv {}", 1 + self.below(9)),
                2 => format!("({x}) mod {}", 1 + self.below(9)),
                3 => format!("({x}) * {}", self.below(30) as i64 - 9),
                4 => format!("({x}) - ({})", self.expression(dims, symbols, depth - 1)),
                _ => format!("({x}) + ({})", self.expression(dims, symbols, depth - 1)),
            }
        }

        fn map(&mut self) -> String {
            let (dims, symbols) = (self.below(4), self.below(3));
            let names = |letter: char, n: u64| {
                let names: Vec<String> = (0..n).map(|i| format!("{letter}{i}")).collect();
                names.join(", ")
            };
            let results: Vec<String> = (0..self.below(4))
                .map(|_| {
                    let depth = self.below(5);
                    self.expression(dims, symbols, depth)
                })
                .collect();
            format!(
                "affine_map<({})[{}] -> ({})>",
                names('d', dims),
                names('s', symbols),
                results.join(", ")
            )
        }
    }

    /// Upstream's map, ours, our text, ours again, upstream's again: the very same attribute.
    #[test]
    fn affine_maps_come_back_the_same() {
        let context = Context::new();
        let mut random = Random(7);
        let mut operations = 0;
        for i in 0..20_000 {
            let text = random.map();
            let attribute = Attribute::parse(&context, &text).expect("an affine map");
            let affine = AffineMap::from_mlir(attribute).expect("of usual size");
            let ours = from_affine(&affine);
            operations += ours.operation_count();
            let printed = ours.to_string();
            let read: IndexingMap = printed.parse().unwrap_or_else(|e| panic!("{printed}: {e}"));
            assert_eq!(
                read.results(),
                ours.results(),
                "number {i}: {text}\n{printed}"
            );
            let pieces = to_affine(&ours).expect("affine expressions only");
            let [piece] = &pieces[..] else {
                panic!("number {i}: {text}: {} pieces", pieces.len());
            };
            assert_eq!(piece.affine, affine, "number {i}: {text}");
            let back = piece.affine.to_mlir(&context);
            assert_eq!(back, attribute, "number {i}: {text}\n{back}");
        }
        assert!(operations > 20_000, "{operations}");
    }

    /// A piece that holds a point gives what the map gives there, and one piece does.
    #[test]
    fn minima_become_pieces() {
        for text in [
            "(d0, d1)[s0] -> (min(d0, 5) + max(d1, s0), d0 floordiv -3), domain: d0 in [0, 9], d1 in [-4, 4], s0 in [-2, 2]",
            "(d0) -> (min(max(d0 * 2 - 3, 0), 7)), domain: d0 in [-2, 9]",
            "(d0) -> (min(d0, 32)), domain: d0 in [0, 31]",
            "(d0){rt0} -> (min(d0 + rt0, 12) ceildiv -5, 3 * d0), domain: d0 in [0, 9], rt0 in [0, 6], d0 mod 2 in [1, 1]",
        ] {
            let map: IndexingMap = text.parse().expect(text);
            let pieces = to_affine(&map).expect(text);
            assert!(!pieces.is_empty());
            for (p, results) in map.points() {
                let symbols: Vec<i64> = p.ranges.iter().chain(&p.runtime).copied().collect();
                let mut hits = 0;
                for piece in &pieces {
                    if piece.map.eval(&p.dims, &p.ranges, &p.runtime) == Ok(None) {
                        continue;
                    }
                    hits += 1;
                    let affine = from_affine(&piece.affine);
                    let found = affine.eval(&p.dims, &[], &symbols);
                    assert_eq!(found, Ok(Some(results.clone())), "{text} at {p:?}");
                }
                assert_eq!(hits, 1, "{text} at {p:?}");
            }
        }
        for none in [
            "(d0, d1) -> (d0 * d1)",
            "(d0, d1) -> (d0 mod d1)",
            "UNKNOWN",
        ] {
            assert_eq!(to_affine(&none.parse().expect(none)), None, "{none}");
        }
        assert_eq!(to_affine(&IndexingMap::known_empty(1, 1)), Some(vec![]));
    }
}
