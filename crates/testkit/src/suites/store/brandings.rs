//! Brandings: at most one is active.

use super::fixture::at;
use domain::branding::BrandingSpec;
use domain::ids::BrandingId;
use domain::ports::{Store, StoreError};

fn spec(name: &str) -> BrandingSpec {
    BrandingSpec { name: name.to_owned(), logo_light: "picture \0".to_owned(), ..BrandingSpec::default() }
}

async fn active(store: &dyn Store) -> Option<String> {
    store.active_branding().await.unwrap().map(|one| one.spec.name)
}

pub async fn what_was_saved_last_is_in_use(store: &dyn Store) {
    assert_eq!(active(store).await, None);
    let first = store.create_branding(spec("first"), at(1)).await.unwrap();
    assert!(first.active && first.spec == spec("first") && first.date_created == at(1));
    let second = store.create_branding(spec("second"), at(2)).await.unwrap();
    assert_eq!(active(store).await.as_deref(), Some("second"));
    assert_eq!(store.brandings().await.unwrap().iter().filter(|one| one.active).count(), 1);
    let changed = store.replace_branding(first.id, spec("changed"), at(3)).await.unwrap();
    assert_eq!((changed.active, changed.date_created, changed.date_updated), (true, at(1), at(3)));
    assert_eq!(active(store).await.as_deref(), Some("changed"));
    store.activate_branding(second.id, at(4)).await.unwrap();
    assert_eq!(active(store).await.as_deref(), Some("second"));
    assert!(!store.branding(first.id).await.unwrap().active);
    store.delete_branding(second.id).await.unwrap();
    assert_eq!(active(store).await, None, "nothing takes its place by itself");
}

pub async fn names_are_unique(store: &dyn Store) {
    let first = store.create_branding(spec("first"), at(1)).await.unwrap();
    let other = store.create_branding(spec("other"), at(1)).await.unwrap();
    assert_eq!(store.create_branding(spec("first"), at(2)).await, Err(StoreError::Taken("name")));
    assert_eq!(store.replace_branding(other.id, spec("first"), at(2)).await, Err(StoreError::Taken("name")));
    assert!(store.branding(other.id).await.unwrap().active, "a refused change changes nothing");
    assert!(store.replace_branding(first.id, spec("first"), at(3)).await.is_ok());
    let unknown = BrandingId(999);
    assert_eq!(store.branding(unknown).await, Err(StoreError::NotFound));
    assert_eq!(store.replace_branding(unknown, spec("x"), at(3)).await, Err(StoreError::NotFound));
    assert_eq!(store.activate_branding(unknown, at(3)).await, Err(StoreError::NotFound));
    assert_eq!(store.delete_branding(unknown).await, Err(StoreError::NotFound));
}
