//! Address of the queue: `nats://user:password@host:4222/name`, or a comma list of servers of one cluster.
//! The name keeps installations apart that share the servers.

use async_nats::ServerAddr;

const NAME: &str = "tributary";
const NAME_MAX: usize = 64;
const SERVERS_MAX: usize = 16;

/// Why there is no queue at this address. Never holds the address: it may hold a password.
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
    #[error("the client of NATS cannot be started: {0}")]
    Client(String),
}

#[derive(Debug)]
pub(super) struct Address {
    pub(super) servers: Vec<ServerAddr>,
    pub(super) name: String,
}

impl Address {
    pub(super) fn parse(text: &str) -> Result<Self, NatsError> {
        let mut servers = Vec::new();
        let mut names: Vec<String> = Vec::new();
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
            servers.push(ServerAddr::from_url(url).map_err(|_| NatsError::Address)?);
        }
        names.dedup();
        match (servers.len(), names.len()) {
            (count, _) if count > SERVERS_MAX => Err(NatsError::Servers),
            (_, 0 | 1) => {
                Ok(Self { servers, name: names.into_iter().next().unwrap_or_else(|| NAME.to_owned()) })
            }
            _ => Err(NatsError::Name),
        }
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
            ("http://a:4222", Err(NatsError::Address)),
            ("ws://a:4222", Err(NatsError::Address)),
            ("", Err(NatsError::Address)),
            ("nats://", Err(NatsError::Address)),
        ] {
            let read = Address::parse(text).map(|address| (address.servers.len(), address.name));
            assert_eq!(read, expected, "{text}");
        }
    }
}
