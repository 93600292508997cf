//! The service's own data folder and database, which no provider may read.

use super::dsn::Dsn;
use domain::settings::{DATABASE_FILE, SAMPLE_LIBRARY_FILE, Settings};
use sqlx::postgres::PgConnectOptions;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

/// The data folder with all links resolved; `None` while it does not exist.
pub fn folder(settings: &Settings) -> Option<PathBuf> {
    Path::new(&settings.data_dir).canonicalize().ok()
}

/// Whether a resolved path belongs to the service: below the data folder, or its database under another name. The
/// sample library that the demo writes there is the one exception.
pub fn holds_file(settings: &Settings, path: &Path) -> bool {
    is_database(settings, path)
        || folder(settings).is_some_and(|own| path.starts_with(&own) && path != own.join(SAMPLE_LIBRARY_FILE))
}

/// Whether this is the database file under any name, including a hard link.
fn is_database(settings: &Settings, path: &Path) -> bool {
    let own = database_file(settings);
    // SQLite keeps uncommitted data in files beside it.
    let with_suffix = |suffix: &str| {
        let mut name = own.clone().into_os_string();
        name.push(suffix);
        PathBuf::from(name)
    };
    ["", "-wal", "-journal"].into_iter().map(with_suffix).any(|own| is_same_file(&own, path))
}

fn database_file(settings: &Settings) -> PathBuf {
    let url = settings.database_url.expose();
    let path = url.strip_prefix("sqlite://").or_else(|| url.strip_prefix("sqlite:"));
    match path {
        Some(path) => {
            let path = path.split('?').next().unwrap_or_default();
            PathBuf::from(percent_encoding::percent_decode_str(path).decode_utf8_lossy().into_owned())
        }
        None => Path::new(&settings.data_dir).join(DATABASE_FILE),
    }
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
    pub fn of(settings: &Settings) -> Option<Self> {
        let url = settings.database_url.expose();
        let is_postgres = url.starts_with("postgres://") || url.starts_with("postgresql://");
        let options: PgConnectOptions = url.parse().ok().filter(|_| is_postgres)?;
        // Without a name, PostgreSQL uses that of the user.
        let database = options.get_database().unwrap_or_else(|| options.get_username()).to_owned();
        let host = match options.get_socket() {
            Some(_) => "localhost".to_owned(),
            None => options.get_host().trim_matches(['[', ']']).to_owned(),
        };
        Some(Self { host, port: options.get_port(), database })
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
    use domain::secret::Secret;

    fn settings(url: &str) -> Settings {
        Settings { database_url: Secret::new(url), ..Settings::default() }
    }

    #[test]
    fn our_own_postgresql_is_known_by_its_address() {
        let own = OwnPostgres::of(&settings("postgres://me:pw@DB.example:5433/records")).expect("PostgreSQL");
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
        assert_eq!(OwnPostgres::of(&settings("")), None);
        assert_eq!(OwnPostgres::of(&settings("sqlite:///srv/a.db")), None);
    }

    #[tokio::test]
    async fn loopback_has_many_names() {
        let own = OwnPostgres::of(&settings("postgres://me@localhost/records")).expect("PostgreSQL");
        for host in ["127.0.0.1", "LOCALHOST", "[::1]", "127.0.0.2", "[::ffff:127.0.0.1]"] {
            let dsn = Dsn::parse(&format!("postgres://{host}/records"), FORM).expect("an address");
            assert!(own.is(&dsn), "{host}");
        }
        let unnamed = OwnPostgres::of(&settings("postgres://me@127.0.0.1")).expect("PostgreSQL");
        let dsn = Dsn::parse("postgres://localhost/me", FORM).expect("an address");
        assert!(unnamed.is(&dsn) && unnamed.is_behind(&dsn).await);
    }

    #[cfg(unix)]
    #[test]
    fn our_own_files_are_known_under_any_name() {
        let (data, other) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let settings = Settings { data_dir: data.path().display().to_string(), ..Settings::default() };
        let own = data.path().canonicalize().expect("a folder");
        let other = other.path().canonicalize().expect("a folder");
        for name in [DATABASE_FILE, "tributary.db-wal", "kept.db", SAMPLE_LIBRARY_FILE] {
            std::fs::write(own.join(name), name).expect("a file");
        }
        std::fs::hard_link(own.join(DATABASE_FILE), other.join("a.db")).expect("a link");
        std::fs::hard_link(own.join("tributary.db-wal"), other.join("b.db")).expect("a link");
        std::fs::write(other.join("c.db"), "c").expect("a file");
        for path in [own.join(DATABASE_FILE), own.join("kept.db"), other.join("a.db"), other.join("b.db")] {
            assert!(holds_file(&settings, &path), "{}", path.display());
        }
        assert!(!holds_file(&settings, &other.join("c.db")));
        assert!(!holds_file(&settings, &own.join(SAMPLE_LIBRARY_FILE)));
        std::fs::remove_file(own.join(SAMPLE_LIBRARY_FILE)).expect("removed");
        std::fs::hard_link(own.join(DATABASE_FILE), own.join(SAMPLE_LIBRARY_FILE)).expect("a link");
        assert!(holds_file(&settings, &own.join(SAMPLE_LIBRARY_FILE)), "not even as the sample library");
    }
}
