//! Title of a chat from its first message.

/// Maximum length of the title in characters.
const CHARS_MAX: usize = 60;

/// The first line of a message, truncated at a word.
pub(super) fn title_of_message(message: &str) -> String {
    let line = message.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= CHARS_MAX {
        return line;
    }
    let cut: String = line.chars().take(CHARS_MAX - 1).collect();
    let whole_words = cut.rsplit_once(' ').map_or(cut.as_str(), |(words, _)| words);
    format!("{whole_words}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_message() {
        let long = "word ".repeat(30);
        let endless = "x".repeat(100);
        let cases = [
            ("Who owns the dam?", "Who owns the dam?".to_owned()),
            ("\n  two   words\nmore", "two words".to_owned()),
            (long.as_str(), format!("{}…", ["word"; 11].join(" "))),
            (endless.as_str(), format!("{}…", "x".repeat(CHARS_MAX - 1))),
            ("  ", String::new()),
        ];
        for (message, expected) in cases {
            let title = title_of_message(message);
            assert_eq!(title, expected);
            assert!(title.chars().count() <= CHARS_MAX);
        }
    }
}
