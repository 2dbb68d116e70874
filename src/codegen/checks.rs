//! Checks in front of every load and store of the kernels: the option `bounds_checks`.
//!
//! An access outside of its buffer is a defect of the emitter, never of the program: it is reported
//! (`mw_out_of_bounds`, which makes the call fail), and made at index 0 instead, or not by the
//! lanes that are outside. Constant-size and run-time-size buffers are checked in each dimension; a
//! flat view of a run-time-size buffer in its whole length; of a vector the first and the last
//! lane, and under a mask every lane that is on.

use mapwright_mlir::melior::ir::{Region, ValueLike};
use mapwright_mlir::{Builder, CmpI, Op, Ty, Val, op};
use std::{cell::RefCell, collections::BTreeMap};

/// Positions of the operands of a memory access.
struct Access {
    memref: usize,
    /// Indices from this operand on, as many as the buffer has dimensions.
    first: usize,
    /// Lanes of a vector along the last dimension; 1 for a single element.
    lanes: i64,
    /// The mask.
    mask: Option<usize>,
    /// Distances of the lanes from the index, where they are not 0, 1, 2, ….
    distances: Option<usize>,
}

/// Adds the checks to the functions of `module`; how many accesses there are.
pub fn add(module: &Builder<'_>) -> usize {
    let mut count = 0;
    let places = Places {
        module,
        known: RefCell::default(),
    };
    for function in op::ops(module.block()) {
        for op in function.descendants() {
            if let Some(access) = access(module, op) {
                check(&places, op, &access);
                count += 1;
            }
        }
    }
    count
}

/// Returns the positions of the operands of `op`, if it accesses memory.
fn access<'c>(b: &Builder<'c>, op: Op<'c>) -> Option<Access> {
    let lanes = |value: Val<'c>| b.shape_of(value.r#type()).first().copied().unwrap_or(1);
    let plain = |memref: usize, lanes: i64| Access {
        memref,
        first: memref + 1,
        lanes,
        mask: None,
        distances: None,
    };
    // The operands behind the indices.
    let behind = |first: usize| first + b.shape_of(op.operand(0).r#type()).len();
    Some(match op.name() {
        "memref.load" => plain(0, 1),
        "memref.store" => plain(1, 1),
        "vector.load" => plain(0, lanes(op.result(0))),
        "vector.store" => plain(1, lanes(op.operand(0))),
        "vector.maskedload" | "vector.maskedstore" => Access {
            mask: Some(behind(1)),
            lanes: lanes(op.operand(behind(1))),
            ..plain(0, 1)
        },
        "vector.gather" | "vector.scatter" => Access {
            mask: Some(behind(1) + 1),
            lanes: lanes(op.operand(behind(1))),
            distances: Some(behind(1)),
            ..plain(0, 1)
        },
        _ => return None,
    })
}

/// The texts of locations, each once in the module.
struct Places<'b, 'c> {
    module: &'b Builder<'c>,
    known: RefCell<BTreeMap<String, String>>,
}

impl<'c> Places<'_, 'c> {
    /// The address of the location of what `b` builds, as a C string.
    fn here(&self, b: &Builder<'c>) -> Val<'c> {
        let text = b.location().to_string().replace('\0', "?") + "\0";
        let mut known = self.known.borrow_mut();
        let number = known.len();
        let name = known.entry(text).or_insert_with_key(|text| {
            let name = format!("mw_place_{number}");
            let ty = format!("!llvm.array<{} x i8>", text.len());
            let module = self.module;
            let attributes = [
                ("sym_name", module.str_attr(&name)),
                ("global_type", module.type_attr(module.parse_type(&ty))),
                ("linkage", module.parse_attr("#llvm.linkage<internal>")),
                ("constant", module.unit_attr()),
                ("value", module.str_attr(text)),
            ];
            let regions = vec![Region::new()];
            module.op_with_regions("llvm.mlir.global", &[], &[], &attributes, regions);
            name
        });
        let symbol = [("global_name", b.symbol_attr(name))];
        b.op1("llvm.mlir.addressof", &[], b.ptr(), &symbol)
    }
}

fn check<'c>(places: &Places<'_, 'c>, op: Op<'c>, access: &Access) {
    let Some(b) = Builder::before(places.module.context(), op) else {
        return;
    };
    let memref = op.operand(access.memref);
    let rank = b.shape_of(memref.r#type()).len();
    for dimension in 0..rank {
        let operand = access.first + dimension;
        let index = op.operand(operand);
        let size = b.op1(
            "memref.dim",
            &[memref, b.cidx(dimension as i64)],
            b.index(),
            &[],
        );
        if let (Some(mask), true) = (access.mask, dimension + 1 == rank) {
            check_lanes(places, &b, op, access, mask, index, size);
            continue;
        }
        // A negative index is a very large one without its sign.
        let mut inside = b.cmpi(CmpI::Ult, index, size);
        let mut reported = index;
        if access.lanes > 1 && dimension + 1 == rank {
            let last = b.addi(index, b.cidx(access.lanes - 1));
            reported = b.select(inside, last, index);
            inside = b.andi(inside, b.cmpi(CmpI::Ult, last, size));
        }
        report(places, &b, inside, reported, size);
        op::set_operand(op, operand, b.select(inside, index, b.cidx(0)));
    }
}

/// The lanes of a vector under a mask: those that are outside are reported and put off.
fn check_lanes<'c>(
    places: &Places<'_, 'c>,
    b: &Builder<'c>,
    op: Op<'c>,
    access: &Access,
    mask: usize,
    index: Val<'c>,
    size: Val<'c>,
) {
    let on = op.operand(mask);
    let ty: Ty<'c> = b.vector(&[access.lanes], b.i64());
    let wide = |value: Val<'c>| b.broadcast(b.cast("arith.index_cast", value, b.i64()), ty);
    let distances = match access.distances.map(|i| op.operand(i)) {
        Some(given) if given.r#type() == ty => given,
        Some(given) if b.element_of(given.r#type()) == b.index() => {
            b.cast("arith.index_cast", given, ty)
        }
        Some(given) => b.cast("arith.extsi", given, ty),
        None => {
            let numbers: Vec<String> = (0..access.lanes).map(|i| i.to_string()).collect();
            let text = format!("dense<[{}]> : {ty}", numbers.join(", "));
            b.cattr(b.parse_attr(&text), ty)
        }
    };
    let reached = b.addi(wide(index), distances);
    let inside = b.cmpi(CmpI::Ult, reached, wide(size));
    let kept = b.andi(on, inside);
    let lost = b.reduction("or", b.xori(on, kept));
    report(places, b, b.xori(lost, b.cbool(true)), index, size);
    op::set_operand(op, mask, kept);
}

/// Reports `index` unless it is `inside`.
fn report<'c>(
    places: &Places<'_, 'c>,
    b: &Builder<'c>,
    inside: Val<'c>,
    index: Val<'c>,
    size: Val<'c>,
) {
    let outside = b.xori(inside, b.cbool(true));
    b.if_then(outside, |b| {
        let number = |value| b.cast("arith.index_cast", value, b.i64());
        let arguments = [number(index), number(size), places.here(b)];
        b.call("mw_out_of_bounds", &arguments, &[]);
    });
}
