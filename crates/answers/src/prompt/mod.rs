//! The prompt of an answer: what is asked (`wording.rs`), and the sources as far as they are usable (`acceptance.rs`),
//! inert (`inert.rs`) and within the budget (`shelf.rs`). A title counts for the text below it (`titles.rs`).

mod acceptance;
mod inert;
pub(crate) mod language;
mod shelf;
#[cfg(test)]
mod tests;
pub(crate) mod titles;
mod wording;

pub(crate) use acceptance::SEARCH_RESULT;
pub(crate) use inert::{inert, is_invisible, one_line};
pub(crate) use wording::{FOLLOW_UPS, NOT_FOUND};

use acceptance::accepted;
use chrono::NaiveDate;
use domain::answer::SourceMode;
use domain::contracts::{Prompt, Turn};
use domain::notation::markup::readable;
use domain::prompt_record::PromptParts;
use domain::result::ResultItem;
use shelf::Shelf;
use std::borrow::Cow;
use std::time::Duration;

/// A result and the text that stands for it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SourceText {
    pub item: ResultItem,
    pub text: String,
    /// The type of the document: a media type, or words for people.
    pub kind: String,
    pub mode: SourceMode,
}

/// A source that entered the prompt.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PromptSource {
    /// Its place in the prompt, from 1.
    pub n: u32,
    pub source: SourceText,
    /// What really entered the prompt.
    pub passages: String,
}

/// What a prompt is made of.
pub(crate) struct Assemble<'a> {
    /// Without operators.
    pub query: &'a str,
    /// What the user wishes of the answer; may be empty.
    pub instructions: &'a str,
    pub parts: &'a PromptParts,
    pub today: NaiveDate,
    /// Most tokens of the sources, headers and fences included.
    pub budget: usize,
    /// Ask for follow-up questions.
    pub follow_ups: bool,
    /// How the model counts tokens.
    pub count: &'a dyn Fn(&str) -> usize,
    /// The best first.
    pub sources: Vec<SourceText>,
    pub time_max: Duration,
    pub answer_tokens_max: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Assembled {
    pub prompt: Prompt,
    /// Without those that could not be used or found no space.
    pub sources: Vec<PromptSource>,
    pub warnings: Vec<String>,
}

/// The prompt, and what entered it.
pub(crate) fn assemble(wanted: &Assemble<'_>) -> Assembled {
    let mut warnings = Vec::new();
    let mut usable = Vec::new();
    for source in &wanted.sources {
        match accepted(wanted.query, source) {
            Ok(source) => usable.push(source),
            Err(verdict) => warnings.push(left_out(source, verdict.as_str())),
        }
    }
    let mut shelf = Shelf::new(wanted.query, wanted.budget, wanted.count);
    let count = usable.len();
    for (place, source) in usable.iter().enumerate() {
        if !shelf.put(source, count - place) {
            warnings.push(left_out(source, "NO ROOM"));
        }
    }
    let (blocks, sources) = shelf.finish();
    let prompt = Prompt {
        system: wording::system(wanted.today),
        turns: vec![Turn::User(wording::request(wanted, &blocks, sources.len()))],
        tools: Vec::new(),
        answer_tokens_max: wanted.answer_tokens_max,
        time_max: wanted.time_max,
    };
    Assembled { prompt, sources, warnings }
}

/// Longest name of a source in a warning, in characters.
const NAME_CHARS_MAX: usize = 300;

fn left_out(source: &SourceText, status: &str) -> String {
    let item = &source.item;
    let name = if item.url.trim().is_empty() { readable(&item.title) } else { Cow::from(&item.url) };
    format!("{} was not used: {status}.", one_line(&name, NAME_CHARS_MAX))
}
