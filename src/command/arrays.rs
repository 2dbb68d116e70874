//! Tensor arrays at the border of a program: the files of their leaves and offsets.
//!
//! An array is a file `values` of its leaves, one behind the other, and a file `offsets0`,
//! `offsets1`, … for each level, from the outermost: list `i` of a level has the elements
//! `offsets[i]` to, not including, `offsets[i + 1]` of the next one. The outermost level is one
//! list. The files hold what is there, as the program does, unless it is compiled for known sizes:
//! then there is room for the declared maxima.

use super::{failure::reported, npy};
use crate::{
    mlir::{Dim, Op, TensorType, ValueType},
    native::{
        Tensor,
        ragged::{check_offsets, rows, vector},
    },
    ops::typing::signature,
};
use anyhow::{Context as _, bail, ensure};
use mapwright_normalize::tarray;
use mapwright_ops::symbols::find_function_in;
use std::path::PathBuf;

/// The arguments and results of a function, in its own types.
pub struct Border {
    inputs: Vec<ValueType>,
    outputs: Vec<ValueType>,
}

/// The maxima of the levels of an array and its leaf; `None` for other types.
pub fn levels(ty: &ValueType) -> Option<(Vec<i64>, TensorType)> {
    let (max, leaf) = tarray::levels(ty);
    leaf.filter(|_| !max.is_empty()).map(|leaf| (max, leaf))
}

impl Border {
    /// Reads the border of a function, before the program is changed.
    pub fn from_function(module: Op<'_>, name: &str) -> Self {
        let (inputs, outputs) = find_function_in(module, name)
            .and_then(signature)
            .unwrap_or_default();
        Self { inputs, outputs }
    }

    /// The types of the arguments.
    pub fn inputs(&self) -> &[ValueType] {
        &self.inputs
    }

    /// The types of the results.
    pub fn outputs(&self) -> &[ValueType] {
        &self.outputs
    }

    /// The numbers and types of the arguments that are tensors or arrays, and how many tensors each
    /// of them is to the compiled program.
    pub fn arguments(&self) -> Option<Vec<(&ValueType, usize)>> {
        let is_special = |ty: &ValueType| levels(ty).is_some() || matches!(ty, ValueType::Shape(_));
        if !self.inputs.iter().any(is_special) {
            return None;
        }
        let taken = self.inputs.iter().filter(|ty| **ty != ValueType::Token);
        Some(
            taken
                .map(|ty| (ty, levels(ty).map_or(1, |(max, _)| max.len() + 1)))
                .collect(),
        )
    }

    /// The results with the names of their parts: arrays as what is there of them.
    ///
    /// # Errors
    /// Results that are none of such types, which would be a defect.
    pub fn results(&self, outputs: Vec<Tensor>) -> anyhow::Result<Vec<(String, Tensor)>> {
        if !self.outputs.iter().any(|ty| levels(ty).is_some()) {
            let named = outputs.into_iter().enumerate();
            return Ok(named.map(|(i, tensor)| (i.to_string(), tensor)).collect());
        }
        let mut rest = outputs.into_iter();
        let mut named = Vec::new();
        let given = self.outputs.iter().filter(|ty| **ty != ValueType::Token);
        for (i, ty) in given.enumerate() {
            let first = rest.next().context("a result is missing")?;
            let Some((max, _)) = levels(ty) else {
                named.push((i.to_string(), first));
                continue;
            };
            let mut lists = 1;
            let mut offsets = Vec::new();
            for level in 0..max.len() {
                let all = rest.next().context("a result is missing")?;
                let own = rows(all, lists + 1).map_err(reported)?;
                lists = numbers(&own)?.last().copied().unwrap_or(0);
                offsets.push((format!("{i}.offsets{level}"), own));
            }
            named.push((format!("{i}.values"), rows(first, lists).map_err(reported)?));
            named.extend(offsets);
        }
        Ok(named)
    }
}

/// The elements of a vector of numbers.
fn numbers(tensor: &Tensor) -> anyhow::Result<Vec<i64>> {
    let numbers = tensor.bytes().chunks_exact(8);
    numbers
        .map(|bytes| Ok(i64::from_le_bytes(bytes.try_into()?)))
        .collect()
}

/// The sizes of a shape: those of a file are not negative, and pseudo-random ones become so.
///
/// # Errors
/// A negative size.
pub(crate) fn sizes(found: Tensor, file: Option<PathBuf>) -> anyhow::Result<Tensor> {
    let sizes = numbers(&found)?;
    let Some(path) = file else {
        let sizes: Vec<i64> = sizes.iter().map(|size| size.abs()).collect();
        return vector(&sizes).map_err(reported);
    };
    match sizes.iter().find(|size| **size < 0) {
        Some(size) => bail!("{}: the size {size} is negative", path.display()),
        None => Ok(found),
    }
}

/// The greatest length of a list that is pseudo-random, whatever the declared maximum is.
const LONGEST: i64 = 64;

/// The type with as many rows as are said.
fn of_rows(ty: &TensorType, rows: Dim) -> TensorType {
    let mut ty = ty.clone();
    if let Some(first) = ty.dims.first_mut() {
        *first = rows;
    }
    ty
}

/// The rows of a tensor, in front of zeros where the program has room for more.
fn in_room(found: Tensor, part: &TensorType) -> anyhow::Result<Tensor> {
    let Some(room) = part.dims.first().and_then(|dim| dim.fixed()) else {
        return Ok(found);
    };
    let mut shape = found.shape().to_vec();
    shape[0] = room;
    let mut all = Tensor::zeros(found.element(), &shape).map_err(reported)?;
    let bytes = all.bytes_mut().get_mut(..found.bytes().len());
    bytes
        .context("an array of more elements than the program has room for")?
        .copy_from_slice(found.bytes());
    Ok(all)
}

/// Reads an array of type `ty`, which is tensors of the types `parts` to the program, from the
/// files that `file` knows for the name of each part. Lengths that are not given are pseudo-random,
/// as `leaves` are; what is given is given with all levels around it.
///
/// # Errors
/// Files that do not fit the type or each other.
pub(crate) fn read(
    ty: &ValueType,
    parts: &[TensorType],
    seed: u64,
    file: impl Fn(&str) -> Option<PathBuf>,
    leaves: impl Fn(&TensorType) -> anyhow::Result<Tensor>,
) -> anyhow::Result<Vec<Tensor>> {
    let Some((max, _)) = levels(ty) else {
        bail!("{ty} is no array");
    };
    ensure!(parts.len() == max.len() + 1, "{ty} has other parts");
    if let Some(path) = file(&format!("offsets{}", max.len())) {
        bail!("{}: {ty} has {} levels", path.display(), max.len());
    }
    // Leaves say nothing without the lists that they are in, nor do lists of lists.
    let names: Vec<String> = (0..max.len())
        .map(|level| format!("offsets{level}"))
        .collect();
    let inner = names.iter().map(String::as_str).chain(["values"]);
    for (outer, name) in names.iter().zip(inner.skip(1)) {
        if let (None, Some(path)) = (file(outer), file(name)) {
            bail!(
                "{}: is given without {outer}, which it belongs to",
                path.display()
            );
        }
    }
    let mut generator = fastrand::Rng::with_seed(seed);
    let mut lists = 1usize;
    let mut all = Vec::new();
    for (level, greatest) in max.iter().enumerate() {
        let name = format!("offsets{level}");
        let part = &parts[level + 1];
        let mut offsets = match file(&name) {
            Some(path) => {
                let found = numbers(&npy::read(&path, &of_rows(part, Dim::Dynamic))?)?;
                check_offsets(&found, lists, *greatest)
                    .map_err(anyhow::Error::msg)
                    .with_context(|| path.display().to_string())?;
                found
            }
            None => {
                let mut found = vec![0];
                for _ in 0..lists {
                    let last = found[found.len() - 1];
                    found.push(last + generator.i64(0..=LONGEST.min(*greatest)));
                }
                found
            }
        };
        let total = offsets[lists];
        // Lists for which there is room and that are not there have no elements.
        if let Some(shape) = part.static_shape() {
            offsets.resize(usize::try_from(shape[0])?, total);
        }
        all.push(vector(&offsets).map_err(reported)?);
        lists = usize::try_from(total)?;
    }
    let values = match file("values") {
        Some(path) => {
            let found = npy::read(&path, &of_rows(&parts[0], Dim::Dynamic))?;
            ensure!(
                found.shape()[0] == lists as i64,
                "{}: has {} leaves, the offsets are of {lists}",
                path.display(),
                found.shape()[0]
            );
            found
        }
        None => leaves(&of_rows(&parts[0], Dim::Static(lists as i64)))?,
    };
    all.insert(0, in_room(values, &parts[0])?);
    Ok(all)
}
