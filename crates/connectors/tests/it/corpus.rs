//! TributaryCorpusConnector against a fake corpus that records its users.

use crate::fixture::{answer, context, provider, query};
use async_trait::async_trait;
use domain::corpus::{CacheStatus, Liveness, Origin, Signal, SignalState, SourceKind, Topic, VersionStatus};
use domain::ids::{ProviderId, RunId, SignalId, UserId};
use domain::instant::Instant;
use domain::ports::{
    ConnectorErrorKind, ConnectorKind, Corpus, CorpusError, CorpusErrorKind, CorpusHit, CorpusQuery,
    CorpusResults, DocumentRequest, PageText, PluginContext, ProviderQuery, VersionQuery,
};
use domain::provider::ProviderSpec;
use domain::result::ResultItem;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use testkit::builders::notice;

/// Returns the same two documents for everybody, or fails, or never responds.
struct FakeCorpus {
    asked: Mutex<Vec<(UserId, String, usize)>>,
    behavior: CorpusBehavior,
}

#[derive(Clone, Copy, PartialEq)]
enum CorpusBehavior {
    Well,
    Failing,
    Slow,
}

#[async_trait]
impl Corpus for FakeCorpus {
    fn is_open(&self) -> bool {
        true
    }
    async fn search(&self, question: CorpusQuery<'_>) -> Result<CorpusResults, CorpusError> {
        let CorpusQuery { asker, words, results_max, .. } = question;
        self.asked.lock().expect("a list").push((asker, words.to_owned(), results_max));
        match self.behavior {
            CorpusBehavior::Well => {
                Ok(CorpusResults { hits: vec![hit(1), hit(2)], remarks: vec!["two".to_owned()] })
            }
            CorpusBehavior::Failing => {
                Err(CorpusError::new(CorpusErrorKind::Outdated, "missing sparse vector"))
            }
            CorpusBehavior::Slow => std::future::pending().await,
        }
    }
    async fn cache_statuses(
        &self,
        _asker: UserId,
        _topic: Option<Topic<'_>>,
        _signals: &[SignalId],
    ) -> Result<BTreeMap<SignalId, CacheStatus>, CorpusError> {
        Ok(BTreeMap::new())
    }
    async fn versions(
        &self,
        _asked: VersionQuery<'_>,
    ) -> Result<BTreeMap<SignalId, VersionStatus>, CorpusError> {
        Ok(BTreeMap::new())
    }
    async fn rejected(&self, _runs: &[RunId]) -> Result<BTreeSet<RunId>, CorpusError> {
        Ok(BTreeSet::new())
    }
    async fn recheck(&self, _asker: UserId, _marks: &mut BTreeMap<SignalId, CacheStatus>) {}
    async fn text(&self, _wanted: &DocumentRequest<'_>) -> Option<PageText> {
        None
    }
    async fn keep(&self, _wanted: &DocumentRequest<'_>, _text: &PageText, _origin: Origin) {}
    async fn denied(&self, _wanted: &DocumentRequest<'_>) {}
    async fn promote(&self, _owner: UserId, _tags: &[String], _results: &[(ProviderId, ResultItem)]) {}
}

fn hit(id: i64) -> CorpusHit {
    let signal = Signal {
        signal_id: SignalId(id),
        url: format!("https://a.example/{id}"),
        url_hash: String::new(),
        source_provider_id: None,
        source_provider: "Wiki".to_owned(),
        source_kind: SourceKind::Wiki,
        external_id: "secret of the source".to_owned(),
        external_version: String::new(),
        title: format!("Document {id}"),
        author: "Ann".to_owned(),
        mime: String::new(),
        ext: String::new(),
        size: 0,
        language: String::new(),
        content_hash: String::new(),
        simhash: String::new(),
        state: SignalState::Indexed,
        origin: Origin::Rag,
        matter_tags: Vec::new(),
        is_supplied: false,
        date_published: "2024-03-05".to_owned(),
        first_seen: Instant::UNIX_EPOCH,
        indexed_at: None,
        last_verified: None,
        last_retrieved: Instant::UNIX_EPOCH,
        liveness: Liveness::Alive,
        liveness_checked: None,
        liveness_http: None,
        lineage_id: None,
        version_label: String::new(),
        supersedes: None,
        superseded_by: None,
        chunk_count: 3,
        embedding_model: String::new(),
        embedding_dim: 0,
        body_key: None,
        body_bytes: 0,
        body_expires: None,
        rejections: 0,
        file_bytes: 0,
        notices: vec![notice("the source said no")],
    };
    let status = CacheStatus::of(&signal, Instant::UNIX_EPOCH, Duration::from_secs(60));
    let passages = ["the <b> best", "second", "third"].map(str::to_owned).to_vec();
    CorpusHit { signal, status, score: 0.75, passages, debug: (id == 1).then(|| json!({"cosine": 0.5})) }
}

fn kind() -> &'static ConnectorKind {
    connectors::CATALOGUE.iter().find(|kind| kind.name == "TributaryCorpusConnector").expect("the connector")
}

fn corpus_fixture(behavior: CorpusBehavior) -> (Arc<FakeCorpus>, PluginContext) {
    let corpus = Arc::new(FakeCorpus { asked: Mutex::default(), behavior });
    (Arc::clone(&corpus), PluginContext { corpus, ..context(answer("", "")) })
}

#[tokio::test]
async fn the_cache_is_asked_for_the_asker() {
    let (corpus, context) = corpus_fixture(CorpusBehavior::Well);
    let connector = (kind().build)(&provider(ProviderSpec::default()), &context).expect("a connector");
    let built = connector.prepare(&ProviderQuery { asker: UserId(7), results_wanted: 4, ..query("rivers") });
    let answered = built.expect("a query").execute().await.expect("an answer");
    let page = answered.normalize().expect("a page");
    assert_eq!(*corpus.asked.lock().expect("a list"), [(UserId(7), "rivers".to_owned(), 4)]);
    assert_eq!((page.found, page.retrieved, page.items.len()), (Some(2), Some(2), 2));
    let (first, second) = (&page.items[0], &page.items[1]);
    assert_eq!(
        (&first["body"], &first["passages"]),
        (&json!("the &lt;b> best"), &json!(["second", "third"]))
    );
    assert_eq!((&first["cache"]["signal_id"], &first["cache"]["badge"]), (&json!(1), &json!("Cached")));
    assert_eq!((&first["cache_debug"], second.get("cache_debug")), (&json!({"cosine": 0.5}), None));
    assert!(!page.items.iter().any(|item| item.to_string().contains("secret of the source")));
    assert_eq!((connector.remarks(), connector.remarks()), (vec!["two".to_owned()], vec![]), "said once");
}

#[tokio::test(start_paused = true)]
async fn failures_are_told() {
    for (behavior, expected) in [
        (CorpusBehavior::Failing, (ConnectorErrorKind::Unavailable, "missing sparse vector")),
        (CorpusBehavior::Slow, (ConnectorErrorKind::Timeout, "the cache did not answer in time")),
    ] {
        let (_, context) = corpus_fixture(behavior);
        let connector = (kind().build)(&provider(ProviderSpec::default()), &context).expect("a connector");
        let built = connector.prepare(&query("rivers")).expect("a query");
        let error = built.execute().await.expect_err("a failure");
        assert_eq!((error.kind, error.message.as_str()), expected);
    }
}
