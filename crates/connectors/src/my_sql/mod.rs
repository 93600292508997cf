//! MySQL: a database of MySQL or MariaDB, asked in a read-only transaction with bound values.

use crate::shared::database;
use domain::contracts::{Capability, ConnectorKind, TriedOn};

#[cfg(not(feature = "mysql"))]
use crate::shared::not_built::my_sql as source;
#[cfg(feature = "mysql")]
mod source;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "MySQL",
    summary: "A database of MySQL or MariaDB, asked with an SQL statement.",
    capability: Capability { page: false, date_sort: true, not: false },
    settings: database::SETTINGS,
    authenticator: None,
    tried_on: TriedOn::Product("MariaDB"),
    check: source::check,
    build: source::build,
};
