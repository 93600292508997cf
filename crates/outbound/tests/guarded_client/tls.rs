//! Certificates: verified by system authorities, by a file, or not at all, and then only at the request's own origin.
//!
//! The key in `certificates/` belongs to a certificate for loopback that only this test trusts.

use crate::{client, request};
use domain::ports::{Fetch, FetchError, TlsOptions};
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;
use testkit::source::{Behavior, Source};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use url::Url;

/// A server with an untrusted certificate and a fixed response.
struct SecureSource {
    url: Url,
    _server: JoinSet<()>,
}

impl SecureSource {
    #[expect(clippy::expect_used, reason = "a test cannot go on without its source")]
    async fn start(answer: &str) -> Self {
        let _done_already = tokio_rustls::rustls::crypto::ring::default_provider().install_default();
        let chain = CertificateDer::from_pem_slice(include_bytes!("certificates/loopback.pem"));
        let key = PrivateKeyDer::from_pem_slice(include_bytes!("certificates/loopback.key"));
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![chain.expect("a certificate")], key.expect("a key"))
            .expect("a certificate with its key");
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let answer = answer.to_owned();
        let mut server = JoinSet::new();
        server.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Ok(mut stream) = acceptor.accept(stream).await else { continue };
                let mut asked = [0; 4096];
                let _ = stream.read(&mut asked).await;
                let _ = stream.write_all(answer.as_bytes()).await;
                let _ = stream.shutdown().await;
            }
        });
        Self { url: Url::parse(&format!("https://127.0.0.1:{port}/")).expect("a URL"), _server: server }
    }
}

const FINE: &str = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nfine";

fn certificate(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/guarded_client/certificates").join(name)
}

fn trusting(ca_file: Option<&str>, verify: bool) -> Option<TlsOptions> {
    Some(TlsOptions { verify, ca_file: ca_file.map(certificate) })
}

async fn outcome(url: &Url, tls: Option<TlsOptions>) -> Result<u16, FetchError> {
    let mut asked = request(url, true);
    asked.tls = tls;
    client(&[]).fetch(&asked).await.map(|answer| answer.status)
}

#[tokio::test]
async fn a_certificate_is_trusted_by_who_says_so() {
    let source = SecureSource::start(FINE).await;
    for tls in [trusting(Some("authority.pem"), true), trusting(None, false), trusting(Some("no.pem"), false)]
    {
        assert_eq!(outcome(&source.url, tls.clone()).await, Ok(200), "{tls:?}");
    }
    for tls in [None, trusting(None, true), trusting(Some("another_authority.pem"), true)] {
        let refused = outcome(&source.url, tls.clone()).await;
        assert!(matches!(refused, Err(FetchError::Tls { .. })), "{tls:?}: {refused:?}");
    }
    // Nothing is told of a file of this machine that is no list of authorities.
    for file in ["no.pem", "../main.rs"] {
        let refused = outcome(&source.url, trusting(Some(file), true)).await;
        assert!(
            matches!(
                refused,
                Err(FetchError::Invalid { ref reason, source: None }) if reason.contains("ca_certs")
            ),
            "{refused:?}"
        );
    }
}

/// TLS options do not apply after a redirect elsewhere.
#[tokio::test]
async fn trust_stays_at_home() {
    let elsewhere = SecureSource::start(FINE).await;
    let home = Source::start().await;
    home.reply(Behavior::redirect(elsewhere.url.as_str(), 302));
    for tls in [trusting(None, false), trusting(Some("authority.pem"), true)] {
        let mut asked = request(&home.url(), true);
        asked.tls = tls;
        let place = format!("127.0.0.1:{}", elsewhere.url.port().unwrap_or_default());
        let refused = client(&[place.as_str()]).fetch(&asked).await.map(|answer| answer.status);
        assert!(matches!(refused, Err(FetchError::Tls { .. })), "{refused:?}");
    }
}

#[tokio::test]
async fn a_large_file_is_no_list_of_authorities() {
    let source = SecureSource::start(FINE).await;
    let path = std::env::temp_dir().join(format!("authorities-{}.pem", std::process::id()));
    let tls = Some(TlsOptions { verify: true, ca_file: Some(path.clone()) });
    let written = tokio::fs::write(&path, vec![b'x'; 1024 * 1024 + 1]).await;
    let refused = outcome(&source.url, tls).await;
    let _ = tokio::fs::remove_file(&path).await;
    assert!(written.is_ok());
    assert!(
        matches!(refused, Err(FetchError::Invalid { reason: ref text, .. }) if text.contains("larger")),
        "{refused:?}"
    );
}
