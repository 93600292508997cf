//! THE table of settings: name, default, meaning. Documentation, example file, checks and the
//! `settings` command come from it.

mod table;
mod value;

pub use table::Settings;
pub use value::{FieldWeights, Secs, SettingValue, Share, Throttle, WebOrigin};

use crate::names;
use std::collections::BTreeMap;

/// The SQLite database in the data folder.
pub const DATABASE_FILE: &str = "tributary.db";
/// Most scheduled backups that are kept.
pub const BACKUPS_MAX: u32 = 1000;
/// The sample library that the demo writes into its data folder.
pub const SAMPLE_LIBRARY_FILE: &str = "library.db";

/// Where a value came from. The later wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingOrigin {
    Default,
    File,
    Environment,
    /// Set by the program itself, as benchmarks do.
    Program,
}

impl SettingOrigin {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File => "file",
            Self::Environment => "environment",
            Self::Program => "program",
        }
    }
}

/// A row of the table, for documentation.
#[derive(Debug, Clone, Copy)]
pub struct SettingRow {
    pub name: &'static str,
    /// `text`, `whole number`, …
    pub kind: &'static str,
    pub meaning: &'static [&'static str],
    /// The default as it would be written; a secret's is empty.
    pub default: fn() -> String,
    /// The default as a TOML value.
    pub default_toml: fn() -> String,
}

impl SettingRow {
    /// The meaning as one paragraph.
    pub fn meaning(&self) -> String {
        self.meaning.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
    }
}

/// A setting as it is in force: secrets are hidden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingInForce {
    pub name: &'static str,
    pub value: String,
    pub origin: SettingOrigin,
}

/// What was given, by name. Values are texts; the table says how to read each.
#[derive(Debug, Clone, Default)]
pub struct GivenSettings {
    pub environment: BTreeMap<String, String>,
    pub file: BTreeMap<String, String>,
}

impl GivenSettings {
    /// The text in force and where it came from. An empty text counts as not given.
    fn find(&self, name: &str) -> Option<(&str, SettingOrigin)> {
        [(&self.environment, SettingOrigin::Environment), (&self.file, SettingOrigin::File)]
            .into_iter()
            .find_map(|(map, origin)| Some((map.get(name).filter(|text| !text.is_empty())?.as_str(), origin)))
    }

    /// Names in the file, and `SVC_` names in the environment, that no row knows.
    fn unknown(&self) -> (Vec<String>, Vec<String>) {
        let known = || Settings::TABLE.iter().map(|row| row.name);
        let sentence = |name: &String| names::unknown("setting", name, known());
        let is_unknown = |name: &&String| !known().any(|row| row == name.as_str());
        let file = self.file.keys().filter(is_unknown).map(sentence).collect();
        let environment =
            self.environment.keys().filter(|name| name.starts_with("SVC_")).filter(is_unknown).map(|name| {
                let near = names::nearest(name, known()).map(|near| format!(" Did you mean '{near}'?"));
                format!("The environment has '{name}', which is not a setting.{}", near.unwrap_or_default())
            });
        (file, environment.collect())
    }
}

/// The settings, each row's value and origin, and remarks that are no mistakes.
#[derive(Debug, Clone)]
pub struct ReadSettings {
    pub settings: Settings,
    pub in_force: Vec<SettingInForce>,
    pub remarks: Vec<String>,
}

impl Settings {
    /// Reads all rows; reports every mistake at once.
    pub fn read(given: &GivenSettings) -> Result<ReadSettings, Vec<String>> {
        let mut mistakes = Vec::new();
        let mut in_force = Vec::new();
        let settings = Self::read_rows(given, &mut in_force, &mut mistakes);
        let (unknown_in_file, remarks) = given.unknown();
        mistakes.extend(unknown_in_file);
        mistakes.extend(settings.check());
        if mistakes.is_empty() { Ok(ReadSettings { settings, in_force, remarks }) } else { Err(mistakes) }
    }

    /// What no single row can check.
    fn check(&self) -> Vec<String> {
        let mut mistakes = Vec::new();
        if self.timeout.0.is_zero() {
            mistakes.push("SVC_TIMEOUT: more than 0 seconds are needed.".to_owned());
        }
        if self.task_lease.0.as_secs() < 1 {
            mistakes.push("SVC_TASK_LEASE: at least 1 second is needed.".to_owned());
        }
        if self.database_pool_max == 0 {
            mistakes.push("SVC_DATABASE_POOL_MAX: at least 1 is needed.".to_owned());
        }
        if self.database_statement_timeout.0.as_secs() < 1 {
            mistakes.push("SVC_DATABASE_STATEMENT_TIMEOUT: at least 1 second is needed.".to_owned());
        }
        if !(1..=BACKUPS_MAX).contains(&self.backup_keep) {
            mistakes.push(format!("SVC_BACKUP_KEEP: use 1 to {BACKUPS_MAX}."));
        }
        if self.backup_every.0.as_secs() < 1 {
            mistakes.push("SVC_BACKUP_EVERY: at least 1 second is needed.".to_owned());
        }
        if self.log_max_mb == 0 || self.log_files == 0 {
            mistakes.push("SVC_LOG_MAX_MB and SVC_LOG_FILES: at least 1 is needed.".to_owned());
        }
        if !matches!(self.log_format.as_str(), "text" | "json") {
            mistakes.push("SVC_LOG_FORMAT: use text or json.".to_owned());
        }
        let (cert, key) = ("SVC_TLS_CERT_FILE", "SVC_TLS_KEY_FILE");
        let missing = match (self.tls_cert_file.is_empty(), self.tls_key_file.is_empty()) {
            (true, false) => Some((cert, key)),
            (false, true) => Some((key, cert)),
            _ => None,
        };
        if let Some((missing, other)) = missing {
            mistakes.push(format!("{missing}: it is not set, but {other} is. Set both, or neither."));
        }
        mistakes
    }

    /// Whether the service itself terminates TLS.
    pub fn has_tls(&self) -> bool {
        !self.tls_cert_file.is_empty()
    }

    /// The scheme of connections that reach the service without a proxy.
    pub fn scheme(&self) -> &'static str {
        if self.has_tls() { "https" } else { "http" }
    }
}

/// Settings that were read from nowhere: what differs from its default was set by the program.
impl From<Settings> for ReadSettings {
    fn from(settings: Settings) -> Self {
        let row = |((name, value), row): ((&'static str, String), &SettingRow)| {
            let origin = match value == (row.default)() {
                true => SettingOrigin::Default,
                false => SettingOrigin::Program,
            };
            SettingInForce { name, value, origin }
        };
        let in_force = settings.shown().into_iter().zip(Settings::TABLE).map(row).collect();
        Self { settings, in_force, remarks: Vec::new() }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::read_rows(&GivenSettings::default(), &mut Vec::new(), &mut Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(environment: &[(&str, &str)], file: &[(&str, &str)]) -> GivenSettings {
        let map =
            |pairs: &[(&str, &str)]| pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        GivenSettings { environment: map(environment), file: map(file) }
    }

    #[test]
    fn environment_wins_over_file_wins_over_default() {
        let read =
            Settings::read(&given(&[("SVC_PORT", "9001")], &[("SVC_PORT", "9000"), ("SVC_HOST", "::1")]))
                .expect("valid settings");
        assert_eq!(read.settings.port, 9001);
        assert_eq!(read.settings.host, "::1");
        assert_eq!(read.settings.timeout.0.as_secs(), 10);
        let origin = |name: &str| read.in_force.iter().find(|row| row.name == name).map(|row| row.origin);
        assert_eq!(origin("SVC_PORT"), Some(SettingOrigin::Environment));
        assert_eq!(origin("SVC_HOST"), Some(SettingOrigin::File));
        assert_eq!(origin("SVC_TIMEOUT"), Some(SettingOrigin::Default));
    }

    #[test]
    fn all_mistakes_are_reported_at_once() {
        let mistakes = Settings::read(&given(
            &[("SVC_PORT", "eighty"), ("SVC_EXPLAIN", "perhaps"), ("SVC_TIMEOT", "3")],
            &[("SVC_TIMEOT", "3"), ("SVC_TIMEOUT", "0")],
        ))
        .expect_err("three mistakes");
        assert_eq!(mistakes.len(), 4, "{mistakes:#?}");
        assert!(mistakes.iter().any(|line| line.contains("Did you mean 'SVC_TIMEOUT'")), "{mistakes:#?}");
    }

    #[test]
    fn what_would_stop_the_service_is_refused() {
        for (name, value, told) in [
            ("SVC_TIMEOUT", "0", "more than 0 seconds"),
            ("SVC_TASK_LEASE", "0.9", "at least 1 second"),
            ("SVC_DATABASE_POOL_MAX", "0", "at least 1"),
            ("SVC_DATABASE_STATEMENT_TIMEOUT", "0.9", "at least 1 second"),
            ("SVC_BACKUP_KEEP", "0", "1 to 1000"),
            ("SVC_BACKUP_KEEP", "1001", "1 to 1000"),
            ("SVC_BACKUP_EVERY", "0", "at least 1 second"),
            ("SVC_LOG_MAX_MB", "0", "at least 1"),
            ("SVC_LOG_FILES", "0", "at least 1"),
            ("SVC_LOG_FORMAT", "xml", "text or json"),
            ("SVC_TLS_CERT_FILE", "cert.pem", "SVC_TLS_KEY_FILE: it is not set"),
            ("SVC_TLS_KEY_FILE", "key.pem", "SVC_TLS_CERT_FILE: it is not set"),
        ] {
            let mistakes = Settings::read(&given(&[(name, value)], &[])).expect_err(name);
            assert_eq!(mistakes.len(), 1, "{mistakes:#?}");
            assert!(mistakes[0].contains(name) && mistakes[0].contains(told), "{mistakes:#?}");
        }
    }

    #[test]
    fn a_certificate_and_its_key_make_https() {
        let pair = [("SVC_TLS_CERT_FILE", "cert.pem"), ("SVC_TLS_KEY_FILE", "key.pem")];
        let read = Settings::read(&given(&pair, &[])).expect("both are set");
        assert_eq!(read.settings.scheme(), "https");
        assert_eq!(Settings::default().scheme(), "http");
    }

    #[test]
    fn unknown_names_in_the_environment_are_only_remarked() {
        let read = Settings::read(&given(&[("SVC_PROT", "1")], &[])).expect("a remark is no mistake");
        assert_eq!(read.remarks.len(), 1);
    }

    #[test]
    fn secrets_are_hidden() {
        let read = Settings::read(&given(&[("SVC_SECRET_KEY", "hush")], &[])).expect("valid");
        assert!(!format!("{read:?}").contains("hush"));
        let secrets = read.settings.secrets();
        let rows = Settings::TABLE.iter().filter(|row| row.kind == "secret").count();
        assert_eq!((secrets.len(), secrets.iter().any(|secret| secret.expose() == "hush")), (rows, true));
    }

    #[test]
    fn settings_of_the_program_are_told_apart() {
        let settings =
            Settings { port: 9, secret_key: crate::secret::Secret::new("hush"), ..Settings::default() };
        let read = ReadSettings::from(settings);
        let row = |name: &str| {
            read.in_force.iter().find(|row| row.name == name).map(|row| (row.value.as_str(), row.origin))
        };
        assert_eq!(row("SVC_PORT"), Some(("9", SettingOrigin::Program)));
        assert_eq!(row("SVC_SECRET_KEY"), Some(("***", SettingOrigin::Program)));
        assert_eq!(row("SVC_HOST"), Some(("127.0.0.1", SettingOrigin::Default)));
        assert_eq!(read.in_force.len(), Settings::TABLE.len());
    }

    #[test]
    fn every_row_says_what_it_means() {
        for row in Settings::TABLE {
            // The interface gives the rate of the chat a name of its own.
            assert!(row.name.starts_with("SVC_") || row.name == "DOCS_CHAT_THROTTLE_RATE", "{}", row.name);
            assert!(row.meaning().ends_with('.'), "{} needs a sentence", row.name);
        }
    }
}
