//! `kill -9` during ingest: afterwards each document is completely stored or absent, and records, vectors and bodies
//! agree.

use crate::app_harness::Client;
use crate::program::{Running, program, run, text};
use corpus::maintenance::Repair;
use license::{LicenseTerms, SigningKey};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};
use testkit::source::{Behavior, Source};

const PASSWORD: &str = "a password for tests";
const DOCUMENTS: usize = 200;
const KILLS: usize = 6;
/// How long the last documents may take; a debug build on a busy machine is slow.
const PATIENCE: Duration = Duration::from_secs(180);

/// A license for the test, and the key of its issuer.
pub struct License {
    pub license: String,
    pub public_key: String,
}

impl License {
    pub fn issue() -> Self {
        let (key, _) = SigningKey::make().unwrap();
        let terms = LicenseTerms {
            owner: "A test".to_owned(),
            issued: "2026-01-01".parse().unwrap(),
            expiration: "2099-12-31".parse().unwrap(),
            cache: true,
            cache_expiration: None,
        };
        Self { license: terms.issue(&key), public_key: key.issuer().unwrap().pem() }
    }

    fn serve(&self, folder: &Path) -> Running {
        let mut command = program(folder, &["serve", "--port", "0"]);
        command
            .env("SVC_ADMIN_PASSWORD", PASSWORD)
            .env("SVC_LICENSE", &self.license)
            .env("SVC_LICENSE_PUBLIC_KEY", &self.public_key);
        Running::start(command)
    }
}

fn admin(running: &Running) -> Client {
    running.client(Some(crate::demo::basic("admin", PASSWORD)))
}

/// One in this many documents is supplied with its text, which is stored until the task runs.
const SUPPLIED_EVERY: usize = 5;

/// The text of one document: about a hundred words that no other document has.
fn lines(number: usize) -> Vec<String> {
    (0..60)
        .map(|line| format!("Gauge {number} of the river stood at {line} in the year of the flood."))
        .collect()
}

fn page(number: usize) -> String {
    let lines: String = lines(number).iter().map(|line| format!("<p>{line}</p>")).collect();
    let head = format!("<head><title>Gauge {number}</title></head>");
    format!("<html>{head}<body><main><h1>Gauge {number}</h1>{lines}</main></body></html>")
}

async fn source() -> Source {
    let source = Source::start().await;
    for number in 0..DOCUMENTS {
        let page = Behavior::text("text/html", page(number));
        source.reply_at(
            &format!("/gauge/{number}"),
            page.delayed(Duration::from_millis(number as u64 % 40 * 5)),
        );
    }
    source
}

/// Requests the ingest of these documents. Returns the accepted ones with their ids.
async fn ingest_documents(
    client: &Client,
    source: &Source,
    provider: i64,
    numbers: std::ops::Range<usize>,
) -> Vec<(usize, i64)> {
    let mut accepted = Vec::new();
    for number in numbers {
        let url = source.url_at(&format!("/gauge/{number}"));
        let body = number.is_multiple_of(SUPPLIED_EVERY).then(|| lines(number).join("\n\n"));
        let title = format!("Gauge {number}");
        let payload = json!({"url": url, "title": title, "body": body, "provider_id": provider});
        let answer = client.post("/svc/ingest/", &payload).await;
        assert_eq!(answer.status, 202, "{answer:?}");
        accepted.push((number, answer.body["signal_id"].as_i64().unwrap()));
    }
    accepted
}

/// All documents by id, as seen by the administrator who ingested them.
async fn documents(client: &Client) -> BTreeMap<i64, Value> {
    let mut all = BTreeMap::new();
    for page in 1.. {
        let answer = client.get(&format!("/svc/cache/?page={page}&items=100")).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let rows = answer.body["results"].as_array().unwrap().clone();
        all.extend(rows.iter().map(|row| (row["signal_id"].as_i64().unwrap(), row.clone())));
        if rows.len() < 100 {
            break;
        }
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_complete_or_absent_after_kill_nine() {
    let seed: u64 = rand::random();
    eprintln!("seed {seed}");
    let mut moments = StdRng::seed_from_u64(seed);
    let (folder, license, source) = (tempfile::tempdir().unwrap(), License::issue(), source().await);
    let mut running = license.serve(folder.path());
    let provider = json!({
        "name": "Gauges", "url": source.url(), "page_fetch_config_json": {"cache": "true"},
        "response_mappings": "RESULTS=items", "results_per_query": DOCUMENTS,
        "query_template": "{url}?q={query_string}", "result_mappings": "title=title,url=url",
    });
    let created = admin(&running).post("/svc/searchproviders/", &provider).await;
    assert_eq!(created.status, 201, "{created:?}");
    let provider = created.body["id"].as_i64().unwrap();
    let gauge = |number: usize| {
        let url = source.url_at(&format!("/gauge/{number}"));
        json!({"title": format!("Gauge {number}"), "url": url})
    };
    let gauges: Vec<Value> = (0..DOCUMENTS).map(gauge).collect();
    source.reply_at("/", Behavior::Json(json!({ "items": gauges })));
    let search = admin(&running).search(&json!({"query_string": "gauge"})).await;
    assert_eq!(search["status"], "FULL_RESULTS_READY", "the source gave them: {search}");

    let mut accepted: Vec<(usize, i64)> = Vec::new();
    let mut interrupted = 0;
    for kill in 0..=KILLS {
        let part = DOCUMENTS * kill / (KILLS + 1)..DOCUMENTS * (kill + 1) / (KILLS + 1);
        accepted.extend(ingest_documents(&admin(&running), &source, provider, part).await);
        if kill < KILLS {
            tokio::time::sleep(Duration::from_millis(moments.random_range(0..400))).await;
            running.kill();
            interrupted += accepted.len() - assert_complete_or_absent(folder.path(), seed).await;
            running = license.serve(folder.path());
        }
    }
    assert_eq!(accepted.len(), DOCUMENTS);
    assert!(interrupted > 0, "seed {seed}: no kill struck in the middle");
    let ids: BTreeSet<i64> = accepted.iter().map(|(_, id)| *id).collect();
    assert_eq!(ids.len(), DOCUMENTS, "one record for each");
    let client = admin(&running);
    let started = Instant::now();
    let all = loop {
        let all = documents(&client).await;
        if all.len() == DOCUMENTS || started.elapsed() > PATIENCE {
            break all;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    };
    assert_eq!(all.keys().copied().collect::<BTreeSet<i64>>(), ids, "seed {seed}");
    for (number, id) in &accepted {
        let document = &all[id];
        assert_eq!(document["state"], "indexed", "seed {seed}: {document}");
        assert!(
            document["chunk_count"].as_u64().unwrap() > 0 && document["body_bytes"].as_u64().unwrap() > 0
        );
        assert_eq!(document["title"], format!("Gauge {number}"));
    }
    assert_eq!(running.terminate(), Some(0));
    let doctor = run(folder.path(), &["doctor", "--offline"]);
    let said = text(&doctor.stdout) + &text(&doctor.stderr);
    assert!(doctor.status.success(), "seed {seed}: {said}");
    assert_consistent(folder.path(), seed).await;
}

/// After a kill, records are complete, and every stored document has its body. Returns how many are stored.
async fn assert_complete_or_absent(folder: &Path, seed: u64) -> usize {
    let report = report(folder).await;
    assert_eq!(report.pieces, report.pieces_recorded, "seed {seed}: {report:?}");
    assert_eq!(report.indexed, report.with_body, "seed {seed}: {report:?}");
    assert_eq!(report.bodies_missing.count, 0, "seed {seed}: {report:?}");
    usize::try_from(report.indexed).unwrap()
}

/// In the end everything agrees, and nothing is left over.
async fn assert_consistent(folder: &Path, seed: u64) {
    let report = report(folder).await;
    assert!(report.is_whole(), "seed {seed}: {report:?}");
    let count = DOCUMENTS as u64;
    assert_eq!((report.indexed, report.with_body, report.bodies), (count, count, count));
    assert_eq!(report.vectors, Some(report.pieces), "{report:?}");
}

async fn report(folder: &Path) -> corpus::maintenance::ReconcileReport {
    let settings = domain::settings::Settings {
        data_dir: data_dir(folder).display().to_string(),
        ..domain::settings::Settings::default()
    };
    let wired = tributary::app::App::build(settings, tributary::app::FileReaders::Threads).await.unwrap();
    let report = wired.corpus.reconcile(Repair::Nothing).await.unwrap();
    wired.store.close().await;
    report
}

/// The default data folder.
fn data_dir(folder: &Path) -> std::path::PathBuf {
    folder.join(domain::settings::Settings::default().data_dir)
}
