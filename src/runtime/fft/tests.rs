use super::*;
use crate::test_support::Random;

/// The definition, in one dimension after the other, of a full complex tensor.
fn definition(
    batch: usize,
    lengths: &[usize],
    data: &[Complex<f64>],
    inverse: bool,
) -> Vec<Complex<f64>> {
    let mut data = data.to_vec();
    for (d, &n) in lengths.iter().enumerate() {
        let inner: usize = lengths[d + 1..].iter().product();
        let outer = batch * lengths[..d].iter().product::<usize>();
        let mut next = data.clone();
        for o in 0..outer {
            for i in 0..inner {
                for k in 0..n {
                    let sum: Complex<f64> = (0..n)
                        .map(|j| {
                            let turn = (j * k % n) as f64 / n as f64 * 2.0 * std::f64::consts::PI;
                            data[(o * n + j) * inner + i]
                                * Complex::new(
                                    turn.cos(),
                                    if inverse { turn.sin() } else { -turn.sin() },
                                )
                        })
                        .sum();
                    next[(o * n + k) * inner + i] = if inverse { sum / n as f64 } else { sum };
                }
            }
        }
        data = next;
    }
    data
}

fn number<T: Real>(x: f64) -> T {
    T::from_f64(x).unwrap()
}

fn double<T: Real + Into<f64>>(x: &T) -> f64 {
    (*x).into()
}

fn check<T: Real + Into<f64>>(
    kind: FftKind,
    batch: usize,
    lengths: &[usize],
    tolerance: f64,
    random: &mut Random,
) {
    let (inputs, outputs) = sizes(kind, batch, lengths).unwrap();
    let input: Vec<T> = (0..inputs)
        .map(|_| number(random.uniform() - 0.5))
        .collect();
    let (last, rows) = (
        lengths[lengths.len() - 1],
        inputs / (inputs / (batch * lengths[..lengths.len() - 1].iter().product::<usize>())),
    );
    let at = |row: usize, i: usize, width: usize| {
        Complex::new(
            double(&input[2 * (row * width + i)]),
            double(&input[2 * (row * width + i) + 1]),
        )
    };
    let full: Vec<Complex<f64>> = match kind {
        FftKind::RealForward => input.iter().map(|x| Complex::new(double(x), 0.0)).collect(),
        FftKind::RealInverse => {
            // Full along the last dimension only after the others have been transformed; so the
            // others go first here, too.
            let width = last / 2 + 1;
            let half: Vec<_> = (0..rows * width).map(|i| at(0, i, width)).collect();
            let mut shape = lengths[..lengths.len() - 1].to_vec();
            shape.push(1);
            let columns: Vec<Vec<Complex<f64>>> = (0..width)
                .map(|c| {
                    definition(
                        batch,
                        &shape,
                        &(0..rows).map(|r| half[r * width + c]).collect::<Vec<_>>(),
                        true,
                    )
                })
                .collect();
            (0..rows * last)
                .map(|i| {
                    let (row, c) = (i / last, i % last);
                    if c < width {
                        columns[c][row]
                    } else {
                        columns[last - c][row].conj()
                    }
                })
                .collect()
        }
        _ => (0..inputs / 2).map(|i| at(0, i, last)).collect(),
    };
    let expected: Vec<f64> = match kind {
        FftKind::RealInverse => definition(rows, &[last], &full, true)
            .iter()
            .map(|z| z.re)
            .collect(),
        FftKind::RealForward => {
            let all = definition(batch, lengths, &full, false);
            all.chunks(last)
                .flat_map(|row| row[..last / 2 + 1].iter().flat_map(|z| [z.re, z.im]))
                .collect()
        }
        _ => definition(batch, lengths, &full, kind == FftKind::Inverse)
            .iter()
            .flat_map(|z| [z.re, z.im])
            .collect(),
    };
    let largest = expected.iter().fold(1e-300f64, |m, x| m.max(x.abs()));
    let mut first: Option<Vec<f64>> = None;
    for threads in [1, 2, 4] {
        let mut output = vec![number::<T>(9.0); outputs];
        fft(
            &Context::new(threads),
            kind,
            batch,
            lengths,
            &input,
            &mut output,
        )
        .unwrap();
        let output: Vec<f64> = output.iter().map(|x| double(x)).collect();
        for (i, (a, b)) in output.iter().zip(&expected).enumerate() {
            assert!(
                (a - b).abs() <= tolerance * largest,
                "{kind:?} {batch} {lengths:?} element {i}: {a} instead of {b}"
            );
        }
        assert_eq!(first.get_or_insert_with(|| output.clone()), &output);
    }
}

#[test]
fn transforms_are_those_of_the_definition() {
    let mut random = Random::new(1);
    let shapes: &[&[usize]] = &[
        &[1],
        &[2],
        &[3],
        &[4],
        &[7],
        &[16],
        &[31],
        &[60],
        &[97],
        &[127],
        &[128],
        &[1, 1],
        &[4, 6],
        &[5, 3],
        &[2, 3, 4],
        &[3, 1, 7],
        &[7, 5, 2],
        &[40, 33],
        &[128, 1, 20],
    ];
    for kind in [
        FftKind::Forward,
        FftKind::Inverse,
        FftKind::RealForward,
        FftKind::RealInverse,
    ] {
        for shape in shapes {
            for batch in [1, 3] {
                check::<f32>(kind, batch, shape, 4e-7, &mut random);
                check::<f64>(kind, batch, shape, 2e-14, &mut random);
            }
        }
    }
}

#[test]
fn inverses_undo() {
    let mut random = Random::new(2);
    let context = Context::new(2);
    for n in [1000, 1009, 4096, 65537] {
        let input: Vec<f64> = (0..n).map(|_| random.uniform()).collect();
        let mut spectrum = vec![0.0; 2 * (n / 2 + 1)];
        fft(
            &context,
            FftKind::RealForward,
            1,
            &[n],
            &input,
            &mut spectrum,
        )
        .unwrap();
        let mut output = vec![0.0; n];
        fft(
            &context,
            FftKind::RealInverse,
            1,
            &[n],
            &spectrum,
            &mut output,
        )
        .unwrap();
        assert!(
            input
                .iter()
                .zip(&output)
                .all(|(a, b)| (a - b).abs() < 1e-11),
            "{n}"
        );
    }
}

#[test]
fn empty_and_wrong_shapes() {
    let context = Context::new(1);
    let mut output = [1.0f32; 2];
    fft(&context, FftKind::RealForward, 1, &[0], &[], &mut output).unwrap();
    assert_eq!(output, [0.0, 0.0]);
    fft::<f32>(&context, FftKind::Forward, 0, &[5], &[], &mut []).unwrap();
    assert!(fft::<f32>(&context, FftKind::Forward, 1, &[5], &[], &mut []).is_err());
    assert!(fft::<f32>(&context, FftKind::Forward, 1, &[], &[0.0; 2], &mut [0.0; 2]).is_err());
    assert!(sizes(FftKind::Forward, usize::MAX, &[3]).is_err());
    assert!(sizes(FftKind::Forward, 1, &[usize::MAX]).is_err());
}

/// Other lines change no bit of a line, and what is not finite stays in its line.
#[test]
fn lines_beside_each_other_are_those_alone() {
    let mut random = Random::new(4);
    let context = Context::new(1);
    let n = 60;
    let mut input: Vec<f64> = (0..13 * 2 * n).map(|_| random.uniform()).collect();
    input[2 * n * 5 + 8] = f64::INFINITY;
    let mut together = vec![0.0; input.len()];
    fft(&context, FftKind::Forward, 13, &[n], &input, &mut together).unwrap();
    for line in 0..13 {
        let range = 2 * n * line..2 * n * (line + 1);
        let mut alone = vec![0.0; 2 * n];
        fft(
            &context,
            FftKind::Forward,
            1,
            &[n],
            &input[range.clone()],
            &mut alone,
        )
        .unwrap();
        let bits = |x: &[f64]| -> Vec<u64> { x.iter().map(|x| x.to_bits()).collect() };
        assert_eq!(bits(&alone), bits(&together[range]), "{line}");
        assert_eq!(alone.iter().all(|x| x.is_finite()), line != 5);
    }
}
