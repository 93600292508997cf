//! SQL statements from a template: the words of the query are always bound as parameters.

use super::boolean_language::can_negate;
use super::dialect::Dialect;
use super::match_terms::Quoting;
use domain::ports::ConnectorError;
use domain::search::Sort;
use syntax::query_mappings::QueryMappings;
use syntax::query_string::{Kind, Token, tokens};
use syntax::query_template::{Part, parts};

/// A parsed template, with placeholders for the fields and the words of a query.
#[derive(Debug, Clone)]
pub struct Template {
    dialect: Dialect,
    pieces: Vec<Piece>,
    fields: String,
    date_column: Option<String>,
    quoting: Option<Quoting>,
    can_negate: bool,
    has_order: bool,
    has_limit: bool,
}

#[derive(Debug, Clone)]
enum Piece {
    Sql(String),
    Fields,
    /// A bound parameter, with the text around the query.
    Value(Vec<ValuePart>),
}

#[derive(Debug, Clone)]
enum ValuePart {
    Text(String),
    Query,
}

/// A statement ready to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    pub text: String,
    pub count_text: String,
    pub values: Vec<String>,
}

impl Template {
    pub fn parse(template: &str, mappings: &QueryMappings, dialect: Dialect) -> Result<Self, ConnectorError> {
        let mut scan = Scan { mappings, pieces: Vec::new(), sql: String::new(), words: String::new() };
        scan.run(template.trim().trim_end_matches(';').trim_end())?;
        let words: Vec<String> = scan.words.split_whitespace().map(str::to_lowercase).collect();
        let wrong = |sentence: &str| Err(ConnectorError::in_field("query_template", sentence));
        if !matches!(words.first().map(String::as_str), Some("select" | "with")) {
            return wrong("The statement must begin with SELECT or WITH.");
        }
        if !scan.pieces.iter().any(|piece| matches!(piece, Piece::Fields)) {
            return wrong("The statement needs {fields}: the count is made from it.");
        }
        if !scan.pieces.iter().any(|piece| matches!(piece, Piece::Value(_))) {
            return wrong("The statement needs {query_string}.");
        }
        let date_column =
            mappings.get("sort_by_date").map(|column| safe("sort_by_date", column)).transpose()?;
        Ok(Self {
            dialect,
            fields: scan.mapped("fields")?,
            date_column: date_column.map(str::to_owned),
            quoting: Quoting::of(mappings)?,
            can_negate: can_negate(mappings),
            has_order: words.iter().any(|word| word == "order"),
            has_limit: words.iter().any(|word| matches!(word.as_str(), "limit" | "fetch" | "top")),
            pieces: scan.pieces,
        })
    }

    pub fn sorts_by_date(&self) -> bool {
        self.date_column.is_some() && (self.dialect.nests_ordered() || !(self.has_order || self.has_limit))
    }

    /// The statement for a query; `None` if no word of it can be searched for.
    pub fn bind(&self, query: &str, sort: Sort, rows_max: u32) -> Option<Statement> {
        // Databases end a string at NUL, and a pattern would then match everything.
        let query = query.replace('\0', "");
        let query = match self.quoting {
            Some(quoting) => quoting.expression(&query, self.can_negate)?,
            None => query,
        };
        let column = self.date_column.as_ref().filter(|_| sort == Sort::Date && self.sorts_by_date());
        let text = self.limited(self.written(&self.fields), column.map(String::as_str), rows_max);
        let values = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Value(parts) if is_pattern(parts) => {
                Some(value(parts, &self.dialect.literal(pattern_text(&query))))
            }
            Piece::Value(parts) => Some(value(parts, &query)),
            _ => None,
        });
        Some(Statement { text, count_text: self.written("count(*)"), values: values.collect() })
    }

    fn limited(&self, mut text: String, date_column: Option<&str>, rows_max: u32) -> String {
        // A statement with its own order or limit becomes a subquery.
        let is_inner = self.has_limit || (self.has_order && date_column.is_some());
        if is_inner && self.dialect.nests_ordered() {
            text = format!("select * from ({text}) asked");
        } else if is_inner {
            return text; // the row reader stops at the limit
        }
        if let Some(column) = date_column {
            text.push_str(&format!(" order by {column} desc"));
        }
        let is_ordered = date_column.is_some() || (self.has_order && !is_inner);
        self.dialect.limited(&text, is_ordered, rows_max)
    }

    fn written(&self, fields: &str) -> String {
        let mut number = 0;
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Sql(sql) => text.push_str(sql),
                Piece::Fields => text.push_str(fields),
                Piece::Value(parts) => {
                    number += 1;
                    let placeholder = if is_pattern(parts) {
                        self.dialect.pattern_placeholder(number)
                    } else {
                        self.dialect.placeholder(number)
                    };
                    text.push_str(&placeholder);
                }
            }
        }
        text
    }
}

/// `'%{query_string}%'`: a LIKE pattern.
fn is_pattern(parts: &[ValuePart]) -> bool {
    parts.iter().any(|part| matches!(part, ValuePart::Text(text) if text.contains('%')))
}

/// The text that a pattern looks for: a pattern is one literal text, and a query that is one phrase is that text.
fn pattern_text(query: &str) -> &str {
    match &tokens(query)[..] {
        [Token { kind: Kind::Phrase, is_negated: false, text, .. }] if !text.trim().is_empty() => text,
        _ => query,
    }
}

fn value(parts: &[ValuePart], query: &str) -> String {
    let texts = parts.iter().map(|part| match part {
        ValuePart::Text(text) => text.as_str(),
        ValuePart::Query => query,
    });
    texts.collect()
}

/// Mapped values become part of the statement, so only names and simple expressions are allowed.
pub fn safe<'a>(key: &str, value: &'a str) -> Result<&'a str, ConnectorError> {
    let is_safe = |c: char| c.is_alphanumeric() || "_.,*() ".contains(c);
    if value.trim().is_empty() || !value.chars().all(is_safe) {
        let sentence = format!("{key} may contain only alphanumeric characters, spaces and _ . , * ( ).");
        return Err(ConnectorError::in_field("query_mappings", sentence));
    }
    Ok(value.trim())
}

/// Parser of a template.
struct Scan<'m> {
    mappings: &'m QueryMappings,
    pieces: Vec<Piece>,
    sql: String,
    /// The statement without literals, to search it for keywords.
    words: String,
}

impl Scan<'_> {
    fn run(&mut self, template: &str) -> Result<(), ConnectorError> {
        let wrong = |sentence: &str| Err(ConnectorError::in_field("query_template", sentence));
        let mut rest = template;
        while let Some(c) = rest.chars().next() {
            if rest.starts_with("--") || rest.starts_with("/*") {
                return wrong("The statement must not contain a comment.");
            }
            rest = &rest[c.len_utf8()..];
            match c {
                '\'' => rest = self.literal(rest)?,
                '"' | '`' => rest = self.quoted_name(rest, c)?,
                '{' => {
                    let Some((name, after)) = rest.split_once('}') else {
                        return wrong("A placeholder is not closed.");
                    };
                    self.placeholder(name)?;
                    rest = after;
                }
                ';' => return wrong("Only one statement is allowed."),
                '?' => return wrong("A ? is only allowed inside a string."),
                '}' => return wrong("A } has no matching {."),
                c => {
                    self.sql.push(c);
                    self.words.push(if c.is_alphanumeric() || c == '_' { c } else { ' ' });
                }
            }
        }
        self.flush();
        Ok(())
    }

    /// A literal `'…'`: a bound parameter if it contains the query, otherwise unchanged.
    fn literal<'t>(&mut self, text: &'t str) -> Result<&'t str, ConnectorError> {
        let mut content = String::new();
        let mut rest = text;
        loop {
            let Some((before, after)) = rest.split_once('\'') else {
                return Err(ConnectorError::in_field("query_template", "A string is not closed with '."));
            };
            content.push_str(before);
            rest = after;
            match after.strip_prefix('\'') {
                Some(after) => {
                    content.push('\'');
                    rest = after;
                }
                None => break,
            }
        }
        let mut value = Vec::new();
        for part in parts(&content) {
            value.push(match part {
                Part::Text(literal) | Part::LoneBrace(literal) => ValuePart::Text(literal.to_owned()),
                Part::Placeholder("query_string") => ValuePart::Query,
                Part::Placeholder(name) => ValuePart::Text(self.mapped(name)?),
            });
        }
        if value.iter().any(|part| matches!(part, ValuePart::Query)) {
            self.piece(Piece::Value(value));
        } else {
            let whole = self::value(&value, "").replace('\'', "''");
            self.sql.push_str(&format!("'{whole}'"));
        }
        self.words.push(' ');
        Ok(rest)
    }

    fn quoted_name<'t>(&mut self, text: &'t str, quote: char) -> Result<&'t str, ConnectorError> {
        let Some((name, rest)) = text.split_once(quote) else {
            return Err(ConnectorError::in_field(
                "query_template",
                format!("A name is not closed with {quote}."),
            ));
        };
        self.sql.push(quote);
        for part in parts(name) {
            match part {
                Part::Text(text) => self.sql.push_str(text),
                Part::Placeholder("query_string" | "fields") | Part::LoneBrace(_) => {
                    let sentence = "The query may be in a string '…' or by itself, not in a quoted name.";
                    return Err(ConnectorError::in_field("query_template", sentence));
                }
                // Mapped values contain no quote, so they cannot end the name.
                Part::Placeholder(key) => self.sql.push_str(&self.mapped(key)?),
            }
        }
        self.sql.push(quote);
        self.words.push(' ');
        Ok(rest)
    }

    fn placeholder(&mut self, name: &str) -> Result<(), ConnectorError> {
        match name {
            "query_string" => self.piece(Piece::Value(vec![ValuePart::Query])),
            "fields" => self.piece(Piece::Fields),
            _ => {
                let value = self.mapped(name)?;
                self.sql.push_str(&value);
            }
        }
        self.words.push(' ');
        Ok(())
    }

    fn mapped(&self, name: &str) -> Result<String, ConnectorError> {
        match self.mappings.get(name) {
            Some(value) => safe(name, value).map(str::to_owned),
            None => Err(ConnectorError::in_field(
                "query_template",
                format!("{{{name}}} is not a key of query_mappings."),
            )),
        }
    }

    fn piece(&mut self, piece: Piece) {
        self.flush();
        self.pieces.push(piece);
    }

    fn flush(&mut self) {
        if !self.sql.is_empty() {
            self.pieces.push(Piece::Sql(std::mem::take(&mut self.sql)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LIKE: &str =
        "select {fields} from {table} where {a} like '%%{query_string}%%' or {b} like '%{query_string}%';";
    const MAPPINGS: &str = "fields=*,table=documents,a=title,b=body,sort_by_date=d";

    fn template(text: &str, mappings: &str) -> Result<Template, ConnectorError> {
        Template::parse(text, &QueryMappings::parse(mappings).expect("mappings"), Dialect::Sqlite)
    }

    #[test]
    fn the_query_is_always_a_value() {
        let bound =
            template(LIKE, MAPPINGS).expect("a template").bind("x'; drop table t --", Sort::Relevancy, 10);
        let want = r"from documents where title like ? escape '\' or body like ? escape '\'";
        assert_eq!(
            bound,
            Some(Statement {
                text: format!("select * {want} limit 10"),
                count_text: format!("select count(*) {want}"),
                values: vec!["%%x'; drop table t --%%".into(), "%x'; drop table t --%".into()],
            })
        );
    }

    #[test]
    fn a_pattern_looks_for_one_text() {
        let table = [
            ("copper wire", "copper wire"),
            ("\"copper wire\"", "copper wire"),
            ("“100% copper”", r"100\% copper"),
            ("\"copper wire\" tin", "\"copper wire\" tin"),
            ("\"\"", "\"\""),
            ("copper OR tin", "copper OR tin"),
        ];
        for (query, want) in table {
            let bound = template(LIKE, MAPPINGS).expect("a template").bind(query, Sort::Relevancy, 10);
            assert_eq!(bound.expect("a statement").values[1], format!("%{want}%"), "{query}");
        }
    }

    #[test]
    fn sorts_and_limits() {
        let base = "select {fields} from t where a = {query_string}";
        let table = [
            (base.to_owned(), Sort::Relevancy, "select * from t where a = ? limit 5"),
            (base.to_owned(), Sort::Date, "select * from t where a = ? order by d desc limit 5"),
            (
                format!("{base} ORDER BY rank"),
                Sort::Relevancy,
                "select * from t where a = ? ORDER BY rank limit 5",
            ),
            (
                format!("{base} order by rank"),
                Sort::Date,
                "select * from (select * from t where a = ? order by rank) asked order by d desc limit 5",
            ),
            (
                format!("{base} limit 100"),
                Sort::Relevancy,
                "select * from (select * from t where a = ? limit 100) asked limit 5",
            ),
            (
                format!("{base} and b = 'it''s order {{x}}'"),
                Sort::Date,
                "select * from t where a = ? and b = 'it''s order y' order by d desc limit 5",
            ),
        ];
        for (text, sort, want) in table {
            let bound =
                template(&text, "fields=*,sort_by_date=d,x=y").expect("a template").bind("q", sort, 5);
            assert_eq!(bound.map(|bound| bound.text).as_deref(), Some(want));
        }
    }

    #[test]
    fn each_dialect_has_its_own_places_and_limits() {
        let plain = "select {fields} from t where a = {query_string} or b like '%{query_string}%'";
        let ordered = format!("{plain} order by rank");
        let [sort_d, none] = [Sort::Date, Sort::Relevancy];
        let table = [
            (Dialect::PostgreSql, plain, none, "a = $1 or b like $2 limit 5"),
            (Dialect::MySql, plain, sort_d, "a = ? or b like ? order by d desc limit 5"),
            (
                Dialect::Oracle,
                plain,
                sort_d,
                r"a = ? or b like ? escape '\' order by d desc fetch first 5 rows only",
            ),
            (
                Dialect::MsSql,
                plain,
                none,
                "a = @P1 or b like @P2 order by (select null) offset 0 rows fetch next 5 rows only",
            ),
            (
                Dialect::MsSql,
                plain,
                sort_d,
                "a = @P1 or b like @P2 order by d desc offset 0 rows fetch next 5 rows only",
            ),
            (
                Dialect::MsSql,
                &ordered,
                sort_d,
                "a = @P1 or b like @P2 order by rank offset 0 rows fetch next 5 rows only",
            ),
            (Dialect::BigQuery, "select {fields} from `{t}` where a = {query_string}", none, "a = ? limit 5"),
        ];
        for (dialect, text, sort, want) in table {
            let mappings = QueryMappings::parse("fields=*,sort_by_date=d,t=t").expect("mappings");
            let template = Template::parse(text, &mappings, dialect).expect("a template");
            let bound = template.bind("q", sort, 5).expect("a statement");
            assert_eq!(bound.text.replace('`', ""), format!("select * from t where {want}"), "{dialect:?}");
        }
    }

    #[test]
    fn mistakes_name_their_field() {
        let table = [
            ("delete from t where a = {query_string}", MAPPINGS, "query_template", "SELECT"),
            ("select {fields} from t", MAPPINGS, "query_template", "{query_string}"),
            ("select a from t where a = {query_string}", MAPPINGS, "query_template", "{fields}"),
            ("select {fields} from {nix} where a = {query_string}", MAPPINGS, "query_template", "{nix}"),
            (
                "select {fields} from t where a = {query_string}; select 1",
                MAPPINGS,
                "query_template",
                "one statement",
            ),
            ("select {fields} from t where a = {query_string} -- x", MAPPINGS, "query_template", "comment"),
            (
                "select {fields} from t where a = \"{query_string}\"",
                MAPPINGS,
                "query_template",
                "quoted name",
            ),
            ("select {fields} from t where a = '{query_string}", MAPPINGS, "query_template", "not closed"),
            (
                "select {fields} from t where a = '{query_string|jql}'",
                MAPPINGS,
                "query_template",
                "not a key",
            ),
            ("select {fields} from t where a = ? or b = {query_string}", MAPPINGS, "query_template", "?"),
            (
                "select {fields} from {table} where a = {query_string}",
                "fields=*,table=t;drop",
                "query_mappings",
                "table",
            ),
            (
                "select {fields} from {table} where a = {query_string}",
                "fields=*,table=t'",
                "query_mappings",
                "table",
            ),
            ("select {fields} from t where a = {query_string}", "table=t", "query_template", "{fields}"),
            (
                "select {fields} from t where a = {query_string}",
                "fields=*,QUOTE_TERMS=x",
                "query_mappings",
                "QUOTE_TERMS",
            ),
            (
                "select {fields} from t where a = {query_string}",
                "fields=*,sort_by_date=-d",
                "query_mappings",
                "sort_by_date",
            ),
        ];
        for (text, mappings, field, want) in table {
            let error = template(text, mappings).expect_err(text);
            assert_eq!(error.field, Some(field), "{text}");
            assert!(error.message.contains(want), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn never_panics_and_never_pastes(text in "[a-c '\"{};?-]{0,40}", query in "[a-z'\";-]{8,20}") {
            let text = format!("select {{fields}} from t where x = '{{query_string}}' {text}");
            if let Ok(template) = template(&text, "fields=*,a=b")
                && let Some(bound) = template.bind(&query, Sort::Date, 5)
            {
                prop_assert!(!bound.text.contains(&query));
                prop_assert!(bound.text.matches('?').count() >= bound.values.len());
            }
        }
    }
}
