//! Sets a paragraph: chooses fonts, breaks lines, and orders texts of both directions.

use super::fonts::{FontData, FontPart, Glyph, JOINERS, UsedFont, mirrored};
use super::winansi;
use std::ops::Range;
use unicode_bidi::{BidiClass, ParagraphBidiInfo, bidi_class};
use unicode_normalization::char::is_combining_mark;

/// A part of a line in one font.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Span {
    /// In the encoding of the standard fonts.
    Standard {
        bytes: Vec<u8>,
        width: i32,
    },
    Embedded {
        font: usize,
        glyphs: Vec<Glyph>,
        width: i32,
    },
}

impl Span {
    /// In thousandths of the font size.
    pub fn width(&self) -> i32 {
        match self {
            Self::Standard { width, .. } | Self::Embedded { width, .. } => *width,
        }
    }
}

/// A line from left to right.
#[derive(Debug, Default)]
pub(super) struct SetLine {
    pub spans: Vec<Span>,
    /// It begins at the right margin.
    pub is_rtl: bool,
}

pub(super) struct Typesetter<'f> {
    fonts: Vec<UsedFont<'f>>,
    /// The font that has all of the paragraph, unless the standard fonts have its words.
    whole: Option<usize>,
}

/// A part of a text in one font.
struct FontRun {
    range: Range<usize>,
    /// None: the standard font.
    font: Option<usize>,
}

/// A text that is not broken.
struct Piece {
    range: Range<usize>,
    follows_space: bool,
}

impl<'f> Typesetter<'f> {
    /// None if a font is damaged.
    pub fn of(fonts: &'f [FontData]) -> Option<Self> {
        let fonts: Option<Vec<UsedFont<'f>>> = fonts.iter().map(UsedFont::of).collect();
        Some(Self { fonts: fonts?, whole: None })
    }

    /// The used parts of the fonts, in the order of their numbers. None if one cannot be embedded.
    pub fn parts(&self) -> Option<Vec<FontPart>> {
        self.fonts.iter().map(UsedFont::part).collect()
    }

    /// The lines of a prepared paragraph. An empty one is an empty line.
    pub fn lines(&mut self, text: &str, is_bold: bool, width_max: i32) -> Vec<SetLine> {
        if text.is_empty() {
            return vec![SetLine::default()];
        }
        self.whole = None;
        // Symbols alone do not change the font of the words around them.
        if text.contains(|c: char| c.is_alphabetic() && winansi::byte(c).is_none()) {
            self.whole = self.font_of(text, None).flatten();
        }
        let is_of_rtl = |c: char| matches!(bidi_class(c), BidiClass::R | BidiClass::AL);
        let bidi = text.contains(is_of_rtl).then(|| ParagraphBidiInfo::new(text, None));
        let ranges = self.line_ranges(text, is_bold, width_max);
        ranges.into_iter().map(|range| self.line(text, range, bidi.as_ref(), is_bold)).collect()
    }

    fn line_ranges(&self, text: &str, is_bold: bool, width_max: i32) -> Vec<Range<usize>> {
        let space = self.width(" ", is_bold);
        let mut lines: Vec<Range<usize>> = Vec::new();
        let mut line: Option<(Range<usize>, i32)> = None;
        for piece in pieces(text) {
            let width = self.width(&text[piece.range.clone()], is_bold);
            let gap = if piece.follows_space { space } else { 0 };
            if let Some((range, used)) = &mut line
                && *used + gap + width <= width_max
            {
                range.end = piece.range.end;
                *used += gap + width;
                continue;
            }
            lines.extend(line.take().map(|(range, _)| range));
            let mut rest = piece.range;
            let mut used = width;
            while used > width_max {
                let end = self.longest_part(text, rest.clone(), is_bold, width_max);
                lines.push(rest.start..end);
                rest.start = end;
                used = self.width(&text[rest.clone()], is_bold);
            }
            line = (!rest.is_empty()).then_some((rest, used));
        }
        lines.extend(line.map(|(range, _)| range));
        lines
    }

    /// The end of the longest beginning of a word that fits on a line; at least one character.
    fn longest_part(&self, text: &str, range: Range<usize>, is_bold: bool, width_max: i32) -> usize {
        let (mut used, mut end) = (0, range.start);
        for cluster in clusters(text, range.clone()) {
            used += self.width(&text[cluster.clone()], is_bold);
            if used > width_max && end > range.start {
                break;
            }
            end = cluster.end;
        }
        end
    }

    fn line(
        &mut self,
        text: &str,
        range: Range<usize>,
        bidi: Option<&ParagraphBidiInfo<'_>>,
        is_bold: bool,
    ) -> SetLine {
        let Some(bidi) = bidi else {
            return SetLine { spans: self.spans(text, range, false, is_bold), is_rtl: false };
        };
        let (levels, runs) = bidi.visual_runs(range);
        let mut line = SetLine { spans: Vec::new(), is_rtl: bidi.paragraph_level.is_rtl() };
        for run in runs {
            let is_rtl = levels.get(run.start).is_some_and(|level| level.is_rtl());
            line.spans.extend(self.spans(text, run, is_rtl, is_bold));
        }
        line
    }

    /// The spans of a text of one direction, from left to right.
    fn spans(&mut self, text: &str, range: Range<usize>, is_rtl: bool, is_bold: bool) -> Vec<Span> {
        let mut runs = self.font_runs(text, range);
        if is_rtl {
            runs.reverse();
        }
        runs.into_iter().map(|run| self.span(&text[run.range], run.font, is_rtl, is_bold)).collect()
    }

    fn span(&mut self, text: &str, font: Option<usize>, is_rtl: bool, is_bold: bool) -> Span {
        // A standard font has no glyph that is drawn as one bracket and copied as the other.
        let is_mirrored = is_rtl && text.contains(|c| mirrored(c) != c);
        let font =
            font.or_else(|| is_mirrored.then(|| self.fonts.iter().position(|font| font.has_all(text)))?);
        let Some((font, used)) = font.and_then(|font| Some((font, self.fonts.get_mut(font)?))) else {
            let mut characters: Vec<char> = text.chars().collect();
            if is_rtl {
                characters = characters.into_iter().rev().map(mirrored).collect();
            }
            let bytes: Vec<u8> = characters.into_iter().filter_map(winansi::byte).collect();
            let width = standard_width(&bytes, is_bold);
            return Span::Standard { bytes, width };
        };
        let glyphs = used.set(text, is_rtl);
        let width = glyphs.iter().map(|glyph| glyph.width).sum();
        Span::Embedded { font, glyphs, width }
    }

    fn width(&self, text: &str, is_bold: bool) -> i32 {
        let width = |run: FontRun| {
            let part = &text[run.range];
            match run.font.and_then(|font| self.fonts.get(font)) {
                Some(font) => font.width(part),
                None => standard_width(&part.chars().filter_map(winansi::byte).collect::<Vec<u8>>(), is_bold),
            }
        };
        self.font_runs(text, 0..text.len()).into_iter().map(width).sum()
    }

    fn font_runs(&self, text: &str, range: Range<usize>) -> Vec<FontRun> {
        let mut runs: Vec<FontRun> = Vec::new();
        let mut push = |range: Range<usize>, font: Option<usize>| match runs.last_mut() {
            Some(run) if run.font == font => run.range.end = range.end,
            _ => runs.push(FontRun { range, font }),
        };
        let mut last = None;
        let mut open: Vec<Range<usize>> = words(text, range).collect();
        open.reverse();
        // A word in one font looks better than one in several. If no font has all of it, each character is set with its
        // marks, or else alone.
        while let Some(part) = open.pop() {
            let whole = &text[part.clone()];
            if let Some(font) = self.font_of(whole, last) {
                push(part, font);
                last = font;
                continue;
            }
            let mut smaller: Vec<Range<usize>> = clusters(text, part.clone()).collect();
            if smaller.len() == 1 {
                smaller = whole
                    .char_indices()
                    .map(|(at, c)| part.start + at..part.start + at + c.len_utf8())
                    .collect();
            }
            if smaller.len() > 1 {
                open.extend(smaller.into_iter().rev());
            }
        }
        runs
    }

    /// The font of a text: None if no font has all of them, Some(None) for the standard font. Signs
    /// between characters of one font are taken from it as well.
    fn font_of(&self, cluster: &str, last: Option<usize>) -> Option<Option<usize>> {
        let has = |font: &UsedFont<'_>| font.has_all(cluster);
        if self.whole.and_then(|whole| self.fonts.get(whole)).is_some_and(has) {
            return Some(self.whole);
        }
        let is_standard = cluster.chars().all(|c| winansi::byte(c).is_some());
        let is_sign = !cluster.contains(char::is_alphanumeric);
        if let Some(last) = last
            && (!is_standard || is_sign)
            && self.fonts.get(last).is_some_and(has)
        {
            return Some(Some(last));
        }
        if is_standard {
            return Some(None);
        }
        self.fonts.iter().position(has).map(Some)
    }
}

fn standard_width(bytes: &[u8], is_bold: bool) -> i32 {
    let width: u32 = bytes.iter().map(|byte| winansi::width(*byte, is_bold)).sum();
    i32::try_from(width).unwrap_or(i32::MAX)
}

/// Words and the spaces between them.
fn words(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = range.start;
    text[range].split_inclusive(' ').flat_map(move |word| {
        let end = at + word.len();
        let own = at..end - usize::from(word.ends_with(' '));
        at = end;
        [own.clone(), own.end..end].into_iter().filter(|part| !part.is_empty())
    })
}

/// Characters with the marks and joiners after them.
fn clusters(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut rest = range;
    std::iter::from_fn(move || {
        let mut chars = text[rest.clone()].char_indices().skip(1);
        let is_own = |c: char| is_combining_mark(c) || JOINERS.contains(&c);
        (!rest.is_empty()).then(|| {
            let end = chars.find(|(_, c)| !is_own(*c)).map_or(rest.end, |(at, _)| rest.start + at);
            let cluster = rest.start..end;
            rest.start = end;
            cluster
        })
    })
}

/// The parts of a text between which a line may break: at spaces, and between Chinese and Japanese characters.
fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut at = 0;
    for word in text.split(' ') {
        let mut start = at;
        for cluster in clusters(text, at..at + word.len()) {
            let here = &text[cluster.clone()];
            let is_breakable =
                here.contains(is_ideograph) || text[start..cluster.start].ends_with(is_ideograph);
            if cluster.start > start && is_breakable && !here.starts_with(is_closing) {
                pieces.push(Piece { range: start..cluster.start, follows_space: at > 0 && start == at });
                start = cluster.start;
            }
        }
        pieces.push(Piece { range: start..at + word.len(), follows_space: at > 0 && start == at });
        at += word.len() + 1;
    }
    pieces
}

/// Chinese and Japanese characters, including their punctuation.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}

/// Punctuation that does not begin a line.
fn is_closing(c: char) -> bool {
    matches!(c, '、' | '。' | '，' | '．' | '」' | '』' | '）' | '】' | '》' | '！' | '？' | '：' | '；')
        || c.is_ascii_punctuation()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(lines: &[SetLine]) -> Vec<String> {
        let text = |span: &Span| match span {
            Span::Standard { bytes, .. } => String::from_utf8_lossy(bytes).into_owned(),
            Span::Embedded { .. } => "?".to_owned(),
        };
        lines.iter().map(|line| line.spans.iter().map(text).collect()).collect()
    }

    #[test]
    fn lines_break_at_words() {
        // A character has 556, a space 278.
        for (text, width_max, expected) in [
            ("aa bb cc", 5000, vec!["aa bb cc"]),
            ("aa bb cc", 2600, vec!["aa bb", "cc"]),
            ("aaaaa b", 1200, vec!["aa", "aa", "a", "b"]),
            ("aaaaa b", 1, vec!["a", "a", "a", "a", "a", "b"]),
            ("", 1200, vec![""]),
        ] {
            let lines = Typesetter::of(&[]).unwrap().lines(text, false, width_max);
            assert_eq!(texts(&lines), expected, "{text} {width_max}");
        }
    }

    #[test]
    fn pieces_of_a_text() {
        for (text, expected) in [
            ("two words", vec!["two", "words"]),
            ("河流上升。然后", vec!["河", "流", "上", "升。", "然", "后"]),
            ("a河b", vec!["a", "河", "b"]),
            ("", vec![""]),
        ] {
            let found: Vec<&str> = pieces(text).into_iter().map(|piece| &text[piece.range]).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn marks_stay_with_their_character() {
        let text = "नमस्ते";
        let found: Vec<&str> = clusters(text, 0..text.len()).map(|range| &text[range]).collect();
        assert_eq!(found, ["न", "म", "स्", "ते"]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in "([a-z]{1,9}|河|א|é| ){0,40}", width_max in 1i32..6000) {
            let text = text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
            let ranges = Typesetter::of(&[]).unwrap().line_ranges(&text, false, width_max);
            let mut at = 0;
            for range in ranges {
                prop_assert!(text[at..range.start].trim().is_empty() && range.start >= at, "{range:?}");
                at = range.end;
            }
            prop_assert_eq!(at, text.len());
        }
    }
}
