//! Decisions after their document is removed or merged, or a user is deleted.

use super::egress::{begun, found};
use super::elections::election;
use super::fixture::{at, person};
use super::pins::{assert_explained, history, states, wanted};
use super::signals::{by, content, indexed, seen};
use domain::corpus::{
    EventStatus, MatchMethod, OwnedVisibility, PinAction, RejectReason, RunStatus, Scope, SignalState,
};
use domain::ids::{SignalId, UserId};
use domain::owner_scope::OwnerScope;
use domain::ports::{EventFilter, ExistingPin, PinFilter, RunFilter, RunOutcome, Store, StoreError};
use std::collections::BTreeSet;

/// Rejects the first of them as the answer to this query.
async fn reject(store: &dyn Store, query: &str, signals: &[SignalId], by: UserId) {
    let run = store.record_run(election(query, signals, by), at(1)).await.expect("recorded");
    store.reject_run(run.run_id, by, RejectReason::Other, "", at(2)).await.expect("rejected");
}

pub async fn leave_nothing_undecided(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let (one, two) = (indexed(store, "x", "one", ann).await, indexed(store, "y", "two", ann).await);
    for query in ["a", "b"] {
        store.pin(wanted(query, "firm", one, ann), ExistingPin::Keep, at(1)).await.unwrap();
    }
    store.pin(wanted("a", "m", two, ann), ExistingPin::Keep, at(1)).await.unwrap();
    reject(store, "r", &[one, two], ann).await;
    let won = store.record_run(election("won", &[one, two], ann), at(2)).await.unwrap().run_id;
    let lost = store.record_run(election("lost", &[two, one], ann), at(2)).await.unwrap().run_id;
    let scan = begun(store, ann, 3).await;
    store
        .add_events(scan, Default::default(), vec![found(one, "m1", MatchMethod::LinkExact)], at(3))
        .await
        .unwrap();
    assert_eq!(store.shared_externally(&[one, two]).await.unwrap(), BTreeSet::from([one]));

    store.remove_signal(one).await.unwrap();
    let pins = assert_explained(store).await;
    assert_eq!(pins.into_values().collect::<Vec<_>>(), [two]);
    let lines = history(store).await;
    for (line, query) in lines[lines.len() - 2..].iter().zip(["a", "b"]) {
        assert_eq!((line.action, line.signal_id, line.by), (PinAction::Removed, one, None));
        assert_eq!((line.query_key.as_str(), line.before), (query, None));
    }
    assert_eq!(store.rejections(&[one]).await.unwrap(), []);
    let status = async |id| store.run(id).await.unwrap().status;
    assert_eq!([status(won).await, status(lost).await], [RunStatus::Stale, RunStatus::AutoElected]);
    let outcome = store.approve_run(won, ann, "", ExistingPin::Replace, at(4)).await.unwrap();
    assert!(matches!(outcome, RunOutcome::NotOpen(_)), "{outcome:?}");
    assert_eq!(store.signal(two).await.unwrap().superseded_by, None);
    let event = store.events(ann, &EventFilter::default(), 0, 9).await.unwrap().items.remove(0);
    assert_eq!((event.signal_id, event.signal_title.as_str()), (None, "Title m1"), "the title alone stays");
    assert_eq!(store.shared_externally(&[one, two]).await.unwrap(), BTreeSet::new());
    let decided = store.decide_event(event.event_id, ann, EventStatus::Dismissed, at(5)).await.unwrap();
    assert_eq!((decided.signal_id, decided.status), (None, EventStatus::Dismissed));
}

pub async fn are_one_after_a_merge(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let (from, into) = (indexed(store, "x", "one", ann).await, indexed(store, "y", "two", ann).await);
    store.pin(wanted("a", "firm", from, ann), ExistingPin::Keep, at(1)).await.unwrap();
    store.pin(wanted("b", "firm", into, ann), ExistingPin::Keep, at(1)).await.unwrap();
    reject(store, "r", &[from, into], ann).await;
    reject(store, "s", &[into, from], ann).await;
    let scan = begun(store, ann, 3).await;
    let events = vec![
        found(from, "both", MatchMethod::LinkExact),
        found(into, "both", MatchMethod::FilenameSize),
        found(from, "alone", MatchMethod::FilenameSize),
    ];
    store.add_events(scan, Default::default(), events, at(3)).await.unwrap();
    assert_eq!(store.shared_externally(&[from, into]).await.unwrap(), BTreeSet::from([from]));

    store.merge_signals(from, into, at(9)).await.unwrap();
    let pins = assert_explained(store).await;
    assert_eq!(pins.into_values().collect::<Vec<_>>(), [into; 2]);
    let line = history(store).await.pop().unwrap();
    assert_eq!((line.action, line.before, line.signal_id), (PinAction::Replaced, Some(from), into));
    assert_eq!((line.by, line.at), (None, at(9)));
    let rejected: Vec<String> =
        store.rejections(&[from, into]).await.unwrap().into_iter().map(|one| one.query_key).collect();
    assert_eq!((rejected.join(" ").as_str(), store.signal(into).await.unwrap().rejections), ("r s", 2));
    let events = store.events(ann, &EventFilter::default(), 0, 9).await.unwrap().items;
    assert!(events.iter().all(|event| event.signal_id == Some(into)) && events.len() == 2, "{events:?}");
    assert_eq!(store.shared_externally(&[from, into]).await.unwrap(), BTreeSet::from([into]));

    let (known, _) = store.note_signal(seen("z"), &by(ann, ""), at(10)).await.unwrap();
    store.merge_signals(into, known.signal_id, at(11)).await.unwrap();
    assert_eq!(assert_explained(store).await.len(), 0, "without a text nothing is the answer");
    assert_eq!(states(store, &[known.signal_id]).await, [SignalState::Known]);
}

pub async fn outlive_people(store: &dyn Store) {
    let (ann, ben) = (person(store, "ann").await.id, person(store, "ben").await.id);
    let one = indexed(store, "x", "one", ann).await;
    let of_ben = indexed(store, "y", "two", ben).await;
    let shared = content("one", 1);
    store.index_signal(one, shared, &by(ben, "one"), at(1)).await.unwrap();
    let mut lonely = seen("z");
    lonely.source_provider_id = None;
    let (lonely, _) = store.note_signal(lonely, &by(ben, ""), at(1)).await.unwrap();
    let mut text = content("three", 1);
    text.source_provider_id = None;
    store.index_signal(lonely.signal_id, text, &by(ben, "three"), at(1)).await.unwrap();
    for (query, signal) in [("a", one), ("b", lonely.signal_id)] {
        store.pin(wanted(query, "firm", signal, ben), ExistingPin::Keep, at(2)).await.unwrap();
    }
    let run = store.record_run(election("r", &[one, of_ben], ben), at(3)).await.unwrap().run_id;
    store.reject_run(run, ben, RejectReason::Other, "", at(4)).await.unwrap();
    let scan = begun(store, ben, 5).await;
    store
        .add_events(scan, Default::default(), vec![found(one, "m", MatchMethod::LinkExact)], at(5))
        .await
        .unwrap();

    store.delete_user(ben).await.unwrap();
    let pins = assert_explained(store).await;
    assert_eq!(pins.into_iter().collect::<Vec<_>>(), [(("a".to_owned(), Scope::Firm), one)]);
    let pin = store
        .pins(&PinFilter::visible_to(OwnedVisibility::Unrestricted), 0, 9)
        .await
        .unwrap()
        .items
        .remove(0);
    assert_eq!(pin.pinned_by, None);
    let lines = history(store).await;
    assert!(lines.iter().all(|line| line.by.is_none()), "{lines:?}");
    assert_eq!(lines.last().map(|line| line.action), Some(PinAction::Removed), "nobody else may see it");
    let run = store
        .runs(&RunFilter::visible_to(OwnedVisibility::Unrestricted, OwnerScope::Everyone), 0, 9)
        .await
        .unwrap()
        .items
        .remove(0);
    assert_eq!((run.search_owner, run.decided_by, run.status), (None, None, RunStatus::Rejected));
    assert_eq!(store.rejections(&[one]).await.unwrap().len(), 1);
    assert_eq!(store.scan(scan).await, Err(StoreError::NotFound));
    assert_eq!(store.events(ben, &EventFilter::default(), 0, 9).await.unwrap().total, 0);
    assert_eq!(store.shared_externally(&[one]).await.unwrap(), BTreeSet::new());
}
