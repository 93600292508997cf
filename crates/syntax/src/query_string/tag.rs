//! The tag of a word: `news` of `news:rates`. This is the only place that tells a tag from the beginning of another word
//! with a colon.

/// Characters that are in no tag.
const IN_NO_TAG: &[char] =
    &[',', ';', '@', '/', '\\', '=', '?', '!', '<', '>', '[', ']', '{', '}', '"', '“', '”', '„', '«', '»'];

/// The tag of a word, and the rest of it behind the colon.
///
/// Words with a colon that have no tag: `10:30`, `2001:db8::1`, `std::vector`, `https://a.example`, `C:\data`,
/// `a@b.example:25`.
pub fn tag_of(word: &str) -> Option<(&str, &str)> {
    word.split_once(':').filter(|(tag, value)| is_tag(tag) && is_value(tag, value))
}

fn is_tag(tag: &str) -> bool {
    tag.contains(char::is_alphanumeric) && !tag.contains(IN_NO_TAG)
}

fn is_value(tag: &str, value: &str) -> bool {
    let continues_word = value.starts_with([':', '\\']) || value.starts_with("//");
    // A time, a ratio or an address; `2024:budget` has a tag.
    let is_number = !tag.contains(char::is_alphabetic)
        && (value.starts_with(char::is_numeric) || value.trim_end_matches(':').contains(':'));
    !continues_word && !is_number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_told_from_other_words_with_a_colon() {
        for (word, expected) in [
            ("news:rates", Some(("news", "rates"))),
            ("news:", Some(("news", ""))),
            ("a:b:c", Some(("a", "b:c"))),
            ("time:10:30", Some(("time", "10:30"))),
            ("समाचार:दर", Some(("समाचार", "दर"))),
            ("my-team_2:x", Some(("my-team_2", "x"))),
            ("3d:printing", Some(("3d", "printing"))),
            ("2024:budget", Some(("2024", "budget"))),
            ("doi:10.1000/182", Some(("doi", "10.1000/182"))),
            ("news:🚀", Some(("news", "🚀"))),
            ("10:30", None),
            ("16:9", None),
            ("3:16-18", None),
            ("2001:db8::1", None),
            ("fe80::1", None),
            ("::1", None),
            ("std::vector", None),
            ("std::", None),
            ("https://a.example/x:y", None),
            ("C:\\data", None),
            ("a@b.example:25", None),
            ("and/or:x", None),
            ("a,b:c", None),
            (":x", None),
            (":-)", None),
            ("rates", None),
        ] {
            assert_eq!(tag_of(word), expected, "{word}");
        }
    }
}
