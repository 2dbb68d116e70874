//! Making StableHLO operations. The types of their results are those that the registry's rules
//! give, wherever these follow from operands and attributes.

mod combining;

use crate::hlo::{float_literal, zero_literal};
use mapwright_mlir::melior::ir::{Region, ValueLike};
use mapwright_mlir::{Attr, Builder, ElementType, FloatKind, Op, TensorType, Ty, Val, edit};
use mapwright_ops::typing::{self, Check};
use std::ops::Deref;

/// The tensor type of a value; what has operands of other types is not rewritten.
pub(super) fn tensor(value: Val<'_>) -> Option<TensorType> {
    TensorType::from_mlir(value.r#type())
}

/// The tensor type of a value that was looked at, or made here.
pub(super) fn own(value: Val<'_>) -> TensorType {
    tensor(value).unwrap_or_else(|| unreachable!("operands are tensors"))
}

/// Returns the type of comparison for elements: floats, or integers with or without signs.
pub(super) fn order_of(element: &ElementType) -> &'static str {
    match element {
        ElementType::Float(_) | ElementType::Complex(_) => "FLOAT",
        ElementType::Int {
            unsigned: false, ..
        } => "SIGNED",
        _ => "UNSIGNED",
    }
}

/// Returns the type in which the products of a contraction are added up; `None` for types that are
/// not contracted as they are.
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

/// A builder with the operations of StableHLO.
pub struct HloBuilder<'c>(Builder<'c>);

impl<'c> Deref for HloBuilder<'c> {
    type Target = Builder<'c>;

    fn deref(&self) -> &Builder<'c> {
        &self.0
    }
}

impl<'c> From<Builder<'c>> for HloBuilder<'c> {
    fn from(b: Builder<'c>) -> Self {
        Self(b)
    }
}

impl<'c> HloBuilder<'c> {
    /// Makes operations before `op`, at its location.
    pub(super) fn before(op: Op<'c>) -> Option<Self> {
        Builder::before(op.context(), op).map(Self)
    }

    pub(super) fn ty(&self, tensor: &TensorType) -> Ty<'c> {
        self.parse_type(&tensor.to_string())
    }

    /// An operation whose results have the types that follow from everything else of it.
    ///
    /// # Errors
    /// The constraint that does not hold.
    fn checked(
        &self,
        name: &str,
        operands: &[Val<'c>],
        attributes: &[(&str, Attr<'c>)],
        regions: Vec<Region<'c>>,
    ) -> Check<Op<'c>> {
        // Rules look at operations, so that there is one without results first.
        let asked = self.detached(name, operands, &[], attributes, regions);
        let types = typing::infer(asked);
        let regions = edit::take_regions(asked);
        edit::erase_unused(asked);
        let types = types?.unwrap_or_default();
        let types: Vec<Ty<'c>> = (types.iter())
            .map(|ty| self.parse_type(&ty.to_string()))
            .collect();
        Ok(self.op_with_regions(name, operands, &types, attributes, regions))
    }

    /// As [`HloBuilder::checked`], of what is right by its making.
    pub(super) fn typed(
        &self,
        name: &str,
        operands: &[Val<'c>],
        attributes: &[(&str, Attr<'c>)],
        regions: Vec<Region<'c>>,
    ) -> Op<'c> {
        (self.checked(name, operands, attributes, regions))
            .unwrap_or_else(|violation| unreachable!("{name}: {}", violation.message))
    }

    /// The one result of such an operation without regions.
    pub(super) fn value(
        &self,
        name: &str,
        operands: &[Val<'c>],
        attributes: &[(&str, Attr<'c>)],
    ) -> Val<'c> {
        self.typed(name, operands, attributes, Vec::new()).result(0)
    }

    /// Any operation with one result.
    pub(super) fn operation(
        &self,
        name: &str,
        operands: &[Val<'c>],
        to: &TensorType,
        attributes: &[(&str, Attr<'c>)],
    ) -> Val<'c> {
        self.op1(name, operands, self.ty(to), attributes)
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
        self.op(name, operands, &types, attributes)
    }

    pub(super) fn unary(&self, name: &str, x: Val<'c>) -> Val<'c> {
        self.same(&format!("stablehlo.{name}"), &[x])
    }

    pub(super) fn binary(&self, name: &str, x: Val<'c>, y: Val<'c>) -> Val<'c> {
        self.same(&format!("stablehlo.{name}"), &[x, y])
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
        self.broadcast_to(x, self.shape(like), &to, dims)
    }

    /// `x` spread over sizes that are known at run time.
    pub(super) fn broadcast_to(
        &self,
        x: Val<'c>,
        sizes: Val<'c>,
        to: &TensorType,
        dims: &[i64],
    ) -> Val<'c> {
        let dims = [("broadcast_dimensions", self.i64_array(dims))];
        self.operation("stablehlo.dynamic_broadcast_in_dim", &[x, sizes], to, &dims)
    }

    /// The sizes of a tensor, a vector of `i32`.
    pub(super) fn shape(&self, of: Val<'c>) -> Val<'c> {
        let sizes = (0..own(of).rank()).map(|d| self.vector_of(self.size(of, d)));
        self.concatenate(&sizes.collect::<Vec<_>>(), 0)
    }

    /// A scalar as a vector of one.
    pub(super) fn vector_of(&self, scalar: Val<'c>) -> Val<'c> {
        self.reshape(scalar, &TensorType::new(own(scalar).element, &[1]))
    }

    /// Tensors behind each other along dimension `d`.
    pub(super) fn concatenate(&self, parts: &[Val<'c>], d: usize) -> Val<'c> {
        let axis = [("dimension", self.i64_attr(d as i64))];
        self.value("stablehlo.concatenate", parts, &axis)
    }

    /// Numbers that count up along dimension `d`.
    pub(super) fn iota(&self, to: &TensorType, d: usize) -> Val<'c> {
        let along = [("iota_dimension", self.i64_attr(d as i64))];
        self.operation("stablehlo.iota", &[], to, &along)
    }

    /// The size of a dimension, a scalar `i32`.
    pub(super) fn size(&self, x: Val<'c>, dim: usize) -> Val<'c> {
        let to = TensorType::new(ElementType::int(32), &[]);
        let dim = [("dimension", self.i64_attr(dim as i64))];
        self.operation("stablehlo.get_dimension_size", &[x], &to, &dim)
    }

    /// `value` in the shape and type of `like`.
    pub(super) fn splat(&self, value: f64, like: Val<'c>) -> Val<'c> {
        let whole = own(like);
        let number = float_literal(value, &whole.element);
        if whole.static_shape().is_some() {
            return self.constant(&number, &whole);
        }
        let scalar = TensorType::new(whole.element, &[]);
        self.broadcast_like(self.constant(&number, &scalar), like, &[])
    }

    /// The number of this literal everywhere, in a tensor of static shape.
    pub(super) fn constant(&self, literal: &str, to: &TensorType) -> Val<'c> {
        let value = self.parse_attr(&format!("dense<{literal}> : {to}"));
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
        let dims = [("broadcast_dimensions", self.i64_array(dims))];
        self.operation("stablehlo.broadcast_in_dim", &[x], to, &dims)
    }

    /// `x` backwards along some dimensions.
    pub(super) fn reverse(&self, x: Val<'c>, dims: &[i64]) -> Val<'c> {
        let dims = [("dimensions", self.i64_array(dims))];
        self.op1("stablehlo.reverse", &[x], x.r#type(), &dims)
    }

    /// A comparison: signed or not, or of floats, as the elements are.
    pub(super) fn compare(&self, direction: &str, x: Val<'c>, y: Val<'c>) -> Val<'c> {
        let attributes = self.comparison(direction, order_of(&own(x).element));
        self.value("stablehlo.compare", &[x, y], &attributes)
    }

    /// The attributes of a comparison.
    pub(super) fn comparison(&self, direction: &str, order: &str) -> [(&'static str, Attr<'c>); 2] {
        let of = |what: &str, is: &str| self.parse_attr(&format!("#stablehlo<{what} {is}>"));
        [
            (
                "comparison_direction",
                of("comparison_direction", direction),
            ),
            ("compare_type", of("comparison_type", order)),
        ]
    }

    /// `yes` where the condition (a scalar, or of the shape of the others) holds.
    pub(super) fn choose(&self, condition: Val<'c>, yes: Val<'c>, no: Val<'c>) -> Val<'c> {
        self.op1("stablehlo.select", &[condition, yes, no], yes.r#type(), &[])
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

    /// The elements from `starts`, before `ends`, in `steps`.
    pub(super) fn slice(&self, x: Val<'c>, [starts, ends, steps]: [&[i64]; 3]) -> Val<'c> {
        let lists = [
            ("start_indices", self.i64_array(starts)),
            ("limit_indices", self.i64_array(ends)),
            ("strides", self.i64_array(steps)),
        ];
        self.value("stablehlo.slice", &[x], &lists)
    }

    /// The first elements of each dimension.
    pub(super) fn first(&self, x: Val<'c>, sizes: &[i64]) -> Val<'c> {
        self.slice(x, [&vec![0; sizes.len()], sizes, &vec![1; sizes.len()]])
    }

    /// Takes a slice of `sizes` that begins at `starts`, which are scalars.
    pub(super) fn slice_at(&self, x: Val<'c>, starts: &[Val<'c>], sizes: &[i64]) -> Val<'c> {
        let to = TensorType::new(own(x).element, sizes);
        let sizes = [("slice_sizes", self.i64_array(sizes))];
        self.operation(
            "stablehlo.dynamic_slice",
            &[&[x], starts].concat(),
            &to,
            &sizes,
        )
    }

    /// `x` with `part` in it, from scalars on.
    pub(super) fn with_part(&self, x: Val<'c>, part: Val<'c>, starts: &[Val<'c>]) -> Val<'c> {
        let operands = [&[x, part], starts].concat();
        self.same("stablehlo.dynamic_update_slice", &operands)
    }

    /// The elements of `x`, of these sizes, at `places` of dimension `d`, which becomes the two of
    /// sizes `to`.
    pub(super) fn rows_at(
        &self,
        x: Val<'c>,
        sizes: &[i64],
        d: usize,
        places: &[i64],
        to: [i64; 2],
    ) -> Val<'c> {
        let index = TensorType::new(ElementType::int(64), &[places.len() as i64]);
        let flat = self.constant(&format!("{places:?}"), &index);
        let indices = self.reshape(flat, &TensorType::new(ElementType::int(64), &to));
        let mut slices = sizes.to_vec();
        slices[d] = 1;
        let mut shape = sizes.to_vec();
        shape.splice(d..=d, to);
        let offsets: Vec<usize> = (0..shape.len())
            .filter(|e| *e != d && *e != d + 1)
            .collect();
        let numbers = format!(
            "#stablehlo.gather<offset_dims = {offsets:?}, collapsed_slice_dims = [{d}], start_index_map = [{d}], index_vector_dim = 2>"
        );
        let attributes = [
            ("dimension_numbers", self.parse_attr(&numbers)),
            ("slice_sizes", self.i64_array(&slices)),
            ("indices_are_sorted", self.bool_attr(false)),
        ];
        let to = TensorType::new(own(x).element, &shape);
        self.operation("stablehlo.gather", &[x, indices], &to, &attributes)
    }

    /// `x` with zeros before, behind and between its elements; nothing where there would be too
    /// many.
    pub(super) fn pad(&self, x: Val<'c>, lists: [&[i64]; 3]) -> Option<Val<'c>> {
        if lists.iter().all(|list| list.iter().all(|n| *n == 0)) {
            return Some(x);
        }
        self.pad_with(x, self.zero(&tensor(x)?.element), lists)
    }

    /// `x` with `value` before, behind and between its elements; nothing where there would be too
    /// many.
    pub(super) fn pad_with(
        &self,
        x: Val<'c>,
        value: Val<'c>,
        [low, high, interior]: [&[i64]; 3],
    ) -> Option<Val<'c>> {
        let lists = [
            ("edge_padding_low", self.i64_array(low)),
            ("edge_padding_high", self.i64_array(high)),
            ("interior_padding", self.i64_array(interior)),
        ];
        let padded = self.checked("stablehlo.pad", &[x, value], &lists, Vec::new());
        Some(padded.ok()?.result(0))
    }

    /// A list of pairs, as what windows are padded by, low and high, in each dimension.
    pub(super) fn pairs(&self, of: impl IntoIterator<Item = (i64, i64)>) -> Attr<'c> {
        let each = of.into_iter().map(|(low, high)| format!("[{low}, {high}]"));
        let each: Vec<String> = each.collect();
        let all = if each.is_empty() {
            String::new()
        } else {
            format!("[{}]", each.join(", "))
        };
        self.parse_attr(&format!("dense<{all}> : tensor<{}x2xi64>", each.len()))
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
        let order = [("permutation", self.i64_array(&order))];
        self.operation("stablehlo.transpose", &[x], &to, &order)
    }

    /// The scalar zero.
    pub(super) fn zero(&self, element: &ElementType) -> Val<'c> {
        let scalar = TensorType::new(element.clone(), &[]);
        self.constant(zero_literal(element), &scalar)
    }

    /// A stable sort along dimension `d`.
    pub(super) fn sort(
        &self,
        values: &[Val<'c>],
        d: usize,
        comparator: Region<'c>,
    ) -> Vec<Val<'c>> {
        let attributes = [
            ("dimension", self.i64_attr(d as i64)),
            ("is_stable", self.bool_attr(true)),
        ];
        let types: Vec<Ty<'c>> = values.iter().map(|value| value.r#type()).collect();
        self.op_with_regions(
            "stablehlo.sort",
            values,
            &types,
            &attributes,
            vec![comparator],
        )
        .results()
    }
}
