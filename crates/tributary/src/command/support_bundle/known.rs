//! The secrets and user names that a support bundle must not contain.

use super::redaction::Redaction;
use crate::command::CliContext;
use crate::{config, secret_files};
use domain::inline_secrets;
use domain::known_secrets::{KnownSecrets, of_object};
use domain::ports::{AiProviderStore, AuthenticatorStore, ProviderStore, StoreError, UserStore};
use domain::secret::Secret;
use domain::settings::Settings;
use std::path::Path;
use store::{SqlStore, StoreConfig};

/// Maximum number of names to mask in log text. Further names are masked only in known fields.
const NAMES_MAX: u64 = 200_000;
const NAMES_AT_ONCE: u64 = 1000;
/// Maximum size of a key file.
const KEY_FILE_BYTES_MAX: u64 = 64 * 1024;

/// Secrets known without the database.
pub fn of_settings(settings: &Settings, data_dir: &Path) -> KnownSecrets {
    of_secrets(settings.secrets(), Some(data_dir))
}

/// Secrets in settings that are invalid as a whole.
pub fn of_broken_settings(cli: &CliContext) -> KnownSecrets {
    of_secrets(&config::secrets(cli.config.as_deref()), cli.data_dir.as_deref())
}

fn of_secrets<'s>(secrets: impl IntoIterator<Item = &'s Secret>, data_dir: Option<&Path>) -> KnownSecrets {
    let mut texts: Vec<String> = Vec::new();
    for secret in secrets {
        texts.push(secret.expose().to_owned());
        for part in inline_secrets::find(secret.expose()) {
            texts.push(decoded(part.expose()));
            texts.push(part.expose().to_owned());
        }
    }
    let files = [secret_files::KEY_FILE, secret_files::FORMER_KEYS_FILE, secret_files::PASSWORD_FILE];
    for path in data_dir.iter().flat_map(|folder| files.map(|file| folder.join(file))) {
        let is_small = path.metadata().is_ok_and(|metadata| metadata.len() <= KEY_FILE_BYTES_MAX);
        if let Some(text) = is_small.then(|| std::fs::read_to_string(&path).ok()).flatten() {
            texts.extend(text.split_whitespace().map(str::to_owned));
        }
    }
    KnownSecrets::of_texts(texts.iter().map(String::as_str))
}

/// Decodes a percent-encoded password.
fn decoded(text: &str) -> String {
    let pair = format!("p={}", text.replace('+', "%2B"));
    url::form_urlencoded::parse(pair.as_bytes()).next().map(|(_, text)| text.into_owned()).unwrap_or_default()
}

/// The redaction with the known secrets, the credentials of all records, and the names of users.
pub async fn of_store(config: StoreConfig, known: KnownSecrets) -> Result<Redaction, StoreError> {
    let store = SqlStore::open(config).await?;
    let read = async { Ok((credentials(&store).await?, names(&store).await?)) };
    let read: Result<_, StoreError> = read.await;
    store.close().await;
    let (credentials, names) = read?;
    Ok(Redaction::new(known.and(credentials), names))
}

async fn credentials(store: &SqlStore) -> Result<KnownSecrets, StoreError> {
    let mut all = KnownSecrets::default();
    for provider in store.providers().await? {
        all = all.and(KnownSecrets::of(&provider));
    }
    let mut texts: Vec<Secret> = Vec::new();
    for provider in store.ai_providers().await? {
        texts.push(Secret::new(provider.spec.api_key.as_str()));
        texts.extend(of_object(&provider.spec.config));
    }
    for authenticator in store.authenticators().await? {
        texts.push(Secret::new(authenticator.spec.client_secret.as_str()));
        texts.extend(of_object(&authenticator.spec.user_data_headers));
        texts.extend(of_object(&authenticator.spec.exchange_code_params));
    }
    Ok(all.and(KnownSecrets::of_texts(texts.iter().map(Secret::expose))))
}

async fn names(store: &SqlStore) -> Result<Vec<String>, StoreError> {
    let mut names = Vec::new();
    for offset in (0..NAMES_MAX).step_by(NAMES_AT_ONCE as usize) {
        let page = store.users(offset, NAMES_AT_ONCE).await?;
        let is_last = (page.items.len() as u64) < NAMES_AT_ONCE;
        names.extend(page.items.into_iter().map(|user| user.username));
        if is_last {
            break;
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_and_key_files_are_known() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(secret_files::KEY_FILE), "key-of-the-file\nolder-key\n").unwrap();
        std::fs::write(folder.path().join(secret_files::PASSWORD_FILE), "first-password\n").unwrap();
        let settings = Settings {
            database_url: Secret::new("postgres://svc:p%40ss+word@db/x"),
            mcp_token: Secret::new("mcp-token-1"),
            ..Settings::default()
        };
        let known = of_settings(&settings, folder.path());
        for text in
            ["key-of-the-file", "older-key", "first-password", "p%40ss+word", "p@ss+word", "mcp-token-1"]
        {
            assert_eq!(known.mask(text), domain::secret::MASK, "{text}");
        }
    }
}
