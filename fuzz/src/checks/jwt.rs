//! A signed token. A single line is the token itself; otherwise the lines are its header, its claims and its signature,
//! of which the first two are encoded here, and the keys of the service. With the keys of this file only the token that
//! was signed with them is accepted.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use outbound::fuzzing::verify_token;
use serde_json::{Map, Value};

const ISSUER: &str = "https://hub.example";
const AUDIENCE: &str = "api";
const NOW: f64 = 1_700_000_000.0;
/// Public keys of three kinds; only the first one has signed a token.
const KEYS: &str = r#"{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"1","use":"sig","x":"6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw"},
    {"kty":"EC","crv":"P-256","kid":"2","x":"9NLFHCcfbFeQbi4oo8F998NLCzeY7cpP8LAPzYHlHxc","y":"0HQ72GzpT5o3rv3XBVbg8TPPrdaa2HB7WitZsD5lzd0"},
    {"kty":"RSA","kid":"3","alg":"RS256","n":"1FEzuUVx0BnsgD_5QPIY4LHo7tr7f1ibuz_Zg-MAUAWUUr8ZaeaQUUDUP6WxbaypBCbVMyUuf--0DRmlD8lo1NVqchzHmGvl5omtgKIXAwtbOs-iXYIsUDPagbuTryusf2HTNyGRS3dQ3SfQh3RTy-QQowbfJrR2hIkeL3LJXB0J_Qoa3O7zhZmwCygZiyU6omXNhkoFi1g_3kX3DjrLVjMw6eMLzhJYOV3RyWQy3TQ_Oo8EYaN6V8i_KhVcgoVoIgASctXI3qibVP8S22BXs4fPj7tNkZzRc1cIod7E6guPxB3RpjQMArSdjjtvvr2go6aiwUJiip-onO_4x7dL2Q","e":"AQAB"}]}"#;
const ACCEPTED: &str = "eyJhbGciOiJFZERTQSIsImtpZCI6IjEifQ.eyJpc3MiOiJodHRwczovL2h1Yi5leGFtcGxlIiwiYXVkIjoiYXBpIiwic3ViIjoiNyIsImV4cCI6MTcwMDAwMDA2MH0.OXh-wIoPmiYS7Y_VpQ53zcZ4GPU5slZLOQzdaMiaHbhHCsUyjrecWzNdEIUDGzsXSmPVkwa31vEFCHFRPnxnBw";

pub fn check(bytes: &[u8]) {
    let text = super::text(bytes);
    let keys: Map<String, Value> = serde_json::from_str(KEYS).unwrap_or_default();
    assert!(verify_token(ACCEPTED, &keys, ISSUER, AUDIENCE, NOW).is_ok());
    let token = match text.splitn(4, '\n').collect::<Vec<&str>>().as_slice() {
        [header, claims, signature] => write_token(header, claims, signature),
        [header, claims, signature, given] => {
            let token = write_token(header, claims, signature);
            if let Ok(given) = serde_json::from_str(given) {
                let _accepted = verify_token(&token, &given, ISSUER, AUDIENCE, NOW);
            }
            token
        }
        _ => text.to_owned(),
    };
    let accepted = verify_token(&token, &keys, ISSUER, AUDIENCE, NOW);
    assert!(accepted.is_err() || token == ACCEPTED, "{token}");
}

fn write_token(header: &str, claims: &str, signature: &str) -> String {
    let encoded = |text: &str| BASE64_URL_SAFE_NO_PAD.encode(text);
    format!("{}.{}.{signature}", encoded(header), encoded(claims))
}
