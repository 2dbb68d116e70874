//! Operations that hold regions or call functions, tuples and tokens.

use crate::{
    Error, Machine, Result, reduce, result,
    value::{Tensor, Value, indices},
};
use mapwright_mlir::Op;
use mapwright_ops::attrs;

/// The results of `op`, if it is of this family.
pub(crate) fn execute<'c>(machine: &mut Machine<'c>, op: Op<'c>) -> Result<Option<Vec<Value>>> {
    let body = |i: usize| {
        op.body(i)
            .ok_or_else(|| Error::plain(format!("region {i} is empty")))
    };
    Ok(Some(match op.short_name() {
        "while" => {
            let mut state = machine.operands(op)?;
            loop {
                let goes_on = machine.block(body(0)?, state.clone())?;
                let Some(Value::Tensor(goes_on)) = goes_on.first() else {
                    return Err(Error::plain("a condition that gives nothing"));
                };
                if !goes_on.only()?.truth()? {
                    break state;
                }
                state = machine.block(body(1)?, state)?;
            }
        }
        "if" => {
            let condition = machine.tensors(op)?[0].only()?.truth()?;
            machine.block(body(usize::from(!condition))?, Vec::new())?
        }
        // Of what is no tensor, as a whole.
        "select" if op.operand_type(1).tensor().is_none() => {
            let mut values = machine.operands(op)?;
            let holds = values[0].tensor()?.only()?.truth()?;
            vec![values.swap_remove(if holds { 1 } else { 2 })]
        }
        "case" => {
            let index = machine.tensors(op)?[0].only()?.int()?;
            let last = op.num_regions().saturating_sub(1);
            let chosen = match usize::try_from(index) {
                Ok(index) if index < last => index,
                _ => last,
            };
            machine.block(body(chosen)?, Vec::new())?
        }
        "map" => {
            let inputs = machine.tensors(op)?;
            let element = result(op, 0)?.element;
            let mut data = Vec::new();
            for i in indices(&inputs[0].shape) {
                let scalars = inputs
                    .iter()
                    .map(|t| Ok(Tensor::scalar(&t.element, t.at(&i)?)))
                    .collect::<Result<Vec<_>>>()?;
                data.push(reduce::region(machine, op, 0, &scalars)?[0].only()?);
            }
            vec![Value::Tensor(Tensor {
                element,
                shape: inputs[0].shape.clone(),
                data,
            })]
        }
        "call" | "composite" => {
            let name = match op.short_name() {
                "call" => op.symbol("callee"),
                _ => op.symbol("decomposition"),
            };
            let name = name.ok_or_else(|| Error::plain("does not say which function it calls"))?;
            let arguments = machine.operands(op)?;
            machine.call(&name, arguments)?
        }
        "optimization_barrier" => machine.operands(op)?,
        "after_all" | "create_token" => vec![Value::Token],
        "tuple" => vec![Value::Tuple(machine.operands(op)?)],
        "get_tuple_element" => {
            let index = attrs::int(op, "index")?;
            match machine.operands(op)?.first() {
                Some(Value::Tuple(items)) => {
                    let item = usize::try_from(index).ok().and_then(|i| items.get(i));
                    vec![
                        item.cloned()
                            .ok_or_else(|| Error::plain("a tuple without that element"))?,
                    ]
                }
                _ => return Err(Error::plain("the operand is no tuple")),
            }
        }
        _ => return Ok(None),
    }))
}
