//! The exact check of a pair: whether two texts are the same document.
//!
//! Two documents on one topic have close embeddings, so the words decide too: which of them differ, and how many.

use super::hashed_words::{NO_WORD, SHINGLE_WORDS, Word, is_number, shingles};
use super::text::Text;
use crate::embedder::Embedding;

/// If a body is shorter than this, in words, two texts are the same only if all their words are.
pub const BODY_WORDS_MIN: usize = 8;
/// Most additional words of one title, such as `Reprint:` or the name of a site.
pub const TITLE_EXTRA_WORDS_MAX: usize = 6;
/// The minimum share of the shorter text's shingles in the longer one. Words alone may occur in any long text.
pub const SHINGLES_SHARED_MIN: f64 = 0.55;
/// How much faster the required share of words falls than the setting: a similarity of 0.95 requires 0.8 of the words.
const WORDS_PER_SIMILARITY: f64 = 4.0;
/// The minimum share of words, whatever the setting.
const WORDS_SHARED_FLOOR: f64 = 0.5;
/// A body with less than this share of the other's words is a part of it, and may be compared with that part.
const PART_SHARE: f64 = 0.8;
/// A body with even less is a passage: other documents quote it.
pub const PART_SHARE_MIN: f64 = 0.4;
/// The required cosine is lower for short texts, as if they had this many more words to differ in: one word moves the
/// embedding of a short text further than that of a long one.
const WORDS_OF_SLACK: f64 = 40.0;
/// One number may differ for every this many numbers.
pub const NUMBERS_FOR_ONE_OTHER: usize = 10;

/// When two texts are the same document.
pub struct Sameness<'a> {
    /// The required cosine of their embeddings if they are long; short ones need less.
    pub minimum: f64,
    /// The embedding of a text; zero if the model does not know it.
    pub embed: &'a dyn Fn(&str) -> Embedding,
}

impl Sameness<'_> {
    pub fn holds(&self, a: &Text<'_>, b: &Text<'_>) -> bool {
        may_be_same(a, b) && self.confirms(a, b)
    }

    /// The second step of the check, for a pair that [`may_be_same`].
    pub(super) fn confirms(&self, a: &Text<'_>, b: &Text<'_>) -> bool {
        a.has_words_of(b)
            || (self.words_agree(a, b) && !numbers_differ(a.words(), b.words()) && self.meanings_agree(a, b))
    }

    fn words_agree(&self, a: &Text<'_>, b: &Text<'_>) -> bool {
        let least = (1.0 - WORDS_PER_SIMILARITY * (1.0 - self.minimum)).max(WORDS_SHARED_FLOOR);
        let both_titled = !a.title().is_empty() && !b.title().is_empty();
        let words = if both_titled {
            share_of_shorter(&a.sorted().body, &b.sorted().body)
        } else {
            share_of_shorter(&a.sorted_words(), &b.sorted_words())
        };
        words >= least && share_of_shorter(&a.sorted().shingles, &b.sorted().shingles) >= SHINGLES_SHARED_MIN
    }

    fn meanings_agree(&self, a: &Text<'_>, b: &Text<'_>) -> bool {
        let (short, long) = if a.body().len() <= b.body().len() { (a, b) } else { (b, a) };
        let (few, many) = (short.body().len(), long.body().len());
        let share = few as f64 / many as f64;
        let distance_max = (1.0 - self.minimum) * (1.0 + WORDS_OF_SLACK / short.words().len() as f64);
        // Without an embedding, in a language that the model does not know, the words alone decide.
        let agree = |other: &Embedding| {
            let of_short = short.embedding(self.embed);
            let is_known = !of_short.is_zero() && !other.is_zero();
            !is_known || 1.0 - f64::from(of_short.cosine(other)) <= distance_max
        };
        share >= PART_SHARE_MIN
            && (agree(long.embedding(self.embed))
                || (share < PART_SHARE
                    && agree(&(self.embed)(&long.plain_part(part_start(short, long), few)))))
    }
}

/// The first step of the check, which needs neither sorted lists nor embeddings and rejects most pairs.
pub(super) fn may_be_same(a: &Text<'_>, b: &Text<'_>) -> bool {
    let is_short = a.body_words().min(b.body_words()) < BODY_WORDS_MIN;
    if is_short {
        // Titles are reused, as by a weekly report. The day distinguishes them.
        let have_words = !a.words().is_empty() && !b.words().is_empty();
        return a.has_words_of(b) && have_words && !days_differ(a, b);
    }
    a.has_words_of(b) || titles_agree(a, b)
}

/// Whether both days are known and differ.
fn days_differ(a: &Text<'_>, b: &Text<'_>) -> bool {
    a.day().zip(b.day()).is_some_and(|(a, b)| a != b)
}

/// One title may have words before or after those of the other, such as `Reprint:` or the name of a site. A word that
/// replaces another or comes between the others, a number, or a word that its own document mentions and the other does
/// not, makes it the title of another document.
fn titles_agree(a: &Text<'_>, b: &Text<'_>) -> bool {
    let (short, long) = if a.title_words() <= b.title_words() { (a, b) } else { (b, a) };
    let few = short.title_words();
    if few == 0 || short.has_title_of(long) {
        return true;
    }
    // Other titles of as many words have other words.
    let extra = long.title_words() - few;
    (1..=few.min(TITLE_EXTRA_WORDS_MAX)).contains(&extra) && extra_words_say_nothing(short, long)
}

/// Whether the title of `long` is that of `short` with words before or after it that do not distinguish the documents.
/// Not inlined: few pairs need it.
#[inline(never)]
fn extra_words_say_nothing(short: &Text<'_>, long: &Text<'_>) -> bool {
    let few = short.title_words();
    let found = long.title().windows(few).position(|words| words == short.title());
    let Some(start) = found else { return false };
    let (before, rest) = long.title().split_at(start);
    let says_nothing =
        |word: &Word| !is_number(*word) && (short.words().contains(word) || !long.body().contains(word));
    before.iter().chain(&rest[few..]).all(says_nothing)
}

/// The share of the shorter list that the longer one contains. Both are sorted.
fn share_of_shorter<T: Ord>(a: &[T], b: &[T]) -> f64 {
    let (mut at_a, mut at_b, mut shared) = (0, 0, 0_usize);
    while let (Some(word), Some(other)) = (a.get(at_a), b.get(at_b)) {
        at_a += usize::from(word <= other);
        at_b += usize::from(other <= word);
        shared += usize::from(word == other);
    }
    shared as f64 / a.len().min(b.len()).max(1) as f64
}

/// Whether numbers are replaced by other numbers: the next issue of a report, another model, another day. A number that
/// only one of them has says nothing; it may have been left out. Nor does one of many that differs.
fn numbers_differ(a: &[Word], b: &[Word]) -> bool {
    let (a, b) = (numbers(a), numbers(b));
    let missing = |number: &Number, other: &[Number]| other.iter().all(|one| one.word != number.word);
    let only_b: Vec<&Number> = b.iter().filter(|number| missing(number, &a)).collect();
    let differs = |number: &&Number| {
        let mut in_its_place = b.iter().filter(|other| number.is_between_the_same(other)).peekable();
        let other_stands_there =
            in_its_place.peek().is_some() && in_its_place.all(|other| other.word != number.word);
        other_stands_there
            || (missing(number, &b) && only_b.iter().any(|other| number.is_among_the_same(other)))
    };
    a.iter().filter(differs).count() > a.len().min(b.len()) / NUMBERS_FOR_ONE_OTHER
}

/// A number, and the two words before and after it.
#[derive(Clone, Copy)]
struct Number {
    before: [Word; 2],
    word: Word,
    after: [Word; 2],
}

impl Number {
    /// Whether two of the words around it also surround the other.
    fn is_among_the_same(&self, other: &Self) -> bool {
        let around =
            |word: &&Word| **word != NO_WORD && (other.before.contains(word) || other.after.contains(word));
        self.before.iter().chain(&self.after).filter(around).count() >= 2
    }

    /// Whether the adjacent words on both sides are the same.
    fn is_between_the_same(&self, other: &Self) -> bool {
        self.before[1] == other.before[1] && self.after[0] == other.after[0]
    }
}

fn numbers(words: &[Word]) -> Vec<Number> {
    let at = |place: Option<usize>| place.and_then(|place| words.get(place)).copied().unwrap_or(NO_WORD);
    let found = words.iter().enumerate().filter(|(_, word)| is_number(**word));
    let number = |(place, word): (usize, &Word)| Number {
        before: [at(place.checked_sub(2)), at(place.checked_sub(1))],
        word: *word,
        after: [at(Some(place + 1)), at(Some(place + 2))],
    };
    found.map(number).collect()
}

/// The word of the longer body at which the shorter one begins, by the first common shingle.
fn part_start(short: &Text<'_>, long: &Text<'_>) -> usize {
    let few = short.body().len();
    let in_long: Vec<u32> = shingles(long.body()).collect();
    let known = |(place, shingle): (usize, u32)| {
        in_long.iter().position(|other| *other == shingle).map(|found| found.saturating_sub(place))
    };
    let start = shingles(short.body()).enumerate().find_map(known).unwrap_or_default();
    start.min((in_long.len() + SHINGLE_WORDS).saturating_sub(few + 1))
}
