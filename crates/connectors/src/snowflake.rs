//! Snowflake connector: queries the Snowflake SQL API with bound values and cancels statements that take too long.

use crate::shared::check::require_notations;
use crate::shared::database::{self, Rows, SqlQuery, SqlRequest, too_late};
use crate::shared::dialect::Dialect;
use crate::shared::found_rows::{FoundRows, ListedRows};
use crate::shared::http_auth;
use crate::shared::http_check::without_blanks_to_fill;
use crate::shared::remote_sql::http::{Call, Reply, send};
use crate::shared::remote_sql::{self, BoundStatement, PollBackoff, RemoteDatabase, error};
use crate::shared::snowflake::access::{self, Access};
use crate::shared::snowflake::account::Account;
use crate::shared::snowflake::result::{ResultSet, object};
use async_trait::async_trait;
use domain::corpus::SourceKind;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorErrorKind, ConnectorKind, NormalizedPage, PluginContext,
    ProviderQuery, ResultOrigin, TestTarget, TypedConnector,
};
use domain::provider::SearchProvider;
use domain::secret::Secret;
use domain::validation::FieldErrors;
use serde_json::{Map, Value, json};
use std::fmt;
use std::time::Duration;
use syntax::credentials::SourceCredentials;
use syntax::query_mappings::QueryMappings;
use url::Url;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "Snowflake",
    module: "snowflake",
    summary: "A Snowflake data warehouse, queried with an SQL statement over its SQL API.",
    capability: Capability { page: false, date_sort: true, not: false },
    settings: database::SETTINGS,
    authenticator: None,
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Db,
    test_target: TestTarget::Fake,
    check,
    build,
};

/// The session context of a statement, from `query_mappings`.
const CONTEXT: [&str; 4] = ["database", "schema", "warehouse", "role"];

struct Snowflake {
    sql_query: SqlQuery,
    account: Account,
    access: Access,
    session_context: Map<String, Value>,
    context: PluginContext,
}

impl fmt::Debug for Snowflake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snowflake").field("account", &self.account).finish_non_exhaustive()
    }
}

fn check(provider: &SearchProvider) -> FieldErrors {
    let (mappings, credentials, mut errors) = remote_sql::check(provider, Dialect::Snowflake);
    let url = without_blanks_to_fill(&provider.spec.url);
    match Account::read(&url, mappings.get("account")) {
        Err(sentence) => errors.add("url", sentence),
        Ok(account) if credentials != SourceCredentials::None => {
            if let Err(sentence) = Access::of(&credentials, &account) {
                errors.add("credentials", sentence);
            }
        }
        Ok(_) => {}
    }
    errors
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let notations = require_notations(provider)?;
    let mappings = &notations.query_mappings;
    let account = Account::read(&provider.spec.url, mappings.get("account"));
    let mut account = account.map_err(|error| ConnectorError::of_syntax("url", error))?;
    account.base_url.tls = account.base_url.tls.or_else(|| http_auth::tls(&notations.credentials));
    let access = Access::of(&notations.credentials, &account);
    Ok(Snowflake {
        sql_query: SqlQuery::of(provider, Dialect::Snowflake)?,
        access: access.map_err(|error| ConnectorError::of_syntax("credentials", error))?,
        account,
        session_context: session_context(mappings),
        context: context.clone(),
    }
    .boxed())
}

fn session_context(mappings: &QueryMappings) -> Map<String, Value> {
    let given = CONTEXT.iter().filter_map(|name| Some(((*name).to_owned(), mappings.get(name)?.into())));
    given.collect()
}

impl TypedConnector for Snowflake {
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
impl RemoteDatabase for Snowflake {
    async fn rows(&self, statement: &BoundStatement<'_>) -> Result<ListedRows, ConnectorError> {
        let authorization = self.access.authorization(&self.account, self.context.clock.now()).await?;
        let run = StatementRun { snowflake: self, authorization };
        let set = run.result(statement).await?;
        let rows_max = statement.rows_max as usize;
        let (mut read, mut missing) = (Rows::default(), None);
        for partition in 0..set.partitions() {
            let data = match partition {
                0 => set.data.clone(),
                _ => match run.partition(&set, partition, statement.deadline.remaining()).await {
                    Ok(data) => data,
                    Err(error) => {
                        missing = Some(error);
                        break;
                    }
                },
            };
            for cells in data.iter().take(rows_max - read.rows.len()) {
                read.push(object(&set.columns, cells))?;
            }
            if read.rows.len() >= rows_max {
                break;
            }
        }
        Ok(ListedRows { rows: read.rows, missing })
    }
}

impl Snowflake {
    fn body(&self, statement: &BoundStatement<'_>) -> Value {
        let mut body = self.session_context.clone();
        let bindings = statement
            .values
            .iter()
            .enumerate()
            .map(|(index, value)| ((index + 1).to_string(), json!({"type": "TEXT", "value": value})));
        // Snowflake itself ends a statement that takes too long; the timeout is rounded up to whole seconds.
        let seconds = statement.deadline.remaining().as_secs_f64().ceil().max(1.0);
        body.insert("statement".to_owned(), statement.text.into());
        body.insert("timeout".to_owned(), json!(seconds as u64));
        body.insert("bindings".to_owned(), Value::Object(bindings.collect()));
        Value::Object(body)
    }
}

/// The requests for one statement.
struct StatementRun<'a> {
    snowflake: &'a Snowflake,
    authorization: Secret,
}

impl StatementRun<'_> {
    /// The result of the statement. A statement that is still running at the deadline is cancelled.
    async fn result(&self, statement: &BoundStatement<'_>) -> Result<ResultSet, ConnectorError> {
        let body = self.snowflake.body(statement);
        let mut url = self.at(&[]);
        url.query_pairs_mut().append_pair("requestId", &access::request_id());
        let reply = self.send(url, Some(&body), statement.deadline.statement_time()).await?;
        if reply.status != 202 {
            return self.read(&reply);
        }
        let handle = handle(&reply.body).ok_or_else(unreadable)?;
        let outcome = self.watch(&handle, statement).await;
        if outcome.as_ref().is_err_and(|error| error.kind == ConnectorErrorKind::Timeout) {
            // The outcome of the cancellation does not matter.
            let _ = self
                .send(self.at(&[&handle, "cancel"]), Some(&json!({})), statement.deadline.remaining())
                .await;
        }
        outcome
    }

    async fn watch(&self, handle: &str, statement: &BoundStatement<'_>) -> Result<ResultSet, ConnectorError> {
        let mut backoff = PollBackoff::new(statement.deadline);
        loop {
            backoff.wait().await?;
            let reply = self.send(self.at(&[handle]), None, statement.deadline.statement_time()).await?;
            if reply.status != 202 {
                return self.read(&reply);
            }
        }
    }

    async fn partition(
        &self,
        set: &ResultSet,
        number: usize,
        time_max: Duration,
    ) -> Result<Vec<Value>, ConnectorError> {
        let mut url = self.at(&[&set.handle]);
        url.query_pairs_mut().append_pair("partition", &number.to_string());
        let reply = self.send(url, None, time_max).await?;
        match (reply.status, reply.body.get("data").and_then(Value::as_array)) {
            (200, Some(data)) => Ok(data.clone()),
            (200, None) => Err(unreadable()),
            _ => Err(self.to_error(&reply)),
        }
    }

    fn at(&self, more: &[&str]) -> Url {
        let parts: Vec<&str> = ["api", "v2", "statements"].iter().chain(more).copied().collect();
        self.snowflake.account.base_url.join(&parts)
    }

    async fn send(
        &self,
        url: Url,
        body: Option<&Value>,
        time_max: Duration,
    ) -> Result<Reply, ConnectorError> {
        let call = Call {
            url,
            body,
            authorization: Some(&self.authorization),
            headers: self.snowflake.access.headers(),
            time_max,
        };
        send(&self.snowflake.context, (&self.snowflake.account.base_url).into(), call).await
    }

    fn read(&self, reply: &Reply) -> Result<ResultSet, ConnectorError> {
        match reply.status {
            200 => ResultSet::read(&reply.body).ok_or_else(unreadable),
            _ => Err(self.to_error(reply)),
        }
    }

    fn to_error(&self, reply: &Reply) -> ConnectorError {
        read_error(reply).unwrap_or_else(|| error::from_status(reply, self.snowflake.context.clock.now()))
    }
}

/// The error that the code of a response names; `None` if only the status is known.
fn read_error(reply: &Reply) -> Option<ConnectorError> {
    let text = |name: &str| reply.body.get(name).and_then(Value::as_str).unwrap_or_default();
    let vendor_message = error::one_line(text("message"));
    let kind = match (reply.status, text("code")) {
        (408, _) | (_, "000630" | "000604") => return Some(too_late()),
        (429, _) | (500.., _) => return None,
        // Invalid, expired or disallowed tokens and logins.
        (401 | 403, _) | (_, "390144" | "390100" | "390101" | "390303" | "390318" | "003001") => {
            let message = format!("Snowflake refused the credentials: {vendor_message}");
            return Some(ConnectorError::new(ConnectorErrorKind::Denied, message));
        }
        // An object, database, schema or warehouse that does not exist or is not visible.
        (_, "002003" | "002043" | "390201") => ConnectorErrorKind::PlaceUnknown,
        (422, _) => return Some(error::refused(&vendor_message)),
        _ => return None,
    };
    Some(ConnectorError::new(kind, vendor_message))
}

/// The handle of a running statement, if it is safe as a path segment.
fn handle(body: &Value) -> Option<String> {
    let handle = body.get("statementHandle")?.as_str()?;
    let is_plain = !handle.is_empty() && handle.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    is_plain.then(|| handle.to_owned())
}

fn unreadable() -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::Unreadable, "the response is not from the SQL API")
}
