//! Replicas and partitions of a program: collective operations, messages, and
//! `interpreter.run_parallel`, which runs such processes.
//!
//! One machine evaluates them all, one after another. A process runs until it needs something of
//! others that is not there yet; what it has received so far is kept in a log, and when everybody
//! it waits for is waiting too, it starts again from the beginning with a longer log.

use crate::{
    Error, Machine, Result, reduce,
    value::{Scalar, Tensor, Value, indices, zero},
};
use mapwright_mlir::{Op, TensorType, ValueType, attr, op};
use mapwright_ops::attrs;
use std::collections::{BTreeMap, VecDeque};

/// Replica and partition.
pub(crate) type Place = (i64, i64);

/// One of the processes.
#[derive(Default)]
pub(crate) struct Process<'c> {
    place: Place,
    /// Values that it has received, in order.
    log: Vec<Vec<Value>>,
    /// Number of entries of the log that this run has used.
    next: usize,
    request: Option<Request<'c>>,
}

/// A collective operation that a process has come to.
struct Request<'c> {
    op: Op<'c>,
    operands: Vec<Tensor>,
}

/// State that processes share.
#[derive(Default)]
pub(crate) struct World {
    /// Numbers of replicas and partitions.
    grid: (i64, i64),
    /// Messages on their way, by channel.
    /// Messages by channel, and by replica and receiver where pairs say that.
    mail: BTreeMap<(i64, Option<Place>), VecDeque<Vec<Value>>>,
    infeed: VecDeque<Value>,
}

impl World {
    /// A world of one process, whose infeed holds this.
    pub(crate) fn fed(infeed: Vec<Tensor>) -> Self {
        Self {
            infeed: infeed.into_iter().map(Value::Tensor).collect(),
            ..Self::default()
        }
    }

    /// The tensors that `op`, an infeed, takes.
    fn take(&mut self, op: Op<'_>) -> Result<Vec<Value>> {
        let types = (0..op.num_results()).map(|i| op.result_type(i));
        let types = types.filter_map(|ty| ty.tensor().cloned());
        types
            .map(|ty| {
                let next = self.infeed.pop_front();
                let next = next.ok_or_else(|| Error::plain("nothing is left of the infeed"))?;
                let found = next.tensor()?;
                let fits = found.element == ty.element
                    && Some(&found.shape) == ty.static_shape().as_ref();
                if fits {
Ok(next)
} else {
Err(Error::plain(format!(
                        "takes {ty} from the infeed, whose next tensor is of the shape {:?} and of {}",
                        found.shape, found.element
                    )))
}
            })
            .collect()
    }
}

/// The results of `op`, if it is of this family.
pub(crate) fn execute<'c>(machine: &mut Machine<'c>, op: Op<'c>) -> Result<Option<Vec<Value>>> {
    let name = op.short_name();
    Ok(Some(match name {
        "run_parallel" => run_parallel(machine, op)?,
        "replica_id" | "partition_id" => {
            let (replica, partition) = machine.process.as_ref().map_or((0, 0), |p| p.place);
            let id = if name == "replica_id" {
                replica
            } else {
                partition
            };
            let ValueType::Tensor(ty) = op.result_type(0) else {
                return Ok(None);
            };
            vec![Value::Tensor(Tensor::scalar(
                &ty.element,
                Scalar::Int(id.into()),
            ))]
        }
        "all_gather"
        | "all_reduce"
        | "reduce_scatter"
        | "all_to_all"
        | "collective_permute"
        | "collective_broadcast"
        | "collective_reduce" => collective(machine, op)?,
        "send" | "recv" | "infeed" | "outfeed" => message(machine, op)?,
        _ => return Ok(None),
    }))
}

/// Returns the next communication from the log of this process, if it has one.
fn logged(machine: &mut Machine<'_>) -> Option<Vec<Value>> {
    let process = machine.process.as_mut()?;
    let found = process.log.get(process.next).cloned()?;
    process.next += 1;
    Some(found)
}

fn tokens(op: Op<'_>) -> usize {
    (0..op.num_results())
        .filter(|i| !matches!(op.result_type(*i), ValueType::Tensor(_)))
        .count()
}

/// The process that a message goes to; `Some(None)`: whoever asks, and `None`: nobody, or from
/// nobody.
fn receiver<'c>(machine: &Machine<'c>, op: Op<'c>) -> Result<Option<Option<Place>>> {
    let Some(process) = machine.process.as_ref().filter(|_| attrs::is_paired(op)) else {
        return Ok(Some(None));
    };
    let (replica, partition) = process.place;
    let of_partitions = machine.world.grid.1 > 1;
    let own = if of_partitions { partition } else { replica };
    let sends = op.short_name() == "send";
    let mut pairs = attrs::source_target_pairs(op)?.into_iter();
    let pair = pairs.find(|(source, target)| own == if sends { *source } else { *target });
    let place = |id: i64| {
        if of_partitions {
            (replica, id)
        } else {
            (id, partition)
        }
    };
    Ok(pair.map(|(_, target)| Some(place(target))))
}

/// Messages are delivered once and then stand in the log, of the sender as well.
fn message<'c>(machine: &mut Machine<'c>, op: Op<'c>) -> Result<Vec<Value>> {
    if let Some(found) = logged(machine) {
        return Ok(found);
    }
    let name = op.short_name();
    let operands: Vec<Value> = machine
        .operands(op)?
        .into_iter()
        .filter(|v| matches!(v, Value::Tensor(_)))
        .collect();
    let channel = attrs::channel(op)?.handle;
    let receiver = receiver(machine, op)?;
    let mut found = match (name, receiver) {
        ("send", Some(receiver)) => {
            let mail = &mut machine.world.mail;
            let queue = mail.entry((channel, receiver)).or_default();
            queue.push_back(operands);
            Some(Vec::new())
        }
        ("send" | "outfeed", _) => Some(Vec::new()),
        ("recv", Some(receiver)) => machine
            .world
            .mail
            .get_mut(&(channel, receiver))
            .and_then(VecDeque::pop_front),
        ("recv", None) => {
            let types = (0..op.num_results()).map(|i| op.result_type(i));
            let tensors = types.filter_map(|ty| ty.tensor().cloned());
            let zeros = |ty: TensorType| {
                let shape = ty.static_shape().unwrap_or_default();
                let zeros = Tensor::build(&ty.element, &shape, |_| Ok(zero(&ty.element)));
                zeros.map(Value::Tensor)
            };
            Some(tensors.map(zeros).collect::<Result<_>>()?)
        }
        _ => Some(machine.world.take(op)?),
    };
    if let Some(found) = &mut found {
        found.extend(vec![Value::Token; tokens(op)]);
    }
    let Some(process) = machine.process.as_mut() else {
        return found.ok_or_else(|| Error::plain("nobody sends what is received"));
    };
    match found {
        Some(found) => {
            process.log.push(found.clone());
            process.next += 1;
            Ok(found)
        }
        None => {
            process.request = Some(Request {
                op,
                operands: Vec::new(),
            });
            Err(Error::plain("waits for a message"))
        }
    }
}

fn collective<'c>(machine: &mut Machine<'c>, op: Op<'c>) -> Result<Vec<Value>> {
    if let Some(found) = logged(machine) {
        return Ok(found);
    }
    let request = Request {
        op,
        operands: machine.tensors(op)?,
    };
    match machine.process.as_mut() {
        Some(process) => {
            process.request = Some(request);
            Err(Error::plain("waits for other processes"))
        }
        None => {
            // A program of one process.
            let me = (0, 0);
            let mut all = groups(op, (1, 1))?.into_iter().flatten();
            if let Some(other) = all.find(|place| *place != me) {
                return Err(Error::plain(format!("there is no process {other:?}")));
            }
            let operands = BTreeMap::from([(me, request.operands)]);
            exchange(machine, op, me, &[me], &operands)
        }
    }
}

/// The processes that work together, for each group of `op`, in order; as the specification derives
/// them.
fn groups(op: Op<'_>, (replicas, partitions): (i64, i64)) -> Result<Vec<Vec<Place>>> {
    let channel = attrs::channel(op)?.handle > 0;
    let name = op.short_name();
    if name == "collective_permute" {
        // Everybody, in so far as the other coordinate is the same.
        return Ok(if channel {
            (0..replicas)
                .map(|r| (0..partitions).map(|p| (r, p)).collect())
                .collect()
        } else {
            (0..partitions)
                .map(|p| (0..replicas).map(|r| (r, p)).collect())
                .collect()
        });
    }
    let given = attrs::replica_groups(op)?;
    let mut rows = given.groups;
    rows.retain(|row| !row.is_empty());
    if rows.is_empty() {
        rows.push((0..replicas).collect());
    }
    let reducing = matches!(
        name,
        "all_gather" | "all_reduce" | "collective_reduce" | "reduce_scatter"
    );
    let mut found = Vec::new();
    for row in rows {
        match (channel, reducing, given.global_device_ids) {
            (false, _, _) => {
                found.extend((0..partitions).map(|p| row.iter().map(|r| (*r, p)).collect()))
            }
            (true, false, _) => {
                found.extend((0..replicas).map(|r| row.iter().map(|p| (r, *p)).collect()))
            }
            (true, true, false) => found.push(
                (0..partitions)
                    .flat_map(|p| row.iter().map(move |r| (*r, p)))
                    .collect(),
            ),
            (true, true, true) => {
                found.push(
                    row.iter()
                        .map(|id| (id / partitions, id % partitions))
                        .collect(),
                );
            }
        }
    }
    Ok(found)
}

/// A slice of `size` elements from `start` along a dimension.
fn part(t: &Tensor, d: usize, start: i64, size: i64) -> Result<Tensor> {
    let mut shape = t.shape.clone();
    shape[d] = size;
    Tensor::build(&t.element, &shape, |i| {
        let mut at = i.to_vec();
        at[d] += start;
        t.at(&at)
    })
}

fn joined(parts: &[Tensor], d: usize) -> Result<Tensor> {
    let first = parts.first().ok_or_else(|| Error::plain("joins nothing"))?;
    let mut shape = first.shape.clone();
    shape[d] = parts.iter().map(|t| t.shape[d]).sum();
    Tensor::build(&first.element, &shape, |i| {
        let mut at = i.to_vec();
        for t in parts {
            if at[d] < t.shape[d] {
                return t.at(&at);
            }
            at[d] -= t.shape[d];
        }
        Err(Error::plain("an index beyond the parts"))
    })
}

/// Computes what process `me` of `group` gets, from the operands of all members.
fn exchange<'c>(
    machine: &mut Machine<'c>,
    op: Op<'c>,
    me: Place,
    group: &[Place],
    operands: &BTreeMap<Place, Vec<Tensor>>,
) -> Result<Vec<Value>> {
    let own = operands
        .get(&me)
        .ok_or_else(|| Error::plain("a process that takes no part"))?;
    let dimension = |name: &str, t: &Tensor| -> Result<usize> {
        Ok(attrs::axis(name, attrs::int(op, name)?, t.rank())?)
    };
    // The places of the roots are no data.
    let places = usize::from(attrs::has_dynamic_root(op)?);
    let (data, roots) = own.split_at(own.len().saturating_sub(places));
    let mut results = Vec::new();
    for (k, mine) in data.iter().enumerate() {
        let root = match roots.first() {
            Some(places) => usize::try_from(places.at(&[k as i64])?.int()?)
                .map_err(|_| Error::plain("the place of a root is negative"))?,
            None => 0,
        };
        let members = group
            .iter()
            .map(|place| {
                let all = operands.get(place).and_then(|list| list.get(k));
                all.cloned()
                    .ok_or_else(|| Error::plain("a member of the group is missing"))
            })
            .collect::<Result<Vec<_>>>();
        let rank = group.iter().position(|place| *place == me);
        let count = group.len() as i64;
        let nothing = || Tensor::build(&mine.element, &mine.shape, |_| Ok(zero(&mine.element)));
        results.push(match op.short_name() {
            "all_reduce" => folded(machine, op, &members?)?,
            "reduce_scatter" => {
                let whole = folded(machine, op, &members?)?;
                let d = dimension("scatter_dimension", &whole)?;
                let size = whole.shape[d] / count.max(1);
                part(&whole, d, rank.unwrap_or(0) as i64 * size, size)?
            }
            "all_gather" => joined(&members?, dimension("all_gather_dim", mine)?)?,
            "all_to_all" => {
                let (split, concat) = (
                    dimension("split_dimension", mine)?,
                    dimension("concat_dimension", mine)?,
                );
                let pieces = attrs::int_or(op, "split_count", count)?.max(1);
                let size = mine.shape[split] / pieces;
                let parts = members?
                    .iter()
                    .map(|t| part(t, split, rank.unwrap_or(0) as i64 * size, size))
                    .collect::<Result<Vec<_>>>()?;
                joined(&parts, concat)?
            }
            "collective_broadcast" | "collective_reduce" if rank.is_none() => nothing()?,
            "collective_broadcast" => {
                let all = members?;
                all.get(root)
                    .cloned()
                    .ok_or_else(|| Error::plain("a root that the group does not have"))?
            }
            "collective_reduce" => {
                if rank == Some(root) {
                    folded(machine, op, &members?)?
                } else {
                    nothing()?
                }
            }
            _ => {
                // Within a group everybody has the place that its number says.
                let pairs = attrs::source_target_pairs(op)?;
                let source = pairs
                    .iter()
                    .find(|(_, target)| Some(*target as usize) == rank);
                match source {
                    Some((source, _)) => {
                        let all = members?;
                        let from = usize::try_from(*source).ok().and_then(|i| all.get(i));
                        from.cloned()
                            .ok_or_else(|| Error::plain("a source that does not exist"))?
                    }
                    None => nothing()?,
                }
            }
        });
    }
    Ok(results.into_iter().map(Value::Tensor).collect())
}

/// Element by element, through the region of `op`.
fn folded<'c>(machine: &mut Machine<'c>, op: Op<'c>, members: &[Tensor]) -> Result<Tensor> {
    let first = members
        .first()
        .ok_or_else(|| Error::plain("an empty group"))?;
    let mut data = Vec::new();
    for i in indices(&first.shape) {
        let mut total = Tensor::scalar(&first.element, first.at(&i)?);
        for t in &members[1..] {
            let pair = [total, Tensor::scalar(&t.element, t.at(&i)?)];
            machine.folding += 1;
            let found = reduce::region(machine, op, 0, &pair);
            machine.folding -= 1;
            total = found?.swap_remove(0);
        }
        data.push(total.only()?);
    }
    Ok(Tensor {
        element: first.element.clone(),
        shape: first.shape.clone(),
        data,
    })
}

/// Tells whether two processes mean the same operation. Those with a channel may stand in different
/// functions.
fn same(a: Op<'_>, b: Op<'_>) -> Result<bool> {
    let (x, y) = (attrs::channel(a)?.handle, attrs::channel(b)?.handle);
    Ok(if x > 0 {
        x == y && a.name() == b.name()
    } else {
        op::key(a.result(0)) == op::key(b.result(0))
    })
}

fn names(attribute: mapwright_mlir::Attr<'_>) -> Vec<String> {
    attr::array(attribute)
        .unwrap_or_default()
        .into_iter()
        .filter_map(attr::symbol)
        .collect()
}

fn run_parallel<'c>(machine: &mut Machine<'c>, op: Op<'c>) -> Result<Vec<Value>> {
    if machine.process.is_some() {
        return Err(Error::plain("runs processes in a process"));
    }
    let rows: Vec<Vec<String>> = op
        .attribute("programs")
        .and_then(attr::array)
        .unwrap_or_default()
        .into_iter()
        .map(names)
        .collect();
    let partitions = rows.first().map_or(0, Vec::len);
    let mut infeed = VecDeque::new();
    for name in op.attribute("infeed").map(names).unwrap_or_default() {
        infeed.extend(machine.call(&name, Vec::new())?);
    }
    let mut arguments = machine.operands(op)?.into_iter();
    let mut programs = Vec::new();
    let mut states = Vec::new();
    for (r, row) in rows.iter().enumerate() {
        if row.len() != partitions {
            return Err(Error::plain(
                "replicas with different numbers of partitions",
            ));
        }
        for (p, name) in row.iter().enumerate() {
            let takes = machine.arity(name)?;
            programs.push((
                name.clone(),
                arguments.by_ref().take(takes).collect::<Vec<_>>(),
            ));
            states.push(Process {
                place: (r as i64, p as i64),
                ..Process::default()
            });
        }
    }
    machine.world = World {
        grid: (rows.len() as i64, partitions as i64),
        infeed,
        ..World::default()
    };
    let found = schedule(machine, &programs, states);
    machine.process = None;
    machine.world = World::default();
    Ok(found?.concat())
}

/// Runs all processes to their ends.
fn schedule<'c>(
    machine: &mut Machine<'c>,
    programs: &[(String, Vec<Value>)],
    mut states: Vec<Process<'c>>,
) -> Result<Vec<Vec<Value>>> {
    let mut done: Vec<Option<Vec<Value>>> = vec![None; programs.len()];
    let (depth, folding, jitter) = (machine.depth, machine.folding, machine.jitter);
    loop {
        let mut progress = false;
        for (i, (name, arguments)) in programs.iter().enumerate() {
            if done[i].is_some() {
                continue;
            }
            let known = states[i].log.len();
            let waits_for_others = states[i]
                .request
                .as_ref()
                .is_some_and(|r| r.op.short_name() != "recv");
            if waits_for_others {
                continue;
            }
            let mut process = std::mem::take(&mut states[i]);
            (process.next, process.request) = (0, None);
            machine.process = Some(process);
            let probes = machine.probes.clone();
            let found = machine.call(name, arguments.clone());
            (machine.depth, machine.folding, machine.jitter) = (depth, folding, jitter);
            states[i] = machine.process.take().unwrap_or_default();
            match (found, &states[i].request) {
                (Ok(found), _) => {
                    done[i] = Some(found);
                    progress = true;
                }
                (Err(_), Some(request)) => {
                    // It begins again; what it has shown is shown then.
                    machine.probes = probes;
                    progress |= states[i].log.len() > known || request.op.short_name() != "recv";
                }
                (Err(error), None) => return Err(error),
            }
        }
        if done.iter().all(Option::is_some) {
            return Ok(done.into_iter().flatten().collect());
        }
        progress |= meet(machine, &mut states)?;
        if !progress {
            return Err(Error::plain("processes wait for each other for ever"));
        }
    }
}

/// Serves the groups all of whose members have come to the same operation.
fn meet<'c>(machine: &mut Machine<'c>, states: &mut [Process<'c>]) -> Result<bool> {
    let mut progress = false;
    for i in 0..states.len() {
        let Some(op) = states[i].request.as_ref().map(|r| r.op) else {
            continue;
        };
        if op.short_name() == "recv" {
            continue;
        }
        let me = states[i].place;
        let mut all = groups(op, machine.world.grid)?.into_iter();
        let found = all.find(|g| g.contains(&me));
        // Who is in no group waits for nobody.
        let alone = found.is_none();
        let group = found.unwrap_or_else(|| vec![me]);
        let mut members = Vec::new();
        for place in &group {
            let found = states.iter().position(|s| s.place == *place);
            let Some(k) = found else {
                return Err(Error::plain(format!("there is no process {place:?}")));
            };
            let Some(request) = &states[k].request else {
                break;
            };
            if !same(op, request.op)? {
                break;
            }
            members.push(k);
        }
        if members.len() < group.len() {
            continue;
        }
        let mut operands = BTreeMap::new();
        for k in &members {
            if let Some(request) = &states[*k].request {
                operands.insert(states[*k].place, request.operands.clone());
            }
        }
        let shared: &[Place] = if alone { &[] } else { &group };
        for k in &members {
            let place = states[*k].place;
            let results = exchange(machine, op, place, shared, &operands)?;
            states[*k].log.push(results);
            states[*k].request = None;
        }
        progress = true;
    }
    Ok(progress)
}
