//! Lineages: which documents are versions of each other, and version labels.

use crate::CacheParts;
use domain::corpus::Visibility;
use domain::ids::SignalId;
use domain::ports::StoreError;
use relevancy::tokens::{lower, tokens};

/// Longest version label, in characters.
const LABEL_CHARS_MAX: usize = 40;
/// Most documents of a lineage that are considered.
const RELATIVES_MAX: usize = 100;
/// Words for the stage of a version.
const STAGES: [&str; 12] = [
    "draft",
    "wip",
    "redline",
    "old",
    "backup",
    "copy",
    "final",
    "approved",
    "executed",
    "signed",
    "published",
    "archived",
];
/// Words before a version number.
const NUMBERED: [&str; 6] = ["v", "ver", "version", "rev", "revision", "r"];
/// Larger numbers are probably years.
const NUMBER_MAX: u32 = 999;
/// Most digits of a copy number in brackets.
const COPY_DIGITS_MAX: usize = 2;

/// Computes the lineage of a document. All documents with the same text or the same id at their source have the id of
/// the oldest as their lineage id.
pub async fn recompute(parts: &CacheParts, id: SignalId) -> Result<(), StoreError> {
    let signal = parts.store.signal(id).await?;
    let mut relatives = parts.store.relatives(&signal).await?;
    relatives.truncate(RELATIVES_MAX);
    let family = parts.store.signals(&relatives, Visibility::Unrestricted).await?;
    let oldest = family.iter().map(|one| one.lineage_id.unwrap_or(one.signal_id)).chain([id]).min();
    let lineage = oldest.unwrap_or(id);
    if signal.lineage_id != Some(lineage) {
        parts.store.set_lineage(id, lineage, &signal.version_label).await?;
    }
    for one in family.iter().filter(|one| one.lineage_id != Some(lineage)) {
        match parts.store.set_lineage(one.signal_id, lineage, &one.version_label).await {
            Ok(()) | Err(StoreError::NotFound) => {} // removed in the meantime
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The version label in the title, else in the file name: `v2`, `final`, `v2.1 draft`; may be empty.
pub fn label(title: &str, url: &str) -> String {
    let of_title = label_of(title);
    if of_title.is_empty() { label_of(&file_of(url)) } else { of_title }
}

/// Version information in the title and the file name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Named {
    /// Major and minor number; those of the title if both have one.
    pub version: Option<(u32, u32)>,
    /// Each once.
    pub stages: Vec<&'static str>,
    /// Has a copy number in brackets, as in `report (2).pdf`.
    pub is_numbered_copy: bool,
}

pub fn named(title: &str, url: &str) -> Named {
    let mut named = Named::default();
    for name in [title.to_owned(), file_of(url)] {
        let words = words_of(&name);
        for (place, word) in words.iter().enumerate() {
            if named.version.is_none() {
                named.version = number_of(word, &words[place + 1..]).and_then(|number| parts_of(&number));
            }
            let bare = word.trim_end_matches(|c: char| c.is_ascii_digit());
            let stage = STAGES.iter().find(|stage| **stage == bare);
            named.stages.extend(stage.filter(|stage| !named.stages.contains(stage)));
        }
        named.is_numbered_copy |= has_copy_number(&name);
    }
    named
}

/// The last path segment.
fn file_of(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let file = path.splitn(4, '/').nth(3).and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    file.replace("%20", " ").replace("%28", "(").replace("%29", ")")
}

/// `(1)` to `(99)`; larger numbers are probably years.
fn has_copy_number(name: &str) -> bool {
    name.split('(').skip(1).filter_map(|rest| rest.split_once(')')).any(|(inside, _)| {
        (1..=COPY_DIGITS_MAX).contains(&inside.len()) && inside.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn parts_of(number: &str) -> Option<(u32, u32)> {
    let (major, minor) = number.split_once('.').unwrap_or((number, "0"));
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn words_of(name: &str) -> Vec<String> {
    tokens_with_dots(&name.replace(['_', '-', '.'], " . "))
}

fn label_of(name: &str) -> String {
    let words = words_of(name);
    let mut parts: Vec<String> = Vec::new();
    let mut add = |part: String| {
        if !parts.contains(&part) {
            parts.push(part);
        }
    };
    for (place, word) in words.iter().enumerate() {
        if let Some(number) = number_of(word, &words[place + 1..]) {
            add(format!("v{number}"));
        } else if STAGES.contains(&word.as_str()) {
            add(word.clone());
        }
    }
    parts.join(" ").chars().take(LABEL_CHARS_MAX).collect()
}

/// Lowercase words, with dots for separators inside version numbers.
fn tokens_with_dots(name: &str) -> Vec<String> {
    name.split_whitespace()
        .flat_map(|piece| match piece {
            "." => vec![".".to_owned()],
            other => tokens(other).map(|token| lower(token.text).into_owned()).collect(),
        })
        .collect()
}

/// `v2` alone, or `version` with a number after it; `v2 . 1` is 2.1.
fn number_of(word: &str, after: &[String]) -> Option<String> {
    let is_number = |text: &str| text.parse::<u32>().is_ok_and(|number| number <= NUMBER_MAX);
    let prefix = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let (first, rest) = if prefix.len() < word.len() && !prefix.is_empty() {
        (&word[prefix.len()..], after)
    } else {
        (after.first()?.as_str(), &after[1..])
    };
    if !NUMBERED.contains(&prefix) || !is_number(first) {
        return None;
    }
    match rest {
        [dot, second, ..] if dot == "." && is_number(second) => Some(format!("{first}.{second}")),
        _ => Some(first.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_names() {
        let table = [
            ("Contract v2", "", "v2"),
            ("Contract_v2.1_draft", "", "v2.1 draft"),
            ("Contract (Version 3, final)", "", "v3 final"),
            ("Contract FINAL final", "", "final"),
            ("Contract rev 12", "", "v12"),
            ("Contract", "https://a.example/x/contract-signed.pdf", "signed"),
            ("Contract", "https://a.example/v2/contract.pdf", ""),
            ("Contract", "https://v2.example", ""),
            ("Contract of 2026", "", ""),
            ("Version of the events", "", ""),
            ("The river v2026", "", ""),
            ("", "", ""),
        ];
        for (title, url, expected) in table {
            assert_eq!(label(title, url), expected, "{title} {url}");
        }
        let long = STAGES.join(" ");
        assert_eq!(label(&long, "").chars().count(), LABEL_CHARS_MAX);
    }
}
