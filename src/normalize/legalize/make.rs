//! Making StableHLO operations before another one.

use crate::hlo::zero_literal;
use mapwright_mlir::melior::ir::{Region, ValueLike};
use mapwright_mlir::{Attr, Builder, Dim, ElementType, FloatKind, Op, TensorType, Ty, Val};

/// The tensor type of a value; what has operands of other types is not rewritten.
pub(super) fn tensor(value: Val<'_>) -> Option<TensorType> {
    TensorType::from_mlir(value.r#type())
}

/// The tensor type of a value that was looked at, or made here.
pub(super) fn own(value: Val<'_>) -> TensorType {
    tensor(value).unwrap_or_else(|| unreachable!("operands are tensors"))
}

/// What the products of a contraction are added up in; nothing for types that are not contracted as they are.
pub(super) fn accumulator(
    left: &ElementType,
    right: &ElementType,
    result: &ElementType,
) -> Option<ElementType> {
    let float = |element: &ElementType| match element {
        ElementType::Float(kind) => matches!(
            kind,
            FloatKind::F16 | FloatKind::BF16 | FloatKind::F32 | FloatKind::F64
        ),
        _ => false,
    };
    let int =
        |element: &ElementType| matches!(element, ElementType::Int { width, .. } if *width >= 8);
    match result {
        _ if [left, right, result].into_iter().all(int) => Some(result.clone()),
        _ if ![left, right, result].into_iter().all(float) => None,
        ElementType::Float(FloatKind::F64) => Some(result.clone()),
        _ if [left, right].contains(&&ElementType::Float(FloatKind::F64)) => None,
        _ => Some(ElementType::Float(FloatKind::F32)),
    }
}

/// Makes operations before `op`, at its location.
pub(super) struct HloBuilder<'c> {
    b: Builder<'c>,
}

impl<'c> HloBuilder<'c> {
    pub(super) fn before(op: Op<'c>) -> Option<Self> {
        Builder::before(op.context(), op).map(|b| Self { b })
    }

    /// What appends operations there.
    pub(super) fn builder(&self) -> &Builder<'c> {
        &self.b
    }

    pub(super) fn ty(&self, tensor: &TensorType) -> Ty<'c> {
        self.b.parse_type(&tensor.to_string())
    }

    /// An attribute from its text.
    pub(super) fn attribute(&self, text: &str) -> Attr<'c> {
        self.b.parse_attr(text)
    }

    /// Any operation with one result.
    pub(super) fn operation(
        &self,
        name: &str,
        operands: &[Val<'c>],
        to: &TensorType,
        attributes: &[(&str, Attr<'c>)],
    ) -> Val<'c> {
        self.b.op1(name, operands, self.ty(to), attributes)
    }

    /// Any operation.
    pub(super) fn several(
        &self,
        name: &str,
        operands: &[Val<'c>],
        to: &[TensorType],
        attributes: &[(&str, Attr<'c>)],
    ) -> Op<'c> {
        let types: Vec<Ty<'c>> = to.iter().map(|ty| self.ty(ty)).collect();
        self.b.op(name, operands, &types, attributes)
    }

    pub(super) fn unary(&self, name: &str, x: Val<'c>) -> Val<'c> {
        self.b.same(&format!("stablehlo.{name}"), &[x])
    }

    pub(super) fn binary(&self, name: &str, x: Val<'c>, y: Val<'c>) -> Val<'c> {
        self.b.same(&format!("stablehlo.{name}"), &[x, y])
    }

    /// `x` spread over the shape of `like`, whose sizes may be known at run time only.
    pub(super) fn broadcast_like(&self, x: Val<'c>, like: Val<'c>, dims: &[i64]) -> Val<'c> {
        let to = TensorType {
            element: own(x).element,
            dims: own(like).dims,
        };
        if to.static_shape().is_some() {
            return self.broadcast(x, &to, dims);
        }
        let one = TensorType::new(ElementType::int(32), &[1]);
        let sizes = (0..to.rank()).map(|d| self.reshape(self.size(like, d), &one));
        let sizes = self.concatenate(&sizes.collect::<Vec<_>>(), 0);
        let dims = [("broadcast_dimensions", self.b.i64_array(dims))];
        self.operation(
            "stablehlo.dynamic_broadcast_in_dim",
            &[x, sizes],
            &to,
            &dims,
        )
    }

    /// Tensors of static shape behind each other along dimension `d`.
    pub(super) fn concatenate(&self, parts: &[Val<'c>], d: usize) -> Val<'c> {
        let mut to = own(parts[0]);
        let sizes = parts.iter().filter_map(|part| own(*part).dims[d].fixed());
        to.dims[d] = Dim::Static(sizes.sum());
        let axis = [("dimension", self.b.i64_attr(d as i64))];
        self.operation("stablehlo.concatenate", parts, &to, &axis)
    }

    /// Numbers that count up along dimension `d`.
    pub(super) fn iota(&self, to: &TensorType, d: usize) -> Val<'c> {
        let along = [("iota_dimension", self.b.i64_attr(d as i64))];
        self.operation("stablehlo.iota", &[], to, &along)
    }

    /// The size of a dimension, a scalar `i32`.
    pub(super) fn size(&self, x: Val<'c>, dim: usize) -> Val<'c> {
        let to = TensorType::new(ElementType::int(32), &[]);
        let dim = [("dimension", self.b.i64_attr(dim as i64))];
        self.operation("stablehlo.get_dimension_size", &[x], &to, &dim)
    }

    /// `value` in the shape and type of `like`.
    pub(super) fn splat(&self, value: f64, like: Val<'c>) -> Val<'c> {
        let whole = own(like);
        let number = Self::literal(value);
        if whole.static_shape().is_some() {
            return self.constant(&number, &whole);
        }
        let scalar = TensorType::new(whole.element, &[]);
        self.broadcast_like(self.constant(&number, &scalar), like, &[])
    }

    /// MLIR wants a decimal point: 4e0 is written 4.0e0.
    pub(super) fn literal(value: f64) -> String {
        let mut number = format!("{value:e}");
        if !number.contains('.')
            && let Some(at) = number.find('e')
        {
            number.insert_str(at, ".0");
        }
        number
    }

    /// The number of this literal everywhere, in a tensor of static shape.
    pub(super) fn constant(&self, literal: &str, to: &TensorType) -> Val<'c> {
        let value = self.attribute(&format!("dense<{literal}> : {to}"));
        self.operation("stablehlo.constant", &[], to, &[("value", value)])
    }

    /// A number for each slice along dimension `d` of `to`.
    pub(super) fn slices(
        &self,
        element: &ElementType,
        literals: &[String],
        to: &TensorType,
        d: i64,
    ) -> Val<'c> {
        let line = TensorType::new(element.clone(), &[literals.len() as i64]);
        let list = format!("[{}]", literals.join(", "));
        self.broadcast(self.constant(&list, &line), to, &[d])
    }

    pub(super) fn broadcast(&self, x: Val<'c>, to: &TensorType, dims: &[i64]) -> Val<'c> {
        let dims = [("broadcast_dimensions", self.b.i64_array(dims))];
        self.operation("stablehlo.broadcast_in_dim", &[x], to, &dims)
    }

    /// `x` backwards along one dimension.
    pub(super) fn reverse(&self, x: Val<'c>, dim: usize) -> Val<'c> {
        let dims = [("dimensions", self.b.i64_array(&[dim as i64]))];
        (self.b).op1("stablehlo.reverse", &[x], x.r#type(), &dims)
    }

    /// `x` in another element type, if it has not that already.
    pub(super) fn convert(&self, x: Val<'c>, element: &ElementType) -> Val<'c> {
        let mut to = own(x);
        if to.element == *element {
            return x;
        }
        to.element = element.clone();
        self.operation("stablehlo.convert", &[x], &to, &[])
    }

    pub(super) fn reshape(&self, x: Val<'c>, to: &TensorType) -> Val<'c> {
        self.operation("stablehlo.reshape", &[x], to, &[])
    }

    /// The elements from `starts`, before `ends`, in `steps`; `element` is the type of them.
    pub(super) fn slice(
        &self,
        x: Val<'c>,
        [starts, ends, steps]: [&[i64]; 3],
        element: &ElementType,
    ) -> Val<'c> {
        let sizes: Vec<i64> = (starts.iter().zip(ends).zip(steps))
            .map(|((start, end), step)| (end - start + step - 1) / step)
            .collect();
        let lists = [
            ("start_indices", self.b.i64_array(starts)),
            ("limit_indices", self.b.i64_array(ends)),
            ("strides", self.b.i64_array(steps)),
        ];
        let to = TensorType::new(element.clone(), &sizes);
        self.operation("stablehlo.slice", &[x], &to, &lists)
    }

    /// The elements of `x`, of these sizes, at `places` of dimension `d`, which becomes the two of sizes `to`.
    pub(super) fn rows_at(
        &self,
        x: Val<'c>,
        sizes: &[i64],
        d: usize,
        places: &[i64],
        to: [i64; 2],
        element: &ElementType,
    ) -> Val<'c> {
        let index = TensorType::new(ElementType::int(64), &[places.len() as i64]);
        let flat = self.constant(&format!("{places:?}"), &index);
        let indices = self.reshape(flat, &TensorType::new(ElementType::int(64), &to));
        let mut shape = sizes.to_vec();
        shape.splice(d..=d, to);
        let mut slices = sizes.to_vec();
        slices[d] = 1;
        let offsets: Vec<usize> = (0..shape.len())
            .filter(|e| *e != d && *e != d + 1)
            .collect();
        let numbers = format!(
            "#stablehlo.gather<offset_dims = {offsets:?}, collapsed_slice_dims = [{d}], start_index_map = [{d}], index_vector_dim = 2>"
        );
        let attributes = [
            ("dimension_numbers", self.attribute(&numbers)),
            ("slice_sizes", self.b.i64_array(&slices)),
            ("indices_are_sorted", self.b.bool_attr(false)),
        ];
        let to = TensorType::new(element.clone(), &shape);
        self.operation("stablehlo.gather", &[x, indices], &to, &attributes)
    }

    /// `x`, of static shape, with zeros before, behind and between its elements; nothing where there would be too many.
    pub(super) fn pad(
        &self,
        x: Val<'c>,
        low: &[i64],
        high: &[i64],
        interior: &[i64],
    ) -> Option<Val<'c>> {
        let lists = [low, high, interior];
        if lists.iter().all(|list| list.iter().all(|n| *n == 0)) {
            return Some(x);
        }
        let own = tensor(x)?;
        let size = |(d, n): (usize, i64)| {
            let between = (n - 1).max(0).checked_mul(interior[d])?;
            n.checked_add(between)?
                .checked_add(low[d])?
                .checked_add(high[d])
        };
        let sizes = own.static_shape()?.into_iter().enumerate().map(size);
        let to = TensorType::new(own.element, &sizes.collect::<Option<Vec<_>>>()?);
        Some(self.pad_with(x, self.zero(&to.element), &to, lists))
    }

    /// What windows are padded by, low and high, in each dimension.
    pub(super) fn window_padding(&self, of: impl Iterator<Item = (i64, i64)>) -> Attr<'c> {
        let each: Vec<String> = of.map(|(low, high)| format!("[{low}, {high}]")).collect();
        let (count, all) = (each.len(), each.join(", "));
        self.attribute(&format!("dense<[{all}]> : tensor<{count}x2xi64>"))
    }

    /// `x` with `value` before, behind and between its elements, of type `to`.
    pub(super) fn pad_with(
        &self,
        x: Val<'c>,
        value: Val<'c>,
        to: &TensorType,
        [low, high, interior]: [&[i64]; 3],
    ) -> Val<'c> {
        let lists = [
            ("edge_padding_low", self.b.i64_array(low)),
            ("edge_padding_high", self.b.i64_array(high)),
            ("interior_padding", self.b.i64_array(interior)),
        ];
        self.operation("stablehlo.pad", &[x, value], to, &lists)
    }

    pub(super) fn transpose(&self, x: Val<'c>, permutation: &[usize]) -> Val<'c> {
        if permutation.iter().enumerate().all(|(i, p)| i == *p) {
            return x;
        }
        let own = own(x);
        let to = TensorType {
            dims: permutation.iter().map(|p| own.dims[*p]).collect(),
            ..own
        };
        let order: Vec<i64> = permutation.iter().map(|p| *p as i64).collect();
        let order = [("permutation", self.b.i64_array(&order))];
        self.operation("stablehlo.transpose", &[x], &to, &order)
    }

    /// The scalar zero.
    pub(super) fn zero(&self, element: &ElementType) -> Val<'c> {
        let scalar = TensorType::new(element.clone(), &[]);
        self.constant(zero_literal(element), &scalar)
    }

    /// Sum over `dims`.
    pub(super) fn sum(&self, x: Val<'c>, dims: &[i64]) -> Val<'c> {
        if dims.is_empty() {
            return x;
        }
        let mut to = own(x);
        let mut d = -1;
        to.dims.retain(|_| {
            d += 1;
            !dims.contains(&d)
        });
        let init = self.zero(&to.element);
        let region = self.sums_of(std::slice::from_ref(&to));
        let dims = [("dimensions", self.b.i64_array(dims))];
        let types = [self.ty(&to)];
        let made =
            (self.b).op_with_regions("stablehlo.reduce", &[x, init], &types, &dims, vec![region]);
        made.result(0)
    }

    /// The computation that adds numbers of the types of elements, pair by pair.
    fn sums_of(&self, of: &[TensorType]) -> Region<'c> {
        let scalars = of
            .iter()
            .map(|ty| self.ty(&TensorType::new(ty.element.clone(), &[])));
        let scalars: Vec<Ty<'c>> = scalars.collect();
        self.b.region(&scalars.repeat(2), |b, arguments| {
            let (own, coming) = arguments.split_at(of.len());
            let pairs = own.iter().zip(coming);
            let sums: Vec<_> = pairs
                .map(|(x, y)| b.same("stablehlo.add", &[*x, *y]))
                .collect();
            b.op("stablehlo.return", &sums, &[], &[]);
        })
    }

    /// `reduction`, a `reduce` or `reduce_window`, of other operands, to other types, with sums for its computation.
    pub(super) fn sums(
        &self,
        reduction: Op<'c>,
        operands: &[Val<'c>],
        to: &[TensorType],
    ) -> Op<'c> {
        let types: Vec<Ty<'c>> = to.iter().map(|ty| self.ty(ty)).collect();
        let (name, attributes) = (reduction.name(), reduction.attributes());
        let region = self.sums_of(to);
        (self.b).op_with_regions(name, operands, &types, &attributes, vec![region])
    }

    /// `dot_general`; batching and contracting dimensions of both sides.
    pub(super) fn dot(
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
        let text = format!(
            "#stablehlo.dot<lhs_batching_dimensions = {:?}, rhs_batching_dimensions = {:?}, lhs_contracting_dimensions = {:?}, rhs_contracting_dimensions = {:?}>",
            batching.0, batching.1, contracting.0, contracting.1
        );
        let numbers = [("dot_dimension_numbers", self.attribute(&text))];
        self.operation("stablehlo.dot_general", &[l, r], &to, &numbers)
    }
}
