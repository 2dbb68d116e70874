//! Convolutions to few features: lanes would run along these, and most of them would be empty.
//!
//! `y[w, o, n, p] = sum over c of kernel[w, o, c] * image[n, p, c]` for each element `w` of the
//! window is one product, whose lanes run along the places `p` of the padded image, and
//! `result[n, q, o] = sum over w of y[w, o, n, stride * q + dilation * w]` adds up what is moved.
//! An image of a single channel has nothing to add up in the product, which is element-wise then.

use super::convolution::{Known, features_last};
use crate::make::{HloBuilder, tensor};
use mapwright_mlir::{ElementType, Op, TensorType, Val};
use mapwright_ops::attrs::{Convolution, Window};

/// Elements of a window, at most: each is a term of a sum.
const LARGEST: i64 = 64;
/// Lanes of a vector, about: what is compared is which share of them is empty.
const LANES: f64 = 16.0;
/// Products below which several regions take longer than empty lanes.
const FEWEST: f64 = 262_144.0;

/// Sizes of a convolution, windows in the order of its lists.
struct Sizes {
    batch: i64,
    channels: i64,
    features: i64,
    /// Of the image with its padding, of the results.
    padded: Vec<i64>,
    results: Vec<i64>,
}

impl Sizes {
    /// Reads the sizes; `None` where one is 0 or beyond 64 bits.
    fn new(conv: &Convolution, image: &[i64], result: &[i64]) -> Option<Self> {
        let (dims, window) = (&conv.dims, &conv.window);
        let of = |shape: &[i64], d: i64| shape.get(usize::try_from(d).ok()?).copied();
        let mut padded = Vec::new();
        for (i, d) in dims.input_spatial.iter().enumerate() {
            let (low, high) = window.padding[i];
            let span = (of(image, *d)? - 1).checked_mul(window.base_dilation[i])?;
            padded.push(span.checked_add(1)?.checked_add(low)?.checked_add(high)?);
        }
        let results: Option<Vec<i64>> =
            dims.output_spatial.iter().map(|d| of(result, *d)).collect();
        let found = Self {
            batch: of(image, dims.input_batch)?,
            channels: of(image, dims.input_feature)?,
            features: of(result, dims.output_feature)?,
            padded,
            results: results?,
        };
        let mut all = image.iter().chain(result).chain(&found.padded);
        all.all(|n| *n > 0).then_some(found)
    }

    /// Tells whether it pays, by the vectors that are computed and moved.
    fn pays(&self, elements: i64) -> bool {
        let number = |sizes: &[i64]| sizes.iter().map(|n| *n as f64).product::<f64>();
        let (batch, channels) = (self.batch as f64, self.channels as f64);
        let (features, elements) = (self.features as f64, elements as f64);
        let (places, results) = (batch * number(&self.padded), batch * number(&self.results));
        let products = results * elements * channels;
        let along_features = products * (features / LANES).ceil();
        let along_places = (places * channels * (elements * features + 4.0)
            + 2.0 * results * elements * features)
            / LANES;
        products * features >= FEWEST && 2.0 * along_places < along_features
    }
}

/// Factors that the terms of the sum are made of.
enum Factors<'c> {
    /// The product of kernel and image, `[window…, feature, batch, places…]`.
    Multiplied(Val<'c>),
    /// Kernel and image.
    Apart(Val<'c>, Val<'c>),
}

/// The new result, or nothing where the convolution is fine as it is.
pub(super) fn rewrite<'c>(make: &HloBuilder<'c>, op: Op<'c>) -> Option<Vec<Val<'c>>> {
    let (image, kernel) = (op.operand(0), op.operand(1));
    let Known {
        conv, result, sum, ..
    } = Known::from_op(op)?;
    let (operand, shape) = (tensor(image)?.static_shape()?, result.static_shape()?);
    let (dims, window) = (&conv.dims, &conv.window);
    let elements: i64 = window.size.iter().product();
    if conv.feature_groups != 1 || conv.batch_groups != 1 || elements > LARGEST {
        return None;
    }
    let sizes = Sizes::new(&conv, &operand, &shape).filter(|sizes| sizes.pays(elements))?;

    // Batch, places and channel; elements of the window, feature and channel.
    let (first, feature) = (dims.input_batch, dims.input_feature);
    let image = features_last(make, image, first, &dims.input_spatial, feature);
    let spatial = dims.kernel_spatial.iter().copied();
    let order = spatial.chain([dims.kernel_output_feature, dims.kernel_input_feature]);
    // The verifier saw that they are dimensions.
    let order: Vec<usize> = order.filter_map(|d| usize::try_from(d).ok()).collect();
    let kernel = make.transpose(kernel, &order);
    let image = padded(make, image, window)?;
    let n = sizes.padded.len();
    let factors = match sizes.channels {
        // Element by element in the type of the sums.
        1 => Factors::Apart(make.convert(kernel, &sum), make.convert(image, &sum)),
        _ => Factors::Multiplied(make.dot((kernel, image), (&[], &[]), (&[n + 1], &[n + 1]), &sum)),
    };
    let mut total: Option<Val<'c>> = None;
    for element in 0..elements {
        let at = digits(element, &window.size);
        let term = match factors {
            Factors::Multiplied(products) => moved(make, products, (&at, window), &sizes, &sum),
            Factors::Apart(kernel, image) => {
                multiplied(make, (kernel, image), (&at, window), &sizes, &sum)
            }
        };
        total = Some(match total {
            Some(total) => make.binary("add", total, term),
            // Sums begin with zero: a product that is -0 becomes 0. Those of `dot_general` did.
            None if sizes.channels == 1 && matches!(sum, ElementType::Float(_)) => {
                make.binary("add", term, make.splat(0.0, term))
            }
            None => term,
        });
    }
    let total = total?;
    let total = make.convert(total, &result.element);
    // From feature, batch, places to the order of the result.
    let mut order = vec![dims.output_feature, dims.output_batch];
    order.extend(&dims.output_spatial);
    let permutation: Vec<usize> = (0..order.len() as i64)
        .map(|d| order.iter().position(|o| *o == d).unwrap_or(0))
        .collect();
    Some(vec![make.transpose(total, &permutation)])
}

/// The image `[batch, places…, channel]` with its padding, and with zeros between its elements
/// where it is dilated.
fn padded<'c>(make: &HloBuilder<'c>, image: Val<'c>, window: &Window) -> Option<Val<'c>> {
    let around = |of: &dyn Fn(usize) -> i64| -> Vec<i64> {
        let inner = (0..window.size.len()).map(of);
        std::iter::once(0).chain(inner).chain([0]).collect()
    };
    make.pad(
        image,
        [
            &around(&|i| window.padding[i].0),
            &around(&|i| window.padding[i].1),
            &around(&|i| window.base_dilation[i] - 1),
        ],
    )
}

/// The index of the window's element number `element`, the last dimension fastest.
fn digits(element: i64, sizes: &[i64]) -> Vec<i64> {
    let mut rest = element;
    let mut at = vec![0; sizes.len()];
    for (digit, size) in at.iter_mut().zip(sizes).rev() {
        *digit = rest % size;
        rest /= size;
    }
    at
}

/// For the window's element `at`: where it is in the kernel, and the first place, the one behind
/// the last and the step in the padded image.
fn part(at: &[i64], window: &Window, results: &[i64]) -> (Vec<i64>, [Vec<i64>; 3]) {
    let mut places = [const { Vec::new() }; 3];
    let mut inside = Vec::new();
    for (i, digit) in at.iter().enumerate() {
        inside.push(if window.reversal[i] {
            window.size[i] - 1 - digit
        } else {
            *digit
        });
        let first = digit * window.window_dilation[i];
        let end = first + (results[i] - 1) * window.stride[i] + 1;
        for (list, value) in places.iter_mut().zip([first, end, window.stride[i]]) {
            list.push(value);
        }
    }
    (inside, places)
}

/// Returns what an element of the window adds, `[feature, batch, places…]`, as a slice of the
/// products `[window…, feature, batch, places…]`.
fn moved<'c>(
    make: &HloBuilder<'c>,
    products: Val<'c>,
    (at, window): (&[i64], &Window),
    sizes: &Sizes,
    sum: &ElementType,
) -> Val<'c> {
    let (inside, [first, end, step]) = part(at, window, &sizes.results);
    let starts = [&inside[..], &[0, 0], &first].concat();
    let behind: Vec<i64> = inside.iter().map(|i| i + 1).collect();
    let ends = [&behind[..], &[sizes.features, sizes.batch], &end].concat();
    let ones = vec![1; inside.len()];
    let steps = [&ones[..], &[1, 1], &step].concat();
    let own = [&[sizes.features, sizes.batch][..], &sizes.results].concat();
    let slice = make.slice(products, [&starts, &ends, &steps]);
    make.reshape(slice, &TensorType::new(sum.clone(), &own))
}

/// Returns what an element of the window adds, as the product of slices of an image
/// `[batch, places…, 1]` and a kernel `[window…, feature, 1]`.
fn multiplied<'c>(
    make: &HloBuilder<'c>,
    (kernel, image): (Val<'c>, Val<'c>),
    (at, window): (&[i64], &Window),
    sizes: &Sizes,
    sum: &ElementType,
) -> Val<'c> {
    let (inside, [first, end, step]) = part(at, window, &sizes.results);
    let own = [&[sizes.features, sizes.batch][..], &sizes.results].concat();
    let whole = TensorType::new(sum.clone(), &own);
    let spread = |slice: Val<'c>, shape: &[i64], to: &[i64]| {
        let flat = make.reshape(slice, &TensorType::new(sum.clone(), shape));
        make.broadcast(flat, &whole, to)
    };
    let behind: Vec<i64> = inside.iter().map(|i| i + 1).collect();
    let ones = vec![1; inside.len() + 2];
    let weights = make.slice(
        kernel,
        [
            &[&inside[..], &[0, 0]].concat(),
            &[&behind[..], &[sizes.features, 1]].concat(),
            &ones,
        ],
    );
    let values = make.slice(
        image,
        [
            &[&[0][..], &first, &[0]].concat(),
            &[&[sizes.batch][..], &end, &[1]].concat(),
            &[&[1][..], &step, &[1]].concat(),
        ],
    );
    let of_image: Vec<i64> = (1..own.len() as i64).collect();
    make.binary(
        "multiply",
        spread(weights, &[sizes.features], &[0]),
        spread(values, &own[1..], &of_image),
    )
}
