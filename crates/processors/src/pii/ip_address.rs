//! IP addresses. Loopback and unspecified addresses identify nobody. Four small numbers (`1.2.3.4`) are taken as a
//! version, unless a word before them says otherwise.

use super::Kind;
use super::context::is_after;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

pub const KIND: Kind = Kind { word: "IP_ADDRESS", find };

/// Longest address: six groups, then version 4.
const ADDRESS_BYTES_MAX: usize = 45;
/// An address has a part of at least this value; a version rarely has.
const PART_MIN: u8 = 20;
/// Shorter ones are taken as names in code: `a::b`.
const V6_GROUPS_MIN: usize = 3;
const ADDRESS_WORDS: &[&str] = &["ip", "ips", "ipv4", "address", "addr", "host", "server", "client"];
const VERSION_WORDS: &[&str] = &[
    "v", "ver", "version", "versions", "release", "rev", "revision", "build", "section", "chapter",
    "firmware", "§",
];

fn find(text: &str) -> Vec<Range<usize>> {
    let is_part = |c: char| c.is_ascii_hexdigit() || c == ':' || c == '.';
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].find(is_part) {
        let start = at + next;
        let length = text[start..].find(|c| !is_part(c)).unwrap_or(text.len() - start);
        at = start + length;
        let run = text[start..at].trim_end_matches(['.', ':']);
        let touches = |c: char| c.is_alphanumeric() || c == '_';
        let before = text[..start].chars().next_back();
        let is_free = !before.is_some_and(|c| touches(c) || c == '-')
            && !text[at..].chars().next().is_some_and(touches);
        if is_free && let Some(length) = address(text, start, run) {
            found.push(start..start + length);
        }
    }
    found
}

/// The length of the address at the start of a run.
fn address(text: &str, start: usize, run: &str) -> Option<usize> {
    if run.len() > ADDRESS_BYTES_MAX {
        return None;
    }
    if let Ok(address) = run.parse::<Ipv6Addr>() {
        // Version 4 inside version 6 counts as two groups.
        let groups =
            run.split(':').filter(|group| !group.is_empty()).count() + usize::from(run.contains('.'));
        let names_someone = !address.is_loopback() && !address.is_unspecified();
        return (names_someone && groups >= V6_GROUPS_MIN).then_some(run.len());
    }
    // A port may follow.
    let host = run.split_once(':').map_or(run, |(host, _)| host);
    let address: Ipv4Addr = host.parse().ok()?;
    let names_someone = !address.is_loopback() && !address.is_unspecified() && !address.is_broadcast();
    let is_large = address.octets().iter().any(|part| *part >= PART_MIN);
    let is_version = is_after(text, start, VERSION_WORDS) || follows_name(&text[..start]);
    let is_said = is_after(text, start, ADDRESS_WORDS);
    (names_someone && (is_said || is_large && !is_version)).then_some(host.len())
}

/// `Chrome/`: the name of a program before its version.
fn follows_name(before: &str) -> bool {
    before.strip_suffix('/').is_some_and(|name| name.ends_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        find(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn finds_addresses() {
        let table: &[(&str, &[&str])] = &[
            ("from 203.0.113.7.", &["203.0.113.7"]),
            ("http://192.168.1.20:8080/x, 172.16.0.1/12", &["192.168.1.20", "172.16.0.1"]),
            ("IP: 10.0.0.5", &["10.0.0.5"]),
            ("2001:db8::8a2e:370:7334 and fe80::1:2", &["2001:db8::8a2e:370:7334", "fe80::1:2"]),
            ("[2001:DB8:0:0:8:800:200C:417A]", &["2001:DB8:0:0:8:800:200C:417A"]),
            ("::ffff:203.0.113.7", &["::ffff:203.0.113.7"]),
        ];
        for (text, want) in table {
            assert_eq!(found(text), *want, "{text}");
        }
    }

    #[test]
    fn leaves_the_rest() {
        for text in [
            "1.2.3.4",
            "version 4.25.0.1",
            "v203.0.113.7",
            "Chrome/120.0.0.0",
            "127.0.0.1 0.0.0.0 255.255.255.255 ::1 ::",
            "256.1.1.1 1.2.3 203.0.113 203.0.113.7.8 203.0.113.07",
            "a::b cafe::babe std::io 12:30:45 00:1a:2b:3c:4d:5e",
            "2021.03.04 10.0.19041.1",
        ] {
            assert!(found(text).is_empty(), "{text}: {:?}", found(text));
        }
    }
}
