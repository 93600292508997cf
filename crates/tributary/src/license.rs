//! Looks at the license while the service runs, and says in the log when it stands otherwise than before.

use crate::wiring::Wired;
use anyhow::Context;
use domain::contracts::Clock;
use domain::license::{IssuerKey, LicenseReport, LicenseStatus, PUBLIC_KEY};
use domain::settings::Settings;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How often it is looked at.
const EVERY: Duration = Duration::from_secs(15 * 60);
/// The file in the data folder that holds the key of who issues licenses.
const KEY_FILE: &str = "public_key.pem";

/// The key of who issues licenses: the file's, else the one that was compiled in.
pub fn issuer(data_dir: &Path) -> anyhow::Result<Option<IssuerKey>> {
    let path = data_dir.join(KEY_FILE);
    match std::fs::read_to_string(&path) {
        Ok(text) => {
            let key = IssuerKey::parse(&text);
            key.map(Some).with_context(|| format!("{} is not an Ed25519 public key", path.display()))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Ok(PUBLIC_KEY.and_then(IssuerKey::parse))
        }
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
}

/// Tells at once how the license stands, and again whenever that changes.
pub fn watch(wired: &Wired) -> impl Future<Output = ()> + use<> {
    let (settings, clock): (Arc<Settings>, Arc<dyn Clock>) =
        (Arc::clone(&wired.settings), Arc::clone(&wired.clock));
    // A key that cannot be read has stopped the start already.
    let issuer = issuer(&wired.data_dir).ok().flatten();
    async move {
        let mut told = LicenseStatus::None;
        loop {
            let report = LicenseReport::of(settings.license.expose(), issuer, clock.now().date_naive());
            if report.status != told {
                told = report.status;
                match told {
                    LicenseStatus::None | LicenseStatus::Valid => tracing::info!("{}", report.message),
                    _ => tracing::warn!("{}", report.message),
                }
            }
            tokio::time::sleep(EVERY).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_wins_and_a_broken_one_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(issuer(folder.path()).unwrap(), PUBLIC_KEY.and_then(IssuerKey::parse));
        let file = folder.path().join(KEY_FILE);
        std::fs::write(&file, "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n").unwrap();
        assert!(issuer(folder.path()).unwrap_err().to_string().contains("not an Ed25519 public key"));
        let key = "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";
        std::fs::write(&file, key).unwrap();
        assert_eq!(issuer(folder.path()).unwrap(), IssuerKey::parse(key));
        assert!(IssuerKey::parse(key).is_some());
    }
}
