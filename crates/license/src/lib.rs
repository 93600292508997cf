//! Licenses: signed JSON, whose signature becomes invalid if a field is changed.
//!
//! | Module | Contents |
//! |---|---|
//! | `keys` | the keys of an issuer: they sign and verify licenses |
//! | `terms` | the terms of a license, and the text that is signed |
//! | `report` | the status of a license on a given day, and what it allows |
//! | `policy` | the configured license, evaluated at every use |

mod keys;
mod policy;
mod report;
mod terms;

pub use keys::{IssuerKey, PUBLIC_KEY, SigningKey};
pub use policy::LicensePolicy;
pub use report::{LICENSE_BYTES_MAX, LicenseReport, LicenseStatus, WARN_DAYS, signature_id};
pub use terms::{LicenseTerms, signed_text};
