//! What moves, repeats or sums elements is linear: its pullback is the transposed matrix, for all
//! sizes from 0 on, whether the program says them or gets them.

use super::prepared;
use mapwright_interpret::{Options, Scalar, Tensor, Value, run};
use mapwright_mlir::{ElementType, Op};

/// Programs of each operation.
const TRIALS: u64 = 60;

/// A function of `%x`, written with sizes and without.
struct Function {
    /// Sizes of the argument and of the result.
    sizes: [Vec<i64>; 2],
    /// What computes `%r`, with its sizes, and with `?` and the operands `%n0`, `%n1` and so on.
    bodies: [String; 2],
    /// The types of both where the sizes are not said.
    open: [String; 2],
    /// The operands that say numbers.
    numbers: Vec<Vec<i64>>,
}

fn tensor(sizes: &[i64], element: &str) -> String {
    let sizes: String = sizes.iter().map(|n| format!("{n}x")).collect();
    format!("tensor<{sizes}{element}>")
}

fn open(rank: usize) -> String {
    format!("tensor<{}f64>", "?x".repeat(rank))
}

fn sizes(rng: &mut fastrand::Rng, rank: usize) -> Vec<i64> {
    (0..rank).map(|_| rng.i64(0..4)).collect()
}

/// Some of the numbers below `n`, in any order.
fn some_of(rng: &mut fastrand::Rng, n: usize, count: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..n).collect();
    rng.shuffle(&mut all);
    all.truncate(count);
    all
}

/// A function whose body is the same but for its types, which stand where `{x}` and `{r}` do.
fn plain(own: Vec<i64>, out: Vec<i64>, body: &str) -> Function {
    let with = |x: &str, r: &str| body.replace("{x}", x).replace("{r}", r);
    Function {
        bodies: [
            with(&tensor(&own, "f64"), &tensor(&out, "f64")),
            with(&open(own.len()), &open(out.len())),
        ],
        open: [open(own.len()), open(out.len())],
        sizes: [own, out],
        numbers: Vec::new(),
    }
}

fn slice(rng: &mut fastrand::Rng) -> Function {
    let rank = rng.usize(1..3);
    let own: Vec<i64> = (0..rank).map(|_| rng.i64(0..7)).collect();
    let mut numbers = vec![Vec::new(); 3];
    let mut out = Vec::new();
    for size in &own {
        let start = rng.i64(0..=*size);
        let (limit, stride) = (rng.i64(start..=*size), rng.i64(1..4));
        numbers[0].push(start);
        numbers[1].push(limit);
        numbers[2].push(stride);
        out.push((limit - start + stride - 1) / stride);
    }
    let list: Vec<String> = (0..rank)
        .map(|d| format!("{}:{}:{}", numbers[0][d], numbers[1][d], numbers[2][d]))
        .collect();
    let vector = tensor(&[rank as i64], "i64");
    let (x, r) = (tensor(&own, "f64"), tensor(&out, "f64"));
    Function {
        bodies: [
            format!(
                "%r = stablehlo.slice %x [{}] : ({x}) -> {r}",
                list.join(", ")
            ),
            format!(
                "%r = stablehlo.real_dynamic_slice %x, %n0, %n1, %n2 : ({0}, {vector}, {vector}, {vector}) -> {0}",
                open(rank)
            ),
        ],
        open: [open(rank), open(rank)],
        sizes: [own, out],
        numbers,
    }
}

/// The padding is the sum of all elements.
fn pad(rng: &mut fastrand::Rng) -> Function {
    let rank = rng.usize(1..3);
    let own = sizes(rng, rank);
    let mut numbers = vec![Vec::new(); 3];
    let mut out = Vec::new();
    for size in &own {
        let between = rng.i64(0..3);
        let (low, high) = (rng.i64(-2..4), rng.i64(-2..4));
        let all = size + (size - 1).max(0) * between + low + high;
        numbers[0].push(low);
        numbers[1].push(high - all.min(0));
        numbers[2].push(between);
        out.push(all.max(0));
    }
    let dims: Vec<usize> = (0..rank).collect();
    let sum = |x: &str| {
        format!(
            "%z = stablehlo.constant dense<0.0> : tensor<f64>
             %v = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = {dims:?} : ({x}, tensor<f64>) -> tensor<f64>"
        )
    };
    let vector = tensor(&[rank as i64], "i64");
    let (x, r) = (tensor(&own, "f64"), tensor(&out, "f64"));
    Function {
        bodies: [
            format!(
                "{}\n%r = stablehlo.pad %x, %v, low = {:?}, high = {:?}, interior = {:?} : ({x}, tensor<f64>) -> {r}",
                sum(&x),
                numbers[0],
                numbers[1],
                numbers[2]
            ),
            format!(
                "{}\n%r = stablehlo.dynamic_pad %x, %v, %n0, %n1, %n2 : ({1}, tensor<f64>, {vector}, {vector}, {vector}) -> {1}",
                sum(&open(rank)),
                open(rank)
            ),
        ],
        open: [open(rank), open(rank)],
        sizes: [own, out],
        numbers,
    }
}

fn pieces(rng: &mut fastrand::Rng) -> Function {
    let rank = rng.usize(1..3);
    let own = sizes(rng, rank);
    let d = rng.usize(0..rank);
    let mut out = own.clone();
    out[d] *= 3;
    let body = format!(
        "%0 = stablehlo.reverse %x, dims = [{d}] : {{x}}
         %r = stablehlo.concatenate %x, %0, %x, dim = {d} : ({{x}}, {{x}}, {{x}}) -> {{r}}"
    );
    plain(own, out, &body)
}

fn order(rng: &mut fastrand::Rng) -> Function {
    let own = sizes(rng, 3);
    let order = some_of(rng, 3, 3);
    let reversed = rng.usize(0..4);
    let reversed = some_of(rng, 3, reversed);
    let out = order.iter().map(|d| own[*d]).collect();
    let body = format!(
        "%0 = stablehlo.reverse %x, dims = {reversed:?} : {{x}}
         %r = stablehlo.transpose %0, dims = {order:?} : ({{x}}) -> {{r}}"
    );
    plain(own, out, &body)
}

/// What is repeated has the size 1, which the program says.
fn broadcast(rng: &mut fastrand::Rng) -> Function {
    let rank = rng.usize(0..4);
    let out = sizes(rng, rank);
    let count = rng.usize(0..=rank);
    let dims = some_of(rng, rank, count);
    let own: Vec<i64> = (dims.iter())
        .map(|d| if rng.bool() { 1 } else { out[*d] })
        .collect();
    let (x, r) = (tensor(&own, "f64"), tensor(&out, "f64"));
    let vector = tensor(&[rank as i64], "i64");
    // A size that follows from that of the argument is said.
    let follows = |d: usize| dims.iter().zip(&own).any(|(to, n)| *to == d && *n != 1);
    let sizes: String = (0..rank)
        .map(|d| {
            if follows(d) {
                format!("{}x", out[d])
            } else {
                "?x".to_owned()
            }
        })
        .collect();
    let open_r = format!("tensor<{sizes}f64>");
    Function {
        bodies: [
            format!("%r = stablehlo.broadcast_in_dim %x, dims = {dims:?} : ({x}) -> {r}"),
            format!(
                "%r = stablehlo.dynamic_broadcast_in_dim %x, %n0, dims = {dims:?} : ({x}, {vector}) -> {open_r}"
            ),
        ],
        open: [x, open_r],
        numbers: vec![out.clone()],
        sizes: [own, out],
    }
}

fn reshape(rng: &mut fastrand::Rng) -> Function {
    let all = [
        vec![2, 3, 2],
        vec![12],
        vec![1, 12, 1],
        vec![3, 4],
        vec![4, 1, 3],
        vec![1, 2, 6],
    ];
    let none = [vec![0], vec![2, 0], vec![0, 3, 1]];
    let one = [vec![1], vec![1, 1], vec![1, 1, 1]];
    let group: &[Vec<i64>] = [&all[..], &none, &one][rng.usize(0..3)];
    let both = [0, 1].map(|_| group[rng.usize(0..group.len())].clone());
    let [x, r] = [0, 1].map(|i| tensor(&both[i], "f64"));
    let [open_x, open_r] = [0, 1].map(|i| open(both[i].len()));
    let vector = tensor(&[both[1].len() as i64], "i64");
    Function {
        bodies: [
            format!("%r = stablehlo.reshape %x : ({x}) -> {r}"),
            format!("%r = stablehlo.dynamic_reshape %x, %n0 : ({open_x}, {vector}) -> {open_r}"),
        ],
        open: [open_x, open_r],
        numbers: vec![both[1].clone()],
        sizes: both,
    }
}

fn sum(rng: &mut fastrand::Rng) -> Function {
    let own = sizes(rng, 3);
    let count = rng.usize(0..4);
    let dims = some_of(rng, 3, count);
    let kept = (0..3).filter(|d| !dims.contains(d));
    let out = kept.map(|d| own[d]).collect();
    let body = format!(
        "%z = stablehlo.constant dense<0.0> : tensor<f64>
         %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = {dims:?} : ({{x}}, tensor<f64>) -> {{r}}"
    );
    plain(own, out, &body)
}

fn real(sizes: &[i64], mut element: impl FnMut(usize) -> f64) -> Tensor {
    let mut next = 0..;
    Tensor::build(&ElementType::F64, sizes, |_| {
        Ok(Scalar::Real(element(next.next().unwrap())))
    })
    .unwrap()
}

#[test]
fn pullbacks_of_movement_are_transposed_matrices() {
    let operations: [fn(&mut fastrand::Rng) -> Function; 7] =
        [slice, pad, pieces, order, broadcast, reshape, sum];
    for operation in operations {
        for seed in 0..TRIALS {
            check(&operation(&mut fastrand::Rng::with_seed(seed)));
        }
    }
}

fn check(function: &Function) {
    let [own, out] = &function.sizes;
    let numbers: Vec<Tensor> = (function.numbers.iter())
        .map(|list| {
            let rank = [list.len() as i64];
            let number = |i: &[i64]| Ok(Scalar::Int(list[i[0] as usize].into()));
            Tensor::build(&ElementType::int(64), &rank, number).unwrap()
        })
        .collect();
    let operands: String = (function.numbers.iter().enumerate())
        .map(|(k, list)| format!(", %n{k}: {}", tensor(&[list.len() as i64], "i64")))
        .collect();
    let [known, unknown] = &function.bodies;
    let [open_argument, open_result] = &function.open;
    let known = format!(
        "func.func @f(%x: {}) -> {r} {{\n{known}\nreturn %r : {r}\n}}",
        tensor(own, "f64"),
        r = tensor(out, "f64")
    );
    let unknown = format!(
        "func.func @f(%x: {}{operands}) -> {open_result} {{\n{unknown}\nreturn %r : {open_result}\n}}",
        open_argument
    );
    let count = |sizes: &[i64]| sizes.iter().product::<i64>() as usize;
    for (text, numbers) in [(known, &numbers[..0]), (unknown, &numbers[..])] {
        let of = |root: Op<'_>, name: &str, first: &Tensor, last: Option<&Tensor>| -> Vec<f64> {
            let arguments = [first].into_iter().chain(numbers).chain(last);
            let values: Vec<Value> = arguments.map(|t| Value::Tensor(t.clone())).collect();
            let found = run(root, name, &values, &Options::default());
            let found = found.unwrap_or_else(|e| panic!("{e}:\n{text}"));
            let found = found[0].tensor().unwrap();
            found.data.iter().map(|e| e.real().unwrap()).collect()
        };
        prepared("movement", &text, &[0], Default::default(), |root| {
            let zeros = real(own, |_| 0.0);
            for j in 0..count(out) {
                let one = real(out, |i| f64::from(u8::from(i == j)));
                let row = of(root, "f_vjp", &zeros, Some(&one));
                assert_eq!(row.len(), count(own), "{text}");
                for (i, pulled) in row.iter().enumerate() {
                    let unit = real(own, |k| f64::from(u8::from(i == k)));
                    let column = of(root, "f", &unit, None);
                    assert_eq!(column[j], *pulled, "{j} by {i}:\n{text}");
                }
            }
            let nothing = of(root, "f_vjp", &zeros, Some(&real(out, |_| 0.0)));
            assert!(
                nothing.iter().all(|e| *e == 0.0) && nothing.len() == count(own),
                "{text}"
            );
        });
    }
}
