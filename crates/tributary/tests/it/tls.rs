//! HTTPS with the program's own certificate: serving, the commands that connect to it, and invalid certificates.

use crate::program::{Running, program, run, text};
use std::path::Path;
use testkit::certificate::TestCertificate;

const PAIR: [(&str, &str); 2] = [("SVC_TLS_CERT_FILE", "cert.pem"), ("SVC_TLS_KEY_FILE", "key.pem")];

/// A client that trusts only this certificate.
#[expect(clippy::disallowed_methods, reason = "a test is a client of the service")]
fn client(trusted: &TestCertificate) -> reqwest::Client {
    let _set_already = rustls::crypto::ring::default_provider().install_default();
    let authority = reqwest::Certificate::from_der(&trusted.certificate_der).unwrap();
    reqwest::Client::builder().tls_certs_only([authority]).build().unwrap()
}

fn serve(folder: &Path) -> Running {
    let mut command = program(folder, &["serve", "--port", "0"]);
    command.envs(PAIR);
    Running::start(command)
}

#[tokio::test]
async fn the_program_serves_https() {
    let folder = tempfile::tempdir().unwrap();
    let certificate = TestCertificate::new("own");
    certificate.write(folder.path());
    let running = serve(folder.path());
    assert!(running.base.starts_with("https://127.0.0.1:"), "{:?}", running.said);
    let client = client(&certificate);
    let live = client.get(format!("{}/svc/health/live/", running.base)).send().await.unwrap();
    assert_eq!((live.status().as_u16(), live.version()), (200, reqwest::Version::HTTP_2));
    let plain = client.get(format!("{}/", running.base.replace("https:", "http:"))).send().await.unwrap();
    assert_eq!(plain.status(), 400);
    assert!(plain.text().await.unwrap().contains("https://"));

    let port = running.base.rsplit(':').next().unwrap().to_owned();
    for arguments in [&["health", "--port", &port][..], &["health", "--ready", "--port", &port]] {
        let health = program(folder.path(), arguments).envs(PAIR).output().unwrap();
        assert!(health.status.success(), "{health:?}");
    }
    let without = run(folder.path(), &["health", "--port", &port]);
    assert_eq!(without.status.code(), Some(1), "{without:?}");
    assert_eq!(running.terminate(), Some(0));
}

#[test]
fn a_service_in_the_background_is_asked_over_https() {
    let folder = tempfile::tempdir().unwrap();
    TestCertificate::new("own").write(folder.path());
    let command = |arguments: &[&str]| {
        program(folder.path(), arguments).envs(PAIR).env("SVC_PORT", "0").output().unwrap()
    };
    let started = command(&["start"]);
    let status = command(&["status"]);
    let stopped = command(&["stop"]);
    assert!(started.status.success() && text(&started.stdout).contains("https://127.0.0.1:"), "{started:?}");
    assert!(status.status.success() && text(&status.stdout).contains("ready"), "{status:?}");
    assert!(stopped.status.success(), "{stopped:?}");
}

#[test]
fn a_pair_that_cannot_be_used_stops_the_start() {
    let folder = tempfile::tempdir().unwrap();
    TestCertificate::new("own").write(folder.path());
    std::fs::write(folder.path().join("other.pem"), TestCertificate::new("other").key_pem()).unwrap();
    let cert = ("SVC_TLS_CERT_FILE", "cert.pem");
    for (pair, expected) in [
        (vec![cert], "SVC_TLS_KEY_FILE: not set"),
        (vec![cert, ("SVC_TLS_KEY_FILE", "none.pem")], "none.pem cannot be read"),
        (vec![cert, ("SVC_TLS_KEY_FILE", "other.pem")], "does not belong"),
    ] {
        let refused = program(folder.path(), &["serve", "--port", "0"]).envs(pair.clone()).output().unwrap();
        assert_eq!(refused.status.code(), Some(1), "{pair:?}");
        assert!(text(&refused.stderr).contains(expected), "{pair:?}: {refused:?}");
    }
    let mut doctor = program(folder.path(), &["doctor", "--offline"]);
    let found = doctor.envs([cert, ("SVC_TLS_KEY_FILE", "other.pem")]).output().unwrap();
    assert!(text(&found.stdout).contains("fail  tls"), "{found:?}");
}
