//! The size of the database.

use super::fixture::at;
use domain::ports::Store;

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// Samples are an hour apart, whichever process takes them, and at most a week old; a wrong clock leaves none behind.
pub async fn the_size_is_sampled(store: &dyn Store) {
    let size = store.database_size().await.unwrap();
    assert!(size.used_bytes > 0 && size.used_bytes <= size.bytes, "{size:?}");
    let taken = async || {
        let samples = store.size_samples().await.unwrap();
        assert!(samples.iter().all(|sample| sample.used_bytes > 0), "{samples:?}");
        samples.into_iter().map(|sample| sample.taken).collect::<Vec<_>>()
    };
    for seconds in [0, 0, HOUR - 1, HOUR, 2 * HOUR - 1] {
        store.sample_size(at(seconds)).await.unwrap();
    }
    assert_eq!(taken().await, [at(0), at(HOUR)]);
    store.sample_size(at(7 * DAY)).await.unwrap();
    assert_eq!(taken().await, [at(HOUR), at(7 * DAY)]);
    store.sample_size(at(2 * HOUR)).await.unwrap();
    assert_eq!(taken().await, [at(HOUR), at(2 * HOUR)]);
}

/// A database without free space has nothing to release.
pub async fn nothing_is_released_of_what_is_in_use(store: &dyn Store) {
    let before = store.database_size().await.unwrap();
    assert!(!store.release_space().await.unwrap());
    assert_eq!(store.database_size().await.unwrap().used_bytes, before.used_bytes);
}
