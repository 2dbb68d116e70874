//! What tells operations apart, and what is done as often as it is written: every operation of the
//! programs under `lit-tests`, beside a copy of it.

use crate::files::programs_in;
use mapwright_mlir::{Attr, Op, context::context, diagnostic::Diagnostics, edit, op};
use mapwright_normalize::{canonical, cse};
use mapwright_ops::{
    output_to_input,
    registry::{self, Class, Effect},
};
use std::{
    collections::{BTreeSet, HashMap},
    fs,
    path::Path,
};

/// Operations with an effect that no program under `lit-tests` has.
const OTHERS: &str = r#"
func.func @others(%x: tensor<4xf32>, %t: !mhlo.token) -> tensor<4xf32> {
  %0 = "mhlo.cross-replica-sum"(%x) {replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  "mhlo.trace"(%x) {tag = "here"} : (tensor<4xf32>) -> ()
  %1 = "mhlo.xla.rng_get_and_update_state"() {delta = 1 : i64} : () -> tensor<2xui64>
  return %0 : tensor<4xf32>
}
"#;

/// Rows of which no program has an operation: older names, functions that are called by name, and a
/// step of an asynchronous operation.
const WITHOUT_OPERATION: [&str; 4] = [
    "async_update",
    "rng_normal",
    "rng_uniform",
    "shape_assertion",
];

/// Calls `f` with each program that reads, in parts where it has several.
fn each_program(f: &mut dyn FnMut(Op<'_>)) {
    mapwright_ops::hooks::install();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lit-tests");
    let folders = ["dialect", "execute"].into_iter();
    let paths = folders.flat_map(|folder| programs_in(&root.join(folder)));
    let texts = paths.map(|path| fs::read_to_string(path).expect("a text"));
    for text in texts.chain([OTHERS.to_owned()]) {
        for part in text.split("// -----") {
            let context = context();
            let diagnostics = Diagnostics::to_text(&context);
            if let Ok(module) = diagnostics.parse("test", part.as_bytes()) {
                f(Op::new(module.as_operation()));
            }
            diagnostics.take();
        }
    }
}

/// A copy right behind an operation; `None` where nothing stands behind it.
fn copied<'c>(op: Op<'c>) -> Option<Op<'c>> {
    let next = op::next(op)?;
    let copy = edit::clone(op, &HashMap::new());
    edit::insert_before(next, copy);
    Some(copy)
}

/// Where the elements of result 0 are from, as text.
fn maps(op: Op<'_>) -> Vec<String> {
    let of = output_to_input(op, 0).into_iter().flat_map(|of| of.maps);
    of.map(|map| map.to_string()).collect()
}

/// Attributes that differ from one in one number, truth value or word.
fn others<'c>(op: Op<'c>, attribute: Attr<'c>) -> Vec<Attr<'c>> {
    const WORDS: [&str; 24] = [
        "EQ",
        "NE",
        "LT",
        "GT",
        "GE",
        "LE",
        "SIGNED",
        "UNSIGNED",
        "FLOAT",
        "TOTALORDER",
        "DEFAULT",
        "HIGH",
        "HIGHEST",
        "TOLERANCE",
        "FFT",
        "IFFT",
        "RFFT",
        "IRFFT",
        "NO_TRANSPOSE",
        "TRANSPOSE",
        "ADJOINT",
        "UNIFORM",
        "NORMAL",
        "PHILOX",
    ];
    let text = attribute.to_string();
    let mut texts = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let is_part = text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let word = &rest[..length.unwrap_or(rest.len())];
        if !is_part && !word.is_empty() {
            let mut put = |new: &str| {
                texts.push(format!("{}{new}{}", &text[..at], &rest[word.len()..]));
            };
            match word {
                "true" => put("false"),
                "false" => put("true"),
                _ if WORDS.contains(&word) => WORDS.iter().for_each(|new| put(new)),
                _ => {
                    if let Ok(number) = word.parse::<i64>() {
                        put(&number.wrapping_add(1).to_string());
                    }
                }
            }
        }
        at += word.len().max(1);
        while !text.is_char_boundary(at) {
            at += 1;
        }
    }
    let parsed = texts
        .iter()
        .filter_map(|text| Attr::parse(op.context(), text));
    parsed.filter(|other| *other != attribute).collect()
}

#[test]
fn operations_with_other_attributes_are_not_merged() {
    let (mut alike, mut different) = (BTreeSet::new(), BTreeSet::new());
    let mut tried: HashMap<&str, usize> = HashMap::new();
    each_program(&mut |root| {
        while cse::merge(root) > 0 {}
        for op in root.descendants() {
            let known = registry::lookup(op).filter(|_| !op.attributes().is_empty());
            let Some(def) = known else { continue };
            // A few of each, so that the test takes seconds.
            let times = tried.entry(def.name).or_insert(0);
            *times += 1;
            if *times > 3 {
                continue;
            }
            let Some(copy) = copied(op) else { continue };
            // The test sees a merge where there is one.
            match cse::merge(root) {
                0 => edit::erase_unused(copy),
                _ => {
                    alike.insert(def.name);
                }
            }
            for (name, attribute) in op.attributes() {
                for other in others(op, attribute) {
                    let Some(copy) = copied(op) else { continue };
                    copy.set_attribute(name, other);
                    // A program may have the other operation, too.
                    let is_twin = |one: &Op<'_>| {
                        *one != copy
                            && one.name() == copy.name()
                            && one.operands() == copy.operands()
                            && one.attributes() == copy.attributes()
                    };
                    if copy.verify() && !root.descendants().iter().any(is_twin) {
                        different.insert(def.name);
                        // A slice of one element is the same whatever its stride is, and so on.
                        let moves = def.index_rule.is_some() && maps(op) == maps(copy);
                        let merged = cse::merge(root);
                        assert!(merged == 0 || moves, "{} with {name} = {other}", op.name());
                        if merged > 0 {
                            continue;
                        }
                    }
                    edit::erase_unused(copy);
                }
            }
        }
    });
    assert!(different.len() > 10, "{different:?}");
    assert!(alike.len() > 10, "{alike:?}");
}

#[test]
fn what_acts_is_done_as_often_as_it_is_written() {
    let acts = |def: &&registry::OpDef| def.effect == Effect::Acts;
    let rows: BTreeSet<&str> = registry::all().filter(acts).map(|def| def.name).collect();
    for def in registry::all().filter(acts) {
        assert_eq!(def.class, Class::Other, "{} would be in regions", def.name);
    }
    let mut seen: BTreeSet<&str> = WITHOUT_OPERATION.into();
    each_program(&mut |root| {
        canonical::canonicalize(root);
        while cse::merge(root) > 0 {}
        for op in root.descendants() {
            let Some(def) = registry::lookup(op).filter(|_| !registry::is_function(op)) else {
                continue;
            };
            assert!(!registry::is_pure(op), "{op:?}");
            let count = || {
                let all = root.descendants().into_iter();
                all.filter(|other| other.name() == op.name()).count()
            };
            if copied(op).is_none() {
                continue;
            }
            let before = count();
            canonical::canonicalize(root);
            cse::merge(root);
            assert_eq!(count(), before, "{op:?}");
            seen.insert(def.name);
        }
    });
    let missing: Vec<&&str> = rows.difference(&seen).collect();
    assert!(missing.is_empty(), "in no program: {missing:?}");
}
