//! The credentials of a provider. None of them is shown.

use domain::secret::Secret;
use syntax::credentials::{SourceCredentials, session_name};

pub fn check(bytes: &[u8]) {
    let text = super::text(bytes);
    if let Ok(read) = SourceCredentials::parse(&Secret::new(text)) {
        let _secrets = read.secrets();
    }
    let _name = session_name(text);
}
