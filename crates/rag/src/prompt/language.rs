//! Language detection by stop words.

use relevancy::Language;

/// The language with the most stop words in the text; the usual one if there are hardly any.
pub(crate) fn language_of(text: &str, usual: Language) -> Language {
    Language::of_text(text).unwrap_or(usual)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_small_words_has_the_usual_language() {
        for (text, usual, expected) in [
            ("", "english", "english"),
            ("Der Fluss stieg in der Nacht, und es war kalt.", "english", "german"),
            ("Rhine Danube Elbe", "english", "english"),
            ("Rhine Danube Elbe", "german", "german"),
        ] {
            assert_eq!(language_of(text, Language::named(usual)), Language::named(expected), "{text}");
        }
    }
}
