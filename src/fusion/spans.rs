//! Regions with results at several places of a block, for the search whether one region needs
//! another.

use std::collections::BTreeMap;

/// Regions with more than one result, by the position of the first.
#[derive(Default)]
pub(crate) struct Spans {
    by_first: BTreeMap<usize, usize>,
}

impl Spans {
    /// The region `number` has a first result at `first`, and had one at `before`.
    pub(crate) fn insert(&mut self, number: usize, before: Option<usize>, first: usize) {
        if let Some(before) = before
            && self.by_first.get(&before) == Some(&number)
        {
            self.by_first.remove(&before);
        }
        self.by_first.insert(first, number);
    }

    /// The last position, at most `lowest`, from which on nothing that lies wholly up to there
    /// reads: what reads of a result has a member behind it, so that a way from there to what is
    /// behind it leads through a region with a first result before it and `root` behind it. Where
    /// there is such a region, the position is that of its first result.
    pub(crate) fn up_to(&self, lowest: usize, root: impl Fn(usize) -> usize) -> usize {
        let mut position = lowest;
        while let Some((first, _)) =
            (self.by_first.range(..position)).find(|(_, number)| root(**number) > position)
        {
            position = *first;
        }
        position
    }
}

#[cfg(test)]
mod tests {
    use super::Spans;

    #[test]
    fn regions_that_span_a_position_lower_it() {
        let mut spans = Spans::default();
        let roots = [14, 9, 30];
        let root = |number: usize| roots[number];
        assert_eq!(spans.up_to(13, root), 13);
        spans.insert(0, None, 11);
        assert_eq!(spans.up_to(13, root), 11);
        assert_eq!(spans.up_to(14, root), 14);
        assert_eq!(spans.up_to(11, root), 11);
        // A region across the first result of the other.
        spans.insert(1, Some(9), 3);
        assert_eq!(spans.up_to(13, root), 11);
        spans.insert(2, None, 10);
        assert_eq!(spans.up_to(13, root), 10);
        spans.insert(2, Some(10), 2);
        assert_eq!(spans.up_to(13, root), 2);
    }
}
