//! Access control. A person holds one token for themselves and one for each provider that gives everybody the same
//! results; they may see a document if they hold one of its tokens.

use crate::CacheParts;
use domain::corpus::AclToken;
use domain::ids::UserId;
use domain::ports::{PluginRegistry, StoreError};
use domain::provider::SearchProvider;
use domain::provider_config::CacheAcl;
use domain::user::User;

/// A person and the tokens that they hold.
pub struct Asker {
    pub is_admin: bool,
    pub tokens: Vec<AclToken>,
}

/// The tokens that this person holds now. Loaded for every query, so that a revocation takes effect immediately.
pub async fn tokens_of(parts: &CacheParts, user: UserId) -> Result<Vec<AclToken>, StoreError> {
    Ok(asker(parts, user).await?.tokens)
}

/// A deleted user holds no tokens.
pub async fn asker(parts: &CacheParts, user: UserId) -> Result<Asker, StoreError> {
    let person = match parts.store.user(user).await {
        Err(StoreError::NotFound) => return Ok(Asker { is_admin: false, tokens: Vec::new() }),
        other => other?,
    };
    let providers = parts.store.providers().await?;
    let opened = providers.iter().filter(|provider| opens(provider, &person, &parts.plugins));
    let tokens = opened.map(|provider| AclToken::Provider(provider.id));
    Ok(Asker {
        is_admin: person.is_admin,
        tokens: std::iter::once(AclToken::User(user)).chain(tokens).collect(),
    })
}

/// Whether this person may now see everything that this provider gave to anybody. False for deleted users.
pub async fn sees_all_of(
    parts: &CacheParts,
    provider: &SearchProvider,
    user: UserId,
) -> Result<bool, StoreError> {
    match parts.store.user(user).await {
        Ok(person) => Ok(opens(provider, &person, &parts.plugins)),
        Err(StoreError::NotFound) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether the person may see everything that this provider gave to anybody. Administrators have no special access:
/// permission to configure a provider is not permission to read what people found there.
fn opens(provider: &SearchProvider, person: &User, plugins: &PluginRegistry) -> bool {
    let is_member = provider.spec.groups.iter().any(|group| person.groups.contains(group));
    match plugins.authenticator_of(provider) {
        // Without user accounts it gives everybody the same results.
        None => provider.spec.shared || provider.owner == person.id || is_member,
        Some(_) => is_member && is_by_provider(provider),
    }
}

/// Whether the provider's groups may see what any of their members retrieved.
pub fn is_by_provider(provider: &SearchProvider) -> bool {
    provider.spec.config.cache.acl == CacheAcl::Provider
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::ProviderId;
    use domain::instant::Instant;
    use domain::provider::ProviderSpec;
    use serde_json::json;
    use testkit::plugins::NO_PLUGINS;

    fn person(id: i64, is_admin: bool, group: &str) -> User {
        User {
            id: UserId(id),
            username: String::new(),
            email: String::new(),
            is_admin,
            groups: vec![group.to_owned()],
            date_created: Instant::UNIX_EPOCH,
            date_updated: Instant::UNIX_EPOCH,
        }
    }

    /// A provider of user 1: shared or not, its group, its authenticator, and its `acl`.
    fn provider(shared: bool, group: &str, authenticator: &str, acl: &str) -> SearchProvider {
        let spec = ProviderSpec {
            shared,
            groups: vec![group.to_owned()],
            authenticator: authenticator.to_owned(),
            config: serde_json::from_value(json!({"swirl": {"cache": {"acl": acl}}})).unwrap(),
            ..ProviderSpec::default()
        };
        SearchProvider { id: ProviderId(7), ..SearchProvider::unsaved(spec, UserId(1), Instant::UNIX_EPOCH) }
    }

    #[test]
    fn the_table_of_rights() {
        let (owner, member, stranger, admin) =
            (person(1, false, "-"), person(2, false, "law"), person(3, false, "-"), person(4, true, "-"));
        let table = [
            ("public", provider(true, "law", "", ""), [true, true, true, true]),
            ("of a group", provider(false, "law", "", ""), [true, true, false, false]),
            ("private", provider(false, "x", "", ""), [true, false, false, false]),
            ("own accounts", provider(true, "law", "Microsoft", ""), [false, false, false, false]),
            (
                "own accounts of a group",
                provider(false, "law", "Microsoft", ""),
                [false, false, false, false],
            ),
            ("declared", provider(true, "law", "Microsoft", "provider"), [false, true, false, false]),
            (
                "declared otherwise",
                provider(true, "law", "Microsoft", "Provider"),
                [false, false, false, false],
            ),
        ];
        for (name, provider, expected) in table {
            let found = [&owner, &member, &stranger, &admin].map(|one| opens(&provider, one, &NO_PLUGINS));
            assert_eq!(found, expected, "{name}: owner, member, stranger, administrator");
        }
    }

    #[test]
    fn a_token_in_the_session_is_an_authenticator() {
        let mut provider = provider(true, "law", "", "");
        provider.spec.eval_credentials = "session['microsoft_access_token']".to_owned();
        assert!(!opens(&provider, &person(3, false, "law"), &NO_PLUGINS));
    }
}
