//! The gate itself: sends one request, follows its redirects and reads the answer, within limits.

use crate::failure::{host_of, of_reading, of_sending};
use crate::guard::{Guard, Way};
use crate::hop::Hop;
use crate::limits::GateLimits;
use crate::resolver::{CheckedResolver, Lookup, NameError, SystemLookup};
use crate::tls::TlsClients;
use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use domain::contracts::{Dial, Fetch, FetchError, HttpMethod, HttpRequest, HttpResponse, Origin};
use reqwest::header::LOCATION;
use reqwest::{Client, Method, Response};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::time::timeout;
use url::Url;

/// Idle connections that are kept to one host, for each of the two clients.
const IDLE_CONNECTIONS_MAX: usize = 32;

/// The gate could not be opened when the program started.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client cannot be set up")]
pub struct GateError(#[source] reqwest::Error);

/// The only HTTP client of the product.
///
/// It holds two clients with a pool of connections each. The guarded one connects to checked addresses
/// only; the open one serves hops whose host and port are vouched for. So a connection that was opened
/// for the one kind is never used for the other. The same is true of the clients with a trust of their own.
pub struct Gate {
    guarded: Client,
    open: Client,
    own_trust: TlsClients,
    checked: CheckedResolver,
    unchecked: CheckedResolver,
    guard: Arc<Guard>,
    limits: GateLimits,
}

/// What came back from one hop.
enum Answer {
    Whole(HttpResponse),
    Redirect { status: u16, location: String },
}

impl Gate {
    pub fn new(limits: GateLimits) -> Result<Self, GateError> {
        Self::with_lookup(limits, Arc::new(SystemLookup))
    }

    /// A gate that asks `lookup` for the addresses of names.
    pub fn with_lookup(limits: GateLimits, lookup: Arc<dyn Lookup>) -> Result<Self, GateError> {
        let guard = Arc::new(Guard::new(limits.allow.clone()));
        let checked = CheckedResolver::new(Arc::clone(&lookup), Some(Arc::clone(&guard)));
        let unchecked = CheckedResolver::new(lookup, None);
        Ok(Self {
            guarded: build_client(&limits, &checked)?,
            open: build_client(&limits, &unchecked)?,
            own_trust: TlsClients::default(),
            checked,
            unchecked,
            guard,
            limits,
        })
    }

    async fn follow(&self, request: &HttpRequest) -> Result<HttpResponse, FetchError> {
        let mut hop = Hop::first(request);
        let mut redirects = 0;
        loop {
            let answer = match timeout(self.limits.read, self.send(request, &hop)).await {
                Ok(answer) => answer?,
                Err(_) => return Err(FetchError::Timeout(host_of(&hop.url))),
            };
            let (status, location) = match answer {
                Answer::Whole(response) => return Ok(response),
                Answer::Redirect { status, location } => (status, location),
            };
            if redirects == self.limits.redirects_max {
                return Err(FetchError::Redirects(host_of(&request.url), self.limits.redirects_max));
            }
            redirects += 1;
            hop = hop.redirected(request, status, &location)?;
        }
    }

    /// The client for one hop. The request's own idea of trust is for its own origin, not for where it is led.
    async fn client(&self, request: &HttpRequest, hop: &Hop) -> Result<Client, FetchError> {
        let way = self.guard.way(&hop.url, &request.origin)?;
        let (usual, resolver) = match way {
            Way::Guarded => (&self.guarded, &self.checked),
            Way::Open => (&self.open, &self.unchecked),
        };
        match &request.tls {
            Some(options) if hop.is_home && (!options.verify || options.ca_file.is_some()) => {
                self.own_trust.client(options, way, &self.limits, resolver).await
            }
            _ => Ok(usual.clone()),
        }
    }

    async fn send(&self, request: &HttpRequest, hop: &Hop) -> Result<Answer, FetchError> {
        let client = self.client(request, hop).await?;
        let method = match hop.method {
            HttpMethod::Get => Method::GET,
            HttpMethod::Post => Method::POST,
        };
        let mut outgoing = client.request(method, hop.url.clone()).headers(hop.headers(request)?);
        if let Some(body) = &hop.body {
            outgoing = outgoing.body(body.clone());
        }
        let answer = outgoing.send().await.map_err(|error| of_sending(&error, &hop.url))?;
        let status = answer.status().as_u16();
        if let Some(location) = redirect_location(&answer) {
            return Ok(Answer::Redirect { status, location });
        }
        let headers = answer
            .headers()
            .iter()
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect();
        let body = read_body(answer, &hop.url, self.limits.body_bytes_max).await?;
        Ok(Answer::Whole(HttpResponse { status, headers, body }))
    }
}

#[async_trait]
impl Fetch for Gate {
    async fn fetch(&self, request: &HttpRequest) -> Result<HttpResponse, FetchError> {
        // A source on a fast line could answer before a clock of no time strikes.
        if request.time_max.is_zero() {
            return Err(FetchError::Timeout(host_of(&request.url)));
        }
        let outcome = match timeout(request.time_max, self.follow(request)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(FetchError::Timeout(host_of(&request.url))),
        };
        if let Err(FetchError::Refused(place)) = &outcome {
            tracing::warn!(outbound.place = %place, "refused to connect to {place}: it is not a public address");
        }
        outcome
    }
}

#[async_trait]
impl Dial for Gate {
    async fn admit(&self, origin: &Origin) -> Result<Vec<SocketAddr>, FetchError> {
        let resolver = match self.guard.way_to(origin)? {
            Way::Guarded => &self.checked,
            Way::Open => &self.unchecked,
        };
        let looked_up = timeout(self.limits.connect, resolver.addresses(&origin.host, origin.port)).await;
        let found = looked_up.map_err(|_| FetchError::Timeout(origin.host.clone()))?;
        found.map_err(|error| {
            let place = format!("{}:{}", origin.host, origin.port);
            match error {
                NameError::Unknown => FetchError::UnknownHost(origin.host.clone()),
                NameError::Refused => {
                    tracing::warn!(outbound.place = %place, "refused to connect to {place}: it is not a public address");
                    FetchError::Refused(place)
                }
            }
        })
    }
}

/// A client that trusts what the machine trusts; on a machine that has no list of authorities, the built-in one.
fn build_client(limits: &GateLimits, resolver: &CheckedResolver) -> Result<Client, GateError> {
    new_client(|| client_builder(limits, resolver.clone())).or_else(|_no_authorities| {
        tracing::warn!("this machine has no list of certificate authorities; the built-in one is used");
        client_builder(limits, resolver.clone())
            .tls_backend_preconfigured(built_in_authorities())
            .build()
            .map_err(GateError)
    })
}

/// Builds a client when the library for encryption is ready.
pub(crate) fn new_client(builder: impl FnOnce() -> reqwest::ClientBuilder) -> Result<Client, reqwest::Error> {
    // The first installation in a process wins; an error means that it has been done already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    builder().build()
}

#[expect(clippy::disallowed_methods, reason = "this is the gate")]
pub(crate) fn client_builder(limits: &GateLimits, resolver: CheckedResolver) -> reqwest::ClientBuilder {
    Client::builder()
        .user_agent(format!("{}/{}", domain::SERVICE_NAME, domain::VERSION))
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .no_proxy()
        .connect_timeout(limits.connect)
        .pool_max_idle_per_host(IDLE_CONNECTIONS_MAX)
        .dns_resolver(resolver)
}

fn built_in_authorities() -> rustls::ClientConfig {
    let roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    rustls::ClientConfig::builder().with_root_certificates(roots).with_no_client_auth()
}

/// Where an answer redirects to. One without a place to go is an answer like any other.
fn redirect_location(answer: &Response) -> Option<String> {
    if !matches!(answer.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = answer.headers().get(LOCATION)?;
    Some(String::from_utf8_lossy(location.as_bytes()).into_owned())
}

/// Reads a body piece by piece and stops as soon as it grows too large, so that a small answer that
/// unpacks to a huge one takes no more memory than any other.
async fn read_body(mut answer: Response, url: &Url, bytes_max: u64) -> Result<Bytes, FetchError> {
    let too_large = || FetchError::TooLarge { host: host_of(url), bytes_max };
    if answer.content_length().is_some_and(|length| length > bytes_max) {
        return Err(too_large());
    }
    let mut body = BytesMut::new();
    while let Some(piece) = answer.chunk().await.map_err(|error| of_reading(&error, url))? {
        if (body.len() + piece.len()) as u64 > bytes_max {
            return Err(too_large());
        }
        body.extend_from_slice(&piece);
    }
    Ok(body.freeze())
}
