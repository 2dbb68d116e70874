//! Nested arrays at the border of a compiled program.
//!
//! An array is the tensor of its leaves, one behind the other, and offsets for each level, from the
//! outermost: list `i` of a level has the elements `offsets[i]` to, not including, `offsets[i + 1]`
//! of the next one. The outermost level is one list. TensorFlow calls the offsets row splits, Arrow
//! list offsets, PyTorch the offsets of a jagged layout. A program takes and gives the same:
//! declared maxima are checked, and cost nothing.

use crate::{Error, Result, Tensor};
use mapwright_mlir::ElementType;

/// An array of arrays … of tensors.
pub struct Ragged {
    values: Tensor,
    offsets: Vec<Vec<i64>>,
}

/// Checks the offsets of `lists` lists of at most `max` elements: they begin with 0 and do not
/// decrease, and no list is longer than the maximum.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn check_offsets(offsets: &[i64], lists: usize, max: i64) -> std::result::Result<(), String> {
    if offsets.len() != lists + 1 {
        let (has, need) = (offsets.len(), lists + 1);
        return Err(format!("has {has} offsets, {lists} lists have {need}"));
    }
    if offsets[0] != 0 {
        return Err(format!("begins with {}, not with 0", offsets[0]));
    }
    for (i, pair) in offsets.windows(2).enumerate() {
        match pair[1].checked_sub(pair[0]) {
            Some(length) if length > max => {
                return Err(format!(
                    "list {i} has {length} elements, the declared maximum is {max}"
                ));
            }
            Some(length) if length >= 0 => {}
            _ => {
                return Err(format!(
                    "decreases from {} to {} at list {i}",
                    pair[0], pair[1]
                ));
            }
        }
    }
    Ok(())
}

/// The first `n` rows of a tensor; all of it where it has no more.
///
/// # Errors
/// A tensor that has fewer rows, no memory.
pub fn rows(tensor: Tensor, n: i64) -> Result<Tensor> {
    let mut shape = tensor.shape().to_vec();
    let has = shape.first().copied().unwrap_or(-1);
    if !(0..=has).contains(&n) {
        return Err(Error::Input(format!(
            "an array of {n} elements in a tensor of shape {shape:?}"
        )));
    }
    if n == has {
        return Ok(tensor);
    }
    let row = tensor.bytes().len() / usize::try_from(has.max(1)).unwrap_or(1);
    shape[0] = n;
    let bytes = row * usize::try_from(n).unwrap_or(0);
    Tensor::new(tensor.element(), &shape, &tensor.bytes()[..bytes])
}

/// Checks the offsets of all levels of an array with so many leaves, from the outermost, and the
/// lengths of their lists against declared maxima.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn check(offsets: &[Vec<i64>], max: &[i64], leaves: &[i64]) -> std::result::Result<(), String> {
    if max.len() != offsets.len() || offsets.is_empty() {
        let (own, levels) = (offsets.len(), max.len());
        return Err(format!("an array of {own} levels, not of {levels}"));
    }
    let mut lists = 1;
    for (level, (own, max)) in offsets.iter().zip(max).enumerate() {
        check_offsets(own, lists, *max).map_err(|why| format!("offsets {level}: {why}"))?;
        lists = usize::try_from(own[lists]).unwrap_or(usize::MAX);
    }
    if leaves.first().and_then(|n| usize::try_from(*n).ok()) == Some(lists) {
        Ok(())
    } else {
        Err(format!(
            "a tensor of shape {leaves:?} does not have {lists} leaves, as many as the offsets speak of, along its first dimension"
        ))
    }
}

/// A vector of numbers.
///
/// # Errors
/// No memory.
pub fn vector(numbers: &[i64]) -> Result<Tensor> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    Tensor::new(&ElementType::int(64), &[numbers.len() as i64], &bytes)
}

/// The elements of a vector of numbers.
fn numbers(tensor: &Tensor) -> Result<Vec<i64>> {
    if *tensor.element() != ElementType::int(64) || tensor.shape().len() != 1 {
        return Err(Error::Input(format!(
            "offsets are a vector of i64, not a tensor of {} of shape {:?}",
            tensor.element(),
            tensor.shape()
        )));
    }
    let mut found = Vec::new();
    for bytes in tensor.bytes().chunks_exact(8) {
        let mut own = [0; 8];
        own.copy_from_slice(bytes);
        found.push(i64::from_le_bytes(own));
    }
    Ok(found)
}

impl Ragged {
    /// An array of these leaves, one behind the other along the first dimension, and these offsets,
    /// from the outermost level.
    ///
    /// # Errors
    /// No level, offsets that are not well-formed, fewer or more leaves than they speak of.
    pub fn new(values: Tensor, offsets: Vec<Vec<i64>>) -> Result<Self> {
        if offsets.is_empty() {
            return Err(Error::Input("an array has a level at least".into()));
        }
        let max = vec![i64::MAX; offsets.len()];
        check(&offsets, &max, values.shape()).map_err(Error::Input)?;
        Ok(Self { values, offsets })
    }

    /// The leaves.
    pub fn values(&self) -> &Tensor {
        &self.values
    }

    /// The offsets of each level.
    pub fn offsets(&self) -> &[Vec<i64>] {
        &self.offsets
    }

    /// The leaves and the offsets of each level.
    pub fn into_parts(self) -> (Tensor, Vec<Vec<i64>>) {
        (self.values, self.offsets)
    }

    /// Arguments of a compiled function for the array, whose levels have these declared maxima: the
    /// leaves, then the offsets of each level.
    ///
    /// # Errors
    /// Another number of levels, lists that are longer than the maxima, no memory.
    pub fn pack(self, max: &[i64]) -> Result<Vec<Tensor>> {
        check(&self.offsets, max, self.values.shape()).map_err(Error::Input)?;
        let mut parts = vec![self.values];
        for own in &self.offsets {
            parts.push(vector(own)?);
        }
        Ok(parts)
    }

    /// The inverse: what is there of an array that a compiled function gave.
    ///
    /// # Errors
    /// Tensors that are no array.
    pub fn unpack(parts: Vec<Tensor>) -> Result<Self> {
        let mut parts = parts.into_iter();
        let Some(values) = parts.next() else {
            return Err(Error::Input("an array has leaves and offsets".into()));
        };
        let mut lists = 1;
        let mut offsets = Vec::new();
        for part in parts {
            let mut own = numbers(&part)?;
            own.truncate(lists + 1);
            lists = own.last().map_or(0, |n| usize::try_from(*n).unwrap_or(0));
            offsets.push(own);
        }
        Self::new(rows(values, lists as i64)?, offsets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_that_are_not_well_formed_are_refused() {
        assert!(check_offsets(&[0, 2, 2, 5], 3, 3).is_ok());
        for (offsets, lists, why) in [
            (&[0, 2][..], 2, "has 2 offsets, 2 lists have 3"),
            (&[1, 2], 1, "begins with 1, not with 0"),
            (
                &[0, 4],
                1,
                "list 0 has 4 elements, the declared maximum is 3",
            ),
            (&[0, 2, 1], 2, "decreases from 2 to 1 at list 1"),
            (
                &[0, i64::MIN],
                1,
                "decreases from 0 to -9223372036854775808 at list 0",
            ),
        ] {
            assert_eq!(check_offsets(offsets, lists, 3), Err(why.into()));
        }
    }
}
