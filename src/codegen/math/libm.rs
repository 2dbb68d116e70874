//! Functions of the C library, called lane by lane.

use super::is_f64;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, Val};

/// Calls the C function `name` (`namef` for `f32`, `namel` for wider types) on scalars or on every
/// lane of 1-D or n-D vectors. The declaration is added when the module is finished (see
/// `crate::lower`).
pub(crate) fn call<'c>(b: &Builder<'c>, name: &str, args: &[Val<'c>]) -> Val<'c> {
    let ty = args[0].r#type();
    let element = b.element_of(ty);
    let symbol = match is_f64(b, args[0]) {
        true => name.to_string(),
        false if element == b.f32() => format!("{name}f"),
        false => format!("{name}l"),
    };
    by_lanes(b, &symbol, args, 1)[0]
}

/// Calls the C function `name` on lane after lane of 1-D vectors in a loop, which is little code
/// for what is seldom run.
pub(crate) fn in_turn<'c>(b: &Builder<'c>, name: &str, args: &[Val<'c>]) -> Val<'c> {
    let ty = args[0].r#type();
    let [n] = b.shape_of(ty)[..] else {
        return call(b, name, args);
    };
    let element = b.element_of(ty);
    let buffers: Vec<Val<'c>> = args
        .iter()
        .map(|arg| {
            let buffer = b.alloca(b.memref(&[n], element));
            b.vstore(*arg, buffer, &[b.cidx(0)]);
            buffer
        })
        .collect();
    b.rolled_loop(b.cidx(0), b.cidx(n), b.cidx(1), |b, lane| {
        let lanes: Vec<Val<'c>> = buffers.iter().map(|of| b.load(*of, &[lane])).collect();
        b.store(call(b, name, &lanes), buffers[0], &[lane]);
    });
    b.vload(buffers[0], &[b.cidx(0)], ty)
}

/// Calls `symbol`, a function of scalars with `results` results of their type, on scalars or on
/// every lane of vectors.
pub(crate) fn by_lanes<'c>(
    b: &Builder<'c>,
    symbol: &str,
    args: &[Val<'c>],
    results: usize,
) -> Vec<Val<'c>> {
    let ty = args[0].r#type();
    let element = b.element_of(ty);
    let elements = vec![element; results];
    if ty == element {
        return b.call(symbol, args, &elements);
    }
    let shape = b.shape_of(ty);
    let count: i64 = shape.iter().product();
    let mut values = vec![b.cfloat(0.0, ty); results];
    for lane in 0..count {
        let mut position = vec![0; shape.len()];
        let mut rest = lane;
        for (place, size) in position.iter_mut().zip(&shape).rev() {
            *place = rest % size;
            rest /= size;
        }
        let lanes: Vec<Val<'c>> = args.iter().map(|arg| b.extract(*arg, &position)).collect();
        let found = b.call(symbol, &lanes, &elements);
        for (value, of_lane) in values.iter_mut().zip(found) {
            *value = b.insert(of_lane, *value, &position);
        }
    }
    values
}
