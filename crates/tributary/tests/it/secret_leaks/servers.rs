//! Servers with a login and with a certificate: they are used, errors say why a connection was refused, and no password
//! is logged.

use super::leak_detector::LeakDetector;
use super::{ADMIN, ENVIRONMENT};
use crate::app_harness::{eventually, items};
use crate::demo::basic;
use crate::program::{Running, program};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::Command;
use testkit::nats::NatsServer;
use testkit::source::{Behavior, Source};

const LOGIN: [&str; 4] = ["--user", "svc", "--pass", "canary-queue"];
/// The most verbose logging of the clients of the servers.
const VERBOSE_LOGS: &str = "trace,hyper=info,hyper_util=info,reqwest=info,h2=info";

fn environment(queue: String) -> LeakDetector {
    let mut detector = LeakDetector::new(&ENVIRONMENT);
    detector.environment.push(("SVC_QUEUE_URL".to_owned(), queue));
    detector.environment.push(("SVC_LOG_LEVEL".to_owned(), VERBOSE_LOGS.to_owned()));
    detector
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_with_a_login_are_used_and_their_passwords_stay_hidden() {
    let suite = "servers with a login";
    let (Some(postgres), Some(nats)) = (testkit::postgres::server(suite), NatsServer::prepare(suite)) else {
        return;
    };
    let nats = nats.with(&LOGIN);
    testkit::postgres::with_database(&postgres, |database| run_searches(database, nats)).await;
}

async fn run_searches(database: String, mut nats: NatsServer) {
    nats.start();
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let mut detector = environment(nats.url().replace("://", "://svc:canary-queue@"));
    // The test server accepts any password.
    let database = database.replacen('@', ":canary-database@", 1);
    detector.environment.push(("SVC_DATABASE_URL".to_owned(), database));
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 2)));
    let mut command = program(here, &["serve", "--port", "0"]);
    command.envs(detector.environment.iter().cloned()).stderr(fs::File::create(here.join("stderr")).unwrap());
    let running = Running::start(command);
    let admin = running.client(Some(basic("admin", ADMIN)));
    let provider = json!({
        "name": "One", "url": source.url(), "response_mappings": "FOUND=total,RESULTS=items",
        "http_request_headers": {"X-Key": "canary-header"}, "credentials": "key=canary-key",
    });
    assert_eq!(admin.post("/svc/searchproviders/", &provider).await.status, 201);
    assert_eq!(admin.search(&json!({"query_string": "river"})).await["status"], "FULL_RESULTS_READY");
    // A search starts where it is stored; a ping goes through NATS.
    assert_eq!(detector.get("admin", &admin, "/svc/health/tasks/").await, 200);
    assert!(nats.is_used("tributary", "svc", "canary-queue"), "the task went through NATS");
    // The connection breaks and comes back; then the password has changed.
    nats.start();
    assert_eq!(admin.search(&json!({"query_string": "lake"})).await["status"], "FULL_RESULTS_READY");
    // A search does not need NATS, so it does not wait until the process is connected again.
    // The closure owns its client: a future that borrows one is not known to be `Send`.
    let client = admin.clone();
    let is_connected = move || {
        let client = client.clone();
        async move { client.get("/svc/health/tasks/").await.status == 200 }
    };
    eventually("a new connection", is_connected).await;
    for path in ["/svc/health/tasks/", "/svc/metrics/tasks/", "/metrics/"] {
        assert_eq!(detector.get("admin", &admin, path).await, 200);
    }
    let said = detector.command(here, &["doctor"], &[]);
    assert!(said.contains("every queue has a worker") && said.contains("PostgreSQL: reachable"), "{said}");
    for (name, value, why) in [
        ("SVC_QUEUE_URL", nats.url().replace("://", "://svc:canary-wrong@"), "NATS refuses the login"),
        ("SVC_QUEUE_URL", nats.url(), "NATS refuses the login"),
        ("SVC_QUEUE_URL", "nats://svc:canary-queue@127.0.0.1:1".to_owned(), "no server of NATS answers"),
        ("SVC_QUEUE_URL", "nats://svc:canary-queue@x.invalid".to_owned(), "no server of NATS answers"),
        ("SVC_QUEUE_URL", "nats://svc:canary queue@:x".to_owned(), "not valid"),
    ] {
        let said = detector.command(here, &["doctor", "--offline"], &[(name, &value)]);
        assert!(said.contains(why), "{value}: {said}");
    }
    detector.command(here, &["backup", "monday"], &[]);
    assert_eq!(running.terminate(), Some(0));
    let logs =
        fs::read_dir(here.join("data/logs")).unwrap().map(|file| fs::read(file.unwrap().path()).unwrap());
    let logs = String::from_utf8_lossy(&logs.collect::<Vec<_>>().concat()).into_owned();
    for target in ["async_nats", "sqlx"] {
        assert!(logs.contains(target), "{target} is in the log");
    }
    detector.inspect_files(here);
    detector.assert_no_leaks();
}

/// Makes a certificate authority and a certificate for 127.0.0.1 with `openssl`; skips if it is not installed.
fn certificate(folder: &Path) -> bool {
    let subject = "subjectAltName=IP:127.0.0.1,DNS:localhost";
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"])
        .args(["-addext", subject, "-addext", "basicConstraints=critical,CA:FALSE"])
        .args(["-keyout", "key.pem", "-out", "certificate.pem"])
        .current_dir(folder)
        .output();
    match made {
        Ok(made) if made.status.success() => true,
        other => {
            testkit::skip("NATS with TLS", &format!("openssl made no certificate: {other:?}"));
            false
        }
    }
}

#[test]
fn a_queue_with_a_certificate_is_reached_when_it_is_trusted() {
    let Some(nats) = NatsServer::prepare("NATS with TLS") else { return };
    let folder = tempfile::tempdir().unwrap();
    if !certificate(folder.path()) {
        return;
    }
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (certificate, key) = (file("certificate.pem"), file("key.pem"));
    let mut nats = nats.with(&LOGIN).with(&["--tls", "--tlscert", &certificate, "--tlskey", &key]);
    nats.start();
    let address = format!("tls://svc:canary-queue@127.0.0.1:{}", nats.port());
    let mut detector = environment(address.clone());
    let here = folder.path().join("data");
    fs::create_dir(&here).unwrap();
    detector.command(&here, &["migrate"], &[]);
    let trusted = [("SSL_CERT_FILE", certificate.as_str())];
    let mut plain = NatsServer::prepare("NATS without TLS").unwrap();
    plain.start();
    let without = format!("tls://127.0.0.1:{}", plain.port());
    for (more, why) in [
        (trusted.to_vec(), "no active worker for"),
        (vec![], "the certificate of NATS is not trusted"),
        ([&trusted[..], &[("SVC_QUEUE_URL", without.as_str())]].concat(), "no secure line to NATS"),
    ] {
        let said = detector.command(&here, &["doctor", "--offline"], &more);
        assert!(said.contains(why), "{more:?}: {said}");
    }
    detector.inspect_files(&here);
    detector.assert_no_leaks();
}
