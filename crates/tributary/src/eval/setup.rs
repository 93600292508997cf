//! The configuration of a run: content and behavior of the sources.

use crate::eval::split::Split;
use serde::Serialize;

/// Maximum number of sources: each returns ten results, and a page of the service has at most a thousand.
pub const SOURCES_MAX: usize = 100;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Setup {
    pub sources: usize,
    pub split: Split,
    /// Fraction of the documents that a second source also has.
    pub overlap: f64,
    /// Whether engines differ between sources.
    pub unlike: bool,
    /// Maximum number of words of a text that sources return.
    pub snippet: Option<usize>,
    pub seed: u64,
}

impl Default for Setup {
    fn default() -> Self {
        Self { sources: 10, split: Split::Random, overlap: 0.0, unlike: false, snippet: None, seed: 1 }
    }
}

impl Setup {
    /// A description, such as "10 topical sources, unlike each other".
    pub fn sentence(&self) -> String {
        let mut words = format!("{} {} sources", self.sources, self.split.name());
        if self.unlike {
            words.push_str(", unlike each other");
        }
        if self.overlap > 0.0 {
            words.push_str(&format!(", {:.0}% of the documents duplicated", self.overlap * 100.0));
        }
        if let Some(snippet) = self.snippet {
            words.push_str(&format!(", snippets of {snippet} words"));
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setup_has_a_description() {
        assert_eq!(Setup::default().sentence(), "10 random sources");
        let all = Setup {
            split: Split::Topical,
            overlap: 0.3,
            unlike: true,
            snippet: Some(40),
            ..Setup::default()
        };
        assert_eq!(
            all.sentence(),
            "10 topical sources, unlike each other, 30% of the documents duplicated, snippets of 40 words"
        );
    }
}
