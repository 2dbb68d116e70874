//! Operations that the runtime library computes, as functions on buffers.

use super::{Call, Lowering, check_tensor, regions, sizes, tasks};
use crate::{
    error::Located,
    host::{collective, entry},
};
use mapwright_mlir::{
    Builder, ElementType, Op, TensorType, Ty, Val, ValueType, melior::ir::ValueLike,
};
use mapwright_ops::{attrs, registry};

/// Operations that need nothing but their operands.
const KNOWN: &[&str] = &[
    "cholesky",
    "custom_call",
    "fft",
    "rng",
    "rng_bit_generator",
    "sort",
    "top_k",
    "triangular_solve",
];

/// Tells whether `op` is an operation of this file.
pub(super) fn is_known(op: Op<'_>) -> bool {
    KNOWN.contains(&op.short_name()) || collective::is_known(op)
}

impl<'c> Lowering<'_, 'c> {
    /// Replaces an operation by the call of a function that calls the library.
    pub(super) fn library(&mut self, op: Op<'c>) -> Result<(), Located<'c>> {
        if op.is_hlo("constant") {
            return Ok(());
        }
        if !is_known(op) {
            return Err(super::not_lowered(op));
        }
        check_members(op).map_err(|why| Located::new(op, why))?;
        for value in op.operands().into_iter().chain(op.results()) {
            check_tensor(value)
                .and_then(|()| check_element(value))
                .map_err(|why| Located::new(op, why))?;
        }
        let b =
            Builder::before(op.context(), op).ok_or_else(|| Located::new(op, "is in no block"))?;
        let name = self.kernels.fresh(op, op.short_name());
        let body = format!("{name}_call");
        entry::library_function(
            &self.code,
            &self.kernels,
            op,
            &body,
            tasks::context(self.mode.threads),
        )?;
        let sizes = sizes::of_results(&b, op)?;
        self.library_wrapper(op, &name, &body);
        let results = op.results().into_iter().zip(&sizes);
        let call = Call {
            inputs: op.operands(),
            inits: results
                .map(|(result, sizes)| regions::empty(&b, result.r#type(), sizes))
                .collect(),
            impure: !registry::is_function(op),
            ..Call::default()
        };
        self.call(op, &name, &call);
        Ok(())
    }

    /// The function `name` on buffers, which hands their addresses and sizes to the function
    /// `body`.
    fn library_wrapper(&self, op: Op<'c>, name: &str, body: &str) {
        let module = &self.b;
        module.set_location(op.location());
        let values: Vec<Val<'c>> = op.operands().into_iter().chain(op.results()).collect();
        let types: Vec<Ty<'c>> = values
            .iter()
            .map(|value| regions::buffer(module, value.r#type()))
            .collect();
        module.func(name, &types, &[], true, |b, arguments| {
            let mut given: Vec<Val<'c>> = arguments.iter().map(|m| tasks::address(b, *m)).collect();
            for (i, memref) in arguments.iter().enumerate().take(op.num_operands()) {
                let ValueType::Tensor(ty) = op.operand_type(i) else {
                    continue;
                };
                for (d, dim) in ty.dims.iter().enumerate() {
                    if dim.fixed().is_none() {
                        let d = b.cidx(d as i64);
                        let size = b.op1("memref.dim", &[*memref, d], b.index(), &[]);
                        given.push(b.index_cast(size, b.i64()));
                    }
                }
            }
            b.call_llvm(body, &given, &[]);
            b.ret(&[]);
        });
    }
}

/// Checks that a collective names no process but the only one that there is.
///
/// # Errors
/// The other one that it names.
fn check_members(op: Op<'_>) -> Result<(), String> {
    match attrs::last_member(op) {
        Ok(Some(member @ 1..)) => Err(format!(
            "names process {member}, and code that is lowered in place runs as process 0 alone"
        )),
        _ => Ok(()),
    }
}

/// Checks that the elements of `value` are stored as the runtime has them.
///
/// # Errors
/// Why they are not.
fn check_element(value: Val<'_>) -> Result<(), String> {
    let element = TensorType::from_mlir(value.r#type()).map(|ty| ty.element);
    let stored = match &element {
        Some(ElementType::Quantized(q)) => Some(&q.storage),
        other => other.as_ref(),
    };
    match stored {
        Some(ElementType::Int {
            width: ..8,
            unsigned: false,
        }) => Err(format!(
            "has a value of type {}, in whose bytes the runtime has copies of the sign, and LLVM has none",
            value.r#type()
        )),
        _ => Ok(()),
    }
}
