//! Writing StableHLO expressions as arithmetic.
//!
//! `x * (x + 1.0)` on two [`Expr`]s appends `stablehlo.multiply` and `stablehlo.add` before the
//! operation that is being rewritten. All values of an [`Hlo`] have one shape, that of the value it
//! was made for, static or not; numbers become constants of it.

use crate::make::{HloBuilder, order_of};
use mapwright_mlir::{Dim, ElementType, FloatKind, Op, TensorType, Ty, Val, melior::ir::ValueLike};
use mapwright_ops::reduction::combination::{Combination, Neutral};
use std::{
    cell::OnceCell,
    ops::{Add, Div, Mul, Neg, Sub},
};

/// Appends StableHLO operations of one shape.
pub struct Hlo<'c> {
    /// The builder that everything goes through.
    pub b: HloBuilder<'c>,
    dims: Vec<Dim>,
    encoding: String,
    like: Val<'c>,
    shape: OnceCell<Val<'c>>,
}

/// A value in an expression.
#[derive(Clone, Copy)]
pub struct Expr<'a, 'c> {
    hlo: &'a Hlo<'c>,
    /// The value itself.
    pub value: Val<'c>,
}

impl<'c> Hlo<'c> {
    /// Expressions of the shape of `like`, inserted before `op`.
    pub fn before(op: Op<'c>, like: Val<'c>) -> Option<Self> {
        let ty = TensorType::from_mlir(like.r#type())?;
        let bounds = ty
            .dims
            .iter()
            .any(|dim| matches!(dim, Dim::Bounded(_)))
            .then(|| {
                let text = ty.to_string();
                text.split_once(", ")
                    .map(|(_, encoding)| format!(", {}", encoding.trim_end_matches('>')))
            });
        let encoding = match bounds.flatten() {
            Some(encoding) => format!("{encoding}>"),
            None => String::new(),
        };
        Some(Self {
            b: HloBuilder::before(op)?,
            dims: ty.dims,
            encoding,
            like,
            shape: OnceCell::new(),
        })
    }

    /// `value` as an expression.
    pub fn expr(&self, value: Val<'c>) -> Expr<'_, 'c> {
        Expr { hlo: self, value }
    }

    /// The tensor type of this shape with another element type.
    pub fn ty(&self, element: &ElementType) -> Ty<'c> {
        let mut text = String::from("tensor<");
        for dim in &self.dims {
            match dim {
                Dim::Static(n) => text.push_str(&format!("{n}x")),
                _ => text.push_str("?x"),
            }
        }
        text.push_str(&element.to_string());
        text.push_str(&self.encoding);
        text.push('>');
        self.b.parse_type(&text)
    }

    /// A constant of this shape; `literal` is written as in `dense<literal>`.
    pub fn literal(&self, literal: &str, element: &ElementType) -> Expr<'_, 'c> {
        let fixed = self.dims.iter().all(|dim| dim.fixed().is_some());
        let ty = if fixed {
            self.ty(element)
        } else {
            self.b.parse_type(&format!("tensor<{element}>"))
        };
        let value = self.b.parse_attr(&format!("dense<{literal}> : {ty}"));
        let constant = self
            .b
            .op1("stablehlo.constant", &[], ty, &[("value", value)]);
        if fixed {
            return self.expr(constant);
        }
        let sizes = *self.shape.get_or_init(|| self.b.shape(self.like));
        let dims = self.b.i64_array(&[]);
        let spread = self.b.op1(
            "stablehlo.dynamic_broadcast_in_dim",
            &[constant, sizes],
            self.ty(element),
            &[("broadcast_dimensions", dims)],
        );
        self.expr(spread)
    }

    /// A real constant.
    pub fn real(&self, value: f64, element: &ElementType) -> Expr<'_, 'c> {
        self.literal(&float_literal(value, element), element)
    }

    /// An integer constant.
    pub fn int(&self, value: i64, element: &ElementType) -> Expr<'_, 'c> {
        self.literal(&value.to_string(), element)
    }

    /// `if condition { yes } else { no }`, element by element.
    pub fn select<'a>(
        &'a self,
        condition: Expr<'a, 'c>,
        yes: Expr<'a, 'c>,
        no: Expr<'a, 'c>,
    ) -> Expr<'a, 'c> {
        self.expr(self.b.choose(condition.value, yes.value, no.value))
    }

    /// A complex value from its parts.
    pub fn complex<'a>(&'a self, re: Expr<'a, 'c>, im: Expr<'a, 'c>) -> Expr<'a, 'c> {
        let element = match re.element() {
            ElementType::Float(kind) => ElementType::Complex(kind),
            other => other,
        };
        let ty = self.ty(&element);
        self.expr(
            self.b
                .op1("stablehlo.complex", &[re.value, im.value], ty, &[]),
        )
    }

    /// `c[0] + x * (c[1] + x * (…))`: Horner's rule, coefficients from the constant one up.
    pub fn polynomial<'a>(&'a self, x: Expr<'a, 'c>, coefficients: &[f64]) -> Expr<'a, 'c> {
        let element = x.element();
        let mut terms = coefficients.iter().rev();
        let mut sum = self.real(terms.next().copied().unwrap_or(0.0), &element);
        for c in terms {
            sum = sum * x + *c;
        }
        sum
    }
}

/// The zero of an element type, as it is written in a constant.
pub fn zero_literal(element: &ElementType) -> &'static str {
    match element {
        ElementType::Bool => "false",
        ElementType::Float(_) => "0.0",
        ElementType::Complex(_) => "(0.0, 0.0)",
        _ => "0",
    }
}

/// A float as a literal of the element type: exact bits, so that infinities and NaN can be written
/// too.
pub fn float_literal(value: f64, element: &ElementType) -> String {
    match element {
        ElementType::Float(FloatKind::F32) => format!("0x{:08X}", (value as f32).to_bits()),
        ElementType::Float(FloatKind::F64) => format!("0x{:016X}", value.to_bits()),
        ElementType::Float(FloatKind::F16 | FloatKind::BF16) if !value.is_finite() => {
            let half = matches!(element, ElementType::Float(FloatKind::F16));
            let (inf, nan) = if half {
                (0x7C00u16, 0x7E00u16)
            } else {
                (0x7F80, 0x7FC0)
            };
            let bits = match value {
                v if v.is_nan() => nan,
                v if v < 0.0 => inf | 0x8000,
                _ => inf,
            };
            format!("0x{bits:04X}")
        }
        // MLIR wants a decimal point: 4e0 is written 4.0e0.
        _ => match format!("{value:e}") {
            text if text.contains('.') => text,
            text => text.replace('e', ".0e"),
        },
    }
}

/// The literal of the element that changes nothing, if the element type has one.
pub fn neutral_literal(what: Combination, element: &ElementType) -> Option<String> {
    match what.neutral(element)? {
        Neutral::Int(n) if *element == ElementType::Bool => Some((n != 0).to_string()),
        Neutral::Int(n) => Some(n.to_string()),
        Neutral::Float(x) => {
            let kind = [
                FloatKind::F16,
                FloatKind::BF16,
                FloatKind::F32,
                FloatKind::F64,
            ];
            let has_infinity = kind.map(ElementType::Float).contains(element);
            (x.is_finite() || has_infinity).then(|| float_literal(x, element))
        }
    }
}

impl<'a, 'c> Expr<'a, 'c> {
    /// The expression's maker.
    pub fn hlo(self) -> &'a Hlo<'c> {
        self.hlo
    }

    /// Element type.
    pub fn element(self) -> ElementType {
        TensorType::from_mlir(self.value.r#type())
            .map_or_else(|| ElementType::Other("?".into()), |ty| ty.element)
    }

    fn unary(self, name: &str) -> Self {
        self.hlo.expr(self.hlo.b.same(name, &[self.value]))
    }

    fn binary(self, name: &str, other: Self) -> Self {
        let value = self.hlo.b.same(name, &[self.value, other.value]);
        self.hlo.expr(value)
    }

    fn to(self, name: &str, element: &ElementType) -> Self {
        let ty = self.hlo.ty(element);
        self.hlo.expr(self.hlo.b.op1(name, &[self.value], ty, &[]))
    }

    /// A real constant of this element type.
    pub fn c(self, value: f64) -> Self {
        self.hlo.real(value, &self.element())
    }

    /// An integer constant of this element type.
    pub fn i(self, value: i64) -> Self {
        self.hlo.int(value, &self.element())
    }

    /// `stablehlo.convert`; nothing where the element type is the same.
    pub fn convert(self, element: &ElementType) -> Self {
        if self.element() == *element {
            self
        } else {
            self.to("stablehlo.convert", element)
        }
    }

    /// `stablehlo.bitcast_convert` between elements of one width.
    pub fn bitcast(self, element: &ElementType) -> Self {
        self.to("stablehlo.bitcast_convert", element)
    }

    fn compare(self, direction: &str, other: Self) -> Self {
        let attributes = self.hlo.b.comparison(direction, order_of(&self.element()));
        let ty = self.hlo.ty(&ElementType::Bool);
        let value = self.hlo.b.op1(
            "stablehlo.compare",
            &[self.value, other.value],
            ty,
            &attributes,
        );
        self.hlo.expr(value)
    }
}

/// Unary operations, named as StableHLO names them.
macro_rules! unary {
    ($($name:ident $op:literal),* $(,)?) => {
        impl<'c> Expr<'_, 'c> {
            $(
                #[doc = concat!("`", $op, "`.")]
                pub fn $name(self) -> Self {
                    self.unary($op)
                }
            )*
        }
    };
}
unary! {
    exp "stablehlo.exponential", expm1 "stablehlo.exponential_minus_one", log "stablehlo.log",
    log1p "stablehlo.log_plus_one", sqrt "stablehlo.sqrt", rsqrt "stablehlo.rsqrt", sin "stablehlo.sine",
    cos "stablehlo.cosine", floor "stablehlo.floor", tanh "stablehlo.tanh", sign "stablehlo.sign",
    round "stablehlo.round_nearest_even", tan "stablehlo.tan",
}

impl std::ops::Not for Expr<'_, '_> {
    type Output = Self;
    fn not(self) -> Self {
        self.unary("stablehlo.not")
    }
}

/// Binary operations, named as StableHLO names them.
macro_rules! binary {
    ($($name:ident $op:literal),* $(,)?) => {
        impl<'a, 'c> Expr<'a, 'c> {
            $(
                #[doc = concat!("`", $op, "`.")]
                pub fn $name(self, other: impl Operand<'a, 'c>) -> Self {
                    self.binary($op, other.at(self))
                }
            )*
        }
    };
}
binary! {
    pow "stablehlo.power", atan2 "stablehlo.atan2", max "stablehlo.maximum", min "stablehlo.minimum", and "stablehlo.and",
    or "stablehlo.or", xor "stablehlo.xor", shifted_right "stablehlo.shift_right_arithmetic",
    shifted_right_logical "stablehlo.shift_right_logical",
}

/// Comparisons.
macro_rules! comparisons {
    ($($name:ident $direction:literal),* $(,)?) => {
        impl<'a, 'c> Expr<'a, 'c> {
            $(
                #[doc = concat!("`stablehlo.compare ", $direction, "`.")]
                pub fn $name(self, other: impl Operand<'a, 'c>) -> Self {
                    self.compare($direction, other.at(self))
                }
            )*
        }
    };
}
comparisons! { eq "EQ", ne "NE", lt "LT", le "LE", gt "GT", ge "GE" }

impl<'a, 'c> Expr<'a, 'c> {
    /// `stablehlo.abs`; real for a complex value.
    pub fn abs(self) -> Self {
        match self.element() {
            ElementType::Complex(kind) => self.to("stablehlo.abs", &ElementType::Float(kind)),
            _ => self.unary("stablehlo.abs"),
        }
    }

    /// `stablehlo.real`.
    pub fn re(self) -> Self {
        match self.element() {
            ElementType::Complex(kind) => self.to("stablehlo.real", &ElementType::Float(kind)),
            _ => self,
        }
    }

    /// `stablehlo.imag`.
    pub fn im(self) -> Self {
        match self.element() {
            ElementType::Complex(kind) => self.to("stablehlo.imag", &ElementType::Float(kind)),
            _ => self.c(0.0),
        }
    }

    /// This where `condition` holds, `other` elsewhere.
    pub fn when(self, condition: Self, other: impl Operand<'a, 'c>) -> Self {
        let other = other.at(self);
        self.hlo.select(condition, self, other)
    }

    /// The magnitude of this with the sign of `sign`, for real values.
    pub fn copysign(self, sign: Self) -> Self {
        // The sign bit itself decides, so that zeros and NaN keep theirs.
        let (magnitude, negated) = (self.abs(), -self.abs());
        negated.when(sign.sign_bit(), magnitude)
    }

    /// Whether the sign bit is set.
    pub fn sign_bit(self) -> Self {
        let width = self.element().bit_width().unwrap_or(32);
        self.bitcast(&ElementType::int(width)).lt(0i64)
    }

    /// Whether it is NaN.
    pub fn is_nan(self) -> Self {
        self.ne(self)
    }
}

/// A right-hand side: an expression, a real or an integer constant of the left-hand side's type.
pub trait Operand<'a, 'c> {
    /// As an expression of the type of `like`.
    fn at(self, like: Expr<'a, 'c>) -> Expr<'a, 'c>;
}

impl<'a, 'c> Operand<'a, 'c> for Expr<'a, 'c> {
    fn at(self, _: Expr<'a, 'c>) -> Expr<'a, 'c> {
        self
    }
}

impl<'a, 'c> Operand<'a, 'c> for f64 {
    fn at(self, like: Expr<'a, 'c>) -> Expr<'a, 'c> {
        like.c(self)
    }
}

impl<'a, 'c> Operand<'a, 'c> for i64 {
    fn at(self, like: Expr<'a, 'c>) -> Expr<'a, 'c> {
        like.i(self)
    }
}

macro_rules! operators {
    ($($trait:ident $name:ident $op:literal),* $(,)?) => {
        $(
            impl<'a, 'c, T: Operand<'a, 'c>> $trait<T> for Expr<'a, 'c> {
                type Output = Self;
                fn $name(self, other: T) -> Self {
                    self.binary($op, other.at(self))
                }
            }
        )*
    };
}
operators! {
    Add add "stablehlo.add", Sub sub "stablehlo.subtract", Mul mul "stablehlo.multiply", Div div "stablehlo.divide",
}

impl Neg for Expr<'_, '_> {
    type Output = Self;
    fn neg(self) -> Self {
        self.unary("stablehlo.negate")
    }
}
