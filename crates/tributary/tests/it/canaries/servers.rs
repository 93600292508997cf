//! Servers with a login and with a certificate: they are reached, a refusal says why, and no password is seen.

use super::watch::Watch;
use super::{ADMIN, ENVIRONMENT};
use crate::app_harness::items;
use crate::demo::basic;
use crate::program::{Running, program};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::Command;
use testkit::nats::NatsServer;
use testkit::source::{Behaviour, Source};

const LOGIN: [&str; 4] = ["--user", "svc", "--pass", "canary-queue"];
/// All that the clients of the servers say.
const TALKATIVE: &str = "trace,hyper=info,hyper_util=info,reqwest=info,h2=info";

fn environment(queue: String) -> Watch {
    let mut watch = Watch::new(&ENVIRONMENT);
    watch.environment.push(("SVC_QUEUE_URL".to_owned(), queue));
    watch.environment.push(("SVC_LOG_LEVEL".to_owned(), TALKATIVE.to_owned()));
    watch
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_with_a_login_are_used_and_their_passwords_unseen() {
    let suite = "servers with a login";
    let (Some(postgres), Some(nats)) = (testkit::postgres::server(suite), NatsServer::prepare(suite)) else {
        return;
    };
    let nats = nats.with(&LOGIN);
    testkit::postgres::with_database(&postgres, |database| searched(database, nats)).await;
}

async fn searched(database: String, mut nats: NatsServer) {
    nats.start();
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let mut watch = environment(nats.url().replace("://", "://svc:canary-queue@"));
    // The server of the tests takes any password.
    let database = database.replacen('@', ":canary-database@", 1);
    watch.environment.push(("SVC_DATABASE_URL".to_owned(), database));
    let source = Source::start().await;
    source.reply(Behaviour::Json(items("river", 2)));
    let mut command = program(here, &["serve", "--port", "0"]);
    command.envs(watch.environment.iter().cloned()).stderr(fs::File::create(here.join("stderr")).unwrap());
    let running = Running::start(command);
    let admin = running.client(Some(basic("admin", ADMIN)));
    let provider = json!({
        "name": "One", "url": source.url(), "response_mappings": "FOUND=total,RESULTS=items",
        "http_request_headers": {"X-Key": "canary-header"}, "credentials": "key=canary-key",
    });
    assert_eq!(admin.post("/svc/searchproviders/", &provider).await.status, 201);
    assert_eq!(admin.search(&json!({"query_string": "river"})).await["status"], "FULL_RESULTS_READY");
    assert!(nats.is_used("tributary", "svc", "canary-queue"), "the task went through NATS");
    // The line breaks and comes back; then the password is another.
    nats.start();
    assert_eq!(admin.search(&json!({"query_string": "lake"})).await["status"], "FULL_RESULTS_READY");
    for path in ["/svc/health/tasks/", "/svc/metrics/tasks/", "/metrics/"] {
        assert_eq!(watch.get("admin", &admin, path).await, 200);
    }
    let said = watch.command(here, &["doctor"], &[]);
    assert!(said.contains("every queue has a worker") && said.contains("PostgreSQL: reachable"), "{said}");
    for (name, value, why) in [
        ("SVC_QUEUE_URL", nats.url().replace("://", "://svc:canary-wrong@"), "NATS refuses the login"),
        ("SVC_QUEUE_URL", nats.url(), "NATS refuses the login"),
        ("SVC_QUEUE_URL", "nats://svc:canary-queue@127.0.0.1:1".to_owned(), "no server of NATS answers"),
        ("SVC_QUEUE_URL", "nats://svc:canary-queue@x.invalid".to_owned(), "no server of NATS answers"),
        ("SVC_QUEUE_URL", "nats://svc:canary queue@:x".to_owned(), "not valid"),
    ] {
        let said = watch.command(here, &["doctor", "--offline"], &[(name, &value)]);
        assert!(said.contains(why), "{value}: {said}");
    }
    watch.command(here, &["backup", "monday"], &[]);
    assert_eq!(running.terminate(), Some(0));
    let logs =
        fs::read_dir(here.join("data/logs")).unwrap().map(|file| fs::read(file.unwrap().path()).unwrap());
    let logs = String::from_utf8_lossy(&logs.collect::<Vec<_>>().concat()).into_owned();
    for target in ["async_nats", "sqlx"] {
        assert!(logs.contains(target), "{target} is in the log");
    }
    watch.look_at_files(here);
    watch.judge();
}

/// An authority and a certificate for 127.0.0.1, made by `openssl`; skips when there is none.
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
    let mut watch = environment(address.clone());
    let here = folder.path().join("data");
    fs::create_dir(&here).unwrap();
    watch.command(&here, &["migrate"], &[]);
    let trusted = [("SSL_CERT_FILE", certificate.as_str())];
    let mut plain = NatsServer::prepare("NATS without TLS").unwrap();
    plain.start();
    let without = format!("tls://127.0.0.1:{}", plain.port());
    for (more, why) in [
        (trusted.to_vec(), "no worker was heard of"),
        (vec![], "the certificate of NATS is not trusted"),
        ([&trusted[..], &[("SVC_QUEUE_URL", without.as_str())]].concat(), "no secure line to NATS"),
    ] {
        let said = watch.command(&here, &["doctor", "--offline"], &more);
        assert!(said.contains(why), "{more:?}: {said}");
    }
    watch.look_at_files(&here);
    watch.judge();
}
