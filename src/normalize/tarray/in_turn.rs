//! What a round of a loop does to a list as a whole: one round after the other, each on its list as
//! long as it is.

use super::{
    emit::Emitter,
    form::{Form, levels, number, product},
    lifted::{Level, Lifted, Stacked},
    lists::{captures, groups, rows_of},
    sizes::{tensor_of, vary},
};
use crate::rewrite::{Result, fail};
use mapwright_indexing::Extent;
use mapwright_mlir::{Op, TensorType, UNBOUNDED, Val, ValueType, melior::ir::ValueLike};

/// Place of the results of all rounds.
enum Place<'c> {
    /// Tensors: one behind the other.
    Row(TensorType),
    /// Lists as long as those of an input of the rounds, at the same places.
    Beside { leaf: TensorType, input: Form<'c> },
    /// Tensors with a slice for each element of a list of an input, one behind the other along the
    /// first dimension.
    Slices { leaf: TensorType, input: Form<'c> },
    /// Lists of lengths that the rounds themselves say, one behind the other: as many rows as all
    /// of them have at most.
    Within { leaf: TensorType, rows: Extent },
    /// Lists whose rows have no known maximum, one behind the other as an array.
    Behind(Form<'c>),
}

/// A round: what it gives, and the lists that it was given with where they begin.
struct Round<'c> {
    given: Vec<Form<'c>>,
    /// For each kind of list: the array, where the list of the round begins, and its length.
    lists: Vec<(Form<'c>, Val<'c>, Val<'c>)>,
}

/// Operations that are done round by round.
pub(super) struct Turn<'c> {
    /// Number of operations of the body.
    pub(super) count: usize,
    /// They, behind what moves elements that they read.
    ops: Vec<Op<'c>>,
    /// Results of the operations that move elements: a round computes them, and others may ask for
    /// them as well.
    deferred: Vec<(Val<'c>, Lifted<'c>)>,
    /// Values that they use and that differ from round to round.
    inputs: Vec<(Val<'c>, Lifted<'c>)>,
    /// Results that are used behind them, and the places for these.
    needed: Vec<Val<'c>>,
    places: Vec<Place<'c>>,
}

impl<'c> Emitter<'c> {
    /// The first operations of a body that are done round by round: as few as have results that can
    /// be put somewhere.
    pub(super) fn turn(
        &self,
        ops: &[Op<'c>],
        end: Op<'c>,
        level: Level<'c>,
    ) -> Result<'c, Turn<'c>> {
        let mut counts = groups(ops);
        let all = counts.pop().unwrap_or(ops.len());
        let some = counts
            .into_iter()
            .find_map(|n| self.planned(ops, n, end, level).ok());
        some.map_or_else(|| self.planned(ops, all, end, level), Ok)
    }

    /// Plans the first `count` operations of the body to be done round by round.
    fn planned(
        &self,
        body: &[Op<'c>],
        count: usize,
        end: Op<'c>,
        level: Level<'c>,
    ) -> Result<'c, Turn<'c>> {
        let m = &self.m;
        let (ops, rest) = body.split_at(count);
        let later = captures(&[rest, &[end]].concat());
        let results = ops.iter().flat_map(|op| op.results());
        let needed: Vec<Val<'c>> = results.filter(|value| later.contains(value)).collect();
        let moves = self.deferred_before(ops);
        let deferred: Vec<(Val<'c>, Lifted<'c>)> = (moves.iter().flat_map(|op| op.results()))
            .filter_map(|value| Some((value, self.lifted(value)?)))
            .collect();
        let ops = [moves.as_slice(), ops].concat();
        let inputs: Vec<(Val<'c>, Lifted<'c>)> = captures(&ops)
            .into_iter()
            .filter_map(|value| Some((value, self.lifted(value)?)))
            .collect();
        // A round that is thrown away says what rounds give.
        let scalar = m.ty(&number(), &[]);
        let mut outcome = fail(body[0], "has no body");
        let sizes = m.known_sizes();
        let trial = m.b.region(&[scalar], |_, arguments| {
            outcome = self.round(&ops, &inputs, &needed, (arguments[0], level.size));
        });
        let places = outcome.and_then(|round| self.places(body[0], &round, level));
        drop(trial);
        m.forget_sizes(sizes);
        for (value, lifted) in &deferred {
            self.lift(*value, lifted.clone());
        }
        Ok(Turn {
            count,
            ops,
            deferred,
            inputs,
            needed,
            places: places?,
        })
    }

    /// Emits operations round by round, and notes the form in all rounds of those of their results
    /// that others use.
    pub(super) fn in_turn(&self, turn: Turn<'c>, level: Level<'c>) -> Result<'c> {
        let m = &self.m;
        let Turn {
            ops,
            deferred,
            inputs,
            needed,
            places,
            count,
        } = turn;
        let at = ops[ops.len() - count];
        let mut state = Vec::new();
        for place in &places {
            match place {
                Place::Row(ty) => {
                    let (element, sizes) = rows_of(ty, level.size);
                    state.push(m.unread(&element, &sizes));
                }
                Place::Beside { leaf, input } | Place::Slices { leaf, input } => {
                    let (element, sizes) = rows_of(leaf, m.room_at(input, 1));
                    state.push(m.unread(&element, &sizes));
                }
                Place::Within { leaf, rows } => {
                    let (element, sizes) = rows_of(leaf, *rows);
                    state.push(m.unread(&element, &sizes));
                    state.push(m.zeros(&number(), &[level.size + 1]));
                }
                Place::Behind(none) => state.extend(&none.parts),
            }
        }
        let all = m.repeat_changing(at, level.count, &state, |i, state| {
            let round = self.round(&ops, &inputs, &needed, (i, level.size))?;
            let mut state = state.iter().copied();
            let mut next = Vec::new();
            let mut old = || state.next().ok_or(());
            for (place, form) in places.iter().zip(&round.given) {
                match place {
                    Place::Row(_) => {
                        let Ok(rows) = old() else { break };
                        next.push(m.with_row(rows, i, form.parts[0]));
                    }
                    Place::Beside { input, .. } | Place::Slices { input, .. } => {
                        let Ok(rows) = old() else { break };
                        let begin = round.lists.iter().find(|list| same_lists(&list.0, input));
                        let begin = begin.map_or_else(|| m.int(0), |list| list.1);
                        next.push(m.with_rows(rows, begin, m.tight(form).parts[0]));
                    }
                    Place::Within { .. } => {
                        let (Ok(rows), Ok(offsets)) = (old(), old()) else {
                            break;
                        };
                        let begin = m.row(offsets, i);
                        next.push(m.with_rows(rows, begin, m.tight(form).parts[0]));
                        let end = m.add(begin, form.parts[1]);
                        next.push(m.with_row(offsets, m.add(i, m.int(1)), end));
                    }
                    Place::Behind(none) => {
                        let all = Form {
                            ty: none.ty.clone(),
                            parts: (none.parts.iter()).filter_map(|_| old().ok()).collect(),
                        };
                        next.extend(m.appended(at, &all, &m.alone(form))?);
                    }
                }
            }
            Ok(next)
        })?;
        let mut all = all.into_iter();
        for ((value, place), form) in needed.iter().zip(places).zip(self.types(&needed)) {
            let lifted = match place {
                Place::Row(ty) => Lifted::Rows(Form {
                    ty: ValueType::Tensor(ty),
                    parts: all.next().into_iter().collect(),
                }),
                Place::Beside { input, .. } => {
                    let Some(rows) = all.next() else { break };
                    Lifted::Nest(Form {
                        ty: nest(form, level),
                        parts: vec![rows, level.count, input.parts[2]],
                    })
                }
                Place::Slices { input, .. } => {
                    let Some(rows) = all.next() else { break };
                    Lifted::Stacked(Stacked {
                        all: rows,
                        dim: 0,
                        offsets: input.parts[2],
                        most: element_max(&input).unwrap_or(UNBOUNDED),
                        level,
                    })
                }
                Place::Within { .. } => {
                    let (Some(rows), Some(offsets)) = (all.next(), all.next()) else {
                        break;
                    };
                    let rows = m.rows_from(rows, m.int(0), m.last(offsets));
                    Lifted::Nest(Form {
                        ty: nest(form, level),
                        parts: vec![rows, level.count, offsets],
                    })
                }
                Place::Behind(none) => {
                    let mut made = m.closed(&Form {
                        ty: nest(form, level),
                        parts: all.by_ref().take(none.parts.len()).collect(),
                    });
                    made.parts[1] = level.count;
                    Lifted::Nest(made)
                }
            };
            self.lift(*value, lifted);
        }
        for (value, lifted) in deferred {
            self.lift(value, lifted);
        }
        Ok(())
    }

    fn types(&self, values: &[Val<'c>]) -> Vec<ValueType> {
        let types = values.iter().map(|value| value.r#type());
        types.map(ValueType::from_mlir).collect()
    }

    /// The operations of round `i`, of so many.
    fn round(
        &self,
        ops: &[Op<'c>],
        inputs: &[(Val<'c>, Lifted<'c>)],
        needed: &[Val<'c>],
        (i, rounds): (Val<'c>, Extent),
    ) -> Result<'c, Round<'c>> {
        let m = &self.m;
        let mut lists: Vec<(Form<'c>, Val<'c>, Val<'c>)> = Vec::new();
        let mut list_of = |form: &Form<'c>| {
            let known = lists.iter().find(|list| same_lists(&list.0, form));
            if let Some((_, begin, length)) = known {
                return (*begin, *length);
            }
            let offsets = form.parts[2];
            let begin = m.row(offsets, i);
            let end = m.row(offsets, m.add(i, m.int(1)));
            let length = m.sub(end, begin);
            lists.push((form.clone(), begin, length));
            (begin, length)
        };
        for (value, lifted) in inputs {
            let form = match lifted {
                Lifted::Rows(form) => Form {
                    ty: form.ty.clone(),
                    parts: vec![m.row(form.parts[0], i)],
                },
                Lifted::Nest(form) if levels(&form.ty).0.len() == 2 => {
                    let (begin, length) = list_of(form);
                    let (element, most) = element(form);
                    m.at_most(m.size_of(length), most);
                    let leaves = m.rows_from(form.parts[0], begin, length);
                    Form {
                        ty: element,
                        parts: vec![leaves, length],
                    }
                }
                Lifted::Stacked(stacked) => {
                    let (begin, length) = list_of(&stacked.as_lists());
                    m.at_most(m.size_of(length), stacked.most);
                    let first = m.move_dim(stacked.all, stacked.dim, 0);
                    let rows = m.rows_from(first, begin, length);
                    Form {
                        ty: ValueType::from_mlir(value.r#type()),
                        parts: vec![m.move_dim(rows, 0, stacked.dim)],
                    }
                }
                // It is done in the round.
                Lifted::Deferred(..) => continue,
                Lifted::Nest(form) => {
                    let found = m.elements_at(form, m.reshape(i, &[Extent::ONE]));
                    let parts = found.into_iter().map(|all| {
                        let (_, shape) = m.type_of(all);
                        m.reshape(all, &shape[1..])
                    });
                    Form {
                        ty: element(form).0,
                        parts: parts.collect(),
                    }
                }
            };
            self.bind(*value, form);
        }
        let outcome = m.in_round(rounds, || ops.iter().try_for_each(|op| self.op(*op)));
        let given: Option<Vec<Form<'c>>> = needed.iter().map(|value| self.form(*value)).collect();
        for (value, lifted) in inputs {
            self.lift(*value, lifted.clone());
        }
        outcome?;
        match given {
            Some(given) => Ok(Round { given, lists }),
            None => fail(ops[0], "has a result that is not known"),
        }
    }

    /// Returns a place for each result of a round.
    fn places(
        &self,
        at: Op<'c>,
        round: &Round<'c>,
        level: Level<'c>,
    ) -> Result<'c, Vec<Place<'c>>> {
        let m = &self.m;
        let mut places = Vec::new();
        for form in &round.given {
            places.push(match &form.ty {
                ValueType::Tensor(ty) if ty.static_shape().is_some() => Place::Row(ty.clone()),
                ValueType::Tensor(ty) => {
                    let (_, own) = m.type_of(form.parts[0]);
                    let as_long = round.lists.iter().find(|(_, _, length)| {
                        own.first()
                            .is_some_and(|n| m.agree(&[*n], &[m.size_of(*length)]))
                    });
                    let rest = own.get(1..).unwrap_or_default();
                    match as_long {
                        Some((input, ..)) if !vary(rest) => Place::Slices {
                            leaf: tensor_of(&ty.element, rest),
                            input: input.clone(),
                        },
                        _ => return fail(at, format!("gives a {ty} in each round")),
                    }
                }
                ValueType::Array { element, max } => {
                    let leaf = element.tensor().filter(|ty| ty.static_shape().is_some());
                    let as_long = round.lists.iter().find(|(input, _, length)| {
                        *length == form.parts[1] && element_max(input) == Some(*max)
                    });
                    let room = m.room_at(form, 0);
                    // A list that is made of some elements of another has the room of all.
                    let some_of = round.lists.iter().find(|(_, _, length)| {
                        room.is_run_time() && m.as_room(m.size_of(*length)) == room
                    });
                    let rows = match some_of {
                        Some((input, ..)) => Some(m.room_at(input, 1)),
                        None if room.is_run_time() => None,
                        None => Some(room * level.size),
                    };
                    match (as_long, leaf, rows) {
                        (Some((input, ..)), Some(leaf), _) => Place::Beside {
                            leaf: leaf.clone(),
                            input: input.clone(),
                        },
                        (None, Some(leaf), Some(rows)) => Place::Within {
                            leaf: leaf.clone(),
                            rows,
                        },
                        _ => {
                            let (leaf, own) = m.type_of(form.parts[0]);
                            if vary(&own[1..]) {
                                return fail(at, "gives an array of run-time sizes in each round");
                            }
                            Place::Behind(m.none_of(&form.ty, &leaf, &own[1..]))
                        }
                    }
                }
                other => return fail(at, format!("gives a {other} in each round")),
            });
        }
        Ok(places)
    }
}

/// Tells whether the lists of two arrays are at the same places.
fn same_lists(a: &Form<'_>, b: &Form<'_>) -> bool {
    a.parts[2] == b.parts[2] && element_max(a) == element_max(b)
}

/// The type of the elements of an array, and the most elements that one may have.
fn element(form: &Form<'_>) -> (ValueType, i64) {
    match &form.ty {
        ValueType::Array { element, .. } => {
            let most = product(&levels(element).0);
            ((**element).clone(), most)
        }
        other => (other.clone(), 0),
    }
}

fn element_max(form: &Form<'_>) -> Option<i64> {
    match &form.ty {
        ValueType::Array { element, .. } => match **element {
            ValueType::Array { max, .. } => Some(max),
            _ => None,
        },
        _ => None,
    }
}

/// The array of what all rounds give.
fn nest(element: ValueType, level: Level<'_>) -> ValueType {
    ValueType::Array {
        element: Box::new(element),
        max: level.most,
    }
}
