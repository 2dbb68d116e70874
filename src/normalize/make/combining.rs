//! Operations that put elements together: reductions, windows, scatters and products.

use super::{HloBuilder, own};
use mapwright_mlir::melior::ir::{Region, ValueLike};
use mapwright_mlir::{Attr, ElementType, Op, TensorType, Ty, Val};
use mapwright_ops::attrs::Window;
use std::fmt::Debug;

impl<'c> HloBuilder<'c> {
    /// Sum over `dims`.
    pub(crate) fn sum(&self, x: Val<'c>, dims: &[i64]) -> Val<'c> {
        if dims.is_empty() {
            return x;
        }
        self.reduce("add", x, self.zero(&own(x).element), dims)
    }

    /// A reduction of dimensions by an operation of two scalars.
    pub(crate) fn reduce(&self, name: &str, x: Val<'c>, init: Val<'c>, dims: &[i64]) -> Val<'c> {
        let body = self.pair_by_pair(name, &[own(x).element]);
        let dims = [("dimensions", self.i64_array(dims))];
        (self.typed("stablehlo.reduce", &[x, init], &dims, vec![body])).result(0)
    }

    /// The elements of windows put together by an operation of two scalars; the windows are what
    /// the attributes say.
    pub(crate) fn windows(
        &self,
        name: &str,
        x: Val<'c>,
        init: Val<'c>,
        attributes: &[(&str, Attr<'c>)],
    ) -> Val<'c> {
        let body = self.pair_by_pair(name, &[own(x).element]);
        let made = self.typed(
            "stablehlo.reduce_window",
            &[x, init],
            attributes,
            vec![body],
        );
        made.result(0)
    }

    /// `x` with updates in it, put together with what is there by an operation of two scalars, or
    /// in its place; where is what the attributes say.
    pub(crate) fn scatter(
        &self,
        name: Option<&str>,
        [x, at, updates]: [Val<'c>; 3],
        attributes: &[(&str, Attr<'c>)],
    ) -> Val<'c> {
        let element = own(x).element;
        let body = match name {
            Some(name) => self.pair_by_pair(name, &[element]),
            None => {
                let scalar = self.ty(&TensorType::new(element, &[]));
                self.region(&[scalar, scalar], |b, arguments| {
                    b.op("stablehlo.return", &arguments[1..], &[], &[]);
                })
            }
        };
        let (operands, types) = ([x, at, updates], [x.r#type()]);
        let made = self.op_with_regions(
            "stablehlo.scatter",
            &operands,
            &types,
            attributes,
            vec![body],
        );
        made.result(0)
    }

    /// The attributes that say what the windows of a `reduce_window` are.
    pub(crate) fn window_attributes(&self, window: &Window) -> [(&'static str, Attr<'c>); 5] {
        [
            ("window_dimensions", self.i64_array(&window.size)),
            ("window_strides", self.i64_array(&window.stride)),
            ("base_dilations", self.i64_array(&window.base_dilation)),
            ("window_dilations", self.i64_array(&window.window_dilation)),
            ("padding", self.pairs(window.padding.iter().copied())),
        ]
    }

    /// The computation of a reduction that puts numbers of these types together by one operation,
    /// pair by pair.
    pub(crate) fn pair_by_pair(&self, name: &str, of: &[ElementType]) -> Region<'c> {
        let scalars = of
            .iter()
            .map(|element| self.ty(&TensorType::new(element.clone(), &[])));
        let scalars: Vec<Ty<'c>> = scalars.collect();
        self.region(&scalars.repeat(2), |b, arguments| {
            let (own, coming) = arguments.split_at(of.len());
            let pairs = own.iter().zip(coming);
            let values: Vec<_> = pairs.map(|(x, y)| self.binary(name, *x, *y)).collect();
            b.op("stablehlo.return", &values, &[], &[]);
        })
    }

    /// `reduction`, a `reduce` or `reduce_window`, of other operands, to other types, with sums for
    /// its computation.
    pub(crate) fn sums(
        &self,
        reduction: Op<'c>,
        operands: &[Val<'c>],
        to: &[TensorType],
    ) -> Op<'c> {
        let types: Vec<Ty<'c>> = to.iter().map(|ty| self.ty(ty)).collect();
        let (name, attributes) = (reduction.name(), reduction.attributes());
        let elements: Vec<ElementType> = to.iter().map(|ty| ty.element.clone()).collect();
        let region = self.pair_by_pair("add", &elements);
        self.op_with_regions(name, operands, &types, &attributes, vec![region])
    }

    /// The attribute of a product: the dimensions of both sides.
    pub(crate) fn dot_numbers<N: Debug>(
        &self,
        batching: [&[N]; 2],
        contracting: [&[N]; 2],
    ) -> Attr<'c> {
        self.parse_attr(&format!(
            "#stablehlo.dot<lhs_batching_dimensions = {:?}, rhs_batching_dimensions = {:?}, lhs_contracting_dimensions = {:?}, rhs_contracting_dimensions = {:?}>",
            batching[0], batching[1], contracting[0], contracting[1]
        ))
    }

    /// `dot_general`; batching and contracting dimensions of both sides.
    pub(crate) fn dot(
        &self,
        (l, r): (Val<'c>, Val<'c>),
        batching: (&[usize], &[usize]),
        contracting: (&[usize], &[usize]),
        element: &ElementType,
    ) -> Val<'c> {
        let (lt, rt) = (own(l), own(r));
        let mut dims: Vec<_> = batching.0.iter().map(|d| lt.dims[*d]).collect();
        for (ty, batching, contracting) in [
            (lt, batching.0, contracting.0),
            (rt, batching.1, contracting.1),
        ] {
            let free = |d: &usize| !batching.contains(d) && !contracting.contains(d);
            dims.extend((0..ty.rank()).filter(free).map(|d| ty.dims[d]));
        }
        let to = TensorType {
            element: element.clone(),
            dims,
        };
        let numbers = self.dot_numbers(batching.into(), contracting.into());
        let numbers = [("dot_dimension_numbers", numbers)];
        self.operation("stablehlo.dot_general", &[l, r], &to, &numbers)
    }
}
