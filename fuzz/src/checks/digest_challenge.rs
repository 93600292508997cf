//! A user, then `WWW-Authenticate` headers, one per line. A response repeats its challenge faithfully.

use connectors::digest::Challenge;
use domain::ports::HttpMethod;
use domain::secret::Secret;
use syntax::credentials::Login;
use url::Url;

/// Longer headers are not parsed, so that a longer response cannot be parsed again.
const READABLE_BYTES: usize = 8 * 1024;

pub fn check(bytes: &[u8]) {
    let mut lines = super::text(bytes).split('\n');
    let login = Login { user: lines.next().unwrap_or_default().to_owned(), password: Secret::new("p:\"\\") };
    let headers: Vec<(String, String)> = lines.map(header).collect();
    let Some(challenge) = Challenge::strongest(&headers) else { return };
    let Ok(url) = Url::parse("https://a.example/dir/x?q=a,b=%22c%22") else { return };
    let answer = challenge.answer(&login, HttpMethod::Get, &url);
    assert!(answer.expose().starts_with("Digest username"));
    if answer.expose().len() <= READABLE_BYTES {
        // No text of the source or of the user escapes its quotes and becomes a field of its own.
        assert_eq!(Challenge::strongest(&[header(answer.expose())]), Some(challenge));
    }
}

fn header(value: &str) -> (String, String) {
    ("WWW-Authenticate".to_owned(), value.to_owned())
}
