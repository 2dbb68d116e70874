//! In which form properties of artifacts stand in StableHLO, and what they are where StableHLO says
//! nothing: a row each.

use std::{collections::HashMap, sync::OnceLock};

/// The form of a property in StableHLO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The attribute that stands for it.
    Plain,
    /// `array<i64: …>` for one-dimensional elements.
    Numbers,
    /// `array<i1: …>` for one-dimensional elements.
    Booleans,
    /// `@name` for a text.
    Symbol,
    /// `[@name, …]` for texts.
    Symbols,
    /// `unit` or nothing for a boolean.
    Unit,
    /// A number of 32 bits for one of some alternatives.
    Number,
}

/// Value of a property where StableHLO has no attribute for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Default {
    /// It always has one.
    None,
    /// `false`.
    False,
    /// A number.
    Number(i64),
    /// One of some alternatives.
    Alternative(u64),
    /// No text.
    Text,
    /// No elements of a list.
    Array,
    /// No entries.
    Dictionary,
    /// No numbers.
    Empty,
    /// No pairs of numbers.
    NoPairs,
    /// A one for each dimension of the windows.
    Ones,
    /// Two zeros for each dimension of the windows.
    Zeros,
    /// `false` for each dimension of the windows.
    Falses,
    /// An accuracy that is not stated.
    Accuracy,
}

/// A row of [`PROPERTIES`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Property {
    pub(super) form: Form,
    pub(super) default: Default,
}

const FORMS: [(&str, Form); 7] = [
    ("plain", Form::Plain),
    ("numbers", Form::Numbers),
    ("booleans", Form::Booleans),
    ("symbol", Form::Symbol),
    ("symbols", Form::Symbols),
    ("unit", Form::Unit),
    ("number", Form::Number),
];

const DEFAULTS: [(&str, Default); 15] = [
    ("-", Default::None),
    ("false", Default::False),
    ("0", Default::Number(0)),
    ("-1", Default::Number(-1)),
    ("#0", Default::Alternative(0)),
    ("#1", Default::Alternative(1)),
    ("\"\"", Default::Text),
    ("[]", Default::Array),
    ("{}", Default::Dictionary),
    ("empty", Default::Empty),
    ("no-pairs", Default::NoPairs),
    ("ones", Default::Ones),
    ("zeros", Default::Zeros),
    ("falses", Default::Falses),
    ("accuracy", Default::Accuracy),
];

/// Properties that are not plain, or that StableHLO may leave out: name, form, what it is
/// otherwise, and, where a name is used for several things, the operations.
const PROPERTIES: &str = r#"
api_version                    number   #1
arg_attrs                      plain    []
backend_config                 plain    ""
base_dilations                 numbers  ones
broadcast_dimensions           numbers  -
broadcast_sizes                numbers  -
called_computations            symbols  []
callee                         symbol   -
compare_type                   plain    #0
composite_attributes           plain    {}
decomposition                  symbol   -
dimension                      plain    -1      sort
dimensions                     numbers  -
edge_padding_high              numbers  -
edge_padding_low               numbers  -
fft_length                     numbers  -
has_dynamic_root               unit     false
has_side_effect                plain    false
indices_are_sorted             plain    false
interior_padding               numbers  -
is_host_transfer               plain    false
is_stable                      plain    false
known_expanding_dimensions     numbers  empty
known_nonexpanding_dimensions  numbers  empty
layout                         plain    []
lhs_dilation                   numbers  ones
limit_indices                  numbers  -
lower                          plain    false   cholesky
operand_layouts                plain    []
output_operand_aliases         plain    []
padding                        plain    zeros
permutation                    numbers  -
precision_config               plain    []
res_attrs                      plain    []
result_accuracy                plain    accuracy
result_layouts                 plain    []
result_tilings                 plain    []
rhs_dilation                   numbers  ones
slice_sizes                    numbers  -
source_target_pairs            plain    no-pairs send recv
start_indices                  numbers  -
strides                        numbers  -
sym_visibility                 plain    ""
unique_indices                 plain    false
use_global_device_ids          unit     false
version                        plain    0       composite
window_dilations               numbers  ones
window_dimensions              numbers  -
window_reversal                booleans falses
window_strides                 numbers  ones
"#;

/// Properties of which StableHLO has both or neither.
pub(super) const LAYOUTS: [&str; 2] = ["operand_layouts", "result_layouts"];

/// Returns the row of a property of an operation of StableHLO, both named without dialects.
pub(super) fn property(operation: &str, name: &str) -> Property {
    type Rows = HashMap<&'static str, (Property, Vec<&'static str>)>;
    static ROWS: OnceLock<Rows> = OnceLock::new();
    let rows = ROWS.get_or_init(|| PROPERTIES.lines().filter_map(row).collect());
    match rows.get(name) {
        Some((property, operations))
            if operations.is_empty() || operations.contains(&operation) =>
        {
            *property
        }
        _ => Property {
            form: Form::Plain,
            default: Default::None,
        },
    }
}

fn row(line: &'static str) -> Option<(&'static str, (Property, Vec<&'static str>))> {
    let mut words = line.split_whitespace();
    let name = words.next()?;
    let (form, default) = (words.next()?, words.next()?);
    let property = Property {
        form: FORMS.iter().find(|(word, _)| *word == form)?.1,
        default: DEFAULTS.iter().find(|(word, _)| *word == default)?.1,
    };
    Some((name, (property, words.collect())))
}

/// An attribute of StableHLO that artifacts have as several properties.
#[derive(Debug)]
pub(super) struct Group {
    /// The operations, without dialect.
    pub(super) operations: &'static [&'static str],
    /// The attribute's name.
    pub(super) attribute: &'static str,
    /// Name in MLIR's text.
    pub(super) mnemonic: &'static str,
    /// The properties in the order of the text, which calls them so, too.
    pub(super) fields: &'static [(&'static str, Part)],
}

/// Type of a part of a [`Group`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Numbers.
    List,
    /// Numbers, which old operations do not have.
    NewList,
    /// A number.
    Number,
    /// A boolean.
    Boolean,
    /// A type; `none` where the whole attribute is absent.
    Type,
}

/// The groups, but for convolutions (see [`super::convolution`]) and channels.
pub(super) const GROUPS: [Group; 4] = [
    Group {
        operations: &["dot_general"],
        attribute: "dot_dimension_numbers",
        mnemonic: "dot",
        fields: &[
            ("lhs_batching_dimensions", Part::List),
            ("rhs_batching_dimensions", Part::List),
            ("lhs_contracting_dimensions", Part::List),
            ("rhs_contracting_dimensions", Part::List),
        ],
    },
    Group {
        operations: &["dot_general"],
        attribute: "algorithm",
        mnemonic: "dot_algorithm",
        fields: &[
            ("lhs_precision_type", Part::Type),
            ("rhs_precision_type", Part::Type),
            ("accumulation_type", Part::Type),
            ("lhs_component_count", Part::Number),
            ("rhs_component_count", Part::Number),
            ("num_primitive_operations", Part::Number),
            ("allow_imprecise_accumulation", Part::Boolean),
        ],
    },
    Group {
        operations: &["gather", "dynamic_gather"],
        attribute: "dimension_numbers",
        mnemonic: "gather",
        fields: &[
            ("offset_dims", Part::List),
            ("collapsed_slice_dims", Part::List),
            ("operand_batching_dims", Part::NewList),
            ("start_indices_batching_dims", Part::NewList),
            ("start_index_map", Part::List),
            ("index_vector_dim", Part::Number),
        ],
    },
    Group {
        operations: &["scatter"],
        attribute: "scatter_dimension_numbers",
        mnemonic: "scatter",
        fields: &[
            ("update_window_dims", Part::List),
            ("inserted_window_dims", Part::List),
            ("input_batching_dims", Part::NewList),
            ("scatter_indices_batching_dims", Part::NewList),
            ("scatter_dims_to_operand_dims", Part::List),
            ("index_vector_dim", Part::Number),
        ],
    },
];

/// Enumerations: the kind, which MLIR's text calls so, too, and the alternatives by number.
pub(super) const ENUMERATIONS: [(&str, &[&str]); 8] = [
    (
        "comparison_direction",
        &["EQ", "NE", "GE", "GT", "LE", "LT"],
    ),
    (
        "comparison_type",
        &["NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"],
    ),
    ("fft_type", &["FFT", "IFFT", "RFFT", "IRFFT"]),
    ("precision", &["DEFAULT", "HIGH", "HIGHEST"]),
    ("rng_algorithm", &["DEFAULT", "THREE_FRY", "PHILOX"]),
    ("rng_distribution", &["", "UNIFORM", "NORMAL"]),
    (
        "transpose",
        &["TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"],
    ),
    ("result_accuracy_mode", &["DEFAULT", "HIGHEST", "TOLERANCE"]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use mapwright_artifact::dialects::operations;

    #[test]
    fn every_row_is_read_and_its_property_exists() {
        let rows: Vec<_> = PROPERTIES.lines().filter(|line| !line.is_empty()).collect();
        let read: Vec<_> = PROPERTIES.lines().filter_map(row).collect();
        assert_eq!(read.len(), rows.len());
        let known = operations::all().flat_map(|one| one.properties.iter());
        let known: Vec<&str> = known.map(|(name, _)| *name).collect();
        for (name, _) in read {
            assert!(known.contains(&name), "no operation has {name}");
        }
        for (name, ..) in GROUPS.iter().flat_map(|group| group.fields) {
            assert!(known.contains(name), "no operation has {name}");
        }
    }
}
