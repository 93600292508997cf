//! The tables and the kinds of their columns, from the migrations and the database.

use super::error::DumpError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{NaiveDateTime, SecondsFormat};
use serde::{Deserialize, Serialize};

/// Heartbeats of workers, pending sign-ins, current writers, index changes, database sizes and used budgets: of no use
/// to another installation.
const NOT_COPIED: [&str; 7] = [
    "workers",
    "pings",
    "pending_flows",
    "answer_writers",
    "corpus_changes",
    "database_sizes",
    "source_budgets",
];

/// One record: the texts of its columns in order; None for NULL.
pub type DumpRow = Vec<Option<String>>;

/// A table of the dump.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DumpTable {
    pub name: String,
    pub columns: Vec<DumpColumn>,
    /// The last assigned id, so that none is reused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_id: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DumpColumn {
    pub name: String,
    pub kind: ColumnKind,
}

/// The declared type of a column. SQLite declares times and JSON as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnKind {
    Boolean,
    Bytes,
    Integer,
    Json,
    Real,
    Text,
    Time,
}

impl ColumnKind {
    /// The kind of a declared type of SQLite or PostgreSQL.
    pub(super) fn of_declared(declared: &str) -> Self {
        match declared.to_ascii_uppercase().as_str() {
            "BOOLEAN" => Self::Boolean,
            "BLOB" | "BYTEA" => Self::Bytes,
            "DOUBLE PRECISION" | "REAL" => Self::Real,
            "JSON" | "JSONB" => Self::Json,
            "TIMESTAMP WITH TIME ZONE" => Self::Time,
            name if name.contains("INT") => Self::Integer,
            _ => Self::Text,
        }
    }

    /// The expression that reads a PostgreSQL column as text.
    pub(super) fn postgres_text(self, column: &str) -> String {
        match self {
            Self::Time => format!("to_char({column} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US')"),
            Self::Bytes => format!("translate(encode({column}, 'base64'), E'\\n', '')"),
            Self::Boolean => format!("CAST(CAST({column} AS INTEGER) AS TEXT)"),
            _ => format!("CAST({column} AS TEXT)"),
        }
    }

    /// The expression that converts a text to a PostgreSQL value.
    pub(super) fn postgres_value(self, text: &str) -> String {
        match self {
            Self::Boolean => format!("CAST({text} AS BOOLEAN)"),
            Self::Bytes => format!("decode({text}, 'base64')"),
            Self::Integer => format!("CAST({text} AS BIGINT)"),
            Self::Json => format!("CAST({text} AS JSON)"),
            Self::Real => format!("CAST({text} AS DOUBLE PRECISION)"),
            Self::Text => text.to_owned(),
            Self::Time => format!("CAST({text} AS TIMESTAMPTZ)"),
        }
    }
}

/// Times in the form that SQLite compares as text.
pub(super) fn canonical_time(text: &str) -> Result<String, DumpError> {
    let unfit = |_| DumpError::Unfit("a time is not readable".to_owned());
    let time = NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f").map_err(unfit)?;
    Ok(time.and_utc().to_rfc3339_opts(SecondsFormat::AutoSi, false))
}

pub(super) fn to_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

pub(super) fn from_base64(text: &str) -> Result<Vec<u8>, DumpError> {
    STANDARD.decode(text).map_err(|_| DumpError::Unfit("bytes are not readable".to_owned()))
}

/// A quoted identifier. Names come from our migrations or were checked against the database.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The tables of all migrations in order of creation: a table refers to earlier ones only.
pub(super) fn known_tables() -> Vec<&'static str> {
    let created = crate::migrations::texts().flat_map(|text| text.split("CREATE TABLE ").skip(1));
    let name = |rest: &'static str| {
        let rest = rest.strip_prefix("IF NOT EXISTS ").unwrap_or(rest);
        rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
    };
    created.map(name).filter(|name| !name.is_empty() && !NOT_COPIED.contains(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_found_in_the_order_of_their_making() {
        let known = known_tables();
        let place = |name: &str| known.iter().position(|one| *one == name).unwrap();
        assert!(place("users") < place("searches") && place("searches") < place("result_sets"));
        assert!(place("searches") < place("idempotency_keys"));
        assert!(!known.contains(&"workers"));
    }

    #[test]
    fn times_take_the_form_of_sqlite() {
        for (given, expected) in [
            ("2024-03-05T10:20:30.000000", "2024-03-05T10:20:30+00:00"),
            ("2024-03-05T10:20:30.120000", "2024-03-05T10:20:30.120+00:00"),
            ("2024-03-05T10:20:30.123456", "2024-03-05T10:20:30.123456+00:00"),
        ] {
            assert_eq!(canonical_time(given).unwrap(), expected);
        }
        assert!(canonical_time("yesterday").is_err());
    }

    #[test]
    fn declared_types_of_both_databases_are_known() {
        let cases = [
            ("INTEGER", ColumnKind::Integer),
            ("bigint", ColumnKind::Integer),
            ("boolean", ColumnKind::Boolean),
            ("double precision", ColumnKind::Real),
            ("timestamp with time zone", ColumnKind::Time),
            ("json", ColumnKind::Json),
            ("TEXT", ColumnKind::Text),
            ("bytea", ColumnKind::Bytes),
        ];
        for (declared, kind) in cases {
            assert_eq!(ColumnKind::of_declared(declared), kind, "{declared}");
        }
    }
}
