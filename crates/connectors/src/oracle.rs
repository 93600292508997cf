//! Oracle connector: queries a database through the REST-enabled SQL service of Oracle REST Data Services.

use crate::shared::check::require_notations;
use crate::shared::database::{self, Rows, SqlQuery, SqlRequest, too_late};
use crate::shared::dialect::Dialect;
use crate::shared::dsn;
use crate::shared::found_rows::{FoundRows, ListedRows};
use crate::shared::http_auth;
use crate::shared::http_check::without_blanks_to_fill;
use crate::shared::remote_sql::base_url::BaseUrl;
use crate::shared::remote_sql::http::{Call, Reply, send};
use crate::shared::remote_sql::{self, BoundStatement, PAGES_MAX, RemoteDatabase, error};
use api_auth::access_token::{self, TokenRequest};
use async_trait::async_trait;
use base64::Engine;
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
use syntax::credentials::SourceCredentials;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "Oracle",
    module: "oracle",
    summary: "An Oracle database, queried with an SQL statement through Oracle REST Data Services.",
    capability: Capability { page: false, date_sort: true, not: false },
    settings: database::SETTINGS,
    authenticator: None,
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Db,
    test_target: TestTarget::Fake,
    check,
    build,
};

/// Rows per response; the default maximum of the server.
const PAGE_ROWS: usize = 500;
const CREDENTIALS: &str = "Use user:password of the schema, client_id=<id>,client_secret=<secret> of an OAuth client, or bearer=<token>.";

struct Oracle {
    sql_query: SqlQuery,
    base_url: BaseUrl,
    access: Access,
    context: PluginContext,
}

/// How requests are authorized.
enum Access {
    /// A fixed `Authorization` header.
    Header(Secret),
    /// Client credentials that are exchanged for a token first.
    Client { login: Secret, key: access_token::Key },
}

impl fmt::Debug for Oracle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Oracle").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}

fn check(provider: &SearchProvider) -> FieldErrors {
    let (_, credentials, mut errors) = remote_sql::check(provider, Dialect::Oracle);
    match BaseUrl::parse(&without_blanks_to_fill(&provider.spec.url)) {
        Err(sentence) => errors.add("url", format!("{sentence} Use https://host/ords/schema.")),
        Ok(base_url)
            if credentials != SourceCredentials::None && access(&credentials, &base_url).is_none() =>
        {
            errors.add("credentials", CREDENTIALS);
        }
        Ok(_) => {}
    }
    errors
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let mut base_url =
        BaseUrl::parse(&provider.spec.url).map_err(|error| ConnectorError::of_syntax("url", error))?;
    let credentials = require_notations(provider)?.credentials;
    base_url.tls = base_url.tls.or_else(|| http_auth::tls(&credentials));
    let access = access(&credentials, &base_url)
        .ok_or_else(|| ConnectorError::in_field("credentials", CREDENTIALS))?;
    let sql_query = SqlQuery::of(provider, Dialect::Oracle)?;
    Ok(Oracle { sql_query, base_url, access, context: context.clone() }.boxed())
}

fn access(credentials: &SourceCredentials, base_url: &BaseUrl) -> Option<Access> {
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
            let token_url = base_url.join(&["oauth", "token"]);
            let key = access_token::key(&["oracle", token_url.as_str(), id.expose(), secret.expose()]);
            Some(Access::Client { login: basic(id.expose(), secret), key })
        }
        other => dsn::login(other).map(|(user, password)| Access::Header(basic(&user, &password))),
    }
}

impl TypedConnector for Oracle {
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
impl RemoteDatabase for Oracle {
    async fn rows(&self, statement: &BoundStatement<'_>) -> Result<ListedRows, ConnectorError> {
        let authorization = self.authorization(statement).await?;
        let rows_max = statement.rows_max as usize;
        let (mut read, mut missing) = (Rows::default(), None);
        for _ in 0..PAGES_MAX {
            let limit = PAGE_ROWS.min(rows_max - read.rows.len());
            let body = json!({
                "statementText": statement.text,
                "binds": binds(statement.values),
                "limit": limit,
                "offset": read.rows.len(),
            });
            let call = Call {
                url: self.base_url.join(&["_", "sql"]),
                body: Some(&body),
                authorization: Some(&authorization),
                headers: Vec::new(),
                time_max: statement.deadline.remaining(),
            };
            let reply = send(&self.context, (&self.base_url).into(), call).await;
            let page = match reply.and_then(|reply| self.page(&reply)) {
                Ok(page) => page,
                Err(error) if !read.rows.is_empty() => {
                    missing = Some(error);
                    break;
                }
                Err(error) => return Err(error),
            };
            let is_empty = page.rows.is_empty();
            for row in page.rows.into_iter().take(limit) {
                read.push(row)?;
            }
            if is_empty || !page.has_more || read.rows.len() >= rows_max {
                break;
            }
        }
        Ok(ListedRows { rows: read.rows, missing })
    }
}

/// A page of rows, and whether there are more.
struct Page {
    rows: Vec<Value>,
    has_more: bool,
}

impl Oracle {
    async fn authorization(&self, statement: &BoundStatement<'_>) -> Result<Secret, ConnectorError> {
        let (login, key) = match &self.access {
            Access::Header(header) => return Ok(header.clone()),
            Access::Client { login, key } => (login, *key),
        };
        let now = self.context.clock.now();
        if let Some(cached) = access_token::cached(&key, now) {
            return Ok(cached);
        }
        let request = TokenRequest {
            url: self.base_url.join(&["oauth", "token"]),
            origin: self.base_url.origin.clone(),
            tls: self.base_url.tls.clone(),
            form: &[("grant_type", "client_credentials")],
            authorization: Some(login),
            time_max: statement.deadline.remaining(),
        };
        let token = access_token::request(&*self.context.fetch, now, key, request).await;
        token.map_err(|error| error::of_auth(error, now))
    }

    fn page(&self, reply: &Reply) -> Result<Page, ConnectorError> {
        if reply.status != 200 {
            return Err(self.refused(reply));
        }
        let Some(item) = reply.body.pointer("/items/0") else { return Err(unreadable()) };
        if let Some(error) = read_error(item) {
            return Err(error);
        }
        let Some(set) = item.get("resultSet") else { return Err(unreadable()) };
        let binary = binary_columns(set);
        let rows = set.get("items").and_then(Value::as_array).ok_or_else(unreadable)?;
        let rows = rows.iter().filter_map(Value::as_object).map(|row| without(row, &binary)).collect();
        Ok(Page { rows, has_more: set.get("hasMore") == Some(&Value::Bool(true)) })
    }

    fn refused(&self, reply: &Reply) -> ConnectorError {
        let host = self.base_url.host();
        let (kind, message) = match reply.status {
            401 | 403 => {
                if let Access::Client { key, .. } = &self.access {
                    access_token::forget(key);
                }
                (ConnectorErrorKind::Denied, format!("{host} refused the user or the password of the schema"))
            }
            404 => (
                ConnectorErrorKind::PlaceUnknown,
                format!("there is no schema with REST-enabled SQL at this address of {host}"),
            ),
            _ => return error::from_status(reply, self.context.clock.now()),
        };
        ConnectorError::new(kind, message)
    }
}

fn binds(values: &[String]) -> Vec<Value> {
    let bind = |(index, value): (usize, &String)| json!({"index": index + 1, "data_type": "VARCHAR2", "value": value});
    values.iter().enumerate().map(bind).collect()
}

/// The error that the database reports for a failed statement.
fn read_error(item: &Value) -> Option<ConnectorError> {
    let code = item.get("errorCode").and_then(Value::as_i64)?;
    let vendor_message = ["errorDetails", "errorMessage"].iter().find_map(|name| item.get(name)?.as_str());
    let vendor_message = error::one_line(vendor_message.unwrap_or_default());
    let kind = match code {
        // Unknown table or view, object, or schema.
        942 | 4043 | 1435 => ConnectorErrorKind::PlaceUnknown,
        // Wrong login, no session, missing privilege, locked or expired account.
        1017 | 1045 | 1031 | 28000 | 28001 => ConnectorErrorKind::Denied,
        // Cancelled by a limit, or call timeout.
        1013 | 3136 => return Some(too_late()),
        // Starting up, shutting down, no listener.
        1033 | 1034 | 1089 | 12514 | 12541 => ConnectorErrorKind::Unavailable,
        _ => return Some(error::refused(&vendor_message)),
    };
    Some(ConnectorError::new(kind, vendor_message))
}

/// Binary values are dropped.
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
    let message = "the response is not from REST-enabled SQL";
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
        for (code, vendor_message, kind) in table {
            let error =
                read_error(&json!({"errorCode": code, "errorDetails": vendor_message})).expect("an error");
            assert_eq!(error.kind, kind, "{code}");
            assert!(!error.message.contains('\n'), "{error}");
        }
        assert!(read_error(&json!({"resultSet": {}})).is_none());
    }
}
