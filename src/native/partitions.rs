//! Programs of several devices: every device runs the same code, on threads of its own in one
//! process, or each in a process of its own.

use crate::{Bound, Error, Executable, ExecuteOptions, Result, Tensor};
use mapwright_normalize::partition::Placement;
use mapwright_runtime::collective::{Place, World};
use mapwright_sharding::{IndexBox, LayoutError, ShardedTensor};
use std::{sync::Arc, time::Duration};

/// Visits the rows of a box in a tensor of elements of `width` bytes, in their order: the first
/// byte of each in the tensor and in the box, and how many bytes it has.
pub fn box_rows(
    shape: &[i64],
    part: &IndexBox,
    width: usize,
    visit: &mut dyn FnMut(usize, usize, usize),
) {
    let sizes: Vec<usize> = part.iter().map(|i| i.len() as usize).collect();
    let Some((last, outer)) = sizes.split_last() else {
        return visit(0, 0, width);
    };
    let row = last * width;
    for number in 0..outer.iter().product::<usize>() * usize::from(row > 0) {
        let (mut rest, mut at, mut stride) = (number, 0, 1);
        for d in (0..sizes.len()).rev() {
            let mut index = part[d].lower as usize;
            if d < outer.len() {
                index += rest % sizes[d];
                rest /= sizes[d];
            }
            at += index * stride;
            stride *= shape[d] as usize;
        }
        visit(at * width, number * row, row);
    }
}

fn width(tensor: &Tensor) -> Result<usize> {
    let width = tensor.element().byte_width();
    width.ok_or_else(|| {
        Error::Input(format!(
            "elements of type {} have no bytes",
            tensor.element()
        ))
    })
}

/// A device's slice of an argument.
fn slice(of: &Tensor, place: &ShardedTensor, device: i64) -> Result<Tensor> {
    let part = place.range_of(device).map_err(misplaced)?;
    let mut slice = Tensor::zeros(of.element(), place.shard_shape())?;
    let (from, to) = (of.bytes(), slice.bytes_mut());
    box_rows(of.shape(), &part, width(of)?, &mut |at, own, bytes| {
        to[own..own + bytes].copy_from_slice(&from[at..at + bytes]);
    });
    Ok(slice)
}

/// A result from the slices of all devices, or of some that have all of it, with the numbers of the
/// devices.
///
/// # Errors
/// No slice, or devices that are none of the placement's.
pub fn joined(slices: Vec<(i64, Tensor)>, place: Option<&ShardedTensor>) -> Result<Tensor> {
    let mut slices = slices.into_iter();
    let first = slices.next();
    let first = first.ok_or_else(|| Error::Input("there is no device".into()))?;
    let Some(place) = place else {
        return Ok(first.1);
    };
    let mut whole = Tensor::zeros(first.1.element(), place.shape())?;
    let width = width(&first.1)?;
    for (device, slice) in std::iter::once(first).chain(slices) {
        let part = place.range_of(device).map_err(misplaced)?;
        let (from, to) = (slice.bytes(), whole.bytes_mut());
        box_rows(place.shape(), &part, width, &mut |at, own, bytes| {
            to[at..at + bytes].copy_from_slice(&from[own..own + bytes]);
        });
    }
    Ok(whole)
}

fn misplaced(error: LayoutError) -> Error {
    Error::Input(error.to_string())
}

impl Executable {
    /// Checks that an entry has the arguments and results of a placement, and that each of them has
    /// a whole.
    ///
    /// # Errors
    /// A placement of other arguments or results, or partial ones.
    pub fn check_placement(&self, name: Option<&str>, placement: &Placement) -> Result<()> {
        let signature = self.signature(name)?;
        let (inputs, outputs) = (signature.inputs.len(), signature.outputs.len());
        if inputs != placement.inputs.len() || outputs != placement.outputs.len() {
            return Err(Error::Input(format!(
                "{inputs} arguments and {outputs} results are placed as {} and {}",
                placement.inputs.len(),
                placement.outputs.len()
            )));
        }
        let all = placement.inputs.iter().chain(&placement.outputs);
        if let Some(place) = all
            .flatten()
            .find(|place| !place.layout().partial().is_empty())
        {
            let shape = place.shape();
            return Err(Error::Input(format!(
                "an argument or a result of shape {shape:?} is there in partial results, which have no whole at the border of a program"
            )));
        }
        Ok(())
    }

    /// Calls an entry, the program of one device, on all devices: their arguments are slices of
    /// `inputs`, and the results are put together of theirs. The threads of `options` are those of
    /// one device. At a collective one device waits for another at most as long as `limit`.
    ///
    /// # Errors
    /// As [`Executable::execute`], and a placement of other arguments or results.
    pub fn execute_sharded(
        &self,
        name: Option<&str>,
        inputs: &[&Tensor],
        placement: &Placement,
        limit: Duration,
        options: &ExecuteOptions,
    ) -> Result<Vec<Tensor>> {
        self.check_placement(name, placement)?;
        if inputs.len() != placement.inputs.len() {
            return Err(Error::Input(format!(
                "{} arguments are given, and {} are placed",
                inputs.len(),
                placement.inputs.len()
            )));
        }
        let of_device = |device: i64| {
            let each = inputs.iter().zip(&placement.inputs);
            let each = each.map(|(input, place)| match place {
                Some(place) => slice(input, place, device),
                None => Tensor::new(input.element(), input.shape(), input.bytes()),
            });
            each.collect::<Result<Vec<Tensor>>>()
        };
        let slices: Vec<Vec<Tensor>> = (0..placement.devices)
            .map(of_device)
            .collect::<Result<_>>()?;
        let made = self.execute_partitions(name, &slices, limit, options)?;
        let mut made: Vec<_> = made.into_iter().map(Vec::into_iter).collect();
        let results = placement.outputs.iter();
        results
            .map(|place| {
                let slices = made.iter_mut().filter_map(Iterator::next);
                joined((0..).zip(slices).collect(), place.as_ref())
            })
            .collect()
    }

    /// Calls an entry once for each partition, with the arguments that the partition has, all at
    /// the same time; results by partition. The threads of `options` and the limit are those of one
    /// partition.
    ///
    /// # Errors
    /// As [`Executable::execute`]: the first failure.
    pub fn execute_partitions(
        &self,
        name: Option<&str>,
        inputs: &[Vec<Tensor>],
        limit: Duration,
        options: &ExecuteOptions,
    ) -> Result<Vec<Vec<Tensor>>> {
        let world = Arc::new(World::new(1, inputs.len(), limit).map_err(Error::Run)?);
        let one = |partition: usize| -> Result<Vec<Tensor>> {
            let own: Vec<&Tensor> = inputs[partition].iter().collect();
            let mut bound = self.bind_partition(name, &own, (&world, partition), options)?;
            let outcome = bound.run();
            if let Err(Error::Run(error)) = &outcome {
                world.abort(error.clone());
            }
            outcome.map(|()| bound.into_outputs())
        };
        std::thread::scope(|scope| {
            let one = &one;
            let started: Vec<_> = (0..inputs.len())
                .map(|partition| scope.spawn(move || one(partition)))
                .collect();
            let ended = started.into_iter().map(|thread| {
                let ended = thread.join();
                ended.unwrap_or_else(|_| Err(Error::Native("a device's thread panicked".into())))
            });
            // All of them end before the first failure is told.
            let ended: Vec<Result<Vec<Tensor>>> = ended.collect();
            ended.into_iter().collect()
        })
    }

    /// Binds an entry to its arguments as one partition of a world, in which somebody calls it as
    /// each of the others at the same time. What infeeds take is handed to the world by the first
    /// one.
    ///
    /// # Errors
    /// As [`Executable::bind`]; a partition that is none of the world's.
    pub fn bind_partition<'e>(
        &'e self,
        name: Option<&str>,
        inputs: &[&'e Tensor],
        (world, partition): (&Arc<World>, usize),
        options: &ExecuteOptions,
    ) -> Result<Bound<'e>> {
        self.serve(world)?;
        let mut bound = self.bind(name, inputs, options)?;
        let place = Place {
            replica: 0,
            partition,
        };
        bound.context = bound.context.fork_as(world, place).map_err(Error::Run)?;
        Ok(bound)
    }
}
