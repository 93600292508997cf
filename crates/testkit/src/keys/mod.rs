//! Two key pairs for tests, and the verification of a signature.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey};
use serde_json::Value;

/// The key that the fakes know.
pub const PRIVATE_PEM: &str = include_str!("private.pem");
/// The fingerprint of its public key, as `openssl` computes it.
pub const FINGERPRINT: &str = "gc8tkySVbUWJ5fKePAoAMdOpNH+dzqcnJTOXKH1IPzI=";
/// A key that nobody knows, in the older form of PEM.
pub const OTHER_PRIVATE_PEM: &str = include_str!("other_private.pem");

/// Header and claims of a token signed with [`PRIVATE_PEM`] by RS256.
pub fn verified(token: &str) -> Option<(Value, Value)> {
    let (signed, signature) = token.rsplit_once('.')?;
    let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
    let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, public());
    key.verify(signed.as_bytes(), &signature).ok()?;
    let (head, claims) = signed.split_once('.')?;
    let read = |part: &str| serde_json::from_slice::<Value>(&URL_SAFE_NO_PAD.decode(part).ok()?).ok();
    let head = read(head).filter(|head| head["alg"] == "RS256")?;
    Some((head, read(claims)?))
}

fn public() -> Vec<u8> {
    let inside: String = PRIVATE_PEM.lines().filter(|line| !line.starts_with("-----")).collect();
    let der = STANDARD.decode(inside).expect("base64");
    RsaKeyPair::from_pkcs8(&der).expect("a key").public().as_ref().to_vec()
}
