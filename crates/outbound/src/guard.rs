//! Which addresses may be reached: public ones, and what an administrator allows.

use crate::allow::AllowRule;
use crate::failure::place_of;
use domain::contracts::{FetchError, Origin};
use domain::notation::network::Network;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

/// How one hop may leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Its addresses are checked when its name is looked up.
    Guarded,
    /// This host and port are vouched for; any address will do.
    Open,
}

#[derive(Debug)]
pub(crate) struct Guard {
    allow: Vec<AllowRule>,
}

impl Guard {
    pub(crate) fn new(allow: Vec<AllowRule>) -> Self {
        Self { allow }
    }

    /// Decides over one hop by what stands in its URL. Names still have to pass [`Guard::admits`].
    pub(crate) fn way(&self, url: &Url, origin: &Origin) -> Result<Way, FetchError> {
        check_form(url).map_err(|reason| FetchError::Invalid(reason.to_owned()))?;
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(FetchError::Invalid("the address has no host".to_owned()));
        };
        let is_vouched_for = origin.is_trusted && origin.is_of(url);
        self.way_of(&host, port, is_vouched_for).ok_or_else(|| FetchError::Refused(place_of(url)))
    }

    /// The same for a place that is not written as a URL.
    pub(crate) fn way_to(&self, origin: &Origin) -> Result<Way, FetchError> {
        let host = Host::parse(&origin.host)
            .map_err(|_| FetchError::Invalid("the host is not a name or an address".to_owned()))?;
        let host = match &host {
            Host::Domain(name) => Host::Domain(name.as_str()),
            Host::Ipv4(address) => Host::Ipv4(*address),
            Host::Ipv6(address) => Host::Ipv6(*address),
        };
        let refused = || FetchError::Refused(format!("{}:{}", origin.host, origin.port));
        self.way_of(&host, origin.port, origin.is_trusted).ok_or_else(refused)
    }

    fn way_of(&self, host: &Host<&str>, port: u16, is_vouched_for: bool) -> Option<Way> {
        if is_vouched_for || self.allow.iter().any(|rule| rule.names(host, port)) {
            return Some(Way::Open);
        }
        // An address that is written out never reaches the resolver, so it is checked here.
        let is_admitted = match *host {
            Host::Domain(name) => !is_metadata_name(name),
            Host::Ipv4(address) => self.admits(address.into()),
            Host::Ipv6(address) => self.admits(address.into()),
        };
        is_admitted.then_some(Way::Guarded)
    }

    /// True if a guarded hop may connect to this address.
    pub(crate) fn admits(&self, address: IpAddr) -> bool {
        is_public(address) || self.allow.iter().any(|rule| rule.holds(address))
    }
}

/// Refuses URLs that the guarded client never follows, whoever asks.
pub(crate) fn check_form(url: &Url) -> Result<(), &'static str> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err("only http and https can be fetched");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("an address must not hold a user name or a password");
    }
    Ok(())
}

/// Names under which clouds hand out credentials to whoever asks from inside.
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

/// Everything of IPv4 that is not the public internet.
const CLOSED_V4: &[Network] = &[
    Network::v4([0, 0, 0, 0], 8),
    Network::v4([10, 0, 0, 0], 8),
    Network::v4([100, 64, 0, 0], 10),
    Network::v4([127, 0, 0, 0], 8),
    // The address under which one cloud serves its machines from inside; it looks public.
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

/// The only part of IPv6 that is routed in public; loopback, link-local, unique-local, multicast and
/// the old compatible forms lie outside.
const GLOBAL_V6: Network = Network::v6([0x2000, 0, 0, 0], 3);

/// Parts of [`GLOBAL_V6`] that are reserved: protocol assignments and benchmarks, documentation twice.
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

/// A form that carries an IPv4 address is as public as what it carries.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let groups = address.segments();
    let carried =
        |high: u16, low: u16| is_public(Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low)).into());
    match groups {
        // IPv4-mapped, and NAT64 with its well-known prefix.
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => carried(high, low),
        // Teredo holds its server plainly and its client with every bit turned.
        [0x2001, 0, server_high, server_low, _, _, high, low] => {
            carried(server_high, server_low) && carried(!high, !low)
        }
        // 6to4.
        [0x2002, high, low, ..] if !carried(high, low) => false,
        // ISATAP, below any prefix.
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
            let verdict = guard(&[]).way(&Url::parse(url).unwrap(), &nobody);
            assert_eq!(verdict, Err(FetchError::Refused(place.to_owned())), "{url}");
        }
    }

    #[test]
    fn opens_exactly_what_is_vouched_for() {
        let refused = |place: &str| Err(FetchError::Refused(place.to_owned()));
        let home = "http://127.0.0.1:9200/a";
        type Case<'a> = (&'a [&'a str], &'a str, bool, &'a str, Result<Way, FetchError>);
        let cases: &[Case<'_>] = &[
            (&[], home, true, "http://127.0.0.1:9200/b?c", Ok(Way::Open)),
            (&[], home, false, "http://127.0.0.1:9200/b", refused("127.0.0.1:9200")),
            (&[], home, true, "http://127.0.0.1:9201/", refused("127.0.0.1:9201")),
            (&[], home, true, "https://127.0.0.1:9200/", refused("127.0.0.1:9200")),
            (&[], home, true, "http://127.0.0.2:9200/", refused("127.0.0.2:9200")),
            (&[], "http://localhost:1/", true, "http://localhost:1/", Ok(Way::Open)),
            (&[], "http://localhost:1/", true, "http://localhost:2/", Ok(Way::Guarded)),
            (&["10.0.0.1:80"], home, false, "http://10.0.0.1/", Ok(Way::Open)),
            (&["10.0.0.1:80"], home, false, "http://10.0.0.1:81/", refused("10.0.0.1:81")),
            (&["10.0.0.1"], home, false, "http://10.0.0.1:81/", Ok(Way::Open)),
            (&["10.0.0.0/8"], home, false, "http://10.0.0.1:81/", Ok(Way::Guarded)),
            (&["10.0.0.0/8"], home, false, "http://[::ffff:10.0.0.1]/", Ok(Way::Guarded)),
            (&["10.0.0.0/8"], home, false, "http://192.168.0.1/", refused("192.168.0.1:80")),
            (&["metadata"], home, false, "http://metadata/", Ok(Way::Open)),
            (&[], home, false, "https://example.com/", Ok(Way::Guarded)),
            (&[], home, false, "https://8.8.8.8/", Ok(Way::Guarded)),
        ];
        for (rules, of, is_trusted, url, expected) in cases {
            let verdict = guard(rules).way(&Url::parse(url).unwrap(), &origin(of, *is_trusted));
            assert_eq!(&verdict, expected, "{rules:?} {of} {url}");
        }
    }

    #[test]
    fn refuses_other_schemes_and_user_names_from_anyone() {
        for url in ["file:///etc/passwd", "ftp://example.com/", "gopher://127.0.0.1/", "data:,x"] {
            assert!(check_form(&Url::parse(url).unwrap()).is_err(), "{url}");
        }
        for url in ["http://good@127.0.0.1/", "http://:word@127.0.0.1/", "http://a:b@127.0.0.1/"] {
            let verdict = guard(&["127.0.0.1"]).way(&Url::parse(url).unwrap(), &origin(url, true));
            assert!(matches!(verdict, Err(FetchError::Invalid(_))), "{url}");
        }
    }
}
