//! The text of the dialects over the shared programs: what JAX printed comes back byte for byte,
//! everything else is printed in a form that is read back as the same module. The pages in
//! `docs/dialects` are what the definitions say.

use crate::support;
use mapwright::{
    mlir::pass::{OptionKind, PassOption},
    passes::{PASSES, PIPELINES},
};

use crate::support::{llvm, root};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Mutex,
    thread,
};

/// The shared programs of a kind; none where there is no shared folder.
fn shared(folder: &str) -> Vec<PathBuf> {
    let base = support::shared(&format!("conformance/{folder}"));
    base.map_or_else(Vec::new, |base| support::programs_in(&base))
}

/// Text without blank lines and comments.
fn bare(text: &str) -> String {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default().trim_end())
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The text of an older JAX, which printed two blanks before the words of enumerations, as the
/// newest one prints it.
fn single_blanks(text: &str) -> String {
    text.replace("compare  ", "compare ")
        .replace(",  ", ", ")
        .replace("=  ", "= ")
}

/// What `mapwright-opt` prints for a file, or its diagnostics.
fn print(file: &Path, flags: &[&str]) -> Result<String, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_mapwright-opt"))
        .arg(file)
        .args(flags)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        String::from_utf8(output.stdout).map_err(|error| error.to_string())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// Runs `check` on every file on all cores and reports every file that fails it.
fn for_all(files: &[PathBuf], check: impl Fn(&Path) -> Result<(), String> + Sync) {
    let next = Mutex::new(files.iter());
    let failures = Mutex::new(BTreeSet::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let Some(file) = next.lock().unwrap().next() else {
                        break;
                    };
                    if let Err(error) = check(file) {
                        failures
                            .lock()
                            .unwrap()
                            .insert(format!("{}: {error}", file.display()));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(
        failures.is_empty(),
        "{} of {} files:\n{}",
        failures.len(),
        files.len(),
        failures.into_iter().collect::<Vec<_>>().join("\n")
    );
}

/// Files whose text JAX's own printer changes (older spellings); recorded with the printer of
/// jaxlib 0.8.0.
fn respelled() -> BTreeSet<String> {
    include_str!("dialects/respelled.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn text_that_jax_printed_comes_back() {
    let respelled = respelled();
    let files: Vec<PathBuf> = [shared("programs"), shared("dynamic")]
        .concat()
        .into_iter()
        .filter(|file| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            !respelled.contains(name.as_ref())
        })
        .collect();
    for_all(&files, |file| {
        let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
        let printed = print(file, &[])?;
        let (want, got) = (single_blanks(&bare(&text)), bare(&printed));
        if want == got {
            return Ok(());
        }
        let (want, got) = want
            .lines()
            .zip(got.lines())
            .find(|(want, got)| want != got)
            .unwrap_or(("", ""));
        Err(format!("\n    {want}\n    {got}"))
    });
}

/// Printed, and printed again from what was printed, pretty or generic.
fn is_stable(file: &Path) -> Result<(), String> {
    let folder = support::folder(&format!(
        "dialects-{}",
        file.file_stem().unwrap_or_default().to_string_lossy()
    ));
    let printed = print(file, &[])?;
    let again = folder.join("pretty.mlir");
    fs::write(&again, &printed).map_err(|error| error.to_string())?;
    if print(&again, &[])? != printed {
        return Err("the printed text is printed differently".into());
    }
    let generic = folder.join("generic.mlir");
    fs::write(&generic, print(file, &["--mlir-print-op-generic"])?)
        .map_err(|error| error.to_string())?;
    if print(&generic, &[])? != printed {
        return Err("the generic text is printed differently".into());
    }
    let bytecode = folder.join("module.bc");
    print(
        file,
        &["--emit-bytecode", "-o", &bytecode.to_string_lossy()],
    )?;
    if print(&bytecode, &[])? != printed {
        return Err("the bytecode is printed differently".into());
    }
    fs::remove_dir_all(folder).map_err(|error| error.to_string())
}

/// The command reads every form that it writes; `tests/programs.rs` asks the library that of all
/// programs.
#[test]
fn every_form_reads_back_as_the_same_module() {
    for_all(&shared("valid"), is_stable);
}

/// The lines that a text marks with `expected-error`, `@+n` or `@below` after it; counted from 1.
fn marked_lines(text: &str) -> BTreeSet<usize> {
    let mut lines = BTreeSet::new();
    for (i, line) in text.lines().enumerate() {
        let Some((_, rest)) = line.split_once("expected-error") else {
            continue;
        };
        let rest = rest.trim_start_matches("-re").trim_start();
        let distance = match rest.strip_prefix("@+") {
            Some(rest) => rest
                .split(|c: char| !c.is_ascii_digit())
                .next()
                .and_then(|digits| digits.parse().ok()),
            None => rest.starts_with("@below").then_some(1),
        };
        lines.insert(i + 1 + distance.unwrap_or(0));
    }
    lines
}

/// The lines of `file` at which diagnostics report errors.
fn error_lines(file: &Path, diagnostics: &str) -> BTreeSet<usize> {
    let place = format!("{}:", file.display());
    diagnostics
        .lines()
        .filter(|line| line.contains(": error:"))
        .filter_map(|line| {
            let rest = &line[line.find(&place)? + place.len()..];
            rest.split(':').next()?.parse().ok()
        })
        .collect()
}

#[test]
fn ill_formed_programs_are_rejected_where_they_are_marked() {
    for_all(&shared("invalid"), |file| {
        let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
        let marked = marked_lines(&text);
        if marked.is_empty() {
            return Err("marks no line".into());
        }
        match print(file, &[]) {
            Ok(_) => Err("is accepted".into()),
            Err(diagnostics) => {
                let found = error_lines(file, &diagnostics);
                if found.is_disjoint(&marked) {
                    Err(format!("marks {marked:?}, is rejected in {found:?}"))
                } else {
                    Ok(())
                }
            }
        }
    });
}

/// Every constraint that the specification labels has a function of its name that violates it (the
/// lit suite runs them), or a reason why no program can.
#[test]
fn every_constraint_has_a_test() {
    let folder = root().join("lit-tests/dialect/stablehlo/constraints");
    let mut tested = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        for case in text.split("// -----") {
            assert!(
                case.contains("expected-error"),
                "a case without an error: {case}"
            );
            // The last function is the one that is named after the constraint; others help it.
            let name = case.rsplit("func.func ").next().and_then(|rest| {
                let name = rest.split_once('@')?.1;
                name.split('(').next().map(str::to_owned)
            });
            let name = name.unwrap_or_else(|| panic!("no function in {case}"));
            assert!(tested.insert(name.clone()), "@{name} is there twice");
        }
    }
    let mut known = BTreeSet::new();
    for line in include_str!("dialects/constraints.txt").lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match line.split_once(" - ") {
            None => assert!(tested.contains(line), "{line} has no test"),
            Some((label, reason)) => assert!(
                !reason.is_empty() && !tested.contains(label),
                "{label} has a test and a reason to have none"
            ),
        }
        known.insert(line.split(' ').next().unwrap_or_default().to_owned());
    }
    let unknown: Vec<_> = tested.difference(&known).collect();
    assert!(
        unknown.is_empty(),
        "not constraints of the specification: {unknown:?}"
    );
}

/// What `mapwright-opt` says of every case below `lit-tests/dialect/stablehlo/constraints`:
/// constraint -> diagnostic.
fn diagnostics_of_constraints() -> BTreeMap<String, String> {
    let folder = root().join("lit-tests/dialect/stablehlo/constraints");
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        let text = fs::read_to_string(&file).unwrap();
        let diagnostics = print(&file, &["--split-input-file"]).unwrap_err();
        let place = format!("{}:", file.display());
        for line in diagnostics
            .lines()
            .filter(|line| line.contains(": error: "))
        {
            let (at, message) = line.split_once(": error: ").unwrap_or_default();
            let at = at.rsplit(&place).next().unwrap_or_default();
            let at: usize = at.split(':').next().unwrap_or_default().parse().unwrap();
            // The last function that begins at or above the line.
            let name = text.lines().take(at).filter_map(|line| {
                line.trim_start()
                    .strip_prefix("func.func ")?
                    .split_once('@')
            });
            let name = name.last().and_then(|(_, rest)| rest.split('(').next());
            found
                .entry(name.unwrap_or_default().to_owned())
                .or_insert_with(|| message.to_owned());
        }
    }
    found
}

/// The table of constraints in the documentation is what the programs that violate them are told;
/// `MAPWRIGHT_UPDATE=1` writes it.
#[test]
fn the_table_of_constraints_is_up_to_date() {
    let diagnostics = diagnostics_of_constraints();
    let mut page = String::from(
        "# Constraints of StableHLO\n\n\
         Every constraint that the specification labels, and what a program is told that violates it: those of\n\
         `lit-tests/dialect/stablehlo/constraints`. Written by `MAPWRIGHT_UPDATE=1 cargo test --test all dialects::constraints`.\n\n\
         | constraint | diagnostic |\n|---|---|\n",
    );
    for line in include_str!("dialects/constraints.txt").lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (label, said) = match line.split_once(" - ") {
            Some((label, reason)) => (label, format!("*{reason}*")),
            None => (line, diagnostics.get(line).cloned().unwrap_or_default()),
        };
        page += &format!(
            "| `{label}` | {} |\n",
            said.replace('|', "\\|").replace('<', "\\<")
        );
    }
    let file = root().join("docs/dialects/constraints.md");
    if std::env::var_os("MAPWRIGHT_UPDATE").is_some() {
        fs::write(&file, &page).unwrap();
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        written == page,
        "{} is not up to date: MAPWRIGHT_UPDATE=1 cargo test --test all dialects::constraints",
        file.display()
    );
}

#[test]
fn the_nonzero_program_parses_as_it_stands() {
    if let Some(file) = support::shared("spec/nonzero.mlir") {
        is_stable(&file).unwrap();
    }
}

#[test]
fn the_pages_are_up_to_date() {
    let output = Command::new(root().join("docs/dialects/update.sh"))
        .arg("--check")
        .env("MLIR_SYS_220_PREFIX", llvm())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Every operation has a description besides its summary on the pages.
#[test]
fn every_operation_is_described() {
    for dialect in [
        "check",
        "chlo",
        "indexing",
        "interpreter",
        "mhlo",
        "sdy",
        "stablehlo",
        "tarray",
    ] {
        let page = root()
            .join("docs/dialects")
            .join(dialect)
            .with_extension("md");
        let page = fs::read_to_string(page).unwrap();
        let mut operations = 0;
        for section in page.split("\n### `").skip(1) {
            let name = section.split('`').next().unwrap_or_default();
            if !name.starts_with(dialect) || name == dialect {
                continue;
            }
            operations += 1;
            // Between the heading and the first list or table; text in fences and the summary do
            // not count.
            let end = ["\nTraits:", "\nInterfaces:", "\nEffects:", "\n#### "]
                .iter()
                .filter_map(|mark| section.find(mark))
                .min()
                .unwrap_or(section.len());
            let text: Vec<&str> = section[..end]
                .split("```")
                .step_by(2)
                .flat_map(str::lines)
                .skip(1)
                .filter(|line| !line.is_empty() && !line.starts_with('_') && *line != "Syntax:")
                .collect();
            assert!(!text.is_empty(), "{name} has no description");
        }
        assert!(operations > 0, "no operations on the page of {dialect}");
    }
}

/// All files below a folder that end like this.
fn files_below(folder: &Path, suffix: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_below(&path, suffix));
        } else if path
            .extension()
            .is_some_and(|extension| extension == suffix)
        {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// What the source of the pass says at its beginning.
fn documentation_of(pass: &str) -> String {
    let quoted = format!("\"{pass}\"");
    let source = files_below(&root().join("src/passes"), "rs")
        .into_iter()
        .filter_map(|file| fs::read_to_string(file).ok())
        .find(|text| {
            text.split("fn argument").nth(1).is_some_and(|rest| {
                let body = rest.split('}').next().unwrap_or_default();
                body.contains(&quoted)
            })
        });
    source
        .unwrap_or_default()
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n")
        .collect()
}

/// An option as a line of the page: its legal values, and its default.
fn line_of(option: &PassOption) -> String {
    let values = match option.kind {
        OptionKind::Text("") => "text; empty by default".into(),
        OptionKind::Text(default) => format!("text; `{default}` by default"),
        OptionKind::Word(words) => {
            let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            format!("{}; the first by default", quoted.join(", "))
        }
        OptionKind::Bool(default) => format!("`true`, `false`; `{default}` by default"),
        OptionKind::Int(default) => format!("a number; `{default}` by default"),
        OptionKind::IntList => "numbers with commas between them; none by default".into(),
    };
    format!("- `{}`: {} ({values})\n", option.name, option.description)
}

/// The page of passes is what their declarations and their sources say, in the order of
/// `mapwright-opt --help`; `MAPWRIGHT_UPDATE=1` writes it.
#[test]
fn the_page_of_passes_is_up_to_date() {
    let output = Command::new(env!("CARGO_BIN_EXE_mapwright-opt"))
        .arg("--help")
        .output()
        .unwrap();
    let help = String::from_utf8_lossy(&output.stdout);
    let mut page = String::from(
        "# Passes and pipelines\n\n\
         What the passes declare and their sources say. Written by `MAPWRIGHT_UPDATE=1 cargo test --test all dialects::passes`.\n",
    );
    let mut count = 0;
    for pass in PASSES {
        let name = pass.argument();
        assert!(
            help.contains(&format!("--{name} ")),
            "--help without {name}"
        );
        count += 1;
        page += &format!("\n## `--{name}`\n\n_{}_\n", pass.description());
        let more = documentation_of(name);
        if !more.is_empty() {
            page += &format!("\n{more}");
        }
        let anchor = pass
            .anchor()
            .map_or("any operation".into(), |op| format!("`{op}`"));
        page += &format!("\nRuns on {anchor}. Before it: {}\n", pass.before());
        if !pass.options().is_empty() {
            page += "\n";
        }
        for option in pass.options() {
            page += &line_of(option);
        }
    }
    for (name, description, text) in PIPELINES {
        assert!(
            help.contains(&format!("--{name} ")),
            "--help without {name}"
        );
        count += 1;
        page += &format!(
            "\n## `--{name}`\n\n_{description}_\n\nRuns on `builtin.module`, and stands for `{}`.\n",
            text.trim_start_matches("builtin.module(")
                .trim_end_matches(')')
        );
    }
    assert!(count > 10, "only {count} passes");
    let file = root().join("docs/passes.md");
    if std::env::var_os("MAPWRIGHT_UPDATE").is_some() {
        fs::write(&file, &page).unwrap();
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        written == page,
        "{} is not up to date: MAPWRIGHT_UPDATE=1 cargo test --test all dialects::passes",
        file.display()
    );
}
