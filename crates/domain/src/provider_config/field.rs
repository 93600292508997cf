//! A value in a block of `config.swirl`, which may be missing or of a wrong type.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A field of a block. A wrong type does not make the rest of the block unreadable: whoever reads the field decides
/// whether to report or to ignore it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ConfigField<T> {
    #[default]
    Missing,
    Valid(T),
    /// Of another type, `null` included.
    Invalid,
}

impl<T> ConfigField<T> {
    /// The value, if it is there and has the right type.
    pub fn valid(self) -> Option<T> {
        match self {
            Self::Valid(value) => Some(value),
            Self::Missing | Self::Invalid => None,
        }
    }

    /// Whether it is missing, or has the right type and fulfills the condition.
    pub fn is_missing_or(&self, is_right: impl FnOnce(&T) -> bool) -> bool {
        match self {
            Self::Missing => true,
            Self::Valid(value) => is_right(value),
            Self::Invalid => false,
        }
    }

    pub fn is_invalid(&self) -> bool {
        matches!(self, Self::Invalid)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for ConfigField<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Ok(T::deserialize(value).map_or(Self::Invalid, Self::Valid))
    }
}

#[cfg(test)]
mod tests {
    use super::ConfigField::{Invalid, Missing, Valid};
    use super::*;
    use serde_json::json;

    fn read<T: DeserializeOwned>(value: Value) -> ConfigField<T> {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn only_the_right_type_is_valid() {
        let numbers = [
            (json!(0), Valid(0)),
            (json!(u64::MAX), Valid(u64::MAX)),
            (json!(-1), Invalid),
            (json!(1.0), Invalid),
            (json!("1"), Invalid),
            (json!(true), Invalid),
            (json!(null), Invalid),
            (json!([1]), Invalid),
        ];
        for (value, expected) in numbers {
            assert_eq!(read::<u64>(value.clone()), expected, "{value}");
        }
        for (value, expected) in [
            (json!(i64::MIN), Valid(i64::MIN)),
            (json!(i64::MAX as u64 + 1), Invalid),
            (json!("3"), Invalid),
            (json!(3.0), Invalid),
        ] {
            assert_eq!(read::<i64>(value.clone()), expected, "{value}");
        }
        for (value, expected) in [
            (json!(2), Valid(2.0)),
            (json!(-0.5), Valid(-0.5)),
            (json!(1e300), Valid(1e300)),
            (json!("2"), Invalid),
            (json!(null), Invalid),
        ] {
            assert_eq!(read::<f64>(value.clone()), expected, "{value}");
        }
        for (value, expected) in [
            (json!(true), Valid(true)),
            (json!("true"), Invalid),
            (json!(1), Invalid),
            (json!(null), Invalid),
        ] {
            assert_eq!(read::<bool>(value.clone()), expected, "{value}");
        }
        for (value, expected) in [
            (json!([]), Valid(vec![])),
            (json!(["a", "b"]), Valid(vec!["a".to_owned(), "b".to_owned()])),
            (json!(["a", 1]), Invalid),
            (json!("a"), Invalid),
            (json!({"0": "a"}), Invalid),
        ] {
            assert_eq!(read::<Vec<String>>(value.clone()), expected, "{value}");
        }
    }

    #[test]
    fn a_missing_field_is_not_wrong() {
        for (field, value, is_right, is_invalid) in [
            (Missing, None, true, false),
            (Valid(3), Some(3), true, false),
            (Valid(4), Some(4), false, false),
            (Invalid, None, false, true),
        ] {
            assert_eq!(field.valid(), value, "{field:?}");
            assert_eq!(field.is_missing_or(|number| *number <= 3), is_right, "{field:?}");
            assert_eq!(field.is_invalid(), is_invalid, "{field:?}");
        }
    }
}
