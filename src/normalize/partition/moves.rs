//! Changes of layout as operations: the steps of a plan become collectives and slices.

use super::engine::Engine;
use super::program::KINDS;
use super::sites::shape;
use super::slices::{element_bytes, slice_type, whole};
use crate::hlo::neutral_literal;
use crate::make::{HloBuilder, own};
use mapwright_mlir::{
    Attr, ElementType, Op, TensorType, Val, attr::Dense, diagnostic::Failure, op,
};
use mapwright_ops::reduction::combination::Combination;
use mapwright_sharding::{
    Collective, Reduction, Step,
    digits::Digit,
    propagate::{Sharding, digit_name},
};

/// Returns the combination of operations for one of layouts, and the operation of two elements.
fn combining(by: Reduction) -> (Combination, &'static str) {
    let mut kinds = KINDS.into_iter();
    let found = kinds.find(|(_, other, _)| *other == by);
    found.map_or((Combination::Sum, "add"), |(what, _, name)| (what, name))
}

/// The devices that differ in some digits alone, in the order of these digits; all such groups.
fn groups(digits: &[Digit], devices: i64) -> Vec<Vec<i64>> {
    let members = |first: i64| {
        digits.iter().fold(vec![first], |all, digit| {
            let each = all.into_iter();
            each.flat_map(|at| (0..digit.size).map(move |k| at + k * digit.stride))
                .collect()
        })
    };
    let firsts = (0..devices).filter(|at| digits.iter().all(|digit| digit.value_of(*at) == 0));
    firsts.map(members).collect()
}

/// The device at a position in the order of the devices.
fn device_at(order: &Option<Vec<i64>>, position: i64) -> i64 {
    let listed = order
        .as_ref()
        .and_then(|order| order.get(position as usize));
    listed.copied().unwrap_or(position)
}

/// A list of lists as an attribute.
fn rows<'c>(b: &HloBuilder<'c>, rows: &[Vec<i64>]) -> Attr<'c> {
    let (count, length) = (rows.len(), rows.first().map_or(0, Vec::len));
    b.parse_attr(&format!("dense<{rows:?}> : tensor<{count}x{length}xi64>"))
}

impl<'c> Engine<'c> {
    /// The number of the device; nothing else may come before it in the function. The operations
    /// that make it.
    pub(super) fn device_number(&mut self, b: &HloBuilder<'c>) -> Vec<Op<'c>> {
        let scalar = |element| TensorType::new(element, &[]);
        let number = b.several(
            "stablehlo.partition_id",
            &[],
            &[scalar(ElementType::uint(32))],
            &[],
        );
        let to = scalar(ElementType::int(32));
        let signless = b.several("stablehlo.convert", &[number.result(0)], &[to], &[]);
        let Some(order) = &self.order else {
            self.rank = Some(signless.result(0));
            return vec![signless, number];
        };
        // The position of each device in the order.
        let mut positions = vec![0; order.len()];
        for (position, device) in (0..).zip(order) {
            if let Some(place) = usize::try_from(*device)
                .ok()
                .and_then(|d| positions.get_mut(d))
            {
                *place = position;
            }
        }
        let list = TensorType::new(ElementType::int(32), &[order.len() as i64]);
        let list = b.constant(&format!("{positions:?}"), &list);
        let own = b.slice_at(list, &[signless.result(0)], &[1]);
        self.rank = Some(b.reshape(own, &TensorType::new(ElementType::int(32), &[])));
        Vec::new()
    }

    /// The number that digits of the device's number give, times `step`; a scalar.
    pub(super) fn number(&self, b: &HloBuilder<'c>, digits: &[Digit], step: i64) -> Val<'c> {
        let scalar = TensorType::new(ElementType::int(32), &[]);
        let constant = |n: i64| b.constant(&n.to_string(), &scalar);
        let mut sum: Option<Val<'c>> = None;
        let mut weight = step;
        for digit in digits.iter().rev() {
            let Some(mut term) = self.rank else { break };
            if digit.stride > 1 {
                term = b.binary("divide", term, constant(digit.stride));
            }
            if digit.end() < self.matrix.count() {
                term = b.binary("remainder", term, constant(digit.size));
            }
            if weight != 1 {
                term = b.binary("multiply", term, constant(weight));
            }
            weight *= digit.size;
            sum = Some(sum.map_or(term, |sum| b.binary("add", sum, term)));
        }
        sum.unwrap_or_else(|| constant(0))
    }

    /// A value that is there in one layout, in another.
    pub(super) fn change(
        &mut self,
        b: &HloBuilder<'c>,
        value: Val<'c>,
        (from, made): (Sharding, Val<'c>),
        to: &Sharding,
        why: &str,
        at: Op<'c>,
    ) -> Result<Val<'c>, Failure> {
        let devices = self.matrix.clone();
        let name = self.label(value);
        let wrong = |reason: String| {
            let (from, to) = (from.text(&devices), to.text(&devices));
            let what = format!("{name} cannot be brought from {from} to {to}: {reason}");
            Failure::at(at.location(), &what)
        };
        let sizes = shape(value).map_err(wrong)?;
        let ty = slice_type(value, to).ok_or_else(|| wrong("it is no tensor".into()))?;
        if sizes.contains(&0) {
            return Ok(b.constant("", &ty));
        }
        // Partial results that are there already stay. What devices have slices of, each of them
        // has with what changes nothing around it; of what they all have as a whole the first
        // device of each group has it, and the others what changes nothing.
        let new = to
            .partial
            .iter()
            .filter(|part| !from.partial.contains(part));
        let new: Vec<(Digit, Reduction)> = new.copied().collect();
        if let Some((_, kind)) = new.first() {
            let literal = neutral_literal(combining(*kind).0, &ty.element);
            let literal = literal.filter(|_| new.iter().all(|(_, other)| other == kind));
            let literal = literal.ok_or_else(|| wrong("nothing is neutral in it".into()))?;
            let neutral = || b.constant(&literal, &ty);
            let mut digits: Vec<Digit> = new.iter().map(|(digit, _)| *digit).collect();
            let slices: Option<Vec<&[Digit]>> = (from.dims.iter().zip(&to.dims))
                .map(|(has, wants)| has.strip_prefix(wants.as_slice()))
                .collect();
            let slices = slices.filter(|slices| slices.concat().iter().all(|d| digits.contains(d)));
            let before = Sharding {
                dims: slices.as_ref().map_or(&to.dims, |_| &from.dims).clone(),
                partial: to
                    .partial
                    .iter()
                    .filter(|part| !new.contains(part))
                    .copied()
                    .collect(),
            };
            let mut made = self.get(b, value, &before, why, at)?;
            if let Some(slices) = slices.filter(|slices| !slices.concat().is_empty()) {
                let sizes = own(made).static_shape().unwrap_or_default();
                let starts = slices.iter().zip(&sizes);
                let starts: Vec<Val<'c>> = starts
                    .map(|(digits, size)| self.number(b, digits, *size))
                    .collect();
                made = b.with_part(neutral(), made, &starts);
                digits.retain(|digit| !slices.concat().contains(digit));
            }
            if digits.is_empty() {
                return Ok(made);
            }
            let zero = b.constant("0", &TensorType::new(ElementType::int(32), &[]));
            let is_first = b.compare("EQ", self.number(b, &digits, 1), zero);
            return Ok(b.choose(is_first, made, neutral()));
        }
        let plans = self.plans.between(&sizes, element_bytes(value), &from, to);
        let plans = plans.map_err(|error| wrong(error.to_string()))?;
        let kind = from
            .partial
            .first()
            .map_or(Reduction::Sum, |(_, kind)| *kind);
        let mut made = made;
        for step in plans.iter().flat_map(|plan| plan.steps()) {
            made = self.step(b, made, step, kind);
            if step.collective != Collective::Slice {
                let axes: Vec<String> =
                    step.axes.iter().map(|d| digit_name(&devices, *d)).collect();
                let text = format!(
                    "{} of {} along {}, {} bytes for each device: {why}",
                    step.collective,
                    name,
                    axes.join(", "),
                    step.bytes
                );
                self.remark(at, text);
            }
        }
        Ok(made)
    }

    /// The attributes of a collective between partitions.
    fn across(&mut self, b: &HloBuilder<'c>) -> Attr<'c> {
        self.channels += 1;
        let handle = self.channels;
        b.parse_attr(&format!(
            "#stablehlo.channel_handle<handle = {handle}, type = 1>"
        ))
    }

    /// The groups of devices that differ in some digits alone, as an attribute.
    fn in_groups(&mut self, b: &HloBuilder<'c>, digits: &[Digit]) -> (&'static str, Attr<'c>) {
        let (order, devices) = (&self.order, self.matrix.count());
        let made = self.groups.entry(digits.to_vec()).or_insert_with(|| {
            let groups = groups(digits, devices).into_iter();
            let in_order = |group: Vec<i64>| group.into_iter().map(|at| device_at(order, at));
            let groups: Vec<Vec<i64>> = groups.map(|group| in_order(group).collect()).collect();
            rows(b, &groups)
        });
        ("replica_groups", *made)
    }

    fn step(&mut self, b: &HloBuilder<'c>, value: Val<'c>, step: &Step, by: Reduction) -> Val<'c> {
        let has = own(value);
        let sizes = has.static_shape().unwrap_or_default();
        let parts = |dims: &[Vec<Digit>]| -> Vec<i64> {
            let of = |digits: &Vec<Digit>| digits.iter().map(|d| d.size).product();
            dims.iter().map(of).collect()
        };
        let (before, after) = (parts(step.before()), parts(step.after()));
        let to: Vec<i64> = (sizes.iter().zip(before.iter().zip(&after)))
            .map(|(size, (before, after))| size * before / after)
            .collect();
        let to = TensorType::new(has.element.clone(), &to);
        // The digits of one list that another does not have: the minor ones.
        let minor = |longer: &[Vec<Digit>], shorter: &[Vec<Digit>], dim: Option<usize>| {
            let dim = dim.unwrap_or_default();
            let keep = shorter.get(dim).map_or(0, Vec::len);
            let list = longer
                .get(dim)
                .map(|digits| digits[keep.min(digits.len())..].to_vec());
            list.unwrap_or_default()
        };
        let channel = |engine: &mut Self| ("channel_handle", engine.across(b));
        let global = ("use_global_device_ids", b.unit_attr());
        let dim = |name: &'static str, dim: Option<usize>| {
            (name, b.i64_attr(dim.unwrap_or_default() as i64))
        };
        let order = self.order.clone();
        let device = |position: i64| device_at(&order, position);
        let reduction = || b.pair_by_pair(combining(by).1, std::slice::from_ref(&has.element));
        match step.collective {
            Collective::Slice => {
                let sizes = to.static_shape().unwrap_or_default();
                let starts: Vec<Val<'c>> = (0..sizes.len())
                    .map(|d| {
                        let own = minor(step.after(), step.before(), Some(d));
                        self.number(b, &own, sizes[d])
                    })
                    .collect();
                b.slice_at(value, &starts, &sizes)
            }
            Collective::AllGather => {
                let digits = minor(step.before(), step.after(), step.from_dim);
                let attributes = [
                    dim("all_gather_dim", step.from_dim),
                    self.in_groups(b, &digits),
                    channel(self),
                    global,
                ];
                b.operation("stablehlo.all_gather", &[value], &to, &attributes)
            }
            Collective::AllToAll => {
                let digits = minor(step.before(), step.after(), step.from_dim);
                let count: i64 = digits.iter().map(|d| d.size).product();
                let attributes = [
                    dim("split_dimension", step.to_dim),
                    dim("concat_dimension", step.from_dim),
                    ("split_count", b.i64_attr(count)),
                    self.in_groups(b, &digits),
                    channel(self),
                ];
                b.operation("stablehlo.all_to_all", &[value], &to, &attributes)
            }
            Collective::ReduceScatter => {
                let digits = minor(step.after(), step.before(), step.to_dim);
                let attributes = [
                    dim("scatter_dimension", step.to_dim),
                    self.in_groups(b, &digits),
                    channel(self),
                    global,
                ];
                let name = "stablehlo.reduce_scatter";
                b.op_with_regions(name, &[value], &[b.ty(&to)], &attributes, vec![reduction()])
                    .result(0)
            }
            Collective::AllReduce => {
                let attributes = [self.in_groups(b, &step.combined()), channel(self), global];
                let name = "stablehlo.all_reduce";
                b.op_with_regions(name, &[value], &[b.ty(&to)], &attributes, vec![reduction()])
                    .result(0)
            }
            Collective::CollectivePermute => {
                let each = step.transfers.iter().zip(0..);
                let pairs: Vec<Vec<i64>> = each
                    .filter_map(|(from, rank)| Some(vec![device(from.first()?.from), device(rank)]))
                    .collect();
                self.permuted(b, value, &pairs)
            }
            // Plans of collectives have neither direct sends nor plans inside.
            Collective::Nothing | Collective::Sequence | Collective::PointToPoint => value,
        }
    }

    /// Sends a value between pairs of devices.
    pub(super) fn permuted(
        &mut self,
        b: &HloBuilder<'c>,
        value: Val<'c>,
        pairs: &[Vec<i64>],
    ) -> Val<'c> {
        let attributes = [
            ("source_target_pairs", rows(b, pairs)),
            ("channel_handle", self.across(b)),
        ];
        let to = own(value);
        b.operation("stablehlo.collective_permute", &[value], &to, &attributes)
    }

    /// Gives all devices the value of the one at the first position; in a computation by hand those
    /// with the same place along its axes.
    pub(super) fn broadcast(&mut self, b: &HloBuilder<'c>, value: Val<'c>, at: Op<'c>) -> Val<'c> {
        let others = self.others();
        let attributes = [
            self.in_groups(b, &others),
            ("channel_handle", self.across(b)),
        ];
        self.remark(
            at,
            format!(
                "collective-broadcast of what {} gives the first device",
                at.name()
            ),
        );
        b.operation(
            "stablehlo.collective_broadcast",
            &[value],
            &own(value),
            &attributes,
        )
    }

    /// Moves the parts of a value on by some places, if that is what a `pad` does and each device
    /// has one part: a collective-permute.
    ///
    /// # Errors
    /// The operand cannot be brought into its layout.
    pub(super) fn shifted(&mut self, b: &HloBuilder<'c>, op: Op<'c>) -> Result<bool, Failure> {
        if !op.is_hlo("pad") {
            return Ok(false);
        }
        let lists = ["edge_padding_low", "edge_padding_high", "interior_padding"];
        let [low, high, interior] = lists.map(|name| op.ints(name).unwrap_or_default());
        let sides = low.iter().zip(&high).enumerate();
        let mut moved = sides.filter(|(_, sides)| *sides != (&0, &0));
        let (Some((dim, (by, back))), None) = (moved.next(), moved.next()) else {
            return Ok(false);
        };
        let (value, has) = (op.operand(0), self.has(op.operand(0)));
        let ty = own(value);
        let digits = has.dims.get(dim).cloned().unwrap_or_default();
        let parts: i64 = digits.iter().map(|digit| digit.size).product();
        let is_whole = ty.static_shape().is_some_and(|sizes| sizes[dim] == parts);
        let is_shift = *by == -back && interior.iter().all(|n| *n == 0);
        if !is_shift || !is_whole || digits.is_empty() || !has.partial.is_empty() {
            return Ok(false);
        }
        let own_part = self.get(b, value, &has, "it is moved on", op)?;
        let mut pairs = Vec::new();
        for group in groups(&digits, self.matrix.count()) {
            let device = |place: i64| {
                let position = group.get(usize::try_from(place).ok()?)?;
                Some(device_at(&self.order, *position))
            };
            let to = (0..parts).map(|place| Some(vec![device(place - by)?, device(place)?]));
            pairs.extend(to.flatten());
        }
        let moved = self.permuted(b, own_part, &pairs);
        let sizes = own(own_part).static_shape().unwrap_or_default();
        let bytes = sizes.iter().product::<i64>() * element_bytes(value);
        let axes: Vec<String> = digits
            .iter()
            .map(|d| digit_name(&self.matrix, *d))
            .collect();
        let text = format!(
            "collective-permute of {} along {}, {bytes} bytes for each device: {} moves the parts on",
            self.label(value),
            axes.join(", "),
            op.name()
        );
        self.remark(op, text);
        // Those that nothing is sent to get zeros.
        let padding = op.operand(1);
        let constant = op::defining_op(padding).and_then(|(op, _)| op.attribute("value"));
        let splat = constant.and_then(Dense::splat_of);
        let made = if splat.is_some_and(|splat| splat.data.iter().all(|byte| *byte == 0)) {
            moved
        } else {
            let padding = self.get(b, padding, &whole(padding), "it pads", op)?;
            let place = self.number(b, &digits, 1);
            let border = if *by > 0 { *by } else { parts + by };
            let border = b.constant(&border.to_string(), &own(place));
            let order = if *by > 0 { "GE" } else { "LT" };
            let is_inside = b.compare(order, place, border);
            let beside = b.broadcast(padding, &own(moved), &[]);
            b.choose(is_inside, moved, beside)
        };
        self.hold(op.result(0), has, made);
        Ok(true)
    }
}
