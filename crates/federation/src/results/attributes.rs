//! Filterable attributes of a result.

use super::star_threshold::StarThreshold;
use domain::instant::Instant;
use domain::ports::Candidate;
use syntax::dates::instant;
use syntax::strip_html::readable;

/// Most authors of one result.
const AUTHORS_MAX: usize = 50;

pub(super) struct Attributes<'a> {
    pub candidate: Candidate<'a>,
    /// Each author once, as the provider spells them.
    pub authors: Vec<String>,
    pub published: Option<Instant>,
    pub is_starred: bool,
    pub is_new: bool,
}

impl<'a> Attributes<'a> {
    pub(super) fn of(candidate: Candidate<'a>, threshold: StarThreshold) -> Self {
        let item = candidate.item;
        Self {
            candidate,
            authors: authors(&item.author),
            published: instant(&item.date_published),
            is_starred: threshold.is_met(item),
            is_new: item.new.is_some(),
        }
    }

    /// Its group, of which the list shows one result.
    pub(super) fn group(&self) -> Option<u32> {
        self.candidate.item.group.map(|place| place.group)
    }

    pub(super) fn is_by(&self, name: &str) -> bool {
        let name = fold_name(name);
        self.authors.iter().any(|author| fold_name(author) == name)
    }
}

/// Normalizes a name for comparison.
pub(super) fn fold_name(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Authors are separated by semicolons; commas may be part of a name.
fn authors(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in readable(text).split(';').map(str::trim).filter(|name| !name.is_empty()) {
        if !names.iter().any(|known| fold_name(known) == fold_name(name)) {
            names.push(name.to_owned());
        }
        if names.len() == AUTHORS_MAX {
            break;
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authors_are_split() {
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
