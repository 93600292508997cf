//! Trying rules on a query before they are saved.

use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody};
use crate::extract::ApiJson;
use axum::Json;
use domain::query_transform::{LineMistake, Rules, TransformSpec, TransformType};
use domain::search::QUERY_CHARS_MAX;
use serde::{Deserialize, Serialize};

/// Rules, and a query to try them on.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(default)]
#[schema(as = QueryTransformTrial)]
pub struct TrialInput {
    qrx_type: TransformType,
    /// The rules as CSV.
    #[schema(example = "mobiles; ombile; mo bile,mobile")]
    config_content: String,
    #[schema(example = "mobiles phone", max_length = 2048)]
    query: String,
}

/// What the rules make of the query.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = QueryTransformPreview)]
pub struct Preview {
    /// The query as a search would use it; unchanged when there are mistakes.
    #[schema(example = "mobile phone")]
    query: String,
    /// How many rows are rules; 0 when there are mistakes.
    #[schema(example = 1)]
    rules: usize,
    /// What is wrong with the rules, by line.
    mistakes: Vec<LineMistake>,
}

/// Tries rules on a query; nothing is saved.
#[utoipa::path(post, path = "/svc/querytransforms/preview/", tag = "transforms", request_body = TrialInput, responses(
    (status = 200, description = "What the rules make of the query, or what is wrong with them.", body = Preview),
    (status = 400, description = "Too long.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
pub async fn preview_querytransform(
    _admin: Admin,
    ApiJson(trial): ApiJson<TrialInput>,
) -> Result<Json<Preview>, ApiError> {
    let TrialInput { qrx_type, config_content, query } = trial;
    let spec = TransformSpec { name: "trial".to_owned(), qrx_type, config_content, ..Default::default() };
    let mut errors = spec.check();
    errors.check_text("query", &query, QUERY_CHARS_MAX);
    errors.into_result(()).map_err(ApiError::invalid)?;
    let preview = match Rules::parse(spec.qrx_type, &spec.config_content) {
        Ok(rules) => Preview { query: rules.apply(&query).query, rules: rules.count(), mistakes: Vec::new() },
        Err(mistakes) => Preview { query, rules: 0, mistakes },
    };
    Ok(Json(preview))
}
