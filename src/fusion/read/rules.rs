//! Index rules of operations that move elements, run on sums of loop variables and of sizes.

use super::pieces;
use crate::composed::{self, LoopFacts};
use crate::condition::Condition;
use crate::node::{Element, Node, Reason, RuntimeIndex, tensor};
use mapwright_indexing::linear::{Atom, Base, FAR, Facts, Sum};
use mapwright_indexing::{Extent, Interval};
use mapwright_mlir::Op;
use mapwright_ops::index_rule::{
    Arithmetic, Found, IndexDomain, NumberDomain, Place, Read, Reads, Tensor, evaluate,
};
use mapwright_ops::registry;
use mapwright_ops::typing::check::constant_ints;

/// The domain of sums of loop variables, of sizes, and of what is read at run time.
struct Loops<'a, 'c> {
    op: Op<'c>,
    number: usize,
    facts: &'a Facts,
    /// Indices that are read at run time: value number `k` behind those of the loops.
    runtime: Vec<RuntimeIndex<'c>>,
}

impl<'a, 'c> Loops<'a, 'c> {
    /// Evaluates the rule of `op` for the element of result `number` at `index`: returns the
    /// elements that it reads, and the indices that these read at run time.
    fn reads(
        op: Op<'c>,
        number: usize,
        index: &[Sum],
        facts: &'a Facts,
    ) -> Result<(Reads<Sum>, Vec<RuntimeIndex<'c>>), Reason> {
        let rule = registry::lookup(op).and_then(|def| def.index_rule);
        let rule = rule.ok_or_else(|| Reason::new(format!("'{}'", op.name())))?;
        let mut loops = Self {
            op,
            number,
            facts,
            runtime: Vec::new(),
        };
        let reads = evaluate(&mut loops, op, rule, index.to_vec()).map_err(Reason)?;
        Ok((reads, loops.runtime))
    }

    fn read(&mut self, operand: usize, at: Vec<Sum>, lo: Extent, hi: Extent) -> Found<Sum> {
        if at.iter().any(|x| !self.is_known_before(x)) {
            return Err("an index that follows from another one".into());
        }
        let value = self.op.operand(operand);
        tensor(value).map_err(|reason| reason.0)?;
        let element = (value, at);
        self.runtime.push(RuntimeIndex { element, lo, hi });
        let number = self.facts.values.len() + self.runtime.len() - 1;
        Ok(Sum::atom(Atom::value(number)))
    }

    /// Tells whether nothing of it is read at run time by this operation.
    fn is_known_before(&self, sum: &Sum) -> bool {
        let known = self.facts.values.len();
        values(sum).into_iter().all(|value| value < known)
    }

    fn sizes(&self, of: Tensor) -> Found<Vec<Extent>> {
        let value = match of {
            Tensor::Operand(i) => self.op.operand(i),
            Tensor::Result => self.op.result(self.number),
        };
        tensor(value)
            .map(|found| found.1)
            .map_err(|reason| reason.0)
    }

    fn extent(&self, of: Tensor, k: usize) -> Found<Extent> {
        let size = self.sizes(of)?.get(k).copied();
        size.ok_or_else(|| "operand and result have different ranks".into())
    }
}

impl NumberDomain for Loops<'_, '_> {
    type Value = Sum;
    type Error = String;

    fn constant(&mut self, n: i64) -> Sum {
        Sum::constant(n)
    }

    fn known(&self, number: &Sum) -> Option<i64> {
        number.as_number()
    }

    fn arithmetic(&mut self, what: Arithmetic, a: Sum, b: Sum) -> Found<Sum> {
        let (x, y) = (a.as_constant(), b.as_constant());
        let divisor = || {
            let words = || "a divisor that is known at run time only".to_string();
            let known = self.is_known_before(&a) || y == Some(Extent::ONE);
            y.filter(|y| known && *y > 0).ok_or_else(words)
        };
        Ok(match (what, x, y) {
            (Arithmetic::Add, ..) => a.plus(&b),
            (Arithmetic::Sub, ..) => a.minus(&b),
            (Arithmetic::Mul, _, Some(factor)) => a.scaled(factor),
            (Arithmetic::Mul, Some(factor), None) => b.scaled(factor),
            (Arithmetic::Mul, None, None) => {
                return Err("a factor that is known at run time only".into());
            }
            (Arithmetic::Div, ..) => a.floor_div(divisor()?, self.facts),
            (Arithmetic::Rem, ..) => a.modulo(divisor()?, self.facts),
            (Arithmetic::Min, Some(x), Some(y)) => Sum::constant(x.least(y)),
            (Arithmetic::Max, Some(x), Some(y)) => Sum::constant(x.greatest(y)),
            (Arithmetic::Min | Arithmetic::Max, ..) => {
                let (lo, hi) = a.minus(&b).range(self.facts);
                match (lo.is_at_least(0), Extent::ZERO.is_at_least(hi)) {
                    (true, _) if what == Arithmetic::Max => a,
                    (true, _) => b,
                    (_, true) if what == Arithmetic::Max => b,
                    (_, true) => a,
                    _ => return Err("the smaller one of two indices".into()),
                }
            }
        })
    }
}

impl IndexDomain for Loops<'_, '_> {
    fn size(&mut self, of: Tensor, k: usize) -> Found<Sum> {
        self.extent(of, k).map(Sum::constant)
    }

    fn element(&mut self, operand: usize, at: Vec<Sum>, within: Interval) -> Found<Sum> {
        // What the program says itself is not read while it runs.
        let place = match at.as_slice() {
            [] => Some(0),
            [place] => self.known(place),
            _ => None,
        };
        let place = place.and_then(|place| usize::try_from(place).ok());
        let written = |place: usize| constant_ints(self.op.operand(operand))?.get(place).copied();
        if let Some(number) = place.and_then(written) {
            return Ok(Sum::constant(number));
        }
        let end = |n: i64| Extent::from(n.clamp(-FAR, FAR));
        self.read(operand, at, end(within.lower), end(within.upper))
    }

    fn clamped(&mut self, operand: usize, at: Vec<Sum>, last: Sum) -> Found<Sum> {
        match last.as_constant() {
            Some(Extent::ZERO) => Ok(Sum::default()),
            Some(last) if last < 0 => Err(format!(
                "the start in operand {operand} is of a slice that is larger than the operand"
            )),
            Some(last) => self.read(operand, at, Extent::ZERO, last),
            None => Err("the last start is known at run time only".into()),
        }
    }

    fn stretched(
        &mut self,
        operand: usize,
        (k, j): (usize, usize),
        index: Sum,
        stated: Option<bool>,
    ) -> Found<Sum> {
        let own = self.extent(Tensor::Operand(operand), k)?;
        let to = self.extent(Tensor::Result, j)?;
        let is_stretched = match own {
            Extent::ONE => to != Extent::ONE,
            _ if own == to || to == Extent::ONE || !own.is_run_time() => false,
            _ => stated.ok_or("whether a dimension is stretched is known at run time only")?,
        };
        Ok(if is_stretched { Sum::default() } else { index })
    }

    fn within(&mut self, _: usize, _: usize, index: Sum) -> Found<Sum> {
        Ok(index)
    }
}

/// Returns the numbers of the values read at run time that a sum depends on.
fn values(sum: &Sum) -> Vec<usize> {
    let mut values = Vec::new();
    sum.values(&mut values);
    values
}

/// An element that is copied from one of the operands, by the rule of the operation.
pub(super) fn copied<'c>(
    op: Op<'c>,
    number: usize,
    index: &[Sum],
    loops: &LoopFacts,
) -> Result<Node<'c>, Reason> {
    let (reads, runtime) = Loops::reads(op, number, index, loops)?;
    match (&reads.pieces[..], &reads.elsewhere) {
        ([read], None) => one(op, read, runtime, index, loops),
        _ => several(op, number, index, loops),
    }
}

/// The index that is read: what is divided by its step, and made as short as the simplifier makes
/// it.
fn at(read: &Read<Sum>, index: &[Sum], loops: &LoopFacts) -> Result<Vec<Sum>, Reason> {
    let mut found = Vec::with_capacity(read.at.len());
    for place in &read.at {
        let step = place.step.as_constant().filter(|step| *step > 0);
        let words = || Reason::new("a step that is known at run time only");
        found.push(place.number.floor_div(step.ok_or_else(words)?, loops));
    }
    // A projection changes nothing that could become shorter.
    let projects = |x: &Sum| x.as_constant().is_some() || index.contains(x);
    if found.iter().all(projects) {
        Ok(found)
    } else {
        composed::simplified(found, loops)
    }
}

/// The element of an operand, at an index that is read at run time in part.
fn one<'c>(
    op: Op<'c>,
    read: &Read<Sum>,
    runtime: Vec<RuntimeIndex<'c>>,
    index: &[Sum],
    loops: &LoopFacts,
) -> Result<Node<'c>, Reason> {
    let operand = op.operand(read.operand);
    tensor(operand)?;
    if runtime.is_empty() {
        return Ok(Node::Copy((operand, at(read, index, loops)?)));
    }
    let mut facts = loops.clone();
    facts
        .values
        .extend(runtime.iter().map(|read| (read.lo, read.hi)));
    let mut found = at(read, index, &facts)?;
    let mut starts = Vec::with_capacity(runtime.len());
    for (k, start) in runtime.into_iter().enumerate() {
        let value = loops.values.len() + k;
        let depends = |x: &Sum| values(x).contains(&value);
        let places: Vec<usize> = (0..found.len())
            .filter(|dim| depends(&found[*dim]))
            .collect();
        let dim = match places.as_slice() {
            [] => continue,
            [dim] => *dim,
            _ => {
                return Err(Reason::new("an index read at run time in several places"));
            }
        };
        found[dim] = found[dim].minus(&Sum::atom(Atom::value(value)));
        if depends(&found[dim]) {
            return Err(Reason::new("a multiple of an index read at run time"));
        }
        let (value, place) = start.element;
        let element = (value, composed::simplified(place, loops)?);
        starts.push((dim, RuntimeIndex { element, ..start }));
    }
    Ok(if starts.is_empty() {
        Node::Copy((operand, found))
    } else {
        Node::Dynamic {
            operand,
            index: found,
            runtime: starts,
        }
    })
}

/// A piece of a result: where it is along each dimension, and the patterns in which its elements
/// are.
struct Piece<'a> {
    read: &'a Read<Sum>,
    /// For each dimension of the result the first and the last place, where it does not go all
    /// along it.
    places: Vec<Option<(Extent, Extent)>>,
    /// Numbers that are multiples of their steps.
    patterns: Vec<(&'a Sum, Extent)>,
}

impl<'a> Piece<'a> {
    /// Of what is read at own variables of a result of sizes `from`; `None` where there is no
    /// element of it.
    fn from_read(
        read: &'a Read<Sum>,
        own: &[Extent],
        from: &[Extent],
    ) -> Result<Option<Self>, Reason> {
        let (mut places, mut patterns) = (vec![None; from.len()], Vec::new());
        for (size, place) in own.iter().zip(&read.at) {
            let step = place.step.as_constant().filter(|step| *step > 0);
            let step = step.ok_or_else(|| Reason::new("a step that is known at run time only"))?;
            let shift = Extent::ZERO - place.number.constant;
            let var = place.number.offset(shift).as_var();
            let Some(k) = var.filter(|k| *k < from.len()) else {
                return Err(Reason::new("which piece applies is known at run time only"));
            };
            let (mut first, mut last) = (shift, shift + *size * step - 1);
            if last < first && !last.is_run_time() && !first.is_run_time() {
                return Ok(None);
            }
            // Which of two ends is the greater one sizes that are known at run time only do not
            // say: the piece is where its own sizes say then.
            if !(*size).is_run_time() && !from[k].is_run_time() {
                let end = from[k] - 1;
                let cut = shift + (*size - 1) * step;
                if first > end || cut < 0 {
                    return Ok(None);
                }
                first = first.max(Extent::ZERO);
                // Behind the last element no other one follows: the pattern is whole.
                last = if cut > end {
                    end
                } else {
                    last.min(end.max(cut + step - 1))
                };
            }
            if *size == 0 {
                return Ok(None);
            }
            let same = shift == 0 && *size == from[k] && step == 1;
            let whole = same || first == 0 && last == from[k] - 1;
            if !whole {
                places[k] = Some((first, last));
            }
            if step != 1 {
                patterns.push((&place.number, step));
            }
        }
        Ok(Some(Self {
            read,
            places,
            patterns,
        }))
    }

    /// The only place that it has along dimension `k`.
    fn only(&self, k: usize) -> Option<Extent> {
        self.places[k]
            .filter(|(first, last)| first == last)
            .map(|(first, _)| first)
    }

    /// Tells whether nothing that it reads depends on dimension `k`, once its only place is put in.
    fn is_settled(&self, k: usize) -> bool {
        let used = self.read.at.iter().any(|place| place.number.depends_on(k));
        !used || self.only(k).is_some()
    }
}

impl Piece<'_> {
    /// Returns the conditions under which the piece applies, for an element at `index`; `pattern`:
    /// a number that is a multiple of its step there, at that index.
    fn conditions(
        &self,
        index: &[Sum],
        settled: &[bool],
        at_run_time: &dyn Fn(usize) -> bool,
        pattern: &dyn Fn(&Sum) -> Sum,
    ) -> Vec<Condition> {
        let places = self.places.iter().enumerate().filter_map(|(k, place)| {
            let (first, last) = (*place)?;
            let condition = Condition::between(&index[k], first, last);
            Some(condition.masking(settled[k]).at_run_time(at_run_time(k)))
        });
        let patterns = (self.patterns.iter())
            .map(|(number, step)| Condition::remainder(pattern(number), *step, 0, 0));
        places.chain(patterns).collect()
    }
}

/// An element of one of several pieces, or of what is left.
fn several<'c>(
    op: Op<'c>,
    number: usize,
    index: &[Sum],
    loops: &LoopFacts,
) -> Result<Node<'c>, Reason> {
    let (_, from) = tensor(op.result(number))?;
    let own_facts = Facts {
        vars: Facts::of_sizes(&from).vars,
        values: loops.values.clone(),
    };
    let variables: Vec<Sum> = (0..from.len()).map(Sum::var).collect();
    let (reads, runtime) = Loops::reads(op, number, &variables, &own_facts)?;
    if !runtime.is_empty() {
        return Err(Reason::new("which piece applies is known at run time only"));
    }
    let mut found: Vec<(Piece<'_>, Vec<Extent>)> = Vec::new();
    for read in &reads.pieces {
        let (_, own) = tensor(op.operand(read.operand))?;
        if own.len() != read.at.len() || own.len() != from.len() {
            return Err(Reason::new("operand and result have different ranks"));
        }
        if let Some(piece) = Piece::from_read(read, &own, &from)? {
            found.push((piece, own));
        }
    }
    let settled: Vec<bool> = (0..from.len())
        .map(|k| found.iter().all(|(piece, _)| piece.is_settled(k)))
        .collect();
    let mut pieces: Vec<(Vec<Condition>, Element<'c>)> = Vec::new();
    for (piece, own) in &found {
        let at_index = |sum: &Sum, only: bool| {
            sum.substitute(loops, &|base| match base {
                Base::Var(k) => {
                    let place = piece.only(*k).filter(|_| only);
                    Some(place.map_or_else(|| index[*k].clone(), Sum::constant))
                }
                _ => None,
            })
        };
        // Where a piece has one place only, its index says so.
        let places = piece.read.at.iter().map(|place| Place {
            number: at_index(&place.number, true),
            step: place.step.clone(),
        });
        let read = Read {
            operand: piece.read.operand,
            at: places.collect(),
        };
        let element = (op.operand(read.operand), at(&read, index, loops)?);
        let at_run_time = |k: usize| pieces::ends_at_run_time(own, &from, k);
        let patterns = |number: &Sum| at_index(number, false);
        let conditions = piece.conditions(index, &settled, &at_run_time, &patterns);
        let is_all = conditions.is_empty();
        pieces.push((conditions, element));
        if is_all {
            return Ok(Node::Pieces(pieces));
        }
    }
    if let Some(rest) = &reads.elsewhere {
        let operand = op.operand(rest.operand);
        pieces.push((Vec::new(), (operand, at(rest, index, loops)?)));
    }
    // What is left is in the last one.
    match pieces.last_mut() {
        Some((conditions, _)) => conditions.clear(),
        None => return Err(Reason::new(format!("'{}'", op.name()))),
    }
    Ok(Node::Pieces(pieces))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn holds(conditions: &[Condition], x: i64, names: i64) -> bool {
        let at = |end: Extent| end.eval(&|_| names.into()) as i64;
        conditions.iter().all(|condition| {
            // Sums of one variable whose coefficients are numbers, and whose constants may be
            // sizes.
            let constant = at(condition.lin.constant);
            let free = condition.lin.offset(-condition.lin.constant);
            let value = free.eval(&[x], &[]).unwrap() + constant;
            at(condition.lo) <= value && value <= at(condition.hi)
        })
    }

    fn read(low: Extent, step: i64) -> Read<Sum> {
        let (number, step) = (Sum::var(0).offset(-low), Sum::constant(step));
        Read {
            operand: 0,
            at: vec![Place { number, step }],
        }
    }

    proptest! {
        /// Of `n` elements `step` apart from `low` on, in `whole` places.
        #[test]
        fn a_piece_is_where_its_elements_are(low in -4..9_i64, step in 1..5_i64, n in 0..6_i64, whole in 1..25_i64) {
            let (own, from) = ([n.into()], [whole.into()]);
            let read = read(low.into(), step);
            let piece = Piece::from_read(&read, &own, &from).unwrap();
            let index = [Sum::var(0)];
            let conditions = piece.map(|piece| piece.conditions(&index, &[false], &|_| false, &Sum::clone));
            for x in 0..whole {
                let inside = (x - low).rem_euclid(step) == 0 && (0..n).contains(&(x - low).div_euclid(step));
                let found = conditions.as_ref().is_some_and(|all| holds(all, x, 0));
                prop_assert_eq!(found, inside, "{}", x);
            }
        }

        /// Checks it for as many elements as a size says, in so many places and some more.
        #[test]
        fn a_piece_of_run_time_size_is_where_its_elements_are(low in 0..4_i64, more in 0..4_i64, n in 0..9_i64) {
            let name = Extent::name(0);
            let (own, from) = ([name], [name + low + more]);
            let read = read(low.into(), 1);
            let piece = Piece::from_read(&read, &own, &from).unwrap().unwrap();
            let conditions = piece.conditions(&[Sum::var(0)], &[false], &|_| true, &Sum::clone);
            for x in 0..n + low + more {
                prop_assert_eq!(holds(&conditions, x, n), (low..low + n).contains(&x), "{}", x);
            }
        }
    }
}
