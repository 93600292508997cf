//! The tags that name matters.

use crate::validation::FieldErrors;
use std::fmt;

/// Prefix of a tag that names a matter.
const PREFIX: &str = "matter:";
/// Longest name of a matter, in characters.
pub const MATTER_CHARS_MAX: usize = 200;

/// The name of a matter: without the prefix `matter:`, and never empty. The prefix may have any case; names that differ
/// in case are different matters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MatterTag(String);

impl MatterTag {
    /// Parses `matter:<name>` or `<name>`; `None` without a name.
    pub fn parse(text: &str) -> Option<Self> {
        let mut name = text.trim();
        // A name that began with the prefix could not be told from a tag.
        while let Some(rest) = after_prefix(name) {
            name = rest;
        }
        (!name.is_empty()).then(|| Self(name.to_owned()))
    }

    /// The matter of a search with this tag; `None` for the tags that name none.
    pub fn of_search_tag(tag: &str) -> Option<Self> {
        names_matter(tag).then(|| Self::parse(tag)).flatten()
    }

    /// Parses a tag that a person writes. A tag without a name must mean neither all matters nor the whole firm.
    pub fn read(errors: &mut FieldErrors, field: &str, text: &str) -> Option<Self> {
        let Some(tag) = Self::parse(text) else {
            errors.add(field, format!("Name a matter, such as acme or {PREFIX}acme."));
            return None;
        };
        errors.check_name(field, &tag.0, MATTER_CHARS_MAX);
        Some(tag)
    }

    /// Checks those tags of a search that name a matter.
    pub fn check_search_tags(errors: &mut FieldErrors, field: &str, tags: &[String]) {
        for tag in tags.iter().filter(|tag| names_matter(tag)) {
            Self::read(errors, field, tag);
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether stored tags include this one. Earlier versions stored a prefix in upper case.
    pub fn is_among(&self, tags: &[String]) -> bool {
        tags.iter().any(|tag| Self::parse(tag).as_ref() == Some(self))
    }
}

/// As in a scope or in the tags of a search.
impl fmt::Display for MatterTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.0)
    }
}

fn after_prefix(text: &str) -> Option<&str> {
    let (prefix, name) = text.split_at_checked(PREFIX.len())?;
    prefix.eq_ignore_ascii_case(PREFIX).then(|| name.trim())
}

/// Whether a text has the prefix.
fn names_matter(text: &str) -> bool {
    after_prefix(text.trim()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_written_with_its_prefix_or_without() {
        let table = [
            ("acme", Some("acme")),
            ("matter:acme", Some("acme")),
            ("MATTER:acme", Some("acme")),
            (" Matter: acme ", Some("acme")),
            ("matter:MATTER:acme", Some("acme")),
            ("Acme", Some("Acme")),
            ("matter:firm", Some("firm")),
            ("matters:acme", Some("matters:acme")),
            ("Größe", Some("Größe")),
            ("", None),
            (" ", None),
            ("matter:", None),
            ("MATTER: ", None),
            ("matter: matter:", None),
        ];
        for (text, expected) in table {
            let tag = MatterTag::parse(text);
            assert_eq!(tag.as_ref().map(MatterTag::as_str), expected, "{text}");
            let again = tag.as_ref().and_then(|tag| MatterTag::parse(&tag.to_string()));
            assert_eq!(again, tag, "{text}");
        }
    }

    #[test]
    fn a_search_names_a_matter_by_the_prefix() {
        for (tag, expected) in [
            ("matter:acme", Some("acme")),
            (" MATTER: acme", Some("acme")),
            ("acme", None),
            ("matter:", None),
            ("a:matter:b", None),
        ] {
            let found = MatterTag::of_search_tag(tag);
            assert_eq!(found.as_ref().map(MatterTag::as_str), expected, "{tag}");
        }
    }

    #[test]
    fn a_tag_of_a_request_has_a_name_of_bounded_length_in_one_line() {
        let longest = "x".repeat(MATTER_CHARS_MAX);
        let table = [
            ("acme", "acme", true),
            (&longest, &longest, true),
            (&format!("matter:{longest}"), &longest, true),
            (&format!("{longest}x"), &format!("{longest}x"), false),
            ("a\u{7}b", "a\u{7}b", false),
        ];
        for (text, name, is_valid) in table {
            let mut errors = FieldErrors::default();
            let tag = MatterTag::read(&mut errors, "matter_tag", text);
            assert_eq!(
                (tag.as_ref().map(MatterTag::as_str), errors.is_empty()),
                (Some(name), is_valid),
                "{text}"
            );
        }
        for text in ["", "matter:", " Matter: "] {
            let mut errors = FieldErrors::default();
            assert_eq!(MatterTag::read(&mut errors, "matter_tag", text), None);
            assert_eq!(errors.to_string(), "matter_tag: Name a matter, such as acme or matter:acme.");
        }
        for (tag, is_valid) in [("news", true), ("", true), ("matter:a", true), ("MATTER:", false)] {
            let mut errors = FieldErrors::default();
            MatterTag::check_search_tags(&mut errors, "tags", &[tag.to_owned()]);
            assert_eq!(errors.is_empty(), is_valid, "{tag}");
        }
    }

    #[test]
    fn tags_of_earlier_versions_are_found() {
        let tags = ["MATTER:a", "b"].map(str::to_owned);
        for (wanted, is_there) in [("a", true), ("matter:b", true), ("B", false), ("c", false)] {
            assert_eq!(MatterTag::parse(wanted).unwrap().is_among(&tags), is_there, "{wanted}");
        }
    }
}
