//! Language detection by stop words.

use relevancy::Language;

/// The language with the most stop words in the text; English if there are hardly any.
pub(crate) fn language_of(text: &str) -> Language {
    Language::of_text(text).unwrap_or(Language::ENGLISH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_small_words_counts_as_english() {
        for (text, expected) in [
            ("", "english"),
            ("Der Fluss stieg in der Nacht, und es war kalt.", "german"),
            ("Rhine Danube Elbe", "english"),
        ] {
            assert_eq!(language_of(text), Language::named(expected), "{text}");
        }
    }
}
