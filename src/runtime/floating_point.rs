//! How a thread's processor rounds, and whether it takes subnormal numbers for zeros: its
//! floating-point environment.
//!
//! A thread begins with the environment of the thread that starts it, and hosts change theirs:
//! XLA's threads flush subnormal numbers to zero, and a pool that one of them starts would do so
//! for good. So a parallel region has the environment of its caller on all its threads, and what
//! must not depend on the caller's, as eigenvalues that are scaled by very small numbers, runs
//! [`as_specified`].

use std::marker::PhantomData;

/// The control bits of a thread's environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Environment(u64);

impl Environment {
    /// Rounds to nearest, ties to even, and keeps subnormal numbers: what IEEE 754 and StableHLO
    /// specify.
    pub(crate) const SPECIFIED: Self = Self(register::SPECIFIED);

    /// This thread's.
    pub(crate) fn current() -> Self {
        Self(register::read() & register::CONTROL)
    }

    /// Makes it this thread's, and says which one was.
    fn set(self) -> Self {
        let before = register::read();
        if before & register::CONTROL != self.0 {
            register::write(before & !register::CONTROL | self.0);
        }
        Self(before & register::CONTROL)
    }
}

/// Gives the thread its own environment back when it is dropped, on the thread that it is on.
#[derive(Debug)]
#[must_use = "the environment is left where this is dropped"]
pub struct Within {
    before: Environment,
    thread: PhantomData<*const ()>,
}

impl Drop for Within {
    fn drop(&mut self) {
        self.before.set();
    }
}

/// This thread is within `environment` until what is returned is dropped.
pub(crate) fn within(environment: Environment) -> Within {
    Within {
        before: environment.set(),
        thread: PhantomData,
    }
}

/// This thread computes as IEEE 754 specifies until what is returned is dropped.
pub fn as_specified() -> Within {
    within(Environment::SPECIFIED)
}

/// `MXCSR`.
#[cfg(target_arch = "x86_64")]
mod register {
    use std::arch::asm;

    /// Subnormal operands are zeros (6), which exceptions are masked (7 to 12), rounding (13 and
    /// 14), subnormal results are zeros (15). Below are the exceptions that have been.
    pub(super) const CONTROL: u64 = 0xffc0;
    /// All exceptions are masked.
    pub(super) const SPECIFIED: u64 = 0x1f80;

    pub(super) fn read() -> u64 {
        let mut value = 0u32;
        // SAFETY: stores the register in `value`, and does nothing else.
        unsafe {
            asm!("stmxcsr [{}]", in(reg) &raw mut value, options(nostack, preserves_flags));
        }
        u64::from(value)
    }

    pub(super) fn write(value: u64) {
        let value = value as u32;
        // SAFETY: every value that is written was read from the register, but for the bits of
        // `CONTROL`, of which all combinations are valid.
        unsafe {
            asm!("ldmxcsr [{}]", in(reg) &raw const value, options(nostack, preserves_flags));
        }
    }
}

/// `FPCR`.
#[cfg(target_arch = "aarch64")]
mod register {
    use std::arch::asm;

    /// Half precision's subnormal numbers are zeros (19), rounding (22 and 23), others' (24).
    pub(super) const CONTROL: u64 = 0x01c8_0000;
    pub(super) const SPECIFIED: u64 = 0;

    pub(super) fn read() -> u64 {
        let value: u64;
        // SAFETY: reads a register that every thread may read.
        unsafe {
            asm!("mrs {}, fpcr", out(reg) value, options(nostack, preserves_flags, nomem));
        }
        value
    }

    pub(super) fn write(value: u64) {
        // SAFETY: as of the other register.
        unsafe { asm!("msr fpcr, {}", in(reg) value, options(nostack, preserves_flags)) }
    }
}

/// Other processors have one environment.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod register {
    pub(super) const CONTROL: u64 = 0;
    pub(super) const SPECIFIED: u64 = 0;

    pub(super) fn read() -> u64 {
        0
    }

    pub(super) fn write(_: u64) {}
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::hint::black_box;

    /// Subnormal operands and results are zeros.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const FLUSHING: Environment = Environment(register::SPECIFIED | 0x8040);
    #[cfg(target_arch = "aarch64")]
    pub(crate) const FLUSHING: Environment = Environment(1 << 24);

    /// Half of the smallest normal number.
    pub(crate) fn half_of_smallest() -> f64 {
        black_box(f64::MIN_POSITIVE) * black_box(0.5)
    }

    #[test]
    fn it_is_given_back() {
        let before = Environment::current();
        {
            let _flushing = within(FLUSHING);
            assert_eq!(half_of_smallest(), 0.0);
            {
                let _specified = as_specified();
                assert!(half_of_smallest() > 0.0);
            }
            assert_eq!(Environment::current(), FLUSHING);
        }
        assert_eq!(Environment::current(), before);
    }
}
