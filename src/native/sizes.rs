//! What is said of the run-time sizes of an entry before it is compiled.

use crate::CompileOptions;
use mapwright_mlir::{Op, TensorType, edit, op};
use mapwright_normalize::inline;
use mapwright_normalize::sizes::{Described, described, names_in};
use mapwright_normalize::{
    frontend,
    mhlo::{self, Direction},
};

/// The sizes of the arguments and results of an entry that has run-time sizes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sizes {
    pub(crate) arguments: Described,
    pub(crate) results: Described,
}

/// The sizes of the function `entry`; `None` where nothing can be said.
pub(crate) fn of_entry(module: Op<'_>, entry: &str, options: &CompileOptions) -> Option<Sizes> {
    let copy = edit::clone_module(module);
    let root = Op::new(copy.as_operation());
    // What is wrong with the program is said when it is compiled.
    frontend::legalize(root).ok()?;
    if root.descendants().iter().any(|op| op.dialect() == "mhlo") {
        mhlo::convert(root, Direction::ToStablehlo).ok()?;
    }
    let function = inline::functions(root).remove(entry)?;
    // What a call gives is gone when it is inlined; the names of that stand in assertions, too.
    let mut names = names_in(function);
    let is_of_call = |value| op::defining_op(value).is_some_and(|(op, _)| op.name() == "func.call");
    names.retain(|(_, value)| !is_of_call(*value));
    inline::inline_calls(root, function, options.most_operations).ok()?;
    names.extend(names_in(function));
    let (arguments, results) = described(function, &names)?;
    Some(Sizes { arguments, results })
}

impl Sizes {
    /// Tells whether they belong to tensors of these types.
    pub(crate) fn fit(&self, arguments: &[TensorType], results: &[TensorType]) -> bool {
        let ranks = |sizes: &Described, types: &[TensorType]| {
            let each = sizes.iter().map(Vec::len);
            each.eq(types.iter().map(TensorType::rank))
        };
        ranks(&self.arguments, arguments) && ranks(&self.results, results)
    }
}
