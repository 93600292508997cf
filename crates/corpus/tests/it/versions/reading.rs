//! Who may read which election, and diffs of two versions.

use super::fixture::{QUERY, Scenario, electing};
use crate::fixture::Retrieved;
use corpus::canonical::{CanonicalError, DiffOp, RunQuery};
use domain::corpus::RunStatus;

#[tokio::test]
async fn elections_are_read_by_who_sees_their_winner() {
    let scenario = Scenario::open(electing()).await;
    let cache = &scenario.fixture.cache;
    let (ann, ben) = (scenario.principal(scenario.ann).await, scenario.principal(scenario.ben).await);
    let (cleo, admin) = (scenario.principal(scenario.cleo).await, scenario.principal(scenario.admin).await);
    let of = async |owner, query| {
        let search = scenario.search(owner, query, &[]).await;
        scenario.statuses(&search, true).await[&scenario.versions[0]].run_id.unwrap()
    };
    // Its winner is visible to Ann only; the other one's to all three.
    let (anns, bens) = (of(scenario.ann, QUERY).await, of(scenario.ben, "the mill").await);
    let all = RunQuery { limit: 10, ..RunQuery::default() };
    let table = [(&ann, vec![bens, anns]), (&ben, vec![bens]), (&cleo, vec![bens]), (&admin, vec![])];
    for (who, expected) in table {
        let page = cache.runs(who, &all).await.unwrap();
        let listed: Vec<_> = page.items.iter().map(|one| one.run.run_id).collect();
        assert_eq!(
            (listed.as_slice(), page.total as usize),
            (expected.as_slice(), expected.len()),
            "{}",
            who.username
        );
        for id in [anns, bens] {
            let read = cache.run(who, id).await;
            assert_eq!(read.is_ok(), expected.contains(&id), "{} {id}", who.username);
        }
        assert!(page.items.iter().all(|one| one.may_decide == who.may_curate()));
    }
    for (asked, expected) in [
        (RunQuery { status: vec![RunStatus::AutoElected], ..all.clone() }, 2),
        (RunQuery { status: vec![RunStatus::Approved], ..all.clone() }, 0),
        (RunQuery { words: "lease".to_owned(), ..all.clone() }, 1),
    ] {
        assert_eq!(cache.runs(&ann, &asked).await.unwrap().total, expected, "{asked:?}");
    }
}

#[tokio::test]
async fn members_that_may_not_be_seen_are_counted_only() {
    let scenario = Scenario::open(electing()).await;
    // Without the best version its winner is visible to all, and one of its members to Ann only.
    scenario.gone(2).await;
    let search = scenario.search(scenario.ann, QUERY, &[]).await;
    let id = scenario.statuses(&search, true).await[&scenario.versions[0]].run_id.unwrap();
    for (who, members, hidden) in [(scenario.ann, 3, 0), (scenario.cleo, 2, 1)] {
        let read = scenario.fixture.cache.run(&scenario.principal(who).await, id).await.unwrap();
        assert_eq!((read.members.len(), read.hidden_members), (members, hidden));
        assert_eq!(read.election.winner.signal_id, scenario.versions[1]);
        for member in &read.members {
            let sum: f64 = member.contributions.values().iter().sum();
            assert!((sum - member.member.score).abs() < 1e-9, "the bars add up");
            assert!(member.member.reasons.iter().all(|reason| !reason.to_string().contains("Lease")));
        }
    }
}

#[tokio::test]
async fn a_document_names_no_version_that_may_not_be_seen() {
    let scenario = Scenario::open(electing()).await;
    let search = scenario.search(scenario.ann, QUERY, &[]).await;
    scenario.statuses(&search, true).await;
    for (who, expected) in [(scenario.ann, Some(scenario.versions[2])), (scenario.ben, None)] {
        let read = scenario.fixture.cache.document_of(who, scenario.versions[0]).await.unwrap();
        assert_eq!(read.superseded_by, expected);
    }
}

#[tokio::test]
async fn the_difference_is_for_who_sees_both() {
    let scenario = Scenario::open(electing()).await;
    let cache = &scenario.fixture.cache;
    let [first, second, third] = scenario.versions;
    let ann = scenario.principal(scenario.ann).await;
    let diff = cache.diff_of(&ann, first, second).await.unwrap();
    assert_eq!((diff.added, diff.removed, diff.truncated), (1, 1, false));
    assert!(diff.same > 50, "{}", diff.same);
    let side = |without: DiffOp| -> String {
        diff.pieces.iter().filter(|one| one.op != without).map(|one| one.text.as_str()).collect()
    };
    assert!(side(DiffOp::Added).ends_with(" 1.") && side(DiffOp::Removed).ends_with(" 2."));
    for (who, left, right) in
        [(scenario.cleo, first, third), (scenario.cleo, third, first), (scenario.admin, first, second)]
    {
        let refused = cache.diff_of(&scenario.principal(who).await, left, right).await;
        assert_eq!(refused.unwrap_err(), CanonicalError::NotFound);
    }
    let long = "word ".repeat(corpus::canonical::DIFF_CHARS_MAX / 5 + 1);
    let given =
        Retrieved { by: scenario.ann, url: "https://h.example/long", text: &long, ..Retrieved::default() };
    let long = scenario.fixture.keep(given).await;
    assert!(cache.diff_of(&ann, long, first).await.unwrap().truncated);
    let text =
        |word: &str| -> String { (0..2_000).map(|line| format!("same {line}\n{word} {line}\n")).collect() };
    let mut sides = Vec::new();
    for word in ["old", "new"] {
        let (url, text) = (format!("https://h.example/{word}"), text(word));
        sides.push(
            scenario
                .fixture
                .keep(Retrieved { by: scenario.ann, url: &url, text: &text, ..Retrieved::default() })
                .await,
        );
    }
    let diff = cache.diff_of(&ann, sides[0], sides[1]).await.unwrap();
    assert_eq!((diff.added, diff.removed, diff.same), (2_000, 2_000, 6_000), "the counts are whole");
    assert_eq!((diff.pieces.len(), diff.truncated), (corpus::canonical::DIFF_PIECES_MAX, true));
}
