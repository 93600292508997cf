//! Base URL of a database's HTTP API: the origin for credentials and the TLS options.

use crate::shared::http_check::web_address;
use domain::ports::{Origin, TlsOptions};
use std::path::PathBuf;
use syntax::error::SyntaxError;
use url::Url;

#[derive(Debug, Clone)]
pub struct BaseUrl {
    base: Url,
    pub origin: Origin,
    pub tls: Option<TlsOptions>,
}

impl BaseUrl {
    /// Parses a URL whose only parameters are `ca_certs=<file>` and `verify_certs=false`.
    pub fn parse(address: &str) -> Result<Self, SyntaxError> {
        let mut base = web_address(address.trim())?;
        let tls = tls(&base)?;
        base.set_query(None);
        base.set_fragment(None);
        let origin = Origin::trusted(&base).ok_or("The address has no host.")?;
        Ok(Self { base, origin, tls })
    }

    /// A URL below this one; each part is one segment, whatever it contains.
    pub fn join(&self, parts: &[&str]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(parts);
        }
        url
    }

    pub fn host(&self) -> &str {
        &self.origin.host
    }
}

fn tls(url: &Url) -> Result<Option<TlsOptions>, SyntaxError> {
    let mut options = TlsOptions { verify: true, ca_file: None };
    for (key, value) in url.query_pairs() {
        match (key.as_ref(), value.to_ascii_lowercase().as_str()) {
            ("ca_certs", _) => options.ca_file = Some(PathBuf::from(value.as_ref())),
            ("verify_certs", "true") => {}
            ("verify_certs", "false") => options.verify = false,
            _ => {
                return Err(
                    "Only the parameters ca_certs=<file> and verify_certs=false are allowed after ?.".into(),
                );
            }
        }
    }
    Ok((!options.verify || options.ca_file.is_some()).then_some(options))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let base_url =
            BaseUrl::parse("https://db.example/ords/hr/?verify_certs=false#x").expect("an address");
        assert_eq!(base_url.join(&["_", "sql"]).as_str(), "https://db.example/ords/hr/_/sql");
        assert_eq!(base_url.join(&["a/../b?c"]).as_str(), "https://db.example/ords/hr/a%2F..%2Fb%3Fc");
        assert_eq!(base_url.tls, Some(TlsOptions { verify: false, ca_file: None }));
        assert_eq!(BaseUrl::parse("https://db.example").expect("an address").tls, None);
        for wrong in
            ["db.example", "ftp://db.example", "https://u:p@db.example", "https://db.example/?key=x", ""]
        {
            assert!(BaseUrl::parse(wrong).is_err(), "{wrong}");
        }
    }
}
