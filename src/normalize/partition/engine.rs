//! The walk over a block: each operation on slices, between the moves that it needs.

use super::{
    Partitioned, Placement, Remark, by_hand, combine, control,
    elements::Elements,
    local,
    names::Names,
    program::{Body, hands_on},
    rewrites, signature,
    sites::{Devices, Place, Site, fail, is_by_hand, open_dimensions, shape},
    slices::{element_bytes, slice_type, whole},
};
use crate::make::HloBuilder;
use mapwright_mlir::{
    Attr, Blk, Builder, Op, Val, diagnostic::Failure, edit, melior::ir::ValueLike, op,
};
use mapwright_ops::{
    Composer, attrs, library,
    registry::{self, Effect},
};
use mapwright_sharding::{
    DeviceMatrix, Digit, Layout, LayoutError, ShardedTensor,
    propagate::{Plans, Sharding, propagate},
};
use std::collections::{HashMap, HashSet};

/// A value of the program on whole tensors, as a device has it.
#[derive(Clone)]
pub(super) struct Held<'c> {
    /// The layout in which it was made.
    pub(super) has: Sharding,
    /// All layouts in which it is there; the first is that in which it was made.
    pub(super) versions: Vec<(Sharding, Val<'c>)>,
    /// Elements, if a device can make its own without those of others.
    elements: Option<Elements>,
}

/// Layouts that the values of a block are to have: those that were propagated, and of these the
/// ones that the program gives.
#[derive(Default)]
pub(super) struct Wishes {
    all: HashMap<usize, Sharding>,
    pub(super) given: HashSet<usize>,
}

pub(super) struct Engine<'c> {
    pub(super) devices: Devices,
    pub(super) matrix: DeviceMatrix,
    pub(super) held: HashMap<usize, Held<'c>>,
    /// Layouts that the program gives values.
    pub(super) given: HashMap<usize, Sharding>,
    pub(super) composer: Composer<'c>,
    /// The devices by position, where they do not simply count.
    pub(super) order: Option<Vec<i64>>,
    /// The position of the device, a scalar of 32 bits.
    pub(super) rank: Option<Val<'c>>,
    pub(super) remarks: Vec<Remark<'c>>,
    /// Changes of layout. Devices are apart along the digits of their numbers that computations by
    /// hand around the operation are written for.
    pub(super) plans: Plans,
    pub(super) channels: i64,
    /// The groups of devices that differ in some digits alone, as attributes.
    pub(super) groups: HashMap<Vec<Digit>, Attr<'c>>,
    names: Names<'c>,
}

impl<'c> Engine<'c> {
    pub(super) fn new(
        (module, function): (Op<'c>, Op<'c>),
        devices: Devices,
        matrix: DeviceMatrix,
        order: Option<Vec<i64>>,
        remarks: Vec<Remark<'c>>,
    ) -> Self {
        let used = module.descendants().into_iter().filter_map(|op| {
            op.attribute("channel_handle")?;
            Some(attrs::channel(op).ok()?.handle)
        });
        Self {
            channels: used.max().unwrap_or(0),
            devices,
            plans: Plans::new(matrix.clone()),
            matrix,
            held: HashMap::new(),
            given: HashMap::new(),
            composer: Composer::new(),
            order,
            rank: None,
            remarks,
            groups: HashMap::new(),
            names: Names::in_function(function),
        }
    }

    pub(super) fn remark(&mut self, at: Op<'c>, text: String) {
        let location = at.location();
        self.remarks.push(Remark { location, text });
    }

    /// The digits of a layout, in the order of the devices.
    pub(super) fn placed(&self, layout: &Layout) -> Result<Sharding, LayoutError> {
        let Some(order) = &self.order else {
            return Ok(Sharding::of_layout(layout)?.merged());
        };
        let is_whole = layout.slice_count() == 1 && layout.partial().is_empty();
        if layout.device_ids() != Some(order) && !is_whole {
            let why = format!("its devices are in another order than {order:?}, that of others");
            return Err(LayoutError::NoLayout(why));
        }
        let counted: Vec<i64> = (0..layout.device_count()).collect();
        let layout = layout.clone().with_device_ids(&counted)?;
        Ok(Sharding::of_layout(&layout)?.merged())
    }

    /// A layout of digits, on the devices that there are.
    fn layout(&self, sharding: &Sharding) -> Result<Layout, LayoutError> {
        let layout = sharding.to_layout(&self.matrix)?;
        match &self.order {
            Some(order) => layout.with_device_ids(order),
            None => Ok(layout),
        }
    }

    /// Puts the program of one device in the place of a function.
    pub(super) fn function(
        mut self,
        function: Op<'c>,
        sites: &[Site<'c>],
    ) -> Result<Partitioned<'c>, Failure> {
        let (Some(block), Some(b)) = (
            function.body(0),
            Builder::before(function.context(), function),
        ) else {
            let why = "a function that is partitioned has a body";
            return Err(Failure::at(function.location(), why));
        };
        let b = HloBuilder::from(b);
        let mut returned = Vec::new();
        for site in sites {
            let sharding = self.placed(&site.layout);
            let sharding = sharding.map_err(|e| fail(site.place, e))?;
            match (site.place, site.place.value()) {
                (Place::Returned(_, i), _) => returned.push((i, sharding)),
                (_, Some(value)) => {
                    self.given.insert(op::key(value), sharding);
                }
                _ => {}
            }
        }
        by_hand::borders(&mut self, function)?;
        let wishes = self.wishes(block, &returned, &[], function)?;
        let arguments = op::arguments(block);
        let inputs: Vec<Sharding> = arguments
            .iter()
            .map(|argument| {
                if self.given.contains_key(&op::key(*argument)) {
                    self.wish(&wishes, *argument)
                } else {
                    signature::along_axes(&self.wish(&wishes, *argument), &self.matrix)
                }
            })
            .collect();
        let types = arguments.iter().zip(&inputs);
        let types: Vec<_> = types
            .map(|(argument, has)| signature::ty(&b, *argument, has))
            .collect();
        // What it returns: the types of a device's slices, and how these lie.
        let (mut results, mut wanted) = (Vec::new(), Vec::new());
        let mut done = Ok(());
        let region = b.region(&types, |inner, values| {
            for ((argument, has), value) in arguments.iter().zip(&inputs).zip(values) {
                self.hold(*argument, has.clone(), *value);
            }
            let b = HloBuilder::from(Builder::new(
                inner.context(),
                inner.block(),
                function.location(),
            ));
            let rank = self.device_number(&b);
            done = self.block(&b, block, &wishes).and_then(|end| {
                let mut values = Vec::new();
                for (i, value) in end.operands().into_iter().enumerate() {
                    let wants = returned.iter().find(|(k, _)| *k == i);
                    let wants = wants.map(|(_, sharding)| sharding.clone());
                    let wants = wants.unwrap_or_else(|| {
                        let has = self.has(value);
                        let wish = self.wish(&wishes, value);
                        let kept = if has.partial.is_empty() { has } else { wish };
                        signature::along_axes(&kept, &self.matrix)
                    });
                    let given = self.get(&b, value, &wants, "the program returns it so", end)?;
                    values.push(given);
                    results.push(given.r#type());
                    wanted.push(wants);
                }
                b.set_location(end.location());
                b.op(end.name(), &values, &[], &[]);
                Ok(())
            });
            signature::erase_unused(&rank);
            // What is made again in each layout is seldom read as a whole.
            let all = op::ops(b.block()).into_iter();
            let all = all.flat_map(|op| std::iter::once(op).chain(op.descendants()));
            let again: Vec<Op<'c>> = all.filter(|op| Elements::from_op(*op).is_some()).collect();
            signature::erase_unused(&again);
            combine::all_reduces(b.block());
        });
        done?;
        let ends = op::ops(block).last().map(|end| end.operands());
        let sharded = |values: &[Val<'c>], layouts: &[Sharding]| -> Vec<Option<ShardedTensor>> {
            let pairs = values.iter().zip(layouts);
            pairs
                .map(|(value, has)| {
                    let layout = self.layout(has).ok()?;
                    layout.of_shape(&shape(*value).ok()?).ok()
                })
                .collect()
        };
        let partitioned = Partitioned {
            placement: Placement {
                devices: self.matrix.count(),
                inputs: sharded(&arguments, &inputs),
                outputs: sharded(&ends.unwrap_or_default(), &wanted),
            },
            remarks: std::mem::take(&mut self.remarks),
        };
        // The program changes now.
        drop(self.names);
        signature::replace(&b, function, region, &types, &results);
        Ok(partitioned)
    }

    /// The layouts that values of a block are to have. `outside` has values from outside of it with
    /// their layouts. Reads and updates at computed indices are rewritten where that sends less.
    pub(super) fn wishes(
        &mut self,
        block: Blk<'c>,
        returned: &[(usize, Sharding)],
        outside: &[(Val<'c>, Sharding)],
        at: Op<'c>,
    ) -> Result<Wishes, Failure> {
        let mut wishes = Wishes::default();
        let (body, found) = loop {
            let made = op::ops(block).into_iter().flat_map(|op| op.results());
            let own = op::arguments(block).into_iter().chain(made);
            let mut given: Vec<(Val<'c>, Sharding)> = own
                .filter_map(|value| Some((value, self.given.get(&op::key(value))?.clone())))
                .collect();
            wishes.given = given.iter().map(|(v, _)| op::key(*v)).collect();
            given.extend(outside.iter().cloned());
            let mut body = Body::new(block, self.matrix.clone(), given, returned.to_vec());
            for (value, of) in body.values.iter().zip(&mut body.program.values) {
                of.name = self.label(*value);
            }
            let found = propagate(&body.program, &mut self.plans)
                .map_err(|error| Failure::at(at.location(), &format!("shardings: {error}")))?;
            let mut all = body.operations.iter();
            if all.any(|op| rewrites::is_rewritten(*op)) {
                self.names.remember();
            }
            let rewritten = rewrites::rewrite(&body, &found, &mut self.plans);
            if rewritten.is_empty() {
                break (body, found);
            }
            self.names.renew();
            for (gone, new) in rewritten {
                if let Some(given) = self.given.remove(&gone) {
                    self.given.insert(op::key(new), given);
                }
            }
        };
        for (value, placed) in body.values.iter().zip(found.values) {
            if let Some(placed) = placed {
                let wish = placed.sharding.full().merged();
                wishes.all.insert(op::key(*value), wish);
            }
        }
        Ok(wishes)
    }

    /// The name of a value in messages.
    pub(super) fn label(&self, value: Val<'c>) -> String {
        self.names.label(value)
    }

    /// The layout that a value is to have: if nothing is known, every device has it as a whole.
    pub(super) fn wish(&self, wishes: &Wishes, value: Val<'c>) -> Sharding {
        let key = op::key(value);
        let given = self.given.get(&key).filter(|given| {
            // What it leaves open follows from the rest of the program.
            !given.partial.is_empty() || open_dimensions(value).is_empty()
        });
        let found = given.or_else(|| wishes.all.get(&key));
        let found = found.or_else(|| self.given.get(&key));
        found.cloned().unwrap_or_else(|| whole(value))
    }

    pub(super) fn hold(&mut self, value: Val<'c>, has: Sharding, made: Val<'c>) {
        let held = Held {
            versions: vec![(has.clone(), made)],
            has,
            elements: None,
        };
        self.held.insert(op::key(value), held);
    }

    /// The layout in which a value was made.
    pub(super) fn has(&self, value: Val<'c>) -> Sharding {
        let held = self.held.get(&op::key(value));
        held.map_or_else(|| whole(value), |held| held.has.clone())
    }

    /// A value in some layout.
    pub(super) fn get(
        &mut self,
        b: &HloBuilder<'c>,
        value: Val<'c>,
        wants: &Sharding,
        why: &str,
        at: Op<'c>,
    ) -> Result<Val<'c>, Failure> {
        let Some(held) = self.held.get(&op::key(value)).cloned() else {
            let what = format!("'{}' op reads a value that is not there yet", at.name());
            return Err(Failure::at(at.location(), &what));
        };
        let there = |wants: &Sharding| held.versions.iter().find(|(has, _)| has == wants);
        if let Some((_, made)) = there(wants) {
            return Ok(*made);
        }
        b.set_location(at.location());
        let made = match (&held.elements, slice_type(value, wants)) {
            (Some(elements), Some(ty)) if wants.partial.is_empty() => {
                elements.slice(b, &ty, wants, &|digits, size| self.number(b, digits, size))
            }
            _ => None,
        };
        let made = match made {
            Some(made) => made,
            None => {
                let from = self.cheapest(value, &held.versions, wants).clone();
                self.change(b, value, from, wants, why, at)?
            }
        };
        if let Some(held) = self.held.get_mut(&op::key(value)) {
            held.versions.push((wants.clone(), made));
        }
        Ok(made)
    }

    /// The version of a value from which another one costs least.
    fn cheapest<'v>(
        &mut self,
        value: Val<'c>,
        versions: &'v [(Sharding, Val<'c>)],
        wants: &Sharding,
    ) -> &'v (Sharding, Val<'c>) {
        let sizes = shape(value).unwrap_or_default();
        let bytes = |(has, _): &&(Sharding, Val<'c>)| {
            let bytes = self.plans.bytes(&sizes, element_bytes(value), has, wants);
            bytes.unwrap_or(i64::MAX)
        };
        let cheapest = versions.iter().min_by_key(bytes);
        cheapest.unwrap_or(&versions[0])
    }

    /// The other layouts in which a value is there.
    pub(super) fn others_of(&self, value: Val<'c>) -> Vec<Sharding> {
        let held = self.held.get(&op::key(value)).into_iter();
        let versions = held.flat_map(|held| held.versions.iter().skip(1));
        versions.map(|(has, _)| has.clone()).collect()
    }

    /// Divides all operations of a block but the last, which it returns.
    pub(super) fn block(
        &mut self,
        b: &HloBuilder<'c>,
        block: Blk<'c>,
        wishes: &Wishes,
    ) -> Result<Op<'c>, Failure> {
        let all = op::ops(block);
        let Some((end, rest)) = all.split_last() else {
            let owner = op::parent_of_block(block);
            return Err(match owner {
                Some(owner) => Failure::at(owner.location(), "a block is empty"),
                None => Failure::reported(),
            });
        };
        for operation in rest {
            self.operation(b, *operation, wishes)?;
        }
        Ok(*end)
    }

    fn operation(
        &mut self,
        b: &HloBuilder<'c>,
        op: Op<'c>,
        wishes: &Wishes,
    ) -> Result<(), Failure> {
        b.set_location(op.location());
        if hands_on(op) {
            return self.hand_on(b, op, wishes);
        }
        if is_by_hand(op) {
            return by_hand::by_hand(self, b, op);
        }
        // Along no other axes there is anything to split.
        let is_alone = !self.plans.apart.is_empty() && self.others().is_empty();
        if is_alone && !op.descendants().into_iter().any(is_by_hand) {
            return self.as_whole(b, op);
        }
        let def = registry::lookup(op);
        let casts = library::meaning(op) == Some(library::Meaning::PartitionCast);
        let for_one = def.is_some_and(|def| def.across_replicas) || op.is_hlo("partition_id");
        if for_one && !self.plans.apart.is_empty() {
            return by_hand::written_for_one(self, b, op);
        }
        if for_one || casts {
            let what = format!(
                "'{}' op is written for one device, and stands in the program of all of them",
                op.name()
            );
            return Err(Failure::at(op.location(), &what));
        }
        if def.is_some_and(|def| def.runs_regions) && op.num_regions() > 0 {
            return control::regions(self, b, op, wishes);
        }
        if self.shifted(b, op)? {
            return Ok(());
        }
        if (registry::is_function(op) || library::states_batch(op))
            && self.divided(b, op, wishes)?
        {
            return Ok(());
        }
        if library::is_of_each_device(op) {
            return self.by_each(b, op);
        }
        self.as_whole(b, op)
    }

    /// Every device does the operation with what it has of the operands.
    fn by_each(&mut self, b: &HloBuilder<'c>, op: Op<'c>) -> Result<(), Failure> {
        let mut map = HashMap::new();
        for value in local::reads(op) {
            if self.held.contains_key(&op::key(value)) {
                let has = self.has(value).full();
                let why = "each device hands over its part";
                map.insert(op::key(value), self.get(b, value, &has, why, op)?);
            }
        }
        b.set_location(op.location());
        let copy = edit::clone(op, &map);
        edit::append(b.block(), copy);
        for (value, made) in op.results().into_iter().zip(copy.results()) {
            self.hold(value, whole(value), made);
        }
        Ok(())
    }

    /// An operation that only says where its operand is.
    fn hand_on(&mut self, b: &HloBuilder<'c>, op: Op<'c>, wishes: &Wishes) -> Result<(), Failure> {
        let (operand, result) = (op.operand(0), op.result(0));
        let Some(mut held) = self.held.get(&op::key(operand)).cloned() else {
            return Ok(());
        };
        if wishes.given.contains(&op::key(result)) {
            let wants = self.wish(wishes, result);
            let made = self.get(b, operand, &wants, "the program wants it so", op)?;
            held.has = wants.clone();
            held.versions.retain(|(has, _)| *has != wants);
            held.versions.insert(0, (wants, made));
        }
        self.held.insert(op::key(result), held);
        Ok(())
    }

    /// Every device computes the operation on whole operands.
    pub(super) fn as_whole(&mut self, b: &HloBuilder<'c>, op: Op<'c>) -> Result<(), Failure> {
        let why = format!("{} is computed as a whole by every device", op.name());
        let mut map = HashMap::new();
        let reads = local::reads(op);
        if reads
            .iter()
            .any(|value| self.has(*value).full() != whole(*value))
        {
            self.remark(op, why.clone());
        }
        for value in reads {
            if self.held.contains_key(&op::key(value)) {
                let made = self.get(b, value, &whole(value), &why, op)?;
                map.insert(op::key(value), made);
            }
        }
        b.set_location(op.location());
        let acts = registry::lookup(op).is_some_and(|def| def.effect == Effect::Acts);
        let several = !self.others().is_empty();
        let once = if several && control::calls_out(op) {
            control::once(self, b, op, &map)
        } else {
            None
        };
        // Numbers that devices draw are not the same ones.
        let draws = once.is_some() || several && acts && !control::calls_out(op);
        let copy = once.unwrap_or_else(|| {
            let copy = edit::clone(op, &map);
            edit::append(b.block(), copy);
            copy
        });
        for (value, made) in op.results().into_iter().zip(copy.results()) {
            let made = if draws && shape(value).is_ok() {
                self.broadcast(b, made, op)
            } else {
                made
            };
            self.hold(value, whole(value), made);
            if let Some(held) = self.held.get_mut(&op::key(value)) {
                held.elements = Elements::from_op(op);
            }
        }
        Ok(())
    }
}
