//! What a source is asked for a query, from the request of a client to the request to the source.

use crate::app_harness::{AppHarness, items};
use serde_json::json;
use testkit::source::{Behavior, Source};

/// A query, and what is asked of a source that negates with a sign and has the tags `news` and `company`.
const QUERIES: [(&str, &str); 22] = [
    ("error \"file not found\" -windows", "error \"file not found\" -windows"),
    ("copper -“tin foil”", "copper -\"tin foil\""),
    ("(copper NOT tin) OR zinc", "(copper -tin) OR zinc"),
    ("why does my laptop not start", "why does my laptop not start"),
    ("\"copper wire", "copper wire"),
    ("C++ C# .NET AT&T 3.5%", "C++ C# .NET AT&T 3.5%"),
    ("user@example.com", "user@example.com"),
    ("supply—demand", "supply demand"),
    ("what does <script> do in html", "what does script do in html"),
    ("<b>copper</b> wire", "copper wire"),
    ("Dune: Part Two", "Dune Part Two"),
    ("10:30 train std::vector", "10:30 train std::vector"),
    ("(news:fed OR news:ecb) rates", "(fed OR ecb) rates"),
    ("pricing company:\"acme corp\"", "\"acme corp\""),
    ("हिन्दी \"हिन्दी न भाषा\"", "हिन्दी \"हिन्दी न भाषा\""),
    ("น้ำ ท่วม", "น้ำ ท่วม"),
    ("தமிழ் ಕನ್ನಡ മലയാളം", "தமிழ் ಕನ್ನಡ മലയാളം"),
    ("می\u{200c}خواهم", "می\u{200c}خواهم"),
    ("Zu\u{308}rich Tie\u{302}\u{301}ng", "Zu\u{308}rich Tie\u{302}\u{301}ng"),
    ("東京、大阪", "東京 大阪"),
    ("🚀 -🌙", "🚀 -🌙"),
    ("🚀 OR 🌙", "🚀 OR 🌙"),
];

#[tokio::test(flavor = "multi_thread")]
async fn queries_reach_the_source_with_their_words() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("copper", 1)));
    let fields = json!({"query_mappings": "NOT_CHAR=-", "tags": ["News", "Company"]});
    app.provider_with("Metals", &source, fields).await;
    for (query, expected) in QUERIES {
        let search = app.admin.search(&json!({"query_string": query})).await;
        assert_eq!(search["query_string"], query);
        let mixed = app.admin.get(&format!("/svc/results/?search_id={}", search["id"])).await.body;
        let info = &mixed["info"]["Metals"];
        assert_eq!(info["query_string_to_provider"], expected, "{query}: {info}");
        let requests = source.requests();
        assert_eq!(requests.last().and_then(|last| last.query_value("q")), Some(expected), "{query}");
    }
    app.stop().await;
}
