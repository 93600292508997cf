//! Records whose secrets cannot be decrypted with the current key, e.g. after a restore without the key.

use domain::ports::{AiProviderStore, AuthenticatorStore, ProviderStore, StoreError};
use std::fmt;

/// A record whose secrets must be entered again.
#[derive(Debug, PartialEq, Eq)]
pub struct UnreadableRecord {
    /// The kind, as named in the console.
    kind: &'static str,
    name: String,
    /// The console page to edit it.
    page: String,
}

impl fmt::Display for UnreadableRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} '{}' was encrypted with another key and is disabled; enter its credentials again at {}, \
             or start with the original key (SVC_SECRET_KEY or secret.key)",
            self.kind, self.name, self.page
        )
    }
}

/// Finds all such records, active or not.
pub async fn unreadable_records<S>(store: &S) -> Result<Vec<UnreadableRecord>, StoreError>
where
    S: ProviderStore + AiProviderStore + AuthenticatorStore + ?Sized,
{
    let mut records = Vec::new();
    for one in store.providers().await?.into_iter().filter(|one| one.unreadable.is_any()) {
        let page = format!("/admin/searchproviders/{}/", one.id);
        records.push(UnreadableRecord { kind: "SearchProvider", name: one.spec.name, page });
    }
    for one in store.ai_providers().await?.into_iter().filter(|one| one.is_unreadable) {
        let page = format!("/admin/aiproviders/{}/", one.id);
        records.push(UnreadableRecord { kind: "AIProvider", name: one.spec.name, page });
    }
    for one in store.authenticators().await?.into_iter().filter(|one| one.is_unreadable) {
        let page = format!("/admin/authenticators/{}/", one.id);
        records.push(UnreadableRecord { kind: "Authenticator", name: one.spec.idp, page });
    }
    Ok(records)
}
