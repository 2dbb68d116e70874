//! The hyperbolic tangent: an odd polynomial near 0, `1 - 2 / (exp(2 x) + 1)` further out. Below 2 ULP.

use super::{
    exp::{exp, polynomial},
    is_f64,
};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpF, Val};

/// `(tanh(x) / x - 1) / x²` as a polynomial in `x²` up to 0.4; relative error 7.2e-10.
const SINGLE: [f64; 6] = [
    -0.333_333_331_493_745_07,
    0.133_333_001_461_889_15,
    -0.053_958_461_627_452_2,
    0.021_762_502_907_359_264,
    -0.008_323_187_058_278_775,
    0.002_269_501_684_162_354,
];

/// The same up to 0.31; relative error 9e-20.
const DOUBLE: [f64; 12] = [
    -0.333_333_333_333_333_33,
    0.133_333_333_333_333_06,
    -0.053_968_253_968_211_76,
    0.021_869_488_533_603_212,
    -0.008_863_235_450_017_834,
    0.003_592_126_557_198_690_7,
    -0.001_455_816_955_348_079_2,
    0.000_589_891_494_848_674_3,
    -0.000_238_415_752_693_670_44,
    0.000_094_405_680_002_179_39,
    -0.000_033_510_863_259_041_065,
    7.743_877_325_542_66e-6,
];

/// `tanh(x)`.
pub(crate) fn tanh<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let f = |value: f64| b.cfloat(value, x.r#type());
    let double = is_f64(b, x);
    let z = b.mulf(x, x);
    let (coefficients, limit): (&[f64], f64) = if double {
        (&DOUBLE, 0.55)
    } else {
        (&SINGLE, 0.625)
    };
    let near = b.fma(b.mulf(x, z), polynomial(b, z, coefficients), x);
    let a = b.math("absf", &[x]);
    let far = if double {
        let e = exp(b, b.addf(a, a));
        b.subf(f(1.0), b.divf(f(2.0), b.addf(e, f(1.0))))
    } else {
        far_single(b, a)
    };
    // NaN goes through the polynomial.
    let small = b.cmpf(CmpF::Ult, a, f(limit));
    // The polynomial has the sign of its argument already, except that it adds -0 to +0.
    b.math("copysign", &[b.select(small, near, far), x])
}

/// `1 - 2 / (exp(2 a) + 1)` for `a >= 0.625` (NaN gives anything), without a division: what is subtracted is below 0.45 and forgives an error of its last bits.
fn far_single<'c>(b: &Builder<'c>, a: Val<'c>) -> Val<'c> {
    let ty = a.r#type();
    let f = |value: f64| b.cfloat(value, ty);
    // From 9.02 on the result rounds to 1.
    let bounded = b.select(b.cmpf(CmpF::Ogt, a, f(10.0)), f(10.0), a);
    let d = b.addf(
        super::exp::exp_single_bounded(b, b.addf(bounded, bounded)),
        f(1.0),
    );
    let int = b.like(ty, b.int(32));
    // The reciprocal to an eighth by subtracting bits, then two steps that take the error to its third power.
    let magic = b.cint(0x7ef3_11c7, int);
    let guess = b.subi(magic, b.cast("arith.bitcast", d, int));
    let mut y = b.cast("arith.bitcast", guess, ty);
    for _ in 0..2 {
        let left = b.fma(b.negf(d), y, f(1.0));
        y = b.fma(y, b.fma(left, left, left), y);
    }
    b.fma(y, f(-2.0), f(1.0))
}
