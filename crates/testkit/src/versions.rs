//! A fake semantic cache with predefined versions of documents, which records its requests.

use async_trait::async_trait;
use domain::corpus::{
    Badge, CacheStatus, ClusterMark, ClusterMember, DecidedBy, Liveness, MemberRole, Origin, SignalState,
    Topic, VersionStatus,
};
use domain::ids::{ProviderId, RunId, SignalId, UserId};
use domain::ports::{
    Corpus, CorpusError, CorpusErrorKind, CorpusQuery, CorpusResults, DocumentRequest, PageText, VersionQuery,
};
use domain::result::ResultItem;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

pub type VersionStatuses = BTreeMap<SignalId, VersionStatus>;

/// One call of `versions`.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedVersions {
    pub query: String,
    pub candidates: Vec<(i64, f64)>,
    pub records: bool,
    pub on_request: bool,
}

/// An open cache without texts, in which everybody may see every known document.
#[derive(Debug)]
pub struct KnownVersions {
    standings: Mutex<Result<VersionStatuses, CorpusError>>,
    asked: Mutex<Vec<AskedVersions>>,
    rejected: Mutex<BTreeSet<RunId>>,
    hangs: AtomicBool,
}

impl KnownVersions {
    pub fn new(standings: VersionStatuses) -> Self {
        Self {
            standings: Mutex::new(Ok(standings)),
            asked: Mutex::default(),
            rejected: Mutex::default(),
            hangs: AtomicBool::new(false),
        }
    }

    /// Sets the returned statuses.
    pub fn say(&self, standings: VersionStatuses) {
        *self.standings.lock().unwrap() = Ok(standings);
    }

    /// Marks this election as rejected.
    pub fn reject(&self, run: i64) {
        self.rejected.lock().unwrap().insert(RunId(run));
    }

    /// Makes requests for versions fail.
    pub fn fail(&self, why: &str) {
        *self.standings.lock().unwrap() = Err(CorpusError::new(CorpusErrorKind::Unavailable, why));
    }

    /// Makes requests for versions hang.
    pub fn hang(&self) {
        self.hangs.store(true, Ordering::Relaxed);
    }

    /// The requests since the last call.
    pub fn asked(&self) -> Vec<AskedVersions> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

/// The versions `members`, of which the first counts. Its badge names what chose it.
pub fn decided(members: &[i64], by: DecidedBy, run: i64) -> VersionStatuses {
    let winner = members[0];
    let badge = |id: i64| match by {
        _ if id != winner => Badge::Alternate,
        DecidedBy::Pin => Badge::Pinned,
        DecidedBy::Election => Badge::AutoSelected,
    };
    let role = |id: i64| if id == winner { MemberRole::Winner } else { MemberRole::Alternate };
    let standing = |id: i64| {
        let cluster = ClusterMark {
            role: Some(role(id)),
            winner_signal_id: Some(SignalId(winner)),
            decided_by: Some(by),
            ..versions_of(members)
        };
        VersionStatus { badge: badge(id), cluster: Some(cluster), run_id: Some(RunId(run)) }
    };
    members.iter().map(|id| (SignalId(*id), standing(*id))).collect()
}

/// The versions `members`, none of which is decided.
pub fn undecided(members: &[i64]) -> VersionStatuses {
    let standing = VersionStatus { badge: Badge::Cached, cluster: Some(versions_of(members)), run_id: None };
    members.iter().map(|id| (SignalId(*id), standing.clone())).collect()
}

/// A document without other versions.
pub fn alone(id: i64, badge: Badge) -> (SignalId, VersionStatus) {
    (SignalId(id), VersionStatus { badge, cluster: None, run_id: None })
}

/// The cache status of a document that is alive at its source.
pub fn mark(id: i64) -> CacheStatus {
    CacheStatus {
        signal_id: SignalId(id),
        state: SignalState::Indexed,
        badge: Badge::Cached,
        cluster: None,
        run_id: None,
        last_verified: None,
        liveness: Liveness::Alive,
        stale: false,
        shared_externally: false,
        matter_tags: Vec::new(),
    }
}

fn versions_of(members: &[i64]) -> ClusterMark {
    let member = |id: &i64| ClusterMember {
        signal_id: SignalId(*id),
        title: format!("Version {id}"),
        url: String::new(),
        version_label: format!("v{id}"),
        date: String::new(),
    };
    ClusterMark {
        key: SignalId(members.iter().copied().min().unwrap_or_default()),
        size: u32::try_from(members.len()).unwrap(),
        role: None,
        winner_signal_id: None,
        decided_by: None,
        members: members.iter().map(member).collect(),
    }
}

#[async_trait]
impl Corpus for KnownVersions {
    fn is_open(&self) -> bool {
        true
    }
    async fn search(&self, _question: CorpusQuery<'_>) -> Result<CorpusResults, CorpusError> {
        Ok(CorpusResults::default())
    }
    async fn versions(&self, asked: VersionQuery<'_>) -> Result<VersionStatuses, CorpusError> {
        self.asked.lock().unwrap().push(AskedVersions {
            query: asked.topic.query.to_owned(),
            candidates: asked.candidates.iter().map(|(id, relevance)| (id.0, *relevance)).collect(),
            records: asked.records,
            on_request: asked.on_request,
        });
        if self.hangs.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        let is_asked = |id: &SignalId| asked.candidates.iter().any(|(candidate, _)| candidate == id);
        let known = self.standings.lock().unwrap().clone()?;
        Ok(known.into_iter().filter(|(id, _)| is_asked(id)).collect())
    }
    async fn cache_statuses(
        &self,
        _asker: UserId,
        topic: Option<Topic<'_>>,
        signals: &[SignalId],
    ) -> Result<BTreeMap<SignalId, CacheStatus>, CorpusError> {
        let known = self.standings.lock().unwrap().clone().unwrap_or_default();
        let pinned = |id: &SignalId| known.get(id).is_some_and(|one| one.badge == Badge::Pinned);
        let badge = |id: &SignalId| if topic.is_some() && pinned(id) { Badge::Pinned } else { Badge::Cached };
        Ok(signals.iter().map(|id| (*id, CacheStatus { badge: badge(id), ..mark(id.0) })).collect())
    }
    async fn rejected(&self, runs: &[RunId]) -> Result<BTreeSet<RunId>, CorpusError> {
        let rejected = self.rejected.lock().unwrap();
        Ok(runs.iter().copied().filter(|run| rejected.contains(run)).collect())
    }
    async fn recheck(&self, _asker: UserId, _marks: &mut BTreeMap<SignalId, CacheStatus>) {}
    async fn text(&self, _wanted: &DocumentRequest<'_>) -> Option<PageText> {
        None
    }
    async fn keep(&self, _wanted: &DocumentRequest<'_>, _text: &PageText, _origin: Origin) {}
    async fn denied(&self, _wanted: &DocumentRequest<'_>) {}
    async fn promote(&self, _owner: UserId, _tags: &[String], _results: &[(ProviderId, ResultItem)]) {}
}
