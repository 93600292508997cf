//! The guarded client against misbehaving servers on loopback.

mod failures;
mod guard;
mod limits;
mod mail;
mod redirects;
mod streams;
mod tls;

use async_trait::async_trait;
use domain::ports::{Fetch, FetchError, HttpMethod, HttpRequest, HttpResponse, Origin};
use outbound::{AllowRule, ClientLimits, GuardedClient, Lookup};
use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use url::Url;

const BODY_BYTES_MAX: u64 = 100_000;
const REDIRECTS_MAX: usize = 3;

#[expect(clippy::expect_used, reason = "a test cannot go on without its limits")]
fn limits(allow: &[&str]) -> ClientLimits {
    ClientLimits {
        connect: Duration::from_secs(5),
        read: Duration::from_secs(20),
        body_bytes_max: BODY_BYTES_MAX,
        redirects_max: REDIRECTS_MAX,
        allow: AllowRule::parse_all(allow).expect("rules that can be read"),
    }
}

#[expect(clippy::expect_used, reason = "a test cannot go on without its client")]
fn client(allow: &[&str]) -> GuardedClient {
    GuardedClient::new(limits(allow)).expect("a client")
}

/// A request whose origin is that of its URL.
#[expect(clippy::expect_used, reason = "the URLs of tests have a host and a port")]
fn request(url: &Url, is_trusted: bool) -> HttpRequest {
    HttpRequest {
        method: HttpMethod::Get,
        url: url.clone(),
        headers: Vec::new(),
        secret_headers: Vec::new(),
        body: None,
        origin: Origin::of(url, is_trusted).expect("an origin"),
        secrets: Vec::new(),
        time_max: Duration::from_secs(30),
        tls: None,
    }
}

/// Fetches a trusted URL.
async fn fetch_trusted(client: &GuardedClient, url: &Url) -> Result<HttpResponse, FetchError> {
    client.fetch(&request(url, true)).await
}

async fn fetch_untrusted(client: &GuardedClient, url: &Url) -> Result<HttpResponse, FetchError> {
    client.fetch(&request(url, false)).await
}

/// Returns its results one after the other, then fails.
struct Scripted {
    answers: Mutex<VecDeque<Vec<IpAddr>>>,
}

impl Scripted {
    #[expect(clippy::expect_used, reason = "the addresses of tests can be read")]
    fn new(answers: &[&[&str]]) -> Arc<Self> {
        let parse = |text: &&str| text.parse().expect("an address");
        let answers = answers.iter().map(|answer| answer.iter().map(parse).collect()).collect();
        Arc::new(Self { answers: Mutex::new(answers) })
    }

    #[expect(clippy::unwrap_used, reason = "no test panics with the lock held")]
    fn left(&self) -> usize {
        self.answers.lock().unwrap().len()
    }

    #[expect(clippy::expect_used, reason = "a test cannot go on without its client")]
    fn client(self: &Arc<Self>, allow: &[&str]) -> GuardedClient {
        GuardedClient::with_lookup(limits(allow), Arc::<Self>::clone(self)).expect("a client")
    }
}

#[async_trait]
impl Lookup for Scripted {
    #[expect(clippy::unwrap_used, reason = "no test panics with the lock held")]
    async fn addresses(&self, _host: &str) -> io::Result<Vec<IpAddr>> {
        self.answers.lock().unwrap().pop_front().ok_or_else(|| io::Error::other("no such host"))
    }
}

/// The URL of a server under another host name.
#[expect(clippy::expect_used, reason = "the names of tests are host names")]
fn named(url: &Url, host: &str) -> Url {
    let mut url = url.clone();
    url.set_host(Some(host)).expect("a host name");
    url
}
