//! Limits of chats and messages.

use super::{chat, chat_fixture, send_message};
use domain::chat::{CHATS_MAX, CONTENT_CHARS_MAX, ChatSpec, MESSAGES_MAX, MessageContent, Speaker};
use domain::ids::ChatId;
use domain::ports::{ChatStore, UserStore};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn chats_of_one_person() {
    let scenario = chat_fixture().await;
    let (store, now) = (&scenario.app.service.app().store, scenario.app.service.app().clock.now());
    let admin = store.user_by_name("admin").await.unwrap().id;
    for _ in 1..CHATS_MAX {
        store.create_chat(ChatSpec::default(), admin, now).await.unwrap();
    }
    let last = chat(&scenario.app.admin, json!({})).await;
    let refused = scenario.app.admin.post("/svc/chat/", &json!({})).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (409, "conflict"), "{refused:?}");
    let ann = scenario.app.user("ann", &[]).await;
    chat(&ann, json!({})).await;
    assert_eq!(scenario.app.admin.delete(&last).await.status, 204);
    chat(&scenario.app.admin, json!({})).await;
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_of_one_chat_and_their_length() {
    let scenario = chat_fixture().await;
    scenario.model.says("Yes.");
    let path = chat(&scenario.app.admin, json!({})).await;
    let admin = &scenario.app.admin;
    for (said, field) in [
        (json!({"content": "x".repeat(CONTENT_CHARS_MAX + 1)}), "content"),
        (json!({"content": "  "}), "content"),
        (json!({"content": "x", "attach": vec![json!({"search_id": 1, "swirl_id": 1}); 21]}), "attach"),
    ] {
        let refused = admin.post(&format!("{path}messages/"), &said).await;
        assert_eq!(refused.status, 400, "{refused:?}");
        assert!(refused.body["errors"][field].is_array(), "{refused:?}");
    }
    let longest = send_message(admin, &path, &"x ".repeat(CONTENT_CHARS_MAX / 2)).await;
    assert_eq!(longest.status, 201, "{longest:?}");
    let (store, now) = (&scenario.app.service.app().store, scenario.app.service.app().clock.now());
    let id = ChatId(path.split('/').nth(3).unwrap().parse().unwrap());
    for _ in 0..MESSAGES_MAX - 4 {
        store.add_message(id, Speaker::Assistant, MessageContent::default(), now).await.unwrap();
    }
    assert_eq!(send_message(admin, &path, "The last one?").await.status, 201);
    let full = send_message(admin, &path, "One more?").await;
    assert_eq!((full.status.as_u16(), full.code()), (409, "conflict"), "{full:?}");
    assert!(full.body["detail"].as_str().unwrap().contains("start a new one"), "{full:?}");
    scenario.app.stop().await;
}
