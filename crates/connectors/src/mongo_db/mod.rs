//! MongoDB: a collection of documents, asked with a filter in which the query is a value.

use domain::contracts::{Capability, ConnectorKind, TriedOn};

#[cfg(not(feature = "mongodb"))]
use crate::shared::not_built::mongo_db as source;
#[cfg(feature = "mongodb")]
mod source;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "MongoDB",
    summary: "A collection of MongoDB, asked by its text index or with a filter.",
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
    tried_on: TriedOn::StandIn,
    check: source::check,
    build: source::build,
};
