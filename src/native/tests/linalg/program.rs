//! A program, evaluated by the interpreter and through linalg.

use super::engine::{Engine, TO_LLVM, WITHOUT_QUANTIZED};
use mapwright_codegen::{
    Options, emitters, in_place,
    linalg::{self, Mode},
};
use mapwright_interpret::{CHLO, Scalar, Tensor, Value};
use mapwright_mlir::{
    Attr, Builder, ElementType, FloatKind, Op, TensorType, Val, ValueType,
    context::context,
    diagnostic::Diagnostics,
    edit,
    melior::ir::{Module, ValueLike},
    op, pass,
};
use mapwright_native::pipeline::normalise_in_place;
use mapwright_normalize::{
    chlo, frontend,
    mhlo::{self, Direction},
};
use mapwright_ops::registry::DIALECTS;
use std::{collections::BTreeMap, fmt};

/// How many functions went which way.
#[derive(Default)]
pub struct Counts {
    /// Results compared with the interpreter's.
    pub compared: usize,
    /// Nothing was left of StableHLO by the pass alone.
    pub whole: usize,
    /// Reasons why functions were not compared.
    pub skipped: BTreeMap<String, usize>,
    /// Operations that the pass left.
    pub left: BTreeMap<String, usize>,
}

impl Counts {
    pub fn add(&mut self, other: &Self) {
        self.compared += other.compared;
        self.whole += other.whole;
        for (why, n) in &other.skipped {
            *self.skipped.entry(why.clone()).or_default() += n;
        }
        for (name, n) in &other.left {
            *self.left.entry(name.clone()).or_default() += n;
        }
    }

    fn skip(&mut self, why: &str) {
        *self.skipped.entry(why.into()).or_default() += 1;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} functions compared, {} of them linalg alone",
            self.compared, self.whole
        )?;
        for (why, n) in &self.skipped {
            write!(f, "\n  {n} skipped: {why}")?;
        }
        for (name, n) in &self.left {
            write!(f, "\n  {n} operations left: {name}")?;
        }
        Ok(())
    }
}

fn functions(module: Op<'_>) -> Vec<Op<'_>> {
    let mut all = module.body(0).map(op::ops).unwrap_or_default();
    all.retain(|function| function.name() == "func.func");
    all
}

fn named<'c>(module: Op<'c>, name: &str) -> Op<'c> {
    let mut all = functions(module).into_iter();
    all.find(|function| function.string("sym_name").as_deref() == Some(name))
        .unwrap()
}

fn is_check(op: Op<'_>) -> bool {
    let target = || op.string("call_target_name").unwrap_or_default();
    op.dialect() == "check" || (op.short_name() == "custom_call" && target().starts_with("check."))
}

/// What a check compares by the distance to what it should be.
fn before_difference(value: Val<'_>) -> Val<'_> {
    let made_by = |value, name| op::defining_op(value).filter(|(op, _)| op.is_hlo(name));
    let difference = made_by(value, "abs").and_then(|(abs, _)| made_by(abs.operand(0), "subtract"));
    match difference {
        Some((difference, _)) if op::is_constant(difference.operand(1)) => difference.operand(0),
        _ => value,
    }
}

/// Functions without arguments that check something return what they check; other functions that
/// call them are gone. The names, and the types of the results.
fn expose(module: Op<'_>) -> Vec<(String, Vec<TensorType>)> {
    let mut exposed = Vec::new();
    for function in functions(module) {
        let Some(body) = function.body(0) else {
            continue;
        };
        let checks: Vec<Op<'_>> = op::ops(body)
            .into_iter()
            .filter(|op| is_check(*op))
            .collect();
        let Some(end) = op::ops(body).last().copied() else {
            continue;
        };
        if checks.is_empty() || !op::arguments(body).is_empty() {
            continue;
        }
        let mut values = end.operands();
        values.extend(
            checks
                .iter()
                .map(|check| before_difference(check.operand(0))),
        );
        values.retain(|value| ValueType::from_mlir(value.r#type()).tensor().is_some());
        let b = Builder::before(end.context(), end).unwrap();
        b.ret(&values);
        for op in checks.into_iter().chain([end]) {
            edit::erase_unused(op);
        }
        let types: Vec<_> = values.iter().map(|value| value.r#type()).collect();
        let ty: Attr<'_> = b.type_attr(b.function_type(&[], &types));
        function.set_attribute("function_type", ty);
        function.remove_attribute("res_attrs");
        function.set_attribute("llvm.emit_c_interface", b.unit_attr());
        let types = types.into_iter().filter_map(|ty| TensorType::from_mlir(ty));
        exposed.push((function.string("sym_name").unwrap(), types.collect()));
    }
    for function in functions(module) {
        let calls = function.descendants().into_iter().any(|op| {
            let callee = op.symbol("callee");
            callee.is_some_and(|callee| exposed.iter().any(|(name, _)| *name == callee))
        });
        if calls {
            edit::erase_unused(function);
        }
    }
    exposed
}

/// What the interpreter gives.
fn interpreted(module: Op<'_>, name: &str) -> Result<Vec<Tensor>, String> {
    let values = mapwright_interpret::run(module, name, &[], &Default::default());
    let values = values.map_err(|error| error.to_string())?;
    let tensor = |value: Value| value.tensor().cloned().map_err(|e| e.to_string());
    values.into_iter().map(tensor).collect()
}

/// The module in the form that the interpreter reads.
fn for_interpreter(root: Op<'_>) -> Result<(), String> {
    frontend::legalize(root).map_err(|e| e.message)?;
    if root.descendants().iter().any(|op| op.dialect() == "mhlo") {
        mhlo::convert(root, Direction::ToStablehlo).map_err(|e| e.message)?;
    }
    for function in functions(root) {
        chlo::legalize(function, CHLO).map_err(|e| e.message)?;
    }
    Ok(())
}

fn hlo_in(op: Op<'_>) -> Vec<Op<'_>> {
    let mut found = op.descendants();
    found.retain(|op| DIALECTS.contains(&op.dialect()) || op.dialect() == "interpreter");
    found
}

/// Operations that are not in the LLVM dialect.
fn others_than_llvm(module: Op<'_>) -> usize {
    let mut all = module.descendants();
    all.retain(|op| op.dialect() != "llvm");
    if let Some(op) = all.first() {
        op.emit_error("is left by upstream's passes");
    }
    all.len()
}

/// Erases functions that hold StableHLO, and those that call them; why they do.
fn erase_left(module: Op<'_>) -> BTreeMap<String, String> {
    let mut gone = BTreeMap::new();
    loop {
        let next = functions(module).into_iter().find_map(|function| {
            let name = function.string("sym_name").unwrap();
            let left = hlo_in(function).first().map(|op| {
                let values = op.operands().into_iter().chain(op.results());
                let types = values.map(|value| ValueType::from_mlir(value.r#type()));
                let odd = types.filter_map(|ty| ty.tensor().cloned()).find(odd);
                odd.map_or_else(|| op.name().to_string(), |ty| kind_of(&ty))
            });
            let calls = || {
                let callees = function.descendants().into_iter();
                let mut callees = callees.filter_map(|op| op.symbol("callee"));
                callees.find_map(|callee| gone.get(&callee).cloned())
            };
            left.or_else(calls).map(|why| (function, name, why))
        });
        let Some((function, name, why)) = next else {
            return gone;
        };
        edit::erase_unused(function);
        gone.insert(name, why);
    }
}

fn odd(ty: &TensorType) -> bool {
    !kind_of(ty).is_empty()
}

/// What of a type has no form in upstream's tensors.
fn kind_of(ty: &TensorType) -> String {
    if ty
        .dims
        .iter()
        .any(|dim| matches!(dim, mapwright_mlir::Dim::Bounded(_)))
    {
        return "bounded sizes".into();
    }
    match &ty.element {
        ElementType::Float(FloatKind::TF32) => "elements of type tf32".into(),
        _ => String::new(),
    }
}

/// Evaluates the functions of a program by the interpreter, and lowered: to linalg and the rest in
/// place, or everything in place; what is wrong.
pub fn check(file: &str, source: &str, mode: Option<&Mode>) -> (Counts, Vec<String>) {
    let mut counts = Counts::default();
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let Ok(parsed) = diagnostics.parse(file, source.as_bytes()) else {
        counts.skip("cannot be parsed");
        return (counts, Vec::new());
    };
    let exposed = expose(Op::new(parsed.as_operation()));
    if exposed.is_empty() {
        counts.skip("nothing is checked");
        return (counts, Vec::new());
    }
    let failed = |why: String| vec![format!("{file}: {why}")];
    let reference = edit::clone_module(Op::new(parsed.as_operation()));
    if for_interpreter(Op::new(reference.as_operation())).is_err() {
        counts.skip("the interpreter does not read it");
        return (counts, Vec::new());
    }
    if mode.is_some_and(|mode| mode.fuse) && !differs_in_regions(Op::new(parsed.as_operation())) {
        counts.skip("has no region of several operations");
        return (counts, Vec::new());
    }
    let mut copy = edit::clone_module(Op::new(parsed.as_operation()));
    let gone = match lowered(&mut copy, mode, &mut counts) {
        Ok(gone) => gone,
        Err(why) => return (counts, failed(format!("{why} {}", diagnostics.take()))),
    };
    if !Op::new(copy.as_operation()).verify() || others_than_llvm(Op::new(copy.as_operation())) > 0
    {
        return (counts, failed(diagnostics.take()));
    }
    let engine = Engine::new(&copy);
    let mut failures = Vec::new();
    for (name, types) in exposed {
        if let Some(why) = gone.get(&name) {
            counts.skip(why);
            continue;
        }
        if hlo_in(named(Op::new(reference.as_operation()), &name))
            .iter()
            .any(|op| op.is_hlo("rng"))
        {
            counts.skip("random numbers");
            continue;
        }
        let expected = match interpreted(Op::new(reference.as_operation()), &name) {
            Ok(expected) => expected,
            Err(why) => {
                counts.skip(&format!(
                    "the interpreter: {}",
                    why.chars().take(60).collect::<String>()
                ));
                continue;
            }
        };
        if std::env::var_os("LINALG_ONLY").is_some() {
            eprintln!("{file} @{name}");
        }
        let found = engine.run(&name, &types);
        counts.compared += 1;
        for (i, (a, b)) in found.iter().zip(&expected).enumerate() {
            if let Err(why) = agree(a, b) {
                failures.push(format!("{file} @{name}, result {i}: {why}"));
            }
        }
    }
    (counts, failures)
}

/// Lowers to the LLVM dialect; functions that cannot be are gone.
fn lowered(
    module: &mut Module<'_>,
    mode: Option<&Mode>,
    counts: &mut Counts,
) -> Result<BTreeMap<String, String>, String> {
    let root = Op::new(module.as_operation());
    match mode {
        Some(mode) => as_linalg(root, mode, counts)?,
        None => normalise_in_place(root, &[]).map_err(|error| error.to_string())?,
    }
    let rest = in_place::Mode {
        partial: true,
        threads: in_place::Threads::None,
        chooses_regions: false,
        function_attributes: Vec::new(),
    };
    in_place::lower(root, &Options::default(), &emitters(), &rest)
        .map_err(|failures| failures[0].message.clone())?;
    let gone = erase_left(root);
    let fails = |_| "upstream's passes fail".to_string();
    if root
        .descendants()
        .iter()
        .any(|op| op.name() == "quant.scast")
    {
        pass::run_pipeline(module, WITHOUT_QUANTIZED).map_err(fails)?;
    }
    pass::run_pipeline(module, TO_LLVM).map_err(fails)?;
    Ok(gone)
}

/// Is a module another one in linalg where regions become one operation? Machine code of the same
/// takes longest, and says nothing new.
fn differs_in_regions(module: Op<'_>) -> bool {
    let in_linalg = |fuse| {
        let copy = edit::clone_module(module);
        let root = Op::new(copy.as_operation());
        let mode = Mode {
            partial: true,
            fuse,
        };
        let done = as_linalg(root, &mode, &mut Counts::default());
        done.map(|()| copy.as_operation().to_string())
    };
    in_linalg(true) != in_linalg(false)
}

/// Rewrites what has a form in linalg.
fn as_linalg(root: Op<'_>, mode: &Mode, counts: &mut Counts) -> Result<(), String> {
    let off = [
        "computed-padding",
        "convolutions",
        "few-output-channels",
        "lhs-dilation",
        "long-windows",
        "small-products",
    ];
    let off: Vec<String> = off.iter().map(ToString::to_string).collect();
    normalise_in_place(root, &off).map_err(|error| error.to_string())?;
    linalg::legalize(root, mode).map_err(|failures| failures[0].message.clone())?;
    for function in functions(root) {
        let left = hlo_in(function);
        counts.whole +=
            usize::from(left.is_empty() && function.attribute("llvm.emit_c_interface").is_some());
        for op in left {
            let inside = op
                .parent()
                .is_some_and(|op| DIALECTS.contains(&op.dialect()));
            let values = op.operands().into_iter().chain(op.results());
            let types = values.map(|value| ValueType::from_mlir(value.r#type()));
            let is_odd = types
                .filter_map(|ty| ty.tensor().cloned())
                .any(|ty| odd(&ty));
            if !inside && !is_odd && !op.is_hlo("constant") && op.dialect() != "interpreter" {
                *counts.left.entry(op.name().into()).or_default() += 1;
            }
        }
    }
    if root.verify() {
        Ok(())
    } else {
        Err("is not valid as linalg".into())
    }
}

/// Are both the same but for rounding?
fn agree(found: &Tensor, expected: &Tensor) -> Result<(), String> {
    if found.shape != expected.shape {
        return Err(format!("shape {:?}, not {:?}", found.shape, expected.shape));
    }
    let kind = match &expected.element {
        ElementType::Float(kind) | ElementType::Complex(kind) => *kind,
        _ => FloatKind::F64,
    };
    let tolerance = match kind {
        FloatKind::F64 => 1e-10,
        FloatKind::F32 => 2e-5,
        FloatKind::F16 => 4e-3,
        FloatKind::BF16 => 3e-2,
        // Few bits, which formulas of several steps round at each.
        _ => 0.5,
    };
    let parts = |x: &Scalar| match *x {
        Scalar::Real(x) => Some((x, 0.0)),
        Scalar::Complex(re, im) => Some((re, im)),
        _ => None,
    };
    // Sums that cancel are as exact as their terms; so are, with few bits, formulas of several
    // steps.
    let share = if kind.width() < 32 { 0.2 } else { 1e-2 };
    let magnitude = |x: &Scalar| parts(x).map_or(0.0, |(re, im)| re.hypot(im));
    let all = expected
        .data
        .iter()
        .map(magnitude)
        .filter(|x| x.is_finite());
    let largest = all.fold(0.0, f64::max);
    for (i, (x, y)) in found.data.iter().zip(&expected.data).enumerate() {
        let same = match (parts(x), parts(y)) {
            (Some(a), Some(b)) => {
                let near = |a: f64, b: f64| {
                    // Beside an infinite part the other one is a number by itself.
                    let own = Some(magnitude(y)).filter(|size| size.is_finite());
                    let own = own.unwrap_or(b.abs());
                    let room = tolerance * (own + share * largest.min(1e300));
                    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= room && own.is_finite()
                };
                near(a.0, b.0) && near(a.1, b.1)
            }
            _ => x == y,
        };
        if !same {
            return Err(format!(
                "element {i} is {x:?}, not {y:?} ({})",
                expected.element
            ));
        }
    }
    Ok(())
}
