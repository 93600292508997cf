//! Names of documents: what their words say about the version, and what identifies the document.
//!
//! | Module | Contents |
//! |---|---|
//! | `words` | words with what stands before them |
//! | `document_kind` | minutes, policies, contracts and so on |
//! | `date_mark`, `months` | dates and periods; names of the months |
//! | `version_mark` | stage, version number, copy number |

mod date_mark;
mod document_kind;
mod months;
mod version_mark;
mod words;

pub use date_mark::{DateMark, date_at};
pub use document_kind::DocumentKind;
pub use months::month_of;
pub use version_mark::{Mark, Stage, VersionNumber, version_number_at};
pub use words::{Word, words};

use std::borrow::Cow;
use version_mark::{edition_number_at, mark_at};

/// Most words of a name that are read.
const WORDS_MAX: usize = 32;
/// Longest version label, in characters.
const LABEL_CHARS_MAX: usize = 40;
/// Longest file extension.
const EXTENSION_CHARS_MAX: usize = 5;
/// Words between a draft and its date: "draft of 12 March".
const DATED: [&str; 7] = ["of", "from", "dated", "vom", "du", "as", "stand"];
const STOPWORDS: [&str; 42] = [
    "re", "fw", "fwd", "aw", "a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or",
    "the", "to", "with", "s", "no", "nr", "der", "die", "das", "des", "und", "für", "von", "vom", "zu",
    "zur", "im", "am", "de", "du", "des", "la", "le", "les", "et", "per",
];

/// A title or a file name, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Name {
    /// In their order, each once.
    pub marks: Vec<Mark>,
    pub dates: Vec<DateMark>,
    /// The date of a draft: "draft of 12 March".
    pub draft_dates: Vec<DateMark>,
    /// What contains digits and is no version and no date: `1041`, `2025-017`, `hx200`.
    pub numbers: Vec<String>,
    /// The other words, in their order, each once.
    pub subject: Vec<String>,
    /// The words before the first preposition.
    pub head: Vec<String>,
}

impl Name {
    pub fn of(name: &str) -> Self {
        let mut words = words(name, WORDS_MAX);
        let is_extension = |word: &Word| {
            word.before == Some('.') && word.text.len() <= EXTENSION_CHARS_MAX && word.number().is_none()
        };
        if words.len() > 1 && words.last().is_some_and(is_extension) {
            words.pop();
        }
        let mut name = Self::default();
        let (mut place, mut is_after_draft, mut is_head) = (0, false, true);
        while let Some(word) = words.get(place) {
            let text = word.text.as_str();
            if let Some((mark, used)) = mark_at(&words, place) {
                // "Draft 2 of 12 March".
                is_after_draft &= matches!(mark, Mark::Number(_));
                is_after_draft |= matches!(mark, Mark::Stage(_, Stage::Undone));
                add(&mut name.marks, mark);
                place += used;
            } else if let Some((number, used)) = edition_number_at(&words, place)
                && name.kind() == DocumentKind::Edition
            {
                add(&mut name.marks, Mark::Number(number));
                place += used;
            } else if let Some((date, used)) = date_at(&words[place..], true) {
                let dates = if is_after_draft { &mut name.draft_dates } else { &mut name.dates };
                add(dates, date);
                place += used;
            } else if let Some((number, used)) = identifier_at(&words[place..]) {
                add(&mut name.numbers, number);
                (place, is_after_draft) = (place + used, false);
            } else if place > 0 && is_character_or_roman(word) {
                add(&mut name.numbers, text.to_owned());
                place += 1;
            } else {
                is_after_draft &= DATED.contains(&text);
                is_after_draft |= matches!(text, "as" | "stand") && place > 0;
                is_head &= !STOPWORDS.contains(&text) || word.text.len() == 1;
                if !STOPWORDS.contains(&text) {
                    add(&mut name.subject, text.to_owned());
                    if is_head {
                        add(&mut name.head, text.to_owned());
                    }
                }
                place += 1;
            }
        }
        name
    }

    /// What kind of document has this name.
    pub fn kind(&self) -> DocumentKind {
        DocumentKind::of(&self.head, &self.subject)
    }

    /// Such as `v2.1 draft`; may be empty.
    fn label(&self) -> String {
        let parts = self.marks.iter().map(Mark::label).filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(" ").chars().take(LABEL_CHARS_MAX).collect()
    }
}

/// A number of several parts, or a word with digits: `2025-017`, `hx200`, `one` as 1.
pub fn identifier_at(words: &[Word]) -> Option<(String, usize)> {
    const NUMBERS: [&str; 10] =
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let first = words.first()?;
    if !first.has_digit() {
        let number = NUMBERS.iter().position(|number| *number == first.text).map(|place| place + 1);
        return number.map(|number| (number.to_string(), 1));
    }
    let joined = |word: &&Word| word.has_digit() && matches!(word.before, Some('-' | '/' | '.'));
    let used = 1 + words[1..].iter().take_while(joined).count();
    let parts: Vec<&str> = words[..used].iter().map(|word| without_zeros(&word.text)).collect();
    Some((parts.join("-"), used))
}

/// `Annex B`, `Part III`
fn is_character_or_roman(word: &Word) -> bool {
    let is_roman = word.is_shouted && word.text.chars().all(|c| matches!(c, 'i' | 'v' | 'x'));
    let is_alphabetic = word.is_capitalized && word.text.chars().count() == 1;
    (is_roman || is_alphabetic) && word.text.is_ascii()
}

fn without_zeros(digits: &str) -> &str {
    let bare = digits.trim_start_matches('0');
    if bare.starts_with(|c: char| c.is_ascii_digit()) { bare } else { digits }
}

fn add<T: PartialEq>(list: &mut Vec<T>, one: T) {
    if !list.contains(&one) {
        list.push(one);
    }
}

/// The version label in the title, else in the file name; may be empty.
pub fn version_label(title: &str, url: &str) -> String {
    let of_title = Name::of(title).label();
    if of_title.is_empty() { Name::of(&file_of(url)).label() } else { of_title }
}

/// The last path segment, decoded.
pub fn file_of(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let file = path.splitn(4, '/').nth(3).and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    decoded(file).into_owned()
}

fn decoded(file: &str) -> Cow<'_, str> {
    if !file.contains('%') {
        return Cow::Borrowed(file);
    }
    let mut bytes = Vec::with_capacity(file.len());
    let mut rest = file.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%').and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_kinds() {
        let table = [
            ("Council minutes 12 March 2025 approved", DocumentKind::Event),
            ("Weekly sales report", DocumentKind::Report),
            ("Report on the travel policy", DocumentKind::Report),
            ("Invoice policy 2024", DocumentKind::Edition),
            ("Datenschutzrichtlinie", DocumentKind::Edition),
            ("Mietvertrag", DocumentKind::Contract),
            ("Invoices", DocumentKind::Event),
            ("Holiday pictures", DocumentKind::Other),
            ("", DocumentKind::Other),
        ];
        for (name, expected) in table {
            assert_eq!(Name::of(name).kind(), expected, "{name}");
        }
    }

    #[test]
    fn versions_have_labels() {
        let table = [
            ("Contract v2", "", "v2"),
            ("Contract_v2.1_draft", "", "v2.1 draft"),
            ("Contract (Version 3, final)", "", "v3 final"),
            ("Contract FINAL final", "", "final"),
            ("Contract rev 12", "", "v12"),
            ("Contract rev. 12", "", "v12"),
            ("Contract rev B", "", "rev B"),
            ("Contract", "https://a.example/x/contract_revC.docx", "rev C"),
            ("Contract, third edition", "", "v3"),
            ("Contract", "https://a.example/x/contract-signed.pdf", "signed"),
            (
                "Contract",
                "https://a.example/x/vertrag%20gepr%C3%BCft%20%C3%BCberarbeitet.pdf",
                "überarbeitet",
            ),
            ("Contract", "https://a.example/v2/contract.pdf", ""),
            ("Contract", "https://v2.example", ""),
            ("Contract", "https://a.example/100%", ""),
            ("Contract of 2026", "", ""),
            ("Contract to be signed", "", "signed"),
            ("Contract draft 2", "", "draft v2"),
            ("Contract draft 12 March", "", "draft"),
            ("Contract draft 12-03-2025", "", "draft"),
            ("Phone Policy 1.1", "", "v1.1"),
            ("Export Interface 3.0-rc1", "", "v3 rc"),
            ("Phone Policy 12.3.2025", "", ""),
            ("Policy 1.1 of the branch", "", ""),
            ("Release Notes 7.2", "", ""),
            ("Contract 1.1", "", ""),
            ("Version of the events", "", ""),
            ("The river v2026", "", ""),
            ("", "", ""),
        ];
        for (title, url, expected) in table {
            assert_eq!(version_label(title, url), expected, "{title} {url}");
        }
        let long = "draft wip redline old backup copy final approved executed signed published";
        assert_eq!(version_label(long, "").chars().count(), LABEL_CHARS_MAX);
    }

    #[test]
    fn names_are_taken_apart() {
        let told = |text: &str| {
            let name = Name::of(text);
            let dates = (name.dates.len(), name.draft_dates.len());
            format!("{} | {} | {} {}", name.subject.join(" "), name.numbers.join(" "), dates.0, dates.1)
        };
        let table = [
            ("Invoice 2025-017 Pallas Shipping (1)", "invoice pallas shipping | 2025-17 | 0 0"),
            ("SOW 07 Tessel - draft", "sow tessel | 7 | 0 0"),
            ("Lease Unit 4 draft of 12 March", "lease unit | 4 | 0 1"),
            ("Council minutes 12 March 2025 draft", "council minutes |  | 1 0"),
            ("insp-b12-rev-a.pdf", "insp | b12 | 0 0"),
            ("Part III of Annex B", "part annex | iii b | 0 0"),
            ("Staff Handbook 2024-25", "staff handbook |  | 1 0"),
            ("Part two, second draft", "part | 2 | 0 0"),
            ("Lease draft 2 of 12 March", "lease |  | 0 1"),
            ("Phone Policy 1.1 final", "phone policy |  | 0 0"),
            ("Release Notes 7.2", "release notes | 7-2 | 0 0"),
            ("Reminder, second reading", "reminder second reading |  | 0 0"),
        ];
        for (name, expected) in table {
            assert_eq!(told(name), expected, "{name}");
        }
        assert_eq!(Name::of(&"word ".repeat(WORDS_MAX + 1)).subject.len(), 1);
        assert_eq!(Name::of("Report on the policy").head, ["report"]);
    }
}
