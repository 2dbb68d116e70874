//! The answer as JSON.

use super::Report;
use crate::layout::Layout;
use crate::maps::Claim;
use crate::reshard::{Plan, Reshard};
use crate::tensor::IndexBox;
use mapwright_indexing::IndexingMap;
use serde_json::{Map, Value, json};

/// The most transfers that are written out.
const MOST_TRANSFERS: u128 = 1 << 21;

pub(super) fn json(report: &Report) -> Value {
    let tensor = &report.tensor;
    let layout = tensor.layout();
    let matrix = layout.device_matrix();
    let names = matrix.names();
    let strides: Map<String, Value> = layout
        .strides()
        .into_iter()
        .map(|(n, s)| (n.to_owned(), json!(s)))
        .collect();
    let map: Vec<Vec<&String>> = layout
        .tensor_map()
        .iter()
        .map(|axes| axes.iter().map(|a| &names[*a]).collect())
        .collect();
    let notations = report.notations();
    let one = |r: Result<String, String>| {
        r.map_or_else(|e| json!({ "refused": e }), |t| json!({ "sharding": t }))
    };
    let two = |r: Result<(String, String), String>, word: &str| {
        r.map_or_else(
            |e| json!({ "refused": e }),
            |(m, s)| json!({ word: m, "sharding": s }),
        )
    };
    let mut out = json!({
        "strides": strides,
        "slices": layout.slices(),
        "ranges": tensor.ranges().iter().map(range).collect::<Vec<_>>(),
        "replicas": layout.replicas(),
        "map": indexing_map(&tensor.map()),
        "device_matrix": matrix.sizes(),
        "alias": names,
        "tensor_map": map,
        "partial": layout.partial().iter().map(|(a, k)| json!({"axis": names[*a], "reduction": k.to_string()})).collect::<Vec<_>>(),
        "ranks": layout.ranks(),
        "shape": tensor.shape(),
        "shard_shape": tensor.shard_shape(),
        "proofs": tensor.prove().iter().map(claim).collect::<Vec<_>>(),
        "notations": {
            "hlo": one(notations.hlo),
            "shardy": two(notations.shardy, "mesh"),
            "shard": two(notations.shard, "grid"),
        },
    });
    if let Some(change) = change(report) {
        out["reshard"] = change;
    }
    out
}

/// The change of layout, if one was asked for.
pub(super) fn change(report: &Report) -> Option<Value> {
    let (change, plan) = report.change.as_ref()?;
    let plan = plan.as_ref().map_err(ToString::to_string);
    Some(reshard(change, plan, report.element_bytes))
}

fn range(indices: &IndexBox) -> Value {
    Value::Array(indices.iter().map(|i| json!([i.lower, i.upper])).collect())
}

fn claim(claim: &Claim) -> Value {
    json!({"statement": claim.statement, "holds": claim.holds, "method": claim.method})
}

/// A map as every command of `mapwright` writes it.
fn indexing_map(map: &IndexingMap) -> Value {
    json!({
        "text": map.to_string(),
        "exact": map.is_exact(),
        "empty": map.is_known_empty(),
        "unknown": map.unknown_reason(),
        "runtime": [],
    })
}

fn reshard(change: &Reshard, plan: Result<&Plan, String>, element_bytes: i64) -> Value {
    let layout = change.from().layout();
    let ranks = layout.ranks();
    let mut out = json!({
        "from": change.from().layout().to_string(),
        "to": change.to().layout().to_string(),
        "identity": change.identity().holds,
        "map": indexing_map(&change.map()),
        "element_bytes": element_bytes,
        "reduction": change.reduction().map(|k| k.to_string()),
    });
    match &plan {
        Ok(plan) => {
            out["collective"] = json!(plan.collective().to_string());
            out["steps"] = plan.steps().iter().map(|s| step(s, layout)).collect();
            out["reason"] = json!(plan.reason());
            out["bound"] = json!(plan.bound());
            out["proved"] = json!(plan.proved());
            out["sends"] = ranks.iter().map(|r| json!(plan.sent(*r))).collect();
            out["receives"] = ranks.iter().map(|r| json!(plan.received(*r))).collect();
        }
        Err(reason) => out["collective"] = json!({ "unknown": reason }),
    }
    let count = change.transfer_count();
    out["transfers"] = if count > MOST_TRANSFERS {
        json!({ "omitted": format!("up to {count} transfers are more than the {MOST_TRANSFERS} that are written out") })
    } else {
        let of = |rank: &i64| -> Value {
            let planned = plan
                .as_ref()
                .ok()
                .and_then(|p| p.transfers(*rank))
                .map(<[_]>::to_vec);
            let list = planned.unwrap_or_else(|| change.transfers(*rank).unwrap_or_default());
            list.iter()
                .map(|t| json!({"from": t.from, "box": range(&t.global)}))
                .collect()
        };
        ranks.iter().map(of).collect()
    };
    out
}

fn step(step: &crate::reshard::Step, layout: &Layout) -> Value {
    json!({
        "collective": step.collective.to_string(),
        "axes": axes(step, layout),
        "from_dim": step.from_dim,
        "to_dim": step.to_dim,
        "bytes": step.bytes,
    })
}

/// The digits of a step by the names of the layout before.
pub(super) fn axes(step: &crate::reshard::Step, layout: &Layout) -> Vec<String> {
    crate::digits::merge(&step.axes)
        .iter()
        .map(|d| crate::propagate::digit_name(layout.device_matrix(), *d))
        .collect()
}
