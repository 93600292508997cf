//! PgVector connector: nearest rows in a PostgreSQL table with vectors.

use crate::shared::check::{add_error, read_notations, require_notations};
use crate::shared::database::{DatabaseTarget, SqlRequest};
use crate::shared::driver;
use crate::shared::dsn;
use crate::shared::found_rows::FoundRows;
use crate::shared::postgres::{FORM, Postgres};
use crate::shared::statement::safe;
use crate::shared::vectors;
use domain::corpus::SourceKind;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorKind, NormalizedPage, PluginContext, ProviderQuery,
    ResultOrigin, TestTarget, TypedConnector,
};
use domain::provider::SearchProvider;
use domain::search::Sort;
use domain::validation::FieldErrors;
use syntax::query_mappings::QueryMappings;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "PgVector",
    module: "pgvector",
    summary: "A PostgreSQL table with vectors (pgvector), queried by vector similarity.",
    capability: Capability { page: false, date_sort: true, not: false },
    settings: &["url", "credentials", "query_mappings", "tags", "result_mappings", "results_per_query"],
    authenticator: None,
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Db,
    test_target: TestTarget::Product("PostgreSQL with pgvector"),
    check,
    build,
};

/// When sorting by date, this many times the wanted number of nearest rows is fetched first.
const NEAREST_FACTOR: u32 = 4;

#[derive(Debug)]
struct PgVector {
    near: Nearness,
    model: String,
    database: Postgres,
}

/// The parts of the statement, from `query_mappings`.
#[derive(Debug)]
struct Nearness {
    table: String,
    column: String,
    /// The columns to return; the vector itself is excluded.
    fields: String,
    date_column: Option<String>,
    operator: &'static str,
}

impl Nearness {
    fn of(mappings: &QueryMappings) -> Result<Self, ConnectorError> {
        let name = |key: &'static str| -> Result<Option<String>, ConnectorError> {
            mappings.get(key).map(|value| safe(key, value).map(str::to_owned)).transpose()
        };
        let operator = match mappings.get("distance").unwrap_or("cosine") {
            "cosine" => "<=>",
            "l2" => "<->",
            "inner_product" => "<#>",
            _ => {
                return Err(ConnectorError::in_field(
                    "query_mappings",
                    "distance is cosine, l2 or inner_product.",
                ));
            }
        };
        Ok(Self {
            table: name("table")?
                .ok_or_else(|| ConnectorError::in_field("query_mappings", "table=<name> is needed."))?,
            column: name("vector")?.unwrap_or_else(|| "embedding".to_owned()),
            fields: name("fields")?.unwrap_or_else(|| "*".to_owned()),
            date_column: name("sort_by_date")?,
            operator,
        })
    }

    fn statement(&self, sort: Sort, rows_max: u32) -> String {
        let Self { table, column, fields, operator, .. } = self;
        let nearest = |rows: u32| {
            format!(
                "select {fields}, {column} {operator} $1::vector as distance from {table} \
                 order by {column} {operator} $1::vector limit {rows}"
            )
        };
        match self.date_column.as_ref().filter(|_| sort == Sort::Date) {
            None => nearest(rows_max),
            Some(date) => format!(
                "select * from ({}) near order by {date} desc limit {rows_max}",
                nearest(rows_max.saturating_mul(NEAREST_FACTOR))
            ),
        }
    }
}

fn check(provider: &SearchProvider) -> FieldErrors {
    let mut errors = FieldErrors::default();
    let notations = read_notations(provider, &mut errors);
    dsn::check(provider, FORM, &mut errors);
    if let Err(error) = Nearness::of(&notations.query_mappings) {
        add_error(&mut errors, error);
    }
    errors
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let notations = require_notations(provider)?;
    let near = Nearness::of(&notations.query_mappings)?;
    let database = Postgres::new(DatabaseTarget::of(provider, FORM)?, context)?;
    Ok(PgVector { near, model: vectors::model(provider), database }.boxed())
}

impl TypedConnector for PgVector {
    type Request = SqlRequest;
    type Response = FoundRows;

    fn capability(&self) -> Capability {
        Capability { page: false, date_sort: self.near.date_column.is_some(), not: false }
    }

    fn reader_model(&self) -> Option<&str> {
        Some(&self.model)
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<SqlRequest, ConnectorError> {
        let vector = vectors::required(query)?;
        let numbers: Vec<String> = vector.iter().map(f32::to_string).collect();
        Ok(SqlRequest {
            text: self.near.statement(query.sort, query.results_wanted),
            count_text: None,
            values: vec![format!("[{}]", numbers.join(","))],
            rows_max: query.results_wanted,
            time_max: query.time_max,
        })
    }

    async fn execute(&self, request: &SqlRequest) -> Result<FoundRows, ConnectorError> {
        driver::execute(&self.database, request).await
    }

    fn normalize(&self, response: FoundRows) -> Result<NormalizedPage, ConnectorError> {
        let mut page = response.into_page();
        for item in page.items.iter_mut().filter_map(serde_json::Value::as_object_mut) {
            item.remove(&self.near.column);
        }
        // Every row is near to some degree, so a total means nothing.
        page.found = None;
        Ok(page)
    }
}
