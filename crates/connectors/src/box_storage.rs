//! BoxStorage connector: files in Box that the user may read.

use crate::shared::boolean_language::{self, can_negate};
use crate::shared::delegated_api::{self, DelegatedApi, ErrorCause, Service};
use crate::shared::found_item::{FoundItem, first_text};
use domain::corpus::SourceKind;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorKind, HttpRequest, HttpResponse, NormalizedPage,
    PluginContext, ProviderQuery, ResultOrigin, TestTarget, TypedConnector,
};
use domain::provider::SearchProvider;
use domain::search::Sort;
use serde_json::{Value, json};

pub const KIND: ConnectorKind = ConnectorKind {
    name: "BoxStorage",
    module: "box_storage",
    summary: "Files in Box, queried with the user's own token.",
    capability: Capability { page: true, date_sort: true, not: true },
    settings: delegated_api::SETTINGS,
    authenticator: Some("box"),
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Drive,
    test_target: TestTarget::Fake,
    check: delegated_api::check,
    build,
};

static BOX: Service = Service {
    name: "Box",
    setting: "SVC_BOX_API_URL",
    address: |settings| &settings.box_api_url,
    classify_error: |status, _| ErrorCause::of_status(status),
};

const PAGE_MAX: u32 = 200;
const FIELDS: &str = "name,description,created_at,modified_at,owned_by,size,path_collection";

#[derive(Debug)]
struct BoxStorage {
    api: DelegatedApi,
    can_negate: bool,
    has_result_mappings: bool,
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    Ok(BoxStorage {
        api: DelegatedApi::new(&BOX, "root_readwrite", provider, context)?,
        can_negate: can_negate(&*delegated_api::query_mappings(provider)?),
        has_result_mappings: !provider.spec.result_mappings.trim().is_empty(),
    }
    .boxed())
}

fn size(results_wanted: u32) -> u32 {
    results_wanted.clamp(1, PAGE_MAX)
}

impl TypedConnector for BoxStorage {
    type Request = HttpRequest;
    type Response = HttpResponse;

    fn capability(&self) -> Capability {
        Capability { page: true, date_sort: true, not: self.can_negate }
    }

    fn pages(&self, results_wanted: u32) -> u32 {
        results_wanted.div_ceil(size(results_wanted))
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<HttpRequest, ConnectorError> {
        let words = boolean_language::BOX.query(query.text, self.can_negate)?;
        let size = size(query.results_wanted);
        let (limit, offset) = (size.to_string(), query.page.saturating_mul(size).to_string());
        let mut parameters = vec![
            ("query", words.as_str()),
            ("type", "file"),
            ("limit", &limit),
            ("offset", &offset),
            ("fields", FIELDS),
        ];
        if query.sort == Sort::Date {
            parameters.extend([("sort", "modified_at"), ("direction", "DESC")]);
        }
        let url = self.api.address(&["2.0", "search"], &parameters);
        Ok(self.api.get(url, query.time_max))
    }

    async fn execute(&self, request: &HttpRequest) -> Result<HttpResponse, ConnectorError> {
        self.api.send(request).await
    }

    fn normalize(&self, response: HttpResponse) -> Result<NormalizedPage, ConnectorError> {
        let mut answer = self.api.read(&response)?;
        let found = answer["total_count"].as_u64();
        let entries = match answer["entries"].take() {
            Value::Array(entries) => entries,
            _ => Vec::new(),
        };
        let items: Vec<Value> =
            if self.has_result_mappings { entries } else { entries.iter().map(result).collect() };
        Ok(NormalizedPage { found, retrieved: Some(items.len() as u64), items, missing: None })
    }
}

fn result(file: &Value) -> Value {
    let folders = file.pointer("/path_collection/entries").and_then(Value::as_array).into_iter().flatten();
    let folders: Vec<&str> = folders.filter_map(|folder| folder["name"].as_str()).collect();
    let folders = json!(folders.join(" / "));
    let id = first_text(file, &["/id"]);
    FoundItem {
        title: first_text(file, &["/name"]),
        url: format!("https://app.box.com/file/{id}"),
        body: first_text(file, &["/description"]),
        author: first_text(file, &["/owned_by/name", "/owned_by/login"]),
        date: first_text(file, &["/modified_at", "/created_at"]),
    }
    .with(&[
        ("id", file.get("id")),
        ("folder", Some(&folders)),
        ("created", file.get("created_at")),
        ("size", file.get("size")),
    ])
}
