//! The request that waits gets the results of a run of its process, also if it reads the row before they are handed
//! over.

use super::*;
use crate::search::ended_runs::EndedRun;
use domain::ids::{SearchId, UserId};
use domain::ports::{Clock, FinishedRun, SearchStore, StoredRun, SystemClock, UserStore};
use domain::preferences::Preferences;
use domain::search::SearchSpec;
use domain::secret::Secret;
use domain::status::SearchStatus;
use domain::user::UserSpec;
use store::{EncryptionKey, SqlStore, StoreConfig};

/// More than any wait of these tests takes.
const AT_MOST: Duration = Duration::from_secs(20);

struct Fixture {
    store: Arc<SqlStore>,
    progress: Arc<ProgressHub>,
    ended_runs: Arc<EndedRuns>,
    waiter: SearchWaiter,
    owner: UserId,
}

impl Fixture {
    async fn new() -> Self {
        let url = Secret::new("sqlite::memory:");
        let config = StoreConfig { url, pool_max: 2, key: EncryptionKey::generate() };
        let store = Arc::new(SqlStore::open(config).await.expect("opened"));
        let user = UserSpec { username: "ann".to_owned(), ..UserSpec::default() };
        let owner = store.create_user(user, String::new(), SystemClock.now()).await.expect("created").id;
        let (progress, ended_runs) = (Arc::new(ProgressHub::default()), Arc::new(EndedRuns::default()));
        let waiter =
            SearchWaiter::new(store.clone(), Arc::clone(&progress), Arc::clone(&ended_runs), AT_MOST);
        Self { store, progress, ended_runs, waiter, owner }
    }

    async fn create(&self) -> Search {
        let spec = SearchSpec::of_query("mill");
        self.store
            .create_search(spec, self.owner, Vec::new(), SystemClock.now(), None)
            .await
            .expect("created")
    }

    async fn store_run(&self, search: &Search) -> StoredRun {
        let finished = FinishedRun {
            search: search.id,
            run: search.run,
            status: SearchStatus::FullResultsReady,
            query_string_processed: String::new(),
            notices: Vec::new(),
            time_s: 0.0,
            sets: Vec::new(),
            found: None,
            now: SystemClock.now(),
        };
        self.store.finish_run(finished).await.expect("stored").expect("the newest run")
    }

    fn hand_over(&self, id: SearchId, run: StoredRun) {
        self.ended_runs.put(EndedRun { run, preferences: Preferences::default() });
        self.progress.status_changed(id, SearchStatus::FullResultsReady);
    }
}

#[tokio::test]
async fn results_that_are_handed_over_late_are_not_read_again() {
    let fixture = Fixture::new().await;
    let search = fixture.create().await;
    let expected = fixture.waiter.expect(&search);
    fixture.ended_runs.begin(search.id);
    let run = fixture.store_run(&search).await;
    let late = async {
        // The row was read, and says that the search has ended.
        tokio::time::sleep(ROW_READ_EVERY.mul_f64(1.5)).await;
        fixture.hand_over(search.id, run);
    };
    let (ended, ()) = tokio::join!(fixture.waiter.wait_for(expected, &search, AT_MOST), late);
    assert!(ended.expect("ended").handed.is_some());
}

#[tokio::test]
async fn results_of_other_processes_and_lost_ones_are_read_from_the_store() {
    let fixture = Fixture::new().await;
    for is_here in [false, true] {
        let search = fixture.create().await;
        let expected = fixture.waiter.expect(&search);
        if is_here {
            fixture.ended_runs.begin(search.id);
        }
        fixture.store_run(&search).await;
        let ended = fixture.waiter.wait_for(expected, &search, AT_MOST).await.expect("ended");
        assert_eq!((ended.search.status, ended.handed.is_some()), (SearchStatus::FullResultsReady, false));
    }
}
