//! A program in a context of its own: any thread may compile it, one at a time.

use crate::{CompileOptions, Error, Executable, Result, Signature, specialize};
use mapwright_mlir::{
    Op, TensorType, ValueType, context,
    diagnostic::Diagnostics,
    edit,
    melior::{
        Context,
        ir::{Module, ValueLike, operation::OperationLike},
    },
    op,
};
use mapwright_normalize::inline;
use mapwright_normalize::{
    frontend,
    mhlo::{self, Direction},
};

/// Types and constants live as long as their context: after so many compilations the program moves
/// to another one.
const COMPILATIONS_OF_A_CONTEXT: usize = 64;

/// The fields are dropped in this order: the context goes last.
struct Place {
    module: Module<'static>,
    diagnostics: Diagnostics<'static>,
    _context: Box<Context>,
}

// SAFETY: nothing outside of the struct refers to the context or what is in it, the context has no
// threads of its own, and MLIR ties neither to a thread.
unsafe impl Send for Place {}

impl Place {
    fn from_bytecode(bytecode: &[u8]) -> Result<Self> {
        let context = Box::new(context());
        // SAFETY: the context is in a box, so it stays where it is, and this struct drops it after
        // everything that refers to it.
        let forever: &'static Context = unsafe { &*std::ptr::from_ref(&*context) };
        let diagnostics = Diagnostics::to_text(forever);
        let module = diagnostics
            .parse("program", bytecode)
            .map_err(|_| Error::Refused(diagnostics.take()))?;
        Ok(Self {
            module,
            diagnostics,
            _context: context,
        })
    }
}

/// A program that is compiled again and again.
pub(super) struct Program {
    place: Place,
    /// Compilations in this context.
    compilations: usize,
}

fn bytecode(module: Op<'_>) -> Vec<u8> {
    edit::clone_module(module).as_operation().write_bytecode()
}

impl Program {
    /// A copy of `module`.
    pub(super) fn new(module: Op<'_>) -> Result<Self> {
        Ok(Self {
            place: Place::from_bytecode(&bytecode(module))?,
            compilations: 0,
        })
    }

    fn module(&self) -> Op<'_> {
        Op::new(self.place.module.as_operation())
    }

    /// Native code for arguments of these shapes, or for all that fit the types.
    pub(super) fn compile(
        &mut self,
        entry: &str,
        shapes: Option<&[&[i64]]>,
        options: &CompileOptions,
    ) -> Result<Executable> {
        if self.compilations == COMPILATIONS_OF_A_CONTEXT {
            self.place = Place::from_bytecode(&bytecode(self.module()))?;
            self.compilations = 0;
        }
        self.compilations += 1;
        let module = self.module();
        let compiled = match shapes {
            None => Executable::compile(module, options),
            Some(shapes) => specialize(module, entry, shapes)
                .and_then(|special| Executable::compile(Op::new(special.as_operation()), options)),
        };
        // Warnings as well do not stay for the next one.
        let said = self.place.diagnostics.take();
        compiled.map_err(|error| match error {
            Error::Diagnosed(_) => Error::Refused(said),
            other => other,
        })
    }

    /// Returns the types of arguments and results of `entry`, where all of them are tensors.
    pub(super) fn signature(&self, entry: &str) -> Option<Signature> {
        let copy = edit::clone_module(self.module());
        let root = Op::new(copy.as_operation());
        // What cannot be read is said when the program is compiled.
        let legal = frontend::legalize(root).is_ok()
            && (root.descendants().iter().all(|op| op.dialect() != "mhlo")
                || mhlo::convert(root, Direction::ToStablehlo).is_ok());
        self.place.diagnostics.take();
        let body = inline::functions(root).remove(entry)?.body(0)?;
        let results = op::ops(body).last()?.operands();
        let tensors = |values: Vec<_>| -> Option<Vec<TensorType>> {
            let mut types = Vec::new();
            for value in values {
                let value: mapwright_mlir::Val<'_> = value;
                match ValueType::from_mlir(value.r#type()) {
                    ValueType::Tensor(ty) => types.push(ty),
                    ValueType::Token => {}
                    _ => return None,
                }
            }
            Some(types)
        };
        legal.then_some(Signature {
            inputs: tensors(op::arguments(body))?,
            outputs: tensors(results)?,
        })
    }
}
