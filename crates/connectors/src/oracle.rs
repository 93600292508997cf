//! Oracle: a database behind Oracle REST Data Services, asked over its REST-enabled SQL with bound values.

use crate::shared::check::require_notations;
use crate::shared::database::{self, Question, Rows, too_late};
use crate::shared::dialect::Dialect;
use crate::shared::dsn;
use crate::shared::http_auth;
use crate::shared::http_check::without_blanks_to_fill;
use crate::shared::remote_sql::access::{self, Grant};
use crate::shared::remote_sql::exchange::{Body, Call, Reply, send};
use crate::shared::remote_sql::site::Site;
use crate::shared::remote_sql::{self, Asked, PAGES_MAX, RemoteDatabase, fault, wrong};
use async_trait::async_trait;
use base64::Engine;
use domain::contracts::{
    Capability, Connector, ConnectorError, ConnectorErrorKind, ConnectorKind, NormalizedPage, PluginContext,
    ProviderQuery, SourceQuery, SourceResponse, TriedOn,
};
use domain::notation::credentials::SourceCredentials;
use domain::provider::SearchProvider;
use domain::secret::Secret;
use domain::validation::FieldErrors;
use serde_json::{Map, Value, json};
use std::fmt;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "Oracle",
    summary: "A database of Oracle, asked with an SQL statement through Oracle REST Data Services.",
    capability: Capability { page: false, date_sort: true, not: false },
    settings: database::SETTINGS,
    authenticator: None,
    tried_on: TriedOn::StandIn,
    check,
    build,
};

/// Rows in one answer; a server of default settings gives as many.
const PAGE_ROWS: usize = 500;
const CREDENTIALS: &str = "Use user:password of the schema, client_id=<id>,client_secret=<secret> of an OAuth client, or bearer=<token>.";

struct Oracle {
    question: Question,
    site: Site,
    access: Access,
    context: PluginContext,
}

/// Who asks.
enum Access {
    /// The value of the header itself.
    Header(Secret),
    /// It is exchanged for a token first.
    Client { login: Secret, key: access::Key },
}

impl fmt::Debug for Oracle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Oracle").field("site", &self.site).finish_non_exhaustive()
    }
}

fn check(provider: &SearchProvider) -> FieldErrors {
    let (_, credentials, mut errors) = remote_sql::check(provider, Dialect::Oracle);
    match Site::read(&without_blanks_to_fill(&provider.spec.url)) {
        Err(sentence) => errors.add("url", format!("{sentence} Use https://host/ords/schema.")),
        Ok(site) if credentials != SourceCredentials::None && access(&credentials, &site).is_none() => {
            errors.add("credentials", CREDENTIALS);
        }
        Ok(_) => {}
    }
    errors
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let mut site = Site::read(&provider.spec.url).map_err(|sentence| wrong("url", sentence))?;
    let credentials = require_notations(provider)?.credentials;
    site.tls = site.tls.or_else(|| http_auth::tls(&credentials));
    let access = access(&credentials, &site).ok_or_else(|| wrong("credentials", CREDENTIALS))?;
    let question = Question::of(provider, Dialect::Oracle)?;
    Ok(Box::new(Oracle { question, site, access, context: context.clone() }))
}

fn access(credentials: &SourceCredentials, site: &Site) -> Option<Access> {
    let basic = |user: &str, password: &Secret| {
        let pair = format!("{user}:{}", password.expose());
        Secret::new(format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(pair)))
    };
    let pair = |name: &str| credentials.pairs().iter().find(|(key, _)| key == name).map(|(_, value)| value);
    match credentials {
        SourceCredentials::Bearer { token, .. } => {
            Some(Access::Header(Secret::new(format!("Bearer {}", token.expose()))))
        }
        SourceCredentials::Pairs(_) => {
            let (id, secret) = (pair("client_id")?, pair("client_secret")?);
            let place = site.at(&["oauth", "token"]);
            let key = access::key(&["oracle", place.as_str(), id.expose(), secret.expose()]);
            Some(Access::Client { login: basic(id.expose(), secret), key })
        }
        other => dsn::login(other).map(|(user, password)| Access::Header(basic(&user, &password))),
    }
}

#[async_trait]
impl Connector for Oracle {
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
impl RemoteDatabase for Oracle {
    async fn rows(&self, asked: &Asked<'_>) -> Result<Vec<Value>, ConnectorError> {
        let authorization = self.authorization(asked).await?;
        let rows_max = asked.rows_max as usize;
        let mut read = Rows::default();
        for _ in 0..PAGES_MAX {
            let limit = PAGE_ROWS.min(rows_max - read.rows.len());
            let body = json!({
                "statementText": asked.text,
                "binds": binds(asked.values),
                "limit": limit,
                "offset": read.rows.len(),
            });
            let call = Call {
                url: self.site.at(&["_", "sql"]),
                body: Some(Body::Json(&body)),
                authorization: Some(&authorization),
                headers: Vec::new(),
                time_max: asked.until.left(),
            };
            let reply = send(&self.context, (&self.site).into(), call).await?;
            let page = self.page(&reply)?;
            let is_empty = page.rows.is_empty();
            for row in page.rows.into_iter().take(limit) {
                read.push(row)?;
            }
            if is_empty || !page.has_more || read.rows.len() >= rows_max {
                break;
            }
        }
        Ok(read.rows)
    }
}

/// A part of the rows, and whether there are more.
struct Page {
    rows: Vec<Value>,
    has_more: bool,
}

impl Oracle {
    async fn authorization(&self, asked: &Asked<'_>) -> Result<Secret, ConnectorError> {
        let (login, key) = match &self.access {
            Access::Header(header) => return Ok(header.clone()),
            Access::Client { login, key } => (login, *key),
        };
        if let Some(held) = access::held(&key, self.context.clock.now()) {
            return Ok(held);
        }
        let grant = Grant {
            url: self.site.at(&["oauth", "token"]),
            target: (&self.site).into(),
            form: &[("grant_type", "client_credentials")],
            authorization: Some(login),
        };
        access::ask(&self.context, key, grant, asked.until.left()).await
    }

    fn page(&self, reply: &Reply) -> Result<Page, ConnectorError> {
        if reply.status != 200 {
            return Err(self.refused(reply));
        }
        let Some(item) = reply.body.pointer("/items/0") else { return Err(unreadable()) };
        if let Some(error) = fault_of(item) {
            return Err(error);
        }
        let Some(set) = item.get("resultSet") else { return Err(unreadable()) };
        let binary = binary_columns(set);
        let rows = set.get("items").and_then(Value::as_array).ok_or_else(unreadable)?;
        let rows = rows.iter().filter_map(Value::as_object).map(|row| without(row, &binary)).collect();
        Ok(Page { rows, has_more: set.get("hasMore") == Some(&Value::Bool(true)) })
    }

    fn refused(&self, reply: &Reply) -> ConnectorError {
        let host = self.site.host();
        let (kind, message) = match reply.status {
            401 | 403 => {
                if let Access::Client { key, .. } = &self.access {
                    access::forget(key);
                }
                (ConnectorErrorKind::Denied, format!("{host} refused the user or the password of the schema"))
            }
            404 => (
                ConnectorErrorKind::PlaceUnknown,
                format!("there is no schema with REST-enabled SQL at this address of {host}"),
            ),
            _ => return fault::of_status(reply, self.context.clock.now()),
        };
        ConnectorError::new(kind, message)
    }
}

fn binds(values: &[String]) -> Vec<Value> {
    let bind = |(place, value): (usize, &String)| json!({"index": place + 1, "data_type": "VARCHAR2", "value": value});
    values.iter().enumerate().map(bind).collect()
}

/// What the database says about a statement that failed.
fn fault_of(item: &Value) -> Option<ConnectorError> {
    let code = item.get("errorCode").and_then(Value::as_i64)?;
    let told = ["errorDetails", "errorMessage"].iter().find_map(|name| item.get(name)?.as_str());
    let told = fault::words(told.unwrap_or_default());
    let kind = match code {
        // Table or view, object, and schema that is not there.
        942 | 4043 | 1435 => ConnectorErrorKind::PlaceUnknown,
        // Wrong login, no session, missing right, locked or expired account.
        1017 | 1045 | 1031 | 28000 | 28001 => ConnectorErrorKind::Denied,
        // Cancelled by a limit, or out of its call time.
        1013 | 3136 => return Some(too_late()),
        // Starting up, shutting down, no listener.
        1033 | 1034 | 1089 | 12514 | 12541 => ConnectorErrorKind::Unavailable,
        _ => return Some(fault::refused(&told)),
    };
    Some(ConnectorError::new(kind, told))
}

/// A binary value is left out, since nothing can be said with it.
fn binary_columns(set: &Value) -> Vec<&str> {
    let columns = set.get("metadata").and_then(Value::as_array).into_iter().flatten();
    let binary = columns.filter(|column| {
        matches!(
            column.get("columnTypeName").and_then(Value::as_str),
            Some("BLOB" | "RAW" | "LONG RAW" | "BFILE")
        )
    });
    binary.filter_map(|column| column.get("jsonColumnName")?.as_str()).collect()
}

fn without(row: &Map<String, Value>, binary: &[&str]) -> Value {
    let cells = row.iter().map(|(name, value)| {
        let value = if binary.contains(&name.as_str()) { Value::Null } else { value.clone() };
        (name.clone(), value)
    });
    Value::Object(cells.collect())
}

fn unreadable() -> ConnectorError {
    let message = "the answer is not one of REST-enabled SQL";
    ConnectorError::new(ConnectorErrorKind::Unreadable, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_has_its_kind() {
        let table = [
            (942, "ORA-00942: table or view does not exist\n", ConnectorErrorKind::PlaceUnknown),
            (1017, "ORA-01017: invalid username/password", ConnectorErrorKind::Denied),
            (1013, "ORA-01013: cancelled", ConnectorErrorKind::Timeout),
            (1034, "ORA-01034: not available", ConnectorErrorKind::Unavailable),
            (904, "ORA-00904: \"X\": invalid identifier", ConnectorErrorKind::ConfigInvalid),
        ];
        for (code, told, kind) in table {
            let error = fault_of(&json!({"errorCode": code, "errorDetails": told})).expect("an error");
            assert_eq!(error.kind, kind, "{code}");
            assert!(!error.message.contains('\n'), "{error}");
        }
        assert!(fault_of(&json!({"resultSet": {}})).is_none());
    }
}
