//! Shape functions over numbers: the programs of `lit-tests/execute`, whose types a generator wrote
//! from the specification, have the sizes that follow, satisfy what operations require, and stay
//! below bounds that follow from bounds.

use crate::files;
use mapwright_mlir::{Dim, Op, Val, diagnostic::Diagnostics};
use mapwright_ops::{
    registry,
    shape_function::{
        self, Arithmetic, Found, NumberDomain, ShapeQuery, SizeDomain, SizeError, elements,
        evaluate, tensor, types::Types,
    },
};
use std::{collections::BTreeSet, path::Path};

/// Sizes are numbers, and what is required of them is checked.
struct Numbers;

fn unknown<T>() -> Found<T> {
    Err(SizeError::Unknown("known at run time only".into()))
}

impl NumberDomain for Numbers {
    type Value = i64;
    type Error = SizeError;

    fn constant(&mut self, n: i64) -> i64 {
        n
    }

    fn known(&self, size: &i64) -> Option<i64> {
        Some(*size)
    }

    fn arithmetic(&mut self, what: Arithmetic, a: i64, b: i64) -> Found<i64> {
        let divides = matches!(what, Arithmetic::Div | Arithmetic::Rem);
        assert!(!divides || a >= 0 && b > 0, "{a} divided by {b}");
        what.apply(a, b).map_or_else(unknown, Ok)
    }
}

impl<'c> SizeDomain<'c> for Numbers {
    fn sizes(&mut self, value: Val<'c>) -> Found<Vec<i64>> {
        let shape = tensor(value).and_then(|ty| ty.static_shape());
        shape.map_or_else(unknown, Ok)
    }

    fn element(&mut self, value: Val<'c>, index: &[i64]) -> Found<i64> {
        let found = evaluate(self, |shapes| {
            Ok(elements::find(shapes, value, index)?.into_iter().collect())
        });
        found?.pop().map_or_else(unknown, Ok)
    }

    fn merge(&mut self, a: i64, b: i64) -> i64 {
        assert_eq!(a, b);
        a
    }

    fn not_negative(&mut self, n: i64) -> Found<i64> {
        assert!(n >= 0);
        Ok(n)
    }

    fn below(&mut self, size: i64, limit: i64) -> i64 {
        size.min(limit)
    }

    fn require_equal(&mut self, a: Vec<i64>, b: Vec<i64>) -> Found<()> {
        assert_eq!(a, b);
        Ok(())
    }

    fn require_at_most(&mut self, a: i64, b: i64) -> Found<()> {
        assert!(a <= b, "{a} <= {b}");
        Ok(())
    }
}

/// Types whose sizes are bounds.
struct Bounds;

impl NumberDomain for Bounds {
    type Value = Dim;
    type Error = SizeError;

    fn constant(&mut self, n: i64) -> Dim {
        Dim::Static(n)
    }

    fn known(&self, size: &Dim) -> Option<i64> {
        size.fixed()
    }

    fn arithmetic(&mut self, what: Arithmetic, a: Dim, b: Dim) -> Found<Dim> {
        Types.arithmetic(what, a, b)
    }
}

impl<'c> SizeDomain<'c> for Bounds {
    fn sizes(&mut self, value: Val<'c>) -> Found<Vec<Dim>> {
        let sizes = Types.sizes(value)?;
        Ok(sizes
            .into_iter()
            .map(|dim| dim.fixed().map_or(dim, Dim::Bounded))
            .collect())
    }

    fn element(&mut self, value: Val<'c>, index: &[i64]) -> Found<Dim> {
        Types.element(value, index)
    }

    fn merge(&mut self, a: Dim, b: Dim) -> Dim {
        Types.merge(a, b)
    }

    fn not_negative(&mut self, n: Dim) -> Found<Dim> {
        Types.not_negative(n)
    }

    fn below(&mut self, size: Dim, limit: i64) -> Dim {
        Types.below(size, limit)
    }

    fn resized(&mut self, old: Dim, n: Dim) -> Dim {
        Types.resized(old, n)
    }

    fn require_equal(&mut self, _: Vec<Dim>, _: Vec<Dim>) -> Found<()> {
        Ok(())
    }

    fn require_at_most(&mut self, _: Dim, _: Dim) -> Found<()> {
        Ok(())
    }
}

/// Checks one operation; its name if there was something to check.
fn check(op: Op<'_>) -> Option<&'static str> {
    let def = registry::lookup(op)?;
    let fixed = |value: &Val<'_>| tensor(*value).is_some_and(|ty| ty.static_shape().is_some());
    if !op.operands().iter().chain(&op.results()).all(fixed) {
        return None;
    }
    if let Some(preconditions) = def.preconditions {
        let pairs = evaluate(&mut Numbers, |shapes| {
            let pairs = preconditions(&mut ShapeQuery::new(shapes, op, 0))?;
            Ok(pairs.into_iter().flat_map(|(a, b)| [a, b]).collect())
        });
        for pair in pairs.unwrap_or_default().chunks(2) {
            assert_eq!(pair[0], pair[1], "{op}");
        }
    }
    def.shape_function?;
    for (i, result) in op.results().into_iter().enumerate() {
        let declared = tensor(result)?.static_shape()?;
        let found = evaluate(&mut Numbers, |shapes| {
            shape_function::of_result(shapes, op, i)
        });
        let Ok(found) = found else { return None };
        // What the type says counts where the operands do not say it.
        if !def.declares_sizes {
            assert_eq!(found, declared, "{op}");
        }
        let bounds = evaluate(&mut Bounds, |shapes| {
            shape_function::of_result(shapes, op, i)
        });
        let bounds = bounds.unwrap();
        assert_eq!(bounds.len(), declared.len(), "{op}");
        for (bound, n) in bounds.iter().zip(&found) {
            assert!(
                bound.bound().is_none_or(|bound| *n <= bound),
                "{op}: {bounds:?}"
            );
        }
    }
    Some(def.name)
}

#[test]
fn sizes_follow_from_operands() {
    mapwright_ops::hooks::install();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lit-tests/execute");
    let (mut checked, mut names) = (0, BTreeSet::new());
    for path in files::programs_in(&folder) {
        let context = mapwright_mlir::context();
        let diagnostics = Diagnostics::to_text(&context);
        let text = std::fs::read(&path).unwrap();
        // Files that are not to be read are tests of errors.
        let Ok(module) = diagnostics.parse("f.mlir", &text) else {
            continue;
        };
        let root = Op::new(module.as_operation());
        for op in root.descendants() {
            if let Some(name) = check(op) {
                checked += 1;
                names.insert(name);
            }
        }
    }
    println!("{checked} operations: {names:?}");
    assert!(checked > 3000, "{checked}");
    let rows = registry::all().filter(|def| def.shape_function.is_some());
    let missing: BTreeSet<&str> = rows
        .map(|def| def.name)
        .filter(|name| !names.contains(name))
        .collect();
    assert_eq!(
        missing,
        BTreeSet::from(WITHOUT),
        "operations that no file has"
    );
}

/// Operations with a shape function that no file of static sizes has, or whose sizes all files hide
/// behind barriers.
const WITHOUT: [&str; 15] = [
    "_asin_acos_kernel",
    "add_dependency",
    "asin_acos_kernel",
    "cross-replica-sum",
    "domain",
    "dynamic_broadcast_in_dim",
    "dynamic_pad",
    "dynamic_reduce_window",
    "dynamic_reshape",
    "dynamic_rng_bit_generator",
    "dynamic_top_k",
    "scan",
    "set_dimension_size",
    "stochastic_convert",
    "topk",
];
