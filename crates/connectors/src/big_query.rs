//! BigQuery: the data warehouse of Google Cloud, asked over its REST interface with query parameters; a job that
//! takes too long is ended.

use crate::shared::big_query::access::{Access, Pass};
use crate::shared::big_query::rows;
use crate::shared::check::require_notations;
use crate::shared::database::{self, Question, Rows, too_late};
use crate::shared::dialect::Dialect;
use crate::shared::http_auth;
use crate::shared::remote_sql::exchange::{Body, Call, Reply, send};
use crate::shared::remote_sql::site::Site;
use crate::shared::remote_sql::{self, Asked, PAGES_MAX, Patience, RemoteDatabase, fault, wrong};
use async_trait::async_trait;
use domain::contracts::{
    Capability, Connector, ConnectorError, ConnectorErrorKind, ConnectorKind, NormalizedPage, PluginContext,
    ProviderQuery, SourceQuery, SourceResponse, TriedOn,
};
use domain::notation::credentials::SourceCredentials;
use domain::notation::query_mappings::QueryMappings;
use domain::provider::SearchProvider;
use domain::validation::FieldErrors;
use serde_json::{Value, json};
use std::fmt;
use std::time::Duration;
use url::Url;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "BigQuery",
    summary: "A dataset of Google BigQuery, asked with an SQL statement over its REST interface.",
    capability: Capability { page: false, date_sort: true, not: false },
    settings: database::SETTINGS,
    authenticator: None,
    tried_on: TriedOn::StandIn,
    check,
    build,
};

const ADDRESS: &str = "https://bigquery.googleapis.com";
/// How long one request waits at the source for the end of a job; after it the job is looked at again.
const WAIT_AT_SOURCE: Duration = Duration::from_secs(5);

struct BigQuery {
    question: Question,
    site: Site,
    access: Access,
    scope: Scope,
    context: PluginContext,
}

/// Where and within what a statement runs, from `query_mappings`.
#[derive(Debug, Default)]
struct Scope {
    /// The project that pays; that of the key when it is not said.
    project: Option<String>,
    dataset: Option<String>,
    location: Option<String>,
    bytes_max: Option<u64>,
}

impl fmt::Debug for BigQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BigQuery")
            .field("site", &self.site)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

fn site(provider: &SearchProvider) -> Result<Site, String> {
    let url = provider.spec.url.trim();
    Site::read(if url.is_empty() { ADDRESS } else { url })
}

fn check(provider: &SearchProvider) -> FieldErrors {
    let (mappings, credentials, mut errors) = remote_sql::check(provider, Dialect::BigQuery);
    if let Err(sentence) = Scope::of(&mappings) {
        errors.add("query_mappings", sentence);
    }
    match site(provider) {
        Err(sentence) => errors.add("url", sentence),
        Ok(site) if credentials != SourceCredentials::None => {
            if let Err(sentence) = Access::of(&credentials, &site) {
                errors.add("credentials", sentence);
            }
        }
        Ok(_) => {}
    }
    errors
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let notations = require_notations(provider)?;
    let mut site = site(provider).map_err(|sentence| wrong("url", sentence))?;
    site.tls = site.tls.or_else(|| http_auth::tls(&notations.credentials));
    let access = Access::of(&notations.credentials, &site);
    Ok(Box::new(BigQuery {
        question: Question::of(provider, Dialect::BigQuery)?,
        access: access.map_err(|sentence| wrong("credentials", sentence))?,
        scope: Scope::of(&notations.query_mappings).map_err(|sentence| wrong("query_mappings", sentence))?,
        site,
        context: context.clone(),
    }))
}

impl Scope {
    fn of(mappings: &QueryMappings) -> Result<Self, String> {
        let text = |name: &str| mappings.get(name).map(|text| text.trim().to_owned());
        let bytes_max = mappings.get("max_bytes").map(|text| text.trim().parse::<u64>());
        Ok(Self {
            project: text("project"),
            dataset: text("dataset"),
            location: text("location"),
            bytes_max: bytes_max.transpose().map_err(|_| "max_bytes is a number of bytes.".to_owned())?,
        })
    }

    fn body(&self, asked: &Asked<'_>) -> Value {
        let parameters = asked
            .values
            .iter()
            .map(|value| json!({"parameterType": {"type": "STRING"}, "parameterValue": {"value": value}}));
        let millis = asked.until.working().as_millis().max(1).to_string();
        let mut body = json!({
            "query": asked.text,
            "useLegacySql": false,
            "parameterMode": "POSITIONAL",
            "queryParameters": parameters.collect::<Vec<Value>>(),
            "maxResults": asked.rows_max,
            "timeoutMs": WAIT_AT_SOURCE.min(asked.until.working()).as_millis() as u64,
            // The source itself ends what takes too long.
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

#[async_trait]
impl Connector for BigQuery {
    fn capability(&self) -> Capability {
        self.question.capability()
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<SourceQuery, ConnectorError> {
        self.question.construct(query)
    }

    async fn execute(&self, built: &SourceQuery) -> Result<SourceResponse, ConnectorError> {
        remote_sql::answer(self, built).await
    }

    fn normalize(&self, response: SourceResponse) -> Result<NormalizedPage, ConnectorError> {
        database::normalize(response)
    }
}

#[async_trait]
impl RemoteDatabase for BigQuery {
    async fn rows(&self, asked: &Asked<'_>) -> Result<Vec<Value>, ConnectorError> {
        let pass = self.access.pass(&self.site, &self.context, asked.until.left()).await?;
        let project = self.scope.project.clone().or_else(|| pass.project.clone());
        let project = project.ok_or_else(|| wrong("query_mappings", "project=<name> is needed."))?;
        let line = Line { source: self, pass, project };
        let mut body = self.scope.body(asked);
        if let Some(dataset) = body.get_mut("defaultDataset").and_then(Value::as_object_mut) {
            dataset.entry("projectId").or_insert_with(|| line.project.as_str().into());
        }
        let first = line.send(line.at(&["queries"]), Some(&body), asked.until.left()).await?;
        let job = Job::of(&first);
        let mut page = line.finished(first, job.as_ref(), asked).await?;
        let rows_max = asked.rows_max as usize;
        let mut read = Rows::default();
        for _ in 0..PAGES_MAX {
            for row in rows::objects(&page).into_iter().take(rows_max - read.rows.len()) {
                read.push(row)?;
            }
            let token = page.get("pageToken").and_then(Value::as_str).filter(|token| !token.is_empty());
            let (Some(token), Some(job), true) = (token, &job, read.rows.len() < rows_max) else { break };
            let url = line.results(job, &[("pageToken", token), ("maxResults", &asked.rows_max.to_string())]);
            page = line.send(url, None, asked.until.left()).await?;
        }
        Ok(read.rows)
    }
}

/// A job that was begun.
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

/// The requests of one question.
struct Line<'a> {
    source: &'a BigQuery,
    pass: Pass,
    project: String,
}

impl Line<'_> {
    /// The first answer with rows. A job that is still running at the end of the time is cancelled.
    async fn finished(
        &self,
        first: Value,
        job: Option<&Job>,
        asked: &Asked<'_>,
    ) -> Result<Value, ConnectorError> {
        if is_complete(&first) {
            return Ok(first);
        }
        let job = job.ok_or_else(|| {
            ConnectorError::new(ConnectorErrorKind::Unreadable, "the answer names no job and has no rows")
        })?;
        let outcome = self.watch(job, asked).await;
        if outcome.as_ref().is_err_and(|error| error.kind == ConnectorErrorKind::Timeout) {
            // Whether it worked changes nothing for this question.
            let mut url = self.at(&["jobs", &job.id, "cancel"]);
            add(&mut url, &[], job.location.as_deref());
            let _ = self.send(url, Some(&json!({})), asked.until.left()).await;
        }
        outcome
    }

    async fn watch(&self, job: &Job, asked: &Asked<'_>) -> Result<Value, ConnectorError> {
        let mut patience = Patience::until(asked.until);
        loop {
            patience.wait().await?;
            let time_max = asked.until.working();
            let millis = WAIT_AT_SOURCE.min(time_max).as_millis().to_string();
            let rows_max = asked.rows_max.to_string();
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
        self.source.site.at(&parts)
    }

    async fn send(
        &self,
        url: Url,
        body: Option<&Value>,
        time_max: Duration,
    ) -> Result<Value, ConnectorError> {
        let call = Call {
            url,
            body: body.map(Body::Json),
            authorization: Some(&self.pass.authorization),
            headers: Vec::new(),
            time_max,
        };
        let reply = send(&self.source.context, (&self.source.site).into(), call).await?;
        if (200..=299).contains(&reply.status) { Ok(reply.body) } else { Err(self.fault(&reply)) }
    }

    fn fault(&self, reply: &Reply) -> ConnectorError {
        if let (401, Some(key)) = (reply.status, &self.pass.key) {
            remote_sql::access::forget(key);
        }
        let now = self.source.context.clock.now();
        let text = |path: &str| reply.body.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let told = fault::words(text("/error/message"));
        let kind = match (text("/error/errors/0/reason"), reply.status) {
            ("rateLimitExceeded" | "jobRateLimitExceeded" | "quotaExceeded", _) | (_, 429) => {
                return fault::rate_limited(reply, now);
            }
            ("stopped" | "timeout", _) => return too_late(),
            ("notFound", _) => ConnectorErrorKind::PlaceUnknown,
            ("accessDenied" | "authError" | "required" | "billingNotEnabled", _) | (_, 401) => {
                ConnectorErrorKind::Denied
            }
            ("bytesBilledLimitExceeded", _) => ConnectorErrorKind::QueryInvalid,
            ("invalid" | "invalidQuery", _) => return fault::refused(&told),
            _ => return fault::of_status(reply, now),
        };
        ConnectorError::new(
            kind,
            if told.is_empty() { "BigQuery refused the request".to_owned() } else { told },
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
