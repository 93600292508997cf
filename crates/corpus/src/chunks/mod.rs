//! Splits a text into chunks of a few hundred words at sentence boundaries, each with the headings above it.
//! Neighboring chunks overlap, so that passages across a boundary are found as well.

mod sections;

use relevancy::sentences::ends;
use relevancy::tokens::tokens;
use sections::Section;
use std::ops::Range;

/// Most words of a chunk.
pub const WORDS_MAX: usize = 320;
/// Most words that a chunk shares with the previous one.
pub const OVERLAP_WORDS_MAX: usize = 48;
/// Most chunks of a text.
pub const PIECES_MAX: usize = 400;
/// Number of leading chunks kept of a text with too many; the rest is sampled evenly.
pub const FIRST_PIECES: usize = 200;
/// Most bytes of a chunk, for texts without sentences.
pub const PIECE_BYTES_MAX: usize = 16 * 1024;
/// Separator of headings.
const PATH_MARK: &str = " > ";

/// One chunk of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Position in characters.
    pub start: u32,
    pub end: u32,
    /// The headings above it, outermost first.
    pub heading: String,
    pub text: String,
}

impl Piece {
    /// The text to embed: a chunk alone often does not name its topic.
    pub fn with_context(&self, title: &str) -> String {
        let above = [title, &self.heading].into_iter().filter(|line| !line.is_empty());
        above.chain([self.text.as_str()]).collect::<Vec<_>>().join("\n")
    }
}

/// The chunks of a text whose paragraphs are separated by blank lines.
pub fn pieces(text: &str) -> Vec<Piece> {
    let mut ranges: Vec<(Range<usize>, String)> = Vec::new();
    for Section { place, path, .. } in sections::sections(text) {
        let heading = path.join(PATH_MARK);
        ranges.extend(cut(text, &place).into_iter().map(|place| (place, heading.clone())));
    }
    let kept = sample(ranges);
    let mut cursor = Cursor { text, byte: 0, chars: 0 };
    let piece = |(place, heading): (Range<usize>, String)| {
        let start = cursor.chars_at(place.start);
        let text = &text[place];
        Piece { start, end: start + count(text.chars()), heading, text: text.to_owned() }
    };
    kept.into_iter().map(piece).collect()
}

/// The first ones, and an even sample of the others.
fn sample<T>(all: Vec<T>) -> Vec<T> {
    if all.len() <= PIECES_MAX {
        return all;
    }
    let (rest, samples) = (all.len() - FIRST_PIECES, PIECES_MAX - FIRST_PIECES);
    let is_kept = |place: usize| {
        let Some(behind) = place.checked_sub(FIRST_PIECES) else { return true };
        // The first of each of as many equal parts.
        behind == 0 || behind * samples / rest != (behind - 1) * samples / rest
    };
    all.into_iter().enumerate().filter(|(place, _)| is_kept(*place)).map(|(_, one)| one).collect()
}

/// Byte ranges of the chunks of one section, trimmed.
fn cut(text: &str, section: &Range<usize>) -> Vec<Range<usize>> {
    let units = units(text, section);
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut first = 0;
    while first < units.len() {
        let mut next = first;
        let mut words = 0;
        while let Some(unit) = units.get(next) {
            let bytes = unit.place.end - units[first].place.start;
            if next > first && (words + unit.words > WORDS_MAX || bytes > PIECE_BYTES_MAX) {
                break;
            }
            words += unit.words;
            next += 1;
        }
        let place = trimmed(text, units[first].place.start..units[next - 1].place.end);
        if !place.is_empty() {
            ranges.push(place);
        }
        first = if next < units.len() { overlapping(&units, first, next) } else { next };
    }
    ranges
}

/// Start of the next chunk: a few sentences back, as long as the chunk still contains a new one.
fn overlapping(units: &[Unit], first: usize, next: usize) -> usize {
    let mut shared = 0;
    let mut start = next;
    for place in (first + 1..next).rev() {
        let with = shared + units[place].words;
        let bytes = units[next].place.end - units[place].place.start;
        if with > OVERLAP_WORDS_MAX || with + units[next].words > WORDS_MAX || bytes > PIECE_BYTES_MAX {
            break;
        }
        (shared, start) = (with, place);
    }
    start
}

/// A unit that is never split: a sentence, or a part of an overlong one.
struct Unit {
    place: Range<usize>,
    words: usize,
}

fn units(text: &str, section: &Range<usize>) -> Vec<Unit> {
    let mut units = Vec::new();
    let part = &text[section.clone()];
    let mut start = 0;
    for end in ends(part).chain([part.len()]) {
        if end <= start {
            continue;
        }
        let mut from = start;
        let mut words = 0;
        for token in tokens(&part[start..end]) {
            let token_start = start + token.start;
            // A word longer than a chunk is data; it is split at the chunk limit.
            while start + token.end() - from > PIECE_BYTES_MAX {
                let at = if token_start > from && token_start - from <= PIECE_BYTES_MAX {
                    token_start
                } else {
                    part.floor_char_boundary(from + PIECE_BYTES_MAX)
                };
                units.push(Unit { place: section.start + from..section.start + at, words: words.max(1) });
                (from, words) = (at, 0);
            }
            if words == WORDS_MAX {
                units.push(Unit { place: section.start + from..section.start + token_start, words });
                (from, words) = (token_start, 0);
            }
            words += 1;
        }
        if words > 0 {
            // Many characters can follow the last word.
            let kept = part.floor_char_boundary(end.min(from + PIECE_BYTES_MAX));
            units.push(Unit { place: section.start + from..section.start + kept, words });
        }
        // Characters without a word belong to the next sentence.
        if words > 0 || from > start {
            start = end;
        }
    }
    units
}

fn trimmed(text: &str, place: Range<usize>) -> Range<usize> {
    let part = &text[place.clone()];
    let start = place.start + (part.len() - part.trim_start().len());
    let end = place.end - (part.len() - part.trim_end().len());
    start..end.max(start)
}

/// Counts characters from the start of a text; offsets are given in ascending order.
struct Cursor<'t> {
    text: &'t str,
    byte: usize,
    chars: u32,
}

impl Cursor<'_> {
    fn chars_at(&mut self, byte: usize) -> u32 {
        self.chars += count(self.text[self.byte..byte].chars());
        self.byte = byte;
        self.chars
    }
}

fn count(chars: std::str::Chars<'_>) -> u32 {
    u32::try_from(chars.count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words_in(text: &str) -> usize {
        tokens(text).count()
    }

    /// Sentences of ten words, each with its own number.
    fn sentences(from: usize, count: usize) -> String {
        let one = |n: usize| format!("Sentence {n} tells of the river and of its towns. ");
        (from..from + count).map(one).collect()
    }

    #[test]
    fn pieces_end_with_sentences_and_share_some_words() {
        let text = sentences(0, 100);
        let found = pieces(&text);
        assert_eq!(found.len(), 4);
        for piece in &found {
            let words = words_in(&piece.text);
            assert!(words <= WORDS_MAX && piece.text.starts_with("Sentence") && piece.text.ends_with('.'));
        }
        for (before, after) in found.iter().zip(&found[1..]) {
            let shared = before.end.saturating_sub(after.start);
            let words = words_in(&text[after.start as usize..before.end as usize]);
            assert!(shared > 0 && words == 40, "four sentences of ten words: {words}");
        }
        assert!(found[0].text.contains("Sentence 31 ") && !found[0].text.contains("Sentence 32 "));
        assert!(found[3].text.contains("Sentence 99 "));
    }

    #[test]
    fn places_are_characters() {
        let text = format!("Über die Flüsse. {}\n\nZweiter Absatz: 東京。", "Wörter hier. ".repeat(3));
        let found = pieces(&text);
        assert_eq!(found.len(), 1);
        let chars: Vec<char> = text.chars().collect();
        for piece in found {
            let part: String = chars[piece.start as usize..piece.end as usize].iter().collect();
            assert_eq!(part, piece.text);
        }
    }

    #[test]
    fn headings_part_pieces_and_stand_above_them() {
        let text = format!(
            "The report\n\n# Floods\n\n{}\n\n## Spring\n\n{}\n\n## Short\n\nOnly a few words.\n\n# Droughts\n\n{}",
            sentences(0, 10),
            sentences(20, 10),
            sentences(40, 10),
        );
        let found = pieces(&text);
        let headings: Vec<&str> = found.iter().map(|piece| piece.heading.as_str()).collect();
        // The short section is merged with the next one; only their common headings apply.
        assert_eq!(headings, ["Floods", "Floods > Spring", ""]);
        assert!(found[1].text.contains("Sentence 29") && !found[1].text.contains("Sentence 9 "));
        assert!(found[2].text.starts_with("## Short") && found[2].text.contains("# Droughts"));
        assert_eq!(
            found[1].with_context("Report").lines().take(2).collect::<Vec<_>>(),
            ["Report", "Floods > Spring"]
        );
    }

    #[test]
    fn a_text_without_sentences_is_cut_all_the_same() {
        let words = pieces(&"word ".repeat(1_000));
        assert_eq!(words.iter().map(|piece| words_in(&piece.text)).collect::<Vec<_>>(), [320, 320, 320, 40]);
        let data = pieces(&"x".repeat(3 * PIECE_BYTES_MAX));
        assert_eq!(data.len(), 3);
        assert!(data.iter().all(|piece| piece.text.len() <= PIECE_BYTES_MAX));
        for nothing in ["", " \n\n ", "... --- !!!"] {
            assert_eq!(pieces(nothing), []);
        }
    }

    #[test]
    fn of_a_long_text_the_beginning_is_kept_and_a_sample() {
        let text = sentences(0, 32 * 1_000);
        let found = pieces(&text);
        assert_eq!(found.len(), PIECES_MAX);
        let number =
            |piece: &Piece| piece.text.split(' ').nth(1).and_then(|n| n.parse::<usize>().ok()).unwrap();
        let numbers: Vec<usize> = found.iter().map(number).collect();
        let steps: Vec<usize> = numbers.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(steps[..FIRST_PIECES - 1].iter().all(|step| *step == 28), "the first ones follow each other");
        let sampled = &steps[FIRST_PIECES..];
        assert!(
            sampled.iter().all(|step| (84..=168).contains(step)),
            "the others have even gaps: {sampled:?}"
        );
        assert!(*numbers.last().unwrap() > 31_500);
    }

    #[test]
    fn samples_are_exact() {
        for count in [0, 1, PIECES_MAX, PIECES_MAX + 1, 1_000, 12_345] {
            let kept = sample((0..count).collect::<Vec<usize>>());
            assert_eq!(kept.len(), count.min(PIECES_MAX), "{count}");
            assert!(kept.iter().take(FIRST_PIECES).copied().eq(0..count.min(FIRST_PIECES)));
        }
    }

    proptest! {
        #[test]
        fn every_word_is_in_a_piece(text in "([A-C][a-c]{0,4}[ .!?\n]{1,3}|# Title\n|[^<&\\p{C}]){0,300}") {
            let found = pieces(&text);
            let chars: Vec<char> = text.chars().collect();
            let mut end = 0;
            for piece in &found {
                let part: String = chars[piece.start as usize..piece.end as usize].iter().collect();
                prop_assert_eq!(&part, &piece.text);
                prop_assert!(words_in(&piece.text) <= WORDS_MAX + 1);
                let between: String = chars[end.min(piece.start as usize)..piece.start as usize].iter().collect();
                prop_assert!(!between.contains(|c: char| c.is_ascii_alphanumeric()), "{between}");
                end = piece.end as usize;
            }
            let rest: String = chars[end..].iter().collect();
            prop_assert!(!rest.contains(|c: char| c.is_ascii_alphanumeric()), "{rest}");
        }
    }
}
