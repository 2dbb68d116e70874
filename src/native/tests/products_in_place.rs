//! Products whose results are written where an operand of what follows them was, and those whose
//! rows are packed in rounds: the same bits as with memory of their own.

use crate::ways::{Numbers, ODD, assert_same_bits, compile, numbers, program, run, ty};

/// With and without memory that is shared, on one thread and two.
fn check(source: &str) {
    let [shared, apart] = compile(
        source,
        [&["small-products"], &["small-products", "in-place"]],
    );
    let mut regions = shared.statistics().regions.iter();
    assert!(regions.any(|r| r.emitter == "contraction"), "{source}");
    for every in [0, 59] {
        let inputs = Numbers {
            every,
            odd: ODD,
            below: 0,
        }
        .inputs(&shared, 5);
        let expected = run(&apart, &inputs, 1);
        for threads in [1, 2] {
            let found = run(&shared, &inputs, threads);
            assert_same_bits(&expected, &found, "memory changes the result", source);
        }
    }
}

/// Steps of a loop on a state of two matrices, `%x` and `%y`, with `%w` beside them: `%p` and `%q`
/// are the next ones.
const STEPS: [&str; 10] = [
    // Newton and Schulz: the state is read by one product, and after the other.
    "%t = dot(%x, %x) : 0 x 0
     %h = multiply(%x, %w)
     %d = dot(%h, %t) : 1 x 0
     %p = subtract(%x, %d)
     %q = negate(%y)",
    // A factor is not overwritten.
    "%d = dot(%x, %w) : 1 x 0
     %p = subtract(%x, %d)
     %q = add(%y, %p)",
    "%d = dot(%w, %x) : 1 x 1
     %p = add(%x, %d)
     %q = multiply(%y, %p)",
    // Both states follow one product.
    "%d = dot(%w, %w) : 1 x 0
     %p = add(%x, %d)
     %e = multiply(%y, %d)
     %q = subtract(%e, %p)",
    // The other one's place.
    "%d = dot(%w, %w) : 0 x 1
     %p = add(%y, %d)
     %q = subtract(%x, %d)",
    // Read elsewhere than it is written.
    "%d = dot(%w, %w) : 1 x 0
     %t = transpose(%x)
     %p = add(%t, %d)
     %q = negate(%y)",
    "%d = dot(%w, %w) : 1 x 0
     %t = transpose(%x)
     %s = add(%t, %x)
     %p = multiply(%s, %d)
     %q = negate(%y)",
    // Read again afterwards.
    "%d = dot(%w, %y) : 1 x 0
     %p = add(%x, %d)
     %q = multiply(%x, %y)",
    // A step of Adam.
    "%g = dot(%w, %w) : 0 x 0
     %q = subtract(%y, %g)
     %p = subtract(%x, %q)",
    // What one product leaves is where the next one ends.
    "%d = dot(%w, %x) : 1 x 0
     %p = subtract(%d, %y)
     %q = tanh(%p)",
];

/// The text of a step from `%x` and `%y`, whose own names end in `end`, in StableHLO.
fn written(step: &str, of: &str, (x, y): (&str, &str), end: &str) -> String {
    let named = |name: &str| match name.trim() {
        "%x" => x.to_owned(),
        "%y" => y.to_owned(),
        "%w" => "%arg2".to_owned(),
        own => format!("{own}{end}"),
    };
    let lines = step.lines().map(|line| {
        let (name, right) = line.trim().split_once(" = ").unwrap();
        let (call, numbers) = right.split_once(" : ").unwrap_or((right, ""));
        let (op, operands) = call.trim_end_matches(')').split_once('(').unwrap();
        let operands: Vec<String> = operands.split(',').map(named).collect();
        let types = vec![of; operands.len()].join(", ");
        let (name, operands) = (named(name), operands.join(", "));
        match (op, numbers.split_once(" x ")) {
            ("dot", Some((a, b))) => format!(
                "{name} = stablehlo.dot_general {operands}, contracting_dims = [{a}] x [{b}] : ({types}) -> {of}"
            ),
            ("transpose", _) => {
                format!("{name} = stablehlo.transpose {operands}, dims = [1, 0] : ({of}) -> {of}")
            }
            _ => format!("{name} = stablehlo.{op} {operands} : {of}"),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn steps_of_loops() {
    for n in [5, 33, 64] {
        let of = ty(&[n, n], "f32");
        for step in STEPS {
            let step = written(step, &of, ("%x", "%y"), "");
            let body = format!(
                "%z = stablehlo.constant dense<0> : tensor<i32>
                 %n = stablehlo.constant dense<3> : tensor<i32>
                 %o = stablehlo.constant dense<1> : tensor<i32>
                 %l:3 = stablehlo.while(%i = %z, %x = %arg0, %y = %arg1) : tensor<i32>, {of}, {of}
                 cond {{
                   %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
                   stablehlo.return %c : tensor<i1>
                 }} do {{
                   %j = stablehlo.add %i, %o : tensor<i32>
                   {step}
                   stablehlo.return %j, %p, %q : tensor<i32>, {of}, {of}
                 }}
                 return %l#1, %l#2 : {of}, {of}"
            );
            let inputs = [of.clone(), of.clone(), of.clone()];
            check(&program(&inputs, &[of.clone(), of.clone()], &body));
        }
    }
}

#[test]
fn steps_in_a_row() {
    let of = ty(&[40, 40], "f32");
    for (i, first) in STEPS.into_iter().enumerate() {
        for second in [STEPS[i], STEPS[(3 * i + 1) % STEPS.len()]] {
            let steps = [
                written(first, &of, ("%arg0", "%arg1"), "1"),
                written(second, &of, ("%p1", "%q1"), "2"),
                written(first, &of, ("%p2", "%q2"), "3"),
            ];
            let body = format!("{}\nreturn %p3, %q3 : {of}, {of}", steps.join("\n"));
            let inputs = [of.clone(), of.clone(), of.clone()];
            check(&program(&inputs, &[of.clone(), of.clone()], &body));
        }
    }
}

/// Rows that are far apart are packed; of many some at a time. What follows reads where it writes.
#[test]
fn rounds() {
    for (element, m, n, k) in [
        ("f32", 512, 160, 176),
        ("f32", 384, 200, 333),
        ("f32", 768, 130, 150),
        ("f64", 256, 136, 190),
    ] {
        let (l, r) = (ty(&[k, m], element), ty(&[k, n], element));
        let out = ty(&[m, n], element);
        let body = format!(
            "%0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : ({l}, {r}) -> {out}
             %1 = stablehlo.subtract %arg2, %0 : {out}
             return %1 : {out}"
        );
        let source = program(&[l, r, out.clone()], &[out], &body);
        let [fast, slow] = compile(&source, [&[], &["contraction"]]);
        let mut regions = fast.statistics().regions.iter();
        assert!(regions.any(|r| r.emitter == "contraction"), "{source}");
        let inputs = Numbers {
            every: 0,
            odd: ODD,
            below: 0,
        }
        .inputs(&fast, 3);
        let (a, b) = (run(&fast, &inputs, 1), run(&slow, &inputs, 1));
        assert_same_bits(
            &a,
            &run(&fast, &inputs, 2),
            "threads change the result",
            &source,
        );
        for (p, q) in numbers(&a[0]).iter().zip(&numbers(&b[0])) {
            assert!(
                (p - q).abs() <= 1e-6 * (q.abs() + 4.0 * k as f64),
                "{p} against {q}\n{source}"
            );
        }
    }
}
