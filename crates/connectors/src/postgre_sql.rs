//! PostgreSQL: asked in a read-only transaction with a statement whose values are bound.

use crate::shared::database::{self, Place, Question};
use crate::shared::dialect::Dialect;
use crate::shared::postgres::{FORM, Postgres};
use async_trait::async_trait;
use domain::contracts::{
    Capability, Connector, ConnectorError, ConnectorKind, NormalizedPage, ProviderQuery, SourceQuery,
    SourceResponse, Toolbox,
};
use domain::provider::SearchProvider;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "PostgreSQL",
    summary: "A database of PostgreSQL, asked with an SQL statement.",
    capability: Capability { page: false, date_sort: true, not: false },
    settings: database::SETTINGS,
    authenticator: None,
    check: |provider| database::check(provider, FORM, Dialect::PostgreSql),
    build,
};

#[derive(Debug)]
struct PostgreSql {
    question: Question,
    database: Postgres,
}

fn build(provider: &SearchProvider, toolbox: &Toolbox) -> Result<Box<dyn Connector>, ConnectorError> {
    Ok(Box::new(PostgreSql {
        question: Question::of(provider, Dialect::PostgreSql)?,
        database: Postgres::new(Place::of(provider, FORM)?, toolbox)?,
    }))
}

#[async_trait]
impl Connector for PostgreSql {
    fn capability(&self) -> Capability {
        self.question.capability()
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<SourceQuery, ConnectorError> {
        self.question.construct(query)
    }

    async fn execute(&self, built: &SourceQuery) -> Result<SourceResponse, ConnectorError> {
        self.database.ask(built).await
    }

    fn normalize(&self, response: SourceResponse) -> Result<NormalizedPage, ConnectorError> {
        database::normalize(response)
    }
}
