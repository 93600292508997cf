//! Versions of a lease that some people may see, and searches for them.

use crate::fixture::{CorpusFixture, Retrieved};
use corpus::canonical::PinRequest;
use domain::corpus::{
    Channel, Liveness, MatchMethod, MemberRole, NewEvent, NewScan, ScanCounts, Scope, Topic, VersionStatus,
};
use domain::ids::{SearchId, SignalId, UserId};
use domain::ports::{
    AddedEvents, Clock, Corpus, EgressStore, ExistingPin, FinishedRun, ScanOutcome, SearchStore, SignalStore,
    UserStore, VersionQuery,
};
use domain::result::ResultItem;
use domain::search::{Search, SearchSpec};
use domain::settings::{Ratio, Settings};
use domain::status::SearchStatus;
use domain::user::{CURATORS, Principal};
use std::collections::BTreeMap;
use testkit::builders::{item, result_set};

pub const QUERY: &str = "Lease of the mill";
const TEXT: &str = "The owner lets the old mill at the river to the tenant for ten years. The tenant pays the rent on \
    the first day of every month and keeps the wheel, the stones and the roof in order. The owner may look at the \
    building twice a year after a notice of two weeks. Whoever breaks a stone replaces it.";

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
    /// `Lease v1 draft`, `Lease v2` and `Lease v3 final`.
    pub versions: [SignalId; 3],
    /// An unrelated document that all but the administrator retrieved.
    pub bread: SignalId,
}

pub fn electing() -> Settings {
    Settings { canonical_auto_elect_enabled: true, ..quiet() }
}

/// Without automatic elections.
pub fn quiet() -> Settings {
    Settings { corpus_min_score: Ratio(0.3), ..Settings::default() }
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

    /// A finished search of this person, with the documents among its results.
    pub async fn search(&self, owner: UserId, query: &str, tags: &[&str]) -> Search {
        let spec = SearchSpec {
            query_string: query.to_owned(),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            ..SearchSpec::default()
        };
        let now = self.fixture.clock.now();
        let search = self.fixture.store.create_search(spec, owner, Vec::new(), now, None).await.unwrap();
        let signals: Vec<SignalId> = self.candidates().iter().map(|(id, _)| *id).collect();
        let mut marks = self.fixture.cache.cache_statuses(owner, None, &signals).await.unwrap();
        let items = self.candidates().into_iter().filter_map(|(id, confidence)| {
            let cache = Some(Box::new(marks.remove(&id)?));
            Some(ResultItem { cache, ..item("").confidence(confidence).build() })
        });
        let set = result_set(1).search(search.id).named("Cache").items(items).at(now).build();
        let finished = FinishedRun {
            search: search.id,
            run: search.run,
            status: SearchStatus::FullResultsReady,
            query_string_processed: query.to_owned(),
            notices: Vec::new(),
            time_s: 0.1,
            sets: vec![set],
            found: None,
            now,
        };
        self.fixture.store.finish_run(finished).await.unwrap().unwrap();
        search
    }

    /// All documents, equally relevant.
    pub fn candidates(&self) -> Vec<(SignalId, f64)> {
        self.versions.iter().chain([&self.bread]).map(|id| (*id, 0.8)).collect()
    }

    pub async fn statuses(&self, search: &Search, records: bool) -> BTreeMap<SignalId, VersionStatus> {
        let candidates = self.candidates();
        let asked = asked(search.id, search.owner, search.topic(), &candidates, records);
        self.fixture.cache.versions(asked).await.unwrap()
    }

    /// Searches, and returns `badge role` of the three versions; `-` for a missing one.
    pub async fn shown(&self, owner: UserId, tags: &[&str]) -> String {
        let search = self.search(owner, QUERY, tags).await;
        let statuses = self.statuses(&search, true).await;
        self.told(&statuses)
    }

    pub fn told(&self, statuses: &BTreeMap<SignalId, VersionStatus>) -> String {
        let one = |id: &SignalId| {
            let Some(status) = statuses.get(id) else { return "-".to_owned() };
            let role = status.cluster.as_ref().and_then(|cluster| cluster.role);
            format!("{:?} {}", status.badge, role.map_or("none", MemberRole::as_str))
        };
        self.versions.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    pub async fn pin(&self, by: UserId, version: usize, scope: &str) {
        let request = self.request(version, scope);
        self.fixture.cache.pin(&self.principal(by).await, request).await.unwrap();
    }

    pub fn request(&self, version: usize, scope: &str) -> PinRequest {
        PinRequest {
            signal_id: self.versions[version],
            query: format!("  {} ", QUERY.to_uppercase()),
            scope: Scope::parse(scope).unwrap(),
            existing: ExistingPin::Keep,
        }
    }

    pub async fn gone(&self, version: usize) {
        let now = self.fixture.clock.now();
        let id = self.versions[version];
        self.fixture.store.set_liveness(id, Liveness::Gone, Some(404), now).await.unwrap();
    }

    /// Records that this version was sent to an external recipient.
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
        assert_eq!(added, Some(AddedEvents { matches: 1, candidates: 0 }));
    }
}

pub fn asked<'a>(
    search: SearchId,
    asker: UserId,
    topic: Topic<'a>,
    candidates: &'a [(SignalId, f64)],
    records: bool,
) -> VersionQuery<'a> {
    VersionQuery { asker, search, topic, candidates, records, on_request: false }
}
