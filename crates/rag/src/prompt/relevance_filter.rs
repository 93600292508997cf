//! Filters texts that are too short or not relevant to the query.

use super::escape::escape_text;
use super::language::language_of;
use super::source::SourceText;
use super::titles::TitleMatch;
use domain::page_starts::PageStarts;
use domain::rag::WindowMethod;
use domain::summary::SourceMode;
use relevancy::embedder::embed;
use relevancy::passages::best_window;
use relevancy::tokens::{lower, tokens};
use relevancy::{Language, Query};
use syntax::strip_html::{decode_entities, readable};

/// The type of a source whose text is only the result itself.
pub(crate) const SEARCH_RESULT: &str = "Search Result";
/// Minimum number of words beyond those of the query.
const WORDS_MORE_MIN: usize = 5;
/// Length in words of the window that is compared by meaning.
const WINDOW_WORDS: usize = 180;
/// Minimum cosine similarity of a window without query terms.
const COSINE_MIN: f32 = 0.5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Ok,
    TooShort,
    NoTerms,
}

impl Verdict {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::TooShort => "TOO SHORT",
            Self::NoTerms => "NO TERMS",
        }
    }
}

/// The source with its escaped text, or with the text of the result if that of the document is of no use.
pub(super) fn usable_source(
    language: Language,
    query: &str,
    source: &SourceText,
) -> Result<SourceText, Verdict> {
    let own = escape_text(&source.text);
    let first = verdict(language, query, &own);
    let with_own = |own: String| {
        let page_starts = source.page_starts.in_changed_text(&source.text, &own, escape_text);
        SourceText { text: own, page_starts, ..source.clone() }
    };
    if first == Verdict::Ok {
        return Ok(with_own(own));
    }
    let snippet = escape_text(&decode_entities(&readable(&source.item.body)));
    let second = verdict(language, query, &snippet);
    // A title that matches the query makes its text relevant. The text of the result certainly belongs to it.
    let is_titled = |text: &str| is_titled(language_of(text, language), query, source);
    if second == Verdict::Ok || (second == Verdict::NoTerms && is_titled(&snippet)) {
        return Ok(SourceText {
            text: snippet,
            page_starts: PageStarts::default(),
            kind: SEARCH_RESULT.to_owned(),
            mode: SourceMode::Snippet,
            item: source.item.clone(),
        });
    }
    if first == Verdict::NoTerms && is_titled(&own) {
        return Ok(with_own(own));
    }
    Err(if snippet.is_empty() { first } else { second })
}

fn is_titled(language: Language, query: &str, source: &SourceText) -> bool {
    TitleMatch::of(language, query, &source.item).is_about_the_query()
}

/// Whether a text is long and relevant enough for a query in this language.
fn verdict(language: Language, query: &str, text: &str) -> Verdict {
    let asked = tokens(query).count();
    let needed = asked + WORDS_MORE_MIN;
    if tokens(text).take(needed).count() < needed {
        return Verdict::TooShort;
    }
    let mut languages = vec![language, language_of(text, language)];
    languages.dedup();
    let queries: Vec<Query> =
        languages.into_iter().map(|language| Query::parse_in(language, query)).collect();
    let says_nothing = |query: &Query| query.terms.is_empty() || query.only_stopwords;
    if queries.iter().any(says_nothing)
        || queries.iter().any(|query| has_term(query, text))
        || is_near(language, query, text)
    {
        return Verdict::Ok;
    }
    Verdict::NoTerms
}

fn has_term(query: &Query, text: &str) -> bool {
    tokens(text).any(|token| query.may_match(token.text) && query.find(&lower(token.text)).is_some())
}

/// Whether a part of the text is about the query in other words.
fn is_near(language: Language, query: &str, text: &str) -> bool {
    let window = best_window(text, &Query::parse_in(language, query), WindowMethod::TermVector, WINDOW_WORDS);
    window.is_some_and(|window| embed(&window).cosine(&embed(query)) >= COSINE_MIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::result::ResultItem;

    #[test]
    fn texts_are_judged() {
        let long = "The rivers rose in the night, and the town was not ready for it at all.";
        for (query, text, expected) in [
            ("river", long, Verdict::Ok),
            ("river", "The rivers rose that night here", Verdict::Ok),
            ("river", "The rivers rose that night", Verdict::TooShort),
            ("what did the river do", "The rivers rose in the night and so on", Verdict::TooShort),
            ("river", "", Verdict::TooShort),
            ("quantum chromodynamics", long, Verdict::NoTerms),
            // A query of stop words matches everything.
            ("the who", "Nothing here has any of those two words in its text.", Verdict::Ok),
            ("", long, Verdict::Ok),
            // Other words, same meaning.
            (
                "automobile",
                "A car is a motor vehicle with wheels; most cars run on roads and seat people.",
                Verdict::Ok,
            ),
            (
                "Haus am See",
                "Die Häuser der Stadt sind alt, und es ist nicht leicht, sie zu erhalten und zu heizen.",
                Verdict::Ok,
            ),
        ] {
            assert_eq!(verdict(Language::ENGLISH, query, text), expected, "{query}: {text}");
        }
    }

    #[test]
    fn a_page_of_no_use_is_replaced_by_its_result() {
        let snippet = "The <em>river</em> rose by two metres in one night.";
        let good = "Long page text about the river, its water, its banks and its bridges.";
        let source = |text: &str, body: &str, mode| SourceText {
            item: ResultItem { body: body.to_owned(), ..ResultItem::default() },
            text: text.to_owned(),
            page_starts: PageStarts::default(),
            kind: "text/html".to_owned(),
            mode,
        };
        let page =
            usable_source(Language::ENGLISH, "river", &source(good, snippet, SourceMode::Page)).unwrap();
        assert_eq!(
            (page.text.as_str(), page.mode, page.kind.as_str()),
            (good, SourceMode::Page, "text/html")
        );
        for bad in ["", "Please sign in.", "All about quantum chromodynamics and the gluons that it has."] {
            let kept =
                usable_source(Language::ENGLISH, "river", &source(bad, snippet, SourceMode::Page)).unwrap();
            let expected = "The river rose by two metres in one night.";
            assert_eq!((kept.text.as_str(), kept.mode), (expected, SourceMode::Snippet));
            assert_eq!(kept.kind, SEARCH_RESULT);
        }
        let other = "Nothing of that kind in this result, whatever you look for.";
        for (text, body, verdict) in [
            ("Please sign in.", "Short.", Verdict::TooShort),
            ("Please sign in.", "", Verdict::TooShort),
            ("Please sign in.", other, Verdict::NoTerms),
            (other, "", Verdict::NoTerms),
        ] {
            assert_eq!(
                usable_source(Language::ENGLISH, "river", &source(text, body, SourceMode::Page)),
                Err(verdict),
                "{text} {body}"
            );
        }
    }

    /// They have no markup any more: what looks like it is about markup.
    #[test]
    fn texts_lose_their_markup_once() {
        let text = "Put the <script> tag of your river before </body>, and not in its head.";
        let saved = "Put the &lt;script> tag of your <em>river</em> before &lt;/body>, and not in its head.";
        let expected = "Put the ‹script> tag of your river before ‹/body>, and not in its head.";
        for (text, mode) in
            [(text, SourceMode::Snippet), (text, SourceMode::Page), ("Sign in.", SourceMode::Page)]
        {
            let source = SourceText {
                item: ResultItem { body: saved.to_owned(), ..ResultItem::default() },
                text: text.to_owned(),
                page_starts: PageStarts::default(),
                kind: "text/html".to_owned(),
                mode,
            };
            let used = usable_source(Language::ENGLISH, "river", &source).unwrap();
            assert_eq!(used.text, expected, "{text} {mode:?}");
        }
    }

    #[test]
    fn a_title_speaks_for_its_text() {
        let other = "Nothing of that kind stands in this text, whatever you look for.";
        let another = "This one says nothing of it either, in quite other words than that.";
        let river = "The river rose by two metres in one night.";
        for (title, text, body, expected) in [
            ("The <em>river</em> at night", other, "", Ok((other, SourceMode::Page))),
            ("The river at night", other, another, Ok((another, SourceMode::Snippet))),
            ("The river at night", other, river, Ok((river, SourceMode::Snippet))),
            ("The river at night", river, another, Ok((river, SourceMode::Page))),
            ("The river at night", "Please sign in.", "", Err(Verdict::TooShort)),
            ("The night", other, another, Err(Verdict::NoTerms)),
        ] {
            let source = SourceText {
                item: ResultItem { title: title.to_owned(), body: body.to_owned(), ..ResultItem::default() },
                text: text.to_owned(),
                page_starts: PageStarts::default(),
                kind: "text/html".to_owned(),
                mode: SourceMode::Page,
            };
            let found =
                usable_source(Language::ENGLISH, "river", &source).map(|found| (found.text, found.mode));
            let expected = expected.map(|(text, mode)| (text.to_owned(), mode));
            assert_eq!(found, expected, "{title}: {text} {body}");
        }
    }

    #[test]
    fn escaping_keeps_the_pages_of_a_text() {
        let first = "The river [1] rose in the night, and <b>nobody</b> was ready for it.";
        let pages = |text: &str, offsets: Vec<u32>| {
            let source = SourceText {
                item: ResultItem::default(),
                text: text.to_owned(),
                page_starts: PageStarts::checked(offsets, text).unwrap(),
                kind: "PDF".to_owned(),
                mode: SourceMode::Page,
            };
            usable_source(Language::ENGLISH, "river", &source).unwrap()
        };
        let second = first.len() as u32 + 2;
        let usable = pages(&format!("{first}\n\nThe second page."), vec![0, second]);
        assert!(usable.text.starts_with("The river (1) rose"), "{}", usable.text);
        let at = usable.text.find("The second").unwrap();
        assert_eq!((usable.page_starts.page_at(at - 1), usable.page_starts.page_at(at)), (Some(1), Some(2)));
        // A mark that reaches over the end of a page is escaped all the same; the pages are then unknown.
        let usable = pages(&format!("{first} [\n\n7] is next."), vec![0, second + 2]);
        assert!(usable.text.contains("(7)"), "{}", usable.text);
        assert!(usable.page_starts.is_empty());
    }
}
