//! Conditional requests: `ETag` of a record, `If-Match` of an edit, and retries of concurrent edits.

use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;
use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::header::{ETAG, IF_MATCH};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use domain::ports::{EditableRecord, FIRST_VERSION};
use serde::Serialize;

/// How often an edit is retried because another one was faster.
const EDITS_MAX: u32 = 50;

/// The `If-Match` header of an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IfMatch {
    /// No condition: the edit applies to the newest version.
    Absent,
    /// `*`: any version, as long as the record exists.
    Any,
    /// One of these tags, without their quotes.
    OneOf(Vec<String>),
}

impl IfMatch {
    /// 412 unless the condition accepts this version.
    pub fn check(&self, version: i64) -> Result<(), ApiError> {
        match self {
            Self::OneOf(tags) if !tags.contains(&version.to_string()) => {
                Err(ApiError::of(ErrorCode::PreconditionFailed))
            }
            _ => Ok(()),
        }
    }

    /// The version that a record must still have when it is deleted, if the client named one.
    pub fn guard(&self, version: i64) -> Result<Option<i64>, ApiError> {
        self.check(version)?;
        Ok(matches!(self, Self::OneOf(_)).then_some(version))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for IfMatch {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Self::Rejection> {
        read(&parts.headers).ok_or_else(|| {
            ApiError::with_detail(
                ErrorCode::Malformed,
                "If-Match is not valid; send the ETag of the record unchanged, with its quotes, or *.",
            )
        })
    }
}

/// None if it is malformed.
fn read(headers: &HeaderMap) -> Option<IfMatch> {
    let mut tags = Vec::new();
    let mut is_absent = true;
    for value in headers.get_all(IF_MATCH) {
        let text = std::str::from_utf8(value.as_bytes()).ok()?.trim();
        if text == "*" && is_absent {
            return (headers.get_all(IF_MATCH).iter().count() == 1).then_some(IfMatch::Any);
        }
        is_absent = false;
        read_tags(text, &mut tags)?;
    }
    match (is_absent, tags.is_empty()) {
        (true, _) => Some(IfMatch::Absent),
        (false, true) => None,
        (false, false) => {
            // A weak tag is well-formed and never matches.
            let strong = tags.into_iter().filter_map(|(tag, is_weak)| (!is_weak).then_some(tag));
            Some(IfMatch::OneOf(strong.collect()))
        }
    }
}

/// Parses `"1", W/"2"` into tags and whether they are weak. None if it is malformed.
fn read_tags(mut rest: &str, tags: &mut Vec<(String, bool)>) -> Option<()> {
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        if rest.is_empty() {
            return Some(());
        }
        let weak = rest.strip_prefix("W/");
        let (tag, after) = weak.unwrap_or(rest).strip_prefix('"')?.split_once('"')?;
        if tag.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return None;
        }
        tags.push((tag.to_owned(), weak.is_some()));
        rest = after.trim_start_matches([' ', '\t']);
        if !rest.is_empty() && !rest.starts_with(',') {
            return None;
        }
    }
}

/// A record, or a view of it, with its version. In a response the version is a strong `ETag`.
#[derive(Debug)]
pub struct Versioned<T> {
    pub version: i64,
    pub body: T,
}

impl<T> Versioned<T> {
    pub fn new(version: i64, body: T) -> Self {
        Self { version, body }
    }

    /// The first version of a created record.
    pub fn first(body: T) -> Self {
        Self::new(FIRST_VERSION, body)
    }

    /// The version after an edit of this one.
    pub fn after(version: i64, body: T) -> Self {
        Self::new(version.saturating_add(1), body)
    }

    pub fn into_body(self) -> T {
        self.body
    }
}

impl<T: Serialize> IntoResponse for Versioned<T> {
    fn into_response(self) -> Response {
        let mut response = Json(self.body).into_response();
        if let Ok(tag) = HeaderValue::from_str(&format!("\"{}\"", self.version)) {
            response.headers_mut().insert(ETAG, tag);
        }
        response
    }
}

/// The version of a record, and the record as `read` returns it afterwards. An edit for that version never rests on
/// older data than what was read.
pub async fn versioned<T, E>(
    state: &AppState,
    record: EditableRecord,
    read: impl Future<Output = Result<T, E>>,
) -> Result<Versioned<T>, ApiError>
where
    ApiError: From<E>,
{
    let version = state.store.version(&record).await?;
    Ok(Versioned::new(version, read.await?))
}

/// Makes an edit: `load` reads the record, and `save` merges, checks and writes it for the version that was loaded. If
/// another edit was faster, both are repeated with the newest record, so that edits of different fields all take
/// effect.
pub async fn edit<R, T, L, S>(
    if_match: &IfMatch,
    load: impl Fn() -> L,
    save: impl Fn(Versioned<R>) -> S,
) -> Result<Versioned<T>, ApiError>
where
    L: Future<Output = Result<Versioned<R>, ApiError>>,
    S: Future<Output = Result<Versioned<T>, ApiError>>,
{
    for _ in 0..EDITS_MAX {
        let stored = load().await?;
        if_match.check(stored.version)?;
        match save(stored).await {
            Err(error) if error.error_code() == ErrorCode::PreconditionFailed => {}
            done => return done,
        }
    }
    Err(ApiError::with_detail(ErrorCode::Conflict, "This was modified concurrently; try again."))
}

/// The version that a record must still have when it is deleted; None: any version.
pub async fn deletable(
    state: &AppState,
    if_match: &IfMatch,
    record: EditableRecord,
) -> Result<Option<i64>, ApiError> {
    if_match.guard(state.store.version(&record).await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicI64, Ordering};

    fn if_match(values: &[&str]) -> Option<IfMatch> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(IF_MATCH, value.parse().expect("a header"));
        }
        read(&headers)
    }

    fn one_of(tags: &[&str]) -> Option<IfMatch> {
        Some(IfMatch::OneOf(tags.iter().map(|&tag| tag.to_owned()).collect()))
    }

    #[test]
    fn lists_of_tags_are_read_and_anything_else_is_malformed() {
        let table: [(&[&str], Option<IfMatch>); 16] = [
            (&[], Some(IfMatch::Absent)),
            (&["*"], Some(IfMatch::Any)),
            (&["\"1\""], one_of(&["1"])),
            (&["\"1\", \"2\",\"a,b\""], one_of(&["1", "2", "a,b"])),
            (&["\"1\"", "\"2\""], one_of(&["1", "2"])),
            (&[", \"1\" ,,"], one_of(&["1"])),
            (&["W/\"1\", \"2\""], one_of(&["2"])),
            (&["W/\"1\""], one_of(&[])),
            (&[""], None),
            (&[","], None),
            (&["1"], None),
            (&["\"1"], None),
            (&["\"1\"\"2\""], None),
            (&["\"1 2\""], None),
            (&["*", "\"1\""], None),
            (&["\"1\", *"], None),
        ];
        for (values, expected) in table {
            assert_eq!(if_match(values), expected, "{values:?}");
        }
    }

    #[test]
    fn a_deletion_is_bound_to_a_version_that_was_named() {
        assert_eq!(IfMatch::Absent.guard(3).expect("any"), None);
        assert_eq!(IfMatch::Any.guard(3).expect("any"), None);
        let named = if_match(&["\"2\", \"3\""]).expect("tags");
        assert_eq!(named.guard(3).expect("named"), Some(3));
        assert_eq!(named.guard(4).expect_err("not named").error_code(), ErrorCode::PreconditionFailed);
    }

    /// The result of an edit that other edits overtake this many times.
    async fn overtaken(times: i64, if_match: IfMatch) -> Result<i64, ErrorCode> {
        let newest = AtomicI64::new(1);
        let newest = &newest;
        let load = move || async move { Ok(Versioned::new(newest.load(Ordering::SeqCst), ())) };
        let save = move |Versioned { version, .. }: Versioned<()>| async move {
            if version <= times {
                newest.fetch_add(1, Ordering::SeqCst);
                return Err(ApiError::of(ErrorCode::PreconditionFailed));
            }
            Ok(Versioned::after(version, ()))
        };
        edit(&if_match, load, save).await.map(|done| done.version).map_err(|error| error.error_code())
    }

    #[tokio::test]
    async fn an_edit_is_made_again_until_it_holds_and_not_without_end() {
        assert_eq!(overtaken(0, IfMatch::Absent).await, Ok(2));
        assert_eq!(overtaken(3, IfMatch::Absent).await, Ok(5));
        assert_eq!(overtaken(3, IfMatch::Any).await, Ok(5));
        assert_eq!(overtaken(i64::from(EDITS_MAX) - 1, IfMatch::Absent).await, Ok(i64::from(EDITS_MAX) + 1));
        assert_eq!(overtaken(i64::from(EDITS_MAX), IfMatch::Absent).await, Err(ErrorCode::Conflict));
        let first = if_match(&["\"1\""]).expect("a tag");
        assert_eq!(overtaken(0, first.clone()).await, Ok(2));
        assert_eq!(overtaken(1, first).await, Err(ErrorCode::PreconditionFailed));
    }
}
