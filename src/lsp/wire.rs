//! Messages of the language server protocol on a stream.

use std::io::{self, BufRead, Read as _, Write};

/// Framing by which messages are told apart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// A header says how long a message is, as editors do it.
    Headers,
    /// Lines `// -----` between them, as in upstream's tests.
    Delimited,
}

/// The longest message that is taken.
const LONGEST: usize = 1 << 30;

/// Reads a message; `None` at the end.
pub(super) fn read(input: &mut impl BufRead, framing: Framing) -> io::Result<Option<Vec<u8>>> {
    match framing {
        Framing::Headers => with_headers(input),
        Framing::Delimited => delimited(input),
    }
}

fn with_headers(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value
                .trim()
                .parse()
                .ok()
                .filter(|length| *length <= LONGEST);
        }
        if line.is_empty() && length.is_some() {
            break;
        }
    }
    let length = length.unwrap_or(0) as u64;
    let mut text = Vec::new();
    input.take(length).read_to_end(&mut text)?;
    Ok(Some(text))
}

fn delimited(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut text = Vec::new();
    loop {
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok((!text.is_empty()).then_some(text));
        }
        if line.starts_with(b"// -----") {
            return Ok(Some(text));
        }
        if !line.starts_with(b"//") {
            text.extend(line);
        }
    }
}

/// Writes a message.
pub(super) fn write(output: &mut impl Write, framing: Framing, text: &[u8]) -> io::Result<()> {
    match framing {
        Framing::Headers => {
            write!(output, "Content-Length: {}\r\n\r\n", text.len())?;
            output.write_all(text)?;
        }
        Framing::Delimited => {
            output.write_all(text)?;
            output.write_all(b"\n// -----\n")?;
        }
    }
    output.flush()
}
