//! Reading structured attributes from their printed form.
//!
//! A host may have registered its own StableHLO dialect, whose C++ classes we cannot name; what is
//! the same in every host is the text. `#stablehlo.dot<lhs_batching_dimensions = [0], …>` is read
//! as a list of named fields.

/// All integers of a text in order; `?` stands for `None`. Digits that belong to a word (`f32`,
/// `dim1`) do not count.
pub fn integers(text: &str) -> Vec<Option<i64>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        let c = bytes[i];
        let in_word = i > 0 && (bytes[i - 1].is_ascii_alphanumeric() || bytes[i - 1] == b'_');
        if c == b'?' {
            found.push(None);
            i += 1;
        } else if c.is_ascii_digit() && !in_word {
            let start = i - usize::from(i > 0 && bytes[i - 1] == b'-');
            while i < bytes.len() && bytes[i].is_ascii_digit() {
                i += 1;
            }
            found.push(text[start..i].parse().ok());
        } else {
            i += 1;
        }
    }
    found
}

/// The value of the field `name` in a text such as `#d.attr<a = [1, 2], b = 3>`: everything after
/// `name =` up to the next comma or closing bracket of the same depth, trimmed. `None` if there is
/// no such field.
pub fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut from = 0;
    loop {
        let at = from + text[from..].find(name)?;
        from = at + name.len();
        let bounded = at == 0 || !is_word(text.as_bytes()[at - 1]);
        let rest = text[from..].trim_start();
        if bounded && rest.starts_with('=') && !rest.starts_with("==") {
            return Some(balanced(rest[1..].trim_start()));
        }
    }
}

fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_'
}

/// The longest prefix without a comma or an unmatched closing bracket at depth 0.
fn balanced(text: &str) -> &str {
    let (mut depth, mut quoted, mut previous) = (0i32, false, ' ');
    for (i, c) in text.char_indices() {
        match c {
            '"' if previous != '\\' => quoted = !quoted,
            _ if quoted => {}
            '[' | '(' | '<' | '{' => depth += 1,
            '>' if previous == '-' => {}
            ']' | ')' | '>' | '}' if depth == 0 => return text[..i].trim_end(),
            ']' | ')' | '>' | '}' => depth -= 1,
            ',' if depth == 0 => return text[..i].trim_end(),
            _ => {}
        }
        previous = c;
    }
    text.trim_end()
}

/// The elements of a list in brackets, or of what follows its opening bracket.
pub fn items(list: &str) -> Vec<&str> {
    let mut rest = list.strip_prefix('[').unwrap_or(list).trim_start();
    let mut found = Vec::new();
    loop {
        let item = balanced(rest);
        if !item.is_empty() {
            found.push(item);
        }
        match rest[item.len()..].trim_start().strip_prefix(',') {
            Some(behind) => rest = behind.trim_start(),
            None => return found,
        }
    }
}

/// The integers of field `name`; empty if there is no such field.
pub fn integer_list(text: &str, name: &str) -> Vec<i64> {
    field(text, name)
        .map(|value| integers(value).into_iter().flatten().collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_at_word_boundaries() {
        let dot = "#stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1, -2], x = 5>";
        assert_eq!(integer_list(dot, "lhs_batching_dimensions"), [0]);
        assert_eq!(integer_list(dot, "rhs_batching_dimensions"), [1, -2]);
        assert_eq!(integer_list(dot, "batching_dimensions"), [0i64; 0]);
        assert_eq!(field(dot, "x"), Some("5"));
        assert_eq!(field(dot, "y"), None);
    }

    #[test]
    fn items_are_separated_at_depth_zero() {
        assert_eq!(
            items("[<a = [1, 2]>, \"x, ]\"=2 , 5], rest"),
            ["<a = [1, 2]>", "\"x, ]\"=2", "5"]
        );
        assert_eq!(items("[]"), [""; 0]);
    }

    #[test]
    fn integers_skip_words() {
        assert_eq!(
            integers("#stablehlo.bounds<6, ?, -1> f32"),
            [Some(6), None, Some(-1)]
        );
    }
}
