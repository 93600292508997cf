//! The license: JSON that its issuer signed. Who changes a field of it makes it invalid.

mod keys;
mod report;
mod terms;

pub use keys::{IssuerKey, PUBLIC_KEY, SigningKey};
pub use report::{LICENSE_BYTES_MAX, LicenseReport, LicenseStatus, WARN_DAYS, signature_id};
pub use terms::{LicenseTerms, signed_text};

/// The field that holds the signature of all the others.
const SIGNATURE: &str = "key";
