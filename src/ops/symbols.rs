//! Functions by name.

use mapwright_mlir::{Op, ValueType, attr, op};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The modules around `op`, the innermost first.
fn modules<'c>(op: Op<'c>) -> impl Iterator<Item = Op<'c>> {
    std::iter::successors(op.parent(), |scope| scope.parent())
        .filter(|scope| scope.name().ends_with("module") && scope.num_regions() == 1)
}

/// The functions of a module with their names.
fn functions<'c>(module: Op<'c>) -> impl Iterator<Item = (String, Op<'c>)> {
    module
        .body(0)
        .map(op::ops)
        .unwrap_or_default()
        .into_iter()
        .filter(|candidate| candidate.name().ends_with(".func"))
        .filter_map(|function| Some((function.string("sym_name")?, function)))
}

/// The function `name` in the innermost module around `op` that has one of this name. It is
/// searched among all functions: whoever asks for many of an unchanged module keeps a
/// [`Functions`].
pub fn find_function<'c>(op: Op<'c>, name: &str) -> Option<Op<'c>> {
    modules(op).find_map(|module| find_function_in(module, name))
}

/// The function `name` of `module`.
pub fn find_function_in<'c>(module: Op<'c>, name: &str) -> Option<Op<'c>> {
    functions(module).find_map(|(own, function)| (own == name).then_some(function))
}

/// Tells whether `op` is in no module. It may be put into any then.
pub(crate) fn is_in_no_module(op: Op<'_>) -> bool {
    modules(op).next().is_none()
}

/// The operation of this name in the innermost module around `op` that has one.
pub(crate) fn declared<'c>(op: Op<'c>, name: &str) -> Option<Op<'c>> {
    let is_it = |candidate: &Op<'_>| candidate.string("sym_name").as_deref() == Some(name);
    modules(op).find_map(|module| {
        let first = module.body(0).and_then(op::first);
        std::iter::successors(first, |op| op::next(*op)).find(is_it)
    })
}

/// Functions by name, read once a module. It must not outlive changes of the IR.
#[derive(Default)]
pub struct Functions<'c> {
    modules: RefCell<HashMap<Op<'c>, Rc<HashMap<String, Op<'c>>>>>,
}

impl<'c> Functions<'c> {
    /// As [`find_function`].
    pub fn find(&self, op: Op<'c>, name: &str) -> Option<Op<'c>> {
        modules(op).find_map(|module| {
            let known = self.modules.borrow().get(&module).cloned();
            let named = known.unwrap_or_else(|| {
                let mut named = HashMap::new();
                for (name, function) in functions(module) {
                    named.entry(name).or_insert(function);
                }
                let named = Rc::new(named);
                self.modules.borrow_mut().insert(module, Rc::clone(&named));
                named
            });
            named.get(name).copied()
        })
    }
}

/// Input and result types of a function.
pub fn signature(function: Op<'_>) -> Option<(Vec<ValueType>, Vec<ValueType>)> {
    use mapwright_mlir::melior::ir::r#type::FunctionType;
    let ty = FunctionType::try_from(attr::ty(function.attribute("function_type")?)?).ok()?;
    let inputs = (0..ty.input_count())
        .filter_map(|i| ty.input(i).ok())
        .map(ValueType::from_mlir)
        .collect();
    let results = (0..ty.result_count())
        .filter_map(|i| ty.result(i).ok())
        .map(ValueType::from_mlir)
        .collect();
    Some((inputs, results))
}
