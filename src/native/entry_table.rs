//! The table of a compiled program's entries that lies in the file itself, for callers that find
//! out at run time what there is to call: JSON text, which ends with a zero byte.

use crate::sizes::Sizes;
use mapwright_codegen::host::Entry;
use mapwright_mlir::TensorType;
use serde_json::{Value, json};

/// The symbol of the table: `PREFIX_entries`, with underscores behind it where an entry has that
/// name.
pub(crate) fn symbol(prefix: &str, entries: &[String]) -> String {
    let mut name = format!("{prefix}_entries");
    while entries.contains(&name) {
        name.push('_');
    }
    name
}

/// The table as `docs/schemas/entries.json` describes it; `sizes` of each entry, where they are
/// known.
pub(crate) fn text(entries: &[Entry], sizes: &[Option<Sizes>]) -> String {
    let entry = |(entry, sizes): (&Entry, &Option<Sizes>)| {
        let sizes = sizes.as_ref();
        json!({
            "name": entry.name,
            "symbol": entry.symbol,
            "arguments": tensors(&entry.inputs, sizes.map(|sizes| &sizes.arguments[..])),
            "results": tensors(&entry.outputs, sizes.map(|sizes| &sizes.results[..])),
            "donated": entry.donated,
        })
    };
    let all: Vec<Value> = entries.iter().zip(sizes).map(entry).collect();
    json!({ "entries": all }).to_string()
}

/// The tensors, with names of those sizes that are known at run time only.
fn tensors(types: &[TensorType], names: Option<&[Vec<Option<String>>]>) -> Vec<Value> {
    let tensor = |(i, ty): (usize, &TensorType)| {
        let shape: Vec<Option<i64>> = ty.dims.iter().map(|dim| dim.fixed()).collect();
        let mut tensor = json!({ "shape": shape, "type": ty.element.to_string() });
        if let (None, Some(names)) = (ty.static_shape(), names.and_then(|names| names.get(i))) {
            tensor["sizes"] = json!(names);
        }
        tensor
    };
    types.iter().enumerate().map(tensor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_of_its_name_keeps_it() {
        let entries = ["m_entries", "m_entries_"].map(str::to_owned);
        assert_eq!(symbol("m", &entries[..0]), "m_entries");
        assert_eq!(symbol("m", &entries), "m_entries__");
    }
}
