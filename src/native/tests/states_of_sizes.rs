//! What loops carry and branches give stays where it is, also where its sizes are known at run time
//! only: as much is copied as for static sizes. And random loops over tensors whose sizes change,
//! against the interpreter.
//!
//! A few dozen random programs run here. Many:
//! `SEED=1 COUNT=1000 cargo test --release -p mapwright-native --test all
//! states_of_sizes::many -- --ignored`.

use crate::agreement::{Input, copied_bytes};
use fastrand::Rng;
use mapwright_mlir::ElementType;

const ROWS: i64 = 40;

/// A loop of 12 iterations over the states `%x` and `%y`, which start as the arguments; `%i`
/// counts. `%n` and `%m` are the next states.
fn looped(body: &str) -> String {
    format!(
        "func.func @main(%p: $X, %q: $X) -> ($X, $X) {{
           %zero = stablehlo.constant dense<0> : tensor<i32>
           %one = stablehlo.constant dense<1> : tensor<i32>
           %trips = stablehlo.constant dense<12> : tensor<i32>
           %two = stablehlo.constant dense<2> : tensor<i32>
           %s = stablehlo.add %p, %q : $X
           %t = stablehlo.subtract %p, %q : $X
           %r:3 = stablehlo.while(%i = %zero, %x = %s, %y = %t) : tensor<i32>, $X, $X
           cond {{
             %c = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %c : tensor<i1>
           }} do {{
             %j = stablehlo.add %i, %one : tensor<i32>
             %which = stablehlo.remainder %i, %two : tensor<i32>
             {body}
             stablehlo.return %j, %n, %m : tensor<i32>, $X, $X
           }}
           return %r#1, %r#2 : $X, $X
         }}"
    )
}

/// Numbers that are whole, so that sums are the same in any order.
fn input(rows: i64, columns: i64, rng: &mut Rng) -> Input {
    let count = usize::try_from(rows * columns).unwrap();
    let bytes = (0..count).flat_map(|_| (rng.i32(-8..8) as f32).to_le_bytes());
    (ElementType::F32, vec![rows, columns], bytes.collect())
}

/// Bodies, and how many bytes are copied for each byte of a state.
const BODIES: &[(&str, u64, &str)] = &[
    (
        "computed from what was there",
        0,
        "%n = stablehlo.add %x, %y : $X
         %m = stablehlo.negate %y : $X",
    ),
    (
        "a branch that computes in place",
        0,
        "%n = \"stablehlo.case\"(%which) ({
           %u = stablehlo.add %x, %x : $X
           stablehlo.return %u : $X
         }, {
           %u = stablehlo.negate %x : $X
           stablehlo.return %u : $X
         }) : (tensor<i32>) -> $X
         %m = stablehlo.add %y, %y : $X",
    ),
    (
        "a branch that gives what was there, in another branch",
        0,
        "%n = \"stablehlo.case\"(%which) ({
           %v = \"stablehlo.case\"(%j) ({
             stablehlo.return %x : $X
           }, {
             %u = stablehlo.multiply %x, %y : $X
             stablehlo.return %u : $X
           }) : (tensor<i32>) -> $X
           stablehlo.return %v : $X
         }, {
           stablehlo.return %x : $X
         }) : (tensor<i32>) -> $X
         %m = stablehlo.negate %y : $X",
    ),
    (
        "two states that change places",
        0,
        "%n = stablehlo.negate %y : $X
         %m = stablehlo.abs %x : $X",
    ),
    (
        "a state of which other elements are read than are written",
        0,
        "%o = stablehlo.reverse %x, dims = [0] : $X
         %n = stablehlo.subtract %o, %x : $X
         %m = stablehlo.negate %y : $X",
    ),
    (
        "the present state and the one before",
        0,
        "%o = stablehlo.reverse %x, dims = [0] : $X
         %n = stablehlo.subtract %o, %y : $X
         %m = stablehlo.convert %x : $X",
    ),
];

#[test]
fn as_much_is_copied_as_for_static_sizes() {
    let mut rng = Rng::with_seed(7);
    for (what, copies, body) in BODIES {
        let program = looped(body);
        let inputs = [input(ROWS, 16, &mut rng), input(ROWS, 16, &mut rng)];
        let of =
            |ty: &str| copied_bytes(&program.replace("$X", ty), &inputs, &[(1, None), (2, None)]);
        let (fixed, sized) = (of("tensor<40x16xf32>"), of("tensor<?x16xf32>"));
        assert_eq!(fixed, sized, "{what}\n{program}");
        let state = ROWS as u64 * 16 * 4;
        assert!(
            sized.iter().all(|n| *n == copies * state),
            "{what}: {sized:?}\n{program}"
        );
    }
}

/// Random programs over tensors of type `tensor<?x3xf32>`.
struct Generator {
    rng: Rng,
    next: usize,
}

const TYPE: &str = "tensor<?x3xf32>";

impl Generator {
    fn name(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    /// One of the values, the late ones rather than the first.
    fn one(&mut self, of: &[String]) -> String {
        let back = self.rng.usize(..of.len()).min(self.rng.usize(..of.len()));
        of[of.len() - 1 - back].clone()
    }

    /// The first rows of `value`: as many as `how` and `by` make of how many there are.
    fn first(&mut self, value: &str, (how, by): (&str, &str), text: &mut String) -> String {
        let [size, list, few, end, rows] = [(); 5].map(|()| self.name());
        *text += &format!(
            "{size} = stablehlo.get_dimension_size {value}, dim = 0 : ({TYPE}) -> tensor<i32>
             {list} = stablehlo.reshape {size} : (tensor<i32>) -> tensor<1xi32>
             {few} = stablehlo.{how} {list}, {by} : tensor<1xi32>
             {end} = stablehlo.concatenate {few}, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
             {rows} = stablehlo.real_dynamic_slice {value}, %start, {end}, %steps : ({TYPE}, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> {TYPE}\n"
        );
        rows
    }

    /// Adds a value to `pool`, or a few; `count` is a number that changes.
    fn step(&mut self, pool: &mut Vec<String>, count: &str, depth: usize, text: &mut String) {
        let value = self.one(pool);
        let name = self.name();
        match self.rng.usize(..if depth < 2 { 10 } else { 7 }) {
            0 | 1 => *text += &format!("{name} = stablehlo.negate {value} : {TYPE}\n"),
            2 => *text += &format!("{name} = stablehlo.add {value}, {value} : {TYPE}\n"),
            3 => *text += &format!("{name} = stablehlo.reverse {value}, dims = [0] : {TYPE}\n"),
            4 => {
                let other = self.name();
                *text += &format!(
                    "{other} = stablehlo.reverse {value}, dims = [0] : {TYPE}
                     {name} = stablehlo.maximum {value}, {other} : {TYPE}\n"
                );
            }
            5 => return pool.push(self.first(&value, ("divide", "%two"), text)),
            6 => {
                let other = self.one(pool);
                *text += &format!(
                    "{name} = stablehlo.concatenate {value}, {other}, dim = 0 : ({TYPE}, {TYPE}) -> {TYPE}\n"
                );
                return pool.push(self.first(&name, ("minimum", "%nine"), text));
            }
            7 | 8 => {
                let mut branch = || {
                    let (mut own, mut inner) = (pool.clone(), String::new());
                    for _ in 0..self.rng.usize(..3) {
                        self.step(&mut own, count, depth + 1, &mut inner);
                    }
                    let given = [self.one(&own), self.one(&own)].join(", ");
                    format!("{{\n{inner} stablehlo.return {given} : {TYPE}, {TYPE}\n}}")
                };
                let branches = [branch(), branch()].join(", ");
                let which = self.name();
                *text += &format!(
                    "{which} = stablehlo.remainder {count}, %even : tensor<i32>
                     {name}:2 = \"stablehlo.case\"({which}) ({branches}) : (tensor<i32>) -> ({TYPE}, {TYPE})\n"
                );
                return pool.extend([format!("{name}#0"), format!("{name}#1")]);
            }
            _ => return self.looped(pool, depth + 1, text),
        }
        pool.push(name);
    }

    /// A loop over three values, or fewer.
    fn looped(&mut self, pool: &mut Vec<String>, depth: usize, text: &mut String) {
        let [result, i, j, c] = [(); 4].map(|()| self.name());
        let states: Vec<String> = (0..self.rng.usize(1..=3)).map(|_| self.name()).collect();
        let types = vec![TYPE; states.len()].join(", ");
        let given = states
            .iter()
            .map(|state| format!("{state} = {}", self.one(pool)));
        let given: Vec<String> = given.collect();
        let mut own = pool.clone();
        own.extend(states.clone());
        let mut body = String::new();
        for _ in 0..self.rng.usize(1..5) {
            self.step(&mut own, &i, depth, &mut body);
        }
        let next: Vec<String> = states.iter().map(|_| self.one(&own)).collect();
        let trips = ["%even", "%five"][self.rng.usize(..2)];
        *text += &format!(
            "{result}:{} = stablehlo.while({i} = %zero, {}) : tensor<i32>, {types}
             cond {{
               {c} = stablehlo.compare LT, {i}, {trips}, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
               stablehlo.return {c} : tensor<i1>
             }} do {{
               {body}
               {j} = stablehlo.add {i}, %one : tensor<i32>
               stablehlo.return {j}, {} : tensor<i32>, {types}
             }}\n",
            states.len() + 1,
            given.join(", "),
            next.join(", ")
        );
        pool.extend((1..=states.len()).map(|k| format!("{result}#{k}")));
    }

    fn program(seed: u64) -> String {
        let mut own = Self {
            rng: Rng::with_seed(seed),
            next: 0,
        };
        let mut pool = vec!["%p".to_string(), "%q".to_string()];
        let mut text = String::new();
        for _ in 0..own.rng.usize(1..3) {
            own.step(&mut pool, "%one", 1, &mut text);
        }
        own.looped(&mut pool, 0, &mut text);
        for _ in 0..own.rng.usize(..3) {
            own.step(&mut pool, "%one", 1, &mut text);
        }
        let results = [(); 3].map(|()| own.one(&pool)).join(", ");
        format!(
            "func.func @main(%p: {TYPE}, %q: {TYPE}) -> ({TYPE}, {TYPE}, {TYPE}) {{
               %zero = stablehlo.constant dense<0> : tensor<i32>
               %one = stablehlo.constant dense<1> : tensor<i32>
               %even = stablehlo.constant dense<2> : tensor<i32>
               %five = stablehlo.constant dense<5> : tensor<i32>
               %two = stablehlo.constant dense<2> : tensor<1xi32>
               %three = stablehlo.constant dense<3> : tensor<1xi32>
               %nine = stablehlo.constant dense<9> : tensor<1xi32>
               %start = stablehlo.constant dense<0> : tensor<2xi32>
               %steps = stablehlo.constant dense<1> : tensor<2xi32>
               {text}
               return {results} : {TYPE}, {TYPE}, {TYPE}
             }}"
        )
    }
}

fn several(first: u64, count: u64) {
    for seed in first..first + count {
        let source = Generator::program(seed);
        let mut rng = Rng::with_seed(seed);
        let rows = [(); 2].map(|()| rng.choice([0, 1, 2, 3, 5, 9]).unwrap_or(0));
        let inputs = rows.map(|rows| input(rows, 3, &mut rng));
        copied_bytes(&source, &inputs, &[(1 + (seed % 2) as usize, None)]);
    }
}

#[test]
fn random_loops() {
    several(1, 60);
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().expect("a number"))
}

/// As many as `COUNT` says, from the seed `SEED`.
#[test]
#[ignore = "takes minutes"]
fn many() {
    several(number("SEED", 1), number("COUNT", 1000));
}

/// As many as `COUNT` says, from the seed `SEED`, as files in the folder `FOLDER`: for
/// `tests/sanitize.py`.
#[test]
#[ignore = "writes files"]
fn written_programs() {
    let folder = std::path::PathBuf::from(std::env::var_os("FOLDER").expect("FOLDER"));
    std::fs::create_dir_all(&folder).unwrap();
    let first = number("SEED", 1);
    for seed in first..first + number("COUNT", 200) {
        let file = folder.join(format!("{seed:06}.mlir"));
        std::fs::write(file, Generator::program(seed)).unwrap();
    }
}
