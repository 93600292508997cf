//! Vectors in a Qdrant server, by its REST interface: one point for each piece, with its vector, its words where the
//! collection is hybrid, and a payload that the access list is part of.

mod call;
mod wire;

use super::{HITS_MAX, allowed, dimension_of};
use async_trait::async_trait;
use call::{Refusal, Server};
use domain::contracts::{
    Asking, Fetch, HttpMethod, SignalVectors, SparseVector, VectorError, VectorHit, VectorState, VectorStore,
};
use domain::corpus::AclToken;
use domain::ids::SignalId;
use domain::secret::Secret;
use serde_json::{Value, json};
use std::sync::Arc;
use wire::{Collection, Counted, Found, Page, Point, Query};

/// The vector of a point, and its words.
const DENSE: &str = "dense";
const WORDS: &str = "words";
/// Points that are written at once, so that a request stays small.
const POINTS_MAX: usize = 100;
/// Documents that are removed at once.
const REMOVED_MAX: usize = 500;
/// Ids that are listed at once.
const LISTED_MAX: usize = 2_000;
/// How often a collection is made anew until it is as it should be.
const REMADE_MAX: usize = 3;
/// What filters ask for, and of which kind it is. A server in strict mode refuses to look for anything else.
const INDEXES: [(&str, &str); 3] = [("acl", "keyword"), ("signal_id", "integer"), ("chunk", "integer")];

/// Where the server is.
#[derive(Clone)]
pub struct QdrantConfig {
    pub fetch: Arc<dyn Fetch>,
    /// Such as `http://localhost:6333`.
    pub url: String,
    /// Empty: none.
    pub api_key: Secret,
    pub collection: String,
}

pub struct QdrantVectors {
    server: Server,
}

impl QdrantVectors {
    pub fn new(config: QdrantConfig) -> Result<Self, VectorError> {
        Server::new(config).map(|server| Self { server })
    }

    /// None when it is not made.
    async fn collection(&self) -> Result<Option<Collection>, VectorError> {
        match self.server.read::<Collection>(HttpMethod::Get, "", None::<&Value>).await {
            Ok(collection) => Ok(Some(collection)),
            Err(Refusal::Missing) => Ok(None),
            Err(refusal) => Err(refusal.into()),
        }
    }

    async fn create(&self, dimension: usize, is_hybrid: bool) -> Result<(), VectorError> {
        let mut body = json!({"vectors": {DENSE: {"size": dimension, "distance": "Cosine"}}});
        if is_hybrid {
            body["sparse_vectors"] = json!({WORDS: {"modifier": "idf"}});
        }
        match self.server.write(HttpMethod::Put, "", Some(&body)).await {
            // Another process was faster.
            Ok(()) | Err(Refusal::Wrong { status: 409, .. }) => self.index(&[]).await,
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// Makes the indexes that are not there.
    async fn index(&self, there: &[String]) -> Result<(), VectorError> {
        for (name, kind) in INDEXES {
            if !there.iter().any(|one| one == name) {
                let body = json!({"field_name": name, "field_schema": kind});
                self.server.write(HttpMethod::Put, "/index", Some(&body)).await?;
            }
        }
        Ok(())
    }

    /// The collection for vectors of this dimension.
    async fn made_for(&self, dimension: usize) -> Result<Collection, VectorError> {
        let mut found = self.collection().await?;
        if found.is_none() {
            self.create(dimension, false).await?;
            found = self.collection().await?;
        }
        let collection = found.ok_or_else(|| VectorError::Refused("the collection vanished".to_owned()))?;
        match collection.dimension(DENSE) {
            Some(there) if there == dimension => Ok(collection),
            Some(there) => Err(VectorError::Dimension { there, ours: dimension }),
            None => Err(VectorError::Refused(format!(
                "the collection was not made by this program: it has no vector named {DENSE}"
            ))),
        }
    }

    /// Does nothing when there is no collection.
    async fn change(&self, path: &str, body: &Value) -> Result<(), VectorError> {
        match self.server.write(HttpMethod::Post, path, Some(body)).await {
            Ok(()) | Err(Refusal::Missing) => Ok(()),
            Err(refusal) => Err(refusal.into()),
        }
    }

    async fn ask(&self, asking: Asking<'_>, query: Query<'_>) -> Result<Vec<VectorHit>, Refusal> {
        let using = if matches!(query, Query::Dense(_)) { DENSE } else { WORDS };
        let tokens: Vec<String> = asking.tokens.iter().map(AclToken::to_string).collect();
        let body = wire::Question {
            query,
            using,
            filter: json!({"must": [{"key": "acl", "match": {"any": tokens}}]}),
            limit: asking.limit.min(HITS_MAX),
            with_payload: false,
        };
        let found: Found = self.server.read(HttpMethod::Post, "/points/query", Some(&body)).await?;
        let mut hits: Vec<VectorHit> = found.points.iter().filter_map(wire::Scored::hit).collect();
        // The server leaves open what comes first among equals.
        hits.sort_by(|one, other| {
            let by_score = other.score.total_cmp(&one.score);
            by_score.then_with(|| (one.signal, one.chunk).cmp(&(other.signal, other.chunk)))
        });
        Ok(hits)
    }
}

#[async_trait]
impl VectorStore for QdrantVectors {
    async fn put(&self, vectors: SignalVectors) -> Result<(), VectorError> {
        let dimension = dimension_of(vectors.chunks.iter().map(|chunk| chunk.dense.as_slice()))?;
        let Some(dimension) = dimension else { return self.remove(&[vectors.signal]).await };
        let is_hybrid = self.made_for(dimension).await?.has_words(WORDS);
        let points: Vec<Point<'_>> = vectors
            .chunks
            .iter()
            .map(|chunk| Point::of(&vectors, chunk, is_hybrid))
            .collect::<Result<_, _>>()?;
        let after = vectors.chunks.iter().map(|chunk| chunk.number + 1).max().unwrap_or_default();
        let mut groups = points.chunks(POINTS_MAX).peekable();
        while let Some(group) = groups.next() {
            let mut operations = vec![wire::Operation::Upsert { points: group }];
            if groups.peek().is_none() {
                // Pieces of a longer text that was here before.
                let filter =
                    json!({"must": [of_signal(vectors.signal), {"key": "chunk", "range": {"gte": after}}]});
                operations.push(wire::Operation::Delete { filter });
            }
            let body = wire::Batch { operations };
            self.server.write(HttpMethod::Post, "/points/batch", Some(&body)).await?;
        }
        Ok(())
    }

    async fn set_acl(&self, signal: SignalId, acl: &[AclToken]) -> Result<(), VectorError> {
        let acl: Vec<String> = acl.iter().map(AclToken::to_string).collect();
        let body = json!({"payload": {"acl": acl}, "filter": {"must": [of_signal(signal)]}});
        self.change("/points/payload", &body).await
    }

    async fn remove(&self, signals: &[SignalId]) -> Result<(), VectorError> {
        for some in signals.chunks(REMOVED_MAX) {
            let ids: Vec<i64> = some.iter().map(|signal| signal.0).collect();
            let body = json!({"filter": {"must": [{"key": "signal_id", "match": {"any": ids}}]}});
            self.change("/points/delete", &body).await?;
        }
        Ok(())
    }

    async fn nearest(&self, asking: Asking<'_>, dense: &[f32]) -> Result<Vec<VectorHit>, VectorError> {
        let ours = allowed(dense.len())?;
        if asking.tokens.is_empty() || asking.limit == 0 {
            return Ok(Vec::new());
        }
        match self.ask(asking, Query::Dense(dense)).await {
            Err(Refusal::Missing) => Ok(Vec::new()),
            Err(refusal @ Refusal::Wrong { status: 400, .. }) => {
                self.made_for(ours).await?;
                Err(refusal.into())
            }
            outcome => Ok(outcome?),
        }
    }

    async fn nearest_by_words(
        &self,
        asking: Asking<'_>,
        words: &SparseVector,
    ) -> Result<Vec<VectorHit>, VectorError> {
        if asking.tokens.is_empty() || asking.limit == 0 || words.indices.is_empty() {
            return Ok(Vec::new());
        }
        match self.ask(asking, Query::Words(words.into())).await {
            Err(Refusal::Missing) => Err(VectorError::MissingSparse),
            Err(refusal @ Refusal::Wrong { status: 400, .. }) => match self.collection().await? {
                Some(collection) if collection.has_words(WORDS) => Err(refusal.into()),
                _ => Err(VectorError::MissingSparse),
            },
            outcome => Ok(outcome?),
        }
    }

    async fn held(&self, after: Option<SignalId>, limit: usize) -> Result<Vec<(SignalId, u32)>, VectorError> {
        let mut held: Vec<(SignalId, u32)> = Vec::new();
        // Points are listed in the order of their ids, which is that of documents and pieces.
        let first = after.map(|after| wire::point_id(SignalId(after.0.saturating_add(1)), 0)).transpose()?;
        let mut from = first.map(Value::from);
        while held.len() <= limit {
            let mut body = json!({"limit": LISTED_MAX, "with_payload": false, "with_vector": false});
            if let Some(from) = from.take() {
                body["offset"] = from;
            }
            let page: Page = match self.server.read(HttpMethod::Post, "/points/scroll", Some(&body)).await {
                Err(Refusal::Missing) => return Ok(Vec::new()),
                page => page?,
            };
            for (signal, _) in page.points.iter().filter_map(|point| wire::place(&point.id)) {
                match held.last_mut() {
                    Some((last, count)) if *last == signal => *count += 1,
                    _ => held.push((signal, 1)),
                }
            }
            from = page.next_page_offset;
            if from.is_none() {
                break;
            }
        }
        held.truncate(limit);
        Ok(held)
    }

    async fn state(&self) -> Result<VectorState, VectorError> {
        let none = VectorState { dimension: None, chunks: 0, is_hybrid: false };
        let Some(collection) = self.collection().await? else { return Ok(none) };
        let body = json!({"exact": true});
        let counted: Counted = match self.server.read(HttpMethod::Post, "/points/count", Some(&body)).await {
            Err(Refusal::Missing) => return Ok(none),
            counted => counted?,
        };
        Ok(VectorState {
            dimension: collection.dimension(DENSE),
            chunks: counted.count,
            is_hybrid: collection.has_words(WORDS),
        })
    }

    async fn prepare(&self, dimension: usize) -> Result<(), VectorError> {
        let collection = self.made_for(allowed(dimension)?).await?;
        // A crash may have come between the collection and its indexes.
        self.index(&collection.indexes()).await
    }

    /// A collection cannot be given another kind of vectors: it is made anew, and is empty until the caller has put
    /// everything again.
    async fn make_hybrid(&self) -> Result<(), VectorError> {
        let not_made = || VectorError::Refused("the collection is not made yet".to_owned());
        let collection = self.collection().await?.ok_or_else(not_made)?;
        if collection.has_words(WORDS) {
            return Ok(());
        }
        let dimension = collection.dimension(DENSE).ok_or_else(not_made)?;
        for _ in 0..REMADE_MAX {
            self.clear().await?;
            self.create(dimension, true).await?;
            // A document that came in between made it without words.
            if self.collection().await?.is_some_and(|collection| collection.has_words(WORDS)) {
                return Ok(());
            }
        }
        Err(VectorError::Refused("others make the collection at the same time; try again".to_owned()))
    }

    async fn clear(&self) -> Result<(), VectorError> {
        match self.server.write(HttpMethod::Delete, "", None::<&Value>).await {
            Ok(()) | Err(Refusal::Missing) => Ok(()),
            Err(refusal) => Err(refusal.into()),
        }
    }
}

fn of_signal(signal: SignalId) -> Value {
    json!({"key": "signal_id", "match": {"value": signal.0}})
}

#[cfg(test)]
mod tests;
