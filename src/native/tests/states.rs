//! What loops carry stays where it is: no copy of a state that an iteration reads and updates in
//! part, and right values all the same.

use crate::agreement::copied_bytes;
use mapwright_mlir::ElementType;

/// Elements of the states.
const ROWS: i64 = 1000;

/// A loop of 37 iterations over the state `%x`, which starts as a splat of the argument `%v`; `%i`
/// counts, `%t` is a table of indices that is handed through. `%n` is the next state.
fn looped(rows: i64, body: &str) -> String {
    let text = format!(
        "func.func @main(%v: tensor<f32>, %t: tensor<37xi32>) -> $X {{
           %zero = stablehlo.constant dense<0> : tensor<i32>
           %one = stablehlo.constant dense<1> : tensor<i32>
           %trips = stablehlo.constant dense<37> : tensor<i32>
           %start = stablehlo.broadcast_in_dim %v, dims = [] : (tensor<f32>) -> $X
           %r:3 = stablehlo.while(%k = %t, %i = %zero, %x = %start) : tensor<37xi32>, tensor<i32>, $X
           cond {{
             %c = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %c : tensor<i1>
           }} do {{
             %p = stablehlo.dynamic_slice %k, %i, sizes = [1] : (tensor<37xi32>, tensor<i32>) -> tensor<1xi32>
             %at = stablehlo.reshape %p : (tensor<1xi32>) -> tensor<i32>
             %j = stablehlo.add %i, %one : tensor<i32>
             {body}
             stablehlo.return %k, %j, %n : tensor<37xi32>, tensor<i32>, $X
           }}
           return %r#2 : $X
         }}"
    );
    let text = text.replace("$X", &format!("tensor<{rows}xf32>"));
    text.replace("$S", "(tensor<1xf32>) -> tensor<f32>")
        .replace(
            " $READ",
            &format!(", sizes = [1] : (tensor<{rows}xf32>, tensor<i32>) -> tensor<1xf32>"),
        )
        .replace(
            "$WRITE",
            &format!(": (tensor<{rows}xf32>, tensor<1xf32>, tensor<i32>) -> tensor<{rows}xf32>"),
        )
}

fn scatter(rows: i64) -> String {
    format!(
        "<{{indices_are_sorted = false, unique_indices = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}}> ({{
         ^bb0(%a: tensor<f32>, %b: tensor<f32>):
           %sum = stablehlo.add %a, %b : tensor<f32>
           stablehlo.return %sum : tensor<f32>
         }}) : (tensor<{rows}xf32>, tensor<1xi32>, tensor<f32>) -> tensor<{rows}xf32>"
    )
}

/// Runs a program, compares it with the interpreter, and says how many bytes it copied to be safe.
fn copied(source: &str) -> u64 {
    let table: Vec<i32> = (0..37).map(|i| (i * 7919 + 3) % 1000 - 20).collect();
    let inputs = [
        (ElementType::F32, vec![], 1.25f32.to_le_bytes().to_vec()),
        (
            ElementType::int(32),
            vec![37],
            table.iter().flat_map(|x| x.to_le_bytes()).collect(),
        ),
    ];
    let counts = copied_bytes(
        source,
        &inputs,
        &[(1, None), (2, None), (1, Some("light-loops"))],
    );
    assert!(counts.iter().all(|n| *n == counts[0]), "{counts:?}");
    counts[0]
}

/// Bodies after which nothing reads what was there before, or may read it first.
const IN_PLACE: &[(&str, &str)] = &[
    (
        "one element made of another",
        "%s = stablehlo.dynamic_slice %x, %at $READ
         %u = stablehlo.add %s, %s : tensor<1xf32>
         %n = stablehlo.dynamic_update_slice %x, %u, %j $WRITE",
    ),
    (
        "read by operations that stand behind the update",
        "%s = stablehlo.dynamic_slice %x, %at $READ
         %m = stablehlo.dynamic_update_slice %x, %s, %j $WRITE
         %w = stablehlo.dynamic_slice %x, %i $READ
         %u = stablehlo.add %w, %w : tensor<1xf32>
         %n = stablehlo.dynamic_update_slice %m, %u, %zero $WRITE",
    ),
    (
        "one element of before and one of after in a sum",
        "%s = stablehlo.dynamic_slice %x, %at $READ
         %d = stablehlo.add %s, %s : tensor<1xf32>
         %m = stablehlo.dynamic_update_slice %x, %d, %j $WRITE
         %o = stablehlo.dynamic_slice %x, %j $READ
         %w = stablehlo.dynamic_slice %m, %j $READ
         %u = stablehlo.subtract %w, %o : tensor<1xf32>
         %n = stablehlo.dynamic_update_slice %m, %u, %i $WRITE",
    ),
    (
        "a scatter",
        "%s = stablehlo.dynamic_slice %x, %i $READ
         %u = stablehlo.reshape %s : $S
         %q = stablehlo.reshape %at : (tensor<i32>) -> tensor<1xi32>
         %n = \"stablehlo.scatter\"(%x, %q, %u) $SCATTER",
    ),
    (
        "an update of what is converted to its own type before and after",
        "%s = stablehlo.dynamic_slice %x, %at $READ
         %u = stablehlo.convert %s : tensor<1xf32>
         %w = stablehlo.convert %x : $X
         %m = stablehlo.dynamic_update_slice %w, %u, %j $WRITE
         %n = stablehlo.convert %m : $X",
    ),
    (
        "a branch that updates and one that does not",
        "%n = \"stablehlo.case\"(%at) ({
           stablehlo.return %x : $X
         }, {
           %s = stablehlo.dynamic_slice %x, %i $READ
           %u = stablehlo.dynamic_update_slice %x, %s, %j $WRITE
           stablehlo.return %u : $X
         }) : (tensor<i32>) -> $X",
    ),
    (
        "an element of before that is read behind a branch that scatters",
        "%u = stablehlo.reshape %w1 : $S
         %q = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
         %m = \"stablehlo.case\"(%at) ({
           stablehlo.return %x : $X
         }, {
           %y = \"stablehlo.scatter\"(%x, %q, %u) $SCATTER
           stablehlo.return %y : $X
         }) : (tensor<i32>) -> $X
         %o = stablehlo.dynamic_slice %x, %j $READ
         %n = stablehlo.dynamic_update_slice %m, %o, %at $WRITE",
    ),
    (
        "branches in branches",
        "%q = stablehlo.compare GT, %at, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
         %n = \"stablehlo.if\"(%q) ({
           %m = \"stablehlo.case\"(%at) ({
             %e = stablehlo.dynamic_update_slice %x, %w1, %j $WRITE
             stablehlo.return %e : $X
           }, {
             stablehlo.return %x : $X
           }) : (tensor<i32>) -> $X
           %s = stablehlo.dynamic_slice %m, %i $READ
           %u = stablehlo.dynamic_update_slice %m, %s, %at $WRITE
           stablehlo.return %u : $X
         }, {
           stablehlo.return %x : $X
         }) : (tensor<i1>) -> $X",
    ),
    (
        "a loop in the loop",
        "%l:2 = stablehlo.while(%a = %zero, %y = %x) : tensor<i32>, $X
         cond {
           %d = stablehlo.compare LT, %a, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %d : tensor<i1>
         } do {
           %b = stablehlo.add %a, %one : tensor<i32>
           %s = stablehlo.dynamic_slice %y, %at $READ
           %u = stablehlo.add %s, %s : tensor<1xf32>
           %z = stablehlo.dynamic_update_slice %y, %u, %a $WRITE
           stablehlo.return %b, %z : tensor<i32>, $X
         }
         %n = stablehlo.dynamic_update_slice %l#1, %w1, %i $WRITE",
    ),
    (
        "a search whose condition and body are given the state apart",
        "%l:3 = stablehlo.while(%a = %x, %b = %x, %d = %zero) : $X, $X, tensor<i32>
         cond {
           %e = stablehlo.dynamic_slice %a, %d $READ
           %f = stablehlo.compare LE, %e, %w1 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
           %g = stablehlo.reshape %f : (tensor<1xi1>) -> tensor<i1>
           %h = stablehlo.compare LT, %d, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
           %o = stablehlo.and %g, %h : tensor<i1>
           stablehlo.return %o : tensor<i1>
         } do {
           %e = stablehlo.dynamic_slice %b, %d $READ
           %f = stablehlo.convert %e : (tensor<1xf32>) -> tensor<1xi32>
           %g = stablehlo.reshape %f : (tensor<1xi32>) -> tensor<i32>
           %h = stablehlo.maximum %g, %one : tensor<i32>
           %o = stablehlo.add %d, %h : tensor<i32>
           stablehlo.return %a, %b, %o : $X, $X, tensor<i32>
         }
         %s = stablehlo.dynamic_slice %x, %l#2 $READ
         %u = stablehlo.add %s, %w1 : tensor<1xf32>
         %n = stablehlo.dynamic_update_slice %x, %u, %at $WRITE",
    ),
];

fn filled(body: &str, rows: i64) -> String {
    let own = "%w1 = stablehlo.reshape %v : (tensor<f32>) -> tensor<1xf32>\n";
    let body = format!("{own}{body}").replace("$SCATTER", &scatter(rows));
    looped(rows, &body)
}

#[test]
fn nothing_is_copied() {
    for (what, body) in IN_PLACE {
        let source = filled(body, ROWS);
        assert_eq!(copied(&source), 0, "{what}\n{source}");
    }
}

/// A larger state is copied no more often: what is read after it was overwritten is saved, not the
/// state.
#[test]
fn copies_do_not_grow_with_the_state() {
    let shifted = |rows: i64| {
        filled(
            &format!(
                "%f = stablehlo.slice %x [0:16] : (tensor<{rows}xf32>) -> tensor<16xf32>
                 %n = stablehlo.dynamic_update_slice %x, %f, %one : (tensor<{rows}xf32>, tensor<16xf32>, tensor<i32>) -> tensor<{rows}xf32>"
            ),
            rows,
        )
    };
    assert_eq!(copied(&shifted(ROWS)), copied(&shifted(2 * ROWS)));
    for (what, body) in IN_PLACE {
        let of = |rows| copied(&filled(body, rows));
        assert_eq!(of(ROWS), of(2 * ROWS), "{what}");
    }
}

/// Rows of numbers of eight bits, not all of which are numbers: what LLVM makes of the iterations
/// is not valid, and is made again with less.
#[test]
fn rows_of_small_numbers() {
    let (x, r) = ("tensor<18x32x2xf8E4M3FNUZ>", "tensor<1x32x2xf8E4M3FNUZ>");
    let at = "tensor<i32>, tensor<i32>, tensor<i32>";
    let source = format!(
        "func.func @main(%v: tensor<f32>, %t: tensor<37xi32>) -> {x} {{
           %zero = stablehlo.constant dense<0> : tensor<i32>
           %one = stablehlo.constant dense<1> : tensor<i32>
           %last = stablehlo.constant dense<17> : tensor<i32>
           %f = stablehlo.convert %v : (tensor<f32>) -> tensor<f8E4M3FNUZ>
           %a = stablehlo.iota dim = 1 : {x}
           %b = stablehlo.iota dim = 0 : {x}
           %c = stablehlo.divide %a, %b : {x}
           %l:2 = stablehlo.while(%i = %zero, %y = %c) : tensor<i32>, {x}
           cond {{
             %d = stablehlo.compare LE, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %d : tensor<i1>
           }} do {{
             %j = stablehlo.add %i, %one : tensor<i32>
             %k = stablehlo.subtract %last, %i : tensor<i32>
             %p = stablehlo.dynamic_slice %y, %i, %zero, %zero, sizes = [1, 32, 2] : ({x}, {at}) -> {r}
             %q = stablehlo.dynamic_slice %y, %k, %zero, %zero, sizes = [1, 32, 2] : ({x}, {at}) -> {r}
             %s = stablehlo.minimum %p, %q : {r}
             %n = stablehlo.dynamic_update_slice %y, %s, %k, %zero, %zero : ({x}, {r}, {at}) -> {x}
             stablehlo.return %j, %n : tensor<i32>, {x}
           }}
           return %l#1 : {x}
         }}"
    );
    assert_eq!(copied(&source), 0);
}

/// A sweep of Gauss and Seidel: each row is made of the ones before and behind it, of which the one
/// before is new already.
#[test]
fn rows_that_an_update_reads_are_copied_alone() {
    let sweep = |read_after: bool| {
        // Of the rows that are read one is needed after the update, too.
        let last = if read_after {
            "%w = stablehlo.reshape %p : (tensor<1x256xf32>) -> tensor<256xf32>"
        } else {
            "%w = stablehlo.constant dense<0.0> : tensor<256xf32>"
        };
        format!(
            "func.func @main(%v: tensor<f32>, %t: tensor<37xi32>) -> (tensor<99x256xf32>, tensor<256xf32>) {{
               %zero = stablehlo.constant dense<0> : tensor<i32>
               %one = stablehlo.constant dense<1> : tensor<i32>
               %trips = stablehlo.constant dense<97> : tensor<i32>
               %s = stablehlo.iota dim = 0 : tensor<99x256xf32>
               %b = stablehlo.broadcast_in_dim %v, dims = [] : (tensor<f32>) -> tensor<99x256xf32>
               %start = stablehlo.add %s, %b : tensor<99x256xf32>
               %none = stablehlo.constant dense<0.0> : tensor<256xf32>
               %half = stablehlo.constant dense<0.5> : tensor<1x256xf32>
               %r:3 = stablehlo.while(%i = %zero, %x = %start, %y = %none) : tensor<i32>, tensor<99x256xf32>, tensor<256xf32>
               cond {{
                 %c = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
                 stablehlo.return %c : tensor<i1>
               }} do {{
                 %j = stablehlo.add %i, %one : tensor<i32>
                 %k = stablehlo.add %j, %one : tensor<i32>
                 %p = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 256] : (tensor<99x256xf32>, tensor<i32>, tensor<i32>) -> tensor<1x256xf32>
                 %q = stablehlo.dynamic_slice %x, %k, %zero, sizes = [1, 256] : (tensor<99x256xf32>, tensor<i32>, tensor<i32>) -> tensor<1x256xf32>
                 %m = stablehlo.add %p, %q : tensor<1x256xf32>
                 %h = stablehlo.multiply %m, %half : tensor<1x256xf32>
                 %n = stablehlo.dynamic_update_slice %x, %h, %j, %zero : (tensor<99x256xf32>, tensor<1x256xf32>, tensor<i32>, tensor<i32>) -> tensor<99x256xf32>
                 {last}
                 %o = stablehlo.dynamic_slice %n, %j, %zero, sizes = [1, 256] : (tensor<99x256xf32>, tensor<i32>, tensor<i32>) -> tensor<1x256xf32>
                 %f = stablehlo.reshape %o : (tensor<1x256xf32>) -> tensor<256xf32>
                 %g = stablehlo.add %w, %f : tensor<256xf32>
                 %z = stablehlo.maximum %g, %y : tensor<256xf32>
                 stablehlo.return %j, %n, %z : tensor<i32>, tensor<99x256xf32>, tensor<256xf32>
               }}
               return %r#1, %r#2 : tensor<99x256xf32>, tensor<256xf32>
             }}"
        )
    };
    for read_after in [false, true] {
        assert_eq!(copied(&sweep(read_after)), 0);
    }
}
