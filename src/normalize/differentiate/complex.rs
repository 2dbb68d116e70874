//! Operations between real and complex numbers, and those that are not derivable as functions of a
//! complex number.

use super::{elementwise::is_complex, reverse::Reverse};
use mapwright_mlir::{Op, Val};

impl<'c> Reverse<'c> {
    /// Returns what the cotangent `given` of the result adds to that of operand `k`; `None` for
    /// operations of which this file has no rule.
    pub(super) fn of_parts(&self, op: Op<'c>, k: usize, given: Val<'c>) -> Option<Val<'c>> {
        let m = &self.m;
        let operand = op.operands().get(k).copied()?;
        let (element, _) = m.type_of(operand);
        let zeros = |like: Val<'c>| self.zeros_like(like);
        Some(match op.short_name() {
            "complex" if k == 0 => m.part("real", given),
            "complex" => m.same("negate", &[m.part("imag", given)]),
            "real" if is_complex(&element) => m.complex(given, zeros(given)),
            "imag" if is_complex(&element) => m.complex(zeros(given), m.same("negate", &[given])),
            "real" => given,
            "imag" => self.zeros_like(operand),
            "conj" => m.conjugate(given),
            // Its size grows along its own direction.
            "abs" if is_complex(&element) => {
                let size = op.result(0);
                let none = m.compare("EQ", size, zeros(size));
                let (real, shape) = m.type_of(size);
                let size = m.select(none, m.number(1.0, &real, &shape), size);
                let by = m.same("divide", &[given, size]);
                let along = |name: &str| m.same("multiply", &[by, m.part(name, operand)]);
                m.complex(along("real"), m.same("negate", &[along("imag")]))
            }
            "convert" => {
                let from = m.type_of(given).0;
                match (is_complex(&from), is_complex(&element)) {
                    (true, false) => m.convert(m.part("real", given), &element),
                    (false, true) => {
                        let real = match element {
                            mapwright_mlir::ElementType::Complex(kind) => {
                                mapwright_mlir::ElementType::Float(kind)
                            }
                            _ => from,
                        };
                        let given = m.convert(given, &real);
                        m.complex(given, zeros(given))
                    }
                    _ => m.convert(given, &element),
                }
            }
            _ => return None,
        })
    }
}
