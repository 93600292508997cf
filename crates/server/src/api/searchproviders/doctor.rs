//! The provider doctor: from a sample answer to a ready SearchProvider. Nothing is saved.

use crate::AppState;
use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody};
use crate::extract::ApiJson;
use axum::Json;
use axum::extract::State;
use federation::doctor::{Case, Diagnosis};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

/// What the doctor is given: a sample, or a request to be sent with `fetch`.
#[derive(Deserialize, Default, utoipa::ToSchema)]
#[serde(default)]
pub struct DoctorInput {
    /// A curl command or an address; empty when there is only a sample.
    #[schema(example = "curl 'https://source.example/search?q=tea&page=1' -H 'Authorization: Bearer …'")]
    request: String,
    /// A sample of the source's answer: an object or a list, or JSON or XML as text.
    #[schema(value_type = Object)]
    sample: Option<Value>,
    /// The word that was searched for, so that its place in the request is known.
    #[schema(example = "tea")]
    query: String,
    /// Name of the provider; without it the host's.
    name: String,
    /// Without a sample: send the request once, with the secrets in it, and look at the answer.
    fetch: bool,
}

/// Proposes a provider: finds the list of results in a sample answer, its counts, and the paths of title,
/// body, url, date and author, each with a confidence. Secrets in the request become blanks.
#[utoipa::path(post, path = "/svc/searchproviders/doctor/", tag = "providers", request_body = DoctorInput, responses(
    (status = 200, description = "The provider, ready to be saved, and how sure each part is.", body = Diagnosis),
    (status = 400, description = "Not valid, or the source could not be asked; the field is named.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
pub async fn examine_sample(
    _admin: Admin,
    State(state): State<Arc<AppState>>,
    ApiJson(input): ApiJson<DoctorInput>,
) -> Result<Json<Diagnosis>, ApiError> {
    let DoctorInput { request, sample, query, name, fetch } = input;
    let request =
        Case::request_of(&request).map_err(|sentence| ApiError::invalid_field("request", sentence))?;
    let sample = sample.filter(|sample| !sample.is_null() && *sample != "");
    let case = Case { request, sample, query, name, fetch };
    state.federation.doctor().examine(case).await.map(Json).map_err(ApiError::invalid)
}
