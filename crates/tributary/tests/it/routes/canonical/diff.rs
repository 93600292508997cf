//! `/svc/cache/{id}/diff/{other}/`: the differences between two versions, for people who may see both.

use super::{Fixture, keep};
use crate::app_harness::long_text;
use serde_json::{Value, json};

fn text_of(pieces: &Value, without: &str) -> String {
    let pieces = pieces.as_array().unwrap().iter();
    pieces.filter(|piece| piece["op"] != without).map(|piece| piece["text"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_texts_side_by_side() {
    let fixture = Fixture::start().await;
    let Fixture { ann, ben, first, .. } = &fixture;
    let (old, new) = (long_text("dams"), long_text("dams").replace("Sentence 7 of", "Sentence seven of"));
    let mut ids = Vec::new();
    for (label, body) in [("v1", &old), ("v2", &new)] {
        let payload = json!({"url": format!("https://own.example/{label}"), "title": format!("Dams {label}"), "body": body});
        ids.push(keep(ann, payload).await);
    }
    let path = format!("/svc/cache/{}/diff/{}/", ids[0], ids[1]);
    let told = ann.get(&path).await;
    assert_eq!(told.status, 200, "{told:?}");
    let mut head = told.body.clone();
    let pieces = head.as_object_mut().unwrap().shift_remove("pieces").unwrap();
    insta::assert_json_snapshot!(head, {".*.signal_id" => "[id]", ".*.date" => "[date]"}, @r#"
    {
      "left": {
        "signal_id": "[id]",
        "title": "Dams v1",
        "version_label": "v1",
        "date": "[date]"
      },
      "right": {
        "signal_id": "[id]",
        "title": "Dams v2",
        "version_label": "v2",
        "date": "[date]"
      },
      "added": 1,
      "removed": 1,
      "same": 359,
      "truncated": false
    }
    "#);
    assert_eq!(
        (&told.body["left"]["signal_id"], &told.body["right"]["signal_id"]),
        (&json!(ids[0]), &json!(ids[1]))
    );
    let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(text_of(&pieces, "added")), words(old), "without what was added it is the left one");
    assert_eq!(words(text_of(&pieces, "removed")), words(new));

    let same = ann.get(&format!("/svc/cache/{0}/diff/{0}/", ids[0])).await.body;
    assert_eq!((&same["added"], &same["removed"]), (&json!(0), &json!(0)));
    // Both documents must be visible.
    for path in [
        format!("/svc/cache/{first}/diff/{}/", ids[0]),
        format!("/svc/cache/{}/diff/{first}/", ids[0]),
        format!("/svc/cache/{first}/diff/999999/"),
    ] {
        let refused = ben.get(&path).await;
        assert_eq!((refused.status.as_u16(), refused.code()), (404, "not_found"), "{path}: {refused:?}");
    }
    fixture.app.stop().await;
}
