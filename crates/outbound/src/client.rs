//! The guarded client itself: sends one request, follows its redirects and reads the answer, within limits.

use crate::failure::{host_of, of_sending};
use crate::guard::{Guard, Way};
use crate::hop::Hop;
use crate::limits::ClientLimits;
use crate::pieces::{Body, ClientMemory, read_whole};
use crate::resolver::{CheckedResolver, Lookup, NameError, SystemLookup};
use crate::tls::TlsClients;
use async_trait::async_trait;
use domain::contracts::{
    BodyMemory, ByteOrigin, Dial, Fetch, FetchError, HttpMethod, HttpRequest, HttpResponse, HttpStream,
    Origin,
};
use reqwest::header::LOCATION;
use reqwest::{Client, Method, Response};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

/// Idle connections that are kept to one host, for each of the two clients.
const IDLE_CONNECTIONS_MAX: usize = 32;

/// No exchange takes longer; it keeps the end of one within what a clock can hold.
const TIME_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// The guarded client could not be opened when the program started.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client cannot be set up")]
pub struct ClientError(#[source] reqwest::Error);

/// The only HTTP client of the product.
///
/// It holds two clients with a pool of connections each. The guarded one connects to checked addresses
/// only; the open one serves hops whose host and port are vouched for. So a connection that was opened
/// for the one kind is never used for the other. The same is true of the clients with a trust of their own.
pub struct GuardedClient {
    guarded: Client,
    open: Client,
    own_trust: TlsClients,
    checked: CheckedResolver,
    unchecked: CheckedResolver,
    guard: Arc<Guard>,
    limits: ClientLimits,
    bodies: ClientMemory,
}

/// The answer at the end of the way; its body is still to be read.
struct Arrived {
    response: Response,
    hop: Hop,
    /// When the time of this hop is over.
    hop_end: Instant,
}

impl GuardedClient {
    pub fn new(limits: ClientLimits) -> Result<Self, ClientError> {
        Self::with_lookup(limits, Arc::new(SystemLookup))
    }

    /// A client that asks `lookup` for the addresses of names.
    pub fn with_lookup(limits: ClientLimits, lookup: Arc<dyn Lookup>) -> Result<Self, ClientError> {
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
            bodies: ClientMemory::new(limits.body_bytes_max),
            limits,
        })
    }

    /// Sends, and goes where it is redirected, until the head of an answer is there that leads nowhere else.
    async fn follow(&self, request: &HttpRequest, hop_max: Duration) -> Result<Arrived, FetchError> {
        let mut hop = Hop::first(request);
        let mut redirects = 0;
        loop {
            let hop_end = Instant::now() + hop_max.min(TIME_MAX);
            let response = match timeout_at(hop_end, self.send(request, &hop)).await {
                Ok(response) => response?,
                Err(_) => return Err(FetchError::Timeout(host_of(&hop.url))),
            };
            let Some(location) = redirect_location(&response) else {
                return Ok(Arrived { response, hop, hop_end });
            };
            if redirects == self.limits.redirects_max {
                return Err(FetchError::Redirects(host_of(&request.url), self.limits.redirects_max));
            }
            redirects += 1;
            hop = hop.redirected(request, response.status().as_u16(), &location)?;
        }
    }

    async fn fetch_whole(
        &self,
        request: &HttpRequest,
        memory: &dyn BodyMemory,
    ) -> Result<(HttpResponse, ByteOrigin), FetchError> {
        let Arrived { response, hop, hop_end } = self.follow(request, self.limits.read).await?;
        let (status, headers) = head_of(&response);
        let body = Body::new(response, host_of(&hop.url), self.limits.body_bytes_max)?;
        let origin = if hop.is_home { ByteOrigin::Own } else { ByteOrigin::Other };
        match timeout_at(hop_end, read_whole(body, memory)).await {
            Ok(body) => Ok((HttpResponse { status, headers, body: body? }, origin)),
            Err(_) => Err(FetchError::Timeout(host_of(&hop.url))),
        }
    }

    /// A streamed answer has the time of its request, not that of a hop: whoever asks for it expects it to take long.
    async fn open_stream(&self, request: &HttpRequest, end: Instant) -> Result<HttpStream, FetchError> {
        let Arrived { response, hop, .. } = self.follow(request, request.time_max).await?;
        let (status, headers) = head_of(&response);
        let body = Body::new(response, host_of(&hop.url), self.limits.body_bytes_max)?;
        Ok(HttpStream { status, headers, body: body.until(end) })
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

    async fn send(&self, request: &HttpRequest, hop: &Hop) -> Result<Response, FetchError> {
        let client = self.client(request, hop).await?;
        let method = match hop.method {
            HttpMethod::Get => Method::GET,
            HttpMethod::Head => Method::HEAD,
            HttpMethod::Post => Method::POST,
            HttpMethod::Put => Method::PUT,
            HttpMethod::Delete => Method::DELETE,
        };
        let mut outgoing = client.request(method, hop.url.clone()).headers(hop.headers(request)?);
        if let Some(body) = &hop.body {
            outgoing = outgoing.body(body.clone());
        }
        outgoing.send().await.map_err(|error| of_sending(&error, &hop.url))
    }
}

#[async_trait]
impl Fetch for GuardedClient {
    async fn fetch(&self, request: &HttpRequest) -> Result<HttpResponse, FetchError> {
        self.fetch_with_origin(request).await.map(|(response, _)| response)
    }

    async fn fetch_with_origin(
        &self,
        request: &HttpRequest,
    ) -> Result<(HttpResponse, ByteOrigin), FetchError> {
        in_time(request, self.fetch_whole(request, &self.bodies)).await
    }

    async fn fetch_into(
        &self,
        request: &HttpRequest,
        memory: &dyn BodyMemory,
    ) -> Result<HttpResponse, FetchError> {
        in_time(request, self.fetch_whole(request, memory)).await.map(|(response, _)| response)
    }

    async fn stream(&self, request: &HttpRequest) -> Result<HttpStream, FetchError> {
        let end = Instant::now() + request.time_max.min(TIME_MAX);
        in_time(request, self.open_stream(request, end)).await
    }
}

#[async_trait]
impl Dial for GuardedClient {
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

/// Ends the work when the time of its request is over, and logs a refused address.
async fn in_time<T>(
    request: &HttpRequest,
    work: impl Future<Output = Result<T, FetchError>>,
) -> Result<T, FetchError> {
    // A source on a fast line could answer before a clock of no time strikes.
    if request.time_max.is_zero() {
        return Err(FetchError::Timeout(host_of(&request.url)));
    }
    let outcome = match timeout(request.time_max, work).await {
        Ok(outcome) => outcome,
        Err(_) => Err(FetchError::Timeout(host_of(&request.url))),
    };
    if let Err(FetchError::Refused(place)) = &outcome {
        tracing::warn!(outbound.place = %place, "refused to connect to {place}: it is not a public address");
    }
    outcome
}

/// A client that trusts what the machine trusts; on a machine that has no list of authorities, the built-in one.
fn build_client(limits: &ClientLimits, resolver: &CheckedResolver) -> Result<Client, ClientError> {
    new_client(|| client_builder(limits, resolver.clone())).or_else(|_no_authorities| {
        tracing::warn!("this machine has no list of certificate authorities; the built-in one is used");
        client_builder(limits, resolver.clone())
            .tls_backend_preconfigured(built_in_authorities())
            .build()
            .map_err(ClientError)
    })
}

/// Builds a client when the library for encryption is ready.
pub(crate) fn new_client(builder: impl FnOnce() -> reqwest::ClientBuilder) -> Result<Client, reqwest::Error> {
    // The first installation in a process wins; an error means that it has been done already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    builder().build()
}

#[expect(clippy::disallowed_methods, reason = "this is the guarded client")]
pub(crate) fn client_builder(limits: &ClientLimits, resolver: CheckedResolver) -> reqwest::ClientBuilder {
    Client::builder()
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

/// Status and headers of an answer, names in lower case.
fn head_of(answer: &Response) -> (u16, Vec<(String, String)>) {
    let headers = answer.headers().iter();
    let headers = headers
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect();
    (answer.status().as_u16(), headers)
}
