//! The regions of functions as a picture: a box for each with its operations, and arrows for what
//! one hands to another.

use super::fusion::number_or_formula;
use crate::analysis::picture::svg::{COLOURS, LINE, Svg};
use serde_json::Value;
use std::collections::HashMap;

/// The width of a box.
const WIDTH: f64 = 640.0;

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The answer of `mapwright fusion` as a page, on which a region is chosen to see all about it.
pub(super) fn page(functions: &[Value]) -> String {
    let page = include_str!("regions.html").replacen("@DRAWING@", &svg(functions), 1);
    // Data are last: they may hold the marks.
    with_data(&page, &Value::from(functions))
}

/// A page with a document in the place of its mark.
pub(super) fn with_data(page: &str, data: &Value) -> String {
    // A script element ends at the first `</script`, also within a string.
    let data = data.to_string().replace("</", "<\\/");
    page.replacen("@DATA@", &data, 1)
}

/// Draws the answer of `mapwright fusion`.
pub(super) fn svg(functions: &[Value]) -> String {
    let mut drawing = Svg::default();
    let mut y = LINE;
    for (f, function) in functions.iter().enumerate() {
        let title = format!("func @{}", word(&function["name"]));
        drawing.text((16.0, y), &title, "font-weight=\"bold\"");
        y += LINE;
        // Where the arrows of a value begin: the region that gives it, and its height there.
        let mut made: HashMap<&str, f64> = HashMap::new();
        let mut reads: Vec<(&str, f64)> = Vec::new();
        for (i, region) in list(&function["regions"]).iter().enumerate() {
            drawing.begin(&format!(
                "class=\"region\" data-function=\"{f}\" data-region=\"{i}\""
            ));
            y = draw(&mut drawing, i, region, y, &mut made, &mut reads);
            drawing.end();
        }
        for (number, (value, to)) in reads.into_iter().enumerate() {
            if let Some(from) = made.get(value) {
                let bend = 24.0 + 12.0 * (number % 6) as f64;
                let x = 16.0 + WIDTH;
                let points = [(x, *from), (x + bend, *from), (x + bend, to), (x, to)];
                drawing.arrow(points, COLOURS[number % COLOURS.len()]);
            }
        }
        y += LINE;
    }
    drawing.finish()
}

/// Draws a region below `top`; gives where the next one may begin.
fn draw<'v>(
    drawing: &mut Svg,
    number: usize,
    region: &'v Value,
    top: f64,
    made: &mut HashMap<&'v str, f64>,
    reads: &mut Vec<(&'v str, f64)>,
) -> f64 {
    let (inputs, outputs) = (list(&region["inputs"]), list(&region["outputs"]));
    let members = list(&region["members"]);
    let lines = 1 + inputs.len() + members.len() + outputs.len();
    let height = LINE * lines as f64 + 12.0;
    drawing.rect((16.0, top), (WIDTH, height), "#e7f5ff");
    let mut y = top + LINE;
    let title = format!(
        "region {number}: {}, reads {} bytes, writes {} bytes",
        word(&region["kind"]),
        number_or_formula(region, "bytes_read"),
        number_or_formula(region, "bytes_written")
    );
    drawing.text((24.0, y), &title, "font-weight=\"bold\"");
    let value = |value: &Value| format!("{} : {}", word(&value["value"]), word(&value["type"]));
    for input in inputs {
        y += LINE;
        reads.push((word(&input["value"]), y - 4.0));
        drawing.text(
            (24.0, y),
            &format!("reads {}", value(input)),
            "fill=\"#1864ab\"",
        );
    }
    for member in members {
        y += LINE;
        let is_root = *member == region["root"];
        let style = if is_root { "font-weight=\"bold\"" } else { "" };
        drawing.text((40.0, y), word(&member["op"]), style);
    }
    for output in outputs {
        y += LINE;
        made.insert(word(&output["value"]), y - 4.0);
        drawing.text(
            (24.0, y),
            &format!("writes {}", value(output)),
            "fill=\"#d9480f\"",
        );
    }
    top + height + LINE
}
