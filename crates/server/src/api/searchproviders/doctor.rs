//! The provider doctor: suggests a SearchProvider from a sample response. Nothing is saved.

use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody};
use crate::extract::ApiJson;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use provider_doctor::{Diagnosis, DiagnosisInput};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

/// Input of the doctor: a sample, or a request to be sent with `fetch`.
#[derive(Deserialize, Default, utoipa::ToSchema)]
#[serde(default)]
pub struct DoctorInput {
    /// A curl command or a URL; empty if there is only a sample.
    #[schema(example = "curl 'https://source.example/search?q=tea&page=1' -H 'Authorization: Bearer …'")]
    request: String,
    /// A sample response of the source: an object or a list, or JSON or XML as text.
    #[schema(value_type = Value)]
    sample: Option<Value>,
    /// The query of the sample, so that it is found in the request.
    #[schema(example = "tea")]
    query: String,
    /// Name of the provider; by default the host.
    name: String,
    /// Without a sample: send the request once, with its secrets, and examine the response.
    fetch: bool,
}

/// Suggests a provider: finds the list of results in a sample response, its counts, and the paths of title, body, url,
/// date and author, each with a confidence. Secrets in the request become placeholders.
#[utoipa::path(post, path = "/svc/searchproviders/doctor/", tag = "providers", request_body = DoctorInput, responses(
    (status = 200, description = "The suggested provider, with the confidence of each part.", body = Diagnosis),
    (status = 400, description = "Invalid, or the source could not be queried; the field is named.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
pub async fn examine_sample(
    _admin: Admin,
    State(state): State<Arc<AppState>>,
    ApiJson(input): ApiJson<DoctorInput>,
) -> Result<Json<Diagnosis>, ApiError> {
    let DoctorInput { request, sample, query, name, fetch } = input;
    let request = DiagnosisInput::parse_request(&request)
        .map_err(|sentence| ApiError::invalid_field("request", sentence))?;
    let sample = sample.filter(|sample| !sample.is_null() && *sample != "");
    let input = DiagnosisInput { request, sample, query, name, fetch };
    state.doctor.diagnose(input).await.map(Json).map_err(ApiError::invalid)
}
