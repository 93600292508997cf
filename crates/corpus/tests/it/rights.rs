//! Access: a table of people and documents, and what happens when access ends.

use crate::fixture::{Careless, CorpusFixture, Retrieved};
use domain::corpus::AclToken;
use domain::ids::{ProviderId, SignalId, UserId};
use domain::ports::{Corpus, ProviderEdits, SignalStore, UserEdits};
use domain::provider::ProviderSpec;
use domain::settings::{Ratio, Settings};
use domain::user::UserSpec;
use serde_json::json;
use std::sync::Arc;

const QUERY: &str = "river level";

struct Scenario {
    fixture: CorpusFixture,
    ann: UserId,
    ben: UserId,
    /// A member of the group `law`.
    lea: UserId,
    admin: UserId,
    documents: Vec<(&'static str, SignalId)>,
    sources: Vec<ProviderId>,
}

fn settings() -> Settings {
    Settings { corpus_min_score: Ratio(0.3), ..Settings::default() }
}

fn spec(name: &str, shared: bool, authenticator: &str, acl: &str) -> ProviderSpec {
    ProviderSpec {
        name: name.to_owned(),
        shared,
        groups: vec!["law".to_owned()],
        authenticator: authenticator.to_owned(),
        config: serde_json::from_value(json!({"swirl": {"cache": {"acl": acl}}})).unwrap(),
        ..ProviderSpec::default()
    }
}

/// Ann retrieved one document from each kind of source, and supplied one text herself.
async fn scenario(fixture: CorpusFixture) -> Scenario {
    let admin = fixture.person("root", &[], true).await;
    let ann = fixture.person("ann", &[], false).await;
    let ben = fixture.person("ben", &[], false).await;
    let lea = fixture.person("lea", &["law"], false).await;
    let mut sources = Vec::new();
    let mut documents = Vec::new();
    for (name, spec) in [
        ("public", spec("public", true, "", "")),
        ("group", spec("group", false, "", "")),
        ("account", spec("account", true, "Microsoft", "")),
        ("declared", spec("declared", true, "Microsoft", "provider")),
    ] {
        let source = fixture.source(UserId(1), spec).await;
        sources.push(source);
        let (url, text) = (format!("https://{name}.example/"), format!("river level, as {name} has it"));
        let given = Retrieved {
            by: ann,
            from: Some(source),
            url: &url,
            title: name,
            text: &text,
            ..Retrieved::default()
        };
        documents.push((name, fixture.keep(given).await));
    }
    let supplied = Retrieved {
        by: ann,
        from: Some(sources[0]),
        url: "https://public.example/own",
        title: "supplied",
        text: "river level, as Ann wrote it down",
        is_supplied: true,
        ..Retrieved::default()
    };
    documents.push(("supplied", fixture.keep(supplied).await));
    Scenario { fixture, ann, ben, lea, admin, documents, sources }
}

impl Scenario {
    /// What a person finds, which must match what their saved results may show.
    async fn seen(&self, person: UserId) -> String {
        let mut found = self.fixture.found(person, QUERY).await;
        let ids: Vec<SignalId> = self.documents.iter().map(|(_, id)| *id).collect();
        let marks = self.fixture.cache.cache_statuses(person, None, &ids).await.unwrap();
        let mut marked: Vec<String> = self
            .documents
            .iter()
            .filter(|(_, id)| marks.contains_key(id))
            .map(|(name, _)| (*name).to_owned())
            .collect();
        found.sort();
        marked.sort();
        assert_eq!(found, marked, "search and saved results agree");
        found.join(" ")
    }

    fn document(&self, name: &str) -> SignalId {
        self.documents.iter().find(|(own, _)| *own == name).unwrap().1
    }
}

#[tokio::test]
async fn everybody_finds_what_is_theirs() {
    let scenario = scenario(CorpusFixture::open(settings()).await).await;
    // The administrator owns the providers, which gives no access to Ann's documents.
    for (person, expected) in [
        (scenario.ann, "account declared group public supplied"),
        (scenario.ben, "public"),
        (scenario.lea, "declared group public"),
        (scenario.admin, "group public"),
        (UserId(4711), ""),
    ] {
        assert_eq!(scenario.seen(person).await, expected, "user {person}");
    }
    assert_eq!(
        scenario.fixture.cache.cache_statuses(scenario.ann, None, &[SignalId(4711)]).await.unwrap().len(),
        0
    );
}

/// A vector store that ignores the access list exposes nothing.
#[tokio::test]
async fn the_records_are_asked_again() {
    let everybody: Vec<AclToken> =
        (1..10).flat_map(|id| [AclToken::User(UserId(id)), AclToken::Provider(ProviderId(id))]).collect();
    let fixture = CorpusFixture::with(settings(), |vectors| Arc::new(Careless(vectors, everybody))).await;
    let scenario = scenario(fixture).await;
    assert_eq!(scenario.seen(scenario.ben).await, "public");
    assert_eq!(scenario.seen(scenario.admin).await, "group public");
}

#[tokio::test]
async fn a_right_that_ends_is_gone_at_once() {
    let scenario = scenario(CorpusFixture::open(settings()).await).await;
    let Scenario { fixture, ann, lea, .. } = &scenario;
    let now = domain::ports::Clock::now(&*fixture.clock);
    assert!(fixture.store.revoke_grant(scenario.document("account"), *ann, now).await.unwrap());
    assert_eq!(scenario.seen(*ann).await, "declared group public supplied", "the source refused it");
    assert!(fixture.store.remove_grant(scenario.document("supplied"), *ann, now).await.unwrap());
    assert_eq!(scenario.seen(*ann).await, "declared group public", "it was given back");

    let person = UserSpec { username: "lea".to_owned(), ..UserSpec::default() };
    fixture.store.replace_user(*lea, person, None, now).await.unwrap();
    assert_eq!(scenario.seen(*lea).await, "public", "out of the group");

    let private = ProviderSpec { groups: Vec::new(), ..spec("public", false, "", "") };
    fixture.store.replace_provider(scenario.sources[0], private, now).await.unwrap();
    assert_eq!(scenario.seen(scenario.ben).await, "", "shared no more");
    let asks = ProviderSpec { groups: Vec::new(), ..spec("public", true, "Microsoft", "") };
    fixture.store.replace_provider(scenario.sources[0], asks, now).await.unwrap();
    assert_eq!(scenario.seen(scenario.ben).await, "", "it asks who they are now");
    fixture.store.delete_provider(scenario.sources[1]).await.unwrap();
    assert_eq!(scenario.seen(scenario.admin).await, "", "its source is gone");
}

/// The same URL may show everybody something else: access is to a text, not to a URL.
#[tokio::test]
async fn another_text_is_another_right() {
    let mut scenario = scenario(CorpusFixture::open(settings()).await).await;
    let bens = Retrieved {
        by: scenario.ben,
        from: Some(scenario.sources[2]),
        url: "https://account.example/",
        title: "bens",
        text: "river level, for the eyes of Ben",
        ..Retrieved::default()
    };
    let bens = scenario.fixture.keep(bens).await;
    assert_ne!(bens, scenario.document("account"), "one address, two texts, two documents");
    scenario.documents.push(("bens", bens));
    let Scenario { fixture, ann, ben, .. } = &scenario;
    assert_eq!(scenario.seen(*ben).await, "bens public");
    assert_eq!(scenario.seen(*ann).await, "account declared group public supplied", "she keeps her text");
    for asker in [ann, &scenario.lea, &scenario.admin] {
        let answer = fixture.ask(*asker, "for the eyes of Ben").await.unwrap();
        assert!(!format!("{answer:?}").contains("eyes of Ben"), "{answer:?}");
    }
}

#[tokio::test]
async fn a_license_that_ends_closes_everything() {
    let scenario = scenario(CorpusFixture::open(settings()).await).await;
    assert_eq!(scenario.seen(scenario.ben).await, "public");
    scenario.fixture.clock.advance(std::time::Duration::from_secs(400 * 86_400));
    assert_eq!(scenario.seen(scenario.ann).await, "");
    assert!(!scenario.fixture.cache.is_open());
}
