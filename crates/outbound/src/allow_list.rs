//! Parser of `SVC_OUTBOUND_ALLOW`: `host:port`, `host`, or a network such as `10.0.0.0/8`.

use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;
use syntax::network::Network;
use url::Host;

/// An entry: an address that may be reached although it is private.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowRule {
    /// One port of one host, by its name in the URL.
    HostPort { host: Host, port: u16 },
    /// Every port of one host, by its name in the URL.
    Host(Host),
    /// Every host with an address in this network.
    Network(Network),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{entry}` is not an address to allow: {needed}")]
pub struct AllowRuleError {
    /// The invalid entry.
    pub entry: String,
    pub needed: &'static str,
}

impl AllowRule {
    /// Parses all entries; fails at the first invalid one.
    pub fn parse_all<T: AsRef<str>>(entries: &[T]) -> Result<Vec<Self>, AllowRuleError> {
        entries.iter().map(|entry| entry.as_ref().parse()).collect()
    }

    /// Whether this rule allows the host of a URL by name, before its addresses are known.
    pub(crate) fn matches_host(&self, host: &Host<&str>, port: u16) -> bool {
        match self {
            Self::HostPort { host: own, port: own_port } => own == host && *own_port == port,
            Self::Host(own) => own == host,
            Self::Network(_) => false,
        }
    }

    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        match self {
            Self::Network(network) => network.contains(address) || network.contains(address.to_canonical()),
            Self::HostPort { .. } | Self::Host(_) => false,
        }
    }
}

impl FromStr for AllowRule {
    type Err = AllowRuleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let entry = text.trim();
        parse(entry).map_err(|needed| AllowRuleError { entry: entry.to_owned(), needed })
    }
}

fn parse(entry: &str) -> Result<AllowRule, &'static str> {
    if entry.contains('/') {
        return Network::parse(entry)
            .map(AllowRule::Network)
            .ok_or("write host:port, host, or a network such as 10.0.0.0/8 or fd00::/8");
    }
    if let Ok(address) = entry.parse::<Ipv6Addr>() {
        return Ok(AllowRule::Host(Host::Ipv6(address)));
    }
    // The colon before the port follows the brackets of an IPv6 address.
    let host_end = entry.rfind(']').map_or(0, |bracket| bracket + 1);
    let Some(colon) = entry.get(host_end..).and_then(|rest| rest.find(':')) else {
        return Ok(AllowRule::Host(parse_host(entry)?));
    };
    let (host, port) = entry.split_at(host_end + colon);
    let port = port.trim_start_matches(':').parse().ok().filter(|port| *port != 0);
    let port = port.ok_or("the port is a number from 1 to 65535")?;
    Ok(AllowRule::HostPort { host: parse_host(host)?, port })
}

fn parse_host(text: &str) -> Result<Host, &'static str> {
    const NEEDED: &str = "the host is a name or an address, without wildcards";
    let host = Host::parse(text).map_err(|_| NEEDED)?;
    if let Host::Domain(name) = &host {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err(NEEDED);
        }
    }
    Ok(host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    #[test]
    fn allows_by_name_and_port() {
        let cases = [
            ("localhost:8080", "http://localhost:8080/", true),
            ("localhost:8080", "http://localhost:8081/", false),
            ("localhost:80", "http://localhost/", true),
            ("localhost:443", "https://localhost/", true),
            (" LocalHost ", "http://localhost:9/", true),
            ("localhost", "http://localhost.example/", false),
            ("example", "http://localhost.example/", false),
            ("10.0.0.5:9200", "http://10.0.0.5:9200/", true),
            ("10.0.0.5", "http://10.0.0.5:1/", true),
            ("10.0.0.5", "http://10.0.0.6/", false),
            ("[::1]:8080", "http://[::1]:8080/", true),
            ("[::1]:8080", "http://[::1]:8081/", false),
            ("[::1]", "http://[::1]:8081/", true),
            ("::1", "http://[0:0::1]:8081/", true),
            ("10.0.0.0/8", "http://10.0.0.5/", false),
        ];
        for (rule, url, expected) in cases {
            let rule: AllowRule = rule.parse().unwrap();
            let url = Url::parse(url).unwrap();
            let named = rule.matches_host(&url.host().unwrap(), url.port_or_known_default().unwrap());
            assert_eq!(named, expected, "{rule:?} {url}");
        }
    }

    #[test]
    fn allows_by_network() {
        let cases = [
            ("10.0.0.0/8", "10.1.2.3", true),
            ("10.0.0.0/8", "::ffff:10.1.2.3", true),
            ("::ffff:10.0.0.0/104", "::ffff:10.1.2.3", true),
            ("10.0.0.0/8", "11.1.2.3", false),
            ("fd00::/8", "fd00::1", true),
            ("10.0.0.1", "10.0.0.1", false),
        ];
        for (rule, address, expected) in cases {
            let rule: AllowRule = rule.parse().unwrap();
            assert_eq!(rule.contains(address.parse().unwrap()), expected, "{rule:?} {address}");
        }
    }

    #[test]
    fn names_the_invalid_entry() {
        let bad = [
            "",
            "host:",
            "host:0",
            "host:65536",
            "host:http",
            ":80",
            "*.example.com",
            "a b",
            "10.0.0.0/33",
            "http://host",
            "10.0.0.256",
            "[::1",
            "[::1]8080",
            "::1:zz",
            "a:b:80",
            "[host]:80",
        ];
        for entry in bad {
            let error = AllowRule::parse_all(&["localhost", entry]).unwrap_err();
            assert_eq!(error.entry, entry);
            assert!(error.to_string().contains(&format!("`{entry}`")), "{error}");
        }
    }
}
