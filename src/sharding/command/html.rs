//! The answer as a page: each tensor as a grid of panels, every slice in a colour, the digits of
//! its ranks on hover; of a change both layouts beside each other, and which rank sends what to
//! whom.

use super::{Report, json};
use crate::error::LayoutError;
use crate::tensor::ShardedTensor;
use serde_json::{Value, json};

/// The page; the data replaces a mark in its script.
const PAGE: &str = include_str!("page.html");
/// The most cells that are drawn of a layout.
const MOST_CELLS: i64 = 1 << 14;
/// The most ranks whose digits the page knows.
const MOST_RANKS: i64 = 1 << 16;

pub(super) fn html(report: &Report) -> Result<String, LayoutError> {
    let layouts = match report.reshard() {
        Some(change) => vec![change.from(), change.to()],
        None => vec![&report.tensor],
    };
    let drawn: Result<Vec<Value>, LayoutError> = layouts.into_iter().map(layout).collect();
    let data = json!({
        "shape": report.tensor.shape(),
        "layouts": drawn?,
        "change": json::change(report),
    });
    // No name can end the script element.
    let data = data.to_string().replace('<', "\\u003c");
    Ok(PAGE.replacen("@DATA@", &data, 1))
}

/// Returns what is drawn of a layout.
fn layout(tensor: &ShardedTensor) -> Result<Value, LayoutError> {
    let layout = tensor.layout();
    let sizes = tensor.shape().iter();
    let elements = sizes.copied().try_fold(1i64, i64::checked_mul);
    // Elements where they can be told apart, slices otherwise.
    let by_element = elements.is_some_and(|count| (1..=MOST_CELLS / 4).contains(&count));
    if layout.slice_count() > MOST_CELLS || layout.device_count() > MOST_RANKS {
        return Err(LayoutError::Request(format!(
            "{} slices on {} devices are more than a page can show ({MOST_CELLS} and {MOST_RANKS})",
            layout.slice_count(),
            layout.device_count()
        )));
    }
    let ranks = layout.ranks();
    let digits = |rank: &i64| layout.digits_of(*rank).unwrap_or_default();
    Ok(json!({
        "title": layout.to_string(),
        "shard": tensor.shard_shape(),
        "cells": if by_element { tensor.shape().to_vec() } else { layout.parts() },
        "byElement": by_element,
        "parts": layout.parts(),
        "names": layout.device_matrix().names(),
        "digits": ranks.iter().map(digits).collect::<Vec<_>>(),
        "ranks": ranks,
        "slices": layout.slices(),
        "map": tensor.map().unknown_reason().map_or_else(|| tensor.map().to_string(), |r| format!("unknown: {r}")),
    }))
}
