//! The constraints of Shardy's attributes, as the pages of its dialect list them.

use super::cursor::Cursor;
use super::shardy::axis_ref;
use super::{AxisPart, AxisRef, Mesh, MeshRef, NotationError, ShardySharding};
use mapwright_indexing::counted;

/// A constraint of Shardy's that an attribute violates.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Violation(pub String);

/// Result of a check.
pub(super) type Checked<T = ()> = Result<T, Violation>;

/// The violation with this reason.
pub(super) fn refused<T>(reason: impl Into<String>) -> Checked<T> {
    Err(Violation(reason.into()))
}

impl AxisPart {
    /// The size of the axis up to the end of this part.
    pub(crate) fn end(&self) -> i64 {
        self.before.saturating_mul(self.size)
    }

    pub(super) fn overlaps(&self, other: &AxisPart) -> bool {
        // An axis of size 1 has no inside in which both could meet.
        self == other
            || self.axis == other.axis && self.before < other.end() && other.before < self.end()
    }

    /// Tells whether both make one part of the axis, this one being the major half.
    fn goes_on_with(&self, minor: &AxisPart) -> bool {
        self.axis == minor.axis && self.end() == minor.before
    }
}

/// Appends parts to a list, major first; parts that go on where the last one ends become one with
/// it.
pub(super) fn append(list: &mut Vec<AxisPart>, minor: &[AxisPart]) {
    for part in minor {
        match list.last_mut() {
            Some(last) if last.goes_on_with(part) => last.size *= part.size,
            _ => list.push(*part),
        }
    }
}

impl Mesh {
    /// A mesh without axes that names one device: tensors are on it whole.
    pub fn is_maximal(&self) -> bool {
        self.axes.is_empty() && self.device_ids.is_some()
    }

    /// The devices in the order of the mesh, where that is not the order of their numbers.
    fn order(&self) -> Option<&[i64]> {
        let ids = self.device_ids.as_deref()?;
        let ascends = ids.iter().enumerate().all(|(i, id)| *id == i as i64);
        (!ascends || self.axes.is_empty()).then_some(ids)
    }

    /// Have both the same axes and the same order of devices?
    pub fn is_same(&self, other: &Mesh) -> bool {
        self.axes == other.axes && self.order() == other.order()
    }

    /// Checks the constraints of `#sdy.mesh`.
    ///
    /// # Errors
    /// The constraint that is violated.
    pub fn check(&self) -> Checked {
        for (i, (name, _)) in self.axes.iter().enumerate() {
            if self.axes[..i].iter().any(|(other, _)| other == name) {
                return refused(format!("the mesh has two axes \"{name}\""));
            }
        }
        let Some(ids) = &self.device_ids else {
            return Ok(());
        };
        if let Some(id) = ids.iter().find(|id| **id < 0) {
            return refused(format!("the mesh has a device of the number {id}"));
        }
        if self.axes.is_empty() {
            return match ids.len() {
                1 => Ok(()),
                n => refused(format!(
                    "a mesh without axes has {n} devices instead of one"
                )),
            };
        }
        let count = self.device_count();
        if count != Some(ids.len() as i64) {
            let count = count.map_or("more".to_owned(), |count| count.to_string());
            return refused(format!(
                "the axes of the mesh have {count} devices, its list has {}",
                ids.len()
            ));
        }
        let mut sorted = ids.clone();
        sorted.sort_unstable();
        match sorted.iter().enumerate().find(|(i, id)| *i as i64 != **id) {
            Some((i, _)) => refused(format!("the mesh lacks the device {i}")),
            None => Ok(()),
        }
    }

    /// The part of an axis that `used` names.
    ///
    /// # Errors
    /// An axis that the mesh lacks, or no proper part of it.
    pub(crate) fn part(&self, used: &AxisRef) -> Checked<AxisPart> {
        let Some(axis) = self.axes.iter().position(|axis| axis.0 == used.name) else {
            let known: Vec<&str> = self.axes.iter().map(|axis| axis.0.as_str()).collect();
            let known = known.join(", ");
            return refused(format!(
                "the mesh has no axis \"{}\" (there is {known})",
                used.name
            ));
        };
        let whole = self.axes[axis].1;
        let Some((before, size)) = used.sub_axis else {
            let (before, size) = (1, whole);
            return Ok(AxisPart { axis, before, size });
        };
        let fits = before >= 1
            && size >= 1
            && (before.checked_mul(size)).is_some_and(|end| whole % end == 0);
        if !fits {
            return refused(format!(
                "{used} is no part of axis \"{}\" of size {whole}",
                used.name
            ));
        }
        Ok(AxisPart { axis, before, size })
    }

    /// The parts of axes in a list, after its constraints are checked.
    ///
    /// # Errors
    /// The constraint that is violated.
    pub(super) fn parts(&self, list: &[AxisRef]) -> Checked<Vec<AxisPart>> {
        let mut parts: Vec<AxisPart> = Vec::new();
        for used in list {
            let part = self.part(used)?;
            let whole = self.axes[part.axis].1;
            if used.sub_axis.is_some() && (part.size == whole || part.size == 1) {
                return refused(format!(
                    "{used} has the size {} of an axis of size {whole}: a part is smaller than its axis and greater than 1",
                    part.size
                ));
            }
            if parts.last().is_some_and(|last| last.goes_on_with(&part)) {
                return refused(format!(
                    "{used} goes on where the part before it ends: both are one part"
                ));
            }
            parts.push(part);
        }
        match overlapping(&parts) {
            Some(i) => refused(format!("{} is used twice", list[i])),
            None => Ok(parts),
        }
    }

    /// As [`Mesh::parts`], of a list that is in the order of the mesh.
    pub(super) fn ordered_parts(&self, what: &str, list: &[AxisRef]) -> Checked<Vec<AxisPart>> {
        let parts = self.parts(list)?;
        let key = |part: &AxisPart| (part.axis, part.before, part.size);
        if parts.is_sorted_by_key(key) {
            return Ok(parts);
        }
        refused(format!("the {what} axes are not in the order of the mesh"))
    }
}

/// The first part that one before it overlaps.
fn overlapping(parts: &[AxisPart]) -> Option<usize> {
    (1..parts.len()).find(|i| parts[..*i].iter().any(|part| part.overlaps(&parts[*i])))
}

impl ShardySharding {
    /// The mesh: the one that is written in place, or what `find` knows by the name.
    ///
    /// # Errors
    /// A name that is not known.
    pub fn mesh(&self, find: impl FnOnce(&str) -> Option<Mesh>) -> Checked<Mesh> {
        match &self.mesh {
            MeshRef::Inline(mesh) => Ok(mesh.clone()),
            MeshRef::Symbol(name) => {
                find(name).ok_or_else(|| Violation(format!("the mesh @{name} is not known")))
            }
        }
    }

    /// Checks the constraints of `#sdy.sharding` for a tensor of `rank` dimensions; `None` for
    /// values that are no tensors.
    ///
    /// # Errors
    /// The constraint that is violated.
    pub fn check(&self, mesh: &Mesh, rank: Option<usize>) -> Checked {
        if let MeshRef::Inline(mesh) = &self.mesh {
            mesh.check()?;
        }
        let divides =
            !self.dims.is_empty() || !self.replicated.is_empty() || !self.unreduced.is_empty();
        match rank {
            _ if mesh.is_maximal() => {
                return if divides {
                    refused("a sharding on one device has neither dimensions nor axes")
                } else {
                    Ok(())
                };
            }
            None if divides => {
                return refused(
                    "a value that is no tensor has a sharding with neither dimensions nor axes",
                );
            }
            Some(rank) if rank != self.dims.len() => {
                let dims = counted(self.dims.len(), "dimension");
                return refused(format!("the sharding has {dims}, the tensor has {rank}"));
            }
            _ => {}
        }
        let mut all = Vec::new();
        for (i, dim) in self.dims.iter().enumerate() {
            if dim.priority.is_some() && dim.axes.is_empty() && !dim.open {
                return refused(format!(
                    "dimension {i} has a priority, and neither axes nor a `?`"
                ));
            }
            all.extend(mesh.parts(&dim.axes)?);
        }
        all.extend(mesh.ordered_parts("replicated", &self.replicated)?);
        all.extend(mesh.ordered_parts("unreduced", &self.unreduced)?);
        let used = || self.axes().nth(overlapping(&all)?);
        match used() {
            Some(twice) => refused(format!("{twice} is used twice")),
            None => Ok(()),
        }
    }

    /// The axes in the order in which they are written.
    pub fn axes(&self) -> impl Iterator<Item = &AxisRef> + Clone {
        let dims = self.dims.iter().flat_map(|dim| &dim.axes);
        dims.chain(&self.replicated).chain(&self.unreduced)
    }
}

/// Reads lists of axes: `[{"x"}, {}]`, or `{"x"}` as the only one, in an attribute such as
/// `#sdy<list_of_axis_ref_lists[…]>`.
///
/// # Errors
/// [`NotationError`] with the column.
pub fn axis_lists(text: &str) -> Result<Vec<Vec<AxisRef>>, NotationError> {
    let start = text.find(['[', '{']).unwrap_or(text.len());
    let list = |c: &mut Cursor| c.list("{", "}", axis_ref);
    Cursor::read(&text[start..], |c| {
        let lists = if c.sees("[") {
            c.list("[", "]", list)?
        } else {
            vec![list(c)?]
        };
        c.accept(">");
        Ok(lists)
    })
}
