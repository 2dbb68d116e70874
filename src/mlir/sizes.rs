//! Sizes that are known at run time only, by name.
//!
//! What the sizes of a value are is written beside the operation that makes it ([`SIZES`]): for each dimension the size, or the name of one that
//! is known at run time only, or a product of such ([`Product`]). Equal names are equal sizes. Whoever computes with shapes has an [`Extent`] for each.

use crate::{Blk, Op, TensorType, Val, ValueType, op};
use mapwright_indexing::Extent;
use melior::ir::ValueLike;

/// The sizes of the results of an operation, one after another: a size that is known, or a [`Product`] of names, as [`Product::written`] has it.
pub const SIZES: &str = "indexing.sizes";
/// Annotations of the arguments of the block that a region of an operation begins with. Where several begin with arguments, those of the one that is
/// looked at.
pub const ARGUMENTS: &str = "indexing.sizes_of_arguments";

/// Type and sizes of a value; an error, in words, where some of these are known at run time only and have no names.
pub fn sized(value: Val<'_>) -> Result<(TensorType, Vec<Extent>), String> {
    let ty = ValueType::from_mlir(value.r#type());
    let Some(tensor) = ty.tensor() else {
        return Err(format!("a value of type {ty}"));
    };
    match noted(value).map(|sizes| sizes.into_iter().map(extent).collect()) {
        Some(sizes) => Ok((tensor.clone(), sizes)),
        None => Err(format!("run-time sizes ({tensor})")),
    }
}

/// The size that is written as this number.
pub fn extent(written: i64) -> Extent {
    Product::read(written).map_or(written.into(), |size| size.extent())
}

/// Sizes multiplied with each other and with a number: what a tensor's size is written as.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Product {
    /// The names, at least one.
    pub names: Vec<usize>,
    /// The number, at least 1.
    pub factor: i64,
}

/// Names of a product, at most.
pub const MOST_NAMES: usize = 4;

/// How products are written: so many names, each in so many bits, and the number in as many.
struct Layout {
    names: usize,
    bits: u32,
    /// What is added to say that it is this one.
    mark: i64,
}

/// The first that a product fits in is the one that it is written in.
const LAYOUTS: [Layout; 2] = [
    Layout {
        names: 2,
        bits: 20,
        mark: 0,
    },
    Layout {
        names: MOST_NAMES,
        bits: 12,
        mark: 1 << 60,
    },
];

impl Product {
    /// A name alone.
    pub fn name(k: usize) -> Self {
        Self {
            names: vec![k],
            factor: 1,
        }
    }

    /// The name, where it is one alone, whatever it is multiplied by.
    pub fn single(&self) -> Option<usize> {
        match self.names[..] {
            [name] => Some(name),
            _ => None,
        }
    }

    /// As it is written: `-1 - k` for name `k`. `None` if there are too many names, or one or the number is too large.
    pub fn written(&self) -> Option<i64> {
        LAYOUTS.iter().find_map(|layout| {
            let (first, others) = self.names.split_first()?;
            let mut parts = vec![*first];
            parts.extend(others.iter().map(|k| k + 1));
            if parts.len() > layout.names {
                return None;
            }
            parts.resize(layout.names, 0);
            parts.push(usize::try_from(self.factor - 1).ok()?);
            let fits = parts.iter().all(|part| part >> layout.bits == 0);
            let places = parts
                .into_iter()
                .zip((0u32..).step_by(layout.bits as usize));
            let code: i64 = places.map(|(part, place)| (part as i64) << place).sum();
            fits.then_some(-1 - (code + layout.mark))
        })
    }

    /// Reads a size annotation; `None` for a size that is known.
    pub fn read(size: i64) -> Option<Self> {
        if size >= 0 {
            return None;
        }
        let code = -1 - size;
        let mut layouts = LAYOUTS.iter().rev();
        let layout = layouts.find(|layout| code >= layout.mark)?;
        let part = |place: usize| {
            let bits = (code - layout.mark) >> (place as u32 * layout.bits);
            bits & ((1 << layout.bits) - 1)
        };
        let others = (1..layout.names).filter_map(|i| (part(i) as usize).checked_sub(1));
        Some(Self {
            names: std::iter::once(part(0) as usize).chain(others).collect(),
            factor: part(layout.names) + 1,
        })
    }

    /// The size.
    pub fn extent(&self) -> Extent {
        let names = self.names.iter().map(|name| Extent::name(*name));
        names.product::<Extent>() * self.factor
    }
}

/// The operation of which a region begins with `block`.
pub fn begins<'c>(block: Blk<'c>) -> Option<Op<'c>> {
    let parent = op::parent_of_block(block)?;
    let mut regions = 0..parent.num_regions();
    regions
        .any(|region| parent.body(region) == Some(block))
        .then_some(parent)
}

/// The list of sizes that a value's are part of: the operation that holds it, the attribute, and the place of the first.
fn holder<'c>(value: Val<'c>) -> Option<(Op<'c>, &'static str, usize)> {
    let rank = |value: Val<'c>| TensorType::from_mlir(value.r#type()).map_or(0, |ty| ty.rank());
    if let Some((op, number)) = op::defining_op(value) {
        let before = (0..number).map(|i| rank(op.result(i))).sum();
        return Some((op, SIZES, before));
    }
    let (block, number) = op::block_argument(value)?;
    let parent = begins(block)?;
    let before = op::arguments(block)
        .into_iter()
        .take(number)
        .map(rank)
        .sum();
    Some((parent, ARGUMENTS, before))
}

/// Size annotations of a value, as [`SIZES`] has it.
pub fn noted(value: Val<'_>) -> Option<Vec<i64>> {
    let ty = TensorType::from_mlir(value.r#type())?;
    if let Some(shape) = ty.static_shape() {
        return Some(shape);
    }
    let (op, attribute, at) = holder(value)?;
    let all = op.ints(attribute)?;
    Some(all.get(at..at + ty.rank())?.to_vec())
}

/// Takes away what is written beside the operation that a value is of.
pub fn forget(value: Val<'_>) {
    if let Some((op, attribute, _)) = holder(value) {
        op.remove_attribute(attribute);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_read_as_they_are_written() {
        for product in [
            Product::name(0),
            Product::name(600_000),
            Product {
                names: vec![3, 0],
                factor: 1,
            },
            Product {
                names: vec![5],
                factor: 1 << 20,
            },
            Product {
                names: vec![0, 4094, 7],
                factor: 1 << 12,
            },
            Product {
                names: vec![0, 0, 0, 0],
                factor: 3,
            },
        ] {
            assert_eq!(product.written().and_then(Product::read), Some(product));
        }
        assert_eq!(Product::name(1 << 20).written(), None);
        for names in [vec![0; 5], vec![0, 4095, 0]] {
            assert_eq!(Product { names, factor: 1 }.written(), None);
        }
        assert_eq!(extent(7), Extent::from(7));
        assert_eq!(
            Product::name(4).written().map(extent),
            Some(Extent::name(4))
        );
    }
}
