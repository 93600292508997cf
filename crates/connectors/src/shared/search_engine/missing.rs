//! What successful responses of search engines say about results that are missing.

use super::source_error;
use domain::ports::{ConnectorError, ConnectorErrorKind};
use serde_json::Value;

/// Of a response of the Elasticsearch family: a timeout, shards that failed, or clusters that did not answer in full.
pub fn of_shards(answer: &Value) -> Option<ConnectorError> {
    if answer.get("timed_out") == Some(&Value::Bool(true)) {
        return Some(source_error(
            ConnectorErrorKind::Timeout,
            "the search timed out before all shards were searched",
        ));
    }
    let count = |path: &str| answer.pointer(path).and_then(Value::as_u64).unwrap_or_default();
    let (failed, total) = (count("/_shards/failed"), count("/_shards/total"));
    if failed > 0 {
        let failure = answer.pointer("/_shards/failures/0/reason");
        let said = failure.and_then(|failure| failure.get("reason")?.as_str()).unwrap_or_default();
        let said = if said.is_empty() { String::new() } else { format!(": {said}") };
        let sentence = format!("{failed} of {total} shards failed{said}");
        return Some(source_error(ConnectorErrorKind::SourceError, &sentence));
    }
    // Clusters that may be skipped are searched only if they can be reached.
    let clusters: u64 =
        ["skipped", "failed", "partial"].iter().map(|name| count(&format!("/_clusters/{name}"))).sum();
    (clusters > 0).then(|| {
        let sentence = format!("{clusters} of {} clusters did not answer in full", count("/_clusters/total"));
        source_error(ConnectorErrorKind::SourceError, &sentence)
    })
}

/// Of a response of Vespa: it covers only a part of the documents.
pub fn of_coverage(root: &Value) -> Option<ConnectorError> {
    let coverage = root.get("coverage")?;
    if coverage.get("full").and_then(Value::as_bool).unwrap_or(true) {
        return None;
    }
    let is_late = coverage.pointer("/degraded/timeout") == Some(&Value::Bool(true));
    let kind = if is_late { ConnectorErrorKind::Timeout } else { ConnectorErrorKind::SourceError };
    let percent = coverage.get("coverage").and_then(Value::as_u64).unwrap_or_default();
    let reason = if is_late { ", because the time was up" } else { "" };
    Some(source_error(kind, &format!("only {percent} % of the documents were searched{reason}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn shards_and_clusters_that_failed_are_told() {
        use ConnectorErrorKind::{SourceError, Timeout};
        let failure = json!({"shard": 2, "index": "rivers", "reason": {"type": "node_disconnected_exception", "reason": "node\nleft"}});
        let table = [
            (
                json!({"timed_out": false, "_shards": {"total": 5, "successful": 5, "skipped": 2, "failed": 0}}),
                None,
            ),
            (json!({}), None),
            (json!({"_clusters": {"total": 2, "successful": 2, "skipped": 0}}), None),
            (json!({"timed_out": true, "_shards": {"total": 1, "failed": 0}}), Some((Timeout, "timed out"))),
            (
                json!({"_shards": {"total": 5, "failed": 1, "failures": [failure]}}),
                Some((SourceError, "1 of 5 shards failed: node left")),
            ),
            (json!({"_shards": {"total": 5, "failed": 2}}), Some((SourceError, "2 of 5 shards failed"))),
            (
                json!({"_clusters": {"total": 3, "successful": 1, "skipped": 1, "partial": 1}}),
                Some((SourceError, "2 of 3 clusters")),
            ),
        ];
        for (answer, want) in table {
            let error = of_shards(&answer);
            let told = error.as_ref().map(|error| error.kind);
            assert_eq!(told, want.map(|(kind, _)| kind), "{answer}");
            let is_said =
                want.is_none_or(|(_, text)| error.is_some_and(|error| error.message.contains(text)));
            assert!(is_said, "{answer}");
        }
    }

    #[test]
    fn documents_that_were_not_searched_are_told() {
        let coverage = |coverage: Value| {
            of_coverage(&json!({"coverage": coverage})).map(|error| (error.kind, error.message))
        };
        assert_eq!(coverage(json!({"coverage": 100, "full": true})), None);
        assert_eq!(of_coverage(&json!({})), None);
        let late =
            coverage(json!({"coverage": 71, "full": false, "degraded": {"timeout": true}})).expect("missing");
        assert_eq!(late.0, ConnectorErrorKind::Timeout);
        assert!(late.1.contains("only 71 %"), "{late:?}");
        let down = coverage(json!({"coverage": 50, "full": false, "degraded": {"timeout": false}}))
            .expect("missing");
        assert_eq!(down.0, ConnectorErrorKind::SourceError);
    }
}
