//! Sums of products: `dot_general`, `dot`, `einsum`, `convolution`, `dynamic_conv`.

use crate::{
    Error, Machine, Result, elementwise, formats, quantized, ragged, result,
    value::{Scalar, Tensor, fit, indices, zero},
};
use mapwright_mlir::{ElementType, FloatKind, Op};
use mapwright_ops::attrs::{Convolution, DotDimensions};

/// The result of `op`, if it is of this family.
pub(crate) fn execute<'c>(
    machine: &mut Machine<'c>,
    op: Op<'c>,
    name: &str,
    inputs: &[Tensor],
) -> Result<Option<Tensor>> {
    if matches!(name, "einsum" | "unary_einsum") {
        let element = result(op, 0)?.element;
        let config = op.string("einsum_config").unwrap_or_default();
        return einsum(machine, &element, &config, inputs).map(Some);
    }
    if name == "ragged_dot" {
        return ragged::ragged_dot(machine, op, inputs).map(Some);
    }
    if !matches!(name, "dot_general" | "dot" | "convolution" | "dynamic_conv") {
        return Ok(None);
    }
    let ty = result(op, 0)?;
    let lhs = quantized::dequantize(&inputs[0])?;
    let rhs = quantized::dequantize(&inputs[1])?;
    let element = match &ty.element {
        ElementType::Quantized(q) => ElementType::Float(q.expressed),
        other => other.clone(),
    };
    let found = match name {
        "dot_general" | "dot" => {
            let dims = DotDimensions::from_op(op, lhs.rank())?;
            dot(machine, &element, &dims, &lhs, &rhs)?
        }
        _ => convolution(machine, op, &element, &lhs, &rhs, inputs.get(2))?,
    };
    quantized::quantize(&found, &ty.element).map(Some)
}

/// A sum of products in the type `element`.
pub(crate) struct Sum {
    element: ElementType,
    /// Real sums are kept in `f64` and rounded at the end, integers in 128 bits.
    total: Scalar,
    /// Sum of the magnitudes, which errors are relative to.
    size: f64,
    /// Of the real and the imaginary part: everything above zero, and everything below.
    sides: [[f64; 2]; 2],
}

impl Sum {
    pub(crate) fn new(element: &ElementType) -> Self {
        Self {
            element: element.clone(),
            total: zero(element),
            size: 0.0,
            sides: [[0.0; 2]; 2],
        }
    }

    pub(crate) fn add(
        &mut self,
        from: (&ElementType, &ElementType),
        x: Scalar,
        y: Scalar,
    ) -> Result<()> {
        // The precision of the sum is not that of the result's format.
        let wide = match &self.element {
            ElementType::Float(_) => ElementType::F64,
            ElementType::Complex(_) => ElementType::Complex(FloatKind::F64),
            other => other.clone(),
        };
        let x = elementwise::convert(from.0, &wide, x)?;
        let y = elementwise::convert(from.1, &wide, y)?;
        let product = elementwise::apply("multiply", &wide, &wide, &[x, y])?;
        self.total = elementwise::apply("add", &wide, &wide, &[self.total, product])?;
        self.size += match product {
            Scalar::Real(x) => x.abs(),
            Scalar::Complex(re, im) => re.hypot(im),
            _ => 0.0,
        };
        let mut beside = |part: usize, x: f64| self.sides[part][usize::from(x < 0.0)] += x;
        match (x, y) {
            (Scalar::Real(x), Scalar::Real(y)) => beside(0, x * y),
            (Scalar::Complex(a, b), Scalar::Complex(c, d)) => {
                for (part, x) in [(0, a * c), (0, -(b * d)), (1, a * d), (1, b * c)] {
                    beside(part, x);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The sum, if every partial sum is as far away from zero as some order brings it.
    fn outermost(&self, kind: FloatKind) -> Scalar {
        // Nobody adds up products in less than 32 bits.
        let wide = match kind {
            FloatKind::F64 => FloatKind::F64,
            _ => FloatKind::F32,
        };
        let end = |part: usize| {
            let [above, below] = self.sides[part].map(|x| formats::round(wide, x));
            formats::round(kind, above + below)
        };
        match self.total {
            Scalar::Complex(..) => Scalar::Complex(end(0), end(1)),
            _ => Scalar::Real(end(0)),
        }
    }

    pub(crate) fn finish(self, machine: &mut Machine<'_>) -> Scalar {
        if let (Some(_), ElementType::Float(kind) | ElementType::Complex(kind)) =
            (machine.extreme, &self.element)
        {
            return self.outermost(*kind);
        }
        let rounded = fit(&self.element, self.total);
        machine.unsettle(&self.element, rounded, self.size)
    }
}

pub(crate) fn axes(dims: &[i64], rank: usize) -> Result<Vec<usize>> {
    dims.iter()
        .map(|d| {
            usize::try_from(*d)
                .ok()
                .filter(|d| *d < rank)
                .ok_or_else(|| Error::plain(format!("{d} is no dimension of an operand")))
        })
        .collect()
}

fn dot(
    machine: &mut Machine<'_>,
    element: &ElementType,
    dims: &DotDimensions,
    lhs: &Tensor,
    rhs: &Tensor,
) -> Result<Tensor> {
    let (lb, rb) = (
        axes(&dims.lhs_batching, lhs.rank())?,
        axes(&dims.rhs_batching, rhs.rank())?,
    );
    let (lc, rc) = (
        axes(&dims.lhs_contracting, lhs.rank())?,
        axes(&dims.rhs_contracting, rhs.rank())?,
    );
    let free = |rank: usize, a: &[usize], b: &[usize]| -> Vec<usize> {
        (0..rank)
            .filter(|d| !a.contains(d) && !b.contains(d))
            .collect()
    };
    let (lf, rf) = (free(lhs.rank(), &lb, &lc), free(rhs.rank(), &rb, &rc));
    let sizes = |t: &Tensor, d: &[usize]| -> Vec<i64> { d.iter().map(|d| t.shape[*d]).collect() };
    let (batch, left, right) = (sizes(lhs, &lb), sizes(lhs, &lf), sizes(rhs, &rf));
    let contracted = sizes(lhs, &lc);
    if contracted != sizes(rhs, &rc) || batch != sizes(rhs, &rb) {
        return Err(Error::plain("operands whose sizes do not match"));
    }
    let shape = [batch.clone(), left.clone(), right].concat();
    Tensor::build(element, &shape, |i| {
        let (b, rest) = i.split_at(batch.len());
        let (l, r) = rest.split_at(left.len());
        let mut sum = Sum::new(element);
        for k in indices(&contracted) {
            let place = |rank: usize, parts: [(&[usize], &[i64]); 3]| {
                let mut at = vec![0; rank];
                for (dims, index) in parts {
                    for (d, n) in dims.iter().zip(index) {
                        at[*d] = *n;
                    }
                }
                at
            };
            let x = lhs.at(&place(lhs.rank(), [(&lb, b), (&lf, l), (&lc, &k)]))?;
            let y = rhs.at(&place(rhs.rank(), [(&rb, b), (&rf, r), (&rc, &k)]))?;
            sum.add((&lhs.element, &rhs.element), x, y)?;
        }
        Ok(sum.finish(machine))
    })
}

/// Labels of the operands, an arrow, labels of the result: what the result does not name is summed
/// over.
fn einsum(
    machine: &mut Machine<'_>,
    element: &ElementType,
    config: &str,
    inputs: &[Tensor],
) -> Result<Tensor> {
    let refused = || Error::plain(format!("the configuration {config:?}"));
    let labels =
        |text: &str| -> Vec<char> { text.chars().filter(|c| !c.is_whitespace()).collect() };
    let (from, to) = config.split_once("->").ok_or_else(refused)?;
    let from: Vec<Vec<char>> = from.split(',').map(labels).collect();
    let to = labels(to);
    let mut sizes: Vec<(char, i64)> = Vec::new();
    for (own, tensor) in from.iter().zip(inputs) {
        if own.len() != tensor.rank() {
            return Err(refused());
        }
        for (label, size) in own.iter().zip(&tensor.shape) {
            match sizes.iter().find(|(l, _)| l == label) {
                Some((_, known)) if known == size => {}
                Some(_) => return Err(refused()),
                None => sizes.push((*label, *size)),
            }
        }
    }
    let size = |label: &char| sizes.iter().find(|(l, _)| l == label).map(|(_, n)| *n);
    let shape = to
        .iter()
        .map(|label| size(label).ok_or_else(refused))
        .collect::<Result<Vec<i64>>>()?;
    let (summed, ranges): (Vec<char>, Vec<i64>) = sizes
        .iter()
        .filter(|(l, _)| !to.contains(l))
        .copied()
        .unzip();
    let (x, y) = match inputs {
        [x] => (x, None),
        [x, y] => (x, Some(y)),
        _ => return Err(refused()),
    };
    let one = Tensor::build(&x.element, &[], |_| {
        elementwise::convert(&ElementType::Bool, &x.element, Scalar::Bool(true))
    })?;
    Tensor::build(element, &shape, |i| {
        let place = |own: &[char], k: &[i64]| -> Vec<i64> {
            own.iter()
                .filter_map(|label| {
                    let kept = to.iter().position(|l| l == label).map(|at| i[at]);
                    kept.or_else(|| summed.iter().position(|l| l == label).map(|at| k[at]))
                })
                .collect()
        };
        if y.is_none() && summed.is_empty() {
            // Nothing is added, not even zero: -0 stays.
            return elementwise::convert(&x.element, element, x.at(&place(&from[0], &[]))?);
        }
        let mut sum = Sum::new(element);
        for k in indices(&ranges) {
            let (other, at) = match y {
                Some(y) => (y, place(&from[1], &k)),
                None => (&one, Vec::new()),
            };
            let factor = x.at(&place(&from[0], &k))?;
            sum.add((&x.element, &other.element), factor, other.at(&at)?)?;
        }
        Ok(sum.finish(machine))
    })
}

fn convolution(
    machine: &mut Machine<'_>,
    op: Op<'_>,
    element: &ElementType,
    lhs: &Tensor,
    rhs: &Tensor,
    padding: Option<&Tensor>,
) -> Result<Tensor> {
    let mut conv = Convolution::decode(op, &rhs.shape)?;
    if let Some(padding) = padding {
        conv.window.padding = padding
            .ints()?
            .chunks_exact(2)
            .map(|p| (p[0], p[1]))
            .collect();
    }
    let d = &conv.dims;
    let n = d.input_spatial.len();
    let size = |t: &Tensor, axis: i64| t.shape[axis as usize];
    let out_features = size(rhs, d.kernel_output_feature);
    let in_features = size(rhs, d.kernel_input_feature);
    if size(lhs, d.input_feature) != in_features * conv.feature_groups {
        return Err(Error::plain("operands whose sizes do not match"));
    }
    let batch = size(lhs, d.input_batch) / conv.batch_groups;
    let mut shape = vec![0; lhs.rank()];
    shape[d.output_batch as usize] = batch;
    shape[d.output_feature as usize] = out_features;
    for k in 0..n {
        shape[d.output_spatial[k] as usize] =
            conv.window.output_size(k, size(lhs, d.input_spatial[k]));
    }
    Tensor::build(element, &shape, |o| {
        let feature = o[d.output_feature as usize];
        let feature_group = feature / (out_features / conv.feature_groups);
        let batch_group = feature / (out_features / conv.batch_groups);
        let mut sum = Sum::new(element);
        for w in indices(&conv.window.size) {
            let mut input = vec![0; lhs.rank()];
            let mut kernel = vec![0; rhs.rank()];
            let mut inside = true;
            for k in 0..n {
                let at = o[d.output_spatial[k] as usize] * conv.window.stride[k]
                    + w[k] * conv.window.window_dilation[k]
                    - conv.window.padding[k].0;
                let dilation = conv.window.base_dilation[k];
                let place = at.div_euclid(dilation);
                inside &= at.rem_euclid(dilation) == 0
                    && (0..size(lhs, d.input_spatial[k])).contains(&place);
                input[d.input_spatial[k] as usize] = place;
                kernel[d.kernel_spatial[k] as usize] = if conv.window.reversal[k] {
                    conv.window.size[k] - 1 - w[k]
                } else {
                    w[k]
                };
            }
            input[d.input_batch as usize] = batch_group * batch + o[d.output_batch as usize];
            kernel[d.kernel_output_feature as usize] = feature;
            for i in 0..in_features {
                input[d.input_feature as usize] = feature_group * in_features + i;
                kernel[d.kernel_input_feature as usize] = i;
                // Padding and the places between dilated elements hold zero.
                let x = if inside {
                    lhs.at(&input)?
                } else {
                    zero(&lhs.element)
                };
                sum.add((&lhs.element, &rhs.element), x, rhs.at(&kernel)?)?;
            }
        }
        Ok(sum.finish(machine))
    })
}
