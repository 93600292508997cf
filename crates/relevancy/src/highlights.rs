//! Highlights matched words.

use crate::hits::FieldReading;
use crate::query::Query;
use syntax::highlights::{CLOSE, OPEN};

/// The words of a text that are looked up once, and not at each of their occurrences: as many as a number has bits.
const ASKED_ONCE_MAX: usize = u64::BITS as usize;

/// The text with a highlight around each matched token; `None` if there is none. Stopwords are not highlighted, unless
/// the query has nothing else. The reading must be of this very text.
pub fn marked(query: &Query, text: &str, reading: &FieldReading<'_>) -> Option<String> {
    let tells = |word: &str| query.only_stopwords || !query.language.is_stopword(word);
    let words = &reading.hits.words;
    let asked = words.iter().take(ASKED_ONCE_MAX).enumerate();
    let shown = asked.fold(0_u64, |shown, (place, hits)| shown | (u64::from(tells(&hits.word)) << place));
    let is_shown = |word: usize| {
        if word < ASKED_ONCE_MAX { (shown >> word) & 1 != 0 } else { tells(&words[word].word) }
    };
    let tokens = reading.matches.iter().filter(|found| is_shown(found.word));
    let mut out = String::new();
    let mut at = 0;
    for token in tokens.map(|found| &reading.tokens[found.position]) {
        if out.is_empty() {
            out.reserve(text.len() + reading.matches.len() * (OPEN.len() + CLOSE.len()));
        }
        for piece in [&text[at..token.start], OPEN, token.text, CLOSE] {
            out.push_str(piece);
        }
        at = token.end();
    }
    if at == 0 {
        return None;
    }
    out.push_str(&text[at..]);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use proptest::prelude::*;
    use syntax::highlights::unmarked;
    use syntax::strip_html::readable;

    /// Cleans a text from a source.
    fn shown(query: &Query, text: &str) -> String {
        let text = readable(text);
        marked(query, &text, &FieldReading::of(query, &text)).unwrap_or_else(|| text.into_owned())
    }

    #[test]
    fn words_are_marked_on_their_boundaries() {
        let table = [
            ("english", "ai", "AI AIR ai", "<em>AI</em> AIR <em>ai</em>"),
            (
                "english",
                "electric cars",
                "Electric CARS, a car!",
                "<em>Electric</em> <em>CARS</em>, a <em>car</em>!",
            ),
            ("english", "the cars", "the cars", "the <em>cars</em>"),
            ("english", "the who", "The Who", "<em>The</em> <em>Who</em>"),
            ("english", "doe", "a doe does", "a <em>doe</em> does"),
            ("english", "solid", "<b>Solid</b>-state &amp; <em>old</em>", "<em>Solid</em>-state & old"),
            ("english", "script", "&lt;script&gt; is <script>x</script>", "&lt;<em>script</em>> is"),
            ("english", "lt", "1 &lt; 2, a&lt;b, lt", "1 < 2, a&lt;b, <em>lt</em>"),
            ("english", "x", "nothing", "nothing"),
            ("german", "Haus", "Häuser und Hausboot", "<em>Häuser</em> und Hausboot"),
            ("french", "été", "L’ÉTÉ, l'e\u{301}te\u{301}", "<em>L’ÉTÉ</em>, <em>l'e\u{301}te\u{301}</em>"),
            ("french", "eau", "L’eau, l'eau", "<em>L’eau</em>, <em>l'eau</em>"),
            ("english", "東京", "新東京タワー", "新<em>東</em><em>京</em>タワー"),
            ("arabic", "كتاب", "هذا الكتاب", "هذا <em>الكتاب</em>"),
            ("english", "🚀", "go 🚀🚀", "go <em>🚀</em><em>🚀</em>"),
        ];
        for (language, query, text, expected) in table {
            let query = Query::parse_in(Language::named(language), query);
            assert_eq!(shown(&query, text), expected, "{text}");
        }
    }

    #[test]
    fn all_words_of_a_long_query_are_marked() {
        let words: Vec<String> = (0..60).map(|number| format!("term{number}")).collect();
        let query = Query::parse(&format!("{} doe", words.join(" ")));
        let forms = words.iter().flat_map(|word| [word.clone(), format!("{word}s")]);
        let text = format!("{} doe does", forms.collect::<Vec<_>>().join(" "));
        let marked = shown(&query, &text);
        assert_eq!(marked.matches(OPEN).count(), 121);
        assert!(marked.ends_with("<em>doe</em> does"), "{marked}");
    }

    proptest! {
        #[test]
        fn marking_again_changes_nothing_and_marks_go_without_a_trace(
            query in "([a-cä東か🚀]|lt|amp|em|كتاب|été|straße| ){0,6}",
            text in "([a-cäÄ東か\u{3099}\u{301}🚀👩🏽 <>&;'’]|lt|amp|&lt;|&amp;|<em>|</em>|<b>|كتاب|Été|STRASSE|\\PC){0,40}",
        ) {
            for language in ["english", "german", "french", "arabic", "klingon"] {
                let query = Query::parse_in(Language::named(language), &query);
                let once = shown(&query, &text);
                prop_assert_eq!(&shown(&query, &once), &once);
                prop_assert_eq!(unmarked(&once), readable(&text));
                prop_assert_eq!(readable(&once), readable(&text));
            }
        }
    }
}
