//! Random texts, their digests, and foreign texts for messages.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// 32 random bytes in URL-safe base64.
pub(super) fn random_text() -> String {
    BASE64_URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

/// SHA-256 in base64, as stored for random values and sent as PKCE challenge.
pub(super) fn digest(text: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(text.as_bytes()))
}

/// A foreign text on one line, truncated.
pub(super) fn one_line(text: &str) -> String {
    const CHARS_MAX: usize = 200;
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_is_that_of_the_standard() {
        // RFC 7636, appendix B.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(digest(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        assert_eq!(random_text().len(), 43);
        assert_ne!(random_text(), random_text());
        assert_eq!(one_line(&"a\nb".repeat(100)).len(), 200);
    }
}
