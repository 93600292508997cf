//! The way of a browser to another service and back: signing in there, connecting an account there.

use super::frame::Frame;
use super::local_path;
use super::notice::{self, Notice};
use super::words::t;
use crate::AppState;
use crate::api::authenticators::redirect_uri;
use crate::auth::{cookie, events, identify, oidc, open_session, random_text, read_cookie, side_effects};
use crate::changes::SignIn;
use crate::client_address::ClientAddress;
use crate::error::{ApiError, Refusal};
use crate::extract::{ApiPath, ApiQuery};
use crate::links::Links;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum_extra::extract::cookie::CookieJar;
use domain::audit::{Action, AuditEvent, Kind};
use domain::authenticator::FlowPurpose;
use domain::contracts::{CameBack, FlowOutcome, FlowStart, OAuthError};
use domain::ids::UserId;
use serde::Deserialize;
use std::sync::Arc;

/// The secret of a browser that signs in: whoever comes back with a code must be who was sent away.
const BROWSER_COOKIE: &str = "tributary_browser";
/// Longest secret that is looked at.
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

/// Sends the browser away to sign in.
pub async fn login(
    frame: Frame,
    State(state): State<Arc<AppState>>,
    (links, address): (Links, ClientAddress),
    jar: CookieJar,
    ApiPath(name): ApiPath<String>,
    ApiQuery(query): ApiQuery<LoginQuery>,
) -> Result<Response, ApiError> {
    if let Err(error) = state.throttles.begin_foreign_sign_in(address) {
        let page = notice((&state, &frame), StatusCode::TOO_MANY_REQUESTS, error.detail())?;
        let seconds = error.retry_after_s().unwrap_or_default().to_string();
        return Ok(([(header::RETRY_AFTER, seconds)], page).into_response());
    }
    let all = state.store.authenticators().await?;
    let found = all.into_iter().find(|one| one.spec.active && one.spec.sign_in && one.spec.idp == name);
    let Some(authenticator) = found else {
        return notice(
            (&state, &frame),
            StatusCode::NOT_FOUND,
            t("Signing in by this service is not offered here."),
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
        Err(error) => failed((&state, &frame), error),
    }
}

/// The browser comes back.
pub async fn callback(
    frame: Frame,
    State(state): State<Arc<AppState>>,
    (address, place): (ClientAddress, SignIn),
    headers: HeaderMap,
    ApiPath(callback): ApiPath<String>,
    ApiQuery(query): ApiQuery<CallbackQuery>,
) -> Result<Response, ApiError> {
    let jar = CookieJar::from_headers(&headers);
    let user = identify(&state, &headers, address).await?.ok().map(|caller| caller.principal.user);
    let back = CameBack {
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
            note(&state, &place, user, event).await?;
            Ok(Redirect::to(&side_effects::without_refused(local_path(&next))).into_response())
        }
        Ok(FlowOutcome::SignedIn { identity, next }) => {
            let user = oidc::user_of(&state, &identity, address).await?;
            let session = open_session(&state, &user).await?;
            events::signed_in(&user, "oidc");
            let next = side_effects::without_refused(local_path(&next));
            Ok((CookieJar::new().add(session), Redirect::to(&next)).into_response())
        }
        Err(error) => failed((&state, &frame), error),
    }
}

async fn note(
    state: &AppState,
    place: &SignIn,
    user: Option<UserId>,
    event: AuditEvent,
) -> Result<(), ApiError> {
    let Some(user) = user else { return Ok(()) };
    let user = state.store.user(user).await?;
    place.changes_of(state, &user).note(event).await
}

/// A page that says what went wrong. Failures of our own are answered like everywhere.
fn failed(state: (&AppState, &Frame), error: OAuthError) -> Result<Response, ApiError> {
    let status = match &error {
        OAuthError::UnknownFlow | OAuthError::Refused(..) => StatusCode::BAD_REQUEST,
        OAuthError::NotProven(_) => StatusCode::FORBIDDEN,
        OAuthError::Misconfigured(..) => StatusCode::UNPROCESSABLE_ENTITY,
        OAuthError::Unavailable(..) => StatusCode::SERVICE_UNAVAILABLE,
        OAuthError::Store(_) => StatusCode::INTERNAL_SERVER_ERROR,
    };
    let sentence = match oidc::refused(error) {
        Ok(sentence) => sentence,
        Err(error) if error.refusal() == Refusal::Unavailable => {
            error.detail().trim_end_matches('.').to_owned()
        }
        Err(error) => return Err(error),
    };
    let mut letters = sentence.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    notice(state, status, &format!("{first}{}.", letters.as_str()))
}

fn notice(
    (state, frame): (&AppState, &Frame),
    status: StatusCode,
    sentence: &str,
) -> Result<Response, ApiError> {
    let values = Notice { title: t("That did not work"), sentence, href: "/", link: t("To the search page") };
    notice::show(state, status, frame, values)
}
