//! Dimension numbers of `dot_general` and `convolution`.

use super::{AttrError, Decoded, Window, int_or, structured};
use mapwright_mlir::{Op, text};

/// Dimension numbers of a `dot_general`: those that are batched and contracted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DotDimensions {
    /// Batching dimensions of the left operand.
    pub lhs_batching: Vec<i64>,
    /// Batching dimensions of the right operand.
    pub rhs_batching: Vec<i64>,
    /// Contracting dimensions of the left operand.
    pub lhs_contracting: Vec<i64>,
    /// Contracting dimensions of the right operand.
    pub rhs_contracting: Vec<i64>,
}

impl DotDimensions {
    /// Dimension numbers of a `dot_general`, or of a `dot`, which contracts the last dimension of
    /// its left operand, of rank `left`, with the first of the right one.
    pub fn from_op(op: Op<'_>, left: usize) -> Decoded<Self> {
        match op.short_name() {
            "dot" => Ok(Self {
                lhs_contracting: vec![left as i64 - 1],
                rhs_contracting: vec![0],
                ..Self::default()
            }),
            _ => Self::decode(op),
        }
    }

    /// Decodes `dot_dimension_numbers`; all lists are empty by default.
    pub fn decode(op: Op<'_>) -> Decoded<Self> {
        let name = "dot_dimension_numbers";
        let text = structured(op, name)?;
        let dims = Self {
            lhs_batching: text::integer_list(&text, "lhs_batching_dimensions"),
            rhs_batching: text::integer_list(&text, "rhs_batching_dimensions"),
            lhs_contracting: text::integer_list(&text, "lhs_contracting_dimensions"),
            rhs_contracting: text::integer_list(&text, "rhs_contracting_dimensions"),
        };
        if dims.lhs_batching.len() != dims.rhs_batching.len() {
            return Err(AttrError::new(
                name,
                "the operands have different numbers of batching dimensions",
            ));
        }
        if dims.lhs_contracting.len() != dims.rhs_contracting.len() {
            return Err(AttrError::new(
                name,
                "the operands have different numbers of contracting dimensions",
            ));
        }
        Ok(dims)
    }
}

/// Dimension numbers of a `ragged_dot`: those that are batched, contracted, and cut into groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RaggedDotDimensions {
    /// As in a `dot_general`.
    pub dot: DotDimensions,
    /// The dimension of the left operand that is made of groups of different sizes.
    pub lhs_ragged: i64,
    /// The dimension of the right operand with an entry for every group, if it has one.
    pub rhs_group: Option<i64>,
}

impl RaggedDotDimensions {
    /// Decodes `ragged_dot_dimension_numbers`.
    pub fn decode(op: Op<'_>) -> Decoded<Self> {
        let name = "ragged_dot_dimension_numbers";
        let text = structured(op, name)?;
        let list = |field| text::integer_list(&text, field);
        let [lhs_ragged] = list("lhs_ragged_dimensions")[..] else {
            return Err(AttrError::new(name, "one dimension has to be ragged"));
        };
        let rhs_group = match list("rhs_group_dimensions")[..] {
            [] => None,
            [group] => Some(group),
            _ => return Err(AttrError::new(name, "there are several group dimensions")),
        };
        Ok(Self {
            dot: DotDimensions {
                lhs_batching: list("lhs_batching_dimensions"),
                rhs_batching: list("rhs_batching_dimensions"),
                lhs_contracting: list("lhs_contracting_dimensions"),
                rhs_contracting: list("rhs_contracting_dimensions"),
            },
            lhs_ragged,
            rhs_group,
        })
    }
}

/// Kind of the ragged dimension of a `ragged_dot`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaggedMode {
    /// A free one: each of its elements meets the matrix of its group.
    Free,
    /// A contracting one: there is a product for each group.
    Contracting,
    /// A batching one: an ordinary product.
    Batching,
}

impl RaggedDotDimensions {
    /// Kind of the ragged dimension.
    pub fn mode(&self) -> RaggedMode {
        if self.dot.lhs_batching.contains(&self.lhs_ragged) {
            RaggedMode::Batching
        } else if self.dot.lhs_contracting.contains(&self.lhs_ragged) {
            RaggedMode::Contracting
        } else {
            RaggedMode::Free
        }
    }

    /// The dimensions of the left operand, of rank `rank`, for whose elements there are group sizes
    /// of their own, where there are more than one list of them: those of the batch, and those of
    /// the ragged one's kind that stand before it.
    pub fn with_own_sizes(&self, rank: usize) -> Vec<i64> {
        let dot = &self.dot;
        let before = |dims: &[i64]| -> Vec<i64> {
            let all = dims.iter().copied();
            all.take_while(|d| *d != self.lhs_ragged).collect()
        };
        let own = match self.mode() {
            RaggedMode::Batching => return before(&dot.lhs_batching),
            RaggedMode::Contracting => before(&dot.lhs_contracting),
            RaggedMode::Free => {
                let used =
                    |d: &i64| dot.lhs_batching.contains(d) || dot.lhs_contracting.contains(d);
                let free: Vec<i64> = (0..rank as i64).filter(|d| !used(d)).collect();
                before(&free)
            }
        };
        [dot.lhs_batching.clone(), own].concat()
    }
}

/// Dimension numbers of a `convolution`: the role of each dimension of its tensors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ConvDimensions {
    pub input_batch: i64,
    pub input_feature: i64,
    pub input_spatial: Vec<i64>,
    pub kernel_input_feature: i64,
    pub kernel_output_feature: i64,
    pub kernel_spatial: Vec<i64>,
    pub output_batch: i64,
    pub output_feature: i64,
    pub output_spatial: Vec<i64>,
}

impl ConvDimensions {
    /// As [`ConvDimensions::read`], of tensors that have as many spatial dimensions.
    pub fn decode(op: Op<'_>) -> Decoded<Self> {
        let dims = Self::read(op)?;
        let n = dims.input_spatial.len();
        if dims.kernel_spatial.len() != n || dims.output_spatial.len() != n {
            return Err(AttrError::new(
                "dimension_numbers",
                "the tensors have different numbers of spatial dimensions",
            ));
        }
        Ok(dims)
    }

    /// Decodes `dimension_numbers`: `#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>` or
    /// `<raw input_batch_dimension = …>`.
    pub fn read(op: Op<'_>) -> Decoded<Self> {
        let name = "dimension_numbers";
        let text = structured(op, name)?;
        Ok(
            if text.contains("input_batch_dimension") || !text.contains('[') {
                let one = |field| {
                    text::integer_list(&text, field)
                        .first()
                        .copied()
                        .unwrap_or(0)
                };
                Self {
                    input_batch: one("input_batch_dimension"),
                    input_feature: one("input_feature_dimension"),
                    input_spatial: text::integer_list(&text, "input_spatial_dimensions"),
                    kernel_input_feature: one("kernel_input_feature_dimension"),
                    kernel_output_feature: one("kernel_output_feature_dimension"),
                    kernel_spatial: text::integer_list(&text, "kernel_spatial_dimensions"),
                    output_batch: one("output_batch_dimension"),
                    output_feature: one("output_feature_dimension"),
                    output_spatial: text::integer_list(&text, "output_spatial_dimensions"),
                }
            } else {
                Self::from_pretty(&text)
                    .ok_or_else(|| AttrError::new(name, format!("`{text}` is not understood")))?
            },
        )
    }

    fn from_pretty(text: &str) -> Option<Self> {
        let mut groups = text
            .split('[')
            .skip(1)
            .map(|part| part.split(']').next().unwrap_or_default());
        let (input, input_spatial) = labels(groups.next()?, ["b", "f"])?;
        let (kernel, kernel_spatial) = labels(groups.next()?, ["i", "o"])?;
        let (output, output_spatial) = labels(groups.next()?, ["b", "f"])?;
        if groups.next().is_some() {
            return None;
        }
        Some(Self {
            input_batch: input[0],
            input_feature: input[1],
            input_spatial,
            kernel_input_feature: kernel[0],
            kernel_output_feature: kernel[1],
            kernel_spatial,
            output_batch: output[0],
            output_feature: output[1],
            output_spatial,
        })
    }
}

/// Positions of two letters and of the spatial dimensions `0, 1, …` in `b, 0, 1, f`.
fn labels(text: &str, letters: [&str; 2]) -> Option<([i64; 2], Vec<i64>)> {
    let items: Vec<&str> = text.split(',').map(str::trim).collect();
    let at = |what: &str| {
        items
            .iter()
            .position(|item| *item == what)
            .map(|p| p as i64)
    };
    let spatial: Option<Vec<i64>> = (0..items.len().checked_sub(2)?)
        .map(|i| at(&i.to_string()))
        .collect();
    Some(([at(letters[0])?, at(letters[1])?], spatial?))
}

/// Attributes of a `convolution`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Convolution {
    /// The parts of the dimensions.
    pub dims: ConvDimensions,
    /// The window over the spatial dimensions, in the order of the lists in `dims`.
    pub window: Window,
    /// Number of groups of features.
    pub feature_groups: i64,
    /// Number of groups of the batch.
    pub batch_groups: i64,
}

impl Convolution {
    /// Decodes a `convolution` (also `dynamic_conv`, whose padding is an operand: pass it) with a
    /// kernel of the given shape.
    pub fn decode(op: Op<'_>, kernel: &[i64]) -> Decoded<Self> {
        let dims = ConvDimensions::decode(op)?;
        let axes = super::axes("dimension_numbers", &dims.kernel_spatial, kernel.len())?;
        let sizes: Vec<i64> = axes.iter().map(|axis| kernel[*axis]).collect();
        let found = Self {
            window: Window::convolution(op, &sizes)?,
            dims,
            feature_groups: int_or(op, "feature_group_count", 1)?,
            batch_groups: int_or(op, "batch_group_count", 1)?,
        };
        for (name, value) in [
            ("feature_group_count", found.feature_groups),
            ("batch_group_count", found.batch_groups),
        ] {
            if value <= 0 {
                return Err(AttrError::new(name, format!("{value} is not positive")));
            }
        }
        Ok(found)
    }
}
