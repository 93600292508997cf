//! Elastic: an index of Elasticsearch, asked in its query language.

use crate::shared::search_engine::dsl;
use domain::contracts::{ConnectorKind, TriedOn};

pub const KIND: ConnectorKind = ConnectorKind {
    name: "Elastic",
    summary: "An index of Elasticsearch, asked with a query string or a query of its own language.",
    capability: dsl::CAPABILITY,
    settings: dsl::SETTINGS,
    authenticator: None,
    tried_on: TriedOn::StandIn,
    check: dsl::check,
    build: dsl::build,
};
