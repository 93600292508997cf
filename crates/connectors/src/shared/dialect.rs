//! Differences between SQL dialects: parameter placeholders, LIKE escaping and row limits.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Sqlite,
    PostgreSql,
    #[cfg_attr(
        not(any(feature = "mysql", test)),
        expect(dead_code, reason = "its connector is not built in")
    )]
    MySql,
    MsSql,
    Oracle,
    Snowflake,
    BigQuery,
}

impl Dialect {
    /// The placeholder of the nth parameter, from 1.
    pub fn placeholder(self, number: usize) -> String {
        match self {
            Self::Sqlite | Self::MySql | Self::Oracle | Self::Snowflake | Self::BigQuery => "?".to_owned(),
            Self::PostgreSql => format!("${number}"),
            Self::MsSql => format!("@P{number}"),
        }
    }

    /// The placeholder of a LIKE pattern whose query part was escaped by [`Self::literal`].
    pub fn pattern_placeholder(self, number: usize) -> String {
        let placeholder = self.placeholder(number);
        match self {
            Self::Sqlite | Self::Oracle => format!(r"{placeholder} escape '\'"),
            Self::Snowflake => format!(r"{placeholder} escape '\\'"),
            Self::PostgreSql | Self::MySql | Self::BigQuery | Self::MsSql => placeholder,
        }
    }

    /// Escapes a query for use inside a LIKE pattern.
    pub fn literal(self, query: &str) -> String {
        let mut text = String::with_capacity(query.len() + 8);
        for c in query.chars() {
            match (self, c) {
                (Self::MsSql, '%' | '_' | '[') => text.extend(['[', c, ']']),
                (Self::MsSql, _) => text.push(c),
                (_, '%' | '_' | '\\') => text.extend(['\\', c]),
                _ => text.push(c),
            }
        }
        text
    }

    /// The statement limited to `rows_max` rows.
    pub fn limited(self, text: &str, is_ordered: bool, rows_max: u32) -> String {
        match self {
            Self::Sqlite | Self::PostgreSql | Self::MySql | Self::Snowflake | Self::BigQuery => {
                format!("{text} limit {rows_max}")
            }
            Self::Oracle => format!("{text} fetch first {rows_max} rows only"),
            // OFFSET needs an ORDER BY; any order will do.
            Self::MsSql => {
                let order = if is_ordered { "" } else { " order by (select null)" };
                format!("{text}{order} offset 0 rows fetch next {rows_max} rows only")
            }
        }
    }

    /// Whether a statement with its own order or limit may be a subquery.
    pub fn nests_ordered(self) -> bool {
        self != Self::MsSql
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_pattern_stands_for_anything_else() {
        let table = [
            (Dialect::Sqlite, r"50%_\x", r"50\%\_\\x"),
            (Dialect::PostgreSql, "it's", "it's"),
            (Dialect::MsSql, r"50%_[a]\x", r"50[%][_][[]a]\x"),
        ];
        for (dialect, query, want) in table {
            assert_eq!(dialect.literal(query), want, "{dialect:?}");
        }
        assert_eq!(Dialect::Oracle.pattern_placeholder(2), r"? escape '\'");
        assert_eq!(Dialect::PostgreSql.pattern_placeholder(2), "$2");
    }
}
