//! Operations that are divided among devices.

use super::{
    elements::bytes_to_send,
    engine::{Engine, Wishes},
    local,
    program::{Part, parts},
    sites::shape,
    slices::whole,
};
use crate::make::HloBuilder;
use mapwright_mlir::{Op, Val, computation, diagnostic::Failure, edit, op};
use mapwright_ops::registry;
use mapwright_sharding::propagate::{Divided, Loop, Program, Sharding, Value, divide};
use std::collections::{HashMap, HashSet};

impl<'c> Engine<'c> {
    /// Divides an operation; `false` if nothing of it can be split.
    pub(super) fn divided(
        &mut self,
        b: &HloBuilder<'c>,
        op: Op<'c>,
        wishes: &Wishes,
    ) -> Result<bool, Failure> {
        let is_tensor = |value: &Val<'c>| shape(*value).is_ok();
        if op.num_operands() == 0
            || !op.operands().iter().chain(&op.results()).all(is_tensor)
            // Operands that say sizes say those of whole results.
            || registry::lookup(op).is_none_or(|def| def.has_size_operands(op))
        {
            return Ok(false);
        }
        let values: Vec<Val<'c>> = op.operands().into_iter().chain(op.results()).collect();
        let number = |value: Val<'c>| values.iter().position(|v| *v == value);
        let all = parts(op, &self.composer, &number);
        if all.iter().map(|part| part.results.len()).sum::<usize>() != op.num_results() {
            return Ok(false);
        }
        let operands = op.num_operands();
        let mut program = Program {
            devices: self.matrix.clone(),
            values: Vec::new(),
            operations: all.iter().map(|part| part.operation.clone()).collect(),
        };
        let elements =
            |value: Val<'c>| shape(value).map_or(0, |sizes| sizes.iter().product::<i64>());
        let is_of_one = all.iter().all(|part| part.operation.data == 1);
        let made: i64 = op.results().into_iter().map(elements).sum();
        for (i, value) in values.iter().enumerate() {
            let given = match i < operands {
                // Partial results are combined before there are more of them; a piece of what is
                // put together is no more than it was.
                true if made > elements(*value) && is_of_one => Some(self.has(*value).full()),
                true => Some(self.has(*value)),
                false => Some(self.wish(wishes, *value)).filter(|wish| *wish != whole(*value)),
            };
            program.values.push(Value {
                name: self.label(*value),
                shape: shape(*value).unwrap_or_default(),
                element_bytes: bytes_to_send(*value),
                given,
                also: self.others_of(*value),
                open: Vec::new(),
            });
        }
        let Some(divided) = self.choose(op, &all, &program) else {
            return Ok(false);
        };
        let (part, found) = &divided[0];
        let mut given = Vec::new();
        for (i, needs) in found.operands.iter().enumerate() {
            let value = op.operand(part.operands[i]);
            let reasons = found.stuck.iter().filter(|(operand, _)| *operand == i);
            let mut reasons: Vec<&str> = reasons.map(|(_, why)| why.as_str()).collect();
            reasons.dedup();
            let why = if reasons.is_empty() {
                format!("{} is split otherwise", op.name())
            } else {
                reasons.join("; ")
            };
            given.push(self.get(b, value, needs, &why, op)?);
        }
        let captured = self.captured(b, op)?;
        b.set_location(op.location());
        let layouts = local::layouts_made(op, &divided);
        let copy = local::on_slices(op, &given, &layouts, &captured);
        edit::append(b.block(), copy);
        let results = op.results().into_iter().zip(copy.results());
        for ((value, made), makes) in results.zip(layouts) {
            self.hold(value, makes.clone(), made);
            let wants = self.wish(wishes, value);
            let is_given = wishes.given.contains(&op::key(value));
            let combine = !makes.partial.is_empty() && op::uses(value).len() != 1;
            if (is_given || combine) && makes != wants {
                let why = if combine {
                    "its partial results are read several times"
                } else {
                    "the program wants it so"
                };
                let made = self.get(b, value, &wants, why, op)?;
                self.hold(value, wants, made);
            }
        }
        Ok(true)
    }

    /// The values that the regions of an operation read from outside, as a whole.
    fn captured(
        &mut self,
        b: &HloBuilder<'c>,
        op: Op<'c>,
    ) -> Result<HashMap<usize, Val<'c>>, Failure> {
        let (mut map, mut seen) = (HashMap::new(), HashSet::new());
        let held = |value: &Val<'c>| self.held.contains_key(&op::key(*value));
        let mut captured = computation::captured(op);
        captured.retain(|value| held(value) && seen.insert(op::key(*value)));
        for value in captured {
            let why = format!("{} reads it in its region", op.name());
            let made = self.get(b, value, &whole(value), &why, op)?;
            map.insert(op::key(value), made);
        }
        Ok(map)
    }

    /// The loops of each part that are split: as many as the operation on slices is right with. All
    /// parts need the same slices of operands, those of the first one.
    fn choose<'p>(
        &mut self,
        op: Op<'c>,
        parts: &'p [Part],
        program: &Program,
    ) -> Option<Vec<(&'p Part, Divided)>> {
        type Found<'p> = Vec<(&'p Part, Divided)>;
        let (devices, held, plans) = (self.matrix.count(), &self.held, &mut self.plans);
        let mut attempt = |whole: &[Loop]| -> Result<Option<Found<'p>>, Vec<Loop>> {
            let mut program = program.clone();
            let mut all: Found<'p> = Vec::new();
            for (k, part) in parts.iter().enumerate() {
                let whole = if k == 0 { whole } else { &[] };
                let Ok(mut found) = divide(&program, k, plans, whole) else {
                    return Ok(None);
                };
                found.makes = found.makes.merged();
                let kinds = &found.makes.partial;
                if kinds.windows(2).any(|pair| pair[0].1 != pair[1].1) {
                    return Ok(None);
                }
                if found.loops.is_empty() && found.makes.partial.is_empty() {
                    return Ok(None);
                }
                if !local::share_initial_values(op, &mut found) {
                    return Err(found.loops.iter().map(|(var, ..)| *var).collect());
                }
                match all.first() {
                    Some((_, first)) if first.operands != found.operands => return Ok(None),
                    Some(_) => {}
                    None => {
                        let needs = part.operands.iter().zip(&found.operands);
                        needs.for_each(|(i, needs)| {
                            program.values[*i].given = Some(needs.clone());
                        });
                    }
                }
                all.push((part, found));
            }
            let Some((_, first)) = all.first() else {
                return Ok(None);
            };
            let split = first.loops.iter().map(|(var, ..)| *var).collect();
            let held = |value: Val<'c>, needs: &Sharding| {
                let held = held.get(&op::key(value))?;
                let there = held.versions.iter().find(|(has, _)| has == needs);
                there.map(|(_, made)| *made)
            };
            if local::is_right(op, &all, devices, &held) {
                Ok(Some(all))
            } else {
                Err(split)
            }
        };
        let loops = match attempt(&[]) {
            Ok(found) => return found,
            Err(loops) => loops,
        };
        // One loop may be what stands in the way, or all but one.
        let single = loops.iter().map(|var| vec![*var]);
        let others = loops.iter().map(|var| {
            let rest = loops.iter().filter(|other| *other != var);
            rest.copied().collect::<Vec<_>>()
        });
        let mut tries = single.chain(others);
        tries.find_map(|whole| attempt(&whole).ok().flatten())
    }
}
