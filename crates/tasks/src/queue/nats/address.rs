//! Parser of the queue URL: `nats://user:password@host:4222/name`, or a comma-separated list of servers of one
//! cluster. The name separates installations that share servers. The login is removed from the URLs, because the
//! client ignores it there and logs the URLs.

use async_nats::ServerAddr;
use domain::secret::Secret;
use percent_encoding::percent_decode_str;
use url::Url;

const NAME: &str = "tributary";
const NAME_MAX: usize = 64;
const SERVERS_MAX: usize = 16;

/// Errors of the queue URL. They never contain the URL, which may contain a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NatsError {
    #[error("the address of the queue is not valid; use nats://host:4222 or tls://host:4222")]
    Address,
    #[error("at most {SERVERS_MAX} servers may be named")]
    Servers,
    #[error(
        "the name after the host may have 1 to {NAME_MAX} letters, digits, '-' and '_', and must be the same for all servers"
    )]
    Name,
    #[error("the servers must have the same login, or only one of them names it")]
    Login,
    #[error("the client of NATS cannot be started: {0}")]
    Client(String),
}

#[derive(Debug)]
pub(super) struct Address {
    pub(super) servers: Vec<ServerAddr>,
    pub(super) name: String,
    pub(super) login: Option<Login>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Login {
    /// `user:password@`
    User(String, Secret),
    /// `token@`
    Token(Secret),
}

impl Login {
    /// Removes the login from a URL and returns it.
    fn take(url: &mut Url) -> Result<Option<Self>, NatsError> {
        let decoded = |text: &str| {
            let text = percent_decode_str(text).decode_utf8().map_err(|_| NatsError::Address)?;
            Ok::<String, NatsError>(text.into_owned())
        };
        let user = decoded(url.username())?;
        let password = url.password().map(decoded).transpose()?.map(Secret::new);
        url.set_username("").and_then(|()| url.set_password(None)).map_err(|()| NatsError::Address)?;
        Ok(match (user, password) {
            (user, Some(password)) => Some(Self::User(user, password)),
            (user, None) if user.is_empty() => None,
            (token, None) => Some(Self::Token(Secret::new(token))),
        })
    }
}

impl Address {
    pub(super) fn parse(text: &str) -> Result<Self, NatsError> {
        let mut servers = Vec::new();
        let mut names: Vec<String> = Vec::new();
        let mut logins: Vec<Login> = Vec::new();
        for part in text.split(',') {
            let server: ServerAddr = part.trim().parse().map_err(|_| NatsError::Address)?;
            let mut url = server.into_inner();
            if !matches!(url.scheme(), "nats" | "tls") || url.host_str().is_none_or(str::is_empty) {
                return Err(NatsError::Address);
            }
            match url.path().trim_matches('/') {
                "" => {}
                name if is_name(name) => names.push(name.to_owned()),
                _ => return Err(NatsError::Name),
            }
            url.set_path("");
            logins.extend(Login::take(&mut url)?);
            servers.push(ServerAddr::from_url(url).map_err(|_| NatsError::Address)?);
        }
        names.dedup();
        logins.dedup();
        if servers.len() > SERVERS_MAX {
            return Err(NatsError::Servers);
        }
        if names.len() > 1 {
            return Err(NatsError::Name);
        }
        if logins.len() > 1 {
            return Err(NatsError::Login);
        }
        let name = names.pop().unwrap_or_else(|| NAME.to_owned());
        Ok(Self { servers, name, login: logins.pop() })
    }
}

fn is_name(text: &str) -> bool {
    text.len() <= NAME_MAX && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let long = format!("nats://a/{}", "n".repeat(NAME_MAX));
        let too_long = format!("{long}n");
        let many = vec!["nats://a"; SERVERS_MAX].join(",");
        let too_many = format!("{many},nats://a");
        for (text, expected) in [
            ("nats://a:4222", Ok((1, "tributary".to_owned()))),
            ("a:4222", Ok((1, "tributary".to_owned()))),
            ("tls://user:word@a/blue-1/", Ok((1, "blue-1".to_owned()))),
            ("nats://a:1, nats://b:2/blue", Ok((2, "blue".to_owned()))),
            ("nats://a/blue,nats://b/blue", Ok((2, "blue".to_owned()))),
            (&long, Ok((1, "n".repeat(NAME_MAX)))),
            (&many, Ok((SERVERS_MAX, "tributary".to_owned()))),
            (&too_long, Err(NatsError::Name)),
            (&too_many, Err(NatsError::Servers)),
            ("nats://a/blue,nats://b/red", Err(NatsError::Name)),
            ("nats://a/blue.sky", Err(NatsError::Name)),
            ("nats://a/blue/sky", Err(NatsError::Name)),
            ("nats://u:p@a,nats://u:q@b", Err(NatsError::Login)),
            ("http://a:4222", Err(NatsError::Address)),
            ("ws://a:4222", Err(NatsError::Address)),
            ("", Err(NatsError::Address)),
            ("nats://", Err(NatsError::Address)),
        ] {
            let read = Address::parse(text).map(|address| (address.servers.len(), address.name));
            assert_eq!(read, expected, "{text}");
        }
    }
    #[test]
    fn the_login_is_apart_from_the_addresses() {
        let user = |name: &str, password: &str| Some(Login::User(name.to_owned(), Secret::new(password)));
        for (text, expected) in [
            ("nats://a:4222", None),
            ("nats://me:canary@a:4222/blue", user("me", "canary")),
            ("tls://me:can%40ary%2F@a", user("me", "can@ary/")),
            ("nats://:canary@a", user("", "canary")),
            ("nats://canary@a", Some(Login::Token(Secret::new("canary")))),
            ("nats://me:canary@a,nats://b", user("me", "canary")),
            ("nats://me:canary@a,nats://me:canary@b", user("me", "canary")),
        ] {
            let address = Address::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(address.login, expected, "{text}");
            assert!(!format!("{address:?}").contains("canary"), "{address:?}");
        }
    }
}
