//! Checks in front of every load and store of the kernels: the option `bounds_checks`.
//!
//! An access outside of its buffer is a defect of the emitter, never of the program: it is reported (`mw_out_of_bounds`, which makes the call
//! fail) and made at index 0 instead. Only the general emitter works in this mode, so loads and stores are of single elements. Constant-size
//! and run-time-size buffers are checked in each dimension; a flat view of a run-time-size buffer in its whole length.

use mapwright_mlir::{Builder, CmpI, Op, Val, op};

/// Adds the checks to the functions of `module`; how many accesses there are.
pub fn add(module: &Builder<'_>) -> usize {
    let mut count = 0;
    for function in op::ops(module.block()) {
        for access in function.descendants() {
            let (memref, first) = match access.name() {
                "memref.load" => (0, 1),
                "memref.store" => (1, 2),
                _ => continue,
            };
            if access.num_operands() > first {
                check(module, access, access.operand(memref), first);
                count += 1;
            }
        }
    }
    count
}

fn check<'c>(module: &Builder<'c>, access: Op<'c>, memref: Val<'c>, first: usize) {
    let Some(b) = Builder::before(module.context(), access) else {
        return;
    };
    for (dimension, operand) in (first..access.num_operands()).enumerate() {
        let index = access.operand(operand);
        let dimension = b.cidx(dimension as i64);
        let size = b.op1("memref.dim", &[memref, dimension], b.index(), &[]);
        // A negative index is a very large one without its sign.
        let inside = b.cmpi(CmpI::Ult, index, size);
        let outside = b.xori(inside, b.cbool(true));
        b.if_then(outside, |b| {
            let number = |value| b.cast("arith.index_cast", value, b.i64());
            b.call("mw_out_of_bounds", &[number(index), number(size)], &[]);
        });
        let safe = b.select(inside, index, b.cidx(0));
        op::set_operand(access, operand, safe);
    }
}
