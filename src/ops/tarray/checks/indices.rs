//! Indices as functions of the number of an iteration.

use super::constants;
use mapwright_indexing::{Expr, Interval, c, d, rt, s};
use mapwright_mlir::{ElementType, Op, TensorType, Val, ValueType, melior::ir::ValueLike, op};

/// Interval in which a number that is made outside of the loop is taken to be.
pub(super) const ANY: Interval = Interval {
    lower: -(1 << 40),
    upper: 1 << 40,
};

/// The index of iteration `d0`.
pub(super) struct Index {
    /// `None` for a number that may be any.
    pub(super) numbers: Vec<Option<Expr>>,
    /// The numbers of iterations of the loops inside, which are the range variables.
    pub(super) inner: Vec<Interval>,
    /// Meaning of the runtime variables: a value that is the same in all iterations, and a number
    /// in it.
    pub(super) labels: Vec<(usize, usize)>,
}

impl Index {
    /// Returns the interval of number `i` in a loop of so many rounds.
    pub(super) fn bounds(&self, i: usize, rounds: i64) -> Interval {
        let any = vec![ANY; self.labels.len()];
        match &self.numbers[i] {
            Some(number) => number.bounds(&[Interval::of_size(rounds)], &self.inner, &any),
            None => Interval::FULL,
        }
    }

    /// As a map.
    pub(super) fn in_words(&self) -> String {
        let numbers = self.numbers.iter().map(|number| match number {
            Some(number) => number.to_string(),
            None => "any".into(),
        });
        let ranges: Vec<String> = (0..self.inner.len()).map(|i| format!("s{i}")).collect();
        let ranges = if ranges.is_empty() {
            String::new()
        } else {
            format!("[{}]", ranges.join(", "))
        };
        let numbers: Vec<String> = numbers.collect();
        format!("(d0){ranges} -> ({})", numbers.join(", "))
    }
}

/// Reads indices in the body of a loop, also in loops inside of it.
pub(super) struct Reader<'c> {
    op: Op<'c>,
    rounds: i64,
    /// The loops inside, and the number of their rounds.
    inner: Vec<(Op<'c>, Interval)>,
    labels: Vec<(usize, usize)>,
    /// Numbers that may be looked at: to values that are used twice there are exponentially many
    /// ways.
    steps: usize,
}

/// Numbers that are read for an index, at most.
const MOST_STEPS: usize = 512;

impl<'c> Reader<'c> {
    /// For the loop `op`, which has so many rounds at most.
    pub(super) fn new(op: Op<'c>, rounds: i64) -> Self {
        Self {
            op,
            rounds,
            inner: Vec::new(),
            labels: Vec::new(),
            steps: MOST_STEPS,
        }
    }

    /// The index in a shape value.
    pub(super) fn index(mut self, at: Val<'c>) -> Index {
        Index {
            numbers: self.sizes(at),
            inner: self.inner.into_iter().map(|(_, rounds)| rounds).collect(),
            labels: self.labels,
        }
    }

    fn bounds(&self, number: &Expr) -> Interval {
        let inner: Vec<Interval> = self.inner.iter().map(|(_, rounds)| *rounds).collect();
        let any = vec![ANY; self.labels.len()];
        number.bounds(&[Interval::of_size(self.rounds)], &inner, &any)
    }

    /// The numbers of a shape.
    fn sizes(&mut self, value: Val<'c>) -> Vec<Option<Expr>> {
        let rank = match ValueType::from_mlir(value.r#type()) {
            ValueType::Shape(rank) => rank,
            _ => 0,
        };
        let unknown = vec![None; rank];
        let Some((source, _)) = op::defining_op(value).filter(|(source, _)| {
            matches!(source.dialect(), "tarray") && source.short_name() != "size"
        }) else {
            if self.is_inside(value) {
                return unknown;
            }
            return (0..rank).map(|i| Some(self.outside(value, i))).collect();
        };
        let pos = source.int("pos").and_then(|pos| usize::try_from(pos).ok());
        let pos = pos.unwrap_or(0);
        match source.short_name() {
            "shape" => {
                let sizes = source.ints("sizes").unwrap_or_default();
                sizes.into_iter().map(|size| Some(c(size))).collect()
            }
            "insert" => {
                let mut sizes = self.sizes(source.operand(0));
                sizes.insert(pos.min(sizes.len()), self.size(source.operand(1)));
                sizes
            }
            "replace" => {
                let mut sizes = self.sizes(source.operand(0));
                let new = self.size(source.operand(1));
                if let Some(size) = sizes.get_mut(pos) {
                    *size = new;
                }
                sizes
            }
            "del" => {
                let mut sizes = self.sizes(source.operand(0));
                if pos < sizes.len() {
                    sizes.remove(pos);
                }
                sizes
            }
            "add" => {
                let mut sizes = self.sizes(source.operand(0));
                sizes.extend(self.sizes(source.operand(1)));
                sizes
            }
            _ => unknown,
        }
    }

    /// A number as a size, as which a negative one counts as zero.
    fn size(&mut self, value: Val<'c>) -> Option<Expr> {
        let number = self.number(value)?;
        if self.bounds(&number).lower < 0 {
            Some(number.max(c(0)))
        } else {
            Some(number)
        }
    }

    /// A value that is made outside of the loop, or number `i` of it.
    fn outside(&mut self, value: Val<'c>, i: usize) -> Expr {
        let label = (op::key(value), i);
        let known = self.labels.iter().position(|known| *known == label);
        rt(known.unwrap_or_else(|| {
            self.labels.push(label);
            self.labels.len() - 1
        }))
    }

    /// A number as a function of those of iterations. Nothing in it leaves the range of its type.
    fn number(&mut self, value: Val<'c>) -> Option<Expr> {
        self.steps = self.steps.checked_sub(1)?;
        if let Some(known) = constants(value)
            && let [known] = known.as_slice()
        {
            return Some(c(*known));
        }
        if !self.is_inside(value) {
            return Some(self.outside(value, 0));
        }
        let number = match op::block_argument(value) {
            Some((block, k)) => self.argument(op::parent_of_block(block)?, k)?,
            None => self.computed(op::defining_op(value)?.0)?,
        };
        let own = TensorType::from_mlir(value.r#type())?.element;
        let range = match own {
            ElementType::Int {
                width,
                unsigned: true,
            } if width < 63 => Interval::new(0, (1 << width) - 1),
            ElementType::Int { unsigned: true, .. } => Interval::new(0, i64::MAX),
            ElementType::Int { width, .. } if width < 64 => {
                Interval::new(-(1 << (width - 1)), (1 << (width - 1)) - 1)
            }
            _ => Interval::FULL,
        };
        let bounds = self.bounds(&number);
        (range.lower <= bounds.lower && bounds.upper <= range.upper).then_some(number)
    }

    fn computed(&mut self, source: Op<'c>) -> Option<Expr> {
        if !matches!(source.dialect(), "stablehlo" | "mhlo") {
            return None;
        }
        let mut both = || {
            Some((
                self.number(source.operand(0))?,
                self.number(source.operand(1))?,
            ))
        };
        let by_constant = |(x, y): (Expr, Expr)| Some((x, y.as_constant().filter(|by| *by > 0)?));
        match source.short_name() {
            "add" => both().map(|(x, y)| x + y),
            "subtract" => both().map(|(x, y)| x - y),
            "maximum" => both().map(|(x, y)| x.max(y)),
            "minimum" => both().map(|(x, y)| x.min(y)),
            "multiply" => {
                let (x, y) = both()?;
                match (x.as_constant(), y.as_constant()) {
                    (_, Some(by)) => Some(x * by),
                    (Some(by), _) => Some(y * by),
                    _ => None,
                }
            }
            // Division goes towards zero, so that the two differ below.
            "divide" | "remainder" => {
                let (x, by) = both().and_then(by_constant)?;
                if self.bounds(&x).lower < 0 {
                    return None;
                }
                Some(match source.short_name() {
                    "divide" => x.floor_div(by),
                    _ => x.modulo(by),
                })
            }
            "negate" => self.number(source.operand(0)).map(|x| x * -1),
            "convert" => match source.operand_type(0) {
                ValueType::Tensor(ty) if ty.element.is_int() => self.number(source.operand(0)),
                _ => None,
            },
            _ => None,
        }
    }

    fn is_inside(&self, value: Val<'c>) -> bool {
        let mut at = match op::block_argument(value) {
            Some((block, _)) => op::parent_of_block(block),
            None => op::defining_op(value).and_then(|(source, _)| source.parent()),
        };
        while let Some(parent) = at {
            if parent == self.op {
                return true;
            }
            at = parent.parent();
        }
        false
    }

    /// Argument `k` of the body of a loop, where that is known to be a function of the number of
    /// the round.
    fn argument(&mut self, of: Op<'c>, k: usize) -> Option<Expr> {
        if of.dialect() != "tarray" || k >= of.num_operands() {
            return None;
        }
        let is_build = of.short_name() == "build";
        let xs = of.ints("operandSegmentSizes")?;
        if xs.first().is_none_or(|xs| k as i64 >= *xs) {
            return None;
        }
        let rounds = match of.operand_type(k) {
            ValueType::Array { max, .. } => max,
            ValueType::Tensor(_) if is_build => match constants(of.operand(k))?.as_slice() {
                [rounds] => *rounds,
                _ => return None,
            },
            ValueType::Tensor(ty) => ty.num_elements()?,
            _ => return None,
        };
        let round = if of == self.op {
            d(0)
        } else {
            let known = self.inner.iter().position(|(known, _)| *known == of);
            s(known.unwrap_or_else(|| {
                self.inner.push((of, Interval::of_size(rounds.max(0))));
                self.inner.len() - 1
            }))
        };
        if is_build {
            Some(round)
        } else {
            element(of, k, round)
        }
    }
}

/// The element of operand `k` in a round, where that is known to be a function of its number.
fn element(of: Op<'_>, k: usize, round: Expr) -> Option<Expr> {
    let (source, _) = op::defining_op(of.operand(k))?;
    match source.name() {
        "tarray.arange" => {
            let number = |i: usize| match constants(source.operand(i))?.as_slice() {
                [one] => Some(*one),
                _ => None,
            };
            Some(round * number(2)? + c(number(0)?))
        }
        "tarray.slices" => {
            let (iota, _) = op::defining_op(source.operand(0))?;
            let vector = TensorType::from_mlir(source.operand(0).r#type())?.rank() == 1;
            (iota.is_hlo("iota") && vector).then_some(round)
        }
        // The elements of a tensor, in row-major order.
        _ if source.is_hlo("iota")
            && (matches!(of.short_name(), "parallel_foreach" | "broadcast")
                || source.result_type(0).tensor()?.rank() == 1) =>
        {
            let shape = source.result_type(0).tensor()?.static_shape()?;
            let dim = usize::try_from(source.int("iota_dimension")?).ok()?;
            let behind: i64 = shape.get(dim + 1..)?.iter().product();
            let number = round.floor_div(behind.max(1));
            Some(match dim {
                0 => number,
                _ => number.modulo((*shape.get(dim)?).max(1)),
            })
        }
        _ => None,
    }
}
