//! IP networks such as `10.0.0.0/8`: an address and the number of its leading bits that count.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

impl Network {
    pub const fn v4(parts: [u8; 4], prefix: u8) -> Self {
        let [a, b, c, d] = parts;
        Self { address: IpAddr::V4(Ipv4Addr::new(a, b, c, d)), prefix }
    }

    /// An IPv6 network by the first four groups of its address.
    pub const fn v6(parts: [u16; 4], prefix: u8) -> Self {
        let [a, b, c, d] = parts;
        Self { address: IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0)), prefix }
    }

    /// A single address.
    pub const fn of(address: IpAddr) -> Self {
        let prefix = match address {
            IpAddr::V4(_) => 32,
            IpAddr::V6(_) => 128,
        };
        Self { address, prefix }
    }

    /// Parses `10.0.0.0/8` or `fd00::/8`. Bits after the prefix are ignored.
    pub fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = text.split_once('/')?;
        let address: IpAddr = address.parse().ok()?;
        if prefix.is_empty() || !prefix.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let prefix: u8 = prefix.parse().ok()?;
        let prefix_max = if address.is_ipv4() { 32 } else { 128 };
        (prefix <= prefix_max).then_some(Self { address, prefix })
    }

    pub fn contains(&self, address: IpAddr) -> bool {
        let difference = match (self.address, address) {
            (IpAddr::V4(own), IpAddr::V4(other)) => u128::from(own.to_bits() ^ other.to_bits()) << 96,
            (IpAddr::V6(own), IpAddr::V6(other)) => own.to_bits() ^ other.to_bits(),
            _ => return false,
        };
        difference.leading_zeros() >= u32::from(self.prefix)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contains_what_shares_the_leading_bits() {
        let cases = [
            ("10.0.0.0/8", "10.255.255.255", true),
            ("10.0.0.0/8", "11.0.0.0", false),
            ("10.9.9.9/8", "10.1.1.1", true),
            ("172.16.0.0/12", "172.31.255.255", true),
            ("172.16.0.0/12", "172.32.0.0", false),
            ("127.0.0.1/32", "127.0.0.1", true),
            ("127.0.0.1/32", "127.0.0.2", false),
            ("0.0.0.0/0", "255.255.255.255", true),
            ("0.0.0.0/0", "::1", false),
            ("fd00::/8", "fdff::1", true),
            ("fd00::/8", "fe00::1", false),
            ("::1/128", "::1", true),
            ("::1/128", "::2", false),
            ("::/0", "2001:4860::1", true),
            ("::/0", "10.0.0.1", false),
        ];
        for (network, address, expected) in cases {
            let network = Network::parse(network).unwrap();
            assert_eq!(network.contains(address.parse().unwrap()), expected, "{network:?} {address}");
        }
    }

    #[test]
    fn one_address() {
        for (address, shown) in [("10.0.0.1", "10.0.0.1/32"), ("fd00::1", "fd00::1/128")] {
            let address: IpAddr = address.parse().unwrap();
            let network = Network::of(address);
            assert!(network.contains(address));
            assert_eq!(network.to_string(), shown);
            assert_eq!(Network::parse(shown), Some(network));
        }
    }

    #[test]
    fn refuses_what_is_no_network() {
        for text in
            ["10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/+8", "10.0.0/8", "host/8", "/8"]
        {
            assert_eq!(Network::parse(text), None, "{text}");
        }
    }
}
