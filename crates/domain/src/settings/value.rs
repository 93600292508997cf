//! How the text of a setting becomes a value, and how a value is shown.

use crate::secret::Secret;
use std::time::Duration;

/// A kind of value that a setting can have.
pub trait SettingValue: Sized {
    const KIND: &'static str;
    /// Err is the end of a sentence: "a whole number is needed".
    fn parse(text: &str) -> Result<Self, String>;
    fn show(&self) -> String;
    fn toml(&self) -> String {
        format!("{:?}", self.show())
    }
}

/// Seconds, with a fraction if need be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Secs(pub Duration);

impl Secs {
    pub const fn new(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }
}

macro_rules! number {
    ($($kind:ty),*) => {$(
        impl SettingValue for $kind {
            const KIND: &'static str = "whole number";
            fn parse(text: &str) -> Result<Self, String> {
                text.trim().parse().map_err(|_| format!("a whole number from 0 to {} is needed", <$kind>::MAX))
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

impl SettingValue for bool {
    const KIND: &'static str = "True or False";
    fn parse(text: &str) -> Result<Self, String> {
        match text.trim().to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Ok(true),
            "false" | "0" | "no" | "off" => Ok(false),
            _ => Err("True or False is needed".to_owned()),
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
    fn parse(text: &str) -> Result<Self, String> {
        Ok(text.to_owned())
    }
    fn show(&self) -> String {
        self.clone()
    }
}

impl SettingValue for Vec<String> {
    const KIND: &'static str = "comma list";
    fn parse(text: &str) -> Result<Self, String> {
        Ok(text.split(',').map(str::trim).filter(|piece| !piece.is_empty()).map(str::to_owned).collect())
    }
    fn show(&self) -> String {
        self.join(",")
    }
}

impl SettingValue for Secret {
    const KIND: &'static str = "secret";
    fn parse(text: &str) -> Result<Self, String> {
        Ok(Self::new(text))
    }
    fn show(&self) -> String {
        if self.is_empty() { String::new() } else { "***".to_owned() }
    }
}

impl SettingValue for Secs {
    const KIND: &'static str = "seconds";
    fn parse(text: &str) -> Result<Self, String> {
        let seconds: f64 = text.trim().parse().map_err(|_| "a number of seconds is needed".to_owned())?;
        Duration::try_from_secs_f64(seconds)
            .ok()
            .filter(|duration| duration.as_secs() <= 31_536_000)
            .map(Self)
            .ok_or_else(|| "seconds from 0 to one year are needed".to_owned())
    }
    fn show(&self) -> String {
        self.0.as_secs_f64().to_string()
    }
    fn toml(&self) -> String {
        self.show()
    }
}
