//! The OpenAPI document: parts that all routes share, and schemas completed with their limits.

mod document;
mod limits;
#[cfg(test)]
mod schema_tests;
mod schemas;

pub use document::ApiDocument;

use crate::error::ErrorBody;
use serde_json::Value;
use utoipa::openapi::header::Header;
use utoipa::openapi::path::{Operation, Parameter, ParameterIn, PathItem};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{Content, OpenApi, Ref, RefOr, Required, Response};
use utoipa::{Modify, OpenApi as _, ToSchema};

/// Responses of a route if records cannot be read or written.
const STORAGE_ERRORS: [(&str, &str); 2] = [
    ("503", "The storage or the queue is unreachable; try again after `Retry-After`."),
    ("507", "The storage cannot be written, for example because the disk is full; nothing was stored."),
];

/// The document of these routes, with the parts that all routes share.
pub fn complete_document(mut document: OpenApi) -> Result<ApiDocument, serde_json::Error> {
    for (path, item) in &mut document.paths.paths {
        if is_versioned(path, item) {
            add_versions(item);
        }
        let get = item.get.as_mut().into_iter().map(|operation| (operation, true));
        let others = [&mut item.post, &mut item.put, &mut item.patch, &mut item.delete];
        let others = others.into_iter().filter_map(Option::as_mut).map(|operation| (operation, false));
        get.chain(others).for_each(|(operation, is_read)| add_errors(operation, is_read));
    }
    let document = complete_schemas(serde_json::to_value(document)?);
    Ok(ApiDocument::new(serde_json::to_string_pretty(&document)?))
}

fn complete_schemas(mut document: Value) -> Value {
    schemas::refer_to_components(&mut document);
    schemas::merge_parts_of_inputs(&mut document);
    schemas::add_limits(&mut document, limits::FIELDS);
    schemas::add_parameter_limits(&mut document, limits::PARAMETERS);
    schemas::separate_inputs(&mut document);
    schemas::open_objects(&mut document);
    schemas::widen_unsigned(&mut document);
    schemas::remove_schemas_of_streams(&mut document);
    schemas::remove_unused(&mut document);
    document
}

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Tributary",
        description = "Federated search: one query, many sources, one ranked list.\n\nEvery path is also \
        served under `/api/svc/`, with and without a trailing slash. Lists are bare arrays; with `page` and/or \
        `items` they become `{count, next, previous, results}`. All errors have the format `Error`. A record that \
        can be edited has its version as `ETag`; sent back as `If-Match`, it protects an edit or a deletion from \
        conflicts (412).",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    components(schemas(ErrorBody)),
    modifiers(&Schemes),
    security(("basic" = []), ("token" = []), ("bearer" = [])),
    tags(
        (name = "search", description = "Create, follow and rerun searches."),
        (name = "results", description = "The mixed list, and single results."),
        (name = "answers", description = "AI summaries and chats, with their sources."),
        (name = "providers", description = "Sources, and the plug-ins of their configuration."),
        (name = "transforms", description = "Reusable query rewrites and synonyms."),
        (name = "cache", description = "Documents that users retrieved, for later searches."),
        (name = "canonical", description = "Which version of a document counts: elections and pins."),
        (name = "egress", description = "Cached documents found in the user's own sent mail."),
        (name = "people", description = "Users, groups, tokens, sign-in."),
        (name = "service", description = "Health checks, and this document."),
    )
)]
struct Start;

/// The document before any route.
pub fn start() -> OpenApi {
    Start::openapi()
}

struct Schemes;

impl Modify for Schemes {
    fn modify(&self, document: &mut OpenApi) {
        document.info.version = domain::VERSION.to_owned();
        let components = document.components.get_or_insert_default();
        let basic = HttpBuilder::new().scheme(HttpAuthScheme::Basic).build();
        components.add_security_scheme("basic", SecurityScheme::Http(basic));
        let token = ApiKeyValue::with_description("Authorization", "`Token <API token>`");
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("JWT").build();
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
        components.add_security_scheme("token", SecurityScheme::ApiKey(ApiKey::Header(token)));
    }
}

/// Responses of any route: 401 if credentials are needed, 503 and 507 if records are used, and every error in one
/// format. The caller is read from the database, and the use of a token is written there: so reading may lack space
/// too.
fn add_errors(operation: &mut Operation, is_read: bool) {
    let is_open = operation.security.as_ref().is_some_and(Vec::is_empty);
    let mut rows = vec![("default", "Any other error.")];
    if !is_open {
        rows.push(("401", "No or wrong credentials."));
    }
    if !(is_open && is_read) {
        rows.extend(STORAGE_ERRORS);
    }
    rows.into_iter().for_each(|(status, description)| add_refusal(operation, status, description));
}

fn add_refusal(operation: &mut Operation, status: &str, description: &str) {
    let response = Response::builder()
        .description(description)
        .content("application/json", Content::new(Some(Ref::from_schema_name(ErrorBody::name()))))
        .build();
    operation.responses.responses.entry(status.to_owned()).or_insert_with(|| response.into());
}

/// A record that can be replaced or changed has a version.
fn is_versioned(path: &str, item: &PathItem) -> bool {
    (item.put.is_some() || item.patch.is_some()) && schemas::is_edit(path)
}

/// `ETag` of responses with a record, and `If-Match` of requests that edit or delete it.
fn add_versions(item: &mut PathItem) {
    let tag = Header::builder()
        .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
        .description(Some("The version of the record, for `If-Match`."))
        .build();
    for operation in [&mut item.get, &mut item.put, &mut item.patch].into_iter().flatten() {
        if let Some(RefOr::T(answer)) = operation.responses.responses.get_mut("200") {
            answer.headers.insert("ETag".to_owned(), RefOr::T(tag.clone()));
        }
    }
    for operation in [&mut item.put, &mut item.patch, &mut item.delete].into_iter().flatten() {
        let if_match = Parameter::builder()
            .name("If-Match")
            .parameter_in(ParameterIn::Header)
            .required(Required::False)
            .description(Some("Only if the record has this version: the `ETag` that it came with, or `*`."))
            .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
            .build();
        operation.parameters.get_or_insert_default().push(RefOr::T(if_match));
        let changed =
            "The record no longer has the version of `If-Match`; load it again and apply the change.";
        add_refusal(operation, "412", changed);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    fn document() -> Value {
        serde_json::from_str(&crate::openapi_json().expect("a document")).expect("valid JSON")
    }

    #[test]
    fn every_operation_is_described() {
        let document = document();
        let mut count = 0;
        for (path, item) in document["paths"].as_object().expect("paths") {
            // Scrapers expect metrics outside of the prefix, and other pages their configuration.
            let is_elsewhere = ["/metrics/", "/api/config/default/"].contains(&path.as_str());
            let is_ours = path.starts_with("/svc/") || is_elsewhere;
            assert!(is_ours && path.ends_with('/'), "{path}");
            for (method, operation) in item.as_object().expect("operations") {
                count += 1;
                for key in ["summary", "operationId", "tags"] {
                    assert!(!operation[key].is_null(), "{method} {path} has no {key}");
                }
                assert!(operation["responses"].get("default").is_some(), "{method} {path}");
            }
        }
        assert!(count >= 40, "{count} operations");
    }

    #[test]
    fn storage_faults_stand_where_they_may_be_met() {
        let document = document();
        let mut without = Vec::new();
        for (path, item) in document["paths"].as_object().expect("paths") {
            for (method, operation) in item.as_object().expect("operations") {
                let responses = &operation["responses"];
                let shape =
                    |status: &str| &responses[status]["content"]["application/json"]["schema"]["$ref"];
                if responses.get("507").is_none() {
                    without.push(format!("{method} {path}"));
                    continue;
                }
                for status in ["503", "507"] {
                    assert_eq!(shape(status), "#/components/schemas/Error", "{method} {path} {status}");
                }
            }
        }
        assert_eq!(without, ["get /svc/health/live/", "get /svc/health/ready/"], "these read no records");
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let document = document();
        let text = document.to_string();
        let mut count = 0;
        for piece in text.split("\"#/components/schemas/").skip(1) {
            let name = piece.split('"').next().expect("a name");
            assert!(document["components"]["schemas"].get(name).is_some(), "{name} is not defined");
            count += 1;
        }
        assert!(count > 20, "{count} references");
    }

    #[test]
    fn operation_ids_are_unique() {
        let document = document();
        let mut ids: Vec<&str> = document["paths"]
            .as_object()
            .expect("paths")
            .values()
            .flat_map(|item| item.as_object().expect("operations").values())
            .filter_map(|operation| operation["operationId"].as_str())
            .collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }
}
