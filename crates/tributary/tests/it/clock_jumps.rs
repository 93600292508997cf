//! Searches while the clock jumps by days: durations stay short and are never negative, and retention and subscriptions
//! run once.

use chrono::TimeDelta;
use domain::ids::{SearchId, TaskId, UserId};
use domain::instant::Instant;
use domain::pipeline::SYSTEM_DEFAULT;
use domain::ports::{
    ClaimedTask, Clock, Observer, PipelineStore, ProviderEnd, ProviderStore, QueueName, ResultStore,
    SearchStore, StoreError, SummaryEnd, TaskHandler, TaskQueue, UserStore,
};
use domain::provider::ProviderSpec;
use domain::search::{Search, SearchSpec};
use domain::secret::Secret;
use domain::settings::Settings;
use domain::status::{RunKind, SearchStatus};
use domain::user::UserSpec;
use federation::{ExpireSearches, Federation, FederationDeps, RunSubscriptions};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::{EncryptionKey, SqlStore, StoreConfig};
use tasks::queue::SqlQueue;
use testkit::clock::FixedClock;
use testkit::source::{Behavior, Source};
use tributary::app::{FileReaders, PLUGINS, context};

/// Longer than any run here takes, and far shorter than a jump.
const RUN_MAX: Duration = Duration::from_secs(60);

/// Every reading gives another day: today, tomorrow, yesterday.
#[derive(Default)]
struct JumpingClock(AtomicI64, FixedClock);

impl Clock for JumpingClock {
    fn now(&self) -> Instant {
        let days = [0, 1, -1][self.0.fetch_add(1, Ordering::Relaxed).unsigned_abs() as usize % 3];
        self.1.now() + TimeDelta::days(days)
    }
}

/// Records the durations that are reported to the metrics.
#[derive(Default)]
struct RecordedDurations {
    all: Mutex<Vec<Duration>>,
    /// The longest stage of the current run.
    longest: Mutex<Duration>,
}

impl RecordedDurations {
    fn part(&self, took: Duration) {
        self.all.lock().unwrap().push(took);
        let mut longest = self.longest.lock().unwrap();
        *longest = took.max(*longest);
    }
}

impl Observer for RecordedDurations {
    /// Counted from the stored time of the request, so a jump may make it long; it cannot be less than one stage.
    fn search_ended(&self, _status: SearchStatus, took: Duration) {
        let longest = std::mem::take(&mut *self.longest.lock().unwrap());
        assert!(took >= longest, "{took:?} is less than {longest:?}");
    }

    fn federated(&self, took: Duration) {
        self.part(took);
    }

    fn provider_ended(&self, end: &ProviderEnd<'_>) {
        self.part(end.took);
    }

    fn summary_ended(&self, _end: &SummaryEnd<'_>) {}
}

struct Fixture {
    store: Arc<SqlStore>,
    queue: Arc<dyn TaskQueue>,
    federation: Arc<Federation>,
    recorded: Arc<RecordedDurations>,
    owner: UserId,
    _source: Source,
}

impl Fixture {
    async fn open(clock: Arc<dyn Clock>) -> Self {
        let key = EncryptionKey::from_secret(&Secret::new("a test key"));
        let config = StoreConfig { url: Secret::new("sqlite::memory:"), pool_max: 1, key };
        let store = Arc::new(SqlStore::open(config).await.unwrap());
        let queue: Arc<dyn TaskQueue> = Arc::new(SqlQueue::new(store.clone(), Arc::clone(&clock)));
        let recorded = Arc::new(RecordedDurations::default());
        let source = Source::start().await;
        source
            .reply(Behavior::Json(crate::app_harness::items("river", 3)).delayed(Duration::from_millis(20)));
        let user = UserSpec { username: "ann".to_owned(), ..UserSpec::default() };
        let owner = store.create_user(user, "hash".to_owned(), clock.now()).await.unwrap().id;
        let provider = ProviderSpec {
            name: "Rivers".to_owned(),
            url: source.url().to_string(),
            query_template: "{url}?q={query_string}".to_owned(),
            response_mappings: "FOUND=total,RESULTS=items".into(),
            result_mappings: "title=title,body=body,url=url,date_published=date".into(),
            ..ProviderSpec::default()
        };
        store.ensure_pipeline(SYSTEM_DEFAULT, PLUGINS.default_post_result, clock.now()).await.unwrap();
        store.create_providers(vec![provider], owner, clock.now()).await.unwrap();
        let federation = Arc::new(Federation::new(FederationDeps {
            store: store.clone(),
            queue: Arc::clone(&queue),
            plugins: PLUGINS,
            context: context(&Settings::default(), clock, FileReaders::Threads).unwrap(),
            settings: Arc::default(),
            tokens: Arc::new(domain::ports::Unavailable),
            pages: Arc::new(domain::ports::Unavailable),
            observer: recorded.clone(),
        }));
        Self { store, queue, federation, recorded, owner, _source: source }
    }

    /// Creates a search and runs it.
    async fn search(&self, spec: SearchSpec) -> Search {
        let spec = SearchSpec { query_string: "river".to_owned(), ..spec };
        let search = self.federation.searches.create(self.owner, spec).await.unwrap();
        self.federation
            .runner
            .run(search.id, search.run, RunKind::New, &domain::ports::NoSlot)
            .await
            .unwrap();
        self.store.search(search.id).await.unwrap()
    }

    async fn is_there(&self, id: SearchId) -> bool {
        match self.store.search(id).await {
            Ok(_) => true,
            Err(StoreError::NotFound) => false,
            Err(error) => panic!("{error}"),
        }
    }
}

fn task(name: &str) -> ClaimedTask {
    ClaimedTask {
        id: TaskId(1),
        queue: QueueName::Maintenance,
        name: name.to_owned(),
        payload: Default::default(),
        attempt: 1,
        attempts_max: 1,
        owner: None,
        lease: String::new(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn times_are_right_while_the_clock_jumps_all_the_time() {
    let fixture = Fixture::open(Arc::new(JumpingClock::default())).await;
    for _ in 0..9 {
        let search = fixture.search(SearchSpec::default()).await;
        assert_eq!(search.status, SearchStatus::FullResultsReady, "{search:?}");
        assert!((0.0..RUN_MAX.as_secs_f64()).contains(&search.time_s), "{search:?}");
        let sets = fixture.store.result_sets(search.id).await.unwrap();
        assert_eq!((sets.len(), sets[0].items.len()), (1, 3));
        assert!((0.0..RUN_MAX.as_secs_f64()).contains(&sets[0].time_s), "{sets:?}");
        for notice in search.notices.iter().chain(&sets[0].notices) {
            let said = notice.kind.to_string();
            let has_minus = (0..10).any(|digit| said.contains(&format!(" -{digit}")));
            assert!(!has_minus && !said.contains("86400"), "{notice}");
        }
    }
    let recorded = fixture.recorded.all.lock().unwrap().clone();
    assert!(recorded.len() >= 18, "{recorded:?}");
    assert!(recorded.iter().all(|took| *took < RUN_MAX), "{recorded:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn retention_ends_once_whatever_the_clock_did_before() {
    let clock = Arc::new(FixedClock::default());
    let fixture = Fixture::open(clock.clone()).await;
    let expire = ExpireSearches(Arc::clone(&fixture.federation));
    let for_a_day = fixture.search(SearchSpec { retention: Some(2), ..SearchSpec::default() }).await.id;
    let for_ever = fixture.search(SearchSpec::default()).await.id;
    let start = clock.now();
    // Nothing is deleted early, and returning from yesterday deletes nothing either.
    for days in [-1, 0, -1, 0] {
        clock.set(start + TimeDelta::days(days));
        expire.run(&task(ExpireSearches::NAME)).await.unwrap();
        assert!(fixture.is_there(for_a_day).await, "{days}");
    }
    for days in [1, -1, 1] {
        clock.set(start + TimeDelta::days(days));
        expire.run(&task(ExpireSearches::NAME)).await.unwrap();
        assert!(!fixture.is_there(for_a_day).await && fixture.is_there(for_ever).await, "{days}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_runs_once_for_each_time_it_is_started() {
    let clock = Arc::new(FixedClock::default());
    let fixture = Fixture::open(clock.clone()).await;
    let subscribe = RunSubscriptions(Arc::clone(&fixture.federation));
    let mut search = fixture.search(SearchSpec { subscribe: true, ..SearchSpec::default() }).await;
    for days in [1, -1, -1, 1] {
        clock.set(clock.now() + TimeDelta::days(days));
        let waiting = fixture.queue.depth(QueueName::Search).await.unwrap();
        // A task may run twice; the update is requested once.
        for _ in 0..2 {
            subscribe.run(&task(RunSubscriptions::NAME)).await.unwrap();
        }
        let asked = fixture.store.search(search.id).await.unwrap();
        assert_eq!(asked.run.0, search.run.0 + 1, "{days} day(s)");
        assert_eq!(fixture.queue.depth(QueueName::Search).await.unwrap(), waiting + 1);
        fixture
            .federation
            .runner
            .run(asked.id, asked.run, RunKind::Update, &domain::ports::NoSlot)
            .await
            .unwrap();
        search = fixture.store.search(asked.id).await.unwrap();
        assert_eq!(search.status, SearchStatus::FullUpdateReady, "{search:?}");
        assert!((0.0..RUN_MAX.as_secs_f64()).contains(&search.time_s), "{search:?}");
    }
}
