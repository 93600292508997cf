//! Pins, approvals and rejections: permissions, effects, and views.

use super::fixture::{QUERY, Scenario, electing};
use corpus::canonical::{CanonicalError, PinQuery, PinRequest};
use domain::corpus::{PinAction, PinVia, RejectReason, RunStatus, Scope, SignalState};
use domain::ids::{RunId, SignalId};
use domain::ports::{ExistingPin, SignalStore};

async fn run_of(scenario: &Scenario, owner: domain::ids::UserId) -> RunId {
    let search = scenario.search(owner, QUERY, &[]).await;
    let statuses = scenario.statuses(&search, true).await;
    statuses[&scenario.versions[0]].run_id.unwrap()
}

#[tokio::test]
async fn curators_pin_what_they_see() {
    let scenario = Scenario::open(electing()).await;
    let cache = &scenario.fixture.cache;
    let (ann, ben) = (scenario.principal(scenario.ann).await, scenario.principal(scenario.ben).await);
    let (cleo, admin) = (scenario.principal(scenario.cleo).await, scenario.principal(scenario.admin).await);
    let refused = async |who, request| cache.pin(who, request).await.unwrap_err();
    assert_eq!(refused(&ben, scenario.request(0, "firm")).await, CanonicalError::Forbidden);
    for who in [&cleo, &admin] {
        assert_eq!(refused(who, scenario.request(2, "firm")).await, CanonicalError::NotFound);
    }
    let unknown = PinRequest { signal_id: SignalId(999), ..scenario.request(0, "firm") };
    assert_eq!(refused(&ann, unknown).await, CanonicalError::NotFound);
    let without = PinRequest { query: "  ".to_owned(), ..scenario.request(0, "firm") };
    assert_eq!(refused(&ann, without).await, CanonicalError::NoQuery);

    let made = cache.pin(&ann, scenario.request(2, "firm")).await.unwrap();
    assert!(made.is_new);
    assert_eq!(made.pin.pinned_by.as_deref(), Some("ann"));
    assert_eq!((made.pin.pin.query_key.as_str(), made.pin.pin.via), ("lease of the mill", PinVia::Manual));
    let same = cache.pin(&ann, scenario.request(2, "firm")).await.unwrap();
    assert_eq!((same.is_new, &same.pin), (false, &made.pin));
    // A person who may not see the pinned document learns only that there is one.
    for (who, is_visible) in [(&ann, true), (&cleo, false)] {
        let CanonicalError::PinExists { pin, visible } = refused(who, scenario.request(0, "firm")).await
        else {
            panic!("another document is pinned");
        };
        assert_eq!((visible, pin.document.is_some()), (is_visible, is_visible), "{}", who.username);
        assert_eq!(pin.pin.id, made.pin.pin.id);
    }
    // Another scope is another decision.
    assert!(cache.pin(&cleo, scenario.request(0, "matter:acme")).await.unwrap().is_new);
    let forced = PinRequest { existing: ExistingPin::Replace, ..scenario.request(0, "firm") };
    assert!(cache.pin(&cleo, forced).await.unwrap().is_new);
    let states = async || {
        let mut states = Vec::new();
        for id in scenario.versions {
            states.push(scenario.fixture.store.signal(id).await.unwrap().state);
        }
        states
    };
    assert_eq!(states().await, [SignalState::Pinned, SignalState::Indexed, SignalState::Indexed]);
}

#[tokio::test]
async fn quotation_marks_of_any_kind_are_the_same_query() {
    let scenario = Scenario::open(electing()).await;
    let cache = &scenario.fixture.cache;
    let ann = scenario.principal(scenario.ann).await;
    let of = |query: &str| PinRequest { query: query.to_owned(), ..scenario.request(2, "firm") };
    assert!(cache.pin(&ann, of("“Lease” of the mill")).await.unwrap().is_new);
    assert!(!cache.pin(&ann, of("\"lease\" of the mill")).await.unwrap().is_new);
    let removed = cache.unpin(&ann, scenario.versions[2], Some("«lease» of the mill"), None).await;
    assert_eq!(removed, Ok(1));
}

#[tokio::test]
async fn the_history_is_told_as_far_as_documents_are_seen() {
    let scenario = Scenario::open(electing()).await;
    let cache = &scenario.fixture.cache;
    let (ann, ben, cleo) = (
        scenario.principal(scenario.ann).await,
        scenario.principal(scenario.ben).await,
        scenario.principal(scenario.cleo).await,
    );
    scenario.pin(scenario.ann, 2, "firm").await;
    cache
        .pin(&cleo, PinRequest { existing: ExistingPin::Replace, ..scenario.request(0, "firm") })
        .await
        .unwrap();
    let all = PinQuery { limit: 10, ..PinQuery::default() };
    let lines = async |who| {
        let page = cache.pin_history(who, &all).await.unwrap();
        assert_eq!(page.total, page.items.len() as u64);
        let line = |one: &corpus::canonical::VisiblePinEvent| {
            (one.event.action, one.event.signal_id, one.event.before, one.by.clone().unwrap_or_default())
        };
        page.items.iter().map(line).collect::<Vec<_>>()
    };
    let [first, _, last] = scenario.versions;
    let replaced = |before| (PinAction::Replaced, first, before, "cleo".to_owned());
    assert_eq!(lines(&ann).await, [replaced(Some(last)), (PinAction::Pinned, last, None, "ann".to_owned())]);
    assert_eq!(lines(&cleo).await, [replaced(None)], "what was pinned before is not hers to see");
    assert_eq!(cache.pin_history(&ben, &all).await.unwrap_err(), CanonicalError::Forbidden);
    assert_eq!(cache.pins(&ben, &all).await.unwrap_err(), CanonicalError::Forbidden);
    let word = QUERY.split(' ').next_back().unwrap();
    for (words, expected) in [(QUERY, 1), (word, 1), ("bread", 0), ("", 1)] {
        let asked = PinQuery { words: words.to_owned(), ..all.clone() };
        assert_eq!(cache.pins(&ann, &asked).await.unwrap().total, expected, "{words}");
    }
    // No permission, no list.
    assert_eq!(cache.pins(&scenario.principal(scenario.admin).await, &all).await.unwrap().total, 0);
}

#[tokio::test]
async fn what_was_taken_back_is_elected_again_without_a_penalty() {
    let scenario = Scenario::open(electing()).await;
    let cache = &scenario.fixture.cache;
    let (ann, ben) = (scenario.principal(scenario.ann).await, scenario.principal(scenario.ben).await);
    scenario.pin(scenario.ann, 2, "firm").await;
    scenario.pin(scenario.ann, 2, "matter:acme").await;
    assert_eq!(
        scenario.shown(scenario.ann, &[]).await,
        "Alternate alternate, Alternate alternate, Pinned winner"
    );
    assert_eq!(cache.unpin(&ben, scenario.versions[0], None, None).await, Err(CanonicalError::Forbidden));
    let cleo = scenario.principal(scenario.cleo).await;
    assert_eq!(cache.unpin(&cleo, scenario.versions[2], None, None).await, Err(CanonicalError::NotFound));
    assert_eq!(cache.unpin(&ann, scenario.versions[2], Some("other"), None).await, Ok(0));
    assert_eq!(cache.unpin(&ann, scenario.versions[2], Some(QUERY), Some(&Scope::Firm)).await, Ok(1));
    assert_eq!(
        scenario.shown(scenario.ann, &[]).await,
        "Alternate alternate, Alternate alternate, AutoSelected winner"
    );
    assert_eq!(cache.unpin(&ann, scenario.versions[2], None, None).await, Ok(1));
    let signal = scenario.fixture.store.signal(scenario.versions[2]).await.unwrap();
    assert_eq!((signal.state, signal.rejections), (SignalState::Indexed, 0));
}

#[tokio::test]
async fn an_approved_winner_is_pinned() {
    let scenario = Scenario::open(electing()).await;
    let cache = &scenario.fixture.cache;
    let (ann, ben, cleo) = (
        scenario.principal(scenario.ann).await,
        scenario.principal(scenario.ben).await,
        scenario.principal(scenario.cleo).await,
    );
    let id = run_of(&scenario, scenario.ann).await;
    assert_eq!(cache.approve(&ben, id, "", ExistingPin::Keep).await.unwrap_err(), CanonicalError::Forbidden);
    assert_eq!(cache.approve(&cleo, id, "", ExistingPin::Keep).await.unwrap_err(), CanonicalError::NotFound);
    assert_eq!(
        cache.approve(&ann, RunId(999), "", ExistingPin::Keep).await.unwrap_err(),
        CanonicalError::NotFound
    );
    scenario.pin(scenario.cleo, 0, "firm").await;
    let taken = cache.approve(&ann, id, "", ExistingPin::Keep).await.unwrap_err();
    assert!(matches!(taken, CanonicalError::PinExists { visible: true, .. }), "{taken:?}");
    let comment = "x".repeat(domain::corpus::COMMENT_CHARS_MAX + 1);
    let decided = cache.approve(&ann, id, &comment, ExistingPin::Replace).await.unwrap();
    assert_eq!(
        (decided.election.run.status, decided.election.decided_by.as_deref()),
        (RunStatus::Approved, Some("ann"))
    );
    assert_eq!(decided.election.run.comment.len(), domain::corpus::COMMENT_CHARS_MAX);
    assert!(!decided.election.may_decide);
    let again = cache.approve(&ann, id, "", ExistingPin::Keep).await.unwrap_err();
    assert!(matches!(again, CanonicalError::AlreadyDecided(_)), "{again:?}");
    let search = scenario.search(scenario.ann, QUERY, &[]).await;
    let statuses = scenario.statuses(&search, true).await;
    assert_eq!(scenario.told(&statuses), "Alternate alternate, Alternate alternate, Pinned winner");
    assert_eq!(statuses[&scenario.versions[0]].run_id, Some(id), "the approved election is behind it");
}

#[tokio::test]
async fn a_rejected_winner_counts_for_less() {
    let scenario = Scenario::open(electing()).await;
    let cache = &scenario.fixture.cache;
    let ann = scenario.principal(scenario.ann).await;
    let id = run_of(&scenario, scenario.ann).await;
    let rejected = cache.reject(&ann, id, RejectReason::WrongVersion, "not signed").await.unwrap();
    let run = &rejected.election.run;
    assert_eq!((run.status, run.reject_reason), (RunStatus::Rejected, Some(RejectReason::WrongVersion)));
    assert!(matches!(
        cache.reject(&ann, id, RejectReason::Other, "").await,
        Err(CanonicalError::AlreadyDecided(_))
    ));
    assert_eq!(
        scenario.shown(scenario.ann, &[]).await,
        "Alternate alternate, AutoSelected winner, Alternate alternate"
    );
    let next = cache.run(&ann, run_of(&scenario, scenario.ann).await).await.unwrap();
    let told: Vec<_> =
        next.members.iter().map(|one| (one.member.signal_id, one.contributions.rejection)).collect();
    assert!(told.contains(&(scenario.versions[2], -4.0)), "{told:?}");
    // For another query the penalty is smaller.
    let search = scenario.search(scenario.ann, "the mill", &[]).await;
    let other = scenario.statuses(&search, true).await[&scenario.versions[2]].run_id.unwrap();
    let other = cache.run(&ann, other).await.unwrap();
    let penalty = other.members.iter().find(|one| one.member.signal_id == scenario.versions[2]).unwrap();
    assert_eq!(penalty.contributions.rejection, -1.0);
}
