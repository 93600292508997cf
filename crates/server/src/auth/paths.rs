//! Which paths are public, and which ones are pages.

use domain::settings::Settings;

/// Normalized paths that need no credentials: health, sign-in, and what the sign-in page shows.
const PUBLIC: &[&str] = &[
    "/svc/health/live/",
    "/svc/health/ready/",
    "/svc/login/",
    "/svc/oidc_authenticate/",
    "/.well-known/oauth-protected-resource/",
    "/.well-known/oauth-protected-resource/mcp/",
    SIGN_IN,
];

pub const SIGN_IN: &str = "/login/";

/// Static files of all pages.
const FILES: &str = "/static/";
/// Logos and colors, which the sign-in page shows too.
const BRANDING: &str = "/branding/";

/// Paths of a sign-in at another service: the redirect and the callback. Their handlers identify the user.
fn is_sign_in_flow(path: &str) -> bool {
    path.starts_with("/svc/callback/") || (path.starts_with("/svc/oidc/") && path.ends_with("/login/"))
}

/// Paths that are public if a setting says so.
fn is_public_by_setting(settings: &Settings, path: &str) -> bool {
    match path {
        "/svc/health/tasks/" => settings.health_open,
        path if is_metrics(path) => settings.metrics_open,
        _ => false,
    }
}

/// Paths that scrapers read.
pub fn is_metrics(path: &str) -> bool {
    ["/svc/metrics/tasks/", "/metrics/"].contains(&path)
}

pub fn is_public(settings: &Settings, path: &str) -> bool {
    PUBLIC.contains(&path)
        || path.starts_with(FILES)
        || path.starts_with(BRANDING)
        || is_sign_in_flow(path)
        || is_public_by_setting(settings, path)
}

/// Pages of the interface: without credentials, they redirect to the sign-in page.
const PAGES: &[&str] = &["/", "/history/", "/account/", "/chat/", "/egress/", "/svc/query_transform_form/"];
/// The console, the elections and everything below them are pages too.
const FOLDERS: &[&str] = &["/admin/", "/review/"];

pub fn is_page(path: &str) -> bool {
    PAGES.contains(&path) || FOLDERS.iter().any(|folder| path.starts_with(folder))
}
