//! Without a license nothing can be decided, but decisions can be read.

use super::fixture::{Fixture, Kept};
use corpus::canonical::{CanonicalError, PinQuery, PinRequest, RunQuery};
use domain::corpus::{Factors, Member, MemberRole, NewRun, RejectReason, Scope, Thresholds, Topic, Weights};
use domain::ids::SearchId;
use domain::ports::{CanonicalStore, Clock, Corpus, ExistingPin, VersionQuery};
use domain::settings::Settings;

#[tokio::test]
async fn without_a_license_nothing_is_decided() {
    let fixture =
        Fixture::with_license(Settings { canonical_auto_elect_enabled: true, ..Settings::default() }, false)
            .await;
    let ann = fixture.person("ann").await;
    let who = fixture.principal(ann, true).await;
    let kept = |url, text| Kept { by: ann, from: None, url, text, version: "", is_supplied: false };
    let one = fixture.keep(kept("https://a.example/1", "The river rose.")).await;
    let other = fixture.keep(kept("https://a.example/2", "The river rose again.")).await;
    let member = Member {
        signal_id: one,
        relevance: 1.0,
        is_gone: false,
        dated: None,
        eligible: true,
        reasons: Vec::new(),
        factors: Factors::default(),
        score: 0.0,
        rank: 1,
        role: MemberRole::Winner,
    };
    let run = NewRun {
        query: "river".to_owned(),
        scope: Scope::Firm,
        cluster_key: one,
        auto: true,
        winner_signal_id: one,
        margin: 0.0,
        members: vec![member],
        weights: Weights::default(),
        thresholds: Thresholds { relevance_min: 0.1, relevance_ratio: 0.6 },
        search_id: SearchId(1),
        search_owner: ann,
    };
    let id = fixture.store.record_run(run, fixture.clock.now()).await.unwrap().run_id;

    let cache = &fixture.cache;
    let request = PinRequest {
        signal_id: one,
        query: "river".to_owned(),
        scope: Scope::Firm,
        existing: ExistingPin::Keep,
    };
    let refused = [
        cache.pin(&who, request).await.unwrap_err(),
        cache.unpin(&who, one, None, None).await.unwrap_err(),
        cache.approve(&who, id, "", ExistingPin::Keep).await.unwrap_err(),
        cache.reject(&who, id, RejectReason::Other, "").await.unwrap_err(),
        cache.diff_of(&who, one, other).await.unwrap_err(),
    ];
    assert_eq!(refused, std::array::from_fn(|_| CanonicalError::Unlicensed));
    let asked = VersionQuery {
        asker: ann,
        search: SearchId(1),
        topic: Topic { query: "river", tags: &[] },
        candidates: &[(one, 0.9), (other, 0.9)],
        records: true,
        on_request: true,
    };
    assert!(cache.versions(asked).await.unwrap().is_empty());
    let runs = cache.runs(&who, &RunQuery { limit: 10, ..RunQuery::default() }).await.unwrap();
    assert_eq!((runs.total, runs.items[0].may_decide), (1, false));
    assert_eq!(cache.run(&who, id).await.unwrap().members.len(), 1);
    assert_eq!(cache.pins(&who, &PinQuery { limit: 10, ..PinQuery::default() }).await.unwrap().total, 0);
}
