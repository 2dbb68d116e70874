//! Layouts as people read them, and the names of their axes.

use super::{Layout, Reduction};
use std::fmt;

impl fmt::Display for Reduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reduction::Sum => "sum",
            Reduction::Product => "product",
            Reduction::Min => "min",
            Reduction::Max => "max",
            Reduction::And => "and",
            Reduction::Or => "or",
            Reduction::Xor => "xor",
        })
    }
}

/// The tensor map as people write it: `b,(d,e),None`.
impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = &self.matrix.names;
        let axes: Vec<String> = self
            .matrix
            .sizes
            .iter()
            .zip(names)
            .map(|(s, n)| format!("{n}={s}"))
            .collect();
        let map: Vec<String> = self
            .dims
            .iter()
            .map(|axes| split_text(axes, names))
            .collect();
        write!(f, "({})({})", axes.join(", "), map.join(", "))?;
        for (axis, kind) in &self.partial {
            write!(f, " partial {kind} over {}", names[*axis])?;
        }
        if let Some(ids) = self.device_ids() {
            write!(f, " device_ids {ids:?}")?;
        }
        Ok(())
    }
}

fn split_text(axes: &[usize], names: &[String]) -> String {
    match axes {
        [] => "None".to_owned(),
        [a] => names[*a].clone(),
        _ => format!(
            "({})",
            axes.iter()
                .map(|a| names[*a].as_str())
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }
}

impl Layout {
    /// The axes of a list by name, for messages.
    pub(crate) fn names_of(&self, axes: &[usize]) -> String {
        axes.iter()
            .map(|a| format!("{}={}", self.matrix.names[*a], self.matrix.sizes[*a]))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// The name of a part of an axis: `x:2:4` is the part of size 4 of axis `x` that has parts of
/// product 2 before it (Shardy's `"x":(2)4`).
pub(crate) fn sub_axis_name(axis: &str, before: i64, size: i64) -> String {
    format!("{axis}:{before}:{size}")
}
