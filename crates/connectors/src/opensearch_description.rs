//! OpenSearchDescription connector: a site that describes its search API in an OpenSearch description document.

use crate::shared::check::{Notations, read_notations, require_notations};
use crate::shared::http_source::{HttpSource, config_invalid};
use crate::shared::opensearch_description::description::{self, SearchUrl};
use crate::shared::opensearch_description::feed;
use crate::shared::opensearch_description::template::{self, UrlQuery};
use crate::shared::{http_check, page, response};
use domain::corpus::SourceKind;
use domain::ids::ProviderId;
use domain::parsed_text::ParsedText;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorErrorKind, ConnectorKind, HttpResponse, NormalizedPage,
    PluginContext, ProviderQuery, RequestDescription, ResultOrigin, SourceRequest, SourceResponse,
    TestTarget, TypedConnector,
};
use domain::provider::SearchProvider;
use domain::provider_config::ConfigField;
use domain::search::Sort;
use domain::validation::FieldErrors;
use serde::Deserialize;
use serde_json::json;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};
use syntax::error::SyntaxError;
use syntax::query_mappings::PAGE_SIZE;
use url::Url;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "OpenSearchDescription",
    module: "opensearch_description",
    summary: "A site with an OpenSearch description that returns RSS, Atom or JSON.",
    capability: Capability { page: true, date_sort: false, not: true },
    settings: &[
        "url",
        "query_mappings",
        "response_mappings",
        "result_mappings",
        "credentials",
        "http_request_headers",
        "results_per_query",
        "config",
    ],
    authenticator: None,
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Web,
    test_target: TestTarget::Fake,
    check,
    build,
};

/// Most additional hosts that a description may send queries to.
const HOSTS_MAX: usize = 20;

struct OpenSearchDescription {
    source: HttpSource,
    provider: ProviderId,
    address: String,
    hosts: Vec<String>,
    language: String,
    notations: Notations,
    has_result_mappings: bool,
    context: PluginContext,
}

impl fmt::Debug for OpenSearchDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenSearchDescription").field("source", &self.source).finish_non_exhaustive()
    }
}

fn check(provider: &SearchProvider) -> FieldErrors {
    let mut errors = http_check::check(&plain(provider)).1;
    read_notations(provider, &mut errors);
    let config = DescriptionConfig::of(provider);
    if let Err(sentence) = config.hosts() {
        errors.add("config", sentence);
    }
    errors.check(!config.language.is_invalid(), "config", || {
        "swirl.open_search_description.language: a text such as en is needed.".to_owned()
    });
    errors
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let config = DescriptionConfig::of(provider);
    Ok(OpenSearchDescription {
        source: HttpSource::new(&plain(provider), context)?,
        provider: provider.id,
        address: provider.spec.url.trim().to_owned(),
        hosts: config.hosts().map_err(|error| ConnectorError::of_syntax("config", error))?,
        language: config.language.valid().unwrap_or_else(|| "*".to_owned()),
        notations: require_notations(provider)?,
        has_result_mappings: !provider.spec.result_mappings.trim().is_empty(),
        context: context.clone(),
    }
    .boxed())
}

/// The provider as a plain HTTP source: its address is that of the description.
fn plain(provider: &SearchProvider) -> SearchProvider {
    let mut plain = provider.clone();
    plain.spec.query_template = "{url}".to_owned();
    plain.spec.query_mappings = ParsedText::default();
    plain
}

/// `config.swirl.open_search_description` of a provider.
#[derive(Default, Deserialize)]
#[serde(default)]
struct DescriptionConfig {
    hosts: ConfigField<Vec<String>>,
    language: ConfigField<String>,
}

impl DescriptionConfig {
    fn of(provider: &SearchProvider) -> Self {
        provider.spec.config.block("open_search_description")
    }

    /// Additional hosts that the description may point to.
    fn hosts(&self) -> Result<Vec<String>, SyntaxError> {
        match &self.hosts {
            ConfigField::Missing => Ok(Vec::new()),
            ConfigField::Valid(names) if names.len() <= HOSTS_MAX => {
                Ok(names.iter().map(|name| name.to_ascii_lowercase()).collect())
            }
            ConfigField::Valid(_) | ConfigField::Invalid => Err(SyntaxError::new(format!(
                "swirl.open_search_description.hosts: a list of at most {HOSTS_MAX} host names is needed."
            ))),
        }
    }
}

impl TypedConnector for OpenSearchDescription {
    type Request = SiteQuery;
    type Response = SitePage;

    fn capability(&self) -> Capability {
        let mappings = &self.notations.query_mappings;
        Capability { page: true, date_sort: false, not: mappings.not() || mappings.not_char().is_some() }
    }

    fn pages(&self, results_wanted: u32) -> u32 {
        results_wanted.div_ceil(PAGE_SIZE).max(1)
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<SiteQuery, ConnectorError> {
        Ok(SiteQuery {
            host: self.address()?.host_str().unwrap_or_default().to_owned(),
            text: query.text.to_owned(),
            page: query.page,
            language: self.language.clone(),
            results_wanted: query.results_wanted,
            time_max: query.time_max,
        })
    }

    async fn execute(&self, query: &SiteQuery) -> Result<SitePage, ConnectorError> {
        let started = Instant::now();
        let urls = self.description(query.time_max).await?;
        let has_mappings = self.notations.response_mappings.results.is_some();
        let Some(url) = description::choose(&urls, has_mappings) else {
            let message = "the description offers only JSON, which needs RESULTS in response_mappings";
            return Err(config_invalid(message));
        };
        if query.page > 0 && !template::has_pages(&url.template) {
            return Ok(SitePage(None));
        }
        let SiteQuery { text, page, language, results_wanted, time_max, .. } = query;
        let url_query = UrlQuery { text, page: *page, results_wanted: *results_wanted, language };
        let address = self.filled(url, &url_query)?;
        let time_left = time_max.saturating_sub(started.elapsed());
        self.fetch(address, time_left).await.map(|http| SitePage(Some(http)))
    }

    fn normalize(&self, SitePage(response): SitePage) -> Result<NormalizedPage, ConnectorError> {
        let Some(http) = response else { return Ok(NormalizedPage::default()) };
        let answer = response::read(&http, self.context.clock.now())?;
        let mut page = match feed::entries(&answer) {
            Some(page) => page,
            None => page::take_apart(answer, &self.notations.response_mappings)?,
        };
        if !self.has_result_mappings {
            page.items = page.items.iter().map(feed::result).collect();
        }
        Ok(page)
    }
}

/// A query to a site, whose description decides the request.
#[derive(Debug)]
struct SiteQuery {
    host: String,
    text: String,
    page: u32,
    language: String,
    results_wanted: u32,
    time_max: Duration,
}

impl SourceRequest for SiteQuery {
    fn description(&self) -> RequestDescription<'_> {
        let body = json!({"searchTerms": self.text, "page": self.page, "language": self.language});
        let rows_max = self.results_wanted;
        RequestDescription::Command { place: &self.host, body: Cow::Owned(body), rows_max }
    }
}

/// A page of results; None if the site has only one page.
#[derive(Debug, Clone)]
struct SitePage(Option<HttpResponse>);

impl SourceResponse for SitePage {
    fn unparsed(&self) -> Option<&HttpResponse> {
        self.0.as_ref()
    }
}

impl OpenSearchDescription {
    fn address(&self) -> Result<Url, ConnectorError> {
        http_check::web_address(&self.address).map_err(config_invalid)
    }

    /// The search URLs of the site, fetched at most once an hour.
    async fn description(&self, time_max: Duration) -> Result<Arc<Vec<SearchUrl>>, ConnectorError> {
        let key = format!("{} {}", self.provider.0, self.address);
        if let Some(cached) = description::cached(&key) {
            return if time_max.is_zero() { Err(too_late()) } else { Ok(cached) };
        }
        let answer = self.fetch(self.address()?, time_max).await?;
        let text = response::text(&answer, self.context.clock.now()).map_err(not_there)?;
        let urls = description::parse(&text).map_err(|error| {
            ConnectorError::new(ConnectorErrorKind::Unreadable, error.message()).caused_by(error)
        })?;
        let urls = Arc::new(urls);
        description::cache(key, &urls);
        Ok(urls)
    }

    /// The URL to query. The site controls the description, so its target host is checked.
    fn filled(&self, url: &SearchUrl, query: &UrlQuery<'_>) -> Result<Url, ConnectorError> {
        if !template::holds_terms(&url.template) {
            let message = "the URL in the description has no searchTerms parameter";
            return Err(ConnectorError::new(ConnectorErrorKind::Unreadable, message));
        }
        let unreadable = |error: SyntaxError| {
            ConnectorError::new(ConnectorErrorKind::Unreadable, error.message()).caused_by(error)
        };
        let text = template::fill(url, query).map_err(unreadable)?;
        let steady = template::fill(url, &UrlQuery { text: "", ..*query }).map_err(unreadable)?;
        let description = self.address()?;
        let join =
            |text: &str| description.join(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let (Some(address), Some(steady)) = (join(&text), join(&steady)) else {
            return Err(unreadable("the URL in the description is not valid".into()));
        };
        let host = address.host_str().unwrap_or_default().to_ascii_lowercase();
        let is_own = address.host_str() == description.host_str();
        let is_steady = address.origin() == steady.origin();
        if !is_steady || (!is_own && !self.hosts.contains(&host)) {
            let message = format!(
                "the description points to the host {host}, which config.swirl.open_search_description.hosts does not allow"
            );
            return Err(ConnectorError::new(ConnectorErrorKind::AddressRefused, message));
        }
        Ok(address)
    }

    async fn fetch(&self, address: Url, time_max: Duration) -> Result<HttpResponse, ConnectorError> {
        if time_max.is_zero() {
            return Err(too_late());
        }
        let query = ProviderQuery {
            text: "",
            sort: Sort::Relevancy,
            page: 0,
            results_wanted: 1,
            asker: domain::ids::UserId(1),
            topic: domain::corpus::Topic::default(),
            vector: None,
            time_max,
        };
        let request = self.source.get_url(address, &query)?;
        self.source.send(&request).await
    }
}

/// A 404 for the address is an error in the provider, not in the query.
fn not_there(error: ConnectorError) -> ConnectorError {
    match error.kind {
        ConnectorErrorKind::QueryInvalid => {
            let message = format!("the description cannot be fetched: {}", error.message);
            ConnectorError::new(ConnectorErrorKind::PlaceUnknown, message)
        }
        _ => error,
    }
}

fn too_late() -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::Timeout, "the source did not answer in time")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::fixtures::{config_errors, provider_at};

    #[test]
    fn its_block_is_read_and_wrong_values_are_named() {
        let hosts = || {
            let wanted = "swirl.open_search_description.hosts: a list of at most 20 host names is needed.";
            vec![wanted.to_owned()]
        };
        let language =
            || vec!["swirl.open_search_description.language: a text such as en is needed.".to_owned()];
        let names = |count: usize| vec!["a.example".to_owned(); count];
        let table = [
            (json!(null), Some(names(0)), None, Vec::new()),
            (json!([["a.example"], "en"]), Some(names(0)), None, Vec::new()),
            (json!({}), Some(names(0)), None, Vec::new()),
            (json!({"hosts": ["A.example"], "language": "en"}), Some(names(1)), Some("en"), Vec::new()),
            (json!({"hosts": names(20)}), Some(names(20)), None, Vec::new()),
            (json!({"hosts": names(21)}), None, None, hosts()),
            (json!({"hosts": "a.example"}), None, None, hosts()),
            (json!({"hosts": ["a.example", 7]}), None, None, hosts()),
            (json!({"hosts": null}), None, None, hosts()),
            (json!({"language": ""}), Some(names(0)), Some(""), Vec::new()),
            (json!({"language": 7}), Some(names(0)), None, language()),
            (json!({"language": ["en"], "hosts": {}}), None, None, [hosts(), language()].concat()),
        ];
        for (block, read, spoken, expected) in table {
            let provider = provider_at("https://site.example/osdd.xml", "open_search_description", &block);
            let config = DescriptionConfig::of(&provider);
            assert_eq!(config.hosts().ok(), read, "{block}");
            assert_eq!(config.language.valid().as_deref(), spoken, "{block}");
            assert_eq!(config_errors(check(&provider)), expected, "{block}");
        }
    }
}
