//! Quotients by constants are those of division, to the bit: of all integers of 16 bits, and of
//! numbers that are rounded and cut off behind it, those at the ends of their format among them.

use crate::ways::{compile, program, run};
use mapwright_mlir::ElementType;
use mapwright_native::Tensor;

/// Constants whose reciprocals are rounded up, down and not at all, small and large ones.
const DIVISORS: [f32; 12] = [
    0.0235,
    3.0,
    7.0,
    0.1,
    1.5,
    49.0,
    0.007_843_137,
    127.0,
    1e-8,
    3e7,
    0.25,
    1.999_999_9,
];

fn floats(tensor: &Tensor) -> Vec<f32> {
    let each = tensor.bytes().chunks_exact(4);
    each.map(|c| f32::from_le_bytes(c.try_into().unwrap()))
        .collect()
}

#[test]
fn of_integers() {
    let mut inputs = Tensor::zeros(&ElementType::int(16), &[65536]).unwrap();
    for (place, number) in inputs
        .bytes_mut()
        .chunks_exact_mut(2)
        .zip(i16::MIN..=i16::MAX)
    {
        place.copy_from_slice(&number.to_le_bytes());
    }
    for divisor in DIVISORS.into_iter().chain([-3.0]) {
        let bits = divisor.to_bits();
        let source = program(
            &["tensor<65536xi16>".into()],
            &["tensor<65536xf32>".into()],
            &format!(
                "%0 = stablehlo.convert %arg0 : (tensor<65536xi16>) -> tensor<65536xf32>
                 %c = stablehlo.constant dense<0x{bits:08X}> : tensor<65536xf32>
                 %1 = stablehlo.divide %0, %c : tensor<65536xf32>
                 return %1 : tensor<65536xf32>"
            ),
        );
        let [code, divided] = compile(&source, [&[], &["reciprocals"]]);
        for code in [code, divided] {
            let found = floats(&run(&code, std::slice::from_ref(&inputs), 1)[0]);
            for (number, found) in (i16::MIN..=i16::MAX).zip(found) {
                let expected = f32::from(number) / divisor;
                assert_eq!(found.to_bits(), expected.to_bits(), "{number} / {divisor}");
            }
        }
    }
}

#[test]
fn of_numbers_that_are_rounded_and_cut_off() {
    let ends = [
        0.0,
        -0.0,
        f32::MIN_POSITIVE,
        1e-42,
        -1e-42,
        f32::MAX,
        f32::MIN,
        f32::INFINITY,
        f32::NEG_INFINITY,
    ];
    let mut rng = fastrand::Rng::with_seed(3);
    for divisor in DIVISORS {
        // Numbers around halves, where rounding decides, and others.
        let near = |k: i32, rng: &mut fastrand::Rng| {
            let half = (k as f32 + 0.5) * divisor;
            f32::from_bits(half.to_bits().wrapping_add_signed(rng.i32(-3..=3)))
        };
        let mut numbers: Vec<f32> = ends.to_vec();
        for k in -300..300 {
            numbers.push(near(k, &mut rng));
            numbers.push((rng.f32() - 0.5) * 400.0 * divisor);
            numbers.push(f32::from_bits(rng.u32(..)));
        }
        numbers.retain(|x| !x.is_nan());
        let n = numbers.len();
        let mut inputs = Tensor::zeros(&ElementType::F32, &[n as i64]).unwrap();
        for (place, number) in inputs.bytes_mut().chunks_exact_mut(4).zip(&numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        let (real, byte) = (format!("tensor<{n}xf32>"), format!("tensor<{n}xi8>"));
        let bits = divisor.to_bits();
        let source = program(
            std::slice::from_ref(&real),
            std::slice::from_ref(&byte),
            &format!(
                "%c = stablehlo.constant dense<0x{bits:08X}> : {real}
                 %z = stablehlo.constant dense<-3.0> : {real}
                 %l = stablehlo.constant dense<-128.0> : {real}
                 %h = stablehlo.constant dense<127.0> : {real}
                 %0 = stablehlo.divide %arg0, %c : {real}
                 %1 = stablehlo.add %0, %z : {real}
                 %2 = stablehlo.round_nearest_even %1 : {real}
                 %3 = stablehlo.maximum %2, %l : {real}
                 %4 = stablehlo.minimum %3, %h : {real}
                 %5 = stablehlo.convert %4 : ({real}) -> {byte}
                 return %5 : {byte}"
            ),
        );
        let [code] = compile(&source, [&[]]);
        let found = run(&code, std::slice::from_ref(&inputs), 1);
        for (number, found) in numbers.iter().zip(found[0].bytes()) {
            let rounded = (number / divisor - 3.0).round_ties_even();
            let expected = rounded.clamp(-128.0, 127.0) as i8;
            assert_eq!(*found as i8, expected, "{number:e} / {divisor:e}");
        }
    }
}
