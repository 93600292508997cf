//! Versions of a lease that some people may see, and searches for them.

use crate::fixture::{CorpusFixture, Retrieved};
use corpus::canonical::PinWish;
use domain::contracts::{
    Clock, Corpus, EgressStore, FinishedRun, NewTask, QueueName, ScanOutcome, SearchStore, SignalStore,
    UserStore, VersionsAsked,
};
use domain::corpus::{
    Channel, Liveness, MatchMethod, MemberRole, NewEvent, NewScan, ScanCounts, Scope, Standing, Topic,
};
use domain::ids::{ProviderId, SearchId, SignalId, UserId};
use domain::result::{ResultItem, ResultSet};
use domain::search::{Search, SearchSpec};
use domain::settings::{Settings, Share};
use domain::status::{ProviderStatus, SearchStatus};
use domain::user::{CURATORS, Principal};
use serde_json::json;
use std::collections::BTreeMap;

pub const QUERY: &str = "Lease of the mill";
const TEXT: &str = "The owner lets the old mill at the river to the tenant for ten years. The tenant pays the rent on \
    the first day of every month and keeps the wheel, the stones and the roof in order. The owner may look at the \
    building twice a year after a letter of two weeks. Whoever breaks a stone replaces it.";

pub struct Scenario {
    pub fixture: CorpusFixture,
    /// A curator who retrieved all three.
    pub ann: UserId,
    /// Retrieved the first two.
    pub ben: UserId,
    /// A curator who retrieved the first two.
    pub cleo: UserId,
    /// An administrator who retrieved nothing.
    pub admin: UserId,
    /// `Lease v1 spec`, `Lease v2` and `Lease v3 final`.
    pub versions: [SignalId; 3],
    /// Something else, which all but the administrator retrieved.
    pub bread: SignalId,
}

pub fn electing() -> Settings {
    Settings { canonical_auto_elect_enabled: true, ..quiet() }
}

/// Elections are not automatic.
pub fn quiet() -> Settings {
    Settings { corpus_min_score: Share(0.3), ..Settings::default() }
}

impl Scenario {
    pub async fn open(settings: Settings) -> Self {
        let fixture = CorpusFixture::open(settings).await;
        let ann = fixture.person("ann", &[CURATORS], false).await;
        let ben = fixture.person("ben", &[], false).await;
        let cleo = fixture.person("cleo", &[CURATORS], false).await;
        let admin = fixture.person("root", &[], true).await;
        let titles = ["Lease v1 draft", "Lease v2", "Lease v3 final"];
        let mut versions = Vec::new();
        for (number, title) in (1..).zip(titles) {
            let (url, text) = (format!("https://h.example/{number}"), format!("{TEXT} {number}."));
            let who: &[UserId] = if number < 3 { &[ann, ben, cleo] } else { &[ann] };
            let mut id = SignalId(0);
            for by in who {
                id = fixture
                    .keep(Retrieved { by: *by, url: &url, title, text: &text, ..Retrieved::default() })
                    .await;
            }
            versions.push(id);
        }
        let (url, text) = ("https://h.example/bread", "Bread is baked from flour, water and salt.");
        let mut bread = SignalId(0);
        for by in [ann, ben, cleo] {
            bread = fixture.keep(Retrieved { by, url, title: "Bread", text, ..Retrieved::default() }).await;
        }
        let versions = versions.try_into().unwrap();
        Self { fixture, ann, ben, cleo, admin, versions, bread }
    }

    pub async fn principal(&self, user: UserId) -> Principal {
        Principal::of(&self.fixture.store.user(user).await.unwrap())
    }

    /// A search of this person that has ended, with the documents of the space among its results.
    pub async fn search(&self, owner: UserId, query: &str, tags: &[&str]) -> Search {
        let spec = SearchSpec {
            query_string: query.to_owned(),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            ..SearchSpec::default()
        };
        let now = self.fixture.clock.now();
        let task = |_: &Search| NewTask {
            queue: QueueName::Search,
            name: "none".to_owned(),
            payload: json!({}),
            attempts_max: 1,
            owner: None,
        };
        let search = self.fixture.store.create_search(spec, owner, Vec::new(), now, task).await.unwrap();
        let signals: Vec<SignalId> = self.candidates().iter().map(|(id, _)| *id).collect();
        let mut marks = self.fixture.cache.marks(owner, None, &signals).await.unwrap();
        let items = self.candidates().into_iter().filter_map(|(id, confidence)| {
            let cache = Some(Box::new(marks.remove(&id)?));
            Some(ResultItem { cache, swirl_confidence_score: confidence, ..ResultItem::default() })
        });
        let set = ResultSet {
            search: search.id,
            provider: ProviderId(1),
            provider_name: "Cache".to_owned(),
            status: ProviderStatus::Ok,
            error: None,
            found: 4,
            retrieved: 4,
            query_string_to_provider: String::new(),
            query_to_provider: String::new(),
            query_processors: Vec::new(),
            result_processors: Vec::new(),
            messages: Vec::new(),
            time_s: 0.1,
            items: items.collect(),
            date_created: now,
            date_updated: now,
        };
        let finished = FinishedRun {
            search: search.id,
            run: search.run,
            status: SearchStatus::FullResultsReady,
            query_string_processed: query.to_owned(),
            messages: Vec::new(),
            time_s: 0.1,
            sets: vec![set],
            found: None,
            now,
        };
        self.fixture.store.finish_run(finished).await.unwrap().unwrap();
        search
    }

    /// All documents, each as relevant as the others.
    pub fn candidates(&self) -> Vec<(SignalId, f64)> {
        self.versions.iter().chain([&self.bread]).map(|id| (*id, 0.8)).collect()
    }

    pub async fn standings(&self, search: &Search, records: bool) -> BTreeMap<SignalId, Standing> {
        let candidates = self.candidates();
        let asked = asked(search.id, search.owner, search.topic(), &candidates, records);
        self.fixture.cache.versions(asked).await.unwrap()
    }

    /// Searches, and tells `badge role` of the three versions; `-` for one that is not among them.
    pub async fn shown(&self, owner: UserId, tags: &[&str]) -> String {
        let search = self.search(owner, QUERY, tags).await;
        let standings = self.standings(&search, true).await;
        self.told(&standings)
    }

    pub fn told(&self, standings: &BTreeMap<SignalId, Standing>) -> String {
        let one = |id: &SignalId| {
            let Some(standing) = standings.get(id) else { return "-".to_owned() };
            let role = standing.cluster.as_ref().and_then(|cluster| cluster.role);
            format!("{:?} {}", standing.badge, role.map_or("none", MemberRole::as_str))
        };
        self.versions.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    pub async fn pin(&self, by: UserId, version: usize, scope: &str) {
        let wish = self.wish(version, scope);
        self.fixture.cache.pin(&self.principal(by).await, wish).await.unwrap();
    }

    pub fn wish(&self, version: usize, scope: &str) -> PinWish {
        PinWish {
            signal_id: self.versions[version],
            query: format!("  {} ", QUERY.to_uppercase()),
            scope: Scope::read(scope),
            force: false,
        }
    }

    pub async fn gone(&self, version: usize) {
        let now = self.fixture.clock.now();
        let id = self.versions[version];
        self.fixture.store.set_liveness(id, Liveness::Gone, Some(404), now).await.unwrap();
    }

    /// Somebody sent this version to somebody outside.
    pub async fn sent_outside(&self, by: UserId, version: usize) {
        let (store, now) = (&self.fixture.store, self.fixture.clock.now());
        let wanted = NewScan {
            user: by,
            channel: Channel::Outlook,
            matter_tag: String::new(),
            date_from: None,
            date_to: None,
        };
        let ScanOutcome::Queued(scan) = store.begin_scan(wanted, now, now).await.unwrap() else {
            panic!("the first scan of a person begins");
        };
        let event = NewEvent {
            signal_id: self.versions[version],
            signal_title: String::new(),
            external_domains: vec!["client.example".to_owned()],
            sent_at: now,
            method: MatchMethod::LinkExact,
            message_key: "key".to_owned(),
        };
        let added = store.add_events(scan.scan_id, ScanCounts::default(), vec![event], now).await.unwrap();
        assert_eq!(added, Some((1, 0)));
    }
}

pub fn asked<'a>(
    search: SearchId,
    asker: UserId,
    topic: Topic<'a>,
    candidates: &'a [(SignalId, f64)],
    records: bool,
) -> VersionsAsked<'a> {
    VersionsAsked { asker, search, topic, candidates, records, on_request: false }
}
