//! Texts of limited length.

/// Cuts a text to `chars_max` characters.
pub fn truncate(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut() {
        assert_eq!(truncate("öäü", 3), "öäü");
        assert_eq!(truncate("öä ü", 3), "öä…");
    }
}
