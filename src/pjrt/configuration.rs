//! The configuration of a call by name, from the text in which the runtime hands it over:
//! `{index = 0 : ui64, name = "x"}`.

/// A value of a configuration, as foreign functions take them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// A number: XLA's code of its type, and its bytes.
    Scalar(i32, Vec<u8>),
    Text(String),
    /// Numbers of one type: its code, how many there are, and their bytes.
    Numbers(i32, usize, Vec<u8>),
    Dictionary(Vec<(String, Value)>),
}

/// The codes of the types that numbers have in texts, with their widths in bytes.
const TYPES: [(&str, i32, usize); 12] = [
    ("i1", 1, 1),
    ("i8", 2, 1),
    ("i16", 3, 2),
    ("i32", 4, 4),
    ("i64", 5, 8),
    ("ui8", 6, 1),
    ("ui16", 7, 2),
    ("ui32", 8, 4),
    ("ui64", 9, 8),
    ("f32", 11, 4),
    ("f64", 12, 8),
    ("index", 5, 8),
];

/// Reads a dictionary; an empty text is an empty one.
///
/// # Errors
/// What there is instead.
pub(crate) fn read(text: &str) -> Result<Vec<(String, Value)>, String> {
    let mut reader = Reader { rest: text.trim() };
    if reader.rest.is_empty() {
        return Ok(Vec::new());
    }
    let all = reader.dictionary()?;
    if reader.rest.trim().is_empty() {
        Ok(all)
    } else {
        Err(reader.wrong("the end"))
    }
}

/// Takes the numbers of this name, of 64 bits, out of a configuration; none if it has no such.
pub(crate) fn take_numbers(values: &mut Vec<(String, Value)>, name: &str) -> Vec<usize> {
    let place = values.iter().position(|(own, _)| own == name);
    match place.map(|place| values.remove(place)) {
        Some((_, Value::Numbers(_, _, bytes))) => {
            let numbers = bytes
                .chunks_exact(8)
                .filter_map(|eight| eight.try_into().ok());
            let numbers = numbers.map(i64::from_le_bytes);
            numbers.filter_map(|n| usize::try_from(n).ok()).collect()
        }
        _ => Vec::new(),
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn wrong(&self, wanted: &str) -> String {
        let found: String = self.rest.chars().take(20).collect();
        format!("in the configuration of the call: {wanted} is expected before {found:?}")
    }

    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.eat(token) {
            Ok(())
        } else {
            Err(self.wrong(&format!("{token:?}")))
        }
    }

    /// Characters up to one that is in no word or number.
    fn word(&mut self) -> Result<&'a str, String> {
        self.rest = self.rest.trim_start();
        let inside = |c: char| c.is_alphanumeric() || "_.$+-".contains(c);
        let end = self.rest.find(|c| !inside(c)).unwrap_or(self.rest.len());
        match end {
            0 => Err(self.wrong("a word")),
            end => {
                let (word, rest) = self.rest.split_at(end);
                self.rest = rest;
                Ok(word)
            }
        }
    }

    /// A text in quotation marks, with MLIR's escapes.
    fn quoted(&mut self) -> Result<String, String> {
        self.expect("\"")?;
        let mut bytes = Vec::new();
        let mut left = self.rest.bytes();
        let mut used = 0;
        while let Some(byte) = left.next() {
            used += 1;
            match byte {
                b'"' => {
                    self.rest = &self.rest[used..];
                    return Ok(String::from_utf8_lossy(&bytes).into_owned());
                }
                b'\\' => {
                    let first = left.next().ok_or("a text ends with an escape")?;
                    used += 1;
                    let digit = |byte: u8| char::from(byte).to_digit(16);
                    let plain = match first {
                        b'n' => Some(b'\n'),
                        b't' => Some(b'\t'),
                        b'"' | b'\\' => Some(first),
                        _ => None,
                    };
                    match plain {
                        Some(byte) => bytes.push(byte),
                        None => {
                            let second = left.next().and_then(digit);
                            used += 1;
                            let code = digit(first).zip(second);
                            let (high, low) = code.ok_or("a text has an unknown escape")?;
                            bytes.push((high * 16 + low) as u8);
                        }
                    }
                }
                other => bytes.push(other),
            }
        }
        Err("a text has no end".to_owned())
    }

    fn dictionary(&mut self) -> Result<Vec<(String, Value)>, String> {
        self.expect("{")?;
        let mut all = Vec::new();
        if self.eat("}") {
            return Ok(all);
        }
        loop {
            let quoted = self.rest.trim_start().starts_with('"');
            let name = if quoted {
                self.quoted()?
            } else {
                self.word()?.to_owned()
            };
            let value = if self.eat("=") {
                self.value()?
            } else {
                Value::Scalar(1, vec![1])
            };
            all.push((name, value));
            if self.eat("}") {
                return Ok(all);
            }
            self.expect(",")?;
        }
    }

    fn value(&mut self) -> Result<Value, String> {
        self.rest = self.rest.trim_start();
        if self.rest.starts_with('{') {
            return self.dictionary().map(Value::Dictionary);
        }
        if self.rest.starts_with('"') {
            return self.quoted().map(Value::Text);
        }
        if self.eat("dense<") {
            return self.dense();
        }
        if self.eat("array<") {
            let name = self.word()?;
            let mut words = Vec::new();
            if self.eat(":") {
                words.push(self.word()?);
                while self.eat(",") {
                    words.push(self.word()?);
                }
            }
            self.expect(">")?;
            return self.numbers(name, &words);
        }
        let word = self.word()?;
        if matches!(word, "true" | "false") {
            return Ok(Value::Scalar(1, vec![u8::from(word == "true")]));
        }
        let name = match self.eat(":") {
            true => self.word()?,
            false if word.contains(['.', 'e']) => "f64",
            false => "i64",
        };
        match self.numbers(name, &[word])? {
            Value::Numbers(code, _, bytes) => Ok(Value::Scalar(code, bytes)),
            other => Ok(other),
        }
    }

    /// Reads the rest behind `dense<`: numbers, in brackets or one for all, and the type of the
    /// tensor.
    fn dense(&mut self) -> Result<Value, String> {
        let mut words = Vec::new();
        loop {
            if self.eat("[") || self.eat("]") || self.eat(",") {
                continue;
            }
            if self.eat(">") {
                break;
            }
            words.push(self.word()?);
        }
        self.expect(":")?;
        self.expect("tensor<")?;
        let ty = self.word()?;
        self.expect(">")?;
        let (sizes, name) = ty.rsplit_once('x').unwrap_or(("", ty));
        let sizes = sizes.split('x').filter(|size| !size.is_empty());
        let count: usize = sizes.map(|size| size.parse().unwrap_or(0)).product();
        if words.len() == 1 {
            words = vec![words[0]; count.min(1 << 24)];
        }
        self.numbers(name, &words)
    }

    fn numbers(&self, name: &str, words: &[&str]) -> Result<Value, String> {
        let found = TYPES.iter().find(|(known, ..)| *known == name);
        let (_, code, width) = found.ok_or_else(|| format!("numbers of type {name}"))?;
        let mut bytes = Vec::new();
        for word in words {
            let number = number(word, name, *width)
                .ok_or_else(|| format!("{word:?} is no number of type {name}"))?;
            bytes.extend(&number.to_le_bytes()[..*width]);
        }
        Ok(Value::Numbers(*code, words.len(), bytes))
    }
}

/// The bits of a number.
fn number(word: &str, name: &str, width: usize) -> Option<u64> {
    if let Some(digits) = word.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    match (name, width, word) {
        (_, _, "true") => Some(1),
        (_, _, "false") => Some(0),
        ("f32", ..) => word.parse::<f32>().ok().map(|value| value.to_bits().into()),
        ("f64", ..) => word.parse::<f64>().ok().map(f64::to_bits),
        _ => {
            let value = word.parse::<i128>().ok()?;
            Some(value as u64)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Value {
        let mut all = read(&format!("{{a = {text}}}")).unwrap();
        all.remove(0).1
    }

    #[test]
    fn numbers_have_the_bytes_of_their_types() {
        assert_eq!(
            one("3 : ui64"),
            Value::Scalar(9, vec![3, 0, 0, 0, 0, 0, 0, 0])
        );
        assert_eq!(one("-2 : i16"), Value::Scalar(3, vec![0xfe, 0xff]));
        assert_eq!(one("7"), Value::Scalar(5, 7i64.to_le_bytes().into()));
        let half = Value::Scalar(11, 0.5f32.to_le_bytes().into());
        assert_eq!(one("5.000000e-01 : f32"), half);
        assert_eq!(
            one("0x7FC00000 : f32"),
            Value::Scalar(11, vec![0, 0, 0xc0, 0x7f])
        );
        assert_eq!(one("true"), Value::Scalar(1, vec![1]));
        let list = Value::Numbers(4, 2, vec![1, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(one("array<i32: 1, 2>"), list);
        assert_eq!(one("dense<[1, 2]> : tensor<2xi32>"), list);
        assert_eq!(one("array<i64>"), Value::Numbers(5, 0, vec![]));
        let same = Value::Numbers(2, 4, vec![9; 4]);
        assert_eq!(one("dense<9> : tensor<2x2xi8>"), same);
    }

    #[test]
    fn numbers_are_taken_out_by_name() {
        let mut all = read("{a = 1 : i8, places = array<i64: 0, 3>}").unwrap();
        assert_eq!(take_numbers(&mut all, "places"), [0, 3]);
        assert_eq!(all, [("a".into(), Value::Scalar(2, vec![1]))]);
        assert!(take_numbers(&mut all, "places").is_empty());
    }

    #[test]
    fn texts_dictionaries_and_units() {
        assert_eq!(one(r#""a\22b\0A\\""#), Value::Text("a\"b\n\\".into()));
        let all = read("{b = {c = \"d\"}, unit, \"e f\" = 1 : i8}").unwrap();
        let inner = vec![("c".into(), Value::Text("d".into()))];
        assert_eq!(all[0], ("b".into(), Value::Dictionary(inner)));
        assert_eq!(all[1], ("unit".into(), Value::Scalar(1, vec![1])));
        assert_eq!(all[2], ("e f".into(), Value::Scalar(2, vec![1])));
        assert_eq!(read("").unwrap(), []);
        assert_eq!(read("{}").unwrap(), []);
    }

    #[test]
    fn what_is_no_dictionary_is_an_error() {
        for wrong in [
            "{",
            "{a = }",
            "{a = 1 : x}",
            "x",
            "{} y",
            "{a = \"b}",
            "{a = x : i8}",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
