//! Writing shardings into a module.

use super::texts::{Text, escape};
use super::{HLO, LAYOUT, Place, SHARDY, SLICE, fail, parse, text};
use mapwright_mlir::{Attr, Builder, Op, Val, attr, diagnostic::Failure, op};
use mapwright_sharding::notation::{GridSharding, ShardySharding};

/// Writes the shardings of one function, in place of all that stand there.
pub(super) fn function<'c>(
    function: Op<'c>,
    texts: &[Text<'c>],
    notation: &str,
) -> Result<(), Failure> {
    signature(function, texts, notation)?;
    let mut done: Vec<Op<'c>> = Vec::new();
    for t in texts {
        match t.place {
            Place::Result(op, _) if notation != "shard" && !done.contains(&op) => {
                done.push(op);
                results(op, texts, notation)?;
            }
            Place::Result(op, _) => remove(op),
            Place::Constraint(_) | Place::Argument(..) | Place::Returned(..) => {}
        }
    }
    for t in texts {
        match t.place {
            Place::Constraint(op) => constraint(op, &t.text, notation)?,
            Place::Argument(f, i) if notation == "shard" => {
                if let (Some(value), Some(first)) = (t.place.value(), f.body(0).and_then(op::first))
                {
                    shard_behind(value, first, &t.text, i, false)?;
                }
            }
            Place::Returned(f, i) if notation == "shard" => {
                if let (Some(value), Some(ret)) =
                    (t.place.value(), f.body(0).and_then(|b| op::ops(b).pop()))
                {
                    shard_behind(value, ret, &t.text, i, true)?;
                }
            }
            Place::Result(op, i) if notation == "shard" => {
                if let Some(next) = op::next(op) {
                    shard_behind(op.result(i), next, &t.text, i, false)?;
                }
            }
            _ => {}
        }
    }
    // Declarations of shardings that nothing uses any more.
    for dead in function
        .descendants()
        .into_iter()
        .filter(|o| o.name() == "shard.sharding")
    {
        if op::uses(dead.result(0)).is_empty() {
            mapwright_normalize::rewrite::replace(dead, &[dead.result(0)]);
        }
    }
    Ok(())
}

fn remove(op: Op<'_>) {
    for name in [LAYOUT, HLO, SHARDY] {
        op.remove_attribute(name);
    }
}

/// The attribute name of a notation.
fn attribute_name(notation: &str) -> &'static str {
    match notation {
        "layout" => LAYOUT,
        "slice" => SLICE,
        "hlo" => HLO,
        _ => SHARDY,
    }
}

/// The text of the attribute of one value.
fn attribute_text(text: &str, notation: &str) -> String {
    match notation {
        "layout" | "slice" => text.to_owned(),
        "hlo" => format!("\"{}\"", escape(text)),
        _ => format!("#sdy.sharding{text}"),
    }
}

/// The attributes of arguments and results of a function.
pub(super) fn signature<'c>(
    function: Op<'c>,
    texts: &[Text<'c>],
    notation: &str,
) -> Result<(), Failure> {
    for (list, argument) in [("arg_attrs", true), ("res_attrs", false)] {
        let mut entries: Vec<Vec<(String, String)>> = function
            .attribute(list)
            .and_then(attr::array)
            .unwrap_or_default()
            .into_iter()
            .map(|e| {
                attr::dictionary(e)
                    .unwrap_or_default()
                    .into_iter()
                    .map(|(n, a)| (n.to_owned(), text(a)))
                    .collect()
            })
            .collect();
        let had = !entries.is_empty();
        entries
            .iter_mut()
            .for_each(|e| e.retain(|(n, _)| ![LAYOUT, HLO, SHARDY].contains(&n.as_str())));
        if notation != "shard" {
            for t in texts {
                let i = match t.place {
                    Place::Argument(f, i) if argument && f == function => i,
                    Place::Returned(f, i) if !argument && f == function => i,
                    _ => continue,
                };
                if entries.is_empty() {
                    let count = if argument {
                        function.body(0).map_or(0, |b| op::arguments(b).len())
                    } else {
                        function
                            .body(0)
                            .and_then(|b| op::ops(b).pop())
                            .map_or(0, |r| r.num_operands())
                    };
                    entries = vec![Vec::new(); count];
                }
                if let Some(entry) = entries.get_mut(i) {
                    entry.push((
                        attribute_name(notation).to_owned(),
                        attribute_text(&t.text, notation),
                    ));
                }
            }
        }
        if entries.iter().all(Vec::is_empty) {
            if had {
                function.remove_attribute(list);
            }
            continue;
        }
        let items: Vec<String> = entries
            .iter()
            .map(|e| {
                let pairs: Vec<String> = e
                    .iter()
                    .map(|(n, a)| format!("\"{}\" = {a}", escape(n)))
                    .collect();
                format!("{{{}}}", pairs.join(", "))
            })
            .collect();
        function.set_attribute(list, parse(function, &format!("[{}]", items.join(", ")))?);
    }
    Ok(())
}

/// The attribute of an operation, from the texts of its results.
fn results<'c>(op: Op<'c>, texts: &[Text<'c>], notation: &str) -> Result<(), Failure> {
    let count = op.num_results();
    let of = |i: usize| {
        texts
            .iter()
            .find(|t| t.place == Place::Result(op, i))
            .map(|t| t.text.as_str())
    };
    let attribute: Attr<'c> = match notation {
        "layout" if count == 1 => parse(op, of(0).unwrap_or("{}"))?,
        "layout" => {
            let items: Vec<&str> = (0..count).map(|i| of(i).unwrap_or("unit")).collect();
            parse(op, &format!("[{}]", items.join(", ")))?
        }
        "hlo" if count == 1 => parse(op, &attribute_text(of(0).unwrap_or("{unknown}"), "hlo"))?,
        "hlo" => {
            let items: Vec<&str> = (0..count).map(|i| of(i).unwrap_or("{unknown}")).collect();
            parse(op, &format!("\"{{{}}}\"", items.join(", ")))?
        }
        _ => {
            let mut items = Vec::new();
            for i in 0..count {
                items.push(match of(i) {
                    Some(text) => text.to_owned(),
                    None => open_sharding(op, i, texts)?,
                });
            }
            parse(
                op,
                &format!("#sdy.sharding_per_value<[{}]>", items.join(", ")),
            )?
        }
    };
    remove(op);
    op.set_attribute(attribute_name(notation), attribute);
    Ok(())
}

/// Shardy wants an entry for every result: one about which nothing is said is open in all
/// dimensions.
fn open_sharding<'c>(op: Op<'c>, i: usize, texts: &[Text<'c>]) -> Result<String, Failure> {
    let rank = super::shape(op.result(i))
        .map_err(|e| fail(Place::Result(op, i), e))?
        .len();
    let mesh = texts.iter().find_map(|t| {
        let of: Option<ShardySharding> = t.text.parse().ok();
        matches!(t.place, Place::Result(o, _) if o == op)
            .then_some(of)
            .flatten()
    });
    let Some(mut sharding) = mesh else {
        return Err(fail(Place::Result(op, i), "no result has a mesh"));
    };
    let open = mapwright_sharding::notation::DimensionSharding {
        axes: Vec::new(),
        open: true,
        priority: None,
    };
    sharding.dims = vec![open; rank];
    sharding.replicated.clear();
    sharding.unreduced.clear();
    Ok(sharding.body())
}

/// Replaces an operation that only says how its operand is split.
fn constraint<'c>(old: Op<'c>, text: &str, notation: &str) -> Result<(), Failure> {
    let Some(b) = Builder::before(old.context(), old) else {
        return Ok(());
    };
    let value = old.operand(0);
    let new = match notation {
        "shardy" => {
            let attribute = parse(old, &format!("#sdy.sharding{text}"))?;
            b.op(
                "sdy.sharding_constraint",
                &[value],
                &[old_type(old)],
                &[("sharding", attribute)],
            )
            .result(0)
        }
        "shard" => shard(
            &b,
            value,
            text,
            old.attribute("annotate_for_users").is_some(),
        )?,
        _ => {
            let attribute = parse(old, &attribute_text(text, notation))?;
            let target = b.str_attr("Sharding");
            let attributes = [
                ("call_target_name", target),
                (attribute_name(notation), attribute),
            ];
            b.op(
                "stablehlo.custom_call",
                &[value],
                &[old_type(old)],
                &attributes,
            )
            .result(0)
        }
    };
    mapwright_normalize::rewrite::replace(old, &[new]);
    Ok(())
}

fn old_type<'c>(op: Op<'c>) -> mapwright_mlir::Ty<'c> {
    use mapwright_mlir::melior::ir::ValueLike;
    op.result(0).r#type()
}

/// `shard.sharding` and `shard.shard` of a value.
fn shard<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    text: &str,
    for_users: bool,
) -> Result<Val<'c>, Failure> {
    use mapwright_mlir::melior::ir::ValueLike;
    let at = |reason: String| Failure::at(b.location(), &reason);
    let sharding: GridSharding = text.parse().map_err(|e| at(format!("{e}")))?;
    let axes: Vec<String> = sharding
        .split_axes
        .iter()
        .map(|a| format!("{a:?}"))
        .collect();
    let read = |text: &str| -> Result<Attr<'c>, Failure> {
        Attr::parse(b.context(), text)
            .ok_or_else(|| at(format!("cannot make the attribute {text}")))
    };
    let attributes = [
        ("grid", b.symbol_attr(&sharding.grid)),
        (
            "split_axes",
            read(&format!("#shard<axisarray[{}]>", axes.join(", ")))?,
        ),
        ("static_halo_sizes", read("array<i64>")?),
        ("static_sharded_dims_offsets", read("array<i64>")?),
        ("operandSegmentSizes", read("array<i32: 0, 0>")?),
    ];
    let declared = b.op1(
        "shard.sharding",
        &[],
        b.parse_type("!shard.sharding"),
        &attributes,
    );
    let users: &[(&str, Attr<'c>)] = &[("annotate_for_users", b.unit_attr())];
    Ok(b.op1(
        "shard.shard",
        &[value, declared],
        value.r#type(),
        if for_users { users } else { &[] },
    ))
}

/// Puts a `shard.shard` before `next`, and lets everything that used the value use it; for a
/// `return`, only operand `i` of it.
fn shard_behind<'c>(
    value: Val<'c>,
    next: Op<'c>,
    text: &str,
    i: usize,
    only_next: bool,
) -> Result<(), Failure> {
    let Some(b) = Builder::before(next.context(), next) else {
        return Ok(());
    };
    let uses = op::uses(value);
    let new = shard(&b, value, text, only_next)?;
    for (user, number) in uses {
        if !only_next || (user == next && number == i) {
            op::set_operand(user, number, new);
        }
    }
    Ok(())
}
