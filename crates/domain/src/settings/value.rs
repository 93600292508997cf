//! Value types of settings: parsing and display.

use crate::corpus::{Factors, QdrantMode, StorageBackend, VectorBackend, Weights};
use crate::rag::{InclusionField, Strategy};
use crate::secret::Secret;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::time::Duration;
use syntax::error::SyntaxError;
use syntax::network::Network;
use syntax::rate::Rate;

/// A type that a setting can have.
pub trait SettingValue: Sized {
    const KIND: &'static str;
    /// Whether values are never displayed, and never reach a plug-in.
    const IS_SECRET: bool = false;
    /// The error is the end of a sentence: "must be a whole number".
    fn parse(text: &str) -> Result<Self, SyntaxError>;
    fn show(&self) -> String;
    fn toml(&self) -> String {
        format!("{:?}", self.show())
    }
    /// The value if it is a secret, which is never displayed.
    fn secret(&self) -> Option<&Secret> {
        None
    }
}

/// A duration in seconds, possibly fractional.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seconds(pub Duration);

impl Seconds {
    pub const fn new(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }
}

/// A ratio from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio(pub f64);

impl SettingValue for Ratio {
    const KIND: &'static str = "number from 0 to 1";
    fn parse(text: &str) -> Result<Self, SyntaxError> {
        let share = text.trim().parse().ok().filter(|share| (0.0..=1.0).contains(share));
        share.map(Self).ok_or_else(|| "must be a number from 0 to 1".into())
    }
    fn show(&self) -> String {
        self.0.to_string()
    }
    fn toml(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// The weight of a match in each field of a result.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FieldWeights {
    pub title: f64,
    pub body: f64,
    pub author: f64,
}

/// Maximum weight of a field.
const FIELD_WEIGHT_MAX: f64 = 100.0;

impl Default for FieldWeights {
    fn default() -> Self {
        Self { title: 1.5, body: 1.0, author: 1.0 }
    }
}

impl SettingValue for FieldWeights {
    const KIND: &'static str = "object";
    fn parse(text: &str) -> Result<Self, SyntaxError> {
        let needed = r#"must be an object such as {"title": 1.5, "body": 1.0, "author": 1.0} with weights from 0 to 100"#;
        // A list would be read as the fields in their order.
        let fields: Map<String, Value> =
            serde_json::from_str(text).map_err(|error| SyntaxError::new(needed).caused_by(error))?;
        let weights = Self::deserialize(Value::Object(fields))
            .map_err(|error| SyntaxError::new(needed).caused_by(error))?;
        let is_fit = |weight: &f64| (0.0..=FIELD_WEIGHT_MAX).contains(weight);
        let all_fit = [weights.title, weights.body, weights.author].iter().all(is_fit);
        all_fit.then_some(weights).ok_or_else(|| needed.into())
    }
    fn show(&self) -> String {
        format!(r#"{{"title": {:?}, "body": {:?}, "author": {:?}}}"#, self.title, self.body, self.author)
    }
}

/// Maximum absolute weight of an election factor.
const FACTOR_WEIGHT_MAX: f64 = 1000.0;

impl SettingValue for Weights {
    const KIND: &'static str = "object";
    fn parse(text: &str) -> Result<Self, SyntaxError> {
        let known = Factors::NAMES.join(", ");
        let needed = || format!("must be an object with weights from -1000 to 1000 for any of {known}");
        let given: BTreeMap<String, f64> =
            serde_json::from_str(text).map_err(|error| SyntaxError::new(needed()).caused_by(error))?;
        let mut values = Self::default().0.values();
        for (name, weight) in given {
            let place = Factors::NAMES.iter().position(|known| *known == name).ok_or_else(needed)?;
            if weight.abs() > FACTOR_WEIGHT_MAX {
                return Err(needed().into());
            }
            values[place] = weight;
        }
        Ok(Self(Factors::of(values)))
    }
    fn show(&self) -> String {
        let pairs = Factors::NAMES.iter().zip(self.0.values());
        let shown: Vec<String> = pairs.map(|(name, weight)| format!(r#""{name}": {weight:?}"#)).collect();
        format!("{{{}}}", shown.join(", "))
    }
}

/// A rate limit; `None` means unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Throttle(pub Option<Rate>);

impl Throttle {
    pub const fn per_minute(count: u32) -> Self {
        Self(Some(Rate { count, per: Duration::from_secs(60) }))
    }
}

impl SettingValue for Throttle {
    const KIND: &'static str = "rate";
    fn parse(text: &str) -> Result<Self, SyntaxError> {
        Rate::parse(text).map(Self)
    }
    fn show(&self) -> String {
        self.0.map_or_else(|| "None".to_owned(), |rate| rate.to_string())
    }
}

macro_rules! number {
    ($($kind:ty),*) => {$(
        impl SettingValue for $kind {
            const KIND: &'static str = "whole number";
            fn parse(text: &str) -> Result<Self, SyntaxError> {
                text.trim().parse::<$kind>().map_err(|error| {
                    let needed = format!("must be a whole number from 0 to {}", <$kind>::MAX);
                    SyntaxError::new(needed).caused_by(error)
                })
            }
            fn show(&self) -> String {
                self.to_string()
            }
            fn toml(&self) -> String {
                self.to_string()
            }
        }
    )*};
}
number!(u16, u32, u64);

impl SettingValue for f64 {
    const KIND: &'static str = "number";
    fn parse(text: &str) -> Result<Self, SyntaxError> {
        let number = text.trim().parse().ok().filter(|number: &Self| number.is_finite());
        number.ok_or_else(|| "must be a number".into())
    }
    fn show(&self) -> String {
        self.to_string()
    }
    fn toml(&self) -> String {
        format!("{self:?}")
    }
}

macro_rules! word {
    ($($kind:ty),*) => {$(
        impl SettingValue for $kind {
            const KIND: &'static str = "word";
            fn parse(text: &str) -> Result<Self, SyntaxError> {
                let known = <$kind>::ALL.map(<$kind>::as_str).join(", ");
                <$kind>::of_name(text).ok_or_else(|| format!("must be one of {known}").into())
            }
            fn show(&self) -> String {
                self.as_str().to_owned()
            }
        }
    )*};
}
word!(InclusionField, Strategy, QdrantMode, VectorBackend, StorageBackend);

impl SettingValue for bool {
    const KIND: &'static str = "True or False";
    fn parse(text: &str) -> Result<Self, SyntaxError> {
        match text.trim().to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Ok(true),
            "false" | "0" | "no" | "off" => Ok(false),
            _ => Err("must be True or False".into()),
        }
    }
    fn show(&self) -> String {
        if *self { "True".to_owned() } else { "False".to_owned() }
    }
    fn toml(&self) -> String {
        self.to_string()
    }
}

impl SettingValue for String {
    const KIND: &'static str = "text";
    fn parse(text: &str) -> Result<Self, SyntaxError> {
        Ok(text.to_owned())
    }
    fn show(&self) -> String {
        self.clone()
    }
}

impl SettingValue for Vec<String> {
    const KIND: &'static str = "comma list";
    fn parse(text: &str) -> Result<Self, SyntaxError> {
        Ok(text.split(',').map(str::trim).filter(|piece| !piece.is_empty()).map(str::to_owned).collect())
    }
    fn show(&self) -> String {
        self.join(",")
    }
}

impl SettingValue for Vec<Network> {
    const KIND: &'static str = "comma list";
    fn parse(text: &str) -> Result<Self, SyntaxError> {
        let pieces = text.split(',').map(str::trim).filter(|piece| !piece.is_empty());
        let read = |piece: &str| match piece.parse() {
            Ok(address) => Ok(Network::of(address)),
            Err(_) => Network::parse(piece).ok_or_else(|| {
                SyntaxError::new("must be addresses or networks such as 10.0.0.5,10.0.0.0/8,fd00::/8")
            }),
        };
        pieces.map(read).collect()
    }
    fn show(&self) -> String {
        self.iter().map(Network::to_string).collect::<Vec<_>>().join(",")
    }
}

/// A web origin: scheme, host and port, as in a browser's `Origin` header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebOrigin(pub String);

impl SettingValue for Vec<WebOrigin> {
    const KIND: &'static str = "comma list";
    fn parse(text: &str) -> Result<Self, SyntaxError> {
        let pieces = text.split(',').map(str::trim).filter(|piece| !piece.is_empty());
        let read = |piece: &str| {
            let host = piece.strip_prefix("https://").or_else(|| piece.strip_prefix("http://"));
            let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.:[]".contains(c);
            if host.is_some_and(|host| !host.is_empty() && host.chars().all(is_plain)) {
                Ok(WebOrigin(piece.to_owned()))
            } else {
                Err(SyntaxError::new(
                    "must be origins such as https://app.example or http://localhost:3000, in lower case and without a path",
                ))
            }
        };
        pieces.map(read).collect()
    }
    fn show(&self) -> String {
        self.iter().map(|origin| origin.0.as_str()).collect::<Vec<_>>().join(",")
    }
}

impl SettingValue for Secret {
    const KIND: &'static str = "secret";
    const IS_SECRET: bool = true;
    fn parse(text: &str) -> Result<Self, SyntaxError> {
        Ok(Self::new(text))
    }
    fn show(&self) -> String {
        if self.is_empty() { String::new() } else { "***".to_owned() }
    }
    fn secret(&self) -> Option<&Secret> {
        Some(self)
    }
}

impl SettingValue for Seconds {
    const KIND: &'static str = "seconds";
    fn parse(text: &str) -> Result<Self, SyntaxError> {
        let seconds = text
            .trim()
            .parse::<f64>()
            .map_err(|error| SyntaxError::new("must be a number of seconds").caused_by(error))?;
        Duration::try_from_secs_f64(seconds)
            .ok()
            .filter(|duration| duration.as_secs() <= 31_536_000)
            .map(Self)
            .ok_or_else(|| "must be from 0 seconds to one year".into())
    }
    fn show(&self) -> String {
        self.0.as_secs_f64().to_string()
    }
    fn toml(&self) -> String {
        self.show()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_weights_are_checked() {
        for (text, expected) in [
            ("0.95", Some(0.95)),
            (" 1 ", Some(1.0)),
            ("0", Some(0.0)),
            ("1.1", None),
            ("-0.1", None),
            ("NaN", None),
            ("x", None),
        ] {
            assert_eq!(Ratio::parse(text).ok().map(|share| share.0), expected, "{text}");
        }
        for text in ["15/minute", "1/day", "None"] {
            assert_eq!(Throttle::parse(text).map(|throttle| throttle.show()), Ok(text.to_owned()));
        }
        assert!(Throttle::parse("often").is_err());
        let networks = |text: &str| Vec::<Network>::parse(text).map(|list| list.show());
        assert_eq!(networks(" 10.0.0.5, fd00::/8,"), Ok("10.0.0.5/32,fd00::/8".to_owned()));
        assert!(networks("proxy.example").is_err() && networks("10.0.0.0/33").is_err());
        let origins = |text: &str| Vec::<WebOrigin>::parse(text).map(|list| list.show());
        assert_eq!(
            origins("https://app.example, http://localhost:3000"),
            Ok("https://app.example,http://localhost:3000".to_owned())
        );
        for wrong in ["*", "app.example", "https://", "https://app.example/", "https://App.example", "null"] {
            assert!(origins(wrong).is_err(), "{wrong}");
        }
        let weights = |text: &str| FieldWeights::parse(text).ok();
        assert_eq!(weights(r#"{"title": 2}"#), Some(FieldWeights { title: 2.0, ..FieldWeights::default() }));
        assert_eq!(weights(&FieldWeights::default().show()), Some(FieldWeights::default()));
        for wrong in
            ["", "title=2", r#"{"subject": 2}"#, r#"{"title": -1}"#, r#"{"title": 101}"#, "[]", "[2]"]
        {
            assert_eq!(weights(wrong), None, "{wrong}");
        }
        let factors = |text: &str| Weights::parse(text).ok();
        assert_eq!(factors("{}"), Some(Weights::default()));
        assert_eq!(factors(&Weights::default().show()), Some(Weights::default()));
        assert_eq!(factors(r#"{"pin": 9, "rejection": -1}"#).map(|given| given.0.pin), Some(9.0));
        for wrong in ["", "pin=2", r#"{"pins": 2}"#, r#"{"pin": 1001}"#, r#"{"pin": "2"}"#, "[]"] {
            assert_eq!(factors(wrong), None, "{wrong}");
        }
    }
}
