//! Bodies as objects in a bucket of an S3 server, through the guarded client. All requests are idempotent and may be
//! retried.

mod answer;

use super::blocking::beside;
use super::compression::Compression;
use answer::{Answered, Listing};
use api_auth::aws::{AwsRequest, AwsSigner, percent_encoded as encoded};
use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use domain::ports::{
    BodyError, BodyKey, BodyStore, Clock, Fetch, FetchError, HttpMethod, HttpRequest, Origin,
};
use domain::secret::Secret;
use futures_util::StreamExt;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Time limit of one request, for the largest body.
const TIME_MAX: Duration = Duration::from_secs(120);
/// Pauses before retries.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(1)];
/// Most keys that S3 lists at once.
const KEYS_MAX: usize = 1_000;
/// The default region, which must not be named when a bucket is created.
const FIRST_REGION: &str = "us-east-1";

/// Bucket and credentials.
#[derive(Clone)]
pub struct S3Config {
    /// The guarded client. Its response limit must be at least `compressed_bytes_max(max_mb)`.
    pub fetch: Arc<dyn Fetch>,
    pub clock: Arc<dyn Clock>,
    /// Such as `https://s3.example`. Empty: Amazon's endpoint of the region.
    pub endpoint: String,
    pub region: String,
    pub bucket: String,
    pub access_key: Secret,
    pub secret_key: Secret,
    pub max_mb: u32,
}

pub struct S3Bodies {
    config: S3Config,
    /// The URL of the bucket, without a trailing slash.
    bucket: Url,
    origin: Origin,
    compression: Compression,
}

struct Call<'a> {
    method: HttpMethod,
    /// None: the bucket itself.
    key: Option<&'a BodyKey>,
    query: Vec<(&'static str, String)>,
    body: Bytes,
}

impl S3Bodies {
    pub fn new(config: S3Config) -> Result<Self, BodyError> {
        let bucket = address(&config)?;
        if config.access_key.is_empty() || config.secret_key.is_empty() {
            let missing = "SVC_STORAGE_ACCESS_KEY and SVC_STORAGE_SECRET_KEY are needed";
            return Err(BodyError::refused(missing));
        }
        // Set by the operator: it may be a private address.
        let origin = Origin::trusted(&bucket).ok_or_else(|| no_address(&config.endpoint))?;
        let compression = Compression { max_mb: config.max_mb };
        Ok(Self { config, bucket, origin, compression })
    }

    async fn put_compressed(&self, key: &BodyKey, compressed: Bytes) -> Result<(), BodyError> {
        let call = Call { body: compressed, ..Call::of(HttpMethod::Put, Some(key)) };
        self.ask(&call).await?.into_body(&self.config.bucket).map(|_| ())
    }

    async fn get_compressed(&self, key: &BodyKey) -> Result<Option<Bytes>, BodyError> {
        let answered = self.ask(&Call::of(HttpMethod::Get, Some(key))).await?;
        if answered.is_missing_object() {
            return Ok(None);
        }
        answered.into_body(&self.config.bucket).map(Some)
    }

    /// One page of the bucket's contents.
    async fn page(&self, after: Option<&BodyKey>, token: Option<String>) -> Result<Listing, BodyError> {
        let mut query = vec![("list-type", "2".to_owned()), ("max-keys", KEYS_MAX.to_string())];
        match (token, after) {
            (Some(token), _) => query.push(("continuation-token", token)),
            (None, Some(after)) => query.push(("start-after", after.as_str().to_owned())),
            (None, None) => {}
        }
        let call = Call { query, ..Call::of(HttpMethod::Get, None) };
        let body = self.ask(&call).await?.into_body(&self.config.bucket)?;
        Listing::read(&body).ok_or_else(|| BodyError::unreachable("its list of objects cannot be read"))
    }

    async fn make_bucket(&self) -> Result<(), BodyError> {
        // The default region must not be named. The body is never empty, because some servers require a length.
        let place = match self.config.region.as_str() {
            FIRST_REGION => String::new(),
            region => format!("<LocationConstraint>{region}</LocationConstraint>"),
        };
        let body = format!(
            "<CreateBucketConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">{place}</CreateBucketConfiguration>"
        )
        .into();
        let answered = self.ask(&Call { body, ..Call::of(HttpMethod::Put, None) }).await?;
        // Another process was faster.
        if answered.is_own_bucket() {
            return Ok(());
        }
        answered.into_body(&self.config.bucket).map(|_| ())
    }

    /// Retries temporary failures.
    async fn ask(&self, call: &Call<'_>) -> Result<Answered, BodyError> {
        let mut pauses = PAUSES.into_iter();
        loop {
            let outcome = self.send(call).await;
            let is_passing = match &outcome {
                Ok(answered) => answered.is_passing(),
                Err(error) => {
                    matches!(
                        error,
                        FetchError::Connect { .. } | FetchError::Timeout { .. } | FetchError::Broken { .. }
                    )
                }
            };
            match pauses.next().filter(|_| is_passing) {
                Some(pause) => tokio::time::sleep(pause).await,
                None => return outcome.map_err(failure),
            }
        }
    }

    async fn send(&self, call: &Call<'_>) -> Result<Answered, FetchError> {
        let request = self.request(call);
        // A stream uses the time limit of the request; a fetch would use that of a search.
        let mut stream = self.config.fetch.stream(&request).await?;
        let mut body = BytesMut::new();
        while let Some(piece) = stream.body.next().await {
            body.extend_from_slice(&piece?);
        }
        Ok(Answered { status: stream.status, body: body.freeze() })
    }

    fn request(&self, call: &Call<'_>) -> HttpRequest {
        let mut url = self.bucket.clone();
        if let Some(key) = call.key {
            url.set_path(&format!("{}/{}", self.bucket.path().trim_end_matches('/'), key.as_str()));
        }
        let mut pairs: Vec<String> =
            call.query.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
        pairs.sort_unstable();
        url.set_query((!pairs.is_empty()).then(|| pairs.join("&")).as_deref());
        HttpRequest {
            method: call.method,
            headers: Vec::new(),
            secret_headers: self.signature(call.method, &url, &call.body),
            url,
            body: matches!(call.method, HttpMethod::Put).then(|| call.body.clone()),
            origin: self.origin.clone(),
            secrets: vec![self.config.secret_key.clone()],
            time_max: TIME_MAX,
            tls: None,
        }
    }

    /// The headers that sign a request.
    fn signature(&self, method: HttpMethod, url: &Url, body: &[u8]) -> Vec<(String, Secret)> {
        let S3Config { access_key, secret_key, region, clock, .. } = &self.config;
        let signer = AwsSigner {
            access_key_id: access_key.expose(),
            secret_access_key: secret_key.expose(),
            session_token: None,
            region,
            service: "s3",
        };
        signer.headers(&AwsRequest { method: method.as_str(), url, headers: &[], body }, clock.now())
    }
}

#[async_trait]
impl BodyStore for S3Bodies {
    async fn put(&self, key: &BodyKey, body: Bytes) -> Result<u64, BodyError> {
        let compression = self.compression;
        let compressed: Bytes = beside(move || compression.compress(&body)).await?.into();
        let size = compressed.len() as u64;
        self.put_compressed(key, compressed).await?;
        Ok(size)
    }

    async fn get(&self, key: &BodyKey) -> Result<Option<Bytes>, BodyError> {
        let Some(compressed) = self.get_compressed(key).await? else { return Ok(None) };
        let compression = self.compression;
        beside(move || compression.decompress(&compressed)).await.map(|body| Some(body.into()))
    }

    async fn delete(&self, key: &BodyKey) -> Result<(), BodyError> {
        let answered = self.ask(&Call::of(HttpMethod::Delete, Some(key))).await?;
        if answered.is_missing_object() {
            return Ok(());
        }
        answered.into_body(&self.config.bucket).map(|_| ())
    }

    async fn keys(&self, after: Option<&BodyKey>, limit: usize) -> Result<Vec<BodyKey>, BodyError> {
        let (mut keys, mut token) = (Vec::new(), None);
        while keys.len() < limit {
            let page = self.page(after, token.take()).await?;
            add_ours(&mut keys, &page.keys);
            token = page.next;
            if token.is_none() {
                break;
            }
        }
        keys.truncate(limit);
        Ok(keys)
    }

    async fn prepare(&self) -> Result<(), BodyError> {
        let answered = self.ask(&Call::of(HttpMethod::Head, None)).await?;
        match answered.status {
            404 => self.make_bucket().await,
            _ => answered.into_body(&self.config.bucket).map(|_| ()),
        }
    }
}

impl<'a> Call<'a> {
    fn of(method: HttpMethod, key: Option<&'a BodyKey>) -> Self {
        Self { method, key, query: Vec::new(), body: Bytes::new() }
    }
}

/// Adds listed keys. Foreign objects are ignored, and a server may list an object twice while it is replaced.
fn add_ours(keys: &mut Vec<BodyKey>, listed: &[String]) {
    keys.extend(listed.iter().filter_map(|key| BodyKey::parse(key)));
    keys.dedup();
}

/// The URL of the bucket: by path, or at Amazon by host name.
fn address(config: &S3Config) -> Result<Url, BodyError> {
    let (bucket, region) = (&config.bucket, &config.region);
    let is_plain = |text: &str, more: &str| {
        !text.is_empty()
            && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || more.contains(c))
    };
    if !(3..=63).contains(&bucket.len()) || !is_plain(bucket, "-.") || bucket.contains("..") {
        let wrong = format!("'{bucket}' (SVC_STORAGE_BUCKET) is no name of a bucket");
        return Err(BodyError::refused(wrong));
    }
    if !is_plain(region, "-") {
        return Err(BodyError::refused(format!("'{region}' (SVC_STORAGE_REGION) is no region")));
    }
    let endpoint = config.endpoint.trim();
    let text = match endpoint {
        // The certificate covers only one label.
        "" if bucket.contains('.') => format!("https://s3.{region}.amazonaws.com/{bucket}"),
        "" => format!("https://{bucket}.s3.{region}.amazonaws.com/"),
        _ => format!("{}/{bucket}", endpoint.trim_end_matches('/')),
    };
    let is_plain_url = |url: &Url| {
        let has_login = !url.username().is_empty() || url.password().is_some();
        matches!(url.scheme(), "http" | "https")
            && url.query().is_none()
            && url.fragment().is_none()
            && !has_login
    };
    Url::parse(&text).ok().filter(is_plain_url).ok_or_else(|| no_address(endpoint))
}

fn no_address(endpoint: &str) -> BodyError {
    // It may contain a misplaced password.
    let shown = if endpoint.contains('@') { "SVC_STORAGE_ENDPOINT" } else { endpoint };
    BodyError::refused(format!("'{shown}' is no address such as https://s3.example (SVC_STORAGE_ENDPOINT)"))
}

fn failure(error: FetchError) -> BodyError {
    match error {
        FetchError::Refused { .. } | FetchError::Invalid { .. } | FetchError::TooLarge { .. } => {
            BodyError::refused(error.to_string()).caused_by(error)
        }
        other => BodyError::unreachable(other.to_string()).caused_by(other),
    }
}

#[cfg(test)]
mod tests;
