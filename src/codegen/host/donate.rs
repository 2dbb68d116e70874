//! Donated arguments: the caller may give an argument's memory for a result.
//!
//! `tf.aliasing_output = K` on an argument says that result K may be where the argument is. Then
//! nothing is written there before the argument was read for the last time, and a program that
//! updates a part of the argument writes that part alone. Whether a call makes use of it is the
//! caller's choice: with different addresses the argument stays as it is.

use mapwright_mlir::{Op, attr, op};

/// Pairs (argument, result) of a function, by their numbers.
pub(crate) fn donations(function: Op<'_>) -> Vec<(usize, usize)> {
    let Some(block) = function.body(0) else {
        return Vec::new();
    };
    let arguments = op::arguments(block);
    let results = op::ops(block)
        .last()
        .map(|end| end.operands())
        .unwrap_or_default();
    let dictionaries = function
        .attribute("arg_attrs")
        .and_then(attr::array)
        .unwrap_or_default();
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (i, (argument, dictionary)) in arguments.iter().zip(dictionaries).enumerate() {
        let number = attr::entry(dictionary, "tf.aliasing_output")
            .and_then(attr::int)
            .and_then(|number| usize::try_from(number).ok());
        let Some(k) = number.filter(|k| *k < results.len()) else {
            continue;
        };
        let types = (
            super::values::tensor(*argument),
            super::values::tensor(results[k]),
        );
        let fits = types.0.is_some() && types.0 == types.1;
        let fixed = types.0.is_some_and(|ty| ty.static_shape().is_some());
        if fits && fixed && found.iter().all(|(_, other)| *other != k) {
            found.push((i, k));
        }
    }
    found
}
