//! Codes such as `RB-171`, which texts also write `RB171` or `RB 171`.

/// Most characters before the first digit.
const PREFIX_MAX: usize = 6;
/// Most characters of a code.
const CHARACTERS_MAX: usize = 32;

/// The other spelling of a word that is a code: `RB171` of `RB-171`, `RB 171` of `RB171`; `None` for other words.
pub fn other_spelling(word: &str) -> Option<String> {
    let prefix = word.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (start, rest) = word.split_at_checked(prefix)?;
    let number = rest.strip_prefix('-');
    let digits = number.unwrap_or(rest);
    let is_code = (1..=PREFIX_MAX).contains(&prefix)
        && !digits.is_empty()
        && word.len() <= CHARACTERS_MAX
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    let gap = if number.is_some() { "" } else { " " };
    is_code.then(|| format!("{start}{gap}{digits}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_two_spellings() {
        let long = format!("A{}", "1".repeat(CHARACTERS_MAX));
        for (word, expected) in [
            ("RB-171", Some("RB171")),
            ("RB171", Some("RB 171")),
            ("v2", Some("v 2")),
            ("solid-state", None),
            ("covid", None),
            ("4711", None),
            ("3d", None),
            ("RB-171-b", None),
            ("RB--171", None),
            ("RB-", None),
            ("channel-4", None),
            ("ß-1", None),
            ("", None),
            (long.as_str(), None),
        ] {
            assert_eq!(other_spelling(word).as_deref(), expected, "{word}");
        }
    }
}
