//! `mapwright shards --plan`: what the program of one device holds, computes and sends, and a model
//! of the time that it takes.
//!
//! A message takes `latency + bytes / bandwidth`, with the bytes of ring algorithms
//! ([`Collective::bytes`]) and the rounds of those that double the distance in each of them, of
//! which a group of `k` has `log2 k`, rounded up; an all-to-all sends to each other member by
//! itself. Products take `flops / rate`; nothing else that is computed counts. Both together take
//! their sum, or what [`timeline`](super::timeline) says where collectives run beside products.

use super::{
    failure::rewritten,
    input::{Source, entry},
    output::{self, Files},
    regions::with_data,
    timeline::{Step, elapsed},
};
use crate::mlir::{
    Blk, Op, TensorType, Val, ValueType, diagnostic::location_text, melior::ir::ValueLike as _, op,
};
use anyhow::{Context as _, ensure};
use clap::Args;
use mapwright_normalize::{
    inline::{MOST, inline_calls},
    overlap::{hoist, is_last, reads},
    partition::{Partitioned, Remark, partition},
};
use mapwright_ops::{
    attrs,
    collective::{Exchange, exchange},
    contraction::flops,
    control::known_trips,
    registry::{Effect, lookup},
    symbols::find_function_in,
};
use mapwright_sharding::{Collective, ShardedTensor};
use serde_json::{Value, json};
use std::{collections::HashSet, fmt::Write as _, path::Path, process::ExitCode};

/// Capabilities of a device, by which a plan is timed.
#[derive(Args)]
#[group(multiple = true, conflicts_with_all = ["device_matrix", "alias", "tensor_map", "partial",
    "strategy", "repeat", "sharding", "mesh", "shape", "from", "to", "element_bytes"])]
pub(super) struct Planning {
    /// Say of the program in FILE, whose tensors are sharded, what a device holds and sends
    #[arg(long, value_name = "FILE")]
    plan: Option<String>,
    /// The function, where there are several
    #[arg(long, value_name = "FUNCTION", requires = "plan")]
    entry: Option<String>,
    /// Seconds until a message of no bytes is there
    #[arg(long, value_name = "SECONDS", default_value_t = 1e-5, value_parser = positive, requires = "plan")]
    latency: f64,
    /// Bytes a second that a device sends, and receives at the same time
    #[arg(long, value_name = "BYTES", default_value_t = 1e10, value_parser = positive, requires = "plan")]
    bandwidth: f64,
    /// Multiplications and additions a second of a device's products
    #[arg(long, value_name = "RATE", value_parser = positive, requires = "plan")]
    flop_rate: Option<f64>,
    /// Bytes a second at which a device reads its arguments and writes its results; without it
    /// these count as nothing
    #[arg(long, value_name = "BYTES", value_parser = positive, requires = "plan")]
    memory_bandwidth: Option<f64>,
    /// Seconds that the program takes on one device; a device of several computes as long as its
    /// share of the products says
    #[arg(long, value_name = "SECONDS", value_parser = positive, requires = "plan", conflicts_with = "flop_rate")]
    one_device: Option<f64>,
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("expected a number above zero".into()),
    }
}

/// The most devices of which a page lists the groups, and which it draws: what a screen shows.
const MOST_DRAWN: i64 = 4096;

/// A collective of the program of one device.
struct Message {
    collective: String,
    location: String,
    reason: Option<String>,
    /// The number of devices of a group.
    members: i64,
    /// The devices of each group, or a sender and a receiver, where they are drawn.
    groups: Option<Vec<Vec<i64>>>,
    /// Bytes that a device sends, and receives as many, each time.
    bytes: i64,
    /// Rounds of messages each time.
    rounds: i64,
    /// Number of times at most, as far as that is known: iterations of loops that depend on data
    /// count once, and all branches count.
    times: i64,
}

/// Work of a block: its messages and its products.
#[derive(Default)]
struct Done {
    messages: Vec<Message>,
    flops: f64,
    /// Products and messages in their order.
    steps: Vec<Step>,
    /// Whether a loop was counted once whose iterations are not known.
    unknown_loops: bool,
}

/// Counts what the operations of a block do when it runs `times` times; with the groups of
/// collectives if they are drawn.
fn count(block: Blk<'_>, times: i64, is_drawn: bool, done: &mut Done) {
    // Messages whose results nobody has read yet.
    let mut unread: Vec<(usize, Op<'_>)> = Vec::new();
    for op in op::ops(block) {
        unread.retain(|(message, collective)| {
            let is_read = is_last(op) || reads(op, *collective);
            done.steps.extend(is_read.then_some(Step::Wait(*message)));
            !is_read
        });
        if let Some(flops) = flops(op) {
            done.flops += flops * times as f64;
            done.steps.push(Step::Compute(flops));
        }
        if let Some(message) = message(op, times, is_drawn) {
            unread.push((done.messages.len(), op));
            done.steps.push(Step::Send(done.messages.len()));
            done.messages.push(message);
        }
        let mut trips = 1;
        let def = lookup(op);
        if def.is_some_and(|def| def.runs_regions && def.effect == Effect::Endless) {
            match known_trips(op) {
                Some((known, _)) => trips = known,
                None => done.unknown_loops = true,
            }
        }
        let before = std::mem::take(&mut done.steps);
        for region in 0..op.num_regions() {
            if let Some(body) = op.body(region) {
                count(body, times.saturating_mul(trips), is_drawn, done);
            }
        }
        let inner = std::mem::replace(&mut done.steps, before);
        if !inner.is_empty() {
            done.steps.push(Step::Loop(trips, inner));
        }
    }
}

/// Returns the bytes of a tensor of known sizes; other values have none.
fn bytes_of(ty: &ValueType) -> i64 {
    let bytes = ty.tensor().and_then(|ty| {
        let count = ty.static_shape()?.iter().product::<i64>();
        count.checked_mul(ty.element.byte_width()? as i64)
    });
    bytes.unwrap_or(0)
}

/// Returns the message of an operation, if it is a collective; with its groups if they are drawn.
fn message(op: Op<'_>, times: i64, is_drawn: bool) -> Option<Message> {
    let (exchange, members) = exchange(op)?;
    let collective = match exchange {
        Exchange::AllGather => Collective::AllGather,
        Exchange::AllToAll => Collective::AllToAll,
        Exchange::AllReduce => Collective::AllReduce,
        Exchange::ReduceScatter => Collective::ReduceScatter,
        // Every device sends on what it got.
        Exchange::Permute | Exchange::Broadcast => Collective::CollectivePermute,
    };
    let local = (op.operands().into_iter())
        .map(|value| bytes_of(&ValueType::from_mlir(value.r#type())))
        .sum();
    let doubling = i64::from(i64::BITS - (members - 1).max(0).leading_zeros());
    let rounds = match exchange {
        Exchange::AllToAll => members - 1,
        Exchange::AllReduce => 2 * doubling,
        Exchange::Permute => 1,
        Exchange::AllGather | Exchange::ReduceScatter | Exchange::Broadcast => doubling,
    };
    Some(Message {
        collective: op.short_name().replace('_', "-"),
        location: location_text(op.location()),
        reason: None,
        members,
        groups: is_drawn.then(|| groups(op)).flatten(),
        bytes: collective.bytes(local, members),
        rounds,
        times,
    })
}

/// Returns the groups of a collective, or the pairs of a permutation.
fn groups(op: Op<'_>) -> Option<Vec<Vec<i64>>> {
    match op.attribute("source_target_pairs") {
        Some(pairs) => attrs::rows(pairs),
        None => Some(attrs::replica_groups(op).ok()?.groups),
    }
}

/// Gives messages the reasons of the remarks that were made at their places.
fn explain(messages: &mut [Message], remarks: &[Remark<'_>]) {
    let mut used = HashSet::new();
    for message in messages {
        let found = remarks.iter().enumerate().find(|(i, remark)| {
            !used.contains(i)
                && remark.text.starts_with(&message.collective)
                && location_text(remark.location) == message.location
        });
        if let Some((i, remark)) = found {
            used.insert(i);
            message.reason = Some(remark.text.clone());
        }
    }
}

/// Argument or result of the program.
struct Held {
    /// Type of the whole.
    ty: ValueType,
    /// `None`: every device has the whole.
    place: Option<ShardedTensor>,
}

impl Held {
    /// Bytes of a device's part.
    fn part(&self) -> i64 {
        let count = |place: &ShardedTensor| place.layout().slice_count().max(1);
        bytes_of(&self.ty) / self.place.as_ref().map_or(1, count)
    }

    fn json(&self) -> Value {
        let whole = self.ty.tensor().and_then(TensorType::static_shape);
        let slice = self
            .place
            .as_ref()
            .map(|place| place.shard_shape().to_vec());
        json!({
            "type": self.ty.to_string(),
            "layout": self.place.as_ref().map(|place| place.layout().to_string()),
            "slice": slice.or(whole).unwrap_or_default(),
            "bytes": self.part(),
            "whole_bytes": bytes_of(&self.ty),
        })
    }

    /// The axes of the layout, for the page.
    fn axes(&self) -> Value {
        let axes = self.place.as_ref().map(|place| {
            let layout = place.layout();
            json!({
                "sizes": layout.device_matrix().sizes(),
                "map": layout.tensor_map(),
                "ranks": layout.device_ids(),
            })
        });
        axes.into()
    }
}

/// Bytes of the whole of some arguments or results, and of a device's part of them.
fn bytes(held: &[Held]) -> [i64; 2] {
    let whole = held.iter().map(|held| bytes_of(&held.ty));
    [whole.sum(), held.iter().map(Held::part).sum()]
}

/// Answer to `--plan`.
struct Plan {
    function: String,
    devices: i64,
    arguments: Vec<Held>,
    results: Vec<Held>,
    /// Work of a device.
    done: Done,
    /// Multiplications and additions of the program on one device.
    whole_flops: f64,
}

/// Modelled times of a plan, in seconds.
struct Seconds {
    /// Messages, one after the other.
    sent: f64,
    /// Products, arguments and results, where that can be said.
    computed: Option<f64>,
    /// All of it where collectives run beside products.
    overlapped: Option<f64>,
}

impl Planning {
    /// Tells whether a program is given.
    pub(super) fn is_wanted(&self) -> bool {
        self.plan.is_some()
    }

    pub(super) fn run(
        &self,
        devices: i64,
        json: bool,
        html: Option<&Path>,
    ) -> anyhow::Result<ExitCode> {
        ensure!(devices >= 0, "there are no {devices} devices");
        let file = self.plan.as_deref().unwrap_or("-");
        let source = Source::read(file)?;
        let plan = source.parse(|_, module| {
            let module = Op::new(module.as_operation());
            let name = entry(&source, module, self.entry.as_deref())?;
            plan(module, name, devices, html.is_some())
        })?;
        if let Some(path) = html {
            let mut files = Files::default();
            files.write(path, self.page(&plan).as_bytes())?;
            files.commit()?;
        }
        if json {
            output::print_json(&self.json(&plan))?;
        } else {
            output::print(&self.text(&plan))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Seconds that a message takes once.
    fn seconds_of_one(&self, message: &Message) -> f64 {
        message.rounds as f64 * self.latency + message.bytes as f64 / self.bandwidth
    }

    /// Seconds that a message takes, all its times.
    fn seconds_of(&self, message: &Message) -> f64 {
        self.seconds_of_one(message) * message.times as f64
    }

    /// Models the time of a plan.
    fn seconds(&self, plan: &Plan) -> Seconds {
        let done = &plan.done;
        let sent = done.messages.iter();
        let sent = sent.fold(0.0, |sum, message| sum + self.seconds_of(message));
        let [arguments, results] = [bytes(&plan.arguments), bytes(&plan.results)];
        let moved = |of: usize| {
            let bytes = (arguments[of] + results[of]) as f64;
            self.memory_bandwidth.map_or(0.0, |rate| bytes / rate)
        };
        let (whole, part) = (moved(0), moved(1));
        let share = done.flops / plan.whole_flops;
        let of_one = self.one_device.filter(|_| plan.whole_flops > 0.0);
        let products = self
            .flop_rate
            .map(|rate| done.flops / rate)
            .or_else(|| of_one.map(|seconds| (seconds - whole).max(0.0) * share));
        // Arguments are read and results written beside nothing.
        let overlapped = products.map(|products| {
            let products = |flops: f64| products * flops / done.flops;
            let send = |message: usize| self.seconds_of_one(&done.messages[message]);
            part + elapsed(&done.steps, &products, &send)
        });
        Seconds {
            sent,
            computed: products.map(|products| products + part),
            overlapped,
        }
    }

    fn json(&self, plan: &Plan) -> Value {
        let Seconds {
            sent,
            computed,
            overlapped,
        } = self.seconds(plan);
        let messages = plan.done.messages.iter();
        let collectives: Vec<Value> = messages
            .map(|message| {
                json!({
                    "collective": message.collective,
                    "location": message.location,
                    "reason": message.reason,
                    "members": message.members,
                    "bytes": message.bytes,
                    "times": message.times,
                    "seconds": self.seconds_of(message),
                })
            })
            .collect();
        let (arguments, results) = (bytes(&plan.arguments), bytes(&plan.results));
        let of = |held: &[Held]| held.iter().map(Held::json).collect::<Value>();
        json!({
            "function": plan.function,
            "devices": plan.devices,
            "arguments": of(&plan.arguments),
            "results": of(&plan.results),
            "argument_bytes": arguments[1],
            "whole_argument_bytes": arguments[0],
            "result_bytes": results[1],
            "whole_result_bytes": results[0],
            "flops": plan.done.flops,
            "whole_flops": plan.whole_flops,
            "collectives": collectives,
            "sent_bytes": plan.sent(),
            "communication_seconds": sent,
            "computation_seconds": computed,
            "overlapped_seconds": overlapped,
            "unknown_loops": plan.done.unknown_loops,
        })
    }

    /// The plan as a page, on which devices, tensors and collectives are chosen.
    fn page(&self, plan: &Plan) -> String {
        let mut data = self.json(plan);
        data["most_drawn"] = json!(MOST_DRAWN);
        for (list, held) in [("arguments", &plan.arguments), ("results", &plan.results)] {
            for (i, held) in held.iter().enumerate() {
                data[list][i]["axes"] = held.axes();
            }
        }
        for (i, message) in plan.done.messages.iter().enumerate() {
            data["collectives"][i]["groups"] = json!(message.groups);
        }
        with_data(include_str!("plan.html"), &data)
    }

    fn text(&self, plan: &Plan) -> String {
        let mut out = format!("@{} on {} devices\n\n", plan.function, plan.devices);
        let mut line = |what: &str, value: String| {
            let _ = writeln!(out, "{what:<22}{value}");
        };
        let of = |[whole, part]: [i64; 2]| {
            let (whole, part) = (quantity(whole as f64), quantity(part as f64));
            format!("{part}B a device, {whole}B in all")
        };
        line("arguments", of(bytes(&plan.arguments)));
        line("results", of(bytes(&plan.results)));
        let (own, whole) = (quantity(plan.done.flops), quantity(plan.whole_flops));
        line(
            "products",
            format!("{own}flop a device, {whole}flop in all"),
        );
        let times: i64 = plan.done.messages.iter().map(|message| message.times).sum();
        let sent = quantity(plan.sent() as f64);
        line("collectives", format!("{times}, {sent}B a device"));
        let seconds = self.seconds(plan);
        let communication = seconds.sent;
        let (latency, bandwidth) = (self.latency * 1e6, quantity(self.bandwidth));
        line(
            "communication",
            format!("{communication:.6} s, at {latency} us a round and {bandwidth}B/s"),
        );
        if let (Some(computed), Some(overlapped)) = (seconds.computed, seconds.overlapped) {
            line("computation", format!("{computed:.6} s"));
            line("one by one", format!("{:.6} s", communication + computed));
            line("overlapped", format!("{overlapped:.6} s"));
        }
        if plan.done.unknown_loops {
            line(
                "loops",
                "a loop whose iterations are not known counts once".into(),
            );
        }
        if !plan.done.messages.is_empty() {
            let _ = writeln!(
                out,
                "\n{:>7} {:>8} {:>9} {:>12}  collective",
                "times", "members", "bytes", "seconds"
            );
        }
        for message in &plan.done.messages {
            let why = message.reason.as_deref().unwrap_or(&message.collective);
            let _ = writeln!(
                out,
                "{:>7} {:>8} {:>8}B {:>12.6}  {}: {why}",
                message.times,
                message.members,
                quantity(message.bytes as f64),
                self.seconds_of(message),
                message.location,
            );
        }
        out
    }
}

impl Plan {
    /// The bytes that a device sends, and receives as many.
    fn sent(&self) -> i64 {
        let messages = self.done.messages.iter();
        let each = messages.map(|message| message.bytes.saturating_mul(message.times));
        each.fold(0, i64::saturating_add)
    }
}

/// Three digits and a prefix of the SI.
fn quantity(number: f64) -> String {
    let mut rest = number;
    let mut prefixes = ["", "k", "M", "G", "T", "P", "E"].into_iter();
    let mut prefix = prefixes.next().unwrap_or_default();
    while rest >= 999.5 {
        let Some(next) = prefixes.next() else { break };
        (rest, prefix) = (rest / 1000.0, next);
    }
    let digits = match rest {
        _ if prefix.is_empty() || rest >= 99.95 => 0,
        _ if rest >= 9.995 => 1,
        _ => 2,
    };
    format!("{rest:.digits$} {prefix}")
}

fn plan(module: Op<'_>, name: String, devices: i64, is_drawn: bool) -> anyhow::Result<Plan> {
    let missing = || format!("there is no function @{name}");
    let function = find_function_in(module, &name).with_context(missing)?;
    inline_calls(module, function, MOST).map_err(rewritten)?;
    let body = function.body(0).with_context(missing)?;
    let types = |values: Vec<Val<'_>>| -> Vec<ValueType> {
        let types = values.into_iter().map(|value| value.r#type());
        types.map(ValueType::from_mlir).collect()
    };
    let arguments = types(op::arguments(body));
    let returned = op::ops(body).last().map(|end| end.operands());
    let results = types(returned.unwrap_or_default());
    let mut whole = Done::default();
    count(body, 1, false, &mut whole);
    let Partitioned { placement, remarks } = partition(module, function, devices, MOST)?;
    let mut done = Done::default();
    let function = find_function_in(module, &name).with_context(missing)?;
    hoist(function);
    let body = function.body(0);
    let is_drawn = is_drawn && placement.devices <= MOST_DRAWN;
    count(body.with_context(missing)?, 1, is_drawn, &mut done);
    explain(&mut done.messages, &remarks);
    let held = |types: Vec<ValueType>, places: Vec<Option<ShardedTensor>>| -> Vec<Held> {
        let pairs = types.into_iter().zip(places);
        pairs.map(|(ty, place)| Held { ty, place }).collect()
    };
    Ok(Plan {
        arguments: held(arguments, placement.inputs),
        results: held(results, placement.outputs),
        function: name,
        devices: placement.devices,
        done,
        whole_flops: whole.flops,
    })
}
