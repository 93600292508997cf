//! Sign-in and sign-out in the browser.

use super::i18n::t;
use super::page_context::PageContext;
use super::session_view::{self, SessionView};
use crate::auth::{
    Caller, Scheme, by_password, close_session, cookie, events, identify_by_cookie, open_session,
    random_text, read_cookie, same_text,
};
use crate::client_address::ClientAddress;
use crate::error::{ApiError, ErrorCode};
use crate::extract::ApiQuery;
use crate::state::AppState;
use axum::Json;
use axum::extract::{Form, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum_extra::extract::cookie::CookieJar;
use domain::authenticator::Authenticator;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// CSRF cookie of the sign-in form, which has no session yet.
const FORM_COOKIE: &str = "tributary_sign_in";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct SignInQuery {
    next: String,
    /// `json` for the state of the session instead of the page.
    format: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct SignInForm {
    csrf_token: String,
    username: String,
    password: String,
    next: String,
    /// As in [`SignInQuery`]; used if the credentials are refused.
    format: String,
}

#[derive(Serialize)]
struct SignInPage<'a> {
    csrf: &'a str,
    next: &'a str,
    username: &'a str,
    error: Option<&'a str>,
    services: Vec<Service>,
}

/// An identity provider for sign-in.
#[derive(Serialize)]
struct Service {
    name: String,
    href: String,
}

/// The form.
pub async fn sign_in_page(
    context: PageContext,
    State(state): State<Arc<AppState>>,
    jar: CookieJar,
    ApiQuery(query): ApiQuery<SignInQuery>,
) -> Result<Response, ApiError> {
    let form = SignInForm { next: query.next, format: query.format, ..SignInForm::default() };
    show(&state, &context, jar, &form, StatusCode::OK, None).await
}

/// Checks the credentials and opens a session.
pub async fn sign_in(
    context: PageContext,
    State(state): State<Arc<AppState>>,
    address: ClientAddress,
    jar: CookieJar,
    form: Result<Form<SignInForm>, axum::extract::rejection::FormRejection>,
) -> Result<Response, ApiError> {
    let Form(form) = form.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => ApiError::of(ErrorCode::TooLarge),
        _ => ApiError::of(ErrorCode::Malformed),
    })?;
    let expected = read_cookie(&state.settings, &jar, FORM_COOKIE).unwrap_or_default();
    if !same_text(&form.csrf_token, &expected) {
        let sentence = t("This page has expired. Please sign in again.");
        return show(&state, &context, jar, &form, StatusCode::FORBIDDEN, Some(sentence)).await;
    }
    match by_password(&state, &form.username, &form.password, address).await {
        Ok(Some(user)) => {
            let session = open_session(&state, &user).await?;
            events::signed_in(&user, "page");
            Ok((jar.add(session), Redirect::to(local_path(&form.next))).into_response())
        }
        Ok(None) => {
            events::refused(&state, &form.username).await;
            let sentence = t("Incorrect username or password.");
            show(&state, &context, jar, &form, StatusCode::UNAUTHORIZED, Some(sentence)).await
        }
        Err(error) if error.error_code() == ErrorCode::Throttled => {
            let page =
                show(&state, &context, jar, &form, StatusCode::TOO_MANY_REQUESTS, Some(error.detail()))
                    .await?;
            let seconds = error.retry_after_s().unwrap_or_default();
            Ok(([(header::RETRY_AFTER, seconds.to_string())], page).into_response())
        }
        Err(error) => Err(error),
    }
}

/// Ends the session.
pub async fn sign_out(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    jar: CookieJar,
) -> Result<Response, ApiError> {
    let Scheme::Session { key_hash, .. } = &caller.scheme else {
        return Ok(Redirect::to("/login/").into_response());
    };
    let gone = close_session(&state, key_hash).await?;
    events::signed_out(&caller.principal, "page");
    Ok((jar.add(gone), Redirect::to("/login/")).into_response())
}

async fn show(
    state: &AppState,
    context: &PageContext,
    jar: CookieJar,
    form: &SignInForm,
    status: StatusCode,
    error: Option<&str>,
) -> Result<Response, ApiError> {
    let csrf = random_text();
    let next = local_path(&form.next);
    let services = services(state, next).await?;
    let page = if form.format == session_view::FORMAT {
        let session = identify_by_cookie(state, &jar).await?;
        let error = error.map(|sentence| context.language.translate(sentence, &[]));
        let view = SessionView::of(session, &csrf, error.as_deref(), !services.is_empty());
        (status, Json(view)).into_response()
    } else {
        let values = SignInPage { csrf: &csrf, next, username: &form.username, error, services };
        state.templates.render_page(status, "login.html", context, values)?
    };
    Ok((jar.add(cookie(&state.settings, FORM_COOKIE, csrf)), page).into_response())
}

async fn services(state: &AppState, next: &str) -> Result<Vec<Service>, ApiError> {
    let next: String = url::form_urlencoded::byte_serialize(next.as_bytes()).collect();
    let all = state.store.authenticators().await?;
    let offered = all.into_iter().filter(|one| one.spec.active && one.spec.sign_in);
    let service = |one: Authenticator| Service {
        href: format!("/svc/oidc/{}/login/?next={next}", one.spec.idp),
        name: one.spec.name,
    };
    Ok(offered.map(service).collect())
}

/// The redirect target after sign-in: a local path, never another site.
pub fn local_path(next: &str) -> &str {
    let is_local = next.starts_with('/')
        && !next.starts_with("//")
        && next.chars().all(|c| c.is_ascii_graphic() && c != '\\');
    if is_local { next } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_paths() {
        let table = [
            ("/", "/"),
            ("/?search_id=3", "/?search_id=3"),
            ("", "/"),
            ("https://evil.example/", "/"),
            ("//evil.example/", "/"),
            ("/\\evil.example/", "/"),
            ("/a\nb", "/"),
            ("javascript:alert(1)", "/"),
        ];
        for (given, expected) in table {
            assert_eq!(local_path(given), expected, "{given}");
        }
    }
}
