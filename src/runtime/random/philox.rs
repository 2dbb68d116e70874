//! Philox-4x32 with 10 rounds.

use crate::multiversion::multiversion;

/// Counters processed together.
pub(super) const BLOCK: usize = 64;

#[inline(always)]
fn kernel(key: u64, counter: u128, words: &mut [[u32; BLOCK]; 4]) {
    for i in 0..BLOCK {
        let count = counter.wrapping_add(i as u128);
        for (w, word) in words.iter_mut().enumerate() {
            word[i] = (count >> (32 * w)) as u32;
        }
    }
    let [a, b, c, d] = words;
    for i in 0..BLOCK {
        let (mut x0, mut x1, mut x2, mut x3) = (a[i], b[i], c[i], d[i]);
        let (mut k0, mut k1) = (key as u32, (key >> 32) as u32);
        for _ in 0..10 {
            let p0 = u64::from(x0) * 0xd251_1f53;
            let p1 = u64::from(x2) * 0xcd9e_8d57;
            (x0, x1, x2, x3) = (
                (p1 >> 32) as u32 ^ x1 ^ k0,
                p1 as u32,
                (p0 >> 32) as u32 ^ x3 ^ k1,
                p0 as u32,
            );
            k0 = k0.wrapping_add(0x9e37_79b9);
            k1 = k1.wrapping_add(0xbb67_ae85);
        }
        (a[i], b[i], c[i], d[i]) = (x0, x1, x2, x3);
    }
}

multiversion! {
    /// The four words of each of the counters `counter`, `counter + 1`, …; word `w` of counter `i`
    /// is `words[w][i]`.
    pub(super) fn philox<>(key: u64, counter: u128, words: &mut [[u32; BLOCK]; 4]) -> () = kernel;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers published with the algorithm (Random123, `kat_vectors`, philox4x32 with 10
    /// rounds).
    #[test]
    fn known_answers() {
        let one = |counter, key| {
            let mut words = [[0; BLOCK]; 4];
            philox(key, counter, &mut words);
            words.map(|w| w[0])
        };
        assert_eq!(
            one(0, 0),
            [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]
        );
        assert_eq!(
            one(u128::MAX, u64::MAX),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
    }
}
