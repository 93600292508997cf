//! Terms of a full-text match: each word in double quotes, so that none is an operator.

use domain::ports::ConnectorError;
use syntax::query_mappings::QueryMappings;
use syntax::query_string::is_not;

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

    /// The match expression of a query; `None` if no word of it can be searched for. If the source supports NOT, the
    /// words after it are excluded.
    pub fn expression(self, query: &str, knows_not: bool) -> Option<String> {
        let words: Vec<&str> = query.split_whitespace().collect();
        let cut = if knows_not { words.iter().position(|word| is_not(word)) } else { None };
        let between = match self {
            Self::All => " ",
            Self::Any => " OR ",
        };
        let wanted = quoted(&words[..cut.unwrap_or(words.len())], between)?;
        match cut.and_then(|at| quoted(&words[at + 1..], " OR ")) {
            Some(unwanted) => Some(format!("({wanted}) NOT ({unwanted})")),
            None => Some(wanted),
        }
    }
}

fn quoted(words: &[&str], between: &str) -> Option<String> {
    // A word without alphanumeric characters would match nothing.
    let searchable = words.iter().filter(|word| word.chars().any(char::is_alphanumeric));
    let terms: Vec<String> = searchable.map(|word| format!("\"{}\"", word.replace('"', "\"\""))).collect();
    (!terms.is_empty()).then(|| terms.join(between))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted() {
        let table = [
            ("AND", "flood warning", Some(r#""flood" "warning""#)),
            ("OR", "flood warning", Some(r#""flood" OR "warning""#)),
            ("and", r#"say "hi" - near("#, Some(r#""say" """hi""" "near(""#)),
            ("OR", "flood OR", Some(r#""flood" OR "OR""#)),
            ("OR,NOT=true", "a b NOT c d", Some(r#"("a" OR "b") NOT ("c" OR "d")"#)),
            ("AND,NOT=true", "a NOT", Some(r#""a""#)),
            ("AND,NOT=true", "NOT c", None),
            ("AND", "- *", None),
        ];
        for (mapping, query, want) in table {
            let mappings = QueryMappings::parse(&format!("QUOTE_TERMS={mapping}")).expect("mappings");
            let quoting = Quoting::of(&mappings).expect("a value").expect("a mapping");
            assert_eq!(quoting.expression(query, mappings.not()).as_deref(), want, "{mapping} {query}");
        }
    }
}
