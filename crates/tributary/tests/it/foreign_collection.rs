//! A collection of the configured name that another program made: every report names it, and nothing is put right.

use crate::app_harness::{AppHarness, licensed};
use crate::license::LicenseFixture;
use crate::program::{program, text};
use domain::corpus::{COLLECTION, QdrantMode};
use domain::secret::Secret;
use domain::settings::Settings;
use fakes::qdrant::{self, Qdrant};
use serde_json::{Value, json};
use std::path::Path;

const SENTENCE: &str = "the collection 'swirl_corpus' was not made by this program and is left alone";

/// A server with another program's collection, whose vectors have the same name.
async fn server() -> (Qdrant, Value) {
    let server = qdrant::start_empty().await;
    let payload = json!({"signal_id": 1, "text": "theirs"});
    server.with(|all| {
        all.make(COLLECTION, &json!({"vectors": {"dense": {"size": 2, "distance": "Cosine"}}}));
        all.put_points(COLLECTION, &json!([{"id": 1, "vector": {"dense": [1, 0]}, "payload": payload}]));
        all.index(COLLECTION);
    });
    (server, payload)
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_names_it_and_repairs_nothing() {
    let license_fixture = LicenseFixture::new();
    license_fixture.fill().await;
    let (server, theirs) = server().await;
    let cache_lines = |folder: &Path, arguments: &[&str]| {
        let data_dir = folder.display().to_string();
        let mut command = program(folder, &[arguments, &["--data-dir", &data_dir]].concat());
        command.env("SVC_QDRANT_MODE", "external").env("SVC_QDRANT_URL", &server.listener.url);
        let output = command.env("SVC_QDRANT_API_KEY", qdrant::KEY).output().unwrap();
        let said = text(&output.stdout) + &text(&output.stderr);
        let lines = said.lines().filter(|line| line.contains("  cache  ")).map(str::to_owned);
        (output.status.code(), lines.collect::<Vec<_>>())
    };
    for arguments in [&["doctor", "--offline"][..], &["doctor", "--offline", "--repair", "--yes"]] {
        let (code, lines) = cache_lines(license_fixture.folder.path(), arguments);
        assert_eq!((code, lines.len()), (Some(1), 1), "{arguments:?}: {lines:?}");
        assert!(lines[0].starts_with("fail") && lines[0].contains(SENTENCE), "{arguments:?}: {lines:?}");
        for wrong in ["repaired", "--repair", "deleted documents"] {
            assert!(!lines[0].contains(wrong), "{arguments:?}: {lines:?}");
        }
        assert_eq!(
            server.with(|all| all.payloads(COLLECTION)),
            std::slice::from_ref(&theirs),
            "{arguments:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn statistics_and_requests_name_it() {
    let (server, theirs) = server().await;
    let app = AppHarness::with(|settings| {
        licensed(Settings {
            qdrant_mode: QdrantMode::External,
            qdrant_url: server.listener.url.clone(),
            qdrant_api_key: Secret::new(qdrant::KEY),
            ..settings
        })
    })
    .await;
    let statistics = app.admin.get("/svc/cache/statistics/").await.body;
    let health = &statistics["vector_store"];
    assert_eq!(health["ok"], false, "{health}");
    assert!(health["message"].to_string().to_lowercase().contains(SENTENCE), "{health}");
    let body = "The gauge at the river shows how high the water stands. ".repeat(30);
    let given = json!({"url": "https://h.example/gauge", "title": "The gauge", "body": body, "wait": true});
    let refused = app.admin.post("/svc/ingest/", &given).await;
    assert_eq!(refused.status, 422, "{refused:?}");
    assert!(refused.body.to_string().to_lowercase().contains(SENTENCE), "{refused:?}");
    assert_eq!(server.with(|all| all.payloads(COLLECTION)), [theirs]);
    app.stop().await;
}
