//! Elections that nobody decided for long become stale, many of them too.

use crate::house::{CacheHouse, Retrieved};
use chrono::TimeDelta;
use corpus::canonical::STALE_AFTER_DAYS;
use domain::contracts::{CanonicalStore, Clock};
use domain::corpus::{Factors, Gates, Member, MemberRole, NewRun, Scope, Weights};
use domain::ids::{SearchId, SignalId, UserId};
use domain::settings::Settings;

/// One more than are retired in one transaction.
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
        gates: Gates { relevance_min: 0.1, relevance_ratio: 0.6 },
        search_id: SearchId(1),
        search_owner: owner,
    }
}

/// Open elections, and stale ones.
async fn counts(house: &CacheHouse) -> (u64, u64) {
    let told = house.cache.decisions().await.unwrap().runs;
    let count = |status: &str| told.iter().find(|(word, _)| *word == status).map(|(_, count)| *count);
    (count("auto_elected").unwrap(), count("stale").unwrap())
}

#[tokio::test]
async fn all_that_are_old_become_stale() {
    let house = CacheHouse::open(Settings::default()).await;
    let ann = house.person("ann", &[], false).await;
    let document = house.keep(Retrieved { by: ann, ..Retrieved::default() }).await;
    let age = TimeDelta::days(STALE_AFTER_DAYS.into());
    let (old, young) = (house.clock.now() - age - TimeDelta::seconds(1), house.clock.now() - age);
    for number in 0..OLD {
        house.store.record_run(run(format!("query {number}"), document, ann), old).await.unwrap();
    }
    house.store.record_run(run("young".to_owned(), document, ann), young).await.unwrap();
    assert_eq!(house.cache.retire_runs(STALE_AFTER_DAYS, true).await.unwrap(), OLD);
    assert_eq!(counts(&house).await, (OLD + 1, 0), "they were only counted");
    assert_eq!(house.cache.retire_runs(STALE_AFTER_DAYS, false).await.unwrap(), OLD);
    assert_eq!(counts(&house).await, (1, OLD));
    assert_eq!(house.cache.retire_runs(STALE_AFTER_DAYS, false).await.unwrap(), 0);
}
