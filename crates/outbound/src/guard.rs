//! SSRF guard: only public addresses and those that an administrator allows can be reached.

use crate::allow_list::AllowRule;
use crate::host::host_and_port;
use domain::ports::{FetchError, Origin};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use syntax::network::Network;
use url::{Host, Url};

/// How the addresses of one hop are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    /// Addresses are checked when the name is resolved.
    Guarded,
    /// An administrator trusts this host and port; any address is allowed.
    Trusted,
}

#[derive(Debug)]
pub(crate) struct Guard {
    allow: Vec<AllowRule>,
}

impl Guard {
    pub(crate) fn new(allow: Vec<AllowRule>) -> Self {
        Self { allow }
    }

    /// Checks the URL of one hop. Addresses of names are checked later with [`Guard::admits`].
    pub(crate) fn route(&self, url: &Url, origin: &Origin) -> Result<Route, FetchError> {
        check_form(url).map_err(FetchError::invalid)?;
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(FetchError::invalid("the address has no host"));
        };
        let is_trusted_host = origin.is_trusted && origin.is_of(url);
        self.route_of(&host, port, is_trusted_host)
            .ok_or_else(|| FetchError::Refused { place: host_and_port(url) })
    }

    /// Checks an origin that is not a URL.
    pub(crate) fn route_to(&self, origin: &Origin) -> Result<Route, FetchError> {
        let host = match origin.host.parse() {
            // The host of an origin that is not a URL has no brackets.
            Ok(address) => Ok(Host::Ipv6(address)),
            Err(_) => Host::parse(&origin.host),
        };
        let host = host
            .map_err(|error| FetchError::invalid("the host is not a name or an address").caused_by(error))?;
        let host = match &host {
            Host::Domain(name) => Host::Domain(name.as_str()),
            Host::Ipv4(address) => Host::Ipv4(*address),
            Host::Ipv6(address) => Host::Ipv6(*address),
        };
        let refused = || FetchError::Refused { place: format!("{}:{}", origin.host, origin.port) };
        self.route_of(&host, origin.port, origin.is_trusted).ok_or_else(refused)
    }

    fn route_of(&self, host: &Host<&str>, port: u16, is_trusted_host: bool) -> Option<Route> {
        if is_trusted_host || self.allow.iter().any(|rule| rule.matches_host(host, port)) {
            return Some(Route::Trusted);
        }
        // IP addresses do not reach the resolver, so they are checked here.
        let is_admitted = match *host {
            Host::Domain(name) => !is_metadata_name(name),
            Host::Ipv4(address) => self.admits(address.into()),
            Host::Ipv6(address) => self.admits(address.into()),
        };
        is_admitted.then_some(Route::Guarded)
    }

    /// Whether a guarded hop may connect to this address.
    pub(crate) fn admits(&self, address: IpAddr) -> bool {
        is_public(address) || self.allow.iter().any(|rule| rule.contains(address))
    }
}

/// Rejects URLs that are never fetched.
pub(crate) fn check_form(url: &Url) -> Result<(), &'static str> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err("only http and https can be fetched");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("an address must not hold a user name or a password");
    }
    Ok(())
}

/// Host names of cloud metadata services.
const METADATA_NAMES: &[&str] = &[
    "instance-data",
    "instance-data.ec2.internal",
    "metadata",
    "metadata.azure.internal",
    "metadata.goog",
    "metadata.google.internal",
];

fn is_metadata_name(name: &str) -> bool {
    METADATA_NAMES.contains(&name.trim_end_matches('.'))
}

/// IPv4 networks that are not public.
const CLOSED_V4: &[Network] = &[
    Network::v4([0, 0, 0, 0], 8),
    Network::v4([10, 0, 0, 0], 8),
    Network::v4([100, 64, 0, 0], 10),
    Network::v4([127, 0, 0, 0], 8),
    // Azure's internal platform address, which looks public.
    Network::v4([168, 63, 129, 16], 32),
    Network::v4([169, 254, 0, 0], 16),
    Network::v4([172, 16, 0, 0], 12),
    Network::v4([192, 0, 0, 0], 24),
    Network::v4([192, 0, 2, 0], 24),
    Network::v4([192, 88, 99, 0], 24),
    Network::v4([192, 168, 0, 0], 16),
    Network::v4([198, 18, 0, 0], 15),
    Network::v4([198, 51, 100, 0], 24),
    Network::v4([203, 0, 113, 0], 24),
    Network::v4([224, 0, 0, 0], 4),
    Network::v4([240, 0, 0, 0], 4),
];

/// The public part of IPv6; it excludes loopback, link-local, unique-local, multicast and compatible addresses.
const GLOBAL_V6: Network = Network::v6([0x2000, 0, 0, 0], 3);

/// Reserved parts of [`GLOBAL_V6`]: protocol assignments, benchmarks and documentation.
const CLOSED_V6: &[Network] = &[
    Network::v6([0x2001, 0, 0, 0], 23),
    Network::v6([0x2001, 0xdb8, 0, 0], 32),
    Network::v6([0x3fff, 0, 0, 0], 20),
];

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(_) => !CLOSED_V4.iter().any(|network| network.contains(address)),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

/// An address with an embedded IPv4 address is public if that is.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let groups = address.segments();
    let carried =
        |high: u16, low: u16| is_public(Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low)).into());
    match groups {
        // IPv4-mapped, and NAT64 with its well-known prefix.
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => carried(high, low),
        // Teredo embeds the server as is and the client inverted.
        [0x2001, 0, server_high, server_low, _, _, high, low] => {
            carried(server_high, server_low) && carried(!high, !low)
        }
        // 6to4.
        [0x2002, high, low, ..] if !carried(high, low) => false,
        // ISATAP, with any prefix.
        [.., 0 | 0x200, 0x5efe, high, low] if !carried(high, low) => false,
        _ => {
            let address = IpAddr::V6(address);
            GLOBAL_V6.contains(address) && !CLOSED_V6.iter().any(|network| network.contains(address))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(rules: &[&str]) -> Guard {
        Guard::new(AllowRule::parse_all(rules).unwrap())
    }

    fn origin(url: &str, is_trusted: bool) -> Origin {
        Origin::of(&Url::parse(url).unwrap(), is_trusted).unwrap()
    }

    #[test]
    fn tells_public_addresses() {
        let public = "
            1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
            168.63.129.15 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255
            192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255
            2606:4700::1111 2a00:1450::1 2001:200::1 ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1
            2001:0:808:808::f7f7:f7f7 2a00::5efe:808:808
        ";
        for address in public.split_whitespace() {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn tells_closed_addresses() {
        // IPv4: unspecified, private, shared, loopback, link-local, assignments, documentation,
        // relay, benchmark, multicast, reserved and broadcast.
        let closed_v4 = "
            0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.100.100.200 100.127.255.255
            127.0.0.1 127.255.255.255 168.63.129.16 169.254.0.0 169.254.169.254 169.254.255.255 172.16.0.0
            172.31.255.255 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.0 192.168.255.255 198.18.0.0
            198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
        ";
        // IPv6: the same, and what is not routed.
        let closed_v6 = "
            :: ::1 fe80::1 febf::1 fec0::1 fc00::1 fdff::1 fd00:ec2::254 ff02::1 2001:db8::1 3fff::1
            3fff:fff::1 2001:2::1 2001:20::1 100::1 5f00::1
        ";
        // IPv4 inside IPv6: mapped, compatible, translated, NAT64 (both prefixes), 6to4, Teredo
        // (server, then client), ISATAP.
        let closed_carried = "
            ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::ffff:10.0.0.1 ::127.0.0.1 ::8.8.8.8 ::ffff:0:127.0.0.1
            64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::808:808 2002:7f00:1:: 2002:a9fe:a9fe::1
            2002:c0a8:1::1 2001:0:7f00:1::f7f7:f7f7 2001:0:808:808::80ff:fffe 2a00::5efe:7f00:1
            2a00::200:5efe:a00:1 fe80::5efe:808:808
        ";
        for address in [closed_v4, closed_v6, closed_carried].join(" ").split_whitespace() {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn refuses_closed_addresses_in_every_spelling() {
        let nobody = origin("http://example.com/", true);
        let refused = [
            ("http://127.0.0.1/", "127.0.0.1:80"),
            ("http://2130706433/", "127.0.0.1:80"),
            ("http://0177.0.0.1/", "127.0.0.1:80"),
            ("http://0x7f.1/", "127.0.0.1:80"),
            ("http://0x7f000001/", "127.0.0.1:80"),
            ("http://127.1:8080/", "127.0.0.1:8080"),
            ("http://127.0.0.1./", "127.0.0.1:80"),
            ("http://0/", "0.0.0.0:80"),
            ("http://１２７.0.0.1/", "127.0.0.1:80"),
            ("http://127%2e0.0.1/", "127.0.0.1:80"),
            ("http:\\\\127.0.0.1\\", "127.0.0.1:80"),
            ("https://169.254.169.254/latest/meta-data", "169.254.169.254:443"),
            ("http://[::1]/?key=secret", "[::1]:80"),
            ("http://[::ffff:127.0.0.1]/", "[::ffff:7f00:1]:80"),
            ("http://[::ffff:7f00:1]/", "[::ffff:7f00:1]:80"),
            ("http://[64:ff9b::a00:1]/", "[64:ff9b::a00:1]:80"),
            ("http://metadata.google.internal/", "metadata.google.internal:80"),
            ("http://METADATA.google.internal./", "metadata.google.internal.:80"),
            ("http://instance-data/latest", "instance-data:80"),
        ];
        for (url, place) in refused {
            let verdict = guard(&[]).route(&Url::parse(url).unwrap(), &nobody);
            assert_eq!(verdict, Err(FetchError::Refused { place: place.to_owned() }), "{url}");
        }
    }

    #[test]
    fn opens_exactly_what_is_vouched_for() {
        let refused = |place: &str| Err(FetchError::Refused { place: place.to_owned() });
        let home = "http://127.0.0.1:9200/a";
        type Case<'a> = (&'a [&'a str], &'a str, bool, &'a str, Result<Route, FetchError>);
        let cases: &[Case<'_>] = &[
            (&[], home, true, "http://127.0.0.1:9200/b?c", Ok(Route::Trusted)),
            (&[], home, false, "http://127.0.0.1:9200/b", refused("127.0.0.1:9200")),
            (&[], home, true, "http://127.0.0.1:9201/", refused("127.0.0.1:9201")),
            (&[], home, true, "https://127.0.0.1:9200/", refused("127.0.0.1:9200")),
            (&[], home, true, "http://127.0.0.2:9200/", refused("127.0.0.2:9200")),
            (&[], "http://localhost:1/", true, "http://localhost:1/", Ok(Route::Trusted)),
            (&[], "http://localhost:1/", true, "http://localhost:2/", Ok(Route::Guarded)),
            (&["10.0.0.1:80"], home, false, "http://10.0.0.1/", Ok(Route::Trusted)),
            (&["10.0.0.1:80"], home, false, "http://10.0.0.1:81/", refused("10.0.0.1:81")),
            (&["10.0.0.1"], home, false, "http://10.0.0.1:81/", Ok(Route::Trusted)),
            (&["10.0.0.0/8"], home, false, "http://10.0.0.1:81/", Ok(Route::Guarded)),
            (&["10.0.0.0/8"], home, false, "http://[::ffff:10.0.0.1]/", Ok(Route::Guarded)),
            (&["10.0.0.0/8"], home, false, "http://192.168.0.1/", refused("192.168.0.1:80")),
            (&["metadata"], home, false, "http://metadata/", Ok(Route::Trusted)),
            (&[], home, false, "https://example.com/", Ok(Route::Guarded)),
            (&[], home, false, "https://8.8.8.8/", Ok(Route::Guarded)),
        ];
        for (rules, of, is_trusted, url, expected) in cases {
            let verdict = guard(rules).route(&Url::parse(url).unwrap(), &origin(of, *is_trusted));
            assert_eq!(&verdict, expected, "{rules:?} {of} {url}");
        }
    }

    #[test]
    fn an_origin_that_is_not_a_url_may_be_any_address() {
        for (host, is_trusted, is_reached) in [
            ("::1", true, true),
            ("::1", false, false),
            ("[::1]", true, true),
            ("127.0.0.1", true, true),
            ("2606:4700::1111", false, true),
            ("mail.example", false, true),
            ("a b", true, false),
        ] {
            let origin = Origin { scheme: "smtp".to_owned(), host: host.to_owned(), port: 25, is_trusted };
            assert_eq!(guard(&[]).route_to(&origin).is_ok(), is_reached, "{host}");
        }
    }

    #[test]
    fn refuses_other_schemes_and_user_names_from_anyone() {
        for url in ["file:///etc/passwd", "ftp://example.com/", "gopher://127.0.0.1/", "data:,x"] {
            assert!(check_form(&Url::parse(url).unwrap()).is_err(), "{url}");
        }
        for url in ["http://good@127.0.0.1/", "http://:word@127.0.0.1/", "http://a:b@127.0.0.1/"] {
            let verdict = guard(&["127.0.0.1"]).route(&Url::parse(url).unwrap(), &origin(url, true));
            assert!(matches!(verdict, Err(FetchError::Invalid { .. })), "{url}");
        }
    }
}
