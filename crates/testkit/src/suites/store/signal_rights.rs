//! Who may see a cached document: decided by the records, the same for every query.

use super::fixture::{at, person};
use super::signals::{brought, by, content, hash, ids, indexed, seen};
use domain::corpus::{AclToken, IndexedContent, NewSignal, OwnedVisibility, Visibility};
use domain::ids::{ProviderId, SignalId, UserId};
use domain::ports::{Retrieval, SignalFilter, Store, StoreError};
use domain::provider::ProviderSpec;
use domain::user::UserSpec;

/// More entries of an access list than are checked.
const TOO_MANY: i64 = 10_001;

pub(super) fn supplied(text: &str) -> IndexedContent {
    IndexedContent { is_supplied: true, ..content(text, 1) }
}

/// The same text, fetched by its URL alone.
pub(super) fn from_nowhere(text: &str) -> IndexedContent {
    IndexedContent { source_provider_id: None, ..content(text, 1) }
}

pub(super) fn tokens(user: UserId, providers: &[i64]) -> Vec<AclToken> {
    let providers = providers.iter().map(|id| AclToken::Provider(ProviderId(*id)));
    std::iter::once(AclToken::User(user)).chain(providers).collect()
}

/// Checks every way of reading, which must agree.
async fn visible(store: &dyn Store, tokens: &[AclToken]) -> Vec<SignalId> {
    let all = store.signal_ids(None, 100).await.unwrap();
    let by_ids = ids(&store.signals(&all, Visibility::To(tokens)).await.unwrap());
    let filter = SignalFilter {
        visible_to: OwnedVisibility::To(tokens.to_vec()),
        ..SignalFilter::visible_to(OwnedVisibility::Unrestricted)
    };
    let page = store.find_signals(&filter, 0, 100).await.unwrap();
    let mut listed = ids(&page.items);
    listed.sort();
    assert_eq!((&listed, page.total), (&by_ids, by_ids.len() as u64));
    let acls = store.acl_of(&all).await.unwrap();
    let opened = acls.iter().filter(|(_, acl)| acl.iter().any(|token| tokens.contains(token)));
    assert_eq!(opened.map(|(id, _)| *id).collect::<Vec<_>>(), by_ids);
    by_ids
}

pub async fn are_to_one_text(store: &dyn Store) {
    let (ann, ben) = (person(store, "ann").await.id, person(store, "ben").await.id);
    let unknown = NewSignal { source_provider_id: None, ..seen("x") };
    let (known, _) = store.note_signal(unknown.clone(), &by(ann, ""), at(1)).await.unwrap();
    let id = known.signal_id;
    assert_eq!(visible(store, &tokens(ann, &[7])).await, [], "nobody sees a document without text");
    store.index_signal(id, from_nowhere("one"), &by(ann, "one"), at(2)).await.unwrap();
    assert_eq!(visible(store, &tokens(ann, &[])).await, [id]);
    assert_eq!(visible(store, &tokens(ben, &[7])).await, [], "provider 7 did not give this text");
    assert_eq!(visible(store, &[]).await, []);
    let (bens, is_new) = store.note_signal(unknown, &by(ben, ""), at(3)).await.unwrap();
    assert!(is_new && bens.signal_id != id, "to want it leads to nobody's record");
    assert_eq!(visible(store, &tokens(ben, &[])).await, [], "and is no right");
    store.verify_signal(id, "", &by(ben, "two"), at(3)).await.unwrap();
    assert_eq!(visible(store, &tokens(ben, &[])).await, [], "nor is another text");
    let two = store.index_signal(bens.signal_id, from_nowhere("two"), &by(ben, "two"), at(4)).await.unwrap();
    assert_eq!(visible(store, &tokens(ben, &[])).await, [two.signal_id]);
    assert_eq!(visible(store, &tokens(ann, &[])).await, [id], "the source gave Ann another text");
    assert_eq!(brought(store, "x", from_nowhere("two"), ann).await, two.signal_id);
    assert_eq!(visible(store, &tokens(ann, &[])).await, [two.signal_id], "now it gave her this one");
    assert_eq!(store.signal(id).await, Err(StoreError::NotFound), "nobody has the older one");
    assert_eq!(visible(store, &tokens(UserId(999), &[8])).await, []);
    let acl = store.acl_of(&[two.signal_id]).await.unwrap();
    assert_eq!(acl, [(two.signal_id, vec![AclToken::User(ann), AclToken::User(ben)])]);
}

pub async fn follow_the_source(store: &dyn Store) {
    let (ann, ben) = (person(store, "ann").await.id, person(store, "ben").await.id);
    let id = indexed(store, "x", "one", ann).await;
    assert_eq!(visible(store, &tokens(ben, &[7])).await, [id]);
    assert_eq!(visible(store, &tokens(ben, &[8])).await, []);
    let of_eight = IndexedContent {
        source_provider_id: Some(ProviderId(8)),
        source_provider: "Eight".to_owned(),
        ..content("secret of eight", 1)
    };
    // Requested from provider 7, returned by provider 8: a separate record.
    let placed = store.index_signal(id, of_eight, &by(ann, "secret of eight"), at(3)).await.unwrap();
    let other = placed.signal_id;
    assert_eq!(visible(store, &tokens(ben, &[7])).await, [id], "provider 7 did not give the new text");
    assert_eq!(visible(store, &tokens(ben, &[8])).await, [other]);
    store.note_signal(seen("x"), &by(ben, ""), at(4)).await.unwrap();
    let signal = store.signal(other).await.unwrap();
    assert_eq!((signal.source_provider_id, signal.source_provider.as_str()), (Some(ProviderId(8)), "Eight"));
    let many: Vec<i64> = (100..100 + TOO_MANY).chain([8]).collect();
    let answer = store.signals(&[other], Visibility::To(&tokens(ben, &many))).await.unwrap();
    assert_eq!(answer, [], "what is beyond the bound opens nothing");
    assert_eq!(
        ids(&store.signals(&[other], Visibility::To(&tokens(ben, &many[3..]))).await.unwrap()),
        [other]
    );
}

pub async fn end(store: &dyn Store) {
    let (ann, ben) = (person(store, "ann").await.id, person(store, "ben").await.id);
    let id = brought(store, "x", from_nowhere("one"), ann).await;
    assert_eq!(brought(store, "x", from_nowhere("one"), ben).await, id);
    assert!(store.revoke_grant(id, ann, at(3)).await.unwrap());
    assert!(!store.revoke_grant(id, ann, at(4)).await.unwrap(), "once");
    assert_eq!(visible(store, &tokens(ann, &[7])).await, []);
    assert_eq!(visible(store, &tokens(ben, &[])).await, [id], "the others keep theirs");
    let grant = store.grants(id).await.unwrap().remove(0);
    assert_eq!((grant.user_id, grant.granted_at, grant.revoked_at), (ann, at(1), Some(at(3))));
    let unknown = NewSignal { source_provider_id: None, ..seen("x") };
    let (again, is_new) = store.note_signal(unknown, &by(ann, ""), at(5)).await.unwrap();
    assert!(is_new && again.signal_id != id, "what was refused is not known any more");
    assert_eq!(visible(store, &tokens(ann, &[])).await, [], "the source has to give it once more");
    assert_eq!(brought(store, "x", from_nowhere("one"), ann).await, id);
    assert_eq!(visible(store, &tokens(ann, &[])).await, [id]);
    assert!(store.remove_grant(id, ann, at(7)).await.unwrap());
    assert!(!store.remove_grant(id, ann, at(7)).await.unwrap());
    assert!(!store.remove_grant(SignalId(999), ben, at(7)).await.unwrap());
    assert_eq!(visible(store, &tokens(ann, &[])).await, []);
    store.revoke_grant(id, ben, at(8)).await.unwrap();
    assert!(!store.remove_grant(id, ben, at(9)).await.unwrap(), "what was refused is no right");
    assert_eq!(store.grants(id).await.unwrap().len(), 1, "and that it was refused is not forgotten");
}

pub async fn supplied_texts_replace_nothing(store: &dyn Store) {
    let (ann, ben) = (person(store, "ann").await.id, person(store, "ben").await.id);
    let mine = brought(store, "x", supplied("mine"), ann).await;
    let signal = store.signal(mine).await.unwrap();
    assert_eq!((signal.is_supplied, signal.last_verified), (true, None), "the source was not asked");
    assert_eq!((signal.source_provider_id, signal.source_provider.as_str()), (None, ""));
    assert_eq!(visible(store, &tokens(ann, &[])).await, [mine]);
    assert_eq!(visible(store, &tokens(ben, &[7])).await, [], "only who supplied it sees it");
    // The same text of another user is theirs.
    let his = brought(store, "x", supplied("mine"), ben).await;
    assert_ne!(his, mine);
    assert_eq!(visible(store, &tokens(ben, &[7])).await, [his]);
    assert_eq!(brought(store, "x", supplied("newer"), ann).await, mine);
    assert_eq!(store.signal(mine).await.unwrap().content_hash, hash("newer"), "one may replace one's own");

    let given = brought(store, "x", content("real", 1), ben).await;
    assert_eq!(visible(store, &tokens(UserId(999), &[7])).await, [given], "the source gave it");
    assert_eq!(visible(store, &tokens(ann, &[])).await, [mine]);
    let real = store.signal(given).await.unwrap();
    for text in ["forged", "real"] {
        assert_eq!(brought(store, "x", supplied(text), ann).await, mine);
        assert_eq!(store.signal(given).await.unwrap(), real);
        assert_eq!(visible(store, &tokens(ann, &[])).await, [mine], "whoever knows a text sees no more");
    }
}

pub async fn go_with_their_person(store: &dyn Store) {
    let spec = |name: &str, is_admin| UserSpec { username: name.to_owned(), is_admin, ..UserSpec::default() };
    store.create_user(spec("admin", true), "hash".to_owned(), at(0)).await.unwrap();
    let (ann, ben) = (person(store, "ann").await.id, person(store, "ben").await.id);
    let with_token = |user, text| Retrieval { idp: "hub".to_owned(), ..by(user, text) };
    let note = async |name: &str, content: IndexedContent, by: &Retrieval| {
        let source_provider_id = content.source_provider_id;
        let seen = NewSignal { source_provider_id, is_supplied: content.is_supplied, ..seen(name) };
        let by = &Retrieval { content_hash: String::new(), ..by.clone() };
        let (signal, _) = store.note_signal(seen, by, at(1)).await.unwrap();
        store.index_signal(signal.signal_id, content, by, at(2)).await.unwrap().signal_id
    };
    let by_token = note("token", content("a", 1), &with_token(ann, "a")).await;
    let of_source = note("source", content("b", 1), &by(ann, "b")).await;
    let own = note("own", supplied("c"), &by(ann, "c")).await;
    let nowhere = note("nowhere", from_nowhere("d"), &by(ann, "d")).await;
    let shared = note("shared", content("e", 1), &with_token(ann, "e")).await;
    note("shared", content("e", 1), &with_token(ben, "e")).await;
    let refused = note("refused", content("f", 1), &with_token(ann, "f")).await;
    note("refused", content("f", 1), &with_token(ben, "f")).await;
    store.revoke_grant(refused, ben, at(3)).await.unwrap();
    let known = store.note_signal(seen("known"), &by(ann, ""), at(1)).await.unwrap().0.signal_id;
    let bens = note("bens", supplied("g"), &by(ben, "g")).await;
    let before = store.corpus_sequence().await.unwrap();
    store.delete_user(ann).await.unwrap();
    assert_eq!(store.signal_ids(None, 99).await.unwrap(), [of_source, shared, bens]);
    assert_eq!(visible(store, &tokens(ann, &[])).await, []);
    assert_eq!(visible(store, &tokens(ben, &[])).await, [shared, bens]);
    let changes = store.corpus_changes(before, 99).await.unwrap().unwrap();
    let mut told: Vec<SignalId> = changes.iter().map(|change| change.signal_id).collect();
    told.sort();
    assert_eq!(told, [by_token, of_source, own, nowhere, shared, refused, known]);
}

pub async fn go_with_their_source(store: &dyn Store) {
    let (ann, ben) = (person(store, "ann").await.id, person(store, "ben").await.id);
    let spec = |name: &str| ProviderSpec { name: name.to_owned(), ..ProviderSpec::default() };
    let made = store.create_providers(vec![spec("one"), spec("two")], ben, at(0)).await.unwrap();
    let mut documents = Vec::new();
    for (name, source, text) in [("a", &made[0], "a"), ("b", &made[0], "b"), ("c", &made[1], "c")] {
        let of_source = IndexedContent { source_provider_id: Some(source.id), ..content(text, 1) };
        documents.push(brought(store, name, of_source, ann).await);
    }
    store.remove_grant(documents[1], ann, at(4)).await.unwrap();
    let everything = tokens(ben, &[made[0].id.0, made[1].id.0]);
    assert_eq!(visible(store, &everything).await, documents);
    store.delete_provider(made[0].id).await.unwrap();
    assert_eq!(store.signal_ids(None, 9).await.unwrap(), [documents[0], documents[2]]);
    assert_eq!(visible(store, &everything).await, [documents[2]]);
    assert_eq!(visible(store, &tokens(ann, &[])).await, [documents[0], documents[2]]);
    let signal = store.signal(documents[0]).await.unwrap();
    assert_eq!((signal.source_provider_id, signal.source_provider.as_str()), (None, ""));
    let before = store.corpus_sequence().await.unwrap();
    store.delete_user(ben).await.unwrap();
    let signal = store.signal(documents[2]).await.unwrap();
    assert_eq!(signal.source_provider_id, None, "a private source goes with its owner");
    assert_eq!(store.corpus_changes(before, 9).await.unwrap().unwrap()[0].signal_id, documents[2]);
}
