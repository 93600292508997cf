//! The guarded client: the only HTTP client of the product, with limits and an address guard.
//!
//! | Module | What lives there |
//! |---|---|
//! | `client` | [`GuardedClient`]: sends, follows redirects, reads the answer within its limits |
//! | `pieces` | the body of an answer, read while it arrives |
//! | `hop` | what is sent to one stop of the way, and what a redirect makes of it |
//! | `guard` | which addresses may be reached |
//! | `allow` | the notation of `SVC_OUTBOUND_ALLOW` |
//! | `resolver` | names become checked addresses, once |
//! | `failure` | errors of the client in the words of the contract |
//! | `tls` | clients for requests that bring their own idea of trust |
//! | `limits` | [`ClientLimits`] |
//! | `authenticators` | [`Authenticators`]: services that sign people in or give out their tokens |

mod allow;
mod authenticators;
mod client;
mod failure;
mod guard;
mod hop;
mod limits;
mod pieces;
mod resolver;
mod tls;

pub use allow::{AllowRule, AllowRuleError};
pub use authenticators::Authenticators;
pub use client::{ClientError, GuardedClient};
pub use limits::ClientLimits;
pub use resolver::{Lookup, SystemLookup};

/// What only fuzz targets call from outside.
#[doc(hidden)]
pub mod fuzzing {
    pub use crate::authenticators::verify_token;
}
