//! What the phases of one dimension of a convolution read.

use mapwright_indexing::{Extent, linear::gcd};
use mapwright_ops::attrs::Window;

/// One dimension of a convolution.
#[derive(Clone, Copy, Debug)]
pub(super) struct PhasedDim {
    /// Size of the window.
    pub(super) window: i64,
    pub(super) stride: i64,
    /// Of the operand, and of the window.
    pub(super) dilation: i64,
    pub(super) window_dilation: i64,
    /// Padding before the operand.
    pub(super) low: i64,
    /// Places of each phase; those of the last ones may be behind the result.
    pub(super) places: Extent,
    /// Number of places, of all phases, that are behind the result.
    pub(super) behind: i64,
    /// The first element of the last window of a phase that has no padding, less the size of the
    /// operand.
    over: i64,
}

/// Convolution along the dimension that the places of one phase need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Phase {
    /// The first element of the window that counts, how many do, and their distance.
    pub(super) first: i64,
    pub(super) count: i64,
    pub(super) step: i64,
    /// Distance of what they read.
    pub(super) window_dilation: i64,
    pub(super) padding: (i64, i64),
}

impl PhasedDim {
    /// Along spatial dimension `i`, in which operand and result have these sizes, of at least 1;
    /// `None` where what phases read depends on a size.
    pub(super) fn new(window: &Window, i: usize, operand: Extent, result: Extent) -> Option<Self> {
        let mut dim = Self {
            window: window.size[i],
            stride: window.stride[i],
            dilation: window.base_dilation[i],
            window_dilation: window.window_dilation[i],
            low: window.padding[i].0,
            places: Extent::ZERO,
            behind: 0,
            over: 0,
        };
        dim.places = result.ceil_div(dim.phases().into());
        dim.behind = (dim.places * dim.phases() - result).as_constant()?;
        let last = (dim.places - 1) * dim.phase_stride();
        dim.over = (last - operand).as_constant()?;
        Some(dim)
    }

    /// Number of phases.
    pub(super) fn phases(&self) -> i64 {
        self.dilation / gcd(self.stride, self.dilation)
    }

    /// Step of the window of a phase, in elements of the operand.
    pub(super) fn phase_stride(&self) -> i64 {
        self.stride / gcd(self.stride, self.dilation)
    }

    /// Phase number `c`; nothing where no element of the window ever meets one of the operand.
    pub(super) fn phase(&self, c: i64) -> Option<Phase> {
        let common = gcd(self.window_dilation, self.dilation);
        let step = self.dilation / common;
        // The position, in the dilated operand, that an element of the window is at.
        let at = |k: i64| c * self.stride + k * self.window_dilation - self.low;
        let first = (0..step.min(self.window)).find(|k| at(*k) % self.dilation == 0)?;
        let count = (self.window - 1 - first) / step + 1;
        let window_dilation = self.window_dilation / common;
        let before = -(at(first) / self.dilation);
        Some(Phase {
            first,
            count,
            step,
            window_dilation,
            padding: (
                before,
                self.over + (count - 1) * window_dilation + 1 - before,
            ),
        })
    }
}

/// Phases, one behind the other, that are one convolution with more features: they read the same
/// elements of the operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// Of the first of them; nothing where no element of their windows ever meets one of the
    /// operand.
    pub(super) phase: Option<Phase>,
    /// The first element of the window that counts, for each.
    pub(super) firsts: Vec<i64>,
}

impl PhasedDim {
    /// Its phases in groups, each of its own unless `joins`.
    pub(super) fn groups(&self, joins: bool) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for c in 0..self.phases() {
            let phase = self.phase(c);
            let first = phase.map_or(0, |phase| phase.first);
            let like = |other: &Group| {
                let with = other.phase.map(|other| Phase { first, ..other });
                with == phase
            };
            match groups.last_mut().filter(|group| joins && like(group)) {
                Some(group) => group.firsts.push(first),
                None => groups.push(Group {
                    phase,
                    firsts: vec![first],
                }),
            }
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::{PhasedDim, Window};
    use mapwright_indexing::Extent;

    /// Checks what each phase reads against the definition: for every place of the result the pairs
    /// of an element of the window and one of the operand. Where it is the same for every size, it
    /// is that of a size which is a name.
    #[test]
    fn phases_read_what_the_specification_reads() {
        let (mut seen, mut of_names) = (0, 0);
        for number in 0..20_000u64 {
            let mut rest = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 8;
            let mut below = |n: u64| {
                let value = rest % n;
                rest /= n;
                value as i64
            };
            let operand = 1 + below(6);
            let window = Window {
                size: vec![1 + below(5)],
                stride: vec![1 + below(6)],
                base_dilation: vec![1 + below(6)],
                window_dilation: vec![1 + below(6)],
                padding: vec![(below(12) - 4, below(12) - 4)],
                reversal: vec![false],
            };
            let result = window.output_size(0, operand);
            if result == 0 {
                continue;
            }
            seen += 1;
            let line = PhasedDim::new(&window, 0, operand.into(), result.into()).unwrap();
            // One more than a name, and as many places as one element has and those of the rest.
            let more = Extent::name(0) * window.base_dilation[0];
            let one = window.output_size(0, 1);
            if one > 0 && window.stride[0] == 1 {
                of_names += 1;
                let name = Extent::name(0) + 1;
                let any = PhasedDim::new(&window, 0, name, more + one).unwrap();
                assert_eq!(any.behind, line.behind, "{line:?}");
                for c in 0..line.phases() {
                    assert_eq!(any.phase(c), line.phase(c), "{line:?}");
                }
            }
            for o in 0..result {
                let mut wanted = Vec::new();
                for k in 0..line.window {
                    let at = o * line.stride + k * line.window_dilation - line.low;
                    let element = at.div_euclid(line.dilation);
                    if at.rem_euclid(line.dilation) == 0 && (0..operand).contains(&element) {
                        wanted.push((k, element));
                    }
                }
                let (j, c) = (o / line.phases(), o % line.phases());
                let mut found = Vec::new();
                if let Some(phase) = line.phase(c) {
                    let padded = operand + phase.padding.0 + phase.padding.1;
                    let covered = (phase.count - 1) * phase.window_dilation + 1;
                    let places = (padded - covered) / line.phase_stride() + 1;
                    assert_eq!(line.places, Extent::from(places), "{line:?}");
                    for t in 0..phase.count {
                        let at = j * line.phase_stride() + t * phase.window_dilation;
                        let element = at - phase.padding.0;
                        if (0..operand).contains(&element) {
                            found.push((phase.first + t * phase.step, element));
                        }
                    }
                }
                assert_eq!(found, wanted, "{line:?} at {o}");
            }
        }
        assert!(seen > 5_000 && of_names > 500, "{seen}, {of_names}");
    }
}
