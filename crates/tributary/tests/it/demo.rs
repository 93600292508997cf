//! `tributary demo`, the first contact with the program.

use crate::app_harness::Client;
use crate::mcp::stdio::call_tools;
use crate::program::{Running, program, text};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

#[tokio::test(flavor = "multi_thread")]
async fn the_demo_answers_from_all_three_sources() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(program(folder.path(), &["demo", "--port", "0"]));
    let said = running.said.join("\n");
    let curl: Vec<&str> =
        said.lines().filter(|line| line.trim_start().starts_with("curl -u admin:")).collect();
    assert_eq!(curl.len(), 3, "{said}");
    let password = said.split("password ").nth(1).unwrap().lines().next().unwrap();
    let client = running.client(Some(basic("admin", password)));
    let license = client.get("/svc/license/").await.body;
    assert_eq!(
        (&license["status"], &license["cache"], &license["owner"]),
        (&Value::from("valid"), &Value::from(true), &Value::from("Tributary demo")),
        "it issues its own license"
    );
    assert!(folder.path().join("data/demo/license/private.pem").exists(), "with a key of its own");
    let settings = client.get("/svc/settings/").await.body;
    let elects = |row: &&Value| row["name"] == "SVC_CANONICAL_AUTO_ELECT_ENABLED";
    let elects = settings.as_array().unwrap().iter().find(elects).unwrap();
    assert_eq!(
        (&elects["value"], &elects["default"]),
        (&json!("True"), &json!("False")),
        "as in what is shipped"
    );
    for line in curl {
        let path = line.split(&running.base).nth(1).unwrap().trim_end_matches('\'');
        let answer = client.get(path).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let info = &answer.body["info"];
        assert_eq!(info["completeness"]["answered"], 4, "three sources and the cache: {info}");
        let sources = sources(&answer.body);
        assert!(sources.len() == 3, "{path} shows {sources:?} only, on its first page");
        let url = &answer.body["results"][0]["url"];
        assert!(url.as_str().unwrap().starts_with("https://"), "{url}");
    }
    for code in ["RB-171", "RB171", "RB+171"] {
        let found = client.get(&format!("/svc/search/?qs={code}")).await.body;
        let title = found["results"][0]["title"].as_str().unwrap().replace("<em>", "").replace("</em>", "");
        assert!(title.starts_with("RB-171: "), "{code}: {title}");
    }
    for (typed, meant) in [("flod+warnig", "flood warning"), ("sedimant", "sediment"), ("batery", "battery")]
    {
        let found = client.get(&format!("/svc/search/?qs={typed}")).await.body;
        assert_eq!(found["info"]["search"]["did_you_mean"]["query_string"], meant, "{found}");
    }
    let german = client.get("/svc/search/?qs=Hochwasser+Warnung").await.body;
    assert_eq!(german["info"]["search"]["language_hint"]["query"], "german", "{german}");
    let common = client.get("/svc/search/?qs=the").await.body;
    let confidence = common["results"][0]["swirl_confidence_score"].as_f64().unwrap();
    assert!(confidence < 0.3, "{confidence}");
    let grouped = client.get("/svc/search/?qs=battery+life").await;
    let duplicates =
        grouped.body["results"].as_array().unwrap().iter().filter(|item| item.get("duplicates").is_some());
    assert!(duplicates.count() > 0, "documents in two sources are grouped");

    // The command line works beside the running server on the same data folder.
    let search =
        program(folder.path(), &["search", "flood warning", "--data-dir", "data/demo"]).output().unwrap();
    assert!(search.status.success(), "{search:?}");
    assert!(text(&search.stdout).contains("4 of 4 sources responded"), "{}", text(&search.stdout));
    let json = program(
        folder.path(),
        &["search", "flood", "--json", "--data-dir", "data/demo", "--providers", "news"],
    )
    .output()
    .unwrap();
    let mixed: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(sources(&mixed), BTreeSet::from(["Newsroom - Riverbend".to_owned()]));
}

/// The contracts are ingested by tasks after the start.
const VERSIONS_MAX: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread")]
async fn the_demo_has_versions_and_somebody_who_decides() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(program(folder.path(), &["demo", "--port", "0"]));
    let said = running.said.join("\n");
    let password = said.split("password ").nth(1).unwrap().lines().next().unwrap();
    let query = said.split(['“', '”']).nth(1).unwrap().replace(' ', "+");
    let curator = running.client(Some(basic("curator", password)));
    let until = Instant::now() + VERSIONS_MAX;
    let mark = loop {
        let found = curator.get(&format!("/svc/search/?qs={query}")).await.body;
        let mark = found["results"][0]["cache"].clone();
        if mark["cluster"]["size"] == 4 || Instant::now() > until {
            break mark;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    };
    assert_eq!(
        (&mark["cluster"]["size"], &mark["badge"]),
        (&Value::from(4), &"Auto-selected".into()),
        "{mark}"
    );
    let run = curator.get(&format!("/svc/canonical/{}/", mark["run_id"])).await.body;
    assert_eq!(run["may_decide"], true, "{run}");
    assert_eq!(run["winner"]["title"], "Gauge Hosting Agreement Alder Lock v3 final", "{run}");
    finds_versions_from_the_command_line(folder.path());
    finds_versions_over_mcp(folder.path());

    // A second start does not restore what was removed.
    let admin = running.client(Some(basic("admin", password)));
    let winner = serde_json::json!({"signal_id": run["winner_signal_id"]});
    assert_eq!(admin.post("/svc/cache/unindex/", &winner).await.status, 200);
    let count = settled_count(&admin).await;
    running.terminate();
    let again = Running::start(program(folder.path(), &["demo", "--port", "0"]));
    let admin = again.client(Some(basic("admin", password)));
    assert_eq!(settled_count(&admin).await, count);
}

/// Commands on the demo's data have its license too, from any folder.
fn finds_versions_from_the_command_line(folder: &Path) {
    let data = folder.join("data/demo");
    let elsewhere = tempfile::tempdir().unwrap();
    for (folder, data) in [(folder, "data/demo"), (elsewhere.path(), data.to_str().unwrap())] {
        for user in [&[][..], &["--user", "curator"]] {
            let arguments = ["search", "gauge hosting agreement", "--json", "--data-dir", data];
            let output = program(folder, &[&arguments, user].concat()).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            let found: Value = serde_json::from_slice(&output.stdout).unwrap();
            let first = &found["results"][0]["cache"];
            assert_eq!(
                (&first["cluster"]["size"], &first["badge"]),
                (&json!(4), &json!("Auto-selected")),
                "{user:?}: {found}"
            );
        }
    }
    // The library is a file in the data folder.
    let arguments =
        ["search", "sediment", "--json", "--providers", "library", "--data-dir", data.to_str().unwrap()];
    let output = program(elsewhere.path(), &arguments).output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(sources(&found), BTreeSet::from(["Library - Riverbend".to_owned()]), "{found}");
}

/// So does the MCP server that a desktop client starts, in whatever folder.
fn finds_versions_over_mcp(folder: &Path) {
    let data = folder.join("data/demo").display().to_string();
    let elsewhere = tempfile::tempdir().unwrap();
    for user in ["admin", "curator"] {
        let calls = [
            ("search", json!({"query": "gauge hosting agreement"})),
            ("search", json!({"query": "sediment", "providers": ["library"]})),
        ];
        let found = call_tools(elsewhere.path(), &["mcp", "--data-dir", &data, "--user", user], &calls);
        assert_eq!(found[0]["results"][0]["cache"]["badge"], "Auto-selected", "{user}: {}", found[0]);
        assert_eq!(found[1]["results"][0]["source"], "Library - Riverbend", "{user}: {}", found[1]);
    }
}

/// The number of cached documents, once no more are being added in the background.
async fn settled_count(admin: &Client) -> Value {
    const SETTLED: u32 = 6;
    let until = Instant::now() + VERSIONS_MAX;
    let (mut count, mut same) = (Value::Null, 0);
    while same < SETTLED && Instant::now() < until {
        let now = admin.get("/svc/cache/?page=1&items=1").await.body["count"].clone();
        same = if now == count { same + 1 } else { 0 };
        count = now;
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    count
}

fn sources(mixed: &Value) -> BTreeSet<String> {
    let items = mixed["results"].as_array().unwrap().iter();
    items.map(|item| item["searchprovider"].as_str().unwrap().to_owned()).collect()
}

pub fn basic(user: &str, password: &str) -> String {
    use base64::Engine;
    let pair = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
    format!("Basic {pair}")
}
