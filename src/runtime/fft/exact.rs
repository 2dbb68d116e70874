//! Transforms of double precision in numbers of twice the precision: what is left after terms cancel is still right.
//!
//! Lines go eight beside each other through the arithmetic, so that it is one of vectors.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use rustfft::num_complex::Complex64;

use super::double::{Complex, Double, root};
use super::{FftKind, plan as plain};
use crate::Context;
use crate::error::{Error, Result};
use crate::multiversion::multiversion;
use crate::pool::lock;
use crate::sort::Pieces;

/// Lines of more elements, and those that would need a convolution of more, are transformed in single arithmetic.
pub(super) const LONGEST: usize = 4096;

/// Larger prime factors go by a convolution.
const LARGEST_FACTOR: usize = 61;

const LANES: usize = 8;

type Number = Complex<1>;

/// How a line is transformed (forward).
struct Plan {
    /// In the order of the steps, from the elements to the whole.
    factors: Vec<usize>,
    /// Where the element comes from.
    order: Vec<usize>,
    /// All roots of unity.
    roots: Vec<Number>,
    chirp: Option<Chirp>,
}

/// A transform as a convolution of power-of-two length with `exp(pi i j^2 / n)`.
struct Chirp {
    /// `exp(-pi i j^2 / n)`.
    factors: Vec<Number>,
    /// The transform of the other side, divided by its length.
    kernel: Vec<Number>,
    whole: Arc<Plan>,
}

impl Plan {
    fn of(length: usize) -> Arc<Self> {
        static PLANS: Mutex<Option<BTreeMap<usize, Arc<Plan>>>> = Mutex::new(None);
        if let Some(known) = lock(&PLANS).get_or_insert_default().get(&length) {
            return known.clone();
        }
        let new = Arc::new(Self::new(length));
        lock(&PLANS)
            .get_or_insert_default()
            .entry(length)
            .or_insert(new)
            .clone()
    }

    fn new(length: usize) -> Self {
        let mut factors = Vec::new();
        let mut rest = length;
        while rest.is_multiple_of(4) {
            factors.push(4);
            rest /= 4;
        }
        let mut p = 2;
        while rest > 1 {
            while rest.is_multiple_of(p) {
                factors.push(p);
                rest /= p;
            }
            p += 1;
        }
        if factors.iter().any(|p| *p > LARGEST_FACTOR) {
            return Self {
                factors: Vec::new(),
                order: Vec::new(),
                roots: Vec::new(),
                chirp: Some(Chirp::new(length)),
            };
        }
        let mut order = vec![0];
        for p in &factors {
            // The last factor is the first that splits the whole: each later one spreads what was before.
            order = (0..*p)
                .flat_map(|r| order.iter().map(move |i| i * p + r))
                .collect();
        }
        Self {
            roots: (0..length).map(|k| root(k, length)).collect(),
            factors,
            order,
            chirp: None,
        }
    }

    /// Transforms `line`; `work` has room for what [`Plan::room`] says.
    #[inline(always)]
    fn run<const N: usize>(&self, line: &mut [Complex<N>], work: &mut [Complex<N>]) {
        let Some(chirp) = &self.chirp else {
            return self.steps(line, work);
        };
        let n = line.len();
        let size = chirp.whole.order.len();
        let (a, b) = work.split_at_mut(size);
        a.fill(Complex::ZERO);
        for ((x, z), c) in a.iter_mut().zip(line.iter()).zip(&chirp.factors) {
            *x = *z * Complex::splat(*c);
        }
        chirp.whole.steps(a, b);
        for (x, k) in a.iter_mut().zip(&chirp.kernel) {
            // The inverse transform is the conjugate of the transform of the conjugate.
            *x = (*x * Complex::splat(*k)).conj();
        }
        chirp.whole.steps(a, b);
        for ((z, x), c) in line.iter_mut().zip(&a[..n]).zip(&chirp.factors) {
            *z = x.conj() * Complex::splat(*c);
        }
    }

    #[inline(always)]
    fn steps<const N: usize>(&self, line: &mut [Complex<N>], work: &mut [Complex<N>]) {
        let n = line.len();
        for (to, from) in work.iter_mut().zip(&self.order) {
            *to = line[*from];
        }
        line.copy_from_slice(&work[..n]);
        let mut done = 1;
        for p in &self.factors {
            let (p, block) = (*p, done * p);
            let turn = n / block;
            for start in (0..n).step_by(block) {
                let part = &mut line[start..start + block];
                for k in 0..done {
                    match p {
                        2 => {
                            let (x, y) = (part[k], part[done + k] * self.root(k * turn));
                            (part[k], part[done + k]) = (x + y, x - y);
                        }
                        4 => {
                            let a = part[k];
                            let b = part[done + k] * self.root(k * turn);
                            let c = part[2 * done + k] * self.root(2 * k * turn);
                            let d = part[3 * done + k] * self.root(3 * k * turn);
                            let (e, f) = (a + c, a - c);
                            let (g, h) = (b + d, (b - d).turned());
                            part[k] = e + g;
                            part[done + k] = f + h;
                            part[2 * done + k] = e - g;
                            part[3 * done + k] = f - h;
                        }
                        _ => {
                            for r in 0..p {
                                work[r] = part[r * done + k] * self.root(r * k * turn);
                            }
                            for q in 0..p {
                                let mut sum = work[0];
                                for r in 1..p {
                                    sum = sum + work[r] * self.root(r * q % p * (n / p));
                                }
                                part[q * done + k] = sum;
                            }
                        }
                    }
                }
            }
            done = block;
        }
    }

    #[inline(always)]
    fn root<const N: usize>(&self, k: usize) -> Complex<N> {
        Complex::splat(self.roots[k])
    }

    fn room(&self, length: usize) -> usize {
        self.chirp
            .as_ref()
            .map_or(length, |chirp| 2 * chirp.whole.order.len())
    }
}

impl Chirp {
    fn new(n: usize) -> Self {
        let size = (2 * n - 1).next_power_of_two();
        let whole = Plan::of(size);
        let factors: Vec<Number> = (0..n).map(|j| root(j * j % (2 * n), 2 * n)).collect();
        let scale = Double::new(1.0 / size as f64, 0.0);
        let mut kernel = vec![Complex::ZERO; size];
        for (j, c) in factors.iter().enumerate() {
            let z = Complex {
                re: c.re * scale,
                im: -(c.im * scale),
            };
            kernel[j] = z;
            if j > 0 {
                kernel[size - j] = z;
            }
        }
        whole.steps(&mut kernel, &mut vec![Complex::ZERO; size]);
        Self {
            factors,
            kernel,
            whole,
        }
    }
}

multiversion! {
    fn run_many<>(plan: &Plan, line: &mut [Complex<LANES>], work: &mut [Complex<LANES>]) = run_lanes;
}

multiversion! {
    fn run_one<>(plan: &Plan, line: &mut [Complex<1>], work: &mut [Complex<1>]) = run_lanes;
}

#[inline(always)]
fn run_lanes<const N: usize>(plan: &Plan, line: &mut [Complex<N>], work: &mut [Complex<N>]) {
    plan.run(line, work);
}

/// One dimension: `lines` lines of `length` elements, each read by `load` and written by `store` (line, place).
struct Pass<'a> {
    context: &'a Context,
    inverse: bool,
    lines: usize,
    length: usize,
}

impl Pass<'_> {
    fn run(
        &self,
        load: impl Fn(usize, usize) -> Number + Sync,
        store: impl Fn(usize, usize, Number) + Sync,
    ) {
        let plan = Plan::of(self.length);
        let turn = |z: Number| if self.inverse { z.conj() } else { z };
        let load = |line: usize, place: usize| turn(load(line, place));
        let store = |line: usize, place: usize, z: Number| store(line, place, turn(z));
        let grain = (256 / self.length).max(1);
        self.context
            .parallel_for(self.lines.div_ceil(LANES), grain, &|begin, end| {
                for group in begin..end {
                    let first = group * LANES;
                    let last = (first + LANES).min(self.lines);
                    // A few are not worth a vector.
                    match last - first {
                        1 | 2 => {
                            for line in first..last {
                                self.group::<1>(line..line + 1, &plan, run_one, &load, &store);
                            }
                        }
                        _ => self.group::<LANES>(first..last, &plan, run_many, &load, &store),
                    }
                }
            });
    }

    fn group<const N: usize>(
        &self,
        lines: std::ops::Range<usize>,
        plan: &Plan,
        run: fn(&Plan, &mut [Complex<N>], &mut [Complex<N>]),
        load: &impl Fn(usize, usize) -> Number,
        store: &impl Fn(usize, usize, Number),
    ) {
        let mut elements = vec![Complex::<N>::ZERO; self.length];
        let mut work = vec![Complex::<N>::ZERO; plan.room(self.length)];
        for (place, element) in elements.iter_mut().enumerate() {
            for (lane, line) in lines.clone().enumerate() {
                let z = load(line, place);
                (element.re.high[lane], element.re.low[lane]) = (z.re.high[0], z.re.low[0]);
                (element.im.high[lane], element.im.low[lane]) = (z.im.high[0], z.im.low[0]);
            }
        }
        run(plan, &mut elements, &mut work);
        for (lane, line) in lines.enumerate() {
            let finite = elements
                .iter()
                .all(|z| z.re.high[lane].is_finite() && z.im.high[lane].is_finite());
            if !finite {
                self.plain(line, load, store);
                continue;
            }
            for (place, z) in elements.iter().enumerate() {
                let part = |x: &Double<N>| Double::new(x.high[lane], x.low[lane]);
                let z = Complex {
                    re: part(&z.re),
                    im: part(&z.im),
                };
                store(line, place, z);
            }
        }
    }

    /// Infinity has no error term: a line with it, or one that overflows, is transformed in single arithmetic.
    fn plain(
        &self,
        line: usize,
        load: &impl Fn(usize, usize) -> Number,
        store: &impl Fn(usize, usize, Number),
    ) {
        let mut elements: Vec<Complex64> = (0..self.length)
            .map(|place| {
                let z = load(line, place);
                Complex64::new(z.re.high[0], z.im.high[0])
            })
            .collect();
        plain(self.length, false).process(&mut elements);
        for (place, z) in elements.into_iter().enumerate() {
            store(line, place, number(z.re, z.im));
        }
    }
}

fn number(re: f64, im: f64) -> Number {
    Complex {
        re: Double::new(re, 0.0),
        im: Double::new(im, 0.0),
    }
}

/// As [`super::fft`], whose conditions have been checked: nothing is empty.
pub(super) fn fft(
    context: &Context,
    kind: FftKind,
    batch: usize,
    lengths: &[usize],
    input: &[f64],
    output: &mut [f64],
) -> Result<()> {
    let (last, before) = lengths.split_last().unwrap_or((&1, &[]));
    let (last, rows) = (*last, batch * before.iter().product::<usize>());
    let width = match kind {
        FftKind::Forward | FftKind::Inverse => last,
        FftKind::RealForward | FftKind::RealInverse => last / 2 + 1,
    };
    let total = lengths.iter().map(|n| *n as f64).product::<f64>();
    let scale = match kind.is_inverse() {
        true => Double::ratio(1.0, total),
        false => Double::new(1.0, 0.0),
    };
    let read = |row: usize, place: usize| match kind {
        FftKind::RealForward => number(input[row * last + place], 0.0),
        _ => {
            let at = 2 * (row * width + place);
            number(input[at], input[at + 1])
        }
    };
    let output = &Pieces::new(output);
    let write = |row: usize, place: usize, z: Number| {
        let part = |x: Double<1>| match x.high[0].is_finite() {
            true => (x * scale).high[0],
            false => x.high[0] * scale.high[0],
        };
        // SAFETY: every element is written once.
        unsafe {
            match kind {
                FftKind::RealInverse => output.write(row * last + place, part(z.re)),
                _ if place < width => {
                    let at = 2 * (row * width + place);
                    output.write(at, part(z.re));
                    output.write(at + 1, part(z.im));
                }
                // The other half of a real signal's transform.
                _ => {}
            }
        }
    };
    // A real signal's transform is symmetric: the second half follows from the first.
    let extended = |half: &dyn Fn(usize, usize) -> Number, row: usize, place: usize| match kind
        == FftKind::RealInverse
        && place >= width
    {
        true => half(row, last - place).conj(),
        false => half(row, place),
    };
    let pass = |lines: usize, length: usize| Pass {
        context,
        inverse: kind.is_inverse(),
        lines,
        length,
    };
    if before.is_empty() {
        pass(rows, last).run(|row, place| extended(&read, row, place), write);
        return Ok(());
    }
    let bytes = rows.checked_mul(width * size_of::<Number>());
    let mut memory = context
        .memory()
        .allocate(bytes.ok_or_else(|| Error::out_of_memory(usize::MAX))?)?;
    // SAFETY: the buffer is aligned to 64 bytes and has this size; every bit pattern is a number.
    let work = unsafe {
        std::slice::from_raw_parts_mut(memory.as_mut_ptr().cast::<Number>(), rows * width)
    };
    let work = &Pieces::new(work);
    // SAFETY: lines are disjoint, and every element is read before it is written.
    let get = |at: usize| unsafe { work.read(at) };
    // SAFETY: as for reading.
    let put = |at: usize, z: Number| unsafe { work.write(at, z) };
    let real_inverse = kind == FftKind::RealInverse;
    if real_inverse {
        pass(rows, width).copy(|row, place| put(row * width + place, read(row, place)));
    } else {
        pass(rows, last).run(read, |row, place, z| {
            if place < width {
                put(row * width + place, z);
            }
        });
    }
    for (d, length) in before.iter().enumerate().rev() {
        let inner = width * before[d + 1..].iter().product::<usize>();
        let outer = batch * before[..d].iter().product::<usize>();
        let at = |line: usize, place: usize| {
            line / inner * length * inner + line % inner + place * inner
        };
        pass(outer * inner, *length).run(
            |line, place| get(at(line, place)),
            |line, place, z| put(at(line, place), z),
        );
    }
    if real_inverse {
        let half = |row: usize, place: usize| get(row * width + place);
        pass(rows, last).run(|row, place| extended(&half, row, place), write);
    } else {
        pass(rows, width).copy(|row, place| write(row, place, get(row * width + place)));
    }
    Ok(())
}

impl Pass<'_> {
    /// No transform.
    fn copy(&self, body: impl Fn(usize, usize) + Sync) {
        self.context.parallel_for(self.lines, 16, &|begin, end| {
            for line in begin..end {
                for place in 0..self.length {
                    body(line, place);
                }
            }
        });
    }
}
