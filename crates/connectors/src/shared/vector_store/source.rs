//! Connector for any vector store, generic over the vendor.

use super::paging::{PagePlan, Window};
use super::reply::Reply;
use crate::shared::check::{FieldError, Notations, config_error, read_notations};
use crate::shared::database::other_kind;
use crate::shared::vectors;
use async_trait::async_trait;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorErrorKind, NormalizedPage, PluginContext, ProviderQuery,
    SourceQuery, SourceResponse,
};
use domain::provider::SearchProvider;
use domain::validation::FieldErrors;
use serde_json::{Map, Value, json};
use std::fmt;
use std::time::Duration;

/// The API of one vendor.
#[async_trait]
pub trait Vendor: Send + Sync + fmt::Debug {
    /// The request for a range of nearest documents. No I/O.
    fn ask(&self, vector: &[f32], window: Window) -> Value;
    /// Sends the request.
    async fn send(&self, ask: &Value, time_max: Duration) -> Result<Reply, ConnectorError>;
    /// The documents in the response, nearest first. No I/O.
    fn items(&self, reply: Reply, dimensions: usize) -> Result<Vec<Value>, ConnectorError>;
    /// The name of the queried collection, for display.
    fn target_name(&self) -> &str;
}

pub struct VectorSource<V> {
    vendor: V,
    plan: PagePlan,
    /// The embedding model.
    model: String,
    context: PluginContext,
}

impl<V: fmt::Debug> fmt::Debug for VectorSource<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VectorSource").field("vendor", &self.vendor).finish_non_exhaustive()
    }
}

impl<V: Vendor> VectorSource<V> {
    pub fn new(provider: &SearchProvider, plan: PagePlan, vendor: V, context: &PluginContext) -> Self {
        Self { vendor, plan, model: vectors::model(provider), context: context.clone() }
    }
}

/// Validates a provider, including what `read` checks.
pub fn check_with<T>(
    provider: &SearchProvider,
    read: impl FnOnce(&SearchProvider, &Notations) -> Result<T, FieldError>,
) -> FieldErrors {
    let mut errors = FieldErrors::default();
    let notations = read_notations(provider, &mut errors);
    if let Err((field, sentence)) = read(provider, &notations) {
        errors.add(field, sentence);
    }
    errors
}

/// The connector error for an invalid field of a saved provider.
pub fn into_connector_error((field, sentence): FieldError) -> ConnectorError {
    config_error(&FieldErrors::one(field, sentence))
}

/// A document's fields with its id and similarity.
pub fn item(fields: Option<&Value>, id: Value, similarity: Option<f64>) -> Value {
    let mut fields: Map<String, Value> = fields.and_then(Value::as_object).cloned().unwrap_or_default();
    fields.insert("id".to_owned(), id);
    fields.insert("similarity".to_owned(), similarity.map_or(Value::Null, Value::from));
    Value::Object(fields)
}

/// The error for a response without an expected member.
pub fn unreadable(what: &str) -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::Unreadable, format!("the source's answer has no {what}"))
}

#[async_trait]
impl<V: Vendor> Connector for VectorSource<V> {
    fn capability(&self) -> Capability {
        self.plan.capability()
    }

    fn reader_model(&self) -> Option<&str> {
        Some(&self.model)
    }

    fn pages(&self, results_wanted: u32) -> u32 {
        self.plan.pages(results_wanted)
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<SourceQuery, ConnectorError> {
        let vector = vectors::required(query)?;
        if vector.iter().any(|number| !number.is_finite()) {
            let message = "the query's vector contains values that are not numbers";
            return Err(ConnectorError::new(ConnectorErrorKind::QueryInvalid, message));
        }
        let ask = self.plan.window(query).map(|window| self.vendor.ask(vector, window));
        Ok(SourceQuery::Command {
            place: self.vendor.target_name().to_owned(),
            body: json!({
                "ask": ask,
                "dimensions": vector.len(),
                "newest_first": self.plan.is_by_date(query.sort),
                "wanted": query.results_wanted,
            }),
            rows_max: query.results_wanted,
            time_max: query.time_max,
        })
    }

    async fn execute(&self, built: &SourceQuery) -> Result<SourceResponse, ConnectorError> {
        let SourceQuery::Command { body, rows_max, time_max, .. } = built else { return Err(other_kind()) };
        if time_max.is_zero() {
            return Err(too_late());
        }
        let ask = body.get("ask").filter(|ask| !ask.is_null());
        let Some(ask) = ask else { return Ok(SourceResponse::Rows { found: 0, rows: Vec::new() }) };
        let reply = tokio::time::timeout(*time_max, self.vendor.send(ask, *time_max));
        let reply = reply.await.map_err(|_| too_late())??;
        let dimensions = body["dimensions"].as_u64().and_then(|number| usize::try_from(number).ok());
        let mut rows = self.vendor.items(reply, dimensions.unwrap_or_default())?;
        if body["newest_first"] == true {
            rows = self.plan.newest_first(rows);
        }
        rows.truncate(*rows_max as usize);
        Ok(SourceResponse::Rows { found: rows.len() as u64, rows })
    }

    fn normalize(&self, response: SourceResponse) -> Result<NormalizedPage, ConnectorError> {
        let items = match response {
            SourceResponse::Rows { rows, .. } => rows,
            SourceResponse::Http(http) => {
                self.vendor.items(Reply::of(&http, self.context.clock.now())?, 0)?
            }
        };
        // Every document is near to some degree, so a total means nothing.
        Ok(NormalizedPage { found: None, retrieved: Some(items.len() as u64), items })
    }
}

fn too_late() -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::Timeout, "the source did not answer in time")
}
