//! The ingest task: text, chunks, vectors. Each step is idempotent, because a task may run twice; the record is
//! written in one transaction.

use super::automatic::wants_renewal;
use super::embedding;
use super::error::IngestFailure;
use super::extension::extension;
use super::fetch::{Fetched, fetch_text, load_provider};
use super::job::{ATTEMPTS_MAX, IngestJob, ProviderResult, line, retrieval};
use super::limits::{SUPPLIED_WORDS_MIN, WORDS_MIN};
use super::prepare::{PreparedText, TextAnalysis, prepare};
use super::vectors::{VectorSyncError, are_indexed, sync_acl, sync_vectors};
use super::{records, source};
use crate::names::version_label;
use crate::{CacheParts, lineage, retention, word_search};
use bytes::Bytes;
use chrono::TimeDelta;
use domain::corpus::{IndexedContent, Signal, StoredChunk};
use domain::ids::{ProviderId, TaskId, UserId};
use domain::notice::{Notice, NoticeKind};
use domain::ports::{
    BodyError, BodyKey, Placement, Retrieval, SignalJoin, StoreError, TaskError, TaskErrorKind, VectorError,
    chain,
};
use domain::provider::SearchProvider;
use std::borrow::Cow;
use syntax::strip_html::readable_plain;

/// Most attempts to fetch a document from its source.
pub const TRIES_MAX: u32 = 3;
const MB: usize = 1024 * 1024;

/// Result of an ingest task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    In,
    Failed,
    /// Nobody wants it any more, or the license does not allow it.
    LeftOut,
}

/// Ingests one document. An error means: retry.
pub async fn run(
    parts: &CacheParts,
    job: &IngestJob,
    task: TaskId,
    attempt: u32,
) -> Result<Outcome, TaskError> {
    if !parts.license.opens_cache() {
        tracing::info!(
            signal.id = job.signal.0,
            "a document was skipped: the license does not include the cache"
        );
        return Ok(Outcome::LeftOut);
    }
    let failure = match ingest(parts, job, attempt).await {
        Ok(()) => return Ok(Outcome::In),
        Err(IngestFailure::Removed) => return Ok(Outcome::LeftOut),
        Err(failure @ IngestFailure::Passing { .. }) if attempt < ATTEMPTS_MAX => {
            return Err(TaskError::from_cause(TaskErrorKind::Unavailable, failure));
        }
        Err(failure @ IngestFailure::Again { .. }) if attempt < TRIES_MAX => {
            return Err(TaskError::from_cause(TaskErrorKind::Failed, failure));
        }
        Err(failure) => failure,
    };
    tracing::info!(signal.id = job.signal.0, "a document was not ingested: {}", chain(&failure));
    let reason = failure.to_string();
    let notice = Notice::new(parts.clock.now(), NoticeKind::IngestFailed { task, reason });
    match note_failure(parts, job, notice).await {
        Ok(()) | Err(StoreError::NotFound) => Ok(Outcome::Failed),
        Err(error) => Err(error.into()),
    }
}

/// Reports the failure to the person who asked; others may have the document by their own access.
async fn note_failure(parts: &CacheParts, job: &IngestJob, notice: Notice) -> Result<(), StoreError> {
    let id = parts.store.led_to(job.signal, job.user).await?.unwrap_or(job.signal);
    parts.store.note_failure(id, job.user, notice).await
}

async fn ingest(parts: &CacheParts, job: &IngestJob, attempt: u32) -> Result<(), IngestFailure> {
    let signal = records::requested(parts, job.signal, job.user).await?;
    let provider = load_provider(parts, job).await?;
    let fetched = fetch_text(parts, job, &signal, &provider).await?;
    let document = job.document();
    let source = source::attributed_to(&provider, &document, fetched.page.origin);
    let mut ingestion = Ingestion { parts, job, signal, provider, source, same: None };
    let text = ingestion.text(&fetched).await?;
    let model = embedding::model(parts).await?;
    ingestion.same = ingestion.with_this_text(&text.content_hash, fetched.is_supplied).await?;
    let found = ProviderResult { provider: &ingestion.provider, item: &document };
    let by = retrieval(parts, found, source, job.user, &text.content_hash);
    if let Some(same) = &ingestion.same
        && same.embedding_model == model
        && !wants_renewal(parts, same)
    {
        return ingestion.verify(same, &fetched.page.version, &by, attempt).await;
    }
    let content = ingestion.content(fetched, text, model).await?;
    ingestion.index(content, &by).await
}

/// An ingest in progress.
struct Ingestion<'e> {
    parts: &'e CacheParts,
    job: &'e IngestJob,
    /// The requested record, as loaded when the task started.
    signal: Signal,
    provider: SearchProvider,
    /// The provider that the text is attributed to, known after the fetch; None: it belongs to the person.
    source: Option<ProviderId>,
    /// The record that already has the fetched text.
    same: Option<Signal>,
}

impl Ingestion<'_> {
    /// The prepared text, if it may be cached.
    async fn text(&self, fetched: &Fetched) -> Result<PreparedText, IngestFailure> {
        let most = self.parts.settings.storage_max_body_mb;
        let text = prepare(fetched.page.text.clone()).await.ok_or_else(interrupted)?;
        let least = if fetched.is_supplied { SUPPLIED_WORDS_MIN } else { WORDS_MIN };
        if text.words < least {
            let why = format!("the document has only {} words; {least} are needed", text.words);
            return Err(IngestFailure::for_good(why));
        }
        if text.text.len() > most as usize * MB {
            return Err(BodyError::TooLarge(most).into());
        }
        Ok(text)
    }

    async fn followers(&self) -> Result<Vec<UserId>, StoreError> {
        match self.source {
            Some(_) => records::followers(self.parts, &self.signal, &self.provider).await,
            None => Ok(Vec::new()),
        }
    }

    /// A supplied text is looked up in the person's own record only.
    async fn with_this_text(&self, hash: &str, is_supplied: bool) -> Result<Option<Signal>, IngestFailure> {
        if is_supplied {
            let own = Some(&self.signal).filter(|own| own.is_supplied && own.content_hash == hash);
            return Ok(own.cloned());
        }
        Ok(records::with_text(self.parts, &self.signal, self.source, hash).await?)
    }

    /// The text is already cached, in the requested record or in another one.
    async fn verify(
        &self,
        same: &Signal,
        version: &str,
        by: &Retrieval,
        attempt: u32,
    ) -> Result<(), IngestFailure> {
        let (parts, id, now) = (self.parts, same.signal_id, self.parts.clock.now());
        if id == self.signal.signal_id {
            parts.store.verify_signal(id, version, by, now).await?;
        } else {
            let followers = self.followers().await?;
            let join = SignalJoin { from: self.signal.signal_id, into: id };
            let placed = parts.store.join_signal(join, version, by, &followers, now).await?;
            self.follow(placed).await?;
        }
        // A previous attempt may have ended between the record and its vectors.
        if attempt == 1 && are_indexed(parts, same).await? {
            sync_acl(parts, id).await?;
        } else {
            sync_vectors(parts, id).await?;
        }
        Ok(())
    }

    /// Updates storage and vectors of other affected records.
    async fn follow(&self, placed: Placement) -> Result<(), IngestFailure> {
        for other in placed.changed {
            sync_acl(self.parts, other).await?;
        }
        retention::forget(self.parts, placed.unneeded).await;
        Ok(())
    }

    /// A cached text keeps its title, whoever fetches it again. An unattributed document has the title of its page:
    /// others may get the same text, and must not learn what one person or another provider calls it. Some providers
    /// even repeat the query in their titles.
    fn title(&self, of_page: &str, is_supplied: bool) -> String {
        let there = readable_plain(self.same.as_ref().map_or("", |same| same.title.as_str()));
        let (of_page, of_record) = (readable_plain(of_page), readable_plain(&self.signal.title));
        let of_result = Cow::from(self.job.item.title.as_str());
        let titles = match self.source {
            None if !is_supplied => vec![there, of_page],
            _ => vec![there, of_result, of_page, of_record],
        };
        let title = titles.into_iter().map(|title| line(&title)).find(|title| !title.is_empty());
        title.unwrap_or_else(|| self.signal.url.clone())
    }

    /// The content to index; the text is already stored.
    async fn content(
        &self,
        fetched: Fetched,
        text: PreparedText,
        model: String,
    ) -> Result<IndexedContent, IngestFailure> {
        let (parts, signal) = (self.parts, &self.signal);
        let Fetched { page, is_supplied } = fetched;
        let title = self.title(&page.title, is_supplied);
        let PreparedText { text, content_hash, .. } = text;
        let analysis = TextAnalysis::analyze(text).await.ok_or_else(interrupted)?;
        let chunks = embedding::chunks(parts, &model, &title, analysis.pieces).await?;
        if chunks.is_empty() {
            let why = "the embedding model knows no word of the document";
            return Err(IngestFailure::for_good(why));
        }
        fits(parts, &chunks).await?;
        let size = u64::try_from(analysis.text.chars().count()).unwrap_or(u64::MAX);
        let body_key =
            BodyKey::of_hash(&content_hash).ok_or_else(|| IngestFailure::for_good("the text has no hash"))?;
        let body_bytes = parts.bodies.put(&body_key, Bytes::from(analysis.text)).await?;
        let kept = TimeDelta::days(i64::from(parts.settings.storage_expiration_days));
        Ok(IndexedContent {
            source_provider_id: self.source,
            source_provider: self.provider.spec.name.clone(),
            content_hash,
            simhash: analysis.simhash,
            external_version: page.version,
            version_label: version_label(&title, &signal.url),
            title,
            author: line(&readable_plain(&page.author)),
            ext: extension(&signal.url, &page.media_type),
            mime: page.media_type,
            size,
            file_bytes: page.file_bytes,
            language: analysis.language,
            is_supplied,
            embedding_model: model,
            body_key: Some(body_key),
            body_bytes,
            body_expires: Some(parts.clock.now() + kept),
            chunks,
            followers: self.followers().await?,
        })
    }

    async fn index(&self, content: IndexedContent, by: &Retrieval) -> Result<(), IngestFailure> {
        let (parts, asked) = (self.parts, self.signal.signal_id);
        let body = content.body_key.clone();
        let (pieces, hash) = (content.chunks.len(), content.content_hash.clone());
        let placed = match parts.store.index_signal(asked, content, by, parts.clock.now()).await {
            Ok(placed) => placed,
            Err(StoreError::NotFound) => {
                retention::forget(parts, body).await;
                return Err(IngestFailure::Removed);
            }
            Err(error) => return Err(error.into()),
        };
        let id = placed.signal_id;
        sync_vectors(parts, id).await?;
        self.follow(placed).await?;
        if let Err(error) = lineage::recompute(parts, id).await {
            tracing::warn!(
                signal.id = id.0,
                "the lineage of a document could not be computed: {}",
                chain(&error)
            );
        }
        let changed = id == asked && !self.signal.content_hash.is_empty() && self.signal.content_hash != hash;
        let what = if changed { "changed" } else { "is in the cache" };
        tracing::info!(signal.id = id.0, pieces, "document {id} {what}, in {pieces} pieces");
        Ok(())
    }
}

/// Vectors of another dimension would be refused only after the record is written. The collection is prepared for the
/// first document.
async fn fits(parts: &CacheParts, chunks: &[StoredChunk]) -> Result<(), IngestFailure> {
    let ours = chunks.first().map_or(0, |chunk| chunk.vector.len());
    match parts.vectors.state().await {
        Ok(state) => match state.dimension.filter(|there| *there != ours) {
            Some(there) => Err(VectorSyncError::from(VectorError::Dimension { there, ours }).into()),
            None if state.chunks == 0 => Ok(word_search::begin(parts, ours).await?),
            None => Ok(()),
        },
        Err(VectorError::Disabled) => Ok(()),
        Err(error) => Err(VectorSyncError::from(error).into()),
    }
}

fn interrupted() -> IngestFailure {
    IngestFailure::Again { message: "the text analysis was interrupted".to_owned(), source: None }
}
