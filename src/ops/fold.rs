//! Integers that are known as functions of their position: constants, iotas, and what is computed
//! from them.
//!
//! A start of a gather or of a dynamic slice that is such a function needs no runtime variable.

use crate::operand_facts;
use crate::registry::lookup;
use crate::related_sizes::Related;
use mapwright_indexing::{Constraint, Expr, ExprKind, IndexingMap, Interval, c};
use mapwright_mlir::{ElementType, Op, TensorType, Val, attr, op};

/// Number of operations that one question may look at.
const FUEL: usize = 128;
/// The largest constant that is looked at element by element.
const LARGEST: usize = 1 << 16;

/// Element `index` of `value` as an expression over the variables of `map` (whose intervals bound
/// it), if it is an integer that is known as a function of its position. The expression is right
/// for every point of the domain: arithmetic that could wrap around in the element type is not
/// followed.
pub fn value(value: Val<'_>, index: &[Expr], map: &IndexingMap) -> Option<Expr> {
    value_with(value, index, map, &|_| None)
}

/// As [`value`], where somebody knows some scalars: what a block argument is.
pub fn value_with(
    value: Val<'_>,
    index: &[Expr],
    map: &IndexingMap,
    known: &dyn Fn(Val<'_>) -> Option<Expr>,
) -> Option<Expr> {
    Folder {
        map,
        known,
        fuel: FUEL,
    }
    .value(value, index)
}

/// `value` clamped to `clamp`, as pieces: where it is inside, below, above. Every piece comes with
/// the map and what it adds.
pub fn clamped(value: &Expr, clamp: Interval, map: &IndexingMap) -> Vec<(Expr, IndexingMap)> {
    let bounds = bounds(value, map);
    let mut pieces = Vec::new();
    let mut piece = |result: Expr, interval: Interval| {
        let mut map = map.clone();
        if !interval.contains_interval(bounds) {
            map.push_constraint(Constraint {
                expr: value.clone(),
                interval,
            });
        }
        if !bounds.intersect(interval).is_empty() {
            pieces.push((result, map));
        }
    };
    piece(value.clone(), clamp);
    if clamp.lower > i64::MIN {
        piece(c(clamp.lower), Interval::new(i64::MIN, clamp.lower - 1));
    }
    if clamp.upper < i64::MAX {
        piece(c(clamp.upper), Interval::new(clamp.upper + 1, i64::MAX));
    }
    pieces
}

/// The values an expression can take on the box of the map's variables.
fn bounds(expr: &Expr, map: &IndexingMap) -> Interval {
    let of =
        |list: &[mapwright_indexing::Variable]| list.iter().map(|v| v.interval).collect::<Vec<_>>();
    let runtime: Vec<Interval> = map.runtime().iter().map(|v| v.interval).collect();
    expr.bounds(&of(map.dims()), &of(map.ranges()), &runtime)
}

struct Folder<'a> {
    map: &'a IndexingMap,
    known: &'a dyn Fn(Val<'_>) -> Option<Expr>,
    fuel: usize,
}

impl Folder<'_> {
    fn value(&mut self, value: Val<'_>, index: &[Expr]) -> Option<Expr> {
        self.fuel = self.fuel.checked_sub(1)?;
        if let Some(known) = (self.known)(value) {
            return Some(known);
        }
        let (def, result) = op::defining_op(value)?;
        // A number of `arith` or `index`, which is no tensor.
        if index.is_empty()
            && def.short_name() == "constant"
            && matches!(def.dialect(), "arith" | "index")
            && let Some(number) = def.attribute("value").and_then(attr::int)
        {
            return Some(c(number));
        }
        let ty = match def.result_type(result) {
            mapwright_mlir::ValueType::Tensor(ty) if ty.rank() == index.len() => ty,
            _ => return None,
        };
        if !(ty.element.is_int() || matches!(ty.element, ElementType::Bool | ElementType::Index)) {
            return None;
        }
        let found = match (def.dialect(), def.short_name()) {
            ("arith", "constant") | ("stablehlo" | "mhlo", "constant") => {
                self.constant(def, index)?
            }
            ("stablehlo" | "mhlo" | "chlo", name) => self.hlo(def, name, &ty, index)?,
            _ => return None,
        };
        // What wraps around in the element type is not the mathematical value.
        type_values(&ty.element)
            .contains_interval(bounds(&found, self.map))
            .then_some(found)
    }

    fn hlo(&mut self, def: Op<'_>, name: &str, ty: &TensorType, index: &[Expr]) -> Option<Expr> {
        let operand = |this: &mut Self, i: usize| this.value(def.operand(i), index);
        // A scalar operand of `select` or `clamp` stands for a tensor.
        let scalar = |this: &mut Self, i: usize| {
            let rank = def.operand_type(i).tensor()?.rank();
            this.value(def.operand(i), if rank == 0 { &[] } else { index })
        };
        match (name, def.num_operands()) {
            ("iota", 0) => {
                let axis = usize::try_from(def.int("iota_dimension")?).ok()?;
                index.get(axis).cloned()
            }
            ("convert", 1) => {
                let from = def.operand_type(0);
                let from = &from.tensor()?.element;
                // Anything but zero becomes true.
                if ty.element == ElementType::Bool && *from != ElementType::Bool {
                    return None;
                }
                operand(self, 0)
            }
            ("negate", 1) if ty.element != ElementType::Bool => Some(-operand(self, 0)?),
            ("add", 2) if ty.element != ElementType::Bool => {
                Some(operand(self, 0)? + operand(self, 1)?)
            }
            ("subtract", 2) if ty.element != ElementType::Bool => {
                Some(operand(self, 0)? - operand(self, 1)?)
            }
            ("multiply", 2) if ty.element != ElementType::Bool => {
                let (a, b) = (operand(self, 0)?, operand(self, 1)?);
                (a.as_constant().is_some() || b.as_constant().is_some()).then(|| a * b)
            }
            ("minimum", 2) => {
                let (a, b) = (operand(self, 0)?, operand(self, 1)?);
                Some(self.least(a, b))
            }
            ("maximum", 2) => {
                let (a, b) = (operand(self, 0)?, operand(self, 1)?);
                Some(self.greatest(a, b))
            }
            ("clamp", 3) => {
                let (low, x, high) = (scalar(self, 0)?, operand(self, 1)?, scalar(self, 2)?);
                let x = self.greatest(x, low);
                Some(self.least(x, high))
            }
            ("compare", 2) => {
                let direction = crate::attrs::comparison_direction(def).ok()?;
                let from = def.operand_type(0);
                let from = &from.tensor()?.element;
                if !from.is_int() && *from != ElementType::Bool {
                    return None;
                }
                let (a, b) = (operand(self, 0)?, operand(self, 1)?);
                let (a, b) = (bounds(&a, self.map), bounds(&b, self.map));
                use crate::attrs::ComparisonDirection as D;
                let answer = match direction {
                    D::Lt => a.less(b),
                    D::Le => a.less_equal(b),
                    D::Gt => b.less(a),
                    D::Ge => b.less_equal(a),
                    D::Eq => a.equal(b),
                    D::Ne => a.equal(b).map(|equal| !equal),
                };
                Some(c(i64::from(answer?)))
            }
            ("select", 3) => {
                let predicate = scalar(self, 0)?.as_constant()?;
                operand(self, if predicate != 0 { 1 } else { 2 })
            }
            ("optimization_barrier", _) => {
                let (_, result) = op::defining_op(def.result(0))?;
                (def.num_operands() == 1).then(|| self.value(def.operand(result), index))?
            }
            _ if moves(def) => self.through(def, index),
            _ => None,
        }
    }

    fn least(&self, a: Expr, b: Expr) -> Expr {
        match bounds(&a, self.map).less_equal(bounds(&b, self.map)) {
            Some(true) => a,
            Some(false) => b,
            None => a.min(b),
        }
    }

    fn greatest(&self, a: Expr, b: Expr) -> Expr {
        match bounds(&a, self.map).less_equal(bounds(&b, self.map)) {
            Some(true) => b,
            Some(false) => a,
            None => a.max(b),
        }
    }

    /// Through an operation that only moves elements, if it is certain from where this one comes.
    fn through(&mut self, def: Op<'_>, index: &[Expr]) -> Option<Expr> {
        let (operand, index) = source(def, index, self.map)?;
        self.value(def.operand(operand), &index)
    }

    /// An element of a constant: a splat, one that is told by its index, or all of them if they
    /// grow steadily.
    fn constant(&self, def: Op<'_>, index: &[Expr]) -> Option<Expr> {
        let attribute = def.attribute("value")?;
        let dense = attr::Dense::from_mlir(attribute)?;
        let width = dense.ty.element.byte_width()?;
        let unsigned = dense.ty.element.is_unsigned() || dense.ty.element == ElementType::Bool;
        let read = |at: usize| -> Option<i64> {
            let bytes = dense.data.get(at * width..(at + 1) * width)?;
            let mut wide = [0u8; 8];
            wide.get_mut(..width)?.copy_from_slice(bytes);
            let value = i64::from_le_bytes(wide);
            let shift = 64 - 8 * width as u32;
            match unsigned {
                true if width == 8 && value < 0 => None,
                true => Some(value),
                false => Some((value << shift) >> shift),
            }
        };
        if dense.splat {
            return read(0).map(c);
        }
        let shape = dense.ty.static_shape()?;
        let strides = crate::shape::reshape::strides(&shape);
        let count: usize = dense.data.len() / width;
        if count > LARGEST || shape.len() != index.len() {
            return None;
        }
        // value = first + sum of step_k * index_k, if it is.
        let first = read(0)?;
        let steps: Vec<i64> = shape
            .iter()
            .zip(&strides)
            .map(|(size, stride)| match size {
                0 | 1 => Some(0),
                _ => read(usize::try_from(*stride).ok()?)?.checked_sub(first),
            })
            .collect::<Option<_>>()?;
        let known: Option<Vec<i64>> = index.iter().map(Expr::as_constant).collect();
        if let Some(known) = known {
            let mut at = 0i64;
            for ((i, size), stride) in known.iter().zip(&shape).zip(&strides) {
                if *i < 0 || i >= size {
                    return None;
                }
                at += i * stride;
            }
            return read(usize::try_from(at).ok()?).map(c);
        }
        for at in 0..count {
            let mut expected = first as i128;
            let mut rest = at as i64;
            for (stride, step) in strides.iter().zip(&steps) {
                expected += i128::from(rest / stride) * i128::from(*step);
                rest %= stride;
            }
            if expected != i128::from(read(at)?) {
                return None;
            }
        }
        let mut sum = c(first);
        for (step, i) in steps.iter().zip(index) {
            if *step != 0 {
                sum = sum + i.clone() * *step;
            }
        }
        Some(sum)
    }
}

/// The operand, and the index in it, that element `index` of an operation comes from, if the
/// operation only moves elements.
pub fn moved_from(def: Op<'_>, index: &[i64]) -> Option<(usize, Vec<i64>)> {
    if !moves(def) {
        return None;
    }
    let index: Vec<Expr> = index.iter().map(|i| c(*i)).collect();
    let nowhere = IndexingMap::new(Vec::new(), Vec::new());
    let (operand, index) = source(def, &index, &nowhere)?;
    let index = index.iter().map(|expr| expr.bounds(&[], &[], &[]));
    let index = index.map(|found| (found.lower == found.upper).then_some(found.lower));
    Some((operand, index.collect::<Option<_>>()?))
}

/// Tells whether every element of the only result is one of an operand.
fn moves(def: Op<'_>) -> bool {
    def.short_name() == "concatenate" || lookup(def).is_some_and(|row| row.is_view)
}

/// Returns where element `index`, an expression over the variables of `map`, comes from, if that is
/// one place for the whole domain.
fn source(def: Op<'_>, index: &[Expr], map: &IndexingMap) -> Option<(usize, Vec<Expr>)> {
    let query = operand_facts::query(def, &Related::default());
    let maps = lookup(def)?;
    for operand in 0..def.num_operands() {
        let Ok(pieces) = (maps.output_to_input)(&query, 0, operand) else {
            return None;
        };
        for piece in pieces.iter().filter(|piece| piece.is_known()) {
            if piece.dims().len() != index.len()
                || !piece.runtime().is_empty()
                || !piece.ranges().is_empty()
                || !piece.is_exact()
            {
                return None;
            }
            let substitute = |expr: &Expr| {
                expr.replace(|kind| match kind {
                    ExprKind::Dim(k) => index[*k].clone(),
                    _ => c(0),
                })
            };
            let inside = piece
                .dims()
                .iter()
                .zip(index)
                .all(|(v, e)| v.interval.contains_interval(bounds(e, map)))
                && piece.constraints().iter().all(|k| {
                    k.interval
                        .contains_interval(bounds(&substitute(&k.expr), map))
                });
            if inside {
                return Some((operand, piece.results().iter().map(substitute).collect()));
            }
        }
    }
    None
}

/// The values that an integer type holds.
pub fn type_values(element: &ElementType) -> Interval {
    match element {
        ElementType::Bool => Interval::new(0, 1),
        ElementType::Int { width, unsigned } if *width < 64 => {
            let (lower, upper) = mapwright_mlir::types::default_storage_range(*width, *unsigned);
            Interval::new(lower, upper)
        }
        ElementType::Int { unsigned: true, .. } => Interval::new(0, i64::MAX),
        _ => Interval::FULL,
    }
}
