//! Threefry-2x32 with 20 rounds.

use crate::multiversion::multiversion;

/// Counters processed together.
pub(super) const BLOCK: usize = 64;

const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];

#[inline(always)]
fn kernel(key: u64, counter: u64, low: &mut [u32; BLOCK], high: &mut [u32; BLOCK]) {
    let (k0, k1) = (key as u32, (key >> 32) as u32);
    let keys = [k0, k1, k0 ^ k1 ^ 0x1bd1_1bda];
    for (i, (a, b)) in low.iter_mut().zip(high.iter_mut()).enumerate() {
        let count = counter.wrapping_add(i as u64);
        let mut x = (count as u32).wrapping_add(keys[0]);
        let mut y = ((count >> 32) as u32).wrapping_add(keys[1]);
        for group in 0..5 {
            for rotation in ROTATIONS[group % 2] {
                x = x.wrapping_add(y);
                y = x ^ y.rotate_left(rotation);
            }
            x = x.wrapping_add(keys[(group + 1) % 3]);
            y = y
                .wrapping_add(keys[(group + 2) % 3])
                .wrapping_add(group as u32 + 1);
        }
        (*a, *b) = (x, y);
    }
}

multiversion! {
    /// The two words of each of the counters `counter`, `counter + 1`, …
    pub(super) fn threefry<>(key: u64, counter: u64, low: &mut [u32; BLOCK], high: &mut [u32; BLOCK]) -> () = kernel;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers published with the algorithm (Random123, `kat_vectors`, threefry2x32 with
    /// 20 rounds).
    #[test]
    fn known_answers() {
        let one = |counter, key| {
            let (mut a, mut b) = ([0; BLOCK], [0; BLOCK]);
            threefry(key, counter, &mut a, &mut b);
            (a[0], b[0])
        };
        assert_eq!(one(0, 0), (0x6b20_0159, 0x99ba_4efe));
        assert_eq!(one(u64::MAX, u64::MAX), (0x1cb9_96fc, 0xbb00_2be7));
    }
}
