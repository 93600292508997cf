//! Provenance: whether a provider returned a URL or a user typed it, and with whose rights it may be fetched.
//!
//! A provider's credentials, its exemption for a private host, its TLS options, templates and secret headers apply only to
//! URLs that the provider returned. Such a URL is a [`SourceUrl`], one that a user typed or edited is a [`UserUrl`], and
//! neither can be converted into the other:
//!
//! ```compile_fail
//! use domain::provenance::{SourceUrl, UserUrl};
//! let typed = UserUrl::new("http://127.0.0.1/admin");
//! let given: SourceUrl<'_> = typed; // expected `SourceUrl`, found `UserUrl`
//! ```
//!
//! ```compile_fail
//! use domain::provenance::{SourceUrl, UserUrl};
//! let given: SourceUrl<'_> = UserUrl::new("http://127.0.0.1/admin").into(); // no such conversion
//! ```
//!
//! ```compile_fail
//! use domain::provenance::SourceUrl;
//! let given = SourceUrl("http://127.0.0.1/admin"); // the field is private, and there is no constructor
//! ```
//!
//! What is fetched with a provider's rights is a [`SourcePage`], which is built from a result's own record of what its
//! provider returned. It cannot be built from a typed URL or from a result that a client sent:
//!
//! ```compile_fail
//! use domain::provenance::{PageTarget, UserUrl};
//! let target = PageTarget::Source(UserUrl::new("http://127.0.0.1/admin")); // expected `SourcePage`
//! ```
//!
//! ```compile_fail
//! use domain::provenance::SourcePage;
//! fn page(provider: &domain::provider::SearchProvider, item: domain::provenance::SourceItem<'_>) {
//!     let _ = SourcePage { provider, item }; // the fields are private
//! }
//! ```
//!
//! ```
//! use domain::result::ResultItem;
//! let sent = r#"{"url": "http://127.0.0.1/admin", "source_url": "http://127.0.0.1/admin"}"#;
//! let item: ResultItem = serde_json::from_str(sent).unwrap();
//! assert!(item.as_given().is_none(), "no client can say that a provider gave it");
//! ```

mod origin;
mod target;

pub use origin::is_fetched_from_own_origin;
pub use target::{AccountPage, PageTarget, SourcePage};

use crate::ids::ProviderId;
use crate::result::ResultItem;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A URL that a provider returned with a result. Only such a URL is fetched with the provider's rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceUrl<'a>(&'a str);

impl<'a> SourceUrl<'a> {
    pub fn as_str(self) -> &'a str {
        self.0
    }
}

/// A URL that a user typed or edited, or whose provenance is unknown. It is fetched without any rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserUrl<'a>(&'a str);

impl<'a> UserUrl<'a> {
    pub fn new(url: &'a str) -> Self {
        Self(url)
    }

    pub fn as_str(self) -> &'a str {
        self.0
    }
}

/// Whether a result is as its provider returned it. A result that was not created by a provider's mapping, or that a
/// client sent, has no known provenance.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Provenance(State);

#[derive(Debug, Clone, PartialEq, Default)]
enum State {
    #[default]
    Unknown,
    /// The fields of the result are those that this provider returned.
    AsGiven(ProviderId),
    /// The owner edited the result; contains what the provider returned.
    Edited(ProviderId, Box<SourceFields>),
}

impl Provenance {
    /// True if there is no `source_url` to show.
    pub fn is_unedited(&self) -> bool {
        !matches!(self.0, State::Edited(..))
    }
}

/// On the wire: the URL that the provider returned.
impl Serialize for Provenance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            State::Edited(_, fields) => serializer.serialize_some(&fields.url),
            State::Unknown | State::AsGiven(_) => serializer.serialize_none(),
        }
    }
}

/// The fields of a result that decide what is fetched for it and how it is described, as its provider returned them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SourceFields {
    url: String,
    title: String,
    author: String,
    date_published: String,
    payload: Map<String, Value>,
}

impl SourceFields {
    fn of(item: SourceItem<'_>) -> Self {
        Self {
            url: item.url.0.to_owned(),
            title: item.title.to_owned(),
            author: item.author.to_owned(),
            date_published: item.date_published.to_owned(),
            payload: item.payload.clone(),
        }
    }
}

/// A result as its provider returned it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SourceItem<'a> {
    provider: ProviderId,
    url: SourceUrl<'a>,
    title: &'a str,
    author: &'a str,
    date_published: &'a str,
    payload: &'a Map<String, Value>,
}

impl<'a> SourceItem<'a> {
    /// The provider that returned it.
    pub fn provider(&self) -> ProviderId {
        self.provider
    }

    pub fn url(&self) -> SourceUrl<'a> {
        self.url
    }

    pub fn title(&self) -> &'a str {
        self.title
    }

    pub fn payload(&self) -> &'a Map<String, Value> {
        self.payload
    }

    /// A result with only these fields.
    pub fn to_result(&self) -> ResultItem {
        let mut item = ResultItem {
            url: self.url.0.to_owned(),
            title: self.title.to_owned(),
            author: self.author.to_owned(),
            date_published: self.date_published.to_owned(),
            payload: self.payload.clone(),
            ..ResultItem::default()
        };
        item.mark_as_given(self.provider);
        item
    }

    fn is_shown_by(&self, item: &ResultItem) -> bool {
        self.url.0 == item.url
            && self.title == item.title
            && self.author == item.author
            && self.date_published == item.date_published
            && *self.payload == item.payload
    }
}

impl ResultItem {
    /// Records that the fields are those that the provider returned. Only the mapping of a provider's response, the
    /// store, and the corpus for documents of a provider may call this; a test enforces the list.
    pub fn mark_as_given(&mut self, by: ProviderId) {
        self.provenance = Provenance(State::AsGiven(by));
    }

    /// The result as its provider returned it; None if that is unknown.
    pub fn as_given(&self) -> Option<SourceItem<'_>> {
        match &self.provenance.0 {
            State::Unknown => None,
            State::AsGiven(provider) => Some(SourceItem {
                provider: *provider,
                url: SourceUrl(&self.url),
                title: &self.title,
                author: &self.author,
                date_published: &self.date_published,
                payload: &self.payload,
            }),
            State::Edited(provider, fields) => Some(SourceItem {
                provider: *provider,
                url: SourceUrl(&fields.url),
                title: &fields.title,
                author: &fields.author,
                date_published: &fields.date_published,
                payload: &fields.payload,
            }),
        }
    }

    /// This result as the replacement of a saved one: it gets the provenance of the saved one, whatever it contains
    /// itself.
    pub fn in_place_of(mut self, saved: &Self) -> Self {
        self.provenance = match saved.as_given() {
            None => Provenance::default(),
            Some(given) if given.is_shown_by(&self) => Provenance(State::AsGiven(given.provider)),
            Some(given) => Provenance(State::Edited(given.provider, Box::new(SourceFields::of(given)))),
        };
        self
    }
}

/// The provenance of the results of one provider in one search, stored beside them. A result that is not listed is as
/// the provider returned it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StoredProvenance {
    /// By `swirl_id`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    edited: BTreeMap<i64, SourceFields>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    unknown: BTreeSet<i64>,
}

impl StoredProvenance {
    /// The provenance of results of this provider.
    pub fn of(provider: ProviderId, items: &[ResultItem]) -> Self {
        let mut stored = Self::default();
        for item in items {
            match &item.provenance.0 {
                State::AsGiven(by) if *by == provider => {}
                State::Edited(by, fields) if *by == provider => {
                    stored.edited.insert(item.swirl_id.0, fields.as_ref().clone());
                }
                _ => {
                    stored.unknown.insert(item.swirl_id.0);
                }
            }
        }
        stored
    }

    /// Restores the stored provenance of the results.
    pub fn restore(&self, provider: ProviderId, items: &mut [ResultItem]) {
        for item in items {
            let id = item.swirl_id.0;
            item.provenance = Provenance(match self.edited.get(&id) {
                _ if self.unknown.contains(&id) => State::Unknown,
                Some(fields) => State::Edited(provider, Box::new(fields.clone())),
                None => State::AsGiven(provider),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ResultId;
    use serde_json::json;

    const RIVERS: ProviderId = ProviderId(7);

    fn given() -> ResultItem {
        let mut item = ResultItem {
            swirl_id: ResultId(1),
            url: "https://a.example/1".to_owned(),
            title: "River".to_owned(),
            payload: json!({"id": "1"}).as_object().cloned().unwrap_or_default(),
            ..ResultItem::default()
        };
        item.mark_as_given(RIVERS);
        item
    }

    /// As a client would send it.
    fn sent(change: Value) -> ResultItem {
        let mut whole = serde_json::to_value(given()).expect("json");
        whole.as_object_mut().expect("an object").extend(change.as_object().expect("an object").clone());
        serde_json::from_value(whole).expect("a result")
    }

    #[test]
    fn an_edit_keeps_what_the_provider_gave() {
        for change in [
            json!({"url": "http://127.0.0.1/"}),
            json!({"title": "Official"}),
            json!({"author": "Finance"}),
            json!({"date_published": "2030-01-01"}),
            json!({"payload": {"id": "../admin"}}),
            json!({"url": "http://127.0.0.1/", "source_url": "http://127.0.0.1/"}),
        ] {
            let edited = sent(change.clone()).in_place_of(&given());
            assert_eq!(edited.as_given(), given().as_given(), "{change}");
            assert_eq!(serde_json::to_value(&edited).expect("json")["source_url"], given().url, "{change}");
            let twice = sent(json!({"url": "http://[::1]/"})).in_place_of(&edited);
            assert_eq!(twice.as_given(), given().as_given(), "{change}");
            assert_eq!(twice.as_given().map(|item| item.to_result().url), Some(given().url), "{change}");
            let undone = sent(json!({})).in_place_of(&twice);
            assert_eq!(undone, given(), "{change}");
        }
        let noted = sent(json!({"body": "my note", "new": 1})).in_place_of(&given());
        assert!(noted.provenance.is_unedited());
        assert_eq!(serde_json::to_value(&noted).expect("json").get("source_url"), None);
    }

    #[test]
    fn what_a_client_sends_has_no_provenance() {
        assert_eq!(sent(json!({})).as_given(), None);
        assert_eq!(sent(json!({})).in_place_of(&sent(json!({}))).as_given(), None);
    }

    #[test]
    fn provenance_is_stored_beside_the_results() {
        let edited = ResultItem { swirl_id: ResultId(2), ..sent(json!({"url": "x"})).in_place_of(&given()) };
        let unknown = ResultItem { swirl_id: ResultId(3), ..sent(json!({})) };
        let mut of_another = ResultItem { swirl_id: ResultId(4), ..given() };
        of_another.mark_as_given(ProviderId(8));
        let items = [given(), edited, unknown, of_another];
        let stored = serde_json::to_string(&StoredProvenance::of(RIVERS, &items)).expect("json");
        let stored: StoredProvenance = serde_json::from_str(&stored).expect("provenance");
        let mut read = items.clone();
        read.iter_mut().for_each(|item| item.provenance = Provenance::default());
        stored.restore(RIVERS, &mut read);
        assert_eq!(read[..3], items[..3]);
        assert_eq!(read[3].as_given(), None, "another provider's result is not this one's");
        assert_eq!(serde_json::to_value(StoredProvenance::of(RIVERS, &items[..1])).expect("json"), json!({}));
    }
}
