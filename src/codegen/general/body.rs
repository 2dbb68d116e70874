//! The state of a kernel's body: where values come from, their sizes, and what has been computed
//! already.

use crate::{
    error::{Result, Unsupported, unsupported},
    index::{Ix, linear, product},
    scalar,
    sizes::{SizeQuery, to_index},
    storage::{self, Elem},
};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, ElementType, Op, TensorType, Val, ValueType, builder::DYNAMIC, op};
use std::{
    cell::Cell,
    collections::{HashMap, HashSet},
    rc::Rc,
};

/// A tensor in memory.
#[derive(Clone)]
pub(crate) struct Place<'c> {
    /// `memref` of the static shape, or a flat one of run-time length.
    pub memref: Val<'c>,
    pub element: ElementType,
    pub sizes: Vec<Ix<'c>>,
    pub flat: bool,
}

impl<'c> Place<'c> {
    fn at(&self, b: &Builder<'c>, index: &[Ix<'c>]) -> Vec<Val<'c>> {
        if self.flat {
            vec![linear(b, index, &self.sizes).value(b)]
        } else {
            index.iter().map(|i| i.value(b)).collect()
        }
    }

    pub(crate) fn load(&self, b: &Builder<'c>, index: &[Ix<'c>]) -> Result<Elem<'c>> {
        let stored = b.load(self.memref, &self.at(b, index));
        storage::from_storage(b, &self.element, stored)
    }

    pub(crate) fn store(&self, b: &Builder<'c>, index: &[Ix<'c>], value: Elem<'c>) -> Result<()> {
        let stored = storage::to_storage(b, &self.element, value)?;
        b.store(stored, self.memref, &self.at(b, index));
        Ok(())
    }
}

type Key = (usize, Vec<(bool, i64)>);

/// Computes the elements of all results of an operation at an index, from those of its operands.
type Compute<'c> = fn(&Builder<'c>, &mut Body<'c>, Op<'c>, &[Ix<'c>]) -> Result<Vec<Elem<'c>>>;

/// State of a kernel's body.
pub(crate) struct Body<'c> {
    places: HashMap<usize, Place<'c>>,
    outputs: Vec<Place<'c>>,
    sizes: HashMap<usize, Vec<Ix<'c>>>,
    /// Elements known in the current loop and in those around it, innermost last.
    memo: Vec<HashMap<Key, Elem<'c>>>,
    /// The operation that could not be computed, by its position in the region.
    blamed: Rc<Cell<Option<usize>>>,
    compute: Compute<'c>,
}

impl<'c> Body<'c> {
    pub(crate) fn new(
        b: &Builder<'c>,
        fusion: Op<'c>,
        inputs: &[TensorType],
        outputs: &[TensorType],
        arguments: &[Val<'c>],
        blamed: Rc<Cell<Option<usize>>>,
        compute: Compute<'c>,
    ) -> Result<Self> {
        let mut next = inputs.len() + outputs.len();
        let mut found = Vec::new();
        for (tensor, memref) in inputs.iter().chain(outputs).zip(arguments) {
            let sizes = run_time_sizes(tensor, arguments, &mut next);
            let flat = tensor.static_shape().is_none();
            let memref = if flat {
                flatten(b, *memref, product(b, &sizes))
            } else {
                *memref
            };
            found.push(Place {
                memref,
                element: tensor.element.clone(),
                sizes,
                flat,
            });
        }
        let written = found.split_off(inputs.len());
        let block = fusion.body(0).map(op::arguments).unwrap_or_default();
        let mut places = HashMap::new();
        let mut sizes = HashMap::new();
        for (value, place) in block.into_iter().zip(found) {
            sizes.insert(op::key(value), place.sizes.clone());
            places.insert(op::key(value), place);
        }
        Ok(Self {
            places,
            outputs: written,
            sizes,
            memo: vec![HashMap::new()],
            blamed,
            compute,
        })
    }

    pub(crate) fn output(&self, i: usize) -> &Place<'c> {
        &self.outputs[i]
    }

    /// Emits a test whether the buffer `input` (a kernel argument) is the memory of output
    /// `output`.
    pub(crate) fn same_memory(&self, b: &Builder<'c>, input: Val<'c>, output: usize) -> Val<'c> {
        let address = |memref: Val<'c>| {
            b.op1(
                "memref.extract_aligned_pointer_as_index",
                &[memref],
                b.index(),
                &[],
            )
        };
        let (x, y) = (address(input), address(self.outputs[output].memref));
        b.cmpi(mapwright_mlir::CmpI::Eq, x, y)
    }

    /// The buffer of a value that is an input.
    pub(crate) fn buffer(&self, value: Val<'c>) -> Option<Val<'c>> {
        self.places.get(&op::key(value)).map(|place| place.memref)
    }

    pub(crate) fn output_sizes(&self, i: usize) -> Vec<Ix<'c>> {
        self.outputs[i].sizes.clone()
    }

    pub(crate) fn store(
        &self,
        b: &Builder<'c>,
        output: usize,
        index: &[Ix<'c>],
        value: Elem<'c>,
    ) -> Result<()> {
        self.outputs[output].store(b, index, value)
    }

    /// Runs `work` for code in a block of its own: what it computes is forgotten afterwards,
    /// because it does not dominate what follows.
    pub(crate) fn scoped<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.memo.push(HashMap::new());
        let kept = self.sizes.clone();
        let value = work(self);
        self.sizes = kept;
        self.memo.pop();
        value
    }

    /// Sizes of `value`.
    pub(crate) fn sizes(&mut self, b: &Builder<'c>, value: Val<'c>) -> Result<Vec<Ix<'c>>> {
        if let Some(known) = self.sizes.get(&op::key(value)) {
            return Ok(known.clone());
        }
        let tensor = tensor(value)?;
        if let Some(shape) = tensor.static_shape() {
            return Ok(shape.into_iter().map(Ix::Known).collect());
        }
        let Some((op, result)) = op::defining_op(value) else {
            return unsupported("a block argument without sizes");
        };
        let mut answer = |b: &Builder<'c>, question| self.answer(b, question);
        let mut sizes = crate::sizes::of_result(b, op, result, &mut answer)?;
        for (size, dim) in sizes.iter_mut().zip(&tensor.dims) {
            if let Some(n) = dim.fixed() {
                *size = Ix::Known(n);
            }
        }
        self.sizes.insert(op::key(value), sizes.clone());
        Ok(sizes)
    }

    /// Answers what shape functions ask.
    pub(crate) fn answer(
        &mut self,
        b: &Builder<'c>,
        question: SizeQuery<'c>,
    ) -> Result<Vec<Ix<'c>>> {
        match question {
            SizeQuery::Sizes(value) => self.sizes(b, value),
            // The host function has checked that before the launch.
            SizeQuery::Equal(..) | SizeQuery::AtMost(..) => Ok(Vec::new()),
            SizeQuery::Element(value, index) => Ok(vec![self.index(b, value, &index)?]),
        }
    }

    /// The integer element of `value` at `at`, as an index.
    pub(crate) fn index(
        &mut self,
        b: &Builder<'c>,
        value: Val<'c>,
        at: &[Ix<'c>],
    ) -> Result<Ix<'c>> {
        let element = tensor_element(value)?;
        let found = self.element(b, value, at)?;
        Ok(Ix::Value(to_index(b, found.one(), &element)))
    }

    /// The element of `value` at `index`.
    pub(crate) fn element(
        &mut self,
        b: &Builder<'c>,
        value: Val<'c>,
        index: &[Ix<'c>],
    ) -> Result<Elem<'c>> {
        let key: Key = (op::key(value), index.iter().map(|i| i.key()).collect());
        if let Some(known) = self.memo.iter().rev().find_map(|frame| frame.get(&key)) {
            return Ok(*known);
        }
        let found = match self.places.get(&key.0).cloned() {
            Some(place) => place.load(b, index)?,
            None => {
                let Some((op, result)) = op::defining_op(value) else {
                    return unsupported("a value from outside of the fusion");
                };
                let outer = b.location();
                b.set_location(op.location());
                let elements = (self.compute)(b, self, op, index);
                let elements = elements.map_err(|error| self.blame(op, error))?;
                b.set_location(outer);
                for (i, element) in elements.iter().enumerate() {
                    let key = (op::key(op.result(i)), key.1.clone());
                    if let Some(frame) = self.memo.last_mut() {
                        frame.insert(key, *element);
                    }
                }
                match elements.get(result) {
                    Some(element) => *element,
                    None => return unsupported(format!("result {result} of '{}'", op.name())),
                }
            }
        };
        if let Some(frame) = self.memo.last_mut() {
            frame.insert(key, found);
        }
        Ok(found)
    }

    /// Says that `op` is to blame, unless what it is computed from is.
    fn blame(&self, op: Op<'c>, error: Unsupported) -> Unsupported {
        if self.blamed.get().is_some() {
            return error;
        }
        let members = op.block().map(op::ops).unwrap_or_default();
        self.blamed
            .set(members.iter().position(|other| *other == op));
        Unsupported(format!("'{}': {}", op.name(), error.0))
    }
}

/// Sizes of a tensor, those known at run time taken from `arguments` at `next`.
pub(crate) fn run_time_sizes<'c>(
    tensor: &TensorType,
    arguments: &[Val<'c>],
    next: &mut usize,
) -> Vec<Ix<'c>> {
    tensor
        .dims
        .iter()
        .map(|dim| match dim.fixed() {
            Some(n) => Ix::Known(n),
            None => {
                *next += 1;
                Ix::Value(arguments[*next - 1])
            }
        })
        .collect()
}

/// A flat view with a length known at run time of the buffer that `base` begins.
pub(crate) fn flatten<'c>(b: &Builder<'c>, base: Val<'c>, length: Ix<'c>) -> Val<'c> {
    let element = b.element_of(base.r#type());
    let ty = b.strided_memref(&[DYNAMIC], element, &[1], 0);
    let attributes = [
        ("static_offsets", b.i64_array(&[0])),
        ("static_sizes", b.i64_array(&[DYNAMIC])),
        ("static_strides", b.i64_array(&[1])),
        ("operandSegmentSizes", b.i32_array(&[1, 0, 1, 0])),
    ];
    b.op1(
        "memref.reinterpret_cast",
        &[base, length.value(b)],
        ty,
        &attributes,
    )
}

/// The tensor type of a value.
pub(crate) fn tensor(value: Val<'_>) -> Result<TensorType> {
    match ValueType::from_mlir(value.r#type()) {
        ValueType::Tensor(tensor) => Ok(tensor),
        other => unsupported(format!("a value of type {other}")),
    }
}

/// The element type of a value.
pub(crate) fn tensor_element(value: Val<'_>) -> Result<ElementType> {
    Ok(tensor(value)?.element)
}

/// Refuses what the emitter does not know, before anything is emitted.
pub(crate) fn check(members: &[Op<'_>], blamed: &Cell<Option<usize>>) -> Result<()> {
    let unknown = |op: &Op<'_>| !super::super::can_fuse(*op) && op.short_name() != "yield";
    match members.iter().position(unknown) {
        None => Ok(()),
        Some(member) => {
            blamed.set(Some(member));
            unsupported(format!("'{}' in a fused region", members[member].name()))
        }
    }
}

/// Pairs (output, input) that may share memory: the input is read only at the index that is
/// written, and has the same shape and type.
pub(crate) fn in_place<'c>(
    fusion: Op<'c>,
    yielded: Op<'c>,
    inputs: &[TensorType],
    outputs: &[TensorType],
) -> Vec<(usize, usize)> {
    // With several outputs, one written early could be an input that is read later at another
    // index: keep it simple.
    let [output] = outputs else {
        return Vec::new();
    };
    let block = fusion.body(0).map(op::arguments).unwrap_or_default();
    block
        .iter()
        .enumerate()
        .filter(|(i, argument)| {
            inputs[*i] == *output && only_at_same_index(**argument, yielded.operand(0))
        })
        .map(|(i, _)| (0, i))
        .collect()
}

/// Tells whether every path from `result` to `input` is element by element.
fn only_at_same_index<'c>(input: Val<'c>, result: Val<'c>) -> bool {
    let shape = |v: Val<'c>| tensor(v).map(|t| t.dims).ok();
    let mut pending = vec![input];
    // A value that is used twice is gone through once: the paths through such values are as many as
    // two to their number.
    let mut seen = HashSet::new();
    while let Some(value) = pending.pop() {
        if !seen.insert(op::key(value)) {
            continue;
        }
        for (user, operand) in op::uses(value) {
            if user.short_name() == "yield" {
                if op::key(user.operand(operand)) != op::key(result) {
                    return false;
                }
                continue;
            }
            let same = user.num_results() == 1
                && scalar::is_elementwise(user)
                && shape(user.result(0)) == shape(value);
            if !same {
                return false;
            }
            pending.push(user.result(0));
        }
    }
    true
}
