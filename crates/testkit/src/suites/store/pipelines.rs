//! Pipelines: seeded once by name, then changed by users only.

use super::fixture::at;
use domain::ids::PipelineId;
use domain::pipeline::PipelineSpec;
use domain::ports::{Store, StoreError};
use futures_util::future::join_all;

pub async fn are_stored_once(store: &dyn Store) {
    assert_eq!(store.pipelines().await.unwrap(), []);
    assert_eq!(store.pipeline_by_name("first").await, Err(StoreError::NotFound));
    store.ensure_pipeline("first", &["B", "A", "B"], at(1)).await.unwrap();
    store.ensure_pipeline("empty", &[], at(1)).await.unwrap();
    let first = store.pipeline_by_name("first").await.unwrap();
    assert_eq!((first.name.as_str(), first.date_updated), ("first", at(1)));
    assert_eq!(first.processors, ["B", "A", "B"]);
    assert_eq!(store.pipeline(first.id).await.unwrap(), first);
    assert_eq!(store.pipeline_by_name("empty").await.unwrap().processors, [""; 0]);

    store.ensure_pipeline("first", &["C"], at(2)).await.unwrap();
    assert_eq!(store.pipeline(first.id).await.unwrap(), first);
    let listed = store.pipelines().await.unwrap();
    let names: Vec<&str> = listed.iter().map(|pipeline| pipeline.name.as_str()).collect();
    assert_eq!(names, ["first", "empty"]);
    for unknown in ["", "FIRST", "first\0"] {
        assert_eq!(store.pipeline_by_name(unknown).await, Err(StoreError::NotFound), "{unknown:?}");
    }
    assert_eq!(store.pipeline(PipelineId(999)).await, Err(StoreError::NotFound));
}

/// Processes that start together store one pipeline.
pub async fn are_stored_once_by_many(store: &dyn Store) {
    for stored in join_all((0..10).map(|_| store.ensure_pipeline("same", &["A"], at(1)))).await {
        stored.unwrap();
    }
    assert_eq!(store.pipelines().await.unwrap().len(), 1);
}

pub async fn are_replaced(store: &dyn Store) {
    store.ensure_pipeline("one", &["A"], at(1)).await.unwrap();
    let made = store.pipeline_by_name("one").await.unwrap();
    let spec = PipelineSpec { processors: vec!["B".to_owned(), "A".to_owned()] };
    let replaced = store.replace_pipeline(made.id, spec.clone(), at(2)).await.unwrap();
    assert_eq!((replaced.id, replaced.name.as_str(), replaced.date_updated), (made.id, "one", at(2)));
    assert_eq!(replaced.processors, spec.processors);
    assert_eq!(store.pipeline_by_name("one").await.unwrap(), replaced);
    // The next start leaves the users' changes.
    store.ensure_pipeline("one", &["A"], at(3)).await.unwrap();
    assert_eq!(store.pipeline(made.id).await.unwrap(), replaced);
    let unknown = store.replace_pipeline(PipelineId(999), spec, at(2)).await;
    assert_eq!(unknown, Err(StoreError::NotFound));
}
