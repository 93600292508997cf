//! TributaryCorpusConnector: the semantic cache as a provider; each user gets only what they may see.

use crate::shared::check::read_notations;
use domain::corpus::{CONNECTOR_NAME, SourceKind, Topic};
use domain::ids::UserId;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorErrorKind, ConnectorKind, CorpusError, CorpusErrorKind,
    CorpusHit, CorpusQuery, NormalizedPage, PluginContext, ProviderQuery, RequestDescription, ResultOrigin,
    SourceRequest, TestTarget, TypedConnector,
};
use domain::provider::SearchProvider;
use domain::validation::FieldErrors;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use syntax::strip_html::readable_plain;

pub const KIND: ConnectorKind = ConnectorKind {
    name: CONNECTOR_NAME,
    module: "corpus",
    summary: "The semantic cache: documents of earlier searches, limited to what the user may see.",
    capability: Capability { page: false, date_sort: false, not: false },
    settings: &["result_mappings"],
    authenticator: None,
    origin: ResultOrigin::Corpus,
    source_kind: SourceKind::Web,
    test_target: TestTarget::Product("the cache itself"),
    check,
    build,
};

struct TributaryCorpus {
    context: PluginContext,
    remarks: Mutex<Vec<String>>,
}

impl fmt::Debug for TributaryCorpus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TributaryCorpus").finish_non_exhaustive()
    }
}

fn check(provider: &SearchProvider) -> FieldErrors {
    let mut errors = FieldErrors::default();
    let _only_read = read_notations(provider, &mut errors);
    errors
}

fn build(_provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    Ok(TributaryCorpus { context: context.clone(), remarks: Mutex::default() }.boxed())
}

impl TypedConnector for TributaryCorpus {
    type Request = CacheQuery;
    type Response = Vec<CorpusHit>;

    fn capability(&self) -> Capability {
        KIND.capability
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<CacheQuery, ConnectorError> {
        Ok(CacheQuery {
            text: query.text.to_owned(),
            asker: query.asker,
            topic_query: query.topic.query.to_owned(),
            topic_tags: query.topic.tags.to_vec(),
            results_max: query.results_wanted,
            time_max: query.time_max,
        })
    }

    async fn execute(&self, query: &CacheQuery) -> Result<Vec<CorpusHit>, ConnectorError> {
        let question = CorpusQuery {
            asker: query.asker,
            words: &query.text,
            topic: Topic { query: &query.topic_query, tags: &query.topic_tags },
            results_max: usize::try_from(query.results_max).unwrap_or(usize::MAX),
        };
        let answer = tokio::time::timeout(query.time_max, self.context.corpus.search(question)).await;
        let answer = answer
            .map_err(|_late| {
                ConnectorError::new(ConnectorErrorKind::Timeout, "the cache did not answer in time")
            })?
            .map_err(failed)?;
        *self.remarks.lock().unwrap_or_else(PoisonError::into_inner) = answer.remarks;
        Ok(answer.hits)
    }

    fn normalize(&self, hits: Vec<CorpusHit>) -> Result<NormalizedPage, ConnectorError> {
        let count = Some(hits.len() as u64);
        let items = hits.into_iter().map(row).collect();
        Ok(NormalizedPage { found: count, retrieved: count, items, missing: None })
    }

    fn remarks(&self) -> Vec<String> {
        std::mem::take(&mut self.remarks.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn failed(error: CorpusError) -> ConnectorError {
    let kind = match error.kind {
        CorpusErrorKind::Timeout => ConnectorErrorKind::Timeout,
        CorpusErrorKind::Unavailable | CorpusErrorKind::Outdated => ConnectorErrorKind::Unavailable,
    };
    ConnectorError::new(kind, error.message()).caused_by(error)
}

/// A search in the documents that the user may see.
#[derive(Debug)]
struct CacheQuery {
    text: String,
    asker: UserId,
    topic_query: String,
    topic_tags: Vec<String>,
    results_max: u32,
    time_max: Duration,
}

impl SourceRequest for CacheQuery {
    fn description(&self) -> RequestDescription<'_> {
        let topic = json!({"query": self.topic_query, "tags": self.topic_tags});
        let body = json!({"query": self.text, "user": self.asker, "topic": topic});
        let (place, rows_max) = ("the semantic cache", self.results_max);
        RequestDescription::Command { place, body: Cow::Owned(body), rows_max }
    }
}

/// The best passage becomes the body, the others go to the payload, and `cache` becomes the cache status of the result.
fn row(hit: CorpusHit) -> Value {
    let CorpusHit { signal, status, score, passages, debug } = hit;
    let mut passages = passages.into_iter();
    // Neither titles nor texts of documents have markup any more.
    let best = passages.next().unwrap_or_default();
    let mut row = json!({
        "title": readable_plain(&signal.title),
        "url": signal.url,
        "body": readable_plain(&best),
        "author": readable_plain(&signal.author),
        "date_published": signal.date_published,
        "cache": status,
        "passages": passages.collect::<Vec<String>>(),
        "source_provider": signal.source_provider,
        "similarity": score,
        "version_label": signal.version_label,
    });
    if let (Some(debug), Some(row)) = (debug, row.as_object_mut()) {
        row.insert("cache_debug".to_owned(), debug);
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_is_shown_with_its_parts() {
        let query = CacheQuery {
            text: "copper".to_owned(),
            asker: UserId(1),
            topic_query: "copper price".to_owned(),
            topic_tags: vec!["matter:7".to_owned()],
            results_max: 10,
            time_max: Duration::from_secs(1),
        };
        let expected = r#"{"query":"copper","user":1,"topic":{"query":"copper price","tags":["matter:7"]}}"#;
        assert_eq!(query.shown(), expected);
    }
}
