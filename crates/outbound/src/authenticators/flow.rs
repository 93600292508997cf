//! Authorization code flow: redirects a browser to a service and handles its callback once.

use super::context::OAuthContext;
use super::endpoints::{Endpoint, same_issuer};
use super::text::{digest, one_line, random_text};
use super::token_endpoint::account;
use chrono::TimeDelta;
use domain::authenticator::{Authenticator, FlowPurpose, PendingFlow, callback_word};
use domain::ids::UserId;
use domain::ports::{AuthorizationCallback, FlowOutcome, FlowStart, OAuthError, StoreError};
use domain::secret::Secret;
use url::Url;

/// Lifetime of a pending flow.
const FLOW_TTL: TimeDelta = TimeDelta::minutes(10);
/// Maximum length of state and code.
const ANSWER_CHARS_MAX: usize = 4096;
/// Parameters that the configuration cannot override.
const OWN_PARAMS: [&str; 8] = [
    "response_type",
    "client_id",
    "redirect_uri",
    "state",
    "nonce",
    "code_challenge",
    "code_challenge_method",
    "scope",
];

impl OAuthContext {
    pub(super) async fn begin(&self, start: FlowStart) -> Result<Url, OAuthError> {
        let FlowStart { authenticator, purpose, browser, redirect_uri, next } = start;
        let endpoint = self.required_endpoint(&authenticator, Endpoint::Authorize).await?;
        let (state, nonce, verifier) = (random_text(), random_text(), random_text());
        let url = authorization_url(
            &authenticator,
            endpoint.url,
            &redirect_uri,
            purpose,
            [&state, &nonce, &verifier],
        );
        let now = self.clock.now();
        let flow = PendingFlow {
            state_hash: digest(&state),
            authenticator: authenticator.id,
            purpose,
            browser_hash: digest(&browser),
            verifier: Secret::new(verifier),
            nonce,
            redirect_uri,
            next,
            expires: now + FLOW_TTL,
        };
        self.store.begin_flow(flow, now).await?;
        Ok(url)
    }

    pub(super) async fn finish(&self, back: AuthorizationCallback) -> Result<FlowOutcome, OAuthError> {
        let is_too_long = back.state.len().max(back.code.len()) > ANSWER_CHARS_MAX;
        if back.state.is_empty() || is_too_long {
            return Err(OAuthError::UnknownFlow);
        }
        let flow = self.store.take_flow(&digest(&back.state), self.clock.now()).await?;
        let flow = flow.ok_or(OAuthError::UnknownFlow)?;
        let authenticator = match self.store.authenticator(flow.authenticator).await {
            Ok(one) if one.spec.active => one,
            Ok(_) | Err(StoreError::NotFound) => return Err(OAuthError::UnknownFlow),
            Err(error) => return Err(error.into()),
        };
        let is_same_path = callback_word(&authenticator.spec.callback()) == Some(back.callback.as_str());
        let is_same_service = back.issuer.is_empty()
            || authenticator.spec.issuer.is_empty()
            || same_issuer(&back.issuer, &authenticator.spec.issuer);
        if !is_same_path || !is_same_service || !is_same_person(&flow, &back) {
            return Err(OAuthError::UnknownFlow);
        }
        let name = authenticator.spec.name.clone();
        if !back.error.is_empty() || back.code.is_empty() {
            let reason =
                if back.error.is_empty() { "it sent no code".to_owned() } else { one_line(&back.error) };
            return Err(OAuthError::Refused(name, reason));
        }
        let redirect_uri = &flow.redirect_uri;
        let answer = self.exchange_code(&authenticator, &back.code, &flow.verifier, redirect_uri).await?;
        match flow.purpose {
            FlowPurpose::Connect(user) => {
                let data = self.user_data(&authenticator, &answer.tokens.access).await.unwrap_or_default();
                let now = self.clock.now();
                self.store.connect(user, authenticator.id, answer.tokens, account(&data), now).await?;
                Ok(FlowOutcome::Connected { name, authenticator: authenticator.id, next: flow.next })
            }
            FlowPurpose::SignIn => {
                let token = answer.id_token.ok_or_else(|| {
                    OAuthError::misconfigured(&name, "it sent no ID token; is openid among the scopes?")
                })?;
                let access = &answer.tokens.access;
                let identity = self.signed_in(&authenticator, &token, &flow.nonce, access).await?;
                Ok(FlowOutcome::SignedIn { identity, next: flow.next })
            }
        }
    }

    pub(super) async fn disconnect(
        &self,
        user: UserId,
        authenticator: &Authenticator,
    ) -> Result<bool, OAuthError> {
        let Some(gone) = self.store.disconnect(user, authenticator.id).await? else { return Ok(false) };
        self.revoke(authenticator, &gone.tokens).await;
        Ok(true)
    }
}

/// To connect, the same user must be signed in; to sign in, the callback must come from the same browser.
fn is_same_person(flow: &PendingFlow, back: &AuthorizationCallback) -> bool {
    match flow.purpose {
        FlowPurpose::Connect(user) => back.user == Some(user),
        FlowPurpose::SignIn => !back.browser.is_empty() && digest(&back.browser) == flow.browser_hash,
    }
}

fn authorization_url(
    authenticator: &Authenticator,
    mut url: Url,
    redirect_uri: &str,
    purpose: FlowPurpose,
    [state, nonce, verifier]: [&str; 3],
) -> Url {
    let spec = &authenticator.spec;
    let is_sign_in = purpose == FlowPurpose::SignIn;
    let has_openid = spec.scopes.split_whitespace().any(|scope| scope == "openid");
    let scopes = if is_sign_in && !has_openid {
        format!("openid {}", spec.scopes).trim().to_owned()
    } else {
        spec.scopes.clone()
    };
    let more =
        spec.initiate_auth_code_flow_params.iter().filter(|(name, _)| !OWN_PARAMS.contains(&name.as_str()));
    let kept: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(name, _)| !OWN_PARAMS.contains(&name.as_ref()))
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    let mut query = url.query_pairs_mut();
    query.clear().extend_pairs(kept).extend_pairs([
        ("response_type", "code"),
        ("client_id", &spec.client_id),
        ("redirect_uri", redirect_uri),
        ("state", state),
    ]);
    if !scopes.is_empty() {
        query.append_pair("scope", &scopes);
    }
    if is_sign_in {
        query.append_pair("nonce", nonce);
    }
    if spec.is_code_challenge {
        query.append_pair("code_challenge", &digest(verifier)).append_pair("code_challenge_method", "S256");
    }
    query.extend_pairs(more);
    drop(query);
    url
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::authenticator::AuthenticatorSpec;
    use domain::ids::AuthenticatorId;
    use std::collections::HashMap;

    fn asked(spec: AuthenticatorSpec, auth_uri: &str, purpose: FlowPurpose) -> HashMap<String, String> {
        let at = chrono::DateTime::UNIX_EPOCH;
        let one = Authenticator {
            id: AuthenticatorId(1),
            spec,
            is_unreadable: false,
            date_created: at,
            date_updated: at,
        };
        let url = authorization_url(
            &one,
            Url::parse(auth_uri).unwrap(),
            "https://find.example/cb",
            purpose,
            ["s", "n", "v"],
        );
        let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        let count = pairs.len();
        let map: HashMap<_, _> = pairs.into_iter().collect();
        assert_eq!(map.len(), count, "nothing stands twice: {url}");
        map
    }

    #[test]
    fn the_address_says_what_is_asked() {
        let spec = AuthenticatorSpec {
            client_id: "c".to_owned(),
            scopes: "mail".to_owned(),
            initiate_auth_code_flow_params: [("prompt", "consent"), ("state", "evil"), ("nonce", "evil")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            ..Default::default()
        };
        let signing = asked(spec.clone(), "https://hub.example/a?tenant=t&state=x", FlowPurpose::SignIn);
        let expected = [
            ("tenant", "t"),
            ("response_type", "code"),
            ("client_id", "c"),
            ("redirect_uri", "https://find.example/cb"),
            ("state", "s"),
            ("nonce", "n"),
            ("scope", "openid mail"),
            ("code_challenge_method", "S256"),
            ("prompt", "consent"),
        ];
        for (name, value) in expected {
            assert_eq!(signing[name], value, "{name}");
        }
        assert_eq!(signing["code_challenge"], digest("v"));
        let plain = AuthenticatorSpec { is_code_challenge: false, ..spec };
        let connecting = asked(plain, "https://hub.example/a", FlowPurpose::Connect(UserId(1)));
        assert_eq!(connecting["scope"], "mail");
        assert!(!connecting.contains_key("nonce") && !connecting.contains_key("code_challenge"));
    }
}
