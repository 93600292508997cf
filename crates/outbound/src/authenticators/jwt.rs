//! JWT verification: parsing, signature and required claims.
//!
//! Every algorithm is bound to one key type, and `none` and shared secrets are not supported: a token cannot choose
//! how it is verified.

use super::context::OAuthContext;
use super::endpoint_url::EndpointUrl;
use super::endpoints::{Endpoint, same_issuer};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::authenticator::Authenticator;
use domain::bounded_json::{self, FIELD_VALUES_MAX};
use domain::ports::OAuthError;
use ring::signature::{self, RsaPublicKeyComponents, UnparsedPublicKey};
use serde_json::{Map, Value};

/// Maximum length of a token.
const TOKEN_CHARS_MAX: usize = 16 * 1024;
/// Tolerated clock skew in seconds.
const CLOCK_SKEW_S: f64 = 60.0;
/// Maximum number of keys tried for a token without a key id.
const KEYS_MAX: usize = 50;
/// Error message for malformed tokens.
const MALFORMED: &str = "it is no signed token";

pub(super) type Claims = Map<String, Value>;

/// Claims that a token must have besides its issuer.
pub(super) struct ExpectedClaims<'a> {
    /// One of these must be among its audiences.
    pub audiences: Vec<&'a str>,
    pub nonce: Option<&'a str>,
    /// A token with several audiences must have been issued to this client.
    pub client: &'a str,
}

/// A parsed token that is not verified yet.
pub(super) struct UnverifiedToken<'a> {
    header: Map<String, Value>,
    pub claims: Claims,
    signed: &'a str,
    signature: Vec<u8>,
}

impl<'a> UnverifiedToken<'a> {
    pub(super) fn read(token: &'a str) -> Option<Self> {
        if token.len() > TOKEN_CHARS_MAX {
            return None;
        }
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let object = |part: &str| {
            let bytes = BASE64_URL_SAFE_NO_PAD.decode(part).ok()?;
            bounded_json::parse_object(&bytes, FIELD_VALUES_MAX)
        };
        let signature = BASE64_URL_SAFE_NO_PAD.decode(signature).ok()?;
        Some(Self { header: object(header)?, claims: object(claims)?, signed, signature })
    }

    fn text(&self, name: &str) -> &str {
        self.header.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Keys that could have signed the token.
    fn candidates<'k>(&self, keys: &'k Map<String, Value>) -> Vec<&'k Value> {
        let (kid, alg) = (self.text("kid"), self.text("alg"));
        let fits = |key: &&Value| {
            let of = |name: &str| key.get(name).and_then(Value::as_str).unwrap_or_default();
            let is_named = kid.is_empty() || of("kid") == kid;
            is_named && ["", "sig"].contains(&of("use")) && (of("alg").is_empty() || of("alg") == alg)
        };
        let all = keys.get("keys").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        all.iter().filter(fits).take(KEYS_MAX).collect()
    }

    fn is_signed_by(&self, key: &Value) -> bool {
        // Critical header extensions are not supported.
        !self.header.contains_key("crit")
            && verify(self.text("alg"), key, self.signed.as_bytes(), &self.signature).unwrap_or(false)
    }

    /// Whether one of these keys signed the token; None if no key is a candidate.
    fn is_signed_by_one_of(&self, keys: &Map<String, Value>) -> Option<bool> {
        let candidates = self.candidates(keys);
        (!candidates.is_empty()).then(|| candidates.into_iter().any(|key| self.is_signed_by(key)))
    }

    /// Checks the claims after the signature, and returns them or the reason for rejection.
    fn verify_with(
        self,
        is_signed: bool,
        issuer: &str,
        expected: &ExpectedClaims<'_>,
        now: f64,
    ) -> Result<Claims, &'static str> {
        if !is_signed {
            return Err("its signature does not belong to the service");
        }
        match claims_error(&self.claims, issuer, expected, now) {
            Some(claims_error) => Err(claims_error),
            None => Ok(self.claims),
        }
    }
}

/// Verifies an API token with these keys, for fuzzing.
pub fn verify_token(
    token: &str,
    keys: &Map<String, Value>,
    issuer: &str,
    audience: &str,
    now: f64,
) -> Result<Map<String, Value>, &'static str> {
    let token = UnverifiedToken::read(token).ok_or(MALFORMED)?;
    let is_signed = token.is_signed_by_one_of(keys).unwrap_or(false);
    token.verify_with(
        is_signed,
        issuer,
        &ExpectedClaims { audiences: vec![audience], nonce: None, client: "" },
        now,
    )
}

impl OAuthContext {
    /// Verifies a token with the keys of the authenticator's service.
    pub(super) async fn verify_claims(
        &self,
        authenticator: &Authenticator,
        token: &str,
        expected: &ExpectedClaims<'_>,
    ) -> Result<Claims, OAuthError> {
        let not_proven = |reason: &str| OAuthError::NotProven(reason.to_owned());
        let token = UnverifiedToken::read(token).ok_or_else(|| not_proven(MALFORMED))?;
        let endpoint = self.required_endpoint(authenticator, Endpoint::Keys).await?;
        let is_signed = self.is_signed(authenticator, &endpoint, &token).await?;
        let now = self.clock.now().timestamp_millis() as f64 / 1000.0;
        token.verify_with(is_signed, &authenticator.spec.issuer, expected, now).map_err(not_proven)
    }

    /// If no key matches, the keys are refetched, at a limited rate.
    async fn is_signed(
        &self,
        authenticator: &Authenticator,
        endpoint: &EndpointUrl,
        token: &UnverifiedToken<'_>,
    ) -> Result<bool, OAuthError> {
        let away = |reason| OAuthError::Unavailable(authenticator.spec.name.clone(), reason);
        let keys = self.discovery.get(endpoint).await.map_err(away)?;
        if let Some(is_signed) = token.is_signed_by_one_of(&keys) {
            return Ok(is_signed);
        }
        let newer = self.discovery.refresh(endpoint, &keys).await.map_err(away)?;
        Ok(token.is_signed_by_one_of(&newer).unwrap_or(false))
    }
}

/// The reason why claims are invalid.
fn claims_error(
    claims: &Claims,
    issuer: &str,
    expected: &ExpectedClaims<'_>,
    now: f64,
) -> Option<&'static str> {
    let text = |name: &str| claims.get(name).and_then(Value::as_str).unwrap_or_default();
    let time = |name: &str| claims.get(name).and_then(Value::as_f64);
    if !same_issuer(text("iss"), issuer) {
        return Some("it is of another issuer");
    }
    let audiences: Vec<&str> = match claims.get("aud") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let is_meant = expected.audiences.iter().any(|wanted| !wanted.is_empty() && audiences.contains(wanted));
    if !is_meant {
        return Some("it is meant for another audience");
    }
    let azp = text("azp");
    if expected.nonce.is_some() && (audiences.len() > 1 || !azp.is_empty()) && azp != expected.client {
        return Some("it was given to another client");
    }
    if time("exp").is_none_or(|end| end + CLOCK_SKEW_S <= now) {
        return Some("it has expired");
    }
    let is_early = |name: &str| time(name).is_some_and(|start| start - CLOCK_SKEW_S > now);
    if is_early("nbf") || is_early("iat") {
        return Some("it is not valid yet");
    }
    if expected.nonce.is_some_and(|nonce| text("nonce") != nonce) {
        return Some("it belongs to another attempt");
    }
    text("sub").is_empty().then_some("it names nobody")
}

/// Whether the key made the signature; None if key and algorithm do not match.
fn verify(alg: &str, key: &Value, message: &[u8], sign: &[u8]) -> Option<bool> {
    let of = |name: &str| key.get(name).and_then(Value::as_str).unwrap_or_default();
    let bytes = |name: &str| BASE64_URL_SAFE_NO_PAD.decode(of(name).trim_end_matches('=')).ok();
    let rsa = |parameters: &'static signature::RsaParameters| {
        let key = RsaPublicKeyComponents { n: bytes("n")?, e: bytes("e")? };
        Some(key.verify(parameters, message, sign).is_ok())
    };
    let curve = |algorithm: &'static signature::EcdsaVerificationAlgorithm, name: &str, size: usize| {
        let (x, y) = (bytes("x")?, bytes("y")?);
        if of("crv") != name || x.len() != size || y.len() != size {
            return None;
        }
        let point = [&[4], x.as_slice(), y.as_slice()].concat();
        Some(UnparsedPublicKey::new(algorithm, point).verify(message, sign).is_ok())
    };
    match (of("kty"), alg) {
        ("RSA", "RS256") => rsa(&signature::RSA_PKCS1_2048_8192_SHA256),
        ("RSA", "RS384") => rsa(&signature::RSA_PKCS1_2048_8192_SHA384),
        ("RSA", "RS512") => rsa(&signature::RSA_PKCS1_2048_8192_SHA512),
        ("RSA", "PS256") => rsa(&signature::RSA_PSS_2048_8192_SHA256),
        ("RSA", "PS384") => rsa(&signature::RSA_PSS_2048_8192_SHA384),
        ("RSA", "PS512") => rsa(&signature::RSA_PSS_2048_8192_SHA512),
        ("EC", "ES256") => curve(&signature::ECDSA_P256_SHA256_FIXED, "P-256", 32),
        ("EC", "ES384") => curve(&signature::ECDSA_P384_SHA384_FIXED, "P-384", 48),
        ("OKP", "EdDSA") if of("crv") == "Ed25519" => {
            Some(UnparsedPublicKey::new(&signature::ED25519, bytes("x")?).verify(message, sign).is_ok())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::hmac;
    use ring::rand::SystemRandom;
    use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
    use serde_json::json;

    const ISSUER: &str = "https://hub.example";
    const NOW: f64 = 1_700_000_000.0;

    fn coded(bytes: impl AsRef<[u8]>) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    fn head(alg: &str) -> String {
        let claims = json!({"iss": ISSUER, "aud": "api", "sub": "7", "exp": NOW + 60.0});
        format!("{}.{}", coded(json!({"alg": alg, "kid": "1"}).to_string()), coded(claims.to_string()))
    }

    fn is_signed(token: &str, key: &Value) -> bool {
        let keys = json!({"keys": [key]});
        let token = UnverifiedToken::read(token).expect("a token");
        token.candidates(keys.as_object().unwrap()).into_iter().any(|key| token.is_signed_by(key))
    }

    /// The example of RFC 8037, and own ones for the curves.
    #[test]
    fn right_signatures_and_wrong_ones() {
        let random = SystemRandom::new();
        let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
        let ed = json!({"kty": "OKP", "crv": "Ed25519", "kid": "1", "x": coded(pair.public_key())});
        let signed = head("EdDSA");
        let token = format!("{signed}.{}", coded(pair.sign(signed.as_bytes())));
        assert!(is_signed(&token, &ed));

        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let curve = EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).unwrap();
        let point = curve.public_key().as_ref();
        let ec = json!({"kty": "EC", "crv": "P-256", "kid": "1", "x": coded(&point[1..33]), "y": coded(&point[33..])});
        let signed = head("ES256");
        let by_curve = format!("{signed}.{}", coded(curve.sign(&random, signed.as_bytes()).unwrap()));
        assert!(is_signed(&by_curve, &ec));

        assert!(!is_signed(&by_curve, &ed) && !is_signed(&token, &ec), "keys do not fit each other's tokens");
        let (front, end) = token.split_at(token.len() - 4);
        assert!(!is_signed(&format!("{front}AAAA"), &ed), "{end}");
        let other =
            format!("{}.{}", head("EdDSA").replace('I', "J"), coded(pair.sign(head("EdDSA").as_bytes())));
        assert!(UnverifiedToken::read(&other).is_none_or(|_| !is_signed(&other, &ed)), "a changed token");
        for (name, value) in [("use", "enc"), ("alg", "RS256"), ("kid", "2"), ("crv", "Ed448")] {
            let mut wrong = ed.clone();
            wrong[name] = json!(value);
            assert!(!is_signed(&token, &wrong), "{name}");
        }
    }

    /// The public key must not work as a shared secret, and an empty signature proves nothing.
    #[test]
    fn a_token_does_not_choose_how_it_is_checked() {
        let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
        let ed = json!({"kty": "OKP", "crv": "Ed25519", "kid": "1", "x": coded(pair.public_key())});
        let secret = json!({"kty": "oct", "kid": "1", "k": coded(b"secret")});
        for alg in ["none", "None", "HS256", "", "EdDSA"] {
            let signed = head(alg);
            for key in [pair.public_key().as_ref(), b"secret"] {
                let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), signed.as_bytes());
                for token in [format!("{signed}."), format!("{signed}.{}", coded(tag))] {
                    assert!(!is_signed(&token, &ed) && !is_signed(&token, &secret), "{alg}");
                }
            }
        }
        let claims = coded(json!({"sub": "7"}).to_string());
        let signed =
            format!("{}.{claims}", coded(json!({"alg": "EdDSA", "crit": ["b64"], "b64": false}).to_string()));
        let token = format!("{signed}.{}", coded(pair.sign(signed.as_bytes())));
        assert!(!is_signed(&token, &ed), "what it demands is not known");
        assert!(UnverifiedToken::read(&format!("{}.{claims}.", "a".repeat(TOKEN_CHARS_MAX))).is_none());
        let many: Vec<Value> = (0..=KEYS_MAX).map(|_| ed.clone()).collect();
        let keys = json!({ "keys": many });
        let token = format!("{}.e30", head("EdDSA"));
        let token = UnverifiedToken::read(&token).unwrap();
        assert_eq!(token.candidates(keys.as_object().unwrap()).len(), KEYS_MAX);
        for text in ["", ".", "..", "a.b", "a.b.c", "e30.e30"] {
            assert!(UnverifiedToken::read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn claims() {
        let wrong = |change: Value| {
            let mut claims = json!({
                "iss": ISSUER, "aud": "api", "sub": "7", "exp": NOW + 60.0, "nonce": "n",
            });
            claims.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
            let expected = ExpectedClaims { audiences: vec!["api", ""], nonce: Some("n"), client: "api" };
            claims_error(claims.as_object().unwrap(), ISSUER, &expected, NOW)
        };
        let fine = [
            json!({}),
            json!({"iss": "https://hub.example/"}),
            json!({"aud": ["api"]}),
            json!({"aud": ["other", "api"], "azp": "api"}),
            json!({"exp": NOW - 59.0}),
            json!({"nbf": NOW + 59.0, "iat": NOW}),
        ];
        for change in fine {
            assert_eq!(wrong(change.clone()), None, "{change}");
        }
        let table = [
            (json!({"iss": "https://hub.example.evil"}), "another issuer"),
            (json!({"iss": null}), "another issuer"),
            (json!({"aud": "other"}), "another audience"),
            (json!({"aud": ""}), "another audience"),
            (json!({"aud": null}), "another audience"),
            (json!({"aud": ["other", "api"]}), "another client"),
            (json!({"aud": ["other", "api"], "azp": "other"}), "another client"),
            (json!({"exp": NOW - 61.0}), "expired"),
            (json!({"exp": "never"}), "expired"),
            (json!({"nbf": NOW + 61.0}), "not valid yet"),
            (json!({"iat": NOW + 61.0}), "not valid yet"),
            (json!({"nonce": "m"}), "another attempt"),
            (json!({"nonce": null}), "another attempt"),
            (json!({"sub": ""}), "nobody"),
        ];
        for (change, expected) in table {
            let said = wrong(change.clone()).unwrap_or("nothing");
            assert!(said.contains(expected), "{change}: {said}");
        }
    }
}
