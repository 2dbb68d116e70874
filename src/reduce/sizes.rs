//! Smaller sizes: a size is changed wherever it stands, and what follows from it is inferred.

use crate::signature;
use mapwright_mlir::{
    Attr, Builder, Dim, Op, TensorType, Ty, Val, ValueType,
    attr::{self, Dense},
    melior::ir::ValueLike,
    op,
};
use mapwright_ops::{registry::DIALECTS, typing};
use std::collections::{BTreeMap, BTreeSet};

/// The static sizes of a program that are greater than one, the greatest first.
fn numbers(module: Op<'_>) -> Vec<i64> {
    let mut found = BTreeSet::new();
    for op in module.descendants() {
        for value in values(op) {
            let dims = TensorType::from_mlir(value.r#type()).map(|ty| ty.dims);
            found.extend(dims.into_iter().flatten().filter_map(|dim| dim.fixed()));
        }
    }
    found.into_iter().rev().filter(|size| *size > 1).collect()
}

/// The results of an operation, and the arguments of its blocks.
fn values<'c>(op: Op<'c>) -> Vec<Val<'c>> {
    let blocks = (0..op.num_regions()).flat_map(|i| op::blocks(op.region(i)));
    let arguments = blocks.flat_map(op::arguments);
    op.results().into_iter().chain(arguments).collect()
}

/// A size that can be made smaller.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// This number wherever it is a size of a type.
    Everywhere(i64),
    /// One dimension of one argument of one function that nothing calls.
    Argument(usize, usize, usize, i64),
}

impl Place {
    /// The size there.
    pub(crate) fn size(self) -> i64 {
        match self {
            Self::Everywhere(size) | Self::Argument(.., size) => size,
        }
    }
}

/// The sizes of a program that are greater than one: numbers, the greatest first, then those of
/// arguments, which may be equal by chance.
pub(crate) fn places(module: Op<'_>) -> Vec<Place> {
    let mut found: Vec<Place> = numbers(module).into_iter().map(Place::Everywhere).collect();
    for (f, function) in signature::uncalled(module).into_iter().enumerate() {
        for (a, value) in parameters(function).into_iter().enumerate() {
            let dims = TensorType::from_mlir(value.r#type()).map(|ty| ty.dims);
            for (k, dim) in dims.into_iter().flatten().enumerate() {
                let size = dim.fixed().filter(|size| *size > 1);
                found.extend(size.map(|size| Place::Argument(f, a, k, size)));
            }
        }
    }
    found
}

fn parameters<'c>(function: Op<'c>) -> Vec<Val<'c>> {
    function.body(0).map(op::arguments).unwrap_or_default()
}

/// Writes `to` for a size, and what follows from it; `numbers`: also in constants that are lists of
/// integers, which may be shapes. Whether the program is valid then, the verifier says.
pub(crate) fn change(module: Op<'_>, place: Place, to: i64, numbers: bool) -> bool {
    let mut sizes = Sizes {
        new: BTreeMap::new(),
        numbers,
    };
    match place {
        Place::Everywhere(from) => _ = sizes.new.insert(from, to),
        Place::Argument(f, a, k, _) => {
            let functions = signature::uncalled(module);
            let value = functions
                .get(f)
                .and_then(|f| parameters(*f).get(a).copied());
            let ty = value.and_then(|value| TensorType::from_mlir(value.r#type()));
            let (Some(value), Some(mut ty)) = (value, ty) else {
                return false;
            };
            let Some(dim) = ty.dims.get_mut(k) else {
                return false;
            };
            *dim = Dim::Static(to);
            set_type(value, &ty);
        }
    }
    for function in signature::functions(module) {
        sizes.arguments(function);
        // An operation comes before those inside of it, and behind those that make its operands.
        for op in function.descendants() {
            sizes.arguments(op);
            sizes.operation(op);
        }
    }
    true
}

/// Size that is written for each size. Sizes that follow from others by inference are added.
struct Sizes {
    new: BTreeMap<i64, i64>,
    numbers: bool,
}

impl Sizes {
    fn size(&self, size: i64) -> i64 {
        self.new.get(&size).copied().unwrap_or(size)
    }

    /// The type with the new sizes.
    fn ty(&self, ty: &TensorType) -> TensorType {
        let size = |dim: &Dim| match dim {
            Dim::Static(size) => Dim::Static(self.size(*size)),
            other => *other,
        };
        TensorType {
            element: ty.element.clone(),
            dims: ty.dims.iter().map(size).collect(),
        }
    }

    fn arguments(&self, op: Op<'_>) {
        let blocks = (0..op.num_regions()).flat_map(|i| op::blocks(op.region(i)));
        for value in blocks.flat_map(op::arguments) {
            if let Some(ty) = TensorType::from_mlir(value.r#type()) {
                set_type(value, &self.ty(&ty));
            }
        }
    }

    fn operation(&mut self, op: Op<'_>) {
        let old: Vec<Option<TensorType>> = (op.results().iter())
            .map(|value| TensorType::from_mlir(value.r#type()))
            .collect();
        for (value, ty) in op.results().into_iter().zip(&old) {
            if let Some(ty) = ty {
                set_type(value, &self.ty(ty));
            }
        }
        if let Some(literal) = op.attribute("value")
            && let Some(new) = self.literal(op, literal)
        {
            op.set_attribute("value", new);
        }
        if is_right(op) {
            return;
        }
        // Limits and windows that are sizes, or that go beyond the new ones.
        let lists: Vec<(&str, Vec<i64>)> = (op.attributes().into_iter())
            .filter(|(_, attribute)| attribute.to_string().starts_with("array<i64"))
            .filter_map(|(name, attribute)| Some((name, attr::ints(attribute)?)))
            .collect();
        let bounds = match (op.num_operands() > 0).then(|| op.operand_type(0)) {
            Some(ValueType::Tensor(ty)) => ty.static_shape().unwrap_or_default(),
            _ => Vec::new(),
        };
        for (name, list) in &lists {
            let sizes = list.iter().map(|number| self.size(*number)).collect();
            let within = list
                .iter()
                .zip(&bounds)
                .map(|(number, bound)| *number.min(bound));
            for new in [sizes, within.collect::<Vec<i64>>()] {
                if new.len() == list.len() && new != *list {
                    set_list(op, name, &new);
                    if is_right(op) || self.infer(op, &old) {
                        return;
                    }
                }
            }
            set_list(op, name, list);
        }
        if !self.infer(op, &old) {
            self.solve(op, &old);
        }
    }

    /// Gives results the types that follow from operands and attributes, if any do.
    fn infer(&mut self, op: Op<'_>, old: &[Option<TensorType>]) -> bool {
        let Ok(Some(types)) = typing::infer(op) else {
            return false;
        };
        for ((value, ty), old) in op.results().into_iter().zip(&types).zip(old) {
            let (ValueType::Tensor(ty), Some(old)) = (ty, old) else {
                continue;
            };
            if ty.static_shape().is_some() {
                set_type(value, ty);
                self.learn(old, ty);
            }
        }
        is_right(op)
    }

    /// Sizes that became others stand for these from here on, where sizes are written by their
    /// numbers.
    fn learn(&mut self, old: &TensorType, new: &TensorType) {
        if self.new.is_empty() {
            return;
        }
        for (old, new) in old.dims.iter().zip(&new.dims) {
            if let (Some(old), Some(new)) = (old.fixed(), new.fixed())
                && old > new
            {
                self.new.entry(old).or_insert(new);
            }
        }
    }

    /// Solves for one size where only the number of elements follows, as that of a reshaping.
    fn solve(&mut self, op: Op<'_>, old: &[Option<TensorType>]) {
        let ([value], [Some(old)], 1) = (&op.results()[..], old, op.num_operands()) else {
            return;
        };
        let ValueType::Tensor(operand) = op.operand_type(0) else {
            return;
        };
        let declared = self.ty(old);
        let (Some(count), Some(shape)) = (operand.num_elements(), declared.static_shape()) else {
            return;
        };
        for k in 0..shape.len() {
            let others: i64 = (0..shape.len())
                .filter(|i| *i != k)
                .map(|i| shape[i])
                .product();
            if others == 0 || count % others != 0 {
                continue;
            }
            let mut shape = shape.clone();
            shape[k] = count / others;
            let ty = TensorType::new(declared.element.clone(), &shape);
            set_type(*value, &ty);
            if is_right(op) {
                self.learn(old, &ty);
                return;
            }
        }
    }

    /// A constant of the type that its operation has now: the first elements along each dimension.
    fn literal<'c>(&self, op: Op<'c>, literal: Attr<'c>) -> Option<Attr<'c>> {
        let old = Dense::from_mlir(literal)?;
        // Of quantized values the numbers that are stored are written.
        let new = TensorType {
            element: old.ty.element.clone(),
            dims: TensorType::from_mlir(op.results().first()?.r#type())?.dims,
        };
        let (from, to) = (old.ty.static_shape()?, new.static_shape()?);
        let width = old.ty.element.byte_width()?;
        let count = usize::try_from(new.num_elements()?).ok()?;
        let mut data = old.data.clone();
        if !old.splat && from != to {
            data = Vec::with_capacity(count * width);
            for mut number in 0..count as i64 {
                let (mut place, mut stride) = (0, 1);
                for (from, to) in from.iter().zip(&to).rev() {
                    place += number % to * stride;
                    number /= to;
                    stride *= from;
                }
                let place = usize::try_from(place).ok()? * width;
                data.extend(old.data.get(place..place + width)?);
            }
        }
        if self.numbers && new.rank() <= 1 && old.ty.element.is_int() && width <= 8 {
            for bytes in data.chunks_exact_mut(width) {
                let mut wide = [0; 8];
                wide[..width].copy_from_slice(bytes);
                let number = self.size(i64::from_le_bytes(wide));
                bytes.copy_from_slice(&number.to_le_bytes()[..width]);
            }
        }
        let dense = Dense {
            ty: new,
            data,
            splat: old.splat,
        };
        dense.to_mlir(op.context())
    }
}

/// Whether the types of an operation are right, as far as there are rules.
fn is_right(op: Op<'_>) -> bool {
    !DIALECTS.contains(&op.dialect()) || typing::verify(op).is_ok()
}

fn set_type(value: Val<'_>, ty: &TensorType) {
    let context = mapwright_mlir::context::outlive(value.context());
    if let Some(ty) = Ty::parse(context, &ty.to_string()) {
        value.set_type(ty);
    }
}

fn set_list(op: Op<'_>, name: &str, list: &[i64]) {
    if let Some(b) = Builder::before(op.context(), op) {
        op.set_attribute(name, b.i64_array(list));
    }
}
