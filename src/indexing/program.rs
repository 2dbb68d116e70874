//! Expressions as flat lists, and their values.

use crate::expr::{Expr, ExprKind, Op};
use rustc_hash::FxHashMap;

/// Why an expression has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EvalError {
    /// A divisor is zero.
    DivisionByZero,
    /// A value is beyond `i64`.
    Overflow,
    /// A value on the way is beyond the 128 bits of evaluation; what the result is remains open.
    TooWide,
    /// A variable has no value in the assignment.
    MissingVariable,
}

impl std::fmt::Display for EvalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            EvalError::DivisionByZero => "division by zero",
            EvalError::Overflow => "the value does not fit into 64 bits",
            EvalError::TooWide => "a value on the way does not fit into 128 bits",
            EvalError::MissingVariable => "a variable has no value",
        })
    }
}

impl std::error::Error for EvalError {}

/// One step of a [`Program`]; operands are earlier steps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Instr {
    Constant(i64),
    Dim(u32),
    Range(u32),
    Runtime(u32),
    Binary(Op, u32, u32),
}

/// Expressions as a flat list, operands first, shared nodes once. Everything that walks an
/// expression walks this list, so that depth costs no stack.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub(crate) instrs: Vec<Instr>,
    pub(crate) roots: Vec<u32>,
}

impl Program {
    pub(crate) fn new(exprs: &[Expr]) -> Program {
        let mut program = Program::default();
        let mut seen: FxHashMap<usize, u32> = FxHashMap::default();
        let mut stack: Vec<(&Expr, bool)> = Vec::new();
        let mut operands: Vec<u32> = Vec::new();
        for root in exprs {
            stack.push((root, false));
            while let Some((e, ready)) = stack.pop() {
                let shared = e.may_be_shared();
                if !ready
                    && shared
                    && let Some(&i) = seen.get(&e.address())
                {
                    operands.push(i);
                    continue;
                }
                let instr = match e.kind() {
                    ExprKind::Constant(v) => Instr::Constant(*v),
                    ExprKind::Dim(i) => Instr::Dim(*i as u32),
                    ExprKind::Range(i) => Instr::Range(*i as u32),
                    ExprKind::Runtime(i) => Instr::Runtime(*i as u32),
                    ExprKind::Binary(op, a, b) => {
                        if !ready {
                            stack.push((e, true));
                            stack.push((b, false));
                            stack.push((a, false));
                            continue;
                        }
                        let b = operands.pop().unwrap_or(0);
                        let a = operands.pop().unwrap_or(0);
                        Instr::Binary(*op, a, b)
                    }
                };
                let i = program.instrs.len() as u32;
                program.instrs.push(instr);
                if shared {
                    seen.insert(e.address(), i);
                }
                operands.push(i);
            }
            program.roots.push(operands.pop().unwrap_or(0));
        }
        program
    }

    /// Evaluates every step. Values are mathematical integers in `i128`.
    pub(crate) fn run(
        &self,
        dims: &[i64],
        ranges: &[i64],
        runtime: &[i64],
        values: &mut Vec<i128>,
    ) -> Result<(), EvalError> {
        values.clear();
        let at = |list: &[i64], i: u32| {
            list.get(i as usize)
                .map(|v| *v as i128)
                .ok_or(EvalError::MissingVariable)
        };
        for instr in &self.instrs {
            let v = match *instr {
                Instr::Constant(v) => v as i128,
                Instr::Dim(i) => at(dims, i)?,
                Instr::Range(i) => at(ranges, i)?,
                Instr::Runtime(i) => at(runtime, i)?,
                Instr::Binary(op, a, b) => {
                    let (a, b) = (values[a as usize], values[b as usize]);
                    match op.apply(a, b) {
                        Some(v) => v,
                        None if b == 0 => return Err(EvalError::DivisionByZero),
                        None => return Err(EvalError::TooWide),
                    }
                }
            };
            values.push(v);
        }
        Ok(())
    }

    pub(crate) fn result(&self, root: usize, values: &[i128]) -> Result<i64, EvalError> {
        let i = *self.roots.get(root).ok_or(EvalError::MissingVariable)?;
        i64::try_from(values[i as usize]).map_err(|_| EvalError::Overflow)
    }

    /// A result as a mathematical integer.
    pub(crate) fn wide_result(&self, root: usize, values: &[i128]) -> i128 {
        values[self.roots[root] as usize]
    }
}
