//! Matches a query against file names and texts, ignoring case and accents. All words must match, in phrases in
//! sequence; `OR`, `NOT`, `-` and parentheses are those of the query.

use syntax::query_string::{Expression, Item, is_word_char};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Most words of one query.
pub const TERMS_MAX: usize = 32;
/// Length of the excerpt around the hits, in characters.
pub const WINDOW_CHARS: usize = 400;
/// Most words of a text that are scanned for the best excerpt.
const WINDOW_WORDS_MAX: usize = 200_000;
/// Most hits that are compared for it.
const HITS_MAX: usize = 5_000;
/// Weight of a word in the file name relative to one in the text.
const NAME_WEIGHT: f64 = 3.0;
/// In longer texts, in words, the same number of hits counts less.
const USUAL_WORDS: f64 = 300.0;

/// A query, with its words folded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    condition: Condition,
    /// The distinct words that a file may be found by.
    wanted: Vec<String>,
}

impl Terms {
    /// The terms of a query; `None` if there is nothing to search for.
    pub fn of(query: &str) -> Option<Self> {
        let mut terms = Self::default();
        let mut words_left = TERMS_MAX;
        terms.condition = Condition::of(&Expression::parse(query), &mut words_left)?;
        terms.condition.wanted(&mut terms.wanted);
        Some(terms)
    }

    /// How well a file matches; `None` if it does not.
    pub fn score(&self, name: &Folded, text: &Folded) -> Option<f64> {
        if !self.condition.holds(name, text) {
            return None;
        }
        let mut score = 0.0;
        for word in &self.wanted {
            let often = text.count(word) as f64;
            let long = 0.3 + 0.7 * text.words as f64 / USUAL_WORDS;
            score += NAME_WEIGHT * name.count(word).min(1) as f64 / (1.0 + name.words as f64 / 10.0);
            score += often * 2.2 / (often + 1.2 * long);
        }
        Some(score)
    }

    /// The excerpt with the most distinct words of the query, and then the most hits.
    pub fn window(&self, text: &str) -> String {
        let hits: Vec<(usize, usize)> = words_of(text)
            .take(WINDOW_WORDS_MAX)
            .filter_map(|(at, word)| {
                Some((at, self.wanted.iter().position(|wanted| is_same(wanted, &word))?))
            })
            .take(HITS_MAX)
            .collect();
        let mut best = (0, 0, 0);
        for (first, (at, _)) in hits.iter().enumerate() {
            let near = hits[first..].iter().take_while(|(other, _)| other - at < WINDOW_CHARS);
            let (mut kinds, mut count) = (0_u64, 0);
            for (_, term) in near {
                kinds |= 1 << term.min(&63);
                count += 1;
            }
            let rank = (kinds.count_ones() as usize, count);
            if rank > (best.0, best.1) {
                best = (rank.0, rank.1, *at);
            }
        }
        cut(text, best.2)
    }
}

/// What a file must have in its name or its text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Condition {
    /// All of these words.
    Words(Vec<String>),
    /// These words in sequence, between single spaces.
    Sequence(String),
    All {
        wanted: Vec<Condition>,
        unwanted: Vec<Condition>,
    },
    Any(Vec<Condition>),
}

impl Default for Condition {
    fn default() -> Self {
        Self::Any(Vec::new())
    }
}

impl Condition {
    /// Alternatives that only exclude are left out, as are terms without words, and those after the last allowed word.
    fn of(expression: &Expression<&str>, words_left: &mut usize) -> Option<Self> {
        let mut alternatives = Vec::new();
        for conjunction in &expression.alternatives {
            let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
            for operand in &conjunction.operands {
                let side = if operand.is_negated() { &mut unwanted } else { &mut wanted };
                side.extend(Self::of_item(&operand.item, operand.is_negated(), words_left));
            }
            if !wanted.is_empty() {
                alternatives.push(Self::All { wanted, unwanted });
            }
        }
        (!alternatives.is_empty()).then_some(Self::Any(alternatives))
    }

    fn of_item(item: &Item<&str>, is_negated: bool, words_left: &mut usize) -> Option<Self> {
        let (text, is_phrase) = match item {
            Item::Group(inner) => return Self::of(inner, words_left),
            Item::Word(text) => (text, false),
            Item::Phrase(text) => (text, true),
        };
        let words: Vec<String> = words_of(text).map(|(_, word)| word).take(*words_left).collect();
        *words_left -= words.len();
        match words.len() {
            0 => None,
            // `-client/server` excludes the two words side by side.
            2.. if is_phrase || is_negated => Some(Self::Sequence(words.join(" "))),
            _ => Some(Self::Words(words)),
        }
    }

    fn holds(&self, name: &Folded, text: &Folded) -> bool {
        let is_in = |word: &String| name.holds(word) || text.holds(word);
        match self {
            Self::Words(words) => words.iter().all(is_in),
            Self::Sequence(words) => is_in(words),
            Self::All { wanted, unwanted } => {
                wanted.iter().all(|one| one.holds(name, text))
                    && !unwanted.iter().any(|one| one.holds(name, text))
            }
            Self::Any(alternatives) => alternatives.iter().any(|one| one.holds(name, text)),
        }
    }

    fn wanted(&self, words: &mut Vec<String>) {
        let mut add = |word: &str| {
            if !words.iter().any(|known| known == word) {
                words.push(word.to_owned());
            }
        };
        match self {
            Self::Words(own) => own.iter().for_each(|word| add(word)),
            Self::Sequence(own) => own.split(' ').for_each(add),
            Self::All { wanted: inner, .. } | Self::Any(inner) => {
                inner.iter().for_each(|one| one.wanted(words))
            }
        }
    }
}

/// A normalized text: its folded words, separated by single spaces.
#[derive(Debug, Clone, Default)]
pub struct Folded {
    text: String,
    words: usize,
}

impl Folded {
    pub fn of(text: &str) -> Self {
        let mut folded = Self { text: String::with_capacity(text.len() + 2), words: 0 };
        folded.text.push(' ');
        for (_, word) in words_of(text) {
            folded.text.push_str(&word);
            folded.text.push(' ');
            folded.words += 1;
        }
        folded
    }

    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    fn holds(&self, word: &str) -> bool {
        if is_unspaced(word) { self.text.contains(word) } else { self.text.contains(&format!(" {word} ")) }
    }

    fn count(&self, word: &str) -> usize {
        if is_unspaced(word) {
            self.text.matches(word).count()
        } else {
            // Two neighbors share the space between them.
            self.text.match_indices(word).filter(|(at, _)| self.is_whole(*at, word.len())).count()
        }
    }

    fn is_whole(&self, at: usize, length: usize) -> bool {
        let bytes = self.text.as_bytes();
        at > 0 && bytes[at - 1] == b' ' && bytes.get(at + length) == Some(&b' ')
    }
}

/// The folded words of a text and where each begins. `C++`, `C#` and `F#` are words.
fn words_of(text: &str) -> impl Iterator<Item = (usize, String)> + '_ {
    let mut rest = (0, text);
    std::iter::from_fn(move || {
        let begin = rest.1.find(char::is_alphanumeric)?;
        let word = &rest.1[begin..];
        let end = word.find(|c| !is_word_char(c)).unwrap_or(word.len());
        let is_name = word[..end].ends_with(char::is_alphabetic);
        let end = end + if is_name { sign_length(&word[end..]) } else { 0 };
        let at = rest.0 + begin;
        rest = (at + end, &word[end..]);
        Some((at, fold(&word[..end])))
    })
}

/// The length of the sign after a word: `++`, or one that is not between two words.
fn sign_length(rest: &str) -> usize {
    let length = rest.len() - rest.trim_start_matches(['+', '#']).len();
    let is_between = rest[length..].starts_with(char::is_alphanumeric);
    if is_between && !rest[..length].ends_with("++") { 0 } else { length }
}

/// Lower case. In alphabets where accents are often left out, without them; elsewhere a mark makes another word. Joiners
/// are left out everywhere.
fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let mut is_optional = false;
    let kept = word.nfkd().filter(|c| {
        if is_combining_mark(*c) {
            return !is_optional;
        }
        is_optional = has_optional_marks(*c);
        !matches!(*c, JOINER | NON_JOINER)
    });
    kept.nfc().flat_map(char::to_lowercase).flat_map(expanded).collect()
}

/// Zero-width characters inside words of Persian and Indian scripts.
const JOINER: char = '\u{200d}';
const NON_JOINER: char = '\u{200c}';

/// Latin, Greek, Cyrillic, Hebrew and Arabic characters.
fn has_optional_marks(c: char) -> bool {
    matches!(u32::from(c), 0x41..=0x24f | 0x370..=0x52f | 0x5d0..=0x5f2 | 0x620..=0x6ff | 0x1e00..=0x1fff)
}

/// Characters that decompose into two.
fn expanded(c: char) -> impl Iterator<Item = char> {
    let (first, second) = match c {
        'ß' => ('s', Some('s')),
        'æ' => ('a', Some('e')),
        'œ' => ('o', Some('e')),
        'ø' => ('o', None),
        'ł' => ('l', None),
        'đ' => ('d', None),
        other => (other, None),
    };
    std::iter::once(first).chain(second)
}

fn is_same(wanted: &str, word: &str) -> bool {
    wanted == word || (is_unspaced(wanted) && word.contains(wanted))
}

/// Scripts without spaces between words, where a word may be part of another.
fn is_unspaced(word: &str) -> bool {
    word.chars().any(
        |c| matches!(u32::from(c), 0x0e00..=0x0eff | 0x2e80..=0x9fff | 0xac00..=0xd7af | 0x2_0000..=0x3_ffff),
    )
}

/// The text from shortly before `at`, cut at word boundaries.
fn cut(text: &str, at: usize) -> String {
    let mut begin = at.saturating_sub(WINDOW_CHARS / 5);
    while !text.is_char_boundary(begin) {
        begin -= 1;
    }
    let is_inside = begin > 0 && !text[..begin].ends_with(char::is_whitespace);
    if is_inside {
        begin += text[begin..].find(char::is_whitespace).filter(|gap| begin + gap < at).unwrap_or(0);
    }
    let piece = &text[begin..];
    let end = piece.char_indices().nth(WINDOW_CHARS).map_or(piece.len(), |(end, _)| end);
    let whole =
        if end < piece.len() { piece[..end].rfind(char::is_whitespace).filter(|end| *end > 0) } else { None };
    let words: Vec<&str> = piece[..whole.unwrap_or(end)].split_whitespace().collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(query: &str, name: &str, text: &str) -> bool {
        Terms::of(query).is_some_and(|terms| terms.score(&Folded::of(name), &Folded::of(text)).is_some())
    }

    #[test]
    fn all_words_must_be_there() {
        let table = [
            ("flood warning", "a.txt", "A WARNING of floods and a flood", true),
            ("flood warning", "flood.txt", "a warning", true),
            ("flood warning", "a.txt", "a flood", false),
            ("flood", "a.txt", "floodlight", false),
            ("cafe", "a.txt", "Le Café", true),
            ("Straße", "a.txt", "strasse", true),
            ("e\u{301}cole", "a.txt", "ÉCOLE", true),
            ("flood -warning", "a.txt", "flood warning", false),
            ("flood -warning", "warning.txt", "flood", false),
            ("flood NOT warning", "a.txt", "flood", true),
            ("flood not warning", "a.txt", "flood", false),
            ("flood NOT warning dam", "a.txt", "flood dam", false),
            ("\"flood warning\"", "a.txt", "the flood Warning was", true),
            ("\"flood warning\"", "a.txt", "a warning of a flood", false),
            ("\"flood\" \"not a drill\"", "a.txt", "flood: not a drill", true),
            ("flood -\"early warning\"", "a.txt", "flood, early warning", false),
            ("flood -\"early warning\"", "a.txt", "early flood warning", true),
            ("flood -early/warning", "a.txt", "early flood warning", true),
            ("flood OR silt", "a.txt", "silt", true),
            ("(flood OR silt) dam", "a.txt", "silt", false),
            ("(flood NOT dam) OR silt", "a.txt", "flood dam silt", true),
            ("flood OR -silt", "a.txt", "neither", false),
            ("flood AND NOT silt", "a.txt", "flood silt", false),
            ("洪水", "a.txt", "今年の洪水警報", true),
            ("a a", "a.txt", "", true),
            ("c++", "a.txt", "written in C", false),
            ("c", "a.txt", "written in C++", false),
            ("C++ C#", "a.txt", "(C++17), c#.", true),
            ("a+b page#part 18", "a.txt", "a b page part, 18+", true),
            ("น้ำ", "a.txt", "ท่อน้ำ", true),
            ("น้ำ", "a.txt", "ตะกั่ว นำ", false),
            ("นำ", "a.txt", "น้ำ", false),
            ("हिन्दी", "a.txt", "हिन्दी भाषा", true),
            ("हिन्दी", "a.txt", "हनद", false),
            ("か\u{3099}く", "a.txt", "がく", true),
            ("かく", "a.txt", "がく", false),
            ("한국어", "a.txt", "한국어", true),
            ("می\u{200c}خواهم", "a.txt", "می\u{200c}خواهم", true),
            ("میخواهم", "a.txt", "می\u{200c}خواهم", true),
            ("كتاب", "a.txt", "كِتَاب", true),
            ("שלום", "a.txt", "שָׁלוֹם", true),
            ("елка", "a.txt", "ЁЛКА", true),
            ("νερο", "a.txt", "Νερό", true),
            ("tieng viet", "a.txt", "Tiếng Việt", true),
            ("-only", "a.txt", "x", false),
            ("!! --", "a.txt", "x", false),
        ];
        for (query, name, text, want) in table {
            assert_eq!(matches(query, name, text), want, "{query} in {name}: {text}");
        }
    }

    #[test]
    fn better_files_come_first() {
        let terms = Terms::of("flood").expect("a word");
        let score =
            |name: &str, text: &str| terms.score(&Folded::of(name), &Folded::of(text)).expect("a match");
        let long = format!("flood {}", "other words ".repeat(500));
        assert!(score("flood.txt", "x") > score("a.txt", &long));
        assert!(score("a.txt", "flood flood flood") > score("a.txt", "flood one two"));
        assert!(score("a.txt", "flood") > score("a.txt", &long));
        let many: String = (0..100).map(|number| format!("w{number} ")).collect();
        assert_eq!(Terms::of(&many).expect("words").wanted.len(), TERMS_MAX);
    }

    #[test]
    fn the_best_piece_is_shown() {
        let filler = "nothing to see here ".repeat(60);
        let text =
            format!("flood at the start. {filler}Here a flood warning was given to all of them. {filler}");
        let window = Terms::of("flood warning").expect("words").window(&text);
        assert!(window.contains("Here a flood warning was given"), "{window}");
        assert!(window.chars().count() <= WINDOW_CHARS && !window.starts_with("othing"), "{window}");
        let terms = Terms::of("flood").expect("a word");
        assert_eq!(terms.window("only  a\nflood"), "only a flood");
        assert_eq!(terms.window(""), "");
        let wide = "ü".repeat(3_000) + " flood";
        assert!(terms.window(&wide).contains("flood"));
    }
}
