//! One cached record per URL, provider and text: nobody changes or learns of what they may not see.

use super::fixture::{at, person};
use super::pins::wanted;
use super::signal_rights::{from_nowhere, tokens};
use super::signals::{brought, by, content, hash, ids, indexed, seen, url};
use crate::builders::notice;
use domain::corpus::{AclToken, IndexedContent, MatterTag, NewSignal, OwnedVisibility, Signal, Visibility};
use domain::ids::{ProviderId, SignalId, UserId};
use domain::ports::{ExistingPin, SignalFilter, Store, StoreError};
use domain::provider::ProviderSpec;

fn tagged(name: &str, provider: Option<i64>, tag: &str) -> NewSignal {
    let source_provider_id = provider.map(ProviderId);
    NewSignal { source_provider_id, matter_tags: vec![tag.to_owned()], ..seen(name) }
}

/// What a user with these tokens sees of the URL `x`, newest first.
async fn at_x(store: &dyn Store, tokens: &[AclToken]) -> Vec<Signal> {
    store.signals_at(&hash("x"), Visibility::To(tokens)).await.unwrap()
}

/// The document that the source returns, with a tag.
async fn brought_with_tag(
    store: &dyn Store,
    content: IndexedContent,
    user: UserId,
    tag: &str,
    time: i64,
) -> SignalId {
    let seen = tagged("x", content.source_provider_id.map(|id| id.0), tag);
    let (signal, _) = store.note_signal(seen, &by(user, ""), at(time)).await.unwrap();
    store.index_signal(signal.signal_id, content, &by(user, ""), at(time)).await.unwrap().signal_id
}

pub async fn are_one_for_each_text(store: &dyn Store) {
    let (ann, ben) = (person(store, "ann").await.id, person(store, "ben").await.id);
    let one = indexed(store, "x", "one", ann).await;
    assert_eq!(indexed(store, "x", "one", ben).await, one, "one address, one provider, one text");
    let nobodys = brought(store, "x", from_nowhere("one"), ann).await;
    let of_eight = IndexedContent { source_provider_id: Some(ProviderId(8)), ..content("one", 1) };
    let of_eight = brought(store, "x", of_eight, ann).await;
    let elsewhere = indexed(store, "y", "one", ann).await;
    assert_eq!(store.signal_ids(None, 9).await.unwrap(), [one, nobodys, of_eight, elsewhere]);
    assert_eq!(ids(&at_x(store, &tokens(ann, &[])).await).len(), 3, "three providers, three records");
    let left = store.readdress_signal(elsewhere, &url("x"), &hash("x")).await;
    assert_eq!(left, Err(StoreError::Taken("url")), "the database holds it");
}

pub async fn show_nothing_of_others(store: &dyn Store) {
    let (ann, ben) = (person(store, "ann").await.id, person(store, "ben").await.id);
    let anns = brought_with_tag(store, from_nowhere("one"), ann, "hydra", 1).await;
    let before = store.signal(anns).await.unwrap();
    let (request, is_new) = store.note_signal(tagged("x", None, "ben"), &by(ben, ""), at(5)).await.unwrap();
    assert!(is_new && request.signal_id != anns);
    assert_eq!((request.matter_tags, request.first_seen), (vec!["ben".to_owned()], at(5)));
    assert_eq!(store.signal(anns).await.unwrap(), before, "a request changes nobody's record");
    // He gets the same text: it is one record, and each sees their own part of it.
    let placed =
        store.index_signal(request.signal_id, from_nowhere("one"), &by(ben, ""), at(6)).await.unwrap();
    assert_eq!((placed.signal_id, placed.changed), (anns, vec![request.signal_id]));
    assert_eq!(store.led_to(request.signal_id, ben).await.unwrap(), Some(anns));
    assert_eq!(store.led_to(request.signal_id, ann).await.unwrap(), None);
    for (user, tag, since) in [(ann, "hydra", at(1)), (ben, "ben", at(6))] {
        let seen = at_x(store, &tokens(user, &[7])).await.remove(0);
        assert_eq!((seen.matter_tags, seen.first_seen), (vec![tag.to_owned()], since));
        for (wanted, count) in [("hydra", u64::from(tag == "hydra")), ("ben", u64::from(tag == "ben"))] {
            let filter = SignalFilter {
                visible_to: OwnedVisibility::To(tokens(user, &[7])),
                matter_tag: MatterTag::parse(wanted),
                ..SignalFilter::visible_to(OwnedVisibility::Unrestricted)
            };
            assert_eq!(store.find_signals(&filter, 0, 9).await.unwrap().total, count, "{tag} {wanted}");
        }
    }
    assert!(store.remove_grant(anns, ben, at(7)).await.unwrap());
    assert_eq!(brought(store, "x", from_nowhere("one"), ben).await, anns);
    assert_eq!(at_x(store, &tokens(ben, &[])).await[0].matter_tags, [""; 0], "his tags went with his right");
}

pub async fn end_for_one_person_alone(store: &dyn Store) {
    let (ann, ben) = (person(store, "ann").await.id, person(store, "ben").await.id);
    let one = brought(store, "x", from_nowhere("one"), ann).await;
    assert_eq!(brought(store, "x", from_nowhere("one"), ben).await, one);
    let (before, pieces) = (store.signal(one).await.unwrap(), store.chunks(one).await.unwrap());
    let two = brought_with_tag(store, from_nowhere("two"), ben, "b", 9).await;
    assert_ne!(two, one);
    assert_eq!(ids(&at_x(store, &tokens(ben, &[])).await), [two], "superseded for him");
    assert_eq!(store.led_to(one, ben).await.unwrap(), Some(two));
    let after = at_x(store, &tokens(ann, &[])).await;
    assert_eq!((ids(&after), &after[0].title), (vec![one], &before.title), "and for nobody else");
    assert_eq!(store.chunks(one).await.unwrap(), pieces);
    assert_eq!(store.signal(one).await.unwrap().content_hash, before.content_hash);
}

pub async fn go_along_with_their_provider(store: &dyn Store) {
    let (ann, ben) = (person(store, "ann").await.id, person(store, "ben").await.id);
    let one = indexed(store, "x", "one", ann).await;
    store.pin(wanted("q", "firm", one, ann), ExistingPin::Keep, at(3)).await.unwrap();
    // Ann may not use the provider any more: what she retrieved stays hers. Users of the provider see the newer text
    // only.
    let two = indexed(store, "x", "two", ben).await;
    assert_ne!(two, one);
    assert_eq!(ids(&at_x(store, &tokens(ann, &[])).await), [one]);
    for seer in [tokens(ann, &[7]), tokens(ben, &[7]), tokens(UserId(999), &[7])] {
        assert_eq!(ids(&at_x(store, &seer).await), [two], "two live copies would be one too many");
        assert_eq!(store.signals(&[one], Visibility::To(&seer)).await.unwrap(), []);
        let filter = SignalFilter {
            visible_to: OwnedVisibility::To(seer),
            ..SignalFilter::visible_to(OwnedVisibility::Unrestricted)
        };
        assert_eq!(store.find_signals(&filter, 0, 9).await.unwrap().total, 1);
    }
    // She may use it again: the newer text replaces the older ones, with their decisions.
    let following = IndexedContent { followers: vec![ann], ..content("three", 1) };
    let placed = store.index_signal(two, following, &by(ben, "three"), at(9)).await.unwrap();
    assert_eq!((placed.signal_id, placed.changed), (two, vec![one]));
    assert_eq!(store.signal_ids(None, 9).await.unwrap(), [two]);
    assert_eq!(store.pins_of(&[two]).await.unwrap().len(), 1);
    assert_eq!(store.earlier_hashes(two).await.unwrap().len(), 2);
    // The earlier text comes again: it is the newest.
    assert_eq!(brought(store, "x", content("two", 1), ben).await, two);
    assert_eq!(at_x(store, &tokens(ann, &[7])).await[0].content_hash, hash("two"));
}

pub async fn stay_what_they_are(store: &dyn Store) {
    let (ann, ben) = (person(store, "ann").await.id, person(store, "ben").await.id);
    let first = IndexedContent { title: "The title".to_owned(), ..content("one", 2) };
    let one = brought_with_tag(store, first, ann, "a", 1).await;
    let before = store.signal(one).await.unwrap();
    let forged = NewSignal {
        title: "Forged".to_owned(),
        author: "Forger".to_owned(),
        external_id: "forged".to_owned(),
        date_published: "1999-01-01".to_owned(),
        known: Some(one),
        ..tagged("x", Some(7), "b")
    };
    let (noted, is_new) = store.note_signal(forged, &by(ben, ""), at(1)).await.unwrap();
    assert!(!is_new && noted.signal_id == one, "he sees it by its provider");
    let again = IndexedContent {
        title: "Forged".to_owned(),
        author: "Forger".to_owned(),
        version_label: "forged".to_owned(),
        ..content("one", 2)
    };
    store.index_signal(one, again, &by(ben, "one"), at(1)).await.unwrap();
    let after = store.signal(one).await.unwrap();
    let kept = |signal: &Signal| {
        let Signal { title, author, external_id, date_published, version_label, .. } = signal;
        [title, author, external_id, date_published, version_label].map(String::clone)
    };
    assert_eq!(kept(&after), kept(&before), "nobody changes what others see of a text");
    assert_eq!(at_x(store, &tokens(ann, &[7])).await[0].matter_tags, ["a"]);
    assert_eq!(at_x(store, &tokens(ben, &[7])).await[0].matter_tags, ["b"], "he gave no other tag");
}

/// A tag belongs to its user, whoever retrieved the text first: a user who sees the record through its provider sees no
/// tags of others, and finds nothing by them.
pub async fn show_no_tags_of_others(store: &dyn Store) {
    let (ann, ben, col) =
        (person(store, "ann").await.id, person(store, "ben").await.id, person(store, "col").await.id);
    let one = brought_with_tag(store, content("one", 1), ann, "hydra", 1).await;
    assert_eq!(brought_with_tag(store, content("one", 1), ben, "rivers", 2).await, one);
    let of_two = IndexedContent { followers: vec![ann, ben], ..content("two", 1) };
    let newer = brought_with_tag(store, of_two, ben, "lakes", 3).await;
    for (user, expected) in [(ann, vec!["hydra"]), (ben, vec!["lakes", "rivers"]), (col, vec![])] {
        let seen = at_x(store, &tokens(user, &[7])).await.remove(0);
        assert_eq!(
            (seen.signal_id, seen.matter_tags),
            (newer, expected.iter().map(ToString::to_string).collect())
        );
        for tag in ["hydra", "rivers", "lakes"] {
            let filter = SignalFilter {
                visible_to: OwnedVisibility::To(tokens(user, &[7])),
                matter_tag: MatterTag::parse(tag),
                ..SignalFilter::visible_to(OwnedVisibility::Unrestricted)
            };
            let found = store.find_signals(&filter, 0, 9).await.unwrap().total;
            assert_eq!(found, u64::from(expected.contains(&tag)), "{user} {tag}");
        }
    }
    let filter = SignalFilter {
        matter_tag: MatterTag::parse("hydra"),
        ..SignalFilter::visible_to(OwnedVisibility::Unrestricted)
    };
    assert_eq!(store.find_signals(&filter, 0, 9).await.unwrap().total, 1, "a command finds it");
    assert_eq!(store.signal(newer).await.unwrap().matter_tags, ["hydra", "lakes", "rivers"]);
}

/// Why one user could not get a text is visible to that user only, and changes nothing for others.
pub async fn tell_failures_to_one_person(store: &dyn Store) {
    let (ann, ben) = (person(store, "ann").await.id, person(store, "ben").await.id);
    let one = indexed(store, "x", "one", ann).await;
    assert_eq!(indexed(store, "x", "one", ben).await, one);
    store.note_failure(one, ann, notice("no answer")).await.unwrap();
    for (user, expected) in [(ann, vec![notice("no answer")]), (ben, vec![]), (UserId(999), vec![])] {
        assert_eq!(at_x(store, &tokens(user, &[7])).await[0].notices, expected, "{user}");
    }
    let (noted, _) = store.note_signal(seen("x"), &by(ann, ""), at(5)).await.unwrap();
    assert_eq!(noted.notices, [notice("no answer")], "until a text comes");
    store.verify_signal(one, "", &by(ann, "one"), at(6)).await.unwrap();
    assert_eq!(at_x(store, &tokens(ann, &[])).await[0].notices, []);
    assert_eq!(store.note_failure(one, UserId(999), notice("")).await, Err(StoreError::NotFound));
}

/// A typed URL proves nothing about its document: otherwise the next user with the same text would read it.
pub async fn are_not_named_by_who_typed_their_address(store: &dyn Store) {
    let (ann, ben) = (person(store, "ann").await.id, person(store, "ben").await.id);
    let typed = NewSignal {
        title: "Forged".to_owned(),
        author: "Forger".to_owned(),
        external_id: "forged".to_owned(),
        date_published: "1999-01-01".to_owned(),
        source_provider_id: None,
        ..seen("x")
    };
    let (request, _) = store.note_signal(typed, &by(ann, ""), at(1)).await.unwrap();
    let content = IndexedContent { author: String::new(), ..from_nowhere("one") };
    store.index_signal(request.signal_id, content.clone(), &by(ann, ""), at(2)).await.unwrap();
    assert_eq!(brought(store, "x", content, ben).await, request.signal_id);
    let seen = at_x(store, &tokens(ben, &[])).await.remove(0);
    assert_eq!([seen.title, seen.author, seen.external_id, seen.date_published], ["", "", "", "unknown"]);
}

pub async fn are_retired_when_nobody_sees_them(store: &dyn Store) {
    let (ann, ben) = (person(store, "ann").await.id, person(store, "ben").await.id);
    for number in 0..20 {
        let text = format!("text {number}");
        brought(store, "x", from_nowhere(&text), ann).await;
        brought(store, "x", from_nowhere(&format!("{text} for ben")), ben).await;
    }
    let all = store.signal_ids(None, 99).await.unwrap();
    assert_eq!(all.len(), 2, "a person has one text of an address and provider: {all:?}");
    let spec = ProviderSpec { name: "one".to_owned(), ..ProviderSpec::default() };
    let provider = store.create_providers(vec![spec], ben, at(0)).await.unwrap().remove(0).id;
    let of_provider = IndexedContent { source_provider_id: Some(provider), ..content("text 19", 1) };
    let of_provider = brought(store, "x", of_provider, ben).await;
    assert_eq!(store.signal_ids(None, 99).await.unwrap().len(), 3);
    store.delete_provider(provider).await.unwrap();
    assert_eq!(store.signal(of_provider).await, Err(StoreError::NotFound), "equal to what came without one");
    let led = store.led_to(of_provider, ben).await.unwrap().unwrap();
    assert_eq!(store.signal(led).await.unwrap().content_hash, hash("text 19"));
    assert_eq!(store.grants(led).await.unwrap().len(), 2, "their rights went over");
}
