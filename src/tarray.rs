//! Programs of tensor arrays, built from Rust: the dialect `tarray` without writing its text.
//!
//! A [`Body`] appends operations to a function, or to the body of a loop, which is a closure. Types
//! of results follow from operands, attributes and bodies; what is not legal is a diagnostic of the
//! operation's verifier, as it is of text, and the function is not made. `examples/sentences.rs`
//! makes a program, compiles it and runs it.

use mapwright_mlir::{
    Attr, Builder, Ty, Val, ValueType,
    diagnostic::Failure,
    melior::{
        Context,
        ir::{Location, Module, Region, ValueLike},
    },
};

/// An array type: lists of at most `max` elements, or of any number with
/// [`mapwright_mlir::UNBOUNDED`].
pub fn array(element: ValueType, max: i64) -> ValueType {
    ValueType::Array {
        element: Box::new(element),
        max,
    }
}

/// An operation with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loop {
    /// Elements of arrays, or scalars of tensors, in any order.
    ParallelForeach,
    /// Elements of arrays, or sizes of shapes, one after the other.
    Foreach,
    /// All intermediate values of a fold, from the first element on.
    ScanForward,
    /// All intermediate values of a fold, from the last element on.
    ScanBackward,
    /// Elements put together in any order.
    Reduce,
    /// Elements put together one after the other.
    Fold,
    /// The elements for which a condition holds.
    Filter,
    /// Each element with the one of a smaller tensor that belongs to it.
    Broadcast,
    /// Elements in the order of what the body gives for them.
    Sortby,
    /// Lines of a tensor along this dimension.
    ApplyAlongAxis(i64),
    /// At most so many elements, appended while a number counts up.
    Build(i64),
}

impl Loop {
    fn name(&self) -> &'static str {
        match self {
            Self::ParallelForeach => "parallel_foreach",
            Self::Foreach => "foreach",
            Self::ScanForward | Self::ScanBackward => "scan",
            Self::Reduce => "reduce",
            Self::Fold => "fold",
            Self::Filter => "filter",
            Self::Broadcast => "broadcast",
            Self::Sortby => "sortby",
            Self::ApplyAlongAxis(_) => "apply_along_axis",
            Self::Build(_) => "build",
        }
    }

    fn attribute(&self) -> Option<(&'static str, String)> {
        match self {
            Self::ScanForward => Some(("order", "#tarray<order forward>".into())),
            Self::ScanBackward => Some(("order", "#tarray<order backward>".into())),
            Self::ApplyAlongAxis(dim) => Some(("dim", format!("{dim} : i64"))),
            Self::Build(max) => Some(("max", format!("{max} : i64"))),
            _ => None,
        }
    }

    /// Returns the type that the body gets for a value that is gone through.
    fn element(&self, ty: &ValueType) -> ValueType {
        let ValueType::Tensor(tensor) = ty else {
            return match ty {
                ValueType::Array { element, .. } => (**element).clone(),
                _ => number(),
            };
        };
        let mut tensor = tensor.clone();
        match self {
            Self::ParallelForeach | Self::Broadcast => tensor.dims.clear(),
            Self::ApplyAlongAxis(dim) => {
                let own = usize::try_from(*dim).ok().and_then(|d| tensor.dims.get(d));
                tensor.dims = own.copied().into_iter().collect();
            }
            Self::Build(_) => {}
            _ => {
                tensor.dims = tensor.dims.iter().skip(1).copied().collect();
            }
        }
        ValueType::Tensor(tensor)
    }

    /// Returns the type that the body gets for a value that it gets as a whole.
    fn whole(&self, ty: &ValueType, of_tensor: bool) -> ValueType {
        match (self, ty) {
            (Self::Broadcast, ValueType::Tensor(tensor)) if of_tensor => {
                let mut tensor = tensor.clone();
                tensor.dims.clear();
                ValueType::Tensor(tensor)
            }
            _ => ty.clone(),
        }
    }
}

/// The type of lengths, indices and sizes.
fn number() -> ValueType {
    ValueType::Tensor(mapwright_mlir::TensorType::new(
        mapwright_mlir::ElementType::int(64),
        &[],
    ))
}

/// Appends operations to a function or to the body of a loop.
pub struct Body<'c> {
    b: Builder<'c>,
}

impl<'c> Body<'c> {
    /// The type of a value.
    pub fn type_of(&self, value: Val<'c>) -> ValueType {
        ValueType::from_mlir(value.r#type())
    }

    fn attribute(&self, name: &str, text: &str) -> Result<Attr<'c>, Failure> {
        Attr::parse(self.b.context(), text).ok_or_else(|| {
            let message = format!("the attribute '{name}' is not one: {text}");
            Failure::at(self.b.location(), &message)
        })
    }

    fn ty(&self, ty: &ValueType) -> Result<Ty<'c>, Failure> {
        Ty::parse(self.b.context(), &ty.to_string())
            .ok_or_else(|| Failure::at(self.b.location(), &format!("{ty} is no type")))
    }

    fn attributes<'n>(
        &self,
        attributes: &[(&'n str, &str)],
    ) -> Result<Vec<(&'n str, Attr<'c>)>, Failure> {
        let parsed = attributes.iter().map(|(name, text)| {
            let attribute = self.attribute(name, text)?;
            Ok((*name, attribute))
        });
        parsed.collect()
    }

    /// An operation whose result types follow, by its name with the dialect; attributes as they are
    /// written in text.
    ///
    /// # Errors
    /// An operation that is not legal, or whose result types do not follow.
    pub fn op(
        &self,
        name: &str,
        operands: &[Val<'c>],
        attributes: &[(&str, &str)],
    ) -> Result<Vec<Val<'c>>, Failure> {
        let attributes = self.attributes(attributes)?;
        self.inferred(name, operands, &attributes, Vec::new())
    }

    /// [`Body::op`] with one result.
    ///
    /// # Errors
    /// As [`Body::op`].
    pub fn op1(
        &self,
        name: &str,
        operands: &[Val<'c>],
        attributes: &[(&str, &str)],
    ) -> Result<Val<'c>, Failure> {
        match self.op(name, operands, attributes)?[..] {
            [one] => Ok(one),
            _ => Err(Failure::at(
                self.b.location(),
                &format!("'{name}' has not one result"),
            )),
        }
    }

    /// An operation with one result of this type, for those whose result types do not follow.
    ///
    /// # Errors
    /// Attributes and types that are none.
    pub fn typed(
        &self,
        name: &str,
        operands: &[Val<'c>],
        result: &ValueType,
        attributes: &[(&str, &str)],
    ) -> Result<Val<'c>, Failure> {
        let attributes = self.attributes(attributes)?;
        let ty = self.ty(result)?;
        Ok(self.b.op1(name, operands, ty, &attributes))
    }

    /// A constant of a tensor type, its elements as they are written within `dense<…>`.
    ///
    /// # Errors
    /// Elements that do not fit the type.
    pub fn constant(&self, elements: &str, ty: &ValueType) -> Result<Val<'c>, Failure> {
        let value = format!("dense<{elements}> : {ty}");
        self.typed("stablehlo.constant", &[], ty, &[("value", &value)])
    }

    /// A loop over `xs`; `inits` are shared, carried along or belong to the elements, as the
    /// operation says. The body gets an element of each of `xs` and what it gets of each of
    /// `inits`, and gives what ends it yields.
    ///
    /// # Errors
    /// A loop that is not legal, and what fails in its body.
    pub fn each(
        &self,
        what: &Loop,
        xs: &[Val<'c>],
        inits: &[Val<'c>],
        body: impl FnOnce(&Self, &[Val<'c>]) -> Result<Vec<Val<'c>>, Failure>,
    ) -> Result<Vec<Val<'c>>, Failure> {
        let of_tensor = (xs.first()).is_some_and(|x| self.type_of(*x).tensor().is_some());
        let mut types = Vec::new();
        for x in xs {
            types.push(self.ty(&what.element(&self.type_of(*x)))?);
        }
        for init in inits {
            types.push(self.ty(&what.whole(&self.type_of(*init), of_tensor))?);
        }
        let mut outcome = Ok(());
        let region = self.b.region(&types, |_, arguments| {
            outcome = body(self, arguments).map(|given| {
                self.b.op("tarray.yield", &given, &[], &[]);
            });
        });
        outcome?;
        let segments = format!("array<i32: {}, {}>", xs.len(), inits.len());
        let mut attributes = vec![(
            "operandSegmentSizes",
            self.attribute("operandSegmentSizes", &segments)?,
        )];
        if let Some((name, text)) = what.attribute() {
            attributes.push((name, self.attribute(name, &text)?));
        }
        let name = format!("tarray.{}", what.name());
        let operands = [xs, inits].concat();
        self.inferred(&name, &operands, &attributes, vec![region])
    }

    fn inferred(
        &self,
        name: &str,
        operands: &[Val<'c>],
        attributes: &[(&str, Attr<'c>)],
        regions: Vec<Region<'c>>,
    ) -> Result<Vec<Val<'c>>, Failure> {
        match self.b.inferred(name, operands, attributes, regions) {
            Some(op) => Ok(op.results()),
            // What is wrong with its operands was said.
            None => Err(Failure::at(
                self.b.location(),
                &format!("'{name}' cannot be made of these operands"),
            )),
        }
    }
}

/// Adds a function to a module, whose body is made by `body` from its arguments and gives its
/// results.
///
/// # Errors
/// What is not legal in it, after its diagnostics.
pub fn function<'c>(
    module: &Module<'c>,
    context: &'c Context,
    name: &str,
    takes: &[ValueType],
    body: impl FnOnce(&Body<'c>, &[Val<'c>]) -> Result<Vec<Val<'c>>, Failure>,
) -> Result<(), Failure> {
    let location = Location::unknown(context);
    let place = mapwright_mlir::block(&module.body());
    let inside = Body {
        b: Builder::new(context, place, location),
    };
    let mut types = Vec::new();
    for ty in takes {
        types.push(inside.ty(ty)?);
    }
    let mut outcome = Ok(Vec::new());
    let region = inside.b.region(&types, |b, arguments| {
        outcome = body(&inside, arguments).map(|given| {
            b.op("func.return", &given, &[], &[]);
            given.iter().map(|value| value.r#type()).collect()
        });
    });
    let results: Vec<Ty<'c>> = outcome?;
    let b = &inside.b;
    let ty = b.type_attr(b.function_type(&types, &results));
    let attributes = [("sym_name", b.str_attr(name)), ("function_type", ty)];
    let made = b.op_with_regions("func.func", &[], &[], &attributes, vec![region]);
    if made.verify() {
        Ok(())
    } else {
        Err(Failure::reported())
    }
}
