//! What `mapwright run --infeed` serves.

use super::{
    given::{Key, numbered},
    npy,
};
use crate::{
    mlir::{Op, TensorType, ValueType},
    native::{Executable, Tensor},
};
use anyhow::{bail, ensure};
use clap::Args;
use mapwright_ops::control::infeed_types;
use std::path::PathBuf;

/// Files of tensors for the infeeds of devices.
#[derive(Args)]
pub(crate) struct Infeed {
    /// A tensor for the infeed of device K, 0 where there is one device; given again, further
    /// tensors, which are taken in this order
    #[arg(long, value_name = "K=FILE.npy", value_parser = numbered, conflicts_with_all = ["bench", "profile"])]
    infeed: Vec<(Key, PathBuf)>,
}

/// The tensors of a type, flattened.
fn tensors(ty: ValueType, into: &mut Vec<TensorType>) {
    match ty {
        ValueType::Tensor(ty) => into.push(ty),
        ValueType::Tuple(types) => types.into_iter().for_each(|ty| tensors(ty, into)),
        _ => {}
    }
}

impl Infeed {
    /// The tensors with the devices that they are for, of the types that the program takes. Of a
    /// program it is not known in which order its infeeds are executed, but that as many bytes are
    /// of one type.
    ///
    /// # Errors
    /// Files that are of no such type, and types that have as many bytes.
    pub(crate) fn read(
        &self,
        module: Op<'_>,
        devices: usize,
        calls: usize,
    ) -> anyhow::Result<Vec<(usize, Tensor)>> {
        if self.infeed.is_empty() {
            return Ok(Vec::new());
        }
        ensure!(calls < 2, "with --infeed, --inputs may be given once");
        let mut types = Vec::new();
        for ty in infeed_types(module) {
            tensors(ty, &mut types);
        }
        let bytes = |ty: &TensorType| Some((ty.num_elements()?, ty.element.byte_width()?));
        let bytes = |ty: &TensorType| bytes(ty).map(|(count, width)| count as usize * width);
        for (i, a) in types.iter().enumerate() {
            let alike = |b: &&TensorType| *b != a && bytes(b).is_some() && bytes(b) == bytes(a);
            if let Some(b) = types[..i].iter().find(alike) {
                bail!(
                    "the program takes {a} and {b} from its infeed, as many bytes each: the files of --infeed cannot be told from each other"
                );
            }
        }
        let read = |((device, part), file): &(Key, PathBuf)| {
            let name = file.display();
            ensure!(
                part.is_empty() && *device < devices,
                "--infeed {device}={name}: there are {devices} devices"
            );
            let mut why = None;
            for ty in &types {
                match npy::read(file, ty) {
                    Ok(tensor) => return Ok((*device, tensor)),
                    Err(error) => why = why.or(Some(error)),
                }
            }
            match why {
                Some(error) => Err(error.context(format!("--infeed {device}={name}"))),
                None => bail!("--infeed {device}={name}: the program has no infeed"),
            }
        };
        self.infeed.iter().map(read).collect()
    }
}

/// Hands the tensors to the next call of the program.
pub(crate) fn feed(executable: &Executable, tensors: &[(usize, Tensor)]) {
    for (device, tensor) in tensors {
        executable.feed(*device, tensor.bytes());
    }
}
