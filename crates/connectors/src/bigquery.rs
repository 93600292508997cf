//! BigQuery connector: queries Google BigQuery over its REST API with query parameters and cancels jobs that take too
//! long.

use crate::shared::bigquery::access::{Access, AccessToken};
use crate::shared::bigquery::rows;
use crate::shared::check::require_notations;
use crate::shared::database::{self, Rows, SqlQuery, SqlRequest, too_late};
use crate::shared::dialect::Dialect;
use crate::shared::found_rows::{FoundRows, ListedRows};
use crate::shared::http_auth;
use crate::shared::remote_sql::base_url::BaseUrl;
use crate::shared::remote_sql::http::{Call, Reply, send};
use crate::shared::remote_sql::{self, BoundStatement, PAGES_MAX, PollBackoff, RemoteDatabase, error};
use api_auth::access_token;
use async_trait::async_trait;
use domain::corpus::SourceKind;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorErrorKind, ConnectorKind, NormalizedPage, PluginContext,
    ProviderQuery, ResultOrigin, TestTarget, TypedConnector,
};
use domain::provider::SearchProvider;
use domain::validation::FieldErrors;
use serde_json::{Value, json};
use std::fmt;
use std::time::Duration;
use syntax::credentials::SourceCredentials;
use syntax::error::SyntaxError;
use syntax::query_mappings::QueryMappings;
use url::Url;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "BigQuery",
    module: "bigquery",
    summary: "A Google BigQuery dataset, queried with an SQL statement over its REST API.",
    capability: Capability { page: false, date_sort: true, not: false },
    settings: database::SETTINGS,
    authenticator: None,
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Db,
    test_target: TestTarget::Fake,
    check,
    build,
};

const ADDRESS: &str = "https://bigquery.googleapis.com";
/// How long one request waits at the source for a job to finish before the job is polled again.
const WAIT_AT_SOURCE: Duration = Duration::from_secs(5);

struct BigQuery {
    sql_query: SqlQuery,
    base_url: BaseUrl,
    access: Access,
    scope: Scope,
    context: PluginContext,
}

/// Where a statement runs and its cost limit, from `query_mappings`.
#[derive(Debug, Default)]
struct Scope {
    /// The billed project; defaults to the project of the key.
    project: Option<String>,
    dataset: Option<String>,
    location: Option<String>,
    bytes_max: Option<u64>,
}

impl fmt::Debug for BigQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BigQuery")
            .field("base_url", &self.base_url)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

fn base_url(provider: &SearchProvider) -> Result<BaseUrl, SyntaxError> {
    let url = provider.spec.url.trim();
    BaseUrl::parse(if url.is_empty() { ADDRESS } else { url })
}

fn check(provider: &SearchProvider) -> FieldErrors {
    let (mappings, credentials, mut errors) = remote_sql::check(provider, Dialect::BigQuery);
    if let Err(sentence) = Scope::of(&mappings) {
        errors.add("query_mappings", sentence);
    }
    match base_url(provider) {
        Err(sentence) => errors.add("url", sentence),
        Ok(base_url) if credentials != SourceCredentials::None => {
            if let Err(sentence) = Access::of(&credentials, &base_url) {
                errors.add("credentials", sentence);
            }
        }
        Ok(_) => {}
    }
    errors
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let notations = require_notations(provider)?;
    let mut base_url = base_url(provider).map_err(|error| ConnectorError::of_syntax("url", error))?;
    base_url.tls = base_url.tls.or_else(|| http_auth::tls(&notations.credentials));
    let access = Access::of(&notations.credentials, &base_url);
    Ok(BigQuery {
        sql_query: SqlQuery::of(provider, Dialect::BigQuery)?,
        access: access.map_err(|error| ConnectorError::of_syntax("credentials", error))?,
        scope: Scope::of(&notations.query_mappings)
            .map_err(|error| ConnectorError::of_syntax("query_mappings", error))?,
        base_url,
        context: context.clone(),
    }
    .boxed())
}

impl Scope {
    fn of(mappings: &QueryMappings) -> Result<Self, SyntaxError> {
        let text = |name: &str| mappings.get(name).map(|text| text.trim().to_owned());
        let bytes_max = mappings.get("max_bytes").map(|text| text.trim().parse::<u64>());
        Ok(Self {
            project: text("project"),
            dataset: text("dataset"),
            location: text("location"),
            bytes_max: bytes_max
                .transpose()
                .map_err(|error| SyntaxError::new("max_bytes is a number of bytes.").caused_by(error))?,
        })
    }

    fn body(&self, statement: &BoundStatement<'_>) -> Value {
        let parameters = statement
            .values
            .iter()
            .map(|value| json!({"parameterType": {"type": "STRING"}, "parameterValue": {"value": value}}));
        let millis = statement.deadline.statement_time().as_millis().max(1).to_string();
        let mut body = json!({
            "query": statement.text,
            "useLegacySql": false,
            "parameterMode": "POSITIONAL",
            "queryParameters": parameters.collect::<Vec<Value>>(),
            "maxResults": statement.rows_max,
            "timeoutMs": WAIT_AT_SOURCE.min(statement.deadline.statement_time()).as_millis() as u64,
            // BigQuery itself ends a job that takes too long.
            "jobTimeoutMs": millis,
        });
        if let Some(dataset) = &self.dataset {
            body["defaultDataset"] = match dataset.split_once('.') {
                Some((project, dataset)) => json!({"projectId": project, "datasetId": dataset}),
                None => json!({"datasetId": dataset}),
            };
        }
        if let Some(location) = &self.location {
            body["location"] = location.as_str().into();
        }
        if let Some(bytes_max) = self.bytes_max {
            body["maximumBytesBilled"] = bytes_max.to_string().into();
        }
        body
    }
}

impl TypedConnector for BigQuery {
    type Request = SqlRequest;
    type Response = FoundRows;

    fn capability(&self) -> Capability {
        self.sql_query.capability()
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<SqlRequest, ConnectorError> {
        self.sql_query.construct(query)
    }

    async fn execute(&self, request: &SqlRequest) -> Result<FoundRows, ConnectorError> {
        remote_sql::execute(self, request).await
    }

    fn normalize(&self, response: FoundRows) -> Result<NormalizedPage, ConnectorError> {
        Ok(response.into_page())
    }
}

#[async_trait]
impl RemoteDatabase for BigQuery {
    async fn rows(&self, statement: &BoundStatement<'_>) -> Result<ListedRows, ConnectorError> {
        let access_token =
            self.access.access_token(&self.base_url, &self.context, statement.deadline.remaining()).await?;
        let project = self.scope.project.clone().or_else(|| access_token.project.clone());
        let project =
            project.ok_or_else(|| ConnectorError::in_field("query_mappings", "project=<name> is needed."))?;
        let run = StatementRun { source: self, access_token, project };
        let mut body = self.scope.body(statement);
        if let Some(dataset) = body.get_mut("defaultDataset").and_then(Value::as_object_mut) {
            dataset.entry("projectId").or_insert_with(|| run.project.as_str().into());
        }
        let first = run.send(run.at(&["queries"]), Some(&body), statement.deadline.remaining()).await?;
        let job = Job::of(&first);
        let mut page = run.finished(first, job.as_ref(), statement).await?;
        let rows_max = statement.rows_max as usize;
        let (mut read, mut missing) = (Rows::default(), job_error(&page));
        for _ in 0..PAGES_MAX {
            for row in rows::objects(&page).into_iter().take(rows_max - read.rows.len()) {
                read.push(row)?;
            }
            let token = page.get("pageToken").and_then(Value::as_str).filter(|token| !token.is_empty());
            let (Some(token), Some(job), true) = (token, &job, read.rows.len() < rows_max) else { break };
            let url =
                run.results(job, &[("pageToken", token), ("maxResults", &statement.rows_max.to_string())]);
            page = match run.send(url, None, statement.deadline.remaining()).await {
                Ok(page) => page,
                Err(error) => {
                    missing = Some(error);
                    break;
                }
            };
        }
        Ok(ListedRows { rows: read.rows, missing })
    }
}

/// What a job that has rows reports as its first error.
fn job_error(page: &Value) -> Option<ConnectorError> {
    let error = page.pointer("/errors/0")?;
    let said = error::one_line(error.get("message").and_then(Value::as_str).unwrap_or("an error"));
    Some(ConnectorError::new(ConnectorErrorKind::SourceError, format!("BigQuery reports: {said}")))
}

/// A started job.
struct Job {
    id: String,
    location: Option<String>,
}

impl Job {
    fn of(body: &Value) -> Option<Self> {
        let text = |name: &str| Some(body.pointer("/jobReference")?.get(name)?.as_str()?.to_owned());
        Some(Self { id: text("jobId")?, location: text("location") })
    }
}

/// The requests for one statement.
struct StatementRun<'a> {
    source: &'a BigQuery,
    access_token: AccessToken,
    project: String,
}

impl StatementRun<'_> {
    /// The first response with rows. A job that is still running at the deadline is cancelled.
    async fn finished(
        &self,
        first: Value,
        job: Option<&Job>,
        statement: &BoundStatement<'_>,
    ) -> Result<Value, ConnectorError> {
        if is_complete(&first) {
            return Ok(first);
        }
        let job = job.ok_or_else(|| {
            ConnectorError::new(ConnectorErrorKind::Unreadable, "the response has neither a job nor rows")
        })?;
        let outcome = self.watch(job, statement).await;
        if outcome.as_ref().is_err_and(|error| error.kind == ConnectorErrorKind::Timeout) {
            // The outcome of the cancellation does not matter.
            let mut url = self.at(&["jobs", &job.id, "cancel"]);
            add(&mut url, &[], job.location.as_deref());
            let _ = self.send(url, Some(&json!({})), statement.deadline.remaining()).await;
        }
        outcome
    }

    async fn watch(&self, job: &Job, statement: &BoundStatement<'_>) -> Result<Value, ConnectorError> {
        let mut backoff = PollBackoff::new(statement.deadline);
        loop {
            backoff.wait().await?;
            let time_max = statement.deadline.statement_time();
            let millis = WAIT_AT_SOURCE.min(time_max).as_millis().to_string();
            let rows_max = statement.rows_max.to_string();
            let url = self.results(job, &[("maxResults", &rows_max), ("timeoutMs", &millis)]);
            let page = self.send(url, None, time_max).await?;
            if is_complete(&page) {
                return Ok(page);
            }
        }
    }

    fn results(&self, job: &Job, more: &[(&str, &str)]) -> Url {
        let mut url = self.at(&["queries", &job.id]);
        add(&mut url, more, job.location.as_deref());
        url
    }

    fn at(&self, more: &[&str]) -> Url {
        let start = ["bigquery", "v2", "projects", self.project.as_str()];
        let parts: Vec<&str> = start.iter().chain(more).copied().collect();
        self.source.base_url.join(&parts)
    }

    async fn send(
        &self,
        url: Url,
        body: Option<&Value>,
        time_max: Duration,
    ) -> Result<Value, ConnectorError> {
        let call = Call {
            url,
            body,
            authorization: Some(&self.access_token.authorization),
            headers: Vec::new(),
            time_max,
        };
        let reply = send(&self.source.context, (&self.source.base_url).into(), call).await?;
        if (200..=299).contains(&reply.status) { Ok(reply.body) } else { Err(self.to_error(&reply)) }
    }

    fn to_error(&self, reply: &Reply) -> ConnectorError {
        if let (401, Some(key)) = (reply.status, &self.access_token.key) {
            access_token::forget(key);
        }
        let now = self.source.context.clock.now();
        let text = |path: &str| reply.body.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let vendor_message = error::one_line(text("/error/message"));
        let kind = match (text("/error/errors/0/reason"), reply.status) {
            ("rateLimitExceeded" | "jobRateLimitExceeded" | "quotaExceeded", _) | (_, 429) => {
                return error::rate_limited(reply, now);
            }
            ("stopped" | "timeout", _) => return too_late(),
            ("notFound", _) => ConnectorErrorKind::PlaceUnknown,
            ("accessDenied" | "authError" | "required" | "billingNotEnabled", _) | (_, 401) => {
                ConnectorErrorKind::Denied
            }
            ("bytesBilledLimitExceeded", _) => ConnectorErrorKind::QueryInvalid,
            ("invalid" | "invalidQuery", _) => return error::refused(&vendor_message),
            _ => return error::from_status(reply, now),
        };
        ConnectorError::new(
            kind,
            if vendor_message.is_empty() {
                "BigQuery refused the request".to_owned()
            } else {
                vendor_message
            },
        )
    }
}

fn is_complete(page: &Value) -> bool {
    page.get("jobComplete") != Some(&Value::Bool(false))
}

fn add(url: &mut Url, pairs: &[(&str, &str)], location: Option<&str>) {
    let location = location.map(|location| ("location", location));
    url.query_pairs_mut().extend_pairs(pairs.iter().copied().chain(location));
}
