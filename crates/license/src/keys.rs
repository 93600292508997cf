//! Keys of license issuers, in common file formats.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::secret::Secret;
use ring::rand::SystemRandom;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};

/// The issuer's public key that was compiled in, in base64. The file `public_key.pem` in the data folder takes
/// precedence over it, and `SVC_LICENSE_PUBLIC_KEY` over both.
pub const PUBLIC_KEY: Option<&str> = option_env!("TRIBUTARY_LICENSE_PUBLIC_KEY");

const KEY_BYTES: usize = 32;
/// DER prefixes of a public and of a private Ed25519 key.
const PUBLIC_ENVELOPE: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
const PRIVATE_ENVELOPE: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
const PUBLIC_LABEL: &str = "PUBLIC KEY";
const PRIVATE_LABEL: &str = "PRIVATE KEY";
/// Delimiter of the lines around a PEM key.
const DASHES: &str = "-----";

/// The public key of an issuer, which verifies signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IssuerKey([u8; KEY_BYTES]);

/// The private key of an issuer, which signs licenses. Never shown.
pub struct SigningKey(Ed25519KeyPair);

impl IssuerKey {
    /// Parses PEM or bare base64, with or without the DER prefix. Line breaks may be real, written as
    /// `\n`, or missing.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = envelope_content(text, PUBLIC_LABEL)?;
        let key = bytes.strip_prefix(&PUBLIC_ENVELOPE).unwrap_or(&bytes);
        key.try_into().ok().map(Self)
    }

    pub fn pem(&self) -> String {
        pem(PUBLIC_LABEL, &[&PUBLIC_ENVELOPE[..], &self.0].concat())
    }

    /// Whether this issuer signed the text.
    pub(crate) fn signed(&self, text: &str, signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.0).verify(text.as_bytes(), signature).is_ok()
    }
}

impl SigningKey {
    /// A new key, and its text for a private file. None if the system has no random numbers.
    pub fn make() -> Option<(Self, Secret)> {
        let seed: [u8; KEY_BYTES] = ring::rand::generate(&SystemRandom::new()).ok()?.expose();
        let text = Secret::new(pem(PRIVATE_LABEL, &[&PRIVATE_ENVELOPE[..], &seed].concat()));
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed).ok()?;
        Some((Self(pair), text))
    }

    /// Parses the PEM of an Ed25519 key, as this program or OpenSSL writes it.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = envelope_content(text, PRIVATE_LABEL)?;
        Ed25519KeyPair::from_pkcs8_maybe_unchecked(&bytes).ok().map(Self)
    }

    /// The public key.
    pub fn issuer(&self) -> Option<IssuerKey> {
        self.0.public_key().as_ref().try_into().ok().map(IssuerKey)
    }

    /// The signature in base64.
    pub fn sign(&self, text: &str) -> String {
        BASE64_STANDARD.encode(self.0.sign(text.as_bytes()))
    }
}

/// The bytes of a PEM with this label, or of bare base64.
fn envelope_content(text: &str, label: &str) -> Option<Vec<u8>> {
    let text = text.replace("\\n", "\n");
    let parts: Vec<&str> = text.split(DASHES).collect();
    let content = match parts.as_slice() {
        [bare] => bare,
        [before, begin, content, end, ..] => {
            let is_ours = before.trim().is_empty()
                && begin.strip_prefix("BEGIN ") == Some(label)
                && end.strip_prefix("END ") == Some(label);
            is_ours.then_some(content)?
        }
        _ => return None,
    };
    let content: String = content.split_whitespace().collect();
    BASE64_STANDARD.decode(content).ok()
}

fn pem(label: &str, bytes: &[u8]) -> String {
    let content = BASE64_STANDARD.encode(bytes);
    format!("{DASHES}BEGIN {label}{DASHES}\n{content}\n{DASHES}END {label}{DASHES}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written by `openssl genpkey -algorithm ed25519` and `openssl pkey -pubout`.
    const OPENSSL_PRIVATE: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIHmFz+AK6GrRsvqhE4K7A+xPSU8EKAegNUxCVl96zDiO\n-----END PRIVATE KEY-----\n";
    const OPENSSL_PUBLIC: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA1K5IQ+yaqEPeW+EChtUrmZd6ofsdhWq9m3lOajGDS40=\n-----END PUBLIC KEY-----\n";

    #[test]
    fn keys_of_another_program_are_read() {
        let key = SigningKey::parse(OPENSSL_PRIVATE).expect("a key");
        let issuer = key.issuer().expect("a key");
        assert_eq!(issuer.pem(), OPENSSL_PUBLIC);
        let bare = OPENSSL_PUBLIC.lines().nth(1).expect("a line");
        let forms = [
            OPENSSL_PUBLIC.to_owned(),
            OPENSSL_PUBLIC.replace('\n', "\r\n"),
            OPENSSL_PUBLIC.replace('\n', "\\n"),
            OPENSSL_PUBLIC.replace('\n', " "),
            bare.to_owned(),
            BASE64_STANDARD.encode(issuer.0),
        ];
        for form in forms {
            assert_eq!(IssuerKey::parse(&form), Some(issuer), "{form}");
        }
        let half = OPENSSL_PUBLIC.trim_end_matches("-----END PUBLIC KEY-----\n");
        for bad in ["", "AAAA", "no base64!", OPENSSL_PRIVATE, half, "-----BEGIN PUBLIC KEY-----"] {
            assert_eq!(IssuerKey::parse(bad), None, "{bad}");
        }
        for bad in
            ["", "AAAA", OPENSSL_PUBLIC, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"]
        {
            assert!(SigningKey::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn a_key_signs_after_it_was_written_and_read() {
        let (made, text) = SigningKey::make().expect("a key");
        let read = SigningKey::parse(text.expose()).expect("a key");
        let issuer = made.issuer().expect("a key");
        assert_eq!(read.issuer(), Some(issuer));
        let signature = BASE64_STANDARD.decode(read.sign("a text")).expect("base64");
        assert!(issuer.signed("a text", &signature));
        assert!(!issuer.signed("another text", &signature));
        let (other, _) = SigningKey::make().expect("a key");
        assert!(!other.issuer().expect("a key").signed("a text", &signature), "every key is another");
    }
}
