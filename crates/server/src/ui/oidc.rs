//! OAuth redirects of the browser: sign-in with another service, and connecting an account there.

use super::i18n::t;
use super::local_path;
use super::notice::{self, Notice};
use super::page_context::PageContext;
use crate::api::authenticators::redirect_uri;
use crate::audit::RequestOrigin;
use crate::auth::{cookie, events, identify, oidc, open_session, random_text, read_cookie, side_effects};
use crate::error::{ApiError, ErrorCode};
use crate::extract::{ApiPath, ApiQuery};
use crate::request_head::RequestHead;
use crate::state::AppState;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum_extra::extract::cookie::CookieJar;
use domain::audit::{Action, AuditEvent, Kind};
use domain::authenticator::FlowPurpose;
use domain::ids::UserId;
use domain::ports::{AuthorizationCallback, FlowOutcome, FlowStart, OAuthError};
use serde::Deserialize;
use std::sync::Arc;

/// Binds the flow to the browser: the callback must come from the browser that started the sign-in.
const BROWSER_COOKIE: &str = "tributary_browser";
/// Longest secret that is accepted.
const BROWSER_CHARS_MAX: usize = 100;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct LoginQuery {
    next: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct CallbackQuery {
    state: String,
    code: String,
    error: String,
    iss: String,
}

/// Redirects the browser to the identity provider.
pub async fn login(
    context: PageContext,
    State(state): State<Arc<AppState>>,
    RequestHead { links, address, .. }: RequestHead,
    jar: CookieJar,
    ApiPath(name): ApiPath<String>,
    ApiQuery(query): ApiQuery<LoginQuery>,
) -> Result<Response, ApiError> {
    if let Err(error) = state.throttles.begin_foreign_sign_in(address) {
        let page = notice(&state, &context, StatusCode::TOO_MANY_REQUESTS, error.detail())?;
        let seconds = error.retry_after_s().unwrap_or_default().to_string();
        return Ok(([(header::RETRY_AFTER, seconds)], page).into_response());
    }
    let all = state.store.authenticators().await?;
    let found = all.into_iter().find(|one| one.spec.active && one.spec.sign_in && one.spec.idp == name);
    let Some(authenticator) = found else {
        return notice(
            &state,
            &context,
            StatusCode::NOT_FOUND,
            t("Sign-in with this service is not available."),
        );
    };
    let known = read_cookie(&state.settings, &jar, BROWSER_COOKIE);
    let known = known.filter(|text| !text.is_empty() && text.len() <= BROWSER_CHARS_MAX);
    let browser = known.unwrap_or_else(random_text);
    let start = FlowStart {
        redirect_uri: redirect_uri(&authenticator, &links),
        authenticator,
        purpose: FlowPurpose::SignIn,
        browser: browser.clone(),
        next: local_path(&query.next).to_owned(),
    };
    match state.oauth.begin(start).await {
        Ok(url) => {
            let jar = jar.add(cookie(&state.settings, BROWSER_COOKIE, browser));
            Ok((jar, Redirect::to(url.as_str())).into_response())
        }
        Err(error) => failed(&state, &context, error),
    }
}

/// Handles the callback of the identity provider.
pub async fn callback(
    context: PageContext,
    State(state): State<Arc<AppState>>,
    origin: RequestOrigin,
    headers: HeaderMap,
    ApiPath(callback): ApiPath<String>,
    ApiQuery(query): ApiQuery<CallbackQuery>,
) -> Result<Response, ApiError> {
    let address = origin.address();
    let jar = CookieJar::from_headers(&headers);
    let user = identify(&state, &headers, address).await?.ok().map(|caller| caller.principal.user);
    let back = AuthorizationCallback {
        callback,
        state: query.state,
        code: query.code,
        error: query.error,
        issuer: query.iss,
        browser: read_cookie(&state.settings, &jar, BROWSER_COOKIE).unwrap_or_default(),
        user,
    };
    match state.oauth.finish(back).await {
        Ok(FlowOutcome::Connected { name, authenticator, next }) => {
            let event = AuditEvent::of(Action::Created, Kind::Connection, Some(authenticator.0), &name);
            note(&state, &origin, user, event).await?;
            Ok(Redirect::to(&side_effects::without_refused(local_path(&next))).into_response())
        }
        Ok(FlowOutcome::SignedIn { identity, next }) => {
            let user = oidc::user_of(&state, &identity, address).await?;
            let session = open_session(&state, &user).await?;
            events::signed_in(&user, "oidc");
            let next = side_effects::without_refused(local_path(&next));
            Ok((CookieJar::new().add(session), Redirect::to(&next)).into_response())
        }
        Err(error) => failed(&state, &context, error),
    }
}

async fn note(
    state: &AppState,
    origin: &RequestOrigin,
    user: Option<UserId>,
    event: AuditEvent,
) -> Result<(), ApiError> {
    let Some(user) = user else { return Ok(()) };
    let user = state.store.user(user).await?;
    origin.store_for(state, &user).note(event).await
}

/// A page with the error message. Internal errors are returned as usual.
fn failed(state: &AppState, context: &PageContext, error: OAuthError) -> Result<Response, ApiError> {
    let status = match &error {
        OAuthError::UnknownFlow | OAuthError::Refused(..) => StatusCode::BAD_REQUEST,
        OAuthError::NotProven(_) => StatusCode::FORBIDDEN,
        OAuthError::Misconfigured(..) => StatusCode::UNPROCESSABLE_ENTITY,
        OAuthError::Unavailable(..) => StatusCode::SERVICE_UNAVAILABLE,
        OAuthError::Store(_) => StatusCode::INTERNAL_SERVER_ERROR,
    };
    let sentence = match oidc::refused(error) {
        Ok(sentence) => sentence,
        Err(error) if error.error_code() == ErrorCode::Unavailable => {
            error.detail().trim_end_matches('.').to_owned()
        }
        Err(error) => return Err(error),
    };
    let mut chars = sentence.chars();
    let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    notice(state, context, status, &format!("{first}{}.", chars.as_str()))
}

fn notice(
    state: &AppState,
    context: &PageContext,
    status: StatusCode,
    sentence: &str,
) -> Result<Response, ApiError> {
    let values = Notice { title: t("Something went wrong"), sentence, href: "/", link: t("Go to search") };
    notice::show(state, status, context, values)
}
