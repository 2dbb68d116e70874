//! Reading a notation: a text, a place in it, errors that say the column.

use super::NotationError;

/// A place in a text. White space between tokens does not matter.
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Cursor { text, at: 0 }
    }

    /// Returns what `read` makes of a text, all of which it has to read.
    pub(crate) fn read<T>(
        text: &'a str,
        read: impl FnOnce(&mut Self) -> Result<T, NotationError>,
    ) -> Result<T, NotationError> {
        let mut cursor = Cursor::new(text);
        let value = read(&mut cursor)?;
        cursor.end()?;
        Ok(value)
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// An error here.
    pub(crate) fn expected(&mut self, what: &str) -> NotationError {
        self.skip_space();
        let found = match self.rest().chars().next() {
            Some(c) => format!("`{c}`"),
            None => "the end".to_owned(),
        };
        NotationError::Syntax {
            column: self.column(),
            expected: what.to_owned(),
            found,
        }
    }

    /// The column, counted in characters from one.
    pub(crate) fn column(&self) -> usize {
        self.text[..self.at].chars().count() + 1
    }

    /// Whether the next token begins with a text; nothing is read.
    pub(crate) fn sees(&mut self, token: &str) -> bool {
        self.skip_space();
        self.rest().starts_with(token)
    }

    /// Reads a token if it comes next. A word must end where the token ends.
    pub(crate) fn accept(&mut self, token: &str) -> bool {
        self.skip_space();
        let Some(after) = self.rest().strip_prefix(token) else {
            return false;
        };
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        if token.ends_with(is_word) && after.starts_with(is_word) {
            return false;
        }
        self.at += token.len();
        true
    }

    pub(crate) fn require(&mut self, token: &str) -> Result<(), NotationError> {
        if self.accept(token) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{token}`")))
        }
    }

    /// Reads a token that may run on into a word, such as the `x` of `2x4`.
    pub(crate) fn require_prefix(&mut self, token: &str) -> Result<(), NotationError> {
        if !self.sees(token) {
            return Err(self.expected(&format!("`{token}`")));
        }
        self.at += token.len();
        Ok(())
    }

    /// A decimal integer that fits into `i64`.
    pub(crate) fn integer(&mut self) -> Result<i64, NotationError> {
        self.skip_space();
        let rest = self.rest();
        let sign = usize::from(rest.starts_with('-'));
        let digits = rest[sign..].bytes().take_while(u8::is_ascii_digit).count();
        match rest[..sign + digits].parse() {
            Ok(value) if digits > 0 => {
                self.at += sign + digits;
                Ok(value)
            }
            _ if digits > 0 => Err(NotationError::Syntax {
                column: self.column(),
                expected: "an integer of 64 bits".to_owned(),
                found: format!("`{}`", &rest[..sign + digits]),
            }),
            _ => Err(self.expected("an integer")),
        }
    }

    /// `open a, b, … close` with a reader for the parts.
    pub(crate) fn list<T>(
        &mut self,
        open: &str,
        close: &str,
        mut part: impl FnMut(&mut Self) -> Result<T, NotationError>,
    ) -> Result<Vec<T>, NotationError> {
        self.require(open)?;
        let mut out = Vec::new();
        if self.accept(close) {
            return Ok(out);
        }
        loop {
            out.push(part(self)?);
            if self.accept(close) {
                return Ok(out);
            }
            if !self.accept(",") {
                return Err(self.expected(&format!("`,` or `{close}`")));
            }
        }
    }

    /// `[1, 2, …]`.
    pub(crate) fn integers(&mut self) -> Result<Vec<i64>, NotationError> {
        self.list("[", "]", Self::integer)
    }

    /// A word of letters, digits, `_`, `-`, `.`, `$`.
    pub(crate) fn word(&mut self, what: &str) -> Result<&'a str, NotationError> {
        self.skip_space();
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || "_-.$".contains(c)))
            .unwrap_or(rest.len());
        if end == 0 {
            return Err(self.expected(what));
        }
        self.at += end;
        Ok(&rest[..end])
    }

    /// The name of an axis in a tensor map: whatever such a name may consist of.
    pub(crate) fn axis_name(&mut self) -> Result<&'a str, NotationError> {
        self.skip_space();
        let rest = self.rest();
        let end = rest
            .find(|c: char| c.is_whitespace() || "(),\"".contains(c))
            .unwrap_or(rest.len());
        if end == 0 {
            return Err(self.expected("an axis name, `None` or `(`"));
        }
        self.at += end;
        Ok(&rest[..end])
    }

    /// A symbol: `@name` or `@"any name"`.
    pub(crate) fn symbol(&mut self) -> Result<String, NotationError> {
        self.require("@")?;
        if self.sees("\"") {
            self.string()
        } else {
            Ok(self.word("a symbol name")?.to_owned())
        }
    }

    /// A quoted string with MLIR's escapes.
    pub(crate) fn string(&mut self) -> Result<String, NotationError> {
        self.require("\"")?;
        let mut bytes = Vec::new();
        let mut chars = self.rest().char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += i + 1;
                    return Ok(String::from_utf8_lossy(&bytes).into_owned());
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => bytes.push(b'\n'),
                    Some((_, 't')) => bytes.push(b'\t'),
                    Some((_, e @ ('"' | '\\'))) => bytes.push(e as u8),
                    Some((_, high)) => {
                        let low = chars.next().map(|x| x.1);
                        match (high.to_digit(16), low.and_then(|c| c.to_digit(16))) {
                            (Some(h), Some(l)) => bytes.push((h * 16 + l) as u8),
                            _ => return Err(self.expected("a string with known escapes")),
                        }
                    }
                    None => break,
                },
                _ => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        self.at = self.text.len();
        Err(self.expected("`\"`"))
    }

    /// `{…}` with balanced braces, as it stands; braces in strings do not count.
    pub(crate) fn braced(&mut self) -> Result<&'a str, NotationError> {
        self.skip_space();
        let start = self.at;
        let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
        for (i, c) in self.rest().char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' if quoted => escaped = true,
                '"' => quoted = !quoted,
                '{' if !quoted => depth += 1,
                '}' if !quoted => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.at = start + i + 1;
                        return Ok(&self.text[start..self.at]);
                    }
                }
                _ if depth == 0 => return Err(self.expected("`{`")),
                _ => {}
            }
        }
        self.at = self.text.len();
        Err(self.expected("`}`"))
    }

    /// Checks that nothing follows.
    pub(crate) fn end(&mut self) -> Result<(), NotationError> {
        self.skip_space();
        if self.rest().is_empty() {
            Ok(())
        } else {
            Err(self.expected("the end"))
        }
    }
}

/// A quoted string with MLIR's escapes.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for b in text.bytes() {
        match b {
            b'"' | b'\\' => out.extend(['\\', b as char]),
            0x20..=0x7e => out.push(b as char),
            _ => out.push_str(&format!("\\{b:02X}")),
        }
    }
    out.push('"');
    out
}

/// A symbol as MLIR prints it.
pub(crate) fn symbol(name: &str) -> String {
    let plain = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "_-.$".contains(c))
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if plain {
        format!("@{name}")
    } else {
        format!("@{}", quoted(name))
    }
}
