//! Vectors in a Qdrant server via REST: one point per chunk, with its vector, its sparse vector if the collection is
//! hybrid, and a payload with the access list.

mod call;
mod config;
mod ownership;
mod verified;
mod wire;

pub use config::QdrantConfig;

use super::limits::{HITS_MAX, allowed, dimension_of};
use async_trait::async_trait;
use call::{Refusal, Server};
use domain::corpus::AclToken;
use domain::ids::SignalId;
use domain::ports::{
    HttpMethod, SignalVectors, SparseVector, VectorError, VectorHit, VectorQuery, VectorState, VectorStore,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use verified::Verified;
use wire::{Collection, Counted, Found, Page, Point, Query};

/// Names of the dense and the sparse vector of a point.
const DENSE: &str = "dense";
const WORDS: &str = "words";
/// Name of a sparse vector that no point has: it marks the collection as made by this program. Unlike an index, it is
/// there from the first moment of the collection, and unlike metadata, every version of the server can store it.
const MARK: &str = "tributary";
/// Points per write, to keep requests small.
const POINTS_MAX: usize = 100;
/// Documents per removal.
const REMOVED_MAX: usize = 500;
/// Ids per page.
const LISTED_MAX: usize = 2_000;
/// Most attempts to recreate a collection in the right form.
const REMADE_MAX: usize = 3;
/// Indexed payload fields and their types. A server in strict mode refuses to filter by others.
const INDEXES: [(&str, &str); 3] = [("acl", "keyword"), ("signal_id", "integer"), ("chunk", "integer")];

pub struct QdrantVectors {
    server: Server,
    name: String,
    verified: Verified,
}

#[derive(PartialEq, Eq)]
enum CollectionKind {
    Dense,
    /// With sparse vectors for the words.
    Hybrid,
}

impl QdrantVectors {
    pub fn new(config: QdrantConfig) -> Result<Self, VectorError> {
        let name = config.collection.clone();
        Server::new(config).map(|server| Self { server, name, verified: Verified::default() })
    }

    /// Creates the collection with its indexes, unless another process was faster.
    async fn create(&self, dimension: usize, kind: CollectionKind) -> Result<Collection, VectorError> {
        let mut body = json!({
            "vectors": {DENSE: {"size": dimension, "distance": "Cosine"}},
            "sparse_vectors": {MARK: {}},
        });
        if kind == CollectionKind::Hybrid {
            body["sparse_vectors"][WORDS] = json!({"modifier": "idf"});
        }
        match self.server.write(HttpMethod::Put, "", Some(&body)).await {
            Ok(()) | Err(Refusal::Wrong { status: 409, .. }) => {}
            Err(refusal) => return Err(refusal.into()),
        }
        // The faster one may have been another program.
        let made = self.own_collection().await?.ok_or_else(vanished)?;
        self.index(&made.indexes()).await?;
        Ok(made)
    }

    /// Creates missing indexes.
    async fn index(&self, there: &[String]) -> Result<(), VectorError> {
        for (name, kind) in INDEXES {
            if !there.iter().any(|one| one == name) {
                let body = json!({"field_name": name, "field_schema": kind});
                self.server.write(HttpMethod::Put, "/index", Some(&body)).await?;
            }
        }
        Ok(())
    }

    /// The collection, which must have this dimension.
    async fn made_for(&self, dimension: usize) -> Result<Collection, VectorError> {
        let collection = match self.own_collection().await? {
            Some(collection) => collection,
            None => self.create(dimension, CollectionKind::Dense).await?,
        };
        match collection.dimension(DENSE).ok_or_else(vanished)? {
            there if there == dimension => Ok(collection),
            there => Err(VectorError::Dimension { there, ours: dimension }),
        }
    }

    /// Does nothing if there is no collection. Another program's points must not be changed, so the collection is
    /// verified every time.
    async fn change(&self, path: &str, body: &Value) -> Result<(), VectorError> {
        if self.own_collection().await?.is_none() {
            return Ok(());
        }
        match self.server.write(HttpMethod::Post, path, Some(body)).await {
            Ok(()) | Err(Refusal::Missing) => Ok(()),
            Err(refusal) => Err(refusal.into()),
        }
    }

    async fn ask(&self, asking: VectorQuery<'_>, query: Query<'_>) -> Result<Vec<VectorHit>, Refusal> {
        let using = if matches!(query, Query::Dense(_)) { DENSE } else { WORDS };
        let tokens: Vec<String> = asking.tokens.iter().map(AclToken::to_string).collect();
        let body = wire::Question {
            query,
            using,
            filter: json!({"must": [{"key": "acl", "match": {"any": tokens}}]}),
            limit: asking.limit.min(HITS_MAX),
            with_payload: false,
        };
        let found: Found = self.read("/points/query", &body).await?;
        let mut hits: Vec<VectorHit> = found.points.iter().filter_map(wire::Scored::hit).collect();
        // The server does not define the order of ties.
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
                // Removes chunks of a previous, longer text.
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

    async fn nearest(&self, asking: VectorQuery<'_>, dense: &[f32]) -> Result<Vec<VectorHit>, VectorError> {
        let ours = allowed(dense.len())?;
        if asking.tokens.is_empty() || asking.limit == 0 {
            return Ok(Vec::new());
        }
        self.ensure_own().await?;
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
        asking: VectorQuery<'_>,
        words: &SparseVector,
    ) -> Result<Vec<VectorHit>, VectorError> {
        if asking.tokens.is_empty() || asking.limit == 0 || words.indices.is_empty() {
            return Ok(Vec::new());
        }
        self.ensure_own().await?;
        match self.ask(asking, Query::Words(words.into())).await {
            Err(Refusal::Missing) => Err(VectorError::MissingSparse),
            Err(refusal @ Refusal::Wrong { status: 400, .. }) => match self.own_collection().await? {
                Some(collection) if collection.has_words(WORDS) => Err(refusal.into()),
                _ => Err(VectorError::MissingSparse),
            },
            outcome => Ok(outcome?),
        }
    }

    async fn chunk_counts(
        &self,
        after: Option<SignalId>,
        limit: usize,
    ) -> Result<Vec<(SignalId, u32)>, VectorError> {
        self.ensure_own().await?;
        let mut held: Vec<(SignalId, u32)> = Vec::new();
        // Points are listed by id, which is the order of documents and chunks.
        let first = after.map(|after| wire::point_id(SignalId(after.0.saturating_add(1)), 0)).transpose()?;
        let mut from = first.map(Value::from);
        while held.len() <= limit {
            let mut body = json!({"limit": LISTED_MAX, "with_payload": false, "with_vector": false});
            if let Some(from) = from.take() {
                body["offset"] = from;
            }
            let page: Page = match self.read("/points/scroll", &body).await {
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
        let Some(collection) = self.own_collection().await? else { return Ok(none) };
        let body = json!({"exact": true});
        let counted: Counted = match self.read("/points/count", &body).await {
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
        // A crash may have happened between creating the collection and its indexes.
        self.index(&collection.indexes()).await
    }

    /// A collection cannot change its kinds of vectors: it is recreated, and empty until the caller has written
    /// everything again.
    async fn make_hybrid(&self) -> Result<(), VectorError> {
        let not_made = || VectorError::refused("the collection is not made yet");
        let collection = self.own_collection().await?.ok_or_else(not_made)?;
        if collection.has_words(WORDS) {
            return Ok(());
        }
        let dimension = collection.dimension(DENSE).ok_or_else(not_made)?;
        for _ in 0..REMADE_MAX {
            self.delete().await?;
            // A document written in between created it without sparse vectors.
            if self.create(dimension, CollectionKind::Hybrid).await?.has_words(WORDS) {
                return Ok(());
            }
        }
        Err(VectorError::refused("others make the collection at the same time; try again"))
    }

    /// The collection of another program is refused, also if it has the configured name.
    async fn clear(&self) -> Result<(), VectorError> {
        match self.own_collection().await? {
            Some(_) => self.delete().await,
            None => Ok(()),
        }
    }
}

impl QdrantVectors {
    /// A question about points. A refusal may mean that it is another collection now.
    async fn read<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T, Refusal> {
        let answer = self.server.read(HttpMethod::Post, path, Some(body)).await;
        if matches!(answer, Err(Refusal::Missing | Refusal::Wrong { .. })) {
            self.verified.forget();
        }
        answer
    }

    async fn delete(&self) -> Result<(), VectorError> {
        match self.server.write(HttpMethod::Delete, "", None::<&Value>).await {
            Ok(()) | Err(Refusal::Missing) => Ok(()),
            Err(refusal) => Err(refusal.into()),
        }
    }
}

fn vanished() -> VectorError {
    VectorError::refused("the collection vanished")
}

fn of_signal(signal: SignalId) -> Value {
    json!({"key": "signal_id", "match": {"value": signal.0}})
}

#[cfg(test)]
mod tests;
