//! Elements of arrays taken out and put together.
//!
//! A list of elements that all have room for the greatest one is *spread*: the parts of an element,
//! each with the number of the element as its first dimension. Of an array of tensors that is the
//! buffer of leaves itself; elements of nests are gathered from the packed buffer, and packed
//! again.

use super::{
    form::{Form, levels, number},
    make::Make,
};
use mapwright_indexing::Extent;
use mapwright_mlir::{Val, ValueType};

impl<'c> Make<'c> {
    /// A vector as a column of a matrix with so many columns.
    fn column(&self, x: Val<'c>, columns: Extent) -> Val<'c> {
        let n = self.type_of(x).1[0];
        self.broadcast(x, &[0], &[n, columns])
    }

    /// The rows of `table` at the indices of a matrix.
    fn rows_of_matrix(&self, table: Val<'c>, at: Val<'c>) -> Val<'c> {
        let shape = self.type_of(at).1;
        let flat = self.reshape(at, &[shape.iter().product()]);
        let found = self.rows_or_zeros(table, flat);
        let own = self.type_of(found).1;
        self.reshape(found, &[&shape[..], &own[1..]].concat())
    }

    /// The greatest of counts, as the room for lists of which these are the lengths.
    fn longest(&self, counts: Val<'c>) -> Extent {
        let greatest = self.reduce("maximum", counts, self.int(0), &[0]);
        self.as_room(self.size_of(greatest))
    }

    /// The elements at the indices of a vector, spread. The indices are those of elements that are
    /// there; of others the result means nothing, but is one.
    pub(super) fn elements_at(&self, array: &Form<'c>, at: Val<'c>) -> Vec<Val<'c>> {
        let ValueType::Array { element, .. } = &array.ty else {
            return array.parts.clone();
        };
        let depth = levels(&array.ty).0.len();
        if depth == 1 {
            return vec![self.rows_or_zeros(array.parts[0], at)];
        }
        // Where the array is what is there, so are its elements: each has room for the longest of
        // these.
        let room = self.packing.room(&array.ty);
        let room = room.and_then(|_| self.packing.room(element));
        let room_of = |level: usize, counts: Val<'c>| match &room {
            Some(room) => room[level],
            None => self.longest(counts),
        };
        let n = self.type_of(at).1[0];
        let one = self.ints(&[1]);
        let next = self.add(at, self.broadcast(one, &[0], &[n]));
        let offsets = array.parts[2];
        // Where the lists of an element begin in the level that is looked at, and how many there
        // are.
        let mut begin = self.rows(offsets, at);
        let end = self.rows(offsets, next);
        let mut count = self.sub(end, begin);
        let mut inner = vec![count];
        for level in 2..depth {
            let entries = room_of(level - 2, count) + 1;
            let j = self.iota(&[n, entries], 1);
            let j = self.min(j, self.column(count, entries));
            let offsets = array.parts[level + 1];
            let found = self.rows_of_matrix(offsets, self.add(self.column(begin, entries), j));
            let first = self.rows(offsets, begin);
            let last = self.rows(offsets, self.add(begin, count));
            inner.push(self.sub(found, self.column(first, entries)));
            count = self.sub(last, first);
            begin = first;
        }
        let room = room_of(depth - 2, count);
        let j = self.iota(&[n, room], 1);
        let at = self.add(self.column(begin, room), j);
        let mut parts = vec![self.rows_of_matrix(array.parts[0], at)];
        parts.extend(inner);
        parts
    }

    /// All elements of an array, spread.
    pub(super) fn elements(&self, array: &Form<'c>) -> Vec<Val<'c>> {
        match levels(&array.ty).0.len() {
            1 => vec![array.parts[0]],
            _ => self.elements_at(array, self.iota(&[self.room_at(array, 0)], 0)),
        }
    }

    /// The array, of type `ty`, of the first `length` of elements that are spread.
    pub(super) fn pack(&self, ty: ValueType, parts: &[Val<'c>], length: Val<'c>) -> Form<'c> {
        let n = self.type_of(parts[0]).1[0];
        let depth = levels(&ty).0.len();
        if depth == 1 {
            return Form {
                ty,
                parts: vec![parts[0], length],
            };
        }
        if n == 0 {
            return self.empty(ty, parts[0], 2);
        }
        let is_there = self.compare("LT", self.iota(&[n], 0), self.spread(length, &[n]));
        let only = |counts: Val<'c>| self.select(is_there, counts, self.zeros(&number(), &[n]));
        let mut count = only(parts[1]);
        let (offsets, mut begin) = self.offsets_of(count);
        let mut packed = vec![length, offsets];
        for own in parts.iter().take(depth).skip(2).copied() {
            let entries = self.type_of(own).1[1] - 1;
            let last = match entries.as_constant() {
                Some(entries) => self.slice(own, 1, (entries, 1, entries + 1)),
                None => self.row(self.move_dim(own, 1, 0), self.scalar(entries)),
            };
            let next = only(self.reshape(last, &[n]));
            let (sums, first) = self.offsets_of(next);
            let room = self.as_room(n * entries) + 1;
            let all = self.last(sums);
            let moved = self.slice(own, 1, (0, 1, entries));
            let moved = self.add(moved, self.column(first, entries));
            let behind = self.spread(all, &[room]);
            packed.push(self.put(behind, begin, count, moved));
            begin = first;
            count = next;
        }
        let (element, own) = self.type_of(parts[0]);
        let room = self.as_room(own[0] * own[1]);
        let zeros = self.zeros(&element, &[&[room], &own[2..]].concat());
        packed.insert(0, self.put(zeros, begin, count, parts[0]));
        Form { ty, parts: packed }
    }

    /// Offsets from counts: one more than there are counts, and the offset where each begins.
    pub(super) fn offsets_of(&self, counts: Val<'c>) -> (Val<'c>, Val<'c>) {
        let n = self.type_of(counts).1[0];
        let sums = self.running_sum(counts);
        let offsets = self.concatenate(&[self.ints(&[0]), sums], 0);
        (offsets, self.slice(offsets, 0, (0, 1, n)))
    }

    /// `into` with the first `count[i]` of the elements of row `i` of `rows` from `begin[i]` on.
    fn put(&self, into: Val<'c>, begin: Val<'c>, count: Val<'c>, rows: Val<'c>) -> Val<'c> {
        let (_, shape) = self.type_of(rows);
        let outside = self.scalar(self.type_of(into).1[0]);
        let (n, columns) = (shape[0], shape[1]);
        let all = n * columns;
        if all == 0 {
            return into;
        }
        let j = self.iota(&[n, columns], 1);
        let is_there = self.compare("LT", j, self.column(count, columns));
        let at = self.select(
            is_there,
            self.add(self.column(begin, columns), j),
            self.spread(outside, &[n, columns]),
        );
        let at = self.reshape(at, &[all]);
        let flat = self.reshape(rows, &[&[all], &shape[2..]].concat());
        self.scatter(None, into, at, flat)
    }

    /// A value of zeros, its leaves with the sizes of those in a buffer behind its first `front`
    /// dimensions: of a type of arrays an array without elements.
    pub(super) fn empty(&self, ty: ValueType, leaves: Val<'c>, front: usize) -> Form<'c> {
        let (leaf, own) = self.type_of(leaves);
        let room = self.packing.room(&ty);
        let depth = levels(&ty).0.len();
        let at = |level: usize| room.as_ref().map_or(Extent::ZERO, |room| room[level]);
        let rows: Vec<Extent> = depth.checked_sub(1).map(at).into_iter().collect();
        let mut parts = vec![self.zeros(&leaf, &[&rows, &own[front..]].concat())];
        if depth > 0 {
            parts.push(self.int(0));
            parts.extend((1..depth).map(|level| self.zeros(&number(), &[at(level - 1) + 1])));
        }
        Form { ty, parts }
    }

    /// The first `length` elements of an array, as an array of type `ty`.
    pub(super) fn cut(&self, array: &Form<'c>, length: Val<'c>, ty: ValueType) -> Form<'c> {
        let levels = 0..array.parts.len() - 1;
        let varies = levels
            .into_iter()
            .any(|level| self.room_at(array, level).is_run_time());
        let room = self.packing.room(&ty).filter(|_| !varies);
        let mut parts = array.parts.clone();
        parts[1] = length;
        let mut count = length;
        for k in 2..parts.len() {
            let entries = match &room {
                Some(room) => room[k - 2] + 1,
                None => self.type_of(parts[k]).1[0],
            };
            let at = self.iota(&[entries], 0);
            let at = self.min(at, self.spread(count, &[entries]));
            let offsets = self.rows(parts[k], at);
            count = self.reshape(
                self.rows(parts[k], self.reshape(count, &[Extent::ONE])),
                &[],
            );
            parts[k] = self.roomy(offsets);
        }
        parts[0] = match room.and_then(|room| room.last().copied()) {
            Some(room) => self.slice(parts[0], 0, (0, 1, room)),
            None => self.roomy(parts[0]),
        };
        let cut = Form { ty, parts };
        if varies && self.sizes.inside.get() == 0 {
            self.with_room(&self.tight(&cut))
        } else {
            cut
        }
    }
}
