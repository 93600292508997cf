//! `list_versions`: the versions of a document behind a result, and which one is elected.

use super::definition::{Row, ToolCall};
use crate::error::ToolError;
use crate::markdown::{cut, inline, link, one_line};
use crate::schema;
use crate::tool_context::{ToolContext, ToolOutput, arguments};
use crate::views::TITLE_CHARS_MAX;
use async_trait::async_trait;
use domain::corpus::{CacheStatus, ClusterMember};
use domain::result::SavedResult;
use rmcp::model::JsonObject;
use rmcp::schemars;
use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Write;
use syntax::highlights::plain;

pub(crate) const ROW: Row = Row {
    name: "list_versions",
    aliases: &[],
    title: "List versions",
    description: "The versions of the document behind one of your own results from the cache, given by search_id and \
        swirl_id: which one is elected, and whether a person or an election decided.",
    is_read_only: true,
    is_open_world: false,
    input: schema::of::<Arguments>,
    output: schema::of::<VersionsView>,
    tool: &ListVersions,
};

/// Maximum number of versions listed.
const VERSIONS_MAX: usize = 50;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The search that found it.
    search_id: i64,
    /// The result, as returned by search and get_search_results.
    swirl_id: i64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct VersionsView {
    /// The document behind the result.
    signal_id: i64,
    /// Pinned, Auto-selected, Cached or Alternate.
    badge: String,
    /// pin or election; absent while undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    decided_by: Option<String>,
    /// The election, or the approved one behind a pin.
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<i64>,
    /// Number of versions that you may see, including those not listed.
    total: usize,
    /// The elected version first.
    versions: Vec<VersionView>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct VersionView {
    /// Identifies the document in pin_for_query.
    signal_id: i64,
    title: String,
    url: String,
    /// Such as v2 or final; may be empty.
    version_label: String,
    date: String,
    /// It is the elected version.
    counts: bool,
}

struct ListVersions;

#[async_trait]
impl ToolCall for ListVersions {
    async fn call(&self, context: &ToolContext<'_>, given: JsonObject) -> Result<ToolOutput, ToolError> {
        let given: Arguments = arguments(given)?;
        let saved = context.own_result(given.search_id, given.swirl_id).await?;
        let Some(mark) = saved.item.cache.as_deref() else {
            return Err(ToolError::new(
                "This result is not from the cache; only documents of the cache have versions.",
                "Pick a result of the cache, or search there with providers.",
            ));
        };
        let view = VersionsView::of(mark, &saved);
        ToolOutput::new(&view, view.markdown())
    }
}

impl VersionsView {
    fn of(mark: &CacheStatus, saved: &SavedResult) -> Self {
        let winner = mark.cluster.as_ref().and_then(|cluster| cluster.winner_signal_id);
        let versions: Vec<VersionView> = match &mark.cluster {
            Some(cluster) => cluster
                .members
                .iter()
                .take(VERSIONS_MAX)
                .map(|member| VersionView::of(member, winner == Some(member.signal_id)))
                .collect(),
            None => vec![VersionView {
                signal_id: mark.signal_id.0,
                title: shown(&plain(&saved.item.title)),
                url: saved.item.url.clone(),
                version_label: String::new(),
                date: saved.item.date_published.clone(),
                counts: true,
            }],
        };
        let badge = serde_json::to_value(mark.badge).ok();
        Self {
            signal_id: mark.signal_id.0,
            badge: badge.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned(),
            decided_by: mark
                .cluster
                .as_ref()
                .and_then(|cluster| cluster.decided_by)
                .map(|by| by.as_str().to_owned()),
            run_id: mark.run_id.map(|run| run.0),
            total: mark.cluster.as_ref().map_or(1, |cluster| cluster.members.len()),
            versions,
        }
    }

    fn markdown(&self) -> String {
        let by = self.decided_by.as_deref().map(|by| format!(", by {by}")).unwrap_or_default();
        let mut out =
            format!("**{} of {} versions** ({}{by})\n\n", self.versions.len(), self.total, self.badge);
        for version in &self.versions {
            let title = link(&version.title, &version.url, TITLE_CHARS_MAX);
            let label = inline(&version.version_label, TITLE_CHARS_MAX);
            let counts = if version.counts { ", counts" } else { "" };
            let date = version.date.split(' ').next().unwrap_or_default();
            let date = inline(date, TITLE_CHARS_MAX);
            let _ = writeln!(out, "- {title} {label} ({date}, signal_id {}{counts})", version.signal_id);
        }
        out
    }
}

impl VersionView {
    fn of(member: &ClusterMember, counts: bool) -> Self {
        Self {
            signal_id: member.signal_id.0,
            title: shown(&member.title),
            url: member.url.clone(),
            version_label: member.version_label.clone(),
            date: member.date.clone(),
            counts,
        }
    }
}

fn shown(title: &str) -> String {
    cut(&one_line(title), TITLE_CHARS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::corpus::{Badge, ClusterMark, DecidedBy, Liveness, MemberRole, SignalState};
    use domain::ids::{ProviderId, RunId, SearchId, SignalId};
    use domain::result::ResultItem;

    fn saved(members: i64) -> SavedResult {
        let member = |id: i64| ClusterMember {
            signal_id: SignalId(id),
            title: format!("*Terms* [v{id}](http://evil.example)"),
            url: format!("https://t.example/{id}"),
            version_label: format!("v{id}"),
            date: "2024-03-05 00:00:00".to_owned(),
        };
        let cluster = ClusterMark {
            key: SignalId(1),
            size: 2,
            role: Some(MemberRole::Alternate),
            winner_signal_id: Some(SignalId(1)),
            decided_by: Some(DecidedBy::Election),
            members: (1..=members).map(member).collect(),
        };
        let mark = CacheStatus {
            signal_id: SignalId(2),
            state: SignalState::Indexed,
            badge: Badge::Alternate,
            cluster: (members > 0).then_some(cluster),
            run_id: Some(RunId(9)),
            last_verified: None,
            liveness: Liveness::Unknown,
            stale: false,
            shared_externally: false,
            matter_tags: Vec::new(),
        };
        let item = ResultItem {
            title: "Terms".to_owned(),
            url: "https://t.example/2".to_owned(),
            cache: Some(Box::new(mark)),
            ..ResultItem::default()
        };
        let now = domain::instant::Instant::default();
        let (search, provider, notices) = (SearchId(1), ProviderId(1), Vec::new());
        SavedResult { search, provider, notices, item, date_created: now, date_updated: now, version: 1 }
    }

    fn view(members: i64) -> VersionsView {
        let saved = saved(members);
        VersionsView::of(saved.item.cache.as_deref().expect("a mark"), &saved)
    }

    #[test]
    fn the_one_that_counts_is_named() {
        let view = view(3);
        assert_eq!((view.badge.as_str(), view.decided_by.as_deref()), ("Alternate", Some("election")));
        assert_eq!((view.signal_id, view.run_id, view.total), (2, Some(9), 3));
        let counting: Vec<i64> =
            view.versions.iter().filter(|one| one.counts).map(|one| one.signal_id).collect();
        assert_eq!(counting, [1]);
        let text = view.markdown();
        assert!(
            text.contains("signal_id 1, counts") && !text.replace("\\]", "").contains("](http://evil"),
            "{text}"
        );
    }

    #[test]
    fn a_document_without_versions_is_its_own() {
        let view = view(0);
        assert_eq!((view.total, view.versions.len(), view.versions[0].signal_id), (1, 1, 2));
        assert!(view.versions[0].counts && view.decided_by.is_none());
    }

    #[test]
    fn so_many_are_listed_and_no_more() {
        let most = i64::try_from(VERSIONS_MAX).expect("a small number");
        for (members, listed) in [(most, VERSIONS_MAX), (most + 1, VERSIONS_MAX)] {
            let view = view(members);
            assert_eq!(view.versions.len(), listed);
            assert_eq!(view.total, usize::try_from(members).expect("a count"));
        }
    }
}
