//! Authentication. Deny by default; `PUBLIC` in `paths` lists the public paths.

pub mod basic;
mod caller;
mod credentials;
mod csrf;
pub mod events;
mod guard;
mod hash_pool;
pub mod oidc;
pub mod password;
mod paths;
pub mod random;
pub mod scrapers;
mod session;
pub mod side_effects;
mod site;
pub mod token;

pub use caller::{Admin, Caller, NeedsConfirmation, RequestUser, Scheme};
pub use credentials::{by_password, identify};
pub use csrf::{masked, same_text};
pub use guard::guard;
pub use random::{random_hex, random_text};
pub use scrapers::SCRAPER_TIME_MAX;
pub use session::{close_session, cookie, identify_by_cookie, keep_session, open_session, read_cookie};
#[cfg(feature = "mcp")]
pub use site::{is_listed, is_same_host};
