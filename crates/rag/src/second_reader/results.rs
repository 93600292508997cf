//! Results as the second reader rates them.

use super::reader::{SecondReader, TEXTS_MAX};
use crate::answerability::{rate_results, text_of};
use domain::ids::ResultId;
use domain::result::ResultItem;
use relevancy::Language;
use std::collections::BTreeMap;

/// The similarity of the query and each of the first results; empty without a second reader or if it is too slow.
pub(crate) async fn meanings(
    reader: Option<&SecondReader>,
    query: &str,
    results: &[ResultItem],
) -> BTreeMap<ResultId, f64> {
    let Some(reader) = reader else { return BTreeMap::new() };
    let read = &results[..results.len().min(TEXTS_MAX)];
    let texts: Vec<String> = read.iter().map(text_of).collect();
    let similarities = reader.similarities(query, &texts).await.unwrap_or_default();
    read.iter().map(|item| item.swirl_id).zip(similarities).collect()
}

impl SecondReader {
    /// The results of a search, those first that are likely to contain an answer. Those after the first [`TEXTS_MAX`]
    /// keep their places.
    pub(crate) async fn reordered(
        &self,
        language: Language,
        query: &str,
        mut results: Vec<ResultItem>,
    ) -> Vec<ResultItem> {
        let rest = results.split_off(results.len().min(TEXTS_MAX));
        let meanings = meanings(Some(self), query, &results).await;
        if !meanings.is_empty() {
            let (query, read) = (query.to_owned(), results.clone());
            let rating = self.cpu.run(move || rate_results(language, &query, &read, &meanings)).await;
            let ratings = rating.unwrap_or_default();
            let rating = |item: &ResultItem| ratings.get(&item.swirl_id).copied().unwrap_or_default();
            results.sort_by(|one, other| rating(other).total_cmp(&rating(one)));
        }
        results.extend(rest);
        results
    }
}
