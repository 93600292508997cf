//! PostgreSQL: asked in a read-only transaction with a statement whose values are bound.

use crate::shared::database::{self, Place, Question};
use crate::shared::dialect::Dialect;
use crate::shared::driver::Database;
use crate::shared::postgres::{FORM, Postgres};
use domain::contracts::{Capability, Connector, ConnectorError, ConnectorKind, PluginContext, TriedOn};
use domain::provider::SearchProvider;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "PostgreSQL",
    summary: "A database of PostgreSQL, asked with an SQL statement.",
    capability: Capability { page: false, date_sort: true, not: false },
    settings: database::SETTINGS,
    authenticator: None,
    tried_on: TriedOn::Product("PostgreSQL"),
    check: |provider| database::check(provider, FORM, Dialect::PostgreSql),
    build,
};

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let question = Question::of(provider, Dialect::PostgreSql)?;
    Ok(Box::new(Database { question, driver: Postgres::new(Place::of(provider, FORM)?, context)? }))
}
