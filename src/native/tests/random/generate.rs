//! Random programs: types, shapes, data, and the choice of operations.

use super::program::{Program, Sharded, Step, Val};
use mapwright_interpret::{Scalar, Tensor, value::fit};
use mapwright_mlir::{ElementType, FloatKind, TensorType};
use std::collections::BTreeMap;

/// Makes one program.
pub struct Generator {
    pub rng: fastrand::Rng,
    pub program: Program,
    pub values: Vec<Val>,
    next: usize,
}

/// Formats of floats, the usual ones more often.
const FLOATS: &[FloatKind] = &[
    FloatKind::F32,
    FloatKind::F32,
    FloatKind::F32,
    FloatKind::F32,
    FloatKind::F64,
    FloatKind::F64,
    FloatKind::F16,
    FloatKind::BF16,
    FloatKind::BF16,
    FloatKind::F8E4M3FN,
    FloatKind::F8E5M2,
    FloatKind::F8E4M3FNUZ,
];

const WIDTHS: &[u32] = &[32, 32, 32, 64, 64, 8, 8, 16, 4, 2];

/// Most elements of a tensor.
pub const MOST: i64 = 600;

pub fn list(values: &[i64]) -> String {
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    if values.is_empty() {
        "array<i64>".into()
    } else {
        format!("array<i64: {}>", values.join(", "))
    }
}

pub fn plain(values: &[i64]) -> String {
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    format!("[{}]", values.join(", "))
}

pub fn pairs(values: &[(i64, i64)]) -> String {
    let rows: Vec<String> = values.iter().map(|(a, b)| format!("[{a}, {b}]")).collect();
    format!(
        "dense<[{}]> : tensor<{}x2xi64>",
        rows.join(", "),
        rows.len()
    )
}

pub fn tensor(element: &ElementType, shape: &[i64]) -> TensorType {
    TensorType::new(element.clone(), shape)
}

impl Generator {
    pub fn new(seed: u64) -> Self {
        Self {
            rng: fastrand::Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            program: Program::default(),
            values: Vec::new(),
            next: 0,
        }
    }

    /// One program with a few to some thirty operations.
    pub fn program(mut self) -> Program {
        for _ in 0..self.rng.usize(1..=3) {
            let (element, shape) = (self.element(), self.shape());
            self.input(&element, &shape);
        }
        let wanted = self.rng.usize(4..=30);
        let mut tries = 0;
        while self.program.steps.len() < wanted && tries < 400 {
            tries += 1;
            self.step();
        }
        let used: std::collections::BTreeSet<String> = self
            .program
            .steps
            .iter()
            .flat_map(|s| s.uses.clone())
            .collect();
        let mut outputs: Vec<Val> = self
            .values
            .iter()
            .filter(|v| !used.contains(&v.name) || self.rng.u8(..) < 20)
            .filter(|v| !self.program.inputs.iter().any(|(i, _)| i.name == v.name))
            .cloned()
            .collect();
        if outputs.is_empty() {
            outputs.extend(self.values.last().cloned());
        }
        self.program.outputs = outputs;
        self.program
    }

    /// A program that is divided among 2, 4, 6 or 8 devices: some of its values lie on them along
    /// axes of a mesh, which need not divide them.
    pub fn sharded(self) -> Program {
        let mut rng = self.rng.clone();
        let mut program = self.program();
        let meshes: [&[i64]; 7] = [&[2], &[2, 2], &[4], &[2, 3], &[6], &[2, 4], &[2, 2, 2]];
        let mesh = meshes[rng.usize(..meshes.len())].to_vec();
        let mut axes = BTreeMap::new();
        let made = program.steps.iter().filter(|s| !s.names_results);
        let made = made.filter(|s| s.results.len() == 1);
        let made: Vec<Val> = made.flat_map(|s| s.results.clone()).collect();
        let taken: Vec<Val> = program.inputs.iter().map(|(v, _)| v.clone()).collect();
        let many = taken.len();
        for (i, value) in taken.into_iter().chain(made).enumerate() {
            if value.shape().is_empty() || rng.u8(..100) >= if i < many { 90 } else { 20 } {
                continue;
            }
            let mut dims = vec![Vec::new(); value.shape().len()];
            let mut free: Vec<usize> = (0..mesh.len()).collect();
            rng.shuffle(&mut free);
            for axis in free {
                let dim = rng.usize(..dims.len());
                let fits = value.shape()[dim] % mesh[axis] == 0;
                // What is not divided evenly is padded.
                if rng.u8(..100) < if fits { 80 } else { 25 } {
                    dims[dim].push(axis);
                }
            }
            axes.insert(value.name, dims);
        }
        program.sharded = Some(Sharded { mesh, axes });
        program
    }

    pub fn one_of<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.rng.usize(..items.len())].clone()
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: u8) -> bool {
        self.rng.u8(..100) < percent
    }

    pub fn float(&mut self) -> ElementType {
        ElementType::Float(self.one_of(FLOATS))
    }

    pub fn int(&mut self) -> ElementType {
        ElementType::Int {
            width: self.one_of(WIDTHS),
            unsigned: self.chance(35),
        }
    }

    pub fn element(&mut self) -> ElementType {
        match self.rng.u8(..100) {
            0..60 => self.float(),
            60..90 => self.int(),
            90..97 => ElementType::Bool,
            _ => ElementType::Complex(self.one_of(&[FloatKind::F32, FloatKind::F64])),
        }
    }

    pub fn size(&mut self) -> i64 {
        match self.rng.u8(..100) {
            0..2 => 0,
            2..14 => 1,
            14..80 => self.rng.i64(2..=9),
            80..94 => self.one_of(&[11, 13, 16, 17, 19, 23, 32, 33]),
            _ => self.one_of(&[64, 67, 128, 131]),
        }
    }

    pub fn shape(&mut self) -> Vec<i64> {
        let rank = self.one_of(&[0, 1, 1, 2, 2, 2, 3, 3, 4]);
        let mut shape: Vec<i64> = (0..rank).map(|_| self.size()).collect();
        while shape.iter().product::<i64>() > MOST {
            let d = self.rng.usize(..shape.len());
            shape[d] = (shape[d] / 2).max(1);
        }
        shape
    }

    pub fn fresh(&mut self, ty: TensorType, exact: bool, solid: bool) -> Val {
        self.next += 1;
        let solid = solid || !(ty.element.is_float() || ty.element.is_complex());
        Val {
            name: format!("%v{}", self.next),
            ty,
            exact,
            solid,
        }
    }

    /// Random data: small whole numbers, ordinary numbers, or everything that a type has.
    pub fn data(&mut self, element: &ElementType, shape: &[i64], specials: bool) -> Tensor {
        let whole = self.chance(40);
        let wild = self.chance(30);
        let rng = &mut self.rng;
        let mut real = |kind: FloatKind| {
            let x = match rng.u8(..100) {
                0..12 if specials => match rng.u8(..7) {
                    0 => f64::INFINITY,
                    1 => f64::NEG_INFINITY,
                    2 => f64::NAN,
                    3 => -0.0,
                    4 => mapwright_interpret::formats::from_bits(kind, 1),
                    5 => 65504.0,
                    _ => -1e-30,
                },
                _ if whole => f64::from(rng.i8(-4..=4)),
                0..30 => rng.f64() * 20.0 - 10.0,
                _ => rng.f64() * 2.0 - 1.0,
            };
            mapwright_interpret::formats::round(kind, x)
        };
        Tensor::build(element, shape, |_| {
            Ok(match element {
                ElementType::Float(kind) => Scalar::Real(real(*kind)),
                ElementType::Complex(kind) => Scalar::Complex(real(*kind), real(*kind)),
                ElementType::Bool => Scalar::Bool(real(FloatKind::F64) > 0.0),
                other => {
                    let x = real(FloatKind::F64);
                    let x = if x.is_finite() { x as i128 } else { -1 };
                    let x = if wild {
                        x.wrapping_mul(0x1234_5678_9abc_def1)
                    } else {
                        x
                    };
                    fit(other, Scalar::Int(x))
                }
            })
        })
        .expect("random shapes are small")
    }

    /// A new argument.
    pub fn input(&mut self, element: &ElementType, shape: &[i64]) -> Val {
        let specials = self.chance(20);
        let data = self.data(element, shape, specials);
        let v = self.fresh(tensor(element, shape), true, !specials);
        self.program.inputs.push((v.clone(), data));
        self.values.push(v.clone());
        v
    }

    /// An argument with small whole numbers in `range`, for indices.
    pub fn indices(&mut self, element: &ElementType, shape: &[i64], range: (i64, i64)) -> Val {
        let rng = &mut self.rng;
        let data = Tensor::build(element, shape, |_| {
            let x = rng.i64(range.0..=range.1);
            Ok(match element {
                ElementType::Bool => Scalar::Bool(x % 2 == 0),
                _ => fit(element, Scalar::Int(x.into())),
            })
        })
        .expect("random shapes are small");
        let v = self.fresh(tensor(element, shape), true, true);
        self.program.inputs.push((v.clone(), data));
        self.values.push(v.clone());
        v
    }

    /// A value that `fits`, the late ones more often.
    pub fn pick(&mut self, fits: impl Fn(&Val) -> bool) -> Option<Val> {
        let found: Vec<Val> = self.values.iter().filter(|v| fits(v)).cloned().collect();
        if found.is_empty() {
            return None;
        }
        let late = self.chance(60);
        let from = if late { found.len() * 2 / 3 } else { 0 };
        Some(found[self.rng.usize(from..found.len())].clone())
    }

    /// A value of this type: one that is there, or a new argument or constant.
    pub fn of_type(&mut self, ty: &TensorType) -> Val {
        if self.chance(70)
            && let Some(v) = self.pick(|v| v.ty == *ty)
        {
            return v;
        }
        let shape = ty.static_shape().unwrap_or_default();
        if self.chance(30) {
            self.constant(&ty.element, &shape)
        } else {
            self.input(&ty.element, &shape)
        }
    }

    /// A splat constant.
    pub fn constant(&mut self, element: &ElementType, shape: &[i64]) -> Val {
        let literal = match element {
            ElementType::Bool => self.one_of(&["true", "false"]).to_string(),
            ElementType::Float(_) => self.one_of(&["0.0", "1.0", "-2.0", "0.5", "3.0"]).into(),
            ElementType::Complex(_) => self.one_of(&["(1.0, 0.0)", "(0.5, -2.0)"]).into(),
            ElementType::Int { width: 2, .. } => self.one_of(&["0", "1"]).into(),
            _ => self.one_of(&["0", "1", "2", "3", "7"]).into(),
        };
        self.literal(element, shape, &literal)
    }

    /// A splat constant of this literal.
    pub fn literal(&mut self, element: &ElementType, shape: &[i64], literal: &str) -> Val {
        let ty = tensor(element, shape);
        let text =
            format!("\"stablehlo.constant\"() {{value = dense<{literal}> : {ty}}} : () -> {ty}");
        let v = self.fresh(ty, true, true);
        self.push(text, &[], vec![v.clone()]);
        v
    }

    /// A constant vector of i64.
    pub fn vector(&mut self, values: &[i64]) -> Val {
        let ty = tensor(&ElementType::int(64), &[values.len() as i64]);
        let text = if values.is_empty() {
            format!("\"stablehlo.constant\"() {{value = dense<> : {ty}}} : () -> {ty}")
        } else {
            format!(
                "\"stablehlo.constant\"() {{value = dense<{}> : {ty}}} : () -> {ty}",
                plain(values)
            )
        };
        let v = self.fresh(ty, true, true);
        self.push(text, &[], vec![v.clone()]);
        v
    }

    pub fn push(&mut self, text: String, uses: &[&Val], results: Vec<Val>) {
        self.values.extend(results.iter().cloned());
        self.program.steps.push(Step {
            text,
            names_results: false,
            uses: uses.iter().map(|v| v.name.clone()).collect(),
            results,
        });
    }

    /// `"stablehlo.name"(operands) regions attributes : types`
    pub fn op_text(
        name: &str,
        operands: &[&Val],
        regions: &str,
        attributes: &str,
        results: &[Val],
    ) -> String {
        let names: Vec<&str> = operands.iter().map(|v| v.name.as_str()).collect();
        let from: Vec<String> = operands.iter().map(|v| v.ty.to_string()).collect();
        let to: Vec<String> = results.iter().map(|v| v.ty.to_string()).collect();
        let to = match to.as_slice() {
            [one] => one.clone(),
            many => format!("({})", many.join(", ")),
        };
        let attributes = if attributes.is_empty() {
            String::new()
        } else {
            format!(" {{{attributes}}}")
        };
        let regions = if regions.is_empty() {
            String::new()
        } else {
            format!(" ({regions})")
        };
        format!(
            "\"stablehlo.{name}\"({}){regions}{attributes} : ({}) -> {to}",
            names.join(", "),
            from.join(", ")
        )
    }

    /// An operation of one result.
    pub fn emit(
        &mut self,
        name: &str,
        operands: &[&Val],
        attributes: &str,
        ty: TensorType,
        exact: bool,
        solid: bool,
    ) -> Val {
        let v = self.fresh(ty, exact && operands.iter().all(|o| o.exact), solid);
        let text = Self::op_text(name, operands, "", attributes, std::slice::from_ref(&v));
        self.push(text, operands, vec![v.clone()]);
        v
    }

    /// Moves elements of `x` (and may bring in those of `operands`): as exact and solid as they
    /// are.
    pub fn moved(
        &mut self,
        name: &str,
        operands: &[&Val],
        attributes: &str,
        ty: TensorType,
    ) -> Val {
        let solid = operands.iter().all(|v| v.solid);
        self.emit(name, operands, attributes, ty, true, solid)
    }
}
