//! Elements of arrays taken out and put together.
//!
//! A list of elements that all have room for the greatest one is *spread*: the parts of an element, each with the number of the element as its
//! first dimension. Of an array of tensors that is the buffer of leaves itself; elements of nests are gathered from the packed buffer, and packed
//! again.

use super::{
    form::{Form, levels, number, parts_of, product},
    make::Make,
    sizes::at_run_time,
};
use mapwright_mlir::{Val, ValueType};

impl<'c> Make<'c> {
    /// A vector as a column of a matrix with so many columns.
    fn column(&self, x: Val<'c>, columns: i64) -> Val<'c> {
        let n = self.type_of(x).1[0];
        self.broadcast(x, &[0], &[n, columns])
    }

    /// The rows of `table` at the indices of a matrix.
    fn rows_of_matrix(&self, table: Val<'c>, at: Val<'c>) -> Val<'c> {
        let shape = self.type_of(at).1;
        let flat = self.reshape(at, &[product(&shape)]);
        let found = self.rows(table, flat);
        let own = self.type_of(found).1;
        self.reshape(found, &[&shape[..], &own[1..]].concat())
    }

    /// The elements at the indices of a vector, spread. The indices are those of elements that are there; of others the result means nothing,
    /// but is one.
    pub(super) fn elements_at(&self, array: &Form<'c>, at: Val<'c>) -> Vec<Val<'c>> {
        let (max, _) = levels(&array.ty);
        if max.len() == 1 {
            return vec![self.rows(array.parts[0], at)];
        }
        let n = self.type_of(at).1[0];
        let one = self.ints(&[1]);
        let next = self.add(at, self.broadcast(one, &[0], &[n]));
        let offsets = array.parts[2];
        // Where the lists of an element begin in the level that is looked at, and how many there are.
        let mut begin = self.rows(offsets, at);
        let end = self.rows(offsets, next);
        let mut count = self.sub(end, begin);
        let mut inner = vec![count];
        for level in 2..max.len() {
            let entries = product(&max[1..level]) + 1;
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
        let room = product(&max[1..]);
        let j = self.iota(&[n, room], 1);
        let at = self.add(self.column(begin, room), j);
        let mut parts = vec![self.rows_of_matrix(array.parts[0], at)];
        parts.extend(inner);
        parts
    }

    /// All elements of an array, spread.
    pub(super) fn elements(&self, array: &Form<'c>) -> Vec<Val<'c>> {
        let (max, _) = levels(&array.ty);
        match max.len() {
            1 => vec![array.parts[0]],
            _ => self.elements_at(array, self.iota(&[max[0]], 0)),
        }
    }

    /// The array of the first `length` of elements that are spread.
    pub(super) fn pack(&self, element: &ValueType, parts: &[Val<'c>], length: Val<'c>) -> Form<'c> {
        let n = self.type_of(parts[0]).1[0];
        let ty = ValueType::Array {
            element: Box::new(element.clone()),
            max: n,
        };
        let (max, _) = levels(&ty);
        if max.len() == 1 {
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
        for own in parts.iter().take(max.len()).skip(2).copied() {
            let entries = self.type_of(own).1[1] - 1;
            let last = self.slice(own, 1, (entries, 1, entries + 1));
            let next = only(self.reshape(last, &[n]));
            let (sums, first) = self.offsets_of(next);
            let room = n * entries + 1;
            let all = self.first(sums, n);
            let moved = self.slice(own, 1, (0, 1, entries));
            let moved = self.add(moved, self.column(first, entries));
            let behind = self.spread(all, &[room]);
            packed.push(self.put(behind, begin, count, moved));
            begin = first;
            count = next;
        }
        let (element, own) = self.type_of(parts[0]);
        let room = product(&own[..2]);
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
        let outside = self.int(self.type_of(into).1[0]);
        let (n, columns) = (shape[0], shape[1]);
        if n * columns == 0 {
            return into;
        }
        let j = self.iota(&[n, columns], 1);
        let is_there = self.compare("LT", j, self.column(count, columns));
        let at = self.select(
            is_there,
            self.add(self.column(begin, columns), j),
            self.spread(outside, &[n, columns]),
        );
        let at = self.reshape(at, &[n * columns]);
        let flat = self.reshape(rows, &[&[n * columns], &shape[2..]].concat());
        self.scatter(None, into, at, flat)
    }

    /// How many leaves there are.
    pub(super) fn leaf_count(&self, array: &Form<'c>) -> Val<'c> {
        let (max, _) = levels(&array.ty);
        match max.len() {
            1 => array.parts[1],
            depth => self.first(array.parts[depth], product(&max[..depth - 1])),
        }
    }

    /// The leaves that there are, and no others.
    pub(super) fn tight(&self, array: &Form<'c>) -> Val<'c> {
        let leaves = array.parts[0];
        match at_run_time(self.type_of(leaves).1[0]) {
            true => leaves,
            false => self.rows_from(leaves, self.int(0), self.leaf_count(array)),
        }
    }

    /// The array with room for as many leaves as its maxima allow.
    pub(super) fn roomy(&self, array: &Form<'c>) -> Form<'c> {
        let mut array = array.clone();
        if !matches!(array.ty, ValueType::Array { .. }) {
            return array;
        }
        let (element, mut shape) = self.type_of(array.parts[0]);
        if at_run_time(shape[0]) {
            shape[0] = product(&levels(&array.ty).0);
            let room = self.zeros(&element, &shape);
            array.parts[0] = match shape[0] {
                0 => room,
                _ => self.with_rows(room, self.int(0), array.parts[0]),
            };
        }
        array
    }

    /// The lengths of lists from their offsets.
    pub(super) fn lengths(&self, offsets: Val<'c>) -> Val<'c> {
        let n = self.type_of(offsets).1[0] - 1;
        self.sub(
            self.slice(offsets, 0, (1, 1, n + 1)),
            self.slice(offsets, 0, (0, 1, n)),
        )
    }

    /// A value of zeros, its leaves with the sizes of those in a buffer behind its first `front` dimensions: of a type of arrays an array without
    /// elements.
    pub(super) fn empty(&self, ty: ValueType, leaves: Val<'c>, front: usize) -> Form<'c> {
        let (leaf, own) = self.type_of(leaves);
        let (max, _) = levels(&ty);
        let room: Vec<i64> = (!max.is_empty())
            .then(|| product(&max))
            .into_iter()
            .collect();
        let mut parts = vec![self.zeros(&leaf, &[&room, &own[front..]].concat())];
        for part in parts_of(&ty).unwrap_or_default().iter().skip(1) {
            parts.push(self.zeros(&part.element, &part.static_shape().unwrap_or_default()));
        }
        Form { ty, parts }
    }

    /// The first `length` elements of an array, with room for `max`.
    pub(super) fn cut(&self, array: &Form<'c>, length: Val<'c>, max: i64) -> Form<'c> {
        let (mut all, _) = levels(&array.ty);
        let mut ty = array.ty.clone();
        if let ValueType::Array { max: own, .. } = &mut ty {
            *own = max;
        }
        all[0] = max;
        let room = product(&all);
        let mut parts = vec![self.slice(array.parts[0], 0, (0, 1, room)), length];
        let mut count = length;
        for level in 1..all.len() {
            let entries = product(&all[..level]) + 1;
            let offsets = array.parts[level + 1];
            let at = self.iota(&[entries], 0);
            let at = self.min(at, self.spread(count, &[entries]));
            parts.push(self.rows(offsets, at));
            count = self.reshape(self.rows(offsets, self.reshape(count, &[1])), &[]);
        }
        Form { ty, parts }
    }

    /// An array from what crosses the border of a function. What is not well-formed is brought into the range: no list has less than none or
    /// more than the most elements, and lists lie one behind the other.
    pub(super) fn read(&self, ty: ValueType, values: &[Val<'c>]) -> Form<'c> {
        if !matches!(ty, ValueType::Array { .. }) {
            return Form {
                ty,
                parts: values.to_vec(),
            };
        }
        let (max, _) = levels(&ty);
        let mut parts = vec![values[0]];
        let mut lists = self.int(1);
        for (level, greatest) in max.iter().enumerate() {
            let offsets = values[level + 1];
            let n = self.type_of(offsets).1[0] - 1;
            let lengths = self.lengths(offsets);
            let zeros = self.zeros(&number(), &[n]);
            let most = self.spread(self.int(*greatest), &[n]);
            let lengths = self.clamp(zeros, lengths, most);
            let is_there = self.compare("LT", self.iota(&[n], 0), self.spread(lists, &[n]));
            let lengths = self.select(is_there, lengths, zeros);
            if level == 0 {
                lists = self.reshape(lengths, &[]);
                parts.push(lists);
            } else {
                let (sums, _) = self.offsets_of(lengths);
                lists = self.first(sums, n);
                parts.push(sums);
            }
        }
        Form { ty, parts }
    }

    /// What crosses the border of a function: the inverse of [`Make::read`].
    pub(super) fn write(&self, form: &Form<'c>) -> Vec<Val<'c>> {
        let mut values = self.roomy(form).parts;
        if matches!(form.ty, ValueType::Array { .. }) {
            let length = self.reshape(form.parts[1], &[1]);
            values[1] = self.concatenate(&[self.ints(&[0]), length], 0);
        }
        values
    }
}
