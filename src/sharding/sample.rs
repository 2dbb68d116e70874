//! Points of a box, always the same ones.

use mapwright_indexing::Interval;

/// The two corners of a box, then points spread over it by a fixed sequence (Weyl's, mixed).
pub(crate) struct Points<'a> {
    intervals: &'a [Interval],
    made: u64,
    state: u64,
}

impl<'a> Points<'a> {
    /// Points of the box of these intervals, none of which may be empty.
    pub(crate) fn new(intervals: &'a [Interval]) -> Self {
        Points {
            intervals,
            made: 0,
            state: 0,
        }
    }

    pub(crate) fn next_point(&mut self) -> Vec<i64> {
        self.made += 1;
        self.intervals
            .iter()
            .map(|i| match self.made {
                1 => i.lower,
                2 => i.upper,
                _ => {
                    self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                    let mixed =
                        (self.state ^ (self.state >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                    (i.lower as i128 + (mixed >> 7) as i128 % i.len() as i128) as i64
                }
            })
            .collect()
    }
}
