//! Runs the entries of `.mlir` files twice, with all emitters and without the tiled one, on the
//! same pseudo-random inputs, and compares:
//! `cargo run -p mapwright-native --example versus -- [--time] [--threads
//! N] [--special] [--one] [-r] FILE…`. `--special` mixes in NaNs, infinities, signed zeros and
//! subnormals; `--one` skips the second run (for timing); `-r` prints the regions.

// A program for the terminal.
#![allow(clippy::print_stdout)]

use mapwright_mlir::{ElementType, FloatKind, Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable, ExecuteOptions, Tensor};
use std::time::Instant;

fn main() {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    let mut flag = |name: &str| {
        let before = files.len();
        files.retain(|f| f != name);
        files.len() != before
    };
    let (time, special, one, regions) =
        (flag("--time"), flag("--special"), flag("--one"), flag("-r"));
    let mut threads = 1;
    if let Some(at) = files.iter().position(|f| f == "--threads") {
        threads = files.get(at + 1).and_then(|n| n.parse().ok()).unwrap_or(1);
        files.drain(at..(at + 2).min(files.len()));
    }
    let mut failed = 0;
    for file in &files {
        match check(file, time, special, one, regions, threads) {
            Ok(note) => println!("ok   {file} {note}"),
            Err(why) => {
                failed += 1;
                println!("FAIL {file} {why}");
            }
        }
    }
    println!("{} files, {failed} failed", files.len());
}

fn next(seed: &mut u64) -> u64 {
    *seed = seed
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    *seed >> 33
}

fn random(
    ty: &ElementType,
    shape: &[i64],
    seed: &mut u64,
    special: bool,
) -> Result<Tensor, String> {
    let mut tensor = Tensor::zeros(ty, shape).map_err(|e| e.to_string())?;
    let width = ty.byte_width().unwrap_or(1);
    for bytes in tensor.bytes_mut().chunks_exact_mut(width) {
        let r = next(seed);
        let unit = (r % 20001) as f64 / 5000.0 - 2.0;
        let odd = special && r.is_multiple_of(53);
        match ty {
            ElementType::Float(FloatKind::F32) => {
                let mut v = unit as f32;
                if odd {
                    v = [
                        f32::NAN,
                        f32::INFINITY,
                        f32::NEG_INFINITY,
                        0.0,
                        -0.0,
                        1e-40,
                        -3e38,
                    ][(next(seed) % 7) as usize];
                }
                bytes.copy_from_slice(&v.to_le_bytes());
            }
            ElementType::Float(FloatKind::F64) => bytes.copy_from_slice(&unit.to_le_bytes()),
            ElementType::Float(FloatKind::BF16) => {
                bytes.copy_from_slice(&(((unit as f32).to_bits() >> 16) as u16).to_le_bytes())
            }
            ElementType::Bool => bytes[0] = (r & 1) as u8,
            ElementType::Int { .. } => {
                let v = (r % 1000) as i64;
                let v = if width == 1 { v % 50 } else { v };
                bytes.copy_from_slice(&v.to_le_bytes()[..width]);
            }
            _ => {}
        }
    }
    Ok(tensor)
}

fn check(
    file: &str,
    time: bool,
    special: bool,
    one: bool,
    regions: bool,
    threads: usize,
) -> Result<String, String> {
    let text = std::fs::read(file).map_err(|e| e.to_string())?;
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let Ok(module) = diagnostics.parse(file, &text) else {
        return Err(format!("PARSE {}", diagnostics.take()));
    };
    let op = Op::new(module.as_operation());
    let compile = |disabled: Vec<String>| {
        let options = CompileOptions {
            threads,
            disabled,
            ..CompileOptions::default()
        };
        Executable::compile(op, &options)
            .map_err(|error| format!("COMPILE {} {error}", diagnostics.take()))
    };
    let start = Instant::now();
    let fast = compile(Vec::new())?;
    let mut note = format!("compile {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
    let emitters: Vec<&str> = fast
        .statistics()
        .regions
        .iter()
        .map(|r| &*r.emitter)
        .collect();
    note += &format!(" {emitters:?}");
    if regions {
        for r in &fast.statistics().regions {
            note += &format!("\n    {} {} {:?}", r.kernel, r.emitter, r.declined);
        }
    }
    let signature = fast.signature(None).map_err(|e| e.to_string())?;
    let mut seed = 1;
    let mut inputs = Vec::new();
    for ty in &signature.inputs {
        let shape: Vec<i64> = ty.dims.iter().map(|d| d.bound().unwrap_or(4)).collect();
        inputs.push(random(&ty.element, &shape, &mut seed, special)?);
    }
    let inputs: Vec<&Tensor> = inputs.iter().collect();
    let options = ExecuteOptions { threads };
    let a = fast
        .execute(&inputs, &options)
        .map_err(|e| format!("RUN {e}"))?;
    if !one {
        let slow = compile(vec!["tiled".into()])?;
        let b = slow
            .execute(&inputs, &options)
            .map_err(|e| format!("RUN general {e}"))?;
        for (k, (a, b)) in a.iter().zip(&b).enumerate() {
            note += &compare(k, a, b)?;
        }
    }
    if time {
        let mut bound = fast
            .bind(None, &inputs, &options)
            .map_err(|e| e.to_string())?;
        let mut times = Vec::new();
        let start = Instant::now();
        while times.len() < 5 || start.elapsed().as_secs_f64() < 1.0 {
            let t = Instant::now();
            bound.run().map_err(|e| e.to_string())?;
            times.push(t.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_by(f64::total_cmp);
        note += &format!(
            " min {:.4} ms median {:.4} ms",
            times[0],
            times[times.len() / 2]
        );
    }
    Ok(note)
}

fn compare(k: usize, a: &Tensor, b: &Tensor) -> Result<String, String> {
    if a.bytes() == b.bytes() {
        return Ok(String::new());
    }
    let (x, y): (Vec<f64>, Vec<f64>) = match a.element() {
        ElementType::Float(FloatKind::F32) => {
            let f = |t: &Tensor| {
                t.bytes()
                    .chunks_exact(4)
                    .map(|c| f64::from(f32::from_le_bytes([c[0], c[1], c[2], c[3]])))
                    .collect()
            };
            (f(a), f(b))
        }
        ElementType::Float(FloatKind::F64) => {
            let f = |t: &Tensor| {
                t.bytes()
                    .chunks_exact(8)
                    .map(|c| f64::from_le_bytes([c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]]))
                    .collect()
            };
            (f(a), f(b))
        }
        other => return Err(format!("result {k} of {other} differs")),
    };
    let mut worst: f64 = 0.0;
    let scale = y
        .iter()
        .filter(|v| v.is_finite())
        .fold(0.0f64, |m, v| m.max(v.abs()));
    for (i, (p, q)) in x.iter().zip(&y).enumerate() {
        if p == q || (p.is_nan() && q.is_nan()) {
            continue;
        }
        let difference = (p - q).abs() / q.abs().max(scale * 1e-4);
        if difference.is_nan() || difference > 1e-4 {
            return Err(format!("result {k} at {i}: {p} against {q}"));
        }
        worst = worst.max(difference);
    }
    Ok(format!(" out{k} differs by {worst:.1e}"))
}
