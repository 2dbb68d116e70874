//! Reading the shardings of a module in every notation.

use super::sites::{Devices, HLO, LAYOUT, Place, SHARDY, Site, fail, shape};
use mapwright_mlir::{Attr, Op, ValueType, attr, diagnostic::Failure, melior::ir::ValueLike, op};
use mapwright_sharding::{
    DeviceMatrix, Layout, LayoutError, Reduction, Split,
    notation::{Grid, GridSharding, HloSharding, Mesh, MeshRef, ShardySharding, per_value},
};

impl Devices {
    /// Reads what a module says. `count` is what an option says, or zero.
    ///
    /// # Errors
    /// A mesh that cannot be read.
    pub fn from_module(module: Op<'_>, count: i64) -> Result<Devices, Failure> {
        let mut devices = Devices {
            count: (count > 0)
                .then_some(count)
                .or_else(|| module.int("mhlo.num_partitions")),
            ..Devices::default()
        };
        for inner in module.descendants() {
            match inner.name() {
                "sdy.mesh" => {
                    let name = inner.string("sym_name").unwrap_or_default();
                    let body = inner.text("mesh").unwrap_or_default();
                    let mesh: Mesh = body.parse().map_err(|e| {
                        Failure::at(inner.location(), &format!("'sdy.mesh' op {e}"))
                    })?;
                    devices.meshes.push(Mesh { name, ..mesh });
                }
                "shard.grid" => {
                    let name = inner.string("sym_name").unwrap_or_default();
                    let sizes = inner.ints("shape").unwrap_or_default();
                    // A size that is not known is the least integer.
                    let shape = sizes.into_iter().map(|s| (s >= 0).then_some(s)).collect();
                    devices.grids.push(Grid { name, shape });
                }
                _ => {}
            }
        }
        Ok(devices)
    }

    /// The layout of a sharding of Shardy's, of a value with `rank` dimensions.
    ///
    /// # Errors
    /// Another number of dimensions, or a mesh that is not known.
    pub fn shardy(&self, sharding: &ShardySharding, rank: usize) -> Result<Layout, LayoutError> {
        let mesh = match &sharding.mesh {
            MeshRef::Inline(_) => None,
            MeshRef::Symbol(name) => self.meshes.iter().find(|m| m.name == *name),
        };
        if sharding.dims.len() != rank {
            return Err(LayoutError::RankMismatch {
                tensor_map: sharding.dims.len(),
                shape: rank,
                sizes: Vec::new(),
            });
        }
        sharding.to_layout(mesh)
    }

    fn hlo(&self, sharding: &HloSharding, shape: &[i64]) -> Result<Layout, LayoutError> {
        sharding.to_layout(shape.len(), self.count)
    }
}

/// Says what becomes of a layout that does not divide its value: an error, or nothing, and it is
/// left out.
pub type Unfit<'f, 'c> = &'f mut dyn FnMut(Place<'c>, Layout, LayoutError) -> Result<(), Failure>;

/// Reads all shardings in a function. Every one of them fits its value.
///
/// # Errors
/// A sharding that cannot be read, or does not fit.
pub fn function<'c>(function: Op<'c>, devices: &Devices) -> Result<Vec<Site<'c>>, Failure> {
    function_with(function, devices, &|_| true, &mut |place, _, why| {
        Err(fail(place, why))
    })
}

/// As [`function`], of the operations that `applies` names; `unfit` says what becomes of shardings
/// that do not fit.
///
/// # Errors
/// A sharding that cannot be read, and what `unfit` makes one.
pub fn function_with<'c>(
    function: Op<'c>,
    devices: &Devices,
    applies: &dyn Fn(Op<'c>) -> bool,
    unfit: Unfit<'_, 'c>,
) -> Result<Vec<Site<'c>>, Failure> {
    let mut sites = Vec::new();
    for (list, argument) in [("arg_attrs", true), ("res_attrs", false)] {
        let entries = function
            .attribute(list)
            .and_then(attr::array)
            .unwrap_or_default();
        for (i, entry) in entries.into_iter().enumerate() {
            let place = if argument {
                Place::Argument(function, i)
            } else {
                Place::Returned(function, i)
            };
            let find = |name: &str| attr::entry(entry, name);
            if let Some(layout) = attributes(place, find, devices, unfit)? {
                sites.push(Site { place, layout });
            }
        }
    }
    for inner in function.descendants().into_iter().filter(|op| applies(*op)) {
        operation(inner, devices, &mut sites, unfit)?;
    }
    Ok(sites)
}

fn operation<'c>(
    op: Op<'c>,
    devices: &Devices,
    sites: &mut Vec<Site<'c>>,
    unfit: Unfit<'_, 'c>,
) -> Result<(), Failure> {
    match op.name() {
        "shard.shard" => {
            let place = Place::Constraint(op);
            let layout = grid(op, devices).map_err(|e| fail(place, e))?;
            sites.extend(fits(place, layout, unfit)?.map(|layout| Site { place, layout }));
            return Ok(());
        }
        "sdy.sharding_constraint" | "sdy.reshard" => {
            let place = Place::Constraint(op);
            let body = op.text("sharding").unwrap_or_default();
            if let Some(layout) = shardy(place, &body, devices)? {
                sites.extend(fits(place, layout, unfit)?.map(|layout| Site { place, layout }));
            }
            return Ok(());
        }
        _ => {}
    }
    let constraint = op.short_name() == "custom_call"
        && op.string("call_target_name").as_deref() == Some("Sharding");
    for i in 0..op.num_results() {
        let place = if constraint {
            Place::Constraint(op)
        } else {
            Place::Result(op, i)
        };
        let of_result = |name: &str| -> Option<Attr<'c>> {
            let attribute = op.attribute(name)?;
            match (name, attr::array(attribute)) {
                (LAYOUT, Some(list)) => list
                    .get(i)
                    .copied()
                    .filter(|a| attr::dictionary(*a).is_some()),
                _ => Some(attribute),
            }
        };
        if let Some(layout) = attributes(place, of_result, devices, unfit)? {
            sites.push(Site { place, layout });
        }
    }
    Ok(())
}

/// The sharding among the attributes of a place; ours comes first, then Shardy's, then HLO's.
fn attributes<'c>(
    place: Place<'c>,
    find: impl Fn(&str) -> Option<Attr<'c>>,
    devices: &Devices,
    unfit: Unfit<'_, 'c>,
) -> Result<Option<Layout>, Failure> {
    let number = match place {
        Place::Result(_, i) => i,
        _ => 0,
    };
    let layout = if let Some(own) = find(LAYOUT) {
        Some(dictionary(own).map_err(|e| fail(place, e))?)
    } else if let Some(sdy) = find(SHARDY) {
        let body = sdy.to_string();
        if body.starts_with("#sdy.sharding_per_value") {
            let list = per_value(&body).map_err(|e| fail(place, e))?;
            let Some(one) = list.get(number) else {
                return Err(fail(place, format!("{} shardings are listed", list.len())));
            };
            shardy(place, &one.to_string(), devices)?
        } else {
            shardy(place, &body, devices)?
        }
    } else if let Some(hlo) = find(HLO) {
        let Some(body) = attr::string(hlo) else {
            return Err(fail(place, "mhlo.sharding is no string"));
        };
        let sharding: HloSharding = body
            .parse()
            .map_err(|e| fail(place, format!("in {body:?}: {e}")))?;
        let one = match sharding {
            HloSharding::Tuple(list) if matches!(place, Place::Result(op, _) if op.num_results() == list.len()) => {
                list.into_iter().nth(number).unwrap_or(HloSharding::Unknown)
            }
            other => other,
        };
        match one {
            HloSharding::Unknown => None,
            one => {
                let shape = value_shape(place)?;
                Some(devices.hlo(&one, &shape).map_err(|e| fail(place, e))?)
            }
        }
    } else {
        None
    };
    match layout {
        Some(layout) => fits(place, layout, unfit),
        None => Ok(None),
    }
}

/// Reads a sharding of Shardy's. `None` for one that says nothing: all its dimensions are open, or
/// its mesh has no axes, and none is split. Tokens are nowhere.
fn shardy(place: Place<'_>, body: &str, devices: &Devices) -> Result<Option<Layout>, Failure> {
    let sharding: ShardySharding = body.parse().map_err(|e| fail(place, e))?;
    let ty = place
        .value()
        .map(|value| ValueType::from_mlir(value.r#type()));
    if ty == Some(ValueType::Token) {
        return Ok(None);
    }
    let rank = value_shape(place)?.len();
    let is_open = rank > 0 && sharding.dims.iter().all(|d| d.open);
    let mesh = match &sharding.mesh {
        MeshRef::Inline(mesh) => Some(mesh),
        MeshRef::Symbol(name) => devices.meshes.iter().find(|m| m.name == *name),
    };
    let is_empty = mesh.is_some_and(|mesh| mesh.axes.is_empty() && mesh.device_ids.is_none());
    if sharding.axes().next().is_none() && (is_open || is_empty) {
        return Ok(None);
    }
    let layout = devices.shardy(&sharding, rank);
    layout.map(Some).map_err(|e| fail(place, e))
}

/// The shape of the value of a place; the types of a function where the value is no operand of a
/// `return`.
fn value_shape(place: Place<'_>) -> Result<Vec<i64>, Failure> {
    let Some(value) = place.value() else {
        return Err(fail(place, "there is no such value"));
    };
    shape(value).map_err(|e| fail(place, e))
}

/// The layout, if it divides the shape of its value.
fn fits<'c>(
    place: Place<'c>,
    layout: Layout,
    unfit: Unfit<'_, 'c>,
) -> Result<Option<Layout>, Failure> {
    match layout.of_shape(&value_shape(place)?) {
        Ok(_) => Ok(Some(layout)),
        Err(why @ LayoutError::NotDivisible { .. }) => unfit(place, layout, why).map(|()| None),
        Err(why) => Err(fail(place, why)),
    }
}

/// The layout of a `shard.shard`.
fn grid(shard: Op<'_>, devices: &Devices) -> Result<Layout, String> {
    let sharding = op::defining_op(shard.operand(1))
        .map(|d| d.0)
        .filter(|d| d.name() == "shard.sharding");
    let Some(sharding) = sharding else {
        return Err("it is made by no `shard.sharding`".into());
    };
    if sharding.num_operands() > 0 {
        return Err("halos or offsets are values that are computed".into());
    }
    let name = sharding.symbol("grid").unwrap_or_default();
    let Some(grid) = devices.grids.iter().find(|g| g.name == name) else {
        return Err(format!("the grid @{name} is not known"));
    };
    // `#shard<axisarray[[0], [1, 2]]>`
    let axes = sharding.text("split_axes").unwrap_or_default();
    let axes = axes
        .trim_start_matches("#shard<axisarray")
        .trim_end_matches('>');
    let parsed: GridSharding = format!("shard.sharding @g split_axes = {axes}")
        .parse()
        .map_err(|e| format!("{e}"))?;
    let full = GridSharding {
        grid: name,
        split_axes: parsed.split_axes,
        halo_sizes: sharding.ints("static_halo_sizes").unwrap_or_default(),
        sharded_dims_offsets: sharding
            .ints("static_sharded_dims_offsets")
            .unwrap_or_default(),
    };
    full.to_layout(grid, &shape(shard.operand(0))?)
        .map_err(|e| e.to_string())
}

/// A layout from the dictionary of `indexing.sharding`.
fn dictionary(attribute: Attr<'_>) -> Result<Layout, LayoutError> {
    let wrong = |what: &str| LayoutError::Request(format!("`{LAYOUT}` has no {what}"));
    attr::dictionary(attribute).ok_or_else(|| wrong("entries: a dictionary is expected"))?;
    let find = |name: &str| attr::entry(attribute, name);
    let strings = |a: Attr<'_>| -> Option<Vec<String>> {
        attr::array(a)?.into_iter().map(attr::string).collect()
    };
    let sizes = find("device_matrix")
        .and_then(attr::ints)
        .ok_or_else(|| wrong("`device_matrix` of integers"))?;
    let names = find("alias")
        .and_then(strings)
        .ok_or_else(|| wrong("`alias` of strings"))?;
    let map: Option<Vec<Split>> = find("tensor_map")
        .and_then(attr::array)
        .and_then(|l| l.into_iter().map(strings).collect());
    let map = map.ok_or_else(|| wrong("`tensor_map` of lists of strings"))?;
    let mut layout = DeviceMatrix::new(&sizes, &names)?.layout(&map)?;
    for (axis, kind) in find("partial")
        .and_then(attr::dictionary)
        .unwrap_or_default()
    {
        let word = attr::string(kind).unwrap_or_default();
        let kinds = [
            Reduction::Sum,
            Reduction::Product,
            Reduction::Min,
            Reduction::Max,
            Reduction::And,
            Reduction::Or,
            Reduction::Xor,
        ];
        let Some(kind) = kinds.into_iter().find(|k| k.to_string() == word) else {
            return Err(wrong(&format!("reduction `{word}`, as `partial` wants it")));
        };
        layout = layout.with_partial(axis, kind)?;
    }
    match find("device_ids").and_then(attr::ints) {
        Some(ids) => layout.with_device_ids(&ids),
        None => Ok(layout),
    }
}
