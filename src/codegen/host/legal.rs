//! The steps that the schedule of a region may have: each is stated, and its emitter says whether
//! it is legal.

use super::targeted;
use crate::emitter::{EmitContext, Emitter, Options};
use mapwright_mlir::{
    Builder, Op, ValueType,
    melior::ir::{Module, ValueLike},
    op,
};
use mapwright_ops::schedules;
use mapwright_schedule::{Operand, PRIMITIVES, Primitive, Schedule, Step};

/// Numbers that are tried, in this order.
const NUMBERS: [i64; 7] = [8, 4, 2, 1, 16, 32, 64];

/// Loops of a reduction that are tried.
const REDUCED: usize = 4;

/// The loops of a product.
const OF_PRODUCTS: [&str; 3] = ["m", "mo", "n"];

/// The steps that each region of `module` with a schedule may have beside its own, or in the place
/// of one of the same primitive; of each with the first numbers that are legal.
pub fn legal_steps<'c>(
    module: Op<'c>,
    options: &Options,
    emitters: &[&dyn Emitter],
) -> Vec<(Op<'c>, Vec<Step>)> {
    let mut found = Vec::new();
    for fusion in module.descendants() {
        if fusion.name() != "indexing.fusion" {
            continue;
        }
        let Ok(Some(schedule)) = schedules::stated(fusion) else {
            continue;
        };
        let named = |emitter: &&&dyn Emitter| emitter.name() == schedule.emitter;
        if let Some(emitter) = emitters.iter().find(named) {
            found.push((fusion, of_region(fusion, &schedule, *emitter, options)));
        }
    }
    found
}

fn of_region(
    fusion: Op<'_>,
    schedule: &Schedule,
    emitter: &dyn Emitter,
    options: &Options,
) -> Vec<Step> {
    let scratch = Module::new(fusion.location());
    let body = mapwright_mlir::block(&scratch.body());
    let module = Builder::new(fusion.context(), body, fusion.location());
    let module = targeted(module, options);
    let cx = EmitContext {
        context: module.context(),
        module: &module,
        options,
    };
    let mut kernels = 0;
    let mut is_legal = |steps: Vec<Step>| {
        let emitter_name = schedule.emitter.clone();
        let trial = Schedule {
            emitter: emitter_name,
            steps,
        };
        fusion.set_attribute(schedules::SCHEDULE, schedules::attribute(&module, &trial));
        kernels += 1;
        emitter
            .emit(&cx, fusion, &format!("trial_{kernels}"))
            .is_ok()
    };
    let mut found = Vec::new();
    for primitive in PRIMITIVES {
        if !primitive.emitters.contains(&schedule.emitter.as_str()) {
            continue;
        }
        for operand in operands(primitive, fusion) {
            let steps = numbers(primitive.numbers.least).map(|numbers| Step {
                primitive,
                operand: operand.clone(),
                numbers,
            });
            let mut new = steps.filter(|step| !schedule.steps.contains(step));
            found.extend(new.find(|step| trials(schedule, step).any(&mut is_legal)));
        }
    }
    fusion.set_attribute(schedules::SCHEDULE, schedules::attribute(&module, schedule));
    found
}

/// The steps of `schedule` with `step` among them: in the place of each of the same primitive, and
/// behind all.
fn trials<'a>(schedule: &'a Schedule, step: &'a Step) -> impl Iterator<Item = Vec<Step>> + 'a {
    let same = |(_, other): &(usize, &Step)| other.primitive == step.primitive;
    let places = schedule.steps.iter().enumerate().filter(same);
    let replaced = places.map(|(place, _)| {
        let mut steps = schedule.steps.clone();
        steps[place] = step.clone();
        steps
    });
    let behind = schedule.steps.iter().chain([step]).cloned().collect();
    replaced.chain([behind])
}

/// Lists of `count` numbers.
fn numbers(count: usize) -> impl Iterator<Item = Vec<i64>> {
    let all = NUMBERS.len().pow(count as u32);
    (0..all).map(move |mut number| {
        let mut digits = Vec::new();
        for _ in 0..count {
            digits.push(NUMBERS[number % NUMBERS.len()]);
            number /= NUMBERS.len();
        }
        digits
    })
}

/// Returns operands that a primitive may be applied to in a region; some of them are not there.
fn operands(primitive: &Primitive, fusion: Op<'_>) -> Vec<Option<String>> {
    let loops = || {
        let ranks = fusion.results().into_iter().map(|result| {
            match ValueType::from_mlir(result.r#type()) {
                ValueType::Tensor(tensor) => tensor.rank(),
                _ => 0,
            }
        });
        let rank = ranks.max().unwrap_or(0);
        let results = (0..rank).map(|d| format!("d{d}"));
        let reduced = (0..REDUCED).map(|r| format!("r{r}"));
        let of_products = OF_PRODUCTS.map(str::to_owned);
        results
            .chain(reduced)
            .chain(of_products)
            .map(Some)
            .collect::<Vec<_>>()
    };
    match primitive.operand {
        Operand::None => vec![None],
        Operand::Loop => loops(),
        Operand::OptionalLoop => loops().into_iter().chain([None]).collect(),
        Operand::Value => {
            let members = fusion.body(0).map(op::ops).unwrap_or_default();
            let arguments = (0..fusion.num_operands()).map(|k| format!("a{k}"));
            let values = (0..members.len().saturating_sub(1)).map(|k| format!("v{k}"));
            arguments.chain(values).map(Some).collect()
        }
    }
}
