//! The share of a query's words that a chunk or the title of its document has; rare words weigh more. Unlike a BM25
//! score, it can be compared between queries and between caches of any size.

use relevancy::background_frequencies::idf;
use relevancy::tokens::{lower, tokens};
use relevancy::{Language, Query, TermMatch};
use std::collections::BTreeMap;

/// Weight of a word whose frequency is not known: all words of languages other than English.
const UNKNOWN_WEIGHT: f64 = 1.0;
/// Most words of a text that are compared, more than a chunk and its title have.
const WORDS_MAX: usize = 1_000;

/// The words of a query, in the languages of the texts.
pub struct Coverage {
    /// The language of the index of words.
    index: Language,
    query: String,
    forms: Vec<WeightedQuery>,
}

/// A query in one language.
struct WeightedQuery {
    language: Language,
    query: Query,
    /// The weight of each term; 0 for a word that says nothing.
    weights: Vec<f64>,
}

impl Coverage {
    pub fn of(index: Language, query: &str) -> Self {
        Self { index, query: query.to_owned(), forms: Vec::new() }
    }

    /// 0 to 1, for a text in this language: ISO 639-1, or empty. A part of it may be in the language of the index.
    pub fn share(&mut self, language: &str, text: &str) -> f32 {
        let own = Language::named(language);
        let is_other = own != Language::UNKNOWN && self.index != Language::UNKNOWN && own != self.index;
        let share = self.form(self.index).share(text);
        if is_other { share.max(self.form(own).share(text)) } else { share }
    }

    fn form(&mut self, language: Language) -> &WeightedQuery {
        let place = self.forms.iter().position(|form| form.language == language).unwrap_or_else(|| {
            self.forms.push(WeightedQuery::of(language, self.index, &self.query));
            self.forms.len() - 1
        });
        &self.forms[place]
    }
}

impl WeightedQuery {
    fn of(language: Language, index: Language, text: &str) -> Self {
        let query = Query::parse_in(language, text);
        let weight = |word: &str, stem: &str| {
            if language.is_stopword(word) || index.is_stopword(word) {
                0.0
            } else if language == Language::ENGLISH {
                idf(stem)
            } else {
                UNKNOWN_WEIGHT
            }
        };
        let weights = query.terms.iter().map(|term| weight(&term.word, &term.stem)).collect();
        Self { language, query, weights }
    }

    fn share(&self, text: &str) -> f32 {
        let mut is_found = vec![false; self.weights.len()];
        for token in tokens(text).take(WORDS_MAX) {
            if self.query.may_match(token.text)
                && let Some(place) = self.query.find(&lower(token.text)).and_then(TermMatch::term)
                && let Some(found) = is_found.get_mut(place)
            {
                *found = true;
            }
        }
        // One of several alternatives is enough.
        let mut groups: BTreeMap<usize, (f64, bool)> = BTreeMap::new();
        for ((term, weight), is_found) in self.query.terms.iter().zip(&self.weights).zip(is_found) {
            let group = groups.entry(term.group).or_default();
            *group = (group.0.max(*weight), group.1 || is_found);
        }
        let all: f64 = groups.values().map(|(weight, _)| weight).sum();
        let found: f64 = groups.values().filter(|(_, is_found)| *is_found).map(|(weight, _)| weight).sum();
        if all > 0.0 { (found / all) as f32 } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(query: &str, text: &str) -> f32 {
        Coverage::of(Language::ENGLISH, query).share("en", text)
    }

    #[test]
    fn all_words_are_one_and_none_is_zero() {
        let text = "Bequest of Ottilie Varga\nShe leaves 212 music boxes to the town.";
        for query in ["Ottilie Varga", "music box", "the towns", "town OR village", "\"music boxes\" -castle"]
        {
            assert!((share(query, text) - 1.0).abs() < 1e-6, "{query}");
        }
        for query in ["", "the of", "castle", "-music"] {
            assert_eq!(share(query, text), 0.0, "{query}");
        }
    }

    #[test]
    fn rare_words_weigh_more() {
        let (rare, common) =
            (share("wayleave people", "The wayleave."), share("wayleave people", "The people."));
        assert!(rare > 0.6 && common < 0.4 && (rare + common - 1.0).abs() < 1e-6, "{rare} {common}");
    }

    #[test]
    fn texts_are_read_in_their_own_language() {
        let german = "Die Bäume am Fluss sind alt.";
        let mut coverage = Coverage::of(Language::ENGLISH, "der Baum");
        assert_eq!(coverage.share("en", german), 0.0, "Bäume is another word in English");
        assert!((coverage.share("de", german) - 1.0).abs() < 1e-6);
        assert!((Coverage::of(Language::UNKNOWN, "alt").share("de", german) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn only_the_beginning_of_a_text_is_compared() {
        let filled = |words: usize| format!("{}castle", "town ".repeat(words));
        assert!(share("castle", &filled(WORDS_MAX - 1)) > 0.9);
        assert_eq!(share("castle", &filled(WORDS_MAX)), 0.0);
    }
}
