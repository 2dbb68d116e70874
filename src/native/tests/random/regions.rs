//! Operations with regions: folds, windows, sorting, control flow.

use super::{
    generate::{Generator, MOST, list, pairs, tensor},
    program::Val,
};
use mapwright_mlir::{ElementType, TensorType};

/// `{ ^bb0(%a: T, %b: T): %r = name(%a, %b) return %r }`
pub fn scalar_region(name: &str, element: &ElementType) -> String {
    let t = tensor(element, &[]);
    format!(
        "{{ ^bb0(%a: {t}, %b: {t}): %r = \"stablehlo.{name}\"(%a, %b) : ({t}, {t}) -> {t} \"stablehlo.return\"(%r) : ({t}) -> () }}"
    )
}

fn compare_text(result: &str, a: &str, b: &str, direction: &str, element: &ElementType) -> String {
    let t = tensor(element, &[]);
    let kind = match element {
        ElementType::Float(_) => "TOTALORDER",
        element if element.is_unsigned() || *element == ElementType::Bool => "UNSIGNED",
        _ => "SIGNED",
    };
    format!(
        "{result} = \"stablehlo.compare\"({a}, {b}) {{comparison_direction = #stablehlo<comparison_direction {direction}>, compare_type = #stablehlo<comparison_type {kind}>}} : ({t}, {t}) -> tensor<i1> "
    )
}

/// Windows that fit the sizes of `x`, as attributes, and the number of windows.
pub struct Windows {
    pub size: Vec<i64>,
    pub stride: Vec<i64>,
    pub padding: Vec<(i64, i64)>,
    pub base: Vec<i64>,
    pub dilation: Vec<i64>,
    pub count: Vec<i64>,
}

impl Generator {
    /// A fold, whether its order does not matter to the bits, and the initial value.
    fn folding(&mut self, x: &Val) -> Option<(&'static str, bool, Val)> {
        let element = x.ty.element.clone();
        let (name, identity) = match &element {
            ElementType::Bool => (self.one_of(&["and", "or"]), None),
            ElementType::Float(_) => match self.rng.u8(..4) {
                0 => ("maximum", None),
                1 => ("minimum", None),
                2 => ("multiply", Some("1.0")),
                _ => ("add", Some("0.0")),
            },
            ElementType::Complex(_) => ("add", Some("(0.0, 0.0)")),
            _ => match self.rng.u8(..6) {
                0 => ("maximum", None),
                1 => ("minimum", None),
                2 => ("multiply", Some("1")),
                3 => ("and", None),
                4 => ("or", None),
                _ => ("add", Some("0")),
            },
        };
        if element.bit_width()? < 16 && element.is_float() && identity.is_some() {
            return None;
        }
        let init = match identity {
            Some(literal) => self.literal(&element, &[], literal),
            None => self.constant(&element, &[]),
        };
        let exact = !(element.is_float() || element.is_complex()) || identity.is_none();
        Some((name, exact, init))
    }

    pub fn reduce(&mut self) -> Option<Val> {
        let x = self.pick(|v| v.ty.rank() > 0)?;
        let shape = x.shape();
        let reduced: Vec<i64> = loop {
            let dims: Vec<i64> = (0..shape.len() as i64)
                .filter(|_| self.rng.bool())
                .collect();
            if !dims.is_empty() {
                break dims;
            }
        };
        let kept: Vec<i64> = (0..shape.len())
            .filter(|d| !reduced.contains(&(*d as i64)))
            .map(|d| shape[d])
            .collect();
        let attributes = format!("dimensions = {}", list(&reduced));
        if x.exact
            && x.solid
            && !x.ty.element.is_complex()
            && x.ty.element != ElementType::Bool
            && self.chance(30)
        {
            return self.arg_extreme(&x, &kept, &attributes);
        }
        let (name, exact, init) = self.folding(&x)?;
        let ty = tensor(&x.ty.element, &kept);
        let solid = exact && x.solid;
        let v = self.fresh(ty, exact && x.exact, solid);
        let region = scalar_region(name, &x.ty.element);
        let text = Self::op_text(
            "reduce",
            &[&x, &init],
            &region,
            &attributes,
            std::slice::from_ref(&v),
        );
        self.push(text, &[&x, &init], vec![v.clone()]);
        Some(v)
    }

    /// The greatest or least element and where it is: a fold of pairs.
    fn arg_extreme(&mut self, x: &Val, kept: &[i64], attributes: &str) -> Option<Val> {
        let element = &x.ty.element;
        let number = self.one_of(&[ElementType::int(32), ElementType::int(64)]);
        let axis = self.rng.usize(..x.ty.rank());
        let place = self.emit(
            "iota",
            &[],
            &format!("iota_dimension = {axis} : i64"),
            tensor(&number, &x.shape()),
            true,
            true,
        );
        let direction = self.one_of(&["GT", "LT"]);
        let init = self.constant(element, &[]);
        let start = self.literal(&number, &[], "1000000");
        let (t, n) = (tensor(element, &[]), tensor(&number, &[]));
        // The lower number wins among equals, so that the order does not matter.
        let region = format!(
            "{{ ^bb0(%a: {t}, %i: {n}, %b: {t}, %j: {n}): {}{}{}%o = \"stablehlo.and\"(%e, %l) : (tensor<i1>, tensor<i1>) -> tensor<i1> %p = \"stablehlo.or\"(%c, %o) : (tensor<i1>, tensor<i1>) -> tensor<i1> %r = \"stablehlo.select\"(%p, %a, %b) : (tensor<i1>, {t}, {t}) -> {t} %s = \"stablehlo.select\"(%p, %i, %j) : (tensor<i1>, {n}, {n}) -> {n} \"stablehlo.return\"(%r, %s) : ({t}, {n}) -> () }}",
            compare_text("%c", "%a", "%b", direction, element),
            compare_text("%e", "%a", "%b", "EQ", element),
            compare_text("%l", "%i", "%j", "LE", &number),
        );
        let results = vec![
            self.fresh(tensor(element, kept), true, true),
            self.fresh(tensor(&number, kept), true, true),
        ];
        let operands = [x, &place, &init, &start];
        let text = Self::op_text("reduce", &operands, &region, attributes, &results);
        self.push(text, &operands, results.clone());
        results.first().cloned()
    }

    /// Windows over `shape`; `dilated` for those that may be.
    pub fn windows(&mut self, shape: &[i64], dilated: bool) -> Option<Windows> {
        let mut w = Windows {
            size: vec![],
            stride: vec![],
            padding: vec![],
            base: vec![],
            dilation: vec![],
            count: vec![],
        };
        for n in shape {
            // A running sum now and then: as many elements as there are, all padding in front.
            let running = self.chance(12) && *n > 0;
            let size = if running { *n } else { self.rng.i64(1..=3) };
            let stride = if running {
                1
            } else {
                self.one_of(&[1, 1, 2, 3])
            };
            let base = if dilated && !running {
                self.one_of(&[1, 1, 1, 2, 3])
            } else {
                1
            };
            let dilation = if dilated && !running {
                self.one_of(&[1, 1, 1, 2])
            } else {
                1
            };
            let padding = match running {
                true if self.rng.bool() => (n - 1, 0),
                true => (0, n - 1),
                false => (self.rng.i64(0..=2), self.rng.i64(0..=2)),
            };
            let wide = if *n == 0 { 0 } else { (n - 1) * base + 1 } + padding.0 + padding.1;
            let covered = (size - 1) * dilation + 1;
            let count = if wide < covered {
                0
            } else {
                (wide - covered) / stride + 1
            };
            w.size.push(size);
            w.stride.push(stride);
            w.base.push(base);
            w.dilation.push(dilation);
            w.padding.push(padding);
            w.count.push(count);
        }
        let work = w.count.iter().product::<i64>() * w.size.iter().product::<i64>();
        (work <= 12 * MOST).then_some(w)
    }

    pub fn window(&mut self) -> Option<Val> {
        let x = self.pick(|v| (1..=3).contains(&v.ty.rank()))?;
        if self.chance(30) {
            return self.select_and_scatter();
        }
        let (name, exact, init) = self.folding(&x)?;
        let w = self.windows(&x.shape(), true)?;
        let attributes = format!(
            "window_dimensions = {}, window_strides = {}, base_dilations = {}, window_dilations = {}, padding = {}",
            list(&w.size),
            list(&w.stride),
            list(&w.base),
            list(&w.dilation),
            pairs(&w.padding)
        );
        let v = self.fresh(
            tensor(&x.ty.element, &w.count),
            exact && x.exact,
            exact && x.solid,
        );
        let region = scalar_region(name, &x.ty.element);
        let text = Self::op_text(
            "reduce_window",
            &[&x, &init],
            &region,
            &attributes,
            std::slice::from_ref(&v),
        );
        self.push(text, &[&x, &init], vec![v.clone()]);
        Some(v)
    }

    fn select_and_scatter(&mut self) -> Option<Val> {
        let x = self.pick(|v| {
            (1..=3).contains(&v.ty.rank())
                && v.exact
                && v.solid
                && !v.ty.element.is_complex()
                && v.ty.element != ElementType::Bool
                && v.ty.element.bit_width() >= Some(16)
        })?;
        let w = self.windows(&x.shape(), false)?;
        let element = x.ty.element.clone();
        let source = self.of_type(&tensor(&element, &w.count));
        let init = self.literal(&element, &[], if element.is_float() { "0.0" } else { "0" });
        let direction = self.one_of(&["GE", "LE"]);
        let t = tensor(&element, &[]);
        let regions = format!(
            "{{ ^bb0(%a: {t}, %b: {t}): {}\"stablehlo.return\"(%c) : (tensor<i1>) -> () }}, {}",
            compare_text("%c", "%a", "%b", direction, &element),
            scalar_region("add", &element)
        );
        let attributes = format!(
            "window_dimensions = {}, window_strides = {}, padding = {}",
            list(&w.size),
            list(&w.stride),
            pairs(&w.padding)
        );
        let exact = !element.is_float() && source.exact;
        let v = self.fresh(x.ty.clone(), exact, false);
        let operands = [&x, &source, &init];
        let text = Self::op_text(
            "select_and_scatter",
            &operands,
            &regions,
            &attributes,
            std::slice::from_ref(&v),
        );
        self.push(text, &operands, vec![v.clone()]);
        Some(v)
    }

    pub fn sorted(&mut self) -> Option<Val> {
        let key =
            self.pick(|v| v.ty.rank() > 0 && v.exact && v.solid && !v.ty.element.is_complex())?;
        let shape = key.shape();
        let axis = self.rng.usize(..shape.len());
        let direction = self.one_of(&["LT", "GT"]);
        let t = tensor(&key.ty.element, &[]);
        let other = if self.chance(50) {
            self.pick(|v| v.shape() == shape && v.name != key.name)
        } else {
            None
        };
        let compared = compare_text("%c", "%a", "%b", direction, &key.ty.element);
        let returned = "\"stablehlo.return\"(%c) : (tensor<i1>) -> ()";
        let attributes = format!("dimension = {axis} : i64, is_stable = true");
        let mut results = vec![self.fresh(key.ty.clone(), true, true)];
        let mut operands = vec![&key];
        let region = match &other {
            Some(other) => {
                let u = tensor(&other.ty.element, &[]);
                results.push(self.fresh(other.ty.clone(), other.exact, other.solid));
                operands.push(other);
                format!("{{ ^bb0(%a: {t}, %b: {t}, %d: {u}, %e: {u}): {compared}{returned} }}")
            }
            None => format!("{{ ^bb0(%a: {t}, %b: {t}): {compared}{returned} }}"),
        };
        let text = Self::op_text("sort", &operands, &region, &attributes, &results);
        self.push(text, &operands, results.clone());
        results.first().cloned()
    }

    /// `%r = name(%x, %y)` for tensors of one type that keeps what is exact exact.
    fn pointwise(&mut self, ty: &TensorType, x: &str, y: &str) -> String {
        let name = match &ty.element {
            ElementType::Bool => self.one_of(&["and", "or", "xor"]),
            ElementType::Complex(_) => self.one_of(&["add", "subtract"]),
            ElementType::Float(_) => self.one_of(&["add", "subtract", "maximum", "minimum"]),
            _ => self.one_of(&["add", "subtract", "multiply", "maximum", "xor"]),
        };
        format!("\"stablehlo.{name}\"({x}, {y}) : ({ty}, {ty}) -> {ty}")
    }

    pub fn control(&mut self) -> Option<Val> {
        match self.rng.u8(..6) {
            0 => self.loop_over_values(),
            1 => self.loop_over_slices(),
            2 | 3 => self.branches(),
            4 => self.mapped(),
            _ => {
                let (x, y) = (self.pick(|_| true)?, self.pick(|_| true)?);
                let results = vec![
                    self.fresh(x.ty.clone(), x.exact, x.solid),
                    self.fresh(y.ty.clone(), y.exact, y.solid),
                ];
                let text = Self::op_text("optimization_barrier", &[&x, &y], "", "", &results);
                self.push(text, &[&x, &y], results.clone());
                results.first().cloned()
            }
        }
    }

    fn loop_over_values(&mut self) -> Option<Val> {
        let x = self.pick(|_| true)?;
        let y = self.of_type(&x.ty);
        let start = self.literal(&ElementType::int(32), &[], "0");
        let (n, t) = ("tensor<i32>", x.ty.clone());
        let trips = self.rng.u8(0..=5);
        let first = self.pointwise(&t, "%x", &y.name);
        let second = self.pointwise(&t, "%s", "%x");
        let regions = format!(
            "{{ ^bb0(%i: {n}, %x: {t}): %n = \"stablehlo.constant\"() {{value = dense<{trips}> : {n}}} : () -> {n} {}\"stablehlo.return\"(%c) : (tensor<i1>) -> () }}, {{ ^bb0(%i: {n}, %x: {t}): %one = \"stablehlo.constant\"() {{value = dense<1> : {n}}} : () -> {n} %j = \"stablehlo.add\"(%i, %one) : ({n}, {n}) -> {n} %s = {first} %r = {second} \"stablehlo.return\"(%j, %r) : ({n}, {t}) -> () }}",
            compare_text("%c", "%i", "%n", "LT", &ElementType::int(32)),
        );
        let results = vec![
            self.fresh(start.ty.clone(), true, true),
            self.fresh(t, x.exact && y.exact, false),
        ];
        let text = Self::op_text("while", &[&start, &x], &regions, "", &results);
        self.push(text, &[&start, &x, &y], results.clone());
        results.last().cloned()
    }

    /// Takes slices at the loop's counter and writes them elsewhere.
    fn loop_over_slices(&mut self) -> Option<Val> {
        let x = self.pick(|v| v.ty.rank() > 0 && v.shape()[0] > 0 && v.shape()[0] < 20)?;
        let shape = x.shape();
        let t = x.ty.clone();
        let mut row = shape.clone();
        row[0] = 1;
        let r = tensor(&t.element, &row);
        let start = self.literal(&ElementType::int(32), &[], "0");
        let n = "tensor<i32>";
        let zeros: Vec<&str> = vec![", %z"; shape.len() - 1];
        let types: Vec<&str> = vec![n; shape.len()];
        let (zeros, types) = (zeros.concat(), types.join(", "));
        let combined = self.pointwise(&r, "%p", "%q");
        let last = shape[0] - 1;
        let regions = format!(
            "{{ ^bb0(%i: {n}, %x: {t}): %n = \"stablehlo.constant\"() {{value = dense<{}> : {n}}} : () -> {n} {}\"stablehlo.return\"(%c) : (tensor<i1>) -> () }}, {{ ^bb0(%i: {n}, %x: {t}): %z = \"stablehlo.constant\"() {{value = dense<0> : {n}}} : () -> {n} %one = \"stablehlo.constant\"() {{value = dense<1> : {n}}} : () -> {n} %l = \"stablehlo.constant\"() {{value = dense<{last}> : {n}}} : () -> {n} %j = \"stablehlo.add\"(%i, %one) : ({n}, {n}) -> {n} %k = \"stablehlo.subtract\"(%l, %i) : ({n}, {n}) -> {n} %p = \"stablehlo.dynamic_slice\"(%x, %i{zeros}) {{slice_sizes = {}}} : ({t}, {types}) -> {r} %q = \"stablehlo.dynamic_slice\"(%x, %k{zeros}) {{slice_sizes = {}}} : ({t}, {types}) -> {r} %s = {combined} %u = \"stablehlo.dynamic_update_slice\"(%x, %s, %k{zeros}) : ({t}, {r}, {types}) -> {t} \"stablehlo.return\"(%j, %u) : ({n}, {t}) -> () }}",
            shape[0],
            compare_text("%c", "%i", "%n", "LT", &ElementType::int(32)),
            list(&row),
            list(&row),
        );
        let results = vec![
            self.fresh(start.ty.clone(), true, true),
            self.fresh(t, x.exact, false),
        ];
        let text = Self::op_text("while", &[&start, &x], &regions, "", &results);
        self.push(text, &[&start, &x], results.clone());
        results.last().cloned()
    }

    fn branches(&mut self) -> Option<Val> {
        let x = self.pick(|_| true)?;
        let y = self.of_type(&x.ty);
        let case = self.rng.bool();
        let element = if case {
            ElementType::int(32)
        } else {
            ElementType::Bool
        };
        let ty = tensor(&element, &[]);
        let chosen = self.pick(|v| v.ty == ty && v.exact);
        let chosen = match chosen {
            Some(v) => v,
            None => self.indices(&element, &[], (-1, 3)),
        };
        let t = x.ty.clone();
        let count = if case { self.rng.usize(1..=3) } else { 2 };
        let regions: Vec<String> = (0..count)
            .map(|k| match k {
                1 => format!("{{ \"stablehlo.return\"({}) : ({t}) -> () }}", y.name),
                _ => {
                    let inner = self.pointwise(&t, &x.name, &y.name);
                    let outer = self.pointwise(&t, "%s", &x.name);
                    format!(
                        "{{ %s = {inner} %r = {outer} \"stablehlo.return\"(%r) : ({t}) -> () }}"
                    )
                }
            })
            .collect();
        let v = self.fresh(t, x.exact && y.exact, false);
        let name = if case { "case" } else { "if" };
        let text = Self::op_text(
            name,
            &[&chosen],
            &regions.join(", "),
            "",
            std::slice::from_ref(&v),
        );
        self.push(text, &[&chosen, &x, &y], vec![v.clone()]);
        Some(v)
    }

    fn mapped(&mut self) -> Option<Val> {
        let x = self.pick(|_| true)?;
        let y = self.of_type(&x.ty);
        let t = tensor(&x.ty.element, &[]);
        let inner = self.pointwise(&t, "%a", "%b");
        let outer = self.pointwise(&t, "%s", "%a");
        let region = format!(
            "{{ ^bb0(%a: {t}, %b: {t}): %s = {inner} %r = {outer} \"stablehlo.return\"(%r) : ({t}) -> () }}"
        );
        let dims: Vec<i64> = (0..x.ty.rank() as i64).collect();
        let v = self.fresh(x.ty.clone(), x.exact && y.exact, false);
        let attributes = format!("dimensions = {}", list(&dims));
        let text = Self::op_text(
            "map",
            &[&x, &y],
            &region,
            &attributes,
            std::slice::from_ref(&v),
        );
        self.push(text, &[&x, &y], vec![v.clone()]);
        Some(v)
    }
}
