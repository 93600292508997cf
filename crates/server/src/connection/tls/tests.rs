//! TLS over real connections.

use super::*;
use crate::connection::address_limit::AddressLimit;
use crate::connection::limits::Limits;
use crate::connection::serve_within;
use crate::connection::tests::{LONG, Open};
use axum::Router;
use axum::routing::get;
use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::{Request, client};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use std::net::SocketAddr;
use std::path::Path;
use tempfile::TempDir;
use testkit::certificate::TestCertificate;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};
use tokio_rustls::{TlsConnector, client::TlsStream as ClientStream};

const SHORT: Duration = Duration::from_millis(300);
/// The beginning of a record of 512 bytes.
const CLIENT_HELLO_START: [u8; 6] = [0x16, 3, 1, 2, 0, 1];
const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";

fn settings(folder: &Path) -> Settings {
    Settings {
        tls_cert_file: folder.join("cert.pem").display().to_string(),
        tls_key_file: folder.join("key.pem").display().to_string(),
        ..Settings::default()
    }
}

/// A service with a certificate in a folder of its own.
struct TestServer {
    address: SocketAddr,
    folder: TempDir,
    open: Open,
    acceptor: Arc<ReloadingAcceptor>,
    _running: JoinSet<()>,
}

impl TestServer {
    async fn start(certificate: &TestCertificate, limits: Limits, connections_per_address: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        certificate.write(folder.path());
        let acceptor = ReloadingAcceptor::load(&settings(folder.path())).await.unwrap().unwrap();
        let acceptor = Arc::new(acceptor);
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let open = Open::default();
        let endless = open.clone();
        let router = Router::new()
            .route("/", get(async || "hello"))
            .route("/endless", get(async move || endless.endless()));
        let mut running = JoinSet::new();
        running.spawn(serve_within(
            limits,
            AddressLimit::new(connections_per_address, Vec::new()),
            Some(Arc::clone(&acceptor)),
            listener,
            router,
            std::future::pending(),
        ));
        Self { address, folder, open, acceptor, _running: running }
    }

    /// A connection of a client that trusts this certificate alone.
    async fn connect(
        &self,
        trusted: &TestCertificate,
        protocol: &str,
    ) -> std::io::Result<ClientStream<TcpStream>> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from(trusted.certificate_der.clone())).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
        let stream = TcpStream::connect(self.address).await?;
        let name = ServerName::try_from("localhost").unwrap();
        timeout(LONG, TlsConnector::from(Arc::new(config)).connect(name, stream)).await?
    }

    async fn send_plain(&self, bytes: &[u8]) -> TcpStream {
        let mut client = TcpStream::connect(self.address).await.unwrap();
        client.write_all(bytes).await.unwrap();
        client
    }
}

/// Sends an HTTP/1 request and reads the response.
async fn get_once(client: &mut ClientStream<TcpStream>) -> String {
    client.write_all(GET).await.unwrap();
    let mut buffer = [0; 4096];
    let count = timeout(LONG, client.read(&mut buffer)).await.unwrap().unwrap();
    String::from_utf8_lossy(&buffer[..count]).into_owned()
}

/// Reads until the server closes or resets the connection.
async fn read_to_end(client: &mut TcpStream) -> Vec<u8> {
    let mut received = Vec::new();
    let _reset = timeout(LONG, client.read_to_end(&mut received)).await.expect("the connection is closed");
    received
}

#[tokio::test(flavor = "multi_thread")]
async fn https_is_served_over_both_versions_of_http() {
    let certificate = TestCertificate::new("one");
    let server = TestServer::start(&certificate, Limits::default(), 0).await;
    let mut http1 = server.connect(&certificate, "http/1.1").await.unwrap();
    assert_eq!(http1.get_ref().1.alpn_protocol(), Some(b"http/1.1".as_slice()));
    assert!(get_once(&mut http1).await.ends_with("hello"));
    assert!(get_once(&mut http1).await.ends_with("hello"), "the connection is kept");

    let http2 = server.connect(&certificate, "h2").await.unwrap();
    assert_eq!(http2.get_ref().1.alpn_protocol(), Some(b"h2".as_slice()));
    let io = TokioIo::new(http2);
    let (mut sender, connection) = client::conn::http2::handshake(TokioExecutor::new(), io).await.unwrap();
    let mut driver = JoinSet::new();
    driver.spawn(connection);
    let request = Request::get("https://localhost/").body(Empty::<Bytes>::new()).unwrap();
    let response = timeout(LONG, sender.send_request(request)).await.unwrap().unwrap();
    assert_eq!(response.version(), hyper::Version::HTTP_2);
    assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), "hello");

    let stranger = TestCertificate::new("stranger");
    assert!(server.connect(&stranger, "h2").await.is_err(), "the client checks the certificate");
    assert!(server.connect(&certificate, "ftp").await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn plain_http_on_the_tls_port_is_refused_at_once() {
    let server = TestServer::start(&TestCertificate::new("one"), Limits::default(), 0).await;
    let mut client = server.send_plain(GET).await;
    let response = String::from_utf8(read_to_end(&mut client).await).unwrap();
    assert!(response.starts_with("HTTP/1.1 400 ") && response.ends_with("https://\n"), "{response}");
    assert!(!response.contains("hello"));
    let mut noise = server.send_plain(&[0x80, 0x2e, 1, 3, 1, 0, 0, 0, 0]).await;
    read_to_end(&mut noise).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unfinished_handshake_holds_up_nobody() {
    let certificate = TestCertificate::new("one");
    let server = TestServer::start(&certificate, Limits::default(), 0).await;
    let _unfinished = [server.send_plain(b"").await, server.send_plain(&CLIENT_HELLO_START).await];
    let mut client = server.connect(&certificate, "http/1.1").await.unwrap();
    assert!(get_once(&mut client).await.ends_with("hello"));
}

#[tokio::test(flavor = "multi_thread")]
async fn handshake_and_first_request_have_one_limit_of_time() {
    let certificate = TestCertificate::new("one");
    let server = TestServer::start(&certificate, Limits { head: SHORT, ..Limits::default() }, 0).await;
    let started = Instant::now();
    let mut unfinished = vec![server.send_plain(b"").await, server.send_plain(&CLIENT_HELLO_START).await];
    // A busy machine may take longer for the whole handshake than the limit.
    let silent = server.connect(&certificate, "http/1.1").await;
    unfinished.extend(silent.ok().map(|stream| stream.into_inner().0));
    for client in &mut unfinished {
        read_to_end(client).await;
    }
    assert!(started.elapsed() >= SHORT, "they had their time");
    let mut slow = server.send_plain(b"").await;
    for byte in CLIENT_HELLO_START.iter().chain(&[0; 200]) {
        if slow.write_all(&[*byte]).await.is_err() {
            return;
        }
        tokio::time::sleep(SHORT / 10).await;
    }
    panic!("a byte now and then buys no time");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_does_not_read_is_dropped() {
    let certificate = TestCertificate::new("one");
    let server = TestServer::start(&certificate, Limits { stall: SHORT, ..Limits::default() }, 0).await;
    let mut stalled = server.connect(&certificate, "http/1.1").await.unwrap();
    stalled.write_all(b"GET /endless HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
    server.open.reached(1).await;
    server.open.becomes(0).await;
    read_to_end(&mut stalled.into_inner().0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unfinished_handshakes_count_as_connections_of_their_address() {
    let certificate = TestCertificate::new("one");
    let server = TestServer::start(&certificate, Limits::default(), 2).await;
    let unfinished = [server.send_plain(&[0x16]).await, server.send_plain(b"").await];
    assert!(server.connect(&certificate, "http/1.1").await.is_err(), "the address has no connection left");
    drop(unfinished);
    let connect = async {
        while server.connect(&certificate, "http/1.1").await.is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(LONG, connect).await.expect("closed connections free their places");
}

#[tokio::test(flavor = "multi_thread")]
async fn new_connections_get_a_new_certificate_and_old_ones_go_on() {
    let (old, new) = (TestCertificate::new("old"), TestCertificate::new("new"));
    let server = TestServer::start(&old, Limits::default(), 0).await;
    let mut before = server.connect(&old, "http/1.1").await.unwrap();
    assert!(get_once(&mut before).await.ends_with("hello"));
    assert!(matches!(server.acceptor.reload().await, Reload::Unchanged));
    new.write(server.folder.path());
    assert!(matches!(server.acceptor.reload().await, Reload::Replaced));
    assert!(matches!(server.acceptor.reload().await, Reload::Unchanged));
    let mut after = server.connect(&new, "http/1.1").await.unwrap();
    assert!(get_once(&mut after).await.ends_with("hello"));
    assert!(server.connect(&old, "http/1.1").await.is_err(), "the old one is not shown any more");
    assert!(get_once(&mut before).await.ends_with("hello"), "an old connection goes on");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_pair_leaves_the_old_certificate_in_use() {
    let (old, new) = (TestCertificate::new("old"), TestCertificate::new("new"));
    let server = TestServer::start(&old, Limits::default(), 0).await;
    let certificate_file = server.folder.path().join("cert.pem");
    // The certificate is replaced before its key, as renewals do.
    std::fs::write(&certificate_file, new.certificate_pem()).unwrap();
    let rejection = server.acceptor.reload().await;
    assert!(matches!(rejection, Reload::Invalid(TlsError::KeyMismatch { .. })), "{rejection:?}");
    assert!(matches!(server.acceptor.reload().await, Reload::Unchanged), "it is reported once");
    assert!(server.connect(&old, "http/1.1").await.is_ok());
    std::fs::remove_file(&certificate_file).unwrap();
    let rejection = server.acceptor.reload().await;
    assert!(
        matches!(rejection, Reload::Invalid(TlsError::File(FileError::Unreadable { .. }))),
        "{rejection:?}"
    );
    assert!(server.connect(&old, "http/1.1").await.is_ok());
    new.write(server.folder.path());
    assert!(matches!(server.acceptor.reload().await, Reload::Replaced));
    assert!(server.connect(&new, "http/1.1").await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn the_files_are_followed() {
    let (old, new) = (TestCertificate::new("old"), TestCertificate::new("new"));
    let folder = tempfile::tempdir().unwrap();
    old.write(folder.path());
    let acceptor = ReloadingAcceptor::load(&settings(folder.path())).await.unwrap().unwrap();
    let before = acceptor.lock().examined.clone();
    new.write(folder.path());
    let _still_following = timeout(3 * RELOAD_EVERY, acceptor.follow_files()).await;
    assert_ne!(acceptor.lock().examined, before);
}

#[tokio::test]
async fn errors_name_the_problem_with_the_files() {
    let (own, other) = (TestCertificate::new("own"), TestCertificate::new("other"));
    let rsa = testkit::keys::OTHER_PRIVATE_PEM;
    let chain = format!("{}{}", own.certificate_pem(), other.certificate_pem());
    let wrong_order = format!("{}{}", other.certificate_pem(), own.certificate_pem());
    let damaged = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
    let encrypted = own.key_pem().replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
    let (valid, key) = (own.certificate_pem(), own.key_pem());
    let large = "x".repeat(2 * 1024 * 1024);
    let table = [
        (Some(valid.as_str()), Some(key.as_str()), ""),
        (Some(&chain), Some(&own.key_sec1_pem()), ""),
        (None, Some(&key), "SVC_TLS_CERT_FILE: "),
        (Some(&valid), None, "SVC_TLS_KEY_FILE: "),
        (Some(&large), Some(&key), "larger than"),
        (Some(""), Some(&key), "contains no certificate"),
        (Some(&key), Some(&key), "contains no certificate"),
        (Some(damaged), Some(&key), "is damaged"),
        (Some("-----BEGIN CERTIFICATE-----\nMIIB\n"), Some(&key), "is damaged"),
        (Some(&valid), Some(""), "contains no usable private key"),
        (Some(&valid), Some(&valid), "contains no usable private key"),
        (Some(&valid), Some(&encrypted), "without a passphrase"),
        (Some(&valid), Some(&other.key_pem()), "does not belong"),
        (Some(&valid), Some(rsa), "does not belong"),
        (Some(&wrong_order), Some(&key), "does not belong"),
    ];
    for (certificate, key, expected) in table {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("cert.pem", certificate), ("key.pem", key)] {
            text.into_iter().for_each(|text| std::fs::write(folder.path().join(name), text).unwrap());
        }
        let error =
            ReloadingAcceptor::load(&settings(folder.path())).await.err().map(|error| error.to_string());
        assert_eq!(error.is_none(), expected.is_empty(), "{expected}: {error:?}");
        let error = error.unwrap_or_default();
        assert!(error.contains(expected), "{expected}: {error}");
    }
    let without = ReloadingAcceptor::load(&Settings::default()).await;
    assert!(matches!(without, Ok(None)));
}
