//! The license: JSON that its issuer signed. Who changes a field of it makes it invalid.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use chrono::NaiveDate;
use ring::signature::{ED25519, UnparsedPublicKey};
use serde::Serialize;
use serde_json::{Map, Value};

/// The issuer's public key that was compiled in, in base64. The file `public_key.pem` in the data folder wins.
pub const PUBLIC_KEY: Option<&str> = option_env!("TRIBUTARY_LICENSE_PUBLIC_KEY");
/// From so many days before its end on, a license is about to expire.
pub const WARN_DAYS: i64 = 30;
/// Longest license, in bytes.
pub const LICENSE_BYTES_MAX: usize = 16 * 1024;
/// The field that holds the signature of all the others.
const SIGNATURE: &str = "key";
const KEY_BYTES: usize = 32;
/// What stands before an Ed25519 key in its usual envelope.
const ENVELOPE: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// A public key of an issuer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IssuerKey([u8; KEY_BYTES]);

/// How a license stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LicenseStatus {
    None,
    Valid,
    /// Fewer than 30 days are left.
    Expiring,
    Expired,
    Invalid,
}

/// What a license says, and whether it can be believed. Of one that cannot, nothing is told.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
#[schema(as = License)]
pub struct LicenseReport {
    pub status: LicenseStatus,
    pub owner: String,
    /// The last day.
    pub expiration: Option<NaiveDate>,
    #[schema(value_type = Object)]
    pub features: Map<String, Value>,
    /// The semantic cache may be used today.
    pub cache: bool,
    pub cache_expiration: Option<NaiveDate>,
    pub days_left: Option<i64>,
    /// A sentence for people.
    pub message: String,
}

impl IssuerKey {
    /// Reads PEM or bare base64, with the usual envelope or without.
    pub fn parse(text: &str) -> Option<Self> {
        let lines = text.lines().map(str::trim).filter(|line| !line.starts_with("-----"));
        let bytes = BASE64_STANDARD.decode(lines.collect::<String>()).ok()?;
        let key = bytes.strip_prefix(&ENVELOPE).unwrap_or(&bytes);
        key.try_into().ok().map(Self)
    }
}

impl LicenseReport {
    /// Looks at the text of `SVC_LICENSE` as of `today`.
    pub fn of(text: &str, issuer: Option<IssuerKey>, today: NaiveDate) -> Self {
        if text.trim().is_empty() {
            return Self::saying(LicenseStatus::None, "There is no license; SVC_LICENSE holds one.");
        }
        match signed_fields(text, issuer).and_then(|fields| Self::read(&fields, today)) {
            Ok(report) => report,
            Err(sentence) => Self::saying(LicenseStatus::Invalid, sentence),
        }
    }

    fn read(fields: &Map<String, Value>, today: NaiveDate) -> Result<Self, &'static str> {
        let date = |name: &str| match fields.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value
                .as_str()
                .and_then(|text| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok())
                .map(Some)
                .ok_or("A date of the license cannot be read."),
        };
        let expiration = date("expiration")?.ok_or("The license has no expiration.")?;
        let cache_expiration = date("cache_expiration")?;
        let days_left = (expiration - today).num_days();
        let status = match days_left {
            ..0 => LicenseStatus::Expired,
            0..WARN_DAYS => LicenseStatus::Expiring,
            _ => LicenseStatus::Valid,
        };
        let has_cache = fields.get("cache").and_then(Value::as_bool).unwrap_or(false);
        let message = match status {
            LicenseStatus::Expired => format!("The license expired on {expiration}."),
            LicenseStatus::Expiring => format!("The license expires on {expiration}."),
            _ => format!("The license is valid until {expiration}."),
        };
        Ok(Self {
            status,
            owner: fields.get("owner").and_then(Value::as_str).unwrap_or_default().to_owned(),
            expiration: Some(expiration),
            features: fields.get("features").and_then(Value::as_object).cloned().unwrap_or_default(),
            cache: has_cache
                && status != LicenseStatus::Expired
                && cache_expiration.is_none_or(|last| last >= today),
            cache_expiration,
            days_left: Some(days_left),
            message,
        })
    }

    fn saying(status: LicenseStatus, message: &str) -> Self {
        Self {
            status,
            owner: String::new(),
            expiration: None,
            features: Map::new(),
            cache: false,
            cache_expiration: None,
            days_left: None,
            message: message.to_owned(),
        }
    }
}

/// The text that is signed: all fields but the signature, keys sorted, no spaces.
pub fn signed_text(fields: &Map<String, Value>) -> String {
    let unsigned: Map<String, Value> = fields
        .iter()
        .filter(|(name, _)| name.as_str() != SIGNATURE)
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    canonical(&Value::Object(unsigned))
}

/// The fields of a license whose signature is the issuer's.
fn signed_fields(text: &str, issuer: Option<IssuerKey>) -> Result<Map<String, Value>, &'static str> {
    if text.len() > LICENSE_BYTES_MAX {
        return Err("The license is too long.");
    }
    let Ok(Value::Object(fields)) = serde_json::from_str(text) else {
        return Err("The license is not a JSON object.");
    };
    let issuer =
        issuer.ok_or("No issuer is known: put the issuer's key into public_key.pem in the data folder.")?;
    let signature = fields.get(SIGNATURE).and_then(Value::as_str).ok_or("The license is not signed.")?;
    let signature = BASE64_STANDARD.decode(signature).map_err(|_| "The signature cannot be read.")?;
    UnparsedPublicKey::new(&ED25519, issuer.0)
        .verify(signed_text(&fields).as_bytes(), &signature)
        .map_err(|_| "The signature does not fit: the license was changed, or another issuer signed it.")?;
    Ok(fields)
}

/// JSON in the one form that both sides sign.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let mut fields: Vec<(&String, &Value)> = map.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            let field = |(name, value): (&String, &Value)| {
                format!("{}:{}", Value::from(name.as_str()), canonical(value))
            };
            format!("{{{}}}", fields.into_iter().map(field).collect::<Vec<_>>().join(","))
        }
        Value::Array(list) => format!("[{}]", list.iter().map(canonical).collect::<Vec<_>>().join(",")),
        plain => plain.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::rand::SystemRandom;
    use ring::signature::{Ed25519KeyPair, KeyPair};
    use serde_json::json;

    fn key_pair() -> Ed25519KeyPair {
        let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("a key");
        Ed25519KeyPair::from_pkcs8(made.as_ref()).expect("a key")
    }

    fn issuer(pair: &Ed25519KeyPair) -> Option<IssuerKey> {
        IssuerKey::parse(&BASE64_STANDARD.encode(pair.public_key().as_ref()))
    }

    fn signed(pair: &Ed25519KeyPair, fields: Value) -> Value {
        let Value::Object(mut fields) = fields else { panic!("an object") };
        let signature = BASE64_STANDARD.encode(pair.sign(signed_text(&fields).as_bytes()));
        fields.insert(SIGNATURE.to_owned(), Value::String(signature));
        Value::Object(fields)
    }

    fn day(text: &str) -> NaiveDate {
        text.parse().expect("a date")
    }

    #[test]
    fn a_license_ages() {
        let pair = key_pair();
        let fields = json!({
            "owner": "Ünited", "expiration": "2026-12-31", "features": {"chat_api": true, "a": [1, {"z": 1, "b": 2}]},
            "cache": true, "cache_expiration": "2026-11-30",
        });
        let text = signed(&pair, fields).to_string();
        let table = [
            ("2026-11-15", LicenseStatus::Valid, 46, true),
            ("2026-12-01", LicenseStatus::Valid, 30, false),
            ("2026-12-02", LicenseStatus::Expiring, 29, false),
            ("2026-12-31", LicenseStatus::Expiring, 0, false),
            ("2027-01-01", LicenseStatus::Expired, -1, false),
        ];
        for (today, status, days_left, cache) in table {
            let report = LicenseReport::of(&text, issuer(&pair), day(today));
            assert_eq!(
                (report.status, report.days_left, report.cache),
                (status, Some(days_left), cache),
                "{today}"
            );
            assert_eq!(report.owner, "Ünited");
        }
        let spaced = text.replace("\":", "\" : ");
        assert_eq!(LicenseReport::of(&spaced, issuer(&pair), day("2026-11-15")).status, LicenseStatus::Valid);
    }

    #[test]
    fn the_signed_text_has_one_form() {
        let fields = json!({"key": "s", "b": [1, {"d": null, "c": "é\""}], "a": true});
        assert_eq!(
            signed_text(fields.as_object().expect("an object")),
            r#"{"a":true,"b":[1,{"c":"é\"","d":null}]}"#
        );
    }

    #[test]
    fn what_cannot_be_believed_is_not_told() {
        let pair = key_pair();
        let good = signed(&pair, json!({"owner": "Ann", "expiration": "2026-12-31"}));
        let changed = |name: &str, value: Value| {
            let mut other = good.clone();
            other[name] = value;
            other.to_string()
        };
        let unsigned = json!({"owner": "Ann", "expiration": "2026-12-31"}).to_string();
        let endless = signed(&pair, json!({"owner": "Ann"})).to_string();
        let long = signed(&pair, json!({"expiration": "2026-12-31", "owner": "a".repeat(LICENSE_BYTES_MAX)}));
        let table = [
            (changed("owner", json!("Otto")), "does not fit"),
            (changed("cache", json!(true)), "does not fit"),
            (changed("expiration", json!("2099-12-31")), "does not fit"),
            (changed("key", json!("AAAA")), "does not fit"),
            (changed("key", json!("%")), "cannot be read"),
            (unsigned, "not signed"),
            (endless, "no expiration"),
            (long.to_string(), "too long"),
            ("[]".to_owned(), "not a JSON object"),
        ];
        for (text, part) in table {
            let report = LicenseReport::of(&text, issuer(&pair), day("2026-11-15"));
            assert_eq!((report.status, report.owner.as_str()), (LicenseStatus::Invalid, ""), "{part}");
            assert!(report.message.contains(part), "{}", report.message);
        }
        let text = good.to_string();
        let today = day("2026-11-15");
        assert_eq!(LicenseReport::of(&text, issuer(&key_pair()), today).status, LicenseStatus::Invalid);
        assert!(LicenseReport::of(&text, None, today).message.contains("public_key.pem"));
        assert_eq!(LicenseReport::of(" ", None, today).status, LicenseStatus::None);
    }

    #[test]
    fn keys_are_read_in_their_usual_forms() {
        let pair = key_pair();
        let bare = pair.public_key().as_ref();
        let pem = format!(
            "-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n",
            BASE64_STANDARD.encode([&ENVELOPE[..], bare].concat())
        );
        assert_eq!(IssuerKey::parse(&pem), issuer(&pair));
        for bad in ["", "AAAA", "no base64!"] {
            assert_eq!(IssuerKey::parse(bad), None, "{bad}");
        }
    }
}
