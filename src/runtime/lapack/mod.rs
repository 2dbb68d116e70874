//! The LAPACK functions that JAX calls by name when it lowers for CPUs: `lapack_{s,d,c,z}NAME_ffi`.
//!
//! `trsm` is a StableHLO operation before a program comes here. What is left are factorisations
//! that StableHLO has no operation for, or that say more than its operation does: [`cholesky`]
//! (`potrf`), [`lu`] (`getrf`), [`qr`] (`geqrf`, `geqp3`, `orgqr`, `ungqr`, `ormqr`, `unmqr`),
//! [`eigen`] (`syevd`, `heevd`), [`singular`] (`gesdd`, `gesvd`), [`tridiagonal`] (`gtsv`, and
//! `tridiagonal_solve_perturbed`, which JAX adds), [`tridiagonal_form`] (`sytrd`, `hetrd`),
//! [`hessenberg`] (`gehrd`), [`schur`] (`gees`) and [`spectrum`] (`geev`). Products, triangular
//! solves, spectra, and what is done to the tridiagonal, bidiagonal and Hessenberg forms are those
//! of `faer`; singular values alone are found from a bidiagonal form ([`bidiagonal_form`],
//! [`dqds`]). Matrices of a few rows are computed in double precision, real ones several side by
//! side ([`crate::linalg::lanes`]); each call factorises as many of them as the leading dimensions
//! have.

mod bidiagonal_form;
mod cholesky;
mod dqds;
mod eigen;
mod hessenberg;
mod lu;
mod matrices;
mod qr;
mod reflection;
mod reflections;
mod schur;
mod singular;
mod spectrum;
mod spectrum_few;
#[cfg(test)]
mod tests;
mod tridiagonal;
mod tridiagonal_form;
mod turns;

use std::ffi::CStr;

use crate::custom_call::BufferView;
use crate::error::{Error, Result};
use crate::floating_point::as_specified;
use crate::{Context, ElementKind};
use matrices::{Argument, Outcome};

/// A function of LAPACK for one type of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    routine: Routine,
    /// Element type of the first argument, where the name does not say it.
    kind: Option<ElementKind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Routine {
    Potrf,
    Getrf,
    Geqrf,
    Geqp3,
    Orgqr,
    Ormqr,
    Syevd,
    Gesdd,
    Gtsv,
    Perturbed,
    Sytrd,
    Gehrd,
    Gees,
    Geev,
}

/// The function that a target names, if it is one of those.
pub fn find(target: &str) -> Option<Function> {
    let name = target.strip_suffix("_ffi")?;
    if name == "tridiagonal_solve_perturbed" {
        return Some(Function {
            routine: Routine::Perturbed,
            kind: None,
        });
    }
    let name = name.strip_prefix("lapack_")?;
    let kind = match name.get(..1)? {
        "s" => ElementKind::F32,
        "d" => ElementKind::F64,
        "c" => ElementKind::C64,
        "z" => ElementKind::C128,
        _ => return None,
    };
    let routine = match (name.get(1..)?, kind.is_complex()) {
        ("potrf", _) => Routine::Potrf,
        ("getrf", _) => Routine::Getrf,
        ("geqrf", _) => Routine::Geqrf,
        ("geqp3", _) => Routine::Geqp3,
        ("orgqr", false) | ("ungqr", true) => Routine::Orgqr,
        ("ormqr", false) | ("unmqr", true) => Routine::Ormqr,
        ("syevd", false) | ("heevd", true) => Routine::Syevd,
        ("gesdd" | "gesvd", _) => Routine::Gesdd,
        ("gtsv", _) => Routine::Gtsv,
        ("sytrd", false) | ("hetrd", true) => Routine::Sytrd,
        ("gehrd", _) => Routine::Gehrd,
        ("gees", _) => Routine::Gees,
        ("geev", _) => Routine::Geev,
        _ => return None,
    };
    let kind = Some(kind);
    Some(Function { routine, kind })
}

/// The text of the value that `attributes`, a dictionary as MLIR writes it, has under `name`,
/// without its type.
fn value<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let fields = attributes.trim().trim_matches(['{', '}']).split(',');
    let mut pairs = fields.filter_map(|field| field.split_once('='));
    let (_, value) = pairs.find(|(key, _)| key.trim() == name)?;
    value.split(':').next().map(str::trim)
}

fn integer(attributes: &str, name: &str) -> Option<i64> {
    value(attributes, name)?.parse().ok()
}

fn flag(attributes: &str, name: &str) -> Result<bool> {
    let value = value(attributes, name).and_then(|text| text.parse().ok());
    value.ok_or_else(|| Error::invalid(format!("the attribute '{name}' is no boolean")))
}

/// A letter that LAPACK reads as an option.
fn letter(attributes: &str, name: &str) -> Result<u8> {
    let code = integer(attributes, name).and_then(|code| u8::try_from(code).ok());
    code.ok_or_else(|| Error::invalid(format!("the attribute '{name}' is missing")))
}

/// An option of LAPACK that is one of two letters, `yes` and `no`.
fn option(attributes: &str, name: &str, yes: u8, no: u8) -> Result<bool> {
    match letter(attributes, name)? {
        code if code == yes => Ok(true),
        code if code == no => Ok(false),
        code => Err(Error::invalid(format!("the attribute '{name}' is {code}"))),
    }
}

/// The size of the square matrices that the first argument consists of.
fn square(arguments: &[Argument<'_>]) -> Result<usize> {
    match matrices::rows_and_columns(arguments, 0)? {
        (n, columns) if n == columns => Ok(n),
        (n, columns) => Err(Error::invalid(format!("matrices of {n} by {columns}"))),
    }
}

/// Calls a function.
///
/// # Safety
/// The views describe valid buffers of dense row-major tensors; results are not accessed by anybody
/// else.
///
/// # Errors
/// `InvalidArgument` when types or shapes are not those of the function, or an option is missing or
/// unknown.
pub unsafe fn call(
    context: &Context,
    function: Function,
    arguments: &[BufferView],
    results: &mut [BufferView],
    attributes: &CStr,
) -> Result<()> {
    // Where subnormal numbers are zeros, complex numbers that are scaled by very small ones are
    // lost.
    let _environment = as_specified();
    let attributes = attributes.to_string_lossy();
    // SAFETY: the caller's promise.
    let read = |view: &BufferView| unsafe { Argument::new(view) };
    let arguments: Vec<Argument<'_>> = arguments.iter().map(read).collect::<Result<_>>()?;
    // SAFETY: as above.
    let write = |view: &mut BufferView| unsafe { Outcome::new(view) };
    let mut results: Vec<Outcome<'_>> = results.iter_mut().map(write).collect::<Result<_>>()?;
    let first = arguments.first().map(|argument| argument.kind);
    let kind = function.kind.or(first);
    let kind = kind.ok_or_else(|| Error::invalid("there are no arguments"))?;
    match function.routine {
        Routine::Potrf => {
            let lower = option(&attributes, "uplo", b'L', b'U')?;
            cholesky::call(context, kind, lower, &arguments, &mut results)
        }
        Routine::Getrf => lu::call(context, kind, &arguments, &mut results),
        Routine::Geqrf => qr::factorise(context, kind, &arguments, &mut results, false),
        Routine::Geqp3 => qr::factorise(context, kind, &arguments, &mut results, true),
        Routine::Orgqr => qr::multiply_out(context, kind, &arguments, &mut results),
        Routine::Ormqr => {
            let left = flag(&attributes, "left")?;
            let adjoint = flag(&attributes, "transpose")?;
            qr::multiply(context, kind, (left, adjoint), &arguments, &mut results)
        }
        Routine::Syevd => {
            let lower = option(&attributes, "uplo", b'L', b'U')?;
            let vectors = option(&attributes, "mode", b'V', b'N')?;
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
        Routine::Gtsv => tridiagonal::call(context, kind, false, &arguments, &mut results),
        Routine::Perturbed => tridiagonal::call(context, kind, true, &arguments, &mut results),
        Routine::Sytrd => {
            let lower = option(&attributes, "uplo", b'L', b'U')?;
            tridiagonal_form::call(context, kind, lower, &arguments, &mut results)
        }
        Routine::Gehrd => hessenberg::call(context, kind, &attributes, &arguments, &mut results),
        Routine::Gees => {
            if option(&attributes, "sort", b'S', b'N')? {
                return Err(Error::unsupported("'gees' with selected eigenvalues"));
            }
            let vectors = option(&attributes, "mode", b'V', b'N')?;
            schur::call(context, kind, vectors, &arguments, &mut results)
        }
        Routine::Geev => {
            let left = option(&attributes, "compute_left", b'V', b'N')?;
            let right = option(&attributes, "compute_right", b'V', b'N')?;
            spectrum::call(context, kind, (left, right), &arguments, &mut results)
        }
    }
}
