//! Scalars and tensors of upstream's dialects (`arith`, `math`, `tensor`, `shape`, `index`), which
//! frontends mix into StableHLO: at the top of a function, for sizes and indices, and in the bodies
//! of reductions and scatters.
//!
//! A scalar becomes a tensor of rank 0, an `index` an `i64`, and each operation the StableHLO
//! operations that compute the same:
//!
//! - [`arith`]: arithmetic, comparisons and functions of elements;
//! - [`branches`]: `scf.if` that gives tensors;
//! - [`tensors`]: elements taken out of tensors and put together;
//! - [`shapes`]: shapes as values.
//!
//! Functions that hold operations of other dialects as well stay as they are: they are no programs
//! of tensors.

mod arith;
mod branches;
mod shapes;
mod tensors;

use crate::{
    make::HloBuilder,
    rewrite::{Result, inline_body},
};
use mapwright_mlir::{
    Attr, Blk, Builder, Dim, ElementType, Op, TensorType, Ty, Val, attr, edit,
    melior::ir::{TypeLike, ValueLike, r#type::FunctionType},
    op,
};

/// Dialects whose operations are rewritten.
const MIXED_IN: &[&str] = &["arith", "index", "math", "shape", "tensor"];

/// Dialects of programs of tensors.
const OF_TENSORS: &[&str] = &[
    "check",
    "chlo",
    "func",
    "indexing",
    "interpreter",
    "mhlo",
    "sdy",
    "stablehlo",
    "tarray",
];

fn is_of_tensors(op: Op<'_>) -> bool {
    MIXED_IN.contains(&op.dialect()) || OF_TENSORS.contains(&op.dialect())
}

/// Rewrites the functions of `module` that have such operations or scalars. Returns how many
/// operations there were.
///
/// # Errors
/// Bodies of `shape.assuming` that do not fit it.
pub(super) fn legalize<'c>(module: Op<'c>) -> Result<'c, usize> {
    let functions = module.body(0).map(op::ops).unwrap_or_default();
    let functions = functions.into_iter().filter(|op| op.name() == "func.func");
    let mut count = 0;
    for function in functions {
        let inner = function.descendants();
        let is_mixed = |op: &&Op<'c>| MIXED_IN.contains(&op.dialect()) || branches::is_known(**op);
        let mixed = inner.iter().filter(is_mixed).count();
        let fits = |op: &Op<'c>| is_of_tensors(*op) || branches::is_known(*op);
        if !inner.iter().all(fits) || (mixed == 0 && !has_scalars(function)) {
            continue;
        }
        rewrite(function, inner)?;
        count += mixed.max(1);
    }
    Ok(count)
}

/// Rewrites the regions in `module` that compute an element from elements, as [`legalize`] does,
/// and nothing else: what stands around them may be of any dialect. Returns how many operations
/// there were.
///
/// # Errors
/// As for [`legalize`].
pub(super) fn legalize_regions<'c>(module: Op<'c>) -> Result<'c, usize> {
    let of_elements = |op: Op<'c>| {
        let blocks = (0..op.num_regions()).filter_map(move |i| op.body(i));
        blocks.filter(move |block| is_of_elements(op, *block))
    };
    // Found before anything is erased.
    let blocks: Vec<Blk<'c>> = (module.descendants().into_iter())
        .flat_map(of_elements)
        .collect();
    let mut count = 0;
    for block in blocks {
        let inner: Vec<Op<'c>> = op::ops(block)
            .into_iter()
            .flat_map(|op| [vec![op], op.descendants()].concat())
            .collect();
        let is_mixed = |op: &&Op<'c>| MIXED_IN.contains(&op.dialect());
        let mixed = inner.iter().filter(is_mixed).count();
        let fits = |op: &Op<'c>| is_of_tensors(*op) && !takes_scalars(*op, &inner);
        if mixed > 0 && inner.iter().all(fits) {
            rewrite_inside(inner)?;
            count += mixed;
        }
    }
    Ok(count)
}

/// Tells whether `block` belongs to an operation on tensors and takes elements.
fn is_of_elements<'c>(op: Op<'c>, block: Blk<'c>) -> bool {
    let arguments = op::arguments(block);
    let is_element =
        |value: &Val<'c>| TensorType::from_mlir(value.r#type()).is_some_and(|ty| ty.rank() == 0);
    matches!(op.dialect(), "chlo" | "mhlo" | "stablehlo")
        && !arguments.is_empty()
        && arguments.iter().all(is_element)
}

/// Tells whether `op` has an operand that is no tensor and is not made by `inner`.
fn takes_scalars<'c>(op: Op<'c>, inner: &[Op<'c>]) -> bool {
    op.operands().into_iter().any(|value| {
        let own = op::defining_op(value).is_some_and(|(source, _)| inner.contains(&source));
        !own && tensor_of(value.r#type()).is_some()
    })
}

/// Types of a function's arguments and results.
fn signature<'c>(function: Op<'c>) -> Option<(Vec<Ty<'c>>, Vec<Ty<'c>>)> {
    let ty = function.attribute("function_type").and_then(attr::ty)?;
    let ty = FunctionType::try_from(ty).ok()?;
    Some((
        (0..ty.input_count())
            .filter_map(|i| ty.input(i).ok())
            .collect(),
        (0..ty.result_count())
            .filter_map(|i| ty.result(i).ok())
            .collect(),
    ))
}

/// Tells whether the function has scalars as arguments or results.
fn has_scalars(function: Op<'_>) -> bool {
    let types = signature(function).unwrap_or_default();
    let mut all = types.0.into_iter().chain(types.1);
    all.any(|ty| TensorType::from_mlir(ty).is_none() && tensor_of(ty).is_some())
}

/// The type that stands for `ty`: of rank 0 for a scalar, with `i64` for `index`; `None` where it
/// stays.
fn tensor_of<'c>(ty: Ty<'c>) -> Option<Ty<'c>> {
    let context = mapwright_mlir::context::outlive(ty.context());
    let written = ty.to_string();
    let of = |text: &str| Ty::parse(context, text);
    if let Some(tensor) = TensorType::from_mlir(ty) {
        if tensor.element != ElementType::Index {
            return None;
        }
        let end = written.rfind("index")?;
        return of(&format!("{}i64{}", &written[..end], &written[end + 5..]));
    }
    if written == "!shape.size" {
        return of("tensor<i64>");
    }
    match ElementType::from_mlir(ty) {
        ElementType::Other(_) => None,
        ElementType::Index => of("tensor<i64>"),
        element => of(&format!("tensor<{element}>")),
    }
}

/// The type of a value after the rewriting.
fn target<'c>(ty: Ty<'c>) -> Ty<'c> {
    tensor_of(ty).unwrap_or(ty)
}

fn retype(value: Val<'_>) {
    if let Some(ty) = tensor_of(value.r#type()) {
        value.set_type(ty);
    }
}

/// Rewrites the operations of a block.
fn rewrite_inside<'c>(inner: Vec<Op<'c>>) -> Result<'c> {
    let mut assumed = Vec::new();
    let mut branches = Vec::new();
    for op in inner {
        for region in 0..op.num_regions() {
            let blocks = op::blocks(op.region(region));
            blocks.into_iter().flat_map(op::arguments).for_each(retype);
        }
        if op.name() == "shape.assuming" {
            assumed.push(op);
        } else if op.name() == branches::IF {
            branches.push(op);
        } else if MIXED_IN.contains(&op.dialect()) {
            if let Some(to) = Rewriter::before(op)
                && let Some(value) = replacement(&to)
            {
                op::replace_all_uses(op.result(0), value);
                edit::erase_unused(op);
            }
            continue;
        }
        op.results().into_iter().for_each(retype);
        if op.is_hlo("constant")
            && let Some(value) = op.attribute("value").and_then(dense_of)
        {
            op.set_attribute("value", value);
        }
    }
    branches.into_iter().for_each(branches::rewrite);
    // The innermost first.
    for op in assumed.into_iter().rev() {
        // Its operand says that something holds.
        inline_body(op, &[])?;
    }
    Ok(())
}

fn rewrite<'c>(function: Op<'c>, inner: Vec<Op<'c>>) -> Result<'c> {
    let arguments = function.body(0).map(op::arguments);
    arguments.into_iter().flatten().for_each(retype);
    rewrite_inside(inner)?;
    remove_witnesses(function);
    let Some((inputs, results)) = signature(function) else {
        return Ok(());
    };
    let targets = |types: Vec<Ty<'c>>| types.into_iter().map(target).collect::<Vec<_>>();
    let (inputs, results) = (targets(inputs), targets(results));
    if let Some(b) = Builder::before(function.context(), function) {
        let ty = b.function_type(&inputs, &results);
        function.set_attribute("function_type", b.type_attr(ty));
    }
    Ok(())
}

/// Removes witnesses, which nobody asks for any more: what they stand for is known to hold. (Sizes
/// that do not fit are found by the operations that need them.)
fn remove_witnesses(function: Op<'_>) {
    for op in function.descendants().into_iter().rev() {
        let is_witness = op.dialect() == "shape"
            && op.num_results() == 1
            && op.result(0).r#type().to_string() == "!shape.witness";
        if is_witness {
            edit::erase_unused(op);
        }
    }
}

/// The value that takes the place of the operation's result; `None` for one that is not known.
fn replacement<'c>(to: &Rewriter<'c>) -> Option<Val<'c>> {
    match to.op.dialect() {
        "arith" | "index" | "math" => arith::rewrite(to),
        "tensor" => tensors::rewrite(to),
        "shape" => shapes::rewrite(to),
        _ => None,
    }
}

/// Dense data with `i64` for `index`, and numbers as tensors of rank 0; `None` where the attribute
/// stays.
fn dense_of<'c>(value: Attr<'c>) -> Option<Attr<'c>> {
    use mapwright_mlir::melior::ir::attribute::AttributeLike;
    let context = mapwright_mlir::context::outlive(value.context());
    let written = value.to_string();
    if let Some(tensor) = attr::tensor_type(value) {
        if tensor.element != ElementType::Index {
            return None;
        }
        let end = written.rfind("index")?;
        let changed = format!("{}i64{}", &written[..end], &written[end + 5..]);
        return Attr::parse(context, &changed);
    }
    let ty = match attr::boolean(value) {
        Some(_) => "i1".to_owned(),
        None => written.rsplit_once(" : ")?.1.to_owned(),
    };
    let ty = match ty.as_str() {
        "index" => "i64",
        other => other,
    };
    let literal = written.split(" : ").next()?;
    Attr::parse(context, &format!("dense<{literal}> : tensor<{ty}>"))
}

/// Makes StableHLO operations before one that is rewritten.
struct Rewriter<'c> {
    op: Op<'c>,
    b: HloBuilder<'c>,
}

impl<'c> Rewriter<'c> {
    fn before(op: Op<'c>) -> Option<Self> {
        let b = HloBuilder::before(op)?;
        (op.num_results() == 1).then_some(Self { op, b })
    }

    /// The type of the result after the rewriting.
    fn ty(&self) -> Ty<'c> {
        target(self.op.result(0).r#type())
    }

    /// Operand `i`, if it is a tensor by now.
    fn operand(&self, i: usize) -> Option<Val<'c>> {
        let value = (i < self.op.num_operands()).then(|| self.op.operand(i))?;
        TensorType::from_mlir(value.r#type()).map(|_| value)
    }

    fn operands(&self) -> Option<Vec<Val<'c>>> {
        (0..self.op.num_operands())
            .map(|i| self.operand(i))
            .collect()
    }

    /// Element type of a tensor.
    fn element(&self, value: Val<'c>) -> ElementType {
        TensorType::from_mlir(value.r#type())
            .map_or_else(|| ElementType::Other("?".into()), |ty| ty.element)
    }

    /// The type of `value` with another element type.
    fn with_element(&self, value: Val<'c>, element: &ElementType) -> Ty<'c> {
        let written = value.r#type().to_string();
        let old = self.element(value).to_string();
        match written.find(&old) {
            Some(at) => self.b.parse_type(&format!(
                "{}{element}{}",
                &written[..at],
                &written[at + old.len()..]
            )),
            None => value.r#type(),
        }
    }

    /// A type by its element and static shape.
    fn tensor(&self, element: &ElementType, shape: &[i64]) -> Ty<'c> {
        self.b.ty(&TensorType::new(element.clone(), shape))
    }

    /// An operation whose result has the type of its first operand.
    fn same(&self, name: &str, operands: &[Val<'c>]) -> Val<'c> {
        self.b.same(name, operands)
    }

    fn convert(&self, value: Val<'c>, element: &ElementType) -> Val<'c> {
        if self.element(value) == *element {
            value
        } else {
            self.b.op1(
                "stablehlo.convert",
                &[value],
                self.with_element(value, element),
                &[],
            )
        }
    }

    fn bitcast(&self, value: Val<'c>, element: &ElementType) -> Val<'c> {
        if self.element(value) == *element {
            value
        } else {
            self.b.op1(
                "stablehlo.bitcast_convert",
                &[value],
                self.with_element(value, element),
                &[],
            )
        }
    }

    fn reshape(&self, value: Val<'c>, ty: Ty<'c>) -> Val<'c> {
        if value.r#type() == ty {
            value
        } else {
            self.b.op1("stablehlo.reshape", &[value], ty, &[])
        }
    }

    /// A constant of rank 0.
    fn number(&self, literal: &str, element: &ElementType) -> Val<'c> {
        (self.b).constant(literal, &TensorType::new(element.clone(), &[]))
    }

    /// A constant of the shape of `like`.
    fn splat(&self, literal: &str, element: &ElementType, like: Val<'c>) -> Option<Val<'c>> {
        let shape = TensorType::from_mlir(like.r#type())?.static_shape()?;
        Some((self.b).constant(literal, &TensorType::new(element.clone(), &shape)))
    }

    /// Scalars one after the other, as a vector.
    fn vector(&self, scalars: &[Val<'c>], element: &ElementType) -> Val<'c> {
        let one = self.tensor(element, &[1]);
        let parts: Vec<Val<'c>> = scalars
            .iter()
            .map(|value| self.reshape(*value, one))
            .collect();
        match parts.as_slice() {
            [] => (self.b).constant("[]", &TensorType::new(element.clone(), &[0])),
            [part] => *part,
            parts => self.b.concatenate(parts, 0),
        }
    }

    /// The size of a dimension as a scalar `i64`.
    fn size(&self, value: Val<'c>, d: usize) -> Option<Val<'c>> {
        let ty = TensorType::from_mlir(value.r#type())?;
        let int = ElementType::int(64);
        Some(match ty.dims.get(d)? {
            Dim::Static(n) => self.number(&n.to_string(), &int),
            _ => self.convert(self.b.size(value, d), &int),
        })
    }

    /// All sizes as a vector of `i64`.
    fn sizes(&self, value: Val<'c>) -> Option<Val<'c>> {
        let rank = TensorType::from_mlir(value.r#type())?.rank();
        let sizes: Option<Vec<Val<'c>>> = (0..rank).map(|d| self.size(value, d)).collect();
        Some(self.vector(&sizes?, &ElementType::int(64)))
    }
}

/// The value of an integer constant, of rank 0 or one element.
fn known_integer(value: Val<'_>) -> Option<i64> {
    let (op, _) = op::defining_op(value)?;
    if !op.is_hlo("constant") {
        return None;
    }
    match op.ints("value")?.as_slice() {
        [one] => Some(*one),
        _ => None,
    }
}
