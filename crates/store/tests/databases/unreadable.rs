//! Records encrypted with another key: they are listed, keep their secrets, and are repaired by entering them again.

use super::now;
use super::rekey::{assert_whole, fill, keys, open};
use domain::ai_provider::AiProviderSpec;
use domain::authenticator::AuthenticatorSpec;
use domain::ports::{
    AiProviderEdits, AiProviderStore, AuthenticatorEdits, AuthenticatorStore, ConnectionStore, ProviderEdits,
    ProviderStore, UserStore,
};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::unreadable_secrets::UnreadableSecrets;
use store::SqlStore;

const BOTH: UnreadableSecrets = UnreadableSecrets { credentials: true, confidential: true };

async fn provider_of(store: &SqlStore) -> SearchProvider {
    store.providers().await.expect("listed").remove(0)
}

/// A database filled with the key `one`, opened with the key `two`.
async fn without_the_key(url: &str) -> SqlStore {
    let store = open(url, keys("one", &[])).await;
    fill(&store).await;
    store.close().await;
    open(url, keys("two", &[])).await
}

async fn records_are_read_and_keep_their_secrets(url: String) {
    let store = without_the_key(&url).await;
    let provider = provider_of(&store).await;
    assert_eq!((provider.spec.name.as_str(), provider.unreadable), ("A source", BOTH));
    assert!(provider.credentials.is_empty() && !provider.spec.has_confidential());
    assert!(provider.unreadable.fields(&provider.spec).contains(&"url"), "the address held a key");
    assert_eq!(store.provider(provider.id).await.expect("read"), provider);
    let model = store.ai_providers().await.expect("listed").remove(0);
    assert!(model.is_unreadable && !model.spec.active && model.spec.name == "A model", "{model:?}");
    assert_eq!(store.ai_provider(model.id).await.expect("read"), model);
    let hub = store.authenticators().await.expect("listed").remove(0);
    assert!(hub.is_unreadable && !hub.spec.active && hub.spec.idp == "hub", "{hub:?}");
    let user = store.users(0, 1).await.expect("listed").items.remove(0).id;
    assert_eq!(store.connection(user, hub.id).await, Ok(None), "the person connects again");
    assert_eq!(store.take_flow("state", now()).await, Ok(None), "the sign-in is begun again");

    // An edit of another field keeps the encrypted values: with the key everything is readable again.
    let spec = ProviderSpec { description: "edited".to_owned(), active: false, ..provider.spec };
    let edited = store.replace_provider(provider.id, spec, now()).await.expect("edited");
    assert_eq!((edited.spec.description.as_str(), edited.unreadable), ("edited", BOTH));
    store.close().await;
    let store = open(&url, keys("one", &[])).await;
    let found = provider_of(&store).await;
    assert_eq!((found.spec.description.as_str(), found.spec.active), ("edited", false));
    assert!(!found.unreadable.is_any());
    assert_whole(&store).await;
    store.close().await;
}

async fn records_are_repaired_by_entering_them_again(url: String) {
    let store = without_the_key(&url).await;
    let provider = provider_of(&store).await;
    let header = |value: &str| [("X-Api-Key".to_owned(), value.to_owned())].into();
    let spec = ProviderSpec { http_request_headers: header("new"), ..provider.spec.clone() };
    let half = store.replace_provider(provider.id, spec.clone(), now()).await.expect("edited");
    assert_eq!(half.unreadable, UnreadableSecrets { credentials: true, confidential: false });
    let spec = ProviderSpec { credentials: "key=new".to_owned(), ..spec };
    let whole = store.replace_provider(provider.id, spec, now()).await.expect("edited");
    assert!(!whole.unreadable.is_any() && whole.credentials.expose() == "key=new", "{whole:?}");
    assert_eq!(whole.spec.http_request_headers["X-Api-Key"], "new");
    assert_eq!(provider_of(&store).await, whole);

    let model = store.ai_providers().await.expect("listed").remove(0);
    let spec = AiProviderSpec { name: "A model".to_owned(), api_key: "new".to_owned(), ..Default::default() };
    store.replace_ai_provider(model.id, spec, now()).await.expect("entered again");
    let model = store.ai_provider(model.id).await.expect("read");
    assert!(!model.is_unreadable && model.spec.active && model.spec.api_key == "new", "{model:?}");
    let hub = store.authenticators().await.expect("listed").remove(0);
    let spec =
        AuthenticatorSpec { idp: "hub".to_owned(), client_secret: "new".to_owned(), ..Default::default() };
    store.replace_authenticator(hub.id, spec, now()).await.expect("entered again");
    assert!(!store.authenticator(hub.id).await.expect("read").is_unreadable);
    store.close().await;
}

async fn new_credentials_alone_repair_a_provider(url: String) {
    let store = without_the_key(&url).await;
    let provider = provider_of(&store).await;
    let spec = ProviderSpec {
        url: "https://s.example/".to_owned(),
        credentials: "key=new".to_owned(),
        ..provider.spec.clone()
    };
    store.replace_provider(provider.id, spec, now()).await.expect("edited");
    assert!(!provider_of(&store).await.unreadable.is_any());
    store.close().await;
}

macro_rules! on_both {
    ($($name:ident),+) => {
        mod on_sqlite {
            $(
                #[tokio::test]
                async fn $name() {
                    let folder = tempfile::tempdir().expect("a folder");
                    super::$name(format!("sqlite://{}/store.db", folder.path().display())).await;
                }
            )+
        }
        mod on_postgres {
            $(
                #[tokio::test]
                async fn $name() {
                    let Some(server) = testkit::postgres::server("records under another key") else { return };
                    testkit::postgres::with_database(&server, super::$name).await;
                }
            )+
        }
    };
}

on_both!(
    records_are_read_and_keep_their_secrets,
    records_are_repaired_by_entering_them_again,
    new_credentials_alone_repair_a_provider
);
