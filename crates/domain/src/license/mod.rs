//! Licenses: signed JSON. Changing a field invalidates the signature.

mod keys;
mod report;
mod terms;

pub use keys::{IssuerKey, PUBLIC_KEY, SigningKey};
pub use report::{LICENSE_BYTES_MAX, LicenseReport, LicenseStatus, WARN_DAYS, signature_id};
pub use terms::{LicenseTerms, signed_text};

/// The field with the signature of all others.
const SIGNATURE: &str = "key";
