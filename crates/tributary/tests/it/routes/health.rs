//! `/svc/health/live/` and `/svc/health/ready/`: signs of life that say nothing else.

use crate::house::TestHouse;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn both_are_open_and_short() {
    let house = TestHouse::start().await;
    for path in ["/svc/health/live/", "/svc/health/ready/", "/api/svc/health/live", "/api/svc/health/ready"] {
        let answer = house.anonymous().get(path).await;
        assert_eq!((answer.status.as_u16(), &answer.body), (200, &json!({"status": "ok"})), "{path}");
    }
    house.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_database_the_service_lives_but_is_not_ready() {
    let house = TestHouse::start().await;
    house.service.wired().store.close().await;
    let live = house.anonymous().get("/svc/health/live/").await;
    assert_eq!(live.status, 200);
    let ready = house.anonymous().get("/svc/health/ready/").await;
    assert_eq!((ready.status.as_u16(), ready.code()), (503, "unavailable"), "{ready:?}");
    assert!(!ready.header("retry-after").is_empty());
    let text = ready.body.to_string().to_lowercase();
    for word in ["sql", "pool", "database", "closed", "/tmp"] {
        assert!(!text.contains(word), "it tells of its inside: {text}");
    }
    let other = house.admin.get("/svc/search/").await;
    assert_eq!((other.status.as_u16(), other.code()), (503, "unavailable"), "{other:?}");
    house.stop().await;
}
