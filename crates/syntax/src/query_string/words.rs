//! The characters of a word that are part of it, and those that separate words.

use super::tag::tag_of;
use super::tokens::{is_hebrew, is_operator};
use std::borrow::Cow;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Schemes of URLs, which are not part of what somebody searches for.
const SCHEMES: [&str; 3] = ["https://", "http://", "ftp://"];

/// The words of one written word, separated by single spaces; empty if there are none.
///
/// Alphanumeric characters and their combining marks stay as they are written, and so do the signs of `C++`, `C#`, `.NET`,
/// `AT&T`, `user@example.com`, `3.5%`, `$20`, `don't`, `10:30` and `doi:10.1000/182`. Other characters separate words,
/// except for invisible ones.
pub(super) fn clean_word(written: &str) -> Cow<'_, str> {
    let is_plain = written.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let cleaned = if is_plain { Cow::Borrowed(written) } else { Cow::Owned(Cleaner::of(written, false)) };
    // `NOT,`, `-NOT` and `AND/OR` are words, and must not become operators.
    if !cleaned.split(' ').any(is_operator) {
        return cleaned;
    }
    let words = cleaned
        .split(' ')
        .map(|word| if is_operator(word) { word.to_ascii_lowercase() } else { word.to_owned() });
    Cow::Owned(words.collect::<Vec<_>>().join(" "))
}

/// The words of a phrase, separated by single spaces; empty if there are none. In a phrase a word may begin with `-`.
/// Parentheses stay if they are balanced.
pub(super) fn clean_phrase(written: &str) -> Cow<'_, str> {
    let is_plain = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if written.split(' ').all(is_plain) {
        return Cow::Borrowed(written);
    }
    let balanced = balanced(written);
    let words =
        balanced.split_whitespace().map(|word| Cleaner::of(word, true)).filter(|word| !word.is_empty());
    Cow::Owned(words.collect::<Vec<_>>().join(" "))
}

/// The symbols of a text without a single alphanumeric character, such as emoji.
pub(super) fn symbols(text: &str) -> String {
    let is_symbol = |c: char| !c.is_ascii() && c.general_category_group() == GeneralCategoryGroup::Symbol;
    if text.contains(char::is_alphanumeric) || !text.contains(is_symbol) {
        return String::new();
    }
    let belongs = |c: char| {
        is_symbol(c)
            || matches!(c, JOINER | '\u{e0020}'..='\u{e007f}')
            || (!c.is_ascii() && c.general_category_group() == GeneralCategoryGroup::Mark)
    };
    let pieces = text.split(|c| !belongs(c)).filter(|piece| piece.contains(is_symbol));
    pieces.collect::<Vec<_>>().join(" ")
}

/// With a space in place of each parenthesis that has no counterpart.
fn balanced(phrase: &str) -> Cow<'_, str> {
    if !phrase.contains(['(', ')']) {
        return Cow::Borrowed(phrase);
    }
    let mut open = Vec::new();
    let mut lonely = Vec::new();
    for (at, byte) in phrase.bytes().enumerate() {
        match byte {
            b'(' => open.push(at),
            b')' if open.pop().is_none() => lonely.push(at),
            _ => {}
        }
    }
    lonely.extend(open);
    lonely.sort_unstable();
    let kept = phrase.char_indices().map(|(at, c)| if lonely.binary_search(&at).is_ok() { ' ' } else { c });
    Cow::Owned(kept.collect())
}

/// Zero-width characters inside words of Persian and Indian scripts.
const JOINER: char = '\u{200d}';
const NON_JOINER: char = '\u{200c}';

/// What becomes of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stays,
    Becomes(char),
    Separates,
    Vanishes,
}

struct Cleaner {
    out: String,
    is_phrase: bool,
    /// It began with a scheme; the colon of its port is not that of a tag.
    is_url: bool,
    /// The last character that was visible.
    before: Option<char>,
}

impl Cleaner {
    fn of(written: &str, is_phrase: bool) -> String {
        let scheme = SCHEMES.iter().find(|scheme| {
            written.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        });
        let written = scheme.map_or(written, |scheme| &written[scheme.len()..]);
        let out = String::with_capacity(written.len());
        let mut cleaner = Self { out, is_phrase, is_url: scheme.is_some(), before: None };
        let mut chars = written.chars();
        while let Some(c) = chars.next() {
            let next = chars.clone().find(|c| !is_invisible(*c));
            cleaner.take(c, next);
        }
        cleaner.words()
    }

    fn take(&mut self, c: char, next: Option<char>) {
        match self.fate(c, next) {
            Fate::Stays => self.out.push(c),
            Fate::Becomes(other) => self.out.push(other),
            Fate::Separates => self.out.push(' '),
            Fate::Vanishes => return,
        }
        self.before = Some(c);
    }

    fn fate(&self, c: char, next: Option<char>) -> Fate {
        if c.is_alphanumeric() {
            return Fate::Stays;
        }
        let last = self.out.chars().next_back().filter(|last| *last != ' ');
        let is_after_word = last.is_some_and(char::is_alphanumeric);
        let is_before_word = next.is_some_and(char::is_alphanumeric);
        let if_it_is = |stays: bool| if stays { Fate::Stays } else { Fate::Separates };
        match c {
            '\'' | '’' => if_it_is(is_part(last) || is_before_word),
            '‘' => if_it_is(is_part(last) && is_before_word),
            '"' if last.is_some_and(is_hebrew) => Fate::Becomes('״'),
            '-' | '\u{2010}' | '\u{2011}' => match (last, self.is_phrase && self.before.is_none()) {
                _ if next.is_none_or(|next| next == '-') || self.before == Some('-') => Fate::Separates,
                (None, false) => Fate::Separates,
                _ => Fate::Becomes('-'),
            },
            '.' => if_it_is(is_before_word && self.before != Some('.') && (is_part(last) || last.is_none())),
            ',' => if_it_is(last.is_some_and(char::is_numeric) && next.is_some_and(char::is_numeric)),
            '&' | '@' => if_it_is(is_part(last) && is_before_word),
            '+' => if_it_is(is_part(last) || last == Some('+')),
            '#' | '%' | '°' => if_it_is(is_part(last)),
            ':' => if_it_is(
                (is_part(last) || last == Some(':')) && next.is_none_or(|c| c == ':' || c.is_alphanumeric()),
            ),
            '?' => {
                if_it_is((is_part(last) || matches!(last, Some('%' | '+' | '#' | ')'))) && !is_before_word)
            }
            '/' => if_it_is(is_part(last) && is_before_word),
            '_' => Fate::Stays,
            '(' | ')' => if_it_is(self.is_phrase),
            '$' => if_it_is(is_after_word || is_before_word),
            JOINER | NON_JOINER => {
                if is_part(last) {
                    Fate::Stays
                } else {
                    Fate::Vanishes
                }
            }
            _ if c.is_ascii() => Fate::Separates,
            _ => other(c, last, is_before_word),
        }
    }

    /// The pieces that contain an alphanumeric character. Only in a word with a tag, `/` is part of it; `_` is in an
    /// address, too.
    fn words(self) -> String {
        let mut words = String::with_capacity(self.out.len());
        let is_tagged = |piece: &str| !self.is_url && tag_of(piece).is_some();
        let is_whole = |piece: &str| is_tagged(piece) || is_address(piece);
        let pieces = self.out.split(' ');
        let pieces = pieces.flat_map(|piece| piece.split(if is_tagged(piece) { ' ' } else { '/' }));
        let pieces = pieces.flat_map(|piece| piece.split(if is_whole(piece) { ' ' } else { '_' }));
        for piece in pieces {
            let piece = piece.trim_end_matches('-');
            let piece = if self.is_phrase { piece } else { piece.trim_start_matches('-') };
            let is_kept =
                piece.contains(char::is_alphanumeric) || (self.is_phrase && piece.contains(['(', ')']));
            if !is_kept {
                continue;
            }
            if !words.is_empty() {
                words.push(' ');
            }
            words.push_str(piece);
        }
        words
    }
}

/// A character of a word that is neither ASCII nor alphanumeric.
fn other(c: char, last: Option<char>, is_before_word: bool) -> Fate {
    use GeneralCategory as Category;
    let if_it_is = |stays: bool| if stays { Fate::Stays } else { Fate::Separates };
    if is_invisible(c) {
        return Fate::Vanishes;
    }
    match (c.general_category(), c.general_category_group()) {
        (_, GeneralCategoryGroup::Mark) => if_it_is(is_part(last)),
        (Category::CurrencySymbol, _) => if_it_is(is_part(last) || is_before_word),
        // Such as the tsheg between the syllables of Tibetan words.
        (Category::OtherPunctuation, _) => if_it_is(is_part(last) && !separates(c)),
        _ => Fate::Separates,
    }
}

fn is_part(last: Option<char>) -> bool {
    last.is_some_and(is_word_char)
}

/// An alphanumeric character, or what belongs to one: a combining mark or a joiner.
pub fn is_word_char(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(c, JOINER | NON_JOINER)
        || (!c.is_ascii() && c.general_category_group() == GeneralCategoryGroup::Mark)
}

/// Such as the marks of the direction of a text, and joiners. A zero-width space separates words.
fn is_invisible(c: char) -> bool {
    !c.is_ascii() && c != '\u{200b}' && c.general_category() == GeneralCategory::Format
}

/// `user@example.com`
fn is_address(written: &str) -> bool {
    written.split_once('@').is_some_and(|(user, host)| {
        user.ends_with(char::is_alphanumeric) && host.starts_with(char::is_alphanumeric)
    })
}

/// The punctuation of other scripts that ends sentences or separates words.
fn separates(c: char) -> bool {
    matches!(u32::from(c),
        0xa1 | 0xa7 | 0xb6 | 0xbf | 0x37e | 0x387 | 0x589 | 0x5c3 | 0x60c | 0x61b..=0x61f | 0x6d4 | 0x964 | 0x965
            | 0xdf4 | 0xe5a | 0xe5b | 0xf0d..=0xf12 | 0x104a | 0x104b | 0x10fb | 0x1361..=0x1368 | 0x166e
            | 0x16eb..=0x16ed | 0x17d4 | 0x17d5 | 0x1802 | 0x1803 | 0x1808 | 0x1809 | 0x2000..=0x206f
            | 0x2e00..=0x2e7f | 0x3000..=0x303f | 0x30fb | 0xfe10..=0xfe6f | 0xff00..=0xff65)
}
