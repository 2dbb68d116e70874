//! Windows that move along one dimension.

use mapwright_indexing::Extent;

/// Movement of the window along one spatial dimension.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slide {
    pub size: i64,
    pub stride: i64,
    pub dilation: i64,
    pub low: i64,
    /// Size of the input.
    pub input: Extent,
    /// Size of the result.
    pub output: Extent,
}

impl Slide {
    /// The first result whose window does not begin in front of the input.
    pub fn first(self) -> i64 {
        (self.low.max(0) + self.stride - 1) / self.stride
    }

    /// The results whose windows lie inside of the input: `[from, to)`.
    pub fn inside(self) -> (Extent, Extent) {
        let from = Extent::from(self.first()).least(self.output);
        let reach = self.input - 1 + self.low - (self.size - 1) * self.dilation;
        let to = (reach.floor_div(self.stride.into()) + 1).least(self.output);
        (from, to.greatest(from))
    }

    /// Window elements of result `o` that lie inside of the input, and the others.
    pub fn taps(self, o: i64) -> Taps {
        let (inside, outside) = (0..self.size).partition(|w| {
            let at = o * self.stride + w * self.dilation - self.low;
            0 <= at && self.input > at
        });
        Taps {
            inside,
            outside,
            ..Taps::default()
        }
    }
}

/// Elements of a window along the last dimension.
#[derive(Default)]
pub(crate) struct Taps {
    pub inside: Vec<i64>,
    /// Taps in the padding.
    pub outside: Vec<i64>,
    /// Taps of which it is known at run time only: where the input ends.
    pub perhaps: Vec<i64>,
}
