//! Marks that are added to a text before it is parsed as Markdown, and removed from what the parser returns. With them,
//! tags, links and stars within words are text, and emphasis works in scripts without spaces between words.

/// Separates two characters that would otherwise be read as one kind of markup.
const APART: char = '\u{fdd0}';
/// Precedes an escaped character in the text of a line.
pub(super) const ESCAPED: char = '\u{fdd1}';
/// Follows the `- ` that replaces the sign of a list item.
const BULLET: char = '\u{fdd2}';
/// Precedes an added backslash.
const BACKSLASH: char = '\u{fdd3}';

/// Written by models as the sign of a list item, but not Markdown.
const BULLET_SIGN: &str = "• ";
/// Digits of the largest number of a list item; `2024. ` starts a sentence.
const NUMBER_DIGITS_MAX: usize = 3;

/// Signs that open what the closing ones end, and those that do both.
const OPENING: &str = "([{<（［｛＜「『【《〈〔〖“‘„‚«‹¿¡";
const QUOTES: &str = "\"'`";

pub(super) fn added(text: &str) -> String {
    let mut marked = String::with_capacity(text.len() + text.len() / 8);
    for line in text.split_inclusive('\n') {
        let (indent, rest) = line.split_at(line.len() - line.trim_start_matches([' ', '\t']).len());
        marked.push_str(indent);
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if let Some(item) = rest.strip_prefix(BULLET_SIGN) {
            marked.push_str("- ");
            marked.push(BULLET);
            add_to_line(item, &mut marked);
        } else if digits > NUMBER_DIGITS_MAX {
            marked.push_str(&rest[..digits]);
            marked.push(APART);
            add_to_line(&rest[digits..], &mut marked);
        } else {
            add_to_line(rest, &mut marked);
        }
    }
    marked
}

fn add_to_line(line: &str, marked: &mut String) {
    let (mut rest, mut before, mut is_open) = (line, None, false);
    while let Some(sign) = rest.chars().next() {
        let length = match sign {
            '*' => rest.len() - rest.trim_start_matches('*').len(),
            _ => sign.len_utf8(),
        };
        let (signs, behind) = rest.split_at(length);
        let after = behind.chars().next();
        match sign {
            '*' => add_to_stars(signs, before, after, &mut is_open, marked),
            APART..=BACKSLASH => {}
            _ => marked.push_str(signs),
        }
        // Tags, links and definitions of links.
        if sign == '<' || (sign == ']' && matches!(after, Some('(' | ':'))) {
            marked.push(APART);
        }
        (rest, before) = (behind, Some(sign));
    }
}

/// Stars within a word are text unless emphasis is open, as in `2*3*4`. Next to punctuation, CommonMark decides by the
/// spaces around them, which `これは**「重要」**です` does not have.
fn add_to_stars(
    stars: &str,
    before: Option<char>,
    after: Option<char>,
    is_open: &mut bool,
    marked: &mut String,
) {
    let is_in_word = |side: Option<char>| side.is_some_and(|c| c.is_alphanumeric() && !is_unspaced(c));
    if before == Some('\\') {
        marked.push_str(stars);
        return;
    }
    if is_in_word(before) && is_in_word(after) && !*is_open {
        for _ in stars.chars() {
            marked.extend([BACKSLASH, '\\', '*']);
        }
        return;
    }
    let is_sign = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
    let closes = before.is_some_and(|c| is_sign(c) && !OPENING.contains(c)) && after.is_some_and(is_unspaced);
    let opens =
        before.is_some_and(is_unspaced) && after.is_some_and(|c| OPENING.contains(c) || QUOTES.contains(c));
    marked.extend(closes.then_some(APART));
    marked.push_str(stars);
    marked.extend(opens.then_some(APART));
    *is_open = if *is_open {
        before.is_none_or(char::is_whitespace)
    } else {
        after.is_some_and(|c| !c.is_whitespace())
    };
}

/// Whether words of this script are not separated by spaces: Thai, Lao, Tibetan, Burmese, Khmer, Chinese, Japanese, and
/// Korean with its particles.
fn is_unspaced(c: char) -> bool {
    const BLOCKS: [(u32, u32); 10] = [
        (0x0e00, 0x0fff),
        (0x1000, 0x109f),
        (0x1100, 0x11ff),
        (0x1780, 0x17ff),
        (0x2e80, 0xa4cf),
        (0xa960, 0xa97f),
        (0xac00, 0xd7ff),
        (0xf900, 0xfaff),
        (0xff66, 0xffdc),
        (0x2_0000, 0x3_ffff),
    ];
    let code = u32::from(c);
    c.is_alphanumeric() && BLOCKS.iter().any(|(first, last)| (*first..=*last).contains(&code))
}

/// The text as it was written.
pub(super) fn removed(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            BACKSLASH => drop(signs.next_if_eq(&'\\')),
            BULLET if written.ends_with("- ") => {
                written.truncate(written.len() - 2);
                written.push_str(BULLET_SIGN);
            }
            APART..=BACKSLASH => {}
            _ => written.push(sign),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back() {
        for text in [
            "",
            "• one\n  • two\n- three",
            "2024. was <b>dry</b> [a](b) [c]: d",
            "2*3**4 これは**「重要」**です **중요(重要)**합니다 `**「code」**は`",
            "**a***b*",
        ] {
            assert_eq!(removed(&added(text)), text);
        }
        assert_eq!(removed(&added("a\u{fdd0}b\u{fdd1}c\u{fdd2}d\u{fdd3}")), "abcd", "marks are not text");
    }
}
