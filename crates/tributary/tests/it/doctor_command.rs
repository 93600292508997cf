//! `tributary doctor` on misconfigured sources: one plain sentence each, with what to do.

use crate::program::{program, run, text};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::path::Path;
use testkit::source::{Behavior, Source};
use url::Url;

/// Adds providers and runs the doctor. Returns its output.
fn findings(folder: &Path, providers: &Value) -> String {
    let file = folder.join("providers.json");
    std::fs::write(&file, providers.to_string()).unwrap();
    let set_up =
        program(folder, &["setup"]).env("SVC_ADMIN_PASSWORD", "correct horse battery").output().unwrap();
    assert!(set_up.status.success(), "{}", text(&set_up.stderr));
    let loaded = run(folder, &["load-providers", file.to_str().unwrap()]);
    assert!(loaded.status.success(), "{}{}", text(&loaded.stdout), text(&loaded.stderr));
    text(&run(folder, &["doctor"]).stdout)
}

/// Checks the line of one provider: one sentence with the cause and the remedy.
fn check(said: &str, name: &str, parts: &[&str]) {
    let lines: Vec<&str> = said.lines().filter(|line| line.contains(&format!("{name}:"))).collect();
    assert_eq!(lines.len(), 1, "{name}: {said}");
    assert!(lines[0].starts_with("fail"), "{}", lines[0]);
    for part in parts {
        assert!(lines[0].contains(part), "{name} says '{part}': {}", lines[0]);
    }
    assert!(!lines[0].contains("river-stone") && !lines[0].contains("wrong-password"), "{}", lines[0]);
    eprintln!("{}", lines[0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn databases_are_explained() {
    let Some(address) = testkit::postgres::server_with_pgvector("the doctor of databases") else { return };
    let mut url = Url::parse(&address).unwrap();
    let credentials = format!("{}:{}", url.username(), url.password().unwrap());
    url.set_username("").unwrap();
    url.set_password(None).unwrap();
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let provider = |name: &str, url: &str, credentials: &str| {
        json!({"name": name, "connector": "PostgreSQL", "url": url, "credentials": credentials,
            "query_template": "select {fields} from {table} where title like '%{query_string}%'",
            "query_mappings": "fields=*,table=no_such_table", "result_mappings": "title=title"})
    };
    let providers = json!([
        provider("Wrong password", url.as_str(), "postgres:wrong-password"),
        provider("Unknown table", url.as_str(), &credentials),
        provider("No TLS", &format!("{url}?tls=required"), &credentials),
        provider("Refused", &format!("postgres://{closed}/postgres"), &credentials),
    ]);
    let folder = tempfile::tempdir().unwrap();
    let said = findings(folder.path(), &providers);
    check(&said, "Wrong password", &["refused the user 'postgres' or the password", "; check the user name"]);
    check(&said, "Unknown table", &["\"no_such_table\" does not exist", "; check the name of the table"]);
    check(&said, "No TLS", &["no secure connection", "; check that this port uses TLS"]);
    check(&said, "Refused", &["refused", "; check that the source is running"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn web_sources_are_explained() {
    let source = Source::start().await;
    source.reply_at("/denied", Behavior::status(401));
    source.reply_at("/gone", Behavior::status(404));
    source.reply_at("/words", Behavior::text("text/html", "<p>Sign in first</p>"));
    let provider = |name: &str, url: &str| {
        json!({"name": name, "connector": "RequestsGet", "url": url, "query_template": "{url}?q={query_string}",
            "response_mappings": "RESULTS=items", "result_mappings": "title=title", "credentials": "bearer=wrong-password"})
    };
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let providers = json!([
        provider("Wrong key", source.url_at("denied").as_str()),
        provider("Gone", source.url_at("gone").as_str()),
        provider("No data", source.url_at("words").as_str()),
        provider("Refused", &format!("http://{closed}/")),
        provider("No TLS", &source.url_at("denied").as_str().replace("http:", "https:")),
    ]);
    let folder = tempfile::tempdir().unwrap();
    let said = findings(folder.path(), &providers);
    check(&said, "Wrong key", &["; check the user name, password or key"]);
    check(&said, "Gone", &["404", "; check the name of the table, index, collection or path"]);
    check(&said, "No data", &["; test the provider and check that its URL is the right one"]);
    check(&said, "Refused", &["connection refused", "; check that the source is running"]);
    check(&said, "No TLS", &["no secure connection", "; check that this port uses TLS"]);
}
