//! A program as a list of steps, evaluated both ways; and made small when the ways differ.

use mapwright_interpret::{Extreme, Options, Scalar, Tensor, Value, formats, run};
use mapwright_mlir::{ElementType, Op, TensorType, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable, ExecuteOptions};
use mapwright_normalize::partition::partition;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

use super::times;

/// A value of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Val {
    /// `%v3`.
    pub name: String,
    /// Type.
    pub ty: TensorType,
    /// Every implementation gives these bits: no transcendental function and no sum of floats in an
    /// order of its own is in it.
    pub exact: bool,
    /// Has no NaN (whose bits nobody determines).
    pub solid: bool,
}

impl Val {
    pub fn shape(&self) -> Vec<i64> {
        self.ty.static_shape().unwrap_or_default()
    }
}

/// One operation.
#[derive(Clone, Debug)]
pub struct Step {
    /// As text, without the names of the results.
    pub text: String,
    /// The text is one of several operations and says itself what is what.
    pub names_results: bool,
    pub results: Vec<Val>,
    /// Names of the values it takes, also inside of regions.
    pub uses: Vec<String>,
}

/// A function.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub inputs: Vec<(Val, Tensor)>,
    pub steps: Vec<Step>,
    pub outputs: Vec<Val>,
    /// Is every load and store of the native code checked?
    pub bounds_checks: bool,
    /// Threads that run it; 0 counts as one.
    pub threads: usize,
    /// How it is divided among devices, if it runs on several.
    pub sharded: Option<Sharded>,
}

/// A mesh of devices, and along which axes of it each dimension of some values is split.
#[derive(Clone, Debug, Default)]
pub struct Sharded {
    pub mesh: Vec<i64>,
    pub axes: BTreeMap<String, Vec<Vec<usize>>>,
}

impl Sharded {
    /// Shardy's sharding of a value.
    fn sharding_of(&self, value: &Val) -> Option<String> {
        let dims = self.axes.get(&value.name)?.iter();
        let dims: Vec<String> = dims
            .map(|axes| {
                let axes: Vec<String> = axes.iter().map(|axis| format!("\"a{axis}\"")).collect();
                format!("{{{}}}", axes.join(", "))
            })
            .collect();
        Some(format!("<@mesh, [{}]>", dims.join(", ")))
    }
}

/// What came of a comparison.
pub enum Outcome {
    Same,
    /// They agree, but for so many elements of which rounding, or the order of evaluation, decides
    /// whether they are finite: both are left open by the program.
    Undecided(u64),
    /// One of the two did not want the program.
    Refused(String),
    Differs(String),
}

impl std::fmt::Display for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text())?;
        for (i, (_, tensor)) in self.inputs.iter().enumerate() {
            let shown: Vec<String> = tensor
                .data
                .iter()
                .take(40)
                .map(|x| format!("{x:?}"))
                .collect();
            writeln!(f, "// argument {i}: {}", shown.join(" "))?;
        }
        Ok(())
    }
}

impl Program {
    /// As MLIR.
    pub fn text(&self) -> String {
        self.text_for(self.sharded.as_ref())
    }

    /// As MLIR, for one device or with shardings.
    fn text_for(&self, sharded: Option<&Sharded>) -> String {
        let said = |v: &Val| sharded.and_then(|sharded| sharded.sharding_of(v));
        let attribute = |v: &Val| {
            let said = said(v).map(|text| format!(" {{sdy.sharding = #sdy.sharding{text}}}"));
            said.unwrap_or_default()
        };
        let arguments: Vec<String> = self
            .inputs
            .iter()
            .map(|(v, _)| format!("{}: {}{}", v.name, v.ty, attribute(v)))
            .collect();
        let types: Vec<String> = self.outputs.iter().map(|v| v.ty.to_string()).collect();
        let given = self.outputs.iter();
        let given: Vec<String> = given.map(|v| format!("{}{}", v.ty, attribute(v))).collect();
        let names: Vec<&str> = self.outputs.iter().map(|v| v.name.as_str()).collect();
        let mut text = format!(
            "func.func @main({}) -> ({}) {{\n",
            arguments.join(", "),
            given.join(", ")
        );
        if let Some(sharded) = sharded {
            let axes = sharded.mesh.iter().enumerate();
            let axes: Vec<String> = axes.map(|(i, n)| format!("\"a{i}\"={n}")).collect();
            text = format!("sdy.mesh @mesh = <[{}]>\n{text}", axes.join(", "));
        }
        for step in &self.steps {
            if step.names_results {
                text += &step.text;
                continue;
            }
            let results: Vec<&str> = step.results.iter().map(|v| v.name.as_str()).collect();
            if let ([one], [name]) = (&step.results[..], &results[..])
                && let Some(said) = said(one)
            {
                let (ty, made) = (&one.ty, format!("{name}_made"));
                text += &format!("  {made} = {}\n", step.text);
                text += &format!("  {name} = sdy.sharding_constraint {made} {said} : {ty}\n");
                continue;
            }
            text += &format!("  {} = {}\n", results.join(", "), step.text);
        }
        text + &format!("  return {} : {}\n}}\n", names.join(", "), types.join(", "))
    }

    fn parsed<T>(
        &self,
        work: impl for<'c> FnOnce(Op<'c>) -> Result<T, String>,
    ) -> Result<T, String> {
        Self::read(&self.text_for(None), work)
    }

    fn read<T>(
        text: &str,
        work: impl for<'c> FnOnce(Op<'c>) -> Result<T, String>,
    ) -> Result<T, String> {
        let start = Instant::now();
        let context = context();
        let diagnostics = Diagnostics::to_text(&context);
        let module = diagnostics
            .parse("program", text.as_bytes())
            .map_err(|_| diagnostics.take())?;
        times::add("parse", start.elapsed());
        work(Op::new(module.as_operation())).map_err(|why| format!("{} {why}", diagnostics.take()))
    }

    /// What the interpreter gives, moved by the seed where that is allowed.
    pub fn reference(&self, jitter: Option<u64>) -> Result<Vec<Tensor>, String> {
        self.parsed(|module| self.evaluated(module, jitter, None))
    }

    fn evaluated(
        &self,
        module: Op<'_>,
        jitter: Option<u64>,
        extreme: Option<Extreme>,
    ) -> Result<Vec<Tensor>, String> {
        let start = Instant::now();
        let inputs: Vec<Value> = self
            .inputs
            .iter()
            .map(|(_, t)| Value::Tensor(t.clone()))
            .collect();
        let options = Options {
            jitter,
            extreme,
            steps: 20_000_000,
            ..Options::default()
        };
        let found = run(module, "main", &inputs, &options).map_err(|e| e.to_string())?;
        times::add("interpret", start.elapsed());
        found
            .iter()
            .map(|v| v.tensor().cloned().map_err(|e| e.to_string()))
            .collect()
    }

    /// What native code gives.
    fn native(&self, module: Op<'_>) -> Result<Vec<Tensor>, String> {
        let options = CompileOptions {
            threads: self.threads.max(1),
            bounds_checks: self.bounds_checks,
            ..CompileOptions::default()
        };
        if let Some(sharded) = &self.sharded {
            let text = self.text_for(Some(sharded));
            return Self::read(&text, |module| self.on_devices(module, &options));
        }
        let executable = Executable::compile(module, &options).map_err(|e| e.to_string())?;
        for (stage, time) in &executable.statistics().stages {
            times::add(stage, *time);
        }
        let inputs = self.taken()?;
        let before: Vec<Vec<u8>> = inputs.iter().map(|t| t.bytes().to_vec()).collect();
        let taken: Vec<&mapwright_native::Tensor> = inputs.iter().collect();
        let found = executable
            .execute(&taken, &ExecuteOptions::default())
            .map_err(|e| e.to_string())?;
        if inputs.iter().zip(&before).any(|(t, b)| t.bytes() != b) {
            return Err("WRONG: an argument was written to".into());
        }
        given(&found)
    }

    /// What the program of one device gives on all of them.
    fn on_devices(&self, module: Op<'_>, options: &CompileOptions) -> Result<Vec<Tensor>, String> {
        let inner = module.descendants().into_iter();
        let function = inner.filter(|op| op.name() == "func.func").last();
        let function = function.ok_or("there is no function")?;
        let most = CompileOptions::MOST_OPERATIONS;
        let start = Instant::now();
        let made = partition(module, function, 0, most).map_err(|e| e.to_string())?;
        times::add("partition", start.elapsed());
        for remark in &made.remarks {
            times::count(remark.text.split(' ').next().unwrap_or_default());
        }
        if !module.verify() {
            return Err("the program of one device is not well-formed".into());
        }
        let executable = Executable::compile(module, options).map_err(|e| e.to_string())?;
        let inputs = self.taken()?;
        let taken: Vec<&mapwright_native::Tensor> = inputs.iter().collect();
        let found = executable
            .execute_sharded(
                None,
                &taken,
                &made.placement,
                std::time::Duration::from_secs(600),
                &ExecuteOptions::default(),
            )
            .map_err(|e| e.to_string())?;
        given(&found)
    }

    /// The arguments, as native code takes them.
    fn taken(&self) -> Result<Vec<mapwright_native::Tensor>, String> {
        let inputs = self.inputs.iter();
        inputs
            .map(|(_, t)| mapwright_native::Tensor::new(&t.element, &t.shape, &t.to_bytes()))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|e| e.to_string())
    }

    /// Native code against the interpreter.
    pub fn outcome(&self) -> Outcome {
        let found = self.parsed(|module| {
            let reference = match self.evaluated(module, None, None) {
                Ok(found) => found,
                Err(why) => {
                    let why = format!("by the interpreter: {why}\n{}", self.text());
                    return Ok(Outcome::Refused(why));
                }
            };
            let native = match self.native(module) {
                Ok(found) => found,
                Err(why) => return Ok(Outcome::Differs(format!("native code fails: {why}"))),
            };
            let exact = self.outputs.iter().all(|v| v.exact);
            let moved = |seeds: std::ops::RangeInclusive<u64>| -> Vec<Vec<Tensor>> {
                seeds
                    .filter(|_| !exact)
                    .filter_map(|s| self.evaluated(module, Some(s), None).ok())
                    .collect()
            };
            let mut shown = moved(1..=4);
            let mut why = differ(&reference, &native, &shown, &self.outputs);
            if why.is_some() && !exact {
                // A few seeds may move two values by nearly the same; many do not.
                shown.extend(moved(5..=40));
                why = differ(&reference, &native, &shown, &self.outputs);
            }
            if why.is_some() && !exact {
                let ends: Vec<Vec<Tensor>> = Extreme::ALL
                    .iter()
                    .filter_map(|e| self.evaluated(module, None, Some(*e)).ok())
                    .collect();
                shown.extend(ends);
                why = differ(&reference, &native, &shown, &self.outputs);
            }
            Ok(match why {
                Some(why) => Outcome::Differs(why),
                None => match undecided(&reference, &native, &self.outputs) {
                    0 => Outcome::Same,
                    count => Outcome::Undecided(count),
                },
            })
        });
        found.unwrap_or_else(|why| Outcome::Refused(format!("by the parser: {why}")))
    }

    fn wrong(&self) -> bool {
        matches!(self.outcome(), Outcome::Differs(_))
    }

    /// A program with fewer steps that is wrong as well.
    pub fn minimised(&self) -> Program {
        let mut best = self.clone();
        for output in &self.outputs {
            let one = Program {
                outputs: vec![output.clone()],
                ..best.clone()
            }
            .cleaned();
            if one.wrong() {
                best = one;
                break;
            }
        }
        // An earlier value alone, then steps replaced by their results, until neither helps.
        loop {
            let mut smaller = None;
            for step in &best.steps {
                for result in &step.results {
                    let one = Program {
                        outputs: vec![result.clone()],
                        ..best.clone()
                    }
                    .cleaned();
                    if one.steps.len() < best.steps.len() && one.wrong() {
                        smaller = Some(one);
                        break;
                    }
                }
                if smaller.is_some() {
                    break;
                }
            }
            if smaller.is_none() {
                for i in 0..best.steps.len() {
                    if let Some(one) = best.without(i)
                        && one.wrong()
                    {
                        smaller = Some(one);
                        break;
                    }
                }
            }
            match smaller {
                Some(one) => best = one,
                None => return best,
            }
        }
    }

    /// Step `i` replaced by arguments that hold its results.
    fn without(&self, i: usize) -> Option<Program> {
        let step = &self.steps[i];
        let asked = Program {
            outputs: step.results.clone(),
            ..self.clone()
        };
        let values = asked.cleaned().reference(None).ok()?;
        let mut program = self.clone();
        program.steps.remove(i);
        for (result, value) in step.results.iter().zip(values) {
            program.inputs.push((result.clone(), value));
        }
        let shown: BTreeSet<&str> = program.outputs.iter().map(|v| v.name.as_str()).collect();
        if step.results.iter().any(|v| shown.contains(v.name.as_str())) {
            return None;
        }
        // Arguments are as exact as it gets.
        Some(program.cleaned())
    }

    /// Without steps and arguments that no output needs.
    fn cleaned(mut self) -> Program {
        let mut needed: BTreeSet<String> = self.outputs.iter().map(|v| v.name.clone()).collect();
        let mut kept = Vec::new();
        for step in self.steps.into_iter().rev() {
            if step.results.iter().any(|v| needed.contains(&v.name)) {
                needed.extend(step.uses.iter().cloned());
                kept.push(step);
            }
        }
        kept.reverse();
        self.steps = kept;
        self.inputs.retain(|(v, _)| needed.contains(&v.name));
        self
    }
}

/// Results of native code, as the interpreter has them.
fn given(found: &[mapwright_native::Tensor]) -> Result<Vec<Tensor>, String> {
    let found = found.iter();
    found
        .map(|t| Tensor::from_bytes(t.element(), t.shape(), t.bytes()).map_err(|e| e.to_string()))
        .collect()
}

/// One unit in the last place of 1.
fn epsilon(element: &ElementType) -> f64 {
    use mapwright_mlir::FloatKind::*;
    match element {
        ElementType::Float(F64) | ElementType::Complex(F64) => f64::EPSILON,
        ElementType::Float(F32) | ElementType::Complex(F32) => f64::from(f32::EPSILON),
        ElementType::Float(F16) => formats::power(-10),
        ElementType::Float(BF16) => formats::power(-7),
        _ => 0.25,
    }
}

/// A few of the smallest numbers of the format.
fn least(element: &ElementType) -> f64 {
    match element {
        ElementType::Float(kind) | ElementType::Complex(kind) => 4.0 * formats::from_bits(*kind, 1),
        _ => 0.0,
    }
}

/// Are both finite, or both the same infinity, or neither a number?
fn alike(x: f64, y: f64) -> bool {
    if x.is_finite() || x.is_nan() {
        x.is_nan() == y.is_nan() && x.is_infinite() == y.is_infinite()
    } else {
        x == y
    }
}

/// How many elements are finite in one of the two and not in the other.
fn undecided(reference: &[Tensor], native: &[Tensor], outputs: &[Val]) -> u64 {
    let differs = |x: &Scalar, y: &Scalar| match (x, y) {
        (Scalar::Real(x), Scalar::Real(y)) => !alike(*x, *y),
        (Scalar::Complex(a, b), Scalar::Complex(c, d)) => !alike(*a, *c) || !alike(*b, *d),
        _ => false,
    };
    let pairs = reference.iter().zip(native).zip(outputs);
    pairs
        .filter(|(_, v)| !v.exact)
        .map(|((a, b), _)| {
            let elements = a.data.iter().zip(&b.data);
            elements.filter(|(x, y)| differs(x, y)).count() as u64
        })
        .sum()
}

/// What differs, in words. Exact values must have the same bits (any NaN is NaN); others may be as
/// far away as the interpreter's own results are among each other, many times over.
pub fn differ(
    reference: &[Tensor],
    native: &[Tensor],
    moved: &[Vec<Tensor>],
    outputs: &[Val],
) -> Option<String> {
    for (k, (a, b)) in reference.iter().zip(native).enumerate() {
        if a.shape != b.shape || a.element != b.element {
            return Some(format!("result {k} is a {}, not a {}", b.ty(), a.ty()));
        }
        let exact = outputs.get(k).is_none_or(|v| v.exact);
        for i in 0..a.data.len() {
            let near = |part: &dyn Fn(Scalar) -> f64| {
                let (x, y) = (part(a.data[i]), part(b.data[i]));
                let same = x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
                if same || exact {
                    return same;
                }
                let mut spread = 0f64;
                for m in moved {
                    let z = part(m[k].data[i]);
                    // Where the interpreter itself is not sure whether it is a number, nothing is
                    // compared.
                    if !alike(x, z) {
                        return true;
                    }
                    if z.is_finite() {
                        spread = spread.max((z - x).abs());
                    }
                }
                let units = epsilon(&a.element) * x.abs() * 4.0;
                // Near zero the format ends.
                (x - y).abs() <= 8.0 * spread + units + least(&a.element)
            };
            let agree = match a.data[i] {
                Scalar::Real(_) => near(&|x| x.real().unwrap_or(f64::NAN)),
                Scalar::Complex(..) => {
                    near(&|x| x.complex().map_or(f64::NAN, |x| x.0))
                        && near(&|x| x.complex().map_or(f64::NAN, |x| x.1))
                }
                _ => a.data[i] == b.data[i],
            };
            if !agree {
                let apart: Vec<String> = moved
                    .iter()
                    .map(|m| format!("{:?}", m[k].data[i]))
                    .collect();
                return Some(format!(
                    "result {k}{}, element {i} of {}: {:?} where the interpreter has {:?} {}",
                    if exact { " (exact)" } else { "" },
                    a.ty(),
                    b.data[i],
                    a.data[i],
                    apart.join(" ")
                ));
            }
        }
    }
    None
}
