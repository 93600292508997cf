//! Dropbox connector: files in Dropbox that the user may read.

use crate::shared::delegated_api::{self, DelegatedApi, ErrorCause, ReceivedPages, Service};
use crate::shared::found_item::{FoundItem, first_text};
use crate::shared::found_rows::ListedRows;
use domain::corpus::SourceKind;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorErrorKind, ConnectorKind, NormalizedPage, PluginContext,
    ProviderQuery, RequestDescription, ResultOrigin, SourceRequest, TestTarget, TypedConnector,
};
use domain::provider::SearchProvider;
use domain::search::Sort;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::time::Duration;
use url::Url;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "Dropbox",
    module: "dropbox",
    summary: "Files in Dropbox, queried with the user's own token.",
    capability: Capability { page: true, date_sort: true, not: false },
    settings: delegated_api::SETTINGS,
    authenticator: Some("dropbox"),
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Drive,
    test_target: TestTarget::Fake,
    check: delegated_api::check,
    build,
};

static DROPBOX: Service = Service {
    name: "Dropbox",
    setting: "SVC_DROPBOX_API_URL",
    address: |settings| &settings.dropbox_api_url,
    classify_error: |status, words| match words.pointer("/error/.tag").and_then(Value::as_str) {
        Some("missing_scope") => ErrorCause::MissingScope(
            words.pointer("/error/required_scope").and_then(Value::as_str).map(str::to_owned),
        ),
        _ => ErrorCause::of_status(status),
    },
};

const SEARCH: [&str; 3] = ["2", "files", "search_v2"];
const CONTINUE: [&str; 4] = ["2", "files", "search", "continue_v2"];
const PAGE_MAX: u32 = 100;
/// Longest query that Dropbox accepts.
const QUERY_CHARS_MAX: usize = 1000;

#[derive(Debug)]
struct Dropbox {
    api: DelegatedApi,
    has_result_mappings: bool,
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    Ok(Dropbox {
        api: DelegatedApi::new(&DROPBOX, "files.metadata.read", provider, context)?,
        has_result_mappings: !provider.spec.result_mappings.trim().is_empty(),
    }
    .boxed())
}

impl TypedConnector for Dropbox {
    type Request = FileSearch;
    type Response = ListedRows;

    fn capability(&self) -> Capability {
        Capability { page: true, date_sort: true, not: false }
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<FileSearch, ConnectorError> {
        if query.text.chars().count() > QUERY_CHARS_MAX {
            let message = format!("the query is longer than {QUERY_CHARS_MAX} characters");
            return Err(ConnectorError::new(ConnectorErrorKind::QueryInvalid, message));
        }
        let order = match query.sort {
            Sort::Relevancy => "relevance",
            Sort::Date => "last_modified_time",
        };
        let body = json!({
            "query": query.text,
            "options": {
                "max_results": query.results_wanted.clamp(1, PAGE_MAX),
                "order_by": order,
                "file_status": "active",
                "filename_only": false,
            },
            "match_field_options": {"include_highlights": true},
        });
        Ok(FileSearch {
            address: self.api.display_address(&SEARCH),
            body,
            rows_max: query.results_wanted,
            time_max: query.time_max,
        })
    }

    async fn execute(&self, search: &FileSearch) -> Result<ListedRows, ConnectorError> {
        let first = self.api.post(&SEARCH, &search.body, search.time_max);
        let next = |page: &Value| {
            let cursor = page["cursor"].as_str().filter(|_| page["has_more"] == true)?;
            Some(self.api.post(&CONTINUE, &json!({"cursor": cursor}), search.time_max))
        };
        let rows_max = search.rows_max as usize;
        let is_enough =
            |pages: &[Value]| pages.iter().map(|page| files(page).count()).sum::<usize>() >= rows_max;
        let ReceivedPages { pages, missing } = self.api.ask_all(first, next, is_enough).await?;
        let rows = pages.iter().flat_map(files).take(rows_max).cloned().collect();
        Ok(ListedRows { rows, missing })
    }

    fn normalize(&self, listed: ListedRows) -> Result<NormalizedPage, ConnectorError> {
        // Dropbox does not report a total.
        Ok(listed.into_page((!self.has_result_mappings).then_some(result)))
    }
}

/// The first request of a search; each response names the next one.
#[derive(Debug)]
struct FileSearch {
    /// For display.
    address: String,
    body: Value,
    rows_max: u32,
    time_max: Duration,
}

impl SourceRequest for FileSearch {
    fn description(&self) -> RequestDescription<'_> {
        let Self { address, body, rows_max, .. } = self;
        RequestDescription::Command { place: address, body: Cow::Borrowed(body), rows_max: *rows_max }
    }
}

/// The matches of a page, without folders.
fn files(page: &Value) -> impl Iterator<Item = &Value> {
    let matches = page["matches"].as_array().into_iter().flatten();
    matches.filter(|found| found.pointer("/metadata/metadata/.tag").and_then(Value::as_str) != Some("folder"))
}

fn result(found: &Value) -> Value {
    let file = &found["metadata"]["metadata"];
    let spans = found["highlight_spans"].as_array().into_iter().flatten();
    let body: String = spans.filter_map(|span| span["highlight_str"].as_str()).collect();
    let path = first_text(file, &["/path_display", "/path_lower"]);
    FoundItem {
        title: first_text(file, &["/name"]),
        url: link(&path),
        body: body.trim().to_owned(),
        author: String::new(),
        date: first_text(file, &["/server_modified", "/client_modified"]),
    }
    .with(&[("id", file.get("id")), ("path", Some(&json!(path))), ("size", file.get("size"))])
}

/// The web client addresses a file by its folder and name.
fn link(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let Ok(mut url) = Url::parse("https://www.dropbox.com/home") else { return String::new() };
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.extend(folder.split('/').filter(|segment| !segment.is_empty()));
    }
    url.query_pairs_mut().append_pair("preview", name);
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_a_link() {
        for (path, want) in [
            ("/Plans 2024/dam?.pdf", "https://www.dropbox.com/home/Plans%202024?preview=dam%3F.pdf"),
            ("/dam.pdf", "https://www.dropbox.com/home?preview=dam.pdf"),
        ] {
            assert_eq!(link(path), want);
        }
    }

    #[test]
    fn folders_are_left_out() {
        let page = json!({"matches": [
            {"metadata": {"metadata": {".tag": "folder", "name": "Plans"}}},
            {"metadata": {"metadata": {".tag": "file", "name": "dam.pdf"}}},
        ]});
        assert_eq!(files(&page).count(), 1);
    }
}
