//! What JAX does with the same shardings: slices of eight simulated CPU devices recorded from
//! `devices_indices_map` (`data/make_jax_shardings.py`), for NamedSharding, PositionalSharding and
//! HLO strings.

use mapwright_sharding::notation::{HloSharding, Mesh, ShardySharding};
use mapwright_sharding::{DeviceMatrix, Layout, Split};
use serde_json::Value;

fn list(v: &Value) -> Vec<i64> {
    v.as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_i64().unwrap())
        .collect()
}

/// That device `ids[rank]` holds what JAX puts there.
fn check(case: &Value, layout: &Layout, ids: &[i64]) {
    let tensor = layout.of_shape(&list(&case["shape"])).unwrap();
    assert_eq!(tensor.shard_shape(), list(&case["shard"]), "{case}");
    for rank in 0..8 {
        let starts: Vec<i64> = tensor
            .range_of(rank)
            .unwrap()
            .iter()
            .map(|i| i.lower)
            .collect();
        assert_eq!(
            starts,
            list(&case["starts"][ids[rank as usize] as usize]),
            "{case} rank {rank}"
        );
    }
    assert!(
        layout.device_ids().is_some() || tensor.prove().iter().all(|c| c.holds == Some(true)),
        "{case}"
    );
}

#[test]
fn recorded_shardings() {
    let cases: Value = serde_json::from_str(include_str!("data/jax_shardings.json")).unwrap();
    let count: Vec<i64> = (0..8).collect();
    let mut kinds = std::collections::BTreeMap::new();
    for case in cases.as_array().unwrap() {
        let kind = case["kind"].as_str().unwrap();
        *kinds.entry(kind).or_insert(0) += 1;
        let order = if case["devices"].is_array() {
            list(&case["devices"])
        } else {
            count.clone()
        };
        let rank = case["shape"].as_array().unwrap().len();

        // The HLO string, read, converted, and written again.
        let text = case["hlo"].as_str().unwrap();
        let hlo: HloSharding = text.parse().unwrap();
        assert_eq!(
            hlo.to_string(),
            text.replace("last_tile_dims={replicated}", "last_tile_dim_replicate")
        );
        let layout = hlo.to_layout(rank, Some(8)).unwrap();
        check(case, &layout, &order);
        let again = HloSharding::from_layout(&layout).unwrap();
        check(case, &again.to_layout(rank, Some(8)).unwrap(), &order);
        if kind != "named" {
            continue;
        }
        assert_eq!(again.to_string(), text, "{case}");

        // The layout itself: device matrix, names, tensor map.
        let mesh: Vec<(String, i64)> = case["mesh"]
            .as_array()
            .unwrap()
            .iter()
            .map(|a| (a[0].as_str().unwrap().to_owned(), a[1].as_i64().unwrap()))
            .collect();
        let (names, sizes): (Vec<&str>, Vec<i64>) =
            mesh.iter().map(|a| (a.0.as_str(), a.1)).unzip();
        let map: Vec<Split> = case["spec"]
            .as_array()
            .unwrap()
            .iter()
            .map(|axes| {
                axes.as_array()
                    .unwrap()
                    .iter()
                    .map(|a| a.as_str().unwrap().to_owned())
                    .collect()
            })
            .collect();
        let layout = DeviceMatrix::new(&sizes, &names)
            .unwrap()
            .layout(&map)
            .unwrap();
        check(case, &layout, &order);
        check(
            case,
            &layout.clone().with_device_ids(&order).unwrap(),
            &count,
        );
        assert_eq!(
            HloSharding::from_layout(&layout).unwrap().to_string(),
            text,
            "{case}"
        );

        // Shardy's text.
        let text = case["sdy"].as_str().unwrap();
        let sdy: ShardySharding = text.parse().unwrap();
        assert_eq!(sdy.to_string(), text);
        let read = sdy.to_layout(None).unwrap();
        assert_eq!(read, layout, "{case}");
        let on = Mesh {
            name: String::new(),
            axes: mesh.clone(),
            device_ids: None,
        };
        let (_, written) = ShardySharding::from_layout(&layout, Some(&on), false).unwrap();
        let of_size_one = |d: &str| sizes[names.iter().position(|n| *n == d).unwrap()] == 1;
        let mut expected = sdy.clone();
        expected
            .dims
            .iter_mut()
            .for_each(|d| d.axes.retain(|a| !of_size_one(&a.name)));
        assert_eq!(written.to_string(), expected.to_string(), "{case}");
    }
    assert!(
        kinds["named"] >= 200 && kinds["positional"] >= 50 && kinds["gspmd"] >= 50,
        "{kinds:?}"
    );
}
