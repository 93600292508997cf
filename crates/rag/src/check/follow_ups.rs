//! Splits follow-up questions and an unwanted list of sources from a reply.

use super::sanitize::Sanitized;
use super::urls::AllowedUrls;
use super::{citation_syntax, sanitize};
use crate::prompt::FOLLOW_UPS;

/// Maximum number of follow-up questions.
const COUNT_MAX: usize = 3;
/// Maximum length of a follow-up question in characters; longer ones are dropped.
const CHARS_MAX: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct SplitReply {
    pub answer: String,
    /// Not sanitized.
    pub follow_ups: Vec<String>,
}

/// Splits a reply.
pub(super) fn split(written: &str) -> SplitReply {
    let lines: Vec<&str> = written.lines().collect();
    let mut split_reply = fenced(&lines)
        .or_else(|| headed(&lines))
        .unwrap_or_else(|| SplitReply { answer: written.to_owned(), follow_ups: Vec::new() });
    split_reply.answer = without_source_list(&split_reply.answer);
    split_reply
}

/// Sanitizes the questions.
pub(super) fn sanitize(written: &[String], allowed: &AllowedUrls) -> Vec<String> {
    let mut questions: Vec<String> = Vec::new();
    for one in written {
        let Sanitized { text, removed } = sanitize::sanitize(one, allowed);
        let text = citation_syntax::without(&text).split_whitespace().collect::<Vec<_>>().join(" ");
        let text = text.replace(" ?", "?").trim_matches(['*', '_', '"', '`', ' ']).to_owned();
        let is_question = text.contains(char::is_alphabetic) && text.chars().count() <= CHARS_MAX;
        if is_question && !removed.urls && !removed.images && !questions.contains(&text) {
            questions.push(text);
        }
    }
    questions.truncate(COUNT_MAX);
    questions
}

/// The questions in a code fence with their name. An unclosed fence extends to the end.
fn fenced(lines: &[&str]) -> Option<SplitReply> {
    let opens = |line: &&str| {
        sanitize::is_fence(line) && {
            let name = line.trim().trim_start_matches(['`', '~']).trim().to_lowercase();
            let name: String = name.chars().filter(|c| c.is_alphabetic()).collect();
            name == "followups" || name == "followup" || name == "followupquestions"
        }
    };
    let start = lines.iter().rposition(opens)?;
    let inside = &lines[start + 1..];
    let length = inside.iter().position(|line| sanitize::is_fence(line)).unwrap_or(inside.len());
    let rest = inside.get(length + 1..).unwrap_or_default();
    let answer: Vec<&str> = lines[..start].iter().chain(rest).copied().collect();
    Some(SplitReply { answer: answer.join("\n"), follow_ups: items(&inside[..length]) })
}

/// The questions under a heading at the end.
fn headed(lines: &[&str]) -> Option<SplitReply> {
    let is_heading = |line: &&str| {
        let words = plain(line).replace(['-', ' '], "");
        words.starts_with(&FOLLOW_UPS.replace("-ups", "up")) && words.len() < 40 && !words.contains('?')
    };
    let start = lines.iter().rposition(is_heading)?;
    let inside = &lines[start + 1..];
    let are_items = inside.iter().all(|line| line.trim().is_empty() || item(line).is_some());
    let follow_ups = items(inside);
    (are_items && !follow_ups.is_empty())
        .then(|| SplitReply { answer: lines[..start].join("\n"), follow_ups })
}

fn items(lines: &[&str]) -> Vec<String> {
    let text = |line: &&str| item(line).unwrap_or_else(|| line.trim()).to_owned();
    lines.iter().map(text).filter(|line| !line.is_empty()).collect()
}

/// The text of a list item.
fn item(line: &str) -> Option<&str> {
    let line = line.trim();
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    match line.strip_prefix(['-', '*', '•', '+']) {
        Some(rest) => Some(rest.trim()),
        None if after_number.len() < line.len() => after_number.strip_prefix(['.', ')']).map(str::trim),
        None => None,
    }
}

/// A heading in lower case without markup.
fn plain(line: &str) -> String {
    line.trim().trim_matches(['#', '*', '_', ':', ' ']).to_lowercase()
}

/// Removes a list of sources at the end; they are shown separately.
fn without_source_list(text: &str) -> String {
    const HEADINGS: [&str; 8] =
        ["sources", "references", "citations", "sources used", "quellen", "fuentes", "fonti", "références"];
    let lines: Vec<&str> = text.lines().collect();
    let is_heading = |line: &&str| HEADINGS.contains(&plain(line).as_str());
    let Some(start) = lines.iter().rposition(is_heading) else { return text.to_owned() };
    let names_source = |line: &&str| {
        let text = item(line).unwrap_or(line.trim());
        text.is_empty() || text.starts_with(['[', '【', '<']) || text.contains("://") || item(line).is_some()
    };
    if start > 0 && lines[start + 1..].iter().all(names_source) {
        lines[..start].join("\n")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::urls::tests::sources;
    use super::*;

    #[test]
    fn questions_are_parted_from_the_answer() {
        let table: &[(&str, &str, &[&str])] = &[
            ("It rose [1].", "It rose [1].", &[]),
            ("It rose.\n```follow-ups\n- Why?\n- When?\n```", "It rose.", &["Why?", "When?"]),
            ("It rose.\n```follow-ups\n- Why?\n- When", "It rose.", &["Why?", "When"]),
            (
                "It rose.\n\n``` Follow-up questions\n1. Why?\n2) When?\n\n```\nMore.",
                "It rose.\n\nMore.",
                &["Why?", "When?"],
            ),
            ("It rose.\n~~~followups\nWhy?\n~~~", "It rose.", &["Why?"]),
            ("It rose.\n\n**Follow-up questions:**\n- Why?\n", "It rose.\n", &["Why?"]),
            ("### Follow-up\nNo list here.", "### Follow-up\nNo list here.", &[]),
            ("```rust\nlet x = 1;\n```", "```rust\nlet x = 1;\n```", &[]),
            ("It rose.\n\nSources:\n[1] A\n[2] https://a.example", "It rose.\n", &[]),
            ("It rose.\n## References\n1. A paper", "It rose.", &[]),
            (
                "Sources\n\nThere are two sources of the river.",
                "Sources\n\nThere are two sources of the river.",
                &[],
            ),
        ];
        for (written, answer, follow_ups) in table {
            let split_reply = split(written);
            assert_eq!(
                (split_reply.answer.trim_end(), split_reply.follow_ups),
                (answer.trim_end(), to_texts(follow_ups)),
                "{written}"
            );
        }
    }

    fn to_texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn questions_are_few_plain_and_short() {
        let allowed = AllowedUrls::of(&sources(&[("https://a.example/", "")]));
        let written = to_texts(&[
            "**Why** [1]?",
            "See https://evil.test/?",
            "![x](https://evil.test)",
            "",
            "When?",
            "When?",
            &"long ".repeat(60),
            "Where <b>now</b>?",
            "How?",
        ]);
        assert_eq!(sanitize(&written, &allowed), ["Why**?", "When?", "Where now?"]);
    }
}
