//! Database addresses: `scheme://host:port/database?option=value`, or the short form `host:port:database`.

use domain::ports::{Origin, TlsOptions};
use domain::provider::SearchProvider;
use domain::secret::Secret;
use domain::validation::FieldErrors;
use std::path::PathBuf;
use syntax::credentials::SourceCredentials;
use syntax::error::SyntaxError;
use url::Url;

/// The schemes and the default port of one kind of database.
#[derive(Debug, Clone, Copy)]
pub struct DsnForm {
    pub schemes: &'static [&'static str],
    pub port: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dsn {
    pub host: String,
    pub port: u16,
    pub database: String,
    pub options: Vec<(String, String)>,
}

/// Whether the connection is encrypted, and how the certificate is verified.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Tls {
    /// Used if the server offers it; the certificate is not verified.
    Offered,
    Off,
    Required(TlsOptions),
}

impl Dsn {
    pub fn parse(text: &str, form: DsnForm) -> Result<Self, SyntaxError> {
        let text = text.trim();
        let example = form.schemes.first().copied().unwrap_or_default();
        let needed = format!("Use {example}://host:{}/database or host:{}:database.", form.port, form.port);
        let dsn = if text.contains("://") {
            Self::of_url(text, form).ok_or_else(|| needed.clone())?
        } else {
            Self::of_parts(text).ok_or_else(|| needed.clone())?
        };
        if dsn.host.is_empty() || dsn.database.is_empty() { Err(needed.into()) } else { Ok(dsn) }
    }

    fn of_url(text: &str, form: DsnForm) -> Option<Self> {
        let url = Url::parse(text).ok().filter(|url| form.schemes.contains(&url.scheme()))?;
        if !url.username().is_empty() || url.password().is_some() {
            return None;
        }
        let database = url.path().trim_matches('/');
        Some(Self {
            host: url.host_str()?.trim_matches(['[', ']']).to_owned(),
            port: url.port().unwrap_or(form.port),
            database: percent_encoding::percent_decode_str(database).decode_utf8().ok()?.into_owned(),
            options: url.query_pairs().map(|(key, value)| (key.into_owned(), value.into_owned())).collect(),
        })
    }

    fn of_parts(text: &str) -> Option<Self> {
        let mut parts = text.rsplitn(3, ':');
        let (database, port, host) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Self {
            host: host.trim_matches(['[', ']']).to_owned(),
            port: port.parse().ok()?,
            database: database.to_owned(),
            options: Vec::new(),
        })
    }

    pub fn option(&self, key: &str) -> Option<&str> {
        self.options.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// The origin for the guarded client. It is trusted, because an administrator saved it.
    pub fn origin(&self, scheme: &str) -> Origin {
        Origin { scheme: scheme.to_owned(), host: self.host.clone(), port: self.port, is_trusted: true }
    }

    /// Parses `tls=off|offered|required`, `ca_certs=<file>` and `verify_certs=false`.
    pub fn tls(&self) -> Result<Tls, SyntaxError> {
        let ca_file = self.option("ca_certs").map(PathBuf::from);
        let verify = self.option("verify_certs").is_none_or(|text| !text.eq_ignore_ascii_case("false"));
        match self.option("tls").unwrap_or(if ca_file.is_some() { "required" } else { "offered" }) {
            "off" => Ok(Tls::Off),
            "offered" => Ok(Tls::Offered),
            "required" => Ok(Tls::Required(TlsOptions { verify, ca_file })),
            other => Err(format!("tls is off, offered or required, not '{other}'.").into()),
        }
    }
}

/// `user:password` of a provider; the password may contain colons.
pub fn login(credentials: &SourceCredentials) -> Option<(String, Secret)> {
    match credentials {
        SourceCredentials::Plain(text) => {
            let (user, password) = text.expose().split_once(':')?;
            Some((user.to_owned(), Secret::new(password)))
        }
        SourceCredentials::Basic(login) => Some((login.user.clone(), login.password.clone())),
        _ => None,
    }
}

/// Validates the address of a provider, and that the login is in the credentials.
pub fn check(provider: &SearchProvider, form: DsnForm, errors: &mut FieldErrors) {
    let url = provider.spec.url.trim();
    let is_open = Url::parse(url).is_ok_and(|url| !url.username().is_empty() || url.password().is_some());
    if is_open || (!url.contains("://") && url.split(':').count() > 3 && !url.starts_with('[')) {
        errors.add("url", "Put the user and the password into credentials, as user:password.".to_owned());
        return;
    }
    match Dsn::parse(url, form) {
        Ok(dsn) => {
            if let Err(sentence) = dsn.tls() {
                errors.add("url", sentence);
            }
        }
        Err(sentence) => errors.add("url", sentence),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: DsnForm = DsnForm { schemes: &["postgres", "postgresql"], port: 5432 };

    #[test]
    fn both_forms_are_read() {
        let table = [
            ("postgres://db.example/shop", Some(("db.example", 5432, "shop"))),
            ("postgresql://db.example:6000/my%20shop?tls=off", Some(("db.example", 6000, "my shop"))),
            ("postgres://[::1]:6000/shop", Some(("::1", 6000, "shop"))),
            ("db.example:6000:shop", Some(("db.example", 6000, "shop"))),
            ("[::1]:6000:shop", Some(("::1", 6000, "shop"))),
            ("postgres://user:secret@db.example/shop", None),
            ("mysql://db.example/shop", None),
            ("postgres://db.example/", None),
            ("db.example:shop", None),
            ("db.example:port:shop", None),
            ("", None),
        ];
        for (text, want) in table {
            let read = Dsn::parse(text, FORM).ok();
            let found = read.as_ref().map(|dsn| (dsn.host.as_str(), dsn.port, dsn.database.as_str()));
            assert_eq!(found, want, "{text}");
        }
    }

    #[test]
    fn trust_is_as_the_address_says() {
        let required = |verify, file: Option<&str>| {
            Ok(Tls::Required(TlsOptions { verify, ca_file: file.map(PathBuf::from) }))
        };
        let table = [
            ("", Ok(Tls::Offered)),
            ("tls=off", Ok(Tls::Off)),
            ("tls=required", required(true, None)),
            ("tls=required&verify_certs=False", required(false, None)),
            ("ca_certs=/a.pem", required(true, Some("/a.pem"))),
            ("tls=maybe", Err(())),
        ];
        for (options, want) in table {
            let dsn = Dsn::parse(&format!("postgres://h/d?{options}"), FORM).expect("an address");
            assert_eq!(dsn.tls().map_err(drop), want, "{options}");
        }
    }
}
