//! Enumerations: `#stablehlo<comparison_direction NE>`, `#stablehlo.comparison_direction<NE>`, or
//! the string `"NE"`.

use super::{AttrError, Decoded};
use mapwright_mlir::{Attr, Op, attr};

/// The word of an enumeration attribute in any of its forms; `None` where the attribute is absent.
pub fn enumeration(op: Op<'_>, name: &str) -> Option<String> {
    op.attribute(name).map(enumerator)
}

/// The word of an enumeration attribute in any of its forms.
pub fn enumerator(attribute: Attr<'_>) -> String {
    attr::string(attribute).unwrap_or_else(|| word(&attribute.to_string()))
}

/// The last word of a text.
fn word(text: &str) -> String {
    text.trim_end_matches(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .next()
        .unwrap_or_default()
        .to_owned()
}

macro_rules! enumeration {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$vdoc])* #[doc = $text] $variant),* }

        impl $name {
            /// Reads the specification's spelling.
            pub fn from_name(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)* _ => None }
            }

            /// The specification's spelling.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }

            fn decode(attribute: &str, text: &str) -> Decoded<Self> {
                Self::from_name(text).ok_or_else(|| {
                    let known: &[&str] = &[$($text),*];
                    AttrError::new(attribute, format!("`{text}` is not one of {}", known.join(", ")))
                })
            }
        }
    };
}

enumeration! {
    /// Direction of a `compare`.
    ComparisonDirection { Eq = "EQ", Ne = "NE", Ge = "GE", Gt = "GT", Le = "LE", Lt = "LT" }
}
enumeration! {
    /// Type as which `compare` compares its operands.
    ComparisonType { NoType = "NOTYPE", Float = "FLOAT", TotalOrder = "TOTALORDER", Signed = "SIGNED", Unsigned = "UNSIGNED" }
}
enumeration! {
    /// Kind of a Fourier transform.
    FftType { Fft = "FFT", Ifft = "IFFT", Rfft = "RFFT", Irfft = "IRFFT" }
}
enumeration! {
    /// Form in which `triangular_solve` uses its matrix.
    Transpose { NoTranspose = "NO_TRANSPOSE", Transpose = "TRANSPOSE", Adjoint = "ADJOINT" }
}
enumeration! {
    /// Precision of a contraction.
    Precision { Default = "DEFAULT", High = "HIGH", Highest = "HIGHEST" }
}

/// `comparison_direction` of `compare` (required).
pub fn comparison_direction(op: Op<'_>) -> Decoded<ComparisonDirection> {
    let name = "comparison_direction";
    let text = enumeration(op, name).ok_or_else(|| AttrError::new(name, "is missing"))?;
    ComparisonDirection::decode(name, &text)
}

/// `compare_type` of `compare`; `None` where absent or `NOTYPE`.
pub fn comparison_type(op: Op<'_>) -> Decoded<Option<ComparisonType>> {
    let name = "compare_type";
    match enumeration(op, name) {
        None => Ok(None),
        Some(text) => ComparisonType::decode(name, &text)
            .map(|t| Some(t).filter(|t| *t != ComparisonType::NoType)),
    }
}

/// `fft_type` of `fft` (required).
pub fn fft_type(op: Op<'_>) -> Decoded<FftType> {
    let name = "fft_type";
    let text = enumeration(op, name).ok_or_else(|| AttrError::new(name, "is missing"))?;
    FftType::decode(name, &text)
}

/// `transpose_a` of `triangular_solve`; `NO_TRANSPOSE` where absent.
pub fn transpose_a(op: Op<'_>) -> Decoded<Transpose> {
    let name = "transpose_a";
    match enumeration(op, name) {
        None => Ok(Transpose::NoTranspose),
        Some(text) => Transpose::decode(name, &text),
    }
}

/// `precision_config`: one for each operand, or one for both; `DEFAULT` where absent.
pub fn precision_config(op: Op<'_>) -> Decoded<[Precision; 2]> {
    let name = "precision_config";
    let mut found = [Precision::Default; 2];
    let Some(attribute) = op.attribute(name) else {
        return Ok(found);
    };
    let items = attr::array(attribute).ok_or_else(|| AttrError::new(name, "is not a list"))?;
    if items.len() > 2 {
        return Err(AttrError::new(name, "has more than two elements"));
    }
    for (slot, item) in found.iter_mut().zip(&items) {
        let text = attr::string(*item).unwrap_or_else(|| word(&item.to_string()));
        *slot = Precision::decode(name, &text)?;
    }
    if items.len() == 1 {
        found[1] = found[0];
    }
    Ok(found)
}
enumeration! {
    /// Operation by which `tarray.index_update` changes an element.
    Update { Add = "add", Max = "max", Min = "min", Mul = "mul", Set = "set" }
}
enumeration! {
    /// Operation by which `tarray.gather` and `tarray.scatter` combine several elements.
    Pool { Max = "max", Min = "min", Mean = "mean", Sum = "sum" }
}
enumeration! {
    /// The order in which `tarray.scan` goes through elements.
    Order { Forward = "forward", Backward = "backward" }
}

/// Kind of update of a `tarray.index_update`.
pub fn update(op: Op<'_>) -> Decoded<Update> {
    let text = enumeration(op, "update").unwrap_or_default();
    Update::decode("update", &text)
}

/// Pooling of a `tarray.gather` or `tarray.scatter`; `None` for the plain forms.
pub fn pool(op: Op<'_>) -> Decoded<Option<Pool>> {
    enumeration(op, "pool")
        .map(|text| Pool::decode("pool", &text))
        .transpose()
}

/// The order of `tarray.scan`; `None` where it is missing.
pub fn order(op: Op<'_>) -> Decoded<Option<Order>> {
    enumeration(op, "order")
        .map(|text| Order::decode("order", &text))
        .transpose()
}

/// Whether `tarray.meshgrid` exchanges the first two dimensions.
pub fn is_xy(op: Op<'_>) -> bool {
    enumeration(op, "order").as_deref() == Some("xy")
}
