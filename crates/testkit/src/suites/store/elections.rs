//! Elections: one open per query, scope and cluster, decided once, read back exactly.

use super::fixture::{at, person};
use super::pins::{assert_explained, history, states, wanted};
use super::signals::indexed;
use domain::corpus::{
    AclToken, COMMENT_CHARS_MAX, Factors, Member, MemberRole, NewRun, OwnedVisibility, PinVia, Reason,
    RejectReason, Rejection, Run, RunStatus, Scope, SignalState, Thresholds, Weights,
};
use domain::ids::{RunId, SearchId, SignalId, UserId};
use domain::owner_scope::OwnerScope;
use domain::ports::{ExistingPin, RunFilter, RunOutcome, Store, StoreError, WriteMode};
use futures_util::future::join_all;

/// Concurrent decisions.
const RACERS: usize = 12;
/// Most undecided elections that are kept per query, scope and cluster.
const UNDECIDED_KEPT: u64 = 20;

fn member(signal: SignalId, rank: u32, score: f64) -> Member {
    let role = if rank == 1 { MemberRole::Winner } else { MemberRole::Alternate };
    Member {
        signal_id: signal,
        relevance: 0.123457,
        is_gone: false,
        dated: Some(at(7)),
        eligible: true,
        reasons: vec![Reason::Said { text: "It is newer \0 ä.".to_owned() }, Reason::Older { days: 0.3 }],
        factors: Factors::of([0.7, 0.333333, 0.1, 1.0, 0.0, 0.0, 0.25]),
        score,
        rank,
        role,
    }
}

/// The first of them wins.
pub fn election(query: &str, signals: &[SignalId], owner: UserId) -> NewRun {
    let members = (1..).zip(signals).map(|(rank, id)| member(*id, rank, 9.1 - f64::from(rank) / 10.0));
    NewRun {
        query: query.to_owned(),
        scope: Scope::Firm,
        cluster_key: *signals.iter().min().expect("a member"),
        auto: true,
        winner_signal_id: signals[0],
        margin: 0.1,
        members: members.collect(),
        weights: Weights::default(),
        thresholds: Thresholds { relevance_min: 0.1, relevance_ratio: 0.6 },
        search_id: SearchId(77),
        search_owner: owner,
    }
}

async fn three(store: &dyn Store) -> (UserId, [SignalId; 3]) {
    let ann = person(store, "ann").await.id;
    let mut signals = [SignalId(0); 3];
    for (number, place) in signals.iter_mut().enumerate() {
        *place = indexed(store, &format!("v{number}"), &format!("text {number}"), ann).await;
    }
    (ann, signals)
}

async fn status(store: &dyn Store, id: RunId) -> RunStatus {
    store.run(id).await.expect("a run").status
}

pub async fn are_recorded_once(store: &dyn Store) {
    let (ann, [a, b, c]) = three(store).await;
    let new = election("The  MSA", &[b, a, c], ann);
    let run = store.record_run(new.clone(), at(1)).await.unwrap();
    let expected = Run {
        run_id: run.run_id,
        query: "The  MSA".to_owned(),
        query_key: "the msa".to_owned(),
        scope: Scope::Firm,
        cluster_key: a,
        status: RunStatus::AutoElected,
        auto: true,
        winner_signal_id: b,
        margin: 0.1,
        members: new.members.clone(),
        weights: new.weights,
        thresholds: new.thresholds,
        created_at: at(1),
        decided_by: None,
        decided_at: None,
        reject_reason: None,
        comment: String::new(),
        search_id: SearchId(77),
        search_owner: Some(ann),
    };
    assert_eq!(run, expected);
    assert_eq!(store.run(run.run_id).await.unwrap(), expected, "to the digit");
    let followed = async |id| store.signal(id).await.unwrap().superseded_by;
    assert_eq!([followed(a).await, followed(b).await, followed(c).await], [Some(b), None, Some(b)]);

    let again = NewRun { query: "the msa".to_owned(), search_id: SearchId(78), ..new.clone() };
    assert_eq!(store.record_run(again, at(2)).await.unwrap(), expected, "the same outcome writes nothing");
    let mut other_score = new.clone();
    other_score.members[1].score += 0.000001;
    let mut heavier = new.clone();
    heavier.weights.0.pin += 1.0;
    let changes = [
        NewRun { winner_signal_id: a, ..new.clone() },
        NewRun { auto: false, ..new.clone() },
        NewRun { thresholds: Thresholds { relevance_min: 0.2, ..new.thresholds }, ..new.clone() },
        NewRun { members: new.members[..2].to_vec(), ..new.clone() },
        other_score,
        heavier,
        new.clone(),
    ];
    let mut before = run.run_id;
    for (number, change) in changes.into_iter().enumerate() {
        let is_auto = change.auto;
        let known = followed(c).await;
        let winner = change.winner_signal_id;
        let has_c = change.members.iter().any(|member| member.signal_id == c);
        let next = store.record_run(change, at(3)).await.unwrap();
        let expected = if is_auto && has_c { Some(winner) } else { known };
        assert_eq!(followed(c).await, expected, "{number}: what only waits changes no document");
        assert!(next.run_id > before, "{number}");
        assert_eq!(status(store, before).await, RunStatus::Superseded, "{number}");
        assert_eq!(next.status, if is_auto { RunStatus::AutoElected } else { RunStatus::Pending });
        before = next.run_id;
    }
}

pub async fn leave_others_alone(store: &dyn Store) {
    let (ann, [a, b, c]) = three(store).await;
    let new = election("The  MSA", &[b, a, c], ann);
    let before = store.record_run(new.clone(), at(1)).await.unwrap().run_id;
    for other in [
        NewRun { scope: Scope::parse("acme").expect("a scope"), ..new.clone() },
        NewRun { query: "msa".to_owned(), ..new.clone() },
        NewRun { cluster_key: SignalId(a.0 - 1), ..new.clone() },
    ] {
        store.record_run(other, at(4)).await.unwrap();
        assert_eq!(status(store, before).await, RunStatus::AutoElected, "another topic");
    }
    for auto in [true, false] {
        let gone = NewRun { winner_signal_id: SignalId(999), auto, ..new.clone() };
        assert_eq!(store.record_run(gone, at(5)).await, Err(StoreError::NotFound));
    }
    assert_eq!(status(store, before).await, RunStatus::AutoElected, "what is refused changes nothing");
}

pub async fn know_who_asked(store: &dyn Store) {
    let (ann, signals) = three(store).await;
    let (ben, col) = (person(store, "ben").await.id, person(store, "col").await.id);
    let mut id = RunId(0);
    for owner in [ann, ben, ben, ann] {
        let run = store.record_run(election("q", &signals, owner), at(1)).await.unwrap();
        assert_eq!(run.search_owner, Some(ann), "whoever came first");
        id = run.run_id;
    }
    let asked = async |user| {
        let filter = RunFilter {
            search_owner: OwnerScope::Only(user),
            ..RunFilter::visible_to(OwnedVisibility::Unrestricted, OwnerScope::Everyone)
        };
        let listed = store.runs(&filter, 0, 9).await.unwrap().total == 1;
        assert_eq!(store.run_concerns_user(id, user).await.unwrap(), listed, "{user}");
        listed
    };
    assert_eq!([asked(ann).await, asked(ben).await, asked(col).await], [true, true, false]);
    let other = store.record_run(election("q", &signals[1..], col), at(2)).await.unwrap().run_id;
    assert!(!store.run_concerns_user(other, ben).await.unwrap(), "another election");
    store.delete_user(ben).await.unwrap();
    assert!(!asked(ben).await);
    assert!(!store.run_concerns_user(RunId(999), ann).await.unwrap());
}

pub async fn are_recorded_once_by_many(store: &dyn Store) {
    let (ann, signals) = three(store).await;
    let new = election("race", &signals, ann);
    let racing = join_all((0..RACERS).map(|number| {
        let same = NewRun { margin: number as f64, ..new.clone() };
        async move { store.record_run(same, at(1)).await.expect("recorded").run_id }
    }))
    .await;
    assert!(racing.iter().all(|id| *id == racing[0]), "{racing:?}");
    assert_eq!(
        store
            .runs(&RunFilter::visible_to(OwnedVisibility::Unrestricted, OwnerScope::Everyone), 0, 9)
            .await
            .unwrap()
            .total,
        1
    );
}

pub async fn are_approved_once(store: &dyn Store) {
    let (ann, [a, b, c]) = three(store).await;
    let ben = person(store, "ben").await.id;
    let run = store.record_run(election("q", &[b, a, c], ann), at(1)).await.unwrap();
    store.pin(wanted("Q", "firm", a, ann), ExistingPin::Keep, at(2)).await.unwrap();
    let taken = store.approve_run(run.run_id, ben, "yes", ExistingPin::Keep, at(3)).await.unwrap();
    assert!(matches!(&taken, RunOutcome::Taken(pin) if pin.signal_id == a), "{taken:?}");
    assert_eq!(store.run(run.run_id).await.unwrap(), run, "nothing changed");

    let comment = format!("nul \0 {}", "ä".repeat(COMMENT_CHARS_MAX));
    let race = join_all(
        (0..RACERS).map(|_| store.approve_run(run.run_id, ben, &comment, ExistingPin::Replace, at(4))),
    )
    .await;
    let decided: Vec<&RunOutcome> = race.iter().map(|outcome| outcome.as_ref().expect("an answer")).collect();
    let count = decided.iter().filter(|outcome| matches!(outcome, RunOutcome::Decided(..))).count();
    assert_eq!(count, 1, "{decided:?}");
    let now = store.run(run.run_id).await.unwrap();
    assert_eq!((now.status, now.decided_by, now.decided_at), (RunStatus::Approved, Some(ben), Some(at(4))));
    assert_eq!((now.comment.chars().count(), now.comment.contains('\0')), (COMMENT_CHARS_MAX, false));
    let pin = store.pins_for("q", &[Scope::Firm]).await.unwrap().remove(0);
    assert_eq!((pin.signal_id, pin.via, pin.run_id), (b, PinVia::Approval, Some(run.run_id)));
    for outcome in decided {
        match outcome {
            RunOutcome::Decided(run, with) => assert_eq!((&**run, with), (&now, &Some(pin.clone()))),
            RunOutcome::NotOpen(run) => assert_eq!(**run, now),
            RunOutcome::Taken(pin) => panic!("{pin:?}"),
        }
    }
    assert_explained(store).await;
    assert_eq!(history(store).await.pop().unwrap().run_id, Some(run.run_id));
    let wrong = store.reject_run(run.run_id, ben, RejectReason::Other, "", at(5)).await.unwrap();
    assert_eq!(wrong, RunOutcome::NotOpen(Box::new(now)));
    assert_eq!(
        store.approve_run(RunId(999), ben, "", ExistingPin::Replace, at(5)).await,
        Err(StoreError::NotFound)
    );

    let same = store.record_run(election("q", &[b, c], ann), at(6)).await.unwrap();
    let outcome = store.approve_run(same.run_id, ben, "", ExistingPin::Keep, at(7)).await.unwrap();
    let RunOutcome::Decided(_, Some(kept)) = outcome else { panic!("{outcome:?}") };
    assert_eq!(kept, pin, "it was pinned already");
}

pub async fn are_rejected_once(store: &dyn Store) {
    let (ann, [a, b, c]) = three(store).await;
    let run = store.record_run(election("First", &[b, a, c], ann), at(1)).await.unwrap();
    let followed = async |id| store.signal(id).await.unwrap().superseded_by;
    assert_eq!([followed(a).await, followed(b).await, followed(c).await], [Some(b), None, Some(b)]);
    assert!(store.rejected_runs(&[run.run_id]).await.unwrap().is_empty());
    let race = join_all(
        (0..RACERS).map(|_| store.reject_run(run.run_id, ann, RejectReason::Outdated, "old", at(2))),
    )
    .await;
    let count = race.iter().filter(|outcome| matches!(outcome, Ok(RunOutcome::Decided(_, None)))).count();
    assert_eq!(count, 1, "{race:?}");
    assert_eq!([followed(a).await, followed(c).await], [None, None], "what was rejected supersedes nothing");
    let now = store.run(run.run_id).await.unwrap();
    assert_eq!((now.status, now.reject_reason), (RunStatus::Rejected, Some(RejectReason::Outdated)));
    assert_eq!((now.comment.as_str(), now.decided_by, now.decided_at), ("old", Some(ann), Some(at(2))));
    let rejection = |query: &str| Rejection { signal_id: b, query_key: query.to_owned() };
    assert_eq!(store.rejections(&[a, b, c]).await.unwrap(), [rejection("first")]);
    let again = store.record_run(election("first", &[b, a, c], ann), at(3)).await.unwrap();
    assert!(again.run_id > run.run_id, "a decided run is not written over");
    store.reject_run(again.run_id, ann, RejectReason::Other, "", at(4)).await.unwrap();
    let other = store.record_run(election("second", &[b, a], ann), at(5)).await.unwrap();
    store.pin(wanted("third", "firm", b, ann), ExistingPin::Keep, at(5)).await.unwrap();
    store.reject_run(other.run_id, ann, RejectReason::WrongVersion, "", at(6)).await.unwrap();
    assert_eq!(followed(a).await, Some(b), "while it is pinned it counts");
    store.unpin(b, None, None, ann, at(6)).await.unwrap();
    let open = store.record_run(election("fourth", &[b, a], ann), at(6)).await.unwrap();
    let all = [run.run_id, again.run_id, other.run_id, open.run_id, RunId(999)];
    let rejected = store.rejected_runs(&all).await.unwrap();
    assert_eq!(rejected.into_iter().collect::<Vec<_>>(), all[..3]);
    let many: Vec<RunId> = (10_000..11_000).map(RunId).chain([run.run_id]).collect();
    assert_eq!(store.rejected_runs(&many).await.unwrap().len(), 1, "of more than one statement takes");
    assert_eq!(
        store.rejections(&[b]).await.unwrap(),
        [rejection("first"), rejection("first"), rejection("second")],
        "one for each"
    );
    assert_eq!(store.rejections(&[a, c]).await.unwrap(), []);
    assert_eq!(store.signal(b).await.unwrap().rejections, 3);
    assert_eq!(states(store, &[b]).await, [SignalState::Indexed]);
    assert_eq!(
        store.reject_run(RunId(999), ann, RejectReason::Other, "", at(5)).await,
        Err(StoreError::NotFound)
    );
}

pub async fn are_found(store: &dyn Store) {
    let (ann, [a, b, c]) = three(store).await;
    let ben = person(store, "ben").await.id;
    let of_ben = indexed(store, "ben", "of ben", ben).await;
    let mut ids = Vec::new();
    for (query, members, owner) in [
        ("River 100%", vec![a, b], ann),
        ("lake", vec![b, c], ben),
        ("riverside", vec![of_ben, c], ann),
        ("lake", vec![a, of_ben], ann),
    ] {
        ids.push(store.record_run(election(query, &members, owner), at(1)).await.unwrap().run_id);
    }
    store.reject_run(ids[1], ann, RejectReason::Other, "", at(2)).await.unwrap();
    let all = || RunFilter::visible_to(OwnedVisibility::Unrestricted, OwnerScope::Everyone);
    let words = |text: &str| RunFilter { words: text.to_owned(), ..all() };
    for (filter, expected) in [
        (all(), vec![3, 2, 1, 0]),
        (RunFilter { search_owner: OwnerScope::Only(ben), ..all() }, vec![1]),
        (RunFilter { status: vec![RunStatus::Rejected], ..all() }, vec![1]),
        (RunFilter { status: vec![RunStatus::Pending, RunStatus::AutoElected], ..all() }, vec![3, 2, 0]),
        (words("RIVER"), vec![2, 0]),
        (words("0%"), vec![0]),
        (words("r%e"), vec![]),
        (RunFilter { cluster_key: Some(a), ..all() }, vec![3, 0]),
        (RunFilter { visible_to: OwnedVisibility::To(vec![AclToken::User(ben)]), ..all() }, vec![2]),
        (
            RunFilter {
                visible_to: OwnedVisibility::To(vec![AclToken::User(ann)]),
                search_owner: OwnerScope::Only(ann),
                ..all()
            },
            vec![3, 0],
        ),
        (RunFilter { visible_to: OwnedVisibility::To(vec![]), ..all() }, vec![]),
        (RunFilter { ids: Some(vec![ids[0], ids[1], RunId(999)]), ..all() }, vec![1, 0]),
        (
            RunFilter { ids: Some(vec![ids[0], ids[1]]), search_owner: OwnerScope::Only(ben), ..all() },
            vec![1],
        ),
        (RunFilter { ids: Some(vec![]), ..all() }, vec![]),
    ] {
        let page = store.runs(&filter, 0, 9).await.unwrap();
        let found: Vec<RunId> = page.items.iter().map(|run| run.run_id).collect();
        let expected: Vec<RunId> = expected.into_iter().map(|number: usize| ids[number]).collect();
        assert_eq!((found, page.total), (expected.clone(), expected.len() as u64), "{filter:?}");
    }
    let page = store.runs(&all(), 1, 2).await.unwrap();
    assert_eq!((page.items[0].run_id, page.items.len(), page.total), (ids[2], 2, 4));
    let counts = store.canonical_counts().await.unwrap();
    let count = |status| counts.runs.iter().find(|(one, _)| *one == status).map(|(_, count)| *count);
    assert_eq!((counts.runs.len(), counts.pins), (RunStatus::ALL.len(), 0));
    assert_eq!([count(RunStatus::AutoElected), count(RunStatus::Rejected)], [Some(3), Some(1)]);
    assert_eq!(store.run(RunId(999)).await, Err(StoreError::NotFound));
}

pub async fn become_stale(store: &dyn Store) {
    let (ann, [a, b, c]) = three(store).await;
    let mut ids = Vec::new();
    for number in 0..5 {
        let run = election(&format!("q{number}"), &[a, b, c], ann);
        ids.push(store.record_run(run, at(i64::from(number))).await.unwrap().run_id);
    }
    store.reject_run(ids[0], ann, RejectReason::Other, "", at(9)).await.unwrap();
    use WriteMode::{Apply, Preview};
    for (limit, mode, expected) in
        [(9, Preview, 3), (2, Preview, 2), (2, Apply, 2), (9, Apply, 1), (9, Apply, 0)]
    {
        assert_eq!(store.expire_runs(at(4), limit, mode).await.unwrap(), expected, "{limit} {mode:?}");
    }
    use RunStatus::{AutoElected, Rejected, Stale};
    for (id, expected) in ids.iter().zip([Rejected, Stale, Stale, Stale, AutoElected]) {
        assert_eq!(status(store, *id).await, expected);
    }
    let stale = store.approve_run(ids[1], ann, "", ExistingPin::Keep, at(10)).await.unwrap();
    assert!(matches!(stale, RunOutcome::NotOpen(_)), "{stale:?}");
    assert!(store.record_run(election("q1", &[a, b, c], ann), at(11)).await.unwrap().run_id > ids[4]);
}

pub async fn are_bounded(store: &dyn Store) {
    let (ann, [a, b, c]) = three(store).await;
    let mut new = election("q", &[a, b, c], ann);
    let decided = store.record_run(new.clone(), at(1)).await.unwrap().run_id;
    store.reject_run(decided, ann, RejectReason::Other, "", at(2)).await.unwrap();
    for number in 0..UNDECIDED_KEPT + 5 {
        new.members[2].score = number as f64;
        store.record_run(new.clone(), at(3)).await.unwrap();
    }
    let page = store
        .runs(&RunFilter::visible_to(OwnedVisibility::Unrestricted, OwnerScope::Everyone), 0, 99)
        .await
        .unwrap();
    assert_eq!(page.total, UNDECIDED_KEPT + 2, "and the open one, and the decided one");
    assert_eq!(page.items.last().map(|run| run.run_id), Some(decided));
    let odd = Member { score: f64::NAN, relevance: f64::INFINITY, ..new.members[0].clone() };
    let run = store
        .record_run(NewRun { members: vec![odd], margin: f64::NAN, ..new }, at(4))
        .await
        .expect("a number that is none is 0");
    assert_eq!((run.members[0].score, run.members[0].relevance, run.margin), (0.0, 0.0, 0.0));
}
