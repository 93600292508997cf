//! Whether a sentence contains what a question asks for: a number, a date, a name, a reason and so on.

use super::evidence_words::{
    AGES, ARTICLES, BEFORE_PLACES, CONDITIONS, CONSEQUENCES, FAILURES, FREE, FREQUENCIES, INSTRUCTIONS, IS,
    MEANS, PERSONS, PLACE_PREPOSITIONS, RATES, REASON_PAIRS, REASONS, SEASONS, TIME_NOUNS, TIMES, WHERE_ONLY,
};
use crate::facts::{Dimension, Facts, Quantity, months, names};
use crate::question_kind::{QuestionKind, is_people};
use crate::wanted::Wanted;
use relevancy::Language;
use relevancy::tokens::{lower, tokens};
use std::collections::BTreeSet;

/// Maximum number of words between a number and the thing that it counts.
const COUNTED_WORDS_MAX: usize = 4;
/// Number of words at the beginning of a sentence that may name what it defines.
const DEFINED_WORDS_MAX: usize = 8;
/// "Therefore" is among the first words.
const CONSEQUENCE_WORDS_MAX: usize = 4;
/// A sentence that may contain it, but in another form.
const PERHAPS: f64 = 0.5;
const LIKELY: f64 = 0.8;
/// A sentence that says something else about the subject may still tell how.
const OTHERWISE: f64 = 0.4;
/// A season, a weekday or an hour.
const TIME_OF_DAY: f64 = 0.95;

/// A sentence that may answer a question.
pub(super) struct Sentence<'a> {
    pub language: Language,
    pub text: &'a str,
    pub facts: &'a Facts,
    /// In lower case, in order.
    pub words: &'a [String],
    /// Stems of the question's words.
    pub asked: &'a BTreeSet<String>,
}

/// From 0 to 1: how certainly the sentence has what the question asks for.
pub(super) fn evidence(kind: &QuestionKind, sentence: &Sentence<'_>) -> f64 {
    let quantities = || sentence.facts.quantities.iter();
    let has_dimension = |dimensions: &[Dimension]| {
        quantities().any(|one| one.unit.is_some_and(|unit| dimensions.contains(&unit.dimension)))
    };
    let certainly = |is_so: bool| if is_so { 1.0 } else { 0.0 };
    match kind.wanted {
        Wanted::Number([]) => {
            certainly(quantities().any(|one| !one.is_year && !one.is_article && !is_ordinal(one)))
        }
        Wanted::Number(dimensions) => certainly(has_dimension(dimensions)),
        Wanted::Money => certainly(
            quantities().any(|one| one.unit.is_some_and(|unit| unit.dimension.is_money()))
                || sentence.has(FREE),
        ),
        Wanted::Count => count(kind, sentence),
        Wanted::Duration => duration(sentence),
        Wanted::Age => age(sentence),
        Wanted::Frequency => certainly(sentence.has(FREQUENCIES)),
        Wanted::Date => date(sentence),
        Wanted::Person => person(sentence),
        Wanted::Place => place(sentence),
        Wanted::Reason => reason(kind, sentence),
        Wanted::Manner => manner(sentence),
        Wanted::Definition => definition(sentence),
        Wanted::Statement => 1.0,
    }
}

impl Sentence<'_> {
    fn has(&self, list: &[&str]) -> bool {
        self.words.iter().any(|word| list.contains(&word.as_str()))
    }

    fn has_pair(&self, pairs: &[(&str, &str)]) -> bool {
        self.words
            .windows(2)
            .any(|two| pairs.iter().any(|(first, second)| two[0] == *first && two[1] == *second))
    }

    fn is_asked(&self, word: &str) -> bool {
        self.asked.contains(&*self.language.stem(word))
    }
}

fn is_ordinal(one: &Quantity) -> bool {
    one.unit.is_some_and(|unit| unit.dimension == Dimension::Ordinal)
}

/// A number with the counted thing next to it.
fn count(kind: &QuestionKind, sentence: &Sentence<'_>) -> f64 {
    let stem = |word: &str| sentence.language.stem(word).into_owned();
    let counted: BTreeSet<String> = kind.counted.iter().map(|word| stem(word)).collect();
    let counts_people = kind.counted.iter().any(|word| is_people(word));
    let is_counted = |word: &str| {
        let word = lower(word);
        counted.contains(&stem(&word)) || (counts_people && is_people(&word))
    };
    let numbers = sentence.facts.quantities.iter().filter(|one| !one.is_year && !is_ordinal(one));
    let mut found: f64 = 0.0;
    for one in numbers {
        let own = tokens(&sentence.text[one.place.clone()]);
        let after = tokens(&sentence.text[one.place.end..]).take(COUNTED_WORDS_MAX);
        if own.chain(after).any(|token| is_counted(token.text)) {
            return 1.0;
        }
        let is_near = sentence.words.iter().any(|word| is_counted(word));
        found = found.max(if is_near { PERHAPS } else { 0.0 });
    }
    found
}

fn duration(sentence: &Sentence<'_>) -> f64 {
    let is_a = |one: &Quantity, dimensions: fn(Dimension) -> bool| {
        one.unit.is_some_and(|unit| dimensions(unit.dimension))
    };
    let quantities = &sentence.facts.quantities;
    // "Every five minutes" says how often.
    let is_rate = |one: &Quantity| {
        let before = sentence.text[..one.place.start].split_whitespace().next_back().unwrap_or_default();
        RATES.contains(&&*lower(before))
    };
    if quantities.iter().any(|one| !one.is_article && is_a(one, Dimension::is_duration) && !is_rate(one)) {
        return 1.0;
    }
    let is_length = quantities.iter().any(|one| is_a(one, |dimension| dimension == Dimension::Length));
    let is_period = sentence.facts.dates.len() > 1;
    let is_other = |one: &Quantity| is_a(one, Dimension::is_duration) && !is_rate(one);
    if is_length || is_period || quantities.iter().any(is_other) {
        LIKELY
    } else if quantities.iter().any(|one| is_a(one, Dimension::is_duration)) {
        PERHAPS
    } else {
        0.0
    }
}

fn age(sentence: &Sentence<'_>) -> f64 {
    let is_years = |one: &Quantity| one.unit.is_some_and(|unit| unit.dimension == Dimension::Calendar);
    if !sentence.facts.quantities.iter().any(is_years) {
        return 0.0;
    }
    if sentence.has(AGES) { 1.0 } else { PERHAPS }
}

fn date(sentence: &Sentence<'_>) -> f64 {
    let is_time =
        |one: &Quantity| one.is_year || one.unit.is_some_and(|unit| unit.dimension == Dimension::Clock);
    if !sentence.facts.dates.is_empty() || sentence.facts.quantities.iter().any(is_time) {
        return 1.0;
    }
    if sentence.has(SEASONS) || sentence.has_pair(TIMES) { TIME_OF_DAY } else { 0.0 }
}

/// A name that the question does not have.
fn person(sentence: &Sentence<'_>) -> f64 {
    let mut best: f64 = 0.0;
    for name in names(sentence.language, sentence.text) {
        let is_new = name.words.iter().any(|word| !sentence.is_asked(&lower(word)));
        let before = sentence.text[..name.place.start].split_whitespace().next_back().unwrap_or_default();
        let is_place = BEFORE_PLACES.contains(&&*lower(before));
        let many = name.words.len() > 1;
        let own = match (is_new, is_place, many) {
            (false, ..) => 0.0,
            (true, true, _) => 0.2,
            (true, false, true) => 1.0,
            (true, false, false) => LIKELY,
        };
        best = best.max(own);
    }
    // "Her nephew receives the boat."
    let is_person = |word: &String| PERSONS.contains(&word.as_str()) && !sentence.is_asked(word);
    if sentence.words.iter().any(is_person) {
        best = best.max(PERHAPS);
    }
    // "Approved by the head of finance."
    if sentence.has_pair(&[("by", "the"), ("by", "a"), ("von", "der")]) { best.max(PERHAPS) } else { best }
}

/// A preposition of place with a word that is no time.
fn place(sentence: &Sentence<'_>) -> f64 {
    let mut best: f64 = 0.0;
    for (at, word) in sentence.words.iter().enumerate() {
        if !PLACE_PREPOSITIONS.contains(&word.as_str()) {
            continue;
        }
        let after = sentence.words[at + 1..].iter().find(|next| !sentence.language.is_stopword(next));
        let Some(after) = after else { continue };
        let is_time = months(after).is_some()
            || after.starts_with(|c: char| c.is_ascii_digit())
            || TIME_NOUNS.contains(&after.as_str());
        if !is_time && !sentence.is_asked(after) {
            best = best.max(if WHERE_ONLY.contains(&word.as_str()) { 1.0 } else { LIKELY });
        }
    }
    // "The courts of London."
    let has_name = names(sentence.language, sentence.text)
        .iter()
        .any(|name| name.words.iter().any(|word| !sentence.is_asked(&lower(word))));
    if has_name { best.max(PERHAPS) } else { best }
}

fn reason(kind: &QuestionKind, sentence: &Sentence<'_>) -> f64 {
    if sentence.has(REASONS) || sentence.has_pair(REASON_PAIRS) {
        return 1.0;
    }
    // "What went wrong?"
    let asks_for_failure = kind.is_asking("wrong");
    if asks_for_failure && (sentence.has(FAILURES) || sentence.words.iter().any(|word| word.ends_with("n't")))
    {
        return LIKELY;
    }
    // "It restarts when it is too hot."
    if sentence.has(CONDITIONS) {
        return PERHAPS;
    }
    if sentence.has(&["after", "nachdem", "so"]) { 0.3 } else { 0.0 }
}

/// Whether a sentence says what follows from the one before it: "We have therefore closed it."
pub(super) fn is_consequence(words: &[String]) -> bool {
    words.iter().take(CONSEQUENCE_WORDS_MAX).any(|word| CONSEQUENCES.contains(&word.as_str()))
}

/// An instruction begins with a verb, or says by what means.
fn manner(sentence: &Sentence<'_>) -> f64 {
    let first = sentence.words.first().map_or("", String::as_str);
    let is_instruction = INSTRUCTIONS.contains(&first)
        || (first == "to" && sentence.text.contains(','))
        || sentence.words.get(1).is_some_and(|word| word == "sie");
    if is_instruction {
        return 1.0;
    }
    let by_doing = sentence.words.windows(2).any(|two| two[0] == "by" && two[1].ends_with("ing"));
    if by_doing || sentence.has(MEANS) { LIKELY } else { OTHERWISE }
}

/// "A feature flag is a switch …"
fn definition(sentence: &Sentence<'_>) -> f64 {
    let verb = sentence.words.iter().take(DEFINED_WORDS_MAX).position(|word| IS.contains(&word.as_str()));
    let Some(verb) = verb else { return 0.0 };
    let before = &sentence.words[..verb];
    let own: Vec<&String> = before.iter().filter(|word| !sentence.language.is_stopword(word)).collect();
    let named = own.iter().filter(|word| sentence.is_asked(word)).count();
    if named == 0 || named * 2 < own.len() {
        return 0.0;
    }
    let next = sentence.words.get(verb + 1).map_or("", String::as_str);
    if ARTICLES.contains(&next) { 1.0 } else { PERHAPS }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(query: &str, text: &str) -> f64 {
        let language = Language::ENGLISH;
        let kind = QuestionKind::of(language, query);
        let words: Vec<String> = tokens(text).map(|token| lower(token.text).into_owned()).collect();
        let asked = tokens(query).map(|token| language.stem(&lower(token.text)).into_owned()).collect();
        let facts = Facts::read(language, text);
        evidence(&kind, &Sentence { language, text, facts: &facts, words: &words, asked: &asked })
    }

    #[test]
    fn a_rate_is_hardly_a_duration() {
        let rate = found("How long does it take?", "It is read every five minutes.");
        assert!(rate <= PERHAPS && found("How long does it take?", "It takes five minutes.") > PERHAPS);
    }

    #[test]
    fn consequences_are_recognized() {
        for (text, expected) in [
            ("We have therefore closed it.", true),
            ("Deshalb ist es geschlossen.", true),
            ("It was late and cold, and therefore it was closed.", false),
            ("It was closed.", false),
        ] {
            let words: Vec<String> = tokens(text).map(|token| lower(token.text).into_owned()).collect();
            assert_eq!(is_consequence(&words), expected, "{text}");
        }
    }

    #[test]
    fn sentences_with_what_is_asked_for() {
        for (query, text, expected) in [
            ("How many pipes does it have?", "It has 2,118 pipes and three manuals.", true),
            ("How many pipes does it have?", "The pipes are old.", false),
            ("How many people fit in?", "The theater holds eighty persons.", true),
            ("How much does it cost?", "It costs 18 euros.", true),
            ("How much does it cost?", "It takes 18 minutes.", false),
            ("How long does it take?", "It takes 18 minutes.", true),
            ("How often must it be repeated?", "It is repeated every two years.", true),
            ("When was it built?", "It was built in 1868.", true),
            ("When was it built?", "It was built of stone.", false),
            ("Who led the strike?", "The strike was led by Bridget McAllister.", true),
            ("Who led the strike?", "The strike began in Balnamore.", false),
            ("Where are the backups?", "They are kept in Tallinn.", true),
            ("Where are the backups?", "They are made in March.", false),
            ("Why was it closed?", "It was closed because of debts.", true),
            ("Why was it closed?", "It was closed in 1931.", false),
            ("What is a feature flag?", "A feature flag is a switch.", true),
            ("What is a feature flag?", "We remove flags after three months.", false),
            ("what went wrong", "The valves worked; the call list did not.", true),
            ("Why does it restart?", "It restarts when it is too hot.", true),
            ("Who inherits the boat?", "Her nephew receives it.", true),
            ("Who is the mayor?", "Ask the mayor.", false),
            ("How loud is it?", "The level is 51 decibels.", true),
            ("flags", "Anything.", true),
        ] {
            assert_eq!(found(query, text) >= PERHAPS, expected, "{query} {text}");
        }
    }
}
