//! The guarded HTTP client: sends a request, follows redirects and reads the response within limits.

use crate::client_builder::{client_builder, new_client};
use crate::error::from_send_error;
use crate::guard::{Guard, Route};
use crate::hop::Hop;
use crate::host::host_of;
use crate::limited_body::{Body, ClientMemory, read_whole};
use crate::limits::ClientLimits;
use crate::resolver::{CheckedResolver, Lookup, NameError, SystemLookup};
use crate::tls::TlsClients;
use async_trait::async_trait;
use domain::ports::{
    AddressResolver, BodyMemory, ByteOrigin, Fetch, FetchError, HttpMethod, HttpRequest, HttpResponse,
    HttpStream, Origin,
};
use reqwest::header::LOCATION;
use reqwest::{Client, Method, Response};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

/// Upper limit of any request, so that deadlines cannot overflow.
const TIME_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// The guarded client could not be created.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client cannot be set up")]
pub struct ClientError(#[source] reqwest::Error);

/// The only HTTP client of the product.
///
/// It has two clients with separate connection pools. The guarded one only connects to checked addresses; the trusted
/// one serves hops whose host and port are trusted. So a connection of one is never used for the other. The same holds
/// for clients with custom TLS options.
pub struct GuardedClient {
    guarded_client: Client,
    trusted_client: Client,
    tls_clients: TlsClients,
    checked: CheckedResolver,
    unchecked: CheckedResolver,
    guard: Arc<Guard>,
    limits: ClientLimits,
    bodies: ClientMemory,
}

/// The response after all redirects, with an unread body.
struct FinalResponse {
    response: Response,
    hop: Hop,
    /// Deadline of the hop.
    hop_end: Instant,
}

impl GuardedClient {
    pub fn new(limits: ClientLimits) -> Result<Self, ClientError> {
        Self::with_lookup(limits, Arc::new(SystemLookup))
    }

    /// A client that resolves names with `lookup`.
    pub fn with_lookup(limits: ClientLimits, lookup: Arc<dyn Lookup>) -> Result<Self, ClientError> {
        let guard = Arc::new(Guard::new(limits.allow.clone()));
        let checked = CheckedResolver::new(Arc::clone(&lookup), Some(Arc::clone(&guard)));
        let unchecked = CheckedResolver::new(lookup, None);
        Ok(Self {
            guarded_client: build_client(&limits, &checked)?,
            trusted_client: build_client(&limits, &unchecked)?,
            tls_clients: TlsClients::default(),
            checked,
            unchecked,
            guard,
            bodies: ClientMemory::new(limits.body_bytes_max),
            limits,
        })
    }

    /// Sends the request and follows redirects up to the head of the final response.
    async fn follow(&self, request: &HttpRequest, hop_max: Duration) -> Result<FinalResponse, FetchError> {
        let mut hop = Hop::first(request);
        let mut redirects = 0;
        loop {
            let hop_end = Instant::now() + hop_max.min(TIME_MAX);
            let response = match timeout_at(hop_end, self.send(request, &hop)).await {
                Ok(response) => response?,
                Err(_) => return Err(FetchError::Timeout { host: host_of(&hop.url) }),
            };
            let Some(location) = redirect_location(&response) else {
                return Ok(FinalResponse { response, hop, hop_end });
            };
            if redirects == self.limits.redirects_max {
                return Err(FetchError::Redirects {
                    host: host_of(&request.url),
                    max: self.limits.redirects_max,
                });
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
        let FinalResponse { response, hop, hop_end } = self.follow(request, self.limits.read).await?;
        let (status, headers) = head_of(&response);
        let body = Body::new(response, host_of(&hop.url), self.limits.body_bytes_max)?;
        let origin = if hop.is_own_origin { ByteOrigin::Own } else { ByteOrigin::Other };
        match timeout_at(hop_end, read_whole(body, memory)).await {
            Ok(body) => Ok((HttpResponse { status, headers, body: body? }, origin)),
            Err(_) => Err(FetchError::Timeout { host: host_of(&hop.url) }),
        }
    }

    /// A streamed response has the time limit of the request instead of that of a hop.
    async fn open_stream(&self, request: &HttpRequest, end: Instant) -> Result<HttpStream, FetchError> {
        let FinalResponse { response, hop, .. } = self.follow(request, request.time_max).await?;
        let (status, headers) = head_of(&response);
        let body = Body::new(response, host_of(&hop.url), self.limits.body_bytes_max)?;
        Ok(HttpStream { status, headers, body: body.until(end) })
    }

    /// The client for one hop. TLS options of the request apply only to its own origin, not after a redirect
    /// elsewhere.
    async fn client(&self, request: &HttpRequest, hop: &Hop) -> Result<Client, FetchError> {
        let route = self.guard.route(&hop.url, &request.origin)?;
        let (usual, resolver) = match route {
            Route::Guarded => (&self.guarded_client, &self.checked),
            Route::Trusted => (&self.trusted_client, &self.unchecked),
        };
        match &request.tls {
            Some(options) if hop.is_own_origin && (!options.verify || options.ca_file.is_some()) => {
                self.tls_clients.client(options, route, &self.limits, resolver).await
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
        outgoing.send().await.map_err(|error| from_send_error(error, &hop.url))
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
impl AddressResolver for GuardedClient {
    async fn admit(&self, origin: &Origin) -> Result<Vec<SocketAddr>, FetchError> {
        let resolver = match self.guard.route_to(origin)? {
            Route::Guarded => &self.checked,
            Route::Trusted => &self.unchecked,
        };
        let looked_up = timeout(self.limits.connect, resolver.addresses(&origin.host, origin.port)).await;
        let found = looked_up.map_err(|_| FetchError::Timeout { host: origin.host.clone() })?;
        found.map_err(|error| {
            let place = format!("{}:{}", origin.host, origin.port);
            match error {
                NameError::Unknown => FetchError::UnknownHost { host: origin.host.clone() },
                NameError::Refused => {
                    tracing::warn!(outbound.place = %place, "refused to connect to {place}: it is not a public address");
                    FetchError::Refused { place }
                }
            }
        })
    }
}

/// Applies the time limit of the request, and logs refused addresses.
async fn in_time<T>(
    request: &HttpRequest,
    work: impl Future<Output = Result<T, FetchError>>,
) -> Result<T, FetchError> {
    // With a limit of zero, a fast response could still win the race against the timeout.
    if request.time_max.is_zero() {
        return Err(FetchError::Timeout { host: host_of(&request.url) });
    }
    let outcome = match timeout(request.time_max, work).await {
        Ok(outcome) => outcome,
        Err(_) => Err(FetchError::Timeout { host: host_of(&request.url) }),
    };
    if let Err(FetchError::Refused { place }) = &outcome {
        tracing::warn!(outbound.place = %place, "refused to connect to {place}: it is not a public address");
    }
    outcome
}

/// A client with the system's certificate authorities, or with the built-in list if there are none.
fn build_client(limits: &ClientLimits, resolver: &CheckedResolver) -> Result<Client, ClientError> {
    new_client(|| client_builder(limits, resolver.clone())).or_else(|_no_authorities| {
        tracing::warn!("this machine has no list of certificate authorities; the built-in one is used");
        client_builder(limits, resolver.clone())
            .tls_backend_preconfigured(built_in_authorities())
            .build()
            .map_err(ClientError)
    })
}

fn built_in_authorities() -> rustls::ClientConfig {
    let roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    rustls::ClientConfig::builder().with_root_certificates(roots).with_no_client_auth()
}

/// The target of a redirect; None for other responses and for redirects without a location.
fn redirect_location(answer: &Response) -> Option<String> {
    if !matches!(answer.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = answer.headers().get(LOCATION)?;
    Some(String::from_utf8_lossy(location.as_bytes()).into_owned())
}

/// Status and headers of a response, with lowercase names.
fn head_of(answer: &Response) -> (u16, Vec<(String, String)>) {
    let headers = answer.headers().iter();
    let headers = headers
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect();
    (answer.status().as_u16(), headers)
}
