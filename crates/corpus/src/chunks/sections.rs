//! Sections of a text: what is under one heading. Plain text does not mark its headings, so they are detected by
//! shape: a short line on its own, without a final period, followed by something longer.

use relevancy::tokens::tokens;
use std::ops::Range;

/// A section with fewer words is merged with its neighbor.
const SECTION_WORDS_MIN: usize = 80;
/// Longest heading, in words and characters.
const HEADING_WORDS_MAX: usize = 12;
const HEADING_CHARS_MAX: usize = 100;
/// More headings in a row are a list.
const HEADINGS_IN_A_ROW_MAX: usize = 2;
/// Deepest heading level.
const LEVEL_MAX: usize = 6;

/// A part of a text under one heading, or several short ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Byte range, including its heading.
    pub place: Range<usize>,
    /// The headings above it, outermost first.
    pub path: Vec<String>,
    pub words: usize,
    /// Contains nothing but its heading.
    is_bare: bool,
}

/// All sections; a short one is merged with the next, the last one with the previous.
pub fn sections(text: &str) -> Vec<Section> {
    let mut joined: Vec<Section> = Vec::new();
    for section in plain_sections(text) {
        match joined.last_mut().filter(|last| last.words < SECTION_WORDS_MIN) {
            Some(short) => join(short, section),
            None => joined.push(section),
        }
    }
    if joined.len() > 1 && joined.last().is_some_and(|last| last.words < SECTION_WORDS_MIN) {
        let last = joined.pop();
        if let (Some(before), Some(last)) = (joined.last_mut(), last) {
            join(before, last);
        }
    }
    joined
}

fn join(section: &mut Section, next: Section) {
    if section.is_bare {
        section.path = next.path;
        section.is_bare = next.is_bare;
    } else {
        // Only common headings apply to the merged section.
        let shared = section.path.iter().zip(&next.path).take_while(|(one, other)| one == other).count();
        section.path.truncate(shared);
    }
    section.place.end = next.place.end;
    section.words += next.words;
}

fn plain_sections(text: &str) -> Vec<Section> {
    let blocks = blocks(text);
    let looks: Vec<Option<Heading>> = blocks.iter().map(|place| heading(&text[place.clone()])).collect();
    let mut sections: Vec<Section> = Vec::new();
    let mut above: Vec<Heading> = Vec::new();
    for (place, block) in blocks.iter().enumerate() {
        let found = looks[place].as_ref().filter(|one| one.is_marked || is_followed(&looks, place));
        let words = tokens(&text[block.clone()]).count();
        if let Some(heading) = found {
            above.retain(|one| one.level < heading.level);
            above.push(heading.clone());
            let path = above.iter().map(|one| one.words.clone()).collect();
            sections.push(Section { place: block.clone(), path, words, is_bare: true });
        } else if let Some(last) = sections.last_mut() {
            last.place.end = block.end;
            last.words += words;
            last.is_bare = false;
        } else {
            sections.push(Section { place: block.clone(), path: Vec::new(), words, is_bare: false });
        }
    }
    sections
}

/// Byte ranges of paragraphs, separated by blank lines; a marked heading is a paragraph of its own.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    let mut is_open = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let place = at..at + line.trim_end().len();
        at += line.len();
        if line.trim().is_empty() {
            is_open = false;
            continue;
        }
        let is_heading = marked_level(line.trim()).is_some();
        match blocks.last_mut().filter(|_| is_open && !is_heading) {
            Some(last) => last.end = place.end,
            None => blocks.push(place),
        }
        is_open = !is_heading;
    }
    blocks
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Heading {
    level: usize,
    words: String,
    /// Marked as a heading, not only shaped like one.
    is_marked: bool,
}

/// Detects a heading.
fn heading(block: &str) -> Option<Heading> {
    let block = block.trim();
    if let Some(level) = marked_level(block) {
        let words = block.trim_matches(|c| c == '#' || c == ' ').chars().take(HEADING_CHARS_MAX).collect();
        return Some(Heading { level, words, is_marked: true });
    }
    let is_short = !block.contains('\n') && block.chars().count() <= HEADING_CHARS_MAX;
    let ends_open = !block.ends_with(['.', '!', '?', ';', ':', ',', '…', '。', '！', '？', '"', '”', ')']);
    let begins = block.chars().next().is_some_and(|c| c.is_alphanumeric() && !c.is_lowercase());
    if !is_short || !ends_open || !begins || !block.contains(char::is_alphabetic) {
        return None;
    }
    let is_heading = (1..=HEADING_WORDS_MAX).contains(&tokens(block).count());
    is_heading.then(|| Heading { level: numbered_level(block), words: block.to_owned(), is_marked: false })
}

/// `## Title` is level 2.
fn marked_level(line: &str) -> Option<usize> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    ((1..=LEVEL_MAX).contains(&level) && rest.starts_with(' ') && rest.contains(char::is_alphanumeric))
        .then_some(level)
}

/// `2.1 Title` is level 2; without a number it is 1.
fn numbered_level(line: &str) -> usize {
    let number = line.split(' ').next().unwrap_or_default().trim_end_matches('.');
    let is_number =
        number.split('.').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    if is_number { number.split('.').count().min(LEVEL_MAX) } else { 1 }
}

/// Whether a paragraph that is not a heading follows soon.
fn is_followed(looks: &[Option<Heading>], place: usize) -> bool {
    let in_a_row = looks[place..].iter().take_while(|look| look.is_some()).count();
    let before = looks[..place].iter().rev().take_while(|look| look.is_some()).count();
    in_a_row + before <= HEADINGS_IN_A_ROW_MAX && place + in_a_row < looks.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_known_by_their_look() {
        let table = [
            ("Summary", Some(1)),
            ("2.1 The gauges of the town", Some(2)),
            ("3. Results", Some(1)),
            ("### Deep", Some(3)),
            ("東京の川", Some(1)),
            ("#hashtag", None),
            ("This is a sentence.", None),
            ("as follows:", None),
            ("and so on", None),
            ("Two\nlines", None),
            ("1234", None),
            ("", None),
            ("A line of far too many words to be the heading of any section of a text", None),
        ];
        for (block, level) in table {
            assert_eq!(heading(block).map(|one| one.level), level, "{block}");
        }
    }

    #[test]
    fn sections_begin_at_headings_and_lists_are_none() {
        let long = "Words of a paragraph follow here. ".repeat(20);
        let text = format!("Intro\n\n{long}\n\nOne\n\nTwo\n\nThree\n\n{long}\n\nLast part\n\n{long}\n\nTail");
        let found = sections(&text);
        let paths: Vec<String> = found.iter().map(|section| section.path.join(">")).collect();
        assert_eq!(paths, ["Intro", "Last part"]);
        assert!(text[found[0].place.clone()].contains("Three"));
        assert!(text[found[1].place.clone()].ends_with("Tail"));
    }

    #[test]
    fn short_sections_are_joined() {
        let text = "# A\n\nfew words\n\n## B\n\nfew words\n\n# C\n\nfew words";
        let found = sections(text);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].place.clone(), found[0].path.len()), (0..text.len(), 0));
        assert_eq!(sections(""), []);
    }
}
