//! MongoDB connector: builds and runs the find command.

use crate::shared::check::{add_error, read_notations, require_notations};
use crate::shared::database::{ANSWER_BYTES_MAX, in_time, too_late};
use crate::shared::found_rows::FoundRows;
use crate::shared::mongo::clients::{self, Server};
use crate::shared::mongo::target::CollectionTarget;
use crate::shared::mongo::template::Template;
use crate::shared::mongo::values;
use domain::ports::{
    AddressResolver, Capability, Connector, ConnectorError, ConnectorErrorKind, NormalizedPage,
    PluginContext, ProviderQuery, RequestDescription, SourceRequest, TypedConnector,
};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::search::Sort;
use domain::validation::FieldErrors;
use mongodb::bson::{Document, RawDocumentBuf, doc};
use mongodb::error::{CommandError, Error, ErrorKind};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use syntax::error::SyntaxError;
use syntax::query_mappings::QueryMappings;

/// Match any of the words instead of all.
const MATCH_ANY: &str = "MATCH_ANY";
/// The response field in which the text index reports the score of a document.
const SCORE: &str = "textScore";
/// Documents are counted up to this number.
const COUNT_MAX: u64 = 10_000;

struct MongoDb {
    template: Template,
    date_field: Option<String>,
    knows_not: bool,
    target: CollectionTarget,
    resolver: Arc<dyn AddressResolver>,
}

impl fmt::Debug for MongoDb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MongoDb").field("collection", &self.target.collection).finish_non_exhaustive()
    }
}

pub fn check(provider: &SearchProvider) -> FieldErrors {
    let mut errors = FieldErrors::default();
    let notations = read_notations(provider, &mut errors);
    if let Err(error) = CollectionTarget::of(&provider.spec.url, &notations.credentials) {
        add_error(&mut errors, error);
    }
    if let Err(sentence) = template(&provider.spec, &notations.query_mappings) {
        errors.add("query_template_json", sentence);
    }
    if let Err(sentence) = date_field(&notations.query_mappings) {
        errors.add("query_mappings", sentence);
    }
    errors
}

pub fn build(
    provider: &SearchProvider,
    context: &PluginContext,
) -> Result<Box<dyn Connector>, ConnectorError> {
    let notations = require_notations(provider)?;
    let mappings = &notations.query_mappings;
    let wrong = |field| move |error: SyntaxError| ConnectorError::of_syntax(field, error);
    let target = CollectionTarget::of(&provider.spec.url, &notations.credentials);
    let template = template(&provider.spec, mappings).map_err(wrong("query_template_json"))?;
    Ok(MongoDb {
        date_field: date_field(mappings).map_err(wrong("query_mappings"))?,
        knows_not: template.searches_text() && mappings.not_char() == Some("-"),
        template,
        target: target?,
        resolver: Arc::clone(&context.resolver),
    }
    .boxed())
}

fn template(spec: &ProviderSpec, mappings: &QueryMappings) -> Result<Template, SyntaxError> {
    let is_any = mappings.has_flag(MATCH_ANY) || spec.tags.iter().any(|tag| tag == MATCH_ANY);
    Template::parse(&spec.query_template_json, mappings, is_any)
}

fn date_field(mappings: &QueryMappings) -> Result<Option<String>, SyntaxError> {
    match mappings.get("sort_by_date").map(str::trim) {
        Some(field) if field.is_empty() || field.contains(['$', '\0']) => {
            Err("sort_by_date is the name of a field.".into())
        }
        field => Ok(field.map(str::to_owned)),
    }
}

impl TypedConnector for MongoDb {
    type Request = FindRequest;
    type Response = FoundRows;

    fn capability(&self) -> Capability {
        Capability { page: false, date_sort: self.date_field.is_some(), not: self.knows_not }
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<FindRequest, ConnectorError> {
        let filter = self.template.bind(query.text).ok_or_else(|| {
            ConnectorError::new(ConnectorErrorKind::QueryInvalid, "the query contains no word to search for")
        })?;
        let score = self.template.searches_text().then(|| json!({ SCORE: { "$meta": SCORE } }));
        let sort = match &self.date_field {
            Some(field) if query.sort == Sort::Date => Some(json!({ field.as_str(): -1 })),
            _ => score.clone(),
        };
        Ok(FindRequest {
            place: format!("{}:{}", self.target.database, self.target.collection),
            collection: self.target.collection.clone(),
            filter,
            sort,
            projection: score,
            rows_max: query.results_wanted,
            time_max: query.time_max,
        })
    }

    async fn execute(&self, request: &FindRequest) -> Result<FoundRows, ConnectorError> {
        let command = FindCommand {
            filter: document(&request.filter).unwrap_or_default(),
            sort: request.sort.as_ref().and_then(document),
            projection: request.projection.as_ref().and_then(document),
            rows_max: request.rows_max,
            started: Instant::now(),
            time_max: request.time_max,
        };
        in_time(request.time_max, self.run_command(&command)).await
    }

    fn normalize(&self, response: FoundRows) -> Result<NormalizedPage, ConnectorError> {
        Ok(response.into_page())
    }
}

/// The find command of one query, with its parts in JSON.
#[derive(Debug)]
struct FindRequest {
    /// Database and collection, for display.
    place: String,
    collection: String,
    filter: Value,
    sort: Option<Value>,
    projection: Option<Value>,
    rows_max: u32,
    time_max: Duration,
}

impl SourceRequest for FindRequest {
    fn description(&self) -> RequestDescription<'_> {
        let mut body = json!({"find": self.collection, "filter": self.filter});
        for (name, part) in [("sort", &self.sort), ("projection", &self.projection)] {
            if let Some(part) = part {
                body[name] = part.clone();
            }
        }
        RequestDescription::Command { place: &self.place, body: Cow::Owned(body), rows_max: self.rows_max }
    }
}

struct FindCommand {
    filter: Document,
    sort: Option<Document>,
    projection: Option<Document>,
    rows_max: u32,
    started: Instant,
    time_max: Duration,
}

impl FindCommand {
    /// The time that is left for the server.
    fn time_left(&self) -> Duration {
        self.time_max.saturating_sub(self.started.elapsed()).max(Duration::from_millis(1))
    }
}

impl MongoDb {
    /// Runs the command on the first server that can be reached.
    async fn run_command(&self, command: &FindCommand) -> Result<FoundRows, ConnectorError> {
        let mut failed = ConnectorError::new(ConnectorErrorKind::Unavailable, "no server can be reached");
        for server in clients::connect(&self.target.address, self.resolver.as_ref()).await?.iter() {
            let answer = tokio::select! {
                answer = self.run_command_on(server, command) => answer,
                error = server.failure() => Err(self.failed(&error, server)),
            };
            match answer {
                Err(error) if error.kind == ConnectorErrorKind::Unavailable => failed = error,
                answer => return answer,
            }
        }
        Err(failed)
    }

    async fn run_command_on(
        &self,
        server: &Server,
        command: &FindCommand,
    ) -> Result<FoundRows, ConnectorError> {
        let failed = |error: Error| self.failed(&error, server);
        let rows = self.read(server, command).await?;
        if rows.is_empty() && !self.is_there(server).await? {
            let message = format!(
                "the collection '{}' does not exist in the database '{}'",
                self.target.collection, self.target.database
            );
            return Err(ConnectorError::new(ConnectorErrorKind::PlaceUnknown, message));
        }
        let mut found = rows.len() as u64;
        if rows.len() >= command.rows_max as usize {
            let collection = self.collection(server);
            let counting = collection.count_documents(command.filter.clone());
            let counted = counting.limit(COUNT_MAX).max_time(command.time_left()).await.map_err(failed)?;
            found = found.max(counted);
        }
        Ok(FoundRows { found, rows, missing: None })
    }

    async fn read(&self, server: &Server, command: &FindCommand) -> Result<Vec<Value>, ConnectorError> {
        let failed = |error: Error| self.failed(&error, server);
        let collection = self.collection(server);
        let mut finding = collection
            .find(command.filter.clone())
            .limit(i64::from(command.rows_max))
            .max_time(command.time_left());
        if let Some(sort) = &command.sort {
            finding = finding.sort(sort.clone());
        }
        if let Some(projection) = &command.projection {
            finding = finding.projection(projection.clone());
        }
        let mut cursor = finding.await.map_err(failed)?;
        let mut rows = Vec::new();
        let mut bytes = 0;
        while rows.len() < command.rows_max as usize && cursor.advance().await.map_err(failed)? {
            let raw = cursor.current();
            bytes += raw.as_bytes().len();
            if bytes > ANSWER_BYTES_MAX {
                let message = format!("the answer is larger than {ANSWER_BYTES_MAX} bytes");
                return Err(ConnectorError::new(ConnectorErrorKind::Unreadable, message));
            }
            let document = Document::try_from(raw).map_err(|error| self.unreadable().caused_by(error))?;
            rows.push(values::to_json(document));
        }
        Ok(rows)
    }

    /// If the user may not list collections, a missing collection is not reported.
    async fn is_there(&self, server: &Server) -> Result<bool, ConnectorError> {
        let database = server.client.database(&self.target.database);
        let named = doc! { "name": &self.target.collection };
        match database.list_collection_names().filter(named).await {
            Ok(names) => Ok(!names.is_empty()),
            Err(error) if matches!(&*error.kind, ErrorKind::Command(cause) if cause.code == 13) => Ok(true),
            Err(error) => Err(self.failed(&error, server)),
        }
    }

    fn collection(&self, server: &Server) -> mongodb::Collection<RawDocumentBuf> {
        server.client.database(&self.target.database).collection(&self.target.collection)
    }

    fn failed(&self, error: &Error, server: &Server) -> ConnectorError {
        let host = &self.target.shown;
        let (kind, message) = match &*error.kind {
            ErrorKind::Command(cause) => return self.refused(cause).caused_by(error.clone()),
            ErrorKind::Authentication { .. } => return self.denied().caused_by(error.clone()),
            ErrorKind::InvalidTlsConfig { .. } => {
                (ConnectorErrorKind::Untrusted, format!("no secure connection to {host}"))
            }
            ErrorKind::Io(cause) if server.uses_tls && is_tls_error(cause) => (
                ConnectorErrorKind::Untrusted,
                format!("no secure connection to {host}: {}", first_line(&cause.to_string())),
            ),
            ErrorKind::Io(cause) => (
                ConnectorErrorKind::Unavailable,
                format!("no connection to {host}: {}", first_line(&cause.to_string())),
            ),
            ErrorKind::InvalidResponse { .. } | ErrorKind::BsonDeserialization(_) | ErrorKind::Bson(_) => {
                return self.unreadable().caused_by(error.clone());
            }
            _ => (ConnectorErrorKind::Unavailable, format!("{host} cannot be reached now")),
        };
        ConnectorError::new(kind, message).caused_by(error.clone())
    }

    fn refused(&self, cause: &CommandError) -> ConnectorError {
        let message_text = first_line(&cause.message).to_owned();
        let collection = &self.target.collection;
        let (kind, message) = match cause.code {
            // AuthenticationFailed, and its Atlas variant.
            18 | 8000 => return self.denied(),
            // MaxTimeMSExpired.
            50 => return too_late(),
            // Unauthorized.
            13 => (ConnectorErrorKind::Denied, message_text),
            // NamespaceNotFound.
            26 => (ConnectorErrorKind::PlaceUnknown, message_text),
            // IndexNotFound.
            27 => (
                ConnectorErrorKind::ConfigInvalid,
                format!(
                    "the collection '{collection}' has no text index; make one with \
                     db.{collection}.createIndex({{\"<field>\": \"text\"}})"
                ),
            ),
            // Shutting down, starting, or temporarily unable to answer.
            91 | 189 | 10107 | 11600 | 11602 | 13435 | 13436 => {
                (ConnectorErrorKind::Unavailable, message_text)
            }
            _ => {
                (ConnectorErrorKind::ConfigInvalid, format!("the source refused the filter: {message_text}"))
            }
        };
        ConnectorError::new(kind, message)
    }

    fn denied(&self) -> ConnectorError {
        let message = format!("{} refused the user or the password", self.target.shown);
        ConnectorError::new(ConnectorErrorKind::Denied, message)
    }

    fn unreadable(&self) -> ConnectorError {
        let message = format!("the answer of {} cannot be read", self.target.shown);
        ConnectorError::new(ConnectorErrorKind::Unreadable, message)
    }
}

fn document(part: &Value) -> Option<Document> {
    part.as_object().map(values::to_document)
}

/// A failed handshake, or a connection that the peer closed because it did not understand it.
fn is_tls_error(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, InvalidData, UnexpectedEof};
    let is_reported = error.get_ref().is_some_and(|cause| cause.is::<rustls::Error>());
    is_reported
        || matches!(
            error.kind(),
            InvalidData | UnexpectedEof | ConnectionReset | ConnectionAborted | BrokenPipe
        )
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
