//! What a question asks for: a number, a date, a person and so on.

use crate::question_words::{
    CAUSE_WORDS, COST_WORDS, DEFINITION_WORDS, DID, DOCUMENT_WORDS, DURATION_VERBS, FUTURE, HOW, HOW_MUCH,
    LIMITS, MANY, MEASURES, PEOPLE, PUBLISHING, SHAPES, STATES, WHAT, WHEN, WHERE, WHO, WHY, WRITING,
    YEAR_WORDS,
};
use crate::wanted::Wanted;
use relevancy::Language;
use relevancy::tokens::{lower, tokens};

/// Maximum number of words of a question that are read.
const WORDS_MAX: usize = 64;
/// The word that asks is among the first words.
const ASKING_WORDS_MAX: usize = 6;
/// Maximum number of words of the subject of a definition.
const DEFINED_WORDS_MAX: usize = 4;

/// A question without the words that only ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QuestionKind {
    pub wanted: Wanted,
    /// In lower case: an answer need not repeat them.
    pub asking: Vec<String>,
    /// The words after "how many".
    pub counted: Vec<String>,
    /// It asks for the author or the date of a document.
    pub is_about_document: bool,
}

impl QuestionKind {
    /// The kind of a question in this language.
    pub fn of(language: Language, query: &str) -> Self {
        let words: Vec<String> =
            tokens(query).take(WORDS_MAX).map(|token| lower(token.text).into_owned()).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut kind = read(language, &words);
        kind.is_about_document = is_about_document(kind.wanted, &words);
        if kind.is_about_document {
            kind.asking.extend(DOCUMENT_WORDS.iter().map(|word| (*word).to_owned()));
        }
        // An answer may say "persons".
        kind.asking.extend(kind.counted.iter().filter(|word| is_people(word)).cloned());
        kind
    }

    pub fn is_asking(&self, word: &str) -> bool {
        self.asking.iter().any(|asking| asking == word)
    }
}

/// Whether a word means people in general.
pub(crate) fn is_people(word: &str) -> bool {
    PEOPLE.contains(&word)
}

fn kind(wanted: Wanted, asking: &[&str]) -> QuestionKind {
    let asking = asking.iter().map(|word| (*word).to_owned()).collect();
    QuestionKind { wanted, asking, counted: Vec::new(), is_about_document: false }
}

fn read(language: Language, words: &[&str]) -> QuestionKind {
    let early = &words[..words.len().min(ASKING_WORDS_MAX)];
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    if let Some(at) = early.iter().position(|word| HOW.contains(word)) {
        return how(language, words, at);
    }
    // "Was" asks in German only.
    let is_german = language.known().is_some_and(|known| known.code == "de");
    let asks_what = early.iter().any(|word| WHAT.contains(word) && (is_german || *word != "was"));
    if early.iter().any(|word| WHY.contains(word)) || (asks_what && has(CAUSE_WORDS)) {
        return kind(Wanted::Reason, CAUSE_WORDS);
    }
    if asks_what && let Some(found) = measured(language, words) {
        return found;
    }
    for (list, wanted) in [(WHEN, Wanted::Date), (WHO, Wanted::Person), (WHERE, Wanted::Place)] {
        if early.iter().any(|word| list.contains(word)) {
            return kind(wanted, list);
        }
    }
    if asks_what && has(YEAR_WORDS) {
        return kind(Wanted::Date, YEAR_WORDS);
    }
    if is_definition(language, words) {
        return kind(Wanted::Definition, DEFINITION_WORDS);
    }
    kind(Wanted::Statement, &[])
}

/// "How" and the word after it.
fn how(language: Language, words: &[&str], at: usize) -> QuestionKind {
    let next = words.get(at + 1).copied().unwrap_or_default();
    if words[at] == "combien" && next == "de" && words.get(at + 2) == Some(&"temps") {
        return kind(Wanted::Duration, &["combien", "temps"]);
    }
    let is_many = MANY.contains(&next) || MANY.contains(&words[at]);
    if is_many && words.iter().any(|word| COST_WORDS.contains(word)) {
        return kind(Wanted::Money, &[COST_WORDS, MANY].concat());
    }
    // "Um wie viel Uhr?"
    if is_many && words.get(at + 2) == Some(&"uhr") {
        return kind(Wanted::Date, &["uhr"]);
    }
    // "By how much did it rise?" "How much is it insured for?"
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    let after = words.get(at + 2).is_some_and(|word| STATES.contains(word) || DID.contains(word));
    if is_many && (before.is_some_and(|word| matches!(*word, "by" | "um" | "de")) || after) {
        return kind(Wanted::Number(&[]), MANY);
    }
    if is_many {
        let rest = words.get(at + 1..).unwrap_or_default();
        let content = rest.iter().filter(|word| !MANY.contains(word) && !language.is_stopword(word));
        let counted: Vec<String> = content.take(1).map(|word| (*word).to_owned()).collect();
        return QuestionKind { counted, ..kind(Wanted::Count, MANY) };
    }
    // "How is the water?"
    if STATES.contains(&next) {
        return kind(Wanted::Statement, &[]);
    }
    let row = HOW_MUCH.iter().find(|(_, names)| names.split(' ').any(|name| name == next));
    row.map_or_else(
        || kind(Wanted::Manner, &[]),
        |(wanted, _)| match wanted {
            Wanted::Duration => kind(Wanted::Duration, &[&[next], DURATION_VERBS].concat()),
            _ => kind(*wanted, &[next]),
        },
    )
}

/// "What is the length of …": the word that names what is measured.
fn measured(language: Language, words: &[&str]) -> Option<QuestionKind> {
    let nouns: Vec<&str> = words.iter().copied().filter(|word| !language.is_stopword(word)).take(3).collect();
    for word in &nouns {
        if *word == "time" && words.contains(&"within") {
            return Some(kind(Wanted::Duration, &["time", "within"]));
        }
        let row = MEASURES.iter().find(|(_, names)| names.split(' ').any(|name| name == *word));
        if let Some((wanted, _)) = row {
            let is_shape = SHAPES.contains(word);
            let limits: Vec<&str> = words.iter().copied().filter(|word| LIMITS.contains(word)).collect();
            // "What is the minimum length": both words only ask.
            let measures = nouns.iter().copied().filter(|word| is_measure(word) && !SHAPES.contains(word));
            let own: Vec<&str> = if is_shape { limits } else { limits.into_iter().chain(measures).collect() };
            return Some(kind(*wanted, &own));
        }
    }
    None
}

fn is_measure(word: &str) -> bool {
    MEASURES.iter().any(|(_, names)| names.split(' ').any(|name| name == word))
}

fn is_definition(language: Language, words: &[&str]) -> bool {
    let content =
        words.iter().filter(|word| !language.is_stopword(word) && !DEFINITION_WORDS.contains(word)).count();
    let asks = matches!(
        words,
        ["what", "is" | "are" | "does", ..]
            | ["was", "ist" | "sind" | "bedeutet" | "bedeuten" | "heißt", ..]
            | ["qu'est", ..]
            | ["c'est", "quoi", ..]
            | ["qué", "es" | "son" | "significa", ..]
            | ["what's", ..]
            | ["define" | "definition" | "definiere" | "meaning", ..]
    );
    let is_action = words.get(1) == Some(&"does") && !words.contains(&"mean");
    asks && (1..=DEFINED_WORDS_MAX).contains(&content) && !is_action
}

fn is_about_document(wanted: Wanted, words: &[&str]) -> bool {
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    match wanted {
        Wanted::Person => has(WRITING),
        Wanted::Date => has(PUBLISHING) && !has(FUTURE),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Dimension;
    use crate::question_words::LENGTH;

    fn wanted(language: &str, query: &str) -> Wanted {
        QuestionKind::of(Language::named(language), query).wanted
    }

    #[test]
    fn questions_ask_for_something() {
        for (language, query, expected) in [
            ("english", "How long does the battery last?", Wanted::Duration),
            ("english", "how often must staff repeat the training", Wanted::Frequency),
            ("english", "How much does the ferry cost?", Wanted::Money),
            ("english", "How many pipes does the organ have?", Wanted::Count),
            ("english", "How much is the cello insured for?", Wanted::Number(&[])),
            ("english", "By how much did revenue rise?", Wanted::Number(&[])),
            ("english", "How much water does it hold?", Wanted::Count),
            ("english", "How loud is the street at night?", Wanted::Number(&[])),
            ("english", "How expensive is the ferry?", Wanted::Money),
            ("german", "Um wie viel stieg der Umsatz?", Wanted::Number(&[])),
            ("german", "Um wie viel Uhr fährt der Bus?", Wanted::Date),
            ("english", "How tall is the tower?", Wanted::Number(LENGTH)),
            ("english", "What is the diameter of the pipe?", Wanted::Number(LENGTH)),
            ("english", "At what temperature is it stored?", Wanted::Number(&[Dimension::Temperature])),
            ("english", "Within what time must reports be handed in?", Wanted::Duration),
            ("english", "When was the bridge built?", Wanted::Date),
            ("english", "In what year was it built?", Wanted::Date),
            ("english", "Who founded the paper?", Wanted::Person),
            ("english", "Where are the backups kept?", Wanted::Place),
            ("english", "Why were screw piles chosen?", Wanted::Reason),
            ("english", "what went wrong in the exercise", Wanted::Reason),
            ("english", "How do I reset the controller?", Wanted::Manner),
            ("english", "What is a feature flag?", Wanted::Definition),
            ("english", "What does photosynthesis mean?", Wanted::Definition),
            ("english", "flood warnings", Wanted::Statement),
            ("german", "Wie lange dauert die Operation?", Wanted::Duration),
            ("german", "Wie viele Betten hat das Haus?", Wanted::Count),
            ("german", "Wie viel kostet der Eintritt?", Wanted::Money),
            ("german", "Wann fährt der Bus?", Wanted::Date),
            ("german", "Was ist ein Vertrag?", Wanted::Definition),
            ("french", "Combien de temps dure le voyage ?", Wanted::Duration),
            ("spanish", "¿Quién fundó la ciudad?", Wanted::Person),
        ] {
            assert_eq!(wanted(language, query), expected, "{query}");
        }
    }

    #[test]
    fn documents_have_authors_and_dates() {
        for (query, expected) in [
            ("Who wrote the design notes?", true),
            ("When was the report published?", true),
            ("When will the next report be published?", false),
            ("Who built the bridge?", false),
            ("How long is the published report?", false),
        ] {
            assert_eq!(QuestionKind::of(Language::ENGLISH, query).is_about_document, expected, "{query}");
        }
    }

    #[test]
    fn the_counted_thing_is_named() {
        let kind = QuestionKind::of(Language::ENGLISH, "How many requests per minute may a key send?");
        assert_eq!(kind.counted, ["requests"]);
        assert!(kind.is_asking("many") && !kind.is_asking("requests"));
        let kind = QuestionKind::of(Language::ENGLISH, "What is the minimum length of a password?");
        assert!(kind.is_asking("minimum") && kind.is_asking("length") && !kind.is_asking("password"));
    }
}
