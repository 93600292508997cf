//! Settings: one table of names, defaults and descriptions, from which the documentation, the example file, the
//! validation and the `settings` command are derived.

mod table;
mod value;

pub use table::{PluginSettings, Settings};
pub use value::{FieldWeights, Ratio, Seconds, SettingValue, Throttle, WebOrigin};

use crate::mail_server::MailServer;
use std::collections::BTreeMap;
use syntax::suggest;
use url::Url;

/// The SQLite database in the data folder.
pub const DATABASE_FILE: &str = "tributary.db";
/// Maximum of `SVC_BACKUP_KEEP`.
pub const BACKUPS_MAX: u32 = 1000;
/// The sample library that the demo writes into its data folder.
pub const SAMPLE_LIBRARY_FILE: &str = "library.db";

/// The origin of a value; later variants take precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingOrigin {
    Default,
    File,
    Environment,
    /// Set by the program itself, as benchmarks do.
    Program,
}

impl SettingOrigin {
    pub const ALL: [Self; 4] = [Self::Default, Self::File, Self::Environment, Self::Program];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File => "file",
            Self::Environment => "environment",
            Self::Program => "program",
        }
    }
}

/// One row of the settings table, for documentation.
#[derive(Debug, Clone, Copy)]
pub struct SettingRow {
    pub name: &'static str,
    /// `text`, `whole number`, …
    pub kind: &'static str,
    pub meaning: &'static [&'static str],
    /// The default in its text form; empty for a secret.
    pub default: fn() -> String,
    /// The default as a TOML value.
    pub default_toml: fn() -> String,
}

impl SettingRow {
    /// The description as one paragraph.
    pub fn meaning(&self) -> String {
        self.meaning.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
    }
}

/// The effective value of a setting, with secrets masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveSetting {
    pub name: &'static str,
    pub value: String,
    pub origin: SettingOrigin,
}

/// Unparsed settings by name, as found in the environment and the settings file.
#[derive(Debug, Clone, Default)]
pub struct RawSettings {
    pub environment: BTreeMap<String, String>,
    pub file: BTreeMap<String, String>,
}

/// A sentence for each name that is not a setting.
struct UnknownNames {
    file: Vec<String>,
    environment: Vec<String>,
}

impl RawSettings {
    /// The effective text and its origin. An empty text counts as unset.
    fn find(&self, name: &str) -> Option<(&str, SettingOrigin)> {
        [(&self.environment, SettingOrigin::Environment), (&self.file, SettingOrigin::File)]
            .into_iter()
            .find_map(|(map, origin)| Some((map.get(name).filter(|text| !text.is_empty())?.as_str(), origin)))
    }

    /// Names in the file, and `SVC_` names in the environment.
    fn unknown(&self) -> UnknownNames {
        let known = || Settings::TABLE.iter().map(|row| row.name);
        let sentence = |name: &String| suggest::unknown("setting", name, known());
        let is_unknown = |name: &&String| !known().any(|row| row == name.as_str());
        let file = self.file.keys().filter(is_unknown).map(sentence).collect();
        let environment =
            self.environment.keys().filter(|name| name.starts_with("SVC_")).filter(is_unknown).map(|name| {
                let near = suggest::nearest(name, known()).map(|near| format!(" Did you mean '{near}'?"));
                format!("The environment variable '{name}' is not a setting.{}", near.unwrap_or_default())
            });
        UnknownNames { file, environment: environment.collect() }
    }
}

/// Parsed settings, the effective value and origin of each, and warnings.
#[derive(Debug, Clone)]
pub struct LoadedSettings {
    pub settings: Settings,
    pub effective: Vec<EffectiveSetting>,
    pub remarks: Vec<String>,
}

impl Settings {
    /// Parses all settings and reports all errors at once.
    pub fn parse(raw: &RawSettings) -> Result<LoadedSettings, Vec<String>> {
        let mut mistakes = Vec::new();
        let mut effective = Vec::new();
        let settings = Self::parse_rows(raw, &mut effective, &mut mistakes);
        let UnknownNames { file, environment: remarks } = raw.unknown();
        mistakes.extend(file);
        mistakes.extend(settings.check());
        if mistakes.is_empty() { Ok(LoadedSettings { settings, effective, remarks }) } else { Err(mistakes) }
    }

    /// Validation beyond the type of a single value.
    fn check(&self) -> Vec<String> {
        let mut mistakes = Vec::new();
        if self.timeout.0.is_zero() {
            mistakes.push("SVC_TIMEOUT: must be more than 0 seconds.".to_owned());
        }
        if self.task_lease.0.as_secs() < 1 {
            mistakes.push("SVC_TASK_LEASE: must be at least 1 second.".to_owned());
        }
        if self.database_pool_max == 0 {
            mistakes.push("SVC_DATABASE_POOL_MAX: must be at least 1.".to_owned());
        }
        if self.database_statement_timeout.0.as_secs() < 1 {
            mistakes.push("SVC_DATABASE_STATEMENT_TIMEOUT: must be at least 1 second.".to_owned());
        }
        if !(1..=BACKUPS_MAX).contains(&self.backup_keep) {
            mistakes.push(format!("SVC_BACKUP_KEEP: must be 1 to {BACKUPS_MAX}."));
        }
        if self.backup_every.0.as_secs() < 1 {
            mistakes.push("SVC_BACKUP_EVERY: must be at least 1 second.".to_owned());
        }
        if self.log_max_mb == 0 || self.log_files == 0 {
            mistakes.push("SVC_LOG_MAX_MB and SVC_LOG_FILES: must be at least 1.".to_owned());
        }
        if !matches!(self.log_format.as_str(), "text" | "json") {
            mistakes.push("SVC_LOG_FORMAT: must be text or json.".to_owned());
        }
        let is_web = |text: &str| Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        if !self.public_url.is_empty() && !is_web(&self.public_url) {
            let sentence = "SVC_PUBLIC_URL: must be an http or https URL such as https://find.example.";
            mistakes.push(sentence.to_owned());
        }
        mistakes.extend(self.check_alert_webhook());
        mistakes.extend(self.check_alert_mail());
        let (cert, key) = ("SVC_TLS_CERT_FILE", "SVC_TLS_KEY_FILE");
        let missing = match (self.tls_cert_file.is_empty(), self.tls_key_file.is_empty()) {
            (true, false) => Some((cert, key)),
            (false, true) => Some((key, cert)),
            _ => None,
        };
        if let Some((missing, other)) = missing {
            mistakes.push(format!("{missing}: not set, but {other} is. Set both or neither."));
        }
        mistakes
    }

    fn check_alert_webhook(&self) -> Option<String> {
        if self.alert_webhook_url.is_empty() {
            return None;
        }
        let sentence = match Url::parse(self.alert_webhook_url.expose()) {
            Ok(url) if !matches!(url.scheme(), "http" | "https") => {
                "SVC_ALERT_WEBHOOK_URL: must be an http or https URL."
            }
            Err(_) => "SVC_ALERT_WEBHOOK_URL: must be an http or https URL.",
            Ok(url) if !url.username().is_empty() || url.password().is_some() => {
                "SVC_ALERT_WEBHOOK_URL: must not contain a user or a password."
            }
            Ok(_) if self.alert_webhook_secret.is_empty() => {
                "SVC_ALERT_WEBHOOK_SECRET: not set, but SVC_ALERT_WEBHOOK_URL is."
            }
            Ok(_) => return None,
        };
        Some(sentence.to_owned())
    }

    fn check_alert_mail(&self) -> Option<String> {
        if self.alert_mail_url.is_empty() {
            return None;
        }
        let server = match MailServer::parse(&self.alert_mail_url) {
            Ok(server) => server,
            Err(needed) => return Some(format!("SVC_ALERT_MAIL_URL: {needed}.")),
        };
        let (has_user, has_password) = (server.user.is_some(), !self.alert_mail_password.is_empty());
        let sentence = if has_user && !has_password {
            "SVC_ALERT_MAIL_PASSWORD: not set, but SVC_ALERT_MAIL_URL names a user."
        } else if has_password && !has_user {
            "SVC_ALERT_MAIL_URL: must name the user of SVC_ALERT_MAIL_PASSWORD, before an @."
        } else if has_user && server.is_readable_by_others() {
            "SVC_ALERT_MAIL_URL: must not have tls=off, because the password would not be encrypted."
        } else if self.alert_mail_from.is_empty() {
            "SVC_ALERT_MAIL_FROM: not set, but SVC_ALERT_MAIL_URL is."
        } else {
            return None;
        };
        Some(sentence.to_owned())
    }

    /// Whether new results of subscribed searches can be reported.
    pub fn has_alerts(&self) -> bool {
        !self.alert_webhook_url.is_empty() || self.has_alert_mail()
    }

    /// Whether alerts are also sent by mail.
    pub fn has_alert_mail(&self) -> bool {
        !self.alert_mail_url.is_empty()
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

/// Settings built by the program itself: values that differ from the default get the origin `Program`.
impl From<Settings> for LoadedSettings {
    fn from(settings: Settings) -> Self {
        let row = |((name, value), row): ((&'static str, String), &SettingRow)| {
            let origin =
                if value == (row.default)() { SettingOrigin::Default } else { SettingOrigin::Program };
            EffectiveSetting { name, value, origin }
        };
        let effective = settings.shown().into_iter().zip(Settings::TABLE).map(row).collect();
        Self { settings, effective, remarks: Vec::new() }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::parse_rows(&RawSettings::default(), &mut Vec::new(), &mut Vec::new())
    }
}

impl Default for PluginSettings {
    fn default() -> Self {
        Self::from(&Settings::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(environment: &[(&str, &str)], file: &[(&str, &str)]) -> RawSettings {
        let map =
            |pairs: &[(&str, &str)]| pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        RawSettings { environment: map(environment), file: map(file) }
    }

    #[test]
    fn environment_wins_over_file_wins_over_default() {
        let read =
            Settings::parse(&raw(&[("SVC_PORT", "9001")], &[("SVC_PORT", "9000"), ("SVC_HOST", "::1")]))
                .expect("valid settings");
        assert_eq!(read.settings.port, 9001);
        assert_eq!(read.settings.host, "::1");
        assert_eq!(read.settings.timeout.0.as_secs(), 10);
        let origin = |name: &str| read.effective.iter().find(|row| row.name == name).map(|row| row.origin);
        assert_eq!(origin("SVC_PORT"), Some(SettingOrigin::Environment));
        assert_eq!(origin("SVC_HOST"), Some(SettingOrigin::File));
        assert_eq!(origin("SVC_TIMEOUT"), Some(SettingOrigin::Default));
    }

    #[test]
    fn all_mistakes_are_reported_at_once() {
        let mistakes = Settings::parse(&raw(
            &[("SVC_PORT", "eighty"), ("SVC_EXPLAIN", "perhaps"), ("SVC_TIMEOT", "3")],
            &[("SVC_TIMEOT", "3"), ("SVC_TIMEOUT", "0")],
        ))
        .expect_err("three mistakes");
        assert_eq!(mistakes.len(), 4, "{mistakes:#?}");
        assert!(mistakes.iter().any(|line| line.contains("Did you mean 'SVC_TIMEOUT'")), "{mistakes:#?}");
    }

    #[test]
    fn values_that_would_break_the_service_are_rejected() {
        for (name, value, expected) in [
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
            ("SVC_PUBLIC_URL", "no address", "http or https URL"),
            ("SVC_PUBLIC_URL", "find.example", "http or https URL"),
            ("SVC_PUBLIC_URL", "ftp://find.example", "http or https URL"),
            ("SVC_ALERT_WEBHOOK_URL", "hooks.example", "http or https URL"),
            ("SVC_ALERT_WEBHOOK_URL", "https://a:b@hooks.example", "must not contain a user"),
            ("SVC_ALERT_WEBHOOK_URL", "https://hooks.example", "SVC_ALERT_WEBHOOK_SECRET: not set"),
            ("SVC_ALERT_MAIL_URL", "mail.example", "must be a URL such as"),
            ("SVC_ALERT_MAIL_URL", "smtps://a:hush@mail.example", "must not contain a password"),
            ("SVC_ALERT_MAIL_URL", "smtps://a@mail.example", "SVC_ALERT_MAIL_PASSWORD: not set"),
            ("SVC_ALERT_MAIL_URL", "smtps://mail.example", "SVC_ALERT_MAIL_FROM: not set"),
            ("SVC_TLS_CERT_FILE", "cert.pem", "SVC_TLS_KEY_FILE: not set"),
            ("SVC_TLS_KEY_FILE", "key.pem", "SVC_TLS_CERT_FILE: not set"),
        ] {
            let mistakes = Settings::parse(&raw(&[(name, value)], &[])).expect_err(name);
            assert_eq!(mistakes.len(), 1, "{mistakes:#?}");
            assert!(mistakes[0].contains(name) && mistakes[0].contains(expected), "{mistakes:#?}");
        }
    }

    #[test]
    fn a_password_for_mail_has_its_user_and_is_encrypted() {
        let mail = |url| {
            [
                ("SVC_ALERT_MAIL_URL", url),
                ("SVC_ALERT_MAIL_PASSWORD", "hush"),
                ("SVC_ALERT_MAIL_FROM", "a@b.example"),
            ]
        };
        for (url, expected) in [
            ("smtps://mail.example", Some("SVC_ALERT_MAIL_URL: must name the user")),
            ("smtp://a@mail.example?tls=off", Some("SVC_ALERT_MAIL_URL: must not have tls=off")),
            ("smtp://a@localhost", None),
            ("smtp://a@mail.example", None),
            ("smtps://a@mail.example", None),
        ] {
            let mistakes = Settings::parse(&raw(&mail(url), &[])).err();
            match expected {
                None => assert_eq!(mistakes, None, "{url}"),
                Some(expected) => assert!(mistakes.is_some_and(|all| all[0].starts_with(expected)), "{url}"),
            }
        }
    }

    #[test]
    fn a_certificate_and_its_key_make_https() {
        let pair = [("SVC_TLS_CERT_FILE", "cert.pem"), ("SVC_TLS_KEY_FILE", "key.pem")];
        let read = Settings::parse(&raw(&pair, &[])).expect("both are set");
        assert_eq!(read.settings.scheme(), "https");
        assert_eq!(Settings::default().scheme(), "http");
    }

    #[test]
    fn unknown_names_in_the_environment_are_warnings() {
        let read = Settings::parse(&raw(&[("SVC_PROT", "1")], &[])).expect("a warning is not an error");
        assert_eq!(read.remarks.len(), 1);
    }

    #[test]
    fn secrets_are_hidden() {
        let read = Settings::parse(&raw(&[("SVC_SECRET_KEY", "hush")], &[])).expect("valid");
        assert!(!format!("{read:?}").contains("hush"));
        let secrets = read.settings.secrets();
        let rows = Settings::TABLE.iter().filter(|row| row.kind == "secret").count();
        assert_eq!((secrets.len(), secrets.iter().any(|secret| secret.expose() == "hush")), (rows, true));
    }

    #[test]
    fn plugins_read_no_secret_and_nothing_of_the_service() {
        let secrets = || Settings::TABLE.iter().filter(|row| row.kind == "secret").map(|row| row.name);
        assert!(secrets().count() > 5, "the table marks its secrets");
        for name in secrets().chain([
            "SVC_HOST",
            "SVC_PUBLIC_URL",
            "SVC_TLS_KEY_FILE",
            "SVC_OUTBOUND_ALLOW",
            "SVC_LICENSE_PUBLIC_KEY",
            "SVC_STORAGE_BUCKET",
            "SVC_TRUSTED_PROXIES",
        ]) {
            assert!(Settings::TABLE.iter().any(|row| row.name == name), "{name}");
            assert!(!PluginSettings::NAMES.contains(&name), "{name}");
        }
        // One of them is a URL.
        const SECRET: &str = "https://hush.example";
        let environment = secrets().map(|name| (name.to_owned(), SECRET.to_owned())).collect();
        let read = Settings::parse(&RawSettings { environment, ..RawSettings::default() }).expect("valid");
        assert!(read.settings.secrets().iter().all(|secret| secret.expose() == SECRET));
        let view = format!("{:?}", PluginSettings::from(&read.settings));
        assert!(!view.contains("hush") && !view.contains("***"), "{view}");
    }

    #[test]
    fn plugins_read_the_values_of_the_service() {
        let set = raw(&[("SVC_MAX_FIELD_LEN", "99"), ("SVC_SQLITE_ALLOW", "/srv/a,/srv/b")], &[]);
        let settings = PluginSettings::from(&Settings::parse(&set).expect("valid").settings);
        assert_eq!((settings.max_field_len, settings.sqlite_allow.len()), (99, 2));
    }

    #[test]
    fn settings_of_the_program_have_their_own_origin() {
        let settings =
            Settings { port: 9, secret_key: crate::secret::Secret::new("hush"), ..Settings::default() };
        let read = LoadedSettings::from(settings);
        let row = |name: &str| {
            read.effective.iter().find(|row| row.name == name).map(|row| (row.value.as_str(), row.origin))
        };
        assert_eq!(row("SVC_PORT"), Some(("9", SettingOrigin::Program)));
        assert_eq!(row("SVC_SECRET_KEY"), Some(("***", SettingOrigin::Program)));
        assert_eq!(row("SVC_HOST"), Some(("127.0.0.1", SettingOrigin::Default)));
        assert_eq!(read.effective.len(), Settings::TABLE.len());
    }

    #[test]
    fn every_setting_has_a_description() {
        for row in Settings::TABLE {
            // The interface names the chat rate limit differently.
            assert!(row.name.starts_with("SVC_") || row.name == "DOCS_CHAT_THROTTLE_RATE", "{}", row.name);
            assert!(row.meaning().ends_with('.'), "{} needs a sentence", row.name);
        }
    }

    #[test]
    fn the_common_prefix_of_settings_is_no_similarity() {
        let known = || Settings::TABLE.iter().map(|row| row.name);
        for (wrong, expected) in [
            ("SVC_NOSUCH", None),
            ("SVC_", None),
            ("SVC_XYZZY", None),
            ("SVC_PROT", Some("SVC_PORT")),
            ("svc_hots", Some("SVC_HOST")),
            ("SVC_TIMEOT", Some("SVC_TIMEOUT")),
            ("SVC_DATABASE_POOL", Some("SVC_DATABASE_POOL_MAX")),
            ("TIMEOUT", Some("SVC_TIMEOUT")),
            ("DOCS_CHAT_THROTTLE", Some("DOCS_CHAT_THROTTLE_RATE")),
        ] {
            assert_eq!(suggest::nearest(wrong, known()), expected, "{wrong}");
        }
    }
}
