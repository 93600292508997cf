//! How requests to vendors' APIs are authorized: signatures of AWS, signed tokens, and access tokens that are requested
//! through the port `Fetch` and cached.
//!
//! | Module | Content |
//! |---|---|
//! | [`aws`] | AWS Signature Version 4 |
//! | [`signing_key`] | RS256 tokens, signed with a private key of the configuration |
//! | [`access_token`] | requests for access tokens, and their cache |
//! | [`service_account`] | service accounts of Google: a signed token is exchanged for an access token |
//! | [`host`] | whether a host belongs to a vendor |
//! | [`error`] | the errors of these |

pub mod access_token;
pub mod aws;
pub mod error;
pub mod host;
pub mod service_account;
pub mod signing_key;
