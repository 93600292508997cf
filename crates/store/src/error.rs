//! Classification of database errors. Messages contain tables and codes, never values.

use domain::ports::{Cause, StoreError};
use serde_json::error::Category;
use sqlx::error::{BoxDynError, DatabaseError, ErrorKind, UnexpectedNullError};
use sqlx::migrate::MigrateError;
use sqlx::postgres::PgDatabaseError;
use std::sync::atomic::{AtomicU64, Ordering};

/// SQLite's primary codes for a locked file, failed input or output, and a file that cannot be opened. The primary
/// code is the lowest byte.
const SQLITE_AWAY: [u32; 4] = [5, 6, 10, 14];
/// SQLite's primary code for a full disk.
const SQLITE_FULL: u32 = 13;
/// SQLite's extended codes for failed writes: write, sync, sync of the folder, truncate, size of the shared memory,
/// mapping of the shared memory.
const SQLITE_UNWRITABLE: [u32; 6] = [778, 1034, 1290, 1546, 4874, 5386];
/// PostgreSQL's class for a lost connection, its codes for a stopping or starting server, its class for insufficient
/// resources, and its code for failed input or output. Then codes of statements that may succeed later: statement
/// timeout, lock timeout, idle-in-transaction timeout, deadlock.
const POSTGRES_AWAY: [&str; 10] =
    ["08", "57P01", "57P02", "57P03", "53", "58030", "57014", "55P03", "25P03", "40P01"];
/// PostgreSQL's code for a full disk.
const POSTGRES_FULL: &str = "53100";
/// PostgreSQL's classes whose messages repeat values: data exceptions and constraint violations.
const POSTGRES_TELLING: [&str; 2] = ["22", "23"];

/// How often no connection was available in time, over all stores of this process.
static POOL_TIMEOUTS: AtomicU64 = AtomicU64::new(0);

pub(crate) fn pool_timeouts() -> u64 {
    POOL_TIMEOUTS.load(Ordering::Relaxed)
}

/// Converts a database error.
pub(crate) fn failure(error: sqlx::Error) -> StoreError {
    let failed = match &error {
        sqlx::Error::RowNotFound => StoreError::NotFound,
        sqlx::Error::Database(error) => of_database(error.as_ref()),
        sqlx::Error::Io(error) => StoreError::unreachable(error.to_string()),
        sqlx::Error::Tls(_) => StoreError::unreachable("no secure connection"),
        sqlx::Error::PoolTimedOut => {
            POOL_TIMEOUTS.fetch_add(1, Ordering::Relaxed);
            StoreError::unreachable("no connection could be had in time")
        }
        sqlx::Error::PoolClosed => StoreError::unreachable("it was closed"),
        sqlx::Error::WorkerCrashed => StoreError::unreachable("its thread ended"),
        sqlx::Error::ColumnDecode { index, .. } => {
            StoreError::failed(format!("a stored record is not readable, column {index}"))
        }
        sqlx::Error::Decode(_) => StoreError::failed("a stored record is not readable"),
        sqlx::Error::Encode(_) => StoreError::failed("a value cannot be stored"),
        sqlx::Error::Configuration(_) => StoreError::failed("its address is not valid"),
        other => StoreError::failed(other.to_string()),
    };
    match cause(error) {
        Some(cause) => failed.caused_by(cause),
        None => failed,
    }
}

/// Whether a connection may be used again without a test after a statement with this outcome.
pub(crate) fn needs_no_test<T>(outcome: &Result<T, sqlx::Error>) -> bool {
    matches!(outcome, Ok(_) | Err(sqlx::Error::RowNotFound))
}

/// Converts the error of an operation, which the log names.
pub(crate) fn failure_during(operation: &'static str) -> impl FnOnce(sqlx::Error) -> StoreError {
    move |error| failure(error).during(operation)
}

/// The cause for the log: the error itself, or what can be said of it without the values that its text may repeat.
fn cause(error: sqlx::Error) -> Option<Cause> {
    match error {
        // It may repeat a part of the address, which contains the password.
        sqlx::Error::Configuration(_) => None,
        sqlx::Error::Decode(source) | sqlx::Error::Encode(source) => without_values(source),
        sqlx::Error::ColumnDecode { source, .. } => without_values(source),
        sqlx::Error::Database(error) if repeats_values(error.as_ref()) => {
            let name = |name: Option<&str>| name.unwrap_or("unknown").to_owned();
            let column = error.try_downcast_ref::<PgDatabaseError>().and_then(PgDatabaseError::column);
            let (column, constraint) = (name(column), name(error.constraint()));
            Some(ViolatedConstraint { column, constraint }.into())
        }
        other => Some(other.into()),
    }
}

fn without_values(error: BoxDynError) -> Option<Cause> {
    match error.downcast::<serde_json::Error>() {
        Ok(error) => Some(JsonError::of(&error).into()),
        Err(error) => error.is::<UnexpectedNullError>().then(|| UnexpectedNullError.into()),
    }
}

/// The names in an error of PostgreSQL whose message repeats values.
#[derive(Debug, thiserror::Error)]
#[error("column {column}, constraint {constraint}")]
struct ViolatedConstraint {
    column: String,
    constraint: String,
}

/// Kind and place of an error in JSON. The text of the parser repeats values, which may be secrets.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct JsonError(String);

impl JsonError {
    pub(crate) fn of(error: &serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        // Only errors of the parser have a place.
        if line == 0 {
            return Self("a value that JSON does not have".to_owned());
        }
        let kind = match error.classify() {
            Category::Io => "JSON that cannot be read",
            Category::Syntax => "invalid JSON",
            Category::Data => "JSON of another form than expected",
            Category::Eof => "incomplete JSON",
        };
        Self(format!("{kind} at line {line}, column {column}"))
    }
}

/// Converts a migration error.
pub(crate) fn migration_failure(error: MigrateError) -> StoreError {
    match error {
        MigrateError::Execute(error) => failure(error).during("migrations"),
        MigrateError::ExecuteMigration(error, version) => {
            failure(error).during(format!("migration {version}"))
        }
        MigrateError::VersionMissing(version) => StoreError::failed(format!(
            "it was used by a newer version of the program (migration {version} is not known here)"
        ))
        .caused_by(error),
        other => StoreError::failed(other.to_string()).caused_by(other),
    }
}

/// A fault of the database itself, independent of the statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Away,
    Full,
}

fn of_sqlite(code: &str) -> Option<Fault> {
    let code: u32 = code.parse().ok()?;
    let primary = code & 0xff;
    if primary == SQLITE_FULL || SQLITE_UNWRITABLE.contains(&code) {
        return Some(Fault::Full);
    }
    SQLITE_AWAY.contains(&primary).then_some(Fault::Away)
}

fn of_postgres(code: &str) -> Option<Fault> {
    if code == POSTGRES_FULL {
        return Some(Fault::Full);
    }
    POSTGRES_AWAY.iter().any(|away| code.starts_with(away)).then_some(Fault::Away)
}

fn of_database(error: &dyn DatabaseError) -> StoreError {
    let code = error.code().unwrap_or_default();
    let is_postgres = error.try_downcast_ref::<PgDatabaseError>().is_some();
    let fault = if is_postgres { of_postgres(&code) } else { of_sqlite(&code) };
    match fault {
        Some(Fault::Away) => return StoreError::unreachable(error.message()),
        Some(Fault::Full) => return StoreError::full(error.message()),
        None => {}
    }
    match error.kind() {
        ErrorKind::UniqueViolation => {
            StoreError::Taken(taken_field(error.constraint().unwrap_or(error.message())))
        }
        ErrorKind::ForeignKeyViolation => {
            StoreError::UnknownReference("user or group that it refers to".to_owned())
        }
        _ if repeats_values(error) => {
            StoreError::failed(format!("SQLSTATE {code}, table {}", error.table().unwrap_or("unknown")))
        }
        _ => StoreError::failed(error.message()),
    }
}

/// Whether the message of the error repeats values. SQLite's messages do not.
fn repeats_values(error: &dyn DatabaseError) -> bool {
    let code = error.code().unwrap_or_default();
    error.try_downcast_ref::<PgDatabaseError>().is_some()
        && POSTGRES_TELLING.iter().any(|class| code.starts_with(class))
}

/// The field of a violated unique constraint: SQLite names `users.username`, PostgreSQL `users_username_key`.
fn taken_field(constraint: &str) -> &'static str {
    let fields = [
        ("username", "username"),
        ("url_hash", "url"),
        ("record_key", "url"),
        ("authenticators", "idp"),
        ("name", "name"),
        ("tokens", "token"),
        ("sessions", "session key"),
    ];
    fields.into_iter().find(|(part, _)| constraint.contains(part)).map_or("value", |(_, field)| field)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ports::chain;
    use sqlx::Connection;
    use std::collections::BTreeMap;
    use std::error::Error;
    use std::io;
    use std::mem::discriminant;

    #[test]
    fn names_the_taken_field() {
        let cases = [
            ("UNIQUE constraint failed: users.username", "username"),
            ("users_username_key", "username"),
            ("UNIQUE constraint failed: providers.name", "name"),
            ("user_groups_name_key", "name"),
            ("UNIQUE constraint failed: tokens.hash", "token"),
            ("sessions_pkey", "session key"),
            ("UNIQUE constraint failed: authenticators.idp", "idp"),
            ("authenticators_idp_key", "idp"),
            ("UNIQUE constraint failed: signals.record_key", "url"),
            ("signals_url_hash_key", "url"),
            ("result_sets_search_id_provider_id_key", "value"),
        ];
        for (constraint, field) in cases {
            assert_eq!(taken_field(constraint), field, "{constraint}");
        }
    }

    #[test]
    fn a_full_disk_and_a_database_that_is_away_are_told_apart() {
        let (away, full) = (Some(Fault::Away), Some(Fault::Full));
        let sqlite = [
            ("5", away),    // busy
            ("517", away),  // busy with an old snapshot
            ("6", away),    // locked
            ("14", away),   // cannot be opened
            ("266", away),  // reading failed
            ("13", full),   // full
            ("778", full),  // writing failed
            ("1034", full), // syncing failed
            ("4874", full), // no space for the shared memory
            ("1", None),    // wrong statement
            ("8", None),    // read-only
            ("2067", None), // not unique
            ("", None),
        ];
        for (code, fault) in sqlite {
            assert_eq!(of_sqlite(code), fault, "{code}");
        }
        let postgres = [
            ("08006", away),
            ("57P01", away),
            ("57P03", away),
            ("53300", away), // too many connections
            ("53200", away), // out of memory
            ("53100", full),
            ("58030", away),
            ("57014", away), // the statement took too long
            ("55P03", away), // another transaction holds the lock
            ("25P03", away), // the transaction paused too long
            ("40P01", away), // deadlock
            ("23505", None),
            ("42601", None),
        ];
        for (code, fault) in postgres {
            assert_eq!(of_postgres(code), fault, "{code}");
        }
    }

    #[test]
    fn callers_that_got_no_connection_are_counted() {
        let before = pool_timeouts();
        assert!(matches!(failure(sqlx::Error::PoolTimedOut), StoreError::Unreachable { .. }));
        assert!(pool_timeouts() > before);
    }

    #[test]
    fn says_what_went_wrong_without_values() {
        let io = io::Error::new(io::ErrorKind::ConnectionRefused, "refused");
        let cases = [
            (sqlx::Error::RowNotFound, StoreError::NotFound),
            (sqlx::Error::Io(io), StoreError::unreachable("refused")),
            (sqlx::Error::Decode("secret".into()), StoreError::failed("a stored record is not readable")),
            (sqlx::Error::Encode("secret".into()), StoreError::failed("a value cannot be stored")),
            (sqlx::Error::Configuration("secret".into()), StoreError::failed("its address is not valid")),
            (
                sqlx::Error::ColumnDecode { index: "\"draft\"".into(), source: "secret".into() },
                StoreError::failed("a stored record is not readable, column \"draft\""),
            ),
        ];
        for (error, expected) in cases {
            let failure = failure(error);
            assert_eq!(
                (failure.to_string(), discriminant(&failure)),
                (expected.to_string(), discriminant(&expected))
            );
            assert!(!chain(&failure).contains("secret"), "{failure:?}");
        }
    }

    #[test]
    fn keeps_the_error_of_the_database() {
        let io = io::Error::new(io::ErrorKind::ConnectionRefused, "refused");
        let table = [
            (
                sqlx::Error::Io(io),
                "the database is not reachable: refused",
                "error communicating with database",
            ),
            (
                sqlx::Error::PoolClosed,
                "the database is not reachable: it was closed",
                "attempted to acquire a connection on a closed pool",
            ),
            (
                sqlx::Error::ColumnNotFound("a".to_owned()),
                "the database failed: no column found for name: a",
                "",
            ),
        ];
        for (error, text, cause) in table {
            let failure = failure_during("a query")(error);
            assert_eq!(failure.to_string(), text);
            let links = [text, "a query", cause].into_iter().filter(|link| !link.is_empty());
            assert_eq!(chain(&failure), links.collect::<Vec<_>>().join(": "));
            let own = failure.source().and_then(Error::source);
            assert!(own.is_some_and(|own| own.is::<sqlx::Error>()), "{failure:?}");
        }
    }

    #[tokio::test]
    async fn keeps_the_code_of_a_wrong_statement() {
        let mut connection = sqlx::SqliteConnection::connect("sqlite::memory:").await.expect("opens");
        let refused = sqlx::query("SELECT a FROM nowhere").execute(&mut connection).await;
        let failure = refused.map_err(failure_during("a query")).expect_err("there is no table");
        assert_eq!(failure.to_string(), "the database failed: no such table: nowhere");
        assert_eq!(chain(&failure), format!("{failure}: a query: error returned from database: (code: 1)"));
    }

    #[test]
    fn names_the_place_of_unreadable_json_without_its_values() {
        let table = [
            (r#"{"a": "secret"}"#, "JSON of another form than expected at line 1, column 14"),
            (r#"{"a": secret}"#, "invalid JSON at line 1, column 7"),
            (r#"{"a": "#, "incomplete JSON at line 1, column 6"),
        ];
        for (json, expected) in table {
            let parsed = serde_json::from_str::<BTreeMap<String, u64>>(json);
            let source = parsed.expect_err("not readable").into();
            let failure = failure(sqlx::Error::ColumnDecode { index: "\"spec\"".into(), source });
            let text = "the database failed: a stored record is not readable, column \"spec\"";
            assert_eq!(chain(&failure), format!("{text}: {expected}"));
        }
        let unwritten = serde_json::to_string(&BTreeMap::from([(["secret"], 1)])).expect_err("not a key");
        assert_eq!(JsonError::of(&unwritten).to_string(), "a value that JSON does not have");
    }

    #[test]
    fn a_migration_is_named_in_the_log() {
        let failed = MigrateError::ExecuteMigration(sqlx::Error::PoolClosed, 7);
        let failure = migration_failure(failed);
        assert_eq!(failure.to_string(), "the database is not reachable: it was closed");
        assert!(chain(&failure).contains("it was closed: migration 7: "), "{failure:?}");
    }
}
