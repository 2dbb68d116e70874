//! Collectives over `(replica, index…)`, with groups of every kind.

use super::harness::*;

/// Groups of equal size over all of `0..n`.
fn groups(rng: &mut Rng) -> Vec<Vec<i64>> {
    let (count, size) = (rng.int(1, 3) as usize, rng.int(1, 3) as usize);
    let n = count * size;
    let order: Vec<i64> = match rng.int(0, 2) {
        0 => (0..n as i64).collect(),
        1 => (0..n)
            .map(|i| ((i % size) * count + i / size) as i64)
            .collect(),
        _ => rng.permutation(n).into_iter().map(|i| i as i64).collect(),
    };
    order.chunks(size).map(<[i64]>::to_vec).collect()
}

fn matrix(rows: &[Vec<i64>]) -> String {
    let text: Vec<String> = rows.iter().map(list).collect();
    format!(
        "dense<[{}]> : tensor<{}x{}xi64>",
        text.join(", "),
        rows.len(),
        rows[0].len()
    )
}

#[test]
pub fn collectives() {
    run("collectives", 400, |rng| {
        let groups = groups(rng);
        let m = groups[0].len() as i64;
        let replicas = groups.len() as i64 * m;
        let rank = rng.int(1, 3) as usize;
        let k = rng.int(0, rank as i64 - 1) as usize;
        let c = rng.int(0, rank as i64 - 1) as usize;
        let mut inp: Vec<i64> = (0..rank).map(|_| rng.int(1, 3)).collect();
        let mut out = inp.clone();
        let common = format!(
            "replica_groups = {}, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>",
            matrix(&groups)
        );
        let find = {
            let groups = groups.clone();
            move |replica: i64| {
                let group = groups
                    .iter()
                    .find(|g| g.contains(&replica))
                    .unwrap()
                    .clone();
                let position = group.iter().position(|r| *r == replica).unwrap() as i64;
                (group, position)
            }
        };
        let sum = "({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): \"stablehlo.return\"(%a) : (tensor<f32>) -> () })";
        let (name, region, attributes, relation): (&str, &str, String, Relation) = match rng
            .int(0, 6)
        {
            0 => (
                if rng.flag() {
                    "all_reduce"
                } else {
                    "cross-replica-sum"
                },
                sum,
                common,
                Box::new(move |_, i| {
                    find(i[0])
                        .0
                        .into_iter()
                        .map(|r| (0, [&[r], &i[1..]].concat()))
                        .collect()
                }),
            ),
            1 => {
                out[k] = inp[k] * m;
                let n = inp[k];
                (
                    "all_gather",
                    "",
                    format!("all_gather_dim = {k} : i64, {common}"),
                    Box::new(move |_, i| {
                        let mut index = i.to_vec();
                        index[0] = find(i[0]).0[(i[k + 1] / n) as usize];
                        index[k + 1] = i[k + 1] % n;
                        vec![(0, index)]
                    }),
                )
            }
            2 => {
                inp[k] = out[k] * m;
                let n = out[k];
                (
                    "reduce_scatter",
                    sum,
                    format!("scatter_dimension = {k} : i64, {common}"),
                    Box::new(move |_, i| {
                        let (group, position) = find(i[0]);
                        let mut index = i.to_vec();
                        index[k + 1] += position * n;
                        group
                            .into_iter()
                            .map(|r| {
                                index[0] = r;
                                (0, index.clone())
                            })
                            .collect()
                    }),
                )
            }
            3 => {
                inp[k] *= m;
                let part = inp[k] / m;
                out = inp.clone();
                out[k] = part;
                let piece = out[c];
                out[c] *= m;
                (
                    "all_to_all",
                    "",
                    format!(
                        "split_dimension = {k} : i64, concat_dimension = {c} : i64, split_count = {m} : i64, {common}"
                    ),
                    Box::new(move |_, i| {
                        // Member p sends its part number `position`; the parts stand in the order
                        // of the members.
                        let (group, position) = find(i[0]);
                        let mut index = i.to_vec();
                        index[0] = group[(i[c + 1] / piece) as usize];
                        index[c + 1] = i[c + 1] % piece;
                        index[k + 1] += position * part;
                        vec![(0, index)]
                    }),
                )
            }
            4 => (
                "collective_broadcast",
                "",
                common,
                Box::new(move |_, i| vec![(0, [&[find(i[0]).0[0]], &i[1..]].concat())]),
            ),
            5 => (
                "collective_reduce",
                sum,
                common,
                Box::new(move |_, i| {
                    // Only the first member gets anything.
                    let (group, position) = find(i[0]);
                    let members = group.into_iter().filter(|_| position == 0);
                    members.map(|r| (0, [&[r], &i[1..]].concat())).collect()
                }),
            ),
            _ => {
                let targets = rng.permutation(replicas as usize);
                let pairs: Vec<Vec<i64>> = (0..replicas)
                    .filter(|r| *r == replicas - 1 || *r == 0 || rng.int(0, 3) > 0)
                    .map(|r| vec![r, targets[r as usize] as i64])
                    .collect();
                let listed = matrix(&pairs);
                (
                    "collective_permute",
                    "",
                    format!(
                        "source_target_pairs = {listed}, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
                    ),
                    Box::new(move |_, i| {
                        pairs
                            .iter()
                            .filter(|p| p[1] == i[0])
                            .map(|p| (0, [&[p[0]], &i[1..]].concat()))
                            .collect()
                    }),
                )
            }
        };
        let mut case = Case::new(
            name,
            &[(inp, "f32")],
            region,
            &attributes,
            &[(out, "f32")],
            relation,
        );
        case.replicas = Some(replicas);
        case
    });
}
