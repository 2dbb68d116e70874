//! Views: which values are strided windows into a buffer that exists already.
//!
//! A value is a view of another iff the map from its index to the place of the element in the
//! other's row-major buffer equals `offset + sum(stride_k * d_k)` on its whole index space. The
//! offset may have a part that is known at run time only: a multiple of a value that is the same
//! for all elements, such as the start of a `dynamic_slice`. Chains of operations that only move
//! elements are composed; the first whose map is no longer of that form forces a copy, and what
//! follows is seen relative to that copy. Operations that compute new values have a buffer of their
//! own anyway.

use crate::linear::{Affine, Sums, place};
use crate::strided::Strided;
use mapwright_indexing::linear::Sum;
use mapwright_indexing::{IndexingMap, RuntimeVariable, compose};
use mapwright_mlir::{Op, TensorType, Val, op};
use mapwright_ops::{Composer, registry};
use std::collections::HashMap;

/// Storage of a value.
#[derive(Clone, Debug)]
pub enum Storage<'c> {
    /// Computed: it has a buffer of its own, row-major.
    Own,
    /// A window into the buffer of another value.
    View {
        /// The value with the buffer.
        of: Val<'c>,
        /// Places of the elements in that buffer.
        layout: Window,
    },
    /// The elements of another value, which have to be moved.
    Copy {
        /// Why no strides describe it.
        reason: String,
    },
}

/// A strided window whose offset may have parts that are known at run time only.
#[derive(Clone, Debug)]
pub struct Window<V = RuntimeVariable> {
    /// Shape, strides and the part of the offset that is known.
    pub known: Strided,
    /// Terms of the offset beside its constant: this many elements for each unit of the value.
    pub added: Vec<(i64, V)>,
}

impl<V> Window<V> {
    /// The window of `sizes` whose elements are at `place` in a buffer: dimension `k` is variable
    /// `k`, and value `j` of the sum is `values[j]`. `None` if no strides describe it.
    pub fn of_place(place: &Sum, sizes: &[i64], values: Vec<V>) -> Option<Self> {
        let found = Affine::of_sum(place, sizes.len(), values.len())?;
        let added = found.runtime.into_iter().zip(values);
        Some(Self {
            known: Strided {
                shape: sizes.to_vec(),
                strides: found.strides,
                offset: found.offset,
            },
            added: added.filter(|(stride, _)| *stride != 0).collect(),
        })
    }

    /// MLIR's spelling: `strided<[4, 1], offset: 2>`, `strided<[4, 1], offset: ?>`.
    pub fn layout(&self) -> String {
        if self.added.is_empty() {
            return self.known.layout();
        }
        let strides: Vec<String> = self.known.strides.iter().map(ToString::to_string).collect();
        format!("strided<[{}], offset: ?>", strides.join(", "))
    }
}

/// The storage of every result in a function, found in one walk.
pub struct Views<'c> {
    composer: Composer<'c>,
    /// The buffer that a value lies in, and the map from its index to the index of the buffer's
    /// value.
    known: HashMap<usize, (Val<'c>, IndexingMap)>,
}

impl Default for Views<'_> {
    fn default() -> Self {
        Self::new()
    }
}

fn shape(value: Val<'_>) -> Option<Vec<i64>> {
    use mapwright_mlir::melior::ir::ValueLike;
    TensorType::from_mlir(value.r#type())?.static_shape()
}

impl<'c> Views<'c> {
    /// An analysis that has looked at nothing yet.
    pub fn new() -> Self {
        Self {
            composer: Composer::new(),
            known: HashMap::new(),
        }
    }

    /// Storage of result `result` of an operation. Operations must be asked about in their order.
    pub fn storage(&mut self, operation: Op<'c>, result: usize) -> Storage<'c> {
        let Some(sizes) = shape(operation.result(result)) else {
            return Storage::Own;
        };
        let Some(def) = registry::mapped(operation) else {
            return Storage::Own;
        };
        if !def.is_view {
            return Storage::Own;
        }
        match self.view(operation, result, &sizes) {
            Ok((of, map, layout)) => {
                self.known
                    .insert(op::key(operation.result(result)), (of, map));
                Storage::View { of, layout }
            }
            Err(reason) => Storage::Copy { reason },
        }
    }

    fn view(
        &self,
        operation: Op<'c>,
        result: usize,
        sizes: &[i64],
    ) -> Result<(Val<'c>, IndexingMap, Window), String> {
        let maps = self.composer.output_to_input(operation, result);
        let source = maps
            .iter()
            .find(|found| !found.maps.iter().all(IndexingMap::is_known_empty))
            .ok_or("there are no elements")?;
        let operand = operation.operand(source.operand);
        if let (Some(from), Some(to)) = (bits(operand), bits(operation.result(result)))
            && from != to
        {
            return Err(format!("an element of {from} bits is not one of {to} bits"));
        }
        let [map] = source.maps.as_slice() else {
            return Err(format!("it is read in {} pieces", source.maps.len()));
        };
        let (of, map) = match self.known.get(&op::key(operand)) {
            Some((of, inner)) => (*of, compose(map, inner).simplify()),
            None => (operand, map.clone()),
        };
        let target = shape(of).ok_or("its size is known at run time only")?;
        let buffer = Strided::row_major(&target).map_err(|error| error.to_string())?;
        let layout = strided(&map, sizes, &buffer)?;
        Ok((of, map, layout))
    }
}

fn bits(value: Val<'_>) -> Option<u32> {
    use mapwright_mlir::melior::ir::ValueLike;
    TensorType::from_mlir(value.r#type())?.element.bit_width()
}

/// The strides of a tensor of `sizes` whose elements are at `map` in `buffer`.
///
/// # Errors
/// Why there are none.
pub fn strided(map: &IndexingMap, sizes: &[i64], buffer: &Strided) -> Result<Window, String> {
    if sizes.contains(&0) {
        return Ok(Window {
            known: Strided {
                shape: sizes.to_vec(),
                strides: vec![0; sizes.len()],
                offset: buffer.offset,
            },
            added: Vec::new(),
        });
    }
    if let Some(reason) = map.unknown_reason() {
        return Err(reason.into_owned());
    }
    if !map.is_exact() {
        return Err("which elements it reads is not known exactly".into());
    }
    if !map.ranges().is_empty() {
        return Err("an element is made of several".into());
    }
    let whole = map.dims().len() == sizes.len()
        && map.constraints().is_empty()
        && map
            .dims()
            .iter()
            .zip(sizes)
            .all(|(v, n)| v.interval.lower == 0 && v.interval.upper == n - 1);
    if !whole {
        return Err("only a part of it comes from there".into());
    }
    let linear = place(map, &buffer.strides, buffer.offset);
    let varies = |variable: &RuntimeVariable| {
        variable.origin.index.as_ref().is_some_and(|index| {
            !index.runtime().is_empty() || index.results().iter().any(|e| e.as_constant().is_none())
        })
    };
    if linear.runtime().iter().any(varies) {
        return Err(
            "where it reads is known at run time only, and differs between elements".into(),
        );
    }
    let sums = Sums::new(&linear);
    let sum = linear.results().first().and_then(|expr| sums.read(expr));
    match sum.and_then(|sum| Window::of_place(&sum, sizes, linear.runtime().to_vec())) {
        Some(window) => Ok(window),
        None => Err(format!(
            "no strides describe {}",
            linear
                .results()
                .first()
                .map(ToString::to_string)
                .unwrap_or_default()
        )),
    }
}
