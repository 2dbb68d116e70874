use super::*;
use melior::{
    dialect::DialectRegistry,
    ir::{Location, Module, operation::OperationLike},
    utility::register_all_dialects,
};

#[test]
fn builds_a_vector_loop_that_verifies() {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    let location = Location::unknown(&context);
    let module = Module::new(location);
    let b = Builder::new(&context, crate::block(&module.body()), location);
    let buffer = b.memref(&[64], b.f32());
    b.func("f", &[buffer], &[b.f32()], false, |b, arguments| {
        let v = b.vector(&[16], b.f32());
        let zero = b.cfloat(0.0, v);
        let (lo, hi, step) = (b.cidx(0), b.cidx(64), b.cidx(16));
        let sum = b.for_loop(lo, hi, step, &[zero], |b, i, acc| {
            let x = b.vload(arguments[0], &[i], v);
            let scratch = b.alloca(b.memref(&[16], b.f32()));
            b.vstore(x, scratch, &[b.cidx(0)]);
            vec![b.fma(x, x, acc[0])]
        });
        let total = b.reduction("add", sum[0]);
        let positive = b.cmpf(CmpF::Ogt, total, b.cfloat(0.0, b.f32()));
        let chosen = b.if_else(
            positive,
            &[b.f32()],
            |_| vec![total],
            |b| vec![b.negf(total)],
        );
        b.if_then(positive, |b| b.store(total, arguments[0], &[b.cidx(3)]));
        b.ret(&chosen);
    });
    assert!(module.as_operation().verify(), "{}", module.as_operation());
}
