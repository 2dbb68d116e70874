//! A fused region as the emitters read it: what goes in, what comes out, and the block between.

use super::inner_sizes;
use crate::run_time::RunTime;
use crate::{Declined, emitter::InnerSize};
use mapwright_fusion::composed::Composing;
use mapwright_fusion::node::tensor;
use mapwright_fusion::role::is_countable;
use mapwright_indexing::Extent;
use mapwright_indexing::linear::{Sum, VarId, linearize};
use mapwright_mlir::{ElementType, FloatKind, Op, TensorType, Val, op};
use mapwright_ops::attrs::Pad;
use mapwright_ops::registry::{
    Class::{Assembly, Movement},
    OpDef, lookup,
};
use std::collections::HashMap;

/// A value with its type.
pub(crate) struct Port<'c> {
    pub value: Val<'c>,
    pub ty: TensorType,
    pub shape: Vec<Extent>,
    /// Sizes that offsets are computed with: those of the shape, or larger ones where rows have
    /// room behind them.
    pub layout: Vec<Extent>,
    /// The memory holds a part of the tensor: the variable says which element it begins with.
    pub base: Option<VarId>,
}

impl<'c> Port<'c> {
    /// The port of a value.
    pub fn from_value(value: Val<'c>) -> Result<Self, Declined> {
        let (ty, shape) = tensor(value)?;
        Ok(Port {
            value,
            ty,
            layout: shape.clone(),
            shape,
            base: None,
        })
    }

    /// Its sizes that are known at run time only.
    fn unknown(&self) -> impl Iterator<Item = Extent> {
        let dims = self.ty.dims.iter().zip(&self.shape);
        dims.filter(|(dim, _)| dim.fixed().is_none())
            .map(|(_, size)| *size)
    }

    /// Whether it is a tensor of the same type and sizes.
    pub fn is_like(&self, other: &Self) -> bool {
        self.ty.element == other.ty.element && self.shape == other.shape
    }

    /// Whether it is a tensor of a static shape.
    pub fn is_static(&self) -> bool {
        self.ty.static_shape().is_some()
    }

    /// Offset of an element in the memory of the port.
    pub fn offset(&self, index: &[Sum]) -> Sum {
        let offset = linearize(index, &self.layout);
        match self.base {
            Some(base) => offset.minus(&Sum::var(base)),
            None => offset,
        }
    }

    /// Elements of the memory, with the room behind rows.
    pub fn elements(&self) -> Extent {
        self.layout.iter().product()
    }
}

/// The region as the emitter sees it.
pub(crate) struct Region<'c> {
    pub inputs: Vec<Port<'c>>,
    pub roots: Vec<Port<'c>>,
    /// Whether the function gives a result back and does nothing else with it.
    pub returned: Vec<bool>,
    /// The operations, without the terminator.
    pub members: Vec<Op<'c>>,
    pub input_of: HashMap<usize, usize>,
    /// Composition of indices of its loops.
    pub composing: Composing,
    /// Widest value in bytes that goes through vector registers; of complex numbers, a part.
    pub widest: i64,
    /// Some values are complex.
    pub complex: bool,
    pub sizes: RunTime,
    /// Number of arguments of the kernel that are sizes.
    pub size_arguments: usize,
    /// Sizes among them, at the end, that no tensor outside of the region has.
    pub inner_sizes: Vec<InnerSize>,
}

/// Returns the inputs and the results of a region.
pub(crate) fn ports<'c>(fusion: Op<'c>) -> Result<[Vec<Port<'c>>; 2], Declined> {
    let body = fusion.body(0);
    let inputs = body.map(op::arguments).unwrap_or_default();
    let end = body.and_then(|body| op::ops(body).pop());
    let roots = end.map(|end| end.operands()).unwrap_or_default();
    let all = |values: Vec<Val<'c>>| -> Result<Vec<Port<'c>>, Declined> {
        values.into_iter().map(Port::from_value).collect()
    };
    Ok([all(inputs)?, all(roots)?])
}

/// The run-time sizes of a region, and how many arguments of its kernel are sizes.
pub(crate) fn run_time_sizes(inputs: &[Port<'_>], roots: &[Port<'_>]) -> (RunTime, usize) {
    let unknown: Vec<Extent> = (inputs.iter().chain(roots))
        .flat_map(|port| port.unknown())
        .collect();
    (RunTime::new(unknown.iter().copied()), unknown.len())
}

/// A region that computes more than this is not walked: recursion follows the depth of the region.
const MAX_OPERATIONS: usize = 1500;

impl<'c> Region<'c> {
    /// As [`Region::from_fusion`], and nothing in it is complex.
    pub fn of_reals(fusion: Op<'c>, composing: Composing) -> Result<Self, Declined> {
        let region = Self::from_fusion(fusion, composing)?;
        if region.complex {
            Err(Declined::new("complex numbers"))
        } else {
            Ok(region)
        }
    }

    pub fn from_fusion(fusion: Op<'c>, composing: Composing) -> Result<Self, Declined> {
        let Some(body) = fusion.body(0) else {
            return Err(Declined::new("a region without a body"));
        };
        let ops = op::ops(body);
        let Some((_, ops)) = ops.split_last() else {
            return Err(Declined::new("an empty region"));
        };
        let [inputs, roots] = ports(fusion)?;
        let moves = |op: &Op<'c>| lookup(*op).is_some_and(|def| def.class == Movement);
        let computing = ops.iter().filter(|op| !moves(op)).count();
        if computing > MAX_OPERATIONS {
            return Err(Declined::new(format!(
                "{computing} operations in one region"
            )));
        }
        let moved = computing == 0;
        let (mut widest, mut complex) = (1, false);
        let values = ops.iter().flat_map(|op| op.results());
        for value in values.chain(inputs.iter().map(|input| input.value)) {
            let (ty, shape) = tensor(value)?;
            if !is_countable(&shape) {
                return Err(Declined::new(format!("a tensor of type {ty}")));
            }
            widest = widest.max(value_bytes(&ty.element, moved)?);
            complex |= ty.element.is_complex();
        }
        if roots.is_empty() {
            return Err(Declined::new("a region without results"));
        }
        let (mut sizes, size_arguments) = run_time_sizes(&inputs, &roots);
        for op in ops {
            put_together(*op, &sizes)?;
            reshaped(*op, &sizes)?;
        }
        let inner_sizes = inner_sizes::find(ops, &mut sizes, size_arguments)?;
        // Also where a name says the number: the buffer is that of a tensor of run-time size.
        let mut ports = inputs.iter().chain(&roots);
        if complex && ports.any(|port| !port.is_static()) {
            return Err(Declined::new("complex numbers of run-time sizes"));
        }
        let input_of = inputs
            .iter()
            .enumerate()
            .map(|(i, input)| (op::key(input.value), i))
            .collect();
        let is_end = |(user, _): &(Op<'c>, usize)| user.name() == "func.return";
        let returned = fusion.results().into_iter();
        Ok(Self {
            members: ops.to_vec(),
            inputs,
            roots,
            returned: returned
                .map(|value| op::uses(value).iter().all(is_end))
                .collect(),
            input_of,
            composing,
            widest,
            complex,
            sizes,
            size_arguments: size_arguments + inner_sizes.len(),
            inner_sizes,
        })
    }

    /// The values that the results are made of, by their keys ([`op::key`]), with their element
    /// types.
    pub fn values(&self) -> HashMap<usize, ElementType> {
        let mut found = HashMap::new();
        let mut pending: Vec<Val<'c>> = self.roots.iter().map(|root| root.value).collect();
        while let Some(value) = pending.pop() {
            // Those that are no tensors of static shape would not be in a region.
            let Ok((ty, _)) = tensor(value) else {
                continue;
            };
            if found.insert(op::key(value), ty.element).is_some() {
                continue;
            }
            if let Some((op, _)) = op::defining_op(value) {
                pending.extend(op.operands());
            }
        }
        found
    }
}

/// A size of a tensor inside of the region follows from the elements that there are, where it has
/// them in another shape.
fn reshaped(op: Op<'_>, sizes: &RunTime) -> Result<(), Declined> {
    let of_sizes = lookup(op).is_some_and(|def| def.class == Movement && def.handles_sizes);
    if sizes.is_empty() || !of_sizes {
        return Ok(());
    }
    let shapes = [tensor(op.operand(0))?.1, tensor(op.result(0))?.1];
    for (own, other) in [(&shapes[0], &shapes[1]), (&shapes[1], &shapes[0])] {
        let is_unknown = |size: &&Extent| !sizes.know(**size);
        let unknown: Vec<Extent> = own.iter().filter(is_unknown).copied().collect();
        let [unknown] = unknown.as_slice() else {
            continue;
        };
        let rest: Extent = own.iter().filter(|n| *n != unknown).product();
        let all: Extent = other.iter().product();
        if let (Some((name, times)), Some(size)) =
            (unknown.multiple_of_name(), all.divided_by(rest))
            && let Some(size) = size.divided_by(times.into())
        {
            sizes.follows(name, size);
        }
    }
    Ok(())
}

/// Sizes of what is put together inside of the region follow from those of the pieces. Other
/// operations say their sizes in other ways: where they are operands, they are arguments of the
/// kernel ([`inner_sizes`]).
fn put_together(op: Op<'_>, sizes: &RunTime) -> Result<(), Declined> {
    let is_of_pieces = |def: &OpDef| def.class == Assembly && def.data_operands.is_none();
    if sizes.is_empty() || !lookup(op).is_some_and(is_of_pieces) || op.num_regions() > 0 {
        return Ok(());
    }
    let (_, shape) = tensor(op.result(0))?;
    let pieces = op.operands().into_iter().map(tensor);
    let pieces = pieces.collect::<Result<Vec<_>, _>>()?;
    let along = op.int("dimension").and_then(|k| usize::try_from(k).ok());
    let pad = match along {
        Some(_) => None,
        None => Pad::decode(op, shape.len()).ok(),
    };
    for (k, size) in shape.iter().enumerate() {
        let Some(name) = size.as_name() else {
            continue;
        };
        if let Some(pad) = pad.as_ref().filter(|pad| pad.interior[k] == 0) {
            let own = pieces.first().and_then(|(_, own)| own.get(k));
            let more = pad.low[k].checked_add(pad.high[k]);
            if let (Some(own), Some(more)) = (own, more) {
                sizes.follows(name, *own + more);
            }
        } else if along == Some(k) {
            let own: Option<Vec<Extent>> = (pieces.iter())
                .map(|(_, own)| own.get(k).copied())
                .collect();
            if let Some(own) = own {
                sizes.follows(name, own.into_iter().sum());
            }
        }
    }
    Ok(())
}

/// Bytes of an element in a register; `moved`: where nothing is computed with it, for which halves
/// become `f32`.
fn value_bytes(element: &ElementType, moved: bool) -> Result<i64, Declined> {
    match element {
        ElementType::Float(FloatKind::F16 | FloatKind::BF16) if moved => Ok(2),
        ElementType::Bool => Ok(1),
        ElementType::Int { width, .. } if *width >= 8 => Ok(i64::from(*width) / 8),
        // The parts of a complex number are in registers of their own.
        ElementType::Float(kind) | ElementType::Complex(kind) if kind.width() <= 32 => Ok(4),
        ElementType::Float(_) | ElementType::Complex(_) => Ok(8),
        other => Err(Declined::new(format!("elements of type {other}"))),
    }
}
