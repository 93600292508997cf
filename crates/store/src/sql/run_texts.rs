//! The JSON of a run, made before its transaction, because SQLite has one writer.

use super::result_rows::new_detail;
use crate::encoder_threads::{EncoderThreads, unfinished};
use crate::json::JsonText;
use crate::json_column::{JsonColumn, JsonWriter};
use domain::ports::StoreError;
use domain::result::ResultSet;
use domain::search_run::RunEntry;
use std::sync::Arc;

/// Runs with more results are encoded by threads for such work: ten results take a fifth of a millisecond.
const ITEMS_INLINE_MAX: usize = 10;

/// The columns of a result set that hold JSON.
pub(super) struct SetTexts {
    pub detail: JsonText,
    pub items: JsonColumn,
}

/// What is encoded: result sets, and the entries of the run if they are known.
pub(super) struct RunParts {
    pub sets: Vec<ResultSet>,
    pub entries: Option<Vec<RunEntry>>,
}

/// The same, with the texts of each set.
pub(super) struct EncodedRun {
    pub sets: Vec<ResultSet>,
    pub texts: Vec<SetTexts>,
    pub entries: Option<JsonColumn>,
}

/// The columns of a run that hold JSON, and the number of its results.
pub(super) struct RunTexts {
    pub sets: Vec<SetTexts>,
    /// The results of the run in short.
    pub entries: Option<JsonColumn>,
    pub retrieved: usize,
}

/// Encodes a run, on several threads if it is long.
pub(super) async fn encode(
    threads: &EncoderThreads,
    new_writer: fn() -> Result<JsonWriter, StoreError>,
    run: RunParts,
) -> Result<EncodedRun, StoreError> {
    let (sets, items) = (run.sets.len(), run.sets.iter().map(|set| set.items.len()).sum::<usize>());
    if items <= ITEMS_INLINE_MAX {
        return threads.writers().lend(new_writer, |writer| run.encode(writer));
    }
    let mut parts = Vec::with_capacity(threads.count());
    for part in run.split(threads.count()) {
        let writers = Arc::clone(threads.writers());
        let encoding = threads.start(move || writers.lend(new_writer, |writer| part.encode(writer)));
        parts.push(encoding.await?);
    }
    let mut encoded =
        EncodedRun { sets: Vec::with_capacity(sets), texts: Vec::with_capacity(sets), entries: None };
    for part in parts {
        let part = part.await.map_err(|panicked| unfinished().caused_by(panicked))??;
        encoded.sets.extend(part.sets);
        encoded.texts.extend(part.texts);
        encoded.entries = part.entries.or(encoded.entries);
    }
    Ok(encoded)
}

impl RunParts {
    /// Splits the sets evenly, in their order. The entries go with the last ones.
    fn split(self, count: usize) -> Vec<Self> {
        let size = self.sets.len().div_ceil(count.max(1)).max(1);
        let mut rest = self.sets;
        let mut parts = Vec::with_capacity(count);
        while rest.len() > size {
            let later = rest.split_off(size);
            parts.push(Self { sets: std::mem::replace(&mut rest, later), entries: None });
        }
        parts.push(Self { sets: rest, entries: self.entries });
        parts
    }

    fn encode(self, writer: &mut JsonWriter) -> Result<EncodedRun, StoreError> {
        let texts = self.sets.iter().map(|set| SetTexts::of(set, writer)).collect::<Result<Vec<_>, _>>()?;
        let entries = self.entries.map(|entries| writer.write_entries(&entries)).transpose()?;
        Ok(EncodedRun { sets: self.sets, texts, entries })
    }
}

impl SetTexts {
    fn of(set: &ResultSet, writer: &mut JsonWriter) -> Result<Self, StoreError> {
        Ok(Self { detail: new_detail(set)?, items: writer.write_items(&set.items)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::builders::{item, result_set};

    fn run(sets: i64, items: usize) -> RunParts {
        let set = |provider: i64| {
            let items = (0..items).map(|number| item(format!("{provider}-{number}")));
            result_set(provider).items(items).build()
        };
        RunParts { sets: (1..=sets).map(set).collect(), entries: Some(Vec::new()) }
    }

    fn shown(run: &EncodedRun) -> Vec<(i64, String)> {
        let show = |(set, texts): (&ResultSet, &SetTexts)| (set.provider.0, format!("{:?}", texts.items));
        run.sets.iter().zip(&run.texts).map(show).collect()
    }

    #[tokio::test]
    async fn threads_encode_what_one_thread_encodes() {
        let postgres = || Ok(JsonWriter::for_postgres());
        for count in [1, 2, 3, 4] {
            let threads = EncoderThreads::new(count);
            for (sets, items) in [(0, 0), (1, 50), (2, 8), (3, 20), (5, 9), (11, 3)] {
                let expected = run(sets, items).encode(&mut JsonWriter::for_postgres()).expect("encoded");
                let encoded = encode(&threads, postgres, run(sets, items)).await.expect("encoded");
                assert_eq!(shown(&encoded), shown(&expected), "{sets} sets, {count} threads");
                assert_eq!(encoded.sets.len(), usize::try_from(sets).expect("few"));
                assert!(encoded.entries.is_some());
            }
        }
    }
}
