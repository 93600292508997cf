//! Requests to the token endpoint: exchange, refresh and revocation; and user data.

use super::context::OAuthContext;
use super::endpoint_url::{EndpointUrl, request};
use super::endpoints::Endpoint;
use super::text::one_line;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use chrono::TimeDelta;
use domain::authenticator::{Authenticator, EXPIRES_IN_MAX, Tokens};
use domain::bounded_json::{ANSWER_VALUES_MAX, parse_object};
use domain::ports::{
    FetchError, HttpMethod, HttpRequest, HttpResponse, OAuthError, ServiceError, ServiceErrorKind, chain,
};
use domain::secret::Secret;
use serde_json::{Map, Value};
use url::form_urlencoded::{Serializer, byte_serialize};

/// Error codes for an expired code or refresh token.
const EXPIRED_GRANT_CODES: [&str; 3] = ["invalid_grant", "bad_refresh_token", "bad_verification_code"];
/// Maximum length of a token.
const TOKEN_CHARS_MAX: usize = 32 * 1024;
const ACCOUNT_CHARS_MAX: usize = 200;
/// Fields of user data that name an account, best first.
const ACCOUNT_FIELDS: [&str; 6] =
    ["email", "mail", "userPrincipalName", "preferred_username", "login", "name"];

/// The tokens of a response, with the ID token if there is one.
pub(super) struct TokenResponse {
    pub tokens: Tokens,
    pub id_token: Option<String>,
}

/// A form field.
type Field<'a> = (&'a str, &'a str);

impl OAuthContext {
    pub(super) async fn exchange_code(
        &self,
        authenticator: &Authenticator,
        code: &str,
        verifier: &Secret,
        redirect_uri: &str,
    ) -> Result<TokenResponse, OAuthError> {
        let mut fields =
            vec![("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect_uri)];
        if authenticator.spec.is_code_challenge {
            fields.push(("code_verifier", verifier.expose()));
        }
        self.request_tokens(authenticator, &fields, &[code, verifier.expose()]).await
    }

    /// `Refused` if the refresh token has expired.
    pub(super) async fn refresh(
        &self,
        authenticator: &Authenticator,
        old: &Tokens,
    ) -> Result<Tokens, OAuthError> {
        let refresh = old.refresh.expose();
        let fields = [("grant_type", "refresh_token"), ("refresh_token", refresh)];
        let new = self.request_tokens(authenticator, &fields, &[refresh]).await?.tokens;
        // Without a new refresh token, the old one stays valid.
        let refresh = if new.refresh.is_empty() { old.refresh.clone() } else { new.refresh };
        Ok(Tokens { refresh, ..new })
    }

    /// Revokes a token if the service has an endpoint for it. Failures are logged.
    pub(super) async fn revoke(&self, authenticator: &Authenticator, tokens: &Tokens) {
        let (token, hint) = if tokens.refresh.is_empty() {
            (tokens.access.expose(), "access_token")
        } else {
            (tokens.refresh.expose(), "refresh_token")
        };
        if token.is_empty() {
            return;
        }
        let outcome = async {
            let Some(endpoint) = self.endpoint_url(authenticator, Endpoint::Revoke).await? else {
                return Ok(());
            };
            let fields = [("token", token), ("token_type_hint", hint)];
            let answer = self.post(authenticator, &endpoint, &fields, &[token]).await?;
            if answer.status < 400 { Ok(()) } else { Err(refusal(authenticator, &answer)) }
        };
        if let Err(error) = outcome.await {
            let idp = &authenticator.spec.idp;
            tracing::warn!(idp, "a token could not be taken back at {idp}: {}", chain(&error));
        }
    }

    /// User data of the token's owner; None if not available.
    pub(super) async fn user_data(
        &self,
        authenticator: &Authenticator,
        access: &Secret,
    ) -> Option<Map<String, Value>> {
        let endpoint = self.endpoint_url(authenticator, Endpoint::UserData).await.ok().flatten()?;
        let spec = &authenticator.spec;
        let is_post = spec.user_data_method == "POST";
        let mut request =
            request(&endpoint, if is_post { HttpMethod::Post } else { HttpMethod::Get }).ok()?;
        if is_post {
            let form = Serializer::new(String::new()).extend_pairs(&spec.user_data_params).finish();
            request.headers.push(form_type());
            request.body = Some(Bytes::from(form));
        } else if !spec.user_data_params.is_empty() {
            request.url.query_pairs_mut().extend_pairs(&spec.user_data_params);
        }
        let headers = spec.user_data_headers.iter();
        request.secret_headers =
            headers.filter_map(|(name, value)| Some((name.clone(), Secret::new(value.as_str()?)))).collect();
        let bearer = Secret::new(format!("Bearer {}", access.expose()));
        request.secret_headers.push(("Authorization".to_owned(), bearer));
        request.secrets = vec![access.clone()];
        let answer = self.fetch.fetch(&request).await.ok().filter(|answer| answer.status == 200)?;
        parse_object(&answer.body, ANSWER_VALUES_MAX)
    }

    async fn request_tokens(
        &self,
        authenticator: &Authenticator,
        fields: &[Field<'_>],
        secrets: &[&str],
    ) -> Result<TokenResponse, OAuthError> {
        let endpoint = self.required_endpoint(authenticator, Endpoint::Token).await?;
        let answer = self.post(authenticator, &endpoint, fields, secrets).await?;
        let now = self.clock.now();
        let body = parse_object(&answer.body, ANSWER_VALUES_MAX).unwrap_or_default();
        let text = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or_default();
        if answer.status >= 300 || body.contains_key("error") || text("access_token").is_empty() {
            return Err(refusal(authenticator, &answer));
        }
        let broken = |reason: &str| Err(OAuthError::misconfigured(&authenticator.spec.name, reason));
        if !["", "bearer"].contains(&text("token_type").to_ascii_lowercase().as_str()) {
            return broken("it gives tokens of a type that is not known here");
        }
        let fits =
            |token: &str| token.len() <= TOKEN_CHARS_MAX && token.chars().all(|c| c.is_ascii_graphic());
        if !["access_token", "refresh_token"].iter().all(|name| fits(text(name))) {
            return broken("it gives a token that cannot be used");
        }
        let scopes = if text("scope").is_empty() { &authenticator.spec.scopes } else { text("scope") };
        let tokens = Tokens {
            access: Secret::new(text("access_token")),
            refresh: Secret::new(text("refresh_token")),
            expires: lifetime(authenticator, body.get("expires_in")).map(|lifetime| now + lifetime),
            scopes: scopes.to_owned(),
        };
        let id_token = Some(text("id_token")).filter(|text| !text.is_empty()).map(str::to_owned);
        Ok(TokenResponse { tokens, id_token })
    }

    async fn post(
        &self,
        authenticator: &Authenticator,
        endpoint: &EndpointUrl,
        fields: &[Field<'_>],
        secrets: &[&str],
    ) -> Result<HttpResponse, OAuthError> {
        let request = form(authenticator, endpoint, fields, secrets)?;
        self.fetch.fetch(&request).await.map_err(|error| unreachable(authenticator, error))
    }
}

/// A form request with client id and secret.
fn form(
    authenticator: &Authenticator,
    endpoint: &EndpointUrl,
    fields: &[Field<'_>],
    secrets: &[&str],
) -> Result<HttpRequest, OAuthError> {
    let spec = &authenticator.spec;
    let mut request = request(endpoint, HttpMethod::Post)?;
    let mut form = Serializer::new(String::new());
    form.extend_pairs(fields);
    let more = spec.exchange_code_params.iter();
    form.extend_pairs(more.filter_map(|(name, value)| Some((name, value.as_str()?))));
    if spec.use_basic_auth {
        let coded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
        let pair = format!("{}:{}", coded(&spec.client_id), coded(&spec.client_secret));
        let basic = Secret::new(format!("Basic {}", BASE64_STANDARD.encode(pair)));
        request.secret_headers.push(("Authorization".to_owned(), basic));
    } else {
        form.append_pair("client_id", &spec.client_id);
        if !spec.client_secret.is_empty() {
            form.append_pair("client_secret", &spec.client_secret);
        }
    }
    request.body = Some(Bytes::from(form.finish()));
    request.headers.push(form_type());
    let all = secrets.iter().copied().chain([spec.client_secret.as_str()]);
    request.secrets = all.map(Secret::new).collect();
    Ok(request)
}

/// The account name in user data; empty if unknown.
pub(super) fn account(data: &Map<String, Value>) -> String {
    let named =
        ACCOUNT_FIELDS.iter().filter_map(|name| data.get(*name)?.as_str()).find(|text| !text.is_empty());
    named.unwrap_or_default().chars().filter(|c| !c.is_control()).take(ACCOUNT_CHARS_MAX).collect()
}

fn form_type() -> (String, String) {
    ("Content-Type".to_owned(), "application/x-www-form-urlencoded".to_owned())
}

/// Lifetime of a token: from the response (a number, possibly as text), else from the record.
fn lifetime(authenticator: &Authenticator, expires_in_value: Option<&Value>) -> Option<TimeDelta> {
    if !authenticator.spec.should_expire {
        return None;
    }
    let expires_in_value =
        expires_in_value.and_then(|value| value.as_u64().or_else(|| value.as_str()?.parse().ok()));
    let seconds = expires_in_value.unwrap_or(authenticator.spec.expires_in).min(EXPIRES_IN_MAX);
    let is_known = expires_in_value.is_some() || seconds > 0;
    is_known.then(|| TimeDelta::seconds(i64::try_from(seconds).unwrap_or(i64::MAX)))
}

fn unreachable(authenticator: &Authenticator, error: FetchError) -> OAuthError {
    let name = authenticator.spec.name.clone();
    let is_misconfigured = matches!(error, FetchError::Invalid { .. } | FetchError::Refused { .. });
    let reason = |kind| ServiceError::from_cause(kind, error);
    if is_misconfigured {
        OAuthError::Misconfigured(name, reason(ServiceErrorKind::Configuration))
    } else {
        OAuthError::Unavailable(name, reason(ServiceErrorKind::Unreachable))
    }
}

/// The error of a response without tokens. Texts of the service are truncated to one line.
fn refusal(authenticator: &Authenticator, answer: &HttpResponse) -> OAuthError {
    let name = authenticator.spec.name.clone();
    let body = parse_object(&answer.body, ANSWER_VALUES_MAX).unwrap_or_default();
    let code = body.get("error").and_then(Value::as_str).map(one_line);
    match code {
        Some(code) if EXPIRED_GRANT_CODES.contains(&code.as_str()) => OAuthError::Refused(name, code),
        Some(code) if answer.status < 500 && answer.status != 429 => OAuthError::misconfigured(&name, code),
        _ => {
            let reason = format!("it answers {}", answer.status);
            OAuthError::Unavailable(name, ServiceError::new(ServiceErrorKind::Answer, reason))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::authenticator::AuthenticatorSpec;
    use domain::ids::AuthenticatorId;
    use serde_json::json;

    fn authenticator(spec: AuthenticatorSpec) -> Authenticator {
        let at = chrono::DateTime::UNIX_EPOCH;
        Authenticator {
            id: AuthenticatorId(1),
            spec,
            is_unreadable: false,
            date_created: at,
            date_updated: at,
        }
    }

    #[test]
    fn lives() {
        let table = [
            (true, 0, json!(3600), Some(3600)),
            (true, 0, json!("60"), Some(60)),
            (true, 0, json!(0), Some(0)),
            (true, 0, json!(null), None),
            (true, 900, json!(null), Some(900)),
            (true, 900, json!(60), Some(60)),
            (true, 0, json!(u64::MAX), Some(EXPIRES_IN_MAX as i64)),
            (false, 900, json!(60), None),
        ];
        for (should_expire, expires_in, expires_in_value, expected) in table {
            let one = authenticator(AuthenticatorSpec { should_expire, expires_in, ..Default::default() });
            assert_eq!(
                lifetime(&one, Some(&expires_in_value)).map(|lifetime| lifetime.num_seconds()),
                expected,
                "{expires_in_value}"
            );
        }
    }

    #[test]
    fn refusals_are_told_apart() {
        let one = authenticator(AuthenticatorSpec { name: "Hub".to_owned(), ..Default::default() });
        let answer = |status, body: &str| HttpResponse {
            status,
            headers: Vec::new(),
            body: Bytes::copy_from_slice(body.as_bytes()),
        };
        let table = [
            (400, r#"{"error": "invalid_grant"}"#, "Hub declined: invalid_grant"),
            (200, r#"{"error": "bad_refresh_token"}"#, "Hub declined: bad_refresh_token"),
            (401, r#"{"error": "invalid_client"}"#, "Hub is not configured correctly: invalid_client"),
            (400, r#"{"error": "a\nb"}"#, "Hub is not configured correctly: a b"),
            (503, r#"{"error": "invalid_client"}"#, "Hub cannot be reached now: it answers 503"),
            (429, r#"{"error": "slow_down"}"#, "Hub cannot be reached now: it answers 429"),
            (404, "<html>", "Hub cannot be reached now: it answers 404"),
        ];
        for (status, body, expected) in table {
            assert_eq!(refusal(&one, &answer(status, body)).to_string(), expected);
        }
    }

    #[test]
    fn accounts() {
        let of = |value: Value| account(value.as_object().unwrap());
        assert_eq!(of(json!({"name": "Ann", "mail": "ann@x.example"})), "ann@x.example");
        assert_eq!(of(json!({"email": "", "login": "a\nnn"})), "ann");
        assert_eq!(of(json!({"id": 7})), "");
        assert_eq!(of(json!({"name": "n".repeat(ACCOUNT_CHARS_MAX + 1)})).len(), ACCOUNT_CHARS_MAX);
    }
}
