//! The language server: upstream's, with maps and documentation in what it says of operations.
//!
//! Upstream's server has no door for hovers or hints of others, so it runs as a child of this
//! process, and messages pass through. A hover gets the maps and the documentation of its
//! operation; inlay hints, which upstream does not have, are answered here. Everything else is
//! upstream's.

mod answers;
mod documents;
mod wire;

use anyhow::Context as _;
use documents::Documents;
use serde_json::{Map, Value, json};
use std::{
    collections::HashMap,
    env,
    ffi::OsString,
    io::{self, BufReader, Write},
    process::{Child, Command, ExitCode, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
};
use wire::{Framing, read, write};

/// Set for the child.
const CHILD: &str = "MAPWRIGHT_LSP_CHILD";

/// Serves an editor, on standard input and output.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if env::var_os(CHILD).is_some() {
        return crate::driver(|| crate::mlir::drivers::lsp_server_main(arguments));
    }
    let served = crate::on_large_stack(|| serve(&arguments));
    match served.unwrap_or_else(|message| Err(anyhow::anyhow!(message))) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("mapwright-lsp-server: error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Question of a request that is with upstream.
enum Asked {
    Initialize,
    /// The text as it was then, and a place in it.
    Hover(String, (usize, usize)),
}

/// State that the two directions share.
#[derive(Default)]
struct State {
    documents: Documents,
    /// By the text of the identifier.
    asked: HashMap<String, Asked>,
    shapes: bool,
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(arguments: &[OsString]) -> anyhow::Result<ExitCode> {
    let program = env::current_exe().context("cannot find this program")?;
    let mut child = Command::new(program)
        .args(arguments.iter().skip(1))
        .env(CHILD, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start upstream's server")?;
    let outcome = pass(&mut child, arguments);
    // Without input the child ends.
    drop(child.stdin.take());
    let status = child.wait()?;
    outcome?;
    Ok(crate::exit_code(status.code().unwrap_or(1)))
}

fn pass(child: &mut Child, arguments: &[OsString]) -> anyhow::Result<()> {
    let is_test = arguments
        .iter()
        .any(|a| a == "-lit-test" || a == "--lit-test");
    let framing = if is_test {
        Framing::Delimited
    } else {
        Framing::Headers
    };
    let state = Mutex::new(State::default());
    let output = child
        .stdout
        .take()
        .context("upstream's server has no output")?;
    let mut upstream = child
        .stdin
        .take()
        .context("upstream's server has no input")?;
    thread::scope(|scope| {
        let back = scope.spawn(|| -> anyhow::Result<()> {
            let mut output = BufReader::new(output);
            while let Some(text) = read(&mut output, Framing::Headers)? {
                let text = answered(&state, text);
                write(&mut io::stdout().lock(), Framing::Headers, &text)?;
            }
            Ok(())
        });
        let mut input = BufReader::new(io::stdin());
        while let Some(text) = read(&mut input, framing)? {
            match seen(&state, &text) {
                Some(answer) => write(&mut io::stdout().lock(), Framing::Headers, &answer)?,
                // The child may have ended, as it was told to.
                None if write(&mut upstream, framing, &text).is_err() => break,
                None => {}
            }
        }
        let _ = upstream.flush();
        drop(upstream);
        back.join()
            .unwrap_or_else(|_| anyhow::bail!("internal error"))
    })
}

/// Looks at a message of the editor. An answer is for what upstream is not asked.
fn seen(state: &Mutex<State>, text: &[u8]) -> Option<Vec<u8>> {
    let message: Value = serde_json::from_slice(text).ok()?;
    let (method, asked) = (message["method"].as_str()?, &message["params"]);
    let uri = asked["textDocument"]["uri"].as_str().unwrap_or_default();
    let mut state = lock(state);
    let id = message["id"].to_string();
    match method {
        "initialize" => {
            state.asked.insert(id, Asked::Initialize);
            let hints = &asked["initializationOptions"]["hints"];
            state.shapes = hints.as_str() == Some("shapes");
        }
        "textDocument/hover" => {
            if let Some(text) = state.documents.text(uri) {
                let asked = Asked::Hover(text.to_owned(), documents::place(&asked["position"]));
                state.asked.insert(id, asked);
            }
        }
        "textDocument/didOpen" => state.documents.keep(uri, &asked["textDocument"]["text"]),
        "textDocument/didChange" => {
            let last = asked["contentChanges"]
                .as_array()
                .and_then(|changes| changes.last());
            state
                .documents
                .keep(uri, last.map_or(&Value::Null, |change| &change["text"]));
        }
        "textDocument/didClose" => state.documents.close(uri),
        "textDocument/inlayHint" => {
            let hints = state.documents.text(uri).map(|text| {
                let lines = (
                    documents::place(&asked["range"]["start"]).0,
                    documents::place(&asked["range"]["end"]).0,
                );
                answers::hints(text, lines, state.shapes)
            });
            let result = hints.unwrap_or_default();
            let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
            return Some(answer.to_string().into_bytes());
        }
        _ => {}
    }
    None
}

/// A message of upstream's server as the editor gets it.
fn answered(state: &Mutex<State>, text: Vec<u8>) -> Vec<u8> {
    let Ok(mut message) = serde_json::from_slice::<Value>(&text) else {
        return text;
    };
    let is_answer = message.get("method").is_none();
    let mut state = lock(state);
    let asked = state.asked.remove(&message["id"].to_string());
    let Some(asked) = asked.filter(|_| is_answer) else {
        return text;
    };
    match asked {
        Asked::Initialize => {
            let result = &mut message["result"];
            if let Some(capabilities) = result["capabilities"].as_object_mut() {
                capabilities.insert("inlayHintProvider".into(), true.into());
            }
            result["serverInfo"] = json!({
                "name": "mapwright-lsp-server",
                "version": env!("CARGO_PKG_VERSION"),
            });
        }
        Asked::Hover(program, place) => {
            let found = answers::hover(&program, place);
            let contents = message["result"].get_mut("contents");
            let contents = contents.and_then(Value::as_object_mut);
            let (Some(found), Some(contents)) = (found, contents) else {
                return text;
            };
            add(contents, &found);
        }
    }
    serde_json::to_vec_pretty(&message).unwrap_or(text)
}

/// Puts a text behind the contents of a hover.
fn add(contents: &mut Map<String, Value>, found: &str) {
    let own = contents
        .get("value")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let own = own.trim_end();
    let text = format!("{own}\n\n{found}");
    contents.insert("value".into(), text.into());
}
