//! `page_fetch_config_json` of a provider: how the pages behind its results are fetched.

use crate::parsed_text::ParsedText;
use crate::secret::Secret;
use crate::validation::FieldErrors;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use syntax::json_path::JsonPath;

/// Maximum `timeout`, in seconds.
const TIMEOUT_MAX: f64 = 600.0;
/// The field named in errors.
const FIELD: &str = "page_fetch_config_json";
/// The only supported fallback.
const DIFFBOT: &str = "diffbot";

/// `page_fetch_config_json` of a provider: the object as it was given, and what it says. It is stored and returned word
/// for word, with keys that nobody reads. Copies share the object and what it says; the first use parses it, as with
/// [`ParsedText`].
#[derive(Clone, Default, Deserialize)]
#[serde(from = "Map<String, Value>")]
pub struct PageFetchConfigJson(Arc<Content>);

#[derive(Default)]
struct Content {
    object: Map<String, Value>,
    /// The configuration, and what is wrong in it.
    parsed: OnceLock<(PageFetchConfig, FieldErrors)>,
}

impl PageFetchConfigJson {
    /// The configuration; invalid values are ignored here, because they are rejected when the provider is saved.
    pub fn parsed(&self) -> &PageFetchConfig {
        &self.read().0
    }

    pub(crate) fn check(&self, errors: &mut FieldErrors) {
        errors.merge(self.read().1.clone());
    }

    fn read(&self) -> &(PageFetchConfig, FieldErrors) {
        self.0.parsed.get_or_init(|| {
            let mut errors = FieldErrors::default();
            (PageFetchConfig::read(&self.0.object, &mut errors), errors)
        })
    }
}

impl From<Map<String, Value>> for PageFetchConfigJson {
    fn from(object: Map<String, Value>) -> Self {
        Self(Arc::new(Content { object, parsed: OnceLock::new() }))
    }
}

/// The object as it was given.
impl AsRef<Map<String, Value>> for PageFetchConfigJson {
    fn as_ref(&self) -> &Map<String, Value> {
        &self.0.object
    }
}

/// Equal objects say the same.
impl PartialEq for PageFetchConfigJson {
    fn eq(&self, other: &Self) -> bool {
        self.0.object == other.0.object
    }
}

impl Serialize for PageFetchConfigJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.object.serialize(serializer)
    }
}

/// How the pages behind the results of a provider are fetched.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PageFetchConfig {
    /// Pages are fetched for summaries: the key `cache` is present, with any value. The value itself applies to the
    /// cache.
    pub is_enabled: bool,
    /// Sent with every page request. An empty value removes a header that would be sent otherwise.
    pub headers: BTreeMap<String, String>,
    /// For pages of all hosts.
    pub timeout: Option<Duration>,
    /// For pages of single hosts; takes precedence.
    pub host_timeouts: BTreeMap<String, Duration>,
    /// Used if a page cannot be fetched.
    pub diffbot: Option<Diffbot>,
    /// A template for the URL of the content, filled from the result.
    pub content_url: Option<String>,
    /// Media types that fetched content must have; empty: any.
    pub media_types: Vec<String>,
    /// Where the media type is requested before the content is fetched.
    pub media_type_lookup: Option<MediaTypeLookup>,
}

/// A service that fetches a page and returns its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diffbot {
    pub token: Secret,
    /// Its address; None: the public one.
    pub url: Option<String>,
    /// The entity to extract from the pages of single hosts, such as `article`.
    pub entities: BTreeMap<String, String>,
}

/// A template for a URL that returns JSON, and the path of the media type in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaTypeLookup {
    pub url: String,
    pub path: ParsedText<JsonPath>,
}

impl PageFetchConfig {
    /// The time limit for a page of this host, if the provider has one.
    pub fn timeout_for(&self, host: &str) -> Option<Duration> {
        self.host_timeouts.get(&host.to_ascii_lowercase()).copied().or(self.timeout)
    }

    fn read(given: &Map<String, Value>, errors: &mut FieldErrors) -> Self {
        let mut form = Form { given, errors };
        Self {
            is_enabled: given.contains_key("cache"),
            headers: form.headers(),
            timeout: form.seconds(given, "timeout"),
            host_timeouts: form.host_timeouts(),
            diffbot: form.diffbot(),
            content_url: form.text("content_url"),
            media_types: form.list("mimetype_whitelist"),
            media_type_lookup: form.lookup(),
        }
    }
}

/// Reads the fields of the object one by one.
struct Form<'f> {
    given: &'f Map<String, Value>,
    errors: &'f mut FieldErrors,
}

impl Form<'_> {
    fn wrong(&mut self, key: &str, what: &str) {
        self.errors.add(FIELD, format!("{key}: {what}"));
    }

    fn text(&mut self, key: &str) -> Option<String> {
        let value = self.given.get(key).filter(|value| !value.is_null())?;
        match value.as_str() {
            Some(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            None => {
                self.wrong(key, "a text is needed.");
                None
            }
        }
    }

    /// A number, or a text that contains one.
    fn seconds(&mut self, within: &Map<String, Value>, key: &str) -> Option<Duration> {
        let value = within.get(key).filter(|value| !value.is_null())?;
        let read = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
        let read = read.filter(|seconds| (0.0..=TIMEOUT_MAX).contains(seconds)).map(Duration::from_secs_f64);
        if read.is_none() {
            self.wrong(key, &format!("seconds from 0 to {TIMEOUT_MAX} are needed."));
        }
        read
    }

    fn headers(&mut self) -> BTreeMap<String, String> {
        let mut headers = BTreeMap::new();
        let Some(value) = self.given.get("headers").filter(|value| !value.is_null()) else { return headers };
        let Some(object) = value.as_object() else {
            self.wrong("headers", "an object is needed.");
            return headers;
        };
        for (name, value) in object {
            match value.as_str() {
                Some(text) if !text.chars().any(char::is_control) => {
                    headers.insert(name.clone(), text.to_owned());
                }
                _ => self.wrong("headers", &format!("the value of '{name}' is not valid.")),
            }
        }
        headers
    }

    /// Every other key whose value is an object with a `timeout` is a host.
    fn host_timeouts(&mut self) -> BTreeMap<String, Duration> {
        let hosts = self.given.iter().filter(|(key, _)| !matches!(key.as_str(), "headers" | DIFFBOT));
        let hosts: Vec<_> = hosts.filter_map(|(key, value)| Some((key, value.as_object()?))).collect();
        hosts
            .into_iter()
            .filter_map(|(host, own)| Some((host.to_ascii_lowercase(), self.seconds(own, "timeout")?)))
            .collect()
    }

    fn diffbot(&mut self) -> Option<Diffbot> {
        let fallback = self.text("fallback")?;
        if !fallback.eq_ignore_ascii_case(DIFFBOT) {
            self.wrong("fallback", &format!("'{DIFFBOT}' is the only one that is known."));
            return None;
        }
        let own = self.given.get(DIFFBOT).and_then(Value::as_object);
        let token = own.and_then(|own| own.get("token")?.as_str()).filter(|token| !token.is_empty());
        let (Some(own), Some(token)) = (own, token) else {
            self.wrong(DIFFBOT, "a token is needed.");
            return None;
        };
        let entity = |(host, value): (&String, &Value)| {
            let entity = value.get("extract_entity")?.as_str()?.trim();
            let is_name = !entity.is_empty() && entity.bytes().all(|byte| byte.is_ascii_alphanumeric());
            is_name.then(|| (host.to_ascii_lowercase(), entity.to_ascii_lowercase()))
        };
        let url = own.get("url").and_then(Value::as_str).map(str::to_owned);
        Some(Diffbot { token: Secret::new(token), url, entities: own.iter().filter_map(entity).collect() })
    }

    /// A list, or a text with commas.
    fn list(&mut self, key: &str) -> Vec<String> {
        let clean = |text: &str| Some(text.trim().to_ascii_lowercase()).filter(|text| !text.is_empty());
        match self.given.get(key) {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::String(text)) => text.split(',').filter_map(clean).collect(),
            Some(Value::Array(list)) if list.iter().all(Value::is_string) => {
                list.iter().filter_map(Value::as_str).filter_map(clean).collect()
            }
            Some(_) => {
                self.wrong(key, "a list of texts is needed.");
                Vec::new()
            }
        }
    }

    fn lookup(&mut self) -> Option<MediaTypeLookup> {
        let (url, path) = (self.text("mimetype_url"), self.text("mimetype_path"));
        match (url, path) {
            (Some(url), Some(path)) => Some(MediaTypeLookup { url, path: path.into() }),
            (None, None) => None,
            _ => {
                self.wrong("mimetype_url", "mimetype_url and mimetype_path are needed together.");
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::ProviderSpec;
    use serde_json::json;

    fn config_json(config: Value) -> PageFetchConfigJson {
        serde_json::from_value(config).unwrap()
    }

    fn spec(config: Value) -> ProviderSpec {
        ProviderSpec {
            name: "A".to_owned(),
            page_fetch_config_json: config_json(config),
            ..ProviderSpec::default()
        }
    }

    #[test]
    fn it_is_returned_word_for_word() {
        for text in [
            "{}",
            r#"{"z":1,"cache":null,"timeout":"soon","a":{"timeout":-1,"b":[1.0,null]},"headers":[]}"#,
            r#"{"mimetype_url":"https://a.example/","fallback":"diffbot","unknown":"ä"}"#,
        ] {
            let read: PageFetchConfigJson = serde_json::from_str(text).unwrap();
            let (copy, _) = (read.clone(), read.parsed());
            assert_eq!(serde_json::to_string(&read).unwrap(), text);
            assert_eq!(serde_json::to_string(copy.as_ref()).unwrap(), text);
            assert!(copy == read && read == PageFetchConfigJson::from(copy.as_ref().clone()), "{text}");
        }
        for wrong in [json!("text"), json!([]), json!(7), json!(null)] {
            let error = serde_json::from_value::<PageFetchConfigJson>(wrong.clone()).err().unwrap();
            assert!(error.to_string().ends_with("expected a map"), "{wrong}: {error}");
        }
    }

    #[test]
    fn it_is_parsed_once_for_all_copies() {
        let first = config_json(json!({"cache": "", "timeout": 5, "headers": 7}));
        let second = first.clone();
        assert!(first.0.parsed.get().is_none(), "nobody has asked yet");
        let config: *const PageFetchConfig = second.parsed();
        for copy in [&first, &second, &first.clone()] {
            assert!(std::ptr::eq(copy.parsed(), config), "parsed again");
            let mut errors = FieldErrors::default();
            copy.check(&mut errors);
            assert_eq!(errors.to_string(), "page_fetch_config_json: headers: an object is needed.");
            assert!(std::ptr::eq(copy.parsed(), config), "parsed again");
        }
    }

    #[test]
    fn all_keys_are_read() {
        let given = spec(json!({
            "cache": "false", "headers": {"User-Agent": "", "X-A": "b"}, "timeout": 30,
            "Slow.example": {"timeout": "60"}, "fallback": "diffbot",
            "diffbot": {"token": "t", "News.example": {"extract_entity": "article"}, "b": {"extract_entity": "../x"}},
            "content_url": "https://a.example/{id}", "mimetype_url": "https://a.example/{id}/about",
            "mimetype_path": "file.mimeType", "mimetype_whitelist": "text/html, application/pdf",
        }));
        assert!(given.check().is_empty(), "{}", given.check());
        let read = given.page_fetch_config_json.parsed();
        assert!(read.is_enabled);
        assert_eq!(read.headers["User-Agent"], "");
        let seconds = |host: &str| read.timeout_for(host).map(|time| time.as_secs());
        assert_eq!((seconds("slow.example"), seconds("other.example")), (Some(60), Some(30)));
        let diffbot = read.diffbot.as_ref().unwrap();
        assert_eq!(diffbot.token.expose(), "t");
        assert_eq!(diffbot.entities, BTreeMap::from([("news.example".to_owned(), "article".to_owned())]));
        assert_eq!(read.content_url.as_deref(), Some("https://a.example/{id}"));
        assert_eq!(read.media_types, ["text/html", "application/pdf"]);
        assert_eq!(read.media_type_lookup.as_ref().map(|lookup| lookup.path.as_str()), Some("file.mimeType"));
        assert_eq!(*config_json(json!({})).parsed(), PageFetchConfig::default());
    }

    #[test]
    fn the_key_counts_and_not_what_it_says() {
        for (config, is_enabled) in [
            (json!({"cache": "true"}), true),
            (json!({"cache": "false"}), true),
            (json!({"cache": false}), true),
            (json!({"timeout": 5}), false),
            (json!({}), false),
        ] {
            assert_eq!(config_json(config.clone()).parsed().is_enabled, is_enabled, "{config}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (config, key) in [
            (json!({"timeout": 601}), "timeout"),
            (json!({"timeout": "soon"}), "timeout"),
            (json!({"a.example": {"timeout": -1}}), "timeout"),
            (json!({"headers": []}), "headers"),
            (json!({"headers": {"X-A": 5}}), "headers"),
            (json!({"headers": {"X-A": "a\r\nb"}}), "headers"),
            (json!({"fallback": "other"}), "fallback"),
            (json!({"fallback": "diffbot"}), "diffbot"),
            (json!({"content_url": 5}), "content_url"),
            (json!({"mimetype_url": "https://a.example/"}), "mimetype_url"),
            (json!({"mimetype_whitelist": [5]}), "mimetype_whitelist"),
        ] {
            let errors = spec(config.clone()).check().to_string();
            assert!(errors.contains(&format!("{key}: ")), "{config}: {errors}");
        }
    }
}
