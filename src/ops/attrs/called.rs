//! Functions that programs call by name (`custom_call`) and that are operations all the same: what
//! JAX makes of operations that take sizes as attributes where a size is known at run time only.
//! Their operands, after those of the operation, are what would be attributes otherwise.
//!
//! | target | operands | results |
//! |---|---|---|
//! | `stablehlo.dynamic_reduce_window` | inputs, initial values, `window_dimensions`, `window_strides`, `base_dilations`, `window_dilations`, `padding` | those of `reduce_window` |
//! | `stablehlo.dynamic_rng_bit_generator` | the state, the shape of the bits | those of `rng_bit_generator` |
//! | `stablehlo.dynamic_top_k` | the operand, `k` | those of `top_k` |
//! | `stablehlo.dynamic_approx_top_k` | tensors, initial values, `k` | those of `ApproxTopK` |
//! | `shape_assertion` | what must hold, numbers for its message | none |
//!
//! What a call must be like stands in [`crate::library`].

use super::{AttrError, Decoded, Window};
use crate::symbols::find_function;
use mapwright_mlir::{Blk, Op, attr};

/// The names of targets that are entries of the tables, by their targets.
const TARGETS: &[(&str, &str)] = &[
    ("stablehlo.dynamic_reduce_window", "dynamic_reduce_window"),
    (
        "stablehlo.dynamic_rng_bit_generator",
        "dynamic_rng_bit_generator",
    ),
    ("stablehlo.dynamic_top_k", "dynamic_top_k"),
    ("stablehlo.dynamic_approx_top_k", "dynamic_approx_top_k"),
    ("shape_assertion", "shape_assertion"),
];

/// The name by which the tables know `op`: its own without the dialect, or that of the function it
/// calls if that is an operation.
pub fn name<'c>(op: Op<'c>) -> &'c str {
    let own = op.short_name();
    if own != "custom_call" {
        return own;
    }
    let target = op.string("call_target_name");
    let known = TARGETS
        .iter()
        .find(|(known, _)| target.as_deref() == Some(known));
    known.map_or(own, |(_, name)| name)
}

/// The only function that `op` names among its computations.
pub fn called_function<'c>(op: Op<'c>) -> Decoded<Op<'c>> {
    let attribute = "called_computations";
    let names = op.attribute(attribute).and_then(attr::array);
    let name = match names.as_deref() {
        Some([name]) => attr::symbol(*name),
        _ => None,
    };
    let name = name.ok_or_else(|| AttrError::new(attribute, "is not one function"))?;
    find_function(op, &name)
        .ok_or_else(|| AttrError::new(attribute, format!("@{name} is not there")))
}

/// The attribute of a function that is there only to be read as a region of the operations that
/// name it. No regions are formed in it, and it is not lowered.
pub const COMPUTATION: &str = "indexing.computation";

/// The attribute of an operation of which nobody reads an element: memory that is written all over
/// before. Nothing has to be written for it.
pub const UNREAD: &str = "indexing.unread";

/// Computation number `i` of `op`: the block of its region, or of the function that it calls.
pub fn computation<'c>(op: Op<'c>, i: usize) -> Option<Blk<'c>> {
    match op.body(i) {
        Some(block) => Some(block),
        None if i == 0 && op.short_name() == "custom_call" => called_function(op).ok()?.body(0),
        None => None,
    }
}

/// Operands of a `dynamic_reduce_window` behind its inputs and initial values.
const WINDOW_OPERANDS: usize = 5;

/// Number of inputs of a `dynamic_reduce_window`.
pub fn window_inputs(op: Op<'_>) -> Decoded<usize> {
    let pairs = op.num_operands().saturating_sub(WINDOW_OPERANDS);
    match pairs {
        0 => Err(AttrError::new("operands", "are too few")),
        n if n.is_multiple_of(2) => Ok(n / 2),
        n => Err(AttrError::new(
            "operands",
            format!("have {n} inputs and initial values, which is not as many of each"),
        )),
    }
}

/// The window of a `dynamic_reduce_window`, whose operands behind inputs and initial values have
/// these elements.
pub fn window_of_operands(operands: &[Vec<i64>], rank: usize) -> Decoded<Window> {
    let [size, stride, base_dilation, window_dilation, padding] = operands else {
        return Err(AttrError::new("operands", "are too few"));
    };
    Window {
        size: super::sized("window_dimensions", size.clone(), rank)?,
        stride: super::sized("window_strides", stride.clone(), rank)?,
        base_dilation: super::sized("base_dilations", base_dilation.clone(), rank)?,
        window_dilation: super::sized("window_dilations", window_dilation.clone(), rank)?,
        padding: super::sized("padding", padding.clone(), 2 * rank)?
            .chunks_exact(2)
            .map(|pair| (pair[0], pair[1]))
            .collect(),
        reversal: vec![false; rank],
    }
    .checked()
}

/// The message of a `shape_assertion` that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssertionMessage {
    /// Texts between the numbers, in front of the first one and behind the last one.
    pub texts: Vec<String>,
    /// The operands that hold the numbers, one fewer than texts.
    pub operands: Vec<usize>,
}

impl AssertionMessage {
    /// Decodes `error_message`, in which `{0}` stands for the number of operand 1, `{1}` for that
    /// of operand 2, and so on.
    pub fn decode(op: Op<'_>) -> Decoded<Self> {
        let attribute = "error_message";
        let text = op.string(attribute);
        let text = text.ok_or_else(|| AttrError::new(attribute, "is missing"))?;
        Ok(Self::parse(&text, op.num_operands().saturating_sub(1)))
    }

    /// Places of numbers that are not among `count` stay as they are written.
    fn parse(text: &str, count: usize) -> Self {
        let (mut texts, mut operands) = (vec![String::new()], Vec::new());
        let mut rest = text;
        while let Some(start) = rest.find('{') {
            let (before, behind) = rest.split_at(start);
            let place = behind.find('}').and_then(|end| {
                let number = behind[1..end].parse::<usize>().ok()?;
                (number < count).then_some((number, end + 1))
            });
            let (literal, used) = match place {
                Some((_, end)) => (before, start + end),
                None => (&rest[..start + 1], start + 1),
            };
            if let Some(last) = texts.last_mut() {
                last.push_str(literal);
            }
            if let Some((number, _)) = place {
                operands.push(number + 1);
                texts.push(String::new());
            }
            rest = &rest[used..];
        }
        if let Some(last) = texts.last_mut() {
            last.push_str(rest);
        }
        Self { texts, operands }
    }

    /// The text, with the number that `of` gives for each operand.
    pub fn filled<E>(&self, of: impl Fn(usize) -> Result<i128, E>) -> Result<String, E> {
        let mut text = String::new();
        for (i, part) in self.texts.iter().enumerate() {
            text.push_str(part);
            if let Some(operand) = self.operands.get(i) {
                text.push_str(&of(*operand)?.to_string());
            }
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::AssertionMessage;

    #[test]
    fn numbers_in_messages() {
        let filled = |text: &str, numbers: &[i128]| {
            let message = AssertionMessage::parse(text, numbers.len());
            assert_eq!(message.texts.len(), message.operands.len() + 1);
            message.filled(|operand| Ok::<_, ()>(numbers[operand - 1]))
        };
        for (text, numbers, expected) in [
            ("nothing", &[][..], "nothing"),
            (
                "'n' = {0} (= {0}), not {1}",
                &[3, -4][..],
                "'n' = 3 (= 3), not -4",
            ),
            ("{1}{0}", &[1, 2][..], "21"),
            ("{2} {} {x} {0", &[1, 2][..], "{2} {} {x} {0"),
            ("{{0}}", &[7][..], "{7}"),
            ("é{0}ü", &[7][..], "é7ü"),
        ] {
            assert_eq!(filled(text, numbers).as_deref(), Ok(expected), "{text}");
        }
    }
}
