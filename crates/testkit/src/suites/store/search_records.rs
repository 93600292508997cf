//! The records that a search needs before it queries providers.

use super::fixture::{at, new_search, person};
use domain::ids::{ProviderId, UserId};
use domain::ports::{QueueName, SearchCounts, Store, StoreError};
use domain::preferences::{Preference, Preferences, SourcePreference};
use domain::provider::ProviderSpec;
use domain::user::{GroupSpec, UserSpec};

fn provider(name: &str) -> ProviderSpec {
    ProviderSpec {
        name: name.to_owned(),
        connector: "RequestsGet".to_owned(),
        credentials: format!("key of {name}"),
        ..ProviderSpec::default()
    }
}

pub async fn are_read_at_once(store: &dyn Store) {
    for name in ["readers", "editors"] {
        store.create_group(GroupSpec { name: name.to_owned() }, at(0)).await.unwrap();
    }
    let groups = vec!["readers".to_owned(), "editors".to_owned()];
    let spec = UserSpec { username: "ann".to_owned(), groups, ..UserSpec::default() };
    let ann = store.create_user(spec, "hash".to_owned(), at(0)).await.unwrap().id;
    let ann = store.user(ann).await.unwrap();
    let bob = person(store, "bob").await;
    let specs = ["one", "two", "three"].map(provider).to_vec();
    let providers = store.create_providers(specs, bob.id, at(1)).await.unwrap();
    let source = SourcePreference { provider_id: ProviderId(2), preference: Preference::Raise };
    let preferences = Preferences { sources: vec![source], ..Preferences::default() };
    store.save_preferences(ann.id, preferences.clone(), at(1)).await.unwrap();
    store.ensure_pipeline("first", &["B", "A"], at(1)).await.unwrap();
    store.ensure_pipeline("second", &["C"], at(1)).await.unwrap();
    for seconds in 0..3 {
        new_search(store, ann.id, "river", seconds).await;
    }

    let records = store.search_records(ann.id, Some(10), "first").await.unwrap();
    assert_eq!((records.owner.groups.len(), &records.owner), (2, &ann));
    assert_eq!(records.search_counts, Some(SearchCounts { waiting: 3, stored: 3 }));
    assert_eq!(records.preferences, preferences);
    assert_eq!(records.pipeline.unwrap().processors, ["B", "A"]);
    assert_eq!(records.providers, providers);
    assert_eq!(records.providers[2].credentials.expose(), "key of three");

    let records = store.search_records(bob.id, Some(10), "second").await.unwrap();
    assert_eq!(records.owner, bob);
    assert_eq!(records.search_counts, Some(SearchCounts { waiting: 0, stored: 0 }));
    assert_eq!(records.preferences, Preferences::default());
    assert_eq!(records.pipeline.unwrap().processors, ["C"]);
    assert_eq!(records.providers.len(), 3, "whoever asks: the caller applies the rights");
}

pub async fn need_an_owner(store: &dyn Store) {
    store.ensure_pipeline("first", &["A"], at(1)).await.unwrap();
    let unknown = store.search_records(UserId(999), None, "first").await;
    assert_eq!(unknown, Err(StoreError::NotFound));
}

pub async fn may_lack_a_pipeline(store: &dyn Store) {
    let ann = person(store, "ann").await;
    for unknown in ["first", "", "fi\0rst"] {
        let records = store.search_records(ann.id, None, unknown).await.unwrap();
        assert_eq!(records.pipeline, Err(StoreError::NotFound), "{unknown:?}");
        assert_eq!((records.owner, records.providers), (ann.clone(), Vec::new()));
    }
}

/// They are the same as those of the other methods, and counting stops at the same number.
pub async fn are_read_as_one_by_one(store: &dyn Store) {
    let ann = person(store, "ann").await;
    store.create_providers(vec![provider("one")], ann.id, at(1)).await.unwrap();
    store.ensure_pipeline("first", &["A"], at(1)).await.unwrap();
    for seconds in 0..3 {
        new_search(store, ann.id, "river", seconds).await;
    }
    for count_up_to in [None, Some(0), Some(2), Some(3), Some(4)] {
        let records = store.search_records(ann.id, count_up_to, "first").await.unwrap();
        assert_eq!(records.owner, store.user(ann.id).await.unwrap());
        assert_eq!(records.providers, store.providers().await.unwrap());
        assert_eq!(records.preferences, store.preferences(ann.id).await.unwrap());
        assert_eq!(records.pipeline, store.pipeline_by_name("first").await);
        let Some(max) = count_up_to else {
            assert_eq!(records.search_counts, None);
            continue;
        };
        let waiting = store.waiting_tasks_of(QueueName::Search, ann.id).await.unwrap();
        let stored = store.count_searches(ann.id, max).await.unwrap();
        assert_eq!(stored, max.min(3));
        assert_eq!(records.search_counts, Some(SearchCounts { waiting, stored }));
    }
}
