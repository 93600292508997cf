//! GoogleDrive connector: files in Google Drive that the user may read.

use crate::shared::boolean_language::{DRIVE, can_negate};
use crate::shared::delegated_api::{self, DelegatedApi};
use crate::shared::found_item::{FoundItem, first_text};
use crate::shared::found_rows::ListedRows;
use crate::shared::google::{self, GOOGLE, ListRequest};
use domain::corpus::SourceKind;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorKind, NormalizedPage, PluginContext, ProviderQuery,
    ResultOrigin, TestTarget, TypedConnector,
};
use domain::provider::SearchProvider;
use serde_json::Value;

/// Drive orders full-text results by relevance and rejects any other order.
pub const KIND: ConnectorKind = ConnectorKind {
    name: "GoogleDrive",
    module: "google_drive",
    summary: "Files in Google Drive, queried with the user's own token.",
    capability: Capability { page: true, date_sort: false, not: true },
    settings: delegated_api::SETTINGS,
    authenticator: Some("google"),
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Drive,
    test_target: TestTarget::Fake,
    check: delegated_api::check,
    build,
};

const PATH: [&str; 3] = ["drive", "v3", "files"];
/// Files per page. Drive allows more, but each file carries a lot of metadata.
const PAGE_MAX: u32 = 100;
const FOLDER: &str = "application/vnd.google-apps.folder";
const FIELDS: &str = "nextPageToken,files(id,name,mimeType,description,webViewLink,createdTime,modifiedTime,size,\
    owners(displayName,emailAddress),lastModifyingUser(displayName))";

#[derive(Debug)]
struct GoogleDrive {
    api: DelegatedApi,
    can_negate: bool,
    has_result_mappings: bool,
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    Ok(GoogleDrive {
        api: DelegatedApi::new(&GOOGLE, "drive.readonly", provider, context)?,
        can_negate: can_negate(&*delegated_api::query_mappings(provider)?),
        has_result_mappings: !provider.spec.result_mappings.trim().is_empty(),
    }
    .boxed())
}

impl TypedConnector for GoogleDrive {
    type Request = ListRequest;
    type Response = ListedRows;

    fn capability(&self) -> Capability {
        Capability { page: true, date_sort: false, not: self.can_negate }
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<ListRequest, ConnectorError> {
        let parameters = vec![
            ("q", expression(query.text, self.can_negate)?),
            ("pageSize", query.results_wanted.clamp(1, PAGE_MAX).to_string()),
            ("fields", FIELDS.to_owned()),
            ("spaces", "drive".to_owned()),
            ("includeItemsFromAllDrives", "true".to_owned()),
            ("supportsAllDrives", "true".to_owned()),
        ];
        Ok(ListRequest {
            address: self.api.display_address(&PATH),
            parameters,
            rows_max: query.results_wanted,
            time_max: query.time_max,
        })
    }

    async fn execute(&self, request: &ListRequest) -> Result<ListedRows, ConnectorError> {
        google::list(&self.api, &PATH, request, "files", request.rows_max as usize).await
    }

    fn normalize(&self, listed: ListedRows) -> Result<NormalizedPage, ConnectorError> {
        // Drive does not report a total.
        Ok(listed.into_page((!self.has_result_mappings).then_some(result)))
    }
}

/// The query in Drive's query language, without folders and what is in the trash.
fn expression(text: &str, can_negate: bool) -> Result<String, ConnectorError> {
    let words = DRIVE.operand(text, can_negate)?;
    Ok(format!("{words} and trashed = false and mimeType != '{FOLDER}'"))
}

fn result(file: &Value) -> Value {
    FoundItem {
        title: first_text(file, &["/name"]),
        url: first_text(file, &["/webViewLink"]),
        body: first_text(file, &["/description"]),
        author: first_text(
            file,
            &["/owners/0/displayName", "/lastModifyingUser/displayName", "/owners/0/emailAddress"],
        ),
        date: first_text(file, &["/modifiedTime", "/createdTime"]),
    }
    .with(&[
        ("id", file.get("id")),
        ("media_type", file.get("mimeType")),
        ("created", file.get("createdTime")),
        ("size", file.get("size")),
        ("last_modified_by", file.pointer("/lastModifyingUser/displayName")),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_a_text() {
        let text = "it's x' or trashed = true NOT draft";
        let want = "fullText contains 'it\\'s' and fullText contains 'x\\'' and fullText contains 'or' and \
            fullText contains 'trashed' and fullText contains 'true' and not fullText contains 'draft' and \
            trashed = false and mimeType != 'application/vnd.google-apps.folder'";
        assert_eq!(expression(text, true).expect("a query"), want);
        let alternatives = expression("rain OR snow", true).expect("a query");
        assert!(
            alternatives.starts_with("(fullText contains 'rain' or fullText contains 'snow') and trashed")
        );
    }
}
