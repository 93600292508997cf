//! Edited copies of documents: another title, an edited body. Each copy gets one of several kinds of edits.

use crate::documents::{Document, words_of};

/// Shorter bodies are not edited; the processor takes such a result for a title alone.
const EDITED_WORDS_MIN: usize = 8;

/// Random numbers from a seed, the same in every run.
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to `end - 1`.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).unwrap_or_default()
    }

    pub fn chance(&mut self, share: f64) -> bool {
        (self.below(1_000_000) as f64) < share * 1_000_000.0
    }
}

/// What is inserted, and what must stay.
pub struct Vocabulary {
    /// The words of all documents, with their frequencies.
    pub words: Vec<String>,
    /// Documents that differ only in a number: a copy that has lost it is a copy of all of them.
    pub keeps_numbers: bool,
}

impl Vocabulary {
    fn must_stay(&self, word: &str) -> bool {
        self.keeps_numbers && word.contains(|c: char| c.is_ascii_digit())
    }
}

/// A copy of the document with another title and an edited body. The publication day stays.
pub fn copy_of(document: &Document, vocabulary: &Vocabulary, dice: &mut Dice) -> Document {
    let body_words = words_of(&document.body).count();
    let edited = body_words >= EDITED_WORDS_MIN;
    Document {
        title: title(&document.title, edited, dice),
        body: if edited { body(&document.body, vocabulary, dice) } else { document.body.clone() },
        day: document.day.clone(),
    }
}

/// The same title, in capitals, with other punctuation, with a prefix or with the name of a site. A title without a
/// body keeps its words.
fn title(title: &str, has_body: bool, dice: &mut Dice) -> String {
    if title.is_empty() {
        return String::new();
    }
    match dice.below(if has_body { 6 } else { 3 }) {
        0 => title.to_owned(),
        1 => title.to_uppercase(),
        2 => without_punctuation(title),
        3 => format!("Reprint: {title}"),
        4 => format!("[PDF] {title}"),
        _ => format!("{title} | Institute Archive"),
    }
}

/// Dashes become spaces; other punctuation is removed, except within a number.
fn without_punctuation(title: &str) -> String {
    let mut plain = String::new();
    let mut chars = title.chars().peekable();
    while let Some(c) = chars.next() {
        let within_number =
            plain.ends_with(|c: char| c.is_ascii_digit()) && chars.peek().is_some_and(char::is_ascii_digit);
        match c {
            '-' => plain.push(' '),
            '.' | ',' | ':' | '\'' if !within_number => {}
            other => plain.push(other),
        }
    }
    plain
}

/// Always one of: 5 % of the words replaced; 5 % dropped; 5 % inserted; 6 % of these mixed; one sentence dropped and
/// 2 % mixed; cut after 50 % to 80 % of the words and 3 % mixed; a note added at the end and 4 % mixed.
fn body(body: &str, vocabulary: &Vocabulary, dice: &mut Dice) -> String {
    let words: Vec<&str> = body.split_whitespace().collect();
    match dice.below(7) {
        0 => edit(&words, 0.05, &[Kind::Replace], vocabulary, dice),
        1 => edit(&words, 0.05, &[Kind::Drop], vocabulary, dice),
        2 => edit(&words, 0.05, &[Kind::Insert], vocabulary, dice),
        3 => edit(&words, 0.06, &MIXED, vocabulary, dice),
        4 => edit(&without_a_sentence(&words, vocabulary, dice), 0.02, &MIXED, vocabulary, dice),
        5 => {
            let kept = words.len() * (50 + dice.below(31)) / 100;
            let cut = &words[..kept.max(EDITED_WORDS_MIN).min(words.len())];
            format!("{} ...", edit(cut, 0.03, &MIXED, vocabulary, dice))
        }
        _ => {
            let edited = edit(&words, 0.04, &MIXED, vocabulary, dice);
            format!("{edited} Republished with the kind permission of the authors.")
        }
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Replace,
    Drop,
    Insert,
}

const MIXED: [Kind; 3] = [Kind::Replace, Kind::Drop, Kind::Insert];

/// Edits a share of the words, at least one of them.
fn edit(words: &[&str], share: f64, kinds: &[Kind], vocabulary: &Vocabulary, dice: &mut Dice) -> String {
    let always = dice.below(words.len());
    let mut edited: Vec<&str> = Vec::new();
    for (place, word) in words.iter().enumerate() {
        if vocabulary.must_stay(word) || (place != always && !dice.chance(share)) {
            edited.push(word);
            continue;
        }
        let other = vocabulary.words[dice.below(vocabulary.words.len())].as_str();
        if vocabulary.must_stay(other) {
            continue;
        }
        match kinds[dice.below(kinds.len())] {
            Kind::Replace => edited.push(other),
            Kind::Drop => {}
            Kind::Insert => edited.extend([word, other]),
        }
    }
    edited.join(" ")
}

/// The longest sentence stays: without it the document would be another one.
fn without_a_sentence<'a>(words: &[&'a str], vocabulary: &Vocabulary, dice: &mut Dice) -> Vec<&'a str> {
    let mut sentences: Vec<&[&str]> = words.split_inclusive(|word| word.ends_with('.')).collect();
    if sentences.len() > 2 {
        let longest = (0..sentences.len()).max_by_key(|place| sentences[*place].len());
        let dropped = dice.below(sentences.len());
        if longest != Some(dropped) && !sentences[dropped].iter().any(|word| vocabulary.must_stay(word)) {
            sentences.remove(dropped);
        }
    }
    sentences.concat()
}
