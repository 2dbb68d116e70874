//! Layouts of many devices: one rank in microseconds, all of them without a quadratic step.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic is how a test fails.

use divan::{Bencher, black_box};
use mapwright_sharding::notation::HloSharding;
use mapwright_sharding::{
    DeviceMatrix, Layout, Reshard, ShardedTensor, layout_of_map, place_alike,
};

fn main() {
    divan::main();
}

/// `devices` devices in three axes, the last third of which holds replicas.
fn layout(devices: i64) -> Layout {
    let matrix = DeviceMatrix::new(&[devices / 100, 10, 10], &["data", "model", "replica"])
        .expect("a matrix");
    matrix.layout(&["model", "data", "None"]).expect("a layout")
}

fn tensor(devices: i64) -> ShardedTensor {
    layout(devices)
        .of_shape(&[80, devices * 2, 120])
        .expect("a shape")
}

const DEVICES: [i64; 3] = [1_000, 10_000, 100_000];

#[divan::bench(args = DEVICES)]
fn slice_of_one_rank(bencher: Bencher, devices: i64) {
    let layout = layout(devices);
    bencher.bench(|| layout.slice_of(black_box(devices - 7)));
}

#[divan::bench(args = DEVICES)]
fn range_of_one_rank(bencher: Bencher, devices: i64) {
    let tensor = tensor(devices);
    bencher.bench(|| tensor.range_of(black_box(devices - 7)));
}

#[divan::bench(args = DEVICES)]
fn holders_of_one_slice(bencher: Bencher, devices: i64) {
    let layout = layout(devices);
    bencher.bench(|| layout.holders(black_box(3)));
}

#[divan::bench(args = DEVICES)]
fn slices_of_all_ranks(bencher: Bencher, devices: i64) {
    let layout = layout(devices);
    bencher.bench(|| layout.slices());
}

#[divan::bench(args = DEVICES)]
fn replicas_of_all_slices(bencher: Bencher, devices: i64) {
    let layout = layout(devices);
    bencher.bench(|| layout.replicas());
}

#[divan::bench(args = DEVICES)]
fn map(bencher: Bencher, devices: i64) {
    let tensor = tensor(devices);
    bencher.bench(|| tensor.map());
}

#[divan::bench(args = DEVICES)]
fn proofs(bencher: Bencher, devices: i64) {
    let tensor = tensor(devices);
    bencher.bench(|| {
        let claims = tensor.prove();
        assert!(claims.iter().all(|c| c.holds == Some(true)), "{claims:?}");
    });
}

#[divan::bench(args = DEVICES)]
fn two_layouts_alike(bencher: Bencher, devices: i64) {
    let (a, b) = (tensor(devices), tensor(devices));
    bencher.bench(|| place_alike(&a, &b));
}

#[divan::bench(args = DEVICES)]
fn layout_from_its_map(bencher: Bencher, devices: i64) {
    let map = tensor(devices).map();
    bencher.bench(|| layout_of_map(&map).expect("a layout"));
}

#[divan::bench(args = DEVICES)]
fn plan_of_a_change(bencher: Bencher, devices: i64) {
    let from = tensor(devices);
    let matrix = from.layout().device_matrix().clone();
    let to = matrix.layout(&["None", "data", "model"]).expect("a layout");
    let to = to.of_shape(from.shape()).expect("a shape");
    let change = Reshard::new(from, to).expect("a change");
    bencher.bench(|| change.plan(4).expect("a plan"));
}

#[divan::bench(args = DEVICES)]
fn explicit_device_list(bencher: Bencher, devices: i64) {
    let ids: Vec<String> = (0..devices).rev().map(|i| i.to_string()).collect();
    let text = format!("{{devices=[{devices}]{}}}", ids.join(","));
    bencher.bench(|| {
        text.parse::<HloSharding>()
            .expect("a sharding")
            .to_layout(1, None)
            .expect("a layout")
    });
}
