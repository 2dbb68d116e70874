//! A grammar in EBNF as it stands in the guide: sentences that it makes, and whether it makes one.

use super::Random;
use std::collections::{BTreeMap, BTreeSet};

/// What may stand on the right of a rule.
enum Form {
    /// A word that stands for itself.
    Word(String),
    /// Another rule, or one of `name`, `variable` and `integer`, which the text below the grammar
    /// describes.
    Rule(String),
    OneOf(Vec<Form>),
    All(Vec<Form>),
    Maybe(Box<Form>),
    Repeated(Box<Form>),
}

/// The rules by their names; the first is `map`.
pub struct Grammar {
    rules: BTreeMap<String, Form>,
}

/// Reads the right side of a rule; `words` are what is left of the grammar.
struct Reader<'a> {
    words: std::iter::Peekable<std::vec::IntoIter<&'a str>>,
}

impl Reader<'_> {
    fn choice(&mut self) -> Form {
        let mut forms = vec![self.sequence()];
        while self.words.next_if_eq(&"|").is_some() {
            forms.push(self.sequence());
        }
        match forms.len() {
            1 => forms.remove(0),
            _ => Form::OneOf(forms),
        }
    }

    fn sequence(&mut self) -> Form {
        let mut forms = Vec::new();
        while let Some(word) = self
            .words
            .next_if(|word| !["|", ";", ")", "]", "}"].contains(word))
        {
            let close = match word {
                "(" => ")",
                "[" => "]",
                "{" => "}",
                _ => {
                    let literal = word.strip_prefix('"').and_then(|w| w.strip_suffix('"'));
                    forms.push(match literal {
                        Some(literal) => Form::Word(literal.into()),
                        None => Form::Rule(word.into()),
                    });
                    continue;
                }
            };
            let inner = self.choice();
            assert_eq!(self.words.next(), Some(close));
            forms.push(match word {
                "[" => Form::Maybe(Box::new(inner)),
                "{" => Form::Repeated(Box::new(inner)),
                _ => inner,
            });
        }
        Form::All(forms)
    }
}

/// The words that no variable is called.
const KEYWORDS: [&str; 7] = ["floordiv", "ceildiv", "mod", "min", "max", "in", "domain"];

fn is_name(word: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    let part = |c: char| letter(c) || c.is_ascii_digit() || c == '.' || c == '$';
    word.starts_with(letter) && word.chars().all(part) && !KEYWORDS.contains(&word)
}

/// The words of a map.
pub fn words(text: &str) -> Vec<String> {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.' || c == '$';
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = match first {
            _ if part(first) => rest.find(|c| !part(c)).unwrap_or(rest.len()),
            '-' if rest.starts_with("->") => 2,
            _ => first.len_utf8(),
        };
        let (word, after) = rest.split_at(end);
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    words
}

impl Grammar {
    /// Reads the grammar of the guide.
    pub fn from_guide() -> Grammar {
        let page = include_str!("../../../../docs/guide/src/text-form.md");
        let grammar = page
            .split("```ebnf\n")
            .nth(1)
            .and_then(|rest| rest.split("```").next());
        Grammar::read(grammar.unwrap_or_default())
    }

    /// Reads rules `name = … ;` whose words have spaces between them.
    fn read(text: &str) -> Grammar {
        let words: Vec<&str> = text.split_whitespace().collect();
        let words = words.into_iter().peekable();
        let mut reader = Reader { words };
        let mut rules = BTreeMap::new();
        while let Some(name) = reader.words.next() {
            assert_eq!(reader.words.next(), Some("="), "{name}");
            let form = reader.choice();
            assert_eq!(reader.words.next(), Some(";"), "{name}");
            assert!(rules.insert(name.into(), form).is_none(), "{name}");
        }
        Grammar { rules }
    }

    /// Decides whether the words are a sentence.
    pub fn makes(&self, words: &[String]) -> bool {
        self.ends(&Form::Rule("map".into()), words, 0)
            .contains(&words.len())
    }

    /// Where a form that begins at `start` may end. No rule begins with itself, so the search ends.
    fn ends(&self, form: &Form, words: &[String], start: usize) -> BTreeSet<usize> {
        let word = |is: &dyn Fn(&str) -> bool| {
            let found = words.get(start).is_some_and(|word| is(word));
            found.then_some(start + 1).into_iter().collect()
        };
        let after = |starts: &BTreeSet<usize>, form: &Form| -> BTreeSet<usize> {
            starts
                .iter()
                .flat_map(|start| self.ends(form, words, *start))
                .collect()
        };
        match form {
            Form::Word(literal) => word(&|word| word == literal),
            Form::Rule(name) => match name.as_str() {
                "name" | "variable" => word(&is_name),
                "integer" => word(&|word| word.bytes().all(|byte| byte.is_ascii_digit())),
                _ => self.ends(&self.rules[name], words, start),
            },
            Form::OneOf(forms) => forms
                .iter()
                .flat_map(|form| self.ends(form, words, start))
                .collect(),
            Form::All(forms) => forms
                .iter()
                .fold(BTreeSet::from([start]), |starts, form| after(&starts, form)),
            Form::Maybe(inner) => {
                let mut ends = self.ends(inner, words, start);
                ends.insert(start);
                ends
            }
            Form::Repeated(inner) => {
                let mut ends = BTreeSet::from([start]);
                let mut new = ends.clone();
                while !new.is_empty() {
                    new = after(&new, inner).difference(&ends).copied().collect();
                    ends.extend(&new);
                }
                ends
            }
        }
    }
}

/// A sentence as it is drawn, with what the grammar does not say: names are declared once, and a
/// domain begins with all of them.
pub struct Sentence<'g> {
    grammar: &'g Grammar,
    words: Vec<String>,
    declared: Vec<String>,
    /// How many rules are open: deep ones take their shortest form.
    depth: usize,
}

const DEEP: usize = 14;

impl Sentence<'_> {
    pub fn draw(grammar: &Grammar, random: &mut Random) -> Vec<String> {
        let mut sentence = Sentence {
            grammar,
            words: Vec::new(),
            declared: Vec::new(),
            depth: 0,
        };
        sentence.rule("map", random);
        sentence.words
    }

    fn word(&mut self, word: &str) {
        self.words.push(word.into());
    }

    fn rule(&mut self, name: &str, random: &mut Random) {
        match name {
            "integer" => self.word(random.pick(&["1", "2", "16", "9223372036854775807"])),
            "name" => {
                let name = format!(
                    "{}{}",
                    random.pick(&["d", "inf", "_", "th.x$"]),
                    self.declared.len()
                );
                self.word(&name);
                self.declared.push(name);
            }
            "variable" => match self.declared.len() {
                0 => self.rule("integer", random),
                n => self.word(&self.declared[random.below(n)].clone()),
            },
            "domain" => {
                let more = random.below(3).max(usize::from(self.declared.is_empty()));
                for entry in 0..self.declared.len() + more {
                    if entry > 0 {
                        self.word(",");
                    }
                    match self.declared.get(entry).cloned() {
                        Some(variable) => {
                            self.word(&variable);
                            self.word("in");
                            self.rule("interval", random);
                        }
                        None => self.rule("constraint", random),
                    }
                }
            }
            _ => {
                self.depth += 1;
                let grammar = self.grammar;
                self.form(&grammar.rules[name], random);
                self.depth -= 1;
            }
        }
    }

    fn form(&mut self, form: &Form, random: &mut Random) {
        let deep = self.depth > DEEP;
        match form {
            Form::Word(word) => self.word(word),
            Form::Rule(name) => self.rule(name, random),
            Form::OneOf(forms) => {
                // Of a factor the second form, an integer, is the shortest.
                let at = if deep { 1 } else { random.below(forms.len()) };
                self.form(&forms[at], random);
            }
            Form::All(forms) => forms.iter().for_each(|form| self.form(form, random)),
            Form::Maybe(inner) => {
                if random.chance(50) {
                    self.form(inner, random);
                }
            }
            Form::Repeated(inner) => {
                while !deep && random.chance(30) {
                    self.form(inner, random);
                }
            }
        }
    }
}

impl Random {
    /// Changes a sentence in one place: takes a word away, doubles it, puts others in its place or
    /// in front of it, or exchanges two.
    pub fn change(&mut self, words: &mut Vec<String>) {
        const OTHERS: [&str; 28] = [
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            ",",
            ":",
            "->",
            "+",
            "-",
            "*",
            "/",
            "floordiv",
            "mod",
            "min",
            "in",
            "inf",
            "domain",
            "d0",
            "7",
            "%",
            "UNKNOWN",
            "( 7 )",
            "- 7",
            "7 - 7",
            "max ( 7 , 7 )",
            "7 ceildiv 7",
        ];
        let at = self.below(words.len());
        let others = self.pick(&OTHERS).split(' ').map(String::from);
        match self.below(5) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[at].clone()),
            2 => drop(words.splice(at..=at, others)),
            3 => drop(words.splice(at..at, others)),
            _ => {
                let with = self.below(words.len());
                words.swap(at, with);
            }
        }
    }
}
