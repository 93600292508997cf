//! Whose signature makes a license valid, and a look at the license while the service runs: the log says when it stands
//! otherwise than before, and the latest day is remembered, so that a clock that is turned back revives nothing.

use crate::keys;
use crate::wiring::Wired;
use anyhow::Context;
use chrono::NaiveDate;
use domain::contracts::{Clock, SignalStore, StoreError};
use domain::corpus::LicensePolicy;
use domain::license::{IssuerKey, LicenseReport, LicenseStatus, PUBLIC_KEY, SigningKey};
use domain::settings::Settings;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tracing::Instrument;

/// How often it is looked at.
const EVERY: Duration = Duration::from_secs(15 * 60);
/// The file in the data folder that holds the key of who issues licenses.
const KEY_FILE: &str = "public_key.pem";
/// The two halves of an issuer's key.
pub const PRIVATE_FILE: &str = "private.pem";
pub const PUBLIC_FILE: &str = "public.pem";

/// The license that is set, who may have signed it, and the latest day that was seen under it.
pub async fn open(
    settings: &Settings,
    data_dir: &Path,
    clock: &Arc<dyn Clock>,
    signals: &dyn SignalStore,
) -> anyhow::Result<LicensePolicy> {
    let policy = LicensePolicy::new(settings.license.clone(), issuer(settings, data_dir)?, Arc::clone(clock));
    remember_day(&policy, signals).await?;
    Ok(policy)
}

/// The key of who issues licenses: that of the settings, else the file's, else the one that was compiled in.
pub fn issuer(settings: &Settings, data_dir: &Path) -> anyhow::Result<Option<IssuerKey>> {
    if !settings.license_public_key.trim().is_empty() {
        return given_key(&settings.license_public_key).context("SVC_LICENSE_PUBLIC_KEY").map(Some);
    }
    let path = data_dir.join(KEY_FILE);
    match path.exists() {
        true => key_in(&path).map(Some),
        false => Ok(PUBLIC_KEY.and_then(IssuerKey::parse)),
    }
}

/// A public key as its text, or as the path of a file with it.
pub fn given_key(given: &str) -> anyhow::Result<IssuerKey> {
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

/// Writes both halves of a new key into a folder. Neither is overwritten.
pub fn make_keys(folder: &Path) -> anyhow::Result<SigningKey> {
    std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    for path in [folder.join(PRIVATE_FILE), folder.join(PUBLIC_FILE)] {
        anyhow::ensure!(!path.exists(), "{} is there already; it is not overwritten", path.display());
    }
    let (key, text) = SigningKey::make().context("this machine has no random numbers")?;
    keys::write_private(&folder.join(PRIVATE_FILE), text.expose().trim_end())?;
    write_public(&key, folder)?;
    Ok(key)
}

/// The half of a key that everybody may read; returns where it is.
pub fn write_public(key: &SigningKey, folder: &Path) -> anyhow::Result<PathBuf> {
    let issuer = key.issuer().context("the key has no public half")?;
    let path = folder.join(PUBLIC_FILE);
    std::fs::write(&path, issuer.pem()).with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(path)
}

/// The private key in a file.
pub fn signing_key(path: &Path) -> anyhow::Result<SigningKey> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    SigningKey::parse(&text)
        .with_context(|| format!("{} is not an Ed25519 private key in PEM", path.display()))
}

/// Learns the latest day that was seen under this license, and notes today.
async fn remember_day(policy: &LicensePolicy, signals: &dyn SignalStore) -> Result<(), StoreError> {
    let Some(name) = policy.memory_name() else { return Ok(()) };
    let kept = signals.corpus_value(&name).await?;
    let kept: Option<NaiveDate> = kept.and_then(|text| text.parse().ok());
    if let Some(day) = kept {
        policy.saw(day);
    }
    let latest = policy.latest_day();
    if kept != Some(latest) {
        signals.set_corpus_value(&name, &latest.to_string()).await?;
    }
    Ok(())
}

/// The same for who goes on without it.
pub async fn keep_day(policy: &LicensePolicy, signals: &dyn SignalStore) {
    if let Err(error) = remember_day(policy, signals).await {
        tracing::warn!("the day by which the license is judged cannot be kept: {error}");
    }
}

/// Tells at once how the license stands, and again whenever that changes.
pub fn watch(wired: &Wired) -> impl Future<Output = ()> + use<> {
    let (policy, signals) = (wired.license.clone(), Arc::clone(&wired.store));
    let look = async move {
        let mut told = None;
        loop {
            keep_day(&policy, &*signals).await;
            let report = policy.report();
            if told.replace((report.status, report.cache)) != Some((report.status, report.cache)) {
                tell(&report);
            }
            tokio::time::sleep(EVERY).await;
        }
    };
    // The line finds its file by the field `queue`: what is done again and again is told beside the schedules.
    look.instrument(tracing::info_span!("license", queue = "beats"))
}

fn tell(report: &LicenseReport) {
    match report.status {
        LicenseStatus::None | LicenseStatus::Valid => tracing::info!("{}", report.message),
        LicenseStatus::Expiring | LicenseStatus::Expired | LicenseStatus::Invalid => {
            tracing::warn!("{}", report.message);
        }
    }
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
