//! The run-time sizes of what a function takes and gives, in words.

use super::{Sizes, symbol, symbol_of, tensor};
use mapwright_indexing::{Extent, Factor};
use mapwright_mlir::{Op, Val, attr, op};
use std::collections::HashMap;

/// For each tensor, for each dimension, the size: a number, a name that the program has for it, or
/// an expression of those. `None` for what nothing says before the call.
pub type Described = Vec<Vec<Option<String>>>;

/// The names that a program has for sizes, with the values that they are of: arguments of called
/// functions that JAX marks (`jax.global_constant`), and what assertions about shapes say
/// (`'n' = {0}`).
///
/// Asked for while the calls are there.
pub fn names_in<'c>(function: Op<'c>) -> Vec<(String, Val<'c>)> {
    let module = function.parent().and_then(|module| module.body(0));
    let callees: HashMap<String, Op<'c>> = (module.map(op::ops).into_iter().flatten())
        .filter(|op| op.name() == "func.func")
        .filter_map(|op| Some((op.string("sym_name")?, op)))
        .collect();
    let mut found = Vec::new();
    for op in function.descendants() {
        if op.name() == "func.call"
            && let Some(callee) = op.symbol("callee").and_then(|name| callees.get(&name))
        {
            for (i, operand) in op.operands().into_iter().enumerate() {
                found.extend(global_constant(*callee, i).map(|name| (name, operand)));
            }
        }
        if op.string("call_target_name").as_deref() == Some("shape_assertion") {
            let message = op.string("error_message").unwrap_or_default();
            let values = op.operands();
            for (name, i) in quoted(&message) {
                found.extend(values.get(i + 1).map(|value| (name, *value)));
            }
        }
    }
    found
}

/// Returns the name that JAX gives argument `i` of a function, if that is a size.
fn global_constant(function: Op<'_>, i: usize) -> Option<String> {
    let all = function.attribute("arg_attrs").and_then(attr::array)?;
    attr::string(attr::entry(*all.get(i)?, "jax.global_constant")?)
}

/// The names in `'n' = {0}`, with the numbers.
fn quoted(message: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (at, _) in message.match_indices("' = {") {
        let name = message[..at].rsplit('\'').next().unwrap_or_default();
        let number = message[at + 5..].split('}').next().unwrap_or_default();
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if let (true, Ok(number)) = (is_name, number.parse()) {
            found.push((name.to_owned(), number));
        }
    }
    found
}

/// The sizes of the values of a function, in words.
pub struct SizeTexts {
    sizes: Sizes,
    /// Names and expressions of symbols.
    known: HashMap<usize, String>,
}

impl SizeTexts {
    /// Of a function whose values these names are of. Other sizes that arguments have are called as
    /// `place` says of the argument, its dimension, and the number among all of these.
    pub fn new<'c>(
        function: Op<'c>,
        names: &[(String, Val<'c>)],
        place: &dyn Fn(Val<'c>, usize, usize) -> String,
    ) -> Self {
        let mut sizes = Sizes::default();
        let arguments = function.body(0).map(op::arguments).unwrap_or_default();
        for value in &arguments {
            sizes.of_value(*value);
        }
        for op in function.descendants() {
            sizes.visit(op);
            sizes.visit_prefix(op);
        }
        let mut known: HashMap<usize, String> = HashMap::new();
        for (name, value) in names {
            if let Some(symbol) = symbol(sizes.first_number(*value)) {
                known.entry(symbol).or_insert_with(|| name.clone());
            }
        }
        let mut position = 0;
        for value in arguments.iter().filter(|value| tensor(**value).is_some()) {
            for (k, size) in sizes.of_value(*value).into_iter().enumerate() {
                if let Some(symbol) = symbol(sizes.resolve(size)) {
                    let place = || place(*value, k, position);
                    known.entry(symbol).or_insert_with(place);
                }
                position += 1;
            }
        }
        Self { sizes, known }
    }

    /// The sizes of a tensor: numbers, names and expressions of them; `None` for what nothing says.
    pub fn of(&mut self, value: Val<'_>) -> Vec<Option<String>> {
        let own = self.sizes.of_value(value);
        own.into_iter()
            .map(|size| text(self.sizes.resolve(size), &self.known))
            .collect()
    }
}

/// For each argument of a function, for each dimension, the name that the program has for the size.
///
/// Asked for while the calls are there.
pub fn names_of_arguments(function: Op<'_>) -> Described {
    let names = names_in(function);
    let mut texts = SizeTexts::new(function, &names, &|_, _, _| String::new());
    let arguments = function.body(0).map(op::arguments).unwrap_or_default();
    let is_name = |text: &String| names.iter().any(|(name, _)| name == text);
    let of = |value| {
        let own = texts.of(value).into_iter();
        own.map(|text| text.filter(is_name)).collect()
    };
    arguments.into_iter().map(of).collect()
}

/// A factor of a product, in brackets where it is a sum or a quotient.
pub fn grouped(factor: String) -> String {
    let is_inside = |operator: &str| factor.contains(operator);
    if factor.starts_with('-') || [" + ", " - ", " / ", " % "].into_iter().any(is_inside) {
        format!("({factor})")
    } else {
        factor
    }
}

/// The sizes of the tensors that a function takes and gives. What has no name is called
/// `argument_sizes[k]`, if it is the size number `k` of all that the arguments have.
pub fn described<'c>(
    function: Op<'c>,
    names: &[(String, Val<'c>)],
) -> Option<(Described, Described)> {
    let body = function.body(0)?;
    let results = op::ops(body).last()?.operands();
    let place = |_, _, position| format!("argument_sizes[{position}]");
    let mut texts = SizeTexts::new(function, names, &place);
    let mut all = |values: &[Val<'c>]| -> Described {
        let tensors = values.iter().filter(|value| tensor(**value).is_some());
        tensors.map(|value| texts.of(*value)).collect()
    };
    Some((all(&op::arguments(body)), all(&results)))
}

fn text(size: Extent, known: &HashMap<usize, String>) -> Option<String> {
    let factor = |factor: &Factor| match *factor {
        Factor::Quotient(a, b) => {
            let (a, b) = (text(a, known)?, text(b, known)?);
            Some(format!("{} / {}", grouped(a), grouped(b)))
        }
        Factor::Least(..) | Factor::Greatest(..) => None,
        own => known.get(&symbol_of(own)?).cloned(),
    };
    let (parts, constant) = size.parts();
    let mut out = String::new();
    for (factors, times) in parts {
        let sign = match (out.is_empty(), times < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        out.push_str(sign);
        let mut factors: Vec<String> = factors.iter().map(factor).collect::<Option<_>>()?;
        let times = Some(times.unsigned_abs()).filter(|times| *times != 1);
        if times.is_some() || factors.len() > 1 {
            factors = factors.into_iter().map(grouped).collect();
        }
        factors.splice(0..0, times.map(|times| times.to_string()));
        out.push_str(&factors.join(" * "));
    }
    match (out.is_empty(), constant) {
        (true, constant) => out = constant.to_string(),
        (false, 0) => {}
        (false, constant @ 1..) => out.push_str(&format!(" + {constant}")),
        (false, constant) => out.push_str(&format!(" - {}", constant.unsigned_abs())),
    }
    Some(out)
}
