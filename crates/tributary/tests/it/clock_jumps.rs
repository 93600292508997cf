//! Searches while the clock jumps by days: times stay short and never negative, retention and subscriptions do their
//! work once.

use chrono::TimeDelta;
use domain::contracts::{
    AnswerEnd, ClaimedTask, Clock, Observer, PipelineStore, ProviderStore, QueueName, ResultStore,
    SearchStore, Store, StoreError, TaskHandler, TaskQueue, UserStore,
};
use domain::ids::{ProviderId, SearchId, TaskId, UserId};
use domain::instant::Instant;
use domain::pipeline_record::SYSTEM_DEFAULT;
use domain::provider::ProviderSpec;
use domain::search::{Search, SearchSpec};
use domain::secret::Secret;
use domain::settings::Settings;
use domain::status::SearchStatus;
use domain::user::UserSpec;
use federation::{ExpireSearches, Federation, FederationParts, RunSubscriptions};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::{SealKey, SqlStore, StoreConfig};
use tasks::queue::SqlQueue;
use testkit::clock::FixedClock;
use testkit::source::{Behaviour, Source};
use tributary::wiring::{PLUGINS, context};

/// Longer than any run here takes, and far shorter than a jump.
const RUN_MAX: Duration = Duration::from_secs(60);

/// Every look at it gives another day: today, tomorrow, yesterday.
#[derive(Default)]
struct JumpingClock(AtomicI64, FixedClock);

impl Clock for JumpingClock {
    fn now(&self) -> Instant {
        let days = [0, 1, -1][self.0.fetch_add(1, Ordering::Relaxed).unsigned_abs() as usize % 3];
        self.1.now() + TimeDelta::days(days)
    }
}

/// What the metrics would be told.
#[derive(Default)]
struct Heard {
    all: Mutex<Vec<Duration>>,
    /// The longest part of the run that has not ended yet.
    longest: Mutex<Duration>,
}

impl Heard {
    fn part(&self, took: Duration) {
        self.all.lock().unwrap().push(took);
        let mut longest = self.longest.lock().unwrap();
        *longest = took.max(*longest);
    }
}

impl Observer for Heard {
    /// Counted from the stored moment of asking, so a jump may make it long; it cannot make it less than a part.
    fn search_ended(&self, _status: SearchStatus, took: Duration) {
        let longest = std::mem::take(&mut *self.longest.lock().unwrap());
        assert!(took >= longest, "{took:?} is less than {longest:?}");
    }

    fn federated(&self, took: Duration) {
        self.part(took);
    }

    fn provider_ended(&self, _provider: (ProviderId, &str), _error: Option<&str>, took: Duration) {
        self.part(took);
    }

    fn answer_ended(&self, _end: &AnswerEnd<'_>) {}
}

struct Bench {
    store: Arc<SqlStore>,
    queue: Arc<dyn TaskQueue>,
    federation: Arc<Federation>,
    heard: Arc<Heard>,
    owner: UserId,
    _source: Source,
}

impl Bench {
    async fn open(clock: Arc<dyn Clock>) -> Self {
        let key = SealKey::from_secret(&Secret::new("a test key"));
        let config = StoreConfig { url: Secret::new("sqlite::memory:"), pool_max: 1, key };
        let store = Arc::new(SqlStore::open(config).await.unwrap());
        let shared: Arc<dyn Store> = store.clone();
        let queue: Arc<dyn TaskQueue> = Arc::new(SqlQueue::new(Arc::clone(&shared), Arc::clone(&clock)));
        let heard = Arc::new(Heard::default());
        let source = Source::start().await;
        source
            .reply(Behaviour::Json(crate::app_harness::items("river", 3)).delayed(Duration::from_millis(20)));
        let user = UserSpec { username: "ann".to_owned(), ..UserSpec::default() };
        let owner = store.create_user(user, "hash".to_owned(), clock.now()).await.unwrap().id;
        let provider = ProviderSpec {
            name: "Rivers".to_owned(),
            url: source.url().to_string(),
            query_template: "{url}?q={query_string}".to_owned(),
            response_mappings: "FOUND=total,RESULTS=items".to_owned(),
            result_mappings: "title=title,body=body,url=url,date_published=date".to_owned(),
            ..ProviderSpec::default()
        };
        store.ensure_pipeline(SYSTEM_DEFAULT, PLUGINS.default_post_result, clock.now()).await.unwrap();
        store.create_providers(vec![provider], owner, clock.now()).await.unwrap();
        let federation = Arc::new(Federation::new(FederationParts {
            store: shared,
            queue: Arc::clone(&queue),
            plugins: PLUGINS,
            context: context(&Arc::new(Settings::default()), clock).unwrap(),
            tokens: Arc::new(domain::contracts::Nothing),
            pages: Arc::new(domain::contracts::Nothing),
            observer: heard.clone(),
        }));
        Self { store, queue, federation, heard, owner, _source: source }
    }

    /// A search that has run.
    async fn search(&self, spec: SearchSpec) -> Search {
        let spec = SearchSpec { query_string: "river".to_owned(), ..spec };
        let search = self.federation.create(self.owner, spec).await.unwrap();
        self.federation.run(search.id, search.run, false, &domain::contracts::NoSlot).await.unwrap();
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
    let bench = Bench::open(Arc::new(JumpingClock::default())).await;
    for _ in 0..9 {
        let search = bench.search(SearchSpec::default()).await;
        assert_eq!(search.status, SearchStatus::FullResultsReady, "{search:?}");
        assert!((0.0..RUN_MAX.as_secs_f64()).contains(&search.time_s), "{search:?}");
        let sets = bench.store.result_sets(search.id).await.unwrap();
        assert_eq!((sets.len(), sets[0].items.len()), (1, 3));
        assert!((0.0..RUN_MAX.as_secs_f64()).contains(&sets[0].time_s), "{sets:?}");
        for line in search.messages.iter().chain(&sets[0].messages) {
            let said = line.split_once("] ").map_or(line.as_str(), |(_, said)| said);
            let has_minus = (0..10).any(|digit| said.contains(&format!(" -{digit}")));
            assert!(!has_minus && !said.contains("86400"), "{line}");
        }
    }
    let heard = bench.heard.all.lock().unwrap().clone();
    assert!(heard.len() >= 18, "{heard:?}");
    assert!(heard.iter().all(|took| *took < RUN_MAX), "{heard:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn retention_ends_once_whatever_the_clock_did_before() {
    let clock = Arc::new(FixedClock::default());
    let bench = Bench::open(clock.clone()).await;
    let expire = ExpireSearches(Arc::clone(&bench.federation));
    let for_a_day = bench.search(SearchSpec { retention: Some(2), ..SearchSpec::default() }).await.id;
    let for_ever = bench.search(SearchSpec::default()).await.id;
    let start = clock.now();
    // Nothing is deleted early, and coming back from yesterday deletes nothing either.
    for days in [-1, 0, -1, 0] {
        clock.set(start + TimeDelta::days(days));
        expire.run(&task(ExpireSearches::NAME)).await.unwrap();
        assert!(bench.is_there(for_a_day).await, "{days}");
    }
    for days in [1, -1, 1] {
        clock.set(start + TimeDelta::days(days));
        expire.run(&task(ExpireSearches::NAME)).await.unwrap();
        assert!(!bench.is_there(for_a_day).await && bench.is_there(for_ever).await, "{days}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_runs_once_for_each_time_it_is_started() {
    let clock = Arc::new(FixedClock::default());
    let bench = Bench::open(clock.clone()).await;
    let subscribe = RunSubscriptions(Arc::clone(&bench.federation));
    let mut search = bench.search(SearchSpec { subscribe: true, ..SearchSpec::default() }).await;
    for days in [1, -1, -1, 1] {
        clock.set(clock.now() + TimeDelta::days(days));
        let waiting = bench.queue.depth(QueueName::Search).await.unwrap();
        // A task may run twice; the update is asked for once.
        for _ in 0..2 {
            subscribe.run(&task(RunSubscriptions::NAME)).await.unwrap();
        }
        let asked = bench.store.search(search.id).await.unwrap();
        assert_eq!(asked.run, search.run + 1, "{days} day(s)");
        assert_eq!(bench.queue.depth(QueueName::Search).await.unwrap(), waiting + 1);
        bench.federation.run(asked.id, asked.run, true, &domain::contracts::NoSlot).await.unwrap();
        search = bench.store.search(asked.id).await.unwrap();
        assert_eq!(search.status, SearchStatus::FullUpdateReady, "{search:?}");
        assert!((0.0..RUN_MAX.as_secs_f64()).contains(&search.time_s), "{search:?}");
    }
}
