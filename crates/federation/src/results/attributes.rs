//! Filterable attributes of a result.

use super::star_threshold::StarThreshold;
use domain::instant::Instant;
use domain::ports::Candidate;
use syntax::dates::instant;
use syntax::strip_html::readable;

/// The separator of authors, in the results of sources and in a parameter. A comma may be part of a name.
pub(super) const AUTHOR_SEPARATOR: &str = ";";

/// Most authors of one result.
const AUTHORS_MAX: usize = 50;

pub(super) struct Attributes<'a> {
    pub candidate: Candidate<'a>,
    /// Each author once.
    pub authors: Vec<Author>,
    pub published: Option<Instant>,
    pub is_starred: bool,
    pub is_new: bool,
}

pub(super) struct Author {
    /// As the provider spells it.
    pub name: String,
    /// For comparison, see [`fold_name`].
    pub key: String,
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
}

/// Normalizes a name for comparison.
pub(super) fn fold_name(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The names in a list of authors.
pub fn split_authors(text: &str) -> impl Iterator<Item = &str> {
    text.split(AUTHOR_SEPARATOR).map(str::trim).filter(|name| !name.is_empty())
}

/// Each author once.
fn authors(text: &str) -> Vec<Author> {
    let mut authors: Vec<Author> = Vec::new();
    for name in split_authors(&readable(text)) {
        let key = fold_name(name);
        if !authors.iter().any(|known| known.key == key) {
            authors.push(Author { name: name.to_owned(), key });
        }
        if authors.len() == AUTHORS_MAX {
            break;
        }
    }
    authors
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
            let names: Vec<String> = authors(text).into_iter().map(|author| author.name).collect();
            assert_eq!(names, expected, "{text}");
        }
        let many: String = (0..=AUTHORS_MAX).map(|n| format!("A{n};")).collect();
        assert_eq!(authors(&many).len(), AUTHORS_MAX);
    }
}
