//! The status of versions in a search: by election, by pin, or undecided.

use super::fixture::{QUERY, Scenario, asked, electing, quiet};
use corpus::canonical::{DiagnosisQuery, RunQuery};
use domain::corpus::{Badge, OwnedVisibility, RejectReason, Topic};
use domain::ids::RunId;
use domain::owner_scope::OwnerScope;
use domain::ports::{CanonicalStore, Corpus, CorpusQuery, RunFilter, VersionQuery};
use domain::settings::{Ratio, Settings};

#[tokio::test]
async fn the_election_chooses_among_what_the_asker_may_see() {
    let scenario = Scenario::open(electing()).await;
    assert_eq!(
        scenario.shown(scenario.ann, &[]).await,
        "Alternate alternate, Alternate alternate, AutoSelected winner"
    );
    // Ben may not see the best version: he gets the next one, and no hint of the other.
    let search = scenario.search(scenario.ben, QUERY, &[]).await;
    let statuses = scenario.statuses(&search, true).await;
    assert_eq!(scenario.told(&statuses), "Alternate alternate, AutoSelected winner, -");
    let cluster = statuses[&scenario.versions[0]].cluster.as_ref().unwrap();
    let listed: Vec<_> = cluster.members.iter().map(|one| one.signal_id).collect();
    assert_eq!((listed, cluster.size), (vec![scenario.versions[1], scenario.versions[0]], 2));
    assert_eq!(cluster.members[1].version_label, "v1 draft");
    // A document without versions is alone.
    let alone = &statuses[&scenario.bread];
    assert_eq!((alone.badge, &alone.cluster, alone.run_id), (Badge::Cached, &None, None));
    assert_eq!(
        scenario.shown(scenario.admin, &[]).await,
        "-, -, -",
        "being an administrator opens no document"
    );
}

#[tokio::test]
async fn one_that_is_gone_or_irrelevant_is_not_elected() {
    let scenario = Scenario::open(electing()).await;
    scenario.gone(2).await;
    assert_eq!(
        scenario.shown(scenario.ann, &[]).await,
        "Alternate alternate, AutoSelected winner, Alternate ineligible"
    );
    let search = scenario.search(scenario.ann, QUERY, &[]).await;
    for (relevance, expected) in [
        ([0.8, 0.4, 0.8], "AutoSelected winner, Alternate ineligible, Alternate ineligible"),
        ([0.05, 0.05, 0.05], "Cached none, Cached none, Cached none"),
    ] {
        let candidates: Vec<_> = scenario.versions.into_iter().zip(relevance).collect();
        let asked = asked(search.id, scenario.ann, search.topic(), &candidates, false);
        assert_eq!(
            scenario.told(&scenario.fixture.cache.versions(asked).await.unwrap()),
            expected,
            "{relevance:?}"
        );
    }
}

#[tokio::test]
async fn without_automatic_elections_versions_are_told_and_pins_decide() {
    let scenario = Scenario::open(quiet()).await;
    assert_eq!(scenario.shown(scenario.ann, &[]).await, "Cached none, Cached none, Cached none");
    let count = async || {
        let runs = CanonicalStore::runs(
            &*scenario.fixture.store,
            &RunFilter::visible_to(OwnedVisibility::Unrestricted, OwnerScope::Everyone),
            0,
            10,
        )
        .await
        .unwrap();
        runs.total
    };
    scenario.pin(scenario.ann, 0, "firm").await;
    assert_eq!(
        scenario.shown(scenario.ann, &[]).await,
        "Pinned winner, Alternate alternate, Alternate alternate"
    );
    assert_eq!(count().await, 0, "no election was held");
    // On request the election is run, and waits for a decision.
    let ann = scenario.principal(scenario.ann).await;
    let held = async |query: &str| {
        let search = scenario.search(scenario.ann, query, &[]).await;
        let candidates = scenario.candidates();
        let asked = asked(search.id, scenario.ann, search.topic(), &candidates, true);
        let asked = VersionQuery { on_request: true, ..asked };
        let statuses = scenario.fixture.cache.versions(asked).await.unwrap();
        (scenario.told(&statuses), statuses[&scenario.versions[0]].run_id)
    };
    let (told, run) = held("the mill").await;
    assert_eq!(told, "Cached none, Cached none, Cached none", "what waits changes nothing");
    let runs = RunQuery { ids: run.map(|run| vec![run]), limit: 10, ..RunQuery::default() };
    let runs = scenario.fixture.cache.runs(&ann, &runs).await.unwrap().items;
    let told: Vec<_> = runs.iter().map(|one| (one.run.status.as_str(), one.run.winner_signal_id)).collect();
    // A pin for another query counts in its favor.
    assert_eq!(told, [("pending", scenario.versions[0])]);
    let waiting = scenario.fixture.cache.document_of(scenario.ann, scenario.versions[1]).await.unwrap();
    assert_eq!(waiting.superseded_by, None);
    assert_eq!(held("the mill").await.1, run, "the same again is the same");
    assert_eq!(count().await, 1);
    let pinned = "Pinned winner, Alternate alternate, Alternate alternate";
    assert_eq!(held(QUERY).await, (pinned.to_owned(), None), "a pin needs no election");
    assert_eq!(count().await, 1);
}

#[tokio::test]
async fn what_was_rejected_is_told() {
    let scenario = Scenario::open(electing()).await;
    let search = scenario.search(scenario.ann, QUERY, &[]).await;
    let run = scenario.statuses(&search, true).await[&scenario.versions[0]].run_id.unwrap();
    let cache = &scenario.fixture.cache;
    let rejected = async || cache.rejected(&[run, RunId(999)]).await.unwrap().into_iter().collect::<Vec<_>>();
    assert_eq!(rejected().await, []);
    let ann = scenario.principal(scenario.ann).await;
    cache.reject(&ann, run, RejectReason::Outdated, "").await.unwrap();
    assert_eq!(rejected().await, [run]);
    let other = cache.document_of(scenario.ann, scenario.versions[0]).await.unwrap();
    assert_eq!(other.superseded_by, None, "it is superseded by nothing until the next election");
}

#[tokio::test]
async fn a_pin_of_the_matter_comes_before_one_of_the_firm() {
    let scenario = Scenario::open(electing()).await;
    scenario.pin(scenario.ann, 0, "firm").await;
    scenario.pin(scenario.ann, 1, "matter:acme").await;
    let firm = "Pinned winner, Alternate alternate, Alternate alternate";
    let matter = "Alternate alternate, Pinned winner, Alternate alternate";
    for (tags, expected) in [
        (&[][..], firm),
        (&["matter:acme"][..], matter),
        (&["news", "Matter:acme"][..], matter),
        (&["matter:other"][..], firm),
        (&["acme"][..], firm),
    ] {
        assert_eq!(scenario.shown(scenario.ann, tags).await, expected, "{tags:?}");
    }
    // A pin on a hidden document does not apply.
    scenario.pin(scenario.ann, 2, "matter:secret").await;
    assert_eq!(
        scenario.shown(scenario.ann, &["matter:secret"]).await,
        "Alternate alternate, Alternate alternate, Pinned winner"
    );
    assert_eq!(
        scenario.shown(scenario.ben, &["matter:secret"]).await,
        "Pinned winner, Alternate alternate, -"
    );
}

#[tokio::test]
async fn only_what_concludes_a_search_is_written_and_it_can_be_replayed() {
    let scenario = Scenario::open(electing()).await;
    let search = scenario.search(scenario.ann, QUERY, &["matter:acme"]).await;
    let partial = scenario.statuses(&search, false).await;
    assert!(partial.values().all(|one| one.run_id.is_none()));
    let (ann, cache) = (scenario.principal(scenario.ann).await, &scenario.fixture.cache);
    let all = RunQuery { limit: 10, ..RunQuery::default() };
    assert_eq!(cache.runs(&ann, &all).await.unwrap().total, 0);
    let whole = scenario.statuses(&search, true).await;
    assert_eq!(scenario.told(&whole), scenario.told(&partial), "the same is computed");
    let run_id = whole[&scenario.versions[0]].run_id.unwrap();
    assert_eq!(
        scenario.statuses(&search, true).await[&scenario.versions[2]].run_id,
        Some(run_id),
        "the same again"
    );
    assert_eq!(
        (cache.counted().elections, cache.counted().pins),
        (2, 0),
        "a search that still runs counts nowhere"
    );
    let listed = cache.runs(&ann, &all).await.unwrap();
    assert_eq!((listed.total, listed.items[0].run.scope.to_string()), (1, "matter:acme".to_owned()));
    assert_eq!(listed.items[0].run.cluster_key, scenario.versions[0]);
    for query in [Some("lease of the MILL".to_owned()), None] {
        let found = cache.diagnose(&DiagnosisQuery { query, run: None }).await.unwrap();
        assert_eq!((found.replayed, found.differing, found.open.len()), (1, vec![], 1));
    }
    let none = DiagnosisQuery { query: Some("bread".to_owned()), run: None };
    assert_eq!(cache.diagnose(&none).await.unwrap().replayed, 0);
    let one = DiagnosisQuery { run: Some(run_id), query: None };
    assert_eq!(cache.diagnose(&one).await.unwrap().replayed, 1);
}

#[tokio::test]
async fn a_version_that_went_outside_is_raised() {
    let settings = Settings {
        canonical_weights: domain::corpus::Weights(domain::corpus::Factors {
            naming: 0.5,
            ..domain::corpus::Weights::default().0
        }),
        ..electing()
    };
    let scenario = Scenario::open(settings).await;
    assert_eq!(
        scenario.shown(scenario.ann, &[]).await,
        "Alternate alternate, Alternate alternate, AutoSelected winner"
    );
    scenario.sent_outside(scenario.ben, 1).await;
    assert_eq!(
        scenario.shown(scenario.ann, &[]).await,
        "Alternate alternate, AutoSelected winner, Alternate alternate"
    );
    let marks = scenario.fixture.cache.cache_statuses(scenario.cleo, None, &scenario.versions).await.unwrap();
    let shared: Vec<bool> = marks.values().map(|mark| mark.shared_externally).collect();
    assert_eq!(shared, [false, true], "all who may see it are told");
}

#[tokio::test]
async fn what_is_pinned_is_found_and_marked_for_its_query_alone() {
    let scenario = Scenario::open(Settings { corpus_min_score: Ratio(0.9), ..quiet() }).await;
    let found = async |asker, query: &str, results_max| {
        let topic = Topic { query, tags: &[] };
        let question = CorpusQuery { asker, words: query, topic, results_max };
        let hits = scenario.fixture.cache.search(question).await.unwrap().hits;
        let told = |hit: &domain::ports::CorpusHit| format!("{} {:?}", hit.signal.title, hit.status.badge);
        hits.iter().map(told).collect::<Vec<_>>()
    };
    let far = "bread of the baker";
    assert_eq!(found(scenario.ann, far, 10).await, [""; 0]);
    let request = corpus::canonical::PinRequest { query: far.to_owned(), ..scenario.request(2, "firm") };
    scenario.fixture.cache.pin(&scenario.principal(scenario.ann).await, request).await.unwrap();
    assert_eq!(found(scenario.ann, far, 10).await, ["Lease v3 final Pinned"]);
    assert_eq!(found(scenario.ann, " Bread  of the BAKER", 1).await, ["Lease v3 final Pinned"]);
    assert_eq!(found(scenario.ann, "bread of the bakers", 10).await, [""; 0]);
    assert_eq!(found(scenario.ben, far, 10).await, [""; 0], "he may not see it");
    let badges = async |asker, topic| {
        let marks = scenario.fixture.cache.cache_statuses(asker, topic, &scenario.versions).await.unwrap();
        marks.values().map(|mark| mark.badge).collect::<Vec<_>>()
    };
    let topic = Topic { query: far, tags: &[] };
    assert_eq!(badges(scenario.ann, Some(topic)).await, [Badge::Cached, Badge::Cached, Badge::Pinned]);
    assert_eq!(badges(scenario.ann, None).await, [Badge::Cached; 3]);
    assert_eq!(badges(scenario.ann, Some(Topic { query: QUERY, tags: &[] })).await, [Badge::Cached; 3]);
    assert_eq!(badges(scenario.ben, Some(topic)).await, [Badge::Cached; 2]);
}

#[tokio::test]
async fn so_many_documents_are_looked_at() {
    let scenario = Scenario::open(electing()).await;
    let search = scenario.search(scenario.ann, QUERY, &[]).await;
    // The first hundred count, whether they exist or not.
    for (before, expected) in [(97, 3), (99, 1), (100, 0)] {
        let nobodys = (1..=before).map(|number| (domain::ids::SignalId(100_000 + number), 0.9));
        let candidates: Vec<_> = nobodys.chain(scenario.candidates()).collect();
        let asked = asked(search.id, scenario.ann, search.topic(), &candidates, false);
        assert_eq!(scenario.fixture.cache.versions(asked).await.unwrap().len(), expected, "{before}");
    }
}
