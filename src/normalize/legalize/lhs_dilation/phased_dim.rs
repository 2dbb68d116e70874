//! What the phases of one dimension of a convolution read.

use mapwright_indexing::linear::gcd;
use mapwright_ops::attrs::Window;

/// One dimension of a convolution.
#[derive(Clone, Copy, Debug)]
pub(super) struct PhasedDim {
    /// Of the operand, the window and the result; none is 0.
    pub(super) operand: i64,
    pub(super) window: i64,
    pub(super) result: i64,
    pub(super) stride: i64,
    /// Of the operand, and of the window.
    pub(super) dilation: i64,
    pub(super) window_dilation: i64,
    /// Padding before the operand.
    pub(super) low: i64,
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
    pub(super) fn new(window: &Window, i: usize, operand: i64, result: i64) -> Self {
        Self {
            operand,
            window: window.size[i],
            result,
            stride: window.stride[i],
            dilation: window.base_dilation[i],
            window_dilation: window.window_dilation[i],
            low: window.padding[i].0,
        }
    }

    /// Number of phases.
    pub(super) fn phases(&self) -> i64 {
        self.dilation / gcd(self.stride, self.dilation)
    }

    /// Places of each phase; those of the last ones may be behind the result.
    pub(super) fn places(&self) -> i64 {
        (self.result + self.phases() - 1) / self.phases()
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
        let covered = (self.places() - 1) * self.phase_stride() + (count - 1) * window_dilation + 1;
        Some(Phase {
            first,
            count,
            step,
            window_dilation,
            padding: (before, covered - self.operand - before),
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
    use super::PhasedDim;

    /// Checks what each phase reads against the definition: for every place of the result the pairs
    /// of an element of the window and one of the operand.
    #[test]
    fn phases_read_what_the_specification_reads() {
        let mut seen = 0;
        for number in 0..20_000u64 {
            let mut rest = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 8;
            let mut below = |n: u64| {
                let value = rest % n;
                rest /= n;
                value as i64
            };
            let mut line = PhasedDim {
                operand: 1 + below(6),
                window: 1 + below(5),
                result: 0,
                stride: 1 + below(6),
                dilation: 1 + below(6),
                window_dilation: 1 + below(6),
                low: below(12) - 4,
            };
            let high = below(12) - 4;
            let padded = (line.operand - 1) * line.dilation + 1 + line.low + high;
            let covered = (line.window - 1) * line.window_dilation + 1;
            if padded < covered {
                continue;
            }
            line.result = (padded - covered) / line.stride + 1;
            seen += 1;
            for o in 0..line.result {
                let mut wanted = Vec::new();
                for k in 0..line.window {
                    let at = o * line.stride + k * line.window_dilation - line.low;
                    let element = at.div_euclid(line.dilation);
                    if at.rem_euclid(line.dilation) == 0 && (0..line.operand).contains(&element) {
                        wanted.push((k, element));
                    }
                }
                let (j, c) = (o / line.phases(), o % line.phases());
                let mut found = Vec::new();
                if let Some(phase) = line.phase(c) {
                    let padded = line.operand + phase.padding.0 + phase.padding.1;
                    let covered = (phase.count - 1) * phase.window_dilation + 1;
                    let places = (padded - covered) / line.phase_stride() + 1;
                    assert_eq!(places, line.places(), "{line:?}");
                    for t in 0..phase.count {
                        let at = j * line.phase_stride() + t * phase.window_dilation;
                        let element = at - phase.padding.0;
                        if (0..line.operand).contains(&element) {
                            found.push((phase.first + t * phase.step, element));
                        }
                    }
                }
                assert_eq!(found, wanted, "{line:?} at {o}");
            }
        }
        assert!(seen > 5_000, "{seen}");
    }
}
