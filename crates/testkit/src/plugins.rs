//! Registry entries for tests that need few plug-ins or none.

use domain::corpus::SourceKind;
use domain::ports::{
    Capability, ConnectorError, ConnectorErrorKind, ConnectorKind, PluginRegistry, ResultOrigin, TestTarget,
};
use domain::validation::FieldErrors;

pub const NO_PLUGINS: PluginRegistry = PluginRegistry {
    connectors: &[],
    query_processors: &[],
    result_processors: &[],
    post_result_processors: &[],
    mixers: &[],
    default_post_result: &[],
    read_answer: |_, _| {
        Err(ConnectorError::new(ConnectorErrorKind::Unreadable, "no connector parses responses"))
    },
};

/// A connector of live web pages that accepts every provider and cannot be built.
pub const fn connector_kind(name: &'static str) -> ConnectorKind {
    ConnectorKind {
        name,
        module: "",
        summary: "",
        capability: Capability { page: false, date_sort: false, not: false },
        settings: &[],
        authenticator: None,
        origin: ResultOrigin::Live,
        source_kind: SourceKind::Web,
        test_target: TestTarget::Fake,
        check: |_| FieldErrors::default(),
        build: |_, _| Err(ConnectorError::new(ConnectorErrorKind::ConfigInvalid, "never built here")),
    }
}
