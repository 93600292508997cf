//! How a run is set up: everything that decides what the sources hold and how they answer.

use crate::eval::split::Split;
use serde::Serialize;

/// Most sources: each gives ten results, and a page of the service holds a thousand.
pub const SOURCES_MAX: usize = 100;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Setup {
    pub sources: usize,
    pub split: Split,
    /// The share of the documents that stand in a second source too.
    pub overlap: f64,
    /// Engines differ from source to source.
    pub unlike: bool,
    /// Sources give so many words of a text instead of all.
    pub snippet: Option<usize>,
    pub seed: u64,
}

impl Default for Setup {
    fn default() -> Self {
        Self { sources: 10, split: Split::Random, overlap: 0.0, unlike: false, snippet: None, seed: 1 }
    }
}

impl Setup {
    /// For people: "10 topical sources, unlike, 30% copied".
    pub fn sentence(&self) -> String {
        let mut words = format!("{} {} sources", self.sources, self.split.name());
        if self.unlike {
            words.push_str(", unlike each other");
        }
        if self.overlap > 0.0 {
            words.push_str(&format!(", {:.0}% of the documents copied", self.overlap * 100.0));
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
    fn a_set_up_in_words() {
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
            "10 topical sources, unlike each other, 30% of the documents copied, snippets of 40 words"
        );
    }
}
