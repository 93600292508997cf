//! Topic of a decision on versions: a query, for one matter or for all.

use super::MATTER_PREFIX;
use crate::validation::FieldErrors;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Maximum length of the query of a decision, in characters: equal to that of a search, so that two queries that differ
/// only at their ends do not share a decision.
pub const QUERY_CHARS_MAX: usize = 2_048;
/// `scope` of a decision for all matters.
const FIRM: &str = "firm";

/// The normalized query by which decisions are found: in lower case, white space collapsed, every word kept.
pub fn query_key(query: &str) -> String {
    let lower = query.to_lowercase();
    lower.split_whitespace().collect::<Vec<&str>>().join(" ").chars().take(QUERY_CHARS_MAX).collect()
}

/// Where a decision applies. A decision for a matter takes precedence over one for the whole firm.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Scope {
    #[default]
    Firm,
    /// The tag without `matter:`.
    Matter(String),
}

impl Scope {
    /// Parses `firm`, `matter:<tag>` or `<tag>`; an empty text is the whole firm. The prefix may have any case.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        match matter(text) {
            Some("") => Self::Firm,
            Some(tag) => Self::Matter(tag.to_owned()),
            None if text.is_empty() || text == FIRM => Self::Firm,
            None => Self::Matter(text.to_owned()),
        }
    }

    /// Checks a scope that a person names: a matter without a name must not become the whole firm.
    pub fn check(errors: &mut FieldErrors, field: &str, text: &str) {
        errors.check(matter(text.trim()) != Some(""), field, || {
            format!("Name a matter, such as {MATTER_PREFIX}acme, or {FIRM} for the whole firm.")
        });
    }
}

/// The tag after `matter:`.
fn matter(text: &str) -> Option<&str> {
    let (prefix, tag) = text.split_at_checked(MATTER_PREFIX.len())?;
    prefix.eq_ignore_ascii_case(MATTER_PREFIX).then(|| tag.trim())
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Firm => f.write_str(FIRM),
            Self::Matter(tag) => write!(f, "{MATTER_PREFIX}{tag}"),
        }
    }
}

impl Serialize for Scope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Scope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self::parse(&text))
    }
}

/// A query and the tags of its search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Topic<'a> {
    /// As entered.
    pub query: &'a str,
    pub tags: &'a [String],
}

impl Topic<'_> {
    pub fn key(&self) -> String {
        query_key(self.query)
    }

    /// The scopes that apply, by precedence: its matters in order, then the firm.
    pub fn scopes(&self) -> Vec<Scope> {
        let mut scopes: Vec<Scope> = Vec::new();
        for tag in self.tags.iter().filter(|tag| tag.trim().starts_with(MATTER_PREFIX)) {
            let scope = Scope::parse(tag);
            if scope != Scope::Firm && !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        scopes.push(Scope::Firm);
        scopes
    }

    /// The scope of an election of this search.
    pub fn scope(&self) -> Scope {
        self.scopes().into_iter().next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_query_has_one_key() {
        for text in ["Master  Services\tAgreement", " master services AGREEMENT "] {
            assert_eq!(query_key(text), "master services agreement");
        }
        assert_eq!(query_key("the MSA"), "the msa", "stopwords are kept");
        assert_eq!(query_key(&"x".repeat(QUERY_CHARS_MAX + 1)).len(), QUERY_CHARS_MAX);
        let longest = |end: &str| "x".repeat(QUERY_CHARS_MAX - 1) + end;
        assert_ne!(query_key(&longest("a")), query_key(&longest("b")), "two searches are two queries");
    }

    #[test]
    fn scopes_are_read_and_written() {
        let acme = Scope::Matter("acme".to_owned());
        for (text, expected) in [
            ("", Scope::Firm),
            ("firm", Scope::Firm),
            ("matter:", Scope::Firm),
            ("acme", acme.clone()),
            ("matter:acme", acme.clone()),
            ("MATTER:acme", acme.clone()),
            (" matter: acme ", acme.clone()),
            ("matter:firm", Scope::Matter("firm".to_owned())),
        ] {
            assert_eq!(Scope::parse(text), expected, "{text}");
            assert_eq!(Scope::parse(&expected.to_string()), expected, "{text}");
        }
    }

    #[test]
    fn a_matter_without_a_name_is_not_the_firm() {
        for (text, is_valid) in [
            ("", true),
            ("firm", true),
            ("acme", true),
            ("matter:a", true),
            ("matter:", false),
            (" Matter: ", false),
        ] {
            let mut errors = FieldErrors::default();
            Scope::check(&mut errors, "scope", text);
            assert_eq!(errors.is_empty(), is_valid, "{text}");
        }
    }

    #[test]
    fn matters_come_before_the_firm() {
        let tags = ["news", "matter:b", "matter:a", "matter:b", "matter:"].map(str::to_owned);
        let topic = Topic { query: "q", tags: &tags };
        let shown: Vec<String> = topic.scopes().iter().map(Scope::to_string).collect();
        assert_eq!(shown, ["matter:b", "matter:a", "firm"]);
        assert_eq!(topic.scope(), Scope::Matter("b".to_owned()));
        assert_eq!(Topic { query: "q", tags: &[] }.scope(), Scope::Firm);
    }
}
