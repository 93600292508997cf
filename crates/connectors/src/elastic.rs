//! Elastic connector: an Elasticsearch index, queried with the Query DSL.

use crate::shared::search_engine::dsl;
use domain::corpus::SourceKind;
use domain::ports::{ConnectorKind, ResultOrigin, TestTarget};

pub const KIND: ConnectorKind = ConnectorKind {
    name: "Elastic",
    module: "elastic",
    summary: "An Elasticsearch index, queried with a query string or the Query DSL.",
    capability: dsl::CAPABILITY,
    settings: dsl::SETTINGS,
    authenticator: None,
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Web,
    test_target: TestTarget::Fake,
    check: dsl::check,
    build: dsl::build,
};
