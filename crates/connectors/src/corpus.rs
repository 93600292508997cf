//! TributaryCorpusConnector: the semantic cache as a provider; each user gets only what they may see.

use crate::shared::check::read_notations;
use async_trait::async_trait;
use domain::corpus::{CONNECTOR_NAME, Topic};
use domain::ids::UserId;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorErrorKind, ConnectorKind, CorpusError, CorpusErrorKind,
    CorpusHit, CorpusQuery, NormalizedPage, PluginContext, ProviderQuery, ResultOrigin, SourceQuery,
    SourceResponse, TestTarget,
};
use domain::provider::SearchProvider;
use domain::validation::FieldErrors;
use serde_json::{Value, json};
use std::fmt;
use std::sync::{Mutex, PoisonError};

pub const KIND: ConnectorKind = ConnectorKind {
    name: CONNECTOR_NAME,
    module: "corpus",
    summary: "The semantic cache: documents of earlier searches, limited to what the user may see.",
    capability: Capability { page: false, date_sort: false, not: false },
    settings: &["result_mappings"],
    authenticator: None,
    origin: ResultOrigin::Corpus,
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
    Ok(Box::new(TributaryCorpus { context: context.clone(), remarks: Mutex::default() }))
}

#[async_trait]
impl Connector for TributaryCorpus {
    fn capability(&self) -> Capability {
        KIND.capability
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<SourceQuery, ConnectorError> {
        Ok(SourceQuery::Command {
            place: "the semantic cache".to_owned(),
            body: json!([query.text, query.asker, query.topic.query, query.topic.tags]),
            rows_max: query.results_wanted,
            time_max: query.time_max,
        })
    }

    async fn execute(&self, built: &SourceQuery) -> Result<SourceResponse, ConnectorError> {
        let SourceQuery::Command { body, rows_max, time_max, .. } = built else { return Err(other_kind()) };
        // Without a user there is nothing to return.
        let (Some(words), Some(asker)) = (body[0].as_str(), body[1].as_i64()) else {
            return Err(other_kind());
        };
        let results_max = usize::try_from(*rows_max).unwrap_or(usize::MAX);
        let tags: Vec<String> = serde_json::from_value(body[3].clone()).unwrap_or_default();
        let topic = Topic { query: body[2].as_str().unwrap_or_default(), tags: &tags };
        let question = CorpusQuery { asker: UserId(asker), words, topic, results_max };
        let answer = tokio::time::timeout(*time_max, self.context.corpus.search(question)).await;
        let answer = answer
            .map_err(|_late| {
                ConnectorError::new(ConnectorErrorKind::Timeout, "the cache did not answer in time")
            })?
            .map_err(failed)?;
        *self.remarks.lock().unwrap_or_else(PoisonError::into_inner) = answer.remarks;
        let rows: Vec<Value> = answer.hits.into_iter().map(row).collect();
        Ok(SourceResponse::Rows { found: rows.len() as u64, rows })
    }

    fn normalize(&self, response: SourceResponse) -> Result<NormalizedPage, ConnectorError> {
        let SourceResponse::Rows { found, rows } = response else { return Err(other_kind()) };
        Ok(NormalizedPage { found: Some(found), retrieved: Some(rows.len() as u64), items: rows })
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
    ConnectorError::new(kind, error.message())
}

/// The best passage becomes the body, the others go to the payload, and `cache` becomes the cache status of the result.
fn row(hit: CorpusHit) -> Value {
    let CorpusHit { signal, status, score, passages, debug } = hit;
    let mut passages = passages.into_iter();
    let mut row = json!({
        "title": signal.title,
        "url": signal.url,
        "body": passages.next().unwrap_or_default(),
        "author": signal.author,
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

fn other_kind() -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::ConfigInvalid, "the query was built for another kind of source")
}
