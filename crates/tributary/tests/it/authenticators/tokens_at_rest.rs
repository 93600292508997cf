//! Tokens at rest: neither the database nor a backup holds them in clear text.

use super::{authenticator, connect, files, search};
use crate::app_harness::AppHarness;
use fakes::identity_provider::{CLIENT_SECRET, FakeIdp};
use serde_json::json;
use std::path::Path;
use store::dump::{DumpRow, DumpSink, DumpTable, export};

/// The whole dump as one text.
#[derive(Default)]
struct Text(String, Vec<String>);

impl DumpSink for Text {
    fn begin(&mut self, table: &DumpTable) -> std::io::Result<()> {
        self.1.push(table.name.clone());
        Ok(())
    }
    fn row(&mut self, row: &DumpRow) -> std::io::Result<()> {
        self.0.push_str(&format!("{row:?}"));
        Ok(())
    }
    fn end(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn files_hold(folder: &Path, text: &str) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return files_hold(&path, text);
        }
        let bytes = std::fs::read(&path).unwrap_or_default();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn no_token_is_readable_in_the_database_or_a_dump() {
    let (app, idp) = (AppHarness::start().await, FakeIdp::start().await);
    authenticator(&app, &idp, json!({"exchange_code_params": {"api_key": "canary-parameter"}})).await;
    files(&app, &idp).await;
    let ann = app.user("ann", &[]).await;
    assert_eq!(connect(&ann, "ann").await.status, 303);
    assert_eq!(search(&ann).await.1, ["river of ann"]);
    // A flow that was never completed.
    ann.post_nothing("/svc/authenticators/hub/connect/").await;
    let wired = app.service.app();
    let url = tributary::app::database_url(&wired.settings, &wired.data_dir).unwrap();
    let mut copy = Text::default();
    export(&url, &mut copy).await.unwrap();
    for table in ["authenticators", "connections", "identities"] {
        assert!(copy.1.iter().any(|name| name == table), "{table} is in the copy");
    }
    assert!(copy.0.contains("\"hub\"") && copy.0.contains("ann"), "the records are in the copy");
    for secret in ["canary-access", "canary-refresh", "canary-code", "canary-parameter", CLIENT_SECRET] {
        assert!(!copy.0.contains(secret), "{secret} is in a dump");
        assert!(!files_hold(app.folder(), secret), "{secret} is in a file");
    }
    assert!(idp.state().issued.len() >= 2);
    app.stop().await;
}
