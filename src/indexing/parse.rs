//! The parser of the text form. Operators are put in order with a stack of our own, so that nesting
//! costs no stack.

use crate::expr::{Expr, Op, c, d, negate, rt, s};
use crate::interval::Interval;
use crate::lexer::{KEYWORDS, Lexer, ParseError, Parsed, Token, signed};
use crate::map::{IndexingMap, Origin, RuntimeVariable, Variable};
use rustc_hash::FxHashMap;
use std::str::FromStr;

/// Tokens that an expression begins with, in the words of messages.
const OPERAND: &str = "a variable, an integer or `(`";

/// Entry of the operator stack.
#[derive(Clone, Copy)]
enum Pending {
    Open,
    /// `min(` or `max(`; the flag says whether the comma was seen.
    Call(Op, bool),
    Sum {
        subtract: bool,
    },
    Product(Op, usize),
    Negate,
}

struct ExprParser<'n> {
    operands: Vec<Expr>,
    pending: Vec<Pending>,
    variables: &'n FxHashMap<String, Expr>,
}

impl ExprParser<'_> {
    fn pop2(&mut self) -> (Expr, Expr) {
        let b = self.operands.pop().unwrap_or_else(|| c(0));
        let a = self.operands.pop().unwrap_or_else(|| c(0));
        (a, b)
    }

    fn reduce_products(&mut self, lexer: &Lexer<'_>) -> Parsed<()> {
        while let Some(Pending::Product(op, at)) = self.pending.last().copied() {
            self.pending.pop();
            let (a, b) = self.pop2();
            if b.as_constant() == Some(0) && op != Op::Mul {
                return lexer.error_at(at, "a divisor that is not zero", "`0`".into());
            }
            self.operands.push(Expr::raw(op, a, b));
        }
        Ok(())
    }

    fn reduce_sums(&mut self, lexer: &Lexer<'_>) -> Parsed<()> {
        self.reduce_products(lexer)?;
        while let Some(Pending::Sum { subtract }) = self.pending.last().copied() {
            self.pending.pop();
            let (a, b) = self.pop2();
            self.operands
                .push(Expr::raw(Op::Add, a, if subtract { negate(b) } else { b }));
        }
        Ok(())
    }

    /// An operand is complete: apply the unary minuses before it.
    fn operand(&mut self, e: Expr) {
        let mut e = e;
        while let Some(Pending::Negate) = self.pending.last() {
            self.pending.pop();
            e = negate(e);
        }
        self.operands.push(e);
    }

    fn parse(&mut self, lexer: &mut Lexer<'_>) -> Parsed<Expr> {
        loop {
            // An operand.
            match lexer.token {
                Token::Punctuation('-') => {
                    let start = lexer.start;
                    lexer.advance();
                    if let Token::Number(n) = lexer.token {
                        let Some(v) = signed(n, true) else {
                            let found = format!("`{}`", &lexer.text[start..lexer.end]);
                            return lexer.error_at(start, "an integer of 64 bits", found);
                        };
                        lexer.advance();
                        self.operand(c(v));
                    } else {
                        self.pending.push(Pending::Negate);
                        continue;
                    }
                }
                Token::Punctuation('(') => {
                    lexer.advance();
                    self.pending.push(Pending::Open);
                    continue;
                }
                Token::Word(word @ ("min" | "max")) => {
                    lexer.advance();
                    lexer.expect('(')?;
                    self.pending.push(Pending::Call(
                        if word == "min" { Op::Min } else { Op::Max },
                        false,
                    ));
                    continue;
                }
                Token::Word(word) => match self.variables.get(word) {
                    Some(e) => {
                        let e = e.clone();
                        lexer.advance();
                        self.operand(e);
                    }
                    None if KEYWORDS.contains(&word) => return lexer.error(OPERAND),
                    None => return lexer.error("a variable that is declared before `->`"),
                },
                Token::Number(n) => match signed(n, false) {
                    Some(v) => {
                        lexer.advance();
                        self.operand(c(v));
                    }
                    None => return lexer.error("an integer of 64 bits"),
                },
                Token::TooLarge(_) => return lexer.error("an integer of 64 bits"),
                _ => return lexer.error(OPERAND),
            }
            // What follows an operand.
            loop {
                match lexer.token {
                    Token::Punctuation(p @ ('+' | '-')) => {
                        self.reduce_sums(lexer)?;
                        self.pending.push(Pending::Sum { subtract: p == '-' });
                        lexer.advance();
                        break;
                    }
                    Token::Punctuation('*' | '/' | '%')
                    | Token::Word("floordiv" | "ceildiv" | "mod") => {
                        let op = match lexer.token {
                            Token::Punctuation('*') => Op::Mul,
                            Token::Word("ceildiv") => Op::CeilDiv,
                            Token::Punctuation('%') | Token::Word("mod") => Op::Mod,
                            _ => Op::FloorDiv,
                        };
                        self.reduce_products(lexer)?;
                        lexer.advance();
                        self.pending.push(Pending::Product(op, lexer.start));
                        break;
                    }
                    Token::Punctuation(')') => {
                        self.reduce_sums(lexer)?;
                        match self.pending.last().copied() {
                            Some(Pending::Open) => {
                                self.pending.pop();
                                lexer.advance();
                                let e = self.operands.pop().unwrap_or_else(|| c(0));
                                self.operand(e);
                            }
                            Some(Pending::Call(op, true)) => {
                                self.pending.pop();
                                lexer.advance();
                                let (a, b) = self.pop2();
                                self.operand(Expr::raw(op, a, b));
                            }
                            Some(_) => return lexer.error("`,`"),
                            None => return self.finish(),
                        }
                    }
                    Token::Punctuation(',') => {
                        self.reduce_sums(lexer)?;
                        match self.pending.last_mut() {
                            Some(Pending::Call(_, seen)) if !*seen => {
                                *seen = true;
                                lexer.advance();
                                break;
                            }
                            Some(_) => return lexer.error("`)`"),
                            None => return self.finish(),
                        }
                    }
                    _ => {
                        self.reduce_sums(lexer)?;
                        if self.pending.is_empty() {
                            return self.finish();
                        }
                        return lexer.error("an operator or `)`");
                    }
                }
            }
        }
    }

    fn finish(&mut self) -> Parsed<Expr> {
        Ok(self.operands.pop().unwrap_or_else(|| c(0)))
    }
}

fn parse_expr_with(lexer: &mut Lexer<'_>, variables: &FxHashMap<String, Expr>) -> Parsed<Expr> {
    ExprParser {
        operands: Vec::new(),
        pending: Vec::new(),
        variables,
    }
    .parse(lexer)
}

/// The names of one list, up to its closing bracket. A name that is the default of its place is no
/// name of its own.
fn names(
    lexer: &mut Lexer<'_>,
    close: char,
    prefix: &str,
    make: fn(usize) -> Expr,
    variables: &mut FxHashMap<String, Expr>,
    order: &mut Vec<String>,
) -> Parsed<Vec<String>> {
    let mut list = Vec::new();
    lexer.advance();
    if lexer.eat(close) {
        return Ok(list);
    }
    loop {
        let Token::Word(word) = lexer.token else {
            return lexer.error("a variable name");
        };
        if KEYWORDS.contains(&word) {
            return lexer.error("a variable name that is not a keyword");
        }
        if variables
            .insert(word.to_string(), make(list.len()))
            .is_some()
        {
            return lexer.error("a variable name that is not taken yet");
        }
        order.push(word.to_string());
        let default = format!("{prefix}{}", list.len());
        list.push(if word == default {
            String::new()
        } else {
            word.to_string()
        });
        lexer.advance();
        if !lexer.eat(',') {
            break;
        }
    }
    if lexer.eat(close) {
        Ok(list)
    } else {
        lexer.error(format!("`,` or `{close}`"))
    }
}

fn parse_map(lexer: &mut Lexer<'_>) -> Parsed<IndexingMap> {
    if lexer.eat_word("KNOWN") {
        if !lexer.eat_word("EMPTY") {
            return lexer.error("`EMPTY`");
        }
        return Ok(IndexingMap::known_empty(0, 0));
    }
    if lexer.eat_word("UNKNOWN") {
        return Ok(IndexingMap::unknown("the text says so"));
    }
    if !lexer.is('(') {
        return lexer.error("`(`, `KNOWN EMPTY` or `UNKNOWN`");
    }
    let mut variables = FxHashMap::default();
    let mut order = Vec::new();
    let dims = names(lexer, ')', "d", d, &mut variables, &mut order)?;
    let ranges = if lexer.is('[') {
        names(lexer, ']', "s", s, &mut variables, &mut order)?
    } else {
        Vec::new()
    };
    let runtime = if lexer.is('{') {
        names(lexer, '}', "rt", rt, &mut variables, &mut order)?
    } else {
        Vec::new()
    };
    if lexer.token != Token::Arrow {
        return lexer.error("`->`");
    }
    lexer.advance();
    lexer.expect('(')?;
    let mut results = Vec::new();
    if !lexer.eat(')') {
        loop {
            results.push(parse_expr_with(lexer, &variables)?);
            if lexer.eat(')') {
                break;
            }
            if !lexer.eat(',') {
                return lexer.error("`,` or `)`");
            }
        }
    }
    let mut intervals = vec![Interval::FULL; order.len()];
    let mut constraints = Vec::new();
    if lexer.eat(',') {
        if !lexer.eat_word("domain") {
            return lexer.error("`domain:`");
        }
        lexer.expect(':')?;
        let mut item = 0;
        loop {
            if let Some(name) = order.get(item) {
                if !lexer.eat_word(name) {
                    return lexer.error(format!("`{name} in [lower, upper]`"));
                }
                if !lexer.eat_word("in") {
                    return lexer.error("`in`");
                }
                intervals[item] = lexer.interval()?;
            } else {
                let expr = parse_expr_with(lexer, &variables)?;
                if !lexer.eat_word("in") {
                    return lexer.error("`in`");
                }
                let interval = lexer.interval()?;
                constraints.push(crate::map::Constraint { expr, interval });
            }
            item += 1;
            if !lexer.eat(',') {
                break;
            }
        }
        if let Some(name) = order.get(item) {
            return lexer.error(format!("`, {name} in [lower, upper]`"));
        }
    }
    let mut intervals = intervals.into_iter();
    let mut variable = |name| Variable {
        name,
        interval: intervals.next().unwrap_or(Interval::FULL),
    };
    let dims = dims.into_iter().map(&mut variable).collect();
    let ranges = ranges.into_iter().map(&mut variable).collect();
    let runtime = runtime
        .into_iter()
        .map(&mut variable)
        .map(|v| RuntimeVariable {
            name: v.name,
            interval: v.interval,
            origin: Origin::default(),
        })
        .collect();
    let mut map = IndexingMap::unchecked(dims, results);
    map.ranges = ranges;
    map.runtime = runtime;
    map.constraints = constraints;
    Ok(map)
}

impl FromStr for IndexingMap {
    type Err = ParseError;

    /// Reads the text form.
    ///
    /// # Errors
    /// The column and what was expected there.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut lexer = Lexer::new(text);
        let map = parse_map(&mut lexer)?;
        if lexer.token == Token::End {
            Ok(map)
        } else {
            lexer.error("the end")
        }
    }
}

impl FromStr for Expr {
    type Err = ParseError;

    /// Reads an expression over `d0…`, `s0…`, `rt0…`.
    ///
    /// # Errors
    /// The column and what was expected there.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut variables = FxHashMap::default();
        let mut scan = Lexer::new(text);
        while scan.token != Token::End {
            if let Token::Word(word) = scan.token {
                for (prefix, make) in [("rt", rt as fn(usize) -> Expr), ("d", d), ("s", s)] {
                    // Positions that are printed otherwise (`d01`) are no names of ours.
                    if let Some(i) = word
                        .strip_prefix(prefix)
                        .and_then(|t| t.parse::<u16>().ok())
                        && *word == format!("{prefix}{i}")
                    {
                        variables.insert(word.to_string(), make(i as usize));
                    }
                }
            }
            scan.advance();
        }
        let mut lexer = Lexer::new(text);
        let e = parse_expr_with(&mut lexer, &variables)?;
        if lexer.token == Token::End {
            Ok(e)
        } else {
            lexer.error("the end")
        }
    }
}
