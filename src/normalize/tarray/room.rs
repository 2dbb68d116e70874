//! How much room the buffers of arrays have, and what crosses the borders of functions.

use super::{
    Packing,
    form::{Form, levels, number, parts_of},
    make::Make,
};
use crate::rewrite::Result;
use mapwright_indexing::Extent;
use mapwright_mlir::{ElementType, Op, UNBOUNDED, Val, ValueType, melior::ir::ValueLike};

impl<'c> Make<'c> {
    /// The room for elements of a level, as a size.
    pub(super) fn room_at(&self, array: &Form<'c>, level: usize) -> Extent {
        self.room_in(&array.parts, level)
    }

    /// Returns the room of a level from the parts of an array, or from what crosses the border of a
    /// function: the offsets of the level below come third, behind two other parts.
    fn room_in(&self, parts: &[Val<'c>], level: usize) -> Extent {
        match parts.get(level + 2) {
            Some(offsets) => self.type_of(*offsets).1[0] - 1,
            None => self.type_of(parts[0]).1[0],
        }
    }

    /// Returns the number of elements of a level, as a scalar.
    pub(super) fn count_at(&self, array: &Form<'c>, level: usize) -> Val<'c> {
        let room = self.room_at(array, level);
        match level {
            0 => array.parts[1],
            _ if !self.is_room(room) => self.scalar(room),
            level => self.last(array.parts[level + 1]),
        }
    }

    /// The last number of a vector that has one.
    pub(super) fn last(&self, vector: Val<'c>) -> Val<'c> {
        let last = self.type_of(vector).1[0] - 1;
        if last.is_run_time() {
            self.reshape(
                self.size_rows_from(vector, self.scalar(last), Extent::ONE),
                &[],
            )
        } else {
            self.first(vector, last)
        }
    }

    /// A buffer as one that may have more rows than are there.
    pub(super) fn roomy(&self, buffer: Val<'c>) -> Val<'c> {
        let (_, mut sizes) = self.type_of(buffer);
        if self.is_room(sizes[0]) {
            return buffer;
        }
        sizes[0] = self.as_room(sizes[0]);
        let again = (self.b).op1("tensor.cast", &[buffer], buffer.r#type(), &[]);
        self.sized(again, &sizes)
    }

    /// The array with what is there, and no room for more.
    pub(super) fn tight(&self, array: &Form<'c>) -> Form<'c> {
        let mut array = array.clone();
        let depth = match array.ty {
            ValueType::Array { .. } => array.parts.len() - 1,
            _ => 0,
        };
        for level in 0..depth {
            let (part, more) = if level + 1 < depth {
                (level + 2, 1)
            } else {
                (0, 0)
            };
            if self.is_room(self.room_at(&array, level)) {
                let n = self.size_of(self.count_at(&array, level)) + more;
                array.parts[part] = self.size_rows_from(array.parts[part], self.int(0), n);
            }
        }
        array
    }

    /// The array with the room that arrays of its type have; an element of others keeps its own,
    /// which is that of all elements, and a list of an array that is what is there is so, too.
    pub(super) fn with_room(&self, array: &Form<'c>) -> Form<'c> {
        if self.sizes.inside.get() > 0 {
            return array.clone();
        }
        match self.packing.room(&array.ty) {
            Some(_) if !self.sizes.in_round.get() => self.settled(array, self.packing),
            _ => self.tight(array),
        }
    }

    /// Runs `inner` for one of `rounds` rounds.
    pub(super) fn in_round<T>(&self, rounds: Extent, inner: impl FnOnce() -> T) -> T {
        let before = self.sizes.in_round.get();
        self.sizes.in_round.set(before || rounds.is_run_time());
        let outcome = inner();
        self.sizes.in_round.set(before);
        outcome
    }

    /// The array with the room that it has where no more is known of it than its type.
    pub(super) fn settled(&self, array: &Form<'c>, packing: Packing) -> Form<'c> {
        if !matches!(array.ty, ValueType::Array { .. }) {
            return array.clone();
        }
        let Some(room) = packing.room(&array.ty) else {
            let mut array = self.tight(array);
            let types = parts_of(&array.ty, packing).unwrap_or_default();
            for (part, ty) in array.parts.iter_mut().zip(types) {
                *part = self.cast(*part, self.b.parse_type(&ty.to_string()));
            }
            return array;
        };
        let mut array = array.clone();
        for (level, room) in room.iter().enumerate() {
            let own = self.room_at(&array, level);
            if !own.is_run_time() {
                continue;
            }
            match array.parts.get(level + 2).copied() {
                Some(offsets) => {
                    let last = self.spread(self.last(offsets), &[*room + 1]);
                    array.parts[level + 2] = self.with_rows(last, self.int(0), offsets);
                }
                None => {
                    let (element, mut shape) = self.type_of(array.parts[0]);
                    shape[0] = *room;
                    let zeros = self.zeros(&element, &shape);
                    array.parts[0] = if *room == 0 {
                        zeros
                    } else {
                        self.with_rows(zeros, self.int(0), array.parts[0])
                    };
                }
            }
        }
        array
    }

    /// An array without elements of this type, whose leaves have these sizes; it may get any room.
    pub(super) fn none_of(
        &self,
        element: &ValueType,
        leaf: &ElementType,
        own: &[Extent],
    ) -> Form<'c> {
        let ty = ValueType::Array {
            element: Box::new(element.clone()),
            max: UNBOUNDED,
        };
        let leaves = self.zeros(leaf, &[&[Extent::ZERO], own].concat());
        let types = parts_of(&ty, Packing::Always).unwrap_or_default();
        let mut form = self.empty(ty, leaves, 1);
        for (part, ty) in form.parts.iter_mut().zip(types) {
            *part = self.cast(*part, self.b.parse_type(&ty.to_string()));
        }
        form
    }

    /// The array of one list.
    pub(super) fn alone(&self, list: &Form<'c>) -> Form<'c> {
        let list = self.tight(list);
        let length = self.reshape(list.parts[1], &[Extent::ONE]);
        let offsets = self.concatenate(&[self.ints(&[0]), length], 0);
        let front = [list.parts[0], self.int(1), offsets];
        Form {
            parts: [&front[..], &list.parts[2..]].concat(),
            ty: ValueType::Array {
                element: Box::new(list.ty),
                max: 1,
            },
        }
    }

    /// The parts of an array that grows, with the elements of another behind it, which has no room
    /// for more. Its buffers have room for more elements, which [`Make::closed`] cuts off: where
    /// there is none they become twice as long, so that no element is copied more than a few times.
    pub(super) fn appended(
        &self,
        op: Op<'c>,
        all: &Form<'c>,
        one: &Form<'c>,
    ) -> Result<'c, Vec<Val<'c>>> {
        let mut parts = vec![all.parts[0], self.add(all.parts[1], one.parts[1])];
        let mut there = all.parts[1];
        for (front, back) in all.parts.iter().zip(&one.parts).skip(2) {
            let end = self.row(*front, there);
            let ends = self.rest(*back, 1);
            let (_, n) = self.type_of(ends);
            let ends = self.add(ends, self.spread(end, &n));
            parts.push(self.grown(op, *front, self.add(there, self.int(1)), ends)?);
            there = end;
        }
        parts[0] = self.grown(op, all.parts[0], there, one.parts[0])?;
        Ok(parts)
    }

    /// `rows` in a buffer from row `begin` on, behind which nothing of it is needed.
    fn grown(
        &self,
        op: Op<'c>,
        buffer: Val<'c>,
        begin: Val<'c>,
        rows: Val<'c>,
    ) -> Result<'c, Val<'c>> {
        let (element, own) = self.type_of(buffer);
        let end = self.add(begin, self.scalar(self.type_of(rows).1[0]));
        // A loop of one round or none: what it leaves as it is, is not copied.
        let lacks = self.compare("LT", self.scalar(own[0]), end);
        let lacks = self.convert(lacks, &number());
        let longer = self.repeat_changing(op, lacks, &[buffer], |_, state| {
            let (_, mut sizes) = self.type_of(state[0]);
            let room = self.max(self.scalar(sizes[0] * 2), end);
            sizes[0] = self.size_of(room);
            let more = self.unread(&element, &sizes);
            Ok(vec![self.with_rows(more, self.int(0), state[0])])
        })?;
        Ok(self.with_rows(longer[0], begin, rows))
    }

    /// An array that grew, with what is there.
    pub(super) fn closed(&self, array: &Form<'c>) -> Form<'c> {
        let mut array = array.clone();
        let mut there = array.parts[1];
        for part in array.parts.iter_mut().skip(2) {
            let end = self.row(*part, there);
            let n = self.size_of(self.add(there, self.int(1)));
            *part = self.size_rows_from(*part, self.int(0), n);
            there = end;
        }
        array.parts[0] = self.rows_from(array.parts[0], self.int(0), there);
        array
    }

    /// All numbers of a vector but for one, from the number `begin` on, which is 0 or 1.
    pub(super) fn rest(&self, vector: Val<'c>, begin: i64) -> Val<'c> {
        let n = self.type_of(vector).1[0] - 1;
        if n.is_run_time() {
            self.size_rows_from(vector, self.int(begin), n)
        } else {
            self.slice(vector, 0, (begin, 1, n + begin))
        }
    }

    /// The lengths of lists from their offsets.
    pub(super) fn lengths(&self, offsets: Val<'c>) -> Val<'c> {
        self.sub(self.rest(offsets, 1), self.rest(offsets, 0))
    }

    /// An array from a buffer and offsets. What is not well-formed is brought into the range: no
    /// list has less than none or more than the most elements, and lists lie one behind the other.
    pub(super) fn made_of_offsets(&self, ty: ValueType, values: &[Val<'c>]) -> Form<'c> {
        let (max, _) = levels(&ty);
        let mut parts = vec![values[0]];
        let mut lists = self.int(1);
        for (level, greatest) in max.iter().enumerate() {
            let lengths = self.lengths(values[level + 1]);
            let n = self.type_of(lengths).1[0];
            let zeros = self.zeros(&number(), &[n]);
            let most = self.spread(self.int(*greatest), &[n]);
            let lengths = self.clamp(zeros, lengths, most);
            let is_there = self.compare("LT", self.iota(&[n], 0), self.spread(lists, &[n]));
            let lengths = self.select(is_there, lengths, zeros);
            let below = self.room_in(values, level);
            let within = |ends: Val<'c>| {
                if below.is_run_time() {
                    self.min(ends, self.spread(self.scalar(below), &self.type_of(ends).1))
                } else {
                    ends
                }
            };
            if level == 0 {
                lists = within(self.reshape(lengths, &[]));
                parts.push(lists);
            } else {
                let sums = within(self.offsets_of(lengths).0);
                lists = self.last(sums);
                parts.push(sums);
            }
        }
        Form { ty, parts }
    }

    /// A value from what crosses the border of a function: of an array what is there, so that its
    /// lengths are known from the sizes of its parts. What is not well-formed is an error of the
    /// call.
    pub(super) fn read(&self, ty: ValueType, values: &[Val<'c>]) -> Form<'c> {
        if !matches!(ty, ValueType::Array { .. }) {
            return Form {
                ty,
                parts: values.to_vec(),
            };
        }
        if self.packing.at_border().room(&ty).is_some() {
            return self.made_of_offsets(ty, values);
        }
        let (max, _) = levels(&ty);
        let mut parts = vec![values[0]];
        for (level, most) in max.iter().enumerate() {
            let offsets = values[level + 1];
            let n = self.scalar(self.room_in(values, level));
            let said = |what: &str| format!("offsets {level} of an array {what}");
            let has = self.type_of(offsets).1[0];
            if has.is_run_time() {
                self.require(
                    "GE",
                    has,
                    Extent::ONE,
                    &said("are {0}, where there is one at least"),
                );
            }
            let first = self.first(offsets, 0);
            let zero = self.int(0);
            self.require_of("EQ", [first, zero], &said("begin with {0}, not with 0"));
            let end = said("end with {0}, where there are {1} elements");
            self.require_of("EQ", [self.last(offsets), n], &end);
            // The only list of the outermost level has all elements.
            let greatest = match level {
                0 => n,
                _ => {
                    let lengths = self.lengths(offsets);
                    let least = self.reduce("minimum", lengths, zero, &[0]);
                    self.require_of("GE", [least, zero], &said("have a list of {0} elements"));
                    self.reduce("maximum", lengths, zero, &[0])
                }
            };
            if *most != UNBOUNDED {
                let long = said("have a list of {0} elements, the declared maximum is {1}");
                self.require_of("LE", [greatest, self.int(*most)], &long);
            }
            if level == 0 {
                parts.push(n);
            } else {
                parts.push(offsets);
            }
        }
        Form { ty, parts }
    }

    /// Returns the values that cross the border of a function for an array: the inverse of
    /// [`Make::read`].
    pub(super) fn write(&self, form: &Form<'c>, packing: Packing) -> Vec<Val<'c>> {
        let mut values = self.settled(form, packing).parts;
        if matches!(form.ty, ValueType::Array { .. }) {
            let length = self.reshape(form.parts[1], &[Extent::ONE]);
            values[1] = self.concatenate(&[self.ints(&[0]), length], 0);
        }
        values
    }
}
