//! Gmail connector: the user's mail in Google Workspace.

use crate::shared::boolean_language::{GMAIL, can_negate};
use crate::shared::delegated_api::{self, DelegatedApi};
use crate::shared::found_item::{FoundItem, first_text, or};
use crate::shared::found_rows::ListedRows;
use crate::shared::google::{self, GOOGLE, ListRequest};
use chrono::DateTime;
use domain::corpus::SourceKind;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorErrorKind, ConnectorKind, NormalizedPage, PluginContext,
    ProviderQuery, ResultOrigin, TestTarget, TypedConnector,
};
use domain::provider::SearchProvider;
use futures_util::{StreamExt, TryStreamExt};
use serde_json::{Map, Value};
use std::cmp::Reverse;
use std::time::{Duration, Instant};
use syntax::strip_html::readable;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "Gmail",
    module: "gmail",
    summary: "Mail in Gmail, queried with the user's own token.",
    capability: Capability { page: true, date_sort: true, not: true },
    settings: delegated_api::SETTINGS,
    authenticator: Some("google"),
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Mail,
    test_target: TestTarget::Fake,
    check: delegated_api::check,
    build,
};

const PATH: [&str; 5] = ["gmail", "v1", "users", "me", "messages"];
/// Messages fetched concurrently; a search returns only their ids.
const AT_ONCE: usize = 8;
/// Most messages of one query.
const MESSAGES_MAX: u32 = 100;
const HEADERS: [&str; 4] = ["Subject", "From", "To", "Date"];

#[derive(Debug)]
struct Gmail {
    api: DelegatedApi,
    can_negate: bool,
    has_result_mappings: bool,
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    Ok(Gmail {
        api: DelegatedApi::new(&GOOGLE, "gmail.readonly", provider, context)?,
        can_negate: can_negate(&*delegated_api::query_mappings(provider)?),
        has_result_mappings: !provider.spec.result_mappings.trim().is_empty(),
    }
    .boxed())
}

impl TypedConnector for Gmail {
    type Request = ListRequest;
    type Response = ListedRows;

    fn capability(&self) -> Capability {
        Capability { page: true, date_sort: true, not: self.can_negate }
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<ListRequest, ConnectorError> {
        let rows_max = query.results_wanted.clamp(1, MESSAGES_MAX);
        let words = GMAIL.query(query.text, self.can_negate)?;
        Ok(ListRequest {
            address: self.api.display_address(&PATH),
            parameters: vec![("q", words), ("maxResults", rows_max.to_string())],
            rows_max,
            time_max: query.time_max,
        })
    }

    async fn execute(&self, request: &ListRequest) -> Result<ListedRows, ConnectorError> {
        let (started, time_max) = (Instant::now(), request.time_max);
        let listed = google::list(&self.api, &PATH, request, "messages", request.rows_max as usize).await?;
        let ids: Vec<String> =
            listed.rows.iter().filter_map(|message| message["id"].as_str().map(str::to_owned)).collect();
        let read =
            |id: String| async move { self.message(&id, time_max.saturating_sub(started.elapsed())).await };
        let messages = futures_util::stream::iter(ids).map(read).buffered(AT_ONCE);
        let mut rows: Vec<Value> = messages.try_filter_map(|found| async { Ok(found) }).try_collect().await?;
        rows.sort_by_key(|message| Reverse(milliseconds(message)));
        Ok(ListedRows { rows, missing: listed.missing })
    }

    fn normalize(&self, listed: ListedRows) -> Result<NormalizedPage, ConnectorError> {
        // Gmail only estimates the total.
        let rows = listed.rows.into_iter().map(with_headers).collect();
        let listed = ListedRows { rows, missing: listed.missing };
        Ok(listed.into_page((!self.has_result_mappings).then_some(result)))
    }
}

impl Gmail {
    /// The headers of a message; `None` if it was deleted after the search.
    async fn message(&self, id: &str, time_max: Duration) -> Result<Option<Value>, ConnectorError> {
        let path = [&PATH[..], &[id]].concat();
        let mut parameters = vec![("format", "metadata")];
        parameters.extend(HEADERS.map(|name| ("metadataHeaders", name)));
        match self.api.ask(&self.api.get(self.api.address(&path, &parameters), time_max)).await {
            Ok(message) => Ok(Some(message)),
            Err(error) if error.kind == ConnectorErrorKind::PlaceUnknown => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn milliseconds(message: &Value) -> i64 {
    message["internalDate"].as_str().and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Gmail returns headers as a list of pairs; mappings need an object.
fn with_headers(mut message: Value) -> Value {
    let mut headers = Map::new();
    for pair in message.pointer("/payload/headers").and_then(Value::as_array).into_iter().flatten() {
        if let (Some(name), Some(value)) = (pair["name"].as_str(), pair.get("value")) {
            let known = HEADERS.iter().find(|known| known.eq_ignore_ascii_case(name));
            headers.insert(known.map_or_else(|| name.to_owned(), |known| (*known).to_owned()), value.clone());
        }
    }
    if let Some(message) = message.as_object_mut() {
        message.insert("headers".to_owned(), Value::Object(headers));
        message.remove("payload");
    }
    message
}

fn result(message: &Value) -> Value {
    let id = first_text(message, &["/id"]);
    let date = DateTime::from_timestamp_millis(milliseconds(message)).filter(|_| milliseconds(message) > 0);
    FoundItem {
        title: or(first_text(message, &["/headers/Subject"]), "(no subject)"),
        url: format!("https://mail.google.com/mail/#all/{id}"),
        body: readable(&first_text(message, &["/snippet"])).into_owned(),
        author: display_name(&first_text(message, &["/headers/From"])).to_owned(),
        date: date.map(|date| date.to_rfc3339()).unwrap_or_default(),
    }
    .with(&[
        ("id", message.get("id")),
        ("thread", message.get("threadId")),
        ("from", message.pointer("/headers/From")),
        ("to", message.pointer("/headers/To")),
        ("labels", message.get("labelIds")),
    ])
}

/// The name in `Ann Reed <ann@example.org>` or `"Reed, Ann" <ann@example.org>`; the address if there is no name.
fn display_name(sender: &str) -> &str {
    let (name, address) = sender.split_once('<').unwrap_or((sender, ""));
    let name = name.trim().trim_matches('"');
    if name.is_empty() { address.trim_end_matches('>') } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_message_becomes_a_result() {
        let message = json!({
            "id": "18e0", "threadId": "18df", "snippet": "The dam &amp; the &lt;b&gt; rain", "internalDate": "1709632800000",
            "payload": {"headers": [{"name": "subject", "value": "Flood"}, {"name": "From", "value": "Ann <ann@example.org>"}]},
        });
        let item = result(&with_headers(message));
        let want = json!({
            "title": "Flood", "url": "https://mail.google.com/mail/#all/18e0", "body": "The dam & the &lt;b> rain",
            "author": "Ann", "date_published": "2024-03-05T10:00:00+00:00", "id": "18e0", "thread": "18df",
            "from": "Ann <ann@example.org>",
        });
        assert_eq!(item, want);
        assert_eq!(result(&with_headers(json!({"id": "1"})))["title"], "(no subject)");
    }

    #[test]
    fn an_author_is_a_name_or_else_an_address() {
        for (sender, author) in [
            ("Ann Reed <ann@example.org>", "Ann Reed"),
            ("\"Reed, Ann\" <ann@example.org>", "Reed, Ann"),
            ("<ann@example.org>", "ann@example.org"),
            ("ann@example.org", "ann@example.org"),
            ("Ann <ann", "Ann"),
            ("", ""),
        ] {
            assert_eq!(display_name(sender), author, "{sender}");
        }
    }
}
