//! Topic of a decision on versions: a query, for one matter or for all.

use super::MatterTag;
use crate::validation::FieldErrors;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use syntax::query_string::is_quotation_mark;

/// Maximum length of the query of a decision, in characters: equal to that of a search, so that two queries that differ
/// only at their ends do not share a decision.
pub const QUERY_CHARS_MAX: usize = 2_048;
/// `scope` of a decision for all matters.
const FIRM: &str = "firm";

/// The normalized query by which decisions are found: in lower case, with white space collapsed and one kind of quotation
/// marks. Every word is kept.
pub fn query_key(query: &str) -> String {
    key_as_written(&query.replace(is_quotation_mark, "\""))
}

fn key_as_written(query: &str) -> String {
    let lower = query.to_lowercase();
    lower.split_whitespace().collect::<Vec<&str>>().join(" ").chars().take(QUERY_CHARS_MAX).collect()
}

/// Where a decision applies. A decision for a matter takes precedence over one for the whole firm.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Scope {
    #[default]
    Firm,
    Matter(MatterTag),
}

impl Scope {
    /// Parses `firm` in any case, `matter:<name>` or `<name>`; an empty text is the whole firm. `None` for a prefix
    /// without a name.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() || text.eq_ignore_ascii_case(FIRM) {
            return Some(Self::Firm);
        }
        MatterTag::parse(text).map(Self::Matter)
    }

    /// Parses a scope that a person writes: a matter without a name must not become the whole firm.
    pub fn read(errors: &mut FieldErrors, field: &str, text: &str) -> Self {
        match Self::parse(text) {
            Some(Self::Firm) => Self::Firm,
            Some(Self::Matter(_)) => {
                MatterTag::read(errors, field, text).map(Self::Matter).unwrap_or_default()
            }
            None => {
                errors
                    .add(field, format!("Name a matter, such as matter:acme, or {FIRM} for the whole firm."));
                Self::Firm
            }
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Firm => f.write_str(FIRM),
            Self::Matter(tag) => tag.fmt(f),
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
        String::deserialize(deserializer).map(|text| Self::parse(&text).unwrap_or_default())
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

    /// The key under which versions before 0.3 stored a decision, if it was another one.
    pub fn older_key(&self) -> Option<String> {
        let is_other = self.query.contains(|c| c != '"' && is_quotation_mark(c));
        is_other.then(|| key_as_written(self.query))
    }

    /// The scopes that apply, by precedence: its matters in order, then the firm.
    pub fn scopes(&self) -> Vec<Scope> {
        let mut scopes: Vec<Scope> = Vec::new();
        for tag in self.tags.iter().filter_map(|tag| MatterTag::of_search_tag(tag)) {
            let scope = Scope::Matter(tag);
            if !scopes.contains(&scope) {
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
    use crate::corpus::MATTER_CHARS_MAX;

    #[test]
    fn one_query_has_one_key() {
        for text in ["Master  Services\tAgreement", " master services AGREEMENT "] {
            assert_eq!(query_key(text), "master services agreement");
        }
        for text in ["“the MSA”", "„the MSA“", "«the MSA»", "\"the MSA\""] {
            assert_eq!(query_key(text), "\"the msa\"");
        }
        let older = |query: &str| Topic { query, tags: &[] }.older_key();
        assert_eq!((older("“The MSA”").as_deref(), older("\"The MSA\"")), (Some("“the msa”"), None));
        assert_eq!(query_key("the MSA"), "the msa", "stopwords are kept");
        assert_eq!(query_key(&"x".repeat(QUERY_CHARS_MAX + 1)).len(), QUERY_CHARS_MAX);
        let longest = |end: &str| "x".repeat(QUERY_CHARS_MAX - 1) + end;
        assert_ne!(query_key(&longest("a")), query_key(&longest("b")), "two searches are two queries");
    }

    fn matter(name: &str) -> Scope {
        Scope::Matter(MatterTag::parse(name).unwrap())
    }

    #[test]
    fn scopes_are_read_and_written() {
        for (text, expected) in [
            ("", Scope::Firm),
            ("firm", Scope::Firm),
            ("Firm", Scope::Firm),
            (" FIRM ", Scope::Firm),
            ("acme", matter("acme")),
            ("matter:acme", matter("acme")),
            ("MATTER:acme", matter("acme")),
            (" matter: acme ", matter("acme")),
            ("matter:firm", matter("firm")),
        ] {
            assert_eq!(Scope::parse(text), Some(expected.clone()), "{text}");
            assert_eq!(Scope::parse(&expected.to_string()), Some(expected), "{text}");
        }
        assert_eq!(Scope::parse("matter:"), None);
    }

    #[test]
    fn a_matter_without_a_name_is_not_the_firm() {
        let long = "x".repeat(MATTER_CHARS_MAX + 1);
        for (text, is_valid) in [
            ("", true),
            ("firm", true),
            ("acme", true),
            ("matter:a", true),
            ("matter:", false),
            (" Matter: ", false),
            (&long, false),
            ("a\nb", false),
        ] {
            let mut errors = FieldErrors::default();
            Scope::read(&mut errors, "scope", text);
            assert_eq!(errors.is_empty(), is_valid, "{text}");
        }
    }

    #[test]
    fn matters_come_before_the_firm() {
        let tags = ["news", "MATTER:b", "matter:a", "matter:b", "matter:"].map(str::to_owned);
        let topic = Topic { query: "q", tags: &tags };
        let shown: Vec<String> = topic.scopes().iter().map(Scope::to_string).collect();
        assert_eq!(shown, ["matter:b", "matter:a", "firm"]);
        assert_eq!(topic.scope(), matter("b"));
        assert_eq!(Topic { query: "q", tags: &[] }.scope(), Scope::Firm);
    }
}
