//! MySQL connector: MySQL or MariaDB, queried with bound values in a read-only transaction.

use crate::shared::database;
use domain::corpus::SourceKind;
use domain::ports::{Capability, ConnectorKind, ResultOrigin, TestTarget};

#[cfg(not(feature = "mysql"))]
use crate::shared::not_built::mysql as source;
#[cfg(feature = "mysql")]
mod source;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "MySQL",
    module: "mysql",
    summary: "A MySQL or MariaDB database, queried with an SQL statement.",
    capability: Capability { page: false, date_sort: true, not: false },
    settings: database::SETTINGS,
    authenticator: None,
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Db,
    test_target: TestTarget::Product("MariaDB"),
    check: source::check,
    build: source::build,
};
