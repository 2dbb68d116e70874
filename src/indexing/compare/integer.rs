//! From two maps to systems of linear inequalities: is there a point at which they differ?

use super::omega::{Row, System};
use crate::expr::Op;
use crate::interval::Interval;
use crate::map::IndexingMap;
use crate::program::{Instr, Program};
use rustc_hash::FxHashMap;

pub(super) enum Verdict {
    Equal,
    /// Values of all variables: dimensions, ranges, runtime.
    Different(Vec<i64>),
    Unknown,
}

/// A linear form: coefficients by column, and a constant.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Form {
    terms: Vec<(usize, i128)>,
    k: i128,
}

impl Form {
    fn add(&self, other: &Form, factor: i128) -> Option<Form> {
        let mut sum: std::collections::BTreeMap<usize, i128> = self.terms.iter().copied().collect();
        for (x, c) in &other.terms {
            let e = sum.entry(*x).or_insert(0);
            *e = e.checked_add(c.checked_mul(factor)?)?;
        }
        Some(Form {
            terms: sum.into_iter().filter(|(_, c)| *c != 0).collect(),
            k: self.k.checked_add(other.k.checked_mul(factor)?)?,
        })
    }

    fn plus(mut self, k: i128) -> Option<Form> {
        self.k = self.k.checked_add(k)?;
        Some(self)
    }

    fn negated(&self) -> Option<Form> {
        Form::default().add(self, -1)
    }
}

/// Forms that are at least zero; alternatives are for minima and maxima.
#[derive(Default)]
struct Encoder {
    columns: usize,
    facts: Vec<Form>,
    alternatives: Vec<[Form; 2]>,
    quotients: FxHashMap<(Form, i128), usize>,
    extrema: FxHashMap<(bool, Form, Form), usize>,
}

/// Columns beyond which no system is built: it could not be solved.
const MAX_COLUMNS: usize = 400;

/// Minima and maxima beyond which all combinations are too many.
const MAX_ALTERNATIVES: usize = 6;

impl Encoder {
    fn column(&mut self) -> Form {
        self.columns += 1;
        Form {
            terms: vec![(self.columns - 1, 1)],
            k: 0,
        }
    }

    fn quotient(&mut self, e: &Form, m: i128) -> Option<Form> {
        if m < 0 {
            return self.quotient(&e.negated()?, m.checked_neg()?);
        }
        if e.terms.is_empty() {
            return Some(Form {
                terms: Vec::new(),
                k: e.k.div_euclid(m),
            });
        }
        if let Some(&x) = self.quotients.get(&(e.clone(), m)) {
            return Some(Form {
                terms: vec![(x, 1)],
                k: 0,
            });
        }
        if self.columns >= MAX_COLUMNS {
            return None;
        }
        let q = self.column();
        // m * q <= e <= m * q + m - 1
        let rest = e.add(&q, m.checked_neg()?)?;
        self.facts.push(rest.clone());
        self.facts.push(rest.negated()?.plus(m - 1)?);
        self.quotients.insert((e.clone(), m), self.columns - 1);
        Some(q)
    }

    fn extremum(&mut self, minimum: bool, a: &Form, b: &Form) -> Option<Form> {
        let key = (minimum, a.clone(), b.clone());
        if let Some(&x) = self.extrema.get(&key) {
            return Some(Form {
                terms: vec![(x, 1)],
                k: 0,
            });
        }
        if self.columns >= MAX_COLUMNS {
            return None;
        }
        let t = self.column();
        let sign = if minimum { 1 } else { -1 };
        for e in [a, b] {
            // t <= e (t >= e for a maximum)
            let slack = Form::default().add(&e.add(&t, -1)?, sign)?;
            self.facts.push(slack);
        }
        let tight = |e: &Form| Form::default().add(&e.add(&t, -1)?, -sign);
        self.alternatives.push([tight(a)?, tight(b)?]);
        self.extrema.insert(key, self.columns - 1);
        Some(t)
    }

    /// The results, then the constraints of a map; `None` for what is not affine with constant
    /// divisors.
    fn encode(&mut self, map: &IndexingMap) -> Option<Vec<Form>> {
        let program = Program::new(&map.expressions());
        let (nd, nr) = (map.dims.len(), map.ranges.len());
        let variable = |x: usize| Form {
            terms: vec![(x, 1)],
            k: 0,
        };
        let mut values: Vec<Form> = Vec::new();
        for instr in &program.instrs {
            let v = match *instr {
                Instr::Constant(k) => Form {
                    terms: Vec::new(),
                    k: k as i128,
                },
                Instr::Dim(i) => variable(i as usize),
                Instr::Range(i) => variable(nd + i as usize),
                Instr::Runtime(i) => variable(nd + nr + i as usize),
                Instr::Binary(op, a, b) => {
                    let (a, b) = (values[a as usize].clone(), values[b as usize].clone());
                    let constant = b.terms.is_empty().then_some(b.k);
                    match (op, constant) {
                        (Op::Add, _) => a.add(&b, 1)?,
                        (Op::Mul, Some(k)) => Form::default().add(&a, k)?,
                        (Op::Mul, None) if a.terms.is_empty() => Form::default().add(&b, a.k)?,
                        (Op::FloorDiv, Some(m)) if m != 0 => self.quotient(&a, m)?,
                        (Op::CeilDiv, Some(m)) if m != 0 => {
                            self.quotient(&a.negated()?, m)?.negated()?
                        }
                        (Op::Mod, Some(m)) if m != 0 => {
                            let m = m.checked_abs()?;
                            let q = self.quotient(&a, m)?;
                            a.add(&q, -m)?
                        }
                        (Op::Min | Op::Max, _) => self.extremum(op == Op::Min, &a, &b)?,
                        _ => return None,
                    }
                }
            };
            values.push(v);
        }
        Some(
            program
                .roots
                .iter()
                .map(|r| values[*r as usize].clone())
                .collect(),
        )
    }
}

/// Returns the conditions that a point in the domain satisfies, as forms that are at least zero.
fn domain(map: &IndexingMap, constraints: &[Form]) -> Option<Vec<Form>> {
    let mut all = Vec::new();
    for (x, i) in map.intervals().enumerate() {
        let v = Form {
            terms: vec![(x, 1)],
            k: 0,
        };
        all.push(v.clone().plus(-(i.lower as i128))?);
        all.push(v.negated()?.plus(i.upper as i128)?);
    }
    for (e, k) in constraints.iter().zip(&map.constraints) {
        all.push(e.clone().plus(-(k.interval.lower as i128))?);
        all.push(e.negated()?.plus(k.interval.upper as i128)?);
    }
    Some(all)
}

/// `e >= 0` is false.
fn violated(e: &Form) -> Option<Form> {
    e.negated()?.plus(-1)
}

pub(super) fn decide(a: &IndexingMap, b: &IndexingMap, hull: &[Interval], steps: u64) -> Verdict {
    decide_checked(a, b, hull, steps).unwrap_or(Verdict::Unknown)
}

fn decide_checked(
    a: &IndexingMap,
    b: &IndexingMap,
    hull: &[Interval],
    mut steps: u64,
) -> Option<Verdict> {
    let mut encoder = Encoder {
        columns: hull.len(),
        ..Encoder::default()
    };
    let x = encoder.encode(a)?;
    let y = encoder.encode(b)?;
    if encoder.alternatives.len() > MAX_ALTERNATIVES || encoder.columns > 60 {
        return None;
    }
    let (xr, xc) = x.split_at(a.results.len());
    let (yr, yc) = y.split_at(b.results.len());
    let (da, db) = (domain(a, xc)?, domain(b, yc)?);
    // Every way to differ is a conjunction.
    let mut ways: Vec<Vec<Form>> = Vec::new();
    for (inside, outside) in [(&da, &db), (&db, &da)] {
        for e in outside {
            if inside.contains(e) {
                continue;
            }
            let mut way = inside.clone();
            way.push(violated(e)?);
            ways.push(way);
        }
    }
    for (p, q) in xr.iter().zip(yr) {
        let difference = p.add(q, -1)?;
        if difference.terms.is_empty() && difference.k == 0 {
            continue;
        }
        for sign in [1, -1] {
            let mut way = da.clone();
            way.extend(db.iter().cloned());
            way.push(Form::default().add(&difference, sign)?.plus(-1)?);
            ways.push(way);
        }
    }
    let mut undecided = false;
    for way in ways {
        for choice in 0..1usize << encoder.alternatives.len() {
            let mut forms = encoder.facts.clone();
            forms.extend(way.iter().cloned());
            for (i, alternative) in encoder.alternatives.iter().enumerate() {
                forms.push(alternative[choice >> i & 1].clone());
            }
            let system = System {
                equal: Vec::new(),
                at_least: forms.iter().map(|f| row(f, encoder.columns)).collect(),
            };
            match system.clone().feasible(&mut steps) {
                Some(false) => {}
                Some(true) => match solution(&system, hull, &mut steps) {
                    Some(p) => return Some(Verdict::Different(p)),
                    None => undecided = true,
                },
                None => undecided = true,
            }
            if steps == 0 {
                return None;
            }
        }
    }
    Some(if undecided {
        Verdict::Unknown
    } else {
        Verdict::Equal
    })
}

fn row(form: &Form, columns: usize) -> Row {
    let mut row = vec![0; columns + 1];
    for (x, c) in &form.terms {
        row[*x] = *c;
    }
    row[columns] = form.k;
    row
}

/// A solution of a system that has one: the values of the variables, one after the other, by
/// bisection.
fn solution(system: &System, hull: &[Interval], steps: &mut u64) -> Option<Vec<i64>> {
    let mut system = system.clone();
    let columns = system.at_least.first()?.len() - 1;
    let mut point = Vec::new();
    for (x, i) in hull.iter().enumerate() {
        let (mut lower, mut upper) = (i.lower as i128, i.upper as i128);
        let bound = |sign: i128, k: i128| {
            let mut row = vec![0; columns + 1];
            (row[x], row[columns]) = (sign, k);
            row
        };
        while lower < upper {
            let middle = (lower + upper).div_euclid(2);
            let mut half = system.clone();
            half.at_least.push(bound(-1, middle));
            half.at_least.push(bound(1, -lower));
            if half.feasible(steps)? {
                upper = middle;
            } else {
                lower = middle + 1;
            }
        }
        system.at_least.push(bound(1, -lower));
        system.at_least.push(bound(-1, lower));
        point.push(i64::try_from(lower).ok()?);
    }
    Some(point)
}
