//! The mail server of `SVC_ALERT_MAIL_URL`.

use std::net::IpAddr;
use url::{Host, Url};

const FORM: &str = "must be a URL such as smtps://user@mail.example or smtp://mail.example:587";
const PASSWORD: &str = "must not contain a password; set SVC_ALERT_MAIL_PASSWORD";
const OPTIONS: &str = "has the single option tls, which is on or off";
/// The port of `smtps`.
const TLS_PORT: u16 = 465;
/// The port of `smtp`.
const START_TLS_PORT: u16 = 587;

/// How the connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailSecurity {
    /// TLS from the first byte.
    Tls,
    /// STARTTLS, without which nothing is sent.
    StartTls,
    /// Not at all: on this machine, or because an administrator said so.
    Plain,
}

/// Where mail is handed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailServer {
    /// A name, or an address without brackets.
    pub host: String,
    pub port: u16,
    pub security: MailSecurity,
    /// None: the server needs no sign-in.
    pub user: Option<String>,
}

impl MailServer {
    /// Reads `smtps://user@host:port` or `smtp://user@host:port?tls=off`. The error is the end of a sentence.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let url = Url::parse(text.trim()).map_err(|_| FORM)?;
        if url.password().is_some() {
            return Err(PASSWORD);
        }
        if !matches!(url.scheme(), "smtp" | "smtps") || !matches!(url.path(), "" | "/") {
            return Err(FORM);
        }
        let host = url.host_str().and_then(|host| Host::parse(host).ok()).ok_or(FORM)?;
        let security = security(&url, is_loopback(&host))?;
        let usual = if security == MailSecurity::Tls { TLS_PORT } else { START_TLS_PORT };
        let host = match host {
            Host::Domain(name) => name,
            Host::Ipv4(address) => address.to_string(),
            Host::Ipv6(address) => address.to_string(),
        };
        let user = decode(url.username()).ok_or(FORM)?;
        let user = (!user.is_empty()).then_some(user);
        Ok(Self { host, port: url.port().unwrap_or(usual), security, user })
    }

    /// Whether a password would be readable on its way.
    pub fn is_readable_by_others(&self) -> bool {
        let is_here = Host::parse(&self.host).is_ok_and(|host| is_loopback(&host)) || self.host == "::1";
        self.security == MailSecurity::Plain && !is_here
    }
}

/// A server on this machine needs no TLS unless the URL says so.
fn security(url: &Url, is_here: bool) -> Result<MailSecurity, &'static str> {
    let mut tls = None;
    for (name, value) in url.query_pairs() {
        match (&*name, &*value) {
            ("tls", "on") if tls.is_none() => tls = Some(true),
            ("tls", "off") if tls.is_none() => tls = Some(false),
            _ => return Err(OPTIONS),
        }
    }
    match (url.scheme(), tls) {
        ("smtps", None | Some(true)) => Ok(MailSecurity::Tls),
        ("smtps", Some(false)) => Err("must begin with smtp:// to have tls=off"),
        (_, Some(true)) => Ok(MailSecurity::StartTls),
        (_, Some(false)) => Ok(MailSecurity::Plain),
        (_, None) if is_here => Ok(MailSecurity::Plain),
        (_, None) => Ok(MailSecurity::StartTls),
    }
}

fn is_loopback<T: AsRef<str>>(host: &Host<T>) -> bool {
    match host {
        Host::Domain(name) => name.as_ref() == "localhost",
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => IpAddr::V6(*address).to_canonical().is_loopback(),
    }
}

/// The text of a user name in a URL; control characters are refused.
fn decode(user: &str) -> Option<String> {
    let text = percent_encoding::percent_decode_str(user).decode_utf8().ok()?;
    (!text.contains(char::is_control)).then(|| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use MailSecurity::{Plain, StartTls, Tls};

    #[test]
    fn the_url_says_how_the_connection_is_encrypted() {
        for (url, host, port, security, user) in [
            ("smtps://mail.example", "mail.example", 465, Tls, None),
            ("smtps://ann%40a.example@Mail.Example:4650/", "mail.example", 4650, Tls, Some("ann@a.example")),
            (" smtp://a+b%20c@mail.example ", "mail.example", 587, StartTls, Some("a+b c")),
            ("smtp://a=b&c@mail.example:25", "mail.example", 25, StartTls, Some("a=b&c")),
            ("smtp://mail.example?tls=off", "mail.example", 587, Plain, None),
            ("smtp://mail.example?tls=on", "mail.example", 587, StartTls, None),
            ("smtp://localhost:25", "localhost", 25, Plain, None),
            ("smtp://127.0.0.1:25", "127.0.0.1", 25, Plain, None),
            ("smtp://[::1]:25", "::1", 25, Plain, None),
            ("smtp://localhost:25?tls=on", "localhost", 25, StartTls, None),
            ("smtps://localhost", "localhost", 465, Tls, None),
            ("smtp://localhost.example", "localhost.example", 587, StartTls, None),
        ] {
            let user = user.map(str::to_owned);
            let expected = MailServer { host: host.to_owned(), port, security, user };
            assert_eq!(MailServer::parse(url), Ok(expected), "{url}");
        }
    }

    #[test]
    fn mistakes_have_a_sentence_without_the_url() {
        for (url, expected) in [
            ("mail.example", FORM),
            ("mail.example:587", FORM),
            ("https://mail.example", FORM),
            ("smtp://", FORM),
            ("smtp://a b", FORM),
            ("smtp://mail.example/inbox", FORM),
            ("smtp://a%0d%0ab@mail.example", FORM),
            ("smtps://ann:secret@mail.example", PASSWORD),
            ("smtp://mail.example?tls=maybe", OPTIONS),
            ("smtp://mail.example?tls=on&tls=off", OPTIONS),
            ("smtp://mail.example?verify=off", OPTIONS),
            ("smtps://mail.example?tls=off", "must begin with smtp:// to have tls=off"),
        ] {
            assert_eq!(MailServer::parse(url), Err(expected), "{url}");
        }
    }

    #[test]
    fn a_password_needs_tls_unless_it_stays_on_this_machine() {
        for (url, expected) in [
            ("smtp://a@mail.example?tls=off", true),
            ("smtp://a@10.0.0.5?tls=off", true),
            ("smtp://a@mail.example", false),
            ("smtps://a@mail.example", false),
            ("smtp://a@localhost", false),
            ("smtp://a@127.0.0.2?tls=off", false),
            ("smtp://a@[::1]", false),
        ] {
            assert_eq!(MailServer::parse(url).unwrap().is_readable_by_others(), expected, "{url}");
        }
    }
}
