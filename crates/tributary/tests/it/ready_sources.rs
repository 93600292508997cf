//! The ready sources of `config/providers/`: each is a valid provider, and maps its sample response correctly.

use crate::sample_fetch::{Sample, SampleFetch};
use async_trait::async_trait;
use bytes::Bytes;
use domain::ids::{RunNumber, UserId};
use domain::ports::{
    Connector, ConnectorError, ConnectorErrorKind, Fetch, FetchError, HttpRequest, HttpResponse,
    NormalizedPage, PluginContext, ProviderQuery, ResultBatch, ResultContext,
};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::result::ResultItem;
use domain::search::{Search, SearchSpec, Sort};
use domain::secret::Secret;
use domain::settings::PluginSettings;
use domain::status::SearchStatus;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use testkit::clock::FixedClock;
use tributary::app::PLUGINS;
use tributary::bundled_providers::{self, ReadySource};

const QUERY: &str = "solid state";
/// Connectors that collect their rows from several HTTP responses.
const COLLECTED: [&str; 5] = ["Dropbox", "Gmail", "GoogleCalendar", "GoogleDrive", "McpTool"];

/// Sources with fewer than [`RESULTS_MIN`] results: their requests return no more, one answer is all there is, or what they
/// return is billed.
const WITH_FEWER_RESULTS: [&str; 10] = [
    "core",
    "dspace-repository",
    "duckduckgo-answers",
    "gen-ai",
    "google-programmable-search",
    "microsoft-learn",
    "new-york-times",
    "pinecone",
    "searxng",
    "tributary-cache",
];
/// How many results all other sources return in one request.
const RESULTS_MIN: u32 = 20;

/// An HTTP client that refuses every request: nothing leaves the machine in these tests.
struct NoWayOut;

#[async_trait]
impl Fetch for NoWayOut {
    async fn fetch(&self, request: &HttpRequest) -> Result<HttpResponse, FetchError> {
        panic!("{request:?} would have been sent");
    }
}

pub fn context() -> PluginContext {
    PluginContext::new(
        Arc::new(NoWayOut),
        Arc::new(FixedClock::default()),
        // The folder of a ready source may be anywhere.
        Arc::new(PluginSettings {
            filesystem_allow: vec!["/".to_owned()],
            sqlite_allow: vec!["/".to_owned()],
            ..PluginSettings::default()
        }),
    )
}

pub fn provider(source: &ReadySource) -> SearchProvider {
    SearchProvider::unsaved(source.spec.clone(), UserId(1), Default::default())
}

/// The sample response and its content type.
pub fn answer(slug: &str) -> (&'static str, Vec<u8>) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/sample_responses");
    [("json", "application/json"), ("xml", "application/xml")]
        .into_iter()
        .find_map(|(ending, kind)| Some((kind, std::fs::read(folder.join(format!("{slug}.{ending}"))).ok()?)))
        .unwrap_or_else(|| panic!("{slug} has no sample response"))
}

/// The sources with a sample response over HTTP.
pub fn over_http() -> Vec<ReadySource> {
    let all = bundled_providers::all().unwrap().into_iter();
    all.filter(|source| matches!(sample_response(&source.slug), Sample::Http(_))).collect()
}

/// A sample response for a source: rows if it is not queried over HTTP.
fn sample_response(slug: &str) -> Sample {
    let rows =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/sample_responses/{slug}.rows.json"));
    if let Ok(rows) = std::fs::read(rows) {
        let rows: Vec<Value> = serde_json::from_slice(&rows).expect("a list of rows");
        return Sample::Rows(rows);
    }
    let (content_type, body) = answer(slug);
    over_http_with(content_type, body)
}

fn over_http_with(content_type: &str, body: impl Into<Bytes>) -> Sample {
    Sample::Http(HttpResponse {
        status: 200,
        headers: vec![("content-type".to_owned(), content_type.to_owned())],
        body: body.into(),
    })
}

/// The mapped results, before any processor.
pub async fn map_results(source: &ReadySource) -> Vec<ResultItem> {
    process(source, &["MappingResultProcessor".to_owned()]).await
}

fn query(sort: Sort, page: u32) -> ProviderQuery<'static> {
    ProviderQuery {
        text: QUERY,
        sort,
        page,
        results_wanted: 20,
        asker: UserId(1),
        topic: domain::corpus::Topic::default(),
        vector: None,
        time_max: Duration::from_secs(5),
    }
}

/// The items of the sample response, as the connector returns them.
async fn sample_items(source: &ReadySource) -> Vec<Value> {
    let sample = match sample_response(&source.slug) {
        // The rows of a database, folder, model or cache are the items.
        Sample::Rows(rows) if !COLLECTED.contains(&source.spec.connector.as_str()) => return rows,
        sample => sample,
    };
    let page = fetch_page(source, sample).await;
    page.unwrap_or_else(|error| panic!("{}: {error}", source.slug)).items
}

/// The page that the connector makes of a response.
async fn fetch_page(source: &ReadySource, sample: Sample) -> Result<NormalizedPage, ConnectorError> {
    let fetch = Arc::new(SampleFetch::new(&source.spec.connector, sample));
    let connector = connector(source, &PluginContext { fetch, ..context() });
    let query = ProviderQuery { vector: Some(&[0.5]), ..query(Sort::Relevancy, 0) };
    connector.prepare(&query)?.execute().await?.normalize()
}

/// The connector of a source whose blanks are filled in.
fn connector(source: &ReadySource, context: &PluginContext) -> Box<dyn Connector> {
    // No host has a name such as `<your-domain>`.
    let fill = |text: &str| text.replace(['<', '>'], "");
    let spec = &source.spec;
    let spec = ProviderSpec {
        url: fill(&spec.url),
        query_template: fill(&spec.query_template),
        query_mappings: fill(&spec.query_mappings).into(),
        ..spec.clone()
    };
    let provider = SearchProvider {
        user_token: Some(Secret::new("token")),
        ..SearchProvider::unsaved(spec, UserId(1), Default::default())
    };
    let kind = PLUGINS.connector(&provider.spec.connector).expect("a known connector");
    (kind.build)(&provider, context).expect("it can be built")
}

/// The results after these processors, in this order.
async fn process(source: &ReadySource, processors: &[String]) -> Vec<ResultItem> {
    let (provider, context) = (provider(source), context());
    let raw = sample_items(source).await;
    let search = Search {
        id: Default::default(),
        owner: UserId(1),
        spec: SearchSpec::of_query(QUERY),
        query_string_processed: QUERY.to_owned(),
        status: SearchStatus::Federating,
        notices: Vec::new(),
        time_s: 0.0,
        run: RunNumber::FIRST,
        date_created: Default::default(),
        date_updated: Default::default(),
    };
    let cx = ResultContext {
        search: &search,
        provider: &provider,
        query: QUERY,
        results_wanted: 10,
        context: &context,
    };
    let mut batch = ResultBatch { raw, ..ResultBatch::default() };
    for name in processors {
        let kind = PLUGINS.result_processor(name).expect("a known processor");
        kind.processor.process(&mut batch, &cx).expect("it can be processed");
    }
    batch.items
}

#[test]
fn every_source_is_a_valid_provider() {
    let sources = bundled_providers::all().unwrap();
    assert!(sources.len() >= 45, "{} sources", sources.len());
    let names: BTreeSet<&str> = sources.iter().map(|source| source.spec.name.as_str()).collect();
    assert_eq!(names.len(), sources.len(), "names are unique");
    let mut keyless = 0;
    for source in &sources {
        let errors = PLUGINS.check_provider(&provider(source), &BTreeSet::new());
        assert!(errors.is_empty(), "{}: {errors}", source.slug);
        assert!(!source.spec.description.is_empty(), "{} says what it is", source.slug);
        let has_key = !source.spec.credentials.is_empty();
        assert!(!has_key || !source.spec.active, "{} is active with a placeholder for a key", source.slug);
        let needs = source.setup_needs(PLUGINS.connector(&source.spec.connector));
        assert!(!has_key || !needs.is_empty(), "{} needs a key and says it does not", source.slug);
        keyless += usize::from(needs.is_empty());
    }
    assert!(keyless >= 14, "{keyless} sources need no key");
}

/// Sources without placeholders build a request for both sort orders and two pages.
#[test]
fn every_keyless_source_builds_its_request() {
    for source in bundled_providers::all().unwrap().iter().filter(|source| source.spec.active) {
        let kind = PLUGINS.connector(&source.spec.connector).expect("a known connector");
        let connector = (kind.build)(&provider(source), &context()).expect("it can be built");
        for (sort, page) in [(Sort::Relevancy, 0), (Sort::Date, 1)] {
            let prepared = connector.prepare(&query(sort, page));
            let shown = prepared.unwrap_or_else(|error| panic!("{}: {error}", source.slug)).shown();
            assert!(shown.contains("solid") && !shown.contains("{query"), "{}: {shown}", source.slug);
        }
    }
}

/// Ranking chooses from more than it shows, so sources are asked for what they return in one request.
#[test]
fn sources_return_many_results_in_one_request() {
    for source in bundled_providers::all().unwrap() {
        let (slug, wanted) = (&source.slug, source.spec.results_per_query);
        let has_fewer = WITH_FEWER_RESULTS.contains(&slug.as_str());
        assert_eq!(wanted < RESULTS_MIN, has_fewer, "{slug}: {wanted} results");
    }
    for source in over_http() {
        let (slug, spec) = (&source.slug, &source.spec);
        let connector = connector(&source, &context());
        assert_eq!(connector.pages(spec.results_per_query), 1, "{slug}");
        let is_sized = spec.query_mappings.contains("PAGE_SIZE=");
        assert_eq!(
            is_sized,
            spec.query_template.contains("{PAGE_SIZE}"),
            "{slug} asks for the size of a page"
        );
        let first = ProviderQuery { vector: Some(&[0.5]), ..query(Sort::Relevancy, 0) };
        let shown = connector.prepare(&first).unwrap_or_else(|error| panic!("{slug}: {error}")).shown();
        assert!(!is_sized || shown.contains("=20"), "{slug}: {shown}");
    }
}

/// Sources that report their errors with status 200.
#[tokio::test]
async fn errors_with_status_200_are_errors() {
    const WIKI: &str = r#"{"error": {"code": "badvalue", "info": "Unrecognized value"}, "servedby": "mw1"}"#;
    const PMC: &str = r#"{"errCode": 404, "errMsg": "No such field"}"#;
    const ARXIV: &str = r#"<feed xmlns="http://www.w3.org/2005/Atom"
        xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"><title>ArXiv Query</title>
        <opensearch:totalResults>1</opensearch:totalResults>
        <entry><id>http://arxiv.org/api/errors#incorrect_id</id><title>Error</title>
        <summary>incorrect id format</summary><author><name>arXiv api core</name></author></entry></feed>"#;
    let json = "application/json";
    let cases = [
        ("arxiv", "application/atom+xml", ARXIV, "incorrect id format"),
        ("europe-pmc", json, PMC, "No such field"),
        ("internet-archive", json, r#"{"error": "[UNSUPPORTED_VALUE] q"}"#, "[UNSUPPORTED_VALUE] q"),
        ("pubmed", json, PMC, "No such field"),
        ("slack", json, r#"{"ok": false, "error": "invalid_auth"}"#, "invalid_auth"),
        ("wikidata", json, WIKI, "Unrecognized value"),
        ("wikimedia-commons", json, WIKI, "Unrecognized value"),
        ("wikipedia", json, WIKI, "Unrecognized value"),
    ];
    let sources = bundled_providers::all().unwrap();
    for (slug, content_type, body, said) in cases {
        let source = sources.iter().find(|source| source.slug == slug).expect("a ready source");
        let error = fetch_page(source, over_http_with(content_type, body)).await.expect_err(slug);
        assert_eq!(error.kind, ConnectorErrorKind::SourceError, "{slug}: {error}");
        assert_eq!(error.message, format!("the source reports: {said}"), "{slug}");
    }
}

/// Sources that report with status 200 that results are missing.
#[tokio::test]
async fn parts_with_status_200_are_parts() {
    let github =
        |is_part: bool| json!({"total_count": 1, "incomplete_results": is_part, "items": [{"id": 1}]});
    let solr = |is_part: bool| {
        let mut head = json!({"status": 0});
        if is_part {
            head["partialResults"] = json!(true);
            head["partialResultsDetails"] = json!("Limits exceeded!");
        }
        json!({"responseHeader": head, "response": {"numFound": 1, "docs": [{"id": "1"}]}})
    };
    let searxng = |is_part: bool| {
        let silent = if is_part { json!([["google", "timeout"]]) } else { json!([]) };
        json!({"results": [{"title": "River"}], "unresponsive_engines": silent})
    };
    let sources = bundled_providers::all().unwrap();
    for is_part in [true, false] {
        let cases = [
            ("github-code", github(is_part), "incomplete_results is true"),
            ("github-issues", github(is_part), "incomplete_results is true"),
            ("github-repositories", github(is_part), "incomplete_results is true"),
            ("solr", solr(is_part), "Limits exceeded!"),
            ("searxng", searxng(is_part), "google"),
        ];
        for (slug, body, said) in cases {
            let source = sources.iter().find(|source| source.slug == slug).expect("a ready source");
            let page =
                fetch_page(source, over_http_with("application/json", body.to_string())).await.expect(slug);
            assert_eq!(page.items.len(), 1, "{slug}");
            let told = page.missing.map(|error| error.message);
            assert_eq!(told, is_part.then(|| format!("the source reports: {said}")), "{slug}");
        }
    }
}

#[tokio::test]
async fn every_source_maps_its_sample_response() {
    for source in bundled_providers::all().unwrap() {
        let mut items = process(&source, &source.spec.result_processors).await;
        assert!(!items.is_empty(), "{} gives no results", source.slug);
        for item in &items {
            assert!(!item.title.trim().is_empty(), "{}: a result without a title: {item:?}", source.slug);
            let has_link = item.url.starts_with("http") || item.url.starts_with("file:");
            // A text by a model has no URL.
            let is_written = source.spec.connector == "GenAI";
            assert!(has_link || is_written, "{}: a result without a link: {item:?}", source.slug);
        }
        // The explanation of the ranking has its own tests.
        items.iter_mut().for_each(|item| item.explain = None);
        insta::with_settings!({snapshot_path => "snapshots/ready_sources", prepend_module_to_snapshot => false, omit_expression => true}, {
            insta::assert_json_snapshot!(source.slug.as_str(), items);
        });
    }
}
