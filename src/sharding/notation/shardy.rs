//! Shardy: `sdy.mesh @mesh = <["x"=2, "y"=4]>` and `#sdy.sharding<@mesh, [{"x"}, {"y":(2)2, ?}p1],
//! replicated={"y":(1)2}>`.
//!
//! A sub-axis `"x":(m)k` of an axis of size `n` is the middle of the axis reshaped to
//! `(m, k, n / (m * k))`. Open dimensions (`?`) and priorities steer a propagation; they say
//! nothing about where a tensor is, so a layout does not keep them.

use super::cursor::{Cursor, quoted, symbol};
use super::{AxisPart, NotationError, onto};
use crate::error::LayoutError;
use crate::layout::{DeviceMatrix, Layout, Reduction, Split, referable, sub_axis_name};
use std::fmt;

/// A mesh: named axes over devices, the last axis fastest.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Mesh {
    /// The symbol, without `@`; empty for a mesh that is written in place.
    pub name: String,
    /// Names and sizes of the axes.
    pub axes: Vec<(String, i64)>,
    /// The device at each position, if they do not count from zero.
    pub device_ids: Option<Vec<i64>>,
}

/// The mesh of a sharding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MeshRef {
    /// `@name`.
    Symbol(String),
    /// `mesh<["x"=2]>`, written in place.
    Inline(Mesh),
}

/// An axis or a part of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AxisRef {
    /// The axis.
    pub name: String,
    /// `(m, k)` of the sub-axis `"x":(m)k`.
    pub sub_axis: Option<(i64, i64)>,
}

/// The sharding of one dimension.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DimensionSharding {
    /// The axes that split the dimension, major first.
    pub axes: Vec<AxisRef>,
    /// `?`: a propagation may split the dimension further.
    pub open: bool,
    /// `pN`.
    pub priority: Option<i64>,
}

/// `#sdy.sharding<…>`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShardySharding {
    /// The mesh.
    pub mesh: MeshRef,
    /// One entry for each dimension.
    pub dims: Vec<DimensionSharding>,
    /// Axes that must stay replicated.
    pub replicated: Vec<AxisRef>,
    /// Axes along which there are parts that are still to be combined, …
    pub unreduced: Vec<AxisRef>,
    /// … by this: a sum, a maximum or a minimum.
    pub reduction: Reduction,
}

/// Combinations of parts along unreduced axes, as they stand before the axes; the sum needs no
/// word.
const REDUCTIONS: [(&str, Reduction); 3] = [
    ("sum", Reduction::Sum),
    ("max", Reduction::Max),
    ("min", Reduction::Min),
];

impl std::str::FromStr for Mesh {
    type Err = NotationError;

    /// Reads `sdy.mesh @m = <["x"=2]>`, `#sdy.mesh<["x"=2]>`, `mesh<["x"=2]>` or `<["x"=2]>`.
    fn from_str(text: &str) -> Result<Mesh, NotationError> {
        Cursor::read(text, |c| {
            let mut name = String::new();
            if c.accept("sdy.mesh") {
                name = c.symbol()?;
                c.require("=")?;
            } else if !c.accept("#sdy.mesh") {
                c.accept("mesh");
            }
            mesh_body(c, name)
        })
    }
}

fn mesh_body(c: &mut Cursor, name: String) -> Result<Mesh, NotationError> {
    c.require("<")?;
    let axes = c.list("[", "]", |c| {
        let name = c.string()?;
        c.require("=")?;
        let column = c.column();
        let size = c.integer()?;
        if size < 1 {
            return Err(NotationError::Wrong {
                column,
                reason: format!("axis \"{name}\" has size {size}, it must be at least 1"),
            });
        }
        Ok((name, size))
    })?;
    let mut device_ids = None;
    if c.accept(",") {
        c.require("device_ids")?;
        c.require("=")?;
        device_ids = Some(c.integers()?);
    }
    c.require(">")?;
    Ok(Mesh {
        name,
        axes,
        device_ids,
    })
}

impl std::str::FromStr for ShardySharding {
    type Err = NotationError;

    /// Reads `#sdy.sharding<@m, [{"x"}, {}]>` or `<@m, [{"x"}, {}]>`.
    fn from_str(text: &str) -> Result<ShardySharding, NotationError> {
        Cursor::read(text, |c| {
            c.accept("#sdy.sharding");
            sharding_body(c)
        })
    }
}

fn sharding_body(c: &mut Cursor) -> Result<ShardySharding, NotationError> {
    c.require("<")?;
    let mesh = if c.accept("mesh") {
        MeshRef::Inline(mesh_body(c, String::new())?)
    } else {
        MeshRef::Symbol(c.symbol()?)
    };
    c.require(",")?;
    let dims = c.list("[", "]", dimension)?;
    let mut sharding = ShardySharding {
        mesh,
        dims,
        replicated: Vec::new(),
        unreduced: Vec::new(),
        reduction: Reduction::Sum,
    };
    while c.accept(",") {
        if c.accept("replicated") {
            c.require("=")?;
            sharding.replicated = c.list("{", "}", axis_ref)?;
        } else if c.accept("unreduced") {
            c.require("=")?;
            if let Some((_, kind)) = REDUCTIONS.iter().find(|(word, _)| c.accept(word)) {
                sharding.reduction = *kind;
            }
            sharding.unreduced = c.list("{", "}", axis_ref)?;
        } else {
            return Err(c.expected("`replicated=` or `unreduced=`"));
        }
    }
    c.require(">")?;
    Ok(sharding)
}

fn dimension(c: &mut Cursor) -> Result<DimensionSharding, NotationError> {
    let mut dim = DimensionSharding::default();
    c.require("{")?;
    if !c.accept("}") {
        loop {
            if c.accept("?") {
                dim.open = true;
                c.require("}")?;
                break;
            }
            dim.axes.push(axis_ref(c)?);
            if c.accept("}") {
                break;
            }
            if !c.accept(",") {
                return Err(c.expected("`,` or `}`"));
            }
        }
    }
    if c.sees("p") {
        let column = c.column();
        let word = c.word("a priority")?;
        let priority = word[1..].parse().map_err(|_| NotationError::Syntax {
            column,
            expected: "a priority such as `p1`".to_owned(),
            found: format!("`{word}`"),
        })?;
        dim.priority = Some(priority);
    }
    Ok(dim)
}

pub(super) fn axis_ref(c: &mut Cursor) -> Result<AxisRef, NotationError> {
    let name = c.string()?;
    let mut sub_axis = None;
    if c.accept(":") {
        c.require("(")?;
        let before = c.integer()?;
        c.require(")")?;
        sub_axis = Some((before, c.integer()?));
    }
    Ok(AxisRef { name, sub_axis })
}

/// Reads the attribute of an operation's results, `#sdy.sharding_per_value<[<@m, […]>, …]>`.
///
/// # Errors
/// [`NotationError`] with the column.
pub fn per_value(text: &str) -> Result<Vec<ShardySharding>, NotationError> {
    Cursor::read(text, |c| {
        c.accept("#sdy.sharding_per_value");
        c.require("<")?;
        let list = c.list("[", "]", sharding_body)?;
        c.require(">")?;
        Ok(list)
    })
}

impl fmt::Display for Mesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.is_empty() {
            f.write_str("mesh")?;
        } else {
            write!(f, "sdy.mesh {} = ", symbol(&self.name))?;
        }
        let axes: Vec<String> = self
            .axes
            .iter()
            .map(|(n, s)| format!("{}={s}", quoted(n)))
            .collect();
        write!(f, "<[{}]", axes.join(", "))?;
        if let Some(ids) = &self.device_ids {
            write!(f, ", device_ids={ids:?}")?;
        }
        f.write_str(">")
    }
}

impl fmt::Display for AxisRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quoted(&self.name))?;
        match self.sub_axis {
            Some((before, size)) => write!(f, ":({before}){size}"),
            None => Ok(()),
        }
    }
}

impl ShardySharding {
    /// The text without `#sdy.sharding`, as it stands in [`per_value`] lists.
    pub fn body(&self) -> String {
        let list = |axes: &[AxisRef]| axes.iter().map(ToString::to_string).collect::<Vec<_>>();
        let dims: Vec<String> = self
            .dims
            .iter()
            .map(|d| {
                let mut parts = list(&d.axes);
                parts.extend(d.open.then(|| "?".to_owned()));
                let priority = d.priority.map(|p| format!("p{p}")).unwrap_or_default();
                format!("{{{}}}{priority}", parts.join(", "))
            })
            .collect();
        let mesh = match &self.mesh {
            MeshRef::Symbol(name) => symbol(name),
            MeshRef::Inline(mesh) => Mesh {
                name: String::new(),
                ..mesh.clone()
            }
            .to_string(),
        };
        let mut out = format!("<{mesh}, [{}]", dims.join(", "));
        let kind = REDUCTIONS
            .iter()
            .find(|(_, kind)| *kind == self.reduction && *kind != Reduction::Sum)
            .map_or("", |(word, _)| *word);
        for (word, kind, axes) in [
            ("replicated", "", &self.replicated),
            ("unreduced", kind, &self.unreduced),
        ] {
            if !axes.is_empty() {
                out.push_str(&format!(", {word}={kind}{{{}}}", list(axes).join(", ")));
            }
        }
        out.push('>');
        out
    }
}

impl fmt::Display for ShardySharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#sdy.sharding{}", self.body())
    }
}

impl Mesh {
    /// The number of devices. `None` for the empty mesh `<[]>`, which stands for any, and for a
    /// product beyond 64 bits.
    pub fn device_count(&self) -> Option<i64> {
        match (&self.device_ids, self.axes.is_empty()) {
            (None, true) => None,
            _ => self.axes.iter().try_fold(1i64, |n, a| n.checked_mul(a.1)),
        }
    }

    fn sizes(&self) -> Vec<i64> {
        self.axes.iter().map(|a| a.1).collect()
    }
}

impl ShardySharding {
    /// The layout of a tensor. `mesh` is the mesh that the symbol stands for; a sharding that holds
    /// its mesh needs none.
    ///
    /// # Errors
    /// A missing mesh; an axis that does not exist, is used twice, or of which overlapping parts
    /// are used; a part that does not divide its axis.
    pub fn to_layout(&self, mesh: Option<&Mesh>) -> Result<Layout, LayoutError> {
        let refused = |reason: String| LayoutError::Notation(NotationError::refused(self, &reason));
        let mesh = match (&self.mesh, mesh) {
            (MeshRef::Inline(mesh), _) => mesh,
            (MeshRef::Symbol(name), Some(mesh)) if mesh.name == *name || mesh.name.is_empty() => {
                mesh
            }
            (MeshRef::Symbol(name), Some(mesh)) => {
                return Err(refused(format!(
                    "its mesh is @{name}, the mesh given is @{}",
                    mesh.name
                )));
            }
            (MeshRef::Symbol(name), None) => {
                return Err(refused(format!("the mesh @{name} is not known")));
            }
        };
        let count = self.device_count_of(mesh).map_err(refused)?;
        // Where each axis is cut by the parts that are used.
        let mut cuts: Vec<Vec<i64>> = mesh.axes.iter().map(|a| vec![1, a.1]).collect();
        for used in self.axes() {
            let part = mesh.part(used).map_err(|error| refused(error.0))?;
            cuts[part.axis].extend([part.before, part.end()]);
        }
        let mut sizes = Vec::new();
        let mut names = Vec::new();
        let mut pieces: Vec<Vec<(i64, i64, String)>> = Vec::new();
        for ((name, size), cuts) in mesh.axes.iter().zip(&mut cuts) {
            let name = &referable(name);
            cuts.sort_unstable();
            cuts.dedup();
            let mut list = Vec::new();
            for w in cuts.windows(2) {
                if w[1] % w[0] != 0 {
                    return Err(refused(format!(
                        "parts of axis \"{name}\" of size {size} cut across each other at {} and {}",
                        w[0], w[1]
                    )));
                }
                let own = if cuts.len() == 2 {
                    name.clone()
                } else {
                    sub_axis_name(name, w[0], w[1] / w[0])
                };
                sizes.push(w[1] / w[0]);
                names.push(own.clone());
                list.push((w[0], w[1], own));
            }
            if list.is_empty() {
                sizes.push(1);
                names.push(name.clone());
                list.push((1, 1, name.clone()));
            }
            pieces.push(list);
        }
        let names_of = |used: &AxisRef| -> Split {
            let Ok(part) = mesh.part(used) else {
                return Split::new();
            };
            pieces[part.axis]
                .iter()
                .filter(|p| part.before <= p.0 && p.1 <= part.end())
                .map(|p| p.2.clone())
                .collect()
        };
        let map: Vec<Split> = self
            .dims
            .iter()
            .map(|d| d.axes.iter().flat_map(names_of).collect())
            .collect();
        let mut layout = DeviceMatrix::new(&sizes, &names)?.layout(&map)?;
        let unreduced: Split = self.unreduced.iter().flat_map(names_of).collect();
        for name in &unreduced {
            layout = layout.with_partial(name, self.reduction)?;
        }
        let mut kept: Vec<&str> = Vec::new();
        for name in self.replicated.iter().flat_map(names_of) {
            if let Some(dim) = map.iter().position(|axes| axes.contains(&name)) {
                return Err(refused(format!(
                    "axis \"{name}\" is to be replicated and splits dimension {dim}"
                )));
            }
            if unreduced.contains(&name) {
                return Err(refused(format!(
                    "axis \"{name}\" is to be replicated and unreduced"
                )));
            }
            if let Some(known) = names.iter().find(|n| **n == name) {
                if kept.contains(&known.as_str()) {
                    return Err(refused(format!(
                        "axis \"{name}\" is to be replicated twice"
                    )));
                }
                kept.push(known);
            }
        }
        match &mesh.device_ids {
            None => Ok(layout),
            Some(ids) if ids.len() as i64 == count => layout.with_device_ids(ids),
            Some(ids) => Err(refused(format!(
                "the mesh has {count} devices, {} ids are listed",
                ids.len()
            ))),
        }
    }

    fn device_count_of(&self, mesh: &Mesh) -> Result<i64, String> {
        mesh.device_count().ok_or_else(|| {
            if mesh.axes.is_empty() {
                "the mesh is empty: it does not say how many devices there are".to_owned()
            } else {
                format!("the mesh {mesh} has more devices than fit into 64 bits")
            }
        })
    }

    /// The sharding of a layout on a given mesh, or on a new mesh whose axes are those of the
    /// layout. All dimensions are closed; axes that hold replicas are listed as `replicated` on
    /// request.
    ///
    /// # Errors
    /// [`NotationError::Refused`] with the reason.
    pub fn from_layout(
        layout: &Layout,
        mesh: Option<&Mesh>,
        list_replicated: bool,
    ) -> Result<(Mesh, ShardySharding), LayoutError> {
        let refused =
            |reason: String| LayoutError::Notation(NotationError::refused(layout, &reason));
        let reduction = layout
            .partial()
            .first()
            .map_or(Reduction::Sum, |(_, kind)| *kind);
        if let Some((axis, kind)) = layout.partial().iter().find(|(_, kind)| {
            *kind != reduction || REDUCTIONS.iter().all(|(_, known)| known != kind)
        }) {
            let name = &layout.device_matrix().names()[*axis];
            return Err(refused(format!(
                "Shardy's unreduced axes are combined by one of sum, max and min, `{name}` by {kind}"
            )));
        }
        let own;
        let mesh = match mesh {
            Some(mesh) => mesh,
            None => {
                let matrix = layout.device_matrix();
                let axes: Vec<(String, i64)> = matrix
                    .names()
                    .iter()
                    .cloned()
                    .zip(matrix.sizes().iter().copied())
                    .collect();
                // A mesh without axes stands for any number of devices unless it lists the one that
                // it has.
                let ids = layout
                    .device_ids()
                    .map(<[i64]>::to_vec)
                    .or_else(|| axes.is_empty().then(|| vec![0]));
                own = Mesh {
                    name: "mesh".to_owned(),
                    axes,
                    device_ids: ids,
                };
                &own
            }
        };
        let sizes = mesh.sizes();
        mesh.device_count().ok_or_else(|| {
            refused("the mesh does not say how many devices there are".to_owned())
        })?;
        // Ids that count from zero say nothing.
        let counts = |ids: &&[i64]| !ids.iter().copied().eq(0..ids.len() as i64);
        let parts =
            onto(layout, &sizes, mesh.device_ids.as_deref().filter(counts)).map_err(refused)?;
        let axis = |p: &AxisPart| AxisRef {
            name: mesh.axes[p.axis].0.clone(),
            sub_axis: (p.size != sizes[p.axis]).then_some((p.before, p.size)),
        };
        let list = |parts: &[AxisPart]| parts.iter().map(axis).collect::<Vec<_>>();
        let dims = parts
            .dims
            .iter()
            .map(|d| DimensionSharding {
                axes: list(d),
                open: false,
                priority: None,
            })
            .collect();
        let mut replicated = Vec::new();
        if list_replicated {
            replicated = list(&unused(
                &sizes,
                parts.dims.iter().flatten().chain(&parts.partial),
            ));
        }
        let reference = if mesh.name.is_empty() {
            MeshRef::Inline(mesh.clone())
        } else {
            MeshRef::Symbol(mesh.name.clone())
        };
        let mut unreduced = parts.partial.clone();
        unreduced.sort_unstable_by_key(|p| (p.axis, p.before));
        Ok((
            mesh.clone(),
            ShardySharding {
                mesh: reference,
                dims,
                replicated,
                unreduced: list(&unreduced),
                reduction,
            },
        ))
    }
}

/// Returns the axes that are left, in the order of the mesh.
fn unused<'a>(sizes: &[i64], used: impl Iterator<Item = &'a AxisPart> + Clone) -> Vec<AxisPart> {
    let mut out = Vec::new();
    for (axis, size) in sizes.iter().enumerate() {
        let mut parts: Vec<&AxisPart> = used.clone().filter(|p| p.axis == axis).collect();
        parts.sort_unstable_by_key(|p| p.before);
        let mut at = 1;
        for p in parts {
            if p.before > at {
                out.push(AxisPart {
                    axis,
                    before: at,
                    size: p.before / at,
                });
            }
            at = p.before * p.size;
        }
        if at < *size {
            out.push(AxisPart {
                axis,
                before: at,
                size: size / at,
            });
        }
    }
    out
}
