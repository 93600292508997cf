//! The way of a document into the cache: its text, its pieces, their vectors. Each step may be done twice, because a task
//! may run twice; the record is written as one, so that a document is in or out.

use super::automatic::wants_renewal;
use super::embedding;
use super::errand::{ATTEMPTS_MAX, Errand, line, retrieval};
use super::extension::extension;
use super::fetched::{Fetched, fetched, provider};
use super::miss::Miss;
use super::reading::{Prepared, Reading, prepared};
use super::vectors::{FollowError, are_held, put_acl, put_vectors};
use super::{SUPPLIED_WORDS_MIN, WORDS_MIN};
use super::{records, source};
use crate::{CacheParts, lineage, retention};
use bytes::Bytes;
use chrono::TimeDelta;
use domain::contracts::{BodyError, BodyKey, Placed, Retrieval, StoreError, TaskError, VectorError};
use domain::corpus::{IndexedContent, Signal, StoredChunk};
use domain::ids::{ProviderId, UserId};
use domain::message;
use domain::provider::SearchProvider;

/// So often a source is asked for a document.
pub const TRIES_MAX: u32 = 3;
const MB: usize = 1024 * 1024;

/// What became of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    In,
    Failed,
    /// Nobody wants it any more, or the license says no.
    LeftOut,
}

/// One document. An error means: try again.
pub async fn run(parts: &CacheParts, errand: &Errand, attempt: u32) -> Result<Outcome, TaskError> {
    if !parts.license.opens_cache() {
        tracing::info!(
            signal.id = errand.signal.0,
            "a document was left out: the license does not open the cache"
        );
        return Ok(Outcome::LeftOut);
    }
    let why = match ingest(parts, errand, attempt).await {
        Ok(()) => return Ok(Outcome::In),
        Err(Miss::Removed) => return Ok(Outcome::LeftOut),
        Err(Miss::Passing(why)) if attempt < ATTEMPTS_MAX => return Err(TaskError(why)),
        Err(Miss::Again(why)) if attempt < TRIES_MAX => return Err(TaskError(why)),
        Err(Miss::Passing(why) | Miss::Again(why) | Miss::Final(why)) => why,
    };
    tracing::info!(signal.id = errand.signal.0, "a document did not come into the cache: {why}");
    let now = parts.clock.now();
    match note_failure(parts, errand, message::at(now, &why)).await {
        Ok(()) | Err(StoreError::NotFound) => Ok(Outcome::Failed),
        Err(error) => Err(TaskError(error.to_string())),
    }
}

/// The person who asked is told; others may have the document by their own rights.
async fn note_failure(parts: &CacheParts, errand: &Errand, message: String) -> Result<(), StoreError> {
    let id = parts.store.led_to(errand.signal, errand.user).await?.unwrap_or(errand.signal);
    parts.store.note_failure(id, errand.user, message).await
}

async fn ingest(parts: &CacheParts, errand: &Errand, attempt: u32) -> Result<(), Miss> {
    let signal = records::requested(parts, errand.signal, errand.user).await?;
    let provider = provider(parts, errand).await?;
    let fetched = fetched(parts, errand, &signal, &provider).await?;
    let document = errand.document();
    let source = source::attributed_to(&provider, &document, fetched.page.origin);
    let mut entry = Entry { parts, errand, signal, provider, source, same: None };
    let text = entry.text(&fetched).await?;
    let model = embedding::model(parts).await?;
    entry.same = entry.with_this_text(&text.content_hash, fetched.is_supplied).await?;
    let by = retrieval(parts, (&entry.provider, &document), source, (errand.user, &text.content_hash));
    if let Some(same) = &entry.same
        && same.embedding_model == model
        && !wants_renewal(parts, same)
    {
        return entry.verify(same, &fetched.page.version, &by, attempt).await;
    }
    let content = entry.content(fetched, text, model).await?;
    entry.index(content, &by).await
}

/// A document on its way.
struct Entry<'e> {
    parts: &'e CacheParts,
    errand: &'e Errand,
    /// What was asked for, as it was when the task began.
    signal: Signal,
    provider: SearchProvider,
    /// The provider that the text is attributed to, which is known when the text has come; None: it belongs to the person.
    source: Option<ProviderId>,
    /// The record that has the text which came.
    same: Option<Signal>,
}

impl Entry<'_> {
    /// The text in its form, when it is one that may be kept.
    async fn text(&self, fetched: &Fetched) -> Result<Prepared, Miss> {
        let most = self.parts.settings.storage_max_body_mb;
        let text = prepared(fetched.page.text.clone()).await.ok_or_else(broken_off)?;
        let least = if fetched.is_supplied { SUPPLIED_WORDS_MIN } else { WORDS_MIN };
        if text.words < least {
            let why = format!("the document has only {} words; {least} are needed", text.words);
            return Err(Miss::Final(why));
        }
        if text.text.len() > most as usize * MB {
            return Err(Miss::Final(BodyError::TooLarge(most).to_string()));
        }
        Ok(text)
    }

    async fn followers(&self) -> Result<Vec<UserId>, StoreError> {
        match self.source {
            Some(_) => records::followers(self.parts, &self.signal, &self.provider).await,
            None => Ok(Vec::new()),
        }
    }

    /// A supplied text is looked for in the person's own record alone.
    async fn with_this_text(&self, hash: &str, is_supplied: bool) -> Result<Option<Signal>, Miss> {
        if is_supplied {
            let own = Some(&self.signal).filter(|own| own.is_supplied && own.content_hash == hash);
            return Ok(own.cloned());
        }
        Ok(records::with_text(self.parts, &self.signal, self.source, hash).await?)
    }

    /// The text is in the cache already, in the record that was asked for or in another one.
    async fn verify(&self, same: &Signal, version: &str, by: &Retrieval, attempt: u32) -> Result<(), Miss> {
        let (parts, id, now) = (self.parts, same.signal_id, self.parts.clock.now());
        if id == self.signal.signal_id {
            parts.store.verify_signal(id, version, by, now).await?;
        } else {
            let followers = self.followers().await?;
            let pair = (self.signal.signal_id, id);
            let placed = parts.store.join_signal(pair, version, by, &followers, now).await?;
            self.follow(placed).await?;
        }
        // An earlier try may have ended between the record and its vectors.
        if attempt == 1 && are_held(parts, same).await? {
            put_acl(parts, id).await?;
        } else {
            put_vectors(parts, id).await?;
        }
        Ok(())
    }

    /// Storage and vectors of other records follow what has become of them.
    async fn follow(&self, placed: Placed) -> Result<(), Miss> {
        for other in placed.changed {
            put_acl(self.parts, other).await?;
        }
        retention::forget(self.parts, placed.unneeded).await;
        Ok(())
    }

    /// A text that is here keeps its title, whoever brings it again. What is attributed to nobody is called as its page
    /// calls itself: others may be given the same text, and what one person or another provider calls it is not theirs to
    /// know. Some providers even repeat the words of a query in their titles.
    fn title(&self, of_page: &str, is_supplied: bool) -> String {
        let there = self.same.as_ref().map_or("", |same| same.title.as_str());
        let (of_result, of_record) = (self.errand.item.title.as_str(), self.signal.title.as_str());
        let titles = match self.source {
            None if !is_supplied => vec![there, of_page],
            _ => vec![there, of_result, of_page, of_record],
        };
        let title = titles.into_iter().map(line).find(|title| !title.is_empty());
        title.unwrap_or_else(|| self.signal.url.clone())
    }

    /// Everything that is written of the document; its text lies in the storage already.
    async fn content(&self, fetched: Fetched, text: Prepared, model: String) -> Result<IndexedContent, Miss> {
        let (parts, signal) = (self.parts, &self.signal);
        let Fetched { page, is_supplied } = fetched;
        let title = self.title(&page.title, is_supplied);
        let Prepared { text, content_hash, .. } = text;
        let reading = Reading::of(text).await.ok_or_else(broken_off)?;
        let chunks = embedding::chunks(parts, &model, &title, reading.pieces).await?;
        if chunks.is_empty() {
            let why = "the reader model knows no word of the document";
            return Err(Miss::Final(why.to_owned()));
        }
        fits(parts, &chunks).await?;
        let size = u64::try_from(reading.text.chars().count()).unwrap_or(u64::MAX);
        let body_key =
            BodyKey::of_hash(&content_hash).ok_or_else(|| Miss::Final("the text has no hash".to_owned()))?;
        let body_bytes = parts.bodies.put(&body_key, Bytes::from(reading.text)).await?;
        let kept = TimeDelta::days(i64::from(parts.settings.storage_expiration_days));
        Ok(IndexedContent {
            source_provider_id: self.source,
            source_provider: self.provider.spec.name.clone(),
            content_hash,
            simhash: reading.simhash,
            external_version: page.version,
            version_label: lineage::label(&title, &signal.url),
            title,
            author: line(&page.author),
            ext: extension(&signal.url, &page.media_type),
            mime: page.media_type,
            size,
            file_bytes: page.file_bytes,
            language: reading.language,
            is_supplied,
            embedding_model: model,
            body_key: Some(body_key),
            body_bytes,
            body_expires: Some(parts.clock.now() + kept),
            chunks,
            followers: self.followers().await?,
        })
    }

    async fn index(&self, content: IndexedContent, by: &Retrieval) -> Result<(), Miss> {
        let (parts, asked) = (self.parts, self.signal.signal_id);
        let body = content.body_key.clone();
        let (pieces, hash) = (content.chunks.len(), content.content_hash.clone());
        let placed = match parts.store.index_signal(asked, content, by, parts.clock.now()).await {
            Ok(placed) => placed,
            Err(StoreError::NotFound) => {
                retention::forget(parts, body).await;
                return Err(Miss::Removed);
            }
            Err(error) => return Err(error.into()),
        };
        let id = placed.signal_id;
        put_vectors(parts, id).await?;
        self.follow(placed).await?;
        if let Err(error) = lineage::recompute(parts, id).await {
            tracing::warn!(signal.id = id.0, "the versions of a document were not found: {error}");
        }
        let changed = id == asked && !self.signal.content_hash.is_empty() && self.signal.content_hash != hash;
        let what = if changed { "changed" } else { "is in the cache" };
        tracing::info!(signal.id = id.0, pieces, "document {id} {what}, in {pieces} pieces");
        Ok(())
    }
}

/// Vectors of another length than those that are there would be refused when the record is written already.
async fn fits(parts: &CacheParts, chunks: &[StoredChunk]) -> Result<(), Miss> {
    let ours = chunks.first().map_or(0, |chunk| chunk.vector.len());
    match parts.vectors.state().await {
        Ok(state) => match state.dimension.filter(|there| *there != ours) {
            Some(there) => Err(FollowError::from(VectorError::Dimension { there, ours }).into()),
            None => Ok(()),
        },
        Err(VectorError::Disabled) => Ok(()),
        Err(error) => Err(FollowError::from(error).into()),
    }
}

fn broken_off() -> Miss {
    Miss::Again("the reading was broken off".to_owned())
}
