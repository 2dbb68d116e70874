//! Tiles of kernels on the threads of the runtime library.
//!
//! The addresses of the buffers and the sizes go into a block of numbers on the stack, which a task
//! of the library's finds: it calls the kernel with them for its tiles.

use super::Threads;
use crate::{host::code::Code, launch::Work};
use mapwright_mlir::{Builder, Op, Ty, Val, melior::ir::ValueLike, op};

/// Gives the threads that all callers share.
const CONTEXT: &str = "mw_shared_threads";
/// Gives what all callers share who want one thread.
const ALONE: &str = "mw_shared_context";
/// Runs tasks.
const RUN: &str = "mw_parallel_for_grain";
/// Ends the process where a task failed.
const STOP: &str = "mw_stop_on_error";

/// The function that gives the context in which the library computes whole operations.
pub(super) fn context(threads: Threads) -> &'static str {
    match threads {
        Threads::Runtime => CONTEXT,
        Threads::None | Threads::Scf => ALONE,
    }
}

/// Runs `tiles` tiles of `work`. `module` appends to the module, `code` declares functions in it.
pub(super) fn run<'c>(
    (module, code): (&Builder<'c>, &Code<'c>),
    b: &Builder<'c>,
    work: &Work,
    tiles: Val<'c>,
    arguments: &[Val<'c>],
) {
    let types: Vec<Ty<'c>> = arguments.iter().map(|value| value.r#type()).collect();
    let task = work.task();
    define(module, &task, work, &types);
    let block = b.memref(&[arguments.len() as i64], b.i64());
    let segments = [("operandSegmentSizes", b.i32_array(&[0, 0]))];
    let block = b.op1("memref.alloca", &[], block, &segments);
    for (i, argument) in arguments.iter().enumerate() {
        let number = if argument.r#type() == b.ptr() {
            b.op1("llvm.ptrtoint", &[*argument], b.i64(), &[])
        } else {
            b.index_cast(*argument, b.i64())
        };
        b.op("memref.store", &[number, block, b.cidx(i as i64)], &[], &[]);
    }
    let ty = b.function_type(&[b.ptr(), b.i64(), b.i64()], &[]);
    let symbol = [("value", b.symbol_attr(&task))];
    let task = b.op1("func.constant", &[], ty, &symbol);
    let task = b.op1("builtin.unrealized_conversion_cast", &[task], b.ptr(), &[]);
    let call = |name: &str, operands: &[Val<'c>], inputs: &[&str], result: &str| {
        code.declare(name, inputs, result);
        let results = match result {
            "void" => Vec::new(),
            "ptr" => vec![b.ptr()],
            other => vec![b.parse_type(other)],
        };
        b.call_llvm(name, operands, &results)
    };
    let context = call(CONTEXT, &[], &[], "ptr")[0];
    let block = address(b, block);
    let tiles = b.index_cast(tiles, b.i64());
    let grain = b.cint(work.grain, b.i64());
    let operands = [context, task, block, tiles, grain];
    call(RUN, &operands, &["ptr", "ptr", "ptr", "i64", "i64"], "i32");
    call(STOP, &[context], &["ptr"], "void");
}

/// The address of the first element of a buffer.
pub(super) fn address<'c>(b: &Builder<'c>, memref: Val<'c>) -> Val<'c> {
    let name = "memref.extract_aligned_pointer_as_index";
    let address = b.index_cast(b.op1(name, &[memref], b.index(), &[]), b.i64());
    b.op1("llvm.inttoptr", &[address], b.ptr(), &[])
}

/// The task `name` of `work`, whose arguments have these types.
fn define<'c>(module: &Builder<'c>, name: &str, work: &Work, types: &[Ty<'c>]) {
    if is_there(module, name) {
        return;
    }
    let arguments = [module.ptr(), module.i64(), module.i64()];
    module.func(name, &arguments, &[], true, |b, arguments| {
        let mut all = Vec::new();
        for (i, ty) in types.iter().enumerate() {
            let at = [("rawConstantIndices", b.i32_array(&[i as i32]))];
            let at = [at[0], ("elem_type", b.type_attr(b.i64()))];
            let place = b.op1("llvm.getelementptr", &[arguments[0]], b.ptr(), &at);
            all.push(if *ty == b.ptr() {
                b.op1("llvm.load", &[place], b.ptr(), &[])
            } else {
                let number = b.op1("llvm.load", &[place], b.i64(), &[]);
                b.index_cast(number, b.index())
            });
        }
        let first = b.cidx(work.first);
        let tiles = arguments[1..].iter().map(|n| b.index_cast(*n, b.index()));
        all.extend(tiles.map(|tile| b.addi(tile, first)));
        b.call(&work.name, &all, &[]);
        b.ret(&[]);
    });
}

fn is_there(module: &Builder<'_>, name: &str) -> bool {
    let named = |op: &Op<'_>| op.string("sym_name").as_deref() == Some(name);
    op::ops(module.block()).iter().any(named)
}
