//! Loops that read and update what they carry, in every order: slices, updates, scatters, shifts,
//! branches that update or pass on, loops in loops, swaps. Whoever writes over what is still read
//! is found.

use super::{
    generate::{Generator, list, tensor},
    program::{Program, Step, Val},
};
use mapwright_mlir::{ElementType, FloatKind, TensorType};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// What loops carry.
    State,
    /// A few rows of it.
    Piece,
    /// A number, for indices.
    Number,
}

/// What is in scope.
#[derive(Clone, Default)]
struct Scope {
    names: Vec<(String, Kind)>,
    /// The counter of the innermost loop.
    counter: Option<String>,
    depth: usize,
}

impl Scope {
    fn values_of_kind(&self, kind: Kind) -> Vec<String> {
        let names = self.names.iter().filter(|(_, k)| *k == kind);
        names.map(|(name, _)| name.clone()).collect()
    }
}

/// The types of a program.
struct Types {
    element: ElementType,
    state: TensorType,
    piece: TensorType,
    /// Indices that loops look up.
    table: TensorType,
}

const NUMBER: &str = "tensor<i32>";

/// Most operations of a body, those of its regions not counted.
const LONGEST: usize = 7;

impl Types {
    fn rows(&self) -> i64 {
        self.state.static_shape().map_or(1, |shape| shape[0])
    }

    /// Indices of rows: the dimensions behind begin at zero.
    fn starts(&self) -> (String, String) {
        let behind = self.state.rank() - 1;
        (
            ", %zero".repeat(behind),
            format!(", {NUMBER}").repeat(behind),
        )
    }
}

/// The writer of a program's text.
struct Writer<'g> {
    g: &'g mut Generator,
    types: Types,
    next: usize,
}

impl Writer<'_> {
    fn name(&mut self) -> String {
        self.next += 1;
        format!("%s{}", self.next)
    }

    fn chosen(&mut self, scope: &Scope, kind: Kind) -> Option<String> {
        let names = scope.values_of_kind(kind);
        if names.is_empty() {
            return None;
        }
        // The latest ones more often.
        let from = if self.g.chance(50) {
            names.len() / 2
        } else {
            0
        };
        Some(names[self.g.rng.usize(from..names.len())].clone())
    }

    /// A number for an index, now and then outside of the rows.
    fn index(&mut self, scope: &Scope, text: &mut String) -> String {
        let last = self.types.rows() - 1;
        let name = self.name();
        let counter = scope.counter.clone().unwrap_or("%one".into());
        match self.g.rng.u8(..7) {
            0 => {
                let c = self.g.rng.i64(-2..=last + 2);
                *text += &format!(
                    "{name} = \"stablehlo.constant\"() {{value = dense<{c}> : {NUMBER}}} : () -> {NUMBER} "
                );
            }
            1 => {
                *text += &format!(
                    "{name} = \"stablehlo.add\"({counter}, %one) : ({NUMBER}, {NUMBER}) -> {NUMBER} "
                )
            }
            2 => {
                *text += &format!(
                    "{name} = \"stablehlo.subtract\"(%last, {counter}) : ({NUMBER}, {NUMBER}) -> {NUMBER} "
                )
            }
            3 => {
                let table = &self.types.table;
                *text += &format!(
                    "{name}t = \"stablehlo.dynamic_slice\"(%table, {counter}) {{slice_sizes = array<i64: 1>}} : ({table}, {NUMBER}) -> tensor<1xi32> {name} = \"stablehlo.reshape\"({name}t) : (tensor<1xi32>) -> {NUMBER} "
                );
            }
            4 => {
                if let Some(number) = self.chosen(scope, Kind::Number) {
                    return number;
                }
                return counter;
            }
            _ => return counter,
        }
        name
    }

    /// One more value in scope.
    fn step(&mut self, scope: &mut Scope, text: &mut String) {
        let (t, p) = (self.types.state.clone(), self.types.piece.clone());
        let (zeros, numbers) = self.types.starts();
        let Some(x) = self.chosen(scope, Kind::State) else {
            return;
        };
        let exact_sum = !self.types.element.is_float();
        let name = self.name();
        let kind = match self.g.rng.u8(..24) {
            0..5 => {
                let at = self.index(scope, text);
                let sizes = list(&p.static_shape().unwrap_or_default());
                *text += &format!(
                    "{name} = \"stablehlo.dynamic_slice\"({x}, {at}{zeros}) {{slice_sizes = {sizes}}} : ({t}, {NUMBER}{numbers}) -> {p} "
                );
                Kind::Piece
            }
            5..11 => {
                let Some(piece) = self.chosen(scope, Kind::Piece) else {
                    return;
                };
                let at = self.index(scope, text);
                *text += &format!(
                    "{name} = \"stablehlo.dynamic_update_slice\"({x}, {piece}, {at}{zeros}) : ({t}, {p}, {NUMBER}{numbers}) -> {t} "
                );
                Kind::State
            }
            11 | 12 => {
                self.shift(&name, &x, text);
                Kind::State
            }
            13 | 14 => {
                let (Some(a), Some(b)) = (
                    self.chosen(scope, Kind::Piece),
                    self.chosen(scope, Kind::Piece),
                ) else {
                    return;
                };
                let op = self.g.one_of(&["add", "subtract", "maximum"]);
                *text += &format!("{name} = \"stablehlo.{op}\"({a}, {b}) : ({p}, {p}) -> {p} ");
                Kind::Piece
            }
            15 | 16 => {
                let y = self.chosen(scope, Kind::State).unwrap_or(x.clone());
                let op = self.g.one_of(&["add", "subtract", "minimum"]);
                *text += &format!("{name} = \"stablehlo.{op}\"({x}, {y}) : ({t}, {t}) -> {t} ");
                Kind::State
            }
            17 => {
                let y = self.chosen(scope, Kind::State).unwrap_or(x.clone());
                *text += &format!(
                    "{name}r = \"stablehlo.reverse\"({x}) {{dimensions = array<i64: 0>}} : ({t}) -> {t} {name} = \"stablehlo.maximum\"({name}r, {y}) : ({t}, {t}) -> {t} "
                );
                Kind::State
            }
            18 => {
                self.scatter(&name, &x, scope, exact_sum, text);
                Kind::State
            }
            19 => {
                let at = self.index(scope, text);
                *text += &format!(
                    "{name}c = \"stablehlo.compare\"({at}, %one) {{comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type SIGNED>}} : ({NUMBER}, {NUMBER}) -> tensor<i1> "
                );
                let y = self.chosen(scope, Kind::State).unwrap_or(x.clone());
                *text += &format!(
                    "{name} = \"stablehlo.select\"({name}c, {x}, {y}) : (tensor<i1>, {t}, {t}) -> {t} "
                );
                Kind::State
            }
            20 => {
                self.number(&name, &x, text);
                Kind::Number
            }
            21 | 22 if scope.depth < 3 => return self.branches(scope, text),
            23 if scope.depth < 2 => return self.inner_loop(scope, text),
            _ => {
                let y = self.chosen(scope, Kind::State).unwrap_or(x.clone());
                *text += &format!(
                    "{name}:2 = \"stablehlo.optimization_barrier\"({x}, {y}) : ({t}, {t}) -> ({t}, {t}) "
                );
                scope.names.push((format!("{name}#1"), Kind::State));
                scope.names.push((format!("{name}#0"), Kind::State));
                return;
            }
        };
        scope.names.push((name, kind));
    }

    /// All rows but a few take the place of those before or behind them.
    fn shift(&mut self, name: &str, x: &str, text: &mut String) {
        let t = self.types.state.clone();
        let (zeros, numbers) = self.types.starts();
        let shape = t.static_shape().unwrap_or_default();
        let by = self.g.rng.i64(0..shape[0].min(3));
        let up = self.g.rng.bool();
        let mut part = shape.clone();
        part[0] -= by;
        let mut starts = vec![0; shape.len()];
        let mut limits = shape.clone();
        if up {
            limits[0] -= by;
        } else {
            starts[0] = by;
        }
        let strides = vec![1; shape.len()];
        let cut = tensor(&self.types.element, &part);
        let to = if up { by } else { 0 };
        *text += &format!(
            "{name}p = \"stablehlo.slice\"({x}) {{start_indices = {}, limit_indices = {}, strides = {}}} : ({t}) -> {cut} {name}k = \"stablehlo.constant\"() {{value = dense<{to}> : {NUMBER}}} : () -> {NUMBER} {name} = \"stablehlo.dynamic_update_slice\"({x}, {name}p, {name}k{zeros}) : ({t}, {cut}, {NUMBER}{numbers}) -> {t} ",
            list(&starts),
            list(&limits),
            list(&strides),
        );
    }

    /// Rows at looked-up places are replaced, or added to.
    fn scatter(&mut self, name: &str, x: &str, scope: &Scope, sums: bool, text: &mut String) {
        let t = self.types.state.clone();
        let shape = t.static_shape().unwrap_or_default();
        let at = self.index(scope, text);
        let mut row = shape.clone();
        row[0] = 1;
        let row = tensor(&self.types.element, &row);
        let scalar = tensor(&self.types.element, &[]);
        let y = self.chosen(scope, Kind::State).unwrap_or(x.into());
        let from = self.index(scope, text);
        let (zeros, numbers) = self.types.starts();
        let sizes = list(&row.static_shape().unwrap_or_default());
        let windows: Vec<String> = (1..shape.len()).map(|d| d.to_string()).collect();
        let combined = if sums && self.g.rng.bool() {
            format!(
                "%r = \"stablehlo.add\"(%a, %b) : ({scalar}, {scalar}) -> {scalar} \"stablehlo.return\"(%r) : ({scalar}) -> ()"
            )
        } else {
            format!("\"stablehlo.return\"(%b) : ({scalar}) -> ()")
        };
        *text += &format!(
            "{name}u = \"stablehlo.dynamic_slice\"({y}, {from}{zeros}) {{slice_sizes = {sizes}}} : ({t}, {NUMBER}{numbers}) -> {row} {name}i = \"stablehlo.reshape\"({at}) : ({NUMBER}) -> tensor<1x1xi32> {name} = \"stablehlo.scatter\"({x}, {name}i, {name}u) ({{ ^bb0(%a: {scalar}, %b: {scalar}): {combined} }}) {{indices_are_sorted = false, unique_indices = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [{}], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}} : ({t}, tensor<1x1xi32>, {row}) -> {t} ",
            windows.join(", ")
        );
    }

    /// A number from the state.
    fn number(&mut self, name: &str, x: &str, text: &mut String) {
        let t = self.types.state.clone();
        let scalar = tensor(&self.types.element, &[]);
        let ones = vec![1; t.rank()];
        let one = tensor(&self.types.element, &ones);
        let (starts, limits, strides) = (vec![0; t.rank()], ones.clone(), ones.clone());
        *text += &format!(
            "{name}e = \"stablehlo.slice\"({x}) {{start_indices = {}, limit_indices = {}, strides = {}}} : ({t}) -> {one} {name}f = \"stablehlo.reshape\"({name}e) : ({one}) -> {scalar} {name}g = \"stablehlo.convert\"({name}f) : ({scalar}) -> {NUMBER} {name} = \"stablehlo.and\"({name}g, %three) : ({NUMBER}, {NUMBER}) -> {NUMBER} ",
            list(&starts),
            list(&limits),
            list(&strides),
        );
    }

    /// Operations, and the names of `count` states that come of them; some may be those that were
    /// there before.
    fn body(&mut self, scope: &Scope, count: usize, text: &mut String) -> Vec<String> {
        let mut inner = scope.clone();
        for _ in 0..self.g.rng.usize(0..=LONGEST) {
            self.step(&mut inner, text);
        }
        (0..count)
            .map(|_| self.chosen(&inner, Kind::State).unwrap_or_default())
            .collect()
    }

    fn returned(names: &[String], ty: &str) -> String {
        let types = vec![ty; names.len()].join(", ");
        format!(
            "\"stablehlo.return\"({}) : ({types}) -> ()",
            names.join(", ")
        )
    }

    fn branches(&mut self, scope: &mut Scope, text: &mut String) {
        let t = self.types.state.to_string();
        let count = self.g.rng.usize(1..=2);
        let at = self.index(scope, text);
        let regions: Vec<String> = (0..self.g.rng.usize(1..=3))
            .map(|_| {
                let mut inner = scope.clone();
                inner.depth += 1;
                let mut text = String::new();
                let names = if self.g.chance(35) {
                    (0..count)
                        .map(|_| self.chosen(&inner, Kind::State).unwrap_or_default())
                        .collect()
                } else {
                    self.body(&inner, count, &mut text)
                };
                format!("{{ {text}{} }}", Self::returned(&names, &t))
            })
            .collect();
        let name = self.name();
        let types = vec![t.as_str(); count].join(", ");
        *text += &format!(
            "{name}:{count} = \"stablehlo.case\"({at}) ({}) : ({NUMBER}) -> ({types}) ",
            regions.join(", ")
        );
        for k in 0..count {
            scope.names.push((format!("{name}#{k}"), Kind::State));
        }
    }

    fn inner_loop(&mut self, scope: &mut Scope, text: &mut String) {
        let count = self.g.rng.usize(1..=3);
        let start: Vec<String> = (0..count)
            .map(|_| self.chosen(scope, Kind::State).unwrap_or_default())
            .collect();
        let name = self.looped(scope, &start, text);
        for k in 0..count {
            scope.names.push((format!("{name}#{}", k + 1), Kind::State));
        }
    }

    /// A loop over states that begin as `start`; its results are the counter and those.
    fn looped(&mut self, scope: &Scope, start: &[String], text: &mut String) -> String {
        let t = self.types.state.to_string();
        let name = self.name();
        let trips = self.g.rng.u8(0..=4);
        let mut inner = scope.clone();
        inner.depth += 1;
        let counter = format!("{name}i");
        inner.counter = Some(counter.clone());
        let carried: Vec<String> = (0..start.len()).map(|k| format!("{name}x{k}")).collect();
        let arguments: Vec<String> = carried.iter().map(|x| format!("{x}: {t}")).collect();
        let arguments = format!("{counter}: {NUMBER}, {}", arguments.join(", "));
        // What the loop carries is used more than what is around it.
        for _ in 0..2 {
            inner
                .names
                .extend(carried.iter().map(|x| (x.clone(), Kind::State)));
        }
        let mut condition = String::new();
        let mut bound = format!("{name}n");
        condition += &format!(
            "{bound} = \"stablehlo.constant\"() {{value = dense<{trips}> : {NUMBER}}} : () -> {NUMBER} "
        );
        if self.g.chance(25) {
            let x = self.g.one_of(&carried);
            let number = self.name();
            self.number(&number, &x, &mut condition);
            condition += &format!(
                "{name}m = \"stablehlo.minimum\"({bound}, {number}) : ({NUMBER}, {NUMBER}) -> {NUMBER} "
            );
            bound = format!("{name}m");
        }
        condition += &format!(
            "{name}c = \"stablehlo.compare\"({counter}, {bound}) {{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>}} : ({NUMBER}, {NUMBER}) -> tensor<i1> \"stablehlo.return\"({name}c) : (tensor<i1>) -> ()"
        );
        let mut body = String::new();
        let early = self.g.rng.bool();
        let count = format!(
            "{name}j = \"stablehlo.add\"({counter}, %one) : ({NUMBER}, {NUMBER}) -> {NUMBER} "
        );
        if early {
            body += &count;
        }
        let mut next = self.body(&inner, start.len(), &mut body);
        if start.len() > 1 && self.g.chance(15) {
            // All change places.
            next = carried.clone();
            next.rotate_left(1);
        } else if self.g.chance(20) {
            next[0] = carried[0].clone();
        }
        if !early {
            body += &count;
        }
        let types = vec![t.as_str(); start.len()].join(", ");
        *text += &format!(
            "{name}:{} = \"stablehlo.while\"(%nought, {}) ({{ ^bb0({arguments}): {condition} }}, {{ ^bb0({arguments}): {body}\"stablehlo.return\"({name}j, {}) : ({NUMBER}, {types}) -> () }}) : ({NUMBER}, {types}) -> ({NUMBER}, {types}) ",
            start.len() + 1,
            start.join(", "),
            next.join(", ")
        );
        name
    }
}

impl Generator {
    /// A program that carries states through loops.
    pub fn states(mut self) -> Program {
        let element = self.one_of(&[
            ElementType::int(32),
            ElementType::int(32),
            ElementType::int(64),
            ElementType::int(8),
            ElementType::Float(FloatKind::F32),
        ]);
        let rows = self.one_of(&[1, 2, 3, 4, 5, 7, 8, 13, 33, 70, 300]);
        let mut shape = vec![rows];
        if self.chance(60) {
            shape.push(self.one_of(&[1, 2, 3, 5, 8, 17]));
        }
        let mut piece = shape.clone();
        piece[0] = self.rng.i64(1..=rows.min(3));
        let types = Types {
            state: tensor(&element, &shape),
            piece: tensor(&element, &piece),
            table: tensor(&ElementType::int(32), &[5]),
            element: element.clone(),
        };
        let table = self.indices(&ElementType::int(32), &[5], (-1, rows));
        let mut given: Vec<Val> = Vec::new();
        for _ in 0..self.rng.usize(1..=3) {
            given.push(self.input(&element, &shape));
        }
        let small = self.input(&element, &piece);
        let state = types.state.clone();
        let mut writer = Writer {
            g: &mut self,
            types,
            next: 0,
        };
        let mut scope = Scope::default();
        scope.names.push(("%piece".into(), Kind::Piece));
        let names: Vec<String> = (0..given.len()).map(|k| format!("%given{k}")).collect();
        scope
            .names
            .extend(names.iter().map(|name| (name.clone(), Kind::State)));
        let mut text = String::new();
        for (name, value) in [
            ("zero", 0),
            ("nought", 0),
            ("one", 1),
            ("three", 3),
            ("last", writer.types.rows() - 1),
        ] {
            text += &format!(
                "%{name} = \"stablehlo.constant\"() {{value = dense<{value}> : {NUMBER}}} : () -> {NUMBER} "
            );
        }
        if writer.g.chance(50) {
            text += &format!(
                "%made = \"stablehlo.iota\"() {{iota_dimension = 0 : i64}} : () -> {state} %copy = \"stablehlo.add\"(%made, %given0) : ({state}, {state}) -> {state} "
            );
            scope.names.push(("%copy".into(), Kind::State));
            scope.names.push(("%made".into(), Kind::State));
        }
        for _ in 0..writer.g.rng.usize(0..=3) {
            writer.step(&mut scope, &mut text);
        }
        writer.inner_loop(&mut scope, &mut text);
        for _ in 0..writer.g.rng.usize(0..=3) {
            writer.step(&mut scope, &mut text);
        }
        let count = writer.g.rng.usize(1..=3);
        let results: Vec<String> = (0..count)
            .map(|_| writer.chosen(&scope, Kind::State).unwrap_or_default())
            .collect();
        let inputs = given.iter().chain([&table, &small]);
        let uses = inputs.map(|v| v.name.clone()).collect();
        for (k, v) in given.iter().enumerate() {
            text = renamed(&text, &format!("%given{k}"), &v.name);
        }
        text = renamed(
            &renamed(&text, "%table", &table.name),
            "%piece",
            &small.name,
        );
        let outputs: Vec<Val> = results
            .iter()
            .map(|name| Val {
                name: match names.iter().position(|other| other == name) {
                    Some(k) => given[k].name.clone(),
                    None => name.clone(),
                },
                ty: state.clone(),
                exact: true,
                solid: false,
            })
            .collect();
        self.program.steps.push(Step {
            text: text + "\n",
            names_results: true,
            results: outputs.clone(),
            uses,
        });
        self.program.outputs = outputs;
        self.program
    }
}

/// `text` with another name for `%from`, and not for those that begin like it.
fn renamed(text: &str, from: &str, to: &str) -> String {
    let mut written = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let (before, found) = rest.split_at(at);
        let behind = &found[from.len()..];
        let ends = !behind.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        written += before;
        written += if ends { to } else { from };
        rest = behind;
    }
    written + rest
}
