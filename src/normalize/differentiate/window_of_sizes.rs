//! Windows of which some numbers are known at run time only: their reductions are what JAX calls by
//! the name `stablehlo.dynamic_reduce_window`.

use super::{
    extremes::Extreme,
    reverse::Reverse,
    window::{Along, each, from_known, known},
};
use crate::{
    rewrite::{Result, fail},
    tarray::make::Make,
};
use mapwright_indexing::Extent;
use mapwright_mlir::{Blk, Builder, ElementType, Op, Ty, Val, melior::ir::ValueLike, op};
use mapwright_ops::attrs::{self, Window};

/// The windows of a reduction of rank `rank`, whether their numbers are attributes or operands.
pub(super) fn of_reduction<'c>(m: &Make<'c>, op: Op<'c>, rank: usize) -> Result<'c, Vec<Along>> {
    if attrs::name(op) != "dynamic_reduce_window" {
        return match Window::reduce_window(op, rank) {
            Ok(window) => Ok(from_known(&window)),
            Err(error) => fail(op, error.to_string()),
        };
    }
    let n = match attrs::window_inputs(op) {
        Ok(n) => n,
        Err(error) => return fail(op, error.to_string()),
    };
    let all = [0, 1, 2, 3, 4].map(|k| m.numbers_in(op.operand(2 * n + k)));
    let number = |k: usize, d: usize| all[k].get(d).copied().unwrap_or_default();
    let along = |d: usize| Along {
        size: number(0, d),
        stride: number(1, d),
        base_dilation: number(2, d),
        window_dilation: number(3, d),
        padding: (number(4, 2 * d), number(4, 2 * d + 1)),
    };
    Ok((0..rank).map(along).collect())
}

impl<'c> Make<'c> {
    /// The padding as pairs, a row a dimension.
    pub(super) fn padding_of(&self, windows: &[Along]) -> Val<'c> {
        let pairs = windows.iter().map(|along| along.padding);
        let all: Vec<Extent> = pairs.flat_map(|(low, high)| [low, high]).collect();
        let rows = Extent::from(windows.len() as i64);
        self.reshape(self.vector(&all), &[rows, 2.into()])
    }
}

impl<'c> Reverse<'c> {
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
        windows: &[Along],
        shape: &[Extent],
    ) -> Vec<Val<'c>> {
        let m = &self.m;
        let mut operands = [inputs, inits].concat();
        let numbers: [fn(&Along) -> Extent; 4] = [
            |along| along.size,
            |along| along.stride,
            |along| along.base_dilation,
            |along| along.window_dilation,
        ];
        operands.extend(numbers.map(|number| m.vector(&each(windows, number))));
        operands.push(m.padding_of(windows));
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

    /// Sums of windows. The result has `shape`, which follows from the windows.
    pub(super) fn sums_of(&self, x: Val<'c>, windows: &[Along], shape: &[Extent]) -> Val<'c> {
        let m = &self.m;
        if let Some(window) = known(windows) {
            return m.windows("add", 0.0, x, &window, shape);
        }
        let (element, _) = m.type_of(x);
        let scalar = m.ty(&element, &[]);
        let reducer = self.reducer(&[scalar, scalar], |m, x| vec![m.same("add", x)]);
        let Some(reducer) = reducer else {
            m.refuse("windows outside of a function");
            return m.zeros(&element, shape);
        };
        let zero = m.zeros(&element, &[]);
        self.windows_by(&reducer, &[x], &[zero], windows, shape)[0]
    }

    /// As [`Reverse::places_of`](super::extremes).
    pub(super) fn places_of_sizes(
        &self,
        x: Val<'c>,
        windows: &[Along],
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
        self.windows_by(&reducer, &[x, places], &inits, windows, shape)[1]
    }
}

/// The body of a reduction, of windows too.
pub(super) fn body<'c>(op: Op<'c>) -> Option<Blk<'c>> {
    attrs::computation(op, 0)
}
