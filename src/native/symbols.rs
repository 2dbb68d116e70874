//! Names of a file's entry points: identifiers of C, whatever the functions of the program are
//! called.

use std::collections::BTreeSet;

/// The characters of `name` that an identifier of C can have, others as `_`; it begins with no
/// digit.
pub fn identifier(name: &str) -> String {
    let mut found: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    if found.is_empty() || found.starts_with(|c: char| c.is_ascii_digit()) {
        found.insert(0, '_');
    }
    found
}

/// `PREFIX_NAME` for each of `names`, in order. Two names that become one identifier are told apart
/// by a number behind the second.
pub(crate) fn entries(prefix: &str, names: &[String]) -> Vec<String> {
    // A name that needs no change keeps its identifier.
    let mut taken: BTreeSet<String> = names
        .iter()
        .filter(|name| identifier(name) == **name)
        .cloned()
        .collect();
    names
        .iter()
        .map(|name| {
            let plain = identifier(name);
            if plain == *name {
                return format!("{prefix}_{plain}");
            }
            let mut unique = plain.clone();
            let mut number = 2;
            while !taken.insert(unique.clone()) {
                unique = format!("{plain}_{number}");
                number += 1;
            }
            format!("{prefix}_{unique}")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers_of_their_own() {
        let names = ["a.b", "a_b", "a-b", "a b", "main", "1x", "*/", ""].map(str::to_owned);
        assert_eq!(
            entries("m", &names),
            [
                "m_a_b_2", "m_a_b", "m_a_b_3", "m_a_b_4", "m_main", "m__1x", "m___", "m__"
            ]
        );
        assert_eq!(identifier("resnet-50"), "resnet_50");
        assert_eq!(identifier("3d"), "_3d");
    }
}
