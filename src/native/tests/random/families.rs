//! Element-wise operations and those that move elements; and which family comes next.

use super::{
    generate::{Generator, MOST, list, tensor},
    program::Val,
};
use mapwright_mlir::{ElementType, FloatKind};

fn is_wide(element: &ElementType) -> bool {
    matches!(
        element,
        ElementType::Float(FloatKind::F32 | FloatKind::F64 | FloatKind::F16 | FloatKind::BF16)
    )
}

impl Generator {
    /// One operation, or none where nothing fits.
    pub fn step(&mut self) -> Option<Val> {
        match self.rng.u8(..100) {
            0..10 => self.unary(),
            10..24 => self.binary(),
            24..28 => self.compare(),
            28..32 => self.select(),
            32..36 => self.convert(),
            36..54 => self.shaped(),
            54..60 => self.layout(),
            60..67 => self.reduce(),
            67..71 => self.window(),
            71..76 => self.contraction(),
            76..82 => self.gathered(),
            82..85 => self.sorted(),
            85..92 => self.control(),
            92..94 => self.sized(),
            94..97 => self.rare(),
            _ => self.special(),
        }
    }

    fn unary(&mut self) -> Option<Val> {
        let x = self.pick(|_| true)?;
        let element = x.ty.element.clone();
        let same = x.ty.clone();
        Some(match &element {
            ElementType::Bool => self.emit("not", &[&x], "", same, true, true),
            ElementType::Float(_) => {
                let exact = [
                    "abs",
                    "negate",
                    "floor",
                    "ceil",
                    "round_nearest_afz",
                    "round_nearest_even",
                    "sign",
                    "sqrt",
                    "is_finite",
                ];
                let smooth = [
                    "exponential",
                    "exponential_minus_one",
                    "sine",
                    "cosine",
                    "tanh",
                    "logistic",
                    "log",
                    "log_plus_one",
                    "rsqrt",
                    "cbrt",
                    "tan",
                ];
                if self.chance(if is_wide(&element) { 45 } else { 0 }) {
                    let last = if x.exact { smooth.len() } else { 6 };
                    let name = self.one_of(&smooth[..last]);
                    return Some(self.emit(name, &[&x], "", same, false, false));
                }
                let last = if x.exact { exact.len() } else { 2 };
                match self.one_of(&exact[..last]) {
                    "is_finite" => {
                        let ty = tensor(&ElementType::Bool, &x.shape());
                        self.emit("is_finite", &[&x], "", ty, true, true)
                    }
                    name => self.emit(name, &[&x], "", same, true, x.solid && name != "sqrt"),
                }
            }
            ElementType::Complex(kind) => {
                let part = tensor(&ElementType::Float(*kind), &x.shape());
                match self.one_of(&["real", "imag", "negate", "abs", "exponential"]) {
                    name @ ("real" | "imag") => self.emit(name, &[&x], "", part, true, x.solid),
                    "abs" => self.emit("abs", &[&x], "", part, false, false),
                    "negate" => self.emit("negate", &[&x], "", same, true, x.solid),
                    name => self.emit(name, &[&x], "", same, false, false),
                }
            }
            element => {
                let names = if element.is_unsigned() {
                    &["not", "popcnt", "count_leading_zeros"][..]
                } else {
                    &[
                        "not",
                        "popcnt",
                        "count_leading_zeros",
                        "abs",
                        "negate",
                        "sign",
                    ]
                };
                let name = self.one_of(names);
                self.emit(name, &[&x], "", same, true, true)
            }
        })
    }

    fn binary(&mut self) -> Option<Val> {
        let x = self.pick(|_| true)?;
        let y = self.of_type(&x.ty);
        let same = x.ty.clone();
        let (name, exact) = match &x.ty.element {
            ElementType::Bool => (self.one_of(&["and", "or", "xor"]), true),
            ElementType::Float(_) => {
                let exact = x.exact && y.exact;
                if is_wide(&x.ty.element) && self.chance(8) {
                    (self.one_of(&["power", "atan2"]), false)
                } else {
                    let names = [
                        "add",
                        "subtract",
                        "multiply",
                        "maximum",
                        "minimum",
                        "divide",
                        "remainder",
                    ];
                    (self.one_of(&names[..if exact { 7 } else { 5 }]), true)
                }
            }
            ElementType::Complex(_) => {
                let name = self.one_of(&["add", "subtract", "multiply"]);
                (name, name != "multiply")
            }
            _ => (
                self.one_of(&[
                    "add",
                    "subtract",
                    "multiply",
                    "divide",
                    "remainder",
                    "maximum",
                    "minimum",
                    "and",
                    "or",
                    "xor",
                    "shift_left",
                    "shift_right_logical",
                    "shift_right_arithmetic",
                    "power",
                ]),
                true,
            ),
        };
        if name == "atan2" || name == "power" {
            // Of values with an error the branch is not certain.
            if x.ty.element.is_float() && !(x.exact && y.exact) {
                return None;
            }
        }
        let solid = matches!(name, "maximum" | "minimum") && x.solid && y.solid;
        Some(self.emit(name, &[&x, &y], "", same, exact, solid))
    }

    fn compare(&mut self) -> Option<Val> {
        let x = self.pick(|v| v.exact && !v.ty.element.is_complex())?;
        let y = self.of_type(&x.ty);
        if !y.exact {
            return None;
        }
        let ty = tensor(&ElementType::Bool, &x.shape());
        let direction = self.one_of(&["EQ", "NE", "LT", "LE", "GT", "GE"]);
        let kind = match &x.ty.element {
            ElementType::Float(_) if x.solid && y.solid && self.chance(30) => "TOTALORDER",
            ElementType::Float(_) => "FLOAT",
            ElementType::Bool => "UNSIGNED",
            element if element.is_unsigned() => "UNSIGNED",
            _ => "SIGNED",
        };
        let attributes = format!(
            "comparison_direction = #stablehlo<comparison_direction {direction}>, compare_type = #stablehlo<comparison_type {kind}>"
        );
        Some(self.emit("compare", &[&x, &y], &attributes, ty, true, true))
    }

    fn select(&mut self) -> Option<Val> {
        let x = self.pick(|_| true)?;
        let y = self.of_type(&x.ty);
        if self.chance(40) && x.exact && y.exact && !x.ty.element.is_complex() {
            let scalar = self.chance(40);
            let shape = if scalar { vec![] } else { x.shape() };
            let ty = tensor(&x.ty.element, &shape);
            let (low, high) = (self.of_type(&ty), self.of_type(&ty));
            if low.exact && high.exact && x.ty.element != ElementType::Bool {
                let solid = low.solid && high.solid && x.solid;
                return Some(self.emit("clamp", &[&low, &x, &high], "", x.ty.clone(), true, solid));
            }
        }
        let scalar = self.chance(30);
        let shape = if scalar { vec![] } else { x.shape() };
        let p = self.of_type(&tensor(&ElementType::Bool, &shape));
        if !p.exact {
            return None;
        }
        let solid = x.solid && y.solid;
        Some(self.emit("select", &[&p, &x, &y], "", x.ty.clone(), true, solid))
    }

    fn convert(&mut self) -> Option<Val> {
        let x = self.pick(|v| !v.ty.element.is_complex())?;
        let to = if x.exact {
            self.element()
        } else {
            ElementType::Float(self.one_of(&[FloatKind::F32, FloatKind::F64]))
        };
        if to.is_complex() {
            return None;
        }
        let wider = to.bit_width() >= x.ty.element.bit_width();
        if self.chance(20) && x.solid && x.exact {
            let width = x.ty.element.bit_width()?;
            // Patterns of floats may be NaN: only towards integers, or back from them.
            if width >= 8 && to.bit_width() == Some(width) && to != x.ty.element {
                let ty = tensor(&to, &x.shape());
                return Some(self.emit("bitcast_convert", &[&x], "", ty, true, false));
            }
            if x.ty.element.is_int() && width >= 16 && x.shape().len() < 4 {
                let to = ElementType::uint(width / 2);
                let mut shape = x.shape();
                shape.push(2);
                let ty = tensor(&to, &shape);
                return Some(self.emit("bitcast_convert", &[&x], "", ty, true, true));
            }
        }
        if x.ty.element.is_float() && self.chance(15) {
            let (e, m) = (self.rng.u8(2..=8), self.rng.u8(1..=10));
            let attributes = format!("exponent_bits = {e} : i32, mantissa_bits = {m} : i32");
            if x.exact {
                let ty = x.ty.clone();
                // Numbers beyond the exponents become infinite, and differences of those are NaN.
                return Some(self.emit("reduce_precision", &[&x], &attributes, ty, true, false));
            }
        }
        let ty = tensor(&to, &x.shape());
        // Some narrow formats have no infinity: overflow is NaN.
        let solid = x.solid && (wider || !to.is_float());
        Some(self.emit("convert", &[&x], "", ty, true, solid))
    }

    fn shaped(&mut self) -> Option<Val> {
        let x = self.pick(|_| true)?;
        let (shape, rank) = (x.shape(), x.ty.rank());
        let element = x.ty.element.clone();
        let count: i64 = shape.iter().product();
        match self.rng.u8(..10) {
            0 => {
                // Dimensions in a row, ones stretched, others new.
                let mut to = Vec::new();
                let mut dims = Vec::new();
                for n in &shape {
                    while self.chance(25) && to.len() < 5 {
                        to.push(self.rng.i64(1..=5));
                    }
                    dims.push(to.len() as i64);
                    to.push(if *n == 1 && self.chance(60) {
                        self.rng.i64(1..=7)
                    } else {
                        *n
                    });
                }
                if self.chance(50) {
                    to.push(self.rng.i64(1..=9));
                }
                if to.iter().product::<i64>() > MOST {
                    return None;
                }
                let attributes = format!("broadcast_dimensions = {}", list(&dims));
                Some(self.moved(
                    "broadcast_in_dim",
                    &[&x],
                    &attributes,
                    tensor(&element, &to),
                ))
            }
            1 | 2 => {
                let mut to = Vec::new();
                let mut rest = count;
                while rest > 1 && to.len() < 4 {
                    let divisors: Vec<i64> = (1..=rest).filter(|d| rest % d == 0).collect();
                    let d = self.one_of(&divisors);
                    to.push(d);
                    rest /= d;
                }
                if count == 0 {
                    to = vec![0, 3];
                } else {
                    to.push(rest);
                }
                Some(self.moved("reshape", &[&x], "", tensor(&element, &to)))
            }
            3 | 4 => {
                let mut permutation: Vec<i64> = (0..rank as i64).collect();
                self.rng.shuffle(&mut permutation);
                let to: Vec<i64> = permutation.iter().map(|d| shape[*d as usize]).collect();
                let attributes = format!("permutation = {}", list(&permutation));
                Some(self.moved("transpose", &[&x], &attributes, tensor(&element, &to)))
            }
            5 => {
                let dims: Vec<i64> = (0..rank as i64).filter(|_| self.rng.bool()).collect();
                let attributes = format!("dimensions = {}", list(&dims));
                Some(self.moved("reverse", &[&x], &attributes, x.ty.clone()))
            }
            6 => {
                let (mut start, mut limit, mut stride, mut to) = (vec![], vec![], vec![], vec![]);
                for n in &shape {
                    let a = self.rng.i64(0..=*n);
                    let b = self.rng.i64(a..=*n);
                    let s = self.rng.i64(1..=3);
                    start.push(a);
                    limit.push(b);
                    stride.push(s);
                    to.push((b - a + s - 1) / s);
                }
                let attributes = format!(
                    "start_indices = {}, limit_indices = {}, strides = {}",
                    list(&start),
                    list(&limit),
                    list(&stride)
                );
                Some(self.moved("slice", &[&x], &attributes, tensor(&element, &to)))
            }
            7 => {
                let value = self.of_type(&tensor(&element, &[]));
                let (mut low, mut high, mut inner, mut to) = (vec![], vec![], vec![], vec![]);
                for n in &shape {
                    let i = self.one_of(&[0, 0, 0, 1, 2]);
                    let (l, h) = (self.rng.i64(-2..=3), self.rng.i64(-2..=3));
                    let size = l + n + (n - 1).max(0) * i + h;
                    let (l, h, size) = if size < 0 {
                        (0, 0, n + (n - 1).max(0) * i)
                    } else {
                        (l, h, size)
                    };
                    low.push(l);
                    high.push(h);
                    inner.push(i);
                    to.push(size);
                }
                if to.iter().product::<i64>() > 2 * MOST {
                    return None;
                }
                let attributes = format!(
                    "edge_padding_low = {}, edge_padding_high = {}, interior_padding = {}",
                    list(&low),
                    list(&high),
                    list(&inner)
                );
                Some(self.moved("pad", &[&x, &value], &attributes, tensor(&element, &to)))
            }
            8 if rank > 0 => {
                let axis = self.rng.usize(..rank);
                let mut other = shape.clone();
                other[axis] = self.rng.i64(0..=6);
                let y = self.of_type(&tensor(&element, &other));
                let mut to = shape.clone();
                to[axis] += other[axis];
                let twice = self.chance(30);
                if twice {
                    to[axis] += shape[axis];
                }
                if to.iter().product::<i64>() > 2 * MOST {
                    return None;
                }
                let operands = [&x, &y, &x];
                let attributes = format!("dimension = {axis} : i64");
                let operands = &operands[..if twice { 3 } else { 2 }];
                Some(self.moved("concatenate", operands, &attributes, tensor(&element, &to)))
            }
            9 if rank > 0 => {
                if element == ElementType::Bool {
                    return None;
                }
                let axis = self.rng.usize(..rank);
                let attributes = format!("iota_dimension = {axis} : i64");
                Some(self.emit(
                    "iota",
                    &[],
                    &attributes,
                    x.ty.clone(),
                    true,
                    shape[axis] < 200 && is_wide(&element),
                ))
            }
            _ => None,
        }
    }

    /// Sizes as values: dynamic operations whose types happen to be static.
    fn sized(&mut self) -> Option<Val> {
        let x = self.pick(|v| v.ty.rank() > 0)?;
        let shape = x.shape();
        let element = x.ty.element.clone();
        match self.rng.u8(..5) {
            0 => {
                let axis = self.rng.usize(..shape.len());
                let attributes = format!("dimension = {axis} : i64");
                let ty = tensor(&ElementType::int(32), &[]);
                Some(self.emit("get_dimension_size", &[&x], &attributes, ty, true, true))
            }
            1 => {
                let mut to = shape.clone();
                self.rng.shuffle(&mut to);
                let sizes = self.vector(&to);
                Some(self.moved_by("dynamic_reshape", &x, &[&sizes], "", &element, &to))
            }
            2 => {
                let mut to = vec![self.rng.i64(1..=4)];
                to.extend(&shape);
                if to.iter().product::<i64>() > MOST {
                    return None;
                }
                let sizes = self.vector(&to);
                let dims: Vec<i64> = (1..to.len() as i64).collect();
                let attributes = format!("broadcast_dimensions = {}", list(&dims));
                Some(self.moved_by(
                    "dynamic_broadcast_in_dim",
                    &x,
                    &[&sizes],
                    &attributes,
                    &element,
                    &to,
                ))
            }
            3 => {
                let (mut start, mut limit, mut stride, mut to) = (vec![], vec![], vec![], vec![]);
                for n in &shape {
                    let a = self.rng.i64(0..=*n);
                    let b = self.rng.i64(a..=*n);
                    let s = self.rng.i64(1..=2);
                    start.push(a);
                    limit.push(b);
                    stride.push(s);
                    to.push((b - a + s - 1) / s);
                }
                let (a, b, c) = (
                    self.vector(&start),
                    self.vector(&limit),
                    self.vector(&stride),
                );
                Some(self.moved_by("real_dynamic_slice", &x, &[&a, &b, &c], "", &element, &to))
            }
            _ => {
                if element == ElementType::Bool {
                    return None;
                }
                let sizes = self.vector(&shape);
                let axis = self.rng.usize(..shape.len());
                let attributes = format!("iota_dimension = {axis} : i64");
                Some(self.emit(
                    "dynamic_iota",
                    &[&sizes],
                    &attributes,
                    x.ty.clone(),
                    true,
                    false,
                ))
            }
        }
    }

    fn moved_by(
        &mut self,
        name: &str,
        x: &Val,
        sizes: &[&Val],
        attributes: &str,
        element: &ElementType,
        to: &[i64],
    ) -> Val {
        let operands: Vec<&Val> = std::iter::once(x).chain(sizes.iter().copied()).collect();
        self.emit(
            name,
            &operands,
            attributes,
            tensor(element, to),
            true,
            x.solid,
        )
    }
}
