//! What a notice says: facts, and their wording.

use crate::ids::{SearchId, TaskId};
use crate::status::SearchStatus;
use serde::{Deserialize, Serialize};
use std::fmt;
use syntax::dates::DATE_UNKNOWN;

/// Longest name of an unknown mixer that is repeated, in characters.
const MIXER_NAME_CHARS_MAX: usize = 100;
/// Names of sources in the line of a notice; the others are counted.
const NAMES_SHOWN_MAX: usize = 20;

/// A fact about a search. Stored: a new kind is unknown to earlier versions, which show its line instead.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum NoticeKind {
    /// Service and version; the first notice of every list.
    Banner {
        version: String,
    },
    /// A line of an earlier version.
    Line {
        line: String,
    },

    DateSortRequested,
    RerunRequested,
    UpdateRequested,
    /// A number of the request was above its limit.
    Clamped {
        field: String,
        given: u32,
        limit: u32,
    },
    NoProviders,
    UnknownProviders {
        names: Vec<String>,
    },
    /// Sources that the owner's preferences exclude.
    SourcesExcluded {
        names: Vec<String>,
    },
    /// Sources that were asked after those with more results in so many similar searches.
    SourcesAskedLater {
        names: Vec<String>,
        searches: usize,
    },
    RunFailed,
    SubscriptionWithoutOwner,
    SubscriptionFailed {
        status: SearchStatus,
    },

    QueryRewritten {
        processor: String,
        query: String,
    },
    ProviderQueryRewritten {
        processor: String,
        provider: String,
        query: String,
    },
    /// A query transform skipped the rest of its rules.
    TransformCut {
        transform: String,
    },
    ProcessorFailed {
        processor: String,
        reason: String,
    },
    /// What a processor changed, in the results of one provider or of all.
    Processed {
        processor: String,
        grouped: usize,
        updated: usize,
        deleted: usize,
        provider: Option<String>,
    },
    PipelineUnreadable,
    /// The embedding service did not respond.
    EmbedderReplaced {
        processor: String,
        reason: String,
    },

    Retrieved {
        retrieved: u64,
        found: u64,
        provider: String,
    },
    /// New results after an update.
    RetrievedNew {
        count: usize,
        provider: String,
    },
    /// An update exceeded the maximum number of results of a provider.
    KeptNewest {
        kept: usize,
        provider: String,
    },
    /// Results with little text got a part of their page.
    BodiesFilled {
        count: usize,
        provider: String,
    },
    ProviderFailed {
        provider: String,
        reason: String,
    },
    /// A failed attempt, followed by another one.
    ProviderRetried {
        provider: String,
        attempt: u32,
        reason: String,
    },
    ProviderTimedOut {
        provider: String,
        waited_s: f64,
    },
    ProviderSuspended {
        provider: String,
        reason: String,
    },
    /// A source that was to be asked after others, when no time was left.
    ProviderNotAsked {
        provider: String,
        reason: String,
    },
    /// A connector's remark on how it queried the source.
    ProviderRemark {
        remark: String,
    },
    /// Results are ranked last, because they contain what the query excludes.
    ExcludedWordsFound {
        count: usize,
        provider: String,
    },

    UnknownMixer {
        name: String,
        used: String,
    },
    /// Reported even for none, which shows that the list is complete.
    HidUndated {
        mixer: String,
        count: usize,
    },
    HidOld {
        mixer: String,
        count: usize,
    },
    NoNewResults {
        mixer: String,
    },
    /// Results that the owner's preferences hide.
    HidByPreferences {
        count: usize,
    },
    ResultsExhausted {
        search: SearchId,
    },
    MarkedRead {
        count: u64,
    },
    /// Notices of providers that a response has no place for.
    NoticesOmitted {
        count: usize,
    },
    /// The last notice of every mixed response.
    OrderedBy {
        mixer: String,
    },

    NoSummary {
        reason: String,
    },
    SummaryWarning {
        warning: String,
    },

    /// Why a person did not get the text of a document, and the task that failed.
    IngestFailed {
        task: TaskId,
        reason: String,
    },
}

impl NoticeKind {
    pub fn banner() -> Self {
        Self::Banner { version: crate::VERSION.to_owned() }
    }

    pub fn processor_failed(processor: &str, reason: impl Into<String>) -> Self {
        Self::ProcessorFailed { processor: processor.to_owned(), reason: reason.into() }
    }

    pub fn provider_failed(provider: &str, reason: impl Into<String>) -> Self {
        Self::ProviderFailed { provider: provider.to_owned(), reason: reason.into() }
    }

    pub fn provider_suspended(provider: &str, reason: impl Into<String>) -> Self {
        Self::ProviderSuspended { provider: provider.to_owned(), reason: reason.into() }
    }

    pub fn unknown_mixer(name: &str, used: &str) -> Self {
        Self::UnknownMixer { name: name.chars().take(MIXER_NAME_CHARS_MAX).collect(), used: used.to_owned() }
    }

    pub fn hid_undated(mixer: &str, count: usize) -> Self {
        Self::HidUndated { mixer: mixer.to_owned(), count }
    }

    pub fn hid_old(mixer: &str, count: usize) -> Self {
        Self::HidOld { mixer: mixer.to_owned(), count }
    }

    pub fn no_new_results(mixer: &str) -> Self {
        Self::NoNewResults { mixer: mixer.to_owned() }
    }

    /// Whether it explains that results, sources or the summary are missing.
    pub fn explains_absence(&self) -> bool {
        matches!(
            self,
            Self::NoProviders
                | Self::UnknownProviders { .. }
                | Self::SourcesExcluded { .. }
                | Self::RunFailed
                | Self::ProviderFailed { .. }
                | Self::ProviderRetried { .. }
                | Self::ProviderTimedOut { .. }
                | Self::ProviderSuspended { .. }
                | Self::ProviderNotAsked { .. }
                | Self::NoSummary { .. }
        )
    }

    /// Applies a change, such as masking secrets, to every text that may come from outside.
    pub fn change_texts(&mut self, mut change: impl FnMut(&mut String)) {
        match self {
            Self::QueryRewritten { query, .. } | Self::ProviderQueryRewritten { query, .. } => change(query),
            Self::ProcessorFailed { reason, .. }
            | Self::EmbedderReplaced { reason, .. }
            | Self::ProviderFailed { reason, .. }
            | Self::ProviderRetried { reason, .. }
            | Self::ProviderSuspended { reason, .. }
            | Self::ProviderNotAsked { reason, .. }
            | Self::NoSummary { reason }
            | Self::IngestFailed { reason, .. } => change(reason),
            Self::Line { line } => change(line),
            Self::ProviderRemark { remark } => change(remark),
            Self::SummaryWarning { warning } => change(warning),
            Self::UnknownProviders { names } | Self::SourcesExcluded { names } => {
                names.iter_mut().for_each(change);
            }
            Self::UnknownMixer { name, .. } => change(name),
            Self::Banner { .. }
            | Self::DateSortRequested
            | Self::RerunRequested
            | Self::UpdateRequested
            | Self::Clamped { .. }
            | Self::NoProviders
            | Self::SourcesAskedLater { .. }
            | Self::RunFailed
            | Self::SubscriptionWithoutOwner
            | Self::SubscriptionFailed { .. }
            | Self::TransformCut { .. }
            | Self::Processed { .. }
            | Self::PipelineUnreadable
            | Self::Retrieved { .. }
            | Self::RetrievedNew { .. }
            | Self::KeptNewest { .. }
            | Self::BodiesFilled { .. }
            | Self::ProviderTimedOut { .. }
            | Self::ExcludedWordsFound { .. }
            | Self::HidUndated { .. }
            | Self::HidOld { .. }
            | Self::NoNewResults { .. }
            | Self::HidByPreferences { .. }
            | Self::ResultsExhausted { .. }
            | Self::MarkedRead { .. }
            | Self::NoticesOmitted { .. }
            | Self::OrderedBy { .. } => {}
        }
    }
}

/// The wording of every notice, without its time.
impl fmt::Display for NoticeKind {
    #[expect(clippy::too_many_lines, reason = "a table: one kind after the other")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Banner { version } => write!(f, "{} {version}", crate::SERVICE_NAME),
            Self::Line { line } => f.write_str(line),
            Self::DateSortRequested => f.write_str("Requested sort_by_date from all providers"),
            Self::RerunRequested => f.write_str("Rerun requested"),
            Self::UpdateRequested => f.write_str("Update requested"),
            Self::Clamped { field, given, limit } => {
                write!(f, "{field} {given} is above the limit; {limit} is used")
            }
            Self::NoProviders => f.write_str(
                "No SearchProvider was queried: none is active, visible to you and selected. Check \
                 searchprovider_list, or activate a provider.",
            ),
            Self::UnknownProviders { names } => {
                write!(f, "No active provider, name or tag matches: {}", names.join(", "))
            }
            Self::SourcesExcluded { names } => {
                write!(f, "Not queried because of your preferences: {}", names.join(", "))
            }
            Self::SourcesAskedLater { names, searches } => {
                write!(f, "Asked after the sources with more results in {searches} similar searches: ")?;
                write_names(f, names)
            }
            Self::RunFailed => f.write_str(
                "The search could not be finished. The cause is in the server's log; run it again with rerun.",
            ),
            Self::SubscriptionWithoutOwner => {
                f.write_str("Subscriber disabled updates due to permission error")
            }
            Self::SubscriptionFailed { status } => {
                write!(f, "Subscriber disabled updates due to error {}", status.as_str())
            }
            Self::QueryRewritten { processor, query } => write!(f, "{processor} rewrote query to: {query}"),
            Self::ProviderQueryRewritten { processor, provider, query } => {
                write!(f, "{processor} rewrote {provider}'s query to: {query}")
            }
            Self::TransformCut { transform } => write!(
                f,
                "{transform} stopped at a limit: the query would have become too long; the rest of its rules was \
                 skipped"
            ),
            Self::ProcessorFailed { processor, reason } => {
                write!(f, "{processor} failed and was skipped: {reason}")
            }
            Self::Processed { processor, grouped, updated, deleted, provider } => {
                write!(f, "{processor} ")?;
                write_outcome(f, *grouped, *updated, *deleted)?;
                provider.iter().try_for_each(|provider| write!(f, " from: {provider}"))
            }
            Self::PipelineUnreadable => {
                f.write_str("The post-result pipeline could not be read; the default processors are used")
            }
            Self::EmbedderReplaced { processor, reason } => {
                write!(f, "{processor} used the built-in reader model: {reason}")
            }
            Self::Retrieved { retrieved, found, provider } => {
                write!(f, "Retrieved {retrieved} of {found} results from: {provider}")
            }
            Self::RetrievedNew { count, provider } => {
                write!(f, "Retrieved {count} new results from: {provider}")
            }
            Self::KeptNewest { kept, provider } => {
                write!(f, "Kept the newest {kept} results from: {provider}")
            }
            Self::BodiesFilled { count, provider } => {
                write!(f, "Filled the body of {count} results from their pages from: {provider}")
            }
            Self::ProviderFailed { provider, reason } => write!(f, "Error: {provider}: {reason}"),
            Self::ProviderRetried { provider, attempt, reason } => {
                write!(f, "Error: {provider}: attempt {attempt} failed: {reason}")
            }
            Self::ProviderTimedOut { provider, waited_s } => write!(
                f,
                "Timeout: {provider} did not answer within {waited_s:.1} s; the results are partial"
            ),
            Self::ProviderSuspended { provider, reason } => {
                write!(f, "Suspended: {provider} was not queried: {reason}")
            }
            Self::ProviderNotAsked { provider, reason } => {
                write!(f, "Not asked: {provider}: {reason}")
            }
            Self::ProviderRemark { remark } => f.write_str(remark),
            Self::ExcludedWordsFound { count, provider } => write!(
                f,
                "Found a word that the query excludes in {count} results from: {provider}; it may not support NOT"
            ),
            Self::UnknownMixer { name, used } => write!(f, "Unknown mixer '{name}'; {used} is used"),
            Self::HidUndated { mixer, count } => {
                write!(f, "{mixer} hid {count} results with date_published='{DATE_UNKNOWN}'")
            }
            Self::HidOld { mixer, count } => write!(f, "{mixer} hid {count} old results"),
            Self::NoNewResults { mixer } => write!(f, "{mixer} found 0 new results"),
            Self::HidByPreferences { count: 1 } => f.write_str("Your preferences hid 1 result"),
            Self::HidByPreferences { count } => write!(f, "Your preferences hid {count} results"),
            Self::ResultsExhausted { search } => write!(f, "Results exhausted for {search}"),
            Self::MarkedRead { count } => write!(f, "marked {count} results as read"),
            Self::NoticesOmitted { count } => write!(
                f,
                "Omitted {count} messages of sources; the filter_url of a source shows those of that source"
            ),
            Self::OrderedBy { mixer } => write!(f, "Results ordered by: {mixer}"),
            Self::NoSummary { reason } => write!(f, "No AI summary: {reason}"),
            Self::SummaryWarning { warning } => f.write_str(warning),
            Self::IngestFailed { reason, .. } => f.write_str(reason),
        }
    }
}

/// The first names, and the number of the others.
fn write_names(f: &mut fmt::Formatter<'_>, names: &[String]) -> fmt::Result {
    let shown = &names[..names.len().min(NAMES_SHOWN_MAX)];
    f.write_str(&shown.join(", "))?;
    match names.len() - shown.len() {
        0 => Ok(()),
        others => write!(f, " and {others} more"),
    }
}

fn write_outcome(f: &mut fmt::Formatter<'_>, grouped: usize, updated: usize, deleted: usize) -> fmt::Result {
    let duplicates = if grouped == 1 { "duplicate" } else { "duplicates" };
    match (grouped, updated) {
        (0, 0) => write!(f, "deleted {deleted} results"),
        (0, _) if deleted > 0 => write!(f, "deleted {deleted} results"),
        (0, _) => write!(f, "updated {updated} results"),
        (_, 0) => write!(f, "grouped {grouped} {duplicates}"),
        _ => write!(f, "updated {updated} results and grouped {grouped} {duplicates}"),
    }
}
