//! `mapwright shards`: which slice of a tensor lives on which device, and what a program sends.

use super::{
    output::{self, Files},
    plan::Planning,
    slices::Data,
};
use crate::sharding::{Repeat, command::Request};
use clap::{Args, ValueEnum};
use std::{path::PathBuf, process::ExitCode};

/// Slices of a tensor on the devices that hold them.
///
/// A layout is a tensor map on a device matrix, a strategy, or a text in another notation: an HLO
/// sharding string (`{devices=[2,1,4]<=[8]}`), Shardy (`#sdy.sharding<@mesh, [{"x"}, {}]>`,
/// with --mesh) or upstream's shard dialect (`shard.sharding @grid split_axes = [[0]]`,
/// with --mesh).
///
/// With --plan it says of a program whose tensors are sharded what each device holds and sends, and
/// how long that takes.
#[derive(Args)]
pub(crate) struct Shards {
    /// Sizes of the axes of the device matrix, the last axis fastest: 2,1,2,2,1
    #[arg(long, value_name = "SIZES")]
    device_matrix: Option<String>,
    /// Names of the axes: a,b,c,d,e (a, b, … without it)
    #[arg(long, value_name = "NAMES")]
    alias: Option<String>,
    /// For each tensor dimension an axis, None, or axes in parentheses: b,(d,e),None
    #[arg(long, value_name = "MAP")]
    tensor_map: Option<String>,
    /// Axes along which the ranks hold partial sums
    #[arg(long, value_name = "NAMES")]
    partial: Option<String>,
    /// A strategy as for .shard(strategy): the number of parts of each dimension
    #[arg(long, value_name = "PARTS")]
    strategy: Option<String>,
    /// The number of devices, where the layout does not say it
    #[arg(long, value_name = "N")]
    devices: Option<i64>,
    /// Place of the repetition when a strategy uses fewer devices than there are
    #[arg(long, value_enum, default_value = "right")]
    repeat: Side,
    /// The layout in another notation
    #[arg(long, value_name = "TEXT")]
    sharding: Option<String>,
    /// The mesh or grid that texts refer to: `sdy.mesh @mesh = <["x"=2]>` or
    /// `shard.grid @grid(shape = 2x4)`
    #[arg(long, value_name = "TEXT")]
    mesh: Option<String>,
    /// The shape of the tensor: 1,2,1,2,2 (empty for a scalar)
    #[arg(long, value_name = "SIZES", required_unless_present = "plan")]
    shape: Option<String>,
    /// The layout before a change: a tensor map or a text in another notation
    #[arg(long, value_name = "LAYOUT")]
    from: Option<String>,
    /// The layout after a change
    #[arg(long, value_name = "LAYOUT")]
    to: Option<String>,
    /// Bytes of an element, for the traffic of a change
    #[arg(long, value_name = "N", default_value_t = 4)]
    element_bytes: i64,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Draw the tensor, a change of layout or a plan as a page
    #[arg(long, value_name = "OUT.html")]
    html: Option<PathBuf>,
    #[command(flatten)]
    data: Data,
    #[command(flatten)]
    planning: Planning,
}

/// Left or right.
#[derive(Clone, Copy, ValueEnum)]
enum Side {
    /// The fastest axis
    Right,
    /// The slowest axis
    Left,
}

impl Shards {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        if self.planning.is_wanted() {
            let devices = self.devices.unwrap_or(0);
            return self.planning.run(devices, self.json, self.html.as_deref());
        }
        let request = Request {
            device_matrix: self.device_matrix,
            alias: self.alias,
            tensor_map: self.tensor_map,
            partial: self.partial,
            strategy: self.strategy,
            devices: self.devices,
            repeat: match self.repeat {
                Side::Right => Repeat::Right,
                Side::Left => Repeat::Left,
            },
            sharding: self.sharding,
            mesh: self.mesh,
            shape: self.shape.unwrap_or_default(),
            from: self.from,
            to: self.to,
            element_bytes: self.element_bytes,
        };
        let report = request.run()?;
        if let Some(path) = self.html {
            let mut files = Files::default();
            files.write(&path, report.html()?.as_bytes())?;
            files.commit()?;
        }
        if self.json {
            output::print_json(&report.json())?;
        } else {
            output::print(&report.text())?;
        }
        self.data.show(&report, self.json)?;
        Ok(ExitCode::SUCCESS)
    }
}
