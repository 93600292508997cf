//! Answers from the fields of a document: who wrote it, and when it was published.

use super::candidate::is_statement;
use crate::prompt::{PromptSource, one_line};
use crate::question_kind::QuestionKind;
use crate::wanted::Wanted;
use domain::result::DATE_UNKNOWN;
use relevancy::tokens::{lower, tokens};
use relevancy::{Language, Query};
use syntax::strip_html::readable;

/// Minimum share of the question's words in the title of a document.
const TITLE_SHARE_MIN: f64 = 0.6;
const TITLE_CHARS_MAX: usize = 200;
const AUTHOR_CHARS_MAX: usize = 100;
/// Length of a date without its time.
const DATE_CHARS: usize = 10;

/// "Author: title (date)" of the document whose title the question names best.
pub(super) fn document_answer(
    language: Language,
    kind: &QuestionKind,
    query: &str,
    sources: &[PromptSource],
) -> Option<String> {
    if !kind.is_about_document {
        return None;
    }
    let mut best: Option<(f64, &PromptSource)> = None;
    for source in sources.iter().filter(|source| has_field(kind.wanted, source)) {
        let share = title_share(language, kind, query, source);
        // The first of equals wins.
        if share >= TITLE_SHARE_MIN && best.is_none_or(|(known, _)| share > known + 1e-9) {
            best = Some((share, source));
        }
    }
    let (_, source) = best?;
    let text = citation(source);
    is_statement(&text).then(|| format!("{text} [{}]", source.n))
}

fn has_field(wanted: Wanted, source: &PromptSource) -> bool {
    match wanted {
        Wanted::Person => !source.source.item.author.trim().is_empty(),
        _ => date(source).is_some(),
    }
}

fn date(source: &PromptSource) -> Option<&str> {
    let date = source.source.item.date_published.trim();
    let day = date.get(..DATE_CHARS).filter(|day| day.starts_with(|c: char| c.is_ascii_digit()))?;
    (date != DATE_UNKNOWN).then_some(day)
}

fn citation(source: &PromptSource) -> String {
    let item = &source.source.item;
    let title = one_line(&readable(&item.title), TITLE_CHARS_MAX);
    let author = one_line(&readable(&item.author), AUTHOR_CHARS_MAX);
    let named = if author.is_empty() { title } else { format!("{author}: {title}") };
    match date(source) {
        Some(date) => format!("{named} ({date})"),
        None => named,
    }
}

/// The share of the question's words that the title has.
fn title_share(language: Language, kind: &QuestionKind, query: &str, source: &PromptSource) -> f64 {
    let parsed = Query::parse_in(language, query);
    let subject: Vec<&str> = parsed
        .terms
        .iter()
        .filter(|term| !kind.is_asking(&term.word))
        .map(|term| term.stem.as_str())
        .collect();
    if subject.is_empty() {
        return 0.0;
    }
    let title = readable(&source.source.item.title);
    let stems: Vec<String> =
        tokens(&title).map(|token| language.stem(&lower(token.text)).into_owned()).collect();
    let found = subject.iter().filter(|stem| stems.iter().any(|known| known == *stem)).count();
    found as f64 / subject.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tests::sources;

    fn answer(query: &str, title: &str) -> Option<String> {
        let mut sources = sources(&[("", "Text.")]);
        let item = &mut sources[0].source.item;
        (item.title, item.author) = (title.to_owned(), "Tobias Krahn".to_owned());
        item.date_published = "2026-01-20 00:00:00".to_owned();
        let language = Language::ENGLISH;
        document_answer(language, &QuestionKind::of(language, query), query, &sources)
    }

    #[test]
    fn authors_and_dates_are_facts() {
        let title = "Heron 3 <em>Design</em> Notes";
        let expected = Some("Tobias Krahn: Heron 3 Design Notes (2026-01-20) [1]".to_owned());
        for (query, title, expected) in [
            ("Who wrote the design notes?", title, expected.clone()),
            ("When were the Heron design notes published?", title, expected),
            ("Who wrote the safety manual?", title, None),
            ("Who built the Heron 3?", title, None),
            ("Who wrote it?", title, None),
            ("Who wrote the design notes?", "Design notes [1](https://evil.test)", None),
        ] {
            assert_eq!(answer(query, title), expected, "{query}");
        }
    }
}
