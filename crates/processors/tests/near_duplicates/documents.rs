//! The documents of the test: judged collections, random texts, and documents from one template.

use crate::edits::Dice;
use serde_json::Value;
use std::path::PathBuf;

#[derive(Debug, Clone)]
pub struct Document {
    pub title: String,
    pub body: String,
    /// Empty if unknown.
    pub day: String,
}

impl Document {
    pub fn has_words(&self) -> bool {
        words_of(&self.title).chain(words_of(&self.body)).next().is_some()
    }
}

/// A collection from the folder beside the checkout, if it exists.
pub fn collection(name: &str) -> Option<Vec<Document>> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/eval/collections"));
    let text = std::fs::read_to_string(folder.join(name).join("docs.jsonl")).ok()?;
    let document = |line: &str| {
        let record: Value = serde_json::from_str(line).expect("a document");
        let field = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
        Document { title: field("title"), body: field("text"), day: field("date_published") }
    };
    Some(text.lines().map(document).collect())
}

/// Random documents over a vocabulary with few frequent and many rare words. The documents of a topic prefer the same
/// words.
pub fn synthetic(count: usize, dice: &mut Dice) -> Vec<Document> {
    let vocabulary: Vec<String> = (0..4_000).map(|_| invented_word(dice)).collect();
    let topics: Vec<Vec<usize>> =
        (0..40).map(|_| (0..60).map(|_| dice.below(vocabulary.len())).collect()).collect();
    let mut documents = Vec::new();
    for number in 0..count {
        let topic = &topics[dice.below(topics.len())];
        let word = |dice: &mut Dice| {
            let place = match dice.below(3) {
                0 => topic[dice.below(topic.len())],
                // The product of two shares prefers the first words.
                _ => dice.below(vocabulary.len()) * dice.below(1_000) / 1_000,
            };
            vocabulary[place].clone()
        };
        let text = |words: usize, dice: &mut Dice| {
            let words: Vec<String> = (0..words).map(|_| word(dice)).collect();
            words.chunks(14).map(|sentence| format!("{}.", sentence.join(" "))).collect::<Vec<_>>().join(" ")
        };
        let (title_words, body_words) = (3 + dice.below(8), 12 + dice.below(110));
        let title = text(title_words, dice);
        let body = text(body_words, dice);
        documents.push(Document { title, body, day: format!("2024-{:02}-01", 1 + number % 12) });
    }
    documents
}

/// Documents that differ in little: issues of a report, models of a product, parts of a work, titles alone.
pub fn families(dice: &mut Dice) -> Vec<Document> {
    let vocabulary: Vec<String> = (0..2_000).map(|_| invented_word(dice)).collect();
    let words = |count: usize, dice: &mut Dice| {
        let words: Vec<&str> =
            (0..count).map(|_| vocabulary[dice.below(vocabulary.len())].as_str()).collect();
        words.join(" ")
    };
    let mut documents = Vec::new();
    let mut add = |title: String, body: String| documents.push(Document { title, body, day: String::new() });
    for _ in 0..100 {
        let (subject, text) = (words(5, dice), words(60, dice));
        for issue in 1..=4 {
            add(format!("{subject}, issue {issue}"), text.clone());
            add(format!("Report on {subject}"), format!("As of {} May. {text}", issue + 4));
        }
        for (part, name) in ["I", "II", "III", "IV"].into_iter().zip(["north", "south", "east", "west"]) {
            add(format!("{subject}: Part {part}"), text.clone());
            add(format!("Model {name} of {subject}"), text.clone());
            add(format!("Algorithm {}: {subject}", part.len() * 7 + name.len()), String::new());
        }
    }
    documents
}

/// Words as they are compared in the test.
pub fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn invented_word(dice: &mut Dice) -> String {
    const SYLLABLES: [&str; 24] = [
        "ta", "ri", "mo", "len", "ka", "so", "ver", "ni", "du", "pal", "est", "or", "bi", "cu", "fan", "gre",
        "hol", "im", "jo", "lu", "ped", "qua", "sti", "wen",
    ];
    (0..2 + dice.below(3)).map(|_| SYLLABLES[dice.below(SYLLABLES.len())]).collect()
}
