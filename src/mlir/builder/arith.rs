//! `arith`, and what computes like it.

use super::Builder;
use crate::{Ty, Val};
use melior::ir::ValueLike;

/// Comparison predicates of `arith.cmpi`, with the numbers of that operation's attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
#[allow(missing_docs)]
pub enum CmpI {
    Eq = 0,
    Ne = 1,
    Slt = 2,
    Sle = 3,
    Sgt = 4,
    Sge = 5,
    Ult = 6,
    Ule = 7,
    Ugt = 8,
    Uge = 9,
}

/// Comparison predicates of `arith.cmpf`, with the numbers of that operation's attribute: ordered
/// (`O…`, false on NaN), unordered (`U…`, true on NaN).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
#[allow(missing_docs)]
pub enum CmpF {
    Oeq = 1,
    Ogt = 2,
    Oge = 3,
    Olt = 4,
    Ole = 5,
    One = 6,
    Ord = 7,
    Ueq = 8,
    Ugt = 9,
    Uge = 10,
    Ult = 11,
    Ule = 12,
    Une = 13,
    Uno = 14,
}

impl<'c> Builder<'c> {
    /// `arith.addi`.
    pub fn addi(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.addi", &[a, b])
    }
    /// `arith.subi`.
    pub fn subi(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.subi", &[a, b])
    }
    /// `arith.muli`.
    pub fn muli(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.muli", &[a, b])
    }
    /// `arith.divsi`: rounds toward zero; undefined for a zero divisor and for the least value
    /// by -1.
    pub fn divsi(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.divsi", &[a, b])
    }
    /// `arith.divui`.
    pub fn divui(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.divui", &[a, b])
    }
    /// `arith.remsi`: sign of the dividend.
    pub fn remsi(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.remsi", &[a, b])
    }
    /// `arith.remui`.
    pub fn remui(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.remui", &[a, b])
    }
    /// `arith.minsi`.
    pub fn minsi(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.minsi", &[a, b])
    }
    /// `arith.maxsi`.
    pub fn maxsi(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.maxsi", &[a, b])
    }
    /// `arith.andi`.
    pub fn andi(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.andi", &[a, b])
    }
    /// `arith.ori`.
    pub fn ori(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.ori", &[a, b])
    }
    /// `arith.xori`.
    pub fn xori(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.xori", &[a, b])
    }
    /// `arith.shli`; the amount must be below the width.
    pub fn shli(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.shli", &[a, b])
    }
    /// `arith.shrui`; the amount must be below the width.
    pub fn shrui(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.shrui", &[a, b])
    }
    /// `arith.shrsi`; the amount must be below the width.
    pub fn shrsi(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.shrsi", &[a, b])
    }

    /// `arith.cmpi`: `i1`, or a vector of them.
    pub fn cmpi(&self, predicate: CmpI, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let ty = self.like(a.r#type(), self.i1());
        let predicate = self.i64_attr(predicate as i64);
        self.op1("arith.cmpi", &[a, b], ty, &[("predicate", predicate)])
    }

    /// `arith.select`; the condition is `i1` or a vector of them.
    pub fn select(&self, condition: Val<'c>, yes: Val<'c>, no: Val<'c>) -> Val<'c> {
        self.op1("arith.select", &[condition, yes, no], yes.r#type(), &[])
    }

    /// A conversion operation such as `arith.extsi` to `ty`.
    pub fn cast(&self, name: &str, value: Val<'c>, ty: Ty<'c>) -> Val<'c> {
        self.op1(name, &[value], ty, &[])
    }

    /// `arith.index_cast`; the value itself if it has the type already.
    pub fn index_cast(&self, value: Val<'c>, ty: Ty<'c>) -> Val<'c> {
        if value.r#type() == ty {
            value
        } else {
            self.cast("arith.index_cast", value, ty)
        }
    }

    /// `arith.addf`.
    pub fn addf(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.addf", &[a, b])
    }
    /// `arith.subf`.
    pub fn subf(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.subf", &[a, b])
    }
    /// `arith.mulf`.
    pub fn mulf(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.mulf", &[a, b])
    }
    /// `arith.divf`.
    pub fn divf(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.divf", &[a, b])
    }
    /// `arith.negf`.
    pub fn negf(&self, a: Val<'c>) -> Val<'c> {
        self.same("arith.negf", &[a])
    }
    /// `arith.maximumf`: NaN if either is NaN, +0 above -0, as StableHLO's `maximum`.
    pub fn maximumf(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.maximumf", &[a, b])
    }
    /// `arith.minimumf`: NaN if either is NaN, -0 below +0, as StableHLO's `minimum`.
    pub fn minimumf(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.minimumf", &[a, b])
    }

    /// `arith.cmpf`: `i1`, or a vector of them.
    pub fn cmpf(&self, predicate: CmpF, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let ty = self.like(a.r#type(), self.i1());
        let predicate = self.i64_attr(predicate as i64);
        self.op1("arith.cmpf", &[a, b], ty, &[("predicate", predicate)])
    }

    /// `math.<name>` on one or more operands, all of one type.
    pub fn math(&self, name: &str, operands: &[Val<'c>]) -> Val<'c> {
        self.same(&format!("math.{name}"), operands)
    }

    /// The magnitude of one number with the sign of another one.
    ///
    /// Of 64 bits the sign is selected: where the result of `math.copysign` is rounded to `f16`,
    /// LLVM rounds the number whose sign it takes, too, by a function that is not there everywhere.
    pub fn copysign(&self, x: Val<'c>, sign: Val<'c>) -> Val<'c> {
        let ty = x.r#type();
        if ty != self.like(ty, self.f64()) {
            return self.math("copysign", &[x, sign]);
        }
        let magnitude = self.math("absf", &[x]);
        self.select(self.is_signed(sign), self.negf(magnitude), magnitude)
    }

    /// Tells whether the sign bit of a number of `f64` is set.
    pub fn is_signed(&self, x: Val<'c>) -> Val<'c> {
        let int = self.like(x.r#type(), self.i64());
        let bits = self.cast("arith.bitcast", x, int);
        self.cmpi(CmpI::Slt, bits, self.cint(0, int))
    }

    /// `math.fma`: `a * b + c`, rounded once.
    pub fn fma(&self, a: Val<'c>, b: Val<'c>, c: Val<'c>) -> Val<'c> {
        self.same("math.fma", &[a, b, c])
    }

    /// A call of LLVM's intrinsic `name`: as a function, which passes of upstream's know the
    /// effects of, unlike the operation for intrinsics. Whoever makes the module declares it.
    pub fn intrinsic(&self, name: &str, arguments: &[Val<'c>], result: Ty<'c>) -> Val<'c> {
        self.call(name, arguments, &[result])[0]
    }

    /// A condition that is seldom true: what is done then stays out of the way of the rest, in the
    /// code and in the registers.
    pub fn unlikely(&self, condition: Val<'c>) -> Val<'c> {
        self.op1(
            "llvm.intr.expect",
            &[condition, self.cbool(false)],
            self.i1(),
            &[],
        )
    }
}
