//! The answer as tables: the three steps of the source document, then the map, then the change of
//! layout.

use super::{Report, json};
use crate::error::LayoutError;
use crate::reshard::{Plan, Reshard};
use crate::tensor::IndexBox;
use mapwright_indexing::counted;
use std::fmt::Write as _;

/// The most ranks that a table lists.
const MOST_ROWS: usize = 64;
/// The most boxes that a row lists.
const MOST_BOXES: usize = 8;

pub(super) fn text(report: &Report) -> String {
    let tensor = &report.tensor;
    let layout = tensor.layout();
    let (names, ranks) = (layout.device_matrix().names(), layout.ranks());
    let mut out = String::new();
    let slices = layout.slice_count();
    let _ = writeln!(out, "Layout {layout}");
    let _ = writeln!(
        out,
        "Tensor {}, shards {}, {} on {}",
        shape(tensor.shape()),
        shape(tensor.shard_shape()),
        counted(slices, "slice"),
        counted(layout.device_count(), "device"),
    );

    let shown: Vec<i64> = ranks.iter().take(MOST_ROWS).copied().collect();
    let digits: Vec<Vec<i64>> = shown
        .iter()
        .filter_map(|r| layout.digits_of(*r).ok())
        .collect();
    let rows = |columns: &dyn Fn(usize) -> Vec<String>| -> Vec<Vec<String>> {
        shown
            .iter()
            .enumerate()
            .map(|(i, rank)| {
                let mut row = vec![rank.to_string()];
                row.extend(columns(i));
                row
            })
            .collect()
    };
    let header = |columns: Vec<String>| -> Vec<String> {
        std::iter::once("rank".to_owned()).chain(columns).collect()
    };

    out.push_str("\n1. Numbering: the digits of each rank, the last axis fastest\n");
    let sizes = layout.device_matrix().sizes();
    let titles = names
        .iter()
        .zip(sizes)
        .map(|(n, s)| format!("{n}={s}"))
        .collect();
    table(
        &mut out,
        header(titles),
        rows(&|i| digits[i].iter().map(i64::to_string).collect()),
        ranks.len(),
    );

    let named: Vec<usize> = layout.tensor_map().iter().flatten().copied().collect();
    let dropped: Vec<&str> = layout
        .unnamed_axes()
        .into_iter()
        .map(|a| names[a].as_str())
        .collect();
    out.push_str("\n2. Adjustment: the digits of the named axes, in the order of the tensor map");
    if !dropped.is_empty() {
        let _ = write!(out, " (dropped: {})", dropped.join(", "));
    }
    out.push('\n');
    let titles = named.iter().map(|a| names[*a].clone()).collect();
    table(
        &mut out,
        header(titles),
        rows(&|i| named.iter().map(|a| digits[i][*a].to_string()).collect()),
        ranks.len(),
    );

    let strides: Vec<String> = layout
        .strides()
        .iter()
        .map(|(n, s)| format!("{n}={s}"))
        .collect();
    out.push_str("\n3. Slices: the sum of digit * stride");
    let _ = writeln!(
        out,
        "{}",
        if strides.is_empty() {
            String::new()
        } else {
            format!("; strides {}", strides.join(" "))
        }
    );
    let mut titles = vec!["slice".to_owned()];
    titles.extend((0..tensor.shape().len()).map(|i| format!("d{i}")));
    table(
        &mut out,
        header(titles),
        rows(&|i| {
            let mut row = vec![
                layout
                    .slice_of(shown[i])
                    .map(|s| s.to_string())
                    .unwrap_or_default(),
            ];
            row.extend(
                tensor
                    .range_of(shown[i])
                    .unwrap_or_default()
                    .iter()
                    .map(ToString::to_string),
            );
            row
        }),
        ranks.len(),
    );

    let _ = writeln!(out, "\nMap: {}", map_text(&tensor.map()));
    for claim in tensor.prove() {
        let verdict = match claim.holds {
            Some(true) => "proved",
            Some(false) => "false",
            None => "not decided",
        };
        let _ = writeln!(out, "  {}: {verdict} ({})", claim.statement, claim.method);
    }
    let notations = report.notations();
    let one = |r: Result<String, String>| r.unwrap_or_else(|e| format!("refused: {e}"));
    let two = |r: Result<(String, String), String>| {
        r.map_or_else(
            |e| format!("refused: {e}"),
            |(a, b)| format!("{a}\n          {b}"),
        )
    };
    out.push_str("\nIn other notations:\n");
    let _ = writeln!(out, "  HLO     {}", one(notations.hlo));
    let _ = writeln!(out, "  Shardy  {}", two(notations.shardy));
    let _ = writeln!(out, "  shard   {}", two(notations.shard));
    if let Some((change, plan)) = &report.change {
        reshard(&mut out, change, plan);
    }
    out
}

fn reshard(out: &mut String, change: &Reshard, plan: &Result<Plan, LayoutError>) {
    let layout = change.from().layout();
    let _ = writeln!(
        out,
        "\nFrom {}\nto   {}",
        change.from().layout(),
        change.to().layout()
    );
    match plan {
        Ok(plan) => {
            let _ = write!(out, "Collective: {}", plan.collective());
            if let Some(reason) = plan.reason() {
                let _ = write!(out, " ({reason})");
            }
            out.push('\n');
            for step in plan.steps() {
                let dims = match (step.from_dim, step.to_dim) {
                    (Some(a), Some(b)) => format!(", dimension {a} joined, dimension {b} split"),
                    (Some(a), None) => format!(", dimension {a} joined"),
                    (None, Some(b)) => format!(", dimension {b} split"),
                    (None, None) => String::new(),
                };
                let axes = json::axes(step, layout).join(", ");
                let over = if axes.is_empty() { "" } else { " over " };
                let _ = writeln!(
                    out,
                    "  {}{over}{axes}{dims}: {} bytes each way",
                    step.collective, step.bytes
                );
            }
            let (cost, bound) = (plan.cost(), plan.bound());
            let least = if plan.proved() {
                ", and no plan needs less".to_owned()
            } else {
                format!("; every plan needs at least {bound}")
            };
            let _ = writeln!(out, "At most {cost} bytes each way{least}");
        }
        Err(reason) => {
            let _ = writeln!(out, "Collective: unknown ({reason})");
        }
    }
    let _ = writeln!(out, "Map: {}", map_text(&change.map()));
    let ranks = layout.ranks();
    let rows = ranks
        .iter()
        .take(MOST_ROWS)
        .map(|rank| {
            let bytes = |f: &dyn Fn(&Plan) -> i64| {
                plan.as_ref().map_or("?".to_owned(), |p| f(p).to_string())
            };
            vec![
                rank.to_string(),
                bytes(&|p| p.sent(*rank)),
                bytes(&|p| p.received(*rank)),
                boxes(change, plan.as_ref().ok(), *rank),
            ]
        })
        .collect();
    let header = [
        "rank",
        "sends",
        "receives",
        "boxes, and the rank that has them",
    ]
    .map(str::to_owned)
    .to_vec();
    table(out, header, rows, ranks.len());
}

/// The boxes of a rank with their sources, not too many of them.
fn boxes(change: &Reshard, plan: Option<&Plan>, rank: i64) -> String {
    let devices = change.from().layout().device_count() as u128;
    let planned = plan.and_then(|p| p.transfers(rank)).map(<[_]>::to_vec);
    // Far too many to make, let alone to print.
    if planned.is_none() && change.transfer_count() / devices.max(1) > 1 << 16 {
        return "too many to list".to_owned();
    }
    let list = planned.unwrap_or_else(|| change.transfers(rank).unwrap_or_default());
    let text = |b: &IndexBox| {
        b.iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("x")
    };
    let mut parts: Vec<String> = list
        .iter()
        .take(MOST_BOXES)
        .map(|t| format!("{} from {}", text(&t.global), t.from))
        .collect();
    if list.len() > MOST_BOXES {
        parts.push(format!("{} more", list.len() - MOST_BOXES));
    }
    parts.join("; ")
}

fn map_text(map: &mapwright_indexing::IndexingMap) -> String {
    match map.unknown_reason() {
        Some(reason) => format!("unknown: {reason}"),
        None => map.to_string(),
    }
}

fn shape(sizes: &[i64]) -> String {
    if sizes.is_empty() {
        "scalar".to_owned()
    } else {
        sizes
            .iter()
            .map(i64::to_string)
            .collect::<Vec<_>>()
            .join("x")
    }
}

fn table(out: &mut String, header: Vec<String>, rows: Vec<Vec<String>>, all: usize) {
    let mut widths: Vec<usize> = header.iter().map(|h| h.chars().count()).collect();
    for row in &rows {
        for (w, cell) in widths.iter_mut().zip(row) {
            *w = (*w).max(cell.chars().count());
        }
    }
    let shown = rows.len();
    for row in std::iter::once(header).chain(rows) {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .map(|(c, w)| format!("{c:>w$}"))
            .collect();
        let _ = writeln!(out, "  {}", cells.join("  "));
    }
    if all > shown {
        let _ = writeln!(out, "  … {} more ranks (--json lists all)", all - shown);
    }
}
