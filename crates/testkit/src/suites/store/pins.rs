//! Pins: one per query and scope, with a history from which the current pins follow.

use super::fixture::{at, person};
use super::signals::{by, content, indexed, seen};
use domain::corpus::{
    AclToken, MatterTag, NewPin, OwnedVisibility, PinAction, PinEvent, PinVia, QUERY_CHARS_MAX, Scope,
    SignalState,
};
use domain::ids::{SignalId, UserId};
use domain::ports::{ExistingPin, PinFilter, PinOutcome, Store, StoreError};
use futures_util::future::join_all;
use std::collections::BTreeMap;

/// Concurrent writers.
const RACERS: usize = 200;
/// Documents that they pin.
const RACED: usize = 7;
const ALL: u64 = 10_000;

pub fn wanted(query: &str, scope: &str, signal: SignalId, by: UserId) -> NewPin {
    NewPin {
        query: query.to_owned(),
        scope: Scope::parse(scope).expect("a scope"),
        signal_id: signal,
        pinned_by: by,
        via: PinVia::Manual,
        run_id: None,
    }
}

fn matter(name: &str) -> Scope {
    Scope::Matter(MatterTag::parse(name).expect("a matter"))
}

/// The outcome in a word, with the document that is pinned now.
fn told(outcome: &PinOutcome) -> (&'static str, SignalId) {
    match outcome {
        PinOutcome::Made(pin) => ("made", pin.signal_id),
        PinOutcome::Same(pin) => ("same", pin.signal_id),
        PinOutcome::Replaced { pin, .. } => ("replaced", pin.signal_id),
        PinOutcome::Taken(pin) => ("taken", pin.signal_id),
    }
}

pub(crate) async fn states(store: &dyn Store, ids: &[SignalId]) -> Vec<SignalState> {
    let mut states = Vec::new();
    for id in ids {
        states.push(store.signal(*id).await.expect("a document").state);
    }
    states
}

/// Oldest first.
pub(crate) async fn history(store: &dyn Store) -> Vec<PinEvent> {
    let page = store
        .pin_history(&PinFilter::visible_to(OwnedVisibility::Unrestricted), 0, ALL)
        .await
        .expect("the history");
    assert_eq!(page.total, page.items.len() as u64);
    page.items.into_iter().rev().collect()
}

/// The pins that follow from the history alone; every entry must match the state before it.
pub(crate) fn replayed(lines: &[PinEvent]) -> BTreeMap<(String, Scope), SignalId> {
    let mut pins = BTreeMap::new();
    for (number, line) in lines.iter().enumerate() {
        let topic = (line.query_key.clone(), line.scope.clone());
        let (before, now) = match line.action {
            PinAction::Pinned => (None, Some(line.signal_id)),
            PinAction::Replaced => (line.before, Some(line.signal_id)),
            PinAction::Unpinned | PinAction::Removed => (Some(line.signal_id), None),
        };
        assert!(line.action != PinAction::Replaced || line.before.is_some(), "{line:?}");
        assert!(number == 0 || lines[number - 1].id < line.id, "lines are numbered in their order");
        assert_eq!(pins.remove(&topic), before, "{line:?}");
        pins.extend(now.map(|signal| (topic, signal)));
    }
    pins
}

/// The history explains the current pins, and documents are `pinned` exactly while they have one.
pub(crate) async fn assert_explained(store: &dyn Store) -> BTreeMap<(String, Scope), SignalId> {
    let pins =
        store.pins(&PinFilter::visible_to(OwnedVisibility::Unrestricted), 0, ALL).await.expect("pins").items;
    let there: BTreeMap<(String, Scope), SignalId> =
        pins.iter().map(|pin| ((pin.query_key.clone(), pin.scope.clone()), pin.signal_id)).collect();
    assert_eq!(there.len(), pins.len(), "one for each query and scope");
    assert_eq!(replayed(&history(store).await), there);
    for id in store.signal_ids(None, ALL).await.expect("ids") {
        let is_pinned = pins.iter().any(|pin| pin.signal_id == id);
        assert_eq!(states(store, &[id]).await[0] == SignalState::Pinned, is_pinned, "{id}");
    }
    there
}

pub async fn are_one_for_each_query_and_scope(store: &dyn Store) {
    let (ann, ben) = (person(store, "ann").await.id, person(store, "ben").await.id);
    let (one, two) = (indexed(store, "x", "one", ann).await, indexed(store, "y", "two", ann).await);
    use ExistingPin::{Keep, Replace};
    // Query, scope, document, what happens to another pin; the outcome, and which document is pinned then.
    let table = [
        ("The  MSA", "firm", one, Keep, ("made", one)),
        ("the msa ", "", one, Keep, ("same", one)),
        ("the msa", "firm", two, Keep, ("taken", one)),
        ("the msa", "matter:acme", two, Keep, ("made", two)),
        ("the msa", "acme", two, Replace, ("same", two)),
        ("msa", "firm", two, Keep, ("made", two)),
        ("The MSA", "firm", two, Replace, ("replaced", two)),
        ("The MSA", "matter:acme", one, Replace, ("replaced", one)),
    ];
    for (number, (query, scope, signal, existing, expected)) in table.into_iter().enumerate() {
        let outcome =
            store.pin(wanted(query, scope, signal, ben), existing, at(number as i64)).await.unwrap();
        assert_eq!(told(&outcome), expected, "{number}: {query} {scope}");
        assert_explained(store).await;
    }
    assert_eq!(states(store, &[one, two]).await, [SignalState::Pinned; 2]);
    let acme = matter("acme");
    let found = store.pins_for("the msa", &[acme.clone(), Scope::Firm, matter("b")]).await;
    let found: Vec<(Scope, SignalId)> =
        found.unwrap().into_iter().map(|pin| (pin.scope, pin.signal_id)).collect();
    assert_eq!(found, [(acme, one), (Scope::Firm, two)], "in the order of the scopes");
    assert_eq!(store.pins_for("the", &[Scope::Firm]).await.unwrap(), []);

    let last = &history(store).await[4];
    assert_eq!((last.action, last.before, last.signal_id), (PinAction::Replaced, Some(two), one));
    assert_eq!((last.by, last.at, last.via, last.run_id), (Some(ben), at(7), PinVia::Manual, None));
    let pin = store.pins_of(&[one]).await.unwrap().remove(0);
    assert_eq!((pin.query.as_str(), pin.query_key.as_str()), ("The MSA", "the msa"), "as it was given");
    assert_eq!((pin.pinned_by, pin.pinned_at), (Some(ben), at(7)));
}

pub async fn need_a_text(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let (known, _) = store.note_signal(seen("x"), &by(ann, ""), at(1)).await.unwrap();
    for signal in [known.signal_id, SignalId(999)] {
        let refused = store.pin(wanted("q", "firm", signal, ann), ExistingPin::Replace, at(2)).await;
        assert_eq!(refused, Err(StoreError::NotFound), "{signal}");
    }
    assert_eq!(states(store, &[known.signal_id]).await, [SignalState::Known]);
    let page = store.pins(&PinFilter::visible_to(OwnedVisibility::Unrestricted), 0, 9).await.unwrap();
    assert_eq!((page.total, history(store).await), (0, vec![]));
    let id = known.signal_id;
    store.index_signal(id, content("one", 1), &by(ann, "one"), at(3)).await.unwrap();
    let nobody = store.pin(wanted("q", "firm", id, UserId(999)), ExistingPin::Keep, at(4)).await;
    assert!(matches!(nobody, Err(StoreError::UnknownReference(_))), "{nobody:?}");
    assert_eq!(states(store, &[id]).await, [SignalState::Indexed], "what is refused changes nothing");
    store.pin(wanted("q", "firm", id, ann), ExistingPin::Keep, at(4)).await.unwrap();
    store.index_signal(id, content("two", 1), &by(ann, "two"), at(5)).await.unwrap();
    assert_eq!(states(store, &[id]).await, [SignalState::Pinned], "a new text keeps the pin");
    assert_eq!(store.expired_bodies(at(9_999), 9).await.unwrap(), [], "its body does not expire");
    store.unpin(id, None, None, ann, at(6)).await.unwrap();
    assert_eq!(store.expired_bodies(at(9_999), 9).await.unwrap(), [id]);
    assert_eq!(states(store, &[id]).await, [SignalState::Indexed]);
}

pub async fn are_unpinned(store: &dyn Store) {
    let (ann, ben) = (person(store, "ann").await.id, person(store, "ben").await.id);
    let (one, two) = (indexed(store, "x", "one", ann).await, indexed(store, "y", "two", ann).await);
    for (query, scope) in [("a", "firm"), ("a", "m"), ("b", "firm"), ("b", "m"), ("c", "firm"), ("d", "n")] {
        store.pin(wanted(query, scope, one, ann), ExistingPin::Keep, at(1)).await.unwrap();
    }
    store.pin(wanted("other", "m", two, ann), ExistingPin::Keep, at(1)).await.unwrap();
    let m = matter("m");
    for (query, scope, expected, is_pinned) in [
        (Some("no"), None, 0, true),
        (Some("a"), Some(&m), 1, true),
        (Some("a"), Some(&m), 0, true),
        (Some("b"), None, 2, true),
        (None, Some(&Scope::Firm), 2, true),
        (None, None, 1, false),
        (None, None, 0, false),
    ] {
        let removed = store.unpin(one, query, scope, ben, at(9)).await.unwrap();
        assert_eq!(removed, expected, "{query:?} {scope:?}");
        assert_eq!(states(store, &[one]).await[0] == SignalState::Pinned, is_pinned, "{query:?} {scope:?}");
        assert_explained(store).await;
    }
    let last = history(store).await.pop().unwrap();
    assert_eq!((last.action, last.signal_id, last.by, last.at), (PinAction::Unpinned, one, Some(ben), at(9)));
    assert_eq!(store.unpin(SignalId(999), None, None, ben, at(9)).await, Ok(0));
    assert_eq!(store.pins_of(&[one, two, two]).await.unwrap().len(), 1);
}

pub async fn are_listed(store: &dyn Store) {
    let (ann, ben) = (person(store, "ann").await.id, person(store, "ben").await.id);
    let (one, two) = (indexed(store, "x", "one", ann).await, indexed(store, "y", "two", ben).await);
    for (query, scope, signal) in [("a", "firm", one), ("b", "firm", two), ("a", "m", two), ("c", "m", one)] {
        store.pin(wanted(query, scope, signal, ann), ExistingPin::Keep, at(1)).await.unwrap();
    }
    let key = |text: &str| Some(text.to_owned());
    let m = Some(matter("m"));
    let seen_by = |user| OwnedVisibility::To(vec![AclToken::User(user)]);
    let all = || PinFilter::visible_to(OwnedVisibility::Unrestricted);
    for (filter, expected) in [
        (all(), "c@matter:m a@matter:m b@firm a@firm"),
        (PinFilter { query_key: key("a"), ..all() }, "a@matter:m a@firm"),
        (PinFilter { scope: m.clone(), ..all() }, "c@matter:m a@matter:m"),
        (PinFilter { query_key: key("a"), scope: m.clone(), ..all() }, "a@matter:m"),
        (PinFilter { query_key: key("c"), scope: Some(Scope::Firm), ..all() }, ""),
        (PinFilter { signal_id: Some(two), ..all() }, "a@matter:m b@firm"),
        (PinFilter { words: "A".to_owned(), scope: m.clone(), ..all() }, "a@matter:m"),
        (PinFilter { words: "%".to_owned(), ..all() }, ""),
        (PinFilter { visible_to: seen_by(ann), ..all() }, "c@matter:m a@firm"),
        (PinFilter { visible_to: seen_by(ben), query_key: key("a"), ..all() }, "a@matter:m"),
        (PinFilter { visible_to: OwnedVisibility::To(vec![]), ..all() }, ""),
    ] {
        let page = store.pins(&filter, 0, 9).await.unwrap();
        let shown: Vec<String> =
            page.items.iter().map(|pin| format!("{}@{}", pin.query_key, pin.scope)).collect();
        assert_eq!((shown.join(" ").as_str(), page.total), (expected, shown.len() as u64), "{filter:?}");
        let lines = store.pin_history(&filter, 0, 9).await.unwrap();
        let told: Vec<String> =
            lines.items.iter().map(|line| format!("{}@{}", line.query_key, line.scope)).collect();
        assert_eq!((told, lines.total), (shown, page.total), "{filter:?}");
    }
    let second = store.pins(&all(), 1, 2).await.unwrap();
    assert_eq!((second.items.len(), second.items[0].query_key.as_str(), second.total), (2, "a", 4));
    assert_eq!(store.pin_history(&all(), 3, 2).await.unwrap().items.len(), 1);
}

pub async fn take_long_and_odd_queries(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let (one, two) = (indexed(store, "x", "one", ann).await, indexed(store, "y", "two", ann).await);
    // Four-byte characters that do not compress: longer than an index entry may be.
    let long: String =
        (0..QUERY_CHARS_MAX as u32 + 9).filter_map(|n| char::from_u32(0x20000 + n * 37)).collect();
    let tag = format!("matter:{long}");
    for (query, scope) in
        [(long.as_str(), "firm"), ("q", tag.as_str()), ("nul \0 a", "m\0x"), ("%_'\"\\", "firm")]
    {
        let made = store.pin(wanted(query, scope, one, ann), ExistingPin::Keep, at(1)).await.unwrap();
        let PinOutcome::Made(pin) = made else { panic!("{query}") };
        let taken = store.pin(wanted(query, scope, two, ann), ExistingPin::Keep, at(1)).await.unwrap();
        assert_eq!(taken, PinOutcome::Taken(pin.clone()), "{query}");
        let found = store.pins_for(&pin.query_key, std::slice::from_ref(&pin.scope)).await.unwrap();
        assert_eq!(found, std::slice::from_ref(&pin), "{query}");
        assert!(pin.query.chars().count() <= QUERY_CHARS_MAX);
    }
    assert_explained(store).await;
}

pub async fn are_decided_by_the_database(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let mut signals = Vec::new();
    for number in 0..RACED {
        signals.push(indexed(store, &format!("x{number}"), &format!("text {number}"), ann).await);
    }
    for may_unpin in [true, false] {
        let lines = history(store).await.len();
        let race = join_all((0..RACERS).map(|number| {
            let signal = signals[number * 5 % RACED];
            async move {
                if may_unpin && number % 4 == 3 {
                    let removed = store.unpin(signal, Some("q"), None, ann, at(2)).await.expect("unpinned");
                    return if removed > 0 { "unpinned" } else { "nothing" };
                }
                let existing = ExistingPin::of_force(number % 2 == 0);
                told(&store.pin(wanted("Q", "firm", signal, ann), existing, at(2)).await.expect("decided")).0
            }
        }))
        .await;
        let pins = assert_explained(store).await;
        assert!(pins.len() <= 1 && (may_unpin || pins.len() == 1), "{pins:?}");
        let written = history(store).await;
        let count = |word: &str| race.iter().filter(|told| **told == word).count();
        for (word, action) in [
            ("made", PinAction::Pinned),
            ("replaced", PinAction::Replaced),
            ("unpinned", PinAction::Unpinned),
        ] {
            let lines = written[lines..].iter().filter(|line| line.action == action).count();
            assert_eq!(lines, count(word), "every change has its line, and every line its change: {word}");
        }
        assert!(count("replaced") > 1, "{race:?}");
    }
}
