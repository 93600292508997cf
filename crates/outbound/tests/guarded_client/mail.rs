//! Mail: what a server receives, and what happens when it refuses, stays silent or never ends.
//!
//! The key in `certificates/` belongs to a certificate for loopback that only these tests trust.

use crate::{Scripted, client};
use domain::mail_server::MailServer;
use domain::ports::{MailError, MailErrorKind, OutgoingMail, SendMail};
use domain::secret::Secret;
use fakes::smtp::{PASSWORD, Reply, SmtpServer, Step, USER};
use outbound::{Authorities, MAIL_TIME_MAX, REPLIES_BYTES_MAX, SmtpClient, SmtpConfig};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_rustls::rustls::RootCertStore;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

const CERTIFICATE: &[u8] = include_bytes!("certificates/loopback.pem");
const KEY: &[u8] = include_bytes!("certificates/loopback.key");
const AUTHORITY: &[u8] = include_bytes!("certificates/authority.pem");
const ANOTHER_AUTHORITY: &[u8] = include_bytes!("certificates/another_authority.pem");
/// For servers that never answer.
const SHORT: Duration = Duration::from_millis(500);
const STEPS: [(Step, &str); 6] = [
    (Step::Greeting, "the greeting"),
    (Step::Hello, "the greeting"),
    (Step::Sender, "the sender"),
    (Step::Recipient, "the recipient"),
    (Step::Data, "the mail"),
    (Step::Message, "the mail"),
];

#[expect(clippy::unwrap_used, reason = "a test cannot go on without it")]
fn trusted(authority: &[u8]) -> Authorities {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority).unwrap()).unwrap();
    Authorities::Only(roots)
}

#[expect(clippy::unwrap_used, reason = "a test cannot go on without it")]
fn config(url: &str) -> SmtpConfig {
    SmtpConfig {
        server: MailServer::parse(url).unwrap(),
        password: Secret::new(PASSWORD),
        sender: "Find <find@a.example>".to_owned(),
        authorities: trusted(AUTHORITY),
        connect_max: Duration::from_secs(20),
        time_max: MAIL_TIME_MAX,
    }
}

#[expect(clippy::unwrap_used, reason = "a test cannot go on without it")]
fn smtp(config: SmtpConfig) -> SmtpClient {
    SmtpClient::new(config, Arc::new(client(&[]))).unwrap()
}

fn mail() -> OutgoingMail {
    OutgoingMail {
        id: "alert-7-3".to_owned(),
        recipient: "ann@b.example".to_owned(),
        subject: "2 new results: Fl\u{fc}sse".to_owned(),
        text: "One\n.\n.. two \u{5d0}\n".to_owned(),
    }
}

async fn send(url: &str) -> Result<(), MailError> {
    smtp(config(url)).send(&mail()).await
}

fn url(server: &SmtpServer) -> String {
    format!("smtp://{}", server.address)
}

fn encoded_user() -> String {
    USER.replace('@', "%40")
}

#[tokio::test]
async fn a_mail_arrives_as_it_was_written() {
    let server = SmtpServer::start().await;
    send(&url(&server)).await.unwrap();
    let mails = server.mails();
    assert_eq!(mails.len(), 1);
    let mail = &mails[0];
    assert_eq!(
        (mail.sender.as_str(), mail.recipients.as_slice()),
        ("find@a.example", &["ann@b.example".to_owned()][..])
    );
    assert_eq!((mail.client.as_str(), mail.is_encrypted, mail.user.as_deref()), ("a.example", false, None));
    assert_eq!(mail.subject(), "2 new results: Flüsse");
    assert_eq!(mail.text().trim_end(), "One\n.\n.. two א");
    assert_eq!(mail.header("From").as_deref(), Some("Find <find@a.example>"));
    assert_eq!(mail.header("To").as_deref(), Some("ann@b.example"));
    assert!(mail.header("Date").is_some() && mail.header("MIME-Version").is_some());
}

#[tokio::test]
async fn the_password_is_sent_after_the_handshake() {
    let user = encoded_user();
    let server = SmtpServer::with_start_tls(CERTIFICATE, KEY).await;
    send(&format!("smtp://{user}@{}?tls=on", server.address)).await.unwrap();
    let secure = SmtpServer::with_tls(CERTIFICATE, KEY).await;
    send(&format!("smtps://{user}@{}", secure.address)).await.unwrap();
    for mail in [&server.mails()[0], &secure.mails()[0]] {
        assert!(mail.is_encrypted);
        assert_eq!(mail.user.as_deref(), Some(USER));
    }
    // Without encryption on this machine, and with another mechanism.
    let open = SmtpServer::with_sign_in().await;
    send(&format!("smtp://{user}@{}", open.address)).await.unwrap();
    assert_eq!(open.mails()[0].user.as_deref(), Some(USER));
}

#[tokio::test]
async fn a_certificate_of_somebody_else_ends_the_connection() {
    for authorities in [trusted(ANOTHER_AUTHORITY), Authorities::System] {
        let server = SmtpServer::with_start_tls(CERTIFICATE, KEY).await;
        let secure = SmtpServer::with_tls(CERTIFICATE, KEY).await;
        for url in [
            format!("smtp://{}@{}?tls=on", encoded_user(), server.address),
            format!("smtps://{}@{}", encoded_user(), secure.address),
        ] {
            let config = SmtpConfig { authorities: authorities.clone(), ..config(&url) };
            let error = smtp(config).send(&mail()).await.unwrap_err();
            assert_eq!(error.kind, MailErrorKind::Unavailable, "{error}");
            assert!(error.message().starts_with("no secure connection to 127.0.0.1: "), "{error}");
        }
        assert!(server.mails().is_empty() && secure.mails().is_empty());
    }
}

#[tokio::test]
async fn nothing_is_sent_without_the_encryption_that_was_asked_for() {
    let server = SmtpServer::start().await;
    let error = send(&format!("{}?tls=on", url(&server))).await.unwrap_err();
    assert_eq!(error.kind, MailErrorKind::Refused);
    assert!(error.message().contains("does not offer STARTTLS"), "{error}");
    assert!(server.mails().is_empty());
}

#[tokio::test]
async fn nothing_that_was_said_in_clear_counts_after_the_handshake() {
    let server = SmtpServer::with_start_tls(CERTIFICATE, KEY).await;
    server.reply_at(Step::StartTls, [Reply::Line("220 2.0.0 Go ahead\r\n250 mail.example")]);
    let error = send(&format!("{}?tls=on", url(&server))).await.unwrap_err();
    assert_eq!(
        error,
        MailError::new(MailErrorKind::Unavailable, "the reply of the mail server to STARTTLS cannot be read")
    );
}

#[tokio::test]
async fn the_first_digit_of_a_status_decides() {
    for (step, name) in STEPS {
        for (reply, kind, status) in [
            ("450 4.2.0 canary of the reply", MailErrorKind::Unavailable, 450),
            ("550-5.7.1 canary of the reply\r\n550 5.7.1 more", MailErrorKind::Refused, 550),
        ] {
            let server = SmtpServer::start().await;
            // A refused client does not wait for a goodbye; only the library's own step does.
            if step != Step::Hello {
                server.reply_at(Step::Quit, [Reply::Silence]);
            }
            server.reply_at(step, [Reply::Line(reply)]);
            let error = send(&url(&server)).await.unwrap_err();
            let expected = format!("the mail server responded to {name} with status {status}");
            assert_eq!(error, MailError::new(kind, expected), "{step:?}");
            assert!(!format!("{error:?}").contains("canary"), "{error:?}");
            assert!(server.mails().is_empty());
        }
    }
}

#[tokio::test]
async fn refusals_before_the_handshake_and_at_the_sign_in_count_too() {
    let server = SmtpServer::with_start_tls(CERTIFICATE, KEY).await;
    let url = format!("smtp://{}@{}?tls=on", encoded_user(), server.address);
    for (step, reply, kind) in [
        (Step::Greeting, "421 4.3.2 later", MailErrorKind::Unavailable),
        (Step::Hello, "550 5.7.1 no", MailErrorKind::Refused),
        (Step::StartTls, "454 4.7.0 later", MailErrorKind::Unavailable),
        (Step::SignIn, "454 4.7.0 later", MailErrorKind::Unavailable),
        (Step::SignIn, "535 5.7.8 no", MailErrorKind::Refused),
    ] {
        server.reply_at(step, [Reply::Line(reply)]);
        assert_eq!(send(&url).await.unwrap_err().kind, kind, "{step:?}");
    }
    assert_eq!(send(&url).await, Ok(()));
}

#[tokio::test]
async fn a_wrong_password_is_in_no_error() {
    const WRONG: &str = "canary of a wrong password";
    let server = SmtpServer::with_tls(CERTIFICATE, KEY).await;
    let url = format!("smtps://{}@{}", encoded_user(), server.address);
    let config = SmtpConfig { password: Secret::new(WRONG), ..config(&url) };
    assert!(!format!("{config:?}").contains("canary"));
    let error = smtp(config).send(&mail()).await.unwrap_err();
    let expected = "the mail server responded to the sign-in with status 535";
    assert_eq!(error, MailError::new(MailErrorKind::Refused, expected));
    assert!(!format!("{error:?}").contains("canary"));
}

#[tokio::test]
async fn a_server_that_says_nothing_is_left_after_a_while() {
    for (step, _) in STEPS {
        let server = SmtpServer::start().await;
        server.reply_at(step, [Reply::Silence]);
        let config = SmtpConfig { time_max: SHORT, ..config(&url(&server)) };
        let error = smtp(config).send(&mail()).await.unwrap_err();
        let expected = "the mail server did not respond in time";
        assert_eq!(error, MailError::new(MailErrorKind::Unavailable, expected), "{step:?}");
    }
}

#[tokio::test]
async fn a_server_that_hangs_up_is_tried_again() {
    for (step, _) in STEPS {
        let server = SmtpServer::start().await;
        server.reply_at(step, [Reply::HangUp]);
        assert_eq!(send(&url(&server)).await.unwrap_err().kind, MailErrorKind::Unavailable, "{step:?}");
        assert_eq!(send(&url(&server)).await, Ok(()), "{step:?}");
    }
}

#[tokio::test]
async fn replies_have_a_limit() {
    let expected =
        format!("the replies of the mail server are larger than the limit of {REPLIES_BYTES_MAX} bytes");
    for text in ["250-x\r\n", "250 an endless line "] {
        for step in [Step::Hello, Step::Recipient] {
            let server = SmtpServer::start().await;
            server.reply_at(step, [Reply::Endless(text)]);
            let error = send(&url(&server)).await.unwrap_err();
            assert_eq!(
                error,
                MailError::new(MailErrorKind::Unavailable, expected.as_str()),
                "{step:?} {text}"
            );
        }
        let server = SmtpServer::with_start_tls(CERTIFICATE, KEY).await;
        server.reply_at(Step::Hello, [Reply::Endless(text)]);
        let error = send(&format!("{}?tls=on", url(&server))).await.unwrap_err();
        assert_eq!(error, MailError::new(MailErrorKind::Unavailable, expected.as_str()), "{text}");
    }
}

#[tokio::test]
async fn an_accepted_mail_is_sent_whatever_follows() {
    for goodbye in [Reply::Silence, Reply::HangUp, Reply::Line("550 no"), Reply::Endless("221-x\r\n")] {
        let server = SmtpServer::start().await;
        server.reply_at(Step::Quit, [goodbye]);
        // Longer than the time limit of the mail itself.
        assert_eq!(send(&url(&server)).await, Ok(()), "{goodbye:?}");
        assert_eq!(server.mails().len(), 1);
    }
}

#[tokio::test]
async fn a_connection_that_is_not_accepted_has_a_limit() {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    while let Ok(stream) = timeout(SHORT, TcpStream::connect(address)).await {
        waiting.push(stream.unwrap());
        assert!(waiting.len() < 100, "a short queue of connections is full soon");
    }
    let config = SmtpConfig { connect_max: SHORT, ..config(&format!("smtp://{address}")) };
    let error = smtp(config).send(&mail()).await.unwrap_err();
    let expected = "127.0.0.1 did not accept a connection in time";
    assert_eq!(error, MailError::new(MailErrorKind::Unavailable, expected));
}

#[tokio::test]
async fn the_address_of_the_server_is_looked_up_and_checked() {
    let server = SmtpServer::start().await;
    // The name is looked up for each mail; the second time it is not known.
    let lookup = Scripted::new(&[&["127.0.0.1"]]);
    let url = format!("smtp://mail.test:{}?tls=off", server.address.port());
    let smtp = SmtpClient::new(config(&url), Arc::new(lookup.client(&[]))).unwrap();
    smtp.send(&mail()).await.unwrap();
    assert_eq!(server.mails().len(), 1);
    let error = smtp.send(&mail()).await.unwrap_err();
    assert_eq!(error, MailError::new(MailErrorKind::Unavailable, "the host mail.test cannot be found"));
    assert_eq!((lookup.left(), server.connections()), (0, 1));
}

#[tokio::test]
async fn recipients_that_the_server_cannot_know_are_refused() {
    let server = SmtpServer::start().await;
    for recipient in ["\u{e4}nn@b.example", "ann", "ann@b.example\r\nRCPT TO:<eve@c.example>"] {
        let mail = OutgoingMail { recipient: recipient.to_owned(), ..mail() };
        let error = smtp(config(&url(&server))).send(&mail).await.unwrap_err();
        assert_eq!(error.kind, MailErrorKind::Refused, "{recipient}");
        assert!(!format!("{error:?}").contains("nn@"), "{error:?}");
    }
    assert!(server.mails().is_empty());
}

#[test]
fn a_sender_must_be_an_address() {
    let config = SmtpConfig { sender: "Find".to_owned(), ..config("smtp://localhost") };
    let error = SmtpClient::new(config, Arc::new(client(&[]))).err().unwrap();
    assert!(error.to_string().contains("tributary@example.org"), "{error}");
}
