//! Passages as the second reader rates them.

use super::reader::SecondReader;
use std::collections::HashMap;

/// How similar passages and the query are, by the text of the passage.
pub(crate) type PassageRatings = HashMap<String, f64>;

impl SecondReader {
    /// The ratings of these passages; none if reading them takes too long.
    pub(crate) async fn rate_passages(&self, query: &str, passages: Vec<String>) -> PassageRatings {
        if passages.is_empty() {
            return PassageRatings::new();
        }
        let similarities = self.similarities(query, &passages).await.unwrap_or_default();
        passages.into_iter().zip(similarities).collect()
    }
}
