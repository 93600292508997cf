//! Query transforms: names that are unique together with the type, and owners.

use super::fixture::{at, person};
use domain::ids::{TransformId, UserId};
use domain::ports::{Store, StoreError};
use domain::query_transform::{TransformSpec, TransformType};

fn spec(name: &str, qrx_type: TransformType) -> TransformSpec {
    TransformSpec {
        name: name.to_owned(),
        shared: false,
        qrx_type,
        config_content: "# a comment\nmobiles; ombile,mobile\n\"quoted, 'text' 🦉\",\\1\r\n".to_owned(),
    }
}

pub async fn are_created_read_and_listed(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    assert_eq!(store.transforms().await.unwrap(), []);
    let mut made = Vec::new();
    for (name, qrx_type) in TransformType::ALL.into_iter().enumerate() {
        let spec = spec(&format!("name {}", 9 - name), qrx_type);
        let transform = store.create_transform(spec.clone(), owner, at(1)).await.unwrap();
        assert_eq!((&transform.spec, transform.owner), (&spec, owner));
        assert_eq!((transform.date_created, transform.date_updated), (at(1), at(1)));
        assert_eq!(store.transform(transform.id).await.unwrap(), transform);
        made.push(transform);
    }
    assert_eq!(store.transforms().await.unwrap(), made);
    assert_eq!(store.transform(TransformId(999)).await, Err(StoreError::NotFound));
    let lost = store.create_transform(spec("lost", TransformType::Bag), UserId(999), at(1)).await;
    assert!(matches!(lost, Err(StoreError::UnknownReference(_))), "{lost:?}");
}

pub async fn keep_name_and_type_unique(store: &dyn Store) {
    let (ann, bob) = (person(store, "ann").await.id, person(store, "bob").await.id);
    let (bag, synonym) = (TransformType::Bag, TransformType::Synonym);
    store.create_transform(spec("one", bag), ann, at(1)).await.unwrap();
    let other = store.create_transform(spec("one", synonym), bob, at(1)).await.unwrap();
    store.create_transform(spec("ONE", bag), bob, at(1)).await.unwrap();
    // Also between two owners: a reference names one transform.
    let refused = store.create_transform(spec("one", bag), bob, at(1)).await;
    assert_eq!(refused, Err(StoreError::Taken("name")));
    let refused = store.replace_transform(other.id, spec("one", bag), at(2)).await;
    assert_eq!(refused, Err(StoreError::Taken("name")));
    assert_eq!(store.transform(other.id).await.unwrap(), other);
    store.replace_transform(other.id, spec("one", synonym), at(2)).await.unwrap();
    assert_eq!(store.transforms().await.unwrap().len(), 3);
}

pub async fn are_replaced_and_deleted(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let made = store.create_transform(spec("one", TransformType::Bag), owner, at(1)).await.unwrap();
    let wanted = TransformSpec {
        shared: true,
        config_content: "x".repeat(1024 * 1024),
        ..spec("two", TransformType::Rewrite)
    };
    let replaced = store.replace_transform(made.id, wanted.clone(), at(2)).await.unwrap();
    assert_eq!((replaced.id, replaced.owner), (made.id, owner));
    assert!(replaced.spec == wanted, "all fields are replaced");
    assert_eq!((replaced.date_created, replaced.date_updated), (at(1), at(2)));
    assert!(store.transform(made.id).await.unwrap() == replaced, "it reads back");
    let unknown = store.replace_transform(TransformId(999), wanted, at(2)).await;
    assert!(unknown == Err(StoreError::NotFound), "an unknown one is not made");

    store.delete_transform(made.id).await.unwrap();
    assert_eq!(store.delete_transform(made.id).await, Err(StoreError::NotFound));
    assert_eq!(store.transform(made.id).await, Err(StoreError::NotFound));
    let again = store.create_transform(spec("two", TransformType::Rewrite), owner, at(3)).await.unwrap();
    assert!(again.id > made.id);
}
