//! The relation of windows, operands and window elements, solved for another of the three.
//!
//! Element `w` of window `o` lies over element `i` of the operand where
//! `o * stride + w * dilation = i * base + low`. Adjoints are windows of the same kind: over the
//! elements of the result for each element of the operand, or for each element of the window.

use mapwright_indexing::Extent;
use mapwright_ops::attrs::Window;

/// Sizes as numbers: those that are known at run time only, along which nothing slides, count as
/// nothing.
pub(super) fn numbers(sizes: &[Extent]) -> Vec<i64> {
    let number = |size: &Extent| size.as_constant().unwrap_or_default();
    sizes.iter().map(number).collect()
}

/// Size of a dimension whose elements are moved apart.
fn dilated(size: i64, by: i64) -> i64 {
    if size == 0 { 0 } else { (size - 1) * by + 1 }
}

/// The padding behind so that there are `count` windows over `size` elements.
fn behind(window: &Window, k: usize, size: i64, count: i64) -> i64 {
    let reach = dilated(window.size[k], window.window_dilation[k]);
    let padded = (count - 1) * window.stride[k] + reach;
    padded - dilated(size, window.base_dilation[k]) - window.padding[k].0
}

/// For each of the `operand` elements the windows, among `result`, that lie over it: `w` runs
/// backwards.
pub(super) fn over_elements(window: &Window, operand: &[i64], result: &[i64]) -> Window {
    let mut found = Window {
        size: window.size.clone(),
        stride: window.base_dilation.clone(),
        base_dilation: window.stride.clone(),
        window_dilation: window.window_dilation.clone(),
        padding: Vec::new(),
        reversal: vec![false; window.size.len()],
    };
    for k in 0..window.size.len() {
        let reach = dilated(window.size[k], window.window_dilation[k]);
        found.padding.push((reach - 1 - window.padding[k].0, 0));
        found.padding[k].1 = behind(&found, k, result[k], operand[k]);
    }
    found
}

/// For each element of the window the windows, among `result`, in which it lies over an element of
/// the operand.
pub(super) fn over_places(window: &Window, operand: &[i64], result: &[i64]) -> Window {
    let mut found = Window {
        size: result.to_vec(),
        stride: window.window_dilation.clone(),
        base_dilation: window.base_dilation.clone(),
        window_dilation: window.stride.clone(),
        padding: Vec::new(),
        reversal: vec![false; window.size.len()],
    };
    for (k, size) in window.size.iter().enumerate() {
        found.padding.push((window.padding[k].0, 0));
        found.padding[k].1 = behind(&found, k, operand[k], *size);
    }
    found
}
