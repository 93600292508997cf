//! Preview of rules on a query before they are saved.

use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody};
use crate::extract::ApiJson;
use axum::Json;
use domain::query_transform::{LineError, Rules, TransformSpec, TransformType};
use domain::search::QUERY_CHARS_MAX;
use serde::{Deserialize, Serialize};

/// Rules, and a query to apply them to.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(default)]
#[schema(as = QueryTransformTrial)]
pub struct PreviewInput {
    qrx_type: TransformType,
    /// The rules as CSV.
    #[schema(example = "mobiles; ombile; mo bile,mobile")]
    config_content: String,
    #[schema(example = "mobiles phone")]
    query: String,
}

/// The result of the rules.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = QueryTransformPreview)]
pub struct Preview {
    /// The query as a search would use it; unchanged if there are errors.
    #[schema(example = "mobile phone")]
    query: String,
    /// Number of rules; 0 if there are errors.
    #[schema(example = 1)]
    rules: usize,
    /// Errors in the rules, by line.
    mistakes: Vec<LineError>,
}

/// Applies rules to a query; nothing is saved.
#[utoipa::path(post, path = "/svc/querytransforms/preview/", tag = "transforms", request_body = PreviewInput, responses(
    (status = 200, description = "The rewritten query, or the errors in the rules.", body = Preview),
    (status = 400, description = "Too long.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
pub async fn preview_querytransform(
    _admin: Admin,
    ApiJson(input): ApiJson<PreviewInput>,
) -> Result<Json<Preview>, ApiError> {
    let PreviewInput { qrx_type, config_content, query } = input;
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
