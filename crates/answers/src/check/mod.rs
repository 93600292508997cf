//! What a model wrote, before anyone reads it: its follow-up questions (`follow_ups.rs`), whether it found an answer
//! (`not_found.rs`), its text without links, images and markup (`sink.rs`), its citations (`marks.rs`), and how well they
//! support it (`support.rs`).
//!
//! A text of others may have told the model what to write. So nothing that it writes becomes an address: the citations
//! are the only links, and their addresses are those of the results.

mod addresses;
mod deep_link;
mod follow_ups;
#[cfg(test)]
mod injections;
mod marks;
mod not_found;
mod sink;
mod support;

use crate::prompt::PromptSource;
use addresses::Book;
use domain::answer::{AnswerSource, GroundedSentence};
use domain::notation::markup::readable;
use support::Support;
use url::Url;

/// A sentence with less support is not grounded.
pub(crate) const SUPPORT_MIN: f64 = 0.35;
/// Answers with a smaller share of grounded sentences get a warning.
pub(crate) const GROUNDED_MIN: f64 = 0.6;
/// Longest answer that is read, in bytes.
pub(crate) const WRITTEN_BYTES_MAX: usize = 256 * 1024;

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Checked {
    /// Markdown without links, images and HTML. `[n]` are citations of `sources`.
    pub body: String,
    pub sources: Vec<AnswerSource>,
    pub sentences: Vec<GroundedSentence>,
    /// The share of sentences with enough support.
    pub grounded: f64,
    pub follow_ups: Vec<String>,
    pub warnings: Vec<String>,
    /// The model says that the sources do not contain the answer.
    pub not_found: bool,
}

/// Reads what a model wrote from these sources.
pub(crate) fn check(written: &str, sources: &[PromptSource]) -> Checked {
    let book = Book::of(sources);
    let parted = follow_ups::part(bounded(written));
    let (answer, not_found) = not_found::part(&parted.answer);
    let (mut body, removed) = sink::text(&answer, &book);
    let mut support = Support::of(sources);
    let mut sentences = support.sentences(&body);
    if not_found {
        not_found::excuse(&mut sentences);
        if body.trim().is_empty() {
            body = not_found::TEXT.to_owned();
        }
    }
    let good = sentences.iter().filter(|one| one.support >= SUPPORT_MIN).count();
    let grounded =
        if sentences.is_empty() { 0.0 } else { support::rounded(good as f64 / sentences.len() as f64) };
    let mut warnings = removed.warnings();
    // Words that rest on nothing, as in small talk, need no support.
    if !sources.is_empty() && !sentences.is_empty() && grounded < GROUNDED_MIN {
        warnings.push(format!(
            "Only {good} of {} sentences of this answer are supported by the sources that they cite. Check it before \
             you rely on it.",
            sentences.len()
        ));
    }
    let cited =
        |n: u32| sentences.iter().any(|one| one.cites.contains(&n)) || marks::cites(&body).contains(&n);
    let sources =
        sources.iter().map(|source| answer_source(source, cited(source.n), support.quote(source.n)));
    let sources = sources.collect();
    let follow_ups = follow_ups::cleaned(&parted.follow_ups, &book);
    Checked { body, sources, sentences, grounded, follow_ups, warnings, not_found }
}

/// The text alone, as [`check`] would have it: for who shows an answer while it is written.
pub(crate) fn shown(written: &str, sources: &[PromptSource]) -> String {
    let parted = follow_ups::part(bounded(written));
    sink::text(&not_found::part(&parted.answer).0, &Book::of(sources)).0
}

/// The sink would leave this line as it is.
pub(crate) fn is_plain(line: &str) -> bool {
    sink::text(line, &Book::of(&[])).0 == line
}

fn bounded(written: &str) -> &str {
    &written[..written.floor_char_boundary(WRITTEN_BYTES_MAX)]
}

pub(crate) fn answer_source(source: &PromptSource, cited: bool, quote: String) -> AnswerSource {
    let item = &source.source.item;
    let url = safe_address(&item.url);
    AnswerSource {
        n: source.n,
        swirl_id: item.swirl_id,
        title: readable(&item.title).into_owned(),
        url: deep_link::to_quote(&url, &source.source.kind, &quote),
        searchprovider: item.searchprovider.clone(),
        cited,
        mode: source.source.mode,
        quote,
        signal_id: item.cache.as_ref().map(|mark| mark.signal_id),
    }
}

/// The address of a result; empty if opening it would run something.
fn safe_address(url: &str) -> String {
    const UNSAFE: [&str; 6] = ["javascript", "vbscript", "data", "blob", "about", "view-source"];
    match Url::parse(url) {
        Ok(read) if UNSAFE.contains(&read.scheme()) => String::new(),
        _ => url.to_owned(),
    }
}

#[cfg(test)]
pub(crate) mod tests;
