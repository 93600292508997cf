//! POST: puts a document into the semantic cache on request of a user.

use super::search::own_search;
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::idempotency::{self, KeyedJson, ReplayHeader, replay_header};
use crate::state::AppState;
use crate::units::BYTES_PER_MB;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use corpus::ingest::{Accepted, Document, IngestRequest, MATTER_TAGS_MAX};
use domain::corpus::{DocumentAddress, MatterTag, Origin, SignalState, URL_CHARS_MAX};
use domain::idempotency::IdempotencyKey;
use domain::ids::{ProviderId, ResultId, SearchId, SignalId, TaskId, UserId};
use domain::ports::{Corpus, StoreError};
use domain::provider::SearchProvider;
use domain::validation::FieldErrors;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// How long `wait` waits.
const WAIT_MAX: Duration = Duration::from_secs(20);
/// Allowance for a request in addition to its text.
const BESIDE_THE_TEXT_BYTES: usize = 64 * 1024;
pub const TITLE_CHARS_MAX: usize = 2_000;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().routes(routes!(ingest))
}

/// The document to ingest: the one behind a result, or the one at an address.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(default)]
struct IngestInput {
    /// A search of yours, with `swirl_id`.
    search_id: Option<i64>,
    /// `swirl_id` of a result of that search.
    swirl_id: Option<i64>,
    /// The address of the document, instead of a result.
    #[schema(example = "https://example.com/report.pdf")]
    url: Option<String>,
    /// With `body`: its title. A document that is fetched has its own title.
    title: String,
    /// With `url`: its text, if you have it. From 200 words on the document is not fetched, and only you see it.
    body: Option<String>,
    /// With `url`: the provider that returned it. It is the provider's document if one of your results of the provider,
    /// unedited, has exactly this address, or if the provider is queried with your own account and the address is on
    /// its host. Otherwise it is fetched without credentials, and only you see it.
    provider_id: Option<i64>,
    /// Matters that it belongs to, with or without `matter:`, in addition to those of the search's tags.
    matter_tags: Vec<String>,
    /// Wait until it is ingested, up to 20 seconds.
    wait: bool,
}

/// The state of the request.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
struct Ingested {
    signal_id: SignalId,
    state: SignalState,
    /// The task that fetches it; null if there was nothing to do.
    job_id: Option<TaskId>,
    /// A result with only a snippet becomes a whole document.
    upgraded: bool,
    /// A message for people.
    message: String,
}

/// Puts a document into the semantic cache. The document of a result is fetched at the address that its provider
/// returned, with your own access; an address that you enter is fetched without credentials. Repeating the request
/// changes nothing.
#[utoipa::path(post, path = "/svc/ingest/", tag = "cache",
    params(("Idempotency-Key" = Option<String>, Header,
        description = "A key of your choice, such as a UUID. A request that is repeated with it within 24 \
        hours gets the first response again, with `Idempotent-Replayed: true`.")),
    request_body(content = IngestInput,
        example = json!({"search_id": 7, "swirl_id": 42, "wait": true})),
    responses(
    (status = 200, description = "With `wait`: it is ingested.", body = Ingested),
    (status = 202, description = "Accepted; a task ingests it.", body = Ingested),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 402, description = "`cache_unlicensed`: the license does not include the cache.", body = ErrorBody),
    (status = 403, description = "You may not use that provider.", body = ErrorBody),
    (status = 404, description = "Unknown search or result, or it belongs to someone else.", body = ErrorBody),
    (status = 413, description = "The text is larger than `SVC_STORAGE_MAX_BODY_MB`.", body = ErrorBody),
    (status = 415, description = "The body is not JSON.", body = ErrorBody),
    (status = 422, description = "Its text cannot be fetched; or `idempotency_key_reused`: the key was used with another request.", body = ErrorBody)))]
async fn ingest(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    request: Request,
) -> Result<(StatusCode, ReplayHeader, Json<Ingested>), ApiError> {
    // Before megabytes are read in vain.
    if !state.corpus.is_open() {
        return Err(ApiError::of(ErrorCode::CacheUnlicensed));
    }
    let bytes_max = (state.settings.storage_max_body_mb as usize).saturating_mul(BYTES_PER_MB);
    let bytes_max = bytes_max.saturating_add(BESIDE_THE_TEXT_BYTES);
    let KeyedJson { value: input, key } = KeyedJson::<IngestInput>::read_limited(request, bytes_max).await?;
    let (first, is_replayed) = match &key {
        None => (input.ingest(&state, &caller).await?, false),
        Some(key) => input.ingest_once(&state, &caller, key).await?,
    };
    Ok((first.status(), replay_header(is_replayed), Json(first.body)))
}

/// The response to a request, as stored with its key.
#[derive(Debug, Serialize, Deserialize)]
struct StoredResponse {
    /// The document is ingested.
    #[serde(rename = "is_in")]
    is_ingested: bool,
    #[serde(rename = "told")]
    body: Ingested,
}

impl StoredResponse {
    fn status(&self) -> StatusCode {
        if self.is_ingested { StatusCode::OK } else { StatusCode::ACCEPTED }
    }
}

impl IngestInput {
    /// The response to the first request with this key, and whether that was an earlier one. Ingesting is idempotent,
    /// so a request that was interrupted, or that is still running, is simply repeated.
    async fn ingest_once(
        self,
        state: &AppState,
        caller: &Caller,
        key: &IdempotencyKey,
    ) -> Result<(StoredResponse, bool), ApiError> {
        // An invalid request does not use the key.
        self.check().into_result(()).map_err(ApiError::invalid)?;
        let owner = caller.principal.user;
        if !state.store.claim_key(owner, key, state.clock.now()).await?
            && let Some(first) = first_response(state, owner, key).await?
        {
            return Ok((first, true));
        }
        let response = self.ingest(state, caller).await?;
        let kept = serde_json::to_value(&response).map_err(ApiError::internal)?;
        if !state.store.store_response(owner, key, &kept).await?
            && let Some(first) = first_response(state, owner, key).await?
        {
            return Ok((first, true));
        }
        Ok((response, false))
    }

    async fn ingest(self, state: &AppState, caller: &Caller) -> Result<StoredResponse, ApiError> {
        let wait = self.wait;
        let ingest_request = self.into_request(state, caller).await?;
        let accepted = if wait {
            state.corpus.ingest_and_wait(ingest_request, WAIT_MAX).await?
        } else {
            state.corpus.ingest(ingest_request).await?
        };
        let is_ingested = wait && accepted.is_done;
        let Accepted { signal, job, upgraded, message, .. } = accepted;
        let body =
            Ingested { signal_id: signal.signal_id, state: signal.state, job_id: job, upgraded, message };
        Ok(StoredResponse { is_ingested, body })
    }

    async fn into_request(self, state: &AppState, caller: &Caller) -> Result<IngestRequest, ApiError> {
        self.check().into_result(()).map_err(ApiError::invalid)?;
        let user = caller.principal.user;
        let matter_tags = self.matter_tags.iter().filter_map(|tag| MatterTag::parse(tag)).collect();
        let document = match (self.search_id, self.swirl_id, self.url) {
            (Some(search), Some(result), _) => {
                let search = own_search(state, &caller.principal, SearchId(search)).await?;
                let (saved, _) = state.federation.reader.saved_result(ResultId(result)).await?;
                if saved.search != search.id {
                    return Err(ApiError::of(ErrorCode::NotFound));
                }
                let provider = state.store.provider(saved.provider).await.map_err(without_source)?;
                Document::Result { provider, item: saved.item }
            }
            (_, _, url) => Document::Address {
                provider: own_provider(state, caller, self.provider_id).await?,
                url: url.unwrap_or_default(),
                title: self.title,
                body: self.body,
            },
        };
        Ok(IngestRequest { user, document, matter_tags, origin: Origin::Ingest })
    }

    fn check(&self) -> FieldErrors {
        let mut errors = FieldErrors::default();
        match (self.search_id, self.swirl_id, &self.url) {
            (Some(_), Some(_), None) => {}
            (None, None, Some(url)) => {
                errors.check(DocumentAddress::of(url).is_some(), "url", || {
                    format!("An address with http or https of at most {URL_CHARS_MAX} characters is needed.")
                });
            }
            (None, None, None) => {
                errors.add("url", "Name a document: search_id and swirl_id, or url.".to_owned());
            }
            (Some(_), None, None) => errors.add("swirl_id", "Name a result of the search.".to_owned()),
            (None, Some(_), None) => errors.add("search_id", "Name the search of the result.".to_owned()),
            (_, _, Some(_)) => errors.add("url", "Name a result or an address, not both.".to_owned()),
        }
        errors.check_text("title", &self.title, TITLE_CHARS_MAX);
        errors.check(self.matter_tags.len() <= MATTER_TAGS_MAX, "matter_tags", || {
            format!("At most {MATTER_TAGS_MAX} tags are allowed.")
        });
        for tag in self.matter_tags.iter().take(MATTER_TAGS_MAX) {
            MatterTag::read(&mut errors, "matter_tags", tag);
        }
        errors
    }
}

/// The response to the first request with this key; None while there is none.
async fn first_response(
    state: &AppState,
    owner: UserId,
    key: &IdempotencyKey,
) -> Result<Option<StoredResponse>, ApiError> {
    let Some(kept) = state.store.stored_response(owner, &key.key, state.clock.now()).await? else {
        return Ok(None);
    };
    if kept.fingerprint != key.fingerprint {
        return Err(idempotency::reused());
    }
    kept.answer.map(serde_json::from_value).transpose().map_err(ApiError::internal)
}

/// A provider that the caller may use. Whether another one exists is not revealed.
async fn own_provider(
    state: &AppState,
    caller: &Caller,
    id: Option<i64>,
) -> Result<Option<SearchProvider>, ApiError> {
    let Some(id) = id else { return Ok(None) };
    match state.store.provider(ProviderId(id)).await {
        Ok(provider) if caller.principal.may_see(&provider) => Ok(Some(provider)),
        Ok(_) | Err(StoreError::NotFound) => {
            Err(ApiError::with_detail(ErrorCode::PermissionDenied, "You may not use this provider."))
        }
        Err(error) => Err(error.into()),
    }
}

fn without_source(error: StoreError) -> ApiError {
    match error {
        StoreError::NotFound => {
            ApiError::with_detail(ErrorCode::Impossible, "The provider of this result no longer exists.")
        }
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::corpus::MATTER_CHARS_MAX;
    use serde_json::{Value, json};

    fn fields(input: Value) -> Vec<String> {
        let input: IngestInput = serde_json::from_value(input).expect("an input");
        input.check().iter().map(|(field, _)| field.to_owned()).collect()
    }

    #[test]
    fn an_ingest_request_names_one_document() {
        let long = "x".repeat(URL_CHARS_MAX);
        let tags = vec!["a"; MATTER_TAGS_MAX + 1];
        let none: [&str; 0] = [];
        let table = [
            (json!({"search_id": 1, "swirl_id": 2}), none.as_slice()),
            (json!({"url": "https://a.example/"}), &none),
            (json!({"url": "https://a.example/", "matter_tags": &tags[1..]}), &none),
            (json!({}), &["url"]),
            (json!({"search_id": 1}), &["swirl_id"]),
            (json!({"swirl_id": 1}), &["search_id"]),
            (json!({"search_id": 1, "swirl_id": 2, "url": "https://a.example/"}), &["url"]),
            (json!({"search_id": 1, "url": "https://a.example/"}), &["url"]),
            (json!({"url": ""}), &["url"]),
            (json!({"url": "file:///etc/passwd"}), &["url"]),
            (json!({"url": format!("https://a.example/{long}")}), &["url"]),
            (json!({"url": "https://a.example/", "matter_tags": tags}), &["matter_tags"]),
            (
                json!({"url": "https://a.example/", "matter_tags": ["a".repeat(MATTER_CHARS_MAX + 1)]}),
                &["matter_tags"],
            ),
            (json!({"url": "https://a.example/", "matter_tags": ["a", "matter:"]}), &["matter_tags"]),
            (json!({"url": "https://a.example/", "title": "t".repeat(TITLE_CHARS_MAX + 1)}), &["title"]),
        ];
        for (input, expected) in table {
            assert_eq!(
                fields(input.clone()),
                expected,
                "{}",
                &input.to_string()[..60.min(input.to_string().len())]
            );
        }
    }
}
