//! Log events about sign-in. They never contain a password or a token, and a name only if it belongs to a user, because
//! people type passwords into the wrong field.

use crate::error::ErrorCode;
use crate::state::AppState;
use axum::http::{HeaderMap, header};
use domain::user::{Principal, User};

/// Schemes whose names may be logged; anything else might be a secret itself.
const SCHEMES: [&str; 3] = ["basic", "token", "bearer"];

pub fn signed_in(user: &User, way: &'static str) {
    let name = &user.username;
    tracing::info!(user.id = user.id.0, user = name, way, "login: {name} signed in");
}

pub fn signed_out(principal: &Principal, way: &'static str) {
    let name = &principal.username;
    tracing::info!(user.id = principal.user.0, user = name, way, "logout: {name} signed out");
}

/// Logs a wrong name or password. The name is looked up in any case, so that timing reveals nothing.
pub async fn refused(state: &AppState, username: &str) {
    match state.store.user_by_name(username).await {
        Ok(user) => tracing::warn!(
            user.id = user.id.0,
            user = username,
            "login failed: wrong password for {username}"
        ),
        Err(_) => tracing::warn!("login failed: unknown user"),
    }
}

/// Logs a request with invalid credentials. A request without credentials is not logged here: its access log line has
/// the 401.
pub fn log_invalid_credentials(headers: &HeaderMap, code: ErrorCode) {
    if code == ErrorCode::AuthenticationFailed {
        let scheme = scheme(headers);
        tracing::warn!(scheme, "authentication failed: the {scheme} credentials are not valid");
    }
}

fn scheme(headers: &HeaderMap) -> &'static str {
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let word = given.split_whitespace().next().unwrap_or_default();
    SCHEMES.into_iter().find(|known| word.eq_ignore_ascii_case(known)).unwrap_or("unknown")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_schemes_are_named() {
        let table = [
            ("Basic YWRtaW46c2VjcmV0", "basic"),
            ("TOKEN abc", "token"),
            ("Bearer abc", "bearer"),
            ("my-secret-key", "unknown"),
            ("", "unknown"),
        ];
        for (given, expected) in table {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, given.parse().expect("a header"));
            assert_eq!(scheme(&headers), expected, "{given}");
        }
    }
}
