//! The HTTP request for a page. Credentials are sent to the provider's own origin only, and only for URLs that the
//! provider returned.

use crate::PageFetchParts;
use base64::Engine;
use domain::ids::UserId;
use domain::notice::reason;
use domain::page_fetch::PageFetchConfig;
use domain::ports::{HttpMethod, HttpRequest, Origin, PageError, TlsOptions};
use domain::provenance::{AccountPage, PageTarget, SourcePage};
use domain::provider::SearchProvider;
use domain::secret::{Secret, is_secret_name};
use std::path::PathBuf;
use std::time::Duration;
use syntax::credentials::{Login, SourceCredentials};
use url::Url;

/// Formats that are read best.
const ACCEPT: &str = "text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.8";

/// The origin of a URL if it is the provider's own: that of its `url`, or one that a template names itself. A typed
/// URL has no such origin.
pub fn own_origin(page: SourcePage<'_>, config: &PageFetchConfig, url: &Url) -> Option<Origin> {
    let lookup = config.media_type_lookup.as_ref().map(|lookup| lookup.url.as_str());
    let templates = [Some(page.provider().spec.url.trim()), config.content_url.as_deref(), lookup];
    templates.into_iter().flatten().filter_map(Origin::named_by).find(|origin| origin.is_of(url))
}

/// A request for something behind a result.
pub async fn get(
    parts: &PageFetchParts,
    target: PageTarget<'_>,
    config: &PageFetchConfig,
    user: UserId,
    url: Url,
) -> Result<HttpRequest, PageError> {
    let (own, carried) = match target {
        PageTarget::Source(page) => source_rights(parts, page, config, user, &url).await?,
        PageTarget::Account(page) => account_rights(parts, page, user, &url).await?,
        PageTarget::User(_) => (None, Carried::default()),
    };
    let is_of_source = own.is_some() && matches!(target, PageTarget::Source(_));
    let origin = own.or_else(|| Origin::untrusted(&url)).ok_or(PageError::NoAddress)?;
    let mut request = HttpRequest {
        method: HttpMethod::Get,
        url,
        headers: Vec::new(),
        secret_headers: carried.headers,
        body: None,
        origin,
        secrets: carried.secrets,
        // The caller limits the time over all requests of one page.
        time_max: Duration::MAX,
        tls: carried.tls,
    };
    add_headers(&mut request, config, is_of_source);
    Ok(request)
}

/// Credentials for a page that its provider returned: at the provider's own origin, those of the provider or of the
/// person.
async fn source_rights(
    parts: &PageFetchParts,
    page: SourcePage<'_>,
    config: &PageFetchConfig,
    user: UserId,
    url: &Url,
) -> Result<(Option<Origin>, Carried), PageError> {
    let Some(origin) = own_origin(page, config, url) else { return Ok((None, Carried::default())) };
    let provider = page.provider();
    if provider.unreadable.is_any() {
        return Err(PageError::failed(reason::secrets_unreadable()));
    }
    let token = token_of(parts, provider, user).await?;
    Ok((Some(origin), token.map_or_else(|| of_credentials(provider), Carried::bearer)))
}

/// Credentials for a typed URL at the provider's origin: only the person's own token.
async fn account_rights(
    parts: &PageFetchParts,
    page: AccountPage<'_>,
    user: UserId,
    url: &Url,
) -> Result<(Option<Origin>, Carried), PageError> {
    let Some(origin) = page.origin().filter(|origin| origin.is_of(url)) else {
        return Ok((None, Carried::default()));
    };
    match token_of(parts, page.provider(), user).await? {
        Some(token) => Ok((Some(origin), Carried::bearer(token))),
        None => Ok((None, Carried::default())),
    }
}

/// Adds the provider's headers to the defaults; headers with secret names are sent to its own origin only, for URLs
/// that it returned.
fn add_headers(request: &mut HttpRequest, config: &PageFetchConfig, is_own: bool) {
    let is_given = |name: &str| config.headers.keys().any(|given| given.eq_ignore_ascii_case(name));
    if !is_given("Accept") {
        request.headers.push(("Accept".to_owned(), ACCEPT.to_owned()));
    }
    for (name, value) in &config.headers {
        // An empty `User-Agent` removes the default of the guarded client.
        let is_name = name.eq_ignore_ascii_case("User-Agent");
        if value.is_empty() && !is_name {
            continue;
        }
        if !is_secret_name(name) {
            request.headers.push((name.clone(), value.clone()));
        } else if is_own {
            request.secret_headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
            request.secret_headers.push((name.clone(), Secret::new(value.clone())));
            request.secrets.push(Secret::new(value.clone()));
        }
    }
}

/// The credentials of a request.
#[derive(Default)]
struct Carried {
    headers: Vec<(String, Secret)>,
    secrets: Vec<Secret>,
    tls: Option<TlsOptions>,
}

impl Carried {
    fn bearer(token: Secret) -> Self {
        let value = Secret::new(format!("Bearer {}", token.expose()));
        Self { headers: vec![("Authorization".to_owned(), value)], secrets: vec![token], tls: None }
    }
}

/// The person's own token if the provider has an authenticator.
async fn token_of(
    parts: &PageFetchParts,
    provider: &SearchProvider,
    user: UserId,
) -> Result<Option<Secret>, PageError> {
    match (&provider.user_token, parts.plugins.authenticator_of(provider)) {
        (Some(token), _) => Ok(Some(token.clone())),
        (None, Some(authenticator)) => {
            let token = parts.tokens.access_token(user, authenticator).await;
            token.map(Some).map_err(|error| PageError::failed(error.to_string()).caused_by(error))
        }
        (None, None) => Ok(None),
    }
}

/// Credentials as a header. Those that are part of a query, or that answer a challenge, are not used for pages.
fn of_credentials(provider: &SearchProvider) -> Carried {
    let credentials = SourceCredentials::parse(&provider.credentials).unwrap_or_default();
    let header = match &credentials {
        SourceCredentials::Basic(login) => Some(("Authorization", basic(login))),
        SourceCredentials::Proxy(login) => Some(("Proxy-Authorization", basic(login))),
        SourceCredentials::Bearer { token, .. } => {
            Some(("Authorization", Secret::new(format!("Bearer {}", token.expose()))))
        }
        SourceCredentials::ApiKeyHeader(key) => Some(("X-Api-Key", key.clone())),
        _ => None,
    };
    let tls = match &credentials {
        SourceCredentials::Bearer { verify_certs, ca_certs, .. } if !verify_certs || ca_certs.is_some() => {
            Some(TlsOptions { verify: *verify_certs, ca_file: ca_certs.as_ref().map(PathBuf::from) })
        }
        _ => None,
    };
    let header = header.filter(|_| !credentials.need_session());
    let headers = header.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Carried { headers, secrets: credentials.secrets(), tls }
}

fn basic(login: &Login) -> Secret {
    let pair = format!("{}:{}", login.user, login.password.expose());
    Secret::new(format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(pair)))
}
