//! The service's own data folder and database, which no provider may read.

use super::dsn::Dsn;
use domain::ports::OwnDatabase;
use domain::settings::{DATABASE_FILE, PluginSettings, SAMPLE_LIBRARY_FILE};
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

/// The data folder with all links resolved; `None` while it does not exist.
pub fn folder(settings: &PluginSettings) -> Option<PathBuf> {
    Path::new(&settings.data_dir).canonicalize().ok()
}

/// Whether a resolved path belongs to the service: below the data folder, or its database under another name. The
/// sample library that the demo writes there is the one exception.
pub fn holds_file(settings: &PluginSettings, database: &OwnDatabase, path: &Path) -> bool {
    is_database(&database_file(settings, database), path)
        || folder(settings).is_some_and(|own| path.starts_with(&own) && path != own.join(SAMPLE_LIBRARY_FILE))
}

/// The database file. An installation with PostgreSQL may still have the one that it began with.
fn database_file(settings: &PluginSettings, database: &OwnDatabase) -> PathBuf {
    match database {
        OwnDatabase::Sqlite { file } => file.clone(),
        OwnDatabase::Postgres { .. } => Path::new(&settings.data_dir).join(DATABASE_FILE),
    }
}

/// Whether this is the database file under any name, including a hard link.
fn is_database(file: &Path, path: &Path) -> bool {
    // SQLite keeps uncommitted data in files beside it.
    let with_suffix = |suffix: &str| {
        let mut name = file.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    ["", "-wal", "-journal"].into_iter().map(with_suffix).any(|own| is_same_file(&own, path))
}

#[cfg(unix)]
fn is_same_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |path: &Path| path.metadata().ok().map(|data| (data.dev(), data.ino()));
    identity(one).is_some_and(|own| identity(other) == Some(own))
}

#[cfg(not(unix))]
fn is_same_file(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|own| other.canonicalize().is_ok_and(|other| own == other))
}

/// The address of the PostgreSQL database of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnPostgres {
    host: String,
    port: u16,
    database: String,
}

impl OwnPostgres {
    /// `None` if the service uses SQLite.
    pub fn of(database: &OwnDatabase) -> Option<Self> {
        match database {
            OwnDatabase::Postgres { host, port, database } => {
                Some(Self { host: host.clone(), port: *port, database: database.clone() })
            }
            OwnDatabase::Sqlite { .. } => None,
        }
    }

    /// Whether an address is this database, compared as text.
    pub fn is(&self, dsn: &Dsn) -> bool {
        self.has_place(dsn) && is_same_host(&self.host, &dsn.host)
    }

    /// Whether the host of an address resolves to the same machine.
    pub async fn is_behind(&self, dsn: &Dsn) -> bool {
        if !self.has_place(dsn) {
            return false;
        }
        let (own, other) = (addresses(&self.host, self.port).await, addresses(&dsn.host, dsn.port).await);
        own.intersection(&other).next().is_some()
    }

    fn has_place(&self, dsn: &Dsn) -> bool {
        self.port == dsn.port && self.database == dsn.database
    }
}

fn is_same_host(one: &str, other: &str) -> bool {
    let name = |host: &str| host.trim_end_matches('.').to_ascii_lowercase();
    name(one) == name(other) || (is_loopback(&name(one)) && is_loopback(&name(other)))
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

async fn addresses(host: &str, port: u16) -> BTreeSet<IpAddr> {
    let found = tokio::net::lookup_host((host, port)).await;
    found.map(|all| all.map(|address| address.ip().to_canonical()).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::postgres::FORM;
    use super::*;

    fn postgres(host: &str, port: u16, database: &str) -> OwnPostgres {
        OwnPostgres { host: host.to_owned(), port, database: database.to_owned() }
    }

    #[test]
    fn our_own_postgresql_is_known_by_its_address() {
        let own = postgres("DB.example", 5433, "records");
        let table = [
            ("postgres://db.example:5433/records", true),
            ("postgresql://db.example.:5433/records?tls=off", true),
            ("db.example:5433:records", true),
            ("postgres://db.example:5433/other", false),
            ("postgres://db.example/records", false),
            ("postgres://other.example:5433/records", false),
        ];
        for (address, is_own) in table {
            assert_eq!(own.is(&Dsn::parse(address, FORM).expect("an address")), is_own, "{address}");
        }
        assert_eq!(OwnPostgres::of(&OwnDatabase::in_folder(Path::new("/srv"))), None);
    }

    #[tokio::test]
    async fn loopback_has_many_names() {
        let own = postgres("localhost", 5432, "records");
        for host in ["127.0.0.1", "LOCALHOST", "[::1]", "127.0.0.2", "[::ffff:127.0.0.1]"] {
            let dsn = Dsn::parse(&format!("postgres://{host}/records"), FORM).expect("an address");
            assert!(own.is(&dsn), "{host}");
        }
        let unnamed = postgres("127.0.0.1", 5432, "me");
        let dsn = Dsn::parse("postgres://localhost/me", FORM).expect("an address");
        assert!(unnamed.is(&dsn) && unnamed.is_behind(&dsn).await);
    }

    #[cfg(unix)]
    #[test]
    fn our_own_files_are_known_under_any_name() {
        let (data, other) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let settings =
            PluginSettings { data_dir: data.path().display().to_string(), ..PluginSettings::default() };
        let database = OwnDatabase::in_folder(data.path());
        let holds_file = |path: &Path| holds_file(&settings, &database, path);
        let own = data.path().canonicalize().expect("a folder");
        let other = other.path().canonicalize().expect("a folder");
        for name in [DATABASE_FILE, "tributary.db-wal", "kept.db", SAMPLE_LIBRARY_FILE] {
            std::fs::write(own.join(name), name).expect("a file");
        }
        std::fs::hard_link(own.join(DATABASE_FILE), other.join("a.db")).expect("a link");
        std::fs::hard_link(own.join("tributary.db-wal"), other.join("b.db")).expect("a link");
        std::fs::write(other.join("c.db"), "c").expect("a file");
        let postgres = OwnDatabase::Postgres { host: String::new(), port: 1, database: String::new() };
        for path in [own.join(DATABASE_FILE), own.join("kept.db"), other.join("a.db"), other.join("b.db")] {
            assert!(holds_file(&path), "{}", path.display());
            assert!(super::holds_file(&settings, &postgres, &path), "{} of before", path.display());
        }
        assert!(!holds_file(&other.join("c.db")));
        assert!(!holds_file(&own.join(SAMPLE_LIBRARY_FILE)));
        std::fs::remove_file(own.join(SAMPLE_LIBRARY_FILE)).expect("removed");
        std::fs::hard_link(own.join(DATABASE_FILE), own.join(SAMPLE_LIBRARY_FILE)).expect("a link");
        assert!(holds_file(&own.join(SAMPLE_LIBRARY_FILE)), "not even as the sample library");
    }
}
