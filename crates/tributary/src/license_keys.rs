//! Keys of license issuers in files: which public key verifies the license, and key pairs for issuing licenses.

use crate::secret_files;
use anyhow::Context;
use domain::settings::Settings;
use license::{IssuerKey, PUBLIC_KEY, SigningKey};
use std::path::Path;

/// The issuer's public key in the data folder.
const KEY_FILE: &str = "public_key.pem";
/// The files of an issuer's key pair.
pub const PRIVATE_FILE: &str = "private.pem";
pub const PUBLIC_FILE: &str = "public.pem";

/// The issuer's public key: from the settings, else from the data folder, else compiled in.
pub fn issuer(settings: &Settings, data_dir: &Path) -> anyhow::Result<Option<IssuerKey>> {
    if !settings.license_public_key.trim().is_empty() {
        return parse_key(&settings.license_public_key).context("SVC_LICENSE_PUBLIC_KEY").map(Some);
    }
    let path = data_dir.join(KEY_FILE);
    if path.exists() { key_in(&path).map(Some) } else { Ok(PUBLIC_KEY.and_then(IssuerKey::parse)) }
}

/// Parses a public key, given as text or as the path of a file.
pub fn parse_key(given: &str) -> anyhow::Result<IssuerKey> {
    if let Some(key) = IssuerKey::parse(given) {
        return Ok(key);
    }
    anyhow::ensure!(!given.contains("-----"), "this is not an Ed25519 public key");
    key_in(Path::new(given.trim()))
}

fn key_in(path: &Path) -> anyhow::Result<IssuerKey> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    IssuerKey::parse(&text).with_context(|| format!("{} is not an Ed25519 public key", path.display()))
}

/// Generates a key pair in a folder, without overwriting files.
pub fn generate_keys(folder: &Path) -> anyhow::Result<SigningKey> {
    std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be created", folder.display()))?;
    for path in [folder.join(PRIVATE_FILE), folder.join(PUBLIC_FILE)] {
        anyhow::ensure!(!path.exists(), "{} already exists and is not overwritten", path.display());
    }
    let (key, text) = SigningKey::make().context("cannot generate random numbers")?;
    secret_files::write_private(&folder.join(PRIVATE_FILE), text.expose().trim_end())?;
    write_public(&key, folder)?;
    Ok(key)
}

/// Writes the public key.
fn write_public(key: &SigningKey, folder: &Path) -> anyhow::Result<()> {
    let issuer = key.issuer().context("the key has no public part")?;
    let path = folder.join(PUBLIC_FILE);
    std::fs::write(&path, issuer.pem()).with_context(|| format!("{} cannot be written", path.display()))
}

/// Reads a private key.
pub fn signing_key(path: &Path) -> anyhow::Result<SigningKey> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    SigningKey::parse(&text)
        .with_context(|| format!("{} is not an Ed25519 private key in PEM", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_wins_over_the_file_and_a_broken_one_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let here = |key: &str| {
            issuer(&Settings { license_public_key: key.to_owned(), ..Settings::default() }, folder.path())
        };
        assert_eq!(here("").unwrap(), PUBLIC_KEY.and_then(IssuerKey::parse));
        let file = folder.path().join(KEY_FILE);
        std::fs::write(&file, "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n").unwrap();
        assert!(here("").unwrap_err().to_string().contains("not an Ed25519 public key"));
        let key = "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";
        std::fs::write(&file, key).unwrap();
        assert_eq!(here("").unwrap(), IssuerKey::parse(key));
        assert!(IssuerKey::parse(key).is_some());

        let other = IssuerKey::parse("MCowBQYDK2VwAyEA1K5IQ+yaqEPeW+EChtUrmZd6ofsdhWq9m3lOajGDS40=").unwrap();
        let other_file = folder.path().join("other.pem");
        std::fs::write(&other_file, other.pem()).unwrap();
        for given in [other.pem(), other_file.display().to_string(), format!(" {} ", other_file.display())] {
            assert_eq!(here(&given).unwrap(), Some(other), "{given}");
        }
        let missing = folder.path().join("missing.pem").display().to_string();
        for (bad, part) in [
            (missing.as_str(), "cannot be read"),
            ("-----BEGIN PUBLIC KEY-----", "not an Ed25519 public key"),
            ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", "not an Ed25519 public key"),
        ] {
            let said = format!("{:#}", here(bad).unwrap_err());
            assert!(said.starts_with("SVC_LICENSE_PUBLIC_KEY: ") && said.contains(part), "{said}");
        }
    }
}
