//! Maps at a point, in integers without end: where values leave 64 bits
//! [`mapwright_indexing::Evaluator`] has none, and this one has.

use mapwright_indexing::{Constraint, Expr, ExprKind, IndexingMap, Op, Point, Simplified};
use num_bigint::BigInt;
use num_integer::Integer;

/// The value; `None` for a divisor of zero.
fn value(e: &Expr, p: &Point) -> Option<BigInt> {
    Some(match e.kind() {
        ExprKind::Constant(v) => BigInt::from(*v),
        ExprKind::Dim(i) => BigInt::from(p.dims[*i]),
        ExprKind::Range(i) => BigInt::from(p.ranges[*i]),
        ExprKind::Runtime(i) => BigInt::from(p.runtime[*i]),
        ExprKind::Binary(op, a, b) => {
            let (a, b) = (value(a, p)?, value(b, p)?);
            let zero = BigInt::ZERO;
            match op {
                Op::FloorDiv | Op::CeilDiv | Op::Mod if b == zero => return None,
                Op::Add => a + b,
                Op::Mul => a * b,
                Op::FloorDiv => a.div_floor(&b),
                Op::CeilDiv => -(-a).div_floor(&b),
                Op::Mod if b < zero => a.mod_floor(&-b),
                Op::Mod => a.mod_floor(&b),
                Op::Min => a.min(b),
                Op::Max => a.max(b),
            }
        }
    })
}

/// The results at a point of the domain, or `None` outside of it; an error for a divisor of zero. A
/// point that fails a constraint is outside, also where another has no value.
fn results(map: &IndexingMap, p: &Point) -> Result<Option<Vec<BigInt>>, ()> {
    let at = |e: &Expr| value(e, p).ok_or(());
    let of = [&p.dims, &p.ranges, &p.runtime];
    let mut variables = of.into_iter().flatten().zip(map.intervals());
    let holds = |k: &Constraint| {
        let v = at(&k.expr)?;
        Ok(BigInt::from(k.interval.lower) <= v && v <= BigInt::from(k.interval.upper))
    };
    let held: Vec<Result<bool, ()>> = map.constraints().iter().map(holds).collect();
    if !variables.all(|(v, i)| i.contains(*v)) || held.contains(&Ok(false)) {
        return Ok(None);
    }
    if held.contains(&Err(())) {
        return Err(());
    }
    let values: Result<Vec<BigInt>, ()> = map.results().iter().map(at).collect();
    values.map(Some)
}

/// Compares a map with its simplified form at a point. Where the given map divides by zero nothing
/// is promised. True if the point is in the domain.
pub fn same_at(map: &IndexingMap, simplified: &Simplified, p: &Point) -> Result<bool, String> {
    let Ok(before) = results(map, p) else {
        return Ok(false);
    };
    let after = match simplified.point(p) {
        Some(_) if simplified.map.is_known_empty() => None,
        Some(q) => results(&simplified.map, &q).map_err(|()| format!("no value at {p:?}"))?,
        None => None,
    };
    if before == after {
        Ok(before.is_some())
    } else {
        Err(format!("at {p:?}: {before:?} {after:?}"))
    }
}
