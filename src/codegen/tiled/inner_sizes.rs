//! Sizes that no tensor outside of a region has: of the pieces that a `roll` along a dimension of
//! run-time size is put together of, and where slices begin that operands say the place of. They
//! follow from what the region is given to read, so that whoever launches its kernel knows them:
//! each is one more argument.

use crate::run_time::RunTime;
use crate::{Declined, emitter::InnerSize};
use mapwright_fusion::node::tensor;
use mapwright_mlir::{Op, TensorType, melior::ir::ValueLike};
use mapwright_normalize::size_annotations::{padding_range, slice_starts};

/// The sizes inside of a region, of the operations `ops`, that do not follow from those that are
/// known. They are known afterwards, as arguments of the kernel from number `first` on. All that
/// have one name are among them, so that they can be compared.
pub(super) fn find(
    ops: &[Op<'_>],
    sizes: &mut RunTime,
    first: usize,
) -> Result<Vec<InnerSize>, Declined> {
    let mut found = Vec::new();
    for (member, op) in ops.iter().enumerate() {
        // Of what is padded by as much as is read, nobody needs the size.
        let results = match padding_range(*op) {
            None => op.results(),
            Some(_) => Vec::new(),
        };
        for (result, value) in results.into_iter().enumerate() {
            let written = TensorType::from_mlir(value.r#type()).map_or(Vec::new(), |ty| ty.dims);
            let (_, shape) = tensor(value)?;
            let unknown = written.iter().zip(&shape).enumerate();
            let unknown =
                unknown.filter(|(_, (dim, size))| dim.fixed().is_none() && !sizes.know(**size));
            for (dim, (_, size)) in unknown {
                found.push((
                    *size,
                    InnerSize::Size {
                        member,
                        result,
                        dim,
                    },
                ));
            }
        }
        for (dim, (size, _)) in slice_starts(*op).into_iter().enumerate() {
            if size.is_run_time() && !sizes.know(size) {
                found.push((size, InnerSize::Start { member, dim }));
            }
        }
    }
    for (place, (size, _)) in found.iter().enumerate() {
        let Some((name, times)) = size.multiple_of_name() else {
            return Err(Declined::new(
                "a run-time size that no tensor outside of the region has",
            ));
        };
        sizes.add(name, times, first + place);
    }
    Ok(found.into_iter().map(|(_, inner)| inner).collect())
}
