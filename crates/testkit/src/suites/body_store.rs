//! Suite for implementations of `BodyStore`: an unshared store whose largest body has `max_mb` megabytes.

use bytes::Bytes;
use domain::ports::{BodyError, BodyKey, BodyStore};
use std::collections::BTreeSet;

/// Runs the whole suite.
pub async fn all(bodies: &dyn BodyStore, max_mb: u32) {
    making_it_twice_is_fine(bodies).await;
    bodies_come_out_as_they_went_in(bodies, max_mb).await;
    what_is_not_there_is_no_error(bodies).await;
    a_body_that_is_too_large_is_refused(bodies, max_mb).await;
    writers_of_one_body_do_not_harm_each_other(bodies).await;
    keys_come_in_order_and_in_pages(bodies).await;
}

fn key(number: u32) -> BodyKey {
    // Neighboring keys are in different folders, so that the order is not accidental.
    BodyKey::of_hash(&format!("{:02x}{number:062x}", number * 37 % 256)).expect("a hash")
}

async fn making_it_twice_is_fine(bodies: &dyn BodyStore) {
    bodies.prepare().await.expect("made");
    bodies.prepare().await.expect("there already");
    assert_eq!(bodies.keys(None, 10).await, Ok(Vec::new()), "it is empty");
}

async fn bodies_come_out_as_they_went_in(bodies: &dyn BodyStore, max_mb: u32) {
    let largest = (max_mb as usize) << 20;
    let noise: Bytes = (0..largest).map(|_| rand::random::<u8>()).collect();
    let text = Bytes::from("Flüsse 河 rivers\r\n\0".repeat(9_999));
    for (number, body) in
        [Bytes::new(), Bytes::from_static(b"a"), text.clone(), noise].into_iter().enumerate()
    {
        let key = key(u32::try_from(number).expect("a small number"));
        let size = bodies.put(&key, body.clone()).await.expect("kept");
        assert!(size > 0 && size <= body.len() as u64 + 65_536, "{size} bytes for {}", body.len());
        assert!(bodies.get(&key).await.expect("read") == Some(body), "body {number}");
    }
    let size = bodies.put(&key(2), text.clone()).await.expect("what is there may be put again");
    assert!(size < text.len() as u64 / 10, "it is packed: {size} bytes for {}", text.len());
    assert!(bodies.get(&key(2)).await.expect("read") == Some(text));
    for number in 0..4 {
        bodies.delete(&key(number)).await.expect("deleted");
        assert_eq!(bodies.get(&key(number)).await, Ok(None), "it is gone");
    }
}

async fn what_is_not_there_is_no_error(bodies: &dyn BodyStore) {
    assert_eq!(bodies.get(&key(77)).await, Ok(None));
    assert_eq!(bodies.delete(&key(77)).await, Ok(()));
}

async fn a_body_that_is_too_large_is_refused(bodies: &dyn BodyStore, max_mb: u32) {
    let more = Bytes::from(vec![b'a'; ((max_mb as usize) << 20) + 1]);
    assert_eq!(bodies.put(&key(5), more).await, Err(BodyError::TooLarge(max_mb)));
    assert_eq!(bodies.get(&key(5)).await, Ok(None), "nothing of it was kept");
}

const LIST_BEHIND_MAX: std::time::Duration = std::time::Duration::from_secs(60);

async fn writers_of_one_body_do_not_harm_each_other(bodies: &dyn BodyStore) {
    let body = Bytes::from("the same text ".repeat(50_000));
    let place = key(6);
    let writers = (0..16).map(|_| bodies.put(&place, body.clone()));
    for written in futures_util::future::join_all(writers).await {
        written.expect("kept");
    }
    assert!(bodies.get(&key(6)).await.expect("read") == Some(body));
    bodies.delete(&key(6)).await.expect("deleted");
}

async fn keys_come_in_order_and_in_pages(bodies: &dyn BodyStore) {
    let all: BTreeSet<BodyKey> = (0..40).map(key).collect();
    for key in &all {
        bodies.put(key, Bytes::from_static(b"text")).await.expect("kept");
    }
    let all: Vec<BodyKey> = all.into_iter().collect();
    assert_eq!(bodies.keys(None, 100).await.as_deref(), Ok(&all[..]));
    let (mut paged, mut after) = (Vec::new(), None);
    loop {
        let page = bodies.keys(after.as_ref(), 7).await.expect("a page");
        assert!(page.len() <= 7);
        let Some(last) = page.last() else { break };
        after = Some(last.clone());
        paged.extend(page);
    }
    assert_eq!(paged, all);
    assert_eq!(bodies.keys(None, 0).await, Ok(Vec::new()));
    // A missing key is also a position in the order.
    bodies.delete(&all[3]).await.expect("deleted");
    assert_eq!(bodies.keys(Some(&all[3]), 2).await.as_deref(), Ok(&all[4..6]));
    for key in &all {
        bodies.delete(key).await.expect("deleted");
    }
    // An object store for tests may, for a while, show concurrent writes and deleted objects.
    let started = std::time::Instant::now();
    loop {
        let left = bodies.keys(None, 10).await.expect("a page");
        if left.is_empty() {
            break;
        }
        assert!(started.elapsed() < LIST_BEHIND_MAX, "{left:?}");
        for key in &left {
            bodies.delete(key).await.expect("deleted");
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
}
