//! The state of the generator that `rng` draws from.

use crate::collective::Place;
use crate::pool::lock;
use std::sync::Mutex;

/// A stream of numbers for each process, which goes on from draw to draw and from call to call.
///
/// The stream follows from the seed and the process; where it was begun anew with a seed, the same
/// calls draw the same numbers.
#[derive(Debug, Default)]
pub struct Generator(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    seed: u64,
    /// Number of random numbers that each process has drawn.
    drawn: Vec<(Place, u64)>,
}

impl Generator {
    /// Begins all streams anew.
    pub fn set_seed(&self, seed: u64) {
        *lock(&self.0) = State {
            seed,
            drawn: Vec::new(),
        };
    }

    /// Key and first counter of the next `count` numbers of a process.
    pub(crate) fn draw(&self, place: Place, count: usize) -> (u64, u128) {
        let mut state = lock(&self.0);
        let known = state.drawn.iter().position(|(of, _)| *of == place);
        let at = known.unwrap_or_else(|| {
            state.drawn.push((place, 0));
            state.drawn.len() - 1
        });
        let drawn = &mut state.drawn[at].1;
        let first = *drawn;
        *drawn = first.wrapping_add(count as u64);
        let process = (place.replica as u128) << 32 | place.partition as u128;
        (state.seed, process << 64 | u128::from(first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_go_on_and_are_apart() {
        let place = |replica, partition| Place { replica, partition };
        let generator = Generator::default();
        assert_eq!(generator.draw(place(0, 0), 3), (0, 0));
        assert_eq!(generator.draw(place(0, 0), 2), (0, 3));
        let (_, other) = generator.draw(place(1, 0), 2);
        let (_, third) = generator.draw(place(0, 1), 2);
        let heads = [0, other >> 64, third >> 64];
        assert!(heads[0] != heads[1] && heads[0] != heads[2] && heads[1] != heads[2]);
        generator.set_seed(7);
        assert_eq!(generator.draw(place(0, 0), 1), (7, 0));
    }
}
