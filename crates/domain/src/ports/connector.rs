//! Connectors: one implementation per kind of source.
//!
//! A connector implements [`TypedConnector`], with its own types of requests and responses. Federation handles all of
//! them through [`Connector`], in two steps: a prepared request keeps its connector, and a fetched response as well, so
//! that neither can meet another kind.

use super::{ConnectorError, HttpResponse, PluginContext, RequestDescription, SourceRequest, SourceResponse};
use crate::corpus::{SourceKind, Topic};
use crate::ids::UserId;
use crate::provider::SearchProvider;
use crate::search::Sort;
use crate::validation::FieldErrors;
use async_trait::async_trait;
use serde::Serialize;
use serde_json::Value;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

/// The code for one kind of source, built once per provider and search. Its steps are called in this order.
pub trait TypedConnector: Send + Sync + Debug + Sized + 'static {
    type Request: SourceRequest + 'static;
    type Response: SourceResponse;
    /// Capabilities of the source for this provider.
    fn capability(&self) -> Capability;
    /// The embedding model that must turn the query into a vector first: its name, empty for the built-in one.
    fn reader_model(&self) -> Option<&str> {
        None
    }
    /// Number of pages that `results_wanted` results take.
    fn pages(&self, _results_wanted: u32) -> u32 {
        1
    }
    /// Number of results on a full page, if it is always the same: a first page with fewer is the last one.
    fn page_size(&self) -> Option<u32> {
        None
    }
    /// Builds the source's own query from url, query_template, query_mappings and credentials; an error if it must not
    /// be sent. No I/O.
    fn construct(&self, query: &ProviderQuery<'_>) -> Result<Self::Request, ConnectorError>;
    /// Sends the request for one page. The only step with I/O.
    fn execute(
        &self,
        request: &Self::Request,
    ) -> impl Future<Output = Result<Self::Response, ConnectorError>> + Send;
    /// Parses the response into found, retrieved and items. No I/O.
    fn normalize(&self, response: Self::Response) -> Result<NormalizedPage, ConnectorError>;
    /// Remarks on how it queried the source, for the messages of the search.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
    /// The connector as federation handles it.
    fn boxed(self) -> Box<dyn Connector> {
        Box::new(Erased(Arc::new(self)))
    }
}

/// Any connector, whatever its requests and responses are. Implemented by [`TypedConnector::boxed`].
pub trait Connector: Send + Sync + Debug {
    /// See [`TypedConnector::capability`].
    fn capability(&self) -> Capability;
    /// See [`TypedConnector::reader_model`].
    fn reader_model(&self) -> Option<&str>;
    /// See [`TypedConnector::pages`].
    fn pages(&self, results_wanted: u32) -> u32;
    /// See [`TypedConnector::page_size`].
    fn page_size(&self) -> Option<u32>;
    /// The request for one page. No I/O.
    fn prepare(&self, query: &ProviderQuery<'_>) -> Result<Box<dyn PreparedRequest>, ConnectorError>;
    /// See [`TypedConnector::remarks`].
    fn remarks(&self) -> Vec<String>;
}

/// A request with the connector that built it.
#[async_trait]
pub trait PreparedRequest: SourceRequest {
    /// Sends it. It may be sent again after a failure.
    async fn execute(&self) -> Result<Box<dyn FetchedResponse>, ConnectorError>;
}

/// A response with the connector that fetched it.
pub trait FetchedResponse: Send + Sync + Debug {
    /// See [`SourceResponse::unparsed`].
    fn unparsed(&self) -> Option<&HttpResponse>;
    /// A copy, for another search that shares the call.
    fn cloned(&self) -> Box<dyn FetchedResponse>;
    /// Parses it. No I/O, but it may take long.
    fn normalize(self: Box<Self>) -> Result<NormalizedPage, ConnectorError>;
}

/// The one adapter from the types of a connector to those that federation handles.
#[derive(Debug)]
struct Erased<C>(Arc<C>);

impl<C: TypedConnector> Connector for Erased<C> {
    fn capability(&self) -> Capability {
        self.0.capability()
    }

    fn reader_model(&self) -> Option<&str> {
        self.0.reader_model()
    }

    fn pages(&self, results_wanted: u32) -> u32 {
        self.0.pages(results_wanted)
    }

    fn page_size(&self) -> Option<u32> {
        self.0.page_size()
    }

    fn prepare(&self, query: &ProviderQuery<'_>) -> Result<Box<dyn PreparedRequest>, ConnectorError> {
        let request = self.0.construct(query)?;
        Ok(Box::new(RequestOf { connector: Arc::clone(&self.0), request }))
    }

    fn remarks(&self) -> Vec<String> {
        self.0.remarks()
    }
}

#[derive(Debug)]
struct RequestOf<C: TypedConnector> {
    connector: Arc<C>,
    request: C::Request,
}

impl<C: TypedConnector> SourceRequest for RequestOf<C> {
    fn description(&self) -> RequestDescription<'_> {
        self.request.description()
    }
}

#[async_trait]
impl<C: TypedConnector> PreparedRequest for RequestOf<C> {
    async fn execute(&self) -> Result<Box<dyn FetchedResponse>, ConnectorError> {
        let response = self.connector.execute(&self.request).await?;
        Ok(Box::new(ResponseOf { connector: Arc::clone(&self.connector), response }))
    }
}

#[derive(Debug)]
struct ResponseOf<C: TypedConnector> {
    connector: Arc<C>,
    response: C::Response,
}

impl<C: TypedConnector> FetchedResponse for ResponseOf<C> {
    fn unparsed(&self) -> Option<&HttpResponse> {
        self.response.unparsed()
    }

    fn cloned(&self) -> Box<dyn FetchedResponse> {
        Box::new(Self { connector: Arc::clone(&self.connector), response: self.response.clone() })
    }

    fn normalize(self: Box<Self>) -> Result<NormalizedPage, ConnectorError> {
        let Self { connector, response } = *self;
        connector.normalize(response)
    }
}

/// Builds a connector for one provider.
pub type BuildConnector = fn(&SearchProvider, &PluginContext) -> Result<Box<dyn Connector>, ConnectorError>;

/// An entry of the connector registry: the name on the wire, a one-line summary, and how to build it.
#[derive(Debug, Clone, Copy)]
pub struct ConnectorKind {
    pub name: &'static str,
    /// The module of the crate `connectors` that implements it.
    pub module: &'static str,
    pub summary: &'static str,
    /// Capabilities at best; a provider's mappings decide which of them apply.
    pub capability: Capability,
    /// The fields of a provider that it reads, apart from common ones such as `name`.
    pub settings: &'static [&'static str],
    /// The default authenticator of a source that needs the user's own token, if the provider names none.
    pub authenticator: Option<&'static str>,
    pub origin: ResultOrigin,
    /// The kind of its documents in the corpus, unless a provider says another.
    pub source_kind: SourceKind,
    pub test_target: TestTarget,
    /// Checks the provider's fields when it is saved, so that mistakes do not surface as missing results.
    pub check: fn(&SearchProvider) -> FieldErrors,
    pub build: BuildConnector,
}

/// Where the results of a connector come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultOrigin {
    /// A source outside of the service.
    Live,
    /// Documents of the corpus, whose access list is checked on every read.
    Corpus,
    /// Text that a model generates, which is no evidence for a summary.
    Generated,
}

/// What the tests of a connector run against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestTarget {
    /// The actual product.
    Product(&'static str),
    /// A fake that is written from the vendor's public description and rejects what the description does not contain.
    Fake,
}

/// Capabilities of a source; shown in the API, and checked before they are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, utoipa::ToSchema)]
pub struct Capability {
    /// More than one page of results.
    pub page: bool,
    pub date_sort: bool,
    /// Supports negated terms.
    pub not: bool,
}

/// A query to one provider.
#[derive(Debug, Clone, Copy)]
pub struct ProviderQuery<'a> {
    /// The words after all query processors.
    pub text: &'a str,
    pub sort: Sort,
    /// From 0.
    pub page: u32,
    pub results_wanted: u32,
    /// The embedding of the words, if the connector names an embedding model.
    pub vector: Option<&'a [f32]>,
    /// The user who searches.
    pub asker: UserId,
    /// The topic of the search before any processor; pins and elections are found by it.
    pub topic: Topic<'a>,
    /// Remaining time for this request.
    pub time_max: Duration,
}

/// A page of items before mapping.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NormalizedPage {
    /// Total number of matches, if the source reports it.
    pub found: Option<u64>,
    /// Number of items on this page, if the source reports it.
    pub retrieved: Option<u64>,
    pub items: Vec<Value>,
    /// Why other results are missing, if the source reports that a part of it failed.
    pub missing: Option<ConnectorError>,
}
