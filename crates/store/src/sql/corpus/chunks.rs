//! Chunks of documents, with their vectors.

use crate::db::{Db, Tx, on_db, on_tx, rows_affected};
use crate::json::plain;
use crate::row::row;
use crate::sql::text::LIST_MAX;
use domain::corpus::StoredChunk;
use domain::ids::SignalId;
use domain::ports::StoreError;
use sqlx::QueryBuilder;

/// Chunks per statement; each takes seven values.
const ROWS_MAX: usize = 100;
const BYTES_OF_NUMBER: usize = 4;

row! {
    struct ChunkRow {
        number: i64,
        begins: i64,
        ends: i64,
        heading: String,
        text: String,
        vector: Vec<u8>,
    }
}

impl From<ChunkRow> for StoredChunk {
    fn from(row: ChunkRow) -> Self {
        let small = |number: i64| u32::try_from(number).unwrap_or(0);
        Self {
            number: small(row.number),
            start: small(row.begins),
            end: small(row.ends),
            heading: row.heading,
            text: row.text,
            vector: from_bytes(&row.vector),
        }
    }
}

row! {
    struct TextRow {
        signal_id: i64,
        number: i64,
        begins: i64,
        ends: i64,
        heading: String,
        text: String,
    }
}

pub(super) async fn replace(tx: &mut Tx, id: SignalId, pieces: &[StoredChunk]) -> Result<(), StoreError> {
    on_tx!(&mut *tx, db => rows_affected(
        sqlx::query("DELETE FROM signal_chunks WHERE signal_id = $1").bind(id.0).execute(db)))?;
    for some in pieces.chunks(ROWS_MAX) {
        on_tx!(&mut *tx, db => async {
            let mut query = QueryBuilder::new(
                "INSERT INTO signal_chunks (signal_id, number, begins, ends, heading, text, vector) ",
            );
            query.push_values(some, |mut row, piece| {
                row.push_bind(id.0)
                    .push_bind(i64::from(piece.number))
                    .push_bind(i64::from(piece.start))
                    .push_bind(i64::from(piece.end))
                    .push_bind(plain(&piece.heading))
                    .push_bind(plain(&piece.text))
                    .push_bind(to_bytes(&piece.vector));
            });
            rows_affected(query.build().execute(db)).await
        })?;
    }
    Ok(())
}

pub(super) async fn of_signal(db: &Db, id: SignalId) -> Result<Vec<StoredChunk>, StoreError> {
    const TEXT: &str = "SELECT number, begins, ends, heading, text, vector FROM signal_chunks \
         WHERE signal_id = $1 ORDER BY number";
    let rows = on_db!(*db, read, db => sqlx::query_as::<_, ChunkRow>(TEXT).bind(id.0).fetch_all(db))?;
    Ok(rows.into_iter().map(StoredChunk::from).collect())
}

pub(super) async fn texts(
    db: &Db,
    wanted: &[(SignalId, u32)],
) -> Result<Vec<(SignalId, StoredChunk)>, StoreError> {
    let mut wanted = wanted.to_vec();
    wanted.sort_unstable();
    wanted.dedup();
    let mut found = Vec::with_capacity(wanted.len());
    for some in wanted.chunks(LIST_MAX) {
        let rows = on_db!(*db, read, db => async {
            let mut query = QueryBuilder::new("WITH wanted (signal, place) AS (");
            query.push_values(some, |mut row, (signal, number)| {
                row.push_bind(signal.0).push_bind(i64::from(*number));
            });
            query.push(
                ") SELECT signal_id, number, begins, ends, heading, text FROM wanted \
                 JOIN signal_chunks ON signal_id = signal AND number = place",
            );
            query.build_query_as::<TextRow>().fetch_all(db).await
        })?;
        for TextRow { signal_id, number, begins, ends, heading, text } in rows {
            let piece = ChunkRow { number, begins, ends, heading, text, vector: Vec::new() };
            found.push((SignalId(signal_id), piece.into()));
        }
    }
    Ok(found)
}

fn to_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn from_bytes(bytes: &[u8]) -> Vec<f32> {
    let (numbers, _) = bytes.as_chunks::<BYTES_OF_NUMBER>();
    numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_kept_bit_by_bit() {
        let vector = vec![0.0, -0.0, 1.5, f32::MIN_POSITIVE, -1.0 / 3.0];
        let bytes = to_bytes(&vector);
        assert_eq!((bytes.len(), &bytes[8..12]), (20, &[0, 0, 0xc0, 0x3f][..]));
        let back: Vec<u32> = from_bytes(&bytes).into_iter().map(f32::to_bits).collect();
        assert_eq!(back, vector.into_iter().map(f32::to_bits).collect::<Vec<_>>());
    }
}
