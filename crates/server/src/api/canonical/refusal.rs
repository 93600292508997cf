//! What a decision is refused with; the pin that is in the way goes along.

use super::view::PinView;
use crate::error::{ApiError, ErrorBody, Refusal};
use corpus::canonical::CanonicalError;

impl From<CanonicalError> for ApiError {
    fn from(error: CanonicalError) -> Self {
        match error {
            CanonicalError::Unlicensed => Self::of(Refusal::CacheUnlicensed),
            CanonicalError::NotFound => Self::of(Refusal::NotFound),
            CanonicalError::Forbidden => Self::saying(
                Refusal::PermissionDenied,
                "Only curators and administrators decide which version counts.",
            ),
            CanonicalError::NotIndexed => Self::of(Refusal::NotIndexed),
            CanonicalError::NoQuery => Self::invalid_field("query", "A query is needed."),
            CanonicalError::PinExists { pin, .. } => match serde_json::to_value(PinView::from(*pin)) {
                Ok(pin) => Self::of(Refusal::PinExists).with("existing_pin", pin),
                Err(error) => Self::internal(error),
            },
            CanonicalError::AlreadyDecided(run) => Self::saying(
                Refusal::AlreadyDecided,
                format!("This election is no longer open: it is {}.", run.status.as_str()),
            ),
            CanonicalError::Store(error) => error.into(),
        }
    }
}

/// The refusal of a pin where another document has its place.
#[derive(Debug, serde::Serialize, utoipa::ToSchema)]
pub struct PinConflict {
    #[serde(flatten)]
    error: ErrorBody,
    /// With `pin_exists`: what is pinned now.
    existing_pin: Option<PinView>,
}
