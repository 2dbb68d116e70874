//! Numbers that stand for sizes which are known at run time only.
//!
//! What the sizes of a value are is written beside the operation that makes it ([`SIZES`]): for each dimension the size, or the name of one that
//! is known at run time only, or a product of such ([`Product`]). Equal names are equal sizes. Whoever computes with shapes sees a large number in the place of each name, a
//! *stand-in*. An expression of sizes then has a value that tells the expression: `768 * n - 1` is 768 times the stand-in of `n`, less one.
//! A [`Numerals`] reads it back, and code that was made with stand-ins is code for every size. There are two sets of stand-ins, so that what was
//! made with the one can be compared with what is made with the other: where they differ, a size went into a decision or into a number that
//! nothing was read back from. No remainder of a name is the same in both: the first set is of primes, the second one of multiples of [`EVEN`], and
//! the two numbers of one name differ by a prime. What is simplified because of a remainder becomes two different things.

use crate::{Blk, Dim, Op, TensorType, Val, ValueType, op};
use melior::ir::ValueLike;
use std::sync::OnceLock;

/// The sizes of the results of an operation, one after another: a size that is known, or a [`Product`] of names, as [`Product::written`] has it.
pub const SIZES: &str = "indexing.sizes";
/// The same of the arguments of the block that a region of an operation begins with. Where several begin with arguments, those of the one that is
/// looked at.
pub const ARGUMENTS: &str = "indexing.sizes_of_arguments";

/// Names of one set. The product of three stand-ins and some hundred features is a number of elements that can be counted with.
pub const NAMES: usize = 48;
/// Stand-ins are larger than this, and numbers of programs that are computed with beside them are smaller.
///
/// No power of two is near it, and no number that is usual in programs is near a multiple of a stand-in.
pub const LEAST: i64 = 150_000;
/// What is added to a multiple of a stand-in is at most this much.
pub const NEAR: i64 = 512;
/// Between one stand-in and the next there are at least as many numbers: what is near the one is not near the other.
pub const APART: i64 = 2 * NEAR + 1;
/// What all stand-ins of the second set are multiples of. A product of some of them is, too, and none of primes.
const EVEN: i64 = 2 * 3 * 5;
/// No number of a program is a multiple of so large a prime, but for those that are one by chance.
const OWN: i64 = 500;
/// So many names, which most regions have no more than, also have products without a remainder in common by other small primes.
const FIRST: usize = 4;
const PRIMES: [i64; 8] = [7, 11, 13, 17, 19, 23, 29, 31];

/// Shape and element type of a value, with stand-ins in the place of sizes that are known at run time only; an error, in words, where these
/// have no names.
pub fn sized(value: Val<'_>) -> Result<(TensorType, Vec<i64>), String> {
    let ty = ValueType::from_mlir(value.r#type());
    let Some(tensor) = ty.tensor() else {
        return Err(format!("a value of type {ty}"));
    };
    if let Some(shape) = tensor.static_shape() {
        return Ok((tensor.clone(), shape));
    }
    let found = with_stand_ins(value, tensor);
    match found.and_then(|ty| ty.static_shape().map(|shape| (ty, shape))) {
        Some(found) => Ok(found),
        None => Err(format!("run-time sizes ({tensor})")),
    }
}

/// Numbers that programs are full of: powers of two times small odd numbers, as sizes and their products are.
fn usual_numbers() -> impl Iterator<Item = i64> {
    let odd = [1i64, 3, 5, 7, 9, 15, 21, 25, 27, 45, 81];
    let all = odd.into_iter().flat_map(|n| (0..40).map(move |k| n << k));
    all.filter(|n| *n >= LEAST / 2)
}

/// Is a number near no multiple of `stand_in`? It would be read as one.
fn is_far(number: i64, stand_in: i64) -> bool {
    let rest = number % stand_in;
    rest.min(stand_in - rest) > NEAR
}

fn is_prime(n: i64) -> bool {
    n > 1 && (2..).take_while(|d| d * d <= n).all(|d| n % d != 0)
}

/// The largest prime factor.
fn largest_factor(n: i64) -> i64 {
    let (mut rest, mut divisor) = (n, 2);
    while divisor * divisor <= rest {
        match rest % divisor {
            0 => rest /= divisor,
            _ => divisor += 1,
        }
    }
    rest
}

/// Can the number be the next one of the second set?
fn is_second(n: i64, found: &[i64]) -> bool {
    let (first, second) = found.split_at(NAMES);
    // The least is that of the last name.
    let Some(name) = (NAMES - 1).checked_sub(second.len()) else {
        return false;
    };
    let own = first[name];
    // Twice one of them is the sum of no two, and each has a factor of its own, so that no product is one of others.
    let between = |m: &i64| second.contains(&(2 * m - n));
    let factor = largest_factor(n);
    let products =
        || (name..FIRST).map(|k| (first[k], second.get(NAMES - 1 - k).copied().unwrap_or(n)));
    let alike = |m: &i64| products().any(|(one, other)| (own * one - n * other) % m == 0);
    n % EVEN == 0
        && is_prime(n - own)
        && factor > OWN
        && !second.iter().any(|m| between(m) || m % factor == 0)
        && !PRIMES.iter().any(alike)
}

/// The stand-ins of both sets, each of them ascending, and apart from each other, so that a multiple of one with a little added is not near a multiple
/// of another one.
fn all() -> &'static [i64] {
    static ALL: OnceLock<Vec<i64>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut found: Vec<i64> = Vec::with_capacity(2 * NAMES);
        let mut from = LEAST + 1;
        while found.len() < 2 * NAMES {
            let fits = |n: &i64| match found.len() < NAMES {
                true => is_prime(*n),
                false => is_second(*n, &found),
            };
            let is_far = |n: &i64| usual_numbers().all(|number| is_far(number, *n));
            let next = (from..).find(|n| fits(n) && is_far(n)).unwrap_or(i64::MAX);
            found.push(next);
            from = next + APART;
        }
        found
    })
}

/// The stand-in of name `k`; names from [`NAMES`] on are those of the second set, in which what was less before is greater. `None` beyond both.
pub fn stand_in(k: usize) -> Option<i64> {
    let place = if k < NAMES {
        k
    } else {
        (3 * NAMES - 1).checked_sub(k)?
    };
    (k < 2 * NAMES).then(|| all()[place])
}

/// Does the number stand for a size, or for a product of sizes?
pub fn is_stand_in(size: i64) -> bool {
    !factors(size).0.is_empty()
}

/// The stand-ins that a size is a product of, and what else it is a multiple of. A number that stands for no size has none.
pub fn factors(size: i64) -> (Vec<i64>, i64) {
    let (mut found, mut rest) = (Vec::new(), size);
    if size > LEAST {
        for stand_in in all() {
            while rest % stand_in == 0 {
                found.push(*stand_in);
                rest /= stand_in;
            }
        }
    }
    match rest <= Product::GREATEST {
        true => (found, rest),
        // A number that a stand-in happens to divide.
        false => (Vec::new(), size),
    }
}

/// Sizes multiplied with each other and with a number: what a tensor's size is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Product {
    /// The first name, and perhaps another one.
    pub names: (usize, Option<usize>),
    /// The number, at least 1.
    pub factor: i64,
}

impl Product {
    /// Bits of a name or a number.
    const BITS: u32 = 20;
    /// The greatest number that names are multiplied with.
    pub const GREATEST: i64 = LEAST / 4;

    /// A name alone.
    pub fn name(k: usize) -> Self {
        Self {
            names: (k, None),
            factor: 1,
        }
    }

    /// As it is written: `-1 - k` for name `k`. `None` if a name or the number is too large.
    pub fn written(self) -> Option<i64> {
        let (first, second) = self.names;
        let parts = [
            first,
            second.map_or(0, |k| k + 1),
            (self.factor - 1) as usize,
        ];
        let mut code = 0;
        for (place, part) in parts.into_iter().enumerate() {
            if part >> Self::BITS != 0 {
                return None;
            }
            code |= (part as i64) << (place as u32 * Self::BITS);
        }
        Some(-1 - code)
    }

    /// What is written; `None` for a size that is known.
    pub fn read(size: i64) -> Option<Self> {
        if size >= 0 {
            return None;
        }
        let part = |place: u32| ((-1 - size) >> (place * Self::BITS)) & ((1 << Self::BITS) - 1);
        Some(Self {
            names: (part(0) as usize, (part(1) as usize).checked_sub(1)),
            factor: part(2) + 1,
        })
    }

    /// The same of other names.
    #[must_use]
    pub fn renamed(self, f: &mut dyn FnMut(usize) -> usize) -> Self {
        let (first, second) = self.names;
        Self {
            names: (f(first), second.map(f)),
            factor: self.factor,
        }
    }

    /// The number that stands for it.
    pub fn stand_in(self) -> Option<i64> {
        let (first, second) = self.names;
        let second = second.map_or(Some(1), stand_in)?;
        stand_in(first)?
            .checked_mul(second)?
            .checked_mul(self.factor)
    }
}

/// The operation of which a region begins with `block`.
pub fn begins<'c>(block: Blk<'c>) -> Option<Op<'c>> {
    let parent = op::parent_of_block(block)?;
    let mut regions = 0..parent.num_regions();
    regions
        .any(|region| parent.body(region) == Some(block))
        .then_some(parent)
}

/// The list of sizes that a value's are part of: the operation that holds it, the attribute, and the place of the first.
fn holder<'c>(value: Val<'c>) -> Option<(Op<'c>, &'static str, usize)> {
    let rank = |value: Val<'c>| TensorType::from_mlir(value.r#type()).map_or(0, |ty| ty.rank());
    if let Some((op, number)) = op::defining_op(value) {
        let before = (0..number).map(|i| rank(op.result(i))).sum();
        return Some((op, SIZES, before));
    }
    let (block, number) = op::block_argument(value)?;
    let parent = begins(block)?;
    let before = op::arguments(block)
        .into_iter()
        .take(number)
        .map(rank)
        .sum();
    Some((parent, ARGUMENTS, before))
}

/// What is written beside a value of its sizes, as [`SIZES`] has it.
pub fn noted(value: Val<'_>) -> Option<Vec<i64>> {
    let ty = TensorType::from_mlir(value.r#type())?;
    if let Some(shape) = ty.static_shape() {
        return Some(shape);
    }
    let (op, attribute, at) = holder(value)?;
    let all = op.ints(attribute)?;
    Some(all.get(at..at + ty.rank())?.to_vec())
}

/// Takes away what is written beside the operation that a value is of.
pub fn forget(value: Val<'_>) {
    if let Some((op, attribute, _)) = holder(value) {
        op.remove_attribute(attribute);
    }
}

/// A type with stand-ins in the place of run-time sizes; `None` where these have no names.
pub fn with_stand_ins(value: Val<'_>, ty: &TensorType) -> Option<TensorType> {
    let size = |size: i64| match Product::read(size) {
        None => Some(Dim::Static(size)),
        Some(product) => product.stand_in().map(Dim::Static),
    };
    let dims = noted(value)?.into_iter().map(size).collect::<Option<_>>()?;
    Some(TensorType {
        element: ty.element.clone(),
        dims,
    })
}

/// A size as it may be expected: of those that are known at run time only, what is usual.
pub fn typical(size: i64) -> i64 {
    let (sizes, number) = factors(size);
    (sizes.iter()).fold(number, |all, _| all.saturating_mul(1024))
}

/// Is it one of the sizes here, or a multiple of one?
pub fn depends_on(size: i64, stand_ins: &[i64]) -> bool {
    size.unsigned_abs() > LEAST as u64 && stand_ins.iter().any(|n| size % n == 0)
}

/// Reads expressions of sizes back from their values.
#[derive(Clone, Debug)]
pub struct Numerals<T> {
    /// Stand-ins, and what each is at run time.
    pub sizes: Vec<(i64, T)>,
}

/// An expression of sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numeral<T> {
    /// The factors that are run-time sizes.
    pub sizes: Vec<T>,
    /// The factor that is not.
    pub factor: i64,
    /// Another product of sizes and a number, which is added: `(n + 3) * m` is `n * m` and `m * 3`.
    pub more: Option<(Vec<T>, i64)>,
    /// What is added.
    pub constant: i64,
}

impl<T> Numeral<T> {
    /// A number that depends on no size.
    pub fn known(number: i64) -> Self {
        Self {
            sizes: Vec::new(),
            factor: 0,
            more: None,
            constant: number,
        }
    }

    /// With `number` taken away.
    #[must_use]
    pub fn less(self, number: i64) -> Self {
        Self {
            constant: self.constant - number,
            ..self
        }
    }
}

impl<T: Copy> Numerals<T> {
    /// The expression that a number is the value of; `None` for a number that is only itself.
    pub fn read(&self, number: i64) -> Option<Numeral<T>> {
        if self.sizes.is_empty() || number.unsigned_abs() < (LEAST / 2) as u64 {
            return None;
        }
        let product = |number: i64, constant: i64| {
            let (mut factor, mut sizes) = (number, Vec::new());
            for (stand_in, size) in &self.sizes {
                while factor != 0 && factor % stand_in == 0 {
                    factor /= stand_in;
                    sizes.push(*size);
                }
            }
            let whole = !sizes.is_empty() && factor.unsigned_abs() < (LEAST / 2) as u64;
            let own = whole.then(|| Numeral {
                sizes: sizes.clone(),
                factor,
                more: None,
                constant,
            });
            own.or_else(|| self.near_multiple(&sizes, factor).filter(|_| constant == 0))
        };
        // With the least that can be added.
        let near = self.sizes.iter().filter_map(|(stand_in, _)| {
            let rest = number.rem_euclid(*stand_in);
            let rest = match rest > stand_in / 2 {
                true => rest - stand_in,
                false => rest,
            };
            match rest.abs() <= NEAR {
                true => product(number.checked_sub(rest)?, rest),
                false => None,
            }
        });
        product(number, 0).or_else(|| near.min_by_key(|found| found.constant.abs()))
    }

    /// `sizes` times a number that is near a multiple of another size.
    fn near_multiple(&self, sizes: &[T], factor: i64) -> Option<Numeral<T>> {
        let found = self.sizes.iter().filter_map(|(stand_in, size)| {
            let rest = factor.rem_euclid(*stand_in);
            let rest = match rest > stand_in / 2 {
                true => rest - stand_in,
                false => rest,
            };
            let times = (factor - rest) / stand_in;
            let fits = !sizes.is_empty()
                && rest.abs() <= NEAR
                && times != 0
                && times.unsigned_abs() < (LEAST / 2) as u64;
            fits.then(|| Numeral {
                sizes: [sizes, &[*size]].concat(),
                factor: times,
                more: Some((sizes.to_vec(), rest)),
                constant: 0,
            })
        });
        found.min_by_key(|found| found.more.as_ref().map(|(_, rest)| rest.abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_read_back() {
        let (n, m) = (stand_in(0).unwrap(), stand_in(NAMES + 1).unwrap());
        let numerals = Numerals {
            sizes: vec![(n, 'n'), (m, 'm')],
        };
        let read = |number| {
            numerals
                .read(number)
                .map(|x| (x.sizes.iter().collect::<String>(), x.factor, x.constant))
        };
        for (sizes, value) in [("n", n), ("m", m), ("nm", n * m), ("nn", n * n)] {
            for factor in [1, -1, 2, 768, 50257] {
                for constant in [-512, -1, 0, 7] {
                    let found = read(factor * value + constant);
                    assert_eq!(found, Some((sizes.into(), factor, constant)));
                }
            }
        }
        let near = numerals.read((n - 7) * m);
        let more = near.and_then(|x| Some((x.sizes.len(), x.factor, x.more?)));
        assert_eq!(more, Some((2, 1, (vec!['m'], -7))));
        for number in [
            0,
            1 << 18,
            1,
            -1,
            3072,
            65535,
            768 * 3072,
            5120 * 13824,
            1 << 20,
            (1 << 20) * 81,
            i64::MIN,
            i64::MAX,
        ] {
            assert_eq!(read(number), None, "{number}");
        }
    }

    #[test]
    fn every_name_has_a_stand_in_of_its_own() {
        let all: std::collections::BTreeSet<i64> =
            (0..2 * NAMES).map(|k| stand_in(k).unwrap()).collect();
        assert_eq!(all.len(), 2 * NAMES);
        assert!(all.iter().all(|n| is_stand_in(*n)));
        assert_eq!(
            (stand_in(2 * NAMES), is_stand_in(LEAST), is_stand_in(12)),
            (None, false, false)
        );
        for product in [
            Product::name(0),
            Product {
                names: (3, Some(0)),
                factor: 1,
            },
            Product {
                names: (NAMES, Some(NAMES)),
                factor: 32,
            },
            Product {
                names: (5, None),
                factor: Product::GREATEST,
            },
        ] {
            assert_eq!(product.written().and_then(Product::read), Some(product));
            let (mut sizes, factor) = factors(product.stand_in().unwrap());
            sizes.sort_unstable();
            let (first, second) = product.names;
            let mut names: Vec<i64> = [Some(first), second]
                .into_iter()
                .flatten()
                .filter_map(stand_in)
                .collect();
            names.sort_unstable();
            assert_eq!((sizes, factor), (names, product.factor));
        }
        assert_eq!(Product::name(1 << 20).written(), None);
        for k in 0..NAMES {
            let [one, other] = [k, NAMES + k].map(|k| stand_in(k).unwrap());
            for m in 2..2000 {
                assert!(one % m != other % m || is_prime(m) && other - one == m);
            }
            for m in [2, 3, 5] {
                assert!(one % m != 0 && other % m == 0);
            }
        }
        for k in 1..NAMES {
            assert!(stand_in(k - 1) < stand_in(k) && stand_in(NAMES + k - 1) > stand_in(NAMES + k));
        }
    }
}
