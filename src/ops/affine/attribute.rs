//! The attribute `#indexing.map` with upstream's types: affine maps, affine expressions, intervals.

use super::{from_expr, to_affine, to_expr};
use mapwright_indexing::{Expr, ExprKind, IndexingMap, Interval, RuntimeVariable, Variable, rt, s};
use mapwright_mlir::{
    Attr, Loc,
    affine::{AffineMap, AffineNode},
    context::outlive,
    diagnostic::Failure,
    hooks::{map_attribute, map_attribute_text},
    melior::{
        self, Context,
        ir::{AffineExpr, Attribute, AttributeLike},
    },
};

/// `#indexing.map<…>`: the attribute, and the map that it holds.
///
/// The symbols of the affine maps and expressions are the range variables, then the runtime
/// variables.
#[derive(Clone, Debug)]
pub struct MapAttribute<'c> {
    attribute: Attr<'c>,
    map: IndexingMap,
}

impl<'c> MapAttribute<'c> {
    /// The map in an attribute; `None` for attributes of other kinds.
    pub fn from_attribute(attribute: Attr<'c>) -> Option<Self> {
        let map = map_attribute_text(attribute)?.parse().ok()?;
        Some(MapAttribute { attribute, map })
    }

    /// The attribute of a map; `None`, and a diagnostic at `location`, for a map that has no text
    /// (a name that is not a word).
    pub fn new(location: Loc<'c>, map: &IndexingMap) -> Option<Self> {
        let attribute = map_attribute(location, &map.to_string())?;
        Self::from_attribute(attribute)
    }

    /// The attribute of upstream's map, whose first `range_variables` symbols become range
    /// variables and the others runtime variables. Intervals of dimensions, then of symbols; a
    /// missing one is that of all integers. Constraints are over the same dimensions and symbols.
    /// `None`, and a diagnostic at `location`, if an expression has a variable that is not there.
    pub fn from_affine(
        location: Loc<'c>,
        affine: melior::ir::AffineMap<'c>,
        range_variables: usize,
        intervals: &[Interval],
        constraints: &[(AffineExpr<'c>, Interval)],
    ) -> Option<Self> {
        let map = indexing_map(affine, range_variables, intervals, constraints)
            .and_then(|map| map.verify().map(|()| map).map_err(|e| e.to_string()));
        match map {
            Ok(map) => Self::new(location, &map),
            Err(message) => {
                Failure::at(location, &message);
                None
            }
        }
    }

    /// As MLIR knows it.
    pub fn attribute(&self) -> Attr<'c> {
        self.attribute
    }

    /// The map. Where runtime variables come from is not part of the attribute.
    pub fn map(&self) -> &IndexingMap {
        &self.map
    }

    /// The results; `None` for a map that one affine map cannot hold: an unknown or empty one, one
    /// with minima or maxima (then there are [pieces](Self::pieces)), or with products or quotients
    /// of variables.
    pub fn affine_map(&self) -> Option<melior::ir::AffineMap<'c>> {
        match &to_affine(&self.map)?[..] {
            [piece] => Some(piece.affine.to_melior(self.context())),
            _ => None,
        }
    }

    /// Maps with disjoint domains that are this map together, each of which has an [affine
    /// map](Self::affine_map) and affine constraints. One, the map itself, if it holds no minima
    /// and maxima; none if it is empty. `None` for an unknown map, for one with products or
    /// quotients of variables, and for one of very many pieces.
    pub fn pieces(&self) -> Option<Vec<Self>> {
        let pieces = to_affine(&self.map)?;
        if let [_] = pieces[..] {
            return Some(vec![self.clone()]);
        }
        let location = Loc::unknown(self.context());
        pieces
            .iter()
            .map(|piece| Self::new(location, &piece.map))
            .collect()
    }

    /// Constraint number `i`; its expression is `None` if it is not affine.
    pub fn constraint(&self, i: usize) -> Option<(Option<AffineExpr<'c>>, Interval)> {
        let constraint = self.map.constraints().get(i)?;
        let expr = self.to_node(&constraint.expr);
        Some((
            expr.map(|expr| expr.to_melior(self.context())),
            constraint.interval,
        ))
    }

    /// The interval of a symbol: a range variable, then a runtime variable.
    pub fn symbol_interval(&self, i: usize) -> Option<Interval> {
        let ranges = self.map.ranges().len();
        match self.map.ranges().get(i) {
            Some(range) => Some(range.interval),
            None => self.map.runtime().get(i - ranges).map(|v| v.interval),
        }
    }

    /// The own name of a symbol; empty if it is printed by its position.
    pub fn symbol_name(&self, i: usize) -> Option<&str> {
        let ranges = self.map.ranges().len();
        match self.map.ranges().get(i) {
            Some(range) => Some(&range.name),
            None => self.map.runtime().get(i - ranges).map(|v| v.name.as_str()),
        }
    }

    /// The context that the attribute lives in.
    pub fn context(&self) -> &'c Context {
        outlive(self.attribute.context())
    }

    fn to_node(&self, expr: &Expr) -> Option<AffineNode> {
        let ranges = self.map.ranges().len();
        from_expr(expr, &|kind: &ExprKind| match *kind {
            ExprKind::Dim(i) => Some(AffineNode::Dim(i)),
            ExprKind::Range(i) => Some(AffineNode::Symbol(i)),
            ExprKind::Runtime(i) => Some(AffineNode::Symbol(ranges + i)),
            _ => None,
        })
    }
}

impl<'c> TryFrom<Attribute<'c>> for MapAttribute<'c> {
    type Error = String;

    fn try_from(attribute: Attribute<'c>) -> Result<Self, String> {
        Self::from_attribute(attribute)
            .ok_or_else(|| format!("expected an indexing map, found {attribute}"))
    }
}

fn indexing_map(
    affine: melior::ir::AffineMap<'_>,
    range_variables: usize,
    intervals: &[Interval],
    constraints: &[(AffineExpr<'_>, Interval)],
) -> Result<IndexingMap, String> {
    let large = || "an affine map of extraordinary size".to_owned();
    let affine = AffineMap::from_melior(affine).ok_or_else(large)?;
    if range_variables > affine.symbols {
        return Err(format!(
            "{range_variables} range variables of {} symbols",
            affine.symbols
        ));
    }
    if intervals.len() > affine.dims + affine.symbols {
        return Err(format!(
            "{} intervals for {} variables",
            intervals.len(),
            affine.dims + affine.symbols
        ));
    }
    let symbol = |i: usize| match i.checked_sub(range_variables) {
        Some(i) => rt(i),
        None => s(i),
    };
    let mut all = intervals
        .iter()
        .copied()
        .chain(std::iter::repeat(Interval::FULL));
    let mut next = || all.next().unwrap_or(Interval::FULL);
    let dims = (0..affine.dims).map(|_| Variable::new(next())).collect();
    let results = affine.results.iter().map(|e| to_expr(e, &symbol)).collect();
    let mut map = IndexingMap::new(dims, results);
    for i in 0..affine.symbols {
        map = if i < range_variables {
            map.with_range(next())
        } else {
            map.with_runtime(RuntimeVariable::new(next(), "", None))
        };
    }
    for (expr, interval) in constraints {
        let expr = AffineNode::from_melior(*expr).ok_or_else(large)?;
        map = map.with_constraint(to_expr(&expr, &symbol), *interval);
    }
    Ok(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map<'c>(context: &'c Context, text: &str) -> MapAttribute<'c> {
        crate::hooks::install();
        let attribute = map_attribute(Loc::unknown(context), text).expect(text);
        MapAttribute::from_attribute(attribute).expect(text)
    }

    /// The attribute, its affine map with intervals and constraints, and the attribute of those.
    #[test]
    fn an_attribute_of_upstreams_parts_is_the_same_map() {
        let context = mapwright_mlir::context();
        for text in [
            "(d0, d1)[s0]{rt0} -> (d0 * 2 + s0, d1 mod 4 + rt0), domain: d0 in [0, 9], d1 in [-3, 19], s0 in [0, 2], rt0 in [0, 5], d0 + s0 in [0, 10]",
            "() -> ()",
            "(d0) -> (), domain: d0 in [0, 9]",
            "(d0) -> ((d0 - 3) floordiv 7), domain: d0 in [3, 17], (d0 - 3) mod 7 in [0, 0]",
            "(d0)[s0, s1] -> (s1 ceildiv 3 - d0 * 4, s0)",
        ] {
            let map = map(&context, text);
            let affine = map.affine_map().expect(text);
            let constraints: Vec<_> = (0..map.map().constraints().len())
                .map(|i| map.constraint(i).expect(text))
                .map(|(expr, interval)| (expr.expect(text), interval))
                .collect();
            let intervals: Vec<_> = map.map().intervals().collect();
            let back = MapAttribute::from_affine(
                Loc::unknown(&context),
                affine,
                map.map().ranges().len(),
                &intervals,
                &constraints,
            );
            let back = back.expect(text);
            assert_eq!(
                back.map().simplify(),
                map.map().simplify(),
                "{text}: {}",
                back.map()
            );
            let points = |map: &IndexingMap| map.points().len();
            if intervals.iter().all(|i| *i != Interval::FULL) {
                assert_eq!(points(back.map()), points(map.map()), "{text}");
            }
            assert_eq!(map.pieces().map(|pieces| pieces.len()), Some(1), "{text}");
        }
    }

    #[test]
    fn minima_are_pieces_and_products_are_none() {
        let context = mapwright_mlir::context();
        let minimum = map(
            &context,
            "(d0)[s0] -> (min(d0, s0)), domain: d0 in [0, 9], s0 in [0, 2], max(d0, s0) in [1, 8]",
        );
        assert!(minimum.affine_map().is_none());
        let pieces = minimum.pieces().expect("affine pieces");
        let mut points = 0;
        for piece in &pieces {
            assert!(piece.affine_map().is_some(), "{}", piece.map());
            for i in 0..piece.map().constraints().len() {
                let (expr, _) = piece.constraint(i).expect("a constraint");
                assert!(expr.is_some(), "{}", piece.map());
            }
            points += piece.map().points().len();
        }
        assert_eq!(points, minimum.map().points().len());

        let product = map(&context, "(d0, d1) -> (d0 * d1)");
        assert!(product.affine_map().is_none() && product.pieces().is_none());
        let unknown = map(&context, "UNKNOWN");
        assert!(unknown.affine_map().is_none() && unknown.pieces().is_none());
        let empty = map(&context, "(d0) -> (d0), domain: d0 in [0, -1]")
            .map()
            .simplify();
        let empty = MapAttribute::new(Loc::unknown(&context), &empty).expect("a map");
        assert_eq!(empty.pieces().map(|pieces| pieces.len()), Some(0));
    }
}
