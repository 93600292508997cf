//! Identity from token claims: user name, email, and groups by the map of the authenticator.

use super::context::OAuthContext;
use super::endpoints::same_issuer;
use super::jwt::{Claims, ExpectedClaims, UnverifiedToken};
use domain::authenticator::{Authenticator, ProvenIdentity};
use domain::ports::{OAuthError, TokenUse};
use domain::secret::Secret;
use domain::user::USERNAME_CHARS_MAX;
use serde_json::Value;
use std::collections::BTreeSet;

const EMAIL_CHARS_MAX: usize = 254;
/// Maximum length of issuer and subject together.
const SUBJECT_CHARS_MAX: usize = 1000;
/// Claims that are looked up in user data if the ID token lacks them.
const NAME_CLAIMS: [&str; 2] = ["preferred_username", "email"];

impl OAuthContext {
    /// The identity of an ID token. Missing claims are requested from the service.
    pub(super) async fn signed_in(
        &self,
        authenticator: &Authenticator,
        token: &str,
        nonce: &str,
        access: &Secret,
    ) -> Result<ProvenIdentity, OAuthError> {
        let client = authenticator.spec.client_id.as_str();
        let expected = ExpectedClaims { audiences: vec![client], nonce: Some(nonce), client };
        let mut claims = self.verify_claims(authenticator, token, &expected).await?;
        let groups = authenticator.spec.groups_claim.as_str();
        let wanted = || NAME_CLAIMS.into_iter().chain([groups]).filter(|name| !name.is_empty());
        if wanted().any(|name| !claims.contains_key(name))
            && let Some(data) = self.user_data(authenticator, access).await
            && data.get("sub").is_some_and(|subject| Some(subject) == claims.get("sub"))
        {
            for name in wanted() {
                if let (None, Some(value)) = (claims.get(name), data.get(name)) {
                    claims.insert(name.to_owned(), value.clone());
                }
            }
        }
        let identity = identity(authenticator, &claims)?;
        // Many services omit the claim for users without groups.
        let groups = (!groups.is_empty()).then(|| identity.groups.unwrap_or_default());
        Ok(ProvenIdentity { groups, ..identity })
    }

    pub(super) async fn identity_of(
        &self,
        token: &str,
        token_use: TokenUse,
    ) -> Result<Option<ProvenIdentity>, OAuthError> {
        let Some(unproven) = UnverifiedToken::read(token) else { return Ok(None) };
        let issuer = unproven.claims.get("iss").and_then(Value::as_str).unwrap_or_default();
        let mut refused = None;
        for authenticator in self.store.authenticators().await? {
            let spec = &authenticator.spec;
            if !spec.active || !same_issuer(issuer, &spec.issuer) {
                continue;
            }
            let api = if spec.audience.is_empty() { &self.api_audience } else { &spec.audience };
            let audiences = match token_use {
                TokenUse::Api if api.is_empty() => continue,
                TokenUse::Api => vec![api.as_str()],
                TokenUse::SignIn if !spec.sign_in => continue,
                TokenUse::SignIn => vec![spec.client_id.as_str(), api.as_str()],
            };
            let expected = ExpectedClaims { audiences, nonce: None, client: &spec.client_id };
            match self.verify_claims(&authenticator, token, &expected).await {
                Ok(claims) => return identity(&authenticator, &claims).map(Some),
                Err(error) => refused = Some(error),
            }
        }
        refused.map_or(Ok(None), Err)
    }
}

/// Groups are None if the claim is missing.
fn identity(authenticator: &Authenticator, claims: &Claims) -> Result<ProvenIdentity, OAuthError> {
    let text = |name: &str| claims.get(name).and_then(Value::as_str).unwrap_or_default();
    let (issuer, subject) = (text("iss").trim_end_matches('/').to_owned(), text("sub").to_owned());
    if issuer.len() + subject.len() > SUBJECT_CHARS_MAX {
        return Err(OAuthError::NotProven("its subject is too long".to_owned()));
    }
    let named = NAME_CLAIMS.iter().map(|name| text(name)).find(|name| !name.is_empty()).unwrap_or(&subject);
    Ok(ProvenIdentity {
        username: username(named),
        email: text("email").chars().filter(|c| !c.is_control()).take(EMAIL_CHARS_MAX).collect(),
        groups: groups(authenticator, claims),
        issuer,
        subject,
    })
}

/// A valid user name.
fn username(wanted: &str) -> String {
    let allowed = |c: char| if c.is_alphanumeric() || "@.+-_".contains(c) { c } else { '-' };
    let name: String = wanted.trim().chars().map(allowed).take(USERNAME_CHARS_MAX).collect();
    if name.is_empty() { "user".to_owned() } else { name }
}

fn groups(authenticator: &Authenticator, claims: &Claims) -> Option<Vec<String>> {
    let spec = &authenticator.spec;
    if spec.groups_claim.is_empty() {
        return None;
    }
    let said: Vec<&str> = match claims.get(&spec.groups_claim)? {
        Value::String(one) => vec![one],
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let ours: BTreeSet<&String> = said.into_iter().filter_map(|name| spec.groups_map.get(name)).collect();
    Some(ours.into_iter().cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::authenticator::AuthenticatorSpec;
    use domain::ids::AuthenticatorId;
    use serde_json::json;

    fn of(claims: Value) -> ProvenIdentity {
        let spec = AuthenticatorSpec {
            groups_claim: "groups".to_owned(),
            groups_map: [("a-1", "staff"), ("a-2", "staff"), ("b", "council")]
                .map(|(theirs, ours)| (theirs.to_owned(), ours.to_owned()))
                .into(),
            ..Default::default()
        };
        let at = chrono::DateTime::UNIX_EPOCH;
        let one = Authenticator {
            id: AuthenticatorId(1),
            spec,
            is_unreadable: false,
            date_created: at,
            date_updated: at,
        };
        identity(&one, claims.as_object().unwrap()).unwrap()
    }

    #[test]
    fn names() {
        let table = [
            (json!({"sub": "7", "preferred_username": "ann", "email": "a@x.example"}), "ann"),
            (json!({"sub": "7", "email": "a@x.example"}), "a@x.example"),
            (json!({"sub": "auth0|7 x"}), "auth0-7-x"),
            (json!({"sub": "7", "preferred_username": "  "}), "user"),
        ];
        for (claims, expected) in table {
            let found = of(claims.clone());
            assert_eq!(found.username, expected, "{claims}");
            let spec = domain::user::UserSpec { username: found.username, ..Default::default() };
            assert!(spec.check_change().is_empty(), "{claims}");
        }
    }

    #[test]
    fn only_what_the_map_gives() {
        let table = [
            (json!({"sub": "7"}), None),
            (json!({"sub": "7", "groups": []}), Some(vec![])),
            (json!({"sub": "7", "groups": ["b", "admin", "staff", 7]}), Some(vec!["council"])),
            (json!({"sub": "7", "groups": ["a-1", "a-2", "b"]}), Some(vec!["council", "staff"])),
            (json!({"sub": "7", "groups": "a-1"}), Some(vec!["staff"])),
            (json!({"sub": "7", "groups": {"a-1": true}}), Some(vec![])),
        ];
        for (claims, expected) in table {
            let expected = expected.map(|list: Vec<&str>| list.into_iter().map(str::to_owned).collect());
            assert_eq!(of(claims.clone()).groups, expected, "{claims}");
        }
    }
}
