//! What is known of the sizes of a function, for its maps.

use super::{
    Sizes,
    described::{names_in, symbol},
    tensor,
};
use mapwright_indexing::linear::{Base, Sum};
use mapwright_indexing::{c, is_variable_name, rt};
use mapwright_mlir::{Dim, Op, Val, labels::Numbering, op};
use mapwright_ops::related_sizes::{Related, Size, Source, Table};
use mapwright_ops::sizes::origin;
use std::{cell::RefCell, collections::HashMap};

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
    let of: Vec<Vec<Sum>> = (values.iter())
        .map(|value| {
            let own = sizes.of_value(*value);
            own.iter().map(|size| sizes.resolve(size)).collect()
        })
        .collect();
    let mut sources = sources(&sizes, &values, &of, &ops);
    for (name, value) in names_in(function) {
        let symbol = symbol(&sizes.first_number(value));
        // What is read as an element is the same variable wherever it is used as a number.
        let source = symbol.and_then(|symbol| sources.get_mut(&symbol));
        let source = source.filter(|source| source.element.is_none());
        if let Some(source) = source.filter(|_| is_variable_name(&name)) {
            source.name = name;
        }
    }
    for (value, own) in values.iter().zip(&of) {
        for (k, size) in own.iter().enumerate() {
            if let Some(size) = expression(size, &sources) {
                table.insert((op::key(*value), k), size);
            }
        }
    }
}

/// Finds the place where each symbol is read: the size of an argument, else an element of a tensor,
/// else the size of a result.
fn sources<'c>(
    sizes: &Sizes,
    values: &[Val<'c>],
    of: &[Vec<Sum>],
    ops: &[Op<'c>],
) -> HashMap<usize, Source> {
    let mut found: HashMap<usize, Source> = HashMap::new();
    // With the place where each is read first.
    let mut elements: HashMap<usize, (usize, Val<'c>)> = HashMap::new();
    for value in ops.iter().flat_map(|op| op.operands()) {
        let place = elements.len();
        elements.entry(op::key(value)).or_insert((place, value));
    }
    // Of sizes that are equal the least bound holds for all.
    let mut bounds: HashMap<usize, i64> = HashMap::new();
    for (value, own) in values.iter().zip(of) {
        let dims = tensor(*value).map_or(Vec::new(), |ty| ty.dims);
        for (dim, size) in dims.iter().zip(own) {
            if let (Some(symbol), Some(bound)) = (symbol(size), dim.bound()) {
                let least = bounds.entry(symbol).or_insert(bound);
                *least = bound.min(*least);
            }
        }
    }
    let dim = |symbol: usize| {
        bounds
            .get(&symbol)
            .map_or(Dim::Dynamic, |n| Dim::Bounded(*n))
    };
    let sizes_of = |found: &mut HashMap<usize, Source>, arguments: bool| {
        for (value, own) in values.iter().zip(of) {
            if op::defining_op(*value).is_none() != arguments {
                continue;
            }
            for (k, size) in own.iter().enumerate() {
                if let Some(symbol) = symbol(size) {
                    found.entry(symbol).or_insert_with(|| {
                        let (label, scalar) = origin(*value, k);
                        Source {
                            label,
                            element: scalar.then(Vec::new),
                            dim: dim(symbol),
                            name: String::new(),
                        }
                    });
                }
            }
        }
    };
    sizes_of(&mut found, true);
    // In the order in which they were met.
    let mut met: Vec<_> = sizes.elements.iter().collect();
    met.sort_by_key(|((key, index), size)| {
        let place = elements.get(key).map(|(place, _)| *place);
        (symbol(size), place, index.clone())
    });
    for ((key, index), size) in met {
        let (Some(symbol), Some((_, value))) = (symbol(&sizes.resolve(size)), elements.get(key))
        else {
            continue;
        };
        found.entry(symbol).or_insert_with(|| Source {
            label: op::label(*value),
            element: Some(index.clone()),
            dim: dim(symbol),
            name: String::new(),
        });
    }
    sizes_of(&mut found, false);
    found
}

/// The size as an expression of what is read; `None` where a symbol of it is read nowhere.
fn expression(size: &Sum, known: &HashMap<usize, Source>) -> Option<Size> {
    let used: RefCell<Vec<usize>> = RefCell::default();
    let expr = size.to_expr(&|base| match base {
        Base::Value(symbol) => {
            let mut used = used.borrow_mut();
            let at = used.iter().position(|other| other == symbol);
            rt(at.unwrap_or_else(|| {
                used.push(*symbol);
                used.len() - 1
            }))
        }
        _ => c(0),
    })?;
    let sources = (used.into_inner().iter())
        .map(|symbol| known.get(symbol).cloned())
        .collect::<Option<_>>()?;
    Some(Size { expr, sources })
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
