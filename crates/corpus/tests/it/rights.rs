//! Who finds what: the table of people and documents, and what happens when a right ends.

use crate::house::{CacheHouse, Careless, Retrieved};
use domain::contracts::{Corpus, ProviderStore, SignalStore, UserStore};
use domain::corpus::AclToken;
use domain::ids::{ProviderId, SignalId, UserId};
use domain::provider::ProviderDraft;
use domain::settings::{Settings, Share};
use domain::user::UserDraft;
use serde_json::json;
use std::sync::Arc;

const QUERY: &str = "river level";

struct Room {
    house: CacheHouse,
    ann: UserId,
    ben: UserId,
    /// Of the group `law`.
    lea: UserId,
    admin: UserId,
    documents: Vec<(&'static str, SignalId)>,
    sources: Vec<ProviderId>,
}

fn settings() -> Settings {
    Settings { corpus_min_score: Share(0.3), ..Settings::default() }
}

fn draft(name: &str, shared: bool, authenticator: &str, acl: &str) -> ProviderDraft {
    ProviderDraft {
        name: name.to_owned(),
        shared,
        groups: vec!["law".to_owned()],
        authenticator: authenticator.to_owned(),
        config: json!({"swirl": {"cache": {"acl": acl}}}).as_object().unwrap().clone(),
        ..ProviderDraft::default()
    }
}

/// Ann retrieved one document from each kind of source, and gave the text of one herself.
async fn room(house: CacheHouse) -> Room {
    let admin = house.person("root", &[], true).await;
    let ann = house.person("ann", &[], false).await;
    let ben = house.person("ben", &[], false).await;
    let lea = house.person("lea", &["law"], false).await;
    let mut sources = Vec::new();
    let mut documents = Vec::new();
    for (name, draft) in [
        ("public", draft("public", true, "", "")),
        ("group", draft("group", false, "", "")),
        ("account", draft("account", true, "Microsoft", "")),
        ("declared", draft("declared", true, "Microsoft", "provider")),
    ] {
        let source = house.source(UserId(1), draft).await;
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
        documents.push((name, house.keep(given).await));
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
    documents.push(("supplied", house.keep(supplied).await));
    Room { house, ann, ben, lea, admin, documents, sources }
}

impl Room {
    /// What a person finds, which must be what the person's saved results may show.
    async fn seen(&self, person: UserId) -> String {
        let mut found = self.house.found(person, QUERY).await;
        let ids: Vec<SignalId> = self.documents.iter().map(|(_, id)| *id).collect();
        let marks = self.house.cache.marks(person, None, &ids).await.unwrap();
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
    let room = room(CacheHouse::open(settings()).await).await;
    // The administrator owns the sources, and has none of Ann's rights by that.
    for (person, expected) in [
        (room.ann, "account declared group public supplied"),
        (room.ben, "public"),
        (room.lea, "declared group public"),
        (room.admin, "group public"),
        (UserId(4711), ""),
    ] {
        assert_eq!(room.seen(person).await, expected, "user {person}");
    }
    assert_eq!(room.house.cache.marks(room.ann, None, &[SignalId(4711)]).await.unwrap().len(), 0);
}

/// Even a vector store that forgets the access list shows nobody anything.
#[tokio::test]
async fn the_records_are_asked_again() {
    let everybody: Vec<AclToken> =
        (1..10).flat_map(|id| [AclToken::User(UserId(id)), AclToken::Provider(ProviderId(id))]).collect();
    let house = CacheHouse::with(settings(), |vectors| Arc::new(Careless(vectors, everybody))).await;
    let room = room(house).await;
    assert_eq!(room.seen(room.ben).await, "public");
    assert_eq!(room.seen(room.admin).await, "group public");
}

#[tokio::test]
async fn a_right_that_ends_is_gone_at_once() {
    let room = room(CacheHouse::open(settings()).await).await;
    let Room { house, ann, lea, .. } = &room;
    let now = domain::contracts::Clock::now(&*house.clock);
    assert!(house.store.revoke_grant(room.document("account"), *ann, now).await.unwrap());
    assert_eq!(room.seen(*ann).await, "declared group public supplied", "the source refused it");
    assert!(house.store.remove_grant(room.document("supplied"), *ann, now).await.unwrap());
    assert_eq!(room.seen(*ann).await, "declared group public", "it was given back");

    let person = UserDraft { username: "lea".to_owned(), ..UserDraft::default() };
    house.store.replace_user(*lea, person, None, now).await.unwrap();
    assert_eq!(room.seen(*lea).await, "public", "out of the group");

    let private = ProviderDraft { groups: Vec::new(), ..draft("public", false, "", "") };
    house.store.replace_provider(room.sources[0], private, now).await.unwrap();
    assert_eq!(room.seen(room.ben).await, "", "shared no more");
    let asks = ProviderDraft { groups: Vec::new(), ..draft("public", true, "Microsoft", "") };
    house.store.replace_provider(room.sources[0], asks, now).await.unwrap();
    assert_eq!(room.seen(room.ben).await, "", "it asks who they are now");
    house.store.delete_provider(room.sources[1]).await.unwrap();
    assert_eq!(room.seen(room.admin).await, "", "its source is gone");
}

/// The same address may show everybody something else: a right is to a text, not to an address.
#[tokio::test]
async fn another_text_is_another_right() {
    let mut room = room(CacheHouse::open(settings()).await).await;
    let bens = Retrieved {
        by: room.ben,
        from: Some(room.sources[2]),
        url: "https://account.example/",
        title: "bens",
        text: "river level, for the eyes of Ben",
        ..Retrieved::default()
    };
    let bens = room.house.keep(bens).await;
    assert_ne!(bens, room.document("account"), "one address, two texts, two documents");
    room.documents.push(("bens", bens));
    let Room { house, ann, ben, .. } = &room;
    assert_eq!(room.seen(*ben).await, "bens public");
    assert_eq!(room.seen(*ann).await, "account declared group public supplied", "she keeps her text");
    for asker in [ann, &room.lea, &room.admin] {
        let answer = house.ask(*asker, "for the eyes of Ben").await.unwrap();
        assert!(!format!("{answer:?}").contains("eyes of Ben"), "{answer:?}");
    }
}

#[tokio::test]
async fn a_license_that_ends_closes_everything() {
    let room = room(CacheHouse::open(settings()).await).await;
    assert_eq!(room.seen(room.ben).await, "public");
    room.house.clock.advance(std::time::Duration::from_secs(400 * 86_400));
    assert_eq!(room.seen(room.ann).await, "");
    assert!(!room.house.cache.is_open());
}
