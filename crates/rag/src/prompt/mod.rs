//! Assembles the prompt of a summary from the template and the relevant, escaped sources within the token budget.

mod escape;
mod input;
pub(crate) mod language;
mod packer;
mod relevance_filter;
mod source;
mod template;
#[cfg(test)]
mod tests;
pub(crate) mod titles;

pub(crate) use escape::{escape_text, is_invisible, one_line};
pub(crate) use input::PromptInput;
pub(crate) use relevance_filter::SEARCH_RESULT;
pub(crate) use source::{PromptSource, SourceText};
pub(crate) use template::{FOLLOW_UPS, NOT_FOUND};

use domain::ports::{Prompt, Turn};
use packer::{ContextPacker, WINDOW_WORDS};
use relevance_filter::usable_source;
use relevancy::passages::{best_windows, count_words};
use relevancy::{Language, Query};
use std::borrow::Cow;
use syntax::strip_html::readable;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AssembledPrompt {
    pub prompt: Prompt,
    /// The sources in the prompt; others could not be used or did not fit.
    pub sources: Vec<PromptSource>,
    pub warnings: Vec<String>,
}

/// Assembles the prompt and returns the sources in it.
pub(crate) fn assemble(input: &PromptInput<'_>) -> AssembledPrompt {
    let mut warnings = Vec::new();
    let mut usable = Vec::new();
    for source in &input.sources {
        match usable_source(input.language, input.query, source) {
            Ok(source) => usable.push(source),
            Err(verdict) => warnings.push(left_out(source, verdict.as_str())),
        }
    }
    let query = Query::parse_in(input.language, input.query);
    let mut packer = ContextPacker::new(&query, input);
    let count = usable.len();
    for (place, source) in usable.iter().enumerate() {
        if !packer.try_add(source, count - place) {
            warnings.push(left_out(source, "NO SPACE"));
        }
    }
    let (blocks, sources) = packer.finish();
    let prompt = Prompt {
        system: template::system(input.today),
        turns: vec![Turn::User(template::request(input, &blocks, sources.len()))],
        tools: Vec::new(),
        answer_tokens_max: input.answer_tokens_max,
        time_max: input.time_max,
    };
    AssembledPrompt { prompt, sources, warnings }
}

/// Minimum number of passages of a source among which a choice is made.
const CHOICE_MIN: usize = 2;

/// The passages of long sources among which the second reader chooses: the best by the words of the query, the same
/// number of each source.
pub(crate) fn passages_to_rate(
    language: Language,
    query: &str,
    sources: &[SourceText],
    max: usize,
) -> Vec<String> {
    let usable = sources.iter().filter_map(|source| usable_source(language, query, source).ok());
    let long = usable.filter(|source| count_words(&source.text, WINDOW_WORDS + 1) > WINDOW_WORDS);
    let long: Vec<SourceText> = long.take(max / CHOICE_MIN).collect();
    let each = max / long.len().max(1);
    let query = Query::parse_in(language, query);
    long.iter().flat_map(|source| best_windows(&source.text, &query, WINDOW_WORDS, each)).collect()
}

/// Maximum length of a source name in a warning, in characters.
const NAME_CHARS_MAX: usize = 300;

fn left_out(source: &SourceText, status: &str) -> String {
    let item = &source.item;
    let name = if item.url.trim().is_empty() { readable(&item.title) } else { Cow::from(&item.url) };
    format!("{} was not used: {status}.", one_line(&name, NAME_CHARS_MAX))
}
