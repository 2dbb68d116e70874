//! Room for what a product packs.

use super::plan::Buffer;
use super::problem::EmitResult;
use crate::Declined;
use crate::index::ceil;
use mapwright_indexing::Extent;

/// Bytes that are packed into: in each call, and once for all calls.
#[derive(Clone, Default)]
pub(super) struct Memory {
    pub workspace: i64,
    pub prepacked: i64,
    /// Elements whose number is known at run time only, behind all others.
    pub last: Vec<Extent>,
}

impl Memory {
    /// Room for so many elements; `keep`: of constants.
    pub fn take(&mut self, elements: Extent, width: i64, keep: bool) -> EmitResult<Buffer> {
        let Some(elements) = elements.as_constant() else {
            if keep {
                return Err(Declined::new("constants of run-time sizes are packed"));
            }
            self.last.push(elements);
            return Ok(Buffer::Last(self.last.len() - 1));
        };
        let end = if keep {
            &mut self.prepacked
        } else {
            &mut self.workspace
        };
        let at = *end;
        *end += ceil(elements * width, 64) * 64;
        Ok(if keep {
            Buffer::Prepacked { at, elements }
        } else {
            Buffer::Workspace { at, elements }
        })
    }
}
