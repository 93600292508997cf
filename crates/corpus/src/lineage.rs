//! Which documents are versions of each other, and what a version is called.

use crate::CacheParts;
use domain::contracts::StoreError;
use domain::ids::SignalId;
use relevancy::tokens::{lower, tokens};

/// Longest name of a version, in characters.
const LABEL_CHARS_MAX: usize = 40;
/// Most documents of a line that are looked at.
const RELATIVES_MAX: usize = 100;
/// Words that say how far a version has come.
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
/// Words before the number of a version.
const NUMBERED: [&str; 6] = ["v", "ver", "version", "rev", "revision", "r"];
/// Larger numbers are years and the like.
const NUMBER_MAX: u32 = 999;
/// Most digits of the number in brackets that one more copy of a file gets.
const COPY_DIGITS_MAX: usize = 2;

/// Finds the line of versions that a document belongs to. Of documents with one text, or with one id at their source, all
/// have the id of the oldest as the id of their line.
pub async fn recompute(parts: &CacheParts, id: SignalId) -> Result<(), StoreError> {
    let signal = parts.store.signal(id).await?;
    let mut relatives = parts.store.relatives(&signal).await?;
    relatives.truncate(RELATIVES_MAX);
    let family = parts.store.signals(&relatives, None).await?;
    let oldest = family.iter().map(|one| one.lineage_id.unwrap_or(one.signal_id)).chain([id]).min();
    let lineage = oldest.unwrap_or(id);
    if signal.lineage_id != Some(lineage) {
        parts.store.set_lineage(id, lineage, &signal.version_label).await?;
    }
    for one in family.iter().filter(|one| one.lineage_id != Some(lineage)) {
        match parts.store.set_lineage(one.signal_id, lineage, &one.version_label).await {
            Ok(()) | Err(StoreError::NotFound) => {} // removed meanwhile
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// What a version calls itself in its title, else in its file's name: `v2`, `final`, `v2.1 spec`; may be empty.
pub fn label(title: &str, url: &str) -> String {
    let of_title = label_of(title);
    if of_title.is_empty() { label_of(&file_of(url)) } else { of_title }
}

/// What a version says of itself in its title and in its file's name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Named {
    /// Its number, and the smaller one behind the dot; that of the title where both have one.
    pub version: Option<(u32, u32)>,
    /// Each once.
    pub stages: Vec<&'static str>,
    /// A small number in brackets, as one more copy of a file gets.
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

/// The last part of the path.
fn file_of(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let file = path.splitn(4, '/').nth(3).and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    file.replace("%20", " ").replace("%28", "(").replace("%29", ")")
}

/// `(1)` to `(99)`; larger numbers are years and the like.
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

/// The words in lower case, and dots where signs stood that part numbers of a version.
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
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let (first, rest) = if letters.len() < word.len() && !letters.is_empty() {
        (&word[letters.len()..], after)
    } else {
        (after.first()?.as_str(), &after[1..])
    };
    if !NUMBERED.contains(&letters) || !is_number(first) {
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
