//! The state of a browser session, as JSON: a page whose session has ended uses it to sign in again.

use crate::auth::{Caller, Scheme, masked};
use serde::Serialize;

/// The value of `format` that asks for it.
pub const FORMAT: &str = "json";

#[derive(Debug, PartialEq, Serialize)]
pub struct SessionView<'a> {
    /// Empty when nobody is signed in.
    user: String,
    /// CSRF token of the session; empty without one.
    csrf: String,
    /// CSRF token of the sign-in form.
    form_csrf: &'a str,
    /// Why the credentials were refused, in the language of the page.
    error: Option<&'a str>,
    /// Whether other services offer a sign-in.
    has_services: bool,
}

impl<'a> SessionView<'a> {
    pub fn of(
        session: Option<Caller>,
        form_csrf: &'a str,
        error: Option<&'a str>,
        has_services: bool,
    ) -> Self {
        let (user, csrf) = match session {
            Some(Caller { principal, scheme: Scheme::Session { csrf, .. } }) => {
                (principal.username, masked(&csrf))
            }
            _ => Default::default(),
        };
        Self { user, csrf, form_csrf, error, has_services }
    }
}
