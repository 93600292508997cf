//! Expressions of a full-text match: each word and phrase in double quotes, so that nothing in it is an operator.

use domain::ports::ConnectorError;
use syntax::query_mappings::QueryMappings;
use syntax::query_string::{Dialect, Expression, Negation, Written, other_spelling};

/// The mapping `QUOTE_TERMS`: whether all words must match, or any of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quoting {
    All,
    Any,
}

impl Quoting {
    pub fn of(mappings: &QueryMappings) -> Result<Option<Self>, ConnectorError> {
        match mappings.get("QUOTE_TERMS") {
            None => Ok(None),
            Some(word) if word.eq_ignore_ascii_case("and") => Ok(Some(Self::All)),
            Some(word) if word.eq_ignore_ascii_case("or") => Ok(Some(Self::Any)),
            Some(_) => Err(ConnectorError::in_field("query_mappings", "QUOTE_TERMS is AND or OR.")),
        }
    }

    /// The match expression of a query; `None` if no word of it can be searched for. If the source cannot negate,
    /// excluded terms are left out.
    pub fn expression(self, query: &str, can_negate: bool) -> Option<String> {
        let expression = Expression::parse(query).render(&FullText { quoting: self, can_negate });
        (!expression.is_empty()).then_some(expression)
    }
}

/// The syntax of full-text matches, such as that of FTS5: `NOT` binds tighter than `AND`, and `AND` tighter than `OR`.
struct FullText {
    quoting: Quoting,
    can_negate: bool,
}

impl Dialect for FullText {
    fn negation(&self) -> Negation<'_> {
        if self.can_negate { Negation::Each(" NOT ") } else { Negation::LeftOut }
    }

    fn term(&self, term: Written<'_>) -> String {
        // A term without alphanumeric characters would match nothing.
        if !term.text.contains(char::is_alphanumeric) {
            return String::new();
        }
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        // Full text splits `RB-171` into two words and `RB171` into one.
        match other_spelling(term.text).filter(|_| !term.is_phrase) {
            Some(other) => format!("({} OR {})", quoted(term.text), quoted(&other)),
            None => quoted(term.text),
        }
    }

    fn beside(&self) -> &str {
        match self.quoting {
            Quoting::All => " AND ",
            Quoting::Any => " OR ",
        }
    }

    fn groups_wanted(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::boolean_language::can_negate;

    #[test]
    fn words_are_quoted() {
        let table = [
            ("AND", "flood warning", Some(r#""flood" AND "warning""#)),
            ("OR", "flood warning", Some(r#""flood" OR "warning""#)),
            ("AND", r#"error "file not found""#, Some(r#""error" AND "file not found""#)),
            ("and", r#"say "hi" - near*"#, Some(r#""say" AND "hi" AND "near*""#)),
            ("AND", "RB-171 pump", Some(r#"("RB-171" OR "RB171") AND "pump""#)),
            ("AND,NOT=true", "pump -RB171", Some(r#""pump" NOT ("RB171" OR "RB 171")"#)),
            ("OR", r#""RB-171""#, Some(r#""RB-171""#)),
            ("OR", "flood OR", Some(r#""flood""#)),
            ("AND", "flood OR silt", Some(r#""flood" OR "silt""#)),
            ("AND", "(flood OR silt) dam", Some(r#"("flood" OR "silt") AND "dam""#)),
            ("OR", "flood AND dam", Some(r#""flood" AND "dam""#)),
            ("OR,NOT=true", "a b NOT c d", Some(r#"("a" OR "b") NOT "c" NOT "d""#)),
            ("AND,NOT=true", r#"a -"b c" d"#, Some(r#"("a" AND "d") NOT "b c""#)),
            ("AND,NOT_CHAR=-", "a -b", Some(r#""a" NOT "b""#)),
            ("AND,NOT=true", "(a NOT b) OR c", Some(r#"("a" NOT "b") OR "c""#)),
            ("AND,NOT=true", "a NOT (b OR c)", Some(r#""a" NOT ("b" OR "c")"#)),
            ("AND,NOT=true", "a not b", Some(r#""a" AND "not" AND "b""#)),
            ("AND", "a NOT b", Some(r#""a""#)),
            ("AND,NOT=true", "a NOT", Some(r#""a""#)),
            ("AND,NOT=true", "NOT c", None),
            ("AND", "- *", None),
        ];
        for (mapping, query, want) in table {
            let mappings = QueryMappings::parse(&format!("QUOTE_TERMS={mapping}")).expect("mappings");
            let quoting = Quoting::of(&mappings).expect("a value").expect("a mapping");
            assert_eq!(
                quoting.expression(query, can_negate(&mappings)).as_deref(),
                want,
                "{mapping} {query}"
            );
        }
    }
}
