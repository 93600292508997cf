//! Liveness checks on demand: the meaning of responses, whose credentials are used, and the consequences.

use super::fixture::{Fixture, Kept, Says};
use corpus::CheckError;
use domain::corpus::{Liveness, Signal};
use domain::ids::{SignalId, UserId};
use domain::ports::{Clock, Corpus, DocumentRequest, ProviderStore, SignalStore};
use domain::result::ResultItem;
use domain::settings::{Seconds, Settings};
use std::time::Duration;

const URL: &str = "https://a.example/report";

fn settings() -> Settings {
    Settings { cache_liveness_probe_timeout: Seconds::new(1), ..Settings::default() }
}

/// Ann has the document, from a provider with user accounts.
struct Scenario {
    fixture: Fixture,
    ann: UserId,
    ben: UserId,
    id: SignalId,
}

impl Scenario {
    async fn open(version: &str, is_supplied: bool) -> Self {
        let fixture = Fixture::open(settings()).await;
        let (ann, ben) = (fixture.person("ann").await, fixture.person("ben").await);
        let from = Some(fixture.provider(ann, "Rivers", "microsoft").await).filter(|_| !is_supplied);
        let text = "The river rose.";
        let id = fixture.keep(Kept { by: ann, from, url: URL, text, version, is_supplied }).await;
        Self { fixture, ann, ben, id }
    }

    /// Ben gets the same text later.
    async fn ben_too(&self) {
        self.fixture.clock.advance(Duration::from_secs(1));
        let from = self.signal().await.source_provider_id;
        let kept =
            Kept { by: self.ben, from, url: URL, text: "The river rose.", version: "", is_supplied: false };
        assert_eq!(self.fixture.keep(kept).await, self.id);
    }

    async fn check(&self, asker: UserId) -> Result<(Liveness, Option<u16>), CheckError> {
        let checked = self.fixture.cache.check_liveness(asker, &[self.id]).await?;
        assert_eq!((checked.len(), checked[0].signal_id), (1, self.id));
        assert_eq!(checked[0].checked_at, self.fixture.clock.now());
        Ok((checked[0].verdict, checked[0].http_status))
    }

    async fn signal(&self) -> Signal {
        self.fixture.signal(self.id).await
    }
}

#[tokio::test]
async fn an_answer_is_noted_and_nothing_is_deleted() {
    use Liveness::{Alive, Gone, Unknown};
    // Response of the source, verdict, and stored liveness; in sequence.
    let table = [
        (Says::Status(200), Alive, Some(200), Alive),
        (Says::Status(503), Unknown, Some(503), Unknown),
        (Says::Status(404), Gone, Some(404), Gone),
        (Says::Status(500), Unknown, Some(500), Gone),
        (Says::Unavailable, Unknown, None, Gone),
        (Says::Status(429), Unknown, Some(429), Gone),
        (Says::Status(301), Alive, Some(301), Alive),
        (Says::Status(410), Gone, Some(410), Gone),
        (Says::Status(206), Alive, Some(206), Alive),
        (Says::Silence, Unknown, None, Unknown),
    ];
    let scenario = Scenario::open("", false).await;
    let mut verified = scenario.signal().await.last_verified;
    for (says, verdict, http, noted) in table {
        scenario.fixture.clock.advance(Duration::from_secs(60));
        scenario.fixture.sources.say(URL, says.clone());
        assert_eq!(scenario.check(scenario.ann).await.unwrap(), (verdict, http), "{says:?}");
        let signal = scenario.signal().await;
        if verdict == Alive {
            verified = Some(scenario.fixture.clock.now());
        }
        assert_eq!((signal.liveness, signal.last_verified), (noted, verified), "{says:?}");
        assert_eq!(signal.liveness_checked, Some(scenario.fixture.clock.now()), "{says:?}");
        assert_eq!(signal.chunk_count, 1, "{says:?}");
        assert!(scenario.fixture.grant(scenario.id, scenario.ann).await.unwrap().opens(&signal), "{says:?}");
    }
    assert_eq!(scenario.fixture.waiting().await, []);
}

#[tokio::test]
async fn a_refusal_ends_the_right_at_once() {
    for status in [401, 403] {
        let scenario = Scenario::open("", false).await;
        scenario.ben_too().await;
        scenario.fixture.sources.say(URL, Says::Status(200));
        scenario.fixture.sources.say_to(URL, scenario.ann, Says::Status(status));
        assert_eq!(scenario.check(scenario.ann).await.unwrap(), (Liveness::Unknown, Some(status)));
        assert!(scenario.fixture.grant(scenario.id, scenario.ann).await.unwrap().revoked_at.is_some());
        assert!(matches!(scenario.check(scenario.ann).await, Err(CheckError::NotFound)));
        assert!(
            scenario
                .fixture
                .cache
                .cache_statuses(scenario.ann, None, &[scenario.id])
                .await
                .unwrap()
                .is_empty()
        );
        // Ben has his own access, and the document stays.
        assert_eq!(scenario.check(scenario.ben).await.unwrap(), (Liveness::Alive, Some(200)));
        assert_eq!(
            scenario.fixture.cache.cache_statuses(scenario.ben, None, &[scenario.id]).await.unwrap().len(),
            1
        );
    }
}

/// Many sources respond with 404 to accounts without access: that must not affect others.
#[tokio::test]
async fn what_is_gone_for_one_account_is_not_gone_for_others() {
    for status in [404, 410] {
        let scenario = Scenario::open("", false).await;
        scenario.ben_too().await;
        scenario.fixture.sources.say(URL, Says::Status(200));
        scenario.fixture.sources.say_to(URL, scenario.ann, Says::Status(status));
        assert_eq!(scenario.check(scenario.ann).await.unwrap(), (Liveness::Gone, Some(status)));
        let signal = scenario.signal().await;
        assert_eq!((signal.liveness, signal.liveness_http), (Liveness::Unknown, None));
        assert!(scenario.fixture.grant(scenario.id, scenario.ann).await.unwrap().revoked_at.is_some());
        assert_eq!(scenario.check(scenario.ben).await.unwrap(), (Liveness::Alive, Some(200)));
        // He is the only one who has it now: the response to his account is stored, and nothing is removed.
        scenario.fixture.sources.say(URL, Says::Status(status));
        scenario.check(scenario.ben).await.unwrap();
        assert_eq!(scenario.signal().await.liveness, Liveness::Gone);
        assert!(scenario.fixture.grant(scenario.id, scenario.ben).await.unwrap().revoked_at.is_none());
    }
}

/// A supplied text is the person's own; whether the page is readable does not matter.
#[tokio::test]
async fn a_refusal_does_not_take_away_what_the_person_gave() {
    let scenario = Scenario::open("\"1\"", true).await;
    for says in [Says::Status(403), Says::Version("\"2\"")] {
        scenario.fixture.sources.say(URL, says);
        scenario.check(scenario.ann).await.unwrap();
        assert!(scenario.fixture.grant(scenario.id, scenario.ann).await.unwrap().revoked_at.is_none());
        assert_eq!(scenario.fixture.waiting().await, [], "and it is not fetched in its place");
    }
}

#[tokio::test]
async fn the_askers_credentials_come_first_then_those_of_others() {
    let scenario = Scenario::open("", false).await;
    scenario.ben_too().await;
    scenario.fixture.sources.say(URL, Says::Status(200));
    scenario.check(scenario.ann).await.unwrap();
    assert_eq!(scenario.fixture.sources.asked(), [scenario.ann]);
    // Ann has no token any more.
    scenario.fixture.sources.say_to(URL, scenario.ann, Says::Unavailable);
    assert_eq!(scenario.check(scenario.ann).await.unwrap().0, Liveness::Alive);
    assert_eq!(scenario.fixture.sources.asked(), [scenario.ann, scenario.ben]);
    // The number of attempts is limited, and people without access are not asked.
    for name in ["carl", "dora", "emil"] {
        let other = scenario.fixture.person(name).await;
        scenario.fixture.clock.advance(Duration::from_secs(1));
        let from = scenario.signal().await.source_provider_id;
        let kept =
            Kept { by: other, from, url: URL, text: "The river rose.", version: "", is_supplied: false };
        scenario.fixture.keep(kept).await;
    }
    scenario
        .fixture
        .store
        .revoke_grant(scenario.id, scenario.ben, scenario.fixture.clock.now())
        .await
        .unwrap();
    scenario.fixture.sources.say(URL, Says::Unavailable);
    assert_eq!(scenario.check(scenario.ann).await.unwrap(), (Liveness::Unknown, None));
    let asked = scenario.fixture.sources.asked();
    assert_eq!((asked.len(), asked[0]), (3, scenario.ann));
    assert!(!asked.contains(&scenario.ben));
}

#[tokio::test]
async fn a_changed_version_is_fetched_again_with_the_rights_of_who_asked() {
    let table = [
        ("\"1\"", Says::Version("\"2\""), true),
        ("\"1\"", Says::Version("W/\"1\""), false),
        ("\"1\"", Says::Version("Tue, 03 Nov 2026 10:00:00 GMT"), false),
        ("", Says::Version("\"2\""), false),
        ("\"1\"", Says::Status(404), false),
    ];
    for (version, says, is_fetched) in table {
        let scenario = Scenario::open(version, false).await;
        let verified = scenario.signal().await.last_verified;
        scenario.fixture.clock.advance(Duration::from_secs(60));
        scenario.fixture.sources.say(URL, says.clone());
        let (verdict, _) = scenario.check(scenario.ann).await.unwrap();
        let tasks = scenario.fixture.waiting().await;
        assert_eq!(!tasks.is_empty(), is_fetched, "{version} {says:?}");
        let signal = scenario.signal().await;
        if is_fetched {
            assert_eq!(verdict, Liveness::Alive);
            assert_eq!((tasks.len(), tasks[0].0.as_str()), (1, "ingest_document"));
            assert_eq!(
                (&tasks[0].1["signal"], &tasks[0].1["user"]),
                (&scenario.id.0.into(), &scenario.ann.0.into())
            );
            // The copy is outdated, so it is not verified.
            assert_eq!((signal.last_verified, signal.liveness), (verified, Liveness::Unknown));
            assert_eq!(signal.liveness_checked, Some(scenario.fixture.clock.now()));
        }
    }
}

#[tokio::test]
async fn who_may_not_see_it_does_not_learn_of_it() {
    let scenario = Scenario::open("", false).await;
    scenario.fixture.sources.say(URL, Says::Status(200));
    let before = scenario.signal().await;
    scenario.fixture.clock.advance(Duration::from_secs(60));
    assert!(matches!(scenario.check(scenario.ben).await, Err(CheckError::NotFound)));
    let unknown = scenario.fixture.cache.check_liveness(scenario.ann, &[scenario.id, SignalId(999)]).await;
    assert!(matches!(unknown, Err(CheckError::NotFound)));
    assert_eq!(scenario.fixture.sources.asked(), []);
    assert_eq!(scenario.signal().await, before);

    let closed = Fixture::with_license(settings(), false).await;
    let ann = closed.person("ann").await;
    let refused = closed.cache.check_liveness(ann, &[SignalId(1)]).await;
    assert!(matches!(refused, Err(CheckError::Unlicensed)));
}

#[tokio::test]
async fn several_are_answered_in_their_order() {
    let scenario = Scenario::open("", false).await;
    let mut ids = vec![scenario.id];
    for number in 0..12 {
        let url = format!("https://a.example/{number}");
        let text = format!("text {number}");
        let kept =
            Kept { by: scenario.ann, from: None, url: &url, text: &text, version: "", is_supplied: false };
        ids.insert(0, scenario.fixture.keep(kept).await);
        scenario.fixture.sources.say(&url, Says::Status(if number % 2 == 0 { 200 } else { 404 }));
    }
    let checked = scenario.fixture.cache.check_liveness(scenario.ann, &ids).await.unwrap();
    assert_eq!(checked.iter().map(|one| one.signal_id).collect::<Vec<_>>(), ids);
    assert_eq!((checked[0].verdict, checked[1].verdict), (Liveness::Gone, Liveness::Alive));
    assert_eq!(checked[12].verdict, Liveness::Unknown);
}

/// A fetch for a summary was denied.
#[tokio::test]
async fn a_refused_fetch_ends_the_right_too() {
    for by_mark in [false, true] {
        let scenario = Scenario::open("", false).await;
        let source = scenario.signal().await.source_provider_id.unwrap();
        let provider = scenario.fixture.store.provider(source).await.unwrap();
        let mut item = ResultItem { url: URL.to_owned() + "?utm_source=x#part", ..ResultItem::default() };
        if by_mark {
            let mark = scenario
                .fixture
                .cache
                .cache_statuses(scenario.ann, None, &[scenario.id])
                .await
                .unwrap()
                .remove(&scenario.id)
                .unwrap();
            item = ResultItem { cache: Some(Box::new(mark)), ..ResultItem::default() };
        }
        item.mark_as_given(provider.id);
        let time_max = Duration::from_secs(1);
        for user in [scenario.ben, scenario.ann] {
            assert!(scenario.fixture.grant(scenario.id, scenario.ann).await.unwrap().revoked_at.is_none());
            let wanted = DocumentRequest::of_result(&provider, &item, user, time_max);
            scenario.fixture.cache.denied(&wanted).await;
        }
        assert!(
            scenario.fixture.grant(scenario.id, scenario.ann).await.unwrap().revoked_at.is_some(),
            "{by_mark}"
        );
    }
}
