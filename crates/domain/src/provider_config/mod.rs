//! `config` of a search provider: the object as it was given, and the blocks of `config.swirl`, parsed once.

mod connector_use;
mod field;
mod google_calendar;

pub use connector_use::{ConnectorUse, RETRIES_MAX};
pub use field::ConfigField;
pub use google_calendar::CalendarDays;

use crate::corpus::SourceKind;
use crate::rag::{FetchUrlBody, RagOverrides};
use crate::validation::FieldErrors;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

/// `config` of a provider. The blocks are parsed when it is made, which is when a record is loaded or a request is read.
/// It is stored and returned word for word, with keys that nobody reads.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(from = "Map<String, Value>")]
pub struct ProviderConfig {
    pub connector_use: ConnectorUse,
    pub rag: RagOverrides,
    /// None if there is no such block: bodies are not filled.
    pub fetch_url_body: Option<FetchUrlBody>,
    pub cache: CacheConfig,
    pub llm_use: LlmUse,
    pub google_calendar: CalendarDays,
    /// What is wrong in these blocks.
    errors: FieldErrors,
    object: Map<String, Value>,
}

impl ProviderConfig {
    /// The block of a connector, which the connector itself declares. Its fields are each a [`ConfigField`]. A block
    /// that is missing or not an object is the default.
    pub fn block<T: Default + DeserializeOwned>(&self, name: &str) -> T {
        read_block(&self.object, name)
    }

    pub(crate) fn check(&self, errors: &mut FieldErrors) {
        errors.merge(self.errors.clone());
    }
}

/// `config.swirl.<name>`.
fn read_block<T: Default + DeserializeOwned>(object: &Map<String, Value>, name: &str) -> T {
    let block = object.get("swirl").and_then(|swirl| swirl.get(name));
    // A list would be read as the fields in their order.
    let block = block.filter(|block| block.is_object());
    block.and_then(|block| T::deserialize(block).ok()).unwrap_or_default()
}

/// Blocks that every provider may have, whatever its connector.
const BLOCKS: [&str; 6] = ["connector_use", "rag", "fetch_url_body", "cache", "llm_use", "google_calendar"];

/// Reports blocks that are not objects, which would be ignored.
fn check_shape(object: &Map<String, Value>, errors: &mut FieldErrors) {
    let Some(swirl) = object.get("swirl").filter(|swirl| !swirl.is_null()) else { return };
    errors.check(swirl.is_object(), "config", || "swirl: an object is needed.".to_owned());
    for name in BLOCKS {
        let is_right = swirl.get(name).is_none_or(|block| block.is_object() || block.is_null());
        errors.check(is_right, "config", || format!("swirl.{name}: an object is needed."));
    }
}

impl From<Map<String, Value>> for ProviderConfig {
    fn from(object: Map<String, Value>) -> Self {
        let mut errors = FieldErrors::default();
        check_shape(&object, &mut errors);
        Self {
            connector_use: ConnectorUse::read(read_block(&object, "connector_use"), &mut errors),
            rag: RagOverrides::read(&object, &mut errors),
            fetch_url_body: FetchUrlBody::read(&object, &mut errors),
            cache: CacheConfig::read(read_block(&object, "cache"), &mut errors),
            llm_use: LlmUse::read(&object, &mut errors),
            google_calendar: CalendarDays::read(read_block(&object, "google_calendar"), &mut errors),
            errors,
            object,
        }
    }
}

/// The object as it was given.
impl AsRef<Map<String, Value>> for ProviderConfig {
    fn as_ref(&self) -> &Map<String, Value> {
        &self.object
    }
}

impl Serialize for ProviderConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.object.serialize(serializer)
    }
}

/// `config.swirl.cache` of one provider.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CacheConfig {
    pub acl: CacheAcl,
    /// The kind of source, instead of the one that its connector suggests.
    pub kind: Option<SourceKind>,
    /// The weight of its documents in an election, 0 to 1.
    pub authority: Option<f64>,
}

/// Who may see the documents that a user retrieved with an account of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CacheAcl {
    #[default]
    User,
    /// The members of the provider's groups: `acl` is `provider`.
    Provider,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CacheBlock {
    acl: ConfigField<String>,
    kind: ConfigField<String>,
    authority: ConfigField<f64>,
}

impl CacheConfig {
    /// Invalid values are reported and otherwise ignored.
    fn read(block: CacheBlock, errors: &mut FieldErrors) -> Self {
        let mut wrong =
            |key: &str, what: String| errors.add("config", format!("swirl.cache.{key}: {what} is needed."));
        if !block.acl.is_missing_or(|acl| ["user", "provider"].contains(&acl.as_str())) {
            wrong("acl", "user or provider".to_owned());
        }
        if !block.kind.is_missing_or(|name| SourceKind::parse(name).is_some()) {
            let known: Vec<&str> = SourceKind::ALL.iter().map(|kind| kind.as_str()).collect();
            wrong("kind", format!("one of {}", known.join(", ")));
        }
        if !block.authority.is_missing_or(|weight| (0.0..=1.0).contains(weight)) {
            wrong("authority", "a number from 0 to 1".to_owned());
        }
        let acl = match block.acl.valid().as_deref() {
            Some("provider") => CacheAcl::Provider,
            _ => CacheAcl::User,
        };
        let kind = block.kind.valid().and_then(|name| SourceKind::parse(&name));
        Self { acl, kind, authority: block.authority.valid() }
    }
}

/// `config.swirl.llm_use` of one provider.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LlmUse {
    /// How a model writes queries in the language of the source: `mcp.prompt.query_instructions`. Never blank.
    pub query_instructions: Option<String>,
}

impl LlmUse {
    /// Invalid values are reported and otherwise ignored.
    fn read(config: &Map<String, Value>, errors: &mut FieldErrors) -> Self {
        let mut value = config.get("swirl").and_then(|swirl| swirl.get("llm_use"));
        let mut place = "swirl.llm_use".to_owned();
        for name in ["mcp", "prompt"] {
            value = value.and_then(|object| object.get(name)).filter(|value| !value.is_null());
            place = format!("{place}.{name}");
            errors.check(value.is_none_or(Value::is_object), "config", || {
                format!("{place}: an object is needed.")
            });
        }
        let given = value.and_then(|prompt| prompt.get("query_instructions"));
        errors.check(given.is_none_or(Value::is_string), "config", || {
            format!("{place}.query_instructions: a text is needed.")
        });
        let text = given.and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        Self { query_instructions: text.map(str::to_owned) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn config(given: Value) -> ProviderConfig {
        serde_json::from_value(given).unwrap()
    }

    #[test]
    fn it_is_returned_word_for_word() {
        for text in [
            "{}",
            r#"{"z":1,"swirl":{"unknown":{"b":[1.0,null],"a":"x"},"connector_use":{"timeout":"soon","z":{}}},"a":{}}"#,
            r#"{"swirl":[{"rag":7}]}"#,
            r#"{"swirl":{"rag":"no object","cache":[1],"fetch_url_body":null,"llm_use":{"mcp":[]}}}"#,
        ] {
            let read: ProviderConfig = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), text);
            assert_eq!(serde_json::to_string(read.as_ref()).unwrap(), text);
        }
        for wrong in [json!("text"), json!([]), json!(7), json!(null)] {
            let error = serde_json::from_value::<ProviderConfig>(wrong.clone()).unwrap_err().to_string();
            assert!(error.ends_with("expected a map"), "{wrong}: {error}");
        }
    }

    #[test]
    fn a_config_without_blocks_is_the_default() {
        for given in
            [json!({}), json!({"swirl": null}), json!({"swirl": []}), json!({"swirl": {"other": {}}})]
        {
            let object = given.as_object().unwrap().clone();
            let expected = ProviderConfig { object, ..ProviderConfig::default() };
            let read = ProviderConfig { errors: FieldErrors::default(), ..config(given.clone()) };
            assert_eq!(read, expected, "{given}");
        }
    }

    #[test]
    fn the_cache_block() {
        let nothing = CacheConfig::default();
        let by_provider = CacheConfig { acl: CacheAcl::Provider, ..nothing };
        let weighing = |authority| CacheConfig { authority: Some(authority), ..nothing };
        let table = [
            (json!(null), nothing, ""),
            (json!("provider"), nothing, "swirl.cache: an object"),
            (json!(["provider"]), nothing, "swirl.cache: an object"),
            (json!({}), nothing, ""),
            (json!({"acl": "provider"}), by_provider, ""),
            (json!({"acl": "user"}), nothing, ""),
            (json!({"acl": "Provider"}), nothing, "swirl.cache.acl: user or provider"),
            (json!({"acl": ["provider"]}), nothing, "swirl.cache.acl: user or provider"),
            (json!({"kind": "wiki"}), CacheConfig { kind: Some(SourceKind::Wiki), ..nothing }, ""),
            (json!({"kind": "Wiki"}), nothing, "swirl.cache.kind: one of"),
            (json!({"kind": 7, "acl": "provider"}), by_provider, "swirl.cache.kind: one of"),
            (json!({"authority": 0.5}), weighing(0.5), ""),
            (json!({"authority": 1}), weighing(1.0), ""),
            (json!({"authority": -1e300}), weighing(-1e300), "swirl.cache.authority: a number from 0 to 1"),
            (json!({"authority": "0.5"}), nothing, "swirl.cache.authority: a number from 0 to 1"),
            (json!({"authority": null}), nothing, "swirl.cache.authority: a number from 0 to 1"),
        ];
        for (block, expected, error) in table {
            let read = config(json!({"swirl": {"cache": block}}));
            assert_eq!(read.cache, expected, "{block}");
            assert_error(&read, error);
        }
    }

    /// At most one, which begins like this.
    fn assert_error(read: &ProviderConfig, expected: &str) {
        let errors = read.errors.to_string();
        assert_eq!(errors.is_empty(), expected.is_empty(), "{errors}");
        assert!(errors.contains(expected), "{errors} instead of {expected}");
    }

    #[test]
    fn every_block_is_an_object() {
        assert_error(&config(json!({"swirl": []})), "swirl: an object is needed");
        for name in BLOCKS {
            let of = |block: Value| config(json!({"swirl": {name: block}}));
            for right in [json!({}), json!(null)] {
                assert_error(&of(right), "");
            }
            for wrong in [json!("text"), json!([]), json!(7), json!(true)] {
                assert_error(&of(wrong), &format!("swirl.{name}: an object is needed"));
            }
        }
    }

    #[test]
    fn the_block_for_calendars() {
        let (back, ahead) = ("calendar_lookback_days", "calendar_lookahead_days");
        let usual = CalendarDays::default();
        let wrong = |key: &str| format!("swirl.google_calendar.{key}: a whole number of days from 0 to 3650");
        let table = [
            (json!({}), usual, Vec::new()),
            (json!({back: 0, ahead: 3650}), CalendarDays { back: 0, ahead: 3650 }, Vec::new()),
            (json!({back: 3651}), usual, vec![wrong(back)]),
            (json!({back: u64::MAX, ahead: 7}), CalendarDays { ahead: 7, ..usual }, vec![wrong(back)]),
            (json!({back: -1}), usual, vec![wrong(back)]),
            (json!({back: "x"}), usual, vec![wrong(back)]),
            (json!({ahead: 1.5}), usual, vec![wrong(ahead)]),
            (json!({ahead: null, back: []}), usual, vec![wrong(back), wrong(ahead)]),
        ];
        for (block, expected, errors) in table {
            let read = config(json!({"swirl": {"google_calendar": block}}));
            assert_eq!(read.google_calendar, expected, "{block}");
            let told = read.errors.to_string();
            assert_eq!(read.errors.is_empty(), errors.is_empty(), "{told}");
            assert!(errors.iter().all(|error| told.contains(error)), "{told}");
        }
    }

    #[test]
    fn the_block_for_models() {
        let long = "x".repeat(100_000);
        let table = [
            (json!(null), None, ""),
            (json!({"mcp": "text"}), None, "swirl.llm_use.mcp: an object"),
            (json!({"mcp": [{"query_instructions": "a"}]}), None, "swirl.llm_use.mcp: an object"),
            (json!({"mcp": {"prompt": "text"}}), None, "swirl.llm_use.mcp.prompt: an object"),
            (json!({"mcp": {"prompt": {}}}), None, ""),
            (
                json!({"mcp": {"prompt": {"query_instructions": 7}}}),
                None,
                "swirl.llm_use.mcp.prompt.query_instructions: a text",
            ),
            (json!({"mcp": {"prompt": {"query_instructions": " \n"}}}), None, ""),
            (
                json!({"mcp": {"prompt": {"query_instructions": " Use au:name. "}}}),
                Some(" Use au:name. "),
                "",
            ),
            (json!({"mcp": {"prompt": {"query_instructions": long}}}), Some(long.as_str()), ""),
        ];
        for (block, expected, error) in table {
            let read = config(json!({"swirl": {"llm_use": block}}));
            assert_eq!(read.llm_use.query_instructions.as_deref(), expected, "{block}");
            assert_error(&read, error);
        }
    }

    #[derive(Debug, PartialEq, Default, Deserialize)]
    #[serde(default)]
    struct Block {
        count: ConfigField<u64>,
        is_on: ConfigField<bool>,
    }

    #[test]
    fn a_connector_declares_its_own_block() {
        let block = |count, is_on| Block { count, is_on };
        let table = [
            (json!({"swirl": {"own": {"count": 3}}}), block(ConfigField::Valid(3), ConfigField::Missing)),
            (
                json!({"swirl": {"own": {"count": "3", "is_on": true, "more": 1}}}),
                block(ConfigField::Invalid, ConfigField::Valid(true)),
            ),
            (json!({"swirl": {"own": [3, true]}}), Block::default()),
            (json!({"swirl": {"own": null}}), Block::default()),
            (json!({"swirl": {"other": {"count": 3}}}), Block::default()),
            (json!({"own": {"count": 3}}), Block::default()),
        ];
        for (given, expected) in table {
            assert_eq!(config(given.clone()).block::<Block>("own"), expected, "{given}");
        }
    }
}
