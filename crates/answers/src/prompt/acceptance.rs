//! Which texts may enter a prompt: long enough, and about what was asked.

use super::SourceText;
use super::inert::inert;
use super::language::language_of;
use domain::answer::SourceMode;
use domain::notation::markup::readable;
use domain::rag::WindowMethod;
use relevancy::passages::best_window;
use relevancy::reader::embed;
use relevancy::tokens::{lower, tokens};
use relevancy::{Language, Query};

/// The type of a document of which only the result itself is known.
pub(crate) const SEARCH_RESULT: &str = "Search Result";
/// A text has so many words more than the query.
const WORDS_MORE_MIN: usize = 5;
/// Words of the window that may speak of what was asked in other words.
const WINDOW_WORDS: usize = 180;
/// So near a window has to be if it has none of the query's words.
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

/// The source with its text made inert, or with the result's own text where the document's is of no use.
pub(super) fn accepted(query: &str, source: &SourceText) -> Result<SourceText, Verdict> {
    let own = match source.mode {
        SourceMode::Snippet => inert(&readable(&source.text)),
        SourceMode::Page | SourceMode::Cache => inert(&source.text),
    };
    let first = verdict(query, &own);
    if first == Verdict::Ok {
        return Ok(SourceText { text: own, ..source.clone() });
    }
    let snippet = inert(&readable(&source.item.body));
    match verdict(query, &snippet) {
        Verdict::Ok => Ok(SourceText {
            text: snippet,
            kind: SEARCH_RESULT.to_owned(),
            mode: SourceMode::Snippet,
            item: source.item.clone(),
        }),
        _ if snippet.is_empty() => Err(first),
        second => Err(second),
    }
}

/// Whether a text says enough about a query.
fn verdict(query: &str, text: &str) -> Verdict {
    let asked = tokens(query).count();
    let needed = asked + WORDS_MORE_MIN;
    if tokens(text).take(needed).count() < needed {
        return Verdict::TooShort;
    }
    let mut languages = vec![Language::ENGLISH, language_of(text)];
    languages.dedup();
    let queries: Vec<Query> =
        languages.into_iter().map(|language| Query::parse_in(language, query)).collect();
    let says_nothing = |query: &Query| query.terms.is_empty() || query.only_stopwords;
    if queries.iter().any(says_nothing)
        || queries.iter().any(|query| has_term(query, text))
        || is_near(query, text)
    {
        return Verdict::Ok;
    }
    Verdict::NoTerms
}

fn has_term(query: &Query, text: &str) -> bool {
    tokens(text).any(|token| query.may_match(token.text) && query.find(&lower(token.text)).is_some())
}

/// A part of the text is about what was asked, in other words.
fn is_near(query: &str, text: &str) -> bool {
    let window = best_window(text, query, WindowMethod::TermVector, WINDOW_WORDS);
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
            // Stopwords alone ask for nothing that could be missing.
            ("the who", "Nothing here has any of those two words in its text.", Verdict::Ok),
            ("", long, Verdict::Ok),
            // Other words, the same matter.
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
            assert_eq!(verdict(query, text), expected, "{query}: {text}");
        }
    }

    #[test]
    fn a_page_of_no_use_is_replaced_by_its_result() {
        let snippet = "The <em>river</em> rose by two metres in one night.";
        let good = "Long page text about the river, its water, its banks and its bridges.";
        let source = |text: &str, body: &str, mode| SourceText {
            item: ResultItem { body: body.to_owned(), ..ResultItem::default() },
            text: text.to_owned(),
            kind: "text/html".to_owned(),
            mode,
        };
        let page = accepted("river", &source(good, snippet, SourceMode::Page)).unwrap();
        assert_eq!(
            (page.text.as_str(), page.mode, page.kind.as_str()),
            (good, SourceMode::Page, "text/html")
        );
        for bad in ["", "Please sign in.", "All about quantum chromodynamics and the gluons that it has."] {
            let kept = accepted("river", &source(bad, snippet, SourceMode::Page)).unwrap();
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
                accepted("river", &source(text, body, SourceMode::Page)),
                Err(verdict),
                "{text} {body}"
            );
        }
    }
}
