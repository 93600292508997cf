//! The row of a result set, with the provenance and the groups of its items.

use super::versions;
use crate::json::{Items, JsonText, NOTICE_BYTES, to_count, unwritable};
use crate::row::row;
use domain::ids::{ProviderId, ResultId, SearchId};
use domain::instant::Instant;
use domain::notice::{self, StoredNotices};
use domain::ports::StoreError;
use domain::provenance::StoredProvenance;
use domain::result::{ProviderError, ResultItem, ResultSet, SavedResult};
use domain::result_group::StoredGroups;
use domain::status::ProviderStatus;
use serde::{Deserialize, Serialize};
use sqlx::types::Json;

/// Details of a set besides its items and numbers; one JSON column.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Detail {
    provider_name: String,
    status: ProviderStatus,
    error: Option<ProviderError>,
    query_string_to_provider: String,
    query_to_provider: String,
    query_processors: Vec<String>,
    result_processors: Vec<String>,
    messages: Vec<String>,
    /// Absent in records of earlier versions.
    #[serde(default)]
    notices: StoredNotices,
    /// Absent in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    provenance: Option<StoredProvenance>,
    /// Absent if there are none.
    #[serde(default, skip_serializing_if = "StoredGroups::is_empty")]
    groups: StoredGroups,
}

/// The fields of a [`Detail`] before its notices, borrowed from a new set.
#[derive(Serialize)]
struct NewDetail<'a> {
    provider_name: &'a str,
    status: ProviderStatus,
    error: Option<&'a ProviderError>,
    query_string_to_provider: &'a str,
    query_to_provider: &'a str,
    query_processors: &'a [String],
    result_processors: &'a [String],
}

/// More than these fields have in most sets, so that the memory is allocated once.
const DETAIL_BYTES: usize = 512;

/// The [`Detail`] of a new set. Every search writes some, so the texts of its notices, which `domain` writes, are not
/// copied into it.
pub(super) fn new_detail(set: &ResultSet) -> Result<JsonText, StoreError> {
    let begin = NewDetail {
        provider_name: &set.provider_name,
        status: set.status.to_stored(),
        error: set.error.as_ref(),
        query_string_to_provider: &set.query_string_to_provider,
        query_to_provider: &set.query_to_provider,
        query_processors: &set.query_processors,
        result_processors: &set.result_processors,
    };
    let mut text = Vec::with_capacity(DETAIL_BYTES + 2 * set.notices.len() * NOTICE_BYTES);
    serde_json::to_writer(&mut text, &begin).map_err(unwritable)?;
    // The object goes on.
    text.pop();
    text.extend_from_slice(b",\"messages\":");
    notice::push_lines(&set.notices, &mut text).map_err(unwritable)?;
    text.extend_from_slice(b",\"notices\":");
    notice::push_facts(&set.notices, &mut text).map_err(unwritable)?;
    text.extend_from_slice(b",\"provenance\":");
    serde_json::to_writer(&mut text, &StoredProvenance::of(set.provider, &set.items)).map_err(unwritable)?;
    let groups = StoredGroups::of(&set.items);
    if !groups.is_empty() {
        text.extend_from_slice(b",\"groups\":");
        serde_json::to_writer(&mut text, &groups).map_err(unwritable)?;
    }
    text.push(b'}');
    JsonText::of_json(text)
}

macro_rules! columns {
    () => {
        "id, search_id, provider_id, found, retrieved, time_s, date_created, date_updated, detail, items"
    };
}
pub(super) use columns;

row! {
    pub(super) struct SetRow {
        pub id: i64,
        pub search_id: i64,
        pub provider_id: i64,
        pub found: i64,
        pub retrieved: i64,
        pub time_s: f64,
        pub date_created: Instant,
        pub date_updated: Instant,
        pub detail: Json<Detail>,
        pub items: Items,
    }
}

impl From<SetRow> for ResultSet {
    fn from(row: SetRow) -> Self {
        let detail = row.detail.0;
        Self {
            search: SearchId(row.search_id),
            provider: ProviderId(row.provider_id),
            provider_name: detail.provider_name,
            status: detail.status.from_stored(detail.error.is_some()),
            error: detail.error,
            found: to_count(row.found),
            retrieved: to_count(row.retrieved),
            query_string_to_provider: detail.query_string_to_provider,
            query_to_provider: detail.query_to_provider,
            query_processors: detail.query_processors,
            result_processors: detail.result_processors,
            notices: detail.notices.restore(detail.messages),
            time_s: row.time_s,
            items: row.items.0,
            date_created: row.date_created,
            date_updated: row.date_updated,
        }
    }
}

impl SetRow {
    /// Restores the groups and the provenance of items. Earlier versions did not record edits: only an unchanged set of theirs is
    /// known to be as its provider returned it.
    pub fn restored(mut self) -> Self {
        let provider = ProviderId(self.provider_id);
        self.detail.0.groups.restore(&mut self.items.0);
        match &self.detail.0.provenance {
            Some(stored) => stored.restore(provider, &mut self.items.0),
            None if self.date_updated == self.date_created => {
                StoredProvenance::default().restore(provider, &mut self.items.0);
            }
            None => {}
        }
        self
    }

    /// The details of the set, with the current groups and provenance of its items.
    pub fn detail(&self) -> Detail {
        let provenance = StoredProvenance::of(ProviderId(self.provider_id), &self.items.0);
        let groups = StoredGroups::of(&self.items.0);
        Detail { provenance: Some(provenance), groups, ..self.detail.0.clone() }
    }

    pub fn position(&self, id: ResultId) -> Result<usize, StoreError> {
        self.items.0.iter().position(|item| item.swirl_id == id).ok_or(StoreError::NotFound)
    }

    pub fn saved(&self, item: ResultItem) -> SavedResult {
        SavedResult {
            search: SearchId(self.search_id),
            provider: ProviderId(self.provider_id),
            notices: self.detail.0.notices.clone().restore(self.detail.0.messages.clone()),
            version: versions::of_item(&item),
            item,
            date_created: self.date_created,
            date_updated: self.date_updated,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;
    use domain::notice::{Notice, NoticeKind};
    use serde_json::{Value, json};
    use testkit::builders::{item, result_set};

    /// As written by a version without edit records; changed so many seconds after creation.
    fn earlier(changed_after: i64) -> SetRow {
        let detail = json!({
            "provider_name": "Rivers", "status": "ok", "error": null, "query_string_to_provider": "",
            "query_to_provider": "", "query_processors": [], "result_processors": [], "messages": [],
        });
        let items = json!([{"swirl_id": 1, "url": "https://a.example/1"}]);
        SetRow {
            id: 1,
            search_id: 1,
            provider_id: 7,
            found: 1,
            retrieved: 1,
            time_s: 0.0,
            date_created: Instant::UNIX_EPOCH,
            date_updated: Instant::UNIX_EPOCH + TimeDelta::seconds(changed_after),
            detail: Json(serde_json::from_value(detail).expect("a detail")),
            items: Items(serde_json::from_value(items).expect("items")),
        }
    }

    #[test]
    fn of_earlier_versions_only_what_never_changed_is_its_providers() {
        let row = earlier(0).restored();
        let given = row.items.0[0].as_given().expect("nobody changed it");
        assert_eq!((given.provider(), given.url().as_str()), (ProviderId(7), "https://a.example/1"));
        let row = earlier(1).restored();
        assert_eq!(row.items.0[0].as_given(), None, "it may have been edited");
        // It stays the same when the set is written again.
        let row = SetRow { detail: Json(row.detail()), ..earlier(0) }.restored();
        assert_eq!(row.items.0[0].as_given(), None);
    }

    fn set() -> ResultSet {
        let at = Instant::UNIX_EPOCH + TimeDelta::microseconds(1_767_323_045_000_006);
        let provider = "Rivers".to_owned();
        let set = result_set(7).named(&provider).item(item("one").id(1)).build();
        let fault = ProviderError { code: "unavailable".to_owned(), message: "it is \"down\"".to_owned() };
        ResultSet {
            status: ProviderStatus::Partial,
            error: Some(fault),
            query_processors: vec!["A".to_owned()],
            result_processors: vec!["B".to_owned(), "C".to_owned()],
            query_string_to_provider: "river".to_owned(),
            query_to_provider: "https://a.example/?q=river".to_owned(),
            notices: vec![
                Notice::new(at, NoticeKind::RerunRequested),
                Notice::new(at, NoticeKind::Retrieved { retrieved: 1, found: 40, provider }),
            ],
            ..set
        }
    }

    fn row(detail: &Value) -> SetRow {
        SetRow { detail: Json(serde_json::from_value(detail.clone()).expect("a detail")), ..earlier(0) }
    }

    #[test]
    fn a_new_detail_is_read_and_written_back_unchanged() {
        let set = set();
        let text = new_detail(&set).expect("json");
        let detail: Detail = serde_json::from_str(text.as_str()).expect("a detail");
        assert_eq!(serde_json::to_string(&detail).expect("json"), text.as_str());
        let read = ResultSet::from(SetRow { detail: Json(detail), ..earlier(0) });
        assert_eq!((read.notices, read.error), (set.notices, set.error));
        assert_eq!((read.provider_name, read.status), (set.provider_name, set.status));
        assert_eq!(
            (read.query_processors, read.result_processors),
            (set.query_processors, set.result_processors)
        );
        assert_eq!(read.status, ProviderStatus::Partial);
        assert_eq!(read.query_string_to_provider, set.query_string_to_provider);
        assert_eq!(read.query_to_provider, set.query_to_provider);
    }

    #[test]
    fn details_of_other_versions_have_their_lines() {
        let set = set();
        let current: Value = serde_json::from_str(new_detail(&set).expect("json").as_str()).expect("json");
        let lines = notice::lines(&set.notices);
        assert_eq!(current["messages"], json!(lines), "earlier versions read nothing else");
        // Of an earlier version; of a later one; changed by an earlier one, which keeps no facts or those from before.
        let with = |field: &str, value: Value| {
            let mut detail = current.clone();
            detail[field] = value;
            detail
        };
        let mut without = current.clone();
        without.as_object_mut().expect("an object").shift_remove("notices");
        let later = with("notices", json!([{"at": 1, "kind": {"Invented": {"later": 1}}}]));
        let one = "[2026-01-02 03:04:05.000007] of another version".to_owned();
        let appended: Vec<String> = lines.iter().cloned().chain([one]).collect();
        let cases = [
            (without, &lines),
            (later, &lines),
            (with("notices", json!([])), &lines),
            (with("messages", json!(appended)), &appended),
        ];
        for (detail, expected) in cases {
            let row = row(&detail);
            let shown = [ResultSet::from(SetRow { detail: Json(row.detail()), ..earlier(0) }).notices];
            for notices in shown.into_iter().chain([row.saved(ResultItem::default()).notices]) {
                assert_eq!(&notice::lines(&notices), expected, "{detail}");
                let is_text = |notice: &Notice| matches!(notice.kind, NoticeKind::Line { .. });
                assert!(notices.iter().all(is_text), "{notices:?}");
            }
        }
    }
}
