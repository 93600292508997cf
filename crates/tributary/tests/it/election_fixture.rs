//! Stores elections as a search would.

use crate::app_harness::AppHarness;
use domain::corpus::{Factors, Member, MemberRole, NewRun, Reason, Scope, Thresholds, Weights};
use domain::ids::{SearchId, SignalId};
use domain::ports::{CanonicalStore, UserStore};

/// Stores an election for a search of this person, won by the first of these documents. Returns its `run_id`.
pub async fn store_election(app: &AppHarness, owner: &str, query: &str, documents: &[i64]) -> i64 {
    let wired = app.service.app();
    let owner = wired.store.user_by_name(owner).await.unwrap().id;
    let members: Vec<Member> = (1..).zip(documents).map(|(rank, id)| member(rank, *id)).collect();
    let run = NewRun {
        query: query.to_owned(),
        scope: Scope::Firm,
        cluster_key: SignalId(*documents.iter().min().unwrap()),
        auto: true,
        winner_signal_id: SignalId(documents[0]),
        margin: 0.5,
        members,
        weights: Weights::default(),
        thresholds: Thresholds { relevance_min: 0.1, relevance_ratio: 0.6 },
        search_id: SearchId(1),
        search_owner: owner,
    };
    wired.store.record_run(run, wired.clock.now()).await.unwrap().run_id.0
}

/// Each member scores half a point less than the one before.
fn member(rank: u32, id: i64) -> Member {
    let naming = 1.0 - 0.25 * f64::from(rank - 1);
    Member {
        signal_id: SignalId(id),
        relevance: 0.8,
        is_gone: false,
        dated: None,
        eligible: true,
        reasons: vec![Reason::Name {
            stages: vec!["final".to_owned()],
            is_numbered_copy: false,
            version: None,
        }],
        factors: Factors { naming, ..Factors::default() },
        score: 2.0 * naming,
        rank,
        role: if rank == 1 { MemberRole::Winner } else { MemberRole::Alternate },
    }
}
