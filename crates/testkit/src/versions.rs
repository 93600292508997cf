//! A semantic cache that knows beforehand which documents are versions of each other, and remembers what it was asked.

use async_trait::async_trait;
use domain::contracts::{
    Corpus, CorpusAnswer, CorpusError, CorpusQuestion, PageText, PageWanted, VersionsAsked,
};
use domain::corpus::{
    Badge, CacheMark, ClusterMark, ClusterMember, DecidedBy, Liveness, MemberRole, Origin, SignalState,
    Standing, Topic,
};
use domain::ids::{ProviderId, RunId, SignalId, UserId};
use domain::result::ResultItem;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

pub type Standings = BTreeMap<SignalId, Standing>;

/// What one call of `versions` asked.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedVersions {
    pub query: String,
    pub candidates: Vec<(i64, f64)>,
    pub records: bool,
    pub on_request: bool,
}

/// Open, without any text; everybody may see every document that it knows.
#[derive(Debug)]
pub struct KnownVersions {
    standings: Mutex<Result<Standings, CorpusError>>,
    asked: Mutex<Vec<AskedVersions>>,
    rejected: Mutex<BTreeSet<RunId>>,
    hangs: AtomicBool,
}

impl KnownVersions {
    pub fn new(standings: Standings) -> Self {
        Self {
            standings: Mutex::new(Ok(standings)),
            asked: Mutex::default(),
            rejected: Mutex::default(),
            hangs: AtomicBool::new(false),
        }
    }

    /// From now on it says this.
    pub fn say(&self, standings: Standings) {
        *self.standings.lock().unwrap() = Ok(standings);
    }

    /// From now on this election is a rejected one.
    pub fn reject(&self, run: i64) {
        self.rejected.lock().unwrap().insert(RunId(run));
    }

    /// From now on it cannot be asked for versions.
    pub fn fail(&self, why: &str) {
        *self.standings.lock().unwrap() = Err(CorpusError(why.to_owned()));
    }

    /// From now on it does not answer when it is asked for versions.
    pub fn hang(&self) {
        self.hangs.store(true, Ordering::Relaxed);
    }

    /// What was asked since the last time.
    pub fn asked(&self) -> Vec<AskedVersions> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

/// The versions `members`, of which the first counts. Its badge says what chose it.
pub fn decided(members: &[i64], by: DecidedBy, run: i64) -> Standings {
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
        Standing { badge: badge(id), cluster: Some(cluster), run_id: Some(RunId(run)) }
    };
    members.iter().map(|id| (SignalId(*id), standing(*id))).collect()
}

/// The versions `members`, among which nothing is decided.
pub fn undecided(members: &[i64]) -> Standings {
    let standing = Standing { badge: Badge::Cached, cluster: Some(versions_of(members)), run_id: None };
    members.iter().map(|id| (SignalId(*id), standing.clone())).collect()
}

/// A document without other versions.
pub fn alone(id: i64, badge: Badge) -> (SignalId, Standing) {
    (SignalId(id), Standing { badge, cluster: None, run_id: None })
}

/// The mark of a document that is at its source.
pub fn mark(id: i64) -> CacheMark {
    CacheMark {
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
    async fn search(&self, _question: CorpusQuestion<'_>) -> Result<CorpusAnswer, CorpusError> {
        Ok(CorpusAnswer::default())
    }
    async fn versions(&self, asked: VersionsAsked<'_>) -> Result<Standings, CorpusError> {
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
    async fn marks(
        &self,
        _asker: UserId,
        topic: Option<Topic<'_>>,
        signals: &[SignalId],
    ) -> Result<BTreeMap<SignalId, CacheMark>, CorpusError> {
        let known = self.standings.lock().unwrap().clone().unwrap_or_default();
        let pinned = |id: &SignalId| known.get(id).is_some_and(|one| one.badge == Badge::Pinned);
        let badge = |id: &SignalId| match topic.is_some() && pinned(id) {
            true => Badge::Pinned,
            false => Badge::Cached,
        };
        Ok(signals.iter().map(|id| (*id, CacheMark { badge: badge(id), ..mark(id.0) })).collect())
    }
    async fn rejected(&self, runs: &[RunId]) -> Result<BTreeSet<RunId>, CorpusError> {
        let rejected = self.rejected.lock().unwrap();
        Ok(runs.iter().copied().filter(|run| rejected.contains(run)).collect())
    }
    async fn recheck(&self, _asker: UserId, _marks: &mut BTreeMap<SignalId, CacheMark>) {}
    async fn text(&self, _wanted: &PageWanted<'_>) -> Option<PageText> {
        None
    }
    async fn keep(&self, _wanted: &PageWanted<'_>, _text: &PageText, _origin: Origin) {}
    async fn denied(&self, _wanted: &PageWanted<'_>) {}
    async fn promote(&self, _owner: UserId, _tags: &[String], _results: &[(ProviderId, ResultItem)]) {}
}
