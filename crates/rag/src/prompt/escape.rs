//! Escapes foreign text so that it cannot contain invisible characters or markup of the prompt.

use std::iter::Peekable;
use std::str::Chars;

/// Maximum length of a bracketed text that may look like a citation, in characters.
const MARK_CHARS_MAX: usize = 60;

/// Removes invisible characters and escapes the markup of the prompt: `<` opens fences, `[1]` names sources, three
/// backticks open lists. Line breaks are kept.
pub(crate) fn escape_text(text: &str) -> String {
    let seen = visible(text);
    let mut out = String::with_capacity(seen.len());
    let mut chars = seen.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            _ if is_angle(c) => out.push('‹'),
            _ if is_bracket(c) => push_bracketed(&mut out, c, &mut chars),
            '`' if out.ends_with("``") => {
                out.truncate(out.len() - 2);
                out.push_str("'''");
            }
            _ => out.push(c),
        }
    }
    out
}

/// Escapes a text and puts it on one line, truncated to a number of characters.
pub(crate) fn one_line(text: &str, chars_max: usize) -> String {
    let line = escape_text(text).replace('\n', " ");
    let mut line: String = line.chars().take(chars_max).collect();
    line.truncate(line.trim_end().len());
    line
}

/// Control characters, zero-width characters, bidirectional controls, and characters that can hide text.
pub(crate) fn is_invisible(c: char) -> bool {
    (c.is_control() && !c.is_whitespace())
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// `<` and lookalikes.
fn is_angle(c: char) -> bool {
    matches!(c, '<' | '＜' | '﹤' | '〈' | '⟨' | '˂' | 'ᐸ' | '❮' | '❰')
}

/// `[` and brackets that models use instead.
fn is_bracket(c: char) -> bool {
    matches!(c, '[' | '【' | '［' | '〔' | '⟦' | '﹝' | '〖')
}

fn is_closing_bracket(c: char) -> bool {
    matches!(c, ']' | '】' | '］' | '〕' | '⟧' | '﹞' | '〗')
}

/// The visible text with single spaces and at most one empty line in a row.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => push_break(&mut out),
            _ if is_invisible(c) => {}
            _ if c.is_whitespace() => push_space(&mut out),
            _ => out.push(c),
        }
    }
    out.truncate(out.trim_end().len());
    out
}

fn push_space(out: &mut String) {
    if !out.is_empty() && !out.ends_with([' ', '\n']) {
        out.push(' ');
    }
}

/// Adds a line break; at most one empty line in a row.
fn push_break(out: &mut String) {
    out.truncate(out.trim_end_matches(' ').len());
    if !out.is_empty() && !out.ends_with("\n\n") {
        out.push('\n');
    }
}

/// Pushes a bracketed text; with round brackets if it looks like a citation or a control token of a model.
fn push_bracketed(out: &mut String, bracket: char, chars: &mut Peekable<Chars<'_>>) {
    let mut inside = String::new();
    let mut ahead = chars.clone();
    for c in ahead.by_ref().take(MARK_CHARS_MAX) {
        if is_closing_bracket(c) && passes_for_mark(&inside) {
            out.push('(');
            out.extend(inside.chars().filter(|c| *c != '\n'));
            out.push(')');
            *chars = ahead;
            return;
        }
        if is_closing_bracket(c) || is_bracket(c) || is_angle(c) || c == '`' {
            break;
        }
        inside.push(c);
    }
    out.push(bracket);
}

/// Whether a text is numbers with at most one word before them, such as `1`, `1, 2`, `^3`, `source 4`; or `INST`.
fn passes_for_mark(inside: &str) -> bool {
    let seen = inside.trim();
    if seen.contains(['(', ')', '‹']) {
        return false;
    }
    let is_number = |c: char| c.is_numeric();
    let tail = seen.trim_start_matches(|c: char| !is_number(c));
    let head = &seen[..seen.len() - tail.len()];
    let cites = !tail.is_empty()
        && head.split_whitespace().count() <= 1
        && tail.chars().all(|c| is_number(c) || !c.is_alphabetic());
    cites || seen.trim_start_matches('/').trim().eq_ignore_ascii_case("inst") || is_bracketed_number(seen)
}

/// `1†source`, the citation format of some models.
fn is_bracketed_number(seen: &str) -> bool {
    seen.split_once('†').is_some_and(|(number, _)| number.trim().chars().any(char::is_numeric))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn signs_of_a_prompt_become_text() {
        for (text, expected) in [
            ("", ""),
            (" plain  text\t here ", "plain text here"),
            ("a\r\nb\rc\u{2028}d\u{85}e", "a\nb\nc\nd\ne"),
            ("a\n\n\n \nb", "a\n\nb"),
            ("nul\0 bel\u{7} esc\u{1b}[31m", "nul bel esc[31m"),
            ("zero\u{200b}width \u{202e}turned\u{202c} \u{feff}mark", "zerowidth turned mark"),
            ("tags\u{e0049}\u{e0067}\u{e007f} and\u{fe0f} more\u{e0101}", "tags and more"),
            ("</source> a <b", "‹/source> a ‹b"),
            ("＜/source＞ ⟨x⟩", "‹/source＞ ‹x⟩"),
            ("<\u{200b}/source>", "‹/source>"),
            ("[1] Title", "(1) Title"),
            ("[ 2 ] 【3】 ［4］ [5, 6] [7-9] [^1]", "( 2 ) (3) (4) (5, 6) (7-9) (^1)"),
            ("[1\u{200b}2] [Source 1] [source\n2]", "(12) (Source 1) (source2)"),
            ("【1†source】 [INST] [/INST]", "(1†source) (INST) (/INST)"),
            ("[sic] [a long remark of 2024] []", "[sic] [a long remark of 2024] []"),
            ("```follow-ups\n- x\n````", "'''follow-ups\n- x\n'''`"),
            ("`code` and ``two``", "`code` and ``two``"),
            ("[[1]] [x[2]", "[(1)] [x(2)"),
        ] {
            assert_eq!(escape_text(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_line_is_one_line() {
        assert_eq!(one_line("a\n[1] b\nProvider: c", 100), "a (1) b Provider: c");
        assert_eq!(one_line("abc def", 4), "abc");
    }

    proptest! {
        #[test]
        fn nothing_is_left_that_could_be_ours(
            text in "([\\[\\]【】<>`'\\n\\r 0-9a-c]|\u{200b}|\u{202e}|source|</source>|\\PC|.){0,60}",
        ) {
            let out = escape_text(&text);
            prop_assert!(!out.contains(['<', '＜']) && !out.contains("```") && !out.contains("\n\n\n"), "{out:?}");
            prop_assert!(!out.chars().any(is_invisible));
            for n in 0..12 {
                prop_assert!(!out.contains(&format!("[{n}]")) && !out.contains(&format!("【{n}】")), "{out:?}");
            }
            prop_assert_eq!(escape_text(&out), out, "once is enough");
        }
    }
}
