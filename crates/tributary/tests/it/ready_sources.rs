//! The ready sources of `config/providers/`: each is a valid provider, and maps its made-up answer as it should.

use async_trait::async_trait;
use bytes::Bytes;
use domain::contracts::{
    Fetch, FetchError, HttpRequest, HttpResponse, PluginContext, ProviderQuery, ResultBatch, ResultContext,
    SourceResponse,
};
use domain::ids::UserId;
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use domain::search::{Search, SearchSpec, Sort};
use domain::settings::Settings;
use domain::status::SearchStatus;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use testkit::clock::FixedClock;
use tributary::ready::{self, ReadySource};
use tributary::wiring::PLUGINS;

const QUERY: &str = "solid state";

/// Nothing leaves the machine in these tests.
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
        // A folder of a ready source may be anywhere.
        Arc::new(Settings {
            filesystem_allow: vec!["/".to_owned()],
            sqlite_allow: vec!["/".to_owned()],
            ..Settings::default()
        }),
    )
}

pub fn provider(source: &ReadySource) -> SearchProvider {
    SearchProvider::unsaved(source.spec.clone(), UserId(1), Default::default())
}

/// The made-up answer and its content type.
pub fn answer(slug: &str) -> (&'static str, Vec<u8>) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/made_up_answers");
    [("json", "application/json"), ("xml", "application/xml")]
        .into_iter()
        .find_map(|(ending, kind)| Some((kind, std::fs::read(folder.join(format!("{slug}.{ending}"))).ok()?)))
        .unwrap_or_else(|| panic!("{slug} has no made-up answer"))
}

/// The sources whose made-up answers come over HTTP.
pub fn over_http() -> Vec<ReadySource> {
    let all = ready::all().unwrap().into_iter();
    all.filter(|source| matches!(made_up(&source.slug), SourceResponse::Http(_))).collect()
}

/// What the source of a slug might answer: rows for one that is not asked over HTTP.
fn made_up(slug: &str) -> SourceResponse {
    let rows =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/made_up_answers/{slug}.rows.json"));
    if let Ok(rows) = std::fs::read(rows) {
        let rows: Vec<serde_json::Value> = serde_json::from_slice(&rows).expect("a list of rows");
        return SourceResponse::Rows { found: rows.len() as u64, rows };
    }
    let (content_type, body) = answer(slug);
    SourceResponse::Http(HttpResponse {
        status: 200,
        headers: vec![("content-type".to_owned(), content_type.to_owned())],
        body: Bytes::from(body),
    })
}

/// The results in our schema, before anything else is done to them.
pub async fn mapped(source: &ReadySource) -> Vec<ResultItem> {
    process(source, &["MappingResultProcessor".to_owned()]).await
}

/// The results after these processors, in this order.
async fn process(source: &ReadySource, processors: &[String]) -> Vec<ResultItem> {
    let (provider, context) = (provider(source), context());
    let kind = PLUGINS.connector(&source.spec.connector).expect("a known connector");
    let connector = (kind.build)(&provider, &context).expect("it can be built");
    let page = connector.normalize(made_up(&source.slug)).expect("a readable answer");
    let search = Search {
        id: Default::default(),
        owner: UserId(1),
        spec: SearchSpec::of_query(QUERY),
        query_string_processed: QUERY.to_owned(),
        status: SearchStatus::Federating,
        messages: Vec::new(),
        time_s: 0.0,
        run: 1,
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
    let mut batch = ResultBatch { raw: page.items, ..ResultBatch::default() };
    for name in processors {
        let kind = PLUGINS.result_processor(name).expect("a known processor");
        kind.processor.process(&mut batch, &cx).await.expect("it can be processed");
    }
    batch.items
}

#[test]
fn every_source_is_a_valid_provider() {
    let sources = ready::all().unwrap();
    assert!(sources.len() >= 45, "{} sources", sources.len());
    let names: BTreeSet<&str> = sources.iter().map(|source| source.spec.name.as_str()).collect();
    assert_eq!(names.len(), sources.len(), "names are unique");
    for source in &sources {
        let errors = PLUGINS.check_provider(&provider(source), &BTreeSet::new());
        assert!(errors.is_empty(), "{}: {errors}", source.slug);
        assert!(!source.spec.description.is_empty(), "{} says what it is", source.slug);
        let has_key = !source.spec.credentials.is_empty();
        assert!(!has_key || !source.spec.active, "{} is active with a placeholder for a key", source.slug);
        assert!(!has_key || source.needs_filling(), "{} needs a key and says it does not", source.slug);
    }
    let keyless = sources.iter().filter(|source| !source.needs_filling()).count();
    assert!(keyless >= 14, "{keyless} sources need no key");
}

/// Those without blanks to fill in build a request for both sorts and two pages.
#[test]
fn every_keyless_source_builds_its_request() {
    for source in ready::all().unwrap().iter().filter(|source| source.spec.active) {
        let kind = PLUGINS.connector(&source.spec.connector).expect("a known connector");
        let connector = (kind.build)(&provider(source), &context()).expect("it can be built");
        for (sort, page) in [(Sort::Relevancy, 0), (Sort::Date, 1)] {
            let time_max = Duration::from_secs(5);
            let query = ProviderQuery {
                text: QUERY,
                sort,
                page,
                results_wanted: 20,
                asker: domain::ids::UserId(1),
                topic: domain::corpus::Topic::default(),
                vector: None,
                time_max,
            };
            let built =
                connector.construct(&query).unwrap_or_else(|error| panic!("{}: {error}", source.slug));
            connector.validate(&built).unwrap_or_else(|error| panic!("{}: {error}", source.slug));
            let shown = built.shown();
            assert!(shown.contains("solid") && !shown.contains('{'), "{}: {shown}", source.slug);
        }
    }
}

#[tokio::test]
async fn every_source_shows_its_made_up_answer() {
    for source in ready::all().unwrap() {
        let mut items = process(&source, &source.spec.result_processors).await;
        assert!(!items.is_empty(), "{} gives no results", source.slug);
        for item in &items {
            assert!(!item.title.trim().is_empty(), "{}: a result without a title: {item:?}", source.slug);
            let has_link = item.url.starts_with("http") || item.url.starts_with("file:");
            // What a model says is nowhere.
            let is_written = source.spec.connector == "GenAI";
            assert!(has_link || is_written, "{}: a result without a link: {item:?}", source.slug);
        }
        // What the ranking says of a result has tests of its own.
        items.iter_mut().for_each(|item| item.explain = None);
        insta::with_settings!({snapshot_path => "snapshots/ready_sources", prepend_module_to_snapshot => false, omit_expression => true}, {
            insta::assert_json_snapshot!(source.slug.as_str(), items);
        });
    }
}
