//! The dimensions of convolutions: `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.

use super::Result;

/// The three tensors: how their properties begin, and the two dimensions that are not spatial, with
/// their letters.
pub(super) const TENSORS: [(&str, [(&str, &str); 2]); 3] = [
    ("input", [("batch", "b"), ("feature", "f")]),
    ("kernel", [("input_feature", "i"), ("output_feature", "o")]),
    ("output", [("batch", "b"), ("feature", "f")]),
];

/// The text of a tensor: `lettered` has places and letters, `spatial` the places of the spatial
/// dimensions.
pub(super) fn text(lettered: [(i64, &str); 2], spatial: &[i64]) -> Result<String> {
    let numbered = spatial.iter().enumerate();
    let numbered = numbered.map(|(i, place)| (*place, i.to_string()));
    let lettered = lettered.map(|(place, letter)| (place, letter.to_owned()));
    let mut words: Vec<Option<String>> = vec![None; spatial.len() + 2];
    for (place, word) in lettered.into_iter().chain(numbered) {
        let slot = usize::try_from(place).ok().and_then(|i| words.get_mut(i));
        match slot {
            Some(slot @ None) => *slot = Some(word),
            _ => {
                return Err(format!(
                    "dimension {place} of a convolution is none, or meant twice"
                ));
            }
        }
    }
    let words: Vec<String> = words.into_iter().flatten().collect();
    Ok(format!("[{}]", words.join(", ")))
}

/// The words of one of the three tensors in the text of the attribute.
pub(super) fn words(text: &str, tensor: usize) -> Vec<&str> {
    let list = text.split('[').nth(tensor + 1).unwrap_or_default();
    let list = list.split(']').next().unwrap_or_default();
    list.split(',').map(str::trim).collect()
}

/// The places of the spatial dimensions, in their order.
pub(super) fn spatial(words: &[&str]) -> Vec<i64> {
    let numbered = words.iter().enumerate();
    let numbered =
        numbered.filter_map(|(place, word)| Some((word.parse::<u64>().ok()?, place as i64)));
    let mut numbered: Vec<_> = numbered.collect();
    numbered.sort_unstable();
    numbered.into_iter().map(|(_, place)| place).collect()
}
