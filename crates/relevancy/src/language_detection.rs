//! Which language a text or a result is in, by its stopwords. Queries: [`crate::query_language`].
//!
//! The first words of a result are enough, and take about a microsecond.

use crate::language::Language;
use crate::stopwords;
use crate::tokens::tokens_of_source;
use crate::word_filter::WordFilter;
use domain::result::ResultItem;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::ControlFlow;
use std::sync::LazyLock;

/// Most words of a text that are read.
pub const TEXT_WORDS_MAX: usize = 200;
/// Most words of a result that are read, and most bytes of each of its texts.
pub const RESULT_WORDS_MAX: usize = 32;
pub const RESULT_BYTES_MAX: usize = 320;
/// Longest word that is looked up, in bytes; no stopword is as long.
const WORD_BYTES_MAX: usize = 32;
/// Required number of stopwords; fewer may occur in a text of any language.
const HITS_MIN: u16 = 2;
/// A result in another language than the expected one has so many times more of its stopwords.
const CLEARLY: u16 = 2;
/// A result is in the expected language if it begins with so many stopwords that no other language has, before any that
/// the expected one does not have.
const OWN_SURE: u16 = 2;
/// Of similar languages, the earlier counts.
pub(crate) const LIKELY_FIRST: [&str; 18] = [
    "english",
    "german",
    "french",
    "spanish",
    "italian",
    "portuguese",
    "dutch",
    "danish",
    "norwegian",
    "swedish",
    "finnish",
    "hungarian",
    "romanian",
    "russian",
    "turkish",
    "greek",
    "arabic",
    "tamil",
];

/// Stopwords of other languages that English texts have too, each with its kind: `word` is an English word, `name` is
/// part of names (`van`), a common abbreviation or a loanword.
const IN_ENGLISH: &str = include_str!("../data/stopwords-in-english.tsv");
/// A stopword with as many characters may be an abbreviation.
const ABBREVIATION_CHARACTERS_MAX: usize = 2;

/// The languages of which a word is a stopword: one bit for each place in [`LIKELY_FIRST`].
pub(crate) type Languages = u32;

/// A word that is a stopword of some language. Those that are also English words (`war`, `man`) are not in the table:
/// they do not distinguish English from other languages.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stopword {
    pub(crate) languages: Languages,
    /// English texts often have it too, so that it is weak evidence.
    pub(crate) is_in_english: bool,
}

pub(crate) static LANGUAGES: LazyLock<[Language; LIKELY_FIRST.len()]> =
    LazyLock::new(|| LIKELY_FIRST.map(Language::named));

static STOPWORDS: LazyLock<HashMap<&'static str, Stopword, BuildHasherDefault<ShortHasher>>> =
    LazyLock::new(|| {
        let names: HashSet<&str> = in_english("name").collect();
        let mut all: HashMap<_, Stopword, _> = HashMap::default();
        for (place, language) in LANGUAGES.iter().enumerate() {
            for word in stopwords::list(*language).iter().filter(|word| !word.is_empty()) {
                let known = all.entry(*word).or_default();
                known.languages |= 1 << place;
                known.is_in_english = names.contains(word) || may_be_abbreviation(word);
            }
        }
        in_english("word").for_each(|word| {
            all.remove(word);
        });
        all
    });

/// Most words are no stopwords, and are excluded without a look into the table.
static STOPWORD_FILTER: LazyLock<WordFilter> = LazyLock::new(|| WordFilter::of(STOPWORDS.keys().copied()));

static ENGLISH_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| in_english("word").collect());

fn in_english(kind: &'static str) -> impl Iterator<Item = &'static str> {
    IN_ENGLISH
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .filter(move |row| row.1 == kind)
        .map(|row| row.0)
}

fn may_be_abbreviation(word: &str) -> bool {
    word.chars().count() <= ABBREVIATION_CHARACTERS_MAX && word.chars().all(is_latin)
}

/// Before the Greek characters.
fn is_latin(c: char) -> bool {
    c < '\u{370}'
}

/// FNV-1a: the words are short, and the table has no others than ours.
struct ShortHasher(u64);

impl Default for ShortHasher {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for ShortHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        // The table uses the highest bits, which the last bytes have hardly reached.
        self.0 ^ (self.0 << 32)
    }
}

/// The number of words of each language, by its place in [`LIKELY_FIRST`].
pub(crate) type Counts = [u16; LIKELY_FIRST.len()];

/// Calls back for each stopword of a text, of at most so many words, until told to stop; returns how many words were
/// read.
fn each_stopword(text: &str, words_max: usize, mut found: impl FnMut(Languages) -> ControlFlow<()>) -> usize {
    let mut buffer = [0; WORD_BYTES_MAX];
    let (stopwords, filter) = (&*STOPWORDS, &*STOPWORD_FILTER);
    let mut tokens = tokens_of_source(text);
    let mut read = 0;
    while read < words_max
        && let Some(token) = tokens.advance()
    {
        read += 1;
        if !filter.may_contain(&text.as_bytes()[token.start..], token.text.len()) {
            continue;
        }
        if let Some(known) = lower_in(&mut buffer, token.text).and_then(|word| stopwords.get(word))
            && found(known.languages).is_break()
        {
            break;
        }
    }
    read
}

/// What is known of a word in lower case; nothing if it is no stopword, or also an English word.
pub(crate) fn find_stopword(word: &str) -> Option<Stopword> {
    STOPWORDS.get(word).copied()
}

pub(crate) fn count(counts: &mut Counts, mut languages: Languages) {
    while languages != 0 {
        counts[languages.trailing_zeros() as usize] += 1;
        languages &= languages - 1;
    }
}

/// The highest count, and its place; of equals the likelier.
fn best(counts: &Counts) -> (usize, u16) {
    let mut best = (0, 0);
    for (place, count) in counts.iter().enumerate() {
        if *count > best.1 {
            best = (place, *count);
        }
    }
    best
}

impl Language {
    /// The language with the most stopwords in the text; `None` if there are hardly any.
    pub fn of_text(text: &str) -> Option<Self> {
        let mut counts = Counts::default();
        each_stopword(text, TEXT_WORDS_MAX, |languages| {
            count(&mut counts, languages);
            ControlFlow::Continue(())
        });
        let (place, hits) = best(&counts);
        (hits >= HITS_MIN).then(|| LANGUAGES[place])
    }

    /// Whether a word in lower case is a stopword of any language, and not also an English word like `war`.
    pub fn is_stopword_anywhere(word: &str) -> bool {
        STOPWORDS.contains_key(word)
    }

    /// Whether a word in lower case is an English word that is a stopword of another language.
    pub(crate) fn is_english_and_stopword(word: &str) -> bool {
        ENGLISH_WORDS.contains(word)
    }

    /// The language in which a result is read, if a query in the expected one may find it: the expected one, unless the
    /// result is clearly in another. Words that both languages have do not count.
    pub fn of_result(item: &ResultItem, expected: Self) -> Self {
        let place = LANGUAGES.iter().position(|known| *known == expected);
        let expected_bit: Languages = place.map_or(0, |place| 1 << place);
        let (mut others, mut shared, mut expected_hits) = (Counts::default(), Counts::default(), 0);
        let (mut own, mut has_others) = (0, false);
        let mut words_max = RESULT_WORDS_MAX;
        for text in [&item.body, &item.title] {
            let start = &text[..text.floor_char_boundary(RESULT_BYTES_MAX)];
            words_max -= each_stopword(start, words_max, |languages| {
                if languages & expected_bit == 0 {
                    has_others = true;
                    count(&mut others, languages);
                    return ControlFlow::Continue(());
                }
                own += u16::from(languages == expected_bit);
                if own == OWN_SURE && !has_others {
                    return ControlFlow::Break(());
                }
                expected_hits += 1;
                count(&mut shared, languages);
                ControlFlow::Continue(())
            });
            if own == OWN_SURE && !has_others {
                return expected;
            }
        }
        let (place, hits) = best(&others);
        let of_expected_alone = expected_hits - shared[place];
        if hits >= HITS_MIN + CLEARLY * of_expected_alone { LANGUAGES[place] } else { expected }
    }
}

/// The word in lower case; `None` if it is longer than any stopword. It is not composed anew: stopwords with separate
/// accents are rare.
fn lower_in<'b>(buffer: &'b mut [u8; WORD_BYTES_MAX], word: &str) -> Option<&'b str> {
    let mut length = 0;
    if word.is_ascii() {
        let lower = buffer.get_mut(..word.len())?;
        lower.copy_from_slice(word.as_bytes());
        lower.make_ascii_lowercase();
        length = word.len();
    } else {
        for c in word.chars().flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c }) {
            let end = length + c.len_utf8();
            c.encode_utf8(buffer.get_mut(length..end)?);
            length = end;
        }
    }
    std::str::from_utf8(buffer.get(..length)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(language: &str) -> Language {
        Language::named(language)
    }

    #[test]
    fn texts_tell_their_language() {
        for (text, expected) in [
            ("", None),
            ("The river rose in the night and it was cold.", Some("english")),
            ("Der Fluss stieg in der Nacht, und es war kalt.", Some("german")),
            ("Le fleuve est monté dans la nuit et il faisait froid.", Some("french")),
            ("Река поднялась ночью, и было холодно, но не так.", Some("russian")),
            ("Rhine Danube Elbe", None),
        ] {
            assert_eq!(Language::of_text(text), expected.map(named), "{text}");
        }
        assert!(LIKELY_FIRST.iter().all(|name| named(name).known().is_some()));
        assert_eq!(LIKELY_FIRST.len(), crate::language::KNOWN.len());
    }

    #[test]
    fn a_result_is_read_in_another_language_only_if_it_clearly_is_in_it() {
        let table = [
            ("", "Der Fluss führt Hochwasser, und die Häuser sind in Gefahr.", "german"),
            ("", "La rivière est montée dans la nuit et les maisons sont menacées.", "french"),
            ("", "Los camiones llevan el agua a los pueblos que no tienen pozo.", "spanish"),
            // "an" and "am" are English too.
            ("Hochwasser an der Elbe und am Rhein", "", "german"),
            ("", "The <em>river</em> rose in the night and it was cold.", "english"),
            ("", "A <em>river</em>, a <em>gauge</em>, <em>levels</em>", "english"),
            ("", "He was a man of the family of Orange, want me over all is there", "english"),
            ("", "The tower and then der Fluss führt Hochwasser, und die Häuser sind in Gefahr", "english"),
            ("", "The opera Der Ring des Nibelungen by Wagner is on the program of the festival", "english"),
            ("Rhine Danube", "Elbe", "english"),
            ("", "", "english"),
        ];
        for (title, body, expected) in table {
            let item = ResultItem { title: title.to_owned(), body: body.to_owned(), ..ResultItem::default() };
            assert_eq!(Language::of_result(&item, Language::ENGLISH), named(expected), "{title} {body}");
        }
    }

    #[test]
    fn reading_is_bounded() {
        let german = "der und die ".repeat(RESULT_WORDS_MAX);
        let of = |body: String| {
            Language::of_result(&ResultItem { body, ..ResultItem::default() }, Language::ENGLISH)
        };
        assert_eq!(of(german.clone()), named("german"));
        assert_eq!(of("x ".repeat(RESULT_WORDS_MAX) + &german), Language::ENGLISH, "words");
        assert_eq!(of("x".repeat(RESULT_BYTES_MAX) + " " + &german), Language::ENGLISH, "bytes");
        assert_eq!(of("ü".repeat(RESULT_BYTES_MAX) + " " + &german), Language::ENGLISH, "a whole character");
        let late = "x ".repeat(TEXT_WORDS_MAX) + &german;
        assert_eq!(Language::of_text(&late), None);
        assert_eq!(Language::of_text(&"y".repeat(WORD_BYTES_MAX + 1)), None);
        assert!(
            Language::all()
                .all(|known| stopwords::list(known).iter().all(|word| word.len() <= WORD_BYTES_MAX))
        );
    }

    #[test]
    fn words_in_english_texts_are_stopwords_elsewhere() {
        let rows: Vec<(&str, &str)> = IN_ENGLISH.lines().filter_map(|line| line.split_once('\t')).collect();
        assert!(rows.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(IN_ENGLISH.lines().count(), in_english("word").count() + in_english("name").count());
        for (word, _) in rows {
            let others = Language::all().filter(|language| *language != Language::ENGLISH);
            assert!(others.into_iter().any(|language| language.is_stopword(word)), "{word}");
            assert!(!Language::ENGLISH.is_stopword(word), "{word}");
        }
        for (word, expected) in [
            ("war", None),
            ("und", Some(false)),
            ("van", Some(true)),
            ("im", Some(true)),
            ("à", Some(true)),
            ("не", Some(false)),
            ("river", None),
        ] {
            assert_eq!(find_stopword(word).map(|known| known.is_in_english), expected, "{word}");
        }
    }

    #[test]
    fn words_are_looked_up_in_lower_case() {
        let mut buffer = [0; WORD_BYTES_MAX];
        for (word, expected) in
            [("DER", Some("der")), ("ÉTÉ", Some("été")), ("Don’t", Some("don't")), ("", Some(""))]
        {
            assert_eq!(lower_in(&mut buffer, word), expected);
        }
        assert_eq!(lower_in(&mut buffer, &"x".repeat(WORD_BYTES_MAX + 1)), None);
        assert_eq!(lower_in(&mut buffer, &"ü".repeat(WORD_BYTES_MAX)), None);
    }
}
