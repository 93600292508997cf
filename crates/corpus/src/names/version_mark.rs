//! What a name says about the version: stage, number, and whether it is a copy.

use super::words::Word;

/// Larger numbers are probably years.
const NUMBER_MAX: u32 = 999;
/// Most digits of a copy number in parentheses.
const COPY_DIGITS_MAX: usize = 2;
/// Words before a version number. A single `r` must be attached to it.
const NUMBERED: [&str; 6] = ["v", "ver", "version", "rev", "revision", "r"];
const LETTERED: [&str; 2] = ["rev", "revision"];
const EDITIONS: [&str; 6] = ["edition", "ed", "auflage", "ausgabe", "fassung", "édition"];
const ORDINALS: [&str; 10] =
    ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
/// After these a stage is not reached yet: "to be signed".
const NOT_YET: [&str; 3] = ["be", "not", "nicht"];
/// Words before the number of a draft.
const DRAFTS: [&str; 5] = ["draft", "entwurf", "brouillon", "borrador", "bozza"];
/// Larger numbers after a draft, and parts of a number with a decimal point, say something else.
const SMALL_NUMBER_MAX: u32 = 99;

/// What a stage says about a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Finished.
    Done,
    /// Unfinished or replaced.
    Undone,
    Copy,
    /// Neither better nor worse.
    Other,
}

const STAGES: [(&str, Stage); 60] = [
    ("draft", Stage::Undone),
    ("wip", Stage::Undone),
    ("redline", Stage::Undone),
    ("old", Stage::Undone),
    ("backup", Stage::Undone),
    ("copy", Stage::Copy),
    ("final", Stage::Done),
    ("approved", Stage::Done),
    ("executed", Stage::Done),
    ("signed", Stage::Done),
    ("published", Stage::Done),
    ("archived", Stage::Other),
    // Other words for them.
    ("superseded", Stage::Undone),
    ("obsolete", Stage::Undone),
    ("outdated", Stage::Undone),
    ("redlined", Stage::Undone),
    ("preliminary", Stage::Undone),
    (CANDIDATE, Stage::Undone),
    ("unsigned", Stage::Undone),
    ("finalised", Stage::Done),
    ("finalized", Stage::Done),
    ("entwurf", Stage::Undone),
    ("vorläufig", Stage::Undone),
    ("veraltet", Stage::Undone),
    ("endfassung", Stage::Done),
    ("genehmigt", Stage::Done),
    ("freigegeben", Stage::Done),
    ("unterschrieben", Stage::Done),
    ("unterzeichnet", Stage::Done),
    ("veröffentlicht", Stage::Done),
    ("kopie", Stage::Copy),
    ("brouillon", Stage::Undone),
    ("approuvé", Stage::Done),
    ("signé", Stage::Done),
    ("définitif", Stage::Done),
    ("définitive", Stage::Done),
    ("copie", Stage::Copy),
    ("borrador", Stage::Undone),
    ("aprobado", Stage::Done),
    ("firmado", Stage::Done),
    ("bozza", Stage::Undone),
    ("approvato", Stage::Done),
    ("firmato", Stage::Done),
    ("copia", Stage::Copy),
    // Marks without a rank.
    ("amended", Stage::Other),
    ("corrected", Stage::Other),
    ("current", Stage::Other),
    ("duplicate", Stage::Other),
    ("latest", Stage::Other),
    ("markup", Stage::Other),
    ("reviewed", Stage::Other),
    ("revised", Stage::Other),
    ("tracked", Stage::Other),
    ("updated", Stage::Other),
    ("version", Stage::Other),
    ("edition", Stage::Other),
    ("aktuell", Stage::Other),
    ("aktualisiert", Stage::Other),
    ("korrigiert", Stage::Other),
    ("überarbeitet", Stage::Other),
];
/// Of a release, with its number.
const CANDIDATE: &str = "rc";
/// They say nothing more than that there are versions.
const UNLABELED: [&str; 2] = ["version", "edition"];
/// Stages of two words: "for review", "execution version". Each word alone says something else.
const PAIRS: [([&str; 2], Stage); 7] = [
    (["for", "review"], Stage::Other),
    (["for", "signature"], Stage::Other),
    (["for", "approval"], Stage::Other),
    (["for", "comments"], Stage::Other),
    (["with", "comments"], Stage::Other),
    (["execution", "version"], Stage::Done),
    (["execution", "copy"], Stage::Done),
];
/// Marks at the end of a name, ordinary words elsewhere.
const AT_END: [&str; 4] = ["clean", "new", "neu", "comments"];

/// A version number: `v2.1`, `rev B`, `third edition`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VersionNumber {
    pub major: u32,
    pub minor: u32,
    pub is_alphabetic: bool,
}

impl std::fmt::Display for VersionNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let character = u8::try_from(self.major).ok().filter(|_| self.is_alphabetic);
        match (character, self.minor) {
            (Some(character), _) => write!(f, "{}", char::from(b'A' + character.saturating_sub(1))),
            (None, 0) => write!(f, "{}", self.major),
            (None, minor) => write!(f, "{}.{minor}", self.major),
        }
    }
}

/// One mark in a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Number(VersionNumber),
    Stage(&'static str, Stage),
    /// `(2)`
    CopyNumber,
}

impl Mark {
    /// As shown to people; empty if it is not.
    pub fn label(&self) -> String {
        match self {
            Self::Number(number) if number.is_alphabetic => format!("rev {number}"),
            Self::Number(number) => format!("v{number}"),
            Self::Stage(word, _) if !UNLABELED.contains(word) => (*word).to_owned(),
            Self::Stage(..) | Self::CopyNumber => String::new(),
        }
    }
}

/// The mark that begins at this place, and the number of its words.
pub fn mark_at(words: &[Word], place: usize) -> Option<(Mark, usize)> {
    let rest = &words[place..];
    let first = rest.first()?;
    let is_copy_number = first.is_parenthesized
        && first.text.len() <= COPY_DIGITS_MAX
        && first.number().is_some_and(|n| n > 0);
    if is_copy_number {
        return Some((Mark::CopyNumber, 1));
    }
    if let Some((number, used)) = version_number_at(rest).or_else(|| edition_at(rest)) {
        return Some((Mark::Number(number), used));
    }
    if let Some(number) = draft_number_at(words, place) {
        return Some((Mark::Number(number), 1));
    }
    if let Some(pair) = pair_at(rest) {
        return Some((pair, 2));
    }
    if let [last] = rest
        && let Some(word) = AT_END.into_iter().find(|word| *word == last.text)
    {
        return Some((Mark::Stage(word, Stage::Other), 1));
    }
    let is_not_yet = place.checked_sub(1).is_some_and(|last| NOT_YET.contains(&words[last].text.as_str()));
    let bare = first.text.trim_end_matches(|c: char| c.is_ascii_digit());
    let (word, stage) = STAGES.into_iter().find(|(word, _)| *word == bare)?;
    // `rc1`, but not the initials of a name.
    if word == CANDIDATE && bare == first.text {
        return None;
    }
    let stage = if is_not_yet { Stage::Other } else { stage };
    Some((Mark::Stage(word, stage), 1))
}

fn pair_at(words: &[Word]) -> Option<Mark> {
    let [one, other, ..] = words else { return None };
    let ([first, second], stage) =
        PAIRS.into_iter().find(|([first, second], _)| *first == one.text && *second == other.text)?;
    Some(Mark::Stage(if stage == Stage::Done { first } else { second }, stage))
}

/// `v2`, `version 3`, `rev. 12`, `v2.1`, `rev B`
pub fn version_number_at(words: &[Word]) -> Option<(VersionNumber, usize)> {
    let first = words.first()?;
    let prefix = first.text.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_attached = prefix.len() < first.text.len();
    if !is_attached && let Some(character) = revision_at(words) {
        return Some(character);
    }
    if !NUMBERED.contains(&prefix) || (!is_attached && prefix == "r") {
        return None;
    }
    let (major, used) = if is_attached {
        (first.text[prefix.len()..].parse().ok()?, 1)
    } else {
        (words.get(1)?.number()?, 2)
    };
    if major > NUMBER_MAX {
        return None;
    }
    let minor = words.get(used).filter(|word| matches!(word.before, Some('.' | '_' | '-')));
    let is_date = words.get(used + 1).is_some_and(|word| super::months::month_of(word).is_some());
    let minor = minor.and_then(Word::number).filter(|minor| *minor <= NUMBER_MAX && !is_date);
    let number = VersionNumber { major, minor: minor.unwrap_or(0), is_alphabetic: false };
    Some((number, used + usize::from(minor.is_some())))
}

/// `rev B`, and `revb` as in file names
fn revision_at(words: &[Word]) -> Option<(VersionNumber, usize)> {
    let first = words.first()?;
    let character = |text: &str| match text.as_bytes() {
        [character @ b'a'..=b'z'] => Some(u32::from(character - b'a') + 1),
        _ => None,
    };
    let number = |major| VersionNumber { major, minor: 0, is_alphabetic: true };
    if LETTERED.contains(&first.text.as_str()) {
        return character(&words.get(1)?.text).map(|major| (number(major), 2));
    }
    first.text.strip_prefix("rev").and_then(character).map(|major| (number(major), 1))
}

/// `2` in `draft 2`, unless a date begins with it.
fn draft_number_at(words: &[Word], place: usize) -> Option<VersionNumber> {
    let before = words.get(place.checked_sub(1)?)?;
    let major = words.get(place)?.number().filter(|number| (1..=SMALL_NUMBER_MAX).contains(number))?;
    let is_date = words.get(place + 1).is_some_and(|next| {
        super::months::month_of(next).is_some() || (next.has_digit() && next.before != Some(' '))
    });
    let is_number = DRAFTS.contains(&before.text.as_str()) && !is_date;
    is_number.then_some(VersionNumber { major, minor: 0, is_alphabetic: false })
}

/// `1.1` at the end of a name, or before its last marks: the version of a document that has editions. Other documents
/// are about a version: release notes, for example.
pub fn edition_number_at(words: &[Word], place: usize) -> Option<(VersionNumber, usize)> {
    let is_small = |number: &u32| *number <= SMALL_NUMBER_MAX;
    let major = words.get(place)?.number().filter(is_small)?;
    let minor = words.get(place + 1).filter(|word| word.before == Some('.') && !is_padded(&word.text))?;
    let minor = minor.number().filter(is_small)?;
    let mut at = place + 2;
    while at < words.len() {
        at += mark_at(words, at)?.1;
    }
    Some((VersionNumber { major, minor, is_alphabetic: false }, 2))
}

/// `03`, as in dates.
fn is_padded(digits: &str) -> bool {
    digits.len() > 1 && digits.starts_with('0')
}

/// `third edition`, `2nd ed`, `3. Auflage`, `edition 3`, `ed3`, `second draft`
fn edition_at(words: &[Word]) -> Option<(VersionNumber, usize)> {
    let first = words.first()?;
    let number = |major| VersionNumber { major, minor: 0, is_alphabetic: false };
    let is_small = |major: &u32| (1..100).contains(major);
    let is_edition = |word: &Word| EDITIONS.contains(&word.text.as_str());
    if let Some(next) = words.get(1) {
        let is_stage = ["draft", "version", "revision", "entwurf"].contains(&next.text.as_str());
        let is_stage = is_stage && first.number().is_none();
        if let Some(major) = ordinal(first).filter(|_| is_edition(next) || is_stage) {
            // The stage itself is read again.
            return Some((number(major), if is_edition(next) { 2 } else { 1 }));
        }
        if is_edition(first) {
            return next.number().filter(is_small).map(|major| (number(major), 2));
        }
    }
    first.text.strip_prefix("ed").and_then(|rest| rest.parse().ok()).filter(is_small).map(|m| (number(m), 1))
}

/// `third`, `3rd`, `3`
fn ordinal(word: &Word) -> Option<u32> {
    if let Some(place) = ORDINALS.iter().position(|ordinal| *ordinal == word.text) {
        return u32::try_from(place + 1).ok();
    }
    let bare = ["st", "nd", "rd", "th"].into_iter().find_map(|end| word.text.strip_suffix(end));
    bare.unwrap_or(&word.text).parse().ok().filter(|number| (1..100).contains(number))
}
