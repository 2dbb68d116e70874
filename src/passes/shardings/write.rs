//! Writing shardings into a module.

use super::{Devices, HLO, LAYOUT, Place, SHARDY, Site, fail, parse, text};
use mapwright_mlir::{Attr, Builder, Op, Val, attr, diagnostic::Failure, op};
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
fn dictionary(layout: &Layout) -> String {
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

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// The meshes or grids that are written: those of the module, and one more where they do not do.
pub(super) struct Frame {
    meshes: Vec<Mesh>,
    grids: Vec<Grid>,
    /// How many of them the module has already.
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

    /// A mesh and a grid of axes on which all these layouts can be written, if they are not there yet.
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

    /// All shardings in a notation. Nothing is changed yet, so that a refusal leaves the module as it is.
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

/// Writes the shardings of one function, in place of all that stand there.
pub(super) fn function<'c>(
    function: Op<'c>,
    texts: &[Text<'c>],
    notation: &str,
) -> Result<(), Failure> {
    signature(function, texts, notation)?;
    let mut done: Vec<Op<'c>> = Vec::new();
    for t in texts {
        match t.place {
            Place::Result(op, _) if notation != "shard" && !done.contains(&op) => {
                done.push(op);
                results(op, texts, notation)?;
            }
            Place::Result(op, _) => remove(op),
            Place::Constraint(_) | Place::Argument(..) | Place::Returned(..) => {}
        }
    }
    for t in texts {
        match t.place {
            Place::Constraint(op) => constraint(op, &t.text, notation)?,
            Place::Argument(f, i) if notation == "shard" => {
                if let (Some(value), Some(first)) = (t.place.value(), f.body(0).and_then(op::first))
                {
                    shard_behind(value, first, &t.text, i, false)?;
                }
            }
            Place::Returned(f, i) if notation == "shard" => {
                if let (Some(value), Some(ret)) =
                    (t.place.value(), f.body(0).and_then(|b| op::ops(b).pop()))
                {
                    shard_behind(value, ret, &t.text, i, true)?;
                }
            }
            Place::Result(op, i) if notation == "shard" => {
                if let Some(next) = op::next(op) {
                    shard_behind(op.result(i), next, &t.text, i, false)?;
                }
            }
            _ => {}
        }
    }
    // Declarations of shardings that nothing uses any more.
    for dead in function
        .descendants()
        .into_iter()
        .filter(|o| o.name() == "shard.sharding")
    {
        if op::uses(dead.result(0)).is_empty() {
            mapwright_normalize::rewrite::replace(dead, &[dead.result(0)]);
        }
    }
    Ok(())
}

fn remove(op: Op<'_>) {
    for name in [LAYOUT, HLO, SHARDY] {
        op.remove_attribute(name);
    }
}

/// The attribute name of a notation.
fn attribute_name(notation: &str) -> &'static str {
    match notation {
        "layout" => LAYOUT,
        "hlo" => HLO,
        _ => SHARDY,
    }
}

/// The text of the attribute of one value.
fn attribute_text(text: &str, notation: &str) -> String {
    match notation {
        "layout" => text.to_owned(),
        "hlo" => format!("\"{}\"", escape(text)),
        _ => format!("#sdy.sharding{text}"),
    }
}

/// The attributes of arguments and results of a function.
fn signature<'c>(function: Op<'c>, texts: &[Text<'c>], notation: &str) -> Result<(), Failure> {
    for (list, argument) in [("arg_attrs", true), ("res_attrs", false)] {
        let mut entries: Vec<Vec<(String, String)>> = function
            .attribute(list)
            .and_then(attr::array)
            .unwrap_or_default()
            .into_iter()
            .map(|e| {
                attr::dictionary(e)
                    .unwrap_or_default()
                    .into_iter()
                    .map(|(n, a)| (n, text(a)))
                    .collect()
            })
            .collect();
        let had = !entries.is_empty();
        entries
            .iter_mut()
            .for_each(|e| e.retain(|(n, _)| ![LAYOUT, HLO, SHARDY].contains(&n.as_str())));
        if notation != "shard" {
            for t in texts {
                let i = match t.place {
                    Place::Argument(f, i) if argument && f == function => i,
                    Place::Returned(f, i) if !argument && f == function => i,
                    _ => continue,
                };
                if entries.is_empty() {
                    let count = if argument {
                        function.body(0).map_or(0, |b| op::arguments(b).len())
                    } else {
                        function
                            .body(0)
                            .and_then(|b| op::ops(b).pop())
                            .map_or(0, |r| r.num_operands())
                    };
                    entries = vec![Vec::new(); count];
                }
                if let Some(entry) = entries.get_mut(i) {
                    entry.push((
                        attribute_name(notation).to_owned(),
                        attribute_text(&t.text, notation),
                    ));
                }
            }
        }
        if entries.iter().all(Vec::is_empty) {
            if had {
                function.remove_attribute(list);
            }
            continue;
        }
        let items: Vec<String> = entries
            .iter()
            .map(|e| {
                let pairs: Vec<String> = e
                    .iter()
                    .map(|(n, a)| format!("\"{}\" = {a}", escape(n)))
                    .collect();
                format!("{{{}}}", pairs.join(", "))
            })
            .collect();
        function.set_attribute(list, parse(function, &format!("[{}]", items.join(", ")))?);
    }
    Ok(())
}

/// The attribute of an operation, from the texts of its results.
fn results<'c>(op: Op<'c>, texts: &[Text<'c>], notation: &str) -> Result<(), Failure> {
    let count = op.num_results();
    let of = |i: usize| {
        texts
            .iter()
            .find(|t| t.place == Place::Result(op, i))
            .map(|t| t.text.as_str())
    };
    let attribute: Attr<'c> = match notation {
        "layout" if count == 1 => parse(op, of(0).unwrap_or("{}"))?,
        "layout" => {
            let items: Vec<&str> = (0..count).map(|i| of(i).unwrap_or("unit")).collect();
            parse(op, &format!("[{}]", items.join(", ")))?
        }
        "hlo" if count == 1 => parse(op, &attribute_text(of(0).unwrap_or("{unknown}"), "hlo"))?,
        "hlo" => {
            let items: Vec<&str> = (0..count).map(|i| of(i).unwrap_or("{unknown}")).collect();
            parse(op, &format!("\"{{{}}}\"", items.join(", ")))?
        }
        _ => {
            let mut items = Vec::new();
            for i in 0..count {
                items.push(match of(i) {
                    Some(text) => text.to_owned(),
                    None => open_sharding(op, i, texts)?,
                });
            }
            parse(
                op,
                &format!("#sdy.sharding_per_value<[{}]>", items.join(", ")),
            )?
        }
    };
    remove(op);
    op.set_attribute(attribute_name(notation), attribute);
    Ok(())
}

/// Shardy wants an entry for every result: one about which nothing is said is open in all dimensions.
fn open_sharding<'c>(op: Op<'c>, i: usize, texts: &[Text<'c>]) -> Result<String, Failure> {
    let rank = super::shape(op.result(i))
        .map_err(|e| fail(Place::Result(op, i), e))?
        .len();
    let mesh = texts.iter().find_map(|t| {
        let of: Option<ShardySharding> = t.text.parse().ok();
        matches!(t.place, Place::Result(o, _) if o == op)
            .then_some(of)
            .flatten()
    });
    let Some(mut sharding) = mesh else {
        return Err(fail(Place::Result(op, i), "no result has a mesh"));
    };
    let open = mapwright_sharding::notation::DimensionSharding {
        axes: Vec::new(),
        open: true,
        priority: None,
    };
    sharding.dims = vec![open; rank];
    sharding.replicated.clear();
    sharding.unreduced.clear();
    Ok(sharding.body())
}

/// Replaces an operation that only says how its operand is split.
fn constraint<'c>(old: Op<'c>, text: &str, notation: &str) -> Result<(), Failure> {
    let Some(b) = Builder::before(old.context(), old) else {
        return Ok(());
    };
    let value = old.operand(0);
    let new = match notation {
        "shardy" => {
            let attribute = parse(old, &format!("#sdy.sharding{text}"))?;
            b.op(
                "sdy.sharding_constraint",
                &[value],
                &[old_type(old)],
                &[("sharding", attribute)],
            )
            .result(0)
        }
        "shard" => shard(
            &b,
            value,
            text,
            old.attribute("annotate_for_users").is_some(),
        )?,
        _ => {
            let attribute = parse(old, &attribute_text(text, notation))?;
            let target = b.str_attr("Sharding");
            let attributes = [
                ("call_target_name", target),
                (attribute_name(notation), attribute),
            ];
            b.op(
                "stablehlo.custom_call",
                &[value],
                &[old_type(old)],
                &attributes,
            )
            .result(0)
        }
    };
    mapwright_normalize::rewrite::replace(old, &[new]);
    Ok(())
}

fn old_type<'c>(op: Op<'c>) -> mapwright_mlir::Ty<'c> {
    use mapwright_mlir::melior::ir::ValueLike;
    op.result(0).r#type()
}

/// `shard.sharding` and `shard.shard` of a value.
fn shard<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    text: &str,
    for_users: bool,
) -> Result<Val<'c>, Failure> {
    use mapwright_mlir::melior::ir::ValueLike;
    let at = |reason: String| Failure::at(b.location(), &reason);
    let sharding: GridSharding = text.parse().map_err(|e| at(format!("{e}")))?;
    let axes: Vec<String> = sharding
        .split_axes
        .iter()
        .map(|a| format!("{a:?}"))
        .collect();
    let read = |text: &str| -> Result<Attr<'c>, Failure> {
        Attr::parse(b.context(), text)
            .ok_or_else(|| at(format!("cannot make the attribute {text}")))
    };
    let attributes = [
        ("grid", b.symbol_attr(&sharding.grid)),
        (
            "split_axes",
            read(&format!("#shard<axisarray[{}]>", axes.join(", ")))?,
        ),
        ("static_halo_sizes", read("array<i64>")?),
        ("static_sharded_dims_offsets", read("array<i64>")?),
        ("operandSegmentSizes", read("array<i32: 0, 0>")?),
    ];
    let declared = b.op1(
        "shard.sharding",
        &[],
        b.parse_type("!shard.sharding"),
        &attributes,
    );
    let users: &[(&str, Attr<'c>)] = &[("annotate_for_users", b.unit_attr())];
    Ok(b.op1(
        "shard.shard",
        &[value, declared],
        value.r#type(),
        if for_users { users } else { &[] },
    ))
}

/// Puts a `shard.shard` before `next`, and lets everything that used the value use it; for a `return`, only operand `i` of it.
fn shard_behind<'c>(
    value: Val<'c>,
    next: Op<'c>,
    text: &str,
    i: usize,
    only_next: bool,
) -> Result<(), Failure> {
    let Some(b) = Builder::before(next.context(), next) else {
        return Ok(());
    };
    let uses = op::uses(value);
    let new = shard(&b, value, text, only_next)?;
    for (user, number) in uses {
        if !only_next || (user == next && number == i) {
            op::set_operand(user, number, new);
        }
    }
    Ok(())
}

/// Removes meshes and grids that no sharding uses any more.
pub(super) fn forget_unused(module: Op<'_>) {
    let all = module.descendants();
    let uses = |dialect: &str, declaration: &str| {
        all.iter().any(|o| {
            (o.dialect() == dialect && o.name() != declaration)
                || (dialect == "sdy"
                    && (o.attribute(SHARDY).is_some()
                        || ["arg_attrs", "res_attrs"]
                            .iter()
                            .any(|l| o.text(l).is_some_and(|t| t.contains("#sdy.")))))
        })
    };
    for (dialect, declaration) in [("sdy", "sdy.mesh"), ("shard", "shard.grid")] {
        if !uses(dialect, declaration) {
            for unused in all.iter().filter(|o| o.name() == declaration) {
                mapwright_normalize::rewrite::replace(*unused, &[]);
            }
        }
    }
}
