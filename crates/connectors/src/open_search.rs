//! OpenSearch: an index of OpenSearch, which is asked as Elasticsearch is.

use crate::shared::search_engine::dsl;
use domain::contracts::{ConnectorKind, TriedOn};

pub const KIND: ConnectorKind = ConnectorKind {
    name: "OpenSearch",
    summary: "An index of OpenSearch, asked with a query string or a query of its own language.",
    capability: dsl::CAPABILITY,
    settings: dsl::SETTINGS,
    authenticator: None,
    tried_on: TriedOn::StandIn,
    check: dsl::check,
    build: dsl::build,
};
