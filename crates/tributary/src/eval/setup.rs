//! The configuration of a run: content and behavior of the sources.

use crate::eval::split::Split;
use anyhow::ensure;
use domain::search::RESULTS_REQUESTED_MAX;
use serde::Serialize;

/// Maximum number of sources.
pub const SOURCES_MAX: usize = 100;
/// Maximum number of results of a source.
pub const RESULTS_MAX: usize = 100;
/// Number of results of a source unless chosen.
pub const RESULTS_DEFAULT: usize = 10;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Setup {
    pub sources: usize,
    /// Maximum number of results that a source returns for a query.
    pub results: usize,
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
        Self {
            sources: 10,
            results: RESULTS_DEFAULT,
            split: Split::Random,
            overlap: 0.0,
            unlike: false,
            snippet: None,
            seed: 1,
        }
    }
}

impl Setup {
    /// Fails if the results of all sources do not fit on one page of the service.
    pub fn check(&self) -> anyhow::Result<()> {
        let (sources, results, all_max) = (self.sources, self.results, RESULTS_REQUESTED_MAX);
        ensure!(
            sources * results <= all_max as usize,
            "{sources} sources with {results} results each are more than {all_max}; use fewer of either"
        );
        Ok(())
    }

    /// A description, such as "10 topical sources, unlike each other".
    pub fn sentence(&self) -> String {
        let mut words = format!("{} {} sources", self.sources, self.split.name());
        if self.unlike {
            words.push_str(", unlike each other");
        }
        if self.results != RESULTS_DEFAULT {
            words.push_str(&format!(", {} results each", self.results));
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
            results: 20,
            split: Split::Topical,
            overlap: 0.3,
            unlike: true,
            snippet: Some(40),
            ..Setup::default()
        };
        assert_eq!(
            all.sentence(),
            "10 topical sources, unlike each other, 20 results each, 30% of the documents duplicated, \
             snippets of 40 words"
        );
    }

    #[test]
    fn all_results_fit_on_a_page() {
        let setup = |sources, results| Setup { sources, results, ..Setup::default() };
        for (sources, results) in [(10, 10), (SOURCES_MAX, RESULTS_DEFAULT), (10, RESULTS_MAX), (50, 20)] {
            assert!(setup(sources, results).check().is_ok(), "{sources} {results}");
        }
        for (sources, results) in [(SOURCES_MAX, 11), (11, RESULTS_MAX), (51, 20)] {
            let error = setup(sources, results).check().unwrap_err().to_string();
            assert!(error.contains("are more than 1000"), "{error}");
        }
    }
}
