//! Whether a result is likely to contain an answer: a probability from a few features of the query and the result.
//!
//! `swirl_confidence_score` says how well a result matches, and is not the same for a good match of a long question and
//! of a single word. The weights of this number were chosen by hand on questions with and without an answer
//! (`tests/data/development_questions.txt`), so that one threshold fits both.

use crate::facts::Facts;
use crate::prompt::language::language_of;
use crate::question_kind::QuestionKind;
use crate::wanted::Wanted;
use domain::ids::ResultId;
use domain::result::{ResultItem, ResultSet};
use relevancy::background_frequencies::idf;
use relevancy::embedder::{Embedding, embed};
use relevancy::tokens::{lower, tokens};
use relevancy::{Language, Query, Term, TermMatch};
use std::collections::{BTreeMap, BTreeSet};
use syntax::strip_html::readable;

/// Maximum number of results whose answerability is estimated; others are compared by their confidence.
const RATED_MAX: usize = 200;
/// Maximum number of words of a result that are read.
const WORDS_MAX: usize = 400;
/// Weight of a word of another language than English, whose frequency is not known.
const UNKNOWN_IDF: f64 = 6.0;
/// The logistic function: its constant, and the weight of each feature.
const CONSTANT: f64 = -3.4;
const CONFIDENCE_WEIGHT: f64 = 3.0;
const COVERAGE_WEIGHT: f64 = 4.0;
const MEANING_WEIGHT: f64 = 1.5;
const KIND_WEIGHT: f64 = 0.6;
const STOPWORDS_WEIGHT: f64 = -5.0;
const MISSING_WEIGHT: f64 = -7.0;

/// What the probability depends on. Each feature is between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Features {
    /// `swirl_confidence_score`.
    pub confidence: f64,
    /// The share of the query's words that are in the result; rare ones weigh more.
    pub coverage: f64,
    /// Similarity of the query and the result.
    pub meaning: f64,
    /// The result has a number, a date or a name, and the question asks for one.
    pub kind: f64,
    /// The query has no other words.
    pub stopwords: f64,
    /// The share of the words of a query without a question that are in none of the results.
    pub missing: f64,
}

impl Features {
    pub fn probability(self) -> f64 {
        let sum = CONSTANT
            + CONFIDENCE_WEIGHT * self.confidence
            + COVERAGE_WEIGHT * self.coverage
            + MEANING_WEIGHT * self.meaning
            + KIND_WEIGHT * self.kind
            + STOPWORDS_WEIGHT * self.stopwords
            + MISSING_WEIGHT * self.missing;
        1.0 / (1.0 + (-sum).exp())
    }
}

/// Estimates for the results of one query how likely they contain an answer.
pub(crate) struct Answerability {
    language: Language,
    query: String,
    kind: QuestionKind,
    embedding: Embedding,
    /// The query in each language of the results.
    forms: Vec<Query>,
    /// The words of the query that are in a result.
    found: BTreeSet<String>,
}

impl Answerability {
    pub fn of(language: Language, query: &str) -> Self {
        Self {
            language,
            query: query.to_owned(),
            kind: QuestionKind::of(language, query),
            embedding: embed(query),
            forms: Vec::new(),
            found: BTreeSet::new(),
        }
    }

    #[cfg(test)]
    pub fn probability(&mut self, item: &ResultItem) -> f64 {
        self.features(item).probability()
    }

    pub fn features(&mut self, item: &ResultItem) -> Features {
        let text = text_of(item);
        let language = language_of(&text, self.language);
        let form = self.form(language);
        let words: Vec<String> = tokens(&text).map(|token| lower(token.text).into_owned()).collect();
        let found: BTreeSet<usize> =
            words.iter().filter_map(|word| self.forms[form].find(word).and_then(TermMatch::term)).collect();
        let query = &self.forms[form];
        let (mut covered, mut all) = (0.0, 0.0);
        for (place, term) in query.terms.iter().enumerate() {
            if !query.only_stopwords && self.kind.is_asking(&term.word) {
                continue;
            }
            let weight = weight(language, term);
            all += weight;
            if found.contains(&place) {
                covered += weight;
                self.found.insert(term.word.clone());
            }
        }
        Features {
            confidence: item.swirl_confidence_score.clamp(0.0, 1.0),
            coverage: if all > 0.0 { covered / all } else { 0.0 },
            meaning: f64::from(self.embedding.cosine(&embed(&text))).clamp(0.0, 1.0),
            kind: if has_kind(self.kind.wanted, language, &text, item) { 1.0 } else { 0.0 },
            stopwords: if query.only_stopwords { 1.0 } else { 0.0 },
            missing: 0.0,
        }
    }

    /// The share of the words that were in none of the results so far. A question may be answered in other words.
    fn missing(&self) -> f64 {
        if self.kind.wanted != Wanted::Statement {
            return 0.0;
        }
        let query = Query::parse_in(self.language, &self.query);
        let (mut missing, mut all) = (0.0, 0.0);
        for term in &query.terms {
            let weight = weight(self.language, term);
            all += weight;
            missing += if self.found.contains(&term.word) { 0.0 } else { weight };
        }
        if all > 0.0 { missing / all } else { 0.0 }
    }

    fn form(&mut self, language: Language) -> usize {
        if let Some(place) = self.forms.iter().position(|form| form.language == language) {
            return place;
        }
        self.forms.push(Query::parse_in(language, &self.query));
        self.forms.len() - 1
    }
}

/// The results with the highest confidence, without what the rating does not read.
pub(crate) fn most_confident(sets: &[ResultSet]) -> Vec<ResultItem> {
    let mut best: Vec<&ResultItem> = sets.iter().flat_map(|set| &set.items).collect();
    best.sort_by(|one, other| other.swirl_confidence_score.total_cmp(&one.swirl_confidence_score));
    let read = |item: &&ResultItem| ResultItem {
        swirl_id: item.swirl_id,
        swirl_confidence_score: item.swirl_confidence_score,
        title: item.title.clone(),
        body: item.body.clone(),
        author: item.author.clone(),
        ..ResultItem::default()
    };
    best.iter().take(RATED_MAX).map(read).collect()
}

/// How likely each of these results contains an answer. The similarities of another model replace the own ones.
pub(crate) fn rate_results(
    language: Language,
    query: &str,
    results: &[ResultItem],
    meanings: &BTreeMap<ResultId, f64>,
) -> BTreeMap<ResultId, f64> {
    let mut answerability = Answerability::of(language, query);
    let mut features = |item: &ResultItem| {
        let own = answerability.features(item);
        let meaning = meanings.get(&item.swirl_id).map_or(own.meaning, |meaning| meaning.clamp(0.0, 1.0));
        (item.swirl_id, Features { meaning, ..own })
    };
    let rated: Vec<(ResultId, Features)> = results.iter().map(&mut features).collect();
    let missing = answerability.missing();
    rated.into_iter().map(|(id, features)| (id, Features { missing, ..features }.probability())).collect()
}

/// Rare words weigh more.
fn weight(language: Language, term: &Term) -> f64 {
    if language == Language::ENGLISH { idf(&term.stem) } else { UNKNOWN_IDF }
}

/// The beginning of a result.
pub(crate) fn text_of(item: &ResultItem) -> String {
    let text = format!("{}\n{}", readable(&item.title), readable(&item.body));
    let end = tokens(&text).nth(WORDS_MAX).map_or(text.len(), |token| token.start);
    text[..end].to_owned()
}

/// Whether a result has a fact of the kind that the question asks for.
fn has_kind(wanted: Wanted, language: Language, text: &str, item: &ResultItem) -> bool {
    let facts = || Facts::read(language, text);
    let has_unit = |is_so: fn(crate::facts::Dimension) -> bool| {
        facts().quantities.iter().any(|one| one.unit.is_some_and(|unit| is_so(unit.dimension)))
    };
    match wanted {
        Wanted::Number(_) | Wanted::Age | Wanted::Count | Wanted::Frequency => !facts().quantities.is_empty(),
        Wanted::Money => has_unit(crate::facts::Dimension::is_money),
        Wanted::Duration => has_unit(crate::facts::Dimension::is_duration),
        Wanted::Date => {
            let facts = facts();
            !facts.dates.is_empty() || facts.quantities.iter().any(|one| one.is_year)
        }
        Wanted::Person => !crate::facts::names(language, text).is_empty() || !item.author.is_empty(),
        Wanted::Place | Wanted::Reason | Wanted::Manner | Wanted::Definition | Wanted::Statement => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::builders;

    fn item(title: &str, body: &str, confidence: f64) -> ResultItem {
        ResultItem {
            title: title.to_owned(),
            body: body.to_owned(),
            swirl_confidence_score: confidence,
            ..ResultItem::default()
        }
    }

    #[test]
    fn better_results_are_more_likely_to_answer() {
        let mill = item("The river mill", "The mill was built in 1868 and grinds rye and wheat.", 0.6);
        let other = item("Bakery", "Bread is baked every night in the village.", 0.1);
        let mut question = Answerability::of(Language::ENGLISH, "When was the mill built?");
        let (good, bad) = (question.probability(&mill), question.probability(&other));
        assert!(good > 0.7 && bad < 0.2, "{good} {bad}");
        let weaker = ResultItem { swirl_confidence_score: 0.3, ..mill.clone() };
        assert!(question.probability(&weaker) < good);
        let mut word = Answerability::of(Language::ENGLISH, "mill");
        assert!(word.probability(&mill) > 0.7);
        let mut stopwords = Answerability::of(Language::ENGLISH, "the");
        assert!(stopwords.probability(&ResultItem { swirl_confidence_score: 0.92, ..mill }) < 0.7);
        assert!(word.probability(&ResultItem::default()) < 0.1);
        let invalid = item("Mill", "A mill.", f64::NAN);
        assert!(word.probability(&invalid).is_nan() || word.probability(&invalid) <= 1.0);
    }

    #[test]
    fn a_rare_word_that_no_result_has_makes_an_answer_unlikely() {
        let mut warning = item("Flood warnings", "A flood warning was issued for the river at night.", 0.5);
        warning.swirl_id = ResultId(1);
        let rate = |query: &str| {
            rate_results(Language::ENGLISH, query, &[warning.clone()], &BTreeMap::new())[&ResultId(1)]
        };
        assert!(rate("flood warning") > 0.7);
        assert!(rate("flood warning on the moon") < 0.7);
        assert!(rate("When was the flood warning sent?") > 0.7, "a question may use other words");
    }

    #[test]
    fn long_results_are_read_in_part() {
        let long = item("Mill", &"word ".repeat(WORDS_MAX * 2), 0.5);
        assert_eq!(tokens(&text_of(&long)).count(), WORDS_MAX);
    }

    #[test]
    fn the_best_results_are_rated() {
        let items = (0..RATED_MAX + 9)
            .map(|n| builders::item("River").id(n as i64 + 1).confidence(0.001 * n as f64).build());
        let set = builders::result_set(1).items(items).build();
        let best = most_confident(&[set]);
        assert_eq!(best.len(), RATED_MAX);
        let rated = rate_results(Language::ENGLISH, "river", &best, &BTreeMap::new());
        assert!(rated.len() == RATED_MAX && rated.values().all(|one| (0.0..=1.0).contains(one)));
        assert!(!rated.contains_key(&ResultId(1)), "the worst is left out");
    }
}
