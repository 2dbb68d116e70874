//! Operations that adjoints are made of, beside those of [`Make`].

use crate::tarray::{
    make::Make,
    sizes::{constants, extents, vary},
};
use mapwright_indexing::Extent;
use mapwright_mlir::{ElementType, Val, attr, op};
use mapwright_ops::attrs::Window;

impl<'c> Make<'c> {
    /// A scalar before, behind and between the elements of a tensor (before and behind also fewer
    /// than none), which then has the sizes `shape`.
    pub(super) fn pad(
        &self,
        (x, value): (Val<'c>, Val<'c>),
        (low, high, between): (&[Extent], &[Extent], &[Extent]),
        shape: &[Extent],
    ) -> Val<'c> {
        let element = self.type_of(x).0;
        let numbers = [low, high, between];
        let [Some(low), Some(high), Some(between)] = numbers.map(constants) else {
            let [low, high, between] = numbers.map(|all| self.vector(all));
            let operands = [x, value, low, high, between];
            return self.op("dynamic_pad", &operands, &element, shape, &[]);
        };
        if [&low, &high, &between]
            .iter()
            .all(|all| all.iter().all(|n| *n == 0))
        {
            return x;
        }
        let attributes = [
            ("edge_padding_low", self.b.i64_array(&low)),
            ("edge_padding_high", self.b.i64_array(&high)),
            ("interior_padding", self.b.i64_array(&between)),
        ];
        self.op("pad", &[x, value], &element, shape, &attributes)
    }

    /// Zeros behind the elements along dimension `d`, so that there are `size`.
    pub(super) fn lengthened(&self, x: Val<'c>, d: usize, size: Extent) -> Val<'c> {
        let (element, own) = self.type_of(x);
        let (none, mut shape) = (vec![Extent::ZERO; own.len()], own.clone());
        shape[d] = size;
        let mut high = none.clone();
        high[d] = size - own[d];
        let zero = self.zeros(&element, &[]);
        self.pad((x, zero), (&none, &high, &none), &shape)
    }

    /// `x` with the order along some dimensions turned round.
    pub(super) fn reverse(&self, x: Val<'c>, dims: &[i64]) -> Val<'c> {
        if dims.is_empty() {
            return x;
        }
        let (_, shape) = self.type_of(x);
        self.sized(self.b.reverse(x, dims), &shape)
    }

    /// The sum over dimensions.
    pub(super) fn sum(&self, x: Val<'c>, dims: &[i64]) -> Val<'c> {
        if dims.is_empty() {
            return x;
        }
        self.reduce("add", x, self.zeros(&self.type_of(x).0, &[]), dims)
    }

    /// The sum of all elements.
    pub(super) fn total(&self, x: Val<'c>) -> Val<'c> {
        let every: Vec<i64> = (0..self.type_of(x).1.len() as i64).collect();
        self.sum(x, &every)
    }

    /// A tensor all of whose elements are a number.
    pub(super) fn number(&self, value: f64, element: &ElementType, shape: &[Extent]) -> Val<'c> {
        let text = match element {
            ElementType::Complex(_) => format!("({value:?}, 0.0)"),
            _ => crate::hlo::float_literal(value, element),
        };
        self.splat(&text, element, shape)
    }

    /// The real part, or the imaginary one.
    pub(super) fn part(&self, name: &str, z: Val<'c>) -> Val<'c> {
        let (element, shape) = self.type_of(z);
        match element {
            ElementType::Complex(kind) => {
                self.op(name, &[z], &ElementType::Float(kind), &shape, &[])
            }
            _ => z,
        }
    }

    /// A complex number of its parts.
    pub(super) fn complex(&self, re: Val<'c>, im: Val<'c>) -> Val<'c> {
        let (element, shape) = self.type_of(re);
        let ElementType::Float(kind) = element else {
            return re;
        };
        let element = ElementType::Complex(kind);
        self.op("complex", &[re, im], &element, &shape, &[])
    }

    /// The conjugate; of a real number itself.
    pub(super) fn conjugate(&self, z: Val<'c>) -> Val<'c> {
        match self.type_of(z).0 {
            ElementType::Complex(_) => {
                let (re, im) = (self.part("real", z), self.part("imag", z));
                self.complex(re, self.same("negate", &[im]))
            }
            _ => z,
        }
    }

    /// The elements of windows put together by an operation of two scalars. The result has `shape`,
    /// which follows from the window.
    pub(super) fn windows(
        &self,
        name: &str,
        init: f64,
        x: Val<'c>,
        window: &Window,
        shape: &[Extent],
    ) -> Val<'c> {
        let (element, _) = self.type_of(x);
        self.windows_from(name, self.number(init, &element, &[]), x, window, shape)
    }

    /// As [`Make::windows`], from an initial value.
    pub(super) fn windows_from(
        &self,
        name: &str,
        init: Val<'c>,
        x: Val<'c>,
        window: &Window,
        shape: &[Extent],
    ) -> Val<'c> {
        let (element, _) = self.type_of(x);
        let body = self.b.pair_by_pair(name, std::slice::from_ref(&element));
        let made = self.b.op_with_regions(
            "stablehlo.reduce_window",
            &[x, init],
            &[self.ty(&element, shape)],
            &self.b.window_attributes(window),
            vec![body],
        );
        self.sized(made.result(0), shape)
    }

    /// A tensor of shape `own` in which each element is the sum of those of `given` whose row-major
    /// place it is; places beyond it have none.
    pub(super) fn added_at(&self, places: Val<'c>, given: Val<'c>, own: &[Extent]) -> Val<'c> {
        let (element, out) = self.type_of(given);
        let flat = self.zeros(&element, &[own.iter().product()]);
        let size = [out.iter().product()];
        let (at, updates) = (self.reshape(places, &size), self.reshape(given, &size));
        self.reshape(self.scatter(Some("add"), flat, at, updates), own)
    }

    /// The numbers of a tensor, as sizes: also those below zero, which are no more than added.
    pub(super) fn numbers_in(&self, tensor: Val<'c>) -> Vec<Extent> {
        let made = op::defining_op(tensor).filter(|_| op::is_constant(tensor));
        if let Some(numbers) = made.and_then(|(made, _)| attr::ints(made.attribute("value")?)) {
            return extents(&numbers);
        }
        let wide = self.convert(tensor, &ElementType::int(64));
        let flat = self.reshape(wide, &[self.type_of(wide).1.iter().product()]);
        let numbers = (0..self.len(flat)).map(|i| self.size_of(self.first(flat, i)));
        numbers.collect()
    }

    /// Row `i` along the first dimension, without it, whatever sizes a row has.
    pub(super) fn any_row(&self, x: Val<'c>, i: Val<'c>) -> Val<'c> {
        let (_, own) = self.type_of(x);
        if !vary(&own[1..]) {
            return self.row(x, i);
        }
        self.reshape(self.size_rows_from(x, i, Extent::ONE), &own[1..])
    }
}
