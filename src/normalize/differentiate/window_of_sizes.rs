//! Windows that sizes known at run time only are a part of: the relation of
//! [`window`](super::window), in vectors that the program computes.
//!
//! Their reductions are what JAX calls by the name `stablehlo.dynamic_reduce_window`, their
//! convolutions `dynamic_conv`.

use super::{
    extremes::Extreme,
    reverse::Reverse,
    window::{over_elements, over_places},
};
use crate::{
    rewrite::{Result, fail},
    tarray::make::Make,
};
use mapwright_indexing::Extent;
use mapwright_mlir::{Blk, Builder, ElementType, Op, Ty, Val, melior::ir::ValueLike, op};
use mapwright_ops::attrs::{self, Window};

/// A window whose numbers are vectors with an element a dimension.
#[derive(Clone, Copy)]
pub(super) struct Sliding<'c> {
    pub(super) size: Val<'c>,
    pub(super) stride: Val<'c>,
    pub(super) base_dilation: Val<'c>,
    pub(super) window_dilation: Val<'c>,
    pub(super) low: Val<'c>,
    pub(super) high: Val<'c>,
}

impl<'c> Make<'c> {
    /// Ones, as many as a vector has elements.
    fn ones(&self, like: Val<'c>) -> Val<'c> {
        self.ints(&vec![1; self.len(like) as usize])
    }

    /// Computes the extent of `n` elements that are moved `step` apart: `(n - 1) * step + 1`, and 0
    /// for no elements. All are vectors, one number a dimension.
    pub(super) fn reach(&self, sizes: Val<'c>, step: Val<'c>) -> Val<'c> {
        let one = self.ones(sizes);
        let last = self.same("multiply", &[self.sub(sizes, one), step]);
        let none = self.sub(one, one);
        self.max(self.add(last, one), none)
    }
}

impl<'c> Sliding<'c> {
    /// A window of known steps over sizes that are not: `size` has those of the window, `padding` a
    /// pair a dimension, if it is an operand.
    pub(super) fn of_attributes(
        m: &Make<'c>,
        window: &Window,
        size: Val<'c>,
        padding: Option<Val<'c>>,
    ) -> Self {
        let (low, high) = match padding {
            Some(padding) => pairs(m, padding),
            None => {
                let (low, high): (Vec<i64>, Vec<i64>) = window.padding.iter().copied().unzip();
                (m.ints(&low), m.ints(&high))
            }
        };
        Self {
            size,
            stride: m.ints(&window.stride),
            base_dilation: m.ints(&window.base_dilation),
            window_dilation: m.ints(&window.window_dilation),
            low,
            high,
        }
    }

    /// Of a reduction of windows of rank `rank`, whether its numbers are attributes or operands.
    pub(super) fn of_reduction(m: &Make<'c>, op: Op<'c>, rank: usize) -> Result<'c, Self> {
        if attrs::name(op) != "dynamic_reduce_window" {
            return match Window::reduce_window(op, rank) {
                Ok(window) => Ok(Self::of_attributes(m, &window, m.ints(&window.size), None)),
                Err(error) => fail(op, error.to_string()),
            };
        }
        let n = match attrs::window_inputs(op) {
            Ok(n) => n,
            Err(error) => return fail(op, error.to_string()),
        };
        let wide = |k: usize| m.convert(op.operand(2 * n + k), &ElementType::int(64));
        let (low, high) = pairs(m, op.operand(2 * n + 4));
        Ok(Self {
            size: wide(0),
            stride: wide(1),
            base_dilation: wide(2),
            window_dilation: wide(3),
            low,
            high,
        })
    }

    /// The padding behind so that there are `count` windows over `size` elements.
    fn behind(&self, m: &Make<'c>, size: Val<'c>, count: Val<'c>) -> Val<'c> {
        let reach = m.reach(self.size, self.window_dilation);
        let steps = m.sub(count, m.ones(count));
        let padded = m.add(m.same("multiply", &[steps, self.stride]), reach);
        let elements = m.reach(size, self.base_dilation);
        m.sub(m.sub(padded, elements), self.low)
    }

    /// As [`over_elements`].
    pub(super) fn over_elements(&self, m: &Make<'c>, operand: Val<'c>, result: Val<'c>) -> Self {
        let reach = m.reach(self.size, self.window_dilation);
        let low = m.sub(m.sub(reach, m.ones(reach)), self.low);
        let mut found = Self {
            stride: self.base_dilation,
            base_dilation: self.stride,
            low,
            ..*self
        };
        found.high = found.behind(m, result, operand);
        found
    }

    /// As [`over_places`].
    pub(super) fn over_places(&self, m: &Make<'c>, operand: Val<'c>, result: Val<'c>) -> Self {
        let mut found = Self {
            size: result,
            stride: self.window_dilation,
            window_dilation: self.stride,
            ..*self
        };
        found.high = found.behind(m, operand, self.size);
        found
    }

    /// The padding as pairs, a row a dimension.
    pub(super) fn padding(&self, m: &Make<'c>) -> Val<'c> {
        let column = |x: Val<'c>| m.reshape(x, &[m.len(x).into(), Extent::ONE]);
        m.concatenate(&[column(self.low), column(self.high)], 1)
    }
}

/// The columns of pairs.
fn pairs<'c>(m: &Make<'c>, padding: Val<'c>) -> (Val<'c>, Val<'c>) {
    let wide = m.convert(padding, &ElementType::int(64));
    let n = m.type_of(wide).1[0];
    let column = |k: i64| m.reshape(m.slice(wide, 1, (k, 1, k + 1)), &[n]);
    (column(0), column(1))
}

/// The windows of known steps of which an adjoint's are made; sizes of theirs mean nothing where
/// sizes are known at run time only.
pub(super) fn steps(window: &Window, elements: bool) -> Window {
    let none = vec![1; window.size.len()];
    if elements {
        over_elements(window, &none, &none)
    } else {
        over_places(window, &none, &none)
    }
}

impl<'c> Reverse<'c> {
    /// Tells whether sizes of a reduction's windows, or of the dimensions along which they slide,
    /// are known at run time only.
    pub(super) fn varies_along(&self, op: Op<'c>) -> bool {
        let (_, own) = self.m.type_of(op.operand(0));
        let Ok(window) = Window::reduce_window(op, own.len()) else {
            return attrs::name(op) == "dynamic_reduce_window";
        };
        let still = |d: usize| {
            (window.size[d], window.stride[d], window.base_dilation[d]) == (1, 1, 1)
                && window.padding[d] == (0, 0)
        };
        (0..own.len()).any(|d| own[d].is_run_time() && !still(d))
    }

    /// A function of scalars that reductions name; it stands before the one that is being made.
    fn reducer(
        &self,
        types: &[Ty<'c>],
        body: impl FnOnce(&Make<'c>, &[Val<'c>]) -> Vec<Val<'c>>,
    ) -> Option<String> {
        let mut function = op::parent_of_block(self.m.b.block())?;
        while function.name() != "func.func" {
            function = function.parent()?;
        }
        let own = function.string("sym_name")?;
        let beside: Vec<Option<String>> = (function.parent()?.body(0).map(op::ops))?
            .into_iter()
            .map(|op| op.string("sym_name"))
            .collect();
        let name = (0..)
            .map(|k| format!("{own}_windows_{k}"))
            .find(|name| !beside.contains(&Some(name.clone())))?;
        let m = self
            .m
            .elsewhere(Builder::before(function.context(), function)?);
        let mut results = Vec::new();
        let region = m.b.region(types, |b, arguments| {
            let values = body(&m, arguments);
            results = values.iter().map(|value| value.r#type()).collect();
            b.op("func.return", &values, &[], &[]);
        });
        let ty = m.b.function_type(types, &results);
        let attributes = [
            ("sym_name", m.b.str_attr(&name)),
            ("sym_visibility", m.b.str_attr("private")),
            ("function_type", m.b.type_attr(ty)),
        ];
        m.b.op_with_regions("func.func", &[], &[], &attributes, vec![region]);
        Some(name)
    }

    /// The elements of windows of `inputs` put together by a function of that name. Results have
    /// the sizes `shape`.
    fn windows_by(
        &self,
        name: &str,
        inputs: &[Val<'c>],
        inits: &[Val<'c>],
        window: &Sliding<'c>,
        shape: &[Extent],
    ) -> Vec<Val<'c>> {
        let m = &self.m;
        let mut operands = [inputs, inits].concat();
        operands.extend([
            window.size,
            window.stride,
            window.base_dilation,
            window.window_dilation,
            window.padding(m),
        ]);
        let types: Vec<Ty<'c>> = (inputs.iter())
            .map(|input| m.ty(&m.type_of(*input).0, shape))
            .collect();
        let attributes = [
            (
                "call_target_name",
                m.b.str_attr("stablehlo.dynamic_reduce_window"),
            ),
            ("called_computations", m.b.parse_attr(&format!("[@{name}]"))),
            ("api_version", m.b.parse_attr("2 : i32")),
        ];
        let made =
            m.b.op("stablehlo.custom_call", &operands, &types, &attributes);
        (made.results().into_iter())
            .map(|value| m.sized(value, shape))
            .collect()
    }

    /// The elements of windows put together by an operation of two scalars, from a number on.
    pub(super) fn windows_of_sizes(
        &self,
        name: &str,
        init: f64,
        x: Val<'c>,
        window: &Sliding<'c>,
        shape: &[Extent],
    ) -> Val<'c> {
        let m = &self.m;
        let (element, _) = m.type_of(x);
        let scalar = m.ty(&element, &[]);
        let reducer = self.reducer(&[scalar, scalar], |m, x| vec![m.same(name, x)]);
        let Some(reducer) = reducer else {
            m.refuse("windows outside of a function");
            return m.zeros(&element, shape);
        };
        let init = m.number(init, &element, &[]);
        self.windows_by(&reducer, &[x], &[init], window, shape)[0]
    }

    /// As [`Reverse::places_of`](super::extremes).
    pub(super) fn places_of_sizes(
        &self,
        x: Val<'c>,
        window: &Sliding<'c>,
        extreme: Extreme,
        shape: &[Extent],
    ) -> Val<'c> {
        let m = &self.m;
        let (element, own) = m.type_of(x);
        let number = ElementType::int(64);
        let places = m.reshape(m.iota(&[own.iter().product()], 0), &own);
        let [value, place] = [m.ty(&element, &[]), m.ty(&number, &[])];
        let types = [value, place, value, place];
        let Some(reducer) = self.reducer(&types, |m, x| extreme.chosen(m, x).to_vec()) else {
            m.refuse("windows outside of a function");
            return m.zeros(&number, shape);
        };
        let inits = [m.number(extreme.last(), &element, &[]), m.int(i64::MAX)];
        self.windows_by(&reducer, &[x, places], &inits, window, shape)[1]
    }
}

/// The body of a reduction, of windows too.
pub(super) fn body<'c>(op: Op<'c>) -> Option<Blk<'c>> {
    attrs::computation(op, 0)
}
