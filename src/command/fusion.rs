//! `mapwright fusion`: the regions that a program is compiled in.

use super::{
    failure::reported,
    input::{Source, public_functions},
    output::{self, Files, different},
    regions,
};
use crate::{
    fusion::{
        outline::{BlockPlan, plan_blocks},
        plan::{Item, Region},
    },
    mlir::{
        Blk, Builder, Op, TensorType, Val,
        diagnostic::location_text,
        edit,
        labels::Numbering,
        melior::ir::ValueLike,
        op::{self, label},
    },
    native::{
        CompileOptions,
        pipeline::{fuse, legal_steps, normalise, schedule},
    },
};
use clap::Args;
use mapwright_normalize::sizes::{Described, SizeTexts, grouped, names_of_arguments};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    fmt::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// The regions that would be formed, and why the others were not.
#[derive(Args)]
pub(crate) struct Fusion {
    /// The program, or `-` for standard input
    file: String,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
    /// Writes a picture of the regions, and of what one hands to another
    #[arg(long, value_name = "OUT.svg")]
    svg: Option<PathBuf>,
    /// Also the steps that the schedule of each region may have beside its own: each is tried
    #[arg(long)]
    steps: bool,
    /// Writes a page that draws the regions, and shows bytes, schedule and reasons of each
    #[arg(long, value_name = "OUT.html")]
    html: Option<PathBuf>,
}

impl Fusion {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let mut paths = vec![Path::new(&self.file)];
        paths.extend(self.svg.as_deref());
        paths.extend(self.html.as_deref());
        different(&paths)?;
        let source = Source::read(&self.file)?;
        let found = source.parse(|_, module| answer(Op::new(module.as_operation()), self.steps))?;
        let mut files = Files::default();
        if let Some(path) = &self.svg {
            files.write(path, regions::svg(&found).as_bytes())?;
        }
        if let Some(path) = &self.html {
            files.write(path, regions::page(&found).as_bytes())?;
        }
        files.commit()?;
        if paths.len() > 1 && !self.json {
            return Ok(ExitCode::SUCCESS);
        }
        if self.json {
            output::print_json(&json!({ "functions": found }))?;
        } else {
            output::print(&text(&found))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The plans of the public functions of a module as JSON, one document a function. The module is
/// brought into the form that regions are made of. With `steps` each region has those that its
/// schedule may have, too.
///
/// # Errors
/// What cannot be compiled, diagnosed at its place.
pub fn answer(root: Op<'_>, steps: bool) -> anyhow::Result<Vec<Value>> {
    let names = public_functions(root);
    let of_arguments = |function: &Op<'_>| names_of_arguments(*function);
    let named: Vec<Described> = functions(root, &names).iter().map(of_arguments).collect();
    normalise(root, &names, &[], CompileOptions::MOST_OPERATIONS).map_err(reported)?;
    // Regions are formed, and their schedules chosen, in a copy.
    let copy = edit::clone_module(root);
    let scheduled = Op::new(copy.as_operation());
    fuse(scheduled, &names, &[]);
    schedule(scheduled, &CompileOptions::default());
    let legal = if steps {
        legal_steps(scheduled, &CompileOptions::default())
    } else {
        Vec::new()
    };
    let legal: HashMap<Op<'_>, Vec<String>> = legal.into_iter().collect();
    let copies = functions(scheduled, &names);
    Ok(functions(root, &names)
        .into_iter()
        .zip(named)
        .map(|(op, named)| {
            let same = |copy: &&Op<'_>| copy.string("sym_name") == op.string("sym_name");
            let copy = copies.iter().find(same);
            let formed = copy.map(|copy| formed(*copy, &legal)).unwrap_or_default();
            function(op, &named, formed)
        })
        .collect())
}

/// The functions of these names at the top of a module.
fn functions<'c>(module: Op<'c>, names: &[String]) -> Vec<Op<'c>> {
    let named = |op: &Op<'c>| {
        op.string("sym_name")
            .is_some_and(|name| names.contains(&name))
    };
    let all = module.body(0).map(op::ops).unwrap_or_default();
    all.into_iter().filter(named).collect()
}

/// The body of a function and the bodies of its control flow: what a reduction computes is a part
/// of its region.
fn blocks(function: Op<'_>) -> Vec<Blk<'_>> {
    let mut found: Vec<Blk<'_>> = function.body(0).into_iter().collect();
    for op in function.descendants() {
        if crate::ops::registry::lookup(op).is_some_and(|def| def.family == "control") {
            for i in 0..op.num_regions() {
                found.extend(op::blocks(op.region(i)));
            }
        }
    }
    found
}

/// Schedule of a region that is formed.
#[derive(Clone)]
struct Formed {
    schedule: String,
    /// Other steps that its schedule may have, where they are asked for.
    steps: Vec<String>,
}

/// The regions of a function that are formed, by its blocks, in the order in which they run;
/// `legal`: their steps. A region of several stages has a schedule, or each of its stages has one.
fn formed<'c>(function: Op<'c>, legal: &HashMap<Op<'c>, Vec<String>>) -> Vec<Vec<Formed>> {
    let of = |fusion: Op<'_>| {
        let text = fusion.attribute("schedule")?.to_string();
        let text = text.strip_prefix("#indexing.schedule<")?;
        Some(text.strip_suffix('>')?.to_owned())
    };
    let of_region = |fusion: Op<'c>| {
        let stages = fusion.descendants();
        let all = [fusion].into_iter().chain(stages.iter().copied());
        let steps = all.filter_map(|own| legal.get(&own)).flatten().cloned();
        let schedule = of(fusion).unwrap_or_else(|| {
            let each: Vec<String> = stages.iter().copied().filter_map(of).collect();
            each.join("; ")
        });
        Formed {
            schedule,
            steps: steps.collect(),
        }
    };
    let of_block = |block| {
        let regions = op::ops(block).into_iter();
        let regions = regions.filter(|op| op.name() == "indexing.fusion");
        regions.map(of_region).collect()
    };
    blocks(function).into_iter().map(of_block).collect()
}

/// The plans of the blocks of a function; `names`: of the sizes of its arguments, `formed`: their
/// regions, formed.
fn function(function: Op<'_>, names: &Described, formed: Vec<Vec<Formed>>) -> Value {
    let blocks = blocks(function);
    let mut plans = Vec::new();
    if let Some(body) = blocks.first() {
        let builder = Builder::new(function.context(), *body, function.location());
        plans = plan_blocks(&builder, *body, &[]);
    }
    // The plans are made, so the program stays as it is.
    let _numbering = Numbering::for_op(function);
    let mut sizes = sizes(function, names);
    let mut regions: Vec<Value> = Vec::new();
    let mut not_fused: Vec<Value> = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        let Some((_, block)) = plans.iter().find(|(planned, _)| planned == block) else {
            continue;
        };
        let at = |i: &usize| place(block.ops[*i]);
        let order: Vec<usize> = (block.plan.order.iter())
            .filter_map(|item| match item {
                Item::Region(region) => Some(*region),
                Item::Operation(_) => None,
            })
            .collect();
        let own = |region: usize| {
            let position = order.iter().position(|r| *r == region)?;
            formed.get(number)?.get(position).cloned()
        };
        for (k, region) in block.plan.regions.iter().enumerate() {
            let (inputs, outputs) = (block.inputs(region), block.outputs(region));
            let members = members(block, region);
            let root = region.members.iter().position(|i| *i == region.root);
            let (schedule, steps) = own(k).map(|own| (own.schedule, own.steps)).unzip();
            let mut entry = json!({
                "kind": region.kind,
                "root": root.map(|root| members[root].clone()),
                "members": members,
                "inputs": named(&inputs, &mut sizes),
                "outputs": (outputs.iter().copied())
                    .map(|output| value(output, &mut sizes))
                    .collect::<Vec<_>>(),
                "bytes_read": bytes(&inputs),
                "bytes_written": bytes(&outputs),
                "bytes_read_formula": formula(&inputs, &mut sizes),
                "bytes_written_formula": formula(&outputs, &mut sizes),
                "stages": region.stages.iter().map(|stage| stage.kind).collect::<Vec<_>>(),
                "bytes_between": between(block, region),
                "schedule": schedule,
            });
            if let Some(steps) = steps.filter(|steps| !steps.is_empty()) {
                entry["steps"] = steps.into();
            }
            regions.push(entry);
        }
        for edge in &block.plan.unfused {
            not_fused.push(json!({
                "producer": at(&edge.producer),
                "consumer": at(&edge.user),
                "reason": edge.reason,
            }));
        }
    }
    json!({
        "name": function.string("sym_name").unwrap_or_default(),
        "regions": regions,
        "not_fused": not_fused,
    })
}

/// Bytes of what the stages of a region hand on, which are in memory a block of rows at a time
/// only.
fn between(block: &BlockPlan<'_>, region: &Region) -> Option<i64> {
    let stages = region.stages.split_last().map_or(&[][..], |(_, s)| s);
    let values: Vec<Val<'_>> = stages.iter().flat_map(|s| block.outputs(s)).collect();
    bytes(&values)
}

/// The operations of a region, with the name by which a schedule calls the first result of each.
fn members(block: &BlockPlan<'_>, region: &Region) -> Vec<Value> {
    let all = region.members.iter().enumerate();
    all.map(|(k, i)| {
        let mut member = place(block.ops[*i]);
        member["name"] = format!("v{k}").into();
        member
    })
    .collect()
}

/// Returns the inputs of a region, with the names that schedules have for them.
fn named(inputs: &[Val<'_>], sizes: &mut SizeTexts) -> Vec<Value> {
    let all = inputs.iter().enumerate();
    all.map(|(k, input)| {
        let mut input = value(*input, sizes);
        input["name"] = format!("a{k}").into();
        input
    })
    .collect()
}

fn place(op: Op<'_>) -> Value {
    json!({"op": op.name(), "location": location_text(op.location())})
}

fn value(value: Val<'_>, sizes: &mut SizeTexts) -> Value {
    let mut found = json!({"value": label(value), "type": value.r#type().to_string()});
    let is_unknown = |ty: TensorType| ty.static_shape().is_none();
    if TensorType::from_mlir(value.r#type()).is_some_and(is_unknown) {
        found["sizes"] = texts(value, sizes).into();
    }
    found
}

/// The sizes of the values of a function, by the names that the program has for those of its
/// arguments. What has none is `dim(%x, 0)` of an argument.
fn sizes(function: Op<'_>, names: &Described) -> SizeTexts {
    let arguments = function.body(0).map(op::arguments).unwrap_or_default();
    let place = |value: Val<'_>, k: usize, _| {
        let number = op::block_argument(value).map(|(_, number)| number);
        let own = number.filter(|_| arguments.len() == names.len());
        let name = own.and_then(|number| names[number].get(k)?.clone());
        name.unwrap_or_else(|| dim(value, k))
    };
    SizeTexts::new(function, &[], &place)
}

fn dim(value: Val<'_>, k: usize) -> String {
    format!("dim({}, {k})", label(value))
}

/// The sizes of a tensor in words; that of which nothing is known is `dim(%x, 0)` of the value.
fn texts(value: Val<'_>, sizes: &mut SizeTexts) -> Vec<String> {
    let of = sizes.of(value).into_iter().enumerate();
    of.map(|(k, text)| text.unwrap_or_else(|| dim(value, k)))
        .collect()
}

/// Bytes of all values as a sum of products, if sizes are among them that are known at run time
/// only, which are written as [`texts`].
fn formula(values: &[Val<'_>], sizes: &mut SizeTexts) -> Option<String> {
    if bytes(values).is_some() {
        return None;
    }
    let mut known = 0i64;
    let mut terms: Vec<String> = Vec::new();
    for value in values {
        if let Some(all) = bytes(&[*value]) {
            known = known.checked_add(all)?;
            continue;
        }
        let tensor = TensorType::from_mlir(value.r#type())?;
        let mut factor = i64::try_from(tensor.element.byte_width()?).ok()?;
        let mut product = String::new();
        for (dim, size) in tensor.dims.iter().zip(texts(*value, sizes)) {
            match dim.fixed() {
                Some(n) => factor = factor.checked_mul(n)?,
                None => product.push_str(&format!(" * {}", grouped(size))),
            }
        }
        terms.push(format!("{factor}{product}"));
    }
    if known > 0 {
        terms.insert(0, known.to_string());
    }
    Some(terms.join(" + "))
}

/// A number of bytes, or what it follows from.
pub(super) fn number_or_formula(region: &Value, key: &str) -> String {
    let formula = region[format!("{key}_formula")].as_str().map(str::to_owned);
    formula.unwrap_or_else(|| region[key].to_string())
}

/// Bytes of all values; null if a size is known at run time only.
fn bytes(values: &[Val<'_>]) -> Option<i64> {
    values
        .iter()
        .map(|value| {
            let tensor = TensorType::from_mlir(value.r#type())?;
            let width = tensor.element.byte_width()?;
            tensor
                .num_elements()?
                .checked_mul(i64::try_from(width).ok()?)
        })
        .sum()
}

/// The answer for people.
fn text(functions: &[Value]) -> String {
    let mut text = String::new();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let place = |value: &Value| format!("{} at {}", word(&value["op"]), word(&value["location"]));
    for function in functions {
        let _ = writeln!(text, "func @{}", word(&function["name"]));
        for (i, region) in list(&function["regions"]).iter().enumerate() {
            let members = list(&region["members"]);
            let _ = writeln!(
                text,
                "  region {i}: {}, {} operations, reads {} bytes, writes {} bytes",
                word(&region["kind"]),
                members.len(),
                number_or_formula(region, "bytes_read"),
                number_or_formula(region, "bytes_written")
            );
            let stages: Vec<String> = list(&region["stages"]).iter().map(word).collect();
            if !stages.is_empty() {
                let _ = writeln!(
                    text,
                    "    stages {}: {} bytes between them, a block of rows at a time",
                    stages.join(", "),
                    region["bytes_between"]
                );
            }
            if let Some(schedule) = region["schedule"].as_str().filter(|s| !s.is_empty()) {
                let _ = writeln!(text, "    schedule {schedule}");
            }
            let steps: Vec<String> = list(&region["steps"]).iter().map(word).collect();
            if !steps.is_empty() {
                let _ = writeln!(text, "    may have {}", steps.join(", "));
            }
            for (title, key) in [("in ", "inputs"), ("out", "outputs")] {
                let values: Vec<String> = list(&region[key])
                    .iter()
                    .map(|value| {
                        let name = value["name"].as_str();
                        let name = name.map_or_else(String::new, |name| format!("{name} = "));
                        let sizes: Vec<String> = list(&value["sizes"]).iter().map(word).collect();
                        let sizes = match sizes.as_slice() {
                            [] => String::new(),
                            sizes => format!(" of sizes [{}]", sizes.join(", ")),
                        };
                        let (value, ty) = (word(&value["value"]), word(&value["type"]));
                        format!("{name}{value} : {ty}{sizes}")
                    })
                    .collect();
                let _ = writeln!(text, "    {title} {}", values.join(", "));
            }
            for member in &members {
                let mark = if *member == region["root"] {
                    " (root)"
                } else {
                    ""
                };
                let _ = writeln!(
                    text,
                    "    {} {}{mark}",
                    word(&member["name"]),
                    place(member)
                );
            }
        }
        for edge in list(&function["not_fused"]) {
            let _ = writeln!(
                text,
                "  not fused: {} into {}: {}",
                place(&edge["producer"]),
                place(&edge["consumer"]),
                word(&edge["reason"])
            );
        }
    }
    text
}
