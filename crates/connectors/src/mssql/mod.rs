//! MSSQL connector: Microsoft SQL Server or Azure SQL, queried with bound values in a transaction that is always rolled
//! back.

use crate::shared::database;
use domain::corpus::SourceKind;
use domain::ports::{Capability, ConnectorKind, ResultOrigin, TestTarget};

#[cfg(not(feature = "mssql"))]
use crate::shared::not_built::mssql as source;
#[cfg(feature = "mssql")]
mod source;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "MSSQL",
    module: "mssql",
    summary: "A Microsoft SQL Server or Azure SQL database, queried with an SQL statement.",
    capability: Capability { page: false, date_sort: true, not: false },
    settings: database::SETTINGS,
    authenticator: None,
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Db,
    test_target: TestTarget::Fake,
    check: source::check,
    build: source::build,
};
