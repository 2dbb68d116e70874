//! The answer as a page: the tensor as a grid of panels, every slice in a colour, the digits of its
//! ranks on hover.

use super::Report;
use crate::error::LayoutError;
use serde_json::json;

/// The page; the data replaces the comment in its script.
const PAGE: &str = include_str!("page.html");
/// The most cells that are drawn.
const MOST_CELLS: i64 = 1 << 14;
/// The most ranks whose digits the page knows.
const MOST_RANKS: i64 = 1 << 16;

pub(super) fn html(report: &Report) -> Result<String, LayoutError> {
    let tensor = &report.tensor;
    let layout = tensor.layout();
    let elements = tensor
        .shape()
        .iter()
        .try_fold(1i64, |n, s| n.checked_mul(*s))
        .unwrap_or(i64::MAX);
    // Elements where they can be told apart, slices otherwise.
    let by_element = elements > 0 && elements <= MOST_CELLS / 4;
    if layout.slice_count() > MOST_CELLS || layout.device_count() > MOST_RANKS {
        return Err(LayoutError::Request(format!(
            "{} slices on {} devices are more than a page can show ({MOST_CELLS} and {MOST_RANKS})",
            layout.slice_count(),
            layout.device_count()
        )));
    }
    let matrix = layout.device_matrix();
    let ranks = layout.ranks();
    let data = json!({
        "title": layout.to_string(),
        "shape": tensor.shape(),
        "shard": tensor.shard_shape(),
        "cells": if by_element { tensor.shape().to_vec() } else { layout.parts() },
        "byElement": by_element,
        "parts": layout.parts(),
        "names": matrix.names(),
        "digits": ranks.iter().map(|r| layout.digits_of(*r).unwrap_or_default()).collect::<Vec<_>>(),
        "ranks": ranks,
        "slices": layout.slices(),
        "map": tensor.map().unknown_reason().map_or_else(|| tensor.map().to_string(), |r| format!("unknown: {r}")),
    });
    // No name can end the script element.
    let data = data.to_string().replace('<', "\\u003c");
    Ok(PAGE.replace("/*DATA*/null", &data))
}
