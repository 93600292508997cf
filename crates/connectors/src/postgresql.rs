//! PostgreSQL connector: a statement with bound values in a read-only transaction.

use crate::shared::database::{self, DatabaseTarget, SqlQuery};
use crate::shared::dialect::Dialect;
use crate::shared::driver::Database;
use crate::shared::postgres::{FORM, Postgres};
use domain::corpus::SourceKind;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorKind, PluginContext, ResultOrigin, TestTarget,
    TypedConnector,
};
use domain::provider::SearchProvider;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "PostgreSQL",
    module: "postgresql",
    summary: "A PostgreSQL database, queried with an SQL statement.",
    capability: Capability { page: false, date_sort: true, not: false },
    settings: database::SETTINGS,
    authenticator: None,
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Db,
    test_target: TestTarget::Product("PostgreSQL"),
    check: |provider| database::check(provider, FORM, Dialect::PostgreSql),
    build,
};

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let sql_query = SqlQuery::of(provider, Dialect::PostgreSql)?;
    Ok(Database { sql_query, driver: Postgres::new(DatabaseTarget::of(provider, FORM)?, context)? }.boxed())
}
