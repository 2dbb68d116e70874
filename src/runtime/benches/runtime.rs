//! How long the runtime's pieces take: `cargo bench -p mapwright-runtime`.

#![allow(clippy::expect_used, reason = "a benchmark")]

use divan::{Bencher, black_box};
use mapwright_runtime::fft::FftKind;
use mapwright_runtime::random::{self, Algorithm};
use mapwright_runtime::sort::{self, Lines, Operand, Order};
use mapwright_runtime::{Buffer, Context, ElementKind, linalg};

fn main() {
    divan::main();
}

/// `count` floats around zero.
fn floats(context: &Context, count: usize) -> Buffer {
    let mut buffer = context
        .memory()
        .allocate(count * 4)
        .expect("memory for the benchmark");
    let mut state = 1u64;
    for bytes in buffer.as_mut_slice().chunks_exact_mut(4) {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        bytes.copy_from_slice(&((state >> 40) as f32 / 1e6 - 8.0).to_le_bytes());
    }
    buffer
}

fn sort_shape(bencher: Bencher, threads: usize, shape: &[i64], dimension: usize, payload: bool) {
    let context = Context::new(threads);
    let lines = Lines::new(shape, dimension).expect("a shape");
    let (input, mut output) = (
        floats(&context, lines.elements()),
        floats(&context, lines.elements()),
    );
    let (input2, mut output2) = (
        floats(&context, lines.elements()),
        floats(&context, lines.elements()),
    );
    let operands = [
        Operand {
            input: input.as_ptr(),
            output: output.as_mut_ptr(),
            kind: ElementKind::F32,
        },
        Operand {
            input: input2.as_ptr(),
            output: output2.as_mut_ptr(),
            kind: ElementKind::F32,
        },
    ];
    let operands = &operands[..if payload { 2 } else { 1 }];
    bencher.bench_local(|| {
        // SAFETY: the buffers have the sizes of the lines.
        unsafe { sort::sort(&context, lines, black_box(operands), &[Order::Ascending]) }
    });
}

#[divan::bench(args = [1, 2])]
fn sort_1m(bencher: Bencher, threads: usize) {
    sort_shape(bencher, threads, &[1 << 20], 0, false);
}

#[divan::bench(args = [1, 2])]
fn sort_1m_with_payload(bencher: Bencher, threads: usize) {
    sort_shape(bencher, threads, &[1 << 20], 0, true);
}

#[divan::bench(args = [1, 2])]
fn sort_rows_1024x1024(bencher: Bencher, threads: usize) {
    sort_shape(bencher, threads, &[1024, 1024], 1, false);
}

#[divan::bench(args = [1, 2])]
fn sort_columns_1024x1024(bencher: Bencher, threads: usize) {
    sort_shape(bencher, threads, &[1024, 1024], 0, false);
}

#[divan::bench(args = [1, 2])]
fn sort_rows_with_payload(bencher: Bencher, threads: usize) {
    sort_shape(bencher, threads, &[1024, 1024], 1, true);
}

#[divan::bench(args = [1, 2])]
fn top_k_64x50257_k50(bencher: Bencher, threads: usize) {
    let context = Context::new(threads);
    let (rows, n, k) = (64, 50257, 50);
    let input = floats(&context, rows * n);
    let mut values = floats(&context, rows * k);
    let mut positions = vec![0i32; rows * k];
    bencher.bench_local(|| {
        // SAFETY: the buffers have these sizes.
        unsafe {
            sort::top_k(
                &context,
                ElementKind::F32,
                Order::DescendingTotal,
                (rows, n, k),
                black_box(input.as_ptr()),
                values.as_mut_ptr(),
                positions.as_mut_ptr(),
            )
        }
    });
}

#[divan::bench(args = [1, 2])]
fn empty_region(bencher: Bencher, threads: usize) {
    let context = Context::new(threads);
    bencher.bench_local(|| {
        context.parallel_for(black_box(8), 1, &|begin, end| {
            black_box((begin, end));
        });
    });
}

#[divan::bench(args = [1 << 10, 1 << 20, 64 << 20])]
fn allocate_and_free(bencher: Bencher, bytes: usize) {
    let context = Context::new(1);
    bencher.bench_local(|| context.memory().allocate(black_box(bytes)));
}

unsafe extern "C" fn less(
    _: *const std::ffi::c_void,
    lines: *const *const u8,
    i: i64,
    j: i64,
) -> bool {
    // SAFETY: the benchmark sorts lines of `f32`.
    unsafe {
        let line = (*lines).cast::<f32>();
        *line.add(i as usize) < *line.add(j as usize)
    }
}

#[divan::bench(args = [1, 2], sample_count = 20)]
fn sort_1m_by_comparator(bencher: Bencher, threads: usize) {
    let context = Context::new(threads);
    let count = 1 << 20;
    let (input, mut output) = (floats(&context, count), floats(&context, count));
    let lines = Lines {
        outer: 1,
        length: count,
        inner: 1,
    };
    let operands = [Operand {
        input: input.as_ptr(),
        output: output.as_mut_ptr(),
        kind: ElementKind::F32,
    }];
    let comparator = sort::Comparator {
        function: less,
        environment: std::ptr::null(),
    };
    bencher.bench_local(|| {
        // SAFETY: the buffers have the sizes of the lines.
        unsafe { sort::sort_by(&context, lines, black_box(&operands), comparator) }
    });
}

#[divan::bench(args = [1, 2], sample_count = 20)]
fn fft_256_lines_of_1024(bencher: Bencher, threads: usize) {
    let context = Context::new(threads);
    let input = vec![0.5f32; 2 * 256 * 1024];
    let mut output = input.clone();
    bencher.bench_local(|| {
        mapwright_runtime::fft::fft(
            &context,
            FftKind::Forward,
            256,
            &[1024],
            black_box(&input),
            &mut output,
        )
    });
}

#[divan::bench(args = [1, 2], sample_count = 20)]
fn random_bits_16m(bencher: Bencher, threads: usize) {
    let context = Context::new(threads);
    let mut output = vec![0u8; 16 << 20];
    bencher.bench_local(|| {
        let shape = [output.len() / 4];
        random::random_bits(
            &context,
            Algorithm::ThreeFry,
            &[1, 2],
            ElementKind::U32,
            &shape,
            &mut output,
        )
    });
}

#[divan::bench(args = [1, 2], sample_count = 20)]
fn cholesky_1024(bencher: Bencher, threads: usize) {
    let context = Context::new(threads);
    let n = 1024;
    let matrix: Vec<u8> = (0..n * n)
        .flat_map(|e| if e / n == e % n { 100f32 } else { 0.01 }.to_ne_bytes())
        .collect();
    let mut factor = matrix.clone();
    bencher.bench_local(|| {
        linalg::cholesky(
            &context,
            ElementKind::F32,
            1,
            n,
            true,
            black_box(&matrix),
            &mut factor,
        )
    });
}
