//! `config` of a search provider: the object as it was given, and the blocks of `config.swirl`, parsed once.

mod connector_use;
mod field;

pub use connector_use::{ConnectorUse, RETRIES_MAX};
pub use field::ConfigField;

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

impl From<Map<String, Value>> for ProviderConfig {
    fn from(object: Map<String, Value>) -> Self {
        let mut errors = FieldErrors::default();
        Self {
            connector_use: ConnectorUse::read(read_block(&object, "connector_use"), &mut errors),
            rag: RagOverrides::read(&object, &mut errors),
            fetch_url_body: FetchUrlBody::read(&object, &mut errors),
            cache: read_block::<CacheBlock>(&object, "cache").into(),
            llm_use: LlmUse::read(&object),
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

/// `config.swirl.cache` of one provider. Invalid values are ignored.
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

impl From<CacheBlock> for CacheConfig {
    fn from(block: CacheBlock) -> Self {
        let acl = match block.acl.valid().as_deref() {
            Some("provider") => CacheAcl::Provider,
            _ => CacheAcl::User,
        };
        let kind = block.kind.valid().and_then(|name| SourceKind::parse(&name));
        Self { acl, kind, authority: block.authority.valid() }
    }
}

/// `config.swirl.llm_use` of one provider. Invalid values are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LlmUse {
    /// How a model writes queries in the language of the source: `mcp.prompt.query_instructions`. Never blank.
    pub query_instructions: Option<String>,
}

impl LlmUse {
    fn read(config: &Map<String, Value>) -> Self {
        let block = config.get("swirl").and_then(|swirl| swirl.get("llm_use"));
        let prompt = block.and_then(|block| block.get("mcp")?.get("prompt"));
        let text = prompt.and_then(|prompt| prompt.get("query_instructions")?.as_str());
        Self { query_instructions: text.filter(|text| !text.trim().is_empty()).map(str::to_owned) }
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
            let expected =
                ProviderConfig { object: given.as_object().unwrap().clone(), ..ProviderConfig::default() };
            assert_eq!(config(given.clone()), expected, "{given}");
        }
    }

    #[test]
    fn the_cache_block() {
        let nothing = CacheConfig::default();
        let by_provider = CacheConfig { acl: CacheAcl::Provider, ..nothing };
        let weighing = |authority| CacheConfig { authority: Some(authority), ..nothing };
        let table = [
            (json!(null), nothing),
            (json!("provider"), nothing),
            (json!(["provider"]), nothing),
            (json!({}), nothing),
            (json!({"acl": "provider"}), by_provider),
            (json!({"acl": "Provider"}), nothing),
            (json!({"acl": ["provider"]}), nothing),
            (json!({"kind": "wiki"}), CacheConfig { kind: Some(SourceKind::Wiki), ..nothing }),
            (json!({"kind": "Wiki"}), nothing),
            (json!({"kind": 7, "acl": "provider"}), by_provider),
            (json!({"authority": 0.5}), weighing(0.5)),
            (json!({"authority": 1}), weighing(1.0)),
            (json!({"authority": -1e300}), weighing(-1e300)),
            (json!({"authority": "0.5"}), nothing),
            (json!({"authority": null}), nothing),
        ];
        for (block, expected) in table {
            let read = config(json!({"swirl": {"cache": block}}));
            assert_eq!(read.cache, expected, "{block}");
            assert!(read.errors.is_empty(), "{block}");
        }
    }

    #[test]
    fn the_block_for_models() {
        let long = "x".repeat(100_000);
        let table = [
            (json!(null), None),
            (json!({"mcp": "text"}), None),
            (json!({"mcp": [{"query_instructions": "a"}]}), None),
            (json!({"mcp": {"prompt": "text"}}), None),
            (json!({"mcp": {"prompt": {}}}), None),
            (json!({"mcp": {"prompt": {"query_instructions": 7}}}), None),
            (json!({"mcp": {"prompt": {"query_instructions": " \n"}}}), None),
            (json!({"mcp": {"prompt": {"query_instructions": " Use au:name. "}}}), Some(" Use au:name. ")),
            (json!({"mcp": {"prompt": {"query_instructions": long}}}), Some(long.as_str())),
        ];
        for (block, expected) in table {
            let read = config(json!({"swirl": {"llm_use": block}}));
            assert_eq!(read.llm_use.query_instructions.as_deref(), expected, "{block}");
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
