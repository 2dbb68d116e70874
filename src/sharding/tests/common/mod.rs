//! Random layouts, and their meaning written out from the definition: number the ranks by the
//! device matrix, split the tensor dimension by dimension. Nothing of the crate's arithmetic is
//! used for the meaning.
#![allow(dead_code)]

pub mod program;

use mapwright_sharding::{DeviceMatrix, Layout, Split};

/// A small generator (xorshift), so that a failure names the case by its number.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}

/// A layout as plain data.
#[derive(Clone, Debug)]
pub struct Plain {
    pub sizes: Vec<i64>,
    /// For each tensor dimension the axes, major first.
    pub dims: Vec<Vec<usize>>,
    pub shape: Vec<i64>,
}

pub fn axis_name(i: usize) -> String {
    ((b'a' + i as u8) as char).to_string()
}

impl Plain {
    pub fn random(r: &mut Random, most_devices: i64) -> Plain {
        let sizes = loop {
            let n = r.below(7);
            let sizes: Vec<i64> = (0..n).map(|_| [1, 2, 2, 2, 3, 4, 5][r.below(7)]).collect();
            if sizes.iter().product::<i64>() <= most_devices {
                break sizes;
            }
        };
        Plain::random_on(r, sizes)
    }

    pub fn random_on(r: &mut Random, sizes: Vec<i64>) -> Plain {
        let rank = r.below(7);
        let mut dims = vec![Vec::new(); rank];
        let mut axes: Vec<usize> = (0..sizes.len()).collect();
        r.shuffle(&mut axes);
        for a in axes {
            // Some axes stay unused: they hold replicas.
            if rank > 0 && r.below(4) != 0 {
                dims[r.below(rank)].push(a);
            }
        }
        let shape = dims
            .iter()
            .map(|d| d.iter().map(|a| sizes[*a]).product::<i64>() * [1, 1, 2, 3][r.below(4)])
            .collect();
        Plain { sizes, dims, shape }
    }

    pub fn count(&self) -> i64 {
        self.sizes.iter().product()
    }

    pub fn names(&self) -> Vec<String> {
        (0..self.sizes.len()).map(axis_name).collect()
    }

    pub fn map(&self) -> Vec<Split> {
        self.dims
            .iter()
            .map(|d| d.iter().map(|a| axis_name(*a)).collect())
            .collect()
    }

    pub fn layout(&self) -> Layout {
        DeviceMatrix::new(&self.sizes, &self.names())
            .unwrap()
            .layout(&self.map())
            .unwrap()
    }

    /// The digits of a rank: an index of the ranks reshaped to the device matrix.
    pub fn digits(&self, rank: i64) -> Vec<i64> {
        let mut rest = rank;
        let mut out: Vec<i64> = self
            .sizes
            .iter()
            .rev()
            .map(|n| {
                let digit = rest % n;
                rest /= n;
                digit
            })
            .collect();
        out.reverse();
        out
    }

    /// The half-open range of each dimension that a rank holds: split by the first axis, then each
    /// part by the next.
    pub fn ranges(&self, rank: i64) -> Vec<(i64, i64)> {
        let digits = self.digits(rank);
        let split = |dim: usize| {
            let (mut low, mut high) = (0, self.shape[dim]);
            for a in &self.dims[dim] {
                let part = (high - low) / self.sizes[*a];
                low += part * digits[*a];
                high = low + part;
            }
            (low, high)
        };
        (0..self.shape.len()).map(split).collect()
    }

    /// The elements (row-major numbers) of the slice of a rank, row-major.
    pub fn elements(&self, rank: i64) -> Vec<i64> {
        let mut out = vec![0];
        for ((low, high), size) in self.ranges(rank).into_iter().zip(&self.shape) {
            out = out
                .iter()
                .flat_map(|e| (low..high).map(move |i| e * size + i))
                .collect();
        }
        out
    }

    /// Slice numbers: the distinct slices in the order of their first corner, row-major ("Z"
    /// order).
    pub fn slices(&self) -> Vec<i64> {
        let corner = |rank: i64| self.ranges(rank).iter().map(|r| r.0).collect::<Vec<_>>();
        let mut corners: Vec<Vec<i64>> = (0..self.count()).map(corner).collect();
        corners.sort();
        corners.dedup();
        (0..self.count())
            .map(|r| corners.binary_search(&corner(r)).unwrap() as i64)
            .collect()
    }
}
