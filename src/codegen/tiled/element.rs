//! An element of any value: what it is made of, and which function computes that.

use super::analysis::ValueAt;
use super::emitter::{EmitResult, LoopEmitter};
use super::prefetch::Access;
use super::reduce::Combiner;
use crate::{Declined, Elem, scalar, storage};
use mapwright_fusion::node::{Node, node, tensor};
use mapwright_indexing::linear::Sum;
use mapwright_mlir::{Val, op};

/// Element `index` of `value`: a scalar where it is the same for all lanes, else a vector.
pub(crate) fn of_value<'c>(
    emitter: &mut LoopEmitter<'_, 'c>,
    value: Val<'c>,
    index: &[Sum],
) -> EmitResult<Elem<'c>> {
    // Copies are followed in a loop: there may be thousands of them in a row.
    let mut copies: Vec<ValueAt> = Vec::new();
    let mut at = (value, index.to_vec());
    let computed = loop {
        let key = (op::key(at.0), at.1.clone());
        if let Some(known) = emitter.known(&key) {
            break known;
        }
        if let Some((place, first)) = emitter.scratch_place(&key) {
            let kept = emitter.scratch_element(at.0, &at.1, &place, first)?;
            emitter.remember([(key, kept)]);
            break kept;
        }
        copies.push(key);
        match node(at.0, &at.1, &emitter.ranges)? {
            Node::Copy(source) => at = source,
            other => break emitter.made_of(at.0, &at.1, other)?,
        }
    };
    emitter.remember(copies.into_iter().map(|key| (key, computed)));
    Ok(computed)
}

impl<'c> LoopEmitter<'_, 'c> {
    /// Element `index` of a value that sweep `first` keeps for others in a buffer at an offset.
    fn scratch_element(
        &mut self,
        value: Val<'c>,
        index: &[Sum],
        (buffer, offset): &(Val<'c>, Sum),
        first: usize,
    ) -> EmitResult<Elem<'c>> {
        let element = tensor(value)?.0.element;
        if first != self.sweep && !self.same_group(first) {
            return self.load_from(*buffer, &element, offset);
        }
        let found = node(value, index, &self.ranges)?;
        let computed = self.made_of(value, index, found)?;
        let root = self.outputs.iter().position(|output| output == buffer);
        if let Some(root) = root {
            let port = &self.region.roots[root];
            let bytes = element.byte_width().unwrap_or(0) as i64;
            let size = (port.elements(), bytes);
            let ahead = self.plan.prefetches_output(root);
            self.ask_ahead(*buffer, (offset, ahead), size, Access::Write)?;
        }
        self.store_to(*buffer, &element, computed, offset, false)?;
        Ok(computed)
    }

    /// Element `index` of `value`, which is made of `found`.
    fn made_of(&mut self, value: Val<'c>, index: &[Sum], found: Node<'c>) -> EmitResult<Elem<'c>> {
        let b = self.b;
        match found {
            Node::Input => {
                let input = self.region.input_of[&op::key(value)];
                let offset = self.region.inputs[input].offset(index);
                self.load(input, &offset)
            }
            Node::Splat(dense) => Ok(storage::constant(b, &dense.ty.element, &dense.data, &[])?),
            Node::Iota(lin) => {
                let element = tensor(value)?.0.element;
                self.number(&lin, &element)
            }
            Node::Copy((source, at)) => self.eval(source, &at),
            Node::Pieces(pieces) => self.pieces(pieces),
            Node::Padded(padded) => self.padded(padded),
            Node::Elementwise(op, operands) => {
                let mut args = Vec::with_capacity(operands.len());
                for (source, at) in operands {
                    args.push(self.eval(source, &at)?);
                }
                if let Some(quotient) = self.quotient(op, index, &args)? {
                    return Ok(Elem::One(quotient));
                }
                let lanes = if args.iter().any(|x| self.is_vector(x.one())) {
                    vec![self.plan.lanes]
                } else {
                    Vec::new()
                };
                if !lanes.is_empty() && scalar::is_scalar_only(op) {
                    return Err(Declined::new(format!("'{}' of vectors", op.name())));
                }
                let args: Vec<Elem<'c>> = args
                    .into_iter()
                    .map(|x| x.map(|part| self.spread(part, &lanes)))
                    .collect();
                Ok(scalar::apply(b, op, &args)?)
            }
            Node::Window(op, number, elements) => {
                let combiner = Combiner::from_op(op, self)?;
                let lanes = match self.lane {
                    Some(_) => vec![self.plan.lanes],
                    None => Vec::new(),
                };
                let total = self.window(op, &combiner, &lanes, elements)?;
                self.remember((total.iter().enumerate()).map(|(k, value)| {
                    let key = (op::key(op.result(k)), index.to_vec());
                    (key, Elem::One(*value))
                }));
                Ok(Elem::One(total[number]))
            }
            Node::Reduce { .. } => Err(Declined::new("a reduction inside the loop of another one")),
            Node::Scan(op, axis, _) => self.scan(op, axis, index),
            Node::Dynamic {
                operand,
                mut index,
                runtime,
            } => {
                for (dim, start) in runtime {
                    let atom = self.runtime.atom(start, &mut self.ranges);
                    index[dim] = index[dim].plus(&Sum::atom(atom));
                }
                self.eval(operand, &index)
            }
        }
    }

    /// Element at `offset` of an input.
    fn load(&mut self, input: usize, offset: &Sum) -> EmitResult<Elem<'c>> {
        let (buffer, element) = self.input(input);
        if element.is_complex() {
            return self.load_complex(input, buffer, offset);
        }
        let loaded = self.load_stored(input, buffer, offset)?;
        Ok(storage::from_storage(self.b, &element, loaded)?)
    }
}
