//! Shardings in the notation that is written, and the meshes and grids that their texts name.

use super::{Devices, Place, Site, fail, parse};
use mapwright_mlir::{Builder, Op, diagnostic::Failure, op};
use mapwright_sharding::{
    DeviceMatrix, Digit, Layout,
    digits::{between_cuts, common_cuts},
    notation::{Grid, GridSharding, HloSharding, Mesh, ShardySharding},
};
use std::fmt::Write as _;

/// A sharding in the notation that is written, ready to be put in.
pub(super) struct Text<'c> {
    pub(super) place: Place<'c>,
    pub(super) text: String,
}

/// The text of a layout as a dictionary.
pub(super) fn dictionary(layout: &Layout) -> String {
    let matrix = layout.device_matrix();
    let name = |axis: usize| format!("\"{}\"", escape(&matrix.names()[axis]));
    let all = |axes: &[usize]| axes.iter().map(|a| name(*a)).collect::<Vec<_>>().join(", ");
    let axes: Vec<usize> = (0..matrix.names().len()).collect();
    let map: Vec<String> = layout
        .tensor_map()
        .iter()
        .map(|d| format!("[{}]", all(d)))
        .collect();
    let mut out = format!(
        "{{alias = [{}], device_matrix = {}",
        all(&axes),
        integers(matrix.sizes())
    );
    if let Some(ids) = layout.device_ids() {
        let _ = write!(out, ", device_ids = {}", integers(ids));
    }
    if !layout.partial().is_empty() {
        let parts: Vec<String> = layout
            .partial()
            .iter()
            .map(|(a, k)| format!("{} = \"{k}\"", name(*a)))
            .collect();
        let _ = write!(out, ", partial = {{{}}}", parts.join(", "));
    }
    let _ = write!(out, ", tensor_map = [{}]}}", map.join(", "));
    out
}

fn integers(list: &[i64]) -> String {
    let items: Vec<String> = list.iter().map(i64::to_string).collect();
    if items.is_empty() {
        "array<i64>".into()
    } else {
        format!("array<i64: {}>", items.join(", "))
    }
}

pub(super) fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// The meshes or grids that are written: those of the module, and one more where they do not do.
pub(super) struct Frame {
    meshes: Vec<Mesh>,
    grids: Vec<Grid>,
    /// Number of meshes and of grids that the module has already.
    known: (usize, usize),
}

impl Frame {
    pub(super) fn new(devices: &Devices) -> Frame {
        let known = (devices.meshes.len(), devices.grids.len());
        Frame {
            meshes: devices.meshes.clone(),
            grids: devices.grids.clone(),
            known,
        }
    }

    /// A mesh and a grid of axes on which all these layouts can be written, if they are not there
    /// yet.
    pub(super) fn prepare<'a>(&mut self, layouts: impl Iterator<Item = &'a Layout> + Clone) {
        let plain = layouts.filter(|l| l.device_ids().is_none());
        let Some(first) = plain.clone().next() else {
            return;
        };
        let count = first.device_count();
        if plain.clone().any(|l| l.device_count() != count) {
            return;
        }
        let on_mesh = |l: &Layout, m: &Mesh| {
            m.device_count() == Some(count)
                && ShardySharding::from_layout(l, Some(m), false).is_ok()
        };
        let on_grid = |l: &Layout, g: &Grid| GridSharding::from_layout(l, Some(g)).is_ok();
        // One that does for all of them is there already.
        let mesh_there = self
            .meshes
            .iter()
            .any(|m| plain.clone().all(|l| on_mesh(l, m)));
        let grid_there = self
            .grids
            .iter()
            .any(|g| plain.clone().all(|l| on_grid(l, g)));
        let axes = |l: &Layout| -> Vec<Digit> {
            (0..l.device_matrix().sizes().len())
                .map(|a| l.axis_digit(a))
                .collect()
        };
        let all: Vec<Digit> = plain.clone().flat_map(axes).collect();
        let Some(cuts) = common_cuts(&all, count) else {
            return;
        };
        let digits = between_cuts(&cuts);
        let sizes: Vec<i64> = digits.iter().map(|d| d.size).collect();
        // The names of the finest layout, if it is as fine as that.
        let finest = plain
            .clone()
            .find(|l| axes(l).iter().filter(|d| d.size > 1).eq(digits.iter()));
        let matrix = finest.map(|l| l.device_matrix().clone()).or_else(|| {
            let names: Vec<String> = (0..sizes.len()).map(|i| format!("a{i}")).collect();
            DeviceMatrix::new(&sizes, &names).ok()
        });
        let Some(matrix) = matrix else { return };
        let axes: Vec<(String, i64)> = matrix
            .names()
            .iter()
            .cloned()
            .zip(matrix.sizes().iter().copied())
            .collect();
        if !mesh_there && !axes.is_empty() {
            let name = fresh("mesh", self.meshes.iter().map(|m| m.name.as_str()));
            self.meshes.push(Mesh {
                name,
                axes,
                device_ids: None,
            });
        }
        let shape: Vec<Option<i64>> = matrix.sizes().iter().map(|s| Some(*s)).collect();
        if !grid_there && !shape.is_empty() {
            let name = fresh("grid", self.grids.iter().map(|g| g.name.as_str()));
            self.grids.push(Grid { name, shape });
        }
    }

    /// A layout in a notation.
    fn text(
        &mut self,
        place: Place<'_>,
        layout: &Layout,
        notation: &str,
    ) -> Result<String, Failure> {
        match notation {
            "layout" => Ok(dictionary(layout)),
            "hlo" => HloSharding::from_layout(layout)
                .map(|h| h.to_string())
                .map_err(|e| fail(place, e)),
            "shardy" => {
                // A mesh whose axes are used whole is better than one of which parts are used.
                let whole = |s: &ShardySharding| {
                    s.dims
                        .iter()
                        .flat_map(|d| &d.axes)
                        .all(|a| a.sub_axis.is_none())
                };
                let on: Vec<ShardySharding> = self
                    .meshes
                    .iter()
                    .filter(|m| m.device_count() == Some(layout.device_count()))
                    .filter_map(|m| ShardySharding::from_layout(layout, Some(m), false).ok())
                    .map(|r| r.1)
                    .collect();
                if let Some(best) = on.iter().find(|s| whole(s)).or_else(|| on.first()) {
                    return Ok(best.body());
                }
                let (mut mesh, mut sharding) =
                    ShardySharding::from_layout(layout, None, false).map_err(|e| fail(place, e))?;
                mesh.name = fresh("mesh", self.meshes.iter().map(|m| m.name.as_str()));
                sharding.mesh = mapwright_sharding::notation::MeshRef::Symbol(mesh.name.clone());
                self.meshes.push(mesh);
                Ok(sharding.body())
            }
            _ => {
                let on = self
                    .grids
                    .iter()
                    .find_map(|g| GridSharding::from_layout(layout, Some(g)).ok());
                if let Some((_, sharding)) = on {
                    return Ok(sharding.to_string());
                }
                let (mut grid, mut sharding) =
                    GridSharding::from_layout(layout, None).map_err(|e| fail(place, e))?;
                grid.name = fresh("grid", self.grids.iter().map(|g| g.name.as_str()));
                sharding.grid.clone_from(&grid.name);
                self.grids.push(grid);
                Ok(sharding.to_string())
            }
        }
    }

    /// All shardings in a notation. Nothing is changed yet, so that a refusal leaves the module as
    /// it is.
    pub(super) fn texts<'c>(
        &mut self,
        sites: &[Site<'c>],
        notation: &str,
    ) -> Result<Vec<Text<'c>>, Failure> {
        sites
            .iter()
            .map(|s| {
                Ok(Text {
                    place: s.place,
                    text: self.text(s.place, &s.layout, notation)?,
                })
            })
            .collect()
    }

    /// Puts the new meshes or grids at the beginning of the module.
    pub(super) fn declare(&self, module: Op<'_>, notation: &str) -> Result<(), Failure> {
        let Some(first) = module.body(0).and_then(|b| op::ops(b).first().copied()) else {
            return Ok(());
        };
        let Some(b) = Builder::before(module.context(), first) else {
            return Ok(());
        };
        b.set_location(module.location());
        if notation == "shardy" {
            for mesh in &self.meshes[self.known.0..] {
                let body = Mesh {
                    name: String::new(),
                    ..mesh.clone()
                }
                .to_string();
                let attribute = parse(module, &format!("#sdy.{body}"))?;
                b.op(
                    "sdy.mesh",
                    &[],
                    &[],
                    &[("sym_name", b.str_attr(&mesh.name)), ("mesh", attribute)],
                );
            }
        }
        if notation == "shard" {
            for grid in &self.grids[self.known.1..] {
                let sizes: Vec<i64> = grid.shape.iter().copied().flatten().collect();
                let shape = parse(module, &integers(&sizes))?;
                b.op(
                    "shard.grid",
                    &[],
                    &[],
                    &[("sym_name", b.str_attr(&grid.name)), ("shape", shape)],
                );
            }
        }
        Ok(())
    }
}

/// A name that is not taken.
fn fresh<'a>(base: &str, taken: impl Iterator<Item = &'a str>) -> String {
    let taken: Vec<&str> = taken.collect();
    let numbered = (0..=taken.len()).map(|i| format!("{base}_{i}"));
    std::iter::once(base.to_owned())
        .chain(numbered)
        .find(|n| !taken.contains(&n.as_str()))
        .unwrap_or_default()
}
