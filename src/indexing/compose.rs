//! Composition: first the consumer, then the producer on its results.

use crate::error::counted;
use crate::expr::{Expr, ExprKind, c, replace_all, rt, s};
use crate::map::{Constraint, IndexingMap};

/// The map that applies `consumer` and then `producer` to its results.
///
/// The dimensions are the consumer's; range and runtime variables are the consumer's, then the
/// producer's. The consumer's results are constrained to the producer's dimension intervals.
/// Nothing is simplified. Runtime variables of the producer keep their origin: the index map is
/// composed with the consumer too.
///
/// Composition with an empty map is empty, of the right arity; with an unknown map it is unknown,
/// for the same reason (unless the other is empty). A wrong number of results, or a dimension that
/// the producer lacks, makes an unknown map that says so.
pub fn compose(consumer: &IndexingMap, producer: &IndexingMap) -> IndexingMap {
    if consumer.is_known_empty() || producer.is_known_empty() {
        let mut map = consumer.clone();
        map.ranges.extend(producer.ranges.iter().cloned());
        map.runtime.extend(producer.runtime.iter().cloned());
        map.results = vec![c(0); producer.results.len()];
        return map.into_known_empty();
    }
    for map in [consumer, producer] {
        if let Some(reason) = map.unknown_reason() {
            return IndexingMap::unknown(reason);
        }
    }
    if consumer.results.len() != producer.dims.len() {
        return IndexingMap::unknown(format!(
            "a map with {} was composed with one of {}",
            counted(consumer.results.len(), "result"),
            counted(producer.dims.len(), "dimension")
        ));
    }
    let (ranges, runtime) = (consumer.ranges.len(), consumer.runtime.len());
    let mut substitute = |kind: &ExprKind| -> Expr {
        match *kind {
            ExprKind::Dim(i) => consumer.results[i].clone(),
            ExprKind::Range(i) => s(i + ranges),
            ExprKind::Runtime(i) => rt(i + runtime),
            _ => c(0),
        }
    };
    let mut map = consumer.clone();
    map.exact = consumer.exact && producer.exact;
    map.ranges.extend(producer.ranges.iter().cloned());
    map.runtime.extend(producer.runtime.iter().cloned());
    let mut new = replace_all(&producer.expressions(), &mut substitute);
    let constraints = new.split_off(producer.results.len());
    map.results = new;
    for (e, v) in consumer.results.iter().zip(&producer.dims) {
        if v.interval != crate::Interval::FULL {
            map.constraints.push(Constraint {
                expr: e.clone(),
                interval: v.interval,
            });
        }
    }
    for (k, expr) in producer.constraints.iter().zip(constraints) {
        map.constraints.push(Constraint {
            expr,
            interval: k.interval,
        });
    }
    // The producer's runtime variables are read at an index that is now a function of the
    // consumer's variables.
    for i in runtime..map.runtime.len() {
        if let Some(index) = map.runtime[i].origin.index.take() {
            let mut index = *index;
            if index.is_known() {
                index.replace_variables(&mut substitute);
                index.dims = map.dims.clone();
                index.ranges = map.ranges[..used_prefix(&index, false)].to_vec();
                index.runtime = map.runtime[..used_prefix(&index, true)].to_vec();
                for v in &mut index.runtime {
                    // The owner of the variable keeps the origin; here only the name and the
                    // interval matter.
                    v.origin = crate::map::Origin::default();
                }
                index.exact = index.exact && consumer.exact;
            }
            map.runtime[i].origin.index = Some(Box::new(index));
        }
    }
    map
}

/// The least number of range (runtime) variables that a map needs.
pub(crate) fn used_prefix(map: &IndexingMap, runtime: bool) -> usize {
    let needs = map.expressions().into_iter().map(|e| e.needs());
    needs
        .map(|n| n[1 + usize::from(runtime)] as usize)
        .max()
        .unwrap_or(0)
}
