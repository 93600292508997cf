//! Undecided elections become stale, also many of them.

use crate::fixture::{CorpusFixture, Retrieved};
use chrono::TimeDelta;
use corpus::canonical::STALE_AFTER_DAYS;
use domain::corpus::{Factors, Member, MemberRole, NewRun, Scope, Thresholds, Weights};
use domain::ids::{SearchId, SignalId, UserId};
use domain::ports::{CanonicalStore, Clock, WriteMode};
use domain::settings::Settings;

/// One more than one transaction expires.
const OLD: u64 = 501;

fn run(query: String, of: SignalId, owner: UserId) -> NewRun {
    let member = Member {
        signal_id: of,
        relevance: 0.5,
        is_gone: false,
        dated: None,
        eligible: true,
        reasons: Vec::new(),
        factors: Factors::default(),
        score: 0.0,
        rank: 1,
        role: MemberRole::Winner,
    };
    NewRun {
        query,
        scope: Scope::Firm,
        cluster_key: of,
        auto: true,
        winner_signal_id: of,
        margin: 0.0,
        members: vec![member],
        weights: Weights::default(),
        thresholds: Thresholds { relevance_min: 0.1, relevance_ratio: 0.6 },
        search_id: SearchId(1),
        search_owner: owner,
    }
}

/// Open and stale elections.
async fn counts(fixture: &CorpusFixture) -> (u64, u64) {
    let told = fixture.cache.decisions().await.unwrap().runs;
    let count = |status: &str| told.iter().find(|(word, _)| *word == status).map(|(_, count)| *count);
    (count("auto_elected").unwrap(), count("stale").unwrap())
}

#[tokio::test]
async fn all_that_are_old_become_stale() {
    let fixture = CorpusFixture::open(Settings::default()).await;
    let ann = fixture.person("ann", &[], false).await;
    let document = fixture.keep(Retrieved { by: ann, ..Retrieved::default() }).await;
    let age = TimeDelta::days(STALE_AFTER_DAYS.into());
    let (old, young) = (fixture.clock.now() - age - TimeDelta::seconds(1), fixture.clock.now() - age);
    for number in 0..OLD {
        fixture.store.record_run(run(format!("query {number}"), document, ann), old).await.unwrap();
    }
    fixture.store.record_run(run("young".to_owned(), document, ann), young).await.unwrap();
    assert_eq!(fixture.cache.expire_runs(STALE_AFTER_DAYS, WriteMode::Preview).await.unwrap(), OLD);
    assert_eq!(counts(&fixture).await, (OLD + 1, 0), "they were only counted");
    assert_eq!(fixture.cache.expire_runs(STALE_AFTER_DAYS, WriteMode::Apply).await.unwrap(), OLD);
    assert_eq!(counts(&fixture).await, (1, OLD));
    assert_eq!(fixture.cache.expire_runs(STALE_AFTER_DAYS, WriteMode::Apply).await.unwrap(), 0);
}
