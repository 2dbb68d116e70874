//! What an operation that joins a region reads, one way of reading after the other.

use super::{Group, JoinError, Joined};
use crate::node::{Node, node};
use crate::role::{Role, is_shape_operand, role};
use mapwright_indexing::linear::{Atom, Sum};
use mapwright_mlir::{Op, Val, op};
use mapwright_ops::contraction::convolution::is_depthwise;

impl Group {
    pub(super) fn look_at<'c>(
        &mut self,
        op: Op<'c>,
        value: Val<'c>,
        index: &[Sum],
        indices: usize,
        joined: &mut Joined,
    ) -> Result<(), JoinError> {
        let read = |joined: &mut Joined, value: Val<'_>, index: Vec<Sum>| {
            let new = (op::key(value), index);
            if !joined.reads.contains(&new) {
                joined.reads.push(new);
            }
        };
        let sized = (0..op.num_operands()).any(|i| is_shape_operand(op, i));
        if role(op) == Role::Contraction && !sized {
            if indices != 1 {
                return Err("a product that is used at several indices".into());
            }
            self.product_order(op, index)?;
            if self.kept.is_some() || self.scan || self.conditions || self.contraction {
                return Err("one product in a region, and no reduction after it".into());
            }
            if self.irregular {
                return Err("what follows a product is element by element".into());
            }
            joined.contraction = true;
            joined.depthwise = is_depthwise(op);
            joined
                .contracted
                .extend(op.operands().into_iter().map(op::key));
            return Ok(());
        }
        let found = node(value, index, &self.ranges).map_err(|r| r.0)?;
        joined.irregular |= !matches!(
            found,
            Node::Splat(_) | Node::Iota(_) | Node::Copy(_) | Node::Elementwise(..)
        );
        if self.contraction && joined.irregular {
            return Err("what goes with a product is element by element".into());
        }
        match found {
            Node::Input => return Err("not an operation".into()),
            Node::Splat(_) | Node::Iota(_) => {}
            Node::Copy((source, at)) => {
                joined.copies = true;
                read(joined, source, at);
            }
            Node::Elementwise(_, operands) => {
                for (source, at) in operands {
                    read(joined, source, at);
                }
            }
            Node::Padded(padded) => {
                let mut lows = Vec::new();
                let (element, mut conditions, value) = padded.place(|low| {
                    self.ranges.values.push((low.lo, low.hi));
                    lows.push(low.element);
                    Atom::value(self.ranges.values.len() - 1)
                });
                self.over_the_ends(&mut conditions, joined)?;
                joined.conditions |= self.separable(&conditions)?.is_none();
                for (source, at) in lows.into_iter().chain([element, (value, Vec::new())]) {
                    read(joined, source, at);
                }
            }
            Node::Pieces(pieces) => {
                for (mut conditions, (source, at)) in pieces {
                    let cut = self.cut_at_run_time(&mut conditions, joined)?;
                    match self.separable(&conditions)? {
                        Some(false) => continue,
                        Some(true) if !cut => {
                            read(joined, source, at);
                            break;
                        }
                        decided => joined.conditions |= decided.is_none(),
                    }
                    read(joined, source, at);
                }
            }
            Node::Window(op, _, elements) => {
                for (mut conditions, at) in elements {
                    self.over_the_ends(&mut conditions, joined)?;
                    match self.separable(&conditions)? {
                        Some(false) => continue,
                        Some(true) => {}
                        None => joined.conditions = true,
                    }
                    for i in 0..op.num_operands() / 2 {
                        read(joined, op.operand(i), at.clone());
                    }
                }
                for i in op.num_operands() / 2..op.num_operands() {
                    read(joined, op.operand(i), Vec::new());
                }
            }
            Node::Scan(op, _, reverse) => {
                if reverse {
                    return Err("a scan from the end is a region of its own".into());
                }
                if index != self.index
                    || self.kept.is_some()
                    || self.scan
                    || self.contraction
                    || !self.windows.is_empty()
                {
                    return Err(
                        "a scan is fused only where its result is used at its own index".into(),
                    );
                }
                joined.scan = true;
                read(joined, op.operand(0), index.to_vec());
                read(joined, op.operand(1), Vec::new());
            }
            Node::Dynamic {
                operand,
                index: mut at,
                runtime,
            } => {
                for (dim, start) in runtime {
                    read(joined, start.element.0, start.element.1);
                    self.ranges.values.push((start.lo, start.hi));
                    let atom = Atom::value(self.ranges.values.len() - 1);
                    at[dim] = at[dim].plus(&Sum::atom(atom));
                }
                read(joined, operand, at);
            }
            Node::Reduce { op, at, .. } => self.reduce(op, &at, index, indices, joined)?,
        }
        Ok(())
    }
}
