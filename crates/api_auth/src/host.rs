//! Hosts of vendors.

/// Whether a host is the domain or a subdomain of it.
pub fn is_within(host: &str, domain: &str) -> bool {
    let host = host.to_ascii_lowercase();
    host == domain || host.strip_suffix(domain).is_some_and(|front| front.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_ends_at_a_dot() {
        let table = [
            ("googleapis.com", true),
            ("oauth2.GoogleApis.com", true),
            ("evilgoogleapis.com", false),
            ("googleapis.com.evil.example", false),
            ("", false),
        ];
        for (host, want) in table {
            assert_eq!(is_within(host, "googleapis.com"), want, "{host}");
        }
    }
}
