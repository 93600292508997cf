//! Changing the key: everything is re-encrypted, the audit log continues, and an interruption leaves everything
//! readable.

use super::{config, now};
use domain::ai_provider::AiProviderSpec;
use domain::audit::{Action, AuditEvent, Author, Kind};
use domain::authenticator::{AuthenticatorSpec, FlowPurpose, PendingFlow, Tokens};
use domain::ports::{
    AiProviderStore, AuditStore, AuthenticatorStore, ConnectionStore, ProviderStore, UserStore,
};
use domain::provider::ProviderSpec;
use domain::secret::Secret;
use domain::user::UserSpec;
use store::{EncryptionKey, SqlStore, StoreConfig};

pub(super) fn keys(current: &str, others: &[&str]) -> EncryptionKey {
    let others: Vec<Secret> = others.iter().copied().map(Secret::new).collect();
    EncryptionKey::from_secrets(&Secret::new(current), &others)
}

pub(super) async fn open(url: &str, key: EncryptionKey) -> SqlStore {
    SqlStore::open(StoreConfig { key, ..config(url) }).await.expect("opens")
}

/// One record of every encrypted kind, and audit entries.
pub(super) async fn fill(store: &SqlStore) {
    let person = UserSpec { username: "anna".to_owned(), ..UserSpec::default() };
    let user = store.create_user(person, "hash".to_owned(), now()).await.expect("a user").id;
    let provider = ProviderSpec {
        name: "A source".to_owned(),
        url: "https://s.example/?api_key=INLINE-1".to_owned(),
        credentials: "key=one".to_owned(),
        http_request_headers: [("X-Api-Key".to_owned(), "two".to_owned())].into(),
        ..ProviderSpec::default()
    };
    store.create_providers(vec![provider], user, now()).await.expect("a provider");
    let model = AiProviderSpec {
        name: "A model".to_owned(),
        api_key: "three".to_owned(),
        ..AiProviderSpec::default()
    };
    store.create_ai_provider(model, Some(user), now()).await.expect("a model");
    let hub = AuthenticatorSpec {
        idp: "hub".to_owned(),
        client_secret: "four".to_owned(),
        ..AuthenticatorSpec::default()
    };
    let hub = store.create_authenticator(hub, now()).await.expect("an authenticator").id;
    let tokens = Tokens {
        access: Secret::new("five"),
        refresh: Secret::new("six"),
        expires: None,
        scopes: String::new(),
    };
    store.connect(user, hub, tokens, "anna@hub".to_owned(), now()).await.expect("a connection");
    let flow = PendingFlow {
        state_hash: "state".to_owned(),
        authenticator: hub,
        purpose: FlowPurpose::SignIn,
        browser_hash: "browser".to_owned(),
        verifier: Secret::new("seven"),
        nonce: "n".to_owned(),
        redirect_uri: "https://here.example/".to_owned(),
        next: "/".to_owned(),
        expires: now() + chrono::TimeDelta::minutes(5),
    };
    store.begin_flow(flow, now()).await.expect("a flow");
}

async fn note(store: &SqlStore) {
    let event = AuditEvent::of(Action::Reset, Kind::SearchProvider, Some(1), "A source");
    store.note(&Author::command_line(now()), event).await.expect("an entry");
}

pub(super) async fn assert_whole(store: &SqlStore) {
    let provider = store.providers().await.expect("opens").remove(0);
    assert_eq!(provider.credentials.expose(), "key=one");
    assert_eq!(provider.spec.http_request_headers["X-Api-Key"], "two");
    assert_eq!(provider.spec.url, "https://s.example/?api_key=INLINE-1");
    assert_eq!(store.ai_providers().await.expect("opens")[0].spec.api_key, "three");
    assert_eq!(store.authenticators().await.expect("opens")[0].spec.client_secret, "four");
    let report = store.verify_audit().await.expect("a report");
    assert!(report.ok, "{report:?}");
}

async fn another_key_takes_everything_along(url: String) {
    let store = open(&url, keys("one", &[])).await;
    fill(&store).await;
    note(&store).await;
    store.close().await;
    for (new, old) in [("two", "one"), ("three", "two")] {
        // A process with the new key, and one that still uses the old one for a while.
        let both = open(&url, keys(new, &[old])).await;
        let late = open(&url, keys(old, &[new])).await;
        assert_whole(&both).await;
        note(&both).await;
        note(&late).await;
        // The command may run on two machines with the same keys.
        let twin = open(&url, keys(new, &[old])).await;
        let author = Author::command_line(now());
        let renewed = tokio::join!(both.renew_audit_key(&author), twin.renew_audit_key(&author));
        assert!(matches!(renewed, (Ok(true), Ok(false)) | (Ok(false), Ok(true))), "{renewed:?}");
        assert_eq!(both.renew_audit_key(&Author::command_line(now())).await, Ok(false), "once");
        note(&late).await;
        note(&both).await;
        assert_whole(&both).await;
        assert_whole(&late).await;
        let resealed = tokio::join!(both.reseal(), twin.reseal());
        let (one, other) = (resealed.0.expect("sealed anew"), resealed.1.expect("sealed anew"));
        assert!(one.unreadable.is_empty() && other.unreadable.is_empty(), "{one:?} {other:?}");
        assert!(one.done + other.done >= 6, "{one:?} {other:?}");
        assert!(both.reseal().await.expect("again").is_nothing(), "nothing is left");
        assert_whole(&both).await;
        twin.close().await;
        both.close().await;
        late.close().await;
        let only = open(&url, keys(new, &[])).await;
        assert_whole(&only).await;
        note(&only).await;
        assert_whole(&only).await;
        only.close().await;
        let old = open(&url, keys(old, &[])).await;
        assert!(old.providers().await.expect("listed").iter().all(|one| one.unreadable.is_any()));
        assert!(old.ai_providers().await.expect("listed").iter().all(|one| one.is_unreadable));
        assert!(!old.verify_audit().await.expect("a report").ok);
        old.close().await;
    }
    let last = open(&url, keys("three", &[])).await;
    let flow = last.take_flow("state", now()).await.expect("opens").expect("a flow");
    assert_eq!(flow.verifier.expose(), "seven");
    last.close().await;
}

#[tokio::test]
async fn another_key_in_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    another_key_takes_everything_along(format!("sqlite://{}/store.db", folder.path().display())).await;
}

#[tokio::test]
async fn another_key_on_postgresql() {
    let Some(server) = testkit::postgres::server("the key of the store") else { return };
    testkit::postgres::with_database(&server, another_key_takes_everything_along).await;
}
