//! Orthogonal and upper triangular factors, `A = Q R`, which programs call by LAPACK's names: see
//! [`factors`](super::factors).

use super::{
    factors::{beside, rows_and_columns},
    linalg::{System, adjoint, solve, times, where_rows},
    reverse::Reverse,
};
use crate::{
    rewrite::{Result, fail},
    tarray::{make::Make, sizes::vary},
};
use mapwright_indexing::Extent;
use mapwright_mlir::{Attr, ElementType, Op, Val, attr, melior::ir::ValueLike, op};
use mapwright_ops::{attrs::Transpose, library};

impl<'c> Reverse<'c> {
    /// `A = Q R`: what the cotangent of `R`, the upper triangle of a result, says about `A`.
    pub(super) fn of_upper(&self, op: Op<'c>, given: Val<'c>) -> Result<'c, Val<'c>> {
        let m = &self.m;
        let (q, r) = self.orthogonal_and_upper(op)?;
        let size = rows_and_columns(m, r).0;
        let given = first_rows(m, m.conjugate(given), size);
        let given = where_rows(m, "LE", given);
        let inner = m.same("negate", &[times(m, given, adjoint(m, r))]);
        let turned = times(m, q, self.of_skew(inner));
        Ok(m.conjugate(by_upper(m, r, turned)))
    }

    /// `A = Q R`: what the cotangent of `Q` says about `A`.
    pub(super) fn of_orthogonal(&self, op: Op<'c>, given: Val<'c>) -> Result<'c> {
        let m = &self.m;
        let why = "has no rule of differentiation: its operands are no reflections of a factorisation beside it";
        let Some((factorisation, 0)) = op::defining_op(op.operand(0)) else {
            return fail(op, why);
        };
        let target = factorisation.string("call_target_name").unwrap_or_default();
        let is_factorisation =
            library::lapack::find(&target).is_some_and(|(function, _)| function.name == "geqrf");
        let operands = library::arguments(op).unwrap_or_default();
        let of_it = operands.len() == 2 && operands[1] == factorisation.result(1);
        if !is_factorisation || !of_it || !beside(op, factorisation) {
            return fail(op, why);
        }
        let (_, r) = self.orthogonal_and_upper(factorisation)?;
        let given = m.conjugate(given);
        let q = op.result(0);
        let inner = times(m, adjoint(m, q), given);
        let turned = m.add(times(m, q, self.of_skew(inner)), given);
        let part = m.conjugate(by_upper(m, r, turned));
        self.give(factorisation.operand(0), part);
        Ok(())
    }

    /// Returns what remains of the cotangent `x` where the tangent is the skew part of
    /// `C = Q^H dA R^-1`, less `C`.
    fn of_skew(&self, x: Val<'c>) -> Val<'c> {
        let m = &self.m;
        let skew = where_rows(m, "GT", m.sub(x, adjoint(m, x)));
        let both = m.sub(skew, x);
        match m.type_of(x).0 {
            // The diagonal of R is real.
            ElementType::Complex(_) => {
                let imaginary = m.part("imag", x);
                let (element, shape) = m.type_of(imaginary);
                let own = m.complex(m.zeros(&element, &shape), imaginary);
                m.add(both, where_rows(m, "EQ", own))
            }
            _ => both,
        }
    }

    /// The factors of a factorisation by reflections, of a matrix with at least as many rows as
    /// columns.
    fn orthogonal_and_upper(&self, op: Op<'c>) -> Result<'c, (Val<'c>, Val<'c>)> {
        let m = &self.m;
        let reflections = op.result(0);
        let (rows, columns) = rows_and_columns(m, reflections);
        // Of a matrix whose number of rows is known at run time only the slice below says that
        // there are enough.
        if !rows.is_run_time() && (columns.is_run_time() || rows < columns) {
            return fail(
                op,
                "has no rule of differentiation: of a matrix with more columns than rows",
            );
        }
        let (_, shape) = m.type_of(reflections);
        let r = where_rows(m, "LE", first_rows(m, reflections, columns));
        // There is a Q where the program uses one.
        let known = op::uses(reflections).into_iter().find(|(user, k)| {
            let target = user.string("call_target_name").unwrap_or_default();
            let name = library::lapack::find(&target).map(|(function, _)| function.name);
            let operands = library::arguments(*user).unwrap_or_default();
            let whole = *k == 0 && operands.len() == 2 && operands[1] == op.result(1);
            matches!(name, Some("orgqr" | "ungqr")) && whole && beside(*user, op)
        });
        if let Some((user, _)) = known {
            return Ok((user.result(0), r));
        }
        let target = op.string("call_target_name").unwrap_or_default();
        let complex = matches!(m.type_of(reflections).0, ElementType::Complex(_));
        let target = target.replace("geqrf", if complex { "ungqr" } else { "orgqr" });
        let layouts = op.attribute("result_layouts");
        let first = layouts
            .and_then(attr::array)
            .and_then(|all| all.first().copied());
        let mut attributes: Vec<(&str, Attr<'c>)> = vec![
            ("call_target_name", m.b.str_attr(&target)),
            ("mhlo.backend_config", m.b.parse_attr("{}")),
        ];
        if let Some(version) = op.attribute("api_version") {
            attributes.push(("api_version", version));
        }
        if let (Some(layouts), Some(first)) = (layouts, first) {
            attributes.push(("operand_layouts", layouts));
            attributes.push(("result_layouts", m.b.array_attr(&[first])));
        }
        let mut operands = vec![reflections, op.result(1)];
        if vary(&shape) {
            operands.push(m.convert(m.vector(&shape), &ElementType::int(32)));
            let index = m.b.parse_attr("dense<2> : tensor<1xi64>");
            attributes.push(("indices_of_shape_operands", index));
            attributes.retain(|(name, _)| *name != "operand_layouts");
            if let (Some(layouts), Some(_)) = (layouts.and_then(attr::array), first) {
                let vector = m.b.parse_attr("dense<0> : tensor<1xindex>");
                let layouts: Vec<Attr<'c>> = layouts.into_iter().chain([vector]).collect();
                attributes.push(("operand_layouts", m.b.array_attr(&layouts)));
            }
        }
        let q =
            m.b.op(op.name(), &operands, &[reflections.r#type()], &attributes);
        Ok((m.sized(q.result(0), &shape), r))
    }
}

/// The first rows of matrices.
fn first_rows<'c>(m: &Make<'c>, x: Val<'c>, rows: Extent) -> Val<'c> {
    let d = m.type_of(x).1.len() - 2;
    m.slice(x, d, (0, 1, rows))
}

/// `X` of `X R^H = y`.
fn by_upper<'c>(m: &Make<'c>, r: Val<'c>, y: Val<'c>) -> Val<'c> {
    let system = System {
        left: false,
        lower: false,
        unit: false,
    };
    solve(m, (r, y), system, Transpose::Adjoint)
}
