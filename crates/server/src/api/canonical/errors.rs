//! Conversion of errors of decisions to responses, with the conflicting pin.

use super::view::PinView;
use crate::error::{ApiError, ErrorBody, ErrorCode};
use corpus::canonical::CanonicalError;

impl From<CanonicalError> for ApiError {
    fn from(error: CanonicalError) -> Self {
        match error {
            CanonicalError::Unlicensed => Self::of(ErrorCode::CacheUnlicensed),
            CanonicalError::NotFound => Self::of(ErrorCode::NotFound),
            CanonicalError::Forbidden => Self::with_detail(
                ErrorCode::PermissionDenied,
                "Only curators and administrators can decide elections.",
            ),
            CanonicalError::NotIndexed => Self::of(ErrorCode::NotIndexed),
            CanonicalError::NoQuery => Self::invalid_field("query", "A query is needed."),
            CanonicalError::PinExists { pin, .. } => match serde_json::to_value(PinView::from(*pin)) {
                Ok(pin) => Self::of(ErrorCode::PinExists).with_extra("existing_pin", pin),
                Err(error) => Self::internal(error),
            },
            CanonicalError::AlreadyDecided(run) => Self::with_detail(
                ErrorCode::AlreadyDecided,
                format!("This election is no longer open: it is {}.", run.status.as_str()),
            ),
            CanonicalError::Store(error) => error.into(),
        }
    }
}

/// The error if another document is pinned.
#[derive(Debug, serde::Serialize, utoipa::ToSchema)]
pub struct PinConflict {
    #[serde(flatten)]
    error: ErrorBody,
    /// With `pin_exists`: the current pin.
    existing_pin: Option<PinView>,
}
