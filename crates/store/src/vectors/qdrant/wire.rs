//! Requests and responses. Numbers are written in their shortest exact form.

use domain::corpus::AclToken;
use domain::ids::SignalId;
use domain::ports::{ChunkVector, SignalVectors, SparseVector, VectorError, VectorHit};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The id of a point is that of its document and, in the lowest bits, the chunk number.
const NUMBER_BITS: u32 = 20;

/// The id of a chunk. It increases with the document and the number.
pub(super) fn point_id(signal: SignalId, number: u32) -> Result<u64, VectorError> {
    let document = u64::try_from(signal.0).ok().filter(|id| id >> (u64::BITS - NUMBER_BITS) == 0);
    match document {
        Some(document) if number >> NUMBER_BITS == 0 => Ok(document << NUMBER_BITS | u64::from(number)),
        _ => Err(VectorError::refused(format!("piece {number} of document {signal} has no place"))),
    }
}

/// None for a foreign id.
pub(super) fn place(id: &Value) -> Option<(SignalId, u32)> {
    let id = id.as_u64()?;
    let number = u32::try_from(id & ((1 << NUMBER_BITS) - 1)).ok()?;
    Some((SignalId(i64::try_from(id >> NUMBER_BITS).ok()?), number))
}

#[derive(Serialize)]
pub(super) struct Point<'a> {
    id: u64,
    vector: Vectors<'a>,
    payload: Payload<'a>,
}

#[derive(Serialize)]
struct Vectors<'a> {
    dense: &'a [f32],
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<Sparse<'a>>,
}

#[derive(Serialize)]
pub(super) struct Sparse<'a> {
    indices: &'a [u32],
    values: &'a [f32],
}

#[derive(Serialize)]
struct Payload<'a> {
    signal_id: i64,
    chunk: u32,
    start: u32,
    end: u32,
    mime: &'a str,
    provider_id: Option<i64>,
    matter_tags: &'a [String],
    acl: Vec<String>,
    date: &'a str,
}

impl<'a> Point<'a> {
    pub(super) fn of(
        document: &'a SignalVectors,
        chunk: &'a ChunkVector,
        is_hybrid: bool,
    ) -> Result<Self, VectorError> {
        Ok(Self {
            id: point_id(document.signal, chunk.number)?,
            vector: Vectors {
                dense: &chunk.dense,
                words: chunk
                    .sparse
                    .as_ref()
                    .filter(|words| is_hybrid && !words.indices.is_empty())
                    .map(Sparse::from),
            },
            payload: Payload {
                signal_id: document.signal.0,
                chunk: chunk.number,
                start: chunk.start,
                end: chunk.end,
                mime: &document.mime,
                provider_id: document.provider.map(|provider| provider.0),
                matter_tags: &document.matter_tags,
                acl: document.acl.iter().map(AclToken::to_string).collect(),
                date: &document.date,
            },
        })
    }
}

impl<'a> From<&'a SparseVector> for Sparse<'a> {
    fn from(vector: &'a SparseVector) -> Self {
        Self { indices: &vector.indices, values: &vector.values }
    }
}

#[derive(Serialize)]
pub(super) struct Batch<'a> {
    pub(super) operations: Vec<Operation<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Operation<'a> {
    Upsert { points: &'a [Point<'a>] },
    Delete { filter: Value },
}

#[derive(Serialize)]
pub(super) struct Question<'a> {
    pub(super) query: Query<'a>,
    pub(super) using: &'static str,
    pub(super) filter: Value,
    pub(super) limit: usize,
    pub(super) with_payload: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Query<'a> {
    Dense(&'a [f32]),
    Words(Sparse<'a>),
}

#[derive(Deserialize)]
pub(super) struct Found {
    pub(super) points: Vec<Scored>,
}

#[derive(Deserialize)]
pub(super) struct Scored {
    id: Value,
    score: f32,
}

impl Scored {
    /// None for a foreign point.
    pub(super) fn hit(&self) -> Option<VectorHit> {
        let (signal, chunk) = place(&self.id)?;
        Some(VectorHit { signal, chunk, score: self.score })
    }
}

#[derive(Deserialize)]
pub(super) struct Page {
    pub(super) points: Vec<Listed>,
    pub(super) next_page_offset: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct Listed {
    pub(super) id: Value,
    #[serde(default)]
    payload: Value,
}

impl Listed {
    /// Its id is made from its payload, as every writer of this program does.
    pub(super) fn is_of_this_program(&self) -> bool {
        let chunk = self.payload["chunk"].as_u64().and_then(|chunk| u32::try_from(chunk).ok());
        match (self.payload["signal_id"].as_i64(), chunk) {
            (Some(signal), Some(chunk)) => place(&self.id) == Some((SignalId(signal), chunk)),
            _ => false,
        }
    }
}

#[derive(Deserialize)]
pub(super) struct Counted {
    pub(super) count: u64,
}

/// The server's description of a collection.
#[derive(Deserialize)]
pub(super) struct Collection {
    config: Value,
    #[serde(default)]
    payload_schema: Value,
}

impl Collection {
    pub(super) fn dimension(&self, vector: &str) -> Option<usize> {
        let size = self.config["params"]["vectors"][vector]["size"].as_u64()?;
        usize::try_from(size).ok()
    }

    pub(super) fn has_sparse(&self, vector: &str) -> bool {
        !self.config["params"]["sparse_vectors"][vector].is_null()
    }

    /// Whether it has the vector `dense`, maybe the sparse vector `words`, and these indexes, and nothing else.
    pub(super) fn has_form(&self, dense: &str, words: &str, indexes: &[(&str, &str)]) -> bool {
        let params = &self.config["params"];
        let has_only = |vectors: &Value, name: &str| {
            vectors.as_object().is_none_or(|all| all.keys().all(|one| one == name))
        };
        let is_indexed = |(field, kind): &(&str, &str)| self.payload_schema[field]["data_type"] == *kind;
        has_only(&params["vectors"], dense)
            && has_only(&params["sparse_vectors"], words)
            && self.indexes().len() == indexes.len()
            && indexes.iter().all(is_indexed)
    }

    /// Whether it has sparse vectors weighted by rarity.
    pub(super) fn has_words(&self, vector: &str) -> bool {
        self.config["params"]["sparse_vectors"][vector]["modifier"] == "idf"
    }

    pub(super) fn indexes(&self) -> Vec<String> {
        self.payload_schema.as_object().map(|fields| fields.keys().cloned().collect()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ids_keep_documents_and_pieces_in_order() {
        let last = i64::MAX >> (NUMBER_BITS - 1);
        let table = [(0, 0), (0, 1), (0, (1 << NUMBER_BITS) - 1), (1, 0), (7, 399), (last, 0)];
        let ids = table.map(|(signal, number)| point_id(SignalId(signal), number).unwrap());
        assert!(ids.is_sorted_by(|one, other| one < other), "{ids:?}");
        for (id, (signal, number)) in ids.into_iter().zip(table) {
            assert_eq!(place(&json!(id)), Some((SignalId(signal), number)));
        }
        for (signal, number) in [(-1, 0), (last + 1, 0), (1, 1 << NUMBER_BITS)] {
            assert!(point_id(SignalId(signal), number).is_err(), "{signal} {number}");
        }
        assert_eq!(place(&json!("5c56c793-69f3-4fbf-87e6-c4bf54c28c26")), None);
    }

    #[test]
    fn numbers_are_short() {
        let query = Query::Dense(&[0.1, -1.0]);
        assert_eq!(serde_json::to_string(&query).unwrap(), "[0.1,-1.0]");
    }
}
