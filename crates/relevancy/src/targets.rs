//! The parts of a query that are compared with a text: the whole query, its phrases, word pairs and words. Each is
//! compared with the words around its occurrences.

use crate::config::ScoringConfig;
use crate::embedder::{Embedding, Sum, TOKENS_MAX, TokenSpans};
use crate::hits::FieldReading;
use crate::query::Query;
use crate::query_parts::{QueryParts, Target, is_digit};
use crate::sentences::sentences;
use crate::tokens::{Token, lower};
use std::ops::Range;
use std::sync::Arc;

/// Most matched tokens of a field that are checked for targets.
pub const MATCHES_MAX: usize = 512;

/// The similarity of a query and a field if one of them is unknown to the embedding model.
const UNKNOWN_FIELD: f64 = 0.3 + 1.0 / 3.0;
/// The similarity of a target and the words around it if those words are unknown.
const UNKNOWN_WINDOW: f64 = 0.31 + 1.0 / 3.0;
/// The similarity of a target and the words around it if the target is unknown.
const UNKNOWN_TARGET: f64 = 0.32 + 1.0 / 3.0;

/// A query prepared for comparison with many results.
#[derive(Debug, Clone)]
pub struct MatchTargets<'q> {
    pub query: &'q Query,
    pub config: &'q ScoringConfig,
    parts: Arc<QueryParts>,
}

/// The embedding of a field and its similarity to the query.
#[derive(Debug, Clone)]
pub struct TextMatch {
    token_spans: TokenSpans,
    whole: Sum,
    /// The similarity of the best sentence, if there is more than one.
    best: Option<f32>,
    /// Whether it contains words of the query.
    tells: bool,
}

/// The keys of one field in `explain`, each with its similarity.
pub type Similarities = Vec<(String, f64)>;

impl<'q> MatchTargets<'q> {
    pub fn of(query: &'q Query, config: &'q ScoringConfig) -> Self {
        let parts = QueryParts::of(query);
        Self { query, config, parts }
    }

    /// All stems, as `explain` shows them.
    pub fn stems(&self) -> Arc<str> {
        self.parts.stems.clone()
    }

    /// The embedding of a result as a whole.
    pub fn combined_embedding(title: &TextMatch, body: &TextMatch) -> Embedding {
        if title.token_spans.len() + body.token_spans.len() <= TOKENS_MAX {
            title.token_spans.embedding_of_sums(&title.whole, &body.token_spans, &body.whole)
        } else {
            title.token_spans.embedding_with(&body.token_spans)
        }
    }

    /// Similarity of the query and a text, 0 to 1.
    pub fn cosine(&self, text: &Embedding) -> f64 {
        rounded(f64::from(text.cosine(&self.parts.embedding).max(0.0)))
    }

    /// Embeds a field. Its sentences matter if it contains words of the query.
    pub fn match_text(&self, text: &str, reading: &FieldReading<'_>) -> TextMatch {
        let token_spans = TokenSpans::of(text);
        let tells = reading.matches.iter().any(|one| reading.term(*one).is_some());
        let mut sentences = tells.then(|| sentences(text)).into_iter().flatten();
        let (Some(first), Some(second)) = (sentences.next(), sentences.next()) else {
            return TextMatch { whole: token_spans.sum(), best: None, tells, token_spans };
        };
        let (mut whole, mut best) = (Sum::ZERO, 0.0_f32);
        for place in [first, second].into_iter().chain(sentences) {
            let sum = token_spans.sum_between(place);
            best = best.max(sum.cosine(&self.parts.normalized_sum).unwrap_or_default());
            whole.add(&sum);
        }
        if token_spans.len() > TOKENS_MAX {
            whole = token_spans.sum();
        }
        TextMatch { whole, best: Some(best), tells, token_spans }
    }

    /// Compares the query with a field that contains some of its words.
    pub fn similarities(
        &self,
        text: &str,
        reading: &FieldReading<'_>,
        text_match: &TextMatch,
    ) -> Similarities {
        let mut found = Similarities::new();
        let mut keep = |key: String, value: f64| {
            let value = rounded(value.min(1.0));
            if value >= self.config.min_similarity && value >= 0.0 {
                found.push((key, value));
            }
        };
        if text_match.tells {
            let (label, value) = self.whole(text_match);
            keep([self.parts.key.as_str(), label].concat(), value);
        }
        let matches = &reading.matches[..reading.matches.len().min(MATCHES_MAX)];
        for target in &self.parts.targets {
            let anchors = matches.iter().filter(|one| reading.term(**one) == Some(target.term));
            let places = anchors
                .filter_map(|one| one.position.checked_sub(target.anchor - target.words.start))
                .filter(|place| self.stands(target, reading, *place));
            for place in places.take(self.config.max_matches) {
                let value = self.around(target, reading, text, &text_match.token_spans, place);
                keep(key(&reading.tokens[place..place + target.words.len()], place), value);
            }
        }
        found
    }

    /// The similarity of the whole field, or of the most similar sentence.
    fn whole(&self, text_match: &TextMatch) -> (&'static str, f64) {
        match (text_match.whole.cosine(&self.parts.normalized_sum), text_match.best) {
            (None, _) => ("*", UNKNOWN_FIELD),
            (Some(whole), None) => ("*", f64::from(whole)),
            (Some(_), Some(best)) => ("s*", f64::from(best)),
        }
    }

    /// Whether the words of a target occur here in sequence.
    fn stands(&self, target: &Target, reading: &FieldReading<'_>, place: usize) -> bool {
        let words = &self.query.words[target.words.clone()];
        let Some(tokens) = reading.tokens.get(place..place + words.len()) else { return false };
        words.iter().zip(tokens).enumerate().all(|(offset, (word, token))| match word.term {
            Some(term) => reading.term_at(place + offset) == Some(term),
            None => self.query.language.stem(&lower(token.text)) == word.stem,
        })
    }

    /// The similarity of a target and the words around an occurrence.
    fn around(
        &self,
        target: &Target,
        reading: &FieldReading<'_>,
        text: &str,
        token_spans: &TokenSpans,
        place: usize,
    ) -> f64 {
        if target.embedding.is_zero() {
            return UNKNOWN_TARGET;
        }
        let tokens = &reading.tokens;
        let window = window(tokens, place, target.words.len());
        let read = |window: &[Token<'_>]| {
            let bytes = bytes(window);
            let found = token_spans.sum_between(bytes.clone()).cosine(&target.embedding);
            // Far down in a long text the tokens are not kept.
            found.or_else(|| TokenSpans::of(&text[bytes]).sum().cosine(&target.embedding))
        };
        let alike = if !self.parts.has_digits && window.iter().any(|token| token.text.contains(is_digit)) {
            match without_digits(window) {
                Some(words) => TokenSpans::of(&words).sum().cosine(&target.embedding),
                None => read(forward(tokens, place, target.words.len())),
            }
        } else {
            read(window)
        };
        alike.map_or(UNKNOWN_WINDOW, f64::from)
    }
}

/// Rounds to the digits that are shown. Adding zero turns -0 into 0.
pub fn rounded(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0 + 0.0
}

/// `Electric_cars_0`.
fn key(tokens: &[Token<'_>], place: usize) -> String {
    let mut key = String::with_capacity(tokens.iter().map(|token| token.text.len() + 1).sum::<usize>() + 4);
    for token in tokens {
        key.push_str(token.text);
        key.push('_');
    }
    push_number(&mut key, place);
    key
}

/// Adds the digits of a number, without the steps of a format text: there are several keys for each result.
fn push_number(out: &mut String, number: usize) {
    if number >= 10 {
        push_number(out, number / 10);
    }
    // A digit is below ten.
    out.push(char::from(b'0' + (number % 10) as u8));
}

/// Twice the length of the target and one word on both sides; at the beginning of the text, the words after it.
fn window<'r, 't>(tokens: &'r [Token<'t>], place: usize, length: usize) -> &'r [Token<'t>] {
    let reach = 2 * length + 1;
    match place.checked_sub(reach) {
        Some(start) => &tokens[start..(place + reach).min(tokens.len())],
        None => forward(tokens, place, length),
    }
}

/// The target, and twice its length and one word after it.
fn forward<'r, 't>(tokens: &'r [Token<'t>], place: usize, length: usize) -> &'r [Token<'t>] {
    &tokens[place..(place + 3 * length + 1).min(tokens.len())]
}

/// The words with their alphabetic characters only; `None` if nothing is left.
fn without_digits(window: &[Token<'_>]) -> Option<String> {
    let mut words = String::with_capacity(window.iter().map(|token| token.text.len() + 1).sum());
    for token in window {
        words.extend(token.text.chars().filter(|c| c.is_alphabetic()));
        words.push(' ');
    }
    (!words.trim().is_empty()).then_some(words)
}

fn bytes(window: &[Token<'_>]) -> Range<usize> {
    match (window.first(), window.last()) {
        (Some(first), Some(last)) => first.start..last.end(),
        _ => 0..0,
    }
}

#[cfg(test)]
#[path = "targets_tests.rs"]
mod tests;
