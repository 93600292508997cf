//! Random secrets and their fingerprints.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// 32 random bytes as 43 characters that are safe in headers and URLs.
pub fn random_text() -> String {
    BASE64_URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

/// 16 random bytes as 32 hexadecimal digits.
pub fn random_hex() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// Hash of a random secret for storing: enough to recognize the secret, not to use it.
pub fn fingerprint(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        assert_eq!(random_text().len(), 43);
        assert_eq!(random_hex().len(), 32);
        assert_ne!(random_text(), random_text());
        assert_eq!(fingerprint("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
