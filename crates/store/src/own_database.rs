//! The place of a database by its URL, without the credentials in it.

use domain::ports::OwnDatabase;
use domain::secret::Secret;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;

/// Where the database of a URL is, read as the store reads it; `None` if the URL is not valid.
pub fn own_database(url: &Secret) -> Option<OwnDatabase> {
    let url = url.expose();
    if url.starts_with("sqlite:") {
        let options: SqliteConnectOptions = url.parse().ok()?;
        return Some(OwnDatabase::Sqlite { file: options.get_filename().to_owned() });
    }
    let is_postgres = url.starts_with("postgres://") || url.starts_with("postgresql://");
    let options: PgConnectOptions = url.parse().ok().filter(|_| is_postgres)?;
    // Without a name, PostgreSQL uses that of the user.
    let database = options.get_database().unwrap_or_else(|| options.get_username()).to_owned();
    let host = match options.get_socket() {
        Some(_) => "localhost".to_owned(),
        None => options.get_host().trim_matches(['[', ']']).to_owned(),
    };
    Some(OwnDatabase::Postgres { host, port: options.get_port(), database })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_known_by_its_place_alone() {
        let postgres = |host: &str, port, database: &str| {
            Some(OwnDatabase::Postgres { host: host.to_owned(), port, database: database.to_owned() })
        };
        let sqlite = |file: &str| Some(OwnDatabase::Sqlite { file: file.into() });
        let table = [
            ("postgres://me:pw@DB.example:5433/records", postgres("DB.example", 5433, "records")),
            ("postgresql://me:pw@[::1]/records", postgres("::1", 5432, "records")),
            ("postgres://me@127.0.0.1", postgres("127.0.0.1", 5432, "me")),
            ("postgres://me:pw@%2Frun%2Fpg/records", postgres("localhost", 5432, "records")),
            ("sqlite:///srv/a%20b.db?mode=rwc", sqlite("/srv/a b.db")),
            ("sqlite:c.db", sqlite("c.db")),
            ("mysql://me@db/records", None),
            ("", None),
        ];
        for (url, place) in table {
            let found = own_database(&Secret::new(url));
            assert!(!format!("{found:?}").contains("pw"), "{url}");
            assert_eq!(found, place, "{url}");
        }
    }
}
