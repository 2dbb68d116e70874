//! The pages that tell a reader what to type: README.md, the commands, building, the guide, and the
//! example of the plugin. Every block of theirs is one of these, told by the words behind its
//! fence:
//!
//! - `console`: commands behind `$ `, each with what it prints. They are run one after the other in
//!   a folder of the page. Of what is expected, `…` alone in a line stands for any lines, and
//!   elsewhere for any text.
//! - a language and the name of a file: the file is written to that folder, where the commands of
//!   the page find it.
//! - a language and a path of the project: lines of that file, which other tests run.
//! - `sh make`: targets of the Makefile, which are there.
//! - `ebnf`: the grammar of maps, which `src/indexing/tests/text.rs` compares with the parser.
//!
//! `MAPWRIGHT_UPDATE=1` writes what the commands print.

use super::support::{folder, library, llvm, mpi, programs, root, runtime};
use std::{
    collections::BTreeSet,
    env, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

const GUIDE: &str = "docs/guide/src";

/// Stands in an expected output for what differs between machines.
const ANYTHING: char = '…';

/// Decides whether the line is the pattern, in which `…` stands for any text.
fn is_line(pattern: &str, line: &str) -> bool {
    match pattern.split_once(ANYTHING) {
        None => pattern == line,
        Some((before, after)) => line.strip_prefix(before).is_some_and(|rest| {
            let mut ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
            ends.any(|at| is_line(after, &rest[at..]))
        }),
    }
}

/// Decides whether the lines are those expected, where a line `…` stands for any number of lines.
fn are_lines(pattern: &[&str], lines: &[&str]) -> bool {
    match pattern.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first.trim() == ANYTHING.to_string() => {
            (0..=lines.len()).any(|n| are_lines(rest, &lines[n..]))
        }
        Some((first, rest)) => lines
            .split_first()
            .is_some_and(|(line, more)| is_line(first, line) && are_lines(rest, more)),
    }
}

/// Runs one command of a page, which has to succeed: its output and errors together.
fn output(command: &str, folder: &Path) -> Result<String, String> {
    let path = env::join_paths(
        [programs(), llvm().join("bin")]
            .into_iter()
            .chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())),
    );
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(folder)
        .stdin(Stdio::null())
        .env("PATH", path.unwrap())
        .env("MAPWRIGHT_CACHE", "off")
        .envs(mpi::environment())
        .env_remove("LD_LIBRARY_PATH")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        Ok(text)
    } else {
        Err(format!("$ {command}\n{text}{}", output.status))
    }
}

/// The session as it comes out: what the page expects where that is what is printed, and what is
/// printed where it is not.
fn session(body: &[&str], folder: &Path) -> Result<Vec<String>, String> {
    let mut made = Vec::new();
    let mut rest = body;
    while !rest.is_empty() {
        let goes_on = rest.iter().take_while(|line| line.ends_with('\\')).count();
        let (command, after) = rest
            .split_at_checked(goes_on + 1)
            .ok_or("the last command does not end")?;
        let text = command.join("\n");
        let words = text
            .strip_prefix("$ ")
            .ok_or(format!("no command, though behind a console: {text}"))?;
        let end = after.iter().take_while(|line| !line.starts_with("$ "));
        let (expected, next) = after.split_at(end.count());
        // As it stands, where there is no MPI.
        let printed = if words.starts_with("mpirun ") && mpi::launchers().is_empty() {
            expected.join("\n")
        } else {
            output(words, folder)?
        };
        let lines: Vec<&str> = printed.lines().collect();
        let shown = if are_lines(expected, &lines) {
            expected
        } else {
            &lines
        };
        made.extend(command.iter().chain(shown).map(|line| (*line).to_owned()));
        rest = next;
    }
    Ok(made)
}

/// Decides whether the lines follow one another in the file, indented by any amount.
fn is_quoted(body: &[&str], file: &Path) -> bool {
    let text = fs::read_to_string(file).unwrap();
    let file: Vec<&str> = text.lines().map(str::trim).collect();
    let body: Vec<&str> = body.iter().map(|line| line.trim()).collect();
    !body.is_empty() && file.windows(body.len()).any(|lines| lines == body)
}

fn block(info: &str, body: &[&str], folder: &Path) -> Result<Vec<String>, String> {
    match info.split_once(' ') {
        None if info == "console" => return session(body, folder),
        None if info == "ebnf" => {}
        Some((_, "make")) => {
            let makefile = fs::read_to_string(root().join("Makefile")).unwrap();
            let is_target = |line: &str| {
                let mut words = line.split(' ');
                words.next() == Some("make")
                    && words.next().is_some_and(|target| {
                        let rule = format!("{target}:");
                        makefile.lines().any(|line| line.starts_with(&rule))
                    })
            };
            if let Some(line) = body.iter().find(|line| !is_target(line)) {
                return Err(format!("the Makefile has no target for: {line}"));
            }
        }
        Some((_, name)) if root().join(name).is_file() => {
            if !is_quoted(body, &root().join(name)) {
                return Err(format!("{name} has no such lines:\n{}", body.join("\n")));
            }
        }
        Some((_, name)) if !name.contains('/') => {
            fs::write(folder.join(name), body.join("\n") + "\n").unwrap();
        }
        _ => return Err(format!("a block `{info}` is not tested")),
    }
    Ok(body.iter().map(|line| (*line).to_owned()).collect())
}

/// The files of the project that the links of a line lead to, and that are not there.
fn broken_links(line: &str, page: &Path) -> Vec<String> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', '#']).next())
        .filter(|link| !link.is_empty() && !link.starts_with("http"))
        .filter(|link| !page.parent().unwrap().join(link).exists())
        .map(|link| format!("there is no {link}"))
        .collect()
}

/// The pictures of a page that are not what its commands drew in the folder.
fn other_pictures(text: &str, page: &Path, folder: &Path) -> Vec<String> {
    let links = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    let mut others = Vec::new();
    for link in links.filter(|link| link.ends_with(".svg")) {
        let kept = page.parent().unwrap().join(link);
        let drawn = fs::read_to_string(folder.join(kept.file_name().unwrap()));
        match drawn {
            Err(error) => others.push(format!("no command of the page draws {link}: {error}")),
            Ok(drawn) if env::var_os("MAPWRIGHT_UPDATE").is_some() => {
                fs::create_dir_all(kept.parent().unwrap()).unwrap();
                fs::write(&kept, drawn).unwrap();
            }
            Ok(drawn) if fs::read_to_string(&kept).ok().as_ref() != Some(&drawn) => {
                others.push(format!(
                    "{link} is another picture: MAPWRIGHT_UPDATE=1 writes it"
                ));
            }
            Ok(_) => {}
        }
    }
    others
}

/// Runs the blocks of a page, and compares it with what comes out.
fn check(page: &Path) -> Result<(), String> {
    let text = fs::read_to_string(page).unwrap();
    let stem = page.file_stem().unwrap().to_string_lossy();
    let folder = folder(&format!("page-{stem}"));
    for name in ["examples", "include", "docs", "lit-tests"] {
        symlink(root().join(name), folder.join(name)).unwrap();
    }
    let archive = programs().join("libmapwright_runtime.a");
    for file in [library(), runtime(), archive] {
        symlink(&file, folder.join(file.file_name().unwrap())).unwrap();
    }
    let mut failures = Vec::new();
    let mut made: Vec<String> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        made.push(line.to_owned());
        let Some(info) = line.strip_prefix("```") else {
            failures.extend(broken_links(line, page));
            if line.starts_with("    ") {
                failures.push(format!("a block without a fence is not tested: {line}"));
            }
            continue;
        };
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        match block(info, &body, &folder) {
            Ok(body) => made.extend(body),
            Err(failure) => failures.push(failure),
        }
        made.push("```".into());
    }
    failures.extend(other_pictures(&text, page, &folder));
    let made = made.join("\n") + "\n";
    if failures.is_empty() && made != text {
        if env::var_os("MAPWRIGHT_UPDATE").is_some() {
            fs::write(page, &made).unwrap();
        } else {
            failures.push(format!(
                "MAPWRIGHT_UPDATE=1 writes it; it should be:\n{made}"
            ));
        }
    }
    if failures.is_empty() {
        Ok(())
    } else {
        Err(format!("{}\n{}", page.display(), failures.join("\n")))
    }
}

/// The chapters, as the contents of the guide list them.
fn chapters() -> Vec<PathBuf> {
    let guide = root().join(GUIDE);
    let text = fs::read_to_string(guide.join("SUMMARY.md")).unwrap();
    let links = text.split("](").skip(1);
    links
        .map(|rest| guide.join(rest.split(')').next().unwrap()))
        .collect()
}

#[test]
fn every_block_of_the_pages_runs() {
    let mut pages = chapters();
    pages.extend(
        [
            "README.md",
            "docs/commands.md",
            "docs/building.md",
            "docs/editors.md",
            "examples/plugin/README.md",
        ]
        .map(|page| root().join(page)),
    );
    let failures: Vec<String> = pages.iter().filter_map(|page| check(page).err()).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn every_chapter_is_in_the_contents() {
    let listed: BTreeSet<PathBuf> = chapters().into_iter().collect();
    let there: BTreeSet<PathBuf> = fs::read_dir(root().join(GUIDE))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.ends_with("SUMMARY.md"))
        .collect();
    assert_eq!(listed, there);
    let book = fs::read_to_string(root().join("docs/guide/book.toml")).unwrap();
    assert!(book.contains("src = \"src\""), "{book}");
}

#[test]
fn readme_is_read_in_two_minutes() {
    let lines = fs::read_to_string(root().join("README.md"))
        .unwrap()
        .lines()
        .count();
    assert!(lines <= 80, "README.md has {lines} lines");
}

/// What is compared has to be able to differ.
#[test]
fn other_output_is_seen() {
    assert!(are_lines(&["a", "…", "c … e"], &["a", "b", "b", "c d e"]));
    assert!(are_lines(&["a", "  …"], &["a"]));
    assert!(!are_lines(&["a", "…", "c"], &["a", "b"]));
    assert!(!are_lines(&["a … c"], &["a b"]));
    assert!(!are_lines(&["a"], &["a", "b"]));
    let here = folder("page-other");
    assert_eq!(
        session(&["$ echo one", "two"], &here).unwrap(),
        ["$ echo one", "one"]
    );
    assert!(session(&["$ exit 1"], &here).is_err());
    assert!(session(&["two"], &here).is_err());
    assert!(block("text", &["two"], &here).is_err());
    assert!(block("sh README.md", &["no line of it"], &here).is_err());
    assert!(block("sh make", &["make nothing"], &here).is_err());
    assert!(block("sh make", &["make test"], &here).is_ok());
}
