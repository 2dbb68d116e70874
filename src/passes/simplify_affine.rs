//! `indexing-simplify-affine`: simplifies upstream's affine maps with the ranges of what they are
//! applied to.

mod ranges;
mod transfer;

use crate::affine::{from_expr, to_expr};
use mapwright_indexing::{Expr, ExprKind, IndexingMap, Interval, d};
use mapwright_mlir::{
    Op, Val,
    affine::{AffineMap, AffineNode},
    attr,
    diagnostic::Failure,
    melior::ir::attribute::ArrayAttribute,
    op,
    pass::{Pass, PassContext},
};
use ranges::{Known, Ranges};

/// Simplifies the maps of `affine.apply`, `affine.min`, `affine.max`, `affine.load`, `affine.store`
/// and their vector forms with the ranges of their operands, and the indexing maps of
/// `linalg.generic` with its loops' ranges. Of `vector.transfer_read` and `vector.transfer_write`,
/// says which dimensions are in bounds, and makes permutation maps plain.
pub struct SimplifyAffine;

impl Pass for SimplifyAffine {
    fn argument(&self) -> &'static str {
        "indexing-simplify-affine"
    }

    fn description(&self) -> &'static str {
        "Simplifies affine maps with the ranges of their operands"
    }

    fn run<'c>(&self, root: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        let mut ranges = Ranges::default();
        for op in [root].into_iter().chain(root.descendants()) {
            context.at(op);
            match op.name() {
                "affine.apply" | "affine.min" | "affine.max" => {
                    simplify_operands(op, 0, &mut ranges)
                }
                "affine.load" | "affine.vector_load" | "affine.prefetch" => {
                    simplify_operands(op, 1, &mut ranges);
                }
                "affine.store" | "affine.vector_store" => simplify_operands(op, 2, &mut ranges),
                "linalg.generic" => simplify_loops(op),
                "vector.transfer_read" | "vector.transfer_write" => {
                    // What is not understood stays as it is.
                    let _ = transfer::simplify(op, &mut ranges);
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Simplifies the map of an operation whose operands from `first` on are its dimensions and
/// symbols.
fn simplify_operands<'c>(op: Op<'c>, first: usize, ranges: &mut Ranges) {
    let name = if op.attribute("map").is_some() {
        "map"
    } else {
        "affine_map"
    };
    let Some(map) = op.attribute(name).and_then(AffineMap::from_mlir) else {
        return;
    };
    let operands: Vec<Val<'c>> = op.operands().into_iter().skip(first).collect();
    if operands.len() < map.dims + map.symbols {
        return;
    }
    let known: Vec<Known> = operands[..map.dims + map.symbols]
        .iter()
        .map(|v| ranges.range_of(*v))
        .collect();
    if let Some(simpler) = simplified(&map, &known) {
        op.set_attribute(name, simpler.to_mlir(op.context()));
    }
}

/// Simplifies the indexing maps of a structured operation. Its loops run over the sizes of the
/// operands.
fn simplify_loops(generic: Op<'_>) {
    let Some(attributes) = generic.attribute("indexing_maps").and_then(attr::array) else {
        return;
    };
    let Some(maps) = attributes
        .iter()
        .map(|a| AffineMap::from_mlir(*a))
        .collect::<Option<Vec<_>>>()
    else {
        return;
    };
    let Some(loops) = maps.first().map(|m| m.dims) else {
        return;
    };
    let shapes: Vec<Vec<Option<i64>>> = (0..maps.len().min(generic.num_operands()))
        .map(|i| op::static_shape(generic.operand(i)).unwrap_or_default())
        .collect();
    let mut known = vec![Known::UNKNOWN; loops];
    for (map, shape) in maps.iter().zip(&shapes) {
        for (e, size) in map.results.iter().zip(shape) {
            if let (AffineNode::Dim(i), Some(size)) = (e, size)
                && let Some(k) = known.get_mut(*i)
            {
                k.interval = k.interval.intersect(Interval::of_size(*size));
            }
        }
    }
    let mut changed = false;
    let mut new = Vec::with_capacity(maps.len());
    for (i, map) in maps.iter().enumerate() {
        let Some(mut simpler) = simplified(map, &known).filter(|_| map.symbols == 0) else {
            new.push(attributes[i]);
            continue;
        };
        // A plain dimension says how long a loop is: those that are there stay, and a new one has
        // to say the same.
        for (at, (new, old)) in simpler.results.iter_mut().zip(&map.results).enumerate() {
            let agrees = match new {
                AffineNode::Dim(l) => {
                    let size = shapes.get(i).and_then(|s| s.get(at)).copied().flatten();
                    size.is_some_and(|n| known[*l].interval == Interval::of_size(n))
                }
                _ => true,
            };
            if matches!(old, AffineNode::Dim(_)) || !agrees {
                new.clone_from(old);
            }
        }
        changed |= simpler != *map;
        new.push(simpler.to_mlir(generic.context()));
    }
    if changed {
        generic.set_attribute(
            "indexing_maps",
            ArrayAttribute::new(generic.context(), &new).into(),
        );
    }
}

/// Simplifies a map on the operands as they are known, with no more operations in any result;
/// `None` if nothing changes.
fn simplified(map: &AffineMap, known: &[Known]) -> Option<AffineMap> {
    if known.iter().any(|k| k.interval.is_empty()) {
        // It is never executed.
        return None;
    }
    let simple = indexing_map(map, known).simplify();
    if !simple.is_known() || simple.results().len() != map.results.len() {
        return None;
    }
    let leaf = |kind: &ExprKind| match *kind {
        ExprKind::Dim(i) if i < map.dims => Some(AffineNode::Dim(i)),
        ExprKind::Dim(i) => Some(AffineNode::Symbol(i - map.dims)),
        _ => None,
    };
    let mut changed = false;
    let results = simple
        .results()
        .iter()
        .zip(&map.results)
        .map(|(new, old)| match from_expr(new, &leaf) {
            Some(new) if new != *old && new.operations() <= old.operations() => {
                changed = true;
                new
            }
            _ => old.clone(),
        })
        .collect();
    changed.then_some(AffineMap {
        results,
        ..map.clone()
    })
}

/// The map with what is known of its dimensions and symbols.
fn indexing_map(map: &AffineMap, known: &[Known]) -> IndexingMap {
    // Symbols follow the dimensions.
    let results: Vec<Expr> = map
        .results
        .iter()
        .map(|e| to_expr(e, &|i| d(map.dims + i)))
        .collect();
    let mut indexing = IndexingMap::new(known.iter().map(|k| k.interval.into()).collect(), results);
    for (i, k) in known.iter().enumerate() {
        if k.step > 1 {
            indexing =
                indexing.with_constraint((d(i) - k.offset).modulo(k.step), Interval::point(0));
        }
    }
    indexing
}
