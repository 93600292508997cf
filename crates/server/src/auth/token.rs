//! API tokens: `Authorization: Token <t>`. Shown once, stored as a hash, revocable one by one.

use super::caller::{Caller, Scheme};
use super::random::{fingerprint, random_text};
use crate::error::ApiError;
use crate::state::AppState;
use domain::secret::Secret;
use domain::user::Principal;

/// Prefix of every token, so that a leaked one is recognized.
const START: &str = "trb_";
/// How many characters of a token are stored for display.
const PREFIX_CHARS: usize = 12;
const TOKEN_CHARS_MAX: usize = 128;

/// A new token: the text is shown to its owner once, the rest is stored.
#[derive(Debug, Clone)]
pub struct NewToken {
    pub token: Secret,
    pub hash: String,
    pub prefix: String,
}

pub fn make() -> NewToken {
    let text = format!("{START}{}", random_text());
    NewToken { hash: fingerprint(&text), prefix: prefix_of(&text), token: Secret::new(text) }
}

/// The hash that the store has of a token.
pub fn hash_of(token: &str) -> String {
    fingerprint(token)
}

/// The owner of a token that exists and has not expired.
pub(crate) async fn identify(state: &AppState, text: &str) -> Result<Option<Caller>, ApiError> {
    if text.is_empty() || text.len() > TOKEN_CHARS_MAX {
        return Ok(None);
    }
    let user = state.store.user_by_token(&fingerprint(text), state.clock.now()).await?;
    Ok(user.map(|user| Caller {
        principal: Principal::of(&user),
        scheme: Scheme::Token { prefix: prefix_of(text) },
    }))
}

fn prefix_of(text: &str) -> String {
    text.chars().take(PREFIX_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_random_and_recognisable() {
        let one = make();
        let text = one.token.expose();
        assert!(text.starts_with(START));
        assert_eq!(text.len(), 47);
        assert!(text.starts_with(&one.prefix) && one.prefix.len() == PREFIX_CHARS);
        assert_eq!(one.hash, fingerprint(text));
        assert_ne!(one.hash, make().hash);
        assert!(!format!("{one:?}").contains(text));
    }
}
