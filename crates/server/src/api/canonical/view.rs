//! Response bodies of elections and pins: user names instead of ids, and nothing about documents that the reader may
//! not see.

use chrono::{DateTime, Utc};
use corpus::canonical::{ElectionDetail, VisibleElection, VisibleMember, VisiblePin, VisiblePinEvent};
use domain::corpus::{
    Factors, Liveness, MemberRole, PinAction, PinVia, Reason, RejectReason, RunStatus, Scope, Signal,
    SignalState, Thresholds, Weights,
};
use domain::ids::{PinId, RunId, SearchId, SignalId};
use serde::Serialize;

/// An election among the versions of a document.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = CanonicalRun)]
pub struct RunView {
    run_id: RunId,
    /// As the user entered it.
    query: String,
    /// In lower case, with collapsed whitespace.
    query_key: String,
    /// `firm`, or `matter:<tag>`.
    #[schema(value_type = String, example = "firm")]
    scope: Scope,
    /// The smallest id of its members.
    cluster_key: SignalId,
    status: RunStatus,
    /// Its winner was shown first immediately.
    auto: bool,
    winner_signal_id: SignalId,
    winner: DocumentView,
    /// Lead of the winner; 0 if nobody else could be elected.
    margin: f64,
    /// Number of members.
    size: usize,
    weights: Weights,
    #[serde(rename = "gates")]
    thresholds: Thresholds,
    created_at: DateTime<Utc>,
    /// Name of the user who approved or rejected it.
    decided_by: Option<String>,
    decided_at: Option<DateTime<Utc>>,
    reject_reason: Option<RejectReason>,
    comment: String,
    /// The search that it was held for.
    search_id: SearchId,
}

/// Identification of a cached document.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = CanonicalDocument)]
pub struct DocumentView {
    signal_id: SignalId,
    title: String,
    url: String,
}

/// An election with its members and their scores.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = CanonicalRunDetails)]
pub struct RunDetailView {
    #[serde(flatten)]
    run: RunView,
    /// By rank, only those that you may see.
    members: Vec<MemberView>,
    /// Members that you may not see, or that have left the cache.
    hidden_members: usize,
    /// You may approve or reject it now.
    may_decide: bool,
}

/// A member of an election, and the reasons for its rank.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = CanonicalMember)]
struct MemberView {
    signal_id: SignalId,
    title: String,
    url: String,
    /// Name of the provider that it came from.
    searchprovider: String,
    /// Such as `v2` or `final`; may be empty.
    version_label: String,
    /// As the source reported it; otherwise `unknown`.
    date: String,
    /// Its confidence for the query when the election was held.
    relevance: f64,
    eligible: bool,
    /// Why it cannot be elected, and the reasons for its factors.
    reasons: Vec<String>,
    /// `reasons` as codes with their values, for clients with their own texts.
    grounds: Vec<Reason>,
    /// Each 0 to 1.
    factors: Factors,
    /// Weight times factor; they add up to the score.
    contributions: Factors,
    score: f64,
    /// From 1.
    rank: u32,
    role: MemberRole,
    /// A user confirmed that it was sent outside.
    shared_externally: bool,
    liveness: Liveness,
    state: SignalState,
}

/// The elections of a search.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = CanonicalElections)]
pub struct ElectionsView {
    pub search_id: SearchId,
    /// Empty if a pin decides, or if no document has another version.
    pub results: Vec<RunView>,
}

/// A document pinned for a query.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = CanonicalPin)]
pub struct PinView {
    id: PinId,
    query_key: String,
    /// As the user entered it.
    query: String,
    /// `firm`, or `matter:<tag>`.
    #[schema(value_type = String, example = "firm")]
    scope: Scope,
    /// Null: you may not see it.
    signal_id: Option<SignalId>,
    title: Option<String>,
    url: Option<String>,
    /// Null: that user was deleted.
    pinned_by: Option<String>,
    pinned_at: DateTime<Utc>,
    via: PinVia,
    /// The approved election.
    run_id: Option<RunId>,
}

/// A change of a pin.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = CanonicalPinEvent)]
pub struct PinEventView {
    /// Increases with every change.
    id: i64,
    action: PinAction,
    query_key: String,
    #[schema(value_type = String, example = "firm")]
    scope: Scope,
    /// The document that is pinned by it, or was until then.
    signal_id: SignalId,
    title: String,
    url: String,
    /// The document that was pinned before, if it was replaced and you may see it.
    before: Option<SignalId>,
    /// Null: that user was deleted, or there was none.
    by: Option<String>,
    at: DateTime<Utc>,
    via: PinVia,
    run_id: Option<RunId>,
}

impl From<Signal> for DocumentView {
    fn from(signal: Signal) -> Self {
        Self { signal_id: signal.signal_id, title: signal.title, url: signal.url }
    }
}

impl From<VisibleElection> for RunView {
    fn from(seen: VisibleElection) -> Self {
        let VisibleElection { run, winner, decided_by, may_decide: _ } = seen;
        Self {
            run_id: run.run_id,
            query: run.query,
            query_key: run.query_key,
            scope: run.scope,
            cluster_key: run.cluster_key,
            status: run.status,
            auto: run.auto,
            winner_signal_id: run.winner_signal_id,
            winner: winner.into(),
            margin: run.margin,
            size: run.members.len(),
            weights: run.weights,
            thresholds: run.thresholds,
            created_at: run.created_at,
            decided_by,
            decided_at: run.decided_at,
            reject_reason: run.reject_reason,
            comment: run.comment,
            search_id: run.search_id,
        }
    }
}

impl From<ElectionDetail> for RunDetailView {
    fn from(detail: ElectionDetail) -> Self {
        let ElectionDetail { election, members, hidden_members } = detail;
        let may_decide = election.may_decide;
        let members = members.into_iter().map(MemberView::from).collect();
        Self { run: election.into(), members, hidden_members, may_decide }
    }
}

impl From<VisibleMember> for MemberView {
    fn from(seen: VisibleMember) -> Self {
        let VisibleMember { member, signal, contributions, shared_externally } = seen;
        Self {
            signal_id: member.signal_id,
            title: signal.title,
            url: signal.url,
            searchprovider: signal.source_provider,
            version_label: signal.version_label,
            date: signal.date_published,
            relevance: member.relevance,
            eligible: member.eligible,
            reasons: member.reasons.iter().map(Reason::to_string).collect(),
            grounds: member.reasons,
            factors: member.factors,
            contributions,
            score: member.score,
            rank: member.rank,
            role: member.role,
            shared_externally,
            liveness: signal.liveness,
            state: signal.state,
        }
    }
}

impl From<VisiblePin> for PinView {
    /// Neither id nor title of a document that the reader may not see are included, nor the election that leads to it.
    fn from(seen: VisiblePin) -> Self {
        let VisiblePin { pin, pinned_by, document } = seen;
        let run_id = pin.run_id.filter(|_| document.is_some());
        let signal_id = document.as_ref().map(|document| document.signal_id);
        let (title, url) = document.map(|document| (document.title, document.url)).unzip();
        Self {
            id: pin.id,
            query_key: pin.query_key,
            query: pin.query,
            scope: pin.scope,
            signal_id,
            title,
            url,
            pinned_by,
            pinned_at: pin.pinned_at,
            via: pin.via,
            run_id,
        }
    }
}

impl From<VisiblePinEvent> for PinEventView {
    fn from(seen: VisiblePinEvent) -> Self {
        let VisiblePinEvent { event, by, document } = seen;
        Self {
            id: event.id,
            action: event.action,
            query_key: event.query_key,
            scope: event.scope,
            signal_id: event.signal_id,
            title: document.title,
            url: document.url,
            before: event.before,
            by,
            at: event.at,
            via: event.via,
            run_id: event.run_id,
        }
    }
}
