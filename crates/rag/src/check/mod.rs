//! Checks a generated text: splits off follow-up questions, removes links, images and markup, normalizes citations,
//! and measures how well they support the text.
//!
//! The text may be the result of a prompt injection. So nothing in it becomes a link: citations are the only links,
//! and they lead to the results.

mod citation_syntax;
mod citation_verification;
#[cfg(test)]
mod claims_tests;
mod deep_link;
mod follow_ups;
#[cfg(test)]
mod injection_tests;
mod not_found;
mod other_language;
mod other_script;
mod sanitize;
mod urls;

pub(crate) use citation_syntax::without as without_citations;

use crate::prompt::PromptSource;
use citation_verification::{Quote, SUPPORT_MIN, Support};
use domain::summary::{Disagreement, GroundedSentence, SummarySource};
use not_found::Unmarked;
use sanitize::Sanitized;
use syntax::script_url::is_script_url;
use syntax::strip_html::readable;
use urls::AllowedUrls;

/// Summaries with a smaller share of grounded sentences get a warning.
pub const GROUNDED_MIN: f64 = 0.6;
/// Maximum size of a reply in bytes; the rest is ignored.
pub(crate) const WRITTEN_BYTES_MAX: usize = 256 * 1024;

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Checked {
    /// Markdown without links, images and HTML. `[n]` are citations of `sources`.
    pub body: String,
    pub sources: Vec<SummarySource>,
    pub sentences: Vec<GroundedSentence>,
    /// Share of sentences with enough support; None if no sentence was checked.
    pub grounded: Option<f64>,
    pub follow_ups: Vec<String>,
    pub warnings: Vec<String>,
    /// The model reports that the sources do not contain the answer.
    pub not_found: bool,
    /// Empty until the sources are compared with each other.
    pub disagreements: Vec<Disagreement>,
}

/// Checks a generated text against its sources.
pub(crate) fn check(written: &str, sources: &[PromptSource]) -> Checked {
    let allowed = AllowedUrls::of(sources);
    let split_reply = follow_ups::split(bounded(written));
    let Unmarked { answer, is_not_found: not_found } = not_found::strip_marker(&split_reply.answer);
    let Sanitized { text: mut body, removed } = sanitize::sanitize(&answer, &allowed);
    let mut support = Support::of(sources);
    let mut sentences = support.sentences(&body);
    if not_found {
        not_found::drop_admissions(&mut sentences);
        if body.trim().is_empty() {
            body = not_found::TEXT.to_owned();
        }
    }
    let unchecked = other_language::drop_unchecked(&mut sentences, &body, sources);
    let good = sentences.iter().filter(|one| one.support >= SUPPORT_MIN).count();
    let share = || citation_verification::rounded(good as f64 / sentences.len() as f64);
    let grounded = (!sentences.is_empty()).then(share);
    let mut warnings = removed.warnings();
    if unchecked > 0 {
        warnings.push(other_language::warning(unchecked));
    }
    // Without sources, as in small talk, no support is needed.
    if !sources.is_empty() && grounded.is_some_and(|share| share < GROUNDED_MIN) {
        warnings.push(format!(
            "The cited sources support only {good} of {} sentences of this answer. Check it before \
             you rely on it.",
            sentences.len()
        ));
    }
    let differing = sentences.iter().filter(|one| support.is_differing(&one.text)).count();
    if differing > 0 {
        warnings.push(differing_facts(differing));
    }
    let cited = |n: u32| {
        sentences.iter().any(|one| one.cites.contains(&n)) || citation_syntax::cites(&body).contains(&n)
    };
    let sources = sources.iter().map(|source| {
        let Quote { text, offset } = support.quote(source.n);
        let page = source.page_of(&text, offset);
        answer_source(source, SourceUse { is_cited: cited(source.n), quote: text, page })
    });
    let sources = sources.collect();
    let follow_ups = follow_ups::sanitize(&split_reply.follow_ups, &allowed);
    let disagreements = Vec::new();
    Checked { body, sources, sentences, grounded, follow_ups, warnings, not_found, disagreements }
}

fn differing_facts(count: usize) -> String {
    match count {
        1 => "A sentence of this answer differs from the sources that it cites in a number, a date, a name or a negation. \
              Check it before you rely on it."
            .to_owned(),
        _ => format!(
            "{count} sentences of this answer differ from the sources that they cite in a number, a date, a name or a \
             negation. Check them before you rely on them."
        ),
    }
}

/// The sanitized text alone, as [`check`] returns it; for streaming.
pub(crate) fn sanitized_text(written: &str, sources: &[PromptSource]) -> String {
    let split_reply = follow_ups::split(bounded(written));
    let answer = not_found::strip_marker(&split_reply.answer).answer;
    sanitize::sanitize(&answer, &AllowedUrls::of(sources)).text
}

/// Whether the sanitizer leaves a line unchanged.
pub(crate) fn is_plain(line: &str) -> bool {
    sanitize::sanitize(line, &AllowedUrls::of(&[])).text == line
}

fn bounded(written: &str) -> &str {
    &written[..written.floor_char_boundary(WRITTEN_BYTES_MAX)]
}

/// How an answer uses a source. The default is for an answer that is not written yet.
#[derive(Debug, Default)]
pub(crate) struct SourceUse {
    pub is_cited: bool,
    pub quote: String,
    /// The page of the quote.
    pub page: Option<u32>,
}

pub(crate) fn answer_source(source: &PromptSource, usage: SourceUse) -> SummarySource {
    let SourceUse { is_cited, quote, page } = usage;
    let item = &source.source.item;
    let url = safe_url(&item.url);
    SummarySource {
        n: source.n,
        swirl_id: item.swirl_id,
        title: readable(&item.title).into_owned(),
        url: match page {
            Some(page) => deep_link::to_page(&url, page),
            None => deep_link::to_quote(&url, &source.source.kind, &quote),
        },
        searchprovider: item.searchprovider.clone(),
        cited: is_cited,
        mode: source.source.mode,
        quote,
        page,
        signal_id: item.cache.as_ref().map(|mark| mark.signal_id),
    }
}

/// The URL of a result; empty if opening it could execute code.
fn safe_url(url: &str) -> String {
    if is_script_url(url) { String::new() } else { url.to_owned() }
}

#[cfg(test)]
pub(crate) mod tests;
