//! MongoDB connector: a collection, queried with a filter in which the query is a value.

use domain::corpus::SourceKind;
use domain::ports::{Capability, ConnectorKind, ResultOrigin, TestTarget};

#[cfg(not(feature = "mongodb"))]
use crate::shared::not_built::mongodb as source;
#[cfg(feature = "mongodb")]
mod source;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "MongoDB",
    module: "mongodb",
    summary: "A MongoDB collection, queried by its text index or with a filter.",
    capability: Capability { page: false, date_sort: true, not: true },
    settings: &[
        "url",
        "credentials",
        "query_template_json",
        "query_mappings",
        "result_mappings",
        "results_per_query",
        "tags",
    ],
    authenticator: None,
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Db,
    test_target: TestTarget::Fake,
    check: source::check,
    build: source::build,
};
