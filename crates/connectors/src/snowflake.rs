//! Snowflake: a data warehouse, asked over its SQL API with bound values; a statement that takes too long is ended.

use crate::shared::check::require_notations;
use crate::shared::database::{self, Question, Rows, too_late};
use crate::shared::dialect::Dialect;
use crate::shared::http_auth;
use crate::shared::http_check::without_blanks_to_fill;
use crate::shared::remote_sql::exchange::{Body, Call, Reply, send};
use crate::shared::remote_sql::{self, Asked, Patience, RemoteDatabase, fault, wrong};
use crate::shared::snowflake::access::{self, Access};
use crate::shared::snowflake::account::Account;
use crate::shared::snowflake::result::{ResultSet, object};
use async_trait::async_trait;
use domain::contracts::{
    Capability, Connector, ConnectorError, ConnectorErrorKind, ConnectorKind, NormalizedPage, PluginContext,
    ProviderQuery, SourceQuery, SourceResponse, TriedOn,
};
use domain::notation::credentials::SourceCredentials;
use domain::notation::query_mappings::QueryMappings;
use domain::provider::SearchProvider;
use domain::secret::Secret;
use domain::validation::FieldErrors;
use serde_json::{Map, Value, json};
use std::fmt;
use std::time::Duration;
use url::Url;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "Snowflake",
    summary: "A data warehouse of Snowflake, asked with an SQL statement over its SQL API.",
    capability: Capability { page: false, date_sort: true, not: false },
    settings: database::SETTINGS,
    authenticator: None,
    tried_on: TriedOn::StandIn,
    check,
    build,
};

/// What a statement is asked in, from `query_mappings`.
const CONTEXT: [&str; 4] = ["database", "schema", "warehouse", "role"];

struct Snowflake {
    question: Question,
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
    let mut account = account.map_err(|sentence| wrong("url", sentence))?;
    account.site.tls = account.site.tls.or_else(|| http_auth::tls(&notations.credentials));
    let access = Access::of(&notations.credentials, &account);
    Ok(Box::new(Snowflake {
        question: Question::of(provider, Dialect::Snowflake)?,
        access: access.map_err(|sentence| wrong("credentials", sentence))?,
        account,
        session_context: session_context(mappings),
        context: context.clone(),
    }))
}

fn session_context(mappings: &QueryMappings) -> Map<String, Value> {
    let given = CONTEXT.iter().filter_map(|name| Some(((*name).to_owned(), mappings.get(name)?.into())));
    given.collect()
}

#[async_trait]
impl Connector for Snowflake {
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
impl RemoteDatabase for Snowflake {
    async fn rows(&self, asked: &Asked<'_>) -> Result<Vec<Value>, ConnectorError> {
        let authorization = self.access.authorization(&self.account, self.context.clock.now()).await?;
        let line = Line { snowflake: self, authorization };
        let set = line.result(asked).await?;
        let rows_max = asked.rows_max as usize;
        let mut read = Rows::default();
        for partition in 0..set.partitions() {
            let data = match partition {
                0 => set.data.clone(),
                _ => line.partition(&set, partition, asked.until.left()).await?,
            };
            for cells in data.iter().take(rows_max - read.rows.len()) {
                read.push(object(&set.columns, cells))?;
            }
            if read.rows.len() >= rows_max {
                break;
            }
        }
        Ok(read.rows)
    }
}

impl Snowflake {
    fn body(&self, asked: &Asked<'_>) -> Value {
        let mut body = self.session_context.clone();
        let bindings = asked
            .values
            .iter()
            .enumerate()
            .map(|(place, value)| ((place + 1).to_string(), json!({"type": "TEXT", "value": value})));
        // The server itself ends what takes too long; a part of a second counts as one.
        let seconds = asked.until.left().as_secs_f64().ceil().max(1.0);
        body.insert("statement".to_owned(), asked.text.into());
        body.insert("timeout".to_owned(), json!(seconds as u64));
        body.insert("bindings".to_owned(), Value::Object(bindings.collect()));
        Value::Object(body)
    }
}

/// The requests of one question.
struct Line<'a> {
    snowflake: &'a Snowflake,
    authorization: Secret,
}

impl Line<'_> {
    /// The result of the statement, when it has one. A statement that is still running at the end is cancelled.
    async fn result(&self, asked: &Asked<'_>) -> Result<ResultSet, ConnectorError> {
        let body = self.snowflake.body(asked);
        let mut url = self.at(&[]);
        url.query_pairs_mut().append_pair("requestId", &access::request_id());
        let reply = self.send(url, Some(&body), asked.until.working()).await?;
        if reply.status != 202 {
            return self.read(&reply);
        }
        let handle = handle(&reply.body).ok_or_else(unreadable)?;
        let outcome = self.watch(&handle, asked).await;
        if outcome.as_ref().is_err_and(|error| error.kind == ConnectorErrorKind::Timeout) {
            // Whether it worked changes nothing for this question.
            let _ = self.send(self.at(&[&handle, "cancel"]), Some(&json!({})), asked.until.left()).await;
        }
        outcome
    }

    async fn watch(&self, handle: &str, asked: &Asked<'_>) -> Result<ResultSet, ConnectorError> {
        let mut patience = Patience::until(asked.until);
        loop {
            patience.wait().await?;
            let reply = self.send(self.at(&[handle]), None, asked.until.working()).await?;
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
            _ => Err(self.fault(&reply)),
        }
    }

    fn at(&self, more: &[&str]) -> Url {
        let parts: Vec<&str> = ["api", "v2", "statements"].iter().chain(more).copied().collect();
        self.snowflake.account.site.at(&parts)
    }

    async fn send(
        &self,
        url: Url,
        body: Option<&Value>,
        time_max: Duration,
    ) -> Result<Reply, ConnectorError> {
        let call = Call {
            url,
            body: body.map(Body::Json),
            authorization: Some(&self.authorization),
            headers: self.snowflake.access.headers(),
            time_max,
        };
        send(&self.snowflake.context, (&self.snowflake.account.site).into(), call).await
    }

    fn read(&self, reply: &Reply) -> Result<ResultSet, ConnectorError> {
        match reply.status {
            200 => ResultSet::read(&reply.body).ok_or_else(unreadable),
            _ => Err(self.fault(reply)),
        }
    }

    fn fault(&self, reply: &Reply) -> ConnectorError {
        fault_of(reply).unwrap_or_else(|| fault::of_status(reply, self.snowflake.context.clock.now()))
    }
}

/// What the code of an answer says; none when only its status says something.
fn fault_of(reply: &Reply) -> Option<ConnectorError> {
    let text = |name: &str| reply.body.get(name).and_then(Value::as_str).unwrap_or_default();
    let told = fault::words(text("message"));
    let kind = match (reply.status, text("code")) {
        (408, _) | (_, "000630" | "000604") => return Some(too_late()),
        (429, _) | (500.., _) => return None,
        // Tokens and logins that are wrong, expired or not allowed here.
        (401 | 403, _) | (_, "390144" | "390100" | "390101" | "390303" | "390318" | "003001") => {
            let message = format!("Snowflake refused the credentials: {told}");
            return Some(ConnectorError::new(ConnectorErrorKind::Denied, message));
        }
        // An object, a database, a schema, a warehouse that is not there or not to be seen.
        (_, "002003" | "002043" | "390201") => ConnectorErrorKind::PlaceUnknown,
        (422, _) => return Some(fault::refused(&told)),
        _ => return None,
    };
    Some(ConnectorError::new(kind, told))
}

/// The name of a running statement, when it is one that can stand in an address.
fn handle(body: &Value) -> Option<String> {
    let handle = body.get("statementHandle")?.as_str()?;
    let is_plain = !handle.is_empty() && handle.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    is_plain.then(|| handle.to_owned())
}

fn unreadable() -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::Unreadable, "the answer is not one of the SQL API")
}
