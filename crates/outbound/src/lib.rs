//! Outbound HTTP: the guarded client, and OAuth with external services. Mail that the service sends.
//!
//! | Module | Content |
//! |---|---|
//! | `client` | [`GuardedClient`]: sends requests, follows redirects and reads responses within limits |
//! | `client_builder`, `tls` | the underlying clients; clients with custom TLS options |
//! | `limited_body` | response bodies within size and memory limits |
//! | `hop` | the request of one hop, and how a redirect changes it |
//! | `guard`, `allow_list` | which addresses may be reached; `SVC_OUTBOUND_ALLOW` |
//! | `resolver` | resolves names to checked addresses |
//! | `error`, `host` | client errors as `FetchError`; host names for messages |
//! | `limits` | [`ClientLimits`] |
//! | `mail` | [`SmtpClient`]: hands in mail at the administrator's server |
//! | `authenticators` | [`Authenticators`]: sign-in and access tokens with OAuth |

mod allow_list;
mod authenticators;
mod client;
mod client_builder;
mod error;
mod guard;
mod hop;
mod host;
mod limited_body;
mod limits;
mod mail;
mod resolver;
mod tls;

pub use allow_list::{AllowRule, AllowRuleError};
pub use authenticators::{Authenticators, OAuthStore};
pub use client::{ClientError, GuardedClient};
pub use limits::ClientLimits;
pub use mail::{
    Authorities, GOODBYE_TIME_MAX, MAIL_TIME_MAX, REPLIES_BYTES_MAX, SmtpClient, SmtpClientError, SmtpConfig,
};
pub use resolver::{Lookup, SystemLookup};

/// Functions that only fuzz targets call.
#[doc(hidden)]
pub mod fuzzing {
    pub use crate::authenticators::verify_token;
}
