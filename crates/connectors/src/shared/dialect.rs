//! What differs between the SQL of one database and another: places for values, and how rows are limited.

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
    /// The place of the nth bound value, from 1.
    pub fn place(self, number: usize) -> String {
        match self {
            Self::Sqlite | Self::MySql | Self::Oracle | Self::Snowflake | Self::BigQuery => "?".to_owned(),
            Self::PostgreSql => format!("${number}"),
            Self::MsSql => format!("@P{number}"),
        }
    }

    /// The place of a value that is a pattern of LIKE, in which [`Self::literal`] escaped the query.
    pub fn pattern_place(self, number: usize) -> String {
        let place = self.place(number);
        match self {
            Self::Sqlite | Self::Oracle => format!(r"{place} escape '\'"),
            Self::Snowflake => format!(r"{place} escape '\\'"),
            Self::PostgreSql | Self::MySql | Self::BigQuery | Self::MsSql => place,
        }
    }

    /// A query's text for the inside of a pattern of LIKE: nothing in it stands for anything else.
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

    /// The statement with at most `rows_max` rows.
    pub fn limited(self, text: &str, is_ordered: bool, rows_max: u32) -> String {
        match self {
            Self::Sqlite | Self::PostgreSql | Self::MySql | Self::Snowflake | Self::BigQuery => {
                format!("{text} limit {rows_max}")
            }
            Self::Oracle => format!("{text} fetch first {rows_max} rows only"),
            // Rows can be counted off from an order only, so that any order will do.
            Self::MsSql => {
                let order = if is_ordered { "" } else { " order by (select null)" };
                format!("{text}{order} offset 0 rows fetch next {rows_max} rows only")
            }
        }
    }

    /// A statement with an order or a limit of its own may be asked from outside.
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
        assert_eq!(Dialect::Oracle.pattern_place(2), r"? escape '\'");
        assert_eq!(Dialect::PostgreSql.pattern_place(2), "$2");
    }
}
