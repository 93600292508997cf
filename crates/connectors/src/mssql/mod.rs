//! MSSQL: a database of Microsoft SQL Server or Azure SQL, asked in a transaction that is always rolled back, with
//! bound values.

use crate::shared::database;
use domain::contracts::{Capability, ConnectorKind, TriedOn};

#[cfg(not(feature = "mssql"))]
use crate::shared::not_built::mssql as source;
#[cfg(feature = "mssql")]
mod source;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "MSSQL",
    summary: "A database of Microsoft SQL Server or Azure SQL, asked with an SQL statement.",
    capability: Capability { page: false, date_sort: true, not: false },
    settings: database::SETTINGS,
    authenticator: None,
    tried_on: TriedOn::StandIn,
    check: source::check,
    build: source::build,
};
