//! In-memory index of all vectors: the rows of each document, their access lists, and the queries.

use super::postings::Postings;
use super::quantized::{QuantizedVectors, Scored};
use crate::vectors::limits::HITS_MAX;
use crate::vectors::math::unit;
use domain::corpus::AclToken;
use domain::ids::SignalId;
use domain::ports::{SparseVector, VectorError, VectorHit, VectorState};
use std::collections::BTreeMap;
use std::ops::{Bound, Range};

/// Most numbers of all vectors; each takes two bytes. Two million chunks of 256 dimensions.
pub const NUMBERS_MAX: usize = 512_000_000;
/// Up to this many rows are scored exactly. Above, the high bytes preselect.
const EXACT_MAX: usize = 4_096;
/// Rows that the coarse pass selects: this many per wanted row, and some more.
const CHOSEN_FACTOR: usize = 4;
const CHOSEN_MORE: usize = 100;
/// Dead rows are removed when there are more than this, and more than half of the others.
const DEAD_MAX: usize = 1_024;

/// The state of the records that the index was built from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Basis {
    /// The newest change that was read.
    pub sequence: i64,
    /// The configured dimension; None: that of the first document.
    pub dimension: Option<usize>,
    pub is_hybrid: bool,
}

/// A loaded document.
pub struct Read {
    pub signal: SignalId,
    pub acl: Vec<AclToken>,
    pub pieces: Vec<Piece>,
}

pub struct Piece {
    pub number: u32,
    pub dense: Vec<f32>,
    pub words: Option<SparseVector>,
}

/// Tokens and limit of a query.
pub struct Asked {
    tokens: Vec<AclToken>,
    limit: usize,
}

pub struct Index {
    /// None: nothing was loaded yet.
    pub basis: Option<Basis>,
    documents: BTreeMap<SignalId, Document>,
    dimension: Option<usize>,
    numbers_max: usize,
    rows: Vec<Row>,
    quantized: QuantizedVectors,
    postings: Option<Postings>,
    /// Rows whose document was removed or reloaded.
    dead: usize,
    /// Number of loads that were started.
    tickets: u64,
}

struct Document {
    rows: Range<usize>,
    acl: Box<[AclToken]>,
}

struct Row {
    signal: SignalId,
    number: u32,
}

impl Asked {
    pub fn new(tokens: &[AclToken], limit: usize) -> Self {
        let mut tokens = tokens.to_vec();
        tokens.sort_unstable();
        Self { tokens, limit: limit.min(HITS_MAX) }
    }

    pub fn is_nothing(&self) -> bool {
        self.tokens.is_empty() || self.limit == 0
    }

    fn sees(&self, document: &Document) -> bool {
        document.acl.iter().any(|token| self.tokens.binary_search(token).is_ok())
    }
}

impl Index {
    /// An empty index, not yet loaded.
    pub fn unread() -> Self {
        Self::empty(None, NUMBERS_MAX)
    }

    /// An empty index for records in this state.
    pub fn of(basis: Basis) -> Self {
        Self::empty(Some(basis), NUMBERS_MAX)
    }

    fn empty(basis: Option<Basis>, numbers_max: usize) -> Self {
        let dimension = basis.and_then(|basis| basis.dimension);
        Self {
            basis,
            documents: BTreeMap::new(),
            dimension,
            numbers_max,
            rows: Vec::new(),
            quantized: QuantizedVectors::new(dimension.unwrap_or_default()),
            postings: basis.filter(|basis| basis.is_hybrid).map(|_| Postings::default()),
            dead: 0,
            tickets: 0,
        }
    }

    /// Starts a load. A caller may go away while the load continues; its result is discarded if another load has
    /// started since.
    pub fn next_ticket(&mut self) -> u64 {
        self.tickets += 1;
        self.tickets
    }

    pub fn is_newest(&self, ticket: u64) -> bool {
        self.tickets == ticket
    }

    /// Replaces documents with their current state.
    pub fn take(&mut self, documents: Vec<Read>) {
        for read in documents {
            self.remove(read.signal);
            self.insert(read);
        }
        self.tidy();
    }

    /// Releases unused capacity.
    pub fn shrink(&mut self) {
        self.quantized.shrink();
        self.rows.shrink_to_fit();
        if let Some(postings) = &mut self.postings {
            postings.shrink();
        }
    }

    pub fn remove(&mut self, signal: SignalId) {
        if let Some(document) = self.documents.remove(&signal) {
            self.dead += document.rows.len();
        }
    }

    /// The nearest visible rows.
    pub fn nearest(&self, asked: &Asked, dense: &[f32]) -> Result<Vec<VectorHit>, VectorError> {
        let Some(there) = self.dimension else { return Ok(Vec::new()) };
        if there != dense.len() {
            return Err(VectorError::Dimension { there, ours: dense.len() });
        }
        let question = unit(dense);
        let visible: Vec<Range<usize>> = self.visible(asked).cloned().collect();
        if visible.iter().map(Range::len).sum::<usize>() <= EXACT_MAX {
            return Ok(self.best(self.quantized.scores(&question, &visible), asked.limit));
        }
        let chosen = asked.limit * CHOSEN_FACTOR + CHOSEN_MORE;
        let near = self.quantized.near(&question, &visible, chosen);
        let near: Vec<Range<usize>> = near.into_iter().map(|row| row as usize..row as usize + 1).collect();
        Ok(self.best(self.quantized.scores(&question, &near), asked.limit))
    }

    /// The visible rows with the best word scores.
    pub fn nearest_by_words(
        &self,
        asked: &Asked,
        words: &SparseVector,
    ) -> Result<Vec<VectorHit>, VectorError> {
        let Some(postings) = &self.postings else { return Err(VectorError::MissingSparse) };
        let mut is_visible = vec![false; self.rows.len()];
        for rows in self.visible(asked) {
            is_visible[rows.clone()].fill(true);
        }
        Ok(self.best(postings.scores(words, &is_visible), asked.limit))
    }

    pub fn held(&self, after: Option<SignalId>, limit: usize) -> Vec<(SignalId, u32)> {
        let above = after.map_or(Bound::Unbounded, Bound::Excluded);
        let documents = self.documents.range((above, Bound::Unbounded)).take(limit);
        documents.map(|(signal, document)| (*signal, document.rows.len() as u32)).collect()
    }

    pub fn state(&self) -> VectorState {
        VectorState {
            dimension: self.dimension,
            chunks: (self.rows.len() - self.dead) as u64,
            is_hybrid: self.postings.is_some(),
        }
    }

    /// The rows of each visible document, in document order.
    fn visible<'a>(&'a self, asked: &'a Asked) -> impl Iterator<Item = &'a Range<usize>> {
        self.documents.values().filter(|document| asked.sees(document)).map(|document| &document.rows)
    }

    fn best(&self, scored: Vec<Scored>, limit: usize) -> Vec<VectorHit> {
        let mut hits: Vec<VectorHit> = scored
            .into_iter()
            .map(|scored| {
                let row = &self.rows[scored.row as usize];
                VectorHit { signal: row.signal, chunk: row.number, score: scored.score }
            })
            .collect();
        let order = |a: &VectorHit, b: &VectorHit| {
            b.score.total_cmp(&a.score).then((a.signal, a.chunk).cmp(&(b.signal, b.chunk)))
        };
        if hits.len() > limit && limit > 0 {
            hits.select_nth_unstable_by(limit - 1, order);
        }
        hits.truncate(limit);
        hits.sort_unstable_by(order);
        hits
    }

    /// Skips a document of another dimension, or beyond the capacity.
    fn insert(&mut self, read: Read) {
        let Read { signal, acl, pieces } = read;
        let Some(first) = pieces.first() else { return };
        let dimension = *self.dimension.get_or_insert_with(|| {
            self.quantized = QuantizedVectors::new(first.dense.len());
            first.dense.len()
        });
        let numbers = (self.rows.len() + pieces.len()).saturating_mul(dimension);
        let fits = pieces.iter().all(|piece| piece.dense.len() == dimension);
        if dimension == 0 || !fits || numbers > self.numbers_max {
            return;
        }
        let start = self.rows.len();
        for piece in &pieces {
            if let (Some(postings), Some(words)) = (&mut self.postings, &piece.words) {
                postings.add(self.rows.len() as u32, words);
            }
            self.quantized.push(&piece.dense);
            self.rows.push(Row { signal, number: piece.number });
        }
        let rows = start..self.rows.len();
        self.documents.insert(signal, Document { rows, acl: acl.into() });
    }

    /// Removes dead rows if there are many, and sorts the rows by document.
    fn tidy(&mut self) {
        let live = self.rows.len() - self.dead;
        if self.dead <= DEAD_MAX || self.dead * 2 <= live {
            return;
        }
        let mut quantized = QuantizedVectors::new(self.dimension.unwrap_or_default());
        quantized.reserve(live);
        let mut rows = Vec::with_capacity(live);
        let mut new = vec![None; self.rows.len()];
        for (signal, document) in &mut self.documents {
            let start = rows.len();
            quantized.take_over(&self.quantized, document.rows.clone());
            for row in document.rows.clone() {
                new[row] = Some(rows.len() as u32);
                rows.push(Row { signal: *signal, number: self.rows[row].number });
            }
            document.rows = start..rows.len();
        }
        if let Some(postings) = &mut self.postings {
            postings.renumber(&new);
        }
        self.quantized = quantized;
        self.rows = rows;
        self.dead = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::UserId;

    const ONE: AclToken = AclToken::User(UserId(1));
    const TWO: AclToken = AclToken::User(UserId(2));

    fn basis(dimension: Option<usize>, is_hybrid: bool) -> Basis {
        Basis { sequence: 1, dimension, is_hybrid }
    }

    /// A document whose chunks are spread on the unit circle, each with a word of its own.
    fn read(signal: i64, acl: &[AclToken], pieces: u32) -> Read {
        let piece = |number: u32| Piece {
            number,
            dense: vec![(number as f32).cos(), (number as f32).sin()],
            words: Some(SparseVector { indices: vec![number], values: vec![1.0] }),
        };
        Read { signal: SignalId(signal), acl: acl.to_vec(), pieces: (0..pieces).map(piece).collect() }
    }

    fn found(index: &Index, tokens: &[AclToken], limit: usize) -> Vec<(i64, u32)> {
        let hits = index.nearest(&Asked::new(tokens, limit), &[1.0, 0.0]).expect("an answer");
        hits.iter().map(|hit| (hit.signal.0, hit.chunk)).collect()
    }

    #[test]
    fn only_who_may_see_a_document_finds_it() {
        let mut index = Index::of(basis(None, false));
        index.take(vec![read(2, &[ONE], 1), read(1, &[ONE, TWO], 1)]);
        assert_eq!(found(&index, &[ONE], 9), [(1, 0), (2, 0)]);
        assert_eq!(found(&index, &[TWO], 9), [(1, 0)]);
        index.take(vec![read(1, &[ONE], 1)]);
        assert_eq!(found(&index, &[TWO], 9), []);
        assert_eq!(found(&index, &[ONE], 1), [(1, 0)]);
    }

    #[test]
    fn dead_rows_are_thrown_out_and_nothing_else_changes() {
        let mut index = Index::of(basis(None, true));
        index.take((0..20).map(|signal| read(signal, &[ONE], 100)).collect());
        let asked = Asked::new(&[ONE], 50);
        let words = SparseVector { indices: vec![7], values: vec![1.0] };
        let before = (found(&index, &[ONE], 50), index.nearest_by_words(&asked, &words));
        // Reloaded twice: 3,000 dead rows in between.
        for _ in 0..2 {
            index.take((0..15).map(|signal| read(signal, &[ONE], 100)).collect());
        }
        assert!(index.rows.len() < 5_000, "{}", index.rows.len());
        assert_eq!((found(&index, &[ONE], 50), index.nearest_by_words(&asked, &words)), before);
        assert_eq!(index.state().chunks, 2_000);
    }

    #[test]
    fn other_dimensions_are_not_held_nor_asked() {
        let mut index = Index::of(basis(Some(3), false));
        index.take(vec![read(1, &[ONE], 1)]);
        assert_eq!(index.held(None, 9), []);
        let refused = index.nearest(&Asked::new(&[ONE], 9), &[1.0, 0.0]);
        assert_eq!(refused, Err(VectorError::Dimension { there: 3, ours: 2 }));
        assert_eq!(index.state(), VectorState { dimension: Some(3), chunks: 0, is_hybrid: false });
    }

    #[test]
    fn there_is_space_for_so_many_numbers() {
        let mut index = Index::empty(Some(basis(None, false)), 20);
        index.take(vec![read(1, &[ONE], 6), read(2, &[ONE], 5), read(3, &[ONE], 4)]);
        assert_eq!(index.held(None, 9), [(SignalId(1), 6), (SignalId(3), 4)]);
    }

    #[test]
    fn many_rows_are_chosen_first_and_scored_after() {
        let mut index = Index::of(basis(None, false));
        index.take((0..50).map(|signal| read(signal, &[[ONE, TWO][signal as usize % 2]], 400)).collect());
        assert!(index.rows.len() / 2 > EXACT_MAX);
        let hits = index.nearest(&Asked::new(&[TWO], 60), &[1.0, 0.0]).expect("an answer");
        assert_eq!(hits.len(), 60);
        assert!(hits.iter().all(|hit| hit.signal.0 % 2 == 1), "{hits:?}");
        // Of 25 documents chunk 0 is at the query, and chunks 44 and 355 come next.
        let expected: Vec<(i64, u32)> = (0..25).map(|document| (document * 2 + 1, 0)).collect();
        assert_eq!(hits[..25].iter().map(|hit| (hit.signal.0, hit.chunk)).collect::<Vec<_>>(), expected);
        assert_eq!(Asked::new(&[ONE], usize::MAX).limit, HITS_MAX);
    }
}
