//! Compositions between any two values of a program, both ways, against a run of the program with
//! sets of elements for values.

use mapwright_indexing::IndexingMap;
use mapwright_mlir::{
    Op, Val,
    melior::{self, ir::Module},
    op,
};
use mapwright_ops::Composer;
use std::collections::BTreeSet;

struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n as u64) as usize
    }
}

/// For every element of a value, row-major, what it is made of: elements `(value, place)`.
type Made = Vec<BTreeSet<(usize, usize)>>;

/// Which elements `(value, place)` the element at an index is made of.
type Reads = dyn Fn(&[usize]) -> Vec<(usize, usize)>;

struct Value {
    shape: Vec<usize>,
    made: Made,
}

fn ty(shape: &[usize]) -> String {
    let sizes: String = shape.iter().map(|n| format!("{n}x")).collect();
    format!("tensor<{sizes}f32>")
}

fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for n in shape {
        all = all
            .into_iter()
            .flat_map(|p: Vec<usize>| (0..*n).map(move |i| [p.clone(), vec![i]].concat()))
            .collect();
    }
    all
}

fn place(shape: &[usize], index: &[usize]) -> usize {
    shape.iter().zip(index).fold(0, |at, (n, i)| at * n + i)
}

fn list(values: &[usize]) -> String {
    match values {
        [] => "array<i64>".into(),
        values => format!(
            "array<i64: {}>",
            values
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }
}

/// A program on one argument and a scalar, and what every value is made of: of all values before
/// it, and itself.
fn program(rng: &mut Rng) -> (String, Vec<Value>) {
    let shape: Vec<usize> = (0..1 + rng.below(2)).map(|_| 1 + rng.below(3)).collect();
    let mut text = format!("func.func @f(%v0: {}, %z: tensor<f32>) {{\n", ty(&shape));
    let mut values: Vec<Value> = Vec::new();
    let add = |values: &mut Vec<Value>, shape: Vec<usize>, sources: Vec<Vec<(usize, usize)>>| {
        let number = values.len();
        let made = sources
            .into_iter()
            .enumerate()
            .map(|(at, from)| {
                let mut set: BTreeSet<(usize, usize)> = [(number, at)].into();
                for (value, at) in from {
                    set.extend(&values[value].made[at]);
                }
                set
            })
            .collect();
        values.push(Value { shape, made });
    };
    let count = shape.iter().product();
    add(&mut values, shape, vec![vec![]; count]);
    for _ in 0..6 {
        let (from, next) = (rng.below(values.len()), values.len());
        let shape = values[from].shape.clone();
        let rank = shape.len();
        let axis = if rank > 0 { rng.below(rank) } else { 0 };
        let old = ty(&shape);
        let (out, line, source): (Vec<usize>, String, Box<Reads>) = match rng.below(6) {
            0 if rank > 0 => {
                let sizes = shape.clone();
                let rest = format!(
                    "\"stablehlo.reverse\"(%v{from}) {{dimensions = {}}} : ({old}) -> {old}",
                    list(&[axis])
                );
                (
                    shape,
                    rest,
                    Box::new(move |i| {
                        let mut i = i.to_vec();
                        i[axis] = sizes[axis] - 1 - i[axis];
                        vec![(from, place(&sizes, &i))]
                    }),
                )
            }
            1 if rank == 2 => {
                let (sizes, out) = (shape.clone(), vec![shape[1], shape[0]]);
                let rest = format!(
                    "\"stablehlo.transpose\"(%v{from}) {{permutation = {}}} : ({old}) -> {}",
                    list(&[1, 0]),
                    ty(&out)
                );
                (
                    out,
                    rest,
                    Box::new(move |i| vec![(from, place(&sizes, &[i[1], i[0]]))]),
                )
            }
            2 if rank > 0 => {
                let (sizes, mut out) = (shape.clone(), shape.clone());
                out.remove(axis);
                let rest = format!(
                    "\"stablehlo.reduce\"(%v{from}, %z) ({{ ^bb0(%a: tensor<f32>, %b: tensor<f32>): %s = \"stablehlo.add\"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32> \"stablehlo.return\"(%s) : (tensor<f32>) -> () }}) {{dimensions = {}}} : ({old}, tensor<f32>) -> {}",
                    list(&[axis]),
                    ty(&out)
                );
                (
                    out,
                    rest,
                    Box::new(move |i| {
                        (0..sizes[axis])
                            .map(|k| {
                                let mut i = i.to_vec();
                                i.insert(axis, k);
                                (from, place(&sizes, &i))
                            })
                            .collect()
                    }),
                )
            }
            3 if rank < 2 => {
                let (sizes, mut out) = (shape.clone(), shape.clone());
                out.insert(0, 1 + rng.below(3));
                let dims: Vec<usize> = (1..=rank).collect();
                let rest = format!(
                    "\"stablehlo.broadcast_in_dim\"(%v{from}) {{broadcast_dimensions = {}}} : ({old}) -> {}",
                    list(&dims),
                    ty(&out)
                );
                (
                    out,
                    rest,
                    Box::new(move |i| vec![(from, place(&sizes, &i[1..]))]),
                )
            }
            4 if rank > 0 => {
                let (sizes, mut out) = (shape.clone(), shape.clone());
                let start = rng.below(sizes[axis]);
                out[axis] -= start;
                let (mut starts, ones) = (vec![0; rank], vec![1; rank]);
                starts[axis] = start;
                let rest = format!(
                    "\"stablehlo.slice\"(%v{from}) {{start_indices = {}, limit_indices = {}, strides = {}}} : ({old}) -> {}",
                    list(&starts),
                    list(&shape),
                    list(&ones),
                    ty(&out)
                );
                (
                    out,
                    rest,
                    Box::new(move |i| {
                        let mut i = i.to_vec();
                        i[axis] += start;
                        vec![(from, place(&sizes, &i))]
                    }),
                )
            }
            _ => {
                let same: Vec<usize> = (0..values.len())
                    .filter(|v| values[*v].shape == shape)
                    .collect();
                let (other, sizes) = (same[rng.below(same.len())], shape.clone());
                let rest =
                    format!("\"stablehlo.add\"(%v{from}, %v{other}) : ({old}, {old}) -> {old}");
                (
                    shape,
                    rest,
                    Box::new(move |i| vec![(from, place(&sizes, i)), (other, place(&sizes, i))]),
                )
            }
        };
        text += &format!("%v{next} = {line}\n");
        let sources = indices(&out).iter().map(|i| source(i)).collect();
        add(&mut values, out, sources);
    }
    (text + "return }", values)
}

fn pairs(maps: &[IndexingMap], from: &[usize], to: &[usize]) -> BTreeSet<(usize, usize)> {
    let mut found = BTreeSet::new();
    for map in maps {
        assert!(map.is_exact() && map.is_known(), "{map}");
        map.for_each_point(|dims, _, _, index| {
            let at = |shape: &[usize], index: &[i64]| {
                place(
                    shape,
                    &index.iter().map(|i| *i as usize).collect::<Vec<_>>(),
                )
            };
            found.insert((at(from, dims), at(to, index)));
            true
        });
    }
    found
}

#[test]
fn between_any_two_values() {
    let registry = melior::dialect::DialectRegistry::new();
    melior::utility::register_all_dialects(&registry);
    let context = melior::Context::new();
    context.append_dialect_registry(&registry);
    context.set_allow_unregistered_dialects(true);
    let mut rng = Rng(1);
    let (mut paths, mut none) = (0, 0);
    for _ in 0..250 {
        let (text, values) = program(&mut rng);
        let module = Module::parse(&context, &text).unwrap_or_else(|| panic!("{text}"));
        let function: Op<'_> = op::ops(mapwright_mlir::block(&module.body()))[0];
        let body = function.body(0).unwrap();
        let mut handles: Vec<Val<'_>> = vec![op::arguments(body)[0]];
        handles.extend(
            op::ops(body)
                .into_iter()
                .filter(|o| o.num_results() > 0)
                .map(|o| o.result(0)),
        );
        assert_eq!(handles.len(), values.len());
        let composer = Composer::new();
        for (late, value) in values.iter().enumerate() {
            for early in 0..=late {
                let source = &values[early];
                let expected: BTreeSet<(usize, usize)> = value
                    .made
                    .iter()
                    .enumerate()
                    .flat_map(|(at, set)| {
                        let of = set.iter().filter(|(value, _)| *value == early);
                        of.map(move |(_, place)| (at, *place)).collect::<Vec<_>>()
                    })
                    .collect();
                let about = format!("%v{late} and %v{early}\n{text}");
                let back = composer.between(handles[late], handles[early]);
                assert_eq!(
                    pairs(&back, &value.shape, &source.shape),
                    expected,
                    "{about}"
                );
                let there = composer.forward(handles[early]);
                let there = there.maps(handles[late]).unwrap_or_default();
                let turned: BTreeSet<(usize, usize)> = pairs(there, &source.shape, &value.shape)
                    .into_iter()
                    .map(|(a, b)| (b, a))
                    .collect();
                assert_eq!(turned, expected, "forward: {about}");
                if late > early {
                    // From the earlier to the later value there is only the way forward.
                    let there = composer.between(handles[early], handles[late]);
                    let turned: BTreeSet<(usize, usize)> =
                        pairs(&there, &source.shape, &value.shape)
                            .into_iter()
                            .map(|(a, b)| (b, a))
                            .collect();
                    assert_eq!(turned, expected, "between: {about}");
                    *if expected.is_empty() {
                        &mut none
                    } else {
                        &mut paths
                    } += 1;
                }
            }
        }
    }
    assert!(paths > 1000 && none > 500, "{paths} {none}");
}
