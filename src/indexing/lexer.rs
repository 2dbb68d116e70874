//! From text to tokens, and errors that say where.

use crate::interval::Interval;
use std::fmt;

/// Error of a text that is not a map: its place and reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// The column (in characters, from 1) at which something else was expected. Line breaks count
    /// as characters.
    pub column: usize,
    /// Expectation there, in words.
    pub expected: String,
    /// Text that stands there.
    pub found: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "column {}: expected {}, found {}",
            self.column, self.expected, self.found
        )
    }
}

impl std::error::Error for ParseError {}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Token<'a> {
    Word(&'a str),
    /// The magnitude; too large a number is an error where it stands.
    Number(u64),
    TooLarge(&'a str),
    Punctuation(char),
    Arrow,
    End,
    Bad(char),
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(w) => write!(f, "`{w}`"),
            Token::Number(n) => write!(f, "`{n}`"),
            Token::TooLarge(n) => write!(f, "`{n}`, which does not fit into 64 bits"),
            Token::Punctuation(p) | Token::Bad(p) => write!(f, "`{p}`"),
            Token::Arrow => f.write_str("`->`"),
            Token::End => f.write_str("the end"),
        }
    }
}

pub(crate) struct Lexer<'a> {
    pub(crate) text: &'a str,
    /// Start and end of the token that `peek` shows, as positions in the text.
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) token: Token<'a>,
}

pub(crate) type Parsed<T> = Result<T, ParseError>;

pub(crate) const KEYWORDS: [&str; 7] = ["floordiv", "ceildiv", "mod", "min", "max", "in", "domain"];

/// Tells whether a variable of a map may be called so: by a word that is no keyword, no end of an
/// interval, and no name that variables have by their places (`d0`, `s0`, `rt0`).
///
/// ```
/// use mapwright_indexing::is_variable_name;
/// assert!(is_variable_name("batch") && is_variable_name("d"));
/// assert!(!["mod", "inf", "rt1", "2n", "a b", ""].into_iter().any(is_variable_name));
/// ```
pub fn is_variable_name(text: &str) -> bool {
    let is_place = ["d", "s", "rt"].into_iter().any(|prefix| {
        let number = text.strip_prefix(prefix).unwrap_or_default();
        !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
    });
    let is_reserved = text == "inf" || KEYWORDS.contains(&text);
    matches!(Lexer::new(text).token, Token::Word(word) if word == text) && !is_place && !is_reserved
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut lexer = Lexer {
            text,
            start: 0,
            end: 0,
            token: Token::End,
        };
        lexer.advance();
        lexer
    }

    pub(crate) fn advance(&mut self) {
        let bytes = self.text.as_bytes();
        let mut i = self.end;
        while i < bytes.len() && bytes[i].is_ascii_whitespace() {
            i += 1;
        }
        self.start = i;
        let Some(&first) = bytes.get(i) else {
            self.end = i;
            self.token = Token::End;
            return;
        };
        let run = |f: fn(&u8) -> bool| i + bytes[i..].iter().take_while(|b| f(b)).count();
        match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                self.end =
                    run(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b == b'.' || *b == b'$');
                self.token = Token::Word(&self.text[i..self.end]);
            }
            b'0'..=b'9' => {
                self.end = run(u8::is_ascii_digit);
                let digits = &self.text[i..self.end];
                self.token = digits
                    .parse()
                    .map_or(Token::TooLarge(digits), Token::Number);
            }
            b'-' if bytes.get(i + 1) == Some(&b'>') => {
                self.end = i + 2;
                self.token = Token::Arrow;
            }
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b':' | b'+' | b'-' | b'*' | b'/'
            | b'%' => {
                self.end = i + 1;
                self.token = Token::Punctuation(first as char);
            }
            _ => {
                let bad = self.text[i..].chars().next().unwrap_or(' ');
                self.end = i + bad.len_utf8();
                self.token = Token::Bad(bad);
            }
        }
    }

    pub(crate) fn error<T>(&self, expected: impl Into<String>) -> Parsed<T> {
        self.error_at(self.start, expected, self.token.to_string())
    }

    pub(crate) fn error_at<T>(
        &self,
        offset: usize,
        expected: impl Into<String>,
        found: String,
    ) -> Parsed<T> {
        let column = self.text[..offset].chars().count() + 1;
        Err(ParseError {
            column,
            expected: expected.into(),
            found,
        })
    }

    pub(crate) fn is(&self, p: char) -> bool {
        self.token == Token::Punctuation(p)
    }

    pub(crate) fn eat(&mut self, p: char) -> bool {
        let is = self.is(p);
        if is {
            self.advance();
        }
        is
    }

    pub(crate) fn expect(&mut self, p: char) -> Parsed<()> {
        if self.eat(p) {
            Ok(())
        } else {
            self.error(format!("`{p}`"))
        }
    }

    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let is = self.token == Token::Word(word);
        if is {
            self.advance();
        }
        is
    }

    pub(crate) fn integer(&mut self) -> Parsed<i64> {
        let start = self.start;
        let negative = self.eat('-');
        let Token::Number(n) = self.token else {
            return self.error("an integer");
        };
        match signed(n, negative) {
            Some(v) => {
                self.advance();
                Ok(v)
            }
            None => self.error_at(
                start,
                "an integer of 64 bits",
                format!("`{}`", &self.text[start..self.end]),
            ),
        }
    }

    pub(crate) fn interval(&mut self) -> Parsed<Interval> {
        self.expect('[')?;
        let lower = if self.no_end(true) {
            i64::MIN
        } else {
            self.integer()?
        };
        self.expect(',')?;
        let upper = if self.no_end(false) {
            i64::MAX
        } else {
            self.integer()?
        };
        self.expect(']')?;
        Ok(Interval::new(lower, upper))
    }

    /// Reads `inf`, or `-inf`, if that is what stands here.
    fn no_end(&mut self, negative: bool) -> bool {
        let before = (self.start, self.end, self.token);
        let found = (!negative || self.eat('-')) && self.eat_word("inf");
        if !found {
            (self.start, self.end, self.token) = before;
        }
        found
    }
}

pub(crate) fn signed(magnitude: u64, negative: bool) -> Option<i64> {
    let v = magnitude as i128;
    i64::try_from(if negative { -v } else { v }).ok()
}
