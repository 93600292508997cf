//! Splitting that respects brackets: a comma inside `['a,b']` does not separate.

/// The first of these separators outside brackets.
pub fn find_top(text: &str, separators: &[char]) -> Option<usize> {
    let mut chars = text.char_indices();
    let mut in_brackets = false;
    while let Some((index, c)) = chars.next() {
        match c {
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            '\'' | '"' if in_brackets => skip_quoted(&mut chars, c),
            _ if !in_brackets && separators.contains(&c) => return Some(index),
            _ => {}
        }
    }
    None
}

/// The pieces between separators outside brackets, trimmed; empty ones are omitted.
pub fn split_top(text: &str, separator: char) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    loop {
        let end = find_top(rest, &[separator]);
        let piece = rest[..end.unwrap_or(rest.len())].trim();
        if !piece.is_empty() {
            pieces.push(piece);
        }
        match end {
            Some(end) => rest = &rest[end + separator.len_utf8()..],
            None => return pieces,
        }
    }
}

fn skip_quoted(chars: &mut std::str::CharIndices<'_>, quote: char) {
    while let Some((_, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == quote {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_hold_together() {
        let cases: [(&str, &[&str]); 5] = [
            ("a, b,,c ", &["a", "b", "c"]),
            ("a['x,y'],b", &["a['x,y']", "b"]),
            (r"a['it\'s,ok'],b", &[r"a['it\'s,ok']", "b"]),
            ("a[open,b", &["a[open,b"]),
            ("it's,b", &["it's", "b"]),
        ];
        for (text, want) in cases {
            assert_eq!(split_top(text, ','), want, "{text}");
        }
    }
}
