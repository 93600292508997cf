//! The address of an HTTP interface: where credentials may go, and how its certificate is judged.

use crate::shared::http_check::web_address;
use domain::contracts::{Origin, TlsOptions};
use std::path::PathBuf;
use url::Url;

#[derive(Debug, Clone)]
pub struct Site {
    base: Url,
    pub origin: Origin,
    pub tls: Option<TlsOptions>,
}

impl Site {
    /// An address with nothing after its path but `ca_certs=<file>` and `verify_certs=false`.
    pub fn read(address: &str) -> Result<Self, String> {
        let mut base = web_address(address.trim())?;
        let tls = tls(&base)?;
        base.set_query(None);
        base.set_fragment(None);
        let origin = Origin::of(&base, true).ok_or_else(|| "The address has no host.".to_owned())?;
        Ok(Self { base, origin, tls })
    }

    /// An address under this one; each part is one segment, whatever it holds.
    pub fn at(&self, parts: &[&str]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(parts);
        }
        url
    }

    pub fn host(&self) -> &str {
        &self.origin.host
    }

    /// The host of an address in the domain itself or below it; a look-alike is neither.
    pub fn is_within(host: &str, domain: &str) -> bool {
        let host = host.to_ascii_lowercase();
        host == domain || host.strip_suffix(domain).is_some_and(|front| front.ends_with('.'))
    }
}

fn tls(url: &Url) -> Result<Option<TlsOptions>, String> {
    let mut options = TlsOptions { verify: true, ca_file: None };
    for (key, value) in url.query_pairs() {
        match (key.as_ref(), value.to_ascii_lowercase().as_str()) {
            ("ca_certs", _) => options.ca_file = Some(PathBuf::from(value.as_ref())),
            ("verify_certs", "true") => {}
            ("verify_certs", "false") => options.verify = false,
            _ => return Err("After ? only ca_certs=<file> and verify_certs=false may stand.".to_owned()),
        }
    }
    Ok((!options.verify || options.ca_file.is_some()).then_some(options))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let site = Site::read("https://db.example/ords/hr/?verify_certs=false#x").expect("an address");
        assert_eq!(site.at(&["_", "sql"]).as_str(), "https://db.example/ords/hr/_/sql");
        assert_eq!(site.at(&["a/../b?c"]).as_str(), "https://db.example/ords/hr/a%2F..%2Fb%3Fc");
        assert_eq!(site.tls, Some(TlsOptions { verify: false, ca_file: None }));
        assert_eq!(Site::read("https://db.example").expect("an address").tls, None);
        for wrong in
            ["db.example", "ftp://db.example", "https://u:p@db.example", "https://db.example/?key=x", ""]
        {
            assert!(Site::read(wrong).is_err(), "{wrong}");
        }
    }

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
            assert_eq!(Site::is_within(host, "googleapis.com"), want, "{host}");
        }
    }
}
