//! What is known of the sizes of a function, for its maps.

use super::{Sizes, described::names_in, tensor};
use mapwright_indexing::{Expr, Extent, Factor, c, is_variable_name, rt};
use mapwright_mlir::{Dim, Op, Val, labels::Numbering, op};
use mapwright_ops::related_sizes::{Related, Size, Source, Table};
use mapwright_ops::sizes::origin;
use std::collections::HashMap;

/// Values whose sizes are not static, in order: arguments of a block before what is in it.
fn values<'c>(function: Op<'c>, ops: &[Op<'c>]) -> Vec<Val<'c>> {
    let of_blocks = |op: &Op<'c>| -> Vec<Val<'c>> {
        let regions = 0..op.num_regions();
        let blocks = regions.filter_map(|i| op.body(i));
        blocks.flat_map(op::arguments).collect()
    };
    let mut found = of_blocks(&function);
    for op in ops {
        found.extend(op.results());
        found.extend(of_blocks(op));
    }
    found.retain(|value| tensor(*value).is_some_and(|ty| ty.static_shape().is_none()));
    found
}

/// The sizes of one function that follow from others.
fn add(function: Op<'_>, table: &mut Table) {
    let ops = function.descendants();
    let values = values(function, &ops);
    if values.is_empty() {
        return;
    }
    let mut sizes = Sizes::default();
    // Arguments first: what is equal to the size of one is read there.
    for value in &values {
        if op::defining_op(*value).is_none() {
            sizes.of_value(*value);
        }
    }
    for op in &ops {
        sizes.visit(*op);
        sizes.visit_prefix(*op);
    }
    let of: Vec<Vec<Extent>> = (values.iter())
        .map(|value| {
            let own = sizes.of_value(*value);
            own.into_iter().map(|size| sizes.resolve(size)).collect()
        })
        .collect();
    let mut sources = sources(&sizes, &values, &of, &ops);
    for (name, value) in names_in(function) {
        // What is read as an element is the same variable wherever it is used as a number.
        let source = sources.get_mut(&sizes.first_number(value));
        let source = source.filter(|source| source.element.is_none());
        if let Some(source) = source.filter(|_| is_variable_name(&name)) {
            source.name = name;
        }
    }
    for (value, own) in values.iter().zip(&of) {
        for (k, size) in own.iter().enumerate() {
            if let Some(size) = related_size(*size, &sources) {
                table.insert((op::key(*value), k), size);
            }
        }
    }
}

/// Tells whether a size is read, and not computed from others by additions and by divisions by
/// numbers.
fn is_read(size: Extent) -> bool {
    match size.multiple() {
        Some(([Factor::Quotient(_, by)], 1)) => by.is_run_time(),
        Some((_, 1)) => true,
        _ => false,
    }
}

/// Finds the place where each size that [`is_read`] is read: the size of an argument, else an
/// element of a tensor, else the size of a result.
fn sources<'c>(
    sizes: &Sizes,
    values: &[Val<'c>],
    of: &[Vec<Extent>],
    ops: &[Op<'c>],
) -> HashMap<Extent, Source> {
    let mut found: HashMap<Extent, Source> = HashMap::new();
    // With the place where each is read first.
    let mut elements: HashMap<usize, (usize, Val<'c>)> = HashMap::new();
    for value in ops.iter().flat_map(|op| op.operands()) {
        let place = elements.len();
        elements.entry(op::key(value)).or_insert((place, value));
    }
    // Of sizes that are equal the least bound holds for all.
    let mut bounds: HashMap<Extent, i64> = HashMap::new();
    for (value, own) in values.iter().zip(of) {
        let dims = tensor(*value).map_or(Vec::new(), |ty| ty.dims);
        for (dim, size) in dims.iter().zip(own) {
            if let Some(bound) = dim.bound() {
                let least = bounds.entry(*size).or_insert(bound);
                *least = bound.min(*least);
            }
        }
    }
    let dim = |size: Extent| bounds.get(&size).map_or(Dim::Dynamic, |n| Dim::Bounded(*n));
    let sizes_of = |found: &mut HashMap<Extent, Source>, arguments: bool| {
        for (value, own) in values.iter().zip(of) {
            if op::defining_op(*value).is_none() != arguments {
                continue;
            }
            for (k, size) in own.iter().enumerate() {
                if is_read(*size) {
                    found.entry(*size).or_insert_with(|| {
                        let (label, scalar) = origin(*value, k);
                        Source {
                            label,
                            element: scalar.then(Vec::new),
                            dim: dim(*size),
                            name: String::new(),
                        }
                    });
                }
            }
        }
    };
    sizes_of(&mut found, true);
    // In the order in which they were met.
    let met = sizes.elements.iter().filter_map(|((key, index), size)| {
        let (place, value) = elements.get(key)?;
        let size = sizes.resolve(*size);
        is_read(size).then_some((size, *place, index, *value))
    });
    let mut met: Vec<_> = met.collect();
    met.sort_by_key(|(size, place, index, _)| (*size, *place, *index));
    for (size, _, index, value) in met {
        found.entry(size).or_insert_with(|| Source {
            label: op::label(value),
            element: Some(index.clone()),
            dim: dim(size),
            name: String::new(),
        });
    }
    sizes_of(&mut found, false);
    found
}

/// The size as an expression of what is read; `None` where something of it is read nowhere.
fn related_size(size: Extent, known: &HashMap<Extent, Source>) -> Option<Size> {
    let mut used = Vec::new();
    let expr = expression(size, known, &mut used)?;
    let sources = used.iter().map(|size| known[size].clone()).collect();
    Some(Size { expr, sources })
}

/// The size as an expression of runtime variables, which are those that are `used`.
fn expression(
    size: Extent,
    known: &HashMap<Extent, Source>,
    used: &mut Vec<Extent>,
) -> Option<Expr> {
    let (parts, constant) = size.parts();
    let mut sum: Option<Expr> = None;
    for (factors, times) in parts {
        let product = factors.iter().map(|factor| Extent::from(*factor)).product();
        let term = match factors {
            [Factor::Quotient(a, by)] if !by.is_run_time() => {
                expression(*a, known, used)?.floor_div(by.as_constant()?)
            }
            _ => {
                known.get(&product)?;
                let at = used.iter().position(|other| *other == product);
                rt(at.unwrap_or_else(|| {
                    used.push(product);
                    used.len() - 1
                }))
            }
        };
        let term = term * times;
        sum = Some(match sum {
            Some(sum) => sum + term,
            None => term,
        });
    }
    Some(match sum {
        Some(sum) => sum + constant,
        None => c(constant),
    })
}

/// Finds what relates the run-time sizes of the functions in `root` (or of `root`, a function),
/// which stays as it is while it is used.
pub fn related(root: Op<'_>) -> Related {
    let mut table = Table::new();
    let inner = root.body(0).map(op::ops).unwrap_or_default();
    let mut functions: Vec<Op<'_>> = inner
        .into_iter()
        .filter(|op| op.name() == "func.func")
        .collect();
    if functions.is_empty() {
        functions.push(root);
    }
    let dynamic = |function: &Op<'_>| !values(*function, &function.descendants()).is_empty();
    functions.retain(dynamic);
    if !functions.is_empty() {
        let _numbering = Numbering::for_op(root);
        for function in functions {
            add(function, &mut table);
        }
    }
    Related::new(table)
}
