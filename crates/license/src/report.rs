//! Status of a license on a given day, and what it allows.

use crate::keys::IssuerKey;
use crate::terms::{SIGNATURE, signed_text};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use chrono::NaiveDate;
use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// A license is about to expire from this many days before its end.
pub const WARN_DAYS: i64 = 30;
/// Maximum length of a license, in bytes.
pub const LICENSE_BYTES_MAX: usize = 16 * 1024;
/// Length of the hash that identifies a license, in bytes.
const ID_BYTES: usize = 8;

/// Status of a license.
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

/// The terms of a license and its status. An invalid license reports no terms.
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

impl LicenseStatus {
    pub const ALL: [Self; 5] = [Self::None, Self::Valid, Self::Expiring, Self::Expired, Self::Invalid];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Valid => "valid",
            Self::Expiring => "expiring",
            Self::Expired => "expired",
            Self::Invalid => "invalid",
        }
    }
}

impl LicenseReport {
    /// Evaluates the text of `SVC_LICENSE` as of `today`.
    pub fn of(text: &str, issuer: Option<IssuerKey>, today: NaiveDate) -> Self {
        if text.trim().is_empty() {
            return Self::saying(LicenseStatus::None, "There is no license; set one with SVC_LICENSE.");
        }
        match signed_fields(text, issuer).and_then(|(fields, _)| Self::read(&fields, today)) {
            Ok(report) => report,
            Err(sentence) => Self::saying(LicenseStatus::Invalid, sentence),
        }
    }

    /// The edition of the service: `enterprise` with a valid license, else `community`.
    pub fn edition(&self) -> &'static str {
        match self.status {
            LicenseStatus::Valid | LicenseStatus::Expiring => "enterprise",
            LicenseStatus::None | LicenseStatus::Expired | LicenseStatus::Invalid => "community",
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
        // A clock before the day of issue is wrong.
        let today = date("issued")?.map_or(today, |issued| issued.max(today));
        let days_left = (expiration - today).num_days();
        let status = match days_left {
            ..0 => LicenseStatus::Expired,
            0..WARN_DAYS => LicenseStatus::Expiring,
            _ => LicenseStatus::Valid,
        };
        let is_expired = status == LicenseStatus::Expired;
        let has_cache = match fields.get("cache") {
            None | Some(Value::Null) => false,
            Some(value) => value.as_bool().ok_or("The field 'cache' of the license is not true or false.")?,
        };
        let cache = has_cache && !is_expired && cache_expiration.is_none_or(|last| last >= today);
        let mut message = match status {
            LicenseStatus::Expired => format!("The license expired on {expiration}."),
            LicenseStatus::Expiring => format!("The license expires on {expiration}."),
            _ => format!("The license is valid until {expiration}."),
        };
        match cache_expiration {
            _ if is_expired => {}
            _ if !has_cache => message += " It does not include the semantic cache.",
            Some(last) => {
                let verb = if cache { "expires" } else { "expired" };
                message += &format!(" Its part for the semantic cache {verb} on {last}.");
            }
            None => {}
        }
        Ok(Self {
            status,
            owner: fields.get("owner").and_then(Value::as_str).unwrap_or_default().to_owned(),
            expiration: Some(expiration),
            features: fields.get("features").and_then(Value::as_object).cloned().unwrap_or_default(),
            cache,
            // Irrelevant for a license without the cache.
            cache_expiration: cache_expiration.filter(|_| has_cache),
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

/// A short identifier of a signed license, independent of the whitespace in its JSON.
pub fn signature_id(text: &str, issuer: Option<IssuerKey>) -> Option<String> {
    let (_, signature) = signed_fields(text, issuer).ok()?;
    let hash = Sha256::digest(&signature);
    Some(hash.iter().take(ID_BYTES).map(|byte| format!("{byte:02x}")).collect())
}

/// The fields of a license with a valid signature, and that signature.
fn signed_fields(
    text: &str,
    issuer: Option<IssuerKey>,
) -> Result<(Map<String, Value>, Vec<u8>), &'static str> {
    if text.len() > LICENSE_BYTES_MAX {
        return Err("The license is too long.");
    }
    let Ok(Value::Object(fields)) = serde_json::from_str(text) else {
        return Err("The license is not a JSON object.");
    };
    let issuer = issuer.ok_or(
        "No issuer is known: set SVC_LICENSE_PUBLIC_KEY, or put the issuer's key into public_key.pem in the data folder.",
    )?;
    let signature = fields.get(SIGNATURE).and_then(Value::as_str).ok_or("The license is not signed.")?;
    let signature = BASE64_STANDARD.decode(signature).map_err(|_| "The signature cannot be read.")?;
    if !issuer.signed(&signed_text(&fields), &signature) {
        return Err("The signature is not valid: the license was changed, or another issuer signed it.");
    }
    Ok((fields, signature))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::SigningKey;
    use crate::terms::LicenseTerms;
    use serde_json::json;

    fn key() -> SigningKey {
        SigningKey::make().expect("a key").0
    }

    fn signed(key: &SigningKey, fields: Value) -> Value {
        let Value::Object(mut fields) = fields else { panic!("an object") };
        let signature = key.sign(&signed_text(&fields));
        fields.insert(SIGNATURE.to_owned(), Value::String(signature));
        Value::Object(fields)
    }

    fn day(text: &str) -> NaiveDate {
        text.parse().expect("a date")
    }

    #[test]
    fn a_license_ages() {
        let key = key();
        let fields = json!({
            "owner": "Ünited", "expiration": "2026-12-31", "features": {"chat_api": true, "a": [1, {"z": 1, "b": 2}]},
            "cache": true, "cache_expiration": "2026-11-30",
        });
        let text = signed(&key, fields).to_string();
        let table = [
            ("2026-11-15", LicenseStatus::Valid, 46, true, "cache expires on 2026-11-30."),
            ("2026-11-30", LicenseStatus::Valid, 31, true, "cache expires on 2026-11-30."),
            ("2026-12-01", LicenseStatus::Valid, 30, false, "cache expired on 2026-11-30."),
            ("2026-12-02", LicenseStatus::Expiring, 29, false, "cache expired on 2026-11-30."),
            ("2026-12-31", LicenseStatus::Expiring, 0, false, "cache expired on 2026-11-30."),
            ("2027-01-01", LicenseStatus::Expired, -1, false, "license expired on 2026-12-31."),
        ];
        for (today, status, days_left, cache, end) in table {
            let report = LicenseReport::of(&text, key.issuer(), day(today));
            assert_eq!(
                (report.status, report.days_left, report.cache),
                (status, Some(days_left), cache),
                "{today}"
            );
            assert_eq!(report.owner, "Ünited");
            assert!(report.message.ends_with(end), "{today}: {}", report.message);
        }
        let spaced = text.replace("\":", "\" : ");
        assert_eq!(LicenseReport::of(&spaced, key.issuer(), day("2026-11-15")).status, LicenseStatus::Valid);
        assert_eq!(signature_id(&spaced, key.issuer()), signature_id(&text, key.issuer()));
        assert!(signature_id(&text, key.issuer()).is_some());
    }

    #[test]
    fn a_license_says_what_its_issuer_granted() {
        let key = key();
        let terms = LicenseTerms {
            owner: "Ann \"A\" Ünited".to_owned(),
            issued: day("2026-11-15"),
            expiration: day("2027-11-15"),
            cache: true,
            cache_expiration: Some(day("2026-12-15")),
        };
        let report = LicenseReport::of(&terms.issue(&key), key.issuer(), day("2026-11-15"));
        assert_eq!((report.owner.as_str(), report.cache), ("Ann \"A\" Ünited", true));
        assert_eq!(report.expiration, Some(terms.expiration));
        assert_eq!(report.cache_expiration, terms.cache_expiration);
        let without = LicenseTerms { cache: false, ..terms.clone() };
        let report = LicenseReport::of(&without.issue(&key), key.issuer(), day("2026-11-15"));
        assert_eq!((report.cache, report.cache_expiration), (false, None));
        let said = "The license is valid until 2027-11-15. It does not include the semantic cache.";
        assert_eq!(report.message, said);
        // A day before that of issue is no day on which the license can be looked at.
        let short = LicenseTerms { cache_expiration: Some(day("2026-11-14")), ..terms };
        let report = LicenseReport::of(&short.issue(&key), key.issuer(), day("2020-01-01"));
        assert_eq!((report.cache, report.days_left), (false, Some(365)));
    }

    #[test]
    fn what_cannot_be_believed_is_not_told() {
        let key = key();
        let good = signed(&key, json!({"owner": "Ann", "expiration": "2026-12-31"}));
        let changed = |name: &str, value: Value| {
            let mut other = good.clone();
            other[name] = value;
            other.to_string()
        };
        let unsigned = json!({"owner": "Ann", "expiration": "2026-12-31"}).to_string();
        let endless = signed(&key, json!({"owner": "Ann"})).to_string();
        let long = signed(&key, json!({"expiration": "2026-12-31", "owner": "a".repeat(LICENSE_BYTES_MAX)}));
        let vague = signed(&key, json!({"expiration": "2026-12-31", "cache": "yes"})).to_string();
        let undated = signed(&key, json!({"expiration": "2026-12-31", "issued": "today"})).to_string();
        let table = [
            (changed("owner", json!("Otto")), "is not valid"),
            (changed("cache", json!(true)), "is not valid"),
            (changed("expiration", json!("2099-12-31")), "is not valid"),
            (changed("cache_expiration", json!("2099-12-31")), "is not valid"),
            (changed("key", json!("AAAA")), "is not valid"),
            (changed("key", json!("%")), "cannot be read"),
            (unsigned, "not signed"),
            (endless, "no expiration"),
            (vague, "'cache'"),
            (undated, "cannot be read"),
            (long.to_string(), "too long"),
            ("[]".to_owned(), "not a JSON object"),
        ];
        for (text, part) in table {
            let report = LicenseReport::of(&text, key.issuer(), day("2026-11-15"));
            assert_eq!((report.status, report.owner.as_str()), (LicenseStatus::Invalid, ""), "{part}");
            assert!(report.message.contains(part), "{}", report.message);
        }
        let text = good.to_string();
        let today = day("2026-11-15");
        let other = SigningKey::make().expect("a key").0;
        assert_eq!(LicenseReport::of(&text, other.issuer(), today).status, LicenseStatus::Invalid);
        assert_eq!(signature_id(&text, other.issuer()), None);
        assert!(LicenseReport::of(&text, None, today).message.contains("public_key.pem"));
        assert_eq!(LicenseReport::of(" ", None, today).status, LicenseStatus::None);
    }
}
