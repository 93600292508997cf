//! Connector for any vector store, generic over the vendor.

use super::paging::{PagePlan, Window};
use super::reply::Reply;
use crate::shared::check::{Notations, add_error, read_notations};
use crate::shared::vectors;
use async_trait::async_trait;
use domain::ports::{
    Capability, ConnectorError, ConnectorErrorKind, NormalizedPage, ProviderQuery, RequestDescription,
    SourceRequest, TypedConnector,
};
use domain::provider::SearchProvider;
use domain::validation::FieldErrors;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

/// The API of one vendor.
#[async_trait]
pub trait Vendor: Send + Sync + fmt::Debug + 'static {
    /// The vendor's request.
    type Ask: VectorAsk;
    /// The request for a range of nearest documents. No I/O.
    fn ask(&self, vector: &[f32], window: Window) -> Self::Ask;
    /// Sends the request.
    async fn send(&self, ask: &Self::Ask, time_max: Duration) -> Result<Reply, ConnectorError>;
    /// The documents in the response, nearest first. No I/O.
    fn items(&self, reply: Reply, dimensions: usize) -> Result<Vec<Value>, ConnectorError>;
    /// The name of the queried collection, for display.
    fn target_name(&self) -> &str;
}

/// A vendor's request for the nearest documents.
pub trait VectorAsk: Send + Sync + fmt::Debug + 'static {
    /// The request as JSON, for display.
    fn shown(&self) -> Cow<'_, Value>;
}

/// The body of the request itself.
impl VectorAsk for Value {
    fn shown(&self) -> Cow<'_, Value> {
        Cow::Borrowed(self)
    }
}

pub struct VectorSource<V> {
    vendor: V,
    plan: PagePlan,
    /// The embedding model.
    model: String,
}

impl<V: fmt::Debug> fmt::Debug for VectorSource<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VectorSource").field("vendor", &self.vendor).finish_non_exhaustive()
    }
}

impl<V: Vendor> VectorSource<V> {
    pub fn new(provider: &SearchProvider, plan: PagePlan, vendor: V) -> Self {
        Self { vendor, plan, model: vectors::model(provider) }
    }
}

/// Validates a provider, including what `read` checks.
pub fn check_with<T>(
    provider: &SearchProvider,
    read: impl FnOnce(&SearchProvider, &Notations) -> Result<T, ConnectorError>,
) -> FieldErrors {
    let mut errors = FieldErrors::default();
    let notations = read_notations(provider, &mut errors);
    if let Err(error) = read(provider, &notations) {
        add_error(&mut errors, error);
    }
    errors
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

impl<V: Vendor> TypedConnector for VectorSource<V> {
    type Request = VectorRequest<V::Ask>;
    type Response = Vec<Value>;

    fn capability(&self) -> Capability {
        self.plan.capability()
    }

    fn reader_model(&self) -> Option<&str> {
        Some(&self.model)
    }

    fn pages(&self, results_wanted: u32) -> u32 {
        self.plan.pages(results_wanted)
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<VectorRequest<V::Ask>, ConnectorError> {
        let vector = vectors::required(query)?;
        if vector.iter().any(|number| !number.is_finite()) {
            let message = "the query's vector contains values that are not numbers";
            return Err(ConnectorError::new(ConnectorErrorKind::QueryInvalid, message));
        }
        Ok(VectorRequest {
            target: self.vendor.target_name().to_owned(),
            ask: self.plan.window(query).map(|window| self.vendor.ask(vector, window)),
            dimensions: vector.len(),
            newest_first: self.plan.is_by_date(query.sort),
            rows_max: query.results_wanted,
            time_max: query.time_max,
        })
    }

    async fn execute(&self, request: &VectorRequest<V::Ask>) -> Result<Vec<Value>, ConnectorError> {
        let time_max = request.time_max;
        if time_max.is_zero() {
            return Err(too_late());
        }
        let Some(ask) = &request.ask else { return Ok(Vec::new()) };
        let reply = tokio::time::timeout(time_max, self.vendor.send(ask, time_max));
        let reply = reply.await.map_err(|_| too_late())??;
        let mut rows = self.vendor.items(reply, request.dimensions)?;
        if request.newest_first {
            rows = self.plan.newest_first(rows);
        }
        rows.truncate(request.rows_max as usize);
        Ok(rows)
    }

    fn normalize(&self, items: Vec<Value>) -> Result<NormalizedPage, ConnectorError> {
        // Every document is near to some degree, so a total means nothing.
        Ok(NormalizedPage { found: None, retrieved: Some(items.len() as u64), items, missing: None })
    }
}

/// A request for the documents nearest to a vector.
#[derive(Debug)]
pub struct VectorRequest<A> {
    /// The queried collection, for display.
    target: String,
    /// None if earlier pages covered everything.
    ask: Option<A>,
    /// That of the query's vector.
    dimensions: usize,
    newest_first: bool,
    rows_max: u32,
    time_max: Duration,
}

impl<A: VectorAsk> SourceRequest for VectorRequest<A> {
    fn description(&self) -> RequestDescription<'_> {
        let body = json!({
            "ask": self.ask.as_ref().map(VectorAsk::shown),
            "dimensions": self.dimensions,
            "newest_first": self.newest_first,
            "wanted": self.rows_max,
        });
        RequestDescription::Command { place: &self.target, body: Cow::Owned(body), rows_max: self.rows_max }
    }
}

fn too_late() -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::Timeout, "the source did not answer in time")
}
