//! Names of mixers in URLs.

use crate::error::ApiError;

/// A mixer's name from a URL: it may be unknown, but not blank.
pub fn named_mixer(name: Option<&str>) -> Result<Option<String>, ApiError> {
    match name.map(str::trim) {
        Some("") => Err(ApiError::invalid_field("result_mixer", "A mixer's name is needed; this is empty.")),
        name => Ok(name.map(str::to_owned)),
    }
}
