//! The LAPACK functions that JAX calls by name when it lowers for CPUs: `lapack_{s,d,c,z}NAME_ffi`.
//!
//! `potrf` and `trsm` are StableHLO operations before a program comes here. What is left are factorisations that StableHLO has no
//! operation for: [`lu`] (`getrf`), [`qr`] (`geqrf`, `geqp3`, `orgqr`, `ungqr`), [`eigen`] (`syevd`, `heevd`), [`singular`] (`gesdd`)
//! and [`tridiagonal`] (`gtsv`). Matrices are computed row by row in double precision, large ones of single precision by `getrf` in
//! single precision; each call factorises as many of them as the leading dimensions have.

mod eigen;
mod lu;
mod matrices;
mod qr;
mod singular;
#[cfg(test)]
mod tests;
mod tridiagonal;

use std::ffi::CStr;

use crate::custom_call::BufferView;
use crate::error::{Error, Result};
use crate::{Context, ElementKind};
use matrices::{Argument, Outcome};

/// A function of LAPACK for one type of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    routine: Routine,
    kind: ElementKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Routine {
    Getrf,
    Geqrf,
    Geqp3,
    Orgqr,
    Syevd,
    Gesdd,
    Gtsv,
}

/// The function that a target names, if it is one of those.
pub fn find(target: &str) -> Option<Function> {
    let name = target.strip_prefix("lapack_")?.strip_suffix("_ffi")?;
    let kind = match name.get(..1)? {
        "s" => ElementKind::F32,
        "d" => ElementKind::F64,
        "c" => ElementKind::C64,
        "z" => ElementKind::C128,
        _ => return None,
    };
    let routine = match (name.get(1..)?, kind.is_complex()) {
        ("getrf", _) => Routine::Getrf,
        ("geqrf", _) => Routine::Geqrf,
        ("geqp3", _) => Routine::Geqp3,
        ("orgqr", false) | ("ungqr", true) => Routine::Orgqr,
        ("syevd", false) | ("heevd", true) => Routine::Syevd,
        ("gesdd", _) => Routine::Gesdd,
        ("gtsv", _) => Routine::Gtsv,
        _ => return None,
    };
    Some(Function { routine, kind })
}

/// The integer that `attributes`, a dictionary as MLIR writes it, has under `name`.
fn integer(attributes: &str, name: &str) -> Option<i64> {
    let fields = attributes.trim().trim_matches(['{', '}']).split(',');
    let mut pairs = fields.filter_map(|field| field.split_once('='));
    let (_, value) = pairs.find(|(key, _)| key.trim() == name)?;
    value.split(':').next()?.trim().parse().ok()
}

/// A letter that LAPACK reads as an option.
fn letter(attributes: &str, name: &str) -> Result<u8> {
    let code = integer(attributes, name).and_then(|code| u8::try_from(code).ok());
    code.ok_or_else(|| Error::invalid(format!("the attribute '{name}' is missing")))
}

/// Calls a function.
///
/// # Safety
/// The views describe valid buffers of dense row-major tensors; results are not accessed by anybody else.
///
/// # Errors
/// `InvalidArgument` when types or shapes are not those of the function, or an option is missing or unknown.
pub unsafe fn call(
    context: &Context,
    function: Function,
    arguments: &[BufferView],
    results: &mut [BufferView],
    attributes: &CStr,
) -> Result<()> {
    let attributes = attributes.to_string_lossy();
    // SAFETY: the caller's promise.
    let read = |view: &BufferView| unsafe { Argument::new(view) };
    let arguments: Vec<Argument<'_>> = arguments.iter().map(read).collect::<Result<_>>()?;
    // SAFETY: as above.
    let write = |view: &mut BufferView| unsafe { Outcome::new(view) };
    let mut results: Vec<Outcome<'_>> = results.iter_mut().map(write).collect::<Result<_>>()?;
    let Function { routine, kind } = function;
    match routine {
        Routine::Getrf => lu::call(context, kind, &arguments, &mut results),
        Routine::Geqrf => qr::factorise(context, kind, &arguments, &mut results, false),
        Routine::Geqp3 => qr::factorise(context, kind, &arguments, &mut results, true),
        Routine::Orgqr => qr::multiply_out(context, kind, &arguments, &mut results),
        Routine::Syevd => {
            let lower = match letter(&attributes, "uplo")? {
                b'L' => true,
                b'U' => false,
                code => return Err(Error::invalid(format!("{code} is no triangle"))),
            };
            let vectors = match letter(&attributes, "mode")? {
                b'V' => true,
                b'N' => false,
                code => return Err(Error::invalid(format!("{code} is no mode of 'syevd'"))),
            };
            eigen::call(context, kind, lower, vectors, &arguments, &mut results)
        }
        Routine::Gesdd => {
            let vectors = match letter(&attributes, "mode")? {
                b'A' | b'S' => true,
                b'N' => false,
                code => return Err(Error::invalid(format!("{code} is no mode of 'gesdd'"))),
            };
            singular::call(context, kind, vectors, &arguments, &mut results)
        }
        Routine::Gtsv => tridiagonal::call(context, kind, &arguments, &mut results),
    }
}
