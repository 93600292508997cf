//! Packs sources into the prompt within a token budget.

use super::escape::one_line;
use super::input::PromptInput;
use super::source::{PromptSource, SourceText};
use crate::second_reader::PassageRatings;
use domain::rag::WindowMethod;
use domain::result::DATE_UNKNOWN;
use relevancy::Query;
use relevancy::passages::{best_passages, best_rated_passages, count_words};
use syntax::strip_html::readable;
use url::Url;

/// Length of a passage in words.
pub(super) const WINDOW_WORDS: usize = 180;
/// A source of which fewer words fit is left out, unless it is that short.
const WORDS_MIN: usize = 8;
/// Maximum number of words of a source that exceeds its share because its share fits nothing.
const WORDS_BEYOND_SHARE: usize = 40;
const TITLE_CHARS_MAX: usize = 200;
const FIELD_CHARS_MAX: usize = 80;

pub(super) struct ContextPacker<'a> {
    query: &'a Query,
    budget: usize,
    count: &'a dyn Fn(&str) -> usize,
    ratings: Option<&'a PassageRatings>,
    blocks: String,
    sources: Vec<PromptSource>,
}

impl<'a> ContextPacker<'a> {
    pub fn new(query: &'a Query, input: &PromptInput<'a>) -> Self {
        let PromptInput { budget, count, ratings, .. } = *input;
        Self { query, budget, count, ratings, blocks: String::new(), sources: Vec::new() }
    }

    /// Adds as much of a source as fits. `remaining` sources, including this one, share the rest of the budget.
    /// Returns false if nothing fits.
    pub fn try_add(&mut self, source: &SourceText, remaining: usize) -> bool {
        // Token counts are not additive, so the whole text is counted each time.
        let used = if self.blocks.is_empty() { 0 } else { (self.count)(&self.blocks) };
        let share = used + self.budget.saturating_sub(used) / remaining.max(1);
        let needed = count_words(&source.text, WORDS_MIN);
        let mut passages = self.passages(source, share, WINDOW_WORDS, usize::MAX);
        if count_words(&passages, needed) < needed {
            passages = self.passages(source, self.budget, WORDS_BEYOND_SHARE, WORDS_BEYOND_SHARE);
        }
        if needed == 0 || count_words(&passages, needed) < needed {
            return false;
        }
        let with_it = self.with(source, &passages);
        if (self.count)(&with_it) > self.budget {
            return false;
        }
        self.blocks = with_it;
        self.sources.push(PromptSource { n: self.next(), source: source.clone(), passages });
        true
    }

    /// All blocks and their sources.
    pub fn finish(self) -> (String, Vec<PromptSource>) {
        (self.blocks, self.sources)
    }

    fn passages(&self, source: &SourceText, limit: usize, window: usize, words_max: usize) -> String {
        let mut fits = |passages: &str| {
            let is_short = words_max == usize::MAX || count_words(passages, words_max + 1) <= words_max;
            is_short && (self.count)(&self.with(source, passages)) <= limit
        };
        let found = match self.ratings {
            None => best_passages(&source.text, self.query, WindowMethod::TermCount, window, &mut fits),
            Some(ratings) => {
                let rating = |passage: &str| ratings.get(passage).copied();
                best_rated_passages(&source.text, self.query, window, &rating, &mut fits)
            }
        };
        found.trim().to_owned()
    }

    /// All blocks followed by the block of this source.
    fn with(&self, source: &SourceText, passages: &str) -> String {
        let n = self.next();
        let header = header(source);
        format!("{}<source id=\"{n}\">\n[{n}] {header}\n{passages}\n</source>\n", self.blocks)
    }

    fn next(&self) -> u32 {
        u32::try_from(self.sources.len()).unwrap_or(u32::MAX).saturating_add(1)
    }
}

/// Two lines: the title and the origin.
fn header(source: &SourceText) -> String {
    let item = &source.item;
    let host =
        Url::parse(&item.url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    let date = if item.date_published == DATE_UNKNOWN { "" } else { &item.date_published };
    let fields =
        [("Provider", item.searchprovider.as_str()), ("Date", date), ("Host", &host), ("Type", &source.kind)];
    let shown = fields.iter().filter_map(|(name, value)| {
        let value = one_line(value, FIELD_CHARS_MAX);
        (!value.is_empty()).then(|| format!("{name}: {value}"))
    });
    let title = match one_line(&readable(&item.title), TITLE_CHARS_MAX) {
        title if title.is_empty() => "Untitled".to_owned(),
        title => title,
    };
    format!("{title}\n{}", shown.collect::<Vec<_>>().join("; "))
}
