//! The address of a client: the peer of the connection, or the one that a trusted proxy reports.

use crate::connection::Peer;
use crate::error::ApiError;
use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderName};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use syntax::network::Network;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// Most proxies in a chain that are evaluated.
const PROXIES_MAX: usize = 16;
/// Leading bits of an IPv6 address that identify one customer, who chooses the other bits.
const IPV6_BLOCK: u128 = !0 << 64;

/// The address of a client: an IPv4 address, or an IPv6 /64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClientAddress(IpAddr);

impl ClientAddress {
    /// The address of a request. Requests without a connection share one address.
    pub fn of(extensions: &Extensions, headers: &HeaderMap, trusted: &[Network]) -> Self {
        let peer = extensions.get::<ConnectInfo<Peer>>().map(|ConnectInfo(Peer(address))| address.ip());
        let peer = peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)).to_canonical();
        Self::block_of(behind_proxies(peer, headers, trusted))
    }

    pub fn block_of(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V6(address) => Self(Ipv6Addr::from_bits(address.to_bits() & IPV6_BLOCK).into()),
            address @ IpAddr::V4(_) => Self(address),
        }
    }
}

impl fmt::Display for ClientAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            IpAddr::V4(address) => address.fmt(f),
            IpAddr::V6(address) => write!(f, "{address}/64"),
        }
    }
}

/// Inserted by the guard.
impl<S: Send + Sync> FromRequestParts<S> for ClientAddress {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Self::Rejection> {
        parts.extensions.get().copied().ok_or_else(|| ApiError::internal("the guard did not run"))
    }
}

/// True if the peer is a trusted proxy, so that its headers about the client's request are believed.
pub fn is_from_proxy(extensions: &Extensions, trusted: &[Network]) -> bool {
    let peer =
        extensions.get::<ConnectInfo<Peer>>().map(|ConnectInfo(Peer(address))| address.ip().to_canonical());
    peer.is_some_and(|peer| trusted.iter().any(|network| network.contains(peer)))
}

/// From the right, the first address that is not a trusted proxy: the client controls everything to the left of it. If
/// an entry is not an address, the proxy that sent it counts as the client.
fn behind_proxies(peer: IpAddr, headers: &HeaderMap, trusted: &[Network]) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
    let lines: Vec<&str> =
        headers.get_all(FORWARDED_FOR).iter().map(|line| line.to_str().unwrap_or_default()).collect();
    let mut hops = lines.iter().rev().flat_map(|line| line.rsplit(',')).take(PROXIES_MAX);
    let mut client = peer;
    while is_trusted(client) {
        match hops.next().and_then(address_in) {
            Some(next) => client = next,
            None => break,
        }
    }
    client
}

/// Some proxies add the port.
fn address_in(piece: &str) -> Option<IpAddr> {
    let piece = piece.trim();
    let address = piece.parse().or_else(|_| piece.parse::<SocketAddr>().map(|address| address.ip()));
    address.ok().map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, lines: &[&str], trusted: &str) -> String {
        let mut extensions = Extensions::new();
        extensions.insert(ConnectInfo(Peer(SocketAddr::new(peer.parse().unwrap(), 4711))));
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(FORWARDED_FOR, line.parse().unwrap());
        }
        let trusted: Vec<Network> = trusted.split_whitespace().filter_map(Network::parse).collect();
        ClientAddress::of(&extensions, &headers, &trusted).to_string()
    }

    #[test]
    fn clients() {
        let proxies = "10.0.0.0/8 fd00::/8";
        let table: &[(&str, &[&str], &str, &str)] = &[
            ("192.0.2.1", &[], proxies, "192.0.2.1"),
            ("192.0.2.1", &["198.51.100.7"], proxies, "192.0.2.1"),
            ("10.0.0.1", &["198.51.100.7"], "", "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.7"], proxies, "198.51.100.7"),
            ("10.0.0.1", &["203.0.113.9, 198.51.100.7"], proxies, "198.51.100.7"),
            ("10.0.0.1", &["203.0.113.9, 198.51.100.7, 10.2.3.4"], proxies, "198.51.100.7"),
            ("10.0.0.1", &["203.0.113.9", "198.51.100.7", "10.2.3.4"], proxies, "198.51.100.7"),
            ("10.0.0.1", &["10.9.9.9, 10.2.3.4"], proxies, "10.9.9.9"),
            ("10.0.0.1", &["198.51.100.7, nonsense"], proxies, "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.7, , 10.2.3.4"], proxies, "10.2.3.4"),
            ("10.0.0.1", &[""], proxies, "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.7:1234"], proxies, "198.51.100.7"),
            ("10.0.0.1", &["[2001:db8::7]:1234"], proxies, "2001:db8::/64"),
            ("::ffff:10.0.0.1", &["::ffff:198.51.100.7"], proxies, "198.51.100.7"),
            ("fd00::1", &["2001:db8:1:2:3:4:5:6"], proxies, "2001:db8:1:2::/64"),
            ("2001:db8::1", &["198.51.100.7"], proxies, "2001:db8::/64"),
        ];
        for (peer, lines, trusted, expected) in table {
            assert_eq!(client(peer, lines, trusted), *expected, "{peer} {lines:?} {trusted}");
        }
    }

    #[test]
    fn a_long_row_of_proxies_ends() {
        let row = |count: usize| format!("198.51.100.7{}", ", 10.0.0.2".repeat(count));
        assert_eq!(client("10.0.0.1", &[&row(PROXIES_MAX - 1)], "10.0.0.0/8"), "198.51.100.7");
        assert_eq!(client("10.0.0.1", &[&row(PROXIES_MAX)], "10.0.0.0/8"), "10.0.0.2");
    }

    #[test]
    fn no_connection_is_one_address() {
        let nowhere = ClientAddress::of(&Extensions::new(), &HeaderMap::new(), &[]);
        assert_eq!(nowhere.to_string(), "0.0.0.0");
    }
}
