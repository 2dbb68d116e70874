//! Functions of `f64` where it is hard: at seams, beside roots and poles, beyond the range of the
//! polynomials.

use super::{order64, run};
use mapwright_mlir::ElementType;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, PI};

/// Function, argument, result (by mpmath, 400 bits, rounded): beside multiples of π/2, at the seams
/// of polynomials, subnormal.
const DOUBLES: &[(&str, f64, f64)] = &[
    ("stablehlo.sine", PI, 1.224_646_799_147_353_2e-16),
    (
        "stablehlo.sine",
        1_115.265_392_024_376_5,
        7.544_938_447_893_555e-14,
    ),
    (
        "stablehlo.sine",
        327_818.910_216_787_8,
        2.694_039_450_924_679_8e-11,
    ),
    (
        "stablehlo.sine",
        1_073_741_821.523_747_1,
        -3.719_843_129_737_837_4e-8,
    ),
    (
        "stablehlo.sine",
        2_147_483_646.189_086_7,
        7.659_893_650_308_081e-8,
    ),
    ("stablehlo.cosine", FRAC_PI_2, 6.123_233_995_736_766e-17),
    (
        "stablehlo.cosine",
        51.836_278_784_231_59,
        2.443_103_791_928_823e-16,
    ),
    (
        "stablehlo.cosine",
        541_159.754_933_090_2,
        3.695_998_006_841_624e-11,
    ),
    (
        "stablehlo.cosine",
        1_073_741_819.952_950_7,
        6.512_958_704_484_049e-9,
    ),
    ("stablehlo.cosine", 1.0e22, 0.523_214_785_395_139),
    ("stablehlo.tan", FRAC_PI_2, 1.633_123_935_319_537e16),
    (
        "stablehlo.tan",
        1_115.265_392_024_376_5,
        -7.544_938_447_893_555e-14,
    ),
    (
        "stablehlo.tan",
        541_159.754_933_090_2,
        27_056_291_647.043_92,
    ),
    (
        "stablehlo.tan",
        1_073_741_819.952_950_7,
        153_540_049.211_661_52,
    ),
    ("stablehlo.tan", FRAC_PI_4, 0.999_999_999_999_999_9),
    ("stablehlo.tan", 2_000_000_000.0, 2.263_519_292_901_199_4),
    ("chlo.erf", 1.0e-310, 1.128_379_167_095_5e-310),
    ("chlo.erf", 1.0e-8, 1.128_379_167_095_512_6e-8),
    ("chlo.erf", 0.25, 0.276_326_390_168_236_96),
    ("chlo.erf", 0.929_999_999_999_999_9, 0.811_563_558_584_557_8),
    ("chlo.erf", 0.93, 0.811_563_558_584_557_8),
    ("chlo.erf", 1.5, 0.966_105_146_475_310_8),
    ("chlo.erf", -2.75, -0.999_899_378_077_880_3),
    ("chlo.erf", 5.8, 0.999_999_999_999_999_8),
    ("chlo.erfc", -4.0, 1.999_999_984_582_742),
    ("chlo.erfc", -0.8, 1.742_100_964_707_660_4),
    ("chlo.erfc", 1.0e-20, 1.0),
    ("chlo.erfc", 0.5, 0.479_500_122_186_953_5),
    (
        "chlo.erfc",
        0.749_999_999_999_999_9,
        0.288_844_366_346_484_9,
    ),
    ("chlo.erfc", 0.75, 0.288_844_366_346_484_86),
    ("chlo.erfc", 2.0, 0.004_677_734_981_047_266),
    ("chlo.erfc", 10.0, 2.088_487_583_762_545e-45),
    ("chlo.erfc", 26.5, 2.210_907_664_263_734_3e-307),
    ("chlo.erfc", 27.2, 1.0e-323),
    ("stablehlo.cbrt", 5.0e-324, 1.703_183_936_003_260_3e-108),
    ("stablehlo.cbrt", 1.0e-310, 4.641_588_833_612_774e-104),
    ("stablehlo.cbrt", -2.0, -1.259_921_049_894_873_2),
    ("stablehlo.cbrt", 3.5, 1.518_294_485_937_831_3),
    ("stablehlo.cbrt", 1.0e300, 1.0e100),
    (
        "stablehlo.cbrt",
        1.797_693_134_862_315_7e308,
        5.643_803_094_122_362e102,
    ),
    ("chlo.asinh", 1.0e-310, 1.0e-310),
    ("chlo.asinh", -0.3, -0.295_673_047_563_422_44),
    (
        "chlo.asinh",
        0.499_999_999_999_999_9,
        0.481_211_825_059_603_36,
    ),
    ("chlo.asinh", 0.5, 0.481_211_825_059_603_47),
    ("chlo.asinh", -1.25, -1.047_593_012_649_258_7),
    ("chlo.asinh", 30_000_000.0, 17.909_855_120_186_375),
    ("chlo.asinh", 268_435_456.0, 20.101_268_236_238_415),
    ("chlo.asinh", 270_000_000.0, 20.107_079_697_522_593),
    ("chlo.asinh", 1.0e300, 691.468_675_078_773_7),
    (
        "chlo.asinh",
        -1.797_693_134_862_315_7e308,
        -710.475_860_073_944,
    ),
    ("chlo.acosh", 1.0, 0.0),
    (
        "chlo.acosh",
        1.000_000_000_000_000_2,
        2.107_342_425_544_701_4e-8,
    ),
    ("chlo.acosh", 1.001, 0.044_717_633_608_306_85),
    ("chlo.acosh", 1.25, LN_2),
    ("chlo.acosh", 1.530_3, 0.989_046_171_245_546_6),
    ("chlo.acosh", 7.0, 2.633_915_793_849_633_6),
    ("chlo.acosh", 268_435_456.0, 20.101_268_236_238_415),
    ("chlo.acosh", 270_000_000.0, 20.107_079_697_522_593),
    ("chlo.acosh", 1.0e300, 691.468_675_078_773_7),
    ("chlo.atanh", 1.0e-310, 1.0e-310),
    ("chlo.atanh", -0.01, -0.010_000_333_353_334_763),
    (
        "chlo.atanh",
        0.171_572_875_253_809_9,
        0.173_286_795_139_986_32,
    ),
    ("chlo.atanh", 0.171_6, 0.173_314_742_716_074_67),
    ("chlo.atanh", -0.5, -0.549_306_144_334_054_9),
    ("chlo.atanh", 0.9, 1.472_219_489_583_220_4),
    (
        "chlo.atanh",
        0.999_999_999_999_999_9,
        18.714_973_875_118_524,
    ),
    ("chlo.sinh", 1.0e-310, 1.0e-310),
    (
        "chlo.sinh",
        0.999_999_999_999_999_9,
        1.175_201_193_643_801_4,
    ),
    ("chlo.sinh", 1.0, 1.175_201_193_643_801_4),
    ("chlo.sinh", -22.3, -2_419_563_089.871_544_4),
    (
        "chlo.sinh",
        710.475_860_073_943_9,
        1.797_693_134_862_174_4e308,
    ),
    ("chlo.sinh", -710.0, -1.116_997_383_080_855_5e308),
];

/// To a unit in the last place, a scalar and a vector of it alike.
#[test]
fn double_precision_by_table() {
    for (op, x, exact) in DOUBLES {
        for count in [1, 37] {
            let bytes = x.to_le_bytes().repeat(count);
            let found = run(op, "f64", &ElementType::F64, &[&bytes], count);
            for y in found.chunks_exact(8) {
                let y = f64::from_le_bytes(y.try_into().unwrap());
                let near = (order64(*exact) - order64(y)).abs() <= 1;
                assert!(near, "{op}({x:e}) is {y:e}, not {exact:e}");
                assert_eq!(y.to_bits().to_le_bytes(), found[..8], "{op}({x:e})");
            }
        }
    }
}

/// No neighbour changes a result: far arguments, which the C library computes, beside near ones,
/// and vectors that are not full.
#[test]
fn lanes_of_double_precision() {
    let mixed = [
        0.5,
        1e300,
        -3.0,
        f64::INFINITY,
        0.0,
        2e10,
        f64::NAN,
        -1e-310,
        7.25,
        -0.0,
    ];
    for op in [
        "stablehlo.sine",
        "stablehlo.cosine",
        "stablehlo.tan",
        "stablehlo.log_plus_one",
        "stablehlo.exponential_minus_one",
        "chlo.erf",
        "chlo.erfc",
        "chlo.atan",
        "chlo.asinh",
    ] {
        let alone = mixed.map(|x| {
            let found = run(op, "f64", &ElementType::F64, &[&x.to_le_bytes()], 1);
            f64::from_le_bytes(found.try_into().unwrap())
        });
        let bytes: Vec<u8> = mixed.iter().flat_map(|x| x.to_le_bytes()).collect();
        let bytes = bytes.repeat(11);
        let found = run(op, "f64", &ElementType::F64, &[&bytes], 110);
        for (y, (x, alone)) in found.chunks_exact(8).zip(mixed.iter().zip(&alone).cycle()) {
            let y = f64::from_le_bytes(y.try_into().unwrap());
            let same = y.to_bits() == alone.to_bits() || y.is_nan() && alone.is_nan();
            assert!(same, "{op}({x:e}) is {y:e} among others, {alone:e} alone");
        }
    }
}
