//! Browser sessions: a random key in a cookie, its hash in the store.

use super::caller::{Caller, Scheme};
use super::random::{fingerprint, random_text};
use crate::error::ApiError;
use crate::state::AppState;
use axum::http::HeaderMap;
use axum_extra::extract::cookie::{Cookie, CookieJar, SameSite};
use domain::ids::UserId;
use domain::ports::{NewSession, Session};
use domain::settings::Settings;
use domain::user::{Principal, User};

const COOKIE: &str = "tributary_session";
/// Browsers accept a cookie with this prefix only over HTTPS and from this host, so no other host of the domain can set
/// one.
const HOST_PREFIX: &str = "__Host-";

/// The caller of the session cookie, if it is present and has not expired.
pub async fn identify(state: &AppState, headers: &HeaderMap) -> Result<Option<Caller>, ApiError> {
    identify_by_cookie(state, &CookieJar::from_headers(headers)).await
}

/// The caller of the session cookie among these cookies, if it has not expired.
pub async fn identify_by_cookie(state: &AppState, jar: &CookieJar) -> Result<Option<Caller>, ApiError> {
    let Some(key) = read_cookie(&state.settings, jar, COOKIE) else {
        return Ok(None);
    };
    let key_hash = fingerprint(&key);
    let found = state.store.session(&key_hash, state.clock.now()).await?;
    Ok(found.map(|Session { user, csrf }| Caller {
        principal: Principal::of(&user),
        scheme: Scheme::Session { csrf, key_hash },
    }))
}

/// Signs the user in; the cookie is sent to the browser.
pub async fn open_session(state: &AppState, user: &User) -> Result<Cookie<'static>, ApiError> {
    let key = random_text();
    let now = state.clock.now();
    let hours = chrono::Duration::hours(i64::from(state.settings.session_hours));
    let session = NewSession {
        key_hash: fingerprint(&key),
        user: user.id,
        csrf: random_text(),
        expires: now + hours,
        now,
    };
    state.store.create_session(session).await?;
    Ok(cookie(&state.settings, COOKIE, key))
}

/// Keeps the session of a user who has just set a new password, which ends all other sessions.
pub async fn keep_session(
    state: &AppState,
    user: UserId,
    key_hash: String,
    csrf: String,
) -> Result<(), ApiError> {
    let now = state.clock.now();
    let hours = chrono::Duration::hours(i64::from(state.settings.session_hours));
    state.store.create_session(NewSession { key_hash, user, csrf, expires: now + hours, now }).await?;
    Ok(())
}

/// Signs out; the returned cookie removes the browser's.
pub async fn close_session(state: &AppState, key_hash: &str) -> Result<Cookie<'static>, ApiError> {
    state.store.delete_session(key_hash).await?;
    let mut gone = cookie(&state.settings, COOKIE, String::new());
    gone.make_removal();
    Ok(gone)
}

/// True if a session cookie was sent, valid or not.
pub fn has_cookie(headers: &HeaderMap) -> bool {
    CookieJar::from_headers(headers)
        .iter()
        .any(|cookie| cookie.name().trim_start_matches(HOST_PREFIX) == COOKIE)
}

/// A cookie that scripts cannot read and other sites cannot send with a form.
pub fn cookie(settings: &Settings, name: &str, value: String) -> Cookie<'static> {
    Cookie::build((cookie_name(settings, name), value))
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(is_secure(settings))
        .build()
}

/// The value of a cookie that [`cookie`] made.
pub fn read_cookie(settings: &Settings, jar: &CookieJar, name: &str) -> Option<String> {
    jar.get(&cookie_name(settings, name)).map(|cookie| cookie.value().to_owned())
}

fn cookie_name(settings: &Settings, name: &str) -> String {
    if is_secure(settings) { format!("{HOST_PREFIX}{name}") } else { name.to_owned() }
}

/// Decided by the public address, or without one by the address of the service itself.
fn is_secure(settings: &Settings) -> bool {
    match settings.public_url.as_str() {
        "" => settings.has_tls(),
        public_url => public_url.starts_with("https://"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_are_shut_to_scripts_and_secure_under_https() {
        let plain = cookie(&Settings::default(), COOKIE, "k".to_owned()).to_string();
        assert_eq!(plain, "tributary_session=k; HttpOnly; SameSite=Lax; Path=/");
        let settings = Settings { public_url: "https://find.example".to_owned(), ..Settings::default() };
        let secure = cookie(&settings, COOKIE, "k".to_owned());
        assert_eq!(secure.to_string(), "__Host-tributary_session=k; HttpOnly; SameSite=Lax; Secure; Path=/");
        let own_tls = Settings { tls_cert_file: "cert.pem".to_owned(), ..Settings::default() };
        assert_eq!(cookie(&own_tls, COOKIE, "k".to_owned()), secure);
        let proxied_plainly = Settings { public_url: "http://find.example".to_owned(), ..own_tls };
        assert_eq!(cookie(&proxied_plainly, COOKIE, "k".to_owned()).to_string(), plain);
        // Another host of the domain can set a cookie without the prefix.
        let planted = CookieJar::new().add(Cookie::new(COOKIE, "planted"));
        assert_eq!(read_cookie(&settings, &planted, COOKIE), None);
        assert_eq!(read_cookie(&settings, &planted.add(secure), COOKIE).as_deref(), Some("k"));
    }
}
