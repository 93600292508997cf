//! Search providers: names, specs, and separate secrets.

use super::fixture::{at, finished, new_search, person, set};
use domain::ids::{ProviderId, UserId};
use domain::ports::{Store, StoreError};
use domain::provider::{ProviderSpec, SearchProvider};
use futures_util::future::join_all;
use serde_json::json;
use std::sync::Arc;

fn spec(name: &str, credentials: &str) -> ProviderSpec {
    let config = json!({"swirl": {"z": 1, "a": 2}});
    ProviderSpec {
        name: name.to_owned(),
        credentials: credentials.to_owned(),
        tags: vec!["tag".to_owned()],
        config: serde_json::from_value(config).expect("an object"),
        ..ProviderSpec::default()
    }
}

async fn create(store: &dyn Store, specs: Vec<ProviderSpec>, owner: UserId) -> Vec<SearchProvider> {
    store.create_providers(specs, owner, at(1)).await.expect("providers")
}

pub async fn are_created_all_or_none(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    assert_eq!(create(store, Vec::new(), owner).await, []);
    create(store, vec![spec("taken", "")], owner).await;
    for names in [["new", "taken"], ["same", "same"]] {
        let specs = names.map(|name| spec(name, "")).to_vec();
        let refused = store.create_providers(specs, owner, at(1)).await;
        assert_eq!(refused, Err(StoreError::Taken("name")), "{names:?}");
    }
    assert_eq!(store.providers().await.unwrap().len(), 1);
    let lost = store.create_providers(vec![spec("lost", "")], UserId(999), at(1)).await;
    assert!(matches!(lost, Err(StoreError::UnknownReference(_))), "{lost:?}");
}

pub async fn are_read_and_listed(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let made = create(store, vec![spec("b", "key=1"), spec("a", "")], owner).await;
    assert_eq!(store.providers().await.unwrap(), made);
    assert_eq!(store.provider(made[1].id).await.unwrap(), made[1]);
    assert_eq!(made[0].spec, spec("b", ""));
    assert_eq!((made[0].owner, made[0].date_created, made[0].date_updated), (owner, at(1), at(1)));
    let config = serde_json::to_string(&store.provider(made[0].id).await.unwrap().spec.config).unwrap();
    assert_eq!(config, r#"{"swirl":{"z":1,"a":2}}"#);
    assert_eq!(store.provider(ProviderId(999)).await, Err(StoreError::NotFound));
}

pub async fn keep_their_names_unique(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let made = create(store, vec![spec("one", ""), spec("two", "")], owner).await;
    let refused = store.replace_provider(made[1].id, spec("one", ""), at(2)).await;
    assert_eq!(refused, Err(StoreError::Taken("name")));
    // A search cannot tell names apart that differ by case only. A provider may keep its own.
    for name in ["ONE", " one", "One "] {
        let refused = store.replace_provider(made[1].id, spec(name, ""), at(2)).await;
        assert_eq!(refused, Err(StoreError::Taken("name")), "{name:?}");
        let refused = store.create_providers(vec![spec("other", ""), spec(name, "")], owner, at(2)).await;
        assert_eq!(refused, Err(StoreError::Taken("name")), "{name:?}");
    }
    let twins = store.create_providers(vec![spec("Öl", ""), spec("ÖL", "")], owner, at(2)).await;
    assert_eq!(twins, Err(StoreError::Taken("name")), "in one request");
    store.replace_provider(made[1].id, spec("TWO", ""), at(2)).await.unwrap();
    store.replace_provider(made[1].id, spec("TWO", ""), at(3)).await.unwrap();
    assert_eq!(store.providers().await.unwrap().len(), 2);
}

pub async fn keep_their_names_unique_among_many_writers(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let names = ["race", "RACE", "Race", "rACE", "raCE", "racE"];
    let created =
        join_all(names.map(|name| store.create_providers(vec![spec(name, "")], owner, at(1)))).await;
    assert_eq!(created.iter().filter(|made| made.is_ok()).count(), 1, "{created:?}");
    let others = create(store, (0..6).map(|number| spec(&format!("p{number}"), "")).collect(), owner).await;
    let renamed = join_all(
        others
            .iter()
            .zip(["x", "X", "x ", "X ", " x", " X"])
            .map(|(provider, name)| store.replace_provider(provider.id, spec(name, ""), at(2))),
    )
    .await;
    assert_eq!(renamed.iter().filter(|made| made.is_ok()).count(), 1, "{renamed:?}");
}

/// Also mappings that cannot be parsed, and those that are encrypted because they contain a key. Copies of a loaded
/// record share what was parsed.
pub async fn return_their_mappings_as_written(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let pages = r#"{"z":1,"timeout":"soon","cache":null}"#;
    for (query, response, result, is_right) in [
        (" lang=en ,,MATCH_ALL,", " RESULTS= items", " title = name ,, NO_PAYLOAD", true),
        ("token=MAP-CANARY6, lang=en", "", "title='It's {a}'", true),
        ("=x", "RESLTS=items", "title=", false),
        ("token=MAP-CANARY6,=x", "items", "title='open", false),
    ] {
        let spec = ProviderSpec {
            query_mappings: query.into(),
            response_mappings: response.into(),
            result_mappings: result.into(),
            page_fetch_config_json: serde_json::from_str(pages).expect("an object"),
            ..spec(query, "")
        };
        let made = create(store, vec![spec.clone()], owner).await.remove(0);
        let replaced = store.replace_provider(made.id, spec, at(2)).await.unwrap();
        let loaded = store.provider(made.id).await.unwrap();
        for ProviderSpec {
            query_mappings, response_mappings, result_mappings, page_fetch_config_json, ..
        } in [made.spec, replaced.spec, loaded.spec.clone()]
        {
            assert_eq!(
                (query_mappings.as_str(), response_mappings.as_str(), result_mappings.as_str()),
                (query, response, result)
            );
            assert_eq!(serde_json::to_string(&page_fetch_config_json).unwrap(), pages);
            let are_right = [
                query_mappings.parsed().is_ok(),
                response_mappings.parsed().is_ok(),
                result_mappings.parsed().is_ok(),
            ];
            assert_eq!(are_right, [is_right; 3], "{query}");
            assert!(page_fetch_config_json.parsed().is_enabled);
        }
        let (copy, loaded) = (loaded.clone(), loaded.spec);
        assert!(std::ptr::eq(
            loaded.page_fetch_config_json.parsed(),
            copy.spec.page_fetch_config_json.parsed()
        ));
        if let (Ok(first), Ok(second)) = (loaded.result_mappings.parsed(), copy.spec.result_mappings.parsed())
        {
            assert!(Arc::ptr_eq(first, second), "{query}");
        }
    }
}

pub async fn hide_their_credentials(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let made = create(store, vec![spec("one", "key=very-secret"), spec("two", "")], owner).await;
    for provider in [&made[0], &store.provider(made[0].id).await.unwrap()] {
        assert_eq!(provider.credentials.expose(), "key=very-secret");
        assert_eq!(provider.spec.credentials, "");
        assert!(!format!("{provider:?}").contains("very-secret"));
    }
    assert!(store.provider(made[1].id).await.unwrap().credentials.is_empty());
}

pub async fn keep_a_secret_that_is_not_sent(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let made = create(store, vec![spec("one", "key=1")], owner).await.remove(0);
    let kept = store.replace_provider(made.id, spec("renamed", ""), at(2)).await.unwrap();
    assert_eq!((kept.credentials.expose(), kept.spec.name.as_str()), ("key=1", "renamed"));
    assert_eq!((kept.owner, kept.date_created, kept.date_updated), (owner, at(1), at(2)));
    assert_eq!(store.provider(made.id).await.unwrap(), kept);

    let changed = store.replace_provider(made.id, spec("renamed", "key=2"), at(3)).await.unwrap();
    assert_eq!((changed.credentials.expose(), changed.spec.credentials.as_str()), ("key=2", ""));
    assert_eq!(store.provider(made.id).await.unwrap(), changed);
    let unknown = store.replace_provider(ProviderId(999), spec("x", ""), at(3)).await;
    assert_eq!(unknown, Err(StoreError::NotFound));
}

pub async fn are_deleted(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let made = create(store, vec![spec("one", "key=1")], owner).await.remove(0);
    let search = new_search(store, owner, "query", 0).await;
    let sets = vec![set(search.id, made.id.0, &["a"])];
    let saved = store.finish_run(finished(&search, sets)).await.unwrap().expect("saved").sets;
    store.delete_provider(made.id).await.unwrap();
    assert_eq!(store.delete_provider(made.id).await, Err(StoreError::NotFound));
    assert_eq!(store.provider(made.id).await, Err(StoreError::NotFound));
    // Saved results stay, with the name that the provider had.
    assert_eq!(store.result_sets(search.id).await.unwrap(), saved);
    let again = create(store, vec![spec("one", "")], owner).await.remove(0);
    assert!(again.id > made.id);
}
