//! The payload of an ingest task: which document, with whose credentials, and the text if it is already stored.

use super::limits::MATTER_TAGS_MAX;
use super::{external_id, source};
use crate::CacheParts;
use domain::corpus::{DocumentAddress, MatterTag, NewSignal, Origin, SourceKind};
use domain::ids::{ProviderId, SignalId, TaskId, UserId};
use domain::ports::{ByteOrigin, NewTask, PageText, QueueError, QueueName, Retrieval, StoreError, TaskState};
use domain::provenance::SourcePage;
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use serde::{Deserialize, Serialize};

pub const TASK: &str = "ingest_document";
/// A document is retried after each crash of its worker; so many crashes are no accident.
pub const ATTEMPTS_MAX: u32 = 100;
/// Most unfinished tasks of a person among which the same one is looked for.
const UNFINISHED_MAX: u64 = 1_000;
/// Longest title and author, in characters.
const LINE_CHARS_MAX: usize = 500;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct IngestJob {
    pub signal: SignalId,
    pub user: UserId,
    /// None: fetched anonymously.
    pub provider: Option<ProviderId>,
    /// The document to fetch.
    pub item: ResultItem,
    /// The provider returned the document. Missing in tasks of earlier versions, which are not trusted.
    #[serde(default)]
    pub is_given: bool,
    /// A person requested it, so it is fetched whatever the provider's page setting is.
    pub is_asked_for: bool,
    /// The text is already in the body storage.
    #[serde(default)]
    pub held: Option<StoredText>,
}

/// A text fetched or supplied before the task, with the properties of its page.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StoredText {
    pub content_hash: String,
    pub title: String,
    pub author: String,
    pub media_type: String,
    pub version: String,
    #[serde(default)]
    pub file_bytes: u64,
    /// Supplied by the person, not fetched.
    pub is_supplied: bool,
    /// Fetched from the provider's own origin. Missing in tasks of earlier versions, which are not trusted.
    #[serde(default)]
    pub is_of_own_origin: bool,
}

impl StoredText {
    pub fn origin(&self) -> ByteOrigin {
        if self.is_of_own_origin { ByteOrigin::Own } else { ByteOrigin::Other }
    }

    /// A fetched page whose text is stored.
    pub fn of_page(page: &PageText, content_hash: String) -> Self {
        Self {
            content_hash,
            title: page.title.clone(),
            author: page.author.clone(),
            media_type: page.media_type.clone(),
            version: page.version.clone(),
            file_bytes: page.file_bytes,
            is_supplied: false,
            is_of_own_origin: page.origin == ByteOrigin::Own,
        }
    }
}

impl IngestJob {
    pub fn of(signal: SignalId, user: UserId, provider: &SearchProvider, item: &ResultItem) -> Self {
        let given = item.as_given().and_then(|given| SourcePage::of(provider, given));
        let given = given.map(|page| page.item().to_result());
        Self {
            signal,
            user,
            provider: source::id_of(provider),
            item: external_id::trimmed(provider, given.as_ref().unwrap_or(item)),
            is_given: given.is_some(),
            is_asked_for: false,
            held: None,
        }
    }

    /// The document to fetch, with its provenance, which is not serialized with a result.
    pub fn document(&self) -> ResultItem {
        let mut item = self.item.clone();
        if let Some(provider) = self.provider.filter(|_| self.is_given) {
            item.mark_as_given(provider);
        }
        item
    }

    /// Queues the task, unless the same one is waiting: while a document cannot be fetched or indexed, repeated requests
    /// would otherwise fill the queue. One that is running may have read what this request would change.
    pub async fn push(&self, parts: &CacheParts) -> Result<TaskId, QueueError> {
        if let Some(task) = self.waiting(parts).await? {
            return Ok(task);
        }
        let task = NewTask {
            queue: QueueName::Corpus,
            name: TASK.to_owned(),
            payload: serde_json::json!(self),
            attempts_max: ATTEMPTS_MAX,
            owner: Some(self.user),
        };
        parts.queue.push(task.of_current_request()).await
    }

    async fn waiting(&self, parts: &CacheParts) -> Result<Option<TaskId>, StoreError> {
        let tasks =
            parts.store.unfinished_tasks_of(TASK, self.user, UNFINISHED_MAX, parts.clock.now()).await?;
        let same = tasks.into_iter().find(|task| {
            task.state == TaskState::Waiting
                && Self::deserialize(&task.payload).is_ok_and(|job| job.does_as_much_as(self))
        });
        Ok(same.map(|task| task.id))
    }

    /// Whether this job makes another one of the same person unnecessary.
    fn does_as_much_as(&self, other: &Self) -> bool {
        let text = |job: &Self| job.held.as_ref().map(|text| text.content_hash.clone());
        (self.signal, self.provider, self.is_given) == (other.signal, other.provider, other.is_given)
            && self.item.url == other.item.url
            && (self.is_asked_for || !other.is_asked_for)
            && text(self) == text(other)
    }
}

/// A result and the provider that returned it.
#[derive(Clone, Copy)]
pub struct ProviderResult<'a> {
    pub provider: &'a SearchProvider,
    pub item: &'a ResultItem,
}

/// What is known of a document before its text is ingested. `source` is the provider that it is attributed to.
pub fn new_signal(
    parts: &CacheParts,
    address: DocumentAddress,
    document: ProviderResult<'_>,
    source: Option<ProviderId>,
    origin: Origin,
    matter_tags: Vec<MatterTag>,
) -> NewSignal {
    let ProviderResult { provider, item } = document;
    NewSignal {
        address,
        source_provider_id: source,
        source_provider: source.map(|_| provider.spec.name.clone()).unwrap_or_default(),
        source_kind: source.map_or(SourceKind::Web, |_| source::source_kind(provider, &parts.plugins)),
        external_id: external_id::external_id(provider, item),
        title: line(&item.title),
        author: line(&item.author),
        date_published: if item.date_published.is_empty() {
            "unknown".to_owned()
        } else {
            line(&item.date_published)
        },
        origin,
        matter_tags: stored_tags(matter_tags),
        known: None,
        is_supplied: false,
    }
}

/// Whose credentials fetch a document attributed to `source`; `content_hash` is that of the fetched text.
pub fn retrieval(
    parts: &CacheParts,
    document: ProviderResult<'_>,
    source: Option<ProviderId>,
    user: UserId,
    content_hash: &str,
) -> Retrieval {
    let ProviderResult { provider, item } = document;
    let idp = parts.plugins.authenticator_of(provider).unwrap_or_default().to_owned();
    let account_provider_id = match source {
        Some(_) => None,
        None => source::target(&parts.plugins, provider, item).account_id(&parts.plugins),
    };
    Retrieval { user, idp, account_provider_id, content_hash: content_hash.to_owned() }
}

/// The tags as they are stored: each once, bounded.
fn stored_tags(tags: impl IntoIterator<Item = MatterTag>) -> Vec<String> {
    let mut stored: Vec<String> = Vec::new();
    for tag in tags {
        if stored.len() < MATTER_TAGS_MAX && !stored.iter().any(|one| one == tag.as_str()) {
            stored.push(tag.as_str().to_owned());
        }
    }
    stored
}

/// The matters named by the tags of a search.
pub fn matters_of_search(tags: &[String]) -> Vec<MatterTag> {
    tags.iter().filter_map(|tag| MatterTag::of_search_tag(tag)).collect()
}

/// One line of plain text, without highlight marks.
pub fn line(text: &str) -> String {
    let plain = syntax::highlights::plain(text);
    let words: Vec<&str> = plain.split_whitespace().collect();
    words.join(" ").chars().filter(|c| !c.is_control()).take(LINE_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_kept_once_and_bounded() {
        let given = ["matter:a", " a ", "b", "MATTER: b", "", "matter:"].map(str::to_owned);
        let parsed = given.iter().filter_map(|tag| MatterTag::parse(tag));
        assert_eq!(stored_tags(parsed), ["a", "b"]);
        assert_eq!(stored_tags(matters_of_search(&given)), ["a", "b"]);
        let many = (0..2 * MATTER_TAGS_MAX).filter_map(|number| MatterTag::parse(&number.to_string()));
        assert_eq!(stored_tags(many).len(), MATTER_TAGS_MAX);
    }

    #[test]
    fn titles_are_one_line() {
        assert_eq!(line("  The <em>river</em>\n rose\t"), "The river rose");
        assert_eq!(line(&"x".repeat(2 * LINE_CHARS_MAX)).len(), LINE_CHARS_MAX);
    }
}
