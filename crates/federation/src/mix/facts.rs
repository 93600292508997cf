//! What filters and facets ask of a result, read once for each.

use super::stars::Stars;
use domain::contracts::Candidate;
use domain::instant::Instant;
use domain::notation::dates::instant;
use domain::notation::markup::readable;

/// Most authors of one result that are told apart.
const AUTHORS_MAX: usize = 50;

pub(super) struct Facts<'a> {
    pub candidate: Candidate<'a>,
    /// Each once, as the source writes them.
    pub authors: Vec<String>,
    pub published: Option<Instant>,
    pub is_starred: bool,
    pub is_new: bool,
}

impl<'a> Facts<'a> {
    pub(super) fn of(candidate: Candidate<'a>, stars: Stars) -> Self {
        let item = candidate.item;
        Self {
            candidate,
            authors: authors(&item.author),
            published: instant(&item.date_published),
            is_starred: stars.has(item),
            is_new: item.new.is_some(),
        }
    }

    pub(super) fn is_by(&self, name: &str) -> bool {
        let name = folded(name);
        self.authors.iter().any(|author| folded(author) == name)
    }
}

/// The form in which two writings of a name are equal.
pub(super) fn folded(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Semicolons stand between authors; commas may be part of a name.
fn authors(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in readable(text).split(';').map(str::trim).filter(|name| !name.is_empty()) {
        if !found.iter().any(|known| folded(known) == folded(name)) {
            found.push(name.to_owned());
        }
        if found.len() == AUTHORS_MAX {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authors_are_told_apart() {
        let cases: [(&str, &[&str]); 5] = [
            ("Lee, Ann", &["Lee, Ann"]),
            ("Ann Lee; Bob Ray ;; ann  lee", &["Ann Lee", "Bob Ray"]),
            ("<em>Ann</em> Lee", &["Ann Lee"]),
            ("", &[]),
            (" ; ", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(authors(text), expected, "{text}");
        }
        let many: String = (0..=AUTHORS_MAX).map(|n| format!("A{n};")).collect();
        assert_eq!(authors(&many).len(), AUTHORS_MAX);
    }
}
