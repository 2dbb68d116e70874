//! `mapwright shards --data`: the slices of a tensor's elements, and a change of layout carried out
//! on them.

use super::{
    npy,
    output::{self, Files},
    run::literal,
};
use crate::{
    mlir::TensorType,
    native::{Tensor, box_rows},
    sharding::{IndexBox, Reshard, ShardedTensor, command::Report},
};
use anyhow::{Context as _, ensure};
use clap::Args;
use mapwright_indexing::Interval;
use std::{fs, path::PathBuf};

/// The tensor whose elements lie on devices.
#[derive(Args)]
pub(super) struct Data {
    /// The tensor, an `.npy` file: print the slice of each rank
    #[arg(long, value_name = "X.npy", conflicts_with = "plan")]
    data: Option<PathBuf>,
    /// Change the layout of the slices from --from to --to, box by box, and print those afterwards
    #[arg(long, requires = "data", requires = "from", requires = "to")]
    reshard: bool,
    /// Write the slices to a folder, rank0.npy and so on
    #[arg(long, value_name = "FOLDER", requires = "data")]
    output_dir: Option<PathBuf>,
}

impl Data {
    /// Prints and writes the slices of a layout, or of the one that it is changed to.
    pub(super) fn show(&self, report: &Report, quiet: bool) -> anyhow::Result<()> {
        let Some(path) = &self.data else {
            return Ok(());
        };
        let change = report.reshard().filter(|_| self.reshard);
        let placed = change.map_or(report.tensor(), Reshard::from);
        let after = change.map_or(placed, Reshard::to);
        ensure!(
            placed.layout().partial().is_empty() && after.layout().partial().is_empty(),
            "a file has the elements, and not the shares of partial sums"
        );
        let element = npy::element_of(path)?;
        let ty = TensorType::new(element, placed.shape());
        let slices = (0..placed.layout().device_count()).map(|rank| {
            let part = placed.range_of(rank)?;
            npy::read_part(path, &ty, &part)
        });
        let mut slices: Vec<Tensor> = slices.collect::<anyhow::Result<_>>()?;
        if let Some(change) = change {
            slices = changed(change, &slices)?;
        }
        if !quiet {
            output::print("\nSlices\n")?;
            for (rank, slice) in slices.iter().enumerate() {
                output::print(&format!("  rank {rank}: {}\n", literal(slice)?))?;
            }
        }
        if let Some(folder) = &self.output_dir {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make {}", folder.display()))?;
            let mut files = Files::default();
            for (rank, slice) in slices.iter().enumerate() {
                let file = files.create(&folder.join(format!("rank{rank}.npy")))?;
                npy::write(file, slice.element(), slice.shape(), slice.bytes())?;
            }
            files.commit()?;
        }
        Ok(())
    }
}

/// The slices of all ranks in another layout: each box comes from the rank that sends it.
fn changed(change: &Reshard, slices: &[Tensor]) -> anyhow::Result<Vec<Tensor>> {
    let ranks = 0..change.to().layout().device_count();
    let made = ranks.map(|rank| {
        let own = change.to().range_of(rank)?;
        let sizes: Vec<i64> = own.iter().map(|range| range.len() as i64).collect();
        let first = slices.first().context("there are no ranks")?;
        let mut made = Tensor::zeros(first.element(), &sizes)?;
        for transfer in change.transfers(rank)? {
            let sender = slices.get(transfer.from as usize).context("no such rank")?;
            let held = within(&transfer.global, change.from(), transfer.from)?;
            let box_of = bytes_of(sender, &held);
            put(
                &mut made,
                &within(&transfer.global, change.to(), rank)?,
                &box_of,
            );
        }
        Ok(made)
    });
    made.collect()
}

/// A box of global indices within the slice of a rank.
fn within(global: &IndexBox, placed: &ShardedTensor, rank: i64) -> anyhow::Result<IndexBox> {
    let own = placed.range_of(rank)?;
    let of_slice = global.iter().zip(&own);
    let of_slice = of_slice.map(|(range, own)| {
        let first = range.lower - own.lower;
        Interval::new(first, first + range.upper - range.lower)
    });
    Ok(of_slice.collect())
}

/// The elements of a box, row by row.
fn bytes_of(tensor: &Tensor, part: &IndexBox) -> Vec<u8> {
    let width = tensor.element().byte_width().unwrap_or(1);
    let mut bytes = Vec::new();
    box_rows(tensor.shape(), part, width, &mut |at, _, count| {
        bytes.extend_from_slice(&tensor.bytes()[at..at + count]);
    });
    bytes
}

/// Puts the elements of a box into their place.
fn put(tensor: &mut Tensor, part: &IndexBox, bytes: &[u8]) {
    let width = tensor.element().byte_width().unwrap_or(1);
    let shape = tensor.shape().to_vec();
    box_rows(&shape, part, width, &mut |at, own, count| {
        tensor.bytes_mut()[at..at + count].copy_from_slice(&bytes[own..own + count]);
    });
}
