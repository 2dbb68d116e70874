//! Making StableHLO operations before another one.

use crate::rewrite::Error;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Attr, Builder, ElementType, FloatKind, Op, TensorType, Ty, Val, ValueType};

/// The tensor type of a value.
pub(super) fn tensor<'c>(op: Op<'c>, value: Val<'c>) -> Result<TensorType, Error<'c>> {
    match ValueType::from_mlir(value.r#type()) {
        ValueType::Tensor(tensor) => Ok(tensor),
        other => Err(Error::new(op, format!("has an operand of type {other}"))),
    }
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
    pub(super) fn broadcast_like(
        &self,
        op: Op<'c>,
        x: Val<'c>,
        like: Val<'c>,
        dims: &[i64],
    ) -> Result<Val<'c>, Error<'c>> {
        let shape = tensor(op, like)?;
        let to = TensorType {
            element: tensor(op, x)?.element,
            dims: shape.dims,
        };
        if to.static_shape().is_some() {
            return Ok(self.broadcast(x, &to, dims));
        }
        let index = ElementType::int(32);
        let one = TensorType::new(index.clone(), &[1]);
        let sizes: Vec<Val<'c>> = (0..to.rank())
            .map(|d| self.operation("stablehlo.reshape", &[self.size(like, d)], &one, &[]))
            .collect();
        let all = TensorType::new(index, &[to.rank() as i64]);
        let axis = [("dimension", self.b.i64_attr(0))];
        let sizes = self.operation("stablehlo.concatenate", &sizes, &all, &axis);
        let dims = self.b.i64_array(dims);
        Ok(self.b.op1(
            "stablehlo.dynamic_broadcast_in_dim",
            &[x, sizes],
            self.ty(&to),
            &[("broadcast_dimensions", dims)],
        ))
    }

    /// The size of a dimension, a scalar `i32`.
    pub(super) fn size(&self, x: Val<'c>, dim: usize) -> Val<'c> {
        let to = TensorType::new(ElementType::int(32), &[]);
        let dim = [("dimension", self.b.i64_attr(dim as i64))];
        self.operation("stablehlo.get_dimension_size", &[x], &to, &dim)
    }

    /// `value` in the shape and type of `like`.
    pub(super) fn splat(
        &self,
        op: Op<'c>,
        value: f64,
        like: Val<'c>,
    ) -> Result<Val<'c>, Error<'c>> {
        let whole = tensor(op, like)?;
        let tensor = match whole.static_shape() {
            Some(_) => whole.clone(),
            None => TensorType::new(whole.element.clone(), &[]),
        };
        let ty = self.ty(&tensor);
        let number = Self::literal(value);
        let text = format!("dense<{number}> : {tensor}");
        let attribute = self.b.parse_attr(&text);
        let constant = self
            .b
            .op1("stablehlo.constant", &[], ty, &[("value", attribute)]);
        match whole.static_shape() {
            Some(_) => Ok(constant),
            None => self.broadcast_like(op, constant, like, &[]),
        }
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
        let dims = self.b.i64_array(dims);
        self.b.op1(
            "stablehlo.broadcast_in_dim",
            &[x],
            self.ty(to),
            &[("broadcast_dimensions", dims)],
        )
    }

    /// `x` backwards along one dimension.
    pub(super) fn reverse(&self, x: Val<'c>, dim: usize) -> Val<'c> {
        let dims = self.b.i64_array(&[dim as i64]);
        self.b.op1(
            "stablehlo.reverse",
            &[x],
            x.r#type(),
            &[("dimensions", dims)],
        )
    }

    /// `x` in another element type, if it has not that already.
    pub(super) fn convert(
        &self,
        op: Op<'c>,
        x: Val<'c>,
        element: &ElementType,
    ) -> Result<Val<'c>, Error<'c>> {
        let own = tensor(op, x)?;
        if own.element == *element {
            return Ok(x);
        }
        let to = TensorType {
            element: element.clone(),
            dims: own.dims,
        };
        Ok(self.operation("stablehlo.convert", &[x], &to, &[]))
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
        let value = self.attribute(&format!("dense<{places:?}> : {index}"));
        let flat = self.operation("stablehlo.constant", &[], &index, &[("value", value)]);
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

    /// `x`, of static shape, with zeros before, behind and between its elements.
    pub(super) fn pad(
        &self,
        op: Op<'c>,
        x: Val<'c>,
        low: &[i64],
        high: &[i64],
        interior: &[i64],
    ) -> Result<Val<'c>, Error<'c>> {
        if [low, high, interior]
            .iter()
            .all(|list| list.iter().all(|n| *n == 0))
        {
            return Ok(x);
        }
        let own = tensor(op, x)?;
        let size = |d: usize, n: i64| {
            let between = (n - 1).max(0).checked_mul(interior[d])?;
            n.checked_add(between)?
                .checked_add(low[d])?
                .checked_add(high[d])
        };
        let sizes = own.static_shape().and_then(|shape| {
            let sizes = shape.into_iter().enumerate();
            sizes.map(|(d, n)| size(d, n)).collect::<Option<Vec<_>>>()
        });
        let Some(sizes) = sizes else {
            return Err(Error::new(op, "has padding beyond 64 bits"));
        };
        let zero = match own.element {
            ElementType::Float(_) => "0.0",
            _ => "0",
        };
        let scalar = TensorType::new(own.element.clone(), &[]);
        let zero = self.attribute(&format!("dense<{zero}> : {scalar}"));
        let zero = self.operation("stablehlo.constant", &[], &scalar, &[("value", zero)]);
        let to = TensorType::new(own.element, &sizes);
        Ok(self.pad_with(x, zero, &to, [low, high, interior]))
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

    pub(super) fn transpose(
        &self,
        op: Op<'c>,
        x: Val<'c>,
        permutation: &[usize],
    ) -> Result<Val<'c>, Error<'c>> {
        let own = tensor(op, x)?;
        if permutation.iter().enumerate().all(|(i, p)| i == *p) {
            return Ok(x);
        }
        let to = TensorType {
            element: own.element.clone(),
            dims: permutation.iter().map(|p| own.dims[*p]).collect(),
        };
        let order: Vec<i64> = permutation.iter().map(|p| *p as i64).collect();
        let order = self.b.i64_array(&order);
        Ok(self.b.op1(
            "stablehlo.transpose",
            &[x],
            self.ty(&to),
            &[("permutation", order)],
        ))
    }

    /// The scalar zero.
    pub(super) fn zero(&self, element: &ElementType) -> Val<'c> {
        let scalar = TensorType::new(element.clone(), &[]);
        let literal = match element {
            ElementType::Bool => "false",
            element if element.is_int() => "0",
            element if element.is_complex() => "(0.0, 0.0)",
            _ => "0.0",
        };
        let zero = self.attribute(&format!("dense<{literal}> : {scalar}"));
        self.operation("stablehlo.constant", &[], &scalar, &[("value", zero)])
    }

    /// Sum over `dims`.
    pub(super) fn sum(&self, op: Op<'c>, x: Val<'c>, dims: &[i64]) -> Result<Val<'c>, Error<'c>> {
        let own = tensor(op, x)?;
        if dims.is_empty() {
            return Ok(x);
        }
        let to = TensorType {
            element: own.element.clone(),
            dims: own
                .dims
                .iter()
                .enumerate()
                .filter(|(d, _)| !dims.contains(&(*d as i64)))
                .map(|(_, dim)| *dim)
                .collect(),
        };
        let b = &self.b;
        let init = self.zero(&own.element);
        let scalar_ty = init.r#type();
        let region = b.region(&[scalar_ty, scalar_ty], |b, arguments| {
            let sum = b.same("stablehlo.add", arguments);
            b.op("stablehlo.return", &[sum], &[], &[]);
        });
        let dims = b.i64_array(dims);
        Ok(b.op_with_regions(
            "stablehlo.reduce",
            &[x, init],
            &[self.ty(&to)],
            &[("dimensions", dims)],
            vec![region],
        )
        .result(0))
    }

    /// `reduction`, a `reduce` or `reduce_window`, of other operands, to other types, with sums for its computation.
    pub(super) fn sums(
        &self,
        reduction: Op<'c>,
        operands: &[Val<'c>],
        to: &[TensorType],
    ) -> Op<'c> {
        let b = &self.b;
        let types: Vec<Ty<'c>> = to.iter().map(|ty| self.ty(ty)).collect();
        let scalars: Vec<Ty<'c>> = to
            .iter()
            .map(|ty| self.ty(&TensorType::new(ty.element.clone(), &[])))
            .collect();
        let region = b.region(&scalars.repeat(2), |b, arguments| {
            let (own, coming) = arguments.split_at(to.len());
            let pairs = own.iter().zip(coming);
            let sums: Vec<_> = pairs
                .map(|(x, y)| b.same("stablehlo.add", &[*x, *y]))
                .collect();
            b.op("stablehlo.return", &sums, &[], &[]);
        });
        let attributes = reduction.attributes();
        let attributes: Vec<_> = (attributes.iter())
            .map(|(name, value)| (name.as_str(), *value))
            .collect();
        b.op_with_regions(
            reduction.name(),
            operands,
            &types,
            &attributes,
            vec![region],
        )
    }

    /// `dot_general`; batching and contracting dimensions of both sides.
    pub(super) fn dot(
        &self,
        op: Op<'c>,
        (l, r): (Val<'c>, Val<'c>),
        batching: (&[usize], &[usize]),
        contracting: (&[usize], &[usize]),
        element: &mapwright_mlir::ElementType,
    ) -> Result<Val<'c>, Error<'c>> {
        let (lt, rt) = (tensor(op, l)?, tensor(op, r)?);
        let mut dims: Vec<_> = batching.0.iter().map(|d| lt.dims[*d]).collect();
        dims.extend(
            (0..lt.rank())
                .filter(|d| !batching.0.contains(d) && !contracting.0.contains(d))
                .map(|d| lt.dims[d]),
        );
        dims.extend(
            (0..rt.rank())
                .filter(|d| !batching.1.contains(d) && !contracting.1.contains(d))
                .map(|d| rt.dims[d]),
        );
        let to = TensorType {
            element: element.clone(),
            dims,
        };
        let text = format!(
            "#stablehlo.dot<lhs_batching_dimensions = {:?}, rhs_batching_dimensions = {:?}, lhs_contracting_dimensions = {:?}, rhs_contracting_dimensions = {:?}>",
            batching.0, batching.1, contracting.0, contracting.1
        );
        let numbers = self.b.parse_attr(&text);
        Ok(self.b.op1(
            "stablehlo.dot_general",
            &[l, r],
            self.ty(&to),
            &[("dot_dimension_numbers", numbers)],
        ))
    }
}
