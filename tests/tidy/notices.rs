//! What the libraries contain of others: NOTICES.md is the list, and deny.toml the licences that
//! are accepted. `MAPWRIGHT_UPDATE=1` writes the list.

use crate::support::root;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    process::Command,
};

/// A crate of others, with its licence and where it comes from.
struct Crate {
    name: String,
    version: String,
    licence: String,
    repository: String,
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The crates that are linked into what is installed: not those of tests, of build scripts, or that
/// run in the compiler.
fn linked() -> Vec<Crate> {
    let output = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()))
        .current_dir(root())
        .args(["metadata", "--format-version=1", "--locked", "--offline"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{output:?}");
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages: BTreeMap<&str, &Value> = (metadata["packages"].as_array().unwrap().iter())
        .map(|package| (word(&package["id"]), package))
        .collect();
    let nodes: BTreeMap<&str, &Value> = (metadata["resolve"]["nodes"].as_array().unwrap().iter())
        .map(|node| (word(&node["id"]), node))
        .collect();
    let is_linked = |package: &Value| {
        let targets = package["targets"].as_array().unwrap().iter();
        let mut kinds = targets.flat_map(|target| target["kind"].as_array().unwrap());
        !kinds.any(|kind| kind == "proc-macro")
    };
    let own = metadata["workspace_members"].as_array().unwrap().iter();
    let mut todo: Vec<&str> = own.map(word).collect();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    while let Some(id) = todo.pop() {
        if !is_linked(packages[id]) || !seen.insert(id) {
            continue;
        }
        for dependency in nodes[id]["deps"].as_array().unwrap() {
            let mut kinds = dependency["dep_kinds"].as_array().unwrap().iter();
            if kinds.any(|kind| kind["kind"].is_null()) {
                todo.push(word(&dependency["pkg"]));
            }
        }
    }
    let others = seen.into_iter().map(|id| packages[id]);
    let others = others.filter(|package| !package["source"].is_null());
    let mut crates: Vec<Crate> = others
        .map(|package| Crate {
            name: word(&package["name"]).to_owned(),
            version: word(&package["version"]).to_owned(),
            licence: package["license"].as_str().map_or_else(
                || clarified(word(&package["name"])),
                |text| text.replace('/', " OR "),
            ),
            repository: word(&package["repository"]).to_owned(),
        })
        .collect();
    crates.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    crates
}

fn deny() -> String {
    fs::read_to_string(root().join("deny.toml")).unwrap()
}

/// The licence that deny.toml names for a crate whose manifest does not.
fn clarified(name: &str) -> String {
    let text = deny();
    let after = text
        .split(&format!("crate = \"{name}\"\nexpression = \""))
        .nth(1);
    let licence = after.and_then(|rest| rest.split('"').next());
    licence
        .unwrap_or_else(|| panic!("{name} names no licence"))
        .to_owned()
}

/// The licences that deny.toml allows.
fn allowed() -> BTreeSet<String> {
    let text = deny();
    let list = text.split("allow = [").nth(1).unwrap();
    let list = list.split(']').next().unwrap();
    list.split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// Whether a licence expression can be fulfilled by these licences.
fn is_fulfilled(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let part = |part: &str| {
        let part = part.trim().trim_start_matches('(').trim_end_matches(')');
        part.split(" OR ").any(|own| allowed.contains(own.trim()))
    };
    expression.split(" AND ").all(part)
}

#[test]
fn notices_name_what_the_libraries_contain() {
    let crates = linked();
    assert!(crates.len() > 50, "{}", crates.len());
    let mut text = String::from(
        "# Notices\n\nThe programs and libraries of Mapwright contain the crates below, each under its own licence, and are linked to LLVM and MLIR\n\
         (Apache-2.0 WITH LLVM-exception; https://github.com/llvm/llvm-project). The source of each crate has the text of its licence.\n\
         `MAPWRIGHT_UPDATE=1 cargo test --test all tidy` writes this list.\n\n| crate | licence | source |\n|---|---|---|\n",
    );
    for own in &crates {
        text.push_str(&format!(
            "| {} {} | {} | {} |\n",
            own.name, own.version, own.licence, own.repository
        ));
    }
    let path = root().join("NOTICES.md");
    if env::var_os("MAPWRIGHT_UPDATE").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert_eq!(
        fs::read_to_string(&path).unwrap_or_default(),
        text,
        "NOTICES.md is out of date: MAPWRIGHT_UPDATE=1 writes it"
    );
    let allowed = allowed();
    for own in &crates {
        assert!(
            is_fulfilled(&own.licence, &allowed),
            "{} is under {}",
            own.name,
            own.licence
        );
    }
}

#[test]
fn licences_are_read_as_expressions() {
    let allowed = BTreeSet::from(["MIT".to_owned(), "Unicode-3.0".to_owned()]);
    for (expression, fulfilled) in [
        ("MIT", true),
        ("GPL-3.0 OR MIT", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("(GPL-3.0 OR Apache-2.0) AND Unicode-3.0", false),
        ("GPL-3.0", false),
    ] {
        assert_eq!(
            is_fulfilled(expression, &allowed),
            fulfilled,
            "{expression}"
        );
    }
}
